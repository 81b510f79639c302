"""Pairs of columns of labels, each on the items that both have: values, and what items contribute.

The columns may be raters, judges, a truth and predictions; every pair has a matrix of its own.
Items (or clusters) contribute to all of them at once, so that means of values and differences of
means have one covariance, as those of models on the same items do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import cells_of
from ordeval.inference.ends.range_ends import each_reach, unseen
from ordeval.inference.influence import Contributions
from ordeval.measures import Metric


@dataclass(frozen=True, eq=False)
class Pairings:
    """P pairs of columns over N items."""

    codes: Integers  # (N, C), positions on the scale; negative: no label
    pairs: Sequence[tuple[int, int]]  # truth and prediction of each pair, as columns
    k: int
    cluster: Integers | None = None  # (N,), numbers from 0

    @cached_property
    def entries(self) -> tuple[Integers, Integers, Integers]:
        """Pair, item and cell of every item that both columns of a pair have."""
        nothing = np.empty(0, dtype=np.int64)
        found = [(nothing, nothing, nothing)]
        for p, (a, b) in enumerate(self.pairs):
            item = np.flatnonzero((self.codes[:, a] >= 0) & (self.codes[:, b] >= 0))
            cell = self.codes[item, a] * self.k + self.codes[item, b]
            found.append((np.full(len(item), p), item, cell))
        pair, item, cell = (np.concatenate(x) for x in zip(*found, strict=True))
        return pair, item, cell

    @cached_property
    def matrices(self) -> Integers:
        """The matrices (P, K, K)."""
        pair, _, cell = self.entries
        size = len(self.pairs) * self.k**2
        counts = np.bincount(pair * self.k**2 + cell, minlength=size)
        return counts.reshape(-1, self.k, self.k).astype(np.int64)

    @cached_property
    def shared(self) -> Integers:
        """How many items each pair has in common (P,)."""
        return np.asarray(self.matrices.sum(axis=(-2, -1)))

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return len(self.codes) if self.cluster is None else len(np.unique(self.cluster))

    def values(self, metric: Metric) -> Floats:
        """The values (P,) of a measure, NaN where a pair has none."""
        return np.asarray(metric.values(self.matrices), dtype=np.float64)

    def means(self, metric: Metric, weights: Any) -> Contributions:
        """What units contribute to weighted sums (Q, P) of the values of pairs.

        A pair without a value must have no weight. Each pair has a pseudo-item of its own.
        """
        weights = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        used = np.flatnonzero((weights != 0).any(axis=0))
        chosen, weight = self._of(used), weights[:, used]
        counts = chosen.matrices.astype(np.float64)
        cells = cells_of(metric.values, counts)
        return Contributions(
            values=weight @ self.values(metric)[used],
            centre=weight @ cells.centre,
            parts=chosen._summed(cells.table, weight),
            count=np.ones(self.units),
            pseudo=_pseudo(weight, np.sqrt(cells.variance), chosen.pairs),
            bias=weight @ cells.bias,
        )

    def reach(self, metric: Metric, weight: Floats, tail: float) -> tuple[float, float]:
        """The least and the largest weighted sum that pairs without an error cannot exclude."""
        used = np.flatnonzero(weight)
        chosen = self._of(used)
        units = np.maximum(self._units_of(chosen), 1.0)
        amounts = unseen(units, tail) * chosen.shared / units
        low, high = each_reach(metric.values, chosen.matrices.astype(np.float64), amounts)
        return float(weight[used] @ low), float(weight[used] @ high)

    def _of(self, pairs: Integers) -> Pairings:
        """Some of the pairs, with their entries, which need not be found again."""
        if len(pairs) == len(self.pairs):
            return self
        chosen = Pairings(self.codes, [self.pairs[p] for p in pairs], self.k, self.cluster)
        sizes = np.cumsum([0, *self.shared.tolist()])
        kept = [slice(sizes[p], sizes[p + 1]) for p in pairs.tolist()]
        _, item, cell = self.entries
        vars(chosen).update(
            entries=(
                np.repeat(np.arange(len(pairs)), self.shared[pairs]),
                *(np.concatenate([x[:0], *(x[part] for part in kept)]) for x in (item, cell)),
            ),
            matrices=self.matrices[pairs],
        )
        return chosen

    def _units_of(self, chosen: Pairings) -> Floats:
        """How many independent units each pair has in common."""
        if self.cluster is None:
            return chosen.shared.astype(np.float64)
        pair, item, _ = chosen.entries
        clusters = int(self.cluster.max()) + 1
        seen = np.zeros(len(chosen.pairs) * clusters, dtype=bool)
        seen[pair * clusters + self.cluster[item]] = True
        return np.asarray(seen.reshape(-1, clusters).sum(axis=1), dtype=np.float64)

    def _summed(self, table: Floats, weight: Floats) -> Floats:
        """The contributions (U, Q) of units, from those of a cell of each pair (P, K, K)."""
        pair, item, cell = self.entries
        unit = item if self.cluster is None else _numbered(self.cluster)[item]
        found = np.zeros((self.units, len(weight)))
        each = table.reshape(len(table), -1)[pair, cell]
        for q, own in enumerate(weight):
            found[:, q] = np.bincount(unit, own[pair] * each, minlength=self.units)
        return found


def _numbered(cluster: Integers) -> Integers:
    return np.unique(cluster, return_inverse=True)[1].astype(np.int64)


def _pseudo(weight: Floats, spread: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """The covariance (Q, Q) that pseudo-units add, from the spread (P,) of each pair's own.

    A near miss is that of one of the two columns, either of them as likely, and the other pairs of
    that column miss with it: two pairs that share a column are half correlated.
    """
    columns = sorted({column for pair in pairs for column in pair})
    holds = np.array([[column in pair for column in columns] for pair in pairs], dtype=np.float64)
    moved = (weight * spread) @ (holds / np.sqrt(holds.sum(axis=1, keepdims=True)))
    return np.asarray(moved @ moved.T)
