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


def corrected(**changed: Any) -> oe.results.Corrected:
    given = {"y_true": HUMAN, "y_pred": MODEL, "proxy": JUDGE, "labels": range(3), **changed}
    return oe.corrected("weighted_kappa", **given)


def test_it_is_an_interval_that_says_more() -> None:
    found = corrected()
    assert isinstance(found, oe.results.Interval)
    assert found.estimate in found
    assert (found.labelled, found.items, found.clusters) == (120, 600, 0)
    own = [h is not None for h in HUMAN]
    plain = oe.confidence_interval("weighted_kappa", TRUE[own], MODEL[own], labels=range(3))
    assert found.human == plain
    assert found.proxy_as_truth == oe.weighted_kappa(JUDGE, MODEL, labels=range(3))
    assert found.gain == pytest.approx(1 - (found.high - found.low) / (plain.high - plain.low))
    assert found.worth == pytest.approx(120 / (1 - found.gain) ** 2)
    assert 0.05 < found.gain < 0.6


def test_what_it_says() -> None:
    found = corrected()
    text = found.conclusion()
    assert "from 120 human labels and from what the proxy says of 480 items more" in text
    assert f"{found.lam:.2f} is believed" in text
    assert f"{found.gain:.0%} shorter" in text
    assert "a random subset of all items" in text
    assert text in str(found).replace("\n", " ")
    assert "proxy treated as truth" in str(found)
    (row,) = json.loads(found.to_json())["rows"]
    assert row["lambda"] == found.lam
    assert row["human_low"] == found.human.low


def test_a_higher_level_is_wider() -> None:
    assert corrected(level=0.99).low < corrected().low < corrected(level=0.8).low


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
    found = corrected(**given, labels=LEVELS)
    assert (found.low, found.lam) == (corrected().low, corrected().lam)
    shares = oe.corrected_distribution(given["y_true"], given["proxy"], labels=LEVELS)
    assert list(shares) == ["mean", "share of low", "share of mid", "share of high"]
    assert "positions of the levels, 0 for the lowest" in shares.to_text()


@pytest.mark.parametrize("gap", [None, np.nan], ids=["None", "NaN"])
def test_numbers_with_gaps_imply_the_scale(gap: Any) -> None:
    found = corrected(y_true=[gap if h is None else h for h in HUMAN], labels=None)
    assert found.estimate == corrected().estimate


def test_the_distribution_is_a_mapping_of_values() -> None:
    scores = oe.corrected_distribution(HUMAN, JUDGE, labels=range(3))
    assert isinstance(scores, oe.results.Scores)
    assert list(scores) == ["mean", "share of 0", "share of 1", "share of 2"]
    assert all(scores[name] == scores.intervals[name].estimate for name in scores)
    assert scores.intervals["share of 1"].proxy_as_truth == np.mean(JUDGE == 1)
    assert list(scores.to_frame().index) == list(scores)
    assert "levels themselves" in scores.to_text()
    assert scores.confusion.total == 120


def test_numbers_in_another_order_are_positions() -> None:
    scores = oe.corrected_distribution(HUMAN, JUDGE, labels=[2, 1, 0])
    assert "positions" in scores.note
    with pytest.raises(oe.UnknownMetricError, match="'share' was not scored"):
        scores["share"]


def test_levels_that_print_alike_are_told_apart() -> None:
    scores = oe.corrected_distribution([1, "1", None, None], [1, "1", 1, "1"], labels=[1, "1"])
    assert list(scores) == ["mean", "share of 1", "share of '1'"]


def test_items_without_a_proxy_may_be_dropped() -> None:
    proxy = [None if i < 7 else int(j) for i, j in enumerate(JUDGE)]
    found = corrected(proxy=proxy, missing="drop")
    assert (found.items, found.dropped) == (593, 7)
    assert found.low == corrected(y_true=HUMAN[7:], y_pred=MODEL[7:], proxy=JUDGE[7:]).low


def test_a_mark_for_missing_labels_is_told_what_to_be() -> None:
    with pytest.raises(
        oe.LabelError, match=r"'' stands for a missing value, leave it empty \(None"
    ) as e:
        oe.corrected(
            "accuracy", ["1", "2", "", ""], list("1212"), proxy=list("1212"), labels=["1", "2"]
        )
    assert "drop" not in str(e.value)  # which would leave nothing to correct by


def test_one_level_has_one_value() -> None:
    found = oe.corrected("accuracy", [1] * 20 + [None] * 9, [1] * 29, proxy=[1] * 29, labels=[1])
    assert (found.low, found.estimate, found.high) == (1, 1, 1)
    assert oe.confidence_interval("cem_ord", [1] * 20, [1] * 20, labels=[1]).low == 1


def test_without_an_error_there_is_none_to_tell_of() -> None:
    human, model = [1, 2, 3, 2] * 10 + [None] * 160, [1, 2, 3, 2] * 50
    found = oe.corrected("accuracy", human, model, proxy=[1, 2, 3, 3] * 50, labels=[1, 2, 3])
    assert "because the items with human labels show no errors" in found.conclusion()


def test_a_judge_that_is_wrong_about_the_order_is_believed_the_other_way_round() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 400)
    model = np.clip(truth + rng.integers(-1, 2, 400), 1, 5)
    human = np.where(np.arange(400) < 100, truth, np.nan)
    found = oe.corrected("weighted_kappa", human, model, proxy=6 - truth, labels=range(1, 6))
    assert found.lam < -0.1
    assert f"of which {-found.lam:.2f} is believed, the other way round." in found.conclusion()


def test_one_human_label_has_no_interval() -> None:
    with pytest.warns(oe.ResamplingWarning) as caught:
        found = corrected(y_true=[1] + [None] * 599)
    assert [str(w.message)[1:6] for w in caught] == ["OE103", "OE308"]
    assert found.uncorrected == ""
    assert np.isnan([found.low, found.high]).all()
    assert "at least two independent items" in found.refused
    with pytest.warns(oe.ResamplingWarning, match="OE103"):
        alone = oe.corrected("accuracy", [1, 0] + [None] * 598, MODEL, proxy=JUDGE, labels=range(3))
    assert alone.estimate in alone


def test_a_measure_without_a_value_is_not_corrected() -> None:
    with pytest.warns(oe.ResamplingWarning, match="OE103"):
        found = oe.corrected(
            "kendall_tau_b", [1, 1] + [None] * 598, MODEL, proxy=JUDGE, labels=range(3)
        )
    assert np.isnan([found.estimate, found.low, found.high]).all()
    assert "—" in str(found)


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"y_true": [None] * 600}, oe.LabelError, "no item has a human label: at least two"),
        ({"proxy": [None, *JUDGE[1:]]}, oe.LabelError, "proxy has 1 missing value"),
        ({"y_pred": [None, *MODEL[1:]]}, oe.LabelError, "y_pred has 1 missing value"),
        ({"y_true": [9, *HUMAN[1:]]}, oe.LabelError, "y_true has 1 label outside the scale"),
        ({"proxy": JUDGE[1:]}, oe.LabelError, "same length; got 600 and 599"),
        ({"level": 95}, oe.ParameterError, "level must lie between 0 and 1; got 95"),
        ({"rng": -1}, oe.ParameterError, "rng must be a seed"),
        ({"clusters": [1] * 600}, oe.LabelError, "only one distinct value"),
    ],
)  # fmt: skip
def test_what_is_refused(changed: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        corrected(**changed)


@pytest.mark.parametrize("name", ["min_sensitivity", "maximum_mae", "mutual_information"])
def test_measures_that_cannot_be_corrected_are_refused(name: str) -> None:
    with pytest.raises(oe.ParameterError, match=f"{name} cannot be corrected by a proxy: "):
        oe.corrected(name, HUMAN, MODEL, proxy=JUDGE, labels=range(3))
