"""Systems whose outputs were rated: does a judge rank them as humans do?"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.intervals import Interval
from ordeval.inference.samples import blocks
from ordeval.measures.association import kendall_tau_b

_DRAWS: Final = 2000


def rank_systems(
    judge: Floats, humans: Floats, system: Integers, level: float, rng: np.random.Generator
) -> Interval:
    """Kendall's tau-b of the systems' means by the judge and by the humans.

    The interval is made of data sets in which the items of each system are drawn again.
    """
    rows = ~np.isnan(judge) & ~np.isnan(humans)
    systems, number = np.unique(system[rows], return_inverse=True)
    # Items of a system that are rated alike are drawn together.
    each = np.stack([number, judge[rows], humans[rows]])
    (place, judge, humans), count = np.unique(each, axis=1, return_counts=True)
    number = place.astype(np.int64)

    def tau(weight: Floats) -> Floats:
        means = []
        for values in (judge, humans):
            sums = np.stack([np.bincount(number, w * values, len(systems)) for w in weight])
            sizes = np.stack([np.bincount(number, w, len(systems)) for w in weight])
            means.append(sums / sizes)
        i, j = np.triu_indices(len(systems), 1)
        first, second = (np.sign(np.round(m[:, i] - m[:, j], 12)) for m in means)
        tied = np.sqrt((first != 0).sum(axis=1) * (second != 0).sum(axis=1))
        return np.where(
            tied > 0, (first * second).sum(axis=1) / np.where(tied > 0, tied, 1), np.nan
        )

    estimate = float(tau(count[None].astype(np.float64))[0]) if len(systems) > 1 else np.nan
    low = high = np.nan
    if estimate == estimate:
        low, high = _drawn_ends(tau, number, count, level, rng)
    return Interval(
        metric=kendall_tau_b.name,
        estimate=estimate,
        low=min(low, estimate),
        high=max(high, estimate),
        level=level,
        method="percentile",
        n_resamples=_DRAWS,
        items=int(rows.sum()),
        effective=float(rows.sum()),
    )


def _drawn_ends(
    tau: Any, number: Integers, count: Integers, level: float, rng: np.random.Generator
) -> tuple[float, float]:
    members = [np.flatnonzero(number == s) for s in range(int(number.max()) + 1)]
    drawn = []
    for size in blocks(_DRAWS, 8 * len(number)):
        weight = np.zeros((size, len(number)))
        for own in members:
            n = int(count[own].sum())
            weight[:, own] = rng.multinomial(n, count[own] / n, size)
        drawn.append(tau(weight))
    tail = (1 - level) / 2
    low, high = np.nanquantile(np.concatenate(drawn), (tail, 1 - tail))
    return float(low), float(high)
