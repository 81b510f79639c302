"""Is a model worse than another by less than a margin? The score test of that, for any measure.

The variance that counts is that of a model which is worse by exactly the margin: contributions are
tilted until their mean says so, as Tango (1998) does for shares. The variance that was observed
would be too small wherever the models happened to agree, and claims too frequent. Below some eight
items that carry the difference no variance helps, for it is made of errors that went unseen: then
only what the largest share of disagreements that the data allow could do at worst decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import plural
from ordeval._shared.types import Floats
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import carried_by, differing, worst
from ordeval.inference.paired_tests import TTest
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

_EFFECTIVE: Final = 8.0  # discordant units of equal size, from which on the test keeps its level
_FEW: Final = 20  # discordant units, below which their number is the reason
_DISCORDANT: Final = 40  # discordant units of any size, likewise


@dataclass(frozen=True, eq=False)
class MarginTest:
    """Tests of how much worse the first of two models may be, by what units add to its gain."""

    gain: float
    each: Floats  # (U,), whose mean is the gain
    count: Floats  # (U,)
    discordant: int  # units on which the models differ
    effective: float  # units of equal size that would carry the difference as surely
    worst: Unseen | None = None  # decides if not: what unseen disagreements could do

    @classmethod
    def of(cls, both: Contributions, sign: int, differ: NDArray[np.bool_]) -> MarginTest:
        """The tests of two models, which ``differ`` on some units; sign -1: lower is better."""
        gain = sign * float(both.values[0] - both.values[1])
        each = gain + sign * both.units * (both.parts[:, 0] - both.parts[:, 1])
        size, count = np.abs(each[differ]), both.count[differ]
        second, fourth, number = (float(count @ size**power) for power in (2, 4, 0))
        mean = float(count @ size) / max(number, 1.0)
        return cls(
            gain=gain,
            each=np.append(each, [mean, -mean]),  # one more of each kind than was seen
            count=np.append(both.count, [1.0, 1.0]),
            discordant=round(number),
            effective=second**2 / fourth if fourth > 0 else 0.0,
        )

    @property
    def carried(self) -> bool:
        """Whether enough units carry the difference."""
        return self.effective >= _EFFECTIVE or self.discordant >= _DISCORDANT

    @property
    def reversed(self) -> MarginTest:
        """The tests of how much better it may be."""
        return replace(self, gain=-self.gain, each=-self.each)

    def p_value(self, margin: float) -> float:
        """The p-value of the first model being worse by the margin or more."""
        if not self.carried:
            return 1.0 if self.worst is None else self.worst.tail(margin)
        from scipy.optimize import brentq
        from scipy.special import stdtr

        if self.gain <= -margin:
            return 1.0
        if self.each.min() >= -margin:  # not even the worst disagreement is that bad
            return 0.0
        tilt = brentq(lambda x: self._tilted(x)[0] + margin, -self._steepest, 0.0)
        return float(stdtr(self._freedom, -self._ratio(tilt)))

    def bound(self, tail: float) -> float:
        """The least gain that a test at this level does not exclude; NaN if too few items tell."""
        if not self.carried:
            return np.nan
        if not self.each.any():  # they differ, and the measure does not see it
            return self.gain
        from scipy.optimize import brentq
        from scipy.special import stdtrit

        wanted = float(stdtrit(self._freedom, 1 - tail))
        tilt = brentq(lambda x: wanted - self._ratio(x), -self._steepest, 0.0)
        return self._tilted(tilt)[0]

    @property
    def _freedom(self) -> float:
        return max(float(self.count.sum()) - 3.0, 1.0)

    @property
    def _steepest(self) -> float:
        return 700.0 / float(np.abs(self.each).max())

    def _ratio(self, tilt: float) -> float:
        mean, variance = self._tilted(tilt)
        error = np.sqrt(variance / (self.count.sum() - 2.0))
        return float((self.gain - mean) / error) if error > 0 else 1e300

    def _tilted(self, tilt: float) -> tuple[float, float]:
        """Mean and variance of the contributions if weights favour those that say so."""
        exponent = tilt * self.each
        weight = self.count * np.exp(exponent - exponent.max())
        weight = weight / weight.sum()
        mean = float(weight @ self.each)
        return mean, float(weight @ (self.each - mean) ** 2)


def margin_test(
    metric: Metric, sample: Sample, pair: tuple[int, int], both: Contributions
) -> MarginTest | None:
    """The tests of the gain of the first of two models; None if only sums are known of items."""
    differ = differing(metric, sample, pair)
    if differ is None or len(differ) != len(both.parts):
        return None
    made = MarginTest.of(both, 1 if metric.greater_is_better else -1, differ)
    share = made.discordant / max(both.units, 1.0)
    made = replace(made, effective=min(made.effective, carried_by(metric, sample, pair, share)))
    return (
        made if made.carried else replace(made, worst=worst(metric, sample, pair, made.discordant))
    )


@dataclass(frozen=True)
class WithinMargin:
    """A test of a difference that also keeps its level at a margin; its interval agrees."""

    test: TTest
    limit: MarginTest
    sign: int
    undefined: ClassVar[float] = 0.0

    @property
    def two_sided(self) -> float:
        """The p-value of being zero."""
        return self.test.two_sided

    def too_few(self, unit: str) -> str:
        """Why no margin is shown, if too few units carry the difference."""
        number = self.limit.discordant
        if self.limit.carried:
            return ""
        if number < _FEW:
            return f"the models differ on only {plural(number, unit)}"
        return f"few of the {number} {unit}s on which the models differ carry the difference"

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        limit = self.limit if side == self.sign else self.limit.reversed
        return max(self.test.beyond(value, side), limit.p_value(-side * value))

    def ends(self, level: float) -> tuple[float, float]:
        """The interval, which reaches as far as either test."""
        low, high = self.test.ends(level)
        bounds = self.limit.bound((1 - level) / 2), -self.limit.reversed.bound((1 - level) / 2)
        least, most = sorted(self.sign * b for b in bounds)
        return float(np.fmin(low, least)), float(np.fmax(high, most))


def within_margin(test: TTest, limit: MarginTest | None, metric: Metric) -> TTest | WithinMargin:
    """The test with its limit, if there is one."""
    if limit is None:
        return test
    return WithinMargin(test, limit, 1 if metric.greater_is_better else -1)
