"""thresholds: every cut of the scale as a yes or no, with intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Unpack, overload

import numpy as np

from ordeval._shared.arguments import checked
from ordeval.data.accumulator import matrix_of
from ordeval.data.array_options import ArrayOptions, GroupedOptions, check_keywords
from ordeval.data.confusion import ConfusionMatrix, matrices_by_model
from ordeval.data.description import Description
from ordeval.data.items import Items
from ordeval.data.outputs import Decide
from ordeval.data.predictions import Predictions, described
from ordeval.data.scale import Scale
from ordeval.evaluate._observed import (
    each_model,
    each_subgroup,
    observed_of,
    of_some,
    pairs_of,
)
from ordeval.evaluate._scoring import ONLY_WEIGHTS, refuse_empty
from ordeval.evaluate.populations.targets import in_population, matrix_in_population
from ordeval.exceptions import LabelError, ParameterError, ScaleError
from ordeval.inference.advice import Situation, advise
from ordeval.inference.ends.shares import ShareEnds, measured_share, share_of
from ordeval.inference.forecasts.decision_rules import rule_of, words_of
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import (
    Estimation,
    Interval,
    Observed,
    intervals_of,
    observe,
    why_not,
)
from ordeval.inference.paired import Pair, make_delta
from ordeval.measures import Metric
from ordeval.measures.nominal import accuracy
from ordeval.measures.ranking import threshold_auc
from ordeval.measures.threshold import (
    threshold_npv,
    threshold_ppv,
    threshold_sensitivity,
    threshold_specificity,
)
from ordeval.results.thresholds import (
    Cut,
    CutDifference,
    ModelThresholds,
    SubgroupThresholds,
    Thresholds,
)

MEASURES: Final = {
    "sensitivity": threshold_sensitivity,
    "specificity": threshold_specificity,
    "ppv": threshold_ppv,
    "npv": threshold_npv,
}
_AUC: Final[dict[str, Metric]] = {"auc": threshold_auc}


@overload
def thresholds(
    y_true: Predictions,
    *,
    level: float = 0.95,
    prevalence: Any = None,
    mix: Any = None,
) -> Thresholds | SubgroupThresholds | ModelThresholds: ...


@overload
def thresholds(
    y_true: Any,
    y_pred: Mapping[str, Any],
    *,
    level: float = 0.95,
    prevalence: Any = None,
    mix: Any = None,
    **data: Unpack[GroupedOptions],
) -> Thresholds | SubgroupThresholds | ModelThresholds: ...


@overload
def thresholds(
    y_true: Any,
    y_pred: Any = None,
    *,
    level: float = 0.95,
    prevalence: Any = None,
    mix: Any = None,
    **data: Unpack[ArrayOptions],
) -> Thresholds: ...


@overload
def thresholds(
    y_true: Any,
    y_pred: Any,
    *,
    by: Any,
    level: float = 0.95,
    prevalence: Any = None,
    mix: Any = None,
    **data: Unpack[ArrayOptions],
) -> SubgroupThresholds: ...


@checked
def thresholds(
    y_true: Any,
    y_pred: Any = None,
    *,
    level: float = 0.95,
    prevalence: Any = None,
    mix: Any = None,
    **data: Unpack[GroupedOptions],
) -> Thresholds | SubgroupThresholds | ModelThresholds:
    """Estimate sensitivity, specificity, PPV, NPV and AUC at every cut of the scale.

    A cut such as ">= moderate" asks whether an item is at this level or above. Its prevalence is
    the share of items whose true label is.

    Parameters
    ----------
    y_true, y_pred
        ``Predictions`` instead of both; or true labels, and predicted labels, probabilities (n, K)
        or scores; or one ConfusionMatrix, Accumulator or array of counts instead of both.
        Probabilities and scores have an area under the ROC curve; scores have no other value. A
        matrix of weights gives values without intervals, because it does not contain the number of
        items.
    level
        Nominal coverage of each single interval.
    prevalence
        Shares of the true classes in the target population, if they differ from those in the data:
        a mapping of labels to shares, a sequence in the order of the scale, counts of a registry,
        or other ``Predictions`` with its true labels. Intervals account for the items of each
        class, and for the size of the registry if there are counts.
    mix
        Shares of the subgroups in the target population, as a mapping of their names to shares; the
        result is for all of them together. With several columns of subgroups, a mapping of the name
        of one to such a mapping.
    **data
        With arrays: ``labels``, ``sample_weight``, ``clusters``, ``by``, ``outputs``, ``decide``,
        ``unknown`` and ``missing``, as for ``Predictions``.

    Returns
    -------
    Thresholds, SubgroupThresholds or ModelThresholds
        Thresholds, a mapping from names of cuts to ``Cut``; with subgroups SubgroupThresholds, a
        mapping of the subgroups to theirs; with several models ModelThresholds, a mapping of their
        names to these, with their paired differences at each cut. All models are judged on the same
        items.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or arguments do not go together.
    ScaleError
        If the scale has one level only.

    Examples
    --------
    >>> counts = [[50, 8, 2], [9, 30, 6], [1, 7, 37]]
    >>> found = thresholds(counts, labels=["mild", "moderate", "severe"])
    >>> print(found[">= moderate"]["sensitivity"])
    0.889 [0.796, 0.938] (95%)
    """
    check_keywords(data, "thresholds")
    how = Estimation(level=level)
    if y_pred is None and not isinstance(y_true, Predictions):
        if any(data.get(name) is not None for name in ("clusters", "sample_weight", "by")):
            raise LabelError(
                "clusters, weights and subgroups need labels, y_true and y_pred; a matrix "
                "does not record items."
            )
        cm = matrix_of(y_true, data.get("labels"), who="thresholds")
        if mix is not None:
            raise LabelError("mix needs subgroups of items; a matrix does not record items.")
        if prevalence is None:
            return of_matrix(cm, how)
        return of_items(matrix_in_population(cm, prevalence), None, how)
    described_data = described(y_true, y_pred, data, who="thresholds")
    return _of_models(in_population(described_data, prevalence, mix), how)


def _of_models(
    data: Description, how: Estimation
) -> Thresholds | SubgroupThresholds | ModelThresholds:
    """The cuts of all models on the same items, overall or in each subgroup."""
    rule, models, words = rule_of(data.decide), data.models, words_of(data.decide)
    if data.query.proxy:
        raise ParameterError("thresholds takes items that all have a true label, without a proxy.")

    def cuts(items: Items, clusters: Any) -> dict[str, Thresholds]:
        return {m: of_items(of_some(items, [m]), clusters, how, words) for m in models}

    if data.query.by:
        grouped = data.subgroups()
        found = each_subgroup(grouped, grouped.query, rule, cuts)
        made = {m: SubgroupThresholds({key: x[m] for key, x in found.items()}) for m in models}
        return ModelThresholds(made) if len(models) > 1 else made[models[0]]
    if len(models) == 1:
        return _of_one(data, how, rule, words)
    items, clusters = data.items(rule)
    return ModelThresholds(cuts(items, clusters), cut_differences(items, clusters, how))


def _of_one(data: Description, how: Estimation, rule: Decide, words: str) -> Thresholds:
    """The cuts of a lone model; of labels without weights and clusters, counts are enough."""
    query, (model,) = data.query, data.models
    if not query.counted or query.weight is not None or query.clusters:
        return of_items(*each_model(data, rule)[model], how, words)
    if data.arrays is not None:
        matrices = {model: Predictions._of(data).confusion()}
    else:
        matrices = matrices_by_model(*data.table)
    refuse_empty(matrices)
    return of_matrix(matrices[model], how)


def cut_differences(
    items: Items, clusters: Any, how: Estimation, *, cuts: Collection[int] | None = None
) -> tuple[CutDifference, ...]:
    """How each two models differ at each cut, or at some of them, on the same items."""
    how, found = replace(how, paired=True), list[CutDifference]()
    labelled = [m for m in items.models if m in items.y_pred and m not in items.score]
    ordered = [m for m in items.models if m in (items.score or items.prob)]
    sides: list[tuple[list[str], dict[str, Metric]]] = [
        (labelled, {**MEASURES}),
        (ordered, {"auc": threshold_auc}),
    ]
    for t, level in enumerate(items.scale.levels[1:]):
        if cuts is not None and t not in cuts:
            continue
        for names, measures in ((names, x) for names, x in sides if len(names) > 1):
            observed = observed_of(of_some(items, names), clusters)
            for name, m in measures.items():
                metric = _at(m, items.scale, t)
                parts = contributions(metric, observed.sample)
                for pair in pairs_of(names):
                    places = (names.index(pair[0]), names.index(pair[1]))
                    delta = make_delta(metric, Pair(places, pair), observed, parts, how)
                    found.append(CutDifference(f">= {level}", level, name, delta))
    return tuple(found)


def of_matrix(cm: ConfusionMatrix, how: Estimation) -> Thresholds:
    """The cuts of counts; of weights alone without intervals."""
    if cm.shape:
        raise LabelError(f"thresholds takes one matrix; got a stack of shape {cm.shape}.")
    _refuse_one_level(cm.scale)
    if not cm.weighted or not cm.counts.any():
        return of_observed(observe(cm), how)
    cuts = tuple(_cut(cm.scale, t, dict(_bare(cm, t, how.level))) for t in range(cm.k - 1))
    return Thresholds(scale=cm.scale, cuts=cuts, advice=(*advise(Situation(cm=cm)), ONLY_WEIGHTS))


def of_items(items: Items, clusters: Any, how: Estimation, words: str = "") -> Thresholds:
    """The cuts of items, which may be weighed for a population."""
    found = of_observed(observed_of(items, clusters), how)
    decided = f"Labels from probabilities: {words}." if items.prob and items.y_pred else ""
    return replace(found, note=" ".join(filter(None, (items.population, decided))))


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
                name: _measured(_at(m, scale, t), observed, how) for name, m in MEASURES.items()
            }
        if observed.sample.score is not None or observed.sample.prob is not None:
            area = _at(threshold_auc, scale, t)
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
    return Cut(f">= {level}", level, intervals)


def _at(metric: Metric, scale: Scale, threshold: int) -> Metric:
    """The measure of one cut."""
    return metric.with_params(at_least=scale.levels[threshold + 1]).on(scale)


def _prevalence(observed: Observed, threshold: int, how: Estimation) -> Interval:
    """The share of items whose true label lies above a cut."""
    sample = observed.sample
    truth = sample.truth
    if sample.strata is not None:
        known = sample.strata.covariance is None and np.array_equal(sample.strata.member, truth)
        calls = observed._replace(sample=sample.called(truth > threshold))
        (found,) = intervals_of(calls, (accuracy,), how, None).values()
        if known:  # it is given, not estimated
            found = replace(found, low=np.nan, high=np.nan)
        return replace(found, metric="prevalence")
    everything = np.ones(truth.shape, dtype=bool)
    share = share_of(observed.sample, everything, truth > threshold, how.level)
    return _interval("prevalence", share, observed, how)


def _measured(metric: Metric, observed: Observed, how: Estimation) -> Interval:
    if observed.sample.strata is not None:
        return intervals_of(observed, (metric,), how, None)[metric.name]
    share = measured_share(metric, observed.sample, 0, how.level)
    return _interval(metric.name, share, observed, how)


def _interval(name: str, share: ShareEnds, observed: Observed, how: Estimation) -> Interval:
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
        chosen = _at(m, cm.scale, threshold)
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
