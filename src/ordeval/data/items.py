"""Labels in memory: read, put on one scale, counted or turned into positions.

Counting goes through the labels in chunks that fit a processor's cache, so the extra memory does
not grow with the number of items. Every function warns if a scale that integers imply has gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import listed
from ordeval._shared.text import plural
from ordeval._shared.types import Floats, Integers
from ordeval.data.columns import Column, as_column, off_device
from ordeval.data.counts import LabelCounts, Origin
from ordeval.data.numbering import chunks, fused, narrowed, tally
from ordeval.data.positions import RAISED, Dropped, Misfits as Misfits, read_positions
from ordeval.data.same_items import Index, check_same_items
from ordeval.data.scale import Scale, implied_range, resolve_scale, warn_of_gaps, warn_of_shift
from ordeval.exceptions import LabelError

if TYPE_CHECKING:
    from ordeval.data.populations.partial_truth import PartialTruth
    from ordeval.data.populations.shares import Strata

# Distinct rows that are counted by their number, rather than as items, one by one.
_JOINT: Final = 1 << 16


def count_labels(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    misfits: Misfits = RAISED,
) -> LabelCounts:
    """Count the items by true and predicted label."""
    columns, _ = columns_of(y_true, {"y_pred": y_pred}, sample_weight)
    truth, pred = columns
    weights = read_weights(sample_weight, len(truth))
    plain = weights is None and _is_plain_integer(truth) and _is_plain_integer(pred)
    if plain and labels is None:
        counted = _count_growing(truth.values, pred.values)
        return counted.warn_of_gaps().warn_of_shift(pred.name)
    scale, implied = resolve_scale(columns, labels)
    counts, dropped, _ = joint_counts(scale, columns, misfits, weights)
    items = None if weights is None else np.array(len(truth) - dropped.items, dtype=np.int64)
    origin = Origin(dropped, implied, weighted=weights is not None, items=items)
    return LabelCounts(counts, scale, origin).warn_of_gaps().warn_of_shift(pred.name)


class JointCounts(NamedTuple):
    """How often labels met each other, and the items that lacked one."""

    counts: NDArray[Any]  # (K, K, ...), one axis per column
    dropped: Dropped
    by_column: dict[str, Dropped]


def joint_counts(
    scale: Scale, columns: list[Column], misfits: Misfits, weights: Floats | None = None
) -> JointCounts:
    """How many items, or what weight, has each combination of labels of some columns."""
    shape = (scale.k,) * len(columns)
    counts = np.zeros(scale.k ** len(columns), np.int64 if weights is None else np.float64)
    dropped, by_column = Dropped(), dict[str, Dropped]()
    for part in chunks(len(columns[0])):
        found = read_positions(scale, columns, misfits, part)
        codes, w = found.codes, None if weights is None else weights[part]
        if not found.complete:
            fits = found.fits
            codes, w = [x[fits] for x in codes], None if w is None else w[fits]
            dropped += found.dropped
            for name, lost in found.by_column.items():
                by_column[name] = by_column.get(name, Dropped()) + lost
        del found  # or its arrays would be held while the next part is read
        counts += tally(fused(codes, shape), len(counts), w)
    return JointCounts(counts.reshape(shape), dropped, by_column)


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
    lost: Dropped  # items that this cost, each counted once
    implied: bool  # the scale was read off integers
    index: Index | None = None  # what names the given rows, if their container does
    prob: dict[str, Floats] = field(default_factory=dict)  # (n, K), of models that give them
    score: dict[str, Floats] = field(default_factory=dict)  # (n,), likewise
    shares: Floats | None = None  # (n, K), if the truth of an item is a distribution
    # Of groups of items whose losses were summed elsewhere, by the name of the measure.
    losses: Mapping[str, Moments] | None = None
    strata: Strata | None = None  # of another population than the data
    population: str = ""  # which one, in words
    partial: PartialTruth | None = None  # if the truth of some items is not known

    @property
    def left_out(self) -> int:
        """The number of items that were dropped."""
        return self.lost.items

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.count.sum())

    @property
    def weight(self) -> float | None:
        """What the items weigh in all, if they were given weights."""
        if self.weights is None or self.strata is not None:
            return None
        return float(self.weights @ self.count)

    @property
    def known(self) -> str:
        """How many items have a true label, if not all have, and how they must be chosen."""
        if self.partial is None:
            return ""
        known = int(self.count[self.y_true >= 0].sum())
        said = f"{known:,} of {self.n:,} items have a human label."
        if known == self.n:
            return said
        if self.partial.inclusion is not None:
            return f"{said} Values hold if the inclusion probabilities are right."
        within = " within each stratum" * (self.partial.within is not None)
        return f"{said} Values hold if these are a random subset of all items{within}."

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
    misfits: Misfits = RAISED,
    distinct: bool = False,
) -> Items:
    """Truth and the predictions of models on one scale; an item goes if one of its labels does.

    If only the ``distinct`` rows are wanted, and there can be few, they are counted at once.
    """
    columns, index = columns_of(y_true, y_pred, sample_weight)
    weights = read_weights(sample_weight, len(columns[0]))
    scale, implied = resolve_scale(columns, labels)
    single = weights is None and columns[0].count is None
    if distinct and single and scale.k ** len(columns) <= _JOINT:
        items = items_of_counts(scale, list(y_pred), joint_counts(scale, columns, misfits))
        items = replace(items, implied=implied)
    else:
        found = read_positions(scale, columns, misfits)
        kept, count = found.fits, found.items
        truth, *others = (code[kept].astype(np.int64) for code in found.codes)
        items = Items(
            scale=scale,
            y_true=truth,
            y_pred=dict(zip(y_pred, others, strict=True)),
            weights=None if weights is None else weights[kept],
            count=count[kept],
            kept=kept,
            dropped=found.by_column,
            lost=found.dropped,
            implied=implied,
            index=index,
        )
    if not len(items.y_true):
        raise LabelError("no item has a label in every column.")
    if implied:
        warn_of_gaps(scale, [items.y_true, *items.y_pred.values()])
        for name, pred in items.y_pred.items():
            warn_of_shift(scale, items.y_true, pred, name)
    return items


def items_of_counts(scale: Scale, models: Sequence[str], joint: JointCounts) -> Items:
    """The distinct rows of what was counted, in the order of their positions."""
    truth, *others = (x.astype(np.int64) for x in np.nonzero(joint.counts))
    count = joint.counts[(truth, *others)]
    return Items(
        scale=scale,
        y_true=truth,
        y_pred=dict(zip(models, others, strict=True)),
        weights=None,
        count=count,
        kept=np.ones(len(count), dtype=bool),
        dropped=joint.by_column,
        lost=joint.dropped,
        implied=False,
    )


def columns_of(
    y_true: Any, others: Mapping[str, Any], sample_weight: Any = None
) -> tuple[list[Column], Index | None]:
    """Columns of the same items, one label for each, and what names the items."""
    given = [("y_true", y_true), *others.items()]
    columns = [as_column(x, name) for name, x in given]
    first = columns[0]
    for other in columns[1:]:
        if len(other) != len(first):
            raise LabelError(
                f"{first.name} and {other.name} must have the same length; got {len(first)} and "
                f"{len(other)} labels."
            )
    return columns, check_same_items([*given, ("sample_weight", sample_weight)])


def read_weights(sample_weight: Any, n: int, *, column: str | None = None) -> Floats | None:
    """One finite, non-negative weight per item, or None; ``column`` is where they were read."""
    if sample_weight is None:
        return None
    what = "sample_weight" if column is None else f"the weights in {column!r}"
    sample_weight = off_device(sample_weight)
    if isinstance(sample_weight, (str, bytes)):
        raise LabelError(f"{what} must hold one number per item; got the text {sample_weight!r}.")
    if not hasattr(sample_weight, "__array__") and isinstance(sample_weight, Iterable):
        sample_weight = listed(sample_weight, "sample_weight", LabelError, "one number per item")
    if _is_ragged(sample_weight):
        raise LabelError(f"{what} must hold one number per item; got lists of different lengths.")
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


def _is_ragged(values: Any) -> bool:
    """Whether a list holds lists of different lengths, of which NumPy makes no array."""
    listed = values if isinstance(values, list) else []
    return len({len(x) if isinstance(x, (list, tuple)) else 0 for x in listed}) > 1


def are_whole(weights: Floats) -> bool:
    """Whether weights are whole numbers, as numbers of items are; beyond 2**53 all floats are."""
    return bool((weights % 1 == 0).all() and weights.max(initial=0.0) < 2**53)


def are_numbers(values: Any) -> bool:
    """Whether values are no dates, durations or complex numbers, which NumPy would convert."""
    try:
        kind = np.asarray(values).dtype.kind
    except ValueError:  # rows of different lengths
        return False
    first = next(iter(np.asarray(values, dtype=object).ravel()), None) if kind == "O" else None
    return kind not in "mMc" and not hasattr(first, "isoformat") and not isinstance(first, complex)


def _is_plain_integer(column: Column) -> bool:
    return column.categories is None and column.values.dtype.kind in "iub" and len(column) > 0


def _count_growing(truth: NDArray[Any], pred: NDArray[Any]) -> LabelCounts:
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
    return LabelCounts(counts, scale, Origin(implied=True))


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
