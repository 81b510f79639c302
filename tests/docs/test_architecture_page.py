"""The architecture page: each journey is run, and calls its steps in the order of the page."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ordeval as oe

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `(?P<file>[\w/]+\.py)` `(?P<name>\w+)`: (?P<text>.+)$")
LEVELS = [1, 2, 3]
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(1, 4, 120)
A = np.clip(TRUTH + RNG.integers(-1, 2, 120), 1, 3)
B = np.where(RNG.random(120) < 0.8, TRUTH, A)
TABLE = pd.DataFrame(
    {
        "y": TRUTH,
        "a": A,
        "b": B,
        "site": np.where(RNG.random(120) < 0.5, "north", "south"),
        "patient": np.arange(120) // 3,
    }
)


def journeys() -> dict[str, list[re.Match[str]]]:
    found = {}
    for part in PAGE.split("\n### ")[1:]:
        title, *lines = part.strip().splitlines()
        steps = [STEP.match(line) for line in lines if line.strip()]
        assert all(steps), f"a line of {title} is not a step"
        found[title] = [s for s in steps if s]
    return found


def compare_a_file(folder: Path) -> None:
    from ordeval.cli import app

    TABLE.to_parquet(folder / "preds.parquet")
    words = ["compare", str(folder / "preds.parquet"), "--truth", "y", "--pred", "a", "--pred", "b"]
    done = CliRunner().invoke(app, [*words, "--labels", "1..3"])
    assert done.exit_code == 0, done.output


def score_subgroups(_: Path) -> None:
    data = oe.Predictions.from_frame(TABLE, "y", "a", labels=LEVELS, by="site", clusters="patient")
    oe.score(data)


RUNS: dict[str, Callable[[Path], Any]] = {
    "oe.score(y": lambda _: oe.score(TRUTH, A, labels=LEVELS),
    "oe.compare(": lambda _: oe.compare(TRUTH, {"a": A, "b": B}, labels=LEVELS).to_html(),
    "ordeval compare": compare_a_file,
    "oe.judge(": lambda _: oe.judge(np.stack([TRUTH, B, A], axis=1), {"j": B}, labels=LEVELS),
    "oe.calibration(": lambda _: oe.calibration(
        oe.Predictions(TRUTH, {"a": np.eye(3)[A - 1] * 0.7 + 0.1}, labels=LEVELS)
    ),
    "oe.score(oe": score_subgroups,
    "oe.plan(": lambda _: oe.plan(
        "cem_ord", oe.Predictions(TRUTH, A, labels=LEVELS), half_width=0.05
    ),
}


def first_calls(run: Callable[[], Any]) -> dict[tuple[str, str], int]:
    """The functions and classes of the package that a run calls, in the order of their first."""
    found: dict[tuple[str, str], int] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        _, package, file = code.co_filename.replace("\\", "/").rpartition("/ordeval/")
        if event == "call" and package:
            found.setdefault((file, code.co_qualname.split(".")[0]), len(found))

    run()  # what is imported, registered or kept for later calls is not part of a journey
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def test_there_are_seven_journeys() -> None:
    assert [next(r for r in RUNS if t.startswith(f"`{r}")) for t in journeys()] == list(RUNS)
    assert all(len(steps) >= 5 for steps in journeys().values())


@pytest.mark.parametrize("title", journeys())
def test_a_journey_takes_its_steps_in_order(title: str, tmp_path: Path) -> None:
    (run,) = (f for start, f in RUNS.items() if title.startswith(f"`{start}"))
    called = first_calls(lambda: run(tmp_path))
    steps = [(step["file"], step["name"]) for step in journeys()[title]]
    assert [s for s in steps if s not in called] == []
    assert [called[s] for s in steps] == sorted(called[s] for s in steps)


def test_a_wrong_order_is_noticed() -> None:
    called = first_calls(lambda: oe.score(TRUTH, A, labels=LEVELS))
    assert called["data/items.py", "count_labels"] < called["inference/influence.py", "influence"]
    assert ("report/page.py", "page") not in called


def test_contributing_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)`: `(\w+)`", text)
    assert len(named) > 10
    code = {f: (ROOT / "src" / "ordeval" / f).read_text(encoding="utf-8") for f, _ in named}
    assert [x for x in named if not re.search(rf"^(class|def) {x[1]}\b", code[x[0]], re.M)] == []
