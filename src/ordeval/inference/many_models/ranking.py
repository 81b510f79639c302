"""Rankings of models: ranks, ties, the chance to be best, and predictors without skill."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.cost import chance_line_distance
from ordeval.measures.probability import ProbabilityMetric


def tie_breaks(primary: Metric, sample: Sample) -> Floats:
    """The chance line breaks ties between cost-accuracy distances (George et al. 2016)."""
    if primary.kernel.__name__ != "cost_accuracy_distance":
        return np.zeros(sample.models)
    line = (
        chance_line_distance.with_params(**primary.bound) if primary.bound else chance_line_distance
    )
    distances: Floats = np.round(np.nan_to_num(line.values(sample.counts)), 12)
    return distances


def sort_key(utility: Any, tie: Any) -> tuple[bool, float, float]:
    """Best first, a model without a value last; rounding makes no difference."""
    return (math.isnan(utility), -round(utility, 12) if utility == utility else 0.0, -tie)


def ranks(utilities: Floats, ties: Floats) -> list[float]:
    """Ranks from 1 for the best; equal models share the mean of their ranks."""
    keys = [sort_key(u, t) for u, t in zip(utilities, ties, strict=True)]
    ordered = sorted(keys)
    return [(2 * ordered.index(k) + ordered.count(k) + 1) / 2 for k in keys]


ONE_SCORE: Final = "one score for all"
MAJORITY, MEDIAN, PREVALENCE = "majority class", "median class", "random by prevalence"
BASELINES: Final = (ONE_SCORE, MAJORITY, MEDIAN, PREVALENCE)


def baselines(sample: Sample, metrics: tuple[Metric, ...]) -> dict[str, dict[str, float]]:
    """Scores of predictors without skill, from what is expected of each.

    A forecast by prevalence gives every item the shares of the classes.
    """
    if sample.shares is not None:
        return {}
    if sample.score is not None:
        return {ONE_SCORE: {m.name: 0.5 for m in metrics}}
    amounts = sample.share * sample.count
    truth = np.bincount(sample.truth, amounts, minlength=sample.k).astype(np.float64)
    k, n = len(truth), truth.sum()
    median = int(np.searchsorted(np.cumsum(truth), n / 2))
    forecasts = {
        MAJORITY: (np.arange(k) == int(np.argmax(truth))).astype(np.float64),
        MEDIAN: (np.arange(k) == median).astype(np.float64),
        PREVALENCE: truth / (n or 1.0),
    }
    return {
        name: {m.name: _without_skill(m, truth, forecast) for m in metrics}
        for name, forecast in forecasts.items()
    }


def _without_skill(metric: Metric, truth: Floats, forecast: Floats) -> float:
    """The value of one forecast (K,) for all items of classes of these sizes (K,)."""
    if not isinstance(metric, ProbabilityMetric):
        return float(metric.values(np.outer(truth, forecast)))
    k = len(truth)
    losses = metric.losses(np.arange(k), np.broadcast_to(forecast, (k, k)))
    lost = float((truth * np.where(truth > 0, losses, 0.0)).sum())  # what never occurs costs none
    return float(metric.combine(np.concatenate([[lost], truth])))


def cliques(joined: NDArray[np.bool_]) -> list[range]:
    """Longest runs of neighbours in a ranking none of whose pairs is separated."""
    m = len(joined)
    runs: list[range] = []
    for start in range(m):
        end = start + 1
        while end < m and joined[start : end + 1, start : end + 1].all():
            end += 1
        if end - start > 1 and not any(r.start <= start and end <= r.stop for r in runs):
            runs.append(range(start, end))
    return runs
