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
_MOST: Final = 2_048  # sums of each half that are kept apart
_SAME: Final = 1e-8  # of the largest sum: rounding


def are_few(second: Any, fourth: Any) -> NDArray[np.bool_]:
    """Where few disagreements carry a difference, by the sums of powers of their sizes."""
    second = np.asarray(second)
    return np.asarray((second > 0) & (second**2 < ENOUGH * np.asarray(fourth)))


def p_value(sizes: Floats, numbers: Floats, reached: float) -> float:
    """The two-sided mid-p value of a sum of so many ``numbers`` of ``sizes`` with random signs.

    Half of what is as far away as the sum that was ``reached`` counts (Lancaster 1961): else a few
    disagreements could hardly ever be significant. The sums of two halves are listed, and each of
    one half looks up what it needs of the other.

    >>> round(p_value(np.array([1.0]), np.array([6]), 6.0), 6)  # McNemar's, six against none
    0.015625
    """
    # Sizes that differ by rounding are one; the largest come first.
    unit = np.rint(np.abs(sizes) / float(np.abs(sizes) @ numbers) / _SAME) * _SAME
    each, place = np.unique(-unit, return_inverse=True)
    number = np.bincount(place, numbers)
    (few, chance), (others, also) = (_sums(-each[i::2], number[i::2]) for i in (0, 1))
    order = np.argsort(others, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(also[order])])
    wanted = abs(reached) / float(np.abs(sizes) @ numbers) - few
    ends = (np.searchsorted(others[order], wanted + side * 100 * _SAME) for side in (-1, 1))
    above = sum(float(chance @ (1 - below[end])) for end in ends)  # of both sides, half of each
    return min(above, 1.0)


def _sums(sizes: Floats, numbers: Floats) -> tuple[Floats, Floats]:
    """The sums of some sizes with random signs, and their chances."""
    from scipy.special import gammaln

    sums, chance = np.zeros(1), np.ones(1)
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        up = np.arange(number + 1.0)
        ways = gammaln(number + 1.0) - gammaln(up + 1) - gammaln(number - up + 1)
        sums = (sums[:, None] + size * (2 * up - number)).ravel()
        chance = (chance[:, None] * np.exp(ways - number * np.log(2))).ravel()
        if len(sums) > _MOST:
            sums, chance = _joined(sums, chance)
    return sums, chance


def _joined(sums: Floats, chance: Floats) -> tuple[Floats, Floats]:
    """Sums that are close to each other as one."""
    low, high = float(sums.min()), float(sums.max())
    place = np.rint((sums - low) / max(high - low, 1e-300) * (_MOST // 2)).astype(np.int64)
    total = np.bincount(place, chance)
    there = total > 0
    return np.bincount(place, chance * sums)[there] / total[there], total[there]
