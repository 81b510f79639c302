"""Count where a dataframe lives: lazy group-bys on the user's own engine, through narwhals.

pandas, Polars (eager and lazy), PyArrow, DuckDB, PySpark, Dask, Ibis and SQLFrame. Only the counts
of distinct rows come back; nulls are kept as a group of their own and judged here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval.data.columns import Column, as_column, is_missing
from ordeval.data.items import Counted, Dropped, Encoded, check_policies, encode_labels
from ordeval.data.scale import MISSING, Policy, Scale, as_scale, declared_scale, implied_scale
from ordeval.exceptions import LabelError

# More distinct rows than this are hardly labels: a score was given in their place.
MAX_DISTINCT_ROWS: Final = 5_000_000
# Several models are counted in one pass while the distinct rows that they can make stay below
# this; beyond it, engines lose more to the size of the group-by than another pass costs.
_ROWS_A_PASS: Final = 20_000
_INTEGER: Final = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_WHOLE: Final = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.0*)?")
_DECIMAL: Final = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?")


@dataclass(frozen=True)
class DistinctRows:
    """Distinct rows of some columns, and how many items (and what weight) have each."""

    columns: dict[str, list[Any]]
    count: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    orders: dict[str, tuple[Any, ...]]  # the order that a column's type declares
    text: bool = False  # numbers came as text, as they do from CSV

    def column(self, name: str) -> Column:
        """A column of labels, which messages call by its name."""
        values, times = self.columns[name], self.count
        order = self.orders.get(name)
        if order is None:
            floats = [isinstance(v, float) for v in values]
            if any(floats) and all(f or v is None for f, v in zip(floats, values, strict=True)):
                return Column(name, np.array(values, dtype=np.float64), times=times)
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return Column(name, array, times=times)
        number = {label: i for i, label in enumerate(order)}
        codes = [-1 if is_missing(v) else number[v] for v in values]
        return Column(name, np.array(codes, dtype=np.intp), order, True, True, times)


# Reads some columns, and the sums of a weight, from wherever they are.
Reader = Callable[[Sequence[str], str | None], DistinctRows]


def distinct_rows(frame: Any, columns: Sequence[str], weight: str | None = None) -> DistinctRows:
    """Group a frame by columns and count; the weights of each group are summed."""
    nw = import_extra("narwhals", extra="frames", purpose="counting a dataframe")
    simple, name = _simply_named(frame, [*columns, *([weight] if weight else [])])
    lazy = nw.from_native(simple).lazy()
    schema = {c: lazy.collect_schema()[name[c]] for c in name}
    _check_types(schema, columns, weight, nw)
    keys = [name[c] for c in columns]
    count, summed, invalid = _fresh_names(lazy.collect_schema().names(), 3)
    aggregates = [nw.len().alias(count)]
    if weight is not None:
        w = nw.col(name[weight]).cast(nw.Float64)
        # Columns first: some engines aggregate plain columns only.
        wrong = nw.when(w.is_null() | (w < 0)).then(nw.lit(1)).otherwise(nw.lit(0))
        lazy = lazy.with_columns(w.alias(summed), wrong.alias(invalid))
        aggregates += [nw.col(summed).sum(), nw.col(invalid).sum()]
    grouped = lazy.group_by(*keys).agg(*aggregates).head(MAX_DISTINCT_ROWS + 1)
    table = _fetch(grouped)
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
        {c: _as_integers(table[name[c]], schema[c]) for c in columns},
        counts,
        weights,
        _orders(frame, columns, schema, nw),
    )


def _simply_named(frame: Any, wanted: Sequence[str]) -> tuple[Any, dict[str, str]]:
    """The frame, and the name that each wanted column has in it.

    DuckDB and Spark read a dot or a quote in a name as their own grammar; there the columns get
    plain names, by quoting and by position.
    """
    present = column_names(frame)
    check_columns(wanted, present)
    module = type(frame).__module__.partition(".")[0]
    if module in ("duckdb", "_duckdb"):
        plain = {c: f"column_{i}" for i, c in enumerate(dict.fromkeys(wanted))}
        quoted = {c: '"' + c.replace('"', '""') + '"' for c in plain}
        return frame.project(", ".join(f"{quoted[c]} as {plain[c]}" for c in plain)), plain
    if module == "pyspark":
        plain = {c: f"column_{i}" for i, c in enumerate(present)}
        return frame.toDF(*plain.values()), {c: plain[c] for c in wanted}
    if module == "pyarrow":
        # Chunks may have dictionaries of their own.
        frame = frame.unify_dictionaries()
    return frame, {c: c for c in wanted}


def column_names(frame: Any) -> list[str]:
    """The columns of a frame; what an attribute means depends on whose it is."""
    match type(frame).__module__.partition(".")[0]:
        case "pyarrow":
            return list(frame.column_names)
        case "polars" | "narwhals":
            return list(frame.collect_schema().names())
        case _:
            return list(frame.columns)


def _check_types(
    schema: dict[str, Any], columns: Sequence[str], weight: str | None, nw: Any
) -> None:
    for c in columns:
        if schema[c].is_nested():
            raise LabelError(f"the column {c!r} must hold labels, one an item; it is {schema[c]}.")
    if weight is not None and not (schema[weight].is_numeric() or schema[weight] == nw.String):
        raise LabelError(f"the weights in {weight!r} must be numbers; it is {schema[weight]}.")


def read_models(
    read: Reader,
    truth: str,
    models: Iterable[str],
    *,
    by: Sequence[str] = (),
    weight: str | None = None,
    k: int | None = None,
    at_once: bool = False,
) -> dict[str, DistinctRows]:
    """Rows that hold groups, truth and prediction of each model, in as few passes as pay off.

    Without a declared number of classes ``k``, or with groups, the first model is read alone: it
    tells how many distinct rows there are to reckon with. A source that can be read only once is
    read ``at_once``.
    """
    waiting = list(dict.fromkeys(models))
    found: dict[str, DistinctRows] = {}
    size = len(waiting) if at_once else 1 if k is None or by else _models_a_pass(k, k)
    while waiting:
        batch, waiting = waiting[:size], waiting[size:]
        rows = read(list(dict.fromkeys([*by, truth, *batch])), weight)
        found |= dict.fromkeys(batch, rows)
        fixed = len(set(zip(*(rows.columns[c] for c in (*by, truth)), strict=True)))
        size = _models_a_pass(fixed, k or len(set(rows.columns[batch[0]])))
    return found


def _models_a_pass(fixed: int, k: int) -> int:
    """How many columns of k labels fit beside columns that make ``fixed`` distinct rows."""
    room = _ROWS_A_PASS / max(fixed, 1)
    return max(1, int(math.log(room) / math.log(max(k, 2)))) if room > 1 else 1


def count_models(
    found: Mapping[str, DistinctRows],
    truth: str,
    *,
    by: Sequence[str] = (),
    labels: Any = None,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> dict[str, Counted]:
    """The matrix of each model, or its matrices (G, K, K) in G groups, on one scale."""
    check_policies(unknown, missing)
    found = _with_numbers({m: (rows, [truth, m]) for m, rows in found.items()}, labels)
    columns = [rows.column(c) for m, rows in found.items() for c in (truth, m)]
    scale, implied = _scale_of(columns, labels)
    groups, where = _groups(found, by, missing)
    counted = {}
    for model, rows in found.items():
        pair = rows.column(truth), rows.column(model)
        for column in pair:
            scale.refuse_misfits(column, unknown=unknown, missing=missing)
        t, p, g = (*(scale.codes(c).astype(np.intp) for c in pair), where[model])
        fits, gone = (t >= 0) & (p >= 0) & (g >= 0), (t == MISSING) | (p == MISSING) | (g < 0)
        dropped = Dropped(int(rows.count[gone].sum()), int(rows.count[~gone & ~fits].sum()))
        shape = (len(groups), scale.k, scale.k)
        cells = np.ravel_multi_index((g[fits], t[fits], p[fits]), shape)
        counts = _summed(rows, cells, fits, math.prod(shape)).reshape(shape)
        if by:
            counted[model] = Counted(counts, scale, dropped, implied, groups)
        else:
            counted[model] = Counted(counts[0], scale, dropped, implied)
    return counted


def _scale_of(columns: list[Column], labels: Any) -> tuple[Scale, bool]:
    """The scale, and whether it is only implied by integers."""
    declared = as_scale(labels) if labels is not None else declared_scale(columns)
    return (implied_scale(columns), True) if declared is None else (declared, False)


def _summed(
    rows: DistinctRows, cells: NDArray[np.intp], fits: NDArray[np.bool_], n: int
) -> NDArray[Any]:
    """The items, or the weights, that fall into each of n cells."""
    if rows.weight is not None:
        return np.bincount(cells, rows.weight[fits], minlength=n)
    counts = np.zeros(n, dtype=np.int64)
    np.add.at(counts, cells, rows.count[fits])
    return counts


def joint_items(
    rows: DistinctRows,
    truth: str,
    models: Sequence[str],
    weight: str | None = None,
    *,
    labels: Any = None,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Encoded:
    """All models on the same items; a column of weights is one of those that tell items apart."""
    rows = _with_numbers({"": (rows, [truth, *models])}, labels)[""]
    return encode_labels(
        rows.column(truth),
        {m: rows.column(m) for m in models},
        labels=labels,
        sample_weight=None if weight is None else rows.columns[weight],
        multiplicity=rows.count,
        truth_name=truth,
        unknown=unknown,
        missing=missing,
    )


def joint_scale(rows: DistinctRows, columns: Sequence[str], labels: Any) -> Scale:
    """The scale that all these columns share."""
    rows = _with_numbers({"": (rows, list(columns))}, labels)[""]
    return _scale_of([rows.column(c) for c in columns], labels)[0]


def in_order(rows: DistinctRows) -> DistinctRows:
    """The same rows in an order that does not depend on the engine: a seed means the same."""
    codes = [np.unique([str(v) for v in x], return_inverse=True)[1] for x in rows.columns.values()]
    return _take(rows, np.lexsort(codes[::-1]))


def with_groups(rows: DistinctRows, column: str, missing: Policy) -> tuple[DistinctRows, Dropped]:
    """The rows that have a value in a column; the others are an error unless they are dropped."""
    lacks = np.array([is_missing(v) for v in rows.columns[column]], dtype=bool)
    lost = int(rows.count[lacks].sum())
    if not lost or missing == "raise":
        return rows, Dropped()
    return _take(rows, np.flatnonzero(~lacks)), Dropped(missing=lost)


def split_rows(rows: DistinctRows, by: Sequence[str], missing: Policy) -> dict[Any, DistinctRows]:
    """The rows of each group, in the order of the groups."""
    groups, where = _groups({"": rows}, by, missing)
    return {g: _take(rows, np.flatnonzero(where[""] == i)) for i, g in enumerate(groups)}


def _take(rows: DistinctRows, positions: NDArray[np.intp]) -> DistinctRows:
    places = positions.tolist()
    return replace(
        rows,
        columns={c: [values[i] for i in places] for c, values in rows.columns.items()},
        count=rows.count[positions],
        weight=None if rows.weight is None else rows.weight[positions],
    )


def _groups(
    found: Mapping[str, DistinctRows], by: Sequence[str], missing: Policy
) -> tuple[tuple[Any, ...], dict[str, NDArray[np.intp]]]:
    """The groups in order, and the group of each row of each model, -1 if it is missing."""
    if not by:
        return ((),), {m: np.zeros(len(rows.count), dtype=np.intp) for m, rows in found.items()}
    for column in by:  # each on its own, so that 10 comes after 9 in a CSV file too
        found = _with_numbers({m: (rows, [column]) for m, rows in found.items()}, None)
    keys = {m: _group_keys(rows, by, missing) for m, rows in found.items()}
    distinct = {key for listed in keys.values() for key in listed if key is not None}
    orders = next(iter(found.values())).orders
    ordered = sorted(distinct, key=_group_order([orders.get(c) for c in by], distinct))
    number = {key: i for i, key in enumerate(ordered)} | {None: -1}
    where = {m: np.fromiter(map(number.__getitem__, x), np.intp, len(x)) for m, x in keys.items()}
    return tuple(k[0] if len(by) == 1 else k for k in ordered), where


def _group_keys(rows: DistinctRows, by: Sequence[str], missing: Policy) -> list[Any]:
    """The values of the grouping columns in each row; None if one of them is missing."""
    rows_of_keys = list(zip(*(rows.columns[c] for c in by), strict=True))
    known = {key: None if any(map(is_missing, key)) else key for key in set(rows_of_keys)}
    keys = list(map(known.__getitem__, rows_of_keys))
    lost = 0
    if None in known.values():
        lost = int(rows.count[[key is None for key in keys]].sum())
    if lost and missing == "raise":
        raise LabelError(
            f"{lost:,} items have no value in {' or '.join(map(repr, by))}, by which they are "
            f'grouped. Fill it in, or pass missing="drop" to leave them out.'
        )
    return keys


def _group_order(
    orders: list[tuple[Any, ...] | None], keys: Iterable[tuple[Any, ...]]
) -> Callable[[tuple[Any, ...]], Any]:
    """Groups go in the order that their type declares, else by value, else by how they print."""
    number = [None if o is None else {x: i for i, x in enumerate(o)} for o in orders]

    def key(group: tuple[Any, ...]) -> Any:
        return tuple(x if n is None else n[x] for x, n in zip(group, number, strict=True))

    try:
        sorted(map(key, keys))
    except TypeError:
        return str
    return key


def _with_numbers(
    found: Mapping[str, tuple[DistinctRows, list[str]]], labels: Any
) -> dict[str, DistinctRows]:
    """Numbers that came as text, in some columns of rows, become numbers if labels are.

    Without declared labels they do if every label is written as an integer: "01" is not.
    """
    if not all(rows.text for rows, _ in found.values()):
        return {m: rows for m, (rows, _) in found.items()}
    values = {v for rows, named in found.values() for c in named for v in rows.columns[c]}
    texts = [v for v in values if isinstance(v, str)]
    if labels is not None:
        number = _numbers_written(texts, as_scale(labels))
    elif all(_INTEGER.fullmatch(v) for v in texts):
        number = {v: int(v) for v in texts}
    else:
        number = {}
    if not number:
        return {m: rows for m, (rows, _) in found.items()}
    return {
        m: replace(
            rows,
            columns=rows.columns | {c: [number.get(v, v) for v in rows.columns[c]] for c in named},
        )
        for m, (rows, named) in found.items()
    }


def _numbers_written(texts: Iterable[str], scale: Scale) -> dict[str, float]:
    """The texts that write a number of the scale: 2.0 is what some programs write for 2."""
    if not all(isinstance(x, (int, float)) for x in scale):
        return {}
    if all(isinstance(x, int) for x in scale):
        return {v: int(v.partition(".")[0]) for v in texts if _WHOLE.fullmatch(v)}
    return {v: float(v) for v in texts if _DECIMAL.fullmatch(v)}


def check_columns(wanted: Sequence[str], present: Sequence[str]) -> None:
    """Refuse a column that is not there, or there twice, and name those that are like it."""
    for name in wanted:
        if list(present).count(name) > 1:
            raise LabelError(f"there are several columns {name!r}; give them different names.")
        if name not in present:
            near = get_close_matches(name, present, n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
            shown = ", ".join(repr(n) for n in list(present)[:20])
            raise LabelError(f"there is no column {name!r}.{hint} Columns: {shown}.")


def declared_k(labels: Any) -> int | None:
    """How many classes are declared, if they are."""
    return None if labels is None else as_scale(labels).k


def _fetch(grouped: Any) -> dict[str, list[Any]]:
    """The few rows that an engine has counted, as lists."""
    native = grouped.to_native()
    if type(native).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        # DuckDB gives Python objects itself; narwhals would want PyArrow for it.
        listed = list(zip(*native.fetchall(), strict=True)) or [()] * len(native.columns)
        return {c: list(values) for c, values in zip(native.columns, listed, strict=True)}
    table: dict[str, list[Any]] = grouped.collect().to_dict(as_series=False)
    return table


def _orders(frame: Any, columns: Sequence[str], schema: Any, nw: Any) -> dict[str, tuple[Any, ...]]:
    orders = {c: tuple(schema[c].categories) for c in columns if isinstance(schema[c], nw.Enum)}
    if type(frame).__module__.partition(".")[0] == "pyarrow":
        # narwhals does not tell whether an Arrow dictionary is in order.
        for c in columns:
            if isinstance(schema[c], nw.Categorical):
                column = as_column(frame[c], c)
                if column.ordered and column.categories is not None:
                    orders[c] = column.categories
    return orders


def _fresh_names(taken: Sequence[str], n: int) -> list[str]:
    names: list[str] = []
    i = 0
    present = {t.casefold() for t in taken}  # some engines do not tell A from a
    while len(names) < n:
        name = f"ordeval_{i}"
        if name not in present:
            names.append(name)
        i += 1
    return names


def _as_integers(values: list[Any], dtype: Any) -> list[Any]:
    """Integers that an engine turned into floats because of a null."""
    if not dtype.is_integer():
        return values
    # Distinct values first: there may be millions of rows and few labels.
    number = {v: None if is_missing(v) else int(v) for v in set(values)}
    return list(map(number.__getitem__, values))


def _checked_weights(sums: list[Any], invalid: list[Any], name: str) -> NDArray[np.float64]:
    weights = np.array([np.nan if s is None else float(s) for s in sums])
    bad = sum(int(n or 0) for n in invalid)
    if bad or not np.isfinite(weights).all():
        which = f"{bad:,} of them are negative or missing." if bad else "some are not."
        raise LabelError(f"the weights in {name!r} must be finite and not negative; {which}")
    return weights
