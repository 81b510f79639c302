"""What each unit contributes to a measure: inference is the covariance of that.

A measure is a function of counts. Take one item of a cell away, and see how the value moves: that
is what an item of this cell contributes, exactly, for all items of the cell at once. Units (items,
or clusters of items) are independent, so the covariance of their contributions is that of the
values, for any number of models, and nothing is drawn.

One pseudo-item is added first, clusters or not: half of it right and half near misses, as Agresti
and Coull add to a share. Without it a perfect sample would seem to be perfectly certain, and taking
away the last item of a class would change what the measure averages over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.samples import Sample, blocks
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance

# Beyond this many numbers in the matrices with one item less, units leave in groups.
DENSE: Final = 2_000_000
_GROUPS: Final = (25, 100)  # at least, at most
_GROUP_CELLS: Final = 1_000_000  # of all groups together
_EXPANDED: Final = 1 << 22
_LEAST_FREEDOM: Final = 4.0
_FEW: Final = 5.0  # units of a class: predicted alike by chance, they would seem to be sure
NOISE: Final = 1e-14  # what rounding leaves of zero, as a share of a measure's range

ValueOf = Callable[[Any], Any]  # matrices (..., K, K) -> values (...)


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each of U units, some of them alike, adds to the values of M models."""

    values: Floats  # (M,), of the data as they are
    centre: Floats  # (M,), with the pseudo-item
    parts: Floats  # (U, M)
    count: Floats  # (U,), how many units are alike
    pseudo: Floats  # (M, M), the covariance that the pseudo-item adds
    bias: Floats  # (M,), how much too large the centre is on average (Quenouille 1956)
    most_freedom: float = np.inf  # of a difference that the few items of a class decide
    unit_items: float = 1.0  # how many items each independent unit holds, if that is known

    @cached_property
    def units(self) -> float:
        """How many units there are."""
        return float(self.count.sum())

    @cached_property
    def covariance(self) -> Floats:
        """The covariance (M, M) of the values."""
        if self.units < 2:
            return np.full(self.pseudo.shape, np.nan)
        spread = (self.parts * self.count[:, None]).T @ self.parts
        return self.units / (self.units - 1) * spread + self.pseudo

    @cached_property
    def errors(self) -> Floats:
        """The standard errors (M,)."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of a difference."""
        return max(min(self.units - 1, self.most_freedom), 1.0)

    @cached_property
    def own_freedom(self) -> Floats:
        """Degrees of freedom (M,) of each value."""
        second, fourth = (self.count @ self.parts**power / self.units for power in (2, 4))
        return freedom_of(second, fourth, self.units)

    def of(self, models: Any) -> Contributions:
        """The contributions to the values of some models."""
        chosen = list(models)
        both = np.ix_(chosen, chosen)
        found = replace(
            self,
            values=self.values[chosen],
            centre=self.centre[chosen],
            parts=self.parts[:, chosen],
            pseudo=self.pseudo[both],
            bias=self.bias[chosen],
        )
        # They are parts of the whole's: hundreds of pairs need not sum over the units again, and
        # where items are known by their sums only, nothing else could.
        vars(found).update(covariance=self.covariance[both])
        if "own_freedom" in vars(self):
            vars(found).update(own_freedom=self.own_freedom[chosen])
        return found

    @property
    def gap(self) -> Contributions:
        """What units contribute to the difference of the first two values."""
        a, b = self.pseudo[0, 0] + self.pseudo[1, 1], self.pseudo[0, 1] + self.pseudo[1, 0]
        values, centre, bias = (x[:1] - x[1:2] for x in (self.values, self.centre, self.bias))
        return Contributions(
            values=values,
            centre=centre,
            parts=self.parts[:, :1] - self.parts[:, 1:2],
            count=self.count,
            pseudo=np.array([[a - b]]),
            bias=bias,
            most_freedom=self.most_freedom,
        )

    @property
    def compared(self) -> Contributions:
        """What differences of models are made from.

        A class that is seen in one or two clusters does not show how much its clusters vary. Where
        such a class decides, one pseudo-item is too little: equal models on 20 clusters would be
        told apart by the mean over classes in 9% of data sets.
        """
        return self.with_a_pseudo_cluster if self.most_freedom < _LEAST_FREEDOM else self

    @property
    def with_a_pseudo_cluster(self) -> Contributions:
        """The same with a pseudo-unit that weighs as much as a cluster: more careful.

        The largest of many differences is compared with a multivariate t, which claims too much
        with few clusters: 20 equal models on 12 to 25 clusters would differ in up to 17% of data
        sets, where 5% is nominal.
        """
        if self.unit_items == 1:
            return self
        return replace(self, pseudo=self.pseudo * self.unit_items**2)

    def turned(self, metric: Metric) -> Contributions:
        """The same for what is compared: of a two-sided measure the distance to its best value."""
        if metric.greater_is_better is not None:
            return self
        # On which side a model lies is read off the data as they are, unless it is neither.
        side = np.where(self.values == metric.best, self.centre, self.values)
        sign = np.where(side < metric.best, -1.0, 1.0)
        return replace(
            self,
            values=np.abs(self.values - metric.best),
            centre=sign * (self.centre - metric.best),
            parts=self.parts * sign,
            pseudo=self.pseudo * np.outer(sign, sign),
            bias=self.bias * sign,
        )


def freedom_of(second: Floats, fourth: Floats, units: Any) -> Floats:
    """Degrees of freedom of values whose contributions have these mean powers.

    The variance of a mean of squares is that of a chi-squared variable with 2 U / (kurtosis - 1)
    degrees of freedom: few, if few units contribute most.
    """
    flat = second <= 1e-30
    kurtosis = np.where(flat, 3.0, fourth / np.where(flat, 1.0, second**2))
    most = np.maximum(units - 1.0, 1.0)
    wanted = 2 * units / np.maximum(kurtosis - 1, 1e-9)
    return np.asarray(np.clip(wanted, np.minimum(_LEAST_FREEDOM, most), most))


def freedom_by_class(
    metric: Metric, units: NDArray[Any], most: Any, *, alone: float = 0.5
) -> Floats:
    """Degrees of freedom (G,) far out in the tail, from the units of each true class (G, K).

    Two or three items of a class that happen to be predicted alike seem to be sure of themselves.
    Of one pair that is rare, of the largest of many differences it is the rule. How much classes
    count, and so how few items decide (Satterthwaite 1946), is read off a model that errs like the
    pseudo-item: it is the same for all models that are compared. The only unit of a class counts as
    ``alone``.
    """
    units, k = units.astype(np.float64), units.shape[1]
    most = np.broadcast_to(np.asarray(most, dtype=np.float64), len(units))
    if k**4 > DENSE:
        return np.array(most)
    one = pseudo_items(units[:, :, None] * np.eye(k))
    _, table, _ = by_cell(metric.values, (units.sum(axis=1) + 1)[:, None, None] * one)
    within = (table - _weighted_mean(table, one, axis=-1)) ** 2 * one
    spread = within.sum(axis=-1)
    doubt = (spread**2 / np.where(units > 1, np.maximum(units - 1, 0.5), alone)).sum(axis=1)
    found = spread.sum(axis=1) ** 2 / np.where(doubt > 0, doubt, 1.0)
    return np.asarray(np.where(doubt > 0, np.clip(found, 1.0, most), most))


def freedom_of_few(metric: Metric, units: NDArray[Any], *, left_out: bool = False) -> Floats:
    """Degrees of freedom (G,) of differences where a true class has few of the units (G, K).

    Infinite where it has not: then the number of all units says enough. So it does if units are
    items that were ``left_out`` one by one, unless two or three of them decide: without one of n,
    their class moves by n / (n - 1) of what it should, and without its only one by most of all.
    What the items of a cluster contribute is summed instead, and cancels if there is no other.
    """
    found = np.full(len(units), np.inf)
    few = np.flatnonzero(((units > 0) & (units < _FEW)).any(axis=1))
    if len(few):
        alone = np.inf if left_out else 0.5
        found[few] = freedom_by_class(metric, units[few], np.inf, alone=alone)
    return np.where(found < _LEAST_FREEDOM, found, np.inf) if left_out else found


def contributions(metric: Metric, sample: Sample) -> Contributions:
    """What the units of one sample contribute to a measure of labels."""
    (found,) = influence(metric, [sample])
    return found


def influence(metric: Metric, samples: Sequence[Sample]) -> list[Contributions]:
    """What the units of G samples contribute to the values of M models, all of them at once.

    The samples are groups of items with the predictions of the same models, by one design. One
    sample and one model are G = M = 1.
    """
    first, values = samples[0], _values(metric, samples)
    if first.k**4 > DENSE:
        each = zip(samples, values, strict=True)
        found = [by_random_groups(metric.values, s, v) for s, v in each]
    else:
        mass = np.array([[s.one_item] for s in samples])
        matrices = np.stack([s.matrices for s in samples])
        cells = cells_of(metric.values, matrices, mass, stratify=first.stratify)
        found = gathered(samples, values, cells)
    left_out = first.cluster is None and first.weight is None
    units = np.stack([s.units_by_class for s in samples])
    most = freedom_of_few(metric, units, left_out=left_out).tolist()
    return [
        replace(c, centre=without_noise(metric, first.k, c.centre), most_freedom=m)
        for c, m in zip(found, most, strict=True)
    ]


def _values(metric: Metric, samples: Sequence[Sample]) -> Floats:
    """The values (G, M) of the data as they are."""
    if len(samples) == 1:
        # One by one, as everywhere else: another order of summing would differ in the last digit.
        values = np.array([[metric.values(n) for n in samples[0].counts]], dtype=np.float64)
    else:
        values = np.asarray(metric.values(np.stack([s.counts for s in samples])))
    return without_noise(metric, samples[0].k, values)


def without_noise(metric: Metric, k: int, values: Floats) -> Floats:
    """Values of which what rounding leaves of zero is zero, and no difference from it."""
    low, high = metric.range.at(k)
    noise = NOISE * (high - low) if np.isfinite(high - low) else 0.0
    return np.where(np.abs(values) <= noise, 0.0 * values, values)


def gathered(
    samples: Sequence[Sample], values: Floats, cells: CellInfluence
) -> list[Contributions]:
    """The contributions of the units of G samples, from those of an item of each cell."""
    pseudo, flat = cells.covariance, cells.table.reshape(*values.shape, -1)
    found = []
    for g, sample in enumerate(samples):
        parts, count = by_unit(flat[g, np.arange(sample.models), sample.cells], sample)
        one = Contributions(
            values=values[g],
            centre=cells.centre[g],
            parts=parts,
            count=count,
            pseudo=pseudo[g],
            bias=cells.bias[g],
            unit_items=sample.items / sample.known / sample.one_item,
        )
        found.append(one)
    return found


def by_unit(rows: Floats, sample: Sample) -> tuple[Floats, Floats]:
    """Contributions of units, and how many are alike, from those of an item of each row (U, M)."""
    parts, count = rows * sample.share[:, None], sample.count.astype(np.float64)
    if sample.cluster is None:
        return parts, count
    return summed(parts * count[:, None], sample.cluster)


class CellInfluence(NamedTuple):
    """What the items of each cell contribute to values of matrices (..., K, K)."""

    centre: Floats  # (...), with the pseudo-items
    table: Floats  # (..., K, K), of one item
    bias: Floats  # (...), how much too large the centre is on average
    pseudo: Floats  # (..., K, K), the pseudo-items
    mass: Floats  # (...), how many pseudo-items there are

    @property
    def variance(self) -> Floats:
        """The variance (...) that the pseudo-items add to each value: they move together."""
        return np.asarray(self.mass * (self.table**2 * self.pseudo).sum(axis=(-2, -1)))

    @property
    def covariance(self) -> Floats:
        """The covariance (..., M, M) that they add to the values of models with the same truth."""
        mass = self.mass[..., :1, None]
        return mass * pseudo_covariance(self.table, self.pseudo[..., 0, :, :])


def cells_of(
    value: ValueOf, matrices: Floats, mass: Any = 1.0, *, stratify: bool = False
) -> CellInfluence:
    """What an item of each cell of matrices (..., K, K) contributes, with so many pseudo-items.

    This is the one place where items are left out of matrices. ``stratify``: class sizes are fixed,
    and only what items contribute beside the mean of their class counts.
    """
    k, items = matrices.shape[-1], matrices.sum(axis=(-2, -1))
    amount = np.broadcast_to(np.asarray(mass, dtype=np.float64), items.shape)
    pseudo = amount[..., None, None] * pseudo_items(matrices)
    smooth = matrices + pseudo
    centre, table, bias = by_cell(value, smooth.reshape(-1, k, k))
    table = table.reshape(matrices.shape)
    if stratify:
        table = table - _weighted_mean(table, smooth, axis=-1)
    table = table / (items + amount)[..., None, None]
    centre, bias = (x.reshape(items.shape) for x in (centre, bias))
    return CellInfluence(centre, table, bias, pseudo, amount)


def pseudo_covariance(parts: Floats, added: Floats) -> Floats:
    """The covariance (..., M, M) of what pseudo-items (..., K, K) add, by cell (..., M, K, K).

    They have the same true class for all models, which err on them independently: models that never
    disagreed in a sample are not known to agree always (as Agresti & Min 2005 add to both kinds of
    disagreement).
    """
    rows = added.sum(axis=-1)
    mean = (parts * added[..., None, :, :]).sum(axis=-1)
    mean = mean / np.sqrt(np.where(rows > 0, rows, 1.0))[..., None, :]
    between = mean @ np.swapaxes(mean, -1, -2)
    own = (parts**2 * added[..., None, :, :]).sum(axis=(-2, -1))
    return np.asarray(np.where(np.eye(parts.shape[-3], dtype=bool), own[..., None], between))


def pseudo_items(matrices: Floats) -> Floats:
    """One item spread over each matrix: by the shares of the true classes, half of it right.

    The other half misses, by four steps at most, three times less with every step, and into
    classes that occur in the truth, which is the same for all models.
    """
    k = matrices.shape[-1]
    if k == 1:
        return np.ones_like(matrices)
    steps = distance(k)
    misses = np.where((steps > 0) & (steps <= 4), 3.0**-steps, 0.0)
    known = misses * (matrices.sum(axis=-1) > 0)[..., None, :]
    # A class that is alone within four steps misses into its neighbours.
    misses = np.where(known.any(axis=-1, keepdims=True), known, misses)
    row = 0.5 * misses / misses.sum(axis=-1, keepdims=True) + 0.5 * np.eye(k)
    classes = matrices.sum(axis=-1, keepdims=True)
    return np.asarray(classes / np.maximum(classes.sum(axis=-2, keepdims=True), 1e-300) * row)


def by_cell(value: ValueOf, smooth: Floats) -> tuple[Floats, Floats, Floats]:
    """Centres (M,), what an item of each cell contributes (M, K, K), and the bias (M,)."""
    m, k, _ = smooth.shape
    total = smooth.sum(axis=(-2, -1))[:, None]
    centre = np.asarray(value(smooth), dtype=np.float64)
    flat = smooth.reshape(m, k * k)
    # One item; less of the pseudo-items, and more of so many that one would be lost in rounding.
    taken = np.minimum(flat, np.maximum(1.0, 1e-7 * total))
    without = changed(value, flat, -taken)
    moved = centre[:, None] - without
    there = (taken > 0) & ~np.isnan(moved)
    table = np.where(there, (total - taken) / np.where(there, taken, 1.0) * moved, 0.0)
    bias = -(table * flat).sum(axis=1) / np.maximum(total[:, 0], 1e-300)
    return centre, (table + bias[:, None] * there).reshape(m, k, k), bias


def changed(value: ValueOf, cells: Floats, change: Floats) -> Floats:
    """The values (M, K * K) with each cell in turn changed; NaN where nothing changes."""
    k = round(cells.shape[1] ** 0.5)
    models, places = np.nonzero(change)
    found, start = np.full(cells.shape, np.nan), 0
    for n in blocks(len(models), 8 * k * k):
        model, place = models[start : start + n], places[start : start + n]
        stack = cells[model]
        stack[np.arange(n), place] += change[model, place]
        found[model, place] = value(stack.reshape(n, k, k))
        start += n
    return found


def by_random_groups(value: ValueOf, sample: Sample, values: Floats) -> Contributions:
    """Contributions of random groups of units, where there are too many cells for one by one.

    Leaving out each of some dozen groups estimates the same covariance, with as many degrees of
    freedom (Shao & Tu 1995). The pseudo-unit is a group of its own.
    """
    row, group, amount = _groups(sample)
    smooth = sample.matrices + sample.one_item * pseudo_items(sample.matrices)
    m, cells, total = sample.models, sample.k**2, smooth.sum(axis=(-2, -1))
    centre = np.asarray(value(smooth), dtype=np.float64)
    group = np.cumsum(np.diff(group, prepend=-1) > 0) - 1  # some may be empty
    parts = np.zeros((int(group[-1]) + 1, m))
    start = 0
    for size in blocks(len(parts), 8 * m * cells):
        rows = slice(*np.searchsorted(group, (start, start + size)))
        place = ((group[rows] - start)[:, None] * m + np.arange(m)) * cells
        place = place + sample.cells[row[rows]]
        weight = np.repeat(amount[rows], m)
        left = np.bincount(place.ravel(), weight, size * m * cells).reshape(size, *smooth.shape)
        rest = (total - left.sum(axis=(-2, -1))) / total
        without = np.asarray(value(np.maximum(smooth - left, 0.0)))
        parts[start : start + size] = rest * (centre - without)
        start += size
    size = len(parts)
    bias = -parts.sum(axis=0)
    parts = np.nan_to_num(parts + bias / size)
    own = (total - 1) / total * (centre - np.asarray(value(sample.matrices)))
    pseudo = np.nan_to_num(np.outer(own, own))
    return Contributions(
        values=values, centre=centre, parts=parts, count=np.ones(size), pseudo=pseudo, bias=bias
    )


def _groups(sample: Sample) -> tuple[Integers, Integers, Floats]:
    """Rows, the random group that each goes to, in order, and how much of the row does."""
    rng = np.random.default_rng(0)
    row = np.arange(len(sample.truth))
    size = int(np.clip(_GROUP_CELLS // sample.k**2, *_GROUPS))
    if sample.cluster is not None:
        group = (rng.permutation(int(sample.cluster.max()) + 1) % size)[sample.cluster]
        amount = sample.share * sample.count
    elif sample.items <= _EXPANDED:
        row = np.repeat(row, sample.count)
        group, amount = rng.permutation(len(row)) % size, sample.share[row]
    else:
        spread = rng.multinomial(sample.count, np.full(size, 1 / size))
        row, group = np.nonzero(spread)
        amount = sample.share[row] * spread[row, group]
    order = np.argsort(group, kind="stable")
    return row[order], group[order].astype(np.int64), amount[order]


def summed(parts: Floats, cluster: Integers) -> tuple[Floats, Floats]:
    """Contributions (U, M) summed within clusters, each of which counts once."""
    present, number = np.unique(cluster, return_inverse=True)
    size = len(present)
    summed = [np.bincount(number, p, minlength=size) for p in parts.T]
    return np.stack(summed, axis=1).astype(np.float64), np.ones(size)


def _weighted_mean(table: Floats, weight: Floats, axis: int) -> Floats:
    total = weight.sum(axis=axis, keepdims=True)
    found: Floats = (table * weight).sum(axis=axis, keepdims=True) / np.where(total > 0, total, 1.0)
    return found
