"""Count on the data frame's own engine: lazy group-bys through narwhals.

Polars (eager and lazy), DuckDB, PySpark, Dask, Ibis and SQLFrame. Only the counts of distinct rows
come back; nulls are kept as a group of their own and judged elsewhere. The columns of pandas and
PyArrow are in memory, and read as arrays are.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Floats
from ordeval.data.columns import Column, as_column, is_missing
from ordeval.data.items import read_weights
from ordeval.data.numbering import coded
from ordeval.data.probabilities import refuse_rounded
from ordeval.data.sources.rows import (
    DistinctRows,
    check_columns,
    orders_of,
    rows_of,
    with_each,
)
from ordeval.exceptions import LabelError

# More distinct rows than this are hardly labels: a score was given in their place.
MAX_DISTINCT_ROWS: Final = 5_000_000
_DUCKDB: Final = ("duckdb", "_duckdb")


@dataclass(frozen=True)
class FrameSource:
    """A dataframe or lazy query, read on its own engine."""

    frame: Any

    def __post_init__(self) -> None:
        # A stream of batches can be read only once.
        object.__setattr__(self, "frame", _as_table(self.frame))

    @property
    def once(self) -> bool:
        """Never: a frame can be asked again."""
        return False

    def rows(
        self, columns: Sequence[str], weight: str | None = None, numbers: Sequence[str] = ()
    ) -> DistinctRows:
        """The distinct rows of some columns, or one row per item if columns of numbers are read."""
        if _module(self.frame) in _DUCKDB:
            from ordeval.data.sources.duckdb_relations import relation_rows

            return relation_rows(self.frame, columns, weight, numbers)
        if numbers:
            return numbered_rows(self.frame, columns, numbers)
        if _module(self.frame) in ("pandas", "pyarrow"):
            return rows_in_memory(self.frame, columns, weight)
        return distinct_rows(self.frame, columns, weight)

    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(map(str, column_names(self.frame)))


def rows_in_memory(frame: Any, columns: Sequence[str], weight: str | None = None) -> DistinctRows:
    """The distinct rows of a frame of pandas or PyArrow, whose columns are read as arrays are."""
    check_columns([*columns, *([] if weight is None else [weight])], column_names(frame))
    weights = None
    if weight is not None:
        weights = read_weights(frame[weight], len(frame), column=weight)
    held = {c: as_column(frame[c], c) for c in columns}
    for column in held.values():
        column.check_hashable()
    found = rows_of(held, weights)
    if len(found.count) > MAX_DISTINCT_ROWS:
        raise too_many_rows(columns)
    return found


def distinct_rows(frame: Any, columns: Sequence[str], weight: str | None = None) -> DistinctRows:
    """Group a frame by columns and count; the weights of each group are summed."""
    nw = import_extra("narwhals", extra="frames", purpose="counting a dataframe")
    simple, name = simply_named(frame, [*columns, *([weight] if weight else [])])
    lazy = nw.from_native(simple).lazy()
    schema = {c: lazy.collect_schema()[name[c]] for c in name}
    _check_types(schema, columns, weight, nw)
    _refuse_finer_than_python(lazy, [name[c] for c in columns], nw)
    keys = [name[c] for c in columns]
    count, summed, invalid = fresh_names(lazy.collect_schema().names(), 3)
    aggregates = [nw.len().alias(count)]
    if weight is not None:
        w = nw.col(name[weight]).cast(nw.Float64)
        # Columns first: some engines aggregate plain columns only.
        wrong = nw.when(w.is_null() | (w < 0)).then(nw.lit(1)).otherwise(nw.lit(0))
        lazy = lazy.with_columns(w.alias(summed), wrong.alias(invalid))
        aggregates += [nw.col(summed).sum(), nw.col(invalid).sum()]
    grouped = lazy.group_by(*keys).agg(*aggregates).head(MAX_DISTINCT_ROWS + 1)
    try:
        table = grouped.collect()
    except Exception as error:
        if weight is None or schema[weight] != nw.String:
            raise
        raise LabelError(_not_numbers(weight, error)) from None
    if len(table) > MAX_DISTINCT_ROWS:
        raise too_many_rows(columns)
    weights = None
    if weight is not None:
        weights = checked_weights(table[summed].to_list(), table[invalid].to_list(), weight)
    held = {c: _as_labels(table[name[c]], schema[c], c) for c in columns}
    return DistinctRows(
        columns={c: coded(column).occurring() for c, column in held.items()},
        count=table[count].to_numpy().astype(np.int64),
        weight=weights,
        orders=orders_of(held),
    )


def numbered_rows(frame: Any, columns: Sequence[str], numbers: Sequence[str]) -> DistinctRows:
    """The distinct rows of some columns, and the numbers that each item has in others."""
    nw = import_extra("narwhals", extra="frames", purpose="reading a dataframe")
    simple, name = simply_named(frame, [*columns, *numbers])
    lazy = nw.from_native(simple).lazy()
    schema = {c: lazy.collect_schema()[name[c]] for c in name}
    _check_types(schema, columns, None, nw)
    for c in numbers:
        if not schema[c].is_numeric():
            raise LabelError(
                f"the column {c!r} must hold numbers, one per item; it is {schema[c]}."
            )
    _refuse_finer_than_python(lazy, [name[c] for c in columns], nw)
    both = dict.fromkeys([*columns, *numbers])
    table = lazy.select(*(name[c] for c in both)).collect()
    held = {c: as_column(table[name[c]].to_native(), c) for c in columns}
    for column in held.values():
        column.check_hashable()
    return with_each(
        {c: coded(column) for c, column in held.items()},
        {c: _as_floats(table[name[c]], c, nw) for c in numbers},
        orders=orders_of(held),
    )


def _as_floats(series: Any, name: str, nw: Any) -> Floats:
    """Numbers of any engine, NaN where there is none."""
    ends = [series.min(), series.max()] if series.dtype.is_integer() else []
    if any(x is not None and abs(int(x)) > 2**53 for x in ends):
        # Some engines refuse to round, others round without a word.
        listed = series.to_list()
        floats = np.array([np.nan if x is None else float(x) for x in listed])
        refuse_rounded(f"the column {name!r}", floats, lambda: listed)
        return floats
    given = series.cast(nw.Float64).fill_null(np.nan).to_numpy()
    return np.asarray(given, dtype=np.float64)


def _as_table(frame: Any) -> Any:
    """The frame; batches of PyArrow as a table."""
    if _module(frame) != "pyarrow":
        return frame
    if hasattr(frame, "read_next_batch"):
        return frame.read_all()
    if hasattr(frame, "to_struct_array") and not hasattr(frame, "unify_dictionaries"):
        return sys.modules["pyarrow"].Table.from_batches([frame])
    return frame


def is_lazy(frame: Any) -> bool:
    """Whether a frame is not in memory: what adds up is better summed where it is."""
    kind = type(frame).__name__
    return not (
        _module(frame) in ("pandas", "pyarrow") or (_module(frame), kind) == ("polars", "DataFrame")
    )


def _module(frame: Any) -> str:
    """Whose a frame is."""
    return type(frame).__module__.partition(".")[0]


def too_many_rows(columns: Sequence[str]) -> LabelError:
    """The message about columns unlikely to hold labels."""
    return LabelError(
        f"the columns {', '.join(columns)} have more than {MAX_DISTINCT_ROWS:,} "
        "distinct rows, too many for labels. If these are scores, convert them to "
        "levels; otherwise compare fewer models."
    )


def simply_named(frame: Any, wanted: Sequence[str]) -> tuple[Any, dict[str, str]]:
    """The frame, and the name that each wanted column has in it.

    DuckDB and Spark read a dot or a quote in a name as their own grammar; there the columns get
    plain names, by quoting and by position.
    """
    present = column_names(frame)
    check_columns(wanted, present)
    module = _module(frame)
    if module in _DUCKDB:
        plain = {c: f"column_{i}" for i, c in enumerate(dict.fromkeys(wanted))}
        return frame.project(", ".join(f"{quoted(c)} as {plain[c]}" for c in plain)), plain
    if module == "pyspark":
        plain = {c: f"column_{i}" for i, c in enumerate(present)}
        return frame.toDF(*plain.values()), {c: plain[c] for c in wanted}
    if len(set(present)) < len(present):  # which check_columns allows of other columns only
        wanted = list(dict.fromkeys(wanted))
        places = [present.index(c) for c in wanted]
        frame = frame.select(places) if module == "pyarrow" else frame[wanted]
    if module == "pyarrow":
        # Chunks may have dictionaries of their own.
        frame = frame.unify_dictionaries()
    return frame, {c: c for c in wanted}


def column_names(frame: Any) -> list[str]:
    """The columns of a frame; what an attribute means depends on whose it is."""
    names: Any = None
    if hasattr(type(frame), "columns"):  # that of a lazy frame warns if it is looked at
        match _module(frame):
            case "pyarrow":
                names = frame.column_names
            case "polars" | "narwhals":
                names = frame.collect_schema().names()
            case _:
                names = frame.columns
    if names is None or callable(names):
        raise LabelError(
            f"frame must be a dataframe or a lazy query, of pandas, Polars, PyArrow, DuckDB, "
            f"PySpark, Dask or Ibis; got a {type(frame).__name__}."
        )
    return list(names)


def _check_types(
    schema: dict[str, Any], columns: Sequence[str], weight: str | None, nw: Any
) -> None:
    for c in columns:
        if schema[c].is_nested():
            raise LabelError(f"the column {c!r} must hold labels, one per item; it is {schema[c]}.")
    if weight is not None and not (schema[weight].is_numeric() or schema[weight] == nw.String):
        raise LabelError(f"the weights in {weight!r} must be numbers; it is {schema[weight]}.")


def _refuse_finer_than_python(lazy: Any, columns: Sequence[str], nw: Any) -> None:
    """Dates of Python end at microseconds; finer ones would be run together."""
    schema = lazy.collect_schema()
    fine = [c for c in columns if getattr(schema[c], "time_unit", None) == "ns"]
    if not fine or _module(lazy.to_native()) != "polars":
        return
    parts = lazy.select((nw.col(c).dt.timestamp("ns") % 1000).max() for c in fine).collect()
    for c in fine:
        if parts[c][0]:
            raise finer_than_python(c)


def finer_than_python(column: str) -> LabelError:
    """The message about dates finer than microseconds."""
    return LabelError(
        f"the column {column!r} holds nanoseconds, and dates have a resolution of microseconds. "
        f"Round them, or convert them to text."
    )


def fetch(grouped: Any) -> dict[str, list[Any]]:
    """The few rows that an engine has counted, as lists."""
    native = grouped.to_native()
    if _module(native) in _DUCKDB:
        # DuckDB gives Python objects itself; narwhals would want PyArrow for it.
        listed = list(zip(*native.fetchall(), strict=True)) or [()] * len(native.columns)
        return {c: list(values) for c, values in zip(native.columns, listed, strict=True)}
    table: dict[str, list[Any]] = grouped.collect().to_dict(as_series=False)
    return table


def _not_numbers(weight: str, error: Exception) -> str:
    """That text in a column of weights does not write numbers, in the words of the engine."""
    why = str(error).strip().partition("\n")[0]
    return f"the weights in {weight!r} must be numbers; as text they cannot all be read: {why}"


def fresh_names(taken: Sequence[str], n: int) -> list[str]:
    """Names that no column has."""
    names: list[str] = []
    i = 0
    present = {str(t).casefold() for t in taken}  # some engines do not tell A from a
    while len(names) < n:
        name = f"ordeval_{i}"
        if name not in present:
            names.append(name)
        i += 1
    return names


def _as_labels(series: Any, declared: Any, name: str) -> Column:
    """A column of labels; integers that an engine turned into floats due to a null are integers."""
    if not declared.is_integer() or series.dtype.is_integer():
        return as_column(series.to_native(), name)
    listed = [None if is_missing(x) else x for x in series.to_list()]
    if any(isinstance(x, float) and abs(x) >= 2**53 for x in listed):
        raise LabelError(
            "integers of 2**53 and more beside missing values become floats on this engine, which "
            "makes neighbours alike. Convert the labels to text first."
        )
    return as_column([None if x is None else int(x) for x in listed], name)


def checked_weights(sums: list[Any], invalid: list[Any], name: str) -> Floats:
    """Sums of weights, unless an engine found some that are none."""
    weights = np.array([np.nan if s is None else float(s) for s in sums])
    bad = sum(int(n or 0) for n in invalid)
    if bad or not np.isfinite(weights).all():
        be = "is" if bad == 1 else "are"
        which = f"{bad:,} of them {be} negative, missing or no number." if bad else "some are not."
        raise LabelError(f"the weights in {name!r} must be finite and not negative; {which}")
    return weights


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'
