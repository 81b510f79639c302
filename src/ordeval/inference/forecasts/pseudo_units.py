"""Items that are added to probabilities and scores: the pseudo-unit, and what may go unseen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.ends.range_ends import unseen_items
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import by_unit
from ordeval.inference.samples import Sample

# The values (C, 2) with so many items of each true class, forecast as well or as badly as can be.
With = Callable[[float], Floats]


def items_of_a_unit(sample: Sample, rows: Floats | None = None) -> Floats:
    """How many items the pseudo-unit of each model weighs: as many as say what one item would.

    Items of a cluster with different contributions (U, M) carry nearly as much information as
    independent items (the design effect of Kish 1965); a whole cluster would be too much.
    """
    most = sample.items / sample.known
    if rows is None:
        return np.full(sample.models, most)
    least = sample.one_item
    each = sample.count @ (rows * sample.share[:, None]) ** 2
    together, _ = by_unit(rows, sample)
    alike = (together**2).sum(axis=0) / np.where(each > 0, each, np.nan)
    return np.asarray(np.clip(np.nan_to_num(least * alike, nan=most), least, most))


def reached(value: float, with_items: With, sample: Sample, tail: float) -> tuple[float, float]:
    """The least and the largest value that perfect forecasts of a sample cannot exclude."""
    badly = with_items(unseen_items(sample, tail))[:, 1]
    return min(value, float(badly.min())), max(value, float(badly.max()))


def apart(with_items: With, sample: Sample) -> Unseen:
    """What two models that forecast every item alike differ by at most."""

    def reach(amount: float) -> float:
        well, badly = with_items(amount).T
        return float(np.abs(badly - well).max())

    return Unseen(reach, sample.known, sample.items)
