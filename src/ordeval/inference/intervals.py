"""Confidence intervals for any measure, from draws of whole matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import argument, bracketed, named, number
from ordeval._shared.types import Floats, Integers, Policy, Rng, as_rng, check_level
from ordeval.data.accumulator import matrix_of
from ordeval.data.items import Misfits, read_items
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError, ParameterError, ScaleError
from ordeval.inference.advice import Situation, warn
from ordeval.inference.samples import (
    CellSample,
    ClusterSample,
    ItemSample,
    LeftOut,
    Sample,
    blocks,
    sample_of,
)
from ordeval.measures import Metric
from ordeval.measures.metric import warn_of_unused_levels
from ordeval.measures.registry import choose

Method = Literal["bca", "percentile", "bayes"]

METHOD_NAMES = {"bca": "BCa", "percentile": "percentile", "bayes": "posterior"}


@dataclass(frozen=True, kw_only=True, repr=False)
class Interval(Result):
    """A measure's value and the interval around it."""

    kind: ClassVar[str] = "ordeval.interval"

    metric: str
    estimate: float
    low: float
    high: float
    level: float
    method: Method
    n_resamples: int
    undefined_share: float  # share of the draws in which the measure has no value

    @property
    def how(self) -> str:
        """How the interval was made, in words."""
        return f"{self.level:.0%} {METHOD_NAMES[self.method]}, {self.n_resamples:,} draws"

    def __str__(self) -> str:
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}] ({self.how})"

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Real) and bool(self.low <= float(value) <= self.high)

    def rows(self) -> list[dict[str, Any]]:
        """One record."""
        return [dict(vars(self))]

    def table(self) -> Table:
        """One row: the value and its interval."""
        cells = (self.metric, number(self.estimate), bracketed(self.low, self.high), self.how)
        return Table(("measure", "value", "interval", "method"), (tuple(map(Cell, cells)),))


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How draws are made and turned into intervals."""

    method: Method = "bca"
    level: float = 0.95
    n_resamples: int = 9999
    prior: float = 0.5
    paired: bool = False  # models are compared, for which there is no posterior

    def __post_init__(self) -> None:
        if self.paired and self.method == "bayes":
            raise ParameterError('method must be "bca" or "percentile" where models are compared.')
        if self.method not in get_args(Method):
            shown = ", ".join(get_args(Method))
            raise ParameterError(f"method must be one of {shown}; got {self.method!r}.")
        check_level(self.level)
        n = self.n_resamples
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ParameterError(f"{named('n_resamples')} must be an integer >= 1; got {n!r}.")
        prior: Any = self.prior
        if not (isinstance(prior, Real) and 0 < float(prior) < np.inf):
            raise ParameterError(f"prior must be a number > 0; got {prior!r}.")


def confidence_interval(
    metric: str | Metric, y_true: Any, y_pred: Any = None, *,
    labels: Any = None, method: Method = "bca", level: float = 0.95, n_resamples: int = 9999,
    clusters: Any = None, sample_weight: Any = None, stratify: bool = False,
    prior: float = 0.5, unknown: Policy = "raise", missing: Policy = "raise", rng: Rng = None,
) -> Interval:  # fmt: skip
    """Interval for one measure.

    Parameters
    ----------
    metric
        A measure or its name.
    y_true, y_pred
        The true and the predicted label of each item; or, in place of both, one ConfusionMatrix,
        Accumulator or array of counts.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``. An item is drawn together with its weight. A matrix
        of fractional counts is refused: it does not say how many items it comes from.
    method
        ``"bca"``: bias-corrected and accelerated bootstrap; ``"percentile"``: plain bootstrap;
        ``"bayes"``: quantiles of the posterior under a Dirichlet prior. BCa holds its level best.
    level
        Nominal coverage.
    n_resamples
        Number of draws.
    clusters
        The cluster of each item (patient, prompt, document): whole clusters are drawn. A list of
        several arrays, from the outermost to the innermost, names clusters within clusters, such
        as patients numbered within each hospital; the innermost are drawn.
    stratify
        Keep the class sizes of the truth as they are in every draw.
    prior
        For ``method="bayes"``: how many items the prior adds to each true class, spread evenly over
        its row. Half an item is Jeffreys' prior on the class sizes. Jeffreys' prior on the cells
        would add K / 2 items to each class, most of them far from the diagonal, and undercovers.
    rng
        Seed or generator.

    Examples
    --------
    >>> counts = [[40, 8, 2], [10, 30, 10], [1, 9, 40]]
    >>> interval = confidence_interval("weighted_kappa", counts, rng=0)
    >>> print(interval)
    0.759 [0.657, 0.833] (95% BCa, 9,999 draws)
    """
    chosen = choose([metric])
    how = Resampling(method=method, level=level, n_resamples=n_resamples, prior=prior)
    observed = observe(
        y_true, y_pred, labels=labels, sample_weight=sample_weight, clusters=clusters,
        stratify=stratify, misfits=Misfits(unknown, missing),
    )  # fmt: skip
    if observed.implied:
        warn_of_unused_levels(chosen, observed.scale)
    (interval,) = intervals_of(observed.sample, chosen, how, rng).values()
    warn(observed.situation((interval,)))
    return interval


class Observed(NamedTuple):
    """What is resampled, and the scale of its labels."""

    sample: Sample
    scale: Scale
    implied: bool

    def situation(self, intervals: tuple[Interval, ...] = (), **more: Any) -> Situation:
        """What advice on the sample, and on intervals made from it, looks at."""
        sizes = class_items(self.sample, self.scale) if intervals else {}
        clusters = self.sample.units if isinstance(self.sample, ClusterSample) else 0
        return Situation(clusters=clusters, class_items=sizes, alone=intervals, **more)


def intervals_of(
    sample: Sample, metrics: tuple[Metric, ...], how: Resampling, rng: Rng
) -> dict[str, Interval]:
    """Intervals of several measures from the same draws, by the measure's name."""
    if how.method == "bayes":
        stream = posterior_draws(sample, how.n_resamples, as_rng(rng), how.prior)
    else:
        stream = sample.draws(how.n_resamples, as_rng(rng))
    replicates = evaluate_draws(metrics, stream)
    left = sample.leave_one_out((0,)) if how.method == "bca" else None
    return {
        m.name: make_interval(
            m,
            float(values_of(m, sample.counts[0])),
            replicates[m.name][:, 0],
            None if left is None else jackknife(m, left),
            how,
        )
        for m in metrics
    }


def observe(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    stratify: bool = False,
    misfits: Misfits = Misfits(),  # noqa: B008 - immutable
) -> Observed:
    """What is to be resampled, from labels or from a matrix."""
    if y_pred is not None:
        items = read_items(
            y_true, {"y_pred": y_pred}, labels=labels, sample_weight=sample_weight,
            misfits=misfits,
        )  # fmt: skip
        sample = sample_of(items, clusters=clusters, stratify=stratify)
        return Observed(sample, items.scale, items.implied)
    if clusters is not None or sample_weight is not None:
        raise LabelError(
            "clusters and weights go with labels, y_true and y_pred; a matrix does not say which "
            "item is in which cluster."
        )
    cm = matrix_of(y_true, labels, who="an interval")
    if labels is not None and as_scale(labels) != cm.scale:
        raise ScaleError(f"{argument('labels')} says {as_scale(labels)}, the matrix {cm.scale}.")
    if cm.shape:
        raise LabelError(f"an interval is made from one matrix; got a stack of shape {cm.shape}.")
    sample = CellSample(whole_counts(cm.counts, weighted=cm.weighted), stratify)
    return Observed(sample, cm.scale, cm.implied)


def whole_counts(counts: NDArray[Any], *, weighted: bool = False) -> Integers:
    """Counts as integers, or an error: weights do not say how many items there are."""
    if weighted or (counts.dtype.kind == "f" and (counts != np.floor(counts)).any()):
        raise LabelError(
            "the counts are weights or shares, which do not say how many items they come from. "
            "Pass the labels themselves, with sample_weight."
        )
    if not counts.any():
        raise LabelError("there are no items to draw from: the counts are all zero.")
    return counts.astype(np.int64)


def posterior_draws(sample: Sample, n: int, rng: np.random.Generator, prior: float) -> Any:
    """Blocks (b, 1, K, K) from the Dirichlet posterior, scaled to the number of items."""
    if not isinstance(sample, CellSample):
        raise ParameterError('method="bayes" takes unweighted items without clusters.')
    matrix = sample.matrix
    k = len(matrix)
    # A class that never occurs stays out, as it does of the estimate.
    alpha = np.where(matrix.sum(axis=1, keepdims=True) > 0, matrix + prior / k, 0.0)
    axis = -1 if sample.stratify else (-2, -1)
    size_of = matrix.sum(axis=1, keepdims=True) if sample.stratify else matrix.sum()
    for size in blocks(n, 8 * k * k):
        gammas = rng.standard_gamma(alpha, (size, k, k))
        total = gammas.sum(axis=axis, keepdims=True)
        yield (gammas / np.where(total > 0, total, 1.0) * size_of)[:, None]


def values_of(metric: Metric, counts: NDArray[Any]) -> Any:
    """Values of sound counts, NaN where undefined, without a warning."""
    return metric.evaluate(counts, metric.check_parameters({}, counts.shape[-1]))


def evaluate_draws(metrics: Iterable[Metric], stream: Iterable[NDArray[Any]]) -> dict[str, Floats]:
    """Values (n, M) of each measure over blocks of drawn matrices (b, M, K, K)."""
    chosen = list(metrics)
    parts: dict[str, list[Floats]] = {m.name: [] for m in chosen}
    for block in stream:
        for m in chosen:
            parts[m.name].append(values_of(m, block))
    return {name: np.concatenate(values) for name, values in parts.items()}


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Values with one unit left out, and how many units give each."""

    values: Floats
    count: Floats
    stratum: Integers


def jackknife(metric: Metric, left: LeftOut) -> Jackknife:
    """Leave-one-out values of the first model; only the distinct matrices are evaluated."""
    return Jackknife(values_of(metric, left.matrices[:, 0]), left.count, left.stratum)


def acceleration(left: Jackknife) -> float:
    """Skewness of the influence of a unit, over six (Efron 1987; by strata, Davison & Hinkley)."""
    defined = ~np.isnan(left.values)
    values, count, stratum = left.values[defined], left.count[defined], left.stratum[defined]
    cubes = squares = 0.0
    for s in np.unique(stratum):
        v, n = values[stratum == s], count[stratum == s]
        size = n.sum()
        influence = (size - 1) * ((n @ v) / size - v)
        cubes += float(n @ influence**3) / size**3
        squares += float(n @ influence**2) / size**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def make_interval(
    metric: Metric, estimate: float, replicates: Floats, left: Jackknife | None,
    how: Resampling,
) -> Interval:  # fmt: skip
    """The interval from a measure's replicates."""
    defined = replicates[~np.isnan(replicates)]
    low = high = np.nan
    if len(defined) and not np.isnan(estimate):
        tail = (1 - how.level) / 2
        tails = (tail, 1 - tail)
        if left is not None:
            tails = _bca_tails(estimate, defined, acceleration(left), tails)
        low, high = np.quantile(defined, tails)
    return Interval(
        metric=metric.name, estimate=estimate, low=float(low), high=float(high), level=how.level,
        method=how.method, n_resamples=len(replicates),
        undefined_share=1 - len(defined) / len(replicates),
    )  # fmt: skip


def _bca_tails(
    estimate: float, replicates: Floats, a: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Percentiles corrected for bias and skewness (Efron 1987)."""
    from statistics import NormalDist  # slow to load

    normal = NormalDist()
    # Rounding must not decide on which side of the estimate an equal draw falls.
    gap = 1e-12 * max(1.0, abs(estimate))
    below = np.count_nonzero(replicates < estimate - gap)
    not_above = np.count_nonzero(replicates <= estimate + gap)
    n = len(replicates)
    # All draws on one side would put the bias correction at infinity.
    bias = normal.inv_cdf(min(max((below + not_above) / (2 * n), 0.5 / n), 1 - 0.5 / n))

    def corrected(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        shrink = 1 - a * z
        return normal.cdf(bias + z / shrink) if shrink > 0 else float(z > 0)

    return corrected(tails[0]), corrected(tails[1])


def class_items(sample: Sample, scale: Scale) -> Mapping[Any, float]:
    """Items of each true class, whatever they weigh; nothing is known of weighted clusters."""
    if isinstance(sample, ItemSample):
        sizes = np.bincount(sample.truth, sample.count, minlength=sample.k)
    elif sample.counts.dtype.kind == "f":
        return {}
    else:
        sizes = sample.counts[0].sum(axis=1)
    return dict(zip(scale, sizes.tolist(), strict=True))
