"""A t test corrected for the skewness of contributions (Hall 1992).

Losses without a limit, and gaps of agreements, are skewed: the few units that lose much widen the
interval when they are there, and leave it too short on their side when they are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ordeval.inference.ends.range_ends import held_one
from ordeval.inference.influence import Contributions
from ordeval.measures import Metric


def without_limit(metric: Metric) -> bool:
    """Whether a measure of probabilities is a mean of losses that may be as large as they like."""
    return metric.needs == "probabilities" and not np.isfinite(metric.range.at(2)[1])


@dataclass(frozen=True)
class Skewed:
    """A t test of one value, or of a difference, and its interval.

    A judge who happens to look good on some items is also sure of it: errors far off are rare, and
    widen the interval when they are there. The plain t test of a gap would find every judge too
    good in about 5% of data sets, and too bad in 1%, where both should be 2.5%.
    """

    undefined: ClassVar[float] = 0.0

    value: float
    centre: float
    error: float
    freedom: float
    skewness: float

    @classmethod
    def of(cls, found: Contributions) -> Skewed:
        """The test of the first of some values."""
        error = float(found.errors[0])
        third = float(found.count @ found.parts[:, 0] ** 3)
        skewness = third / error**3 if error > 0 else 0.0
        freedom = float(found.own_freedom[0])
        return cls(float(found.values[0]), float(found.centre[0]), error, freedom, skewness)

    @property
    def two_sided(self) -> float:
        """The p-value of being zero."""
        return float(min(1.0, 2 * min(self.beyond(0.0, 1), self.beyond(0.0, -1))))

    def beyond(self, value: float, side: float) -> float:
        """The p-value of being no greater (side 1) or no less (-1) than a value."""
        from scipy.special import stdtr

        if not self.error > 0:
            return np.nan
        s, t = self.skewness, (self.centre - value) / self.error
        return float(stdtr(self.freedom, -side * (t + s / 3 * t**2 + s**2 / 27 * t**3 + s / 6)))

    def ends(self, level: float) -> tuple[float, float]:
        """The interval: the values that neither side excludes."""
        from scipy.special import stdtrit

        t = float(stdtrit(self.freedom, 1 - (1 - level) / 2))
        low, high = (self.centre - self._turned(x) * self.error for x in (t, -t))
        return held_one((low, high), self.value)

    def _turned(self, t: float) -> float:
        """The difference over its error that counts as much as t does without skewness."""
        s = self.skewness
        if abs(s) < 1e-6:
            return t - s / 6
        return float(3 / s * (np.cbrt(1 + s * (t - s / 6)) - 1))
