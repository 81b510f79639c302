"""Equation 8 of Cardoso & Sousa 2011 as a mixed-integer programme.

The cells of a walk from the first to the last cell are exactly a connected set that contains both,
so the programme chooses such a set: a binary variable per cell, a continuous variable per
discordant pair of cells, and a flow from the first cell that must reach every chosen cell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.exceptions import SolverError

# HiGHS stops at an absolute gap of 1e-6; a larger objective makes that gap harmless.
_OBJECTIVE_SCALE = 1e5


class _Programme(NamedTuple):
    """The part of the programme that depends on K alone."""

    cells: int
    pairs: NDArray[np.intp]  # (P, 2) discordant pairs of cells
    arcs: NDArray[np.intp]  # (A, 2) steps between neighbours
    matrix: Any  # constraints over [cells | pairs | arcs]
    low: Floats
    high: Floats


@lru_cache(maxsize=16)
def _programme(k: int) -> _Programme:
    from scipy import sparse

    cells = np.argwhere(np.ones((k, k)))
    step = cells - cells[:, None]  # (K², K², 2), from one cell to another
    pairs = np.argwhere(np.triu(step.prod(axis=-1) < 0))
    arcs = np.argwhere(np.abs(step).max(axis=-1) == 1)
    arcs = arcs[arcs[:, 1] > 0]  # no arc leads back to the first cell
    m, p, a = k * k, len(pairs), len(arcs)

    def block(rows: Any, columns: Any, shape: tuple[int, int], value: float = 1.0) -> Any:
        return sparse.coo_array((np.full(len(rows), value), (rows, columns)), shape=shape)

    each_pair, each_arc = np.arange(p), np.arange(a)
    both = block(np.repeat(each_pair, 2), pairs.ravel(), (p, m))  # x_u + x_v - y <= 1
    inflow = block(arcs[:, 1], each_arc, (m, a)) - block(arcs[:, 0], each_arc, (m, a))
    # Every chosen cell but the first consumes one unit. Flow enters and leaves chosen cells only,
    # and a cell passes on at most what all others need.
    constraints = sparse.block_array(
        [
            [both, -sparse.eye_array(p), sparse.coo_array((p, a))],
            [-sparse.eye_array(m).tocsr()[1:], sparse.coo_array((m - 1, p)), inflow.tocsr()[1:]],
            [block(each_arc, arcs[:, 1], (a, m), -(m - 1.0)), None, sparse.eye_array(a)],
            [block(each_arc, arcs[:, 0], (a, m), -(m - 1.0)), None, sparse.eye_array(a)],
        ]
    ).tocsc()
    low = np.concatenate([np.full(p, -np.inf), np.zeros(m - 1), np.full(2 * a, -np.inf)])
    high = np.concatenate([np.ones(p), np.zeros(m - 1), np.zeros(2 * a)])
    return _Programme(cells=m, pairs=pairs, arcs=arcs, matrix=constraints, low=low, high=high)


def solve_general(
    gain: Floats, penalty: Floats, beta_discordance: float, time_limit: float
) -> float:
    """Minimise 1 - gains + penalties + beta * discordant pairs over connected sets."""
    k = len(gain)
    weight = (penalty - gain).ravel()
    if np.isnan(weight).any():
        return np.nan
    if k == 1:
        return max(1.0 + float(weight[0]), 0.0)
    from scipy import optimize

    programme = _programme(k)
    m, p, a = programme.cells, len(programme.pairs), len(programme.arcs)
    objective = np.concatenate([weight, np.full(p, beta_discordance), np.zeros(a)])
    lower = np.zeros(m + p + a)
    lower[[0, m - 1]] = 1.0
    upper = np.concatenate([np.ones(m + p), np.full(a, m - 1.0)])
    result = optimize.milp(
        objective * _OBJECTIVE_SCALE,
        integrality=np.concatenate([np.ones(m), np.zeros(p + a)]),
        bounds=optimize.Bounds(lower, upper),
        constraints=optimize.LinearConstraint(programme.matrix, programme.low, programme.high),
        options={"mip_rel_gap": 0.0, "time_limit": time_limit},
    )
    if result.status != 0:
        raise SolverError(
            f"oc_index_general was not solved to optimality for K = {k} within {time_limit:g} "
            f"seconds. Raise time_limit=, merge levels with ConfusionMatrix.collapse, or use "
            f"oc_index, which is exact for any K."
        )
    chosen = result.x[:m] > 0.5
    discordant = int(np.count_nonzero(chosen[programme.pairs].all(axis=1)))
    return max(1.0 + float(weight[chosen].sum()) + beta_discordance * discordant, 0.0)
