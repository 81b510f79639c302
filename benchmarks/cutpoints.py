"""Cut points against the usual Nelder-Mead rounder: value reached and time taken, in one run."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import cohen_kappa_score

import ordeval as oe
from ordeval.models import optimal_cut_points

K = 5
MEASURES = (
    "weighted_kappa", "mean_absolute_error", "cem_ord", "f1_macro", "kendall_tau_b", "oc_index",
)  # fmt: skip
SLOWEST = 1.0  # of the rounder's time
WORST = 1e-9  # below the rounder's value, in units of the measure

Utility = Callable[[Any], float]


def nelder_mead(scores: Any, utility: Utility) -> tuple[float, float]:
    """The rounder: cuts start halfway between the classes. Its best value, and its seconds."""

    def loss(cuts: Any) -> float:
        return -utility(np.searchsorted(np.sort(cuts), scores, side="right"))

    start = time.perf_counter()
    found = minimize(loss, np.arange(K - 1) + 0.5, method="Nelder-Mead")
    return -float(found.fun), time.perf_counter() - start


def ours(scores: Any, y: Any, name: str) -> tuple[float, float, bool]:
    """Our value, our best seconds of three, and whether it is proven."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        found = optimal_cut_points(y, scores, metric=name, labels=range(K))
        times.append(time.perf_counter() - start)
    return float(oe.get_metric(name).utility(found.value)), min(times), found.exact


def on_labels(name: str, y: Any) -> Utility:
    """The objective as it is usually written: the measure of two arrays of labels."""
    metric = oe.get_metric(name)
    return lambda predicted: float(metric.utility(metric(y, predicted, labels=range(K))))


def on_counts(name: str, y: Any) -> Utility:
    """The objective at its quickest: labels known to be sound are counted by hand."""
    metric = oe.get_metric(name)

    def utility(predicted: Any) -> float:
        counts = np.bincount(y * K + predicted, minlength=K * K).reshape(K, K)
        return float(metric.utility(metric.evaluate(counts, {})))

    return utility


def data(n: int) -> tuple[Any, Any]:
    """A regressor's score: right in order, drawn to the middle, rarer classes at the ends."""
    rng = np.random.default_rng(20260101)
    y = rng.choice(K, n, p=[0.05, 0.2, 0.4, 0.25, 0.1])
    return 2 + 0.5 * (y - 2) + rng.normal(scale=0.5, size=n), y


def main() -> int:
    """Print one row per measure and size; exit 1 if one is slower or worse than the rounder."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    missed = False
    print("time: ours over that of the rounder; by hand: over that of one that counts by hand")
    print(
        f"{'measure':<20} {'items':>7} {'ours':>9} {'rounder':>9} {'gain':>8} "
        f"{'ms':>6} {'time':>6} {'by hand':>8}"
    )
    for n in (10_000, 100_000):
        scores, y = data(n)
        for name in MEASURES:
            value, seconds, exact = ours(scores, y, name)
            rival, usual = nelder_mead(scores, on_labels(name, y))
            _, by_hand = nelder_mead(scores, on_counts(name, y))
            bad = seconds / usual > SLOWEST or value < rival - WORST
            missed |= bad
            print(
                f"{name:<20} {n:>7,} {value:>9.5f} {rival:>9.5f} {value - rival:>8.5f} "
                f"{seconds * 1e3:>6.1f} {seconds / usual:>6.3f} {seconds / by_hand:>8.3f}  "
                f"{'exact' if exact else 'search'}{'   MISSED' if bad else ''}"
            )
    scores, y = data(10_000)
    _, seconds, _ = ours(scores, y, "weighted_kappa")
    _, usual = nelder_mead(scores, lambda p: cohen_kappa_score(y, p, weights="quadratic"))
    print(f"with scikit-learn's kappa, 10,000 items, the rounder takes {usual / seconds:.0f} times")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
