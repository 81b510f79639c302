"""The typed summary that every rendering of a report shows. All numbers are made here."""

import itertools
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.tables import Table, cells
from ordeval._shared.text import (
    agreeing,
    amount,
    capital,
    many,
    name_of,
    number,
    plural,
    signed,
)
from ordeval._version import __version__
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.predictions import Predictions
from ordeval.data.scale import Scale
from ordeval.evaluate.compare import compare, compare_whole
from ordeval.measures import get_metric
from ordeval.report.answer import Answer, answer_of, cautions, key_findings
from ordeval.report.clinical import Clinical, at_cuts, clinical_of
from ordeval.report.exhibits import (
    MOST_ROWS,
    Classes,
    ClassRow,
    LevelItems,
    Matrices,
    MeasureTable,
    classes_of,
    matrices_of,
    measures_of,
)
from ordeval.report.explorer import LEVEL, MEASURES, ReportIntervals, data_of, unexplored
from ordeval.report.hero import Hero, hero_of
from ordeval.report.items import CellItems
from ordeval.report.method import in_short, method, references, were
from ordeval.report.nouns import Nouns
from ordeval.report.paper import checklist, paragraph
from ordeval.report.pictures import Picture, of_comparison, of_model
from ordeval.report.subgroups import subgroups_table, subgroups_title
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import (
    Comparisons,
)
from ordeval.results.conclusion import margin_sentences
from ordeval.results.overview import about, overview
from ordeval.results.phrases import in_clusters, percent

_DRAWN_IN_DETAIL: Final = 4  # models with pictures of their own
_DISAGREEMENTS: Final = 8
_MODELS_TO_EXPLORE: Final = 20
_LEVELS_IN_WORDS: Final = 12
ITEMS_NOTE: Final = (
    "The worst errors come first; within a cell, items are in the order of their ids. Of a cell "
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
        """The number of items of each cell with listed items."""
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
    """The content of a report, in its order."""

    title: str
    subject: tuple[str, ...]  # items, models, levels
    nouns: Nouns
    answer: Answer
    key: tuple[str, ...]  # the findings below the answer
    cautions: tuple[str, ...]
    hero: Hero
    matrices: Matrices | None
    measures: MeasureTable
    classes: Classes | None
    clinical: Clinical | None  # of probabilities, or of an event that was named
    conclusion: tuple[str, ...]
    overview: Table  # ranks, the measure that decides, and differences from the best
    models: Table  # below the models, the baselines
    differences: Table | None
    margin: str  # a sentence; empty without a margin
    margins: tuple[str, ...]  # what it says about each model
    pictures: tuple[Picture, ...]
    disagreements: tuple[str, ...]
    details: tuple[ModelView, ...]
    not_detailed: tuple[str, ...]
    subgroups: Table | None
    subgroups_title: str
    warnings: tuple[Warned, ...]
    notes: tuple[str, ...]
    paragraph: str  # for a paper
    how: str  # the method in short
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
    at_least: Any = None,
) -> Report:
    """Turn a comparison into the facts of a report.

    Parameters
    ----------
    comparison
        The result of ``oe.compare``; or ``Predictions``, which are compared by the default panel,
        overall and in their subgroups.
    title
        Title of the report.
    subgroups
        Comparisons of the same models in subgroups, by the name of the subgroup.
    command
        The command or call that the report shows.
    items
        Some items of each cell by model, as ``cell_items`` picks them.
    at_least
        The event that decisions are about, as the lowest level that counts: sensitivity,
        specificity, PPV, NPV and AUC are shown at this cut. If models give probabilities, the
        report shows cuts, calibration and net benefit by default.

    Returns
    -------
    Report
        The facts, which ``to_html``, ``to_docx``, ``to_markdown``, ``to_latex`` and ``to_json``
        render.

    Raises
    ------
    LabelError
        If Predictions cannot be compared.
    ParameterError
        If ``at_least`` is no level of the scale, or the lowest.
    """
    if isinstance(comparison, Predictions):
        if subgroups is None and comparison._data.query.by:
            found = compare(comparison)
            subgroups = found if isinstance(found, Comparisons) else None
        comparison = compare_whole(comparison)
    c = comparison
    nouns = Nouns(c.unit, cluster=c.cluster_unit)
    cuts = at_cuts(c, at_least)
    calibrations = {} if cuts is None else cuts.calibrations
    usual = "Comparison of models" if len(c.models) > 1 else f"Report on {c.models[0]}"
    classes = classes_of(c, nouns)
    return Report(
        title=title or usual,
        subject=tuple(_subject(c, nouns)),
        nouns=nouns,
        answer=answer_of(c),
        key=tuple(key_findings(c)),
        cautions=tuple(cautions(c, nouns)),
        hero=hero_of(c),
        matrices=matrices_of(c, nouns),
        measures=measures_of(c),
        classes=classes,
        clinical=None if cuts is None else clinical_of(cuts, c, nouns),
        conclusion=tuple(c.conclusion().split("\n\n")),
        overview=overview(c),
        models=replace(c.table(), caption=""),
        differences=_differences(c),
        margin=_margin(c),
        margins=tuple(margin_sentences(c)),
        pictures=of_comparison(c),
        disagreements=_disagreements(c),
        details=tuple(
            ModelView(
                row.model,
                _class_table(row, classes.levels, nouns),
                of_model(c.matrices[row.model], row.model, i, calibrations.get(row.model))
                if i < _DRAWN_IN_DETAIL
                else (),
                (items or {}).get(row.model, ()),
                tuple(map(str, c.scale)),
            )
            for i, row in enumerate(classes.rows[:MOST_ROWS])
        )
        if classes
        else (),
        not_detailed=c.models[MOST_ROWS:] if c.matrices else (),
        subgroups=subgroups_table(subgroups) if subgroups else None,
        subgroups_title=subgroups_title(subgroups) if subgroups else "",
        warnings=tuple(_warnings(c)),
        notes=tuple(_notes(c)),
        paragraph=paragraph(c),
        how=" ".join(in_short(c, nouns)),
        method=" ".join(method(c)),
        checklist=checklist(c, subgroups),
        references=references(c),
        provenance=tuple(provenance(command)),
        explorer=_explorer(c),
        unexplored=unexplored(_to_explore(c).values()),
        names=(*c.models, *map(str, c.scale), *map(name_of, subgroups or ())),
    )


def _subject(c: Comparison, nouns: Nouns) -> Iterator[str]:
    """What was compared: items, models, levels."""
    yield f"{nouns.count(c.items)}{in_clusters(c.clusters, nouns.cluster)}"
    if c.left_out:
        yield f"{c.left_out:,} dropped"
    if c.weight is not None:
        yield f"total weight {c.weight:,.6g}"
    yield plural(len(c.models), "model")
    if c.reference is not None:
        yield f"reference {c.reference}"
    if c.scale.k > _LEVELS_IN_WORDS:
        yield f"{c.scale.k} {nouns.levels}, from {c.scale.levels[0]} to {c.scale.levels[-1]}"
    else:
        yield f"{nouns.levels} {' < '.join(map(str, c.scale))}"


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
        "measures. Every other interval is a 95% interval from the counts alone, for "
        "independent items of equal weight."
    )
    if c.clusters or c.weight is not None:
        words += " That is not so here: such an interval may be too narrow."
    return ReportIntervals(f"as in the report: {', '.join(kinds)}", words, intervals)


def _differences(c: Comparison) -> Table | None:
    """The differences by the measure that decides."""
    table = c.differences()
    caption = table.caption[:1].upper() + table.caption[1:]
    return replace(table, caption=caption) if table.rows else None


def _margin(c: Comparison) -> str:
    """What the margin means."""
    if c.margin is None or len(c.models) < 2:
        return ""
    other = "another" if c.reference is None else c.reference
    return (
        f"A model is non-inferior to {other} if it is worse by less than {c.margin:g} "
        f"({c.primary.display}), that is, if the {percent(c.level)} interval of its gain lies "
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
        f"The reason: {d.reason}."
        for d in found[:_DISAGREEMENTS]
    ]
    if hidden := len(found[_DISAGREEMENTS:]):
        not_listed = agreeing(hidden, "are not listed")
        texts.append(f"{plural(hidden, 'weaker disagreement')} {not_listed}.")
    return tuple(texts)


def _sure(share: float) -> str:
    return ">99%" if share >= 0.995 else f"{share:.0%}"


def _class_table(row: ClassRow, levels: tuple[LevelItems, ...], nouns: Nouns) -> Table:
    """Recall, precision and errors of each class of a model."""
    head = (nouns.level, nouns.items, "recall", "precision", "mean error", "bias")
    columns = (
        [x.name for x in levels],
        [amount(x.items) for x in levels],
        *(list(map(number, x)) for x in (row.recall, row.precision, row.mean_error)),
        list(map(signed, row.bias)),
    )
    rows = tuple(cells(*x) for x in zip(*columns, strict=True))
    note = "Mean error: mean number of steps between prediction and truth. Bias: the signed mean."
    return Table(head, rows, f"Classes of {row.model}", (note,))


def _notes(c: Comparison) -> Iterator[str]:
    yield f"{plural(c.items, c.unit)}, {c.left_out or 'none'} dropped."
    yield f"The scale, lowest first: {', '.join(map(str, c.scale))}."
    if c.weight is not None:
        total = amount(c.weight)
        yield (
            f"{capital(many(c.unit))} are weighted; the total weight is {total}. The effective "
            f"sample size of the {plural(c.items, c.unit)} is {c.effective:,.0f}."
        )
    for column, lost in c.dropped.items():
        lacking = f"{lost.missing:,} missing and {lost.unknown:,} unknown labels"
        yield f"{column}: {lacking} were left out."
    if c.left_out:
        yield f"In all, {were(c.left_out, c.unit)} left out, for every model."
    yield from about(c)
    if clusters := c.clusters:
        units = plural(clusters, c.cluster_unit)
        yield f"The {many(c.unit)} belong to {units}, which are independent."


def provenance(command: str | None) -> Iterator[tuple[str, str]]:
    """How a page was made: the command, if one was typed, and versions."""
    if command:
        yield "command", command
    yield "ordeval", __version__
    yield "Python", platform.python_version()
    yield "NumPy", np.__version__
