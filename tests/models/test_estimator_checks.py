"""scikit-learn's own checks, on every estimator."""

from typing import Any

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from ordeval.models import (
    DataReplicationClassifier,
    FrankHallClassifier,
    MinimumCostClassifier,
    OrdinalCutpointClassifierCV,
)

LOGIT = LogisticRegression()
MODELS = [
    FrankHallClassifier(LOGIT),
    FrankHallClassifier(SVC(kernel="linear")),
    FrankHallClassifier(LOGIT, combine="votes"),
    DataReplicationClassifier(LOGIT),
    DataReplicationClassifier(SVC(kernel="linear"), s=1),
    MinimumCostClassifier(LOGIT),
    MinimumCostClassifier(LOGIT, cost="squared"),
    MinimumCostClassifier(LOGIT, cost="george"),
    OrdinalCutpointClassifierCV(Ridge(), cv=2),
    OrdinalCutpointClassifierCV(LOGIT, cv=2, metric="mean_absolute_error"),
]


def expected_to_fail(estimator: Any) -> dict[str, str]:
    return {}


@parametrize_with_checks(MODELS, expected_failed_checks=expected_to_fail)
def test_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
