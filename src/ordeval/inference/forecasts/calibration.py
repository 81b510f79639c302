"""Are predicted probabilities what they say? Calibration at one threshold of the scale.

Each threshold is an event: the class is this one or higher. Its predicted probability is
recalibrated by isotonic regression, the best that any increasing map can do. Miscalibration is what
that gains, discrimination what it gains over the base rate; both are exact, without bins
(Dimitriadis, Gneiting & Jordan 2021). Summed over thresholds they are the parts of the RPS, which
are the same for the event that the class is lower.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.inference.forecasts.recalibration import Coefficient, EventForecast, recalibrate
from ordeval.inference.samples import blocks

# Beyond so many items sums of what happens are drawn from the normal distribution, and beyond so
# many distinct probabilities neighbours are taken together: the band is thin there.
_DRAWN: Final = 20_000
_PLACES: Final = 2_000
_DIGITS: Final = 12


@dataclass(frozen=True, eq=False)
class AtThreshold:
    """Calibration of the probability that the class is ``level`` or higher."""

    level: Any
    predicted: Floats  # distinct predicted probabilities, rising
    observed: Floats  # what each should have been, by isotonic regression
    low: Floats  # the band: between what ``observed`` would lie if the probabilities were right
    high: Floats
    weight: Floats  # items, or their weight, of each
    share: float  # of items that are this class or higher
    mean: float  # of the predicted probabilities
    intercept: Coefficient  # with the slope fixed at 1
    slope: Coefficient
    joint_intercept: Coefficient  # fitted together with the slope
    certain: int  # probabilities of 0 or 1
    rps: float  # the Brier score of this threshold, and its parts
    miscalibration: float
    discrimination: float
    uncertainty: float


class Tails(NamedTuple):
    """The probability of being above a threshold and of being below, each from its own sum."""

    above: Floats
    below: Floats

    @property
    def probability(self) -> Floats:
        """That of being above; sums that differ by rounding alone are the same."""
        return np.asarray(np.minimum(np.round(self.above, _DIGITS), 1.0))

    @property
    def logit(self) -> Floats:
        """The log odds; infinite only where all of the probability is on one side."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.above) - np.log(self.below))


def tails(prob: Floats, threshold: int) -> Tails:
    """The two sides of the threshold above this position."""
    above = prob[:, threshold + 1 :].sum(axis=1)
    below = prob[:, : threshold + 1].sum(axis=1)
    return Tails(above, below)


@dataclass(frozen=True)
class Band:
    """How the band is drawn."""

    level: float
    n_resamples: int
    rng: np.random.Generator


def at_threshold(
    level: Any,
    sides: Tails,
    happened: NDArray[np.bool_],
    weight: Floats,
    unit: Integers | None,
    band: Band,
) -> AtThreshold:
    """Everything about one threshold; all weights are above 0."""
    from scipy.optimize import isotonic_regression

    p = sides.probability
    values, which = np.unique(p, return_inverse=True)
    sizes: Floats = np.bincount(which, weight).astype(np.float64)
    hits = np.bincount(which, weight * happened)
    share, total = hits / sizes, float(sizes.sum())
    fitted = isotonic_regression(share, weights=sizes).x
    base = float(hits.sum() / total)

    def score(x: Any) -> float:
        return float((sizes * (x**2 - 2 * x * share + share)).sum() / total)

    brier, recalibrated, constant = score(values), score(fitted), score(base)
    forecast = EventForecast(sides.logit, happened, weight, unit)
    found = recalibrate(forecast, band.level)
    low, high = _band(p, which, weight, _design_effect(p, happened, weight, unit), band)
    return AtThreshold(
        level,
        values,
        fitted,
        low=low,
        high=high,
        weight=sizes,
        share=base,
        mean=float(weight @ p / total),
        intercept=found.intercept,
        slope=found.slope,
        joint_intercept=found.joint,
        certain=int(forecast.certain.sum()),
        rps=brier,
        miscalibration=brier - recalibrated,
        discrimination=constant - recalibrated,
        uncertainty=constant,
    )


def _band(
    p: Floats, which: Integers, weight: Floats, effect: float, band: Band
) -> tuple[Floats, Floats]:
    """Between what the curve of calibrated probabilities lies, at each distinct probability.

    Outcomes are simulated from the probabilities, and the curve is refitted to each simulation.
    With clusters, the spread of the simulated curves is widened as that of the data.
    """
    from scipy.optimize import isotonic_regression

    run = _runs(np.bincount(which, weight).astype(np.float64))
    place = run[which]
    sizes = np.bincount(place, weight)
    centre = np.bincount(place, weight * p) / sizes
    noise = _noise(p, place, weight, band)
    curves = np.stack(
        [isotonic_regression(centre + effect**0.5 * row / sizes, weights=sizes).x for row in noise]
    )
    tail = (1 - band.level) / 2
    low, high = np.clip(np.quantile(curves, [tail, 1 - tail], axis=0), 0, 1)
    return low[run], high[run]


def _runs(sizes: Floats) -> Integers:
    """The run of each distinct probability: itself, or of many some neighbours together."""
    if len(sizes) <= _PLACES:
        return np.arange(len(sizes))
    before = (np.cumsum(sizes) - sizes) / sizes.sum()
    return np.unique((before * _PLACES).astype(np.int64), return_inverse=True)[1]


def _noise(p: Floats, place: Integers, weight: Floats, band: Band) -> Floats:
    """By how much what is drawn differs from what was predicted, in sums (draws, places)."""
    n, rng = band.n_resamples, band.rng
    if len(p) > _DRAWN:
        spread = np.sqrt(np.bincount(place, weight**2 * p * (1 - p)))
        return rng.standard_normal((n, len(spread))) * spread
    order = np.argsort(place, kind="stable")
    p, weight, place = p[order], weight[order], place[order]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    return np.concatenate(
        [
            np.add.reduceat(((rng.random((size, len(p))) < p) - p) * weight, first, axis=1)
            for size in blocks(n, 16 * len(p))
        ]
    )


def _design_effect(
    p: Floats, happened: NDArray[np.bool_], weight: Floats, unit: Integers | None
) -> float:
    """By how much clusters multiply the variance of what happens, at least 1."""
    if unit is None:
        return 1.0
    rest = happened - p
    rest = weight * (rest - float(np.average(rest, weights=weight)))
    alone = float(rest @ rest)
    sums = np.bincount(unit, rest)
    return max(1.0, float(sums @ sums) / alone) if alone > 0 else 1.0
