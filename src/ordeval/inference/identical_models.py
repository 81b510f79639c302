"""Two models that agree on every item of a sample: what that says of how they differ.

Nothing varies, so that no covariance helps. As at the end of a range, a disagreement whose chance
is so small that it may have gone unseen cannot be excluded: the difference is at most what that
many items would make of it, if one model were right on them and the other wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.cell_influence import changed, pseudo_items
from ordeval.inference.ends.range_ends import unseen
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance

_HALVINGS: Final = 40


@dataclass(frozen=True, eq=False)
class Unseen:
    """What goes unseen in so many independent units, which hold so many items."""

    reach: Callable[[float], float]  # how far apart items that one model alone gets right bring two
    units: float
    items: float
    undefined: ClassVar[float] = 0.0
    two_sided: ClassVar[float] = 1.0

    def tail(self, difference: float) -> float:
        """The tail at which the interval reaches a difference: how likely it was to go unseen."""
        low, high = 0.0, -math.log(1e-12)  # of the logarithm of the tail
        if self._reach_at(math.exp(-high)) < difference:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            reached = self._reach_at(math.exp(-middle)) >= difference
            low, high = (low, middle) if reached else (middle, high)
        return math.exp(-high)

    def ends(self, level: float) -> tuple[float, float]:
        """The interval, to both sides of zero."""
        reach = self._reach_at((1 - level) / 2)
        return -reach, reach

    def _reach_at(self, tail: float) -> float:
        return self.reach(float(unseen(self.units, tail)) * self.items / self.units)

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        return self.tail(abs(value)) if side * value < 0 else 1.0


def alike(outputs: object, pair: tuple[int, int]) -> bool:
    """Whether two models have the same outputs (U, M, ...)."""
    given = np.asarray(outputs)
    return bool((given[:, pair[0]] == given[:, pair[1]]).all())


def agreed(metric: Metric, sample: Sample, pair: tuple[int, int]) -> Unseen | None:
    """What two models that predict the same label for every item differ by at most."""
    if not alike(sample.predictions, pair):
        return None
    return with_matrix(metric, sample.matrices[pair[0]], sample.known)


def with_matrix(metric: Metric, matrix: Floats, units: float) -> Unseen:
    """The same of two models that have this matrix (K, K), from so many independent units."""
    return Unseen(partial(_apart, metric, matrix), units, float(matrix.sum()))


def _apart(metric: Metric, matrix: Floats, amount: float) -> float:
    """How far apart so many items that one model alone gets right would bring the two."""
    matrix = matrix.astype(np.float64)
    k = len(matrix)
    near = (pseudo_items(matrix[None])[0] > 0) & (distance(k) <= 4)
    change = np.where(near, amount, 0.0).reshape(1, -1)
    found = changed(metric.values, matrix.reshape(1, -1), change).reshape(k, k)
    found = np.abs(found) if metric.greater_is_better is None else found
    there = near.any(axis=-1) & ~np.isnan(found).all(axis=-1)
    spans = np.nanmax(found[there], axis=-1) - np.nanmin(found[there], axis=-1)
    return float(spans.max(initial=0.0))
