"""What the prediction tells about the truth when the names of the classes are ignored."""

from __future__ import annotations

import numpy as np

from ordeval.measures import _references as ref
from ordeval.measures._arrays import Floats, prediction, ratio, total, truth
from ordeval.measures.registry import OrdinalProperties, Range, register

_NO_ITEMS = "there are no items"
_SHARE = Range(0, 1, lambda k: (1.0 / k, 1.0), "[1/K, 1]")


@register(
    symbol="MI",
    formula=r"\text{MI} = \sum_{n_{ij} > 0} \frac{n_{ij}}{N}\, \ln \frac{N\, n_{ij}}{r_i\, c_j}",
    family="information",
    best=np.inf,
    range=Range(0, np.inf, lambda k: (0.0, float(np.log(k))), "[0, log K]"),
    greater_is_better=True,
    perfect=None,
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=_NO_ITEMS,
    reference=ref.SHANNON_1948,
    claimed=OrdinalProperties(True, False, True),
)
def mutual_information(n: Floats) -> Floats:
    """Mutual information: what the prediction tells about the truth, in nats.

    A perfect prediction reaches the entropy of the truth, at most log K. So does one that gives
    each class the name of another.

    >>> round(mutual_information([1, 1, 2, 2], [1, 1, 2, 2]), 4)
    0.6931
    """
    share = ratio(n, total(n)[..., None, None])
    independent = truth(share)[..., :, None] * prediction(share)[..., None, :]
    occurs = share > 0
    log = np.log(ratio(share, independent), out=np.zeros_like(share), where=occurs)
    information: Floats = np.maximum((share * log).sum(axis=(-2, -1)), 0.0)
    return information


@register(
    symbol="Pur",
    formula=r"\text{Pur} = \frac{1}{N} \sum_j \max\limits_i n_{ij}",
    family="information",
    best=1,
    range=_SHARE,
    greater_is_better=True,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=_NO_ITEMS,
    reference=ref.AMIGO_2009,
    claimed=OrdinalProperties(True, False, True),
)
def purity(n: Floats) -> Floats:
    """Share of items in the commonest true class of their predicted class.

    The names of the classes do not matter. A constant prediction scores the share of the largest
    true class.

    >>> purity([1, 2, 3, 3], [2, 2, 1, 1])
    0.75
    """
    return ratio(n.max(axis=-2).sum(axis=-1), total(n))


@register(
    symbol="IPur",
    formula=r"\text{IPur} = \frac{1}{N} \sum_i \max\limits_j n_{ij}",
    family="information",
    best=1,
    range=_SHARE,
    greater_is_better=True,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=_NO_ITEMS,
    reference=ref.AMIGO_2009,
    claimed=OrdinalProperties(True, False, True),
)
def inverse_purity(n: Floats) -> Floats:
    """Share of items in the commonest predicted class of their true class.

    The names of the classes do not matter. A constant prediction scores 1.

    >>> inverse_purity([1, 2, 3, 3], [2, 2, 1, 1])
    1.0
    """
    return ratio(n.max(axis=-1).sum(axis=-1), total(n))
