"""What each unit contributes to a measure of probabilities, whose losses and classes add up.

A pseudo-unit is added, as to matrices of counts: its classes are spread like the true ones, half of
it is forecast with certainty and half by nothing but the class shares. Without it, forecasts that
never failed in a sample would look perfect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.data.items import Moments
from ordeval.inference.cell_influence import freedom_of, pseudo_covariance
from ordeval.inference.drawing import Drawer
from ordeval.inference.forecasts.pseudo_units import apart, items_of_a_unit, reached
from ordeval.inference.identical_models import Unseen, alike
from ordeval.inference.influence import Contributions, by_unit, of_shares, summed
from ordeval.inference.many_models.exchanged_models import Drawn, Exchange, few_clusters
from ordeval.inference.samples import MAX_UNITS, Sample
from ordeval.measures.probability import ProbabilityMetric, sums_of


class Losses:
    """The losses of M models on the units of a sample, by one measure."""

    def __init__(self, metric: ProbabilityMetric, sample: Sample) -> None:
        self.metric, self.sample = metric, sample
        self.moments = None if sample.losses is None else sample.losses[metric.name]
        if self.moments is not None:
            lost = self.moments.powers[0].sum(axis=0)
            sizes = np.broadcast_to(sample.class_items, (len(lost), sample.k))
            self.sums = np.concatenate([lost[:, None], sizes], axis=1)
            return
        assert sample.prob is not None
        self.each = np.stack(
            [metric.losses(sample.outcome, p) for p in np.moveaxis(sample.prob, 1, 0)], axis=1
        )
        weight = sample.share * sample.count
        self.sums = np.stack([sums_of(x, sample.outcome, sample.k, weight) for x in self.each.T])

    @property
    def values(self) -> Floats:
        """The values (M,) of the data as they are."""
        return np.asarray(self.metric.combine(self.sums), dtype=np.float64)

    @property
    def _shares(self) -> Floats:
        """The shares of the true classes (K,)."""
        sizes = self.sums[0, 1:]
        return np.asarray(sizes / max(float(sizes.sum()), 1e-300))

    def pseudo(self) -> tuple[Floats, Floats]:
        """The losses (K, 2) of a pseudo-item of each class, certain or not, and its shares."""
        k, shares = self.sample.k, self._shares
        losses = np.zeros((k, 2))
        there = shares > 0
        prior = np.broadcast_to(shares, (int(there.sum()), k))
        losses[there, 1] = self.metric.losses(np.flatnonzero(there), prior)
        return losses, np.repeat(shares[:, None] / 2, 2, axis=1)

    def smooth(self, mass: Floats, sums: Floats) -> Floats:
        """Sums (M, 1 + K) with the pseudo-items."""
        lost, share = self.pseudo()
        added = np.concatenate([[float((lost * share).sum())], share.sum(axis=1)])
        return np.asarray(sums + mass[:, None] * added)

    def pseudo_covariance(self, mass: Floats, slope: Floats, own: Floats) -> Floats:
        """The covariance (M, M) that the pseudo-items add."""
        lost, share = self.pseudo()
        parts = lost[None] * slope[:, 0, None, None] + own.T[:, :, None]
        return np.asarray(np.outer(mass, mass) * pseudo_covariance(parts, share))

    def with_items(self, model: int, amount: float) -> Floats:
        """The values (C, 2) with an amount of items added to each true class, certain or not."""
        lost, share = self.pseudo()
        there = np.flatnonzero(share[:, 0] > 0)
        classes = np.broadcast_to(
            np.eye(self.sample.k)[there, None], (len(there), 2, self.sample.k)
        )
        items = np.concatenate([lost[there, :, None], classes], axis=-1)
        return np.asarray(self.metric.combine(self.sums[model] + amount * items))


def contributions(metric: ProbabilityMetric, sample: Sample) -> Contributions:
    """What the units of a sample contribute to a measure of probabilities."""
    with np.errstate(invalid="ignore"):  # of an infinite loss
        found, mass = Losses(metric, sample), items_of_a_unit(sample)
        if sample.cluster is not None:
            slope, own = _slopes(found, found.sums)
            mass = items_of_a_unit(sample, _parts(found, slope, own))
        return _contributions(found, mass)


def exchange(metric: ProbabilityMetric, sample: Sample) -> Exchange | None:
    """What exchanges the losses of models within clusters; None where a formula holds."""
    if not few_clusters(sample) or sample.losses is not None:
        return None
    losses, shape = ClusterLosses.of(metric, sample), (sample.clusters, sample.models)
    return Exchange(metric, shape, int(np.prod(shape)), losses.drawn)


@dataclass(frozen=True, eq=False)
class ClusterLosses:
    """The losses of clusters, which models may exchange."""

    found: Losses
    lost: Floats  # (U, M)
    sizes: Floats  # (U, K), how many items of each class they hold
    mass: Floats

    @classmethod
    def of(cls, metric: ProbabilityMetric, sample: Sample) -> ClusterLosses:
        """The losses of the clusters of a sample."""
        assert sample.cluster is not None
        found, weight = Losses(metric, sample), (sample.share * sample.count)[:, None]
        lost, _ = summed(found.each * weight, sample.cluster)
        sizes, _ = summed(sample.classes * weight, sample.cluster)
        slope, own = _slopes(found, found.sums)
        return cls(found, lost, sizes, items_of_a_unit(sample, _parts(found, slope, own)))

    def drawn(self, orders: Integers) -> Drawn:
        """What clusters contribute if their losses belong to the models in these orders."""
        return Drawn(*map(np.stack, zip(*map(self._drawn, orders), strict=True)))

    def _drawn(self, order: Integers) -> tuple[Floats, ...]:
        lost, sums = np.take_along_axis(self.lost, order, axis=1), self.found.sums.copy()
        sums[:, 0] = lost.sum(axis=0)
        smooth = self.found.smooth(self.mass, sums)
        slope, own = _slopes(self.found, smooth)
        values, centre = (np.asarray(self.found.metric.combine(x)) for x in (sums, smooth))
        pseudo = self.found.pseudo_covariance(self.mass, slope, own)
        return values, centre, lost * slope[:, 0] + self.sizes @ own, pseudo


def _slopes(found: Losses, sums: Floats) -> tuple[Floats, Floats]:
    """How sums move the values (M, 1 + K), and what the class of an item contributes (K, M).

    A unit moves the value as far as its loss and its class do, next to the mean of all units.
    """
    slope = _gradient(found.metric, sums)
    mean = np.einsum("mj,mj->m", slope, sums) / sums[:, 1:].sum(axis=1)
    return slope, slope[:, 1:].T - mean


def _parts(found: Losses, slope: Floats, own: Floats) -> Floats:
    """What an item of each row contributes (U, M)."""
    sample = found.sample
    of_class = own[sample.truth] if sample.shares is None else sample.classes @ own
    return np.asarray(found.each * slope[:, 0] + of_class)


def _contributions(found: Losses, mass: Floats) -> Contributions:
    metric, sample = found.metric, found.sample
    smooth = found.smooth(mass, found.sums)
    slope, own = _slopes(found, smooth)
    made: dict[str, Any] = {
        "values": found.values,
        "centre": np.asarray(metric.combine(smooth), dtype=np.float64),
        "pseudo": found.pseudo_covariance(mass, slope, own),
    }
    if found.moments is not None:
        return _from_moments(found.moments, sample, slope[:, 0], sample.classes @ own, made)
    rows = _parts(found, slope, own)
    made["pseudo"] = made["pseudo"] + of_shares(rows, sample)
    parts, count = by_unit(rows, sample)
    return Contributions(parts=parts, count=count, bias=np.zeros(len(mass)), **made)


def _from_moments(
    moments: Moments, sample: Sample, slope: Floats, own: Floats, made: dict[str, Any]
) -> Contributions:
    """Compute contributions from sums: each item of a row adds its loss times the slope (U, M).

    Items are known by their sums only, and so are the covariance and the degrees of freedom.
    """
    count, first = sample.count.astype(np.float64)[:, None], moments.powers[0]
    bias = np.zeros(len(slope))
    one = Contributions(
        parts=np.zeros((1, len(slope))), count=np.array([float(sample.items)]), bias=bias, **made
    )
    lost = first * slope
    products = moments.products.sum(axis=0) * np.outer(slope, slope)
    crossed = lost.T @ own
    spread = products + crossed + crossed.T + (count * own).T @ own
    powers = [count, *(m * slope ** (i + 1) for i, m in enumerate(moments.powers))]
    fourth = sum(math.comb(4, i) * x * own ** (4 - i) for i, x in enumerate(powers)).sum(axis=0)
    units = one.units
    covariance = units / (units - 1) * spread + one.pseudo if units > 1 else one.covariance
    freedom = freedom_of(np.diagonal(spread) / units, fourth / units, units)
    vars(one).update(covariance=covariance, own_freedom=freedom)
    return one


def ruled_out(metric: ProbabilityMetric, sample: Sample, model: int) -> int:
    """How many items lose without bounds: what happened to them was given probability 0."""
    if sample.losses is not None:  # sums of losses that have bounds
        return 0
    lost = np.isinf(Losses(metric, sample).each[:, model]) & (sample.share > 0)
    return int(sample.count[lost].sum())


def drawer(metric: ProbabilityMetric, sample: Sample, rng: np.random.Generator) -> Drawer:
    """What draws sums (M, 1 + K) of data sets like this one, from units drawn with replacement.

    A model with an infinite loss has no values: no draw says anything about it.
    """
    found = Losses(metric, sample)
    lost = np.where(np.isinf(found.each), np.nan, found.each)
    classes = np.broadcast_to(sample.classes[:, None], (*lost.shape, sample.k))
    each = np.concatenate([lost[:, :, None], classes], axis=-1)
    shape = each.shape[1:]
    each = each.reshape(len(each), -1) * sample.share[:, None]
    count = sample.count
    if sample.cluster is not None:
        each, _ = summed(each * count[:, None], sample.cluster)
        count = np.ones(len(each), dtype=np.int64)
    if count.sum() > MAX_UNITS < len(count):
        bundle = rng.permutation(int(count.sum())) % MAX_UNITS
        each, _ = summed(np.repeat(each, count, axis=0), bundle)
        count = np.ones(MAX_UNITS, dtype=np.int64)
    return Drawer(each, count, np.zeros(len(count), dtype=np.int64), shape, whole=False)


def _gradient(metric: ProbabilityMetric, sums: Floats) -> Floats:
    """How the values move with the sums (M, 1 + K), by central differences."""
    step = 1e-6 * np.maximum(np.abs(sums).max(axis=1), 1e-300)
    move = np.eye(sums.shape[1]) * step[:, None, None]
    up, down = (metric.combine(sums[:, None, :] + side * move) for side in (1, -1))
    return np.asarray((up - down) / (2 * step[:, None]))


def reach(
    metric: ProbabilityMetric, sample: Sample, model: int, tail: float
) -> tuple[float, float]:
    """The least and the largest value that perfect forecasts of a sample cannot exclude."""
    found = Losses(metric, sample)
    return reached(float(found.values[model]), partial(found.with_items, model), sample, tail)


def agreed(metric: ProbabilityMetric, sample: Sample, pair: tuple[int, int]) -> Unseen | None:
    """What two models that give the same probabilities for every item differ by at most."""
    if sample.losses is not None:
        same = bool(sample.losses[metric.name].alike[pair])
    else:
        same = alike(sample.prob, pair)
    return apart(partial(Losses(metric, sample).with_items, pair[0]), sample) if same else None
