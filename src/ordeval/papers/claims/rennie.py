"""The loss of Rennie & Srebro 2005, which Amigó et al. 2020 judge, as a measure of labels."""

from typing import Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.measures.metric import Metric
from ordeval.measures.parts.facts import Range
from ordeval.measures.parts.references import Reference


def threshold_losses(k: int) -> Floats:
    """All-threshold logistic loss of predicting j for i, beyond that of predicting i.

    A prediction is the number of its class, and thresholds lie halfway between classes; each costs
    log(1 + exp(-z)), where z is how far the prediction lies on the right side of it.

    >>> threshold_losses(3).round(2)
    array([[0.  , 0.77, 2.  ],
           [0.23, 0.  , 0.23],
           [2.  , 0.77, 0.  ]])
    """
    truth, predicted, threshold = np.ogrid[:k, :k, : k - 1]
    side = np.where(threshold < truth, 1.0, -1.0)
    loss = np.log1p(np.exp(-side * (predicted - threshold - 0.5))).sum(axis=-1)
    return np.asarray(loss - np.diagonal(loss)[:, None])


def _mean_loss(n: Floats) -> Floats:
    """Mean loss of the items, beyond that of a perfect prediction."""
    items = n.sum(axis=(-2, -1))
    summed = (n * threshold_losses(n.shape[-1])).sum(axis=(-2, -1))
    return np.asarray(np.where(items > 0, summed / np.maximum(items, 1), np.nan))


rennie_srebro_loss: Final = Metric(
    name="rennie_srebro_loss",
    kernel=_mean_loss,
    symbol="RS",
    family="distance",
    best=0,
    range=Range(0, np.inf),
    greater_is_better=False,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=True,
    undefined_when="there are no items",
    reference=Reference.of(
        "Rennie & Srebro 2005, Loss functions for preference levels: regression with discrete "
        "ordered labels, IJCAI workshop on advances in preference handling"
    ),
)
