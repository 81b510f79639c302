"""score: many measures of each model from one count, overall and in subgroups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack, overload

from ordeval._shared.arguments import checked
from ordeval._shared.types import Rng
from ordeval.data.accumulator import Accumulator, matrix_of
from ordeval.data.array_options import ArrayOptions, GroupedOptions, check_keywords
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.description import Description
from ordeval.data.predictions import Predictions, described
from ordeval.data.probabilities import is_table
from ordeval.data.scale import Scale
from ordeval.evaluate._observed import observed_of
from ordeval.evaluate._scoring import (
    SHARES_PANEL,
    ScoreSettings,
    are_named,
    estimation,
    score_items,
    score_matrix,
    score_observed,
    score_stack,
)
from ordeval.evaluate._scoring_columns import Scored, score_columns
from ordeval.evaluate.populations.targets import in_population, matrix_in_population
from ordeval.evaluate.populations.tasks import average_of, average_of_each, score_average
from ordeval.exceptions import LabelError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Estimation, Method
from ordeval.measures.registry import Chosen
from ordeval.results.scores import Scores
from ordeval.results.subgroups import ModelScores, SubgroupScores


@overload
def score(
    y_true: Predictions,
    y_pred: Chosen = None,
    metrics: Chosen = None,
    *,
    level: float | None = 0.95,
    method: Method = "auto",
    n_resamples: int = 9999,
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
) -> Scores | SubgroupScores | ModelScores: ...


@overload
def score(
    y_true: Any,
    y_pred: Any = None,
    metrics: Chosen = None,
    *,
    level: float | None = 0.95,
    method: Method = "auto",
    n_resamples: int = 9999,
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    **data: Unpack[ArrayOptions],
) -> Scores: ...


@overload
def score(
    y_true: Any,
    y_pred: Any,
    metrics: Chosen = None,
    *,
    by: Any,
    level: float | None = 0.95,
    method: Method = "auto",
    n_resamples: int = 9999,
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    **data: Unpack[ArrayOptions],
) -> SubgroupScores: ...


@checked
def score(
    y_true: Any,
    y_pred: Any = None,
    metrics: Chosen = None,
    *,
    level: float | None = 0.95,
    method: Method = "auto",
    n_resamples: int = 9999,
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    **data: Unpack[GroupedOptions],
) -> Scores | SubgroupScores | ModelScores:
    """Score predicted labels, probabilities or scores by many measures.

    Parameters
    ----------
    y_true, y_pred
        ``Predictions`` instead of both; or true labels, and predicted labels, probabilities
        (n, K) or scores; or one ConfusionMatrix, Accumulator or array of counts instead of both.
        A stack with one axis, as ``ConfusionMatrix.from_frame(..., by=...)`` gives it, is scored
        subgroup by subgroup.
    metrics
        Names or measures, such as ``oe.oc_index.with_params(share=0.25)``; the second argument
        after ``Predictions``. By default a panel, one measure of each kind, as in ``compare``; for
        subgroups, five of them. ``"all"`` means every fast measure. Without subgroups, scores of
        labels also hold the other fast measures, which their table does not show.
    level
        Nominal coverage of the intervals; None omits them.
    method, n_resamples, rng
        How intervals are made, as for ``confidence_interval``.
    prevalence
        Shares of the true classes in the target population, if they differ from those in the data:
        a mapping of labels to shares, a sequence in the order of the scale, counts of a registry,
        or other ``Predictions`` with its true labels. Intervals account for the items of each
        class, and for the size of the registry if there are counts.
    mix
        Shares of the subgroups in the target population, as a mapping of their names to shares; the
        result is for all of them together. With several columns of subgroups, a mapping of the name
        of one to such a mapping.
    over
        The column of subgroups that names the tasks: the result is about the average over the
        tasks, all of equal weight; or a mapping of its name to the weights of the tasks. Tasks with
        scales of their own are a mapping of their names to ``Predictions``, instead of the data.
    **data
        Of arrays: ``labels``, ``sample_weight``, ``clusters``, ``by``, ``outputs``, ``decide``,
        ``unknown`` and ``missing``, as for ``Predictions``. A column of numbers has labels unless
        ``outputs`` is ``"scores"``.

    Returns
    -------
    Scores, SubgroupScores or ModelScores
        Scores of one model; with subgroups SubgroupScores, in which the first measure is compared
        with the rest of the data; of several models ModelScores, a mapping of their names to these.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or arguments do not go together.
    UnknownMetricError
        If there is no such measure.
    ParameterError
        If an option has a value that it does not take.

    Examples
    --------
    >>> panel = ["accuracy", "mean_absolute_error", "cem_ord"]
    >>> score([1, 2, 3, 3], [1, 2, 2, 3], panel, level=None)
    items: 4; 3 classes: Scale(1 < 2 < 3)
    measure           value  range   better
    accuracy         0.7500  [0, 1]  higher
    MAE              0.2500  [0, 2]  lower
    CEM (closeness)  0.8678  [0, 1]  higher
    [OE101] the integers imply Scale(1 < 2 < 3); declare labels= if it is longer.
    [OE103] small classes (under 10 items): 1 (n = 1), 2 (n = 1), 3 (n = 2).
    """
    check_keywords(data, "score")
    if isinstance(metrics, Scale):
        raise LabelError("the third argument is metrics=; give the scale as labels=.")
    if isinstance(y_true, (Predictions, Mapping)) and metrics is None:
        y_pred, metrics = None, y_pred
    how = estimation(level, data.get("clusters"), method=method, n_resamples=n_resamples)
    if isinstance(y_true, Mapping) and over is not None:
        average = average_of_each(y_true, over)
        return score_average(average, ScoreSettings.of(metrics, how, rng, given=average.given))
    counted = isinstance(y_true, (ConfusionMatrix, Accumulator))
    if counted or (y_pred is None and not isinstance(y_true, Predictions)):
        if mix is not None or over is not None:
            raise LabelError("mix and over need subgroups of items; a matrix has none.")
        return _score_counts(y_true, y_pred, Scored(metrics, how, rng), data, prevalence)
    described_data = described(y_true, y_pred, data, who="score")
    if prevalence is not None or mix is not None:
        described_data = in_population(described_data, prevalence, mix, method)
    if over is not None:
        settings = ScoreSettings.of(metrics, how, rng, given=described_data.given)
        return score_average(average_of(described_data, over), settings)
    if described_data.arrays is None or described_data.query.by or len(described_data.models) > 1:
        return _score_table(described_data, metrics, how, rng)
    return _score_arrays(described_data, metrics, how, rng)


def _score_table(
    data: Description, metrics: Chosen, how: Estimation | None, rng: Rng
) -> Scores | SubgroupScores | ModelScores:
    """Scores of models that are columns of a table, or are in subgroups."""
    if data.query.clusters and how is None:
        estimation(None, data.query.clusters)
    found = score_columns(data, Scored(metrics, how, rng))
    return found if len(data.models) > 1 else found[data.models[0]]


def _score_arrays(data: Description, metrics: Chosen, how: Estimation | None, rng: Rng) -> Scores:
    """Scores of one model in memory, counted at once if labels are all there is."""
    arrays, given = data.arrays, data.given
    assert arrays is not None
    if not are_named(metrics) and is_table(arrays.y_true):
        metrics = SHARES_PANEL
    # Misspelt names are reported before the labels are read.
    settings, rule = ScoreSettings.of(metrics, how, rng, given=given), rule_of(data.decide)
    if given != "labels" or not data.query.counted:
        items, clusters = data.items(rule)
        return score_items(items, observed_of(items, clusters), settings.meet(items), data.decide)
    cm = arrays.counted(data.query)
    rule(cm.scale)  # costs that do not fit are an error, though nothing is decided
    settings = settings.meet(cm)
    if how is None or (arrays.clusters is None and arrays.sample_weight is None):
        return score_matrix(cm, settings)
    # On the scale that was found, so that what it implies is not warned of again.
    on_scale = replace(data, query=replace(data.query, labels=cm.scale))
    return score_observed(cm, observed_of(*on_scale.items(None)), settings)


def _score_counts(
    counts: Any, y_pred: Any, scored: Scored, data: GroupedOptions, prevalence: Any
) -> Scores | SubgroupScores:
    """Scores of a matrix, or of a stack of them."""
    is_matrix = isinstance(counts, (ConfusionMatrix, Accumulator))
    labels = data.get("labels")
    if data.get("clusters") is not None:
        raise LabelError("clusters need labels; a matrix does not record items.")
    beside = y_pred is not None or (labels is not None and is_matrix)
    if beside or data.get("sample_weight") is not None or data.get("by") is not None:
        raise LabelError(
            "a confusion matrix already contains its predictions, labels and weights; "
            "pass measures with metrics=."
        )
    cm = matrix_of(counts, labels, who="score")
    settings = ScoreSettings.of(*scored, subgroups=bool(cm.shape))
    rule_of(data.get("decide", "mode"))(cm.scale)  # costs that do not fit are an error
    settings = settings.meet(cm)
    if prevalence is not None:
        method = "auto" if scored.how is None else scored.how.method
        items = matrix_in_population(cm, prevalence, method)
        return score_items(items, observed_of(items, None), settings, "mode")
    return score_stack(cm, settings) if cm.shape else score_matrix(cm, settings)
