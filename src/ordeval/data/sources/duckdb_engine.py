"""DuckDB within 1 GB of memory: connections, filters, counts of files, and where labels are.

It may open the files that it is given and no others, and neither fetches nor loads extensions.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import escape
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.numbers import DECIMAL_COMMA, NUMBER
from ordeval._shared.types import Progress
from ordeval.data.columns import Place
from ordeval.data.sources.duckdb_relations import distinct_rows, first_places, plain_name
from ordeval.data.sources.filters import EQUAL, ZONED, Test, Where, moment_of, no_number, tests_of
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted
from ordeval.data.sources.rows import DistinctRows
from ordeval.exceptions import LabelError

_SIGNED: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_MEMORY: Final = "1GB"  # beyond it DuckDB spills to a temporary folder


@contextmanager
def connected(parts: Sequence[Part], progress: Progress | None) -> Iterator[Any]:
    """A connection that can open these files only; its errors are sentences."""
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
                # What a moment is called must not depend on the machine.
                db.execute("set TimeZone = 'UTC'")
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


# Makes the query of some files: columns called column_0, column_1 and so on, and those that a
# filter looks at, called tested_0 and so on.
FileQuery = Callable[[Any, Sequence[Part]], str]


def counted(
    parts: Sequence[Part], wanted: Wanted, progress: Progress | None, query: FileQuery
) -> DistinctRows:
    """The distinct rows of what a query of files gives."""
    with connected(parts, progress) as db:
        found = filtered(db, query(db, parts), wanted.where)
        refuse_doubts(db, found, wanted.where)
        with _watched(db, parts, progress):
            rows = distinct_rows(db.sql(found), wanted)
    return replace(
        rows, text=True, places=lambda column: places_by_file(parts, wanted, query, column)
    )


def places_by_file(
    parts: Sequence[Part], wanted: Wanted, query: FileQuery, column: str
) -> dict[Any, Place]:
    """Where each label of a column is first, file by file."""
    places: dict[Any, Place] = {}
    for part in parts:
        file = part.path if len(parts) > 1 else None
        with connected([part], None) as db:
            found = filtered(db, query(db, [part]), wanted.where)
            here = first_places(db.sql(found), wanted, column)
        places = {x: place._replace(file=file) for x, place in here.items()} | places
    return places


def filtered(db: Any, query: str, where: Where | None) -> str:
    """A query that tells in ``kept`` which rows are read, and in ``doubt`` why that is unknown.

    The literals are variables of the connection, never a part of a query.
    """
    if where is None:
        return query
    given = db.sql(query)
    kinds = dict(zip(given.columns, given.types, strict=True))
    columns = {
        c: _Tested(tested_name(i), str(kinds[tested_name(i)])) for i, c in enumerate(where.columns)
    }
    sql = _FilterInSql(where, columns)
    for name, value in sql.variables.items():
        db.execute(f"set variable {name} = ?", [value])
    tested = {x.column for x in columns.values()}
    names = [c for c in given.columns if c not in tested]
    names += [f"coalesce({sql.condition}, false) as kept", f"{sql.doubt} as doubt"]
    return f"select {', '.join(names)} from ({query})"


@dataclass(frozen=True)
class _Tested:
    """A column that a filter looks at, in SQL."""

    column: str
    kind: str  # its type

    @property
    def zoned(self) -> bool:
        """Whether it holds moments in time zones."""
        return self.kind in ZONED

    @property
    def text(self) -> str:
        """The text of a value; null if it is missing."""
        text = f"{self.column}::varchar"
        if self.kind in ("DOUBLE", "FLOAT"):
            return f"case when not isnan({self.column}) then {text} end"
        if self.zoned:
            # DuckDB writes +00, but not after infinity.
            return f"if(isfinite({self.column}::timestamptz), {text} || ':00', {text})"
        return f"nullif({text}, '')"

    @property
    def there(self) -> str:
        """Whether a value is not missing."""
        if self.kind in ("DOUBLE", "FLOAT"):
            return f"({self.column} is not null and not isnan({self.column}))"
        return f"({self.text} is not null)"

    def written(self, pattern: str) -> str:
        """Whether the text of a value is of a pattern."""
        return f"regexp_full_match(trim({self.text}), '{pattern}')"

    @property
    def number(self) -> str:
        """The number that a value is or writes; null if there is none."""
        if self.kind == "DOUBLE":
            return f"case when isfinite({self.column}) then {self.column} end"
        if self.kind.removeprefix("U") in _SIGNED:
            return f"{self.column}::double"
        # Numbers are what the pattern says, not all that DuckDB would read as one.
        return f"case when {self.written(NUMBER)} then try_cast({self.text} as double) end"

    def literal(self, value: str | float, name: str) -> str | float:
        """A literal in the form that the column has, which is called ``name`` in the filter."""
        moments = self.kind.startswith(("TIME", "DATE"))
        return moment_of(value, name, self.kind) if moments and isinstance(value, str) else value


class _FilterInSql:
    """A filter as a condition of DuckDB, null if undecided."""

    def __init__(self, where: Where, columns: Mapping[str, _Tested]) -> None:
        self.where, self.columns = where, columns
        self.variables: dict[str, str | float] = {}
        self.condition = where.in_sql(self._test)

    def _variable(self, test: Test, value: str | float) -> str:
        name = f"ordeval_{len(self.variables)}"
        self.variables[name] = self.columns[test.column].literal(value, test.column)
        return f"getvariable('{name}')"

    def _test(self, test: Test) -> str:
        column = self.columns[test.column]
        if test.sign == "null":
            return column.there if test.negated else f"(not {column.there})"
        some = self._compared(test, column)
        return f"({column.there} and {'not ' * test.negated}({some}))"

    def _compared(self, test: Test, column: _Tested) -> str:
        texts = [self._variable(test, x) for x in test.values if isinstance(x, str)]
        others = [self._variable(test, x) for x in test.values if not isinstance(x, str)]
        # One condition for a list: DuckDB takes long to plan a thousand conditions.
        sign = test.sign if len(test.values) == 1 else "in"
        as_text, as_number = (
            x[0] if len(test.values) == 1 and x else f"({', '.join(x)})" for x in (texts, others)
        )
        found = [f"{column.text} {sign} {as_text}"] if texts else []
        if others:
            found.append(f"({column.number} {sign} {as_number})")
            if test.sign in EQUAL:  # what is no number is not this number
                comma = column.written(DECIMAL_COMMA)
                otherwise = f"case when not {comma} then {test.sign == '!='} end"
                found[-1] = f"coalesce({found[-1]}, {otherwise})"
        return " or ".join(found)

    @property
    def doubt(self) -> str:
        """What keeps it from being told of a row: the number of a test, and the text."""
        found = []
        for i, test in enumerate(tests_of(self.where.node)):
            if test.numeric:
                column = self.columns[test.column]
                doubted = f"{column.number} is null"
                if test.sign in EQUAL:
                    doubted = column.written(DECIMAL_COMMA)
                found.append(f"case when {doubted} then '{i}:' || {column.text} end")
        if not found:
            return "null::varchar"
        return f"case when ({self.condition}) is null then coalesce({', '.join(found)}) end"


def refuse_doubts(db: Any, source: str, where: Where | None) -> None:
    """Raise an error if the filter is undecided for a row of a query."""
    if where is None or not where.numeric:
        return
    ((doubt,),) = db.execute(f"select any_value(doubt) from ({source})").fetchall()
    if doubt is not None:
        number, _, text = doubt.partition(":")
        raise no_number(list(tests_of(where.node))[int(number)].column, text)


@contextmanager
def _watched(db: Any, parts: Sequence[Part], progress: Progress | None) -> Iterator[None]:
    """Report the progress of the running query from a second thread."""
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


def select(given: Iterable[str], table: str, tested: Iterable[str] = ()) -> str:
    """The query of columns of a table under plain names, and of those that a filter looks at."""
    columns = [f"{x} as {plain_name(i)}" for i, x in enumerate(given)]
    columns += [f"{x} as {tested_name(i)}" for i, x in enumerate(tested)]
    return f"select {', '.join(columns)} from {table}"


def tested_name(i: int) -> str:
    """The name of a column that a filter looks at, in a query."""
    return f"tested_{i}"


def listed_files(parts: Sequence[Part]) -> str:
    """Files that are there are those files, whatever their names look like."""
    return f"[{', '.join(literal(escape(p.path)) for p in parts)}]"


def literal(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def _lines(error: Exception) -> list[str]:
    return [x.strip() for x in str(error).splitlines() if x.strip()] or [type(error).__name__]
