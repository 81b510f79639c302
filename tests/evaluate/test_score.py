"""score: many measures from one count, and the table that shows them."""

import json
import math
import pickle
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from tests.strategies import labels

import ordeval as oe

TRUTH = [1, 1, 2, 2, 3, 3, 3, 1]
PRED = [1, 2, 2, 2, 3, 1, 3, 1]
LEVELS = [1, 2, 3]
COST_MEASURES = ("misclassification_cost", "cost_accuracy_distance", "chance_line_distance")


def alone(metric: oe.Metric, *args: Any, **kw: Any) -> float:
    """The measure called by itself, NaN where it has no value."""
    try:
        return metric(*args, **kw, undefined=math.inf)
    except oe.ParameterError:
        return math.inf


def row_of(metric: oe.Metric, text: str) -> str:
    """The row of a printed table that the display name of the measure heads, without the name.

    A table wider than the terminal continues below an empty line, with one row per measure again.
    """
    head = re.compile(rf"{re.escape(metric.display)}\s{{2,}}")
    row = []
    for part in text.split("\n\n"):
        (line,) = (line for line in part.splitlines() if head.match(line))
        row.append(head.sub("", line, count=1))
    return "  ".join(row)


@settings(max_examples=20)
@given(labels())
def test_each_score_is_what_the_measure_gives_alone(items: Any) -> None:
    scores = oe.score(items.t, items.p, labels=range(items.k))
    for metric in oe.metrics(needs="labels"):
        if metric.by_default:
            expected = alone(metric, items.t, items.p, labels=range(items.k))
            value = scores[metric.name]
            assert value == expected or (math.isnan(value) and expected == math.inf)
            assert type(value) is float


def test_by_default_every_measure_of_labels_that_is_not_expensive() -> None:
    scores = oe.score(TRUTH, PRED)
    expected = [m.name for m in oe.metrics() if m.needs == "labels" and m.by_default]
    assert list(scores) == expected
    assert "oc_index_general" not in scores
    assert "ranked_probability_score" not in scores
    assert len(scores) > 45


def test_the_table_has_the_panel_of_compare_and_the_mapping_all_fast_measures() -> None:
    scores, every = (
        oe.score(TRUTH, PRED, labels=LEVELS),
        oe.score(TRUTH, PRED, "all", labels=LEVELS),
    )
    panel = oe.compare(TRUTH, {"a": PRED, "b": TRUTH}, labels=LEVELS).metrics
    assert [row[0].text for row in scores.table().rows] == [m.display for m in panel]
    assert list(every) == list(scores)
    fast = [oe.get_metric(name).display for name in every]
    assert [row[0].text for row in every.table().rows] == fast
    assert len(set(fast)) == len(fast)
    assert scores.rows() == every.rows()
    assert scores.intervals == dict(every.intervals)
    assert list(scores.to_frame().index) == list(scores.intervals) == list(scores)
    with pytest.raises(oe.UnknownMetricError, match="Did you mean"):
        scores["acuracy"]
    with pytest.raises(KeyError):
        scores.intervals["acuracy"]


def test_other_measures_are_computed_when_they_are_asked_for(monkeypatch: Any) -> None:
    seen: list[str] = []
    evaluate = oe.Metric.evaluate

    def watch(metric: oe.Metric, *args: Any) -> Any:
        seen.append(metric.name)
        return evaluate(metric, *args)

    monkeypatch.setattr(oe.Metric, "evaluate", watch)
    scores = oe.score(TRUTH, PRED, labels=LEVELS)
    scores.to_text(), scores.to_html(), "stuart_tau_c" in scores, len(scores)
    assert "accuracy" in seen
    assert "stuart_tau_c" not in seen
    assert scores["stuart_tau_c"] == oe.stuart_tau_c(TRUTH, PRED, labels=LEVELS)
    assert scores.intervals["stuart_tau_c"].estimate == scores["stuart_tau_c"]


def test_other_measures_use_the_same_draws() -> None:
    how = {"labels": LEVELS, "method": "percentile", "n_resamples": 50, "rng": 3}
    some, every = oe.score(TRUTH, PRED, **how), oe.score(TRUTH, PRED, "all", **how)
    assert some.intervals["cohen_kappa"] == every.intervals["cohen_kappa"]
    assert some.intervals == dict(every.intervals)


def test_all_is_every_fast_measure_in_subgroups_too() -> None:
    with pytest.raises(oe.UnknownMetricError):
        oe.score(TRUTH, PRED, ["all", "accuracy"])
    by = ["x"] * 4 + ["y"] * (len(TRUTH) - 4)
    grouped = oe.score(TRUTH, PRED, "all", labels=LEVELS, by=by)
    assert list(grouped) == list(oe.score(TRUTH, PRED, "all", labels=LEVELS))


def test_measures_by_name_by_object_and_with_parameters() -> None:
    strict, exact = oe.oc_index.with_params(share=0.25), oe.accuracy_within.with_params(n=0)
    chosen = ["accuracy", oe.cem_ord, strict, "oc_index", exact]
    scores = oe.score(TRUTH, PRED, chosen, labels=LEVELS)
    assert dict(scores) == {
        "accuracy": oe.accuracy(TRUTH, PRED),
        "cem_ord": oe.cem_ord(TRUTH, PRED),
        "oc_index(share=0.25)": oe.oc_index(TRUTH, PRED, labels=LEVELS, share=0.25),
        "oc_index": oe.oc_index(TRUTH, PRED, labels=LEVELS),
        "accuracy_within(n=0)": oe.accuracy(TRUTH, PRED),
    }
    assert scores["oc_index(share=0.25)"] != scores["oc_index"]


@pytest.mark.parametrize("one", ["accuracy", oe.accuracy, ("accuracy",), iter(["accuracy"])])
def test_one_measure(one: Any) -> None:
    assert dict(oe.score(TRUTH, PRED, one)) == {"accuracy": 0.75}
    assert dict(oe.score(TRUTH, PRED, metrics="accuracy")) == {"accuracy": 0.75}


def test_an_expensive_measure_is_scored_when_named() -> None:
    general = oe.oc_index_general.with_params(beta_deviation=0, beta_discordance=0)
    mae = oe.mean_absolute_error(TRUTH, PRED)
    scores = oe.score(TRUTH, PRED, general)
    assert scores[general.name] == pytest.approx(mae / (1 + mae))


def test_a_matrix_in_place_of_labels() -> None:
    cm = oe.ConfusionMatrix.from_labels(TRUTH, PRED)
    assert dict(oe.score(cm)) == dict(oe.score(TRUTH, PRED))
    assert oe.score(cm, metrics=["accuracy"]).confusion is cm


def test_labels_weights_and_policies_reach_the_count() -> None:
    scores = oe.score(
        ["a", "b", "z", None],
        ["a", "a", "a", "a"],
        ["accuracy"],
        labels=["a", "b"],
        sample_weight=[3, 1, 5, 5],
        unknown="drop",
        missing="drop",
    )
    assert scores["accuracy"] == 0.75
    assert scores.confusion.dropped == oe.results.Dropped(missing=1, unknown=1)
    assert "1 missing, 1 unknown" in repr(scores)


def test_values_of_weights() -> None:
    scores = oe.score([1, 2], [1, 2], "accuracy", sample_weight=[0.1, 0.2])
    assert scores.to_text(200).splitlines()[0] == (
        "total weight: 0.3 of 2 items (effective sample size 2); 2 classes: Scale(1 < 2)"
    )


def test_headline_of_one_class() -> None:
    first = repr(oe.score([7], [7], "accuracy")).splitlines()[0]
    assert first == "items: 1; 1 class: Scale(7)"


def test_it_is_a_mapping() -> None:
    scores = oe.score(TRUTH, PRED, ["accuracy", "cem_ord"])
    assert isinstance(scores, Mapping)
    assert len(scores) == 2
    assert list(scores) == list(scores.keys()) == ["accuracy", "cem_ord"]
    assert list(scores.values()) == [scores["accuracy"], scores["cem_ord"]]
    assert "accuracy" in scores
    assert "oc_index" not in scores
    assert scores.get("oc_index") is None
    assert scores.get("oc_index", 0.0) == 0.0
    assert {**scores} == scores
    assert scores == oe.score(TRUTH, PRED, ["accuracy", "cem_ord"])
    assert scores != oe.score(TRUTH, PRED, ["accuracy"])


@pytest.mark.parametrize("key", ["acuracy", "oc_index", 3, None])
def test_a_key_that_was_not_scored_is_a_key_error(key: Any) -> None:
    scores = oe.score(TRUTH, PRED, ["accuracy", "cem_ord"])
    with pytest.raises(KeyError):
        scores[key]
    with pytest.raises(oe.UnknownMetricError):
        scores[key]


def test_the_same_measure_twice_is_scored_once() -> None:
    scores = oe.score(TRUTH, PRED, ["accuracy", oe.accuracy])
    assert len(scores) == len(dict(scores)) == 1


def test_it_cannot_be_changed_and_can_be_pickled() -> None:
    scores = oe.score(TRUTH, PRED)
    with pytest.raises(AttributeError):
        scores.by_name = {}  # type: ignore[misc]
    with pytest.raises(TypeError):
        scores["accuracy"] = 1.0  # type: ignore[index]
    assert dict(pickle.loads(pickle.dumps(scores))) == dict(scores)


def test_undefined_values_are_dashes_with_their_reason() -> None:
    scores = oe.score([1, 1, 1], [1, 1, 2], "all", labels=[1, 2, 3])
    assert math.isnan(scores["kendall_tau_b"])
    assert all(math.isnan(scores[name]) for name in COST_MEASURES)
    assert scores["accuracy"] == pytest.approx(2 / 3)
    text = repr(scores)
    assert row_of(oe.kendall_tau_b, text).split()[0] == "—"
    notes = " ".join(text.split()).split("— undefined, ")[1:]
    for name in (name for name, value in scores.items() if math.isnan(value)):
        metric = oe.get_metric(name)
        (note,) = (n for n in notes if n.startswith(f"{metric.undefined_when}: "))
        assert metric.display in note
    assert "nan" not in text.split()


def test_without_undefined_values_there_is_no_dash() -> None:
    for level in (None, 0.95):
        assert "—" not in repr(oe.score(TRUTH, PRED, level=level))
        assert "undefined" not in repr(oe.score(TRUTH, PRED, level=level))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_no_items_is_the_reason_for_everything(k: int) -> None:
    scores = oe.score([], [], "all", labels=range(k))
    assert all(math.isnan(value) for value in scores.values())
    notes = " ".join(repr(scores).split("undefined, ", 1)[1].split())
    every = ", ".join(oe.get_metric(name).display for name in scores)
    assert notes.startswith(f"there are no items: {every}")
    assert "undefined" not in notes


CASES = {
    "all defined": lambda: oe.score(TRUTH, PRED, "all"),
    "absent classes": lambda: oe.score([1, 1], [1, 2], "all", labels=range(1, 6)),
    "one class": lambda: oe.score([1], [1], "all"),
    "no items": lambda: oe.score([], [], "all", labels=["low", "medium", "high"]),
    "many classes": lambda: oe.score(range(200), range(200), "all"),
    "weights": lambda: oe.score(TRUTH, PRED, "all", sample_weight=np.linspace(0.1, 1, 8)),
    "parameters": lambda: oe.score(
        TRUTH,
        PRED,
        [
            oe.oc_index.with_params(share=0.25, gamma=2.0),
            oe.misclassification_cost.with_params(class_sizes=[100, 200, 300]),
            oe.weighted_kappa.with_params(weights="linear"),
        ],
        labels=LEVELS,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_table_fits_a_terminal(case: str) -> None:
    lines = repr(CASES[case]()).splitlines()
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("case", CASES)
def test_the_table_shows_every_value(case: str) -> None:
    scores = CASES[case]()
    text = repr(scores)
    assert [m.name for m in scores.metrics] == list(scores)
    for metric in scores.metrics:
        value, shown = scores[metric.name], row_of(metric, text).split()[0]
        assert shown == ("—" if math.isnan(value) else f"{value:.4f}")


def test_the_table_tells_which_direction_is_better() -> None:
    chosen = ["accuracy", "oc_index", "mean_signed_error"]
    text = repr(oe.score(TRUTH, PRED, chosen, labels=LEVELS))
    assert row_of(oe.accuracy, text).endswith("  higher")
    assert row_of(oe.oc_index, text).endswith("  lower")
    assert row_of(oe.mean_signed_error, text).endswith("  closer to 0")


class Page(HTMLParser):
    """Tags that a page opens, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def test_html_escapes_labels_and_shows_every_value() -> None:
    levels = ["<script>alert(1)</script>", "\"'><img src=x>", "&"]
    scores = oe.score(levels, levels[::-1], "all", labels=levels, level=None)
    page = Page(scores._repr_html_())
    assert not page.tags & {"script", "img"}
    assert {"table", "caption", "th", "td"} <= page.tags
    assert levels[0] in page.text
    shown = page.text.split("\n")
    for name, value in scores.items():
        place = shown.index(oe.get_metric(name).display)
        assert shown[place + 1] == ("—" if math.isnan(value) else f"{value:.4f}")


def test_html_gives_the_reason_of_undefined_values() -> None:
    page = Page(oe.score([1, 1], [1, 1], "somers_d", labels=[1, 2])._repr_html_())
    assert "the truth has only one class: Somers' D\n" in page.text


def test_to_frame() -> None:
    scores = oe.score(TRUTH, PRED, ["accuracy", "oc_index"], labels=LEVELS)
    frame = scores.to_frame()
    assert frame.index.name == "metric"
    assert frame.index.tolist() == ["accuracy", "oc_index"]
    assert frame["value"].to_dict() == dict(scores)
    assert frame.loc["oc_index", ["symbol", "family", "better"]].tolist() == ["OC", "path", "lower"]


def test_to_frame_keeps_undefined_values() -> None:
    frame = oe.score([], [], labels=[1, 2]).to_frame()
    assert frame["value"].isna().all()
    assert frame["value"].dtype == float


# Intervals


MANY = np.random.default_rng(2).integers(1, 4, 300)
NEAR = np.clip(MANY + np.random.default_rng(3).integers(-1, 2, 300), 1, 3)
PAIR = ["accuracy", "mean_absolute_error"]


def test_intervals_are_left_out_when_asked_for() -> None:
    assert list(oe.score(MANY, NEAR, PAIR).intervals) == PAIR
    scores = oe.score(MANY, NEAR, PAIR, level=None)
    assert dict(scores.intervals) == {}
    assert "low" not in scores.rows()[0]
    assert "Intervals" not in repr(scores)


def test_intervals_are_those_of_each_measure_from_the_same_draws() -> None:
    scores = oe.score(MANY, NEAR, PAIR, level=0.9, n_resamples=499, rng=5)
    for name in PAIR:
        alone = oe.confidence_interval(name, MANY, NEAR, level=0.9, n_resamples=499, rng=5)
        assert scores.intervals[name] == alone
        assert scores.intervals[name].estimate == scores[name]
    percentile = oe.score(MANY, NEAR, PAIR, level=0.9, method="percentile", n_resamples=499, rng=5)
    assert percentile.intervals["accuracy"].method == "percentile"


def test_intervals_of_clusters_and_weights_are_of_the_items() -> None:
    options = {"level": 0.95, "n_resamples": 499, "rng": 5, "clusters": np.arange(300) // 5}
    scores = oe.score(MANY, NEAR, "accuracy", **options)
    alone = oe.confidence_interval("accuracy", MANY, NEAR, **options)
    assert scores.intervals["accuracy"] == alone
    weighed = {**options, "clusters": None, "sample_weight": np.linspace(1, 3, 300)}
    scores = oe.score(MANY, NEAR, "accuracy", **weighed)
    assert scores.intervals["accuracy"] == oe.confidence_interval("accuracy", MANY, NEAR, **weighed)


def test_intervals_follow_the_policies() -> None:
    holes = [None, 9, *MANY[2:].tolist()]
    options: dict[str, Any] = {"labels": LEVELS, "unknown": "drop", "missing": "drop"}
    scores = oe.score(
        holes, NEAR, "accuracy", level=0.95, rng=0, clusters=np.arange(300) // 5, **options
    )
    assert scores.confusion.total == 298
    assert scores.intervals["accuracy"].estimate == scores["accuracy"]


def test_intervals_are_shown_in_every_format() -> None:
    scores = oe.score(MANY, NEAR, PAIR, method="bca", n_resamples=499, rng=5)
    low, high = scores.intervals["accuracy"].low, scores.intervals["accuracy"].high
    assert f"{scores['accuracy']:.4f} [{low:.3f}, {high:.3f}]" in repr(scores)
    assert "Intervals: 95% BCa, 499 draws." in repr(scores)
    assert scores.to_frame().loc["accuracy", ["low", "high"]].tolist() == [low, high]
    facts = json.loads(scores.to_json())
    assert facts["rows"][0]["low"] == low
    assert [i["metric"] for i in facts["intervals"]] == PAIR
    assert (facts["intervals"][0]["level"], facts["intervals"][0]["method"]) == (0.95, "bca")


def test_a_matrix_has_intervals_and_no_clusters() -> None:
    cm = oe.ConfusionMatrix.from_labels(MANY, NEAR, LEVELS)
    scores = oe.score(cm, metrics="accuracy", level=0.95, n_resamples=99, rng=0)
    assert scores["accuracy"] in scores.intervals["accuracy"]
    with pytest.raises(oe.LabelError, match="a matrix does not record items"):
        oe.score(cm, metrics="accuracy", level=0.95, clusters=[1, 2])


# Frames and files


def test_a_frame_and_a_file_are_scored_like_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame({"y": MANY, "p": NEAR, "w": 1.5, "site": np.where(MANY > 1, "A", "B")})
    frame.to_csv(tmp_path / "preds.csv", index=False)
    expected = dict(oe.score(MANY, NEAR, PAIR))
    options: dict[str, Any] = {"labels": LEVELS, "weight": "w"}
    for describe, data in (
        (oe.Predictions.from_frame, frame),
        (oe.Predictions.from_file, tmp_path / "preds.csv"),
    ):
        assert dict(oe.score(describe(data, "y", "p"), PAIR)) == expected
        weighed = oe.score(describe(data, "y", "p", **options), PAIR)
        assert weighed.confusion.weighted
        assert dict(weighed) == pytest.approx(expected)
        by = oe.score(describe(data, "y", "p", labels=LEVELS, by="site"), PAIR)
        assert isinstance(by, oe.results.SubgroupScores)
        assert by.by == ("A", "B")
        assert by["accuracy"][1] == oe.accuracy(MANY[MANY == 1], NEAR[MANY == 1], labels=LEVELS)
        assert by.pooled.tolist() == pytest.approx(list(expected.values()))


def test_a_misspelt_measure_is_told_before_the_file_is_read() -> None:
    with pytest.raises(oe.UnknownMetricError, match="Did you mean accuracy"):
        oe.score(oe.Predictions.from_file("absent.csv", "y", "p"), "acuracy")
    with pytest.raises(oe.LabelError, match="there is no file"):
        oe.score(oe.Predictions.from_file("absent.csv", "y", "p"), "accuracy")


def test_no_items_in_a_frame() -> None:
    empty = pd.DataFrame({"y": [None], "p": [1]})
    with pytest.raises(oe.LabelError, match="p has no items to score; dropped: 1 missing"):
        oe.score(oe.Predictions.from_frame(empty, "y", "p", labels=LEVELS, missing="drop"))


# Scales that integers imply


def test_a_measure_that_looks_at_unused_levels_warns_when_named() -> None:
    cm = oe.ConfusionMatrix.from_labels(TRUTH, PRED)
    for call in (
        lambda: oe.score(TRUTH, PRED, ["accuracy", "oc_index"]),
        lambda: oe.score(cm, metrics="oc_index"),
        lambda: oe.score(TRUTH, PRED, "oc_index", level=0.9, n_resamples=9, rng=0),
    ):
        with pytest.warns(oe.OrdevalWarning) as caught:
            call()
        about = [str(w.message) for w in caught if w.category is oe.EmptyLevelWarning]
        assert len(about) == 1
        assert about[0].startswith("[OE101] oc_index depends on levels that never occur")
        assert "Declare labels= if the scale is longer" in about[0]
    assert "oc_index" in oe.score(TRUTH, PRED)  # unasked, only the advice says it


def test_what_cannot_be_scored() -> None:
    with pytest.raises(oe.LabelError, match="give the scale as labels="):
        oe.score(TRUTH, PRED, oe.Scale(LEVELS))
    with pytest.raises(oe.CountsError, match=r"with one axis of subgroups; this one has shape"):
        oe.score(oe.ConfusionMatrix(np.ones((2, 2, 3, 3))))
    cm = oe.ConfusionMatrix([[1, 0], [0, 1]])
    with pytest.raises(oe.LabelError, match="already contains its predictions, labels and weights"):
        oe.score(cm, labels=[1, 2])
    with pytest.raises(oe.LabelError, match="score needs y_true and y_pred, or one confusion"):
        oe.score(TRUTH)


def test_clusters_without_intervals_are_not_ignored() -> None:
    with pytest.raises(oe.ParameterError, match="clusters affect only intervals"):
        oe.score([1, 2, 3], [1, 2, 2], "accuracy", clusters=[1, 1, 2], level=None)
