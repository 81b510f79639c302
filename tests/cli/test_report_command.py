"""ordeval report: one comparison, written to as many files as are named."""

from __future__ import annotations

import json
import re
from pathlib import Path

from commands import COLUMNS, FEW, GRADES, WINE, refused, run


def test_a_report_in_several_formats(tmp_path: Path) -> None:
    data = tmp_path / "sites.csv"
    data.write_text("site,y,p,q\n" + "north,1,1,1\nnorth,2,2,1\nsouth,1,2,1\nsouth,2,2,2\n" * 20)
    columns = ["--truth", "y", "--pred", "p", "--pred", "q", "--labels", "1,2", "--by", "site"]
    files = [tmp_path / name for name in ("out.html", "out.md", "out.tex", "out.json")]
    written = [x for path in files for x in ("-o", str(path))]
    done = run("report", str(data), *columns, *FEW, "--title", "Wine & co", *written)
    assert (done.returncode, done.stderr) == (0, "")
    assert "p and q tie: accuracy 0.750" in done.stdout
    assert f"The report is in {', '.join(map(str, files))}." in done.stdout
    page = files[0].read_text()
    assert page.startswith("<!doctype html>")
    assert "Wine &amp; co" in page
    assert "ordeval report" in page  # how it was made
    assert "north" in page
    assert "| model |" in files[1].read_text()
    assert "\\begin{table}" in files[2].read_text()
    assert json.loads(files[3].read_text())["schema"] == 1


def test_a_comment_links_to_the_report(tmp_path: Path) -> None:
    page, comment = tmp_path / "out.html", tmp_path / "comment.md"
    given = ["report", WINE, *COLUMNS, *GRADES, *FEW, "--brief", "-o", str(page)]
    assert run(*given, "-o", str(comment)).returncode == 0
    text = comment.read_text()
    assert "**forest is best: " in text
    assert text.count("| --- |\n") == 1
    assert text.endswith("[Report](<out.html>)\n")
    assert "add -o comment.md" in refused(*given)


def test_units_have_their_names(tmp_path: Path) -> None:
    data = tmp_path / "slides.csv"
    rows = [f"P{i // 3},{'AB'[i % 2]},{i % 3},{i % 3},{i % 2}" for i in range(90)]
    data.write_text("\n".join(["patient,site,y,p,q", *rows]))
    columns = ["--truth", "y", "--pred", "p", "--pred", "q", "--labels", "0,1,2", "--by", "site"]
    units = ["--clusters", "patient", "--unit", "image", "--cluster-unit", "patient"]
    page, text = tmp_path / "out.html", tmp_path / "out.md"
    files = ["-o", str(page), "-o", str(text)]
    done = run("report", str(data), *columns, *FEW, *units, *files)
    assert done.returncode == 0
    said = text.read_text()
    assert "90 images in 30 patients" in said
    assert "| site | images |" in said
    assert not re.search(r"\d (items?|clusters?)\b|clusters of items", said)
    assert "contributions of the 30 patients" in page.read_text()
    compared = run("compare", str(data), *columns[:-2], *FEW, *units, "--verbose", "--all").stdout
    assert compared.count("the images of a patient together") == 2


def test_a_report_with_a_margin(tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    asked = ["--reference", "logistic", "--margin", "0.03", "--method", "percentile"]
    done = run("report", WINE, *COLUMNS, *GRADES, *FEW, *asked, "-o", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    text = out.read_text()
    assert "forest is non-inferior to logistic by a margin of 0.03 in accuracy (difference " in text
    assert "percentile bootstrap intervals from 199 resamples of items" in text


def test_where_a_report_cannot_go(tmp_path: Path) -> None:
    assert "Missing output file: add -o report.html" in refused("report", WINE, *COLUMNS)
    message = refused("report", WINE, *COLUMNS, "-o", str(tmp_path / "out.pdf"))
    assert "--output must end in .html, .htm, .md, .tex, .json or .docx; got" in message
    data = tmp_path / "preds.json"
    data.write_text('{"y": 1, "p": 1}\n')
    message = refused("report", str(data), "--truth", "y", "--pred", "p", "-o", str(data))
    assert "would overwrite the input file" in message
    assert "Missing --truth and --pred" in refused("report", WINE, "-o", str(tmp_path / "out.html"))
