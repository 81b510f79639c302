"""Items that come in several rows or several tables: long tables, and tables joined by ids.

Tables are joined on their own engine, through narwhals; files are tables of DuckDB. The result is a
source like any other, with one row per item. Each piece of it is a table, or the rows of one model
in a long table, and must have every item once.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from ordeval._shared.arguments import shown
from ordeval._shared.text import argument, joined, named, plural
from ordeval._shared.types import Policy
from ordeval.data.columns import is_missing
from ordeval.data.query import Query, apart, one_column, several_columns
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource, simply_named
from ordeval.data.sources.id_joins import Join, JoinTally, Opened, Piece
from ordeval.data.sources.rows import DistinctRows, Source, check_columns
from ordeval.exceptions import LabelError, OrdevalWarning, ParameterError, user_frame

_MOST_MODELS: Final = 500
_FEW: Final = 0.5  # of the ids match: they may be written differently


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where items, models, truth and predictions are, if not side by side in one table."""

    item: Any = None
    model: str | None = None
    truth_at: Any = None  # the frame or the file of the truth
    on: Any = None
    pred_at: Mapping[str, tuple[Any, str]] = field(default_factory=dict)  # by model

    @property
    def plain(self) -> bool:
        """Whether every item is one row of one table."""
        given = (self.item, self.model, self.truth_at, self.on)
        return all(x is None for x in given) and not self.pred_at

    def ids(self) -> tuple[str, ...]:
        """The columns that name an item."""
        if self.model is not None and self.item is None and self.on is None:
            raise LabelError(
                f"{named('model')} also needs {argument('item')}, the column of item ids."
            )
        if self.item is not None and self.model is None:
            raise LabelError(
                f"{named('item')} is for a long table, with a row for each item and model: "
                f"also pass {argument('model')}, the column of model names."
            )
        elsewhere = self.truth_at is not None or self.pred_at
        if self.on is not None and not elsewhere and self.model is None:
            raise LabelError(f"{named('on')} joins tables, but there is only one.")
        given = self.on if self.on is not None else self.item
        if given is None:
            raise LabelError(
                f"name the column, or columns, of ids by which tables are joined with "
                f"{argument('on')}."
            )
        if self.on is not None and self.item is not None:
            both = [several_columns(x, n) for x, n in ((self.on, "on"), (self.item, "item"))]
            if both[0] != both[1]:
                raise LabelError(
                    f"{named('on')} and {named('item')} both name the ids of items; leave one out."
                )
        return several_columns(given, "item" if self.on is None else "on")


class _Of(NamedTuple):
    """Where the predictions of a model are."""

    table: int
    column: str
    only: Any = None  # the value of the column of models in a long table


def _check_pairs(pred_at: Mapping[str, Any], *, of_files: bool) -> None:
    """Refuse a model's table without the name of its column, and a model without a name."""
    name, what = ("pred_files", "file") if of_files else ("pred_frames", "frame")
    for model, pair in pred_at.items():
        if not isinstance(model, str):
            raise LabelError(f"{named(name)} maps names of models; got {shown(model)}.")
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise LabelError(
                f"{named(name)} maps each model to a {what} and the column of its predictions, "
                f"such as {{{model!r}: ({what}, 'pred')}}; got {shown(pair)}."
            )


def laid_out(source: Source, query: Query, layout: Layout) -> tuple[Source, Query]:
    """The source in which every item is one row, and what is asked of it."""
    if layout.plain:
        return source, query
    ids = layout.ids()
    kind = type(source)
    others = [] if layout.truth_at is None else [layout.truth_at]
    _check_pairs(layout.pred_at, of_files=isinstance(source, FileSource))
    tables = [source, *map(kind, [*others, *(at for at, _ in layout.pred_at.values())])]
    if isinstance(source, FileSource):
        tables = _files(source, tables[1:])
        source = tables[0]
    models: dict[str, _Of] = {}
    prob = dict(query.prob)
    if layout.model is not None and prob:
        prob, models = _long_probabilities(source, query, layout.model, ids)
    elif layout.model is not None:
        column = one_column(query.models[0] if len(query.models) == 1 else query.models, "pred")
        check_columns([*ids, layout.model, column], source.columns())
        models |= {str(m): _Of(0, column, m) for m in _models(source, layout.model)}
    else:
        models |= {m: _Of(0, m) for m in query.models}
    first = 1 + len(others)
    for i, (name, (_, column)) in enumerate(layout.pred_at.items(), first):
        if name in models:
            raise LabelError(f"there are two models called {name!r}; give each its own name.")
        models[name] = _Of(i, one_column(column, "pred"))
    weights = () if query.weight is None else (query.weight,)
    facts = list(dict.fromkeys([query.truth, *query.by, *query.clusters, *weights]))
    # One of the raters of a long table may be the truth.
    rated = not others and query.truth in models and query.truth not in source.columns()
    wanted = [c for c in facts if not (rated and c == query.truth)]
    called = dict(zip(wanted, apart(wanted, models), strict=True))
    found = JoinedTables(
        tables=tuple(tables),
        ids=ids,
        truth=query.truth,
        truth_table=len(others),
        models=models,
        facts={name: column for column, name in called.items()},
        long=layout.model,
        missing=query.misfits.missing,
    )
    asked = replace(
        query,
        truth=query.truth if rated else called[query.truth],
        models=() if prob else tuple(m for m in models if not (rated and m == query.truth)),
        prob=prob,
        weight=None if query.weight is None else called[query.weight],
        by=tuple(called[c] for c in query.by),
        clusters=tuple(called[c] for c in query.clusters),
    )
    return found, asked


def _long_probabilities(
    source: Source, query: Query, column: str, ids: Sequence[str]
) -> tuple[dict[str, str | tuple[str, ...]], dict[str, _Of]]:
    """The columns of probabilities of each model in a long table, under names of their own."""
    if query.models or len(query.prob) > 1:
        raise LabelError(
            f"a long table holds the labels ({named('pred')}) or the probabilities "
            f"({named('prob')}) of every model; name these columns once, and leave out the others."
        )
    (given,) = query.prob.values()
    every = source.columns()
    prefix = isinstance(given, str)
    listed = [c for c in every if c.startswith(given)] if isinstance(given, str) else list(given)
    check_columns([*ids, column, *listed], every)
    if prefix and not listed:
        raise LabelError(f"No column starts with {given!r}. Columns: {joined(list(every))}.")
    names = _models(source, column)
    prob = {
        str(m): f"{m} {given}" if isinstance(given, str) else tuple(f"{m} {c}" for c in given)
        for m in names
    }
    return prob, {f"{m} {c}": _Of(0, c, m) for m in names for c in listed}


def _files(first: FileSource, others: Sequence[Any]) -> list[Source]:
    """Files that can be joined; standard input, which one of them may be, is put into a file."""
    tables = [first, *others]
    if sum(t.standard_input for t in tables) > 1:
        raise LabelError("standard input is one table; name the file of the other.")
    told = [x for x in first.form.told if x != "format" or not first.standard_input]
    _refuse_form(told, several=len(tables) > 1)
    return [replace(t, kept=True) if t.once else t for t in tables]


def _refuse_form(told: Sequence[str], *, several: bool) -> None:
    """Refuse the statement about one file if there are others, of which it may not hold."""
    if several and told:
        raise ParameterError(
            f"{named(told[0])} applies to one file, but several are joined here. Filter "
            "or convert the files first."
        )


def _models(source: Source, column: str) -> list[Any]:
    """The models of a long table, in the order of their names."""
    rows = source.rows([column])
    found = rows.listed(column)
    lost = sum(n for m, n in zip(found, rows.count.tolist(), strict=True) if is_missing(m))
    if lost:
        have = "row has" if lost == 1 else "rows have"
        raise LabelError(f"{lost:,} {have} no model name in {column!r}.")
    if len(found) > _MOST_MODELS:
        raise LabelError(
            f"{column!r} has {len(found):,} different values, but at most {_MOST_MODELS} "
            "models can be compared. Is it the column of model names?"
        )
    if not found:
        raise LabelError("the table has no rows.")
    if len({str(m) for m in found}) < len(found):
        raise LabelError(f"the names of the models in {column!r} must differ as text.")
    return sorted(found, key=str)


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedTables:
    """Tables joined by ids, every item one row."""

    tables: tuple[Source, ...]  # frames, or files
    ids: tuple[str, ...]
    truth: str
    truth_table: int
    models: Mapping[str, _Of]
    facts: Mapping[str, str]  # columns of items by the names that are asked for, no model's
    long: str | None = None  # the column of models, if the first table is long
    missing: Policy = "raise"
    _names: dict[int, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @property
    def once(self) -> bool:
        """Never: tables can be asked again."""
        return False

    def lacking(self, column: str) -> dict[str, list[Any]]:
        """The models of a long table without a row for some values of a column."""
        column = self.facts.get(column, column)
        if self.long is None or column not in self._present(0):
            return {}
        rows = self.tables[0].rows([self.long, column])
        there = {(str(m), x) for m, x in zip(*map(rows.listed, (self.long, column)), strict=True)}
        every = list(dict.fromkeys(x for _, x in sorted(there, key=str) if not is_missing(x)))
        found = {m: [x for x in every if (m, x) not in there] for m in self.models}
        return {m: values for m, values in found.items() if values}

    def columns(self) -> tuple[str, ...]:
        """The names of all columns of the tables, and of the models."""
        tables = [self.truth_table, 0] if self.truth_table else [0]
        return tuple(dict.fromkeys([c for t in tables for c in self._present(t)] + [*self.models]))

    def rows(
        self, columns: Sequence[str], weight: str | None = None, numbers: Sequence[str] = ()
    ) -> DistinctRows:
        """The distinct rows of some columns of the items that all tables have."""
        wanted = [*columns, *numbers, *([weight] if weight else [])]
        pieces = self._pieces(list(dict.fromkeys(wanted)))
        held = [self.models[n].column if n in self.models else n for n in numbers]
        with self._opened(pieces, held) as tables:
            join = Join(tables, self.ids, self.long)
            parts = [join.part(p) for p in pieces]
            tallies = [join.tally(part) for part in parts]
            self._refuse_twice(pieces, tallies)
            rows = join.rows(parts, pieces, (columns, weight, numbers))
            items = int(rows.count.sum())
            nameless = sum(t.nameless for t in tallies)
            if nameless or any(t.ids != items for t in tallies):
                union = items if all(t.ids == items for t in tallies) else join.union(parts)
                if not items or self.missing == "raise":
                    said = self._lacking(pieces, tallies, union, items)
                    if items < _FEW * union and all(t.ids for t in tallies):
                        said += join.hint(pieces, parts, none=_apart(tallies, union))
                    raise LabelError(said)
                rows = replace(rows, unmatched=union - items + nameless)
                if union > items:
                    _warn_of_spelling(union - items, join.spelling(pieces, parts))
        if not items:
            raise LabelError("the tables have no rows.")
        # What a file holds is read alike, joined or not: text that writes a number may be one.
        return replace(rows, text=isinstance(self.tables[0], FileSource))

    def _present(self, table: int) -> tuple[str, ...]:
        if table not in self._names:
            self._names[table] = tuple(self.tables[table].columns())
        return self._names[table]

    def _pieces(self, wanted: Sequence[str]) -> list[Piece]:
        """What each table gives: facts of items, the truth's table first, and predictions."""
        facts: dict[int, dict[str, str]] = {self.truth_table: {}}
        for c in wanted:
            if c in self.models:
                continue
            column = self.facts.get(c, c)
            there = column == self.truth or column in self._present(self.truth_table)
            if not there and self.truth_table and "." not in column:  # paths only readers know
                check_columns([column], self.columns())
            facts.setdefault(self.truth_table if there else 0, {})[c] = column
        for name, of in self.models.items():
            if of.table == 0 and of.only is None:
                facts.setdefault(0, {})[name] = of.column
        pieces = [
            Piece(self._called(table), table, columns, distinct=self.long is not None and not table)
            for table, columns in facts.items()
        ]
        of_models: dict[Any, dict[str, str]] = {}
        for name, of in self.models.items():
            if of.table or of.only is not None:
                key = (of.table, name if of.only is None else of.only, of.only)
                of_models.setdefault(key, {})[name] = of.column
        return pieces + [
            Piece(repr(str(called)), table, columns, only)
            for (table, called, only), columns in of_models.items()
        ]

    def _called(self, table: int) -> str:
        alone = self.truth_table == 0
        return "the truth" if table == self.truth_table or alone else "the predictions"

    @contextmanager
    def _opened(self, pieces: Sequence[Piece], numbers: Sequence[str]) -> Iterator[list[Opened]]:
        """The tables, with the columns that are needed."""
        needed: list[list[str]] = [[] for _ in self.tables]
        for p in pieces:
            model = [self.long] if self.long is not None and p.only is not None else []
            needed[p.table] += [*self.ids, *model, *p.columns.values()]
        if not needed[0]:
            raise self._idle()
        listed = [list(dict.fromkeys(columns)) for columns in needed]
        files = [t for t in self.tables if isinstance(t, FileSource)]
        if files:
            from ordeval.data.sources.duckdb_tables import opened_files

            with opened_files(files, listed, numbers) as tables:
                yield tables
            return
        frames = (t.frame for t in self.tables if isinstance(t, FrameSource))
        yield [Opened(*simply_named(f, c)) for f, c in zip(frames, listed, strict=True)]

    def _idle(self) -> ParameterError:
        """What is said where truth and predictions are all in other tables than the first."""
        first = self.tables[0]
        shown, truth = "the first frame", named("truth_frame")
        if isinstance(first, FileSource):
            shown, truth = first.shown, named("truth_file")
        return ParameterError(
            f"nothing is read from {shown}: {truth} names another table of the truth, and the "
            f"predictions have tables of their own. Name the table of the truth once, instead of "
            f"{shown} or by {truth}; or name a column of predictions in {shown} with "
            f"{argument('pred')}."
        )

    def _refuse_twice(self, pieces: Sequence[Piece], tallies: Sequence[JoinTally]) -> None:
        for p, t in zip(pieces, tallies, strict=True):
            if t.twice is None:
                continue
            which = joined([f"{c} {x!r}" for c, x in zip(self.ids, t.twice, strict=True)])
            if p.distinct:
                held = joined([repr(c) for c in p.columns.values()], "or")
                raise LabelError(
                    f"the rows of {which} differ in {held}, which must be the same in all rows of "
                    f"an item. Correct them, or name all columns that identify an item."
                )
            of = f"the model {p.called}" if p.only is not None else p.called
            raise LabelError(
                f"{which} appears several times in {of}; each item may appear only once. "
                "Remove the duplicates, or name all columns that identify an item."
            )

    def _lacking(
        self, pieces: Sequence[Piece], tallies: Sequence[JoinTally], union: int, items: int
    ) -> str:
        """Which items are not everywhere."""
        said = []
        lacks = [
            f"{p.called} {'lack' if p.called.endswith('s') else 'lacks'} {union - t.ids:,}"
            for p, t in zip(pieces, tallies, strict=True)
            if union > t.ids
        ]
        if lacks and not items:
            why = "no id matches" if _apart(tallies, union) else joined(lacks)
            said.append(f"no item is in all tables: {why}.")
        elif lacks:
            be = "is" if union - items == 1 else "are"
            said.append(
                f"{plural(union - items, 'item')} of {union:,} {be} not in all tables: "
                f"{joined(lacks)}."
            )
        for p, t in zip(pieces, tallies, strict=True):
            if t.nameless:
                rows = plural(t.nameless, "row")
                said.append(f"{rows} of {p.called} {'has' if t.nameless == 1 else 'have'} no id.")
        if items:
            fix = argument("missing", "drop")
            said.append(f"Fill the gaps, or use {fix} to keep the {items:,} that all have.")
        return " ".join(said)


def _apart(tallies: Sequence[JoinTally], union: int) -> bool:
    """Whether every table has ids, and no two of them share one."""
    return all(t.ids for t in tallies) and union == sum(t.ids for t in tallies)


def _warn_of_spelling(dropped: int, why: str) -> None:
    """Warn that items were dropped whose ids differ only in the way of writing."""
    if why:
        warnings.warn(
            f"{plural(dropped, 'id')} had no match and {'was' if dropped == 1 else 'were'} "
            f"dropped.{why}",
            OrdevalWarning,
            stacklevel=user_frame(),
        )
