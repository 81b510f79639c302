"""The help: every command, its options once and in order; names for arguments in messages."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from commands import run
from typer.main import get_command

from ordeval._shared.text import argument, named, wording
from ordeval.cli import app, names
from ordeval.cli.options.flags import in_flags
from ordeval.cli.options.parsing import GROUPS

COMMANDS = ("score", "compare", "thresholds", "calibration", "decision-curve", "tune", "report",
            "leaderboard", "check", "explore", "agree", "judge", "read", "label", "plan", "metrics",
            "recommend", "explain", "properties", "meta", "reproduce")  # fmt: skip
ORDER = ("--truth", "--pred", "--labels", "--by", "--metric", "--fail-under", "--format",
         "--output")  # fmt: skip


def test_the_commands_in_the_order_of_use() -> None:
    shown = run("--help").stdout
    commands = shown.partition("Options:")[0]
    assert re.findall(r"^  ([\w-]+)  ", commands, re.MULTILINE) == list(COMMANDS)
    assert "Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage." in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_once_and_explained(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: ordeval {command} ")
    groups = re.findall(r"^(\w+):$", done.stdout, re.MULTILINE)
    assert [g for g in GROUPS if g in groups] == [g for g in groups if g in GROUPS]
    listed = done.stdout.partition(f"{next(g for g in groups if g in GROUPS)}:")[2]
    options = Counter(re.findall(r"^  (?:-\w, )?(--[\w-]+)", listed, re.MULTILINE))
    assert options["--help"] == 1
    assert max(options.values()) == 1
    places = [listed.index(f"{name} ") for name in ORDER if f"{name} " in listed]
    assert places == sorted(places)


def test_every_option_is_in_a_group() -> None:
    known = {name for names in GROUPS.values() for name in names.split()}
    commands = get_command(app).commands  # type: ignore[attr-defined]
    options = {
        max(p.opts, key=len).removeprefix("--")
        for command in commands.values()
        for p in command.params
        if p.param_type_name == "option"
    }
    assert options <= known
    assert list(commands) == [*COMMANDS] == names()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_breaks_within_the_name_of_an_option(command: str) -> None:
    assert not re.search(r"--\w[\w-]*-$", run(command, "--help").stdout, re.MULTILINE)


def test_a_command_lists_only_options_that_it_uses() -> None:
    shown = run("calibration", "--help").stdout
    assert "--prob" in shown
    assert not re.search(r"--(pred|score|decide|method)\b", shown)
    assert "--reference" not in run("agree", "--help").stdout
    assert "bayes" not in run("compare", "--help").stdout


def test_the_general_help_imports_no_command() -> None:
    for words in (["--help"], ["--version"]):
        code = (
            f"import sys; sys.argv = ['ordeval', *{words}]\n"
            "from ordeval.cli import main\n"
            "try:\n    main()\nexcept SystemExit:\n    pass\n"
            "heavy = {'typer', 'rich', 'scipy', 'pandas', 'narwhals'}\n"
            "print(sorted(heavy & {*sys.modules}), file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stderr.strip() == "[]"


def test_an_example_in_the_help() -> None:
    assert "ordeval score preds.csv --truth stage" in run("score", "--help").stdout


def test_what_needs_draws_says_so() -> None:
    for command in ("compare", "report"):
        shown = " ".join(run(command, "--help").stdout.split())
        said = "--method NAME Method of the intervals: auto (no resampling), bca or percentile"
        assert said in shown
        assert "--resamples N Bootstrap resamples, with --method bca or the like." in shown
        assert "--seed N Seed of the resampling, with --method bca or the like." in shown


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
