"""Values that are judged each separately, many at once: centres, errors and t intervals as arrays.

Nothing here loops over the samples that the values are of, unless they have very many classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.cell_influence import (
    ValueOf,
    cells_of,
    cut_of,
    freedom_of,
    freedom_of_sides,
)
from ordeval.inference.ends.links import PLAIN, Link, link_of
from ordeval.inference.ends.range_ends import LowHigh, each_reach, ends_reached, held, unseen
from ordeval.inference.influence import NOISE, Contributions, by_random_groups, without_noise
from ordeval.inference.sample_stacks import Mask, Parts, Stack
from ordeval.measures import Metric
from ordeval.measures.nominal import accuracy

_STILL: Final = 1e-12
BothTails = tuple[Any, Any]  # beyond the lower and the upper end: numbers, or arrays (G,)


@dataclass(frozen=True, eq=False)
class Alone:
    """G values of one measure, each separately."""

    values: Floats  # (G,), of the data as they are
    centre: Floats  # (G,), with the pseudo-unit
    errors: Floats  # (G,)
    freedom: Floats  # (G,)
    bias: Floats  # (G,), how much too large the centre is on average

    @classmethod
    def of(cls, found: Contributions, models: Any = slice(None)) -> Alone:
        """The values of all models whose contributions are known, or of some of them."""
        columns = (found.values, found.centre, found.errors, found.own_freedom, found.bias)
        return cls(*(x[models] for x in columns))

    @classmethod
    def joined(cls, parts: list[Alone]) -> Alone:
        """Several of them as one."""
        columns = zip(*(vars(p).values() for p in parts), strict=True)
        return cls(*map(np.concatenate, columns))


def each_alone(value: ValueOf, stack: Stack, values: Floats, cut: int | None = None) -> Alone:
    """The values of several samples; each must hold some items."""
    if stack.in_groups:
        each = zip(stack.samples(), values[:, None], strict=True)
        return Alone.joined([Alone.of(by_random_groups(value, s, v)) for s, v in each])
    cells = cells_of(value, stack.matrices, stack.mass, stratify=stack.stratify, cut=cut)
    units = stack.units
    second, fourth = stack.powers(cells.table)
    safe = np.where(units > 1, units - 1, np.nan)  # of one unit nothing can be said
    errors = np.sqrt(units / safe * second + cells.variance)
    freedom = freedom_of(second / units, fourth / units, units)
    return Alone(values, cells.centre, errors, freedom, cells.bias)


def measured(metric: Metric, stack: Stack) -> Alone:
    """The values of several samples by a measure."""
    cut = cut_of(metric, stack.k)
    found = each_alone(metric.values, stack, np.asarray(metric.values(stack.counts)), cut)
    values, centre = (without_noise(metric, stack.k, x) for x in (found.values, found.centre))
    found = replace(found, values=values, centre=centre)
    if cut is None:
        return found
    most = np.maximum(np.asarray(stack.units, dtype=np.float64) - 1, 1.0)
    return replace(found, freedom=freedom_of_sides(stack.matrices.sum(axis=-1), cut, most))


def _estimated(metric: Metric, k: int, found: Alone) -> tuple[Floats, Floats]:
    """What the values are estimated by, less half of their bias or all of it, and the errors.

    All of it is taken off biased measures, and off those that seek a path: among many paths that
    are nearly as good, the one that a sample favours is on average better than it is. A measure
    that seeks its best path, or the largest of several values, is biased by about as much as it
    spreads, and how much of the bias a sample shows varies too. Of others it is next to nothing.
    """
    low, high = metric.range.at(k)
    if metric.biased:
        return np.maximum(found.centre - found.bias, low), found.errors
    taken = found.bias * bias_taken_off(metric)
    less = found.centre - taken
    # What rounding leaves next to an end is no place within the range.
    noise = NOISE * (high - low) if np.isfinite(high - low) else 0.0
    inside = (less - low > noise) & (high - less > noise)
    return np.where(inside, less, found.centre), np.hypot(found.errors, taken)


def bias_taken_off(metric: Metric) -> float:
    """How much of the bias the centre is corrected for: all of it if the measure seeks a path."""
    return 1.0 if metric.family == "path" else 0.5


def t_ends(
    metric: Metric, k: int, found: Alone, tails: BothTails, link: Link | None = None
) -> tuple[Floats, Floats]:
    """The t intervals with these two tails, by default on the scale of the measure's link."""
    from scipy.special import stdtrit

    centre, errors = _estimated(metric, k, found)
    reach = [stdtrit(found.freedom, 1 - np.broadcast_to(t, centre.shape)) for t in tails]
    low, high = np.full_like(centre, np.nan), np.full_like(centre, np.nan)
    every = [(link, np.ones(centre.shape, dtype=bool))] if link else links(metric, k, centre)
    for link, rows in every:
        c = centre[rows]
        place, error = link.there(c), errors[rows] * link.slope(c)
        low[rows] = link.back(place - reach[0][rows] * error)
        high[rows] = link.back(place + reach[1][rows] * error)
    return low, high


def links(metric: Metric, k: int, centre: Floats) -> Iterator[tuple[Link, Mask]]:
    """The links of some values, each with the values whose link it is."""
    if metric.biased:
        yield PLAIN, np.ones(centre.shape, dtype=bool)
        return
    low, high = metric.range.at(k)
    # Which link it is depends on whether a value lies within the ends of the range.
    side = 2 * (low < centre) + (centre < high)
    for s in np.unique(side):
        yield link_of(metric, k, float(centre[side == s][0])), side == s


def ends(metric: Metric, stack: Parts, found: Alone, level: float) -> tuple[Floats, Floats]:
    """The intervals of the values of several samples, by the rules of ``confidence_interval``.

    Ends are NaN where no interval would hold.
    """
    k, tail = stack.k, (1 - level) / 2
    if metric.share is not None:
        return _ends_of_share(metric, stack, level)
    if metric.by_class is not None:
        low, high = held(_ends_by_class(metric, stack, tail), found.values, metric.range.at(k))
    else:

        def reach(rows: Mask) -> LowHigh:
            each = stack.unit[rows]
            amounts = unseen(stack.items[rows] / each, tail) * each
            return each_reach(metric.values, stack.matrices[rows], amounts)

        low, high = within_reach(metric, k, found, tail, reach)
    none = (stack.units < 2) | (metric.biased & (stack.items < k**2)) | np.isnan(found.values)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def within_reach(
    metric: Metric,
    k: int,
    found: Alone,
    tail: float,
    reach: Callable[[Mask], LowHigh],
    *,
    outside: bool = False,
) -> tuple[Floats, Floats]:
    """The t intervals of some values, within the range of the measure.

    ``reach`` holds the values at the end of the range that the data cannot exclude. Values
    ``outside`` of the range, which gaps in the data make, are on no link's scale.
    """
    possible, link = (metric.range, PLAIN) if outside else (metric.range.at(k), None)
    values, made = found.values, t_ends(metric, k, found, (tail, tail), link)
    least, largest = (np.full(len(values), end) for end in possible)
    low, high = (np.array(end) for end in made)
    at_end = ends_reached(metric, k, values)
    if at_end.any():
        least[at_end], largest[at_end] = reach(at_end)
        # Where not even the pseudo-item moves a value off its end, the reach alone says how far.
        still = at_end & (high - low <= _STILL)
        low[still], high[still] = least[still], largest[still]
    return held((low, high), values, (least, largest))


def _ends_of_share(metric: Metric, stack: Parts, level: float) -> tuple[Floats, Floats]:
    """The intervals of shares, from their own items; the others are ignored.

    A share is seen from the side with more items, and is honest at both ends of its range: none in
    n units is at most 1 - tail^(1/n) (Clopper & Pearson 1934).
    """
    assert metric.share is not None
    part, yes = metric.share(stack.k, **metric.check_parameters({}, stack.k))
    hits, rest = ((stack.matrices * (part & x)).sum(axis=(-2, -1)) for x in (yes, ~yes))
    there, turned = hits + rest > 0, rest > hits
    low, high = np.full((2, len(hits)), np.nan)
    if there.any():
        call = np.where(part, yes ^ turned[:, None, None], -1)
        low[there], high[there] = ends_of_calls(stack.calls(call, there), level)
    low[stack.units < 2] = high[stack.units < 2] = np.nan
    return np.where(turned, 1 - high, low), np.where(turned, 1 - low, high)


def ends_of_calls(calls: Parts, level: float) -> tuple[Floats, Floats]:
    """The intervals of shares of a half or more: how often yes is said, which is always right."""
    found = measured(accuracy, calls)
    low, high = ends(accuracy, calls, found, level)
    # Of one unit nothing is known but what was seen.
    least = np.where(ends_reached(accuracy, 2, found.values), (1 - level) / 2, 0.0)
    single = calls.units == 1
    return np.where(single, least, low), np.where(single, 1.0, high)


def _ends_by_class(metric: Metric, stack: Parts, tail: float) -> tuple[Floats, Floats]:
    """The intervals of the largest or smallest of the classes' values, or of a mean of two."""
    assert metric.by_class is not None
    combine, k = metric.by_class.combine, stack.k
    there = np.asarray(stack.matrices.any(axis=-1))  # (G, K)
    share = tail / there.sum(axis=-1)
    tails = {"largest": (share, tail), "smallest": (tail, share), "ends": (2 * tail, 2 * tail)}
    made = np.full((2, *there.shape), np.nan)
    for c in range(k):
        rows = there[:, c]
        if rows.any():
            low, high = (np.broadcast_to(t, rows.shape)[rows] for t in tails[combine])
            made[:, rows, c] = _class_ends(metric, stack.of_class(c, rows), c, (low, high))
    if combine == "ends":
        first, last = there.argmax(axis=-1), k - 1 - there[:, ::-1].argmax(axis=-1)
        each = np.arange(len(there))
        low, high = np.sqrt(made[:, each, first] * made[:, each, last])
        return low, high
    reduce = np.nanmax if combine == "largest" else np.nanmin
    return reduce(made[0], axis=-1), reduce(made[1], axis=-1)


def _class_ends(metric: Metric, part: Parts, level: int, tails: BothTails) -> Any:
    """The intervals (2, G) of the value of one class, from its own items."""
    assert metric.by_class is not None
    kernel = metric.by_class.kernel

    def value(counts: Any) -> Any:
        return kernel(np.asarray(counts, dtype=np.float64))[..., level]

    found = each_alone(value, part, np.asarray(value(part.matrices)))
    made = t_ends(metric, part.k, found, tails)
    few = part.units < 2
    return [np.where(few, end, m) for end, m in zip(metric.range.at(part.k), made, strict=True)]
