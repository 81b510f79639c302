"""The conclusion on judges, in each situation that it can be in."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval._shared.tables import Cell
from ordeval.results.judgement_tables import detail_tables

RNG = np.random.default_rng(11)
QUALITY = RNG.normal(3, 1.2, 200)


def graded(spread: float, shift: float = 0.0) -> list[int]:
    noise = RNG.normal(shift, spread, 200)
    return [int(x) for x in np.clip(np.rint(QUALITY + noise), 1, 5)]


HUMANS = oe.Ratings({name: graded(0.6) for name in "abc"}, labels=range(1, 6))
CLOSE, LIKE, POOR = graded(0.1), graded(0.6), graded(3.0)


def said(judges: dict[str, Any], ratings: Any = HUMANS, **options: Any) -> str:
    text: str = oe.judge(ratings, judges, **options).conclusion()
    assert "nan" not in text
    return text


def test_the_ceiling_and_the_best_judge() -> None:
    text = said({"close": CLOSE, "poor": POOR})
    assert "Humans agree with each other by quadratic weighted kappa 0." in text
    assert "(mean over 3 pairs of humans). close has the highest agreement with humans: 0." in text
    one = said({"m": CLOSE}, HUMANS.of(["a", "b"]))
    assert "(one pair of humans). m agrees with humans by 0." in one


def test_without_a_margin_judges_stand_beside_the_ceiling() -> None:
    text = said({"close": CLOSE, "like": LIKE, "poor": POOR, "worse": POOR[::-1]})
    assert text.startswith("close (+0.")
    assert "agrees with humans significantly more than humans agree with each other" in text
    assert "does not differ significantly from a human" in text
    assert "agree with humans significantly less than humans agree with each other." in text
    assert "one-sided" not in text


def test_with_a_margin_they_are_non_inferior_inferior_or_neither() -> None:
    text = said({"close": CLOSE, "poor": POOR}, margin=0.05)
    assert "With a margin of 0.05, close (+0." in text
    assert ", one-sided p < 0.0001) is non-inferior to a human; poor (-0." in text
    assert "]) is inferior to a human." in text  # no p-value says what the interval says
    few = said({"like": LIKE[:20]}, oe.Ratings(HUMANS.codes[:20] + 1, range(1, 6)), margin=0.01)
    assert "is not shown to be non-inferior to a human." in few
    assert "one-sided p = 0." in few


def test_the_alt_test() -> None:
    assert "close passes the alt-test (epsilon 0.2), beating at least half" in said(
        {"close": CLOSE, "poor": POOR}
    )
    assert "close and like pass the alt-test (epsilon 0.2), beating at least half" in said(
        {"close": CLOSE, "like": LIKE}
    )
    assert "No judge passes the alt-test (epsilon 0.2)." in said(
        {"poor": POOR, "worse": POOR[::-1]}
    )
    assert "poor does not pass the alt-test" in said({"poor": POOR})
    assert "There is no alt-test: no human has enough items" in said({"like": LIKE}, min_items=500)


def test_the_alt_test_and_the_agreement_disagree() -> None:
    """Most items are graded 5: who always says 5 is near to all of them, and tells nothing."""
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(400) < 0.85, 5, rng.integers(1, 3, 400))
    humans = {n: np.where(rng.random(400) < 0.9, truth, np.maximum(truth - 1, 1)) for n in "abc"}
    judges = {"constant": np.where(np.arange(400) % 50, 5, 4), "telling": np.maximum(truth - 1, 1)}
    found = oe.judge(oe.Ratings(humans, labels=range(1, 6)), judges, epsilon=0.2)
    text = found.conclusion()
    assert found.alt_test["constant"].advantage > found.alt_test["telling"].advantage
    assert found.judges[0] == "telling"
    assert "Alt-test and agreement disagree." in text
    assert "constant passes the alt-test but agrees with humans less than they do" in text
    assert "constant has the highest advantage probability (0." in text
    assert "being close to most ratings does not mean separating good items from bad ones." in text


def test_a_human_who_is_apart_is_named() -> None:
    table = {"a": LIKE, "b": graded(0.5), "c": graded(0.5), "odd": POOR[::-1]}
    found = oe.judge(oe.Ratings(table, labels=range(1, 6)), {"close": CLOSE})
    text = found.conclusion()
    assert found.odd_humans == ("odd",)
    assert "odd agrees far less with the other humans (0." in text.split("\n\n")[0]
    without = oe.judge(oe.Ratings(table, labels=range(1, 6)), {"close": CLOSE}, without="odd")
    ceiling = without.ceiling
    assert found.without_odd is not None
    assert found.without_odd.ceiling.estimate == pytest.approx(ceiling.estimate)
    assert f"than those do with each other ({ceiling.estimate:.2f})" in text
    assert "without a" not in text  # the others hardly move it


def test_verdicts_that_rest_on_one_human_are_told() -> None:
    """An odd human is as far from the judge as from the others, and hides the judge's faults."""
    table = {"a": graded(0.3), "b": graded(0.3), "c": graded(0.3), "odd": POOR[::-1]}
    found = oe.judge(oe.Ratings(table, labels=range(1, 6)), {"like": graded(0.5)})
    assert found.verdict("like") == "above"
    assert found.verdict("like", without="odd") == "below"
    text = found.conclusion()
    first = text.split("\n\n")[0]
    assert "without odd, like would agree with humans significantly less than humans" in first
    assert "Leaving out one human would change verdicts" not in text
    assert found.verdict_without_odd("like") == "below"
    assert found.rows()[0]["verdict_without_odd"] == "below"
    assert found.table().rows[0][3] == Cell("above", "(below without odd)")
    by_margin = said({"like": graded(1.2)}, oe.Ratings(table, labels=range(1, 6)), margin=0.15)
    assert "without odd, like would be inferior to a human" in by_margin
    assert "Leaving out" not in said({"close": CLOSE, "poor": POOR})


def test_subgroups_in_which_a_judge_is_worse_are_named() -> None:
    half = ["en"] * 100 + ["fi"] * 100
    broken = [*CLOSE[:100], *POOR[100:]]
    text = said({"m": broken}, by=half)
    assert "Compared with the rest of the items, m is better in en (gap +0." in text
    assert "m is worse in fi (gap -0." in text
    less = said({"m": broken}, by=half, metric="mean_absolute_error")
    assert "m is worse in fi (gap +" in less
    alike = said({"m": LIKE}, by=["a", "b", "c", "d"] * 50)
    assert "No judge's gap differs significantly between a subgroup and the rest" in alike


def test_no_ceiling() -> None:
    text = said({"close": CLOSE}, HUMANS.of(["a"]))
    assert text.startswith("No verdict: there is one human, so it is unknown how far humans agree")
    assert "close agrees with humans by 0." in text
    constant = said({"m": [3] * 200}, oe.Ratings({"a": [3] * 200, "b": [3] * 200}, range(1, 6)))
    assert "quadratic weighted kappa with the humans is undefined for every judge." in constant


def test_judges_that_err_alike_are_few() -> None:
    found = oe.judge(HUMANS, {"x": POOR, "y": POOR})
    assert found.panel_size == pytest.approx(1.0)
    assert "The errors of the 2 judges correlate by 1.00 [1.00, 1.00]" in found.conclusion()
    assert "together they count as 1.0 independent judges." in found.conclusion()


def test_a_measure_of_which_less_is_better() -> None:
    text = said({"close": CLOSE, "poor": POOR}, metric="mean_absolute_error", margin=0.2)
    assert "close (-0." in text
    assert "is non-inferior to a human; poor (+" in text


def test_many_judges_are_named_without_numbers() -> None:
    text = said({f"j{i}": POOR for i in range(9)})
    assert "j0, j1, j2, j3, j4 and 4 others agree with humans" in text


def test_the_verdict_is_that_of_the_interval() -> None:
    found = oe.judge(HUMANS, {"close": CLOSE, "like": LIKE, "poor": POOR})
    assert {j: found.verdict(j) for j in found.judges} == {
        "close": "above", "like": "not significant", "poor": "below",
    }  # fmt: skip
    alone = oe.judge(HUMANS.of(["a"]), {"m": CLOSE})
    assert alone.verdict("m") == ""
    assert math.isnan(alone.gap["m"].estimate)


def test_what_was_lost_is_said_below_the_table() -> None:
    answers = [None, None, *CLOSE[2:]]
    other = oe.Ratings({"m": [1, 2]}, labels=range(1, 6), items=["x", 1])
    found = oe.judge(HUMANS, {"m": answers})
    assert "m: 2 of 200 items without a label (1.0% [0.1%, 3.6%])." in found.table().notes
    notes = oe.judge(HUMANS, other).table().notes
    assert "1 item that judges answered and no human rated was left out." in notes
    runs = oe.judge(HUMANS, {"m": [[a, b] for a, b in zip(answers, CLOSE, strict=True)]})
    assert any(n.startswith("m: 2 of 400 answers without a label") for n in runs.table().notes)


def test_judges_are_compared_with_each_other() -> None:
    judges = {"close": CLOSE, "like": LIKE, "poor": POOR}
    found = oe.judge(HUMANS, judges)
    text = found.conclusion()
    assert "close agrees with humans significantly more than like and poor (paired tests, " in text
    assert "corrected for 3 pairs)." in text
    assert [(d.a, d.b) for d in found.differences] == [
        ("close", "like"), ("close", "poor"), ("like", "poor"),
    ]  # fmt: skip
    (shown,) = (t for t in detail_tables(found) if "judges compared" in t.caption)
    assert [row[-1].text for row in shown.rows] == ["close", "close", "like"]
    assert "corrected for 3 pairs (Holm)" in shown.notes[0]
    stored = json.loads(found.to_json())["differences"]
    assert [row["p_adjusted"] for row in stored] == [d.p_adjusted for d in found.differences]
    beside = said(judges, reference="like")
    assert "like agrees with humans significantly more than poor; like agrees with humans" in beside
    assert "significantly less than close (paired tests, corrected for 2 pairs)." in beside
    twins = said({"close": CLOSE, "twin": CLOSE})
    assert "close and twin do not differ significantly" in twins
    with pytest.raises(oe.ParameterError, match="reference must be 'close', 'like' or 'poor'"):
        oe.judge(HUMANS, judges, reference="lik")
    few = oe.judge(HUMANS, judges | {"silent": [*CLOSE[:50], *[None] * 150]})
    assert few.not_compared == ("silent",)
    assert "Too few answers: silent." in str(few.details("pairs"))


def lines_of(found: Any, *details: Any) -> list[str]:
    return list(found.details(*details).to_text(80).splitlines())


def test_the_terminal_shows_the_answer_first() -> None:
    found = oe.judge(HUMANS, {"close": CLOSE, "like": LIKE, "poor": POOR})
    lines = lines_of(found)
    assert lines[0].startswith("close agrees with humans significantly more than humans agree")
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    table = " ".join(lines)
    assert "(humans)" in table
    assert "quadratic weighted kappa, -1 to 1, higher is better" in table
    assert "share of humans beaten" not in table
    assert any("share of humans beaten" in x for x in lines_of(found, "all"))
    assert any("agreement with humans: judges compared" in x
               for x in lines_of(found, "pairs"))  # fmt: skip
    assert "The errors of the 3 judges correlate by" in " ".join(lines_of(found, "verbose"))
    assert "pairs" not in lines_of(found, "pairs", "all", "verbose")[-1]


def test_the_terminal_warns_of_odd_humans_other_tests_and_lost_answers() -> None:
    table = {"a": graded(0.3), "b": graded(0.3), "c": graded(0.3), "odd": POOR[::-1]}
    odd = lines_of(oe.judge(oe.Ratings(table, labels=range(1, 6)), {"like": graded(0.5)}))
    assert any(x.startswith("  ! odd agrees far less with the other humans") for x in odd)
    half = lines_of(oe.judge(HUMANS, {"m": [*CLOSE[:150], *[None] * 50]}))
    assert any(x.startswith("  ! Items without a label: m 25%.") for x in half)
    one = lines_of(oe.judge(HUMANS.of(["a"]), {"m": CLOSE}))
    assert one[0].startswith("No verdict: there is one human")
    by_margin = lines_of(oe.judge(HUMANS, {"close": CLOSE, "poor": POOR}, margin=0.05))
    assert by_margin[0].startswith("close is non-inferior to a human (margin 0.05): difference +0.")
    assert any(x.startswith("  poor is inferior to a human (margin 0.05)") for x in by_margin)
