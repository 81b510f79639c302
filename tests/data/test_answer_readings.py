"""Answers of many kinds, plain and doubtful: none is read wrongly, and plain ones are read."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.growth import is_linear

import ordeval as oe
from ordeval.data.text.level_notation import Reason

GRADES = range(1, 6)
RECORDS = [
    json.loads(line)
    for line in (Path(__file__).parent / "answers.jsonl").read_text("utf-8").splitlines()
]
PLAIN = [r for r in RECORDS if r["expected"] is not None]
DOUBTFUL = [r for r in RECORDS if r["expected"] is None]
REPORTED = [
    "Score: 5 would be too generous. I choose 3.",
    "Score: 4 sur 10",
    "Answer: 4 years",
    "score: 4 reduced to 3",
    "score: 4. Scratch that: 3.",
]
ORDINARY = [
    ("I'd give this a 3", 3),
    ("The score is 4.", 4),
    ("Score - 4", 4),
    ("<score>2</score>", 2),
    ("# Score\n4", 4),
    ("Score: 4,0", 4),
]


def levels(scale: str) -> list[Any]:
    """The labels that a record names: 1..5, low < high, or 1, 1.5, 2."""
    if ".." in scale:
        low, high = map(int, scale.split(".."))
        return list(range(low, high + 1))
    if "<" in scale:
        return [label.strip() for label in scale.split("<")]
    return [float(label) for label in scale.split(",")]


def reading(record: dict[str, Any]) -> Any:
    options = record.get("options", {})
    (label,) = oe.read_answers([record["answer"]], levels(record["scale"]), **options).labels
    return label


READ = [(r, reading(r)) for r in RECORDS]


def test_there_are_many_answers_of_many_kinds() -> None:
    assert len(RECORDS) >= 300
    assert 0.35 < len(PLAIN) / len(RECORDS) < 0.65
    assert len({r["kind"] for r in RECORDS}) >= 30
    again = Counter((r["answer"], r["scale"], str(r.get("options"))) for r in RECORDS)
    assert max(again.values()) == 1


def test_no_answer_is_read_wrongly() -> None:
    wrong = [(r["answer"], said) for r, said in READ if said is not None and said != r["expected"]]
    assert wrong == []


def test_plain_answers_are_read() -> None:
    missed = [r["answer"] for r, said in READ if r["expected"] is not None and said is None]
    assert len(missed) <= 0.05 * len(PLAIN), missed


@pytest.mark.parametrize("answer", REPORTED)
def test_what_follows_a_number_makes_it_doubtful(answer: str) -> None:
    assert oe.read_answers([answer], GRADES).labels == [None]


@pytest.mark.parametrize(("answer", "label"), ORDINARY)
def test_ordinary_answers_are_read(answer: str, label: int) -> None:
    assert oe.read_answers([answer], GRADES).labels == [label]


@pytest.mark.parametrize(
    "more",
    ["\n\nActually, {other}.", " No, {other}.", "\nScore: {other}", "\nI meant {other}.",
     "\n\nOn second thought, that is too high.", "\n{other}/5", "\n\nScratch that."],
)  # fmt: skip
def test_no_plain_answer_survives_a_correction(more: str) -> None:
    usual = [r for r, x in READ if x is not None and r["scale"] == "1..5" and "options" not in r]
    corrected = [r["answer"] + more.format(other=r["expected"] % 5 + 1) for r in usual]
    found = oe.read_answers(corrected, GRADES).labels
    assert [x for x, said in zip(corrected, found, strict=True) if said is not None] == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Score: 4 or 5", Reason.DIFFERENT),
        ("Score: 4. Scratch that: 3.", Reason.DOUBTFUL),
        ("Score: 4. I mean three.", Reason.DOUBTFUL),
        ("Score: 4. The others get a 3.", Reason.DIFFERENT),
        ("Score: 4 would be kind", Reason.NOT_ALONE),
        ("I'd give it a 5 if it were shorter", Reason.NOT_ALONE),
        ("Score: 4 sur 10", Reason.OTHER_TOP),
        ("On a scale of 1 to 10, I'd give it a 4.", Reason.OTHER_TOP),
        ("Maximum score: 5", Reason.ELSEWHERE),
        ("Score: two", Reason.IN_WORDS),
    ],
)
def test_the_reason_says_what_is_doubtful(answer: str, reason: Reason) -> None:
    assert dict(oe.read_answers([answer], GRADES).reasons) == {reason: 1}


# Several patterns


def test_the_first_pattern_that_finds_something_decides() -> None:
    answers = ['{"grade": 3} Score: 4', "Score: 4", "Score: 4 or 5. It is 2/5", "2/5 of it", "N/A"]
    found = oe.read_answers(answers, GRADES, pattern=["json:grade", "score", r"^(\d)/5"])
    # A label that is doubtful is found, so the next pattern is not asked.
    assert found.labels == [3, 4, None, 2, None]
    assert found.outcomes[-1] == "refused"
    assert found.pattern == ("json:grade", "score", r"^(\d)/5")
    assert "read by 'json:grade', then 'score', then" in found.to_text()
    assert json.loads(found.to_json())["pattern"] == list(found.pattern)


def test_one_pattern_in_a_list_is_that_pattern() -> None:
    assert oe.read_answers(["4"], GRADES, pattern=["whole"]).pattern == "whole"
    assert oe.read_answers([{"a": 4}, "3"], GRADES, pattern=("whole", "json:a")).labels == [4, 3]


# Decimal marks


@pytest.mark.parametrize(
    ("answer", "point", "comma"),
    [
        ("3.5", 3.5, None), ("3,5", None, 3.5), ("Score: 3,5/5", None, 3.5), ("4,0", 4, 4),
        ("4.0", 4, 4), ("4,00", 4, 4), ("4.00", 4, 4), ("4,000", None, 4), ("4.000", 4, None),
        ("4,5,3", None, None), ("3, 5", None, None), ("Score: 4,0, good", 4, 4),
        ("4,05", None, None), ("4,0,0", None, None),
    ],
)  # fmt: skip
def test_the_decimal_mark_is_the_one_that_is_asked_for(
    answer: str, point: float | None, comma: float | None
) -> None:
    halves = [x / 2 for x in range(2, 11)]
    assert oe.read_answers([answer], halves).labels == [point]
    assert oe.read_answers([answer], halves, decimal=",").labels == [comma]


def test_zero_behind_a_comma_may_be_a_level() -> None:
    assert oe.read_answers(["Score: 4,0"], range(5)).labels == [None]
    assert oe.read_answers(["Score: 4,0"], range(5), decimal=",").labels == [4]


# Other ranges


@pytest.mark.parametrize(
    ("answer", "labels", "said"),
    [
        ("8/10", GRADES, 4), ("Score: 4 sur 10", GRADES, 2), ("4 out of 10", GRADES, 2),
        ("Score (out of 10): 10", GRADES, 5), ("7/10", GRADES, None), ("1/10", GRADES, None),
        ("11/10", GRADES, None), ("80/100", GRADES, 4), ("4/5", GRADES, 4),
        # With both ends, ends go to ends.
        ("Score (1-9): 5", GRADES, 3), ("Score: 1 on a scale of 1 to 10", GRADES, 1),
        ("Score (0-10): 5", GRADES, 3), ("Score (0-100): 25", GRADES, 2),
        ("Score (0-10): 11", GRADES, None), ("1/2", range(5), 2), ("5/10", [0, 0.5, 1], 0.5),
        ("1/4", range(-2, 3), None), ("8/10", [5, 4, 3, 2, 1], 4), ("8/10", list("12345"), "4"),
    ],
)  # fmt: skip
def test_another_range_is_rescaled_on_request(answer: str, labels: Any, said: Any) -> None:
    assert oe.read_answers([answer], labels, rescale=True).labels == [said]


def test_another_range_is_not_read_without_request() -> None:
    answers = ["8/10", "Score: 4 sur 10", "Score (1-9): 5", "4 out of 10", "Score (0-5): 3"]
    assert oe.read_answers(answers, GRADES).labels == [None] * 5


@pytest.mark.parametrize(
    ("half", "said"),
    [("error", [None, None]), ("up", [4, 3]), ("down", [3, 3]), ("even", [4, 3]),
     ("nearest", [None, 3])],
)  # fmt: skip
def test_rescaled_numbers_between_levels_go_where_halves_go(half: Any, said: list[Any]) -> None:
    found = oe.read_answers(["7/10", "Score: 62/100"], GRADES, rescale=True, half=half)
    assert found.labels == said
    assert found.rounded == found.read


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": ";"}, 'decimal must be "." or ","; got \';\'.'),
        ({"rescale": 10}, "rescale must be True or False; got 10."),
        ({"pattern": []}, "pattern must name at least one pattern; got []."),
        ({"labels": ["low", "high"], "rescale": True},
         ("rescale is for numbers, and these labels are words: Scale('low' < 'high'). "
          "Leave it out.")),
        ({"labels": ["low", "high"], "decimal": ","},
         ("decimal is for numbers, and these labels are words: Scale('low' < 'high'). "
          "Leave it out.")),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(oe.ParameterError) as caught:
        oe.read_answers(["4"], **{"labels": GRADES, **options})
    assert str(caught.value) == message


# Time

LONG = [
    "my ", "so, ", "a, ", "the score is ", "score: 4 ", "score: x 4 ", "i'd give this ", "[[",
    "<score>", "<think>", "1. ", "\n", "4\n", "scale 1 to ", "1 to 5 scale ", "because ", "not ",
    "question: answer: 4 ", "<score", "overall ", "'", "answer a: ", "4 out of a ", "4/", "-4",
    "4-", "good ", "1.1.",
]  # fmt: skip


@pytest.mark.parametrize("odd", LONG)
@pytest.mark.parametrize("labels", [GRADES, ["bad", "good", "very good"]], ids=["numbers", "words"])
def test_time_is_linear_in_the_length(odd: str, labels: Any) -> None:
    def read(n: int) -> None:
        many = odd * (n // len(odd))
        oe.read_answers([many, f"Score: 4. {many}", f"{many} score: good", f"4 {many}"], labels)

    assert is_linear(read, 100_000)


@pytest.mark.parametrize("answer", ["4(", "4 (", "Score: 4 (", "Score (", "4 to", "4-", "<score>4"])
@pytest.mark.parametrize("pattern", ["score", "whole", "fraction", "last"])
def test_answers_may_break_off(answer: str, pattern: str) -> None:
    assert oe.read_answers([answer], GRADES, pattern=pattern).total == 1
