"""ordeval score --proxy: few human labels, many judged ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import refused, run

import ordeval as oe

RNG = np.random.default_rng(0)
TRUE = RNG.integers(1, 4, 500)
MODEL = np.clip(TRUE + RNG.integers(-1, 2, 500), 1, 3)
JUDGE = np.where(RNG.random(500) < 0.85, TRUE, TRUE % 3 + 1)
HUMAN = [int(t) if i % 5 == 0 else None for i, t in enumerate(TRUE)]
PROXY = ["--truth", "human", "--proxy", "judge", "--labels", "1..3"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("proxy") / "labels.csv"
    rows = zip(np.arange(500) // 5, HUMAN, MODEL, JUDGE, strict=True)
    lines = [f"{d},{'' if h is None else h},{m},{j}" for d, h, m, j in rows]
    path.write_text("\n".join(["doc,human,model,judge", *lines]))
    return str(path)


def test_it_says_what_python_says(file: str) -> None:
    for clusters in ([], ["--clusters", "doc"]):
        done = run("score", file, *PROXY, "--pred", "model", "--metric", "cem_ord", *clusters,
                   "--format", "json")  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        (model,) = json.loads(done.stdout)["models"]
        (row,) = model["rows"]
        found = oe.corrected("cem_ord", HUMAN, MODEL, proxy=JUDGE, labels=[1, 2, 3],
                             clusters=np.arange(500) // 5 if clusters else None)  # fmt: skip
        assert row["estimate"] == pytest.approx(found.estimate, rel=1e-12)
        assert row["low"] == pytest.approx(found.low, rel=1e-12)
        assert (row["items"], row["labelled"]) == (500, 100)
        assert row["clusters"] == (100 if clusters else 0)


def test_by_default_a_panel_is_shown_and_gates_look_at_corrected_values(file: str) -> None:
    done = run("score", file, *PROXY, "--pred", "model", "--fail-under", "accuracy=0.9")
    assert done.returncode == 1
    assert "gate failed: model has accuracy" in done.stderr
    assert "weighted_kappa" in done.stdout
    assert "items: 500, of which 100 have a human label" in done.stdout
    assert "random subset" in done.stdout


def test_several_models(file: str) -> None:
    done = run("score", file, *PROXY, "--pred", "model", "--pred", "judge", "--metric", "accuracy")
    assert done.stdout.startswith("model\nitems: 500")
    assert "\n\njudge\nitems: 500" in done.stdout


def test_without_predictions_it_is_the_distribution(file: str) -> None:
    done = run("score", file, *PROXY, "--format", "csv")
    lines = done.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "metric", "mean", "share of 1", "share of 2", "share of 3",
    ]  # fmt: skip
    assert "mean" in run("score", file, "--truth", "human", "--proxy", "judge").stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--weight", "doc"], "--weight cannot be combined with --proxy."),
        (["--by", "doc"], "--by cannot be combined with --proxy."),
        (["--confusion"], "--confusion cannot be combined with --proxy."),
        (["--no-intervals"], "--no-intervals cannot be combined with --proxy."),
        (["--method", "bca"], "--method cannot be combined with --proxy."),
        (["--metric", "accuracy"], "With --proxy, --metric and --fail-under need --pred."),
        (["--pred", "judge", "--metric", "accuracy"], "--fail-under need --pred."),
        (["--pred", "model", "--metric", "maximum_mae"], "maximum_mae cannot be corrected"),
        (["--level", "95"], "--level must lie between 0 and 1"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_a_proxy(file: str, arguments: list[str], told: str) -> None:
    assert told in refused("score", file, *PROXY, *arguments)


@pytest.mark.parametrize(
    ("truth", "proxy", "told"),
    [
        ("human", "human", "--proxy and --truth name the same column, 'human'"),
        ("judge", "human", "human has 400 missing values"),
        ("human", "jugde", "there is no column 'jugde'. Did you mean 'judge'?"),
    ],
)
def test_columns_that_cannot_be_meant(file: str, truth: str, proxy: str, told: str) -> None:
    labels = PROXY[PROXY.index("--labels") :] if "--labels" in PROXY else []
    assert told in refused("score", file, "--truth", truth, "--proxy", proxy, *labels)


def test_the_truth_must_be_named(file: str) -> None:
    assert "Missing --truth (the true labels that are known)" in refused(
        "score", file, "--proxy", "judge"
    )
