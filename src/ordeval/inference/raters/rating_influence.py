"""What each item contributes to the agreement of many raters, and the intervals made from it.

Ratings add up to a tally, and a measure is a function of it. Items (or clusters of them) leave the
tally whole, as they leave a matrix; the covariance of what that changes gives the intervals.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.numbering import first_rows, number_rows, numbered
from ordeval.data.ratings import Ratings
from ordeval.data.ratings.facts import own_pairs, raters_of, summed
from ordeval.inference.cell_influence import pseudo_items
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.ends.range_ends import unseen
from ordeval.inference.ends.t_intervals import Alone
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Estimation, Interval
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance
from ordeval.measures.raters import Habits, Tally, by_item, sums_of_items, value_of

# More units than this leave in random bundles: as many degrees of freedom are enough.
_BUNDLES: Final = 1000
_FEW_RATERS: Final = (
    "treating raters as a random sample needs at least three raters, each of whom can be left out."
)
_ROUNDING: Final = 1e-12  # of a total: what is less is no rating
_BLOCK: Final = 1 << 22  # pairs of levels that are held at once
_DISTINCT: Final = 20_000  # items, up to which those that are rated alike are looked for


def agreement_intervals(
    ratings: Ratings,
    whole: Tally,
    metrics: tuple[Metric, ...],
    how: Estimation,
    *,
    of_raters: bool = False,
) -> dict[str, Interval]:
    """Intervals of measures of many raters; ``of_raters``: other raters might have been asked."""
    units = _Units(ratings, whole)
    without = _without_each(ratings, whole, units.used) if of_raters else None
    found = {}
    for metric in metrics:
        parts = units.contributions(metric)
        refused = _why_not(units)
        if without is not None:
            between = _between_raters(metric, without)
            parts = replace(parts, pseudo=parts.pseudo + between)
            refused = refused or ("" if between == between else _FEW_RATERS)
        low, high = _ends(metric, units, parts, how.level)
        found[metric.name] = Interval(
            metric=metric.name,
            estimate=float(parts.values[0]),
            low=low,
            high=high,
            level=how.level,
            method="auto",
            items=units.items,
            clusters=units.clusters,
            effective=float(units.items),
            refused=refused,
        )
    return found


class _Units:
    """The units of ratings: items, or clusters of items, that were rated at least twice."""

    def __init__(self, ratings: Ratings, whole: Tally) -> None:
        self.given, self.k, self.whole = ratings, ratings.k, whole
        rated = raters_of(ratings.counts)
        self.items = int((rated >= 2).sum())
        here = rated >= 1
        self.rated = int(here.sum())
        group = _numbers(ratings.clusters, here) if here.any() else None
        self.clusters = 0 if group is None else int(group.max(initial=-1)) + 1
        self.units = self.clusters or self.items
        self.group, self.count = self._bundles(here, group)
        self.size = np.bincount(self.group[self.group >= 0], minlength=len(self.count))
        self.ratings = max(float(rated[here].mean()) if here.any() else 0.0, 2.0)
        self.used = ratings.used
        self.near = pseudo_items(np.diag(whole.shares)[None])[0]

    def _bundles(self, here: NDArray[np.bool_], group: Integers | None) -> tuple[Integers, Floats]:
        """The unit of each item, -1 if it is none of them, and how many there are like each."""
        n, places = self.rated, np.flatnonzero(here)
        unit = np.full(len(here), -1, dtype=np.int64)
        if group is None:
            number = self._alike(places) if n <= _DISTINCT else np.arange(n)
            if n <= _DISTINCT and number.max(initial=-1) < _BUNDLES:
                first = first_rows(number)
                unit[places[first]] = np.arange(len(first))
                return unit, np.bincount(number).astype(np.float64)
            group = np.arange(n)
        if int(group.max(initial=0)) + 1 > _BUNDLES:
            order = np.random.default_rng(0).permutation(int(group.max()) + 1)
            group = (order % _BUNDLES)[group]
        unit[places] = group
        return unit, np.ones(int(group.max(initial=-1)) + 1)

    def _alike(self, items: Integers) -> Integers:
        """A number for each item, the same for items that are rated alike."""
        entries = self.given.entries
        ends = np.searchsorted(entries.item, [items, items + 1])
        said = entries.column * self.k + entries.level
        return numbered([said[first:last].tobytes() for first, last in ends.T.tolist()])

    @property
    def mass(self) -> float:
        """How many items a unit holds."""
        return max(self.rated, 1) / max(self.units, 1)

    @cached_property
    def smooth(self) -> Tally:
        """The whole with one unit more, half of it agreed on and half near misses."""
        return self.with_items(self.near, self.mass)

    @cached_property
    def rest(self) -> Tally:
        """What is left of it without each unit."""
        size, smooth, given = len(self.count), self.smooth, self.given
        sums = sums_of_items(given, self.group, size)
        together, pairs, shares = (
            np.maximum(a - b, 0.0) for a, b in zip(smooth[:3], sums, strict=True)
        )
        unit = self.group[given.entries.item]
        here = unit >= 0
        unit, rater = unit[here], given.rater[here]
        pair = number_rows([unit, rater])
        first = first_rows(pair)
        group, before = unit[first], self._used_with(self.near, self.mass)[rater[first]]
        of_entry = np.full(len(here), -1, dtype=np.int64)
        of_entry[here] = pair
        left = given.levels_of(of_entry, len(group))
        habits = smooth.habits.less(before, np.maximum(before - left, 0.0), group, size)
        return Tally(together, pairs, shares, habits)

    def _used_with(self, pairs: Floats, amount: float) -> Floats:
        rate = self.used.sum(axis=-1) / max(self.rated, 1)
        shares = (pairs + pairs.T).sum(axis=-1) / 2
        return np.asarray(self.used + amount * rate[:, None] * shares)

    def with_items(self, pairs: Floats, amount: float) -> Tally:
        """The total after adding items whose pairs of ratings have these shares (K, K)."""
        whole, both = self.whole, (pairs + pairs.T) / 2
        return Tally(
            whole.coincidences + amount * self.ratings * both,
            whole.pairs + amount * both,
            whole.shares + amount * both.sum(axis=-1),
            Habits.of(self._used_with(pairs, amount)),
        )

    def contributions(self, metric: Metric) -> Contributions:
        """What the units contribute to a measure."""
        unit = self.mass
        value, total = float(value_of(metric, self.whole)), self.rated + unit
        centre = float(value_of(metric, self.smooth))
        parts = np.nan_to_num((total - self.size) / total * (centre - value_of(metric, self.rest)))
        bias = -float(self.count @ parts)
        parts = parts + bias * self.size / total
        own = np.nan_to_num((total - unit) / total * (centre - value)) + bias * unit / total
        return Contributions(
            values=np.array([value]),
            centre=np.array([centre]),
            parts=parts[:, None],
            count=self.count,
            pseudo=np.array([[own**2]]),
            bias=np.array([bias]),
        )

    def reach(self, metric: Metric, tail: float) -> tuple[float, float]:
        """The least and the largest value that ratings without a disagreement cannot exclude."""
        amount = float(unseen(self.units, tail)) * self.rated / max(self.units, 1)
        values = []
        for i, j in np.argwhere((distance(self.k) > 0) & (distance(self.k) <= 4)).tolist():
            pairs = np.zeros((self.k, self.k))
            pairs[i, j] = 1.0
            values.append(float(value_of(metric, self.with_items(pairs, amount))))
        return float(np.nanmin(values)), float(np.nanmax(values))


def _numbers(clusters: Any, here: Any) -> Integers | None:
    return None if clusters is None else cluster_numbers(list(clusters), here)


def _ends(metric: Metric, units: _Units, found: Contributions, level: float) -> tuple[float, float]:
    value, tail = float(found.values[0]), (1 - level) / 2
    if value != value or _why_not(units):
        return np.nan, np.nan
    low, high = alone.within_reach(
        metric,
        units.k,
        Alone.of(found),
        tail,
        lambda _: units.reach(metric, tail),
        outside=value < metric.range.at(units.k)[0],
    )
    return float(low[0]), float(high[0])


def _why_not(units: _Units) -> str:
    """Why there is no interval; empty if there is one."""
    return "" if units.units >= 2 else "an interval needs two items that were rated twice or more."


def _between_raters(metric: Metric, without: Tally) -> float:
    """The variance that other raters would add, of the tallies without each in turn."""
    values = value_of(metric, without)
    raters = len(values)
    if raters < 3:
        return np.nan
    return float((raters - 1) / raters * ((values - values.mean()) ** 2).sum())


def _without_each(ratings: Ratings, whole: Tally, used: Floats) -> Tally:
    """The tallies (R, ...) without each rater and all of its runs."""
    said, counts, raters = ratings.opinions, ratings.counts, len(used)
    own = None if ratings.owner is None else own_pairs(said, len(counts))
    change = [np.zeros((raters, *x.shape)) for x in whole[:3]]
    step = max(1, _BLOCK // ratings.k**2)
    for i in range(0, len(said.item), step):
        part = slice(i, i + step)
        item, shares = said.item[part], said.shares[part]
        here, pairs, left = counts[item], None, None
        if own is not None:
            pairs = own[item]
            left = pairs - shares[:, :, None] * shares[:, None, :]
        each = zip(by_item(here, pairs), by_item(here - shares, left), strict=True)
        for total, (before, after) in zip(change, each, strict=True):
            total += summed(before - after, said.rater[part], raters)
    together, pairs_left, shares_left = map(_less, whole[:3], change)
    habits = whole.habits.less(used, np.zeros_like(used), np.arange(raters), raters)
    cleaned = Habits(*(_less(x, 0.0) for x in habits))
    return Tally(together, pairs_left, shares_left, cleaned)


def _less(total: Floats, part: Any) -> Floats:
    """A difference of sums, exactly zero where only rounding is left of it."""
    left = total - part
    return np.where(left > _ROUNDING * np.max(total), left, 0.0)
