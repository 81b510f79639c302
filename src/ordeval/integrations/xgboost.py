"""Any measure as an evaluation metric of XGBoost, and early stopping in its direction."""

from __future__ import annotations

from typing import Any

from ordeval._shared.arguments import checked
from ordeval._shared.extras import import_extra
from ordeval.integrations._boosting import RoundMetric


class XGBoostMetric(RoundMetric):
    """Wrap a measure for ``custom_metric=`` of ``xgboost.train`` or ``eval_metric=`` of an
    estimator.

    XGBoost treats a custom metric as a loss; ``early_stopping`` sets the right direction.
    Evaluation-set weights are used. A round with an undefined measure gets its worst value.

    Parameters
    ----------
    metric
        A measure or its name.
    labels
        The numbers that XGBoost is trained on, lowest first: ``range(K)`` for classes.
        Probabilities (``multi:softprob``) give the most probable class, classes
        (``multi:softmax``) themselves, and the scores of a regression the nearest label.

    Examples
    --------
    >>> kappa = XGBoostMetric("weighted_kappa", labels=range(5))
    >>> import xgboost
    >>> booster = xgboost.train(..., custom_metric=kappa,
    ...                         callbacks=[kappa.early_stopping(20)])  # doctest: +SKIP
    """

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        """Return name and value from predictions and a DMatrix, or the value from two arrays."""
        if hasattr(second, "get_label"):
            return self.name, self.value(second.get_label(), first, second.get_weight())
        return self.value(first, second, sample_weight)  # the signature of scikit-learn metrics

    @checked
    def early_stopping(self, rounds: int, **options: Any) -> Any:
        """Return a callback that stops after this many rounds without improvement.

        ``options`` are those of ``xgboost.callback.EarlyStopping``, such as ``save_best=True``.
        """
        callbacks = import_extra("xgboost.callback", extra="integrations", purpose="early stopping")
        return callbacks.EarlyStopping(
            rounds=rounds, metric_name=self.name, maximize=self.greater_is_better, **options
        )
