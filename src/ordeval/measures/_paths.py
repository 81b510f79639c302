"""Cheapest monotone paths through a stack of matrices, and how they change with beta.

A path goes from the first cell to the last by steps right, down or diagonally, and its cost is the
sum of the weights of its cells. All cells of an anti-diagonal depend on the two before it only, so
2K - 1 array operations serve a whole stack. The stack axis comes last in memory.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cell = tuple[int, int]

# Two lines of the envelope that differ by less than this at a point are one and the same there.
_RESOLUTION = 1e-13


@lru_cache(maxsize=64)
def _skew(k: int) -> NDArray[np.intp]:
    """Cells by anti-diagonal (2K-1, K), as flat indices; k*k stands for no cell."""
    step, row = np.arange(2 * k - 1)[:, None], np.arange(k)[None, :]
    column = step - row
    index = np.where((column >= 0) & (column < k), row * k + column, k * k)
    index.flags.writeable = False
    return index


def _by_diagonal(weights: Floats, outside: float) -> Floats:
    """Weights (K, K, B) as (2K-1, K, B), ``outside`` where there is no cell."""
    k, _, size = weights.shape
    flat = np.empty((k * k + 1, size))
    flat[:-1] = weights.reshape(k * k, size)
    flat[-1] = outside
    skewed: Floats = flat[_skew(k)]
    return skewed


def cheapest(weights: Floats) -> Floats:
    """Cost (B,) of the cheapest path through each matrix of (K, K, B)."""
    w = _by_diagonal(weights, np.inf)
    k, size = w.shape[1:]
    # Row r lives at index r + 1; index 0 is the wall above the matrix.
    last, new, older = (np.full((k + 1, size), np.inf) for _ in range(3))
    last[1] = w[0, 0]
    for step in w[1:]:
        best = new[1:]
        np.minimum(last[:-1], last[1:], out=best)
        np.minimum(best, older[:-1], out=best)
        best += step
        older, last, new = last, new, older
    cost: Floats = last[-1]
    return cost


class Lines(NamedTuple):
    """The cost of an optimal path as a line in beta: value at a point, and slope."""

    value: Floats
    slope: Floats


def cheapest_lines(gain: Floats, penalty: Floats, beta: Floats) -> Lines:
    """Optimal path of ``1 - gain + beta * penalty``, gains and penalties (K, K, B), beta (B,)."""
    w, p = _by_diagonal(beta * penalty - gain, np.inf), _by_diagonal(penalty, 0.0)
    k, size = w.shape[1:]
    last, new, older = (np.full((k + 1, size), np.inf) for _ in range(3))
    slope, new_slope, older_slope = (np.zeros((k + 1, size)) for _ in range(3))
    last[1], slope[1] = w[0, 0], p[0, 0]
    for step, step_slope in zip(w[1:], p[1:], strict=True):
        down = last[:-1] < last[1:]
        best = np.where(down, last[:-1], last[1:])
        best_slope = np.where(down, slope[:-1], slope[1:])
        diagonal = older[:-1] <= best
        np.add(np.where(diagonal, older[:-1], best), step, out=new[1:])
        np.add(np.where(diagonal, older_slope[:-1], best_slope), step_slope, out=new_slope[1:])
        older, last, new = last, new, older
        older_slope, slope, new_slope = slope, new_slope, older_slope
    return Lines(1.0 + last[-1], slope[-1])


class Breakpoints(NamedTuple):
    """Corners of the lower envelope of each matrix: which matrix, beta, value."""

    owner: NDArray[np.intp]
    beta: Floats
    value: Floats


def lower_envelope(gain: Floats, penalty: Floats) -> Breakpoints:
    """The cost of the optimal path over beta in [0, 1], exactly.

    Each path is a line in beta, so the optimum is their lower envelope: concave and piecewise
    linear. Where the lines of the two ends of an interval meet, either the optimum lies on both,
    and the corner is found, or a third line lies below, and splits the interval in two.
    """
    size = gain.shape[-1]
    owner = np.arange(size)
    left, right = np.zeros(size), np.ones(size)
    at_left = cheapest_lines(gain, penalty, left)
    at_right = cheapest_lines(gain, penalty, right)
    found = [(owner, left, at_left.value), (owner, right, at_right.value)]
    while len(owner):
        bend = at_left.slope - at_right.slope
        open_ = bend > _RESOLUTION
        owner, left, right, bend = owner[open_], left[open_], right[open_], bend[open_]
        at_left, at_right = (Lines(*(x[open_] for x in line)) for line in (at_left, at_right))
        rise = at_right.value - at_left.value - at_right.slope * (right - left)
        meet = np.clip(left + rise / bend, left, right)
        on_line = at_left.value + at_left.slope * (meet - left)
        middle = cheapest_lines(gain[..., owner], penalty[..., owner], meet)
        found.append((owner, meet, middle.value))
        lower = on_line - middle.value > _RESOLUTION
        owner = np.concatenate([owner[lower]] * 2)
        left, right = (
            np.concatenate([left[lower], meet[lower]]),
            np.concatenate([meet[lower], right[lower]]),
        )
        at_left, at_right = (
            Lines(*(np.concatenate([a[lower], b[lower]]) for a, b in zip(x, y, strict=True)))
            for x, y in ((at_left, middle), (middle, at_right))
        )
    owners, betas, values = (np.concatenate(x) for x in zip(*found, strict=True))
    order = np.lexsort((betas, owners))
    return Breakpoints(owners[order], betas[order], values[order])


def envelope_area(points: Breakpoints, size: int) -> Floats:
    """Integral of each envelope over beta: trapezoids are exact between corners."""
    width = np.diff(points.beta)
    height = (points.value[1:] + points.value[:-1]) / 2
    same = points.owner[1:] == points.owner[:-1]
    pieces = (width * height)[same]
    return np.bincount(points.owner[1:][same], pieces, minlength=size).astype(np.float64)


def best_path(weights: list[list[float]]) -> tuple[float, list[Cell]]:
    """Cost and cells of the cheapest path through one matrix.

    Of equally cheap ways into a cell the one nearest to the main diagonal is taken.
    """
    k = len(weights)
    cost: dict[Cell, float] = {}
    came_from: dict[Cell, Cell] = {}
    for r in range(k):
        for c in range(k):
            before = [x for x in ((r - 1, c - 1), (r - 1, c), (r, c - 1)) if x in cost]
            if before:
                came_from[r, c] = min(before, key=lambda x: (cost[x], abs(x[0] - x[1])))
            cost[r, c] = weights[r][c] + (cost[came_from[r, c]] if before else 0.0)
    cells = [(k - 1, k - 1)]
    while cells[-1] != (0, 0):
        cells.append(came_from[cells[-1]])
    return cost[k - 1, k - 1], cells[::-1]
