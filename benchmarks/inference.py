"""Speed of inference as ratios to the cost of drawing matrices, measured in one run."""

from __future__ import annotations

import sys
import warnings

import numpy as np

import ordeval as oe
from benchmarks._measuring import best_time, peak_memory

K = 5
PANEL = (
    "cem_ord", "accuracy", "mean_absolute_error", "average_mae", "balanced_accuracy",
    "weighted_kappa", "kendall_tau_b", "oc_index", "uoc_index", "cost_accuracy_distance",
)  # fmt: skip


def main() -> int:
    """Print one row per claim; exit 1 if one misses its bound."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    rng = np.random.default_rng(20260101)
    cells = rng.dirichlet(np.ones(K * K))
    matrix = rng.multinomial(10**6, cells).reshape(K, K)
    every = [m for m in oe.metrics(needs="labels") if not m.expensive]
    draw = best_time(lambda: rng.multinomial(10**6, cells, 10_000), 3)
    oc = best_time(lambda: oe.confidence_interval("oc_index", matrix, rng=0), 3)
    measures = best_time(lambda: oe.score(matrix, metrics=every, level=0.95, rng=0), 3)
    truth = rng.integers(0, K, 5000)
    models = {
        f"model {i}": np.where(rng.random(5000) < 0.5 + i / 50, truth, rng.integers(0, K, 5000))
        for i in range(10)
    }
    compared = best_time(
        lambda: oe.compare(truth, models, labels=range(K), metrics=PANEL, pairs="all", rng=0), 1
    )
    memory = peak_memory() / 2**20
    rows = [
        ("BCa interval of OC, 9,999 draws, N = 10^6", oc / draw, 4.0),
        (f"BCa intervals of {len(every)} measures at once", measures / draw, 60.0),
        ("10 models, 10 measures, 45 pairs, N = 5,000", compared / draw, 2000.0),
    ]
    print(f"{'operation':<48} {'ratio':>9} {'bound':>9}   against drawing 10,000 matrices")
    for name, ratio, bound in rows:
        print(f"{name:<48} {ratio:>9.2f} {bound:>9.0f}{'   MISSED' if ratio > bound else ''}")
    print(
        f"drawing took {draw * 1e3:.1f} ms, the comparison {compared:.1f} s; peak {memory:.0f} MB"
    )
    return int(any(ratio > bound for _, ratio, bound in rows) or memory > 500)


if __name__ == "__main__":
    sys.exit(main())
