"""The search by which George et al. 2016 find the largest total cost: how far short it stops.

They name R's constrOptim, which needs a start inside the constraints. Equalities have no inside, so
of each true class one wrong prediction must be left out: it gets the items that the others leave.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats, Integers

# The defaults of constrOptim.
_BARRIER: Final = 1e-4
_ROUNDS: Final = 100
_ENOUGH: Final = 1e-5  # relative gain of a round below which it stops
_CALLS: Final = 500  # of the function, in each round
_STEP: Final = 0.1  # of the first simplex, relative to the largest coordinate


def shortfalls(sizes: Integers, cost: Floats) -> dict[str, float]:
    """How far below the largest cost one search ends, by the wrong prediction that is left out.

    Costs have predicted classes as rows, as the paper prints them. The start puts the same share of
    a class into each wrong prediction.
    """
    k = len(sizes)
    wrong = [[i for i in range(k) if i != j] for j in range(k)]
    largest = float((sizes * cost.max(axis=0)).sum())
    left_out = {"the lowest": 0, "the middle one": (k - 1) // 2, "the highest": -1}
    return {
        name: 1 - _searched(sizes, cost, [rows[i] for rows in wrong]) / largest
        for name, i in left_out.items()
    }


def _searched(sizes: Integers, cost: Floats, left_out: list[int]) -> float:
    """The total cost at which a search with an adaptive logarithmic barrier ends."""
    k = len(sizes)
    cells = [(i, j) for j in range(k) for i in range(k) if i not in (j, left_out[j])]
    of_class = np.array([[j == t for _, j in cells] for t in range(k)], dtype=np.float64)
    fixed = float(sum(sizes[j] * cost[left_out[j], j] for j in range(k)))
    gain = np.array([cost[i, j] - cost[left_out[j], j] for i, j in cells])
    # No count is negative, and those of a class leave something for the cell left out.
    inside = np.concatenate([np.eye(len(cells)), -of_class])
    bounds = np.concatenate([np.zeros(len(cells)), -sizes])
    x = np.array([sizes[j] / (k - 1) for _, j in cells])

    def total(y: Floats) -> float:
        return fixed + float(gain @ y)

    before = np.inf
    for _ in range(_ROUNDS):
        found = _round(total, x, inside, bounds)
        if total(found.x) < total(x):
            break
        x, gained = found.x, abs(found.fun - before)
        before = found.fun
        if gained < (0.001 + abs(before)) * _ENOUGH:
            break
    return total(x)


def _round(total: Callable[[Floats], float], x: Floats, inside: Floats, bounds: Floats) -> Any:
    """A simplex search from x, with a barrier that grows steep towards the constraints."""
    from scipy.optimize import minimize

    margin = inside @ x - bounds

    def objective(y: Floats) -> float:
        left = inside @ y - bounds
        if left.min() <= 0:
            return np.inf
        return -total(y) - _BARRIER * float(margin @ np.log(left) - (inside @ y).sum())

    corners = np.concatenate([[x], x + _STEP * np.abs(x).max() * np.eye(len(x))])
    with np.errstate(invalid="ignore"):  # corners outside are infinite, as are their differences
        return minimize(
            objective,
            x,
            method="Nelder-Mead",
            options={
                "initial_simplex": corners,
                "maxfev": _CALLS,
                "xatol": np.inf,
                "fatol": 1.5e-8 * abs(objective(x)),
            },
        )
