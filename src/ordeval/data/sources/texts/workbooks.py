"""Workbooks of Excel: a sheet is a table of texts, which the reader of CSV counts."""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.text import named
from ordeval.data.sources.csv_files import guarded
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted
from ordeval.data.sources.rows import DistinctRows
from ordeval.data.sources.sqlite_files import chosen_table
from ordeval.data.sources.texts.rows_of_texts import Line, rows_of_table
from ordeval.exceptions import LabelError

_LARGEST: Final = 2**30  # bytes of an unpacked workbook, all of which is held in memory
_EXACT: Final = 15  # digits of a number that Excel keeps
_LARGE: Final = re.compile(r"-?\d{16,}\.0|-?\d(?:\.\d+)?e\+\d+")
_TITLE: Final = 1  # filled cells of a row that is no header


def workbook_rows(
    part: Part, wanted: Wanted, sheet: str | None, header_row: int | None
) -> DistinctRows:
    """Count the rows of a sheet below its header.

    Parameters
    ----------
    part
        The workbook.
    wanted
        The columns that are asked for.
    sheet
        The name of the sheet; None if only one holds anything.
    header_row
        The row of the header, from 1; None for the first with two filled cells or more.

    Returns
    -------
    DistinctRows
        The distinct rows, as of a CSV file with the same cells.

    Raises
    ------
    LabelError
        If the workbook cannot be read, or lacks the sheet, the header or a column.
    MissingExtraError
        If python-calamine is not installed (extra ``excel``).
    """
    return guarded(part, lambda part: _counted(part, wanted, sheet, header_row))


def _counted(part: Part, wanted: Wanted, sheet: str | None, header_row: int | None) -> DistinctRows:
    rows = _cells(part, sheet)
    first = _header_at(rows, header_row)
    names = rows[first]
    while names and not names[-1]:
        names.pop()
    beyond = [i for i, row in enumerate(rows[first + 1 :], first + 2) if any(row[len(names) :])]
    if beyond:
        raise LabelError(
            f"row {beyond[0]} has a cell beyond the last column that the header names. The header "
            f"was read from row {first + 1}; {named('header_row')} names another."
        )

    read = [i for i, name in enumerate(names) if name in wanted.needed]

    def table() -> Iterator[Line]:
        for number, row in enumerate(rows[first:], first + 1):
            if any(row):
                for c in read:
                    _refuse_rounded(row[c], number, names[c])
                yield number, row[: len(names)], ""

    try:
        return rows_of_table(table(), wanted, place="row")
    except LabelError as error:
        if error.present:
            where = (
                f"The header was read from row {first + 1}; {named('header_row')} names another."
            )
            said = LabelError(f"{error} {where}")
            said.present = error.present
            raise said from None
        raise


def _cells(part: Part, sheet: str | None) -> list[list[str]]:
    """All cells of a sheet as text."""
    calamine = import_extra("python_calamine", extra="excel", purpose=f"reading {part.path!r}")
    try:
        with zipfile.ZipFile(part.path) as packed:
            size = sum(x.file_size for x in packed.infolist())
    except zipfile.BadZipFile as error:
        raise LabelError(f"it is no workbook: {error}.") from None
    if size > _LARGEST:
        raise LabelError(f"unpacked, it has more than {_LARGEST >> 30} GB; save it as CSV.")
    try:
        book = calamine.CalamineWorkbook.from_path(part.path)
        sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
        filled = [name for name, x in sheets.items() if x.height and x.width]
        chosen = chosen_table(sheet, filled, what="sheet")
        return [[_text(x) for x in row] for row in sheets[chosen].to_python(skip_empty_area=False)]
    except calamine.CalamineError as error:
        raise LabelError(f"it is no workbook: {error}.") from None


def _text(value: Any) -> str:
    """A cell as CSV writes it: whole numbers without a fraction, dates without midnight."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return str(value)


def _refuse_rounded(cell: str, row: int, column: str) -> None:
    """Refuse an integer with more digits than a workbook keeps: its neighbours look the same."""
    digits = _LARGE.fullmatch(cell) and re.sub(r"\.0$|e.*|\D", "", cell).strip("0")
    if digits and len(digits) > _EXACT:
        raise LabelError(
            f"row {row} of {column!r} holds {cell}; workbooks round integers of more than {_EXACT} "
            f"digits, so different ones look alike. Store them as text."
        )


def _header_at(rows: Sequence[Sequence[str]], told: int | None) -> int:
    """Where the header is, from 0."""
    filled = [sum(map(bool, row)) for row in rows]
    if told is not None:
        if told > len(rows) or not filled[told - 1]:
            raise LabelError(f"row {told} is empty; the sheet has {len(rows)} rows.")
        return told - 1
    wide = [i for i, n in enumerate(filled) if n > _TITLE]
    found = wide or [i for i, n in enumerate(filled) if n]
    if not found:
        raise LabelError("the sheet is empty; its first row must name the columns.")
    return found[0]
