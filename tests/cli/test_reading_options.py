"""The options of files: kind, filter, encoding, decimal mark, in every command that reads one."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import refused, run

TABLE = "y,p,q,s,w\n" + "1,1,2,a,1\n2,2,2,a,2\n3,2,3,b,2\n1,1,1,b,1\n2,3,2,a,1\n3,3,3,b,1\n" * 3
LINES = TABLE.splitlines(keepends=True)
ONLY_A = LINES[0] + "".join(line for line in LINES[1:] if ",a," in line)
PAIR = ["--truth", "y", "--pred", "p", "--labels", "1..3"]
COMMANDS = {
    "score": [*PAIR, "--metric", "accuracy"],
    "compare": [*PAIR, "--pred", "q", "--metric", "accuracy"],
    "thresholds": PAIR,
    "meta": [*PAIR, "--pred", "q", "--metric", "accuracy", "--case", "w"],
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(TABLE)
    Path("a.csv").write_text(ONLY_A)


@pytest.mark.parametrize("name", COMMANDS)
def test_some_rows_are_read(name: str) -> None:
    done = run(name, "data.csv", *COMMANDS[name], "--where", "s = 'a'")
    assert (done.returncode, done.stdout) == (0, run(name, "a.csv", *COMMANDS[name]).stdout)
    assert done.stdout != run(name, "data.csv", *COMMANDS[name]).stdout
    message = refused(name, "data.csv", *COMMANDS[name], "--where", "s like 'a'")
    assert "--where could not be read: after 's' comes = != < <= > >= in or is, not " in message
    message = refused(name, "data.csv", *COMMANDS[name], "--where", "s = 'c'")
    assert "matches no rows in 'data.csv'" in message


def test_messages_say_which_option_to_use() -> None:
    said = refused("score", "data.csv", *PAIR, "--where", "gpt-4o >= 2")
    shown = 'put its name in double quotes: "gpt-4o", within double quotes of a shell \\"gpt-4o\\".'
    assert shown in said
    Path("latin.csv").write_text(TABLE.replace(",a,", ",ä,"), encoding="latin-1")
    asked = ["score", "latin.csv", *PAIR, "--metric", "accuracy"]
    assert "or pass its encoding, such as --encoding latin-1." in refused(*asked)
    assert run(*asked, "--encoding", "latin-1").returncode == 0


def test_some_ratings_are_read() -> None:
    words = ["--item", "i", "--rater-col", "y", "--rater-col", "p", "--labels", "1..3"]
    for name in ("data.csv", "a.csv"):
        lines = Path(name).read_text().splitlines()
        rows = [f"{line},{i}" for i, line in enumerate(lines[1:])]
        Path(name).write_text("\n".join([f"{lines[0]},i", *rows]) + "\n")
    done = run("agree", "data.csv", *words, "--where", "s = 'a'")
    assert (done.returncode, done.stdout) == (0, run("agree", "a.csv", *words).stdout)


def test_encoding_and_decimal_mark() -> None:
    text = "y;p;gewählt;w\n" + "1;1;ja;0,5\n2;1;nein;1,5\n" * 4
    Path("latin.csv").write_bytes(text.encode("latin-1"))
    Path("plain.csv").write_text(text.replace(",", "."))
    words = ["--truth", "y", "--pred", "p", "--labels", "1,2", "--weight", "w"]
    told = ["--encoding", "latin-1", "--decimal", ",", "--where", "gewählt = 'ja'"]
    done = run("score", "latin.csv", *words, *told)
    same = run("score", "plain.csv", *words, "--where", "gewählt = 'ja'")
    assert (done.returncode, done.stdout) == (0, same.stdout)
    assert "--encoding must name an encoding" in refused(
        "score", "latin.csv", *words, "--encoding", "x"
    )
    assert "--decimal must be . or ,; got 'x'." in refused(
        "score", "latin.csv", *words, "--decimal", "x"
    )


def test_lines_of_json_on_standard_input() -> None:
    lines = "".join(
        f'{{"sample": {{"target": {y}}}, "p": {p}, "q": {q}}}\n'
        for y, p, q, *_ in (line.split(",") for line in LINES[1:])
    )
    words = ["--truth", "sample.target", "--pred", "p", "--pred", "q", "--labels", "1..3"]
    few = ["--metric", "accuracy"]
    done = run("compare", "-", *words, *few, "--input-format", "jsonl", given=lines)
    same = run("compare", "data.csv", *COMMANDS["compare"])
    assert (done.returncode, done.stdout) == (0, same.stdout)
    # It is read twice, and is still there.
    by = [*words, *few, "--by", "q", "--fail-under", "whole:accuracy=0.1", "--drop-missing"]
    assert run("compare", "-", *by, "--input-format", "jsonl", given=lines).returncode == 0
    whole = f"[{lines.replace(chr(10), ',')[:-1]}]"
    done = run("compare", "-", *words, *few, "--input-format", "json", given=whole)
    assert (done.returncode, done.stdout) == (0, same.stdout)
    message = refused("score", "-", *words, "--input-format", "jsno", given=lines)
    assert "--input-format must be csv, parquet, jsonl, " in message
    assert "Did you mean json" in message


def test_standard_input_of_another_kind_says_what_to_type(tmp_path: Path) -> None:
    words = ["--truth", "y", "--pred", "p", "--labels", "1..3"]
    for text in ('{"y": 1, "p": 2}\n', '[{"y": 1, "p": 2}]'):
        message = refused("score", "-", *words, given=text)
        assert "standard input looks like JSON. Pass --input-format jsonl, or" in message
    import polars

    polars.read_csv("data.csv").write_parquet("data.parquet")
    data = Path("data.parquet").read_bytes()
    for told in ([], ["--input-format", "csv"]):
        message = refused("score", "-", *words, *told, given=data)
        assert "holds Parquet, which is not text. Pass --input-format parquet." in message
    done = run("score", "-", *words, "--input-format", "parquet", given=data)
    assert (done.returncode, done.stdout) == (0, run("score", "data.csv", *words).stdout)
    message = refused("score", "-", *words, "--input-format", "parquet", given=TABLE)
    assert message.startswith("ordeval: standard input could not be read: by --input-format it is ")
    odd = run("score", "-", "--truth", "{y", "--pred", "p", "--labels", "1,2", "--input-format",
              "csv", given="{y,p\n" + "1,1\n2,1\n" * 9)  # fmt: skip
    assert odd.returncode == 0


def test_a_matrix_has_no_rows_to_choose() -> None:
    message = refused("score", "-", "--confusion", "--where", "s = 'a'", given="1 0; 0 1")
    assert "--confusion reads a matrix, so options that name columns do not apply." in message


def test_a_project_file_says_it_too() -> None:
    Path("ordeval.toml").write_text(
        "file = 'data.csv'\ntruth = 'y'\npred = 'p'\nlabels = '1..3'\nmetrics = 'accuracy'\n"
        "where = \"s = 'a'\"\nmax_dropped = 0\n"
    )
    assert run("check").stdout == run("score", "a.csv", *COMMANDS["score"]).stdout
