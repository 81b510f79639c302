"""Counts and where they come from: the one validator, and sums that do not wrap around."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import is_name, listed, shown
from ordeval.data.columns import off_device
from ordeval.data.positions import NONE_DROPPED, Dropped as Dropped
from ordeval.data.scale import Scale, as_scale, warn_of_empty_levels, warn_of_shift
from ordeval.exceptions import CountsError, ScaleError


@dataclass(frozen=True)
class Origin:
    """Where counts come from: the facts that a matrix carries next to its counts and scale."""

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
            warn_of_empty_levels(self.scale, np.logical_or(*self._occurring()))
        return self

    def warn_of_shift(self, name: str) -> LabelCounts:
        """Warn if predictions look shifted against the truth, on a scale that integers imply."""
        if self.origin.implied:
            truth, pred = map(np.flatnonzero, self._occurring())
            warn_of_shift(self.scale, truth, pred, name)
        return self

    def _occurring(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The levels that occur in the truth, and those that are predicted."""
        stack = self.counts.reshape(-1, self.scale.k, self.scale.k)
        return np.asarray(stack.any(axis=(0, 2))), np.asarray(stack.any(axis=(0, 1)))

    def merged(self, other: LabelCounts) -> LabelCounts:
        """The sum of two, which must be of the same scale, shape and subgroups."""
        if self.scale != other.scale:
            raise ScaleError(
                f"Only matrices of the same scale can be merged; got {self.scale} and "
                f"{other.scale}."
            )
        shapes = [x.counts.shape[:-2] for x in (self, other)]
        if shapes[0] != shapes[1]:
            raise CountsError(
                f"Only stacks of the same shape can be merged; got {shapes[0]} and {shapes[1]}."
            )
        ours, theirs = self.origin, other.origin
        if ours.by != theirs.by:
            raise CountsError(
                "Only stacks of the same subgroups, in the same order, can be merged."
            )
        origin = Origin(
            ours.dropped + theirs.dropped,
            ours.implied and theirs.implied,
            ours.weighted or theirs.weighted,
            ours.by,
            self._items_with(other),
        )
        return LabelCounts(not_wrapped(self.counts + other.counts, "merged"), self.scale, origin)

    def _items_with(self, other: LabelCounts) -> Any:
        """How many items both hold, if there are weights and it is known of both."""
        both = (self, other)
        known = [
            x.origin.items if x.origin.weighted else exact_sum(x.counts, (-2, -1)) for x in both
        ]
        if not any(x.origin.weighted for x in both) or any(n is None for n in known):
            return None
        return np.asarray(known[0]) + np.asarray(known[1])


def stacked(counted: Mapping[str, LabelCounts]) -> LabelCounts:
    """The counts of several models as one stack, the models on its last axis."""
    found = list(counted.values())
    first = found[0]
    dropped = sum((x.origin.dropped for x in found), Dropped())
    items = None
    if first.origin.weighted:
        items = np.stack([np.asarray(x.origin.items) for x in found], axis=-1)
    origin = replace(first.origin, dropped=dropped, items=items)
    return LabelCounts(np.stack([x.counts for x in found], axis=-3), first.scale, origin)


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
        raise CountsError("counts must be numbers; got a ConfusionMatrix.")
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
    if len(where) < 2:
        found = cells if isinstance(cells, str) else cells[bad].tolist()[0]
        return f"counts must {rule}; found {found}."
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
    """Whether a sum of this many counts could exceed 64 bits."""
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


def check_frame_labels(frame: Any, labels: Any) -> None:
    """The names of columns, and of pandas rows, must be the levels of the scale in order."""
    named = getattr(frame, "column_names", getattr(frame, "columns", None))
    if named is None or callable(named):
        return
    columns = list(named)
    # Frames of Polars and PyArrow have no names of rows.
    rows = list(frame.index) if hasattr(frame, "index") else columns
    if rows != columns:
        raise CountsError(
            f"the rows and the columns of the frame must be the same classes in the same order; "
            f"the rows are {rows}, the columns are {columns}."
        )
    if labels is not None:
        levels = list(as_scale(labels).levels)
        if rows != levels and rows != list(range(len(rows))):
            raise CountsError(
                f"the rows and columns of the frame are {rows}, the labels are {levels}. "
                f"Put the frame in their order, for example frame.loc[labels, labels]."
            )
    elif not all(isinstance(x, (int, np.integer)) for x in rows) or rows != sorted(rows):
        raise ScaleError(
            f"The order of the classes {rows} of the frame is not declared. If it is right, pass "
            f"it: oe.ConfusionMatrix(frame, labels={rows}); else put the frame in order first."
        )


def named_levels(levels: Any, scale: Scale) -> dict[Hashable, list[Hashable]]:
    """Lists of neighbouring levels of a scale by the name of the level that they become."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ScaleError(
            f"collapse takes lists of levels, or a mapping of names to lists; got {levels!r}."
        )

    def members(merged: Any) -> list[Hashable]:
        alone = isinstance(merged, str) or not isinstance(merged, Iterable)
        alone = alone or getattr(merged, "ndim", 1) == 0
        return [merged] if alone else listed(merged, "levels", ScaleError)

    if isinstance(levels, Mapping):
        named = {name: members(merged) for name, merged in levels.items()}
    else:
        parts = [members(part) for part in listed(levels, "levels", ScaleError)]
        if not all(is_name(x) for part in parts for x in part):
            raise ScaleError(f"collapse takes lists of levels; got {shown(levels)}.")
        named = {_merged_name(merged): merged for merged in parts}
    merged_levels = tuple(label for merged in named.values() for label in merged)
    if (
        not all(is_name(x) and x in scale for x in merged_levels)
        or merged_levels != scale.levels
        or not all(named.values())
    ):
        raise ScaleError(
            "collapse needs every level exactly once, in order, in lists of neighbours; "
            "the scale is "
            f"{scale}, the lists are {[list(x) for x in named.values()]}."
        )
    return named


def _merged_name(merged: Sequence[Hashable]) -> Hashable:
    return merged[0] if len(merged) == 1 else f"{merged[0]}-{merged[-1]}" if merged else ""


def scaled(counts: NDArray[Any], items: Any) -> NDArray[Any]:
    """Weights (..., K, K), scaled to the number of items (...)."""
    # By the largest first: weights may be so small or so large that their sum is not a number.
    largest = counts.max(axis=(-2, -1), keepdims=True)
    shares = counts / np.where(largest > 0, largest, 1.0)
    total = shares.sum(axis=(-2, -1))
    factor = np.where(total > 0, items / np.where(total > 0, total, 1.0), 1.0)
    return np.asarray(shares * factor[..., None, None])


def shares_of(counts: NDArray[Any], by: str) -> NDArray[np.float64]:
    """Shares of each true class, of each predicted class, or of all items; NaN where none are."""
    axis: dict[str, int | tuple[int, int]] = {"true": -1, "pred": -2, "all": (-2, -1)}
    if by not in list(axis):
        raise CountsError(f'normalized takes "true", "pred" or "all"; got {by!r}.')
    floats = counts.astype(np.float64)
    sums = floats.sum(axis=axis[by], keepdims=True)
    shares = np.full_like(floats, np.nan)
    np.divide(floats, sums, out=shares, where=sums > 0)
    return shares
