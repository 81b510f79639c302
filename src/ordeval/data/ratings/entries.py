"""Ratings as they were given, one entry for each: raters may be many, and rate few items each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.positions import GAP
from ordeval.exceptions import LabelError

_MOST_CELLS: Final = 1 << 31  # of a table (items, raters)


class Opinions(NamedTuple):
    """The ratings of each rater for each item: shares of the levels among its runs."""

    item: Integers
    rater: Integers
    shares: Floats  # (pairs of item and rater, K)


@dataclass(frozen=True, eq=False)
class Entries:
    """Ratings that are no gaps, ordered by item and column."""

    item: Integers
    column: Integers  # a rater, or one of its runs
    level: Integers
    items: int
    columns: int

    @classmethod
    def of(cls, item: Integers, column: Integers, level: Integers, shape: Any) -> Entries:
        """The entries of a table (items, columns), in any order."""
        order = np.lexsort((column, item))
        return cls(item[order], column[order], level[order], *shape)

    @classmethod
    def of_table(cls, codes: NDArray[Any]) -> Entries:
        """The entries of positions (items, columns)."""
        item, column = np.nonzero(codes >= 0)
        return cls(item, column, codes[item, column], *codes.shape)

    def table(self) -> Integers:
        """Positions (items, columns), with gaps."""
        if self.items * self.columns > _MOST_CELLS:
            raise LabelError(
                f"a table of {self.items:,} items and {self.columns:,} raters is too large; "
                f"agreement() needs none. Take fewer raters with ratings.of([...])."
            )
        codes = np.full((self.items, self.columns), GAP, dtype=np.int64)
        codes[self.item, self.column] = self.level
        codes.setflags(write=False)
        return codes

    def __len__(self) -> int:
        return len(self.item)

    def of_items(self, first: int, last: int) -> Entries:
        """The entries of some items in a row, numbered from 0."""
        part = slice(*np.searchsorted(self.item, (first, last)))
        item, column, level = self.item[part] - first, self.column[part], self.level[part]
        return Entries(item, column, level, last - first, self.columns)

    def of_columns(self, columns: list[int]) -> Entries:
        """The entries of some columns, in their order."""
        place = np.full(self.columns, -1, dtype=np.int64)
        place[columns] = np.arange(len(columns))
        column = place[self.column]
        here = column >= 0
        shape = (self.items, len(columns))
        return Entries.of(self.item[here], column[here], self.level[here], shape)

    def opinions(self, k: int, owner: Integers | None) -> Opinions:
        """The rating of each rater for each item; ``owner`` has the rater of each column."""
        if owner is None:
            shares = np.zeros((len(self), k))
            shares[np.arange(len(self)), self.level] = 1.0
            return Opinions(self.item, self.column, shares)
        raters = int(owner.max(initial=0)) + 1
        both, pair = np.unique(self.item * raters + owner[self.column], return_inverse=True)
        counts = np.bincount(pair * k + self.level, minlength=len(both) * k).reshape(-1, k)
        shares = counts * (1.0 / counts.sum(axis=1, keepdims=True))
        return Opinions(both // raters, both % raters, shares)
