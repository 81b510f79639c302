"""scikit-learn's own checks, on every estimator."""

from typing import Any

import pytest
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks

from ordeval.models import (
    DataReplicationClassifier,
    FrankHallClassifier,
    MinimumCostClassifier,
    OrdinalCutpointClassifierCV,
)

# A tree is sure of what it says, so that the cheapest class is the most probable one, and it bends:
# the checks want both, of data whose classes lie in no order.
TREE = DecisionTreeClassifier(random_state=0)
MODELS = [
    FrankHallClassifier(TREE),
    FrankHallClassifier(SVC(kernel="linear")),  # without probabilities: votes
    FrankHallClassifier(TREE, combine="votes"),
    DataReplicationClassifier(TREE),
    DataReplicationClassifier(SVC(C=100), h=2.0),
    MinimumCostClassifier(TREE),
    MinimumCostClassifier(TREE, cost="squared"),
    MinimumCostClassifier(TREE, cost="george"),
    OrdinalCutpointClassifierCV(DecisionTreeRegressor(random_state=0), cv=2),
    OrdinalCutpointClassifierCV(TREE, cv=2, metric="mean_absolute_error"),
]


def expected_to_fail(_: Any) -> dict[str, str]:
    return {"check_classifiers_classes": "the order of strings must be declared"}


@parametrize_with_checks(MODELS, expected_failed_checks=expected_to_fail)
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_with_the_order_declared_strings_pass(model: Any) -> None:
    """scikit-learn's check expects the classes in alphabetical order; here that is declared."""
    declared = clone(model).set_params(labels=[-1, 1, "one", "three", "two"])
    check_classifiers_classes(type(model).__name__, declared)
