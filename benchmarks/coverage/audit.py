"""Where users stand: many judges on few prompts.

Judges share how hard a prompt is, and are equally good.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import Floats, Integers, generator, mixed
from benchmarks.coverage.stacks import LEVEL, Names, measures
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.samples import Sample

IN_CLUSTERS: Final = ("accuracy", "cem_ord", "weighted_kappa", "mean_absolute_error")
_CLAIMS: Final = Bound(0.0, 0.06)


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
