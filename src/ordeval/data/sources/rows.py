"""Distinct rows of some columns and how many items have each: what every engine gives back.

A source reads them, from a frame or a file; what is asked of it is a Query. Nothing here knows
where the data are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import did_you_mean, named, nearest
from ordeval._shared.types import Floats, Integers
from ordeval.data.columns import Column, Places, is_missing
from ordeval.data.counts import LabelCounts, Origin
from ordeval.data.items import Items, read_items, read_weights
from ordeval.data.numbering import (
    Coded,
    chunks,
    coded,
    first_rows,
    fused,
    number_rows,
    tally,
)
from ordeval.data.populations.partial_truth import (
    gapped_scale,
    read_inclusion,
    read_partial_items,
)
from ordeval.data.positions import MISSING, Dropped, read_positions
from ordeval.data.query import Query
from ordeval.data.scale import Scale, resolve_scale, warn_of_gaps, warn_of_shift
from ordeval.data.sources.numbers_as_text import decimal_hint, refuse_gaps_as_text, with_numbers
from ordeval.data.subgroups import (
    how_many,
    in_one_kind,
    lost_message,
    number_of,
    subgroups_by_model,
)
from ordeval.exceptions import LabelError

# Several models are counted in one pass while the distinct rows that they can make stay below
# this; beyond it, engines lose more to the size of the group-by than another pass costs.
_ROWS_A_PASS: Final = 20_000
_FEW: Final = 1 << 14  # rows that can occur, of which counts are kept while items are read


@dataclass(frozen=True, kw_only=True, eq=False)
class DistinctRows:
    """Distinct rows of some columns, and how many items (and what weight) have each."""

    columns: Mapping[str, Sequence[Any]]
    count: Integers
    weight: Floats | None = None
    # The order that a column's type declares.
    orders: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    text: bool = False  # numbers came as text, as they do from CSV
    # The first place of each label of a column, None for missing ones, looked up if asked for.
    places: Places | None = None
    # If numbers were asked for: those of each item, and which of these rows the item has.
    row: Integers | None = None
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    unmatched: int = 0  # items that were left out, since a table that was joined lacks them

    def listed(self, name: str) -> list[Any]:
        """The labels of a column."""
        return list(self.columns[name])

    def column(self, name: str) -> Column:
        """A column of labels, which messages call by its name."""
        values, order = self.columns[name], self.orders.get(name)
        held = values.labels if isinstance(values, Coded) else values
        number = None if order is None else {label: i for i, label in enumerate(order)}
        if number is None:
            array = _as_array(held)
        else:
            array = np.array([-1 if is_missing(v) else number[v] for v in held], dtype=np.intp)
        array = array[values.code] if isinstance(values, Coded) else array
        if order is not None:
            column = Column(name, array, order, ordered=True, categorical=True)
        else:
            column = Column(name, array)
        return replace(column, count=self.count, places=self.places)

    def take(self, positions: NDArray[np.intp]) -> DistinctRows:
        """Some of the rows."""
        row, numbers = self.row, self.numbers
        if row is not None:
            now = np.full(len(self.count), -1, dtype=np.int64)
            now[positions] = np.arange(len(positions))
            stays = now[row] >= 0
            row, numbers = now[row][stays], {c: x[stays] for c, x in numbers.items()}
        return replace(
            self,
            columns={c: _taken(values, positions) for c, values in self.columns.items()},
            count=self.count[positions],
            weight=None if self.weight is None else self.weight[positions],
            row=row,
            numbers=numbers,
        )

    def in_order(self) -> DistinctRows:
        """The rows in an order that does not depend on the engine: a seed means the same."""
        codes = [_alphabetical(x) for x in self.columns.values()]
        return self.take(np.lexsort(codes[::-1]))


def _as_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Labels as they are, and as numbers if they are plain ones."""
    kinds = set(map(type, labels))
    if kinds == {int} and -(2**63) <= min(labels) <= max(labels) < 2**63:
        return np.array(labels, dtype=np.int64)
    kinds -= {type(None)}
    if kinds and all(issubclass(kind, float) for kind in kinds):
        return np.array(labels, dtype=np.float64)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _taken(values: Sequence[Any], positions: NDArray[np.intp]) -> Sequence[Any]:
    if isinstance(values, Coded):
        return values.take(positions).occurring()
    return [values[i] for i in positions.tolist()]


def _alphabetical(values: Sequence[Any]) -> NDArray[np.intp]:
    """The place of each label in the order in which they print."""
    held = values.labels if isinstance(values, Coded) else values
    place = np.unique([str(v) for v in held], return_inverse=True)[1]
    return place[values.code] if isinstance(values, Coded) else place


def with_each(
    columns: Mapping[str, Coded], numbers: Mapping[str, Floats], **more: Any
) -> DistinctRows:
    """The distinct rows of some columns, and the numbers of each item."""
    row = number_rows([c.code for c in columns.values()])
    first = first_rows(row)
    return DistinctRows(
        columns={c: x.take(first).occurring() for c, x in columns.items()},
        count=np.bincount(row, minlength=len(first)).astype(np.int64),
        row=row,
        numbers=dict(numbers),
        **more,
    )


def rows_of(columns: Mapping[str, Column], weights: Floats | None = None) -> DistinctRows:
    """The distinct rows of columns in memory, and how many items, or what weight, have each."""
    labels = {c: coded(x) for c, x in columns.items()}
    codes, sizes = [x.code for x in labels.values()], [len(x.labels) for x in labels.values()]
    size, weight = math.prod(sizes), None
    if weights is None and size <= _FEW:
        counts = np.zeros(size, dtype=np.int64)
        for part in chunks(len(codes[0])):
            counts += tally(fused([x[part] for x in codes], sizes), size)
        there = np.flatnonzero(counts)
        places: Sequence[Any] = np.unravel_index(there, sizes) if size else codes
        count = counts[there]
    else:
        row = number_rows(codes)
        first = first_rows(row)
        places, count = [x[first] for x in codes], np.bincount(row, minlength=len(first))
        if weights is not None:
            weight = np.bincount(row, weights, minlength=len(first)).astype(np.float64)
    return DistinctRows(
        columns={
            c: Coded(x.labels, at).occurring()
            for (c, x), at in zip(labels.items(), places, strict=True)
        },
        count=count.astype(np.int64),
        weight=weight,
        orders=orders_of(columns),
        places=lambda name: _first_positions(columns[name]),
    )


def _first_positions(column: Column) -> dict[Any, int]:
    """Where each label of a column in memory is first, None for missing ones."""
    found = coded(column)
    first: dict[Any, int] = {}
    for code, position in zip(*np.unique(found.code, return_index=True), strict=True):
        label = found.labels[code]
        first.setdefault(None if is_missing(label) else label, int(position))
    return first


def orders_of(columns: Mapping[str, Column]) -> dict[str, tuple[Any, ...]]:
    """The orders that the types of columns declare."""
    return {c: x.categories for c, x in columns.items() if x.ordered and x.categories is not None}


class Source(Protocol):
    """Where columns are read from."""

    @property
    def once(self) -> bool:
        """Whether it can be read only once, as a stream can."""

    def rows(
        self, columns: Sequence[str], weight: str | None = None, numbers: Sequence[str] = ()
    ) -> DistinctRows:
        """The distinct rows of some columns; the weights of each are summed.

        With ``numbers``, columns of numbers, those of each item too.
        """

    def columns(self) -> Sequence[str]:
        """The names of all columns."""


def count_models(source: Source, query: Query) -> dict[str, LabelCounts]:
    """The matrix of each model, or its matrices (G, K, K) in G subgroups, on one scale."""
    if not query.models:
        raise LabelError(f"{named('pred')} must name the column of a model's predictions.")
    return _count_rows(_read_models(source, query), query)


def _read_models(source: Source, query: Query) -> dict[str, DistinctRows]:
    """Rows that hold subgroup, truth and prediction of each model, in as few passes as pay off.

    Without a declared number of classes, or with subgroups, the first model is read alone: it
    tells how many distinct rows there are to reckon with.
    """
    waiting, k = list(query.models), None if query.labels is None else query.labels.k
    found: dict[str, DistinctRows] = {}
    size = len(waiting) if source.once else 1 if k is None or query.by else _models_a_pass(k, k)
    while waiting:
        batch, waiting = waiting[:size], waiting[size:]
        rows = source.rows(list(dict.fromkeys([*query.by, query.truth, *batch])), query.weight)
        found |= dict.fromkeys(batch, rows)
        if not waiting:
            break
        fixed = how_many([rows.columns[c] for c in (*query.by, query.truth)])
        size = _models_a_pass(fixed, k or how_many([rows.columns[batch[0]]]))
    return found


def _models_a_pass(fixed: int, k: int) -> int:
    """How many columns of k labels fit next to columns that make ``fixed`` distinct rows."""
    room = _ROWS_A_PASS / max(fixed, 1)
    return max(1, int(math.log(room) / math.log(max(k, 2)))) if room > 1 else 1


def _count_rows(found: Mapping[str, DistinctRows], query: Query) -> dict[str, LabelCounts]:
    truth = query.truth
    found = _labels_read({m: (rows, [truth, m]) for m, rows in found.items()}, query)
    columns = [rows.column(c) for m, rows in found.items() for c in (truth, m)]
    scale, implied = resolve_scale(columns, query.labels)
    query.misfits.refuse(scale, columns)
    keys, where = subgroups_by_model(found, query)
    counted = {}
    for model, rows in found.items():
        read = read_positions(scale, [rows.column(truth), rows.column(model)], query.misfits)
        t, p = (code.astype(np.intp) for code in read.codes)
        g = where[model]
        in_subgroup = np.where(g < 0, MISSING, g)
        read = replace(read, codes=[*read.codes, in_subgroup], names=[*read.names, "subgroup"])
        fits, dropped = read.fits, read.dropped + Dropped(missing=rows.unmatched)
        shape = (len(keys), scale.k, scale.k)
        kept = slice(None) if fits.all() else fits
        cells = np.ravel_multi_index((g[kept], t[kept], p[kept]), shape)
        counts = _summed(rows, cells, kept, math.prod(shape)).reshape(shape)
        items = None
        if query.weight is not None:
            each = np.zeros(len(keys), dtype=np.int64)
            np.add.at(each, g[fits], rows.count[fits])
            items = each if query.by else each[0]
        by = keys if query.by else None
        origin = Origin(dropped, implied, query.weight is not None, by, items)
        counted[model] = LabelCounts(counts if query.by else counts[0], scale, origin)
    # A level that one model never predicts may occur with another.
    first, *others = (c.counts for c in counted.values())
    together = sum(others, first) if others else first
    LabelCounts(np.asarray(together), scale, Origin(implied=implied)).warn_of_gaps()
    for model, part in counted.items():
        part.warn_of_shift(model)
    return counted


def _labels_read(
    found: Mapping[str, tuple[DistinctRows, list[str]]], query: Query
) -> dict[str, DistinctRows]:
    """Columns of labels, in which text that writes numbers is numbers if labels are."""
    if query.labels is None:
        refuse_gaps_as_text(found)
    return with_numbers(found, query.labels)


def _summed(
    rows: DistinctRows, cells: NDArray[np.intp], fits: NDArray[np.bool_] | slice, n: int
) -> NDArray[Any]:
    """The items, or the weights, that fall into each of n cells."""
    if rows.weight is not None:
        return np.bincount(cells, rows.weight[fits], minlength=n)
    counts, given = np.zeros(n, dtype=np.int64), rows.count[fits]
    counts[cells] = given
    if counts.sum() == given.sum():  # each row is of a cell of its own
        return counts
    if int(given.sum()) < 1 << 53:  # floats hold them exactly
        return np.bincount(cells, given, minlength=n).astype(np.int64)
    counts[:] = 0
    np.add.at(counts, cells, given)
    return counts


def joint_items(rows: DistinctRows, query: Query) -> tuple[Items, list[Any] | None]:
    """All models on the same items, and the cluster of each row that was given.

    Items with different weights are different rows.
    """
    rows, lost = with_clusters(rows, query)
    rows = _labels_read({"": (rows, query.labelled)}, query)[""]
    clusters = [rows.listed(c) for c in query.clusters] or None
    if query.proxy:
        return without(_partial_items(rows, query), lost, query), clusters
    items = read_items(
        rows.column(query.truth),
        {m: rows.column(m) for m in query.models},
        labels=query.labels,
        sample_weight=_weights(rows, query),
        misfits=query.misfits,
    )
    return without(items, lost, query), clusters


def _partial_items(rows: DistinctRows, query: Query) -> Items:
    """Items of which some have a true label, and how these were chosen."""
    beside = ["weight"] if query.weight is not None else []
    beside += [query.population.argument] if query.population is not None else []
    if beside:
        raise LabelError(f"{named(beside[0])} cannot be combined with {named('proxy')}.")
    items = read_partial_items(
        rows.column(query.truth),
        {m: rows.column(m) for m in query.models},
        {p: rows.column(p) for p in query.proxy},
        labels=query.labels,
        misfits=query.misfits,
    )
    assert items.partial is not None
    inclusion = within = None
    if query.inclusion is not None:
        inclusion = read_inclusion(rows.listed(query.inclusion), query.inclusion)[items.kept]
    if query.within:
        within = number_of([rows.listed(c) for c in query.within]).astype(np.int64)[items.kept]
    return replace(items, partial=items.partial._replace(inclusion=inclusion, within=within))


def without(items: Items, lost: Dropped, query: Query) -> Items:
    """The items, which keep count of those that had no cluster or no match."""
    if not lost:
        return items
    dropped = items.dropped | {", ".join(query.clusters) or "unmatched": lost}
    return replace(items, dropped=dropped, lost=items.lost + lost)


def _weights(rows: DistinctRows, query: Query) -> Floats | None:
    """The weight of each row, from the column that holds it."""
    if query.weight is None:
        return None
    listed = rows.listed(query.weight)
    try:
        return read_weights(listed, len(rows.count), column=query.weight)
    except LabelError as error:
        hints = map(decimal_hint, listed) if rows.text else ()
        raise LabelError(f"{error}{next(filter(None, hints), '')}") from None


def joint_scale(rows: DistinctRows, query: Query) -> tuple[Scale, bool]:
    """The scale that the truth and all models share, and whether integers only imply it."""
    named = query.labelled
    rows = _labels_read({"": (rows, named)}, query)[""]
    columns = [rows.column(c) for c in named]
    scale_of = gapped_scale if query.proxy else resolve_scale
    scale, implied = scale_of(columns, query.labels)
    if implied:
        truth, *others = codes = [scale.codes(column) for column in columns]
        warn_of_gaps(scale, codes)
        for name, code in zip(named[1:], others, strict=True):
            warn_of_shift(scale, truth[truth >= 0], code[code >= 0], name)
    return scale, implied


def with_clusters(rows: DistinctRows, query: Query) -> tuple[DistinctRows, Dropped]:
    """The rows whose cluster is known; the others are an error, unless they are to be dropped."""
    rows = in_one_kind(rows, query.clusters)
    known = has_cluster(rows, query)
    lost = int(rows.count[~known].sum())
    dropped = Dropped(missing=lost + rows.unmatched)
    if rows.unmatched:
        rows = replace(rows, unmatched=0)
    return (rows.take(np.flatnonzero(known)) if lost else rows), dropped


def has_cluster(rows: DistinctRows, query: Query) -> NDArray[np.bool_]:
    """Whether the cluster of each row is known; an error if it must be, and is not."""
    known = np.ones(len(rows.count), dtype=bool)
    for column in query.clusters:
        known &= np.array([not is_missing(v) for v in rows.columns[column]], dtype=bool)
    lost = int(rows.count[~known].sum())
    if lost and query.misfits.missing == "raise":
        raise LabelError(lost_message(lost, query.clusters, "clusters"))
    return known


def check_columns(wanted: Sequence[str], present: Sequence[str]) -> None:
    """Refuse a column that is not there, or there twice, and name those that are like it."""
    for name in wanted:
        if list(present).count(name) > 1:
            raise LabelError(f"there are several columns {name!r}; give them different names.")
        if name not in present:
            hint = did_you_mean([repr(n) for n in nearest(str(name), map(str, present))])
            if str(name) in map(str, present):
                hint = (
                    " Names are texts: rename the columns, for example frame.rename(columns=str)."
                )
            shown = ", ".join(repr(n) for n in list(present)[:20])
            error = LabelError(f"there is no column {name!r}.{hint} Columns: {shown}.")
            error.present = tuple(map(str, present))
            raise error


def numbers_read(rows: DistinctRows, columns: Sequence[str], labels: Any) -> DistinctRows:
    """Rows in which numbers that came as text are numbers, if labels are."""
    return with_numbers({"": (rows, list(columns))}, labels)[""]
