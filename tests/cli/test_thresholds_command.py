"""ordeval thresholds, and --cost."""

import csv
import io
import json
from pathlib import Path

import pytest
from commands import STAGES, refused, run

import ordeval as oe

SCALE = ["I", "II", "III", "IV"]
GIVEN = ["--truth", "stage", "--pred", "model_a", "--labels", "I,II,III,IV"]
COSTS = "truth,IV,III,II,I\nI,9,4,1,0\nII,4,1,0,2\nIII,1,0,3,8\nIV,0,3,10,30\n"


def test_the_command_shows_what_python_finds() -> None:
    found = oe.thresholds(
        oe.Predictions.from_file(STAGES, "stage", "model_a", labels=SCALE, clusters="patient")
    )
    done = run("thresholds", STAGES, *GIVEN, "--clusters", "patient")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == found.to_text(100) + "\n"
    made = json.loads(run("thresholds", STAGES, *GIVEN, "--format", "json").stdout)
    assert made["kind"] == "ordeval.thresholds"
    (model,) = made["models"]
    assert [row["cut"] for row in model["rows"]] == [">= II", ">= III", ">= IV"]


def test_several_models_have_a_table_each() -> None:
    done = run("thresholds", STAGES, *GIVEN, "--pred", "model_b", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [r["model"] for r in rows] == ["model_a"] * 3 + ["model_b"] * 3
    expected = oe.thresholds(oe.Predictions.from_file(STAGES, "stage", "model_b", labels=SCALE))
    assert float(rows[-1]["npv_low"]) == expected.cuts[-1]["npv"].low


def test_columns_are_needed() -> None:
    done = run("thresholds", STAGES)
    assert done.returncode == 2
    assert "Missing --truth and --pred (or --prob, --score). Columns:" in done.stderr


@pytest.fixture
def costs(tmp_path: Path) -> str:
    (tmp_path / "costs.csv").write_text(COSTS)
    return str(tmp_path / "costs.csv")


def test_costs_from_a_file(costs: str) -> None:
    cm = oe.ConfusionMatrix.from_file(STAGES, "stage", "model_a", labels=SCALE)
    expected = oe.expected_cost.from_confusion(cm, cost=oe.read_costs(costs, SCALE))
    asked = ["--metric", "expected_cost", "--metric", "accuracy", "--cost", costs]
    for command in ("score", "compare"):
        done = run(command, STAGES, *GIVEN, *asked, "--format", "json")
        assert done.returncode == 0, done.stderr
        assert f"{expected:.12f}"[:12] in done.stdout
    missed = run("score", STAGES, *GIVEN, *asked, "--fail-under", "expected_cost=0.38")
    assert missed.returncode == 1
    assert f"model_a has expected_cost {expected:.4f}; 0.38 or better" in missed.stderr
    passed = run("compare", STAGES, *GIVEN, *asked, "--fail-under", "expected_cost.high=0.6")
    assert passed.returncode == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*GIVEN, "--metric", "accuracy"], "--cost is for measures that take costs; name one"),
        (GIVEN, "--cost is for measures that take costs; name one with --metric: expected_cost,"),
        (
            [*GIVEN[:4], "--metric", "expected_cost"],
            "--cost needs the order of the levels: add --labels",
        ),
        ([*GIVEN[:5], "I,II,III", "--metric", "expected_cost"], "'IV' is not among them."),
    ],
)
def test_costs_that_do_not_fit(costs: str, options: list[str], said: str) -> None:
    for command in ("score", "compare"):
        done = run(command, STAGES, *options, "--cost", costs)
        assert done.returncode == 2
        assert said in done.stderr


def test_the_file_of_costs_is_not_written_over(costs: str) -> None:
    done = run("score", STAGES, *GIVEN, "--metric", "expected_cost", "--cost", costs, "-o", costs)
    assert done.returncode == 2
    assert "would overwrite the input file" in done.stderr
    assert Path(costs).read_text() == COSTS


@pytest.mark.parametrize("asked", ["sensitivity", "threshold_sensitivity", "Sensitivity"])
def test_a_measure_without_its_cut_has_a_row_for_each(asked: str) -> None:
    words = [STAGES, "--truth", "stage", "--pred", "model_a", "--labels", "I,II,III,IV"]
    done = run("score", *words, "--metric", asked, "--metric", "accuracy", "--format", "json")
    rows = [row["metric"] for row in json.loads(done.stdout)["models"][0]["rows"]]
    cuts = [f"threshold_sensitivity(at_least='{x}')" for x in ("II", "III", "IV")]
    assert rows == [*cuts, "accuracy"]


def test_the_measure_that_decides_needs_its_cut() -> None:
    words = [STAGES, "--truth", "stage", "--pred", "model_a", "--pred", "model_b"]
    words += ["--labels", "I,II,III,IV", "--metric"]
    said = refused("compare", *words, "sensitivity")
    assert "choose one with --metric 'threshold_sensitivity(at_least=II)'" in said
    done = run("compare", *words, "sensitivity(at_least=III)", "--metric", "ppv")
    assert done.returncode == 0
    assert (
        "threshold_ppv(at_least='IV')"
        in run(
            "compare", *words, "sensitivity(at_least=III)", "--metric", "ppv", "--format", "json"
        ).stdout
    )
