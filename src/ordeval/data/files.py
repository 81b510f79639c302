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
from glob import escape, glob
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval.data.frames import DistinctRows, check_columns, distinct_rows
from ordeval.exceptions import LabelError

Progress = Callable[[str, int, int], None]  # stage, steps done, steps in all (0 if unknown)

_PARQUET: Final = (".parquet", ".pq")
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
        return _csv_rows(sys.stdin.buffer, columns, weight, _rows_step(progress))
    kind = _kind_of(name)
    if kind == "sqlite":
        return _sqlite_rows(name, columns, weight, table)
    if kind == "arrow":
        return _arrow_rows(name, columns, weight)
    if kind == "csv" and find_spec("duckdb") is None:
        if not Path(name).is_file():
            import_extra("duckdb", extra="files", purpose=f"reading {name!r}")
        with _opened(name) as (lines, raw):
            return _csv_rows(lines, columns, weight, _bytes_step(progress, raw, name))
    return _duckdb_rows(name, kind, columns, weight, table, progress)


@contextmanager
def _opened(name: str) -> Iterator[tuple[Any, Any]]:
    """The bytes of a file, unpacked if need be, and the file itself."""
    with open(name, "rb") as raw:
        if name.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked, raw
        else:
            yield raw, raw


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
        "parquet": _PARQUET,
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


def _arrow_rows(name: str, columns: Sequence[str], weight: str | None) -> DistinctRows:
    feather = import_extra("pyarrow.feather", extra="files", purpose=f"reading {name!r}")
    arrow = import_extra("pyarrow", extra="files", purpose=f"reading {name!r}")
    try:
        table = feather.read_table(name, memory_map=True)
    except (OSError, arrow.ArrowException) as error:
        raise LabelError(f"{name!r} could not be read: {_first_line(error)}.") from None
    return replace(distinct_rows(table, columns, weight), text=True)


def _duckdb_rows(
    name: str,
    kind: str,
    columns: Sequence[str],
    weight: str | None,
    table: str | None,
    progress: Progress | None,
) -> DistinctRows:
    duckdb = import_extra("duckdb", extra="files", purpose=f"reading {name!r}")
    is_database = kind == "duckdb"
    with tempfile.TemporaryDirectory(prefix="ordeval-") as spill:
        settings = {"memory_limit": _MEMORY, "temp_directory": spill}
        try:
            with duckdb.connect(
                name if is_database else ":memory:", read_only=is_database, config=settings
            ) as db:
                # DuckDB draws a bar of its own on standard output, in the middle of results.
                db.execute(f"set enable_progress_bar = {'false' if progress is None else 'true'}")
                db.execute("set enable_progress_bar_print = false")
                if is_database:
                    # A view may name any file of this machine; a database brings its own data only.
                    db.execute("set enable_external_access = false")
                relation = _relation(db, name, kind, table)
                with _watched(db, name, progress):
                    rows = distinct_rows(relation, columns, weight)
        except duckdb.ConversionException as error:
            raise LabelError(
                f"the weights in {weight!r} must be numbers: {_first_line(error)}"
            ) from None
        except duckdb.Error as error:
            raise LabelError(f"{name!r} could not be read: {_shown_error(error)}") from None
        except RuntimeError as error:
            # How DuckDB's binding passes on Ctrl-C while a query runs.
            if "nterrupted" in str(error):
                raise KeyboardInterrupt from None
            raise
    return _as_text(rows, empty_is_missing=kind == "csv")


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
        return [str(p) for p in Path(name).rglob("*.p*") if p.suffix in _PARQUET]
    return [name] if Path(name).exists() else glob(name, recursive=True)


def _relation(db: Any, name: str, kind: str, table: str | None) -> Any:
    folder = Path(name).is_dir()
    # A file that is there is that file, whatever its name looks like.
    source: Any = escape(name) if Path(name).exists() and not folder else name
    several = folder or source == name
    match kind:
        case "csv":
            return _csv_relation(db, name, source)
        case "json":
            return db.read_json(source, sample_size=-1, union_by_name=True)
        case "duckdb":
            return db.table(_only_table(table, [r[0] for r in db.sql("show tables").fetchall()]))
        case _:
            if folder:
                endings = {p.suffix for p in Path(name).rglob("*.p*") if p.suffix in _PARQUET}
                source = [f"{escape(name.rstrip('/'))}/**/*{e}" for e in sorted(endings)]
            return db.read_parquet(source, hive_partitioning=True, union_by_name=several)


def _csv_relation(db: Any, name: str, source: Any) -> Any:
    """Everything is said outright, so that nothing is guessed from the first rows."""
    files = sorted(_files_of(name))
    if not files:
        raise LabelError(f"no file matches {name!r}.")
    delimiter, names = _header(files[0])
    said = {"sep": delimiter, "quotechar": '"', "escapechar": '"', "comment": "", "skiprows": 0}
    if len(files) == 1 and names and len(set(names)) == len(names):
        columns = dict.fromkeys(names, "VARCHAR")
        return db.read_csv(source, header=True, auto_detect=False, columns=columns, **said)
    # The columns of several files go by name, not by place.
    return db.read_csv(source, header=True, all_varchar=True, union_by_name=True, **said)


def _header(file: str) -> tuple[str, list[str]]:
    """What separates the fields of a CSV file, and the names of its columns."""
    try:
        with _opened(file) as (lines, _):
            text = io.TextIOWrapper(lines, newline="", encoding="utf-8-sig", errors="replace")
            start = text.readline()
            delimiter = _delimiter_in(start)
            names = next(csv.reader(chain([start], text), delimiter=delimiter), [])
            text.detach()
            return delimiter, names
    except (csv.Error, OSError, EOFError) as error:
        raise LabelError(f"{file!r} could not be read: {error}.") from None


def _delimiter_in(first_line: str) -> str:
    outside = _QUOTED.sub("", first_line)
    return max(",;\t|", key=outside.count)  # the first of them if there is none


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
            listed = (
                "select name from sqlite_master where type in ('table', 'view') "
                "and name not like 'sqlite~_%' escape '~'"
            )
            chosen = _only_table(table, [r[0] for r in db.execute(listed)])
            present = [r[1] for r in db.execute(f"pragma table_info({quoted(chosen)})")]
            check_columns([*columns, *([weight] if weight else [])], present)
            # A collation that takes a for A would merge labels.
            keys = ", ".join(f"{quoted(c)} collate binary" for c in columns)
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
                f"the weights in {weight!r} must be finite and not negative; "
                + (
                    f"{bad:,} of them are negative, missing or not numbers."
                    if bad
                    else "some are not."
                )
            )
    counts = np.array([row[len(columns)] for row in found], dtype=np.int64)
    values = {c: [row[i] for row in found] for i, c in enumerate(columns)}
    return DistinctRows(values, counts, weights, {})


def _csv_rows(
    lines: Any, columns: Sequence[str], weight: str | None, step: Callable[[int], None]
) -> DistinctRows:
    """Distinct rows by Python's own reader; the delimiter is found from the first line."""
    counts: Counter[tuple[str, ...]] = Counter()
    weights: Counter[tuple[str, ...]] = Counter()
    picked: list[int] = []
    place = None
    for line, row in _rows_of(lines):
        if not picked:
            check_columns([*columns, *([weight] if weight else [])], row)
            picked = [row.index(c) for c in columns]
            place = row.index(weight) if weight is not None else None
            continue
        if line % _ROWS_A_STEP == 0:
            step(line)
        key = tuple(row[i] for i in picked)
        counts[key] += 1
        if place is not None:
            weights[key] += _weight(row[place], line, weight)  # type: ignore[assignment]
    step(sum(counts.values()))
    values = {c: [key[i] for key in counts] for i, c in enumerate(columns)}
    summed = np.array([float(weights[k]) for k in counts]) if place is not None else None
    found = DistinctRows(values, np.array(list(counts.values()), dtype=np.int64), summed, {})
    return _as_text(found, empty_is_missing=True)


def _as_text(rows: DistinctRows, *, empty_is_missing: bool) -> DistinctRows:
    """Rows of a file whose numbers may be text; in CSV, what is empty is missing."""
    columns = rows.columns
    if empty_is_missing:
        columns = {c: [v or None for v in values] for c, values in columns.items()}
    return replace(rows, columns=columns, text=True)


def _rows_of(lines: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, the header first, each with the number of its last line."""
    width, number = 0, 0
    text = io.TextIOWrapper(lines, newline="", encoding="utf-8-sig")
    try:
        start = text.readline()
        reader = csv.reader(chain([start], text), delimiter=_delimiter_in(start))
        for row in reader:
            number = reader.line_num
            if not row and width:
                continue
            if width and len(row) != width:
                raise LabelError(
                    f"line {number} has {len(row)} fields where the header has {width}."
                )
            width = width or len(row) or 1
            yield number, row
        if not width:
            yield 1, []
    except UnicodeDecodeError:
        raise LabelError(
            f"line {number + 1} is not text in UTF-8; save the file in that encoding."
        ) from None
    except (csv.Error, OSError, EOFError) as error:
        raise LabelError(f"line {number + 1} could not be read: {error}.") from None
    finally:
        text.detach()  # whoever opened the file closes it


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
    return (str(error).splitlines() or [type(error).__name__])[0]


def _shown_error(error: Exception) -> str:
    """What DuckDB says, and for CSV the line where it says why."""
    lines = [x.strip() for x in str(error).splitlines() if x.strip()]
    why = next((x for x in lines[1:] if x.startswith(("Expected", "Value with", "Invalid"))), "")
    return " ".join(filter(None, [lines[0] if lines else type(error).__name__, why]))
