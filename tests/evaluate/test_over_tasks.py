"""Averages over tasks: one leaderboard from many tasks with the same models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.exceptions import LabelError, OrdevalError, ParameterError


def _tasks(
    rng: np.random.Generator, skill: dict[str, float], tasks: int = 5, n: int = 60
) -> tuple[Any, dict[str, Any], Any]:
    """Items of each task, and models that are right as often as they are skilled."""
    sizes = rng.integers(n // 2, n, tasks)
    task = np.repeat([f"task {t}" for t in range(tasks)], sizes)
    y = rng.integers(0, 5, len(task))
    models = {
        name: np.where(rng.random(len(y)) < q, y, rng.integers(0, 5, len(y)))
        for name, q in skill.items()
    }
    return y, models, task


def _data(y: Any, models: dict[str, Any], task: Any) -> oe.Predictions:
    return oe.Predictions(y, models, labels=range(5), by={"task": task})


SKILL = {"a": 0.7, "b": 0.6, "c": 0.55}


@pytest.mark.parametrize("metric", ["cem_ord", "weighted_kappa", "mean_absolute_error", "oc_index"])
def test_an_average_is_the_mean_of_separate_runs(metric: str) -> None:
    data = _data(*_tasks(np.random.default_rng(0), SKILL))
    separate = oe.compare(data, [metric])
    found = oe.compare(data, [metric], over="task")
    scores = oe.score(data, [metric], over="task")
    for model in SKILL:
        expected = np.mean([c.estimates[metric][model].estimate for c in separate.values()])
        assert found.estimates[metric][model].estimate == pytest.approx(expected, abs=1e-9)
        assert scores[model][metric] == pytest.approx(expected, abs=1e-9)
        for task, c in separate.items():
            value = c.estimates[metric][model].estimate
            assert found.tasks[task][model] == pytest.approx(value, abs=1e-9)


def test_weights_of_tasks_are_those_that_were_given() -> None:
    data = _data(*_tasks(np.random.default_rng(1), SKILL, tasks=2))
    separate = oe.compare(data, ["cem_ord"])
    found = oe.compare(data, ["cem_ord"], over={"task": {"task 0": 3, "task 1": 1}})
    values = [separate[f"task {t}"].estimates["cem_ord"]["a"].estimate for t in (0, 1)]
    expected = 0.75 * values[0] + 0.25 * values[1]
    assert found.estimates["cem_ord"]["a"].estimate == pytest.approx(expected)
    assert "weighted" in found.population


def test_standard_errors_are_those_of_a_bootstrap_within_tasks() -> None:
    rng = np.random.default_rng(2)
    y, models, task = _tasks(rng, SKILL, tasks=4, n=200)
    found = oe.compare(_data(y, models, task), ["cem_ord"], over="task")
    drawn = []
    places = [np.flatnonzero(task == t) for t in np.unique(task)]
    for _ in range(400):
        values = {}
        rows = [rng.choice(p, len(p)) for p in places]
        for name, pred in models.items():
            values[name] = np.mean([oe.cem_ord(y[r], pred[r], labels=range(5)) for r in rows])
        drawn.append([values["a"], values["b"], values["a"] - values["b"]])
    errors = np.std(drawn, axis=0)
    for i, model in enumerate("ab"):
        x = found.estimates["cem_ord"][model]
        assert (x.high - x.low) / 3.92 == pytest.approx(errors[i], rel=0.12)
    d = next(d for d in found.deltas() if {d.a, d.b} == {"a", "b"})
    assert (d.high - d.low) / 3.92 == pytest.approx(errors[2], rel=0.12)


@pytest.mark.parametrize(("metric", "right"), [("accuracy", 0.95), ("mean_absolute_error", 0.7)])
def test_an_average_of_many_equal_tasks_has_the_interval_of_all_items(
    metric: str, right: float
) -> None:
    """A pseudo-item in each of 30 tasks moved the interval by more than a standard error."""
    rng = np.random.default_rng(12)
    y = rng.integers(0, 5, 900)
    given = np.where(rng.random(900) < right, y, rng.integers(0, 5, 900))
    task = np.repeat([f"task {t}" for t in range(30)], 30)
    found = oe.score(_data(y, {"a": given}, task), [metric], over="task").intervals[metric]
    whole = oe.confidence_interval(metric, y, given, labels=range(5))
    assert found.estimate == pytest.approx(whole.estimate)
    width = whole.high - whole.low
    assert abs(found.low - whole.low) < 0.06 * width
    assert abs(found.high - whole.high) < 0.06 * width


def test_the_extreme_of_the_classes_has_no_interval_over_tasks() -> None:
    """The lowest sensitivity of a small task is too low, and so is the mean of many."""
    data = _data(*_tasks(np.random.default_rng(13), SKILL))
    score = oe.score(data["a"], ["min_sensitivity", "accuracy"], over="task")
    interval = score.intervals["min_sensitivity"]
    assert np.isnan(interval.low)
    assert "no interval over several tasks" in interval.refused
    assert any("no interval over several tasks" in a.message for a in score.advice)
    assert not np.isnan(score.intervals["accuracy"].low)
    compared = oe.compare(data, ["min_sensitivity"], over="task")
    assert np.isnan(compared.estimates["min_sensitivity"]["a"].low)
    assert any(a.code == "OE308" for a in compared.advice)


def test_exact_tests_of_single_tasks_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """They took most of the time, and the t test of the average decides."""
    from ordeval.inference.disagreements import Disagreements

    data = _data(*_tasks(np.random.default_rng(14), {f"m{i}": 0.5 for i in range(6)}))
    monkeypatch.delattr(Disagreements, "p_values")
    assert len(oe.compare(data, ["cem_ord"], over="task").deltas()) == 15


def test_tasks_may_have_scales_of_their_own() -> None:
    rng = np.random.default_rng(3)
    parts = {}
    for name, k in (("short", 3), ("long", 7)):
        y = rng.integers(0, k, 80)
        models = {
            m: np.where(rng.random(80) < q, y, rng.integers(0, k, 80)) for m, q in SKILL.items()
        }
        parts[name] = oe.Predictions(y, models, labels=range(k))
    found = oe.compare(parts, ["weighted_kappa"], over="benchmark")
    scores = oe.score(parts, ["weighted_kappa"], over="benchmark")
    alone = {n: oe.score(d, ["weighted_kappa"], level=None) for n, d in parts.items()}
    for model in SKILL:
        expected = np.mean([alone[n][model]["weighted_kappa"] for n in parts])
        assert found.estimates["weighted_kappa"][model].estimate == pytest.approx(expected)
        assert scores[model]["weighted_kappa"] == pytest.approx(expected)
    assert "2 benchmarks" in found.population


def test_a_model_that_lacks_a_task_is_left_out_and_named() -> None:
    y, models, task = _tasks(np.random.default_rng(4), SKILL)
    gappy: list[Any] = models["c"].tolist()
    gappy = [None if t == "task 2" else p for p, t in zip(gappy, task, strict=True)]
    found = oe.compare(_data(y, {**models, "c": gappy}, task), ["cem_ord"], over="task")
    assert set(found.models) == {"a", "b"}
    assert "c has no predictions for task 2" in found.population
    parts = {
        "one": oe.Predictions(y, models, labels=range(5)),
        "two": oe.Predictions(y, {m: models[m] for m in "ab"}, labels=range(5)),
    }
    found = oe.compare(parts, ["cem_ord"], over="task")
    assert set(found.models) == {"a", "b"}
    assert "c has no predictions for two" in found.population


def test_clusters_stay_within_their_task() -> None:
    """Patient 1 of one task is not patient 1 of another."""
    y, models, task = _tasks(np.random.default_rng(5), SKILL, tasks=3, n=90)
    number = np.concatenate([np.arange((task == t).sum()) // 6 for t in np.unique(task)])
    names = np.char.add(task, number.astype(str))
    both = [
        oe.compare(
            oe.Predictions(y, models, labels=range(5), by={"task": task}, clusters=clusters),
            ["cem_ord"],
            over="task",
        )
        for clusters in (number, names)
    ]
    ends = [(c.deltas()[0].low, c.deltas()[0].high) for c in both]
    assert ends[0] == pytest.approx(ends[1])


def test_it_agrees_with_the_comparison_of_one_task() -> None:
    y, models, task = _tasks(np.random.default_rng(6), SKILL, tasks=1)
    found = oe.compare(_data(y, models, task), ["cem_ord"], over="task")
    alone = oe.compare(y, models, ["cem_ord"], labels=range(5))
    assert found.models == alone.models
    for d, e in zip(found.deltas(), alone.deltas(), strict=True):
        assert (d.delta, d.low, d.high) == pytest.approx((e.delta, e.low, e.high))
    assert found.rank_sets == alone.rank_sets


def test_probabilities_and_prevalence_go_along() -> None:
    rng = np.random.default_rng(7)
    y, models, task = _tasks(rng, SKILL)
    prob = {m: 0.5 * np.eye(5)[p] + 0.1 for m, p in models.items()}
    data = _data(y, prob, task)
    found = oe.compare(data, ["ranked_probability_score"], over="task")
    parts = oe.compare(data, ["ranked_probability_score"])
    expected = np.mean(
        [c.estimates["ranked_probability_score"]["a"].estimate for c in parts.values()]
    )
    estimate = found.estimates["ranked_probability_score"]["a"].estimate
    assert estimate == pytest.approx(expected)
    target = [0.4, 0.3, 0.1, 0.1, 0.1]
    there = oe.compare(_data(y, models, task), ["accuracy"], over="task", prevalence=target)
    separate = oe.compare(_data(y, models, task), ["accuracy"], prevalence=target)
    expected = np.mean([c.estimates["accuracy"]["a"].estimate for c in separate.values()])
    assert there.estimates["accuracy"]["a"].estimate == pytest.approx(expected)


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ("tsk", "only one"),
        (3, "name of the column"),
        (
            {"task": {"task 0": 1}},
            "each task a weight: task 1, task 2, task 3 and task 4 have none",
        ),
        ({"task": {f"task {t}": 1 for t in range(6)}}, "given to task 5, but the tasks are task 0"),
        ({"task": {f"task {t}": -1 for t in range(5)}}, "not negative"),
        ({"task": {f"task {t}": "x" for t in range(5)}}, "numbers"),
    ],
)
def test_wrong_tasks_are_one_clear_error(over: Any, says: str) -> None:
    data = _data(*_tasks(np.random.default_rng(8), SKILL))
    with pytest.raises(OrdevalError, match=says):
        oe.compare(data, over=over)
    with pytest.raises(OrdevalError, match=says):
        oe.score(data, over=over)


def test_without_tasks_and_without_a_model_on_all_of_them() -> None:
    y, models, task = _tasks(np.random.default_rng(9), SKILL)
    with pytest.raises(ParameterError, match="task"):
        oe.compare(y, models, labels=range(5), over="task")
    parts = {
        "one": oe.Predictions(y, {"a": models["a"]}, labels=range(5)),
        "two": oe.Predictions(y, {"b": models["b"]}, labels=range(5)),
    }
    with pytest.raises(LabelError, match="no model has predictions for all"):
        oe.compare(parts, over="task")
    with pytest.raises(ParameterError, match="cannot be combined with method"):
        oe.compare(_data(y, models, task), over="task", method="bca")


@pytest.mark.parametrize("models", [5, 25])
def test_equal_models_are_seldom_told_apart(models: int) -> None:
    """All pairs of equal models: a false claim in at most 5% of data sets."""
    rng = np.random.default_rng(10)
    skill = {f"m{i}": 0.6 for i in range(models)}
    false = covered = 0
    for _ in range(120):
        found = oe.compare(_data(*_tasks(rng, skill, tasks=6, n=40)), ["cem_ord"], over="task")
        sets = found.rank_sets["cem_ord"]
        false += any(low > 1 or high < models for low, high in sets.values())
        covered += "m0" in found.may_be_best  # which is as good as the best
    assert false / 120 <= 0.1
    assert covered / 120 >= 0.9


def test_the_smallest_difference_is_that_which_the_test_finds() -> None:
    """Differences above it are significant, those below are not, where all errors are alike."""
    rng = np.random.default_rng(11)
    skill = {f"m{i}": 0.5 + 0.02 * i for i in range(12)}
    found = oe.compare(_data(*_tasks(rng, skill, tasks=10, n=120)), ["accuracy"], over="task")
    least = found.smallest_difference
    for d in found.deltas():
        if abs(d.delta) > 1.2 * least:
            assert d.p_adjusted <= 0.05
        if abs(d.delta) < least / 1.6:
            assert d.p_adjusted > 0.05
