"""What the five papers hold that can be checked, passage by passage, and where it is checked.

Each paper has a list of its equations, algorithms, tables, figures and statements. A line names a
passage, says what it holds, and names the exhibits of ``reproduce`` that try it; or it says, after
"not:", why nothing does.
"""

from typing import Final

from ordeval.papers.contents import (
    amigo2020,
    cardoso2011,
    george2016,
    pinto_da_costa2014,
    silva2018,
)
from ordeval.papers.contents._passage import Passage

__all__ = [
    "CONTENTS",
    "Passage",
    "amigo2020",
    "cardoso2011",
    "george2016",
    "pinto_da_costa2014",
    "silva2018",
]

CONTENTS: Final[dict[str, tuple[Passage, ...]]] = {
    "cardoso2011": cardoso2011.PASSAGES,
    "george2016": george2016.PASSAGES,
    "amigo2020": amigo2020.PASSAGES,
    "pinto_da_costa2014": pinto_da_costa2014.PASSAGES,
    "silva2018": silva2018.PASSAGES,
}
