"""Differences of two models: size, agreement of interval and test, and coverage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import ndtr

import ordeval as oe
from benchmarks.coverage.bounds import (
    ENOUGH,
    FEW,
    ROUGH,
    SMALL,
    STEPS,
    Bound,
    Rate,
    of_difference,
)
from benchmarks.coverage.populations import (
    Cell,
    Design,
    Floats,
    Integers,
    Items,
    Population,
    draw_items,
    generator,
    mixed,
    predicted,
)
from benchmarks.coverage.stacks import (
    PANEL,
    Differences,
    Ends,
    Names,
    differences,
    finite,
    measures,
    same,
    some,
)
from ordeval.measures import Metric

ALPHA = 0.05
CLUSTERS = (20, 50, 200)
IN_CLUSTERS = ("accuracy", "average_mae", "cem_ord", "f1_macro", "weighted_kappa")


def alike(
    k: int, n: int, design: Design, data_sets: int, seed: int, names: Names = None
) -> Iterator[Rate]:
    """Two exchangeable models: how often zero is left out, by all measures."""
    cell = Cell(Population(k, design), n)
    rng = generator(seed, "two", cell)
    items = draw_items((cell.population, cell.population), n, data_sets, rng)
    for metric in measures(names):
        if metric.by_class is not None or metric.biased:
            continue
        found = differences(metric, items, k)
        _check(metric, items, found, cell, rng)
        left_out = finite(found.p_value) <= ALPHA
        bound = of_difference(metric, cell)
        where = metric.name, f"{n:,} {design}"
        yield Rate(f"differences, K = {k}", *where, int(left_out.sum()), len(left_out), bound)
        agree = Bound(0.99, 1.0)
        yield Rate(f"agreement, K = {k}", *where, *agreement(found.ends, found.p_value), agree)


def agreement(ends: Ends, p_value: Floats) -> tuple[int, int]:
    """In how many data sets interval and test say the same of zero."""
    there = ~np.isnan(p_value)
    outside = (ends.low > 0) | (ends.high < 0)
    return int((outside == (p_value < ALPHA))[there].sum()), int(there.sum())


def in_clusters(clusters: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """Two exchangeable models on clusters of one class each: of a rare class there are few."""
    population, size = Population(5, "imbalanced"), 8
    cell, column = Cell(population, clusters), f"{clusters:,} clusters"
    rng = generator(seed, "two in clusters", clusters)
    drawn = [_clusters(population, clusters, size, rng) for _ in range(data_sets)]
    where, labels = np.repeat(np.arange(clusters), size), range(population.k)
    for metric in measures(IN_CLUSTERS):
        made = [oe.paired_delta(metric, *x, labels=labels, clusters=where) for x in drawn]
        p, bound = finite(np.array([d.p_value for d in made])), of_difference(metric, cell)
        table = "differences in clusters"
        yield Rate(table, metric.name, column, int((p <= ALPHA).sum()), len(p), bound)


def _clusters(
    population: Population, clusters: int, size: int, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """The truth and two predictions of clusters alike in class and in how hard they are."""
    truth = np.repeat(rng.choice(population.k, size=(clusters, 1), p=population.shares), size, 1)
    answers = []
    for _ in range(2):
        hard = mixed(rng.standard_normal((clusters, 1)), rng.standard_normal(truth.shape), 0.5)
        answers.append(predicted(population, truth, ndtr(hard)).ravel())
    return truth.ravel(), answers[0], answers[1]


def opposite(n: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """Two models that are biased in opposite directions, and equally good by the measure."""
    population = Population(5, "balanced", lean=0.8)
    cell = Cell(population, n)
    rng = generator(seed, "opposite", n)
    items = draw_items((population, population.mirrored()), n, data_sets, rng)
    for metric in measures(PANEL):
        gap = population.value(metric) - population.mirrored().value(metric)
        if not metric.reversal_invariant or abs(gap) > 1e-9:
            continue
        found = differences(metric, items, 5)
        _check(metric, items, found, cell, rng)
        p = finite(found.p_value)
        bound = of_difference(metric, cell)
        yield Rate("opposite biases", metric.name, f"{n:,}", int((p <= ALPHA).sum()), len(p), bound)


def apart(k: int, n: int, design: Design, data_sets: int, seed: int) -> Iterator[Rate]:
    """A is worse than B: is the true difference held?"""
    better = Population(k, design)
    worse = replace(better, fall=0.9)
    cell = Cell(better, n)
    rng = generator(seed, "apart", cell)
    items = draw_items((worse, better), n, data_sets, rng)
    column = f"K = {k}, {n:,} {design}"
    for metric in measures(PANEL):
        truth = worse.value(metric) - better.value(metric)
        found = differences(metric, items, k)
        _check(metric, items, found, cell, rng)
        held = found.ends.hold(truth)
        yield Rate("true differences", metric.name, column, *held, of_truth(metric, cell))


def of_truth(metric: Metric, cell: Cell) -> Bound:
    """How often the interval of a difference must hold it."""
    if metric.name in ROUGH:
        return Bound(0.90, 1.0, ROUGH[metric.name])
    if cell.rarest < ENOUGH:
        return Bound(0.90, 1.0, FEW)
    if cell.population.design == "near perfect":
        return Bound(0.90, 1.0, STEPS)
    return Bound(0.925, 0.99, SMALL) if cell.items <= 50 else Bound(0.925, 0.975)


def _check(
    metric: Metric, items: Items, found: Differences, cell: Cell, rng: np.random.Generator
) -> None:
    """Compare some of the differences with what ``paired_delta`` says."""
    k, ends = cell.population.k, found.ends
    for i in some(len(items.truth), rng, 2):
        a, b = items.predictions[i].T
        made = oe.paired_delta(metric, items.truth[i], a, b, labels=range(k))
        ours, public = [ends.low[i], ends.high[i], found.p_value[i]], [made.low, made.high]
        same(f"{metric.name}, {cell}", ours, [*public, made.p_value])
