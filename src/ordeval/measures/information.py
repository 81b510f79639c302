"""Information that the prediction gives about the truth when class names are ignored."""

from __future__ import annotations

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.calls import PlainMetric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import prediction, ratio, total, truth
from ordeval.measures.parts.facts import NO_ITEMS, OrdinalProperties, Range
from ordeval.measures.registry import SharedFacts


def _shares(k: int) -> tuple[float, float]:
    return 1.0 / k, 1.0


def _entropies(k: int) -> tuple[float, float]:
    return 0.0, float(np.log(k))


measure = SharedFacts(
    PlainMetric,
    family="information",
    best=1,
    range=Range(0, 1, _shares, "[1/K, 1]"),
    greater_is_better=True,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=NO_ITEMS,
    claimed=OrdinalProperties(True, False, True),
)


@measure(
    symbol="MI",
    best=np.inf,
    range=Range(0, np.inf, _entropies, "[0, log K]"),
    perfect=None,
    symmetric=True,
    biased=True,
    reference=ref.SHANNON_1948,
    formula=r"\text{MI} = \sum_{n_{ij} > 0} \frac{n_{ij}}{N}\, \ln \frac{N\, n_{ij}}{r_i\, c_j}",
)
def mutual_information(n: Floats) -> Floats:
    """Mutual information of truth and prediction, in nats.

    A perfect prediction reaches the entropy of the truth, at most log K. So does a prediction that
    permutes the class names.

    >>> round(mutual_information([1, 1, 2, 2], [1, 1, 2, 2]), 4)
    0.6931
    """
    share = ratio(n, total(n)[..., None, None])
    independent = truth(share)[..., :, None] * prediction(share)[..., None, :]
    occurs = share > 0
    log = np.log(ratio(share, independent), out=np.zeros_like(share), where=occurs)
    information: Floats = np.maximum((share * log).sum(axis=(-2, -1)), 0.0)
    return information


@measure(
    symbol="Pur",
    reference=ref.AMIGO_2009,
    formula=r"\text{Pur} = \frac{1}{N} \sum_j \max\limits_i n_{ij}",
)
def purity(n: Floats) -> Floats:
    """Share of items in the most common true class of their predicted class.

    Class names do not matter. A constant prediction scores the share of the largest true class.

    >>> purity([1, 2, 3, 3], [2, 2, 1, 1])
    0.75
    """
    return ratio(n.max(axis=-2).sum(axis=-1), total(n))


@measure(
    symbol="IPur",
    reference=ref.AMIGO_2009,
    formula=r"\text{IPur} = \frac{1}{N} \sum_i \max\limits_j n_{ij}",
)
def inverse_purity(n: Floats) -> Floats:
    """Share of items in the most common predicted class of their true class.

    Class names do not matter. A constant prediction scores 1.

    >>> inverse_purity([1, 2, 3, 3], [2, 2, 1, 1])
    1.0
    """
    return ratio(n.max(axis=-1).sum(axis=-1), total(n))
