"""Confidence intervals for any measure: by the contributions of units, or from draws on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import argument, bracketed, joined, named, number, plural, with_ends
from ordeval._shared.types import Floats, Integers, Rng, as_rng, check_draws, check_level
from ordeval.data.accumulator import matrix_of
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import CountsError, LabelError, ParameterError, ScaleError
from ordeval.inference.advice import Situation
from ordeval.inference.ends.draws import (
    Draws,
    bca_ends,
    draw_values,
    percentile_ends,
    posterior_values,
)
from ordeval.inference.ends.t_intervals import Alone, ends, within_reach
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import by_cells, contributions, reach, ruled_out
from ordeval.inference.populations.partly_true import PartlyTrue
from ordeval.inference.populations.tasks import Tasks
from ordeval.inference.sample_stacks import Grouped
from ordeval.inference.samples import Sample, sample_of_joint
from ordeval.measures import Metric

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
    clusters: int = 0  # 0: items are independent
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
        if np.isnan(self.low):
            return f"{number(self.estimate)} (no interval{': OE308' * bool(self.refused)})"
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
        known = [m for m in get_args(Method) if not (self.paired and m == "bayes")]
        if self.method not in known:
            shown = joined(known, "or")
            what = "To compare models, " if self.paired else ""
            raise ParameterError(f"{what}{named('method')} must be {shown}; got {self.method!r}.")
        check_level(self.level)
        check_draws(self.n_resamples)
        prior: Any = self.prior
        if not (isinstance(prior, Real) and 0 < float(prior) < np.inf):
            raise ParameterError(f"prior must be a number > 0; got {prior!r}.")

    @property
    def draws(self) -> int:
        """How many draws are made."""
        return 0 if self.method == "auto" else int(self.n_resamples)


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


def observe(counts: Any, labels: Any = None, *, stratify: bool = False) -> Observed:
    """Return the sample of a matrix."""
    known = isinstance(counts, ConfusionMatrix) and labels is None
    cm = counts if known else matrix_of(counts, labels, who="an interval")
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
            "the counts are weights or shares, so the number of items is unknown. Pass "
            "the labels themselves, with sample_weight."
        )
    if not counts.any():
        raise LabelError("there are no items: all counts are zero.")
    if counts.sum(dtype=np.float64) >= 2**63:
        raise CountsError(
            "the counts are of more items than a 64-bit integer holds, too many for an "
            "interval. Divide all of them by the same number, or omit intervals."
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
    draws = draws_of(observed.sample, tuple(found), how, rng) if how.draws else {}
    return {m.name: interval_of(m, observed, c, how, draws=draws) for m, c in found.items()}


def draws_of(
    sample: Sample, metrics: tuple[Metric, ...], how: Estimation, rng: Rng
) -> Mapping[str, Floats]:
    """The values (n, M) of each measure over draws, if the method makes any."""
    if how.method == "auto":
        return {}
    if isinstance(sample, (Tasks, PartlyTrue)):
        what = "averages over tasks" if isinstance(sample, Tasks) else "a proxy"
        raise ParameterError(f"{what} cannot be combined with {argument('method', how.method)}.")
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
    estimate, refused, lost = float(found.values[model]), "", 0
    low = high = np.nan
    undefined_share = 0.0
    if np.isinf(estimate):
        lost = ruled_out(metric, observed.sample, model)
        refused = f"{metric.display} is infinite{why_infinite(lost, observed.sample.items)}."
    elif how.method != "auto":
        drawn = Draws.of((draws or {})[metric.name][:, model])
        undefined_share = drawn.undefined_share
        if how.method == "bca":
            low, high = bca_ends(drawn, estimate, found.parts[:, model], found.count, how.level)
        else:
            low, high = percentile_ends(drawn, how.level)
    elif estimate == estimate:
        refused = why_not(metric, observed.sample)
        if not refused:
            low, high = _ends(metric, observed.sample, found, model, how.level)
    elif not observed.sample.effective:
        refused = "all weights are zero."
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
        undefined_share=undefined_share,
        refused=refused,
        ruled_out=lost,
        **observed.basis,
    )


def why_infinite(ruled_out: int, items: int) -> str:
    """Why a value is infinite: words that follow, and nothing if it is not known."""
    said = (
        f": probability 0 was given to the true class of {ruled_out:,} of {plural(items, 'item')}"
    )
    return said if ruled_out else ""


def why_not(metric: Metric, sample: Sample) -> str:
    """Why no interval of this measure would hold on these data; empty if one does."""
    if sample.with_truth.units < 2:
        return "an interval needs at least two independent items."
    parts = sample.parts if isinstance(sample, Tasks) else (sample,)
    if metric.by_class is not None and len(parts) > 1:
        return (
            f"{metric.display} has no interval over several tasks: small samples exaggerate the "
            f"extreme of the classes in each task, and an average does not remove this bias."
        )
    least = min(parts, key=lambda part: part.items - part.k**2)
    if metric.biased and least.items < least.k**2:
        return (
            f"{metric.display} has no interval: {least.items:,} items are fewer than the "
            f"{least.k**2:,} cells of the table, so its bias exceeds its spread."
        )
    return ""


def _ends(
    metric: Metric, sample: Sample, found: Contributions, model: int, level: float
) -> tuple[float, float]:
    """The interval of one model, on the scale of the measure's link, within what is possible."""
    if isinstance(sample, PartlyTrue) and not sample.trusted(metric, model):
        sample = sample.with_truth
    one, tail = Alone.of(found, [model]), (1 - level) / 2
    matrix = by_cells(metric, sample)
    if matrix and (metric.by_class or (metric.share and sample.strata is None)):
        low, high = ends(metric, Grouped.one(sample, model), one, level)
    else:
        low, high = within_reach(
            metric, sample.k, one, tail, lambda _: reach(metric, sample, model, tail)
        )
    return float(low[0]), float(high[0])
