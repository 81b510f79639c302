"""What every estimator keeps: the order, labels, absent classes, weights, scikit-learn's ways."""

import pickle
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import ordeval as oe
from ordeval import models
from ordeval.models import (
    DataReplicationClassifier,
    FrankHallClassifier,
    MinimumCostClassifier,
    OrdinalCutpointClassifierCV,
)

LEVELS = ["low", "medium", "high"]  # alphabetically high, low, medium
LOGIT = LogisticRegression()
MODELS = [
    FrankHallClassifier(LOGIT),
    FrankHallClassifier(SVC(gamma=0.5)),
    DataReplicationClassifier(LOGIT),
    DataReplicationClassifier(SVC(kernel="linear"), s=1),
    MinimumCostClassifier(LOGIT),
    MinimumCostClassifier(LOGIT, cost="george"),
    OrdinalCutpointClassifierCV(LinearRegression()),
    OrdinalCutpointClassifierCV(LOGIT, metric="f1_macro", cv=3),  # found by a search
]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)


def make_data(n: int = 150, k: int = 3) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    latent = x[:, 0] + 0.3 * rng.normal(size=n)
    return x, np.digitize(latent, np.linspace(-0.6, 0.6, k - 1) if k > 2 else [0.0])


X, Y = make_data()
WORDS = np.array(LEVELS)[Y]


@cache
def named_as_numbers(model: Any) -> list[str]:
    """What a model predicts if the classes are numbers, as words."""
    return np.array(LEVELS)[clone(model).fit(X, Y).predict(X)].tolist()


def test_what_is_exported() -> None:
    assert models.__all__ == sorted(models.__all__)
    assert oe.models is models
    for name in models.__all__:
        assert getattr(models, name).__doc__


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import ordeval as oe\n"
        "print(oe.models.decide([[0.2, 0.8]]), oe.models.optimal_cut_points([1, 2], [0.1, 0.9]))\n"
        "try: oe.models.FrankHallClassifier\n"
        "except oe.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[1] quadratic weighted kappa 1.000 on these data")
    assert 'needs sklearn, which is not installed: pip install "ordeval[models]"' in done.stdout


@every_model
@pytest.mark.parametrize(
    ("target", "labels"),
    [
        (WORDS, LEVELS),
        (WORDS.astype(object), oe.Scale(LEVELS)),
        (WORDS.tolist(), LEVELS),
        (pd.Series(pd.Categorical(WORDS, categories=LEVELS, ordered=True)), None),
        (pd.Categorical(WORDS, categories=LEVELS, ordered=True), None),
        (pl.Series(WORDS.tolist(), dtype=pl.Enum(LEVELS)), None),
    ],
    ids=["strings", "objects", "list", "series", "categorical", "polars"],
)
def test_words_in_their_declared_order_are_as_numbers(model: Any, target: Any, labels: Any) -> None:
    by_word = clone(model).set_params(labels=labels).fit(X, target)
    assert by_word.classes_.tolist() == LEVELS
    assert by_word.predict(X).tolist() == named_as_numbers(model)


@every_model
def test_words_without_an_order_are_refused(model: Any) -> None:
    with pytest.raises(oe.ScaleError, match="y has labels without an order"):
        clone(model).fit(X, WORDS)
    with pytest.raises(oe.LabelError, match="outside the scale"):
        clone(model).set_params(labels=["low", "high"]).fit(X, WORDS)


@every_model
@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float64, bool, object])
def test_the_type_of_the_labels_is_kept(model: Any, dtype: Any) -> None:
    target = (Y > 0 if dtype is bool else Y).astype(dtype)
    model = clone(model).fit(X, target)
    assert model.classes_.dtype == model.predict(X).dtype == np.dtype(dtype)
    assert (model.predict(X) == target).mean() > 0.8


@every_model
def test_two_classes(model: Any) -> None:
    x, y = make_data(k=2)
    model = clone(model).fit(x, y)
    assert (model.predict(x) == y).mean() > 0.85
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(x).sum(axis=1), 1)


@every_model
def test_one_class(model: Any) -> None:
    model = clone(model).set_params(labels=LEVELS).fit(X, ["medium"] * len(X))
    assert set(model.predict(X)) == {"medium"}
    if hasattr(model, "predict_proba"):
        assert (model.predict_proba(X) == 1).all()


@every_model
def test_a_class_that_training_lacks_is_not_predicted(model: Any) -> None:
    x, y = make_data(300, 5)
    words = np.array(["a", "b", "c", "d", "e"])[y]
    kept = y != 2
    model = clone(model).set_params(labels=list("abcde")).fit(x[kept], words[kept])
    assert model.classes_.tolist() == ["a", "b", "d", "e"]
    assert model.scale_ == oe.Scale(list("abcde"))
    assert set(model.predict(x)) <= {"a", "b", "d", "e"}
    if hasattr(model, "predict_proba"):
        assert model.predict_proba(x).shape == (300, 4)


@every_model
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_folds_that_lack_a_class(model: Any) -> None:
    """Two items of a rare class: some training folds lack it, some test folds hold it."""
    x, y = make_data(90, 3)
    y = np.where(np.isin(np.arange(90), [5, 50]), 3, y)
    scoring = oe.scorers(["oc_index", "cem_ord"], labels=range(4))
    scores = cross_validate(model, x, y, scoring=scoring, cv=KFold(5))
    assert np.isfinite([scores["test_oc_index"], scores["test_cem_ord"]]).all()


@every_model
def test_a_weight_of_two_is_an_item_twice(model: Any) -> None:
    if isinstance(model, OrdinalCutpointClassifierCV):
        pytest.skip("repeating items changes the folds that cut points are tuned on")
    weight = np.random.default_rng(1).integers(0, 3, len(Y))
    weighted = clone(model).fit(X, Y, sample_weight=weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    assert (weighted.predict(X) == repeated.predict(X)).mean() > 0.99


@every_model
def test_weights_matter(model: Any) -> None:
    weight = np.where(Y == 0, 100.0, 0.01)
    heavy = clone(model).fit(X, Y, sample_weight=weight).predict(X)
    assert (heavy == 0).sum() > (clone(model).fit(X, Y).predict(X) == 0).sum()


@every_model
def test_bad_weights_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        clone(model).fit(X, Y, sample_weight=-np.ones(len(Y)))
    with pytest.raises(ValueError, match=r"inconsistent|shape"):
        clone(model).fit(X, Y, sample_weight=np.ones(3))


def test_an_estimator_without_weights_says_so() -> None:
    model = FrankHallClassifier(KNeighborsClassifier())
    with pytest.raises(oe.ParameterError, match="fit of KNeighborsClassifier has no sample_weight"):
        model.fit(X, Y, sample_weight=np.ones(len(Y)))


@pytest.mark.parametrize(
    "make", [FrankHallClassifier, MinimumCostClassifier, OrdinalCutpointClassifierCV]
)
def test_a_pipeline_inside_takes_frames_and_weights(make: Any) -> None:
    frame = pd.DataFrame(X, columns=["x", "y", "z"]).assign(kind=np.where(X[:, 1] > 0, "p", "q"))
    columns = make_column_transformer(
        (OneHotEncoder(), ["kind"]), (StandardScaler(), ["x", "y", "z"])
    )
    model = make(make_pipeline(columns, LogisticRegression()))
    model.fit(frame, Y, sample_weight=np.ones(len(Y)))
    assert model.feature_names_in_.tolist() == ["x", "y", "z", "kind"]
    assert (model.predict(frame) == Y).mean() > 0.8
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"x": "w"}))


@every_model
def test_in_a_pipeline_that_hands_on_frames(model: Any) -> None:
    frame = pd.DataFrame(X, columns=["x", "y", "z"])
    line = make_pipeline(StandardScaler(), clone(model)).set_output(transform="pandas")
    line.fit(frame, Y)
    assert line[-1].feature_names_in_.tolist() == ["x", "y", "z"]
    assert (line.predict(frame) == Y).mean() > 0.8


@every_model
def test_sparse_features_are_as_dense_ones(model: Any) -> None:
    dense = np.where(np.abs(X) > 0.5, X, 0.0)
    sparse = scipy.sparse.csr_matrix(dense)
    one, other = clone(model).fit(dense, Y), clone(model).fit(sparse, Y)
    assert (one.predict(dense) == other.predict(sparse)).mean() > 0.98


@every_model
def test_stored_and_copied(model: Any) -> None:
    fitted = clone(model).set_params(labels=LEVELS).fit(X, WORDS)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(X).tolist() == fitted.predict(X).tolist()
    scale = oe.Scale(LEVELS)
    assert clone(fitted.set_params(labels=scale)).labels == scale
    unfitted = clone(fitted.set_params(labels=LEVELS))
    assert not hasattr(unfitted, "classes_")
    assert unfitted.get_params()["labels"] == LEVELS


@every_model
def test_parameters_of_the_inner_estimator_are_searched(model: Any) -> None:
    if isinstance(model.estimator, LinearRegression):
        grid = {"estimator__fit_intercept": [True, False]}
    else:
        grid = {"estimator__C": [0.1, 10.0]}
    search = GridSearchCV(clone(model), grid, scoring=oe.scorer("oc_index"), cv=3).fit(X, Y)
    assert search.best_params_.keys() == grid.keys()


@every_model
def test_probabilities_are_shares_in_the_order_of_the_classes(model: Any) -> None:
    fitted = clone(model).set_params(labels=LEVELS).fit(X, WORDS)
    if not hasattr(fitted, "predict_proba"):
        pytest.skip("its estimator has no predict_proba, so neither has it")
    probabilities = fitted.predict_proba(X)
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities[WORDS == "high"].mean(axis=0).argmax()) == 2
    rps = oe.scorer("ranked_probability_score", labels=LEVELS)
    assert -0.5 < rps(fitted, X, WORDS) < 0
