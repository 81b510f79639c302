"""Speed of inference: ratios to scoring, drawing and sorting, measured in one run.

Only the time of 33 models is absolute: below a second of one processor.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import ordeval as oe
from benchmarks._measuring import best_time, in_new_process, peak_memory

K = 5
PANEL = (
    "cem_ord", "accuracy", "mean_absolute_error", "average_mae", "balanced_accuracy",
    "weighted_kappa", "kendall_tau_b", "oc_index", "auoc", "cost_accuracy_distance",
)  # fmt: skip
Row = tuple[str, float, float]  # what, measured, bound


def models(n: int, count: int, k: int = K) -> tuple[Any, dict[str, Any]]:
    """A truth, and models that are right more and more often."""
    rng = np.random.default_rng(20260101)
    truth = rng.integers(0, k, n)
    given = {
        f"model {i}": np.where(rng.random(n) < 0.5 + 0.3 * i / count, truth, rng.integers(0, k, n))
        for i in range(count)
    }
    return truth, given


def one_interval() -> list[Row]:
    """The default interval against scoring the K² matrices once, whatever the number of items."""
    rng = np.random.default_rng(20260101)
    rows = []
    for n in (10**3, 10**6):
        cells = rng.dirichlet(np.ones(K * K))
        matrix = rng.multinomial(n, cells).reshape(K, K)
        stack = np.repeat(matrix[None], K * K, axis=0)
        worst = 0.0
        for name in PANEL:
            metric = oe.get_metric(name)
            floor = best_time(lambda m=metric, s=stack: m.from_confusion(s), 20)
            ours = best_time(lambda n=name, x=matrix: oe.confidence_interval(n, x), 20)
            worst = max(worst, ours / floor)
        rows.append(
            (f"an interval, N = {n:,}, worst of {len(PANEL)}: scoring K² matrices", worst, 60.0)
        )
    return rows


def comparison() -> list[Row]:
    """Ten models by ten measures, with everything, against drawing 9,999 matrices."""
    truth, given = models(5_000, 10)
    rng = np.random.default_rng(0)
    share = rng.dirichlet(np.ones(K * K))
    draw = best_time(lambda: rng.multinomial(5_000, share, 9_999), 3)
    ours = best_time(lambda: oe.compare(truth, given, PANEL, labels=range(K), pairs="all"), 3)
    return [("10 models, 10 measures, 45 pairs: drawing 9,999 matrices", ours / draw, 40.0)]


def many_models() -> list[Row]:
    """Processor time of a comparison of 33 models, on one thread: others would wait busily."""
    seconds = in_new_process("benchmarks.inference", "33 models", threads=1)
    return [("33 models, 10 measures: seconds of one processor", float(seconds), 1.0)]


def clusters() -> list[Row]:
    """An interval of clustered items against sorting the clusters."""
    truth, given = models(200_000, 1)
    names = np.random.default_rng(1).integers(0, 20_000, 200_000)
    floor = best_time(lambda: np.unique(names), 5)
    pred = given["model 0"]
    ours = best_time(
        lambda: oe.confidence_interval("cem_ord", truth, pred, labels=range(K), clusters=names), 3
    )
    return [("200,000 items in 20,000 clusters: np.unique of them", ours / floor, 60.0)]


def large_scales() -> list[Row]:
    """Seconds and memory where there are very many classes, each in a process of its own."""
    rows = []
    for what in ("compare, six models, K = 55", "interval, K = 500"):
        seconds, megabytes = in_new_process("benchmarks.inference", what).split()
        rows += [
            (f"{what}: seconds", float(seconds), 60.0),
            (f"{what}: MB", float(megabytes), 1000.0),
        ]
    return rows


def alone(what: str) -> None:
    """One of the large comparisons: prints its seconds, and its megabytes."""
    if what == "33 models":
        truth, given = models(4_423, 33, 4)
        for _ in range(2):  # modules are loaded once
            begin = time.process_time()
            oe.compare(truth, given, PANEL, labels=range(4))
        print(time.process_time() - begin)
        return
    start = time.perf_counter()
    if what.startswith("compare"):
        truth, given = models(20_000, 6, 55)
        oe.compare(truth, given, labels=range(55))
    else:
        truth, given = models(50_000, 1, 500)
        oe.confidence_interval("cem_ord", truth, given["model 0"], labels=range(500))
    print(time.perf_counter() - start, peak_memory() / 1e6)


PARTS: tuple[Callable[[], list[Row]], ...] = (
    one_interval, comparison, many_models, clusters, large_scales,
)  # fmt: skip


def main() -> int:
    """Print one row per claim; exit 1 if one misses its bound."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    if len(sys.argv) > 1:
        alone(sys.argv[1])
        return 0
    missed = False
    print(f"{'operation: against':<66} {'measured':>9} {'bound':>7}")
    for part in PARTS:
        for what, measured, bound in part():
            missed |= measured > bound
            note = "   MISSED" if measured > bound else ""
            print(f"{what:<66} {measured:>9.2f} {bound:>7.0f}{note}", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
