"""How many items a study needs to show that a judge is non-inferior to a human."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ordeval._shared.text import argument, joined, plural
from ordeval.evaluate.populations.curves import curve_of
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.influence import Contributions
from ordeval.inference.paired import check_margin
from ordeval.inference.planning import Needed, needed
from ordeval.inference.raters.judges import Panel
from ordeval.inference.raters.planned_judges import JudgePower
from ordeval.inference.study_design import Design
from ordeval.measures import Metric
from ordeval.results.judgement import Judgement
from ordeval.results.plan import Plan

if TYPE_CHECKING:
    from ordeval.evaluate.plan import StudyTarget

_ROWS: Final = 8  # numbers of humans that are shown


def plan_of_judge(metric: Metric, pilot: Judgement, judge: str | None, target: StudyTarget) -> Plan:
    """Return the plan from the judgement of a pilot."""
    name = _judge(pilot, judge)
    panel = replace(pilot._panels[name], metric=metric)
    margin, gap = _checked(name, panel, target)
    design, tail = _design(panel, gap, target.level), (1 - target.level) / 2
    humans = panel.humans.shape[1]
    goal = JudgePower.of(panel, humans, margin, tail)
    found = needed(goal, target.value)
    fewer = {
        r: _units(JudgePower.of(panel, r, margin, tail), target.value)
        for r in np.unique(np.linspace(2, humans, _ROWS).round().astype(int)).tolist()[:-1]
    }
    by_humans = {r: design.items(units) for r, units in fewer.items() if units}
    agreement, ceiling = panel.agreement.estimate, panel.ceiling.estimate
    low, high = _range(gap, found, design, goal)
    items = design.items(found.units)
    codes = panel.humans[panel.humans >= 0]
    shares = np.bincount(codes, minlength=panel.k) / len(codes) * items
    return Plan(
        metric=metric.name,
        goal="power",
        target=target.value,
        items=items,
        clusters=found.units if design.cluster_size > 1 else 0,
        reached=found.value,
        level=target.level,
        expected=agreement,
        expected_b=ceiling,
        low=math.nan,
        high=math.nan,
        gain=goal.sign * (agreement - ceiling),
        margin=margin,
        names=(name, "a human"),
        cluster_size=design.cluster_size,
        cluster_cv=design.cluster_cv,
        icc=design.icc,
        class_items=dict(zip(pilot.scale, (float(f"{n:.3g}") for n in shares), strict=True)),
        undefined_share=0.0,
        source=f"with the {humans} humans of the pilot of {plural(len(panel.humans), 'item')}",
        curve=curve_of(goal, found, design, target.sizes),
        items_low=low,
        items_high=high,
        by_humans={**by_humans, humans: items},
    )


def _judge(pilot: Judgement, judge: str | None) -> str:
    if judge is None and len(pilot.judges) == 1:
        return pilot.judges[0]
    if judge not in pilot.judges:
        said = "has several judges" if judge is None else f"has no judge {judge!r}"
        raise ParameterError(
            f"the judgement {said}. Choose one with {argument('names')}: {joined(pilot.judges)}."
        )
    return judge


def _checked(name: str, panel: Panel, target: StudyTarget) -> tuple[float, Contributions]:
    """The margin and the gap of the pilot, or an error."""
    metric = panel.metric
    if target.power is None or target.margin is None:
        raise ParameterError(
            f"a plan for a judge needs {argument('power')} and {argument('margin')}: the largest "
            "acceptable loss of agreement relative to that among humans."
        )
    if target.cluster_size is not None or target.icc is not None:
        raise ParameterError(
            f"clusters of a plan for a judge are those of the pilot: leave out "
            f"{argument('cluster_size')} and {argument('icc')}."
        )
    check_margin(target.margin, metric, panel.k)
    if metric.greater_is_better is None:
        raise ParameterError(f"{metric.name} has no direction: no value of it is non-inferior.")
    if panel.humans.shape[1] < 2:
        raise LabelError(
            "the pilot has one human. Whether a judge is non-inferior to a human takes the "
            "agreement of at least two."
        )
    gap = panel.gap_contributions
    if gap is None or not (gap.covariance - gap.pseudo)[0, 0] > 0:
        raise LabelError(
            f"the pilot does not show how much the gap of {name} by {metric.name} varies: it needs "
            "more items that at least two humans and the judge rated."
        )
    loss = -float(gap.values[0]) * (1 if metric.greater_is_better else -1)
    if loss >= target.margin:
        raise ParameterError(
            f"in the pilot, {name} loses {loss:.3g} of {metric.name} relative to humans, and the "
            f"margin is {target.margin:g}. No number of items shows non-inferiority by a margin "
            "that is not above the loss."
        )
    return target.margin, gap


def _design(panel: Panel, gap: Contributions, level: float) -> Design:
    """The clusters of the pilot, if it has them."""
    if panel.cluster is None:
        return Design(level)
    sizes = np.unique(panel.cluster, return_counts=True)[1]
    mean, cv = float(sizes.mean()), float(sizes.std() / sizes.mean())
    apart = replace(panel, cluster=None).gap_contributions
    assert apart is not None
    clustered, alone = (float((x.covariance - x.pseudo)[0, 0]) for x in (gap, apart))
    effect = clustered / alone if alone > 0 else 1.0
    own = mean * (1 + cv**2)
    icc = min(max((effect - 1) / (own - 1), 0.0), 1.0) if own > 1 else 0.0
    return Design(level, mean, icc, cv)


def _units(goal: JudgePower, power: float) -> int:
    """How many units another number of humans needs; 0 if no number is enough."""
    if not goal.gaps:
        return 0
    try:
        return needed(goal, power).units
    except ParameterError:  # with most of these humans, the judge is not within the margin
        return 0


def _range(
    gap: Contributions, found: Needed, design: Design, goal: JudgePower
) -> tuple[float, float]:
    """The range of the number of items that the pilot leaves, as ``pilot.with_range`` has it."""
    from scipy.special import stdtrit

    lead = goal.sign * float(gap.values[0]) + goal.margin
    reach = float(stdtrit(gap.own_freedom[0], 1 - goal.tail) * gap.errors[0]) / lead
    items = design.items(found.units)
    return items / (1 + reach) ** 2, items / (1 - reach) ** 2 if reach < 1 else math.inf
