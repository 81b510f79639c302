"""Costs of errors (George, Lu & Chang 2016), and the distance that combines cost and accuracy.

A cost matrix is ``cost[true, predicted]`` with a zero diagonal. The paper prints its transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.calls import CostMetric, SizedCostMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import diagonal, distance, others, ratio, total, truth
from ordeval.measures.parts.checks import (
    class_sizes as check_sizes,
    cost_matrix,
    one_per_class,
    own_matrix,
)
from ordeval.measures.parts.facts import NO_ITEMS, UNIT, Range, steps, turns
from ordeval.measures.registry import SharedFacts

_MC = (
    r"\text{MC} &= \frac{\sum_{i,j} n_{ij}\, \text{cost}_{ij}}"
    r"{\sum_i r_i\, \max\limits_j \text{cost}_{ij}}, \\"
    r" \text{cost}_{ij} &= \frac{d_{ij}}{s_j} \sum_{k \ne i} s_k \text{ by default},"
    r" \qquad s_k = r_k \text{ unless class sizes are given} \end{split}"
)


def george_cost(class_sizes: Any) -> Floats:
    """Compute the cost of each error from the class sizes (George et al. 2016, eq. 4).

    Predicting class i for true class j costs the number of items outside j, divided by the size of
    i, times ``|i - j|``: an error into a rare or a far class costs more.

    Parameters
    ----------
    class_sizes
        Items of each class in the training data, lowest class first, all positive.

    Returns
    -------
    numpy.ndarray
        Costs (K, K), ``cost[true, predicted]``, zero on the diagonal.

    Raises
    ------
    ParameterError
        If the sizes are not positive numbers, one for each class.

    Examples
    --------
    >>> george_cost([10, 20, 70]).round(2)
    array([[0.  , 4.5 , 2.57],
           [8.  , 0.  , 1.14],
           [6.  , 1.5 , 0.  ]])
    """
    sizes = one_per_class(class_sizes)
    check_sizes(sizes, len(sizes), or_cost="")
    return _george(sizes)


def _george(sizes: Floats) -> Floats:
    """Return costs (..., K, K) from sizes (..., K), NaN where a size is zero."""
    return ratio(others(sizes)[..., :, None], sizes[..., None, :]) * distance(sizes.shape[-1])


def _shared_cost(n: Floats, cost: Floats | None, class_sizes: Floats | None) -> Floats:
    """Return total cost over the largest possible total, in closed form."""
    if cost is None:
        cost = _george(truth(n) if class_sizes is None else class_sizes)
    # The diagonal is zero, so the maximum is over the wrong classes.
    largest = (truth(n) * cost.max(axis=-1)).sum(axis=-1)
    return ratio((n * cost).sum(axis=(-2, -1)), largest)


def _refuse_empty_class(
    n: Any, *, cost: Floats | None = None, class_sizes: Floats | None = None
) -> str | None:
    if cost is not None or class_sizes is not None:
        return None
    empty = np.flatnonzero(np.asarray(n).sum(axis=-1) == 0)
    if not len(empty):
        return None
    return (
        f"the class at position {empty[0]} has no items, which makes the cost of predicting it "
        f"infinite (George et al. 2016, eq. 4). Pass class_sizes= with the sizes of the training "
        f"data, or a cost= matrix."
    )


def _facts_of_cost(*, cost: Any = None) -> dict[str, Any]:
    """Return the facts of the mean cost, which follow from the costs."""
    if cost is None:
        return {"range": _STEPS, "symmetric": True, "reversal_invariant": True}
    given = own_matrix(cost, "cost")
    return {"range": Range(0, given.max()), **turns(given)}


_STEPS = Range(0, np.inf, steps, "[0, K - 1] with the default cost")

measure = SharedFacts(
    CostMetric,
    family="cost",
    best=0,
    greater_is_better=False,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    parameters={"cost": cost_matrix},
)
george_measure = measure.but(
    SizedCostMetric,
    depends_on_empty_levels=True,
    reference=ref.GEORGE_2016,
    refuse=_refuse_empty_class,
    undefined_when="a class of the scale has no items, so the cost of predicting it is infinite "
    "(or the scale has only one level)",
    parameters={"cost": cost_matrix, "class_sizes": check_sizes},
)


@measure(
    symbol="EC",
    range=_STEPS,
    symmetric=True,
    varying=_facts_of_cost,
    undefined_when=NO_ITEMS,
    reference=ref.ELKAN_2001,
    formula=r"\text{EC} = \frac{1}{N} \sum_{i,j} n_{ij}\, \text{cost}_{ij},"
    r" \qquad \text{cost}_{ij} = d_{ij} \text{ by default}",
)
def expected_cost(n: Floats, *, cost: Floats | None = None) -> Floats:
    """Mean cost of an item.

    Default: an error costs its distance, which makes this the mean absolute error.

    >>> expected_cost([1, 2, 2], [1, 2, 1], cost=[[0, 1], [5, 0]])
    1.6666666666666667
    """
    cost = distance(n.shape[-1]) if cost is None else cost
    return ratio((n * cost).sum(axis=(-2, -1)), total(n))


@measure(
    symbol="NEC",
    range=Range(0, np.inf),
    undefined_when="one constant prediction costs nothing, for example if the truth has only "
    "one class",
    reference=ref.FERRER_2022,
    formula=r"\text{NEC} = \frac{\sum_{i,j} n_{ij}\, \text{cost}_{ij}}"
    r"{\min\limits_k \sum_i r_i\, \text{cost}_{ik}},"
    r" \qquad \text{cost}_{ij} = d_{ij} \text{ by default}",
)
def normalized_expected_cost(n: Floats, *, cost: Floats | None = None) -> Floats:
    """Mean cost over that of the best constant prediction: below 1 is better than a constant.

    Default: an error costs its distance.

    >>> normalized_expected_cost([1, 2, 3, 3], [1, 2, 2, 3])
    0.3333333333333333
    """
    cost = distance(n.shape[-1]) if cost is None else cost
    constant = (truth(n) @ cost).min(axis=-1)
    return ratio((n * cost).sum(axis=(-2, -1)), constant)


@george_measure(symbol="MC", range=UNIT, formula=r"\begin{split} " + _MC)
def misclassification_cost(
    n: Floats, *, cost: Floats | None = None, class_sizes: Floats | None = None
) -> Floats:
    """Total cost over the largest total cost that the class sizes allow (eqs. 5 and 6).

    The largest total sends every item to the costliest wrong class, a closed form. ``class_sizes``
    are the training sizes behind ``george_cost``; default: those of the truth.

    >>> round(misclassification_cost.from_confusion([[8, 2], [1, 9]]), 4)
    0.15
    """
    return _shared_cost(n, cost, class_sizes)


@george_measure(
    symbol="d",
    range=Range(0, float(np.sqrt(2)), text="[0, √2]"),
    formula=r"\begin{split} d &= \sqrt{(1 - \text{Acc})^2 + \text{MC}^2},"
    r" \qquad \text{Acc} = \frac{1}{N} \sum_i n_{ii}, \\ " + _MC,
)
def cost_accuracy_distance(
    n: Floats, *, cost: Floats | None = None, class_sizes: Floats | None = None
) -> Floats:
    """Distance to perfect accuracy at no cost: sqrt((1 - Acc)² + MC²) (eq. 7).

    ``chance_line_distance`` breaks ties.

    >>> round(cost_accuracy_distance.from_confusion([[8, 2], [1, 9]]), 4)
    0.2121
    """
    return np.hypot(1 - _accuracy(n), _shared_cost(n, cost, class_sizes))


@george_measure(
    symbol="d_chance",
    best=float(np.sqrt(0.5)),
    range=Range(0, float(np.sqrt(0.5)), text="[0, √½]"),
    greater_is_better=True,
    perfect=0.0,
    formula=r"\begin{split} d_{\text{chance}} &= \frac{\left| \text{Acc} + \text{MC} - 1 \right|}"
    r"{\sqrt{2}}, \qquad \text{Acc} = \frac{1}{N} \sum_i n_{ii}, \\ " + _MC,
)
def chance_line_distance(
    n: Floats, *, cost: Floats | None = None, class_sizes: Floats | None = None
) -> Floats:
    """Distance from the line of random chance: |Acc + MC - 1| / sqrt 2 (section 2.3).

    It breaks ties of ``cost_accuracy_distance``; larger is better. It means little by itself: the
    perfect classifier lies on the line.

    >>> round(chance_line_distance.from_confusion([[8, 2], [5, 5]]), 4)
    0.0
    """
    beyond_chance = _accuracy(n) + _shared_cost(n, cost, class_sizes) - 1
    return np.asarray(np.abs(beyond_chance) / np.sqrt(2))


def _accuracy(n: Floats) -> Floats:
    return ratio(diagonal(n).sum(axis=-1), total(n))
