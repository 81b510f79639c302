"""Tables of measures of printed confusion matrices."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ordeval.exceptions import UndefinedMetricWarning
from ordeval.measures import get_metric
from ordeval.papers._values import Maker, Value, agrees

_DIGITS: Final = 12  # beyond them values differ by rounding only
Matrix = tuple[tuple[int, ...], ...]  # rows truth, columns prediction


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, a measure and the parameters."""

    heading: str
    metric: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def of(self, matrices: Any) -> Any:
        """The measure of a matrix or of a stack of them; NaN where it is undefined."""
        with warnings.catch_warnings():
            # Some of the papers' own examples leave a measure undefined, and they say NA.
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return get_metric(self.metric).from_confusion(matrices, **self.params)


@dataclass(frozen=True)
class Row:
    """A row of a table: the matrix, and the values as they are printed, blank-separated."""

    name: str
    matrix: Matrix
    printed: str
    misprints: Mapping[str, str] = field(default_factory=dict)  # by heading: why

    @property
    def texts(self) -> list[str]:
        """The printed values, column by column; an asterisk where none is printed."""
        return self.printed.split()


def matrix_table(make: Maker, columns: Iterable[Column], rows: Iterable[Row]) -> list[Value]:
    """Every printed value of every row beside the measure of its matrix."""
    columns = tuple(columns)
    return [
        make.exact(row.name, c.heading, text, c.of(row.matrix), row.misprints.get(c.heading, ""))
        for row in rows
        for c, text in zip(columns, row.texts, strict=True)
        if text != "*"
    ]


def utilities(columns: Iterable[Column], rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    """The measures by heading and row, turned so that greater is better."""
    return {
        (c.heading, row.name): round(float(get_metric(c.metric).utility(c.of(row.matrix))), _DIGITS)
        for c in columns
        for row in rows
    }  # fmt: skip


def agreeing(columns: Iterable[Column], printed: str, matrices: Iterable[Matrix]) -> list[Matrix]:
    """The matrices that give every printed value of a row."""
    wanted = list(zip(columns, printed.split(), strict=True))
    return [
        m for m in matrices if all(agrees(text, c.of(m)) for c, text in wanted if text != "*")
    ]  # fmt: skip


def one_item_moved(matrix: Matrix) -> Iterator[Matrix]:
    """All matrices that differ from this one in the cell of a single item."""
    n = np.array(matrix)
    for start in np.argwhere(n):
        for end in np.ndindex(n.shape):
            if tuple(start) != end:
                moved = n.copy()
                moved[tuple(start)] -= 1
                moved[end] += 1
                yield frozen(moved)


def one_item_removed(matrix: Matrix) -> Iterator[Matrix]:
    """All matrices with one item less."""
    n = np.array(matrix)
    for cell in np.argwhere(n):
        fewer = n.copy()
        fewer[tuple(cell)] -= 1
        yield frozen(fewer)


def frozen(n: Any) -> Matrix:
    """An array as a matrix of this module."""
    return tuple(tuple(int(x) for x in row) for row in n)


def transposed(matrix: Matrix) -> Matrix:
    """For papers that print predicted classes as rows."""
    return frozen(np.array(matrix).T)


def tridiagonal(k: int) -> Any:
    """Ones on the diagonal and beside it.

    >>> tridiagonal(3).tolist()
    [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    """
    i = np.arange(k)
    return (abs(i - i[:, None]) <= 1).astype(np.int64)
