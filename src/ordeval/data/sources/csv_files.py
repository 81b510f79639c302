"""CSV files: DuckDB reads those that can be read in one way only, Python's reader the others.

DuckDB is many times as fast, but drops lines of a file that is not what it expects without a
word. What it gives is taken only if it counted as many rows as the file has lines. Python's reader
reads what comes on standard input, and everything where DuckDB is not installed.
"""

from __future__ import annotations

import csv
import io
import os
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from typing import Any, Final, TypeVar

from ordeval._shared.text import argument
from ordeval._shared.types import Progress
from ordeval.data.columns import Place
from ordeval.data.sources.duckdb_engine import (
    connected,
    counted,
    listed_files,
    literal,
    select,
    tested_name,
)
from ordeval.data.sources.duckdb_relations import plain_name
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted, each
from ordeval.data.sources.rows import DistinctRows, check_columns
from ordeval.data.sources.text_files import BROKEN, LONGEST, Survey, opened, survey
from ordeval.data.sources.texts.rows_of_texts import Line, Step, decimal_mark, rows_of_table
from ordeval.exceptions import DecimalCommaWarning, LabelError, user_frame

T = TypeVar("T")
_DELIMITERS: Final = ",;\t|"
_LOOKED_AT: Final = 1000  # rows, for the decimal mark
_HEADER_LINES: Final = 1000  # a header that is longer than this has lost a quote
_LIMIT: Final = threading.RLock()  # the longest field is a setting of the whole process


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
    files = {part.path: _File(part, *guarded(part, header)) for part in parts}
    present = list(dict.fromkeys(n for file in files.values() for n in file.names))
    check_columns(wanted.needed, present)

    def read(part: Part, step: Progress | None) -> DistinctRows:
        file = files[part.path]
        wanted.check_keys(file.names)
        here = [c for c in wanted.needed if c in file.names or c == wanted.weight]
        check_columns(here, file.names)
        # DuckDB reads UTF-8 and decimal points.
        asked = replace(wanted, decimal=wanted.decimal or _decimal_of(file, wanted))
        if fast and part.encoding is None and asked.decimal == ".":
            found = _fast(file, asked, surveys, step)
            if found is not None:
                return found
        return _slow(file, asked, step)

    return each(parts, read, progress)


def _fast(
    file: _File, wanted: Wanted, surveys: dict[str, Survey], progress: Progress | None
) -> DistinctRows | None:
    """What DuckDB counts, if there is one way to read the file and it went that way."""
    path = file.part.path
    if path not in surveys:
        surveys[path] = _surveyed(file)
    if not surveys[path].simple:
        return None
    query = _query(file, wanted)
    try:
        rows = counted([file.part], wanted, progress, lambda *_: query)
        read = int(rows.count.sum())
        if wanted.where is not None:
            with connected([file.part], None) as db:
                ((read,),) = db.execute(f"select count(*) from ({query})").fetchall()
    except LabelError:
        return None  # the other reader says what is wrong, and on which line
    if read != surveys[path].lines - 1:
        return None
    columns = {c: [v or None for v in values] for c, values in rows.columns.items()}
    return replace(rows, columns=columns, places=_looked_up(file, wanted))


def _decimal_of(file: _File, wanted: Wanted) -> str:
    """The decimal mark of a file, by its first rows."""

    def read(part: Part) -> str:
        with opened(part) as (stream, _), closing(_rows_of(stream)) as rows:
            return decimal_mark(islice(rows, _LOOKED_AT), wanted)

    found = "." if file.delimiter == "," else guarded(file.part, read)
    if found == ",":
        tell_decimal(repr(os.path.relpath(file.part.path)))
    return found


def tell_decimal(name: str) -> None:
    """Say that decimal commas were found."""
    warnings.warn(
        f"{name} has decimal commas, and they were read as such. "
        f"{argument('decimal', ',')} says so without this warning.",
        DecimalCommaWarning,
        stacklevel=user_frame(),
    )


def _surveyed(file: _File) -> Survey:
    return guarded(file.part, lambda part: survey(part, file.delimiter, len(file.names)))


def simple_csv(part: Part, wanted: Wanted) -> tuple[str | None, int]:
    """What DuckDB is asked for the columns of a file, and the rows that it must find.

    None if there is more than one way to read the file. What is empty is missing.
    """
    file = _File(part, *guarded(part, header))
    check_columns(wanted.needed, file.names)
    seen = _surveyed(file)
    if not seen.simple:
        return None, 0
    given = [f"nullif({x}, '') as {x}" for x in map(plain_name, range(len(wanted.all)))]
    given += map(tested_name, range(len(wanted.tested)))
    return f"select {', '.join(given)} from ({_query(file, wanted)})", seen.lines - 1


def _query(file: _File, wanted: Wanted) -> str:
    """The columns of a CSV file, as text."""
    part, names = file.part, file.names
    # Everything is said outright, so that nothing is guessed from the first rows.
    types = ", ".join(f"'{plain_name(i)}': 'VARCHAR'" for i in range(len(names)))
    table = (
        f"read_csv({listed_files([part])}, columns = {{{types}}}, header = true, "
        f"auto_detect = false, "
        f"sep = {literal(file.delimiter)}, quote = '\"', escape = '\"', comment = '', skip = 0, "
        f"compression = '{part.packed or 'uncompressed'}', hive_partitioning = false)"
    )

    def column(name: str) -> str:
        return plain_name(names.index(name)) if name in names else "null::varchar"

    return select(map(column, wanted.all), table, map(column, wanted.tested))


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

    return guarded(file.part, read)


def guarded(part: Part, read: Callable[[Part], T]) -> T:
    """The result of a reader; an error names the file."""
    try:
        return read(part)
    except BROKEN as error:
        raise LabelError(f"{part.path!r} could not be read: {error}.") from None
    except LabelError as error:
        # If a column is missing, others may be asked for.
        said = f"in {part.path!r}," if error.present else f"{part.path!r} could not be read:"
        raised = LabelError(f"{said} {error}")
        raised.present = error.present
        raise raised from None


def header(part: Part) -> tuple[str, list[str]]:
    """What separates the fields of a CSV file, and the names of its columns."""
    with opened(part) as (stream, _), closing(_rows_of(stream)) as rows:
        for _, names, delimiter in rows:
            return delimiter, names
    raise LabelError("the file is empty; its first line must name the columns.")


def csv_rows(
    stream: io.BufferedReader, wanted: Wanted, step: Step, *, absent: Sequence[str] = ()
) -> DistinctRows:
    """Distinct rows by Python's own reader, and where each occurs first.

    Columns that are ``absent``, because other files have them, are missing in every row.
    """
    with closing(_rows_of(stream)) as given:
        rows: Iterator[Line] = given
        if not wanted.decimal:
            start = list(islice(rows, _LOOKED_AT))
            rows, wanted = chain(start, rows), replace(wanted, decimal=decimal_mark(start, wanted))
            if wanted.decimal == ",":
                tell_decimal("standard input")
        return rows_of_table(rows, wanted, step, absent=absent)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let Python read fields as long as lines may be."""
    with _LIMIT:
        before = csv.field_size_limit(LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _rows_of(stream: io.BufferedReader) -> Generator[tuple[int, list[str], str], None, None]:
    """The rows of a CSV file, the header first, each with its last line and the delimiter."""
    width, line = 0, 0
    text = io.TextIOWrapper(stream, newline="", encoding="utf-8-sig")
    try:
        with _long_fields():
            skipped, delimiter, lines = _start_of(text)
            # A quote that is never closed would swallow the rest without a word.
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            line = skipped
            for row in reader:
                line = skipped + reader.line_num
                if not row:
                    continue
                if width and len(row) != width:
                    fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
                    raise LabelError(f"line {line} has {fields} where the header has {width}.")
                width = width or len(row)
                yield line, row, delimiter
    except UnicodeDecodeError:
        # Text is decoded ahead of the lines: the line is unknown.
        raise LabelError(
            f"the file is not UTF-8; save it as UTF-8, or pass its encoding, such as "
            f"{argument('encoding', 'latin-1')}."
        ) from None
    except csv.Error as error:
        raise LabelError(f"the row after line {line} could not be read: {_said(error)}.") from None
    except BROKEN as error:
        raise LabelError(f"what follows line {line} could not be read: {error}.") from None


def _start_of(text: io.TextIOWrapper) -> tuple[int, str, Iterator[str]]:
    """How many empty lines there are before the header, its delimiter, and all lines after them.

    The delimiter is the one by which the header has most fields.
    """
    skipped = 0
    for start in text:
        if start.strip("\r\n"):
            break
        skipped += 1
    else:
        return skipped, ",", iter(())
    held = [start]

    def replayed() -> Iterator[str]:
        for i in range(_HEADER_LINES):
            if i == len(held):
                more = next(text, None)
                if more is None:
                    return
                held.append(more)
            yield held[i]

    def width(delimiter: str) -> int:
        try:
            return len(next(csv.reader(replayed(), delimiter=delimiter, strict=True), []))
        except csv.Error:
            return 0

    return skipped, max(_DELIMITERS, key=width), chain(held, text)


def _said(error: csv.Error) -> str:
    """What Python's reader says, in words of ours where they are clearer."""
    if "unexpected end of data" in str(error):
        return "a quote is opened and never closed"
    if "field larger" in str(error):
        return f"a field is longer than {LONGEST >> 20} MB; is a quote opened and never closed?"
    if "expected after" in str(error):
        return "something follows a closing quote; double the quotes inside a field"
    return str(error)
