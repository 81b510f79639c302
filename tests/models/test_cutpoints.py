"""Cut points: exactness against all placements, every measure, weights, folds, no leak."""

import json
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor
from tests.ready import ready

import ordeval as oe
from ordeval.models import OrdinalCutpointClassifierCV, optimal_cut_points, placement
from ordeval.models._additive import losses, quotients

Array = NDArray[Any]
LABELS = [m.name for m in oe.metrics(needs="labels")]
CHEAP = [m.name for m in oe.metrics(needs="labels") if m.by_default]
ADDITIVE = [
    "accuracy", "misclassification_error", "accuracy_within", "balanced_accuracy",
    "mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "average_mae",
    "average_mse", "brennan_prediger", "expected_cost", "normalized_expected_cost",
    "misclassification_cost", "cem_ord", "cem_nom", "cem_int", "cem_ord_flat",
    "threshold_sensitivity", "threshold_specificity",
]  # fmt: skip
KAPPAS = ["cohen_kappa", "weighted_kappa"]


def draw(seed: int, n: int, k: int, grid: float = 0.0) -> tuple[Array, Array]:
    """Scores that know something of the class, on a grid so that some are equal."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    scores = y + rng.normal(scale=1.2, size=n)
    return (np.round(scores / grid) * grid if grid else scores), y


def every_placement(scores: Array, k: int) -> list[Array]:
    """The classes under all ways to put K - 1 ordered cuts between distinct scores."""
    distinct = np.unique(scores)
    group = np.searchsorted(distinct, scores)
    placements = combinations_with_replacement(range(len(distinct) + 1), k - 1)
    return [(group[:, None] >= np.array(places)).sum(axis=1) for places in placements]


@lru_cache(maxsize=32)
def every_matrix(y: tuple[int, ...], scores: tuple[float, ...], k: int, weight: Any) -> Array:
    """The matrices of all placements, which every measure is then asked about."""
    return np.stack(
        [
            oe.ConfusionMatrix.from_labels(y, pred, range(k), weight).counts
            for pred in every_placement(np.array(scores), k)
        ]
    )


def brute_force(
    name: str, scores: Array, y: Array, k: int, weight: Any = None, **params: Any
) -> float:
    """The best value over all placements, by the public measure."""
    metric = oe.get_metric(name)
    given = None if weight is None else tuple(weight)
    matrices = every_matrix(tuple(y.tolist()), tuple(scores.tolist()), k, given)
    values = metric.evaluate(matrices, metric.checked_on(k, params))
    return float(values[np.nanargmax(metric.utility(values))])


@pytest.mark.parametrize("name", [*ADDITIVE, *KAPPAS])
@pytest.mark.parametrize(("n", "k", "grid"), [(9, 3, 0.0), (11, 4, 0.5), (12, 2, 0.0)])
def test_exact_methods_equal_brute_force(name: str, n: int, k: int, grid: float) -> None:
    metric = ready(oe.get_metric(name))
    for seed in range(5):
        scores, y = draw(seed, n, k, grid)
        found = optimal_cut_points(y, scores, metric=metric, labels=range(k))
        assert found.exact
        best = brute_force(name, scores, y, k, **metric.bound)
        assert found.value == pytest.approx(best, abs=1e-12)
        predicted = found.classify(scores)
        assert metric(y, predicted, labels=range(k)) == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("weighted_kappa", {"weights": "linear"}),
        ("weighted_kappa", {"weights": [[0, 1, 9], [2, 0, 1], [3, 1, 0]]}),
        ("brennan_prediger", {"weights": "nominal"}),
        ("accuracy_within", {"n": 0}),
        ("expected_cost", {"cost": [[0, 5, 1], [2, 0, 1], [0, 7, 0]]}),
        ("misclassification_cost", {"class_sizes": [5, 1, 9]}),
        ("average_mae", {"absent": "zero"}),
    ],
)
def test_parameters_and_weights_equal_brute_force(name: str, params: dict[str, Any]) -> None:
    for seed in range(5):
        scores, y = draw(seed, 12, 3)
        weight = np.random.default_rng(seed).choice([0.25, 1.0, 3.5], 12)
        found = optimal_cut_points(
            y, scores, metric=name, labels=range(3), sample_weight=weight, **params
        )
        best = brute_force(name, scores, y, 3, weight, **params)
        assert found.value == pytest.approx(best, abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=3, max_size=9).filter(
        lambda items: len({y for _, y in items}) > 1
    ),
    st.sampled_from(["mean_absolute_error", "weighted_kappa"]),
)
def test_exact_on_any_small_data(items: list[tuple[int, int]], name: str) -> None:
    scores, y = np.array(items, dtype=float).T
    y = y.astype(int)
    found = optimal_cut_points(y, scores, metric=name, labels=range(3))
    assert found.value == pytest.approx(brute_force(name, scores, y, 3), abs=1e-12)


def test_of_equal_placements_the_one_with_the_lowest_last_cut() -> None:
    """Class 1 never occurs: any place of the first cut from 2 to the second costs the same."""
    scores, y = np.arange(4.0), np.array([0, 0, 2, 2])
    found = optimal_cut_points(y, scores, metric="accuracy", labels=range(3))
    np.testing.assert_array_equal(found.cut_points, [1.5, 1.5])
    # No placement gets more than one of these two right; that with the lowest cuts says "1" twice.
    found = optimal_cut_points([1, 0], [0.0, 1.0], metric="accuracy", labels=[0, 1])
    np.testing.assert_array_equal(found.cut_points, [-np.inf])


@pytest.mark.parametrize("name", LABELS)
def test_additive_measures_are_all_listed_and_truly_so(name: str) -> None:
    """With the class sizes fixed, the measure moves with the sum of its losses, or is not one."""
    rng = np.random.default_rng(0)
    metric = ready(oe.get_metric(name))
    params = metric.check_parameters({}, 4)
    sizes = np.array([7, 3, 9, 5])
    loss = losses(metric, params, sizes.astype(float))
    assert (loss is not None) == (name in ADDITIVE)
    assert (quotients(metric, params, sizes.astype(float)) is not None) == (name in KAPPAS)
    if metric.expensive:
        return
    shares = rng.dirichlet(np.ones(4) / 4, (300, 4))  # from nearly perfect to nearly all wrong
    stack = rng.multinomial(sizes, shares)
    utility = metric.utility(metric.evaluate(stack, params))
    if loss is None:
        assert not _is_affine(stack, utility)
        return
    total = (stack * loss).sum(axis=(1, 2))
    order = np.argsort(total)
    assert (np.diff(utility[order]) <= 1e-12).all()
    same = np.isclose(np.diff(total[order]), 0, atol=1e-12)
    np.testing.assert_allclose(np.diff(utility[order])[same], 0, atol=1e-12)


def _is_affine(stack: Array, values: Array) -> bool:
    """Whether a constant and a weight for each cell reproduce the values."""
    cells = np.column_stack([np.ones(len(stack)), stack.reshape(len(stack), -1)])
    defined = np.isfinite(values)
    fitted = cells[defined] @ np.linalg.lstsq(cells[defined], values[defined], rcond=None)[0]
    return bool(np.allclose(fitted, values[defined], atol=1e-9))


@pytest.mark.parametrize("name", sorted(set(CHEAP) - {*ADDITIVE, *KAPPAS}))
def test_other_measures_on_small_data_equal_brute_force(name: str) -> None:
    scores, y = draw(1, 14, 3)
    found = optimal_cut_points(y, scores, metric=name, labels=range(3))
    assert found.exact
    assert found.value == pytest.approx(brute_force(name, scores, y, 3), abs=1e-12)


@pytest.mark.parametrize("name", sorted(set(CHEAP) - {*ADDITIVE, *KAPPAS}))
def test_the_search_comes_close_to_brute_force(name: str, monkeypatch: Any) -> None:
    """Made to search where all placements can be evaluated, it finds the best or nearly so."""
    monkeypatch.setattr(placement, "_ALL", 0)
    metric = oe.get_metric(name)
    for seed in range(3):
        scores, y = draw(seed, 30, 4, 0.25)
        found = optimal_cut_points(y, scores, metric=name, labels=range(4))
        best = brute_force(name, scores, y, 4)
        assert not found.exact
        assert abs(metric.utility(best) - metric.utility(found.value)) <= 0.02


def test_an_expensive_measure_chooses_among_the_optima_of_others() -> None:
    scores, y = draw(0, 20, 3)
    metric = oe.oc_index_general.with_params(beta_deviation=0.01, beta_discordance=0.01)
    found = optimal_cut_points(y, scores, metric=metric, labels=range(3))
    assert not found.exact
    assert 0 < found.value < 0.7


def test_a_replaced_measure_is_searched_not_trusted() -> None:
    original = oe.get_metric("accuracy")
    facts = dict.fromkeys(["symmetric", "reversal_invariant"], False)

    @oe.register(
        name="accuracy", replace=True, symbol="A", family="accuracy", best=1, range=(0, 1),
        greater_is_better=True, depends_on_empty_levels=False, undefined_when="never",
        reference="This test", **facts,
    )  # fmt: skip
    def always_first(n: Any) -> Any:
        """Share of items predicted to be in the first class."""
        return n[..., 0].sum(-1) / n.sum((-2, -1))

    try:
        found = optimal_cut_points([0, 1, 1], [0.0, 1.0, 2.0], metric="accuracy")
    finally:
        from ordeval.measures import registry

        registry._REGISTRY["accuracy"] = original
    assert found.value == 1
    np.testing.assert_array_equal(found.cut_points, [np.inf])


def test_a_large_problem_is_better_than_nelder_mead_from_everywhere() -> None:
    scores, y = draw(2, 3000, 5)
    found = optimal_cut_points(y, scores, labels=range(5))

    def loss(cuts: Array) -> float:
        return -oe.weighted_kappa(y, np.searchsorted(np.sort(cuts), scores), labels=range(5))

    for shift in (-0.3, 0.0, 0.3):
        start = np.arange(4) + 0.5 + shift
        rival = minimize(loss, start, method="Nelder-Mead", options={"maxiter": 200})
        assert found.value >= -rival.fun


def test_weights_are_repetitions_and_none_is_absence() -> None:
    scores, y = draw(4, 40, 4)
    weight = np.random.default_rng(0).integers(0, 4, 40)
    for name in ("weighted_kappa", "mean_absolute_error", "oc_index"):
        weighted = optimal_cut_points(y, scores, metric=name, labels=range(4), sample_weight=weight)
        repeated = optimal_cut_points(
            np.repeat(y, weight), np.repeat(scores, weight), metric=name, labels=range(4)
        )
        np.testing.assert_array_equal(weighted.cut_points, repeated.cut_points)
        assert weighted.value == pytest.approx(repeated.value)


def test_a_cut_always_separates_what_it_is_between() -> None:
    a = 1.0
    b = np.nextafter(a, 2)
    found = optimal_cut_points([0, 1], [a, b], metric="accuracy")
    assert found.classify([a, b]).tolist() == [0, 1]
    huge = 1.7e308
    found = optimal_cut_points([0, 1], [-huge, huge], metric="accuracy")
    np.testing.assert_array_equal(found.cut_points, [0.0])


def test_cut_points_are_shown_between_their_classes() -> None:
    labels = ["low", "mid", "high"]
    found = optimal_cut_points(["low", "mid", "high"], [1.0, 2.0, 4.0], labels=labels)
    assert found.rows() == [
        {"below": "low", "above": "mid", "cut_point": 1.5},
        {"below": "mid", "above": "high", "cut_point": 3.0},
    ]
    assert "quadratic weighted kappa 1.000 on these data, the best of all cut points" in repr(found)
    assert found.to_frame()["cut_point"].tolist() == [1.5, 3.0]
    assert json.loads(found.to_json())["value"] == 1
    assert "| mid | high | 3 |" in found.to_markdown()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"metric": "ranked_probability_score"}, oe.ParameterError, "scores probabilities"),
        ({"metric": "kappaa"}, oe.UnknownMetricError, "No measure is called"),
        ({"share": 1}, oe.ParameterError, "has no parameter 'share'"),
        ({"sample_weight": [-1.0, 1, 1]}, oe.LabelError, "finite and not negative"),
        ({"sample_weight": [0.0, 0, 0]}, oe.LabelError, "none of positive weight"),
        ({"y_score": [1.0, np.nan, 2]}, oe.LabelError, "in which 2 are finite"),
        ({"y_score": [1.0, 2]}, oe.LabelError, "one finite number per item, 3 in all"),
        ({"y_true": [1, 1, 1]}, oe.ParameterError, "undefined for all cut points"),
        ({"y_true": ["a", "b", "b"]}, oe.ScaleError, "labels without an order"),
    ],
)
def test_bad_input(change: Any, error: Any, message: str) -> None:
    call: dict[str, Any] = {"y_true": [0, 1, 1], "y_score": [0.0, 1, 2], **change}
    with pytest.raises(error, match=message):
        optimal_cut_points(**call)


# The estimator.

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
Y = np.digitize(X @ [1, 0.5, 0] + RNG.normal(scale=0.4, size=240), [-1, 0.2, 0.8])


@pytest.mark.parametrize("name", CHEAP)
def test_every_measure_can_be_tuned_for(name: str) -> None:
    model = OrdinalCutpointClassifierCV(LinearRegression(), metric=name, cv=3)
    model.fit(X[:90], Y[:90])
    assert len(model.cut_points_) == 3
    assert (np.diff(model.cut_points_[np.isfinite(model.cut_points_)]) >= 0).all()
    assert np.isfinite(model.tuned_value_)
    assert model.cv_values_.shape == (3,)


def test_the_scores_are_of_items_that_the_model_did_not_see() -> None:
    class Sees(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        """Knows the class of what it was fitted on, and nothing of anything else."""

        def fit(self, x: Any, y: Any) -> "Sees":
            self.seen_ = {tuple(row): value for row, value in zip(x, y, strict=True)}
            return self

        def predict(self, x: Any) -> Any:
            return np.array([self.seen_.get(tuple(row), -7.0) for row in x])

    model = OrdinalCutpointClassifierCV(Sees(), metric="mean_absolute_error").fit(X, Y)
    # All held-out scores are equal, so the best is one class for all, the median.
    constant = min(np.abs(Y - c).mean() for c in range(4))
    assert model.tuned_value_ == pytest.approx(constant)
    assert set(model.scores(X)) == {0, 1, 2, 3}  # on what it has seen it would have been perfect


@pytest.mark.parametrize("inner", [Ridge(), DecisionTreeRegressor(random_state=0)])
def test_nested_evaluation_finds_nothing_in_noise(inner: Any) -> None:
    """Features say nothing of the class: tuned values are above 0, nested ones are about 0."""
    rng = np.random.default_rng(5)
    nested, tuned = [], []
    for _ in range(6):
        x, y = rng.normal(size=(120, 4)), rng.integers(0, 4, 120)
        model = OrdinalCutpointClassifierCV(inner, cv=4)
        nested += cross_val_score(
            model, x, y, scoring=oe.scorer("weighted_kappa", labels=range(4)), cv=KFold(4)
        ).tolist()
        tuned.append(model.fit(x, y).tuned_value_)
    error = np.std(nested) / np.sqrt(len(nested))
    assert abs(np.mean(nested)) < 3.5 * error
    assert np.mean(tuned) > 0.03


def test_tuning_pays_on_new_items() -> None:
    """Squared loss shrinks scores to the middle; rounding them loses the end classes."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 1))
    y = np.digitize(x[:, 0] + rng.normal(size=3000), [-1.5, -0.5, 0.5, 1.5])
    train, test = slice(0, 1000), slice(1000, None)
    rounded = np.clip(np.rint(LinearRegression().fit(x[train], y[train]).predict(x[test])), 0, 4)
    model = OrdinalCutpointClassifierCV(LinearRegression()).fit(x[train], y[train])
    labels = range(5)
    tuned = oe.weighted_kappa(y[test], model.predict(x[test]), labels=labels)
    assert tuned > oe.weighted_kappa(y[test], rounded.astype(int), labels=labels) + 0.02


def test_the_folds_say_what_the_cut_points_of_the_others_achieve() -> None:
    folds = KFold(3)
    model = OrdinalCutpointClassifierCV(LinearRegression(), metric="mean_absolute_error", cv=folds)
    model.fit(X, Y)
    scores = np.empty(len(Y))
    for train, test in folds.split(X):
        scores[test] = LinearRegression().fit(X[train], Y[train]).predict(X[test])
    pooled = optimal_cut_points(Y, scores, metric="mean_absolute_error")
    np.testing.assert_allclose(model.cut_points_, pooled.cut_points)
    for (train, test), value in zip(folds.split(X), model.cv_values_, strict=True):
        others = optimal_cut_points(Y[train], scores[train], metric="mean_absolute_error")
        assert value == pytest.approx(np.abs(others.classify(scores[test]) - Y[test]).mean())


def test_responses() -> None:
    expected = OrdinalCutpointClassifierCV(LogisticRegression()).fit(X, Y)
    probabilities = LogisticRegression().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(expected.scores(X), probabilities @ np.arange(4))
    two = OrdinalCutpointClassifierCV(SVC(), metric="accuracy").fit(X, Y > 1)
    assert (two.predict(X) == (Y > 1)).mean() > 0.85
    with pytest.raises(oe.ParameterError, match="cut points need one score per item"):
        OrdinalCutpointClassifierCV(SVC()).fit(X, Y)
    with pytest.raises(oe.ParameterError, match='"predict" needs a regressor'):
        OrdinalCutpointClassifierCV(SVC(), response="predict").fit(X, Y)
    with pytest.raises(oe.ParameterError, match='response must be "auto", "predict"'):
        OrdinalCutpointClassifierCV(SVC(), response="mean").fit(X, Y)  # type: ignore[arg-type]


def test_splits_that_overlap_and_measures_with_parameters() -> None:
    model = OrdinalCutpointClassifierCV(
        Ridge(), metric="oc_index", metric_params={"share": 0.25}, n_jobs=2,
        cv=ShuffleSplit(3, test_size=0.3, random_state=0),
    )  # fmt: skip
    with joblib.parallel_config("threading"):
        model.fit(X, Y)
    assert model.tuned_value_ < 0.5
    bound = OrdinalCutpointClassifierCV(
        Ridge(), metric=oe.oc_index.with_params(share=0.25),
        cv=ShuffleSplit(3, test_size=0.3, random_state=0),
    ).fit(X, Y)  # fmt: skip
    assert bound.tuned_value_ == model.tuned_value_
    assert clone(bound).metric.name == bound.metric.name


class Unfit(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    def fit(self, x: Any, y: Any) -> None:
        raise AssertionError("fitted")


def test_the_measure_is_judged_before_anything_is_fitted() -> None:
    for change, message in [
        ({"metric": "ranked_probability_score"}, "scores probabilities"),
        ({"metric_params": {"share": 1}}, "no parameter 'share'"),
    ]:
        with pytest.raises(oe.ParameterError, match=message):
            OrdinalCutpointClassifierCV(Unfit(), **change).fit(X, Y)  # type: ignore[arg-type]


def test_an_empty_level_counts_in_the_measure() -> None:
    y = np.where(Y == 3, 4, Y)  # level 3 of 0..4 never occurs
    model = OrdinalCutpointClassifierCV(Ridge(), metric="mean_squared_error", labels=range(5)).fit(
        X, y
    )
    codes = model.predict(X)
    assert 3 not in codes
    assert model.tuned_value_ > ((codes - y) ** 2).mean() / 3


def test_one_class_needs_no_score() -> None:
    model = OrdinalCutpointClassifierCV(Unfit(), labels=range(3)).fit(X, np.ones(len(X), dtype=int))
    assert set(model.predict(X)) == {1}
    assert (model.scores(X) == 0).all()


def test_a_constant_score_gives_one_class() -> None:
    model = OrdinalCutpointClassifierCV(DummyRegressor(), metric="mean_absolute_error")
    assert len(set(model.fit(X, Y).predict(X))) == 1


def test_many_items_are_exact_too(monkeypatch: Any) -> None:
    """The first placement on a grid only spares rounds: with another grid the value is the same."""
    scores, y = draw(6, 5000, 5)
    whole = [optimal_cut_points(y, scores, metric=name).value for name in KAPPAS]
    monkeypatch.setattr(placement, "_GRID", 10**6)
    assert whole == [optimal_cut_points(y, scores, metric=name).value for name in KAPPAS]


def test_folds_without_a_class_leave_their_value_out() -> None:
    """The cost of a class that the other folds lack is infinite: no value, and no failure."""
    y = np.where(np.arange(240) < 3, 4, Y)  # level 4 in the first fold only
    model = OrdinalCutpointClassifierCV(Ridge(), metric="misclassification_cost", cv=KFold(3))
    model.fit(X, y)
    assert np.isfinite(model.tuned_value_)
    assert np.isnan(model.cv_values_).all()  # the first has no cut points, the others lack a class
    once = OrdinalCutpointClassifierCV(Ridge(), cv=ShuffleSplit(1, random_state=0)).fit(X, Y)
    assert np.isnan(once.cv_values_).all()


@pytest.mark.parametrize("truth", [[1, 1, 1, 1], [2, 2, 2, 2]])
def test_kappa_of_one_class_is_refused(truth: list[int]) -> None:
    with pytest.raises(oe.ParameterError, match="The truth has only one class"):
        optimal_cut_points(truth, [1, 2, 3, 4], labels=[1, 2])
