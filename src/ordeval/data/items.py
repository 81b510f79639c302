"""The door for labels in memory: read, put on one scale, counted or turned into positions.

Counting goes through the labels in chunks that fit a processor's cache, so the extra memory does
not grow with the number of items. Every door warns if a scale that integers imply has gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import plural
from ordeval._shared.types import Floats, Integers, Policy
from ordeval.data.columns import Column, as_column, off_device
from ordeval.data.counts import Counted, Dropped, Origin
from ordeval.data.numbering import chunks, fused, narrowed, tally
from ordeval.data.same_items import Index, check_same_items
from ordeval.data.scale import (
    MISSING,
    UNKNOWN,
    Scale,
    implied_range,
    resolve_scale,
    warn_of_gaps,
)
from ordeval.exceptions import LabelError

# Distinct rows that are counted by their number, rather than as items, one by one.
_JOINT: Final = 1 << 16
_NOTHING_KEPT: Final = "there are no items with a label in every column."


@dataclass(frozen=True)
class Misfits:
    """What happens to labels outside the scale and to missing ones."""

    unknown: Policy = "raise"
    missing: Policy = "raise"

    def __post_init__(self) -> None:
        for name, value in (("unknown", self.unknown), ("missing", self.missing)):
            if value not in ("raise", "drop"):
                raise LabelError(f'{name} must be "raise" or "drop"; got {value!r}.')

    def refuse(self, scale: Scale, column: Column) -> None:
        """Raise a LabelError if the column holds labels that are not to be dropped."""
        scale.refuse_misfits(column, unknown=self.unknown, missing=self.missing)


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    misfits: Misfits = Misfits(),
) -> Counted:
    """Count how often each true label met each predicted label."""
    truth, pred = as_column(y_true, "y_true"), as_column(y_pred, "y_pred")
    _check_lengths([truth, pred])
    weights = read_weights(sample_weight, len(truth))
    check_same_items([("y_true", y_true), ("y_pred", y_pred), ("sample_weight", sample_weight)])
    plain = weights is None and _is_plain_integer(truth) and _is_plain_integer(pred)
    if plain and labels is None:
        return _count_growing(truth.values, pred.values).warn_of_gaps()
    scale, implied = resolve_scale([truth, pred], labels)
    counts, dropped = _count_on(scale, (truth, pred), weights, misfits)
    kept = None if weights is None else len(truth) - dropped.missing - dropped.unknown
    items = None if kept is None else np.array(kept, dtype=np.int64)
    origin = Origin(dropped, implied, weighted=weights is not None, items=items)
    return Counted(counts, scale, origin).warn_of_gaps()


class Moments(NamedTuple):
    """The losses of M models by one measure in U groups of items."""

    powers: Floats  # (4, U, M), sums of the losses and of their powers; of clusters (1, U, M)
    products: Floats  # (U, M, M), sums of the products of two models' losses; not of clusters
    alike: NDArray[np.bool_]  # (M, M), whether two models give all items the same probabilities


@dataclass(frozen=True, kw_only=True, eq=False)
class Items:
    """The true label and the predictions of several models, in positions, for the rows kept.

    A row is an item, or stands for several that are alike in every column.
    """

    scale: Scale
    y_true: Integers
    y_pred: dict[str, Integers]  # by model
    weights: Floats | None
    count: Integers  # how many items each row stands for
    kept: NDArray[np.bool_]  # which of the given rows these are
    dropped: dict[str, Dropped]  # labels that did not fit, by column
    left_out: int  # items that this cost
    implied: bool  # the scale was read off integers
    index: Index | None = None  # what names the given rows, if their container does
    prob: dict[str, Floats] = field(default_factory=dict)  # (n, K), of models that give them
    score: dict[str, Floats] = field(default_factory=dict)  # (n,), likewise
    shares: Floats | None = None  # (n, K), if the truth of an item is a distribution
    # Of groups of items whose losses were summed elsewhere, by the name of the measure.
    losses: Mapping[str, Moments] | None = None

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.count.sum())

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, whatever they give."""
        return tuple(dict.fromkeys([*self.y_pred, *self.prob, *self.score]))


def read_items(
    y_true: Any,
    y_pred: Mapping[str, Any],
    *,
    labels: Any = None,
    sample_weight: Any = None,
    count: Integers | None = None,
    misfits: Misfits = Misfits(),
    distinct: bool = False,
) -> Items:
    """Truth and the predictions of models on one scale; an item goes if one of its labels does.

    If only the ``distinct`` rows are wanted, and there can be few, they are counted at once.
    """
    columns = [as_column(y_true, "y_true"), *(as_column(x, name) for name, x in y_pred.items())]
    _check_lengths(columns)
    weights = read_weights(sample_weight, len(columns[0]))
    index = check_same_items(
        [("y_true", y_true), *y_pred.items(), ("sample_weight", sample_weight)]
    )
    scale, implied = resolve_scale(columns, labels)
    if distinct and weights is None and count is None and scale.k ** len(columns) <= _JOINT:
        return _distinct_items(scale, columns, misfits, implied=implied)
    codes = [scale.codes(column).astype(np.int64) for column in columns]
    count = np.ones(len(columns[0]), dtype=np.int64) if count is None else count
    kept, dropped = _fitting(scale, columns, codes, count, misfits)
    positions = [code[kept] for code in codes]
    if not kept.any():
        raise LabelError(_NOTHING_KEPT)
    if implied:
        warn_of_gaps(scale, positions)
    return Items(
        scale=scale,
        y_true=positions[0],
        y_pred=dict(zip(y_pred, positions[1:], strict=True)),
        weights=None if weights is None else weights[kept],
        count=count[kept],
        kept=kept,
        dropped=dropped,
        left_out=int(count[~kept].sum()),
        implied=implied,
        index=index,
    )


def _distinct_items(
    scale: Scale, columns: list[Column], misfits: Misfits, *, implied: bool
) -> Items:
    """The distinct rows of columns, in the order of their positions, and how many items have each.

    No array is as long as the columns.
    """
    shape = (scale.k,) * len(columns)
    counts = np.zeros(scale.k ** len(columns), dtype=np.int64)
    lost = [Dropped()] * len(columns)
    for part in chunks(len(columns[0])):
        codes = [scale.codes(column, part) for column in columns]
        if any(x.min() < 0 for x in codes):
            if not any(lost):
                for column in columns:
                    misfits.refuse(scale, column)
            fits = np.logical_and.reduce([x >= 0 for x in codes])
            gone = [int((x == MISSING).sum()) for x in codes]
            found = [Dropped(n, int((x < 0).sum()) - n) for x, n in zip(codes, gone, strict=True)]
            lost = [a + b for a, b in zip(lost, found, strict=True)]
            codes = [x[fits] for x in codes]
        counts += tally(fused(codes, shape), len(counts))
    rows = np.flatnonzero(counts)
    if not len(rows):
        raise LabelError(_NOTHING_KEPT)
    truth, *others = (x.astype(np.int64) for x in np.unravel_index(rows, shape))
    if implied:
        warn_of_gaps(scale, [truth, *others])
    dropped: dict[str, Dropped] = {}
    for column, n in zip(columns, lost, strict=True):
        if n:
            dropped[column.name] = dropped.get(column.name, Dropped()) + n
    count = counts[rows]
    return Items(
        scale=scale,
        y_true=truth,
        y_pred={c.name: x for c, x in zip(columns[1:], others, strict=True)},
        weights=None,
        count=count,
        kept=np.ones(len(rows), dtype=bool),
        dropped=dropped,
        left_out=len(columns[0]) - int(count.sum()),
        implied=implied,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PartlyLabelled:
    """Labels of N items in positions; of some the true one is not known."""

    scale: Scale
    y_true: Integers  # negative where it is not known
    others: dict[str, Integers]  # predictions, known for all items
    kept: NDArray[np.bool_]  # which of the given rows these are
    count: Integers  # how many items each of the kept rows stood for
    dropped: int  # items left out for labels that did not fit
    implied: bool  # the scale was read off integers
    index: Index | None = None  # what names the given rows, if their container does


def read_partly_labelled(
    y_true: Any,
    others: Mapping[str, Any],
    *,
    labels: Any = None,
    count: Integers | None = None,
    misfits: Misfits = Misfits(),
) -> PartlyLabelled:
    """Truth with gaps and other columns without, on one scale; one entry for each item."""
    columns = [as_column(y_true, "y_true"), *(as_column(x, name) for name, x in others.items())]
    _check_lengths(columns)
    index = check_same_items([("y_true", y_true), *others.items()])
    scale, implied = gapped_scale(columns, labels)
    codes = [scale.codes(column).astype(np.int64) for column in columns]
    count = np.ones(len(columns[0]), dtype=np.int64) if count is None else count
    if misfits.unknown == "raise" and (codes[0] == UNKNOWN).any():
        scale.refuse_misfits(columns[0], missing="drop", droppable=False)
    kept, _ = _fitting(scale, columns[1:], codes[1:], count, misfits)
    kept &= codes[0] != UNKNOWN
    if not kept.any():
        raise LabelError("there are no items with a label in every other column than the truth.")
    if implied:
        warn_of_gaps(scale, [code[kept] for code in codes])
    truth, *rest = (np.repeat(code[kept], count[kept]) for code in codes)
    return PartlyLabelled(
        scale=scale,
        y_true=truth,
        others=dict(zip(others, rest, strict=True)),
        kept=kept,
        count=count[kept],
        dropped=int(count[~kept].sum()),
        implied=implied,
        index=index,
    )


def gapped_scale(columns: list[Column], labels: Any) -> tuple[Scale, bool]:
    """The scale of columns; whole numbers that are floats because of gaps imply one too."""
    if labels is None and all(map(_is_whole, columns)):
        there = [c.values[~np.isnan(c.values)] for c in columns]
        gaps = sum(map(len, columns)) > sum(map(len, there))
        ends = [end for v in there if len(v) for end in (int(v.min()), int(v.max()))]
        if ends and gaps:
            return implied_range(min(ends), max(ends)), True
    return resolve_scale(columns, labels)


def _is_whole(column: Column) -> bool:
    values = column.values
    if column.categories is not None or values.dtype.kind not in "iuf":
        return False
    there = values[~np.isnan(values)]
    return bool((np.isfinite(there) & (there == np.floor(there))).all())


def _fitting(
    scale: Scale,
    columns: list[Column],
    codes: list[Integers],
    count: Integers,
    misfits: Misfits,
) -> tuple[NDArray[np.bool_], dict[str, Dropped]]:
    """Which rows have a label of the scale in every column, and what the others lack."""
    kept = np.ones(len(count), dtype=bool)
    dropped: dict[str, Dropped] = {}
    for column, code in zip(columns, codes, strict=True):
        if len(code) and code.min() < 0:
            misfits.refuse(scale, column)
            kept &= code >= 0
            gone = int(count[code == MISSING].sum())
            found = Dropped(gone, int(count[code < 0].sum()) - gone)
            dropped[column.name] = dropped.get(column.name, Dropped()) + found
    return kept, dropped


def _check_lengths(columns: list[Column]) -> None:
    first = columns[0]
    for other in columns[1:]:
        if len(other) != len(first):
            raise LabelError(
                f"{first.name} and {other.name} must have the same length; got {len(first)} and "
                f"{len(other)} labels."
            )


def read_weights(sample_weight: Any, n: int, *, column: str | None = None) -> Floats | None:
    """One finite, non-negative weight per item, or None; ``column`` is where they were read."""
    if sample_weight is None:
        return None
    what = "sample_weight" if column is None else f"the weights in {column!r}"
    sample_weight = off_device(sample_weight)
    if isinstance(sample_weight, (str, bytes)):
        raise LabelError(f"{what} must hold one number per item; got the text {sample_weight!r}.")
    if not hasattr(sample_weight, "__array__") and isinstance(sample_weight, Iterable):
        sample_weight = list(sample_weight)
    if not are_numbers(sample_weight):
        raise LabelError(f"{what} must be numbers, one per item: neither dates nor complex ones.")
    # In a list a masked number is NaN already; asking each for its mask takes far longer.
    as_array = np.asarray if isinstance(sample_weight, list) else np.ma.asarray
    try:
        weights = np.ma.filled(as_array(sample_weight, dtype=np.float64), np.nan)
    except (OverflowError, TypeError, ValueError) as error:
        raise LabelError(f"{what} must be numbers, one per item: {error}.") from None
    if weights.shape != (n,):
        raise LabelError(
            f"{what} must hold one number per item, {n} in all; "
            f"got an array of shape {weights.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        # Rows of a column are distinct and counted: their places mean nothing to the user.
        place = f" at position {bad[0]}" if column is None else ""
        raise LabelError(
            f"{what} must be finite and not negative; {plural(len(bad), 'weight')} "
            f"{'is' if len(bad) == 1 else 'are'} not, the first is {weights[bad[0]]}{place}."
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise LabelError(
                f"{what} sum to more than a float can hold; divide all of them by the same number."
            )
    return weights


def are_whole(weights: Floats) -> bool:
    """Whether weights are whole numbers, as numbers of items are; beyond 2**53 all floats are."""
    return bool((weights % 1 == 0).all() and weights.max(initial=0.0) < 2**53)


def are_numbers(values: Any) -> bool:
    """Whether values are no dates, durations or complex numbers, which NumPy would convert."""
    kind = np.asarray(values).dtype.kind
    first = next(iter(np.asarray(values, dtype=object).ravel()), None) if kind == "O" else None
    return kind not in "mMc" and not hasattr(first, "isoformat") and not isinstance(first, complex)


def _is_plain_integer(column: Column) -> bool:
    return column.categories is None and column.values.dtype.kind in "iub" and len(column) > 0


def _count_on(
    scale: Scale, pair: tuple[Column, Column], weights: Floats | None, misfits: Misfits
) -> tuple[NDArray[Any], Dropped]:
    refused = {
        code
        for code, policy in ((UNKNOWN, misfits.unknown), (MISSING, misfits.missing))
        if policy == "raise"
    }
    counts = np.zeros(scale.k**2, dtype=np.int64 if weights is None else np.float64)
    dropped = Dropped()
    for part in chunks(len(pair[0])):
        t, p = (scale.codes(column, part) for column in pair)
        w = None if weights is None else weights[part]
        if t.min() < 0 or p.min() < 0:
            for column, codes in zip(pair, (t, p), strict=True):
                if any((codes == code).any() for code in refused):
                    misfits.refuse(scale, column)
            gone = (t == MISSING) | (p == MISSING)
            fits = (t >= 0) & (p >= 0)
            dropped += Dropped(int(gone.sum()), int((~gone & ~fits).sum()))
            t, p, w = t[fits], p[fits], None if w is None else w[fits]
        counts += tally(fused((t, p), (scale.k, scale.k)), scale.k**2, w)
    return counts.reshape(scale.k, scale.k), dropped


def _count_growing(truth: NDArray[Any], pred: NDArray[Any]) -> Counted:
    """Count integers in one pass, on a scale that grows to the ends that turn up."""
    scale = None
    counts = np.zeros((0, 0), dtype=np.int64)
    for part in chunks(len(truth)):
        t, p = truth[part], pred[part]
        t, p = narrowed(t), narrowed(p)
        low, high = min(int(t.min()), int(p.min())), max(int(t.max()), int(p.max()))
        if scale is None or low not in scale or high not in scale:
            scale, counts = _grow(scale, counts, low, high)
        t, p = (scale.codes_of_fitting(x, _first(scale)) for x in (t, p))
        counts += tally(fused((t, p), (scale.k, scale.k)), scale.k**2).reshape(counts.shape)
    assert scale is not None
    return Counted(counts, scale, Origin(implied=True))


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
