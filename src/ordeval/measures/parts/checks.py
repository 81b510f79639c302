"""Checks of shared parameters. Each takes a value and K, and returns the value."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ordeval._shared.arguments import floats, is_among, is_number, is_whole, shown
from ordeval._shared.types import Floats
from ordeval.data.columns import off_device
from ordeval.data.level_names import names_of
from ordeval.exceptions import ParameterError
from ordeval.measures.parts.arrays import distance


@dataclass(frozen=True)
class Number:
    """A finite number >= 0, or > 0, up to a bound above which numbers overflow."""

    name: str
    positive: bool = False
    most: float = math.inf
    optional: bool = False

    def __call__(self, value: Any, k: int) -> Any:
        """The value as a float, or None."""
        if value is None and self.optional:
            return None
        wrong = not is_number(value) or not math.isfinite(value)
        if wrong or value < 0 or (self.positive and value == 0):
            least = "> 0" if self.positive else ">= 0"
            raise ParameterError(f"{self.name} must be a number {least}; got {shown(value)}.")
        if value > self.most:
            raise ParameterError(f"{self.name} must be at most {self.most:g}; got {value!r}.")
        return float(value)


@dataclass(frozen=True)
class Whole:
    """An integer >= 0."""

    name: str

    def __call__(self, value: Any, k: int) -> int:
        """The value as an int."""
        if not is_whole(value) or value < 0:
            raise ParameterError(f"{self.name} must be an integer >= 0; got {shown(value)}.")
        return int(value)


@dataclass(frozen=True)
class OneOf:
    """One of several fixed values."""

    name: str
    choices: tuple[Any, ...]

    def __call__(self, value: Any, k: int) -> Any:
        """Return the value unchanged."""
        if not is_among(value, self.choices):
            every = ", ".join(map(repr, self.choices))
            raise ParameterError(f"{self.name} must be one of {every}; got {shown(value)}.")
        return value


Weighting = Literal["quadratic", "linear", "nominal"]


def disagreement_weights(value: Any, k: int) -> Floats | str:
    """Check the name of a weighting, or a K x K matrix of disagreements with a zero diagonal."""
    if isinstance(value, str) or value is None:
        if value not in get_args(Weighting):
            raise ParameterError(
                f'weights must be "quadratic", "linear", "nominal" or a K x K matrix of '
                f"disagreements; got {value!r}."
            )
        return str(value)
    weights = _square(value, k, "weights")
    if np.diagonal(weights).any():
        raise ParameterError(
            "weights are disagreements, zero on the diagonal and larger for a worse error; for "
            "agreement weights w pass 1 - w."
        )
    return weights


def weight_matrix(weights: Floats | str, k: int) -> Floats:
    """Return disagreement weights; named weightings lie between 0 and 1."""
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
    """Check a K x K matrix of costs, cost[true, predicted], zero on the diagonal."""
    if value is None:
        return None
    cost = _square(value, k, "cost")
    if np.diagonal(cost).any():
        raise ParameterError("cost must be zero on the diagonal: a correct prediction is free.")
    return cost


def class_sizes(value: Any, k: int, or_cost: str = ", or a cost= matrix") -> Floats | None:
    """Check the K positive class sizes."""
    if value is None:
        return None
    sizes = of_length(one_per_class(value), k, "class_sizes")
    empty = np.flatnonzero(sizes <= 0)
    if len(empty):
        raise ParameterError(
            f"the class at position {empty[0]} has size 0, which makes the cost of predicting it "
            f"infinite; give the sizes of the training data{or_cost}."
        )
    return sizes


def one_per_class(value: Any, name: str = "class_sizes") -> Floats:
    """Check class sizes for any number of classes."""
    sizes = _numbers(value, name)
    names = names_of(value).get("rows", [])
    if all(isinstance(x, int) for x in names) and names != sorted(names):
        raise ParameterError(
            f"{name} must be in the order of the classes; its index is {names}. Put it in "
            f"order, for example with .sort_index()."
        )
    if sizes.ndim != 1 or not sizes.size:
        raise ParameterError(
            f"{name} must hold one number per class; got an array of shape {sizes.shape}."
        )
    return sizes


def of_length(numbers: Floats, k: int, name: str) -> Floats:
    """Check that there is one number for each of K classes."""
    if len(numbers) != k:
        raise ParameterError(f"{name} must hold {k} numbers, one per class; got {len(numbers)}.")
    return numbers


def points(value: Any, k: int) -> Floats | None:
    """Check the K numbers at the levels, rising or falling."""
    return None if value is None else of_length(at_points(value), k, "points")


def at_points(value: Any) -> Floats:
    """Check the numbers at any number of levels."""
    numbers = _array(value, "points")
    rises = np.diff(numbers) if numbers.ndim == 1 else np.zeros(1)
    if (
        not numbers.size
        or not np.isfinite(numbers).all()
        or not ((rises > 0).all() or (rises < 0).all())
    ):
        raise ParameterError(
            f"points must hold one number per level, in the order of the scale, all rising or all "
            f"falling; got {reprlib.repr(value)}."
        )
    return numbers


def own_matrix(value: Any, name: str) -> Floats:
    """Check a user's square matrix, for any number of classes."""
    matrix = _numbers(value, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ParameterError(
            f"{name} must be a K x K matrix, rows truth, columns prediction; got shape "
            f"{matrix.shape}."
        )
    return matrix


def _square(value: Any, k: int, name: str) -> Floats:
    axes = names_of(value)
    if len(axes) == 2 and axes["rows"] != axes["columns"]:
        raise ParameterError(
            f"the rows and the columns of {name} must be the same classes in the same order; the "
            f"rows are {axes['rows']}, the columns are {axes['columns']}."
        )
    matrix = _numbers(value, name)
    if matrix.shape != (k, k):
        raise ParameterError(
            f"{name} must be a {k} x {k} matrix, rows truth, columns prediction; "
            f"got shape {matrix.shape}."
        )
    return matrix


def _numbers(value: Any, name: str) -> Floats:
    if np.ma.is_masked(value):
        raise ParameterError(f"{name} must hold a number everywhere; some are masked.")
    array = _array(value, name)
    if not np.isfinite(array).all() or (array < 0).any():
        raise ParameterError(f"{name} must hold finite numbers that are not negative.")
    return array


def _array(value: Any, name: str) -> Floats:
    return np.array(floats(off_device(value), name))
