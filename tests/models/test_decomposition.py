"""Frank & Hall: the binary problems, both ways of combining, the repair."""

from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import ordeval as oe
from ordeval.datasets import make_ordinal
from ordeval.models import FrankHallClassifier
from ordeval.models._combining import class_probabilities, monotone

DATA = make_ordinal(300, rng=1)
X, Y = DATA.data, DATA.target


class Fixed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers "above" with the feature whose number is that of its problem."""

    def __init__(self, given: bool = True) -> None:
        self.given = given

    def fit(self, x: Any, y: Any) -> "Fixed":
        self.classes_ = np.unique(y)
        self.column_ = int((y == 0).sum()) - 1  # one item a class below the boundary
        return self

    def predict_proba(self, x: Any) -> Any:
        above = np.asarray(x)[:, self.column_]
        return np.stack([1 - above, above], axis=1)

    def predict(self, x: Any) -> Any:
        return (np.asarray(x)[:, self.column_] > 0.5).astype(int)


def fixed(combine: Any) -> FrankHallClassifier:
    """A model of four classes that is told its three binary answers as features."""
    return FrankHallClassifier(Fixed(), combine=combine).fit(np.zeros((4, 3)), [1, 2, 3, 4])


def test_the_binary_problems_are_those_of_the_paper() -> None:
    model = FrankHallClassifier(LogisticRegression()).fit(X, Y)
    assert len(model.estimators_) == 4
    for level, binary in enumerate(model.estimators_, start=1):
        by_hand = LogisticRegression().fit(X, np.greater(Y, level))
        np.testing.assert_allclose(binary.coef_, by_hand.coef_)


def test_probabilities_are_differences() -> None:
    model = fixed("probabilities")
    np.testing.assert_allclose(model.predict_proba([[0.9, 0.6, 0.2]]), [[0.1, 0.3, 0.4, 0.2]])
    assert model.predict([[0.9, 0.6, 0.2]]) == [3]
    assert model.predict([[0.5, 0.0, 0.0]]) == [1]  # a tie: the lowest


def test_contradictions_are_repaired_by_their_mean() -> None:
    np.testing.assert_allclose(
        fixed("probabilities").predict_proba([[0.9, 0.2, 0.4]]), [[0.1, 0.6, 0.0, 0.3]], atol=1e-15
    )


def test_votes_are_counted() -> None:
    model = fixed("votes")
    rows = [[0.9, 0.6, 0.2], [0.9, 0.2, 0.8], [0.1, 0.1, 0.1], [0.9, 0.9, 0.9]]
    assert model.predict(rows).tolist() == [3, 3, 1, 4]
    assert not hasattr(model, "predict_proba")


rows = st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=1, max_size=8)


@given(rows)
def test_the_repair_is_isotonic_regression(table: list[list[float]]) -> None:
    above = np.array(table)
    fitted = [
        IsotonicRegression(increasing=False).fit_transform(np.arange(5), row) for row in above
    ]
    np.testing.assert_allclose(monotone(above), fitted, atol=1e-12)


@given(rows)
def test_repaired_probabilities_are_probabilities(table: list[list[float]]) -> None:
    probabilities = class_probabilities(np.array(table))
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_rows_in_order_are_not_touched() -> None:
    above = np.array([[0.7, 0.3, 0.1], [0.1, 0.2, 0.3]])
    assert (monotone(above)[0] == above[0]).all()


def test_auto_takes_probabilities_where_there_are_any() -> None:
    assert hasattr(FrankHallClassifier(LogisticRegression()), "predict_proba")
    assert not hasattr(FrankHallClassifier(SVC()), "predict_proba")
    with pytest.raises(oe.ParameterError, match='Use combine="votes"'):
        FrankHallClassifier(SVC(), combine="probabilities").fit(X, Y)
    with pytest.raises(oe.ParameterError, match='combine must be "auto", "prob'):
        FrankHallClassifier(SVC(), combine="mean").fit(X, Y)  # type: ignore[arg-type]


def test_in_parallel_it_is_the_same() -> None:
    one = FrankHallClassifier(LogisticRegression()).fit(X, Y)
    with joblib.parallel_config("threading"):
        two = FrankHallClassifier(LogisticRegression(), n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_a_regressor_is_refused() -> None:
    from sklearn.linear_model import Ridge

    for model in (oe.models.FrankHallClassifier, oe.models.DataReplicationClassifier):
        with pytest.raises(oe.ParameterError, match="is a regressor"):
            model(Ridge()).fit([[1.0], [2.0], [3.0]], [1, 2, 3])
