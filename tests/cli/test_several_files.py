"""Several files are one table, in every command that reads one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import refused, run

LEVELS = ["--labels", "1..3"]
PAIR = ["--truth", "y", "--pred", "p", *LEVELS]
ACCURACY = ["--metric", "accuracy"]
COMMANDS = {
    "score": [*PAIR, "--pred", "q", *ACCURACY, "--by", "s"],
    "compare": [*PAIR, "--pred", "q", *ACCURACY, "--clusters", "c"],
    "thresholds": PAIR,
    "meta": [*PAIR, "--pred", "q", *ACCURACY, "--case", "c"],
    "calibration": ["--truth", "y", "--prob", "p1,p2,p3", *LEVELS],
    "agree": ["--item", "i", "--rater-col", "y", "--rater-col", "p", *LEVELS],
    "judge": [
        "--item", "i", "--rater-col", "y", "--rater-col", "p", "--judge", "q", "--systems", "s",
        *LEVELS,
    ],
}  # fmt: skip


def table(n: int = 120) -> list[list[str]]:
    """Items with labels, probabilities, subgroups and clusters, the header first."""
    rng = np.random.default_rng(4)
    y = rng.integers(1, 4, n)
    p, q = (np.where(rng.random(n) < 0.6, y, rng.integers(1, 4, n)) for _ in range(2))
    shares = rng.dirichlet([2, 2, 2], n)
    rows = [
        [f"i{i}", *map(str, (y[i], p[i], q[i])), "ab"[i % 2], str(i // 5), *map(repr, x)]
        for i, x in enumerate(shares.tolist())
    ]
    return [["i", "y", "p", "q", "s", "c", "p1", "p2", "p3"], *rows]


def write(name: str, rows: list[list[str]]) -> None:
    Path(name).write_text("".join(",".join(x) + "\n" for x in rows))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, and its two parts, of which one has its columns in another order."""
    monkeypatch.chdir(tmp_path)
    head, *rows = table()
    write("whole.csv", [head, *rows])
    write("june.csv", [head, *rows[:50]])
    write("july.csv", [x[::-1] for x in (head, *rows[50:])])
    write("odd.csv", [["i", "y", "p0"], *(x[:3] for x in rows[50:])])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command(name: str) -> None:
    expected = run(name, "whole.csv", *COMMANDS[name])
    assert (expected.returncode, expected.stderr) == (0, "")
    assert run(name, "june.csv", "july.csv", *COMMANDS[name]) == expected
    assert run(name, "june.csv", *COMMANDS[name], "july.csv") == expected
    assert run(name, "ju*.csv", *COMMANDS[name]) == expected
    assert run(name, "june.csv", *COMMANDS[name]).stdout != expected.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_what_cannot_be_one_table(name: str) -> None:
    message = refused(name, "june.csv", "odd.csv", *COMMANDS[name])
    assert "odd.csv': there is no column '" in message
    assert "is given twice" in refused(name, "june.csv", "july.csv", "june.csv", *COMMANDS[name])
    assert "standard input cannot be combined with files" in refused(
        name, "june.csv", "-", *COMMANDS[name]
    )
    assert "there is no file 'may.csv'" in refused(name, "june.csv", "may.csv", *COMMANDS[name])
    wrong = refused(name, "june.csv", "july.csv", *COMMANDS[name], "-o", "july.csv")
    assert "--output 'july.csv' would overwrite the input file" in wrong


def page(name: str, files: list[str], *given: str) -> str:
    """What a command writes, which repeats the command."""
    assert run(name, *files, *given).returncode == 0
    made = Path(given[-1])
    text = made.read_text().replace(" ".join(files), "FILES")
    made.unlink()
    return text


def test_pages_and_plans() -> None:
    both = ["june.csv", "july.csv"]
    listed = [*PAIR, "--pred", "q", *ACCURACY, "--id", "i", "-o", "out.json"]
    report = page("report", ["whole.csv"], *listed)
    assert "FILES" in report
    assert page("report", both, *listed) == report
    drawn = [*PAIR, "-o", "out.html"]
    assert page("explore", both, *drawn) == page("explore", ["whole.csv"], *drawn)
    target = [*PAIR, "--metric", "accuracy", "--half-width", "0.05"]
    plan = run("plan", "--from", "whole.csv", *target)
    assert plan.returncode == 0
    assert run("plan", "--from", "june.csv", "--from", "july.csv", *target) == plan


def test_a_matrix_is_in_one_file() -> None:
    for given in (["score", "a", "b", "--confusion"], ["explore", "a", "b", "-o", "x.html"]):
        assert "--confusion takes one FILE; got a and b." in refused(*given)


def test_a_project_file_lists_them(tmp_path: Path) -> None:
    text = (
        "file = {}\ntruth = 'y'\npred = 'p'\nlabels = '1..3'\nmetrics = 'accuracy'\n"
        "max_dropped = 0\n"
    )
    Path("ordeval.toml").write_text(text.format("'whole.csv'"))
    expected = run("check").stdout
    (tmp_path / "ci").mkdir()
    Path("ci/ordeval.toml").write_text(text.format("['../june.csv', '../july.csv']"))
    done = run("check", "--config", "ci/ordeval.toml")
    assert (done.returncode, done.stdout) == (0, expected)
    Path("ordeval.toml").write_text(text.format("[]"))
    assert "file must be a text, or a list of texts; got []" in refused("check")


def test_a_project_file_of_a_long_table_and_of_joined_files() -> None:
    head, *rows = table()
    write("long.csv", [["i", "y", "who", "grade"], *(
        [x[0], x[1], m, x[head.index(m)]] for m in "pq" for x in rows
    )])  # fmt: skip
    write("gold.csv", [["i", "y"], *(x[:2] for x in rows)])
    shared = "truth = 'y'\nlabels = '1..3'\nmetrics = 'accuracy'\nmax_dropped = 0\n"
    Path("ci").mkdir()
    expected = run("compare", "whole.csv", *PAIR, "--pred", "q", *ACCURACY).stdout
    for lines in (
        "file = '../long.csv'\nitem = 'i'\nmodel_col = 'who'\npred_col = 'grade'\n",
        "file = '../whole.csv'\ntruth_file = '../gold.csv'\npred = ['p', 'q']\non = 'i'\n",
        "file = '../gold.csv'\npred_file = ['p=../whole.csv:p', 'q=../whole.csv:q']\non = 'i'\n",
    ):
        Path("ci/ordeval.toml").write_text(lines + shared)
        done = run("check", "--config", "ci/ordeval.toml")
        assert (done.returncode, done.stdout) == (0, expected)
