"""The interval of a share of some of the items, such as of those above a cut, from these alone.

A share is the accuracy of a prediction "yes" for every item of its class; the other items are
ignored. Computed from the side with more items, the interval is accurate at both ends of its range:
none in n units is at most 1 - tail^(1/n) (Clopper & Pearson 1934).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.inference.ends.t_intervals import ends_of_calls
from ordeval.inference.sample_stacks import Grouped
from ordeval.inference.samples import Sample
from ordeval.measures import Metric


class ShareEnds(NamedTuple):
    """A share and the ends of its interval, NaN where there are none."""

    value: float
    low: float
    high: float


def share_of(
    sample: Sample, part: NDArray[np.bool_], yes: NDArray[np.bool_], level: float
) -> ShareEnds:
    """The share of the rows ``yes`` among the rows ``part`` of a sample."""
    items, yes = sample.take(part), yes[part]
    weight = items.share * items.count
    total, above = float(weight.sum()), float(weight[yes].sum())
    if sample.units < 2 or not total:
        return ShareEnds(above / total if total else np.nan, np.nan, np.nan)
    turned = above < total - above
    calls = Grouped.one(items.called(yes ^ turned))
    low, high = (float(end[0]) for end in ends_of_calls(calls, level))
    return ShareEnds(above / total, *((1 - high, 1 - low) if turned else (low, high)))


def measured_share(metric: Metric, sample: Sample, model: int, level: float) -> ShareEnds:
    """A measure that is a share of the items of some cells."""
    assert metric.share is not None
    params = metric.check_parameters({}, sample.k)
    part, yes = (mask.ravel()[sample.cells[:, model]] for mask in metric.share(sample.k, **params))
    return share_of(sample, part, yes, level)
