"""A judge against references that are noisy: the humans' votes, their consensus, unanimous items.

With votes, an item spreads its count over its raters: two votes for 3 and one for 4 are two thirds
of an item and one third. The matrix holds as much as there are items, which leave it whole. The
interval over raters too leaves out each rater in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import cells_of
from ordeval.inference.ends.range_ends import LowHigh, each_reach, unseen
from ordeval.inference.ends.t_intervals import Alone, within_reach
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Interval
from ordeval.inference.raters.judges import Panel


@dataclass(frozen=True, kw_only=True)
class NoisyReference:
    """The measure of a judge against several references made of the humans' ratings."""

    votes: Interval
    votes_over_raters: Interval  # the same value; the raters are a sample too
    consensus: Interval
    unanimous: Interval  # on items whose humans, two or more, all agree


def noisy_reference(panel: Panel, consensus: Integers) -> NoisyReference:
    """A judge against votes, and against the consensus (N,), negative where there is none."""
    humans = panel.humans
    known = humans >= 0
    highest, lowest = humans.max(axis=1), np.where(known, humans, panel.k).min(axis=1)
    agreed = (known.sum(axis=1) > 1) & (highest == lowest)
    votes = _Weighted(panel, humans)
    return NoisyReference(
        votes=votes.interval(),
        votes_over_raters=votes.interval(over_raters=True),
        consensus=_Weighted(panel, consensus[:, None]).interval(),
        unanimous=_Weighted(panel, np.where(agreed, highest, -1)[:, None]).interval(),
    )


class _Weighted:
    """Pairs of a reference's label and a judge's, of which each item has one in total."""

    def __init__(self, panel: Panel, reference: Integers) -> None:
        self.panel, self.reference, k = panel, reference, panel.k
        answered = panel.runs >= 0
        self.there = np.asarray((reference >= 0).any(axis=1) & answered.any(axis=1))
        sizes = (reference >= 0).sum(axis=1) * answered.sum(axis=1)
        item, column = np.nonzero((reference >= 0) & self.there[:, None])
        at, run = np.nonzero(answered[item])
        self.item = item[at]
        self.cell = reference[self.item, column[at]] * k + panel.runs[self.item, run]
        self.weight = 1.0 / sizes[self.item]
        total = np.bincount(self.cell, self.weight, minlength=k * k)
        self.matrix = total.reshape(1, k, k).astype(np.float64)

    @property
    def value(self) -> float:
        """The measure of the matrix."""
        return float(self.panel.metric.values(self.matrix)[0])

    def interval(self, *, over_raters: bool = False) -> Interval:
        """The interval of the measure, over items and perhaps over raters too."""
        shown = self.panel.taken(self.there).interval(np.nan, np.nan, np.nan)
        if not self.there.any():
            return shown
        metric, k, tail = self.panel.metric, self.panel.k, (1 - self.panel.level) / 2
        found = self._contributions()
        freedom = found.own_freedom
        if over_raters:
            between, raters = self._between_raters()
            items = found.errors**2
            freedom = (items + between) ** 2 / (items**2 / freedom + between**2 / (raters - 1))
            found = replace(found, pseudo=found.pseudo + between)
        alone = replace(Alone.of(found), freedom=freedom)
        if found.units < 2 or np.isnan(alone.errors).any():
            return replace(shown, estimate=self.value)
        amount = unseen(found.units, tail) * self.there.sum() / found.units

        def reach(_: object) -> LowHigh:
            return each_reach(metric.values, self.matrix, np.array([amount]))

        low, high = within_reach(metric, k, alone, tail, reach)
        return replace(shown, estimate=self.value, low=float(low[0]), high=float(high[0]))

    def _contributions(self) -> Contributions:
        """What items, or clusters of them, contribute."""
        cells = cells_of(self.panel.metric.values, self.matrix)
        unit = np.arange(len(self.there)) if self.panel.cluster is None else self.panel.cluster
        _, unit = np.unique(unit[self.item], return_inverse=True)
        parts: Floats = np.bincount(unit, self.weight * cells.table.ravel()[self.cell]).astype(
            float
        )
        return Contributions(
            values=np.array([self.value]),
            centre=cells.centre,
            parts=parts[:, None],
            count=np.ones(len(parts)),
            pseudo=cells.variance[None],
            bias=cells.bias,
        )

    def _between_raters(self) -> tuple[Floats, int]:
        """The variance (1,) that other raters would add, and how many raters there are."""
        used = np.flatnonzero((self.reference[self.there] >= 0).any(axis=0))
        without = [np.delete(self.reference, r, axis=1) for r in used.tolist()]
        if len(used) < 3:
            return np.full(1, np.nan), len(used)
        values = np.array([_Weighted(self.panel, rest).value for rest in without])
        spread = float(((values - values.mean()) ** 2).sum())
        return np.array([(len(used) - 1) / len(used) * spread]), len(used)
