"""The class of least expected cost, against its definition."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import ordeval as oe
from ordeval.datasets import make_ordinal
from ordeval.models import MinimumCostClassifier

DATA = make_ordinal(300, rng=1)
X, Y = DATA.data, DATA.target


class Told(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Its features are the probabilities."""

    def fit(self, x: Any, y: Any) -> "Told":
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, x: Any) -> Any:
        return np.asarray(x)


RNG = np.random.default_rng(0)
PROBABILITIES = RNG.dirichlet(np.ones(4) / 2, 500)


def told(cost: Any, labels: Any = None, y: Any = (1, 2, 3, 4)) -> MinimumCostClassifier:
    return MinimumCostClassifier(Told(), cost=cost, labels=labels).fit(np.zeros((len(y), 4)), y)


def test_absolute_costs_give_the_median() -> None:
    median = (PROBABILITIES.cumsum(axis=1) >= 0.5).argmax(axis=1) + 1
    np.testing.assert_array_equal(told("absolute").predict(PROBABILITIES), median)


def test_squared_costs_give_the_class_nearest_the_mean() -> None:
    mean = PROBABILITIES @ [1, 2, 3, 4]
    np.testing.assert_array_equal(told("squared").predict(PROBABILITIES), np.rint(mean))


def test_equal_costs_give_the_most_probable() -> None:
    best = PROBABILITIES.argmax(axis=1) + 1
    np.testing.assert_array_equal(told(1 - np.eye(4)).predict(PROBABILITIES), best)


def test_any_cost_by_its_definition() -> None:
    cost = RNG.random((4, 4)) * (1 - np.eye(4))
    model = told(cost)
    for row, predicted in zip(PROBABILITIES[:50], model.predict(PROBABILITIES), strict=False):
        expected = [sum(row[i] * cost[i, j] for i in range(4)) for j in range(4)]
        assert predicted == np.argmin(expected) + 1
        np.testing.assert_allclose(model.expected_costs(row[None])[0], expected)


def test_of_equal_costs_the_lowest_class() -> None:
    assert told("absolute").predict([[0.5, 0.0, 0.0, 0.5]]) == [1]


def test_george_costs_are_those_of_the_training_sizes() -> None:
    sizes = np.bincount(Y)[1:]
    model = MinimumCostClassifier(LogisticRegression(), cost="george").fit(X, Y)
    np.testing.assert_array_equal(model.cost_, oe.george_cost(sizes))
    weighted = MinimumCostClassifier(LogisticRegression(), cost="george")
    weighted.fit(X, Y, sample_weight=np.full(len(Y), 2.0))
    np.testing.assert_allclose(weighted.cost_, oe.george_cost(2 * sizes))


def test_an_empty_level_keeps_its_distance() -> None:
    y = ["a", "b", "d", "e"]
    model = told("absolute", labels=list("abcde"), y=y)
    assert model.cost_[1].tolist() == [1, 0, 2, 3]
    cost = np.arange(25.0).reshape(5, 5) * (1 - np.eye(5))
    model = told(cost, labels=list("abcde"), y=y)
    seen = [0, 1, 3, 4]
    np.testing.assert_array_equal(model.cost_, cost[np.ix_(seen, seen)])


def test_it_lowers_the_cost_that_it_is_told() -> None:
    cost = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) ** 3.0
    data = make_ordinal(2000, noise=0.8, rng=2)
    x, y = 10 * np.prod(data.data - 0.5, axis=1, keepdims=True), data.target
    train, test = slice(0, 1000), slice(1000, None)
    model = MinimumCostClassifier(LogisticRegression(), cost=cost).fit(x[train], y[train])
    plain = LogisticRegression().fit(x[train], y[train])
    costs = [
        oe.expected_cost(y[test], m.predict(x[test]), cost=cost, labels=data.scale)
        for m in (model, plain)
    ]
    assert costs[0] < 0.95 * costs[1]


@pytest.mark.parametrize(
    ("estimator", "cost", "message"),
    [
        (SVC(), "absolute", "predict_proba; SVC has none"),
        (LogisticRegression(), "cubic", 'cost must be "absolute", "squared" or "george"'),
        (LogisticRegression(), np.ones((5, 5)), "zero on the diagonal"),
        (LogisticRegression(), np.zeros((3, 3)), "5 x 5 matrix"),
        (LogisticRegression(), None, "K x K matrix or a name"),
    ],
)
def test_bad_parameters(estimator: Any, cost: Any, message: str) -> None:
    with pytest.raises(oe.ParameterError, match=message):
        MinimumCostClassifier(estimator, cost=cost).fit(X, Y)
