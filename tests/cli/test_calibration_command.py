"""ordeval calibration: the same numbers as in Python, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import run

import ordeval as oe

LEVELS = ["low", "mid", "high"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    frame = pd.DataFrame({"y": np.array(LEVELS)[y], "who": np.arange(90) // 3})
    for name in "ab":
        prob = rng.dirichlet([1, 1, 1], 90) + np.eye(3)[y]
        for k, level in enumerate(LEVELS):
            frame[f"{name}_{level}"] = prob[:, k] / prob.sum(axis=1)
    path = tmp_path / "p.csv"
    frame.to_csv(path, index=False)
    return str(path)


def test_it_says_what_python_says(file: str) -> None:
    given = ["calibration", file, "--truth", "y", "--labels", "low,mid,high", "--clusters", "who"]
    done = run(*given, "--prob", "a_", "--format", "json")
    assert done.returncode == 0
    frame = pd.read_csv(file)
    prob = frame[[f"a_{x}" for x in LEVELS]]
    found = oe.calibration(frame["y"], prob, labels=LEVELS, clusters=frame["who"])
    shown = json.loads(done.stdout)["models"][0]["rows"]
    assert [x["rps"] for x in shown] == pytest.approx([x["rps"] for x in found.rows()])
    both = run(*given, "--prob", "a_", "--prob", "b_")
    assert both.returncode == 0
    assert both.stdout.count("decomposition of the RPS") == 2


def test_decision_curves_and_their_differences_are_those_of_python(file: str) -> None:
    given = ["decision-curve", file, "--truth", "y", "--labels", "low,mid,high", "--clusters"]
    given += ["who", "--prob", "a=a_", "--prob", "b=b_", "--at", "0.2", "--at", "0.1"]
    shown = json.loads(run(*given, "--format", "json").stdout)
    frame = pd.read_csv(file)
    prob = {x: frame[[f"{x}_{level}" for level in LEVELS]] for x in "ab"}
    found = oe.decision_curve(
        frame["y"], prob, labels=LEVELS, clusters=frame["who"], probabilities=[0.1, 0.2]
    )
    assert [x["gain"] for x in shown["rows"]] == [x["gain"] for x in found.rows()]
    assert shown["difference_rows"] == found.difference_rows()
    assert "differences in net benefit" in run(*given).stdout
    assert "name their columns with --prob" in run(*given[:5], "--pred", "y").stderr


def test_labels_have_no_calibration(file: str) -> None:
    done = run("calibration", file, "--truth", "y", "--pred", "y", "--labels", "low,mid,high")
    assert done.returncode == 2
    assert "no option --pred" in done.stderr
