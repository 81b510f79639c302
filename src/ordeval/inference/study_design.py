"""How a study is made: items that are independent, or clusters of them; its measure and target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from ordeval.exceptions import LabelError, ParameterError
from ordeval.measures import Metric
from ordeval.measures.registry import choose, get_metric

_CLEAR: Final = 30.0  # standard errors beyond which SciPy's noncentral t may fail


class HalfWidths:
    """Half-widths on a scale that grows with the size of a study."""

    def score(self, value: float) -> float:
        """Half of the half-width is one step up."""
        return -math.log(value) if value > 0 else math.nan

    def value(self, score: float) -> float:
        """The half-width of a score."""
        return math.exp(-score)


class Powers:
    """Powers on a scale that grows with the size of a study."""

    def score(self, value: float) -> float:
        """The normal quantile of a power."""
        from scipy.special import ndtri

        return float(ndtri(value))

    def value(self, score: float) -> float:
        """The power of a score."""
        from scipy.special import ndtr

        return float(ndtr(score))


def power_of(ratio: float, freedom: float, tail: float) -> float:
    """The power of a one-sided t test of what lies so many standard errors away."""
    from scipy.special import nctdtr, stdtrit

    limit = float(stdtrit(freedom, 1 - tail))
    return float(1 - nctdtr(freedom, min(ratio, _CLEAR), limit))


@dataclass(frozen=True)
class Design:
    """How items are collected and what is made of them."""

    level: float = 0.95
    cluster_size: float = 1.0  # the mean
    icc: float = 0.0  # correlation of what two items of a cluster contribute
    cluster_cv: float = 0.0  # standard deviation of the sizes over their mean

    @property
    def effect(self) -> float:
        """By how much clusters multiply the variance (Kish 1965; Eldridge et al. 2006)."""
        return 1 + (self._own_size - 1) * self.icc

    @property
    def _own_size(self) -> float:
        """The mean size of the cluster that an item is in: large clusters have more of them."""
        return self.cluster_size * (1 + self.cluster_cv**2)

    @property
    def tail(self) -> float:
        """What lies beyond one end of the interval."""
        return (1 - self.level) / 2

    @property
    def peaked(self) -> float:
        """The share of the items' excess kurtosis that is left in their sums over a cluster."""
        m = self._own_size
        if m == 1:
            return 1.0
        return ((m * self.icc) ** 2 + (1 - self.icc) ** 2 / m) / self.effect**2

    def units(self, items: float) -> int:
        """The number of independent units, clusters or items, for a number of items."""
        return math.ceil(items / self.cluster_size - 1e-9)

    def items(self, units: int) -> int:
        """The number of items in a number of clusters."""
        return math.ceil(units * self.cluster_size - 1e-9)


def planned_measure(metric: str | Metric, *, decided: bool) -> Metric:
    """The measure, which must be one of labels, also if they are ``decided`` by probabilities."""
    chosen = get_metric(metric)
    if decided and chosen.needs == "probabilities":
        raise ParameterError(
            f"a plan is about labels, and {chosen.name} scores probabilities; plan a measure of "
            f"labels, such as sensitivity."
        )
    (chosen,) = choose([chosen])
    if decided and chosen.takes_scores:
        raise LabelError(
            f"a plan is about labels, and {chosen.name} would rank probabilities; plan a measure "
            f"of labels, such as sensitivity."
        )
    return chosen
