"""Everything in the five papers that can be checked, passage by passage, and where it is checked.

Each paper has a text file in ``passages`` with a line for each equation, algorithm, table, figure
and statement: its place, what it says, and the exhibits of ``reproduce`` that try it, or after
"not:" the reason why none does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from ordeval.papers._values import Value

__all__ = ["CONTENTS", "Passage"]


@dataclass(frozen=True)
class Passage:
    """A passage of a paper, with the exhibits that try it or the reason why none does.

    An exhibit stands for all of its values; "Section 3: Every monotone" for those of its rows that
    begin with these words.
    """

    place: str
    what: str
    tried: tuple[str, ...] = ()
    why: str = ""

    def values(self, of_paper: Sequence[Value]) -> list[Value]:
        """The values of a reproduction that try it."""
        return [v for v in of_paper if any(_named(name, v) for name in self.tried)]


def _named(name: str, value: Value) -> bool:
    exhibit, _, words = name.partition(": ")
    return value.exhibit == exhibit and value.row.startswith(words)


def passages(text: str) -> tuple[Passage, ...]:
    """One passage for each line: place // what it says // exhibits, or the reason after "not:".

    >>> passages("Eq. 1 // the mean // Table 1; Section 3: The mean")[0].tried
    ('Table 1', 'Section 3: The mean')
    >>> passages("Ref. 4 // a book // not: nothing to compute")[0].why
    'nothing to compute'
    """
    made = []
    for line in filter(None, map(str.strip, text.splitlines())):
        place, what, where = line.split(" // ")
        if where.startswith("not: "):
            made.append(Passage(place, what, why=where.removeprefix("not: ")))
        else:
            made.append(Passage(place, what, tuple(where.split("; "))))
    return tuple(made)


def _listed(paper: str) -> tuple[Passage, ...]:
    file = files("ordeval.papers") / "passages" / f"{paper}.txt"
    return passages(file.read_text(encoding="utf-8"))


_PAPERS: Final = ("cardoso2011", "george2016", "amigo2020", "pinto_da_costa2014", "silva2018")
CONTENTS: Final = {paper: _listed(paper) for paper in _PAPERS}
