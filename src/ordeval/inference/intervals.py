"""Confidence intervals for any measure, from draws of whole matrices."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Encoded, encode_labels
from ordeval.data.scale import Policy, as_scale
from ordeval.exceptions import (
    LabelError,
    ParameterError,
    ResamplingWarning,
    ScaleError,
    user_frame,
)
from ordeval.inference.samples import (
    CellSample,
    ClusterSample,
    ItemSample,
    LeftOut,
    Sample,
    as_objects,
    as_rng,
    blocks,
    clusters_of,
    items_of,
)
from ordeval.measures import Metric, get_metric

Floats = NDArray[np.float64]
Method = Literal["bca", "percentile", "bayes"]

_NORMAL = NormalDist()
TOO_MANY_UNDEFINED = 0.05
_FEW_ITEMS = 10
FEW_GROUPS = 30


@dataclass(frozen=True)
class Interval:
    """A measure's value and the interval around it."""

    metric: str
    estimate: float
    low: float
    high: float
    level: float
    method: Method
    n_resamples: int
    undefined_share: float  # share of the draws in which the measure has no value

    def __str__(self) -> str:
        return (
            f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}] "
            f"({self.level:.0%} {_METHOD_NAMES[self.method]}, {self.n_resamples:,} draws)"
        )

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Real) and bool(self.low <= float(value) <= self.high)


_METHOD_NAMES = {"bca": "BCa", "percentile": "percentile", "bayes": "posterior"}


def confidence_interval(metric: str | Metric, data: Any, **options: Any) -> Interval:
    """Interval for one measure; options as for ``confidence_intervals``.

    Examples
    --------
    >>> cm = [[40, 8, 2], [10, 30, 10], [1, 9, 40]]
    >>> interval = confidence_interval("weighted_kappa", cm, rng=0)
    >>> print(interval)
    0.759 [0.657, 0.833] (95% BCa, 9,999 draws)
    """
    return next(iter(confidence_intervals([metric], data, **options).values()))


def confidence_intervals(
    metrics: Iterable[str | Metric] | str | Metric,
    data: Any,
    *,
    method: Method = "bca",
    level: float = 0.95,
    n_resamples: int = 9999,
    groups: Any = None,
    stratify: bool = False,
    rng: np.random.Generator | int | None = None,
    labels: Any = None,
    sample_weight: Any = None,
    prior: float = 0.5,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> dict[str, Interval]:
    """Intervals for several measures from the same draws, by the measure's name.

    Parameters
    ----------
    metrics
        Measures or their names.
    data
        One ConfusionMatrix, an array of counts, or a tuple ``(y_true, y_pred)`` of labels.
    method
        ``"bca"``: bias-corrected and accelerated bootstrap; ``"percentile"``: plain bootstrap;
        ``"bayes"``: quantiles of the posterior under a Dirichlet prior. BCa holds its level best.
    level
        Nominal coverage.
    n_resamples
        Number of draws.
    groups
        With labels: the cluster of each item (patient, prompt, document). Whole clusters are drawn.
    stratify
        Keep the class sizes of the truth as they are in every draw.
    rng
        Seed or generator.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``, when ``data`` holds labels. An item is drawn together
        with its weight. A matrix of fractional counts is refused: it does not say how many items
        it comes from.
    prior
        For ``method="bayes"``: how many items the prior adds to each true class, spread evenly over
        its row. Half an item is Jeffreys' prior on the class sizes. Jeffreys' prior on the cells
        would add K / 2 items to each class, most of them far from the diagonal, and undercovers.
    """
    check_options(method, level, n_resamples, prior)
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    chosen = [_of_labels(get_metric(m)) for m in metrics]
    sample = read_sample(
        data,
        labels=labels,
        sample_weight=sample_weight,
        groups=groups,
        stratify=stratify,
        unknown=unknown,
        missing=missing,
    )
    warn_of_small_sample(sample)
    if method == "bayes":
        stream = posterior_draws(sample, n_resamples, as_rng(rng), prior)
    else:
        stream = sample.draws(n_resamples, as_rng(rng))
    replicates = evaluate_draws(chosen, stream)
    left = sample.leave_one_out((0,)) if method == "bca" else None
    intervals = {}
    for m in chosen:
        intervals[m.name] = make_interval(
            m,
            float(values_of(m, sample.counts[0])),
            replicates[m.name][:, 0],
            None if left is None else jackknife(m, left),
            level,
            method,
        )
        _warn_of_undefined(intervals[m.name])
    return intervals


def _of_labels(metric: Metric) -> Metric:
    if metric.needs != "labels":
        raise ParameterError(
            f"{metric.name} needs predicted probabilities, and intervals are made from labels; "
            f"for its value call {metric.name}(y_true, y_prob, labels=...)."
        )
    return metric


def read_sample(
    data: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    stratify: bool = False,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Sample:
    """What is to be resampled, from labels or from a matrix."""
    if isinstance(data, tuple) and len(data) == 2:
        items = encode_labels(
            data[0],
            {"y_pred": data[1]},
            labels=labels,
            sample_weight=sample_weight,
            unknown=unknown,
            missing=missing,
        )
        return sample_of(items, groups=groups, stratify=stratify)
    if groups is not None or sample_weight is not None:
        raise LabelError(
            "groups= and sample_weight= go with labels, data=(y_true, y_pred); a matrix does not "
            "say which item is in which group."
        )
    cm = data if isinstance(data, ConfusionMatrix) else ConfusionMatrix(data, labels)
    if labels is not None and as_scale(labels) != cm.scale:
        raise ScaleError(f"labels= says {as_scale(labels)}, the matrix says {cm.scale}.")
    if cm.shape:
        raise LabelError(f"an interval is made from one matrix; got a stack of shape {cm.shape}.")
    return CellSample(whole_counts(cm.counts, weighted=cm.weighted), stratify)


def sample_of(items: Encoded, *, groups: Any = None, stratify: bool = False) -> Sample:
    """Items in positions, as what is resampled."""
    if stratify and (groups is not None or items.weights is not None or len(items.models) > 1):
        raise ParameterError("stratify= takes one model, without groups= and sample_weight=.")
    truth, predictions, k = items.truth, list(items.models.values()), items.scale.k
    if groups is not None:
        names = as_objects(groups)
        if names.shape != items.kept.shape:
            raise LabelError(
                f"groups must name a group for each of the {len(items.kept):,} items; "
                f"got shape {names.shape}."
            )
        return clusters_of(
            truth, predictions, k, items.weights, names[items.kept], items.multiplicity
        )
    if items.weights is None and len(predictions) == 1:
        cells = np.bincount(truth * k + predictions[0], items.multiplicity, minlength=k * k)
        return CellSample(whole_counts(cells.reshape(k, k)), stratify)
    return items_of(truth, predictions, k, items.weights, items.multiplicity)


def whole_counts(counts: NDArray[Any], *, weighted: bool = False) -> NDArray[np.int64]:
    """Counts as integers, or an error: weights do not say how many items there are."""
    if weighted or (counts.dtype.kind == "f" and (counts != np.floor(counts)).any()):
        raise LabelError(
            "the matrix holds weights or shares, which do not say how many items they come from. "
            "Pass the labels, data=(y_true, y_pred), with sample_weight=."
        )
    if not counts.any():
        raise LabelError("there are no items to draw from: the matrix is all zero.")
    return counts.astype(np.int64)


def posterior_draws(sample: Sample, n: int, rng: np.random.Generator, prior: float) -> Any:
    """Blocks (b, 1, K, K) from the Dirichlet posterior, scaled to the number of items."""
    if not isinstance(sample, CellSample):
        raise ParameterError('method="bayes" takes unweighted items without groups.')
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


@dataclass(frozen=True)
class Jackknife:
    """Values with one unit left out, with how many units give each."""

    values: Floats
    weight: Floats
    stratum: NDArray[np.int64]


def jackknife(metric: Metric, left: LeftOut) -> Jackknife:
    """Leave-one-out values of the first model; only the distinct matrices are evaluated."""
    return Jackknife(values_of(metric, left.matrices[:, 0]), left.weight, left.stratum)


def acceleration(left: Jackknife) -> float:
    """Skewness of the influence of a unit, over six (Efron 1987; by strata, Davison & Hinkley)."""
    defined = ~np.isnan(left.values)
    values, weight, stratum = left.values[defined], left.weight[defined], left.stratum[defined]
    cubes = squares = 0.0
    for s in np.unique(stratum):
        v, w = values[stratum == s], weight[stratum == s]
        size = w.sum()
        influence = (size - 1) * ((w @ v) / size - v)
        cubes += float(w @ influence**3) / size**3
        squares += float(w @ influence**2) / size**2
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def make_interval(
    metric: Metric,
    estimate: float,
    replicates: Floats,
    left: Jackknife | None,
    level: float,
    method: Method,
) -> Interval:
    """The interval from a measure's replicates."""
    defined = replicates[~np.isnan(replicates)]
    share = 1 - len(defined) / len(replicates)
    low = high = np.nan
    if len(defined) and not np.isnan(estimate):
        tail = (1 - level) / 2
        tails = (tail, 1 - tail)
        if left is not None:
            tails = _bca_tails(estimate, defined, acceleration(left), tails)
        low, high = np.quantile(defined, tails)
    return Interval(
        metric.name, estimate, float(low), float(high), level, method, len(replicates), share
    )


def _bca_tails(
    estimate: float, replicates: Floats, a: float, tails: tuple[float, float]
) -> tuple[float, float]:
    """Percentiles corrected for bias and skewness (Efron 1987)."""
    # Rounding must not decide on which side of the estimate an equal draw falls.
    gap = 1e-12 * max(1.0, abs(estimate))
    below = np.count_nonzero(replicates < estimate - gap)
    not_above = np.count_nonzero(replicates <= estimate + gap)
    n = len(replicates)
    # All draws on one side would put the bias correction at infinity.
    bias = _NORMAL.inv_cdf(min(max((below + not_above) / (2 * n), 0.5 / n), 1 - 0.5 / n))

    def corrected(tail: float) -> float:
        z = bias + _NORMAL.inv_cdf(tail)
        shrink = 1 - a * z
        return _NORMAL.cdf(bias + z / shrink) if shrink > 0 else float(z > 0)

    return corrected(tails[0]), corrected(tails[1])


def check_options(
    method: Any, level: Any, n_resamples: Any, prior: Any, *, paired: bool = False
) -> None:
    """Refuse options that make no sense."""
    if paired and method == "bayes":
        raise ParameterError('method must be "bca" or "percentile" where models are compared.')
    if method not in get_args(Method):
        shown = ", ".join(get_args(Method))
        raise ParameterError(f"method must be one of {shown}; got {method!r}.")
    if not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ParameterError(f"level must lie between 0 and 1; got {level!r}.")
    whole = isinstance(n_resamples, (int, np.integer)) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < 1:
        raise ParameterError(f"n_resamples must be an integer >= 1; got {n_resamples!r}.")
    if not (isinstance(prior, Real) and 0 < float(prior) < np.inf):
        raise ParameterError(f"prior must be a number > 0; got {prior!r}.")


def warn_of_small_sample(sample: Sample) -> None:
    """Warn of classes with few items and of few groups."""
    sizes = class_items(sample)
    few = [f"{int(n)} at position {i}" for i, n in enumerate(sizes) if 0 < n < _FEW_ITEMS]
    if few:
        _warn(
            f"[OE103] classes with fewer than {_FEW_ITEMS} items ({', '.join(few)}): intervals of "
            f"measures that average over classes are unreliable."
        )
    warn_of_few_groups(sample)


def warn_of_few_groups(sample: Sample) -> None:
    """Warn when there are too few groups to draw from."""
    if isinstance(sample, ClusterSample) and sample.units < FEW_GROUPS:
        _warn(f"[OE304] only {sample.units} groups to draw from: intervals will be too narrow.")


def class_items(sample: Sample) -> list[Any]:
    """Items of each true class, whatever they weigh; nothing is known of weighted groups."""
    if isinstance(sample, ItemSample):
        return list(np.bincount(sample.truth, sample.multiplicity, minlength=sample.k))
    if sample.counts.dtype.kind == "f":
        return []
    return list(sample.counts[0].sum(axis=1))


def _warn_of_undefined(interval: Interval) -> None:
    if interval.undefined_share > TOO_MANY_UNDEFINED:
        _warn(
            f"[OE301] {interval.metric} is undefined in {interval.undefined_share:.1%} of the "
            f"draws; the interval is over the others only."
        )
    elif interval.method != "bayes" and interval.estimate not in interval:
        _warn(
            f"[OE306] the interval of {interval.metric} does not hold its estimate: in resampled "
            f"data the measure lies to one side of it, as at the end of its range."
        )
    elif interval.low == interval.high:
        _warn(
            f"[OE302] every draw gives the same {interval.metric}: resampling cannot see beyond "
            f'this sample. method="bayes" gives an interval.'
        )


def _warn(message: str) -> None:
    warnings.warn(message, ResamplingWarning, stacklevel=user_frame())
