"""Scores of models whose outputs are columns of a frame or a file, by what each of them gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ordeval._shared.text import argument, named
from ordeval._shared.types import Rng, as_rng
from ordeval.data.description import Description
from ordeval.evaluate._loss_sums import summed_or_read
from ordeval.evaluate._observed import (
    GroupedItems,
    each_model,
    in_subgroups,
    observed_of,
    one_by_one,
)
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
from ordeval.inference.intervals import Estimation
from ordeval.inference.samples import Sample, sample_of
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


def score_columns(data: Description, by: Scored) -> ModelScores:
    """The scores of each model, or of its subgroups, on one scale."""
    found = _score_columns(data, by)
    names = ", ".join(data.query.by)
    parts = {
        model: replace(x, head=names) if isinstance(x, SubgroupScores) else x
        for model, x in found.parts.items()
    }
    return ModelScores(parts)


def _score_columns(data: Description, by: Scored) -> ModelScores:
    rule, query = rule_of(data.decide), data.query
    if query.plain:
        return score_models(*data.table, by.metrics, how=by.how, rng=by.rng)
    rng = as_rng(by.rng)
    # Misspelt names are reported before the data are read.
    settings = {
        part.given: Scoring.of(by.metrics, by.how, rng, subgroups=bool(query.by), given=part.given)
        for part in one_by_one(query)
    }
    if query.by and query.score:
        raise ParameterError(
            f"{named('score')} and {named('by')} do not go together here; "
            f"{argument('compare()')} takes both, also with a single model."
        )
    source, query = data.table
    if len(query.outputs) == 1 and not query.by:
        s = settings[query.given]
        both = summed_or_read(source, query, s.metrics, s.how, data.decide)
        scores = score_items(both[0], observed_of(*both), s, data.decide)
        return ModelScores({query.outputs[0]: scores})
    found: dict[str, Scores | SubgroupScores] = {}
    if query.by:
        for model, grouped in in_subgroups(data.rows(), query, data.decide).items():
            s = settings[data.of_models([model]).given]
            found[model] = _score_subgroups(grouped, s, data.decide)
    else:
        for model, (items, clusters) in each_model(data, rule).items():
            s = settings[data.of_models([model]).given]
            found[model] = score_items(items, observed_of(items, clusters), s, data.decide)
    return ModelScores({model: found[model] for model in data.models})


def _score_subgroups(grouped: GroupedItems, s: Scoring, decide: Any) -> SubgroupScores:
    items, clusters, group, keys = grouped.items, grouped.clusters, grouped.group, grouped.keys
    check_names(s.metrics, items.scale)
    sample = sample_of(items, clusters=clusters, merge=False)
    parts = [sample, *(sample.take(group == g) for g in range(len(keys)))]
    values = np.array([[_value(m, part) for part in parts] for m in s.metrics])
    found: dict[str, Subgroups] = {}
    if s.how is not None:
        found = of_sample(s.metrics, sample, group, len(keys), items.scale, how=s.how, rng=s.rng)
    each = clusters_by(sample, group, len(keys))
    return SubgroupScores(
        grouped.matrices,
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
