"""The tests of a difference of two models: by t, by draws, or none.

Each has an interval, a two-sided p-value and one-sided ones, which agree with each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

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

_LEAST: Final = 1e-15  # a tail that is as good as none


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
class Errors:
    """How sure a difference is: its standard error and degrees of freedom."""

    size: float
    freedom: float

    def reach(self, tail: float) -> float:
        """The distance from the difference that leaves this probability in one tail."""
        from scipy.special import stdtrit

        return -float(stdtrit(self.freedom, tail)) * self.size

    def tail(self, distance: float) -> float:
        """How much a value at this distance leaves in one tail."""
        return float(t_p_values(distance, self.size, self.freedom, sided=1))


def errors_at(gap: Any, near: Any, by_t: Any, own: Any) -> tuple[Floats, Floats]:
    """The standard errors at a difference and beyond it, on the side away from zero.

    ``near`` is the error at zero and ``by_t`` that of equally good models, whose answers may be
    exchanged. Models that are clearly not equally good differ by what units contribute (``own``),
    which may vary much less: one of them may always give the same label.
    """
    clear = np.clip(np.abs(gap) / np.where(by_t > 0, by_t, 1.0) / 2 - 1, 0.0, 1.0)
    there, beyond = np.maximum(by_t, near), np.maximum(by_t, own)
    return (
        there - clear * np.maximum(there - own, 0.0),
        beyond - clear * (beyond - own),
    )


@dataclass(frozen=True)
class TTest:
    """The t test of a difference, and its interval.

    Between zero and the difference errors are those of models that are equally good, which decide
    whether they are. Beyond, they are at least as large as the pseudo-unit says, and know if the
    few units of a class decide: there may be errors that the sample happens to lack. Where few
    disagreements make the test of zero exact, errors change from it to that of the t test. Where
    the difference is clear, they change to what units contribute.
    """

    delta: float
    gap: float  # with the pseudo-unit
    near: Errors
    beyond_it: Errors
    span: float
    grows: float = 0.0  # by how much the error changes between zero and the difference
    undefined: ClassVar[float] = 0.0

    @classmethod
    def of(cls, both: Contributions, delta: float, span: float) -> TTest:
        """The test of the difference of the first two values."""
        near, gap = Errors(float(both.apart[0, 1]), both.freedom), float(gap_of(*both.centre))
        own = errors_of(both.covariance)[0, 1]
        there, far = (float(x) for x in errors_at(gap, near.size, both.by_t[0, 1], own))
        beyond = Errors(far, both.freedom_of_few)
        return cls(delta, gap, near, beyond, span, grows=there - near.size)

    @property
    def two_sided(self) -> float:
        """The p-value of being zero."""
        return float(t_p_values(self.gap, self.near.size, self.near.freedom))

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        if np.isnan(self.gap + self.near.size + self.beyond_it.size):
            return np.nan
        side_of_value = 1 if value > self.gap else -1
        tail = self._tail(abs(value - self.gap), side_of_value)
        return tail if side_of_value == -side else 1 - tail

    def ends(self, level: float) -> tuple[float, float]:
        """The interval."""
        tail = (1 - level) / 2
        made = self.gap - self._reach(tail, -1), self.gap + self._reach(tail, 1)
        return held_one(made, self.delta, (-self.span, self.span))

    def _toward_zero(self, side: int) -> float:
        """How far zero is on this side of the difference."""
        return abs(self.gap) if side * self.gap < 0 else 0.0

    def _reach(self, tail: float, side: int) -> float:
        zero, near = self._toward_zero(side), self.near.reach(tail)
        if near <= zero and zero > 0:
            more = self.grows * near / self.near.size / zero if self.grows else 0.0
            return zero - (zero - near) / (1 + more)
        left = 1 - zero / near if near > 0 else 1.0
        return zero + left * self.beyond_it.reach(tail)

    def _tail(self, distance: float, side: int) -> float:
        """How much a value at this distance leaves in one tail: where the interval reaches it."""
        zero = self._toward_zero(side)
        if distance <= zero:
            grown = self.grows * (1 - distance / zero) if zero else 0.0
            return replace(self.near, size=self.near.size + grown).tail(distance)
        if not zero:
            return self.beyond_it.tail(distance)
        from scipy.optimize import brentq

        least = math.log(_LEAST)
        if self._reach(_LEAST, side) <= distance:
            return 0.0
        found = brentq(lambda x: self._reach(math.exp(x), side) - distance, least, math.log(0.5))
        return math.exp(found)


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
