"""Algorithm 1 of Cardoso & Sousa 2011, and what the paper finds with it."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import ordeval as oe
from ordeval.datasets import make_ordinal
from ordeval.models import (
    DataReplicationClassifier,
    ExperimentResult,
    FrankHallClassifier,
    run_experiment,
)

DATA = make_ordinal(rng=0)
X, Y = DATA.data, DATA.target
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 3, 5]}


def test_a_repetition_by_hand() -> None:
    result = run_experiment(TREE, GRID, X, Y, n_repeats=2, rng=3, metric="mean_absolute_error")
    for i, seed in enumerate(np.random.default_rng(3).integers(2**31, size=2).tolist()):
        ((train, test),) = ShuffleSplit(1, train_size=0.4, random_state=seed).split(X)
        assert (len(train), len(test)) == (160, 240)
        search = GridSearchCV(
            TREE, GRID, cv=KFold(5, shuffle=True, random_state=seed),
            scoring="neg_mean_absolute_error",
        ).fit(X[train], Y[train])  # fmt: skip
        predicted = search.predict(X[test])
        assert result.best_params[i] == search.best_params_
        assert result.values[i] == pytest.approx(np.abs(predicted - Y[test]).mean())
        assert result.confusion.counts[i].sum() == 240
    assert result.mean == pytest.approx(result.values.mean())
    assert result.std == pytest.approx(np.std(result.values, ddof=1))
    assert f"mean_absolute_error {result.mean:.3f} (std" in repr(result)
    assert "over 2 repetitions" in repr(result)


def test_a_result_tells_what_was_selected_and_how_often() -> None:
    shallow, deep = {"max_depth": 1}, {"max_depth": 3}
    cm = oe.ConfusionMatrix(np.ones((3, 2, 2), dtype=int))
    values = np.array([0.25, 0.5, 0.75])
    result = ExperimentResult(oe.oc_index, values, cm, (deep, shallow, deep))
    assert result.rows()[1] == {
        "metric": "oc_index", "repetition": 2, "value": 0.5, "selected": shallow,
    }  # fmt: skip
    assert [[c.text for c in row] for row in result.table().rows] == [
        ["max_depth=3", "2", "0.500"],
        ["max_depth=1", "1", "0.500"],
    ]
    assert result.to_frame()["value"].tolist() == [0.25, 0.5, 0.75]
    assert json.loads(result.to_json())["rows"][0]["selected"] == deep
    assert "max_depth=3" in result.to_html()


def test_it_can_be_repeated_in_parallel_with_progress() -> None:
    calls: list[tuple[str, int, int]] = []
    one = run_experiment(TREE, GRID, X, Y, n_repeats=4, rng=1)
    two = run_experiment(
        TREE, GRID, X, Y, n_repeats=4, rng=1, n_jobs=2, progress=lambda *step: calls.append(step)
    )
    np.testing.assert_array_equal(one.values, two.values)
    assert calls == [("repetitions", i, 4) for i in range(5)]


def test_it_selects_by_one_measure_and_tests_by_another() -> None:
    options: Any = {"n_repeats": 3, "rng": 0}
    mixed = run_experiment(TREE, GRID, X, Y, metric="accuracy", select_by="oc_index", **options)
    by_oc = run_experiment(TREE, GRID, X, Y, metric="oc_index", **options)
    assert mixed.best_params == by_oc.best_params
    np.testing.assert_allclose(
        mixed.values, [oe.accuracy.from_confusion(c) for c in by_oc.confusion.counts]
    )


def test_words_frames_and_categoricals() -> None:
    words = np.array(["e", "d", "c", "b", "a"])[Y - 1]  # the order is not alphabetical
    labels = list("edcba")
    frame = pd.DataFrame(X, columns=["u", "v"])
    model = FrankHallClassifier(TREE)
    grid = {"estimator__max_depth": [2, 4]}
    numbers = run_experiment(model, grid, X, Y, n_repeats=2, rng=0)
    named = run_experiment(
        model.set_params(labels=labels), grid, frame, words, labels=labels, n_repeats=2, rng=0
    )
    target = pd.Series(pd.Categorical(words, categories=labels, ordered=True))
    carried = run_experiment(model.set_params(labels=None), grid, frame, target, n_repeats=2, rng=0)
    np.testing.assert_array_equal(numbers.values, named.values)
    np.testing.assert_array_equal(numbers.values, carried.values)
    with pytest.raises(oe.ScaleError, match="y has labels without an order"):
        run_experiment(model, grid, frame, words, n_repeats=2)
    with pytest.raises(oe.ParameterError, match="n_repeats must be an integer >= 1"):
        run_experiment(model, grid, X, Y, n_repeats=0)


def test_one_repetition_has_no_spread() -> None:
    assert np.isnan(run_experiment(TREE, GRID, X, Y, n_repeats=1, rng=0).std)


def test_ordinal_methods_beat_or_match_one_against_one() -> None:
    """Section 4.3 and Table 6: same splits, OC index for selection and for the test."""
    svc = SVC(kernel="poly", degree=2, coef0=1)
    wrapped, plain = {"estimator__C": [1, 10, 100]}, {"C": [1, 10, 100]}
    options: Any = {"n_repeats": 8, "rng": 0}
    replication = run_experiment(DataReplicationClassifier(svc), wrapped, X, Y, **options)
    frank_hall = run_experiment(FrankHallClassifier(svc), wrapped, X, Y, **options)
    one_on_one = run_experiment(svc, plain, X, Y, **options)
    spread = (frank_hall.values - one_on_one.values).std(ddof=1) / np.sqrt(8)
    assert replication.mean < one_on_one.mean
    assert frank_hall.mean < one_on_one.mean + 2 * spread
