"""Values of measures over data sets that are drawn, and the intervals made from them.

Draws come in blocks, each with a generator of its own, so that they use all cores and are the same
whatever the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.text import argument
from ordeval._shared.types import Floats
from ordeval.exceptions import ParameterError
from ordeval.inference.cell_influence import ValueOf
from ordeval.inference.forecasts import losses
from ordeval.inference.samples import Sample, blocks
from ordeval.measures import Metric
from ordeval.measures.probability import ProbabilityMetric

_INVERSE: Final = "weibull"  # the quantiles that _share_below is the inverse of
Draw = Callable[[int, Any], Floats]  # (size, generator) -> (size, M, K, K)


@dataclass(frozen=True, eq=False)
class Draws:
    """The values of a measure over draws, without those in which it has none."""

    defined: Floats
    undefined_share: float

    @classmethod
    def of(cls, values: Any) -> Draws:
        """The draws of which these are the values."""
        drawn = np.asarray(values, dtype=np.float64)
        defined = drawn[~np.isnan(drawn)]
        return cls(defined, 1 - len(defined) / len(drawn) if len(drawn) else 0.0)


def draw_values(
    metrics: Iterable[Metric], sample: Sample, n: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Values (n, M) of each measure over data sets drawn with replacement."""
    labels, found = list[Metric](), dict[str, Floats]()
    for metric in metrics:
        if metric.takes_scores and (sample.prob is not None or sample.score is not None):
            raise ParameterError(
                f"{argument('method', 'auto')} is the only method for intervals of "
                f"{metric.name} from scores; resampling is for labels and probabilities."
            )
        if not isinstance(metric, ProbabilityMetric):
            labels.append(metric)
            continue
        drawer = losses.drawer(metric, sample, rng)
        values = _evaluated([metric.combine], drawer.draw, blocks(n, drawer.row_bytes), rng)
        found[metric.name] = values[0]
    if labels:
        drawer = sample.drawer(rng)
        kernels = [m.values for m in labels]
        values = _evaluated(kernels, drawer.draw, blocks(n, drawer.row_bytes), rng)
        found |= {m.name: v for m, v in zip(labels, values, strict=True)}
    return found


def posterior_values(
    metrics: Iterable[Metric], sample: Sample, n: int, rng: np.random.Generator, prior: float
) -> dict[str, Floats]:
    """Values (n, 1) of each measure over the Dirichlet posterior, scaled to the number of items."""
    if sample.cluster is not None or sample.weight is not None:
        raise ParameterError(
            f"{argument('method', 'bayes')} takes unweighted items without clusters."
        )
    chosen = list(metrics)
    for metric in chosen:
        if metric.needs != "labels" or sample.score is not None:
            raise ParameterError(
                f"{argument('method', 'bayes')} is for measures of labels, unlike {metric.name}."
            )
    matrix, k = sample.matrices[0], sample.k
    classes = matrix.sum(axis=1, keepdims=True)
    # A class that never occurs stays out, as it does of the estimate.
    share = prior / np.count_nonzero(classes) / k
    alpha = np.where(classes > 0, matrix + share, 0.0)
    axis, size_of = (-1, classes) if sample.stratify else ((-2, -1), matrix.sum())

    def draw(size: int, generator: np.random.Generator) -> Floats:
        gammas = generator.standard_gamma(alpha, (size, k, k))
        total = gammas.sum(axis=axis, keepdims=True)
        return np.asarray((gammas / np.where(total > 0, total, 1.0) * size_of)[:, None])

    values = _evaluated([m.values for m in chosen], draw, blocks(n, 8 * k * k), rng)
    return {m.name: v for m, v in zip(chosen, values, strict=True)}


def _evaluated(
    kernels: Sequence[ValueOf], draw: Draw, sizes: list[int], rng: np.random.Generator
) -> list[Floats]:
    def values(size: int, generator: np.random.Generator) -> list[Floats]:
        drawn = draw(size, generator)
        return [np.asarray(kernel(drawn)) for kernel in kernels]

    from concurrent.futures import ThreadPoolExecutor  # slow to load

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(values, sizes, rng.spawn(len(sizes))))
    return [np.concatenate([p[i] for p in parts]) for i in range(len(kernels))]


def percentile_ends(drawn: Draws, level: float) -> tuple[float, float]:
    """Plain percentiles of the draws."""
    if not len(drawn.defined):
        return np.nan, np.nan
    tail = (1 - level) / 2
    low, high = np.quantile(drawn.defined, (tail, 1 - tail), method=_INVERSE)
    return float(low), float(high)


def bca_ends(
    drawn: Draws, estimate: float, parts: Floats, count: Floats, level: float
) -> tuple[float, float]:
    """Percentiles corrected for bias and skewness (Efron 1987)."""
    if not len(drawn.defined) or estimate != estimate:
        return np.nan, np.nan
    from scipy.special import ndtr, ndtri

    bias, a, tail = _bias(drawn, estimate), _acceleration(parts, count), (1 - level) / 2

    def corrected(share: float) -> float:
        z = bias + ndtri(share)
        shrink = 1 - a * z
        return float(ndtr(bias + z / shrink)) if shrink > 0 else float(z > 0)

    low, high = np.quantile(drawn.defined, (corrected(tail), corrected(1 - tail)), method=_INVERSE)
    return float(low), float(high)


def percentile_tail(drawn: Draws, value: float) -> float:
    """The tail at which the lower end of the percentile interval reaches a value: a p-value."""
    return _share_below(drawn, value) if len(drawn.defined) else np.nan


def bca_tail(drawn: Draws, estimate: float, parts: Floats, count: Floats, value: float) -> float:
    """The tail at which the lower end of the BCa interval reaches a value."""
    if not len(drawn.defined) or estimate != estimate:
        return np.nan
    from scipy.special import ndtr, ndtri

    bias, a = _bias(drawn, estimate), _acceleration(parts, count)
    z = ndtri(_share_below(drawn, value)) - bias
    return float(ndtr(z / (1 + a * z) - bias)) if 1 + a * z > 0 else float(z > 0)


def two_sided(tail: float) -> float:
    """The p-value of both tails."""
    return float(min(1.0, 2 * min(tail, 1 - tail)))


def _share_below(drawn: Draws, value: float) -> float:
    """The share of draws below a value, equal ones half, and the sample itself counted too."""
    gap = 1e-12 * max(1.0, abs(value))
    below = np.count_nonzero(drawn.defined < value - gap)
    not_above = np.count_nonzero(drawn.defined <= value + gap)
    return ((below + not_above) / 2 + 0.5) / (len(drawn.defined) + 1)


def _bias(drawn: Draws, estimate: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(_share_below(drawn, estimate)))


def _acceleration(parts: Floats, count: Floats) -> float:
    """Skewness of what a unit contributes, over six."""
    squares = float(count @ parts**2)
    return float(count @ parts**3) / (6 * squares**1.5) if squares > 0 else 0.0
