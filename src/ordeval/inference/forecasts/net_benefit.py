"""Net benefit: is it worth acting on the probability of an event?

Acting if the probability is p or more implies that one missed event counts as much as
(1 - p) / p needless acts. In units of events caught, the net benefit is
TP / n - FP / n * p / (1 - p) (Vickers & Elkin 2006). It is a mean over items, and so is its
difference from acting always or never; standard errors follow from what each unit contributes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.samples import BLOCK_BYTES

# A predicted 0.8 that is a sum of 0.7 and 0.1 is acted upon at 0.8.
_ROUNDING: Final = 1e-9


class Mean(NamedTuple):
    """Means over items at each of P decision probabilities, with intervals."""

    value: Floats
    error: Floats
    low: Floats
    high: Floats


class Benefit(NamedTuple):
    """Net benefit at each of P decision probabilities, and what others would give."""

    model: Mean
    gain: Mean  # over the better of acting always and never
    always: Floats
    acted: Floats  # the share of items that are acted upon


class Event(NamedTuple):
    """Whether an event happened to each item."""

    happened: NDArray[np.bool_]
    weight: Floats  # above 0
    unit: Integers | None = None  # the cluster of each item, if they do not stand alone


def net_benefit(event: Event, predicted: Floats, grid: Floats, level: float) -> Benefit:
    """The net benefit of acting on those with a predicted probability of p or more."""
    places, odds = len(grid), grid / (1 - grid)
    # An item is acted upon at the first ``reach`` of the decision probabilities; items alike in
    # that and in what happened contribute alike, and make up a cell.
    reach = np.searchsorted(grid - _ROUNDING, predicted, side="right")
    cell = reach + (places + 1) * event.happened
    acted = np.arange(places + 1)[:, None] > np.arange(places)
    always = np.stack([-odds, np.ones(places)])[:, None]
    by_model = np.where(acted, always, 0.0)
    weight = np.bincount(cell, event.weight, minlength=2 * places + 2)
    share = float(event.weight @ event.happened / event.weight.sum())
    of_all = share - (1 - share) * odds
    gain = by_model - np.where(of_all > 0, always, 0.0)
    model, better = (
        _mean(event, cell, table.reshape(-1, places), odds, level) for table in (by_model, gain)
    )
    return Benefit(model, better, of_all, weight @ np.tile(acted, (2, 1)) / weight.sum())


class Gap(NamedTuple):
    """How much more net benefit one model has than another, at each decision probability."""

    mean: Mean
    p_value: Floats


def net_benefit_gap(
    event: Event, predicted: tuple[Floats, Floats], grid: Floats, level: float
) -> Gap:
    """The difference of the net benefits of two models on the same items, first minus second."""
    from scipy.special import stdtr

    places, odds = len(grid), grid / (1 - grid)
    reach = [np.searchsorted(grid - _ROUNDING, p, side="right") for p in predicted]
    size = places + 1
    code = (reach[0] * size + reach[1]) * 2 + event.happened
    seen, cell = np.unique(code, return_inverse=True)
    one, other = seen // 2 // size, seen // 2 % size
    acted = np.arange(places)
    apart = (one[:, None] > acted).astype(np.float64) - (other[:, None] > acted)
    mean = _mean(event, cell, apart * np.where(seen[:, None] % 2, 1.0, -odds), odds, level)
    units = len(cell) if event.unit is None else int(event.unit.max()) + 1
    if units < 2:
        return Gap(mean, np.full(places, np.nan))
    return Gap(mean, 2 * stdtr(units - 1, -np.abs(mean.value) / mean.error))


def _mean(event: Event, cell: Integers, table: Floats, odds: Floats, level: float) -> Mean:
    """The mean of what items contribute, which a table (cells, P) says."""
    from scipy.special import stdtrit

    weight = np.bincount(cell, event.weight, minlength=len(table))
    total = float(weight.sum())
    value: Floats = weight @ table / total
    spread, units = _spread(event, cell, table - value)
    if units < 2:
        nan = np.full(len(value), np.nan)
        return Mean(value, nan, nan, nan)
    # One unit more, a quarter of whose items are acted upon rightly and a quarter wrongly: what was
    # never seen may still happen.
    spread = spread + total**2 / (len(cell) * units) * (1 + odds**2) / 4
    error = np.sqrt(units / (units - 1) * spread) / total
    far = float(stdtrit(units - 1, (1 + level) / 2)) * error
    return Mean(value, error, value - far, value + far)


def _spread(event: Event, cell: Integers, rest: Floats) -> tuple[Floats, int]:
    """The squares of what units contribute, summed, and how many units there are."""
    from scipy.sparse import csr_array

    if event.unit is None:
        return np.bincount(cell, event.weight**2, minlength=len(rest)) @ rest**2, len(cell)
    units = int(event.unit.max()) + 1
    sums = csr_array((event.weight, (event.unit, cell)), shape=(units, len(rest)))
    size = max(BLOCK_BYTES // rest[0].nbytes, 1)
    parts = (sums[start : start + size] @ rest for start in range(0, units, size))
    return np.asarray(sum((part**2).sum(axis=0) for part in parts)), units
