"""Values that are judged each by itself, many at once: centres, errors and t intervals as arrays.

Matrices of independent items, such as those of subgroups, need no list of their items: all items of
a cell contribute alike. Nothing here loops over the matrices, unless they have very many classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.inference.contributions import (
    DENSE,
    NOISE,
    Contributions,
    Value,
    by_cell,
    contributions_to,
    freedom_of,
    pseudo_items,
)
from ordeval.inference.edges import each_reach, ends_reached, unseen
from ordeval.inference.links import PLAIN, Link, link_of
from ordeval.inference.samples import sample_of_joint
from ordeval.measures import Metric
from ordeval.measures.nominal import accuracy

STILL: Final = 1e-12
Tails = tuple[Any, Any]  # beyond the lower and the upper end: numbers, or arrays (G,)


@dataclass(frozen=True, eq=False)
class Alone:
    """G values of one measure, each by itself."""

    values: Floats  # (G,), of the data as they are
    centre: Floats  # (G,), with the pseudo-unit
    errors: Floats  # (G,)
    freedom: Floats  # (G,)
    bias: Floats  # (G,), how much too large the centre is on average

    @classmethod
    def of(cls, found: Contributions) -> Alone:
        """The values of models whose contributions are known."""
        return cls(found.values, found.centre, found.errors, found.own_freedom, found.bias)

    @classmethod
    def joined(cls, parts: list[Alone]) -> Alone:
        """Several of them as one."""
        columns = zip(*(vars(p).values() for p in parts), strict=True)
        return cls(*map(np.concatenate, columns))


def each_alone(value: Value, matrices: NDArray[Any], values: Floats) -> Alone:
    """The values of matrices (G, K, K) of independent items; each must hold some."""
    if matrices.shape[-1] ** 4 > DENSE:
        samples = map(sample_of_joint, matrices)
        found = (
            contributions_to(value, s, v) for s, v in zip(samples, values[:, None], strict=True)
        )
        return Alone.joined([Alone.of(f) for f in found])
    items = matrices.sum(axis=(-2, -1)).astype(np.float64)
    pseudo = pseudo_items(matrices.astype(np.float64))
    centre, table, bias = by_cell(value, matrices + pseudo)
    parts = table / (items + 1)[:, None, None]
    second, fourth, added = (
        np.einsum("gij,gij->g", parts**power, weight)
        for power, weight in ((2, matrices), (4, matrices), (2, pseudo))
    )
    safe = np.where(items > 1, items - 1, np.nan)  # of one item nothing can be said
    errors = np.sqrt(items / safe * second + added)
    freedom = freedom_of(second / items, fourth / items, items)
    return Alone(values, centre, errors, freedom, bias)


def measured(metric: Metric, matrices: NDArray[Any]) -> Alone:
    """The values of matrices (G, K, K) by a measure."""
    return each_alone(metric.values, matrices, np.asarray(metric.values(matrices)))


def centres(metric: Metric, k: int, found: Alone) -> Floats:
    """What the values are estimated by: less half of their bias, of a biased measure all of it."""
    low, high = metric.range.at(k)
    if metric.biased:
        return np.maximum(found.centre - found.bias, low)
    half = found.centre - found.bias / 2
    # What rounding leaves beside an end is no place within the range.
    noise = NOISE * (high - low) if np.isfinite(high - low) else 0.0
    return np.where((half - low > noise) & (high - half > noise), half, found.centre)


def _spread(metric: Metric, found: Alone) -> Floats:
    """The errors of the centres: the half of the bias that may still be there is one too.

    A measure that seeks its best path, or the largest of several values, is biased by about as much
    as it spreads; how much of the bias a sample shows varies. Of others it is next to nothing.
    """
    return found.errors if metric.biased else np.hypot(found.errors, found.bias / 2)


def t_ends(
    metric: Metric, k: int, found: Alone, tails: Tails, link: Link | None = None
) -> tuple[Floats, Floats]:
    """The t intervals with these two tails, on the scale of the measure's link unless told."""
    from scipy.special import stdtrit

    centre, errors = centres(metric, k, found), _spread(metric, found)
    reach = [stdtrit(found.freedom, 1 - np.broadcast_to(t, centre.shape)) for t in tails]
    low, high = np.full_like(centre, np.nan), np.full_like(centre, np.nan)
    every = [(link, np.ones(centre.shape, dtype=bool))] if link else links(metric, k, centre)
    for link, rows in every:
        c = centre[rows]
        place, error = link.there(c), errors[rows] * link.slope(c)
        low[rows] = link.back(place - reach[0][rows] * error)
        high[rows] = link.back(place + reach[1][rows] * error)
    return low, high


def links(metric: Metric, k: int, centre: Floats) -> Iterator[tuple[Link, NDArray[np.bool_]]]:
    """The links of some values, each with the values whose link it is."""
    if metric.biased:
        yield PLAIN, np.ones(centre.shape, dtype=bool)
        return
    low, high = metric.range.at(k)
    # Which link it is depends on whether a value lies within the ends of the range.
    side = 2 * (low < centre) + (centre < high)
    for s in np.unique(side):
        yield link_of(metric, k, float(centre[side == s][0])), side == s


def ends(
    metric: Metric, matrices: NDArray[Any], found: Alone, level: float, *, unit: float = 1.0
) -> tuple[Floats, Floats]:
    """The intervals of the values of matrices (G, K, K), by the rules of ``confidence_interval``.

    So many items make one independent ``unit``. Ends are NaN where no interval would hold.
    """
    k, tail = matrices.shape[-1], (1 - level) / 2
    if metric.share is not None:
        return _ends_of_share(metric, matrices, level, unit)
    if metric.by_class is None:
        made = t_ends(metric, k, found, (tail, tail))
    else:
        made = _ends_by_class(metric, matrices, tail)
    items = matrices.sum(axis=(-2, -1))
    least, largest = (np.full(len(items), end) for end in metric.range.at(k))
    if metric.by_class is None:
        at_end = ends_reached(metric, k, found.values)
        if at_end.any():
            amounts = unseen(items[at_end] / unit, tail) * unit
            least[at_end], largest[at_end] = each_reach(metric.values, matrices[at_end], amounts)
    both = np.stack(made)
    if metric.by_class is None:
        # Where not even the pseudo-item moves a value off its end, the reach alone says how far.
        still = at_end & (both[1] - both[0] <= STILL)
        both[:, still] = np.stack([least, largest])[:, still]
    low = np.fmin(np.fmax(both[0], least), found.values)
    high = np.fmax(np.fmin(both[1], largest), found.values)
    none = (items < 2) | (metric.biased & (items < k**2)) | np.isnan(found.values)
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def _ends_of_share(
    metric: Metric, matrices: NDArray[Any], level: float, unit: float
) -> tuple[Floats, Floats]:
    """The intervals of shares, from the items that they are of, as ``shares`` makes them."""
    assert metric.share is not None
    k, tail = matrices.shape[-1], (1 - level) / 2
    part, yes = metric.share(k, **metric.check_parameters({}, k))
    hits, rest = ((matrices * (part & x)).sum(axis=(-2, -1)) for x in (yes, ~yes))
    calls = np.zeros((len(matrices), 2, 2))
    calls[:, 1, 1], calls[:, 1, 0] = np.maximum(hits, rest), np.minimum(hits, rest)
    there = hits + rest > 0
    low, high = np.full((2, len(matrices)), np.nan)
    if there.any():
        found = measured(accuracy, calls[there])
        low[there], high[there] = ends(accuracy, calls[there], found, level, unit=unit)
    single = (hits + rest == 1) & (matrices.sum(axis=(-2, -1)) > 1)  # nothing but what was seen
    low, high = np.where(single, tail, low), np.where(single, 1.0, high)
    turned = rest > hits
    return np.where(turned, 1 - high, low), np.where(turned, 1 - low, high)


def _ends_by_class(metric: Metric, matrices: NDArray[Any], tail: float) -> tuple[Floats, Floats]:
    """The intervals of the largest or smallest of the classes' values, or of a mean of two."""
    assert metric.by_class is not None
    combine, k = metric.by_class.combine, matrices.shape[-1]
    there = np.asarray(matrices.any(axis=-1))  # (G, K)
    share = tail / there.sum(axis=-1)
    tails = {"largest": (share, tail), "smallest": (tail, share), "ends": (2 * tail, 2 * tail)}
    made = np.full((2, *there.shape), np.nan)
    for c in range(k):
        rows = there[:, c]
        if rows.any():
            low, high = (np.broadcast_to(t, rows.shape)[rows] for t in tails[combine])
            made[:, rows, c] = _class_ends(metric, matrices[rows], c, (low, high))
    if combine == "ends":
        first, last = there.argmax(axis=-1), k - 1 - there[:, ::-1].argmax(axis=-1)
        each = np.arange(len(there))
        low, high = np.sqrt(made[:, each, first] * made[:, each, last])
        return low, high
    reduce = np.nanmax if combine == "largest" else np.nanmin
    return reduce(made[0], axis=-1), reduce(made[1], axis=-1)


def _class_ends(metric: Metric, matrices: NDArray[Any], level: int, tails: Tails) -> Any:
    """The intervals (2, G) of the value of one class, from its own items."""
    assert metric.by_class is not None
    kernel, part = metric.by_class.kernel, np.zeros_like(matrices)
    part[:, level] = matrices[:, level]

    def value(counts: Any) -> Any:
        return kernel(np.asarray(counts, dtype=np.float64))[..., level]

    k, found = matrices.shape[-1], each_alone(value, part, np.asarray(value(part)))
    few = part.sum(axis=(-2, -1)) < 2
    made = t_ends(metric, k, found, tails)
    return [np.where(few, end, m) for end, m in zip(metric.range.at(k), made, strict=True)]
