"""The scale on which an interval is made: where a measure's values spread alike all over its range.

Near an end of its range a measure cannot move further out, so its plain interval would be too short
on one side and leave the range on the other. On the scale of the link it is symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures import Metric

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Link:
    """A scale: the way there, its slope, and the way back."""

    name: str
    there: Function
    slope: Function
    back: Function


def _same(x: Any) -> Any:
    return x


PLAIN: Final = Link("plain", _same, np.ones_like, _same)
LOG: Final = Link("log", np.log, lambda x: 1 / np.asarray(x), lambda z: np.exp(np.minimum(z, 700)))


def logit(low: float, high: float) -> Link:
    """The log-odds of the place in a range; for [-1, 1] that is twice Fisher's z.

    >>> link = logit(-1, 1)
    >>> round(float(link.there(0.5)), 4), float(link.back(0.0))
    (1.0986, 0.0)
    """
    span = high - low

    def there(x: Any) -> Floats:
        return np.log(np.asarray(x) - low) - np.log(high - np.asarray(x))

    def slope(x: Any) -> Floats:
        return span / ((np.asarray(x) - low) * (high - np.asarray(x)))

    def back(z: Any) -> Floats:
        return np.asarray(low + span / (1 + np.exp(-np.clip(z, -500, 500))))

    return Link("logit", there, slope, back)


def link_of(metric: Metric, k: int, centre: float) -> Link:
    """The scale for a measure on K classes, around this value."""
    low, high = metric.range.at(k)
    if metric.perfect is None or not low < centre:
        # If the largest value depends on the class sizes, the end of the range says nothing.
        return PLAIN
    if centre < high < np.inf and low > -np.inf:
        return logit(low, high)
    return LOG if low == 0 else PLAIN
