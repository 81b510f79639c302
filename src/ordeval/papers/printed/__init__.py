"""What the five papers print, as data: the one place of every printed figure.

Rows of matrices are true classes and columns predicted ones, whichever way a paper prints them.
Values are texts, so that their digits are those in print.
"""

from typing import Final

from ordeval.papers._tables import MatrixTable
from ordeval.papers.printed import (
    amigo2020,
    cardoso2011,
    george2016,
    pinto_da_costa2014,
    silva2018,
)

__all__ = [
    "MATRIX_TABLES", "amigo2020", "cardoso2011", "george2016", "pinto_da_costa2014",
    "silva2018",
]  # fmt: skip

# By paper and place.
MATRIX_TABLES: Final[dict[str, dict[str, MatrixTable]]] = {
    "cardoso2011": {
        "Table 1": cardoso2011.TABLE_1,
        "Table 2": cardoso2011.TABLE_2,
        "Table 3": cardoso2011.TABLE_3,
        "Table 4": cardoso2011.TABLE_4,
        "Table 5": cardoso2011.TABLE_5,
    },
    "george2016": {"Table 2": george2016.TABLE_2, "Table 4": george2016.TABLE_4},
    "amigo2020": {"Appendix A": amigo2020.APPENDIX_A},
    "silva2018": {"Table I": silva2018.TABLE_I},
}
