"""Scores: the measures of one model."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import numpy as np

from ordeval._shared.arguments import is_among, shown
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    BETTER,
    amount,
    bracketed,
    did_you_mean,
    nearest,
    number,
    plural,
)
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped
from ordeval.data.scale import Scale
from ordeval.exceptions import UnknownMetricError
from ordeval.inference.advice import Advice
from ordeval.inference.intervals import Interval
from ordeval.measures import Metric
from ordeval.measures.metric import Range
from ordeval.results.phrases import grouped, in_clusters

if TYPE_CHECKING:
    import pandas

V = TypeVar("V")


_GAINED: Final = ("human labels alone", "shorter by", "worth")


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What values rest on, with a matrix or without one, as of scores."""

    scale: Scale
    total: Any  # items, or their weight
    weighted: bool = False
    dropped: Dropped = field(default_factory=Dropped)
    items: int | None = None
    note: str = ""  # what the model gives, unless labels

    @classmethod
    def of(cls, cm: ConfusionMatrix) -> Basis:
        """The facts of a matrix."""
        items = None if cm.items is None else int(np.sum(cm.items))
        return cls(
            scale=cm.scale, total=cm.total, weighted=cm.weighted, dropped=cm.dropped, items=items
        )


def gain_over(interval: Interval, alone: Interval) -> float:
    """By what share an interval is shorter than that of human labels alone."""
    width = alone.high - alone.low
    return float(1 - (interval.high - interval.low) / width) if width > 0 else math.nan


def gained(gain: float) -> str:
    """A gain in whole percent."""
    return f"{round(100 * gain) + 0:d}%" if gain == gain else "—"


class OnDemand(Mapping[str, V]):
    """Values by name; those that are not known are computed when one of them is asked for."""

    def __init__(
        self,
        known: Mapping[str, V],
        every: Iterable[Metric],
        compute: Callable[[], Mapping[str, V]],
    ) -> None:
        self._known = dict(known)
        self._names = tuple(m.name for m in every)
        self._compute: Callable[[], Mapping[str, V]] | None = compute

    def __getitem__(self, name: str) -> V:
        if name not in self._known and name in self._names and self._compute is not None:
            self._known |= self._compute()
            self._compute = None
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result, Mapping[str, float]):
    """Values by the name of the measure; prints as a table.

    If no measures were named, the table and the advice have the panel of measures that ``compare``
    has. The mapping, ``intervals`` and the records have all fast measures: the others are computed
    when one of them is first asked for.
    """

    _kind: ClassVar[str] = "ordeval.scores"

    confusion: ConfusionMatrix | None  # None: scores make no matrix
    metrics: tuple[Metric, ...]
    by_name: Mapping[str, float]
    advice: tuple[Advice, ...] = ()
    intervals: Mapping[str, Interval] = field(default_factory=dict)  # if they were asked for
    given: Basis | None = None  # of probabilities and scores
    # Of partial truth: the intervals of human labels alone.
    human: Mapping[str, Interval] = field(default_factory=dict)
    panel: tuple[Metric, ...] = ()  # those of the table, unless all are

    @property
    def gains(self) -> dict[str, float]:
        """By what share intervals are shorter than those of human labels alone, by measure."""
        return {name: gain_over(self.intervals[name], alone) for name, alone in self.human.items()}

    @property
    def basis(self) -> Basis:
        """What the values rest on."""
        if self.given is not None:
            return self.given
        assert self.confusion is not None
        return Basis.of(self.confusion)

    def __getitem__(self, name: str) -> float:
        if name not in self:
            raise not_scored(name, list(self))
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return is_among(name, self.by_name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def rows(self) -> list[dict[str, Any]]:
        """One record per measure: value in full, interval, range for this K, direction."""
        return [
            {
                "metric": m.name,
                "symbol": m.symbol,
                "family": m.family,
                "value": self.by_name[m.name],
                **self._ends(m),
                **self._limits(m),
                "better": BETTER[m.greater_is_better] if m.best == m.best else "",
            }
            for m in self.metrics
        ]

    def _limits(self, metric: Metric) -> dict[str, float]:
        ends = self._range(metric).at(self.basis.scale.k)
        return dict(zip(("least", "largest"), ends, strict=True))

    def _range(self, metric: Metric) -> Range:
        """The range that the values of a measure have here."""
        return metric.range

    def _ends(self, metric: Metric) -> dict[str, float]:
        if not self.intervals:
            return {}
        interval, alone = self.intervals[metric.name], self.human.get(metric.name)
        found = {"low": interval.low, "high": interval.high}
        if alone is not None:
            ends = {f"human_{k}": getattr(alone, k) for k in ("estimate", "low", "high")}
            found |= {**ends, "gain": gain_over(interval, alone)}
        return found

    def table(self) -> Table:
        """One row per measure."""
        facts = _GAINED if self.human else ("range", "better")
        head = ("measure", "value", *facts)
        rows = tuple(
            cells(
                m.display,
                Cell(number(self.by_name[m.name], 4), self._interval(m)),
                *(self._gained(m) if self.human else self._described(m)),
            )
            for m in self.panel or self.metrics
        )
        words = () if self.human else facts
        return Table(head, rows, self._caption(), (*self._how(), *self._undefined()), words)

    def _described(self, metric: Metric) -> tuple[str, ...]:
        """The facts of a measure in the table."""
        shown = self._range(metric).show(self.basis.scale.k)
        return (shown, BETTER[metric.greater_is_better])

    def _gained(self, metric: Metric) -> tuple[Cell, Cell, Cell]:
        """The value of the human labels alone, and what the proxies are worth."""
        alone, gain = self.human[metric.name], self.gains[metric.name]
        worth = f"{alone.items / (1 - gain) ** 2:,.0f}" if gain == gain else "—"
        return (
            Cell(number(alone.estimate, 4), bracketed(alone.low, alone.high)),
            Cell(gained(gain)),
            Cell(worth),
        )

    def _interval(self, metric: Metric) -> str:
        if not self.intervals:
            return ""
        interval = self.intervals[metric.name]
        return bracketed(interval.low, interval.high)

    def _caption(self) -> str:
        b = self.basis
        size = f"total weight: {b.total:,.10g}" if b.weighted else f"items: {amount(b.total)}"
        size += self._rests_on()
        dropped = f"; dropped: {b.dropped}" if b.dropped else ""
        return f"{size}; {classes_of(b.scale)}{dropped}"

    def _rests_on(self) -> str:
        """What the intervals rest on, where the matrix does not say it."""
        found = next(iter(self.intervals.values()), None)
        if found is None:
            return ""
        weighted = self.basis.weighted
        items = f" of {plural(found.items, 'item')}" if weighted else ""
        alike = f" (effective sample size {found.effective:,.0f})"
        return items + in_clusters(found.clusters) + alike * weighted

    def _how(self) -> list[str]:
        """How the intervals were made; nothing if there are none."""
        first = next(iter(self.intervals.values()), None)
        made = [f"Intervals: {first.how}."] if first else []
        worth = ["Worth: how many human labels alone would give as short an interval."]
        return [*made, *([self.basis.note] if self.basis.note else []), *(worth * bool(self.human))]

    def _undefined(self) -> list[str]:
        """One line for each reason, with the measures that share it."""
        b = self.basis
        reasons = grouped(
            (m.why_undefined(b.total, weighted=b.weighted), m.display)
            for m in self.panel or self.metrics
            if math.isnan(self.by_name[m.name])
        )
        return [f"— undefined, {why}: {', '.join(names)}" for why, names in reasons.items()]

    def _facts(self) -> dict[str, Any]:
        """Values, intervals and the matrix that they come from."""
        b = self.basis
        return {
            "scale": b.scale,
            "weight" if b.weighted else "items": b.total,
            "matrix": None if self.confusion is None else self.confusion.counts,
            "dropped": b.dropped,
            "rows": self.rows(),
            "intervals": [*self.intervals.values()],
            "note": b.note,
            "advice": self.advice,
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row per measure, indexed by its name, as a pandas DataFrame."""
        return super().to_frame().set_index("metric")


def classes_of(scale: Scale) -> str:
    """The number of classes, and the scale."""
    return f"{'1 class' if scale.k == 1 else f'{scale.k} classes'}: {scale}"


def legend(metrics: tuple[Metric, ...]) -> str:
    """What the names at the head of a table stand for, and which way is better.

    >>> import ordeval as oe
    >>> print(legend((oe.cem_ord, oe.mean_absolute_error, oe.weighted_kappa)))
    Higher is better: CEM (closeness), quadratic weighted kappa. Lower is better: MAE
    """
    groups = grouped((f"{BETTER[m.greater_is_better]} is better", m.display) for m in metrics)
    return ". ".join(f"{way.capitalize()}: {', '.join(names)}" for way, names in groups.items())


def position_of(name: str, scored: Iterable[str]) -> int:
    """Where a measure is among those that were scored."""
    names = list(scored)
    if is_among(name, names):
        return names.index(name)
    raise not_scored(name, names)


def not_scored(name: Any, scored: Collection[str]) -> UnknownMetricError:
    """Return the error about a measure that is not among those that were scored."""
    hint = did_you_mean(nearest(str(name), scored))
    return UnknownMetricError(f"{shown(name)} was not scored.{hint} list(scores) names what was.")
