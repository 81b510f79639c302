"""The margin test of studies that are planned: that of data, from joint tables of counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.cell_influence import DENSE, cells_of, cut_of
from ordeval.inference.ends.range_ends import unseen
from ordeval.inference.identical_models import apart, evenness_of
from ordeval.inference.margins import DISCORDANT, EFFECTIVE, MarginTests
from ordeval.inference.sample_stacks import Mask
from ordeval.inference.study_design import Design
from ordeval.measures import Metric

_UNLIKELY: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Limits:
    """The margin tests of D studies by one measure."""

    metric: Metric
    first: Floats  # (D, K, K), the matrices of the first model
    units: float
    tests: MarginTests | None  # None if there are too many cells

    @classmethod
    def of(cls, metric: Metric, tables: Floats, design: Design) -> Limits:
        """The tests of joint tables (D, K, K, K), truth x A x B, of one size."""
        d, k = tables.shape[:2]
        units = float(tables[0].sum() / design.cluster_size)
        first = tables.sum(axis=-1)
        if k**4 > DENSE:
            return cls(metric, first, units, None)
        both = np.stack([first, tables.sum(axis=-2)], axis=1)
        cells = cells_of(metric.values, both, cut=cut_of(metric, k))
        gain, table = _gains(metric, both, cells.table)
        items = units * design.cluster_size
        each = gain[:, None, None, None] + items * (
            table[:, 0, :, :, None] - table[:, 1, :, None, :]
        )
        # Items of a cluster say less than as many independent ones.
        count = (tables / design.effect).reshape(d, -1)
        differ = np.broadcast_to(~np.eye(k, dtype=bool), tables.shape).reshape(d, -1)
        even = evenness_of(cells.table[:, 0], first.sum(axis=-1))
        tests = MarginTests.of(gain, each.reshape(d, -1), count, differ, even)
        return cls(metric, first, units, _of_clusters(tests, design, units))

    @property
    def discordant(self) -> Floats:
        """Units (D,) on which the models differ."""
        off = np.ones(len(self.first))
        return off if self.tests is None else self.tests.discordant

    def ratios(self, margin: float) -> Floats:
        """How many standard errors the gains (D,) lie above minus the margin, if that is true."""
        if self.tests is None:
            return np.full(len(self.first), np.inf)
        return self.tests.ratios(margin)

    def within(self, margin: float, tail: float, limit: float) -> Mask:
        """Which of the studies pass the test."""
        if self.tests is None:
            return np.ones(len(self.first), dtype=bool)
        found = np.asarray(self.tests.ratios(margin) > limit)
        few = np.flatnonzero(~self.tests.carried)
        found[few] = self._worst(self.first[few], self.tests.discordant[few], tail) < margin
        return found

    def _worst(self, first: Floats, seen: Floats, tail: float) -> Floats:
        """The largest difference of the models given the number of discordant units."""
        if not len(first):
            return np.empty(0)
        each = first.sum(axis=(-2, -1)) / self.units
        return apart(self.metric, first, unseen(self.units, tail, np.rint(seen)) * each)

    def expected(self, margin: float, tail: float, power: float, better: float) -> float:
        """The power of one study that is as expected, by how many discordant units it may have.

        ``power`` is that of the test where enough units carry the difference, ``better`` the
        chance of a significant gain, which needs no margin.
        """
        if self.tests is None:
            return power
        from scipy.special import gammaln

        mean, number = float(self.tests.discordant[0]), np.arange(DISCORDANT)
        chance = np.exp(number * np.log(mean) - mean - gammaln(number + 1.0))
        few = number * float(self.tests.effective[0]) / mean < EFFECTIVE
        few &= chance > _UNLIKELY
        first = np.repeat(self.first, int(few.sum()), axis=0)
        kept = self._worst(first, number[few].astype(np.float64), tail) < margin
        refused = float(chance[few].sum())
        return power * (1 - refused) + float(chance[few] @ np.where(kept, 1.0, better))


def _of_clusters(tests: MarginTests, design: Design, units: float) -> MarginTests:
    """The tests of clusters, from those of as many independent items as they are worth."""
    items = units * design.cluster_size / design.effect
    differ = -np.expm1(items / units * np.log1p(-np.minimum(tests.discordant / items, 1 - 1e-9)))
    each = items / np.where(tests.seen > 0, tests.seen, 1.0)
    kurtosis = design.peaked * each + (1 - design.peaked) * 3
    return replace(
        tests,
        freedom=np.full(len(tests.gain), max(units - 1.0, 1.0)),
        discordant=tests.discordant if design.cluster_size == 1 else units * differ,
        seen=np.where(tests.seen > 0, units / kurtosis, 0.0),
    )


def _gains(metric: Metric, both: Floats, table: Floats) -> tuple[Floats, Floats]:
    """By how much the first model is better (D,), and what items of each cell add to the values."""
    values = np.asarray(metric.values(both), dtype=np.float64)
    gains = np.asarray(metric.utility(values))
    if metric.greater_is_better is None:
        sign = np.where(values < metric.best, 1.0, -1.0)
    else:
        sign = np.full(values.shape, 1.0 if metric.greater_is_better else -1.0)
    return gains[:, 0] - gains[:, 1], sign[..., None, None] * table
