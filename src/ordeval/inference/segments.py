"""Several models in very many subgroups: contributions of all subgroups from one pass.

What an item of each cell contributes is found for the matrices of all subgroups at once; what is
left for each subgroup does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference import alone
from ordeval.inference.contributions import (
    DENSE,
    Contributions,
    by_cell,
    gathered,
    pseudo_items,
    without_noise,
)
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

_CELLS: Final = 50_000_000  # of the matrices of all subgroups and models


class Segments:
    """The items of M models that stand alone, in G subgroups, each of which has some."""

    def __init__(self, sample: Sample, group: Integers, size: int) -> None:
        order = np.argsort(group, kind="stable")
        self.sample, self.group, self.size = sample.take(order), group[order], size
        self._ends = np.searchsorted(self.group, np.arange(size + 1))

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
        return counts.reshape(self.size, s.models, s.k, s.k)

    def each(self, metric: Metric) -> Iterator[tuple[Sample, Contributions]]:
        """The sample of each subgroup, and what its items contribute to a measure."""
        matrices, k, m = self.matrices, self.sample.k, self.sample.models
        pseudo = pseudo_items(matrices)
        flat = matrices.reshape(-1, k, k)
        values = without_noise(metric, k, np.asarray(metric.values(np.rint(flat).astype(np.int64))))
        centre, table, bias = by_cell(metric.values, flat + pseudo.reshape(flat.shape))
        centre = without_noise(metric, k, centre)
        for g in range(self.size):
            rows, models = slice(*self._ends[g : g + 2]), slice(g * m, (g + 1) * m)
            part = self._part(rows)
            vars(part)["matrices"] = matrices[g]  # which need not be counted again
            found = centre[models], table[models], bias[models]
            yield part, gathered(part, values[models], pseudo[g], found)

    def _part(self, rows: slice) -> Sample:
        s = self.sample
        return Sample(s.truth[rows], s.predictions[rows], s.count[rows], s.k)

    def intervals(self, metric: Metric, level: float) -> Floats:
        """The value of each model in each subgroup and the ends of its interval (3, G, M)."""
        flat = self.matrices.reshape(-1, self.sample.k, self.sample.k)
        found = alone.measured(metric, flat)
        low, high = alone.ends(metric, flat, found, level)
        return np.stack([found.values, low, high]).reshape(3, self.size, self.sample.models)
