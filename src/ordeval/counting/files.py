"""Count where a file lives: Parquet, CSV, JSON lines, Arrow, DuckDB and SQLite tables.

The engine is an embedded DuckDB, streaming and with bounded memory; without it, CSV is read by
Python's own reader and SQLite by its own library. Text stays text until the distinct rows are at
hand: "01" and "None" are labels like any other.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from ordeval._optional import import_extra
from ordeval.counting.frames import DistinctRows, check_columns, distinct_rows
from ordeval.exceptions import LabelError

_INTEGER: Final = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_CSV: Final = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_SQLITE_MAGIC: Final = b"SQLite format 3\x00"


def file_rows(
    path: str | Path, columns: Sequence[str], weight: str | None = None, *, table: str | None = None
) -> DistinctRows:
    """Distinct rows of some columns of a file, or of files that match a pattern.

    ``table`` names the table of a DuckDB or SQLite file. The path ``-`` is CSV on standard input.
    """
    name = str(path)
    if name == "-":
        return _csv_rows(io.TextIOWrapper(sys.stdin.buffer, newline=""), columns, weight)
    kind = _kind_of(name)
    if kind == "sqlite":
        return _sqlite_rows(name, columns, weight, table)
    if kind == "csv" and find_spec("duckdb") is None:
        opener: Any = gzip.open if name.endswith(".gz") else open
        with opener(name, "rt", newline="") as file:
            return _csv_rows(file, columns, weight)
    return _duckdb_rows(name, kind, columns, weight, table)


def _kind_of(name: str) -> str:
    lower = name.lower()
    pattern = any(c in name for c in "*?[")
    if not pattern and not Path(name).exists():
        raise LabelError(f"there is no file {name!r}.")
    if lower.endswith(_CSV):
        return "csv"
    for kind, endings in {
        "parquet": (".parquet", ".pq"),
        "json": (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz"),
        "arrow": (".arrow", ".feather", ".ipc"),
        "duckdb": (".duckdb", ".ddb"),
    }.items():
        if lower.endswith(endings):
            return kind
    if Path(name).is_dir():
        return "parquet"
    if not pattern:
        with open(name, "rb") as file:
            start = file.read(16)
        if start == _SQLITE_MAGIC:
            return "sqlite"
        if start[8:12] == b"DUCK":
            return "duckdb"
        if start[:4] == b"PAR1":
            return "parquet"
    raise LabelError(
        f"what kind of file {name!r} is cannot be told from its name. Known: .csv .tsv .txt "
        f"(.gz), .parquet, .jsonl, .arrow, .feather, .duckdb, .sqlite."
    )


def _duckdb_rows(
    name: str, kind: str, columns: Sequence[str], weight: str | None, table: str | None
) -> DistinctRows:
    duckdb = import_extra("duckdb", extra="files", purpose=f"reading {name!r}")
    with duckdb.connect(name if kind == "duckdb" else ":memory:", read_only=kind == "duckdb") as db:
        try:
            relation = _relation(db, name, kind, table)
            rows = distinct_rows(relation, columns, weight)
        except duckdb.Error as error:
            raise LabelError(f"{name!r} could not be read: {_first_line(error)}") from None
    return rows if kind != "csv" else _with_integers(rows)


def _relation(db: Any, name: str, kind: str, table: str | None) -> Any:
    match kind:
        case "csv":
            return db.read_csv(name, all_varchar=True, header=True)
        case "json":
            return db.read_json(name)
        case "arrow":
            feather = import_extra("pyarrow.feather", extra="files", purpose=f"reading {name!r}")
            return db.from_arrow(feather.read_table(name))
        case "duckdb":
            return db.table(_only_table(table, [r[0] for r in db.sql("show tables").fetchall()]))
        case _:
            source = f"{name.rstrip('/')}/**/*.parquet" if Path(name).is_dir() else name
            return db.read_parquet(source, hive_partitioning=True)


def _only_table(table: str | None, tables: Sequence[str]) -> str:
    if table is None and len(tables) == 1:
        return tables[0]
    if table is None or table not in tables:
        shown = ", ".join(repr(t) for t in tables)
        raise LabelError(f"name one of the tables with table=; the file has {shown}.")
    return table


def _sqlite_rows(
    name: str, columns: Sequence[str], weight: str | None, table: str | None
) -> DistinctRows:
    def quoted(identifier: str) -> str:
        return '"' + identifier.replace('"', '""') + '"'

    uri = Path(name).resolve().as_uri() + "?mode=ro"
    db = sqlite3.connect(uri, uri=True)
    try:
        names = [r[0] for r in db.execute("select name from sqlite_master where type='table'")]
        chosen = _only_table(table, names)
        present = [r[1] for r in db.execute(f"pragma table_info({quoted(chosen)})")]
        check_columns([*columns, *([weight] if weight else [])], present)
        keys = ", ".join(quoted(c) for c in columns)
        sums = "count(*)"
        if weight is not None:
            w = quoted(weight)
            sums += f", sum({w}), sum({w} is null or not {w} >= 0)"
        query = f"select {keys}, {sums} from {quoted(chosen)} group by {keys}"
        table_rows = db.execute(query).fetchall()
    finally:
        db.close()
    weights = None
    if weight is not None:
        if any(row[-1] for row in table_rows):
            raise LabelError(f"the weights in {weight!r} must be finite and not negative.")
        weights = np.array([float(row[-2]) for row in table_rows])
    counts = np.array([row[len(columns)] for row in table_rows], dtype=np.int64)
    listed = {c: [row[i] for row in table_rows] for i, c in enumerate(columns)}
    return DistinctRows(listed, counts, weights, {})


def _csv_rows(file: Any, columns: Sequence[str], weight: str | None) -> DistinctRows:
    """Distinct rows by Python's own reader; the delimiter is found from the first lines."""
    start = file.readline()
    try:
        dialect: Any = csv.Sniffer().sniff(start, delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    names = next(csv.reader([start], dialect), [])
    check_columns([*columns, *([weight] if weight else [])], names)
    picked = [names.index(c) for c in columns]
    place = names.index(weight) if weight is not None else None
    counts: Counter[tuple[str, ...]] = Counter()
    weights: Counter[tuple[str, ...]] = Counter()
    for line, row in _rows_of(file, dialect, len(names)):
        key = tuple(row[i] for i in picked)
        counts[key] += 1
        if place is not None:
            weights[key] += _weight(row[place], line, weight)  # type: ignore[assignment]
    keys = list(counts)
    listed = {c: [key[i] or None for key in keys] for i, c in enumerate(columns)}
    summed = np.array([float(weights[k]) for k in keys]) if place is not None else None
    return _with_integers(
        DistinctRows(listed, np.array(list(counts.values()), dtype=np.int64), summed, {})
    )


def _rows_of(file: Any, dialect: Any, width: int) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(csv.reader(file, dialect), start=2):
        if not row:
            continue
        if len(row) != width:
            raise LabelError(f"line {line} has {len(row)} fields where the header has {width}.")
        yield line, row


def _weight(text: str, line: int, name: str | None) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value >= 0):
        raise LabelError(
            f"the weights in {name!r} must be finite and not negative; line {line} has {text!r}."
        )
    return value


def _with_integers(rows: DistinctRows) -> DistinctRows:
    """Text columns whose every label is written as an integer become integers, all or none."""
    texts = [v for values in rows.columns.values() for v in values if v not in (None, "")]
    if not texts or not all(isinstance(v, str) and _INTEGER.fullmatch(v) for v in texts):
        columns = {c: [v or None for v in values] for c, values in rows.columns.items()}
        return DistinctRows(columns, rows.count, rows.weight, rows.orders)
    columns = {
        c: [int(v) if v not in (None, "") else None for v in values]
        for c, values in rows.columns.items()
    }
    return DistinctRows(columns, rows.count, rows.weight, rows.orders)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
