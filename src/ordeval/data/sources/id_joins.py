"""Tables joined by ids through narwhals, and why ids that mean the same item do not match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ordeval._shared.extras import import_extra
from ordeval._shared.text import joined
from ordeval.data.columns import is_missing
from ordeval.data.sources.frames import FrameSource, fetch
from ordeval.data.sources.rows import DistinctRows
from ordeval.exceptions import LabelError

_COUNT: Final = "ordeval_count"
_EXACT: Final = 2**53  # below it every integer is a float
_LOOKED_AT: Final = 5000  # ids of a table, for two that are written differently
TEXT: Final = "text"  # the type of ids in files that have none
_NUMBER: Final = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*?)0*)?", re.ASCII)


class Opened(NamedTuple):
    """A table that can be joined: a frame, and the plain name that each column has in it."""

    frame: Any
    name: Mapping[str, str]
    text: bool = False  # it has no types: ids and numbers are written as text


class Piece(NamedTuple):
    """A table, or the rows of a model in it, as it goes into the join."""

    called: str  # a model in quotes
    table: int
    columns: dict[str, str]  # by the name that is asked for
    only: Any = None
    distinct: bool = False  # an item has several rows, which must be alike


class JoinTally(NamedTuple):
    """How many rows and items a piece has."""

    ids: int
    nameless: int  # rows without an id
    twice: Any = None  # the first id that is there several times


class Join:
    """The join of opened tables."""

    def __init__(self, tables: Sequence[Opened], ids: Sequence[str], long: str | None) -> None:
        self._nw = import_extra("narwhals", extra="frames", purpose="joining tables")
        self._tables = tables
        self._long = long
        self._lazy = [self._nw.from_native(t.frame).lazy() for t in tables]
        self._schemas = [lazy.collect_schema() for lazy in self._lazy]
        self._keys = [f"ordeval_id_{i}" for i in range(len(ids))]
        self._columns = list(ids)
        self._types = [self._common(c) for c in ids]

    @property
    def _nameless(self) -> Any:
        """Whether a row lacks an id."""
        nulls = (self._nw.col(k).is_null() for k in self._keys)
        return self._nw.any_horizontal(*nulls, ignore_nulls=True)

    def _held(self, column: str) -> list[Any]:
        """The type that the ids have in each table."""
        return [s[t.name[column]] for t, s in zip(self._tables, self._schemas, strict=True)]

    def _id(self, table: int, column: str) -> Any:
        """An id of a table; NaN is none, though some engines match it with itself."""
        x = self._nw.col(self._tables[table].name[column])
        return self._nw.when(~x.is_nan()).then(x) if self._held(column)[table].is_float() else x

    def _common(self, column: str) -> Any:
        """The type in which ids of all tables are compared; None if it is the same already."""
        nw = self._nw
        types = self._held(column)
        if any(t.text for t in self._tables):
            return nw.String
        if len(set(types)) == 1 and not isinstance(types[0], (nw.Categorical, nw.Enum)):
            return None
        if all(t.is_integer() for t in types):
            if any(t in (nw.UInt64, nw.Int128, nw.UInt128) for t in types):
                self._refuse_beyond(column, 2**63)
            return nw.Int64
        if all(t.is_numeric() for t in types):
            if not all(t.is_float() for t in types):
                self._refuse_beyond(column, _EXACT)
            return nw.Float64
        if all(t in (nw.String, nw.Categorical) or isinstance(t, nw.Enum) for t in types):
            return nw.String
        shown = [f"{kind}{self._example(i, column)}" for i, kind in enumerate(types)]
        raise LabelError(
            f"the ids in {column!r} are of different types, {joined(shown)}, and would "
            "never match. Convert them to one type, such as text, in all tables."
        )

    def _example(self, table: int, column: str) -> str:
        """An id of a table."""
        there = self._lazy[table].select(self._id(table, column).alias("ordeval_x"))
        found = fetch(there.filter(~self._nw.col("ordeval_x").is_null()).head(1))["ordeval_x"]
        return f" such as {found[0]!r}" if found else ""

    def _refuse_beyond(self, column: str, limit: int) -> None:
        """Reject ids that a conversion to the common type would change.

        Fractions of floats stay what they are; those of decimals are rounded.
        """
        nw = self._nw
        types = self._held(column)
        for i, (lazy, kind) in enumerate(zip(self._lazy, types, strict=True)):
            x = self._id(i, column)
            asked = [x.min().alias("ordeval_low"), x.max().alias("ordeval_high")]
            ends = [v[0] for v in fetch(lazy.select(*asked)).values()]
            wrong = [v for v in ends if not is_missing(v) and abs(v) >= limit]
            if not wrong and isinstance(kind, nw.Decimal):
                number = nw.col("ordeval_x")
                parts = lazy.select(x.cast(nw.Float64).alias("ordeval_x"))
                wrong = fetch(parts.filter(number != number.floor()).head(1))["ordeval_x"]
            if wrong:
                raise LabelError(
                    f"the ids in {column!r} are of different types, "
                    f"{joined([str(t) for t in types])}, and an id such as {wrong[0]} may match a "
                    "different one. Write the ids as text, or as "
                    f"integers of one type, in all tables."
                )

    def hint(self, pieces: Sequence[Piece], parts: Sequence[Any], *, none: bool) -> str:
        """Why few ids match, or none does."""
        return "".join(
            why_unmatched(column, ids) or (as_they_are(column, ids) if none else "")
            for column, ids in self._ids_of(pieces, parts)
        )

    def spelling(self, pieces: Sequence[Piece], parts: Sequence[Any]) -> str:
        """Ids that differ only in spelling, if any."""
        of_each = self._ids_of(pieces, parts)
        return "".join(why_unmatched(column, ids, by_type=False) for column, ids in of_each)

    def _ids_of(
        self, pieces: Sequence[Piece], parts: Sequence[Any]
    ) -> Iterator[tuple[str, list[Ids]]]:
        """Some ids of each piece, by column."""
        for column, key in zip(self._columns, self._keys, strict=True):
            types = [
                TEXT if t.text else str(kind)
                for t, kind in zip(self._tables, self._held(column), strict=True)
            ]
            yield (
                column,
                [
                    Ids(p.called, types[p.table], self._some(part, key))
                    for p, part in zip(pieces, parts, strict=True)
                ],
            )

    def _some(self, part: Any, key: str) -> list[Any]:
        """The first of the ids of a part, in their order: those of two parts often overlap."""
        there = part.select(key).filter(~self._nw.col(key).is_null()).unique()
        found: list[Any] = fetch(there.sort(key).head(_LOOKED_AT))[key]
        return found

    def part(self, piece: Piece) -> Any:
        """The rows of a piece: ids, and columns under names of their own."""
        nw, table = self._nw, self._tables[piece.table]
        lazy = self._lazy[piece.table]
        if piece.only is not None and self._long is not None:
            model = table.name[self._long]
            typed = not table.text or self._schemas[piece.table][model] == nw.Boolean
            lazy = lazy.filter(nw.col(model) == (piece.only if typed else str(piece.only)))
        keys = []
        for key, column, kind in zip(self._keys, self._columns, self._types, strict=True):
            keys.append(self._as(kind, piece.table, column).alias(key))
        held = [nw.col(table.name[c]).alias(_out(name)) for name, c in piece.columns.items()]
        lazy = lazy.select(*keys, *held)
        return lazy.unique() if piece.distinct else lazy

    def _as(self, kind: Any, table: int, column: str) -> Any:
        """An id of a table in the type in which ids are compared; moments of files are in UTC."""
        x = self._id(table, column)
        if kind is None:
            return x
        zoned = getattr(self._held(column)[table], "time_zone", None) is not None
        if kind == self._nw.String and zoned:
            return self._nw.concat_str(x.cast(kind), self._nw.lit(":00"))
        return x.cast(kind)

    def tally(self, part: Any) -> JoinTally:
        """How many ids a part has, and which is there several times."""
        nw = self._nw
        each = part.group_by(*self._keys).agg(nw.len().alias(_COUNT))
        each = each.with_columns(self._nameless.alias("ordeval_gone"))
        lost = nw.col("ordeval_gone")
        n = nw.col(_COUNT)
        each = each.with_columns(
            nw.when(lost).then(nw.lit(0)).otherwise(n).alias("ordeval_here"),
            nw.when(lost).then(n).otherwise(nw.lit(0)).alias("ordeval_lost"),
            nw.when(lost).then(nw.lit(0)).otherwise(nw.lit(1)).alias("ordeval_ids"),
        )
        sums = fetch(
            each.select(
                nw.col("ordeval_ids").sum(),
                nw.col("ordeval_lost").sum(),
                nw.col("ordeval_here").max(),
            )
        )
        # The sum of no rows is missing in some engines.
        ids, nameless, most = (0 if is_missing(x[0]) else int(x[0]) for x in sums.values())
        if most <= 1:
            return JoinTally(ids, nameless)
        many = each.filter(nw.col("ordeval_here") > 1).select(*self._keys).sort(*self._keys)
        return JoinTally(ids, nameless, tuple(x[0] for x in fetch(many.head(1)).values()))

    def union(self, parts: Sequence[Any]) -> int:
        """How many ids there are in any of the parts."""
        known = [p.select(*self._keys).filter(~self._nameless) for p in parts]
        ids = self._nw.concat(known).unique()
        return int(fetch(ids.select(self._nw.len().alias(_COUNT)))[_COUNT][0])

    def rows(
        self, parts: Sequence[Any], pieces: Sequence[Piece], asked: tuple[Any, Any, Any]
    ) -> DistinctRows:
        """The distinct rows of the items that all parts have."""
        whole = parts[0].filter(~self._nameless)
        for part in parts[1:]:
            whole = whole.join(part, on=self._keys, how="inner")
        columns, weight, numbers = asked
        plain = {_out(c): c for p in pieces for c in p.columns}
        try:
            rows = FrameSource(whole.to_native()).rows(
                [_out(c) for c in columns],
                None if weight is None else _out(weight),
                [_out(c) for c in numbers],
            )
        except LabelError as error:
            said = str(error)
            for out, name in plain.items():
                said = said.replace(repr(out), repr(name))
            raise LabelError(said) from None
        return replace(
            rows,
            places=None,
            columns={plain[c]: x for c, x in rows.columns.items()},
            orders={plain[c]: x for c, x in rows.orders.items()},
            numbers={plain[c]: x for c, x in rows.numbers.items()},
        )


def _out(name: str) -> str:
    """A name that no engine reads as its own grammar, and that does not hang on capitals."""
    return "ordeval_" + name.encode("utf-8", "surrogatepass").hex()


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
    """A pair of ids that differ only in zeros, a point, spaces or case."""
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
