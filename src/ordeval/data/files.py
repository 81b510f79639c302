"""Count where a file lives: which reader takes it.

CSV and SQLite are read with Python alone; DuckDB, if it is there, reads CSV too, and Parquet, JSON
lines and its own databases; PyArrow reads Arrow files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from ordeval._shared.text import named
from ordeval._shared.types import Progress, StrPath
from ordeval.data._parts import Part, kind_named, parts_of
from ordeval.data._wanted import Wanted, each, merged, with_constants
from ordeval.data.rows import DistinctRows
from ordeval.exceptions import LabelError

if TYPE_CHECKING:
    from ordeval.data._text import Survey

_STANDARD_INPUT: Final = "standard input"
_NOWHERE: Final = "\0no column is called so"


@dataclass(frozen=True)
class FileSource:
    """A file, or files that match a pattern; the path ``-`` is CSV on standard input.

    ``table`` names the table of a DuckDB or SQLite file.
    """

    path: StrPath
    table: str | None = None
    progress: Progress | None = None
    # What a look at a CSV file told: files are read once for each batch of models.
    _surveys: dict[str, Survey] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The path as text."""
        return os.fspath(self.path)

    @property
    def once(self) -> bool:
        """Whether it can be read only once, as standard input can."""
        return self.name == "-"

    def rows(
        self, columns: Sequence[str], weight: str | None = None, numbers: Sequence[str] = ()
    ) -> DistinctRows:
        """The distinct rows of some columns, or the numbers of each item beside them."""
        wanted = Wanted(tuple(columns), weight, numbers=tuple(numbers))
        try:
            return self._stream(wanted) if self.once else self._files(wanted)
        except MemoryError:
            raise LabelError(
                f"{self._shown} does not fit into memory. Are these columns of labels?"
            ) from None

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
        raise LabelError(f"the columns of {self._shown} must be named.")

    @property
    def _shown(self) -> str:
        return _STANDARD_INPUT if self.once else repr(self.name)

    def _stream(self, wanted: Wanted) -> DistinctRows:
        from ordeval.data._csv import csv_rows
        from ordeval.data._text import unpacked

        self._refuse_table("csv")
        stream = unpacked(sys.stdin.buffer, _STANDARD_INPUT)
        return csv_rows(stream, wanted, _rows_step(self.progress))

    def _files(self, asked: Wanted) -> DistinctRows:
        """The rows of all files; those of one kind and one folder are read together."""
        parts, columns = parts_of(self.name), asked.columns
        for part in parts:
            self._refuse_table(part.kind)
        together: dict[Any, list[Part]] = {}
        for part in parts:
            values = tuple((c, part.keys[c]) for c in columns if c in part.keys)
            together.setdefault((part.kind, part.packed, values), []).append(part)
        found = []
        for (kind, _, values), group in together.items():
            inside = [c for c in columns if c not in dict(values)]
            wanted = replace(asked, columns=tuple(inside), keys=tuple(c for c, _ in values))
            rows = self._read(kind, group, wanted)
            found.append(with_constants(rows, columns, dict(values)))
        return merged(found)

    def _read(self, kind: str, parts: Sequence[Part], wanted: Wanted) -> DistinctRows:
        # The readers are loaded when a file is read, so that `import ordeval` stays quick.
        from ordeval.data import _arrow, _duckdb, _sqlite
        from ordeval.data._csv_files import csv_files

        progress, table = self.progress, self.table
        match kind:
            case "csv":
                fast = find_spec("duckdb") is not None
                return csv_files(parts, wanted, self._surveys, fast=fast, progress=progress)
            case "parquet":
                return _duckdb.parquet_rows(parts, wanted, progress)
            case "json":
                return _duckdb.json_rows(parts, wanted, progress)
            case "arrow":
                return each(parts, lambda part, _: _arrow.arrow_rows(part, wanted), progress)
            case "duckdb":
                return each(parts, lambda p, step: _duckdb.database_rows(p, wanted, table, step),
                            progress)  # fmt: skip
            case _:
                return each(parts, lambda p, _: _sqlite.sqlite_rows(p, wanted, table), progress)

    def _refuse_table(self, kind: str) -> None:
        if self.table is not None and kind not in ("duckdb", "sqlite"):
            raise LabelError(
                f"{named('table')} names a table of a DuckDB or SQLite file; {self._shown} is "
                f"{kind_named(kind)}. Leave it out."
            )


def _rows_step(progress: Progress | None) -> Callable[[int], None]:
    return lambda rows: progress("counting rows", rows, 0) if progress else None
