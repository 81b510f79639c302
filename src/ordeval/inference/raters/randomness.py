"""Do the items with a human label look like a random part of all items?

The labels that all items have, predictions and those of a proxy, must be spread alike over the
items with a human label and over the others.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers

# Below it, labels are said not to look random. At 0.001 the check misses most selections that bias
# the correction; at 0.05 it suspects 2% to 7% of random subsets.
NOT_RANDOM: Final = 0.05
_EXPECTED: Final = 5.0  # items of a group of levels on either side, for a chi-squared test


def looks_random(columns: list[Integers], labelled: NDArray[np.bool_], unit: Integers) -> float:
    """The p-value of a random part: the smallest of the columns', times their number.

    Pearson's chi-squared test, with neighbouring levels joined until both sides are expected to
    have five items of each. If items come in clusters it is divided by the design effect, and has
    as few degrees of freedom as the side with fewer clusters gives it (Rao & Scott 1984). NaN if
    nothing can be tested.
    """
    found = [_p_value(codes, labelled, unit) for codes in columns]
    tested = [p for p in found if p == p]
    return min(1.0, len(tested) * min(tested)) if tested else float("nan")


def _p_value(codes: Integers, labelled: NDArray[np.bool_], unit: Integers) -> float:
    from scipy.special import chdtrc, fdtrc

    group = _joined(np.bincount(codes), labelled.mean())[codes]
    sides = [np.bincount(group[rows], minlength=group.max() + 1) for rows in (labelled, ~labelled)]
    counts = np.stack(sides)
    degrees = counts.shape[1] - 1
    if not degrees:
        return float("nan")
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    if unit.max() + 1 == len(unit):
        return float(chdtrc(degrees, statistic))
    fewer = min(len(np.unique(unit[rows])) for rows in (labelled, ~labelled))
    if fewer < 2:
        return float("nan")
    mean = statistic / degrees / _design_effect(group, labelled, unit)
    return float(fdtrc(degrees, degrees * (fewer - 1), mean))


def _joined(sizes: Integers, share: float) -> Integers:
    """The group (K,) of each level: neighbours, until each group is large enough on both sides."""
    least = _EXPECTED / min(share, 1 - share)
    group, found, size = np.zeros(len(sizes), dtype=np.int64), 0, 0
    for level, own in enumerate(sizes.tolist()):
        group[level], size = found, size + own
        if size >= least and sizes[level + 1 :].sum() >= least:
            found, size = found + 1, 0
    return group


def _design_effect(group: Integers, labelled: NDArray[np.bool_], unit: Integers) -> float:
    """By how much clusters multiply the variance of differences of shares, at least 1."""
    n, shares = len(group), np.bincount(group) / len(group)
    sides: Floats = np.where(labelled, 1 / labelled.sum(), -1 / (~labelled).sum())
    total, units = 0.0, int(unit.max()) + 1
    for g, share in enumerate(shares.tolist()):
        summed = np.bincount(unit, sides * ((group == g) - share))
        variance = units / (units - 1) * float(summed @ summed)
        # Of independent items, each weighted by 1 - share as Rao and Scott do.
        total += variance / (share * n / (labelled.sum() * (~labelled).sum()))
    return max(1.0, total / (len(shares) - 1))
