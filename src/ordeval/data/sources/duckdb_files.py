"""Files that DuckDB reads, within 1 GB of memory: CSV, Parquet, JSON lines, its own databases.

Text stays text until the distinct rows are at hand: "01" and "None" are labels like any other.
Columns go by their place in the file: to DuckDB, names that differ only in case are one name.
It may open the files that it is given and no others, and neither fetches nor loads extensions.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from glob import escape
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Progress
from ordeval.data.columns import Place
from ordeval.data.sources.csv_stream import empty_as_missing
from ordeval.data.sources.duckdb_columns import fetched
from ordeval.data.sources.filters import Where, doubt_in_duckdb, doubted, in_duckdb, variables_of
from ordeval.data.sources.frames import MAX_DISTINCT_ROWS, checked_weights, too_many_rows
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted, not_a_number
from ordeval.data.sources.rows import DistinctRows, check_columns, with_each
from ordeval.data.sources.sqlite_files import chosen_table
from ordeval.data.sources.text_files import check_packed
from ordeval.exceptions import LabelError

_MEMORY: Final = "1GB"  # beyond it DuckDB spills to a temporary folder
_NESTED: Final = ("struct", "list", "array", "map", "union", "variant")
_MOST_PATHS: Final = 200  # into objects, that a message looks through
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


def csv_by_duckdb(
    part: Part, delimiter: str, names: Sequence[str], wanted: Wanted, progress: Progress | None
) -> tuple[DistinctRows, int]:
    """Distinct rows of a CSV file of which every line is a row, and how many rows were read."""
    query = csv_query(part, delimiter, names, wanted)
    with connected([part], progress, wanted.where) as db:
        rows = distinct_rows(db, query, wanted, [part], progress)
        read = int(rows.count.sum())
        if wanted.where is not None:
            (read,) = db.execute(f"select count(*) from ({query})").fetchone()
    return empty_as_missing(rows), read


def csv_query(part: Part, delimiter: str, names: Sequence[str], wanted: Wanted) -> str:
    """The columns of a CSV file, as text."""
    # Everything is said outright, so that nothing is guessed from the first rows.
    types = ", ".join(f"'{_plain(i)}': 'VARCHAR'" for i in range(len(names)))
    table = (
        f"read_csv({_paths([part])}, header = true, auto_detect = false, columns = {{{types}}}, "
        f"sep = {_text(delimiter)}, quote = '\"', escape = '\"', comment = '', skip = 0, "
        f"compression = '{part.packed or 'none'}', hive_partitioning = false)"
    )

    def column(name: str) -> str:
        return _plain(names.index(name)) if name in names else "null::varchar"

    return _select(map(column, wanted.all), table, _kept(wanted, column))


def parquet_rows(parts: Sequence[Part], wanted: Wanted, progress: Progress | None) -> DistinctRows:
    """Distinct rows of Parquet files; columns of several go by name."""
    with connected(parts, progress, wanted.where) as db:
        names = _checked_names(db, parts, wanted)
        rows = distinct_rows(db, _parquet_source(parts, names, wanted), wanted, parts, progress)

    def source(part: Part) -> str:
        return _parquet_source([part], names, wanted)

    return replace(rows, text=True, places=_places(parts, wanted, source))


def parquet_query(db: Any, parts: Sequence[Part], wanted: Wanted) -> str:
    """The columns of Parquet files, as they are typed."""
    return _parquet_source(parts, _checked_names(db, parts, wanted), wanted)


def json_query(db: Any, parts: Sequence[Part], wanted: Wanted) -> str:
    """The columns of JSON lines, as text."""
    for part in parts:
        check_packed(part)
    text = _texts(_pointers(db, parts, wanted))
    return _select(map(text, wanted.all), _objects(parts), _kept(wanted, text))


def json_kinds(db: Any, parts: Sequence[Part], wanted: Wanted) -> str:
    """What JSON lines hold in the columns: BOOLEAN, VARCHAR and so on."""
    pointers = _pointers(db, parts, wanted)
    kinds = (f"json_type(json, {_text(pointers[c])})" for c in wanted.all)
    return _select(kinds, _objects(parts), _kept(wanted, _texts(pointers)))


def json_rows(parts: Sequence[Part], wanted: Wanted, progress: Progress | None) -> DistinctRows:
    """Distinct rows of JSON lines; a label is what JSON says it is, whatever it looks like."""
    for part in parts:
        check_packed(part)
    with connected(parts, progress, wanted.where) as db:
        rows = _declared_rows(db, parts, wanted, progress)
        if rows is None:
            source = _json_source(_pointers(db, parts, wanted), parts, wanted)
            rows = distinct_rows(db, source, wanted, parts, progress)
    values = {}
    words: set[str] = set()  # columns in which true and false are not all that is said
    for c, texts in rows.columns.items():
        label = {text: _label(text, c) for text in set(texts)}
        if len({isinstance(x, bool) for x in label.values() if x is not None}) > 1:
            # True is 1 to Python, and beside numbers nobody says that it is here.
            words.add(c)
            label = {text: _worded(x) for text, x in label.items()}
        values[c] = [label[text] for text in texts]

    def places(column: str) -> dict[Any, Place]:
        with connected(parts, None, wanted.where) as db:
            pointers = _pointers(db, parts, wanted)
        found = _places(parts, wanted, lambda x: _json_source(pointers, [x], wanted))(column)
        # Null and an absent key are both missing: the last one written is the first in the file.
        late = sorted(found.items(), key=lambda pair: pair[1].row, reverse=True)
        as_word = _worded if column in words else lambda x: x
        return {as_word(_label(v, column)): place for v, place in late}

    return replace(rows, columns=values, text=True, places=places)


def _declared_rows(
    db: Any, parts: Sequence[Part], wanted: Wanted, progress: Progress | None
) -> DistinctRows | None:
    """The same by the keys that are asked for, in one pass; None if that leaves a doubt.

    What is missing everywhere, or all at once, may be a key of another name, a path, or a line
    that is no object; and what DuckDB refuses may be fine to whoever looks at whole objects.
    """
    if wanted.where is not None or wanted.numbers or wanted.keys:
        return None
    duckdb = import_extra("duckdb", extra="files", purpose="reading JSON")
    keys = ", ".join(f"{_text(c)}: 'JSON'" for c in dict.fromkeys(wanted.all))
    table = (
        f"read_json({_paths(parts)}, columns = {{{keys}}}, format = 'newline_delimited', "
        f"records = true, compression = '{parts[0].packed or 'none'}', hive_partitioning = false)"
    )
    given = [f"{_quoted(c)}::varchar" for c in wanted.columns]
    given += [] if wanted.weight is None else [f"{_quoted(wanted.weight)}::double"]
    doubts = (
        LabelError,
        duckdb.InvalidInputException,
        duckdb.BinderException,
        duckdb.ParserException,
        duckdb.ConversionException,
    )
    try:
        rows = distinct_rows(db, _select(given, table), wanted, parts, progress)
    except doubts:
        return None
    there = np.array([[x is not None for x in listed] for listed in rows.columns.values()])
    return rows if there.size and there.any(axis=0).all() and there.any(axis=1).all() else None


def _json_source(pointers: dict[str, str], parts: Sequence[Part], wanted: Wanted) -> str:
    """The columns of JSON lines as they are written, taken from whole objects."""
    text = _texts(pointers)
    given = [f"json_extract(json, {_text(pointers[c])})::varchar" for c in wanted.columns]
    given += [text(c) for c in wanted.numbers]
    if wanted.weight is not None:
        given.append(f"json_extract(json, {_text(pointers[wanted.weight])})::double")
    return _select(given, _objects(parts), _kept(wanted, text))


def database_rows(
    part: Part, wanted: Wanted, table: str | None, progress: Progress | None
) -> DistinctRows:
    """Distinct rows of a table of a DuckDB file."""

    def source(db: Any) -> str:
        listed = db.execute(
            "select table_schema, table_name from information_schema.tables "
            "where table_catalog = current_database() order by all"
        ).fetchall()
        names = [t if s == "main" else f"{s}.{t}" for s, t in listed]
        schema, name = listed[names.index(chosen_table(table, names))]
        present = [
            row[0]
            for row in db.execute(
                "select column_name from information_schema.columns where table_schema = ? and "
                "table_name = ? and table_catalog = current_database() order by ordinal_position",
                [schema, name],
            ).fetchall()
        ]
        wanted.check(present)
        table_of = f"{_quoted(schema)}.{_quoted(name)}"
        return _select(map(_quoted, wanted.all), table_of, _kept(wanted, _quoted))

    with connected([part], progress, wanted.where) as db:
        rows = distinct_rows(db, source(db), wanted, [part], progress)

    def places(column: str) -> dict[Any, Place]:
        with connected([part], None, wanted.where) as db:
            return _first_places(db, source(db), wanted, column)

    return replace(rows, text=True, places=places)


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
    db.execute(f"set allowed_paths = [{', '.join(map(_text, plain))}]")
    db.execute(f"set allowed_directories = [{', '.join(map(_text, sorted(folders)))}]")


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
    keys = ", ".join(_plain(i) for i in range(len(columns)))
    sums = ""
    if weight is not None:
        w = f"{_plain(len(columns))}::double"
        sums = f", sum({w}), sum(case when {w} >= 0 then 0 else 1 end)"
    query = (
        f"select {keys}, count(*){sums} from ({source}){_only(wanted)} group by {keys} "
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
    labels, numbers = [_plain(i) for i in range(n)], [_plain(i) for i in range(n, all_of)]
    read = ", ".join([*labels, *(f"try_cast({x} as double) as {x}" for x in numbers)])
    found, floats = fetched(
        db.sql(f"select {read} from ({source}){_only(wanted)}"), labels, numbers
    )
    for name, x, values in zip(wanted.numbers, numbers, floats, strict=True):
        if np.isnan(values).any():
            _refuse_text(db, source, wanted, (name, x))
    return with_each(
        dict(zip(wanted.columns, found, strict=True)),
        dict(zip(wanted.numbers, floats, strict=True)),
        orders=orders,
    )


def _refuse_text(db: Any, source: str, wanted: Wanted, named: tuple[str, str]) -> None:
    """Refuse what is no number; nothing, and empty text, is only missing."""
    name, column = named
    text = f"select *, {column}::varchar as x, row_number() over () as place from ({source})"
    wrong = db.execute(
        f"select x, place from (from ({text}){_only(wanted)}) where trim(x) <> '' and "
        f"try_cast(x as double) is null order by place limit 1"
    ).fetchone()
    if wrong is not None:
        raise not_a_number(name, wrong[0], f"row {wrong[1]:,}")


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


def _places(
    parts: Sequence[Part], wanted: Wanted, source: Callable[[Part], str]
) -> Callable[[str], dict[Any, Place]]:
    """Where each label of a column is first, file by file."""

    def found(column: str) -> dict[Any, Place]:
        places: dict[Any, Place] = {}
        for part in parts:
            file = part.path if len(parts) > 1 else None
            with connected([part], None, wanted.where) as db:
                here = _first_places(db, source(part), wanted, column)
            places = {x: place._replace(file=file) for x, place in here.items()} | places
        return places

    return found


def _first_places(db: Any, source: str, wanted: Wanted, column: str) -> dict[Any, Place]:
    label = _plain(wanted.columns.index(column))
    numbered = f"select *, {label} as label, row_number() over () as place from ({source})"
    found = db.execute(
        f"select label, min(place) from ({numbered}){_only(wanted)} group by label"
    ).fetchall()
    return {None if label != label else label: Place(row) for label, row in found}


def _only(wanted: Wanted) -> str:
    """What follows a query of which some rows are read."""
    return "" if wanted.where is None else " where kept"


def _kept(wanted: Wanted, column: Callable[[str], str]) -> list[str]:
    """Whether a row is read, and what keeps that from being told, in SQL; nothing if all are."""
    if wanted.where is None:
        return []
    kept = in_duckdb(wanted.where, column)
    return [f"coalesce({kept}, false) as kept", f"{doubt_in_duckdb(wanted.where, column)} as doubt"]


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


def _parquet_names(db: Any, parts: Sequence[Part]) -> dict[str, list[str]]:
    """The columns of each file, as they are written there."""
    names: dict[str, list[str]] = {}
    for part in parts:
        schema = f"select name, num_children from parquet_schema({_paths([part])})"
        (_, width), *rows = db.execute(schema).fetchall()
        names[part.path], at = [], 0
        for _ in range(width or 0):
            names[part.path].append(rows[at][0])
            at = _after(rows, at)
    return names


def _checked_names(db: Any, parts: Sequence[Part], wanted: Wanted) -> dict[str, list[str]]:
    names = _parquet_names(db, parts)
    for part in parts:
        check_columns(_twice(names[part.path], wanted.needed), names[part.path])
    wanted.check(list(dict.fromkeys(n for part in parts for n in names[part.path])))
    return names


def _after(rows: Sequence[tuple[str, int | None]], at: int) -> int:
    """Where the next column starts in a schema that lists what a column holds after it."""
    waiting = 1
    while waiting:
        waiting += (rows[at][1] or 0) - 1
        at += 1
    return at


def _parquet_source(parts: Sequence[Part], names: dict[str, list[str]], wanted: Wanted) -> str:
    """Files that agree on their columns are read at once, others one after another by place."""
    alike = {tuple(names[p.path]) for p in parts}
    spelt = {n for listed in alike for n in listed}
    once = all(len(set(listed)) == len(listed) for listed in alike)
    if once and len({n.casefold() for n in spelt}) == len(spelt):
        table = f"read_parquet({_paths(parts)}, hive_partitioning = false, union_by_name = true)"
        # A file alone may lack a column that others have.
        there = lambda c: _quoted(c) if c in spelt else "null"  # noqa: E731
        return _select(map(there, wanted.all), table, _kept(wanted, there))
    tables = []
    for part in parts:
        here = names[part.path]
        plain = ", ".join(f"given_{i}" for i in range(len(here)))
        table = f"read_parquet({_paths([part])}, hive_partitioning = false) as t({plain})"
        place = {c: f"given_{here.index(c)}" for c in wanted.needed if c in here}
        at = lambda c, place=place: place.get(c, "null")  # noqa: E731
        tables.append(_select(map(at, wanted.all), table, _kept(wanted, at)))
    return " union all ".join(tables)


def _twice(present: Sequence[str], wanted: Sequence[str]) -> list[str]:
    return [c for c in wanted if list(present).count(c) > 1]


def _objects(parts: Sequence[Part]) -> str:
    return f"read_json_objects({_paths(parts)}, compression = '{parts[0].packed or 'none'}')"


def _pointers(db: Any, parts: Sequence[Part], wanted: Wanted) -> dict[str, str]:
    """Where the columns are in an object: a key, or the steps of a path such as sample.target."""
    query = f"select distinct json_type(json), json_keys(json) from {_objects(parts)}"
    found = db.execute(query).fetchall()
    for kind, keys in found:
        if kind != "OBJECT":
            raise LabelError(f"every line of JSON must be an object; one is of type {kind}.")
        check_columns(_twice(keys, wanted.needed), keys)
    present = sorted({key for _, keys in found for key in keys})
    pointers = {c: _pointer([c]) for c in wanted.needed}
    inside = {c: _pointer(c.split(".")) for c in wanted.needed if c not in present and "." in c}
    if inside:
        there = ", ".join(f"bool_or(json_exists(json, {_text(x)}))" for x in inside.values())
        held = db.execute(f"select {there} from {_objects(parts)}").fetchone()
        absent = [c for c, yes in zip(inside, held, strict=True) if not yes]
        inside = {c: x for c, x in inside.items() if c not in absent}
        depth = max((c.count(".") for c in absent), default=0)
        present += _steps_inside(db, parts, present, depth)
    wanted.check(list(dict.fromkeys([*present, *inside])))
    return pointers | inside


def _steps_inside(db: Any, parts: Sequence[Part], present: Sequence[str], depth: int) -> list[str]:
    """Paths to what objects hold, so many steps deep, which a path that is not there may mean."""
    found: list[str] = []
    above = [[key] for key in present]
    for _ in range(depth):
        above = above[:_MOST_PATHS]
        keys = (f"json_keys(json, {_text(_pointer(steps))})" for steps in above)
        lists = ", ".join(f"flatten(list(distinct {x}) filter ({x} is not null))" for x in keys)
        held = db.execute(f"select {lists} from {_objects(parts)}").fetchone() if above else ()
        pairs = zip(above, held, strict=True)
        above = [[*steps, key] for steps, keys in pairs for key in sorted(set(keys or ()))]
        found += map(".".join, above)
    return found[:_MOST_PATHS]


def _texts(pointers: dict[str, str]) -> Callable[[str], str]:
    """The text of a column in an object, in SQL."""
    return lambda name: f"json_extract_string(json, {_text(pointers[name])})"


def _label(text: str | None, column: str) -> Any:
    """What a piece of JSON says; text stays text, and null is missing."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError:  # a number of thousands of digits, for one
        return text
    if isinstance(value, (list, dict)):
        kind = "a list" if isinstance(value, list) else "an object"
        raise LabelError(f"the column {column!r} must hold labels, one per item; one is {kind}.")
    return value


def _worded(label: Any) -> Any:
    """A label, with a truth value as the word that JSON writes."""
    return str(label).lower() if isinstance(label, bool) else label


def _pointer(steps: Sequence[str]) -> str:
    """Where a value is in an object, in the grammar of JSON pointers."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def _select(given: Iterable[str], table: str, kept: Iterable[str] = ()) -> str:
    columns = [f"{x} as {_plain(i)}" for i, x in enumerate(given)]
    return f"select {', '.join([*columns, *kept])} from {table}"


def _paths(parts: Sequence[Part]) -> str:
    """Files that are there are those files, whatever their names look like."""
    return f"[{', '.join(_text(escape(p.path)) for p in parts)}]"


def _plain(i: int) -> str:
    return f"column_{i}"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _lines(error: Exception) -> list[str]:
    return [x.strip() for x in str(error).splitlines() if x.strip()] or [type(error).__name__]
