"""The measures by their definitions, item by item in fractions: what is right, to the last digit.

Written without ordeval, so that it can be judged too. Classes are positions 0, 1, 2, ...
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Positions = Sequence[int]


def mae(truth: Positions, pred: Positions) -> float:
    """Mean distance."""
    return float(Fraction(sum(abs(t - p) for t, p in zip(truth, pred, strict=True)), len(truth)))


def amae(truth: Positions, pred: Positions) -> float:
    """Mean over the classes that occur of their mean distance (Baccianella et al. 2009)."""
    means = []
    for c in sorted(set(truth)):
        off = [abs(t - p) for t, p in zip(truth, pred, strict=True) if t == c]
        means.append(Fraction(sum(off), len(off)))
    return float(sum(means) / len(means))


def kappa(truth: Positions, pred: Positions, power: int) -> float:
    """Weighted kappa (Cohen 1968); NaN if chance leaves no disagreement."""
    n = len(truth)
    observed = Fraction(sum(abs(t - p) ** power for t, p in zip(truth, pred, strict=True)), n)
    sizes, predicted = Counter(truth).items(), Counter(pred).items()
    every_pair = sum(r * c * abs(t - p) ** power for t, r in sizes for p, c in predicted)
    by_chance = Fraction(every_pair, n * n)
    return float(1 - observed / by_chance) if by_chance else math.nan


def quadratic_kappa(truth: Positions, pred: Positions) -> float:
    """Squared distances."""
    return kappa(truth, pred, 2)


def linear_kappa(truth: Positions, pred: Positions) -> float:
    """Distances."""
    return kappa(truth, pred, 1)


def tau_b(truth: Positions, pred: Positions) -> float:
    """Kendall's tau-b from all pairs; NaN if one side is constant."""
    order = untied_truth = untied_pred = 0
    for (t, p), (u, q) in combinations(zip(truth, pred, strict=True), 2):
        order += ((t > u) - (t < u)) * ((p > q) - (p < q))
        untied_truth += t != u
        untied_pred += p != q
    if not untied_truth * untied_pred:
        return math.nan
    return order / math.sqrt(untied_truth * untied_pred)


def rps(truth: Positions, prob: Sequence[Sequence[float]]) -> float:
    """Ranked probability score (Epstein 1969), not divided by K - 1."""
    total = sum(
        (sum(map(Fraction, row[: k + 1])) - (t <= k)) ** 2
        for t, row in zip(truth, prob, strict=True)
        for k in range(len(row) - 1)
    )
    return float(Fraction(total) / len(truth))
