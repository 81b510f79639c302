"""The data replication method (Cardoso & Pinto da Costa 2007): one binary classifier for all.

Items are repeated once for each boundary between neighbouring classes, and each copy is marked by
extension features. With a linear support vector machine this is oSVM, with a neural network oNN.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.utils import get_tags  # type: ignore[import-untyped]
from sklearn.utils.metaestimators import available_if  # type: ignore[import-untyped]
from sklearn.utils.validation import (  # type: ignore[import-untyped]
    check_is_fitted,
    validate_data,
)

from ordeval._shared.arguments import is_number, is_whole, shown
from ordeval._shared.types import Floats
from ordeval.exceptions import ParameterError
from ordeval.models._base import (
    OrdinalMetaClassifier,
    fit_weighted,
    read_by_sklearn,
    refuse_regressor,
)
from ordeval.models._combining import class_probabilities
from ordeval.models.choice import LevelNumbers

sparse: Any = scipy.sparse  # typed or not, according to what else is installed


class ReplicatedSize(NamedTuple):
    """The size of the replicated data."""

    rows: int
    columns: int
    bytes: int


def _gives_probabilities(model: DataReplicationClassifier) -> bool:
    return hasattr(model.estimator, "predict_proba")


class DataReplicationClassifier(OrdinalMetaClassifier):
    """Classify ordered labels with one binary classifier on replicated data.

    For K classes the data are repeated K - 1 times. Replica q asks "is it above class q?"; its rows
    carry K - 2 extension features, all zero in the first replica and ``h`` at place q - 1 in
    replica q. One binary classifier is fitted to all of it. The class of an item is the number of
    replicas that answer "above" (Cardoso & Pinto da Costa 2007). With a linear classifier all
    boundaries are parallel and cannot cross; they differ in the weight of one extension feature.
    This requires that every replica has all classes (``s=None``); with a narrower window replicas
    can contradict each other, and the count of their answers decides.

    Parameters
    ----------
    estimator
        A binary classifier. ``SVC(kernel="linear")`` makes it oSVM, ``MLPClassifier()`` oNN. Scale
        features before, not inside: a scaler in ``estimator`` would undo ``h``.
    h
        The value of the extension features. The larger it is, the less regularisation ties the
        boundaries together.
    s
        The number of classes in a replica on either side of its boundary, from 1 to K - 1; None is
        K - 1, all of them, and so is anything larger. Fewer classes make fewer rows.
    labels
        The ordered labels, lowest first, or a Scale. May be left out for integers, which imply
        their order, and for ordered categoricals, which carry it.
    max_bytes
        The replicated data take ``replicated_size(X, y).bytes``, about K - 1 times the features.
        Above this bound ``fit`` raises an error before it creates them.

    Attributes
    ----------
    classes_
        The classes seen in ``fit``, lowest first.
    scale_
        All levels, also those that no item had.
    estimator_
        The fitted binary classifier, on the features followed by the extension features.

    Notes
    -----
    With ``LogisticRegression(C=C)`` and a large ``h`` it is the ordinal logistic model of Rennie &
    Srebro 2005 with all thresholds, and with ``s=1`` that with immediate thresholds: a penalty of
    1 / C holds the weights small, and the thresholds are free.

    ``predict`` follows the paper and counts answers. ``predict_proba`` takes differences of the
    probabilities of lying above each class, put in order as in :class:`FrankHallClassifier`; its
    most probable class can be another than the one that the answers give.

    The columns of probabilities are in the order of the scale. scikit-learn's own scorers of
    probabilities, such as ``neg_log_loss``, assume alphabetical order: score words with
    ``oe.scorer``, or use integer labels.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> model = DataReplicationClassifier(SVC(kernel="linear", C=10))
    >>> model.fit(x, [1, 1, 2, 2, 3, 3]).predict([[0], [2.5], [9]])
    array([1, 2, 3])
    >>> model.replicated_size(x, [1, 1, 2, 2, 3, 3])
    ReplicatedSize(rows=12, columns=2, bytes=192)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        h: float = 1.0,
        s: int | None = None,
        labels: Any = None,
        max_bytes: float = 4e9,
    ) -> None:
        self.estimator = estimator
        self.h = h
        self.s = s
        self.labels = labels
        self.max_bytes = max_bytes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DataReplicationClassifier:  # noqa: N803
        """Fit the binary classifier on the replicated data.

        Parameters
        ----------
        X
            Numeric features, dense or sparse.
        y
            Ordered labels.
        sample_weight
            Weights of the items; ``estimator`` must take them.
        """
        refuse_regressor(self.estimator)
        codes, weight = self._start_fit(X, y, sample_weight)
        x = self._features(X, reset=True)
        if len(self.classes_) == 1:
            return self
        self._check_size(_size_of(x, codes, self._window()))
        kept = self._kept_by_replica(codes)
        target = np.concatenate([codes[index] > q for q, index in enumerate(kept)])
        weights = None if weight is None else weight[np.concatenate(kept)]
        self.estimator_ = fit_weighted(
            clone(self.estimator), self._replicate(x, kept), target.astype(np.intp), weights
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict the class of each item: the number of replicas that answer "above"."""
        x = self._fitted_features(X)
        votes = np.zeros(x.shape[0], dtype=np.intp)
        for q in range(len(self.classes_) - 1):
            votes += self.estimator_.predict(self._extend(x, q))
        return self._labels_at(votes)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class, with columns as in ``classes_``."""
        x = self._fitted_features(X)
        above = np.empty((x.shape[0], len(self.classes_) - 1))
        for q in range(above.shape[1]):
            above[:, q] = self.estimator_.predict_proba(self._extend(x, q))[:, 1]
        return class_probabilities(above)

    def replicated_size(self, X: Any, y: Any) -> ReplicatedSize:  # noqa: N803
        """Return the size of the data that ``fit`` would pass to the estimator, without fitting.

        Sparse data count their stored values and indices.
        """
        trial = clone(self)
        codes, _ = trial._start_fit(X, y, None)
        return _size_of(trial._features(X, reset=True), codes, trial._window())

    def _window(self) -> int:
        """Check the numbers and return ``s`` in canonical form."""
        if not isinstance(self.h, (int, float, np.number)) or not 0 < self.h < np.inf:
            raise ParameterError(f"h must be a finite number > 0; got {self.h!r}.")
        if self.s is None:
            return self.scale_.k
        if not is_whole(self.s) or self.s < 1:
            raise ParameterError(
                f"s must be an integer from 1 to K - 1, or None for all classes; got {self.s!r}."
            )
        return int(self.s)

    def _features(self, x: Any, *, reset: bool) -> Any:
        tags = get_tags(self.estimator).input_tags
        with read_by_sklearn("X"):
            return validate_data(
                self,
                x,
                reset=reset,
                accept_sparse="csr" if tags.sparse else False,
                dtype=np.float64,
                ensure_all_finite="allow-nan" if tags.allow_nan else True,
            )

    def _fitted_features(self, x: Any) -> Any:
        check_is_fitted(self, "classes_")
        return self._features(x, reset=False)

    def _kept_by_replica(self, codes: LevelNumbers) -> list[LevelNumbers]:
        """Return the items of each replica: those at most s classes from its boundary."""
        s = self._window()
        return [
            np.flatnonzero((codes > q - s) & (codes <= q + s))
            for q in range(len(self.classes_) - 1)
        ]

    def _replicate(self, x: Any, kept: list[LevelNumbers]) -> Any:
        """Stack all replicas, each written once."""
        replicas = (self._extend(x[index], q) for q, index in enumerate(kept))
        if sparse.issparse(x):
            return sparse.vstack(list(replicas), format="csr")
        ends = np.cumsum([len(index) for index in kept])
        rows = np.empty((ends[-1], x.shape[1] + len(kept) - 1))
        for end, replica in zip(ends.tolist(), replicas, strict=True):
            rows[end - len(replica) : end] = replica
        return rows

    def _extend(self, x: Any, q: int) -> Any:
        """Append the extension features of replica q, counted from 0."""
        n, width = x.shape[0], len(self.classes_) - 2
        if sparse.issparse(x):
            marked = np.arange(n if q else 0)
            extension = sparse.csr_matrix(
                (np.full(len(marked), float(self.h)), (marked, np.full(len(marked), q - 1))),
                shape=(n, width),
            )
            return sparse.hstack([x, extension], format="csr")
        extended = np.concatenate([x, np.zeros((n, width))], axis=1)
        if q:
            extended[:, x.shape[1] + q - 1] = self.h
        return extended

    def _check_size(self, size: ReplicatedSize) -> None:
        if not is_number(self.max_bytes):
            raise ParameterError(f"max_bytes must be a number; got {shown(self.max_bytes)}.")
        if size.bytes > self.max_bytes:
            raise ParameterError(
                f"the replicated data would have {size.rows:,} rows and {size.columns:,} columns "
                f"and take {size.bytes / 1e9:.2g} GB, more than max_bytes={self.max_bytes:,.0f}. "
                f"Raise max_bytes, choose a smaller s, or pass sparse features or fewer items."
            )


def _size_of(x: Any, codes: LevelNumbers, s: int) -> ReplicatedSize:
    """Compute the size of the replicas without building them."""
    sizes = np.bincount(codes)
    k = len(sizes)
    copies = np.array([[q - s < c <= q + s for q in range(k - 1)] for c in range(k)]).sum(axis=1)
    rows, columns = int(sizes @ copies), int(x.shape[1]) + max(k - 2, 0)
    if not sparse.issparse(x):
        return ReplicatedSize(rows, columns, 8 * rows * columns)
    stored = int(np.diff(x.indptr) @ copies[codes])
    marked = rows - int(sizes[: s + 1].sum()) if k > 2 else 0
    index = x.indices.dtype.itemsize
    return ReplicatedSize(rows, columns, (8 + index) * (stored + marked) + index * (rows + 1))
