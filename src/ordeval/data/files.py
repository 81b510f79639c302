"""Count where a file lives: which reader takes it.

CSV and SQLite are read with Python alone; DuckDB, if it is there, reads CSV too, and Parquet, JSON
lines and its own databases; PyArrow reads Arrow files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Progress, StrPath
from ordeval.data.frames import distinct_rows
from ordeval.data.rows import DistinctRows
from ordeval.exceptions import LabelError

_ENDINGS: Final = {
    "csv": (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    "parquet": (".parquet", ".pq"),
    "json": (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "duckdb": (".duckdb", ".ddb"),
}
_SQLITE_MAGIC: Final = b"SQLite format 3\x00"


@dataclass(frozen=True)
class FileSource:
    """A file, or files that match a pattern; the path ``-`` is CSV on standard input.

    ``table`` names the table of a DuckDB or SQLite file.
    """

    path: StrPath
    table: str | None = None
    progress: Progress | None = None

    @property
    def name(self) -> str:
        """The path as text."""
        return os.fspath(self.path)

    @property
    def once(self) -> bool:
        """Whether it can be read only once, as standard input can."""
        return self.name == "-"

    def rows(self, columns: Sequence[str], weight: str | None = None) -> DistinctRows:
        """The distinct rows of some columns; the weights of each are summed."""
        # The readers are loaded when a file is read, so that `import ordeval` stays quick.
        from ordeval.data._csv import csv_rows, opened
        from ordeval.data._duckdb import duckdb_rows
        from ordeval.data._sqlite import sqlite_rows

        name = self.name
        if self.once:
            return csv_rows(sys.stdin.buffer, columns, weight, _rows_step(self.progress))
        kind = _kind_of(name)
        if kind == "sqlite":
            return sqlite_rows(name, columns, weight, self.table)
        if kind == "arrow":
            return _arrow_rows(name, columns, weight)
        if kind == "csv" and find_spec("duckdb") is None:
            if not os.path.isfile(name):
                import_extra("duckdb", extra="files", purpose=f"reading {name!r}")
            with opened(name) as (lines, raw):
                return csv_rows(lines, columns, weight, _bytes_step(self.progress, raw, name))
        return duckdb_rows(
            name, columns, weight, kind=kind, table=self.table, progress=self.progress
        )


def _rows_step(progress: Progress | None) -> Callable[[int], None]:
    return lambda rows: progress("counting rows", rows, 0) if progress else None


def _bytes_step(progress: Progress | None, raw: Any, name: str) -> Callable[[int], None]:
    size = os.path.getsize(name)
    return lambda _: progress("counting bytes", raw.tell(), size) if progress else None


def _kind_of(name: str) -> str:
    lower = name.lower()
    pattern = any(c in name for c in "*?[")
    if not pattern and not os.path.exists(name):
        raise LabelError(f"there is no file {name!r}.")
    for kind, endings in _ENDINGS.items():
        if lower.endswith(endings):
            return kind
    if os.path.isdir(name):
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
        f"the kind of file cannot be told from the name {name!r}. Known: .csv .tsv .txt "
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


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
