"""RatingScores: the agreement of many raters; RaterSeverity: how they differ from each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import bracketed, plural, signed
from ordeval.data.ratings import Ratings
from ordeval.inference.intervals import Interval
from ordeval.results.scores import Scores


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RatingScores(Scores):
    """Values of the agreement of many raters, by the name of the measure; prints as a table."""

    kind: ClassVar[str] = "ordeval.rating_scores"

    ratings: Ratings

    def _caption(self) -> str:
        r = self.ratings
        twice = int((r.counts.sum(axis=1) >= 2).sum())
        clusters = next((i.clusters for i in self.intervals.values()), 0)
        where = f" in {plural(clusters, 'cluster')}" if clusters else ""
        alone = f", of which {twice:,} rated twice or more" if twice < len(r.items) else ""
        return (
            f"{plural(len(r.items), 'item')}{where}{alone}, {plural(len(r.runs), 'rater')}, "
            f"{plural(r.total, 'rating')}: {r.scale}"
        )

    def _how(self) -> list[str]:
        runs = "Runs of one rater count as raters of their own."
        return [
            *super()._how(),
            *([runs] if len(self.ratings.raters) > len(self.ratings.runs) else []),
        ]

    def facts(self) -> dict[str, Any]:
        """Values, intervals, and the coincidences that they come from."""
        return {
            **self.ratings.facts(),
            "raters": self.ratings.rows(),
            "rows": self.rows(),
            "intervals": [vars(interval) for interval in self.intervals.values()],
        }


@dataclass(frozen=True, eq=False, repr=False)
class RaterSeverity(Result, Mapping[str, Interval]):
    """How many steps each rater is above the mean of the others, by the rater's name."""

    kind: ClassVar[str] = "ordeval.severity"

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
        rows = []
        for name, i in self.intervals.items():
            ends = bracketed(i.low, i.high, signed) if i.low == i.low else ""
            rows.append((Cell(name), Cell(f"{i.items:,}"), Cell(signed(i.estimate), ends)))
        note = "Steps of the scale above the mean of the other raters, on the items they share."
        return Table(("rater", "items", "severity"), tuple(rows), "", (note,))
