"""CSV files: DuckDB reads those that can be read in one way only, Python's reader the others.

DuckDB is many times as fast, but drops lines of a file that is not what it expects without a
word. What it gives is taken only if it counted as many rows as the file has lines. Python's reader
reads what comes on standard input, and everything where DuckDB is not installed.
"""

from __future__ import annotations

import csv
import io
import math
import os
import threading
from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, Final, TypeVar

import numpy as np

from ordeval._shared.numbers import has_decimal_comma
from ordeval._shared.text import argument
from ordeval._shared.types import CHUNK, Progress
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
from ordeval.data.sources.frames import MAX_DISTINCT_ROWS, too_many_rows
from ordeval.data.sources.numbers_as_text import decimal_hint
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted, each, not_a_number, number_in
from ordeval.data.sources.rows import DistinctRows, check_columns
from ordeval.data.sources.text_files import BROKEN, LONGEST, Survey, opened, survey
from ordeval.exceptions import LabelError

T = TypeVar("T")
_DELIMITERS: Final = ",;\t|"
_HEADER_LINES: Final = 1000  # a header that is longer than this has lost a quote
_LIMIT: Final = threading.RLock()  # the longest field is a setting of the whole process

Step = Callable[[int], None]


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


def _surveyed(file: _File) -> Survey:
    return _guarded(file.part, lambda part: survey(part, file.delimiter, len(file.names)))


def simple_csv(part: Part, wanted: Wanted) -> tuple[str | None, int]:
    """What DuckDB is asked for the columns of a file, and the rows that it must find.

    None if there is more than one way to read the file. What is empty is missing.
    """
    file = _File(part, *_guarded(part, header))
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

    return _guarded(file.part, read)


def _guarded(part: Part, read: Callable[[Part], T]) -> T:
    """What a reader gives; an error names the file."""
    try:
        return read(part)
    except BROKEN as error:
        raise LabelError(f"{part.path!r} could not be read: {error}.") from None
    except LabelError as error:
        raise LabelError(f"{part.path!r} could not be read: {error}") from None


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
    with closing(_rows_of(stream)) as rows:
        return _counted_rows(rows, wanted, step, absent)


def _counted_rows(
    rows: Iterator[tuple[int, list[str], str]], wanted: Wanted, step: Step, absent: Sequence[str]
) -> DistinctRows:
    """Distinct rows of the rows of a file, the header first."""
    columns, weight = wanted.columns, wanted.weight
    _, names, _ = next(rows, (0, [], ""))
    if not names:
        raise LabelError(
            f"there is no column {wanted.all[0]!r}; there is nothing to read, where the first line "
            f"should name the columns."
        )
    check_columns([c for c in wanted.needed if c not in absent], names)
    picked = [None if c in absent else names.index(c) for c in columns]
    place = None if weight is None else names.index(weight)
    number: dict[tuple[str, ...], int] = {}
    counts: list[int] = []
    weights: list[float] = []
    first = array("q"), array("q")  # the row and the line of each, in little memory
    held = _Numbers(wanted, names, absent)
    kept = _filter(wanted, names)
    for n, (line, row, _) in enumerate(rows, 1):
        if n % CHUNK == 0:
            step(n)
        if kept is not None and not kept(row, line):
            continue
        key = tuple(["" if i is None else row[i] for i in picked])
        at = number.setdefault(key, len(counts))
        if at == len(counts):
            if at == MAX_DISTINCT_ROWS:
                raise too_many_rows(columns)
            counts.append(0)
            weights.append(0.0)
            for numbers, value in zip(first, (n, line), strict=True):
                numbers.append(value)
        counts[at] += 1
        if wanted.numbers:
            held.add(row, line, at)
        if place is not None:
            weights[at] += _weight(row[place], line, wanted)
    step(sum(counts))
    values = {c: [_label(key[i], wanted.decimal) for key in number] for i, c in enumerate(columns)}
    return DistinctRows(
        columns=values,
        count=np.array(counts, dtype=np.int64),
        weight=None if weight is None else np.array(weights, dtype=np.float64),
        text=True,
        places=lambda c: _earliest(values[c], first),
        **held.done,
    )


def _filter(wanted: Wanted, names: Sequence[str]) -> Callable[[Sequence[str], int], bool] | None:
    """Whether a row is read; None if all are."""
    where = wanted.where
    if where is None:
        return None
    places = {c: names.index(c) for c in where.columns if c in names}

    def kept(row: Sequence[str], line: int) -> bool:
        def value(column: str) -> str | None:
            if column not in places:
                return None
            return _label(row[places[column]], wanted.decimal)

        return where.keeps(value, f"line {line}")

    return kept


def _label(text: str, decimal: str) -> str | None:
    """A label, or None; a number with a decimal comma has a point instead."""
    if decimal == "," and has_decimal_comma(text):
        return text.replace(",", ".")
    return text or None


def _pointed(text: str, decimal: str) -> str | None:
    """A number as Python writes it; None if a point stands where the comma is decimal."""
    if decimal != ",":
        return text
    return None if "." in text else text.replace(",", ".")


class _Numbers:
    """Columns of numbers, read item by item, in little memory."""

    def __init__(self, wanted: Wanted, names: Sequence[str], absent: Sequence[str]) -> None:
        there = (c for c in wanted.numbers if c not in absent)
        self.places = {c: names.index(c) for c in there}
        self.held = {c: array("d") for c in wanted.numbers}
        self.row = array("q")
        self.decimal = wanted.decimal

    def add(self, row: Sequence[str], line: int, at: int) -> None:
        """Keep the numbers of a row, which is this one of the distinct rows."""
        self.row.append(at)
        for c, held in self.held.items():
            text = row[self.places[c]] if c in self.places else ""
            number = _pointed(text, self.decimal)
            if number is None:
                raise not_a_number(c, text, f"line {line}")
            held.append(number_in(c, number, f"line {line}"))

    @property
    def done(self) -> dict[str, Any]:
        """Return the columns as DistinctRows stores them; empty if none were requested."""
        if not self.held:
            return {}
        numbers = {c: np.array(x, dtype=np.float64) for c, x in self.held.items()}
        return {"row": np.array(self.row, dtype=np.int64), "numbers": numbers}


def _earliest(values: Sequence[Any], first: tuple[array[int], array[int]]) -> dict[Any, Place]:
    """The first place of each value: rows come in the order in which they first occur."""
    places: dict[Any, Place] = {}
    for value, row, line in zip(values, *first, strict=True):
        if value not in places:
            places[value] = Place(row, line)
    return places


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
        # Text is decoded ahead of the lines: which one it is cannot be told.
        raise LabelError(
            f"the file is not text in UTF-8; save it in that encoding, or name its own, such as "
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


def _weight(text: str, line: int, wanted: Wanted) -> float:
    try:
        value = float(_pointed(text, wanted.decimal) or "")
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise LabelError(
            f"the weights in {wanted.weight!r} must be finite and not negative; line {line} has "
            f"{text!r}.{decimal_hint(text) if wanted.decimal == '.' else ''}"
        )
    return value
