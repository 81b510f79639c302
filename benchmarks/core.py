"""Speed of the core as ratios, measured in one run: against the NumPy floor and against peers.

Run it with ``make bench``. Each row is the best of several rounds of both sides, interleaved, in
seconds of the processor, so that a busy machine slows both alike. A row fails when its ratio is
above the bound.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix as sklearn_confusion_matrix

import ordeval as oe
from benchmarks._measuring import best_times
from benchmarks.listing import listing_1, quadrature

K = 5
ITEMS = 10**7


@dataclass(frozen=True)
class Row:
    """One comparison: ours must take at most ``bound`` times theirs."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    bound: float
    against: str
    repeat: int = 5
    calls: int = 1


def loop_25(cm: Any) -> float:
    """Listing 1 with Python's own lists and numbers: the fastest loop over the cells."""
    k, n = len(cm), cm.tolist()
    items = sum(map(sum, n))
    beta = 0.75 / (items * (k - 1))
    deviation = [[n[r][c] * abs(r - c) for c in range(k)] for r in range(k)]
    spread = items + sum(map(sum, deviation))
    above = [1.0] + [np.inf] * k
    for r in range(k):
        here = [np.inf]
        for c in range(k):
            best = min(above[c], above[c + 1], here[c])
            here.append(best - n[r][c] / spread + beta * deviation[r][c])
        above = here
    return above[-1]


def torch_count(truth: Any, pred: Any) -> Callable[[], Any]:
    """torchmetrics on one thread, as NumPy is, and without its checks, for which it has a switch.

    With them it takes twenty times as long.
    """
    import torch
    from torchmetrics.functional.classification import multiclass_confusion_matrix

    torch.set_num_threads(1)
    given = torch.as_tensor(pred), torch.as_tensor(truth)
    return lambda: multiclass_confusion_matrix(*given, num_classes=K, validate_args=False)


def counting_rows(rng: np.random.Generator) -> list[Row]:
    truth, pred = rng.integers(0, K, ITEMS), rng.integers(0, K, ITEMS)
    small_truth, small_pred = truth.astype(np.int8), pred.astype(np.int8)
    names = np.array(["none", "mild", "moderate", "severe", "critical"])
    n = 10**6
    words = [names[x[:n]].astype(object) for x in (truth, pred)]
    series = [pd.Series(w, dtype="str") for w in words]
    categories = [pd.Categorical(w, categories=names, ordered=True) for w in words]
    levels = list(range(K))

    def floor() -> Any:
        return np.bincount(truth * K + pred, minlength=K * K)

    def count(t: Any, p: Any, labels: Any) -> Callable[[], Any]:
        return lambda: oe.ConfusionMatrix.from_labels(t, p, labels)

    def factorize(pair: list[Any]) -> Callable[[], Any]:
        def encode_and_count() -> Any:
            (a, _), (b, _) = pd.factorize(pair[0]), pd.factorize(pair[1])
            return np.bincount(a * K + b, minlength=K * K)

        return encode_and_count

    shift = [x + 1 for x in (truth, pred)]
    sk_truth, sk_pred = truth[: 10**6], pred[: 10**6]
    return [
        Row("count 10^7 int64", count(truth, pred, levels), floor, 1.3, "np.bincount(y*K + p)"),
        Row("count 10^7 int64, scale implied", count(truth, pred, None), floor, 1.3, "the same"),
        Row("count 10^7 int64, labels 1..5", count(*shift, range(1, 6)), floor, 1.3, "the same"),
        Row("count 10^7 int8", count(small_truth, small_pred, levels), floor, 1.0, "the same"),
        Row(
            "count 10^6 int64",
            count(sk_truth, sk_pred, levels),
            lambda: sklearn_confusion_matrix(sk_truth, sk_pred),
            1 / 20,
            "scikit-learn confusion_matrix",
            repeat=3,
        ),
        Row(
            "count 10^6 int64",
            count(sk_truth, sk_pred, levels),
            torch_count(sk_truth, sk_pred),
            1.0,
            "torchmetrics, unchecked, one thread",
            repeat=30,
        ),
        Row("count 10^6 str objects", count(*words, names), factorize(words), 2.0, "pd.factorize"),
        Row("count 10^6 pandas str", count(*series, names), factorize(series), 2.0, "pd.factorize"),
        Row(
            "count 10^6 categorical",
            count(*categories, None),
            factorize(categories),
            2.0,
            "pd.factorize",
        ),
    ]


def association_rows(rng: np.random.Generator) -> list[Row]:
    truth, pred = rng.integers(0, K, ITEMS), rng.integers(0, K, ITEMS)
    levels = list(range(K))

    def count() -> Any:
        return oe.ConfusionMatrix.from_labels(truth, pred, levels)

    def score(metric: oe.Metric) -> Callable[[], Any]:
        return lambda: metric(truth, pred, labels=levels)

    return [
        Row(f"{m.name} from 10^7 labels", score(m), count, 1.1, "counting")
        for m in (oe.kendall_tau_b, oe.spearman_rho, oe.r_int, oe.order_reliability)
    ]


def path_rows(rng: np.random.Generator) -> list[Row]:
    cells = rng.dirichlet(np.ones(K * K))
    stack = rng.multinomial(1000, cells, 10_000).reshape(-1, K, K)
    one, wide = stack[0], rng.integers(0, 50, (200, 200))
    few = stack[:200]
    draw = lambda: rng.multinomial(1000, cells, 10_000)  # noqa: E731
    oc, auoc = oe.oc_index.from_confusion, oe.auoc.from_confusion
    return [
        Row("10,000 OC", lambda: oc(stack), draw, 1.0, "drawing them, rng.multinomial"),
        Row(
            "10,000 OC",
            lambda: oc(stack),
            lambda: [listing_1(m) for m in stack],
            1 / 100,
            "a loop over listing 1",
            repeat=3,
        ),
        Row("one OC, K = 5", lambda: oc(one), lambda: loop_25(one), 1.5, "a loop on lists", 9, 300),
        Row("one OC, K = 200", lambda: oc(wide), lambda: listing_1(wide), 0.5, "listing 1", 5, 3),
        Row("10,000 AUOC", lambda: auoc(stack), draw, 50.0, "drawing them, rng.multinomial", 3),
        Row("200 AUOC", lambda: auoc(few), lambda: quadrature(few), 1 / 5, "101-point quadrature"),
        Row("one AUOC", lambda: auoc(one), lambda: quadrature(one), 1 / 5, "101-point quadrature"),
        Row(
            "one AUOC, K = 200",
            lambda: auoc(wide),
            lambda: quadrature(wide),
            1.0,
            "101-point quadrature",
            3,
        ),
        Row(
            "10,000 AUOC",
            lambda: auoc(stack),
            lambda: quadrature(stack),
            1 / 5,
            "101-point quadrature",
            2,
        ),
    ]


def main() -> int:
    """Print one row per comparison; exit 1 if one misses its bound."""
    rng = np.random.default_rng(20260101)
    return judged(itertools.chain.from_iterable(m(rng) for m in _ROWS))


_ROWS = (path_rows, counting_rows, association_rows)


def judged(rows: Iterable[Row]) -> int:
    """Measure and print the rows; 1 if a bound is missed."""
    failed = 0
    print(f"{'operation':<42} {'ratio':>8} {'bound':>8}   against", flush=True)
    for row in rows:
        ours, theirs = best_times(
            [row.ours, row.theirs], row.repeat, calls=row.calls, clock=time.process_time
        )
        ratio = ours / theirs
        missed = ratio > row.bound
        failed += missed
        print(
            f"{row.name:<42} {ratio:>8.3f} {row.bound:>8.3f}   {row.against}"
            f"   ({ours * 1e3:.3f} ms against {theirs * 1e3:.3f} ms)"
            + ("   MISSED" if missed else ""),
            flush=True,
        )
    print(f"{failed} of the bounds missed" if failed else "every bound held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
