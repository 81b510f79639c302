"""Do 95 % intervals hold 95 % of the time? Coverage on data drawn from known distributions.

Each data set is a draw of N items from a joint distribution of truth and prediction; the true value
of a measure is its value on that distribution (N times its probabilities, for the measures that
look at N). Run it with ``make coverage``; ``--quick`` draws fewer data sets.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numpy.typing import NDArray

import ordeval as oe

MEASURES = (
    "mean_absolute_error",
    "average_mae",
    "kendall_tau_b",
    "weighted_kappa",
    "oc_index",
    "auoc",
    "cem_ord",
    "cost_accuracy_distance",
)
METHODS = ("bca", "percentile", "bayes")
K = 5


def joint_distribution(class_shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """A fair classifier: errors fall off with distance, and lean a little upwards."""
    steps = np.subtract.outer(np.arange(K), np.arange(K))
    rows = np.exp(-1.2 * np.abs(steps) + 0.15 * (steps < 0))
    return class_shares[:, None] * rows / rows.sum(axis=1, keepdims=True)


DESIGNS = {
    "balanced": joint_distribution(np.full(K, 1 / K)),
    "75 % majority": joint_distribution(np.array([0.75, 0.1, 0.06, 0.05, 0.04])),
}


def coverage(
    joint: NDArray[np.float64], n: int, method: str, data_sets: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Share of intervals that hold the true value, and their mean width, for each measure."""
    rng = np.random.default_rng(seed)
    truth = {name: float(oe.get_metric(name).from_confusion(joint * n)) for name in MEASURES}
    hits = dict.fromkeys(MEASURES, 0)
    width = dict.fromkeys(MEASURES, 0.0)
    defined = dict.fromkeys(MEASURES, 0)
    for counts in rng.multinomial(n, joint.ravel(), data_sets).reshape(-1, K, K):
        scores = oe.score(
            counts, metrics=MEASURES, level=0.95, method=method, n_resamples=999, rng=rng
        )
        for name, interval in scores.intervals.items():
            if np.isnan(interval.low):
                continue
            defined[name] += 1
            hits[name] += interval.low <= truth[name] <= interval.high
            width[name] += interval.high - interval.low
    return {m: (hits[m] / defined[m], width[m] / defined[m]) for m in MEASURES}


def main() -> None:
    """Print one table per design and size: coverage and mean width of each method."""
    data_sets = 200 if "--quick" in sys.argv else 1000
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    for design, joint in DESIGNS.items():
        for n in (200, 1000):
            print(f"\n{design}, N = {n}, {data_sets:,} data sets: coverage (mean width)")
            print(f"{'measure':<24}" + "".join(f"{m:>18}" for m in METHODS), flush=True)
            results = [coverage(joint, n, method, data_sets, seed=1) for method in METHODS]
            for name in MEASURES:
                cells = (f"{r[name][0]:.3f} ({r[name][1]:.3f})" for r in results)
                print(f"{name:<24}" + "".join(f"{c:>18}" for c in cells), flush=True)


if __name__ == "__main__":
    main()
