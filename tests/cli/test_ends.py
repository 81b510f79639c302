"""How a process ends: exit codes, streams and special files, whatever happens inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND, STAGES, WINE, refused, run

import ordeval.cli.explain

MATRIX = ["score", "-", "--confusion", "--metric", "accuracy"]
PAIR = ["--truth", "y", "--pred", "p"]


def _process(*arguments: str | bytes, given: bytes = b"1 0; 0 1", **more: Any) -> Any:
    environment = {**os.environ, "COLUMNS": "100", **more.pop("env", {})}
    streams = {} if "stdout" in more else {"stdout": subprocess.PIPE}
    return subprocess.run(
        [*COMMAND, *arguments], input=given, stderr=subprocess.PIPE, check=False, env=environment,
        **streams, **more,
    )  # fmt: skip


def _shell(line: str, given: str = "1 0; 0 1") -> Any:
    """A line of bash, in which `ordeval` is this command."""
    script = f'ordeval() {{ "{sys.executable}" -m ordeval "$@"; }}\nset -o pipefail\n{line}'
    return subprocess.run(
        ["bash", "-c", script], input=given, capture_output=True, text=True, check=False
    )


# Faults of ordeval itself


def test_a_fault_is_one_sentence_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(code: str) -> str:
        raise ZeroDivisionError("a line\nand another \x1b[31m")

    monkeypatch.setattr(ordeval.cli.explain.oe, "explain", breaks)
    monkeypatch.delenv("ORDEVAL_DEBUG", raising=False)
    assert refused("explain", "OE101") == (
        "ordeval: Bug in ordeval, not in your data: ZeroDivisionError: a line and "
        "another \\x1b[31m. Please report it; set ORDEVAL_DEBUG=1 to see the traceback.\n"
    )
    monkeypatch.setenv("ORDEVAL_DEBUG", "1")
    shown = run("explain", "OE101")
    assert shown.returncode == 2
    assert "Traceback" in shown.stderr
    assert "raise ZeroDivisionError" in shown.stderr


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 2, "Not enough memory"),
        (RecursionError("too deep"), 2, "Bug in ordeval, not in your data: RecursionError"),
        (PermissionError(13, "Permission denied", "data.csv"), 2, "'data.csv': Permission denied."),
        (UnicodeEncodeError("utf-8", "\udcff", 0, 1, "no"), 2, "Bug in ordeval"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_whatever_is_raised(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: str) -> str:
        raise error

    monkeypatch.setattr(ordeval.cli.explain.oe, "explain", breaks)
    done = run("explain", "OE101")
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == (code == 2)


def test_out_of_memory() -> None:
    small = """
import resource
from pathlib import Path
from ordeval.cli import main
import ordeval.inference.intervals, ordeval.inference.planning, scipy.stats
now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (200 << 20), now + (200 << 20)))
main()
"""
    words = [
        "plan",
        "--metric",
        "cem_ord",
        "--accuracy",
        "0.7",
        "--k",
        "2000",
        "--half-width",
        "0.1",
    ]
    done = subprocess.run(
        [sys.executable, "-c", small, *words], capture_output=True, text=True, check=False,
        timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, ""), done.stderr[-300:]
    assert "Traceback" not in done.stderr
    assert "Not enough memory" in done.stderr


# Bytes that are no text


def test_bytes_that_are_no_text_in_words(tmp_path: Path) -> None:
    for arguments in (
        [b"\xff.csv", *PAIR], [WINE, "--truth", b"\xff", "--pred", "p"],
        [WINE, *PAIR, "--labels", b"\xff,b"], [WINE, *PAIR, "-o", b"\xff"],
        [WINE, *PAIR, "--fail-under", b"\xff=1"], [WINE, *PAIR, b"--\xff"],
    ):  # fmt: skip
        done = _process("score", *arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"Traceback" not in done.stderr
        assert done.stderr.startswith(b"ordeval: ")
        assert done.stderr.count(b"\n") == 1
    columns = ["--truth", "stage", "--pred", "model_a", "--labels", "I,II,III,IV"]
    page, facts = tmp_path / "out.html", tmp_path / "out.json"
    done = _process("report", STAGES, *columns, "--metric", "accuracy", "--title", b"r\xe9sum\xe9",
                    "-o", str(page), "-o", str(facts))  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    for file in (page, facts):
        assert "udce9sum" in file.read_text(encoding="utf-8")


def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.csv"
    Path(os.fsdecode(name)).write_text("1 0\n0 1\n")
    gate = ["--metric", "accuracy", "--fail-under", "accuracy=1"]
    done = _process("score", name, "--confusion", *gate,
                    "--format", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    out = os.fsencode(tmp_path) + b"/\xfe.json"
    assert _process("score", name, "--confusion", "-o", out).returncode == 0
    assert os.path.exists(out)


@pytest.mark.parametrize("settings", [{"LANG": "C", "LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_a_terminal_of_few_characters(settings: dict[str, str]) -> None:
    labels = ["--confusion", "--labels", "gut,über", "--metric", "weighted_kappa"]
    done = _process("score", "-", *labels, env=settings)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"quadratic weighted kappa" in done.stdout
    done = _process("score", "-", *labels, "--format", "json", env=settings)
    assert "über" in json.loads(done.stdout)["models"][0]["scale"]
    wrong = _process("score", "-", "--confusion", "--labels", "ü,ö,ä", env=settings)
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"Traceback" not in wrong.stderr


# Standard streams


def test_a_reader_that_goes_away_changes_no_exit_code() -> None:
    for line in ("metrics", "score --help", "--help", "metrics --format json -o /dev/stdout"):
        done = _shell(f"ordeval {line} | true")
        assert (done.returncode, done.stderr) == (0, ""), line
    gate = _shell("ordeval score - --confusion --fail-under accuracy=0.9 | true", given="1 1; 1 1")
    assert gate.returncode == 1
    assert gate.stderr.startswith("gate failed: - has accuracy")


def test_closed_streams() -> None:
    done = _shell("ordeval metrics >&-")
    assert (done.returncode, done.stderr) == (
        2, "ordeval: Standard output is closed; write to a file with --output.\n",
    )  # fmt: skip
    done = _shell("ordeval score - --confusion <&-")
    assert (done.returncode, done.stderr) == (
        2, "ordeval: Standard input is closed; name a file.\n",
    )  # fmt: skip
    done = _shell("ordeval metrics no_such_measure 2>&-")
    assert (done.returncode, done.stdout) == (2, "")


def test_no_answer_is_an_error() -> None:
    done = _shell("ordeval score - --truth y --pred p < /dev/null")
    assert (done.returncode, done.stdout) == (2, "")


# Special files


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_a_log_goes_on(name: str, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    (tmp_path / "link").symlink_to("/dev/stdout")
    name = str(tmp_path / name)  # an absolute name stays what it is
    line = f"{{ echo before; ordeval {' '.join(MATRIX)} --format text -o {name}; echo after; }}"
    done = _shell(f"{line} > {log}")
    assert (done.returncode, done.stderr) == (0, "")
    before, *shown, after = log.read_text().splitlines()
    assert (before, after) == ("before", "after")
    assert any("accuracy" in x for x in shown)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "log.txt"]


def test_a_descriptor_a_pipe_and_nothing(tmp_path: Path) -> None:
    out, pipe = tmp_path / "out.txt", tmp_path / "pipe"
    done = _shell(f"ordeval {' '.join(MATRIX)} --format text -o /dev/fd/3 3> {out}")
    assert (done.returncode, "accuracy" in out.read_text()) == (0, True)
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run(*MATRIX, "--format", "text", "-o", str(pipe), given="1 0; 0 1").returncode == 0
    reader.join(30)
    assert "accuracy" in found[0]
    assert pipe.is_fifo()
    before = os.stat("/dev/null")
    assert run(*MATRIX, "--format", "text", "-o", "/dev/null", given="1 0; 0 1").returncode == 0
    assert os.path.samestat(os.stat("/dev/null"), before)
    message = refused(*MATRIX, "--format", "text", "-o", "/dev/full", given="1 0; 0 1")
    assert message == "ordeval: '/dev/full' cannot be written: No space left on device.\n"
    assert "Bad file descriptor" in refused(*MATRIX, "--format", "text", "-o", "/dev/fd/987")


def test_what_comes_in_is_not_written_over(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("y,p\n1,1\n2,2\n")
    done = _shell(f"ordeval score - --truth y --pred p -o {data} < {data}")
    assert (done.returncode, "would overwrite the input file" in done.stderr) == (2, True)
    assert data.read_text() == "y,p\n1,1\n2,2\n"
