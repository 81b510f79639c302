"""Any measure as an evaluation metric of LightGBM."""

from __future__ import annotations

from typing import Any

from ordeval.integrations._boosting import RoundMetric


class LightGBMMetric(RoundMetric):
    """A measure for ``feval=`` of ``lightgbm.train`` or ``eval_metric=`` of an estimator.

    It tells LightGBM its direction. Early stopping looks at every metric: say ``metric="None"``
    among the parameters to stop by this one alone.
    Weights of the evaluation set count. A round where the measure is undefined has its worst value.

    Parameters
    ----------
    metric
        A measure or its name.
    labels
        The numbers that LightGBM is trained on, lowest first: ``range(K)`` for classes, also of
        ``LGBMClassifier``, which numbers them itself. Probabilities give the most probable class,
        and the scores of a regression the nearest label.

    Examples
    --------
    >>> kappa = LightGBMMetric("weighted_kappa", labels=range(3))
    >>> kappa([0, 1, 2, 2], [0.2, 1.4, 1.6, 1.2])
    ('weighted_kappa', 0.8, True)
    """

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[str, float, bool]:
        """Name, value and direction, of predictions and a Dataset, or of truth and predictions."""
        if hasattr(second, "get_label"):
            value = self.value(second.get_label(), first, second.get_weight())
        else:
            value = self.value(first, second, sample_weight)
        return self.name, value, self.greater_is_better
