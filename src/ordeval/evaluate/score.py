"""score: many measures of one model from one count, and the table that shows them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Cell, Table
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Policy, Scale
from ordeval.exceptions import CountsError, LabelError, ParameterError, UnknownMetricError
from ordeval.inference.advice import Advice
from ordeval.inference.diagnosis import diagnose
from ordeval.measures import Metric, get_metric, metrics
from ordeval.measures.registry import either, nearest

if TYPE_CHECKING:
    import pandas

_WIDTH = 100
_BETTER = {True: "higher", False: "lower", None: "near 0"}


@dataclass(frozen=True, eq=False)
class Scores(Mapping[str, float]):
    """Values by the name of the measure; prints as a table."""

    confusion: ConfusionMatrix
    measures: tuple[Metric, ...]
    values_: tuple[float, ...]
    advice: tuple[Advice, ...] = ()

    def __getitem__(self, name: str) -> float:
        for metric, value in zip(self.measures, self.values_, strict=True):
            if metric.name == name:
                return value
        near = nearest(str(name), self)
        hint = f"did you mean {either(near)}? " if near else ""
        raise UnknownMetricError(f"{name!r} was not scored; {hint}list(scores) names what was.")

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def rows(self) -> list[tuple[str, str, str, float, str, str]]:
        """Name, symbol, family, value, range for this K and better direction of each measure."""
        k = self.confusion.k
        return [
            (m.name, m.symbol, m.family, v, m.range.show(k), _BETTER[m.greater_is_better])
            for m, v in zip(self.measures, self.values_, strict=True)
        ]

    def to_frame(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        columns = ["measure", "symbol", "family", "value", "range", "better"]
        frame: pandas.DataFrame = pd.DataFrame(self.rows(), columns=columns)
        return frame.set_index("measure")

    def table(self) -> Table:
        """The table, to be rendered as text, Markdown, LaTeX, CSV or HTML."""
        head = ("measure", "value", "range", "better", "family")
        rows = tuple(
            tuple(map(Cell, (name, _number(value), bounds, better, family)))
            for name, _, family, value, bounds, better in self.rows()
        )
        return Table(head, rows, self._headline(), tuple(self._undefined()))

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """The table in LaTeX (booktabs)."""
        return self.table().to_latex()

    def to_csv(self) -> str:
        """One line a measure: value in full, least and largest value for this K, direction."""
        k = self.confusion.k
        rows = tuple(
            tuple(
                Cell("" if x != x else str(x))
                for x in (m.name, v, *m.range.at(k), _BETTER[m.greater_is_better], m.family)
            )
            for m, v in zip(self.measures, self.values_, strict=True)
        )
        return Table(("measure", "value", "least", "largest", "better", "family"), rows).to_csv()

    def __repr__(self) -> str:
        head = ("measure", "value", "range", "better", "family")
        body = [
            (name, _number(value), bounds, better, family)
            for name, _, family, value, bounds, better in self.rows()
        ]
        widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        lines = [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  "
            + "  ".join(f"{x:<{w}}" for x, w in zip(row[2:], widths[2:], strict=True)).rstrip()
            for row in (head, *body)
        ]
        remarks = [*self._undefined(), *map(str, self.advice)]
        wrap = textwrap.TextWrapper(_WIDTH, subsequent_indent="  ").fill
        return "\n".join([wrap(self._headline()), *lines, *map(wrap, remarks)])

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from self.table().to_rich(options.max_width)
        for remark in self.advice:
            yield str(remark)

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th scope="col">{x}</th>' for x in ("measure", "value", "range", "better", "family")
        )
        body = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{_number(value)}</td>'
            f"<td>{escape(bounds)}</td><td>{better}</td><td>{group}</td></tr>"
            for name, _, group, value, bounds, better in self.rows()
        )
        remarks = [*self._undefined(), *map(str, self.advice)]
        notes = "".join(f"<p>{escape(text)}</p>" for text in remarks)
        return (
            f"<table><caption>{escape(self._headline())}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
        )

    def _headline(self) -> str:
        cm = self.confusion
        what = "total weight" if cm.counts.dtype.kind == "f" else "items"
        dropped = cm.dropped
        left_out = (
            f"; left out: {dropped.missing:,} missing, {dropped.unknown:,} unknown"
            if dropped
            else ""
        )
        classes = "class" if cm.k == 1 else "classes"
        total = f"{cm.total:,}" if isinstance(cm.total, int) else f"{cm.total:,.10g}"
        return f"{what}: {total}; {cm.k} {classes}: {cm.scale}{left_out}"

    def _undefined(self) -> list[str]:
        """One line for each reason, with the measures that share it."""
        reasons: dict[str, list[str]] = {}
        empty = not self.confusion.counts.any()
        for metric, value in zip(self.measures, self.values_, strict=True):
            if math.isnan(value):
                why = "there are no items" if empty else metric.undefined_when
                reasons.setdefault(why, []).append(metric.name)
        return [f"— undefined, {why}: {', '.join(names)}" for why, names in reasons.items()]


def score(
    y_true: Any,
    y_pred: Any = None,
    metrics: Iterable[str | Metric] | str | Metric | None = None,  # noqa: A002,RUF100
    *,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Scores:
    """Score predicted labels by many measures from one count.

    Parameters
    ----------
    y_true, y_pred
        True and predicted labels; or one confusion matrix in place of both.
    metrics
        Names or measures, such as ``oe.oc_index.with_params(share=0.25)``. By default all that
        take labels and are not expensive.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``.

    Examples
    --------
    >>> score([1, 2, 3, 3], [1, 2, 2, 3], ["accuracy", "mean_absolute_error", "cem_ord"])
    items: 4; 3 classes: Scale(1 < 2 < 3)
    measure               value  range   better  family
    accuracy             0.7500  [0, 1]  higher  accuracy
    mean_absolute_error  0.2500  [0, 2]  lower   distance
    cem_ord              0.8678  [0, 1]  higher  closeness
    [OE101] the integers imply Scale(1 < 2 < 3); declare labels= if it is longer.
    [OE103] fewer than 10 items of 1 (1), 2 (1), 3 (2).
    """
    if isinstance(metrics, Scale):
        raise LabelError("the third argument is metrics=; give the scale as labels=.")
    chosen = choose_metrics(metrics)
    if isinstance(y_true, ConfusionMatrix):
        cm = _given_matrix(y_true, y_pred, labels, sample_weight)
    elif y_pred is None:
        cm = _given_counts(y_true, labels)
    else:
        cm = ConfusionMatrix.from_labels(
            y_true, y_pred, labels, sample_weight, unknown=unknown, missing=missing
        )
    values = tuple(m.evaluate(cm.counts, m.check_parameters({}, cm.k)) for m in chosen)
    return Scores(cm, chosen, values, diagnose(cm, chosen, implied=cm.implied))


def _given_counts(counts: Any, labels: Any) -> ConfusionMatrix:
    try:
        return _given_matrix(ConfusionMatrix(counts, labels), None, None, None)
    except CountsError as error:
        raise LabelError(
            f"score needs y_true and y_pred, or one confusion matrix in their place: {error}"
        ) from None


def _given_matrix(cm: ConfusionMatrix, y_pred: Any, labels: Any, weight: Any) -> ConfusionMatrix:
    if not (y_pred is None and labels is None and weight is None):
        raise LabelError(
            "a ConfusionMatrix holds its predictions, labels and weights already; name the "
            "measures with metrics=."
        )
    if cm.shape:
        raise CountsError(
            f"score takes one matrix; this is a stack of shape {cm.shape}. For a stack call "
            f"oe.score_groups or a measure's from_confusion; or take one matrix out: cm[0]."
        )
    return cm


def choose_metrics(names: Iterable[str | Metric] | str | Metric | None) -> tuple[Metric, ...]:
    """The measures of labels that are meant; None means all that are quick."""
    if names is None:
        return tuple(m for m in metrics(needs="labels") if not m.expensive)
    if isinstance(names, (str, Metric)):
        names = [names]
    if not isinstance(names, Iterable):
        raise ParameterError(f"metrics= must be names or measures; got {names!r}.")
    chosen = tuple(get_metric(name) for name in names)
    if not chosen:
        raise ParameterError(
            "metrics= is empty; name at least one measure, or leave it out for all."
        )
    for metric in chosen:
        if metric.needs != "labels":
            raise ParameterError(
                f"{metric.name} needs predicted probabilities; call it as "
                f"{metric.name}(y_true, y_prob, labels=...)."
            )
    return tuple({m.name: m for m in chosen}.values())


def _number(value: float) -> str:
    return "—" if math.isnan(value) else f"{value:.4f}"
