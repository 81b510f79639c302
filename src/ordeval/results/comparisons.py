"""Comparisons: models compared in each of several subgroups, and which findings stand in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

import numpy as np

from ordeval._shared.result import Results
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import (
    argument,
    bracketed,
    joined,
    name_of,
    number,
    p_value,
    plural,
    signed,
    visible,
)
from ordeval.inference.intervals import how_made
from ordeval.inference.multiplicity import holm
from ordeval.inference.paired import Delta
from ordeval.results.comparison import Comparison

_IN_FULL: Final = 10  # more subgroups than this are a table, without the comparison of each
_SHOWN: Final = 40


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A difference of two models in one subgroup: the best and the second, or to the reference."""

    subgroup: Any
    delta: Delta
    p_adjusted: float  # corrected for the other models, and for all subgroups
    stands: bool  # at the level of the comparison

    @property
    def verdict(self) -> str:
        """What the first model is shown to be; empty if nothing is shown."""
        if not self.stands:
            return ""
        return "better" if self.delta.favours == self.delta.a else "worse"

    def row(self) -> dict[str, Any]:
        """One record."""
        d = self.delta
        return {
            "subgroup": name_of(self.subgroup), "model": d.a, "kind": "difference",
            "metric": d.metric, "against": d.b, "estimate": d.delta, "low": d.low, "high": d.high,
            "p_value": d.p_value, "p_adjusted": self.p_adjusted, "shown": self.verdict,
        }  # fmt: skip


def findings_of(parts: Mapping[Any, Comparison]) -> tuple[Finding, ...]:
    """In each subgroup the best model against the second, or each model against the reference.

    P-values are Holm's over all of them. That the best was picked by the same data is corrected
    for within the subgroup; models are compared with a reference without picking.
    """
    listed: list[tuple[Any, Delta, float]] = []
    for subgroup, c in parts.items():
        deltas = [d for d in c.pairs if d.metric == c.primary.name]
        if c.reference is not None:
            listed += [(subgroup, d, d.p_value) for d in deltas]
        elif len(c.models) > 1:
            (delta,) = (d for d in deltas if (d.a, d.b) == c.models[:2])
            listed.append((subgroup, delta, float(c.separation[0, 1])))
    corrected = np.fmax(holm([p for *_, p in listed]), [d.p_adjusted for _, d, _ in listed])
    return tuple(
        Finding(
            subgroup=s, delta=d, p_adjusted=p, stands=bool(p <= 1 - d.level and p == p)
        )
        for (s, d, _), p in zip(listed, corrected.tolist(), strict=True)
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Results[Comparison]):
    """One comparison per subgroup, by the subgroup; shows first what stands in all of them."""

    kind: ClassVar[str] = "ordeval.comparisons"
    key: ClassVar[str] = "subgroup"

    by: tuple[str, ...]  # the columns of the subgroups
    left_out: Mapping[Any, str] = field(default_factory=dict)  # why a subgroup was not compared
    dropped: int = 0  # items that are in no subgroup, since it is missing

    def title(self, name: Any) -> str:
        """What the subgroup is."""
        alone = ", by itself: p-values are not corrected for the other subgroups"
        return f"{', '.join(self.by)} = {name_of(name)}{alone if len(self.parts) > 1 else ''}"

    def findings(self) -> tuple[Finding, ...]:
        """The differences of each subgroup, corrected for all of them."""
        return findings_of(self)

    def rows(self) -> list[dict[str, Any]]:
        """The records of every comparison, then those of the findings, with the subgroup."""
        rows = [{"subgroup": name_of(n), **row} for n, c in self.items() for row in c.rows()]
        return rows + [f.row() for f in self.findings()]

    def table(self) -> Table:
        """The best model of each subgroup, or all models beside the reference."""
        return findings_table(self, ", ".join(self.by))

    def conclusion(self) -> str:
        """In which subgroups a difference is shown, in plain words."""
        return visible(" ".join(_conclude(self, self.findings())))

    def _overview(self) -> list[Table]:
        table = self.table()
        hidden = len(table.rows) - _SHOWN
        more = f"{hidden:,} more rows are not shown; {argument('.to_csv()')} has them all."
        notes = [*([more] if hidden > 0 else []), *table.notes, *self._left_out()]
        notes += [self.conclusion()] if len(self._first.models) > 1 else []
        return [replace(table, rows=table.rows[:_SHOWN], notes=tuple(notes))]

    def _left_out(self) -> Iterator[str]:
        if self.dropped:
            was = "was" if self.dropped == 1 else "were"
            yield (
                f"{plural(self.dropped, 'item')} without a value in {', '.join(self.by)} {was} "
                f"dropped."
            )
        if self.left_out:
            listed = [f"{name_of(n)} ({why.rstrip('.')})" for n, why in self.left_out.items()]
            yield f"Not compared: {joined(listed)}."

    @property
    def _first(self) -> Comparison:
        return next(iter(self.values()))

    def _shown(self) -> Mapping[Any, Comparison]:
        return self.parts if len(self.parts) <= _IN_FULL else {}

    def facts(self) -> dict[str, Any]:
        """Everything that was found, by subgroup."""
        return {
            "by": self.by,
            "findings": [f.row() for f in self.findings()],
            "conclusion": self.conclusion(),
            "dropped": self.dropped,
            "left_out": {name_of(n): why for n, why in self.left_out.items()},
            **super().facts(),
        }


def findings_table(parts: Mapping[Any, Comparison], head: str) -> Table:
    """One row per subgroup, or per subgroup and model if there is a reference."""
    first = next(iter(parts.values()))
    symbol, how = first.primary.symbol, how_made(first.level, first.method, first.n_resamples)
    if len(first.models) == 1:
        alone = tuple((*_place(n, c), _value(c, c.models[0])) for n, c in parts.items())
        caption = f"{first.models[0]} by {first.primary.name} in each subgroup"
        return Table((head, "items", symbol), alone, caption, (f"Intervals: {how}.",))
    found = findings_of(parts)
    rows = tuple((*_place(f.subgroup, parts[f.subgroup]), *_cells(f, parts)) for f in found)
    if first.reference is None:
        between: tuple[str, ...] = ("best", symbol, "second", "difference")
        caption = f"best by {first.primary.name} in each subgroup"
    else:
        between = ("model", symbol, f"from {first.reference}")
        caption = f"differences from {first.reference} by {first.primary.name} in each subgroup"
    heads = (head, "items", *between, "p adj.", "shown")
    words = ("best", "second", "model", "shown")
    notes = (f"Intervals: {how}.", *correction(parts))
    return Table(heads, rows, caption, notes, words)


def correction(parts: Mapping[Any, Comparison]) -> Iterator[str]:
    """What the p-values of findings are corrected for; nothing, if there is one of them."""
    first, found = next(iter(parts.values())), findings_of(parts)
    models, size = len(first.models), len(found)
    every = "both" if size == 2 else f"all {size:,}"
    if first.reference is not None and size > 1:
        yield f"p adj. is corrected for {every} differences (Holm)."
    elif first.reference is None and (size > 1 or models > 2):
        picked = [f"for picking the best of {models} models"] if models > 2 else []
        over = [f"for {every} subgroups (Holm)"] if size > 1 else []
        yield f"p adj. is corrected {' and '.join([*picked, *over])}."


def _place(subgroup: Any, c: Comparison) -> tuple[Cell, Cell]:
    return Cell(name_of(subgroup)), Cell(f"{c.items:,}")


def _value(c: Comparison, model: str) -> Cell:
    x = c.estimates[c.primary.name][model]
    return Cell(number(x.estimate), bracketed(x.low, x.high) if x.low == x.low else "")


def _cells(f: Finding, parts: Mapping[Any, Comparison]) -> Iterator[Cell]:
    """A finding in a table."""
    d, c = f.delta, parts[f.subgroup]
    yield Cell(d.a)
    yield _value(c, d.a)
    if c.reference is None:
        yield Cell(d.b)
    ends = bracketed(d.low, d.high, signed) if d.low == d.low else ""
    yield Cell(signed(d.delta), ends)
    yield Cell(p_value(f.p_adjusted))
    yield Cell(f.verdict)


def _conclude(parts: Mapping[Any, Comparison], found: tuple[Finding, ...]) -> Iterator[str]:
    first = next(iter(parts.values()))
    total, standing = plural(len(parts), "subgroup"), [f for f in found if f.stands]
    by = first.primary.name
    if not found:
        return
    if first.reference is not None:
        for verdict in ("better", "worse"):
            listed = [f"{f.delta.a} in {name_of(f.subgroup)}" for f in standing
                      if f.verdict == verdict]  # fmt: skip
            if listed:
                yield f"By {by}, shown to be {verdict} than {first.reference}: {joined(listed)}."
        if not standing:
            yield f"By {by} no model is shown to differ from {first.reference} in any subgroup."
    elif standing:
        listed = [f"{f.delta.a} in {name_of(f.subgroup)}" for f in standing]
        yield (
            f"By {by} the best model is shown to be better than the second in {len(standing):,} "
            f"of {total}: {joined(listed)}."
        )
    else:
        yield f"By {by} the best model is shown to be better than the second in none of {total}."
