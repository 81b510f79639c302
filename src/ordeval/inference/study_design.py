"""How a study is made: items that are independent, or clusters of them; and its measure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ordeval.exceptions import LabelError, ParameterError
from ordeval.measures import Metric
from ordeval.measures.registry import choose, get_metric


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
