"""Scores: the measures of one model, and of one model in each of its subgroups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from ordeval._shared.result import Result, Results
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import (
    BETTER,
    amount,
    argument,
    bracketed,
    did_you_mean,
    name_of,
    nearest,
    number,
    plural,
)
from ordeval._shared.types import Floats
from ordeval.data.confusion import ConfusionMatrix
from ordeval.exceptions import UnknownMetricError
from ordeval.inference.advice import Advice
from ordeval.inference.intervals import Interval
from ordeval.measures import Metric

if TYPE_CHECKING:
    import pandas

_FEW_ITEMS: Final = 30
_SHOWN: Final = 40
_NAMED: Final = 3


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result, Mapping[str, float]):
    """Values by the name of the measure; prints as a table."""

    kind: ClassVar[str] = "ordeval.scores"

    confusion: ConfusionMatrix
    metrics: tuple[Metric, ...]
    values_: tuple[float, ...]
    advice: tuple[Advice, ...] = ()
    intervals: Mapping[str, Interval] = field(default_factory=dict)  # if they were asked for

    def __getitem__(self, name: str) -> float:
        return self.values_[position_of(name, self)]

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def rows(self) -> list[dict[str, Any]]:
        """One record per measure: value in full, interval, range for this K, direction."""
        return [
            {
                "metric": m.name,
                "symbol": m.symbol,
                "family": m.family,
                "value": value,
                **self._ends(m),
                **dict(zip(("least", "largest"), m.range.at(self.confusion.k), strict=True)),
                "better": BETTER[m.greater_is_better],
            }
            for m, value in zip(self.metrics, self.values_, strict=True)
        ]

    def _ends(self, metric: Metric) -> dict[str, float]:
        if not self.intervals:
            return {}
        interval = self.intervals[metric.name]
        return {"low": interval.low, "high": interval.high}

    def table(self) -> Table:
        """One row per measure."""
        head = ("measure", "value", "range", "better", "family")
        rows = tuple(
            (
                Cell(m.name),
                Cell(number(value, 4), self._interval(m)),
                *map(Cell, (m.range.show(self.confusion.k), BETTER[m.greater_is_better], m.family)),
            )
            for m, value in zip(self.metrics, self.values_, strict=True)
        )
        return Table(head, rows, self._caption(), (*self._how(), *self._undefined()), head[2:])

    def _interval(self, metric: Metric) -> str:
        if not self.intervals:
            return ""
        interval = self.intervals[metric.name]
        return bracketed(interval.low, interval.high)

    def _caption(self) -> str:
        cm = self.confusion
        size = f"total weight: {cm.total:,.10g}" if cm.weighted else f"items: {amount(cm.total)}"
        classes = "1 class" if cm.k == 1 else f"{cm.k} classes"
        dropped = f"; dropped: {cm.dropped}" if cm.dropped else ""
        return f"{size}; {classes}: {cm.scale}{dropped}"

    def _how(self) -> list[str]:
        """How the intervals were made; nothing if there are none."""
        return [f"Intervals: {interval.how}." for interval in [*self.intervals.values()][:1]]

    def _undefined(self) -> list[str]:
        """One line for each reason, with the measures that share it."""
        reasons: dict[str, list[str]] = {}
        empty = not self.confusion.counts.any()
        for metric, value in zip(self.metrics, self.values_, strict=True):
            if math.isnan(value):
                why = "there are no items" if empty else metric.undefined_when
                reasons.setdefault(why, []).append(metric.name)
        return [f"— undefined, {why}: {', '.join(names)}" for why, names in reasons.items()]

    def remarks(self) -> tuple[Advice, ...]:
        """What should be kept in mind."""
        return self.advice

    def facts(self) -> dict[str, Any]:
        """Values, intervals and the matrix that they come from."""
        cm = self.confusion
        return {
            "scale": [str(x) for x in cm.scale],
            "weight" if cm.weighted else "items": cm.total,
            "matrix": cm.counts,
            "dropped": asdict(cm.dropped),
            "rows": self.rows(),
            "intervals": [vars(interval) for interval in self.intervals.values()],
            "advice": [asdict(a) for a in self.advice],
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row per measure, indexed by its name, as a pandas DataFrame."""
        return super().to_frame().set_index("metric")


@dataclass(frozen=True, eq=False, repr=False)
class SubgroupScores(Result, Mapping[str, Floats]):
    """Values in each subgroup by the name of the measure; prints as a table."""

    kind: ClassVar[str] = "ordeval.subgroup_scores"

    confusion: ConfusionMatrix  # (G, K, K)
    metrics: tuple[Metric, ...]
    values_: Floats  # (measures, G)
    pooled: Floats  # (measures,), of all subgroups together

    @property
    def by(self) -> tuple[Any, ...]:
        """The subgroups; of a stack that does not name them, positions."""
        return tuple(range(len(self.confusion))) if self.confusion.by is None else self.confusion.by

    def __getitem__(self, name: str) -> Floats:
        values: Floats = self.values_[position_of(name, self)]
        return values

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def rows(self) -> list[dict[str, Any]]:
        """One record per subgroup."""
        totals = self.confusion.total.tolist()
        return [
            {"subgroup": name_of(key), self._amount(): n, **dict(zip(self, values, strict=True))}
            for key, n, values in zip(self.by, totals, self.values_.T.tolist(), strict=True)
        ]

    def _amount(self) -> str:
        return "weight" if self.confusion.weighted else "items"

    def table(self) -> Table:
        """One row per subgroup, then one for all of them together."""
        return self._table(None)

    def tables(self) -> tuple[Table, ...]:
        """The table; of many subgroups the first only, which a note says."""
        hidden = len(self.by) - _SHOWN
        if hidden <= 0:
            return (self.table(),)
        note = f"{hidden:,} more subgroups are not shown; {argument('.to_csv()')} has them all."
        table = self._table(_SHOWN)
        return (replace(table, notes=(note, *table.notes)),)

    def _table(self, most: int | None) -> Table:
        shown = slice(most)
        names, values = list(map(name_of, self.by[shown])), self.values_.T[shown]
        totals = self.confusion.total.tolist()
        if self.confusion.by is not None:
            # Other stacks, of models say, are not parts of a whole.
            names.append("(all)")
            values = np.vstack([values, self.pooled])
            totals = [*totals[shown], sum(totals)]
        rows = tuple(
            (Cell(name), Cell(amount(n)), *(Cell(number(v)) for v in row))
            for name, n, row in zip(names, totals, values, strict=False)
        )
        head = ("subgroup", self._amount(), *(m.symbol for m in self.metrics))
        dropped = f"; dropped: {self.confusion.dropped}" if self.confusion.dropped else ""
        caption = f"{plural(len(self.by), 'subgroup')}; {self.confusion.scale}{dropped}"
        return Table(head, rows, caption, tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        yield f"{legend(self.metrics)}."
        first = self.metrics[0]
        utility = np.asarray(first.utility(self.values_[0]))
        known = np.flatnonzero(~np.isnan(utility))
        if first.greater_is_better is not None and len(set(utility[known].tolist())) > 1:
            worst = known[np.argsort(utility[known], kind="stable")][: len(known) - 1][:_NAMED]
            shown = [f"{name_of(self.by[i])} ({number(self.values_[0][i])})" for i in worst]
            yield f"Worst by {first.name}: {', '.join(shown)}."
        few = int((self.confusion.total < _FEW_ITEMS).sum())
        if few and not self.confusion.weighted:
            yield (
                f"{few:,} of {len(self.by):,} subgroups have fewer than {_FEW_ITEMS} items, so "
                f"that their values may be far off by chance."
            )

    def facts(self) -> dict[str, Any]:
        """One record per subgroup, and what was dropped."""
        cm = self.confusion
        scale = [str(x) for x in cm.scale]
        return {"scale": scale, "dropped": asdict(cm.dropped), "rows": self.rows()}

    def to_frame(self) -> pandas.DataFrame:
        """One row per subgroup, as a pandas DataFrame."""
        return super().to_frame().set_index("subgroup")


@dataclass(frozen=True, eq=False, repr=False)
class ModelScores(Results[Scores | SubgroupScores]):
    """The scores of several models, by their names."""

    kind: ClassVar[str] = "ordeval.scores"


def legend(metrics: tuple[Metric, ...]) -> str:
    """What the symbols at the head of a table stand for, and which way is better."""
    return ", ".join(
        f"{m.symbol} = {m.name} ({BETTER[m.greater_is_better]} is better)" for m in metrics
    )


def position_of(name: str, scored: Iterable[str]) -> int:
    """Where a measure is among those that were scored."""
    names = list(scored)
    if name in names:
        return names.index(name)
    hint = did_you_mean(nearest(str(name), names))
    raise UnknownMetricError(f"{name!r} was not scored.{hint} list(scores) names what was.")
