"""Speed of probabilities and scores as ratios, measured in one run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from skordinal.metrics import ranked_probability_score as skordinal_rps

import ordeval as oe
from benchmarks.core import Row, judged

K = 5


def probability_rows(rng: np.random.Generator) -> Iterator[Row]:
    """A million forecasts, against a peer; and what an interval costs beside the value."""
    truth, prob = rng.integers(0, K, 10**6), rng.dirichlet(np.ones(K), 10**6)
    rps = oe.ranked_probability_score
    yield Row(
        "RPS of 10^6 x 5",
        lambda: rps(truth, prob, labels=range(K)),
        lambda: skordinal_rps(truth, prob),
        1.0,
        "skordinal",
    )


def score_rows(rng: np.random.Generator) -> Iterator[Row]:
    """An interval beside the value, and the areas of all cuts beside one of them."""
    truth = rng.integers(0, K, 10**5)
    score = truth + rng.standard_normal(len(truth))
    areas = [oe.threshold_auc.with_params(at_least=t + 1) for t in range(K - 1)]

    def interval(metric: oe.Metric) -> Callable[[], Any]:
        return lambda: oe.confidence_interval(
            metric, truth, score, labels=range(K), outputs="scores"
        )

    def scored(chosen: list[oe.Metric]) -> Callable[[], Any]:
        return lambda: oe.score(truth, score, chosen, labels=range(K), outputs="scores")

    yield Row(
        "interval of the C-index, 10^5 items",
        interval(oe.concordance_index),
        lambda: oe.concordance_index(truth, score, labels=range(K)),
        3.0,
        "its value",
    )
    yield Row(
        "intervals of all threshold AUCs, 10^5",
        scored(areas),
        scored(areas[:1]),
        2.5,
        "one of the four: they share a sort",
    )


def main() -> int:
    """Print one row per comparison; exit 1 if one misses its bound."""
    rng = np.random.default_rng(20260101)
    return judged([*probability_rows(rng), *score_rows(rng)])


if __name__ == "__main__":
    sys.exit(main())
