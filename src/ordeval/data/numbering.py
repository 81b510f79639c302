"""Rows and labels as numbers: which distinct row, or which distinct label, each one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.columns import Column
from ordeval.data.rows import DistinctRows


class Coded(NamedTuple):
    """A column by its distinct labels, and which of them each item has."""

    labels: list[Any]
    code: Integers


def coded(column: Column) -> Coded:
    """A column as it was read, its labels numbered."""
    values = column.values
    if column.categories is not None:
        code = values.astype(np.int64)
        return Coded([*column.categories, None], np.where(code < 0, len(column.categories), code))
    if values.dtype.kind in "iubf":
        distinct, inverse = np.unique(values, return_inverse=True)
        return Coded(distinct.tolist(), inverse.astype(np.int64))
    return coded_list(values.tolist())


def coded_list(labels: Sequence[Any]) -> Coded:
    """Labels of any type, numbered; 1 and True are different labels."""
    number: dict[tuple[type, Any], int] = {}
    code = np.fromiter(
        (number.setdefault((type(x), x), len(number)) for x in labels), np.int64, len(labels)
    )
    return Coded([label for _, label in number], code)


def with_each(
    columns: Mapping[str, Coded], numbers: Mapping[str, Floats], **more: Any
) -> DistinctRows:
    """The distinct rows of some columns, and the numbers of each item."""
    row = number_rows([c.code for c in columns.values()])
    size = int(row.max(initial=-1)) + 1
    first = np.zeros(size, dtype=np.int64)
    first[row[::-1]] = np.arange(len(row))[::-1]
    return DistinctRows(
        columns={c: _picked(x, first) for c, x in columns.items()},
        count=np.bincount(row, minlength=size).astype(np.int64), row=row, numbers=dict(numbers),
        **more,
    )  # fmt: skip


def _picked(column: Coded, places: NDArray[np.int64]) -> list[Any]:
    return [column.labels[i] for i in column.code[places].tolist()]


def number_rows(columns: Sequence[Integers]) -> Integers:
    """The number of the distinct row that each row is."""
    key, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        levels = int(column.max(initial=0)) + 1
        if size * levels >= 1 << 62:
            key, size = _renumbered(key, size)
        key, size = key * levels + column, size * levels
    return _renumbered(key, size)[0]


def _renumbered(key: Integers, size: int) -> tuple[Integers, int]:
    """Numbers below ``size`` without gaps, in the same order, and how many there are."""
    if (
        size <= 2 * len(key) + 1024 and key.min(initial=0) >= 0
    ):  # a list of all of them is quicker than sorting
        present = np.zeros(size, dtype=bool)
        present[key] = True
        number = np.cumsum(present) - 1
        return number[key].astype(np.int64), int(present.sum())
    distinct, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)
