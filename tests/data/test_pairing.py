"""Series that name their items by an index are never paired by position in silence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval import meta, models
from ordeval.data.same_items import index_of
from ordeval.exceptions import LabelError

N = 60
TRUTH = pd.Series(np.random.default_rng(0).integers(1, 4, N))
PRED = TRUTH.where(TRUTH.index % 9 != 0, 2)
LEVELS = [1, 2, 3]
SHUFFLED = PRED.sample(frac=1, random_state=1)
ELSEWHERE = PRED.set_axis(range(1000, 1000 + N))
CLUSTERS = pd.Series(np.arange(N) % 25)
WEIGHTS = pd.Series(np.linspace(1, 2, N))
FEW = TRUTH.where(np.arange(N) % 5 != 0)  # human labels of most
PROB = pd.DataFrame(np.eye(3)[PRED - 1])


def fit(y: Any, sample_weight: Any = None) -> Any:
    from sklearn.linear_model import LogisticRegression

    features = pd.DataFrame({"x": np.arange(float(N))})
    model = models.MinimumCostClassifier(LogisticRegression())
    return model.fit(features, y, sample_weight).classes_.tolist()


# Each door with one of its arguments left open; the others are in the order of the truth.
DOORS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "a measure": (lambda x: oe.weighted_kappa(TRUTH, x, labels=LEVELS), PRED),
    "a measure, integers": (lambda x: oe.weighted_kappa(TRUTH, x, sample_weight=None), PRED),
    "a measure, truth": (lambda x: oe.weighted_kappa(x, TRUTH, labels=LEVELS), PRED),
    "a measure, weights": (
        lambda x: oe.accuracy(TRUTH, PRED, labels=LEVELS, sample_weight=x),
        WEIGHTS,
    ),
    "from_labels": (lambda x: oe.ConfusionMatrix.from_labels(TRUTH, x, LEVELS), PRED),
    "score": (lambda x: oe.score(TRUTH, x, ["accuracy"], labels=LEVELS), PRED),
    "score, clusters": (
        lambda x: oe.score(TRUTH, PRED, ["accuracy"], labels=LEVELS, clusters=x),
        CLUSTERS,
    ),
    "score, nested clusters": (
        lambda x: oe.score(TRUTH, PRED, ["accuracy"], labels=LEVELS, clusters=[CLUSTERS % 2, x]),
        CLUSTERS,
    ),
    "score, weights": (
        lambda x: oe.score(TRUTH, PRED, ["accuracy"], labels=LEVELS, sample_weight=x),
        WEIGHTS,
    ),
    "confidence_interval": (
        lambda x: oe.confidence_interval("accuracy", TRUTH, x, labels=LEVELS),
        PRED,
    ),
    "confidence_interval, clusters": (
        lambda x: oe.confidence_interval("accuracy", TRUTH, PRED, labels=LEVELS, clusters=x),
        CLUSTERS,
    ),
    "paired_delta": (
        lambda x: oe.paired_delta("accuracy", TRUTH, PRED, x, labels=LEVELS),
        TRUTH,
    ),
    "compare": (lambda x: oe.compare(TRUTH, {"a": TRUTH, "b": x}, ["accuracy"]), PRED),
    "compare, a frame": (
        lambda x: oe.compare(TRUTH, pd.DataFrame({"a": x, "b": x}), ["accuracy"]),
        PRED,
    ),
    "compare, clusters": (
        lambda x: oe.compare(TRUTH, {"a": TRUTH, "b": PRED}, ["accuracy"], clusters=x),
        CLUSTERS,
    ),
    "compare, weights": (
        lambda x: oe.compare(TRUTH, {"a": TRUTH, "b": PRED}, ["accuracy"], sample_weight=x),
        WEIGHTS,
    ),
    "corrected": (
        lambda x: oe.corrected("accuracy", FEW, x, proxy=PRED, labels=LEVELS),
        PRED,
    ),
    "corrected, proxy": (
        lambda x: oe.corrected("accuracy", FEW, PRED, proxy=x, labels=LEVELS),
        PRED,
    ),
    "corrected, clusters": (
        lambda x: oe.corrected("accuracy", FEW, PRED, proxy=TRUTH, labels=LEVELS, clusters=x),
        CLUSTERS,
    ),
    "corrected_distribution": (
        lambda x: oe.corrected_distribution(FEW, x, labels=LEVELS),
        PRED,
    ),
    "plan": (
        lambda x: oe.plan("accuracy", oe.Predictions(TRUTH, x, labels=LEVELS), half_width=0.1),
        PRED,
    ),
    "Accumulator": (lambda x: oe.Accumulator(LEVELS).update(TRUTH, x), PRED),
    "probabilities": (
        lambda x: oe.ranked_probability_score(TRUTH, x, labels=LEVELS),
        PROB,
    ),
    "calibration": (lambda x: oe.calibration(TRUTH, x, labels=LEVELS), PROB),
    "calibration, clusters": (
        lambda x: oe.calibration(TRUTH, PROB, labels=LEVELS, clusters=x),
        CLUSTERS,
    ),
    "decision curve": (lambda x: oe.decision_curve(TRUTH, {"a": x}, labels=LEVELS), PROB),
    "cut points": (
        lambda x: models.optimal_cut_points(TRUTH, x, labels=LEVELS),
        WEIGHTS,
    ),
    "a classifier": (fit, TRUTH),
    "a classifier, weights": (lambda x: fit(TRUTH, x), WEIGHTS),
    "test cases": (
        lambda x: meta.SystemOutputs.from_labels(TRUTH, {"a": PRED}, x, labels=LEVELS),
        CLUSTERS,
    ),
    "compare_cases": (
        lambda x: oe.compare_cases({"a": WEIGHTS, "b": x}),
        pd.Series(np.arange(float(N))),
    ),
    "compare_folds": (
        lambda x: oe.compare_folds({"a": WEIGHTS, "b": x}, folds=10),
        pd.Series(np.arange(float(N))),
    ),
    "a scorer's function": (
        lambda x: oe.scorer("accuracy", labels=LEVELS)._score_func(TRUTH, x),
        PRED,
    ),
    "a scorer's probabilities": (
        lambda x: oe.scorer("ranked_probability_score", labels=LEVELS)._score_func(TRUTH, x),
        PROB,
    ),
}


@pytest.mark.parametrize("door", DOORS)
class TestDoors:
    def test_equal_indexes_pass(self, door: str) -> None:
        call, right = DOORS[door]
        call(right)
        call(right.set_axis(pd.Index(range(N), dtype=object)))

    def test_without_names_positions_hold(self, door: str) -> None:
        call, right = DOORS[door]
        if door != "compare, a frame":
            call(right.to_numpy())

    @pytest.mark.parametrize("how", ["the same items in another order", "different items"])
    def test_other_indexes_are_refused(self, door: str, how: str) -> None:
        call, right = DOORS[door]
        same = how.startswith("the same")
        other = right.sample(frac=1, random_state=1) if same else right.set_axis(range(9, 9 + N))
        with pytest.raises(LabelError, match=how) as caught:
            call(other)
        for way_out in (".reindex(", ".loc[", ".to_numpy()"):
            assert way_out in str(caught.value)


class TestWaysOut:
    def test_both_give_the_right_number(self) -> None:
        right = oe.weighted_kappa(TRUTH, PRED, labels=LEVELS)
        lined_up = SHUFFLED.reindex(TRUTH.index)
        assert oe.weighted_kappa(TRUTH, lined_up, labels=LEVELS) == right
        assert oe.weighted_kappa(TRUTH, SHUFFLED.loc[TRUTH.index], labels=LEVELS) == right
        assert oe.weighted_kappa(TRUTH, ELSEWHERE.to_numpy(), labels=LEVELS) == right


class TestIndexOf:
    """What names items, and what only looks as if it did."""

    @pytest.mark.parametrize(
        "given",
        [[1, 2], (1, 2), "12", np.array([1, 2]), pl.Series([1, 2]), pa.array([1, 2]), None,
         pd.Index([1, 2]), pd.Categorical([1, 2])],
        ids=lambda x: type(x).__module__ + "." + type(x).__name__,
    )  # fmt: skip
    def test_no_names(self, given: Any) -> None:
        assert index_of(given) is None

    def test_of_a_lazy_series_they_are_computed(self) -> None:
        class Lazy:
            def compute(self) -> Any:
                return SHUFFLED.index

        class Series:
            index = Lazy()

        assert index_of(Series()) is SHUFFLED.index

    def test_of_another_device_they_are_fetched(self) -> None:
        class Remote:
            def to_pandas(self) -> Any:
                return SHUFFLED.index

        class Series:
            index = Remote()

        assert index_of(Series()) is SHUFFLED.index

    def test_dask(self) -> None:
        import dask.dataframe as dd

        truth, pred = (dd.from_pandas(x, npartitions=2) for x in (TRUTH, PRED))
        right = oe.weighted_kappa(TRUTH, PRED, labels=LEVELS)
        assert oe.weighted_kappa(truth, pred, labels=LEVELS) == right
        with pytest.raises(LabelError, match="another order"):
            oe.weighted_kappa(truth, SHUFFLED, labels=LEVELS)
