"""The typed summary that every rendering of a report shows. All numbers are made here."""

import itertools
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    agreeing,
    amount,
    bracketed,
    joined,
    name_of,
    number,
    p_value,
    plural,
    signed,
)
from ordeval._version import __version__
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.predictions import Predictions
from ordeval.data.scale import Scale
from ordeval.evaluate.compare import compare, compare_whole
from ordeval.exceptions import ParameterError
from ordeval.measures import get_metric
from ordeval.measures.parts.arrays import ratio
from ordeval.report.explorer import LEVEL, MEASURES, ReportIntervals, data_of, unexplored
from ordeval.report.items import CellItems
from ordeval.report.method import method, references, were
from ordeval.report.paper import checklist, paragraph
from ordeval.report.pictures import Picture, of_comparison, of_model
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import (
    Comparisons,
    Shown,
    correction,
    findings_of,
    findings_table,
    in_order,
)
from ordeval.results.conclusion import margin_sentences, span_of
from ordeval.results.phrases import percent

_MODELS_IN_DETAIL: Final = 4
_DISAGREEMENTS: Final = 8
_MODELS_TO_EXPLORE: Final = 20
_LEVELS_IN_WORDS: Final = 12
ITEMS_NOTE: Final = (
    "The worst errors come first; within a cell, items stand in the order of their ids. Of a cell "
    "with more items than are listed, they were chosen at random."
)


@dataclass(frozen=True)
class Warned:
    """Warnings of one code: what they say about these data, and what the code means."""

    code: str
    title: str
    messages: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class ModelView:
    """One model class by class."""

    name: str
    classes: Table
    pictures: tuple[Picture, ...]
    items: tuple[CellItems, ...] = ()  # of the cells that hold any, the worst errors first
    levels: tuple[str, ...] = ()

    def counts(self) -> list[list[int]]:
        """How many items each cell has of which some are listed."""
        at = {(c.true, c.predicted): c.total for c in self.items}
        places = range(len(self.levels))
        return [[at.get((i, j), 0) for j in places] for i in places]

    def listed(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Which cell it is and how many of its items are listed, and those items."""
        for c in self.items:
            few = f"{len(c.items):,}" if len(c.items) < c.total else "all"
            cell = f"true {self.levels[c.true]}, predicted {self.levels[c.predicted]}"
            items = [
                (f"{name} ({which})" if which else name, text) for name, which, text in c.each()
            ]
            yield f"{cell}: {few} of {c.total:,}", items


@dataclass(frozen=True)
class Report:
    """Everything that a report says, in the order in which it says it."""

    title: str
    subject: str
    conclusion: tuple[str, ...]
    models: Table  # below the models, the baselines
    model_count: int
    differences: Table | None
    may_be_best: str  # a sentence; empty with fewer than three models
    ranks: Table | None
    margin: str  # a sentence; empty without a margin
    margins: tuple[str, ...]  # what it says about each model
    pictures: tuple[Picture, ...]
    disagreements: tuple[str, ...]
    details: tuple[ModelView, ...]
    not_detailed: tuple[str, ...]
    subgroups: Table | None
    warnings: tuple[Warned, ...]
    notes: tuple[str, ...]
    paragraph: str  # for a paper
    method: str
    checklist: Table
    references: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    explorer: str = ""  # what the explorer starts from, as JSON; empty if there is none
    unexplored: str = ""  # why there are matrices and no explorer
    names: tuple[str, ...] = ()  # of models, levels and subgroups: from data, and of any length


@checked
def summarise(
    comparison: Comparison | Predictions,
    *,
    title: str | None = None,
    subgroups: Mapping[Any, Comparison] | None = None,
    command: str | None = None,
    items: Mapping[str, tuple[CellItems, ...]] | None = None,
) -> Report:
    """Turn a comparison into the facts of a report.

    Parameters
    ----------
    comparison
        The result of ``oe.compare``; or ``Predictions``, which are compared by the default panel,
        overall and in their subgroups.
    title
        Of the report.
    subgroups
        Comparisons of the same models in subgroups, by the name of the subgroup.
    command
        What was typed to get here, which the report repeats.
    items
        Some items of each cell by model, as ``cell_items`` picks them.

    Returns
    -------
    Report
        The facts, which ``to_html``, ``to_docx``, ``to_markdown``, ``to_latex`` and ``to_json``
        render.

    Raises
    ------
    LabelError
        If Predictions cannot be compared.
    """
    if isinstance(comparison, Predictions):
        if subgroups is None and comparison._data.query.by:
            found = compare(comparison)
            subgroups = found if isinstance(found, Comparisons) else None
        comparison = compare_whole(comparison)
    c = comparison
    table = c.table()
    usual = "Comparison of models" if len(c.models) > 1 else f"Report on {c.models[0]}"
    return Report(
        title=title or usual,
        subject=in_words(table.caption, c.scale),
        conclusion=tuple(c.conclusion().split("\n\n")),
        models=replace(table, caption=""),
        model_count=len(c.models),
        differences=_differences(c),
        may_be_best=_may_be_best(c),
        ranks=_ranks(c),
        margin=_margin(c),
        margins=tuple(margin_sentences(c)),
        pictures=of_comparison(c),
        disagreements=_disagreements(c),
        details=tuple(
            ModelView(
                name,
                _classes(name, c.matrices[name]),
                of_model(c.matrices[name], name, i, c.forecasts.get(name)),
                (items or {}).get(name, ()),
                tuple(map(str, c.scale)),
            )
            for i, name in enumerate(c.models[:_MODELS_IN_DETAIL])
            if name in c.matrices
        ),
        not_detailed=c.models[_MODELS_IN_DETAIL:] if c.matrices else (),
        subgroups=_subgroups(subgroups) if subgroups else None,
        warnings=tuple(_warnings(c)),
        notes=tuple(_notes(c)),
        paragraph=paragraph(c),
        method=" ".join(method(c)),
        checklist=checklist(c, subgroups),
        references=references(c),
        provenance=tuple(provenance(command)),
        explorer=_explorer(c),
        unexplored=unexplored(_to_explore(c).values()),
        names=(*c.models, *map(str, c.scale), *map(name_of, subgroups or ())),
    )


def in_words(caption: str, scale: Scale) -> str:
    """A caption that ends in a scale, for people who read no code."""
    levels = list(map(str, scale))
    if len(levels) > _LEVELS_IN_WORDS:
        said = f"{len(levels)} levels, from {levels[0]} to {levels[-1]}"
    else:
        said = " < ".join(levels)
    return caption.removesuffix(str(scale)) + said


def _to_explore(c: Comparison) -> dict[str, ConfusionMatrix]:
    """The matrices of the models that the page may change."""
    return {m: c.matrices[m] for m in c.models[:_MODELS_TO_EXPLORE] if m in c.matrices}


def _explorer(c: Comparison) -> str:
    """What the explorer of a report starts from, if it can hold all of the matrices."""
    found = _to_explore(c)
    return data_of(found, _basis(c)) if found and not unexplored(found.values()) else ""


def _basis(c: Comparison) -> ReportIntervals | None:
    """What the report's intervals know that counts do not say; nothing if there is nothing."""
    kinds = [
        *([percent(c.level)] if c.level != LEVEL else []),
        *(["by bootstrap"] if c.method != "auto" else []),
        *(["clustered"] if c.clusters else []),
        *(["weighted"] if c.weight is not None else []),
    ]
    if not kinds:
        return None
    intervals = {
        model: {
            m.name: (float(x.low), float(x.high))
            for m in c.metrics
            if m.name in MEASURES and m == get_metric(m.name)
            if np.isfinite([(x := c.estimates[m.name][model]).low, x.high]).all()
        }
        for model in c.models
    }
    words = (
        f"The models as they are have the intervals of this report ({', '.join(kinds)}), by its "
        f"measures. Every other interval is made from the counts alone: 95%, as if the items were "
        f"independent of each other and of equal weight."
    )
    if c.clusters or c.weight is not None:
        words += " That is not so here: such an interval may be too narrow."
    return ReportIntervals(f"as in the report: {', '.join(kinds)}", words, intervals)


def _differences(c: Comparison) -> Table | None:
    """The differences by the measure that decides."""
    table = c.differences()
    caption = table.caption[:1].upper() + table.caption[1:]
    return replace(table, caption=caption) if table.rows else None


def _may_be_best(c: Comparison) -> str:
    """The models of which one is the best."""
    if len(c.models) < 3 or not c.may_be_best:
        return ""
    if len(c.may_be_best) == 1:
        said = f"only {c.may_be_best[0]} may be the best model"
    else:
        every = joined(c.may_be_best, "or", most=len(c.may_be_best))
        said = f"the best of the {len(c.models)} models is {every}"
    return f"By {c.primary.name}, with {percent(c.level)} confidence, {said}."


def _ranks(c: Comparison) -> Table | None:
    """The ranks that each model may have, and by how many models."""
    name, alpha, m = c.primary.name, 1 - c.level, len(c.models)
    if m < 3 or np.isinf([x.estimate for x in c.estimates[name].values()]).all():
        return None
    rows = []
    for i, model in enumerate(c.models):
        low, high = c.rank_sets[name][model]
        alike = int((~(np.delete(c.separation[i], i) <= alpha)).sum())
        best = model in c.may_be_best
        found = [
            f"{c.ranks[name][model]:g}",
            span_of((low, high)),
            str(low - 1),
            str(m - 1 - alike - (low - 1)),
            str(alike),
            "yes" if best else "no",
        ]
        if np.isinf(c.estimates[name][model].estimate):
            found = [number(np.nan)] * len(found)
        rows.append(cells(model, *found))
    shown = ("models shown better", "shown worse", "not told apart", "may be the best")
    head = ("model", "rank", "possible ranks", *shown)
    note = (
        f"With {percent(c.level)} confidence all these ranks hold at once. Which models may be the "
        f"best is a question of its own, so that they can be fewer than those whose ranks begin at "
        f"1."
    )
    return Table(head, tuple(rows), f"Ranks by {name}", (note,), head[-1:])


def _margin(c: Comparison) -> str:
    """What the margin means."""
    if c.margin is None or len(c.models) < 2:
        return ""
    other = "another" if c.reference is None else c.reference
    return (
        f"A model is non-inferior to {other} if it is shown to be worse by less than {c.margin:g} "
        f"({c.primary.name}), that is, if the whole {percent(c.level)} interval of its gain lies "
        f"above -{c.margin:g} (one-sided p below {(1 - c.level) / 2:.3g}); it is equivalent if the "
        f"interval lies between -{c.margin:g} and +{c.margin:g}. The gain is the difference, "
        f"turned so that more is better."
    )


def _warnings(c: Comparison) -> Iterator[Warned]:
    """The advice by its code."""
    for code, found in itertools.groupby(c.advice, key=lambda a: a.code):
        advice = list(found)
        entry = advice[0].entry
        yield Warned(code, entry.title, tuple(a.message for a in advice), entry.meaning)


def _disagreements(c: Comparison) -> tuple[str, ...]:
    found = c.disagreements()
    texts = [
        f"{d.metric_for_a} prefers {d.a} ({_sure(d.share_for_a)} confidence), {d.metric_for_b} "
        f"prefers {d.b} ({_sure(d.share_for_b)}){'' if d.firm else ', which may be chance'}. "
        f"What sets these measures apart: {d.reason}."
        for d in found[:_DISAGREEMENTS]
    ]
    if hidden := len(found[_DISAGREEMENTS:]):
        not_listed = agreeing(hidden, "are not listed")
        texts.append(f"{plural(hidden, 'weaker disagreement')} {not_listed}.")
    return tuple(texts)


def _sure(share: float) -> str:
    return ">99%" if share >= 0.995 else f"{share:.0%}"


def _classes(name: str, cm: ConfusionMatrix) -> Table:
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
    return Table(tuple(columns), rows, f"Classes of {name}", (note,))


def _subgroups(parts: Mapping[Any, Comparison]) -> Table:
    """The estimates and what stands in each subgroup, by the measure that decides."""
    first = next(iter(parts.values()))
    if not isinstance(first, Comparison):
        raise ParameterError("subgroups must map the names of subgroups to their comparisons.")
    column = ", ".join(parts.by) if isinstance(parts, Comparisons) else "subgroup"
    if first.reference is not None and len(first.models) > 1:
        table = findings_table(parts, column)
        return replace(table, caption=f"Subgroups: {table.caption}")
    names, shown, rows = sorted(first.models), Shown(parts), []
    found, sorted_by = in_order(findings_of(parts))
    best = {f.subgroup: f for f in found}
    for subgroup in best or parts:
        f = best.get(subgroup)
        leads = first.models[0] if f is None else f.delta.a
        cells = [replace(shown.value(subgroup, m), best=m == leads) for m in names]
        if f is not None:
            ends = bracketed(f.delta.low, f.delta.high, signed)
            cells += [Cell(signed(f.delta.delta), ends), Cell(p_value(f.p_adjusted))]
        rows.append((*shown.place(subgroup), *cells))
    head = (column, "items", *names, *(("best − second", "p adj.") if found else ()))
    note = f"{first.primary.name}; {{best}}: best of its row; {percent(first.level)} intervals."
    return Table(head, tuple(rows), "Subgroups", (note, *correction(parts), *sorted_by))


def _notes(c: Comparison) -> Iterator[str]:
    yield f"The scale, lowest first: {', '.join(map(str, c.scale))}."
    if c.weight is not None:
        total = amount(c.weight)
        yield (
            f"Items are weighted; the total weight is {total}. The {plural(c.items, 'item')} say "
            f"as much as {c.effective:,.0f} of equal weight."
        )
    for column, lost in c.dropped.items():
        lacking = f"{lost.missing:,} missing and {lost.unknown:,} unknown labels"
        yield f"{column}: {lacking} were left out."
    if c.left_out:
        yield f"In all, {were(c.left_out)} left out, for every model."
    if clusters := c.clusters:
        yield f"The items belong to {plural(clusters, 'cluster')}, which are independent."


def provenance(command: str | None) -> Iterator[tuple[str, str]]:
    """How a page was made: the command, if one was typed, and versions."""
    if command:
        yield "command", command
    yield "ordeval", __version__
    yield "Python", platform.python_version()
    yield "NumPy", np.__version__
