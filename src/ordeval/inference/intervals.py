"""Confidence intervals for any measure: by the contributions of units, or from draws on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import argument, bracketed, named, number, plural, with_ends
from ordeval._shared.types import Floats, Integers, Policy, Rng, as_rng, check_draws, check_level
from ordeval.data.accumulator import matrix_of
from ordeval.data.items import Misfits
from ordeval.data.outputs import AS_IT_COMES, Outputs, Reading, given_by, read_outputs
from ordeval.data.probabilities import are_scores
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import CountsError, LabelError, ParameterError, ScaleError
from ordeval.inference import t_intervals as alone
from ordeval.inference.advice import Situation, warn
from ordeval.inference.draws import Draws, bca_ends, draw_values, percentile_ends, posterior_values
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.influence import Contributions, contributions_to
from ordeval.inference.influence_kinds import contributions, reach, ruled_out
from ordeval.inference.range_ends import at_an_end
from ordeval.inference.samples import Sample, sample_of, sample_of_joint
from ordeval.inference.shares import measured_share
from ordeval.inference.t_intervals import Alone
from ordeval.measures import Metric
from ordeval.measures.metric import check_names, warn_of_unused_levels
from ordeval.measures.probability import check_truth
from ordeval.measures.registry import Given, choose, get_metric

Method = Literal["auto", "bca", "percentile", "bayes"]

_NAMES: Final = {"bca": "BCa", "percentile": "percentile", "bayes": "posterior"}


@dataclass(frozen=True, kw_only=True, repr=False)
class Interval(Result):
    """A measure's value and the interval around it."""

    _kind: ClassVar[str] = "ordeval.interval"

    metric: str
    estimate: float
    low: float
    high: float
    level: float
    method: Method
    n_resamples: int = 0  # draws; 0 if none were made
    undefined_share: float = 0.0  # share of the draws in which the measure has no value
    items: int = 0
    clusters: int = 0  # 0: items stand alone
    dropped: int = field(default=0, compare=False)  # items left out for their labels
    effective: float = 0.0  # equally weighted items that would say as much
    refused: str = field(default="", compare=False)  # why there is no interval
    # Items of which what happened was given probability 0, if that makes the value infinite.
    ruled_out: int = field(default=0, compare=False)

    @property
    def how(self) -> str:
        """How the interval was made, in words."""
        return how_made(self.level, self.method, self.n_resamples)

    def __str__(self) -> str:
        if np.isinf(self.estimate):
            return f"{number(self.estimate)} ({self.refused.rstrip('.')})"
        return f"{with_ends(self.estimate, self.low, self.high)} ({self.how})"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Real) and bool(self.low <= float(value) <= self.high)

    def rows(self) -> list[dict[str, Any]]:
        """One record."""
        return [dict(vars(self))]

    def table(self) -> Table:
        """One row: the value, its interval, and what they rest on."""
        ends = "none" if np.isinf(self.estimate) else bracketed(self.low, self.high)
        cells = (self.metric, number(self.estimate), ends, self.how)
        notes = (self.refused,) if self.refused else ()
        head = ("measure", "value", "interval", "method")
        return Table(head, (tuple(map(Cell, cells)),), notes=notes)


def how_made(level: float, method: Method, n_resamples: int) -> str:
    """How intervals were made, in words."""
    if method == "auto":
        return f"{level:.0%}"
    return f"{level:.0%} {_NAMES[method]}, {n_resamples:,} draws"


@dataclass(frozen=True, kw_only=True)
class Estimation:
    """How intervals are made."""

    method: Method = "auto"
    level: float = 0.95
    n_resamples: int = 9999
    prior: float = 1.0
    paired: bool = False  # models are compared, for which there is no posterior

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            shown = ", ".join(get_args(Method))
            raise ParameterError(f"{named('method')} must be one of {shown}; got {self.method!r}.")
        if self.paired and self.method == "bayes":
            raise ParameterError(
                f"{named('method')} must be auto, bca or percentile where models are compared."
            )
        check_level(self.level)
        check_draws(self.n_resamples)
        prior: Any = self.prior
        if not (isinstance(prior, Real) and 0 < float(prior) < np.inf):
            raise ParameterError(f"prior must be a number > 0; got {prior!r}.")

    @property
    def draws(self) -> int:
        """How many draws are made."""
        return 0 if self.method == "auto" else int(self.n_resamples)


def confidence_interval(
    metric: str | Metric,
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    method: Method = "auto",
    level: float = 0.95,
    n_resamples: int = 9999,
    clusters: Any = None,
    sample_weight: Any = None,
    stratify: bool = False,
    prior: float = 1.0,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
) -> Interval:
    """Interval for one measure.

    Parameters
    ----------
    metric
        A measure or its name.
    y_true, y_pred
        The true label of each item and what a model gives for it: a label, probabilities (n, K) or
        a score; or, in place of both, one ConfusionMatrix, Accumulator or array of counts.
    outputs
        What ``y_pred`` holds: ``"labels"``, ``"probabilities"`` or ``"scores"``. ``"auto"``: a
        table holds probabilities; one number per item is a score if the measure takes scores and
        the numbers are not all whole; all else are labels.
    decide
        How probabilities become labels, for measures of labels: ``"mode"``, the most probable
        level; ``"median"``; or a K x K matrix of costs, rows truth, for the level of least
        expected cost.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``. Weights say how much an item counts, not how many
        items there are. A matrix of fractional counts is refused: it does not say how many items
        it comes from.
    method
        ``"auto"``: from what each item contributes, without draws, on the scale on which the
        measure spreads evenly; the one that holds its level best. ``"bca"``: bias-corrected and
        accelerated bootstrap; ``"percentile"``: plain bootstrap; ``"bayes"``: quantiles of the
        posterior under a Dirichlet prior.
    level
        Nominal coverage.
    n_resamples
        Number of draws, for the methods that draw.
    clusters
        The cluster of each item (patient, prompt, document): clusters are independent, items of
        one cluster are not. A list of several arrays, from the outermost to the innermost, names
        clusters within clusters, such as patients numbered within each hospital.
    stratify
        The class sizes of the truth were fixed beforehand, as in a case-control study.
    prior
        For ``method="bayes"``: how many items the prior adds in all, spread evenly over the true
        classes and over their rows.
    rng
        Seed or generator, for the methods that draw.

    Examples
    --------
    >>> counts = [[40, 8, 2], [10, 30, 10], [1, 9, 40]]
    >>> print(confidence_interval("weighted_kappa", counts))
    0.759 [0.653, 0.834] (95%)
    """
    outputs = settled_outputs(outputs, [y_pred], metric)
    given = given_by({"y_pred": y_pred}, outputs)
    chosen = choose([metric], given=given)
    how = Estimation(method=method, level=level, n_resamples=n_resamples, prior=prior)
    reading = Reading(
        labels=labels,
        outputs=outputs,
        decide=rule_of(decide),
        decided=looks_at_labels(chosen[0], given),
        misfits=Misfits(unknown, missing),
    )
    observed = observe(
        y_true, y_pred, reading, sample_weight=sample_weight, clusters=clusters, stratify=stratify
    )
    check_truth(chosen, observed.sample.outcome)
    check_names(chosen, observed.scale)
    if observed.implied:
        warn_of_unused_levels(chosen, observed.scale)
    (interval,) = intervals_of(observed, chosen, how, rng).values()
    warn(observed.situation((interval,), metrics=chosen))
    return interval


def looks_at_labels(metric: Metric, given: Given) -> bool:
    """Whether a measure needs the labels that probabilities stand for."""
    return given == "labels" or not (metric.needs == "probabilities" or metric.takes_scores)


def settled_outputs(outputs: Outputs, given: Sequence[Any], metric: str | Metric) -> Outputs:
    """What is given, if not declared: numbers that are not whole are scores, if that fits."""
    if outputs != "auto" or not get_metric(metric).takes_scores:
        return outputs
    return "scores" if given and all(map(are_scores, given)) else outputs


class Observed(NamedTuple):
    """What inference is made from, and the scale of its labels."""

    sample: Sample
    scale: Scale
    implied: bool
    dropped: int = 0

    def situation(self, intervals: tuple[Interval, ...] = (), **more: Any) -> Situation:
        """What advice on the sample, and on intervals made from it, looks at."""
        s = self.sample
        sizes = s.class_items.tolist()
        return Situation(
            scale=self.scale,
            clusters=s.clusters,
            items=s.items,
            class_items=dict(zip(self.scale, sizes, strict=True)),
            effective=s.effective,
            alone=intervals,
            **more,
        )

    @property
    def basis(self) -> dict[str, Any]:
        """What a result from these data rests on."""
        s = self.sample
        return {
            "items": s.items,
            "clusters": s.clusters,
            "dropped": self.dropped,
            "effective": s.effective,
        }


def observe(
    y_true: Any,
    y_pred: Any = None,
    reading: Reading = AS_IT_COMES,
    *,
    sample_weight: Any = None,
    clusters: Any = None,
    stratify: bool = False,
) -> Observed:
    """What inference is made from: labels, probabilities or scores, or a matrix."""
    if y_pred is not None:
        reading = replace(reading, distinct=clusters is None)
        items = read_outputs(y_true, {"y_pred": y_pred}, reading, sample_weight=sample_weight)
        sample = sample_of(items, clusters=clusters, stratify=stratify)
        return Observed(sample, items.scale, items.implied, items.left_out)
    if clusters is not None or sample_weight is not None:
        raise LabelError(
            "clusters and weights go with labels, y_true and y_pred; a matrix does not say which "
            "item is in which cluster."
        )
    labels = reading.labels
    cm = matrix_of(y_true, labels, who="an interval")
    if labels is not None and as_scale(labels) != cm.scale:
        raise ScaleError(f"{argument('labels')} says {as_scale(labels)}, the matrix {cm.scale}.")
    if cm.shape:
        raise LabelError(f"an interval is made from one matrix; got a stack of shape {cm.shape}.")
    sample = sample_of_joint(whole_counts(cm.counts, weighted=cm.weighted), stratify=stratify)
    return Observed(sample, cm.scale, cm.implied, cm.dropped.missing + cm.dropped.unknown)


def whole_counts(counts: NDArray[Any], *, weighted: bool = False) -> Integers:
    """Counts as integers, or an error: weights do not say how many items there are."""
    if weighted or (counts.dtype.kind == "f" and (counts != np.floor(counts)).any()):
        raise LabelError(
            "the counts are weights or shares, which do not say how many items they come from. "
            "Pass the labels themselves, with sample_weight."
        )
    if not counts.any():
        raise LabelError("there are no items to draw from: the counts are all zero.")
    if counts.sum(dtype=np.float64) >= 2**63:
        raise CountsError(
            "the counts are of more items than a 64-bit integer holds, too many for an interval. "
            "Divide all of them by the same number, or leave intervals out."
        )
    return counts.astype(np.int64)


def intervals_of(
    observed: Observed, metrics: tuple[Metric, ...], how: Estimation, rng: Rng
) -> dict[str, Interval]:
    """Intervals of several measures of one model, by the measure's name."""
    found = {m: contributions(m, observed.sample) for m in metrics}
    return made_from(found, observed, how, rng)


def made_from(
    found: Mapping[Metric, Contributions], observed: Observed, how: Estimation, rng: Rng
) -> dict[str, Interval]:
    """The intervals of measures of which it is known what units contribute."""
    draws = draws_of(observed.sample, tuple(found), how, rng)
    return {m.name: interval_of(m, observed, c, how, draws=draws) for m, c in found.items()}


def draws_of(
    sample: Sample, metrics: tuple[Metric, ...], how: Estimation, rng: Rng
) -> Mapping[str, Floats]:
    """The values (n, M) of each measure over draws, if the method makes any."""
    if how.method == "auto":
        return {}
    if how.method == "bayes":
        return posterior_values(metrics, sample, how.n_resamples, as_rng(rng), how.prior)
    return draw_values(metrics, sample, how.n_resamples, as_rng(rng))


def interval_of(
    metric: Metric,
    observed: Observed,
    found: Contributions,
    how: Estimation,
    *,
    model: int = 0,
    draws: Mapping[str, Floats] | None = None,
) -> Interval:
    """The interval of one of the models whose contributions are given."""
    estimate, refused, drawn = float(found.values[model]), "", Draws.of(())
    low = high = np.nan
    lost = 0
    if np.isinf(estimate):
        lost = ruled_out(metric, observed.sample, model)
        refused = f"{metric.name} is infinite{why_infinite(lost, observed.sample.items)}."
    elif how.method != "auto":
        drawn = Draws.of((draws or {})[metric.name][:, model])
        if how.method == "bca":
            low, high = bca_ends(drawn, estimate, found.parts[:, model], found.count, how.level)
        else:
            low, high = percentile_ends(drawn, how.level)
    elif estimate == estimate:
        refused = why_not(metric, observed.sample)
        if not refused:
            low, high = _ends(metric, observed.sample, found, model, how.level)
    elif not observed.sample.effective:
        refused = "no item weighs more than 0."
    if estimate != estimate:
        low = high = np.nan
    return Interval(
        metric=metric.name,
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=how.level,
        method=how.method,
        n_resamples=how.draws,
        undefined_share=drawn.undefined_share,
        refused=refused,
        ruled_out=lost,
        **observed.basis,
    )


def why_infinite(ruled_out: int, items: int) -> str:
    """Why a value is infinite: words that follow, and nothing if it is not known."""
    said = f": probability 0 was given to what happened to {ruled_out:,} of {plural(items, 'item')}"
    return said if ruled_out else ""


def why_not(metric: Metric, sample: Sample) -> str:
    """Why no interval of this measure would hold on these data; empty if one does."""
    if sample.units < 2:
        return "an interval needs at least two independent items."
    if metric.biased and sample.items < sample.k**2:
        return (
            f"{metric.name} has no interval: {sample.items:,} items are fewer than the "
            f"{sample.k**2:,} cells of the table, so that its bias is larger than its spread."
        )
    return ""


def _ends(
    metric: Metric, sample: Sample, found: Contributions, model: int, level: float
) -> tuple[float, float]:
    tail = (1 - level) / 2
    if metric.share is not None:
        return measured_share(metric, sample, model, level)[1:]
    if metric.by_class is not None:
        low, high = _ends_by_class(metric, sample.of_models([model]), tail)
    else:
        low, high = t_ends(metric, sample.k, found, model, (tail, tail))
    least, largest = metric.range.at(sample.k)
    value = found.values[model]
    if metric.by_class is None and at_an_end(metric, sample.k, value):
        least, largest = reach(metric, sample, model, tail)
        if high - low <= alone.STILL:
            low, high = least, largest
    # The value is shown, so the interval must hold it; and it says nothing beyond the range.
    return min(max(low, least), value), max(min(high, largest), value)


def t_ends(
    metric: Metric, k: int, found: Contributions, model: int, tails: tuple[float, float]
) -> tuple[float, float]:
    """The t interval on the scale of the measure's link, with these two tails."""
    low, high = alone.t_ends(metric, k, Alone.of(found.of([model])), tails)
    return float(low[0]), float(high[0])


def _ends_by_class(metric: Metric, sample: Sample, tail: float) -> tuple[float, float]:
    """The interval of the largest or smallest of the classes' values, or of a mean of two.

    The largest of several values is at most as large as the largest of their upper ends, if the
    end of the class that really is largest holds: one tail is enough. From below any of the
    classes may mislead, so that each gets its share of the tail.
    """
    assert metric.by_class is not None
    levels = np.unique(sample.truth)
    if metric.by_class.combine == "ends":
        levels, split = levels[[0, -1]], (2 * tail, 2 * tail)
    else:
        split = (tail / len(levels), tail)
        split = split if metric.by_class.combine == "largest" else split[::-1]
    ends = np.array([_class_ends(metric, sample, int(c), split) for c in levels])
    if metric.by_class.combine == "ends":
        low, high = np.sqrt(ends.prod(axis=0))
    else:
        low, high = ends.max(axis=0) if metric.by_class.combine == "largest" else ends.min(axis=0)
    return float(low), float(high)


def _class_ends(
    metric: Metric, sample: Sample, level: int, tails: tuple[float, float]
) -> tuple[float, float]:
    """The interval of the value of one class, from its own items."""
    assert metric.by_class is not None
    kernel, part = metric.by_class.kernel, sample.of_class(level)

    def value(matrices: NDArray[Any]) -> Any:
        return kernel(np.asarray(matrices, dtype=np.float64))[..., level]

    found = contributions_to(value, part, np.asarray(value(part.matrices)))
    if part.units < 2:
        low, high = metric.range.at(sample.k)
        return low, high
    return t_ends(metric, sample.k, found, 0, tails)
