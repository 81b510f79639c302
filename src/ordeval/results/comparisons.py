"""Comparisons: models compared in each of several subgroups, with corrected findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from ordeval._shared.result import Results
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    agreeing,
    bracketed,
    joined,
    many,
    name_of,
    number,
    p_value,
    plural,
    signed,
    visible,
)
from ordeval._shared.types import Floats
from ordeval.inference.intervals import how_made
from ordeval.inference.many_models.multiplicity import holm
from ordeval.inference.paired import Delta
from ordeval.results.comparison import Comparison
from ordeval.results.phrases import (
    Detail,
    cut_short,
    estimate_cell,
    few_items,
    grouped,
    rarest_class,
)
from ordeval.results.variation import Variation, variation_words, variations_of

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
        return "better" if self.delta.gain > 0 else "worse"

    def row(self) -> dict[str, Any]:
        """One record."""
        d = self.delta
        return {
            "subgroup": name_of(self.subgroup),
            "items": d.items,
            "model": d.a,
            "kind": "difference",
            "metric": d.metric,
            "against": d.b,
            "estimate": d.delta,
            "low": d.low,
            "high": d.high,
            "p_value": d.p_value,
            "p_adjusted": self.p_adjusted,
            "shown": self.verdict,
            **self._within(),
        }

    def _within(self) -> dict[str, Any]:
        """The verdict of the margin on the model, relative to a reference."""
        d = self.delta
        if not d.margin or d.p_noninferior_adjusted is None:
            return {}
        return {
            "margin": d.margin,
            "p_noninferior": d.p_noninferior,
            "p_noninferior_adjusted": d.p_noninferior_adjusted,
            "margin_verdict": d.verdict,
        }


class Values(NamedTuple):
    """The values of M models in G subgroups by one measure, and their intervals."""

    models: tuple[str, ...]
    ends: Floats  # (3, G, M): the value, the lower and the upper end


@dataclass(frozen=True)
class Brief:
    """The finding of one subgroup by the primary measure."""

    items: int
    left_out: int  # items dropped because a label was missing or unknown
    rarest: float  # items of the smallest class; infinite if weights hide it
    # The best model against the second, or each model against the reference.
    deltas: tuple[Delta, ...]

    @classmethod
    def of(cls, c: Comparison) -> Brief:
        """Summarise a full comparison."""
        deltas = [d for d in c.pairs if d.metric == c.primary.name]
        if c.reference is None:
            deltas = [d for d in deltas if (d.a, d.b) == c.models[:2]]
        counted = [cm for cm in c.matrices.values() if not cm.weighted]
        rarest = float(rarest_class(counted[0].support)) if counted else np.inf
        return cls(c.items, c.left_out, rarest, tuple(deltas))


class Later(Mapping[Any, Comparison]):
    """Comparisons that are computed on request."""

    def __init__(self, names: Sequence[Any], make: Callable[[int], Comparison]) -> None:
        self._place = {name: i for i, name in enumerate(names)}
        self._make = cache(make)

    def __getitem__(self, name: Any) -> Comparison:
        return self._make(self._place[name])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._place)

    def __len__(self) -> int:
        return len(self._place)


def _briefs(parts: Mapping[Any, Comparison]) -> Mapping[Any, Brief]:
    if isinstance(parts, Comparisons) and parts.briefs:
        return parts.briefs
    return {name: Brief.of(c) for name, c in parts.items()}


def findings_of(parts: Mapping[Any, Comparison]) -> tuple[Finding, ...]:
    """In each subgroup the best model against the second, or each model against the reference.

    P-values are Holm's over all of them. That the best was picked by the same data is corrected
    for within the subgroup; models are compared with a reference without picking.
    """
    referred = next(iter(parts.values())).reference is not None
    listed = [
        (subgroup, d, d.p_value if referred else d.p_adjusted)
        for subgroup, brief in _briefs(parts).items()
        for d in brief.deltas
    ]
    if referred:
        listed = _with_margins(listed)
    corrected = np.fmax(holm([p for *_, p in listed]), [d.p_adjusted for _, d, _ in listed])
    return tuple(
        Finding(
            subgroup=s,
            delta=replace(d, p_adjusted=p),
            p_adjusted=p,
            stands=bool(p <= 1 - d.level and p == p),
        )
        for (s, d, _), p in zip(listed, corrected.tolist(), strict=True)
    )


SubgroupDeltas = list[tuple[Any, Delta, float]]  # with the p-value that is corrected


def _with_margins(listed: SubgroupDeltas) -> SubgroupDeltas:
    """Correct non-inferiority over all subgroups (Holm)."""
    p = [np.nan if d.p_noninferior is None else d.p_noninferior for _, d, _ in listed]
    if np.isnan(p).all():
        return listed
    return [
        (s, replace(d, p_noninferior_adjusted=adjusted), own)
        for (s, d, own), adjusted in zip(listed, holm(p).tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Results[Comparison]):
    """One comparison per subgroup; shows the corrected findings first."""

    _kind: ClassVar[str] = "ordeval.comparisons"
    _key: ClassVar[str] = "subgroup"

    by: tuple[str, ...]  # the columns of the subgroups
    left_out: Mapping[Any, str] = field(default_factory=dict)  # why a subgroup was not compared
    dropped: int = 0  # items that are in no subgroup, since it is missing
    # Of very many subgroups, what the first measure says; comparisons in full are made later.
    briefs: Mapping[Any, Brief] = field(default_factory=dict)
    values_of: Callable[[str], Values] | None = None
    spanned: bool = False  # clusters are in several subgroups, which are then not independent
    brief: bool = False  # shown without the comparison of each subgroup

    def _title(self, name: Any) -> str:
        """What the subgroup is."""
        alone = ", by itself: p-values are not corrected for the other subgroups"
        return f"{', '.join(self.by)} = {name_of(name)}{alone if len(self.parts) > 1 else ''}"

    def findings(self) -> tuple[Finding, ...]:
        """The differences of each subgroup, corrected for all of them."""
        return findings_of(self)

    def variations(self) -> tuple[Variation, ...]:
        """Tests of whether the difference of models varies between subgroups.

        There are tests with two models or with a reference, for measures that compare subgroups
        (see `ordeval.score`), and if no cluster is in several subgroups.
        """
        deltas = (d for brief in _briefs(self).values() for d in brief.deltas)
        return () if self.spanned else variations_of(deltas, self._first)

    def rows(self) -> list[dict[str, Any]]:
        """The records of every comparison, then those of the findings, with subgroup and items."""
        found = self.estimates()
        if found is None:
            found = [
                {"subgroup": name_of(n), "items": c.items, **row}
                for n, c in self.items()
                for row in c.rows()
            ]
        return found + [f.row() for f in self.findings()]

    def estimates(self) -> list[dict[str, Any]] | None:
        """Of very many subgroups, the values of each model; None if each has its comparison."""
        if self.values_of is None:
            return None
        records = []
        for metric in self._first.metrics:
            models, ends = self.values_of(metric.name)
            for n, by_model in zip(self, np.moveaxis(ends, 0, -1).tolist(), strict=True):
                place = {"subgroup": name_of(n), "items": self.briefs[n].items}
                for model, (value, low, high) in zip(models, by_model, strict=True):
                    records.append(
                        {
                            **place,
                            "model": model,
                            "kind": "model",
                            "metric": metric.name,
                            "estimate": value,
                            "low": low,
                            "high": high,
                        }
                    )
        return records

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items were compared, and how many dropped."""
        briefs = _briefs(self).values()
        left_out = sum(b.left_out for b in briefs)
        return sum(b.items for b in briefs), self.dropped + left_out

    def table(self) -> Table:
        """The best model of each subgroup, or all models next to the reference."""
        return findings_table(self, ", ".join(self.by))

    def conclusion(self) -> str:
        """In which subgroups a difference is shown, in plain words."""
        said = [*_conclude(self, self.findings()), *variation_words(self.variations())]
        return visible(" ".join(said))

    def _overview(self) -> list[Table]:
        table = cut_short(self.table(), _SHOWN, "rows", ".to_csv()")
        notes = [*table.notes, *self._few(), *self._left_out()]
        said = self.conclusion() if len(self._first.models) > 1 else ""
        return [replace(table, caption=said or table.caption, notes=tuple(notes))]

    def _few(self) -> Iterator[str]:
        """That subgroups are small, which each says itself where it is shown in full."""
        if not self._shown():
            briefs = _briefs(self).values()
            sizes, rarest = [b.items for b in briefs], [b.rarest for b in briefs]
            yield from few_items(sizes, rarest, self._first.unit)

    def _left_out(self) -> Iterator[str]:
        if self.dropped:
            were = agreeing(self.dropped, "were dropped")
            dropped = plural(self.dropped, self._first.unit)
            yield f"{dropped} without a value in {', '.join(self.by)} {were}."
        if self.left_out:
            listed = [f"{name_of(n)} ({why.rstrip('.')})" for n, why in self.left_out.items()]
            yield f"Not compared: {joined(listed)}."

    @property
    def _first(self) -> Comparison:
        return next(iter(self.values()))

    def _shown(self) -> Mapping[Any, Comparison]:
        return self.parts if len(self.parts) <= _IN_FULL and not self.brief else {}

    def details(self, *names: Detail) -> Comparisons:
        """Return the same comparisons, each printed with more details, as of a Comparison."""
        if not names or not self._shown():
            return self
        return replace(self, parts={name: c.details(*names) for name, c in self.parts.items()})

    def in_units(self, unit: str = "item", cluster_unit: str = "cluster") -> Comparisons:
        """Return the same comparisons, with other names for items and clusters."""
        named = {name: c.in_units(unit, cluster_unit) for name, c in self.parts.items()}
        return replace(self, parts=named)

    def summary(self) -> Comparisons:
        """Show only the table of subgroups."""
        return replace(self, brief=True)

    def _facts(self) -> dict[str, Any]:
        """Everything that was found, by subgroup."""
        return {
            "by": self.by,
            "findings": [f.row() for f in self.findings()],
            "variations": [v.row() for v in self.variations()],
            "conclusion": self.conclusion(),
            "dropped": self.dropped,
            "left_out": {name_of(n): why for n, why in self.left_out.items()},
            **(super()._facts() if self.values_of is None else {"estimates": self.estimates()}),
        }


def findings_table(parts: Mapping[Any, Comparison], head: str) -> Table:
    """One row per subgroup, or per subgroup and model if there is a reference."""
    first = next(iter(parts.values()))
    symbol, how = first.primary.short, how_made(first.level, first.method, first.n_resamples)
    shown = Shown(parts)
    if len(first.models) == 1:
        alone = tuple((*shown.place(n), shown.value(n, first.models[0])) for n in parts)
        caption = f"{first.models[0]} by {first.primary.display} in each subgroup"
        return Table((head, many(first.unit), symbol), alone, caption, (f"Intervals: {how}.",))
    found, sorted_by = in_order(findings_of(parts))
    referred = first.reference is not None
    verdict = ("verdict",) if any(f.verdict for f in found) else ()
    rows = tuple(
        (*shown.place(f.subgroup), *_cells(f, shown, referred, bool(verdict))) for f in found
    )
    if first.reference is None:
        between: tuple[str, ...] = ("best", symbol, "second", "difference")
        caption = f"best by {first.primary.display} in each subgroup"
    else:
        between = ("model", symbol, f"from {first.reference}")
        caption = f"differences from {first.reference} by {first.primary.display} in each subgroup"
    margin = found[0].delta.margin if referred and found else None
    within = (f"margin {margin:g}",) if margin else ()
    heads = (head, many(first.unit), *between, "p adj.", *verdict, *within)
    words = ("best", "second", "model", *verdict, *within)
    notes = (f"Intervals: {how}.", *correction(parts), *sorted_by)
    return Table(heads, rows, caption, notes, words)


def correction(parts: Mapping[Any, Comparison]) -> Iterator[str]:
    """What the p-values of findings are corrected for; nothing, if there is one of them."""
    first, found = next(iter(parts.values())), findings_of(parts)
    models, size = len(first.models), len(found)
    every = "both" if size == 2 else f"all {size:,}"
    if first.reference is not None and size > 1:
        verdicts = " and so are verdicts on the margin" * (first.margin is not None)
        yield f"p adj. is corrected for {every} differences (Holm){verdicts}; intervals are not."
    elif first.reference is None and (size > 1 or models > 2):
        picked = [f"for picking the best of {models} models"] if models > 2 else []
        over = [f"for {every} subgroups (Holm)"] if size > 1 else []
        yield f"p adj. is corrected {' and '.join([*picked, *over])}; intervals are not."


def in_order(found: tuple[Finding, ...]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Findings as tables list them: of many, what matters most first; and a note that says so."""
    if len(found) <= _SHOWN:
        return found, ()
    return tuple(sorted(found, key=_weight)), ("Clearest differences first.",)


def _weight(f: Finding) -> tuple[Any, ...]:
    """What matters most first: the clearest difference, then the largest."""
    p, d = f.p_adjusted, f.delta
    return p != p, *(round(x, 10) for x in (p, d.p_value, -abs(d.delta)))


class Shown:
    """Subgroups and values in the cells of a table."""

    def __init__(self, parts: Mapping[Any, Comparison]) -> None:
        self._parts, self._briefs = parts, _briefs(parts)
        self._values = None
        if isinstance(parts, Comparisons) and parts.values_of is not None:
            self._values = parts.values_of(next(iter(parts.values())).primary.name)
            self._row = {name: i for i, name in enumerate(parts)}

    def place(self, subgroup: Any) -> tuple[Cell, ...]:
        """The subgroup and its size."""
        return cells(name_of(subgroup), f"{self._briefs[subgroup].items:,}")

    def value(self, subgroup: Any, model: str) -> Cell:
        """The value of a model by the measure that decides, with its interval."""
        if self._values is None:
            c = self._parts[subgroup]
            return estimate_cell(c.estimates[c.primary.name][model])
        at = self._row[subgroup], self._values.models.index(model)
        value, low, high = self._values.ends[:, *at].tolist()
        return Cell(number(value), bracketed(low, high))


def _cells(f: Finding, shown: Shown, referred: bool, verdict: bool) -> Iterator[Cell]:
    """A finding in a table."""
    d = f.delta
    yield Cell(d.a)
    yield shown.value(f.subgroup, d.a)
    if not referred:
        yield Cell(d.b)
    yield Cell(signed(d.delta), d.shown_ends)
    yield Cell(p_value(f.p_adjusted))
    if verdict:
        yield Cell(f.verdict)
    if referred and d.margin:
        yield Cell(d.verdict)


def _conclude(parts: Mapping[Any, Comparison], found: tuple[Finding, ...]) -> Iterator[str]:
    first = next(iter(parts.values()))
    by, total = first.primary.display, plural(len(parts), "subgroup")
    shown = grouped((f.verdict, f"{f.delta.a} in {name_of(f.subgroup)}") for f in found if f.stands)
    if not found:
        return
    if first.reference is None:
        listed = [name for names in shown.values() for name in names]
        where = f"{len(listed):,} of {total}: {joined(listed)}" if listed else f"none of {total}"
        yield f"By {by}, the best model is significantly better than the second in {where}."
        return
    for verdict in ("better", "worse"):
        if verdict in shown:
            names = joined(shown[verdict])
            yield f"By {by}, significantly {verdict} than {first.reference}: {names}."
    if not shown:
        yield f"By {by}, no model differs significantly from {first.reference} in any subgroup."
    if first.margin is not None:
        within = f"non-inferior to {first.reference} by a margin of {first.margin:g}"
        kept = [f for f in found if f.delta.verdict == "non-inferior"]
        listed = [f"{f.delta.a} in {name_of(f.subgroup)}" for f in kept]
        yield f"Shown to be {within}: {joined(listed) if listed else 'no model in any subgroup'}."
