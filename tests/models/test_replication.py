"""Data replication: what is replicated, parallel boundaries, windows, memory."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

import ordeval as oe
from ordeval.models import DataReplicationClassifier


class Recorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps what it was fitted on."""

    def fit(self, x: Any, y: Any, sample_weight: Any = None) -> "Recorder":
        self.classes_, self.x_, self.y_, self.weight_ = np.unique(y), x, y, sample_weight
        return self

    def predict(self, x: Any) -> Any:
        return np.zeros(len(x), dtype=int)


X4 = np.array([[10.0], [20.0], [30.0], [40.0]])


def test_the_replicated_data_are_those_of_the_paper() -> None:
    """Cardoso & Pinto da Costa 2007: K = 4, s = K - 1, extension vectors 0, h e1, h e2."""
    inner = DataReplicationClassifier(Recorder(), h=7).fit(X4, [1, 2, 3, 4]).estimator_
    extension = np.repeat([[0, 0], [7, 0], [0, 7]], 4, axis=0)
    np.testing.assert_array_equal(inner.x_, np.hstack([np.tile(X4, (3, 1)), extension]))
    assert inner.y_.tolist() == [0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1]


def test_a_window_keeps_the_classes_next_to_each_boundary() -> None:
    inner = DataReplicationClassifier(Recorder(), s=1).fit(X4, [1, 2, 3, 4]).estimator_
    assert inner.x_[:, 0].tolist() == [10, 20, 20, 30, 30, 40]
    assert inner.y_.tolist() == [0, 1] * 3
    inner = DataReplicationClassifier(Recorder(), s=2).fit(X4, [1, 2, 3, 4]).estimator_
    assert inner.x_[:, 0].tolist() == [10, 20, 30, 10, 20, 30, 40, 20, 30, 40]


def test_weights_go_with_their_items() -> None:
    model = DataReplicationClassifier(Recorder(), s=1)
    inner = model.fit(X4, [1, 2, 3, 4], sample_weight=[1, 2, 3, 4]).estimator_
    assert inner.weight_.tolist() == [1, 2, 2, 3, 3, 4]


def ordered_blobs(k: int = 5, n: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 3))
    latent = x @ [1.0, -0.5, 0.25] + 0.5 * rng.normal(size=n)
    return x, np.digitize(latent, np.linspace(-1, 1, k - 1))


def threshold_loss(w: float, thresholds: list[float], x: Any, y: Any, *, immediate: bool) -> float:
    """Rennie & Srebro 2005, item by item: logistic penalties of the thresholds, and of the weight.

    All thresholds of an item count, or those at the two ends of its class.
    """
    total = w * w / 2
    for value, label in zip(x, y, strict=True):
        for q, threshold in enumerate(thresholds):
            if immediate and q not in (label - 1, label):
                continue
            margin = w * value - threshold
            total += math.log1p(math.exp(-margin if label > q else margin))
    return total


@pytest.mark.parametrize("immediate", [False, True])
def test_with_logistic_regression_it_is_the_model_of_rennie_and_srebro(immediate: bool) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = np.digitize(1.5 * x + rng.logistic(size=60), [-1.0, 0.2, 1.0])

    def loss(at: Any) -> float:
        return threshold_loss(at[0], list(at[1:]), x.tolist(), y.tolist(), immediate=immediate)

    h = 1000.0
    base = LogisticRegression(tol=1e-10, max_iter=10_000)
    inner = DataReplicationClassifier(base, h=h, s=1 if immediate else None).fit(x[:, None], y)
    weight, *extension = inner.estimator_.coef_[0]
    thresholds = -(inner.estimator_.intercept_[0] + h * np.array([0.0, *extension]))
    found = minimize(loss, [0.0, -1.0, 0.0, 1.0], method="Nelder-Mead", tol=1e-9)
    assert loss([weight, *thresholds]) == pytest.approx(found.fun, abs=1e-6)
    assert [weight, *thresholds] == pytest.approx(found.x.tolist(), abs=1e-3)


@pytest.mark.parametrize("h", [0.5, 1.0, 10.0])
def test_linear_boundaries_never_cross(h: float) -> None:
    x, y = ordered_blobs()
    model = DataReplicationClassifier(SVC(kernel="linear"), h=h).fit(x, y)
    coef, intercept = model.estimator_.coef_[0], model.estimator_.intercept_[0]
    direction, shifts = coef[:3], h * np.array([0.0, *coef[3:]])
    assert (np.diff(shifts) < 0).all()  # each boundary lies above the one before
    far = np.random.default_rng(0).normal(scale=100, size=(2000, 3))
    score = far @ direction + intercept
    expected = (score[:, None] + shifts > 0).sum(axis=1)
    np.testing.assert_array_equal(model.predict(far), expected)
    assert (np.diff(expected[np.argsort(score)]) >= 0).all()  # one direction decides all


def test_with_a_network_it_is_onn() -> None:
    x, y = ordered_blobs(4)
    network = MLPClassifier(hidden_layer_sizes=(8,), solver="lbfgs", max_iter=3000, random_state=0)
    model = DataReplicationClassifier(network).fit(x, y)
    assert oe.mean_absolute_error(y, model.predict(x)) < 0.3
    assert model.predict_proba(x).shape == (200, 4)


@pytest.mark.parametrize("s", [None, 1, 2, 9])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_size_is_told_before(s: int | None, sparse: bool) -> None:
    x, y = ordered_blobs()
    x[np.abs(x) < 0.5] = 0
    features = scipy.sparse.csr_matrix(x) if sparse else x
    inner = SVC(kernel="linear") if sparse else Recorder()
    model = DataReplicationClassifier(inner, s=s)
    rows, columns, size = model.replicated_size(features, y)
    assert not hasattr(model, "classes_")
    if sparse:
        model.fit(features, y)
        made = model._replicate(features, model._kept_by_replica(y))
        held = made.data.nbytes + made.indices.nbytes + made.indptr.nbytes
    else:
        made = model.fit(features, y).estimator_.x_
        held = made.nbytes
    assert made.shape == (rows, columns)
    assert held == size


def test_too_much_memory_is_refused_before_it_is_taken() -> None:
    x = np.zeros((1000, 4))
    y = np.arange(1000) % 4
    with pytest.raises(oe.ParameterError, match=r"3,000 rows and 6 columns and take 0\.00014 GB"):
        DataReplicationClassifier(SVC(), max_bytes=1e5).fit(x, y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"h": 0}, "h must be a finite number > 0"),
        ({"h": "1"}, "h must be a finite number > 0"),
        ({"s": 0}, "s must be an integer from 1"),
        ({"s": 1.5}, "s must be an integer from 1"),
    ],
)
def test_bad_parameters(params: Any, message: str) -> None:
    with pytest.raises(oe.ParameterError, match=message):
        DataReplicationClassifier(SVC(), **params).fit(X4, [1, 2, 3, 4])
