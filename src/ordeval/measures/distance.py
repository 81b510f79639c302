"""Distances between predictions and truth, in steps of the scale.

All steps count as equally long, unless ``points`` gives the numbers at the levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.calls import PlainMetric, PointsByClassMetric, PointsMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import (
    distance,
    observed,
    over_observed,
    prediction,
    ratio,
    signed_distance,
    total,
    truth,
)
from ordeval.measures.parts.checks import OneOf, at_points, points
from ordeval.measures.parts.facts import NO_ITEMS, ByClass, OrdinalProperties, Range, steps
from ordeval.measures.registry import SharedFacts

_ZERO = r", \qquad K \text{ instead of } K_{\text{obs}} \text{ for absent = zero}"
_APART = r", \qquad d_{ij} = \left| v_i - v_j \right| \text{ with points}"
_POINTS = {"points": points}
_ABSENT = {"absent": OneOf("absent", ("ignore", "zero")), **_POINTS}


def _squares(k: int) -> tuple[float, float]:
    return 0.0, (k - 1.0) ** 2


def _signed_steps(k: int) -> tuple[float, float]:
    return 1.0 - k, k - 1.0


def _cosines(k: int) -> tuple[float, float]:
    return 2.0 * k / (k * k + 1.0), 1.0


_STEPS = Range(0, np.inf, steps, "[0, K - 1]")
_SQUARED = Range(0, np.inf, _squares, "[0, (K - 1)²]")
_SIGNED = Range(-np.inf, np.inf, _signed_steps, "[1 - K, K - 1]")


@dataclass(frozen=True)
class _Varying:
    """The facts of a mean of distances to a power, which depend on points."""

    default: Range
    power: int = 1

    def __call__(self, *, points: Any = None, **_: Any) -> dict[str, Any]:
        """Return the facts with these points."""
        if points is None:
            return {"range": self.default, "reversal_invariant": True}
        gaps = _gaps(0, at_points(points))
        reversal = bool(np.allclose(gaps, -gaps[::-1, ::-1], rtol=1e-12))
        return {"range": Range(0, np.abs(gaps).max() ** self.power), "reversal_invariant": reversal}


def _varying_signed(*, points: Any = None) -> dict[str, Any]:
    if points is None:
        return {"range": _SIGNED}
    widest = float(np.abs(_gaps(0, at_points(points))).max())
    return {"range": Range(-widest, widest)}


def _varying_worst(*, points: Any = None) -> dict[str, Any]:
    kernel = partial(_absolute_by_class, points=None if points is None else at_points(points))
    return {**_Varying(_STEPS)(points=points), "by_class": ByClass(kernel, "largest")}


measure = SharedFacts(
    PointsMetric,
    family="distance",
    best=0,
    range=_STEPS,
    varying=_Varying(_STEPS),
    greater_is_better=False,
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=NO_ITEMS,
    parameters=_POINTS,
)


def _gaps(k: int, points: Floats | None) -> Floats:
    """Return predicted minus true, in steps of the scale or in points."""
    return signed_distance(k) if points is None else points[None, :] - points[:, None]


def _apart(n: Floats, points: Floats | None) -> Floats:
    """Return the distance of each predicted class from the true one, in steps or in points."""
    k = n.shape[-1]
    return distance(k) if points is None else np.abs(_gaps(k, points))


def _mean(n: Floats, loss: Floats) -> Floats:
    return ratio((n * loss).sum(axis=(-2, -1)), total(n))


def _by_class(n: Floats, loss: Floats) -> Floats:
    """Return the mean loss of each true class, NaN for an absent class."""
    return ratio((n * loss).sum(axis=-1), truth(n))


def _absolute_by_class(n: Floats, *, points: Floats | None = None) -> Floats:
    return _by_class(n, _apart(n, points))


def _class_average(n: Floats, loss: Floats, absent: str) -> Floats:
    classes = observed(n) if absent == "ignore" else float(n.shape[-1])
    return ratio(over_observed(_by_class(n, loss), np.add), classes)


@measure(
    symbol="MAE",
    reference=ref.WILLMOTT_2005,
    claimed=OrdinalProperties(False, True, False),
    formula=r"\text{MAE} = \frac{1}{N} \sum_{i,j} n_{ij}\, d_{ij}" + _APART,
)
def mean_absolute_error(n: Floats, *, points: Floats | None = None) -> Floats:
    """Mean number of steps between the true and the predicted class.

    Large classes dominate, and too high is as bad as too low. ``points`` are the numbers at the
    levels if they are not one apart: the error is then in their unit, not in steps.

    >>> mean_absolute_error([1, 2, 3, 3], [1, 2, 2, 1])
    0.75
    """
    return _mean(n, _apart(n, points))


@measure(
    symbol="MSE",
    range=_SQUARED,
    reference=ref.WILLMOTT_2005,
    claimed=OrdinalProperties(False, True, False),
    varying=_Varying(_SQUARED, 2),
    formula=r"\text{MSE} = \frac{1}{N} \sum_{i,j} n_{ij}\, d_{ij}^2" + _APART,
)
def mean_squared_error(n: Floats, *, points: Floats | None = None) -> Floats:
    """Mean squared number of steps between the true and the predicted class.

    One error of two steps counts as much as four errors of one step. ``points`` as in
    ``mean_absolute_error``.

    >>> mean_squared_error([1, 2, 3, 3], [1, 2, 2, 1])
    1.25
    """
    return _mean(n, _apart(n, points) ** 2)


@measure(
    symbol="RMSE",
    reference=ref.WILLMOTT_2005,
    formula=r"\text{RMSE} = \sqrt{\frac{1}{N} \sum_{i,j} n_{ij}\, d_{ij}^2}" + _APART,
)
def root_mean_squared_error(n: Floats, *, points: Floats | None = None) -> Floats:
    """Square root of the mean squared error: a typical error in steps, far errors counting more.

    ``points`` as in ``mean_absolute_error``.

    >>> root_mean_squared_error([1, 2, 3, 3], [1, 2, 3, 1])
    1.0
    """
    return np.sqrt(_mean(n, _apart(n, points) ** 2))


@measure(
    kind=PointsByClassMetric,
    symbol="AMAE",
    symmetric=False,
    reference=ref.BACCIANELLA_2009,
    claimed=OrdinalProperties(False, True, True),
    parameters=_ABSENT,
    formula=r"\text{AMAE} = \frac{1}{K_{\text{obs}}}"
    r" \sum_{r_i > 0} \frac{1}{r_i} \sum_j n_{ij}\, d_{ij}" + _ZERO + _APART,
)
def average_mae(
    n: Floats, *, absent: Literal["ignore", "zero"] = "ignore", points: Floats | None = None
) -> Floats:
    """Mean over classes of the mean absolute error of each class (macro-averaged MAE).

    A rare class counts as much as a common one.

    ``absent="ignore"`` averages over the classes that occur in the truth. ``"zero"`` counts an
    absent class as one without error, as Silva et al. 2018 do in Table I, row E. ``points`` as in
    ``mean_absolute_error``.

    >>> average_mae([1, 1, 1, 2], [1, 1, 1, 1])
    0.5
    """
    return _class_average(n, _apart(n, points), absent)


@measure(
    symbol="MMAE",
    symmetric=False,
    reference=ref.CRUZ_RAMIREZ_2014,
    by_class=ByClass(_absolute_by_class, "largest"),
    varying=_varying_worst,
    formula=r"\text{MMAE} = \max\limits_{r_i > 0} \frac{1}{r_i} \sum_j n_{ij}\, d_{ij}" + _APART,
)
def maximum_mae(n: Floats, *, points: Floats | None = None) -> Floats:
    """Mean absolute error of the worst class that occurs in the truth.

    It shows the worst-served class and hides all others. ``points`` as in ``mean_absolute_error``.

    >>> maximum_mae([1, 1, 1, 2], [1, 1, 1, 1])
    1.0
    """
    return over_observed(_absolute_by_class(n, points=points), np.maximum)


@measure(
    kind=PointsByClassMetric,
    symbol="AMSE",
    range=_SQUARED,
    symmetric=False,
    reference=ref.BACCIANELLA_2009,
    claimed=OrdinalProperties(False, True, True),
    parameters=_ABSENT,
    varying=_Varying(_SQUARED, 2),
    formula=r"\text{AMSE} = \frac{1}{K_{\text{obs}}}"
    r" \sum_{r_i > 0} \frac{1}{r_i} \sum_j n_{ij}\, d_{ij}^2" + _ZERO + _APART,
)
def average_mse(
    n: Floats, *, absent: Literal["ignore", "zero"] = "ignore", points: Floats | None = None
) -> Floats:
    """Mean over classes of the mean squared error of each class (macro-averaged MSE).

    A rare class counts as much as a common one. ``absent`` and ``points`` as in ``average_mae``.

    >>> average_mse([1, 1, 1, 3], [1, 1, 1, 1], labels=[1, 2, 3])
    2.0
    """
    return _class_average(n, _apart(n, points) ** 2, absent)


@measure(
    symbol="bias",
    range=_SIGNED,
    varying=_varying_signed,
    greater_is_better=None,
    symmetric=False,
    reversal_invariant=False,
    reference=ref.WILLMOTT_2005,
    formula=r"\text{bias} = \frac{1}{N} \sum_{i,j} n_{ij}\, (j - i),"
    r" \qquad v_j - v_i \text{ instead of } j - i \text{ with points}",
)
def mean_signed_error(n: Floats, *, points: Floats | None = None) -> Floats:
    """Mean of predicted minus true position: above zero when predictions are too high.

    Two-sided: zero is best, and neither direction is better. Errors up and down cancel, so zero
    does not mean few errors. ``points`` as in ``mean_absolute_error``.

    >>> mean_signed_error([1, 2, 3, 3], [2, 2, 3, 3])
    0.25
    """
    return _mean(n, _gaps(n.shape[-1], points))


@measure(
    kind=PlainMetric,
    symbol="cos",
    best=1,
    range=Range(0, 1, _cosines, "[2K / (K² + 1), 1]"),
    greater_is_better=True,
    reversal_invariant=False,
    depends_on_empty_levels=True,
    reference=ref.GHOSH_2015,
    varying=None,
    parameters={},
    claimed=OrdinalProperties(False, True, False),
    formula=r"\cos = \frac{\sum_{i,j} n_{ij}\, (i + 1)(j + 1)}"
    r"{\sqrt{\sum_i r_i\, (i + 1)^2 \cdot \sum_j c_j\, (j + 1)^2}}",
)
def cosine_similarity(n: Floats) -> Floats:
    """Cosine of the angle between the vectors of true and predicted positions, counted from 1.

    It depends on the starting number, so reversing the scale changes it. Even the worst prediction
    scores well above 0 on a short scale.

    >>> round(cosine_similarity([1, 2], [2, 1], labels=[1, 2]), 3)
    0.8
    """
    rank = np.arange(1.0, n.shape[-1] + 1)
    product = ((n @ rank) * rank).sum(axis=-1)
    squares = (truth(n) @ rank**2) * (prediction(n) @ rank**2)
    return ratio(product, np.sqrt(squares))
