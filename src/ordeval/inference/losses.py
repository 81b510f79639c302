"""What each unit contributes to a measure of probabilities, whose losses and classes add up.

A pseudo-unit is added, as to matrices of counts: its classes are spread like the true ones, half of
it is forecast with certainty and half by nothing but the class shares. Without it, forecasts that
never failed in a sample would seem to be perfect for sure.
"""

from __future__ import annotations

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.contributions import (
    Contributions,
    items_of_a_unit,
    pseudo_covariance,
    summed,
)
from ordeval.inference.edges import unseen_items
from ordeval.inference.samples import MAX_UNITS, Drawer, Sample
from ordeval.measures.probability import ProbabilityMetric, sums_of


class Losses:
    """The losses of M models on the units of a sample, by one measure."""

    def __init__(self, metric: ProbabilityMetric, sample: Sample) -> None:
        assert sample.prob is not None
        self.metric, self.sample = metric, sample
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

    def with_items(self, model: int, amount: float) -> Floats:
        """The values (C, 2) with so many items of each true class, certain or not."""
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
            mass = items_of_a_unit(sample, _parts(found, found.sums)[0])
        return _contributions(found, mass)


def _parts(found: Losses, sums: Floats) -> tuple[Floats, Floats, Floats]:
    """What items contribute (U, M) around these sums, the slopes there, and the mean of units."""
    metric, sample = found.metric, found.sample
    slope = _gradient(metric, sums)
    # A unit moves the value as far as its loss and its class do, beside the mean of all units.
    mean = np.einsum("mj,mj->m", slope, sums) / sums[:, 1:].sum(axis=1)
    by_class = sample.classes @ slope[:, 1:].T
    parts = found.each * slope[:, 0] + by_class - mean
    return parts * sample.share[:, None], slope, mean


def _contributions(found: Losses, mass: Floats) -> Contributions:
    metric, sample = found.metric, found.sample
    lost, share = found.pseudo()
    added = np.concatenate([[float((lost * share).sum())], share.sum(axis=1)])
    smooth = found.sums + mass[:, None] * added
    centre = np.asarray(metric.combine(smooth), dtype=np.float64)
    parts, slope, mean = _parts(found, smooth)
    count = sample.count.astype(np.float64)
    if sample.cluster is not None:
        parts, count = summed(parts * count[:, None], sample.cluster)
    own = lost[None] * slope[:, 0, None, None] + slope[:, 1:, None] - mean[:, None, None]
    return Contributions(
        values=found.values, centre=centre, parts=parts, count=count,
        pseudo=np.outer(mass, mass) * pseudo_covariance(own, share), bias=np.zeros(len(centre)),
    )  # fmt: skip


def drawer(metric: ProbabilityMetric, sample: Sample, rng: np.random.Generator) -> Drawer:
    """What draws sums (M, 1 + K) of data sets like this one, from units drawn with replacement."""
    found = Losses(metric, sample)
    classes = np.broadcast_to(sample.classes[:, None], (*found.each.shape, sample.k))
    each = np.concatenate([found.each[:, :, None], classes], axis=-1)
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
    moved = found.with_items(model, unseen_items(sample, tail))[:, 1]
    value = float(found.values[model])
    return min(value, float(moved.min())), max(value, float(moved.max()))


def spread(metric: ProbabilityMetric, sample: Sample, model: int, amount: float) -> float:
    """How far so many items move the value apart, forecast for certain or by the class shares."""
    moved = Losses(metric, sample).with_items(model, amount)
    return float(np.abs(moved[:, 1] - moved[:, 0]).max())
