"""CSV files: DuckDB reads those that can be read in one way only, Python's reader the others.

DuckDB is many times as fast, but drops lines of a file that is not what it expects without a
word. What it gives is taken only if it counted as many rows as the file has lines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from ordeval._shared.types import Progress
from ordeval.data.columns import Place
from ordeval.data.sources.csv_stream import csv_rows, header
from ordeval.data.sources.duckdb_files import csv_by_duckdb, csv_query
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted, each
from ordeval.data.sources.rows import DistinctRows, check_columns
from ordeval.data.sources.text_files import BROKEN, Survey, opened, survey
from ordeval.exceptions import LabelError

T = TypeVar("T")


@dataclass(frozen=True)
class _File:
    """A CSV file and its header."""

    part: Part
    delimiter: str
    names: list[str]


def csv_files(
    parts: Sequence[Part],
    wanted: Wanted,
    surveys: dict[str, Survey],
    *,
    fast: bool,
    progress: Progress | None,
) -> DistinctRows:
    """The rows of CSV files; columns go by name, and one that only others have is missing."""
    files = {part.path: _File(part, *_guarded(part, header)) for part in parts}
    present = list(dict.fromkeys(n for file in files.values() for n in file.names))
    check_columns(wanted.needed, present)

    def read(part: Part, step: Progress | None) -> DistinctRows:
        file = files[part.path]
        wanted.check_keys(file.names)
        here = [c for c in wanted.needed if c in file.names or c == wanted.weight]
        check_columns(here, file.names)
        # DuckDB reads UTF-8 and decimal points.
        if fast and part.encoding is None and wanted.decimal == ".":
            found = _fast(file, wanted, surveys, step)
            if found is not None:
                return found
        return _slow(file, wanted, step)

    return each(parts, read, progress)


def _fast(
    file: _File, wanted: Wanted, surveys: dict[str, Survey], progress: Progress | None
) -> DistinctRows | None:
    """What DuckDB counts, if there is one way to read the file and it went that way."""
    part, path = file.part, file.part.path
    if path not in surveys:
        look = lambda p: survey(p, file.delimiter, len(file.names))  # noqa: E731
        surveys[path] = _guarded(part, look)
    if not surveys[path].simple:
        return None
    try:
        rows, read = csv_by_duckdb(part, file.delimiter, file.names, wanted, progress)
    except LabelError:
        return None  # the other reader says what is wrong, and on which line
    if read != surveys[path].lines - 1:
        return None
    return replace(rows, places=_looked_up(file, wanted))


def simple_csv(part: Part, wanted: Wanted) -> tuple[str | None, int]:
    """What DuckDB is asked for the columns of a file, and the rows that it must find.

    None if there is more than one way to read the file. What is empty is missing.
    """
    file = _File(part, *_guarded(part, header))
    check_columns(wanted.needed, file.names)
    look = lambda p: survey(p, file.delimiter, len(file.names))  # noqa: E731
    seen = _guarded(part, look)
    if not seen.simple:
        return None, 0
    query = csv_query(part, file.delimiter, file.names, wanted)
    given = ", ".join(
        f"nullif({c}, '') as {c}" for c in map("column_{}".format, range(len(wanted.all)))
    )
    kept = "" if wanted.where is None else ", kept, doubt"
    return f"select {given}{kept} from ({query})", seen.lines - 1


def _looked_up(file: _File, wanted: Wanted) -> Callable[[str], Any]:
    @cache
    def again() -> DistinctRows:
        return _slow(file, wanted, None)

    def places(column: str) -> dict[Any, Place]:
        found = again().places
        return {} if found is None else dict(found(column))

    return places


def _slow(file: _File, wanted: Wanted, progress: Progress | None) -> DistinctRows:
    size = os.path.getsize(file.part.path)
    absent = [c for c in wanted.needed if c not in file.names and c != wanted.weight]

    def read(part: Part) -> DistinctRows:
        with opened(part) as (stream, raw):

            def step(_: int) -> None:
                if progress is not None:
                    progress("counting bytes", raw.tell(), size)

            return csv_rows(stream, wanted, step, absent=absent)

    return _guarded(file.part, read)


def _guarded(part: Part, read: Callable[[Part], T]) -> T:
    """What a reader gives; an error names the file."""
    try:
        return read(part)
    except BROKEN as error:
        raise LabelError(f"{part.path!r} could not be read: {error}.") from None
    except LabelError as error:
        raise LabelError(f"{part.path!r} could not be read: {error}") from None
