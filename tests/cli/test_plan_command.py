"""ordeval plan: pilot data, a matrix or words; formats; what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import STAGES, refused, run

import ordeval as oe

ACCURACY = ["plan", "--metric", "accuracy"]
PILOT = ["plan", "--metric", "cem_ord", "--from", STAGES, "--truth", "stage", "--labels",
         "I,II,III,IV"]  # fmt: skip
WORDS = [*ACCURACY, "--accuracy", "0.7", "--k", "3"]
MATRIX = "26 4 1; 3 5 4; 0 3 10"


def facts(*arguments: str, given: str = "") -> dict[str, object]:
    done = run(*arguments, "--format", "json", given=given)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


def test_pilot_data_are_as_in_python() -> None:
    found = facts(*PILOT, "--pred", "model_a", "--half-width", "0.05")
    cm = oe.ConfusionMatrix.from_file(STAGES, "stage", "model_a", ["I", "II", "III", "IV"])
    assert found["kind"] == "ordeval.plan"
    assert found["items"] == oe.plan("cem_ord", cm, half_width=0.05).items
    shown = run(*PILOT, "--pred", "model_a", "--half-width", "0.05").stdout
    assert f"with a 95% interval of ±0.05, plan {found['items']} items." in shown


def test_two_models_are_called_by_their_columns() -> None:
    both = ["--pred", "model_a", "--pred", "model_b"]
    done = run(*PILOT, *both, "--power", "0.8")
    better = "model_a is better than model_b", "model_b is better than model_a"
    assert any(f"To show that {said} by CEM (closeness)" in done.stdout for said in better)
    said = run(*PILOT, *both, "--power", "0.8", "--margin", "0.2").stdout
    assert "To show that model_a is non-inferior to model_b by a margin of 0.2" in said


def test_clusters_of_pilot_data_are_taken_over() -> None:
    found = facts(*PILOT, "--pred", "model_a", "--half-width", "0.05", "--clusters", "patient")
    assert found["cluster_size"] == 3
    assert isinstance(found["icc"], float)
    assert 0 < found["icc"] < 1
    told = facts(*PILOT, "--pred", "model_a", "--half-width", "0.05", "--clusters", "patient",
                 "--cluster-size", "6", "--icc", "0.1")  # fmt: skip
    assert (told["cluster_size"], told["icc"]) == (6, 0.1)


def test_a_matrix_of_counts_or_shares(tmp_path: Path) -> None:
    given = [*ACCURACY, "--confusion", "--half-width", "0.1", "--labels", "I,II,III"]
    counted = facts(*given, "--from", "-", given=MATRIX)
    path = tmp_path / "shares.csv"
    rows = [[float(x) / 56 for x in row.split()] for row in MATRIX.split(";")]
    path.write_text("\n".join(",".join(map(str, row)) for row in rows))
    assert facts(*given, "--from", str(path))["items"] == counted["items"]


def test_human_labels_beside_a_proxy(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 4, 600)
    judge = np.where(rng.random(600) < 0.95, truth, 2)
    model = np.where(rng.random(600) < 0.7, truth, 2)
    human = ["" if i % 3 else str(y) for i, y in enumerate(truth)]
    rows = [",".join(map(str, row)) for row in zip(human, model, judge, strict=True)]
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(["y,a,judge", *rows]))
    given = [*ACCURACY, "--from", str(path), "--truth", "y", "--pred", "a", "--labels", "1..3"]
    found = facts(*given, "--proxy", "judge", "--half-width", "0.06")
    known = [int(y) if y else None for y in human]
    data = oe.Predictions(known, model, labels=[1, 2, 3], proxy=judge)
    assert found["items"] == oe.plan("accuracy", data, half_width=0.06).items
    assert found["labelled_of"] == 600
    assert "--proxy" in refused(*WORDS, "--half-width", "0.1", "--proxy", "judge")


def test_words() -> None:
    found = facts(*WORDS, "--half-width", "0.05", "--spread", "0.5", "--class-shares", "2,1,1")
    plan = oe.plan("accuracy", accuracy=0.7, k=3, spread=0.5, class_shares=[2, 1, 1],
                   half_width=0.05)  # fmt: skip
    assert found["items"] == plan.items
    two = facts(*WORDS, "--accuracy", "0.8", "--power", "0.9", "--overlap", "0.5", "--level", "0.9")
    python = oe.plan("accuracy", accuracy=[0.7, 0.8], k=3, power=0.9, overlap=0.5, level=0.9)
    assert two["items"] == python.items


def test_sizes_and_formats(tmp_path: Path) -> None:
    asked = [*WORDS, "--half-width", "0.05", "--items", "100", "--items", "200"]
    table = run(*asked, "--format", "csv").stdout.splitlines()
    assert table[0] == "metric,items,clusters,half_width,planned"
    assert [row.split(",")[1] for row in table[1:3]] == ["100", "200"]
    assert run(*asked, "--format", "latex").stdout.startswith("\\paragraph{Plan}\n\nTo estimate ")
    output = tmp_path / "plan.md"
    assert run(*asked, "-o", str(output)).stdout == ""
    assert "| items | half-width |" in output.read_text()


ONE_WAY = "Pass exactly one of --from FILE and --accuracy (such as --accuracy 0.7 --k 5)."
WRONG: dict[str, tuple[list[str], str]] = {
    "measure": (["plan", "--half-width", "0.1"], "Missing --metric NAME."),
    "nothing": ([*ACCURACY, "--half-width", "0.1"], ONE_WAY),
    "both": ([*WORDS, "--half-width", "0.1", "--from", STAGES], ONE_WAY),
    "no wish": (WORDS, "pass exactly one of --half-width (target precision)"),
    "columns": ([*PILOT, "--half-width", "0.1"], "Missing --pred (or --prob). Columns: patient"),
    "columns of words": (
        [*WORDS, "--half-width", "0.1", "--truth", "y"],
        "Without --from there are no columns to read; leave out --truth, --pred, --clusters, ",
    ),
    "columns of a matrix": (
        [*PILOT, "--confusion", "--half-width", "0.1"],
        "--confusion reads a matrix, not columns; leave out --truth,",
    ),
    "three models": (
        [*PILOT, *(x for m in ("model_a", "model_b", "patient") for x in ("--pred", m)),
         "--power", "0.8", "--drop-unknown"],
        ("pilot data need labels or probabilities of one model, or of two to compare; got model_a "
        "(labels), model"),
    ),
    "no items": (
        [*PILOT, "--pred", "model_a", "--pred", "patient", "--power", "0.8", "--drop-unknown"],
        "no item has a label in every column.",
    ),
    "classes": (
        [*ACCURACY, "--accuracy", "0.7", "--half-width", "0.1"],
        ("the number of classes is missing: --k must be an integer >= 2, or pass "
        "--labels; got None."),
    ),
    "shares": (
        [*WORDS, "--half-width", "0.1", "--class-shares", "1,x,1"],
        "--class-shares must be an array of numbers; got [1.0, 'x', 1.0]",
    ),
    "sizes": (
        [*WORDS, "--half-width", "0.1", "--items", "1"],
        "--items must be numbers of items, integers >= 2; got 1.",
    ),
    "icc": ([*WORDS, "--half-width", "0.1", "--cluster-size", "3"], "--cluster-size needs --icc,"),
    "empty": (
        [*ACCURACY, "--half-width", "0.1", "--confusion", "--from", "-"],
        "--from has no items: all cells are zero.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=list(WRONG))
def test_wrong_usage_is_one_message_and_exit_2(arguments: list[str], message: str) -> None:
    assert message in refused(*arguments, given="0 0; 0 0")


def test_the_data_are_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "pilot.csv"
    path.write_text("y,p\n" + "1,1\n2,1\n2,2\n" * 20)
    given = [*ACCURACY, "--from", str(path), "--truth", "y", "--pred", "p", "--labels", "1,2"]
    message = refused(*given, "--half-width", "0.1", "-o", str(path))
    assert "would overwrite the input file." in message
