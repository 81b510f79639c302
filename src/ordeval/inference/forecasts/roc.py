"""ROC curves: which share of events a rule finds, at which share of false alarms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats


class ROC(NamedTuple):
    """The curve from (0, 0) to (1, 1), one point for each distinct score, and its area."""

    false_alarms: Floats  # 1 - specificity
    found: Floats  # sensitivity
    area: float  # NaN, like the curve, if all items are on one side


def roc(score: Floats, happened: NDArray[np.bool_], weight: Floats) -> ROC:
    """The curve of calling every item whose score is at least so high."""
    which = np.unique(score, return_inverse=True)[1]
    below, above = (
        np.asarray(np.bincount(which, weight * side)[::-1], dtype=np.float64)
        for side in (~happened, happened)
    )
    if not (below.any() and above.any()):
        return ROC(np.full(2, np.nan), np.full(2, np.nan), np.nan)
    false_alarms, found = (
        np.concatenate([[0.0], side.cumsum()]) / side.sum() for side in (below, above)
    )
    return ROC(false_alarms, found, _area(below, above))


def _area(below: Floats, above: Floats) -> float:
    """How often an event scores higher than no event, ties half (Mann & Whitney 1947).

    From the weights of both at each distinct score, the highest first.
    """
    higher = np.cumsum(above) - above / 2
    return float(below @ higher / (below.sum() * above.sum()))
