"""What Cardoso & Sousa 2011 print, from ``cardoso2011.toml``."""

from typing import Final

from ordeval.papers._tables import MatrixTable, figures_of, headings_of, rows_of

_FIGURES: Final = figures_of("cardoso2011")
COLUMNS: Final = headings_of(_FIGURES["columns"])
TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5 = (
    MatrixTable(COLUMNS, rows_of(_FIGURES[f"table_{n}"])) for n in range(1, 6)
)
CLASSIFIERS: Final[tuple[str, ...]] = _FIGURES["classifiers"]
TABLE_6: Final[dict[str, tuple[tuple[str, str], ...]]] = _FIGURES["table_6"]
BETA_OF_ERROR: Final[float] = _FIGURES["beta_of_error"]
LIMITS: Final[tuple[str, ...]] = _FIGURES["limits"]
SIZES: Final[dict[str, tuple[str, ...]]] = _FIGURES["sizes"]
