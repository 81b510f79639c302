"""The tests of a difference of two models: by t, by draws, or none.

Each has an interval, a two-sided p-value and one-sided ones, which agree with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.ends.draws import (
    Draws,
    bca_ends,
    bca_tail,
    percentile_ends,
    percentile_tail,
    two_sided,
)
from ordeval.inference.ends.range_ends import held_one
from ordeval.inference.ends.skewed_t import Skewed, without_limit
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Method
from ordeval.inference.many_models.simultaneous import errors_of, gap_of, t_p_values
from ordeval.measures import Metric


def paired_test(metric: Metric, both: Contributions, delta: float, k: int) -> PairedTest:
    """The test of a difference; for unbounded losses it is corrected for skewness."""
    if without_limit(metric):
        return Skewed.of(both.gap)
    return TTest.of(both, delta, span_of(metric, k))


def span_of(metric: Metric, k: int) -> float:
    """How far apart two values can be."""
    low, high = metric.range.at(k)
    return high - low if metric.greater_is_better is not None else max(abs(low), abs(high))


@dataclass(frozen=True)
class TTest:
    """The t test of a difference, and its interval."""

    delta: float
    gap: float  # with the pseudo-unit
    error: float
    freedom: float
    span: float
    undefined: ClassVar[float] = 0.0

    @classmethod
    def of(cls, both: Contributions, delta: float, span: float) -> TTest:
        """The test of the difference of the first two values."""
        gap, error = float(gap_of(*both.centre)), float(errors_of(both.covariance)[0, 1])
        return cls(delta, gap, error, both.freedom, span)

    @property
    def two_sided(self) -> float:
        """The p-value of being zero."""
        return float(t_p_values(self.gap, self.error, self.freedom))

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        return float(t_p_values(side * (self.gap - value), self.error, self.freedom, sided=1))

    def ends(self, level: float) -> tuple[float, float]:
        """The interval."""
        from scipy.special import stdtrit

        reach = stdtrit(self.freedom, 1 - (1 - level) / 2) * self.error
        made = self.gap - reach, self.gap + reach
        return held_one(made, self.delta, (-self.span, self.span))


@dataclass(frozen=True)
class NoTest:
    """What is left of a test if a value is infinite."""

    undefined: ClassVar[float] = 0.0
    two_sided: ClassVar[float] = np.nan

    def beyond(self, value: float, side: int) -> float:
        """No p-value."""
        return np.nan

    def ends(self, level: float) -> tuple[float, float]:
        """No interval."""
        return np.nan, np.nan


@dataclass(frozen=True)
class DrawnTest:
    """The interval of draws of a difference, and the tail at which it reaches a value."""

    drawn: Draws
    delta: float
    parts: Floats | None  # what units contribute to it, for BCa
    count: Floats

    @classmethod
    def of(
        cls,
        metric: Metric,
        pair: tuple[int, int],
        both: Contributions,
        method: Method,
        values: Floats,
    ) -> DrawnTest:
        """The test of the difference of a pair, from the values (n, M) of all draws."""
        of_two_sides = metric.greater_is_better is None
        compared = -np.asarray(metric.utility(values)) if of_two_sides else values
        drawn = Draws.of(compared[:, pair[0]] - compared[:, pair[1]])
        parts = both.parts[:, 0] - both.parts[:, 1] if method == "bca" else None
        return cls(drawn, float(both.values[0] - both.values[1]), parts, both.count)

    @property
    def undefined(self) -> float:
        """The share of draws in which the difference has no value."""
        return self.drawn.undefined_share

    @property
    def two_sided(self) -> float:
        """The p-value of being zero."""
        return two_sided(self.beyond(0.0, 1))

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        if self.parts is None:
            tail = percentile_tail(self.drawn, value)
        else:
            tail = bca_tail(self.drawn, self.delta, self.parts, self.count, value)
        return tail if side == 1 else 1 - tail

    def ends(self, level: float) -> tuple[float, float]:
        """The interval."""
        if self.parts is None:
            return percentile_ends(self.drawn, level)
        return bca_ends(self.drawn, self.delta, self.parts, self.count, level)


PairedTest = Unseen | Skewed | TTest | DrawnTest | NoTest
