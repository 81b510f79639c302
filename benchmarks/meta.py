"""Speed of the study of measures, against a Python loop over scikit-learn and SciPy calls.

50 systems on 100 test cases of 200 items, 25 measures, all 1,225 pairs of systems. The loop is
timed on some of the outputs, with the measures that scikit-learn and SciPy have, and scaled up to
all outputs and to as many measures; the pairs of systems are not charged to it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from sklearn import metrics as sk

import ordeval as oe
from benchmarks._measuring import best_time

MEASURES = (
    "accuracy", "accuracy_within", "balanced_accuracy", "f1_macro", "matthews_corrcoef",
    "mean_absolute_error", "mean_squared_error", "average_mae", "maximum_mae", "average_mse",
    "cohen_kappa", "weighted_kappa", "krippendorff_alpha", "pearson_r", "spearman_rho",
    "kendall_tau_a", "kendall_tau_b", "r_int", "mutual_information", "purity",
    "cost_accuracy_distance", "oc_index", "uoc_index", "auoc", "cem_ord",
)  # fmt: skip
LOOP: tuple[Callable[[Any, Any], Any], ...] = (
    sk.accuracy_score,
    sk.balanced_accuracy_score,
    partial(sk.f1_score, average="macro"),
    sk.matthews_corrcoef,
    sk.mean_absolute_error,
    sk.mean_squared_error,
    sk.cohen_kappa_score,
    partial(sk.cohen_kappa_score, weights="quadratic"),
    sk.mutual_info_score,
    stats.spearmanr,
    stats.kendalltau,
)
CASES, ITEMS, K = 100, 200, 5
SAMPLE = 30


def main() -> int:
    """Print one row per claim; exit 1 if one misses its bound."""
    warnings.simplefilter("ignore")  # of scikit-learn: classes that are never predicted
    drawn = oe.meta.simulate_systems(cases=CASES, items=ITEMS, k=K, centre=2.0, rng=0)
    systems = drawn.y_pred.shape[1]
    truth, cases = drawn.y_true.ravel(), np.repeat(np.arange(CASES), ITEMS)
    outputs = {name: drawn.y_pred[:, i].ravel() for i, name in enumerate(drawn.systems)}

    def study() -> Any:
        counted = oe.meta.SystemOutputs.from_labels(truth, outputs, cases, labels=range(1, K + 1))
        return oe.meta.study(counted, MEASURES)

    rng = np.random.default_rng(0)
    chosen = zip(rng.integers(0, CASES, SAMPLE), rng.integers(0, systems, SAMPLE), strict=True)
    pairs = [(drawn.y_true[t], drawn.y_pred[t, s]) for t, s in chosen]

    def loop() -> None:
        for y_true, y_pred in pairs:
            for measure in LOOP:
                measure(y_true, y_pred)

    study()
    ours = best_time(study, 3)
    calls = CASES * systems * len(MEASURES)
    theirs = best_time(loop, 2) / (SAMPLE * len(LOOP)) * calls
    properties = best_time(lambda: oe.meta.check_properties("cem_ord"), 1)
    rows = [
        (f"study of {systems} systems x {CASES} cases x {len(MEASURES)} measures", ours, 5.0),
        ("all properties of one measure", properties, 60.0),
    ]
    print(f"{'operation':<52} {'seconds':>9} {'at most':>9}")
    for name, took, most in rows:
        print(f"{name:<52} {took:>9.2f} {most:>9.0f}{'   MISSED' if took > most else ''}")
    ratio = theirs / ours
    print(
        f"a loop of {calls:,} calls would take {theirs:.0f} s: {ratio:.0f} times as long, at least "
        f"50{'   MISSED' if ratio < 50 else ''}"
    )
    return int(ratio < 50 or any(took > most for _, took, most in rows))


if __name__ == "__main__":
    sys.exit(main())
