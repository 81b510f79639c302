"""What only a process of its own has: exit codes, standard streams, signals and terminals."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from commands import (
    COLOUR,
    COLUMNS,
    COMMAND,
    FEW,
    GRADES,
    WINE,
    on_terminal,
    refused,
    run,
    run_process,
)


def test_exit_codes_that_a_shell_sees() -> None:
    matrix = ["score", "-", "--confusion", "--metric", "accuracy"]
    gate = run_process(*matrix, "--fail-under", "accuracy=0.9", given="1 1; 1 1")
    assert (gate.returncode, "accuracy  0.5000" in gate.stdout) == (1, True)
    wrong = run_process(*matrix, "--labels", "a,b,c", given="1 0; 0 1")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("ordeval: counts are for 2 classes")


def test_several_models_from_standard_input() -> None:
    given = Path(WINE).read_text()
    done = run_process("score", "-", *COLUMNS, "--metric", "accuracy", given=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("score", WINE, *COLUMNS, "--metric", "accuracy").stdout
    done = run("compare", "-", *COLUMNS, *FEW, given=given)
    assert done.stdout == run("compare", WINE, *COLUMNS, *FEW).stdout


def test_bytes_that_are_no_text() -> None:
    message = refused("score", "-", "--truth", "y", "--pred", "p", given=b"y,p\n\xff\xfe,1\n")
    assert "the file is not UTF-8; save it as UTF-8" in message


def test_completion_knows_the_measures() -> None:
    words = "ordeval score f.csv --metric cem_"
    done = subprocess.run(
        [Path(sys.executable).parent / "ordeval"], capture_output=True, text=True, check=False,
        env={**os.environ, "_ORDEVAL_COMPLETE": "complete_bash", "COMP_WORDS": words,
             "COMP_CWORD": "4"},
    )  # fmt: skip
    assert {"cem_ord", "cem_nom"} <= set(done.stdout.split())


def test_a_reader_that_goes_away() -> None:
    command = f"{sys.executable} -m ordeval metrics | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stderr, len(done.stdout.splitlines())) == ("", 1)


# Signals and full disks


def _interrupted(seconds: float, *arguments: str) -> tuple[int, str]:
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def test_an_interrupt_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    long = ["compare", WINE, *COLUMNS, *GRADES, "--method", "bca", "--resamples", "999999",
            "--output", str(target)]  # fmt: skip
    # While Python itself starts, while ordeval is imported, and at work.
    for seconds in (0.2, 0.4, 0.6, 1, 4):
        code, errors = _interrupted(seconds, *long)
        assert code in (130, -signal.SIGINT)
        assert "Traceback" not in errors or "ordeval" not in errors
    assert code == 130
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")

    # Set in the new process: between fork and exec, a lock of another thread would never open.
    no_room = """
import resource, signal
from ordeval.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", no_room, "score", "-", "--confusion", "-o", str(target)],
        input="3 1\n2 4\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "cannot be written: File too large" in done.stderr
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_a_full_standard_output() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "score", "-", "--confusion"], input="1 0\n0 1\n", stdout=full,
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "ordeval: No space left on device.\n")


def test_a_device_is_written_as_it_is() -> None:
    matrix = ["score", "-", "--confusion", "--metric", "accuracy", "--format", "text", "-o"]
    assert "accuracy" in run_process(*matrix, "/dev/stdout", given="1 0; 0 1").stdout


# Terminals


def test_progress_and_colours_on_a_terminal_only() -> None:
    piped = run("compare", WINE, *COLUMNS, *GRADES, *FEW)
    assert (piped.stderr, "\x1b" in piped.stdout) == ("", False)
    code, shown = on_terminal("compare", WINE, *COLUMNS, *GRADES, *FEW)
    assert code == 0
    assert "measures" in shown
    assert "forest is best" in shown
    assert "\x1b[1mforest is best" in shown  # the answer is bold


def test_no_colour_where_none_is_wanted() -> None:
    _, shown = on_terminal("score", WINE, *COLUMNS, *GRADES, "--metric", "auoc", NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", shown)
    assert "UOC curve" in shown
    code, shown = on_terminal("compare", WINE, *COLUMNS, *GRADES, *FEW, TERM="dumb")
    assert (code, "\x1b" in shown) == (0, False)


def test_a_terminal_is_filled_and_not_overrun() -> None:
    code, shown = on_terminal("compare", WINE, *COLUMNS, *GRADES, "--resamples", "99", width=80)
    assert code == 0
    text = COLOUR.sub("", shown.split("\x1b[2K")[-1])
    assert max(map(len, text.splitlines())) <= 80
    assert "forest" in text


def test_data_do_not_move_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "hostile.csv"
    path.write_text("s,y,p\n" + "\x1b[2Jx\u202e,1,1\nb,2,2\n" * 5)
    by = ["score", str(path), "--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "s"]
    for format_ in ("csv", "json", "markdown", "latex"):
        code, shown = on_terminal(*by, "--format", format_, "--no-intervals", TERM="dumb")
        assert (code, "\x1b" in shown, "\u202e" in shown) == (0, False, False)
        assert "2Jx" in shown
    # In a file the data are what they are.
    assert "\x1b[2Jx" in run(*by, "--format", "csv").stdout
    done = run(*by, "--metric", "accuracy", "--fail-under", "accuracy.low=0.9")
    assert done.stderr.startswith("gate failed: p in ")
    assert r"\x1b[2Jx\u202e" in done.stderr
    assert "\x1b" not in done.stderr


def test_recommend_asks_on_a_terminal() -> None:
    code, shown = on_terminal("recommend", answers="n\nlabels\nn\ny\nunknown\n\n")
    assert code == 0
    assert "Does one step mean the same everywhere" in shown
    assert "Use MAE as the primary measure: steps of the scale are equally long." in shown
    code, shown = on_terminal("recommend", "--raters")
    assert (code, "Does one step" in shown) == (0, False)
