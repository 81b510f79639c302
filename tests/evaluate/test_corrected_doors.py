"""corrected and corrected_distribution: what they take, say and refuse."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe

LEVELS = ["low", "mid", "high"]
RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 3, 600)
MODEL = np.clip(TRUE + RNG.integers(-1, 2, 600), 0, 2)
JUDGE = np.where(RNG.random(600) < 0.85, TRUE, (TRUE + 1) % 3)
HUMAN = [int(t) if i % 5 == 0 else None for i, t in enumerate(TRUE)]
KAPPA = "weighted_kappa"


def corrected(**changed: Any) -> oe.results.Scores:
    given = {"y_true": HUMAN, "y_pred": MODEL, "proxy": JUDGE, "labels": range(3), **changed}
    return oe.corrected(KAPPA, **given)


def low(**changed: Any) -> float:
    return corrected(**changed).intervals[KAPPA].low


def test_it_is_what_score_says_of_predictions_with_a_proxy() -> None:
    found = corrected()
    data = oe.Predictions(HUMAN, MODEL, labels=range(3), proxy=JUDGE)
    assert found.intervals == oe.score(data, [KAPPA]).intervals
    own = [h is not None for h in HUMAN]
    plain = oe.confidence_interval(KAPPA, TRUE[own], MODEL[own], labels=range(3))
    human, whole = found.human[KAPPA], found.intervals[KAPPA]
    assert (human.estimate, human.low, human.high) == (plain.estimate, plain.low, plain.high)
    gain = 1 - (whole.high - whole.low) / (plain.high - plain.low)
    assert found.gains[KAPPA] == pytest.approx(gain)
    assert 0.05 < gain < 0.6


def test_what_it_says() -> None:
    found = corrected()
    text = " ".join(str(found).split())
    gain = found.gains[KAPPA]
    assert "120 of 600 items have a human label. Values hold if these are a random subset" in text
    assert f"{gain:.0%} {120 / (1 - gain) ** 2:,.0f}" in text
    (row,) = json.loads(found.to_json())["rows"]
    assert row["gain"] == pytest.approx(gain)
    assert row["human_low"] == found.human[KAPPA].low


def test_a_higher_level_is_wider() -> None:
    assert low(level=0.99) < low() < low(level=0.8)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda x: [LEVELS[i] if i is not None else None for i in x],
        lambda x: np.array([LEVELS[i] if i is not None else None for i in x], dtype=object),
        lambda x: pd.Series([LEVELS[i] if i is not None else None for i in x]),
        lambda x: pd.Categorical.from_codes([-1 if i is None else i for i in x], LEVELS),
        lambda x: pl.Series([LEVELS[i] if i is not None else None for i in x]),
    ],
    ids=["list", "array", "pandas", "categorical", "polars"],
)
def test_human_labels_may_be_missing_in_any_container(wrap: Callable[[Any], Any]) -> None:
    given = {"y_true": wrap(HUMAN), "y_pred": wrap(MODEL), "proxy": wrap(JUDGE)}
    assert low(**given, labels=LEVELS) == low()
    shares = oe.corrected_distribution(given["y_true"], given["proxy"], labels=LEVELS)
    assert list(shares) == ["mean", "share of low", "share of mid", "share of high"]
    assert "positions of the levels, 0 for the lowest" in shares.basis.note


@pytest.mark.parametrize("gap", [None, np.nan], ids=["None", "NaN"])
def test_numbers_with_gaps_imply_the_scale(gap: Any) -> None:
    found = corrected(y_true=[gap if h is None else h for h in HUMAN], labels=None)
    assert found[KAPPA] == corrected()[KAPPA]


def test_the_distribution_is_a_mapping_of_values() -> None:
    scores = oe.corrected_distribution(HUMAN, JUDGE, labels=range(3))
    assert list(scores) == ["mean", "share of 0", "share of 1", "share of 2"]
    assert all(scores[name] == scores.intervals[name].estimate for name in scores)
    known = np.array([h for h in HUMAN if h is not None])
    assert scores.human["share of 1"].estimate == pytest.approx(np.mean(known == 1))
    assert scores.human["mean"].estimate == pytest.approx(known.mean())
    assert list(scores.to_frame().index) == list(scores)
    assert "levels themselves" in scores.basis.note
    assert scores.confusion.total == 120


def test_numbers_in_another_order_are_positions() -> None:
    scores = oe.corrected_distribution(HUMAN, JUDGE, labels=[2, 1, 0])
    assert "positions" in scores.basis.note
    with pytest.raises(oe.UnknownMetricError, match="'share' was not scored"):
        scores["share"]


def test_levels_that_print_alike_are_told_apart() -> None:
    human, judge = [1, "1", 1, "1", None, None], [1, "1", 1, "1", 1, "1"]
    scores = oe.corrected_distribution(human, judge, labels=[1, "1"])
    assert list(scores) == ["mean", "share of 1", "share of '1'"]


def test_items_without_a_proxy_may_be_dropped() -> None:
    proxy = [None if i < 7 else int(j) for i, j in enumerate(JUDGE)]
    found = corrected(proxy=proxy, missing="drop").intervals[KAPPA]
    assert (found.items, found.dropped) == (593, 7)
    assert found.low == low(y_true=HUMAN[7:], y_pred=MODEL[7:], proxy=JUDGE[7:])


def test_a_mark_for_missing_labels_is_told_what_to_be() -> None:
    with pytest.raises(
        oe.LabelError, match=r"'' stands for a missing value, leave it empty \(None"
    ) as e:
        oe.corrected(
            "accuracy", ["1", "2", "", ""], list("1212"), proxy=list("1212"), labels=["1", "2"]
        )
    assert "drop" not in str(e.value)  # which would leave nothing to correct by


def test_one_level_has_one_value() -> None:
    made = oe.corrected("accuracy", [1] * 20 + [None] * 9, [1] * 29, proxy=[1] * 29, labels=[1])
    found = made.intervals["accuracy"]
    assert (found.low, found.estimate, found.high) == (1, 1, 1)


def test_a_judge_that_is_wrong_about_the_order_helps_as_well() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 400)
    model = np.clip(truth + rng.integers(-1, 2, 400), 1, 5)
    human = np.where(np.arange(400) < 100, truth, np.nan)
    found = oe.corrected_distribution(human, 6 - truth, labels=range(1, 6))
    one = oe.corrected_distribution(human, truth, labels=range(1, 6))
    assert one.gains["mean"] > 0.3
    # As in prediction-powered inference, one proxy is never believed the other way round.
    assert found.gains["mean"] == pytest.approx(0, abs=0.02)
    both = {"one": 6 - truth, "two": rng.integers(1, 6, 400)}
    data = oe.Predictions(human, model, labels=range(1, 6), proxy=both)
    assert oe.score(data, ["cem_ord"]).gains["cem_ord"] > -0.1


def test_one_human_label_has_no_interval() -> None:
    found = corrected(y_true=[1] + [None] * 599)
    assert {"OE103", "OE308"} <= {a.code for a in found.advice}
    x = found.intervals[KAPPA]
    assert np.isnan([x.low, x.high]).all()


def test_a_measure_without_a_value_is_not_corrected() -> None:
    found = oe.corrected(
        "kendall_tau_b", [1, 1] + [None] * 598, MODEL, proxy=JUDGE, labels=range(3)
    )
    x = found.intervals["kendall_tau_b"]
    assert np.isnan([x.estimate, x.low, x.high]).all()
    assert "—" in str(found)


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"y_true": [None] * 600}, oe.LabelError, r"no item has a human label\. At least two"),
        ({"proxy": [None, *JUDGE[1:]]}, oe.LabelError, "proxy has 1 missing value"),
        ({"y_pred": [None, *MODEL[1:]]}, oe.LabelError, "y_pred has 1 missing value"),
        ({"y_true": [9, *HUMAN[1:]]}, oe.LabelError, "y_true has 1 label outside the scale"),
        ({"proxy": JUDGE[1:]}, oe.LabelError, "same length"),
        ({"level": 95}, oe.ParameterError, "level must lie between 0 and 1; got 95"),
        ({"clusters": [1] * 600}, oe.LabelError, "at least two"),
    ],
)  # fmt: skip
def test_what_is_refused(changed: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        corrected(**changed)


@pytest.mark.parametrize("name", ["min_sensitivity", "maximum_mae", "mutual_information"])
def test_measures_that_cannot_be_corrected_are_refused(name: str) -> None:
    with pytest.raises(oe.ParameterError, match=f"{name} cannot be corrected by a proxy: "):
        oe.corrected(name, HUMAN, MODEL, proxy=JUDGE, labels=range(3))
