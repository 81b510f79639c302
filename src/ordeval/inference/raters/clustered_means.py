"""Means over clustered items: standard errors and intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ordeval._shared.types import Integers
from ordeval.inference.intervals import Interval


class ClusteredMean(NamedTuple):
    """A ratio of sums over items, with its standard error."""

    value: float
    error: float  # NaN of one unit, of which nothing can be said
    units: int  # that hold some of it


def mean_of(sums: Any, size: Any, unit: Integers) -> ClusteredMean:
    """The ratio of sums over items, which units hold whole.

    With a unit for each item and sizes of one, that is the plain mean with its standard error.
    """
    sums, size = np.asarray(sums, dtype=np.float64), np.asarray(size, dtype=np.float64)
    total = float(size.sum())
    value = float(sums.sum()) / total
    parts = np.bincount(unit, (sums - value * size) / total)
    units = int((np.bincount(unit, size) > 0).sum())
    if units < 2:
        return ClusteredMean(value, np.nan, units)
    return ClusteredMean(value, float((units / (units - 1) * (parts**2).sum()) ** 0.5), units)


def mean_interval(sums: Any, size: Any, unit: Integers, shown: Interval) -> Interval:
    """The interval of such a ratio; ``shown`` says all but its numbers."""
    from scipy.special import stdtrit

    found = mean_of(sums, size, unit)
    if found.units < 2:
        return replace(shown, estimate=found.value)
    reach = float(stdtrit(found.units - 1, 1 - (1 - shown.level) / 2)) * found.error
    return replace(shown, estimate=found.value, low=found.value - reach, high=found.value + reach)
