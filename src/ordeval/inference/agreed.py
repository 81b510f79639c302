"""Two models that agree on every item of a sample: what that says of how they differ.

Nothing varies, so that no covariance helps. As at the end of a range, a disagreement whose chance
is so small that it may have gone unseen cannot be excluded: the difference is at most what that
many items would make of it, if one model were right on them and the other wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.contributions import changed, pseudo_items
from ordeval.inference.edges import unseen
from ordeval.measures import Metric
from ordeval.measures._arrays import distance

_HALVINGS: Final = 40


@dataclass(frozen=True, eq=False)
class Agreed:
    """Both models have this matrix (K, K), from so many independent units."""

    metric: Metric
    matrix: Floats
    units: float
    undefined: ClassVar[float] = 0.0
    two_sided: ClassVar[float] = 1.0

    def reach(self, amount: float) -> float:
        """How far apart so many items that one model alone gets right would bring the two."""
        matrix = self.matrix.astype(np.float64)
        k = len(matrix)
        near = (pseudo_items(matrix[None])[0] > 0) & (distance(k) <= 4)
        change = np.where(near, amount, 0.0).reshape(1, -1)
        found = changed(self.metric.values, matrix.reshape(1, -1), change).reshape(k, k)
        found = np.abs(found) if self.metric.greater_is_better is None else found
        there = near.any(axis=-1) & ~np.isnan(found).all(axis=-1)
        spans = np.nanmax(found[there], axis=-1) - np.nanmin(found[there], axis=-1)
        return float(spans.max(initial=0.0))

    def tail(self, difference: float) -> float:
        """The tail at which the interval reaches a difference: how likely it was to go unseen."""
        unit = float(self.matrix.sum()) / self.units
        low, high = 0.0, -math.log(1e-12)  # of the logarithm of the tail
        if self.reach(float(unseen(self.units, math.exp(-high))) * unit) < difference:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            reached = self.reach(float(unseen(self.units, math.exp(-middle))) * unit) >= difference
            low, high = (low, middle) if reached else (middle, high)
        return math.exp(-high)

    def ends(self, level: float) -> tuple[float, float]:
        """The interval, to both sides of zero."""
        unit = float(self.matrix.sum()) / self.units
        reach = self.reach(float(unseen(self.units, (1 - level) / 2)) * unit)
        return -reach, reach

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        return self.tail(abs(value)) if side * value < 0 else 1.0
