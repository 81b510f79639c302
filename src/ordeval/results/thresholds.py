"""Thresholds: every cut of a scale as a yes or no, what is found of it, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

from ordeval._shared.arguments import is_among, shown
from ordeval._shared.result import Result, Results
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import amount, bracketed, did_you_mean, nearest, plural, signed
from ordeval.data.scale import Scale
from ordeval.exceptions import ParameterError
from ordeval.inference.advice import Advice
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import Delta
from ordeval.results.phrases import estimate_cell, estimate_record, in_clusters

T = TypeVar("T")
_HEADINGS = {"ppv": "PPV", "npv": "NPV", "auc": "AUC"}


@dataclass(frozen=True, eq=False)
class Cut:
    """One cut of a scale: the levels from ``level`` on against those below."""

    name: str  # ">= moderate"
    level: Any  # the lowest level above, ``at_least`` of the measures
    intervals: Mapping[str, Interval]  # prevalence, sensitivity and so on

    def __getitem__(self, name: str) -> Interval:
        return found(self.intervals, name)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Thresholds(Result, Mapping[str, Cut]):
    """The cuts of a scale by their names, such as ">= moderate"; prints as a table."""

    _kind: ClassVar[str] = "ordeval.thresholds"
    _told = ("scale", "rows", "advice", "note")

    scale: Scale
    cuts: tuple[Cut, ...]  # one fewer than there are levels, lowest first
    advice: tuple[Advice, ...] = ()
    note: str = ""  # the population that values are of

    def __getitem__(self, name: str) -> Cut:
        return found({cut.name: cut for cut in self.cuts}, name)

    def __iter__(self) -> Iterator[str]:
        return (cut.name for cut in self.cuts)

    def __len__(self) -> int:
        return len(self.cuts)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is found of each cut."""
        return tuple(self.cuts[0].intervals)

    @property
    def basis(self) -> Interval:
        """Any of the intervals: all rest on the same items; that of a given share has no ends."""
        each = [self.cuts[0].intervals[name] for name in self.measures]
        return next((x for x in each if x.low == x.low), each[0])

    def rows(self) -> list[dict[str, Any]]:
        """One record per cut: its lowest level, and each value with its interval."""
        return [
            {
                "cut": cut.name,
                "at_least": cut.level,
                **{
                    k: v for n, x in cut.intervals.items() for k, v in estimate_record(n, x).items()
                },
            }
            for cut in self.cuts
        ]

    def table(self) -> Table:
        """One row per cut."""
        rows = tuple(
            (Cell(cut.name), *map(estimate_cell, cut.intervals.values())) for cut in self.cuts
        )
        head = ("cut", *(_HEADINGS.get(name, name) for name in self.measures))
        return Table(head, rows, self._caption(), tuple(self._notes()))

    def _caption(self) -> str:
        b = self.basis
        dropped = f"; dropped: {amount(b.dropped)}" if b.dropped else ""
        items = f"items: {amount(b.items)}{in_clusters(b.clusters)}; " if b.items else ""
        return f"{items}{plural(len(self.cuts), 'cut')} of {self.scale}{dropped}"

    def _notes(self) -> Iterator[str]:
        here = " PPV and NPV apply at this prevalence." * ("ppv" in self.measures)
        yield f"Positive: at or above the level.{here}"
        if self.note:
            yield self.note
        b = self.basis
        if b.low == b.low:
            yield f"Intervals: {b.how}, separately for each value."
        if any(x.estimate != x.estimate for cut in self.cuts for x in cut.intervals.values()):
            yield "— undefined: no item is, or is predicted, on that side of the cut."

    def _facts(self) -> dict[str, Any]:
        """What the JSON holds."""
        b = self.basis
        return {
            **super()._facts(),
            "items": b.items,
            "clusters": b.clusters,
            "dropped": b.dropped,
            "level": b.level,
            "note": self.note,
        }


class SubgroupThresholds(Results[Thresholds]):
    """The cuts in several subgroups, by the subgroup."""

    _kind: ClassVar[str] = "ordeval.thresholds"
    _key: ClassVar[str] = "subgroup"


class CutDifference(NamedTuple):
    """The difference of two models by one measure at one cut."""

    cut: str  # ">= moderate"
    level: Any
    measure: str  # sensitivity and so on
    delta: Delta


@dataclass(frozen=True, eq=False, repr=False)
class ModelThresholds(Results[Any]):
    """The cuts of several models, by their names, and their paired differences."""

    _kind: ClassVar[str] = "ordeval.thresholds"

    parts: Mapping[str, Any]  # Thresholds, or SubgroupThresholds
    differences: tuple[CutDifference, ...] = ()

    def difference_rows(self) -> list[dict[str, Any]]:
        """One record for each cut, pair of models and measure."""
        return [
            {
                "cut": d.cut,
                "at_least": d.level,
                "metric": d.measure,
                "a": d.delta.a,
                "b": d.delta.b,
                "difference": d.delta.delta,
                "low": d.delta.low,
                "high": d.delta.high,
                "p_value": d.delta.p_value,
            }
            for d in self.differences
        ]

    def difference_table(self) -> Table:
        """One row for each cut and pair of models, one column for each measure."""
        names = list(dict.fromkeys(d.measure for d in self.differences))
        held: dict[tuple[str, str], dict[str, Cell]] = {}
        for d in self.differences:
            x = d.delta
            cell = Cell(signed(x.delta), bracketed(x.low, x.high, signed))
            held.setdefault((d.cut, f"{x.a} - {x.b}"), {})[d.measure] = cell
        rows = tuple(
            (Cell(cut), Cell(pair), *(by.get(name, Cell("")) for name in names))
            for (cut, pair), by in held.items()
        )
        head = ("cut", "difference", *(_HEADINGS.get(name, name) for name in names))
        notes = [
            f"{x.delta.level:.0%} intervals of paired differences on the same items, "
            "separately for each. An interval that excludes 0 is a significant "
            "difference."
            for x in self.differences[:1]
        ]
        return Table(head, rows, "", tuple(notes))

    def _sections(self) -> Iterator[tuple[str, Any]]:
        yield from super()._sections()
        if self.differences:
            yield "Differences", self.difference_table()

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "differences": self.difference_rows()}


def found(among: Mapping[str, T], name: str) -> T:
    """What is called so, or an error that offers what is."""
    if is_among(name, among):
        return among[name]
    hint = did_you_mean(nearest(str(name), among))
    raise ParameterError(f"there is no {shown(name)} here.{hint} There are {', '.join(among)}.")
