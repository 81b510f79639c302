"""Rankings of models: ranks, ties, the chance to be best, and predictors without skill."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.measures import Metric
from ordeval.measures.cost import chance_line_distance


def tie_breaks(primary: Metric, counts: NDArray[Any]) -> Floats:
    """Equal cost-accuracy distances are told apart by the chance line (George et al. 2016)."""
    if primary.kernel.__name__ != "cost_accuracy_distance":
        return np.zeros(len(counts))
    line = (
        chance_line_distance.with_params(**primary.bound) if primary.bound else chance_line_distance
    )
    distances: Floats = np.round(np.nan_to_num(line.values(counts)), 12)
    return distances


def sort_key(utility: Any, tie: Any) -> tuple[bool, float, float]:
    """Best first, a model without a value last; rounding makes no difference."""
    return (math.isnan(utility), -round(utility, 12) if utility == utility else 0.0, -tie)


def ranks(utilities: Floats, ties: Floats) -> list[float]:
    """Ranks from 1 for the best; equal models share the mean of their ranks."""
    keys = [sort_key(u, t) for u, t in zip(utilities, ties, strict=True)]
    ordered = sorted(keys)
    return [(2 * ordered.index(k) + ordered.count(k) + 1) / 2 for k in keys]


def baselines(counts: NDArray[Any], metrics: tuple[Metric, ...]) -> dict[str, dict[str, float]]:
    """Scores of predictors without skill, from the expected matrix of each."""
    truth = counts.sum(axis=1).astype(np.float64)
    k, n = len(truth), truth.sum()
    median = int(np.searchsorted(np.cumsum(truth), n / 2))
    matrices = {
        "majority class": truth[:, None] * (np.arange(k) == int(np.argmax(truth))),
        "median class": truth[:, None] * (np.arange(k) == median),
        "random by prevalence": np.outer(truth, truth) / (n or 1.0),
    }
    return {
        name: {m.name: float(m.values(matrix)) for m in metrics}
        for name, matrix in matrices.items()
    }


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
