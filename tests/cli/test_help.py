"""The help: every command, its options once and in order; names for arguments in messages."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from commands import run

from ordeval._shared.text import argument, named, wording
from ordeval.cli.options.flags import in_flags

COMMANDS = ("score", "compare", "thresholds", "calibration", "decision-curve", "report", "check",
            "explore", "plan", "agree", "judge", "metrics", "recommend", "explain", "properties",
            "meta", "reproduce")  # fmt: skip
ORDER = ("--truth", "--pred", "--labels", "--by", "--metric", "--format", "--output",
         "--fail-under")  # fmt: skip


def test_the_commands_in_the_order_of_use() -> None:
    shown = run("--help").stdout
    assert re.findall(r"^  ([\w-]+)  ", shown, re.MULTILINE) == list(COMMANDS)
    assert "Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage." in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_once_and_explained(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: ordeval {command} ")
    listed = done.stdout.partition("Options:")[2]
    options = Counter(re.findall(r"^  (?:-\w, )?(--[\w-]+)", listed, re.MULTILINE))
    assert options["--help"] == 1
    assert max(options.values()) == 1
    places = [listed.index(f"{name} ") for name in ORDER if f"{name} " in listed]
    assert places == sorted(places)


def test_an_example_in_the_help() -> None:
    assert "ordeval score preds.csv --truth stage" in run("score", "--help").stdout


def test_what_needs_draws_says_so() -> None:
    for command in ("compare", "report"):
        shown = " ".join(run(command, "--help").stdout.split())
        assert "--method NAME How intervals are made: auto, without draws; bca or perce" in shown
        assert "--resamples N Number of draws, if --method makes any." in shown
        assert "--seed N Seed of the draws, if --method makes any." in shown


def test_completion_can_be_shown() -> None:
    assert "complete -o" in run("--show-completion", "bash").stdout


def test_the_version() -> None:
    assert run("--version").stdout.startswith("ordeval ")


ARGUMENTS = [
    ("labels", None, "labels=", "--labels"),
    ("labels", ["low", "high"], "labels=['low', 'high']", "--labels low,high"),
    ("labels", range(1, 6), "labels=oe.Scale.range(1, 5)", "--labels 1..5"),
    ("missing", "drop", 'missing="drop"', "--drop-missing"),
    ("unknown", "drop", 'unknown="drop"', "--drop-unknown"),
    ("n_resamples", None, "n_resamples=", "--resamples"),
    ("metrics", None, "metrics=", "--metric"),
    ("rng", None, "rng=", "--seed"),
    ("metrics()", None, "oe.metrics()", "`ordeval metrics`"),
    ("expected", None, "expected=", "--from"),
    ("sizes", None, "sizes=", "--items"),
    (".to_csv()", None, "to_csv()", "--format csv"),
    (".deltas()", None, "deltas()", "--format json"),
    (".to_json()", None, "to_json()", "--format json"),
    ("method", "auto", 'method="auto"', "--method auto"),
]


@pytest.mark.parametrize(("name", "value", "python", "command"), ARGUMENTS)
def test_an_argument_is_named_as_it_is_written(
    name: str, value: object, python: str, command: str
) -> None:
    assert argument(name, value) == python
    with wording(in_flags):
        assert argument(name, value) == command
    assert argument(name, value) == python


def test_an_argument_that_a_sentence_is_about() -> None:
    assert named("level") == "level"
    with wording(in_flags):
        assert named("level") == "--level"
