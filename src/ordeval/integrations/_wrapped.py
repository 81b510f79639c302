"""Checks that every adapter makes before it wraps a measure."""

from __future__ import annotations

import re

from ordeval.data.scale import Scale
from ordeval.measures import Metric, get_metric
from ordeval.measures.registry import refuse_other_needs


def measure_on(metric: str | Metric, scale: Scale) -> Metric:
    """Return a measure of labels or probabilities whose parameters fit the scale."""
    found = get_metric(metric)
    if found.needs == "ratings":
        refuse_other_needs(found)
    found.checked_on(scale, {})
    return found


def plain_name(metric: str) -> str:
    """Return the measure's name in letters, digits and underscores, which every tool accepts."""
    return re.sub(r"\W+", "_", metric).strip("_")
