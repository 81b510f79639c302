"""What is resampled, and how: stacks of matrices drawn in blocks, never a loop over items.

A sample knows how to draw itself again with replacement, as blocks of matrices ``(b, M, K, K)`` for
M models at once, and which distinct matrices arise when one of its units is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ordeval.data.columns import is_missing
from ordeval.exceptions import LabelError, ParameterError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_BLOCK_BYTES: Final = 1 << 25
# More units than this are put at random into this many groups, which are drawn whole.
MAX_UNITS: Final = 20_000


class LeftOut(NamedTuple):
    """Distinct matrices (U, M, K, K) with one unit less, and how many units give each."""

    matrices: NDArray[Any]
    weight: Floats
    stratum: Integers


class Sample(Protocol):
    """Matrices of M models on the same units."""

    @property
    def counts(self) -> NDArray[Any]:
        """The matrices (M, K, K) of the sample itself."""

    @property
    def units(self) -> int:
        """How many units are drawn."""

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Blocks (b, M, K, K) of resampled matrices, n in all."""

    def leave_one_out(self, models: Sequence[int]) -> LeftOut:
        """The matrices of some models with one unit less."""


def as_rng(rng: np.random.Generator | int | None) -> np.random.Generator:
    """A generator from a generator, a seed or nothing."""
    if isinstance(rng, np.random.Generator):
        return rng
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ParameterError(
            f"rng must be a Generator or a seed, an integer that is not negative; got {rng!r}."
        ) from None


def blocks(n: int, row_bytes: int) -> Iterator[int]:
    """Sizes of the blocks in which n rows of that many bytes are made."""
    size = max(1, _BLOCK_BYTES // max(row_bytes, 1))
    for start in range(0, n, size):
        yield min(size, n - start)


def _row_blocks(multiplicity: Integers) -> Iterator[slice]:
    """Slices of rows that stand for a bounded number of items together, or of one row."""
    ends = np.cumsum(multiplicity)
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + _BLOCK_BYTES // 8, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


@dataclass(frozen=True)
class CellSample:
    """Items of one model, known by its matrix: the units are alike within a cell."""

    matrix: Integers
    stratify: bool = False  # the class sizes of the truth stay as they are

    @property
    def counts(self) -> Integers:
        """The matrix (1, K, K)."""
        return self.matrix[None]

    @property
    def units(self) -> int:
        """The number of items."""
        return int(self.matrix.sum())

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[Integers]:
        """Blocks (b, 1, K, K) of resampled matrices, n in all."""
        k = len(self.matrix)
        for size in blocks(n, self.matrix.nbytes):
            if self.stratify:
                yield np.stack([_multinomial(rng, row, size) for row in self.matrix], axis=1)[
                    :, None
                ]
            else:
                yield _multinomial(rng, self.matrix.ravel(), size).reshape(size, 1, k, k)

    def leave_one_out(self, models: Sequence[int] = (0,)) -> LeftOut:
        """One matrix for each cell that has items."""
        rows, columns = np.nonzero(self.matrix)
        stack = np.repeat(self.matrix[None], len(rows), axis=0)
        stack[np.arange(len(rows)), rows, columns] -= 1
        stratum = rows if self.stratify else np.zeros_like(rows)
        return LeftOut(stack[:, None], self.matrix[rows, columns].astype(np.float64), stratum)


@dataclass(frozen=True)
class ClusterSample:
    """Groups of items that are drawn whole: a matrix (M, K, K) for each."""

    matrices: NDArray[Any]  # (U, M, K, K)

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The matrices (M, K, K)."""
        return np.asarray(self.matrices.sum(axis=0))

    @property
    def units(self) -> int:
        """The number of groups."""
        return len(self.matrices)

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Blocks (b, M, K, K) of resampled matrices, n in all."""
        merged = _merged_at_random(self.matrices, rng)
        flat = merged.reshape(len(merged), -1).astype(np.float64)
        for size in blocks(n, 8 * max(flat.shape)):
            chosen = _draw_each(rng, np.ones(len(flat), dtype=np.int64), size)
            yield (chosen @ flat).reshape(size, *self.matrices.shape[1:])

    def leave_one_out(self, models: Sequence[int]) -> LeftOut:
        """One matrix for each group, or for each of many random bundles of them."""
        picked = list(models)
        left = self.counts[picked] - _merged_at_random(self.matrices, as_rng(0))[:, picked]
        n = len(left)
        return LeftOut(left, np.ones(n), np.zeros(n, dtype=np.int64))


@dataclass(frozen=True)
class ItemSample:
    """Distinct items: truth (U,), predictions (U, M), weight (U,), and how often each occurs."""

    truth: Integers
    predictions: Integers
    weight: Floats
    multiplicity: Integers
    k: int

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The matrices (M, K, K)."""
        matrices = self._matrices(self.weight * self.multiplicity)
        return matrices if (self.weight != 1).any() else matrices.astype(np.int64)

    @property
    def units(self) -> int:
        """The number of items."""
        return int(self.multiplicity.sum())

    def _matrices(self, weight: Floats) -> Floats:
        k = self.k
        return np.stack(
            [
                np.bincount(self.truth * k + p, weight, minlength=k * k).reshape(k, k)
                for p in self.predictions.T
            ]
        )

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Blocks (b, M, K, K) of resampled matrices, n in all."""
        if len(self.truth) > MAX_UNITS:
            yield from self._grouped(rng).draws(n, rng)
            return
        models = self.predictions.shape[1]
        by_class = [np.flatnonzero(self.truth == t) for t in range(self.k)]
        targets = [self._one_hot(rows) for rows in by_class]
        for size in blocks(n, 8 * max(len(self.truth), models * self.k**2)):
            chosen = _draw_each(rng, self.multiplicity, size)
            out = np.empty((size, models, self.k, self.k))
            for t, rows in enumerate(by_class):
                out[:, :, t] = (chosen[:, rows] @ targets[t]).reshape(size, models, self.k)
            yield out

    def _one_hot(self, rows: Integers) -> Floats:
        """Where the items of some rows go, for each model: (rows, M * K)."""
        predicted = self.predictions[rows]
        hot = np.zeros((len(rows), predicted.shape[1], self.k))
        np.put_along_axis(hot, predicted[..., None], self.weight[rows, None, None], axis=2)
        return hot.reshape(len(rows), predicted.shape[1] * self.k)

    def _grouped(self, rng: np.random.Generator) -> ClusterSample:
        """The items in random groups: drawing those has the same spread, and costs less."""
        # Each item goes where chance sends it. Groups differ in size by that, which measures of
        # shares do not see.
        k, models = self.k, self.predictions.shape[1]
        stack = np.zeros((MAX_UNITS, models, k, k))
        large = self.multiplicity >= MAX_UNITS
        few = np.where(large, 0, self.multiplicity)
        for row in np.flatnonzero(large).tolist():
            spread = rng.multinomial(self.multiplicity[row], np.full(MAX_UNITS, 1 / MAX_UNITS))
            for m in range(models):
                cell = self.truth[row], self.predictions[row, m]
                stack[:, m, *cell] += spread * self.weight[row]
        for rows in _row_blocks(few):
            which = np.repeat(np.arange(rows.start, rows.stop), few[rows])
            place = (rng.integers(MAX_UNITS, size=len(which)) * k + self.truth[which]) * k
            for m, p in enumerate(self.predictions.T):
                found = np.bincount(place + p[which], self.weight[which], MAX_UNITS * k * k)
                stack[:, m] += found.reshape(MAX_UNITS, k, k)
        return ClusterSample(stack)

    def leave_one_out(self, models: Sequence[int]) -> LeftOut:
        """One matrix for each distinct item, as far as these models tell items apart."""
        picked = self.predictions[:, list(models)]
        member, _ = number_rows([self.truth, *picked.T, *_ranks(self.weight)])
        count = np.bincount(member, self.multiplicity).astype(np.float64)
        first = np.unique(member, return_index=True)[1]
        if len(first) > MAX_UNITS:
            return self._grouped(as_rng(0)).leave_one_out(models)
        left = np.repeat(self.counts[list(models)][None], len(first), axis=0)
        for j in range(picked.shape[1]):
            left[np.arange(len(first)), j, self.truth[first], picked[first, j]] -= self.weight[
                first
            ].astype(left.dtype)
        return LeftOut(left, count, np.zeros(len(first), dtype=np.int64))


def items_of(
    truth: Integers,
    predictions: Sequence[Integers],
    k: int,
    weights: Floats | None,
    times: Integers | None = None,
) -> ItemSample:
    """The distinct items among rows of labels in positions, each of which stands for some items."""
    weight = np.ones(len(truth)) if weights is None else weights
    member, _ = number_rows([truth, *predictions, *_ranks(weight)])
    multiplicity = np.zeros(int(member.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(multiplicity, member, 1 if times is None else times)
    first = np.unique(member, return_index=True)[1]
    columns = np.stack([np.asarray(p)[first] for p in predictions], axis=1).astype(np.int64)
    return ItemSample(truth[first].astype(np.int64), columns, weight[first], multiplicity, k)


def clusters_of(
    truth: Integers,
    predictions: Sequence[Integers],
    k: int,
    weights: Floats | None,
    groups: Any,
    times: Integers | None = None,
) -> ClusterSample:
    """The matrices of each group of items."""
    group = _group_numbers(groups, len(truth))
    size = int(group.max()) + 1
    items = np.ones(len(truth)) if times is None else times.astype(np.float64)
    total = items if weights is None else items * weights
    stack = [
        np.bincount((group * k + truth) * k + p, total, minlength=size * k * k) for p in predictions
    ]
    matrices = _by_unit(stack, size, k)
    return ClusterSample(matrices if weights is not None else matrices.astype(np.int64))


def _by_unit(stack: list[NDArray[Any]], size: int, k: int) -> NDArray[Any]:
    """Counts of each model (units * K * K) as (units, M, K, K)."""
    return np.stack([x.reshape(size, k, k) for x in stack], axis=1)


def number_rows(columns: Sequence[Integers]) -> tuple[Integers, Integers]:
    """The number of the distinct row that each row is, and how often each occurs."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        # Renumbering after each column keeps the keys small whatever the number of columns.
        wide = key * (int(column.max(initial=0)) + 1) + column
        key = np.unique(wide, return_inverse=True)[1].astype(np.int64)
    return key, np.bincount(key).astype(np.int64)


def _ranks(weight: Floats) -> list[Integers]:
    """The weights as small integers, if they differ."""
    if len(weight) == 0 or (weight == weight[0]).all():
        return []
    return [np.unique(weight, return_inverse=True)[1].astype(np.int64)]


def _multinomial(rng: np.random.Generator, counts: Integers, size: int) -> Integers:
    """Resampled counts (size, cells); empty cells are not drawn for."""
    out = np.zeros((size, len(counts)), dtype=np.int64)
    filled = np.flatnonzero(counts)
    if len(filled):
        some = counts[filled]
        out[:, filled] = rng.multinomial(int(some.sum()), some / some.sum(), size)
    return out


def _draw_each(rng: np.random.Generator, multiplicity: Integers, size: int) -> Floats:
    """How often each unit is drawn (size, U), drawing as many as there are."""
    n, units = int(multiplicity.sum()), len(multiplicity)
    if n > 4 * units:
        return rng.multinomial(n, multiplicity / n, size).astype(np.float64)
    # Few copies of each: drawing units one by one is quicker than a binomial for each.
    which = np.repeat(np.arange(units), multiplicity)
    out = np.empty((size, units))
    for row in out:
        row[:] = np.bincount(which[rng.integers(0, n, n)], minlength=units)
    return out


def _merged_at_random(matrices: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    if len(matrices) <= MAX_UNITS:
        return matrices
    group = rng.permutation(len(matrices)) % MAX_UNITS
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(MAX_UNITS))
    return np.asarray(np.add.reduceat(matrices[order], starts, axis=0))


def as_objects(values: Any) -> NDArray[Any]:
    """An array of values as they are: NumPy would make 1 and "1", or a NaN and "nan", the same."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _printed(value: Any) -> tuple[str, str]:
    return str(value), type(value).__name__


def _group_numbers(groups: Any, n: int) -> Integers:
    array = as_objects(groups)
    if array.shape != (n,):
        raise LabelError(
            f"groups must name a group for each of the {n:,} items; got shape {array.shape}."
        )
    names = array.tolist()
    if any(map(is_missing, names)):
        raise LabelError("groups must not hold missing values.")
    # In an order that does not depend on the items', so that a seed means the same for any.
    number = {name: i for i, name in enumerate(sorted(set(names), key=_printed))}
    if len(number) < 2:
        raise LabelError("groups must hold at least two different groups to draw from.")
    return np.fromiter(map(number.__getitem__, names), np.int64, n)
