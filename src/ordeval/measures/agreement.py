"""Chance-corrected agreement, as used between raters.

All have the form 1 - observed disagreement / expected disagreement; they differ in the expected
part. Weights are disagreements: zero on the diagonal, larger for a worse error.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.calls import LevelMetric, PlainMetric, WeightedMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import before, distance, prediction, ratio, total, truth
from ordeval.measures.parts.checks import (
    OneOf,
    Weighting,
    disagreement_weights,
    own_matrix,
    weight_matrix,
)
from ordeval.measures.parts.facts import SIGNED, OrdinalProperties, Range, turns
from ordeval.measures.registry import SharedFacts

QUADRATIC = r"w_{ij} = \left( \frac{d_{ij}}{K - 1} \right)^2 \text{ by default}"

measure = SharedFacts(
    PlainMetric,
    family="agreement",
    best=1,
    range=SIGNED,
    greater_is_better=True,
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when="truth and prediction have the same single class",
)


def _facts_of_weights(*, weights: Any = "quadratic") -> dict[str, Any]:
    """Return the facts under custom weights, which may make one error very likely."""
    if isinstance(weights, str):
        return {"range": SIGNED, "symmetric": True, "reversal_invariant": True}
    return {"range": Range(-np.inf, 1), **turns(own_matrix(weights, "weights"))}


weighted_measure = measure.but(
    WeightedMetric, parameters={"weights": disagreement_weights}, varying=_facts_of_weights
)


def _uniform(k: int) -> tuple[float, float]:
    """Return the smallest and largest value if chance treats all classes as equally likely."""
    return 1.0 - 6.0 * (k - 1.0) / (k + 1.0), 1.0


_UNIFORM = Range(-5, 1, _uniform, "[1 - 6(K - 1)/(K + 1), 1]")


def _facts_of_uniform(*, weights: Any = "quadratic") -> dict[str, Any]:
    """Return the facts under uniform chance: the minimum is the worst error throughout."""
    if isinstance(weights, str):
        return {"range": _UNIFORM, "symmetric": True, "reversal_invariant": True}
    w = own_matrix(weights, "weights")
    least = 1 - w.max() / w.mean() if w.any() else -np.inf
    return {"range": Range(least, 1), **turns(w)}


uniform_measure = weighted_measure.but(
    WeightedMetric,
    range=_UNIFORM,
    varying=_facts_of_uniform,
    depends_on_empty_levels=True,
    undefined_when="the scale has only one level",
)


def _corrected(observed: Any, expected: Any) -> Floats:
    return 1.0 - ratio(observed, expected)


def observed_disagreement(n: Floats, w: Floats) -> Floats:
    """Return the mean disagreement of the observed pairs of labels."""
    return ratio((w * n).sum(axis=(-2, -1)), total(n))


def pooled_corrected(n: Floats, share: Floats, weights: Floats | str) -> Floats:
    """Apply Scott's correction: both labels of a pair are drawn from the pooled class shares."""
    w = weight_matrix(weights, n.shape[-1])
    return _corrected(observed_disagreement(n, w), ((share @ w) * share).sum(axis=-1))


def spread_corrected(n: Floats, share: Floats, weights: Floats | str) -> Floats:
    """Apply Gwet's correction: chance agreement depends on how spread out the class shares are."""
    k = n.shape[-1]
    w = weight_matrix(weights, k)
    w = w / (w.max() or np.nan)  # no disagreement counts: undefined
    hits_by_chance = (share * (1 - share)).sum(axis=-1)
    agreement_weight = (1 - w).sum() / (k * (k - 1)) if k > 1 else np.nan
    return _corrected(observed_disagreement(n, w), 1 - agreement_weight * hits_by_chance)


def _pooled_shares(n: Floats) -> Floats:
    return ratio(truth(n) + prediction(n), 2 * total(n)[..., None])


def chance_corrected(n: Floats, weights: Floats | str) -> Floats:
    """Apply Cohen's correction: expected disagreement from the margins of truth and prediction."""
    w = weight_matrix(weights, n.shape[-1])
    observed = (w * n).sum(axis=(-2, -1))
    expected = ((truth(n) @ w) * prediction(n)).sum(axis=-1)
    return _corrected(observed * total(n), expected)


@measure(
    symbol="κ",
    reference=ref.COHEN_1960,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\kappa = \frac{p_{\text{o}} - p_{\text{e}}}{1 - p_{\text{e}}},"
    r" \qquad p_{\text{o}} = \frac{1}{N} \sum_i n_{ii},"
    r" \qquad p_{\text{e}} = \frac{1}{N^2} \sum_i r_i\, c_i",
)
def cohen_kappa(n: Floats) -> Floats:
    """Chance-corrected agreement from the class sizes; every error counts the same.

    Depends on prevalence: the same recalls give another kappa for other class sizes.

    >>> cohen_kappa.from_confusion([[20, 5], [10, 15]])
    0.4
    """
    return chance_corrected(n, "nominal")


@weighted_measure(
    symbol="κw",
    reference=ref.COHEN_1968,
    claimed=OrdinalProperties(False, True, True),
    formula=r"\kappa_{\text{w}} = 1 - \frac{N \sum_{i,j} w_{ij}\, n_{ij}}"
    r"{\sum_{i,j} w_{ij}\, r_i\, c_j}, \qquad " + QUADRATIC,
)
def weighted_kappa(n: Floats, *, weights: Weighting | Floats = "quadratic") -> Floats:
    """Cohen's kappa in which an error counts by its distance, by default squared.

    ``weights`` is ``"quadratic"``, ``"linear"``, ``"nominal"``, or a K x K matrix of disagreements
    [true, predicted] with a zero diagonal. Moves with prevalence.

    >>> round(weighted_kappa([1, 2, 3, 3], [1, 2, 2, 3]), 4)
    0.8
    """
    return chance_corrected(n, weights)


@weighted_measure(
    symbol="π",
    reference=ref.SCOTT_1955,
    formula=r"\pi = 1 - \frac{4 N \sum_{i,j} w_{ij}\, n_{ij}}"
    r"{\sum_{i,j} w_{ij}\, (r_i + c_i)(r_j + c_j)}, \qquad " + QUADRATIC,
)
def scott_pi(n: Floats, *, weights: Weighting | Floats = "quadratic") -> Floats:
    """Agreement corrected for chance with the pooled class sizes of truth and prediction.

    Truth and prediction are assumed to share one class distribution.
    Default: quadratic weights. Scott's own coefficient is ``weights="nominal"``.

    >>> round(scott_pi.from_confusion([[20, 5], [10, 15]], weights="nominal"), 4)
    0.3939
    """
    return pooled_corrected(n, _pooled_shares(n), weights)


@uniform_measure(
    symbol="BP",
    reference=ref.BRENNAN_1981,
    formula=r"\text{BP} = 1 - \frac{K^2 \sum_{i,j} w_{ij}\, n_{ij}}{N \sum_{i,j} w_{ij}},"
    r" \qquad " + QUADRATIC,
)
def brennan_prediger(n: Floats, *, weights: Weighting | Floats = "quadratic") -> Floats:
    """Agreement corrected for chance with all K declared classes equally likely.

    Chance agreement does not depend on the class sizes. An unused level changes the value.
    Default: quadratic weights. Brennan and Prediger's own coefficient is ``weights="nominal"``.

    >>> brennan_prediger.from_confusion([[20, 5], [10, 15]])
    0.4
    """
    w = weight_matrix(weights, n.shape[-1])
    return _corrected(observed_disagreement(n, w), w.mean())


@uniform_measure(
    symbol="AC2",
    reference=ref.GWET_2014,
    formula=r"\begin{split} \text{AC2} &= 1 - \frac{\sum_{i,j} w_{ij}\, n_{ij}}"
    r"{N \left( 1 - a \sum_i \pi_i\, (1 - \pi_i) \right)}, \qquad " + QUADRATIC + r", \\"
    r" a &= \frac{\sum_{i,j} (1 - w_{ij})}{K (K - 1)},"
    r" \qquad \pi_i = \frac{r_i + c_i}{2 N} \end{split}",
)
def gwet_ac2(n: Floats, *, weights: Weighting | Floats = "quadratic") -> Floats:
    """Gwet's agreement coefficient, which stays sensible when one class dominates.

    Default: quadratic weights; AC1 is ``weights="nominal"``. K is the number of declared classes.
    A weight matrix is scaled to a largest disagreement of 1.

    >>> round(gwet_ac2.from_confusion([[20, 5], [10, 15]], weights="nominal"), 4)
    0.4059
    """
    return spread_corrected(n, _pooled_shares(n), weights)


@measure(
    kind=LevelMetric,
    symbol="α",
    reference=ref.HAYES_2007,
    parameters={"level": OneOf("level", ("ordinal", "nominal", "interval"))},
    formula=r"\begin{split} \alpha &= 1 - \frac{2\, (2 N - 1) \sum_{i,j} n_{ij}\, \delta_{ij}^2}"
    r"{\sum_{i,j} m_i\, m_j\, \delta_{ij}^2}, \qquad m_i = r_i + c_i, \\"
    r" \delta_{ij} &= \sum_{k = \min(i, j)}^{\max(i, j)} m_k - \frac{m_i + m_j}{2}"
    r" \text{ (ordinal, the default)} \end{split}",
)
def krippendorff_alpha(
    n: Floats, *, level: Literal["ordinal", "nominal", "interval"] = "ordinal"
) -> Floats:
    """Krippendorff's alpha: agreement of truth and prediction as two raters, chance removed.

    There are no missing values. ``level`` sets the distance between two classes: ``"ordinal"``,
    the number of items between their midpoints, both raters pooled; ``"interval"``, the number of
    steps; ``"nominal"``, the same for all pairs.

    >>> round(krippendorff_alpha([1, 2, 3, 3], [1, 2, 2, 3]), 4)
    0.79
    """
    pooled = truth(n) + prediction(n)
    d = distance(n.shape[-1])
    match level:
        case "nominal":
            squared = (d > 0).astype(np.float64)
        case "interval":
            squared = d**2
        case _:
            # Items between the midpoints of two classes, both raters pooled.
            middle = before(pooled) + pooled / 2
            squared = (middle[..., :, None] - middle[..., None, :]) ** 2
    coincidences = n + np.swapaxes(n, -1, -2)
    observed = (coincidences * squared).sum(axis=(-2, -1))
    expected = (pooled[..., :, None] * pooled[..., None, :] * squared).sum(axis=(-2, -1))
    pairable = 2 * total(n) - 1
    return _corrected(np.where(pairable > 0, pairable, np.nan) * observed, expected)
