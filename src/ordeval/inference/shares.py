"""The interval of a share of some of the items, such as of those above a cut, from these alone.

A share is the accuracy of saying yes to every item that it is a share of, and has its interval. The
other items say nothing about it. Seen from the side with more items, it is honest at both ends of
its range: none in n units is at most 1 - tail^(1/n) (Clopper & Pearson 1934).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.inference import t_intervals as alone
from ordeval.inference.influence import contributions
from ordeval.inference.range_ends import at_an_end, reach
from ordeval.inference.samples import Sample
from ordeval.inference.t_intervals import Alone
from ordeval.measures import Metric
from ordeval.measures.nominal import accuracy


class Share(NamedTuple):
    """A share and the ends of its interval, NaN where there are none."""

    value: float
    low: float
    high: float


def share_of(
    sample: Sample, part: NDArray[np.bool_], yes: NDArray[np.bool_], level: float
) -> Share:
    """The share of the rows ``yes`` among the rows ``part`` of a sample."""
    items, yes = sample.take(part), yes[part]
    weight = items.share * items.count
    total, above = float(weight.sum()), float(weight[yes].sum())
    if sample.units < 2 or not total:
        return Share(above / total if total else np.nan, np.nan, np.nan)
    if above >= total - above:
        return Share(above / total, *_ends(items, yes, level))
    low, high = _ends(items, ~yes, level)
    return Share(above / total, 1 - high, 1 - low)


def _ends(items: Sample, yes: NDArray[np.bool_], level: float) -> tuple[float, float]:
    """The interval of the share of a half or more that says yes."""
    tail = (1 - level) / 2
    calls = replace(
        items,
        truth=np.ones_like(items.truth),
        predictions=yes[:, None].astype(np.int64),
        k=2,
        stratify=False,
    )
    value = float(accuracy.values(calls.matrices[0]))
    least = reach(accuracy, calls, 0, tail)[0] if at_an_end(accuracy, 2, value) else 0.0
    if calls.units < 2:  # of one unit nothing is known but what was seen
        return least, 1.0
    found = Alone.of(contributions(accuracy, calls))
    low, high = (float(end[0]) for end in alone.t_ends(accuracy, 2, found, (tail, tail)))
    return min(max(low, least), value), max(high, value)


def measured_share(metric: Metric, sample: Sample, model: int, level: float) -> Share:
    """A measure that is a share of the items of some cells."""
    assert metric.share is not None
    params = metric.check_parameters({}, sample.k)
    part, yes = (mask.ravel()[sample.cells[:, model]] for mask in metric.share(sample.k, **params))
    return share_of(sample, part, yes, level)
