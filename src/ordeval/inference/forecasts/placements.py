"""What each unit contributes to a measure of scores: where it stands among the other classes.

Values are functions of the wins between classes, and an item takes part in those of its own class:
it stands above so much of each other one (its placements, Hanley & Hajian-Tilaki 1997). A
pseudo-unit is added, most of it in order and some tied with everything.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.cell_influence import pseudo_covariance
from ordeval.inference.forecasts.pseudo_units import apart, items_of_a_unit, reached
from ordeval.inference.identical_models import Unseen, alike
from ordeval.inference.influence import Contributions, by_unit, of_shares
from ordeval.inference.samples import Sample, blocks
from ordeval.measures.ranking import RankingMetric

_TIED: Final = 0.2  # how much of the pseudo-unit is tied with everything
_FEW: Final = 30.0  # items of a class, of which each is left out in earnest


class Placements:
    """The placements of the items of a sample by the scores of one model."""

    def __init__(self, metric: RankingMetric, sample: Sample, model: int) -> None:
        self.metric, self.sample = metric, sample
        self.standing = sample.standing(metric, model)
        self.wins = self.standing.wins
        self.sizes = np.bincount(
            sample.truth, sample.share * sample.count, minlength=sample.k
        ).astype(np.float64)

    def with_items(self, amounts: Floats, above: Floats) -> Floats:
        """The wins when an amount of items with given placements is added to each class."""
        won = amounts[:, None] * above  # by the class of the row, over the column's
        lost = amounts[:, None] * (self.sizes - above)
        return self.wins + won.T + lost

    @property
    def ordered(self) -> Floats:
        """The placements (K, K) of an item of each class that is in order."""
        return np.tril(np.ones((len(self.sizes),) * 2), -1) * self.sizes + np.diag(self.sizes / 2)

    @property
    def reversed(self) -> Floats:
        """The wins if the scores are reversed."""
        return self.sizes - self.ordered

    @property
    def tied(self) -> Floats:
        """The wins if the item is tied with all others."""
        return np.broadcast_to(self.sizes / 2, (len(self.sizes),) * 2)

    def moved_by(self, amount: float) -> Floats:
        """The values (C, 2) with an amount of items added to each class, in order or reversed."""
        amounts = amount * np.eye(len(self.sizes))[self.sizes > 0]
        both = (self.ordered, self.reversed)
        stack = np.stack([[self.with_items(a, above) for above in both] for a in amounts])
        return self.metric.values_of_wins(stack)

    def _left_out(self, smooth: Floats, pseudo: Floats, rows: Integers) -> Floats:
        """What items contribute for each unit of their weight, each of them left out in turn.

        The slope does not see how much the last items of a class weigh. ``pseudo`` are the
        pseudo-items of each class (K,), which stay.
        """
        k, standing = len(self.sizes), self.standing
        total = float(self.sizes.sum() + pseudo.sum())
        centre, found, start = self.metric.value_of(smooth), np.empty(len(rows)), 0
        for size in blocks(len(rows), 8 * k * k):
            part = rows[start : start + size]
            own, above = self.sample.truth[part], standing.below[standing.level[part]]
            # In order or tied, pseudo-items stand below it and above it.
            place = np.sign(own[:, None] - np.arange(k))
            above = above + pseudo * (0.5 + (1 - _TIED) * place / 2)
            weight = np.minimum(self.sample.share[part], self.sizes[own])
            without = np.repeat(smooth[None], size, axis=0)
            each = np.arange(size)
            without[each, :, own] -= weight[:, None] * above
            without[each, own, :] -= weight[:, None] * (self.sizes + pseudo - above)
            moved = centre - self.metric.values_of_wins(np.maximum(without, 0.0))
            found[start : start + size] = (total - weight) / (total * weight) * moved
            start += size
        return np.nan_to_num(found)

    def contributions(self, mass: float) -> tuple[float, float, Floats, Floats]:
        """Value, centre, parts of the rows (U,) and of the pseudo-items added (K, 2)."""
        share = self.sizes / max(float(self.sizes.sum()), 1e-300)
        middle = (1 - _TIED) * self.ordered + _TIED * self.tied
        smooth = self.with_items(mass * share, middle)
        slope = _gradient(self.metric, smooth)
        # Items of one class that are tied move it alike.
        truth = self.sample.truth
        own = self._moved(slope, self.standing.below)[self.standing.level, truth]
        few = np.flatnonzero((self.sizes[truth] < _FEW) & (self.sample.share > 0))
        own[few] = self._left_out(smooth, mass * share, few)
        weight = self.sample.share * self.sample.count
        mean = float(weight @ own) / max(float(weight.sum()), 1e-300)
        pseudo = np.stack(
            [np.diagonal(self._moved(slope, x)) - mean for x in (self.ordered, self.tied)], axis=1
        )
        values = self.metric.value_of(self.wins), self.metric.value_of(smooth)
        return *values, own - mean, pseudo

    def _moved(self, slope: Floats, above: Floats) -> Floats:
        """How items with placements (n, K) would move the value in each class."""
        return np.asarray(above @ (slope - slope.T) + self.sizes @ slope.T)


def contributions(metric: RankingMetric, sample: Sample) -> Contributions:
    """What the units of a sample contribute to a measure of scores."""
    each = [Placements(metric, sample, i) for i in range(sample.models)]
    mass = items_of_a_unit(sample)
    if sample.cluster is not None:
        first = np.stack([p.contributions(1.0)[2] for p in each], axis=1)
        mass = items_of_a_unit(sample, first)
    found = [p.contributions(m) for p, m in zip(each, mass.tolist(), strict=True)]
    values, centre, parts, pseudo = (np.stack(x) for x in zip(*found, strict=True))
    rows = parts.T
    parts, count = by_unit(rows, sample)
    sizes = np.bincount(sample.truth, sample.share * sample.count, minlength=sample.k)
    share = np.outer(sizes / max(sizes.sum(), 1e-300), [1 - _TIED, _TIED])
    return Contributions(
        values=values,
        centre=centre,
        parts=parts,
        count=count,
        pseudo=np.outer(mass, mass) * pseudo_covariance(pseudo, share) + of_shares(rows, sample),
        bias=np.zeros(len(centre)),
    )


def _gradient(metric: RankingMetric, wins: Floats) -> Floats:
    """How the value moves with each of the wins (K, K), by central differences."""
    k = len(wins)
    step = 1e-6 * max(float(wins.max()), 1e-300)
    move = step * np.eye(k * k).reshape(k * k, k, k)
    # Wins that cannot be, of classes without items, stay as they are.
    move *= (wins + wins.T > 0).astype(np.float64)
    up, down = (metric.values_of_wins(wins + side * move) for side in (1, -1))
    return np.asarray((up - down) / (2 * step)).reshape(k, k)


def reach(metric: RankingMetric, sample: Sample, model: int, tail: float) -> tuple[float, float]:
    """The least and the largest value that scores in perfect order cannot exclude."""
    found = Placements(metric, sample, model)
    return reached(metric.value_of(found.wins), found.moved_by, sample, tail)


def agreed(metric: RankingMetric, sample: Sample, pair: tuple[int, int]) -> Unseen | None:
    """What two models that score every item alike differ by at most."""
    if not alike(sample.prob if sample.score is None else sample.score, pair):
        return None
    return apart(Placements(metric, sample, pair[0]).moved_by, sample)
