"""Phrases that results of given scores share: p-values, and what matters in practice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from ordeval._shared.tables import Cell
from ordeval._shared.text import joined, plural, share
from ordeval.inference.advice import RARE
from ordeval.inference.given_scores.practical_equivalence import Chances
from ordeval.measures import Metric

_FEW_ITEMS: Final = 30
PRACTICAL_HEAD = ("P(worse)", "P(equivalent)", "P(better)")


def shown_p(p: float) -> str:
    """A p-value in a sentence; none is zero."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.3g}"


def few_items(sizes: Any, rarest: Any) -> Iterator[str]:
    """How many subgroups are small, or have a small class, by their sizes and that of the class.

    >>> print(*few_items([9, 200, 99], [3, 50, 4]))
    1 of 3 subgroups has fewer than 30 items, and 1 more a class of fewer than 10: values may be far
    off by chance.
    """
    few = np.asarray(sizes) < _FEW_ITEMS
    small, rare = int(few.sum()), int((np.asarray(rarest)[~few] < RARE).sum())
    if not small and not rare:
        return
    has = "has" if (small or rare) == 1 else "have"
    items = f"fewer than {_FEW_ITEMS} items" if small else f"a class of fewer than {RARE} items"
    more = f", and {rare:,} more a class of fewer than {RARE}" if small and rare else ""
    what = "values" if small else "averages over classes"
    yield (
        f"{small or rare:,} of {plural(len(few), 'subgroup')} {has} {items}{more}: {what} may be "
        f"far off by chance."
    )


def rarest_class(items: Any) -> Any:
    """The number of items of the smallest class that occurs, of counts (..., K)."""
    counts = np.asarray(items, dtype=np.float64)
    return np.where(counts > 0, counts, np.inf).min(axis=-1)


def with_weights(metric: Metric) -> str:
    """The name of a measure, and the weights that it takes unless told, if its name has none.

    >>> import ordeval as oe
    >>> with_weights(oe.weighted_kappa)
    'weighted_kappa with quadratic weights'
    """
    weights = None if "weights" in metric.bound else metric.defaults.get("weights")
    return f"{metric.name} with {weights} weights" if isinstance(weights, str) else metric.name


def percent(level: float) -> str:
    """A level as it was given: 95%, 99.5%."""
    return f"{100 * level:g}%"


def practical_cells(chances: Chances) -> tuple[Cell, ...]:
    """The three probabilities in a table."""
    return tuple(Cell(share(x)) for x in chances)


def practical_note(rope: float) -> str:
    """What the three probabilities are of."""
    up_to = f"; differences up to {rope:g} count as none" if rope else ""
    return (
        f"P: probability that the first model of the pair is worse than, equivalent to or better "
        f"than the second in practice{up_to}."
    )


def in_practice(
    test: str, model: str, others: Mapping[str, Chances], *, rope: float, level: float
) -> str:
    """What a test is sure of in practice, about a model against each of the others."""
    sides: dict[str, list[str]] = {"better than": [], "equivalent to": [], "worse than": []}
    open_against = []
    for other, chances in others.items():
        if math.isnan(chances.better):  # there was nothing to test with
            continue
        by_side = dict(zip(sides, (chances.better, chances.equivalent, chances.worse), strict=True))
        side = max(by_side, key=by_side.__getitem__)
        if by_side[side] >= level:
            sides[side].append(f"{other} (probability {share(by_side[side])})")
        else:
            open_against.append(f"{other} ({_three(chances)})")
    sure = [f"{side} {joined(found)}" for side, found in sides.items() if found]
    what = f"differences up to {rope:g} do not matter" if rope else "every difference matters"
    said = [f"{model} is {joined(sure)}"] if sure else []
    if open_against:
        said.append(
            f"nothing is {percent(level)} sure about {model} against {joined(open_against)}"
        )
    return f"{test}: if {what}, {'; '.join(said)}." if said else ""


def _three(chances: Chances) -> str:
    worse, equivalent, better = map(share, chances)
    return f"better {better}, equivalent {equivalent}, worse {worse}"
