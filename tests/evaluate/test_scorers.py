"""Scorers in scikit-learn: validation, search, importance, routing, storage, and bad folds."""

import copy
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ordeval as oe

Array = NDArray[Any]

LEVELS = ["low", "medium", "high"]  # alphabetically high, low, medium
WORDS = np.array(LEVELS)


def make_data(n: int = 180) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    latent = x[:, 0] + 0.5 * rng.normal(size=n)
    return x, np.digitize(latent, [-0.4, 0.5])


X, Y = make_data()
Y_WORDS = WORDS[Y]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
LOGIT = LogisticRegression()


def by_hand(metric: str, estimator: Any, y: Array, labels: Any, **params: Any) -> list[float]:
    """The values of the measure on five folds, in its own direction."""
    values = []
    for fold in range(5):
        test = np.arange(len(y)) % 5 == fold
        fitted = clone(estimator).fit(X[~test], y[~test])
        chosen = oe.get_metric(metric)
        if chosen.needs == "probabilities":
            order = [list(fitted.classes_).index(c) for c in labels]
            pred = fitted.predict_proba(X[test])[:, order]
        else:
            pred = fitted.predict(X[test])
        values.append(chosen(y[test], pred, labels=labels, **params))
    return values


FOLDS = PredefinedSplit(np.arange(len(Y)) % 5)


@pytest.mark.parametrize(
    ("name", "sign"),
    [("accuracy", 1), ("cem_ord", 1), ("mean_absolute_error", -1), ("oc_index", -1)],
)
@pytest.mark.parametrize(("y", "labels"), [(Y, [0, 1, 2]), (Y_WORDS, LEVELS)], ids=["int", "str"])
def test_cross_validation(name: str, sign: int, y: Array, labels: Any) -> None:
    scores = cross_val_score(TREE, X, y, scoring=oe.scorer(name, labels=labels), cv=FOLDS)
    np.testing.assert_allclose(scores, sign * np.array(by_hand(name, TREE, y, labels)))


@pytest.mark.parametrize(
    ("name", "sign"), [("ranked_probability_score", -1), ("ranked_probability_skill_score", 1)]
)
@pytest.mark.parametrize(("y", "labels"), [(Y, [0, 1, 2]), (Y_WORDS, LEVELS)], ids=["int", "str"])
def test_probabilities_are_put_in_the_order_of_the_scale(
    name: str, sign: int, y: Array, labels: Any
) -> None:
    scores = cross_val_score(LOGIT, X, y, scoring=oe.scorer(name, labels=labels), cv=FOLDS)
    np.testing.assert_allclose(scores, sign * np.array(by_hand(name, LOGIT, y, labels)))


def test_words_and_numbers_score_alike() -> None:
    name = "ranked_probability_score"
    words = cross_val_score(LOGIT, X, Y_WORDS, scoring=oe.scorer(name, labels=LEVELS), cv=FOLDS)
    numbers = cross_val_score(LOGIT, X, Y, scoring=oe.scorer(name), cv=FOLDS)
    np.testing.assert_allclose(words, numbers, atol=1e-4)


def test_integers_need_no_labels() -> None:
    scores = cross_val_score(TREE, X, Y, scoring=oe.scorer("auoc"), cv=FOLDS)
    np.testing.assert_allclose(scores, -np.array(by_hand("auoc", TREE, Y, [0, 1, 2])))


def test_a_two_sided_measure_counts_its_distance_to_the_best() -> None:
    scores = cross_val_score(TREE, X, Y, scoring=oe.scorer("mean_signed_error"), cv=FOLDS)
    np.testing.assert_allclose(scores, -np.abs(by_hand("mean_signed_error", TREE, Y, [0, 1, 2])))
    assert (scores <= 0).all()


def test_parameters_reach_the_measure() -> None:
    scoring = oe.scorer("accuracy_within", labels=[0, 1, 2], n=1)
    scores = cross_val_score(TREE, X, Y, scoring=scoring, cv=FOLDS)
    np.testing.assert_allclose(scores, by_hand("accuracy_within", TREE, Y, [0, 1, 2], n=1))
    bound = oe.scorer(oe.accuracy_within.with_params(n=1), labels=[0, 1, 2])
    np.testing.assert_allclose(cross_val_score(TREE, X, Y, scoring=bound, cv=FOLDS), scores)


def test_many_measures_at_once() -> None:
    names = ["cem_ord", "mean_absolute_error", "ranked_probability_score"]
    result = cross_validate(
        LOGIT, X, Y_WORDS, scoring=oe.scorers(names, labels=LEVELS), cv=FOLDS,
        return_train_score=True,
    )  # fmt: skip
    for name, sign in zip(names, (1, -1, -1), strict=True):
        expected = sign * np.array(by_hand(name, LOGIT, Y_WORDS, LEVELS))
        np.testing.assert_allclose(result[f"test_{name}"], expected)
        assert f"train_{name}" in result


def test_scorers_are_all_measures_of_labels_by_default() -> None:
    made = oe.scorers(labels=LEVELS)
    assert list(made) == [m.name for m in oe.metrics(needs="labels") if m.by_default]
    result = cross_validate(TREE, X, Y_WORDS, scoring=made, cv=FOLDS)
    assert all(np.isfinite(result[f"test_{name}"]).all() for name in made)


def test_search_with_refit_by_name() -> None:
    search = GridSearchCV(
        TREE, {"max_depth": [1, 3]}, scoring=oe.scorers(["cem_ord", "oc_index"], labels=LEVELS),
        refit="oc_index", cv=FOLDS,
    )  # fmt: skip
    copied = clone(search)
    for fitted in (search.fit(X, Y_WORDS), copied.fit(X, Y_WORDS)):
        assert fitted.best_params_ == {"max_depth": 3}
        means = fitted.cv_results_["mean_test_oc_index"]
        assert fitted.best_score_ == means.max()
        assert (means <= 0).all()
    one = GridSearchCV(
        TREE, {"max_depth": [1, 3]}, scoring=oe.scorer("oc_index", labels=LEVELS), cv=FOLDS
    )
    assert one.fit(X, Y_WORDS).best_score_ == search.best_score_
    expected = -oe.oc_index(Y_WORDS, one.predict(X), labels=LEVELS)
    assert one.score(X, Y_WORDS) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["cem_ord", "mean_absolute_error", "ranked_probability_score"])
def test_permutation_importance(name: str) -> None:
    fitted = clone(LOGIT).fit(X, Y_WORDS)
    result = permutation_importance(
        fitted, X, Y_WORDS, scoring=oe.scorer(name, labels=LEVELS), n_repeats=3, random_state=0
    )
    means = result.importances_mean
    assert means[0] > 0.1
    assert means[0] > 5 * np.abs(means[1:]).max()


def test_a_pipeline_knows_its_classes() -> None:
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    scores = cross_val_score(pipe, X, Y, scoring=oe.scorer("ranked_probability_score"), cv=FOLDS)
    assert np.isfinite(scores).all()


# Folds that miss a class

MISSING_TOP = PredefinedSplit(np.where(Y == 2, 1, np.arange(len(Y)) % 2))


def test_a_class_that_is_missing_from_a_test_fold() -> None:
    """The fold of even places has no item of the top class; the scale stays whole."""
    metrics = ["mean_absolute_error", "cem_ord", "weighted_kappa", "ranked_probability_score"]
    result = cross_validate(
        LOGIT, X, Y_WORDS, scoring=oe.scorers(metrics, labels=LEVELS), cv=MISSING_TOP,
        error_score="raise",
    )  # fmt: skip
    for name in metrics:
        assert np.isfinite(result[f"test_{name}"]).all(), name
    test = (np.arange(len(Y)) % 2 == 0) & (Y < 2)
    fitted = clone(LOGIT).fit(X[~test], Y_WORDS[~test])
    expected = oe.cem_ord(Y_WORDS[test], fitted.predict(X[test]), labels=LEVELS)
    assert result["test_cem_ord"][0] == pytest.approx(expected)


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_class_that_is_missing_from_the_training(missing: int) -> None:
    """Its column of probabilities is zero, wherever it is on the scale."""
    fitted = clone(LOGIT).fit(X[missing != Y], Y_WORDS[missing != Y])
    score = oe.scorer("ranked_probability_score", labels=LEVELS)(fitted, X, Y_WORDS)
    prob = np.zeros((len(Y), 3))
    for column, name in enumerate(fitted.classes_):
        prob[:, LEVELS.index(name)] = fitted.predict_proba(X)[:, column]
    expected = oe.ranked_probability_score(Y_WORDS, prob, labels=LEVELS)
    assert score == pytest.approx(-expected)
    hits = oe.scorer("cem_ord", labels=LEVELS)(fitted, X, Y_WORDS)
    assert hits == pytest.approx(oe.cem_ord(Y_WORDS, fitted.predict(X), labels=LEVELS))


def test_integers_without_labels_when_the_model_never_saw_a_class() -> None:
    """A label of the truth that the model does not know is the model's error, not the data's."""
    fitted = clone(TREE).fit(X[Y < 2], Y[Y < 2])
    score = oe.scorer("mean_absolute_error")(fitted, X, Y)
    assert score == pytest.approx(-np.abs(fitted.predict(X) - Y).mean())


def test_a_measure_that_needs_every_class_in_a_fold_without_one() -> None:
    """One bad fold is NaN with a warning, as for every other measure; it stops nothing."""
    scoring = oe.scorer("cost_accuracy_distance", labels=LEVELS)
    test = Y < 2
    fitted = clone(TREE).fit(X, Y_WORDS)
    with pytest.warns(oe.UndefinedMetricWarning):
        assert np.isnan(scoring(fitted, X[test], Y_WORDS[test]))


def test_undefined_values_can_be_replaced() -> None:
    constant = clone(TREE).fit(X[Y == 1], Y[Y == 1])
    with pytest.warns(oe.UndefinedMetricWarning):
        assert np.isnan(oe.scorer("kendall_tau_b", labels=[0, 1, 2])(constant, X, Y))
    assert oe.scorer("kendall_tau_b", labels=[0, 1, 2], undefined=0)(constant, X, Y) == 0
    assert oe.scorer("kendall_tau_b", labels=[0, 1, 2], undefined=-1)(constant, X, Y) == -1


def test_binary_classes() -> None:
    binary = (Y > 0).astype(int)
    fitted = clone(LOGIT).fit(X, binary)
    brier = np.mean((fitted.predict_proba(X)[:, 1] - binary) ** 2)
    rps = oe.scorer("ranked_probability_score")
    assert rps(fitted, X, binary) == pytest.approx(-brier)
    assert np.isfinite(cross_val_score(LOGIT, X, binary, scoring=rps, cv=FOLDS)).all()
    words = np.array(["yes", "no"])[binary]  # the scale runs against the alphabet
    fitted_words = clone(LOGIT).fit(X, words)
    scoring = oe.scorer("ranked_probability_score", labels=["yes", "no"])
    assert scoring(fitted_words, X, words) == pytest.approx(-brier, abs=1e-4)
    many = cross_validate(
        LOGIT, X, binary, scoring=oe.scorers(["accuracy", "ranked_probability_score"]), cv=FOLDS
    )
    np.testing.assert_allclose(
        many["test_ranked_probability_score"],
        cross_val_score(LOGIT, X, binary, scoring=rps, cv=FOLDS),
    )


# Weights

WEIGHT = np.random.default_rng(1).uniform(0.1, 3, len(Y))


@pytest.fixture
def routing() -> Iterator[None]:
    """Metadata routing for the time of a test."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("name", ["cem_ord", "mean_absolute_error", "ranked_probability_score"])
def test_weights_in_a_call(name: str) -> None:
    fitted = clone(LOGIT).fit(X, Y)
    scoring = oe.scorer(name, labels=[0, 1, 2])
    ones = scoring(fitted, X, Y, sample_weight=np.ones(len(Y)))
    assert ones == pytest.approx(scoring(fitted, X, Y))
    assert scoring(fitted, X, Y, sample_weight=WEIGHT) != pytest.approx(ones, abs=1e-6)


@pytest.mark.parametrize("name", ["mean_absolute_error", "ranked_probability_score"])
@pytest.mark.usefixtures("routing")
def test_weights_by_routing(name: str) -> None:
    estimator = LogisticRegression().set_fit_request(sample_weight=False)
    scoring = oe.scorer(name, labels=[0, 1, 2]).set_score_request(sample_weight=True)
    result = cross_validate(
        estimator, X, Y, scoring=scoring, cv=FOLDS, params={"sample_weight": WEIGHT},
        error_score="raise",
    )  # fmt: skip
    test = np.arange(len(Y)) % 5 == 0
    fitted = LogisticRegression().fit(X[~test], Y[~test])
    metric = oe.get_metric(name)
    pred = (
        fitted.predict_proba(X[test])
        if metric.needs == "probabilities"
        else fitted.predict(X[test])
    )
    expected = -metric(Y[test], pred, labels=[0, 1, 2], sample_weight=WEIGHT[test])
    assert result["test_score"][0] == pytest.approx(expected)


@pytest.mark.usefixtures("routing")
def test_weights_are_not_used_unless_requested() -> None:
    estimator = LogisticRegression().set_fit_request(sample_weight=True)
    plain = oe.scorer("mean_absolute_error", labels=[0, 1, 2])
    without = plain.set_score_request(sample_weight=False)
    result = cross_validate(
        estimator, X, Y, scoring=without, cv=FOLDS, params={"sample_weight": WEIGHT}
    )
    assert np.isfinite(result["test_score"]).all()


@pytest.mark.usefixtures("routing")
def test_a_request_survives_storage() -> None:
    scoring = oe.scorer("cem_ord", labels=[0, 1, 2]).set_score_request(sample_weight=True)
    for again in (pickle.loads(pickle.dumps(scoring)), copy.deepcopy(scoring)):
        requests = again.get_metadata_routing().score.requests
        assert requests == {"sample_weight": True}
    search = GridSearchCV(
        LogisticRegression().set_fit_request(sample_weight=False), {"C": [1.0]}, scoring=scoring,
        cv=FOLDS,
    )  # fmt: skip
    fitted = clone(search).fit(X, Y, sample_weight=WEIGHT)
    plain = GridSearchCV(
        LOGIT, {"C": [1.0]}, scoring=oe.scorer("cem_ord", labels=[0, 1, 2]), cv=FOLDS
    )
    assert fitted.best_score_ != plain.fit(X, Y).best_score_


# Storage


@pytest.mark.parametrize(
    "copier", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
@pytest.mark.parametrize(
    "scoring",
    [
        oe.scorer("oc_index", labels=LEVELS, share=0.25),
        oe.scorer(oe.accuracy_within.with_params(n=1), labels=LEVELS),
        oe.scorer("kendall_tau_b", labels=LEVELS, undefined=0.0),
        oe.scorer("ranked_probability_score", labels=LEVELS),
    ],
    ids=["parameter", "bound", "undefined", "probability"],
)
def test_storage(scoring: Any, copier: Any) -> None:
    again = copier(scoring)
    fitted = clone(LOGIT).fit(X, Y_WORDS)
    assert again(fitted, X, Y_WORDS) == scoring(fitted, X, Y_WORDS)
    assert repr(again) == repr(scoring)
    only = Y == 1
    constant = clone(TREE).fit(X[only], Y_WORDS[only])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", oe.UndefinedMetricWarning)
        values = [s(constant, X, Y_WORDS) for s in (scoring, again)]
    np.testing.assert_array_equal(values[0], values[1])


def test_two_processes() -> None:
    scoring = oe.scorers(["oc_index", "ranked_probability_score"], labels=LEVELS)
    one = cross_validate(LOGIT, X, Y_WORDS, scoring=scoring, cv=FOLDS)
    two = cross_validate(LOGIT, X, Y_WORDS, scoring=scoring, cv=FOLDS, n_jobs=2)
    for name in scoring:
        np.testing.assert_allclose(one[f"test_{name}"], two[f"test_{name}"])


def test_repr_names_the_measure() -> None:
    assert repr(oe.scorer("oc_index")) == "make_scorer(oc_index, response_method='predict')"
    assert "predict_proba" in repr(oe.scorer("ranked_probability_score"))


# Errors


def test_strings_without_labels_are_refused_in_words() -> None:
    fitted = clone(TREE).fit(X, Y_WORDS)
    with pytest.raises(oe.ScaleError, match=r"labels without an order\. .* List them lowest first"):
        oe.scorer("cem_ord")(fitted, X, Y_WORDS)
    with pytest.raises(oe.ScaleError, match="order"):
        oe.scorer("ranked_probability_score")(clone(LOGIT).fit(X, Y_WORDS), X, Y_WORDS)


def test_an_estimator_without_classes_needs_labels() -> None:
    class Rounded(BaseEstimator):
        def fit(self, x: Array, y: Array) -> "Rounded":
            self.line_ = LinearRegression().fit(x, y)
            return self

        def predict(self, x: Array) -> Array:
            return np.clip(np.rint(self.line_.predict(x)), 0, 2).astype(int)

    fitted = Rounded().fit(X, Y)
    with pytest.raises(oe.ScaleError) as caught:
        oe.scorer("cem_ord")(fitted, X, Y)
    assert str(caught.value) == ("the scorer needs labels=, because the estimator has no classes_.")
    expected = oe.cem_ord(Y, fitted.predict(X), labels=[0, 1, 2])
    assert oe.scorer("cem_ord", labels=[0, 1, 2])(fitted, X, Y) == pytest.approx(expected)


def test_a_class_outside_the_scale_is_refused() -> None:
    fitted = clone(LOGIT).fit(X, Y_WORDS)
    with pytest.raises(oe.LabelError, match="outside the scale"):
        oe.scorer("ranked_probability_score", labels=["low", "medium"])(fitted, X, Y_WORDS)


def test_bad_arguments_are_refused_at_once() -> None:
    with pytest.raises(oe.UnknownMetricError, match="Did you mean oc_index"):
        oe.scorer("oc_indx")
    with pytest.raises(oe.ParameterError, match="has no parameter 'beta'"):
        oe.scorer("accuracy", beta=1)
    with pytest.raises(oe.ParameterError, match="share"):
        oe.scorer("oc_index", share=-1)
    with pytest.raises(oe.ParameterError, match="needs the parameter beta_deviation"):
        oe.scorer("oc_index_general")
    with pytest.raises(oe.ScaleError):
        oe.scorer("accuracy", labels="abc")


def test_a_bad_replacement_is_refused_at_once() -> None:
    with pytest.raises(oe.ParameterError, match="undefined must be a number"):
        oe.scorer("accuracy", undefined="zero")  # type: ignore[arg-type]


def test_a_cost_matrix_does_not_need_labels() -> None:
    cost = [[0, 1, 5], [1, 0, 1], [5, 1, 0]]
    fitted = clone(TREE).fit(X, Y)
    expected = oe.expected_cost(Y, fitted.predict(X), cost=cost)
    assert oe.scorer("expected_cost", cost=cost)(fitted, X, Y) == pytest.approx(-expected)


def test_a_cost_matrix_with_labels() -> None:
    cost = [[0, 1, 5], [1, 0, 1], [5, 1, 0]]
    fitted = clone(TREE).fit(X, Y)
    expected = oe.expected_cost(Y, fitted.predict(X), cost=cost)
    scoring = oe.scorer("expected_cost", labels=[0, 1, 2], cost=cost)
    assert scoring(fitted, X, Y) == pytest.approx(-expected)
    with pytest.raises(oe.ParameterError, match="3 x 3"):
        oe.scorer("expected_cost", labels=[0, 1, 2], cost=[[0, 1], [1, 0]])


def test_the_area_of_a_cut_ranks_probabilities_if_there_are_any() -> None:
    from sklearn.metrics import roc_auc_score

    test = np.arange(len(Y)) % 5 == 0
    fitted = clone(LOGIT).fit(X[~test], Y_WORDS[~test])
    above = fitted.predict_proba(X[test])[:, [list(fitted.classes_).index("high")]].ravel()
    score = oe.scorer("auc", labels=LEVELS, at_least="high")
    want = roc_auc_score(Y[test] == 2, above)
    assert score(fitted, X[test], Y_WORDS[test]) == pytest.approx(want)
    both = {"auc": score, "accuracy": oe.scorer("accuracy", labels=LEVELS)}
    found = cross_validate(LOGIT, X, Y_WORDS, cv=FOLDS, scoring=both)
    assert found["test_auc"][0] == pytest.approx(want)

    class LabelsOnly(BaseEstimator):  # type: ignore[misc]
        classes_ = np.array(LEVELS)

        def predict(self, features: Array) -> Array:
            return np.asarray(fitted.predict(features))

    area = oe.threshold_auc(Y_WORDS[test], fitted.predict(X[test]), labels=LEVELS, at_least="high")
    assert score(LabelsOnly(), X[test], Y_WORDS[test]) == pytest.approx(area)
