"""Do measures agree about which model is better, and what does each of them look at?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.measures import Metric


def rank_agreement(utilities: Any) -> Floats:
    """Kendall's tau-b between the rankings of models (columns) by measures (rows).

    NaN where a measure ranks all models alike.
    """
    u = np.round(np.asarray(utilities, dtype=np.float64), 12)  # rounding makes no difference
    # A model without a value comes last.
    floor = np.nanmin(u, axis=1, keepdims=True, initial=0.0) - 1.0
    u = np.where(np.isnan(u), floor, u)
    a, b = u[:, :, None], u[:, None, :]  # infinite losses can be compared, but not subtracted
    pairs = ((a > b).astype(np.float64) - (a < b)).reshape(len(u), -1)
    together = pairs @ pairs.T
    untied = np.diagonal(together)
    scale = np.sqrt(np.outer(untied, untied))
    return np.where(scale > 0, together / np.where(scale > 0, scale, 1.0), np.nan)


@lru_cache(maxsize=256)
def looks_at(metric: Metric) -> frozenset[str]:
    """What changes the measure: found by trying, so that it holds for a user's measure too.

    ``"order"``: renaming the classes out of order; ``"distance"``: an error moved farther away;
    ``"shift"``: all predictions one class too high; ``"class sizes"``: larger classes count more;
    ``"cost"``: it is of the cost family.
    """
    base = np.array([[9, 3, 1, 0], [2, 8, 3, 1], [1, 2, 7, 4], [1, 0, 3, 9]], dtype=np.int64)
    farther = base.copy()
    farther[0, 1] -= 2
    farther[0, 3] += 2
    renamed = base[np.ix_([1, 3, 0, 2], [1, 3, 0, 2])]
    shifted = np.diag([5, 5, 5], k=1)
    straight = np.diag([5, 5, 5, 0])
    larger = base * np.array([[1], [5], [1], [3]])
    probes = {
        "order": (base, renamed),
        "distance": (base, farther),
        "shift": (straight, shifted),
        "class sizes": (base, larger),
    }
    seen = {name for name, (a, b) in probes.items() if _differ(metric, a, b)}
    if "order" not in seen:
        seen.discard("distance")  # it saw the sizes of the predicted classes change
    if metric.family == "cost":
        seen |= {"cost", "shift"}  # the probe of the shift leaves a class empty
    return frozenset(seen)


def _differ(metric: Metric, a: NDArray[Any], b: NDArray[Any]) -> bool:
    x, y = (float(metric.values(m)) for m in (a, b))
    return not (abs(x - y) < 1e-9 or (x != x and y != y))


def reason_to_differ(first: Metric, second: Metric) -> str:
    """Why two measures may order two models differently, in words."""
    of_labels = [m for m in (first, second) if m.needs == "labels"]
    if len(of_labels) == 1:
        other = second if of_labels[0] is first else first
        label = of_labels[0].display
        return f"{other.display} looks at the probabilities, {label} at what they lead to"
    if not of_labels:
        return f"{first.display} and {second.display} weigh the same errors differently"
    a, b = looks_at(first), looks_at(second)
    for aspect, text in _REASONS:
        if (aspect in a) != (aspect in b):
            sees, other = (first, second) if aspect in a else (second, first)
            return text.format(sees=sees.display, other=other.display)
    return f"{first.display} and {second.display} weigh the same errors differently"


_REASONS = (
    ("shift", "{other} cannot see a shift of all predictions, {sees} can"),
    ("class sizes", "{sees} moves with the class sizes, {other} does not"),
    ("cost", "{sees} counts what errors cost by class size, {other} does not"),
    ("order", "{sees} looks at the order of the classes, {other} does not"),
    ("distance", "{sees} looks at how far off an error is, {other} does not"),
)


@lru_cache(maxsize=256)
def is_mean_of_classes(metric: Metric, k: int) -> bool:
    """Whether a measure of labels is a mean of the values of the true classes that occur.

    Costs and other parameters may fit only one number of classes, which is ``k``.
    """
    if metric.needs != "labels" or metric.family not in ("accuracy", "distance"):
        return False
    first, second = np.zeros((2, k, k))
    first[0, :2], second[1, :2] = (9, 4), (2, 5)
    with np.errstate(all="ignore"):
        both, *alone = np.asarray(metric.values(np.stack([first + second, first, second])))
    return bool(np.isclose(both, np.mean(alone)) and not np.isclose(*alone))
