"""Boosting: the value of each round is ordeval's own, and early stopping keeps the best round."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost

import ordeval as oe

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:xgboost"),
    pytest.mark.filterwarnings("ignore::UserWarning:lightgbm"),
]
K, ROUNDS, PATIENCE = 4, 60, 15
QUIET = {"verbosity": -1, "num_threads": 1, "metric": "None", "learning_rate": 0.5}


def data(low: int = 0) -> tuple[Any, Any, Any, Any]:
    """Noisy ordinal data, on which boosting soon learns the noise."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, 5))
    noisy = x[:, 0] + 0.5 * x[:, 1] + rng.normal(0, 0.7, 500)
    y = np.digitize(noisy, [-1.0, 0.0, 1.0]) + low
    return x[:300], y[:300], x[300:], y[300:]


def xgboost_run(objective: str, metric: Any, low: int = 0, weight: Any = None) -> Any:
    x, y, x_test, y_test = data(low)
    params: dict[str, Any] = {
        "objective": objective, "eta": 0.5, "disable_default_eval_metric": True, "nthread": 1,
    }  # fmt: skip
    if objective.startswith("multi"):
        params["num_class"] = K
    history: Any = {}
    held = xgboost.DMatrix(x_test, y_test, weight=weight)
    booster = xgboost.train(
        params, xgboost.DMatrix(x, y), ROUNDS, evals=[(held, "held")], custom_metric=metric,
        evals_result=history, verbose_eval=False, callbacks=[metric.early_stopping(PATIENCE)],
    )  # fmt: skip
    return booster, history["held"][metric.name], held, y_test


def as_labels(predicted: Any, low: int = 0) -> Any:
    """The slow definition: the most probable class, or the nearest label, halves up."""
    if predicted.ndim == 2:
        return predicted.argmax(axis=1) + low
    return np.clip(np.floor(predicted + 0.5), low, low + K - 1).astype(int)


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax", "reg:squarederror"])
@pytest.mark.parametrize("name", ["weighted_kappa", "average_mae"])
def test_xgboost_stops_at_the_best_round(objective: str, name: str) -> None:
    low = 3 if objective.startswith("reg") else 0
    scale = range(low, low + K)
    metric = oe.integrations.XGBoostMetric(name, scale)
    booster, history, held, y_test = xgboost_run(objective, metric, low)
    best = np.argmax(history) if oe.get_metric(name).greater_is_better else np.argmin(history)
    assert booster.best_iteration == best
    assert len(history) < ROUNDS
    assert max(history) > min(history)
    for i in (0, int(best), len(history) - 1):
        predicted = as_labels(booster.predict(held, iteration_range=(0, i + 1)), low)
        expected = oe.get_metric(name)(y_test, predicted, labels=scale)
        assert history[i] == pytest.approx(expected, abs=1e-5)


def test_without_the_adapter_xgboost_would_keep_the_worst_round() -> None:
    """The reason for early_stopping: a metric of a user is taken for a loss."""
    kappa = oe.integrations.XGBoostMetric("weighted_kappa", range(K))
    kappa.early_stopping = lambda rounds: xgboost.callback.EarlyStopping(  # type: ignore
        rounds=rounds, metric_name=kappa.name
    )
    booster, history, *_ = xgboost_run("multi:softprob", kappa)
    assert booster.best_iteration == np.argmin(history) != np.argmax(history)


def test_xgboost_weights_count() -> None:
    weight = np.random.default_rng(0).random(200)
    metric = oe.integrations.XGBoostMetric("mean_absolute_error", range(K))
    booster, history, held, y_test = xgboost_run("reg:squarederror", metric, weight=weight)
    predicted = as_labels(booster.predict(held, iteration_range=(0, 1)))
    expected = oe.mean_absolute_error(y_test, predicted, labels=range(K), sample_weight=weight)
    assert history[0] == pytest.approx(expected, abs=1e-5)


def test_xgboost_probability_measure() -> None:
    metric = oe.integrations.XGBoostMetric("ranked_probability_score", range(K))
    booster, history, held, y_test = xgboost_run("multi:softprob", metric)
    assert booster.best_iteration == np.argmin(history)
    prob = booster.predict(held, iteration_range=(0, 1))
    expected = oe.ranked_probability_score(y_test, prob, labels=range(K))
    assert history[0] == pytest.approx(expected, abs=1e-5)


def test_xgboost_estimator() -> None:
    x, y, x_test, y_test = data()
    kappa = oe.integrations.XGBoostMetric(oe.weighted_kappa.with_params(weights="linear"), range(K))
    assert kappa.name == "weighted_kappa_weights_linear"
    model = xgboost.XGBClassifier(
        n_estimators=ROUNDS, learning_rate=0.5, eval_metric=kappa, n_jobs=1,
        callbacks=[kappa.early_stopping(PATIENCE, save_best=True)],
    )  # fmt: skip
    model.fit(x, y, eval_set=[(x_test, y_test)], verbose=False)
    history = model.evals_result()["validation_0"][kappa.name]
    expected = oe.weighted_kappa(y_test, model.predict(x_test), labels=range(K), weights="linear")
    assert max(history) == pytest.approx(expected, abs=1e-5)
    assert max(history) != history[-1]


def lightgbm_run(objective: str, metric: Any, low: int = 0, weight: Any = None) -> Any:
    x, y, x_test, y_test = data(low)
    params = {**QUIET, "objective": objective}
    if objective == "multiclass":
        params["num_class"] = K
    train = lightgbm.Dataset(x, y)
    held = lightgbm.Dataset(x_test, y_test, reference=train, weight=weight)
    history: Any = {}
    booster = lightgbm.train(
        params, train, ROUNDS, valid_sets=[held], valid_names=["held"], feval=metric,
        callbacks=[
            lightgbm.record_evaluation(history), lightgbm.early_stopping(PATIENCE, verbose=False),
        ],
    )  # fmt: skip
    return booster, history["held"][metric.name], x_test, y_test


@pytest.mark.parametrize("objective", ["multiclass", "regression"])
@pytest.mark.parametrize("name", ["weighted_kappa", "average_mae"])
def test_lightgbm_stops_at_the_best_round(objective: str, name: str) -> None:
    low = 3 if objective == "regression" else 0
    scale = range(low, low + K)
    metric = oe.integrations.LightGBMMetric(name, scale)
    booster, history, x_test, y_test = lightgbm_run(objective, metric, low)
    best = np.argmax(history) if oe.get_metric(name).greater_is_better else np.argmin(history)
    assert booster.best_iteration == best + 1  # counted from one
    assert len(history) < ROUNDS
    for i in (0, int(best)):
        predicted = as_labels(booster.predict(x_test, num_iteration=i + 1), low)
        expected = oe.get_metric(name)(y_test, predicted, labels=scale)
        assert history[i] == pytest.approx(expected, abs=1e-6)


def test_lightgbm_weights_and_probabilities() -> None:
    weight = np.random.default_rng(0).random(200)
    metric = oe.integrations.LightGBMMetric("ranked_probability_score", range(K))
    booster, history, x_test, y_test = lightgbm_run("multiclass", metric, weight=weight)
    prob = booster.predict(x_test, num_iteration=1)
    kept = weight.astype(np.float32)
    expected = oe.ranked_probability_score(y_test, prob, labels=range(K), sample_weight=kept)
    assert history[0] == pytest.approx(expected, abs=1e-6)


def test_lightgbm_estimator() -> None:
    x, y, x_test, y_test = data()
    kappa = oe.integrations.LightGBMMetric("weighted_kappa", range(K))
    model = lightgbm.LGBMClassifier(n_estimators=ROUNDS, **QUIET)
    model.fit(
        x, y, eval_set=[(x_test, y_test)], eval_metric=kappa,
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )  # fmt: skip
    history = model.evals_result_["valid_0"][kappa.name]
    assert model.best_iteration_ == np.argmax(history) + 1
    expected = oe.weighted_kappa(y_test, model.predict(x_test), labels=range(K))
    assert max(history) == pytest.approx(expected, abs=1e-6)


def test_a_round_where_the_measure_is_undefined_is_the_worst() -> None:
    """NaN in the first round would never be beaten."""
    for name, worst in (("weighted_kappa", -1.0), ("average_mae", 3.0)):
        metric = oe.integrations.LightGBMMetric(name, range(K))
        one_class = metric([2, 2], [2.0, 2.0]) if name == "weighted_kappa" else metric([], [])
        assert one_class[1] == worst


def test_halves_go_up_and_scores_beyond_the_ends_to_the_ends() -> None:
    metric = oe.integrations.LightGBMMetric("accuracy", [1, 2, 3])
    assert metric([1, 2, 2, 3, 3], [-7.0, 1.5, 2.49, 2.5, 99.0])[1] == 1.0


def test_a_binary_booster_gives_the_probability_of_the_higher_class() -> None:
    truth, given = [0, 1, 1], np.array([0.2, 0.9, 0.4])
    labels = oe.integrations.LightGBMMetric("accuracy", range(2))
    assert labels(truth, given)[1] == pytest.approx(2 / 3)
    score = oe.integrations.LightGBMMetric("ranked_probability_score", range(2))
    assert score(truth, given)[1] == pytest.approx((0.2**2 + 0.1**2 + 0.6**2) / 3)


@pytest.mark.parametrize(
    ("name", "labels", "said"),
    [
        ("mean_signed_error", range(4), "has no direction"),
        ("accuracy", ["low", "high"], r"labels=range\(2\)"),
        ("accuracy", [3, 2, 1], "lowest first"),
        ("fleiss_kappa", range(3), "ratings of several raters"),
    ],
)
def test_what_boosters_cannot_use_is_refused(name: str, labels: Any, said: str) -> None:
    for kind in (oe.integrations.XGBoostMetric, oe.integrations.LightGBMMetric):
        with pytest.raises(oe.ParameterError, match=said):
            kind(name, labels)


@pytest.mark.parametrize(
    ("truth", "given", "said"),
    [
        ([0, 1], np.array([0.0, np.nan]), "NaN"),
        ([0, 1], np.ones((2, 3)) / 3, r"each of the 4 levels.*\(2, 3\)"),
        ([0, 4], np.array([0.0, 1.0]), "outside the scale"),
    ],
)
def test_predictions_that_do_not_fit_are_refused(truth: Any, given: Any, said: str) -> None:
    with pytest.raises(oe.LabelError, match=said):
        oe.integrations.LightGBMMetric("accuracy", range(4))(truth, given)
