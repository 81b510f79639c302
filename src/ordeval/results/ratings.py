"""RatingScores: the agreement of many raters; RaterSeverity: how they differ; AnswerRows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import number, plural, signed
from ordeval.data.ratings import Ratings
from ordeval.data.ratings.facts import raters_of
from ordeval.data.text.answers import Answers
from ordeval.inference.intervals import Interval
from ordeval.measures import Metric
from ordeval.measures.metric import Range
from ordeval.results.phrases import cut_short, estimate_cell, in_clusters
from ordeval.results.scores import Scores

_MOST: Final = 20
_NUMBER: Final = r"\d+(?:[.,]\d+)*(?:\s*(?:/|out of)\s*\d+(?:[.,]\d+)*)?"


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
        outside = sum(self.ratings.outside.values())
        dropped = [f"Dropped: {plural(outside, 'rating')} outside the scale."] if outside else []
        if len(self.ratings.raters) == len(self.ratings.runs):
            return [*super()._how(), *dropped]
        runs = "Runs of one rater count as separate raters."
        if self.self_agreement:
            runs = "Pairs are of different raters; the runs of a rater share its weight."
        return [*super()._how(), runs, *dropped]

    def tables(self) -> Sequence[Table]:
        """The agreement of raters, and that of each rater's own runs if there are several."""
        if not self.self_agreement:
            return (self.table(),)
        sizes = {name: len(self.ratings.runs[name]) for name in self.self_agreement}
        head = ("measure", *(f"{name} ({n} runs)" for name, n in sizes.items()))
        own = self.self_agreement.values()
        rows = tuple(
            (Cell(m.display), *(Cell(number(x[m.name]), x._interval(m)) for x in own))
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


@dataclass(frozen=True, eq=False, repr=False)
class AnswerRows(Result):
    """The answers of judges, one record each."""

    _kind: ClassVar[str] = "ordeval.answer_rows"

    answers: Mapping[str, Answers]  # by judge
    items: Sequence[Any]
    ids: tuple[str, ...] = ("item",)  # the columns that name an item

    def rows(self) -> list[dict[str, Any]]:
        """One record per answer: item, rater, label, outcome, span of the text and reason."""
        found: list[dict[str, Any]] = []
        for judge, answers in self.answers.items():
            each = zip(self.items, answers.labels, answers.outcomes, strict=True)
            for i, (item, label, outcome) in enumerate(each):
                start, end = span_of(answers, i)
                text = answers.texts[i]
                found.append(
                    {
                        **dict(zip(self.ids, item if len(self.ids) > 1 else (item,), strict=True)),
                        "rater": judge,
                        "label": label,
                        "outcome": outcome,
                        "start": start,
                        "end": end,
                        "span": "" if start is None else text[start:end],
                        "reason": str(answers.readings[i].reason or ""),
                    }
                )
        return found

    def table(self) -> Table:
        """The first answers."""
        head = (*self.ids, "rater", "label", "outcome", "span", "reason")
        rows = [
            cells(*("" if r[name] is None else str(r[name]) for name in head)) for r in self.rows()
        ]
        table = Table(head, tuple(rows), "labels read from answers", words=head)
        return cut_short(table, _MOST, "answers", ".to_csv()")

    def _facts(self) -> dict[str, Any]:
        return {"answers": {j: x._facts() for j, x in self.answers.items()}, "rows": self.rows()}


def span_of(answers: Answers, place: int) -> tuple[int | None, int | None]:
    """Where the label of an answer is in its text; None if it has none, or is no text.

    Numbers and labels are taken out of the text from its end on, until the answer reads otherwise:
    the last one taken out is what was read. The search halves, so that long texts stay quick.
    """
    text, said = answers.texts[place], answers.readings[place]
    if said.position < 0 or not isinstance(text, str):
        return None, None
    words = sorted((re.escape(str(x)) for x in answers.scale), key=len, reverse=True)
    found = [m.span() for m in re.finditer("|".join([_NUMBER, *words]), text, re.IGNORECASE)]
    first, last = 0, len(found) - 1  # the label is read from one of these
    while first < last:
        middle = (first + last + 1) // 2
        rest: list[str] = []
        end = 0
        for a, b in found[middle:]:
            rest, end = [*rest, text[end:a]], b
        if answers.reader.read("null".join([*rest, text[end:]]), place) != said:
            first = middle
        else:
            last = middle - 1
    return found[first] if found else (None, None)
