"""Decision rules: from a distribution over the classes to one class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.exceptions import ParameterError
from ordeval.measures.parts.arrays import distance
from ordeval.measures.parts.checks import cost_matrix

Rule = Literal["mode", "median", "cost"]

_TIE: Final = 1e-12  # rounding difference of equal sums, relative to the largest


class LevelCuts:
    """Cut points of the expected level: a decision rule for probabilities over some levels."""

    levels: Sequence[Any]  # of the whole scale, lowest first
    cut_points: Floats  # one fewer than levels
    of_levels: bool  # whether they divide the expected level, and not a score of another kind
    metric: Any  # the measure that they were tuned for

    def level_of(self, prob: Floats) -> Integers:
        """Return the position of the level that each row of probabilities (n, K) is given."""
        return np.searchsorted(self.cut_points, expected_level(prob), side="right")


def expected_level(prob: Floats) -> Floats:
    """Return the mean position of each distribution over K levels, from 0 to K - 1."""
    return np.asarray(prob @ np.arange(prob.shape[1], dtype=np.float64))


def decided(prob: Floats, rule: Rule, cost: Floats | None = None) -> Integers:
    """Return the position of the class that a rule chooses from each row of probabilities (n, K).

    Ties, up to rounding, go to the lowest class.
    """
    if rule == "median":
        return np.asarray((np.cumsum(prob, axis=1) >= 0.5 - _TIE).argmax(axis=1), dtype=np.int64)
    if rule == "mode":
        return lowest(-prob)
    assert cost is not None
    return lowest(prob @ cost)


def lowest(costs: Floats) -> Integers:
    """Return the first column of each row's minimum, up to rounding."""
    # Column by column is several times as fast as row by row if there are few columns.
    by_class = np.ascontiguousarray(costs.T)
    least = by_class.min(axis=0)
    slack = _TIE * np.maximum(np.abs(least), np.abs(by_class.max(axis=0)))
    good = by_class <= least + slack
    return np.asarray((~np.logical_or.accumulate(good, axis=0)).sum(axis=0), dtype=np.int64)


def costs_between(cost: Any, k: int) -> Floats:
    """Return the costs of K classes: "absolute" or "squared" distances, or a custom matrix."""
    if isinstance(cost, str):
        if cost not in ("absolute", "squared"):
            raise ParameterError(
                f'cost must be "absolute", "squared" or a K x K matrix, rows truth, columns '
                f"prediction; got {cost!r}."
            )
        return distance(k) ** 2 if cost == "squared" else distance(k)
    checked = cost_matrix(cost, k)
    if checked is None:
        raise ParameterError('cost must be a K x K matrix or a name such as "absolute".')
    return checked
