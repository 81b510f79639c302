"""CSV by Python's own reader: what every machine can read, and what DuckDB is told about a file."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np

from ordeval._shared.types import CHUNK
from ordeval.data.rows import DistinctRows, check_columns
from ordeval.exceptions import LabelError

_QUOTED: Final = re.compile(r'"(?:[^"]|"")*"?')


@contextmanager
def opened(name: str) -> Iterator[tuple[Any, Any]]:
    """The bytes of a file, unpacked if need be, and the file itself."""
    with open(name, "rb") as raw:
        if name.lower().endswith(".gz"):
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked, raw
        else:
            yield raw, raw


def header(file: str) -> tuple[str, list[str]]:
    """What separates the fields of a CSV file, and the names of its columns."""
    try:
        with opened(file) as (lines, _):
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


def csv_rows(
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
        if line % CHUNK == 0:
            step(line)
        key = tuple(row[i] for i in picked)
        counts[key] += 1
        if place is not None:
            weights[key] += _weight(row[place], line, weight)  # type: ignore[assignment]
    step(sum(counts.values()))
    values = {c: [key[i] for key in counts] for i, c in enumerate(columns)}
    summed = np.array([float(weights[k]) for k in counts]) if place is not None else None
    count = np.array(list(counts.values()), dtype=np.int64)
    found = DistinctRows(columns=values, count=count, weight=summed)
    return as_text(found, empty_is_missing=True)


def as_text(rows: DistinctRows, *, empty_is_missing: bool) -> DistinctRows:
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
        # Text is decoded ahead of the lines: which one it is cannot be told.
        raise LabelError("the file is not text in UTF-8; save it in that encoding.") from None
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
