"""Several models in very many subgroups: contributions of all subgroups from one pass.

What an item of each cell contributes is found for the matrices of all subgroups at once; what is
left for each subgroup does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.influence import (
    DENSE,
    Contributions,
    cells_of,
    freedom_of,
    freedom_of_few,
    without_noise,
)
from ordeval.inference.sample_stacks import Tables
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

_CELLS: Final = 50_000_000  # of the matrices of all subgroups and models


class Segments:
    """The items of M models that stand alone, in G subgroups, each of which has some."""

    def __init__(self, sample: Sample, group: Integers, size: int) -> None:
        order = np.argsort(group, kind="stable")
        self.sample, self.group, self.size = sample.take(order), group[order], size
        self._starts = np.searchsorted(self.group, np.arange(size + 1))

    @staticmethod
    def fit(size: int, models: int, k: int) -> bool:
        """Whether the matrices of so many subgroups can be held at once."""
        return k**4 <= DENSE and size * models * k**2 <= _CELLS

    @property
    def matrices(self) -> Floats:
        """The matrices (G, M, K, K)."""
        s, k2 = self.sample, self.sample.k**2
        place = (self.group[:, None] * s.models + np.arange(s.models)) * k2 + s.cells
        amount = np.repeat(s.count, s.models)
        counts = np.bincount(place.ravel(), amount, minlength=self.size * s.models * k2)
        return counts.reshape(self.size, s.models, s.k, s.k).astype(np.float64)

    def each(self, metric: Metric) -> Iterator[tuple[Sample, Contributions]]:
        """The sample of each subgroup, and what its items contribute to a measure."""
        matrices, s, k = self.matrices, self.sample, self.sample.k
        shape, items = matrices.shape[:2], matrices[:, 0].sum(axis=(-2, -1))
        flat = matrices.reshape(-1, k, k)
        values = np.asarray(metric.values(np.rint(flat).astype(np.int64)), dtype=np.float64)
        values = without_noise(metric, k, values).reshape(shape)
        cells = cells_of(metric.values, matrices)
        centre, pseudo, bias = without_noise(metric, k, cells.centre), cells.covariance, cells.bias
        table = cells.table.reshape(*shape, k * k)
        parts = table[self.group[:, None], np.arange(s.models), s.cells]
        spread, freedom = self._spread(parts, items)
        most = freedom_of_few(metric, matrices[:, 0].sum(axis=-1), left_out=True)
        covariance = spread + pseudo
        count = s.count.astype(np.float64)
        for g, size in enumerate(items.tolist()):
            rows = slice(self._starts[g], self._starts[g + 1])
            part = Sample(s.truth[rows], s.predictions[rows], s.count[rows], k)
            found = Contributions(
                values=values[g],
                centre=centre[g],
                parts=parts[rows],
                count=count[rows],
                pseudo=pseudo[g],
                bias=bias[g],
                most_freedom=most[g],
            )
            # What was found for all subgroups need not be found again.
            vars(part).update(matrices=matrices[g], effective=size)
            vars(found).update(covariance=covariance[g], own_freedom=freedom[g], units=size)
            yield part, found

    def _spread(self, parts: Floats, items: Floats) -> tuple[Floats, Floats]:
        """The covariances (G, M, M) of what items contribute, and degrees of freedom (G, M)."""
        weighed = parts * self.sample.count[:, None]
        products = weighed[:, :, None] * parts[:, None, :]
        starts, n = self._starts[:-1], items[:, None]
        second, fourth = (np.add.reduceat(weighed * parts**power, starts) / n for power in (1, 3))
        more = np.where(items > 1, items / np.maximum(items - 1, 1), np.nan)
        spread = more[:, None, None] * np.add.reduceat(products, starts)
        return spread, freedom_of(second, fourth, n)

    def intervals(self, metric: Metric, level: float) -> Floats:
        """The value of each model in each subgroup and the ends of its interval (3, G, M)."""
        flat = self.matrices.reshape(-1, self.sample.k, self.sample.k)
        stack = Tables(flat)
        found = alone.measured(metric, stack)
        low, high = alone.ends(metric, stack, found, level)
        return np.stack([found.values, low, high]).reshape(3, self.size, self.sample.models)
