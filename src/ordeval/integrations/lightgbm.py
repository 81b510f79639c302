"""Any measure as an evaluation metric of LightGBM."""

from __future__ import annotations

from typing import Any

from ordeval.integrations._boosting import RoundMetric


class LightGBMMetric(RoundMetric):
    """Wrap a measure for ``feval=`` of ``lightgbm.train`` or ``eval_metric=`` of an estimator.

    LightGBM learns the direction from it. Early stopping considers every metric: set
    ``metric="None"`` in the parameters to stop by this one alone.
    Evaluation-set weights are used. A round with an undefined measure gets its worst value.

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
        """Return name, value and direction from predictions and Dataset, or two arrays."""
        if hasattr(second, "get_label"):
            value = self.value(second.get_label(), first, second.get_weight())
        else:
            value = self.value(first, second, sample_weight)
        return self.name, value, self.greater_is_better
