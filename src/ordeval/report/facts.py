"""The typed summary that every rendering of a report shows. All numbers are made here."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval._shared.tables import Cell, Table
from ordeval._version import __version__
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import Metric
from ordeval.measures._arrays import ratio
from ordeval.report.pictures import Picture, of_comparison, of_model
from ordeval.results.comparison import Comparison, correction_note

_MODELS_IN_DETAIL = 4
_DISAGREEMENTS = 8


@dataclass(frozen=True)
class Warned:
    """A warning: what it says about these data, and what its code means."""

    code: str
    title: str
    message: str
    meaning: str


@dataclass(frozen=True)
class ModelView:
    """One model class by class."""

    name: str
    classes: Table
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Report:
    """Everything that a report says, in the order in which it says it."""

    title: str
    subject: str
    conclusion: tuple[str, ...]
    models: Table  # below the models, what needs no model
    model_count: int
    differences: Table | None
    pictures: tuple[Picture, ...]
    disagreements: tuple[str, ...]
    details: tuple[ModelView, ...]
    not_detailed: tuple[str, ...]
    subgroups: Table | None
    warnings: tuple[Warned, ...]
    notes: tuple[str, ...]
    method: str
    references: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]


def summarise(
    comparison: Comparison,
    *,
    title: str | None = None,
    subgroups: Mapping[Any, Comparison] | None = None,
    command: str | None = None,
) -> Report:
    """Turn a comparison into the facts of a report.

    Parameters
    ----------
    comparison
        The result of ``oe.compare``.
    title
        Of the report.
    subgroups
        Comparisons of the same models in groups, by the name of the group.
    command
        What was typed to get here, which the report repeats.
    """
    c = comparison
    table = c.table()
    differences = [d for d in c.deltas() if d.metric == c.primary.name]
    return Report(
        title=title
        or ("Comparison of models" if len(c.models) > 1 else f"Report on {c.models[0]}"),
        subject=table.caption,
        conclusion=tuple(c.conclusion().split("\n\n")),
        models=Table(table.head, table.rows, "", table.notes),
        model_count=len(c.models),
        differences=_differences(c) if differences else None,
        pictures=of_comparison(c),
        disagreements=_disagreements(c),
        details=tuple(_view(c, i) for i in range(len(c.models[:_MODELS_IN_DETAIL]))),
        not_detailed=c.models[_MODELS_IN_DETAIL:],
        subgroups=_subgroups(subgroups) if subgroups else None,
        warnings=tuple(Warned(a.code, a.entry.title, a.message, a.entry.meaning) for a in c.advice),
        notes=_notes(c),
        method=_method(c),
        references=_references(c),
        provenance=_provenance(command),
    )


def _differences(c: Comparison) -> Table:
    """The differences by the measure that decides."""
    table = c.deltas().table()
    rows = tuple(row[1:] for row in table.rows if row[0].text == c.primary.name)
    tests = sum(d.p_value == d.p_value for d in c.deltas())
    note = correction_note(tests)
    return Table(table.head[1:], rows, f"Differences in {c.primary.name}", (note,))


def _disagreements(c: Comparison) -> tuple[str, ...]:
    found = c.disagreements()
    texts = [
        f"{d.metric_for_a} prefers {d.a} ({d.share_for_a:.0%} of the draws), {d.metric_for_b} "
        f"prefers {d.b} ({d.share_for_b:.0%}){'' if d.firm else ', which may be chance'}. "
        f"What sets these measures apart: {d.reason}."
        for d in found[:_DISAGREEMENTS]
    ]
    hidden = len(found) - _DISAGREEMENTS
    return (*texts, f"{hidden:,} weaker disagreements are not listed.") if hidden > 0 else (*texts,)


def _view(c: Comparison, i: int) -> ModelView:
    cm = c.matrices[c.models[i]]
    return ModelView(c.models[i], _classes(cm), of_model(cm, c.models[i], i))


def _classes(cm: ConfusionMatrix) -> Table:
    """Recall, precision and errors of each class."""
    n = cm.counts.astype(np.float64)
    k = cm.k
    step = np.arange(k) - np.arange(k)[:, None]
    recall, precision = ratio(np.diagonal(n), n.sum(axis=1)), ratio(np.diagonal(n), n.sum(axis=0))
    error = ratio((n * np.abs(step)).sum(axis=1), n.sum(axis=1))
    bias = ratio((n * step).sum(axis=1), n.sum(axis=1))
    rows = tuple(
        tuple(
            map(
                Cell,
                (
                    str(level),
                    _amount(cm.support[i]),
                    _amount(cm.predicted[i]),
                    _number(recall[i]),
                    _number(precision[i]),
                    _number(error[i]),
                    _number(bias[i], "+.3f"),
                ),
            )
        )
        for i, level in enumerate(cm.scale)
    )
    head = ("class", "true", "predicted", "recall", "precision", "mean error", "bias")
    note = "Mean error: steps between prediction and truth; bias: with their sign."
    return Table(head, rows, "Class by class", (note,))


def _subgroups(groups: Mapping[Any, Comparison]) -> Table:
    """The estimate of each model in each group, by the measure that decides."""
    first = next(iter(groups.values()))
    names = sorted(first.models)
    rows = []
    for group, c in groups.items():
        estimates = c.estimates[c.primary.name]
        cells = [
            Cell(
                _number(estimates[m].estimate),
                f"[{_number(estimates[m].low)}, {_number(estimates[m].high)}]",
                best=m == c.models[0],
            )
            for m in names
        ]
        shown = ", ".join(map(str, group)) if isinstance(group, tuple) else str(group)
        rows.append((Cell(shown), Cell(f"{c.items:,}"), *cells))
    note = f"{first.primary.name}; {{best}}: best of its row; {first.level:.0%} intervals."
    return Table(("group", "items", *names), tuple(rows), "Subgroups", (note,))


def _notes(c: Comparison) -> tuple[str, ...]:
    notes = [f"The scale, lowest first: {', '.join(map(str, c.scale))}."]
    first = c.matrices[c.models[0]]
    if first.counts.dtype.kind == "f":
        notes.append(f"Items are weighted; the total weight is {first.total:,.6g}.")
    for column, lost in c.dropped.items():
        notes.append(
            f"{column}: {lost.missing:,} missing and {lost.unknown:,} unknown labels were left out."
        )
    if c.left_out:
        notes.append(f"In all {c.left_out:,} items were left out, for every model.")
    if c.group_count:
        notes.append(f"The items belong to {c.group_count:,} groups, which were drawn whole.")
    return tuple(notes)


def _method(c: Comparison) -> str:
    """A paragraph for the methods section of a paper."""
    several = len(c.models) > 1
    units = f"whole groups of items ({c.group_count:,} groups)" if c.group_count else "items"
    kind = "bias-corrected and accelerated (BCa)" if c.method == "bca" else c.method
    measures = "; ".join(f"{m.name} ({_short(m)})" for m in c.metrics)
    text = (
        f"{len(c.models)} {'models were' if several else 'model was'} evaluated on {c.items:,} "
        f"items of {c.scale.k} ordered classes. Performance was measured by {measures}; "
        f"{c.primary.name} was the measure to decide by. Intervals of {c.level:.0%} are "
        f"{kind} bootstrap intervals from {c.n_resamples:,} resamples of {units}."
    )
    if c.left_out:
        text += f" {c.left_out:,} items with a missing or unknown label were left out."
    if c.matrices[c.models[0]].counts.dtype.kind == "f":
        text += " Items were weighted."
    if several:
        whole = ", which exchange whole groups," if c.group_count else ""
        text += (
            f" Differences between models are paired: intervals come from the same resamples, "
            f"p-values from permutation tests{whole} with {c.n_resamples:,} permutations, "
            f"corrected by the methods of Holm and of Benjamini and Hochberg."
        )
    if len(c.models) > 2 and c.baseline is None:
        text += (
            " Whether the best model differs from the others was judged by the bootstrap "
            "distribution of the largest studentised difference over all pairs."
        )
    return f"{text} Computed with ordeval {__version__}."


def _short(metric: Metric) -> str:
    """Authors and year, with which a reference begins."""
    citation = str(metric.reference)
    found = re.match(r".*?\b\d{4}\b", citation)
    return found[0] if found else citation


_EFRON = (
    "Efron 1987, Better bootstrap confidence intervals, Journal of the American Statistical "
    "Association 82"
)
_HOLM = (
    "Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
    "Statistics 6"
)
_BENJAMINI = (
    "Benjamini & Hochberg 1995, Controlling the false discovery rate, Journal of the Royal "
    "Statistical Society B 57"
)


def _references(c: Comparison) -> tuple[str, ...]:
    used = dict.fromkeys(str(m.reference) for m in c.metrics)
    methods = [_EFRON] if len(c.models) == 1 else [_EFRON, _HOLM, _BENJAMINI]
    return tuple(sorted([*used, *methods]))


def _provenance(command: str | None) -> tuple[tuple[str, str], ...]:
    facts = [("ordeval", __version__), ("Python", platform.python_version())]
    facts.append(("NumPy", np.__version__))
    return tuple([("command", command), *facts] if command else facts)


def _amount(value: Any) -> str:
    return f"{value:,}" if isinstance(value, (int, np.integer)) else f"{value:,.6g}"


def _number(value: float, form: str = ".3f") -> str:
    return "—" if value != value else format(round(float(value), 3) + 0.0, form)
