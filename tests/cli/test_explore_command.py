"""ordeval explore, and the items of ordeval report."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from commands import STAGES, refused, run
from tests.pasted import ACCEPTED, ROWS

import ordeval as oe

SCALE = ["I", "II", "III", "IV"]
GIVEN = ["--truth", "stage", "--pred", "model_a", "--pred", "model_b", "--labels", "I,II,III,IV"]


def models_of(path: Path) -> dict[str, Any]:
    page = path.read_text(encoding="utf-8")
    (given,) = re.findall(r'data-given="([^"]*)"', page)
    return {m["name"]: m for m in json.loads(unescape(given))["models"]}


def test_a_matrix_and_a_file_of_labels(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    given = "26 4 1; 3 5 4; 0 3 10"
    done = run("explore", "-", "--labels", "I,II,III", "-o", str(out), given=given)
    assert done.stdout == f"The page is in {out}.\n"
    assert models_of(out)["matrix"]["counts"] == [[26, 4, 1], [3, 5, 4], [0, 3, 10]]
    assert run("explore", STAGES, *GIVEN, "-o", str(out)).returncode == 0
    found = models_of(out)
    for model in ("model_a", "model_b"):
        cm = oe.ConfusionMatrix.from_file(STAGES, "stage", model, labels=SCALE)
        assert found[model]["counts"] == cm.counts.tolist()
        assert found[model]["levels"] == SCALE


@pytest.mark.parametrize("how", ["Python", "NumPy", "MATLAB", "tabular", "Markdown", "pandas"])
def test_a_matrix_as_people_write_it(tmp_path: Path, how: str) -> None:
    text, names = ACCEPTED[how]
    file, out = tmp_path / "printed.txt", tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    assert run("explore", str(file), "-o", str(out)).returncode == 0
    found = models_of(out)["printed.txt"]  # not the way to it, which is nobody's business
    assert found["counts"] == [[int(x) for x in row] for row in ROWS]
    assert found["levels"] == list(names or "012")


def test_names_and_labels_must_agree(tmp_path: Path) -> None:
    text, _ = ACCEPTED["Markdown"]
    out = ["-o", str(tmp_path / "page.html")]
    assert run("explore", "-", "--labels", "a,b,c", *out, given=text).returncode == 0
    said = refused("explore", "-", "--labels", "c,b,a", *out, given=text)
    assert "has the levels a, b and c, in this order, but --labels says c, b and a." in said


def test_a_file_of_labels_needs_its_columns(tmp_path: Path) -> None:
    assert "--truth" not in refused("explore", str(tmp_path / "none.csv"))
    said = refused("explore", STAGES, "-o", str(tmp_path / "page.html"))
    assert "is not a confusion matrix" in said
    assert "If it contains labels, name their columns: --truth COLUMN --pred COLUMN." in said


def test_a_file_without_items_is_refused_as_by_score(tmp_path: Path) -> None:
    path, page = tmp_path / "head.csv", tmp_path / "page.html"
    path.write_text("stage,a,patient,w\n")
    given = [str(path), "--truth", "stage", "--pred", "a", "--labels", "I,II"]
    said = refused("score", *given)
    assert said == "ordeval: a has no items to score.\n"
    assert refused("explore", *given, "-o", str(page)) == said
    assert not page.exists()
    for more in ([], ["--clusters", "patient"], ["--weight", "w"]):
        assert refused("thresholds", *given, *more) == said
    path.write_text("stage,a\nI,\n")
    dropped = refused("explore", *given, "--drop-missing", "-o", str(page))
    assert "a has no items to score; dropped: 1 missing." in dropped


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "page.html")]
    assert "Missing FILE" in refused("explore", *GIVEN, *out)
    assert "of labels need --truth COLUMN and --pred COLUMN" in refused(
        "explore", STAGES, "--encoding", "latin-1", *out
    )
    assert "of labels need --truth COLUMN and --pred COLUMN" in refused(
        "explore", STAGES, "--drop-missing", *out
    )
    assert "must end in .html or .htm" in refused("explore", "-o", str(tmp_path / "page.pdf"))
    assert "Missing --pred." in refused("explore", STAGES, "--truth", "stage", *out)
    report = ["report", STAGES, *GIVEN, *out]
    assert "--show needs --id." in refused(*report, "--show", "clinic")
    assert "at least 1" in refused(*report, "--id", "patient", "--items-per-cell", "0")
    assert list(tmp_path.iterdir()) == []


def test_the_items_of_a_report(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    options = ["--metric", "cem_ord", "--id", "patient", "--show", "clinic", "--seed", "1",
               "--items-per-cell", "2", "-o", str(out)]  # fmt: skip
    assert run("report", STAGES, *GIVEN, *options).returncode == 0
    first = json.loads(out.read_text(encoding="utf-8"))
    cm = oe.ConfusionMatrix.from_file(STAGES, "stage", "model_a", labels=SCALE)
    (view,) = [v for v in first["details"] if v["name"] == "model_a"]
    for cell in view["items"]:
        assert cell["total"] == cm.counts[cell["true"], cell["predicted"]]
        assert 0 < len(cell["items"]) <= 2
    assert sum(cell["total"] for cell in view["items"]) == cm.total
    assert run("report", STAGES, *GIVEN, *options).returncode == 0
    assert json.loads(out.read_text(encoding="utf-8"))["details"] == first["details"]


def test_ids_that_several_items_have_say_so(tmp_path: Path) -> None:
    """Rows are counted where the data live, so that which row it was is not known."""
    given, out = tmp_path / "given.csv", tmp_path / "report.json"
    rows = ["x10,1,2", "x9,1,2", "x9,1,2", "x9,2,2", "y,2,1", "z,2,2"]
    given.write_text("\n".join(["case,t,p", *rows, ""]), encoding="utf-8")
    options = ["--metric", "accuracy", "--id", "case", "-o", str(out)]
    done = run("report", str(given), "--truth", "t", "--pred", "p", "--labels", "1,2", *options)
    assert done.returncode == 0
    (view,) = json.loads(out.read_text(encoding="utf-8"))["details"]
    cell = next(c for c in view["items"] if (c["true"], c["predicted"]) == (0, 1))
    assert cell["items"] == [["x9", ""], ["x9", ""], ["x10", ""]]
    assert cell["which"] == ["one of 3 items"] * 2 + [""]
