"""plan: how many items a study needs for a target precision or power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Final

from ordeval._shared.arguments import checked_but, is_whole, listed
from ordeval._shared.text import argument, joined, named, number
from ordeval._shared.types import check_level
from ordeval.data.predictions import Predictions
from ordeval.data.scale import Scale, as_scale
from ordeval.evaluate._expected import Expected, Spread, of_pilot, of_table, of_words
from ordeval.evaluate.populations.curves import curve_of
from ordeval.evaluate.populations.judge_plan import plan_of_judge
from ordeval.evaluate.populations.label_plan import plan_of_labels
from ordeval.evaluate.populations.pilot import with_range
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import Situation, advise
from ordeval.inference.forecasts.decision_rules import rule_of, words_of
from ordeval.inference.paired import check_margin
from ordeval.inference.planning import (
    MOST_UNITS,
    Power,
    Precision,
    check_half_width,
    intraclass_correlation,
    needed,
    sizes_of,
    undefined_share,
)
from ordeval.inference.samples import sample_of
from ordeval.inference.study_design import Design, planned_measure
from ordeval.measures import Metric
from ordeval.measures.scale_checks import on_scale, warn_of_unused_levels
from ordeval.results.judgement import Judgement
from ordeval.results.plan import Plan

_LETTERS: Final = ("A", "B")


@checked_but("sizes")
def plan(
    metric: str | Metric,
    expected: Any = None,
    *,
    half_width: float | None = None,
    power: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    labels: Any = None,
    accuracy: float | Sequence[float] | None = None,
    spread: Spread | float | None = None,
    k: int | None = None,
    class_shares: Any = None,
    overlap: float | None = None,
    cluster_size: float | tuple[float, float] | None = None,
    icc: float | None = None,
    sizes: Sequence[int] | None = None,
    names: tuple[str, str] | str = _LETTERS,
) -> Plan:
    """Plan how many items a study needs.

    Choose a target: the half-width of the interval of one model, or the power of the paired test of
    two. State the result you expect in one of three ways: a table, pilot data, or words.

    Parameters
    ----------
    metric
        A measure or its name.
    expected
        A table of counts or of shares: for a half-width a confusion matrix (K, K), for a power a
        joint table (K, K, K) of truth x A x B. Or pilot data: ``Predictions`` with the labels of
        one model, or of two to compare. If the pilot has clusters, ``cluster_size`` and ``icc`` are
        estimated from it unless they are given. Subgroups are planned for together. With a
        ``proxy``, the plan is the number of human labels. Or the ``Judgement`` of a pilot, for the
        items that show that a judge is non-inferior to a human.
    half_width
        The mean half-width of the interval: the mean of its two arms, which differ near the ends of
        the range.
    power
        The probability that the paired test finds the better model to be better; or, with
        ``margin``, that it finds A non-inferior to B.
    margin
        How much worse than B model A may be, in units of the measure.
    level
        Confidence level of the interval. Tests are two-sided at one minus the level; the test of
        non-inferiority is one-sided at half of that, in agreement with the interval.
    labels
        The ordered labels, lowest first.
    accuracy
        In words: the accuracy of the model in every class; two numbers for two models.
    spread
        In words: the size of errors. ``"near"``: four times rarer with every further step;
        ``"wide"``: a quarter rarer; or the ratio of one step to the one before, from 0 to 1.
    k
        In words: the number of classes, without ``labels``.
    class_shares
        In words: the share of each class, lowest first, or by its label. By default all equal.
    overlap
        In words, for two models: the overlap of their errors. At 0, the default, they err
        independently in every class, which needs the most items unless models avoid each other's
        errors; at 1 they give the same answer as often as their accuracies allow.
    cluster_size, icc
        Items are collected in clusters of this size (patients, prompts, documents), and the
        contributions of two items of a cluster have this correlation. If sizes differ, pass their
        mean and coefficient of variation.
    sizes
        Numbers of items for the curve; by default some from a quarter of the plan to four times as
        much.
    names
        What the two models are called. For a judgement of several judges: the judge.

    Returns
    -------
    Plan

    Raises
    ------
    ParameterError
        If the target or the expected result is missing or given twice.
    LabelError
        If the pilot data do not fit.

    Examples
    --------
    >>> pilot = [[40, 8, 2], [10, 30, 10], [1, 9, 40]]
    >>> plan("weighted_kappa", pilot, half_width=0.05).items
    447
    >>> print(plan("accuracy", accuracy=[0.8, 0.7], k=3, power=0.8).items)
    295
    """
    has_pilot = isinstance(expected, Predictions)
    has_judges = isinstance(expected, Judgement)
    decided = has_pilot and "probabilities" in expected._data.kinds.values()
    chosen = planned_measure(metric, decided=decided)
    judge = names if isinstance(names, str) and has_judges else None
    target = StudyTarget(
        half_width=half_width,
        power=power,
        margin=margin,
        level=level,
        cluster_size=cluster_size,
        icc=icc,
        sizes=sizes,
        names=names if judge is None else _LETTERS,  # type: ignore[arg-type]
    )
    given = _given(
        {
            "pilot data" if has_pilot or has_judges else "table": (expected,),
            "words": (accuracy, spread, k, class_shares, overlap),
        }
    )
    if isinstance(expected, Judgement):
        if labels is not None:
            raise LabelError(f"a judgement already has a scale; leave out {argument('labels')}.")
        return plan_of_judge(chosen, expected, judge, target)
    if given == "pilot data":
        return _plan_from_pilot(chosen, expected, labels, target)
    if given == "table":
        found = of_table(expected, labels)
    else:
        found = of_words(
            accuracy,
            scale=scale_of(labels, k),
            spread=spread,
            class_shares=class_shares,
            overlap=overlap,
        )
    return make_plan(chosen, found, target)


def _plan_from_pilot(metric: Metric, pilot: Predictions, labels: Any, target: StudyTarget) -> Plan:
    """A plan from the labels of one model, or of two; probabilities become labels first."""
    if labels is not None:
        raise LabelError(
            f"pilot data already have a scale; pass {argument('labels')} to Predictions."
        )
    data = pilot._data
    if data.query.weight is not None:
        raise LabelError("pilot data must be unweighted; remove the weights.")
    if "scores" in data.kinds.values() or len(data.models) > 2:
        raise LabelError(
            f"pilot data need labels or probabilities of one model, or of two to compare; got "
            f"{joined([f'{m} ({kind})' for m, kind in data.kinds.items()])}."
        )
    decided = "probabilities" in data.kinds.values()
    items, clusters = data.items(rule_of(data.decide) if decided else None)
    items = replace(items, prob={})
    if len(data.models) == 2 and target.names == _LETTERS:
        target = replace(target, names=(data.models[0], data.models[1]))
    if data.query.proxy:
        return plan_of_labels(metric, items, clusters, target)
    expected = of_pilot(items, clusters)
    if decided:
        said = f"{expected.source}, with labels that are {words_of(data.decide)}"
        expected = replace(expected, source=said)
    (placed,) = on_scale((metric,), items.scale)
    made = make_plan(metric, expected, target)
    return with_range(made, placed, sample_of(items, clusters=clusters, merge=False))


def _given(ways: Mapping[str, tuple[Any, ...]]) -> str:
    """The one way in which it is said what is expected."""
    used = [way for way, values in ways.items() if any(v is not None for v in values)]
    if len(used) == 1:
        return used[0]
    said = f"got {joined(used)}" if used else "got none of them"
    raise ParameterError(
        f"pass exactly one of {argument('expected')} (a table or pilot data) and "
        f"{argument('accuracy')}; {said}."
    )


def scale_of(labels: Any, k: Any) -> Scale:
    """The scale of words: its labels, or how many there are."""
    if labels is not None:
        scale = as_scale(labels)
        if k is not None and k != scale.k:
            raise ParameterError(f"{named('k')} is {k!r}, and {argument('labels')} says {scale}.")
        return scale
    if not is_whole(k) or k < 2:
        raise ParameterError(
            f"the number of classes is missing: {argument('k')} must be an integer >= 2, "
            f"or pass {argument('labels')}; got {k!r}."
        )
    return Scale.range(1, int(k))


@dataclass(frozen=True, kw_only=True)
class StudyTarget:
    """The target and the design of a study."""

    half_width: float | None = None
    power: float | None = None
    margin: float | None = None
    level: float = 0.95
    cluster_size: float | tuple[float, float] | None = None
    icc: float | None = None
    sizes: Sequence[int] | None = None
    names: tuple[str, str] = ("A", "B")

    def __post_init__(self) -> None:
        if (self.half_width is None) == (self.power is None):
            raise ParameterError(
                f"pass exactly one of {argument('half_width')} (target precision) and "
                f"{argument('power')} (chance of detecting a difference)."
            )
        _check_number(self.half_width, "half_width", "a number > 0", 0, math.inf)
        _check_number(self.power, "power", "a number between 0 and 1", 0, 1)
        check_margin(self.margin)
        if self.margin is not None and self.power is None:
            raise ParameterError(f"{named('margin')} needs {argument('power')}.")
        check_level(self.level)
        size, cv = self.cluster_sizes
        _check_number(size, "cluster_size", "a number >= 1", 1 - 1e-12, math.inf)
        _check_most(size, "cluster_size")
        _check_number(cv, "cluster_size", "a mean and a coefficient of variation >= 0", -1e-12, 100)
        _check_number(self.icc, "icc", "a number from 0 to 1", -1e-12, 1 + 1e-12)
        if isinstance(self.names, str) or len(self.names) != 2 or self.names[0] == self.names[1]:
            raise ParameterError(
                f"names must be the different names of two models; got {self.names!r}."
            )
        for size in [] if self.sizes is None else listed(self.sizes, "sizes"):
            if not is_whole(size) or size < 2:
                raise ParameterError(
                    f"{named('sizes')} must be numbers of items, integers >= 2; got {size!r}."
                )
            _check_most(size, "sizes")

    @property
    def cluster_sizes(self) -> tuple[Any, Any]:
        """The mean size of clusters and its coefficient of variation."""
        given: Any = self.cluster_size
        several = (
            listed(given, "cluster_size") if isinstance(given, tuple | list) else [given, None]
        )
        if len(several) != 2:
            raise ParameterError(f"{named('cluster_size')} must be one or two numbers.")
        return several[0], several[1]

    @property
    def value(self) -> float:
        """The half-width or the power."""
        return float(self.power if self.half_width is None else self.half_width)  # type: ignore[arg-type]


def _check_number(value: Any, name: str, what: str, low: float, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real) or not low < float(value) < high:
        raise ParameterError(f"{named(name)} must be {what}; got {value!r}.")


def _check_most(value: float | None, name: str) -> None:
    if value is not None and value > MOST_UNITS:
        raise ParameterError(f"{named(name)} must be at most {MOST_UNITS:,}; got {value!r}.")


def make_plan(metric: Metric, expected: Expected, target: StudyTarget) -> Plan:
    """Return the plan for the expected result and the target."""
    (metric,) = on_scale([metric], expected.scale)
    if expected.implied:
        warn_of_unused_levels([metric], expected.scale)
    goal = _goal(metric, expected, target, _design(metric, expected, target))
    design = goal.design
    found = needed(goal, target.value)
    units = found.units
    clustered = design.cluster_size > 1
    items = design.items(units)
    low, high = goal.ends(units) if isinstance(goal, Precision) else (math.nan, math.nan)
    two = isinstance(goal, Power)
    sizes = (expected.class_shares * items).tolist()
    class_items = dict(zip(expected.scale, (float(f"{n:.3g}") for n in sizes), strict=True))
    clusters = units if clustered else 0
    return Plan(
        metric=metric.name,
        goal="power" if two else "half_width",
        target=target.value,
        items=items,
        clusters=clusters,
        reached=found.value,
        level=target.level,
        expected=float(goal.values[0]),
        expected_b=float(goal.values[1]) if two else None,
        low=low,
        high=high,
        gain=goal.gain if isinstance(goal, Power) else None,
        margin=target.margin,
        names=target.names if two else None,
        cluster_size=design.cluster_size,
        cluster_cv=design.cluster_cv,
        icc=design.icc,
        class_items=class_items,
        undefined_share=undefined_share(goal, units),
        source=expected.source,
        curve=curve_of(goal, found, design, target.sizes),
        advice=advise(
            Situation(
                scale=expected.scale,
                metrics=(metric,),
                class_items=class_items,
                clusters=clusters,
            )
        ),
    )


def _design(metric: Metric, expected: Expected, target: StudyTarget) -> Design:
    """How items are collected: as the user says, else as in the pilot data."""
    (size, cv), icc, pilot = target.cluster_sizes, target.icc, expected.pilot
    if pilot is not None:
        size, cv = sizes_of(pilot) if size is None else (size, cv)
        icc = intraclass_correlation(metric, pilot) if icc is None else icc
    size = 1.0 if size is None else float(size)
    if size > 1 and icc is None:
        raise ParameterError(
            f"{argument('cluster_size')} needs {argument('icc')}, the intraclass "
            f"correlation from 0 to 1. Pilot data with {argument('clusters')} provide "
            "both."
        )
    if size == 1 and icc:
        raise ParameterError(f"{argument('icc')} needs {argument('cluster_size')} above 1.")
    return Design(target.level, size, icc or 0.0, float(cv or 0.0))


def _goal(
    metric: Metric, expected: Expected, target: StudyTarget, design: Design
) -> Precision | Power:
    """Return the target of the study, or an error if no study can reach it."""
    if expected.models != (1 if target.power is None else 2):
        raise ParameterError(
            f"{argument('half_width')} plans for one model, but you described two. Pass "
            f"one of them, or use {argument('power')}."
            if target.power is None
            else f"{argument('power')} compares two models, but you described one. Pass a "
            "joint table (K, K, K), the predictions of two models, or two accuracies."
        )
    goal: Precision | Power
    if target.power is None:
        goal = Precision(metric, expected.table, design)
    else:
        goal = Power(metric, expected.table, design, target.margin)
    if any(v != v for v in goal.values.tolist()):
        raise ParameterError(
            f"{metric.name} is undefined for the expected table: it is undefined when "
            f"{metric.undefined_when}."
        )
    if isinstance(goal, Power):
        _check_power(goal, target)
    else:
        _check_precision(goal, target)
    return goal


def _check_precision(goal: Precision, target: StudyTarget) -> None:
    metric = goal.metric
    if metric.by_class is not None and goal.design.cluster_size > 1:
        raise ParameterError(
            f"{metric.name} is computed class by class, and clusters contain items of "
            "several classes, so its half-width cannot be planned for clusters. Choose a "
            "measure that averages over classes, such as balanced_accuracy or average_mae."
        )
    check_half_width(target.value, metric, len(goal.table))


def _check_power(goal: Power, target: StudyTarget) -> None:
    metric = goal.metric
    if metric.by_class is not None and metric.by_class.combine != "ends":
        raise ParameterError(
            f"{metric.name} is the {metric.by_class.combine} of the classes' values. "
            "Which class that is varies between studies, so the power of its test cannot "
            "be planned. Choose an average over classes, such as balanced_accuracy or average_mae."
        )
    a, b = target.names
    values = f"{a} {number(goal.values[0])}, {b} {number(goal.values[1])}"
    if target.margin is None and goal.gain == 0:
        raise ParameterError(
            f"{a} and {b} have the same expected {goal.metric.display} "
            f"({number(goal.values[0])}), so no sample size can detect a difference. "
            "Change the expected values, or test non-inferiority with "
            f"{argument('margin')}."
        )
    if goal.lead <= 0:
        raise ParameterError(
            f"the expected {goal.metric.name} of {a} is worse than that of {b} by the "
            f"margin {target.margin:g} or more ({values}), so no sample size can show "
            "non-inferiority."
        )
    if goal.always_agree:
        raise ParameterError(
            f"{a} and {b} are expected to agree on every item. Describe at least some "
            "items on which they differ."
        )
