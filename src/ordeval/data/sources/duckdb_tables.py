"""Files as tables of DuckDB, so that they can be joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, time
from typing import Any, Final

import numpy as np

from ordeval._shared.numbers import DECIMAL_COMMA
from ordeval.data.sources.csv_files import simple_csv
from ordeval.data.sources.duckdb_engine import connected, filtered, refuse_doubts
from ordeval.data.sources.duckdb_files import arrow_query, json_kinds, json_query, parquet_query
from ordeval.data.sources.duckdb_relations import refuse_rounding, refuse_words
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.id_joins import Opened
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted
from ordeval.exceptions import LabelError

_QUERIES: Final[dict[str, Callable[[Any, Sequence[Part], Wanted], str]]] = {
    "parquet": parquet_query,
    "json": json_query,
    "arrow": arrow_query,
}


@contextmanager
def opened_files(
    files: Sequence[FileSource], columns: Sequence[Sequence[str]], numbers: Sequence[str]
) -> Iterator[list[Opened]]:
    """Some columns of each file, in one connection."""
    direct = [_direct(file, wanted) for file, wanted in zip(files, columns, strict=True)]
    parts = [part for groups in direct for group in groups for part in group]
    with connected(parts, files[0].progress) as db:
        tables = []
        for i, given in enumerate(zip(files, columns, direct, strict=True)):
            with _naming(files[i]):
                tables.append(_table(db, i, *given, numbers))
        yield tables


def _direct(file: FileSource, columns: Sequence[str]) -> list[list[Part]]:
    """The files that DuckDB reads itself, those together that it reads at once.

    None if the reader of the kind has to.
    """
    form = file.form
    by_name = file.standard_input or file.table is not None
    if by_name or form.encoding is not None or form.decimal == ",":
        return []
    held = list(file.parts().values())
    parts = [part for listed in held for part in listed]
    needed = Wanted(tuple(columns), where=form.where).needed
    kinds = {(p.kind, p.packed) for p in parts}
    if len(kinds) > 1 or any(c in p.keys for p in parts for c in needed):
        return []
    kind = parts[0].kind
    if kind in ("csv", "arrow"):
        return [[part] for part in parts]
    return held if kind in ("parquet", "json") else []


@contextmanager
def _naming(file: FileSource) -> Iterator[None]:
    """Tell which file it is that lacks a column."""
    try:
        yield
    except LabelError as error:
        if not error.present or file.shown in str(error):
            raise
        raise LabelError(f"in {file.shown}: {error}") from None


def _table(
    db: Any,
    place: int,
    file: FileSource,
    columns: Sequence[str],
    groups: Sequence[Sequence[Part]],
    numbers: Sequence[str],
) -> Opened:
    """A file as a table of the connection."""
    wanted = Wanted(tuple(columns), where=file.form.where)
    table = f"ordeval_table_{place}"
    query, lines = _query(db, groups, wanted)
    if query is not None:
        db.execute(f"create temp table {table} as {filtered(db, query, wanted.where)}")
        if lines is not None and _size(db, table) != lines:
            db.execute(f"drop table {table}")
            query = None
        elif wanted.where is not None:
            refuse_doubts(db, f"from {table}", wanted.where)
            db.execute(f"delete from {table} where not kept")
            db.execute(f"alter table {table} drop column kept")
            db.execute(f"alter table {table} drop column doubt")
    if query is not None and groups[0][0].kind == "json":
        _turn_into_truth_values(db, table, groups, wanted)
    if query is not None and groups[0][0].kind == "csv" and not file.form.decimal:
        here = [f"column_{i}" for i, c in enumerate(columns) if c in numbers]
        if here and _have_commas(db, table, here):
            db.execute(f"drop table {table}")
            query = None  # DuckDB reads decimal points
    if query is None:
        rows = file.rows(columns)
        _fill(db, table, rows.columns, rows.count, columns)
    name = {c: f"column_{i}" for i, c in enumerate(columns)}
    text = query is None or groups[0][0].kind not in ("parquet", "arrow")
    relation = db.table(table)
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    written = [c for c in numbers if c in name and kinds[name[c]].id == "varchar"]
    for c in written:
        refuse_words(relation, c, name[c])
        refuse_rounding(relation, c, name[c])
    if written:
        given = [
            f"try_cast({name[c]} as double) as {name[c]}" if c in written else name[c]
            for c in columns
        ]
        relation = db.sql(f"select {', '.join(given)} from {table}")
    return Opened(relation, name, text)


def _query(
    db: Any, groups: Sequence[Sequence[Part]], wanted: Wanted
) -> tuple[str | None, int | None]:
    """What DuckDB is asked for the columns, None if another reader has to; and the rows of CSV."""
    queries: list[str] = []
    lines: int | None = None
    for parts in groups:
        kind = parts[0].kind
        try:
            if kind == "csv":
                query, here = simple_csv(parts[0], wanted)
                lines = (lines or 0) + here
            else:
                query = _QUERIES[kind](db, parts, wanted)
        except LabelError:
            if len(groups) == 1:
                raise
            query = None  # the reader of files says which of them it is
        if query is None:
            return None, None
        queries.append(query)
    return " union all ".join(f"({q})" for q in queries) or None, lines


def _size(db: Any, table: str) -> int:
    return int(db.execute(f"select count(*) from {table}").fetchall()[0][0])


def _have_commas(db: Any, table: str, names: Sequence[str]) -> bool:
    """Whether numbers have decimal commas."""
    pattern = f"^ *{DECIMAL_COMMA} *$"
    seem = " or ".join(f"bool_or(regexp_matches({x}, ?))" for x in names)
    asked = db.execute(f"select {seem} from {table}", [pattern] * len(names))
    return bool(asked.fetchall()[0][0])


def _turn_into_truth_values(
    db: Any, table: str, groups: Sequence[Sequence[Part]], wanted: Wanted
) -> None:
    """Columns of JSON that hold only true and false hold no words, joined or not."""
    names = [f"column_{i}" for i in range(len(wanted.all))]
    # The table is asked first: to ask the files is to read them again.
    seem = ", ".join(f"bool_and({x} in ('true', 'false'))" for x in names)
    seeming = db.execute(f"select {seem} from {table}").fetchall()[0]
    if not any(seeming):
        return
    queries = " union all ".join(f"({json_kinds(db, g, wanted)})" for g in groups)
    only = "" if wanted.where is None else " where kept"
    are = ", ".join(f"bool_and({x} in ('BOOLEAN', 'NULL'))" for x in names)
    being = db.execute(f"select {are} from ({queries}){only}").fetchall()[0]
    for x, seems, is_one in zip(names, seeming, being, strict=True):
        if seems and is_one:
            db.execute(f"alter table {table} alter {x} type boolean")


def _fill(db: Any, table: str, held: Any, count: Any, columns: Any) -> None:
    """A table of what another reader gave, as text; truth values stay what they are."""
    each = np.repeat(np.arange(len(count)), count).tolist()
    lists, given = [], []
    for i, c in enumerate(columns):
        values = [None if v is None or v != v else v for v in held[c]]
        truth = {isinstance(v, bool) for v in values if v is not None} == {True}
        texts = values if truth else [None if v is None else _text(v) for v in values]
        lists.append([texts[k] for k in each])
        given.append(f"unnest(?::{'boolean' if truth else 'varchar'}[]) as column_{i}")
    db.execute(f"create temp table {table} as select {', '.join(given)}", lists)


def _text(value: Any) -> str:
    """A value as DuckDB writes it: the fraction of a second without zeros at its end."""
    moment = isinstance(value, (datetime, time))
    return re.sub(r"(\.\d+?)0+(?=\+|$)", r"\1", str(value)) if moment else str(value)
