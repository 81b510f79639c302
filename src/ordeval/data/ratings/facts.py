"""What ratings tell of themselves: counts, consensus, and what each rater used."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import plural
from ordeval._shared.types import Floats, Integers
from ordeval.data.positions import GAP
from ordeval.data.ratings.entries import Entries, Opinions
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError

Duplicates = Literal["raise", "runs"]
Tie = Literal["lower", "upper", "missing"]


class RatingFacts(Result):
    """Read-only facts of ratings (items, raters); the base of ``Ratings``."""

    items: Any
    raters: Any
    scale: Scale
    entries: Entries
    runs: Any

    @property
    def k(self) -> int:
        """The number of levels."""
        return self.scale.k

    @cached_property
    def codes(self) -> Integers:
        """Positions on the scale (items, raters), -1 where a rater did not rate an item."""
        return self.entries.table()

    @cached_property
    def owner(self) -> Integers | None:
        """The rater of each column if some raters have several runs; otherwise None.

        The runs of a single rater are like raters: they are all that can be compared.
        """
        if len(self.runs) in (1, len(self.raters)):
            return None
        found = np.empty(len(self.raters), dtype=np.int64)
        for rater, columns in enumerate(self.runs.values()):
            found[list(columns)] = rater
        return found

    @checked
    def refuse_runs(self, what: str) -> None:
        """Raise a LabelError if one of several raters has repeated ratings."""
        if self.owner is not None:
            name, columns = max(self.runs.items(), key=lambda x: len(x[1]))
            raise LabelError(
                f"{what} takes one rating of each item by each rater; {name!r} has "
                f"{len(columns)} runs. Keep one rating of each item in the table, as the first."
            )

    @property
    def total(self) -> int:
        """The number of ratings."""
        return len(self.entries)

    @cached_property
    def counts(self) -> NDArray[Any]:
        """How many raters gave each item each level (items, K); runs are parts of their rater."""
        found = self.levels_of(self.entries.item, len(self.items))
        found.setflags(write=False)
        return found

    @cached_property
    def used(self) -> Floats:
        """How often each rater gave each level (R, K); runs are parts of their rater."""
        raters = len(self.raters if self.owner is None else self.runs)
        return self.levels_of(self.rater, raters).astype(np.float64)

    @property
    def opinions(self) -> Opinions:
        """The ratings of each item by each rater."""
        return self.entries.opinions(self.k, self.owner)

    @property
    def rater(self) -> Integers:
        """The rater of each entry."""
        column = self.entries.column
        return column if self.owner is None else self.owner[column]

    def levels_of(self, group: Integers, size: int) -> NDArray[Any]:
        """How often each level is in each group of entries (size, K); -1 leaves an entry out."""
        here = group >= 0
        cells = (group * self.k + self.entries.level)[here]
        parts = None if self.parts is None else self.parts[here]
        return np.bincount(cells, parts, minlength=size * self.k).reshape(size, self.k)

    @cached_property
    def parts(self) -> Floats | None:
        """The part of its rater that each entry is: a third of one of three runs."""
        if self.owner is None:
            return None
        pair = self.entries.item * len(self.runs) + self.rater
        _, place, runs = np.unique(pair, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / runs[place])

    @property
    def pair_counts(self) -> Floats:
        """Coincidences (K, K): pairs of ratings of one item, each over the item's other raters."""
        own = None
        if self.owner is not None:
            own = own_pairs(self.opinions, len(self.items))
        return np.asarray(coincidences(self.counts, own).sum(axis=0))

    @checked
    def consensus_codes(self, how: str = "median", tie: str = "lower") -> Integers:
        """Return the consensus as positions on the scale, -1 for none."""
        # Parts of raters add up to whole ones, but for the last digits.
        counts, last = np.round(self.counts, 9), self.k - 1
        size = np.round(counts.sum(axis=1), 6)
        if how == "median":
            below = np.round(np.cumsum(counts, axis=1), 6)
            low = (2 * below >= size[:, None]).argmax(axis=1)
            high = (2 * below > size[:, None]).argmax(axis=1)
        else:
            most = counts == counts.max(axis=1, keepdims=True)
            low, high = most.argmax(axis=1), last - most[:, ::-1].argmax(axis=1)
        found = low if tie == "lower" else high
        lost = (size == 0) | ((tie == "missing") & (low != high))
        return np.where(lost, GAP, found).astype(np.int64)

    def distribution(self) -> Floats:
        """The shares (items, K) of the levels among the ratings of each item; NaN if unrated."""
        size = self.counts.sum(axis=1, keepdims=True)
        return np.where(size > 0, self.counts / np.maximum(size, 1), np.nan)

    def rows(self) -> list[dict[str, Any]]:
        """One record for each rater: how many ratings, and the share of each level."""
        found = []
        k, given = self.k, self.entries
        used = np.bincount(given.column * k + given.level, minlength=given.columns * k)
        for name, sizes in zip(self.raters, used.reshape(-1, k), strict=True):
            shares = (sizes / max(int(sizes.sum()), 1)).tolist()
            levels = dict(zip(map(str, self.scale), shares, strict=True))
            found.append({"rater": name, "ratings": int(sizes.sum()), **levels})
        return found

    def table(self) -> Table:
        """One row for each rater."""
        rows = tuple(
            tuple(map(Cell, (r["rater"], f"{r['ratings']:,}", *_shares(r, self.scale))))
            for r in self.rows()
        )
        head = ("rater", "ratings", *map(str, self.scale))
        return Table(head, rows, self._caption())

    def _caption(self) -> str:
        n, r = len(self.items), len(self.runs)
        return (
            f"{plural(n, 'item')}, {plural(r, 'rater')}, {plural(self.total, 'rating')}: "
            f"{self.scale}"
        )

    def _facts(self) -> dict[str, Any]:
        """Scale, coincidences, and what each rater used."""
        return {
            "scale": [str(x) for x in self.scale],
            "items": len(self.items),
            "pair_counts": self.pair_counts,
            "rows": self.rows(),
        }


def coincidences(counts: NDArray[Any], own: Floats | None = None) -> Floats:
    """Pairs of ratings (..., K, K) from the number of ratings of each level (..., K).

    ``own`` are the pairs of a rater with itself, which do not count: without runs, each rating's.
    """
    n = counts.astype(np.float64)
    size = raters_of(counts)
    pairs = n[..., :, None] * n[..., None, :]
    if own is None:
        diagonal = np.arange(n.shape[-1])
        pairs[..., diagonal, diagonal] -= n
    else:
        pairs = np.maximum(pairs - own, 0.0)  # a rater alone has no pair but for the last digits
    return np.asarray(pairs / np.where(size > 1, size - 1, np.inf)[..., None, None])


def own_pairs(said: Opinions, items: int) -> Floats:
    """The pairs of ratings (items, K, K) that runs of one rater make, itself among them."""
    return summed(said.shares[:, :, None] * said.shares[:, None, :], said.item, items)


def summed(parts: Floats, group: Integers, size: int) -> Floats:
    """Sums of parts (n, ...) in groups (size, ...)."""
    flat = parts.reshape(len(parts), math.prod(parts.shape[1:]))
    found = [np.bincount(group, column, minlength=size) for column in flat.T]
    return np.stack(found, axis=1).astype(np.float64).reshape(size, *parts.shape[1:])


def raters_of(counts: NDArray[Any]) -> Floats:
    """How many raters each item has; the parts of runs add up to whole ones."""
    return np.asarray(np.rint(counts.sum(axis=-1, dtype=np.float64)))


def _shares(row: Mapping[str, Any], scale: Scale) -> list[str]:
    return [f"{row[str(level)]:.0%}" for level in scale]
