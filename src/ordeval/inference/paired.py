"""Is model A better than model B? Difference, interval, test and margin on the same items.

All of them come from one number and its standard error: the interval excludes zero exactly when
the test is significant, and lies above minus the margin exactly when A is shown to be non-inferior.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ordeval._shared.arguments import is_number
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import (
    argument,
    at_most,
    bracketed,
    deciding,
    joined,
    named,
    p_value,
    signed,
    visible,
    who_ruled_out,
    with_ends,
)
from ordeval._shared.types import Floats
from ordeval.data.accumulator import Accumulator
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import validate_counts
from ordeval.data.scale import as_scale
from ordeval.exceptions import CountsError, ParameterError, ScaleError
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import agreed, ruled_out, worst
from ordeval.inference.intervals import (
    Estimation,
    Method,
    Observed,
    how_made,
    whole_counts,
)
from ordeval.inference.many_models.simultaneous import errors_of
from ordeval.inference.margins import WithinMargin, limit_of, within_margin
from ordeval.inference.paired_tests import (
    DrawnTest,
    NoTest,
    PairedTest,
    TTest,
    paired_test,
    span_of,
)
from ordeval.inference.samples import Sample, sample_of_joint
from ordeval.measures import Metric

Verdict = Literal["", "non-inferior", "not shown", "inferior"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Delta(Result):
    """The difference of two models by one measure, A minus B."""

    _kind: ClassVar[str] = "ordeval.delta"

    metric: str
    a: str
    b: str
    value_a: float
    value_b: float
    delta: float  # of a two-sided measure: of its distance to the best value
    low: float
    high: float
    level: float
    method: Method
    n_resamples: int = 0
    undefined_share: float = 0.0
    p_value: float  # two-sided
    greater_is_better: bool  # whether a positive difference is in favour of A
    margin: float | None = None
    p_noninferior: float | None = None  # one-sided, of A being worse than B by the margin or more
    p_equivalent: float | None = None  # of A and B differing by the margin or more
    too_few: str = ""  # why no margin is shown, if the models differ on too few items
    # The first, corrected over the comparisons with a reference.
    p_noninferior_adjusted: float | None = None
    items: int = 0
    clusters: int = 0
    dropped: int = field(default=0, compare=False)
    effective: float = 0.0
    refused: str = field(default="", compare=False)  # why there is no finite difference
    # Corrected over the pairs of a comparison. What else was compared is no part of a difference,
    # and NaN would make it unequal to itself.
    p_adjusted: float = field(default=np.nan, compare=False)
    # The interval that agrees with it, if one critical value decides on all pairs.
    low_adjusted: float = field(default=np.nan, compare=False)
    high_adjusted: float = field(default=np.nan, compare=False)
    display: str = field(default="", compare=False)  # the name of the measure in sentences
    # Of the units as they are, and of how many of them: what tests over several subgroups use.
    standard_error: float = field(default=np.nan, compare=False)
    freedom: float = field(default=np.nan, compare=False)

    @property
    def significant(self) -> bool:
        """Whether the difference is significant, by the corrected p-value if there is one."""
        p = self.p_value if self.p_adjusted != self.p_adjusted else self.p_adjusted
        return bool(p <= 1 - self.level)

    @property
    def favours(self) -> str | None:
        """The significantly better model; None if the difference is not significant."""
        return (self.a if self.gain > 0 else self.b) if self.significant else None

    @property
    def gain(self) -> float:
        """How much better A is: the difference turned so that greater is better."""
        return self.delta if self.greater_is_better else -self.delta

    @property
    def gain_low(self) -> float:
        """The lower end of the interval of the gain."""
        return self.low if self.greater_is_better else -self.high

    @property
    def gain_high(self) -> float:
        """The upper end of the interval of the gain."""
        return self.high if self.greater_is_better else -self.low

    @property
    def shown_ends(self) -> str:
        """The interval in brackets, with enough digits to compare it with the margin."""
        m = self.margin or 0.0
        each = (self.gain_low, -m), (self.gain_high, m), (self.gain_high, -m)
        known = [x for x in each if m and math.isfinite(x[0])]
        digits = max((deciding(*x) for x in known), default=3)
        return bracketed(self.low, self.high, lambda end: signed(end, digits))

    @property
    def verdict(self) -> Verdict:
        """Whether A is non-inferior to B, by the interval and the margin; empty without one.

        With several comparisons, it is the verdict after correcting the p-values for all of them.
        """
        if self.margin is None:
            return ""
        alpha, p = 1 - self.level, self.p_noninferior_adjusted
        p = self.p_noninferior if p is None else p
        if self.gain_low > -self.margin and (p is None or p <= alpha / 2):
            return "non-inferior"
        worse = self.gain_high < -self.margin and not self.p_adjusted > alpha
        return "inferior" if worse else "not shown"

    @property
    def equivalent(self) -> bool:
        """Whether A and B are shown to differ by less than the margin, by the same interval.

        Two one-sided tests, each at the level of the test of non-inferiority, which it implies.
        """
        return self.verdict == "non-inferior" and self.gain_high < (self.margin or 0.0)

    def __str__(self) -> str:
        if self.refused:
            return visible(self.refused)
        return visible(
            f"{self.display or self.metric}: {self.a} - {self.b} = "
            f"{with_ends(self.delta, self.low, self.high, signed)}, "
            f"{at_most(self.p_value, exact=True)}"
            + (f"; {self.sentence()}" if self.margin is not None else "")
        )

    def sentence(self) -> str:
        """What the margin says, in words that can be copied; empty without one."""
        if self.margin is None:
            return ""
        if self.delta != self.delta:
            return f"{self.a} and {self.b} cannot be compared: {self.display} has no value"
        if self.refused:
            return visible(self.refused)
        lower = "" if self.greater_is_better else " (lower is better)"
        a, b, limit = self.a, self.b, f"{self.margin:g} in {self.display}{lower}"
        said = {
            "non-inferior": f"{a} is non-inferior to {b} by a margin of {limit}",
            "inferior": f"{a} is inferior to {b} by more than the margin of {limit}",
            "not shown": f"{a} is not shown to be non-inferior to {b} by a margin of {limit}",
        }[self.verdict or "not shown"]
        also = ", and the two are equivalent within it" if self.equivalent else ""
        if self.too_few and self.verdict == "not shown":
            also = f": {self.too_few}"
        how = f"difference {self.delta:+.3f}, {100 * self.level:g}% CI {self.shown_ends}"
        if self.verdict != "inferior" and self.p_noninferior is not None:
            corrected = self.p_noninferior_adjusted is not None
            raw = "raw " if corrected else ""
            how += f"; one-sided {raw}{at_most(self.p_noninferior, exact=True)}"
            if corrected:
                how += f", corrected {at_most(self.p_noninferior_adjusted or 0, exact=True)}"
            how += f", threshold {(1 - self.level) / 2:.3g}"
        return visible(f"{said}{also} ({how})")

    def rows(self) -> list[dict[str, Any]]:
        """One record."""
        known = {k: v for k, v in vars(self).items() if k != "display"}
        return [{**known, "favours": self.favours, "verdict": self.verdict}]

    def cells(self) -> tuple[Cell, ...]:
        """The row of a table of differences."""
        cells = [
            Cell(self.display or self.metric),
            Cell(f"{self.a} − {self.b}"),
            Cell(signed(self.delta), "" if self.refused else self.shown_ends),
            Cell(p_value(self.p_value)),
            Cell(p_value(self.p_adjusted)),
            Cell(self.favours or ""),
        ]
        if self.margin is not None:
            cells.append(Cell(self.verdict + ", equivalent" * self.equivalent))
        return tuple(cells)

    def table(self) -> Table:
        """One row: the difference, its interval, its p-value, and what the margin says."""
        cells = self.cells()
        head = ["measure", "pair", "difference", "p", "favours"]
        if self.margin is not None:
            head.append(f"margin {self.margin:g}")
        how = how_made(self.level, self.method, self.n_resamples)
        row = (*cells[:4], *cells[5:])
        note = f"{self.refused}." if self.refused else f"Interval: {how}."
        return Table(tuple(head), (row,), notes=(note,))


def check_margin(margin: Any, metric: Metric | None = None, k: int = 2) -> None:
    """Refuse a margin that is not a positive number, or that no difference could exceed."""
    if margin is None:
        return
    if not is_number(margin) or not 0 < float(margin) < np.inf:
        raise ParameterError(
            f"{named('margin')} must be a number > 0, in units of the measure: how much worse a "
            f"model may be and still count as non-inferior; got {margin!r}."
        )
    if metric is not None and float(margin) >= span_of(metric, k):
        raise ParameterError(
            f"{named('margin')} must be less than {span_of(metric, k):g}, which is as far apart as "
            f"two values of {metric.name} can be; got {margin!r}."
        )


class Pair(NamedTuple):
    """Two of the models of a sample."""

    models: tuple[int, int]
    names: tuple[str, str]


def observe_accumulated(counted: Accumulator, labels: Any, names: tuple[str, str]) -> Observed:
    """Items from what was counted of two of several models."""
    scale = counted.scale
    if labels is not None and as_scale(labels) != scale:
        raise ScaleError(f"{argument('labels')} says {as_scale(labels)}, the counts {scale}.")
    whole = whole_counts(counted.joint_counts(*names))
    dropped = counted.dropped.missing + counted.dropped.unknown
    return Observed(sample_of_joint(whole), scale, implied=False, dropped=dropped)


def observe_joint(joint: Any, labels: Any, *, who: str) -> Observed:
    """Items from joint counts (K, K, K), truth x A x B."""
    try:
        shown = f"shape {np.shape(joint)}"
        cube = len(np.shape(joint)) == 3 and len(set(np.shape(joint))) == 1
    except ValueError:
        shown, cube = "lists of different lengths", False
    if not cube:
        raise CountsError(f"{who} joint counts of shape (K, K, K); got {shown}.")
    whole = whole_counts(validate_counts(joint))
    scale = ConfusionMatrix(whole.sum(axis=-1), labels).scale
    return Observed(sample_of_joint(whole), scale, implied=False)


def make_delta(
    metric: Metric,
    pair: Pair,
    observed: Observed,
    found: Contributions,
    how: Estimation,
    *,
    margin: float | None = None,
    draws: Mapping[str, Floats] | None = None,
) -> Delta:
    """The difference of two of the models whose contributions are given."""
    value_a, value_b = found.values[list(pair.models)].tolist()
    both = found.of(pair.models).turned(metric)
    with np.errstate(invalid="ignore"):  # two infinite losses have no difference
        delta = float(both.values[0] - both.values[1])
    sample, infinite = observed.sample, [i for i in pair.models if np.isinf(found.values[i])]
    test: PairedTest | WithinMargin
    if infinite:
        test = NoTest()
    elif how.method == "auto":
        none = agreed(metric, sample, pair.models)
        if none is None and both.none_apart:  # their answers differ, but not by this measure
            none = worst(metric, sample, pair.models, 0)
        test = none or paired_test(metric, both, delta, sample.k)
        if margin is not None and isinstance(test, TTest):
            test = within_margin(test, limit_of(metric, sample, pair.models, both), metric)
    else:
        test = DrawnTest.of(metric, pair.models, both, how.method, (draws or {})[metric.name])
    low, high, p = (*test.ends(how.level), test.two_sided) if delta == delta else [np.nan] * 3
    return Delta(
        metric=metric.name,
        a=pair.names[0],
        b=pair.names[1],
        value_a=value_a,
        value_b=value_b,
        delta=delta,
        low=low,
        high=high,
        level=how.level,
        method=how.method,
        n_resamples=how.draws,
        undefined_share=test.undefined,
        p_value=p,
        greater_is_better=bool(metric.greater_is_better),
        display=metric.display,
        standard_error=_standard_error(both) if delta == delta and not infinite else np.nan,
        freedom=both.freedom,
        **_margins(metric, delta, test, margin),
        too_few=test.too_few("cluster" if sample.clusters else "item")
        if isinstance(test, WithinMargin)
        else "",
        refused=_no_difference(metric, pair, sample, infinite) if infinite else "",
        **observed.basis,
    )


def _standard_error(both: Contributions) -> float:
    return float(errors_of(both.covariance - both.pseudo)[0, 1])


def _no_difference(metric: Metric, pair: Pair, sample: Sample, infinite: list[int]) -> str:
    """Why two models have no finite difference."""
    name = dict(zip(pair.models, pair.names, strict=True))
    found = {name[i]: n for i in infinite if (n := ruled_out(metric, sample, i))}
    why = f": {who_ruled_out(found, sample.items)}" if found else ""
    whose = joined([name[i] for i in infinite])
    return f"{metric.display} is infinite for {whose}, so there is no difference to test{why}"


def _margins(
    metric: Metric, delta: float, test: PairedTest | WithinMargin, margin: float | None
) -> dict[str, Any]:
    """P-values of non-inferiority and of equivalence within the margin."""
    if margin is None:
        return {}
    if delta != delta:
        return {"margin": float(margin), "p_noninferior": np.nan, "p_equivalent": np.nan}
    side = 1 if metric.greater_is_better else -1
    above, below = test.beyond(-side * margin, side), test.beyond(side * margin, -side)
    return {"margin": float(margin), "p_noninferior": above, "p_equivalent": max(above, below)}
