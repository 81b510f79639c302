"""DuckDB within 1 GB of memory: connections, group-bys, and where labels are.

It may open the files that it is given and no others, and neither fetches nor loads extensions.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Progress
from ordeval.data.columns import Place
from ordeval.data.sources.filters import Where, doubt_in_duckdb, doubted, in_duckdb, variables_of
from ordeval.data.sources.frames import MAX_DISTINCT_ROWS, checked_weights, fetched, too_many_rows
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted, not_a_number
from ordeval.data.sources.rows import DistinctRows, with_each
from ordeval.exceptions import LabelError

_MEMORY: Final = "1GB"  # beyond it DuckDB spills to a temporary folder
_NESTED: Final = ("struct", "list", "array", "map", "union", "variant")
_NUMBERS: Final = (
    "tinyint",
    "smallint",
    "integer",
    "bigint",
    "hugeint",
    "utinyint",
    "usmallint",
    "uinteger",
    "ubigint",
    "uhugeint",
    "float",
    "double",
    "decimal",
    "bignum",
    "varint",
    "varchar",
)


@contextmanager
def connected(
    parts: Sequence[Part], progress: Progress | None, where: Where | None = None
) -> Iterator[Any]:
    """A connection that can open these files only; its errors are sentences.

    The literals of a filter are variables of the connection, never a part of a query.
    """
    shown = "the files"
    if parts:
        shown = parts[0].path if len(parts) == 1 else os.path.dirname(parts[0].path)
    duckdb = import_extra("duckdb", extra="files", purpose=f"reading {shown!r}")
    is_database = bool(parts) and parts[0].kind == "duckdb"
    with tempfile.TemporaryDirectory(prefix="ordeval-") as spill:
        settings: dict[str, Any] = {
            "memory_limit": _MEMORY,
            "temp_directory": spill,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        try:
            with duckdb.connect(
                parts[0].path if is_database else ":memory:",
                read_only=is_database,
                config=settings,
            ) as db:
                # DuckDB draws a bar of its own on standard output, in the middle of results.
                db.execute(f"set enable_progress_bar = {'false' if progress is None else 'true'}")
                db.execute("set enable_progress_bar_print = false")
                if not is_database:
                    _allow(db, [p.path for p in parts])
                # A view may name any file of this machine; a database brings its own data only.
                db.execute("set enable_external_access = false")
                for name, value in ({} if where is None else variables_of(where)).items():
                    db.execute(f"set variable {name} = ?", [value])
                yield db
        except duckdb.ConversionException as error:
            # The rest names a column that only the query knows.
            why = _lines(error)[0].removeprefix("Conversion Error: ").partition(" when ")[0]
            raise LabelError(f"the weights must be numbers: {why[:1].lower()}{why[1:]}.") from None
        except duckdb.Error as error:
            raise LabelError(f"{shown!r} could not be read: {_lines(error)[0]}") from None
        except RuntimeError as error:
            # How DuckDB's binding passes on Ctrl-C while a query runs.
            if "nterrupted" in str(error):
                raise KeyboardInterrupt from None
            raise


def _allow(db: Any, paths: Sequence[str]) -> None:
    """Let DuckDB open some files; of a name that reads as a pattern, the folder."""
    plain = [p for p in paths if escape(p) == p]
    folders = {os.path.dirname(p) for p in paths if escape(p) != p}
    db.execute(f"set allowed_paths = [{', '.join(map(literal, plain))}]")
    db.execute(f"set allowed_directories = [{', '.join(map(literal, sorted(folders)))}]")


def distinct_rows(
    db: Any, source: str, wanted: Wanted, parts: Sequence[Part], progress: Progress | None
) -> DistinctRows:
    """Group what a query gives by all columns and count; the weights of each are summed.

    The query gives the columns, then the numbers or the weight, and calls them column_0, column_1
    and so on; and, if there is a filter, kept and doubt.
    """
    columns, weight = wanted.columns, wanted.weight
    refuse_doubts(db, source, wanted.where)
    if wanted.numbers:
        with _watched(db, parts, progress):
            return _numbered_rows(db, source, wanted)
    orders = _check_types(db.sql(source).types, columns, weight)
    keys = ", ".join(plain_name(i) for i in range(len(columns)))
    sums = ""
    if weight is not None:
        w = f"{plain_name(len(columns))}::double"
        sums = f", sum({w}), sum(case when {w} >= 0 then 0 else 1 end)"
    query = (
        f"select {keys}, count(*){sums} from ({source}){only_kept(wanted)} group by {keys} "
        f"limit {MAX_DISTINCT_ROWS + 1}"
    )
    with _watched(db, parts, progress):
        found = db.execute(query).fetchall()
    if len(found) > MAX_DISTINCT_ROWS:
        raise too_many_rows(columns)
    listed = list(zip(*found, strict=True)) or [()] * (len(columns) + 3)
    n = len(columns)
    weights = None
    if weight is not None:
        weights = checked_weights(list(listed[n + 1]), list(listed[n + 2]), weight)
    return DistinctRows(
        columns={c: list(listed[i]) for i, c in enumerate(columns)},
        count=np.array(listed[n], dtype=np.int64),
        weight=weights,
        orders=orders,
    )


def _numbered_rows(db: Any, source: str, wanted: Wanted) -> DistinctRows:
    """The distinct rows of what a query gives, and the numbers of each of its rows."""
    orders = _check_types(db.sql(source).types, wanted.columns, None)
    n, all_of = len(wanted.columns), len(wanted.all)
    labels, numbers = [plain_name(i) for i in range(n)], [plain_name(i) for i in range(n, all_of)]
    read = ", ".join([*labels, *(f"try_cast({x} as double) as {x}" for x in numbers)])
    found, floats = fetched(
        db.sql(f"select {read} from ({source}){only_kept(wanted)}"), labels, numbers
    )
    for name, x, values in zip(wanted.numbers, numbers, floats, strict=True):
        if np.isnan(values).any():
            placed = f"select *, row_number() over () as place from ({source})"
            refuse_words(db, f"from ({placed}){only_kept(wanted)}", name, x)
    return with_each(
        dict(zip(wanted.columns, found, strict=True)),
        dict(zip(wanted.numbers, floats, strict=True)),
        orders=orders,
    )


def _check_types(
    types: Sequence[Any], columns: Sequence[str], weight: str | None
) -> dict[str, tuple[Any, ...]]:
    """Refuse types that hold no labels or weights; the orders that types declare."""
    orders: dict[str, tuple[Any, ...]] = {}
    for column, kind in zip(columns, types, strict=False):
        if kind.id in _NESTED:
            raise LabelError(f"the column {column!r} must hold labels, one per item; it is {kind}.")
        if kind.id == "enum":
            orders[column] = tuple(kind.children[0][1])
    if weight is not None and types[len(columns)].id not in _NUMBERS:
        raise LabelError(
            f"the weights in {weight!r} must be numbers; the column is {types[len(columns)]}."
        )
    return orders


def refuse_doubts(db: Any, source: str, where: Where | None) -> None:
    """Refuse rows of a query of which it cannot be told whether they are read."""
    if where is None or not where.numeric:
        return
    (doubt,) = db.execute(f"select any_value(doubt) from ({source})").fetchone()
    if doubt is not None:
        raise doubted(where, doubt)


@contextmanager
def _watched(db: Any, parts: Sequence[Part], progress: Progress | None) -> Iterator[None]:
    """Tell how far the running query is, from a thread beside it."""
    if progress is None:
        yield
        return
    size = sum(os.path.getsize(p.path) for p in parts)
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            share = db.query_progress()
            if share >= 0:
                progress("counting bytes", int(size * share / 100), size)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    progress("counting bytes", size, size)


def places_by_file(
    parts: Sequence[Part], wanted: Wanted, source: Callable[[Part], str]
) -> Callable[[str], dict[Any, Place]]:
    """Where each label of a column is first, file by file."""

    def found(column: str) -> dict[Any, Place]:
        places: dict[Any, Place] = {}
        for part in parts:
            file = part.path if len(parts) > 1 else None
            with connected([part], None, wanted.where) as db:
                here = first_places(db, source(part), wanted, column)
            places = {x: place._replace(file=file) for x, place in here.items()} | places
        return places

    return found


def first_places(db: Any, source: str, wanted: Wanted, column: str) -> dict[Any, Place]:
    """Where each label of a column is first in what a query gives."""
    label = plain_name(wanted.columns.index(column))
    numbered = f"select *, {label} as label, row_number() over () as place from ({source})"
    found = db.execute(
        f"select label, min(place) from ({numbered}){only_kept(wanted)} group by label"
    ).fetchall()
    return {None if label != label else label: Place(row) for label, row in found}


def kept_columns(wanted: Wanted, column: Callable[[str], str]) -> list[str]:
    """Whether a row is read, and what keeps that from being told, in SQL; nothing if all are."""
    if wanted.where is None:
        return []
    kept = in_duckdb(wanted.where, column)
    return [f"coalesce({kept}, false) as kept", f"{doubt_in_duckdb(wanted.where, column)} as doubt"]


def only_kept(wanted: Wanted) -> str:
    """What follows a query of which some rows are read."""
    return "" if wanted.where is None else " where kept"


def select(given: Iterable[str], table: str, kept: Iterable[str] = ()) -> str:
    """The query of columns of a table under plain names, and of what tells which rows are read."""
    columns = [f"{x} as {plain_name(i)}" for i, x in enumerate(given)]
    return f"select {', '.join([*columns, *kept])} from {table}"


def listed_files(parts: Sequence[Part]) -> str:
    """Files that are there are those files, whatever their names look like."""
    return f"[{', '.join(literal(escape(p.path)) for p in parts)}]"


def plain_name(i: int) -> str:
    """The name of a column in a query."""
    return f"column_{i}"


def literal(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def _lines(error: Exception) -> list[str]:
    return [x.strip() for x in str(error).splitlines() if x.strip()] or [type(error).__name__]


def refuse_words(db: Any, rows: str, name: str, column: str, *, placed: bool = True) -> None:
    """Refuse text that is no number in a column of a query; what is empty is only missing."""
    text = f"{column}::varchar"
    wrong = db.execute(
        f"select {text}, {'place' if placed else 0} as place from ({rows}) "
        f"where trim({text}) <> '' and try_cast({text} as double) is null order by place limit 1"
    ).fetchone()
    if wrong is not None:
        raise not_a_number(name, wrong[0], f"row {wrong[1]:,}" if placed else "one")
