"""Rows and labels as numbers: which distinct row, or which distinct label, each one is.

Numbers are counted in chunks that fit a processor's cache, as bytes where these suffice: the extra
memory does not grow with the number of items.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import is_name, shown
from ordeval._shared.types import CHUNK, Floats, Integers
from ordeval.data.columns import Column, is_missing
from ordeval.exceptions import LabelError

_SPAN: Final = 10_000  # of integers that number themselves
_MANY: Final = 1 << 24  # rows that can occur, of which there is a list
_PAIRED: Final = 64  # cells; the counts of pairs of more would not stay in a processor's cache


class Coded(Sequence[Any]):
    """A column of labels, held as distinct labels and which of them each row has."""

    __slots__ = ("code", "labels")

    def __init__(self, labels: list[Any], code: Integers) -> None:
        self.labels, self.code = labels, code

    def __len__(self) -> int:
        return len(self.code)

    def __iter__(self) -> Iterator[Any]:
        return map(self.labels.__getitem__, self.code.tolist())

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Coded: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return Coded(self.labels, self.code[place])
        return self.labels[int(self.code[place])]

    def take(self, places: NDArray[Any]) -> Coded:
        """The labels of some rows."""
        return Coded(self.labels, self.code[places])

    def occurring(self) -> Coded:
        """Return the codes without labels that no row has."""
        occurs = np.bincount(self.code, minlength=len(self.labels)) > 0
        if occurs.all():
            return self
        number = np.cumsum(occurs) - 1
        labels = [self.labels[i] for i in np.flatnonzero(occurs).tolist()]
        return Coded(labels, number[self.code].astype(np.int64))


def coded(column: Column) -> Coded:
    """A column as it was read, its labels numbered; not all of them need occur."""
    values = column.values
    if column.categories is not None:
        code = values.astype(np.int64)
        return Coded([*column.categories, None], np.where(code < 0, len(column.categories), code))
    if values.dtype.kind == "i" and len(values):
        plain = narrowed(values)
        low, high = int(plain.min()), int(plain.max())
        if high - low < max(_SPAN, len(plain)):  # integers in a narrow range number themselves
            wide = plain if plain.dtype == np.int8 and low >= 0 else plain.astype(np.int64)
            return Coded([*range(low, high + 1)], wide - wide.dtype.type(low) if low else wide)
    if values.dtype.kind in "iubf":
        distinct, inverse = np.unique(values, return_inverse=True)
        return Coded(distinct.tolist(), inverse.astype(np.int64))
    return coded_list(values.tolist())


def refuse_unhashable(labels: Iterable[Any]) -> None:
    """Refuse values, such as lists, that cannot name anything."""
    strange = next((x for x in labels if not is_name(x)), None)
    if strange is not None:
        raise LabelError(f"labels must be texts, numbers and the like; found {shown(strange)}.")


def coded_list(labels: Sequence[Any]) -> Coded:
    """Labels of any type, numbered; 1 and True are different labels."""
    number: dict[tuple[type, Any], int] = {}
    refuse_unhashable(labels)
    code = np.fromiter(
        (number.setdefault((type(x), x), len(number)) for x in labels), np.int64, len(labels)
    )
    return Coded([label for _, label in number], code)


def of_one_kind(values: Sequence[Any]) -> Sequence[Any]:
    """Values by their text if they are of several kinds, so that no two of them look alike.

    The text "1" and the number 1 are one value then, as they are in CSV; so are "true" and True.
    A zero has no sign.
    """
    held = values.labels if isinstance(values, Coded) else values
    types = set(map(type, held))
    if len(types) > 1 and len({_kind(x) for x in held if not is_missing(x)}) > 1:
        held = [None if is_missing(x) else _text(x) for x in held]
    elif float in types:
        held = [x + 0.0 if isinstance(x, float) else x for x in held]
    else:
        return values
    if not isinstance(values, Coded):
        return held
    again = coded_list(held)
    return Coded(again.labels, again.code[values.code])


def _kind(value: Any) -> type:
    """The type of a value; all numbers are of one."""
    number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    return float if number else type(value)


def _text(value: Any) -> str:
    """A value as CSV writes it; truth values as JSON does."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def numbered(values: Sequence[Any]) -> Integers:
    """A number for each value, the same for values that are equal, whatever their type."""
    number: dict[Any, int] = {}
    found = (number.setdefault(x, len(number)) for x in values)
    return np.fromiter(found, np.int64, len(values))


def first_rows(number: NDArray[Any]) -> Integers:
    """Where each number occurs first; numbers have no gaps."""
    first = np.zeros(int(number.max(initial=-1)) + 1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


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
    # A list of all of them is quicker than sorting.
    if size <= max(len(key) + 1024, min(_MANY, 8 * len(key))) and key.min(initial=0) >= 0:
        present = np.zeros(size, dtype=bool)
        present[key] = True
        number = np.cumsum(present) - 1
        return number[key].astype(np.int64), int(present.sum())
    distinct, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)


def chunks(n: int) -> Iterator[slice]:
    """Parts small enough for a processor's cache."""
    return (slice(start, start + CHUNK) for start in range(0, n, CHUNK))


def ends(values: NDArray[Any]) -> tuple[int, int]:
    """The smallest and the largest of integers, which memory is read for once."""
    parts = [values[part] for part in chunks(len(values))]
    each = [(x.min(), x.max()) for x in parts]
    return int(min(low for low, _ in each)), int(max(high for _, high in each))


def narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Integers from 0 to 127 as bytes, on which all arithmetic is quicker; others as they are."""
    if values.dtype.kind == "b":
        return values.view(np.int8)
    # One look tells: of numbers without a sign, those below 0 are the largest.
    unsigned = values.view(values.dtype.str.replace("i", "u"))
    return values.astype(np.int8) if len(values) and unsigned.max() < 128 else values


def fused(codes: Sequence[NDArray[Any]], sizes: Sequence[int]) -> NDArray[Any]:
    """One number for each row of codes, each below its size; in few bytes where they suffice."""
    total, narrow = math.prod(sizes), all(x.dtype == np.int8 for x in codes)
    few = narrow and total < 1 << 15  # the largest size itself must fit
    kind: Any = np.int8 if few and total < 1 << 7 else np.int16 if few else np.intp
    key, *others = codes
    for x, size in zip(others, sizes[1:], strict=True):
        key = np.multiply(key, size, dtype=kind, casting="unsafe")
        np.add(key, x, out=key, casting="unsafe")
    return key


def tally(cells: NDArray[Any], size: int, weights: Floats | None = None) -> NDArray[Any]:
    """How many items, or what weight, each of ``size`` cells has."""
    if weights is not None or cells.dtype != np.int8 or size > _PAIRED:
        return np.bincount(cells.astype(np.intp, copy=False), weights, minlength=size)
    # Neighbours are counted as one number, and half as many are counted in half the time.
    even = len(cells) - len(cells) % 2
    pair = cells[:even].view(np.uint16)
    pair = pair - (pair >> 8) * np.uint16(256 - size)
    counts = np.bincount(pair.astype(np.intp), minlength=size**2).reshape(size, size)
    each: NDArray[Any] = counts.sum(axis=0) + counts.sum(axis=1)
    each[cells[even:]] += 1
    return each
