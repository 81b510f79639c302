"""Files that DuckDB counts: Parquet, JSON lines, its own databases, and what PyArrow reads.

Text stays text until the distinct rows are at hand: "01" and "None" are labels like any other.
Columns go by their place in the file: to DuckDB, names that differ only in case are one name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Progress
from ordeval.data.columns import Place, as_column
from ordeval.data.sources.duckdb_engine import (
    connected,
    counted,
    filtered,
    listed_files,
    literal,
    places_by_file,
    select,
)
from ordeval.data.sources.frames import quoted
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted
from ordeval.data.sources.rows import DistinctRows, check_columns
from ordeval.data.sources.sqlite_files import chosen_table
from ordeval.data.sources.text_files import check_packed
from ordeval.exceptions import LabelError

_MOST_PATHS: Final = 200  # into objects, that a message looks through


def parquet_rows(parts: Sequence[Part], wanted: Wanted, progress: Progress | None) -> DistinctRows:
    """Distinct rows of Parquet files; columns of several go by name."""

    def source(db: Any, some: Sequence[Part]) -> str:
        # A file alone may lack a column that others have.
        return parquet_query(db, some, wanted, checked=len(some) == len(parts))

    return counted(parts, wanted, progress, source)


def parquet_query(db: Any, parts: Sequence[Part], wanted: Wanted, *, checked: bool = True) -> str:
    """The columns of Parquet files, as they are typed."""
    names = _parquet_names(db, parts)
    if checked:
        for part in parts:
            check_columns(_twice(names[part.path], wanted.needed), names[part.path])
        wanted.check(list(dict.fromkeys(n for part in parts for n in names[part.path])))
    return _parquet_source(parts, names, wanted)


def json_query(db: Any, parts: Sequence[Part], wanted: Wanted) -> str:
    """The columns of JSON lines, as text."""
    for part in parts:
        check_packed(part)
    text = _texts(_pointers(db, parts, wanted))
    return select(map(text, wanted.all), _objects(parts), map(text, wanted.tested))


def json_kinds(db: Any, parts: Sequence[Part], wanted: Wanted) -> str:
    """What JSON lines hold in the columns: BOOLEAN, VARCHAR and so on."""
    pointers = _pointers(db, parts, wanted)
    tested = map(_texts(pointers), wanted.tested)
    kinds = (f"json_type(json, {literal(pointers[c])})" for c in wanted.all)
    return filtered(db, select(kinds, _objects(parts), tested), wanted.where)


def json_rows(parts: Sequence[Part], wanted: Wanted, progress: Progress | None) -> DistinctRows:
    """Distinct rows of JSON lines; labels keep their JSON types."""
    for part in parts:
        check_packed(part)

    @cache
    def pointers() -> dict[str, str]:
        with connected(parts, None) as db:
            return _pointers(db, parts, wanted)

    def source(_: Any, some: Sequence[Part]) -> str:
        return _json_source(pointers(), some, wanted)

    rows = _declared_rows(parts, wanted, progress)
    if rows is None:
        rows = counted(parts, wanted, progress, source)
    values = {}
    words: set[str] = set()  # columns in which true and false are not all that is said
    for c, texts in rows.columns.items():
        label = {text: _label(text, c) for text in set(texts)}
        if len({isinstance(x, bool) for x in label.values() if x is not None}) > 1:
            # True is 1 to Python, and next to numbers nobody says that it is here.
            words.add(c)
            label = {text: _worded(x) for text, x in label.items()}
        values[c] = [label[text] for text in texts]

    def places(column: str) -> dict[Any, Place]:
        found = places_by_file(parts, wanted, source, column)
        # Null and an absent key are both missing: the last one written is the first in the file.
        late = sorted(found.items(), key=lambda pair: pair[1].row, reverse=True)
        as_word = _worded if column in words else lambda x: x
        return {as_word(_label(v, column)): place for v, place in late}

    return replace(rows, columns=values, text=True, places=places)


def _declared_rows(
    parts: Sequence[Part], wanted: Wanted, progress: Progress | None
) -> DistinctRows | None:
    """Read the rows by the requested keys in one pass; None if the result is uncertain.

    What is missing everywhere, or all at once, may be a key of another name, a path, or a line
    that is no object; and what DuckDB refuses may be fine to whoever looks at whole objects.
    """
    if wanted.where is not None or wanted.numbers or wanted.keys:
        return None
    keys = ", ".join(f"{literal(c)}: 'JSON'" for c in dict.fromkeys(wanted.all))
    packed = parts[0].packed or "uncompressed"
    table = (
        f"read_json({listed_files(parts)}, columns = {{{keys}}}, format = 'newline_delimited', "
        f"records = true, compression = '{packed}', hive_partitioning = false)"
    )
    given = [f"{quoted(c)}::varchar" for c in wanted.columns]
    given += [] if wanted.weight is None else [f"{quoted(wanted.weight)}::double"]
    try:
        rows = counted(parts, wanted, progress, lambda *_: select(given, table))
    except LabelError:
        return None
    there = np.array([[x is not None for x in listed] for listed in rows.columns.values()])
    return rows if there.size and there.any(axis=0).all() and there.any(axis=1).all() else None


def _json_source(pointers: dict[str, str], parts: Sequence[Part], wanted: Wanted) -> str:
    """The columns of JSON lines as they are written, taken from whole objects."""
    text = _texts(pointers)
    given = [f"json_extract(json, {literal(pointers[c])})::varchar" for c in wanted.columns]
    given += [text(c) for c in wanted.numbers]
    if wanted.weight is not None:
        given.append(f"json_extract(json, {literal(pointers[wanted.weight])})::double")
    return select(given, _objects(parts), map(text, wanted.tested))


def database_rows(
    part: Part, wanted: Wanted, table: str | None, progress: Progress | None
) -> DistinctRows:
    """Distinct rows of a table of a DuckDB file."""

    def source(db: Any, _: Sequence[Part]) -> str:
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
        table_of = f"{quoted(schema)}.{quoted(name)}"
        return select(map(quoted, wanted.all), table_of, map(quoted, wanted.tested))

    return counted([part], wanted, progress, source)


def arrow_rows(part: Part, wanted: Wanted) -> DistinctRows:
    """Distinct rows of an Arrow file, stream or Feather file, checked to the last byte."""
    orders: dict[str, tuple[Any, ...]] = {}

    def query(db: Any, parts: Sequence[Part]) -> str:
        return arrow_query(db, parts, wanted, orders)

    return replace(counted([part], wanted, None, query), orders=orders)


def arrow_query(
    db: Any, parts: Sequence[Part], wanted: Wanted, orders: dict[str, tuple[Any, ...]] | None = None
) -> str:
    """The typed columns of an Arrow file; ``orders`` receives those of dictionaries."""
    (part,) = parts
    table = _arrow_table(part, wanted)
    for c in wanted.columns:
        # DuckDB gives a dictionary as its labels, without their order.
        column = as_column(table[c], c) if hasattr(table[c].type, "ordered") else None
        if column and column.ordered and column.categories is not None and orders is not None:
            orders[c] = column.categories
    place = {c: f"given_{i}" for i, c in enumerate(table.column_names)}
    held = table.rename_columns(list(place.values()))
    name, at = f"arrow_{id(held)}", place.__getitem__
    db.register(name, held)  # which keeps it, so that no other has its number
    return select(map(at, wanted.all), name, map(at, wanted.tested))


def _arrow_table(part: Part, wanted: Wanted) -> Any:
    """The columns of an Arrow file that are read."""
    purpose = f"reading {part.path!r}"
    arrow = import_extra("pyarrow", extra="files", purpose=purpose)
    import_extra("pyarrow.ipc", extra="files", purpose=purpose)
    feather = import_extra("pyarrow.feather", extra="files", purpose=purpose)
    try:
        with open(part.path, "rb") as file:
            start = file.read(6)
        # A file that is mapped into memory would take the process down if it is not whole.
        if start == b"ARROW1" or start[:4] == b"FEA1":
            table = feather.read_table(part.path, memory_map=False)
        else:
            with arrow.OSFile(part.path, "rb") as file, arrow.ipc.open_stream(file) as reader:
                table = reader.read_all()
        wanted.check(table.column_names)
        table = table.select([table.column_names.index(c) for c in wanted.needed])
        table.validate(full=True)
        for i, column in enumerate(table.columns):
            table = table.set_column(i, table.column_names[i], _as_in_parquet(column, arrow))
    except (OSError, arrow.ArrowException, UnicodeDecodeError, OverflowError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise LabelError(f"{part.path!r} could not be read: {said}.") from None
    return table


def _as_in_parquet(column: Any, arrow: Any) -> Any:
    """A column in a type that DuckDB knows, which is the one that Parquet files have."""
    kind, is_a = column.type, arrow.types
    if is_a.is_duration(kind):
        return column.cast(arrow.int64())
    if is_a.is_float16(kind):
        return column.cast(arrow.float32())
    if is_a.is_decimal(kind) and not is_a.is_decimal128(kind):
        exact = kind.precision <= 38
        narrow = arrow.decimal128(kind.precision, kind.scale) if exact else arrow.float64()
        return column.cast(narrow)
    return column


def _parquet_names(db: Any, parts: Sequence[Part]) -> dict[str, list[str]]:
    """The columns of each file, as they are written there."""
    names: dict[str, list[str]] = {}
    for part in parts:
        schema = f"select name, num_children from parquet_schema({listed_files([part])})"
        (_, width), *rows = db.execute(schema).fetchall()
        names[part.path], at = [], 0
        for _ in range(width or 0):
            names[part.path].append(rows[at][0])
            at = _after(rows, at)
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
        table = (
            f"read_parquet({listed_files(parts)}, hive_partitioning = false, union_by_name = true)"
        )
        # A file alone may lack a column that others have.
        there = lambda c: quoted(c) if c in spelt else "null"  # noqa: E731
        return select(map(there, wanted.all), table, map(there, wanted.tested))
    tables = []
    for part in parts:
        here = names[part.path]
        plain = ", ".join(f"given_{i}" for i in range(len(here)))
        table = f"read_parquet({listed_files([part])}, hive_partitioning = false) as t({plain})"
        place = {c: f"given_{here.index(c)}" for c in wanted.needed if c in here}
        at = lambda c, place=place: place.get(c, "null")  # noqa: E731
        tables.append(select(map(at, wanted.all), table, map(at, wanted.tested)))
    return " union all ".join(tables)


def _twice(present: Sequence[str], wanted: Sequence[str]) -> list[str]:
    return [c for c in wanted if list(present).count(c) > 1]


def _objects(parts: Sequence[Part]) -> str:
    packed = parts[0].packed or "uncompressed"
    return f"read_json_objects({listed_files(parts)}, compression = '{packed}')"


def _pointers(db: Any, parts: Sequence[Part], wanted: Wanted) -> dict[str, str]:
    """Where the columns are in an object: a key, or the steps of a path such as sample.target."""
    query = f"select distinct json_type(json), json_keys(json) from {_objects(parts)}"
    found = db.execute(query).fetchall()
    for kind, keys in found:
        if kind != "OBJECT":
            raise LabelError(f"every line of JSON must be an object; one is of type {kind}.")
        check_columns(_twice(keys, wanted.needed), keys)
    # In the order in which most of them are written, whatever the order of the lines.
    written = sorted((keys for _, keys in found), key=lambda keys: (-len(keys), keys))
    present = list(dict.fromkeys(key for keys in written for key in keys))
    pointers = {c: _pointer([c]) for c in wanted.needed}
    inside = {c: _pointer(c.split(".")) for c in wanted.needed if c not in present and "." in c}
    if inside:
        there = ", ".join(f"bool_or(json_exists(json, {literal(x)}))" for x in inside.values())
        (held,) = db.execute(f"select {there} from {_objects(parts)}").fetchall()
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
        keys = (f"json_keys(json, {literal(_pointer(steps))})" for steps in above)
        lists = ", ".join(f"flatten(list(distinct {x}) filter ({x} is not null))" for x in keys)
        held = db.execute(f"select {lists} from {_objects(parts)}").fetchall()[0] if above else ()
        pairs = zip(above, held, strict=True)
        above = [[*steps, key] for steps, keys in pairs for key in sorted(set(keys or ()))]
        found += map(".".join, above)
    return found[:_MOST_PATHS]


def _texts(pointers: dict[str, str]) -> Callable[[str], str]:
    """The text of a column in an object, in SQL."""
    return lambda name: f"json_extract_string(json, {literal(pointers[name])})"


def _label(text: str | None, column: str) -> Any:
    """What a piece of JSON says; text stays text, and null is missing."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError:  # a number of thousands of digits, for one
        return text
    except RecursionError:
        raise LabelError(
            f"the column {column!r} must hold labels, one per item; one holds too many brackets "
            f"within brackets."
        ) from None
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
