"""Items of which humans labelled some, with proxy labels for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.data.columns import Column
from ordeval.data.counts import Dropped
from ordeval.data.items import Items, Misfits, read_weights
from ordeval.data.positions import RAISED, UNKNOWN, read_positions
from ordeval.data.scale import Scale, implied_range, resolve_scale, warn_of_gaps, warn_of_shift
from ordeval.exceptions import LabelError


class PartialTruth(NamedTuple):
    """What is known of items of which humans labelled some: the truth of the others is negative."""

    proxies: Integers  # (n, P), labels that all items have, such as those of a judge
    inclusion: Floats | None = None  # (n,), how likely it was that a human was asked
    within: Integers | None = None  # (n,), the stratum within which items were chosen at random


def read_partial_items(
    y_true: Column,
    y_pred: Mapping[str, Column],
    proxies: Mapping[str, Column],
    *,
    labels: Any = None,
    misfits: Misfits = RAISED,
) -> Items:
    """Predictions and proxies of all items, and the truth of those that humans labelled."""
    columns = [y_true, *y_pred.values(), *proxies.values()]
    scale, implied = gapped_scale(columns, labels)
    gaps = Misfits(misfits.unknown, "drop", droppable=False)
    (given,) = read_positions(scale, columns[:1], gaps).codes
    found = read_positions(scale, columns[1:], misfits)
    kept = found.fits & (given != UNKNOWN)
    truth, *codes = (code[kept].astype(np.int64) for code in (given, *found.codes))
    if not (truth >= 0).any():
        raise LabelError(
            "no item has a human label. At least two randomly chosen items need one. "
            "Without any, nothing is known of the proxy's errors."
        )
    if implied:
        known = truth[truth >= 0]
        warn_of_gaps(scale, [known, *codes])
        for i, code in enumerate(codes):
            if not any(np.array_equal(code, other) for other in codes[:i]):  # named once
                warn_of_shift(scale, known, code, columns[i + 1].name)
    count = np.ones(len(given), dtype=np.int64) if y_true.count is None else y_true.count
    return Items(
        scale=scale,
        y_true=np.maximum(truth, -1),
        y_pred=dict(zip(y_pred, codes, strict=False)),
        weights=None,
        count=count[kept],
        kept=kept,
        dropped=found.by_column,
        lost=Dropped(missing=int(count[~kept].sum())),
        implied=implied,
        partial=PartialTruth(np.stack(codes[len(y_pred) :], axis=1)),
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


def read_inclusion(values: Any, column: str) -> Floats:
    """How likely it was that each item was chosen for a human label."""
    found = read_weights(values, len(values), column=column)
    assert found is not None
    if not ((found > 0) & (found <= 1)).all():
        worst = found[(found <= 0) | (found > 1)][0]
        raise LabelError(
            f"{column} must hold probabilities above 0 and at most 1: how likely each item was to "
            f"be chosen for a human label; got {worst:g}."
        )
    return found
