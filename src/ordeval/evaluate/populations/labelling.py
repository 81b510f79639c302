"""Which items humans should label, and how likely each was to be chosen."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import check_amount, checked, floats, is_name, listed
from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers, Rng, as_rng
from ordeval.data.subgroups import number_of
from ordeval.exceptions import LabelError, ParameterError

_LEAST: Final = 0.2  # of the mean uncertainty, so that no item is never chosen


@checked
def to_label(
    budget: int,
    items: int | None = None,
    *,
    strata: Any = None,
    uncertainty: Any = None,
    rng: Rng = None,
) -> tuple[NDArray[np.bool_], Floats]:
    """Choose items for human labels, at random with known probabilities.

    Parameters
    ----------
    budget
        How many items are chosen.
    items
        How many items there are, if neither ``strata`` nor ``uncertainty`` says it. All are then
        equally likely to be chosen.
    strata
        The stratum of each item: as many items are chosen from each, as far as it has them.
    uncertainty
        How uncertain the judge is of each item, such as the spread of its answers: items are
        chosen with a probability proportional to it, but never below 20% of the mean.
    rng
        Seed or generator.

    Returns
    -------
    chosen : ndarray
        Which items are chosen.
    inclusion : ndarray
        How likely each item was to be chosen, for ``Predictions(..., inclusion=...)``.

    Raises
    ------
    LabelError
        If an uncertainty is negative or missing.
    ParameterError
        If arguments do not go together, or there are fewer items than the budget.

    Examples
    --------
    >>> chosen, inclusion = to_label(3, strata=["clinic"] * 8 + ["home"], rng=0)
    >>> int(chosen.sum()), inclusion.tolist()
    (3, [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 1.0])
    """
    given = {"strata": strata, "uncertainty": uncertainty}
    columns = [listed(x, name) for name, x in given.items() if x is not None]
    if len(columns) + (items is not None) != 1:
        raise ParameterError(
            f"pass exactly one of items=, {named('strata')} and {named('uncertainty')}."
        )
    if items is not None:
        check_amount("items", items)
    n = items if items is not None else len(columns[0])
    check_amount("budget", budget, most=n)
    if strata is not None and not all(map(is_name, columns[0])):
        raise LabelError(f"{named('strata')} must name the stratum of each item.")
    generator = as_rng(rng)
    if uncertainty is not None:
        amount = floats(columns[0], "uncertainty", LabelError)
        if amount.ndim != 1:
            raise LabelError(f"{named('uncertainty')} must hold one number per item.")
        inclusion = _proportional(amount, budget)
        return _systematic(inclusion, generator), inclusion
    member = np.zeros(n, dtype=np.int64) if strata is None else number_of(columns)
    size = np.bincount(member)
    drawn, chosen = _shared_out(budget, size, generator), np.zeros(n, dtype=bool)
    for s, number in enumerate(drawn.tolist()):
        chosen[generator.choice(np.flatnonzero(member == s), number, replace=False)] = True
    return chosen, (drawn / size)[member]


def _shared_out(budget: int, size: Integers, rng: np.random.Generator) -> Integers:
    """How many items of each stratum are chosen: as many of each, as far as there are items."""
    if budget < len(size):
        raise ParameterError(
            f"{named('budget')} is {budget:,}, fewer than the {len(size):,} strata: some part of "
            f"the data would have no human label."
        )
    drawn = np.zeros(len(size), dtype=np.int64)
    while (left := budget - int(drawn.sum())) > 0:
        open_ = np.flatnonzero(drawn < size)
        if left < len(open_):
            drawn[rng.choice(open_, left, replace=False)] += 1
        else:
            drawn[open_] = np.minimum(size[open_], drawn[open_] + left // len(open_))
    return drawn


def _proportional(amount: Floats, budget: int) -> Floats:
    """Probabilities that sum to the budget, proportional to amounts and at most 1."""
    if not (np.isfinite(amount) & (amount >= 0)).all():
        raise LabelError(f"{named('uncertainty')} must hold numbers that are not negative.")
    amount = np.maximum(amount, _LEAST * amount.mean()) if amount.any() else np.ones(len(amount))
    found = np.zeros(len(amount))
    while (rest := found < 1).any() and budget - found[~rest].sum() > 1e-9:
        share = amount[rest] * (budget - found[~rest].sum()) / amount[rest].sum()
        found[rest] = np.minimum(share, 1.0)
        if (share <= 1).all():
            break
    return found


def _systematic(inclusion: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Items chosen with these probabilities, as many as they sum to (Madow 1949)."""
    order = rng.permutation(len(inclusion))
    ends = np.cumsum(inclusion[order]) + rng.random()
    steps = np.floor(ends + 1e-9) - np.floor(np.r_[ends[0] - inclusion[order[0]], ends[:-1]] + 1e-9)
    chosen = np.zeros(len(inclusion), dtype=bool)
    chosen[order] = steps > 0
    return chosen
