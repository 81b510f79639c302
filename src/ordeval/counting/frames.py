"""Count where a dataframe lives: one lazy group-by on the user's own engine, through narwhals.

pandas, Polars (eager and lazy), PyArrow, DuckDB, PySpark, Dask, Ibis and SQLFrame. Only the counts
of distinct rows come back; nulls are kept as a group of their own and judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._columns import Column, is_missing
from ordeval._optional import import_extra
from ordeval.counting.arrays import Counted, Dropped, encode_labels
from ordeval.exceptions import LabelError
from ordeval.scale import Policy

# More distinct rows than this are hardly labels: a score was given in their place.
MAX_DISTINCT_ROWS: Final = 5_000_000


@dataclass(frozen=True)
class DistinctRows:
    """Distinct rows of some columns, and how many items (and what weight) have each."""

    columns: dict[str, list[Any]]
    count: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    orders: dict[str, tuple[Any, ...]]  # the order that a column's type declares

    def column(self, source: str, name: str) -> Column:
        """A column of labels under the name that messages call it."""
        values = self.columns[source]
        order = self.orders.get(source)
        if order is None:
            if values and all(v is None or isinstance(v, float) for v in values):
                return Column(name, np.array(values, dtype=np.float64))
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return Column(name, array)
        number = {label: i for i, label in enumerate(order)}
        codes = [-1 if is_missing(v) else number[v] for v in values]
        return Column(name, np.array(codes, dtype=np.intp), order, True, True)


def distinct_rows(frame: Any, columns: Sequence[str], weight: str | None = None) -> DistinctRows:
    """Group a frame by columns and count; the weights of each group are summed."""
    nw = import_extra("narwhals", extra="frames", purpose="counting a dataframe")
    lazy = nw.from_native(frame).lazy()
    schema = lazy.collect_schema()
    check_columns([*columns, *([weight] if weight else [])], schema.names())
    count, summed, invalid = _fresh_names(schema.names(), 3)
    aggregates = [nw.len().alias(count)]
    if weight is not None:
        w = nw.col(weight).cast(nw.Float64)
        # Columns first: some engines aggregate plain columns only.
        wrong = (w.is_null() | (w < 0)).cast(nw.Int64)
        lazy = lazy.with_columns(w.alias(summed), wrong.alias(invalid))
        aggregates += [nw.col(summed).sum(), nw.col(invalid).sum()]
    grouped = lazy.group_by(*columns).agg(*aggregates).head(MAX_DISTINCT_ROWS + 1)
    table = grouped.collect().to_dict(as_series=False)
    counts = np.array([int(n) for n in table[count]], dtype=np.int64)
    if len(counts) > MAX_DISTINCT_ROWS:
        raise LabelError(
            f"the columns {', '.join(columns)} have more than {MAX_DISTINCT_ROWS:,} distinct rows. "
            f"Labels do not; are these scores? Turn them into levels, or compare fewer models."
        )
    weights = None
    if weight is not None:
        weights = _checked_weights(table[summed], table[invalid], weight)
    return DistinctRows(
        {c: _as_integers(table[c], schema[c], nw) for c in columns},
        counts,
        weights,
        {c: tuple(schema[c].categories) for c in columns if isinstance(schema[c], nw.Enum)},
    )


def count_rows(
    rows: DistinctRows, truth: str, pred: str, *, labels: Any, unknown: Policy, missing: Policy
) -> Counted:
    """The matrix of one model from distinct rows."""
    items = encode_labels(
        rows.column(truth, truth),
        {pred: rows.column(pred, pred)},
        labels=labels,
        multiplicity=rows.count,
        unknown=unknown,
        missing=missing,
    )
    k = items.scale.k
    cell = items.truth * k + items.models[pred]
    if rows.weight is None:
        counts: NDArray[Any] = np.zeros(k * k, dtype=np.int64)
        np.add.at(counts, cell, items.multiplicity)
    else:
        counts = np.bincount(cell, rows.weight[items.kept], minlength=k * k)
    dropped = sum(items.dropped.values(), Dropped())
    return Counted(counts.reshape(k, k), items.scale, dropped, items.implied)


def check_columns(wanted: Sequence[str], present: Sequence[str]) -> None:
    """Refuse a column that is not there, and name those that are like it."""
    for name in wanted:
        if name not in present:
            near = get_close_matches(name, present, n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
            shown = ", ".join(repr(n) for n in list(present)[:20])
            raise LabelError(f"there is no column {name!r}.{hint} Columns: {shown}.")


def _fresh_names(taken: Sequence[str], n: int) -> list[str]:
    names: list[str] = []
    i = 0
    while len(names) < n:
        name = f"ordeval_{i}"
        if name not in taken:
            names.append(name)
        i += 1
    return names


def _as_integers(values: list[Any], dtype: Any, nw: Any) -> list[Any]:
    """Integers that an engine turned into floats because of a null."""
    if not dtype.is_integer():
        return values
    return [None if is_missing(v) else int(v) for v in values]


def _checked_weights(sums: list[Any], invalid: list[Any], name: str) -> NDArray[np.float64]:
    weights = np.array([np.nan if s is None else float(s) for s in sums])
    bad = sum(int(n or 0) for n in invalid)
    if bad or not np.isfinite(weights).all():
        raise LabelError(
            f"the weights in {name!r} must be finite and not negative; "
            f"{bad:,} of them are negative or missing."
            if bad
            else f"the weights in {name!r} must be finite and not negative; some are not."
        )
    return weights
