"""Shared parts of the ordinal classifiers: class order, input checks, weights.

The estimators here wrap another estimator, which never sees the labels. It is fitted on positions,
so its own alphabetical order of labels cannot matter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import base  # type: ignore[import-untyped]
from sklearn.pipeline import Pipeline  # type: ignore[import-untyped]
from sklearn.utils import get_tags, multiclass, validation  # type: ignore[import-untyped]

from ordeval._shared.arguments import is_whole, shown
from ordeval._shared.types import Floats
from ordeval.data.columns import as_column
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale, resolve_scale
from ordeval.exceptions import LabelError, OrdevalError, ParameterError
from ordeval.models.choice import LevelNumbers


class OrdinalMetaClassifier(
    base.ClassifierMixin,  # type: ignore[misc]
    base.MetaEstimatorMixin,  # type: ignore[misc]
    base.BaseEstimator,  # type: ignore[misc]
):
    """Base class of the classifiers of ordered labels that wrap another estimator.

    Wrappers of scikit-learn that renumber the target in alphabetical order before they fit, such as
    ``VotingClassifier``, ``BaggingClassifier`` and ``cross_val_predict`` with ``predict_proba``,
    lose the order of words: give them integers 0 .. K-1.

    After ``fit``, ``scale_`` holds all levels, ``classes_`` those that occurred, lowest first, and
    ``positions_`` where on the scale these are. A level that training never saw is not predicted.
    """

    estimator: Any
    labels: Any
    scale_: Scale
    classes_: NDArray[Any]
    positions_: LevelNumbers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags

    def _start_fit(self, x: Any, y: Any, sample_weight: Any) -> tuple[LevelNumbers, Floats | None]:
        """Learn the classes; return each item's class index and the weights."""
        check_estimator(self.estimator)
        with read_by_sklearn("X"):
            validation.validate_data(self, x, skip_check_array=True)
        with read_by_sklearn("y"):
            codes = self._read_target(y)
        with read_by_sklearn("X"):
            validation.check_consistent_length(x, codes)
        check_same_items([("X", x), ("y", y), ("sample_weight", sample_weight)])
        if sample_weight is not None:
            with read_by_sklearn("sample_weight"):
                sample_weight = validation._check_sample_weight(
                    sample_weight, x, dtype=np.float64, ensure_non_negative=True
                )
                total = np.append(sample_weight, float(sum(sample_weight)))
                validation.assert_all_finite(total, input_name="sample_weight")
        return codes, sample_weight

    def _read_target(self, y: Any) -> LevelNumbers:
        """Set the scale and the classes from the target; return each item's class index."""
        if y is None:
            # scikit-learn's own check looks for these words.
            raise LabelError(
                f"This {type(self).__name__} requires y to be passed, but the target y is None."
            )
        values = np.asarray(y)
        if values.ndim == 2 and values.shape[1] == 1:
            y = values = validation.column_or_1d(y, warn=True)
        if values.dtype.kind in "fc":
            validation.assert_all_finite(values, input_name="y")
            # Whole numbers can only be levels.
            multiclass.check_classification_targets(values)
            if self.labels is None:
                y = values.astype(np.int64)
        column = as_column(y, "y")
        self.scale_ = resolve_scale([column], self.labels)[0]
        positions = self.scale_.encode(column, name="y")
        self.positions_, codes = np.unique(positions, return_inverse=True)
        self.classes_ = _class_array(self.scale_.decode(self.positions_), values.dtype)
        return np.asarray(codes, dtype=np.intp)

    def _labels_at(self, index: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the labels of class indices."""
        chosen: NDArray[Any] = self.classes_[index]
        return chosen

    def _check_features(self, x: Any) -> int:
        """Check the model and the features; return the number of items."""
        validation.check_is_fitted(self, "classes_")
        if hasattr(self, "n_features_in_") and getattr(x, "ndim", 2) == 1:
            raise LabelError(
                "Expected a table with one row per item and one column per feature; got one row of "
                "numbers. Reshape your data: reshape(1, -1) for one item, reshape(-1, 1) for one "
                "feature."
            )
        with read_by_sklearn("X"):
            validation.validate_data(self, x, reset=False, skip_check_array=True)
            return int(validation._num_samples(x))


class InputTypeError(ParameterError, TypeError):
    """Raised for a wrong type, as scikit-learn's conventions require."""


@contextmanager
def read_by_sklearn(name: str) -> Iterator[None]:
    """Let scikit-learn's validation report problems with an argument."""
    try:
        yield
    except OrdevalError:
        raise
    except (TypeError, ValueError, LookupError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else ParameterError
        raise kind(f"{name}: {error}") from error


def check_estimator(estimator: Any) -> None:
    """Raise an error if the estimator cannot be fitted."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise ParameterError(
            f"estimator must be an estimator of scikit-learn, such as LogisticRegression(); got "
            f"{shown(estimator)}."
        )


def check_jobs(n_jobs: Any) -> None:
    """Raise an error if the number of processes is invalid."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ParameterError(
            f"n_jobs must be None or an integer other than 0; got {shown(n_jobs)}."
        )


def fit_weighted(estimator: Any, x: Any, y: Any, sample_weight: Floats | None) -> Any:
    """Fit with weights; in a pipeline, the last step receives them."""
    if sample_weight is None:
        return estimator.fit(x, y)
    if validation.has_fit_parameter(estimator, "sample_weight"):
        return estimator.fit(x, y, sample_weight=sample_weight)
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        if validation.has_fit_parameter(last, "sample_weight"):
            return estimator.fit(x, y, **{f"{name}__sample_weight": sample_weight})
    raise ParameterError(
        f"sample_weight was given, but fit of {type(estimator).__name__} has no "
        "sample_weight; choose another estimator, or omit the weights."
    )


def refuse_regressor(estimator: Any) -> None:
    """Raise an error for a regressor where the inner estimator must be a binary classifier."""
    check_estimator(estimator)
    if base.is_regressor(estimator):
        raise ParameterError(
            f"estimator must be a classifier; {type(estimator).__name__} is a regressor. For "
            f"scores use OrdinalCutpointClassifierCV."
        )


def _class_array(levels: list[Any], like: np.dtype[Any]) -> NDArray[Any]:
    """Return labels as an array of the target's kind, without converting values."""
    if like.kind in "biuf":
        return np.asarray(levels, dtype=like)
    if like.kind != "O" and all(isinstance(level, str) for level in levels):
        return np.asarray(levels)
    array = np.empty(len(levels), dtype=object)
    array[:] = levels
    return array
