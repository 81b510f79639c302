"""A score cut into classes, the cut points tuned for a measure on scores of held-out items."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor  # type: ignore[import-untyped]
from sklearn.model_selection import check_cv  # type: ignore[import-untyped]
from sklearn.utils import _safe_indexing, indexable  # type: ignore[import-untyped]
from sklearn.utils.parallel import Parallel, delayed  # type: ignore[import-untyped]

from ordeval.exceptions import ParameterError
from ordeval.measures import Metric
from ordeval.models._base import (
    Floats,
    OrdinalMetaClassifier,
    Positions,
    check_choice,
    fit_weighted,
    number_of_items,
)
from ordeval.models.placement import CutPoints, SortedScores, place, tunable

Response = Literal["predict", "expected_class", "decision_function"]


class OrdinalCutpointClassifierCV(OrdinalMetaClassifier):
    """Classes from a score by ordered cut points that are tuned for a measure.

    Each fold is scored by a model that never saw it; the cut points are chosen on these scores, and
    ``estimator`` is then fitted on all items. A score that equals a cut point lies above it. Where
    training holds one class, that class is predicted and nothing is fitted.

    Parameters
    ----------
    estimator
        A regressor, which is fitted on the positions of the labels on the scale; or a classifier.
    metric
        A measure of labels, or its name. Measures that add up over items (accuracy, MAE, MSE, their
        averages over classes, costs, closeness) and Cohen's kappas are optimised exactly; others
        over all placements if these are few, and by a search otherwise.
    metric_params
        Parameters of the measure, a dict.
    labels
        The ordered labels, lowest first, or a Scale. May be left out for integers, which imply
        their order, and for ordered categoricals, which carry it.
    cv
        Folds as scikit-learn takes them: a number (stratified), a splitter, or pairs of indices.
    response
        The score: ``"predict"`` of a regressor, ``"expected_class"``, the mean position under
        ``predict_proba``, or a ``"decision_function"`` with one number an item. ``"auto"``: the
        first of these that ``estimator`` has, in this order.
    n_jobs
        Folds fitted at the same time, as in joblib.

    Attributes
    ----------
    classes_
        The classes seen in ``fit``, lowest first.
    scale_
        All levels, also those that no item had.
    cut_points_
        K - 1 numbers that do not fall; infinite where an end class is never predicted.
    exact_
        Whether the cut points are proven to be the best for the held-out scores.
    tuned_value_
        The measure on the scores that the cut points were chosen on: optimistic.
    cv_values_
        The measure on each fold under cut points chosen on the other folds, NaN where undefined.
        The models that scored those others did see this fold; for an estimate that nothing has
        touched, cross-validate this estimator as a whole.
    estimator_
        The estimator fitted on all items.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> x = [[i] for i in range(12)]
    >>> y = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    >>> model = OrdinalCutpointClassifierCV(LinearRegression(), metric="accuracy", cv=3)
    >>> model.fit(x, y).predict([[2], [7], [11]])
    array([1, 2, 3])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        metric: str | Metric = "weighted_kappa",
        metric_params: dict[str, Any] | None = None,
        labels: Any = None,
        cv: Any = 5,
        response: Literal["auto", "predict", "expected_class", "decision_function"] = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.metric_params = metric_params
        self.labels = labels
        self.cv = cv
        self.response = response
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrdinalCutpointClassifierCV:  # noqa: N803
        """Tune the cut points on held-out scores, then fit on all items.

        Parameters
        ----------
        X
            Features, whatever ``estimator`` takes.
        y
            Ordered labels.
        sample_weight
            Weights of the items, in the measure and in ``estimator``, which must take them.
        """
        codes, weight = self._start_fit(X, y, sample_weight)
        (X,) = indexable(X)  # noqa: N806
        response = self._response()
        tunable(self.metric).check_parameters(self.metric_params or {}, self.scale_.k)
        if len(self.classes_) == 1:
            self.cut_points_, self.exact_ = np.empty(0), True
            self.tuned_value_, self.cv_values_ = np.nan, np.empty(0)
            return self
        folds = list(check_cv(self.cv, codes, classifier=True).split(X, codes))
        scores = Parallel(n_jobs=self.n_jobs)(
            delayed(_held_out)(
                clone(self.estimator), X, codes, weight, self.positions_, train, test, response
            )
            for train, test in folds
        )
        self._tune([test for _, test in folds], scores, codes, weight)
        self.estimator_ = _fit(clone(self.estimator), X, codes, weight, self.positions_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class of each item: its score against the cut points."""
        self._check_features(X)
        if len(self.classes_) == 1:
            return self._labels_at(np.zeros(number_of_items(X), dtype=np.intp))
        scores = self.scores(X)
        return self._labels_at(np.searchsorted(self.cut_points_, scores, side="right"))

    def scores(self, X: Any) -> Floats:  # noqa: N803
        """The score that the cut points divide, greater for higher classes."""
        self._check_features(X)
        return _scores(self.estimator_, X, self.positions_, self._response())

    def _tune(
        self, tests: list[Positions], scores: list[Floats], codes: Positions, weight: Floats | None
    ) -> None:
        """Cut points from all folds, and the value of each fold under those of the others."""
        chosen = self._place(tests, scores, codes, weight)
        self.cut_points_, self.exact_ = chosen.cut_points, chosen.exact
        self.tuned_value_ = chosen.value
        values = []
        for fold, test in enumerate(tests):
            others = [i for i in range(len(tests)) if i != fold]
            tuned = chosen if not others else self._place(
                [tests[i] for i in others], [scores[i] for i in others], codes, weight
            )  # fmt: skip
            predicted = tuned.classify(scores[fold])
            values.append(self._value(codes[test], predicted, _part(weight, test)))
        self.cv_values_ = np.array(values)

    def _place(
        self, tests: list[Positions], scores: list[Floats], codes: Positions, weight: Floats | None
    ) -> CutPoints:
        items = np.concatenate(tests)
        data = SortedScores(
            np.concatenate(scores), codes[items], _part(weight, items), self.positions_,
            self.scale_.k,
        )  # fmt: skip
        return place(data, tunable(self.metric), self.metric_params or {})

    def _value(self, true: Positions, predicted: Positions, weight: Floats | None) -> float:
        k = self.scale_.k
        cells = self.positions_[true] * k + self.positions_[predicted]
        matrix = np.bincount(cells, weights=weight, minlength=k * k).reshape(k, k)
        metric = tunable(self.metric)
        return float(metric.evaluate(matrix, metric.check_parameters(self.metric_params or {}, k)))

    def _response(self) -> Response:
        check_choice(
            self.response, "response", ("auto", "predict", "expected_class", "decision_function")
        )
        has: dict[Response, bool] = {
            "predict": is_regressor(self.estimator),
            "expected_class": hasattr(self.estimator, "predict_proba"),
            "decision_function": hasattr(self.estimator, "decision_function"),
        }
        usable = [r for r in has if has[r] and self.response in ("auto", r)]
        if not usable:
            raise ParameterError(
                f"{type(self.estimator).__name__} gives no score for response={self.response!r}: "
                f'"predict" needs a regressor, "expected_class" predict_proba, '
                f'"decision_function" a method of that name.'
            )
        return usable[0]


def _fit(
    estimator: Any, x: Any, codes: Positions, weight: Floats | None, positions: Positions
) -> Any:
    """Regressors learn positions on the scale, classifiers the index of the class."""
    target = positions[codes].astype(np.float64) if is_regressor(estimator) else codes
    return fit_weighted(estimator, x, target, weight)


def _held_out(
    estimator: Any,
    x: Any,
    codes: Positions,
    weight: Floats | None,
    positions: Positions,
    train: Positions,
    test: Positions,
    response: Response,
) -> Floats:
    """Scores of the test items by a model of the training items."""
    fitted = _fit(
        estimator, _safe_indexing(x, train), codes[train], _part(weight, train), positions
    )
    return _scores(fitted, _safe_indexing(x, test), positions, response)


def _scores(fitted: Any, x: Any, positions: Positions, response: Response) -> Floats:
    if response == "expected_class":
        # The classes of this model: a fold may lack one.
        return np.asarray(fitted.predict_proba(x) @ positions[fitted.classes_].astype(np.float64))
    scores = np.asarray(getattr(fitted, response)(x), dtype=np.float64)
    if scores.ndim != 1:
        raise ParameterError(
            f"{response} of {type(fitted).__name__} gives an array of shape {scores.shape}, and "
            f'cut points need one score an item; use response="expected_class" or a regressor.'
        )
    return scores


def _part(weight: Floats | None, items: Positions) -> Floats | None:
    return None if weight is None else weight[items]
