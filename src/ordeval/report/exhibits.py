"""The other exhibits of a report: matrices, measures and classes, models in one order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.text import capital, joined
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.parts.arrays import ratio
from ordeval.report.hero import baselines_of
from ordeval.report.nouns import Nouns
from ordeval.results.comparison import Comparison
from ordeval.results.conclusion import groups

_RARE: Final = 0.05  # of all items; classes with a smaller share are rare
_HARDLY: Final = 0.1  # of the items of rare classes, at most, are almost none
_STEPS: Final = (0.1, 0.25, 0.5, 0.75)  # shares of a row between which the colour changes
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# What most readers know, in this order, after the measure that decides.
_KNOWN: Final = (
    "cem_ord",
    "accuracy",
    "average_mae",
    "weighted_kappa",
    "ranked_probability_score",
    "mean_absolute_error",
)
FIRST: Final = 4  # measures that are shown at once
MOST_ROWS: Final = 8  # models in a table that is not collapsed
MOST_MATRICES: Final = 5
_LISTED: Final = 5  # levels that a sentence lists
_TEXT: Final = (15, 8)  # levels up to which the large and the small matrices show their counts


def in_words(n: int) -> str:
    """Return a small number as a word."""
    return _NUMBERS[n] if n < len(_NUMBERS) else f"{n:,}"


@dataclass(frozen=True)
class DrawnCell:
    """A cell of a matrix as it is drawn."""

    count: Any
    share: float  # of its row
    right: bool

    @property
    def look(self) -> str:
        """The colour: right or wrong, and the step of the share; nothing without items."""
        step = 1 + sum(self.share > s for s in _STEPS)
        return f"{'b' if self.right else 'o'}{step}" if self.count else ""


@dataclass(frozen=True)
class MatrixView:
    """The confusion matrix of a model, and how far its errors go."""

    model: str
    counts: tuple[tuple[Any, ...], ...]
    right: Any
    one_off: Any
    further: Any

    @property
    def total(self) -> Any:
        """All items, or their weight."""
        return self.right + self.one_off + self.further

    def rows(self) -> Iterator[tuple[Any, list[DrawnCell]]]:
        """Each row: its sum and its cells."""
        for i, row in enumerate(self.counts):
            total = sum(row)
            yield (
                total,
                [DrawnCell(n, n / total if total else 0.0, i == j) for j, n in enumerate(row)],
            )

    def shares(self) -> list[float]:
        """The shares that are right, one step off and further off, in percent."""
        parts = (self.right, self.one_off, self.further)
        return [100 * float(x) / float(self.total) if self.total else 0.0 for x in parts]


@dataclass(frozen=True)
class Matrices:
    """The matrices of all models side by side."""

    title: str
    lead: str
    note: str
    levels: tuple[str, ...]
    views: tuple[MatrixView, ...]

    @property
    def shown(self) -> tuple[MatrixView, ...]:
        """Those of the best models."""
        return self.views[:MOST_MATRICES]

    @property
    def sizes(self) -> tuple[float, float]:
        """How wide the cells of the large and of the small matrices are, in pixels."""
        k = len(self.levels)
        return min(max(round(276 / k, 1), 13.0), 64.0), min(max(round(168 / k, 1), 5.6), 40.0)

    @property
    def text(self) -> tuple[bool, bool]:
        """Whether the cells of the large and of the small matrices show their counts."""
        return len(self.levels) <= _TEXT[0], len(self.levels) <= _TEXT[1]

    @property
    def named(self) -> int:
        """Every how many levels have their name at a matrix."""
        return -(-len(self.levels) // _TEXT[0])


def matrices_of(c: Comparison, nouns: Nouns) -> Matrices | None:
    """Collect the matrices of all models that have one.

    Parameters
    ----------
    c
        The comparison.
    nouns
        What items and levels are called.

    Returns
    -------
    Matrices or None
        The matrices, best model first; None if the models give only scores.
    """
    views = tuple(_view(m, c.matrices[m]) for m in c.models if m in c.matrices)
    if not views:
        return None
    level = nouns.level
    what = f"{capital(nouns.items)}{' with a human label' if c.human else ''}"
    return Matrices(
        title=_spread(views[0]),
        lead=f"{what} by true {level} (rows) and predicted {level} (columns). "
        f"Empty cells: no {nouns.items}.",
        note=_largest_error(views[0], tuple(map(str, c.scale)), nouns),
        levels=tuple(map(str, c.scale)),
        views=views,
    )


def _view(model: str, cm: ConfusionMatrix) -> MatrixView:
    n = cm.counts
    off = np.abs(np.arange(cm.k) - np.arange(cm.k)[:, None])
    parts = [n[off == 0].sum(), n[off == 1].sum(), n[off > 1].sum()]
    return MatrixView(model, tuple(map(tuple, n.tolist())), *(x.item() for x in parts))


def _spread(view: MatrixView) -> str:
    """How far the errors of the best model go."""
    right, near, far = view.shares()
    said = f"{view.model} is right for {whole(right)}"
    if not far and near and len(view.counts) > 2:
        return f"{said}, and never more than one step off"
    return f"{said} and within one step for {whole(right + near)}" if near and far else said


def whole(percent: float) -> str:
    """Return a percentage without decimals; what is not all is not rounded to all.

    >>> whole(71.2), whole(99.7), whole(0.2), whole(100), whole(0)
    ('71%', 'over 99%', 'under 1%', '100%', '0%')
    """
    if 99.5 <= percent < 100 - 1e-9:
        return "over 99%"
    return "under 1%" if 1e-9 < percent < 0.5 else f"{percent:.0f}%"


def _largest_error(view: MatrixView, levels: tuple[str, ...], nouns: Nouns) -> str:
    """Which confusion takes the largest share of a true class."""
    errors = [
        (cell.share, i, j)
        for i, (_, row) in enumerate(view.rows())
        for j, cell in enumerate(row)
        if cell.count and not cell.right
    ]
    colour = f"Colour is the share of each true {nouns.level}."
    if not errors:
        return f"{colour} {view.model} makes no error."
    share, i, j = max(errors, key=lambda e: (e[0], -e[1], -e[2]))
    if share < _STEPS[1]:
        return colour
    return (
        f"{colour} {view.model} predicts {levels[j]} for {whole(100 * share)} of the {nouns.items} "
        f"of {nouns.level} {levels[i]}."
    )


@dataclass(frozen=True)
class ShownValue:
    """A value of a measure with its interval."""

    value: float
    low: float
    high: float
    best: bool


@dataclass(frozen=True)
class MeasureColumn:
    """A column of the table of measures."""

    name: str
    display: str
    better: str
    values: tuple[ShownValue, ...]  # of the models, best model first
    baseline: float | None  # the best of those without skill


@dataclass(frozen=True)
class MeasureTable:
    """The measures that most readers ask for first, and all others."""

    title: str
    models: tuple[str, ...]
    new_group: tuple[bool, ...]
    columns: tuple[MeasureColumn, ...]


def measures_of(c: Comparison) -> MeasureTable:
    """Collect the values of all measures.

    Parameters
    ----------
    c
        The comparison.

    Returns
    -------
    MeasureTable
        One column for each measure; those to show first come first.
    """
    rest = sorted(c.metrics[1:], key=lambda m: _KNOWN.index(m.name) if m.name in _KNOWN else 99)
    columns = []
    for m in (c.primary, *rest):
        estimates, ranks = c.estimates[m.name], c.ranks[m.name]
        top = min(ranks.values())
        values = tuple(
            ShownValue(
                (x := estimates[model]).estimate,
                x.low,
                x.high,
                len(c.models) > 1 and bool(ranks[model] == top) and bool(np.isfinite(x.estimate)),
            )
            for model in c.models
        )
        better = {True: "↑ higher is better", False: "↓ lower is better", None: "best near 0"}
        best = next((b.value for b in baselines_of(c, m) if b.best), None)
        columns.append(
            MeasureColumn(m.name, capital(m.display), better[m.greater_is_better], values, best)
        )
    starts = {group[0] for group in groups(c)[1:]}
    cut = tuple(model in starts for model in c.models)
    return MeasureTable(_best_on(c, columns[:FIRST]), c.models, cut, tuple(columns))


def _beats(c: Comparison, column: MeasureColumn) -> bool:
    """Whether the interval of the best model lies above the best baseline."""
    metric = next(m for m in c.metrics if m.name == column.name)
    if column.baseline is None or metric.greater_is_better is None:
        return False
    end = column.values[0].low if metric.greater_is_better else column.values[0].high
    return bool(metric.utility(end) > metric.utility(column.baseline))


def _best_on(c: Comparison, columns: list[MeasureColumn]) -> str:
    """On how many of the measures shown the best model is first."""
    number, best = len(columns), c.models[0]
    if len(c.models) == 1 and number > 1:
        beaten = sum(_beats(c, x) for x in columns)
        some = f"all {in_words(number)}" if beaten == number else f"{beaten} of {number}"
        return f"{best} beats the best baseline on {some} measures"
    if number < 2:
        return columns[0].display
    alone = [x for x in columns if x.values[0].best and sum(v.best for v in x.values) == 1]
    tied = [x for x in columns if x.values[0].best]
    every = "both" if number == 2 else f"all {in_words(number)}"
    if len(alone) == number:
        return f"{best} is best on {every} measures"
    if len(tied) == number:
        return f"{best} is best, or ties for best, on {every} measures"
    if not tied:
        return f"{best} is best on none of these measures"
    return f"{best} is best on {in_words(len(tied))} of {in_words(number)} measures"


@dataclass(frozen=True)
class LevelItems:
    """A level of the scale."""

    name: str
    items: Any
    rare: bool


@dataclass(frozen=True)
class ClassRow:
    """One model class by class."""

    model: str
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    mean_error: tuple[float, ...]
    bias: tuple[float, ...]


@dataclass(frozen=True)
class Classes:
    """All classes of all models."""

    title: str
    lead: str
    levels: tuple[LevelItems, ...]
    rows: tuple[ClassRow, ...]


def classes_of(c: Comparison, nouns: Nouns) -> Classes | None:
    """Collect recall, precision and errors of every class of every model.

    Parameters
    ----------
    c
        The comparison.
    nouns
        What items and levels are called.

    Returns
    -------
    Classes or None
        One row for each model; None if the models give only scores.
    """
    found = [(m, c.matrices[m]) for m in c.models if m in c.matrices]
    if not found:
        return None
    support = found[0][1].support
    total = float(support.sum())
    rare = min(_RARE, 0.5 / c.scale.k)  # with many classes, half of an equal share
    names = list(map(str, c.scale))
    levels = tuple(
        LevelItems(name, n.item(), bool(0 < n < rare * total))
        for name, n in zip(names, support, strict=True)
    )
    rows = tuple(_class_row(model, cm) for model, cm in found)
    shaded = (
        f" Shaded: under {100 * rare:.2g}% of the {nouns.items}."
        if any(x.rare for x in levels)
        else ""
    )
    return Classes(
        title=_hard_classes(rows, levels, nouns),
        lead=f"Recall and, below it, mean error in steps.{shaded}",
        levels=levels,
        rows=rows,
    )


def listed_levels(some: list[str], nouns: Nouns, *, all_levels: list[str]) -> str:
    """Return levels in a sentence: "class 3", "classes 3 and 4", "10 of 30 classes"."""
    if len(some) == 1:
        return f"{nouns.level} {some[0]}"
    if len(some) > _LISTED:
        return f"{len(some)} of {len(all_levels)} {nouns.levels}"
    return f"{nouns.levels} {joined(some)}"


def _class_row(model: str, cm: ConfusionMatrix) -> ClassRow:
    n = cm.counts.astype(np.float64)
    step = np.arange(cm.k) - np.arange(cm.k)[:, None]
    true, predicted, right = n.sum(axis=1), n.sum(axis=0), np.diagonal(n)
    parts = (
        ratio(right, true),
        ratio(right, predicted),
        ratio((n * np.abs(step)).sum(axis=1), true),
        ratio((n * step).sum(axis=1), true),
    )
    return ClassRow(model, *(tuple(x.tolist()) for x in parts))


def _pooled(row: ClassRow, levels: tuple[LevelItems, ...], *, rare: bool) -> float:
    """The share that a model recognises of all items of rare, or of all other, classes."""
    pairs = [(r, x.items) for r, x in zip(row.recall, levels, strict=True) if x.rare == rare]
    items = sum(n for _, n in pairs)
    return sum(r * n for r, n in pairs if n) / items if items else float("nan")


def _hard_classes(rows: tuple[ClassRow, ...], levels: tuple[LevelItems, ...], nouns: Nouns) -> str:
    """Which classes are hard: the rare ones, or those that the best model recognises least."""
    first = rows[0]
    if any(x.rare for x in levels):
        rare = [_pooled(row, levels, rare=True) for row in rows]
        others = _pooled(first, levels, rare=False)
        said = f"Rare {nouns.levels} are"
        if max(rare) == 0:
            return f"{said} never recognised"
        if max(rare) <= _HARDLY:
            return f"{said} almost never recognised"
        if whole(100 * rare[0]) != whole(100 * others) and rare[0] < others:
            few = f"{whole(100 * rare[0])} of rare {nouns.levels}"
            return f"{first.model} recognises {few}, {whole(100 * others)} of the others"
    known = {x.name: r for x, r in zip(levels, first.recall, strict=True) if r == r}
    least, most = min(known.values()), max(known.values())
    if whole(100 * least) == whole(100 * most):
        return f"{first.model} recognises every {nouns.level} equally often"
    hard = [name for name, r in known.items() if r == least]
    where = listed_levels(hard, nouns, all_levels=[x.name for x in levels])
    return f"{first.model} recognises {where} least often ({whole(100 * least)})"
