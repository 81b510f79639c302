"""Measures of one cut of the scale, such as ">= moderate": what is left is yes or no.

A cut lies between two neighbouring levels. Items above it are the positive ones. ``at_least`` says
where it lies: it is the lowest level above the cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.measures.calls import CutMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import ratio
from ordeval.measures.parts.cut_levels import LevelAbove
from ordeval.measures.parts.facts import UNIT
from ordeval.measures.registry import SharedFacts

_OR_ONE_LEVEL: Final = " (or the scale has only one level)"


CUT: Final = LevelAbove("at_least")


@dataclass(frozen=True)
class _Side:
    """The items on one side of the cut; those that count are there by the other label too."""

    by: Literal["truth", "prediction"]
    above: bool

    def __call__(self, k: int, *, at_least: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The cells (K, K) that the share is of, and those on the same side by both labels."""
        over = np.arange(k) >= at_least
        part = (over == self.above) & (k > 1)  # one level has no cut, and no sides
        cells = np.broadcast_to(part[:, None] if self.by == "truth" else part, (k, k))
        return cells, over[:, None] == over

    def share(self, n: Floats, at_least: int) -> Floats:
        """The share, from counts."""
        part, same = self(n.shape[-1], at_least=at_least)
        hits, misses = ((n * (part & x)).sum(axis=(-2, -1)) for x in (same, ~same))
        return ratio(hits, hits + misses)


_POSITIVE, _NEGATIVE = _Side("truth", above=True), _Side("truth", above=False)
_CALLED_POSITIVE = _Side("prediction", above=True)
_CALLED_NEGATIVE = _Side("prediction", above=False)

measure = SharedFacts(
    CutMetric,
    family="threshold",
    best=1,
    range=UNIT,
    greater_is_better=True,
    symmetric=False,
    reversal_invariant=False,
    depends_on_empty_levels=True,
    parameters={"at_least": CUT},
)


@measure(
    symbol="Se",
    share=_POSITIVE,
    reference=ref.ALTMAN_1994_SENSITIVITY,
    undefined_when="no true label lies above the cut" + _OR_ONE_LEVEL,
    formula=r"\text{Se} = \frac{\sum_{i \ge k,\, j \ge k} n_{ij}}{\sum_{i \ge k} r_i},"
    r" \qquad k = \text{at least}",
)
def threshold_sensitivity(n: Floats, *, at_least: int) -> Floats:
    """Share of the items above the cut that are predicted above it.

    ``at_least`` is the lowest level above the cut: of none < mild < moderate < severe,
    ``at_least="moderate"`` asks for moderate or severe.

    >>> scale = ["none", "mild", "severe"]
    >>> truth, pred = ["none", "mild", "severe", "severe"], ["none", "mild", "severe", "mild"]
    >>> threshold_sensitivity(truth, pred, labels=scale, at_least="severe")
    0.5
    """
    return _POSITIVE.share(n, at_least)


@measure(
    symbol="Sp",
    share=_NEGATIVE,
    reference=ref.ALTMAN_1994_SENSITIVITY,
    undefined_when="no true label lies below the cut" + _OR_ONE_LEVEL,
    formula=r"\text{Sp} = \frac{\sum_{i < k,\, j < k} n_{ij}}{\sum_{i < k} r_i},"
    r" \qquad k = \text{at least}",
)
def threshold_specificity(n: Floats, *, at_least: int) -> Floats:
    """Share of the items below the cut that are predicted below it.

    ``at_least`` is the lowest level above the cut.

    >>> threshold_specificity([0, 0, 1, 2], [0, 1, 1, 2], labels=[0, 1, 2], at_least=1)
    0.5
    """
    return _NEGATIVE.share(n, at_least)


@measure(
    symbol="PPV",
    share=_CALLED_POSITIVE,
    reference=ref.ALTMAN_1994_PREDICTIVE,
    undefined_when="no label is predicted above the cut" + _OR_ONE_LEVEL,
    formula=r"\text{PPV} = \frac{\sum_{i \ge k,\, j \ge k} n_{ij}}{\sum_{j \ge k} c_j},"
    r" \qquad k = \text{at least}",
)
def threshold_ppv(n: Floats, *, at_least: int) -> Floats:
    """Positive predictive value: share of the items predicted above the cut that lie above it.

    It depends on how many items lie above the cut, so that it holds for data with the same share
    of them only. ``at_least`` is the lowest level above the cut.

    >>> threshold_ppv([0, 1, 2, 2], [0, 2, 2, 1], labels=[0, 1, 2], at_least=2)
    0.5
    """
    return _CALLED_POSITIVE.share(n, at_least)


@measure(
    symbol="NPV",
    share=_CALLED_NEGATIVE,
    reference=ref.ALTMAN_1994_PREDICTIVE,
    undefined_when="no label is predicted below the cut" + _OR_ONE_LEVEL,
    formula=r"\text{NPV} = \frac{\sum_{i < k,\, j < k} n_{ij}}{\sum_{j < k} c_j},"
    r" \qquad k = \text{at least}",
)
def threshold_npv(n: Floats, *, at_least: int) -> Floats:
    """Negative predictive value: share of the items predicted below the cut that lie below it.

    It depends on how many items lie above the cut, so that it holds for data with the same share
    of them only. ``at_least`` is the lowest level above the cut.

    >>> threshold_npv([0, 1, 1, 2], [0, 0, 1, 2], labels=[0, 1, 2], at_least=1)
    0.5
    """
    return _CALLED_NEGATIVE.share(n, at_least)
