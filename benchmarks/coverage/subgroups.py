"""Subgroups of one data set: how often equal ones are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import Design, Population, generator
from benchmarks.coverage.stacks import LEVEL, measures, same, some
from ordeval.data.scale import Scale
from ordeval.inference.intervals import Estimation
from ordeval.inference.subgroups import of_counts

SIZES: Final = {
    "4 of 50": (50,) * 4,
    "10 of 100": (100,) * 10,
    "20 to 400": (20, 50, 100, 400),
}
CHOSEN: Final = ("cem_ord", "weighted_kappa", "average_mae", "accuracy")


def alike(sizes: str, design: Design, data_sets: int, seed: int) -> Iterator[Rate]:
    """Equal subgroups: how often one is claimed to differ, and all of them together."""
    population = Population(5, design)
    rng = generator(seed, "subgroups", sizes, design)
    joint, scale, how = population.joint.ravel(), Scale(range(5)), Estimation()
    stacks = np.stack([rng.multinomial(n, joint, data_sets) for n in SIZES[sizes]], axis=1)
    stacks = stacks.reshape(*stacks.shape[:2], 5, 5)
    metrics = tuple(measures(CHOSEN))
    found = [of_counts(metrics, stack, scale, how) for stack in stacks]
    column = f"{sizes}, {design}"
    for m in metrics:
        own = [f[m.name] for f in found]
        for i in some(data_sets, rng, 1):
            public = oe.score(stacks[i], metrics=[m]).found[m.name]
            same(f"{m.name}, subgroups", own[i].low, public.low)
        one = sum(bool(s.differ.any()) for s in own)
        yield Rate("subgroups, each", m.name, column, one, data_sets, Bound(0.0, 0.07))
        all_of_them = sum(s.heterogeneity.p_value <= 1 - LEVEL for s in own)
        yield Rate("subgroups, together", m.name, column, all_of_them, data_sets, Bound(0.0, 0.07))
