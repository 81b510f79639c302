"""Decisions from a table of probabilities, against their definitions."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ordeval as oe
from ordeval.models import decide

RNG = np.random.default_rng(0)
PROB = RNG.dirichlet(np.ones(4) / 2, 300)
LEVELS = ["none", "mild", "moderate", "severe"]


def slow(row: Any, rule: str, cost: Any = None) -> int:
    k = len(row)
    if rule == "mode":
        return max(range(k), key=lambda j: (row[j], -j))
    if rule == "median":
        return next(j for j in range(k) if sum(row[: j + 1]) >= 0.5)
    return min(range(k), key=lambda j: (sum(row[i] * cost[i][j] for i in range(k)), j))


def test_each_rule_by_its_definition() -> None:
    own = RNG.random((4, 4)) * (1 - np.eye(4))
    steps = np.abs(np.subtract.outer(range(4), range(4)))
    for rule, cost, table in (
        ("mode", None, None), ("median", None, None), ("cost", own, own),
        ("cost", "absolute", steps), ("cost", "squared", steps**2),
    ):  # fmt: skip
        found = decide(PROB, rule, cost=cost)
        assert found.tolist() == [slow(row, rule, table) for row in PROB.tolist()]
    np.testing.assert_array_equal(decide(PROB, "cost", cost="absolute"), decide(PROB, "median"))
    np.testing.assert_array_equal(decide(PROB, "cost", cost=1 - np.eye(4)), decide(PROB))


@pytest.mark.parametrize(
    ("row", "rule", "chosen"),
    [
        ([0.4, 0.2, 0.4], "mode", 0),
        ([0.3, 0.2, 0.5], "median", 1),
        ([0.1] * 10, "median", 4),  # ten tenths: the sum of five may be just below a half
        ([0.7 / 7] * 5 + [0.5], "median", 4),
        ([0.5, 0.5], "median", 0),
    ],
)
def test_of_equals_the_lowest(row: list[float], rule: Any, chosen: int) -> None:
    assert decide([row], rule).tolist() == [chosen]
    if rule == "median":
        assert decide([row], "cost", cost="absolute").tolist() == [chosen]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(LEVELS, "U"), ([1, 2, 3, 5], "i"), (oe.Scale(LEVELS), "U"), (["a", 1, 2, "b"], "O")],
)
def test_labels_come_back(labels: Any, kind: str) -> None:
    found = decide(PROB, labels=labels)
    assert found.dtype.kind == kind
    assert found.tolist() == [list(labels)[i] for i in decide(PROB)]
    assert len(decide(np.empty((0, 4)), labels=labels)) == 0


def test_frames_are_read_by_their_names() -> None:
    frame = pd.DataFrame(PROB, columns=[f"p_{level}" for level in LEVELS])
    np.testing.assert_array_equal(decide(frame, labels=LEVELS), decide(PROB, labels=LEVELS))
    turned = frame[frame.columns[::-1]]
    np.testing.assert_array_equal(decide(turned, labels=LEVELS), decide(PROB, labels=LEVELS))
    cost = pd.DataFrame(1 - np.eye(4), index=LEVELS, columns=LEVELS).iloc[::-1, ::-1]
    with pytest.raises(oe.ParameterError, match="of cost must be in the order of the scale"):
        decide(PROB, "cost", cost=cost, labels=LEVELS)


def test_the_classifier_decides_alike() -> None:
    ties = np.array([[0.7 / 7] * 5 + [0.5], [0.25, 0.25, 0.5, 0, 0, 0]])
    assert decide(ties, "cost", cost="absolute").tolist() == [4, 1]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: decide(PROB, "mean"), 'rule must be "mode", "median" or "cost"'),
        (lambda: decide(PROB, "cost"), 'rule="cost" needs cost=: "absolute", "squared" or a K x K'),
        (lambda: decide(PROB, cost="absolute"), "cost= goes with rule=\"cost\"; got rule='mode'."),
        (lambda: decide(PROB, "cost", cost="cubic"), 'cost must be "absolute", "squared" or a K x'),
        (lambda: decide(PROB, "cost", cost=np.ones((4, 4))), "cost must be zero on the diagonal"),
        (lambda: decide(PROB, "cost", cost=np.zeros((3, 3))), "cost must be a 4 x 4 matrix"),
        (lambda: decide([0.2, 0.8]), "y_prob must have one row per item and one column per class"),
        (lambda: decide(PROB, labels=LEVELS[:3]), "y_prob must have one row per item and one col"),
        (lambda: decide([[0.5, 0.6]]), "each row of y_prob must sum to 1"),
        (lambda: decide([[0.5, np.nan]]), "each row of y_prob must have a probability for every"),
    ],
)  # fmt: skip
def test_errors(wrong: Any, said: str) -> None:
    with pytest.raises(oe.OrdevalError) as caught:
        wrong()
    assert said in str(caught.value)


def test_cut_points_are_applied_to_new_scores() -> None:
    cuts = oe.models.optimal_cut_points(
        ["low", "low", "mid", "high"], [0.1, 0.2, 0.5, 0.9], labels=["low", "mid", "high"]
    )
    assert cuts.predict([-5, 0.4, 7, np.inf]).tolist() == ["low", "mid", "high", "high"]
    assert cuts.classify([-5, 0.4, 7]).tolist() == [0, 1, 2]
    with pytest.raises(oe.LabelError, match="y_score must hold a number for each item; 1 are miss"):
        cuts.predict([0.4, np.nan])
