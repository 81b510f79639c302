"""What each item contributes to the agreement of many raters, and the intervals made from it.

Ratings add up to a tally, and a measure is a function of it. Items (or clusters of them) leave the
tally whole, as they leave a matrix; the covariance of what that changes gives the intervals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.data.numbering import number_rows
from ordeval.data.ratings import Ratings
from ordeval.data.ratings.facts import raters_of
from ordeval.data.ratings.tables import own_pairs
from ordeval.inference.cell_influence import pseudo_items
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.ends.range_ends import unseen
from ordeval.inference.ends.t_intervals import Alone
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Estimation, Interval
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance
from ordeval.measures.raters import Tally, by_item, used_by, value_of

# More units than this leave in random bundles: as many degrees of freedom are enough.
_BUNDLES: Final = 1000
_FEW_RATERS: Final = (
    "what other raters would have said needs three raters, each of whom can be left out."
)
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
    found = {}
    for metric in metrics:
        parts = units.contributions(metric)
        refused = _why_not(units)
        if of_raters:
            between = _between_raters(metric, ratings)
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
        self.k, self.whole = ratings.k, whole
        self.owner = ratings.owner
        rated = raters_of(ratings.counts)
        self.items = int((rated >= 2).sum())
        here = rated >= 1
        self.codes, self.counts = ratings.codes[here], ratings.counts[here]
        group = _numbers(ratings.clusters, here) if here.any() else None
        self.clusters = 0 if group is None else int(group.max(initial=-1)) + 1
        self.units = self.clusters or self.items
        self.left, self.size, self.count = self._leaving(group)
        self.pseudo = self._pseudo(float(rated[here].mean()) if here.any() else 0.0)

    def _leaving(self, group: Integers | None) -> tuple[Tally, Floats, Floats]:
        """The tallies that leave one by one, how many items each holds, and how many are alike."""
        n = len(self.codes)
        if group is None and n > _DISTINCT:
            group = np.arange(n)
        if group is None:
            group = number_rows(list(self.codes.T + 1))
            count = np.bincount(group).astype(np.float64)
            if len(count) <= _BUNDLES:
                first = np.zeros(len(count), dtype=np.int64)
                first[group[::-1]] = np.arange(n)[::-1]
                tally = self._summed(np.arange(len(first)), first, len(first))
                return tally, np.ones(len(first)), count
            group = np.arange(n)
        if int(group.max(initial=0)) + 1 > _BUNDLES:
            order = np.random.default_rng(0).permutation(int(group.max()) + 1)
            group = (order % _BUNDLES)[group]
        size = int(group.max(initial=-1)) + 1
        items = np.bincount(group, minlength=size).astype(np.float64)
        return self._summed(group, np.arange(n), size), items, np.ones(size)

    def _summed(self, group: Integers, rows: Integers, size: int) -> Tally:
        """The tallies of groups of items, summed."""
        k, codes = self.k, self.codes[rows]
        own = None if self.owner is None else own_pairs(codes, k, self.owner)
        each = by_item(self.counts[rows], own)
        together, pairs, shares = (_by_group(part, group, size) for part in each)
        if self.owner is not None:
            return Tally(together, pairs, shares, used_by(codes, k, self.owner, group, size))
        raters = codes.shape[1]
        item, rater = np.nonzero(codes >= 0)
        places = (group[item] * raters + rater) * k + codes[item, rater]
        used = np.bincount(places, minlength=size * raters * k).reshape(size, raters, k)
        return Tally(together, pairs, shares, used.astype(np.float64))

    def item(self, pairs: Floats, ratings: float) -> Tally:
        """The tally of one item whose pairs of ratings have these shares (..., K, K)."""
        both = (pairs + np.swapaxes(pairs, -1, -2)) / 2
        shares = both.sum(axis=-1)
        rate = self.whole.used.sum(axis=-1) / max(len(self.codes), 1)
        used = rate[:, None] * shares[..., None, :]
        return Tally(both * ratings, both, shares, used)

    def _pseudo(self, ratings: float) -> Tally:
        """One item more, half of it agreed on and half near misses."""
        shares = self.whole.shares
        self.ratings = max(ratings, 2.0)
        return self.item(pseudo_items(np.diag(shares)[None])[0], self.ratings)

    def contributions(self, metric: Metric) -> Contributions:
        """What the units contribute to a measure."""
        unit = max(len(self.codes), 1) / max(self.units, 1)
        value, total = float(value_of(metric, self.whole)), len(self.codes) + unit
        smooth = self.whole.plus(self.pseudo, unit)
        centre = float(value_of(metric, smooth))
        rest = Tally(*(np.maximum(a - b, 0.0) for a, b in zip(smooth, self.left, strict=True)))
        without = value_of(metric, rest)
        parts = np.nan_to_num((total - self.size) / total * (centre - without))
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
        near = np.argwhere((distance(self.k) > 0) & (distance(self.k) <= 4))
        pairs = np.zeros((len(near), self.k, self.k))
        pairs[np.arange(len(near)), near[:, 0], near[:, 1]] = 1.0
        amount = float(unseen(self.units, tail)) * len(self.codes) / max(self.units, 1)
        values = value_of(metric, self.whole.plus(self.item(pairs, self.ratings), amount))
        return float(np.nanmin(values)), float(np.nanmax(values))


def _by_group(parts: Floats, group: Integers, size: int) -> Floats:
    flat = parts.reshape(len(parts), int(np.prod(parts.shape[1:])))
    summed = np.stack([np.bincount(group, column, minlength=size) for column in flat.T], axis=1)
    return np.asarray(summed.reshape(size, *parts.shape[1:]))


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


def _between_raters(metric: Metric, ratings: Ratings) -> float:
    """The variance that other raters would add: each in turn is left out."""
    raters = len(ratings.raters if ratings.owner is None else ratings.runs)
    if raters < 3:
        return np.nan
    values = np.array([value_of(metric, _without(ratings, r)) for r in range(raters)])
    return float((raters - 1) / raters * ((values - values.mean()) ** 2).sum())


def _without(ratings: Ratings, rater: int) -> Tally:
    """The tally without a rater and all of its runs."""
    if ratings.owner is None:
        keep = np.arange(ratings.codes.shape[1]) != rater
        return Tally.of(ratings.codes[:, keep], ratings.k)
    return Tally.of_ratings(ratings.of([n for i, n in enumerate(ratings.runs) if i != rater]))
