"""ordeval tune, and its cut points in the commands that decide."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import run

import ordeval as oe

LABELS = ["--labels", "low,mid,high"]
DATA = ["data.csv", "--truth", "y", "--prob", "p_", *LABELS]


@pytest.fixture
def levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cut points stand in cuts.json, tuned on data.csv."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = np.array(["low", "mid", "high"])
    y = rng.choice(3, 300, p=[0.6, 0.25, 0.15])
    logits = -1.2 * np.abs(np.subtract.outer(y + rng.normal(scale=0.9, size=300), np.arange(3)))
    logits[:, 0] += 2
    prob = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    rows = [
        ",".join([names[i], *map(repr, p.tolist()), *map(repr, p[[0, 2, 1]].tolist())])
        for i, p in zip(y, prob, strict=True)
    ]
    head = "y,p_low,p_mid,p_high,q_low,q_mid,q_high"
    Path("data.csv").write_text("\n".join([head, *rows]) + "\n")
    done = run("tune", *DATA, "--metric", "average_mae", "-o", "cuts.json")
    assert done.returncode == 0, done.stderr
    cuts = oe.models.CutPoints.from_file("cuts.json")
    found: list[str] = oe.models.decide(prob, cuts).tolist()
    again = oe.models.optimal_cut_points(names[y], prob, "average_mae", labels=names.tolist())
    assert cuts.cut_points.tolist() == again.cut_points.tolist()
    return found


def test_it_prints_the_gain(levels: list[str]) -> None:
    said = " ".join(run("tune", *DATA, "--metric", "average_mae").stdout.split())
    assert "Tuned cut points: average MAE" in said
    assert "is significant" in said
    assert "cut point of the expected level" in said


def test_every_command_decides_by_the_file(levels: list[str]) -> None:
    rows = Path("data.csv").read_text().splitlines()
    with_labels = [f"{rows[0]},p", *(f"{r},{x}" for r, x in zip(rows[1:], levels, strict=True))]
    Path("labels.csv").write_text("\n".join(with_labels) + "\n")
    plain = ["labels.csv", "--truth", "y", "--pred", "p", *LABELS]
    rule = ["--decide", "@cuts.json"]

    def rows_of(*words: str) -> list[float]:
        done = run(*words, "--format", "json")
        assert done.returncode == 0, done.stderr
        return [row["value"] for row in json.loads(done.stdout)["models"][0]["rows"]]

    few = ["--metric", "average_mae", "--metric", "cem_ord"]
    assert rows_of("score", *DATA, *rule, *few) == rows_of("score", *plain, *few)
    cuts = run("thresholds", *DATA, *rule).stdout, run("thresholds", *plain).stdout
    figures = [[w for w in text.split() if w.startswith("0.")] for text in cuts]
    assert figures[1]
    assert set(figures[1]) <= set(figures[0])
    two = [*DATA, "--prob", "q_", *rule, *few]
    done = run("compare", *two, "--verbose")
    assert done.returncode == 0, done.stderr
    assert "cut points tuned for average MAE" in " ".join(done.stdout.split())
    done = run("report", *two, "-o", "out.html")
    assert done.returncode == 0, done.stderr
    assert "cut points tuned for average MAE" in Path("out.html").read_text()


def test_with_a_file_the_gain_is_still_printed(levels: list[str]) -> None:
    measure = ["--metric", "average_mae"]
    printed = run("tune", *DATA, *measure).stdout.split()
    beside = run("tune", *DATA, *measure, "-o", "cuts.json").stdout.split()
    assert len(beside) > 20
    assert beside == printed[: len(beside)]


@pytest.mark.parametrize(
    "measure",
    [
        ["weighted_kappa(weights=linear)"],
        ["sensitivity(at_least=high)"],
        ["expected_cost", "--cost", "costs.csv"],
    ],
)
def test_measures_with_parameters_are_tuned_for(levels: list[str], measure: list[str]) -> None:
    Path("costs.csv").write_text("truth,low,mid,high\nlow,0,1,4\nmid,2,0,1\nhigh,9,3,0\n")
    done = run("tune", *DATA, "--metric", *measure, "-o", "own.json")
    assert done.returncode == 0, done.stderr
    value = json.loads(Path("own.json").read_text())["value"]
    words = ["score", *DATA, "--decide", "@own.json", "--metric", *measure, "--format", "json"]
    (row,) = json.loads(run(*words).stdout)["models"][0]["rows"]
    assert row["value"] == pytest.approx(value)


def test_the_file_of_cut_points_is_an_input(levels: list[str]) -> None:
    done = run("score", *DATA, "--decide", "@cuts.json", "-o", "cuts.json")
    assert done.returncode == 2
    assert "would overwrite the input file" in done.stderr
    Path("ci").mkdir()
    for name in ("data.csv", "cuts.json"):
        Path(name).rename(Path("ci", name))
    Path("ci/ordeval.toml").write_text(
        'file = "data.csv"\ntruth = "y"\nprob = "p_"\nlabels = "low,mid,high"\n'
        'decide = "@cuts.json"\nfail_under = "average_mae=9"\n'
    )
    done = run("check", "--config", "ci/ordeval.toml")
    assert done.returncode == 0, done.stderr
    assert "cut points tuned for average MAE" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", *DATA, "--decide", "@none.json"], "--decide: 'none.json' cannot be read"),
        (["score", *DATA, "--decide", "@data.csv"], "--decide: 'data.csv' does not hold cut"),
        (["score", *DATA, "--decide", "best"], "--decide must be mode, median, cost or @cuts.json"),
        (["tune", *DATA, "--prob", "q_", "--metric", "accuracy"], "the probabilities of one model"),
        (["tune", *DATA, "--metric", "accuracy", "--folds", "1"], "--folds must"),
        (["tune", *DATA, "--metric", "ranked_probability_score"], "cut points make"),
    ],
)
def test_what_is_wrong_is_said(levels: list[str], words: list[str], message: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Bug" not in done.stderr
