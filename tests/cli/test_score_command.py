"""ordeval score: models, subgroups, matrices, formats and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import COLUMNS, GRADES, STAGES, WINE, refused, run
from tests.pasted import TURNED

SITES = "site,y,p,q\n" + "10,1,1,1\n10,2,2,1\n9,1,2,1\n9,2,2,2\n" * 20
SITE_COLUMNS = ["--truth", "y", "--pred", "p", "--labels", "1,2", "--by", "site"]
PAIR = ["--truth", "y", "--pred", "p"]


def test_score_of_two_models() -> None:
    done = run("score", WINE, *COLUMNS, *GRADES, "--metric", "accuracy", "--metric", "oc_index")
    assert (done.returncode, done.stderr) == (0, "")
    assert "forest\nitems: 1,599" in done.stdout
    assert "accuracy  0.7117" in done.stdout
    assert "accuracy  0.5966" in done.stdout


def test_one_model_is_not_named() -> None:
    done = run("score", WINE, "--truth", "quality", "--pred", "forest", "--metric", "accuracy")
    assert done.stdout.startswith("items: 1,599")


def test_json_holds_what_the_table_says() -> None:
    done = run("score", WINE, *COLUMNS, "--format", "json")
    facts = json.loads(done.stdout)
    assert (facts["schema"], facts["kind"]) == (1, "ordeval.scores")
    forest = facts["models"][0]
    assert (forest["model"], forest["items"]) == ("forest", 1599)
    values = {row["metric"]: row["value"] for row in forest["rows"]}
    assert values["accuracy"] == pytest.approx(0.71169, abs=1e-5)
    assert forest["advice"][0]["code"] == "OE101"
    assert "--labels" in forest["advice"][0]["message"]
    assert forest["scale"] == ["3", "4", "5", "6", "7", "8"]
    assert facts["command"][:2] == ["ordeval", "score"]


def test_every_format() -> None:
    def shown(format_: str) -> str:
        return run("score", WINE, *COLUMNS, *GRADES, "--format", format_).stdout

    assert shown("csv").startswith("model,metric,symbol,family,value")
    assert "| accuracy | 0.7117 \\[0.689, 0.733\\] |" in shown("markdown")
    assert shown("latex").startswith("\\paragraph{forest}\n\n% Needs ")
    assert shown("text") == run("score", WINE, *COLUMNS, *GRADES).stdout


def test_numbers_on_the_scale(tmp_path: Path) -> None:
    """Of some programs, integers beside a missing value come as fractions."""
    path = tmp_path / "preds.csv"
    path.write_text("y,p\n1,1.0\n2,2.0\n2,\n")
    done = run("score", str(path), *PAIR, "--labels", "1..2", "--metric", "accuracy",
               "--drop-missing")  # fmt: skip
    assert "accuracy  1.0000" in done.stdout
    assert "dropped: 1 missing" in done.stdout


LABELS = {
    "1..3": "Scale(1 < 2 < 3)",
    " -1..1 ": "Scale(-1 < 0 < 1)",
    "1,2,3": "Scale(1 < 2 < 3)",
    "01, 02": "Scale('01' < '02')",
    "0.5,1,1.5": "Scale(0.5 < 1.0 < 1.5)",
    'low,"mid, high"': "Scale('low' < 'mid, high')",
}


@pytest.mark.parametrize(("labels", "scale"), LABELS.items())
def test_how_labels_are_written(labels: str, scale: str) -> None:
    size = scale.count("<") + 1
    matrix = "\n".join(" ".join("1" * size) for _ in range(size))
    done = run("score", "-", "--confusion", "--labels", labels, given=matrix)
    assert scale in done.stdout


@pytest.mark.parametrize(
    ("gate", "shown", "code"),
    [
        ("accuracy=0.7", "accuracy", 0),
        ("accuracy=0.72", "accuracy", 1),
        ("mean_absolute_error=0.4", "MAE", 0),
        ("mean_absolute_error=0.3", "MAE", 1),
    ],
)
def test_gates_know_their_direction(gate: str, shown: str, code: int) -> None:
    columns = ["--truth", "quality", "--pred", "forest", "--metric", "auoc", *GRADES]
    done = run("score", WINE, *columns, "--fail-under", gate)
    assert done.returncode == code
    assert ("gate failed: forest has" in done.stderr) is bool(code)
    assert shown in done.stdout


def test_measures_have_their_display_names() -> None:
    columns = ["--truth", "quality", "--pred", "always_5", *GRADES]
    done = run("score", WINE, *columns, "--metric", "weighted_kappa", "--metric", "kendall_tau_b")
    assert re.search(r"^quadratic weighted kappa +0\.0000 ", done.stdout, re.MULTILINE)
    assert re.search(r"undefined, .*: Kendall's tau-b$", done.stdout, re.MULTILINE)
    assert "weighted_kappa" not in done.stdout


def test_a_gate_says_what_was_found() -> None:
    done = run("score", "-", "--confusion", "--fail-under", "accuracy=0.9", given="1 1; 1 1")
    assert done.stderr == "gate failed: - has accuracy 0.5000; 0.9 or better is required\n"
    done = run("score", "-", "--confusion", "--fail-under", "kendall_tau_b=0.1", given="1 1; 0 0")
    assert "has no value of kendall_tau_b; 0.1 or better is required" in done.stderr


def test_by_subgroup(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES)
    done = run("score", str(path), *SITE_COLUMNS, "--metric", "accuracy")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:3] for line in lines[2:5]] == [
        ["9", "40", "0.500"], ["10", "40", "1.000"], ["(all)", "80", "0.750"],
    ]  # fmt: skip
    assert "9 is significantly worse than the rest: 0.500 against 1.000" in done.stdout
    json_of = ["--metric", "accuracy", "--format", "json"]
    facts = json.loads(run("score", str(path), *SITE_COLUMNS, *json_of).stdout)
    rows = facts["models"][0]["rows"]
    assert [(row["subgroup"], row["metric"], row["value"]) for row in rows] == [
        ("9", "accuracy", 0.5), ("10", "accuracy", 1.0),
    ]  # fmt: skip
    assert rows[0]["delta_high"] < 0
    assert facts["models"][0]["heterogeneity"][0]["p_value"] < 0.05
    gate = run("score", str(path), *SITE_COLUMNS, "--fail-under", "auoc=0.1")
    assert (gate.returncode, gate.stderr.startswith("gate failed: p in 9 has auoc")) == (1, True)


def test_many_subgroups_are_not_all_shown(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("site,y,p\n" + "".join(f"{i % 50},{i % 2},{i % 3 % 2}\n" for i in range(600)))
    columns = ["--truth", "y", "--pred", "p", "--labels", "0,1", "--by", "site"]
    done = run("score", str(path), *columns)
    assert "10 more subgroups are not shown; --format csv has them all." in done.stdout
    assert len(run("score", str(path), *columns, "--format", "csv").stdout.splitlines()) == 251
    plain = run("score", str(path), *columns, "--no-intervals", "--format", "csv").stdout
    assert plain.splitlines()[0] == "subgroup,items,metric,value"


def test_a_summary_is_the_table_of_subgroups_only(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES)
    given = ["score", str(path), *SITE_COLUMNS, "--pred", "q"]
    done = run(*given, "--metric", "accuracy", "--metric", "auoc", "--summary")
    assert (done.returncode, done.stderr) == (0, "")
    tables = done.stdout.rstrip().split("\n\n")
    assert [table.splitlines()[0] for table in tables] == ["p", "q"]
    assert "9 is significantly worse than the rest" in tables[0]
    assert "AUOC" not in done.stdout
    # One measure has the same rows with and without.
    alone = run(*given, "--metric", "accuracy").stdout
    rows = [line for line in alone.splitlines() if line.startswith(("9 ", "10 ", "(all)"))]
    assert rows == [x for x in done.stdout.splitlines() if x.startswith(("9 ", "10 ", "(all)"))]
    assert "--summary needs subgroups" in refused("score", str(path), *COLUMNS, "--summary")


def test_a_matrix() -> None:
    for matrix in ("26 4 1\n3 5 4\n0 3 10\n", "26,4,1\n3,5,4\n0,3,10", "26 4 1; 3 5 4; 0 3 10"):
        done = run("score", "-", "--confusion", "--labels", "I,II,III", given=matrix)
        assert "items: 56; 3 classes: Scale('I' < 'II' < 'III')" in done.stdout


def test_warnings_go_to_standard_error() -> None:
    done = run("score", "-", *PAIR, given="y,p\n1,1\n4,4\n")
    assert done.returncode == 0
    assert done.stderr.startswith("warning: The integers imply the scale Scale(1 < 2 < 3 < 4)")
    assert "declare it with --labels 1..4; otherwise declare the levels with" in done.stderr


def test_a_named_measure_that_looks_at_unused_levels_warns() -> None:
    table = "y,p\n1,1\n2,2\n"
    done = run("score", "-", *PAIR, "--metric", "oc_index", given=table)
    assert done.stderr.startswith("warning: [OE101] oc_index depends on levels that never occur")
    assert "Declare --labels if the scale is longer" in done.stderr
    assert run("score", "-", *PAIR, given=table).stderr == ""


WRONG: dict[str, tuple[list[str], str]] = {
    "file": (["absent.csv", *PAIR], "there is no file 'absent.csv'"),
    "column": ([WINE, "--truth", "qualty", "--pred", "forest"], "Did you mean 'quality'?"),
    "columns": ([WINE], "Missing --truth and --pred (or --prob, --score)."),
    "repeated": ([WINE, *COLUMNS, "--pred", "forest"], "--pred takes a column, or a list of diff"),
    "metric": ([WINE, *COLUMNS, "--metric", "mae"], "Did you mean mean_absolute_error"),
    "metrics": ([WINE, *COLUMNS, "--metric", "zzz"], "`ordeval metrics` lists them all"),
    "scale": ([WINE, *COLUMNS, "--labels", "3,4,5"], "outside the scale Scale(3 < 4 < 5)"),
    "order": ([WINE, *COLUMNS, "--labels", "8..3"], "--labels must start with the lowest label"),
    "empty": ([WINE, *COLUMNS, "--labels", "3,,5"], "--labels must not hold an empty label"),
    "gate": ([WINE, *COLUMNS, "--fail-under", "accuracy"], "--fail-under takes metric=value"),
    "probabilities": (
        [WINE, *COLUMNS, "--metric", "ranked_probability_score"],
        "ranked_probability_score needs probabilities",
    ),
    "format": (
        [WINE, *COLUMNS, "--format", "xml"],
        "--format must be text, json, csv, markdown, latex or docx; got 'xml'",
    ),
    "ending": (
        [WINE, *COLUMNS, "-o", "out.xlsx"],
        ("--output must end in .txt, .json, .csv, .md, .tex or .docx, or add --format; got "
        "'out.xlsx'"),
    ),
    "folder": ([str(Path(WINE).parent), *PAIR], "holds no Parquet files"),
    "argument": ([], "Missing FILE"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=list(WRONG))
def test_wrong_usage_is_one_message_and_exit_2(arguments: list[str], message: str) -> None:
    assert message in refused("score", *arguments)


GIVEN: dict[str, tuple[str, list[str], str]] = {
    "no items": ("y,p\n", ["--labels", "1,2"], "p has no items to score"),
    "no scale": ("y,p\n", [], "declare it with --labels"),
    "nothing": ("", [], "there is no column 'y'"),
    "none left": (
        "y,p\n1,1\n", ["--labels", "a,b", "--drop-unknown"],
        "p has no items to score; dropped: 1 unknown",
    ),
    "no order": ("y,p\n1,x\n", [], "lowest first, for example --labels low,medium,high"),
    "missing": ("y,p\n1,\n1,1\n", ["--labels", "1,2"], "use --drop-missing to drop this item"),
    "unknown": ("y,p\n1,9\n1,1\n", ["--labels", "1,2"], "use --drop-unknown to drop this item"),
    "large gate": (
        "y,p\n1,1\n", ["--fail-under", "accuracy=85"], "a value that the measure can have",
    ),
    "gate of nothing": (
        "y,p\n1,1\n", ["--fail-under", "accuracy=nan"], "a value that the measure can have",
    ),
    "misspelt": (
        "y,p\nmoderate,modrate\n", ["--labels", "mild,moderate"], "looks like 'moderate'",
    ),
    "no subgroup": (
        "y,p,s\n1,1,\n", ["--labels", "1,2", "--by", "s"],
        ("1 item has no value in 's', which defines the subgroups. Fill it in, or use "
        "--drop-missing to drop it."),
    ),
    "weights": (
        "y,p,w\n1,1,x\n", ["--labels", "1,2", "--weight", "w"],
        "the weights in 'w' must be numbers, one per item",
    ),
    "weights with commas": (
        'y,p,w\n1,1,"1,5"\n', ["--labels", "1,2", "--weight", "w"],
        "'1,5'. In CSV, --decimal , reads decimal commas.",
    ),
    "weights with commas, without intervals": (
        "y,p,w\n1,1,\"1,5\"\n", ["--labels", "1,2", "--weight", "w", "--no-intervals"],
        "line 2 has '1,5'. In CSV, --decimal , reads decimal commas.",
    ),
    "weights without intervals": (
        "y,p,w\n1,1,x\n", ["--labels", "1,2", "--weight", "w", "--no-intervals"],
        "the weights in 'w' must be finite",
    ),
    "clusters": (
        "y,p,c\n1,1,\n2,2,1\n", ["--labels", "1,2", "--clusters", "c"],
        ("1 item has no value in 'c', which defines the clusters. Fill it in, or use "
        "--drop-missing to drop it."),
    ),
    "clusters without intervals": (
        "y,p,c\n1,1,1\n", ["--labels", "1,2", "--clusters", "c", "--no-intervals"],
        "--clusters affects only intervals, which --no-intervals turns off.",
    ),
    "method": (
        "y,p\n1,1\n", ["--method", "magic"],
        "--method must be auto, bca, percentile or bayes; got 'magic'.",
    ),
    "level": ("y,p\n1,1\n", ["--level", "95"], "--level must lie between 0 and 1; got 95.0."),
    "draws": (
        "y,p\n1,1\n", ["--method", "bca", "--resamples", "0"],
        "--resamples must be an integer >= 1; got 0.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "arguments", "message"), GIVEN.values(), ids=list(GIVEN))
def test_data_that_cannot_be_scored(given: str, arguments: list[str], message: str) -> None:
    assert message in refused("score", "-", *PAIR, *arguments, given=given)


MATRICES = {
    "1 2 3; 4 5 6": "is not a confusion matrix: the counts must form a square, one row for each "
    "true level; "
    "the lengths of the rows: 3, 3.",
    "1 x\n3 4": "'x' in row 1 is not a count.",
    "1 2; 3 -4": "counts must be finite and not negative; found -4 in row 2, column 2.",
    "1 2; 1e999 4": "counts must be finite and not negative; found inf in row 2, column 1.",
    "1 9223372036854775808; 3 4": "counts must fit a 64-bit signed integer; found "
    "9223372036854775808 in row 1, column 2.",
    "84% 16%\n20% 80%": "is not a confusion matrix: these are percentages, but counts are needed.",
    "": "is not a confusion matrix: there are no numbers where counts are needed.",
}


@pytest.mark.parametrize(("matrix", "message"), MATRICES.items())
def test_what_is_no_matrix(matrix: str, message: str) -> None:
    assert message in refused("score", "-", "--confusion", given=matrix)


def test_a_matrix_is_turned_by_its_words() -> None:
    """R prints predictions in rows; the values are those of the truth in rows, and it is said."""
    text, words = TURNED["caret"]
    plain = "a 26 4 1\nb 3 5 4\nc 0 3 10"
    asked = ["score", "-", "--confusion", "--metric", "average_mae"]
    done, usual = run(*asked, given=text), run(*asked, given=plain)
    assert done.stdout == usual.stdout
    assert usual.stderr == ""
    assert done.stderr == (
        f"note: the rows of '-' are predictions (marked {words!r}); the matrix was transposed.\n"
    )
    said = refused(*asked, given=text.replace("4 10", "-4 10"))
    assert "found -4 in row 3, column 2." in said  # of the text


def test_a_matrix_may_name_its_levels() -> None:
    done = run("score", "-", "--confusion", "--metric", "accuracy", given="low 8 2\nhigh 1 9")
    assert "Scale('low' < 'high')" in done.stdout


def test_a_matrix_has_no_columns() -> None:
    for option in (["--by", "x"], ["--weight", "w"], ["--clusters", "c"], PAIR):
        message = refused("score", "-", "--confusion", *option, given="1 0; 0 1")
        assert "--confusion reads a matrix" in message
    message = refused("score", "-", "--confusion", "--labels", "a,b,c", given="1 0; 0 1")
    assert "counts are for 2 classes but 3 labels were given" in message


def test_a_file_that_is_not_what_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "no.parquet").write_bytes(b"PAR1 is not enough \xff\xfe")
    assert "could not be read" in refused("score", str(tmp_path / "no.parquet"), *PAIR)


def test_several_models_of_a_stage() -> None:
    columns = ["--truth", "stage", "--pred", "model_a", "--pred", "model_b"]
    done = run("score", STAGES, *columns, "--labels", "I,II,III,IV", "--metric", "cem_ord",
               "--by", "clinic")  # fmt: skip
    shown = " ".join(done.stdout.split())
    assert "B is significantly worse than the rest: 0.833 against 0.892" in shown
    assert "C is significantly worse than the rest: 0.783 against" in shown


def test_clusters_and_draws() -> None:
    columns = ["--truth", "stage", "--pred", "model_a", "--labels", "I,II,III,IV"]
    metric = ["--metric", "cem_ord", "--format", "json"]

    def interval(*options: str) -> tuple[float, float]:
        done = run("score", STAGES, *columns, *metric, *options)
        found = json.loads(done.stdout)["models"][0]["intervals"][0]
        return found["low"], found["high"]

    items, patients = interval(), interval("--clusters", "patient")
    assert patients[1] - patients[0] > items[1] - items[0]
    assert interval("--level", "0.8")[0] > items[0]
    draws = ["--method", "percentile", "--resamples", "99", "--seed"]
    assert interval(*draws, "1") == interval(*draws, "1") != interval(*draws, "2")
    matrix = run("score", "-", "--confusion", "--metric", "accuracy", given="9 1; 2 8")
    assert "accuracy  0.8500 [0.5" in matrix.stdout
    plain = run("score", "-", "--confusion", "--no-intervals", given="9 1; 2 8")
    assert "Intervals:" not in plain.stdout


def test_clinics_are_compared_by_patients() -> None:
    columns = ["--truth", "stage", "--pred", "model_a", "--labels", "I,II,III,IV", "--by", "clinic"]
    done = run("score", STAGES, *columns, "--metric", "cem_ord", "--clusters", "patient")
    assert "no subgroup differs significantly from the rest (corrected for all 3)" in " ".join(
        done.stdout.split()
    )


@pytest.mark.parametrize("written", ["1-5", "1 - 5", "1...5", "1:5", "1\u20135", "1 to 5", "0-10"])
def test_a_range_that_is_written_otherwise(written: str) -> None:
    message = refused(
        "score", "-", "--truth", "y", "--pred", "p", "--labels", written, given="y,p\n"
    )
    first, last = written.split()[0][:1], "10" if written == "0-10" else "5"
    assert f"is one label. Did you mean {first}..{last}, the integers from" in message
