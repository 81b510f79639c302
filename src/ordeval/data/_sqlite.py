"""SQLite by Python's own module: a group-by in the database itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from ordeval._shared.text import argument
from ordeval.data.rows import DistinctRows, check_columns
from ordeval.exceptions import LabelError


def only_table(table: str | None, tables: Sequence[str]) -> str:
    if table is None and len(tables) == 1:
        return tables[0]
    if table is None or table not in tables:
        shown = ", ".join(repr(t) for t in tables)
        raise LabelError(f"name one of the tables with {argument('table')}; the file has {shown}.")
    return table


def sqlite_rows(
    name: str, columns: Sequence[str], weight: str | None, table: str | None
) -> DistinctRows:
    def quoted(identifier: str) -> str:
        return '"' + identifier.replace('"', '""') + '"'

    uri = Path(name).resolve().as_uri() + "?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as db:
            listed = (
                "select name from sqlite_master where type in ('table', 'view') "
                "and name not like 'sqlite~_%' escape '~'"
            )
            chosen = only_table(table, [r[0] for r in db.execute(listed)])
            present = [r[1] for r in db.execute(f"pragma table_info({quoted(chosen)})")]
            check_columns([*columns, *([weight] if weight else [])], present)
            # A collation that takes a for A would merge labels.
            keys = ", ".join(f"{quoted(c)} collate binary" for c in columns)
            sums = "count(*)"
            if weight is not None:
                w = quoted(weight)
                number = f"typeof({w}) in ('integer', 'real')"
                sums += f", sum({w}), sum(not ({number} and {w} >= 0))"
            query = f"select {keys}, {sums} from {quoted(chosen)} group by {keys}"
            found = db.execute(query).fetchall()
    except sqlite3.Error as error:
        raise LabelError(f"{name!r} could not be read: {error}.") from None
    weights = None
    if weight is not None:
        weights = np.array([float(row[-2] or 0) for row in found])
        bad = sum(row[-1] for row in found)
        if bad or not np.isfinite(weights).all():
            raise LabelError(
                f"the weights in {weight!r} must be finite and not negative; "
                + (
                    f"{bad:,} of them {'is' if bad == 1 else 'are'} negative, missing or no number."
                    if bad
                    else "some are not."
                )
            )
    counts = np.array([row[len(columns)] for row in found], dtype=np.int64)
    values = {c: [row[i] for row in found] for i, c in enumerate(columns)}
    return DistinctRows(columns=values, count=counts, weight=weights)
