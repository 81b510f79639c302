"""--prevalence, --mix and --over: what the command says of a target population."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import refused, run

import ordeval as oe

RNG = np.random.default_rng(1)
TRUE = RNG.integers(1, 4, 300)
A = np.where(RNG.random(300) < 0.8, TRUE, TRUE % 3 + 1)
B = np.where(RNG.random(300) < 0.6, TRUE, TRUE % 3 + 1)
SITE = np.where(RNG.random(300) < 0.3, "clinic", "hospital")
OPTIONS = ["--truth", "y", "--pred", "a", "--pred", "b", "--labels", "1..3"]
SHARES = [0.7, 0.2, 0.1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("population")
    rows = [f"{y},{a},{b},{s}" for y, a, b, s in zip(TRUE, A, B, SITE, strict=True)]
    (path / "preds.csv").write_text("\n".join(["y,a,b,site", *rows]))
    (path / "registry.csv").write_text("grade,patients\n1,700\n2,200\n3,100\n")
    (path / "registry.json").write_text('{"3": 100, "2": 200, "1": 700}')
    return path


def _rows(*arguments: str) -> Any:
    done = run(*arguments, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0.7,0.2,0.1", SHARES),
        ("2=0.2,1=0.7,3=0.1", SHARES),
        ("@registry.csv", [700, 200, 100]),
        ("@registry.json", [700, 200, 100]),
    ],
)
def test_shares_may_be_written_in_several_ways(folder: Path, given: str, expected: Any) -> None:
    if given.startswith("@"):
        given = f"@{folder / given[1:]}"
    file = str(folder / "preds.csv")
    found = _rows("score", file, *OPTIONS, "--metric", "cem_ord", "--prevalence", given)
    made = oe.score(TRUE, A, ["cem_ord"], labels=[1, 2, 3], prevalence=expected)
    (row,) = found["models"][0]["rows"]
    ends = made.intervals["cem_ord"]
    assert (row["value"], row["low"], row["high"]) == pytest.approx(
        (made["cem_ord"], ends.low, ends.high), rel=1e-9
    )


def test_predictive_values_at_the_prevalence_of_the_clinic(folder: Path) -> None:
    file, shares = str(folder / "preds.csv"), ["--prevalence", "0.7,0.2,0.1"]
    done = run("thresholds", file, "--truth", "y", "--pred", "a", "--labels", "1..3", *shares)
    made = oe.thresholds(TRUE, A, labels=[1, 2, 3], prevalence=SHARES)
    assert f"{made['>= 2']['ppv'].estimate:.3f}" in done.stdout
    assert "target prevalence: 1 (70%), 2 (20%) and 3 (10%)" in done.stdout
    confusion = run("score", "-", "--confusion", *shares, given="26 4 1; 3 5 4; 0 3 10")
    assert "target prevalence" in confusion.stdout


def test_a_mix_of_strata_and_an_average_over_tasks(folder: Path) -> None:
    file = str(folder / "preds.csv")
    data = oe.Predictions(TRUE, {"a": A, "b": B}, labels=[1, 2, 3], by={"site": SITE})
    mix, over = {"clinic": 0.9, "hospital": 0.1}, {"site": {"clinic": 3, "hospital": 1}}
    asked = ["--metric", "accuracy"]
    for options, given in (
        (["--by", "site", "--mix", "clinic=0.9,hospital=0.1"], {"mix": mix}),
        (["--over", "site"], {"over": "site"}),
        (["--over", "site", "--task-weights", "clinic=3,hospital=1"], {"over": over}),
    ):
        made = oe.compare(data, ["accuracy"], **given)
        found = _rows("compare", file, *OPTIONS, *asked, *options)
        assert found["deltas"][0]["delta"] == pytest.approx(made.deltas()[0].delta)
        assert found["population"] == made.population
        scored = _rows("score", file, *OPTIONS, *asked, *options)
        expected = made.estimates["accuracy"]["a"].estimate
        assert scored["models"][0]["rows"][0]["value"] == pytest.approx(expected)


def test_the_report_says_which_population_it_is_about(folder: Path, tmp_path: Path) -> None:
    page, file = tmp_path / "out.html", str(folder / "preds.csv")
    for options, said in (
        (["--prevalence", "0.7,0.2,0.1"], "target prevalence: 1 (70%)"),
        (["--over", "site"], "averages over 2 sites, all of equal weight"),
        (["--by", "site", "--mix", "clinic=0.9,hospital=0.1"], "target shares of the strata"),
    ):
        done = run("report", file, *OPTIONS, "--metric", "accuracy", "-o", str(page), *options)
        assert (done.returncode, done.stderr) == (0, "")
        assert said in page.read_text()
        page.unlink()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--prevalence", "0.7,0.2,0.2"], "must hold shares that sum to 1"),
        (["--prevalence", "0.7,x=0.2"], "--prevalence takes a number for each name"),
        (["--prevalence", "1=0.7,1=0.3"], "each once"),
        (["--prevalence", "@nowhere.csv"], "could not be read"),
        (["--prevalence", "1=0.5,2=0.5,4=0"], "'4', which is not in the data"),
        (["--mix", "clinic=0.9,hospital=0.1"], "--by"),
        (["--task-weights", "clinic=1"], "--task-weights needs --over."),
        (["--over", "nowhere"], "nowhere"),
        (["--over", "site", "--method", "bca"], "cannot be combined with --method bca"),
    ],
)
def test_what_is_refused(folder: Path, options: list[str], told: str) -> None:
    assert told in refused("compare", str(folder / "preds.csv"), *OPTIONS, *options)
