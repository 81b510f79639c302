"""The real command, in a process of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

WINE = str(Path(__file__).parents[1] / "examples" / "wine.csv")
GRADES = ["--labels", "3,4,5,6,7,8"]
COLUMNS = ["--truth", "quality", "--pred", "forest", "--pred", "logistic"]


def run(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ordeval.cli", *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )


def test_score_of_two_models() -> None:
    done = run("score", WINE, *COLUMNS, *GRADES, "--metric", "accuracy", "--metric", "oc_index")
    assert (done.returncode, done.stderr) == (0, "")
    assert "forest\nitems: 1,599" in done.stdout
    assert "accuracy  0.7117" in done.stdout
    assert "accuracy  0.5966" in done.stdout


def test_score_as_json() -> None:
    done = run("score", WINE, *COLUMNS, *GRADES, "--json")
    scores = json.loads(done.stdout)
    assert scores["schema"] == 1
    assert scores["models"]["forest"]["accuracy"] == pytest.approx(0.71169, abs=1e-5)


def test_compare_ends_in_a_conclusion() -> None:
    few = ["--metric", "cem_ord", "--resamples", "199", "--seed", "1"]
    done = run("compare", WINE, *COLUMNS, *GRADES, *few)
    assert done.returncode == 0
    assert "By cem_ord (higher is better) forest does best" in done.stdout
    as_json = run("compare", WINE, *COLUMNS, *GRADES, *few, "--json")
    assert json.loads(as_json.stdout)["kind"] == "ordeval.comparison"
    assert run("compare", WINE, *COLUMNS, *GRADES, *few).stdout == done.stdout
    latex = run("compare", WINE, *COLUMNS, *GRADES, *few, "--latex")
    assert latex.stdout.startswith("\\begin{table}")


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("accuracy=0.7", 0),
        ("accuracy=0.72", 1),
        ("mean_absolute_error=0.4", 0),
        ("mean_absolute_error=0.3", 1),
    ],
)
def test_gates_know_their_direction(gate: str, code: int) -> None:
    done = run("score", WINE, "--truth", "quality", "--pred", "forest", "--fail-under", gate)
    assert done.returncode == code
    assert ("gate failed: forest" in done.stderr) is bool(code)


def test_a_matrix_and_standard_input() -> None:
    published = "26 4 1\n3 5 4\n0 3 10\n"
    done = run("score", "-", "--confusion", "--labels", "I,II,III", given=published)
    assert "items: 56; 3 classes: Scale('I' < 'II' < 'III')" in done.stdout
    table = "y;p\nlow;low\nhigh;low\n"
    done = run("score", "-", "--truth", "y", "--pred", "p", "--labels", "low,high", given=table)
    assert "accuracy" in done.stdout
    assert "0.5000" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "absent.csv", "--truth", "y", "--pred", "p"], "there is no file 'absent.csv'"),
        (["score", WINE, "--truth", "qualty", "--pred", "forest"], "Did you mean 'quality'?"),
        (["score", WINE], "name the columns: --truth COLUMN --pred COLUMN"),
        (["score", WINE, *COLUMNS, "--metric", "mae"], "Did you mean mean_absolute_error"),
        (["score", WINE, *COLUMNS, "--labels", "3,4,5"], "outside the scale Scale(3 < 4 < 5)"),
        (["score", WINE, *COLUMNS, "--fail-under", "accuracy"], "takes metric=value"),
        (["compare", WINE, *COLUMNS, "--level", "2"], "level must lie between 0 and 1"),
        (["metrics", "ocindex"], "Did you mean oc_index"),
        (["explain", "OE999"], "no warning has the code"),
        (["score"], "Missing argument"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_2(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_output_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    target.write_text("old")
    wrong = run("score", WINE, "--truth", "no", "--pred", "forest", "--output", str(target))
    assert wrong.returncode == 2
    assert target.read_text() == "old"
    done = run("score", WINE, *COLUMNS, *GRADES, "--markdown", "--output", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert "| accuracy | 0.7117 |" in target.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["out.md"]
    nowhere = run("score", WINE, *COLUMNS, "--output", str(tmp_path / "no" / "x"))
    assert nowhere.returncode == 2
    assert "cannot be written" in nowhere.stderr


def test_warnings_go_to_standard_error() -> None:
    done = run("score", "-", "--truth", "y", "--pred", "p", given="y,p\n1,1\n4,4\n")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: The integers imply the scale Scale(1 < 2 < 3 < 4)")


def test_the_rest() -> None:
    assert run("--version").stdout.startswith("ordeval ")
    assert "oc_index" in run("metrics").stdout
    assert "Source: Cardoso" in run("metrics", "oc_index").stdout
    assert "Decide by gwet_ac2" in run("recommend", "--raters", "--imbalanced").stdout
    assert run("explain", "OE103").stdout.startswith("OE103, rare class")
    assert "ordeval score preds.csv --truth stage" in run("score", "--help").stdout


def test_progress_on_a_terminal_only() -> None:
    few = ["--metric", "accuracy", "--resamples", "199", "--seed", "1"]
    assert run("compare", WINE, *COLUMNS, *GRADES, *few).stderr == ""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "ordeval.cli", "compare", WINE, *COLUMNS, *GRADES, *few],
        stdout=subprocess.PIPE, stderr=theirs, text=True, check=True,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "pairs" in shown
    assert "does best" in done.stdout
