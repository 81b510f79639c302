"""Arrow and Feather files by PyArrow, checked to the last byte before a label is looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval.data.columns import Place, as_column, is_missing
from ordeval.data.numbering import numbered
from ordeval.data.sources.filters import Test
from ordeval.data.sources.frames import distinct_rows, numbered_rows
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted
from ordeval.data.sources.rows import DistinctRows
from ordeval.exceptions import LabelError


def arrow_rows(part: Part, wanted: Wanted) -> DistinctRows:
    """Distinct rows of an Arrow file, stream or Feather file."""
    table, rows_of = _table(part, wanted)

    def places(column: str) -> dict[Any, Place]:
        held = as_column(table[column], column)
        values = held.values
        codes = numbered(values.tolist()) if values.dtype == object else values
        _, first = np.unique(codes, return_index=True)
        found: dict[Any, Place] = {}
        for row in sorted(first.tolist()):
            label = held.label(row)
            found.setdefault(None if is_missing(label) else label, Place(int(rows_of[row]) + 1))
        return found

    try:
        if wanted.numbers:
            rows = numbered_rows(table, wanted.columns, wanted.numbers)
        else:
            rows = distinct_rows(table, wanted.columns, wanted.weight)
    except _errors() as error:
        raise LabelError(f"{part.path!r} could not be counted: {_first_line(error)}.") from None
    return replace(rows, text=True, places=places)


def _kept(table: Any, wanted: Wanted) -> Any:
    """The numbers of the rows that are read, each distinct value tested once."""
    where = wanted.where
    if where is None:
        return np.arange(len(table))

    def mask(test: Test, doubt: bool) -> Any:
        held = table.column(table.column_names.index(test.column)).combine_chunks()
        coded = held if hasattr(held, "dictionary") else held.dictionary_encode()
        told = [test.keeps(x) for x in [*coded.dictionary.to_pylist(), None]]
        keeps = [doubt if x is None else x for x in told]
        codes = coded.indices.fill_null(len(keeps) - 1).to_numpy(zero_copy_only=False)
        return np.array(keeps)[codes]

    found = np.broadcast_to(where.evaluated(lambda test: mask(test, False)), len(table))
    if where.numeric:
        at_most = where.evaluated(lambda test: mask(test, True))
        for row in np.flatnonzero(at_most & ~found)[:1].tolist():
            held = {
                c: table.column(table.column_names.index(c))[row].as_py() for c in where.columns
            }
            raise where.refusal(held.__getitem__, f"row {row + 1:,}")
    return np.flatnonzero(found)


def _table(part: Part, wanted: Wanted) -> tuple[Any, Any]:
    """The columns that are read, and which rows of the file they hold."""
    purpose = f"reading {part.path!r}"
    arrow = import_extra("pyarrow", extra="files", purpose=purpose)
    import_extra("pyarrow.ipc", extra="files", purpose=purpose)
    feather = import_extra("pyarrow.feather", extra="files", purpose=purpose)
    try:
        with open(part.path, "rb") as file:
            start = file.read(6)
        # A file that is mapped into memory would take the process down if it is not whole.
        if start == b"ARROW1" or start[:4] == b"FEA1":
            table = feather.read_table(part.path, memory_map=False)
        else:
            with arrow.OSFile(part.path, "rb") as file, arrow.ipc.open_stream(file) as reader:
                table = reader.read_all()
        wanted.check(table.column_names)
        table = table.select([table.column_names.index(c) for c in wanted.needed])
        table.validate(full=True)
        for i, column in enumerate(table.columns):
            table = table.set_column(i, table.column_names[i], _common(column, arrow))
        rows = _kept(table, wanted)
        if wanted.where is not None:
            table = table.take(rows)
        table = table.select([table.column_names.index(c) for c in dict.fromkeys(wanted.all)])
    except _errors() as error:
        raise LabelError(f"{part.path!r} could not be read: {_first_line(error)}.") from None
    return table, rows


def _common(column: Any, arrow: Any) -> Any:
    """A column in types that counting knows: Polars writes views, and unsigned codes."""
    kind = column.type
    if arrow.types.is_dictionary(kind):
        held = _plain_type(kind.value_type, arrow)
        chunks = [
            arrow.DictionaryArray.from_arrays(
                c.indices.cast(arrow.int64()), c.dictionary.cast(held), ordered=kind.ordered
            )
            for c in column.chunks
        ]
        same = arrow.dictionary(arrow.int64(), held, kind.ordered)
        return arrow.chunked_array(chunks, type=same)
    return column.cast(_plain_type(kind, arrow))


def _plain_type(kind: Any, arrow: Any) -> Any:
    views = {"string_view": arrow.large_string(), "binary_view": arrow.large_binary()}
    return views.get(str(kind), kind)


def _errors() -> tuple[type[Exception], ...]:
    arrow = import_extra("pyarrow", extra="files", purpose="reading Arrow files")
    return (OSError, arrow.ArrowException, UnicodeDecodeError, OverflowError)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
