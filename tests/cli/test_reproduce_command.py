"""ordeval reproduce: what the papers print, to the terminal and to files."""

from __future__ import annotations

import json
from pathlib import Path

import docx
from commands import refused, run


def test_one_table_in_several_formats(tmp_path: Path) -> None:
    page, facts, word = (tmp_path / f"out.{x}" for x in ("html", "json", "docx"))
    files = [x for path in (page, facts, word) for x in ("-o", str(path))]
    done = run("reproduce", "cardoso2011", "--table", "4", *files)
    assert done.returncode == 0, done.stderr
    assert "cardoso2011" in done.stdout.lower() or "Cardoso" in done.stdout
    assert page.read_text().startswith("<!doctype html>")
    assert {"schema", "values", "counts"} <= set(json.loads(facts.read_text()))
    assert docx.Document(str(word)).tables[0].rows[1].cells[0].text == "cardoso2011 Table 4"


def test_what_cannot_be_reproduced(tmp_path: Path) -> None:
    message = refused("reproduce", "-o", str(tmp_path / "out.pdf"))
    assert "--output must end in .html, .json, .csv, .docx, .htm, .md or .tex; got" in message
    message = refused("reproduce", "-o", str(tmp_path / "no" / "out.html"))
    assert "cannot be written: there is no such folder" in message
    assert refused("reproduce", "nobody2000")
    assert "--seed must be an integer >= 0" in refused("reproduce", "--seed", "-1")
