"""Where two models disagree: how far their difference moves if their answers are exchanged.

If two models are equally good, each item may as well have the answers the other way round. Only
items on which they disagree move the difference then, each by what its two answers contribute to
both values. That is a variance of the difference in its own right: it sees what contributions
alone do not, such as two items of a class on which one model is right and the other wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import CellInfluence
from ordeval.inference.ends import signs
from ordeval.inference.samples import Sample

_MOST_ROWS: Final = 100_000  # with more, contributions alone say as much
_FEW_ROWS: Final = 2_000  # up to which one model is compared with all others at once
ENOUGH: Final = 5.0  # clusters of each class, from which on contributions see how much they vary
_FLAT: Final = 1e-12  # what rounding leaves of a difference that is zero


class Exchanged(NamedTuple):
    """What exchanging the answers does, by the independent units on which two models disagree."""

    squares: Floats | float  # (...), sums over units of half the change, beside that of the mean
    one_more: Floats | float  # (...), the mean of the squares of items


def variance_apart(spread: Floats, exchanged: Exchanged, units: Floats | float) -> Floats:
    """The variance of a difference of two models that are equally good.

    ``spread`` is that of the contributions. One more disagreement allows for those that the sample
    happens to lack, as the pseudo-item does for errors.
    """
    seen = np.maximum(spread, units / (units - 1) * exchanged.squares)
    return np.asarray(seen + exchanged.one_more)


def both_tables(
    first: Floats, second: Floats, there: NDArray[np.bool_], also: NDArray[np.bool_]
) -> Floats:
    """What an answer in each cell (..., K, K) contributes to two values together.

    Where one model has no item, it contributes what it does to the other.
    """
    return np.asarray(first * (1 + (there & ~also)) + second * (1 + (also & ~there)))


def moves_of(both: Floats) -> Floats:
    """By how much exchanging the answers of an item of each joint cell (..., K, K, K) moves."""
    moved = (both[..., :, :, None] - both[..., :, None, :]) / 2
    scale = np.abs(both).max(axis=(-2, -1), initial=0.0)[..., None, None, None]
    return np.where(np.abs(moved) > _FLAT * scale, moved, 0.0)


def exchanged_items(both: Floats, joint: Floats) -> Exchanged:
    """What exchanging the answers of all items does, from their joint counts (..., K, K, K)."""
    moved = moves_of(both)
    seen, axes = moved != 0, (-3, -2, -1)
    items = joint.sum(axis=axes)
    first, second = ((joint * moved**power).sum(axis=axes) for power in (1, 2))
    one_more = second / np.maximum((joint * seen).sum(axis=axes), 1.0)
    return Exchanged(second - first**2 / items, one_more)


def few_p_value(moved: Floats, number: Floats, gap: float) -> float:
    """The exact p-value of a difference that few disagreements make; NaN if a t test holds.

    ``moved`` is the change from one exchange in each cell.
    """
    second, fourth = (float(number @ moved**power) for power in (2, 4))
    reached = float(number @ moved)
    if not signs.are_few(second, fourth) or not reached * gap > 0:
        return np.nan
    return signs.p_value(moved, number, reached)


class JointCells(NamedTuple):
    """The items on which two models disagree, by their true class and both predictions."""

    truth: Integers
    a: Integers
    b: Integers
    number: Floats  # of items
    amount: Floats  # what they weigh
    squares: Floats  # sums of their squared weights


def joint_cells(sample: Sample, i: int, j: int) -> JointCells:
    """The items on which two models of a sample disagree."""
    # All measures share what is counted of a pair, which is held beside the sample's columns.
    held: dict[tuple[int, int], JointCells] = vars(sample).setdefault("joint_cells", {})
    if (i, j) not in held:
        k, a, b = sample.k, sample.predictions[:, i], sample.predictions[:, j]
        rows = np.flatnonzero(a != b)
        place = (sample.truth[rows] * k + a[rows]) * k + b[rows]
        each = (sample.share[rows] ** power * sample.count[rows] for power in (0, 1, 2))
        sums = [np.bincount(place, x, minlength=k**3).astype(np.float64) for x in each]
        there = np.flatnonzero(sums[0])
        number, amount, squares = (x[there] for x in sums)
        held[i, j] = JointCells(
            truth=there // k**2,
            a=there // k % k,
            b=there % k,
            number=number,
            amount=amount,
            squares=squares,
        )
    return held[i, j]


class Exchangeable(Protocol):
    """What says how far differences of M models move if their answers are exchanged."""

    @property
    def most_freedom(self) -> float:
        """Degrees of freedom of a difference, unless its units have fewer."""

    def of_models(self, chosen: list[int]) -> Exchangeable:
        """The result for some of the models."""

    def turned(self, sign: Floats) -> Exchangeable:
        """The result for values of opposite sign."""

    def variance(self, spread: Floats, units: float) -> Floats:
        """The variances (M, M) of all differences, from those of the contributions."""

    def p_values(self, gaps: Floats) -> Floats:
        """The exact p-values (M, M) of differences that few disagreements make; NaN of others."""


@dataclass(frozen=True, eq=False)
class Disagreements:
    """What an answer in each cell contributes to the values of M models, and their items."""

    most_freedom: ClassVar[float] = np.inf

    sample: Sample
    table: Floats  # (M, K, K)
    there: NDArray[
        np.bool_
    ]  # (M, K, K), whether a model has items in the cell, the pseudo-item included

    @classmethod
    def of(cls, sample: Sample, cells: CellInfluence, group: int) -> Disagreements:
        """The disagreements of one of the samples whose cells contribute."""
        there = sample.matrices + cells.pseudo[group] > 0
        return cls(sample, cells.table[group], there)

    def of_models(self, chosen: list[int]) -> Disagreements:
        """The disagreements of some models."""
        sample = self.sample.of_models(chosen)
        return Disagreements(sample, self.table[chosen], self.there[chosen])

    def turned(self, sign: Floats) -> Disagreements:
        """The result for values of opposite sign."""
        return replace(self, table=self.table * sign[:, None, None])

    def variance(self, spread: Floats, units: float) -> Floats:
        """The variances (M, M) of all differences, from those of the contributions."""
        found = np.zeros_like(spread)
        for i in range(len(spread)):
            if self._few_rows:
                each = self._exchanged_with_all_before(i)
                found[i, :i] = found[:i, i] = variance_apart(spread[i, :i], each, units)
                continue
            for j in range(i):
                one = self._exchanged(j, i)
                found[i, j] = found[j, i] = variance_apart(spread[i, j], one, units)
        return found

    def p_values(self, gaps: Floats) -> Floats:
        """The exact p-values (M, M) of differences that few disagreements make; NaN of others."""
        found = np.full(gaps.shape, np.nan)
        if self.sample.cluster is not None or not np.allclose(self.sample.share, 1, rtol=1e-9):
            return found
        for i in range(len(gaps)):
            for j in range(i):
                moved, number = self._moved_by(j, i)
                found[i, j] = found[j, i] = few_p_value(moved, number, float(gaps[j, i]))
        return found

    def _moved_by(self, i: int, j: int) -> tuple[Floats, Floats]:
        """Changes in the difference of two models when items are exchanged, with their counts."""
        if self._few_rows:
            moved = -self._moved_items[j][:, i]
            rows = np.flatnonzero(moved)
            return moved[rows], self.sample.count[rows].astype(np.float64)
        return self._moved(i, j)[0], joint_cells(self.sample, i, j).number

    @property
    def _few_rows(self) -> bool:
        return self.sample.cluster is None and len(self.sample.truth) <= _FEW_ROWS

    @property
    def _in_large_clusters(self) -> bool:
        """Whether contributions of clusters see how much they vary.

        Models that differ clearly move further if all answers of a cluster are exchanged, which
        would cost a fifth of the power. Clusters of one item are items.
        """
        by_class, clusters = self.sample.units_by_class, self.sample.clusters
        return 0 < clusters < self.sample.items and bool((by_class[by_class > 0] >= ENOUGH).all())

    @cached_property
    def _moved_items(self) -> list[Floats]:
        """By how much exchanging items (U, i) moves the differences of model i and those before."""
        return [self._moved_before(i) for i in range(len(self.table))]

    def _moved_before(self, i: int) -> Floats:
        s, rows, others = self.sample, self.sample.truth[:, None], np.arange(i)
        a, b = s.predictions[:, i, None], s.predictions[:, :i]
        own, there = self.table[i], self.there[i]
        of_a, of_b = (
            both_tables(
                own[rows, x],
                self.table[others, rows, x],
                there[rows, x],
                self.there[others, rows, x],
            )
            for x in (a, b)
        )
        most = np.abs(both_tables(own, self.table[:i], there, self.there[:i])).max(axis=(-2, -1))
        moved = np.where(a != b, of_a - of_b, 0.0) / 2
        return np.where(np.abs(moved) > _FLAT * most, moved, 0.0)

    def _exchanged_with_all_before(self, i: int) -> Exchanged:
        """``_exchanged`` without clusters, for all models before one at once."""
        s, moved = self.sample, self._moved_items[i]
        number, amount, double = (s.share**power * s.count for power in (0, 1, 2))
        squares, mean = double @ moved**2, amount @ moved / s.items
        alike = 2 * mean * (double @ moved) - mean**2 * float(double.sum())
        return Exchanged(squares - alike, squares / np.maximum(number @ (moved != 0), 1.0))

    def _moved(self, i: int, j: int) -> tuple[Floats, Floats]:
        """By how much exchanging the answers moves the difference, and what answers contribute."""
        cells = joint_cells(self.sample, i, j)
        both = both_tables(self.table[i], self.table[j], self.there[i], self.there[j])
        moved = (both[cells.truth, cells.a] - both[cells.truth, cells.b]) / 2
        return np.where(np.abs(moved) > _FLAT * np.abs(both).max(initial=0.0), moved, 0.0), both

    def _exchanged(self, i: int, j: int) -> Exchanged:
        sample, cells = self.sample, joint_cells(self.sample, i, j)
        moved, both = self._moved(i, j)
        seen = moved != 0
        squares = float(cells.squares @ moved**2)
        one_more = squares / max(float(cells.number @ seen), 1.0)
        mean = float(cells.amount @ moved) / sample.items
        if sample.cluster is None:
            weight = float(sample.share**2 @ sample.count)
            # Units move as much as they weigh, if all items are alike.
            alike = 2 * mean * float(cells.squares @ moved) - mean**2 * weight
            return Exchanged(squares - alike, one_more)
        amount = sample.share * sample.count
        rows = np.flatnonzero(sample.predictions[:, i] != sample.predictions[:, j])
        if len(rows) > _MOST_ROWS or self._in_large_clusters:
            return Exchanged(0.0, one_more)
        a, b = (both.ravel()[sample.cells[rows, model]] for model in (i, j))
        sizes = np.bincount(sample.cluster, amount)
        by_cluster = np.bincount(sample.cluster[rows], amount[rows] * (a - b) / 2, len(sizes))
        return Exchanged(float(((by_cluster - mean * sizes) ** 2).sum()), one_more)
