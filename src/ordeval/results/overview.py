"""The tables of models of a comparison, and the lines that the terminal shows below them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import (
    BETTER,
    argument,
    bracketed,
    many,
    number,
    p_value,
    plural,
    signed,
    visible,
)
from ordeval.inference.intervals import how_made
from ordeval.results.conclusion import agreement, best_baseline, span_of
from ordeval.results.phrases import cut_short, in_clusters, percent, sentence
from ordeval.results.scores import gain_over, gained, legend

if TYPE_CHECKING:
    from ordeval.data.scale import Scale
    from ordeval.inference.paired import Delta
    from ordeval.measures import Metric
    from ordeval.results.comparison import Comparison

_SHOWN_MODELS: Final = 40
_DIFFERENCE: Final = 3  # its column in the overview
_WIDTH: Final = 80  # of a terminal
_LONG_NAME: Final = 12  # letters of a name at the head of a column
_LONG_SCALE: Final = 30
_FEW_LEVELS: Final = 5


def overview(c: Comparison) -> Table:
    """Models by rank: value, difference from the best or the reference, corrected p-value."""
    beside = c.models[0] if c.reference is None else c.reference
    found = {name: d for d in c.pairs if d.metric == c.primary.name for name in _other(d, beside)}
    values = c.estimates[c.primary.name]
    rows = [_row(c, name, found.get(name)) for name in c.models]
    if math.isfinite(floor := best_baseline(c, c.primary)[1]):
        blank = Cell("")
        rows.append([Cell("(best baseline)"), blank, Cell(number(floor)), blank, blank, blank])
    column = f"{c.primary.short} [{percent(c.level)} CI]"
    other = "best" if c.reference is None else "reference"
    p = "p" if len(c.models) == 2 else "p adj."
    than = f"vs {beside if len(beside) <= _LONG_NAME else other}"
    head = ("", "rank", column, than, p, "shorter by")
    keep = [*(range(5) if len(c.models) > 1 else (0, 2)), *([5] if c.human else [])]
    if not any(x.low == x.low for x in values.values()):
        head = (*head[:2], c.primary.short, *head[3:])
    words = tuple(head[j] for j in keep if j)
    table = Table(
        tuple(head[j] for j in keep), tuple(tuple(r[j] for j in keep) for r in rows), words=words
    )
    return cut_short(table, _SHOWN_MODELS, "rows", ".table()")


def explained(c: Comparison) -> Table:
    """Return the overview with what it is of, for documents."""
    table = overview(c)
    return replace(table, notes=(*table.notes, *map(visible, _basis(c))))


def _basis(c: Comparison) -> list[str]:
    """What the overview is of: items, scale, measure and tests."""
    dropped = f" ({c.left_out:,} dropped)" if c.left_out else ""
    weight = f" of weight {c.weight:,.6g}" if c.weight is not None else ""
    size = plural(c.items, c.unit) + weight + in_clusters(c.clusters, c.cluster_unit) + dropped
    lines = [f"{size}, {levels(c.scale)}. {meaning(c.primary, c.scale.k)}", *about(c)]
    if c.human:
        lines.append("Shorter by: than the interval of the human labels alone.")
    return [*lines, *([_tests(c)] if len(c.models) > 1 else [])]


def narrowed(table: Table) -> Table:
    """Return the overview without the intervals of differences where names leave no room for them.

    A second block of columns would separate p-values from models.
    """
    shown = [[*map(_width, row)] for row in table.rows] + [[len(x) for x in table.head]]
    widths = [max(column) for column in zip(*shown, strict=True)][: _DIFFERENCE + 2]  # up to p
    if sum(widths) + 2 * (len(widths) - 1) <= _WIDTH:
        return table
    rows = tuple(
        tuple(Cell(x.text) if j == _DIFFERENCE else x for j, x in enumerate(row))
        for row in table.rows
    )
    return replace(table, rows=rows)


def _width(cell: Cell) -> int:
    return len(f"{cell.text} {cell.remark}".strip())


def _other(d: Delta, model: str) -> list[str]:
    """The model that a difference compares with this one."""
    return [d.b if d.a == model else d.a] if model in (d.a, d.b) else []


def _row(c: Comparison, name: str, d: Delta | None) -> list[Cell]:
    x = c.estimates[c.primary.name][name]
    finite = math.isfinite(x.estimate)
    ranks = c.rank_sets[c.primary.name][name]
    row = [
        Cell(name),
        Cell(span_of(ranks, "-") if finite else number(math.nan)),
        Cell(number(x.estimate), bracketed(x.low, x.high)),
    ]
    alone = c.human.get(c.primary.name, {}).get(name)
    gain = Cell(gained(gain_over(x, alone)) if alone else "")
    if d is None:
        return [*row, Cell(""), Cell(""), gain]
    side = 1 if d.a == name else -1
    low, high = sorted((side * d.low, side * d.high)) if d.low == d.low else (d.low, d.high)
    p = d.p_adjusted
    if c.reference is None:
        p = float(c.separation[0, c.models.index(name)])
    return [
        *row,
        Cell(signed(side * d.delta), "" if d.refused else bracketed(low, high, signed)),
        Cell(p_value(p)),
        gain,
    ]


def other_pairs(c: Comparison) -> Table:
    """The significant pairs that are not among the differences which are listed."""
    listed = {frozenset((d.a, d.b)) for d in c.pairs}
    values = c.estimates[c.primary.name]
    found = [
        (a, b, float(c.separation[i, j]))
        for (i, a), (j, b) in itertools.combinations(enumerate(c.models), 2)
        if c.separation[i, j] <= 1 - c.level and frozenset((a, b)) not in listed
    ]
    rows = tuple(
        (
            Cell(f"{a} − {b}"),
            Cell(signed(values[a].estimate - values[b].estimate)),
            Cell(p_value(p)),
        )
        for a, b, p in (found if c.reference is None else [])
    )
    caption = f"Other significant differences in {c.primary.display}"
    return Table(("pair", "difference", "p adj."), rows, caption, words=("pair",))


def footer(c: Comparison) -> list[str]:
    """What the table is of, whether measures agree, how many caveats there are, and what more."""
    lines = _basis(c)
    if "all" not in c.shown:  # there the table of all measures says it
        lines += c.notes
    caveats = 0 if "verbose" in c.shown else len(c.remarks())
    counted = f"{plural(caveats, 'caveat')}: {detail('verbose')}" if caveats else ""
    agreed = agreement(c)
    if len(agreed) + len(counted) < _WIDTH:
        agreed, counted = f"{agreed} {counted}".strip(), ""
    lines += [x for x in (agreed, counted) if x]
    if "verbose" in c.shown:
        how = how_made(c.level, c.method, c.n_resamples)
        lines.append(f"Intervals: {how}{_together(c)}.")
    names = [*(["pairs"] if len(c.models) > 2 else []), "all"]
    left = [detail(x) for x in names if x not in c.shown]
    lines.append(f"More: {', '.join([*left, argument('.to_html()')])}")
    return ["\n".join(map(visible, lines))]


def _together(c: Comparison) -> str:
    """That the items of a cluster are kept together; empty without clusters."""
    if not c.clusters:
        return ""
    if c.n_resamples:
        return f" of whole {c.units}"
    return f", the {many(c.unit)} of a {c.cluster_unit} together"


def detail(name: str) -> str:
    """How details are asked for: ``--pairs`` in the command."""
    return argument(".details()", name)


def _tests(c: Comparison) -> str:
    """What p is, and up to which value a difference is significant."""
    pairs = math.comb(len(c.models), 2)
    alpha = f"{1 - c.level:.4g}"
    if pairs == 1:
        return f"p: paired test; significant up to {alpha}."
    if c.reference is not None:
        what = f"{plural(len(c.models) - 1, 'comparison')} with {c.reference}"
    else:
        what = f"all {pairs:,} pairs"
    return f"p adj.: paired tests, corrected for {what}; significant up to {alpha}."


def meaning(metric: Metric, k: int, head: str | None = None) -> str:
    """What the head of a column means: "CEM: closeness, 0 to 1, higher is better."."""
    low, high = metric.range.at(k)
    head = metric.short if head is None else head
    what = metric.display.removeprefix(head).strip()
    what = what[1:-1] if what.startswith("(") else what  # "CEM (closeness)"
    ends = f"{low:g} or more" if math.isinf(high) else f"{low:g} to {high:g}"
    said = [*([what] if what else []), ends, f"{BETTER[metric.greater_is_better]} is better"]
    return f"{head}: {', '.join(said)}."


def levels(scale: Scale) -> str:
    """A scale in a line of text: all levels, or the first and the last of many."""
    names = [visible(x) for x in scale.levels]
    every = " < ".join(names)
    if len(names) <= _FEW_LEVELS and len(every) <= _LONG_SCALE:
        return every
    return f"{names[0]} < {names[1]} < ... < {names[-1]}" if len(names) > 3 else every


def panel(c: Comparison, *, intervals: bool) -> Table:
    """Models by all measures, and the baselines below them."""
    alone = len(c.models) == 1
    head = ["model", "rank", *(m.short for m in c.metrics)]
    may_have = c.rank_sets[c.primary.name]
    best = {m.name: min(c.ranks[m.name].values()) for m in c.metrics}
    rows = []
    for name in c.models:
        remark = "" if len(c.models) < 3 else "–".join(map(str, dict.fromkeys(may_have[name])))
        rank = Cell(f"{c.ranks[c.primary.name][name]:g}", remark and f"({remark})")
        if math.isinf(c.estimates[c.primary.name][name].estimate):
            rank = Cell(number(math.nan))
        cells = [Cell(name), rank]
        for i, m in enumerate(c.metrics):
            interval = c.estimates[m.name][name]
            remark = bracketed(interval.low, interval.high) if intervals or i == 0 else ""
            first = c.ranks[m.name][name] == best[m.name] and math.isfinite(interval.estimate)
            cells.append(Cell(number(interval.estimate), remark, first and not alone))
        rows.append(tuple(cells))
    for name, values in c.baselines.items():
        cells = [Cell(f"({name})"), Cell("")]
        rows.append((*cells, *(Cell(number(values[m.name])) for m in c.metrics)))
    if alone:
        # One model is neither first nor best.
        head, rows = [head[0], *head[2:]], [(r[0], *r[2:]) for r in rows]
    return Table(tuple(head), tuple(rows), _caption(c), _legend(c))


def _caption(c: Comparison) -> str:
    dropped = f" ({c.left_out:,} dropped)" if c.left_out else ""
    weight = f" of weight {c.weight:,.6g}" if c.weight is not None else ""
    reference = f", reference {c.reference}" if c.reference is not None else ""
    items, models = plural(c.items, c.unit), plural(len(c.models), "model")
    clusters = in_clusters(c.clusters, c.cluster_unit)
    return f"{items}{weight}{clusters}{dropped}, {models}{reference}, {levels(c.scale)}"


def _legend(c: Comparison) -> tuple[str, ...]:
    names = legend(c.metrics)
    how = how_made(c.level, c.method, c.n_resamples)
    intervals = f"intervals: {how}{_together(c)}"
    if len(c.models) == 1:
        return (f"{names}.", sentence(intervals), *about(c), *c.notes)
    ranks = "possible ranks in brackets; " if len(c.models) > 2 else ""
    return f"{names}.", f"{{best}}: best; {ranks}{intervals}.", *about(c), *c.notes


def about(c: Comparison) -> list[str]:
    """Which population values are of, if not of the items alone, and what its tasks can show."""
    said = [c.population] if c.population else []
    if c.smallest_difference == c.smallest_difference:
        said.append(
            f"Between two typical models, a difference in {c.primary.short} of about "
            f"{c.smallest_difference:.2g} is significant here."
        )
    return said
