"""Few human labels, corrected with the labels of a proxy for all items.

Three values are found: f(H, P) of the human labels, and f(J, P) of the proxy's on the same items
and on the others. The last two estimate the same thing, so their difference tells by how much the
labelled items happen to lie off, and ``lam`` of it is taken back:

    theta = f(H, P; labelled) + lam [f(J, P; others) - f(J, P; labelled)]

What units contribute to the three has one covariance, and ``lam`` is what makes the variance of
theta least (Angelopoulos, Duchi & Zrnic 2023). Nothing is drawn. Where the proxy teaches nothing
``lam`` is zero, and the human labels stand alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import freedom_of
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.ends.range_ends import held_one
from ordeval.inference.ends.t_intervals import Alone
from ordeval.inference.raters.pairwise_influence import Pairings
from ordeval.measures import Metric, Range, Reference

_FLAT: Final = 1e-24  # a variance below this comes from rounding: nothing varies


@dataclass(frozen=True, eq=False)
class Judged:
    """Items that a proxy has labelled, some of which have a human label too."""

    truth: Integers  # (N,), positions on the scale; negative: no human label
    proxy: Integers  # (N,)
    k: int
    cluster: Integers | None = None  # (N,), numbers from 0 without a gap

    @cached_property
    def labelled(self) -> NDArray[np.bool_]:
        """Which items have a human label (N,)."""
        return np.asarray(self.truth >= 0)

    @cached_property
    def unit(self) -> Integers:
        """The independent unit of each item (N,)."""
        return np.arange(len(self.truth)) if self.cluster is None else self.cluster

    @cached_property
    def labelled_units(self) -> NDArray[np.bool_]:
        """Which units have items with a human label (U,)."""
        return np.bincount(self.unit, self.labelled) > 0

    @property
    def why_not(self) -> str:
        """Why the proxy cannot correct anything; empty if it can."""
        if self.labelled.all():
            return (
                "every item has a human label: there is nothing to correct, and this is the plain "
                "interval"
            )
        others = np.bincount(self.unit, ~self.labelled) > 0
        if others.sum() < 2:
            return "fewer than two independent items lack a human label, too few to correct by"
        return ""

    def parts_of(self, codes: Integers) -> tuple[Integers, Integers]:
        """A column on the labelled items and on the others; negative elsewhere."""
        return np.where(self.labelled, codes, -1), np.where(self.labelled, -1, codes)


@dataclass(frozen=True, eq=False)
class Three:
    """The values of the human labels, of the proxy on the same items, and of it on the others."""

    values: Floats  # (3,), of the data as they are
    centre: Floats  # (3,), with the pseudo-units
    parts: Floats  # (U, 3), what each unit contributes
    pseudo: Floats  # (3,), the variance that the pseudo-unit of each value adds
    bias: Floats  # (3,), how much too large the centres are on average
    labelled: NDArray[np.bool_]  # (U,), units with human labels

    @cached_property
    def _strata(self) -> list[NDArray[np.bool_]]:
        """Units with and without human labels; how many there are of each is given."""
        return [rows for rows in (self.labelled, ~self.labelled) if rows.any()]

    @cached_property
    def _apart(self) -> Floats:
        """The contributions (U, 3) without the mean of their stratum."""
        apart = self.parts.copy()
        for rows in self._strata:
            apart[rows] -= apart[rows].mean(axis=0)
        return apart

    @cached_property
    def _factor(self) -> Floats:
        """What squares are multiplied by (U,), for the mean that was taken off."""
        factor = np.ones(len(self.parts))
        for rows in self._strata:
            units = int(rows.sum())
            # One unit alone does not tell how much units vary.
            factor[rows] = units / (units - 1) if units > 1 else 1.0
        return factor

    @cached_property
    def covariance(self) -> Floats:
        """The covariance (3, 3) of the values, without that of the pseudo-units."""
        return np.asarray((self._apart * self._factor[:, None]).T @ self._apart)

    @cached_property
    def lam(self) -> float:
        """How much of what the proxy says is believed."""
        c = self.covariance
        shared, spread = c[0, 1] - c[0, 2], c[1, 1] + c[2, 2] - 2 * c[1, 2]
        flat = _FLAT * max(1.0, float(np.abs(self.values).max()) ** 2)
        # NaN fails this too: without all three values there is nothing to correct by.
        return float(shared / (spread + self._damping)) if min(spread, c[0, 0]) > flat else 0.0

    @property
    def _damping(self) -> float:
        """What the pseudo-units add to the variance of the proxy's values.

        Of a proxy that hardly varies, too much would be believed by chance.
        """
        return float(self.pseudo[1] + self.pseudo[2])

    def estimate(self, lam: float) -> Alone:
        """Theta, and what its interval is made from, if so much is believed."""
        weight = np.array([1.0, -lam, lam]) if lam else np.array([1.0])
        used = len(weight)
        parts = self._left_out if lam else self._apart[:, 0]
        own = [self._stratum(parts, rows) for rows in self._strata]
        variance = sum(s.variance for s in own) + self._pseudo(lam)
        return Alone(
            values=np.array([weight @ self.values[:used]]),
            centre=np.array([weight @ self.centre[:used]]),
            errors=np.array([variance**0.5]),
            freedom=np.array([_freedom(own)]),
            bias=np.array([weight @ self.bias[:used]]),
        )

    @property
    def _left_out(self) -> Floats:
        """What each unit contributes to theta (U,), with the ``lam`` of all other units.

        One that fits the units too well would make theta seem surer than it is, most of all if a
        few of them decide.
        """
        human, proxy = self._apart[:, 0], self._apart[:, 1] - self._apart[:, 2]
        shared, spread = self._factor * human * proxy, self._factor * proxy**2
        without = (shared.sum() - shared) / (spread.sum() - spread + self._damping)
        return np.asarray(human - without * proxy)

    def _pseudo(self, lam: float) -> float:
        """The variance that the pseudo-units add.

        What the proxy says of the pseudo-unit tells nothing of its human label: one that agrees
        with all human labels of a sample need not agree with all others.
        """
        human, there, elsewhere = self.pseudo.tolist()
        return float(human + lam**2 * (there + elsewhere) if lam else human)

    def _stratum(self, parts: Floats, rows: NDArray[np.bool_]) -> _Stratum:
        """What units of one stratum add to the variance.

        Its degrees of freedom are those of the human labels alone: of a good proxy a few errors to
        both sides decide, which the t interval holds well.
        """
        own = parts[rows]
        seen = self._apart[rows, 0] if rows is self.labelled else own
        second, fourth = ((seen**p).mean() for p in (2, 4))
        freedom = freedom_of(np.asarray(second), np.asarray(fourth), float(len(own)))
        return _Stratum(float(self._factor[rows] @ own**2), float(freedom))

    def held(self, metric: Metric, k: int, level: float, lam: float) -> tuple[float, float, float]:
        """The value within its range, and its t interval on the scale of the measure's link."""
        tail, found = (1 - level) / 2, self.estimate(lam)
        low, high = alone.t_ends(metric, k, found, (tail, tail))
        least, largest = metric.range.at(k)
        value = min(max(float(found.values[0]), least), largest)
        return value, *held_one((low[0], high[0]), value, (least, largest))


def three_of_metric(metric: Metric, judged: Judged, predictions: Integers) -> Three:
    """What units contribute to a measure of predictions (N,), by the human and the judged truth."""
    there, elsewhere = judged.parts_of(judged.proxy)
    codes = np.stack([judged.truth, predictions, there, elsewhere], axis=1)
    pairs = Pairings(codes, [(0, 1), (2, 1), (3, 1)], judged.k, judged.cluster)
    found = pairs.means(metric, np.eye(3))
    return Three(
        values=pairs.values(metric),
        centre=found.centre,
        parts=found.parts,
        pseudo=np.diagonal(found.pseudo),
        bias=found.bias,
        labelled=judged.labelled_units,
    )


def three_of_numbers(numbers: Floats, judged: Judged) -> Three:
    """Return the three estimates for the mean of numbers (K,), one per level.

    The pseudo-unit is spread evenly over the different numbers: for a share, half of it counts.
    """
    columns = (judged.truth, *judged.parts_of(judged.proxy))
    even = np.unique(numbers)
    values, centre, pseudo = (np.full(3, np.nan) for _ in range(3))
    parts = np.zeros((len(judged.labelled_units), 3))
    for i, codes in enumerate(columns):
        item = np.flatnonzero(codes >= 0)
        if not len(item):
            continue
        each, unit = numbers[codes[item]], judged.unit[item]
        n = len(item)
        values[i] = each.mean()
        centre[i] = (n * values[i] + even.mean()) / (n + 1)
        pseudo[i] = ((even - centre[i]) ** 2).mean() / (n + 1) ** 2
        parts[:, i] = np.bincount(unit, (each - values[i]) / n, minlength=len(parts))
    return Three(
        values=values,
        centre=centre,
        parts=parts,
        pseudo=pseudo,
        bias=np.zeros(3),
        labelled=judged.labelled_units,
    )


def mean_of_levels(name: str, numbers: Floats) -> Metric:
    """The mean of numbers that the levels of the truth stand for, as a measure."""

    def kernel(n: Any) -> Any:
        """The mean over the items."""
        return n.sum(axis=-1) @ numbers / n.sum(axis=(-2, -1))

    return Metric(
        name=name,
        kernel=kernel,
        symbol=name,
        family="distance",
        best=0.0,
        range=Range(float(numbers.min()), float(numbers.max())),
        greater_is_better=None,
        symmetric=False,
        reversal_invariant=False,
        depends_on_empty_levels=False,
        undefined_when="there are no items",
        reference=Reference.of("a mean"),
    )


class _Stratum(NamedTuple):
    """The variance that some units add, and its degrees of freedom."""

    variance: float
    freedom: float


def _freedom(strata: list[_Stratum]) -> float:
    """Degrees of freedom of a sum of variances (Satterthwaite 1946)."""
    doubt = sum(s.variance**2 / s.freedom for s in strata)
    if doubt <= 0:
        return strata[0].freedom
    return float(sum(s.variance for s in strata) ** 2 / doubt)
