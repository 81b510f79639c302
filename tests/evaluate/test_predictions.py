"""Predictions: data is described once, and every verb gives the same answer whatever its source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ordeval as oe
from ordeval.results.subgroups import ModelScores

LEVELS = ["low", "mid", "high"]
N = 240
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 3, N)
POSITIONS = {
    "b": np.where(RNG.random(N) < 0.7, TRUTH, RNG.integers(0, 3, N)),
    "a": np.where(RNG.random(N) < 0.5, TRUTH, RNG.integers(0, 3, N)),
}


def words(positions: Any) -> list[str]:
    return [LEVELS[p] for p in positions]


def forecast(sharpness: float) -> Any:
    raw = RNG.random((N, 3)) + sharpness * np.eye(3)[TRUTH]
    return raw / raw.sum(axis=1, keepdims=True)


Y = words(TRUTH)
PREDS = {name: words(p) for name, p in POSITIONS.items()}
PROBS = {"sharp": forecast(2.0), "blunt": forecast(0.5)}
SCORES = {"s": TRUTH + RNG.random(N) * 2, "t": TRUTH + RNG.random(N) * 4}
SITE = np.array(["north", "south", "west"])[np.arange(N) % 3]
PATIENT = np.arange(N) // 4
WEIGHT = 1.0 + np.arange(N) % 2
FRAME = pl.DataFrame(
    {
        "id": np.arange(N),
        "y": Y,
        **PREDS,
        **{f"{m}_{lv}": x[:, i] for m, x in PROBS.items() for i, lv in enumerate(LEVELS)},
        **SCORES,
        "site": SITE,
        "patient": PATIENT,
        "w": WEIGHT,
    }
)
PREFIXES = {m: f"{m}_" for m in PROBS}
SHARED: dict[str, Any] = {"labels": LEVELS, "clusters": "patient", "weight": "w"}
ARRAYS: dict[str, Any] = {"labels": LEVELS, "clusters": PATIENT, "sample_weight": WEIGHT}


def long_table() -> pl.DataFrame:
    """A row for each item and model, in any order."""
    parts = [
        FRAME.select("id", "y", "site", "patient", "w", model=pl.lit(m), grade=m) for m in PREDS
    ]
    return pl.concat(parts).sample(fraction=1, shuffle=True, seed=3)


def file_of(frame: pl.DataFrame, path: Path) -> Path:
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_csv(path)
    return path


def more_rows() -> pl.DataFrame:
    """The same items, and others that a filter leaves out."""
    return pl.concat([FRAME.with_columns(split=pl.lit("test")),
                      FRAME.with_columns(split=pl.lit("train"), y=pl.lit("low"))])  # fmt: skip


Described = Callable[..., oe.Predictions]

OF_LABELS: dict[str, Callable[[Path], oe.Predictions]] = {
    "frame": lambda _: oe.Predictions.from_frame(FRAME, "y", ["b", "a"], **SHARED),
    "lazy frame": lambda _: oe.Predictions.from_frame(FRAME.lazy(), "y", ["b", "a"], **SHARED),
    "pandas": lambda _: oe.Predictions.from_frame(FRAME.to_pandas(), "y", ["b", "a"], **SHARED),
    "long frame": lambda _: oe.Predictions.from_frame(
        long_table(), "y", "grade", item="id", model="model", **SHARED
    )[["b", "a"]],
    "truth in another frame": lambda _: oe.Predictions.from_frame(
        FRAME.select("id", "b", "a"), "y", ["b", "a"], on="id",
        truth_frame=FRAME.select("id", "y", "patient", "w"), **SHARED,
    ),
    "predictions in other frames": lambda _: oe.Predictions.from_frame(
        FRAME, "y", on="id", pred_frames={m: (FRAME.select("id", m), m) for m in PREDS}, **SHARED
    ),
    "CSV": lambda path: oe.Predictions.from_file(
        file_of(FRAME, path / "d.csv"), "y", ["b", "a"], **SHARED
    ),
    "Parquet": lambda path: oe.Predictions.from_file(
        file_of(FRAME, path / "d.parquet"), "y", ["b", "a"], **SHARED
    ),
    "a filter": lambda path: oe.Predictions.from_file(
        file_of(more_rows(), path / "d.csv"), "y", ["b", "a"], where="split = 'test'", **SHARED
    ),
    "a format that the name does not tell": lambda path: oe.Predictions.from_file(
        file_of(FRAME, path / "d.parquet").rename(path / "d.data"), "y", ["b", "a"],
        format="parquet", **SHARED,
    ),
    "long file": lambda path: oe.Predictions.from_file(
        file_of(long_table(), path / "d.csv"), "y", "grade", item="id", model="model", **SHARED
    )[["b", "a"]],
    "joined files": lambda path: oe.Predictions.from_file(
        file_of(FRAME.select("id", "b", "a"), path / "p.csv"), "y", ["b", "a"], on="id",
        truth_file=file_of(FRAME.select("id", "y", "patient", "w"), path / "t.csv"), **SHARED,
    ),
}  # fmt: skip


def numbers(result: Any) -> Any:
    """All that a result holds, without how it was read."""
    if hasattr(result, "to_json"):
        return json.loads(result.to_json())
    return repr(result)


def alike(a: Any, b: Any) -> None:
    """Check that two results are the same to nine digits, in the same order."""
    a, b = numbers(a), numbers(b)
    left, right = json.dumps(_rounded(a)), json.dumps(_rounded(b))
    assert left == right


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.8g}") if abs(value) > 1e-12 else 0.0
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, list) else value


LABEL_QUESTIONS: dict[str, Callable[[oe.Predictions], Any]] = {
    "score": lambda data: oe.score(data, ["cem_ord", "accuracy"]),
    "score one": lambda data: oe.score(data["a"], ["cem_ord", "accuracy"]),
    "compare": lambda data: oe.compare(data, ["cem_ord", "accuracy"], reference="a", margin=0.1),
    "thresholds": lambda data: oe.thresholds(data["b"]),
    "confidence_interval": lambda data: oe.confidence_interval("cem_ord", data["b"]),
    "paired_delta": lambda data: oe.paired_delta("cem_ord", data),
    "confusion": lambda data: data.confusion("a"),
}


@pytest.mark.parametrize("source", OF_LABELS)
def test_every_verb_gives_the_same_for_labels(source: str, tmp_path: Path) -> None:
    here, there = oe.Predictions(Y, PREDS, **ARRAYS), OF_LABELS[source](tmp_path)
    for question in LABEL_QUESTIONS.values():
        alike(question(here), question(there))
    assert (here.models, here.items, here.clusters, here.dropped, here.by) == (
        there.models, there.items, there.clusters, there.dropped, there.by,
    )  # fmt: skip
    assert list(here.scale) == list(there.scale) == LEVELS
    assert repr(here) == repr(there)


OF_PROBABILITIES: dict[str, Callable[[Path], oe.Predictions]] = {
    "frame": lambda _: oe.Predictions.from_frame(FRAME, "y", prob=PREFIXES, **SHARED),
    "lazy frame": lambda _: oe.Predictions.from_frame(FRAME.lazy(), "y", prob=PREFIXES, **SHARED),
    "file": lambda path: oe.Predictions.from_file(
        file_of(FRAME, path / "d.parquet"), "y", prob=PREFIXES, **SHARED
    ),
    "joined": lambda _: oe.Predictions.from_frame(
        FRAME.drop("y"), "y", prob=PREFIXES, on="id", truth_frame=FRAME.select("id", "y"), **SHARED
    ),
}
FORECAST_QUESTIONS: dict[str, Callable[[oe.Predictions], Any]] = {
    "score": lambda data: oe.score(data, ["ranked_probability_score", "accuracy"]),
    "compare": lambda data: oe.compare(data, ["ranked_probability_score"]),
    "thresholds": lambda data: oe.thresholds(data["blunt"]),
    "calibration": lambda data: oe.calibration(data["sharp"], n_resamples=50),
    "decision_curve": lambda data: oe.decision_curve(data, probabilities=[0.2, 0.5]),
    "confidence_interval": lambda data: oe.confidence_interval("cem_ord", data["sharp"]),
    "paired_delta": lambda data: oe.paired_delta("ranked_probability_score", data),
    "confusion": lambda data: data.confusion("sharp"),
}


@pytest.mark.parametrize("source", OF_PROBABILITIES)
def test_every_verb_gives_the_same_for_probabilities(source: str, tmp_path: Path) -> None:
    here, there = oe.Predictions(Y, PROBS, **ARRAYS), OF_PROBABILITIES[source](tmp_path)
    for question in FORECAST_QUESTIONS.values():
        alike(question(here), question(there))
    assert repr(here) == repr(there)


def test_every_verb_gives_the_same_for_scores(tmp_path: Path) -> None:
    here = oe.Predictions(Y, SCORES, outputs="scores", **ARRAYS)
    frame = oe.Predictions.from_frame(FRAME, "y", score=list(SCORES), **SHARED)
    path = file_of(FRAME, tmp_path / "d.parquet")
    file = oe.Predictions.from_file(path, "y", score=list(SCORES), **SHARED)
    for there in (frame, file):
        for question in (
            lambda data: oe.score(data["s"]),
            lambda data: oe.compare(data),
            lambda data: oe.thresholds(data["t"]),
            lambda data: oe.confidence_interval("concordance_index", data["s"]),
            lambda data: oe.paired_delta("concordance_index", data),
        ):
            alike(question(here), question(there))
        assert repr(here) == repr(there)


def test_a_plan_takes_every_source(tmp_path: Path) -> None:
    path = file_of(FRAME, tmp_path / "d.csv")
    given: dict[str, Any] = {"labels": LEVELS, "clusters": "patient"}
    pilots = (
        oe.Predictions(Y, PREDS, labels=LEVELS, clusters=PATIENT),
        oe.Predictions.from_frame(FRAME, "y", ["b", "a"], **given),
        oe.Predictions.from_file(path, "y", ["b", "a"], **given),
    )
    for pilot in pilots[1:]:
        alike(oe.plan("accuracy", pilots[0], power=0.8), oe.plan("accuracy", pilot, power=0.8))
        one = (oe.plan("accuracy", p["a"], half_width=0.1) for p in (pilots[0], pilot))
        alike(*one)


# What it prints and holds


def test_it_prints_what_it_holds() -> None:
    y, b = [None, *Y[1:]], [*PREDS["b"][:5], "odd", *PREDS["b"][6:]]
    data = oe.Predictions(
        y, {"b": b, "a": PREDS["a"]}, labels=LEVELS, clusters=PATIENT, by={"site": SITE},
        sample_weight=WEIGHT, unknown="drop", missing="drop",
    )  # fmt: skip
    kept = [i for i in range(N) if i not in (0, 5)]
    sizes = [sum(Y[i] == level for i in kept) for level in LEVELS]
    assert repr(data) == (
        "Predictions of 2 models on 238 items; weighted: b and a (labels)\n"
        f"scale: low < mid < high ({sizes[0]}, {sizes[1]} and {sizes[2]} items)\n"
        "clusters: 60\n"
        "subgroups: north, south and west\n"
        "dropped: 2 items"
    )
    assert (data.models, data.items, len(data)) == (("b", "a"), 238, 238)
    assert (data.clusters, data.by, data.dropped) == (60, ("north", "south", "west"), 2)
    assert data.scale == oe.Scale(LEVELS)


def test_it_prints_what_models_give() -> None:
    def first(data: oe.Predictions) -> str:
        return repr(data).split(": ")[1].split("\n")[0]

    assert first(oe.Predictions(Y, PREDS["a"], labels=LEVELS)) == "y_pred (labels)"
    assert first(oe.Predictions(Y, PROBS, labels=LEVELS)) == "sharp and blunt (probabilities)"
    assert first(oe.Predictions(Y, SCORES, labels=LEVELS, outputs="scores")) == "s and t (scores)"
    both = oe.Predictions(Y, PREDS | PROBS, labels=LEVELS)
    assert first(both) == "b and a (labels), sharp and blunt (probabilities)"


def test_a_scale_is_declared_or_read() -> None:
    assert oe.Predictions([1, 2, 3], [1, 2, 2]).scale == oe.Scale.range(1, 3)
    assert oe.Predictions([1, 2, 3], [1, 2, 2], labels=range(5)).scale == oe.Scale.range(0, 4)


def test_models_are_chosen_by_name() -> None:
    data = oe.Predictions(Y, PREDS | PROBS, labels=LEVELS)
    assert data["a"].models == ("a",)
    assert data[["blunt", "a"]].models == ("blunt", "a")
    assert data.models == ("b", "a", "sharp", "blunt")
    for wrong, said in (
        ("c", "there is no model 'c'; there are b, a, sharp and blunt"),
        (["a", "a"], "name each model once"),
        ([], "name each model once"),
    ):
        with pytest.raises(oe.ParameterError, match=said):
            data[wrong]


def test_the_order_of_models_is_kept() -> None:
    """Labels and probabilities take turns, and every verb answers in the order given."""
    mixed = {"sharp": PROBS["sharp"], "b": PREDS["b"], "blunt": PROBS["blunt"], "a": PREDS["a"]}
    data = oe.Predictions(Y, mixed, labels=LEVELS)
    order = ["sharp", "b", "blunt", "a"]
    assert list(data.models) == order
    assert list(oe.score(data, ["accuracy"])) == order
    assert list(oe.thresholds(data)) == order
    turned = data[["a", "blunt", "b"]]
    assert list(oe.score(turned, ["accuracy"])) == ["a", "blunt", "b"]


def test_a_mapping_of_one_model_is_one_model() -> None:
    alone = oe.Predictions(Y, PREDS["a"], labels=LEVELS)
    named = oe.Predictions(Y, {"a": PREDS["a"]}, labels=LEVELS)
    assert (alone.models, named.models) == (("y_pred",), ("a",))
    assert dict(oe.score(alone)) == dict(oe.score(named))
    assert list(oe.thresholds(named)) == list(oe.thresholds(alone)) == [">= mid", ">= high"]
    assert oe.compare(named, ["accuracy"]).models == ("a",)
    several = oe.score(oe.Predictions(Y, PREDS, labels=LEVELS))
    assert isinstance(several, ModelScores)
    assert list(several) == ["b", "a"]


def test_a_long_table_of_one_model_gives_its_scores() -> None:
    frame = long_table().filter(pl.col("model") == "a")
    data = oe.Predictions.from_frame(frame, "y", "grade", item="id", model="model", labels=LEVELS)
    assert data.models == ("a",)
    assert dict(oe.score(data)) == dict(oe.score(Y, PREDS["a"], labels=LEVELS))


# Confusion matrices


def counted(pred: Any, where: Any = slice(None), weight: Any = None) -> Any:
    table = np.zeros((3, 3))
    weights = np.ones(N) if weight is None else weight
    np.add.at(table, (TRUTH[where], np.asarray(pred)[where]), weights[where])
    return table


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("source", ["arrays", "frame"])
def test_confusion_matrices(source: str, weighted: bool) -> None:
    weight = WEIGHT if weighted else None
    decided = {name: x.argmax(axis=1) for name, x in PROBS.items()}

    def of(**by: Any) -> oe.Predictions:
        if source == "arrays":
            by = {"by": SITE} if by else {}
            return oe.Predictions(Y, PREDS | PROBS, labels=LEVELS, sample_weight=weight, **by)
        column = "w" if weighted else None
        return oe.Predictions.from_frame(
            FRAME, "y", ["b", "a"], prob=PREFIXES, labels=LEVELS, weight=column, **by
        )

    for model, pred in (POSITIONS | decided).items():
        whole, parts = of().confusion(model), of(by="site").confusion(model)
        assert np.array_equal(whole.counts, counted(pred, weight=weight))
        assert whole.weighted == parts.weighted == weighted
        assert parts.by == ("north", "south", "west")
        for i, site in enumerate(parts.by):
            assert np.array_equal(parts.counts[i], counted(pred, site == SITE, weight))
    assert of()["a"].confusion() == of().confusion("a")


def test_which_confusion_matrix_must_be_clear() -> None:
    with pytest.raises(oe.ParameterError, match="name one of the models b and a"):
        oe.Predictions(Y, PREDS, labels=LEVELS).confusion()
    with pytest.raises(oe.ParameterError, match="there is no model 'c'"):
        oe.Predictions(Y, PREDS, labels=LEVELS).confusion("c")
    with pytest.raises(oe.ParameterError, match="s gives scores; a confusion matrix needs labels"):
        oe.Predictions(Y, SCORES, labels=LEVELS, outputs="scores").confusion("s")


def test_the_rule_of_decision_counts() -> None:
    costs = [[0, 1, 9], [1, 0, 1], [1, 1, 0]]
    decided = oe.models.decide(PROBS["blunt"], "cost", cost=costs)
    for by in ({}, {"by": SITE}):
        data = oe.Predictions(Y, PROBS["blunt"], labels=LEVELS, decide=costs, **by)
        counts = data.confusion().counts
        assert np.array_equal(counts.sum(axis=0) if by else counts, counted(decided))


# Nothing is read before a question is asked


def test_a_lazy_frame_is_not_collected_before_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    collect = pl.LazyFrame.collect

    def counting(self: pl.LazyFrame, *given: Any, **how: Any) -> Any:
        collected.append(1)
        return collect(self, *given, **how)

    monkeypatch.setattr(pl.LazyFrame, "collect", counting)
    data = oe.Predictions.from_frame(FRAME.lazy(), "y", ["b", "a"], by="site", **SHARED)
    assert data["a"].models == ("a",)
    assert not collected
    assert oe.score(data["a"], ["accuracy"])
    assert collected


def test_a_file_is_not_opened_before_a_question(tmp_path: Path) -> None:
    path = tmp_path / "later.csv"
    data = oe.Predictions.from_file(path, "y", ["b", "a"], labels=LEVELS, by="site")
    assert data.models == ("b", "a")
    with pytest.raises(oe.LabelError, match=r"later\.csv"):
        oe.score(data["a"])
    file_of(FRAME, path)
    again = oe.Predictions.from_file(path, "y", ["b", "a"], labels=LEVELS)
    assert oe.score(again["a"])["accuracy"] == (POSITIONS["a"] == TRUTH).mean()


def test_arrays_that_do_not_fit_are_told_when_they_are_read() -> None:
    data = oe.Predictions([1, 2, 3], [1, 2], labels=[1, 2, 3])
    with pytest.raises(oe.LabelError, match="must have the same length; got 3 and 2"):
        oe.score(data)


# Subgroups


def in_site(site: str, models: Any, **given: Any) -> oe.Predictions:
    here = site == SITE
    part = {name: np.asarray(x)[here] for name, x in models.items()}
    arrays = {**ARRAYS, "clusters": PATIENT[here], "sample_weight": WEIGHT[here], **given}
    return oe.Predictions(np.asarray(Y)[here], part, **arrays)


@pytest.mark.parametrize("source", ["arrays", "frame", "file"])
def test_subgroups_are_those_of_a_loop(source: str, tmp_path: Path) -> None:
    def of(models: Any, **columns: Any) -> oe.Predictions:
        if source == "arrays":
            return oe.Predictions(Y, models, by={"site": SITE}, **ARRAYS)
        if source == "frame":
            return oe.Predictions.from_frame(FRAME, "y", by="site", **columns, **SHARED)
        path = file_of(FRAME, tmp_path / "d.parquet")
        return oe.Predictions.from_file(path, "y", by="site", **columns, **SHARED)

    labels, forecasts = of(PREDS, pred=["b", "a"]), of(PROBS, prob=PREFIXES)
    sites = ("north", "south", "west")
    metrics = ["cem_ord", "accuracy"]
    scored = oe.score(labels, metrics)
    compared = oe.compare(labels, metrics)
    cuts = oe.thresholds(labels)
    calibrated = oe.calibration(forecasts["sharp"], n_resamples=50)
    curves = oe.decision_curve(forecasts, probabilities=[0.2, 0.5])
    losses = oe.compare(forecasts, ["ranked_probability_score"])
    for found in (compared, calibrated, curves, losses, cuts["a"]):
        assert tuple(found) == sites
    for i, site in enumerate(sites):
        one, other = in_site(site, PREDS), in_site(site, PROBS)
        alone = oe.score(one, metrics)
        for model in PREDS:
            assert scored[model].by == sites
            for m in metrics:
                assert scored[model][m][i] == pytest.approx(alone[model][m], abs=1e-12)
            alike(cuts[model][site], oe.thresholds(one[model]))
        alike(compared[site], oe.compare(one, metrics))
        alike(losses[site], oe.compare(other, ["ranked_probability_score"]))
        alike(curves[site], oe.decision_curve(other, probabilities=[0.2, 0.5]))
        alone = oe.calibration(other["sharp"], n_resamples=50)
        alike(calibrated[site], alone)


def test_subgroups_go_beside_arrays_too() -> None:
    data = oe.Predictions(Y, PREDS["a"], labels=LEVELS, by=SITE)
    probs = oe.Predictions(Y, PROBS["sharp"], labels=LEVELS, by=SITE)
    given: dict[str, Any] = {"labels": LEVELS, "by": SITE}
    alike(oe.score(Y, PREDS["a"], ["accuracy"], **given), oe.score(data, ["accuracy"]))
    alike(oe.thresholds(Y, PREDS["a"], **given), oe.thresholds(data))
    alike(
        oe.calibration(Y, PROBS["sharp"], n_resamples=9, **given),
        oe.calibration(probs, n_resamples=9),
    )
    both = oe.Predictions(Y, PREDS, **given)
    alike(oe.compare(Y, PREDS, ["accuracy"], **given), oe.compare(both, ["accuracy"]))


def test_several_columns_of_subgroups() -> None:
    half = np.array(["x", "y"])[np.arange(N) % 2]
    arrays = oe.Predictions(Y, PREDS, labels=LEVELS, by={"site": SITE, "half": half})
    frame = FRAME.with_columns(half=pl.Series(half))
    columns = oe.Predictions.from_frame(frame, "y", ["b", "a"], labels=LEVELS, by=["site", "half"])
    assert arrays.by == columns.by
    assert arrays.by[:2] == (("north", "x"), ("north", "y"))
    alike(oe.compare(arrays, ["accuracy"]), oe.compare(columns, ["accuracy"]))


def test_subgroups_may_be_called_like_a_model() -> None:
    data = oe.Predictions(Y, PREDS, labels=LEVELS, by={"a": SITE}, clusters=PATIENT)
    assert data.by == ("north", "south", "west")
    other = oe.Predictions(Y, PREDS, labels=LEVELS, by={"site": SITE}, clusters=PATIENT)
    assert np.array_equal(data.confusion("a").counts, other.confusion("a").counts)
    for name in ("y_true", "clusters", "sample_weight"):
        models = {name: PREDS["a"], "b": PREDS["b"]}
        odd = oe.Predictions(Y, models, sample_weight=WEIGHT, clusters=PATIENT, labels=LEVELS)
        found = oe.compare(odd, ["accuracy"]).estimates["accuracy"][name]
        plain = oe.compare(oe.Predictions(Y, {"a": PREDS["a"], "b": PREDS["b"]}, **ARRAYS),
                           ["accuracy"]).estimates["accuracy"]["a"]  # fmt: skip
        assert (found.estimate, found.low) == (plain.estimate, plain.low)


def test_one_measure_of_subgroups_is_asked_of_score() -> None:
    data = oe.Predictions(Y, PREDS, labels=LEVELS, by=SITE)
    with pytest.raises(oe.LabelError, match=r"have subgroups; score\(data, \['accuracy'\]\)"):
        oe.confidence_interval("accuracy", data["a"])
    with pytest.raises(oe.LabelError, match=r"have subgroups; compare\(data, \['accuracy'\]\)"):
        oe.paired_delta("accuracy", data)


def test_how_many_models_a_question_needs() -> None:
    data = oe.Predictions(Y, PREDS | {"c": PREDS["a"]}, labels=LEVELS)
    with pytest.raises(oe.LabelError, match=r"one model is needed; .* Choose with data\['b'\]"):
        oe.confidence_interval("accuracy", data)
    with pytest.raises(oe.LabelError, match=r"two models are needed; .*data\[\['b', 'a'\]\]"):
        oe.paired_delta("accuracy", data)
    with pytest.raises(oe.LabelError, match="two models are needed; there is only a"):
        oe.paired_delta("accuracy", data["a"])
    chosen = oe.paired_delta("accuracy", data, names=("a", "b"))
    alike(chosen, oe.paired_delta("accuracy", data[["a", "b"]]))


# What goes beside Predictions

BESIDE: dict[str, Callable[..., Any]] = {
    "score": oe.score,
    "compare": oe.compare,
    "thresholds": oe.thresholds,
    "calibration": oe.calibration,
    "decision_curve": oe.decision_curve,
    "confidence_interval": lambda data, **k: oe.confidence_interval("accuracy", data, **k),
    "paired_delta": lambda data, **k: oe.paired_delta("accuracy", data, **k),
}


@pytest.mark.parametrize("verb", BESIDE)
@pytest.mark.parametrize(
    "given",
    [{"labels": LEVELS}, {"by": SITE}, {"sample_weight": WEIGHT}, {"clusters": PATIENT},
     {"missing": "drop"}],
    ids=lambda given: next(iter(given)),
)  # fmt: skip
def test_data_keywords_beside_predictions_say_where_they_go(
    verb: str, given: dict[str, Any]
) -> None:
    data, (name,) = oe.Predictions(Y, PROBS, labels=LEVELS), given
    with pytest.raises(oe.LabelError) as caught:
        BESIDE[verb](data, **given)
    assert str(caught.value) == (
        f"{verb} got {name} together with Predictions. Pass {name} to Predictions instead."
    )


@pytest.mark.parametrize("verb", BESIDE)
def test_unknown_keywords_beside_predictions_are_pythons_own_error(verb: str) -> None:
    with pytest.raises(TypeError, match=rf"^{verb}\(\) got an unexpected keyword argument 'odd'"):
        BESIDE[verb](oe.Predictions(Y, PROBS, labels=LEVELS), odd=1)


def test_predictions_beside_predictions() -> None:
    data = oe.Predictions(Y, PREDS["a"], labels=LEVELS)
    for ask in (
        lambda: oe.score(data, PREDS["b"], ["accuracy"]),
        lambda: oe.compare(data, PREDS, ["accuracy"]),
        lambda: oe.thresholds(data, PREDS["b"]),
        lambda: oe.confidence_interval("accuracy", data, PREDS["b"]),
    ):
        with pytest.raises(oe.LabelError, match="together with Predictions"):
            ask()
    with pytest.raises(oe.LabelError, match="together with Predictions"):
        oe.paired_delta("accuracy", data, PREDS["b"], PREDS["a"])


def test_measures_come_second_or_by_name() -> None:
    data = oe.Predictions(Y, PREDS["a"], labels=LEVELS)
    assert list(oe.score(data, "accuracy")) == list(oe.score(data, metrics="accuracy"))
    assert oe.compare(data, "accuracy").metrics == oe.compare(data, metrics=["accuracy"]).metrics


@pytest.mark.parametrize(
    ("given", "said"),
    [({"outputs": "odds"}, "outputs must be"), ({"missing": "keep"}, "missing must be"),
     ({"by": {}}, "by names no subgroups")],
    ids=str,
)  # fmt: skip
def test_options_are_checked_at_once(given: dict[str, Any], said: str) -> None:
    with pytest.raises((oe.ParameterError, oe.LabelError), match=said):
        oe.Predictions(Y, PREDS, labels=LEVELS, **given)


def test_no_model_and_models_of_one_name() -> None:
    with pytest.raises(oe.LabelError, match="the mapping of models is empty"):
        oe.Predictions(Y, {})
    with pytest.raises(oe.LabelError, match="must differ as text"):
        oe.Predictions([1, 2], {1: [1, 2], "1": [1, 2]})
