"""Choose a class for each row of a table of probabilities, without an estimator."""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked, shape_of
from ordeval._shared.types import Integers, check_choice
from ordeval.data.columns import off_device
from ordeval.data.level_names import misnamed
from ordeval.data.probabilities import read_table
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.measures.parts.decisions import LevelCuts, Rule, costs_between, decided

LevelNumbers = NDArray[np.intp]  # positions on the scale, from 0


@checked
def decide(
    y_prob: Any, rule: Rule | LevelCuts = "mode", *, labels: Any = None, cost: Any = None
) -> NDArray[Any]:
    """Choose a class from each row of predicted probabilities by a rule.

    Ties go to the lowest class.

    Parameters
    ----------
    y_prob
        Probabilities (n, K), columns in the order of the scale.
    rule
        ``"mode"``: the most probable class. ``"median"``: the lowest class whose cumulative
        probability is at least one half; it has the smallest expected distance to the truth.
        ``"cost"``: the class with the lowest expected cost. Or cut points that were tuned on
        probabilities, the result of ``optimal_cut_points``.
    labels
        The ordered labels, lowest first, or a Scale. Default: the levels of the cut points, or
        positions from 0.
    cost
        For ``rule="cost"``: ``"absolute"``, ``"squared"``, or a K x K matrix, rows truth, columns
        prediction, zero on the diagonal.

    Returns
    -------
    numpy.ndarray
        Array (n,) of labels, or of positions.

    Raises
    ------
    LabelError
        If the rows are not probabilities, or the labels do not fit their number.
    ParameterError
        If there is no such rule, or the cost is missing or no K x K matrix.
    ScaleError
        If ``labels`` is not a scale.

    Examples
    --------
    >>> prob = [[0.4, 0.25, 0.35]]
    >>> decide(prob), decide(prob, "median"), decide(prob, "cost", cost="squared")
    (array([0]), array([1]), array([1]))
    >>> missed = [[0, 1, 2], [5, 0, 1], [20, 8, 0]]  # a miss costs more than a false alarm
    >>> decide(prob, "cost", cost=missed, labels=["none", "mild", "severe"])
    array(['severe'], dtype='<U6')
    """
    if isinstance(rule, LevelCuts):
        if cost is not None:
            raise ParameterError('cost= goes with rule="cost"; got cut points.')
        scale = Scale(rule.levels) if labels is None else as_scale(labels)
        decision = rule_of(rule)(scale)
        table = read_table(y_prob, shape_of(off_device(y_prob))[0], scale, "y_prob")
        return labels_at(scale.levels, decision(table))
    check_choice("rule", rule, get_args(Rule))
    if (rule == "cost") != (cost is not None):
        raise ParameterError(
            'rule="cost" needs cost=: "absolute", "squared" or a K x K matrix.'
            if cost is None
            else f'cost= goes with rule="cost"; got rule={rule!r}.'
        )
    shape = shape_of(off_device(y_prob))
    if len(shape) != 2 or not shape[1]:
        raise LabelError(
            f"y_prob must have one row per item and one column per class; got shape {shape}."
        )
    scale = Scale(range(shape[1])) if labels is None else as_scale(labels)
    if labels is not None and (problem := misnamed(cost, scale, "cost")):
        raise ParameterError(problem)
    prob = read_table(y_prob, shape[0], scale, "y_prob")
    costs = None if cost is None else costs_between(cost, scale.k)
    positions = decided(prob, rule, costs)
    return positions if labels is None else labels_at(scale.levels, positions)


def labels_at(levels: Sequence[Any], positions: Integers) -> NDArray[Any]:
    """Return the labels at some positions; levels of mixed types keep their types."""
    # NumPy drops null characters at the end of texts.
    if len({type(x) for x in levels}) == 1 and np.asarray(levels).tolist() == list(levels):
        return np.asarray(levels)[positions]
    array = np.empty(len(levels), dtype=object)
    array[:] = levels
    return array[positions]
