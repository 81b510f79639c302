"""What exchanges the scores of models within clusters, if clusters are few.

Models may score on any scale, so that ranks are exchanged, not scores. All wins between models on
clusters are counted once; a draw adds up those of its models, and leaves out one cluster at a time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.many_models.exchanged_models import Drawn, Exchange, few_clusters
from ordeval.inference.samples import Sample
from ordeval.measures.ranking import RankingMetric, wins_of_table

_RANKS: Final = 512  # that differ; of more items, neighbouring ranks are tied
_MOST_NUMBERS: Final = 1 << 24  # wins between classes, models and clusters


def exchange(metric: RankingMetric, sample: Sample) -> Exchange | None:
    """What exchanges scores; None where a formula holds, or draws cost too much."""
    if not few_clusters(sample):
        return None
    u, m, k = sample.clusters, sample.models, sample.k
    if (u * m * k) ** 2 > _MOST_NUMBERS:
        return None
    wins = _wins(metric, sample)

    def drawn(orders: Integers) -> Drawn:
        return Drawn(*map(np.stack, zip(*(_drawn(metric, wins, o) for o in orders), strict=True)))

    return Exchange(metric, (u, m), 3 * u * u * m * k * k, drawn)


def _wins(metric: RankingMetric, sample: Sample) -> Floats:
    """The wins (U, M, U, M, K, K) of the later cluster, model and class over the earlier ones."""
    assert sample.cluster is not None
    _, number = np.unique(sample.cluster, return_inverse=True)
    shape = sample.clusters, sample.models, sample.k
    models = np.arange(sample.models)
    each = np.stack([_ranks(metric, sample, int(i)) for i in models], axis=1)
    row = (number[:, None] * sample.models + models) * sample.k + sample.truth[:, None]
    weight = np.repeat(sample.share * sample.count, sample.models)
    size = int(np.prod(shape))
    table = np.zeros((size, _RANKS))
    np.add.at(table, (row.ravel(), each.ravel()), weight)
    wins = wins_of_table(table).reshape(*shape, *shape)
    return np.ascontiguousarray(np.moveaxis(wins, 2, 4))


def _ranks(metric: RankingMetric, sample: Sample, model: int) -> Integers:
    """The ranks of items (n,) among those of the same model, from 0."""
    standing = sample.standing(metric, model)
    below = standing.below.sum(axis=1)
    share = below / max(float(standing.table.sum()), 1e-300)
    ranks: Integers = np.minimum((share * _RANKS).astype(np.int64), _RANKS - 1)
    return ranks[standing.level]


def _drawn(metric: RankingMetric, wins: Floats, order: Integers) -> tuple[Floats, ...]:
    """What clusters contribute with the models in this order (U, M), by the jackknife."""
    units, models = order.shape
    place = np.arange(units)
    # (U, U, M, K, K): of each pair of clusters, with the scores that each model has there.
    own = wins[place[:, None, None], order[:, None], place[:, None], order]
    whole = own.sum(axis=(0, 1))
    rest = whole - own.sum(axis=0) - own.sum(axis=1) + own[place, place]
    values, without = metric.values_of_wins(whole), metric.values_of_wins(np.maximum(rest, 0.0))
    parts = np.nan_to_num((units - 1) / units * (without.mean(axis=0) - without))
    return values, values, parts, np.zeros((models, models))
