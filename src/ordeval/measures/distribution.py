"""Distances between distributions over the levels: rater votes and forecasts.

The truth of an item is the share of raters per level, or one class (a share of 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval._shared.types import Floats
from ordeval.data.columns import off_device
from ordeval.data.level_names import names_of, places_of
from ordeval.data.probabilities import Forecasts
from ordeval.data.scale import as_scale
from ordeval.exceptions import LabelError
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import distance, ratio
from ordeval.measures.parts.facts import NO_ITEMS, UNIT, Range, steps
from ordeval.measures.probability import ForecastItems, ForecastMetric
from ordeval.measures.registry import SharedFacts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DistributionMetric(ForecastMetric):
    """A distance of distributions; two plain lists of K shares are one item."""

    def _read(self, y_true: Any, y_prob: Any, labels: Any, sample_weight: Any) -> Forecasts:
        if _are_alone(y_true, y_prob):
            y_true, y_prob = (
                _one_row(x, labels, n) for x, n in ((y_true, "y_true"), (y_prob, "y_prob"))
            )
        return super()._read(y_true, y_prob, labels, sample_weight)


def _are_alone(p: Any, q: Any) -> bool:
    """Return whether both arguments are a single distribution."""
    try:
        shapes = {np.shape(off_device(x)) for x in (p, q)}
    except (TypeError, ValueError):
        return False
    return len(shapes) == 1 and len(next(iter(shapes))) == 1


def _one_row(given: Any, labels: Any, name: str) -> list[Any]:
    """Return a single distribution as a table with one row, in the order of the scale if named."""
    values = np.asarray(off_device(given))
    levels = names_of(given).get("rows")
    if levels is None:
        return [values.tolist()]
    places = None if labels is None else places_of(levels, as_scale(labels))
    if places is None:
        raise LabelError(
            f"the entries of {name} are named {levels}, and labels= does not declare "
            f"their order. Declare labels=, or leave the names out with {name}.to_numpy()."
        )
    return [values[places].tolist()]


measure = SharedFacts(
    DistributionMetric,
    family="distribution",
    best=0,
    greater_is_better=False,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
)
_CUMULATIVE = r"P_{xk} = \sum_{j \le k} t_{xj}, \qquad Q_{xk} = \sum_{j \le k} p_{xj}"


def _moved(items: ForecastItems) -> Floats:
    total = np.zeros(len(items.prob))
    for apart in items.apart():
        total += np.abs(apart, out=apart)
    return total


@measure(
    symbol="W1",
    range=Range(0, np.inf, steps, "[0, K - 1]"),
    reference=ref.WERMAN_1985,
    undefined_when=NO_ITEMS,
    formula=r"\begin{split} \text{W1} &= \frac{1}{N} \sum_x \sum_{k = 0}^{K - 2}"
    r" \left| P_{xk} - Q_{xk} \right|, \\ & " + _CUMULATIVE + r" \end{split}",
)
def wasserstein(items: ForecastItems) -> Floats:
    """Number of steps by which one distribution must be moved to become the other.

    The earth mover's distance, averaged over items. For a single true class it is the expected
    absolute error.

    >>> wasserstein([[0.5, 0.5, 0.0]], [[0.0, 0.5, 0.5]])
    1.0
    """
    return _moved(items)


@measure(
    symbol="NMD",
    range=UNIT,
    reference=ref.SAKAI_2021,
    depends_on_empty_levels=True,
    undefined_when="the scale has only one level",
    formula=r"\begin{split} \text{NMD} &= \frac{1}{N (K - 1)} \sum_x \sum_{k = 0}^{K - 2}"
    r" \left| P_{xk} - Q_{xk} \right|, \\ & " + _CUMULATIVE + r" \end{split}",
)
def normalized_match_distance(items: ForecastItems) -> Floats:
    """``wasserstein`` divided by the K - 1 steps of the scale.

    >>> normalized_match_distance([[0.5, 0.5, 0.0]], [[0.0, 0.5, 0.5]])
    0.5
    """
    return ratio(_moved(items), items.k - 1.0)


@measure(
    symbol="RNOD",
    range=UNIT,
    reference=ref.SAKAI_2018,
    depends_on_empty_levels=True,
    undefined_when="the scale has only one level",
    formula=r"\begin{split} \text{RNOD} &= \frac{1}{N} \sum_x"
    r" \sqrt{\frac{\sum_{i:\, t_{xi} > 0} \sum_j d_{ij}\, (t_{xj} - p_{xj})^2}"
    r"{(K - 1) \sum_{i:\, t_{xi} > 0} 1}} \end{split}",
)
def rnod(items: ForecastItems) -> Floats:
    """Root normalised order-aware divergence: squared differences, weighted by distance.

    The difference at each level is weighted by its distance to each level that the truth contains.

    >>> rnod([[0.5, 0.5, 0.0]], [[0.0, 0.5, 0.5]])
    0.5
    """
    truth = items.shares
    held = truth > 0
    far = held @ distance(items.k)
    apart = np.einsum("xj,xj->x", far, (truth - items.prob) ** 2)
    return np.sqrt(ratio(apart, held.sum(axis=1) * (items.k - 1.0)))
