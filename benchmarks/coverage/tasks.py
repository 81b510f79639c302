"""What is simulated: the cells of all tables, as tasks that processes share."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import ordeval as oe
from benchmarks.coverage import many_models, one_model, subgroups, two_models
from benchmarks.coverage.bounds import Amount, Rate
from benchmarks.coverage.populations import DESIGNS

Task = tuple[str, Callable[..., Iterable[Rate | Amount]], tuple[Any, ...], int]

SEED = 20261117
SIZES = (50, 200, 1000)
CLASSES = (3, 5, 10)


def tasks(data_sets: int) -> Iterator[Task]:
    """Name, function, its arguments, and the number of data sets."""
    d = data_sets
    for n in SIZES:
        for design in DESIGNS:
            for k in CLASSES:
                yield "one", one_model.independent, (k, n, design), d
                yield "two", two_models.alike, (k, n, design), d
    for clusters in one_model.CLUSTERS:
        yield "clusters", one_model.clustered, (clusters,), d
    for n in (200, 1000):
        for kind in ("uneven", "rare classes chosen"):
            yield "weights", one_model.weighted, (n, kind), d
    for n in SIZES:
        yield "two", two_models.opposite, (n,), d
        for design in ("balanced", "imbalanced"):
            yield "two", two_models.apart, (5, n, design), d
    for m in many_models.MODELS:
        for cell in many_models.cells():
            args = (m, cell.items, cell.population.design)
            yield "many", many_models.alike, args, d if m < 20 else d // 2
    for m in (5, 20):
        for n in (200, 1000):
            yield "many", many_models.apart, (m, n), d // 2
    for sizes in subgroups.SIZES:
        for design in ("balanced", "imbalanced"):
            yield "subgroups", subgroups.alike, (sizes, design), d
    for n, design in ((50, "balanced"), (50, "imbalanced"), (200, "imbalanced")):
        yield "methods", one_model.by_method, (n, design), d // 4


def run(task: Task) -> tuple[list[Rate | Amount], float]:
    """What a task finds, and its seconds."""
    _, function, arguments, data_sets = task
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    start = time.process_time()
    return list(function(*arguments, data_sets, SEED)), time.process_time() - start
