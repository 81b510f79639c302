"""Is model A better than model B? Difference, interval, test and margin on the same items.

All of them come from one number and its standard error: the interval leaves out zero exactly when
the test is significant, and lies above minus the margin exactly when A is shown to be non-inferior.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import (
    argument,
    at_most,
    bracketed,
    joined,
    named,
    p_value,
    signed,
    visible,
    who_ruled_out,
    with_ends,
)
from ordeval._shared.types import Floats, Policy, Rng
from ordeval.data.accumulator import Accumulator
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import validate_counts
from ordeval.data.items import Misfits
from ordeval.data.outputs import Outputs, Reading, given_by, read_outputs
from ordeval.data.scale import as_scale
from ordeval.exceptions import CountsError, LabelError, ParameterError, ScaleError
from ordeval.inference.advice import warn
from ordeval.inference.draws import (
    Draws,
    bca_ends,
    bca_tail,
    percentile_ends,
    percentile_tail,
    two_sided,
)
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import agreed, contributions, ruled_out
from ordeval.inference.intervals import (
    Estimation,
    Method,
    Observed,
    draws_of,
    how_made,
    looks_at_labels,
    settled_outputs,
    whole_counts,
)
from ordeval.inference.samples import Sample, sample_of, sample_of_joint
from ordeval.inference.simultaneous import errors_of, gap_of, t_p_values
from ordeval.inference.skewed_t import Skewed, without_limit
from ordeval.measures import Metric
from ordeval.measures.metric import check_names, warn_of_unused_levels
from ordeval.measures.probability import check_truth
from ordeval.measures.registry import choose

AS_LETTERS: Final = ("A", "B")
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
    favours: str | None  # the better model by this measure, whether or not it is significant
    greater_is_better: bool  # whether a positive difference is in favour of A
    margin: float | None = None
    p_noninferior: float | None = None  # one-sided, of A being worse than B by the margin or more
    p_equivalent: float | None = None  # of A and B differing by the margin or more
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
    def verdict(self) -> Verdict:
        """Whether A is non-inferior to B, by the interval and the margin; empty without one.

        Of several comparisons it says what stands when p-values are corrected for all of them.
        """
        if self.margin is None:
            return ""
        alpha, corrected = 1 - self.level, self.p_noninferior_adjusted
        if self.gain_low > -self.margin and (corrected is None or corrected <= alpha / 2):
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
            f"{self.metric}: {self.a} - {self.b} = "
            f"{with_ends(self.delta, self.low, self.high, signed)}, "
            f"{at_most(self.p_value, exact=True)}"
            + (f"; {self.sentence()}" if self.margin is not None else "")
        )

    def sentence(self) -> str:
        """What the margin says, in words that can be copied; empty without one."""
        if self.margin is None:
            return ""
        if self.delta != self.delta:
            return f"{self.a} and {self.b} cannot be compared by {self.metric}: it has no value"
        if self.refused:
            return visible(self.refused)
        lower = "" if self.greater_is_better else " (lower is better)"
        a, b, limit = self.a, self.b, f"{self.margin:g} in {self.metric}{lower}"
        said = {
            "non-inferior": f"{a} is non-inferior to {b} by a margin of {limit}",
            "inferior": f"{a} is inferior to {b} by more than the margin of {limit}",
            "not shown": f"{a} is not shown to be non-inferior to {b} by a margin of {limit}",
        }[self.verdict or "not shown"]
        also = ", and the two are equivalent within it" if self.equivalent else ""
        ends = bracketed(self.low, self.high, signed)
        how = f"difference {self.delta:+.3f}, {self.level:.0%} interval {ends}"
        if self.verdict != "inferior" and self.p_noninferior is not None:
            how += f"; one-sided {at_most(self.p_noninferior, exact=True)}"
            if self.p_noninferior_adjusted not in (None, self.p_noninferior):
                how += f", corrected {at_most(self.p_noninferior_adjusted, exact=True)}"
            how += f", to be at most {(1 - self.level) / 2:.3g}"
        return visible(f"{said}{also} ({how})")

    def rows(self) -> list[dict[str, Any]]:
        """One record."""
        return [{**vars(self), "verdict": self.verdict}]

    def cells(self) -> tuple[Cell, ...]:
        """The row of a table of differences."""
        ends = bracketed(self.low, self.high, signed)
        cells = [
            Cell(self.metric),
            Cell(f"{self.a} − {self.b}"),
            Cell(signed(self.delta), "" if self.refused else ends),
            Cell(p_value(self.p_value)),
            Cell(p_value(self.p_adjusted)),
            Cell(self.favours or "neither"),
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


def paired_delta(
    metric: str | Metric,
    y_true: Any,
    pred_a: Any = None,
    pred_b: Any = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    margin: float | None = None,
    method: Method = "auto",
    level: float = 0.95,
    n_resamples: int = 9999,
    clusters: Any = None,
    sample_weight: Any = None,
    names: tuple[str, str] = AS_LETTERS,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
) -> Delta:
    """Difference of two models on the same items, with interval and test.

    Parameters
    ----------
    metric
        A measure or its name.
    y_true, pred_a, pred_b
        The true label of each item and what both models give: labels, probabilities (n, K) or
        scores; or, in place of all three, an array of joint counts (K, K, K): truth x prediction
        of A x prediction of B, or an Accumulator of several models.
    margin
        How much worse than B model A may be, in units of the measure, to count as non-inferior.
    names
        What the two models are called; of an Accumulator of more than two, which of them.
    labels, outputs, decide, method, level, n_resamples, clusters, sample_weight
        As for ``confidence_interval``, and so are ``unknown``, ``missing`` and ``rng``;
        ``method`` is ``"auto"``, ``"bca"`` or ``"percentile"``.

    Examples
    --------
    >>> y_true = [1, 2, 3] * 30
    >>> a = [1, 2, 3] * 20 + [1, 2, 2] * 10
    >>> b = [1, 2, 3] * 20 + [1, 1, 1] * 10
    >>> print(paired_delta("mean_absolute_error", y_true, a, b))
    mean_absolute_error: A - B = -0.222 [-0.309, -0.131], p < 0.0001
    """
    outputs = settled_outputs(outputs, [x for x in (pred_a, pred_b) if x is not None], metric)
    given = given_by({"a": pred_a, "b": pred_b}, outputs)
    (chosen,) = choose([metric], given=given)
    if isinstance(y_true, Accumulator) and names == AS_LETTERS and len(y_true.models) == 2:
        names = (y_true.models[0], y_true.models[1])
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError(f"names must be the different names of two models; got {names!r}.")
    how = Estimation(method=method, level=level, n_resamples=n_resamples, paired=True)
    check_margin(margin)
    reading = Reading(
        labels=labels,
        outputs=outputs,
        decide=rule_of(decide),
        decided=looks_at_labels(chosen, given),
        misfits=Misfits(unknown, missing),
    )
    observed = _observe_pair(
        y_true,
        {"pred_a": pred_a, "pred_b": pred_b},
        reading,
        names=names,
        clusters=clusters,
        sample_weight=sample_weight,
    )
    check_truth((chosen,), observed.sample.outcome)
    check_names([chosen], observed.scale)
    check_margin(margin, chosen, observed.scale.k)
    if observed.implied:
        warn_of_unused_levels([chosen], observed.scale)
    draws = draws_of(observed.sample, (chosen,), how, rng)
    found = contributions(chosen, observed.sample)
    delta = make_delta(
        chosen, Pair((0, 1), names), observed, found, how, margin=margin, draws=draws
    )
    warn(observed.situation(metrics=(chosen,), deltas=(delta,)))
    return delta


def check_margin(margin: Any, metric: Metric | None = None, k: int = 2) -> None:
    """Refuse a margin that is not a positive number, or that no difference could exceed."""
    if margin is None:
        return
    if isinstance(margin, bool) or not isinstance(margin, Real) or not 0 < float(margin) < np.inf:
        raise ParameterError(
            f"{named('margin')} must be a number > 0, in units of the measure: how much worse a "
            f"model may be and still count as non-inferior; got {margin!r}."
        )
    if metric is not None and float(margin) >= _span(metric, k):
        raise ParameterError(
            f"{named('margin')} must be less than {_span(metric, k):g}, which is as far apart as "
            f"two values of {metric.name} can be; got {margin!r}."
        )


class Pair(NamedTuple):
    """Two of the models of a sample."""

    models: tuple[int, int]
    names: tuple[str, str]


def _observe_pair(
    y_true: Any,
    models: Mapping[str, Any],
    reading: Reading,
    *,
    names: tuple[str, str],
    clusters: Any,
    sample_weight: Any,
) -> Observed:
    if all(given is None for given in models.values()):
        if clusters is not None or sample_weight is not None:
            raise LabelError("clusters and weights go with labels, not with joint counts.")
        if isinstance(y_true, Accumulator):
            return _observe_accumulated(y_true, reading.labels, names)
        return observe_joint(
            y_true, reading.labels, who="paired_delta takes y_true, pred_a and pred_b, or"
        )
    reading = replace(reading, distinct=clusters is None)
    items = read_outputs(y_true, models, reading, sample_weight=sample_weight)
    sample = sample_of(items, clusters=clusters)
    return Observed(sample, items.scale, items.implied, items.left_out)


def _observe_accumulated(counted: Accumulator, labels: Any, names: tuple[str, str]) -> Observed:
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
    test: _Test
    if infinite:
        test = _NoTest()
    elif how.method == "auto":
        none = agreed(metric, sample, pair.models)
        test = none or _test_of(metric, both, delta, sample.k)
    else:
        test = _DrawnTest.of(metric, pair, both, how.method, (draws or {})[metric.name])
    low, high, p = (*test.ends(how.level), test.two_sided) if delta == delta else [np.nan] * 3
    gain = float(gap_of(metric.utility(value_a), metric.utility(value_b)))
    if np.isinf(delta):  # one of them lost without bounds, and that is worse
        gain = float(np.sign(metric.utility(value_a) - metric.utility(value_b)))
    favours = None if not abs(gain) > 0 else pair.names[int(gain < 0)]
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
        favours=favours,
        greater_is_better=bool(metric.greater_is_better),
        **_margins(metric, delta, test, margin),
        refused=_no_difference(metric, pair, sample, infinite) if infinite else "",
        **observed.basis,
    )


def _no_difference(metric: Metric, pair: Pair, sample: Sample, infinite: list[int]) -> str:
    """Why two models have no finite difference."""
    name = dict(zip(pair.models, pair.names, strict=True))
    found = {name[i]: n for i in infinite if (n := ruled_out(metric, sample, i))}
    why = f": {who_ruled_out(found, sample.items)}" if found else ""
    whose = joined([name[i] for i in infinite])
    return f"{metric.name} is infinite for {whose}, so that there is no difference to test{why}"


def _test_of(metric: Metric, both: Contributions, delta: float, k: int) -> _Test:
    """The test of a difference; that of losses without a limit minds that they are skewed."""
    if without_limit(metric):
        return Skewed.of(both.gap)
    return _TTest.of(both, delta, _span(metric, k))


def _span(metric: Metric, k: int) -> float:
    """How far apart two values can be."""
    low, high = metric.range.at(k)
    return high - low if metric.greater_is_better is not None else max(abs(low), abs(high))


@dataclass(frozen=True)
class _TTest:
    """The t test of a difference, and its interval."""

    delta: float
    gap: float  # with the pseudo-unit
    error: float
    freedom: float
    span: float
    undefined: ClassVar[float] = 0.0

    @classmethod
    def of(cls, both: Contributions, delta: float, span: float) -> _TTest:
        gap, error = float(gap_of(*both.centre)), float(errors_of(both.covariance)[0, 1])
        return cls(delta, gap, error, both.freedom, span)

    @property
    def two_sided(self) -> float:
        return float(t_p_values(self.gap, self.error, self.freedom))

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        return float(t_p_values(side * (self.gap - value), self.error, self.freedom, sided=1))

    def ends(self, level: float) -> tuple[float, float]:
        from scipy.special import stdtrit

        reach = stdtrit(self.freedom, 1 - (1 - level) / 2) * self.error
        low, high = max(self.gap - reach, -self.span), min(self.gap + reach, self.span)
        return float(min(low, self.delta)), float(max(high, self.delta))


@dataclass(frozen=True)
class _NoTest:
    """What is left of a test if a value is infinite."""

    undefined: ClassVar[float] = 0.0
    two_sided: ClassVar[float] = np.nan

    def beyond(self, value: float, side: int) -> float:
        return np.nan

    def ends(self, level: float) -> tuple[float, float]:
        return np.nan, np.nan


@dataclass(frozen=True)
class _DrawnTest:
    """The interval of draws of a difference, and the tail at which it reaches a value."""

    drawn: Draws
    delta: float
    parts: Floats | None  # what units contribute to it, for BCa
    count: Floats

    @classmethod
    def of(
        cls, metric: Metric, pair: Pair, both: Contributions, method: Method, values: Floats
    ) -> _DrawnTest:
        of_two_sides = metric.greater_is_better is None
        compared = -np.asarray(metric.utility(values)) if of_two_sides else values
        drawn = Draws.of(compared[:, pair.models[0]] - compared[:, pair.models[1]])
        parts = both.parts[:, 0] - both.parts[:, 1] if method == "bca" else None
        return cls(drawn, float(both.values[0] - both.values[1]), parts, both.count)

    @property
    def undefined(self) -> float:
        return self.drawn.undefined_share

    @property
    def two_sided(self) -> float:
        return two_sided(self.beyond(0.0, 1))

    def beyond(self, value: float, side: int) -> float:
        """The p-value of the difference being no greater (side 1) or no less (-1) than a value."""
        if self.parts is None:
            tail = percentile_tail(self.drawn, value)
        else:
            tail = bca_tail(self.drawn, self.delta, self.parts, self.count, value)
        return tail if side == 1 else 1 - tail

    def ends(self, level: float) -> tuple[float, float]:
        if self.parts is None:
            return percentile_ends(self.drawn, level)
        return bca_ends(self.drawn, self.delta, self.parts, self.count, level)


_Test = Unseen | Skewed | _TTest | _DrawnTest | _NoTest


def _margins(metric: Metric, delta: float, test: _Test, margin: float | None) -> dict[str, Any]:
    """P-values of non-inferiority and of equivalence within the margin."""
    if margin is None:
        return {}
    if delta != delta:
        return {"margin": float(margin), "p_noninferior": np.nan, "p_equivalent": np.nan}
    side = 1 if metric.greater_is_better else -1
    above, below = test.beyond(-side * margin, side), test.beyond(side * margin, -side)
    return {"margin": float(margin), "p_noninferior": above, "p_equivalent": max(above, below)}
