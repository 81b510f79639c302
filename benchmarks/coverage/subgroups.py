"""Subgroups of one data set: how often equal ones are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import (
    Design,
    Population,
    draw_clusters,
    draw_items,
    generator,
)
from benchmarks.coverage.stacks import LEVEL, measures, same, samples_of, some
from ordeval.data.scale import Scale
from ordeval.inference.intervals import Estimation
from ordeval.inference.subgroups import Subgroups, of_counts, of_sample
from ordeval.measures import Metric

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
    for m in metrics:
        for i in some(data_sets, rng, 1):
            public = oe.score(stacks[i], metrics=[m]).found[m.name]
            same(f"{m.name}, subgroups", found[i][m.name].low, public.low)
    yield from _rates(found, f"{sizes}, {design}", metrics)


def tied(kind: str, data_sets: int, seed: int) -> Iterator[Rate]:
    """Equal subgroups of clustered or of weighted items."""
    population = Population(5, "balanced")
    rng = generator(seed, "subgroups", kind)
    scale, how, metrics = Scale(range(5)), Estimation(), tuple(measures(CHOSEN))
    if kind == "clusters":
        items, cluster = draw_clusters(population, 80, data_sets, rng), np.repeat(np.arange(80), 10)
        samples = samples_of(items, 5, cluster=cluster)
    else:
        items = draw_items((population,), 400, data_sets, rng)
        samples = samples_of(items, 5, weight=rng.lognormal(0.0, 0.8, items.truth.shape))
    group = np.repeat(np.arange(4), items.truth.shape[1] // 4)
    found = [of_sample(metrics, s, group, 4, scale, how=how) for s in samples]
    yield from _rates(found, f"4, {kind}", metrics)


def _rates(
    found: list[dict[str, Subgroups]], column: str, metrics: tuple[Metric, ...]
) -> Iterator[Rate]:
    """How often any subgroup is claimed to differ, and all of them together."""
    for m in metrics:
        own = [f[m.name] for f in found]
        one = sum(bool(s.differ.any()) for s in own)
        yield Rate("subgroups, each", m.name, column, one, len(own), Bound(0.0, 0.07))
        all_of_them = sum(s.heterogeneity.p_value <= 1 - LEVEL for s in own)
        yield Rate("subgroups, together", m.name, column, all_of_them, len(own), Bound(0.0, 0.07))
