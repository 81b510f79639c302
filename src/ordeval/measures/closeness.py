"""The Closeness Evaluation Measure at three scales (Amigó et al. 2020).

Two classes are close when few items lie between them: the distances come from the class sizes of
the truth, and none is assumed. Unanswered items can count as closeness 0, as in the authors'
program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.types import Floats, check_choice
from ordeval.data.confusion import ConfusionMatrix
from ordeval.exceptions import ParameterError
from ordeval.measures.calls import UnansweredOptions
from ordeval.measures.metric import Metric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import (
    after,
    at,
    before,
    distance,
    others,
    ratio,
    total,
    truth,
)
from ordeval.measures.parts.checks import OneOf, of_length, one_per_class
from ordeval.measures.parts.facts import NO_ITEMS, ONE_TRUE_CLASS, UNIT, OrdinalProperties
from ordeval.measures.registry import SharedFacts

Closeness = Literal["ord", "nom", "int", "ord_flat"]

_GAINED = (
    r"\frac{\sum_{r_i > 0} \sum_j n_{ij}\, \text{prox}_{ij}}"
    r"{\sum_{r_i > 0} r_i\, \text{prox}_{ii}}, \\"
)
_BETWEEN = r"\sum\limits_{k = \min(i, j)}^{\max(i, j)} r_k - \frac{r_j}{2}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClosenessMetric(Metric):
    """A measure of closeness, which can count items without a prediction."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[UnansweredOptions]
        ) -> float:
            """Score predicted labels."""

    def _count(
        self, params: dict[str, Any], y_true: Any, y_pred: Any, **how: Any
    ) -> ConfusionMatrix:
        """Count labels; ``unanswered="zero"`` becomes the items of each class that have none."""
        if not isinstance(params.get("unanswered"), str):
            return super()._count(params, y_true, y_pred, **how)
        check_choice(f"{self.name}: unanswered", params["unanswered"], ("zero",))
        answered = super()._count(params, y_true, y_pred, **{**how, "missing": "drop"})
        asked = super()._count(params, y_true, y_true, **{**how, "labels": answered.scale})
        params["unanswered"] = asked.support - answered.support
        return answered


def _left(value: Any, k: int) -> Floats | None:
    """Return the number of items per class without a prediction."""
    if value is None:
        return None
    if isinstance(value, str):
        raise ParameterError(
            f"unanswered must hold {k} numbers, the items of each class without a prediction; "
            f"{value!r} is for labels, of which it counts those that are missing."
        )
    return of_length(one_per_class(value, "unanswered"), k, "unanswered")


measure = SharedFacts(
    ClosenessMetric,
    parameters={"unanswered": _left},
    family="closeness",
    best=1,
    range=UNIT,
    greater_is_better=True,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=NO_ITEMS,
    reference=ref.AMIGO_2020,
)


@checked
def proximity(class_sizes: Any, kind: Closeness = "ord") -> Floats:
    """Compute the proximity of each predicted class to each true class, in bits.

    Parameters
    ----------
    class_sizes
        Items of each class in the truth, lowest class first.
    kind
        ``"ord"``: -log2 of the share of items between the two: half the predicted class plus all of
        the true class; ``"nom"``, ``"int"``: for nominal and interval scales; ``"ord_flat"``: 1 -
        share instead of its logarithm.

    Returns
    -------
    numpy.ndarray
        Proximities (K, K), rows truth, columns prediction; infinite where no item lies between.

    Raises
    ------
    ParameterError
        If the sizes are not numbers, one for each class, or ``kind`` is unknown.

    Examples
    --------
    >>> proximity([10, 60, 30]).round(2)
    array([[4.32, 1.32, 0.23],
           [0.62, 1.74, 0.42],
           [0.07, 0.74, 2.74]])
    """
    sizes = one_per_class(class_sizes)
    if not sizes.any():
        raise ParameterError("class_sizes must not all be zero.")
    return _proximity(sizes, OneOf("kind", get_args(Closeness))(kind, len(sizes)))


def _proximity(sizes: Floats, kind: Closeness) -> Floats:
    """Proximities (..., K, K), rows truth, columns prediction, from class sizes (..., K)."""
    match kind:
        case "nom":
            within, without = _share_of_same_class(sizes)
        case "int":
            within, without = _share_no_farther(sizes)
        case _:
            within, without = _share_between(sizes)
    items = sizes.sum(axis=-1)[..., None, None]
    if kind == "ord_flat":
        return ratio(without, items)
    # Near 1 the logarithm needs the complement, or rounding would swallow a rare class.
    few, most = ratio(within, items), ratio(without, items)
    with np.errstate(divide="ignore"):
        bits = np.where(few < 0.5, np.log2(few), np.log1p(-np.minimum(most, 0.5)) / np.log(2))
    return np.abs(bits)


def _share_between(sizes: Floats) -> tuple[Floats, Floats]:
    """Return the items between truth g and prediction s, and the rest; class s is split in half."""
    g, s = np.indices((sizes.shape[-1],) * 2)
    half = at(sizes, s) / 2
    low, high = np.minimum(g, s), np.maximum(g, s)
    rest = at(before(sizes), low) + at(after(sizes), high) + half
    return _window(sizes, low, high) - half, rest


def _share_no_farther(sizes: Floats) -> tuple[Floats, Floats]:
    """Return the items x with |x - g| <= |s - g|, and the rest."""
    k = sizes.shape[-1]
    g = np.arange(k)[:, None]
    reach = distance(k).astype(int)
    low, high = np.maximum(g - reach, 0), np.minimum(g + reach, k - 1)
    return _window(sizes, low, high), at(before(sizes), low) + at(after(sizes), high)


def _share_of_same_class(sizes: Floats) -> tuple[Floats, Floats]:
    """Return the items of class g if s = g, else all items."""
    same = np.eye(sizes.shape[-1], dtype=bool)
    within = np.where(same, sizes[..., None, :], sizes.sum(axis=-1)[..., None, None])
    return within, np.where(same, others(sizes)[..., None, :], 0.0)


def _window(sizes: Floats, low: Any, high: Any) -> Floats:
    """Sum the sizes from low to high, starting from the end with less to subtract."""
    below, above = at(before(sizes), low), at(after(sizes), high)
    upto, onwards = at(before(sizes) + sizes, high), at(after(sizes) + sizes, low)
    return np.where(upto <= onwards, upto - below, onwards - above)


def _closeness(n: Floats, kind: Closeness, unanswered: Floats | None) -> Floats:
    sizes = truth(n) if unanswered is None else truth(n) + unanswered
    table = np.where(sizes[..., :, None] > 0, _proximity(sizes, kind), 0.0)
    gained = (n * table).sum(axis=(-2, -1))
    largest = (sizes * np.diagonal(table, axis1=-2, axis2=-1)).sum(axis=-1)
    return ratio(gained, np.where(total(n) > 0, largest, 0.0))


@measure(
    symbol="CEM",
    claimed=OrdinalProperties(True, True, True),
    formula=r"\begin{split} \text{CEM} &= " + _GAINED + r" \text{prox}_{ij} &= -\log_2 \left\{"
    r" \frac{1}{N} \left( " + _BETWEEN + r" \right) \right\} \end{split}",
)
def cem_ord(n: Floats, *, unanswered: Floats | None = None) -> Floats:
    """Closeness Evaluation Measure: information about the truth that the prediction keeps.

    The sum over items of the proximity of prediction and truth, divided by that of a perfect
    prediction. Hits and near misses in rare classes count more.

    Parameters
    ----------
    unanswered
        Number of items per class that the system left unlabelled. They count in the class sizes
        with closeness 0. With labels, ``"zero"`` counts items with a missing prediction.

    Examples
    --------
    >>> round(cem_ord.from_confusion([[5, 1, 4], [5, 50, 5], [7, 8, 15]]), 2)
    0.71
    >>> round(cem_ord([1, 2, 2, 3], [1, 2, None, 3], unanswered="zero"), 2)
    0.8
    """
    return _closeness(n, "ord", unanswered)


@measure(
    symbol="CEM_nom",
    undefined_when=ONE_TRUE_CLASS,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\text{CEM}_{\text{nom}} = \frac{\sum_{r_i > 0} n_{ii}\, \log_2 (N / r_i)}"
    r"{\sum_{r_i > 0} r_i\, \log_2 (N / r_i)}",
)
def cem_nom(n: Floats, *, unanswered: Floats | None = None) -> Floats:
    """CEM at nominal scale: accuracy in which a hit in a rare class counts more.

    With classes of equal size it is the accuracy. ``unanswered`` as in ``cem_ord``.

    >>> cem_nom([1, 1, 2, 2], [1, 1, 2, 1])
    0.75
    """
    return _closeness(n, "nom", unanswered)


@measure(
    symbol="CEM_int",
    undefined_when=ONE_TRUE_CLASS,
    claimed=OrdinalProperties(False, True, True),
    formula=r"\begin{split} \text{CEM}_{\text{int}} &= " + _GAINED + r" \text{prox}_{ij} &="
    r" -\log_2 \left\{ \frac{1}{N} \sum\limits_{d_{ik} \le d_{ij}} r_k \right\} \end{split}",
)
def cem_int(n: Floats, *, unanswered: Floats | None = None) -> Floats:
    """CEM at interval scale: items between are those no farther away than the prediction.

    Distance is counted in steps, in both directions from the true class. ``unanswered`` as in
    ``cem_ord``.

    >>> cem_int([1, 2, 3], [1, 2, 3])
    1.0
    """
    return _closeness(n, "int", unanswered)


@measure(
    symbol="CEM_flat",
    formula=r"\begin{split} \text{CEM}_{\text{flat}} &= " + _GAINED + r" \text{prox}_{ij} &="
    r" 1 - \frac{1}{N} \left( " + _BETWEEN + r" \right) \end{split}",
)
def cem_ord_flat(n: Floats, *, unanswered: Floats | None = None) -> Floats:
    """CEM without the logarithm: 1 - share of the items between truth and prediction.

    Rare classes gain less than in ``cem_ord``. ``unanswered`` as in ``cem_ord``.

    >>> cem_ord_flat([1, 2, 3], [1, 2, 3])
    1.0
    """
    return _closeness(n, "ord_flat", unanswered)
