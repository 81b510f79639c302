"""A judge compared with humans: its agreement with them, theirs with each other, and the gap.

All of them are means over pairs of columns on the items that both have rated, so that they share
one covariance over items. Nothing here is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.ends.range_ends import LowHigh
from ordeval.inference.ends.skewed_t import Skewed
from ordeval.inference.ends.t_intervals import Alone
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Interval
from ordeval.inference.raters.clustered_means import mean_interval
from ordeval.inference.raters.pairwise_influence import Pairings
from ordeval.measures import Metric
from ordeval.measures.distance import mean_signed_error

SHARED: Final = 20  # items that two raters must share: kappa of 20 is about 0.02 too low


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """The ratings of humans, and those of one judge in one or several runs, in positions."""

    humans: Integers  # (N, R), negative: no rating
    runs: Integers  # (N, runs)
    k: int
    metric: Metric
    level: float = 0.95
    cluster: Integers | None = None

    def answered(self) -> Panel:
        """The items that the judge answered: those that it left out may be the hard ones."""
        there = np.asarray((self.runs >= 0).any(axis=1))
        return self.taken(there)

    def taken(self, rows: NDArray[np.bool_]) -> Panel:
        """Some of the items."""
        cluster = None if self.cluster is None else self.cluster[rows]
        return replace(self, humans=self.humans[rows], runs=self.runs[rows], cluster=cluster)

    @cached_property
    def _columns(self) -> Pairings:
        """The pairs of humans, then those of a human and a run, then those of runs."""
        r, runs = self.humans.shape[1], self.runs.shape[1]
        among = _pairs(range(r), self.metric)
        of_judge = [(h, r + j) for h in range(r) for j in range(runs)]
        among_runs = _pairs(range(r, r + runs), self.metric)
        codes = np.concatenate([self.humans, self.runs], axis=1)
        return Pairings(codes, [*among, *of_judge, *among_runs], self.k, self.cluster)

    @cached_property
    def _values(self) -> Floats:
        return values_of(self._columns, self.metric)

    def _mean(
        self, kind: slice, without: Collection[int] = (), *, among: int | None = None
    ) -> Floats:
        """What a mean over the pairs of one kind weighs each pair with, if any has a value.

        Pairs of a column in ``without`` have no weight; with ``among``, nor has any pair but those
        of this column.
        """
        values, pairs = self._values, self._columns.pairs
        here = np.arange(len(values))[kind]
        here = here[~np.isnan(values[here])]
        out = set(without)
        here = here[[out.isdisjoint(pairs[p]) for p in here.tolist()]]
        if among is not None:
            here = here[[among in pairs[p] for p in here.tolist()]]
        if not len(here):
            return np.full(len(values), np.nan)
        weight = np.zeros(len(values))
        weight[here] = 1 / len(here)
        return weight

    @property
    def _kinds(self) -> tuple[slice, slice, slice]:
        r, runs = self.humans.shape[1], self.runs.shape[1]
        first = len(_pairs(range(r), self.metric))
        second = first + r * runs
        return slice(0, first), slice(first, second), slice(second, None)

    def means(self, weights: Floats) -> list[Interval]:
        """The intervals of means over pairs, from what they weigh each pair with (Q, P)."""
        found = [self.interval(np.nan, np.nan, np.nan) for _ in weights]
        known = _known(weights)
        if not len(known):
            return found
        made = self._columns.means(self.metric, weights[known])
        tail = (1 - self.level) / 2

        def reach(rows: NDArray[np.bool_]) -> LowHigh:
            each = [self._columns.reach(self.metric, w, tail) for w in weights[known[rows]]]
            low, high = np.array(each).T
            return low, high

        ends = alone.within_reach(self.metric, self.k, Alone.of(made), tail, reach)
        for q, *row in zip(*(x.tolist() for x in (known, made.values, *ends)), strict=True):
            found[q] = self.interval(*row)
        return found

    def differences(self, weights: Floats) -> list[Interval]:
        """The intervals of differences of means, from what they weigh each pair with (Q, P)."""
        found = [self.interval(np.nan, np.nan, np.nan) for _ in weights]
        known = _known(weights)
        if not len(known):
            return found
        made = self._columns.means(self.metric, weights[known])
        for i, q in enumerate(known.tolist()):
            ends = Skewed.of(made.of([i])).ends(self.level)
            found[q] = self.interval(float(made.values[i]), *ends)
        return found

    def interval(self, value: float, low: float, high: float, name: str = "") -> Interval:
        """Numbers as an interval that says of which items they are."""
        clusters = 0 if self.cluster is None else len(np.unique(self.cluster))
        return Interval(
            metric=name or self.metric.name,
            estimate=value,
            low=low,
            high=high,
            level=self.level,
            method="auto",
            items=len(self.humans),
            clusters=clusters,
            effective=float(len(self.humans)),
        )

    @cached_property
    def ceiling(self) -> Interval:
        """The agreement of the humans with each other."""
        return self.means(self._mean(self._kinds[0])[None])[0]

    @cached_property
    def agreement(self) -> Interval:
        """The agreement of the judge with the humans."""
        return self.means(self._mean(self._kinds[1])[None])[0]

    @cached_property
    def gap(self) -> Interval:
        """By how much the judge agrees more with the humans than they do with each other."""
        return self.differences(self._gap()[None])[0]

    def _gap(self, without: Collection[int] = ()) -> Floats:
        return self._mean(self._kinds[1], without) - self._mean(self._kinds[0], without)

    @property
    def gap_contributions(self) -> Contributions | None:
        """What units contribute to the gap; None if it has no value."""
        return self.gap_without(())

    def gap_without(self, humans: Collection[int]) -> Contributions | None:
        """What units contribute to the gap without some humans; None if it has no value."""
        weight = self._gap(humans)
        return None if np.isnan(weight).any() else self._columns.means(self.metric, weight)

    def ceilings_without(self, humans: Sequence[Collection[int]]) -> list[Interval]:
        """The ceiling without some humans, for each such choice of them."""
        return self.means(np.stack([self._mean(self._kinds[0], h) for h in humans]))

    def gaps_without(self, humans: Sequence[Collection[int]]) -> list[Interval]:
        """The gap without some humans: neither ceiling nor judge meets them."""
        return self.differences(np.stack([self._gap(h) for h in humans]))

    def apart_from_others(self) -> list[Interval]:
        """How much more each human agrees with the others than they do with each other.

        The intervals hold for all humans at once (Bonferroni).
        """
        humans = range(self.humans.shape[1])
        at_once = replace(self, level=1 - (1 - self.level) / len(humans))
        among = self._kinds[0]
        weights = [self._mean(among, among=h) - self._mean(among, [h]) for h in humans]
        return at_once.differences(np.stack(weights))

    @cached_property
    def self_consistency(self) -> Interval | None:
        """The agreement of a judge's runs with each other, if there are several."""
        if self.runs.shape[1] < 2:
            return None
        return self.means(self._mean(self._kinds[2])[None])[0]

    def noninferior(self, margin: float) -> float:
        """The one-sided p-value of the judge being below the ceiling by the margin or more."""
        found = self.gap_contributions
        if found is None:
            return np.nan
        sign = 1.0 if self.metric.greater_is_better else -1.0
        return Skewed.of(found).beyond(-sign * margin, sign)

    @property
    def pairs_of_humans(self) -> int:
        """How many pairs of humans have a value."""
        values = self._values[self._kinds[0]]
        found = int((~np.isnan(values)).sum())
        return found if self.metric.symmetric else found // 2

    @cached_property
    def with_each(self) -> list[float]:
        """The judge's agreement with each human, NaN where there is none."""
        r, runs = self.humans.shape[1], self.runs.shape[1]
        values = self._values[self._kinds[1]].reshape(r, runs)
        return [float(np.mean(v[~np.isnan(v)])) if (~np.isnan(v)).any() else np.nan for v in values]

    @cached_property
    def bias(self) -> Interval:
        """How many steps the judge is above the humans."""
        pairs = self._columns
        weight = np.zeros(len(pairs.pairs))
        shared = pairs.shared[self._kinds[1]].astype(np.float64)
        if not shared.any():
            return self.interval(np.nan, np.nan, np.nan, mean_signed_error.name)
        weight[self._kinds[1]] = shared / shared.sum()
        found = pairs.means(mean_signed_error, weight)
        ends = Skewed.of(found).ends(self.level)
        return self.interval(float(found.values[0]), *ends, mean_signed_error.name)

    @property
    def matrix(self) -> Integers:
        """Humans by judge (K, K), all pairs together."""
        return np.asarray(self._columns.matrices[self._kinds[1]].sum(axis=0))

    @property
    def compression(self) -> float:
        """The spread of the judge's grades over that of the humans', on the items of both."""
        counts = self.matrix.astype(np.float64)
        human, judge = (_spread(counts.sum(axis=axis)) for axis in (1, 0))
        return judge / human if human > 0 else np.nan


def values_of(pairs: Pairings, metric: Metric) -> Floats:
    """The values (P,) of pairs; NaN of those with a few items in common, of which kappa is too low.

    Humans who share an item or two would seem to agree less than they do, and every judge would be
    above their ceiling. Of few items in all, half must be shared.
    """
    least = min(SHARED, -(-len(pairs.codes) // 2))
    return np.where(pairs.shared >= least, pairs.values(metric), np.nan)


def _known(weights: Floats) -> Integers:
    """Which weights there are; those of no pair are not known."""
    return np.flatnonzero((weights.shape[1] > 0) & ~np.isnan(weights).any(axis=1))


def _pairs(columns: Sequence[int], metric: Metric) -> list[tuple[int, int]]:
    """Pairs of columns; in both directions if the measure is asymmetric."""
    if metric.symmetric:
        return list(itertools.combinations(columns, 2))
    return list(itertools.permutations(columns, 2))


def _spread(sizes: Floats) -> float:
    steps = np.arange(len(sizes))
    total = max(float(sizes.sum()), 1.0)
    mean = float(sizes @ steps) / total
    return float((sizes @ (steps - mean) ** 2 / total) ** 0.5)


def severity(humans: Integers, level: float, cluster: Integers | None) -> list[Interval]:
    """How many steps each rater is above the mean of the others, on the items that they share."""
    known = humans >= 0
    found = []
    for r in range(humans.shape[1]):
        others = np.delete(np.arange(humans.shape[1]), r)
        size = known[:, others].sum(axis=1)
        rows = known[:, r] & (size > 0)
        shown = Interval(
            metric=mean_signed_error.name,
            estimate=np.nan,
            low=np.nan,
            high=np.nan,
            level=level,
            method="auto",
            items=int(rows.sum()),
            effective=float(rows.sum()),
        )
        if not rows.any():
            found.append(shown)
            continue
        mean = np.where(known, humans, 0)[rows][:, others].sum(axis=1) / size[rows]
        unit = np.arange(len(humans)) if cluster is None else cluster
        found.append(
            mean_interval(humans[rows, r] - mean, np.ones(int(rows.sum())), unit[rows], shown)
        )
    return found


def with_the_others(humans: Integers, k: int, metric: Metric) -> list[float]:
    """The mean agreement of each human with the others, NaN where there is none."""
    r = humans.shape[1]
    pairs = list(itertools.permutations(range(r), 2))
    values = values_of(Pairings(humans, pairs, k), metric)
    found = []
    for a in range(r):
        own = values[[i for i, pair in enumerate(pairs) if a in pair]]
        own = own[~np.isnan(own)]
        found.append(float(own.mean()) if len(own) else np.nan)
    return found


class Prmse(NamedTuple):
    """How much of the humans' true scores a judge explains, next to what that rests on."""

    value: float
    true_variance: float  # the denominator: near zero, the value says nothing
    error_variance: float  # of one human's rating
    repeated: int  # items with two or more ratings, on which both variances rest


def prmse(judge: Floats, humans: Floats) -> Prmse:
    """Proportional reduction in mean squared error, of numbers (N,) and (N, R); NaN: no rating.

    What a judge misses of the humans' means is their own error in part.
    """
    known = ~np.isnan(humans) & ~np.isnan(judge)[:, None]
    rows = known.any(axis=1)
    given, own = np.where(known, humans, 0.0)[rows], judge[rows]
    size = known[rows].sum(axis=1).astype(np.float64)
    n, total, mean = len(size), float(size.sum()), given.sum(axis=1) / size
    repeated = int((size > 1).sum())
    if total <= n or n < 2:
        return Prmse(np.nan, np.nan, np.nan, repeated)
    within = np.where(known[rows], given - mean[:, None], 0.0)
    error = float((within**2).sum()) / (total - n)
    apart = mean - float(size @ mean) / total
    true = (float(size @ apart**2) - (n - 1) * error) / (total - float(size @ size) / total)
    missed = (float(size @ (mean - own) ** 2) - n * error) / total
    return Prmse(1 - missed / true if true > 0 else np.nan, true, error, repeated)
