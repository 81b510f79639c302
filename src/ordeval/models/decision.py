"""Choose the class with the lowest expected cost under predicted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone  # type: ignore[import-untyped]

from ordeval._shared.types import Floats, check_choice
from ordeval.data.level_names import misnamed
from ordeval.exceptions import ParameterError
from ordeval.measures.cost import george_cost
from ordeval.measures.parts.decisions import costs_between, lowest
from ordeval.models._base import OrdinalMetaClassifier, fit_weighted


class MinimumCostClassifier(OrdinalMetaClassifier):
    """Predict the class with the lowest expected cost instead of the most probable class.

    The expected cost of predicting j is the sum over classes i of the probability of i times
    ``cost[i, j]``. Ties go to the lowest class.

    Parameters
    ----------
    estimator
        A classifier with ``predict_proba``.
    cost
        ``"absolute"``: an error costs its distance, and the median class is predicted.
        ``"squared"``: it costs its distance squared, and the class nearest to the mean is
        predicted. ``"george"``: ``oe.george_cost`` of the class sizes of the training data (sums of
        weights, if given).
        Or a K x K matrix, rows truth, columns prediction, zero on the diagonal, over all K levels
        of the scale. Distances are between positions on the scale, empty levels included, save for
        ``"george"``, which has no cost for them and numbers the classes that occur.
    labels
        The ordered labels, lowest first, or a Scale. May be left out for integers, which imply
        their order, and for ordered categoricals, which carry it.

    Attributes
    ----------
    classes_
        The classes seen in ``fit``, lowest first.
    scale_
        All levels, also those that no item had.
    cost_
        Costs between the classes seen, rows truth, columns prediction.
    estimator_
        The fitted classifier.

    Notes
    -----
    The columns of probabilities are in the order of the scale. scikit-learn's own scorers of
    probabilities, such as ``neg_log_loss``, assume alphabetical order: score words with
    ``oe.scorer``, or use integer labels.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> y = [1, 1, 1, 2, 2, 3, 3]  # most are 1, the median is 2
    >>> model = MinimumCostClassifier(DummyClassifier(), cost="absolute")
    >>> model.fit([[0]] * 7, y).predict([[0]])
    array([2])
    """

    def __init__(self, estimator: Any, *, cost: Any = "absolute", labels: Any = None) -> None:
        self.estimator = estimator
        self.cost = cost
        self.labels = labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MinimumCostClassifier:  # noqa: N803
        """Fit the classifier and fix the costs.

        Parameters
        ----------
        X
            Features that ``estimator`` accepts.
        y
            Ordered labels.
        sample_weight
            Weights of the items; ``estimator`` must take them.
        """
        if not hasattr(self.estimator, "predict_proba"):
            raise ParameterError(
                f"expected costs need an estimator with predict_proba; "
                f"{type(self.estimator).__name__} has none. Calibrate it with scikit-learn's "
                f"CalibratedClassifierCV."
            )
        codes, weight = self._start_fit(X, y, sample_weight)
        self.cost_ = self._costs(np.bincount(codes, weights=weight))
        if len(self.classes_) > 1:
            self.estimator_ = fit_weighted(clone(self.estimator), X, codes, weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict the class with the lowest expected cost."""
        return self._labels_at(lowest(self.expected_costs(X)))

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probabilities of the wrapped classifier, with columns as in ``classes_``."""
        items = self._check_features(X)
        if len(self.classes_) == 1:
            return np.ones((items, 1))
        return np.asarray(self.estimator_.predict_proba(X))

    def expected_costs(self, X: Any) -> Floats:  # noqa: N803
        """Return the expected cost of predicting each class, with columns as in ``classes_``."""
        costs: Floats = self.predict_proba(X) @ self.cost_
        return costs

    def _costs(self, sizes: NDArray[Any]) -> Floats:
        """Return the costs between the classes seen in training."""
        seen = np.ix_(self.positions_, self.positions_)
        if not isinstance(self.cost, str):
            problem = misnamed(self.cost, self.scale_, "cost")
            if problem:
                raise ParameterError(problem)
            return costs_between(self.cost, self.scale_.k)[seen]
        check_choice("cost", self.cost, ("absolute", "squared", "george"))
        if self.cost == "george":
            return george_cost(sizes)
        return costs_between(self.cost, self.scale_.k)[seen]
