"""The interval of a share of independent items (Clopper & Pearson 1934)."""

from __future__ import annotations


def clopper_pearson(hits: float, total: float, level: float) -> tuple[float, float]:
    """The ends of the interval of a share of hits; all of [0, 1] without items.

    >>> low, high = clopper_pearson(0, 50, 0.95)
    >>> low, round(high, 3)
    (0.0, 0.071)
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(hits, total - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, total - hits, 1 - tail)) if hits < total else 1.0
    return low, high
