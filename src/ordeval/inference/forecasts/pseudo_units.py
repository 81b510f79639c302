"""How much the pseudo-unit of probabilities and scores weighs."""

from __future__ import annotations

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.influence import by_unit
from ordeval.inference.samples import Sample


def items_of_a_unit(sample: Sample, rows: Floats | None = None) -> Floats:
    """How many items the pseudo-unit of each model weighs: as many as say what one item would.

    Items of a cluster that are not alike, by what each row contributes (U, M), say nearly as much
    as items that stand alone (the design effect of Kish 1965); a whole cluster would be too much.
    """
    most = sample.items / sample.known
    if rows is None:
        return np.full(sample.models, most)
    least = sample.one_item
    each = sample.count @ (rows * sample.share[:, None]) ** 2
    together, _ = by_unit(rows, sample)
    alike = (together**2).sum(axis=0) / np.where(each > 0, each, np.nan)
    return np.asarray(np.clip(np.nan_to_num(least * alike, nan=most), least, most))
