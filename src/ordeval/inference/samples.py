"""What is resampled, and how: stacks of matrices drawn in blocks, never a loop over items.

A sample knows how to draw itself again with replacement, as blocks of matrices ``(b, M, K, K)`` for
M models at once, and which distinct matrices arise when one of its units is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import as_printed, named
from ordeval._shared.types import Floats, Integers, as_rng
from ordeval.data.columns import is_missing
from ordeval.data.items import Items
from ordeval.exceptions import LabelError, ParameterError

_BLOCK_BYTES: Final = 1 << 25
# More units than this are put at random into this many bundles, which are drawn whole.
MAX_UNITS: Final = 20_000


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Distinct matrices (U, M, K, K) with one unit less, and how many units give each."""

    matrices: NDArray[Any]
    count: Floats
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


def blocks(n: int, row_bytes: int) -> Iterator[int]:
    """Sizes of the blocks in which n rows of that many bytes are made."""
    size = max(1, _BLOCK_BYTES // max(row_bytes, 1))
    for start in range(0, n, size):
        yield min(size, n - start)


def _row_blocks(count: Integers) -> Iterator[slice]:
    """Slices of rows that stand for a bounded number of items together, or of one row."""
    ends = np.cumsum(count)
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + _BLOCK_BYTES // 8, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class ClusterSample:
    """Clusters of items that are drawn whole: a matrix (M, K, K) for each."""

    matrices: NDArray[Any]  # (U, M, K, K)

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The matrices (M, K, K)."""
        return np.asarray(self.matrices.sum(axis=0))

    @property
    def units(self) -> int:
        """The number of clusters."""
        return len(self.matrices)

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Blocks (b, M, K, K) of resampled matrices, n in all."""
        merged = _merged_at_random(self.matrices, rng)
        flat = merged.reshape(len(merged), -1).astype(np.float64)
        for size in blocks(n, 8 * max(flat.shape)):
            chosen = _draw_each(rng, np.ones(len(flat), dtype=np.int64), size)
            yield (chosen @ flat).reshape(size, *self.matrices.shape[1:])

    def leave_one_out(self, models: Sequence[int]) -> LeftOut:
        """One matrix for each cluster, or for each of many random bundles of them."""
        picked = list(models)
        left = self.counts[picked] - _merged_at_random(self.matrices, as_rng(0))[:, picked]
        n = len(left)
        return LeftOut(left, np.ones(n), np.zeros(n, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class ItemSample:
    """Distinct items: truth (U,), predictions (U, M), weight (U,), and how often each occurs."""

    truth: Integers
    predictions: Integers
    weight: Floats
    count: Integers
    k: int
    weighted: bool = False

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The matrices (M, K, K)."""
        matrices = self._matrices(self.weight * self.count)
        return matrices if self.weighted else matrices.astype(np.int64)

    @property
    def units(self) -> int:
        """The number of items."""
        return int(self.count.sum())

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
            yield from self._bundled(rng).draws(n, rng)
            return
        models = self.predictions.shape[1]
        by_class = [np.flatnonzero(self.truth == t) for t in range(self.k)]
        targets = [self._one_hot(rows) for rows in by_class]
        for size in blocks(n, 8 * max(len(self.truth), models * self.k**2)):
            chosen = _draw_each(rng, self.count, size)
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

    def _bundled(self, rng: np.random.Generator) -> ClusterSample:
        """The items in random bundles: drawing those has the same spread, and costs less."""
        # Each item goes where chance sends it. Bundles differ in size by that, which measures of
        # shares do not see.
        k, models = self.k, self.predictions.shape[1]
        stack = np.zeros((MAX_UNITS, models, k, k))
        large = self.count >= MAX_UNITS
        few = np.where(large, 0, self.count)
        for row in np.flatnonzero(large).tolist():
            spread = rng.multinomial(self.count[row], np.full(MAX_UNITS, 1 / MAX_UNITS))
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
        count = np.bincount(member, self.count).astype(np.float64)
        first = np.unique(member, return_index=True)[1]
        if len(first) > MAX_UNITS:
            return self._bundled(as_rng(0)).leave_one_out(models)
        left = np.repeat(self.counts[list(models)][None], len(first), axis=0)
        for j in range(picked.shape[1]):
            left[np.arange(len(first)), j, self.truth[first], picked[first, j]] -= self.weight[
                first
            ].astype(left.dtype)
        return LeftOut(left, count, np.zeros(len(first), dtype=np.int64))


def sample_of(items: Items, *, clusters: Any = None, stratify: bool = False) -> Sample:
    """Items in positions, as what is resampled."""
    if stratify and (clusters is not None or items.weights is not None or len(items.y_pred) > 1):
        raise ParameterError("stratify takes one model, without clusters and weights.")
    if clusters is not None:
        return clusters_of(items, clusters)
    if items.weights is None and len(items.y_pred) == 1:
        (pred,) = items.y_pred.values()
        k = items.scale.k
        cells = np.bincount(items.y_true * k + pred, items.count, minlength=k * k)
        return CellSample(cells.reshape(k, k).astype(np.int64), stratify)
    return items_of(items)


def items_of(items: Items) -> ItemSample:
    """The distinct items among rows of labels, each of which stands for some items."""
    weight = np.ones(len(items.y_true)) if items.weights is None else items.weights
    predictions = list(items.y_pred.values())
    member, _ = number_rows([items.y_true, *predictions, *_ranks(weight)])
    count = np.zeros(int(member.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(count, member, items.count)
    first = np.unique(member, return_index=True)[1]
    return ItemSample(
        truth=items.y_true[first], predictions=np.stack([p[first] for p in predictions], axis=1),
        weight=weight[first], count=count, k=items.scale.k, weighted=items.weights is not None,
    )  # fmt: skip


def clusters_of(items: Items, clusters: Any) -> ClusterSample:
    """The matrices of each cluster of items."""
    cluster, k = _cluster_numbers(clusters, items.kept), items.scale.k
    size = int(cluster.max()) + 1
    total = items.count * (1.0 if items.weights is None else items.weights)
    place = (cluster * k + items.y_true) * k
    stack = [np.bincount(place + p, total, minlength=size * k * k) for p in items.y_pred.values()]
    matrices = _by_unit(stack, size, k)
    return ClusterSample(matrices if items.weights is not None else matrices.astype(np.int64))


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


def _draw_each(rng: np.random.Generator, count: Integers, size: int) -> Floats:
    """How often each unit is drawn (size, U), drawing as many as there are."""
    n, units = int(count.sum()), len(count)
    if n > 4 * units:
        return rng.multinomial(n, count / n, size).astype(np.float64)
    # Few copies of each: drawing units one by one is quicker than a binomial for each.
    which = np.repeat(np.arange(units), count)
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


def _cluster_numbers(clusters: Any, kept: NDArray[np.bool_]) -> Integers:
    """The number of the cluster of each row that was kept.

    Several arrays name clusters within clusters: patient 1 of hospital A is not that of B.
    """
    levels = _as_levels(clusters)
    for level in levels:
        if level.shape != kept.shape:
            raise LabelError(
                f"clusters must name a cluster for each of the {len(kept):,} items; "
                f"got shape {level.shape}."
            )
    columns = [level[kept].tolist() for level in levels]
    if any(is_missing(name) for names in columns for name in names):
        raise LabelError(f"{named('clusters')} must not hold missing values.")
    keys = list(zip(*columns, strict=True))
    try:
        distinct = set(keys)
    except TypeError:
        raise LabelError(f"{named('clusters')} must be named by hashable values.") from None
    # In an order that does not depend on the items', so that a seed means the same for any.
    number = {key: i for i, key in enumerate(sorted(distinct, key=as_printed))}
    if len(number) < 2:
        raise LabelError(
            f"{named('clusters')} must hold at least two different clusters to draw from."
        )
    return np.fromiter(map(number.__getitem__, keys), np.int64, len(keys))


def _as_levels(clusters: Any) -> list[NDArray[Any]]:
    """One array of names, or several from the outermost to the innermost."""
    if not isinstance(clusters, Iterable):
        raise LabelError(
            f"{named('clusters')} must name the cluster of each item; got {clusters!r}."
        )
    listed = clusters if hasattr(clusters, "__array__") else list(clusters)
    nested = isinstance(listed, list) and listed and all(map(_is_column, listed))
    return [_as_objects(x) for x in listed] if nested else [_as_objects(listed)]


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, range)) or (hasattr(value, "__array__") and np.ndim(value) == 1)


def _as_objects(values: Any) -> NDArray[Any]:
    """An array of values as they are: NumPy would make 1 and "1", or a NaN and "nan", the same."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    return np.fromiter(values, dtype=object, count=len(values))
