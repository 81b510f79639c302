"""SubgroupScores: the measures of one model in each of its subgroups, and which of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from ordeval._shared.result import Concluded, Results
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    ALL,
    amount,
    at_most,
    bracketed,
    joined,
    name_of,
    number,
    p_value,
    plural,
    signed,
    visible,
    with_ends,
)
from ordeval._shared.types import Floats, Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.inference.advice import Advice
from ordeval.inference.subgroups import Subgroups
from ordeval.measures import Metric
from ordeval.results.phrases import (
    exact_p,
    few_items,
    not_shown,
    rarest_class,
    said_of,
    sentence,
)
from ordeval.results.scores import Scores, legend, position_of

if TYPE_CHECKING:
    import pandas

_SHOWN: Final = 40


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupScores(Concluded, Mapping[str, Floats]):
    """Values in each subgroup by the name of the measure; prints as a table.

    ``found`` has, by the name of the measure, the intervals, the differences from the rest with
    intervals for all subgroups at once, the shrunken values and the test of heterogeneity.
    """

    _kind: ClassVar[str] = "ordeval.subgroup_scores"
    _told = ("rows", "conclusion", "advice")

    confusion: ConfusionMatrix  # (G, K, K)
    metrics: tuple[Metric, ...]  # the first is compared in the table
    values_: Floats  # (measures, G)
    pooled: Floats  # (measures,), of all subgroups together
    found: Mapping[str, Subgroups] = field(default_factory=dict)  # empty without intervals
    advice: tuple[Advice, ...] = ()
    clusters: Integers | None = None  # (G,), independent clusters; None if items are independent
    head: str = "subgroup"  # what the subgroups are, as the table calls them
    note: str = ""  # how labels were read off probabilities
    brief: bool = False  # shown as the table of the first measure only

    @property
    def by(self) -> tuple[Any, ...]:
        """The subgroups; of a stack that does not name them, positions."""
        return tuple(range(len(self.confusion))) if self.confusion.by is None else self.confusion.by

    @property
    def first(self) -> Subgroups | None:
        """What was found by the first measure; None without intervals."""
        return self.found.get(self.metrics[0].name)

    def __getitem__(self, name: str) -> Floats:
        values: Floats = self.values_[position_of(name, self)]
        return values

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def rows(self) -> list[dict[str, Any]]:
        """One record for each subgroup and measure."""
        columns = [_columns(self.found.get(m), v) for m, v in zip(self, self.values_, strict=True)]
        sizes = self.confusion.total.tolist()
        return [
            {
                "subgroup": name_of(key),
                self._amount(): size,
                **({} if self.clusters is None else {"clusters": int(self.clusters[g])}),
                "metric": name,
                **{what: values[g] for what, values in by.items()},
            }
            for g, (key, size) in enumerate(zip(self.by, sizes, strict=True))
            for name, by in zip(self, columns, strict=True)
        ]

    def _amount(self) -> str:
        return "weight" if self.confusion.weighted else "items"

    def table(self) -> Table:
        """One row per subgroup, then one for all of them together."""
        return self._table(None, intervals=True)

    def tables(self) -> tuple[Table, ...]:
        """The table, with intervals of the first measure; of many subgroups the first only."""
        hidden = len(self.by) - _SHOWN
        if hidden <= 0:
            return (self._table(None, intervals=False),)
        note = not_shown(hidden, "subgroups", ".to_csv()")
        table = self._table(_SHOWN, intervals=False)
        return (replace(table, notes=(note, *table.notes)),)

    def summary(self) -> SubgroupScores:
        """Show only the table of the first measure."""
        return replace(self, brief=True)

    def _order(self) -> tuple[list[int], str]:
        """The subgroups as the table has them: of many, what matters most comes first."""
        if len(self.by) <= _SHOWN:
            return [*range(len(self.by))], ""
        s = self.first
        if s is None or not s.compared.any():
            utility = np.asarray(self.metrics[0].utility(self.values_[0]))
            return np.argsort(utility, kind="stable").tolist(), "Worst values first."  # NaN last
        d = s.differences
        # The last digits of ties hang on the order of sums.
        keys = (np.round(x, 10) for x in (-np.abs(d.delta), d.p_value, d.p_adjusted))
        return np.lexsort([*keys]).tolist(), "Clearest differences first."

    def _table(self, most: int | None, *, intervals: bool) -> Table:
        compared = self.first is not None and bool(self.first.compared.any())
        names, sizes = [*map(name_of, self.by)], self.confusion.total.tolist()
        order, first = self._order()
        rows = [
            cells(
                names[g], amount(sizes[g]), *self._cells(g, compared=compared, intervals=intervals)
            )
            for g in order[:most]
        ]
        if self.confusion.by is not None:
            # Other stacks, of models say, are not parts of a whole.
            whole = self._cells(None, compared=compared, intervals=intervals)
            rows.append(cells(ALL, amount(sum(sizes)), *whole))
        symbols = [m.short for m in self._listed]
        between = ("shrunken", "vs rest", "p adj.") if compared else ()
        head = (self.head, self._amount(), symbols[0], *between, *symbols[1:])
        dropped = f"; dropped: {self.confusion.dropped}" if self.confusion.dropped else ""
        caption = f"{plural(len(self.by), 'subgroup')}; {self.confusion.scale}{dropped}"
        notes = [*self._notes(compared=compared), *([first] if first else [])]
        if self.brief and self.conclusion():
            notes.append(self.conclusion())
        return Table(head, tuple(rows), caption, tuple(notes))

    @property
    def _listed(self) -> tuple[Metric, ...]:
        return self.metrics[:1] if self.brief else self.metrics

    def _cells(self, g: int | None, *, compared: bool, intervals: bool) -> Iterator[Cell]:
        """The values of a subgroup, or of all of them, with what the first measure says."""
        for i, m in enumerate(self._listed):
            value = self.pooled[i] if g is None else self.values_[i, g]
            yield Cell(number(value), self._interval(m, g) if intervals or i == 0 else "")
            if i == 0 and compared and self.first is not None:
                yield from _compared(self.first, g)

    def _interval(self, metric: Metric, g: int | None) -> str:
        if metric.name not in self.found:
            return ""
        s = self.found[metric.name]
        low, high = (s.whole.low, s.whole.high) if g is None else (s.low[g], s.high[g])
        return bracketed(low, high)

    def _notes(self, *, compared: bool) -> Iterator[str]:
        yield f"{legend(self._listed)}."
        s = self.first
        if s is not None:
            yield f"Intervals: {s.whole.how}{', by clusters' * (self.clusters is not None)}."
        if self.note:
            yield self.note
        if s is not None and compared:
            tests = int(s.compared.sum())
            at_once = ""
            if tests > 2:
                at_once = f", with intervals and p-values for all {tests:,} at once (Šidák)"
            yield (
                f"Shrunken: shrunk toward the overall value, more so for noisier estimates. vs "
                f"rest: difference from all other subgroups together{at_once}."
            )
        if not self.confusion.weighted:
            yield from few_items(self.confusion.total, rarest_class(self.confusion.support))

    def conclusion(self) -> str:
        """Which subgroups are shown to differ by the first measure; empty without intervals."""
        return "" if self.first is None else visible(" ".join(_conclude(self.first, self.by)))

    def paragraphs(self) -> Sequence[str]:
        """The conclusion."""
        return () if self.brief else super().paragraphs()

    def remarks(self) -> Sequence[Advice]:
        """Caveats."""
        return () if self.brief else self.advice

    def _facts(self) -> dict[str, Any]:
        """One record for each subgroup and measure, tests of heterogeneity, what was dropped."""
        cm = self.confusion
        return {
            **super()._facts(),
            "scale": cm.scale,
            "dropped": cm.dropped,
            "all": [self._whole(i) for i in range(len(self))],
            "heterogeneity": [
                {"metric": m, **s.heterogeneity._asdict(), "untested": s.untested}
                for m, s in self.found.items()
            ],
        }

    def _whole(self, i: int) -> dict[str, Any]:
        name, s = self.metrics[i].name, self.found.get(self.metrics[i].name)
        ends = {} if s is None else {"low": s.whole.low, "high": s.whole.high}
        return {"metric": name, "value": float(self.pooled[i]), **ends}

    def to_frame(self) -> pandas.DataFrame:
        """One row for each subgroup and measure, as a pandas DataFrame."""
        return super().to_frame().set_index(["subgroup", "metric"])


@dataclass(frozen=True, eq=False, repr=False)
class ModelScores(Results[Scores | SubgroupScores]):
    """The scores of several models, by their names."""

    _kind: ClassVar[str] = "ordeval.scores"

    def summary(self) -> ModelScores:
        """Show one table of subgroups for each model."""
        return ModelScores(
            {m: x.summary() if isinstance(x, SubgroupScores) else x for m, x in self.items()}
        )


def _columns(s: Subgroups | None, values: Floats) -> dict[str, list[float]]:
    """What the records hold of one measure, by subgroup."""
    found: dict[str, list[float]] = {"value": values.tolist()}
    if s is None:
        return found
    d = s.differences
    arrays = {
        "low": s.low,
        "high": s.high,
        "shrunken": s.shrunken,
        "rest": s.rest,
        "delta": d.delta,
        "delta_low": d.low,
        "delta_high": d.high,
        "p_value": d.p_value,
        "p_adjusted": d.p_adjusted,
        "p_heterogeneity": np.full(len(values), s.heterogeneity.p_value),
    }
    return found | {name: x.tolist() for name, x in arrays.items()}


def _compared(s: Subgroups, g: int | None) -> Iterator[Cell]:
    """Shrunken value, difference from the rest and its p-value; empty for all together."""
    if g is None:
        yield from [Cell("")] * 3
        return
    d = s.differences
    ends = bracketed(d.low[g], d.high[g], signed) if s.compared[g] else ""
    yield Cell(number(s.shrunken[g]))
    yield Cell(signed(d.delta[g]), ends)
    yield Cell(p_value(d.p_adjusted[g]))


def _conclude(s: Subgroups, by: tuple[Any, ...]) -> Iterator[str]:
    """What is shown of the subgroups by one measure, in plain words."""
    tests, named = int(s.compared.sum()), np.array([name_of(key) for key in by], dtype=object)
    if not tests:
        yield sentence(s.untested or "the subgroups are too small to be compared")
        return
    start = f"By {s.metric.display}"
    sides = _sides(s)
    if not s.differ.any():
        how = f"corrected for all {tests:,}" if tests > 2 else "one test"
        yield f"{start}, no subgroup differs significantly from the rest ({how})."
    for what, rows in sides.items():
        if len(rows):
            yield f"{start}, {_shown(s, named, rows, what)}"
            start = "Also"
        if len(rows) and len(by) == 2:  # of two, the one says it of the other
            break
    yield from _together(s)
    left = named[~s.compared & ~np.isnan(s.values)].tolist()
    empty = named[np.isnan(s.values)].tolist()
    if left:
        yield f"Not compared, because they have too few items: {joined(left)}."
    if empty:
        yield f"Without a value: {joined(empty)}."


def _sides(s: Subgroups) -> dict[str, Integers]:
    """The subgroups that are shown to differ, the clearest first, by what they are shown to be."""
    d, better = s.differences, s.metric.greater_is_better
    order = np.argsort(d.p_value, kind="stable")
    shown = order[s.differ[order]]
    if better is None:
        return {"differ significantly from": shown}
    below = d.delta[shown] < 0
    worse = below if better else ~below
    return {
        "are significantly worse than": shown[worse],
        "are significantly better than": shown[~worse],
    }


def _shown(s: Subgroups, named: Any, rows: Integers, what: str) -> str:
    d = s.differences
    worst = int(rows[np.argmax(np.abs(d.delta[rows]))])
    tests = int(s.compared.sum())
    of = f", corrected for all {tests:,} subgroups" if len(s.values) > 2 else ""
    p = at_most(float(d.p_adjusted[rows].max()), exact=len(rows) == 1)
    shown = said_of(named[rows].tolist(), f"{what} the rest", most=6)
    value = (
        f"{number(s.values[worst])} against {number(s.rest[worst])}, a difference of "
        f"{with_ends(d.delta[worst], d.low[worst], d.high[worst], signed)}"
    )
    if len(rows) == 1:
        return f"{shown}: {value} ({p}{of})."
    furthest = "The worst" if "worse" in what else "The furthest"
    return f"{shown} ({p}{of}). {furthest} of them is {named[worst]}: {value}."


def _together(s: Subgroups) -> Iterator[str]:
    """Whether the subgroups differ at all."""
    p = s.heterogeneity.p_value
    if s.untested:
        yield sentence(s.untested)
    elif p == p and len(s.values) > 2:
        test = f"{s.heterogeneity.test}, {exact_p(p)}"
        if p > 1 - s.whole.level:
            yield f"Taken together, subgroups do not differ significantly ({test})."
        elif s.differ.any():
            yield f"Taken together, subgroups differ significantly ({test})."
        else:
            yield f"Taken together, subgroups differ significantly; no single one does ({test})."
