"""ordeval compare and score: long tables, and truth and predictions in files of their own."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from commands import COLUMNS, EXAMPLES, GRADES, WINE, refused, run

ACCURACY = ["--metric", "accuracy", "--format", "json"]
PROBABILITIES = str(EXAMPLES / "stage_probabilities.csv")
LONG = ["--item", "id", "--model-col", "model", "--pred-col", "grade"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wines as a long table, and in files of their own."""
    place = tmp_path_factory.mktemp("joined")
    with open(WINE, newline="") as file:
        wines = [{"id": f"w{i}", **row} for i, row in enumerate(csv.DictReader(file))]
    models = ("forest", "logistic")
    write(place / "gold.csv", ["id", "quality"], [(w["id"], w["quality"]) for w in wines])
    for m in models:
        write(place / f"{m}.csv", ["id", "grade"], [(w["id"], w[m]) for w in reversed(wines)])
    write(place / "preds.csv", ["id", *models], [(w["id"], *(w[m] for m in models)) for w in wines])
    long = [(w["id"], w["quality"], m, w[m]) for m in models for w in wines]
    write(place / "long.csv", ["id", "quality", "model", "grade"], long)
    write(place / "short.csv", ["id", "quality", "model", "grade"], long[5:])
    return place


def write(path: Path, head: list[str], rows: list[tuple[str, ...]]) -> None:
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def estimates(*arguments: str, given: bytes = b"") -> object:
    done = run(*arguments, given=given)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["estimates"]


def test_compare(folder: Path) -> None:
    expected = estimates("compare", WINE, *COLUMNS, *GRADES, *ACCURACY)
    same = ["--truth", "quality", *GRADES, *ACCURACY]
    assert estimates("compare", str(folder / "long.csv"), *LONG, *same) == expected
    truth = ["--truth-file", str(folder / "gold.csv"), "--on", "id"]
    preds = [str(folder / "preds.csv"), "--pred", "forest", "--pred", "logistic"]
    assert estimates("compare", *preds, *truth, *same) == expected
    files = [
        x for m in ("forest", "logistic") for x in ("--pred-file", f"{m}={folder / m}.csv:grade")
    ]
    gold = [str(folder / "gold.csv"), "--on", "id", *files]
    assert estimates("compare", *gold, *same) == expected
    assert estimates("compare", "--truth-file", *gold, *same) == expected


@pytest.mark.parametrize("given", [[], ["--truth-file", "x.csv"], ["--pred-file", "a=x.csv:y"]])
def test_some_file_holds_the_truth(given: list[str]) -> None:
    for command in (["compare"], ["score"], ["score", "--confusion"], ["thresholds"]):
        assert "Missing FILE (or --truth-file with --pred-file)" in refused(*command, *given)


def test_score(folder: Path) -> None:
    shown = ["--labels", "3..8", "--metric", "accuracy"]
    long = run("score", str(folder / "long.csv"), "--truth", "quality", *LONG, *shown)
    assert long.stdout == run("score", WINE, *COLUMNS, *shown).stdout


def test_thresholds(folder: Path) -> None:
    shown = ["--labels", "3..8"]
    expected = run("thresholds", WINE, *COLUMNS, *shown)
    assert expected.returncode == 0
    long = run("thresholds", str(folder / "long.csv"), "--truth", "quality", *LONG, *shown)
    assert long == expected
    truth = ["--truth-file", str(folder / "gold.csv"), "--on", "id"]
    assert run("thresholds", str(folder / "preds.csv"), *COLUMNS, *truth, *shown) == expected


def test_calibration(folder: Path, tmp_path: Path) -> None:
    with open(PROBABILITIES, newline="") as file:
        rows = [{"id": f"s{i}", **row} for i, row in enumerate(csv.DictReader(file))]
    given = ["id", *(c for c in rows[0] if c.startswith("a_"))]
    write(tmp_path / "p.csv", given, [tuple(r[c] for c in given) for r in rows[::-1]])
    write(tmp_path / "y.csv", ["id", "stage"], [(r["id"], r["stage"]) for r in rows])
    asked = ["--truth", "stage", "--prob", "a_", "--labels", "I,II,III,IV", "--seed", "1"]
    joined = ["--truth-file", str(tmp_path / "y.csv"), "--on", "id"]
    expected = run("calibration", PROBABILITIES, *asked)
    assert expected.returncode == 0
    assert run("calibration", str(tmp_path / "p.csv"), *asked, *joined) == expected
    long = str(folder / "long.csv")
    assert "no option --model-col" in refused("calibration", long, "--truth", "quality", *LONG)


def test_items_that_a_model_lacks_are_limited(folder: Path) -> None:
    given = ["compare", str(folder / "short.csv"), "--truth", "quality", *LONG, *GRADES]
    assert "5 items of" in refused(*given)
    assert "'forest' lacks 5." in refused(*given)
    assert "--drop-missing" in refused(*given)
    kept = run(*given, "--drop-missing", "--metric", "accuracy")
    assert kept.returncode == 0
    assert "(5 dropped)" in kept.stdout
    over = run(*given, "--drop-missing", "--metric", "accuracy", "--max-dropped", "0.0001")
    assert over.returncode == 1


def test_what_does_not_go_together(folder: Path) -> None:
    long = str(folder / "long.csv")
    truth = ["--truth", "quality"]
    assert "needs --model-col, and --pred-col or --prob" in refused(
        "compare", long, *truth, "--item", "id", "--model-col", "model"
    )
    assert "Pass --pred (one column per model) or --pred-col (a long table), not both" in refused(
        "compare", long, *truth, *LONG, "--pred", "grade"
    )
    assert "--model-col also needs --item" in refused("compare", long, *truth, *LONG[2:])
    assert "NAME=FILE:COLUMN" in refused(
        "compare", long, *truth, "--on", "id", "--pred-file", "a=b.csv"
    )
    two = ["--pred-file", "a=x.csv:grade"] * 2
    assert "names the model a twice" in refused("compare", long, *truth, "--on", "id", *two)
    twice = ["-", "--truth-file", "-", *truth, "--on", "id", "--pred", "grade"]
    message = refused("compare", *twice, given="id,quality,grade\n")
    assert "standard input is one table; name the file of the other." in message
    on = ["--input-format", "csv", "--truth-file", str(folder / "gold.csv"), "--on", "id"]
    message = refused("compare", str(folder / "preds.csv"), *truth, "--pred", "forest", *on)
    assert "--input-format applies to one file, but several are joined here" in message


@pytest.mark.parametrize("command", ["score", "compare", "thresholds"])
def test_ids_that_are_written_differently_are_told_once(command: str, tmp_path: Path) -> None:
    ids = [(f"{i:03}", f"{i}") for i in range(60, 200)]
    write(tmp_path / "gold.csv", ["id", "y"], [(a, str(i % 2)) for i, (a, _) in enumerate(ids)])
    for m in "ab":
        pred = [(b, str(i % 3 % 2)) for i, (_, b) in enumerate(ids)]
        write(tmp_path / f"{m}.csv", ["id", "p"], pred)
    models = [x for m in "ab" for x in ("--pred-file", f"{m}={tmp_path / m}.csv:p")]
    given = [str(tmp_path / "gold.csv"), "--truth", "y", "--on", "id", "--labels", "0,1", *models]
    assert "--drop-missing" in refused(command, *given)
    done = run(command, *given, "--drop-missing")
    assert done.returncode == 0
    assert done.stderr == (
        "warning: 80 ids had no match and were dropped. The ids in 'id' are written "
        "differently: '060' in the truth is not '60' in 'a'. Write them alike in all tables.\n"
    )


def test_the_truth_is_in_one_file(folder: Path) -> None:
    forest, gold = str(folder / "forest.csv"), str(folder / "gold.csv")
    given = ["--truth", "quality", "--on", "id", *GRADES, "--pred-file", f"forest={forest}:grade",
             "--pred-file", f"logistic={folder / 'logistic.csv'}:grade"]  # fmt: skip
    for command in ("compare", "score"):
        message = refused(command, forest, "--truth-file", gold, *given)
        assert f"nothing is read from '{forest}': --truth-file names another table" in message
        assert f"instead of '{forest}' or by --truth-file; or name a column" in message
        for alone in ([gold], ["--truth-file", gold]):
            assert run(command, *alone, *given, *ACCURACY).returncode == 0


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_is_joined_and_reshaped(folder: Path, packed: bool) -> None:
    def sent(name: str) -> bytes:
        text = (folder / name).read_bytes()
        return gzip.compress(text) if packed else text

    same = ["--truth", "quality", *GRADES, *ACCURACY]
    expected = estimates("compare", WINE, *COLUMNS, *GRADES, *ACCURACY)
    assert estimates("compare", "-", *LONG, *same, given=sent("long.csv")) == expected
    preds = ["--pred", "forest", "--pred", "logistic", "--on", "id"]
    truth = ["--truth-file", str(folder / "gold.csv")]
    assert estimates("compare", "-", *truth, *preds, *same, given=sent("preds.csv")) == expected
    told = ["--input-format", "csv", *same]
    assert estimates("compare", "-", *truth, *preds, *told, given=sent("preds.csv")) == expected
    given = [str(folder / "preds.csv"), "--truth-file", "-", *preds, *same]
    assert estimates("compare", *given, given=sent("gold.csv")) == expected
    message = refused("compare", "-", *truth, *preds, "--pred", "x", *same, given=sent("preds.csv"))
    assert "in standard input: there is no column 'x'." in message


def test_explore_and_plan(folder: Path, tmp_path: Path) -> None:
    page, long = tmp_path / "page.html", str(folder / "long.csv")
    truth = ["--truth", "quality", *GRADES]
    joined = ["--truth-file", str(folder / "gold.csv"), "--on", "id", *COLUMNS[2:], *truth]
    made = []
    for given in ([WINE, *COLUMNS, *GRADES], [long, *LONG, *truth],
                  [str(folder / "preds.csv"), *joined]):  # fmt: skip
        assert run("explore", *given, "-o", str(page)).returncode == 0
        made.append(page.read_text())
    assert made[0] == made[1] == made[2]
    assert "Missing --pred." in refused("explore", long, "--truth", "quality")
    assert "needs --model-col, and --pred-col or --prob" in refused(
        "explore", long, "--model-col", "model", "-o", str(page)
    )
    assert "Missing FILE" in refused("explore", *LONG)
    plan = ["plan", "--metric", "cem_ord", "--format", "json", "--power", "0.8", "--from"]
    found = [json.loads(run(*plan, *given).stdout) for given in (
        [WINE, *COLUMNS, *GRADES], [long, *LONG, *truth], [str(folder / "preds.csv"), *joined],
    )]  # fmt: skip
    for other in found:
        del other["command"]
    assert found[0] == found[1] == found[2]
    assert found[0]["items"] > 0
    message = refused("plan", "--metric", "cem_ord", "--accuracy", "0.7", "--k", "3",
                      "--half-width", "0.1", *LONG)  # fmt: skip
    assert "Without --from there are no columns to read" in message


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "latin"])
def test_some_rows_of_a_long_table(folder: Path, kind: str) -> None:
    """A filter keeps items, and models, of a table that any reader opens."""
    import polars

    table = polars.read_csv(folder / "long.csv", infer_schema_length=0)
    table.filter(polars.col("quality") != "5").write_csv(folder / "few.csv")
    path, more = folder / f"rows.{kind}", ["--where", "quality != 5"]
    if kind == "parquet":
        table.with_columns(polars.col("quality", "grade").cast(int)).write_parquet(path)
    elif kind == "jsonl":
        table.write_ndjson(path)
    else:
        table.write_csv(path)
    if kind == "latin":
        more += ["--encoding", "latin-1", "--input-format", "csv"]
    asked = ["--truth", "quality", *LONG, *GRADES, *ACCURACY]
    expected = estimates("compare", str(folder / "few.csv"), *asked)
    assert estimates("compare", str(path), *asked, *more) == expected
    assert estimates("compare", str(folder / "long.csv"), *asked) != expected


@pytest.mark.parametrize(
    "option", [["--where", "quality > 4"], ["--encoding", "latin-1"], ["--input-format", "csv"]]
)
def test_what_is_said_of_one_file_is_not_said_of_several(folder: Path, option: list[str]) -> None:
    files = [f"--pred-file={m}={folder / m}.csv:grade" for m in ("forest", "logistic")]
    given = [str(folder / "gold.csv"), "--truth", "quality", "--on", "id", *files, *option]
    for command in ("compare", "score"):
        assert f"{option[0]} applies to one file, but several are joined" in refused(
            command, *given
        )


def test_a_report_lists_items_of_one_file(folder: Path, tmp_path: Path) -> None:
    truth = ["--truth-file", str(folder / "gold.csv"), "--on", "id", "--id", "id"]
    given = [str(folder / "preds.csv"), *COLUMNS, *truth, "-o", str(tmp_path / "out.html")]
    assert "--id lists items of one file" in refused("report", *given)
