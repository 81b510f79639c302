"""Files that DuckDB reads, within 1 GB of memory: CSV, Parquet, JSON lines, its own databases.

Text stays text until the distinct rows are at hand: "01" and "None" are labels like any other.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape, glob
from pathlib import Path
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Progress
from ordeval.data._csv import as_text, header
from ordeval.data._sqlite import only_table
from ordeval.data.frames import distinct_rows
from ordeval.data.rows import DistinctRows
from ordeval.exceptions import LabelError

PARQUET: Final = (".parquet", ".pq")
_MEMORY: Final = "1GB"  # beyond it DuckDB spills to a temporary folder


def duckdb_rows(
    name: str, columns: Sequence[str], weight: str | None, *,
    kind: str, table: str | None, progress: Progress | None,
) -> DistinctRows:  # fmt: skip
    """Distinct rows of a file, counted by DuckDB."""
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
            # The rest names a column that only the query knows.
            why = _lines(error)[0].removeprefix("Conversion Error: ").partition(" when ")[0]
            raise LabelError(
                f"the weights in {weight!r} must be numbers: {why[:1].lower()}{why[1:]}."
            ) from None
        except duckdb.Error as error:
            raise LabelError(f"{name!r} could not be read: {_shown_error(error)}") from None
        except RuntimeError as error:
            # How DuckDB's binding passes on Ctrl-C while a query runs.
            if "nterrupted" in str(error):
                raise KeyboardInterrupt from None
            raise
    return as_text(rows, empty_is_missing=kind == "csv")


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
        return [str(p) for p in Path(name).rglob("*.p*") if p.suffix in PARQUET]
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
            return db.table(only_table(table, [r[0] for r in db.sql("show tables").fetchall()]))
        case _:
            if folder:
                endings = {p.suffix for p in Path(name).rglob("*.p*") if p.suffix in PARQUET}
                if not endings:
                    raise LabelError(f"the folder {name!r} holds no Parquet files.")
                source = [f"{escape(name.rstrip('/'))}/**/*{e}" for e in sorted(endings)]
            return db.read_parquet(source, hive_partitioning=True, union_by_name=several)


def _csv_relation(db: Any, name: str, source: Any) -> Any:
    """Everything is said outright, so that nothing is guessed from the first rows."""
    files = sorted(_files_of(name))
    if not files:
        raise LabelError(f"no file matches {name!r}.")
    delimiter, names = header(files[0])
    said = {"sep": delimiter, "quotechar": '"', "escapechar": '"', "comment": "", "skiprows": 0}
    if len(files) == 1 and names and len(set(names)) == len(names):
        columns = dict.fromkeys(names, "VARCHAR")
        return db.read_csv(source, header=True, auto_detect=False, columns=columns, **said)
    # The columns of several files go by name, not by place.
    return db.read_csv(source, header=True, all_varchar=True, union_by_name=True, **said)


def _shown_error(error: Exception) -> str:
    """What DuckDB says, and for CSV the line where it says why."""
    first, *more = _lines(error)
    why = next((x for x in more if x.startswith(("Expected", "Value with", "Invalid"))), "")
    return " ".join(filter(None, [first, why]))


def _lines(error: Exception) -> list[str]:
    return [x.strip() for x in str(error).splitlines() if x.strip()] or [type(error).__name__]
