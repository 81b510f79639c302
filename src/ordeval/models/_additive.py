"""Measures whose optimum over cut points can be computed instead of searched.

For given class sizes of the truth, some measures are an increasing or decreasing function of a sum
over items of a loss that depends on the true and the predicted class. They are listed here with
their loss, scaled so that counts give whole numbers where they can. The tests prove each entry
against the registry, and that no registered measure is left out.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures import Metric
from ordeval.measures.closeness import proximity
from ordeval.measures.cost import george_cost
from ordeval.measures.parts.arrays import distance

LossMatrix = Floats  # (K, K), rows truth, columns prediction
Params = Mapping[str, Any]
Maker = Callable[[Floats, Params], LossMatrix | None]  # from class sizes and parameters


def losses(metric: Metric, params: Params, sizes: Floats) -> LossMatrix | None:
    """Return the loss per item, or None if the measure is not a sum over items.

    ``params`` are those of ``Metric.check_parameters``; ``sizes`` the class sizes of the truth.
    """
    make = _LOSSES.get(metric.registered_as)
    if make is None or not _is_original(metric):
        return None
    return make(sizes, params)


def quotients(
    metric: Metric, params: Params, sizes: Floats
) -> tuple[LossMatrix, LossMatrix] | None:
    """Return two losses such that the quotient of their sums falls as the measure rises, or None.

    Cohen's kappas: observed disagreement over that expected from the margins. With the truth fixed,
    the latter too is a sum over items, of a loss that depends on the prediction alone.
    """
    if not is_kappa(metric) or not _is_original(metric):
        return None
    default = "nominal" if metric.registered_as == "cohen_kappa" else "quadratic"
    disagreement = _disagreement(params.get("weights", default), len(sizes))
    expected = np.broadcast_to(sizes @ disagreement / sizes.sum(), disagreement.shape)
    return disagreement, expected


def is_kappa(metric: Metric) -> bool:
    """Return whether the measure is one of Cohen's kappas."""
    return metric.registered_as in ("cohen_kappa", "weighted_kappa")


def _is_original(metric: Metric) -> bool:
    """Return whether the measure is the built-in one, not a user's measure with the same name."""
    return bool(getattr(metric.kernel, "__module__", "").startswith("ordeval.measures."))


def _disagreement(weights: Any, k: int) -> LossMatrix:
    """Return disagreement weights; named schemes give whole numbers."""
    if not isinstance(weights, str):
        return np.asarray(weights, dtype=np.float64)
    d = distance(k)
    return {"quadratic": d**2, "linear": d, "nominal": (d > 0).astype(np.float64)}[weights]


def _by_class(loss: LossMatrix, sizes: Floats) -> LossMatrix:
    """Return the loss of an item if every class that occurs counts equally."""
    return np.divide(loss, sizes[:, None], out=np.zeros_like(loss), where=sizes[:, None] > 0)


def _apart(sizes: Floats, params: Params) -> LossMatrix:
    """Return the distances between classes, in steps or in scale points."""
    points = params.get("points")
    if points is None:
        return distance(len(sizes))
    return np.asarray(np.abs(points[None, :] - points[:, None]))


def _cost(sizes: Floats, params: Params) -> LossMatrix:
    cost = params.get("cost")
    return distance(len(sizes)) if cost is None else cost


def _george(sizes: Floats, params: Params) -> LossMatrix | None:
    cost, given = params.get("cost"), params.get("class_sizes")
    if cost is not None:
        return np.asarray(cost)
    known = sizes if given is None else given
    return george_cost(known) if (known > 0).all() else None  # undefined for every placement


def _farness(kind: Any) -> Maker:
    def make(sizes: Floats, _: Params) -> LossMatrix:
        return -np.where(sizes[:, None] > 0, proximity(sizes, kind), 0.0)

    return make


def _crossing(*, above: bool) -> Maker:
    """Count items on one side of a cut that are predicted on the other side."""

    def make(sizes: Floats, params: Params) -> LossMatrix:
        over = np.arange(len(sizes)) >= params["at_least"]
        crossed = (over == above)[:, None] & (over != above)
        return np.asarray(crossed, dtype=np.float64)

    return make


_LOSSES: dict[str, Maker] = {
    "accuracy": lambda sizes, _: _disagreement("nominal", len(sizes)),
    "misclassification_error": lambda sizes, _: _disagreement("nominal", len(sizes)),
    "accuracy_within": lambda sizes, p: (distance(len(sizes)) > p.get("n", 1)).astype(np.float64),
    "balanced_accuracy": lambda sizes, _: _by_class(_disagreement("nominal", len(sizes)), sizes),
    "threshold_sensitivity": _crossing(above=True),
    "threshold_specificity": _crossing(above=False),
    "mean_absolute_error": lambda sizes, p: _apart(sizes, p),
    "mean_squared_error": lambda sizes, p: _apart(sizes, p) ** 2,
    "root_mean_squared_error": lambda sizes, p: _apart(sizes, p) ** 2,
    "average_mae": lambda sizes, p: _by_class(_apart(sizes, p), sizes),
    "average_mse": lambda sizes, p: _by_class(_apart(sizes, p) ** 2, sizes),
    "brennan_prediger": lambda sizes, p: _disagreement(p.get("weights", "quadratic"), len(sizes)),
    "expected_cost": _cost,
    "normalized_expected_cost": _cost,
    "misclassification_cost": _george,
    "cem_ord": _farness("ord"),
    "cem_nom": _farness("nom"),
    "cem_int": _farness("int"),
    "cem_ord_flat": _farness("ord_flat"),
}
