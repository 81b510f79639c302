"""Many samples at once: what the units of each add up to, as arrays with one entry per sample.

The samples are counts of independent items, the groups of one sample with weights or clusters, or
the rest of each group. Nothing here loops over the samples.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import DENSE
from ordeval.inference.samples import Sample, blocks, sample_of_joint

Mask = NDArray[np.bool_]

_CELLS: Final = 50_000_000  # of the matrices of all samples
_UNEVEN: Final = 1e6  # weights that differ by more would be lost in the sums of others
_PAIRWISE: Final = 5_000_000  # groups times clusters, up to which each is looked at
_NO_SIZE: Final = 1e-12  # of a direction, next to the largest
_FORM: Final = 4_000_000  # numbers of a form
_LOST: Final = 1e-2  # of a sum, below which the difference from it has lost digits
_DENSE_CELLS: Final = 4_000_000  # of all clusters, up to which a full table is quicker


class Stack(ABC):
    """G samples of one model, each of which weighs something."""

    counts: NDArray[Any]  # (G, K, K), whose values are shown
    matrices: Floats  # (G, K, K), which hold as much as there are items
    items: Floats  # (G,)
    units: Floats  # (G,), independent ones: items, or clusters
    effective: Floats  # (G,), equally weighted items that would say as much
    stratify: bool = False  # class sizes are fixed by design

    @property
    def k(self) -> int:
        """How many classes there are."""
        return int(self.matrices.shape[-1])

    @property
    def in_groups(self) -> bool:
        """Whether there are too many cells for one by one, so that units leave in groups."""
        return self.k**4 > DENSE

    @property
    def known(self) -> Floats:
        """How many independent units say as much (G,)."""
        return np.minimum(self.units, self.effective)

    @property
    def unit(self) -> Floats:
        """How many items there are for each independent unit (G,)."""
        return np.asarray(self.items / np.maximum(self.known, 1.0))

    @property
    def mass(self) -> Floats:
        """How many items weigh as much as one that counts fully: the pseudo-item's mass (G,)."""
        full = np.minimum(self.items, self.effective)
        return np.asarray(self.items / np.maximum(full, 1.0))

    @abstractmethod
    def samples(self) -> Iterator[Sample]:
        """Each sample by itself."""

    @abstractmethod
    def powers(self, table: Floats) -> tuple[Floats, Floats]:
        """The second and the fourth powers of what units contribute, each summed (G,).

        ``table`` (G, K, K) is what an item of each cell contributes.
        """


class Parts(Stack):
    """Samples that can be reduced to some of their items."""

    @abstractmethod
    def of_class(self, level: int, there: Mask) -> Parts:
        """The items of one true class, of the samples that have some."""

    @abstractmethod
    def calls(self, call: Integers, there: Mask) -> Parts:
        """Items that all belong to class 1 of two, and to which ``call`` (G, K, K) is predicted.

        Those of cells where it is -1 are left out; ``there`` are samples that have others.
        """


class Tables(Parts):
    """Matrices (G, K, K) of items that are independent."""

    def __init__(self, matrices: NDArray[Any]) -> None:
        self.counts, self.matrices = matrices, matrices.astype(np.float64)
        self.items = self.units = self.effective = self.matrices.sum(axis=(-2, -1))

    def samples(self) -> Iterator[Sample]:
        """The items of each matrix."""
        return map(sample_of_joint, self.counts)

    def powers(self, table: Floats) -> tuple[Floats, Floats]:
        """All items of a cell contribute alike."""
        return _weighed(table**2, self.matrices), _weighed(table**4, self.matrices)

    def of_class(self, level: int, there: Mask) -> Tables:
        """One row of each matrix."""
        part = np.zeros_like(self.counts[there])
        part[:, level] = self.counts[there, level]
        return self.part(part, there)

    def calls(self, call: Integers, there: Mask) -> Tables:
        """Two numbers of each matrix."""
        made = np.zeros((int(there.sum()), 2, 2))
        for c in (0, 1):
            made[:, 1, c] = _weighed(call[there] == c, self.matrices[there])
        return self.part(made, there)

    def part(self, matrices: NDArray[Any], there: Mask) -> Tables:
        """Some items of the matrices that are ``there``."""
        return Tables(matrices)


class Grouped(Parts):
    """The groups of the rows of a sample."""

    def __init__(self, sample: Sample, group: Integers, size: int) -> None:
        count = sample.count
        weight = np.ones(len(group)) if sample.weight is None else sample.weight
        self.sample, self.group, self.size = sample, group, size
        self.stratify = sample.stratify
        self.weight = weight / weight.max(initial=0.0)
        self.cell = sample.cells[:, 0]
        self.items = self.by_group(count)
        self.share = self.weight * (self.items / self.by_group(self.weight * count))[group]
        self.matrices, self.given = self.by_cell(self.share * count), self.by_cell(weight * count)
        self.counts = _shown(self.given, self.matrices)
        self.effective = self.items**2 / self.by_group(self.share**2 * count)
        self.units = self.items if sample.cluster is None else self.pairs.by_group(size)

    @staticmethod
    def fit(sample: Sample, size: int) -> bool:
        """Whether this many groups of a sample can be computed at once."""
        if sample.k**4 > DENSE or size * sample.k**2 > _CELLS:
            return False
        if sample.stratify or sample.shares is not None or sample.strata is not None:
            return False
        weight = np.ones(1) if sample.weight is None else sample.weight[sample.weight > 0]
        return bool(weight.max(initial=0.0) <= _UNEVEN * weight.min(initial=np.inf))

    @classmethod
    def of(cls, sample: Sample, group: Integers, rows: Mask, there: Mask) -> Grouped:
        """Some rows of a sample, in the groups that are ``there``."""
        rows, number = rows & there[group], np.cumsum(there) - 1
        return cls(sample.take(rows), number[group[rows]], int(there.sum()))

    @classmethod
    def one(cls, sample: Sample, model: int = 0) -> Grouped:
        """All rows as one group, with the predictions of one model."""
        chosen = sample if sample.models == 1 else sample.of_models([model])
        return cls(chosen, np.zeros(len(sample.truth), dtype=np.int64), 1)

    def samples(self) -> Iterator[Sample]:
        """The rows of each group."""
        return (self.sample.take(self.group == g) for g in range(self.size))

    def by_group(self, amount: NDArray[Any]) -> Floats:
        """What rows add up to (G,)."""
        return _summed(self.group, amount, self.size)

    def by_cell(self, amount: NDArray[Any]) -> Floats:
        """Return amounts summed by cell (G, K, K)."""
        k = self.sample.k
        found = _summed(self.group * k * k + self.cell, amount, self.size * k * k)
        return found.reshape(self.size, k, k)

    @cached_property
    def pairs(self) -> GroupClusters:
        """The groups and clusters that have rows together."""
        assert self.sample.cluster is not None
        cluster = np.unique(self.sample.cluster, return_inverse=True)[1]
        size = int(cluster.max(initial=0)) + 1
        found, of_row = np.unique(self.group * size + cluster, return_inverse=True)
        return GroupClusters(found // size, found % size, of_row)

    @property
    def units_by_class(self) -> Floats:
        """How many independent units each true class is seen in (G, K)."""
        s, k = self.sample, self.sample.k
        if s.cluster is not None:
            seen = np.unique(self.pairs.of_row * k + s.truth)
            place = self.pairs.group[seen // k] * k + seen % k
            return _summed(place, None, self.size * k).reshape(-1, k)
        squares = self.by_cell(self.share**2 * s.count).sum(axis=-1)
        return np.asarray(self.matrices.sum(axis=-1) ** 2 / np.where(squares > 0, squares, 1.0))

    def of_rows(self, table: NDArray[Any]) -> NDArray[Any]:
        """The entries of rows in a table (G, K, K)."""
        return np.asarray(table.reshape(self.size, -1)[self.group, self.cell])

    def of_pairs(self, table: Floats) -> Floats:
        """What each cluster contributes to each of its groups."""
        amount = self.of_rows(table) * self.share * self.sample.count
        return _summed(self.pairs.of_row, amount)

    def powers(self, table: Floats) -> tuple[Floats, Floats]:
        """Rows contribute what their weights say, and those of a cluster together."""
        if self.sample.cluster is None:
            rows, count = self.of_rows(table) * self.share, self.sample.count
            return self.by_group(rows**2 * count), self.by_group(rows**4 * count)
        both, group = self.of_pairs(table), self.pairs.group
        return _summed(group, both**2, self.size), _summed(group, both**4, self.size)

    def of_class(self, level: int, there: Mask) -> Grouped:
        """The rows of the class."""
        return Grouped.of(self.sample, self.group, self.sample.truth == level, there)

    def calls(self, call: Integers, there: Mask) -> Grouped:
        """The rows with another truth and prediction."""
        predicted = self.of_rows(call)
        return Grouped.of(self.sample.called(predicted), self.group, predicted >= 0, there)


class GroupClusters(NamedTuple):
    """Groups and clusters that have rows together."""

    group: Integers  # (P,)
    cluster: Integers  # (P,), numbers from 0 without a gap
    of_row: Integers  # (U,), the pair of each row

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def crossing(self) -> Mask:
        """The pairs of clusters that are in several groups."""
        return np.bincount(self.cluster)[self.cluster] > 1

    def by_group(self, size: int) -> Floats:
        """How many clusters each group has."""
        return _summed(self.group, None, size)


class Rest(Stack):
    """All other groups together, next to each of several."""

    def __init__(self, own: Grouped) -> None:
        self.own, count = own, own.sample.count
        self._sums = {p: _others(own.by_cell(own.weight**p * count)) for p in (1, 2, 4)}
        self.items = _others(own.items)
        total, squares = (self._sums[p].sum(axis=(-2, -1)) for p in (1, 2))
        self.scale = self.items / total  # from weights to shares
        self.matrices = self._sums[1] * self.scale[:, None, None]
        self.counts = _shown(_others(own.given), self.matrices)
        self.effective = total**2 / squares
        self.units = self.items
        if own.sample.cluster is not None:
            within = own.pairs.group[~own.pairs.crossing]
            self.units = own.pairs.clusters - _summed(within, None, own.size)

    def samples(self) -> Iterator[Sample]:
        """The rows of all other groups."""
        return (self.own.sample.take(self.own.group != g) for g in range(self.own.size))

    def powers(self, table: Floats) -> tuple[Floats, Floats]:
        """From sums over the rows of each cell; of clusters, from what each of them adds."""
        table = table * self.scale[:, None, None]
        if self.own.sample.cluster is None:
            return _weighed(table**2, self._sums[2]), _weighed(table**4, self._sums[4])
        return self._powers_of_clusters(table.reshape(self.own.size, -1), self._left(table))

    def _powers_of_clusters(self, flat: Floats, left: Floats) -> tuple[Floats, Floats]:
        """Of tables (G, K * K); ``left`` is what clusters of each group add without it.

        With many groups and clusters the powers of all clusters come first, and those of a group's
        own leave them. Where these are nearly all, the difference would lose digits.
        """
        expanded = Expanded.of(flat, self._clusters)
        if expanded is None:
            return self._one_by_one(flat, left, np.arange(len(flat)))
        mine = self._of_whole_clusters(flat, np.arange(len(left)))
        second, fourth = expanded.powers()
        lost = fourth < 0
        for found, power in ((second, 2), (fourth, 4)):
            whole = found + self._by_group(left**power)
            np.subtract(whole, self._by_group(mine**power), out=found)
            lost |= found < _LOST * whole
        again = np.flatnonzero(lost)
        second[again], fourth[again] = self._one_by_one(flat, left, again)
        return second, fourth

    def _by_group(self, amount: Floats) -> Floats:
        """What the pairs of each group and its clusters add up to (G,)."""
        return _summed(self.own.pairs.group, amount, self.own.size)

    def _one_by_one(self, flat: Floats, left: Floats, groups: Integers) -> tuple[Floats, Floats]:
        """Yield the contributions of each cluster to each group, in order."""
        pairs, clusters = self.own.pairs, self._clusters
        if np.prod(clusters.shape) <= _DENSE_CELLS:
            clusters = clusters.toarray()
        second, fourth, start = np.empty(len(groups)), np.empty(len(groups)), 0
        for n in blocks(len(groups), 8 * pairs.clusters):
            some = groups[start : start + n]
            parts = clusters @ flat[some].T
            mine = np.flatnonzero(np.isin(pairs.group, some))
            parts[pairs.cluster[mine], np.searchsorted(some, pairs.group[mine])] = left[mine]
            parts *= parts
            second[start : start + n] = parts.sum(axis=0)
            fourth[start : start + n] = np.einsum("cg,cg->g", parts, parts)
            start += n
        return second, fourth

    @cached_property
    def _clusters(self) -> Any:
        """What each cluster weighs in each cell, sparse: (clusters, K * K)."""
        from scipy.sparse import csr_array

        own, k = self.own, self.own.sample.k
        entries = own.weight * own.sample.count, (own.pairs.cluster[own.pairs.of_row], own.cell)
        return csr_array(entries, shape=(own.pairs.clusters, k * k))

    def _left(self, table: Floats) -> Floats:
        """What is left of each cluster without its rows in each of its groups."""
        own, pairs = self.own, self.own.pairs
        mine = _summed(pairs.of_row, own.of_rows(table) * own.weight * own.sample.count)
        found, crossing = np.zeros(len(mine)), np.flatnonzero(pairs.crossing)
        whole = self._of_whole_clusters(table.reshape(own.size, -1), crossing)
        found[crossing] = whole - mine[crossing]
        return found

    def _of_whole_clusters(self, flat: Floats, which: Integers) -> Floats:
        """What all rows of the cluster of some pairs contribute, by the table of their group."""
        pairs, found, start = self.own.pairs, np.empty(len(which)), 0
        for n in blocks(len(which), 8 * flat.shape[1]):
            p = which[start : start + n]
            whole = self._clusters[pairs.cluster[p]].multiply(flat[pairs.group[p]])
            found[start : start + n] = np.asarray(whole.sum(axis=1)).ravel()
            start += n
        return found

    @property
    def shares_clusters(self) -> bool:
        """Whether some clusters are both in a group and in its rest."""
        return self.own.sample.cluster is not None and bool(self.own.pairs.crossing.any())

    def covariance(self, own: Floats, rest: Floats) -> Floats:
        """The covariance (G,) of groups and rests, from the tables of what items contribute."""
        left = self._left(rest * self.scale[:, None, None])
        return self._by_group(self.own.of_pairs(own) * left)


class Expanded(NamedTuple):
    """Tables and clusters in a few directions, and the products of these, two by two.

    The square of a sum of products is a sum of products of such pairs, and its fourth power a form
    of them. So powers of all clusters next to each table need no loop over the clusters.
    """

    tables: Floats  # (G, D)
    total: Floats  # (D,), of all clusters
    form: Floats  # (D, D)

    @classmethod
    def of(cls, flat: Floats, clusters: Any) -> Expanded | None:
        """Of tables (G, K * K) and clusters (C, K * K); None if one by one is quicker."""
        g, c = len(flat), clusters.shape[0]
        if g * c <= _PAIRWISE:
            return None
        flat = np.where(clusters.sum(axis=0) != 0, flat, 0.0)  # no item is in the other cells
        _, sizes, directions = np.linalg.svd(flat, full_matrices=False)
        directions = directions[sizes > _NO_SIZE * sizes[0]].T
        r = directions.shape[1]
        d = r * (r + 1) // 2
        if d * d > _FORM or d * d * (g + c) > g * c * r:
            return None
        total, form, start = np.zeros(d), np.zeros((d, d)), 0
        for n in blocks(c, 8 * d):
            products = _products(clusters[start : start + n] @ directions)
            total += products.sum(axis=0)
            form += products.T @ products
            start += n
        return cls(_products(flat @ directions), total, form)

    def powers(self) -> tuple[Floats, Floats]:
        """The second and the fourth powers (G,), each summed over all clusters."""
        fourth = np.einsum("gd,gd->g", self.tables @ self.form, self.tables)
        return self.tables @ self.total, fourth


def _products(x: Floats) -> Floats:
    """Products of columns, two by two, so that the inner product of two rows is a square."""
    i, j = np.triu_indices(x.shape[1])
    return np.asarray(x[:, i] * x[:, j] * np.where(i == j, 1.0, 2**0.5))


def _summed(number: Integers, amount: NDArray[Any] | None, size: int = 0) -> Floats:
    """What the rows of each number add up to; without amounts, how many there are."""
    return np.bincount(number, amount, size).astype(np.float64)


def _weighed(table: NDArray[Any], matrices: Floats) -> Floats:
    """The sums (G,) of tables over the items of matrices (G, K, K)."""
    return np.asarray(np.einsum("gij,gij->g", table, matrices))


def _shown(given: Floats, scaled: Floats) -> Floats:
    """Matrices as they were given if they are whole, otherwise scaled to the number of items."""
    whole = ((given % 1 == 0) & (given < 2**53)).all(axis=(-2, -1))
    return np.where(whole[:, None, None], given, scaled)


def _others(amounts: Floats) -> Floats:
    """What all others than each amount to (G, ...): differences from the sum would lose digits."""
    before, after = np.zeros_like(amounts), np.zeros_like(amounts)
    np.cumsum(amounts[:-1], axis=0, out=before[1:])
    np.cumsum(amounts[:0:-1], axis=0, out=after[-2::-1])
    return before + after
