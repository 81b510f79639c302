"""The result of a comparison: typed facts, and the tables made from them."""

from __future__ import annotations

import itertools
import json
import math
import shutil
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Cell, Table
from ordeval._shared.writing import write_text
from ordeval._version import __version__
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Dropped
from ordeval.data.scale import Scale
from ordeval.inference.advice import Advice
from ordeval.inference.agreement import reason_to_differ
from ordeval.inference.intervals import Interval, Method
from ordeval.inference.paired import Delta
from ordeval.inference.ranking import cliques
from ordeval.measures import Metric
from ordeval.results.conclusion import conclude

if TYPE_CHECKING:
    import pandas

Floats = NDArray[np.float64]

SCHEMA = 1
_SHOWN_PAIRS = 10


def correction_note(tests: int, what: str = "tests of pairs and measures") -> str:
    """What the corrected p-values are corrected for."""
    if tests == 1:
        return "This is the only test, so that Holm and BH have nothing to correct."
    return f"Holm and BH correct over all {tests} {what}."


@dataclass(frozen=True)
class Disagreement:
    """Two models that two measures order differently."""

    a: str
    b: str
    metric_for_a: str
    metric_for_b: str
    share_for_a: float  # of the draws, in which the first measure prefers a
    share_for_b: float  # of the draws, in which the second measure prefers b
    reason: str

    @property
    def firm(self) -> bool:
        """Whether each measure holds its view in 95 % of the draws."""
        return min(self.share_for_a, self.share_for_b) >= 0.95

    def __str__(self) -> str:
        return (
            f"{self.metric_for_a} prefers {self.a} ({self.share_for_a:.0%} of the draws), "
            f"{self.metric_for_b} prefers {self.b} ({self.share_for_b:.0%}): {self.reason}."
        )


class Deltas(tuple[Delta, ...]):
    """Differences of pairs of models; prints as a table."""

    __slots__ = ()

    def to_frame(self) -> pandas.DataFrame:
        """The differences as a pandas DataFrame."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        frame: pandas.DataFrame = pd.DataFrame([asdict(d) for d in self])
        return frame

    def to_markdown(self) -> str:
        """The differences in Markdown."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """The differences in LaTeX (booktabs)."""
        return self.table().to_latex()

    def table(self) -> Table:
        """The differences as a table."""
        rows = tuple(
            (
                Cell(d.metric),
                Cell(f"{d.a} − {d.b}"),
                Cell(_signed(d.delta), f"[{_signed(d.low)}, {_signed(d.high)}]"),
                Cell(_p(d.p_value)),
                Cell(_p(d.p_holm)),
                Cell(_p(d.p_bh)),
                Cell(d.favours or "neither"),
            )
            for d in self
        )
        head = ("measure", "pair", "difference", "p", "p Holm", "p BH", "favours")
        note = correction_note(len(self), "rows")
        return Table(head, rows, notes=(note,) if len(self) > 1 else ())

    def __repr__(self) -> str:
        return self.table().to_text()

    def _repr_html_(self) -> str:
        return self.table().to_html()


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models side by side: estimates with intervals, paired differences and the conclusion."""

    models: tuple[str, ...]  # best first, by the first measure
    metrics: tuple[Metric, ...]  # the first decides
    scale: Scale
    matrices: Mapping[str, ConfusionMatrix]
    estimates: Mapping[str, Mapping[str, Interval]]  # by measure, then by model
    ranks: Mapping[str, Mapping[str, float]]
    probability_best: Mapping[str, Mapping[str, float]]
    preferred: Mapping[str, Floats]  # share of draws in which the model of the row is better
    separation: Floats  # p-values of all pairs by the first measure, corrected for all of them
    baselines: Mapping[str, Mapping[str, float]]  # by baseline, then by measure
    pairs: Deltas
    rank_agreement: Floats  # Kendall's tau-b between measures
    advice: tuple[Advice, ...]
    dropped: Mapping[str, Dropped]
    items: int
    left_out: int  # items dropped because a label was missing or unknown
    group_count: int  # how many groups were drawn whole; 0 if items were drawn
    level: float
    method: Method
    n_resamples: int
    baseline: str | None

    @property
    def units(self) -> str:
        """What was drawn: "items" or "groups"."""
        return "groups" if self.group_count else "items"

    @property
    def primary(self) -> Metric:
        """The measure that decides."""
        return self.metrics[0]

    @property
    def directed(self) -> tuple[Metric, ...]:
        """The measures that say which model is better; a bias alone does not."""
        return tuple(m for m in self.metrics if m.greater_is_better is not None)

    def deltas(self) -> Deltas:
        """Paired differences with intervals and permutation p-values."""
        return self.pairs

    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Models next to each other in the ranking that cannot be told apart."""
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
                if self._prefers(x, a, b) and self._prefers(y, b, a):
                    reason = reason_to_differ(x, y)
                    found.append(Disagreement(a, b, x.name, y.name, for_a, for_b, reason))
        return tuple(sorted(found, key=lambda d: -min(d.share_for_a, d.share_for_b)))

    def _prefers(self, metric: Metric, a: str, b: str) -> bool:
        x, y = (metric.utility(self.estimates[metric.name][m].estimate) for m in (a, b))
        return bool(x > y + 1e-12)

    def conclusion(self) -> str:
        """What can and what cannot be concluded, in plain words."""
        return conclude(self)

    def table(self, *, intervals: bool = True) -> Table:
        """Models by measures; the first measure with its chance to be best."""
        return _table(self, intervals=intervals)

    def _difference_table(self) -> list[Table]:
        """The differences by the measure that decides, those of the best model first."""
        found = Deltas(d for d in self.pairs if d.metric == self.primary.name)
        if not found:
            return []
        table = Deltas(found[:_SHOWN_PAIRS]).table()
        hidden = len(found) - _SHOWN_PAIRS
        notes = [f"{hidden:,} more pairs are in deltas()."] if hidden > 0 else []
        tests = sum(d.p_value == d.p_value for d in self.pairs)
        notes.append(correction_note(tests))
        rows = tuple(row[1:] for row in table.rows)
        caption = f"differences in {self.primary.name}"
        return [Table(table.head[1:], rows, caption, tuple(notes))]

    def to_frame(self) -> pandas.DataFrame:
        """One row for each model and measure, baselines included, as a pandas DataFrame."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        frame: pandas.DataFrame = pd.DataFrame(self.rows())
        return frame

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
                "probability_best": self.probability_best[metric.name][model],
                "undefined_share": self.estimates[metric.name][model].undefined_share,
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

    def to_markdown(self) -> str:
        """The table in Markdown, with intervals."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """The table in LaTeX (booktabs), the best in bold, intervals in a smaller size."""
        return self.table().to_latex()

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        subgroups: Mapping[Any, Comparison] | None = None,
        command: str | None = None,
    ) -> str:
        """A report as one HTML page that needs nothing else; written to ``path`` if given.

        Parameters
        ----------
        path
            File to write, whole or not at all.
        title
            Of the report.
        subgroups
            Comparisons of the same models in groups, as ``compare_frame(..., by=...)`` gives them.
        command
            What was typed to get here, which the report repeats.
        """
        # A report is made of comparisons, and only this door knows of it.
        report = import_module("ordeval.report")
        facts = report.summarise(self, title=title, subgroups=subgroups, command=command)
        page: str = report.to_html(facts)
        if path is not None:
            write_text(path, page)
        return page

    def to_csv(self) -> str:
        """One line for each model and measure."""
        rows = self.rows()
        head = tuple(rows[0])
        body = tuple(
            tuple(Cell("" if _is_nan(row.get(h)) else str(row.get(h, ""))) for h in head)
            for row in rows
        )
        return Table(head, body).to_csv()

    def to_json(self) -> str:
        """Everything, as JSON with a versioned schema; undefined values are null."""
        return json.dumps(_plain(_summary(self)), ensure_ascii=False, indent=1)

    def __repr__(self) -> str:
        width = max(shutil.get_terminal_size((100, 24)).columns, 60)
        tables = [self.table(intervals=False), *self._difference_table()]
        paragraphs = [textwrap.fill(p, width) for p in self.conclusion().split("\n\n")]
        remarks = [textwrap.fill(str(a), width, subsequent_indent="  ") for a in self.advice]
        texts = [*(t.to_text(width) for t in tables), *paragraphs]
        return "\n\n".join([*texts, *(["\n".join(remarks)] if remarks else [])])

    def _repr_html_(self) -> str:
        texts = [*self.conclusion().split("\n\n"), *map(str, self.advice)]
        return self.table().to_html() + "".join(f"<p>{escape(x)}</p>" for x in texts)

    def __rich_console__(self, console: Any, options: Any) -> Any:
        for i, table in enumerate([self.table(intervals=False), *self._difference_table()]):
            yield from [""] * bool(i)
            yield from table.to_rich(options.max_width)
        for i, paragraph in enumerate(self.conclusion().split("\n\n")):
            yield import_module("rich.text").Text("\n" + paragraph, style="" if i else "bold")
        for remark in self.advice:
            yield str(remark)


def _table(c: Comparison, *, intervals: bool) -> Table:
    alone = len(c.models) == 1
    head = ["model", "rank", f"{c.primary.symbol}", "P(best)", *(m.symbol for m in c.metrics[1:])]
    best = {m.name: min(c.ranks[m.name].values()) for m in c.metrics}
    rows = []
    for name in c.models:
        cells = [Cell(name), Cell(f"{c.ranks[c.primary.name][name]:g}")]
        for i, m in enumerate(c.metrics):
            interval = c.estimates[m.name][name]
            remark = f"[{_number(interval.low)}, {_number(interval.high)}]"
            first = c.ranks[m.name][name] == best[m.name] and not _is_nan(interval.estimate)
            top = first and not alone
            cells.append(
                Cell(_number(interval.estimate), remark if intervals or i == 0 else "", top)
            )
            if i == 0:
                cells.append(Cell(share(c.probability_best[m.name][name])))
        rows.append(tuple(cells))
    for name, values in c.baselines.items():
        cells = [Cell(f"({name})"), Cell(""), Cell(_number(values[c.primary.name])), Cell("")]
        rows.append((*cells, *(Cell(_number(values[m.name])) for m in c.metrics[1:])))
    if alone:
        # One model is neither first nor best.
        head, rows = [head[0], *head[2:3], *head[4:]], [(r[0], r[2], *r[4:]) for r in rows]
    return Table(tuple(head), tuple(rows), _caption(c), _legend(c))


def _caption(c: Comparison) -> str:
    groups = f" in {c.group_count:,} groups" if c.group_count else ""
    models = "1 model" if len(c.models) == 1 else f"{len(c.models)} models"
    left_out = f" ({c.left_out:,} left out)" if c.left_out else ""
    items = "1 item" if c.items == 1 else f"{c.items:,} items"
    first = c.matrices[c.models[0]]
    weight = f" of weight {first.total:,.6g}" if first.counts.dtype.kind == "f" else ""
    baseline = f", baseline {c.baseline}" if c.baseline is not None else ""
    return f"{items}{weight}{groups}{left_out}, {models}{baseline}, {c.scale}"


def _legend(c: Comparison) -> tuple[str, ...]:
    better = {True: "higher", False: "lower", None: "nearer 0"}
    names = ", ".join(
        f"{m.symbol} = {m.name} ({better[m.greater_is_better]} is better)" for m in c.metrics
    )
    drawn = "draws of whole groups" if c.group_count else "draws"
    how = f"{c.level:.0%} intervals ({c.method}, {c.n_resamples:,} {drawn})"
    if len(c.models) == 1:
        return (f"{names}.", f"{how}.")
    return (f"{names}.", f"{{best}}: best; P(best): share of draws in which it is; {how}.")


def share(value: float) -> str:
    """A share of draws; what is nearly certain is not shown as certain."""
    if math.isnan(value):
        return "—"
    if 0 < value < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def _summary(c: Comparison) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kind": "ordeval.comparison",
        "version": __version__,
        "scale": [str(x) for x in c.scale],
        "items": c.items,
        "left_out": c.left_out,
        "groups": c.group_count,
        "settings": {"level": c.level, "method": c.method, "n_resamples": c.n_resamples,
                     "baseline": c.baseline},
        "metrics": [
            {"name": m.name, "symbol": m.symbol, "family": m.family, "best": m.best,
             "range": list(m.range.at(c.scale.k)), "greater_is_better": m.greater_is_better,
             "reference": str(m.reference)}
            for m in c.metrics
        ],
        "models": [{"name": n, "matrix": c.matrices[n].counts.tolist()} for n in c.models],
        "estimates": c.rows(),
        "deltas": [asdict(d) for d in c.pairs],
        "separation": c.separation.tolist(),
        "rank_agreement": c.rank_agreement.tolist(),
        "disagreements": [asdict(d) for d in c.disagreements()[:100]],
        "dropped": {name: asdict(d) for name, d in c.dropped.items()},
        "advice": [asdict(a) for a in c.advice],
        "conclusion": c.conclusion(),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """Numbers that JSON has; NaN and infinity become null."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _number(value: float) -> str:
    # Adding zero turns the -0.0 of a rounded tiny number into 0.0.
    return "—" if math.isnan(value) else f"{round(value, 3) + 0.0:.3f}"


def _signed(value: float) -> str:
    return "—" if math.isnan(value) else f"{round(value, 3) + 0.0:+.3f}"


def _p(value: float) -> str:
    return "—" if math.isnan(value) else f"{value:.4f}"
