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
from ordeval.inference.sample_stacks import Grouped
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

_CELLS: Final = 50_000_000  # of the matrices of all subgroups and models


class Segments:
    """The items of M models in G subgroups, each of which has some that weigh anything."""

    def __init__(self, sample: Sample, group: Integers, size: int) -> None:
        order = np.argsort(group, kind="stable")
        self.sample, self.group, self.size = sample.take(order), group[order], size

    @staticmethod
    def fit(size: int, models: int, k: int) -> bool:
        """Whether the matrices of this many subgroups fit into memory."""
        return k**4 <= DENSE and size * models * k**2 <= _CELLS

    def _stacks(self) -> list[Grouped]:
        """The subgroups by each model."""
        each = map(self.sample.of_models, np.arange(self.sample.models)[:, None].tolist())
        return [Grouped(sample, self.group, self.size) for sample in each]

    def each(self, metric: Metric) -> Iterator[tuple[Sample, Contributions]]:
        """The sample of each subgroup, and what its units contribute to a measure."""
        parts = list(self._samples())
        return zip(parts, influence(metric, parts), strict=True)

    def _samples(self) -> Iterator[Sample]:
        stacks, stop = self._stacks(), np.cumsum(np.bincount(self.group, minlength=self.size))
        first, start = stacks[0], 0
        matrices, counts = (
            np.stack([getattr(s, name) for s in stacks], axis=1) for name in ("matrices", "counts")
        )
        # What is found for all subgroups need not be found again.
        found = {
            "matrices": matrices,
            "counts": counts,
            "effective": first.effective.tolist(),
            "units_by_class": first.units_by_class,
        }
        if self.sample.cluster is not None:
            found["clusters"] = first.units.astype(np.int64).tolist()
        for g, end in enumerate(stop.tolist()):
            part = self.sample.take(slice(start, end))
            vars(part).update({name: of_all[g] for name, of_all in found.items()})
            vars(part)["share"] = first.share[start:end]
            start = end
            yield part

    def intervals(self, metric: Metric, level: float) -> Floats:
        """The value of each model in each subgroup and the ends of its interval (3, G, M)."""
        made = []
        for stack in self._stacks():
            found = alone.measured(metric, stack)
            made.append([found.values, *alone.ends(metric, stack, found, level)])
        return np.moveaxis(np.array(made), 0, -1)
