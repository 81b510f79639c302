"""The test of a difference that few disagreements make: how far random signs carry it.

If two models are equally good, each disagreement may as well be the other way round. So the
difference is a sum of known sizes with random signs, whose distribution is known: for items of one
size it is McNemar's, and nothing is drawn. A t distribution is far too cautious where a few items
of a rare class weigh most: nine disagreements that all favour one model are then no evidence.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats

ENOUGH: Final = 20.0  # disagreements of one size, from which on a t test holds
_MOST: Final = 4_096  # sums that are listed
_SAME: Final = 1e-8  # of the largest sum: rounding


def are_few(second: Any, fourth: Any) -> NDArray[np.bool_]:
    """Where few disagreements carry a difference, by the sums of powers of their sizes."""
    second, limit = np.asarray(second), ENOUGH * np.asarray(fourth)
    # Twenty of one size are enough, however their powers are rounded.
    return np.asarray((second > 0) & (second**2 < limit * (1 - 1e-9)))


def p_value(sizes: Floats, numbers: Floats, reached: float) -> float:
    """The two-sided mid-p value of a sum of ``numbers`` of ``sizes`` with random signs.

    Half of what is as far away as the sum that was ``reached`` counts (Lancaster 1961): else a few
    disagreements could hardly ever be significant. If there are very many sums, those of the
    largest sizes are listed, and what the others add to them is nearly normal.

    >>> round(p_value(np.array([1.0]), np.array([6]), 6.0), 6)  # McNemar's, six against none
    0.015625
    """
    from scipy.special import ndtr

    # Sizes that differ by rounding are one; the largest come first.
    total = float(np.abs(sizes) @ numbers)
    unit, place = np.unique(-np.rint(np.abs(sizes) / total / _SAME), return_inverse=True)
    each, number = -unit * _SAME, np.asarray(np.bincount(place, numbers), dtype=np.float64)
    listed = max(int(np.searchsorted(np.cumprod(number + 1.0), _MOST, side="right")), 1)
    sums, chance = _sums(each[:listed], number[:listed])
    beyond = np.abs([sums - abs(reached) / total, -sums - abs(reached) / total])
    above = np.array([sums, -sums]) > abs(reached) / total
    rest = float(np.sqrt(each[listed:] ** 2 @ number[listed:]))
    same = np.where(beyond <= 100 * _SAME, 0.5, above)
    tails = ndtr(np.where(above, beyond, -beyond) / rest) if rest else same
    return min(float((tails @ chance).sum()), 1.0)


def _sums(sizes: Floats, numbers: Floats) -> tuple[Floats, Floats]:
    """The sums of some sizes with random signs, and their chances."""
    from scipy.special import gammaln

    sums, chance = np.zeros(1), np.ones(1)
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        up = np.arange(number + 1.0)
        ways = gammaln(number + 1.0) - gammaln(up + 1) - gammaln(number - up + 1)
        sums = (sums[:, None] + size * (2 * up - number)).ravel()
        chance = (chance[:, None] * np.exp(ways - number * np.log(2))).ravel()
    return sums, chance
