"""What Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020 print, from ``amigo2020.toml``."""

from typing import Final

from ordeval.measures import OrdinalProperties, metrics
from ordeval.meta.simulate import Behaviour
from ordeval.papers._tables import MatrixTable, figures_of, headings_of, rows_of

_FIGURES: Final = figures_of("amigo2020")
REVIEWS: Final[tuple[str, ...]] = _FIGURES["reviews"]
LEFT: Final[tuple[int, ...]] = _FIGURES["left"]
FIGURE_1: Final = [(side, _FIGURES[side], *rest) for side, *rest in _FIGURES["figure_1"]]
USED: Final[dict[str, tuple[str, ...]]] = _FIGURES["used"]

# Ordinal invariance, monotonicity and imbalance, which measures carry as what is claimed.
_CLAIMED: Final = {m.name: m.claimed for m in metrics()} | {
    "rennie_srebro_loss": OrdinalProperties(False, True, False)  # not registered
}
SATISFIED: Final = {name: _CLAIMED[name] or () for name in _FIGURES["table_2"]}

SYNTHETIC: Final[dict[str, Behaviour | None]] = {
    column: left_out or None for column, left_out in _FIGURES["synthetic"].items()
}
CAMPAIGNS: Final[tuple[str, ...]] = _FIGURES["campaigns"]
TABLE_3: Final[dict[str, str]] = _FIGURES["table_3"]
MEASURES: Final[dict[str, str]] = _FIGURES["measures"]
REPLAB: Final[dict[str, str]] = _FIGURES["replab"]
SAMPLES: Final[dict[str, str]] = _FIGURES["samples"]
SYSTEMS: Final[dict[str, str]] = _FIGURES["systems"]
ROBUSTNESS: Final[dict[str, str]] = _FIGURES["robustness"]
TRANSFORMED: Final[tuple[str, ...]] = _FIGURES["transformed"]
CLASSES: Final[tuple[str, ...]] = _FIGURES["classes"]
SIZES: Final[tuple[int, ...]] = _FIGURES["sizes"]
PROXIMITY: Final[tuple[tuple[str, ...], ...]] = _FIGURES["proximity"]
APPENDIX_A: Final = MatrixTable(
    headings_of(_FIGURES["columns"]), rows_of(_FIGURES["appendix_a"], turned=True)
)
WITHOUT_MONOTONICITY: Final[tuple[str, ...]] = _FIGURES["without_monotonicity"]
WITHOUT_INVARIANCE: Final[tuple[str, ...]] = _FIGURES["without_invariance"]
IMBALANCE: Final[dict[str, tuple[str, str]]] = _FIGURES["imbalance"]
