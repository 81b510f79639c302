"""confidence_interval and paired_delta: one measure of one model, or the difference of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Unpack

from ordeval._shared.arguments import checked_but
from ordeval._shared.text import joined
from ordeval._shared.types import Rng
from ordeval.data.accumulator import Accumulator, matrix_of
from ordeval.data.array_options import GroupedOptions, check_keywords
from ordeval.data.description import Description
from ordeval.data.outputs import Outputs
from ordeval.data.predictions import Predictions, described
from ordeval.data.probabilities import are_scores
from ordeval.evaluate._observed import observed_of
from ordeval.evaluate.populations.targets import in_population, matrix_in_population
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import warn
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import (
    Estimation,
    Interval,
    Method,
    Observed,
    draws_of,
    intervals_of,
    observe,
)
from ordeval.inference.paired import (
    Delta,
    Pair,
    check_margin,
    make_delta,
    observe_accumulated,
    observe_joint,
)
from ordeval.measures import Metric, get_metric
from ordeval.measures.probability import check_truth
from ordeval.measures.registry import Given, choose
from ordeval.measures.scale_checks import on_scale, warn_of_unused_levels

_LETTERS: Final = ("A", "B")


@checked_but("margin", "n_resamples")
def confidence_interval(
    metric: str | Metric,
    y_true: Any,
    y_pred: Any = None,
    *,
    method: Method = "auto",
    level: float = 0.95,
    n_resamples: int = 9999,
    stratify: bool = False,
    prior: float = 1.0,
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    **data: Unpack[GroupedOptions],
) -> Interval:
    """Estimate one measure with its confidence interval.

    Parameters
    ----------
    metric
        A measure or its name.
    y_true, y_pred
        ``Predictions`` of one model instead of both; or the true label of each item and what a
        model gives for it: a label, probabilities (n, K) or a score; or, instead of both, one
        ConfusionMatrix, Accumulator or array of counts. A matrix of fractional counts is an error,
        because it does not contain the number of items.
    method
        ``"auto"``: from what each item contributes, without draws, on the scale on which its
        variance is stable; its coverage is closest to the level. ``"bca"``: bias-corrected and
        accelerated bootstrap; ``"percentile"``: plain bootstrap; ``"bayes"``: quantiles of the
        posterior under a Dirichlet prior.
    level
        Nominal coverage.
    n_resamples
        Number of draws, for the methods that draw.
    stratify
        The class sizes of the truth were fixed beforehand, as in a case-control study.
    prior
        For ``method="bayes"``: the weight of the prior in items, spread evenly over the true
        classes and over their rows.
    rng
        Seed or generator, for the methods that draw.
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
        With arrays: ``labels``, ``sample_weight``, ``clusters``, ``outputs``, ``decide``,
        ``unknown`` and ``missing``, as for ``Predictions``. With ``outputs="auto"``, numbers that
        are not all whole are scores if the measure accepts scores. Weights are importance weights,
        not numbers of items.

    Returns
    -------
    Interval

    Raises
    ------
    LabelError
        If labels do not fit the scale, or there are several models or subgroups.
    UnknownMetricError
        If the measure is not registered.
    ParameterError
        If an option has a value that it does not take.

    Examples
    --------
    >>> counts = [[40, 8, 2], [10, 30, 10], [1, 9, 40]]
    >>> print(confidence_interval("weighted_kappa", counts))
    0.759 [0.653, 0.834] (95%)
    """
    check_keywords(data, "confidence_interval")
    how = Estimation(method=method, level=level, n_resamples=n_resamples, prior=prior)
    if y_pred is None and not isinstance(y_true, Predictions):
        (chosen,) = choose([metric])
        if data.get("clusters") is not None or data.get("sample_weight") is not None:
            raise LabelError(
                "clusters and weights need labels, y_true and y_pred; a matrix does not "
                "record items."
            )
        rule_of(data.get("decide", "mode"))
        observed = observe(y_true, data.get("labels"), stratify=stratify)
        if mix is not None:
            raise LabelError("mix needs subgroups of items; a matrix does not record items.")
        if prevalence is not None:
            cm = matrix_of(y_true, data.get("labels"), who="an interval")
            observed = observed_of(matrix_in_population(cm, prevalence, method), None)
    else:
        described_data = described(y_true, y_pred, data, who="confidence_interval")
        described_data = in_population(described_data, prevalence, mix, method)
        _refuse_several(described_data, 1, metric)
        chosen, observed = _observed(described_data, metric, stratify=stratify)
    chosen = _meet(chosen, observed)
    (interval,) = intervals_of(observed, (chosen,), how, rng).values()
    warn(observed.situation((interval,), metrics=(chosen,)))
    return interval


@checked_but("margin", "n_resamples")
def paired_delta(
    metric: str | Metric,
    y_true: Any,
    pred_a: Any = None,
    pred_b: Any = None,
    *,
    margin: float | None = None,
    method: Method = "auto",
    level: float = 0.95,
    n_resamples: int = 9999,
    names: tuple[str, str] = _LETTERS,
    rng: Rng = None,
    **data: Unpack[GroupedOptions],
) -> Delta:
    """Estimate the difference of two models on the same items, with interval and test.

    Parameters
    ----------
    metric
        A measure or its name.
    y_true, pred_a, pred_b
        ``Predictions`` of two models instead of all three; or the true label of each item and what
        both models give: labels, probabilities (n, K) or scores; or an array of joint counts
        (K, K, K): truth x prediction of A x prediction of B; or an Accumulator of several models.
    margin
        How much worse than B model A may be, in units of the measure, to count as non-inferior.
    method, level, n_resamples, rng
        As for ``confidence_interval``; ``method`` is ``"auto"``, ``"bca"`` or ``"percentile"``.
    names
        What the two models are called; with Predictions or an Accumulator of more than two models,
        which of them.
    **data
        With arrays, as for ``confidence_interval``.

    Returns
    -------
    Delta

    Raises
    ------
    LabelError
        If labels do not fit the scale, or the two models are not named.
    UnknownMetricError
        If the measure is not registered.
    ParameterError
        If an option has a value that it does not take.

    Examples
    --------
    >>> y_true = [1, 2, 3] * 30
    >>> a = [1, 2, 3] * 20 + [1, 2, 2] * 10
    >>> b = [1, 2, 3] * 20 + [1, 1, 1] * 10
    >>> print(paired_delta("mean_absolute_error", y_true, a, b))
    MAE: A - B = -0.222 [-0.309, -0.131], p < 0.0001
    """
    check_keywords(data, "paired_delta")
    how = Estimation(method=method, level=level, n_resamples=n_resamples, paired=True)
    check_margin(margin)
    several = isinstance(y_true, (Accumulator, Predictions)) and names == _LETTERS
    if several and len(y_true.models) == 2:
        names = (y_true.models[0], y_true.models[1])
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError(f"names must be the different names of two models; got {names!r}.")
    if pred_a is None and pred_b is None and not isinstance(y_true, Predictions):
        (chosen,) = choose([metric])
        observed = _observed_counts(y_true, names, data)
    else:
        given = {"pred_a": pred_a, "pred_b": pred_b}
        alone = isinstance(y_true, Predictions) and pred_a is None and pred_b is None
        models = None if alone else given
        described_data = described(y_true, models, data, who="paired_delta")
        if isinstance(y_true, Predictions) and set(names) <= set(described_data.models):
            described_data = described_data.of_models(names)
        _refuse_several(described_data, 2, metric)
        chosen, observed = _observed(described_data, metric)
    chosen = _meet(chosen, observed)
    check_margin(margin, chosen, observed.scale.k)
    draws = draws_of(observed.sample, (chosen,), how, rng)
    found = contributions(chosen, observed.sample)
    delta = make_delta(
        chosen, Pair((0, 1), names), observed, found, how, margin=margin, draws=draws
    )
    warn(observed.situation(metrics=(chosen,), deltas=(delta,)))
    return delta


def _observed_counts(counts: Any, names: tuple[str, str], data: GroupedOptions) -> Observed:
    """What inference is made from, of counts of two models."""
    if data.get("clusters") is not None or data.get("sample_weight") is not None:
        raise LabelError("clusters and weights need labels, not joint counts.")
    rule_of(data.get("decide", "mode"))
    if isinstance(counts, Accumulator):
        return observe_accumulated(counts, data.get("labels"), names)
    who = "paired_delta takes y_true, pred_a and pred_b, or"
    return observe_joint(counts, data.get("labels"), who=who)


def _observed(
    data: Description, metric: str | Metric, *, stratify: bool = False
) -> tuple[Metric, Observed]:
    """The measure, and what inference on it is made from."""
    outputs: Outputs | None = None
    given: Given = data.given
    if data.arrays is not None:
        outputs = _settled_outputs(data.arrays.outputs, list(data.arrays.models.values()), metric)
        given = "scores" if outputs == "scores" else given
    (chosen,) = choose([metric], given=given)
    items, clusters = data.items(
        rule_of(data.decide), decided=_looks_at_labels(chosen, given), outputs=outputs
    )
    return chosen, observed_of(items, clusters, stratify=stratify)


def _meet(metric: Metric, observed: Observed) -> Metric:
    """Return a measure that fits the data, with its levels found on the scale."""
    check_truth((metric,), observed.sample.outcome)
    (metric,) = on_scale([metric], observed.scale)
    if observed.implied:
        warn_of_unused_levels([metric], observed.scale)
    return metric


def _refuse_several(data: Description, wanted: int, metric: str | Metric) -> None:
    """Check that there are no subgroups and as many models as are wanted."""
    name = metric if isinstance(metric, str) else metric.name
    verb = "score" if wanted == 1 else "compare"
    if data.query.by:
        raise LabelError(
            f"these Predictions have subgroups; {verb}(data, [{name!r}]) answers for each of them."
        )
    if len(data.models) < wanted:
        raise LabelError(
            f"two models are needed; there is only {data.models[0]}. Describe both in Predictions."
        )
    if len(data.models) > wanted:
        first = ", ".join(map(repr, data.models[:wanted]))
        chosen = first if wanted == 1 else f"[{first}]"
        raise LabelError(
            f"{'one model is' if wanted == 1 else 'two models are'} needed; there are "
            f"{joined(data.models)}. Choose with data[{chosen}]."
        )


def _looks_at_labels(metric: Metric, given: Given) -> bool:
    """Whether a measure needs the labels that probabilities stand for."""
    return given == "labels" or not (metric.needs == "probabilities" or metric.takes_scores)


def _settled_outputs(outputs: Outputs, given: Sequence[Any], metric: str | Metric) -> Outputs:
    """What is given, if not declared: numbers that are not whole are scores, if that fits."""
    if outputs != "auto" or not get_metric(metric).takes_scores:
        return outputs
    return "scores" if given and all(map(are_scores, given)) else outputs
