"""The typed summary that every rendering of a report shows. All numbers are made here."""

import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import amount, bracketed, name_of, number, plural, signed
from ordeval._version import __version__
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures._arrays import ratio
from ordeval.report.pictures import Picture, of_comparison, of_model
from ordeval.results.comparison import Comparison, correction_note

_MODELS_IN_DETAIL: Final = 4
_DISAGREEMENTS: Final = 8
_METHODS: Final = (
    (
        "Efron 1987, Better bootstrap confidence intervals, Journal of the American Statistical "
        "Association 82"
    ),
    (
        "Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal "
        "of Statistics 6"
    ),
    (
        "Benjamini & Hochberg 1995, Controlling the false discovery rate, Journal of the Royal "
        "Statistical Society B 57"
    ),
)


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
    models: Table  # below the models, the baselines
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
        Comparisons of the same models in subgroups, by the name of the subgroup.
    command
        What was typed to get here, which the report repeats.
    """
    c = comparison
    table = c.table()
    usual = "Comparison of models" if len(c.models) > 1 else f"Report on {c.models[0]}"
    return Report(
        title=title or usual,
        subject=table.caption,
        conclusion=tuple(c.conclusion().split("\n\n")),
        models=replace(table, caption=""),
        model_count=len(c.models),
        differences=_differences(c),
        pictures=of_comparison(c),
        disagreements=_disagreements(c),
        details=tuple(
            ModelView(name, _classes(c.matrices[name]), of_model(c.matrices[name], name, i))
            for i, name in enumerate(c.models[:_MODELS_IN_DETAIL])
        ),
        not_detailed=c.models[_MODELS_IN_DETAIL:],
        subgroups=_subgroups(subgroups) if subgroups else None,
        warnings=tuple(Warned(a.code, a.entry.title, a.message, a.entry.meaning) for a in c.advice),
        notes=tuple(_notes(c)),
        method=" ".join(_method(c)),
        references=_references(c),
        provenance=tuple(_provenance(command)),
    )


def authors_and_year(citation: str) -> str:
    """What a citation begins with.

    >>> authors_and_year("Holm 1979, A simple sequentially rejective multiple test procedure")
    'Holm 1979'
    """
    found = re.match(r".*?\b\d{4}\b", citation)
    return found[0] if found else citation


def _differences(c: Comparison) -> Table | None:
    """The differences by the measure that decides."""
    table = c.deltas().table()
    rows = tuple(row[1:] for row in table.rows if row[0].text == c.primary.name)
    tests = sum(d.p_value == d.p_value for d in c.deltas())
    caption = f"Differences in {c.primary.name}"
    return Table(table.head[1:], rows, caption, (correction_note(tests),)) if rows else None


def _disagreements(c: Comparison) -> tuple[str, ...]:
    found = c.disagreements()
    texts = [
        f"{d.metric_for_a} prefers {d.a} ({d.share_for_a:.0%} of the draws), {d.metric_for_b} "
        f"prefers {d.b} ({d.share_for_b:.0%}){'' if d.firm else ', which may be chance'}. "
        f"What sets these measures apart: {d.reason}."
        for d in found[:_DISAGREEMENTS]
    ]
    if hidden := len(found[_DISAGREEMENTS:]):
        are = "is" if hidden == 1 else "are"
        texts.append(f"{plural(hidden, 'weaker disagreement')} {are} not listed.")
    return tuple(texts)


def _classes(cm: ConfusionMatrix) -> Table:
    """Recall, precision and errors of each class."""
    n = cm.counts.astype(np.float64)
    step = np.arange(cm.k) - np.arange(cm.k)[:, None]
    true, predicted, right = n.sum(axis=1), n.sum(axis=0), np.diagonal(n)
    columns = {
        "class": map(str, cm.scale),
        "true": map(amount, cm.support),
        "predicted": map(amount, cm.predicted),
        "recall": map(number, ratio(right, true)),
        "precision": map(number, ratio(right, predicted)),
        "mean error": map(number, ratio((n * np.abs(step)).sum(axis=1), true)),
        "bias": map(signed, ratio((n * step).sum(axis=1), true)),
    }
    rows = tuple(tuple(map(Cell, row)) for row in zip(*columns.values(), strict=True))
    note = "Mean error: steps between prediction and truth; bias: the same with their sign."
    return Table(tuple(columns), rows, "Class by class", (note,))


def _subgroups(parts: Mapping[Any, Comparison]) -> Table:
    """The estimate of each model in each subgroup, by the measure that decides."""
    first = next(iter(parts.values()))
    names = sorted(first.models)
    rows = []
    for subgroup, c in parts.items():
        found = c.estimates[c.primary.name]
        cells = [
            Cell(number(x.estimate), bracketed(x.low, x.high), best=m == c.models[0])
            for m, x in ((m, found[m]) for m in names)
        ]
        rows.append((Cell(name_of(subgroup)), Cell(amount(c.items)), *cells))
    note = f"{first.primary.name}; {{best}}: best of its row; {first.level:.0%} intervals."
    return Table(("subgroup", "items", *names), tuple(rows), "Subgroups", (note,))


def _notes(c: Comparison) -> Iterator[str]:
    yield f"The scale, lowest first: {', '.join(map(str, c.scale))}."
    if c.matrices[c.models[0]].weighted:
        total = amount(float(c.matrices[c.models[0]].total))
        yield f"Items are weighted; the total weight is {total}."
    for column, lost in c.dropped.items():
        lacking = f"{lost.missing:,} missing and {lost.unknown:,} unknown labels"
        yield f"{column}: {lacking} were left out."
    if c.left_out:
        yield f"In all, {_were(c.left_out)} left out, for every model."
    if clusters := c.clusters:
        yield f"The items belong to {plural(clusters, 'cluster')}, drawn whole."


def _were(items: int) -> str:
    return f"{plural(items, 'item')} {'was' if items == 1 else 'were'}"


def _method(c: Comparison) -> Iterator[str]:
    """Sentences for the methods section of a paper."""
    models, clusters = plural(len(c.models), "model"), c.clusters
    several = len(c.models) > 1
    units = f"whole clusters of items ({clusters:,} clusters)" if clusters else "items"
    kind = "bias-corrected and accelerated (BCa)" if c.method == "bca" else c.method
    measures = "; ".join(f"{m.name} ({authors_and_year(str(m.reference))})" for m in c.metrics)
    yield (
        f"{models} {'were' if several else 'was'} evaluated on {c.items:,} items of {c.scale.k} "
        f"ordered classes. Performance was measured by {measures}; {c.primary.name} was the "
        f"measure to decide by. Intervals of {c.level:.0%} are {kind} bootstrap intervals from "
        f"{c.n_resamples:,} resamples of {units}."
    )
    if c.left_out:
        yield f"{_were(c.left_out)} left out for a missing or unknown label."
    if c.matrices[c.models[0]].weighted:
        yield "Items were weighted."
    if several:
        whole = ", which exchange whole clusters," if clusters else ""
        yield (
            f"Differences between models are paired: intervals come from the same resamples, "
            f"p-values from permutation tests{whole} with {c.n_resamples:,} permutations, "
            f"corrected by the methods of Holm and of Benjamini and Hochberg."
        )
    if len(c.models) > 2 and c.reference is None:
        yield (
            "Whether the best model differs from the others was judged by the bootstrap "
            "distribution of the largest studentised difference over all pairs."
        )
    yield f"Computed with ordeval {__version__}."


def _references(c: Comparison) -> tuple[str, ...]:
    methods = _METHODS if len(c.models) > 1 else _METHODS[:1]
    return tuple(sorted({*(str(m.reference) for m in c.metrics), *methods}))


def _provenance(command: str | None) -> Iterator[tuple[str, str]]:
    if command:
        yield "command", command
    yield "ordeval", __version__
    yield "Python", platform.python_version()
    yield "NumPy", np.__version__
