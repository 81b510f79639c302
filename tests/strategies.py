"""Hypothesis strategies that the property tests share: labels, matrices and stacks of them.

They reach the cases that break measures: one class, one item, classes that never occur, constant
predictions. Positions stand for labels; the scale of k classes is range(k).
"""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

MAX_K = 6
MAX_ITEMS = 12
MAX_COUNT = 9

Matrix = NDArray[np.int64]


class Items(NamedTuple):
    """Positions of the true and of the predicted class of each item, and the number of classes."""

    t: list[int]
    p: list[int]
    k: int

    @property
    def matrix(self) -> Matrix:
        """How often each true class met each predicted class."""
        counts = np.zeros((self.k, self.k), dtype=np.int64)
        np.add.at(counts, (self.t, self.p), 1)
        return counts


def sizes(max_k: int = MAX_K) -> st.SearchStrategy[int]:
    """Numbers of classes."""
    return st.integers(1, max_k)


def items_of(k: int, max_items: int = MAX_ITEMS) -> st.SearchStrategy[Items]:
    """Items of k classes, at least one; few items leave classes absent."""
    position = st.integers(0, k - 1)
    pairs = st.lists(st.tuples(position, position), min_size=1, max_size=max_items)
    return pairs.map(lambda drawn: Items([t for t, _ in drawn], [p for _, p in drawn], k))


def labels(max_k: int = MAX_K, max_items: int = MAX_ITEMS) -> st.SearchStrategy[Items]:
    """Items of any number of classes."""
    return sizes(max_k).flatmap(lambda k: items_of(k, max_items))


def stacks_of(
    k: int, shape: tuple[int, ...] = (), max_count: int = MAX_COUNT
) -> st.SearchStrategy[Matrix]:
    """Stacks of matrices of k classes, sparse ones (absent classes, no items) and dense ones."""
    cells: Any = st.integers(0, max_count)
    return st.one_of(
        arrays(np.int64, (*shape, k, k), elements=cells, fill=st.just(0)),
        arrays(np.int64, (*shape, k, k), elements=cells, fill=st.nothing()),
    )


def matrices(max_k: int = MAX_K, max_count: int = MAX_COUNT) -> st.SearchStrategy[Matrix]:
    """Matrices of any number of classes, the one without items included."""
    return sizes(max_k).flatmap(lambda k: stacks_of(k, (), max_count))


def stacks(shape: tuple[int, ...], max_k: int = MAX_K) -> st.SearchStrategy[Matrix]:
    """Stacks of a given shape, of any number of classes."""
    return sizes(max_k).flatmap(lambda k: stacks_of(k, shape))


def perfect_matrices(max_k: int = MAX_K) -> st.SearchStrategy[Matrix]:
    """Matrices without an error, at least one item."""
    sizes_of_classes = st.lists(st.integers(0, MAX_COUNT), min_size=1, max_size=max_k)
    return sizes_of_classes.filter(any).map(lambda drawn: np.diag(np.array(drawn)))
