"""What ratings tell of themselves: counts, consensus, and what each rater used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import plural
from ordeval._shared.types import Floats, Integers
from ordeval.data.positions import GAP
from ordeval.data.ratings.tables import own_pairs, run_parts
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError

Duplicates = Literal["raise", "runs"]
Tie = Literal["lower", "upper", "missing"]


class RatingFacts(Result):
    """Read-only facts of ratings (items, raters); the base of ``Ratings``."""

    items: Any
    raters: Any
    scale: Scale
    codes: Integers
    runs: Any

    @property
    def k(self) -> int:
        """The number of levels."""
        return self.scale.k

    @cached_property
    def owner(self) -> Integers | None:
        """The rater of each column, if raters beside others have several runs; otherwise None.

        The runs of a single rater are like raters: they are all that can be compared.
        """
        if len(self.runs) in (1, len(self.raters)):
            return None
        found = np.empty(len(self.raters), dtype=np.int64)
        for rater, columns in enumerate(self.runs.values()):
            found[list(columns)] = rater
        return found

    def refuse_runs(self, what: str) -> None:
        """Raise a LabelError if a rater beside others was asked repeatedly."""
        if self.owner is not None:
            name, columns = max(self.runs.items(), key=lambda x: len(x[1]))
            raise LabelError(
                f"{what} takes one rating of each item by each rater; {name!r} has "
                f"{len(columns)} runs. Keep one rating of each item in the table, as the first."
            )

    @property
    def total(self) -> int:
        """How many ratings there are."""
        return int((self.codes >= 0).sum())

    @cached_property
    def counts(self) -> NDArray[Any]:
        """How many raters gave each item each level (items, K); runs are parts of their rater."""
        n, k = len(self.codes), self.k
        item, rater = np.nonzero(self.codes >= 0)
        cells = item * k + self.codes[item, rater]
        parts = None if self.owner is None else run_parts(self.codes, self.owner)[item, rater]
        found = np.bincount(cells, parts, minlength=n * k).reshape(n, k)
        found.setflags(write=False)
        return found

    @property
    def pair_counts(self) -> Floats:
        """Coincidences (K, K): pairs of ratings of one item, each over the item's other raters."""
        own = None if self.owner is None else own_pairs(self.codes, self.k, self.owner)
        return np.asarray(coincidences(self.counts, own).sum(axis=0))

    def consensus_codes(self, how: str = "median", tie: str = "lower") -> Integers:
        """The same as positions on the scale, -1 for none."""
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
        for name, column in zip(self.raters, self.codes.T, strict=True):
            sizes = np.bincount(column[column >= 0], minlength=self.k)
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
    """Pairs of ratings (..., K, K) of items with so many ratings of each level (..., K).

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


def raters_of(counts: NDArray[Any]) -> Floats:
    """How many raters each item has; the parts of runs add up to whole ones."""
    return np.asarray(np.rint(counts.sum(axis=-1, dtype=np.float64)))


def _shares(row: Mapping[str, Any], scale: Scale) -> list[str]:
    return [f"{row[str(level)]:.0%}" for level in scale]
