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


def nelder_mead(scores: Any, y: Any, utility: Callable[[Any], float]) -> tuple[float, float]:
    """The rounder: cuts start halfway between the classes; the objective counts, then scores."""
    start = time.perf_counter()

    def loss(cuts: Any) -> float:
        return -utility(np.searchsorted(np.sort(cuts), scores, side="right"))

    found = minimize(loss, np.arange(K - 1) + 0.5, method="Nelder-Mead")
    return -float(found.fun), time.perf_counter() - start


def ours(scores: Any, y: Any, name: str) -> tuple[float, float, bool]:
    start = time.perf_counter()
    found = optimal_cut_points(scores, y, metric=name, labels=range(K))
    return (
        float(oe.get_metric(name).utility(found.value)),
        time.perf_counter() - start,
        found.exact,
    )


def fast_utility(name: str, y: Any) -> Callable[[Any], float]:
    """The same measure on the same counts: the rounder at its best."""
    metric = oe.get_metric(name)

    def utility(predicted: Any) -> float:
        counts = np.bincount(y * K + predicted, minlength=K * K).reshape(K, K)
        value = metric.evaluate(counts, {})
        return float(metric.utility(value)) if value == value else -np.inf

    return utility


def data(n: int) -> tuple[Any, Any]:
    """A regressor's score: right in order, drawn to the middle, rarer classes at the ends."""
    rng = np.random.default_rng(20260101)
    y = rng.choice(K, n, p=[0.05, 0.2, 0.4, 0.25, 0.1])
    return 2 + 0.5 * (y - 2) + rng.normal(scale=0.5, size=n), y


def main() -> int:
    """Print a row a measure and size; exit 1 if one is slower or worse than the rounder."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    ours(*data(100), "oc_index")  # imports and compiles
    missed = False
    print(
        f"{'measure':<20} {'items':>7} {'ours':>9} {'rounder':>9} {'gain':>9} {'time':>7}  method"
    )
    for n in (2_000, 100_000):
        scores, y = data(n)
        for name in MEASURES:
            value, seconds, exact = ours(scores, y, name)
            rival, rival_seconds = nelder_mead(scores, y, fast_utility(name, y))
            ratio = seconds / rival_seconds
            bad = ratio > SLOWEST or value < rival - WORST
            missed |= bad
            print(
                f"{name:<20} {n:>7,} {value:>9.5f} {rival:>9.5f} {value - rival:>9.5f} "
                f"{ratio:>7.3f}  {'exact' if exact else 'search'}{'   MISSED' if bad else ''}"
            )
    scores, y = data(2_000)
    _, seconds, _ = ours(scores, y, "weighted_kappa")
    usual = nelder_mead(scores, y, lambda p: cohen_kappa_score(y, p, weights="quadratic"))
    print(
        f"the rounder as usually written, with scikit-learn's kappa, 2,000 items: {usual[0]:.5f}, "
        f"{usual[1] / seconds:.0f} times our time. time: ours over the rounder's."
    )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
