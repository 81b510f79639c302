"""How many human labels a study needs if proxies, such as LLM judges, label all of its items."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ordeval._shared.text import argument, number
from ordeval.data.items import Items
from ordeval.evaluate.populations.curves import curve_of
from ordeval.evaluate.populations.partial import corrected_by
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.ends.range_ends import ends_reached
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.many_models.simultaneous import errors_of
from ordeval.inference.planning import Needed, check_half_width, needed
from ordeval.inference.populations.partly_true import PartlyTrue
from ordeval.inference.populations.planned_labels import (
    LabelPilot,
    LabelPower,
    LabelPrecision,
    LabelVariance,
)
from ordeval.inference.samples import sample_of
from ordeval.inference.study_design import Design
from ordeval.measures import Metric
from ordeval.measures.scale_checks import on_scale
from ordeval.results.plan import Plan

if TYPE_CHECKING:
    from ordeval.evaluate.plan import StudyTarget

_MOST: Final = 100_000  # items of a pilot, as in ``pilot.with_range``
_LEAST: Final = 10  # labelled items, and others
_GROUPS: Final = 25  # of units, each of which is left out for the error of the variance


def plan_of_labels(metric: Metric, items: Items, clusters: Any, target: StudyTarget) -> Plan:
    """Return the plan from a pilot with proxies."""
    (metric,) = corrected_by(on_scale([metric], items.scale))
    sample = _checked(items, clusters, target)
    pilot = LabelPilot(metric, sample, target.level, target.margin)
    values = contributions(metric, sample).values
    if np.isnan(values).any() or not pilot.error > 0:
        raise LabelError(f"the pilot has too few human labels for {metric.name} and its error.")
    if ends_reached(metric, sample.k, pilot.human.values).any():
        raise LabelError(
            f"{metric.name} is at an end of its range on the pilot's human labels, so the errors "
            "of a study are not known. Label more items first."
        )
    gain = None
    if len(values) == 2:
        a, b = np.asarray(metric.utility(values)).tolist()
        gain = a - b
    goal, alone = (
        _goal(pilot, variance, gain, target)
        for variance in (pilot.variance, replace(pilot.variance, explained=0.0))
    )
    without = needed(alone, target.value)
    reached = goal.expected(sample.items)
    enough = goal.score(reached) >= goal.score(target.value)
    found = needed(goal, target.value) if enough else without
    if found.units > sample.items:
        given = f"±{number(reached, 4)}" if gain is None else f"a power of {reached:.1%}"
        raise ParameterError(
            f"even human labels of all {sample.items:,} items give only {given}; the target is "
            f"{target.value:g}. About {without.units:,} items with a human label are needed."
        )
    design, labelled = Design(target.level), sample.with_truth
    low, high = goal.ends(found.units) if isinstance(goal, LabelPrecision) else (math.nan,) * 2
    least, most = _range(pilot, found, goal)
    sizes = labelled.class_items * (found.units / pilot.labels)
    return Plan(
        metric=metric.name,
        goal="half_width" if gain is None else "power",
        target=target.value,
        items=found.units,
        clusters=0,
        reached=found.value,
        level=target.level,
        expected=float(values[0]),
        expected_b=None if gain is None else float(values[1]),
        low=low,
        high=high,
        gain=gain,
        margin=target.margin,
        names=None if gain is None else target.names,
        cluster_size=1.0,
        icc=0.0,
        class_items=dict(zip(items.scale, (float(f"{n:.3g}") for n in sizes), strict=True)),
        undefined_share=0.0,
        source=f"as in the pilot data of {sample.items:,} items with {pilot.labels:,} human labels",
        curve=curve_of(goal, found, design, target.sizes, sample.items),
        items_low=least,
        items_high=most,
        labelled_of=sample.items,
        without_proxy=without.units,
    )


def _checked(items: Items, clusters: Any, target: StudyTarget) -> PartlyTrue:
    """The pilot as a sample, or an error."""
    if len(items.y_pred) != (1 if target.power is None else 2):
        raise ParameterError(
            f"{argument('half_width')} plans for one model, but the pilot has two."
            if target.power is None
            else f"{argument('power')} compares two models, but the pilot has one."
        )
    beyond = (target.cluster_size, target.icc, clusters)
    chosen = items.partial and (
        items.partial.inclusion is not None,
        items.partial.within is not None,
    )
    if any(x is not None for x in beyond) or (chosen and any(chosen)):
        raise ParameterError(
            f"a plan of human labels with {argument('proxy')} is for independent items of which a "
            f"random part is labelled: leave out {argument('clusters')}, {argument('inclusion')}, "
            f"{argument('cluster_size')} and {argument('icc')}."
        )
    sample = sample_of(items, merge=False)
    if not isinstance(sample, PartlyTrue):
        raise LabelError(
            "every item of the pilot has a human label, so the proxy has no others to help with. "
            "Add the items that only the proxy labelled: their human label is None or NaN."
        )
    if sample.with_truth.items < _LEAST:
        raise LabelError(
            f"a pilot needs at least {_LEAST} items with a human label and one of "
            f"{argument('proxy')}; it has {sample.with_truth.items}."
        )
    return sample


def _goal(
    pilot: LabelPilot, variance: LabelVariance, gain: float | None, target: StudyTarget
) -> LabelPrecision | LabelPower:
    if gain is None:
        check_half_width(target.value, pilot.metric, pilot.sample.k)
        return LabelPrecision(pilot, variance)
    lead = abs(gain) if target.margin is None else gain + target.margin
    if not lead > 0:
        a, b = target.names
        raise ParameterError(
            f"{a} is {'as good as' if target.margin is None else 'worse by the margin than'} {b} "
            f"by {pilot.metric.name} in the pilot (difference {gain:+.3g}), so no number of labels "
            f"can show {'a difference' if target.margin is None else 'non-inferiority'}."
        )
    return LabelPower(pilot, variance, lead)


def _range(
    pilot: LabelPilot, found: Needed, goal: LabelPrecision | LabelPower
) -> tuple[float, float]:
    """The range of the number of labels that the pilot leaves, as ``pilot.with_range`` has it."""
    from scipy.special import stdtrit

    tail, variance = (1 - pilot.level) / 2, pilot.variance
    wanted = variance.at(found.units)
    if isinstance(goal, LabelPower):
        both = pilot.corrected
        error = float(errors_of(both.covariance - both.pseudo)[0, 1])
        reach = float(stdtrit(both.freedom, 1 - tail)) * error / goal.lead
        low = variance.labels(wanted * (1 + reach) ** 2)
        high = variance.labels(wanted * (1 - reach) ** 2) if reach < 1 else math.inf
    else:
        least = min(pilot.labels, variance.items - pilot.labels)
        known = least >= _LEAST and variance.items <= _MOST
        logs = np.log([v.labels(wanted) for v in _left_out(pilot)] if known else [math.inf])
        if np.isinf(logs).any():
            return math.nan, math.nan
        error = float(np.sqrt((len(logs) - 1) * logs.var()))
        factor = math.exp(float(stdtrit(len(logs) - 1, 1 - tail)) * error)
        low, high = found.units / factor, found.units * factor
    return low, high if high <= variance.items else math.inf


def _left_out(pilot: LabelPilot) -> list[LabelVariance]:
    """The variances without each of some random groups of items, labelled and others alike."""
    sample = pilot.sample
    sample = sample.take(np.repeat(np.arange(len(sample.truth)), sample.count))
    sample = replace(sample, count=np.ones_like(sample.count))
    groups = min(_GROUPS, pilot.labels, sample.items - pilot.labels)
    order, group = np.random.default_rng(0), np.empty(len(sample.truth), dtype=np.int64)
    for part in (sample.labelled, ~sample.labelled):
        group[part] = order.permutation(int(part.sum())) % groups
    each = [sample.take(group != g) for g in range(groups)]
    found = [LabelPilot(pilot.metric, s, pilot.level).variance for s in each]
    return [replace(v, items=sample.items) for v in found]
