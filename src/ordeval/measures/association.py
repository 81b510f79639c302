"""Does the order of the predictions follow the order of the truth?

Correlations and pairs of items, all from cumulative sums of the matrix, in O(K²) whatever the
number of items. They cannot see a shift: predictions that are all one class too high rank
perfectly. From a weighted matrix the pairs are N(N-1)/2 with N the summed weight, so the ranges of
tau-a and r_int hold for whole counts only.
"""

from __future__ import annotations

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.calls import PlainMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import (
    after,
    before,
    lower_left,
    others,
    pairs,
    prediction,
    ratio,
    total,
    truth,
    upper_right,
)
from ordeval.measures.parts.facts import ONE_CLASS, ONE_TRUE_CLASS, SIGNED, UNIT, OrdinalProperties
from ordeval.measures.registry import SharedFacts

_SAME_ORDER = (
    r"s_{ij} &= \sum_{k < i} \sum_{l < j} n_{kl} + \sum_{k > i} \sum_{l > j} n_{kl} \end{split}"
)

measure = SharedFacts(
    PlainMetric,
    family="association",
    best=1,
    range=SIGNED,
    greater_is_better=True,
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=ONE_CLASS,
)


def _correlation(n: Floats, row_values: Floats, column_values: Floats) -> Floats:
    """Return Pearson's correlation of centred values, given for each row and each column."""
    covariance = ((n * column_values[..., None, :]).sum(axis=-1) * row_values).sum(axis=-1)
    variances = [
        (margin * values**2).sum(axis=-1)
        for margin, values in ((truth(n), row_values), (prediction(n), column_values))
    ]
    return ratio(covariance, np.sqrt(variances[0] * variances[1]))


def _centred_positions(margin: Floats) -> Floats:
    positions = np.arange(float(margin.shape[-1]))
    return positions - ratio(margin @ positions, margin.sum(axis=-1))[..., None]


def _centred_ranks(margin: Floats) -> Floats:
    """Return the mid-rank minus the mean rank, up to a factor of 2 that cancels."""
    return before(margin) - after(margin)


@measure(
    symbol="r",
    reference=ref.PEARSON_1895,
    claimed=OrdinalProperties(False, False, False),
    formula=r"\begin{split} r &= \frac{\sum_{i,j} n_{ij}\, (i - \mu)(j - \nu)}"
    r"{\sqrt{\sum_i r_i\, (i - \mu)^2 \cdot \sum_j c_j\, (j - \nu)^2}}, \\"
    r" \mu &= \frac{1}{N} \sum_i i\, r_i, \qquad \nu = \frac{1}{N} \sum_j j\, c_j \end{split}",
)
def pearson_r(n: Floats) -> Floats:
    """Linear correlation of true and predicted positions.

    All steps are treated as equally long. It detects neither a shift nor a change of spread.

    >>> round(pearson_r([1, 2, 3, 3], [1, 2, 2, 3]), 4)
    0.8528
    """
    return _correlation(n, _centred_positions(truth(n)), _centred_positions(prediction(n)))


@measure(
    symbol="ρ",
    reference=ref.SPEARMAN_1904,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\begin{split} \rho &= \frac{\sum_{i,j} n_{ij}\, (u_i - \mu)(v_j - \mu)}"
    r"{\sqrt{\sum_i r_i\, (u_i - \mu)^2 \cdot \sum_j c_j\, (v_j - \mu)^2}},"
    r" \qquad \mu = \frac{N + 1}{2}, \\"
    r" u_i &= \sum_{k < i} r_k + \frac{r_i + 1}{2},"
    r" \qquad v_j = \sum_{l < j} c_l + \frac{c_j + 1}{2} \end{split}",
)
def spearman_rho(n: Floats) -> Floats:
    """Correlation of the ranks of truth and prediction, items of a class sharing their mean rank.

    It uses the order and the sizes of the classes, not distances. It cannot detect a shift.

    >>> round(spearman_rho([1, 2, 3, 3], [1, 2, 2, 3]), 4)
    0.8333
    """
    return _correlation(n, _centred_ranks(truth(n)), _centred_ranks(prediction(n)))


@measure(
    symbol="τa",
    perfect=None,
    undefined_when="there are fewer than two items",
    reference=ref.KENDALL_1938,
    claimed=OrdinalProperties(True, False, False),
    formula=r"\tau_{\text{a}} = \frac{C - D}{N (N - 1) / 2}",
)
def kendall_tau_a(n: Floats) -> Floats:
    """Concordant minus discordant pairs of items, as a share of all pairs.

    Ties count as no evidence, so even a perfect prediction stays below 1.

    >>> kendall_tau_a([1, 2, 3, 3], [1, 2, 3, 3])
    0.8333333333333334
    """
    p, items = pairs(n), total(n)
    every = np.where(items > 1, items * (items - 1) / 2, 0.0)
    return ratio(p.concordant - p.discordant, every)


@measure(
    symbol="τb",
    reference=ref.KENDALL_1945,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\tau_{\text{b}} = \frac{C - D}{\sqrt{(C + D + T_t)(C + D + T_p)}}",
)
def kendall_tau_b(n: Floats) -> Floats:
    """Concordant minus discordant pairs of items, corrected for ties in truth and prediction.

    George et al. 2016, eq. 3, print minus signs before the ties: a misprint.

    >>> round(kendall_tau_b([1, 2, 3, 3], [1, 2, 2, 3]), 4)
    0.8
    """
    p = pairs(n)
    scale = np.sqrt(p.untied_truth * p.untied_prediction)
    return ratio(p.concordant - p.discordant, scale)


@measure(
    symbol="τc",
    perfect=None,
    reference=ref.STUART_1953,
    formula=r"\tau_{\text{c}} = \frac{2 m\, (C - D)}{N^2\, (m - 1)},"
    r" \qquad m = \min\left( \sum\limits_{r_i > 0} 1,\, \sum\limits_{c_j > 0} 1 \right)",
)
def stuart_tau_c(n: Floats) -> Floats:
    """Concordant minus discordant pairs of items, over the most that a table of this size allows.

    The size is m, the number of classes that occur in truth or prediction, whichever is smaller.
    Classes of unequal size keep even a perfect prediction below 1.

    >>> stuart_tau_c([1, 2, 1, 2], [1, 2, 1, 2])
    1.0
    """
    p = pairs(n)
    m = np.minimum((truth(n) > 0).sum(axis=-1), (prediction(n) > 0).sum(axis=-1))
    return ratio(2.0 * m * (p.concordant - p.discordant), total(n) ** 2 * (m - 1))


@measure(
    symbol="γ",
    undefined_when="every pair of items is tied in truth or prediction",
    reference=ref.GOODMAN_1954,
    formula=r"\gamma = \frac{C - D}{C + D}",
)
def goodman_kruskal_gamma(n: Floats) -> Floats:
    """Concordant minus discordant pairs of items, as a share of the pairs that are tied nowhere.

    It ignores ties: it is 1 as soon as no pair is in the wrong order, however many are tied.

    >>> goodman_kruskal_gamma([1, 2, 3, 3], [1, 2, 2, 3])
    1.0
    """
    p = pairs(n)
    return ratio(p.concordant - p.discordant, p.concordant + p.discordant)


@measure(
    symbol="D",
    symmetric=False,
    undefined_when=ONE_TRUE_CLASS,
    reference=ref.SOMERS_1962,
    formula=r"D_{\text{Somers}} = \frac{C - D}{C + D + T_p}",
)
def somers_d(n: Floats) -> Floats:
    """Concordant minus discordant pairs, as a share of the pairs whose true classes differ.

    Somers' D of the prediction given the truth. A pair that the prediction ties counts as no
    evidence.

    >>> somers_d([1, 2, 3, 3], [1, 2, 2, 3])
    0.8
    """
    p = pairs(n)
    return ratio(p.concordant - p.discordant, p.untied_truth)


@measure(
    symbol="r_int",
    undefined_when="there are fewer than two items",
    reference=ref.PINTO_DA_COSTA_2014,
    formula=r"\begin{split} r_{\text{int}} &= -1 + \frac{2\, S_{12}}{\sqrt{S_1\, S_2}},"
    r" \qquad S_{12} = -N + \sum_{i,j} n_{ij} \sum_{k \ge i} \sum_{l \ge j} n_{kl}, \\"
    r" S_1 &= -N + \sum_i r_i \sum_{k \ge i} r_k,"
    r" \qquad S_2 = -N + \sum_j c_j \sum_{l \ge j} c_l \end{split}",
)
def r_int(n: Floats) -> Floats:
    """Overlap of the order relations of truth and prediction, ties being part of the relation.

    A relation is the set of ordered pairs of items (a, b) with a not above b. The overlap is what
    the two sets share over the geometric mean of their sizes, scaled to reach from -1 to 1.
    As corrected in 2014, with the lower limits of the inner sums that the print has lost.

    >>> r_int([3, 2, 1, 4], [1, 2, 3, 4])
    0.0
    """
    items = total(n)

    def ordered(margin: Floats) -> Floats:
        return np.asarray((margin * (margin + after(margin))).sum(axis=-1) - items)

    at_least = np.flip(np.cumsum(np.cumsum(np.flip(n, (-2, -1)), axis=-1), axis=-2), (-2, -1))
    both = (n * at_least).sum(axis=(-2, -1)) - items
    s1, s2 = (np.maximum(ordered(margin), 0.0) for margin in (truth(n), prediction(n)))
    return 2 * ratio(both, np.sqrt(s1 * s2)) - 1


def _reliability(n: Floats) -> Floats:
    same_order = lower_left(n) + upper_right(n)
    strict = others(prediction(n))
    share = ratio(same_order, strict[..., None, :])
    has_any = np.broadcast_to(strict[..., None, :] > 0, n.shape)
    return ratio(np.where(has_any, n * share, 0.0).sum(axis=(-2, -1)), (n * has_any).sum((-2, -1)))


@measure(
    symbol="Rel",
    range=UNIT,
    symmetric=False,
    undefined_when="the prediction has only one class",
    reference=ref.AMIGO_2013,
    formula=r"\begin{split} \text{Rel} &= \frac{1}{N} \sum_{i,j}"
    r" \frac{n_{ij}\, s_{ij}}{N - c_j}, \\ " + _SAME_ORDER,
)
def order_reliability(n: Floats) -> Floats:
    """Of the strict orders that the prediction asserts, the share that is true, mean over items.

    An item is compared with all items predicted in another class. Pairs tied in the prediction are
    ignored.

    >>> order_reliability([1, 2, 3], [1, 1, 2])
    1.0
    """
    return _reliability(n)


@measure(
    symbol="Sens",
    range=UNIT,
    symmetric=False,
    undefined_when=ONE_TRUE_CLASS,
    reference=ref.AMIGO_2013,
    formula=r"\begin{split} \text{Sens} &= \frac{1}{N} \sum_{i,j}"
    r" \frac{n_{ij}\, s_{ij}}{N - r_i}, \\ " + _SAME_ORDER,
)
def order_sensitivity(n: Floats) -> Floats:
    """Mean over items of the share of strict orders in the truth that the prediction keeps.

    An item is compared with all items of another true class. A pair tied in the prediction counts
    as not kept.

    >>> round(order_sensitivity([1, 2, 3], [1, 1, 2]), 4)
    0.6667
    """
    return _reliability(np.swapaxes(n, -1, -2))


@measure(
    symbol="F(R,S)",
    range=UNIT,
    reference=ref.AMIGO_2013,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\begin{split} \text{F(R,S)} &= \frac{2 R S}{R + S} \text{ (0 if both are 0)}, \qquad"
    r" R = \frac{1}{N} \sum_{i,j} \frac{n_{ij}\, s_{ij}}{N - c_j}, \qquad"
    r" S = \frac{1}{N} \sum_{i,j} \frac{n_{ij}\, s_{ij}}{N - r_i}, \\ " + _SAME_ORDER,
)
def reliability_sensitivity(n: Floats) -> Floats:
    """Harmonic mean of order reliability and order sensitivity; 0 when both are 0.

    >>> round(reliability_sensitivity([1, 2, 3], [1, 1, 2]), 4)
    0.8
    """
    reliability, sensitivity = _reliability(n), _reliability(np.swapaxes(n, -1, -2))
    both = reliability + sensitivity
    return np.where(both == 0, 0.0, ratio(2 * reliability * sensitivity, both))
