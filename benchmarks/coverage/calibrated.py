"""Calibrated probabilities: intervals of intercept, slope and net benefit.

A latent score says how ill a patient is, and the probabilities are those of the classes given the
score: they are right, so that intercepts are 0 and slopes are 1. The true net benefit is an
integral over the score.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit, ndtr

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import Floats, Integers, generator
from ordeval.inference.forecasts.recalibration import Coefficient

SIZES: Final = (200, 1000)
CLUSTERS: Final = (20, 50)
CLUSTER: Final = 10  # items of one
_CUTS: Final = np.array([-1.0, 0.5, 2.5])
_PROBABILITIES: Final = (0.2, 0.5)
_ALIKE: Final = 0.3


class _DataSet(NamedTuple):
    truth: Integers
    prob: Floats
    cluster: Integers | None = None


def alone(n: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """Independent items."""
    rng = generator(seed, "calibrated", n)
    made = (_draw(rng.normal(size=n), rng.random(n)) for _ in range(data_sets))
    yield from _rates(made, f"{n:,} items")


def clustered(clusters: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """Items of a cluster have alike scores, and outcomes that depend on each other given these."""
    rng = generator(seed, "calibrated clusters", clusters)
    cluster = np.repeat(np.arange(clusters), CLUSTER)

    def tied() -> Floats:
        shared = rng.normal(size=clusters)[cluster]
        own = rng.normal(size=len(cluster))
        return np.asarray(_ALIKE**0.5 * shared + (1 - _ALIKE) ** 0.5 * own)

    made = (_draw(tied(), ndtr(tied()), cluster) for _ in range(data_sets))
    yield from _rates(made, f"{clusters} clusters")


def _draw(score: Floats, luck: Floats, cluster: Integers | None = None) -> _DataSet:
    below = expit(_CUTS - 2 * score[:, None])
    prob = np.diff(below, prepend=0.0, append=1.0, axis=1)
    return _DataSet((luck[:, None] > below).sum(axis=1), prob, cluster)


def _rates(made: Iterator[_DataSet], column: str) -> Iterator[Rate]:
    true = _net_benefit()
    held: dict[str, list[bool]] = {}
    for data in made:
        given = {"labels": range(4), "clusters": data.cluster}
        found = oe.calibration(data.truth, data.prob, n_resamples=1, **given)
        curve = oe.decision_curve(data.truth, data.prob, probabilities=_PROBABILITIES, **given)
        for t, at in enumerate(found.thresholds):
            row = f"≥ {at.level}"
            _hold(held, f"intercept, {row}", at.intercept, 0.0)
            _hold(held, f"slope, {row}", at.slope, 1.0)
            mean = curve.benefit["model"][t].model
            for i, p in enumerate(_PROBABILITIES):
                holds = bool(mean.low[i] <= true[t, i] <= mean.high[i])
                held.setdefault(f"net benefit at {p:.0%}, {row}", []).append(holds)
    for row, hits in sorted(held.items()):
        yield Rate("calibration", row, column, sum(hits), len(hits), Bound(0.92, 0.98))


def _hold(held: dict[str, list[bool]], row: str, found: Coefficient, value: float) -> None:
    if found.low == found.low:
        held.setdefault(row, []).append(found.low <= value <= found.high)


def _net_benefit() -> Floats:
    """The true net benefit (thresholds, probabilities)."""
    score = np.linspace(-8, 8, 200_001)
    density = np.exp(-(score**2) / 2)
    density /= density.sum()
    above = 1 - expit(_CUTS[:, None] - 2 * score)
    found = [
        np.where(above >= p, above - (1 - above) * p / (1 - p), 0.0) @ density
        for p in _PROBABILITIES
    ]
    return np.stack(found, axis=1)
