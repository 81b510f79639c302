"""The real command, in a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest

WINE = str(Path(__file__).parents[2] / "examples" / "wine.csv")
GRADES = ["--labels", "3,4,5,6,7,8"]
COLUMNS = ["--truth", "quality", "--pred", "forest", "--pred", "logistic"]


def run(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ordeval.cli", *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )


def test_score_of_two_models() -> None:
    done = run("score", WINE, *COLUMNS, *GRADES, "--metric", "accuracy", "--metric", "oc_index")
    assert (done.returncode, done.stderr) == (0, "")
    assert "forest\nitems: 1,599" in done.stdout
    assert "accuracy  0.7117" in done.stdout
    assert "accuracy  0.5966" in done.stdout


def test_score_as_json() -> None:
    done = run("score", WINE, *COLUMNS, *GRADES, "--json")
    scores = json.loads(done.stdout)
    assert scores["schema"] == 1
    assert scores["models"]["forest"]["accuracy"] == pytest.approx(0.71169, abs=1e-5)


def test_compare_ends_in_a_conclusion() -> None:
    few = ["--metric", "cem_ord", "--resamples", "199", "--seed", "1"]
    done = run("compare", WINE, *COLUMNS, *GRADES, *few)
    assert done.returncode == 0
    assert "By cem_ord (higher is better) forest does best" in done.stdout
    as_json = run("compare", WINE, *COLUMNS, *GRADES, *few, "--json")
    assert json.loads(as_json.stdout)["kind"] == "ordeval.comparison"
    assert run("compare", WINE, *COLUMNS, *GRADES, *few).stdout == done.stdout
    latex = run("compare", WINE, *COLUMNS, *GRADES, *few, "--latex")
    assert latex.stdout.startswith("\\begin{table}")


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("accuracy=0.7", 0),
        ("accuracy=0.72", 1),
        ("mean_absolute_error=0.4", 0),
        ("mean_absolute_error=0.3", 1),
    ],
)
def test_gates_know_their_direction(gate: str, code: int) -> None:
    done = run("score", WINE, "--truth", "quality", "--pred", "forest", "--fail-under", gate)
    assert done.returncode == code
    assert ("gate failed: forest" in done.stderr) is bool(code)


def test_a_matrix_and_standard_input() -> None:
    published = "26 4 1\n3 5 4\n0 3 10\n"
    done = run("score", "-", "--confusion", "--labels", "I,II,III", given=published)
    assert "items: 56; 3 classes: Scale('I' < 'II' < 'III')" in done.stdout
    table = "y;p\nlow;low\nhigh;low\n"
    done = run("score", "-", "--truth", "y", "--pred", "p", "--labels", "low,high", given=table)
    assert "accuracy" in done.stdout
    assert "0.5000" in done.stdout


def test_several_models_from_standard_input() -> None:
    given = Path(WINE).read_text()
    done = run("score", "-", *COLUMNS, "--metric", "accuracy", given=given)
    assert done.stdout == run("score", WINE, *COLUMNS, "--metric", "accuracy").stdout
    done = run("compare", "-", *COLUMNS, *FEW, given=given)
    assert done.stdout == run("compare", WINE, *COLUMNS, *FEW).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "absent.csv", "--truth", "y", "--pred", "p"], "there is no file 'absent.csv'"),
        (["score", WINE, "--truth", "qualty", "--pred", "forest"], "Did you mean 'quality'?"),
        (["score", WINE], "name the columns: --truth COLUMN --pred COLUMN"),
        (["score", WINE, *COLUMNS, "--metric", "mae"], "Did you mean mean_absolute_error"),
        (["score", WINE, *COLUMNS, "--labels", "3,4,5"], "outside the scale Scale(3 < 4 < 5)"),
        (["score", WINE, *COLUMNS, "--fail-under", "accuracy"], "takes metric=value"),
        (["compare", WINE, *COLUMNS, "--level", "2"], "level must lie between 0 and 1"),
        (["metrics", "ocindex"], "Did you mean oc_index"),
        (["explain", "OE999"], "no warning has the code"),
        (["score"], "Missing argument"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_2(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_output_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    target.write_text("old")
    wrong = run("score", WINE, "--truth", "no", "--pred", "forest", "--output", str(target))
    assert wrong.returncode == 2
    assert target.read_text() == "old"
    done = run("score", WINE, *COLUMNS, *GRADES, "--markdown", "--output", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert "| accuracy | 0.7117 |" in target.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["out.md"]
    nowhere = run("score", WINE, *COLUMNS, "--output", str(tmp_path / "no" / "x"))
    assert nowhere.returncode == 2
    assert "cannot be written" in nowhere.stderr


def test_warnings_go_to_standard_error() -> None:
    done = run("score", "-", "--truth", "y", "--pred", "p", given="y,p\n1,1\n4,4\n")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: The integers imply the scale Scale(1 < 2 < 3 < 4)")


def test_the_rest() -> None:
    assert run("--version").stdout.startswith("ordeval ")
    assert "oc_index" in run("metrics").stdout
    assert "Source: Cardoso" in run("metrics", "oc_index").stdout
    assert "Decide by gwet_ac2" in run("recommend", "--raters", "--imbalanced").stdout
    assert run("explain", "OE103").stdout.startswith("OE103, rare class")
    assert "ordeval score preds.csv --truth stage" in run("score", "--help").stdout


def test_measures_about_measures(tmp_path: Path) -> None:
    done = run("properties", "accuracy")
    assert "ordinal_monotonicity" in done.stdout
    assert "accuracy breaks imbalance" in done.stdout
    rows = json.loads(run("properties", "accuracy", "--json").stdout)["rows"]
    assert {r["property"]: r["holds"] for r in rows}["imbalance"] is False
    rng = random.Random(1)
    lines = ["case,y,a,b,c"]
    for i in range(300):
        y = rng.randint(1, 4)
        guesses = [y if rng.random() < p else rng.randint(1, 4) for p in (0.9, 0.6, 0.3)]
        lines.append(",".join(map(str, (f"q{i % 10}", y, *guesses))))
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    columns = ["--truth", "y", "--pred", "a", "--pred", "b", "--pred", "c", "--case", "case"]
    done = run("meta", str(path), *columns, "--labels", "1,2,3,4", "--metric", "cem_ord",
               "--metric", "accuracy")  # fmt: skip
    assert "3 systems, 10 test cases, 3 pairs" in done.stdout
    assert "cem_ord" in done.stdout
    missing = run("meta", str(path), *columns[:-2])
    assert (missing.returncode, "--case COLUMN" in missing.stderr) == (2, True)


def on_terminal(
    *arguments: str, width: int = 100, answers: str = "", **environment: str
) -> tuple[int, str]:
    """Run in a pseudo-terminal; what it shows, and its exit code."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "ordeval.cli", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
        env={**inherited, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    # A question without an answer would wait for ever.
    patience = threading.Timer(120, process.kill)
    patience.start()
    os.write(ours, answers.encode())
    shown = b""
    # Linux says end of file on a terminal with an input/output error.
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    patience.cancel()
    return process.wait(60), shown.decode().replace("\r\n", "\n")


FEW = ["--metric", "accuracy", "--metric", "cem_ord", "--resamples", "199", "--seed", "1"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_progress_and_colours_on_a_terminal_only() -> None:
    piped = run("compare", WINE, *COLUMNS, *GRADES, *FEW)
    assert (piped.stderr, "\x1b" in piped.stdout) == ("", False)
    code, shown = on_terminal("compare", WINE, *COLUMNS, *GRADES, *FEW)
    assert code == 0
    assert "pairs" in shown
    assert "resampling" in shown
    assert "forest does best" in shown
    assert "\x1b[1;32m" in shown  # the best are green


def test_no_colour_where_none_is_wanted() -> None:
    _, shown = on_terminal("score", WINE, *COLUMNS, *GRADES, "--metric", "auoc", NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", shown)
    assert "auoc" in shown
    code, shown = on_terminal("compare", WINE, *COLUMNS, *GRADES, *FEW, TERM="dumb")
    assert (code, "\x1b" in shown) == (0, False)


@pytest.mark.parametrize("width", [50, 80, 200])
def test_narrow_terminals(width: int) -> None:
    code, shown = on_terminal("compare", WINE, *COLUMNS, *GRADES, "--resamples", "99", width=width)
    assert code == 0
    text = COLOUR.sub("", shown.split("\x1b[2K")[-1])
    longest = max(len(line) for line in text.splitlines() if "model" in line or "forest" in line)
    assert longest <= width
    assert "forest" in text


def test_recommend_asks_on_a_terminal() -> None:
    code, shown = on_terminal("recommend", answers="n\nlabels\nn\ny\nunknown\n\n")
    assert code == 0
    assert "Does a step mean the same everywhere" in shown
    assert "Decide by" in shown
    code, shown = on_terminal("recommend", "--raters")
    assert (code, "Does a step" in shown) == (0, False)


def test_by_group(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("site,y,p,q\n" + "10,1,1,1\n10,2,2,1\n9,1,2,1\n9,2,2,2\n" * 20)
    columns = ["--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "site"]
    done = run("score", str(path), *columns, "--metric", "accuracy")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[2:5] == [["9", "40", "0.500"], ["10", "40", "1.000"], ["(all)", "80", "0.750"]]
    as_json = json.loads(run("score", str(path), *columns, "--json").stdout)
    assert [row["accuracy"] for row in as_json["models"]["p"]] == [0.5, 1.0]
    gate = run("score", str(path), *columns, "--fail-under", "auoc=0.1")
    assert (gate.returncode, gate.stderr.startswith("gate failed: p in 9 has auoc")) == (1, True)
    both = run("compare", str(path), *columns, "--pred", "q", *FEW)
    assert "site = 9\n40 items, 2 models" in both.stdout
    assert "site = 10\n40 items, 2 models" in both.stdout
    as_json = json.loads(run("compare", str(path), *columns, "--pred", "q", *FEW, "--json").stdout)
    assert [g["group"] for g in as_json["groups"]] == [9, 10]
    table = run("compare", str(path), *columns, "--pred", "q", *FEW, "--csv").stdout
    assert table.splitlines()[1].startswith("site = 9,")


def test_words_as_groups_leave_numbers_numbers(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_text("who,y,p,w\n" + "".join(f"p{i % 30},{i % 3},{i % 2},1.5\n" for i in range(90)))
    columns = ["--truth", "y", "--pred", "p", "--labels", "0,1,2", "--groups", "who"]
    done = run("compare", str(path), *columns, "--weight", "w", *FEW)
    assert done.returncode == 0, done.stderr
    assert "90 items of weight 135 in 30 groups" in done.stdout


def test_completion_knows_the_measures() -> None:
    words = "ordeval score f.csv --metric cem_"
    done = subprocess.run(
        [Path(sys.executable).parent / "ordeval"], capture_output=True, text=True, check=False,
        env={**os.environ, "_ORDEVAL_COMPLETE": "complete_bash", "COMP_WORDS": words,
             "COMP_CWORD": "4"},
    )  # fmt: skip
    assert {"cem_ord", "cem_nom"} <= set(done.stdout.split())
    script = run("--show-completion", "bash")
    assert script.returncode == 0


def _interrupted(seconds: float, *arguments: str) -> tuple[int, str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ordeval.cli", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def test_an_interrupt_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    long = ["compare", WINE, *COLUMNS, *GRADES, "--resamples", "999999", "--output", str(target)]
    for seconds in (3, 6, 12, 24):  # a busy machine may still be importing
        code, errors = _interrupted(seconds, *long)
        if code != -signal.SIGINT:
            break
    assert code == 130
    assert "Traceback" not in errors
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


def test_a_written_file_keeps_its_kind(tmp_path: Path) -> None:
    matrix = ["score", "-", "--confusion", "--metric", "accuracy", "-o"]
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert run(*matrix, str(tmp_path / "link.txt"), given="1 0; 0 1").returncode == 0
    assert (tmp_path / "link.txt").is_symlink()
    assert "accuracy" in (tmp_path / "real.txt").read_text()
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640
    assert "accuracy" in run(*matrix, "/dev/stdout", given="1 0; 0 1").stdout
    folder = run(*matrix, str(tmp_path), given="1 0; 0 1")
    assert (folder.returncode, "Is a directory" in folder.stderr) == (2, True)


def test_two_formats_are_one_too_many() -> None:
    done = run("score", WINE, *COLUMNS, "--json", "--csv")
    assert (done.returncode, "choose one of" in done.stderr) == (2, True)
    done = run("score", "-", "--confusion", "--by", "x", given="1 0; 0 1")
    assert (done.returncode, "holds a matrix, not columns" in done.stderr) == (2, True)


def test_a_reader_that_goes_away() -> None:
    command = f"{sys.executable} -m ordeval.cli metrics | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stderr, len(done.stdout.splitlines())) == ("", 1)


def test_the_data_are_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv"
    path.write_text("y,p\n1,1\n2,2\n")
    done = run("score", str(path), "--truth", "y", "--pred", "p", "-o", str(path))
    assert (done.returncode, "is the file that is read" in done.stderr) == (2, True)
    assert path.read_text() == "y,p\n1,1\n2,2\n"


@pytest.mark.parametrize(
    ("given", "arguments", "message"),
    [
        ("y,p\n", ["--labels", "1,2"], "p has no items to score"),
        ("y,p\n", [], "declare it with --labels"),
        ("", [], "there is no column 'y'"),
        ("y,p\n1,1\n", ["--labels", "a,b", "--drop-unknown"], "0 are missing, 1 unknown"),
        ("y,p\n1,x\n", [], "lowest first: --labels low,medium,high"),
        ("y,p\n1,\n", ["--labels", "1,2"], "give --drop-missing to leave"),
        ("y,p\n1,1\n", ["--fail-under", "accuracy=85"], "a value that the measure can have"),
        ("y,p\n1,1\n", ["--fail-under", "accuracy=nan"], "a value that the measure can have"),
        ("y,p\nmoderate,modrate\n", ["--labels", "mild,moderate"], "meant for 'moderate'"),
    ],
)
def test_nothing_ends_in_a_traceback(given: str, arguments: list[str], message: str) -> None:
    done = run("score", "-", "--truth", "y", "--pred", "p", *arguments, given=given)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_odd_places(tmp_path: Path) -> None:
    (tmp_path / "no.parquet").write_bytes(b"PAR1 is not enough \xff\xfe")
    done = run("score", str(tmp_path / "no.parquet"), "--truth", "y", "--pred", "p")
    assert (done.returncode, "could not be read" in done.stderr) == (2, True)
    with open("/dev/full", "w") as full, open(WINE, "rb") as wine:
        done = subprocess.run(
            [sys.executable, "-m", "ordeval.cli", "score", "-", *COLUMNS, *GRADES],
            stdin=wine, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "ordeval: No space left on device.\n")
    binary = subprocess.run(
        [sys.executable, "-m", "ordeval.cli", "score", "-", "--truth", "y", "--pred", "p"],
        input=b"y,p\n\xff\xfe,1\n", capture_output=True, check=False,
    )  # fmt: skip
    assert binary.returncode == 2
    assert b"Traceback" not in binary.stderr
    seed = run("compare", WINE, *COLUMNS, "--seed", "-1")
    assert (seed.returncode, "not negative" in seed.stderr) == (2, True)


def test_the_name_of_the_output_tells_its_kind(tmp_path: Path) -> None:
    for ending, start in ((".json", "{"), (".csv", "of,measure"), (".tex", "% forest")):
        target = tmp_path / f"out{ending}"
        assert run("score", WINE, *COLUMNS, *GRADES, "-o", str(target)).returncode == 0
        assert target.read_text().startswith(start)


def test_json_holds_what_the_table_says() -> None:
    facts = json.loads(run("score", WINE, *COLUMNS, "--json").stdout)
    assert facts["facts"]["forest"]["items"] == 1599
    assert facts["facts"]["forest"]["advice"][0]["code"] == "OE101"
    assert facts["scale"] == ["3", "4", "5", "6", "7", "8"]
    assert facts["command"][:2] == ["ordeval", "score"]


def test_the_baseline_is_in_the_conclusion() -> None:
    done = run("compare", WINE, *COLUMNS, *GRADES, *FEW, "--baseline", "logistic")
    assert "2 models, baseline logistic" in done.stdout
    assert "Against the baseline: forest (+0.1" in done.stdout
    assert "is better than logistic" in done.stdout


def test_integers_that_were_written_as_fractions(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv"
    path.write_text("y,p\n1,1.0\n2,2.0\n2,\n")
    columns = ["--truth", "y", "--pred", "p", "--labels", "1,2", "--metric", "accuracy"]
    done = run("score", str(path), *columns, "--drop-missing")
    assert "accuracy  1.0000" in done.stdout
