"""What the items of each cell of matrices contribute: one item of the cell is left out.

One pseudo-item is added first, clusters or not: half of it right and half near misses, as Agresti
and Coull add to a share. Without it a perfect sample would look perfectly certain, and removing
away the last item of a class would change what the measure averages over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.inference.samples import blocks
from ordeval.measures import Metric
from ordeval.measures.parts.arrays import distance

# Beyond this many numbers in the matrices with one item less, units leave in groups.
DENSE: Final = 2_000_000
LEAST_FREEDOM: Final = 4.0
_FEW: Final = 5.0  # units of a class: predicted alike by chance, they would look certain

ValueOf = Callable[[Any], Any]  # matrices (..., K, K) -> values (...)


class CellInfluence(NamedTuple):
    """What the items of each cell contribute to values of matrices (..., K, K)."""

    centre: Floats  # (...), with the pseudo-items
    table: Floats  # (..., K, K), of one item
    bias: Floats  # (...), how much too large the centre is on average
    pseudo: Floats  # (..., K, K), the pseudo-items
    mass: Floats  # (...), how many pseudo-items there are

    @property
    def variance(self) -> Floats:
        """The variance (...) that the pseudo-items add to each value: they move together."""
        return np.asarray(self.mass * (self.table**2 * self.pseudo).sum(axis=(-2, -1)))

    @property
    def covariance(self) -> Floats:
        """The covariance (..., M, M) that they add to the values of models with the same truth."""
        mass = self.mass[..., :1, None]
        return mass * pseudo_covariance(self.table, self.pseudo[..., 0, :, :])


def cells_of(
    value: ValueOf,
    matrices: Floats,
    mass: Any = 1.0,
    *,
    stratify: bool = False,
    cut: int | None = None,
) -> CellInfluence:
    """The contribution of an item of each cell (..., K, K), given the number of pseudo-items.

    This is the one place where items are left out of matrices. ``stratify``: class sizes are fixed,
    and only what items contribute next to the mean of their class counts. ``cut``: the measure sets
    the classes below it against those above, so that half of the pseudo-item lies on each side.
    """
    k, items = matrices.shape[-1], matrices.sum(axis=(-2, -1))
    amount = np.broadcast_to(np.asarray(mass, dtype=np.float64), items.shape)
    pseudo = amount[..., None, None] * pseudo_items(matrices)
    if cut is not None:
        pseudo = pseudo * _evened(pseudo.sum(axis=-1), cut)[..., None]
    smooth = matrices + pseudo
    centre, table, bias = by_cell(value, smooth.reshape(-1, k, k))
    table = table.reshape(matrices.shape)
    if stratify:
        table = table - _weighted_mean(table, smooth, axis=-1)
    table = table / (items + amount)[..., None, None]
    centre, bias = (x.reshape(items.shape) for x in (centre, bias))
    return CellInfluence(centre, table, bias, pseudo, amount)


def cut_of(metric: Metric, k: int) -> int | None:
    """The cut whose two sides a measure sets against each other, by the order of items."""
    if metric.family != "ranking" or "at_least" not in metric.parameters:
        return None
    return int(metric.check_parameters({}, k)["at_least"])


def _evened(classes: Floats, cut: int) -> Floats:
    """What masses of classes (..., K) are multiplied by so that both sides of a cut weigh alike."""
    above = np.arange(classes.shape[-1]) >= cut
    sides = [(classes * side).sum(axis=-1, keepdims=True) for side in (~above, above)]
    whole, own = sum(sides), np.where(above, sides[1], sides[0])
    both = (sides[0] > 0) & (sides[1] > 0)
    return np.where(both & (own > 0), whole / 2 / np.where(own > 0, own, 1.0), 1.0)


def pseudo_covariance(parts: Floats, added: Floats) -> Floats:
    """The covariance (..., M, M) of what pseudo-items (..., K, K) add, by cell (..., M, K, K).

    They have the same true class for all models, which err on them independently: models that never
    disagreed in a sample are not known to agree always (as Agresti & Min 2005 add to both kinds of
    disagreement).
    """
    rows = added.sum(axis=-1)
    mean = (parts * added[..., None, :, :]).sum(axis=-1)
    mean = mean / np.sqrt(np.where(rows > 0, rows, 1.0))[..., None, :]
    between = mean @ np.swapaxes(mean, -1, -2)
    own = (parts**2 * added[..., None, :, :]).sum(axis=(-2, -1))
    return np.asarray(np.where(np.eye(parts.shape[-3], dtype=bool), own[..., None], between))


def pseudo_items(matrices: Floats) -> Floats:
    """One item spread over each matrix: by the shares of the true classes, half of it right.

    The other half misses, by four steps at most, three times less with every step, and into
    classes that occur in the truth, which is the same for all models.
    """
    k = matrices.shape[-1]
    if k == 1:
        return np.ones_like(matrices)
    steps = distance(k)
    misses = np.where((steps > 0) & (steps <= 4), 3.0**-steps, 0.0)
    known = misses * (matrices.sum(axis=-1) > 0)[..., None, :]
    # A class that is alone within four steps misses into its neighbours.
    misses = np.where(known.any(axis=-1, keepdims=True), known, misses)
    row = 0.5 * misses / misses.sum(axis=-1, keepdims=True) + 0.5 * np.eye(k)
    classes = matrices.sum(axis=-1, keepdims=True)
    return np.asarray(classes / np.maximum(classes.sum(axis=-2, keepdims=True), 1e-300) * row)


def by_cell(value: ValueOf, smooth: Floats) -> tuple[Floats, Floats, Floats]:
    """Centres (M,), what an item of each cell contributes (M, K, K), and the bias (M,)."""
    m, k, _ = smooth.shape
    total = smooth.sum(axis=(-2, -1))[:, None]
    centre = np.asarray(value(smooth), dtype=np.float64)
    flat = smooth.reshape(m, k * k)
    # One item; less of the pseudo-items, and more of so many that one would be lost in rounding.
    taken = np.minimum(flat, np.maximum(1.0, 1e-7 * total))
    without = changed(value, flat, -taken)
    moved = centre[:, None] - without
    there = (taken > 0) & ~np.isnan(moved)
    table = np.where(there, (total - taken) / np.where(there, taken, 1.0) * moved, 0.0)
    bias = -(table * flat).sum(axis=1) / np.maximum(total[:, 0], 1e-300)
    return centre, (table + bias[:, None] * there).reshape(m, k, k), bias


def changed(value: ValueOf, cells: Floats, change: Floats) -> Floats:
    """The values (M, K * K) with each cell in turn changed; NaN where nothing changes."""
    k = round(cells.shape[1] ** 0.5)
    models, places = np.nonzero(change)
    found, start = np.full(cells.shape, np.nan), 0
    for n in blocks(len(models), 8 * k * k):
        model, place = models[start : start + n], places[start : start + n]
        stack = cells[model]
        stack[np.arange(n), place] += change[model, place]
        found[model, place] = value(stack.reshape(n, k, k))
        start += n
    return found


def freedom_of(second: Floats, fourth: Floats, units: Any) -> Floats:
    """Degrees of freedom of values whose contributions have these mean powers.

    The variance of a mean of squares is that of a chi-squared variable with 2 U / (kurtosis - 1)
    degrees of freedom: few, if few units contribute most.
    """
    flat = second <= 1e-30
    kurtosis = np.where(flat, 3.0, fourth / np.where(flat, 1.0, second**2))
    most = np.maximum(units - 1.0, 1.0)
    wanted = 2 * units / np.maximum(kurtosis - 1, 1e-9)
    return np.asarray(np.clip(wanted, np.minimum(LEAST_FREEDOM, most), most))


def freedom_by_class(metric: Metric, units: NDArray[Any], most: Any) -> Floats:
    """Degrees of freedom (G,) far out in the tail, from the units of each true class (G, K).

    Two or three items of a class that happen to be predicted alike look more certain than they are.
    Of one pair that is rare, of the largest of many differences it is the rule. How much classes
    count, and so how few items decide (Satterthwaite 1946), is read off a model that errs like the
    pseudo-item: it is the same for all models that are compared. The only unit of a class counts as
    half a unit.
    """
    units, k = units.astype(np.float64), units.shape[1]
    most = np.broadcast_to(np.asarray(most, dtype=np.float64), len(units))
    if k**4 > DENSE:
        return np.array(most)
    one = pseudo_items(units[:, :, None] * np.eye(k))
    _, table, _ = by_cell(metric.values, (units.sum(axis=1) + 1)[:, None, None] * one)
    within = (table - _weighted_mean(table, one, axis=-1)) ** 2 * one
    spread = within.sum(axis=-1)
    doubt = (spread**2 / np.maximum(units - 1, 0.5)).sum(axis=1)
    found = spread.sum(axis=1) ** 2 / np.where(doubt > 0, doubt, 1.0)
    return np.asarray(np.where(doubt > 0, np.clip(found, 1.0, most), most))


def freedom_of_sides(classes: Floats, cut: int, most: Floats) -> Floats:
    """Degrees of freedom (G,) where two sides of a cut are compared, from units of classes (G, K).

    That is a mean of two values, one for each side (Satterthwaite 1946).
    """
    above = np.arange(classes.shape[-1]) >= cut
    sides = np.stack([classes[:, ~above].sum(axis=1), classes[:, above].sum(axis=1)], axis=1)
    each = 1 / np.maximum(sides, 0.5)
    doubt = (each**2 / np.maximum(sides - 1, 0.5)).sum(axis=1)
    return np.asarray(np.minimum(np.maximum(each.sum(axis=1) ** 2 / doubt, LEAST_FREEDOM), most))


def freedom_of_few(metric: Metric, units: NDArray[Any]) -> Floats:
    """Degrees of freedom (G,) of differences where a true class has few of the units (G, K).

    Infinite where it has not: then the number of all units says enough.
    """
    found = np.full(len(units), np.inf)
    few = np.flatnonzero(((units > 0) & (units < _FEW)).any(axis=1))
    if len(few):
        found[few] = freedom_by_class(metric, units[few], np.inf)
    return found


def _weighted_mean(table: Floats, weight: Floats, axis: int) -> Floats:
    total = weight.sum(axis=axis, keepdims=True)
    found: Floats = (table * weight).sum(axis=axis, keepdims=True) / np.where(total > 0, total, 1.0)
    return found
