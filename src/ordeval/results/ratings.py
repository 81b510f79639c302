"""RatingScores: the agreement of many raters; RaterSeverity: how they differ from each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import number, plural, signed
from ordeval.data.ratings import Ratings
from ordeval.data.ratings.facts import raters_of
from ordeval.inference.intervals import Interval
from ordeval.measures import Metric
from ordeval.measures.metric import Range
from ordeval.results.phrases import estimate_cell, in_clusters
from ordeval.results.scores import Scores


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RatingScores(Scores):
    """Values of the agreement of many raters, by the name of the measure; prints as a table."""

    _kind: ClassVar[str] = "ordeval.rating_scores"

    ratings: Ratings
    # The agreement of a rater's runs with each other, of raters next to others who have several.
    self_agreement: Mapping[str, RatingScores] = field(default_factory=dict)

    def _caption(self) -> str:
        r = self.ratings
        twice = int((raters_of(r.counts) >= 2).sum())
        where = in_clusters(next((i.clusters for i in self.intervals.values()), 0))
        alone = f", of which {twice:,} rated twice or more" if twice < len(r.items) else ""
        return (
            f"{plural(len(r.items), 'item')}{where}{alone}, {plural(len(r.runs), 'rater')}, "
            f"{plural(r.total, 'rating')}: {r.scale}"
        )

    def _range(self, metric: Metric) -> Range:
        """Without the bounds that hold only where every rater rated every item."""
        return Range(*metric.range) if metric.needs == "ratings" and self._gaps else metric.range

    @cached_property
    def _gaps(self) -> bool:
        r = self.ratings
        raters = len(r.raters if r.owner is None else r.runs)
        return bool((raters_of(r.counts) < raters).any())

    def _how(self) -> list[str]:
        if len(self.ratings.raters) == len(self.ratings.runs):
            return super()._how()
        runs = "Runs of one rater count as separate raters."
        if self.self_agreement:
            runs = "Pairs are of different raters; the runs of a rater share its weight."
        return [*super()._how(), runs]

    def tables(self) -> Sequence[Table]:
        """The agreement of raters, and that of each rater's own runs if there are several."""
        if not self.self_agreement:
            return (self.table(),)
        sizes = {name: len(self.ratings.runs[name]) for name in self.self_agreement}
        head = ("measure", *(f"{name} ({n} runs)" for name, n in sizes.items()))
        own = self.self_agreement.values()
        rows = tuple(
            (Cell(m.name), *(Cell(number(x[m.name]), x._interval(m)) for x in own))
            for m in self.metrics
        )
        return self.table(), Table(head, rows, "the runs of a rater with each other")

    def _in_full(self) -> Sequence[Table]:
        """Documents hold the same."""
        return self.tables()

    def _facts(self) -> dict[str, Any]:
        """Values, intervals, and the coincidences that they come from."""
        return {
            **self.ratings._facts(),
            "raters": self.ratings.rows(),
            "rows": self.rows(),
            "intervals": [*self.intervals.values()],
            "self_agreement": {name: x.rows() for name, x in self.self_agreement.items()},
        }


@dataclass(frozen=True, eq=False, repr=False)
class RaterSeverity(Result, Mapping[str, Interval]):
    """How many steps each rater is above the mean of the others, by the rater's name."""

    _kind: ClassVar[str] = "ordeval.severity"

    intervals: Mapping[str, Interval]

    def __getitem__(self, name: str) -> Interval:
        return self.intervals[name]

    def __iter__(self) -> Any:
        return iter(self.intervals)

    def __len__(self) -> int:
        return len(self.intervals)

    def rows(self) -> list[dict[str, Any]]:
        """One record per rater."""
        return [
            {"rater": n, "items": i.items, "severity": i.estimate, "low": i.low, "high": i.high}
            for n, i in self.intervals.items()
        ]

    def table(self) -> Table:
        """One row per rater."""
        rows = [
            cells(name, f"{x.items:,}", estimate_cell(x, signed))
            for name, x in self.intervals.items()
        ]
        note = "Steps of the scale above the mean of the other raters, on the items they share."
        return Table(("rater", "items", "severity"), tuple(rows), "", (note,))
