"""Comparison: models side by side, typed facts and the tables made from them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, get_args

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.result import Concluded, Result, written
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import many, visible
from ordeval._shared.types import Floats, StrPath, check_choice
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped
from ordeval.data.items import Items
from ordeval.data.scale import Scale
from ordeval.inference.advice import Advice
from ordeval.inference.intervals import Interval, Method
from ordeval.inference.many_models.measure_agreement import reason_to_differ
from ordeval.inference.many_models.ranking import cliques
from ordeval.inference.paired import Delta
from ordeval.measures import Metric
from ordeval.measures.registry import Given
from ordeval.results.conclusion import answer, cautions, conclude, evidence, one_sentence, tiers
from ordeval.results.overview import explained, footer, narrowed, other_pairs, overview, panel
from ordeval.results.phrases import Detail, exact_p, not_shown
from ordeval.results.scores import gain_over

_SHOWN_REMARKS: Final = 3


def correction_note(c: Comparison) -> str:
    """What the corrected p-values are corrected for, and which pairs have them."""
    models, reference = len(c.models), c.reference
    if models == 2:
        return "There is one pair, so p needs no correction."
    if reference is not None:
        return f"p adj. is corrected for all comparisons with {reference}, each measure by itself."
    pairs = math.comb(models, 2)
    if len({(d.a, d.b) for d in c.pairs}) < pairs:
        return (
            f"Only the pairs of {c.models[0]}, the best model, are compared here; p adj. is "
            f"corrected for all {pairs:,} pairs of models, each measure by itself."
        )
    return f"p adj. is corrected for all {pairs:,} pairs of models, each measure by itself."


@dataclass(frozen=True, eq=False)
class ComparedItems:
    """The items that models were compared on, for what reports show beside the comparison."""

    items: Items
    clusters: Any
    rule: str  # how probabilities became labels


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """Two models that two measures order differently."""

    a: str
    b: str
    metric_for_a: str
    metric_for_b: str
    share_for_a: float  # how surely the first measure prefers a: one minus its one-sided p
    share_for_b: float  # how surely the second measure prefers b
    reason: str
    displays: tuple[str, str] = ("", "")  # the names of the measures in sentences

    @property
    def firm(self) -> bool:
        """Whether the one-sided p-value of each measure is at most 0.05."""
        return min(self.share_for_a, self.share_for_b) >= 0.95

    def __str__(self) -> str:
        first, second = self.displays
        p, q = (exact_p(1 - share) for share in (self.share_for_a, self.share_for_b))
        return visible(
            f"{first or self.metric_for_a} favours {self.a} (one-sided {p}), "
            f"{second or self.metric_for_b} {self.b} ({q}): {self.reason}."
        )


class Deltas(tuple[Delta, ...], Result):
    """Differences of pairs of models; prints as a table."""

    __slots__ = ()
    _kind = "ordeval.deltas"

    def rows(self) -> list[dict[str, Any]]:
        """One record per difference."""
        return [row for d in self for row in d.rows()]

    def table(self) -> Table:
        """One row per difference."""
        head = ["measure", "pair", "difference", "p", "p adj.", "favours"]
        margins = {d.margin for d in self if d.margin is not None}
        if margins:
            head.append(f"margin {', '.join(f'{m:g}' for m in margins)}")
        rows = tuple((*(cells := d.cells()), *[Cell("")] * (len(head) - len(cells))) for d in self)
        return Table(tuple(head), rows, words=("pair", "favours", *head[6:]), named_by=2)

    __str__ = Result.__str__
    __repr__ = Result.__repr__


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(Concluded):
    """Models side by side: estimates with intervals, paired differences and the conclusion."""

    _kind: ClassVar[str] = "ordeval.comparison"

    models: tuple[str, ...]  # best first, by the first measure
    metrics: tuple[Metric, ...]  # the first decides
    scale: Scale
    matrices: Mapping[str, ConfusionMatrix]  # of models that give labels, or probabilities
    estimates: Mapping[str, Mapping[str, Interval]]  # by measure, then by model
    ranks: Mapping[str, Mapping[str, float]]
    # The possible ranks of each model, lowest and highest, for all models of a measure at once.
    rank_sets: Mapping[str, Mapping[str, tuple[int, int]]]
    rank_shares: Floats  # by the first measure: how often a model (row) has a rank (column)
    may_be_best: tuple[str, ...]  # a confidence set that holds the best model, by the first measure
    probability_best: Mapping[str, Mapping[str, float]]
    preferred: Mapping[str, Floats]  # how surely the model of the row is better
    separation: Floats  # p-values of all pairs by the first measure, corrected for all of them
    baselines: Mapping[str, Mapping[str, float]]  # by baseline, then by measure
    pairs: Deltas
    rank_agreement: Floats  # Kendall's tau-b between measures
    advice: tuple[Advice, ...]
    dropped: Mapping[str, Dropped]
    items: int
    left_out: int  # items dropped because a label was missing or unknown
    clusters: int  # independent clusters; 0 if items are independent
    effective: float  # equally weighted items that would say as much
    level: float
    method: Method
    n_resamples: int
    reference: str | None  # the model that all others are compared with
    margin: float | None  # of non-inferiority, by the first measure
    weight: float | None = None  # of all items, if they are weighted
    support: tuple[int, ...] = ()  # items of each true class; empty if the truth is shares
    outputs: Given = "labels"  # what every model gives
    # Of averages over tasks: the values of the models by the first measure, by task.
    tasks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # Of partial truth: the intervals of human labels alone, by measure and model.
    human: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)
    smallest_difference: float = math.nan  # of two typical models that would be significant
    population: str = ""  # what values are of, if not of the items alone
    notes: tuple[str, ...] = ()  # how labels were read off probabilities; what does not apply
    on: ComparedItems | None = field(default=None, compare=False)  # none of averages over tasks
    identical: tuple[tuple[str, ...], ...] = ()  # models that predict the same
    unit: str = "item"  # what the data count, and what is independent
    cluster_unit: str = "cluster"
    shown: frozenset[str] = frozenset()  # the details that are printed

    @property
    def units(self) -> str:
        """What is independent: "items" or "clusters"."""
        return many(self.cluster_unit if self.clusters else self.unit)

    @property
    def primary(self) -> Metric:
        """The measure that decides."""
        return self.metrics[0]

    @property
    def directed(self) -> tuple[Metric, ...]:
        """The measures that say which model is better; a bias alone does not."""
        return tuple(m for m in self.metrics if m.greater_is_better is not None)

    def deltas(self) -> Deltas:
        """Paired differences with intervals and p-values."""
        return self.pairs

    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Neighbouring models in the ranking that do not differ significantly."""
        joined = ~(self.separation <= 1 - self.level)
        np.fill_diagonal(joined, True)
        return tuple(tuple(self.models[i] for i in run) for run in cliques(joined))

    def disagreements(self) -> tuple[Disagreement, ...]:
        """Pairs of models that two measures order differently, the firmest first."""
        found = []
        number = {m: i for i, m in enumerate(self.models)}
        for a, b in itertools.combinations(self.models, 2):
            i, j = number[a], number[b]
            for x, y in itertools.permutations(self.directed, 2):
                for_a = float(self.preferred[x.name][i, j])
                for_b = float(self.preferred[y.name][j, i])
                known = for_a == for_a and for_b == for_b  # not of an infinite loss
                if known and self._prefers(x, a, b) and self._prefers(y, b, a):
                    differ = Disagreement(
                        a=a,
                        b=b,
                        metric_for_a=x.name,
                        metric_for_b=y.name,
                        displays=(x.display, y.display),
                        share_for_a=for_a,
                        share_for_b=for_b,
                        reason=reason_to_differ(x, y),
                    )
                    found.append(differ)
        return tuple(sorted(found, key=lambda d: -min(d.share_for_a, d.share_for_b)))

    def _prefers(self, metric: Metric, a: str, b: str) -> bool:
        x, y = (metric.utility(self.estimates[metric.name][m].estimate) for m in (a, b))
        return bool(x > y + 1e-12)

    def conclusion(self) -> str:
        """What can and what cannot be concluded, in plain words."""
        return conclude(self)

    def sentence(self) -> str:
        """The conclusion in one sentence, to copy."""
        return one_sentence(self)

    @checked
    def table(self, *, intervals: bool = True) -> Table:
        """Models by measures."""
        return panel(self, intervals=intervals)

    def details(self, *names: Detail) -> Comparison:
        """Return the same comparison, printed with more details.

        Parameters
        ----------
        *names
            ``"pairs"``: all differences; ``"all"``: all measures and baselines; ``"verbose"``: the
            caveats, and how intervals were made.
        """
        for name in names:
            check_choice("names", name, get_args(Detail))
        return replace(self, shown=self.shown | set(names))

    def in_units(self, unit: str = "item", cluster_unit: str = "cluster") -> Comparison:
        """Return the same comparison, with other names for items and clusters, as "patient"."""
        return replace(self, unit=unit, cluster_unit=cluster_unit)

    def lead(self) -> list[str]:
        """The answer and the evidence, line by line."""
        return [
            answer(self),
            *(f"  {line}" for line in evidence(self)),
            *(f"  ! {line}" for line in cautions(self)),
        ]

    def tables(self) -> list[Table]:
        """The models by the measure that decides; then what details ask for."""
        more = list(self._differences(None)) if "pairs" in self.shown else []
        more += [self.table(intervals=False)] if "all" in self.shown else []
        return [narrowed(overview(self)), *more]

    def paragraphs(self) -> list[str]:
        """What the table is of, and where more is."""
        return footer(self)

    def _said(self) -> list[str]:
        return [x for x in self.conclusion().split("\n\n") if x]

    def _said_briefly(self) -> list[str]:
        return self.lead()

    def _shown_remarks(self) -> tuple[Advice, ...]:
        return self.remarks() if "verbose" in self.shown else ()

    def _in_full(self) -> list[Table]:
        """The models by the measure that decides, all differences, and all measures."""
        return [explained(self), *self._differences(None), self.table()]

    def _differences(self, most: int | None = None) -> Iterator[Table]:
        for table in (self.differences(most), other_pairs(self)):
            if table.rows:
                yield table

    @checked
    def differences(self, most: int | None = None) -> Table:
        """The differences by the measure that decides, or ``most`` of them."""
        found = [d for d in self.pairs if d.metric == self.primary.name]
        table = Deltas(found[:most]).table()
        if self.reference is None and self.margin is not None:
            # Which of two models is the better one was not known beforehand: only equivalence has
            # no direction.
            equal = [Cell("equivalent" if d.equivalent else "not shown") for d in found]
            rows = tuple((*row[:-1], e) for row, e in zip(table.rows, equal, strict=False))
            table = replace(table, rows=rows)
        hidden = len(found) - len(table.rows)
        notes = [not_shown(hidden, "rows", ".deltas()")] if hidden > 0 else []
        notes.append(correction_note(self))
        head, rows = table.head[1:], tuple(row[1:] for row in table.rows)
        caption = f"Differences in {self.primary.display}"
        if self.reference is not None:
            # All rows end alike.
            head, caption = ("model", *head[1:]), f"{caption} from {self.reference}"
            rows = tuple((Cell(d.a), *row[1:]) for d, row in zip(found, rows, strict=False))
        return Table(head, rows, caption, tuple(notes), table.words)

    def remarks(self) -> tuple[Advice, ...]:
        """What should be kept in mind; of many remarks of one kind, the first few."""
        shown: list[Advice] = []
        for code, found in itertools.groupby(self.advice, key=lambda a: a.code):
            alike = list(found)
            few = _SHOWN_REMARKS if len(alike) > _SHOWN_REMARKS + 1 else len(alike)
            shown += alike[:few]
            if hidden := len(alike) - few:
                shown.append(Advice(code, not_shown(hidden, "of these", ".to_json()")))
        return tuple(shown)

    def rows(self) -> list[dict[str, Any]]:
        """One record for each model and measure, then for each baseline and measure."""
        rows: list[dict[str, Any]] = [
            {
                "model": model,
                "kind": "model",
                "metric": metric.name,
                "estimate": self.estimates[metric.name][model].estimate,
                "low": self.estimates[metric.name][model].low,
                "high": self.estimates[metric.name][model].high,
                "rank": self.ranks[metric.name][model],
                "rank_low": self.rank_sets[metric.name][model][0],
                "rank_high": self.rank_sets[metric.name][model][1],
                "undefined_share": self.estimates[metric.name][model].undefined_share,
                **self._gain(metric, model),
            }
            for model in self.models
            for metric in self.metrics
        ]
        rows += [
            {"model": name, "kind": "baseline", "metric": metric, "estimate": value}
            for name, values in self.baselines.items()
            for metric, value in values.items()
        ]
        return rows

    def _gain(self, metric: Metric, model: str) -> dict[str, float]:
        """By how much a proxy made the interval shorter."""
        if not self.human:
            return {}
        own, alone = self.estimates[metric.name][model], self.human[metric.name][model]
        ends = {f"human_{k}": getattr(alone, k) for k in ("estimate", "low", "high")}
        return {**ends, "gain": gain_over(own, alone)}

    @checked
    def to_html(
        self,
        path: StrPath | None = None,
        *,
        title: str | None = None,
        subgroups: Mapping[Any, Comparison] | None = None,
        command: str | None = None,
    ) -> str:
        """Return a report as one self-contained HTML page; written to ``path`` if given.

        Parameters
        ----------
        path
            File to write, completely or not at all.
        title
            Title of the report.
        subgroups
            Comparisons of the same models in subgroups, as ``oe.compare`` gives them.
        command
            The command or call that the report shows.
        """
        from ordeval.report import summarise, to_html

        report = summarise(self, title=title, subgroups=subgroups, command=command)
        return written(to_html(report), path)

    @checked
    def to_docx(
        self,
        path: StrPath | None = None,
        *,
        title: str | None = None,
        subgroups: Mapping[Any, Comparison] | None = None,
        command: str | None = None,
    ) -> bytes:
        """The report for Word (extra ``docx``); the parameters are those of ``to_html``."""
        from ordeval.report import summarise, to_docx

        report = summarise(self, title=title, subgroups=subgroups, command=command)
        return written(to_docx(report), path)

    def _facts(self) -> dict[str, Any]:
        """Everything that was found."""
        return _facts(self)


def _facts(c: Comparison) -> dict[str, Any]:
    return {
        "scale": c.scale,
        "items": c.items,
        "left_out": c.left_out,
        "clusters": c.clusters,
        "effective": c.effective,
        "settings": {
            "level": c.level,
            "method": c.method,
            "n_resamples": c.n_resamples,
            "reference": c.reference,
            "margin": c.margin,
        },
        "metrics": [
            {
                "name": m.name,
                "display": m.display,
                "symbol": m.symbol,
                "family": m.family,
                "best": m.best,
                "range": list(m.range.at(c.scale.k)),
                "greater_is_better": m.greater_is_better,
                "reference": str(m.reference),
            }
            for m in c.metrics
        ],
        "outputs": c.outputs,
        "tasks": {task: dict(values) for task, values in c.tasks.items()},
        "smallest_difference": c.smallest_difference,
        "population": c.population,
        "notes": list(c.notes),
        "models": [
            {"name": n, "matrix": c.matrices[n].counts if n in c.matrices else None}
            for n in c.models
        ],
        "estimates": c.rows(),
        "deltas": c.pairs.rows(),
        "separation": c.separation,
        "tiers": tiers(c),
        "rank_shares": c.rank_shares,
        "may_be_best": c.may_be_best,
        "rank_agreement": c.rank_agreement,
        "disagreements": c.disagreements()[:100],
        "dropped": dict(c.dropped),
        "advice": c.advice,
        "conclusion": c.conclusion(),
    }
