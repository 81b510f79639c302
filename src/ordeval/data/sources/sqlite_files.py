"""SQLite by Python's own module: a group-by in the database itself."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from ordeval._shared.text import argument, did_you_mean, nearest
from ordeval.data.columns import Place
from ordeval.data.numbering import coded_list
from ordeval.data.sources.filters import Where, tests_of
from ordeval.data.sources.frames import MAX_DISTINCT_ROWS, checked_weights, quoted, too_many_rows
from ordeval.data.sources.paths import Part
from ordeval.data.sources.requests import Wanted, number_in
from ordeval.data.sources.rows import DistinctRows, with_each
from ordeval.exceptions import LabelError


def chosen_table(table: str | None, tables: Sequence[str], what: str = "table") -> str:
    """The table that is asked for, or the only one there is; ``what`` it is, a table or a sheet."""
    shown = ", ".join(repr(t) for t in tables)
    if not tables:
        raise LabelError(f"the file has no {what}s.")
    if table is None and len(tables) == 1:
        return tables[0]
    if table is None:
        raise LabelError(f"name one of the {what}s with {argument('table')}; the file has {shown}.")
    if list(tables).count(table) != 1:
        hint = did_you_mean([repr(t) for t in nearest(table, tables)])
        raise LabelError(
            f"there is no {what} {table!r}.{hint} Name one of the {what}s with "
            f"{argument('table')}; the file has {shown}."
        )
    return table


def sqlite_rows(part: Part, wanted: Wanted, table: str | None) -> DistinctRows:
    """Distinct rows of a table or view."""
    columns, weight, only = wanted.columns, wanted.weight, _only(wanted.where)
    with _connected(part, wanted.where) as db:
        chosen = _table(db, table, wanted)
        _refuse_doubts(db, chosen, wanted.where)
        if wanted.numbers:
            return _numbered(db, chosen, wanted)
        # A collation that takes a for A would merge labels.
        keys = ", ".join(f"{quoted(c)} collate binary" for c in columns)
        sums = "count(*)"
        if weight is not None:
            w = quoted(weight)
            number = f"typeof({w}) in ('integer', 'real')"
            sums += f", sum({w}), sum(not ({number} and {w} >= 0))"
        query = (
            f"select {keys}, {sums} from {chosen}{only} group by {keys} "
            f"limit {MAX_DISTINCT_ROWS + 1}"
        )
        found = db.execute(query).fetchall()
    if len(found) > MAX_DISTINCT_ROWS:
        raise too_many_rows(columns)

    def places(column: str) -> dict[Any, Place]:
        with _connected(part, wanted.where) as db:
            name = quoted(column)
            numbered = f"select *, row_number() over () as ordeval_place from {chosen}"
            first = (
                f"select {name}, min(ordeval_place) from ({numbered}){only} "
                f"group by {name} collate binary"
            )
            return {label: Place(row) for label, row in db.execute(first)}

    return DistinctRows(
        columns={c: [row[i] for row in found] for i, c in enumerate(columns)},
        count=np.array([row[len(columns)] for row in found], dtype=np.int64),
        weight=None
        if weight is None
        else checked_weights([row[-2] or 0 for row in found], [row[-1] for row in found], weight),
        text=True,
        places=places,
    )


def _numbered(db: sqlite3.Connection, table: str, wanted: Wanted) -> DistinctRows:
    """The distinct rows of a table, and the numbers of each of its rows."""
    only = _only(wanted.where)
    read = db.execute(f"select {', '.join(map(quoted, wanted.all))} from {table}{only}").fetchall()
    listed = list(zip(*read, strict=True)) or [()] * len(wanted.all)
    labels, given = listed[: len(wanted.columns)], listed[len(wanted.columns) :]
    numbers = {
        c: np.array([number_in(c, x, f"row {row:,}") for row, x in enumerate(values, 1)])
        for c, values in zip(wanted.numbers, given, strict=True)
    }
    columns = zip(wanted.columns, labels, strict=True)
    return replace(with_each({c: coded_list(x) for c, x in columns}, numbers), text=True)


@contextmanager
def _connected(part: Part, where: Where | None) -> Iterator[sqlite3.Connection]:
    """A connection that reads only; the tests of a filter are functions that it can call."""
    uri = Path(part.path).as_uri() + "?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as db:
            for i, test in enumerate(() if where is None else tests_of(where.node)):
                db.create_function(f"ordeval_{i}", 1, test.keeps, deterministic=True)
            yield db
    except sqlite3.Error as error:
        raise LabelError(f"{part.path!r} could not be read: {error}.") from None
    except UnicodeDecodeError:
        raise LabelError(f"{part.path!r} could not be read: it holds text not in UTF-8.") from None


def _refuse_doubts(db: sqlite3.Connection, table: str, where: Where | None) -> None:
    """Raise an error if the filter is undecided for a row."""
    if where is None or not where.numeric:
        return
    columns = ", ".join(map(quoted, where.columns))
    query = f"select {columns} from {table} where ({_condition(where)}) is null limit 1"
    row = db.execute(query).fetchone()
    if row is not None:
        raise where.refusal(dict(zip(where.columns, row, strict=True)).__getitem__)


def _only(where: Where | None) -> str:
    """The clauses that select some rows of a query."""
    return "" if where is None else f" where {_condition(where)}"


def _condition(where: Where) -> str:
    """The filter in SQL; null if undecided."""
    number = count()
    return where.in_sql(lambda test: f"ordeval_{next(number)}({quoted(test.column)})")


def _table(db: sqlite3.Connection, table: str | None, wanted: Wanted) -> str:
    """The table in quotes, if it has the columns."""
    listed = dict(
        db.execute(
            "select name, type from sqlite_master where type in ('table', 'view') "
            "and name not like 'sqlite~_%' escape '~'"
        ).fetchall()
    )
    chosen = chosen_table(table, list(listed))
    present = [r[1] for r in db.execute(f"pragma table_info({quoted(chosen)})")]
    if listed[chosen] == "view":
        # SQLite gives the second column y of a view the name y:1.
        plain = [re.sub(r":\d+$", "", name) for name in present]
        present = [p if p in present else name for p, name in zip(plain, present, strict=True)]
    wanted.check(present)
    return quoted(chosen)
