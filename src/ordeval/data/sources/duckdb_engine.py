"""DuckDB within 1 GB of memory: connections, group-bys, and where labels are.

It may open the files that it is given and no others, and neither fetches nor loads extensions.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from glob import escape
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Progress
from ordeval.data.columns import Place
from ordeval.data.sources.duckdb_relations import distinct_rows, first_places, plain_name
from ordeval.data.sources.filters import Where, doubt_in_duckdb, doubted, in_duckdb, variables_of
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted
from ordeval.data.sources.rows import DistinctRows
from ordeval.exceptions import LabelError

_MEMORY: Final = "1GB"  # beyond it DuckDB spills to a temporary folder


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


# Makes the query of some files: columns called column_0, column_1 and so on, and with a filter
# kept and doubt.
Query = Callable[[Any, Sequence[Part]], str]


def counted(
    parts: Sequence[Part], wanted: Wanted, progress: Progress | None, query: Query
) -> DistinctRows:
    """The distinct rows of what a query of files gives."""
    with connected(parts, progress, wanted.where) as db:
        found = query(db, parts)
        refuse_doubts(db, found, wanted.where)
        with _watched(db, parts, progress):
            rows = distinct_rows(db.sql(found), wanted)
    return replace(
        rows, text=True, places=lambda column: places_by_file(parts, wanted, query, column)
    )


def places_by_file(
    parts: Sequence[Part], wanted: Wanted, query: Query, column: str
) -> dict[Any, Place]:
    """Where each label of a column is first, file by file."""
    places: dict[Any, Place] = {}
    for part in parts:
        file = part.path if len(parts) > 1 else None
        with connected([part], None, wanted.where) as db:
            here = first_places(db.sql(query(db, [part])), wanted, column)
        places = {x: place._replace(file=file) for x, place in here.items()} | places
    return places


def refuse_doubts(db: Any, source: str, where: Where | None) -> None:
    """Refuse rows of a query of which it cannot be told whether they are read."""
    if where is None or not where.numeric:
        return
    ((doubt,),) = db.execute(f"select any_value(doubt) from ({source})").fetchall()
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


def kept_columns(wanted: Wanted, column: Callable[[str], str]) -> list[str]:
    """Whether a row is read, and what keeps that from being told, in SQL; nothing if all are."""
    if wanted.where is None:
        return []
    kept = in_duckdb(wanted.where, column)
    return [f"coalesce({kept}, false) as kept", f"{doubt_in_duckdb(wanted.where, column)} as doubt"]


def select(given: Iterable[str], table: str, kept: Iterable[str] = ()) -> str:
    """The query of columns of a table under plain names, and of what tells which rows are read."""
    columns = [f"{x} as {plain_name(i)}" for i, x in enumerate(given)]
    return f"select {', '.join([*columns, *kept])} from {table}"


def listed_files(parts: Sequence[Part]) -> str:
    """Files that are there are those files, whatever their names look like."""
    return f"[{', '.join(literal(escape(p.path)) for p in parts)}]"


def literal(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def _lines(error: Exception) -> list[str]:
    return [x.strip() for x in str(error).splitlines() if x.strip()] or [type(error).__name__]
