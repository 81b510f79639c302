"""Probabilities and scores in the command, and measures with parameters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import refused, run

import ordeval as oe
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.model_outputs import RULES
from ordeval.cli.options.option_groups import starting

LEVELS = ["low", "mid", "high"]
N = 240
RNG = np.random.default_rng(4)
Y = RNG.integers(0, 3, N)
WORDS = np.array(LEVELS)[Y].tolist()


def forecasts(sharp: float) -> Any:
    score = RNG.normal(size=(N, 3))
    score[np.arange(N), Y] += sharp
    prob = np.exp(score)
    return (prob / prob.sum(axis=1, keepdims=True)).round(4)


A, B = forecasts(1.5), forecasts(0.8)
SCORE = (A @ np.arange(3.0)).round(4)
RPS, BASE = "ranked_probability_score", ["--truth", "y", "--labels", "low,mid,high"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("outputs") / "preds.csv"
    head = "y,site,patient,a_high,a_low,a_mid,b1,b2,b3,s,label\n"
    lines = [
        f"{WORDS[i]},s{i % 2},P{i // 4},{A[i, 2]},{A[i, 0]},{A[i, 1]},{B[i, 0]},{B[i, 1]},"
        f"{B[i, 2]},{SCORE[i]},{LEVELS[int(B[i].argmax())]}"
        for i in range(N)
    ]
    path.write_text(head + "\n".join(lines) + "\n")
    return str(path)


def values(*words: str) -> dict[str, dict[str, float]]:
    """The values of each model that a command gives as JSON."""
    done = run(*words, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    models = json.loads(done.stdout)["models"]
    return {m["model"]: {row["metric"]: row["value"] for row in m["rows"]} for m in models}


def test_a_prefix(file: str) -> None:
    found = values("score", file, *BASE, "--prob", "a_", "--clusters", "patient")
    there = oe.score(WORDS, A, labels=LEVELS)
    assert found == {"a": pytest.approx(dict(there))}


def test_models_by_name_and_by_list(file: str) -> None:
    found = values(
        "score", file, *BASE, "--prob", "one=a_", "--prob", "b=b1, b2,b3", "--metric", RPS
    )
    assert found == {
        "one": {RPS: pytest.approx(oe.score(WORDS, A, [RPS], labels=LEVELS)[RPS])},
        "b": {RPS: pytest.approx(oe.score(WORDS, B, [RPS], labels=LEVELS)[RPS])},
    }


def test_labels_probabilities_and_scores_side_by_side(file: str) -> None:
    found = values("score", file, *BASE, "--pred", "label", "--prob", "a_", "--score", "s",
                   "--metric", "concordance_index")  # fmt: skip
    assert list(found) == ["label", "a", "s"]
    assert found["s"]["concordance_index"] == pytest.approx(
        oe.concordance_index(WORDS, y_score=SCORE, labels=LEVELS)
    )


def test_comparison(file: str) -> None:
    done = run("compare", file, *BASE, "--prob", "a_", "--prob", "b=b1,b2,b3", "--clusters",
               "patient", "--format", "json")  # fmt: skip
    facts = json.loads(done.stdout)
    there = oe.compare(WORDS, {"a": A, "b": B}, labels=LEVELS,
                       clusters=[f"P{i // 4}" for i in range(N)])  # fmt: skip
    assert [m["name"] for m in facts["models"]] == list(there.models) == ["a", "b"]
    assert "a is best: RPS 0.216" in run(
        "compare", file, *BASE, "--prob", "a_", "--prob", "b=b1,b2,b3"
    ).stdout.replace("\n", " ")


def test_subgroups(file: str) -> None:
    shown = run("score", file, *BASE, "--prob", "a_", "--by", "site", "--metric", RPS).stdout
    assert "2 subgroups" in shown
    assert "s0       120" in shown
    parts = run("compare", file, *BASE, "--score", "s", "--by", "site")
    assert parts.returncode == 0
    said = refused("score", file, *BASE, "--score", "s", "--by", "site")
    assert "--score and --by cannot be combined here; `ordeval compare` accepts both" in said


def test_standard_input(file: str) -> None:
    text = Path(file).read_text()
    done = run("score", "-", *BASE, "--prob", "a_", "--metric", RPS, given=text)
    assert done.stdout == run("score", file, *BASE, "--prob", "a_", "--metric", RPS).stdout


@pytest.mark.parametrize("rule", ["mode", "median"])
def test_the_rule(file: str, rule: str) -> None:
    found = values("score", file, *BASE, "--prob", "a_", "--decide", rule, "--metric", "accuracy")
    there = oe.score(WORDS, A, ["accuracy"], labels=LEVELS, decide=rule)
    assert found["a"] == dict(there)
    assert starting(RULES)("m") == ["mode", "median"]


def test_least_expected_cost(file: str, tmp_path: Path) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text("truth,low,mid,high\nlow,0,1,2\nmid,4,0,1\nhigh,9,4,0\n")
    cost = [[0, 1, 2], [4, 0, 1], [9, 4, 0]]
    words = [*BASE, "--prob", "a_", "--decide", "cost", "--cost", str(costs)]
    found = values("score", file, *words, "--metric", "accuracy")
    there = oe.score(WORDS, A, ["accuracy"], labels=LEVELS, decide=cost)
    assert found["a"] == dict(there)
    assert found["a"] != dict(oe.score(WORDS, A, ["accuracy"], labels=LEVELS))
    plain = run("score", file, *words)
    assert "labels are the level of least expected cost" in " ".join(plain.stdout.split())
    priced = values("score", file, *words, "--metric", "expected_cost")
    assert len(priced["a"]) == 1
    assert "--decide cost needs --cost FILE" in refused("score", file, *BASE, "--prob", "a_",
                                                      "--decide", "cost")  # fmt: skip


def test_gates(file: str) -> None:
    words = ["score", file, *BASE, "--prob", "a_"]
    high = oe.score(WORDS, A, [RPS], labels=LEVELS).intervals[RPS].high
    assert run(*words, "--fail-under", f"{RPS}.high={high + 0.01:.4f}").returncode == 0
    done = run(*words, "--fail-under", f"{RPS}.high={high - 0.01:.4f}")
    assert done.returncode == 1
    assert f"gate failed: a has {RPS}.high" in done.stderr
    assert f"use {RPS}.high=VALUE, not {RPS}.low" in refused(*words, "--fail-under", f"{RPS}.low=1")
    auc = "threshold_auc(at_least=high)"
    done = run(*words, "--metric", auc, "--fail-under", f"{auc}.low=0.999")
    assert done.returncode == 1
    assert "gate failed: a has threshold_auc(at_least='high').low" in done.stderr
    assert run(*words, "--metric", auc, "--fail-under", f"{auc}=0.5").returncode == 0
    assert run(*words, "--fail-under", "oc_index(share=0.25).high=1").returncode == 0


def test_items_that_are_dropped_are_counted(file: str, tmp_path: Path) -> None:
    lines = Path(file).read_text().splitlines()
    fields = lines[3].split(",")
    lines[3] = ",".join([*fields[:3], "", *fields[4:]])
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(lines))
    words = ["score", str(path), *BASE, "--prob", "a_", "--metric", RPS]
    assert "1 item has a missing probability of a, the first in row 3." in refused(*words)
    assert "--drop-missing" in refused(*words)
    done = run(*words, "--drop-missing")
    assert "dropped: 1 missing" in done.stdout
    assert run(*words, "--drop-missing", "--max-dropped", "0").returncode == 1


def test_report(file: str, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    done = run("report", file, *BASE, "--prob", "a_", "--prob", "b=b1,b2,b3", "-o", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert "a is best: RPS 0." in out.read_text()


REFUSED = {
    "no column": (["--prob", "q_"], "there is no column 'q_low'"),
    "no model": (["--prob", "=a_"], "--prob takes a prefix such as p_"),
    "an empty column": (["--prob", "a=b1,,b2"], "--prob takes a prefix"),
    "twice": (["--prob", "a_", "--prob", "a=b1,b2,b3"], "--prob names the model a twice"),
    "too few": (["--prob", "b1,b2"], "one column for each of the 3 levels"),
    "other names": (["--prob", "a_low,b2,s"], "do not name the levels"),
    "no rule": (["--prob", "a_", "--decide", "mean"], "--decide must be mode, median, cost or @"),
    "no probabilities": (["--score", "s", "--decide", "mode"], "--decide needs probabilities"),
    "words": (["--score", "label"], "'label' must hold numbers"),
    "nothing": ([], "(or --prob, --score)"),
    "no measure": (["--prob", "a_", "--metric", "rps(x=1)"], "No measure is called 'rps'"),
    "a proxy": (["--prob", "a_", "--proxy", "s"], "s has 240 labels outside the scale"),
    "a matrix": (["--prob", "a_", "--confusion"], "--confusion reads a matrix"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, file: str) -> None:
    words, message = REFUSED[name]
    assert message in refused("score", file, *BASE, *words)


# Measures with parameters


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("accuracy", "accuracy"),
        ("threshold_auc(at_least=1)", "threshold_auc(at_least=1)"),
        ("sensitivity(at_least=moderate)", "threshold_sensitivity(at_least='moderate')"),
        ("ppv( at_least = very severe )", "threshold_ppv(at_least='very severe')"),
        ("npv(at_least='a, (b) = 1')", "threshold_npv(at_least='a, (b) = 1')"),
        ('auc(at_least="3")', "threshold_auc(at_least='3')"),
        ("auc(at_least=≥II)", "threshold_auc(at_least='≥II')"),
        ("auc(at_least=true)", "threshold_auc(at_least='true')"),
        ("auc(at_least=mild, early)", "threshold_auc(at_least='mild, early')"),
        ("auc(at_least=mod (II))", "threshold_auc(at_least='mod (II)')"),
        ("auc(at_least='it's = bad')", "threshold_auc(at_least='it's = bad')"),
        ('brier(at_least=5" or more)', "threshold_brier(at_least='5' or more')"),
        (" oc_index ( share = 0.25 ) ", "oc_index(share=0.25)"),
        ("ranked_probability_score(normalize=true)", "ranked_probability_score(normalize=True)"),
        ("weighted_kappa(weights=linear)", "weighted_kappa(weights='linear')"),
    ],
)
def test_measures_are_read(text: str, name: str) -> None:
    metric = read_measure(text)
    assert metric.name.replace('"', "'") in (name, name.replace("'", ""))


@pytest.mark.parametrize(
    "text",
    ["accuracy()", "oc_index(share=)", "oc_index(0.25)", "oc_index(share=0.25", "oc_index)share(",
     "oc_index(share=0.25)(share=0.5)", "oc_index(share=0.25,)", "oc_index(share=0.25, share=0.5)",
     "oc_index(share=[1])", "oc_index(share=__import__('os'))", "oc_index(share=1e9999)",
     "accuracy_within(n=9999999999999999999)", "auc(at_least=)", "auc(at_least='a)",
     "auc(at_least=a, at_least=b)", "auc(at_least=a,)", "oc_index(share=a b(c))"],
)  # fmt: skip
def test_what_is_no_measure(text: str) -> None:
    with pytest.raises(oe.ParameterError, match="--metric takes a name, or a name with parameters"):
        read_measure(text)


def test_parameters_that_are_lacking_or_unknown(file: str) -> None:
    words = ["score", file, *BASE, "--score", "s", "--metric"]
    assert "is not a level of Scale" in refused(*words, "threshold_auc(at_least=7)")
    assert "is the lowest level of Scale" in refused(*words, "threshold_auc(at_least=low)")
    said = refused(*words, "auc(at_least=mid)", "--fail-under", "auc=0.5")
    assert "write, in quotes, 'threshold_auc(at_least=LEVEL)'" in said
    assert "cut" in refused(*words, "threshold_auc(cut=1)")


@pytest.mark.parametrize("command", ["metrics", "properties"])
def test_a_measure_is_explained(command: str) -> None:
    done = run(command, "oc_index(share=0.25)" if command == "metrics" else "accuracy_within(n=1)")
    assert done.returncode == 0
    assert run("metrics", "threshold_auc").returncode == 0
