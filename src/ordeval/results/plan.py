"""Plan: how many items a study needs, what it then shows, and what that rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from ordeval._shared.result import Concluded
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import bracketed, capital, joined, number, plural, signed, visible
from ordeval.inference.advice import Advice
from ordeval.results.phrases import display_of, percent

_OPEN = 100  # times the plan: a range that is wider has no upper end


@dataclass(frozen=True)
class PlanPoint:
    """What studies of one size show: the half-width or the power."""

    items: int
    clusters: int  # 0: items are independent
    reached: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(Concluded):
    """How many items a study needs; prints the answer and what other sizes would give."""

    _kind: ClassVar[str] = "ordeval.plan"

    metric: str
    goal: Literal["half_width", "power"]
    target: float
    items: int
    clusters: int  # 0: items are independent
    reached: float  # what studies of this size show on average
    level: float
    expected: float  # the value of the measure, of two models that of the first
    expected_b: float | None  # the value of the second model
    low: float  # the interval of the expected table; NaN where models are compared
    high: float
    gain: float | None  # by how much the first model is expected to be better than the second
    margin: float | None
    names: tuple[str, str] | None  # of two models
    cluster_size: float  # the mean
    icc: float
    class_items: Mapping[Any, float]  # the items of each class that are to be expected
    undefined_share: float  # of studies in which the measure has no value
    source: str  # what is expected, in words
    curve: tuple[PlanPoint, ...]
    advice: tuple[Advice, ...] = ()
    # From pilot data: the range of ``items`` that the pilot leaves, at the level of the plan.
    items_low: float = math.nan
    items_high: float = math.nan
    cluster_cv: float = 0.0  # standard deviation of the sizes of clusters over their mean
    labelled_of: int = 0  # items that a proxy labels, of which ``items`` need a human label
    without_proxy: int = 0  # human labels that would be needed without the proxy
    by_humans: Mapping[int, int] = field(default_factory=dict)  # of a judge study: items

    @property
    def half_width(self) -> float | None:
        """The half-width that studies of this size have on average, if that was planned."""
        return self.reached if self.goal == "half_width" else None

    @property
    def power(self) -> float | None:
        """The power of studies of this size, if that was planned."""
        return self.reached if self.goal == "power" else None

    @property
    def difference(self) -> float | None:
        """The expected difference, first minus second model."""
        return None if self.expected_b is None else self.expected - self.expected_b

    @property
    def design_effect(self) -> float:
        """By how much clusters multiply the variance (Kish 1965)."""
        return 1 + (self.cluster_size * (1 + self.cluster_cv**2) - 1) * self.icc

    @property
    def size(self) -> str:
        """The planned size in words."""
        if self.labelled_of:
            labels = plural(self.items, "human label")
            without = f"without the proxy, {self.without_proxy:,}"
            return f"{labels} of the {self.labelled_of:,} items ({without})"
        if not self.clusters:
            return plural(self.items, "item")
        each = f"{self.cluster_size:.3g} items{' on average' if self.cluster_size % 1 else ''}"
        return f"{plural(self.clusters, 'cluster')} of {each}, {plural(self.items, 'item')} in all"

    def conclusion(self) -> str:
        """How many items to plan, in words that can be copied."""
        return visible(_precision(self) if self.goal == "half_width" else _power(self))

    def assumptions(self) -> str:
        """What the plan rests on."""
        return visible(" ".join(_assumed(self)))

    def paragraphs(self) -> Sequence[str]:
        """The conclusion, and what it rests on."""
        return self.conclusion(), self.assumptions()

    def rows(self) -> list[dict[str, Any]]:
        """One record for each size of the curve."""
        return [
            {
                "metric": self.metric,
                "items": p.items,
                "clusters": p.clusters,
                self.goal: p.reached,
                "planned": p.items == self.items,
            }
            for p in self.curve
        ]

    def table(self) -> Table:
        """One row for each size of the curve; the planned one is marked."""
        head = (
            self._counted,
            *(("clusters",) if self.clusters else ()),
            self.goal.replace("_", "-"),
        )
        rows = tuple(
            (
                Cell(f"{p.items:,}"),
                *((Cell(f"{p.clusters:,}"),) if self.clusters else ()),
                Cell(_shown(self, p.reached), best=p.items == self.items),
            )
            for p in self.curve
        )
        return Table(head, rows, self._caption(), ("{best}: the plan.",))

    @property
    def _counted(self) -> str:
        return "human labels" if self.labelled_of else "items"

    def _caption(self) -> str:
        measure = capital(display_of(self.metric))
        if self.goal == "half_width":
            of = f"the {percent(self.level)} interval"
            return f"{measure}: half-width of {of} by the number of {self._counted}"
        if self.margin is not None:
            return f"{measure}: power to show non-inferiority by a margin of {self.margin:g}"
        return f"{measure}: power to show the difference by the number of {self._counted}"

    def _facts(self) -> dict[str, Any]:
        """The plan, the curve, and what it rests on."""
        made = {
            "half_width": self.half_width,
            "power": self.power,
            "difference": self.difference,
            "design_effect": self.design_effect,
            "conclusion": self.conclusion(),
            "assumptions": self.assumptions(),
            "rows": self.rows(),
            "advice": self.advice,
        }
        return {**{k: v for k, v in vars(self).items() if k != "curve"}, **made}


def _shown(plan: Plan, reached: float) -> str:
    """A half-width or a power in a table."""
    return number(reached, 4) if plan.goal == "half_width" else _percent(reached)


def _percent(power: float) -> str:
    """A power; near certainty is not shown as certainty."""
    return ">99.9%" if power >= 0.9995 else f"{power:.1%}"


def _precision(plan: Plan) -> str:
    return (
        f"To estimate {display_of(plan.metric)} (expected {number(plan.expected)}) with a "
        f"{percent(plan.level)} interval of ±{plan.target:g}, plan {plan.size}. A "
        f"typical interval is {bracketed(plan.low, plan.high)}."
    )


def _power(plan: Plan) -> str:
    assert plan.names is not None
    assert plan.expected_b is not None
    assert plan.gain is not None
    a, b = plan.names
    expected = (
        f"expected {number(plan.expected)} and {number(plan.expected_b)}, a difference of "
        f"{signed(plan.expected - plan.expected_b)}"
    )
    if plan.margin is not None:
        aim = f"{a} is non-inferior to {b} by a margin of {plan.margin:g}"
        test = f"the one-sided paired test at the level {(1 - plan.level) / 2:.4g}"
    else:
        first, second = (a, b) if plan.gain > 0 else (b, a)
        aim = f"{first} is better than {second}"
        test = f"the two-sided paired test at the level {1 - plan.level:.4g}"
    return (
        f"To show that {aim} by {display_of(plan.metric)} ({expected}) with a power of "
        f"{plan.target:.4g}, plan {plan.size}: {test} then does so in "
        f"{_percent(plan.reached)} of such studies."
    )


def _assumed(plan: Plan) -> Iterator[str]:
    if plan.clusters:
        yield (
            f"This assumes independent clusters, within which items correlate by {plan.icc:.3g} "
            f"(design effect {plan.design_effect:.3g}), {plan.source}."
        )
    else:
        yield f"This assumes independent items, {plan.source}."
    if plan.items_low == plan.items_low:
        yield _uncertain(plan)
    if plan.labelled_of:
        yield "Draw the items to label at random."
    if len(plan.by_humans) > 1:
        each = [f"{n:,} with {r}" for r, n in plan.by_humans.items()]
        yield (
            f"Items by the number of humans, on average over choices of the pilot's: "
            f"{joined(each, most=len(each))}."
        )
    if plan.goal == "half_width":
        yield (
            f"The half-width is half the width of the interval, {number(plan.reached, 4)} "
            "on average over studies."
        )
    if plan.undefined_share >= 0.005:
        yield (
            f"In {plan.undefined_share:.0%} of such studies {display_of(plan.metric)} is undefined "
            "because a class is missing; plan more items to avoid this."
        )


def _uncertain(plan: Plan) -> str:
    """The range of the number of items, with two digits."""
    low, high = (f"{float(f'{x:.2g}'):,.0f}" for x in (plan.items_low, plan.items_high))
    if plan.labelled_of and plan.items_high == math.inf:
        return (
            f"The pilot is too small for this number: from {low} human labels to more than the "
            f"{plan.labelled_of:,} items may be needed."
        )
    if plan.items_high > _OPEN * plan.items:
        return (
            f"The pilot is too small for this number: anything from {low} items may be needed, "
            "because its interval reaches what the test is to exclude."
        )
    return f"Given the size of the pilot, about {low} to {high} {plan._counted} may be needed."
