"""ordeval agree: long and wide files, gates, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import refused, run

import ordeval as oe

# Krippendorff's example: 12 items, 4 raters, raters are rows.
EXAMPLE = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . 3",
    "C": ". 3 3 3 2 3 4 2 2 5 1 .",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
GRADES = {rater: text.split() for rater, text in EXAMPLE.items()}
LONG = "id,who,grade,doc\n" + "".join(
    f"{i},{rater},{grade},d{i // 3}\n"
    for rater, grades in GRADES.items()
    for i, grade in enumerate(grades)
    if grade != "."
)
WIDE = "id,A,B,C,D\n" + "".join(
    ",".join([str(i), *(GRADES[r][i].replace(".", "") for r in GRADES)]) + "\n" for i in range(12)
)
NAMES = ["--item", "id", "--rater", "who", "--rating", "grade"]
COLUMNS = ["--item", "id", *(x for r in GRADES for x in ("--rater-col", r))]
SCALE = ["--labels", "1..5"]


@pytest.fixture
def long(tmp_path: Path) -> str:
    (tmp_path / "long.csv").write_text(LONG)
    return str(tmp_path / "long.csv")


@pytest.fixture
def wide(tmp_path: Path) -> str:
    (tmp_path / "wide.csv").write_text(WIDE)
    return str(tmp_path / "wide.csv")


def test_long_and_wide_are_one(long: str, wide: str) -> None:
    found = []
    for arguments in ([long, *NAMES], [wide, *COLUMNS]):
        done = run("agree", *arguments, *SCALE, "--format", "json")
        assert (done.returncode, done.stderr) == (0, "")
        found.append(json.loads(done.stdout))
    assert found[0]["rows"] == found[1]["rows"]
    assert found[0]["kind"] == "ordeval.rating_scores"
    values = {r["metric"]: round(r["value"], 5) for r in found[0]["rows"]}
    assert values["krippendorff_alpha"] == 0.81539  # Krippendorff 2011
    assert values["gwet_ac2"] == 0.91400
    assert list(values) == [
        *("krippendorff_alpha", "fleiss_kappa", "fleiss_kappa(weights='nominal')"),
        *("conger_kappa", "intraclass_correlation", "gwet_ac2", "brennan_prediger"),
    ]


def test_it_is_as_in_python(long: str) -> None:
    ratings = oe.Ratings.from_file(long, "id", "who", "grade", labels=range(1, 6), clusters="doc")
    expected = ratings.agreement("krippendorff_alpha", level=0.9)
    asked = ["--metric", "krippendorff_alpha", "--clusters", "doc", "--level", "0.9"]
    done = run("agree", long, *NAMES, *SCALE, *asked)
    assert done.stdout.rstrip() == expected.to_text(100).rstrip()
    assert "12 items in 4 clusters, of which 11 rated twice or more, 4 raters" in done.stdout


def test_other_raters_might_have_been_asked(long: str) -> None:
    def ends(*more: str) -> tuple[float, float]:
        asked = ["--metric", "fleiss_kappa", "--format", "json", *more]
        (row,) = json.loads(run("agree", long, *NAMES, *SCALE, *asked).stdout)["rows"]
        return row["low"], row["high"]

    (low, high), (lower, higher) = ends(), ends("--random-raters")
    assert lower < low < high < higher


@pytest.mark.parametrize(
    ("gate", "code"),
    [("krippendorff_alpha=0.8", 0), ("krippendorff_alpha=0.9", 1),
     ("krippendorff_alpha.low=0.67", 1), ("krippendorff_alpha.low=0.05", 0)],
)  # fmt: skip
def test_gates(long: str, gate: str, code: int) -> None:
    done = run("agree", long, *NAMES, *SCALE, "--fail-under", gate)
    assert done.returncode == code
    name = gate.partition("=")[0]
    assert bool(done.stderr) is bool(code)
    assert f"long.csv has {name} " in done.stderr or not code


def test_a_gate_adds_its_measure(long: str) -> None:
    asked = ["--metric", "fleiss_kappa", "--fail-under", "gwet_ac2=0.5", "--format", "csv"]
    done = run("agree", long, *NAMES, *SCALE, *asked)
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == [
        "fleiss_kappa",
        "gwet_ac2",
    ]


def test_standard_input_and_usual_names() -> None:
    given = LONG.replace("id,who,grade", "item,rater,rating")
    done = run("agree", "-", *SCALE, given=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"Krippendorff's alpha \(ordinal\) +0\.8154 ", done.stdout)
    assert "Fleiss' kappa (quadratic weights) " in done.stdout
    assert "Fleiss' kappa (unweighted) " in done.stdout


def test_files(long: str, tmp_path: Path) -> None:
    for name, start in (("a.md", "12 items"), ("a.tex", "\\paragraph"), ("a.csv", "metric,")):
        out = tmp_path / name
        assert run("agree", long, *NAMES, *SCALE, "-o", str(out)).stdout == ""
        assert out.read_text().lstrip("*").startswith(start) or "| measure |" in out.read_text()


def test_runs_of_one_rater(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "item,rater,rating\n" + "1,j,1\n1,j,2\n2,j,3\n2,j,3\n3,j,2\n3,j,2\n" + "4,j,1\n"
    )
    message = refused("agree", str(path), "--labels", "1..3")
    assert "'j' rated the item '1' more than once" in message
    assert "--duplicates runs" in message
    done = run("agree", str(path), "--labels", "1..3", "--duplicates", "runs")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Runs of one rater count as separate raters." in done.stdout


def test_runs_of_several_raters(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [f"{i},{who},{1 + (i + n) % 3}" for i in range(9) for who in "ab" for n in range(2)]
    path.write_text("\n".join(["item,rater,rating", *rows, "0,c,1", "1,c,2"]) + "\n")
    done = run("agree", str(path), "--labels", "1..3", "--duplicates", "runs")
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 raters, 38 ratings" in done.stdout
    assert "the runs of a rater share its weight" in done.stdout
    assert re.search(r"measure +a \(2 runs\) +b \(2 runs\)\n", done.stdout)


WRONG: dict[str, tuple[list[str], str]] = {
    "both": ([*NAMES, *COLUMNS[2:]], "--rater-col is for wide files"),
    "no column": (["--item", "id"], "or the raters of a wide file by --rater-col."),
    "two raters": ([*NAMES, "--metric", "weighted_kappa"], "is not a measure of many raters"),
    "duplicates": ([*NAMES, "--duplicates", "mean"], '--duplicates must be "raise" or "runs"'),
    "labels": ([*NAMES, "--labels", "1..4"], "5"),
    "gate": ([*NAMES, "--fail-under", "accuracy=0.5"], "accuracy is not a measure of many raters"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str, long: str) -> None:
    arguments, message = WRONG[case]
    assert message in refused("agree", long, *arguments)
