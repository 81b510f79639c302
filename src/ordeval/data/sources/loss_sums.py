"""Losses of probabilities, summed on the data's own engine for inference.

Items are grouped by the true class, by what is decided for each model and by cluster. Of each group
the sums of powers and products of the losses come back. This is for lazy engines and for losses
that are made of sums and products; what does not fit is read item by item instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval.data.columns import is_missing
from ordeval.data.items import Items, Moments
from ordeval.data.positions import Dropped, Misfits, read_positions
from ordeval.data.probabilities import EXACT, slack_of
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.frames import FrameSource, fetch, fresh_names, is_lazy, simply_named
from ordeval.data.sources.rows import Source

_TIE: Final = 1e-12  # what rounding makes of equal sums
_GROUPS: Final = 1_000_000  # more are hardly fewer than the items

# From the cumulative probabilities and what happened, by cut of the scale, to the loss.
Loss = Callable[[list[Any], list[Any]], Any]


def ranked(below: list[Any], happened: list[Any]) -> Any:
    """Squared errors, summed over the cuts."""
    return sum(((f - h) * (f - h) for f, h in zip(below, happened, strict=True)), start=0.0)


def moved(below: list[Any], happened: list[Any]) -> Any:
    """Absolute errors, summed over the cuts."""
    return sum(((f - h).abs() for f, h in zip(below, happened, strict=True)), start=0.0)


def summed_items(
    source: Source, query: Query, losses: dict[str, Loss], rule: str
) -> tuple[Items, list[Any] | None] | None:
    """The groups of a frame, with the moments of losses by name; None if they cannot be had."""
    scale = query.labels
    plain = query.weight is None and not query.by and not query.models and not query.score
    if not isinstance(source, FrameSource) or not is_lazy(source.frame) or not plain:
        return None
    if scale is None or scale.k < 2 or rule not in ("mode", "median"):
        return None
    values = _values(source, query.truth, scale)
    if values is None:
        return None
    return _Asked(
        frame=source.frame, query=query, scale=scale, values=values, losses=losses, rule=rule
    ).items()


def _values(source: Source, truth: str, scale: Scale) -> list[list[Any]] | None:
    """The labels of the truth at each level, as the engine writes them; None if some do not fit."""
    rows = source.rows([truth])
    listed = rows.listed(truth)
    if truth in rows.orders or not all(type(x) in (int, str) for x in listed):
        return None
    read = read_positions(scale, [rows.column(truth)], Misfits("drop", "drop"))
    if not listed or not read.complete:
        return None
    (codes,) = read.codes
    return [[x for x, c in zip(listed, codes, strict=True) if c == k] for k in range(scale.k)]


@dataclass(frozen=True, eq=False)
class _Asked:
    """One question to an engine."""

    frame: Any
    query: Query
    scale: Scale
    values: list[list[Any]]
    losses: dict[str, Loss]
    rule: str

    def items(self) -> tuple[Items, list[Any] | None] | None:
        """The groups that come back; None if a row is not what it should be."""
        nw = import_extra("narwhals", extra="frames", purpose="counting a dataframe")
        query = self.query
        tables = {m: tuple(c) for m, c in query.prob.items()}
        keys = [query.truth]
        simple, name = simply_named(self.frame, [*keys, *query.numbers])
        lazy = nw.from_native(simple).lazy()
        schema = lazy.collect_schema()
        numeric = all(schema[name[c]].is_numeric() for c in query.numbers)
        nested = any(schema[name[c]].is_nested() for c in keys)
        if not numeric or nested:
            return None
        fresh = iter(fresh_names(schema.names(), self._columns()))
        work = _Work(nw, lazy, fresh)
        truth = nw.col(name[query.truth])
        # What is no distribution, or lacks a label, is judged item by item.
        known = [x for listed in self.values for x in listed]
        work.bad = [nw.when(truth.is_in(known)).then(nw.lit(0)).otherwise(nw.lit(1))]
        prob = {m: work.distribution([name[c] for c in t]) for m, t in tables.items()}
        below = {m: work.cumulative(p) for m, p in prob.items()}
        cuts = range(self.scale.k - 1)
        at_most = [[x for listed in self.values[: k + 1] for x in listed] for k in cuts]
        happened = work.put(
            [
                nw.when(truth.is_in(x)).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
                if x
                else nw.lit(0.0)
                for x in at_most
            ]
        )
        decided = work.put([self._decided(work, prob[m], below[m]) for m in tables])
        at = [nw.col(c) for c in happened]
        losses = [
            of([nw.col(c) for c in below[m]], at) for of in self.losses.values() for m in tables
        ]
        made = work.moments(losses, len(tables))
        found = dict(zip(self.losses, made, strict=True))
        apart = work.apart(list(prob.values()))
        grouped = [name[c] for c in keys] + decided
        (count,), (bad,) = [next(fresh)], work.put([sum(work.bad[1:], start=work.bad[0])])
        aggregates = [nw.len().alias(count), nw.col(bad).sum()]
        sums = [*apart, *(c for both in found.values() for columns in both for c in columns)]
        table = fetch(
            work.lazy.group_by(*grouped)
            .agg(*aggregates, *(nw.col(c).sum() for c in sums))
            .head(_GROUPS + 1)
        )
        if len(table[count]) > _GROUPS or any(table[bad]):
            return None
        if any(is_missing(x) for c in grouped for x in table[c]):
            return None
        return self._read(table, name, _Made(count, decided, apart, found))

    def _columns(self) -> int:
        """How many columns are made at most."""
        m, k = len(self.query.prob), self.scale.k
        return m * (4 * k + 8) + k + 8 + m * m + len(self.losses) * (6 * m + m * m)

    def _decided(self, work: _Work, prob: list[str], below: list[str]) -> Any:
        """The position that is decided for."""
        nw, k = work.nw, self.scale.k
        if self.rule == "median":
            reached = [nw.col(c) >= 0.5 - _TIE for c in below]
        else:
            (top,) = work.put([nw.max_horizontal(*(nw.col(c) for c in prob))])
            reached = [nw.col(c) >= nw.col(top) * (1 - _TIE) for c in prob[:-1]]
        chosen = nw.lit(k - 1)
        for position in reversed(range(k - 1)):
            chosen = nw.when(reached[position]).then(nw.lit(position)).otherwise(chosen)
        return chosen

    def _read(
        self, table: dict[str, list[Any]], name: dict[str, str], made: _Made
    ) -> tuple[Items, list[Any] | None]:
        level = {x: k for k, listed in enumerate(self.values) for x in listed}
        size, models = len(table[made.size]), list(self.query.prob)
        truth = np.array([level[x] for x in table[name[self.query.truth]]], dtype=np.int64)
        pairs = list(itertools.combinations(range(len(models)), 2))
        alike = np.eye(len(models), dtype=bool)
        for c, (a, b) in zip(made.apart, pairs, strict=True):
            alike[a, b] = alike[b, a] = not any(table[c])
        losses = {
            loss: _as_moments(table, powers, products, alike)
            for loss, (powers, products) in made.losses.items()
        }
        items = Items(
            scale=self.scale,
            y_true=truth,
            y_pred={
                m: np.array(table[c], dtype=np.int64)
                for m, c in zip(models, made.decided, strict=True)
            },
            weights=None,
            count=np.array(table[made.size], dtype=np.int64),
            kept=np.ones(size, dtype=bool),
            dropped={},
            lost=Dropped(),
            implied=False,
            prob={m: np.empty((0, self.scale.k)) for m in models},
            losses=losses,
        )
        return items, None


class _Made(NamedTuple):
    """The columns that were made."""

    size: str
    decided: list[str]  # by model
    apart: list[str]  # by pair of models
    losses: dict[str, tuple[list[str], list[str]]]


@dataclass(eq=False)
class _Work:
    """A lazy frame that grows by columns with names of their own."""

    nw: Any
    lazy: Any
    fresh: Iterator[str]
    bad: Any = None

    def put(self, expressions: Sequence[Any]) -> list[str]:
        """Add columns; some engines aggregate, and nest, plain columns only."""
        named = [(next(self.fresh), x) for x in expressions]
        if not named:
            return []
        self.lazy = self.lazy.with_columns(*(x.alias(c) for c, x in named))
        return [c for c, _ in named]

    def distribution(self, columns: list[str]) -> list[str]:
        """The probabilities of a model, of which rounding is mended; others are noted."""
        nw = self.nw
        given = [nw.col(c).cast(nw.Float64) for c in columns]
        (total,) = (nw.col(c) for c in self.put([sum(given[1:], start=given[0])]))
        slack = slack_of(len(columns))
        fits = (total >= 1 - slack) & (total <= 1 + slack)
        for p in given:
            fits = fits & (p >= 0) & (p <= 1 + slack)
        self.bad.append(nw.when(fits).then(nw.lit(0)).otherwise(nw.lit(1)))
        exact = (total >= 1 - EXACT) & (total <= 1 + EXACT)
        return self.put([nw.when(exact).then(p).otherwise(p / total) for p in given])

    def cumulative(self, prob: list[str]) -> list[str]:
        """The cumulative probability of each level except the last."""
        made = [self.nw.col(prob[0])]
        for c in prob[1:-1]:
            made.append(made[-1] + self.nw.col(c))
        return self.put(made)

    def apart(self, tables: list[list[str]]) -> list[str]:
        """How far the probabilities of two models are apart, by pair."""
        pairs = itertools.combinations(tables, 2)
        made = [
            [(self.nw.col(x) - self.nw.col(y)).abs() for x, y in zip(a, b, strict=True)]
            for a, b in pairs
        ]
        return self.put([sum(each[1:], start=each[0]) for each in made])

    def moments(self, losses: list[Any], models: int) -> list[tuple[list[str], list[str]]]:
        """By measure, columns of the powers of losses, power by power, and of their products."""
        starts = range(0, len(losses), models)
        powers = [self.put(losses)]
        first = [self.nw.col(c) for c in powers[0]]
        powers.append(self.put([x * x for x in first]))
        second = [self.nw.col(c) for c in powers[1]]
        powers.append(self.put([x * y for x, y in zip(first, second, strict=True)]))
        powers.append(self.put([y * y for y in second]))
        pairs = [itertools.combinations(first[i : i + models], 2) for i in starts]
        products = self.put([a * b for of_one in pairs for a, b in of_one])
        size = models * (models - 1) // 2
        return [
            (
                [c for columns in powers for c in columns[i : i + models]],
                products[n * size : (n + 1) * size],
            )
            for n, i in enumerate(starts)
        ]


def _as_moments(
    table: dict[str, list[Any]], powers: list[str], products: list[str], alike: Any
) -> Moments:
    models = len(alike)
    rows = len(table[powers[0]])
    read = np.array([table[c] for c in powers], dtype=np.float64).reshape(-1, models, rows)
    pairs = np.zeros((rows, models, models))
    pairs[:, range(models), range(models)] = read[1].T
    for c, (a, b) in zip(products, itertools.combinations(range(models), 2), strict=False):
        pairs[:, a, b] = pairs[:, b, a] = table[c]
    return Moments(np.swapaxes(read, 1, 2), pairs, alike)
