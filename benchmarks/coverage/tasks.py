"""What is simulated: the cells of all tables, as tasks that processes share."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import ordeval as oe
from benchmarks.coverage import (
    audit,
    calibrated,
    correlated,
    few_units,
    fields,
    forecasts,
    judge_kit,
    many_models,
    one_model,
    proxies,
    raters,
    subgroups,
    targets,
    tuned,
    two_models,
)
from benchmarks.coverage.bounds import Amount, Rate
from benchmarks.coverage.populations import DESIGNS

SEED = 20261117
SIZES = (50, 200, 1000)
CLASSES = (3, 5, 10)


class Task(NamedTuple):
    """What is simulated in one go."""

    name: str
    function: Callable[..., Iterable[Rate | Amount]]
    arguments: tuple[Any, ...]
    data_sets: int
    seed: int = SEED


class Done(NamedTuple):
    """What a task found, and how long it took."""

    found: list[Rate | Amount]
    seconds: float


def tasks(data_sets: int) -> Iterator[Task]:
    """All that is simulated."""
    d = data_sets
    for n in SIZES:
        for design in DESIGNS:
            for k in CLASSES:
                yield Task("one", one_model.independent, (k, n, design), d)
                yield Task("two", two_models.alike, (k, n, design), d)
    for clusters in one_model.CLUSTERS:
        yield Task("clusters", one_model.clustered, (clusters,), d)
    for n in (200, 1000):
        for kind in ("uneven", "rare classes chosen"):
            yield Task("weights", one_model.weighted, (n, kind), d)
    for n in SIZES:
        yield Task("two", two_models.opposite, (n,), d)
        for design in ("balanced", "imbalanced"):
            yield Task("two", two_models.apart, (5, n, design), d)
    for clusters in two_models.CLUSTERS:
        yield Task("two", two_models.in_clusters, (clusters,), d)
    for place in audit.STUDIES:
        for n in audit.SIZES:
            yield Task("audit", audit.margins, (place, n), d)
    for models, clusters, items in audit.JUDGES:
        yield Task("audit", audit.few_clusters, (models, clusters, items), d // 4)
    for models, clusters, items in audit.SCORERS:
        yield Task("audit", audit.scored_in_clusters, (models, clusters, items), d // 4)
    for place, n in correlated.SIZES:
        yield Task("versions", correlated.size, (place, n), d)
        yield Task("versions", correlated.power, (place, n), d // 2)
    for place in correlated.STUDIES:
        for n in fields.SIZES:
            yield Task("fields", fields.alone, (place, n), d)
    for k in fields.LONG:
        for n in (100, 300):
            yield Task("fields", fields.long_scale, (k, n), d)
    for area in fields.AREAS:
        yield Task("fields", fields.areas, (area,), d)
    for n in (100, 300):
        yield Task("fields", fields.tied_weights, (n,), d)
    yield Task("fields", fields.far_errors, (), d)
    for design in few_units.DESIGNS:
        yield Task("few clusters", few_units.alone, (design,), d)
        yield Task("few clusters", few_units.apart, (design,), d // 2)
    for study in few_units.SUBGROUPS:
        yield Task("few clusters", few_units.heterogeneous, (study,), d // 2)
    for m in many_models.MODELS:
        for cell in many_models.cells():
            args = (m, cell.items, cell.population.design)
            yield Task("many", many_models.alike, args, d if m < 20 else d // 2)
    for m in (5, 20):
        for n in (200, 1000):
            yield Task("many", many_models.apart, (m, n), d // 2)
    for sizes in subgroups.SIZES:
        for design in ("balanced", "imbalanced"):
            yield Task("subgroups", subgroups.alike, (sizes, design), d)
    for tie in ("clusters", "weights"):
        yield Task("subgroups", subgroups.tied, (tie,), d // 2)
    for n, items in proxies.SIZES:
        for judge in proxies.JUDGES:
            yield Task("proxies", proxies.few_labels, (n, items, judge), d)
    for kind in targets.PREVALENCES:
        for n in (200, 1000):
            for registry in targets.REGISTRIES:
                yield Task("targets", targets.prevalence, (kind, n, registry), d // 4)
    for design in targets.DESIGNS:
        for n in targets.LABELS:
            for judge in targets.JUDGES:
                yield Task("targets", targets.partial, (design, n, judge), d // 4)
    for m, fewer in targets.BOARDS.items():
        for equal in (True, False):
            yield Task("targets", targets.averaged, (m, equal), d // 4 // fewer)
    for n in SIZES:
        for design in DESIGNS:
            for r in raters.RATERS:
                yield Task("raters", raters.many, (r, n, design), d)
            for kind in raters.KINDS:  # near perfect judges are all alike
                if design != "near perfect" or kind == "as good":
                    yield Task("judges", raters.judged, (kind, n, design), d)
        for design in ("balanced", "imbalanced"):
            yield Task("judges", raters.skipping, (n, design), d)
        yield Task("judges", raters.alt_tested, (n,), d)
    for clusters in raters.CLUSTERS:
        yield Task("raters", raters.clustered, (3, clusters), d)
        yield Task("judges", raters.alt_tested_in_clusters, (clusters,), d)
        for kind in raters.KINDS:
            yield Task("judges", raters.judged_in_clusters, (kind, clusters), d)
    for where in judge_kit.places():
        for function in (judge_kit.pairs, judge_kit.drift, judge_kit.covariates, judge_kit.votes):
            yield Task("judge kit", function, (where,), d)
    for r in judge_kit.RATERS:
        yield Task("judge kit", judge_kit.votes_of_raters, (r, raters.Where(200)), d)
    for n in calibrated.SIZES:
        yield Task("calibration", calibrated.alone, (n,), d)
    for clusters in calibrated.CLUSTERS:
        yield Task("calibration", calibrated.clustered, (clusters,), d)
    for n in SIZES:
        for design in DESIGNS:
            for k in CLASSES:
                yield Task("forecasts", forecasts.independent, (k, n, design), d)
                yield Task("forecasts", forecasts.alike, (k, n, design), d)
            yield Task("forecasts", forecasts.rated, (n, design), d)
        for design in ("balanced", "imbalanced"):
            yield Task("forecasts", forecasts.apart, (n, design), d)
        yield Task("forecasts", forecasts.opposite, (n,), d)
    for clusters in forecasts.CLUSTERS:
        yield Task("forecasts", forecasts.clustered, (clusters,), d)
    for n in (50, 200):
        for design in ("balanced", "imbalanced"):
            yield Task("forecasts", forecasts.many, (n, design), d)
    for n, design in ((50, "balanced"), (50, "imbalanced"), (200, "imbalanced")):
        yield Task("methods", one_model.by_method, (n, design), d // 4)
    for measure in tuned.MEASURES:
        for gain in tuned.GAINS:
            for size in tuned.SIZES:
                yield Task("tuned decisions", tuned.gains, (size, measure, gain), d)


def parts() -> list[str]:
    """The names of what is simulated."""
    return list(dict.fromkeys(task.name for task in tasks(1)))


def again(task: Task) -> Task:
    """The same with other data sets, and four times as many."""
    return task._replace(data_sets=4 * task.data_sets, seed=task.seed + 1)


def run(task: Task) -> Done:
    """What a task finds."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    start = time.perf_counter()
    found = list(task.function(*task.arguments, task.data_sets, task.seed))
    return Done(found, time.perf_counter() - start)
