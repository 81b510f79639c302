"""What Silva, Pinto & Cardoso 2018 print, from ``silva2018.toml``."""

from typing import Final

from ordeval.papers._tables import MatrixTable, figures_of, headings_of, rows_of

_FIGURES: Final = figures_of("silva2018")
COLUMNS: Final = headings_of(_FIGURES["columns"])
TABLE_I: Final = MatrixTable(COLUMNS, rows_of(_FIGURES["table_i"]))
TABLE_II: Final[dict[tuple[str, str], str]] = {
    (data, classifier): printed for data, classifier, printed in _FIGURES["table_ii"]
}
SIZES: Final[dict[str, tuple[str, ...]]] = _FIGURES["sizes"]
CONCLUSIONS: Final[dict[tuple[str, tuple[str, ...]], tuple[str, ...]]] = {
    (data, order): measures for data, order, measures in _FIGURES["conclusions"]
}
LIMITS: Final[dict[str, str]] = _FIGURES["limits"]
