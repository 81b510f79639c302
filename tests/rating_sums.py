"""What ratings add up to, item by item: sums that add, of which the library makes a tally."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ordeval import Ratings
from ordeval.measures.raters import Habits, Tally


class Sums(NamedTuple):
    """Coincidences, pairs and shares of items (K, K) and (K,), and uses of levels (R, K)."""

    coincidences: Any
    pairs: Any
    shares: Any
    used: Any

    def plus(self, other: Sums, amount: float = 1.0) -> Sums:
        return Sums(*(a + amount * b for a, b in zip(self, other, strict=True)))

    @property
    def tally(self) -> Tally:
        *sums, used = (np.asarray(x) for x in self)
        return Tally(*sums, Habits.of(used))


def sums_of(codes: Any, k: int) -> Sums:
    """The sums of positions (items, raters), -1 for a gap."""
    total = Sums(np.zeros((k, k)), np.zeros((k, k)), np.zeros(k), np.zeros((codes.shape[1], k)))
    for row in codes:
        given = [(rater, level) for rater, level in enumerate(row.tolist()) if level >= 0]
        m = len(given)
        for rater, level in given:
            total.used[rater, level] += 1
            total.shares[level] += 1 / m
            for other, theirs in given:
                if other != rater:
                    total.coincidences[level, theirs] += 1 / (m - 1)
                    total.pairs[level, theirs] += 1 / (m * (m - 1))
    return total


def tally_of(codes: Any, k: int) -> Tally:
    """The tally of positions (items, raters), as the library makes it."""
    return Tally.of_ratings(Ratings(np.where(codes < 0, np.nan, codes), range(k)))


def stacked(tallies: list[Tally]) -> Tally:
    """Several tallies as one, on a leading axis."""
    *sums, habits = zip(*tallies, strict=True)
    return Tally(*map(np.stack, sums), Habits(*(np.stack(x) for x in zip(*habits, strict=True))))
