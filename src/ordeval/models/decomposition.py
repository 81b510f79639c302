"""Frank & Hall 2001: an ordinal problem as K - 1 binary problems, "above this class?"."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.utils.metaestimators import available_if  # type: ignore[import-untyped]
from sklearn.utils.parallel import Parallel, delayed  # type: ignore[import-untyped]

from ordeval._shared.types import Floats, check_choice
from ordeval.exceptions import ParameterError
from ordeval.models._base import OrdinalMetaClassifier, check_jobs, fit_weighted, refuse_regressor
from ordeval.models._combining import class_probabilities

Combine = Literal["auto", "probabilities", "votes"]


def _gives_probabilities(model: FrankHallClassifier) -> bool:
    return model._combines_probabilities()


class FrankHallClassifier(OrdinalMetaClassifier):
    """Classify ordered labels with K - 1 binary classifiers (Frank & Hall 2001).

    The k-th classifier separates the classes up to k from those above. The copies of ``estimator``
    are fitted independently, in parallel on request.

    Parameters
    ----------
    estimator
        A binary classifier; K - 1 clones of it are fitted on targets 0 (not above) and 1 (above).
    labels
        The ordered labels, lowest first, or a Scale. May be left out for integers, which imply
        their order, and for ordered categoricals, which carry it.
    combine
        ``"probabilities"``: the probability of a class is the difference of the probabilities of
        lying above its lower neighbour and above itself. Separate estimates can contradict the
        order and give negative differences; they are first replaced by the nearest decreasing ones
        in least squares (isotonic regression). The most probable class is predicted, of equal ones
        the lowest. ``"votes"``: the class is the number of classifiers that answer "above", for
        estimators without probabilities. ``"auto"``: probabilities if ``estimator`` has
        ``predict_proba``, votes otherwise.
    n_jobs
        Binary problems fitted at the same time, as in joblib.

    Attributes
    ----------
    classes_
        The classes seen in ``fit``, lowest first.
    scale_
        All levels, also those that no item had.
    estimators_
        The fitted binary classifiers, one for each class but the last.

    Notes
    -----
    The columns of probabilities are in the order of the scale. scikit-learn's own scorers of
    probabilities, such as ``neg_log_loss``, assume alphabetical order: score words with
    ``oe.scorer``, or use integer labels. Wrappers that renumber the target alphabetically before
    they fit (``VotingClassifier``, ``BaggingClassifier``, ``cross_val_predict`` with
    ``predict_proba``) lose the order of words: give them integers 0 .. K-1.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> x = [[0], [1], [2], [3], [4], [5]]
    >>> y = ["low", "low", "mid", "mid", "high", "high"]
    >>> model = FrankHallClassifier(LogisticRegression(), labels=["low", "mid", "high"])
    >>> model.fit(x, y).predict([[0], [2.5], [9]]).tolist()
    ['low', 'mid', 'high']
    """

    def __init__(
        self,
        estimator: Any,
        *,
        labels: Any = None,
        combine: Combine = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.labels = labels
        self.combine = combine
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FrankHallClassifier:  # noqa: N803
        """Fit a binary classifier for each class but the last.

        Parameters
        ----------
        X
            Features that ``estimator`` accepts.
        y
            Ordered labels.
        sample_weight
            Weights of the items; ``estimator`` must take them.
        """
        check_choice("combine", self.combine, get_args(Combine))
        if self.combine == "probabilities" and not hasattr(self.estimator, "predict_proba"):
            raise ParameterError(
                f'combine="probabilities" needs an estimator with predict_proba; '
                f'{type(self.estimator).__name__} has none. Use combine="votes".'
            )
        refuse_regressor(self.estimator)
        check_jobs(self.n_jobs)
        codes, weight = self._start_fit(X, y, sample_weight)
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_weighted)(clone(self.estimator), X, (codes > k).astype(np.intp), weight)
            for k in range(len(self.classes_) - 1)
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict the class of each item."""
        if self._combines_probabilities():
            return self._labels_at(self.predict_proba(X).argmax(axis=1))
        votes = np.zeros(self._check_features(X), dtype=np.intp)
        for binary in self.estimators_:
            votes += binary.predict(X)
        return self._labels_at(votes)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return the probability of each class, with columns as in ``classes_``."""
        above = np.empty((self._check_features(X), len(self.estimators_)))
        for column, binary in zip(above.T, self.estimators_, strict=True):
            column[:] = binary.predict_proba(X)[:, 1]
        return class_probabilities(above)

    def _combines_probabilities(self) -> bool:
        return self.combine != "votes" and hasattr(self.estimator, "predict_proba")
