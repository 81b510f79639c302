"""Tests on the ranks of models over cases: Friedman's of three or more, Wilcoxon's of two.

Both compare what was seen with what arises when models are exchanged within cases. As long as that
is cheap all exchanges are counted, given the ties that there are; the approximations that tables
and other programs use claim too much or too little over few cases.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Final, Literal, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers

Distribution = Literal["exact", "permutations", "F", "normal"]

_MOST_STEPS: Final = 2_000_000  # of counting Friedman's statistic out, about half a second
_MOST_MODELS: Final = 6  # whose 720 orders within a case can be listed
_MOST_CASES: Final = 30  # beyond which Friedman's F is as good as random permutations
_MOST_SIGNS: Final = 200  # cases beyond which signed ranks are as good as normal
_BLOCK: Final = 1 << 20  # numbers that are drawn at a time


class RankTest(NamedTuple):
    """A statistic, its p-value and the distribution under chance that the p-value is of."""

    statistic: float
    p_value: float
    distribution: Distribution


def friedman(ranks: Floats, n_resamples: int, rng: np.random.Generator) -> RankTest:
    """Whether the mean ranks of models differ, from their ranks within cases (n, M).

    Exact if that is cheap, else by random permutations; over many cases Iman & Davenport's F.
    """
    n, m = ranks.shape
    spread = float(((ranks - (m + 1) / 2) ** 2).sum())
    if spread == 0:
        return RankTest(0.0, 1.0, "exact")
    # With ties the spread is less than n m (m^2 - 1) / 12, which corrects for them.
    statistic = (m - 1) * float(((ranks.sum(axis=0) - n * (m + 1) / 2) ** 2).sum()) / spread
    doubled = np.rint(2 * ranks).astype(np.int64)  # tied ranks are halves
    exact = _counted(doubled)
    if exact is not None:
        return RankTest(statistic, exact, "exact")
    if n <= _MOST_CASES:
        return RankTest(statistic, _permuted(doubled, n_resamples, rng), "permutations")
    return RankTest(statistic, iman_davenport(statistic, n, m), "F")


def iman_davenport(statistic: float, n: int, m: int) -> float:
    """P-value of Friedman's statistic by the F distribution (Iman & Davenport 1980)."""
    from scipy.special import fdtrc

    left = n * (m - 1) - statistic
    # No result is rarer than all cases in the same order.
    least = math.exp(-(n - 1) * math.lgamma(m + 1))
    if left <= 0:
        return least
    return max(float(fdtrc(m - 1, (m - 1) * (n - 1), (n - 1) * statistic / left)), least)


def _unevenness(sums: Integers) -> Integers:
    """What Friedman's statistic grows with, of sums of doubled ranks (..., M), in whole numbers."""
    # The mean of the sums is whole if that of doubled ranks, m + 1, is.
    return np.asarray(((sums - sums.sum(axis=-1, keepdims=True) // sums.shape[-1]) ** 2).sum(-1))


def _counted(doubled: Integers) -> float | None:
    """The exact p-value; None if there are too many orders to count.

    Models are exchangeable, so sums of ranks that are permutations of each other are one state.
    """
    n, m = doubled.shape
    if m > _MOST_MODELS:
        return None
    place = (2 * m * n + 1) ** np.arange(m - 1)  # the total is given, and with it the last sum
    sums, steps = np.sort(doubled[:1], axis=1), 0
    chances: Floats = np.ones(1)
    for row in doubled[1:]:
        orders = _orders(tuple(sorted(row.tolist())))
        steps += len(sums) * len(orders)
        if steps > _MOST_STEPS:
            return None
        reached = np.sort((sums[:, None] + orders).reshape(-1, m), axis=1)
        _, first, state = np.unique(reached[:, :-1] @ place, return_index=True, return_inverse=True)
        chances = np.bincount(state, np.repeat(chances / len(orders), len(orders))).astype(float)
        sums = reached[first]
    extreme = _unevenness(sums) >= _unevenness(doubled.sum(axis=0))
    return min(float(chances[extreme].sum()), 1.0)


@functools.lru_cache(maxsize=8)
def _orders(ranks: tuple[int, ...]) -> Integers:
    """The different orders of some ranks; all are equally likely."""
    return np.array(sorted(set(itertools.permutations(ranks))))


def _permuted(doubled: Integers, n_resamples: int, rng: np.random.Generator) -> float:
    """The p-value by random permutations within cases; the observed case counts."""
    observed = _unevenness(doubled.sum(axis=0))
    size = max(1, _BLOCK // doubled.size)
    extreme = 1
    for start in range(0, n_resamples, size):
        tables = np.repeat(doubled[None], min(size, n_resamples - start), axis=0)
        sums = rng.permuted(tables, axis=2).sum(axis=1)
        extreme += int(np.count_nonzero(_unevenness(sums) >= observed))
    return extreme / (n_resamples + 1)


def signed_ranks(differences: Floats) -> Floats:
    """Ranks of the differences by size, with their signs; those of zero are left out."""
    from scipy.stats import rankdata

    apart = differences[differences != 0]
    return np.asarray(np.sign(apart) * rankdata(np.abs(apart)))


def signed_rank(differences: Floats) -> RankTest:
    """Wilcoxon's signed-rank test, two-sided; the statistic is the smaller sum of ranks.

    Cases without a difference are excluded. Ties share their ranks, and the exact
    distribution is that of the ranks as they are.
    """
    ranks = signed_ranks(differences)
    if not len(ranks):
        return RankTest(0.0, 1.0, "exact")
    size = np.abs(ranks)
    smaller = min(float(size[ranks > 0].sum()), float(size[ranks < 0].sum()))
    if len(ranks) > _MOST_SIGNS:
        z = (size.sum() / 2 - smaller) / math.sqrt((size**2).sum() / 4)
        return RankTest(smaller, math.erfc(z / math.sqrt(2)), "normal")
    doubled = np.rint(2 * size).astype(np.int64)
    chances = np.zeros(doubled.sum() + 1)  # of each sum of the ranks that have one sign
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] = (chances[rank:] + chances[:-rank]) / 2
        chances[:rank] /= 2
    return RankTest(smaller, min(2 * float(chances[: round(2 * smaller) + 1].sum()), 1.0), "exact")
