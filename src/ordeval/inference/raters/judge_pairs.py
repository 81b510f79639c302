"""Judges side by side: paired differences of their agreement with humans, and corrected tests.

All judges are compared on the items that all of them answered, so that differences are paired and
fit together. The standard error of a difference is that of what units contribute to it, with one
more unit on which two judges differ as they do elsewhere. P-values are corrected for all pairs:
with few clusters by exchanging the judges within clusters, otherwise by Holm's method.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import cells_of
from ordeval.inference.influence import Contributions
from ordeval.inference.many_models.exchanged_models import Drawn, Exchange
from ordeval.inference.many_models.multiplicity import holm
from ordeval.inference.paired import Delta
from ordeval.inference.paired_tests import Errors, TTest, span_of
from ordeval.inference.raters.judges import values_of
from ordeval.inference.raters.pairwise_influence import Pairings
from ordeval.measures import Metric

_MOST_CLUSTERS: Final = 100  # with more, Holm's method is as good and draws nothing
_MOST_NUMBERS: Final = 1_000_000  # in the tables of one draw
_ANSWERED: Final = 0.5  # of the items of the judge with most answers; with fewer, none is compared


class JudgePairs(NamedTuple):
    """The differences of judges, and those that could not be compared."""

    differences: tuple[Delta, ...]
    left_out: tuple[str, ...]
    exchanged: bool = False  # p-values are corrected by exchanging judges within clusters


def compare_judges(
    humans: Integers,
    answers: Mapping[str, Integers],
    metric: Metric,
    *,
    k: int,
    level: float,
    cluster: Integers | None = None,
    reference: str | None = None,
) -> JudgePairs:
    """The differences between judges (N, runs), all pairs in their order, or with a reference."""
    rated = (humans >= 0).any(axis=1)
    there = {name: (runs >= 0).any(axis=1) & rated for name, runs in answers.items()}
    most = max(int(x.sum()) for x in there.values())
    kept = [name for name, x in there.items() if x.sum() > _ANSWERED * most]
    left_out = tuple(name for name in answers if name not in kept)
    if len(kept) < 2 or (reference is not None and reference not in kept):
        return JudgePairs((), left_out)
    rows = np.logical_and.reduce([there[name] for name in kept])
    together = _Judges(
        humans[rows],
        tuple(answers[name][rows] for name in kept),
        metric,
        k,
        None if cluster is None else np.unique(cluster[rows], return_inverse=True)[1],
    )
    if together.units < 2:
        return JudgePairs((), left_out)
    pairs = list(itertools.combinations(range(len(kept)), 2))
    if reference is not None:
        at = kept.index(reference)
        pairs = [(i, at) for i in range(len(kept)) if i != at]
    found = [together.difference(pair, (kept[pair[0]], kept[pair[1]]), level) for pair in pairs]
    adjusted = together.adjusted(pairs, [d.p_value for d in found])
    each = zip(found, adjusted.tolist(), strict=True)
    differences = tuple(replace(d, p_adjusted=p) for d, p in each)
    return JudgePairs(differences, left_out, together.exchange is not None)


@dataclass(frozen=True, eq=False)
class _Judges:
    """Judges that answered the same items."""

    humans: Integers  # (N, R)
    runs: Sequence[Integers]  # (N, runs) of each judge
    metric: Metric
    k: int
    cluster: Integers | None

    @property
    def units(self) -> int:
        return len(self.humans) if self.cluster is None else len(np.unique(self.cluster))

    @cached_property
    def _unit(self) -> Integers:
        return np.arange(len(self.humans)) if self.cluster is None else self.cluster

    @cached_property
    def _pairs(self) -> Pairings:
        """The pairs of a human and a run, judge by judge."""
        r = self.humans.shape[1]
        columns = range(r, r + sum(x.shape[1] for x in self.runs))
        pairs = [(h, c) for c in columns for h in range(r)]
        codes = np.concatenate([self.humans, *self.runs], axis=1)
        return Pairings(codes, pairs, self.k, self.cluster)

    @cached_property
    def _weights(self) -> Floats:
        """Return the weight of each pair in the agreement of each judge (J, P)."""
        known = ~np.isnan(values_of(self._pairs, self.metric))
        sizes = [x.shape[1] * self.humans.shape[1] for x in self.runs]
        owner = np.repeat(np.arange(len(sizes)), sizes)
        own = (owner == np.arange(len(sizes))[:, None]) & known
        return np.asarray(own / np.maximum(own.sum(axis=1, keepdims=True), 1))

    @cached_property
    def found(self) -> Contributions:
        """What units contribute to the agreement of each judge."""
        made = self._pairs.means(self.metric, self._weights)
        nothing = self._weights.sum(axis=1) == 0
        return replace(
            made,
            values=np.where(nothing, np.nan, made.values),
            unit_items=len(self.humans) / self.units,
        )

    def difference(self, pair: tuple[int, int], names: tuple[str, str], level: float) -> Delta:
        """The difference of two judges, with its interval and its raw p-value."""
        a, b = pair
        values, metric = self.found.values, self.metric
        delta = float(values[a] - values[b])
        error = Errors(self._error(a, b), self.units - 1.0)
        test = TTest(delta, delta, error, error, span_of(metric, self.k))
        low, high = test.ends(level) if delta == delta else (np.nan, np.nan)
        return Delta(
            metric=metric.name,
            display=metric.display,
            a=names[0],
            b=names[1],
            value_a=float(values[a]),
            value_b=float(values[b]),
            delta=delta,
            low=low,
            high=high,
            level=level,
            method="auto",
            p_value=test.two_sided,
            greater_is_better=bool(metric.greater_is_better),
            items=len(self.humans),
            clusters=0 if self.cluster is None else self.units,
            effective=float(len(self.humans)),
        )

    def _error(self, a: int, b: int) -> float:
        apart = self.found.parts[:, a] - self.found.parts[:, b]
        differ = self._differ(a, b)
        one_more = float((apart[differ] ** 2).mean()) if differ.any() else 0.0
        n = self.units
        return float((n / (n - 1) * (apart**2).sum() + one_more) ** 0.5)

    def _differ(self, a: int, b: int) -> NDArray[np.bool_]:
        """In which units two judges answered otherwise."""
        first, second = self.runs[a], self.runs[b]
        if first.shape == second.shape:
            items = (first != second).any(axis=1)
        else:
            items = np.ones(len(first), dtype=bool)
        return np.bincount(self._unit, items, minlength=self.units) > 0

    def adjusted(self, pairs: Sequence[tuple[int, int]], raw: Sequence[float]) -> Floats:
        """P-values corrected for all pairs."""
        p = np.array(raw)
        if len(pairs) < 2:
            return p
        if self.exchange is None:
            return np.asarray(holm(p))
        plain = replace(self.found, pseudo=np.zeros_like(self.found.pseudo))
        return np.asarray(np.fmax(self.exchange.p_values(plain, pairs), p))

    @cached_property
    def exchange(self) -> Exchange | None:
        """What exchanges three or more judges within clusters, if clusters are few."""
        judges, r = len(self.runs), self.humans.shape[1]
        one_run = all(x.shape[1] == 1 for x in self.runs)
        size = self.units * judges * r * self.k**2
        few = self.cluster is not None and self.units <= _MOST_CLUSTERS
        if (
            judges < 3
            or not few
            or not one_run
            or size > _MOST_NUMBERS
            or np.isnan(self.found.values).any()
        ):
            return None
        pair, item, cell = self._pairs.entries
        place = (self._unit[item] * judges * r + pair) * self.k**2 + cell
        tables = np.bincount(place, minlength=size).astype(np.float64)
        tables = tables.reshape(self.units, judges, r, self.k, self.k)

        def drawn(orders: Integers) -> Drawn:
            return self._drawn(tables[np.arange(self.units)[:, None], orders])

        return Exchange(self.metric, (self.units, judges), 2 * size, drawn)

    def _drawn(self, tables: Floats) -> Drawn:
        """What clusters contribute, from their tables (B, U, J, R, K, K)."""
        draws, units, judges, r = tables.shape[:4]
        flat = tables.reshape(draws, units, judges * r, self.k, self.k)
        matrices = flat.sum(axis=1)
        cells = cells_of(self.metric.values, matrices)
        parts = np.einsum("bupij,bpij->bup", flat, cells.table) @ self._weights.T
        values = np.asarray(self.metric.values(matrices)) @ self._weights.T
        none = np.zeros((draws, judges, judges))
        return Drawn(values, cells.centre @ self._weights.T, parts, none)
