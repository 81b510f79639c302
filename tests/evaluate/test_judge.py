"""judge: every way to give answers, what is refused, and what stands in the result."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval import Ratings
from ordeval.inference.raters.judges import prmse
from ordeval.results.judgement_tables import detail_tables

N = 60
RNG = np.random.default_rng(0)
TRUE = RNG.integers(1, 6, N)
HUMANS = np.clip(TRUE[:, None] + RNG.integers(-1, 2, (N, 3)), 1, 5)
ANSWERS = np.clip(TRUE + RNG.integers(-1, 2, N), 1, 5)


def judged(judges: Any = None, humans: Any = HUMANS, **options: Any) -> Any:
    if not isinstance(humans, Ratings):
        options.setdefault("labels", range(1, 6))
    judges = {"llm": ANSWERS, "oracle": TRUE} if judges is None else judges
    return oe.judge(humans, judges, **options)


def test_the_best_judge_stands_first_and_the_gap_is_the_difference() -> None:
    found = judged()
    assert found.judges == ("oracle", "llm")
    for name in found.judges:
        gap = found.agreement[name].estimate - found.ceiling.estimate
        assert found.gap[name].estimate == pytest.approx(gap)
    lower = judged(metric="mean_absolute_error")
    assert lower.judges == ("oracle", "llm")


RUNS = np.stack([ANSWERS, TRUE], axis=1)
WAYS: dict[str, Any] = {
    "array": RUNS, "rows": RUNS.tolist(), "pandas": pd.DataFrame(RUNS, columns=["a", "b"]),
    "polars": pl.DataFrame(RUNS, schema=["a", "b"]), "pyarrow": pa.table({"a": ANSWERS, "b": TRUE}),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_runs_of_a_judge_through_every_way_in(way: str) -> None:
    found = judged({"llm": WAYS[way]})
    one = oe.weighted_kappa(ANSWERS, TRUE, labels=range(1, 6))
    assert found.self_consistency["llm"].estimate == pytest.approx(one)


def test_missing_answers_are_counted() -> None:
    masked = np.ma.MaskedArray(ANSWERS, mask=np.arange(N) < 6)
    listed = [None if i < 6 else int(x) for i, x in enumerate(ANSWERS)]
    for given in (masked, listed):
        found = judged({"llm": given})
        assert found.unread["llm"].estimate == pytest.approx(0.1)
    silent = judged({"llm": [None] * N, "oracle": TRUE})
    assert silent.judges == ("oracle", "llm")
    assert math.isnan(silent.agreement["llm"].estimate)
    assert silent.verdict("llm") == ""
    assert silent.to_text(100)


def test_one_human_makes_no_ceiling() -> None:
    found = judged(humans=HUMANS[:, :1])
    assert math.isnan(found.ceiling.estimate)
    assert found.agreement["llm"].low < found.agreement["llm"].high
    assert "No verdict: there is one human" in found.conclusion()
    assert found.humans_by_grade[3].estimate != found.humans_by_grade[3].estimate
    assert not any("steps above" in t.caption for t in found.tables())
    assert any(n.startswith("Bias by grade is not shown: with one") for n in found.table().notes)
    assert found.panel_correlation is None
    assert "with one human per item" in found.conclusion()
    assert found.to_text(100)
    assert pickle.loads(pickle.dumps(found)).to_json() == found.to_json()


def test_labels_of_one_level_have_no_agreement() -> None:
    found = judged({"llm": [3] * N}, humans=[[3, 3]] * N)
    assert math.isnan(found.gap["llm"].estimate)
    assert found.to_text(100)


def test_distances_are_in_steps_whatever_the_levels_are_called() -> None:
    """10, 20, ... or words: the same test, and the same distances."""
    one = judged()
    tens = judged({"llm": ANSWERS * 10, "oracle": TRUE * 10}, humans=HUMANS * 10,
                  labels=range(10, 60, 10))  # fmt: skip
    assert tens.alt_test["llm"] == one.alt_test["llm"]
    assert [w.distance for w in tens.worst["llm"]] == [w.distance for w in one.worst["llm"]]


def test_the_worst_items_show_the_median_of_the_runs() -> None:
    runs = np.stack([TRUE, ANSWERS * 0 + 5, ANSWERS * 0 + 5], axis=1)
    worst = judged({"llm": runs}).worst["llm"][0]
    assert worst.judge == 5
    assert worst.distance == pytest.approx(5 - np.mean(worst.humans))


def test_answers_of_other_items_are_refused() -> None:
    frame = pd.DataFrame(HUMANS, index=[f"item {i}" for i in range(N)])
    right = pd.Series(ANSWERS, index=frame.index)
    assert judged({"llm": right}, humans=frame).agreement["llm"].estimate > 0.5
    with pytest.raises(oe.LabelError, match="the index of llm has the items in another order"):
        judged({"llm": right[::-1]}, humans=frame)
    with pytest.raises(oe.LabelError, match="the index of llm names other items"):
        judged({"llm": pd.Series(ANSWERS, index=[f"x{i}" for i in range(N)])}, humans=frame)
    counted = pd.Series(ANSWERS)
    assert judged({"llm": counted}, humans=frame).items == N


def long_with_runs() -> Ratings:
    rows = [(i, f"h{h}", int(HUMANS[i, h])) for i in range(N) for h in (0, 1, 2, 2)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "rating"], orient="row")
    return Ratings.from_long(frame, labels=range(1, 6), duplicates="runs")


REFUSED: dict[str, tuple[Any, str]] = {
    "no judges": (lambda: judged({}), "judges must map names to labels"),
    "a list": (lambda: judged([ANSWERS]), "judges must map names to labels"),
    "too few": (lambda: judged({"llm": [1]}), "llm must have an answer for each of the 60 items"),
    "text": (lambda: judged({"llm": "abc"}), "llm must be a sequence of labels"),
    "ragged runs": (lambda: judged({"llm": [[1, 2], [1]]}), "the runs of llm: every item must"),
    "an unknown label": (lambda: judged({"llm": [9] * N}), "llm has 60 labels outside the scale"),
    "scoring": (lambda: judged(scoring="mae"), 'scoring must be "rmse" or "accuracy"'),
    "min_items": (lambda: judged(min_items=0), "min_items must be a whole number from 2"),
    "epsilon": (lambda: judged(epsilon=1), "epsilon must be a number from 0 to below 1"),
    "margin": (lambda: judged(margin=-1), "margin must be a number > 0"),
    "level": (lambda: judged(level=95), "level must lie between 0 and 1"),
    "a two-sided measure": (
        lambda: judged(metric="mean_signed_error"),
        "a measure with a direction",
    ),
    "clusters": (lambda: judged(clusters=[1, 2]), "a cluster for each of the 60 items"),
    "systems": (lambda: judged(systems=[1]), "a system for each of the 60 items"),
    "a missing system": (lambda: judged(systems=[None] * N), "must not hold missing values"),
    "other labels": (
        lambda: oe.judge(Ratings(HUMANS, range(1, 6)), {"a": ANSWERS}, labels=range(9)),
        "leave them out here",
    ),
    "systems that are no list": (lambda: judged(systems=3), "a system for each of the 60 items"),
    "subgroups": (lambda: judged(by=["a"]), "by must name a subgroup for each of the 60 items"),
    "a column": (lambda: judged(by="site"), "by must name a subgroup for each .* got 'site'"),
    "a missing subgroup": (lambda: judged(by=[None] * N), "by must not hold missing values"),
    "one subgroup": (lambda: judged(by=["a"] * N), "by must name at least two subgroups"),
    "lists": (lambda: judged(by=[[1]] * N), "by must hold hashable values"),
    "items without a subgroup": (lambda: judged(by={1: "a"}), "a subgroup for each item; 2 has"),
    "an unknown human": (lambda: judged(without="rater 9"), "Did you mean rater .* The humans are"),
    "nobody left": (
        lambda: judged(without=["rater 1", "rater 2"]),
        "must leave at least two humans.*leaves 1",
    ),
    "no names": (lambda: judged(without=3), "without must be names of humans; got 3"),
    "runs of humans": (lambda: judged(humans=long_with_runs()), "'h2' has 2 runs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_judged_is_said_in_one_message(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(oe.OrdevalError, match=message) as caught:
        call()
    assert "drop" not in str(caught.value)


def test_names_in_another_order_are_refused() -> None:
    frame = pd.DataFrame(HUMANS, index=[f"item {i}" for i in range(N)])
    given = pd.Series(np.arange(N) % 4, index=frame.index)
    for option in ("clusters", "systems", "by"):
        options: dict[str, Any] = {option: given[::-1]}
        message = f"the index of {option} has the items in another order"
        with pytest.raises(oe.LabelError, match=message):
            judged({"llm": ANSWERS}, humans=frame, **options)
        options = {option: given}
        assert judged({"llm": ANSWERS}, humans=frame, **options).items == N


def test_many_subgroups_are_refused() -> None:
    truth = np.arange(300) % 5 + 1
    with pytest.raises(oe.LabelError, match="by must name at most 200 subgroups; got 300"):
        oe.judge([[x, x] for x in truth], {"a": truth}, labels=range(1, 6), by=range(300))


def test_humans_are_left_out_on_request() -> None:
    found = judged(without="rater 3")
    fewer = judged(humans=HUMANS[:, :2])
    assert found.left_out == ("rater 3",)
    assert found.ceiling == fewer.ceiling
    assert found.gap == fewer.gap
    assert "Left out on request: rater 3." in found.table().notes
    assert json.loads(found.to_json())["left_out"] == ["rater 3"]
    told = judged().without_each["rater 3"]
    assert vars(told.ceiling) == pytest.approx(vars(found.ceiling))
    for name in found.judges:
        assert vars(told.gap[name]) == pytest.approx(vars(found.gap[name]))
        assert judged().verdict(name, without="rater 3") == found.verdict(name)
    assert found.without_each == {}  # of two humans, one alone has no ceiling
    assert judged(without=[]).left_out == ()


def test_prmse_stands_beside_what_it_is_divided_by() -> None:
    found = judged()
    row = next(r for r in found.rows() if r["judge"] == "llm")
    own = prmse(ANSWERS.astype(float), HUMANS.astype(float))
    assert (row["prmse"], row["true_variance"]) == pytest.approx(own[:2])
    shown = next(t for t in detail_tables(found) if "PRMSE" in t.caption)
    assert shown.head == ("judge", "PRMSE", "true variance", "error variance", "items")
    few = np.where(np.arange(N)[:, None] < 29, HUMANS, [[1, np.nan, np.nan]])
    assert judged(humans=few).prmse == {}  # 29 items were rated by more than one
    assert judged(humans=few).rows()[0]["prmse"] is None
    assert not any("PRMSE" in t.caption for t in detail_tables(judged(humans=few)))


def test_subgroups_are_those_of_the_items_that_a_judge_answered() -> None:
    by = ["a", "b"] * (N // 2)
    gaps = [None if i % 3 == 0 else int(x) for i, x in enumerate(ANSWERS)]
    found = judged({"llm": gaps}, by=by)
    for s in found.subgroups["llm"]:
        rows = [i for i in range(N) if by[i] == s.subgroup and gaps[i] is not None]
        own = judged({"llm": [gaps[i] for i in rows]}, humans=HUMANS[rows])
        assert s.items == len(rows)
        assert s.gap.estimate == pytest.approx(own.gap["llm"].estimate)
        assert s.ceiling.estimate == pytest.approx(own.ceiling.estimate)
    assert found.by == "subgroup"
    import polars as pl

    assert judged({"llm": gaps}, by=pl.Series("topic", by)).by == "topic"
    assert judged({"llm": gaps}, by=pl.Series(by)).by == "subgroup"
    a, b = found.subgroups["llm"]
    assert a.from_rest.estimate == pytest.approx(a.gap.estimate - b.gap.estimate)
    stored = json.loads(found.to_json())["subgroups"]["llm"]
    assert [s["subgroup"] for s in stored] == ["a", "b"]
    items = range(1, N + 1)  # in any order, if they are named
    by_name = dict(reversed(list(zip(items, by, strict=True))))
    assert judged({"llm": gaps}, by=by_name).subgroups == found.subgroups
    silent = judged(
        {"llm": [x if b == "a" else None for x, b in zip(gaps, by, strict=True)]}, by=by
    )
    assert silent.subgroups["llm"][1].items == 0
    assert silent.to_text(100)


def test_a_judge_of_one_answer_has_no_verdict() -> None:
    found = judged({"llm": [3, *[None] * (N - 1)], "oracle": TRUE}, margin=0.1)
    assert found.verdict("llm") == ""
    assert "Too few answers for a verdict: llm." in found.conclusion()


def test_items_of_a_system_that_are_rated_alike_are_drawn_together() -> None:
    """2,000 draws of 200,000 items one by one would take minutes, and 3 GB."""
    truth = np.random.default_rng(0).integers(1, 6, 200_000)
    humans = Ratings(np.stack([truth, truth], axis=1), range(1, 6))
    found = oe.judge(humans, {"a": truth}, "accuracy", systems=np.arange(200_000) % 4)
    assert found.systems["a"].estimate == 1.0
    assert found.systems["a"].items == 200_000


def test_a_judge_that_leaves_out_hard_items_gains_nothing_by_it() -> None:
    """The gap is to the agreement of the humans on the items that the judge answered."""
    rng = np.random.default_rng(8)
    quality = rng.integers(1, 6, 300)
    hard = rng.random(300) < 0.4
    noise = np.where(hard[:, None], rng.integers(-2, 3, (300, 3)), 0)
    humans = np.clip(quality[:, None] + noise, 1, 5)
    answers = np.clip(quality + rng.integers(-1, 2, 300), 1, 5).tolist()
    easy = [None if h else a for a, h in zip(answers, hard, strict=True)]
    found = oe.judge(humans, {"j": easy}, labels=range(1, 6))
    matched = oe.judge(humans[~hard], {"j": [a for a in easy if a is not None]}, labels=range(1, 6))
    assert found.gap["j"].estimate == pytest.approx(matched.gap["j"].estimate)
    assert found.ceiling.estimate < matched.ceiling.estimate
    assert found.gap["j"].estimate < 0 < found.agreement["j"].estimate - found.ceiling.estimate


def test_a_reference_with_few_answers_is_said() -> None:
    answers = {"a": [1, 2, 3] * 20, "b": [1, 3, 3] * 20, "few": [1, 2, 3, *[None] * 57]}
    found = oe.judge([[1, 2], [2, 2], [3, 3]] * 20, answers, labels=[1, 2, 3], reference="few")
    assert found.differences == ()
    assert "No judge is compared with few, which answered too few items." in found.conclusion()
