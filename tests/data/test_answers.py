"""What judges write is read by the stated pattern, or counted as not read; nothing is guessed."""

import json
import math
import re
import string
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest
from tests.containers import NULLABLE_STRINGS
from tests.growth import is_linear

import ordeval as oe
from ordeval.data.text.level_notation import Reason

GRADES = list(range(1, 6))
WORDS = ["poor", "fair", "good", "very good"]
LETTERS = ["D", "C", "B", "A"]
OUTCOMES = {"read", "missing", "refused", "outside", "unreadable"}
FEW, REFUSED = "unreadable", "refused"

# What a judge wrote, and the label or the outcome, by pattern; labels are 1 to 5 unless said.
SCORE: list[tuple[Any, Any]] = [
    # the whole answer
    ("4", 4),
    (" 4\n", 4),
    ("4.", 4),
    ('"4"', 4),
    ("**4**", 4),
    ("__4__", 4),
    ("`4`", 4),
    ("[[4]]", 4),
    ("4.0", 4),
    ("4/5", 4),
    ("**4**/5", 4),
    ("3 out of 5", 3),
    ("5 / 5", 5),
    (4, 4),
    (4.0, 4),
    # after the word
    ("Score: 3", 3),
    ("score=3", 3),
    ("Score : 3", 3),
    ("SCORE: 3", 3),
    ("Final score: 3", 3),
    ("overall_score: 3", 3),
    ("**Score:** 3", 3),
    ("**Score**: **3**", 3),
    ("Rating: [[3]]", 3),
    ("Rating (1-5): 3", 3),
    ("Grade [1 to 5]: 3", 3),
    ("Final Answer: 3.", 3),
    ("The score is 4", 4),
    ("Score: 3/5", 3),
    ("Score: 3 out of 5", 3),
    ("Score: 3 points out of 5", 3),
    ("Rating (1 = poor, 5 = best): 3", 3),
    ("Score: 3 (out of 5)", 3),
    ("Score: 3 - mostly right", 3),
    ("Score: 3—mostly right", 3),
    ("Score: 3, because two facts are wrong", 3),
    ("Score: 3 (fair)", 3),
    ("Score: 3, two facts are wrong", 3),
    ("Score: 3: 2 facts are wrong", 3),
    ("Score: 3\nOne of the facts is wrong.", 3),
    ("<p>Score: 3</p><p>2 errors</p>", 3),
    ("Score: 3 stars", 3),
    ("Score: 3\n\n1. The style is good.\n2. So is the rest.", 3),
    ("The answer is wrong in 2 places.\n\nScore: 3", 3),
    ("## Score:\n\n3\n\nIt is fair.", 3),
    ('{"score": 3, "reason": "2 errors"}', 3),
    ('{"reason": "cut off", "score": "3", "det', 3),
    ("Score: 3 ... so the score: 3", 3),
    ("评分 Score：3", 3),
    # not to be read
    ("4 or 5", FEW),
    ("4-5", FEW),
    ("3 to 4", FEW),
    ("Score: 4 or 5", FEW),
    ("Score: 4 or five", FEW),
    ("Score: 4, maybe a five", FEW),
    ("Score: 4 or more", FEW),
    ("Score: 4 and above", FEW),
    ("Score: 4 or so", FEW),
    ("Score: 4 at least", FEW),
    ("Score: 4 ± 1", FEW),
    ("Score: 4±1", FEW),
    ("Score: 4 -> 3", FEW),
    ("Score: 4, later revised to 3", FEW),
    ("Score: 4 but it should be 3", FEW),
    ("Score: 4 in 10", FEW),
    ("Score: 4 over 10", FEW),
    ("Score: 4 : 10", FEW),
    ("Score: 4 \\10", FEW),
    ("Score: 4 pts/10", FEW),
    ("Score: 4 pts. / 10", FEW),
    ("Score: 4 pts/5", 4),
    ("Score: 4\n/10", FEW),
    ("Score: 4\nout of 10", FEW),
    ("Score: 4\n(out of 10)", FEW),
    ("Score: 4 out of ten", FEW),
    ("Score: 4 (out of ten)", FEW),
    ("Score: 4\u200b5", FEW),
    ("\ufeff4", 4),
    ("Score: **4** or **5**", FEW),
    ("Score: 4-5", FEW),
    ("Score: 3–4", FEW),
    ("Score: 3 - 4", FEW),
    ("Score: 4, maybe 5", FEW),
    ("Score: 4 (perhaps even 5)", FEW),
    ("Score: 4 and a half", FEW),
    ("Score: 4 1/2", FEW),
    ("Score: 4½", FEW),
    ("Score: 4+", FEW),
    ("Score: ~4", FEW),
    ("Score: <4", FEW),
    ("Score: 80%", FEW),
    ("Score: 4th", FEW),
    ("Score: 3,5", FEW),
    ("3,5", FEW),
    ("Score: 1.2.3", FEW),
    ("Score: 1..5", FEW),
    ("Score: 4/10", FEW),
    ("Score: 4⁄10", FEW),
    ("Score: 4 points out of 10", FEW),
    ("Score: 4 out of a possible 10", FEW),
    ("Score: 4 on a scale of 1-10", FEW),
    ("Score (1-10): 4", FEW),
    ("Score: 1 = poor, 5 = excellent", FEW),
    ("Score: 1 (worst) to 5 (best)", FEW),
    ("Score: 1, 2, 3, 4 or 5", FEW),
    ("Score: 3 + 1 = 4", FEW),
    ("Score: 2*2", FEW),
    ("Score: 3; no, 4", FEW),
    ("Score: 4 vs. 3", FEW),
    ("Score: 4?", FEW),
    ("Score: 4 %", FEW),
    ("Score: 4 percent", FEW),
    ("Score: 3 .5", FEW),
    ("Score: 3·5", FEW),
    ("Score: 3‑4", FEW),
    ("Score: 3～4", FEW),
    ("8/10", FEW),
    ("Score: 2 out of 3 facts are right", FEW),
    ("Score: 4/5/2024", FEW),
    ("Score:\n1. The style is good.\n2. So is the rest.", FEW),
    ("Score: 3 at first. Score: 4 in the end.", FEW),
    ("Clarity score: 3\nDepth score: 4", FEW),
    ("Question: 6 times 7? Answer: 42\nScore: 4", FEW),
    ("Score: between 3 and 4", FEW),
    ("Score: not 4", FEW),
    ("Underscore: 4", FEW),
    ("Score: 5 (I first thought of 3)", FEW),
    ("3.5", FEW),
    (3.5, FEW),
    ("Score: 3.7", FEW),
    ("04", FEW),
    ("1e0", FEW),
    ("٤", FEW),
    ("As an AI from 2024 I cannot rate this.", FEW),
    # off the scale
    ("7", "outside"),
    (7, "outside"),
    ("0", "outside"),
    ("-4", "outside"),
    ("−4", "outside"),
    ("Score: 5.5", "outside"),
    ("Score: 6/5", "outside"),
    (math.inf, "outside"),
    ("9" * 100, "outside"),
    ("9" * 5000, FEW),
    # no answer, and refusals
    (None, "missing"),
    (math.nan, "missing"),
    ("", "missing"),
    (" \n", "missing"),
    (pd.NA, "missing"),
    ("I'm sorry, I cannot assist with that.", REFUSED),
    ("N/A", REFUSED),
    ("I can’t rate this one.", REFUSED),
    ("As an AI, I do not grade poems.", REFUSED),
    ("I must decline.", REFUSED),
    ("This text cannot be rated.", REFUSED),
    ("I **cannot** fairly judge that.", REFUSED),
    ("Score: not applicable", REFUSED),
    # no refusal, though there is no digit
    ("four out of five", FEW),
    ("I cannot give it more than a one.", FEW),
    ("I cannot rate it higher than three.", FEW),
    ("I cannot fault it. Excellent!", FEW),
    ("The argument cannot be followed.", FEW),
    ("Score: IV", FEW),
    ("Score: ④", FEW),
    ("⭐⭐⭐⭐", FEW),
    ("Score: -", FEW),
    ("Sorry state of affairs, but well written: one star", FEW),
    ("Score: N/A", REFUSED),
    ("Score: four", FEW),
]

WHOLE: list[tuple[Any, Any]] = [
    ("4", 4),
    ("“4”", 4),
    ("(4)", 4),
    ("4/5", 4),
    ("Score: 4", FEW),
    ("4 because it is good", FEW),
    ("4\n\nIt is good.", FEW),
    ("4!", FEW),
    ("2*2", FEW),
    ("4 5", FEW),
]

FRACTION: list[tuple[Any, Any]] = [
    ("I would give this 4/5.", 4),
    ("I would give this **4/5**, it is good.", 4),
    ("4 out of 5 stars", 4),
    ("It gets 4 / 5; I stand by 4/5.", 4),
    ("On 4/5/2024 I gave it 3/5.", 3),
    ("Rating: 80% (4/5)", 4),
    ("4", FEW),
    ("4/10", FEW),
    ("8/10, that is 4/5", FEW),
    ("Clarity 4/5, depth 3/5", FEW),
    ("3 or 4/5", FEW),
    ("3-4/5", FEW),
    ("4/5 or 5/5", FEW),
    ("4/5%", FEW),
    ("3.5/5", FEW),
    ("6/5", "outside"),
    ("Excellent!", FEW),
]

LAST: list[tuple[Any, Any]] = [
    ("There are 2 errors, so I give it a 4.", 4),
    ("2 errors.\n4", 4),
    ("The boxed answer is \\boxed{4}", 4),
    ("I give it 4 out of 5.", 4),
    ("I give it (4)", 4),
    ("On a scale of 1-5 it is a **4**", 4),
    ("It is \\frac{4}{5}", FEW),
    ("It is 4 (1 = poor, 5 = best)", FEW),
    ("It is a 4 on a scale of 1-5", FEW),
    ("It is a 4 on a scale of 1 to 5", FEW),
    ("4 or 5", FEW),
    ("4, perhaps 5", FEW),
    ("There are 2 errors, so I give it a four.", FEW),
    ("There are 2 errors, so I give it a one.", FEW),
    ("It is a 2, one of the worst", 2),
    ("It is a 2, in the top 10%", FEW),
    ("I gave 2 for style. Final: 3,5", FEW),
    ("I gave 2 for style. Final: 3 and a half", FEW),
    ("It is a 2 by GPT-4", FEW),
    ("It is a 2, written at 10:30", FEW),
    ("4/10", FEW),
    ("It is a 2.5", FEW),
    ("It is a 9", "outside"),
    ("It is good.", FEW),
]

JSON: list[tuple[Any, Any]] = [
    ('{"score": 4, "reason": "good"}', 4),
    ('Here it is:\n```json\n{"reason": "{2}", "score": 4}\n```', 4),
    ('{"score": "4"}', 4),
    ('{"score": "4/5"}', 4),
    ('{"score": 4.0}', 4),
    ('{"result": {"score": 4}}', 4),
    ('[{"score": 4}]', 4),
    ('{"score": 4, "detail": {"score": 3}}', 4),
    ('{braces} and {"score": 4}', 4),
    ('{"score": 4} so {"score": 4}', 4),
    ({"score": 4, "reason": "read already"}, 4),
    ({"score": np.int64(4)}, 4),
    (4, 4),
    ('{"score": 3, "score": 4}', FEW),
    ('{"score": 3} or rather {"score": 4}', FEW),
    ('{"a": {"score": 3}, "b": {"score": 4}}', FEW),
    ("{'score': 4}", FEW),
    ('{"score": 4, "reason": "cut o', FEW),
    ('{"Score": 4}', FEW),
    ('{"score": [4]}', FEW),
    ('{"score": true, "n": 1}', FEW),
    ('{"score": 3.5}', FEW),
    ('{"score": "4 or 5"}', FEW),
    ("Score: 4", FEW),
    ('{"a":' * 100_000 + "4", FEW),
    ('{"score": 7}', "outside"),
    ('{"score": 1e999999999}', "outside"),
    ('{"score": null}', FEW),
    ('{"score": NaN}', FEW),
    ({"score": None}, FEW),
    ({"grade": "x"}, FEW),
]

OWN: list[tuple[Any, Any]] = [
    ("<score>4</score>", 4),
    ("<score> **4** </score>", 4),
    ("<score>4/5</score>", 4),
    ("<score></score>", FEW),
    ("<score>4</score> <score>3</score>", FEW),
    ("<score>about 4</score>", FEW),
    ("4", FEW),
    ("<score>6</score>", "outside"),
]

OF_WORDS: list[tuple[Any, Any]] = [
    ("good", "good"),
    ("Good.", "good"),
    ("VERY GOOD", "very good"),
    ("very\n good", "very good"),
    ("**Very good**", "very good"),
    ("Rating: very good", "very good"),
    ("Rating: Good, with small errors", "good"),
    ("Rating: good (mostly correct)", "good"),
    ("Rating: good (mostly)", FEW),
    ("Rating: good\nIt is not poor.", "good"),
    ('{"rating": "fair"}', "fair"),
    ("Rating: good or very good", FEW),
    ("Rating: fair to good", FEW),
    ("Rating: fair/good", FEW),
    ("Rating: not good", FEW),
    ("Rating: good? No, poor.", FEW),
    ("Rating: poor (worst) to very good (best)", FEW),
    ("Rating (1-10): good", "good"),
    ("Rating: good-ish", FEW),
    ("Rating: good enough", FEW),
    ("Rating: extremely good", FEW),
    ("It is good", FEW),
    ("goodness", FEW),
    ("Rating: excellent", FEW),
    ("4", FEW),
    (4, FEW),
    ("I cannot tell.", REFUSED),
]

OF_LETTERS: list[tuple[Any, Any]] = [
    ("B", "B"),
    ("b", "B"),
    ("Grade: B", "B"),
    ("Grade: B.", "B"),
    ("Grade: B+", FEW),
    ("Grade: B-", FEW),
    ("Answer: A good one would be longer", FEW),
    ("Grade: A/B", FEW),
]

TABLES: dict[str, tuple[Any, Any, list[tuple[Any, Any]]]] = {
    "score": ("score", GRADES, SCORE),
    "whole": ("whole", GRADES, WHOLE),
    "fraction": ("fraction", GRADES, FRACTION),
    "last": ("last", GRADES, LAST),
    "json": ("json:score", GRADES, JSON),
    "own": (r"<score>(.*?)</score>", GRADES, OWN),
    "compiled": (re.compile("<SCORE>(.*?)</SCORE>", re.IGNORECASE), GRADES, OWN),
    "words": ("score", WORDS, OF_WORDS),
    "letters": ("score", LETTERS, OF_LETTERS),
    "texts of numbers": ("score", list("12345"), [
        (answer, str(said) if isinstance(said, int) else said) for answer, said in SCORE
    ]),
}  # fmt: skip
CASES = [
    pytest.param(pattern, labels, answer, said, id=f"{name}: {str(answer)[:40]!r}")
    for name, (pattern, labels, table) in TABLES.items()
    for answer, said in table
]


@pytest.mark.parametrize(("pattern", "labels", "answer", "said"), CASES)
def test_an_answer_is_read_as_it_says(pattern: Any, labels: Any, answer: Any, said: Any) -> None:
    found = oe.read_answers([answer], labels, pattern=pattern)
    lost = said in OUTCOMES
    assert found.labels == [None if lost else said]
    assert found.outcomes == [said if lost else "read"]
    assert type(found.labels[0]) is (type(None) if lost else type(said))


def test_a_number_in_words_is_told() -> None:
    found = oe.read_answers(["four out of five", "Score: Two", "I like it", "One."], GRADES)
    assert found.reasons == {Reason.IN_WORDS: 3, Reason.NO_LABEL: 1}
    assert (found.unreadable, found.refused) == (4, 0)
    # Words are labels of their own where the scale says so.
    assert oe.read_answers(["Score: Two"], ["one", "two"]).labels == ["two"]


def test_refusals_are_what_the_user_declares() -> None:
    answers = ["PASS: rule 4.2", "I cannot rate this.", "Score: 3. I PASS on the rest."]
    usual = oe.read_answers(answers, GRADES)
    own = oe.read_answers(answers, GRADES, refusal=re.compile("^pass", re.IGNORECASE))
    assert usual.outcomes == ["unreadable", "refused", "read"]
    assert own.outcomes == ["refused", "unreadable", "read"]
    assert (usual._facts()["refusal"], own._facts()["refusal"]) == (None, "^pass")


def test_case_counts_where_it_tells_labels_apart() -> None:
    labels = ["b", "B", "A"]
    found = oe.read_answers(["Grade: b", "GRADE: B", "B", "a", "Grade: A"], labels)
    assert found.labels == ["b", "B", "B", None, "A"]


def test_labels_of_emphasis_are_read_where_nothing_else_stands() -> None:
    found = oe.read_answers(["**", " *** ", "Score: *"], ["*", "**", "***"])
    assert found.labels == ["**", "***", None]


# Numbers between levels


@pytest.mark.parametrize(
    ("half", "said"),
    [
        ("error", [None, None, None, None, None]),
        ("nearest", [None, None, 3, 4, 5]),
        ("up", [3, 4, 3, 4, 5]),
        ("down", [2, 3, 3, 4, 5]),
        ("even", [2, 4, 3, 4, 5]),
    ],
)
def test_halves_go_where_the_user_says(half: Any, said: list[Any]) -> None:
    answers = ["2.5", "Score: 3.5/5", 3.4999, Decimal("3.7"), Fraction(99, 20)]
    found = oe.read_answers(answers, GRADES, half=half)
    assert found.labels == said
    assert found.rounded == found.read
    assert found.unreadable == 5 - found.read
    never = oe.read_answers(["5.1", "0.9", 5.49], GRADES, half=half)
    assert never.labels == [None] * 3
    assert never.outside == 3


def test_halves_of_other_scales_are_exact() -> None:
    tenths = [0.1, 0.2, 0.3]
    assert oe.read_answers(["0.15", "0.149", 0.25], tenths, half="down").labels == [0.1, 0.1, 0.2]
    assert oe.read_answers(["0.15", "0.149", 0.25], tenths, half="up").labels == [0.2, 0.1, 0.3]
    assert oe.read_answers(["70", "75", "76"], [0, 50, 100], half="down").labels == [50, 50, 100]
    # "up" is the larger number, wherever on the scale it stands.
    assert oe.read_answers(["3.5"], [5, 4, 3, 2, 1], half="up").labels == [4]
    assert oe.read_answers(["-0.5", "+1", "−1"], [-1, 0, 1], half="up").labels == [0, 1, -1]


# Whatever is written


@pytest.mark.parametrize("name", NULLABLE_STRINGS)
def test_every_container_is_read(name: str) -> None:
    found = oe.read_answers(NULLABLE_STRINGS[name](["3", None, "1", "2", None]), [1, 2, 3])
    assert found.labels == [3, None, 1, 2, None]
    assert (found.read, found.missing) == (3, 2)


@pytest.mark.parametrize(
    "answers",
    [
        pd.Series(["Score: 3", None, 3.0]),
        pd.Series([3.0, math.nan, 3.0]),
        pd.Series([3, None, 3], dtype="Int64"),
        pl.Series([3, None, 3]),
        pl.Series(["3", None, "**3**"]),
        pa.array(["3", None, "3/5"]),
        np.array(["3", "", "3"]),
        np.ma.array([3, 9, 3], mask=[False, True, False]),
        iter(["3", None, "3"]),
        (x for x in ["3", None, "3"]),
        {1: "3", 2: None, 3: "3"}.values(),
    ],
    ids=lambda x: type(x).__module__ + "." + type(x).__name__,
)
def test_numbers_and_texts_in_any_container(answers: Any) -> None:
    found = oe.read_answers(answers, oe.Scale.range(1, 5))
    assert found.labels == [3, None, 3]
    assert found.missing == 1


@pytest.mark.parametrize("container", [pl.Series, pa.array, pd.Series, list])
def test_dictionaries_in_any_container(container: Any) -> None:
    found = oe.read_answers(container([{"score": 4}, None]), GRADES, pattern="json:score")
    assert found.labels == [4, None]


@pytest.mark.parametrize(
    "answers",
    [
        pd.DataFrame({"a": ["4"]}),
        pl.DataFrame({"a": ["4"]}),
        pa.table({"a": ["4"]}),
        np.array([["4"]]),
        np.array("4"),
    ],
    ids=lambda x: type(x).__module__ + str(x.shape),
)
def test_a_frame_is_no_column(answers: Any) -> None:
    with pytest.raises(oe.LabelError, match="answers must be one-dimensional, one label per item"):
        oe.read_answers(answers, GRADES)


def test_labels_are_handed_on() -> None:
    """None is a missing label: an error unless the user drops it, and then counted."""
    found = oe.read_answers(["1", "Score: 2", "2 or 3", "3"], [1, 2, 3])
    with pytest.raises(oe.LabelError, match="y_pred has 1 missing value"):
        oe.score([1, 2, 3, 3], found.labels, labels=[1, 2, 3])
    scores = oe.score([1, 2, 3, 3], found.labels, ["accuracy"], labels=[1, 2, 3], missing="drop")
    assert scores["accuracy"] == 1.0
    assert scores.confusion.dropped.missing == 1


def test_a_long_answer_does_not_widen_the_others() -> None:
    def read(n: int) -> None:
        assert oe.read_answers(["4"] * n + ["x" * 20 * n], GRADES).read == n

    assert is_linear(read, 50_000)


ODD = [
    " ",
    "_",
    "*",
    "[",
    '"',
    "(",
    "score",
    "score (",
    "4 ",
    "4/",
    "{",
    '{"a":',
    "1,",
    "or ",
    "4.",
    ": ",
    "n/a ",
    "i cannot ",
    "a one ",
    "4 or ",
    "4\n",
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("pattern", ["whole", "score", "fraction", "last", "json:score"])
def test_odd_texts_take_no_more_than_their_length(pattern: str, odd: str) -> None:
    """A search that goes back at every step would take minutes."""

    def read(n: int) -> None:
        many = odd * n
        oe.read_answers([f"a score{many}x", many, f"4{many}x"], GRADES, pattern=pattern)

    assert is_linear(read, 30_000)


def test_time_is_linear_in_the_number_of_answers() -> None:
    answers = [f"The answer has {i} words and is fair.\nScore: {i % 5 + 1}/5" for i in range(10**5)]

    def read(n: int) -> None:
        assert oe.read_answers(answers[:n], GRADES).read == n

    assert is_linear(read, len(answers))


# Laws

text_of_numbers = st.text(st.sampled_from(string.digits + " .,/-*_:=()[]{}\"'\n½~%scoreutf"))
any_answer = st.one_of(
    st.none(), st.floats(), st.integers(), st.text(), text_of_numbers,
    st.sampled_from([answer for _, _, table in TABLES.values() for answer, _ in table
                     if not isinstance(answer, dict)]),
)  # fmt: skip
patterns = st.sampled_from(["whole", "score", "fraction", "last", "json:score", r"(\d+)"])
halves = st.sampled_from(["error", "up", "down", "even", "nearest"])


@given(st.lists(any_answer), patterns, halves)
def test_counts_add_up(answers: list[Any], pattern: str, half: Any) -> None:
    found = oe.read_answers(answers, GRADES, pattern=pattern, half=half)
    counts = (found.read, found.missing, found.refused, found.outside, found.unreadable)
    assert sum(counts) == found.total == len(answers) == len(found.labels)
    assert found.unread == found.labels.count(None) == sum(found.reasons.values())
    assert set(found.counts) == set(OUTCOMES)
    assert all((x is None) == (o != "read") for x, o in zip(found.labels, found.outcomes,
                                                            strict=True))  # fmt: skip
    assert found.rounded <= found.read
    assert found.rounded == 0 or half != "error"


@given(st.one_of(st.text(), text_of_numbers), patterns)
@settings(max_examples=500)
def test_no_label_is_read_that_does_not_stand_in_the_text(text: str, pattern: str) -> None:
    (label,) = oe.read_answers([text], GRADES, pattern=pattern).labels
    assert label is None or re.search(rf"(?<!\d){label}(?!\d)", text)


@given(st.text(st.sampled_from("verygodpaif :.,*_-/+scoer\n'\""), max_size=40))
@settings(max_examples=500)
def test_no_word_is_read_that_does_not_stand_in_the_text(text: str) -> None:
    (label,) = oe.read_answers([text], WORDS).labels
    assert label is None or label.split()[-1] in text


def wrapped(inner: str) -> st.SearchStrategy[str]:
    marks = [("", ""), ("**", "**"), ("_", "_"), ("`", "`"), ('"', '"'), ("(", ")"), ("[[", "]]"),
             (" ", "\n"), ("“", "”"), ("", ".")]  # fmt: skip
    return st.sampled_from(marks).map(lambda m: f"{m[0]}{inner}{m[1]}")


prose = st.sampled_from(["", "It is fair.\n", "Two errors. ", "## Verdict\n\n"])
WAYS: dict[str, list[tuple[str, str]]] = {
    "whole": [("", "")],
    "score": [("", ""), ("Score: ", ""), ("Rating = ", " because"), ("**Grade:** ", "\nGood."),
              ("Answer:\n", "\n"), ("score (LOW to TOP): ", " - fair")],
    "fraction": [("I give it ", " stars"), ("", ""), ("Score: ", ", well done")],
    "last": [("", ""), ("I give it ", " points"), ("Score: ", " of them")],
    "json:score": [('{"score": ', "}"),
                   ('```json\n{"reason": "x", "score": ', ', "ok": true}\n```')],
}  # fmt: skip


@pytest.mark.parametrize("pattern", WAYS)
@given(st.data())
def test_what_is_written_as_documented_is_read_back(pattern: str, data: st.DataObject) -> None:
    low = data.draw(st.integers(-3, 3))
    labels = list(range(low, low + data.draw(st.integers(1, 12)) + 1))
    label = data.draw(st.sampled_from(labels))
    fraction = pattern == "fraction" or (pattern != "json:score" and data.draw(st.booleans()))
    written = data.draw(
        st.sampled_from([f"{label}/{labels[-1]}", f"{label} out of {labels[-1]}"])
        if fraction
        else st.sampled_from([f"{label}", f"{label}.0"])
    )
    if pattern not in ("json:score", "fraction"):
        written = data.draw(wrapped(written))
    before, after = data.draw(st.sampled_from(WAYS[pattern]))
    before = before.replace("LOW", str(labels[0])).replace("TOP", str(labels[-1]))
    if pattern == "last" and before:
        before = data.draw(prose) + before
    found = oe.read_answers([f"{before}{written}{after}"], labels, pattern=pattern)
    assert found.labels == [label]


@given(st.data())
def test_words_are_read_back(data: st.DataObject) -> None:
    word = st.text(string.ascii_lowercase, min_size=2, max_size=6)
    listed = data.draw(st.lists(st.lists(word, min_size=1, max_size=2).map(" ".join), min_size=1,
                                unique=True, max_size=5))  # fmt: skip
    label = data.draw(st.sampled_from(listed))
    case = data.draw(st.sampled_from([str.upper, str.title, str.lower]))
    pattern, (before, after) = data.draw(st.sampled_from(
        [("whole", ("", "")), ("score", ("", ".")), ("score", ("Rating: ", "\nIt is so.")),
         ("json:score", ('{"score": "', '"}')), (r"<s>(.*)</s>", ("<s>", "</s>"))]
    ))  # fmt: skip
    found = oe.read_answers([f"{before}{case(label)}{after}"], listed, pattern=pattern)
    assert found.labels == [label]


# The result


def test_the_share_has_the_interval_of_scipy() -> None:
    for lost, n in ((0, 10), (3, 10), (10, 10), (17, 400)):
        share = oe.read_answers(["?"] * lost + ["3"] * (n - lost), GRADES).share_unread
        expected = binomtest(lost, n).proportion_ci(0.95)
        assert share.estimate == lost / n
        assert (share.low, share.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert share.level == 0.95
    nothing = oe.read_answers([], GRADES).share_unread
    assert math.isnan(nothing.estimate)
    assert (nothing.low, nothing.high) == (0, 1)


def test_examples_say_where_and_why() -> None:
    answers = ["4", "Score: 4 or 5", None, "no", "4-5", "Score: 1/2\x1b[31m", "9", "x" * 500, "3.5"]
    found = oe.read_answers(answers * 3, GRADES)
    first = [(x.position, x.outcome, x.reason) for x in found.examples[:5]]
    assert first == [
        (1, "unreadable", Reason.DIFFERENT),
        (3, "unreadable", Reason.NO_LABEL),
        (4, "unreadable", Reason.ELSEWHERE),
        (5, "unreadable", Reason.OTHER_TOP),
        (6, "outside", Reason.OUTSIDE),
    ]
    by_reason = [x.reason for x in found.examples]
    assert all(by_reason.count(reason) <= 2 for reason in by_reason)
    assert {x.position for x in found.examples}.isdisjoint({0, 2})
    shown = {x.position: x.answer for x in found.examples}
    assert shown[7] == "x" * 39 + "…"
    assert shown[5] == "Score: 1/2 [31m"
    assert found.reasons[Reason.NO_LABEL] == 6
    assert found.unreadable == 18


def test_the_text() -> None:
    answers = ["Score: 4", "**3**", "3.5", "Rating: 4 or 5", "I cannot rate this.", None, "7"]
    assert oe.read_answers(answers, GRADES, half="up").to_text(100) == (
        "7 answers read by 'score' on Scale(1 < 2 < 3 < 4 < 5)\n"
        "outcome     answers  share  what it is\n"
        "read              3  0.429  a label\n"
        "missing           1  0.143  None, NaN or an empty text\n"
        "refused           1  0.143  a text that says so\n"
        "outside           1  0.143  a number off the scale\n"
        "unreadable        1  0.143  not read by the pattern, or in two ways\n"
        "\n"
        "Some that gave no label\n"
        "position  outcome     answer               why\n"
        "3         unreadable  Rating: 4 or 5       several labels that differ\n"
        "4         refused     I cannot rate this.  a refusal\n"
        "6         outside     7                    a number off the scale\n"
        "\n"
        "4 of 7 answers have no label (1 missing, 1 refused, 1 outside, 1 unreadable): a share of "
        "0.571\n[0.184, 0.901] (95%). 1 number between levels went to the nearest level, halves "
        "up."
    )


def test_the_json_holds_the_counts() -> None:
    facts = json.loads(oe.read_answers(["4", "N/A", None], GRADES).to_json())
    assert facts["kind"] == "ordeval.answers"
    assert (facts["total"], facts["read"], facts["refused"], facts["missing"]) == (3, 1, 1, 1)
    assert facts["share_unread"]["estimate"] == pytest.approx(2 / 3)
    assert facts["examples"] == [
        {"position": 1, "answer": "N/A", "outcome": "refused", "reason": "a refusal"}
    ]  # fmt: skip


# Errors

KINDS = 'pattern must be "whole", "score", "fraction", "last", "json:KEY" or a regular expression'


@pytest.mark.parametrize(
    ("answers", "options", "error", "message"),
    [
        ("4/5", {}, oe.LabelError,
         "answers must be a sequence, one answer for each item; got '4/5'."),
        ({"a": "4"}, {}, oe.LabelError,
         "answers must be a sequence, one answer for each item; got {'a': '4'}."),
        (4, {}, oe.LabelError,
         "answers must be a sequence, one answer for each item; got 4."),
        (["4", ["4"]], {}, oe.LabelError,
         "answers must be texts, numbers or missing; got ['4'] of type list at position 1."),
        (["4", True], {}, oe.LabelError,
         "answers must be texts, numbers or missing; got True of type bool at position 1."),
        ([{"score": 4}], {}, oe.LabelError,
         ("answers must be texts, numbers or missing; got {'score': 4} of type dict at position 0. "
         'A dictionary is read by "json:KEY".')),
        (["4"], {"labels": None}, oe.ScaleError,
         "declare the labels to read answers on, lowest first: labels=oe.Scale.range(1, 5)."),
        (["4"], {"labels": [1, 2, "three"]}, oe.ParameterError,
         ("labels= must be all numbers or all texts for answers to be read on them; got "
         "Scale(1 < 2 < 'three').")),
        (["4"], {"labels": [False, True]}, oe.ParameterError,
         ("labels= must be all numbers or all texts for answers to be read on them; got "
         "Scale(False < True).")),
        (["4"], {"labels": ["low", " "]}, oe.ParameterError,
         ("labels= must be all numbers or all texts for answers to be read on them; got "
         "Scale('low' < ' ').")),
        (["4"], {"labels": ["a", "a "]}, oe.ParameterError,
         ("labels= must differ in more than blanks and emphasis for answers to be read on them; "
         "got 'a', 'a '.")),
        (["4"], {"pattern": "scores"}, oe.ParameterError,
         KINDS + " with one group, which holds the label; 'scores' has none. Did you mean "
         '"score"?'),
        (["4"], {"pattern": r"(\d)/(\d)"}, oe.ParameterError,
         KINDS + r" with one group, which holds the label; '(\\d)/(\\d)' has 2."),
        (["4"], {"pattern": "(4"}, oe.ParameterError,
         KINDS + "; '(4' is none: missing ), unterminated subpattern at position 0."),
        (["4"], {"pattern": None}, oe.ParameterError,
         KINDS + "; None is none: first argument must be string or compiled pattern."),
        (["4"], {"pattern": re.compile(rb"(\d)")}, oe.ParameterError,
         KINDS + r" of text; got re.compile(b'(\\d)')."),
        (["4"], {"pattern": "json:"}, oe.ParameterError,
         'pattern "json:" needs a key, such as "json:score".'),
        (["4"], {"pattern": "last", "labels": WORDS}, oe.ParameterError,
         ('pattern "last" reads numbers, and these labels are words; choose "whole", "score" or '
         '"json:KEY".')),
        (["4"], {"refusal": "(no"}, oe.ParameterError,
         ("refusal must be a regular expression; '(no' is none: missing ), unterminated subpattern "
         "at position 0.")),
        (["4"], {"refusal": 4}, oe.ParameterError,
         ("refusal must be a regular expression; 4 is none: first argument must be string or "
         "compiled pattern.")),
        (["4"], {"refusal": ""}, oe.ParameterError,
         ("refusal must be a regular expression of text that does not match everything; got ''.")),
        (["4"], {"half": "round"}, oe.ParameterError,
         'half must be "error", "up", "down", "even" or "nearest"; got \'round\'.'),
        (["4"], {"half": "up", "labels": ["low", "high"]}, oe.ParameterError,
         "half rounds numbers, and these labels are words: Scale('low' < 'high'). Leave it out."),
        (["4"], {"half": "up", "labels": [1, 3, 2]}, oe.ParameterError,
         'half="up" needs labels in the order of their numbers; leave it out.'),
        (["4"], {"half": "even", "labels": [0, 0.5, 1]}, oe.ParameterError,
         ('half="even" needs labels that are consecutive integers; choose "up", "down" or '
         '"nearest".')),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_a_sentence(
    answers: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        oe.read_answers(answers, **{"labels": GRADES, **options})
    assert str(caught.value) == message
