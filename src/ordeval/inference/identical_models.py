"""Bounds on the difference of two models that agree on every item of a sample.

Nothing varies, so that no covariance helps. As at the end of a range, a disagreement whose chance
is so small that it may have gone unseen cannot be excluded: the difference is at most what that
many items would make of it, if one model were right on them and the other wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.cell_influence import cells_of, changed, pseudo_items
from ordeval.inference.ends.range_ends import unseen
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance

_HALVINGS: Final = 40


@dataclass(frozen=True, eq=False)
class Unseen:
    """The largest number of unseen items, given the numbers of independent units and items."""

    reach: Callable[[float], float]  # how far apart items that one model alone gets right bring two
    units: float
    items: float
    seen: int = 0  # units on which they do disagree
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
        return self.reach(float(unseen(self.units, tail, self.seen)) * self.items / self.units)

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


def worst(metric: Metric, sample: Sample, pair: tuple[int, int], seen: int) -> Unseen:
    """The difference of two models that disagree on a few units, at most."""
    return replace(with_matrix(metric, sample.matrices[pair[0]], sample.known), seen=seen)


def evenness(metric: Metric, sample: Sample, pair: tuple[int, int]) -> float:
    """How evenly disagreements are expected to carry the difference of two models."""
    matrix = sample.matrices[[pair[0]]]
    return float(evenness_of(cells_of(metric.values, matrix).table, matrix.sum(axis=-1))[0])


def evenness_of(table: Floats, classes: Floats) -> Floats:
    """The share (D,) of disagreements that would say as much if all were of one size.

    Each class is expected to have its share of them: in a sample, the few items of a class with a
    large influence may happen to have none. ``table`` (D, K, K) holds the influence of an item of
    each cell, and ``classes`` (D, K) the items of each true class.
    """
    k = table.shape[-1]
    missed = pseudo_items(np.eye(k)[None])[0] * (1 - np.eye(k))
    right = np.diagonal(table, axis1=-2, axis2=-1)[..., None]
    steps = ((right - table) ** 2 * missed).sum(axis=-1)
    size = steps / np.maximum(missed.sum(axis=-1), 1e-300)
    second, fourth = ((classes * size**power).sum(axis=-1) for power in (1, 2))
    total = np.maximum(classes.sum(axis=-1), 1e-300) * fourth
    return np.asarray(np.where(total > 0, second**2 / np.where(total > 0, total, 1.0), 0.0))


def with_matrix(metric: Metric, matrix: Floats, units: float) -> Unseen:
    """Return the interval of two models that share a matrix (K, K), from a number of units."""

    def reach(amount: float) -> float:
        return float(apart(metric, matrix[None], np.array([amount]))[0])

    return Unseen(reach, units, float(matrix.sum()))


def apart(metric: Metric, matrices: Floats, amounts: Floats) -> Floats:
    """The difference (D,) of two models if one alone is right on a number of items."""
    d, k, _ = matrices.shape
    near = (pseudo_items(matrices) > 0) & (distance(k) <= 4)
    change = np.where(near, amounts[:, None, None], 0.0).reshape(d, -1)
    flat = matrices.astype(np.float64).reshape(d, -1)
    found = changed(metric.values, flat, change).reshape(d, k, k)
    found = np.abs(found) if metric.greater_is_better is None else found
    there = near & ~np.isnan(found)
    most = np.where(there, found, -np.inf).max(axis=-1)
    least = np.where(there, found, np.inf).min(axis=-1)
    spans = np.where(there.any(axis=-1), most - np.where(np.isinf(least), 0.0, least), 0.0)
    return np.asarray(spans.max(axis=-1, initial=0.0))
