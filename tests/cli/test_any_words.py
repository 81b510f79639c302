"""Laws over all commands and options: whatever is given, the command ends well.

Every option and argument of every command is read off the application, so a new one is under these
laws without a word here. The hostile values times the options that take one are 3,860 runs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from commands import Done, run
from typer.main import get_command

from ordeval.cli import app

ROWS = ("1,1,2,a", "2,2,2,b", "3,2,3,c", "1,1,1,d", "2,3,2,a", "3,3,3,b") * 3
TABLE = "y,p,q,c,i\n" + "".join(f"{row},{i}\n" for i, row in enumerate(ROWS))
WIDE = ["data.csv", "--item", "i", "--rater-col", "y", "--rater-col", "p", "--labels", "1..3"]
PAIR = ["--truth", "y", "--pred", "p"]
FEW = ["--metric", "accuracy", "--labels", "1..3"]
PROJECT = """
file = "data.csv"
truth = "y"
pred = "p"
labels = "1..3"
fail_under = ["accuracy=0.1"]
"""
# What is right, to which one wrong thing is added.
RIGHT: dict[str, list[str]] = {
    "score": ["data.csv", *PAIR, *FEW],
    "compare": ["data.csv", *PAIR, "--pred", "q", *FEW],
    "thresholds": ["data.csv", *PAIR, "--labels", "1..3"],
    "calibration": ["data.csv", "--truth", "y", "--prob", "p_", "--labels", "1..3"],
    "decision-curve": ["data.csv", "--truth", "y", "--prob", "p_", "--labels", "1..3"],
    "report": ["data.csv", *PAIR, "--pred", "q", *FEW, "-o", "out.md"],
    "leaderboard": ["data.csv", *PAIR, "--pred", "q", "--task", "c", *FEW],
    "check": ["--config", "ordeval.toml"],
    "explore": ["data.csv", *PAIR, "--labels", "1..3", "-o", "out.html"],
    "plan": ["--from", "data.csv", *PAIR, *FEW, "--half-width", "0.2"],
    "agree": WIDE,
    "judge": [*WIDE, "--judge", "q", "--min-items", "2"],
    "read": ["data.csv", "--item", "i", "--column", "p", "--labels", "1..3"],
    "label": ["data.csv", "--budget", "5", "--strata", "c", "--seed", "0"],
    "metrics": ["accuracy"],
    "recommend": [],
    "explain": ["OE101"],
    "properties": ["accuracy"],
    "meta": ["data.csv", *PAIR, "--pred", "q", *FEW, "--case", "c"],
    "tune": ["data.csv", "--truth", "y", "--prob", "p_", *FEW],
    "reproduce": ["cardoso2011", "--table", "4"],
}
HOSTILE = (
    "", " ", "-", "--", "0", "-1", "nan", "1e400", "0.5", "9" * 5000, "1.." + "9" * 5000,
    "1..1000000", "x" * 5000, "a\nb", "\x1b[31m\x07\x9b", "\u202e\u2066", "\udcff", "%s{0}$(x)",
    "data.csv", "no/such/out.csv",
)  # fmt: skip
# A report takes seconds; its options are those of compare, but for the title.
FEW_HOSTILE = {"report": ("9" * 5000, "\x1b[31m\x07\x9b", "\udcff"), "properties": HOSTILE[9:]}
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]


def _parameters(*, flags: bool) -> list[Any]:
    """Every command with each of its options, and arguments if they take values."""
    return [
        pytest.param(name, p, id=f"{name}-{p.name}")
        for name, command in COMMANDS.items()
        for p in command.params
        if not p.is_eager and (flags or not getattr(p, "is_flag", False))
    ]


def _flag(parameter: Any) -> str:
    return max(parameter.opts, key=len)


def _without(arguments: list[str], parameter: Any) -> list[str]:
    """The arguments without this one, wherever it stands."""
    if parameter.param_type_name == "argument":
        return arguments[1:]
    rest, skip = [], False
    for word in arguments:
        if not skip and word not in parameter.opts:
            rest.append(word)
        skip = not skip and word in parameter.opts and not getattr(parameter, "is_flag", False)
    return rest


def _ends_well(done: Done) -> None:
    assert done.returncode in (0, 1, 2), done
    assert "Traceback" not in done.stderr
    assert "Bug in ordeval" not in done.stderr, done.stderr
    assert not UNSEEN.search(done.stderr + done.stdout), done
    assert not re.search(r"[^-\w][a-z_]+=(?!VALUE|value|moderate|0\.)", done.stderr), done.stderr
    if done.returncode == 2:
        assert done.stdout == ""
        *warnings, last = done.stderr.splitlines()
        assert last.startswith("ordeval: ")
        assert last.endswith((".", "?", "`"))
        assert all(w.startswith("warning: ") for w in warnings), done.stderr


def test_every_command_is_under_the_law() -> None:
    assert set(RIGHT) == set(COMMANDS)


@pytest.mark.parametrize(("name", "parameter"), _parameters(flags=False))
def test_whatever_is_given_ends_well(
    name: str, parameter: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(TABLE)
    Path("ordeval.toml").write_text(PROJECT)
    rest = _without(RIGHT[name], parameter)
    for value in FEW_HOSTILE.get(name, HOSTILE):
        if parameter.param_type_name == "argument":
            words = [name, value, *rest]
        else:
            words = [name, *rest, _flag(parameter), value]
        _ends_well(run(*words))
    if "data.csv" in RIGHT[name] or name == "check":
        assert Path("data.csv").read_text() == TABLE  # no output went over the data
    assert Path("ordeval.toml").read_text() == PROJECT


@pytest.mark.parametrize(("name", "parameter"), _parameters(flags=True))
def test_an_option_that_may_not_be_repeated_is_given_once(name: str, parameter: Any) -> None:
    if parameter.param_type_name == "argument":
        done = run(name, *RIGHT[name], "one", "more")
        assert (done.returncode, done.stdout) == (2, "")
        return
    says_so = re.search("[Mm]ay be repeated|; repeat, |[; ]twice |name both", parameter.help)
    assert bool(says_so) == parameter.multiple  # the help says which
    if parameter.multiple:
        return
    value = [] if parameter.is_flag else ["1"]
    twice = [_flag(parameter), *value] * 2
    done = run(name, *_without(RIGHT[name], parameter), *twice)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"ordeval: {_flag(parameter)} is given twice; give it once.\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_there_is_not(name: str) -> None:
    done = run(name, *RIGHT[name], "--formt", "x")
    _ends_well(done)
    assert done.returncode == 2
    assert "There is no option --formt." in done.stderr
    if any("--format" in p.opts for p in COMMANDS[name].params):
        assert "Did you mean --format" in done.stderr
