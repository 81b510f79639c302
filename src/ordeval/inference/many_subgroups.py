"""Several models in very many subgroups: contributions of all subgroups from one pass.

What an item of each cell contributes is found for the matrices of all subgroups at once; what is
left for each subgroup does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import DENSE
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.influence import Contributions, influence
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
        parts = list(self._samples())
        return zip(parts, influence(metric, parts), strict=True)

    def _samples(self) -> Iterator[Sample]:
        s, starts = self.sample, self._starts.tolist()
        for start, stop, matrices in zip(starts, starts[1:], self.matrices, strict=False):
            rows = slice(start, stop)
            part = Sample(s.truth[rows], s.predictions[rows], s.count[rows], s.k)
            # What was found for all subgroups need not be found again.
            vars(part).update(matrices=matrices, effective=float(part.items))
            yield part

    def intervals(self, metric: Metric, level: float) -> Floats:
        """The value of each model in each subgroup and the ends of its interval (3, G, M)."""
        flat = self.matrices.reshape(-1, self.sample.k, self.sample.k)
        stack = Tables(flat)
        found = alone.measured(metric, stack)
        low, high = alone.ends(metric, stack, found, level)
        return np.stack([found.values, low, high]).reshape(3, self.size, self.sample.models)
