"""What George, Lu & Chang 2016 print, from ``george2016.toml``; here rows are true classes."""

from dataclasses import replace
from typing import Final, NamedTuple

from ordeval.papers._tables import MatrixTable, Row, figures_of, headings_of, rows_of


class Cancer(NamedTuple):
    """A data set of Tables 1 and 2, with what the text of section 3.1 says about it."""

    rows: tuple[Row, ...]
    sizes: tuple[str, ...]  # patients of each class
    winner: str  # the classifier that is best by d


_FIGURES: Final = figures_of("george2016")
COLUMNS: Final = headings_of(_FIGURES["columns"])
EXAMPLE_SIZES: Final[tuple[int, ...]] = _FIGURES["example_sizes"]
EXAMPLE_COST: Final[tuple[tuple[str, ...], ...]] = _FIGURES["example_cost"]
DATA: Final = {
    name: Cancer(rows_of(d["rows"], turned=True), d["sizes"], d["winner"])
    for name, d in _FIGURES["data"].items()
}
COLON, LUNG, OVARIAN = (data.rows for data in DATA.values())
TABLE_2: Final = MatrixTable(
    COLUMNS,
    tuple(replace(row, name=f"{name}, {row.name}") for name, d in DATA.items() for row in d.rows),
)
TABLE_3_COLUMNS: Final[tuple[str, ...]] = _FIGURES["table_3_columns"]
TABLE_3: Final[dict[int, dict[str, str]]] = {int(n): d for n, d in _FIGURES["table_3"].items()}
TABLE_4: Final = MatrixTable(
    (*COLUMNS, *headings_of(_FIGURES["more_columns"])), rows_of(_FIGURES["table_4"], turned=True)
)
