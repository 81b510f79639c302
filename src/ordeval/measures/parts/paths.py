"""Cheapest monotone paths through a stack of matrices, and their dependence on beta.

A path goes from the first cell to the last by steps right, down or diagonally; its cost is the sum
of the weights of its cells. The cells of an anti-diagonal depend only on the two before it, so 2K
- 1 array operations serve a whole stack. The stack axis comes last in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats

MatrixCell = tuple[int, int]

# Lines of the envelope closer than this at a point count as equal there.
_RESOLUTION = 1e-13


def _diagonals(k: int) -> Iterator[tuple[slice, slice, slice]]:
    """Yield for each anti-diagonal after the first: its cells, their rows, and the rows above them.

    Cells are flat indices, K - 1 apart. Row r is stored at index r + 1 of a buffer; index 0 is the
    wall above the matrix, and rows not yet reached are walls too.
    """
    for step in range(1, 2 * k - 1):
        first, last = max(0, step - k + 1), min(step, k - 1)
        cells = slice(step + first * (k - 1), step + last * (k - 1) + 1, max(k - 1, 1))
        yield cells, slice(first + 1, last + 2), slice(first, last + 1)


def cheapest(weights: Floats) -> Floats:
    """Return the cost (B,) of the cheapest path through each matrix of (K, K, B)."""
    k, _, size = weights.shape
    flat = weights.reshape(k * k, size)
    last, new, older = (np.full((k + 1, size), np.inf) for _ in range(3))
    last[1] = flat[0]
    for cells, rows, above in _diagonals(k):
        best = new[rows]
        np.minimum(last[above], last[rows], out=best)
        np.minimum(best, older[above], out=best)
        best += flat[cells]
        older, last, new = last, new, older
    cost: Floats = last[-1]
    return cost


class Lines(NamedTuple):
    """The cost of an optimal path as a line in beta: value at a point, and slope."""

    value: Floats
    slope: Floats


def cheapest_lines(
    gain: Floats, penalty: Floats, beta: Floats, owner: NDArray[np.intp] | None = None
) -> Lines:
    """Return the optimal path of ``1 - gain + beta * penalty`` at each beta; gains are (K, K, B).

    ``owner`` gives the matrix for each beta; default: one beta per matrix.
    """
    k, _, matrices = gain.shape
    size = len(beta)
    gains, penalties = (x.reshape(k * k, matrices) for x in (gain, penalty))
    # A single matrix is broadcast to all betas; of several, the owners are selected.
    chosen = None if matrices == 1 else owner
    last, new, older = (np.full((k + 1, size), np.inf) for _ in range(3))
    slope, new_slope, older_slope = (np.zeros((k + 1, size)) for _ in range(3))
    last[1] = beta * _of(penalties, 0, chosen) - _of(gains, 0, chosen)
    slope[1] = _of(penalties, 0, chosen)
    for cells, rows, above in _diagonals(k):
        price = _of(penalties, cells, chosen)
        up, left, corner = last[above], last[rows], older[above]
        best, best_slope = new[rows], new_slope[rows]
        np.minimum(up, left, out=best)
        best_slope[...] = np.where(up < left, slope[above], slope[rows])
        np.copyto(best_slope, older_slope[above], where=corner <= best)
        np.minimum(corner, best, out=best)
        best += beta * price - _of(gains, cells, chosen)
        best_slope += price
        older, last, new = last, new, older
        older_slope, slope, new_slope = slope, new_slope, older_slope
    return Lines(1.0 + last[-1], slope[-1])


def _of(stack: Floats, cells: int | slice, chosen: NDArray[np.intp] | None) -> Floats:
    """Return some cells of the selected matrices."""
    found: Floats = stack[cells] if chosen is None else stack[cells].take(chosen, axis=-1)
    return found


class Breakpoints(NamedTuple):
    """Corners of the lower envelope of each matrix: matrix, beta and value."""

    owner: NDArray[np.intp]
    beta: Floats
    value: Floats


def lower_envelope(gain: Floats, penalty: Floats) -> Breakpoints:
    """Return the cost of the optimal path over beta in [0, 1], exactly.

    Each path is a line in beta, so the optimum is their lower envelope: concave and piecewise
    linear. Where the lines at the two ends of an interval meet, either the optimum lies on both
    and the corner is found, or a third line lies below and splits the interval.
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
        middle = cheapest_lines(gain, penalty, meet, owner)
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
    """Integrate each envelope over beta; trapezoids are exact between corners."""
    width = np.diff(points.beta)
    height = (points.value[1:] + points.value[:-1]) / 2
    same = points.owner[1:] == points.owner[:-1]
    pieces = (width * height)[same]
    return np.bincount(points.owner[1:][same], pieces, minlength=size).astype(np.float64)


def best_path(weights: list[list[float]]) -> tuple[float, list[MatrixCell]]:
    """Return the cost and the cells of the cheapest path through one matrix.

    Ties go to the way nearest to the main diagonal.
    """
    k = len(weights)
    cost: dict[MatrixCell, float] = {}
    came_from: dict[MatrixCell, MatrixCell] = {}
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
