"""Options that read labels from what judges wrote."""

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import ordeval as oe
from ordeval._shared.text import wording
from ordeval.cli.options.answers import HALVES, PATTERNS, AnswerOptions, read_answer_columns
from ordeval.cli.options.flags import in_flags
from ordeval.cli.options.option_groups import grouped, starting

COLUMNS: dict[str, Any] = {"gpt": ["Score: 4", "4/5", "Rating: 4 or 5"], "llama": [3, 4, 5]}


def test_columns_are_read_and_what_is_lost_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = read_answer_columns(COLUMNS, range(1, 6), AnswerOptions(["score"]))
    assert {name: x.labels for name, x in found.items()} == {
        "gpt": [4, 4, None],
        "llama": [3, 4, 5],
    }
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "gpt: 1 of 3 answers has no label (1 unreadable): a share of 0.333 [0.008, 0.906] (95%). "
        "For example 'Rating: 4 or 5': several labels that differ.\n"
    )


def test_what_is_rounded_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = read_answer_columns({"gpt": ["3.5", "4"]}, range(1, 6), AnswerOptions(["whole"], "up"))
    assert found["gpt"].labels == [4, 4]
    assert capsys.readouterr().err == (
        "gpt: 0 of 2 answers have no label: a share of 0.000 [0.000, 0.842] (95%). 1 number "
        "between levels went to the nearest level, halves up.\n"
    )


def test_refusals_are_declared(capsys: pytest.CaptureFixture[str]) -> None:
    read_answer_columns(
        {"gpt": ["PASS", "4", "hm"]}, range(1, 6), AnswerOptions(["score"], None, "^PASS")
    )
    assert "(1 refused, 1 unreadable)" in capsys.readouterr().err


def test_patterns_are_tried_in_order_and_ranges_are_rescaled() -> None:
    columns = {"gpt": ['{"grade": 3}', "Score: 8/10", "Score: 4,0", "4 sur 10"]}
    reading = AnswerOptions(["json:grade", "score"], answer_decimal=",", rescale=True)
    assert read_answer_columns(columns, range(1, 6), reading)["gpt"].labels == [3, 4, 4, 2]


def test_without_a_pattern_nothing_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert read_answer_columns(COLUMNS, None, AnswerOptions()) == {}
    assert capsys.readouterr() == ("", "")


def test_a_rounding_rule_alone_reads_numbers() -> None:
    found = read_answer_columns({"gpt": ["3.5", 4, "4"]}, range(1, 6), AnswerOptions([], "up"))
    assert found["gpt"].labels == [4, 4, 4]


@pytest.mark.parametrize(
    ("labels", "reading", "message"),
    [
        (None, AnswerOptions(["score"]),
         "declare the labels to read answers on, lowest first: --labels 1..5."),
        (range(1, 6), AnswerOptions([], None, "no"),
         "--refusal is for answers without a label, which --answer-pattern reads."),
        (range(1, 6), AnswerOptions(answer_decimal=","),
         "--answer-decimal is for numbers in answers, which --answer-pattern reads."),
        (range(1, 6), AnswerOptions(rescale=True),
         "--rescale is for numbers in answers, which --answer-pattern reads."),
        (range(1, 6), AnswerOptions(["score"], answer_decimal=";"),
         '--answer-decimal must be "." or ","; got \';\'.'),
        (["low", "high"], AnswerOptions(["score"], answer_decimal=","),
         ("--answer-decimal is for numbers, and these labels are words: Scale('low' < 'high'). "
          "Leave it out.")),
        (["low", "high"], AnswerOptions(["score"], rescale=True),
         ("--rescale is for numbers, and these labels are words: Scale('low' < 'high'). "
          "Leave it out.")),
        (range(1, 6), AnswerOptions(["score"], None, "(no"),
         ("--refusal must be a regular expression; '(no' is none: missing ), unterminated "
          "subpattern at position 0.")),
        (range(1, 6), AnswerOptions(["score"], "round"),
         '--half must be "error", "up", "down", "even" or "nearest"; got \'round\'.'),
        (["low", "high"], AnswerOptions(["last"]),
         ('--answer-pattern "last" reads numbers, and these labels are words; choose "whole", '
          '"score" or "json:KEY".')),
        (range(1, 6), AnswerOptions(["(4"]),
         ('--answer-pattern must be "whole", "score", "fraction", "last", "json:KEY" or a regular '
          "expression; '(4' is none: missing ), unterminated subpattern at position 0.")),
        ([0, 0.5, 1], AnswerOptions(["score"], "even"),
         ('--half even needs labels that are consecutive integers; choose "up", "down" or '
          '"nearest".')),
    ],
)  # fmt: skip
def test_messages_name_the_options(labels: Any, reading: AnswerOptions, message: str) -> None:
    with wording(in_flags), pytest.raises(oe.OrdevalError) as caught:
        read_answer_columns(COLUMNS, labels, reading)
    assert str(caught.value) == message


def test_a_command_takes_the_options() -> None:
    app, given = typer.Typer(), []

    @app.command()
    @grouped
    def judge(*, reading: AnswerOptions) -> None:
        given.append(reading)

    runner = CliRunner()
    words = ["--answer-pattern", r"(\d)", "--half", "up", "--refusal", "no"]
    more = ["--answer-pattern", "score", "--answer-decimal", ",", "--rescale"]
    assert runner.invoke(app, words + more).exit_code == 0
    assert runner.invoke(app, []).exit_code == 0
    assert given == [
        AnswerOptions([r"(\d)", "score"], "up", "no", ",", rescale=True),
        AnswerOptions([], None, None, None, rescale=False),
    ]
    text = runner.invoke(app, ["--help"], env={"COLUMNS": "100"}).output
    for flag in ("--answer-pattern", "--half", "--refusal", "--answer-decimal", "--rescale"):
        assert flag in text


def test_completion() -> None:
    """The names that a shell offers are those that the library knows."""
    assert starting(HALVES)("") == ["error", "up", "down", "even", "nearest"]
    assert starting(HALVES)("e") == ["error", "even"]
    assert starting(PATTERNS)("") == ["whole", "score", "fraction", "last", "json:"]
    for name in PATTERNS:
        oe.read_answers(["4"], range(1, 6), pattern=name.replace("json:", "json:x"))
    for rule in HALVES:
        oe.read_answers(["4"], range(1, 6), half=rule)  # type: ignore[arg-type]
