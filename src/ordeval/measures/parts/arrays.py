"""Shared parts of the kernels: margins, distances, cumulative sums, pairs of items, safe division.

Sums are arranged so that no two large numbers are subtracted: a class of one item next to a class
of 10**15 must still count.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats

_FAR: Final = 200  # the power of two above which fourth powers of counts may overflow
_NEAR: Final = 150


def stack_last_in_memory(n: NDArray[Any]) -> Floats:
    """Return the stack (..., K, K) as float64, laid out so that its leading axes run fastest.

    NumPy follows the layout, so sums over a few classes become sums of long rows.
    """
    if n.ndim == 2:
        return n.astype(np.float64)
    cells_first = np.moveaxis(n, (-2, -1), (0, 1))
    return np.moveaxis(cells_first.astype(np.float64, order="C"), (0, 1), (-2, -1))


def in_reach(n: NDArray[Any]) -> NDArray[Any]:
    """Rescale counts whose products would leave the range of floats.

    A power of two keeps every digit. What is left is still so large, or so small, that measures
    which do depend on the number of items have reached their limit.
    """
    if n.dtype.kind != "f" or not n.size:
        return n
    largest = n.max(axis=(-2, -1), keepdims=True)
    if (largest < 2.0**_FAR).all() and ((largest > 2.0**-_FAR) | (largest == 0)).all():
        return n
    exponent = np.frexp(largest)[1]
    target = np.clip(exponent, -_NEAR, _NEAR)
    return np.where(np.abs(exponent) > _FAR, np.ldexp(n, target - exponent), n)


def at(x: Floats, index: NDArray[np.intp]) -> Floats:
    """Return values of classes (..., K) at an array of classes (K, K): shape (..., K, K)."""
    return np.moveaxis(np.moveaxis(x, -1, 0)[index], (0, 1), (-2, -1))


def ratio(numerator: Any, denominator: Any) -> Floats:
    """Return the quotient, NaN where the denominator is zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # No preallocated result: NumPy then keeps the layout of its operands.
        quotient = np.divide(numerator, denominator)
    return np.where(np.not_equal(denominator, 0), quotient, np.nan)


def total(n: Floats) -> Floats:
    """Return the number of items."""
    return np.asarray(n.sum(axis=(-2, -1)))


def truth(n: Floats) -> Floats:
    """Return the row sums: items of each true class."""
    return np.asarray(n.sum(axis=-1))


def prediction(n: Floats) -> Floats:
    """Return the column sums: items of each predicted class."""
    return np.asarray(n.sum(axis=-2))


def diagonal(n: Floats) -> Floats:
    """Return the correct items of each class."""
    return np.diagonal(n, axis1=-2, axis2=-1)


@lru_cache(maxsize=64)
def signed_distance(k: int) -> Floats:
    """Return j - i for true position i and predicted position j."""
    positions = np.arange(float(k))
    distance = positions[None, :] - positions[:, None]
    distance.flags.writeable = False
    return distance


@lru_cache(maxsize=64)
def distance(k: int) -> Floats:
    """Return abs(i - j)."""
    result = np.abs(signed_distance(k))
    result.flags.writeable = False
    return result


def before(x: Floats) -> Floats:
    """Sum over the lower classes, excluding the class itself."""
    out = np.zeros_like(x)
    k = x.shape[-1]
    if x.size > 8 * k * k:
        # NumPy's cumsum handles each short row separately; one step per class serves the whole
        # stack.
        for i in range(1, k):
            np.add(out[..., i - 1], x[..., i - 1], out=out[..., i])
    else:
        np.cumsum(x[..., :-1], axis=-1, out=out[..., 1:])
    return out


def after(x: Floats) -> Floats:
    """Sum over the higher classes, excluding the class itself."""
    return before(x[..., ::-1])[..., ::-1]


def others(x: Floats) -> Floats:
    """Sum over all classes but the class itself."""
    return before(x) + after(x)


def untied_pairs(margin: Floats) -> Floats:
    """Return the number of pairs of items in different classes."""
    return np.asarray((margin * after(margin)).sum(axis=-1))


def lower_left(n: Floats) -> Floats:
    """Sum the cells with a lower true AND a lower predicted class, for each cell."""
    return np.swapaxes(before(np.swapaxes(before(n), -1, -2)), -1, -2)


def upper_right(n: Floats) -> Floats:
    """Sum the cells with a higher true AND a higher predicted class, for each cell."""
    return lower_left(n[..., ::-1, ::-1])[..., ::-1, ::-1]


class PairCounts(NamedTuple):
    """Numbers of pairs of items: concordant, discordant, untied in truth, untied in prediction."""

    concordant: Floats
    discordant: Floats
    untied_truth: Floats
    untied_prediction: Floats


def pairs(n: Floats) -> PairCounts:
    """Count the pairs of items from cumulative sums of the matrix."""
    mirrored = n[..., ::-1]
    return PairCounts(
        concordant=(n * upper_right(n)).sum(axis=(-2, -1)),
        discordant=(mirrored * upper_right(mirrored)).sum(axis=(-2, -1)),
        untied_truth=untied_pairs(truth(n)),
        untied_prediction=untied_pairs(prediction(n)),
    )


def recalls(n: Floats) -> Floats:
    """Return the recall of each true class, NaN for an absent class."""
    return ratio(diagonal(n), truth(n))


def over_observed(values: Floats, reduce: Any) -> Floats:
    """Reduce over classes, ignoring the NaN of absent ones; NaN if all are absent."""
    absent = np.isnan(values)
    neutral = {np.add: 0.0, np.multiply: 1.0, np.minimum: np.inf, np.maximum: -np.inf}[reduce]
    reduced = reduce.reduce(np.where(absent, neutral, values), axis=-1)
    return np.where(absent.all(axis=-1), np.nan, reduced)


def observed(n: Floats) -> Floats:
    """Return the number of classes that occur in the truth (K')."""
    return np.asarray((truth(n) > 0).sum(axis=-1), dtype=np.float64)
