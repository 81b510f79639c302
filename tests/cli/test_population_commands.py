"""ordeval leaderboard and ordeval label."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from commands import refused, run

import ordeval as oe

LONG = ["--truth", "y", "--item", "id", "--model-col", "model", "--pred-col", "grade"]
TASKS = [*LONG, "--task", "task", "--labels", "1..4"]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A long table of five models on three tasks; one model lacks a task."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("board") / "long.csv"
    lines = ["id,task,model,y,grade"]
    for t in range(3):
        y = rng.integers(1, 5, 80)
        for m, right in enumerate((0.9, 0.88, 0.7, 0.5, 0.5)):
            if (m, t) == (4, 1):
                continue
            p = np.where(rng.random(80) < right, y, y % 4 + 1)
            each = zip(y, p, strict=True)
            lines += [f"{t}-{i},task {t},model <{m}>,{a},{b}" for i, (a, b) in enumerate(each)]
    path.write_text("\n".join(lines))
    return path


def test_the_board_is_one_page_with_ranks_tiers_and_values_by_task(board: Path) -> None:
    page, data = board.parent / "board.html", board.parent / "board.json"
    done = run("leaderboard", str(board), *TASKS, "-o", str(page), "-o", str(data))
    assert (done.returncode, done.stderr) == (0, "")
    assert "The leaderboard is in" in done.stdout
    text, found = page.read_text(), json.loads(data.read_text())
    assert found["population"].startswith("Values are averages over 3 tasks")
    assert "model <4> has no predictions for task 1, so it is left out." in found["population"]
    assert "model &lt;4&gt; has no predictions for task 1" in text
    assert text.count("<tr class=") == 4
    assert "Values by task" in text
    assert "<script src" not in text
    first, last = found["tiers"][0], found["tiers"][-1]
    assert "model <0>" in first
    assert "model <3>" in last
    assert "model <3>" not in first
    ranges = {
        r["model"]: (r["rank_low"], r["rank_high"]) for r in found["estimates"] if "rank" in r
    }
    low, high = ranges["model <0>"]
    assert f'<span class="span">{low}–{high}</span>' in text


def test_it_is_the_comparison_over_the_tasks(board: Path) -> None:
    done = run("leaderboard", str(board), *TASKS, "--metric", "weighted_kappa")
    data = oe.Predictions.from_file(
        board, "y", "grade", item="id", model="model", by="task", labels=[1, 2, 3, 4]
    )
    made = oe.compare(data, ["weighted_kappa"], over="task")
    best = made.models[0]
    assert f"{made.estimates['weighted_kappa'][best].estimate:.3f}" in done.stdout
    weights = ["--task-weights", "task 0=1,task 1=0,task 2=0"]
    assert run("leaderboard", str(board), *TASKS, *weights).returncode == 0


def test_weights_of_a_board_name_the_tasks_without_one(board: Path) -> None:
    """The option is --task-weights here; --over belongs to other commands."""
    said = refused("leaderboard", str(board), *TASKS, "--task-weights", "task 0=1")
    assert "give each task a weight: task 1 and task 2 have none" in said


def test_tiers_are_cut_where_models_differ_from_the_first_of_a_tier() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 400)
    models = {
        f"m{i}": np.where(rng.random(400) < p, y, (y + 1) % 4)
        for i, p in enumerate((0.95, 0.94, 0.7, 0.68, 0.3))
    }
    found = oe.compare(y, models, ["accuracy"], labels=range(4))
    tiers = json.loads(found.to_json())["tiers"]
    assert [sorted(t) for t in tiers] == [["m0", "m1"], ["m2", "m3"], ["m4"]]


def test_items_are_chosen_with_their_probabilities(board: Path) -> None:
    output = board.parent / "to_label.csv"
    done = run("label", str(board), "--budget", "60", "--strata", "task", "--seed", "1",
               "-o", str(output))  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("60 items of 1,120 are chosen for labels; see")
    with output.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1120
    assert [r["chosen"] for r in rows[:61]] == ["1"] * 60 + ["0"]
    assert sum(float(r["inclusion"]) for r in rows) == pytest.approx(60)
    by_task = {r["task"]: float(r["inclusion"]) for r in rows}
    assert by_task["task 1"] == pytest.approx(20 / 320)
    again = run("label", str(board), "--budget", "60", "--strata", "task", "--seed", "1")
    assert again.stdout == output.read_text()
    spread = run("label", str(board), "--budget", "60", "--uncertainty", "grade")
    assert len({r["inclusion"] for r in csv.DictReader(spread.stdout.splitlines())}) == 4


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--budget", "5000"], "--budget must be at most 1,120"),
        (["--budget", "5", "--strata", "tsk"], "no column 'tsk'"),
        (["--budget", "5", "--uncertainty", "task"], "--uncertainty must be an array of numbers"),
        (["--budget", "5", "--strata", "task", "--uncertainty", "grade"], "exactly one"),
    ],
)
def test_what_label_refuses(board: Path, options: list[str], told: str) -> None:
    assert told in refused("label", str(board), *options)


def test_a_table_that_was_drawn_before_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "drawn.csv"
    path.write_text("id,chosen\n1,0\n2,1\n")
    assert "has a column 'chosen' already" in refused("label", str(path), "--budget", "1")


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "xlsx"])
def test_every_format_gives_the_same_board_and_the_same_items(
    board: Path, tmp_path: Path, kind: str
) -> None:
    pd = pytest.importorskip("pandas")
    table, path = pd.read_csv(board), tmp_path / f"long.{kind}"
    if kind == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        pytest.importorskip("pyarrow" if kind == "parquet" else "python_calamine")
        table.to_parquet(path) if kind == "parquet" else table.to_excel(path, index=False)
    for command in (
        ["leaderboard", *TASKS, "--metric", "accuracy"],
        ["label", "--budget", "20", "--strata", "task", "--seed", "1"],
    ):
        name, *options = command
        first, second = (run(name, str(x), *options).stdout for x in (board, path))
        assert first
        assert first == second
