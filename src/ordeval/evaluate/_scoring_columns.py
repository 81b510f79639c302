"""Scores of models whose outputs are columns of a frame or a file, by what each of them gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ordeval._shared.text import argument, named
from ordeval._shared.types import Rng, as_rng
from ordeval.data.confusion import ConfusionMatrix, matrices_by_model
from ordeval.data.counts import Origin
from ordeval.data.description import Description
from ordeval.data.items import Items
from ordeval.evaluate._loss_sums import summed_or_read
from ordeval.evaluate._observed import (
    GroupedItems,
    in_subgroups,
    joint_matrices,
    observed_of,
    of_some,
    one_by_one,
)
from ordeval.evaluate._scoring import (
    ScoreSettings,
    clusters_by,
    keep_in_mind,
    note_of,
    refuse_empty,
    score_items,
    score_matrix,
    score_observed,
    score_stack,
    subgroup_scores,
)
from ordeval.exceptions import ParameterError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import Estimation
from ordeval.inference.samples import Sample, sample_of
from ordeval.inference.subgroups import Subgroups, of_sample
from ordeval.measures import Metric
from ordeval.measures.registry import Chosen, Given
from ordeval.results.scores import Scores
from ordeval.results.subgroups import ModelScores, SubgroupScores


class Scored(NamedTuple):
    """By which measures models are scored, and how."""

    metrics: Chosen = None
    how: Estimation | None = None
    rng: Rng = None


def score_columns(data: Description, by: Scored) -> ModelScores:
    """The scores of each model, or of its subgroups, on one scale."""
    query, rng = data.query, as_rng(by.rng)
    rule_of(data.decide)  # an invalid rule raises an error even if nothing is decided
    # Misspelt names are reported before the data are read.
    settings: dict[Given, ScoreSettings] = {
        part.given: ScoreSettings.of(
            by.metrics, by.how, rng, subgroups=bool(query.by), given=part.given
        )
        for part in one_by_one(query)
    }
    if query.by and query.score:
        raise ParameterError(
            f"{named('score')} and {named('by')} cannot be combined here; "
            f"{argument('compare()')} accepts both, also for one model."
        )
    items_matter = query.weight is not None or query.clusters
    weighing = not query.counted or (by.how is not None and items_matter)
    found: Mapping[str, Scores | SubgroupScores]
    if query.plain and not weighing:
        # Without weights and clusters counts are enough, and cheaper to read.
        found = _score_counts(data, settings["labels"])
    elif query.by or query.counted:
        found = {
            model: _score_items(grouped, settings[data.of_models([model]).given], data)
            for model, grouped in in_subgroups(data).items()
        }
    else:
        found = {
            model: score_items(items, observed_of(items, clusters), s.meet(items), data.decide)
            for model, (items, clusters, s) in _each_model(data, settings).items()
        }
    names = ", ".join(query.by)
    return ModelScores(
        {
            model: replace(x, head=names) if isinstance(x, SubgroupScores) else x
            for model, x in ((model, found[model]) for model in data.models)
        }
    )


def _score_counts(data: Description, s: ScoreSettings) -> dict[str, Scores | SubgroupScores]:
    matrices = _matrices(data)
    refuse_empty(matrices)
    s = s.meet(next(iter(matrices.values())))
    score_one = score_stack if data.query.by else score_matrix
    return {model: score_one(cm, s) for model, cm in matrices.items()}


def _matrices(data: Description) -> dict[str, ConfusionMatrix]:
    """The matrix of each model, or the stack of its subgroups; all of the same items."""
    source, query = data.table
    if len(data.models) == 1 or not (source.once or query.misfits.drops):
        return matrices_by_model(source, query)  # counts of each model are cheaper to read
    if query.by:
        return {m: grouped.matrices for m, grouped in in_subgroups(data).items()}
    return joint_matrices(data.items(None)[0])


def _each_model(
    data: Description, settings: Mapping[Given, ScoreSettings]
) -> dict[str, tuple[Items, Any, ScoreSettings]]:
    """The items and clusters, the same for each model, and how it is scored."""
    if len(data.models) == 1:
        s = settings[data.given]
        return {data.models[0]: (*summed_or_read(data, s.metrics, s.how), s)}
    items, clusters = data.items(rule_of(data.decide))
    return {
        model: (of_some(items, [model]), clusters, settings[data.of_models([model]).given])
        for model in data.models
    }


def _score_items(
    grouped: GroupedItems, s: ScoreSettings, data: Description
) -> Scores | SubgroupScores:
    """Scores of labels with weights or clusters, or in subgroups of whatever a model gives."""
    items, group = grouped.items, grouped.group
    weighed = items.strata is not None or items.partial is not None
    each_part = weighed or bool(items.prob)
    s = s.meet(items if each_part else grouped.matrices)
    if not data.query.by:
        return score_observed(grouped.matrices[0], observed_of(items, grouped.clusters), s)
    size = len(grouped.keys)
    sample = sample_of(items, clusters=grouped.clusters, merge=False)
    found: dict[str, Subgroups] = {}
    if s.how is not None:
        found = of_sample(s.metrics, sample, group, size, items.scale, how=s.how, rng=s.rng)
    each = clusters_by(sample, group, size)
    advice = keep_in_mind(sample, each)
    if not each_part:
        return subgroup_scores(grouped.matrices, s, found, advice=advice, clusters=each)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=size))[:-1]
    parts = [sample.subgroup(rows) for rows in np.split(order, ends)]
    values = np.array([[_value(m, part) for part in (sample, *parts)] for m in s.metrics])
    return SubgroupScores(
        _matrices_of(grouped, parts) if weighed else grouped.matrices,
        s.metrics,
        values[:, 1:],
        values[:, 0],
        found=found,
        advice=advice,
        clusters=each,
        note=note_of(items, s.metrics, data.decide),
    )


def _matrices_of(grouped: GroupedItems, parts: list[Sample]) -> ConfusionMatrix:
    """The matrices of subgroups whose items weigh what they do in a population, or are labelled."""
    weighted = grouped.items.strata is not None
    sizes = np.array([part.with_truth.items for part in parts]) if weighted else None
    dropped, implied = grouped.lost + grouped.items.lost, grouped.items.implied
    origin = Origin(dropped, implied, weighted, grouped.keys, sizes)
    counts = np.stack([part.given[0] for part in parts])
    return ConfusionMatrix.of(counts, grouped.items.scale, origin)


def _value(metric: Metric, sample: Sample) -> float:
    return float(contributions(metric, sample).values[0]) if sample.items else np.nan
