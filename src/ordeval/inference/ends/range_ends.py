"""The end of a measure's range: what a sample without a single error of a kind can exclude.

Nothing was seen in n units that would move the value off the end. Had it a chance of more than
1 - tail^(1/n), it would have been seen with a probability of more than one minus the tail. So the
value is at worst what it would be with that share of the worst kind added, as for a share of none
in n (Clopper & Pearson 1934). The t interval knows of errors only what one pseudo-item says, and
may be far wider there.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.inference.cell_influence import ValueOf, changed, pseudo_items
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance

_KINDS: Final = 60  # of errors, of which all pairs are tried
_FEW: Final = 40  # classes, up to which errors of every kind are tried


LowHigh = tuple[Any, Any]  # least and largest: numbers, or arrays


def held(made: LowHigh, value: Any, ends: LowHigh = (-np.inf, np.inf)) -> tuple[Floats, Floats]:
    """An interval within the range that contains the value shown with it.

    NaN where no interval was made.
    """
    low, high = np.asarray(made[0], dtype=np.float64), np.asarray(made[1], dtype=np.float64)
    least, largest = np.fmin(np.fmax(low, ends[0]), value), np.fmax(np.fmin(high, ends[1]), value)
    return np.where(np.isnan(low), np.nan, least), np.where(np.isnan(high), np.nan, largest)


def held_one(made: LowHigh, value: float, ends: LowHigh = (-np.inf, np.inf)) -> tuple[float, float]:
    """The interval of one value."""
    low, high = held(made, value, ends)
    return float(low), float(high)


def ends_reached(metric: Metric, k: int, values: Floats) -> NDArray[np.bool_]:
    """Return which of several values lie at an end of the range.

    The other end says less: one class without a hit makes a product of recalls zero, whatever the
    rest, and no item of one kind can bring it back.
    """
    perfect = metric.perfect
    if perfect is None or not np.isclose(perfect, metric.range.at(k)).any():
        return np.zeros(np.shape(values), dtype=bool)
    return np.asarray(np.isclose(values, perfect, rtol=1e-9, atol=1e-12))


def reach(metric: Metric, sample: Sample, model: int, tail: float) -> tuple[float, float]:
    """The least and the largest value that the data cannot exclude, at the end of the range."""
    amount = np.array([unseen_items(sample, tail)])
    low, high = each_reach(metric.values, sample.matrices[[model]], amount)
    return float(low[0]), float(high[0])


def unseen_items(sample: Sample, tail: float) -> float:
    """How many items of a kind would go unseen next to those of a sample in one of 1 / tail."""
    return float(unseen(sample.known, tail)) * sample.items / sample.known


def unseen(units: Any, tail: float, seen: Any = 0) -> Any:
    """How many unseen units of a kind the data allow at this tail.

    ``seen`` is how many of that kind there are: none, or a few (Clopper & Pearson 1934).

    >>> round(float(unseen(50, 0.025)), 3)  # 7% of all, as the rule of three says
    3.828
    >>> round(float(unseen(50, 0.025, seen=2)), 3)
    7.947
    """
    none = units * np.expm1(-math.log(tail) / units)
    if not np.any(seen):
        return none
    from scipy.special import betaincinv

    share = betaincinv(np.add(seen, 1.0), np.maximum(units - seen, 1e-9), 1 - tail)
    share = np.minimum(share, 1 - 1e-9)
    return np.where(np.equal(seen, 0), none, units * share / (1 - share))


def each_reach(value: ValueOf, matrices: Floats, amounts: Floats) -> tuple[Floats, Floats]:
    """The extremes of values when an amount is added to one cell of each matrix (G, K, K)."""
    if matrices.shape[-1] > _FEW:
        each = zip(matrices, amounts.tolist(), strict=True)
        low, high = np.array([_reach_of_many(value, *x) for x in each]).T
        return low, high
    near = (pseudo_items(matrices) > 0) & (distance(matrices.shape[-1]) <= 4)
    change = np.where(near, amounts[:, None, None], 0.0).reshape(len(matrices), -1)
    found = changed(value, matrices.reshape(change.shape).astype(np.float64), change)
    low, high = np.nanmin(found, axis=1), np.nanmax(found, axis=1)
    for i in np.flatnonzero(high - low <= 1e-12 * np.abs(high)):
        low[i], high[i] = _reach_of_two(value, matrices[i], float(amounts[i]))
    return low, high


def _reach_of_two(value: ValueOf, matrix: Floats, amount: float) -> tuple[float, float]:
    """Return the reach of errors of two kinds, at any distance, if no single kind moves the value.

    A pair of items is in the wrong order only if both are wrong, and some misses are near enough to
    be forgiven.
    """
    k = len(matrix)
    there = np.flatnonzero(matrix.sum(axis=-1))
    kinds = [(r, c) for r in there.tolist() for c in range(k) if r != c][:_KINDS]
    if not kinds:  # of one class
        return (float(value(matrix)),) * 2
    first, second = (np.array(x) for x in zip(*itertools.product(kinds, repeat=2), strict=True))
    stack = np.repeat(matrix[None].astype(np.float64), len(first), axis=0)
    each = np.arange(len(first))
    for kind in (first, second):
        stack[each, kind[:, 0], kind[:, 1]] += amount / 2
    found = np.asarray(value(stack))
    return float(np.nanmin(found)), float(np.nanmax(found))


def _reach_of_many(value: ValueOf, matrix: Floats, amount: float) -> tuple[float, float]:
    """Return the reach for very many classes, from the largest class and those at the ends."""
    sizes, k = matrix.sum(axis=-1), len(matrix)
    there = np.flatnonzero(sizes)
    found = []
    for row in {int(there[0]), int(there[-1]), int(np.argmax(sizes))}:
        for column in range(max(row - 4, 0), min(row + 5, k)):
            more = matrix.astype(np.float64)
            more[row, column] += amount
            found.append(float(value(more)))
    return float(np.nanmin(found)), float(np.nanmax(found))
