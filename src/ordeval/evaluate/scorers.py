"""Scorers for scikit-learn: cross-validation, search and permutation importance by any measure."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ordeval._shared.arguments import checked, listed
from ordeval._shared.extras import import_extra
from ordeval._shared.text import did_you_mean, nearest
from ordeval.data.columns import as_column
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale, as_scale, resolve_scale
from ordeval.exceptions import ParameterError, ScaleError
from ordeval.measures import Metric, get_metric
from ordeval.measures.metric import check_number
from ordeval.measures.registry import Chosen, choose, refuse_other_needs

Scorer = Callable[..., float]  # of an estimator, its data and the truth, as scikit-learn calls it


class OrdinalScore:
    """A measure with its scale and parameters, turned so that greater is better."""

    def __init__(
        self, metric: Metric, scale: Scale | None, undefined: float, params: dict[str, Any]
    ) -> None:
        self.metric, self.scale, self.undefined, self.params = metric, scale, undefined, params
        self.__name__ = metric.name

    @property
    def method(self) -> str | list[str]:
        """What an estimator is asked for: the area under the curve of a cut ranks probabilities."""
        if self.metric.needs == "probabilities":
            return "predict_proba"
        ranks = self.metric.takes_scores and self.metric.names_level
        return ["predict_proba", "predict"] if ranks else "predict"

    def _ranks(self, y_pred: Any) -> bool:
        """Whether a measure of ranking was given probabilities."""
        return self.metric.takes_scores and np.ndim(y_pred) == 2

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Score labels, or probabilities whose columns are in the order of the scale."""
        return self.known_classes(y_true, y_pred, None, sample_weight)

    def known_classes(
        self, y_true: Any, y_pred: Any, classes: Any, sample_weight: Any = None
    ) -> float:
        """Return the scorer with the classes of the estimator, the columns of its probabilities."""
        if self.metric.needs == "probabilities" or self._ranks(y_pred):
            scale = self.scale or _scale_of(classes, y_true)
            check_same_items([("y_true", y_true), ("y_prob", y_pred)])
            y_prob = y_pred if classes is None else _in_order(np.asarray(y_pred), classes, scale)
            value = self.metric(
                y_true,
                y_prob,
                labels=scale,
                sample_weight=sample_weight,
                undefined=self.undefined,
                **self.params,
            )
            return float(self.metric.utility(value))
        scale = self.scale or _scale_of(classes, y_true, y_pred)
        self.metric.check_names(scale, self.params)
        params = self.metric.levels_on(scale, self.params)
        cm = ConfusionMatrix.from_labels(y_true, y_pred, scale, sample_weight)
        # As a stack of one: a fold without a class is undefined, it does not stop the search.
        stack = cm.counts[None]
        (value,) = self.metric.from_confusion(stack, undefined=self.undefined, **params)
        return float(self.metric.utility(value))


@checked
def scorer(
    metric: str | Metric, *, labels: Any = None, undefined: float = np.nan, **params: Any
) -> Scorer:
    """Make a scikit-learn scorer of a measure; losses are negated, so that greater is better.

    Parameters
    ----------
    metric
        A measure or its name. Probability measures use ``predict_proba``, whose columns are put in
        the order of the scale, and so does ``threshold_auc`` if the estimator has it.
    labels
        The ordered labels, lowest first. May be left out for integer classes, which imply their
        range; a fold without a class is then scored on the classes of the model.
    undefined
        What an undefined value counts as, for example in a fold of one class.
    **params
        Parameters of the measure.

    Returns
    -------
    callable
        A scorer for ``scoring=``: called with an estimator, its data and the truth, it returns a
        float.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    ParameterError
        If the measure takes ratings, or a parameter is outside its domain.
    ScaleError
        If ``labels`` is not a scale.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = make_classification(n_classes=3, n_informative=4, random_state=0)
    >>> scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer("oc_index"))
    >>> bool((scores < 0).all())
    True
    """
    metric = get_metric(metric)
    if metric.needs == "ratings":
        refuse_other_needs(metric)
    own = ("labels", "undefined")
    for name in params:
        if name not in metric.parameters and (near := nearest(name, own)):
            raise ParameterError(f"scorer() got an unknown argument {name!r}.{did_you_mean(near)}")
    scale = None if labels is None else as_scale(labels)
    if scale is not None:
        metric.checked_on(scale, params)
    elif not metric.names_level:  # a level is found on the scale of each fold
        shapes = [np.shape(v) for v in params.values() if np.ndim(v)]
        metric.check_parameters(params, shapes[0][0] if shapes else 2)
    else:
        metric.with_params(**params)
    check_number(undefined, metric.name)
    score = OrdinalScore(metric, scale, undefined, params)
    made: Scorer = _scorer_class()(score, 1, {}, response_method=score.method)
    return made


@checked
def scorers(
    metrics: Chosen = None, *, labels: Any = None, undefined: float = np.nan
) -> dict[str, Scorer]:
    """Make scorers by name, for a search or cross-validation with many measures.

    Parameters
    ----------
    metrics
        Measures or their names; by default all measures of labels that are not expensive. Give a
        measure with parameters as ``oe.oc_index.with_params(share=0.25)``.
    labels, undefined
        As for ``scorer``.

    Returns
    -------
    dict
        A scorer by the name of each measure, for ``scoring=``.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    ParameterError
        If a measure takes ratings.
    ScaleError
        If ``labels`` is not a scale.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> sorted(scorers(["accuracy", "oc_index"], labels=[1, 2, 3]))
    ['accuracy', 'oc_index']
    """
    wanted = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    chosen = choose(None) if wanted is None else map(get_metric, listed(wanted, "metrics"))
    return {m.name: scorer(m, labels=labels, undefined=undefined) for m in chosen}


@lru_cache(maxsize=1)
def _scorer_class() -> Any:
    """scikit-learn's own scorer, told the classes that the estimator knows."""
    sklearn_metrics = import_extra("sklearn.metrics", extra="models", purpose="a scorer")
    base: Any = type(sklearn_metrics.make_scorer(abs))

    class OrdinalScorer(base):  # type: ignore[misc]
        def _score(self, method_caller: Any, estimator: Any, *data: Any, **kwargs: Any) -> float:
            features, y_true = data
            score = self._score_func
            asked = score.method
            if asked == "predict_proba" or (
                asked != "predict" and hasattr(estimator, "predict_proba")
            ):
                # scikit-learn's caller would hand on one column only of a binary problem.
                y_pred = estimator.predict_proba(features)
            else:
                y_pred = method_caller(estimator, "predict", features)
            classes = getattr(estimator, "classes_", None)
            return float(score.known_classes(y_true, y_pred, classes, **kwargs))

        def __reduce__(self) -> tuple[Any, ...]:
            return _rebuild, (self._score_func, self.__dict__.get("_metadata_request"))

    OrdinalScorer.__qualname__ = "OrdinalScorer"
    return OrdinalScorer


def _rebuild(score: OrdinalScore, request: Any) -> Any:
    made: Any = scorer(score.metric, labels=score.scale, undefined=score.undefined, **score.params)
    if request is not None:
        made._metadata_request = request
    return made


def _scale_of(classes: Any, *labels: Any) -> Scale:
    """The scale of integer classes: those that the estimator knows and those that occur."""
    if classes is None:
        raise ScaleError("the scorer needs labels=, because the estimator has no classes_.")
    known = as_column(np.asarray(classes), "classes_ of the estimator")
    columns = [known, *(as_column(x, "y") for x in labels)]
    return resolve_scale(columns, None)[0]


def _in_order(prob: Any, classes: Any, scale: Scale) -> Any:
    """Columns in the order of the scale; a class that the model never saw has probability 0."""
    positions = scale.encode(np.asarray(classes), name="classes of the estimator")
    ordered = np.zeros((len(prob), scale.k))
    ordered[:, positions] = prob
    return ordered
