"""Ids that mean the same item and are written differently, so that they never match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from ordeval._shared.text import joined

TEXT: Final = "text"  # the type of ids in files that have none
_NUMBER: Final = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*?)0*)?", re.ASCII)


class Ids(NamedTuple):
    """Some ids of a table."""

    called: str
    type: str
    some: Sequence[Any]


def why_unmatched(column: str, tables: Sequence[Ids], *, by_type: bool = True) -> str:
    """Why ids do not match: how they are written, or their types; nothing if neither tells."""
    first, *others = tables
    pairs = ((x, spelt_differently(first.some, x.some)) for x in others)
    pair = next(((x, found) for x, found in pairs if found), None)
    types = {x.type for x in tables}
    differ = by_type and len(types) > 1 and not all("Int" in x for x in types)
    if pair is None and not differ:
        return ""
    held = dict.fromkeys(f"{x.type} in {x.called}" for x in tables)
    are = joined(list(held)) if differ else "written differently"
    if pair is not None:
        ours, theirs = pair[1]
        why = f"{ours!r} in {first.called} is not {theirs!r} in {pair[0].called}"
    elif TEXT in types:
        why = "as text '1.0' and '01' are not '1'"
    else:
        why = "numbers match only if they are exactly equal"
    return f" The ids in {column!r} are {are}: {why}. Write them alike in all tables."


def as_they_are(column: str, tables: Sequence[Ids]) -> str:
    """An id of each table, where nothing tells why none matches."""
    some = [f"{x.some[0]!r} in {x.called}" for x in tables if x.some]
    return f" The ids in {column!r} are such as {joined(some)}." if some else ""


def spelt_differently(ours: Iterable[Any], theirs: Iterable[Any]) -> tuple[Any, Any] | None:
    """An id of each that would be the same, but for zeros, a point, spaces or capitals."""
    here, there = _by_meaning(ours), _by_meaning(theirs)
    for meaning, held in here.items():
        others = there.get(meaning, ())
        if others and not set(held) & set(others):
            return held[0], others[0]
    return None


def _by_meaning(ids: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for x in ids:
        found.setdefault(_meaning(x), []).append(x)
    return found


def _meaning(x: Any) -> str:
    text = str(x).strip()
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text.casefold()
    sign, whole, part = number.groups()
    return f"{sign.strip('+')}{whole}{f'.{part}' if part else ''}"
