"""Between subgroups: how each differs from the rest, whether any do, and values drawn together.

Subgroups have different items, so their values are independent, and variances add up. The variance
in a subgroup is shrunk toward that of the others: a few items that happen to be alike would
otherwise look more certain than they are. The amount was tuned by simulation with 5 classes and
checked with others; docs/howto/subgroups.md has both, and the limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.ends.links import PLAIN, Link
from ordeval.inference.ends.range_ends import held
from ordeval.inference.ends.t_intervals import Alone
from ordeval.measures import Metric

_LENT: Final = 10  # items of the other side that are counted with one's own, if they vary more
_SHARED: Final = 50  # items of all data that are counted with a subgroup's in Welch's test
_SHARED_BY_MEANS: Final = 100  # the same of measures that are nearly means over items
_FEW: Final = 30  # values of fewer items are far from normal, and have no degrees to spare
_FLAT: Final = 1e-9  # an error below this comes from rounding: nothing varies
_HALVINGS: Final = 50


@dataclass(frozen=True, eq=False)
class Between:
    """G subgroups by one measure, each next to all others together."""

    metric: Metric
    k: int
    own: Alone  # (G,)
    rest: Alone  # (G,)
    whole: Alone  # (1,), of all data
    units: Floats  # (G,), independent ones in each subgroup
    correlation: Floats  # (G,), of a subgroup and its rest: 0 unless they share clusters
    freedom: Floats  # (G,), of subgroups far out in the tail, where the largest of many lies

    @property
    def rest_units(self) -> Floats:
        """Independent units in the rest of each subgroup."""
        return np.asarray(self.units.sum() - self.units)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Subgroups that can be compared: where nothing varies, nothing is known."""
        return _varies(self.own) & _varies(self.rest)

    @property
    def link(self) -> Link:
        """The scale of the values, if all have the same one."""
        rows = self.usable
        centre = np.concatenate([self.own.centre[rows], self.rest.centre[rows], self.whole.centre])
        found = [link for link, _ in alone.links(self.metric, self.k, centre)]
        return found[0] if len(found) == 1 else PLAIN


def _varies(found: Alone) -> NDArray[np.bool_]:
    return ~np.isnan(found.values + found.centre) & (found.errors > _FLAT)


class Differences(NamedTuple):
    """Differences (G,) of subgroups from the rest, of all subgroups at once."""

    delta: Floats
    low: Floats
    high: Floats
    p_value: Floats
    p_adjusted: Floats


def differences(b: Between, level: float) -> Differences:
    """Intervals of all differences at once (Šidák 1967), and p-values that agree with them.

    The interval of a difference is made of those of its two values, which need not be symmetric
    (Zou & Donner 2008); the p-value is the level at which it reaches zero.
    """
    from scipy.special import stdtr, stdtrit

    made = np.full((5, len(b.units)), np.nan)
    rows = b.usable
    if not rows.any():
        return Differences(*made)
    # Of two subgroups each is the rest of the other: that is one test.
    tests = 1 if len(rows) == 2 else int(rows.sum())
    pair, freedom = _pair(b, rows)
    gap = pair.centre - pair.other
    limit = stdtrit(freedom, 1 - _each(1 - level, tests) / 2)
    p = 2 * stdtr(freedom, -_factor(lambda q: pair.reach(q, np.sign(gap)), np.abs(gap)))
    delta = (b.own.values - b.rest.values)[rows]
    reached = gap - pair.reach(limit, 1.0), gap + pair.reach(limit, -1.0)
    made[:, rows] = delta, *held(reached, delta), p, _all(p, tests)
    return Differences(*made)


def _each(alpha: float, tests: int) -> float:
    """The level of each test at which all of them together have the level ``alpha``."""
    return float(-np.expm1(np.log1p(-alpha) / tests))


def _all(p: Floats, tests: int) -> Floats:
    """P-values corrected for all tests."""
    return np.asarray(-np.expm1(tests * np.log1p(-np.minimum(p, 1 - 1e-16))))


class _Pair(NamedTuple):
    """Values and those of the rest, with their errors on the scale of the link."""

    link: Link
    centre: Floats
    error: Floats
    other: Floats
    other_error: Floats
    correlation: Floats

    def reach(self, factor: Floats, side: Floats | float) -> Floats:
        """How far the interval of the difference reaches, down (side 1) or up (side -1)."""
        mine = _moved(self.link, self.centre, -side * factor * self.error)
        theirs = _moved(self.link, self.other, side * factor * self.other_error)
        squared = mine**2 + theirs**2 - 2 * self.correlation * mine * theirs
        return np.sqrt(np.maximum(squared, 0.0))


def _moved(link: Link, centre: Floats, by: Floats) -> Floats:
    with np.errstate(over="ignore"):  # without an upper end, infinity is far enough
        return np.asarray(np.abs(link.back(link.there(centre) + by) - centre))


def _pair(b: Between, rows: NDArray[np.bool_]) -> tuple[_Pair, Floats]:
    """The values that are compared, and the degrees of freedom of their differences."""
    link, n, others = b.link, b.units[rows], b.rest_units[rows]
    centre, other = b.own.centre[rows], b.rest.centre[rows]
    mine = (b.own.errors[rows] * link.slope(centre)) ** 2
    theirs = (b.rest.errors[rows] * link.slope(other)) ** 2
    mine, theirs = _lent(mine, n, theirs * others), _lent(theirs, others, mine * n)
    spread = mine**2 / b.freedom[rows] + theirs**2 / b.rest.freedom[rows]
    pair = _Pair(
        link=link,
        centre=centre,
        error=np.sqrt(mine),
        other=other,
        other_error=np.sqrt(theirs),
        correlation=b.correlation[rows],
    )
    return pair, (mine + theirs) ** 2 / spread


def _lent(variance: Floats, units: Floats, unit: Floats) -> Floats:
    """Variances that count some units which vary as those of the other side do, if more."""
    mixed = (units * variance + _LENT * unit / units) / (units + _LENT)
    return np.maximum(variance, mixed)


def _factor(reach: Callable[[Floats], Floats], wanted: Floats) -> Floats:
    """The factor by which errors are multiplied so that an interval reaches as far as wanted."""
    low, high = np.zeros_like(wanted), np.ones_like(wanted)
    while (short := reach(high) < wanted).any():
        high = np.where(short, 2 * high, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        short = reach(middle) < wanted
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return (low + high) / 2


class Heterogeneity(NamedTuple):
    """The test of whether all subgroups have the same value: chi-squared, or Welch's."""

    statistic: float
    df: tuple[float, float]
    p_value: float
    subgroups: int  # that were tested

    @property
    def test(self) -> str:
        """The name of the test."""
        return "Welch's test" if np.isfinite(self.df[1]) else "chi-squared test"


UNTESTED: Final = Heterogeneity(np.nan, (np.nan, np.nan), np.nan, 0)


def heterogeneity(b: Between) -> Heterogeneity:
    """Whether the subgroups differ at all; the test assumes that they are independent.

    Means over items, such as accuracy, vary in small subgroups as they do in all data together:
    that is the chi-squared test of a table. Of other measures, Welch's test counts the variance in
    each subgroup, and little of it if the measure is nearly a mean, as closeness is.
    """
    rows = b.usable
    if rows.sum() < 2:
        return UNTESTED
    if is_mean(b.metric, b.k):
        whole = b.whole.errors**2 * b.units.sum()
        return chi_squared(b.own.values[rows], whole / b.units[rows])
    nearly = b.metric.family == "closeness"
    shared = _SHARED_BY_MEANS if nearly else _SHARED
    n, freedom = b.units[rows], b.own.freedom[rows]
    mine = n / (n + shared) * b.own.errors[rows] ** 2
    theirs = shared / (n + shared) * b.whole.errors**2 * b.units.sum() / n
    both = (mine + theirs) ** 2 / (mine**2 / freedom + theirs**2 / b.whole.freedom)
    if nearly:
        return welch(b.own.values[rows], mine + theirs, both)
    return welch(b.own.centre[rows], mine + theirs, np.where(n < _FEW, freedom, both))


class Gaps(NamedTuple):
    """Differences of two models in G subgroups."""

    values: Floats
    errors: Floats
    freedom: Floats
    units: Floats  # independent ones in each subgroup


def variation(metric: Metric, k: int, gaps: Gaps) -> Heterogeneity:
    """Whether the difference of two models varies between independent subgroups.

    Models that disagree on a few items of a subgroup say little about their variance there, so that
    it is shrunk toward the mean variance of an item, or is that mean.
    """
    rows = np.isfinite(gaps.values + gaps.errors) & (gaps.units > 1)
    values, errors, freedom, n = (x[rows] for x in gaps)
    item = float(n**2 @ errors**2 / n.sum()) if rows.any() else 0.0
    if rows.sum() < 2 or not item > 0:
        return UNTESTED
    if is_mean(metric, k):
        return chi_squared(values, item / n)
    mine = n / (n + _SHARED_BY_MEANS) * errors**2
    theirs = _SHARED_BY_MEANS / (n + _SHARED_BY_MEANS) * item / n
    both = (mine + theirs) ** 2 / (mine**2 / freedom + theirs**2 / freedom.sum())
    return welch(values, mine + theirs, both)


@lru_cache(maxsize=256)
def is_mean(metric: Metric, k: int) -> bool:
    """Whether a measure of labels is a mean over items."""
    if metric.needs != "labels" or metric.contributes_by(scored=True) != "cells":
        return False
    each = np.asarray(metric.values(np.eye(k * k).reshape(-1, k, k)), dtype=np.float64)
    counts = np.arange(1.0, k * k + 1)
    both = float(metric.values(counts.reshape(k, k)))
    return bool(np.isclose(each @ counts / counts.sum(), both, rtol=1e-9))


def chi_squared(values: Floats, variances: Floats) -> Heterogeneity:
    """The chi-squared test of equal values whose variances are known.

    >>> found = chi_squared(np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.5, 1.0]))
    >>> round(found.statistic, 3), round(found.p_value, 3)
    (6.0, 0.05)
    """
    from scipy.special import chdtrc

    weight = 1 / variances
    mean = weight @ values / weight.sum()
    statistic, df = float(weight @ (values - mean) ** 2), float(len(values) - 1)
    return Heterogeneity(statistic, (df, np.inf), float(chdtrc(df, statistic)), len(values))


def welch(values: Floats, variances: Floats, freedom: Floats) -> Heterogeneity:
    """Welch's test of equal values with unequal variances (Welch 1951).

    >>> found = welch(np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.5, 1.0]), np.array([9, 9, 4]))
    >>> round(found.statistic, 3), round(found.p_value, 3)
    (2.83, 0.102)
    """
    from scipy.special import fdtrc

    g, weight = len(values), 1 / variances
    total = weight.sum()
    mean = weight @ values / total
    doubt = float(((1 - weight / total) ** 2 / freedom).sum())
    scale = (g - 1) * (1 + 2 * (g - 2) / (g**2 - 1) * doubt)
    statistic = float(weight @ (values - mean) ** 2 / scale)
    df = float(g - 1), (g**2 - 1) / (3 * doubt)
    return Heterogeneity(statistic, df, float(fdtrc(*df, statistic)), g)


def shrunken(b: Between) -> Floats:
    """Values (G,) shrunk toward the overall value (empirical Bayes).

    This uses the scale of the link, on which the variance of an item is equal in all subgroups, and
    Paule and Mandel's (1982) variance between subgroups."""
    rows, found = b.usable, np.full(len(b.units), np.nan)
    if rows.sum() < 2 or not _varies(b.whole)[0]:
        return found
    link, middle = b.link, b.whole.centre
    unit = (b.whole.errors * link.slope(middle)) ** 2 * b.units.sum()
    places, variances = link.there(b.own.centre[rows]), unit / b.units[rows]
    between = paule_mandel(places, variances)
    # One item alone does not say how sure it is, and is drawn as far as its number asks for.
    known = np.flatnonzero(rows | (~np.isnan(b.own.values) & np.isnan(b.own.errors)))
    with np.errstate(divide="ignore", invalid="ignore"):
        place = link.there(b.own.centre[known])
    start, kept = link.there(middle), between / (between + unit / b.units[known])
    inside = np.isfinite(place)
    found[known[inside]] = link.back(start + (kept * (place - start))[inside])
    return found


def paule_mandel(values: Floats, variances: Floats) -> float:
    """The variance between true values that explains how observed ones scatter; 0 if chance does.

    >>> round(paule_mandel(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5, 0.5])), 6)
    0.5
    """

    def excess(between: float) -> float:
        weight = 1 / (variances + between)
        mean = weight @ values / weight.sum()
        return float(weight @ (values - mean) ** 2) - (len(values) - 1)

    low, high = 0.0, float(np.var(values) * len(values)) + 1e-300
    if excess(low) <= 0:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2
