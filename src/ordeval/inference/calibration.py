"""Are cumulative probabilities what they say? Calibration curves and the parts of the RPS.

Each threshold of the scale is an event: the class is this one or lower. Its predicted probability
is recalibrated by isotonic regression, the best that any increasing map can do. Miscalibration is
what that gains, discrimination what it gains over the base rate; both are exact, without bins
(Dimitriadis, Gneiting & Jordan 2021). Summed over thresholds they are the parts of the RPS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.data.forecasts import read_forecasts
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError


@dataclass(frozen=True)
class Calibration:
    """Calibration at each of the K - 1 thresholds, and the parts of the RPS there.

    ``rps`` = ``miscalibration`` - ``discrimination`` + ``uncertainty``, at each threshold and in
    all.
    """

    scale: Scale
    predicted: tuple[Floats, ...]  # distinct predicted probabilities, rising
    observed: tuple[Floats, ...]  # what each should have been
    weight: tuple[Floats, ...]  # items, or their weight, of each
    rps: Floats  # (K - 1,)
    miscalibration: Floats
    discrimination: Floats
    uncertainty: Floats


def calibration(
    y_true: Any, y_prob: Any, *, labels: Any = None, sample_weight: Any = None
) -> Calibration:
    """How well cumulative probabilities are calibrated, threshold by threshold.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight
        As for ``ranked_probability_score``.

    Examples
    --------
    >>> parts = calibration([0, 1, 2, 2], [[.8, .2, 0], [.2, .6, .2], [.2, .2, .6], [0, .4, .6]])
    >>> round(float(parts.rps.sum()), 4)
    0.12
    >>> sums = parts.miscalibration - parts.discrimination + parts.uncertainty
    >>> bool(np.allclose(sums, parts.rps))
    True
    """
    from scipy import optimize

    scale, truth, prob, weights = read_forecasts(y_true, y_prob, labels, sample_weight)
    w = np.ones(len(truth)) if weights is None else weights
    cumulative = np.cumsum(prob, axis=1)
    if scale.k < 2:
        raise LabelError(f"calibration needs at least two classes; the scale is {scale}.")
    found = [_at_threshold(optimize, cumulative[:, t], truth <= t, w) for t in range(scale.k - 1)]
    predicted, observed, weight, *parts = zip(*found, strict=True)
    return Calibration(scale, predicted, observed, weight, *(np.array(p) for p in parts))


def _at_threshold(
    optimize: Any, p: Floats, happened: NDArray[np.bool_], w: Floats
) -> tuple[Floats, Floats, Floats, float, float, float, float]:
    values, which = np.unique(np.clip(p, 0, 1), return_inverse=True)
    weight: Floats = np.bincount(which, w).astype(np.float64)
    hits = np.bincount(which, w * happened)
    used = weight > 0
    values, weight, share = values[used], weight[used], hits[used] / weight[used]
    fitted = optimize.isotonic_regression(share, weights=weight).x
    total = weight.sum()
    base = float(hits.sum() / total)

    def score(x: Any) -> float:
        return float((weight * (x**2 - 2 * x * share + share)).sum() / total)

    brier, recalibrated, constant = score(values), score(fitted), score(base)
    return values, fitted, weight, brier, brier - recalibrated, constant - recalibrated, constant
