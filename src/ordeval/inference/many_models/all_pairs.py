"""Several models by one measure: simultaneous inference for all pairs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import exchange, tail_freedom
from ordeval.inference.many_models.exchanged_models import Exchange
from ordeval.inference.many_models.simultaneous import (
    covariance_of,
    critical,
    first_shares,
    gap_of,
    may_be_best,
    preferred,
    rank_sets,
    rank_shares,
    step_down,
    t_p_values,
)
from ordeval.inference.samples import Sample
from ordeval.measures import Metric


class Together:
    """All models by one measure: simultaneous inference for all pairs.

    A model without a value is left out; the others are still compared. With few clusters, one
    critical value, from models that are exchanged, decides on pairs, ranks and plausible bests.
    """

    def __init__(self, metric: Metric, found: Contributions, level: float, sample: Sample) -> None:
        self.metric, self.level, self.m = metric, level, len(found.values)
        self.sample = sample
        self.there = np.flatnonzero(~np.isnan(found.values + found.centre + found.errors))
        self.infinite = np.isinf(found.values)
        self.turned = found.of(self.there).turned(metric)

    @cached_property
    def _careful(self) -> Contributions:
        """What a multivariate t is compared with; of two models there is one difference."""
        return self.turned if self.m < 3 else self.turned.with_a_pseudo_cluster

    @cached_property
    def _exchange(self) -> Exchange | None:
        if len(self.there) < 3:
            return None
        return exchange(self.metric, self.sample.of_models(self.there.tolist()))

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the largest difference; of two models, of their difference."""
        most = self._careful.freedom
        return most if self.m < 3 else tail_freedom(self.metric, self.sample, most)

    @cached_property
    def smallest(self) -> float:
        """The smallest difference that is significant between two typical models."""
        t = self._careful
        pairs = list(itertools.combinations(range(len(self.there)), 2))
        if not pairs:
            return np.nan
        errors = t.apart[tuple(zip(*pairs, strict=True))]
        return critical(t.covariance, self.freedom, pairs, self.level) * float(np.median(errors))

    @cached_property
    def _utility(self) -> Floats:
        sign = 1.0 if self.metric.greater_is_better else -1.0
        return sign * self.turned.centre

    def adjusted(self, pairs: Sequence[tuple[int, int]] | None = None) -> Floats:
        """P-values (M, M) corrected for some pairs, or for all of them."""
        return self._of_all if pairs is None else self._of_pairs(pairs)

    @cached_property
    def _of_all(self) -> Floats:
        return self._of_pairs(list(itertools.combinations(self.there.tolist(), 2)))

    def _of_pairs(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        t, place = self._careful, {int(i): n for n, i in enumerate(self.there)}
        wanted = [(i, j) for i, j in pairs if i in place and j in place]
        found = np.full((self.m, self.m), np.nan)
        if wanted:
            inside = [(place[i], place[j]) for i, j in wanted]
            if self._exchange is None:
                p = step_down(t.centre, t.covariance, self.freedom, inside, t.apart)
            else:
                p = self._exchange.p_values(self.turned, inside)
            p = np.fmax(p, self._own(inside))
            for (i, j), value in zip(wanted, p.tolist(), strict=True):
                found[i, j] = found[j, i] = value
        return found

    def simultaneous(self, pairs: Sequence[tuple[int, int]] | None = None) -> Floats:
        """Intervals (2, M, M) that hold at once, by the critical value of exchanged models.

        NaN where other tests decide, which have no single critical value.
        """
        found = np.full((2, self.m, self.m), np.nan)
        place = {int(i): n for n, i in enumerate(self.there)}
        wanted = list(itertools.combinations(self.there.tolist(), 2)) if pairs is None else pairs
        inside = [(i, j) for i, j in wanted if i in place and j in place]
        if self._exchange is None or not inside:
            return found
        ends = self._exchange.ends([(place[i], place[j]) for i, j in inside], self.level)
        for (i, j), low, high in zip(inside, *(e.tolist() for e in ends), strict=True):
            found[:, i, j], found[:, j, i] = (low, high), (-high, -low)
        return found

    def _own(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """The p-value of each pair by itself, below which a corrected one never falls."""
        first, second = np.array(pairs, dtype=np.int64).T
        gap = gap_of(self.turned.centre[first], self.turned.centre[second])
        return np.asarray(t_p_values(gap, self.turned.apart[first, second], self.turned.freedom))

    @cached_property
    def rank_sets(self) -> list[tuple[int, int]]:
        """The possible ranks of each model; all ranks if its value is undefined."""
        p = self.adjusted()[np.ix_(self.there, self.there)]
        ahead = self._utility[:, None] > self._utility[None, :]
        sets = rank_sets(ahead & (p <= 1 - self.level))
        found = [(1, self.m)] * self.m
        lost = self.m - len(self.there)
        for i, (low, high) in zip(self.there.tolist(), sets, strict=True):
            found[i] = (low, high + lost)
        return found

    @cached_property
    def rank_shares(self) -> Floats:
        """How often each model has each rank (M, M)."""
        found = np.full((self.m, self.m), np.nan)
        if len(self.there):
            shares = rank_shares(*self._spread)
            found[self.there, : len(self.there)] = shares
        return found

    @cached_property
    def may_be_best(self) -> list[bool]:
        """Whether each model is a plausible best."""
        if self._exchange is not None:
            return [low == 1 for low, _ in self.rank_sets]
        t = self._careful
        inside = may_be_best(self._utility, t.covariance, self.freedom, self.level, t.apart)
        found = [False] * self.m
        for i, may in zip(self.there.tolist(), inside, strict=True):
            found[i] = may
        return found

    @cached_property
    def best(self) -> list[float]:
        """How often each model is best.

        It is not known of an infinite value, nor of a single finite one next to such values.
        """
        found = np.full(self.m, 0.0 if len(self.there) else np.nan)
        if len(self.there):
            found[self.there] = first_shares(*self._spread)
        if self.infinite.any():
            found[self.infinite if len(self.there) > 1 else slice(None)] = np.nan
        listed: list[float] = found.tolist()
        return listed

    @property
    def _spread(self) -> tuple[Floats, Floats, float]:
        return self._utility, covariance_of(self.turned.apart), self.turned.freedom

    @cached_property
    def preferred(self) -> Floats:
        """How surely the row's model is better than the column's."""
        t, found = self.turned, np.full((self.m, self.m), np.nan)
        shares = preferred(self._utility, t.apart, t.freedom)
        found[np.ix_(self.there, self.there)] = shares
        return found
