"""Counting in DuckDB: the distinct rows of a relation, and the numbers of its items.

A relation is what a query of files gives, or a frame of the user. Its columns are called column_0,
column_1 and so on: labels first, then the numbers or the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any, Final

import numpy as np

from ordeval.data.columns import Place, as_column, is_missing
from ordeval.data.numbering import Coded, coded
from ordeval.data.probabilities import refuse_rounded
from ordeval.data.sources.frames import (
    MAX_DISTINCT_ROWS,
    checked_weights,
    column_names,
    finer_than_python,
    quoted,
    too_many_rows,
)
from ordeval.data.sources.requests import Wanted, not_a_number
from ordeval.data.sources.rows import DistinctRows, check_columns, with_each
from ordeval.exceptions import LabelError

_NESTED: Final = ("struct", "list", "array", "map", "union", "variant")
_INTEGERS: Final = ("tinyint", "smallint", "integer", "bigint")
_PLAIN_NUMBERS: Final = (*_INTEGERS, *(f"u{name}" for name in _INTEGERS), "float", "double")
_NUMBERS: Final = (*_PLAIN_NUMBERS, "hugeint", "uhugeint", "decimal", "bignum", "varint")
# What NumPy holds as DuckDB does.
_PLAIN: Final = (*_PLAIN_NUMBERS, "boolean", "varchar")
_ZONED: Final = ("timestamp with time zone", "timestamptz_ns")
_FINE: Final = ("timestamp_ns", "timestamptz_ns", "time_ns")


@dataclass(frozen=True)
class _Labels:
    """A column of labels: how its values become Python's."""

    column: str
    kind: str

    @property
    def value(self) -> str:
        """The expression that Python is given."""
        if self.kind in _ZONED:
            moment = f"{self.column}::timestamptz"
            infinite = f"({self.column}::varchar)::timestamp"
            return f"if(isfinite({moment}), make_timestamp(epoch_us({moment})), {infinite})"
        return f"{self.column}::varchar" if self.kind in ("bignum", "varint") else self.column

    def read(self, values: Iterable[Any]) -> list[Any]:
        """The values as labels: moments of any zone are in UTC."""
        as_label: Callable[[Any], Any]
        if self.kind in _ZONED:
            as_label = lambda x: x.replace(tzinfo=UTC)  # noqa: E731
        elif self.kind in ("bignum", "varint"):
            as_label = int
        else:
            return list(values)
        return [None if x is None else as_label(x) for x in values]

    @property
    def plain(self) -> bool:
        """Whether NumPy holds the values as DuckDB does; others come as text."""
        return self.kind in _PLAIN

    def coded(self, relation: Any, each: Any) -> Coded:
        """The label of each row, of what NumPy was given."""
        codes = coded(as_column(each, ""))
        if self.plain or not len(codes):
            return codes
        text = f"{self.column}::varchar"
        known = relation.aggregate(f"{text} as label, any_value({self.value}) as value", text)
        texts, values = zip(*known.fetchall(), strict=True)
        label = dict(zip(texts, self.read(values), strict=True))
        return Coded([None if x is None else label[x] for x in codes.labels], codes.code)


def relation_rows(
    relation: Any, columns: Sequence[str], weight: str | None, numbers: Sequence[str]
) -> DistinctRows:
    """The distinct rows of a relation, or one row per item if columns of numbers are read."""
    wanted = Wanted(tuple(columns), weight, numbers=tuple(numbers))
    check_columns(wanted.all, column_names(relation))
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    for name in numbers:
        if kinds[name].id not in _NUMBERS:
            raise LabelError(
                f"the column {name!r} must hold numbers, one per item; it is {kinds[name]}."
            )
    given = (f"{quoted(name)} as {plain_name(i)}" for i, name in enumerate(wanted.all))
    return distinct_rows(relation.project(", ".join(given)), wanted)


def distinct_rows(relation: Any, wanted: Wanted) -> DistinctRows:
    """Group a relation by its labels and count; the weights of each group are summed."""
    orders = _check_types(relation.types, wanted)
    kinds = zip(relation.types, wanted.columns, strict=False)
    labels = [_Labels(plain_name(i), kind.id) for i, (kind, _) in enumerate(kinds)]
    rows = kept_rows(relation, wanted)
    for name, x in zip(wanted.columns, labels, strict=True):
        _refuse_finer_than_python(rows, name, x)
    if wanted.numbers:
        return replace(_numbered(relation, labels, wanted), orders=orders)
    n = len(labels)
    keys, aggregates, sums = ", ".join(x.column for x in labels), "count(*) as items", ""
    if wanted.weight is not None:
        w = f"try_cast({plain_name(n)} as double)"
        aggregates += f", sum({w}) as weight, sum(case when {w} >= 0 then 0 else 1 end) as invalid"
        sums = ", weight, invalid"
    grouped = rows.aggregate(f"{keys}, {aggregates}", keys).limit(MAX_DISTINCT_ROWS + 1)
    held = grouped.project(", ".join([*_readable(labels), f"items{sums}"])).fetchnumpy()
    if len(held["items"]) > MAX_DISTINCT_ROWS:
        raise too_many_rows(wanted.columns)
    weights = None
    if wanted.weight is not None:
        each = (held["weight"].tolist(), held["invalid"].tolist())
        weights = checked_weights(*each, wanted.weight)
    return DistinctRows(
        columns={
            c: x.coded(rows, held[x.column]).occurring()
            for c, x in zip(wanted.columns, labels, strict=True)
        },
        count=held["items"].astype(np.int64),
        weight=weights,
        orders=orders,
    )


def _readable(labels: Sequence[_Labels]) -> list[str]:
    """Columns of labels as NumPy is given them."""
    return [x.column if x.plain else f"{x.column}::varchar as {x.column}" for x in labels]


def _numbered(relation: Any, labels: Sequence[_Labels], wanted: Wanted) -> DistinctRows:
    """The distinct rows of a relation, and the numbers of each of its rows."""
    rows = kept_rows(relation, wanted)
    numbers = {c: plain_name(len(labels) + i) for i, c in enumerate(wanted.numbers)}
    floats_of = [f"try_cast({x} as double) as {x}" for x in numbers.values()]
    held = rows.project(", ".join([*_readable(labels), *floats_of])).fetchnumpy()
    floats = {c: np.ma.filled(np.ma.asarray(held[x]), np.nan) for c, x in numbers.items()}
    for name, values in floats.items():
        if np.isnan(values).any():
            placed = relation.project("*, row_number() over () as place")
            refuse_words(kept_rows(placed, wanted), name, numbers[name])
        if (np.abs(values) >= 2**53).any():
            refuse_rounding(rows, name, numbers[name])
    columns = {
        c: x.coded(rows, held[x.column]) for c, x in zip(wanted.columns, labels, strict=True)
    }
    return with_each(columns, floats)


def kept_rows(relation: Any, wanted: Wanted) -> Any:
    """The rows of a relation that are read: a filter is a column of it."""
    return relation if wanted.where is None else relation.filter("kept")


def first_places(relation: Any, wanted: Wanted, column: str) -> dict[Any, Place]:
    """The row in which each label of a column is first."""
    i = wanted.columns.index(column)
    labels = _Labels(plain_name(i), relation.types[i].id)
    placed = kept_rows(relation.project("*, row_number() over () as place"), wanted)
    first = placed.aggregate(f"{labels.column}, min(place) as place", labels.column)
    found = first.project(f"{labels.value}, place").fetchall()
    values = labels.read(label for label, _ in found)
    return {
        None if is_missing(x) else x: Place(row) for x, (_, row) in zip(values, found, strict=True)
    }


def _check_types(types: Sequence[Any], wanted: Wanted) -> dict[str, tuple[Any, ...]]:
    """Refuse types that hold no labels or weights; the orders that types declare."""
    orders: dict[str, tuple[Any, ...]] = {}
    for column, kind in zip(wanted.columns, types, strict=False):
        if kind.id in _NESTED:
            raise LabelError(f"the column {column!r} must hold labels, one per item; it is {kind}.")
        if kind.id == "enum":
            orders[column] = tuple(kind.children[0][1])
    if wanted.weight is not None and types[-1].id not in (*_NUMBERS, "varchar"):
        raise LabelError(
            f"the weights in {wanted.weight!r} must be numbers; the column is {types[-1]}."
        )
    return orders


def _refuse_finer_than_python(relation: Any, name: str, labels: _Labels) -> None:
    """Refuse moments that would be run together: those of Python end at microseconds."""
    if labels.kind not in _FINE:
        return
    fine = rf"regexp_matches({labels.column}::varchar, '\.\d{{7}}')"
    if relation.filter(fine).limit(1).project("1").fetchall():
        raise finer_than_python(name)


def refuse_words(relation: Any, name: str, column: str) -> None:
    """Refuse text that is no number in a column of numbers; what is empty is only missing."""
    text = f"{column}::varchar"
    wrong = relation.filter(f"trim({text}) <> '' and try_cast({text} as double) is null")
    placed = "place" in relation.columns
    first = wrong.order("place").project(f"{text}, place") if placed else wrong.project(text)
    for value, *row in first.limit(1).fetchall():
        raise not_a_number(name, value, f"row {row[0]:,}" if placed else "one")


def refuse_rounding(relation: Any, name: str, column: str) -> None:
    """Refuse integers that floats round; text may write them, too."""
    text = f"trim({column}::varchar)"
    large = relation.filter(f"regexp_full_match({text}, '[+-]?[0-9]{{16,}}')")
    for (value,) in large.project(text).distinct().fetchall():
        exact = [int(value)]
        refuse_rounded(f"the column {name!r}", np.array(exact, dtype=np.float64), exact.copy)


def plain_name(i: int) -> str:
    """The name of a column in a query."""
    return f"column_{i}"
