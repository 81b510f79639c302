"""Printed tables that give measures of confusion matrices."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Integers
from ordeval.data.accumulator import as_counts
from ordeval.measures import get_metric
from ordeval.papers._exhibits import Draft
from ordeval.papers._values import Value, agrees

_DIGITS: Final = 12  # beyond them, values differ by rounding only
Matrix = tuple[tuple[int, ...], ...]  # rows truth, columns prediction


@dataclass(frozen=True)
class Heading:
    """A column of a table: its heading, a measure and the parameters."""

    heading: str
    metric: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def of(self, matrices: Any) -> Any:
        """The measure of a matrix or of a stack of them; NaN where it is undefined."""
        n, metric = as_counts(matrices), get_metric(self.metric)
        return metric.evaluate(n, metric.check_parameters(self.params, n.shape[-1]))

    def utility(self, matrix: Matrix) -> float:
        """The measure of a matrix, turned so that greater is better."""
        return round(float(get_metric(self.metric).utility(self.of(matrix))), _DIGITS)


@dataclass(frozen=True)
class Row:
    """A row of a table: the matrix, and the values as they are printed, separated by blanks.

    An asterisk stands where no value is printed.
    """

    name: str
    matrix: Matrix
    printed: str
    misprints: Mapping[str, str] = field(default_factory=dict)  # by heading: why

    @property
    def texts(self) -> list[str]:
        """The printed values, column by column."""
        return self.printed.split()


@dataclass(frozen=True)
class MatrixTable:
    """A printed table: each row is a matrix, and each column a measure of it."""

    columns: tuple[Heading, ...]
    rows: tuple[Row, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of the columns."""
        return tuple(c.heading for c in self.columns)

    def printed(self, row: Row) -> dict[str, str]:
        """What is printed in a row, by heading."""
        cells = zip(self.headings, row.texts, strict=True)
        return {heading: text for heading, text in cells if text != "*"}

    def values(
        self, draft: Draft, why: Mapping[tuple[str, str], str] | None = None
    ) -> Iterator[Value]:
        """Every printed value next to the measure of its matrix.

        Misprints are explained in their row, or in ``why`` by row and heading.
        """
        for row in self.rows:
            texts = self.printed(row)
            for c in self.columns:
                if c.heading in texts:
                    explained = (why or {}).get((row.name, c.heading), "")
                    yield draft.printed(row.name, c.heading, texts[c.heading]).exact(
                        c.of(row.matrix), explained or row.misprints.get(c.heading, "")
                    )

    def utilities(self) -> dict[tuple[str, str], float]:
        """The measures by heading and row, turned so that greater is better."""
        return {
            (c.heading, row.name): c.utility(row.matrix) for c in self.columns for row in self.rows
        }

    def giving(self, row: Row, matrices: Iterable[Matrix], but: str = "") -> list[Matrix]:
        """The matrices that reproduce every printed value of a row except one."""
        texts = self.printed(row)
        wanted = [c for c in self.columns if c.heading in texts and c.heading != but]
        return [m for m in matrices if all(agrees(texts[c.heading], c.of(m)) for c in wanted)]


def one_item_moved(matrix: Matrix) -> Iterator[Matrix]:
    """All matrices that differ from this one in the cell of a single item."""
    for fewer in one_item_removed(matrix):
        for end in np.ndindex(len(matrix), len(matrix)):
            moved = np.array(fewer)
            moved[end] += 1
            if frozen(moved) != matrix:
                yield frozen(moved)


def one_item_removed(matrix: Matrix) -> Iterator[Matrix]:
    """All matrices with one item less."""
    n = np.array(matrix)
    for cell in np.argwhere(n):
        fewer = n.copy()
        fewer[tuple(cell)] -= 1
        yield frozen(fewer)


def frozen(n: Any) -> Matrix:
    """Convert an array to a tuple of rows."""
    return tuple(tuple(int(x) for x in row) for row in n)


def transposed(matrix: Matrix) -> Matrix:
    """For papers that print predicted classes as rows."""
    return tuple(zip(*matrix, strict=True))


def listed(matrix: Matrix) -> list[list[int]]:
    """A matrix as it is written in code."""
    return [list(row) for row in matrix]


def tridiagonal(k: int) -> Integers:
    """Ones on the diagonal and next to it.

    >>> tridiagonal(3).tolist()
    [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    """
    i = np.arange(k)
    return (abs(i - i[:, None]) <= 1).astype(np.int64)


def figures_of(paper: str) -> dict[str, Any]:
    """What the file of a paper in ``printed`` holds, with tuples instead of lists."""
    file = Path(__file__).parent / "printed" / f"{paper}.toml"
    found: dict[str, Any] = _with_tuples(tomllib.loads(file.read_text(encoding="utf-8")))
    return found


def _with_tuples(held: Any) -> Any:
    if isinstance(held, dict):
        return {key: _with_tuples(x) for key, x in held.items()}
    return tuple(map(_with_tuples, held)) if isinstance(held, list) else held


def headings_of(listed: Iterable[tuple[Any, ...]]) -> tuple[Heading, ...]:
    """The columns of a table, as the file of a paper lists them."""
    return tuple(Heading(*column) for column in listed)


def rows_of(listed: Iterable[dict[str, Any]], *, turned: bool = False) -> tuple[Row, ...]:
    """The rows of a table; ``turned`` of papers that print predicted classes as rows."""
    found = (Row(**row) for row in listed)
    return tuple(replace(row, matrix=transposed(row.matrix)) if turned else row for row in found)
