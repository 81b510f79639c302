"""Files that the command writes: whole or not at all, in the format that their name tells."""

from __future__ import annotations

from pathlib import Path

from commands import COLUMNS, GRADES, WINE, refused, run

MATRIX = ["score", "-", "--confusion", "--metric", "accuracy", "-o"]


def test_the_name_of_the_output_tells_its_format(tmp_path: Path) -> None:
    starts = {
        ".json": "{", ".csv": "model,metric", ".tex": "% forest", ".md": "forest\n\nitems",
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


def test_the_data_are_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv"
    path.write_text("y,p\n1,1\n2,2\n")
    (tmp_path / "link.csv").symlink_to(path)
    for target in (path, tmp_path / "link.csv"):
        message = refused("score", str(path), "--truth", "y", "--pred", "p", "-o", str(target))
        assert "is the file that is read" in message
    assert path.read_text() == "y,p\n1,1\n2,2\n"
