"""Tables of texts, such as CSV and sheets: their distinct rows, and the numbers in them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ordeval._shared.numbers import has_decimal_comma, is_number
from ordeval._shared.types import CHUNK
from ordeval.data.columns import Place
from ordeval.data.sources.frames import MAX_DISTINCT_ROWS, too_many_rows
from ordeval.data.sources.numbers_as_text import decimal_hint
from ordeval.data.sources.requests import Wanted, not_a_number, number_in
from ordeval.data.sources.rows import DistinctRows, check_columns
from ordeval.exceptions import LabelError

Step = Callable[[int], None]
Line = tuple[int, list[str], str]  # its number, its fields, and what separates them


def decimal_mark(rows: Iterable[Line], wanted: Wanted) -> str:
    """A comma if numbers of the columns that are read have one, and none has a point."""
    header: list[str] = []
    comma = False
    for _, row, delimiter in rows:
        if not header:
            if delimiter == ",":
                return "."
            header = row
            continue
        for name, text in zip(header, row, strict=False):
            if name in wanted.needed:
                if "." in text and is_number(text.strip(" ")):
                    return "."
                comma = comma or has_decimal_comma(text)
    return "," if comma else "."


def rows_of_table(
    rows: Iterator[Line],
    wanted: Wanted,
    step: Step = lambda _: None,
    *,
    absent: Sequence[str] = (),
    place: str = "line",
) -> DistinctRows:
    """Distinct rows of a table of texts, the header first, each row with its line.

    ``place`` is what a line is called in messages.
    """
    columns, weight = wanted.columns, wanted.weight
    _, names, _ = next(rows, (0, [], ""))
    if not names:
        raise LabelError(f"there is no column {wanted.all[0]!r}; the input is empty.")
    check_columns([c for c in wanted.needed if c not in absent], names)
    picked = [None if c in absent else names.index(c) for c in columns]
    weighed = None if weight is None else names.index(weight)
    number: dict[tuple[str, ...], int] = {}
    counts: list[int] = []
    weights: list[float] = []
    first = array("q"), array("q")  # the row and the line of each, in little memory
    held = _Numbers(wanted, names, absent)
    kept = _filter(wanted, names)
    for n, (line, row, _) in enumerate(rows, 1):
        if n % CHUNK == 0:
            step(n)
        if kept is not None and not kept(row, f"{place} {line}"):
            continue
        key = tuple(["" if i is None else row[i] for i in picked])
        at = number.setdefault(key, len(counts))
        if at == len(counts):
            if at == MAX_DISTINCT_ROWS:
                raise too_many_rows(columns)
            counts.append(0)
            weights.append(0.0)
            for numbers, value in zip(first, (n, line), strict=True):
                numbers.append(value)
        counts[at] += 1
        if wanted.numbers:
            held.add(row, f"{place} {line}", at)
        if weighed is not None:
            weights[at] += _weight(row[weighed], f"{place} {line}", wanted)
    step(sum(counts))
    values = {c: [_label(key[i], wanted.decimal) for key in number] for i, c in enumerate(columns)}
    return DistinctRows(
        columns=values,
        count=np.array(counts, dtype=np.int64),
        weight=None if weight is None else np.array(weights, dtype=np.float64),
        text=True,
        places=lambda c: _earliest(values[c], first),
        **held.done,
    )


def _filter(wanted: Wanted, names: Sequence[str]) -> Callable[[Sequence[str], str], bool] | None:
    """Whether a row is read; None if all are."""
    where = wanted.where
    if where is None:
        return None
    places = {c: names.index(c) for c in where.columns if c in names}

    def kept(row: Sequence[str], where_it_is: str) -> bool:
        def value(column: str) -> str | None:
            if column not in places:
                return None
            return _label(row[places[column]], wanted.decimal)

        return where.keeps(value, where_it_is)

    return kept


def _label(text: str, decimal: str) -> str | None:
    """A label, or None; a number with a decimal comma has a point instead."""
    if decimal == "," and has_decimal_comma(text):
        return text.replace(",", ".")
    return text or None


def _pointed(text: str, decimal: str) -> str | None:
    """A number as Python writes it; None if a point stands where the comma is decimal."""
    if decimal != ",":
        return text
    return None if "." in text else text.replace(",", ".")


class _Numbers:
    """Columns of numbers, read item by item, in little memory."""

    def __init__(self, wanted: Wanted, names: Sequence[str], absent: Sequence[str]) -> None:
        there = (c for c in wanted.numbers if c not in absent)
        self.places = {c: names.index(c) for c in there}
        self.held = {c: array("d") for c in wanted.numbers}
        self.row = array("q")
        self.decimal = wanted.decimal

    def add(self, row: Sequence[str], where: str, at: int) -> None:
        """Keep the numbers of a row, which is this one of the distinct rows."""
        self.row.append(at)
        for c, held in self.held.items():
            text = row[self.places[c]] if c in self.places else ""
            number = _pointed(text, self.decimal)
            if number is None:
                raise not_a_number(c, text, where)
            held.append(number_in(c, number, where))

    @property
    def done(self) -> dict[str, Any]:
        """Return the columns as DistinctRows stores them; empty if none were requested."""
        if not self.held:
            return {}
        numbers = {c: np.array(x, dtype=np.float64) for c, x in self.held.items()}
        return {"row": np.array(self.row, dtype=np.int64), "numbers": numbers}


def _earliest(values: Sequence[Any], first: tuple[array[int], array[int]]) -> dict[Any, Place]:
    """The first place of each value: rows come in the order in which they first occur."""
    places: dict[Any, Place] = {}
    for value, row, line in zip(values, *first, strict=True):
        if value not in places:
            places[value] = Place(row, line)
    return places


def _weight(text: str, where: str, wanted: Wanted) -> float:
    try:
        value = float(_pointed(text, wanted.decimal) or "")
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise LabelError(
            f"the weights in {wanted.weight!r} must be finite and not negative; {where} has "
            f"{text!r}.{decimal_hint(text) if wanted.decimal != ',' else ''}"
        )
    return value
