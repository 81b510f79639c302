"""Files that the command writes: whole or not at all, in the format that their name tells."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commands import COLUMNS, GRADES, WINE, refused, run

MATRIX = ["score", "-", "--confusion", "--metric", "accuracy", "-o"]


def test_the_name_of_the_output_tells_its_format(tmp_path: Path) -> None:
    starts = {
        ".json": "{", ".csv": "model,metric", ".tex": r"\paragraph{forest}",
        ".md": "## Scores\n\n### forest\n\nitems",
        ".txt": "forest\nitems", ".CSV": "model,metric",
    }  # fmt: skip
    for ending, start in starts.items():
        target = tmp_path / f"out{ending}"
        assert run("score", WINE, *COLUMNS, *GRADES, "-o", str(target)).returncode == 0
        assert target.read_text().startswith(start)


def test_the_format_that_is_asked_for_decides(tmp_path: Path) -> None:
    target = tmp_path / "out.dat"
    assert run(*MATRIX, str(target), "--format", "json", given="1 0; 0 1").returncode == 0
    assert target.read_text().startswith("{")


def test_an_output_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    target.write_text("old")
    refused("score", WINE, "--truth", "no", "--pred", "forest", "--output", str(target))
    assert target.read_text() == "old"
    done = run("score", WINE, *COLUMNS, *GRADES, "--output", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert r"| accuracy | 0.7117 \[0.689, 0.733\] |" in target.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["out.md"]
    message = refused("score", WINE, *COLUMNS, "--output", str(tmp_path / "no" / "x.txt"))
    assert "cannot be written" in message


def test_a_written_file_keeps_its_kind(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert run(*MATRIX, str(tmp_path / "link.txt"), given="1 0; 0 1").returncode == 0
    assert (tmp_path / "link.txt").is_symlink()
    assert "accuracy" in (tmp_path / "real.txt").read_text()
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640
    (tmp_path / "folder.txt").mkdir()
    assert "Is a directory" in refused(*MATRIX, str(tmp_path / "folder.txt"), given="1 0; 0 1")


PAIR = ["--truth", "y", "--pred", "p"]
DATA = "y,p\n1,1\n2,2\n"


def test_the_data_are_never_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "preds.csv"
    path.write_text(DATA)
    (tmp_path / "link.csv").symlink_to(path)
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "sub").mkdir()
    names = (
        str(path),
        "preds.csv",
        "./sub/../preds.csv",
        "no/../preds.csv",
        "link.csv",
        "hard.csv",
    )
    for target in names:
        for command in ("score", "compare", "meta"):
            case = ["--case", "y"] if command == "meta" else []
            message = refused(command, str(path), *PAIR, *case, "-o", target)
            assert "would overwrite the input file" in message
    assert {p.read_text() for p in tmp_path.glob("*.csv")} == {DATA}


def test_the_file_of_the_labels_is_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scale.json").write_text("[1, 2]")
    Path("preds.csv").write_text("id,y,p\n1,1,1\n2,2,2\n")
    commands: dict[str, list[str]] = {
        "score": PAIR, "compare": PAIR, "thresholds": PAIR, "report": PAIR,
        "calibration": ["--truth", "y", "--prob", "p_"],
        "decision-curve": ["--truth", "y", "--prob", "p_"],
        "meta": [*PAIR, "--case", "y"], "agree": ["--item", "id", "--rater-col", "y"],
        "judge": ["--item", "id", "--rater-col", "y", "--judge", "p"],
    }  # fmt: skip
    Path("scale.html").hardlink_to("scale.json")
    for command, given in commands.items():
        target = "scale.html" if command == "report" else "scale.json"
        labels = ["--labels", "@scale.json", "-o", target]
        message = refused(command, "preds.csv", *given, *labels)
        assert f"--output '{target}' would overwrite the input file" in message
    explored = ["preds.csv", *PAIR, "--labels", "@scale.json", "-o", "scale.html"]
    assert "would overwrite the input file" in refused("explore", *explored)
    planned = ["--metric", "accuracy", "--accuracy", "0.8", "--half-width", "0.1"]
    assert "would overwrite the input file" in refused(
        "plan", *planned, "--labels", "@scale.json", "-o", "no/../scale.json"
    )
    assert Path("scale.json").read_text() == "[1, 2]"


@pytest.mark.parametrize("pattern", ["parts/*.csv", "parts/?.csv", "**/[ab].csv", "./parts/a*.csv"])
@pytest.mark.parametrize("target", ["parts/a.csv", "link.csv", "parts/../parts/a.csv"])
def test_no_file_of_a_pattern_is_written_over(
    pattern: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("parts").mkdir()
    for name in "ab":
        Path(f"parts/{name}.csv").write_text(DATA)
    Path("link.csv").symlink_to("parts/a.csv")
    for command in ("score", "compare"):
        message = refused(command, pattern, *PAIR, "-o", target, "--format", "csv")
        assert f"would overwrite a file that '{pattern}' matches" in message
    # Written now, it would be read as data the next time.
    new = {"parts/?.csv": "parts/c.csv", "**/[ab].csv": "b.csv"}.get(pattern, "parts/ab.csv")
    assert "matches" in refused("score", pattern, *PAIR, "-o", new)
    assert not Path(new).exists()
    assert run("score", pattern, *PAIR, "-o", "elsewhere.csv").returncode == 0
    assert {p.read_text() for p in Path("parts").iterdir()} == {DATA}


def test_no_file_of_a_folder_is_written_over(tmp_path: Path) -> None:
    import duckdb

    part = tmp_path / "site=1" / "part.parquet"
    part.parent.mkdir()
    duckdb.sql(f"copy (select 1 as y, 1 as p) to '{part}' (format parquet)")
    before = part.read_bytes()
    given = ["score", str(tmp_path), *PAIR, "--labels", "1,2", "--format", "csv", "-o"]
    for target in (part, tmp_path / "new.parquet"):
        assert "matches" in refused(*given, str(target))
    assert part.read_bytes() == before
    assert run(*given, str(tmp_path / "scores.csv")).returncode == 0


@pytest.mark.parametrize("command", ["score", "compare"])
def test_an_unknown_ending_is_an_error_that_lists_the_known(command: str, tmp_path: Path) -> None:
    for name in ("t.xlsx", "t", "t.csv.gz", "t.html"):
        message = refused(command, WINE, *COLUMNS, "-o", str(tmp_path / name))
        assert (
            "--output must end in .txt, .json, .csv, .md, .tex or .docx, or add --format" in message
        )
    assert list(tmp_path.iterdir()) == []


LONG: dict[str, list[str]] = {
    "score": [WINE, *COLUMNS], "compare": [WINE, *COLUMNS], "report": [WINE, *COLUMNS],
    "meta": [WINE, *COLUMNS, "--case", "always_5"],
    "plan": ["--metric", "accuracy", "--from", WINE, *COLUMNS[:4], "--half-width", "0.1"],
    "metrics": [], "recommend": [], "properties": [], "reproduce": [],
}  # fmt: skip


@pytest.mark.parametrize("command", LONG)
def test_what_cannot_be_written_is_said_before_the_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = ".md"
    (tmp_path / "plain.txt").write_text("a file")
    (tmp_path / f"folder{ending}").mkdir()
    (tmp_path / f"dangling{ending}").symlink_to("no/where.txt")
    places = {
        tmp_path / "no" / f"out{ending}": "there is no such folder",
        tmp_path / "plain.txt" / f"out{ending}": "there is no such folder",
        tmp_path / f"folder{ending}": "Is a directory",
        tmp_path / f"dangling{ending}": "No such file or directory",
    }
    # Nothing is read or computed: the first thing that all of these would do is not there.
    for work in ("Predictions", "recommend", "metrics"):
        monkeypatch.setattr(f"ordeval.{work}", None)
    for path, why in places.items():
        message = refused(command, *LONG[command], "-o", str(path))
        assert message == f"ordeval: {str(path)!r} cannot be written: {why}.\n"
    target = tmp_path / f"out{ending}"
    target.write_text("old")
    for locked in (target, tmp_path):
        monkeypatch.setattr(
            "os.access",
            lambda path, mode, locked=locked: mode != os.W_OK or Path(path) != locked.resolve(),
        )
        assert "cannot be written: Permission denied" in refused(
            command, *LONG[command], "-o", str(target)
        )
    assert target.read_text() == "old"


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "b.html").symlink_to("a.json")
    (tmp_path / "a.json").write_text("{}")
    outputs = ["-o", str(tmp_path / "a.json"), "-o", str(tmp_path / "b.html")]
    assert "b.html' is given twice" in refused("report", WINE, *COLUMNS, *outputs)
    assert (tmp_path / "a.json").read_text() == "{}"
