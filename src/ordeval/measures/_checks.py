"""Checks of the parameters that measures share. Each takes a value and K, and returns the value."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.exceptions import ParameterError
from ordeval.measures._arrays import distance

Floats = NDArray[np.float64]
Check = Callable[[Any, int], Any]


def not_negative(name: str, *, optional: bool = False) -> Check:
    """A finite number >= 0."""

    def check(value: Any, _: int) -> float | None:
        if value is None and optional:
            return None
        if not _is_number(value) or not math.isfinite(value) or value < 0:
            raise ParameterError(f"{name} must be a number >= 0; got {value!r}.")
        return float(value)

    return check


def positive(name: str, *, most: float | None = None) -> Check:
    """A finite number > 0, up to a bound where larger ones only overflow."""

    def check(value: Any, _: int) -> float:
        if not _is_number(value) or not math.isfinite(value) or value <= 0:
            raise ParameterError(f"{name} must be a number > 0; got {value!r}.")
        if most is not None and value > most:
            raise ParameterError(f"{name} must be at most {most:g}; got {value!r}.")
        return float(value)

    return check


def whole(name: str) -> Check:
    """An integer >= 0."""

    def check(value: Any, _: int) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(f"{name} must be an integer >= 0; got {value!r}.")
        return int(value)

    return check


def one_of(name: str, *choices: Any) -> Check:
    """One of a few values."""

    def check(value: Any, _: int) -> Any:
        if not any(value is choice or value == choice for choice in choices):
            shown = ", ".join(repr(c) for c in choices)
            raise ParameterError(f"{name} must be one of {shown}; got {value!r}.")
        return value

    return check


def disagreement_weights(value: Any, k: int) -> Floats | str:
    """Name of a weighting, or a K x K matrix of disagreements with a zero diagonal."""
    if isinstance(value, str) or value is None:
        if value not in ("nominal", "linear", "quadratic"):
            raise ParameterError(
                f'weights must be "quadratic", "linear", "nominal" or a K x K matrix of '
                f"disagreements; got {value!r}."
            )
        return value
    weights = _square(value, k, "weights")
    if np.diagonal(weights).any():
        raise ParameterError(
            "weights are disagreements, zero on the diagonal and larger for a worse error; for "
            "agreement weights w pass 1 - w."
        )
    return weights


def weight_matrix(weights: Floats | str, k: int) -> Floats:
    """Disagreement weights between 0 and 1 for the named weightings."""
    if not isinstance(weights, str):
        return weights
    d = distance(k)
    largest = max(k - 1, 1)
    match weights:
        case "quadratic":
            return (d / largest) ** 2
        case "linear":
            return d / largest
        case _:
            return (d > 0).astype(np.float64)


def cost_matrix(value: Any, k: int) -> Floats | None:
    """A K x K matrix of costs, cost[true, predicted], zero on the diagonal."""
    if value is None:
        return None
    cost = _square(value, k, "cost")
    if np.diagonal(cost).any():
        raise ParameterError("cost must be zero on the diagonal: a correct prediction is free.")
    return cost


def class_sizes(value: Any, k: int, or_cost: str = ", or a cost= matrix") -> Floats | None:
    """The K positive sizes of the classes."""
    if value is None:
        return None
    sizes = _numbers(value, "class_sizes")
    if sizes.shape != (k,):
        raise ParameterError(
            f"class_sizes must hold {k} numbers, one a class; got shape {sizes.shape}."
        )
    empty = np.flatnonzero(sizes <= 0)
    if len(empty):
        raise ParameterError(
            f"the class at position {empty[0]} has size 0, which makes the cost of predicting it "
            f"infinite; give the sizes of the training data{or_cost}."
        )
    return sizes


def _square(value: Any, k: int, name: str) -> Floats:
    matrix = _numbers(value, name)
    if matrix.shape != (k, k):
        raise ParameterError(
            f"{name} must be a {k} x {k} matrix, rows truth, columns prediction; "
            f"got shape {matrix.shape}."
        )
    return matrix


def _numbers(value: Any, name: str) -> Floats:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be an array of numbers.") from None
    if not np.isfinite(array).all() or (array < 0).any():
        raise ParameterError(f"{name} must hold finite numbers that are not negative.")
    return array


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
