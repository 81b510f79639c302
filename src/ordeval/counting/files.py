"""Count where a file lives: Parquet, CSV, JSON lines, Arrow, DuckDB and SQLite tables.

The engine is an embedded DuckDB, streaming and with bounded memory; without it, CSV is read by
Python's own reader and SQLite by its own library. Text stays text until the distinct rows are at
hand: "01" and "None" are labels like any other.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sqlite3
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from glob import glob
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from ordeval._optional import import_extra
from ordeval.counting.frames import DistinctRows, check_columns, distinct_rows
from ordeval.exceptions import LabelError

Progress = Callable[[str, int, int], None]  # stage, steps done, steps in all (0 if unknown)

_CSV: Final = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"?')
_SQLITE_MAGIC: Final = b"SQLite format 3\x00"
_MEMORY: Final = "1GB"  # beyond it DuckDB spills to a temporary folder
_ROWS_A_STEP: Final = 1 << 16


def file_rows(
    path: str | Path,
    columns: Sequence[str],
    weight: str | None = None,
    *,
    table: str | None = None,
    progress: Progress | None = None,
) -> DistinctRows:
    """Distinct rows of some columns of a file, or of files that match a pattern.

    ``table`` names the table of a DuckDB or SQLite file. The path ``-`` is CSV on standard input.
    """
    name = str(path)
    if name == "-":
        lines = io.TextIOWrapper(sys.stdin.buffer, newline="", encoding="utf-8-sig")
        return _csv_rows(lines, columns, weight, _rows_step(progress))
    kind = _kind_of(name)
    if kind == "sqlite":
        return _sqlite_rows(name, columns, weight, table)
    if kind == "csv" and find_spec("duckdb") is None:
        with open(name, "rb") as raw:
            opened: Any = gzip.GzipFile(fileobj=raw) if name.endswith(".gz") else raw
            lines = io.TextIOWrapper(opened, newline="", encoding="utf-8-sig")
            return _csv_rows(lines, columns, weight, _bytes_step(progress, raw, name))
    return _duckdb_rows(name, kind, columns, weight, table, progress)


def _rows_step(progress: Progress | None) -> Callable[[int], None]:
    return lambda rows: progress("counting rows", rows, 0) if progress else None


def _bytes_step(progress: Progress | None, raw: Any, name: str) -> Callable[[int], None]:
    size = os.path.getsize(name)
    return lambda _: progress("counting bytes", raw.tell(), size) if progress else None


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
    name: str,
    kind: str,
    columns: Sequence[str],
    weight: str | None,
    table: str | None,
    progress: Progress | None,
) -> DistinctRows:
    duckdb = import_extra("duckdb", extra="files", purpose=f"reading {name!r}")
    with (
        tempfile.TemporaryDirectory(prefix="ordeval-") as spill,
        duckdb.connect(
            name if kind == "duckdb" else ":memory:",
            read_only=kind == "duckdb",
            config={"memory_limit": _MEMORY, "temp_directory": spill},
        ) as db,
    ):
        # DuckDB draws a bar of its own on standard output, in the middle of results.
        db.execute(f"set enable_progress_bar = {'false' if progress is None else 'true'}")
        db.execute("set enable_progress_bar_print = false")
        try:
            relation = _relation(db, name, kind, table)
            with _watched(db, name, progress):
                rows = distinct_rows(relation, columns, weight)
        except duckdb.Error as error:
            raise LabelError(f"{name!r} could not be read: {_first_line(error)}") from None
    return rows if kind != "csv" else _as_text(rows)


@contextmanager
def _watched(db: Any, name: str, progress: Progress | None) -> Iterator[None]:
    """Tell how far the running query is, from a thread beside it."""
    if progress is None:
        yield
        return
    size = sum(os.path.getsize(f) for f in _files_of(name))
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


def _files_of(name: str) -> list[str]:
    if Path(name).is_dir():
        return [str(p) for p in Path(name).rglob("*.parquet")]
    return [name] if Path(name).exists() else glob(name, recursive=True)


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
    try:
        with closing(sqlite3.connect(uri, uri=True)) as db:
            listed = "select name from sqlite_master where type in ('table', 'view')"
            chosen = _only_table(table, [r[0] for r in db.execute(listed)])
            present = [r[1] for r in db.execute(f"pragma table_info({quoted(chosen)})")]
            check_columns([*columns, *([weight] if weight else [])], present)
            keys = ", ".join(quoted(c) for c in columns)
            sums = "count(*)"
            if weight is not None:
                w = quoted(weight)
                number = f"typeof({w}) in ('integer', 'real')"
                sums += f", sum({w}), sum(not ({number} and {w} >= 0))"
            query = f"select {keys}, {sums} from {quoted(chosen)} group by {keys}"
            found = db.execute(query).fetchall()
    except sqlite3.Error as error:
        raise LabelError(f"{name!r} could not be read: {error}.") from None
    weights = None
    if weight is not None:
        weights = np.array([float(row[-2] or 0) for row in found])
        bad = sum(row[-1] for row in found)
        if bad or not np.isfinite(weights).all():
            raise LabelError(
                f"the weights in {weight!r} must be finite and not negative; {bad:,} of them are "
                f"negative, missing or not numbers."
            )
    counts = np.array([row[len(columns)] for row in found], dtype=np.int64)
    values = {c: [row[i] for row in found] for i, c in enumerate(columns)}
    return DistinctRows(values, counts, weights, {})


def _csv_rows(
    file: Any, columns: Sequence[str], weight: str | None, step: Callable[[int], None]
) -> DistinctRows:
    """Distinct rows by Python's own reader; the delimiter is found from the first lines."""
    reader = _reader(file)
    names: list[str] = next(reader, [])
    check_columns([*columns, *([weight] if weight else [])], names)
    picked = [names.index(c) for c in columns]
    place = names.index(weight) if weight is not None else None
    counts: Counter[tuple[str, ...]] = Counter()
    weights: Counter[tuple[str, ...]] = Counter()
    for line, row in _rows_of(reader, len(names)):
        if line % _ROWS_A_STEP == 0:
            step(line)
        key = tuple(row[i] for i in picked)
        counts[key] += 1
        if place is not None:
            weights[key] += _weight(row[place], line, weight)  # type: ignore[assignment]
    keys = list(counts)
    values = {c: [key[i] for key in keys] for i, c in enumerate(columns)}
    summed = np.array([float(weights[k]) for k in keys]) if place is not None else None
    return _as_text(
        DistinctRows(values, np.array(list(counts.values()), dtype=np.int64), summed, {})
    )


def _as_text(rows: DistinctRows) -> DistinctRows:
    """Rows of a CSV file: what is empty is missing, and numbers are text."""
    columns = {c: [v or None for v in values] for c, values in rows.columns.items()}
    return replace(rows, columns=columns, text=True)


def _reader(file: Any) -> Any:
    start = file.readline()
    outside = _QUOTED.sub("", start)
    delimiter = max(",;\t|", key=outside.count)  # the first of them if there is none
    return csv.reader(chain([start], file), delimiter=delimiter)


def _rows_of(reader: Any, width: int) -> Iterator[tuple[int, list[str]]]:
    try:
        for row in reader:
            if row and len(row) != width:
                raise LabelError(
                    f"line {reader.line_num} has {len(row)} fields where the header has {width}."
                )
            if row:
                yield reader.line_num, row
    except (csv.Error, UnicodeDecodeError) as error:
        raise LabelError(f"line {reader.line_num + 1} could not be read: {error}.") from None


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


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
