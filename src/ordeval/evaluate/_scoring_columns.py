"""Scores of models whose outputs are columns of a frame or a file, by what each of them gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import argument, named
from ordeval._shared.types import Rng, as_rng
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped, Origin
from ordeval.data.items import Items
from ordeval.data.query import Query
from ordeval.data.sources.output_columns import each_item, settled
from ordeval.data.sources.rows import DistinctRows, Source, with_clusters
from ordeval.data.subgroups import subgroups_of
from ordeval.evaluate._loss_sums import read, summed_or_read
from ordeval.evaluate._scoring import (
    Scoring,
    clusters_by,
    keep_in_mind,
    note_of,
    score_items,
    score_models,
)
from ordeval.exceptions import ParameterError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import Estimation, Observed
from ordeval.inference.samples import Sample, sample_of, weighing
from ordeval.inference.subgroups import Subgroups, of_sample
from ordeval.measures import Metric
from ordeval.measures.metric import check_names
from ordeval.measures.registry import Chosen
from ordeval.results.scores import Scores
from ordeval.results.subgroups import ModelScores, SubgroupScores


class Scored(NamedTuple):
    """By which measures models are scored, and how."""

    metrics: Chosen = None
    how: Estimation | None = None
    rng: Rng = None
    decide: Any = "mode"  # how probabilities become labels


def score_columns(source: Source, query: Query, by: Scored) -> ModelScores:
    """The scores of each model of a query, or of its subgroups, on one scale."""
    found = _score_columns(source, query, by)
    names = ", ".join(query.by)
    parts = {
        model: replace(x, head=names) if isinstance(x, SubgroupScores) else x
        for model, x in found.parts.items()
    }
    return ModelScores(parts)


def _score_columns(source: Source, query: Query, by: Scored) -> ModelScores:
    rule_of(by.decide)  # what is no rule is refused, though nothing is decided
    if query.plain:
        return score_models(source, query, by.metrics, how=by.how, rng=by.rng)
    rng = as_rng(by.rng)
    # What is misspelt is said before the data are read.
    settings = {
        part.given: Scoring.of(by.metrics, by.how, rng, subgroups=bool(query.by), given=part.given)
        for part in one_by_one(query)
    }
    if query.by and query.score:
        raise ParameterError(
            f"{named('score')} and {named('by')} do not go together here; "
            f"{argument('compare_frame()')} takes both, of a single model too."
        )
    query = settled(source, query)
    if len(query.outputs) == 1 and not query.by:
        s = settings[query.given]
        both = summed_or_read(source, query, s.metrics, s.how, by.decide)
        return ModelScores({query.outputs[0]: _score_items(*both, s, by.decide)})
    rows = read(source, query)
    found: dict[str, Scores | SubgroupScores] = {}
    for part in one_by_one(query):
        (model,), s = part.outputs, settings[part.given]
        if query.by:
            found[model] = _score_subgroups(rows, part, s, by.decide)
        else:
            both = each_item(rows, part, rule_of(by.decide))
            found[model] = _score_items(*both, s, by.decide)
    return ModelScores(found)


def one_by_one(query: Query) -> Iterator[Query]:
    """The same query for one model at a time."""
    alone = replace(query, models=(), prob={}, score=())
    yield from (replace(alone, models=(m,)) for m in query.models)
    yield from (replace(alone, prob={m: c}) for m, c in query.prob.items())
    yield from (replace(alone, score=(c,)) for c in query.score)


def _score_items(items: Items, clusters: Any, s: Scoring, decide: Any) -> Scores:
    sample = sample_of(items, clusters=clusters)
    observed = Observed(sample, items.scale, items.implied, items.left_out)
    return score_items(items, observed, s, decide)


def _score_subgroups(rows: DistinctRows, query: Query, s: Scoring, decide: Any) -> SubgroupScores:
    rows, lost = with_clusters(rows, query)
    keys, where = subgroups_of(rows, query)
    lost += Dropped(missing=int(rows.count[where < 0].sum()))
    rows, where = rows.take(np.flatnonzero(where >= 0)), where[where >= 0]
    items, clusters = each_item(rows, query, rule_of(decide))
    check_names(s.metrics, items.scale)
    assert rows.row is not None
    group = where[rows.row][items.kept][weighing(items)]
    sample = sample_of(items, clusters=clusters, merge=False)
    parts = [sample, *(sample.take(group == g) for g in range(len(keys)))]
    values = np.array([[_value(m, part) for part in parts] for m in s.metrics])
    found: dict[str, Subgroups] = {}
    if s.how is not None:
        found = of_sample(s.metrics, sample, group, len(keys), items.scale, how=s.how, rng=s.rng)
    each = clusters_by(sample, group, len(keys))
    return SubgroupScores(
        _decided(items, sample, group, keys, lost),
        s.metrics,
        values[:, 1:],
        values[:, 0],
        found=found,
        advice=keep_in_mind(sample, each),
        clusters=each,
        note=note_of(items, s.metrics, decide),
    )


def _value(metric: Metric, sample: Sample) -> float:
    return float(contributions(metric, sample).values[0]) if sample.items else np.nan


def _decided(
    items: Items, sample: Sample, group: NDArray[Any], keys: tuple[Any, ...], lost: Dropped
) -> ConfusionMatrix:
    """The matrices (G, K, K) of the labels that were decided for."""
    k, weighted = sample.k, sample.weight is not None
    counts = np.zeros((len(keys), k, k), dtype=np.float64 if weighted else np.int64)
    amount = sample.count if sample.weight is None else sample.weight * sample.count
    np.add.at(counts, (group, sample.truth, sample.predictions[:, 0]), amount)
    dropped = sum(items.dropped.values(), lost)
    sizes = np.bincount(group, sample.count, minlength=len(keys)).astype(np.int64)
    return ConfusionMatrix.of(
        counts, items.scale, Origin(dropped, items.implied, weighted, keys, sizes)
    )
