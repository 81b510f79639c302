"""How measures change as predictions get worse step by step, in a known way.

The curves come from expected matrices, so they contain no sampling noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked, floats
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import number
from ordeval._shared.types import Floats, check_choice
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric
from ordeval.measures.registry import Chosen, choose

Degradation = Literal["noise", "shift", "shrink", "majority"]

DEGRADATIONS: Final[tuple[Degradation, ...]] = get_args(Degradation)
STEPS: Final = tuple(i / 20 for i in range(21))


@dataclass(frozen=True, eq=False, repr=False)
class DegradationCurves(Result):
    """Values (degradations, measures, rates) of each measure along each degradation."""

    _kind = "ordeval.degradation"

    degradations: tuple[Degradation, ...]
    metrics: tuple[Metric, ...]
    rates: tuple[float, ...]
    values: Floats

    @property
    def utilities(self) -> Floats:
        """Return the values, turned so that higher is better."""
        turned = [m.utility(self.values[:, i]) for i, m in enumerate(self.metrics)]
        return np.stack([np.asarray(u, dtype=np.float64) for u in turned], axis=1)

    @property
    def falls(self) -> NDArray[np.bool_]:
        """Return whether a measure never improves as the predictions get worse."""
        return np.asarray((np.diff(self.utilities, axis=-1) <= 1e-9).all(axis=-1))

    @property
    def notices(self) -> NDArray[np.bool_]:
        """Return whether a measure is worse at the end than at the start."""
        u = self.utilities
        return np.asarray(u[..., 0] - u[..., -1] > 1e-9)

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per degradation, measure and rate."""
        return [
            {"degradation": d, "metric": m.name, "rate": r, "value": float(self.values[i, j, t])}
            for i, d in enumerate(self.degradations)
            for j, m in enumerate(self.metrics)
            for t, r in enumerate(self.rates)
        ]

    def table(self) -> Table:
        """Return the value halfway and at the end of each degradation, and remarks about it."""
        middle = len(self.rates) // 2
        rows = tuple(
            (Cell(m.name), *(self._cell(i, j, middle) for i in range(len(self.degradations))))
            for j, m in enumerate(self.metrics)
        )
        notes = (
            f"Values at rate {self.rates[middle]:g} and at rate {self.rates[-1]:g}.",
            "blind: no worse at the end than at the start; rises: better somewhere on the way.",
        )
        return Table(("measure", *self.degradations), rows, notes=notes)

    def _cell(self, i: int, j: int, middle: int) -> Cell:
        values = self.values[i, j]
        remark = "" if self.falls[i, j] else "rises"
        if not self.notices[i, j]:
            remark = "" if np.isnan(values[-1]) else "blind"
        return Cell(f"{number(values[middle])} {number(values[-1])}", remark)


@checked
def degraded_matrices(class_sizes: Any, degradation: Degradation, rates: Any = STEPS) -> Floats:
    """Compute expected confusion matrices of predictions that get worse.

    Parameters
    ----------
    class_sizes
        Items of each class in the truth.
    degradation
        ``"noise"``: a share of the predictions becomes uniform over the classes; ``"shift"``: a
        share becomes the next class, the last stays; ``"shrink"``: each prediction moves a share
        of its way to the middle of the scale and is split between two classes if it ends between
        them; ``"majority"``: a share becomes the largest class.
    rates
        The shares, from 0 to 1.

    Returns
    -------
    numpy.ndarray
        Matrices (rates, K, K), rows truth, columns prediction.

    Raises
    ------
    ParameterError
        If there is no such degradation, or a rate is not from 0 to 1.

    Examples
    --------
    >>> degraded_matrices([4, 2, 2], "shift", [0.5])
    array([[[2., 2., 0.],
            [0., 1., 1.],
            [0., 0., 2.]]])
    """
    sizes, steps = _check(class_sizes, rates)
    check_choice("degradation", degradation, DEGRADATIONS)
    k = len(sizes)
    classes = np.arange(k)
    if degradation == "shrink":
        middle = (k - 1) / 2
        place = classes + steps[:, None] * (middle - classes)
        away = np.abs(place[:, :, None] - classes)
        return np.asarray(np.clip(1 - away, 0, 1) * sizes[:, None])
    worst = {
        "noise": np.full((k, k), 1 / k),
        "shift": np.eye(k)[np.minimum(classes + 1, k - 1)],
        "majority": np.eye(k)[np.full(k, np.argmax(sizes))],
    }[degradation]
    rate = steps[:, None, None]
    return np.asarray(((1 - rate) * np.eye(k) + rate * worst) * sizes[:, None])


@checked
def degradation_curves(
    metrics: Chosen = None,
    class_sizes: Any = (100, 100, 100, 100, 100),
    *,
    degradations: Sequence[Degradation] = DEGRADATIONS,
    rates: Sequence[float] = STEPS,
) -> DegradationCurves:
    """Compute how measures fall as predictions get worse.

    Parameters
    ----------
    metrics
        Measures or their names; by default all that are quick.
    class_sizes
        Items of each class in the truth.
    degradations, rates
        As for ``degraded_matrices``.

    Returns
    -------
    DegradationCurves
        The value of each measure at each rate of each degradation.

    Raises
    ------
    ParameterError
        If there is no such degradation, or a rate is not from 0 to 1.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> curves = degradation_curves(["accuracy", "kendall_tau_b"], rates=(0, 0.5, 1))
    >>> curves.values[0, 0]
    array([1. , 0.6, 0.2])
    """
    chosen = choose(metrics)
    if not list(degradations):
        raise ParameterError("degradations is empty; name at least one.")
    stack = np.stack([degraded_matrices(class_sizes, d, rates) for d in degradations])
    values = np.stack([np.asarray(m.on(stack.shape[-1]).values(stack)) for m in chosen], axis=1)
    return DegradationCurves(tuple(degradations), chosen, tuple(rates), values)


def _check(class_sizes: Any, rates: Any) -> tuple[Floats, Floats]:
    sizes, steps = floats(class_sizes, "class_sizes"), floats(rates, "rates")
    if sizes.ndim != 1 or len(sizes) < 2 or not (np.isfinite(sizes) & (sizes >= 0)).all():
        raise ParameterError(
            f"class_sizes must be numbers that are not negative, one for each of at least two "
            f"classes; got {class_sizes!r}."
        )
    if steps.ndim != 1 or not len(steps) or not ((steps >= 0) & (steps <= 1)).all():
        raise ParameterError(f"rates must be numbers from 0 to 1; got {rates!r}.")
    return sizes, steps
