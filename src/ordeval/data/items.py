"""Count pairs of labels that are in memory.

Work goes through the labels in chunks that fit a processor's cache, so the extra memory does not
grow with the number of items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval.data.columns import Column, as_column
from ordeval.data.scale import (
    MISSING,
    UNKNOWN,
    Policy,
    Scale,
    as_scale,
    declared_scale,
    implied_range,
    implied_scale,
)
from ordeval.exceptions import LabelError

CHUNK: Final = 1 << 16


@dataclass(frozen=True)
class Dropped:
    """How many items were left out because a label was missing or outside the scale."""

    missing: int = 0
    unknown: int = 0

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.missing + other.missing, self.unknown + other.unknown)

    def __bool__(self) -> bool:
        return bool(self.missing or self.unknown)


@dataclass(frozen=True)
class Counted:
    """Counts (..., K, K), rows truth, columns prediction, and the scale of both."""

    counts: NDArray[Any]
    scale: Scale
    dropped: Dropped
    implied: bool  # the scale was read off integers
    groups: tuple[Any, ...] | None = (
        None  # what the first axis of a stack (G, ..., K, K) stands for
    )


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Counted:
    """Count how often each true label met each predicted label."""
    truth, pred = as_column(y_true, "y_true"), as_column(y_pred, "y_pred")
    check_policies(unknown, missing)
    if len(truth) != len(pred):
        raise LabelError(
            f"y_true and y_pred must have the same length; got {len(truth)} and {len(pred)} labels."
        )
    weights = read_weights(sample_weight, len(truth))
    scale = as_scale(labels) if labels is not None else declared_scale([truth, pred])
    if scale is None:
        if weights is None and _is_plain_integer(truth) and _is_plain_integer(pred):
            return _count_growing(truth.values, pred.values)
        scale, implied = implied_scale([truth, pred]), True
    else:
        implied = False
    counts, dropped = _count_on(scale, truth, pred, weights, unknown, missing)
    return Counted(counts, scale, dropped, implied)


@dataclass(frozen=True)
class Encoded:
    """Truth and the predictions of several models, in positions, for the rows that were kept.

    A row is an item, or stands for several that are alike in every column.
    """

    scale: Scale
    truth: NDArray[np.int64]
    models: dict[str, NDArray[np.int64]]
    weights: NDArray[np.float64] | None
    multiplicity: NDArray[np.int64]  # how many items each row stands for
    kept: NDArray[np.bool_]  # which of the given items these are
    dropped: dict[str, Dropped]  # labels that did not fit, by column
    left_out: int  # items that this cost
    implied: bool


def encode_labels(
    y_true: Any,
    models: Mapping[str, Any],
    *,
    labels: Any = None,
    sample_weight: Any = None,
    multiplicity: NDArray[np.int64] | None = None,
    truth_name: str = "y_true",
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Encoded:
    """Truth and several predictions on one scale; an item goes if one of its labels does."""
    check_policies(unknown, missing)
    columns = [as_column(y_true, truth_name), *(as_column(x, name) for name, x in models.items())]
    for column in columns[1:]:
        if len(column) != len(columns[0]):
            raise LabelError(
                f"{truth_name} and {column.name} must have the same length; got "
                f"{len(columns[0])} and {len(column)} labels."
            )
    weights = read_weights(sample_weight, len(columns[0]))
    scale = as_scale(labels) if labels is not None else declared_scale(columns)
    implied = scale is None
    if scale is None:
        scale = implied_scale(columns)
    codes = [scale.codes(column).astype(np.int64) for column in columns]
    kept = np.ones(len(columns[0]), dtype=bool)
    times = np.ones(len(kept), dtype=np.int64) if multiplicity is None else multiplicity
    dropped: dict[str, Dropped] = {}
    for column, code in zip(columns, codes, strict=True):
        if len(code) and code.min() < 0:
            scale.refuse_misfits(column, unknown=unknown, missing=missing)
            kept &= code >= 0
            gone = int(times[code == MISSING].sum())
            found = Dropped(gone, int(times[code < 0].sum()) - gone)
            dropped[column.name] = dropped.get(column.name, Dropped()) + found
    truth, *predictions = (code[kept] for code in codes)
    if not len(truth):
        raise LabelError("there are no items with a label in every column.")
    weights = None if weights is None else weights[kept]
    return Encoded(
        scale,
        truth,
        dict(zip(models, predictions, strict=True)),
        weights,
        times[kept],
        kept,
        dropped,
        int(times[~kept].sum()),
        implied,
    )


def read_weights(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """One finite, non-negative weight an item, or None."""
    if sample_weight is None:
        return None
    if not hasattr(sample_weight, "__array__") and isinstance(sample_weight, Iterable):
        sample_weight = list(sample_weight)
    try:
        weights = np.ma.filled(np.ma.asarray(sample_weight, dtype=np.float64), np.nan)
    except (OverflowError, TypeError, ValueError) as error:
        raise LabelError(f"sample_weight must be numbers, one an item: {error}.") from None
    if weights.shape != (n,):
        raise LabelError(
            f"sample_weight must hold one number an item, {n} in all; "
            f"got an array of shape {weights.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise LabelError(
            f"sample_weight must be finite and not negative; {len(bad):,} "
            f"{'weight is' if len(bad) == 1 else 'weights are'} not, the first is "
            f"{weights[bad[0]]} at position {bad[0]}."
        )
    return weights


def check_policies(unknown: str, missing: str) -> None:
    """Refuse a policy that is neither "raise" nor "drop"."""
    for name, value in (("unknown", unknown), ("missing", missing)):
        if value not in ("raise", "drop"):
            raise LabelError(f'{name}= must be "raise" or "drop"; got {value!r}.')


def _is_plain_integer(column: Column) -> bool:
    return column.categories is None and column.values.dtype.kind in "iub" and len(column) > 0


def _chunks(n: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, n, CHUNK))


def _count_on(
    scale: Scale,
    truth: Column,
    pred: Column,
    weights: NDArray[np.float64] | None,
    unknown: Policy,
    missing: Policy,
) -> tuple[NDArray[Any], Dropped]:
    refused = {
        code for code, policy in ((UNKNOWN, unknown), (MISSING, missing)) if policy == "raise"
    }
    counts = np.zeros(scale.k**2, dtype=np.int64 if weights is None else np.float64)
    dropped = Dropped()
    for part in _chunks(len(truth)):
        t, p = scale.codes(truth, part), scale.codes(pred, part)
        w = None if weights is None else weights[part]
        if t.min() < 0 or p.min() < 0:
            for column, codes in ((truth, t), (pred, p)):
                if any((codes == code).any() for code in refused):
                    scale.refuse_misfits(column, unknown=unknown, missing=missing)
            gone = (t == MISSING) | (p == MISSING)
            fits = (t >= 0) & (p >= 0)
            dropped += Dropped(int(gone.sum()), int((~gone & ~fits).sum()))
            t, p, w = t[fits], p[fits], None if w is None else w[fits]
        counts += np.bincount(_fuse(t, p, scale.k), weights=w, minlength=scale.k**2)
    return counts.reshape(scale.k, scale.k), dropped


def _fuse(t: NDArray[Any], p: NDArray[Any], k: int) -> NDArray[Any]:
    """One number for each pair of positions; in bytes where they suffice, which is faster."""
    narrow = t.dtype == np.int8 and p.dtype == np.int8 and k * k <= 128
    fused: NDArray[Any] = np.multiply(t, k, dtype=np.int8 if narrow else np.intp, casting="unsafe")
    np.add(fused, p, out=fused, casting="unsafe")
    return fused.astype(np.intp, copy=False)


def _count_growing(truth: NDArray[Any], pred: NDArray[Any]) -> Counted:
    """Count integers in one pass, on a scale that grows to the ends that turn up."""
    scale = None
    counts = np.zeros((0, 0), dtype=np.int64)
    for part in _chunks(len(truth)):
        t, p = truth[part], pred[part]
        low, high = min(int(t.min()), int(p.min())), max(int(t.max()), int(p.max()))
        if scale is None or low not in scale or high not in scale:
            scale, counts = _grow(scale, counts, low, high)
        t, p = (scale.codes_of_fitting(x, _first(scale)) for x in (t, p))
        counts += np.bincount(_fuse(t, p, scale.k), minlength=scale.k**2).reshape(counts.shape)
    assert scale is not None
    return Counted(counts, scale, Dropped(), implied=True)


def _grow(
    scale: Scale | None, counts: NDArray[np.int64], low: int, high: int
) -> tuple[Scale, NDArray[np.int64]]:
    if scale is None:
        wider, offset = implied_range(low, high), 0
    else:
        first = _first(scale)
        wider = implied_range(min(low, first), max(high, first + scale.k - 1))
        offset = first - _first(wider)
    k = len(counts)
    grown = np.zeros((wider.k, wider.k), dtype=np.int64)
    grown[offset : offset + k, offset : offset + k] = counts
    return wider, grown


def _first(scale: Scale) -> int:
    first = scale.levels[0]
    assert isinstance(first, int)
    return first
