"""Counts and where they come from: the one validator, and sums that do not wrap around."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.data.columns import off_device
from ordeval.data.positions import NONE_DROPPED, Dropped as Dropped
from ordeval.data.scale import Scale, warn_of_empty_levels
from ordeval.exceptions import CountsError


@dataclass(frozen=True)
class Origin:
    """Where counts come from: the facts that a matrix carries beside its counts and scale."""

    dropped: Dropped = NONE_DROPPED
    implied: bool = False  # the scale was read off the integers that occur
    weighted: bool = False  # sums of weights, which do not say how many items there are
    by: tuple[Any, ...] | None = None  # what the first axis of a stack (G, ..., K, K) stands for
    # How many items the weights of each matrix (...) belong to, if that is known.
    items: NDArray[np.int64] | None = field(default=None, compare=False)


class LabelCounts(NamedTuple):
    """Counts (..., K, K), rows truth, columns prediction, with their scale and origin."""

    counts: NDArray[Any]
    scale: Scale
    origin: Origin

    def warn_of_gaps(self) -> LabelCounts:
        """Warn if the scale that integers imply has levels that never occur."""
        if self.origin.implied:
            stack = self.counts.reshape(-1, self.scale.k, self.scale.k)
            warn_of_empty_levels(
                self.scale, np.logical_or(stack.any(axis=(0, 1)), stack.any(axis=(0, 2)))
            )
        return self


def validate_counts(counts: Any) -> NDArray[Any]:
    """Counts as an int64 or float64 array ``(..., K, K)``, or an error that says what is wrong."""
    try:
        array = np.asarray(off_device(counts))
    except ValueError:
        raise CountsError(
            "counts must be a square matrix of numbers; got rows of different lengths."
        ) from None
    if isinstance(counts, np.ma.MaskedArray) and np.ma.getmaskarray(counts).any():
        raise CountsError(_bad_cell("a masked cell", np.ma.getmaskarray(counts)))
    kind = array.dtype.kind
    if kind == "O":
        array = _from_objects(array)
        kind = array.dtype.kind
    if kind not in "iubf":
        raise CountsError(f"counts must be numbers; got an array of dtype {array.dtype}.")
    shape = array.shape
    if len(shape) < 2 or shape[-1] != shape[-2] or shape[-1] == 0:
        raise CountsError(
            f"counts must be a square matrix, or a stack of them of shape (..., K, K); "
            f"got shape {shape}."
        )
    if not array.size:
        return array.astype(np.int64 if kind != "f" else np.float64)
    if kind == "f":
        array = array.astype(np.float64, copy=False)
        if not (array.min() >= 0 and array.max() < np.inf):
            raise CountsError(_bad_cell(array, ~(np.isfinite(array) & (array >= 0))))
        return array
    if kind == "i" and array.min() < 0:
        raise CountsError(_bad_cell(array, array < 0))
    if kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise CountsError(_bad_cell(array, array > np.iinfo(np.int64).max, _TOO_LARGE))
    return array.astype(np.int64, copy=False)


def _from_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Python numbers in an object array, as pandas gives for mixed columns."""
    flat = array.ravel().tolist()
    if any(type(x).__name__ == "ConfusionMatrix" for x in flat):
        raise CountsError("counts must be numbers; got a ConfusionMatrix, which is one already.")
    if all(isinstance(x, (int, np.integer)) for x in flat):
        try:
            return array.astype(np.int64)
        except OverflowError:
            raise CountsError(_bad_cell(array, np.abs(array) >= 2**63, _TOO_LARGE)) from None
    if all(isinstance(x, (int, float, np.integer, np.floating)) for x in flat):
        return array.astype(np.float64)
    wrong = next(x for x in flat if not isinstance(x, (int, float, np.integer, np.floating)))
    raise CountsError(f"counts must be numbers; found {wrong!r} of type {type(wrong).__name__}.")


_LARGEST: Final = int(np.iinfo(np.int64).max)
_TOO_LARGE = "fit a 64-bit signed integer"


def _bad_cell(
    cells: NDArray[Any] | str, bad: NDArray[Any], rule: str = "be finite and not negative"
) -> str:
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    found = cells if isinstance(cells, str) else cells[where]
    stack = f"matrix {where[:-2]}, " if len(where) > 2 else ""
    return (
        f"counts must {rule}; found {found} at {stack}row "
        f"{where[-2]} (truth), column {where[-1]} (prediction)."
    )


def exact_sum(counts: NDArray[Any], axis: int | tuple[int, int]) -> NDArray[Any]:
    """Sum that does not wrap around, by Python integers where 64 bits could fall short."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    if _may_wrap(counts, math.prod(counts.shape[a] for a in axes)):
        return np.asarray(counts.astype(object).sum(axis=axis))
    return np.asarray(counts.sum(axis=axis))


def _may_wrap(counts: NDArray[Any], terms: int) -> bool:
    """Whether a sum of so many counts could leave 64 bits."""
    whole = counts.dtype.kind == "i" and bool(counts.size)
    return whole and int(counts.max()) * terms > _LARGEST


def merge_levels(counts: NDArray[Any], starts: NDArray[np.intp]) -> NDArray[Any]:
    """Counts of levels merged with neighbours; ``starts`` says where each new level begins."""
    wide = _may_wrap(counts, counts.shape[-1] ** 2)
    cells = counts.astype(object) if wide else counts
    merged = np.add.reduceat(np.add.reduceat(cells, starts, axis=-1), starts, axis=-2)
    if not wide:
        return np.asarray(merged)
    if merged.max() > _LARGEST:
        raise CountsError(_does_not_fit("collapsed"))
    return merged.astype(np.int64)


def not_wrapped(counts: NDArray[Any], what: str) -> NDArray[Any]:
    """The counts, unless their sums left 64 bits and came back negative."""
    if counts.dtype.kind == "i" and counts.size and counts.min() < 0:
        raise CountsError(_does_not_fit(what))
    return counts


def _does_not_fit(what: str) -> str:
    return f"The {what} counts do not fit a 64-bit integer."
