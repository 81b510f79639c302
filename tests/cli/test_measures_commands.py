"""The commands about measures and warnings: metrics, recommend, explain, properties, meta."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import pytest
from commands import refused, run


def test_the_list_of_measures() -> None:
    assert "oc_index" in run("metrics").stdout
    rows = json.loads(run("metrics", "--format", "json").stdout)["rows"]
    assert {"cem_ord", "auoc"} <= {row["metric"] for row in rows}
    assert run("metrics", "--format", "csv").stdout.startswith("metric,better,range")


def test_one_measure(tmp_path: Path) -> None:
    assert "Source: Cardoso" in run("metrics", "oc_index").stdout
    (row,) = json.loads(run("metrics", "oc_index", "--format", "json").stdout)["rows"]
    assert (row["metric"], row["better"]) == ("oc_index", "lower")
    assert run("metrics", "oc_index", "-o", str(tmp_path / "oc.txt")).stdout == ""
    assert "Source: Cardoso" in (tmp_path / "oc.txt").read_text()
    assert "Did you mean oc_index" in refused("metrics", "ocindex")


@pytest.mark.parametrize("shape", ["json", "csv", "markdown", "latex"])
def test_a_recommendation_has_every_format(shape: str) -> None:
    text = run("recommend", "--imbalanced", "--format", shape).stdout
    assert "cem_ord" in text.replace("\\", "")
    if shape == "json":
        roles = [row["role"] for row in json.loads(text)["rows"]]
        assert roles == ["primary", "companion", "companion"]


def test_recommend() -> None:
    assert (
        "Use Gwet's AC2 (quadratic weights)" in run("recommend", "--raters", "--imbalanced").stdout
    )
    assert "Use CEM (closeness)" in run("recommend").stdout  # no terminal, no questions
    message = refused("recommend", "--outputs", "logits")
    assert '--outputs must be "labels", "probabilities" or "scores"; got \'logits\'' in message
    assert "`ordeval metrics` lists them all" in refused("recommend", "--mandated", "zzz")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("OE103", "OE103, rare class"),
        ("oe101", "Declare --labels."),
    ],
)
def test_explain(code: str, text: str) -> None:
    assert text in run("explain", code).stdout


def test_explain_what_is_no_code() -> None:
    assert "no warning has the code 'OE999'; codes: OE101" in refused("explain", "OE999")


def test_properties() -> None:
    done = run("properties", "accuracy")
    assert "ordinal_monotonicity" in done.stdout
    assert "accuracy breaks imbalance" in done.stdout
    rows = json.loads(run("properties", "accuracy", "--format", "json").stdout)["rows"]
    assert {r["property"]: r["holds"] for r in rows}["imbalance"] is False


def test_meta(tmp_path: Path) -> None:
    rng = random.Random(1)
    lines = ["case,y,a,b,c"]
    for i in range(300):
        y = rng.randint(1, 4)
        guesses = [y if rng.random() < p else rng.randint(1, 4) for p in (0.9, 0.6, 0.3)]
        lines.append(",".join(map(str, (f"q{i % 10}", y, *guesses))))
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    columns = ["--truth", "y", "--pred", "a", "--pred", "b", "--pred", "c", "--case", "case"]
    done = run("meta", str(path), *columns, "--labels", "1..4", "--metric", "cem_ord",
               "--metric", "accuracy")  # fmt: skip
    assert "3 systems, 10 test cases, 3 pairs" in done.stdout
    assert "cem_ord" in done.stdout
    assert "--case COLUMN" in refused("meta", str(path), *columns[:-2])


def test_properties_in_word(tmp_path: Path) -> None:
    file = tmp_path / "properties.docx"
    assert run("properties", "cem_ord", "-o", str(file)).returncode == 0
    assert zipfile.is_zipfile(file)
