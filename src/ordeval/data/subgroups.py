"""Which subgroup each row is in, and the order of the subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import ALL, argument, as_printed, joined, name_of, plural
from ordeval.data.columns import is_missing
from ordeval.data.numbering import Coded, first_rows, number_rows, numbered, of_one_kind
from ordeval.data.query import Query, refuse_names
from ordeval.data.sources.numbers_as_text import with_numbers
from ordeval.exceptions import LabelError

if TYPE_CHECKING:
    from ordeval.data.sources.rows import DistinctRows


def subgroups_of(rows: DistinctRows, query: Query) -> tuple[tuple[Any, ...], NDArray[np.intp]]:
    """The subgroups in order, and that of each row, -1 if it is missing."""
    keys, where = subgroups_by_model({"": rows}, query)
    return keys, where[""]


def split_rows(
    rows: DistinctRows, keys: Iterable[Any], where: NDArray[np.intp]
) -> dict[Any, DistinctRows]:
    """The rows of each subgroup, in the order of the subgroups."""
    order = np.argsort(where, kind="stable")
    places = np.split(order, np.cumsum(np.bincount(where + 1)))[1:-1]
    return {key: rows.take(at) for key, at in zip(keys, places, strict=True)}


def subgroups_by_model(
    found: Mapping[str, DistinctRows], query: Query
) -> tuple[tuple[Any, ...], dict[str, NDArray[np.intp]]]:
    """The subgroups in order, and the subgroup of each row of each model, -1 if it is missing."""
    if not query.by:
        return ((),), {m: np.zeros(len(rows.count), dtype=np.intp) for m, rows in found.items()}
    subgroups, where = _numbered_subgroups(found, query)
    _check_names(subgroups, query)
    return subgroups, where


def _check_names(subgroups: tuple[Any, ...], query: Query) -> None:
    """Refuse subgroups whose names would mean something else, or several of them."""
    names = list(map(name_of, subgroups))
    refuse_names(names, {ALL: "all items together"}, "a subgroup")
    if len(query.by) > 1 and len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise LabelError(
            f"several subgroups of {joined(list(map(repr, query.by)))} are called {twice!r}. "
            f"Rename their values."
        )


def _numbered_subgroups(
    found: Mapping[str, DistinctRows], query: Query
) -> tuple[tuple[Any, ...], dict[str, NDArray[np.intp]]]:
    by = query.by
    for column in by:  # each on its own, so that 10 comes after 9 in a CSV file too
        found = with_numbers({m: (rows, [column]) for m, rows in found.items()}, None)
    found = {m: in_one_kind(rows, by) for m, rows in found.items()}
    plain = _plain_subgroups(found, query)
    if plain is not None:
        return plain
    keys = {m: _keys(rows, query) for m, rows in found.items()}
    distinct = {key for listed, _ in keys.values() for key in listed if key is not None}
    orders = next(iter(found.values())).orders
    ordered = _in_order(distinct, [orders.get(c) for c in by])
    number = {key: i for i, key in enumerate(ordered)} | {None: -1}
    where = {
        m: np.array([number[key] for key in listed], dtype=np.intp)[code]
        for m, (listed, code) in keys.items()
    }
    return tuple(k[0] if len(by) == 1 else k for k in ordered), where


def in_one_kind(rows: DistinctRows, names: Sequence[str]) -> DistinctRows:
    """Rows with subgroups or clusters identified by their names."""
    return replace(
        rows, columns={**rows.columns, **{c: of_one_kind(rows.columns[c]) for c in names}}
    )


def _plain_subgroups(
    found: Mapping[str, DistinctRows], query: Query
) -> tuple[tuple[Any, ...], dict[str, NDArray[np.intp]]] | None:
    """Find the subgroups of one coded column of integers or text without reading its rows."""
    columns = {m: rows.columns[query.by[0]] for m, rows in found.items()}
    if len(query.by) > 1 or any(query.by[0] in rows.orders for rows in found.values()):
        return None
    coded = [x for x in {id(x): x for x in columns.values()}.values() if isinstance(x, Coded)]
    if not coded or not all(isinstance(x, Coded) for x in columns.values()):
        return None
    labels = coded[0].labels
    for other in coded[1:]:
        labels = [*dict.fromkeys([*labels, *other.labels])]
    if set(map(type, labels)) not in ({int}, {str}):
        return None
    ordered = sorted(labels)
    number = dict(zip(ordered, range(len(ordered)), strict=True))
    where = {}
    for m, values in columns.items():
        assert isinstance(values, Coded)
        place = np.fromiter(map(number.__getitem__, values.labels), np.intp, len(values.labels))
        where[m] = place[values.code]
    return tuple(ordered), where


def number_of(columns: Sequence[Sequence[Any]]) -> NDArray[np.intp]:
    """A number for each row of some columns, the same for rows that are equal; none is left out."""
    return number_rows([_numbers(values) for values in columns])


def how_many(columns: Sequence[Sequence[Any]]) -> int:
    """How many distinct rows some columns make."""
    return int(number_of(columns).max(initial=-1)) + 1


def _keys(rows: DistinctRows, query: Query) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct subgroups, None if a value is missing, and which of them each row is in."""
    columns = [rows.columns[c] for c in query.by]
    code = number_of(columns)
    held = [_picked(values, first_rows(code)) for values in columns]
    keys: list[Any] = list(zip(*held, strict=True))
    if not {kind for values in held for kind in map(type, values)} <= {int, str, bool}:
        keys = [None if any(map(is_missing, key)) else key for key in keys]
    if None in keys and query.misfits.missing == "raise":
        lost = np.array([key is None for key in keys])
        message = lost_message(int(rows.count[lost[code]].sum()), query.by, "subgroups")
        raise LabelError(message)
    return keys, code


def _picked(values: Sequence[Any], places: NDArray[np.intp]) -> list[Any]:
    if isinstance(values, Coded):
        return list(values.take(places))
    return [values[i] for i in places.tolist()]


def _numbers(values: Sequence[Any]) -> NDArray[np.intp]:
    """A number for each value, the same for the same value."""
    return numbered(values.labels)[values.code] if isinstance(values, Coded) else numbered(values)


def _in_order(
    keys: Iterable[tuple[Any, ...]], orders: list[tuple[Any, ...] | None]
) -> list[tuple[Any, ...]]:
    """Subgroups in the order that their type declares, else by value, else as they print."""
    number = [None if o is None else {x: i for i, x in enumerate(o)} for o in orders]

    def key(subgroup: tuple[Any, ...]) -> Any:
        return tuple(x if n is None else n[x] for x, n in zip(subgroup, number, strict=True))

    try:
        if len(orders) == 1 and orders[0] is None:
            return sorted(keys, key=itemgetter(0))
        return sorted(keys, key=key)
    except TypeError:
        return sorted(keys, key=as_printed)


def lost_message(lost: int, columns: Sequence[str], what: str) -> str:
    """That items cannot be put anywhere."""
    have, them = ("has", "it") if lost == 1 else ("have", "them")
    define = "defines" if len(columns) == 1 else "define"
    return (
        f"{plural(lost, 'item')} {have} no value in {' or '.join(map(repr, columns))}, which "
        f"{define} the {what}. Fill it in, or use {argument('missing', 'drop')} to drop {them}."
    )
