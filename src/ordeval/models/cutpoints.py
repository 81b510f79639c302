"""Cut a score into classes, with cut points tuned for a measure on held-out scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor  # type: ignore[import-untyped]
from sklearn.model_selection import check_cv  # type: ignore[import-untyped]
from sklearn.utils import _safe_indexing, indexable  # type: ignore[import-untyped]
from sklearn.utils.parallel import Parallel, delayed  # type: ignore[import-untyped]

from ordeval._shared.arguments import shown
from ordeval._shared.types import Floats, check_choice
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric
from ordeval.models._base import OrdinalMetaClassifier, check_jobs, fit_weighted, read_by_sklearn
from ordeval.models.choice import LevelNumbers
from ordeval.models.placement import Placement, SortedScores, place, refuse_undefined, tunable

Response = Literal["auto", "predict", "expected_class", "decision_function"]


class _FoldItems(NamedTuple):
    """Items as features or scores, with the class index of each."""

    x: Any
    codes: LevelNumbers
    weight: Floats | None

    def at(self, index: LevelNumbers) -> _FoldItems:
        weight = None if self.weight is None else self.weight[index]
        return _FoldItems(_safe_indexing(self.x, index), self.codes[index], weight)


class OrdinalCutpointClassifierCV(OrdinalMetaClassifier):
    """Classify by a score and ordered cut points that are tuned for a measure.

    Each fold is scored by a model that was not fitted on it. The cut points are chosen on these
    scores, and ``estimator`` is then fitted on all items. A score equal to a cut point lies above
    it. If the training data hold one class, that class is predicted and nothing is fitted.

    Parameters
    ----------
    estimator
        A regressor, which is fitted on the positions of the labels on the scale, or a classifier.
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
        ``predict_proba``, or a ``"decision_function"`` with one number per item. ``"auto"``:
        the first of these that ``estimator`` has, in this order.
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
        The measure on each fold under cut points chosen on the other folds, NaN where either has no
        value, as when there is only one split. The models that scored those others were trained on
        this fold; for an unbiased estimate, cross-validate this estimator as a whole.
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
        response: Response = "auto",
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
            Features that ``estimator`` accepts.
        y
            Ordered labels.
        sample_weight
            Weights of the items, in the measure and in ``estimator``, which must take them.
        """
        codes, weight = self._start_fit(X, y, sample_weight)
        items = _FoldItems(indexable(X)[0], codes, weight)
        response = self._response()
        check_jobs(self.n_jobs)
        if not isinstance(self.metric_params, Mapping | None):
            raise ParameterError(
                f"metric_params must be a mapping; got {shown(self.metric_params)}."
            )
        self._measure().checked_on(self.scale_, {})
        if len(self.classes_) == 1:
            self.cut_points_, self.exact_ = np.empty(0), True
            self.tuned_value_, self.cv_values_ = np.nan, np.empty(0)
            return self
        folds = self._folds(items)
        held_out = Parallel(n_jobs=self.n_jobs)(
            delayed(_held_out)(clone(self.estimator), items, fold, self.positions_, response)
            for fold in folds
        )
        self._tune(held_out)
        self.estimator_ = _fit(clone(self.estimator), items, self.positions_)
        return self

    def _folds(self, items: _FoldItems) -> list[tuple[LevelNumbers, LevelNumbers]]:
        """Return the training items and the held-out items of each fold."""
        with read_by_sklearn("cv"):
            splits = check_cv(self.cv, items.codes, classifier=True)
            folds = [tuple(map(np.asarray, fold)) for fold in splits.split(items.x, items.codes)]
        whole = all(len(fold) == 2 and all(x.dtype.kind in "iub" for x in fold) for fold in folds)
        if not folds or not whole:
            raise ParameterError(f"cv must divide the items into folds; got {shown(self.cv)}.")
        return [(train, test) for train, test in folds]

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict the class of each item by comparing its score with the cut points."""
        scores = self.scores(X)
        return self._labels_at(np.searchsorted(self.cut_points_, scores, side="right"))

    def scores(self, X: Any) -> Floats:  # noqa: N803
        """Return the score that the cut points divide; higher scores mean higher classes."""
        items = self._check_features(X)
        if len(self.classes_) == 1:
            return np.zeros(items)
        return _scores(self.estimator_, X, self.positions_, self._response())

    def _tune(self, folds: list[_FoldItems]) -> None:
        """Tune cut points on all folds, and evaluate each fold with cut points from the others."""
        chosen = refuse_undefined(self._place(folds))
        self.cut_points_, self.exact_ = chosen.cut_points, chosen.exact
        self.tuned_value_ = chosen.value
        others = [folds[:i] + folds[i + 1 :] for i in range(len(folds))]
        self.cv_values_ = np.array(list(map(self._fold_value, folds, others)))

    def _fold_value(self, fold: _FoldItems, others: list[_FoldItems]) -> float:
        """Return the value of a fold with cut points from the others, NaN where undefined."""
        if not others:
            return np.nan
        tuned = self._place(others)
        if np.isnan(tuned.value):
            return np.nan
        k = self.scale_.k
        true, predicted = self.positions_[fold.codes], self.positions_[tuned.classify(fold.x)]
        matrix = np.bincount(true * k + predicted, weights=fold.weight, minlength=k * k)
        params = tuned.metric.checked_on(self.scale_, {})
        return float(tuned.metric.evaluate(matrix.reshape(k, k), params))

    def _place(self, folds: list[_FoldItems]) -> Placement:
        scores, codes, weights = zip(*folds, strict=True)
        weight = None if weights[0] is None else np.concatenate(weights)
        data = SortedScores(
            np.concatenate(scores), np.concatenate(codes), weight, self.scale_, self.positions_
        )
        return place(data, self._measure())

    def _measure(self) -> Metric:
        return tunable(self.metric, self.metric_params or {})

    def _response(self) -> Response:
        check_choice("response", self.response, get_args(Response))
        has: dict[Response, bool] = {
            "predict": is_regressor(self.estimator),
            "expected_class": hasattr(self.estimator, "predict_proba"),
            "decision_function": hasattr(self.estimator, "decision_function"),
        }
        usable = [r for r in has if has[r] and self.response in ("auto", r)]
        if not usable:
            raise ParameterError(
                f"{type(self.estimator).__name__} gives no score for response={self.response!r}: "
                f'"predict" needs a regressor, "expected_class" needs predict_proba, and '
                f'"decision_function" a method of that name.'
            )
        return usable[0]


def _fit(estimator: Any, items: _FoldItems, positions: LevelNumbers) -> Any:
    """Fit the estimator: regressors on positions on the scale, classifiers on class indices."""
    target = items.codes
    if is_regressor(estimator):
        target = positions[items.codes].astype(np.float64)
    return fit_weighted(estimator, items.x, target, items.weight)


def _held_out(
    estimator: Any,
    items: _FoldItems,
    fold: tuple[LevelNumbers, LevelNumbers],
    positions: LevelNumbers,
    response: Response,
) -> _FoldItems:
    """Score the test items of a fold with a model of its training items."""
    train, test = (items.at(index) for index in fold)
    fitted = _fit(estimator, train, positions)
    return test._replace(x=_scores(fitted, test.x, positions, response))


def _scores(fitted: Any, x: Any, positions: LevelNumbers, response: Response) -> Floats:
    if response == "expected_class":
        # This model's own classes: a fold may lack one.
        return np.asarray(fitted.predict_proba(x) @ positions[fitted.classes_].astype(np.float64))
    scores = np.asarray(getattr(fitted, response)(x), dtype=np.float64)
    if scores.ndim != 1:
        raise ParameterError(
            f"{response} of {type(fitted).__name__} gives an array of shape {scores.shape}, but "
            f'cut points need one score per item; use response="expected_class" or a regressor.'
        )
    return scores
