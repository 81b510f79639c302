"""Search for the smallest data on which a property of a measure breaks.

First all data of few items and classes, in order of size; then few items beside many that all
labelings put in one class; then random data, guided towards those on which the property holds by
the least. What is found among larger data is made smaller as long as it still breaks the property.
 Data are arrays of counts with one axis for each labeling:
class sizes (K,), a confusion matrix (K, K), or three labelings of the same items (K, K, K).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.exceptions import ParameterError
from ordeval.inference.intervals import values_of
from ordeval.measures import Metric

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EXPENSIVE: Final = 100  # so many data at a time are all that such a measure is asked about
_CROWDED: Final = {2: 3, 3: 2, 4: 2}  # for each K, the items that stand out
_MANY: Final = (10, 100)
_RANDOM_K: Final = (2, 3, 4, 5, 6)
_RANDOM_DATA: Final = 200  # for each number of classes and each round
_ROUNDS: Final = 3
_KEPT: Final = 40  # of each round, to start the next from


class Variant(NamedTuple):
    """What is compared on each of some data (B, ...): where it applies, and the matrices."""

    applies: NDArray[np.bool_]  # (B,)
    matrices: tuple[Integers, ...]  # each (B, K, K)


@dataclass(frozen=True)
class Law:
    """A property in a form that can be searched for data that break it."""

    axes: int  # of the data
    variants: Callable[[Integers], Iterator[Variant]]
    slack: Callable[[Metric, tuple[Floats, ...], int], Floats]  # below 0 where broken
    sizes: Mapping[int, int]  # for each K, the most items of the exhaustive search
    undefined_breaks: bool = False  # a value that is lost, or gained, breaks it too
    random: bool = True  # whether more than small data can matter


class Broken(NamedTuple):
    """Data that break a law, with the matrices that were compared and their values."""

    data: Integers
    matrices: tuple[Integers, ...]
    values: tuple[float, ...]


@dataclass
class _Tally:
    """Cases that were tried, and the first in which a value was lost or gained."""

    cases: int = 0
    undefined: Broken | None = None


def search(
    law: Law, metric: Metric, fitting: Iterable[int], rng: np.random.Generator
) -> tuple[Broken | None, int]:
    """The smallest data found that break a law, and the number of cases that were tried.

    ``fitting`` are the numbers of classes that the measure can be asked about.
    """
    tally, ks = _Tally(), tuple(fitting)
    for items, k in sorted((n, k) for k, most in law.sizes.items() for n in range(1, most + 1)):
        if k not in ks or (metric.expensive and comb(k**law.axes + items - 1, items) > _EXPENSIVE):
            continue
        broken, _ = _first(law, metric, all_data(k, law.axes, items), tally)
        if broken is not None:
            return broken, tally.cases
    if law.random and not metric.expensive:
        for broken in _among_larger(law, metric, ks, rng, tally):
            if broken is not None:
                return _shrunk(law, metric, broken, ks), tally.cases
    return tally.undefined, tally.cases


def _among_larger(
    law: Law, metric: Metric, ks: tuple[int, ...], rng: np.random.Generator, tally: _Tally
) -> Iterator[Broken | None]:
    for k, few in _CROWDED.items():
        if k in ks:
            yield _first(law, metric, _crowded(k, law.axes, few), tally)[0]
    for k in _RANDOM_K:
        if k in ks:
            yield _guided(law, metric, k, rng, tally)


def _crowded(k: int, axes: int, few: int) -> Integers:
    """Few items anywhere, beside many that every labeling puts in the same class."""
    alone = all_data(k, axes, few)
    crowd = np.zeros((k, *alone.shape[1:]), dtype=np.int64)
    crowd[(np.arange(k),) * (axes + 1)] = 1
    return np.concatenate([alone + many * one for many in _MANY for one in crowd])


@lru_cache(maxsize=64)
def all_data(k: int, axes: int, items: int) -> Integers:
    """All ways (B, K, ...) to put some items into the cells."""
    cells = np.array(list(combinations_with_replacement(range(k**axes), items)))
    first = np.arange(len(cells))[:, None] * k**axes
    counts = np.bincount((first + cells).ravel(), minlength=len(cells) * k**axes)
    counts.flags.writeable = False  # it is kept for the next measure
    return counts.reshape(len(cells), *(k,) * axes)


def fits(metric: Metric, k: int) -> bool:
    """Whether the measure's parameters allow K classes; a cost matrix is for one K only."""
    try:
        metric.check_parameters({}, k)
    except ParameterError:
        return False
    return True


def _first(law: Law, metric: Metric, data: Integers, tally: _Tally) -> tuple[Broken | None, Floats]:
    """The first of the data that break the law, and the least slack of each."""
    least = np.full(len(data), np.inf)
    best: tuple[int, Broken] | None = None
    for variant in law.variants(data):
        rows = np.flatnonzero(variant.applies)
        if not len(rows) or not all(fits(metric, m.shape[-1]) for m in variant.matrices):
            continue
        matrices = tuple(m[rows] for m in variant.matrices)
        values = tuple(np.asarray(values_of(metric, m), dtype=np.float64) for m in matrices)
        slack = law.slack(metric, values, matrices[0].shape[-1])
        known = ~np.isnan(slack)
        tally.cases += int(known.sum())
        least[rows[known]] = np.minimum(least[rows[known]], slack[known])
        breaking = np.flatnonzero(known & (slack < 0))
        if len(breaking) and (best is None or rows[breaking[0]] < best[0]):
            best = int(rows[breaking[0]]), _case(data[rows], matrices, values, breaking[0])
        if law.undefined_breaks and tally.undefined is None:
            lost = np.flatnonzero(np.isnan(values[0]) != np.isnan(values[-1]))
            if len(lost):
                tally.undefined = _case(data[rows], matrices, values, lost[0])
    return (None if best is None else best[1]), least


def _case(
    data: Integers, matrices: tuple[Integers, ...], values: tuple[Floats, ...], i: np.intp
) -> Broken:
    return Broken(data[i], tuple(m[i] for m in matrices), tuple(float(v[i]) for v in values))


def _guided(
    law: Law, metric: Metric, k: int, rng: np.random.Generator, tally: _Tally
) -> Broken | None:
    data = _random_data(k, law.axes, rng)
    for _ in range(_ROUNDS):
        broken, slack = _first(law, metric, data, tally)
        if broken is not None:
            return broken
        nearest = data[np.argsort(slack, kind="stable")[:_KEPT]]
        data = _changed(np.repeat(nearest, _RANDOM_DATA // _KEPT, axis=0), rng)
    return None


def _random_data(k: int, axes: int, rng: np.random.Generator) -> Integers:
    """Dense and sparse data, even and lopsided ones, and single items beside one full cell."""
    each = (_RANDOM_DATA, *(1,) * axes)
    shape = (_RANDOM_DATA, *(k,) * axes)
    largest = 10.0 ** rng.uniform(0, 2, each)
    share = rng.random(shape) ** rng.choice([1, 4], each)
    filled = rng.random(shape) < rng.uniform(0.3, 1.5, each)
    full = (share >= share.max(axis=tuple(range(1, axes + 1)), keepdims=True)) * largest
    counts = np.where(rng.random(each) < 0.3, np.maximum(full, filled), largest * share * filled)
    return np.asarray(np.ceil(counts), dtype=np.int64)


def _changed(data: Integers, rng: np.random.Generator) -> Integers:
    """Some cells one item more or less, some emptied, some doubled."""
    step = rng.integers(-1, 2, data.shape)
    factor = rng.choice([0, 1, 2], data.shape, p=[0.05, 0.9, 0.05])
    return np.asarray(np.maximum(data * factor + step, 0), dtype=np.int64)


def _shrunk(law: Law, metric: Metric, broken: Broken, ks: tuple[int, ...]) -> Broken:
    """Fewer classes, then fewer items, as long as the law stays broken."""
    while True:
        for smaller in _smaller(broken.data, ks):
            found, _ = _first(law, metric, smaller, _Tally())
            if found is not None:
                broken = found
                break
        else:
            return broken


def _smaller(data: Integers, ks: tuple[int, ...]) -> Iterator[Integers]:
    """Stacks of smaller data, the boldest steps first."""
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
