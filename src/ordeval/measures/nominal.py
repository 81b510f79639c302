"""Measures that only ask whether a prediction is right, or nearly right.

They are blind to the order of the classes; ``accuracy_within`` is the exception that looks one
step around.
"""

from __future__ import annotations

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.calls import PlainMetric, WithinMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import (
    after,
    before,
    diagonal,
    distance,
    observed,
    over_observed,
    prediction,
    ratio,
    recalls,
    total,
    truth,
    untied_pairs,
)
from ordeval.measures.parts.checks import Whole
from ordeval.measures.parts.facts import (
    NO_ITEMS,
    ONE_CLASS,
    SIGNED,
    UNIT,
    ByClass,
    OrdinalProperties,
)
from ordeval.measures.registry import SharedFacts

measure = SharedFacts(
    PlainMetric,
    family="accuracy",
    best=1,
    range=UNIT,
    greater_is_better=True,
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=NO_ITEMS,
)


@measure(
    symbol="Acc",
    reference=ref.SOKOLOVA_2009,
    claimed=OrdinalProperties(True, False, False),
    formula=r"\text{Acc} = \frac{1}{N} \sum_i n_{ii}",
)
def accuracy(n: Floats) -> Floats:
    """Share of items predicted in their true class.

    A near error counts as much as a far one, and large classes dominate.

    >>> accuracy([1, 2, 3, 3], [1, 2, 2, 3])
    0.75
    """
    return ratio(diagonal(n).sum(axis=-1), total(n))


@measure(
    symbol="MER",
    best=0,
    greater_is_better=False,
    reference=ref.CARDOSO_2011,
    formula=r"\text{MER} = \frac{1}{N} \sum_{i \ne j} n_{ij}",
)
def misclassification_error(n: Floats) -> Floats:
    """Share of items predicted in a wrong class: 1 - accuracy.

    >>> misclassification_error([1, 2, 3, 3], [1, 2, 2, 3])
    0.25
    """
    return ratio((n * (distance(n.shape[-1]) > 0)).sum(axis=(-2, -1)), total(n))


@measure(
    kind=WithinMetric,
    symbol="Acc±n",
    reference=ref.GAUDETTE_2009,
    claimed=OrdinalProperties(True, False, False),
    parameters={"n": Whole("n")},
    formula=r"\text{Acc}_{\pm n} = \frac{1}{N} \sum_{d_{ij} \le n} n_{ij},"
    r" \qquad n = 1 \text{ by default}",
)
def accuracy_within(counts: Floats, *, n: int = 1) -> Floats:
    """Share of items predicted at most ``n`` classes away from the truth.

    On a short scale it is generous: with K = 3 and n = 1 only the two extreme errors count.

    >>> accuracy_within([1, 2, 3, 3], [1, 1, 2, 1])
    0.75
    """
    near = distance(counts.shape[-1]) <= n
    return ratio((counts * near).sum(axis=(-2, -1)), total(counts))


@measure(
    symbol="BAcc",
    symmetric=False,
    reference=ref.BRODERSEN_2010,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\text{BAcc} = \frac{1}{K_{\text{obs}}} \sum_{r_i > 0} \frac{n_{ii}}{r_i}",
)
def balanced_accuracy(n: Floats) -> Floats:
    """Mean recall over the classes that occur in the truth (macro-average accuracy).

    A rare class counts as much as a common one. A near error counts as much as a far one.

    >>> balanced_accuracy([1, 1, 1, 2], [1, 1, 1, 1])
    0.5
    """
    return ratio(over_observed(recalls(n), np.add), observed(n))


@measure(
    symbol="F1",
    reference=ref.SOKOLOVA_2009,
    claimed=OrdinalProperties(True, False, True),
    formula=r"\text{F1} = \frac{1}{m} \sum_{r_i + c_i > 0} \frac{2\, n_{ii}}{r_i + c_i},"
    r" \qquad m = \sum_{r_i + c_i > 0} 1",
)
def f1_macro(n: Floats) -> Floats:
    """Mean F1 score of the classes that occur in truth or prediction.

    The F1 score of a class is the harmonic mean of its precision and its recall. A class that is
    predicted but does not occur in the truth counts as 0.

    >>> f1_macro([1, 1, 2, 2], [1, 1, 2, 2])
    1.0
    """
    f1 = ratio(2 * diagonal(n), truth(n) + prediction(n))
    return ratio(over_observed(f1, np.add), (~np.isnan(f1)).sum(axis=-1))


@measure(
    symbol="MCC",
    range=SIGNED,
    undefined_when=ONE_CLASS,
    reference=ref.GORODKIN_2004,
    formula=r"\text{MCC} = \frac{N \sum_i n_{ii} - \sum_i r_i\, c_i}"
    r"{\sqrt{\left(N^2 - \sum_i r_i^2\right) \left(N^2 - \sum_j c_j^2\right)}}",
)
def matthews_corrcoef(n: Floats) -> Floats:
    """Correlation of truth and prediction, each coded by one indicator per class (R_K).

    A prediction that is independent of the truth scores about 0, whatever the class sizes.

    >>> round(matthews_corrcoef.from_confusion([[20, 5], [10, 15]]), 4)
    0.4082
    """
    hit = diagonal(n)
    missed = before(n).diagonal(0, -2, -1) + after(n).diagonal(0, -2, -1)
    transposed = np.swapaxes(n, -1, -2)
    false = before(transposed).diagonal(0, -2, -1) + after(transposed).diagonal(0, -2, -1)
    off = 1.0 - np.eye(n.shape[-1])
    rest = (off @ n @ off).diagonal(0, -2, -1)
    # N * trace - sum r_k c_k, written as a sum over classes of TP TN - FN FP.
    covariance = (hit * rest - missed * false).sum(axis=-1)
    scale = np.sqrt(untied_pairs(truth(n)) * untied_pairs(prediction(n)))
    return ratio(covariance, 2 * scale)


@measure(
    symbol="MS",
    symmetric=False,
    reference=ref.FERNANDEZ_2010,
    by_class=ByClass(recalls, "smallest"),
    formula=r"\text{MS} = \min\limits_{r_i > 0} \frac{n_{ii}}{r_i}",
)
def min_sensitivity(n: Floats) -> Floats:
    """Smallest recall of a class that occurs in the truth.

    It shows the worst-served class and hides all others.

    >>> min_sensitivity([1, 1, 2, 2], [1, 1, 2, 1])
    0.5
    """
    return over_observed(recalls(n), np.minimum)


@measure(
    symbol="GMS",
    symmetric=False,
    reference=ref.KUBAT_1997,
    formula=r"\text{GMS} = \left( \prod\limits_{r_i > 0} \frac{n_{ii}}{r_i} \right)"
    r"^{1 / K_{\text{obs}}}",
)
def geometric_mean_sensitivity(n: Floats) -> Floats:
    """Geometric mean of the recalls of the classes that occur in the truth.

    One class without a correct item makes it 0.

    >>> geometric_mean_sensitivity([1, 1, 2, 2], [1, 1, 2, 2])
    1.0
    """
    product = over_observed(recalls(n), np.multiply)
    return product ** ratio(1.0, observed(n))


@measure(
    symbol="GMSEC",
    symmetric=False,
    depends_on_empty_levels=True,
    undefined_when="the lowest or the highest class does not occur in the truth",
    reference=ref.VARGAS_2024,
    by_class=ByClass(recalls, "ends"),
    formula=r"\text{GMSEC} = \sqrt{\frac{n_{00}}{r_0} \cdot \frac{n_{K - 1,\, K - 1}}{r_{K - 1}}}",
)
def extreme_sensitivity(n: Floats) -> Floats:
    """Geometric mean of the recalls of the lowest and the highest class.

    It considers these two classes only.

    >>> extreme_sensitivity([1, 1, 2, 3], [1, 1, 1, 3], labels=[1, 2, 3])
    1.0
    """
    recall = recalls(n)
    return np.sqrt(recall[..., 0] * recall[..., -1])
