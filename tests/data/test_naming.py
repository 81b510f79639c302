"""Frames of costs, weights and probabilities whose names are not the levels, in order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval import meta, models, plots
from ordeval.data.level_names import misnamed

LEVELS = ["mild", "severe", "critical"]
COST = np.array([[0, 1, 5], [2, 0, 1], [9, 3, 0.0]])
TRUTH = LEVELS * 20
PRED = ["mild", "mild", "critical"] * 19 + ["critical", "severe", "mild"]
CM = oe.ConfusionMatrix.from_labels(TRUTH, PRED, LEVELS)
FRAME = pd.DataFrame(COST, index=LEVELS, columns=LEVELS)
ALPHABETICAL = FRAME.loc[sorted(LEVELS), sorted(LEVELS)]
EC = oe.expected_cost


def decided(cost: Any) -> Any:
    from sklearn.dummy import DummyClassifier

    model = models.MinimumCostClassifier(DummyClassifier(), cost=cost, labels=LEVELS)
    return model.fit(np.zeros((60, 1)), TRUTH).predict(np.zeros((1, 1))).tolist()


# Doors that take costs or weights, and give something that can be compared.
DOORS: dict[str, Callable[[Any], Any]] = {
    "a measure": lambda c: EC(TRUTH, PRED, labels=LEVELS, cost=c),
    "a matrix": lambda c: EC.from_confusion(CM, cost=c),
    "weights": lambda c: oe.weighted_kappa(TRUTH, PRED, labels=LEVELS, weights=c),
    "score": lambda c: list(
        oe.score(TRUTH, PRED, [EC.with_params(cost=c)], labels=LEVELS).values()
    ),
    "score of a frame": lambda c: list(
        oe.score(
            oe.Predictions.from_frame(
                pd.DataFrame({"t": TRUTH, "p": PRED}), "t", "p", labels=LEVELS
            ),
            [EC.with_params(cost=c)],
        ).values()
    ),
    "compare": lambda c: (
        oe.compare(TRUTH, {"a": PRED, "b": TRUTH}, [EC.with_params(cost=c)], labels=LEVELS)
        .deltas()[0]
        .delta
    ),
    "confidence_interval": lambda c: (
        oe.confidence_interval(EC.with_params(cost=c), TRUTH, PRED, labels=LEVELS).low
    ),
    "paired_delta": lambda c: (
        oe.paired_delta(EC.with_params(cost=c), TRUTH, PRED, TRUTH, labels=LEVELS).low
    ),
    "plan": lambda c: oe.plan(EC.with_params(cost=c), CM, half_width=0.2).items,
    "scorer": lambda c: oe.scorer(EC, labels=LEVELS, cost=c)._score_func(TRUTH, PRED),
    "cut points": lambda c: models.optimal_cut_points(
        TRUTH, np.arange(60.0) % 7, metric=EC, labels=LEVELS, cost=c
    ).cut_points.tolist(),
    "decision": decided,
    "grid": lambda c: plots.PerformanceGridDisplay({"a": CM}, cost=c).cost.tolist(),
    "meta": lambda c: meta.robustness(
        meta.SystemOutputs.from_labels(
            TRUTH, {"a": PRED, "b": TRUTH}, np.arange(60) % 3, labels=LEVELS
        ),
        [EC.with_params(cost=c)],
    ).to_json(),
}


@pytest.mark.parametrize("door", DOORS)
def test_costs_in_another_order_are_refused(door: str) -> None:
    call = DOORS[door]
    expected = call(COST)
    for right in (FRAME, pd.DataFrame(COST), pl.DataFrame(COST, schema=LEVELS), FRAME.to_numpy()):
        assert call(right) == expected
    with pytest.raises(oe.ParameterError, match=r"cost|weights") as caught:
        call(ALPHABETICAL)
    assert ".loc[['mild', 'severe', 'critical'], ['mild', 'severe', 'critical']]" in str(
        caught.value
    )
    with pytest.raises(oe.ParameterError, match="rows and its columns in that order"):
        call(pl.DataFrame(ALPHABETICAL.to_numpy(), schema=sorted(LEVELS)))
    with pytest.raises(oe.ParameterError, match="order"):
        call(FRAME[sorted(LEVELS)])
    with pytest.raises(oe.ParameterError, match="not the levels of"):
        call(FRAME.rename(index={"mild": "low"}, columns={"mild": "low"}))


def test_class_sizes_in_the_order_of_their_frequency_are_refused() -> None:
    sizes = pd.Series({"mild": 30, "critical": 20, "severe": 10})
    with pytest.raises(oe.ParameterError, match=r"class_sizes\.loc\[\['mild', 'severe', 'cri"):
        oe.misclassification_cost(TRUTH, PRED, labels=LEVELS, class_sizes=sizes)
    right = oe.misclassification_cost(TRUTH, PRED, labels=LEVELS, class_sizes=[30, 10, 20])
    value = oe.misclassification_cost(TRUTH, PRED, labels=LEVELS, class_sizes=sizes[LEVELS])
    assert value == right
    with pytest.raises(oe.ParameterError, match="sort_index"):
        oe.george_cost(pd.Series([3, 3, 1, 2, 2, 2]).value_counts())


PROB = np.random.default_rng(0).dirichlet([1, 2, 3], 60)
RIGHT = oe.ranked_probability_score(TRUTH, PROB, labels=LEVELS)


@pytest.mark.parametrize(
    "names",
    [LEVELS, [f"p_{x}" for x in LEVELS], [0, 1, 2], ["p0", "p1", "p2"], ["class_1", "class_2",
     "class_3"], [f"prob: {x}" for x in LEVELS]],
    ids=str,
)  # fmt: skip
def test_columns_of_probabilities_in_order_pass(names: list[Any]) -> None:
    frame = pd.DataFrame(PROB, columns=names)
    assert oe.ranked_probability_score(TRUTH, frame, labels=LEVELS) == RIGHT
    if isinstance(names[0], str):
        polars = pl.DataFrame(PROB, schema=names)
        assert oe.ranked_probability_score(TRUTH, polars, labels=LEVELS) == RIGHT


@pytest.mark.parametrize("prefix", ["", "p_", "proba "])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_probabilities_are_put_in_order(prefix: str, library: str) -> None:
    columns = {f"{prefix}{x}": PROB[:, LEVELS.index(x)] for x in sorted(LEVELS)}
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library](columns)
    assert oe.ranked_probability_score(TRUTH, frame, labels=LEVELS) == pytest.approx(RIGHT)
    assert oe.score(TRUTH, frame, "ranked_probability_score", labels=LEVELS)[
        "ranked_probability_score"
    ] == pytest.approx(RIGHT)


def test_columns_that_are_no_levels_are_refused() -> None:
    frame = pd.DataFrame(PROB, columns=["a", "b", "c"])
    with pytest.raises(oe.LabelError, match=r"not the levels of.*y_prob\.to_numpy\(\)"):
        oe.ranked_probability_score(TRUTH, frame, labels=LEVELS)


def test_numbers_are_matched_by_name_unless_a_library_gave_them() -> None:
    scale = oe.Scale([2, 1, 0])
    assert misnamed(pd.DataFrame(np.eye(3)), scale, "cost") == ""
    named = pd.DataFrame(np.eye(3), index=pd.Index([0, 1, 2]), columns=pd.Index([0, 1, 2]))
    assert "order of the scale" in misnamed(named, scale, "cost")
    assert misnamed(named.loc[[2, 1, 0], [2, 1, 0]], scale, "cost") == ""
