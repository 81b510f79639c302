"""The rivals of OC and AUOC: the published listing, cell by cell, and quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np

import ordeval as oe


def listing_1(cm: Any) -> float:
    """Cardoso & Sousa 2011, listing 1, as it stands there: cell by cell on arrays."""
    k, items = len(cm), cm.sum()
    deviation = _deviation(cm)
    return _best_path(cm / (deviation.sum() + items), 0.75 / (items * (k - 1)), deviation)


def uoc_by_listing(cm: Any, beta: float) -> float:
    """The same for the uniform index of Silva et al. 2018: on the shares of the rows."""
    sizes = cm.sum(axis=1)
    shares = cm / np.maximum(sizes, 1)[:, None]
    observed = np.count_nonzero(sizes)
    deviation = _deviation(shares)
    return _best_path(shares / (observed + deviation.sum()), beta / observed, deviation)


def auoc_by_listing(cm: Any, points: int = 101) -> float:
    """The area below it, by the trapezoid rule."""
    return float(_trapezoid([uoc_by_listing(cm, b) for b in np.linspace(0, 1, points)]))


def quadrature(stack: Any, points: int = 101) -> Any:
    """AUOC by the trapezoid rule, over our own quick index."""
    return _trapezoid(
        [oe.uoc_index.from_confusion(stack, beta=b) for b in np.linspace(0, 1, points)]
    )


def _trapezoid(values: list[Any]) -> Any:
    return (np.sum(values, axis=0) - (values[0] + values[-1]) / 2) / (len(values) - 1)


def _deviation(cm: Any) -> Any:
    k = len(cm)
    deviation = np.zeros((k, k))
    for r in range(k):
        for c in range(k):
            deviation[r, c] = cm[r, c] * abs(r - c)
    return deviation


def _best_path(share: Any, beta: float, deviation: Any) -> float:
    k = len(share)
    cost = np.zeros((k, k))
    cost[0, 0] = 1 - share[0, 0] + beta * deviation[0, 0]
    for r in range(1, k):
        cost[r, 0] = cost[r - 1, 0] - share[r, 0] + beta * deviation[r, 0]
    for c in range(1, k):
        cost[0, c] = cost[0, c - 1] - share[0, c] + beta * deviation[0, c]
    for c in range(1, k):
        for r in range(1, k):
            best = min(cost[r - 1, c], cost[r, c - 1], cost[r - 1, c - 1])
            cost[r, c] = best - share[r, c] + beta * deviation[r, c]
    return float(cost[-1, -1])
