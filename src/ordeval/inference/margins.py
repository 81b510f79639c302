"""Is a model worse than another by less than a margin? The score test of that, for any measure.

The variance that counts is that of a model which is worse by exactly the margin: contributions are
tilted until their mean is minus the margin, as Tango (1998) does for shares. The observed variance
would be too small if the models happened to agree, and false claims too frequent. With fewer than
about eight disagreements that carry the difference no variance is known well enough. Then only the
worst effect of the disagreements that may have gone unseen decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import plural
from ordeval._shared.types import Floats
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import differing, evenness, worst
from ordeval.inference.paired_tests import TTest
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

EFFECTIVE: Final = 8.0  # discordant units of equal size, from which on the test keeps its level
DISCORDANT: Final = 40  # discordant units of any size, likewise
_FEW: Final = 20  # discordant units, below which their number is the reason
_STEPS: Final = 60  # of a root, mostly fewer than ten


@dataclass(frozen=True, eq=False)
class MarginTests:
    """How much worse the first of two models may be, in each of D samples."""

    gain: Floats  # (D,), of the first model
    each: Floats  # (D, U), what units add to the gain; their mean is the gain
    count: Floats  # (D, U), how many units are alike
    freedom: Floats  # (D,)
    discordant: Floats  # (D,), units on which the models differ
    seen: Floats  # (D,), units of equal size that would carry the difference as surely
    even: Floats  # (D,), the share of discordant units that are expected to be as sure

    @classmethod
    def of(
        cls, gain: Floats, each: Floats, count: Floats, differ: NDArray[np.bool_], even: Floats
    ) -> MarginTests:
        """The tests, with one more adverse and one more favourable unit than were seen.

        These two are as large as the units that carry the difference: of a mean over classes, as
        large as a disagreement in a rare class.
        """
        there = np.where(differ, count, 0.0)
        number, second, fourth = ((there * each**p).sum(axis=1) for p in (0, 2, 4))
        seen = np.where(fourth > 0, second**2 / np.where(fourth > 0, fourth, 1.0), 0.0)
        size = np.sqrt(second / np.maximum(np.minimum(seen, number * even), 1.0))
        return cls(
            gain=gain,
            each=np.concatenate([each, np.stack([size, -size], axis=1)], axis=1),
            count=np.concatenate([count, np.ones((len(count), 2))], axis=1),
            freedom=np.maximum(count.sum(axis=1) - 1.0, 1.0),
            discordant=number,
            seen=seen,
            even=even,
        )

    @property
    def effective(self) -> Floats:
        """How many units of equal size carry the difference, as seen or as expected (D,)."""
        return np.minimum(self.seen, self.discordant * self.even)

    @property
    def carried(self) -> NDArray[np.bool_]:
        """Where enough units carry the difference (D,)."""
        return np.asarray((self.effective >= EFFECTIVE) | (self.discordant >= DISCORDANT))

    @property
    def reversed(self) -> MarginTests:
        """The tests of how much better the first model may be."""
        return replace(self, gain=-self.gain, each=-self.each)

    def ratios(self, margin: float) -> Floats:
        """How many standard errors the gains (D,) lie above minus the margin, if that is true."""
        least = self.each.min(axis=1)
        tilt = self._tilt(-margin)
        found = self._ratios(tilt)
        # Not even units that are all as adverse as the worst would reach the margin.
        found = np.where(least >= -margin, np.inf, found)
        return np.where(self.gain <= -margin, np.minimum(found, 0.0), found)

    def p_values(self, margin: float) -> Floats:
        """P-values (D,) of the first model being worse by the margin or more."""
        from scipy.special import stdtr

        below = self.gain <= -margin
        return np.where(below, 1.0, stdtr(self.freedom, -np.maximum(self.ratios(margin), 0.0)))

    def bound(self, tail: float) -> float:
        """The least gain that a test at this level does not exclude, of one sample."""
        if not self.each.any():  # they differ, and the measure does not see it
            return float(self.gain[0])
        from scipy.optimize import brentq
        from scipy.special import stdtrit

        wanted = float(stdtrit(self.freedom[0], 1 - tail))
        steepest = float(self._steepest[0])
        tilt = brentq(lambda x: wanted - self._ratios(np.array([x]))[0], -steepest, 0.0)
        return float(self._tilted(np.array([tilt]))[0][0])

    @property
    def _steepest(self) -> Floats:
        largest = np.abs(self.each).max(axis=1)
        return 700.0 / np.where(largest > 0, largest, 1.0)

    def _ratios(self, tilt: Floats) -> Floats:
        mean, variance = self._tilted(tilt)
        error = np.sqrt(variance / (self.count.sum(axis=1) - 2.0))
        return np.where(error > 0, (self.gain - mean) / np.where(error > 0, error, 1.0), 1e300)

    def _tilt(self, wanted: float) -> Floats:
        """The tilts (D,) at which the weighted means are as wanted: Newton steps in a bracket."""
        low, high = -self._steepest, np.zeros(len(self.gain))
        tilt = np.zeros(len(self.gain))
        close = 1e-12 * np.abs(self.each).max(axis=1, initial=1e-300)
        for _ in range(_STEPS):
            mean, variance = self._tilted(tilt)
            above = mean > wanted
            low, high = np.where(above, low, tilt), np.where(above, tilt, high)
            if (np.abs(mean - wanted) <= close).all():
                break
            step = tilt - (mean - wanted) / np.where(variance > 0, variance, np.inf)
            tilt = np.where((step > low) & (step < high), step, (low + high) / 2)
        return tilt

    def _tilted(self, tilt: Floats) -> tuple[Floats, Floats]:
        """Means and variances (D,) of the contributions under weights that favour the adverse."""
        exponent = tilt[:, None] * self.each
        weight = self.count * np.exp(exponent - exponent.max(axis=1, keepdims=True))
        weight = weight / weight.sum(axis=1, keepdims=True)
        mean = (weight * self.each).sum(axis=1)
        return mean, (weight * (self.each - mean[:, None]) ** 2).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Limit:
    """The margin test of one sample, and what decides if too few units carry the difference."""

    tests: MarginTests
    worst: Unseen | None = None

    @property
    def carried(self) -> bool:
        """Whether enough units carry the difference."""
        return bool(self.tests.carried[0])

    def p_value(self, margin: float) -> float:
        """The p-value of the first model being worse by the margin or more."""
        if self.carried:
            return float(self.tests.p_values(margin)[0])
        return 1.0 if self.worst is None else self.worst.tail(margin)

    def bound(self, tail: float) -> float:
        """The least gain that a test at this level does not exclude; NaN if too few units tell."""
        return self.tests.bound(tail) if self.carried else np.nan


def limit_of(
    metric: Metric, sample: Sample, pair: tuple[int, int], both: Contributions
) -> Limit | None:
    """The margin test of the first of two models; None if only sums are known of items."""
    differ = differing(metric, sample, pair)
    if differ is None or len(differ) != len(both.parts):
        return None
    sign = 1 if metric.greater_is_better else -1
    gain = sign * (both.values[:1] - both.values[1:2])
    each = gain + sign * both.units * (both.parts[:, 0] - both.parts[:, 1])
    even = np.array([evenness(metric, sample, pair)])
    tests = MarginTests.of(gain, each[None], both.count[None], differ[None], even)
    if tests.carried[0]:
        return Limit(tests)
    return Limit(tests, worst(metric, sample, pair, round(float(tests.discordant[0]))))


@dataclass(frozen=True)
class WithinMargin:
    """The t test of a difference that keeps its level at a margin too; its interval agrees.

    A difference that is significant is beyond every margin. So the interval excludes zero exactly
    when the t test is significant, and what it excludes beyond zero must pass the margin test too.
    """

    test: TTest
    limit: Limit
    sign: int
    undefined: ClassVar[float] = 0.0

    @property
    def two_sided(self) -> float:
        """The p-value of being zero."""
        return self.test.two_sided

    def too_few(self, unit: str) -> str:
        """Why no margin is shown, if too few units carry the difference."""
        if self.limit.carried:
            return ""
        number = round(float(self.limit.tests.discordant[0]))
        if number < _FEW:
            return f"the models differ on only {plural(number, unit)}"
        return f"few of the {number} {unit}s on which the models differ carry the difference"

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        p = self.test.beyond(value, side)
        if side * value >= 0:
            return p
        tests = self.limit if side == self.sign else replace(self.limit, tests=self._reversed)
        return max(p, min(tests.p_value(-side * value), self.test.beyond(0.0, side)))

    def ends(self, level: float) -> tuple[float, float]:
        """The interval: its ends lie where the test of that value does."""
        low, high = self.test.ends(level)
        tail = (1 - level) / 2
        bounds = self.limit.bound(tail), -replace(self.limit, tests=self._reversed).bound(tail)
        least, most = sorted(self.sign * b for b in bounds)
        if not low > 0:
            low = float(np.fmin(low, least))
        if not high < 0:
            high = float(np.fmax(high, most))
        return low, high

    @property
    def _reversed(self) -> MarginTests:
        return self.limit.tests.reversed


def within_margin(test: TTest, limit: Limit | None, metric: Metric) -> TTest | WithinMargin:
    """The test with its limit, if there is one."""
    if limit is None:
        return test
    return WithinMargin(test, limit, 1 if metric.greater_is_better else -1)
