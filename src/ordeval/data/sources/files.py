"""Count the rows of a file: the choice of its reader.

Standard input is CSV that is read as it comes; of another kind, or joined, it is put into a file
first. CSV and SQLite are read with Python alone; DuckDB, if it is there, reads CSV too, and all
other kinds; Arrow files with the help of PyArrow, workbooks with that of calamine.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from ordeval._shared.arguments import shown
from ordeval._shared.text import joined, named
from ordeval._shared.types import Paths, Progress
from ordeval.data.sources.file_form import Form as Form
from ordeval.data.sources.paths import ENDINGS, Part, kind_named, parts_of
from ordeval.data.sources.requests import Wanted, each, merged, one_by_one, with_constants
from ordeval.data.sources.rows import DistinctRows
from ordeval.exceptions import LabelError, ParameterError

if TYPE_CHECKING:
    from ordeval.data.sources.text_files import Survey

_STANDARD_INPUT: Final = "standard input"
_NOWHERE: Final = "\0no column is called so"
_SPOOLS: Final[weakref.WeakKeyDictionary[Any, str]] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class FileSource:
    """A file, or files that match a pattern; the path ``-`` is standard input, by default CSV.

    Several paths are one table: each must have all columns that are asked for. ``table`` names the
    table of a DuckDB or SQLite file; ``form`` says what else is known of it.
    """

    path: Paths
    table: str | None = None
    progress: Progress | None = None
    form: Form = field(default_factory=Form)
    kept: bool = False  # standard input is put into a file first, whatever its kind
    # What a look at a CSV file told: files are read once for each batch of models.
    _surveys: dict[str, Survey] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.paths:
            raise LabelError("name a file to read; the list of files is empty.")
        if self.table is not None and not isinstance(self.table, str):
            raise ParameterError(
                f"{named('table')} must be the name of a table; got {self.table!r}."
            )
        if "-" in self.paths and len(self.paths) > 1:
            raise LabelError("standard input cannot be combined with files.")

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths as text."""
        listed = [self.path] if isinstance(self.path, (str, os.PathLike)) else self.path
        if not isinstance(listed, (list, tuple)):
            raise LabelError(f"name a file, or a list of files; got a {type(listed).__name__}.")
        for path in listed:
            if not isinstance(path, (str, os.PathLike)):
                raise LabelError(f"a file is named by a text or a path; got {shown(path)}.")
        return tuple(os.fspath(path) for path in listed)

    @property
    def once(self) -> bool:
        """Whether it can be read only once, as CSV on standard input can."""
        return self.standard_input and self.form.kind in (None, "csv") and not self.kept

    @property
    def standard_input(self) -> bool:
        """Whether the source is something other than a file."""
        return self.paths == ("-",)

    def rows(
        self, columns: Sequence[str], weight: str | None = None, numbers: Sequence[str] = ()
    ) -> DistinctRows:
        """The distinct rows of some columns, or one row per item if columns of numbers are read."""
        form = self.form
        wanted = Wanted(
            tuple(columns), weight, numbers=tuple(numbers), where=form.where, decimal=form.decimal
        )
        try:
            found = self._stream(wanted) if self.once else self._files(wanted)
        except MemoryError:
            raise LabelError(
                f"{self.shown} does not fit into memory. Are these columns of labels?"
            ) from None
        if form.where is not None and not found.count.sum():
            raise LabelError(
                f'{named("where")} "{form.where.text}" matches no rows in {self.shown}.'
            )
        return found

    def columns(self) -> tuple[str, ...]:
        """The names of all columns, which every reader gives who misses one."""
        if self.once:
            raise LabelError("the columns of standard input must be named: it is read only once.")
        try:
            self.rows([_NOWHERE])
        except LabelError as error:
            if error.present:
                return error.present
            raise
        raise LabelError(f"the columns of {self.shown} must be named.")

    @property
    def shown(self) -> str:
        """What messages call it."""
        return _STANDARD_INPUT if self.standard_input else joined(list(map(repr, self.paths)))

    def _stream(self, wanted: Wanted) -> DistinctRows:
        from ordeval.data.sources.csv_files import csv_rows
        from ordeval.data.sources.text_files import unpacked

        self._refuse("csv")
        told = self.form.kind is not None
        stream = unpacked(sys.stdin.buffer, _STANDARD_INPUT, self.form.encoding, told=told)
        return csv_rows(stream, wanted, _rows_step(self.progress))

    def parts(self) -> dict[str, list[Part]]:
        """The files that each path names, by what messages call them."""
        held: dict[str, list[Part]] = {}
        seen: set[str] = set()
        for path in self.paths:
            listed = parts_of(_spooled(self.form) if path == "-" else path, self.form)
            real = {os.path.realpath(part.path) for part in listed}
            if seen & real:
                raise LabelError(
                    f"{min(seen & real)!r} is given twice, so its rows would count twice. Remove "
                    "one."
                )
            seen |= real
            held[listed[0].path if len(listed) == 1 else path] = listed
        return held

    def _files(self, asked: Wanted) -> DistinctRows:
        """The rows of all files, those of each path together."""
        try:
            return one_by_one(
                self.parts(), lambda parts, step: self._rows(parts, asked, step), self.progress
            )
        except LabelError as error:
            if not self.standard_input:
                raise
            copy = repr(_spooled(self.form))
            said = LabelError(str(error).replace(copy, _STANDARD_INPUT))
            said.present = error.present
            raise said from None

    def _rows(
        self, parts: Sequence[Part], asked: Wanted, progress: Progress | None
    ) -> DistinctRows:
        """The rows of some files; those of one kind and one folder are read together."""
        columns, where = asked.columns, asked.where
        tested = [] if where is None else where.columns
        for part in parts:
            self._refuse(part.kind)
        together: dict[Any, list[Part]] = {}
        for part in parts:
            keyed = dict.fromkeys([*columns, *tested])
            values = tuple((c, part.keys[c]) for c in keyed if c in part.keys)
            together.setdefault((part.kind, part.packed, values), []).append(part)
        found = []
        for (kind, _, values), group in together.items():
            inside = [c for c in columns if c not in dict(values)]
            wanted = replace(
                asked,
                columns=tuple(inside),
                keys=tuple(c for c, _ in values),
                where=None if where is None else where.given(dict(values)),
            )
            rows = self._read(kind, group, wanted, progress)
            found.append(with_constants(rows, columns, dict(values)))
        return merged(found)

    def _read(
        self, kind: str, parts: Sequence[Part], wanted: Wanted, progress: Progress | None
    ) -> DistinctRows:
        # The readers are loaded when a file is read, so that `import ordeval` stays quick.
        from ordeval.data.sources import (
            duckdb_files as _duckdb,
            sqlite_files as _sqlite,
        )
        from ordeval.data.sources.csv_files import csv_files

        table = self.table
        match kind:
            case "csv":
                fast = find_spec("duckdb") is not None
                return csv_files(parts, wanted, self._surveys, fast=fast, progress=progress)
            case "parquet":
                return _duckdb.parquet_rows(parts, wanted, progress)
            case "json":
                return _duckdb.json_rows(parts, wanted, progress)
            case "excel":
                from ordeval.data.sources.texts.workbooks import workbook_rows

                row = self.form.header_row
                return each(parts, lambda p, _: workbook_rows(p, wanted, table, row), progress)
            case "arrow":
                return each(parts, lambda part, _: _duckdb.arrow_rows(part, wanted), progress)
            case "duckdb":
                return each(
                    parts, lambda p, step: _duckdb.database_rows(p, wanted, table, step), progress
                )
            case _:
                return each(parts, lambda p, _: _sqlite.sqlite_rows(p, wanted, table), progress)

    def _refuse(self, kind: str) -> None:
        """Refuse the statement about other kinds of files."""
        if kind != "csv":
            told = {"encoding": self.form.encoding, "decimal": self.form.decimal.strip(".")}
            for name in (name for name, value in told.items() if value):
                raise LabelError(
                    f"{named(name)} is for CSV; {self.shown} is {kind_named(kind)}. Leave it out."
                )
        if self.form.header_row is not None and kind != "excel":
            raise LabelError(
                f"{named('header_row')} is for workbooks; {self.shown} is {kind_named(kind)}. "
                f"Leave it out."
            )
        if self.table is not None and kind not in ("duckdb", "sqlite", "excel"):
            raise LabelError(
                f"{named('table')} names a table of a DuckDB or SQLite file, or a sheet; "
                f"{self.shown} is "
                f"{kind_named(kind)}. Leave it out."
            )


def _spooled(form: Form) -> str:
    """A file that holds all of standard input, and goes when that does."""
    import shutil  # slow to load, and seldom needed
    import tempfile

    stdin = sys.stdin
    if stdin not in _SPOOLS:
        folder = tempfile.mkdtemp(prefix="ordeval-")
        weakref.finalize(stdin, shutil.rmtree, folder, ignore_errors=True)
        path = os.path.join(folder, f"standard-input{ENDINGS[form.kind or 'csv'][0]}")
        with open(path, "wb") as file:
            shutil.copyfileobj(stdin.buffer, file)
        _SPOOLS[stdin] = path
    return _SPOOLS[stdin]


def _rows_step(progress: Progress | None) -> Callable[[int], None]:
    return lambda rows: progress("counting rows", rows, 0) if progress else None
