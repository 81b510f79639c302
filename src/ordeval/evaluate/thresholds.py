"""thresholds: every cut of the scale as a yes or no, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Paths, Policy, Progress
from ordeval.data.accumulator import matrix_of
from ordeval.data.confusion import ConfusionMatrix, matrices_by_model
from ordeval.data.items import Misfits
from ordeval.data.outputs import Decide, Outputs, Reading
from ordeval.data.query import Query, one_column
from ordeval.data.scale import Scale
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource
from ordeval.data.sources.output_columns import each_item, settled
from ordeval.data.sources.rows import DistinctRows, Source, count_joint, joint_items
from ordeval.evaluate._scoring import ONLY_WEIGHTS, refuse_empty
from ordeval.evaluate._scoring_columns import one_by_one
from ordeval.exceptions import LabelError, ScaleError
from ordeval.inference.advice import Situation, advise
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import (
    Estimation,
    Interval,
    Observed,
    intervals_of,
    observe,
    why_not,
)
from ordeval.inference.samples import sample_of
from ordeval.inference.shares import Share, measured_share, share_of
from ordeval.measures import Metric
from ordeval.measures.nominal import accuracy
from ordeval.measures.ranking import threshold_auc
from ordeval.measures.threshold import (
    threshold_npv,
    threshold_ppv,
    threshold_sensitivity,
    threshold_specificity,
)
from ordeval.results.thresholds import Cut, ModelThresholds, Thresholds

MEASURES: Final = {
    "sensitivity": threshold_sensitivity,
    "specificity": threshold_specificity,
    "ppv": threshold_ppv,
    "npv": threshold_npv,
}
Columns = str | list[str]


def thresholds(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    sample_weight: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Thresholds:
    """Sensitivity, specificity, PPV, NPV and AUC at every cut of the scale, with intervals.

    A cut such as ">= moderate" asks whether an item is at this level or above. Its prevalence is
    the share of items whose true label is.

    Parameters
    ----------
    y_true, y_pred
        True labels, and predicted labels, probabilities (n, K) or scores; or one ConfusionMatrix,
        Accumulator or array of counts in place of both. Probabilities and scores have an area
        under the ROC curve, scores nothing else. A matrix of weights gives values without
        intervals: it does not say how many items they are of.
    outputs, decide
        What ``y_pred`` holds, and how probabilities become labels, as for
        ``confidence_interval``.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``.
    clusters
        The cluster of each item, as for ``confidence_interval``.
    level
        Nominal coverage of each interval by itself.

    Returns
    -------
    Thresholds, a mapping from names of cuts to ``Cut``.

    Examples
    --------
    >>> counts = [[50, 8, 2], [9, 30, 6], [1, 7, 37]]
    >>> found = thresholds(counts, labels=["mild", "moderate", "severe"])
    >>> print(found[">= moderate"]["sensitivity"])
    0.889 [0.796, 0.938] (95%)
    """
    how = Estimation(level=level)
    if y_pred is None and clusters is None and sample_weight is None:
        return of_matrix(matrix_of(y_true, labels, who="thresholds"), how)
    reading = Reading(
        labels=labels, outputs=outputs, decide=rule_of(decide), misfits=Misfits(unknown, missing)
    )
    observed = observe(y_true, y_pred, reading, sample_weight=sample_weight, clusters=clusters)
    return of_observed(observed, how)


def thresholds_frame(
    frame: Any,
    truth: str,
    pred: str | None = None,
    *,
    prob: Any = None,
    score: str | None = None,
    decide: Any = "mode",
    labels: Any = None,
    weight: str | None = None,
    clusters: Columns | None = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Thresholds:
    """``thresholds`` of columns of a dataframe, counted where it lives.

    Parameters
    ----------
    frame, truth, pred, labels, weight, unknown, missing
        As in ``ConfusionMatrix.from_frame``.
    prob, score, decide
        As for ``score_frame``, in place of ``pred``.
    clusters
        Name of the column of clusters, or a list of columns of clusters within clusters.
    level
        Nominal coverage of each interval by itself.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"y": [1, 2, 3, 3] * 20, "p": [1, 2, 2, 3] * 20})
    >>> thresholds_frame(frame, "y", "p", labels=[1, 2, 3])[">= 3"]["ppv"].estimate
    1.0
    """
    source = frame if isinstance(frame, FileSource) else FrameSource(frame)
    query = Query.of(
        truth,
        None if pred is None else one_column(pred, "pred"),
        labels=labels,
        weight=weight,
        clusters=clusters,
        unknown=unknown,
        missing=missing,
    ).giving(prob, score)
    found = thresholds_of_models(source, query, level=level, decide=decide)
    if len(found) > 1:
        raise LabelError("thresholds takes one model; name one of pred, prob and score.")
    return next(iter(found.values()))


def thresholds_file(
    path: Paths,
    truth: str,
    pred: str | None = None,
    *,
    prob: Any = None,
    score: str | None = None,
    decide: Any = "mode",
    labels: Any = None,
    weight: str | None = None,
    clusters: Columns | None = None,
    table: str | None = None,
    input_format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    where: str | None = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    progress: Progress | None = None,
) -> Thresholds:
    """``thresholds_frame`` of a file that ``ConfusionMatrix.from_file`` takes."""
    form = Form.of(input_format, encoding, decimal, where)
    source = FileSource(path, table, progress, form)
    return thresholds_frame(
        source,
        truth,
        pred,
        prob=prob,
        score=score,
        decide=decide,
        labels=labels,
        weight=weight,
        clusters=clusters,
        level=level,
        unknown=unknown,
        missing=missing,
    )


def thresholds_of_models(
    source: Source, query: Query, *, level: float = 0.95, decide: Any = "mode"
) -> ModelThresholds:
    """The cuts of each model of a query, all on one scale."""
    how, rule = Estimation(level=level), rule_of(decide)
    if not query.plain:
        query = settled(source, query)
        rows = source.rows(query.columns, numbers=query.numbers)
        return ModelThresholds(
            {
                part.outputs[0]: of_observed(_of_one(rows, part, rule), how)
                for part in one_by_one(query)
            }
        )
    if query.weight is None and not query.clusters:
        matrices = matrices_by_model(source, query)
        refuse_empty(matrices)
        return ModelThresholds({model: of_matrix(cm, how) for model, cm in matrices.items()})
    rows = source.rows(query.columns).in_order()
    made = {}
    matrices = {m: ConfusionMatrix.of(*x) for m, x in count_joint(rows, query).items()}
    refuse_empty(matrices)
    for model, cm in matrices.items():
        items, clusters = joint_items(rows, replace(query, models=(model,), labels=cm.scale))
        sample = sample_of(items, clusters=clusters)
        made[model] = of_observed(Observed(sample, cm.scale, cm.implied, items.left_out), how)
    return ModelThresholds(made)


def _of_one(rows: DistinctRows, query: Query, rule: Decide) -> Observed:
    items, clusters = each_item(rows, query, rule)
    sample = sample_of(items, clusters=clusters)
    return Observed(sample, items.scale, items.implied, items.left_out)


def of_matrix(cm: ConfusionMatrix, how: Estimation) -> Thresholds:
    """The cuts of counts; of weights alone without intervals."""
    if cm.shape:
        raise LabelError(f"thresholds takes one matrix; got a stack of shape {cm.shape}.")
    _refuse_one_level(cm.scale)
    if not cm.weighted or not cm.counts.any():
        return of_observed(observe(cm), how)
    cuts = tuple(_cut(cm.scale, t, dict(_bare(cm, t, how.level))) for t in range(cm.k - 1))
    return Thresholds(scale=cm.scale, cuts=cuts, advice=(*advise(Situation(cm=cm)), ONLY_WEIGHTS))


def of_observed(observed: Observed, how: Estimation) -> Thresholds:
    """The cuts of what was observed."""
    scale = observed.scale
    _refuse_one_level(scale)
    if observed.sample.shares is not None:
        raise LabelError("a cut needs one true class for each item; y_true holds shares of them.")
    cuts = []
    for t in range(scale.k - 1):
        found = {"prevalence": _prevalence(observed, t, how)}
        if observed.sample.score is None:
            found |= {
                name: _measured(m.with_params(threshold=t), observed, how)
                for name, m in MEASURES.items()
            }
        if observed.sample.score is not None or observed.sample.prob is not None:
            area = threshold_auc.with_params(threshold=t)
            ((_, found["auc"]),) = intervals_of(observed, (area,), how, None).items()
        cuts.append(_cut(scale, t, found))
    every = tuple(x for cut in cuts for x in cut.intervals.values())
    situation = observed.situation(every, metrics=tuple(MEASURES.values()))
    return Thresholds(scale=scale, cuts=tuple(cuts), advice=advise(situation))


def _refuse_one_level(scale: Scale) -> None:
    if scale.k < 2:
        raise ScaleError(f"a cut needs two levels, one on each side; {scale} has one.")


def _cut(scale: Scale, threshold: int, intervals: dict[str, Interval]) -> Cut:
    level = scale.levels[threshold + 1]
    return Cut(f">= {level}", threshold, level, intervals)


def _prevalence(observed: Observed, threshold: int, how: Estimation) -> Interval:
    """The share of items whose true label lies above a cut."""
    truth = observed.sample.truth
    everything = np.ones(truth.shape, dtype=bool)
    share = share_of(observed.sample, everything, truth > threshold, how.level)
    return _interval("prevalence", share, observed, how)


def _measured(metric: Metric, observed: Observed, how: Estimation) -> Interval:
    share = measured_share(metric, observed.sample, 0, how.level)
    return _interval(metric.name, share, observed, how)


def _interval(name: str, share: Share, observed: Observed, how: Estimation) -> Interval:
    value, low, high = share
    return Interval(
        metric=name,
        estimate=value,
        low=low,
        high=high,
        level=how.level,
        method="auto",
        refused=why_not(accuracy, observed.sample),
        **observed.basis,
    )


def _bare(cm: ConfusionMatrix, threshold: int, level: float) -> Iterator[tuple[str, Interval]]:
    """Values of sums of weights, without intervals."""
    above = np.asarray(cm.scored).sum(axis=1)[threshold + 1 :].sum() / np.asarray(cm.scored).sum()
    values = {"prevalence": ("prevalence", float(above))}
    for name, m in MEASURES.items():
        chosen = m.with_params(threshold=threshold)
        values[name] = (chosen.name, float(chosen.values(cm.scored)))
    for name, (metric, value) in values.items():
        yield (
            name,
            Interval(
                metric=metric,
                estimate=value,
                low=np.nan,
                high=np.nan,
                level=level,
                method="auto",
                refused=ONLY_WEIGHTS.message,
            ),
        )
