"""Judgement: judges compared with humans, and whether they can replace one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, get_args

import numpy as np

from ordeval._shared.arguments import check_among, checked
from ordeval._shared.result import Concluded, written
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import BETTER, agreeing, joined, name_of, number, plural, signed
from ordeval._shared.types import StrPath, check_choice
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Scale
from ordeval.inference.advice import Advice
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import Delta
from ordeval.inference.raters.alt_test import AltTest
from ordeval.inference.raters.judges import Panel, Prmse
from ordeval.inference.raters.noisy_reference import NoisyReference
from ordeval.measures import Metric
from ordeval.results.judgement_tables import (
    asked_tables,
    detail_tables,
    dropped_ratings,
    footer_of_judges,
    furthest_items,
    overview_of_judges,
    pairs_tables,
)
from ordeval.results.judgement_words import JudgeVerdict, conclude_judgement, lead_judgement
from ordeval.results.phrases import (
    Detail,
    estimate_cell,
    estimate_record,
    in_clusters,
    in_words,
    percent,
    with_weights,
)


@dataclass(frozen=True, kw_only=True)
class Bias:
    """The difference between a judge's grades and those of the humans, in steps of the scale."""

    mean: Interval
    by_grade: Mapping[Any, Interval]  # given the grade of a human: read it next to humans_by_grade
    beyond_humans: Mapping[Any, Interval]  # the same above the other humans; all grades at once
    unused: tuple[Any, ...]  # grades that humans give and the judge never does
    compression: float  # spread of the judge's grades over that of the humans'


class WorstItem(NamedTuple):
    """An item on which a judge is far from the humans."""

    item: Any
    judge: Any
    humans: tuple[Any, ...]
    distance: float  # steps from the mean of the humans


@dataclass(frozen=True, kw_only=True)
class Rater:
    """A human compared with the others."""

    name: str
    ratings: int
    severity: Interval  # steps above the mean of the others
    agreement: float  # mean over the others
    from_others: Interval  # agreement minus that of the others with each other; all at once


@dataclass(frozen=True, kw_only=True)
class Without:
    """What would have been found without one of the humans."""

    ceiling: Interval
    gap: Mapping[str, Interval]  # by the judge's name


@dataclass(frozen=True, kw_only=True)
class SameGrade:
    """How often two answers of a judge to the same prompt are the same grade."""

    whole: Interval
    by_grade: Mapping[Any, Interval]  # by the grade that a human gave


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A judge next to its answers before, on the items that it answered both times."""

    items: int
    shift: Interval  # steps of the scale, now minus before
    agreement: Interval  # of now and before
    change: Delta | None  # of the agreement with humans, now minus before
    by_grade: Mapping[Any, Interval]  # the shift, by the grade that a human gave


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a covariate does to a judge's grades, at the same true grade and other covariates."""

    covariate: str
    level: Any  # of the covariate; None of numbers
    reference: Any  # the level that it is compared with; None of numbers
    steps: Interval  # of the scale, per unit of numbers
    spread: float  # the standard deviation of numbers; 1 of levels
    p_value: float
    p_adjusted: float  # for all covariates of the judge (Holm)

    @property
    def label(self) -> str:
        """What the effect is called."""
        return self.covariate if self.level is None else f"{self.covariate}: {self.level}"


@dataclass(frozen=True, kw_only=True)
class JudgedSubgroup:
    """A judge in a subgroup of the items."""

    subgroup: Any
    items: int  # that the judge answered
    agreement: Interval
    ceiling: Interval
    gap: Interval
    from_rest: Interval  # the gap minus that in all other subgroups together, of all at once
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judgement(Concluded):
    """Judges compared with humans: ceiling, agreement, gap and tests, by the judge's name."""

    _kind: ClassVar[str] = "ordeval.judgement"

    judges: tuple[str, ...]  # best first, by their agreement with humans
    metric: Metric
    scale: Scale
    ceiling: Interval  # agreement of humans with each other
    agreement: Mapping[str, Interval]
    gap: Mapping[str, Interval]  # agreement minus ceiling
    p_noninferior: Mapping[str, float]  # one-sided; empty without a margin
    margin: float | None
    alt_test: Mapping[str, AltTest]
    bias: Mapping[str, Bias]
    matrices: Mapping[str, ConfusionMatrix]  # humans' ratings by the judge's
    raters: tuple[Rater, ...]
    humans_by_grade: Mapping[Any, Interval]  # other humans above a human who gave each grade
    with_each: Mapping[str, tuple[float, ...]]  # agreement with each human, in their order
    self_consistency: Mapping[str, Interval] = field(default_factory=dict)
    same_grade: Mapping[str, SameGrade] = field(default_factory=dict)  # of judges asked repeatedly
    references: Mapping[str, NoisyReference] = field(default_factory=dict)  # of two humans or more
    ties: int = 0  # items whose consensus is a tie, which goes to the lower level
    outside: int = 0  # dropped ratings outside the scale, of humans and judges
    panel_size: float = np.nan  # independent judges that all of them amount to
    panel_correlation: Interval | None = None  # of the judges' errors, without those of humans
    panel_refused: str = ""  # why there is none
    worst: Mapping[str, tuple[WorstItem, ...]] = field(default_factory=dict)
    systems: Mapping[str, Interval] = field(default_factory=dict)
    unread: Mapping[str, Interval] = field(default_factory=dict)  # share of items without an answer
    unmatched: int = 0  # items that judges answered and no human rated
    items: int = 0
    clusters: int = 0
    pairs: int = 0  # pairs of humans with items in common
    left_out: tuple[str, ...] = ()  # humans, on request
    without_each: Mapping[str, Without] = field(default_factory=dict)  # by human, of three or more
    differences: tuple[Delta, ...] = ()  # of judges' agreement with humans, on the same items
    reference: str | None = None  # the judge with which the others are compared; None: all pairs
    exchanged: bool = False  # their p-values are corrected by exchanging judges within clusters
    not_compared: tuple[str, ...] = ()  # judges with too few answers for that
    drift: Mapping[str, Drift] = field(default_factory=dict)  # next to the answers before
    effects: Mapping[str, tuple[Effect, ...]] = field(default_factory=dict)  # of covariates
    effects_corrected: bool = True  # for the humans' errors, which takes two ratings of an item
    odd_humans: tuple[str, ...] = ()  # who agree far less with the others than those do
    without_odd: Without | None = None
    prmse: Mapping[str, Prmse] = field(default_factory=dict)  # where enough items are rated twice
    subgroups: Mapping[str, tuple[JudgedSubgroup, ...]] = field(default_factory=dict)
    by: str = "subgroup"  # what subgroups are subgroups by
    advice: tuple[Advice, ...] = ()
    shown: frozenset[str] = frozenset()  # the details that are printed
    _panels: Mapping[str, Panel] = field(default_factory=dict)  # the ratings, for plans

    @checked
    def verdict(self, judge: str, *, without: str | None = None) -> JudgeVerdict:
        """Return the verdict on a judge: by the margin, or relative to the ceiling without one.

        ``without`` names a human who is left out.
        """
        check_among("judge", judge, self.judges)
        if without is not None:
            check_among("without", without, self.without_each)
        return self._said_by(
            self.gap[judge] if without is None else self.without_each[without].gap[judge]
        )

    @checked
    def verdict_without_odd(self, judge: str) -> JudgeVerdict:
        """Return the verdict without the odd humans; that of all humans if there are none."""
        check_among("judge", judge, self.judges)
        found = self.without_odd
        return self._said_by(self.gap[judge] if found is None else found.gap[judge])

    def _said_by(self, gap: Interval) -> JudgeVerdict:
        if gap.low != gap.low:
            return ""
        low, high = (gap.low, gap.high) if self._greater else (-gap.high, -gap.low)
        if self.margin is not None:
            if low > -self.margin:
                return "non-inferior"
            return "inferior" if high < -self.margin else "not shown"
        return "below" if high < 0 else "above" if low > 0 else "not significant"

    @property
    def _greater(self) -> bool:
        return bool(self.metric.greater_is_better)

    def rows(self) -> list[dict[str, Any]]:
        """One record per judge."""
        return [
            {
                "judge": j,
                "metric": self.metric.name,
                **estimate_record("agreement", self.agreement[j]),
                **estimate_record("ceiling", self.ceiling),
                **estimate_record("gap", self.gap[j]),
                "margin": self.margin,
                "p_noninferior": self.p_noninferior.get(j),
                "verdict": self.verdict(j),
                "verdict_without_odd": self.verdict_without_odd(j),
                "winning_rate": self.alt_test[j].winning_rate,
                "advantage": self.alt_test[j].advantage,
                "epsilon": self.alt_test[j].epsilon,
                **estimate_record("bias", self.bias[j].mean),
                "compression": self.bias[j].compression,
                **_explained(self.prmse.get(j)),
                **(estimate_record("unread", self.unread[j]) if j in self.unread else {}),
            }
            for j in self.judges
        ]

    def table(self) -> Table:
        """One row per judge, with the ceiling below."""
        epsilon = next(iter(self.alt_test.values())).epsilon
        symbol, better = self.metric.symbol, BETTER[self.metric.greater_is_better]
        head = ("judge", symbol, "gap", "verdict", "wins", "advantage", "bias", "spread")
        rows = [tuple(self._cells(j)) for j in self.judges]
        rows.append((Cell("(humans)"), estimate_cell(self.ceiling), *[Cell("")] * (len(head) - 2)))
        about = (
            f"{symbol} = {with_weights(self.metric)} ({better} is better), mean over humans; "
            "(humans): over pairs of humans, the ceiling; gap: judge minus humans, on "
            f"the items that the judge answered. Intervals: {percent(self.ceiling.level)}."
        )
        tests = (
            f"Wins: share of humans beaten in the alt-test at epsilon {epsilon:g}; "
            "advantage: how often the judge is at least as close to the other humans as "
            "a human is. Bias: steps above the humans; spread: SD of the judge's grades "
            "divided by that of the humans' grades."
        )
        notes = (about, tests, *self.lost())
        return Table(head, tuple(rows), self._caption(), notes, ("verdict",))

    def lost(self) -> list[str]:
        """What could not be used: items without an answer, and answers to other items."""
        found = [f"Left out on request: {joined(self.left_out)}."] if self.left_out else []
        found += dropped_ratings(self)
        if len(self.raters) == 1:
            found.append(
                "Bias by grade is not shown: with one human it cannot be separated from regression "
                "to the mean."
            )
        for judge, x in self.unread.items():
            if x.estimate > 0:
                lost = round(x.estimate * x.items)
                what = "answer" if x.items > self.items else "item"
                found.append(
                    f"{judge}: {lost:,} of {plural(x.items, what)} without a label "
                    f"({in_words(x, '{:.1%}'.format)})."
                )
        if self.unmatched:
            items = plural(self.unmatched, "item")
            left_out = agreeing(self.unmatched, "were left out")
            found.append(f"{items} that judges answered and no human rated {left_out}.")
        return found

    def _cells(self, judge: str) -> list[Cell]:
        test, bias = self.alt_test[judge], self.bias[judge]
        return [
            Cell(judge),
            estimate_cell(self.agreement[judge]),
            estimate_cell(self.gap[judge], signed),
            Cell(self.verdict(judge), self._if_not_odd(judge)),
            Cell(number(test.winning_rate, 2)),
            Cell(number(test.advantage, 2)),
            estimate_cell(bias.mean, signed),
            Cell(number(bias.compression, 2)),
        ]

    def _if_not_odd(self, judge: str) -> str:
        """The verdict without odd humans, where it is another one."""
        other = self.verdict_without_odd(judge)
        changed = other != self.verdict(judge)
        return f"({other} without {joined(self.odd_humans)})" if changed else ""

    @checked
    def details(self, *names: Detail) -> Judgement:
        """Return the same judgement, printed with more details.

        Parameters
        ----------
        *names
            ``"pairs"``: differences between judges; ``"all"``: all tables; ``"verbose"``: the full
            conclusion and the caveats.
        """
        for name in names:
            check_choice("names", name, get_args(Detail))
        return replace(self, shown=self.shown | set(names))

    def lead(self) -> list[str]:
        """The answer and the evidence, line by line."""
        return lead_judgement(self)

    def tables(self) -> list[Table]:
        """The judges by their agreement with humans; then what was asked for."""
        if "all" in self.shown:
            return [overview_of_judges(self), self.table(), *detail_tables(self)]
        pairs = pairs_tables(self) if "pairs" in self.shown else []
        return [overview_of_judges(self), *pairs, *asked_tables(self)]

    def paragraphs(self) -> list[str]:
        """What the table is of, and where more is; the full conclusion if it was asked for."""
        full = self._said() if "verbose" in self.shown else []
        return [*footer_of_judges(self), *full]

    def _said(self) -> list[str]:
        return [x for x in self.conclusion().split("\n\n") if x]

    def _said_briefly(self) -> list[str]:
        return self.lead()

    def _shown_remarks(self) -> tuple[Any, ...]:
        return (*self.lost(), *self.remarks()) if "verbose" in self.shown else ()

    def _in_full(self) -> list[Table]:
        """All tables, the worst disagreements among them."""
        return [self.table(), *detail_tables(self), *self.disagreements().values()]

    def disagreements(self) -> dict[str, Table]:
        """The items on which each judge is furthest from the humans, by the judge's name."""
        return {j: furthest_items(self, j) for j in self.judges if self.worst.get(j)}

    def _caption(self) -> str:
        items = f"{plural(self.items, 'item')}{in_clusters(self.clusters)}"
        humans, judges = plural(len(self.raters), "human"), plural(len(self.judges), "judge")
        return f"{items}, {humans}, {judges}: {self.scale}"

    def conclusion(self) -> str:
        """What can and what cannot be concluded, in plain words."""
        return conclude_judgement(self)

    @checked
    def to_html(
        self, path: StrPath | None = None, *, title: str | None = None, command: str | None = None
    ) -> str:
        """One page with the conclusion, tables and pictures; written to ``path`` if given.

        Parameters
        ----------
        path
            The file to write, whole or not at all.
        title
            Title of the page.
        command
            What was typed to get here, which the page repeats.
        """
        from ordeval.report.judgement import to_html

        return written(to_html(self, title=title, command=command), path)

    @checked
    def to_docx(
        self, path: StrPath | None = None, *, title: str | None = None, command: str | None = None
    ) -> bytes:
        """Write the page as a Word document (extra ``docx``); parameters as in ``to_html``."""
        from ordeval.report.judgement import to_docx

        return written(to_docx(self, title=title, command=command), path)

    def _facts(self) -> dict[str, Any]:
        """Everything that was found."""
        return {
            "metric": self.metric.name,
            "scale": self.scale,
            "items": self.items,
            "clusters": self.clusters,
            "unmatched": self.unmatched,
            "margin": self.margin,
            "ceiling": self.ceiling,
            "rows": self.rows(),
            "alt_test": self.alt_test,
            "bias_by_grade": {j: b.by_grade for j, b in self.bias.items()},
            "humans_by_grade": self.humans_by_grade,
            "bias_beyond_humans": {j: b.beyond_humans for j, b in self.bias.items()},
            "matrices": {j: cm.counts for j, cm in self.matrices.items()},
            "with_each": self.with_each,
            "raters": self.raters,
            "self_consistency": self.self_consistency,
            "same_grade": self.same_grade,
            "references": self.references,
            "ties": self.ties,
            "outside": self.outside,
            "panel_size": self.panel_size,
            "panel_correlation": self.panel_correlation,
            "panel_refused": self.panel_refused,
            "worst": {j: [w._asdict() for w in found] for j, found in self.worst.items()},
            "systems": self.systems,
            "unread": self.unread,
            "left_out": self.left_out,
            "without_each": self.without_each,
            "differences": [row for d in self.differences for row in d.rows()],
            "not_compared": self.not_compared,
            "drift": {
                j: {**vars(d), "change": d.change and d.change.rows()[0]}
                for j, d in self.drift.items()
            },
            "effects": {
                j: [{**asdict(e), "level": e.level and str(e.level)} for e in found]
                for j, found in self.effects.items()
            },
            "effects_corrected": self.effects_corrected,
            "odd_humans": self.odd_humans,
            "without_odd": self.without_odd,
            "prmse": {j: x._asdict() for j, x in self.prmse.items()},
            "subgroups": {
                j: [{**asdict(x), "subgroup": name_of(x.subgroup)} for x in found]
                for j, found in self.subgroups.items()
            },
            "conclusion": self.conclusion(),
        }


def _explained(found: Prmse | None) -> dict[str, float | None]:
    """Return PRMSE with its denominator."""
    values = (None,) * 3 if found is None else found[:3]
    return dict(zip(("prmse", "true_variance", "error_variance"), values, strict=True))
