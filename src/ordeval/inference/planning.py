"""How many items a study needs: its expected precision or power by sample size.

What is expected is a table of shares, truth x prediction or truth x A x B. The default interval, or
the default test, of a table with so many items says what a study of that size shows: smoothly, so
that the least size is found by bisection. Chance makes tables that are not like the expected one,
above all where errors are rare. So studies are drawn too, and what they show on average corrects
the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import named
from ordeval._shared.types import Floats
from ordeval.exceptions import ParameterError
from ordeval.inference.cell_influence import cells_of, cut_of
from ordeval.inference.disagreements import (
    ENOUGH,
    both_tables,
    exchanged_items,
    few_p_value,
    moves_of,
    variance_apart,
)
from ordeval.inference.ends import signs, t_intervals as alone
from ordeval.inference.influence import contributions
from ordeval.inference.many_models.simultaneous import error_with, gap_of, studentised
from ordeval.inference.planned_margins import Limits
from ordeval.inference.sample_stacks import Mask, Tables
from ordeval.inference.samples import Sample
from ordeval.inference.study_design import Design, HalfWidths, Powers, power_of
from ordeval.measures import Metric

MOST_UNITS: Final = 10**9
# Studies that are drawn: few for a half-width, which varies little, more for a share of tests. The
# cost grows with the fourth power of the classes, so that from some number on there are fewer.
_WIDTHS: Final = 400, 10
_TESTS: Final = 4000, 5
_EXACT_TESTS: Final = 1000
_ROUNDS: Final = 5  # two are mostly enough
_SEED: Final = 20_200_705
_MANY: Final = 1e6
_NOTHING: Final = 1e-10


class Goal(Protocol):
    """The target of a study, by its size in units: clusters, or items."""

    @property
    def least(self) -> int:
        """The smallest size that is looked at."""

    def expected(self, units: int) -> float:
        """What the expected table of this size shows."""

    def drawn(self, units: int) -> float:
        """What studies of this size show on average; NaN if too few can be drawn."""

    def score(self, value: float) -> float:
        """A value on a scale that grows with the size, and on which corrections add."""

    def value(self, score: float) -> float:
        """The value of a score."""


class Needed(NamedTuple):
    """The least number of units that reaches a target, what it shows, and its correction."""

    units: int
    value: float
    shift: float


def needed(goal: Goal, target: float) -> Needed:
    """The least number of units that reaches a target."""
    aim, shift = goal.score(target), 0.0
    units = _least_units(goal, aim)
    for _ in range(_ROUNDS):
        shift = goal.score(goal.drawn(units)) - goal.score(goal.expected(units))
        shift = shift if math.isfinite(shift) else 0.0
        before, units = units, _least_units(goal, aim - shift)
        if abs(units - before) <= 0.01 * units:
            break
    return Needed(units, goal.value(goal.score(goal.expected(units)) + shift), shift)


def shown(goal: Goal, units: int, near: Needed) -> float:
    """What studies of another size show."""
    drawn = goal.drawn(units) if isinstance(goal, Precision) else math.nan
    if drawn == drawn:
        return drawn
    # Tests are costly to draw, and their power is corrected alike over a range of sizes.
    return goal.value(goal.score(goal.expected(units)) + near.shift)


def _least_units(goal: Goal, target: float) -> int:
    def enough(units: int) -> bool:
        return goal.score(goal.expected(units)) >= target

    low, high = goal.least - 1, goal.least
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_UNITS:
            raise ParameterError(
                f"more than {MOST_UNITS:,} items would be needed. Choose a wider interval or "
                "less power."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@dataclass(frozen=True, eq=False)
class Precision(HalfWidths):
    """An interval of a measure: its half-width, which is the mean of its two arms."""

    metric: Metric
    table: Floats  # (K, K), shares
    design: Design

    @cached_property
    def values(self) -> Floats:
        """The value (1,) of the model."""
        return _values(self.metric, self.table[None])

    @property
    def least(self) -> int:
        """Two units; of a biased measure, as many items as the table has cells."""
        cells = self.table.size if self.metric.biased else 0
        return max(2, self.design.units(cells))

    def ends(self, units: int) -> tuple[float, float]:
        """The interval of the expected table."""
        items = units * self.design.cluster_size
        low, high = _ends(self.metric, self.table[None] * items, self.design)
        return float(low[0]), float(high[0])

    def expected(self, units: int) -> float:
        """The half-width of the expected table."""
        low, high = self.ends(units)
        return (high - low) / 2

    def drawn(self, units: int) -> float:
        """The mean half-width of studies in which the measure has a value."""
        tables = _studies(self.table, units, self.design, *_WIDTHS)
        if not len(tables):
            return math.nan
        low, high = _ends(self.metric, tables, self.design)
        widths = (high - low)[~np.isnan(high - low)] / 2
        return float(widths.mean()) if len(widths) else math.nan


@dataclass(frozen=True, eq=False)
class Power(Powers):
    """The paired test of two models: how often it shows what is expected to be so.

    Without a margin the two-sided test, significant in favour of the model that is expected to be
    better; with one, that A is worse than B by less than the margin.
    """

    metric: Metric
    table: Floats  # (K, K, K), shares, truth x A x B
    design: Design
    margin: float | None = None

    @property
    def least(self) -> int:
        """Two units."""
        return 2

    @cached_property
    def values(self) -> Floats:
        """The values (2,) of A and B."""
        return _values(self.metric, np.stack([self.table.sum(axis=-1), self.table.sum(axis=-2)]))

    @cached_property
    def gain(self) -> float:
        """By how much A is expected to be better than B; what rounding leaves is nothing."""
        a, b = np.asarray(self.metric.utility(self.values)).tolist()
        return 0.0 if abs(a - b) < _NOTHING else a - b

    @property
    def always_agree(self) -> bool:
        """Whether A and B give the same answer on every item."""
        return not self.table[:, ~np.eye(len(self.table), dtype=bool)].any()

    @property
    def lead(self) -> float:
        """How far what is expected lies from what is to be refuted."""
        return abs(self.gain) if self.margin is None else self.gain + self.margin

    def expected(self, units: int) -> float:
        """The power by the noncentral t distribution, at the expected table."""
        tables = self.table[None] * (units * self.design.cluster_size)

        def passed(ratio: Floats) -> float:
            return power_of(float(ratio[0]), max(units - 1, 1), self.design.tail)

        gains, errors = _gains(self.metric, tables, self.design, counted=False)
        leads = self._leads(gains, errors)
        if self.margin is None:
            return passed(leads)
        limits = Limits.of(self.metric, tables, self.design)
        near = passed(np.fmin(leads, limits.ratios(self.margin)))
        better = passed(studentised(gains, errors.at_zero))
        return limits.expected(self.margin, self.design.tail, max(near, better), better)

    def drawn(self, units: int) -> float:
        """The share of studies that show it."""
        if self.margin is None and self.gain < 0:
            # A two-sided test does not depend on which model is called A; nor may what is drawn.
            return replace(self, table=np.swapaxes(self.table, -1, -2)).drawn(units)
        tables = _studies(self.table, units, self.design, *_TESTS)
        if not len(tables):
            return math.nan
        if self._exact(tables):
            tables = tables[:_EXACT_TESTS]
        share = float(self.shown(tables).mean())
        # No number of draws shows that something never fails.
        return min(max(share, 0.5 / len(tables)), 1 - 0.5 / len(tables))

    def shown(self, tables: Floats) -> Mask:
        """Which of these studies (D, K, K, K) of one size show it."""
        units = round(float(tables[0].sum() / self.design.cluster_size))
        limit = self._limit(units)
        gains, errors = _gains(self.metric, tables, self.design)
        found: Mask = np.asarray(self._leads(gains, errors) > limit)
        if self.margin is None:
            return found
        # The rules of ``margins.WithinMargin``, and of models that agree on every item.
        limits = Limits.of(self.metric, tables, self.design)
        near = limits.within(self.margin, self.design.tail, limit)
        near |= studentised(gains, errors.at_zero) > limit
        return np.asarray(near & (found | (limits.discordant == 0)))

    def _exact(self, tables: Floats) -> bool:
        """Whether few disagreements are expected, so that tests are exact and slow."""
        mean = tables.mean(axis=0, keepdims=True)
        both = np.stack([mean.sum(axis=-1), mean.sum(axis=-2)], axis=1)
        moved = moves_of(cells_of(self.metric.values, both).table.sum(axis=1))
        axes = (-3, -2, -1)
        second, fourth = ((mean * moved**power).sum(axis=axes) for power in (2, 4))
        return bool(signs.are_few(second, 2 * fourth)[0]) and self.design.cluster_size == 1

    def _leads(self, gains: Floats, errors: _Errors) -> Floats:
        """How many errors gains lie beyond what is to be refuted."""
        if self.margin is not None:
            return errors.away(gains, -self.margin)
        return studentised(gains if self.gain > 0 else -gains, errors.at_zero)

    def _limit(self, units: int) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(max(units - 1, 1), 1 - self.design.tail))


def _values(metric: Metric, shares: Floats) -> Floats:
    """The values of shares (M, K, K), as many items would have them."""
    return np.asarray(metric.values(shares * _MANY), dtype=np.float64)


def _studies(table: Floats, units: int, design: Design, most: int, classes: int) -> Floats:
    """Tables (D, ...) of simulated studies; none if they would add more noise than they correct.

    Items of a cluster say less than as many independent ones, so fewer are drawn, each of which
    counts for several.
    """
    affordable = min((classes / len(table)) ** 4, 1.0)
    if affordable < 1 / 8:
        return np.empty((0, *table.shape))
    items = units * design.cluster_size
    effective = max(round(items / design.effect), 2)
    rng = np.random.default_rng(_SEED)
    drawn = rng.multinomial(effective, table.ravel(), round(most * affordable))
    return np.asarray(drawn.reshape(-1, *table.shape) * (items / effective), dtype=np.float64)


class _Studies(Tables):
    """Tables (D, K, K) of studies on a number of clusters of equal size."""

    def __init__(self, matrices: NDArray[Any], design: Design, units: Floats) -> None:
        super().__init__(matrices)
        self.design, self.units = design, np.minimum(units, self.items)

    @property
    def in_groups(self) -> bool:
        """Tables hold no items that could leave."""
        return False

    def powers(self, table: Floats) -> tuple[Floats, Floats]:
        """Of items that are independent, multiplied by what clusters do to their sums."""
        second, fourth = super().powers(table)
        effect, peaked = self.design.effect, self.design.peaked
        mixed = peaked * fourth / self.items + (1 - peaked) * 3 * (second / self.items) ** 2
        return effect * second, (effect * self.items) ** 2 / self.units * mixed

    def part(self, matrices: NDArray[Any], there: Mask) -> _Studies:
        """Some items of some studies: the others of a cluster contribute nothing."""
        return _Studies(matrices, self.design, self.units[there])


def _ends(metric: Metric, tables: Floats, design: Design) -> tuple[Floats, Floats]:
    """The default intervals of tables (D, K, K)."""
    items = tables.sum(axis=(-2, -1))
    stack = _Studies(tables, design, items / design.cluster_size)
    return alone.ends(metric, stack, alone.measured(metric, stack), design.level)


class _Errors(NamedTuple):
    """The errors (D,) of differences, as ``paired_tests.TTest`` has them."""

    at_zero: Floats
    near: Floats  # at the difference
    beyond: Floats

    def away(self, gains: Floats, value: float) -> Floats:
        """How many errors gains lie above a value."""
        inside = np.clip(value, np.minimum(gains, 0.0), np.maximum(gains, 0.0))
        to_zero = np.where(gains != 0, inside / np.where(gains != 0, gains, 1.0), 1.0)
        grows = np.maximum(self.near - self.at_zero, 0.0)
        found = studentised(gains - inside, self.at_zero + grows * to_zero)
        return np.asarray(found + studentised(inside - value, self.beyond))


def _gains(
    metric: Metric, tables: Floats, design: Design, *, counted: bool = True
) -> tuple[Floats, _Errors]:
    """By how much A is better than B in tables (D, K, K, K), and its errors.

    Where few disagreements decide, tests of tables that are ``counted`` are exact, as in data.
    """
    units = tables.sum(axis=(-3, -2, -1)) / design.cluster_size
    both = np.stack([tables.sum(axis=-1), tables.sum(axis=-2)], axis=1)
    cells = cells_of(metric.values, both, cut=cut_of(metric, tables.shape[-1]))
    sign = _direction(metric, both)
    centre = cells.centre - (metric.best if metric.greater_is_better is None else 0.0)
    turned = cells._replace(table=sign[..., None, None] * cells.table)
    a, b = turned.table[:, 0, :, :, None], turned.table[:, 1, :, None, :]
    spread = np.einsum("dijk,dijk->d", (a - b) ** 2, tables)
    own = turned.covariance
    added = own[:, 0, 0] + own[:, 1, 1] - 2 * own[:, 0, 1]
    spread = units / (units - 1) * design.effect * spread
    there = both + cells.pseudo > 0
    together = both_tables(*np.swapaxes(turned.table, 0, 1), *np.swapaxes(there, 0, 1))
    exchanged = exchanged_items(together, tables)
    squares = np.where(_in_large_clusters(tables, units, design), 0.0, exchanged.squares)
    in_units = exchanged._replace(squares=design.effect * squares)
    near = variance_apart(spread, in_units, units)
    values = sign * centre
    gains = gap_of(values[:, 0], values[:, 1])
    errors = np.sqrt(near), np.sqrt(np.maximum(near, spread + added))
    few = counted and design.cluster_size == 1
    at_zero = _exact_errors(gains, together, tables, errors[0]) if few else errors[0]
    return gains, _Errors(at_zero, *errors)


def _in_large_clusters(tables: Floats, units: Floats, design: Design) -> NDArray[np.bool_]:
    """Whether clusters (D,) are tested by what they contribute alone, as in data.

    Items of a class are in as many clusters as their design effect leaves.
    """
    seen = np.minimum(tables.sum(axis=(-2, -1)) / design.effect, units[:, None])
    return np.asarray(((seen == 0) | (seen >= ENOUGH)).all(axis=1) & (design.cluster_size > 1))


def _exact_errors(gains: Floats, together: Floats, tables: Floats, errors: Floats) -> Floats:
    """Errors that make tests exact where few disagreements decide."""
    p, there = np.full(len(gains), np.nan), tables.sum(axis=0) > 0
    moved = moves_of(together)[:, there]
    for i, number in enumerate(tables[:, there]):
        p[i] = few_p_value(moved[i], number, float(gains[i]))
    return error_with(gains, p, errors, float(tables[0].sum()) - 1)


def _direction(metric: Metric, matrices: Floats) -> Floats:
    """What the values of matrices are multiplied by, so that greater is better."""
    if metric.greater_is_better is None:
        values = np.asarray(metric.values(matrices))
        return np.where(values < metric.best, 1.0, -1.0)
    return np.full(matrices.shape[:-2], 1.0 if metric.greater_is_better else -1.0)


def sizes_of(sample: Sample) -> tuple[float, float]:
    """The mean size of the clusters of pilot data, and its coefficient of variation."""
    if sample.cluster is None:
        return sample.items / sample.units, 0.0
    sizes = np.bincount(sample.cluster, sample.count)
    sizes = sizes[sizes > 0]
    return float(sizes.mean()), float(sizes.std() / sizes.mean())


def intraclass_correlation(metric: Metric, sample: Sample) -> float:
    """How alike the contributions of two items of a cluster are, from clustered pilot data."""
    assert sample.cluster is not None
    sizes = np.bincount(sample.cluster, sample.count)
    mean_size = float((sizes**2).sum() / sizes.sum())  # of the cluster that an item is in
    apart = _spread(metric, replace(sample, cluster=None))
    if mean_size <= 1 or not apart > 0:
        return 0.0
    effect = _spread(metric, sample) / apart
    return float(np.clip((effect - 1) / (mean_size - 1), 0.0, 1.0))


def _spread(metric: Metric, sample: Sample) -> float:
    """The variance of the value, or of the difference of two, that units make."""
    found = contributions(metric, sample).turned(metric)
    parts = found.parts[:, 0] - (found.parts[:, 1] if sample.models > 1 else 0.0)
    units = found.units
    return float(units / (units - 1) * (found.count @ parts**2))


def undefined_share(goal: Precision | Power, units: int) -> float:
    """The share of studies in which the measure has no value."""
    tables = _studies(goal.table, units, goal.design, *_WIDTHS)
    if not len(tables):
        return 0.0
    matrices = tables if tables.ndim == 3 else np.stack([tables.sum(axis=-1), tables.sum(axis=-2)])
    values = np.asarray(goal.metric.values(matrices))
    return float(np.isnan(values.reshape(-1, len(tables))).any(axis=0).mean())


def check_half_width(half_width: float, metric: Metric, k: int) -> None:
    """Refuse a half-width that any data have, or none."""
    low, high = metric.range.at(k)
    if not half_width < (high - low) / 2:
        raise ParameterError(
            f"{named('half_width')} must be smaller than half of the range of {metric.name}, "
            f"{metric.range.show(k)}: every interval is that narrow; got {half_width:g}."
        )
