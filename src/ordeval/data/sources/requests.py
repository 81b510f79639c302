"""What is asked of the reader of a file, and how the rows of several files become one answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ordeval._shared.types import Progress
from ordeval.data.columns import Place, Places
from ordeval.data.numbering import coded_list, first_rows, number_rows
from ordeval.data.positions import shortened
from ordeval.data.probabilities import refuse_rounded
from ordeval.data.sources.filters import Where
from ordeval.data.sources.numbers_as_text import decimal_hint
from ordeval.data.sources.paths import Part
from ordeval.data.sources.rows import DistinctRows, check_columns
from ordeval.exceptions import LabelError

T = TypeVar("T")
ReadPart = Callable[[Part, Progress | None], DistinctRows]


@dataclass(frozen=True)
class Wanted:
    """The columns that are read, and those that the folders of the files stand for."""

    columns: tuple[str, ...]
    weight: str | None = None
    keys: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()  # read for each item; then there is no weight
    where: Where | None = None  # which rows are read
    decimal: str = ""  # of numbers in CSV; empty if it is to be found out

    @property
    def all(self) -> list[str]:
        """The columns, and then those of numbers, or the weight if there is one."""
        return [*self.columns, *self.numbers, *([] if self.weight is None else [self.weight])]

    @property
    def tested(self) -> list[str]:
        """The columns that the filter looks at."""
        return [] if self.where is None else self.where.columns

    @property
    def needed(self) -> list[str]:
        """The columns that are read or looked at, each once."""
        return list(dict.fromkeys([*self.all, *self.tested]))

    def check(self, present: Sequence[str]) -> None:
        """Raise a LabelError unless a file has each column once."""
        self.check_keys(present)
        check_columns(self.needed, present)

    def check_keys(self, present: Sequence[str]) -> None:
        """Raise a LabelError if a file has a column that its folder stands for, too."""
        for key in self.keys:
            if key in present:
                raise LabelError(
                    f"{key!r} is both a column of the files and part of the names of their "
                    "folders. Rename the folders or the column."
                )


def number_in(column: str, value: Any, place: str) -> float:
    """The number that a field holds or writes; NaN if it is empty."""
    text = value.strip() if isinstance(value, str) else value
    if text is None or text == "":
        return math.nan
    try:
        # Python would read 1_000 as a number.
        number = float("no" if isinstance(text, (str, bytes)) and "_" in str(text) else text)
    except ValueError:
        raise not_a_number(column, value, place) from None
    if abs(number) >= 2**53 and re.fullmatch("[+-]?[0-9]+", str(text)):
        refuse_rounded(f"the column {column!r}", np.array([number]), lambda: [int(text)])
    return number


def not_a_number(column: str, value: Any, place: str) -> LabelError:
    """The message about text in a column of numbers."""
    return LabelError(
        f"the column {column!r} must hold numbers, one per item; {place} has {shortened(value)}."
        f"{decimal_hint(value)}"
    )


def each(parts: Sequence[Part], read: ReadPart, progress: Progress | None) -> DistinctRows:
    """The rows of files that are read one after another; errors name the file."""
    return one_by_one({part.path: part for part in parts}, read, progress)


def one_by_one(
    named: Mapping[str, T],
    read: Callable[[T, Progress | None], DistinctRows],
    progress: Progress | None,
) -> DistinctRows:
    """The rows of what is read one after another, by the name that errors give it."""
    if len(named) == 1:
        return read(next(iter(named.values())), progress)
    found = []
    for name, held in named.items():
        try:
            rows = read(held, None)
        except LabelError as error:
            known = repr(name) in str(error)
            said = LabelError(str(error) if known else f"in {name!r}: {error}")
            said.present = error.present
            raise said from None
        found.append(replace(rows, places=_in_file(rows.places, name)))
        if progress is not None:
            progress("counting files", len(found), len(named))
    return merged(found)


def _in_file(places: Places | None, file: str) -> Places | None:
    if places is None:
        return None
    return lambda column: {
        x: p if p.file is not None else p._replace(file=file) for x, p in places(column).items()
    }


def with_constants(
    rows: DistinctRows, columns: Sequence[str], values: Mapping[str, str | None]
) -> DistinctRows:
    """The rows with columns that have one value each, in the order that is asked for."""
    if not values:
        return rows
    held = {c: [values[c]] * len(rows.count) if c in values else rows.columns[c] for c in columns}

    def places(column: str) -> Mapping[Any, Place]:
        return {} if column in values or rows.places is None else rows.places(column)

    return replace(rows, columns=held, places=places, text=True)


def merged(found: Sequence[DistinctRows]) -> DistinctRows:
    """The distinct rows of all of some rows."""
    first, *others = found
    if not others:
        return first
    count = np.concatenate([rows.count for rows in found])
    columns = {c: coded_list([x for r in found for x in r.columns[c]]) for c in first.columns}
    codes = [x.code for x in columns.values()] or [np.zeros(len(count), dtype=np.int64)]
    number = number_rows(codes)  # of each row among the distinct rows of all
    at = first_rows(number)
    counts = np.zeros(len(at), dtype=np.int64)
    np.add.at(counts, number, count)
    weights = None
    if first.weight is not None:
        summed = [np.zeros(len(r.count)) if r.weight is None else r.weight for r in found]
        added = np.bincount(number, np.concatenate(summed), minlength=len(at))
        weights = added.astype(np.float64)

    def places(column: str) -> Mapping[Any, Place]:
        together: dict[Any, Place] = {}
        for rows in found:
            together = dict(rows.places(column) if rows.places else {}) | together
        return together

    alike = all(rows.orders == first.orders for rows in others)
    ends = np.cumsum([len(r.count) for r in found])
    parts = zip(np.split(number, ends[:-1]), found, strict=True)
    each = [part[r.row] for part, r in parts if r.row is not None]
    return DistinctRows(
        row=np.concatenate(each) if each else None,
        numbers={c: np.concatenate([rows.numbers[c] for rows in found]) for c in first.numbers},
        columns={c: list(x.take(at)) for c, x in columns.items()},
        count=counts,
        weight=weights,
        orders=first.orders if alike else {},
        text=any(rows.text for rows in found),
        places=places,
    )
