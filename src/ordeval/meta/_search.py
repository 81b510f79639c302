"""Search for the smallest data on which a property of a measure fails.

The search tries all data with few items and classes, in order of size; then few items next to many
items that all labellings put in one class; then random data, guided towards those with the
smallest slack. A case found among larger data is shrunk as long as it still breaks the property.
Data are arrays of counts with one axis for each labelling: class sizes (K,), a confusion matrix
(K, K), or three labellings of the same items (K, K, K).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric

Slack = Callable[[Metric, tuple[Floats, ...], int], Any]  # values on K classes: negative if broken

_EXPENSIVE: Final = 100  # batch size for an expensive measure
_CROWDED: Final = {2: 3, 3: 2, 4: 2}  # for each K, the items outside the large class
_MANY: Final = (10, 100)
_RANDOM_K: Final = (2, 3, 4, 5, 6)
_RANDOM_DATA: Final = 200  # for each number of classes and round
_ROUNDS: Final = 3
_KEPT: Final = 40  # survivors of each round, used to start the next


class Variant(NamedTuple):
    """Matrices (B, K, K) to compare for each of B data, and the data to which they apply."""

    matrices: tuple[Integers, ...]
    applies: NDArray[np.bool_] | None = None  # (B,); None: on all


@dataclass(frozen=True)
class Law:
    """A property, in a form that allows a search for data that break it."""

    variants: Callable[[Integers], Iterator[Variant]]
    slack: Slack  # NaN where the property does not apply
    sizes: Mapping[int, int]  # for each K, the largest size of the exhaustive search
    axes: int  # of the data
    undefined_breaks: bool  # a value that becomes undefined, or defined, also breaks it
    random: bool  # whether data beyond the small ones can matter


class Broken(NamedTuple):
    """Data that break a law, with the compared matrices and their values."""

    data: Integers
    matrices: tuple[Integers, ...]
    values: tuple[float, ...]


@dataclass
class Search:
    """Search for data on which a measure breaks a law."""

    law: Law
    metric: Metric
    ks: tuple[int, ...]  # the numbers of classes the measure supports
    rng: np.random.Generator
    cases: int = 0  # tried so far
    undefined: Broken | None = None  # the first case whose value became undefined or defined

    def run(self) -> Broken | None:
        """Return the smallest data found that break the law."""
        for data in self._small():
            if (broken := self._first(data)[0]) is not None:
                return broken
        if self.law.random and not self.metric.expensive:
            for found in self._among_larger():
                if found is not None:
                    return self._shrunk(found)
        return self.undefined

    def _small(self) -> Iterator[Integers]:
        sizes = ((n, k) for k, most in self.law.sizes.items() for n in range(1, most + 1))
        for items, k in sorted(sizes):
            several = comb(k**self.law.axes + items - 1, items) > _EXPENSIVE
            if k in self.ks and not (self.metric.expensive and several):
                yield all_data(k, self.law.axes, items)

    def _among_larger(self) -> Iterator[Broken | None]:
        for k in self.ks:
            if k in _CROWDED:
                yield self._first(_crowded(k, self.law.axes))[0]
        for k in self.ks:
            if k in _RANDOM_K:
                yield self._guided(k)

    def _first(self, data: Integers) -> tuple[Broken | None, Floats]:
        """Return the first data that break the law, and the smallest slack of each."""
        least = np.full(len(data), np.inf)
        best: tuple[int, Broken] | None = None
        for compared, applies in self.law.variants(data):
            rows = np.arange(len(data)) if applies is None else np.flatnonzero(applies)
            if not len(rows) or not all(fits(self.metric, m.shape[-1]) for m in compared):
                continue
            matrices = tuple(m[rows] for m in compared)
            values = tuple(self._values(m) for m in matrices)
            slack = self.law.slack(self.metric, values, matrices[0].shape[-1])
            known = ~np.isnan(slack)
            self.cases += int(known.sum())
            least[rows[known]] = np.minimum(least[rows[known]], slack[known])
            breaking = np.flatnonzero(known & (slack < 0))
            if len(breaking) and (best is None or rows[breaking[0]] < best[0]):
                case = _case(data[rows], matrices, values, breaking[0])
                best = int(rows[breaking[0]]), case
            if self.law.undefined_breaks and self.undefined is None:
                lost = np.flatnonzero(np.isnan(values[0]) != np.isnan(values[-1]))
                if len(lost):
                    self.undefined = _case(data[rows], matrices, values, lost[0])
        return (None if best is None else best[1]), least

    def _values(self, matrices: Integers) -> Floats:
        metric = self.metric.on(matrices.shape[-1])
        return np.asarray(metric.values(matrices), dtype=np.float64)

    def _guided(self, k: int) -> Broken | None:
        data = _random_data(k, self.law.axes, self.rng)
        for _ in range(_ROUNDS):
            broken, slack = self._first(data)
            if broken is not None:
                return broken
            nearest = data[np.argsort(slack, kind="stable")[:_KEPT]]
            data = _changed(np.repeat(nearest, _RANDOM_DATA // _KEPT, axis=0), self.rng)
        return None

    def _shrunk(self, broken: Broken) -> Broken:
        """Remove classes, then items, as long as the law stays broken."""
        aside = Search(self.law, self.metric, self.ks, self.rng)  # these cases are not counted
        while True:
            for smaller in _smaller(broken.data, self.ks):
                found, _ = aside._first(smaller)
                if found is not None:
                    broken = found
                    break
            else:
                return broken


def fits(metric: Metric, k: int) -> bool:
    """Return whether the measure's parameters allow K classes; a cost matrix fits one K only."""
    try:
        metric.checked_on(k, {})
    except ParameterError:
        return False
    return True


def _case(
    data: Integers, matrices: tuple[Integers, ...], values: tuple[Floats, ...], i: np.intp
) -> Broken:
    return Broken(data[i], tuple(m[i] for m in matrices), tuple(float(v[i]) for v in values))


@lru_cache(maxsize=64)
def all_data(k: int, axes: int, items: int) -> Integers:
    """Return all ways (B, K, ...) to put a number of items into the cells."""
    cells = np.array(list(combinations_with_replacement(range(k**axes), items)))
    first = np.arange(len(cells))[:, None] * k**axes
    counts = np.bincount((first + cells).ravel(), minlength=len(cells) * k**axes)
    counts.flags.writeable = False  # cached for the next measure
    return counts.reshape(len(cells), *(k,) * axes)


def _crowded(k: int, axes: int) -> Integers:
    """Return few items anywhere, next to many items that every labelling puts in the same class."""
    alone = all_data(k, axes, _CROWDED[k])
    crowd = np.zeros((k, *alone.shape[1:]), dtype=np.int64)
    crowd[(np.arange(k),) * (axes + 1)] = 1
    return np.concatenate([alone + many * one for many in _MANY for one in crowd])


def _random_data(k: int, axes: int, rng: np.random.Generator) -> Integers:
    """Return dense, sparse, balanced and skewed data, and single items next to one full cell."""
    each = (_RANDOM_DATA, *(1,) * axes)
    shape = (_RANDOM_DATA, *(k,) * axes)
    largest = 10.0 ** rng.uniform(0, 2, each)
    share = rng.random(shape) ** rng.choice([1, 4], each)
    filled = rng.random(shape) < rng.uniform(0.3, 1.5, each)
    full = (share >= share.max(axis=tuple(range(1, axes + 1)), keepdims=True)) * largest
    counts = np.where(rng.random(each) < 0.3, np.maximum(full, filled), largest * share * filled)
    return np.asarray(np.ceil(counts), dtype=np.int64)


def _changed(data: Integers, rng: np.random.Generator) -> Integers:
    """Return data with some cells changed by one item, some emptied and some doubled."""
    step = rng.integers(-1, 2, data.shape)
    factor = rng.choice([0, 1, 2], data.shape, p=[0.05, 0.9, 0.05])
    return np.asarray(np.maximum(data * factor + step, 0), dtype=np.int64)


def _smaller(data: Integers, ks: tuple[int, ...]) -> Iterator[Integers]:
    """Yield stacks of smaller data, largest reductions first."""
    k = data.shape[0]
    if k - 1 in ks:
        yield np.stack([_without(data, i) for i in range(k)])
    if data.max() > 3:
        yield ((data + 1) // 2)[None]
    cells = np.argwhere(data > 0)
    where = (np.arange(len(cells)), *cells.T)
    for less in (data // 2, data - 1):
        stack = np.repeat(data[None], len(cells), axis=0)
        stack[where] = less[tuple(cells.T)]
        changed = (stack != data).reshape(len(stack), -1).any(axis=1)
        if changed.any():
            yield stack[changed]


def _without(data: Integers, i: int) -> Integers:
    for axis in range(data.ndim):
        data = np.delete(data, i, axis=axis)
    return data
