"""Where users stand: two versions of one model and a margin, and many judges on few prompts.

The new version of a model is the old one with extra errors on 5 to 8% of the items, so that the two
agree nearly everywhere. Judges share how hard a prompt is, and are equally good.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import Floats, Integers, generator, mixed
from benchmarks.coverage.stacks import LEVEL, Names, measures
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.samples import Sample

Place = Literal["retinopathy", "tumour", "depression", "triage"]


class _Study(NamedTuple):
    shares: tuple[float, ...]  # of the true classes
    errors: float  # that the new version has on top


STUDIES: Final[dict[Place, _Study]] = {
    "retinopathy": _Study((0.73, 0.07, 0.15, 0.03, 0.02), 0.08),
    "tumour": _Study((0.62, 0.28, 0.10), 0.06),
    "depression": _Study((0.50, 0.25, 0.15, 0.10), 0.07),
    "triage": _Study((0.80, 0.09, 0.06, 0.03, 0.02), 0.05),
}
SIZES: Final = (100, 300, 1000)
MEASURES: Final = (
    "accuracy",
    "balanced_accuracy",
    "cem_ord",
    "weighted_kappa",
    "mean_absolute_error",
    "average_mae",
)
JUDGES: Final = ((8, 12, 40), (20, 25, 20), (33, 25, 40))  # models, clusters, items of each
SCORERS: Final = ((8, 12, 20), (20, 15, 20))
IN_CLUSTERS: Final = ("accuracy", "cem_ord", "weighted_kappa", "mean_absolute_error")
_RIGHT: Final = 0.82  # of the old version
_SIZE: Final = Bound(0.0, 0.035)
_CLAIMS: Final = Bound(0.0, 0.06)
_MANY: Final = 1_000_000  # items that show the true difference


def margins(
    place: Place, n: int, data_sets: int, seed: int, names: Names = MEASURES
) -> Iterator[Rate]:
    """How often a model that is worse by just the margin is said to be non-inferior."""
    study, rng = STUDIES[place], generator(seed, "margins", place, n)
    drawn = [_versions(study, n, rng) for _ in range(data_sets)]
    for metric in measures(names):
        margin, labels = _true_loss(place, metric), range(len(study.shares))
        found = [oe.paired_delta(metric, *x, labels=labels, margin=margin) for x in drawn]
        claims = sum(d.verdict == "non-inferior" for d in found)
        column = f"{place}, {n:,}"
        yield Rate("non-inferiority", metric.name, column, claims, data_sets, _SIZE)
        few = sum(bool(d.too_few) for d in found)
        yield Rate("too few items that differ", metric.name, column, few, data_sets)


@cache
def _true_loss(place: Place, metric: oe.Metric) -> float:
    truth, new, old = _versions(STUDIES[place], _MANY, np.random.default_rng(0))
    labels = range(len(STUDIES[place].shares))
    worse, better = (
        metric.utility(
            metric.from_confusion(oe.ConfusionMatrix.from_labels(truth, p, labels=labels))
        )
        for p in (new, old)
    )
    return float(better - worse)


def _versions(
    study: _Study, n: int, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """The truth, the new version and the old one."""
    k = len(study.shares)
    truth = rng.choice(k, n, p=study.shares)
    old = np.where(rng.random(n) > _RIGHT, _moved(truth, k, 0.2, rng), truth)
    new = np.where(rng.random(n) < study.errors, _moved(old, k, 0.3, rng), old)
    return truth, np.where(np.abs(new - truth) > np.abs(old - truth), new, old), old


def _moved(labels: Integers, k: int, two: float, rng: np.random.Generator) -> Integers:
    """Other labels, a share ``two`` of them two steps away, within the scale."""
    step = np.where(rng.random(len(labels)) < two, 2, 1) * rng.choice([-1, 1], len(labels))
    there = (labels + step >= 0) & (labels + step < k)
    moved = np.clip(np.where(there, labels + step, labels - step), 0, k - 1)
    return np.where(moved == labels, np.where(labels > 0, labels - 1, 1), moved)


def few_clusters(
    models: int, clusters: int, items: int, data_sets: int, seed: int, names: Names = IN_CLUSTERS
) -> Iterator[Rate]:
    """How often any of many equally good models is said to differ from another."""
    rng = generator(seed, "few clusters", models, clusters, items)
    drawn = [_judges(models, clusters, items, rng) for _ in range(data_sets)]
    for metric in measures(names):
        claims = sum(_claimed(metric, sample) for sample in drawn)
        column = f"{models} on {clusters} x {items}"
        yield Rate("false claims in clusters", metric.name, column, claims, data_sets, _CLAIMS)


def scored_in_clusters(
    models: int, clusters: int, items: int, data_sets: int, seed: int
) -> Iterator[Rate]:
    """The same of models that give scores."""
    rng = generator(seed, "scored in clusters", models, clusters, items)
    drawn = [_scorers(models, clusters, items, rng) for _ in range(data_sets)]
    for metric in measures(("concordance_index",)):
        claims = sum(_claimed(metric, sample) for sample in drawn)
        column = f"{models} on {clusters} x {items}"
        yield Rate("false claims in clusters", metric.name, column, claims, data_sets, _CLAIMS)


def _claimed(metric: Any, sample: Sample) -> bool:
    together = Together(metric, contributions(metric, sample), LEVEL, sample)
    return bool(np.nanmin(together.adjusted()) <= 1 - LEVEL)


def _judges(models: int, clusters: int, items: int, rng: np.random.Generator) -> Sample:
    """Equally good models; prompts are hard for all of them, or for some."""
    sizes = np.maximum(rng.poisson(items, clusters), 1)
    cluster = np.repeat(np.arange(clusters), sizes)
    n = len(cluster)
    truth = rng.integers(0, 4, n)
    prompt: Floats = rng.standard_normal((clusters, 1))
    own = mixed(prompt, rng.standard_normal((clusters, models)), 0.5)[cluster]
    item = mixed(rng.standard_normal((n, 1)), rng.standard_normal((n, models)), 0.4)
    wrong = mixed(own, item, 0.2) > 0.6
    predictions = np.stack([_moved(truth, 4, 0.2, rng) for _ in range(models)], axis=1)
    given = np.where(wrong, predictions, truth[:, None])
    return Sample(truth, given, np.ones(n, dtype=np.int64), 4, cluster=cluster)


def _scorers(models: int, clusters: int, items: int, rng: np.random.Generator) -> Sample:
    """Equally good models; how well and how high they score varies between prompts."""
    sizes = np.maximum(rng.poisson(items, clusters), 1)
    cluster = np.repeat(np.arange(clusters), sizes)
    n = len(cluster)
    truth = rng.integers(0, 4, n)
    prompt: Floats = rng.standard_normal((clusters, 1))
    own = mixed(prompt, rng.standard_normal((clusters, models)), 0.5)[cluster]
    item = mixed(rng.standard_normal((n, 1)), rng.standard_normal((n, models)), 0.5)
    score = truth[:, None] * (1 + 0.35 * own) + 0.3 * own + item
    none = np.zeros((n, models), dtype=np.int64)
    return Sample(truth, none, np.ones(n, dtype=np.int64), 4, cluster=cluster, score=score)
