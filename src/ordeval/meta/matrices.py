"""Confusion matrices with a given accuracy, by several designs (George et al. 2016, section 3.2).

The paper does not say how its matrices are drawn. The printed ones look like sequential splitting:
each part is uniform over what is still feasible, one part after the other. That design gives its
figures; the multinomial and Dirichlet designs are there for comparison. Its balanced design of
five classes has a fifth of the items in each class. With the 0.25 for the largest class that its
text states, AMAE would not favour the lower cost in all pairs, as its Table 3 says.
"""

from typing import Final, Literal, get_args

import numpy as np

from ordeval._shared.arguments import check_amount, checked
from ordeval._shared.types import Floats, Integers, Progress, Rng, as_rng, check_choice, watched
from ordeval.data.levels import MAX_LEVELS
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric, get_metric
from ordeval.measures.registry import Chosen, choose
from ordeval.meta.studies import MetaValues

MatrixDesign = Literal["sequential", "multinomial", "dirichlet"]
Fixed = Literal["overall", "classwise"]


_MOST: Final = 10**8  # numbers drawn at once


def check_k(k: int) -> int:
    """Return the number of classes if it is valid."""
    return check_amount("k", k, 2, MAX_LEVELS)


def class_sizes(items: int, k: int, largest: float | None = None) -> Integers:
    """Return the class sizes: the first class has the share ``largest``, the others are equal.

    >>> class_sizes(400, 4, 0.5)
    array([200,  67,  67,  66])
    """
    check_amount("items", items, 0, 2**53)
    if items < check_k(k):
        raise ParameterError(
            f"k must be at least 2, and items at least k; got items={items} and k={k}."
        )
    if largest is not None and not 1 / k <= largest < 1:
        raise ParameterError(f"largest must lie between 1/k = {1 / k:.3g} and 1; got {largest!r}.")
    first = round(items * (1 / k if largest is None else largest))
    rest, more = divmod(items - first, k - 1)
    sizes = np.full(k, rest)
    sizes[1 : more + 1] += 1
    sizes[0] = first
    return sizes


@checked
def simulate_matrices(
    size: int,
    *,
    items: int = 400,
    k: int = 4,
    accuracy: float = 0.6,
    largest: float | None = None,
    fixed: Fixed = "overall",
    design: MatrixDesign = "sequential",
    rng: Rng = None,
) -> Integers:
    """Draw confusion matrices with a fixed accuracy, with class 1 the largest.

    Parameters
    ----------
    size
        How many.
    items, k, accuracy
        Items and classes of each, and the share of correct items, to the nearest item.
    largest
        Share of the largest class; the other classes share the rest equally. Default: all equal.
    fixed
        ``"overall"``: the correct items are spread over the classes by the design;
        ``"classwise"``: each class has the accuracy.
    design
        How items are split. ``"sequential"``: class after class, each part uniform over what is
        still feasible; ``"multinomial"``: items fall in proportion to the sizes of the classes
        (correct ones) and evenly (errors); ``"dirichlet"``: likewise, by shares that are uniform
        over all ways to share.
    rng
        Seed or generator.

    Returns
    -------
    numpy.ndarray
        Counts of shape (size, K, K), rows truth, columns prediction.

    Raises
    ------
    ParameterError
        If an option is outside its domain.

    Examples
    --------
    >>> drawn = simulate_matrices(3, items=40, accuracy=0.8, largest=0.5, rng=0)
    >>> drawn.trace(axis1=1, axis2=2)
    array([32, 32, 32])
    """
    check_amount("size", size, 0, _MOST // check_k(k))
    if not 0 <= accuracy <= 1:
        raise ParameterError(f"accuracy must lie between 0 and 1; got {accuracy!r}.")
    check_choice("fixed", fixed, get_args(Fixed))
    check_choice("design", design, get_args(MatrixDesign))
    sizes, generator = class_sizes(items, k, largest), as_rng(rng)
    capacity = np.broadcast_to(sizes, (size, k))
    if fixed == "classwise":
        correct = np.rint(capacity * accuracy).astype(np.int64)
    else:
        correct = _split(np.full(size, round(items * accuracy)), capacity, design, generator)
    matrices = np.zeros((size, k, k), dtype=np.int64)
    for i in range(k):
        matrices[:, i, i] = correct[:, i]
        others = np.delete(np.arange(k), i)
        wrong = sizes[i] - correct[:, i]
        free = np.broadcast_to(wrong[:, None], (size, k - 1))
        even = np.ones((size, k - 1)) if design != "sequential" else None
        matrices[:, i, others] = _split(wrong, free, design, generator, even)
    return matrices


def _split(
    total: Integers,
    capacity: Integers,
    design: MatrixDesign,
    rng: np.random.Generator,
    weight: Floats | None = None,
) -> Integers:
    """Split totals (B,) into parts (B, P), none larger than its capacity."""
    if design == "sequential":
        return _split_sequentially(total, capacity, rng)
    weight = capacity.astype(np.float64) if weight is None else weight
    if design == "dirichlet":
        weight = weight * rng.standard_exponential(weight.shape)
    parts = np.zeros_like(capacity)
    # The excess goes to the parts with capacity left.
    while (some := np.flatnonzero(total > parts.sum(axis=1))).size:
        open_ = np.where(parts[some] < capacity[some], weight[some], 0.0)
        left = total[some] - parts[some].sum(axis=1)
        more = rng.multinomial(left, open_ / open_.sum(axis=1, keepdims=True))
        parts[some] = np.minimum(parts[some] + more, capacity[some])
    return parts


def _split_sequentially(total: Integers, capacity: Integers, rng: np.random.Generator) -> Integers:
    parts = np.zeros_like(capacity)
    left = total.copy()
    for i in range(capacity.shape[1] - 1):
        later = capacity[:, i + 1 :].sum(axis=1)
        low, high = np.maximum(left - later, 0), np.minimum(left, capacity[:, i])
        parts[:, i] = rng.integers(low, high, endpoint=True)
        left = left - parts[:, i]
    parts[:, -1] = left
    return parts


@checked
def favours_lower_cost(
    metrics: Chosen = None,
    *,
    pairs: int = 10_000,
    cost: str | Metric = "misclassification_cost",
    items: int = 400,
    k: int = 4,
    accuracy: float = 0.6,
    largest: float | None = None,
    fixed: Fixed = "overall",
    design: MatrixDesign = "sequential",
    rng: Rng = None,
    progress: Progress | None = None,
) -> MetaValues:
    """Compute how often a measure favours the cheaper of two matrices of equal accuracy.

    This is Table 3 of George et al. 2016. Pairs with equal cost are excluded. A measure that is
    equal for both matrices, or undefined, counts as not favouring the cheaper one.

    Parameters
    ----------
    metrics
        Measures or their names; by default all that are quick.
    pairs
        Pairs of matrices to draw.
    cost
        The measure of the cost.
    items, k, accuracy, largest, fixed, design
        As for ``simulate_matrices``.
    rng
        Seed or generator.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    MetaValues
        The share of pairs for each measure.

    Raises
    ------
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> found = favours_lower_cost(["cost_accuracy_distance", "kendall_tau_b"], pairs=500,
    ...                            accuracy=0.6, largest=0.75, rng=0)
    >>> found["cost_accuracy_distance"]
    1.0
    """
    chosen = choose(metrics)
    check_amount("pairs", pairs, 1, _MOST // check_k(k))
    drawn = simulate_matrices(
        2 * pairs,
        items=items,
        k=k,
        accuracy=accuracy,
        largest=largest,
        fixed=fixed,
        design=design,
        rng=rng,
    )
    stack = drawn.reshape(pairs, 2, k, k)
    cheaper = _favoured(get_metric(cost), stack)
    told = cheaper != 0
    shares = [
        np.mean(_favoured(metric, stack)[told] == cheaper[told])
        for metric in watched("measures", chosen, progress)
    ]
    return MetaValues("favours lower cost", chosen, np.array(shares))


def _favoured(metric: Metric, stack: Integers) -> Floats:
    """Return 1 if the first of two matrices is better, -1 if the second is, else 0."""
    utility = np.asarray(metric.utility(metric.on(stack.shape[-1]).values(stack)))
    gap = np.round(utility[:, 0] - utility[:, 1], 12)
    return np.asarray(np.sign(np.nan_to_num(gap)), dtype=np.float64)
