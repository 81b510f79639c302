"""Intervals of one model: independent items, clusters, weights, and the methods that draw."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate, of_interval
from benchmarks.coverage.populations import (
    Cell,
    Design,
    Population,
    draw_clusters,
    draw_items,
    draw_matrices,
    generator,
)
from benchmarks.coverage.stacks import (
    PANEL,
    Ends,
    Names,
    intervals,
    measures,
    same,
    samples_of,
    some,
)
from ordeval.data.scale import Scale
from ordeval.inference.influence import influence
from ordeval.inference.intervals import Estimation, Method, Observed, interval_of
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

CLUSTERS: Final = (10, 20, 50)
METHODS: Final[tuple[Method, ...]] = ("auto", "bca", "percentile", "bayes")


def independent(
    k: int, n: int, design: Design, data_sets: int, seed: int, names: Names = None
) -> Iterator[Rate]:
    """Intervals of all measures, of independent items."""
    cell = Cell(Population(k, design), n)
    rng = generator(seed, "one", cell)
    matrices = draw_matrices(cell, data_sets, rng)
    for metric in measures(names):
        ends = intervals(metric, matrices)
        for i in some(data_sets, rng):
            made = oe.confidence_interval(metric, matrices[i])
            same(f"{metric.name}, {cell}", (ends.low[i], ends.high[i]), (made.low, made.high))
        held = ends.hold(cell.population.value(metric))
        bound = of_interval(metric, cell)
        yield Rate(f"intervals, K = {k}", metric.name, f"{n:,} {design}", *held, bound)


def clustered(clusters: int, data_sets: int, seed: int, names: Names = PANEL) -> Iterator[Rate]:
    """Intervals with clusters of ten items that are alike, and without saying so."""
    population = Population(5, "balanced")
    rng = generator(seed, "clusters", clusters)
    items = draw_clusters(population, clusters, data_sets, rng)
    cluster = np.repeat(np.arange(clusters), 10)
    samples = samples_of(items, 5, cluster=cluster)
    matrices = items.matrices(5)[:, 0]
    # With fewer than 20 the library warns that an interval rests on little.
    bound = Bound(0.925, 0.975) if clusters >= 20 else Bound(0.90, 1.0, "few clusters, OE304")
    for metric in measures(names):
        ends, value = _ends(metric, samples), population.value(metric)
        for i in some(data_sets, rng):
            made = oe.confidence_interval(
                metric,
                items.truth[i],
                items.predictions[i, :, 0],
                labels=range(5),
                clusters=cluster,
            )
            same(f"{metric.name}, clusters", (ends.low[i], ends.high[i]), (made.low, made.high))
        yield Rate("clusters", metric.name, f"{clusters} clusters", *ends.hold(value), bound)
        alone = intervals(metric, matrices).hold(value)
        yield Rate("clusters", metric.name, f"{clusters}, not told", *alone)


def weighted(n: int, kind: str, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals with uneven weights, or with weights that undo how items were chosen."""
    population = Population(5, "imbalanced" if kind == "rare classes chosen" else "balanced")
    rng = generator(seed, "weights", n, kind)
    if kind == "uneven":
        items = draw_items((population,), n, data_sets, rng)
        weight = rng.lognormal(0.0, 0.8, items.truth.shape)
    else:
        # All classes are sampled alike; the weights bring back their shares.
        items = draw_items((Population(5, "balanced"),), n, data_sets, rng)
        weight = (population.shares * 5)[items.truth]
    samples = samples_of(items, 5, weight=weight)
    for metric in measures(PANEL):
        ends = _ends(metric, samples)
        for i in some(data_sets, rng):
            made = oe.confidence_interval(
                metric, items.truth[i], items.predictions[i, :, 0], labels=range(5),
                sample_weight=weight[i],
            )  # fmt: skip
            same(f"{metric.name}, weights", (ends.low[i], ends.high[i]), (made.low, made.high))
        held = ends.hold(population.value(metric))
        yield Rate("weights", metric.name, f"{n:,} {kind}", *held, Bound(0.925, 0.975))


def _ends(metric: Metric, samples: list[Sample]) -> Ends:
    scale, how = Scale(range(samples[0].k)), Estimation()
    made = [
        interval_of(metric, Observed(s, scale, implied=False), found, how)
        for s, found in zip(samples, influence(metric, samples), strict=True)
    ]
    return Ends(np.array([i.low for i in made]), np.array([i.high for i in made]))


def by_method(n: int, design: Design, data_sets: int, seed: int) -> Iterator[Rate]:
    """The default beside the methods that draw; shown and not judged."""
    cell = Cell(Population(5, design), n)
    rng = generator(seed, "methods", cell)
    chosen = measures(
        ["accuracy", "weighted_kappa", "average_mae", "auoc", "oc_index", "maximum_mae"]
    )
    matrices = draw_matrices(cell, data_sets, rng)
    for method in METHODS:
        held = dict.fromkeys(chosen, 0)
        for counts in matrices:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", oe.OrdevalWarning)
                made = oe.score(counts, metrics=chosen, method=method, n_resamples=999, rng=rng)
            for m in chosen:
                held[m] += cell.population.value(m) in made.intervals[m.name]
        for m in chosen:
            yield Rate(f"methods, {n} {design}", m.name, method, held[m], data_sets)
