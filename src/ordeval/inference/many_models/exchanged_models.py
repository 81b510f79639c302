"""How large the largest of many differences is by chance, if clusters are few.

With a few dozen clusters a multivariate t is anticonservative: it estimates the covariance of many
models from few units. Equally good models can be exchanged within each cluster instead. All
differences are then studentised again, and the largest of them has the reference distribution:
exactly if the models are exchangeable, and in large samples if they are only equally good (Janssen
1997; Chung & Romano 2013). Draws go over clusters, so that their cost is independent of the items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import DENSE, cells_of, cut_of
from ordeval.inference.influence import Contributions
from ordeval.inference.many_models.simultaneous import (
    ModelPairs,
    errors_of,
    gap_of,
    studentised,
    t_p_values,
)
from ordeval.inference.samples import Sample, blocks
from ordeval.measures import Metric

_DRAWS: Final = 1_999
_SEED: Final = 20_110_602
_MOST_CLUSTERS: Final = 100  # with more, the multivariate t holds
_MOST_NUMBERS: Final = 1_000_000  # in the tables of one draw


class Drawn(NamedTuple):
    """The contributions of clusters in each of B draws."""

    values: Floats  # (B, M)
    centre: Floats  # (B, M), with the pseudo-item
    parts: Floats  # (B, U, M)
    pseudo: Floats  # (B, M, M), the covariance that the pseudo-item adds

    @property
    def covariance(self) -> Floats:
        """The covariances (B, M, M) of the values."""
        units = self.parts.shape[1]
        spread = np.swapaxes(self.parts, 1, 2) @ self.parts
        return np.asarray(units / (units - 1) * spread + self.pseudo)

    def turned(self, metric: Metric) -> Drawn:
        """Return the values to compare: for a two-sided measure, distances from its best value."""
        if metric.greater_is_better is not None:
            return self
        side = np.where(self.values == metric.best, self.centre, self.values)
        sign = np.where(side < metric.best, -1.0, 1.0)
        return Drawn(
            np.abs(self.values - metric.best),
            sign * (self.centre - metric.best),
            self.parts * sign[:, None],
            self.pseudo * sign[:, :, None] * sign[:, None, :],
        )

    def largest(self, pairs: ModelPairs) -> Floats:
        """The largest studentised difference of some pairs; of pairs without a value, zero."""
        ratios = np.nan_to_num(self.ratios(pairs), nan=0.0, posinf=np.inf)
        return np.asarray(ratios.max(axis=1, initial=0.0))

    def ratios(self, pairs: ModelPairs) -> Floats:
        """The studentised differences (B, P) of some pairs, without their signs."""
        first, second = _ends(pairs)
        gap = gap_of(self.centre[:, first], self.centre[:, second])
        return np.abs(studentised(gap, errors_of(self.covariance)[:, first, second]))


@dataclass(frozen=True, eq=False)
class Exchange:
    """Differences of M models that are exchanged within each of U clusters."""

    metric: Metric
    shape: tuple[int, int]  # (U, M)
    numbers: int  # in the tables of one draw
    drawn: Callable[[Integers], Drawn]  # from orders of the models in each cluster (B, U, M)
    kept: dict[tuple[tuple[int, int], ...], Floats] = field(default_factory=dict)

    def largest(self, pairs: ModelPairs) -> Floats:
        """The largest studentised difference of some pairs, in each draw, in order."""
        wanted = tuple(pairs)
        if wanted not in self.kept:
            self.kept[wanted] = np.sort(self._drawn_largest(wanted))
        return self.kept[wanted]

    def _drawn_largest(self, pairs: ModelPairs) -> Floats:
        rng, found, start = np.random.default_rng(_SEED), np.empty(_DRAWS), 0
        for size in blocks(_DRAWS, 8 * (self.numbers + 4 * self.shape[1] ** 2)):
            same = np.broadcast_to(np.arange(self.shape[1]), (size, *self.shape))
            found[start : start + size] = self._made(rng.permuted(same, axis=2)).largest(pairs)
            start += size
        return found

    def ends(self, pairs: ModelPairs, level: float) -> tuple[Floats, Floats]:
        """Simultaneous intervals of some pairs, by the critical value that decides on all."""
        first, second = _ends(pairs)
        gap = gap_of(self._own.centre[0, first], self._own.centre[0, second])
        # The least ratio whose p-value is at most one minus the level.
        rank = int((1 - level) * (1 + _DRAWS) + 1e-9)
        limit = self.largest(pairs)[_DRAWS - rank] if rank else np.inf
        reach = limit * errors_of(self._own.covariance)[0, first, second]
        return gap - reach, gap + reach

    @cached_property
    def _own(self) -> Drawn:
        """What clusters contribute with the models as they are."""
        return self._made(np.broadcast_to(np.arange(self.shape[1]), (1, *self.shape)))

    def _made(self, orders: Integers) -> Drawn:
        return self.drawn(orders).turned(self.metric)

    def p_values(self, found: Contributions, pairs: ModelPairs) -> Floats:
        """P-values of some pairs, corrected for all of them; none falls below its own."""
        first, second = _ends(pairs)
        gap = gap_of(found.centre[first], found.centre[second])
        error = errors_of(found.covariance)[first, second]
        raw = np.asarray(t_p_values(gap, error, found.freedom))
        (observed,) = self._own.ratios(pairs)
        as_large = self.largest(pairs).searchsorted(observed - 1e-9, side="left")
        corrected = (1 + _DRAWS - as_large) / (1 + _DRAWS)
        return np.asarray(np.where(np.isnan(raw), raw, np.maximum(corrected, raw)))


def _ends(pairs: ModelPairs) -> Integers:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def few_clusters(sample: Sample) -> bool:
    """Whether models of a sample are exchanged: with two of them, or many clusters, a t holds."""
    return (
        sample.models > 2
        and 1 < sample.clusters <= _MOST_CLUSTERS
        and not (sample.stratify or sample.strata)
    )


def exchange(metric: Metric, sample: Sample) -> Exchange | None:
    """What exchanges labels; None where a formula holds, or draws cost too much."""
    if not few_clusters(sample) or sample.k**4 > DENSE:
        return None
    tables = _cluster_tables(sample)
    if tables.size > _MOST_NUMBERS:
        return None

    def drawn(orders: Integers) -> Drawn:
        return _of_tables(metric, tables[np.arange(len(tables))[:, None], orders], sample.one_item)

    numbers = tables.size + 2 * sample.models * sample.k**4
    return Exchange(metric, (len(tables), sample.models), numbers, drawn)


def _cluster_tables(sample: Sample) -> Floats:
    """The matrices (U, M, K, K) of each cluster."""
    k, models = sample.k, np.arange(sample.models)
    assert sample.cluster is not None
    present, number = np.unique(sample.cluster, return_inverse=True)
    shape = len(present), sample.models, k, k
    place = (number[:, None] * sample.models + models) * k * k + sample.cells
    weight = np.repeat(sample.share * sample.count, sample.models)
    return np.asarray(np.bincount(place.ravel(), weight, int(np.prod(shape))).reshape(shape))


def _of_tables(metric: Metric, tables: Floats, mass: float) -> Drawn:
    """What clusters contribute, from their tables (B, U, M, K, K)."""
    matrices = tables.sum(axis=1)
    cut = cut_of(metric, matrices.shape[-1])
    cells = cells_of(metric.values, matrices, np.full(matrices.shape[:2], mass), cut=cut)
    parts = np.einsum("bumij,bmij->bum", tables, cells.table)
    return Drawn(np.asarray(metric.values(matrices)), cells.centre, parts, cells.covariance)
