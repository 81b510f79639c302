"""What each unit contributes to a measure: inference is the covariance of that.

A measure is a function of counts. Take one item of a cell away, and see how the value moves: that
is what an item of this cell contributes, exactly, for all items of the cell at once. Units (items,
or clusters of items) are independent, so the covariance of their contributions is that of the
values, for any number of models, and nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.data.populations.shares import Strata
from ordeval.inference.cell_influence import (
    DENSE,
    CellInfluence,
    ValueOf,
    cells_of,
    cut_of,
    freedom_of,
    freedom_of_few,
    freedom_of_sides,
    pseudo_items,
)
from ordeval.inference.disagreements import Disagreements, Exchangeable
from ordeval.inference.many_models.simultaneous import error_with, errors_of, gap_of
from ordeval.inference.samples import Sample, blocks
from ordeval.measures import Metric

_GROUPS: Final = (25, 100)  # at least, at most
_GROUP_CELLS: Final = 1_000_000  # of all groups together
_ONE_BY_ONE: Final = 50  # models, up to which their values are computed one by one
_EXPANDED: Final = 1 << 22
NOISE: Final = 1e-14  # what rounding leaves of zero, as a share of a measure's range


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
    disagreements: Exchangeable | None = None  # of the models, if they give labels

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
    def by_t(self) -> Floats:
        """The standard errors (M, M) of differences, if models are equally good."""
        if self.disagreements is None or self.units < 2:
            return errors_of(self.covariance)
        spread = errors_of(self.covariance - self.pseudo) ** 2
        return np.sqrt(self.disagreements.variance(spread, self.units))

    @cached_property
    def apart(self) -> Floats:
        """A copy in which a t test of no difference is exact if few disagreements decide."""
        if self.disagreements is None or self.units < 2:
            return self.by_t
        gaps = gap_of(self.centre[:, None], self.centre[None, :])
        return error_with(gaps, self.disagreements.p_values(gaps), self.by_t, self.freedom)

    @cached_property
    def errors(self) -> Floats:
        """The standard errors (M,), without the covariances of hundreds of models."""
        if "covariance" in vars(self) or self.units < 2:
            return np.asarray(np.sqrt(np.diagonal(self.covariance)))
        own = np.einsum("um,um,u->m", self.parts, self.parts, self.count)
        variances = self.units / (self.units - 1) * own + np.diagonal(self.pseudo)
        return np.asarray(np.sqrt(variances))

    @property
    def none_apart(self) -> bool:
        """Whether no unit moves the first two values apart, but for rounding."""
        return bool(self.by_t[0, 1] <= 1e-6 * self.errors[:2].max())

    @property
    def freedom(self) -> float:
        """Degrees of freedom of a difference, if models are equally good.

        Exchanged answers see how much the few units of a class vary; contributions may not.
        """
        if self.disagreements is None:
            return self.freedom_of_few
        return max(min(self.units - 1, self.disagreements.most_freedom), 1.0)

    @property
    def freedom_of_few(self) -> float:
        """Degrees of freedom of a difference, where the few units of a class decide."""
        return max(min(self.units - 1, self.most_freedom), 1.0)

    @cached_property
    def own_freedom(self) -> Floats:
        """Degrees of freedom (M,) of each value."""
        squares = self.parts**2
        second, fourth = (self.count @ x / self.units for x in (squares, squares**2))
        return freedom_of(second, fourth, self.units)

    def of(self, models: Any, *, exact: bool = True) -> Contributions:
        """The contributions to the values of some models, with exact tests or without them."""
        chosen = list(models)
        if chosen == list(range(len(self.values))):
            return self
        both = np.ix_(chosen, chosen)
        found = replace(
            self,
            values=self.values[chosen],
            centre=self.centre[chosen],
            parts=self.parts[:, chosen],
            pseudo=self.pseudo[both],
            bias=self.bias[chosen],
            disagreements=self.disagreements and self.disagreements.of_models(chosen),
        )
        # Hundreds of pairs share the covariance of all models. Where only sums of items are
        # known, it cannot be computed again.
        vars(found).update(covariance=self.covariance[both])
        if len(chosen) < len(self.values) and len(chosen) > 1:
            vars(found).update(by_t=self.by_t[both])
            if exact:
                vars(found).update(apart=self.apart[both])
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
    def with_a_pseudo_cluster(self) -> Contributions:
        """Return contributions with a pseudo-unit that weighs as much as a cluster.

        The largest of many differences is compared with a multivariate t, which claims too much
        with few clusters: 20 equal models on 12 to 25 clusters would differ in up to 17% of data
        sets, where 5% is nominal.
        """
        if self.unit_items == 1:
            return self
        return replace(self, pseudo=self.pseudo * self.unit_items**2, disagreements=None)

    def turned(self, metric: Metric) -> Contributions:
        """Return the values to compare: for a two-sided measure, distances from its best value."""
        if metric.greater_is_better is not None:
            return self
        # On which side a model lies is read off the data as they are, unless it is neither.
        side = np.where(self.values == metric.best, self.centre, self.values)
        sign = np.where(side < metric.best, -1.0, 1.0)
        return replace(
            self.signed(sign),
            values=np.abs(self.values - metric.best),
            centre=sign * (self.centre - metric.best),
        )

    def signed(self, sign: Floats) -> Contributions:
        """A copy with some of the values turned round."""
        return replace(
            self,
            parts=self.parts * sign,
            pseudo=self.pseudo * np.outer(sign, sign),
            bias=self.bias * sign,
            disagreements=self.disagreements and self.disagreements.turned(sign),
        )


def contributions(metric: Metric, sample: Sample) -> Contributions:
    """What the units of one sample contribute to a measure of labels."""
    (found,) = influence(metric, [sample])
    return found


def influence(metric: Metric, samples: Sequence[Sample]) -> list[Contributions]:
    """What the units of G samples contribute to the values of M models, all of them at once.

    The samples are groups of items with the predictions of the same models, by one design. One
    sample and one model are G = M = 1.
    """
    first = samples[0]
    if len(samples) == 1 and first.models <= _ONE_BY_ONE:
        # One by one, as everywhere else: another order of summing would differ in the last digit.
        values = np.array([[metric.values(n) for n in first.counts]], dtype=np.float64)
    else:
        values = np.asarray(metric.values(np.stack([s.counts for s in samples])))
    values = without_noise(metric, first.k, values)
    if first.k**4 > DENSE:
        each = zip(samples, values, strict=True)
        found = [by_random_groups(metric.values, s, v) for s, v in each]
    else:
        mass = np.array([[s.one_item] for s in samples])
        matrices = np.stack([s.matrices for s in samples])
        cut = cut_of(metric, first.k)
        cells = cells_of(metric.values, matrices, mass, stratify=first.stratify, cut=cut)
        found = gathered(samples, values, cells)
    most = freedom_of_few(metric, np.stack([s.units_by_class for s in samples])).tolist()
    made = [
        replace(c, centre=without_noise(metric, first.k, c.centre), most_freedom=m)
        for c, m in zip(found, most, strict=True)
    ]
    cut = cut_of(metric, first.k)
    for c, s in zip(made, samples if cut is not None else [], strict=cut is not None):
        # Two sides of a cut have degrees of freedom of their own.
        classes = s.matrices.sum(axis=-1)
        own = freedom_of_sides(classes, cut or 0, np.full(len(classes), max(c.units - 1, 1.0)))
        vars(c).update(own_freedom=own)
    return made


def without_noise(metric: Metric, k: int, values: Floats) -> Floats:
    """Values in which rounding errors around zero are set to zero."""
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
        rows = flat[g, np.arange(sample.models), sample.cells]
        parts, count = by_unit(rows, sample)
        one = Contributions(
            values=values[g],
            centre=cells.centre[g],
            parts=parts,
            count=count,
            pseudo=pseudo[g] if sample.strata is None else pseudo[g] + of_shares(rows, sample),
            bias=cells.bias[g],
            unit_items=sample.items / sample.known / sample.one_item,
            disagreements=Disagreements.of(sample, cells, g) if sample.models > 1 else None,
        )
        found.append(one)
    return found


def by_unit(rows: Floats, sample: Sample) -> tuple[Floats, Floats]:
    """Contributions of units, and how many are alike, from those of an item of each row (U, M)."""
    rows = rows if sample.strata is None else within_strata(rows, sample, sample.strata)
    parts, count = rows * sample.share[:, None], sample.count.astype(np.float64)
    if sample.cluster is None:
        return parts, count
    return summed(parts * count[:, None], sample.cluster)


def within_strata(rows: Floats, sample: Sample, strata: Strata) -> Floats:
    """What items contribute next to the mean of their stratum, whose share is not the data's."""
    rows = rows - strata_means(rows, sample)[strata.member]
    if sample.cluster is not None:
        return rows
    # Each stratum has its own n / (n - 1) instead of that of all items.
    items, n = strata.sums(sample.count.astype(np.float64)), sample.items
    least = items / np.maximum(items - 1, 0.5) * (n - 1) / n
    return np.asarray(rows * np.sqrt(least)[strata.member][:, None])


def strata_means(rows: Floats, sample: Sample) -> Floats:
    """The mean (S, M) of what items of each stratum contribute."""
    assert sample.strata is not None
    weight = sample.share * sample.count
    total = sample.strata.sums(weight)[:, None]
    return sample.strata.sums(rows * weight[:, None]) / np.where(total > 0, total, 1.0)


def of_shares(rows: Floats, sample: Sample) -> Floats | float:
    """The covariance (M, M) that comes from shares of strata which were estimated themselves."""
    if sample.strata is None or sample.strata.covariance is None:
        return 0.0
    slope = sample.items * strata_means(rows, sample)
    return np.asarray(slope.T @ sample.strata.covariance @ slope)


def by_random_groups(value: ValueOf, sample: Sample, values: Floats) -> Contributions:
    """Contributions of random groups of units, if there are too many cells.

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
