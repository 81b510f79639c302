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
OTHER = np.where(RNG.random(500) < 0.7, TRUE, TRUE % 3 + 1)
OLD = np.where(RNG.random(500) < 0.5, TRUE, TRUE % 3 + 1)
HUMAN = [int(t) if i % 5 == 0 else None for i, t in enumerate(TRUE)]
PROXY = ["--truth", "human", "--proxy", "judge", "--labels", "1..3"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("proxy") / "labels.csv"
    columns = (np.arange(500) // 5, HUMAN, MODEL, JUDGE, OTHER, OLD, [0.2] * 500)
    rows = zip(*columns, strict=True)
    lines = [f"{d},{'' if h is None else h},{','.join(map(str, x))}" for d, h, *x in rows]
    path.write_text("\n".join(["doc,human,model,judge,other,old,chance", *lines]))
    return str(path)


def test_it_says_what_python_says(file: str) -> None:
    for clusters in ([], ["--clusters", "doc"]):
        done = run("score", file, *PROXY, "--pred", "model", "--metric", "cem_ord", *clusters,
                   "--format", "json")  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        (model,) = json.loads(done.stdout)["models"]
        (row,) = model["rows"]
        made = oe.corrected("cem_ord", HUMAN, MODEL, proxy=JUDGE, labels=[1, 2, 3],
                            clusters=np.arange(500) // 5 if clusters else None)  # fmt: skip
        assert row["value"] == pytest.approx(made["cem_ord"], rel=1e-12)
        assert row["low"] == pytest.approx(made.intervals["cem_ord"].low, rel=1e-12)
        assert row["gain"] == pytest.approx(made.gains["cem_ord"], rel=1e-9)


def test_gates_look_at_corrected_values(file: str) -> None:
    done = run("score", file, *PROXY, "--pred", "model", "--fail-under", "accuracy=0.9")
    assert done.returncode == 1
    assert "gate failed: model has accuracy" in done.stderr
    assert "quadratic weighted kappa" in done.stdout
    assert "100 of 500 items have a human label. Values hold if these are a random" in done.stdout


def test_several_models_and_proxies(file: str) -> None:
    done = run("score", file, *PROXY, "--pred", "model", "--pred", "judge", "--metric", "accuracy")
    assert done.stdout.startswith("model\nitems: 500")
    assert "\n\njudge\nitems: 500" in done.stdout
    done = run("compare", file, *PROXY, "--proxy", "other", "--pred", "model", "--pred", "old",
               "--metric", "accuracy", "--inclusion", "chance")  # fmt: skip
    assert "Values hold if the inclusion probabilities are right." in done.stdout
    assert "shorter by" in done.stdout


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
        (["--weight", "doc", "--pred", "model"], "--weight cannot be combined with --proxy."),
        (["--prevalence", "0.2,0.3,0.5", "--pred", "model"], "--prevalence cannot be combined"),
        (["--by", "doc"], "--by needs --pred beside --proxy."),
        (["--confusion"], "--confusion reads a matrix, so options that name columns do not"),
        (["--no-intervals"], "--no-intervals needs --pred beside --proxy."),
        (["--method", "bca", "--pred", "model"], "a proxy cannot be combined with --method bca"),
        (["--metric", "accuracy"], "With --proxy, --metric and --fail-under need --pred."),
        (["--pred", "model", "--metric", "maximum_mae"], "maximum_mae cannot be corrected"),
        (["--level", "95"], "--level must lie between 0 and 1"),
    ],
)  # fmt: skip
def test_what_does_not_go_with_a_proxy(file: str, arguments: list[str], told: str) -> None:
    assert told in refused("score", file, *PROXY, *arguments)


@pytest.mark.parametrize(
    ("truth", "proxy", "told"),
    [
        ("human", "human", "name the same column, 'human'"),
        ("judge", "human", "human has 400 missing values"),
        ("human", "jugde", "jugde"),
    ],
)
def test_columns_that_cannot_be_meant(file: str, truth: str, proxy: str, told: str) -> None:
    assert told in refused("score", file, "--truth", truth, "--proxy", proxy)


def test_the_truth_must_be_named(file: str) -> None:
    assert "Missing --truth" in refused("score", file, "--proxy", "judge")
