"""Cost of the best path through each matrix of a stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.parts.arrays import distance, ratio
from ordeval.measures.parts.paths import cheapest, envelope_area, lower_envelope

Absent = Literal["ignore", "uniform", "perfect"]


class Terms(NamedTuple):
    """Terms of a stack (K, K, B): a path costs 1 - its gains + beta * its penalties."""

    gain: Floats
    penalty: Floats
    beta: Floats  # (B,)


def oc_terms(
    n: Floats, share: float, beta: float | None, gamma: float, *, dispersion: bool = True
) -> Terms:
    """Return the terms of eq. 7, or of eq. 6 without the dispersion, for counts (K, K, B)."""
    k = len(n)
    penalty = n * _powers(k, gamma)
    items = n.sum(axis=(0, 1))
    spread = _root(penalty.sum(axis=(0, 1)), gamma) if dispersion else 0.0
    if beta is None:
        # a share of the largest possible penalty
        betas = ratio(share, items * float(k - 1) ** gamma)
    else:
        betas = np.full_like(items, beta)
    return Terms(n * ratio(1.0, items + spread), penalty, betas)


def uoc_terms(n: Floats, beta: float, gamma: float, absent: Absent = "ignore") -> Terms:
    """Return the terms of eq. 28 for counts (K, K, B)."""
    if absent != "ignore":
        n = _with_absent(n, absent)
    rows = n.sum(axis=1)
    occurs = rows > 0
    classes = np.where(occurs.any(axis=0), occurs.sum(axis=0), np.nan)
    # An absent class has only zeros, so its divisor does not matter.
    shares = n / (np.where(occurs, rows, 1.0)[:, None] * classes)
    penalty = shares * _powers(len(n), gamma)
    spread = _root(penalty.sum(axis=(0, 1)), gamma)
    return Terms(shares / (1 + spread), penalty, np.full_like(spread, beta))


def _with_absent(n: Floats, absent: Absent) -> Floats:
    """Add a row for each class absent from the truth to counts (K, K, B), unless all are absent."""
    k = len(n)
    row = np.ones((k, k)) if absent == "uniform" else np.eye(k)
    lacking = (n.sum(axis=1) == 0) & n.any(axis=(0, 1))
    return np.where(lacking[:, None], row[..., None], n)


def _root(total: Floats, gamma: float) -> Floats:
    with np.errstate(over="ignore"):  # with a tiny gamma the dispersion overflows
        return np.asarray(total ** (1 / gamma))


def _powers(k: int, gamma: float) -> Floats:
    return np.asarray(distance(k) ** gamma)[..., None]


def stack_last(n: Floats) -> Floats:
    """Move the last two axes of (..., K, K) first: (K, K, B)."""
    k = n.shape[-1]
    return np.ascontiguousarray(np.moveaxis(n.reshape(-1, k, k), 0, -1))


def over_stack(n: Floats, kernel: Callable[[Floats], Floats]) -> Floats:
    """Apply a kernel of (K, K, B) to (..., K, K)."""
    return kernel(stack_last(n)).reshape(n.shape[:-2])


def value_of(terms: Terms) -> Floats:
    """Return the cost (B,) of the best path through each matrix."""
    weights = np.multiply(terms.beta, terms.penalty, out=terms.penalty)
    value = 1.0 + cheapest(np.subtract(weights, terms.gain, out=weights))
    # Sums of many cells may fall a rounding error below the bound.
    return np.asarray(np.maximum(value, 0.0))


def oc_of_one(
    n: list[list[float]], *, share: float = 0.75, beta: float | None = None, gamma: float = 1.0
) -> float:
    """Compute oc_index of one small matrix in plain Python, row by row."""
    k = len(n)
    items = sum(map(sum, n))
    if items == 0 or (k == 1 and beta is None):
        return np.nan
    powers = [d**gamma for d in range(k)]
    spread = 0.0
    for r, row in enumerate(n):
        for c, x in enumerate(row):
            if x:
                spread += x * powers[abs(r - c)]
    if beta is None:
        beta = share / (items * powers[k - 1])
    try:
        unit = 1.0 / (items + spread ** (1 / gamma))
    except OverflowError:
        unit = 0.0
    price = [beta * p - unit for p in powers]
    infinity = float("inf")
    above = [1.0] + [infinity] * k  # above[c + 1]: lowest cost down to the row above, column c
    for r, row in enumerate(n):
        corner, left, here = above[0], infinity, [infinity]
        for c, x in enumerate(row):
            up = above[c + 1]
            best = corner if corner <= up else up
            if left < best:
                best = left
            left = best + x * price[abs(r - c)]
            here.append(left)
            corner = up
        above = here
    return left if left > 0.0 else 0.0


def area_of(terms: Terms) -> Floats:
    """Return the integral (B,) of that cost over beta from 0 to 1, NaN for an empty matrix."""
    empty = np.isnan(terms.gain[0, 0])
    gain, penalty = (np.where(empty, 0.0, x) for x in (terms.gain, terms.penalty))
    area = envelope_area(lower_envelope(gain, penalty), len(empty))
    return np.where(empty, np.nan, np.clip(area, 0.0, 1.0))
