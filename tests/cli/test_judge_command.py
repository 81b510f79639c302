"""ordeval judge: where humans and judges are, how they are matched, gates and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import docx
import numpy as np
import polars as pl
import pytest
from commands import refused, run

import ordeval as oe

RNG = np.random.default_rng(3)
QUALITY = RNG.normal(3, 1.1, 90)


def graded(spread: float, shift: float = 0.0) -> list[int]:
    noise = RNG.normal(shift, spread, 90)
    return np.clip(np.rint(QUALITY + noise), 1, 5).astype(int).tolist()


HUMANS = {name: graded(0.5) for name in ("anna", "ben", "cleo")}
JUDGES = {"good": graded(0.4), "poor": graded(2.5), "kind": graded(0.4, 1.0)}
ITEMS = [f"q{i}" for i in range(90)]
LONG = pl.DataFrame(
    [
        {"item": i, "rater": name, "rating": grades[n], "doc": n // 3, "sys": f"s{n % 4}"}
        for name, grades in HUMANS.items()
        for n, i in enumerate(ITEMS)
    ]
)
SCALE = ["--labels", "1..5"]


@pytest.fixture
def humans(tmp_path: Path) -> str:
    LONG.write_csv(tmp_path / "humans.csv")
    return str(tmp_path / "humans.csv")


@pytest.fixture
def judges(tmp_path: Path) -> str:
    # In another order: items are matched by name.
    pl.DataFrame({"item": ITEMS, **JUDGES}).reverse().write_csv(tmp_path / "judges.csv")
    return str(tmp_path / "judges.csv")


def facts(*arguments: str) -> dict[str, Any]:
    done = run("judge", *arguments, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


def test_it_is_as_in_python(humans: str, judges: str) -> None:
    found = facts(humans, "--judges", judges, *SCALE, "--margin", "0.1", "--clusters", "doc")
    ratings = oe.Ratings(HUMANS, range(1, 6), items=ITEMS, clusters=[n // 3 for n in range(90)])
    expected = oe.judge(ratings, JUDGES, margin=0.1)
    assert [r["judge"] for r in found["rows"]] == list(expected.judges)
    for row, own in zip(found["rows"], expected.rows(), strict=True):
        for name in ("agreement", "agreement_low", "gap", "gap_high", "winning_rate", "bias"):
            assert row[name] == pytest.approx(own[name])
        assert row["verdict"] == own["verdict"]
    assert found["conclusion"] == expected.conclusion()
    assert found["unmatched"] == 0
    assert found["kind"] == "ordeval.judgement"


def test_humans_left_out_and_subgroups_are_as_in_python(humans: str, judges: str) -> None:
    given = [humans, "--judges", judges, *SCALE]
    found = facts(*given, "--without", "ben", "--by", "sys")
    kept = {name: x for name, x in HUMANS.items() if name != "ben"}
    ratings = oe.Ratings(kept, range(1, 6), items=ITEMS)
    expected = oe.judge(ratings, JUDGES, by=[f"s{n % 4}" for n in range(90)])
    assert found["left_out"] == ["ben"]
    for row, own in zip(found["rows"], expected.rows(), strict=True):
        assert (row["gap"], row["prmse"]) == pytest.approx((own["gap"], own["prmse"]))
    for name, groups in expected.subgroups.items():
        # Items come in the order of their names, and so do subgroups in that of their items.
        told = {s["subgroup"]: s for s in found["subgroups"][name]}
        assert set(told) == {s.subgroup for s in groups}
        for s in groups:
            assert told[s.subgroup]["gap"]["estimate"] == pytest.approx(s.gap.estimate)
            assert told[s.subgroup]["p_adjusted"] == pytest.approx(s.p_adjusted)
    both = facts(*given, "--by", "sys", "--by", "doc")["subgroups"]["good"]
    assert "s0 / 0" in {s["subgroup"] for s in both}
    # The column says what it holds, and stays where a table goes on below.
    text = run("judge", *given, "--by", "sys").stdout
    heads = [line.split() for line in text.splitlines() if line.split()[:2] == ["judge", "sys"]]
    assert [h[2] for h in heads] == ["items", "from"]
    assert "There is no verdict by subgroup" in text
    assert "quadratic weighted kappa" in text
    said = run("judge", *given, "--without", "ben", "--verbose").stdout
    assert "Left out on request: ben." in said
    assert "judges in subgroups" not in said
    whole = run("judge", *given, "--by", "sys", "--all").stdout
    assert "ceiling and gaps without each human" in whole
    assert "judges in subgroups" in whole


def test_judges_among_the_raters_of_one_file(humans: str, judges: str, tmp_path: Path) -> None:
    apart = facts(humans, "--judges", judges, "--judge", "good", *SCALE)
    rows = [{"item": i, "rater": "good", "rating": g}
            for i, g in zip(ITEMS, JUDGES["good"], strict=True)]  # fmt: skip
    together = tmp_path / "all.parquet"
    pl.concat([LONG.select("item", "rater", "rating"), pl.DataFrame(rows)]).write_parquet(together)
    assert facts(str(together), "--judge", "good", *SCALE)["rows"] == apart["rows"]
    wide = tmp_path / "wide.csv"
    pl.DataFrame({"item": ITEMS, **HUMANS, **JUDGES}).write_csv(wide)
    columns = [x for h in HUMANS for x in ("--rater-col", h)]
    assert facts(str(wide), *columns, "--judge", "good", *SCALE)["rows"] == apart["rows"]


def test_a_long_file_of_judges_with_runs(humans: str, tmp_path: Path) -> None:
    rows = [{"item": i, "rater": "good", "rating": g}
            for run_ in (JUDGES["good"], JUDGES["kind"])
            for i, g in zip(ITEMS, run_, strict=True)]  # fmt: skip
    path = tmp_path / "runs.csv"
    pl.DataFrame(rows).write_csv(path)
    assert "more than once" in refused("judge", humans, "--judges", str(path), *SCALE)
    found = facts(humans, "--judges", str(path), *SCALE, "--duplicates", "runs")
    assert list(found["self_consistency"]) == ["good"]


def test_numbers_and_text_name_the_same_items(tmp_path: Path) -> None:
    """CSV does not tell 7 from "7"; Parquet does."""
    wide, judged = tmp_path / "humans.csv", tmp_path / "judges.parquet"
    pl.DataFrame({"item": range(90), **HUMANS}).write_csv(wide)
    pl.DataFrame({"item": range(90), **JUDGES}).write_parquet(judged)
    columns = [x for h in HUMANS for x in ("--rater-col", h)]
    found = facts(str(wide), *columns, "--judges", str(judged), *SCALE)
    assert found["unmatched"] == 0
    assert {r["unread"] for r in found["rows"]} == {0.0}


def test_items_that_one_file_lacks(humans: str, tmp_path: Path) -> None:
    path = tmp_path / "judges.csv"
    items = [*ITEMS[2:], "new1", "new2", "new3"]
    pl.DataFrame({"item": items, "good": [*JUDGES["good"][2:], 1, 2, 3]}).write_csv(path)
    assert "2 caveats: --verbose" in run("judge", humans, "--judges", str(path), *SCALE).stdout
    done = run("judge", humans, "--judges", str(path), *SCALE, "--verbose")
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "good: 2 of 90 items without a label (2.2% [0.3%, 7.8%])." in said
    assert "3 items that judges answered and no human rated were left out." in said
    strict = run("judge", humans, "--judges", str(path), *SCALE, "--max-dropped", "2")
    assert strict.returncode == 1
    assert "3 of 93 items of the judges without a human rating (3.2%) were dropped" in strict.stderr


def test_a_join_that_went_wrong_is_no_success(humans: str, tmp_path: Path) -> None:
    path = tmp_path / "judges.csv"
    pl.DataFrame({"item": [f"Q{i}" for i in range(90)], **JUDGES}).write_csv(path)
    message = refused("judge", humans, "--judges", str(path), *SCALE)
    assert "humans and judges have no item in common" in message
    assert "human items look like 'q0', judge items like 'Q0'." in message
    pl.DataFrame({"item": ITEMS[:40], "good": JUDGES["good"][:40]}).write_csv(path)
    done = run("judge", humans, "--judges", str(path), *SCALE)
    assert done.returncode == 1
    assert "50 of 90 items of good (55.6%) were dropped; --max-dropped allows 10%" in done.stderr
    assert run("judge", humans, "--judges", str(path), *SCALE, "--max-dropped", "60%")[0] == 0


def test_answers_as_judges_wrote_them(humans: str, tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    texts = [f"Reasons.\nScore: {g}" for g in JUDGES["good"]]
    texts[5], texts[6] = "I cannot rate this.", "Score: 4 or 5"
    pl.DataFrame({"item": ITEMS, "gpt": texts}).write_csv(path)
    raw = ["judge", humans, "--judges", str(path), *SCALE]
    assert "Score: " in refused(*raw)  # they are no labels
    done = run(*raw, "--answer-pattern", "score", "--format", "json")
    assert done.returncode == 0
    assert done.stderr.startswith("gpt: 2 of 90 answers have no label (1 refused, 1 unreadable)")
    (row,) = json.loads(done.stdout)["rows"]
    assert row["unread"] == pytest.approx(2 / 90)
    halves = tmp_path / "halves.csv"
    pl.DataFrame({"item": ITEMS, "gpt": [g - 0.5 if g > 1 else g for g in JUDGES["good"]]}
                 ).write_csv(halves)  # fmt: skip
    up = ["judge", humans, "--judges", str(halves), *SCALE, "--answer-pattern", "whole"]
    assert run(*up).returncode == 1  # most of them are not read
    assert "went to the nearest level, halves up." in run(*up, "--half", "up").stderr


@pytest.mark.parametrize(
    ("gate", "failing"),
    [
        ("agreement=0.6", ["poor"]), ("agreement.low=0.05", []),
        ("gap.low=-0.2", ["kind", "poor"]), ("winning_rate=0.5", ["kind", "poor"]),
        ("advantage=0.01", []), ("bias=0.5", ["kind"]),
    ],
)  # fmt: skip
def test_every_judge_must_pass(humans: str, judges: str, gate: str, failing: list[str]) -> None:
    done = run("judge", humans, "--judges", judges, *SCALE, "--fail-under", gate)
    assert done.returncode == bool(failing), done.stderr
    failed = [line.split()[2] for line in done.stderr.splitlines()]
    assert sorted(failed) == failing
    one = run("judge", humans, "--judges", judges, *SCALE, "--fail-under", gate, "--judge", "good")
    assert one.returncode == 0


def test_a_gap_in_a_measure_of_which_less_is_better(humans: str, judges: str) -> None:
    asked = ["judge", humans, "--judges", judges, *SCALE, "--metric", "mean_absolute_error"]
    assert run(*asked, "--judge", "good", "--fail-under", "gap.high=0.2").returncode == 0
    assert run(*asked, "--judge", "poor", "--fail-under", "gap.high=0.2").returncode == 1
    assert "use gap.high=VALUE, not gap.low." in refused(*asked, "--fail-under", "gap.low=0.2")


def test_a_column_that_is_no_judge(humans: str, tmp_path: Path) -> None:
    path = tmp_path / "judges.csv"
    pl.DataFrame({"item": ITEMS, "text": ["hello"] * 90, **JUDGES}).write_csv(path)
    message = refused("judge", humans, "--judges", str(path), *SCALE)
    assert "text has 90 labels outside the scale" in message
    assert "Without --judge, every other column of --judges counts as a judge" in message
    assert "--raters" not in message  # which the command has not
    named = refused("judge", humans, "--judges", str(path), *SCALE, "--judge", "text")
    assert "Without --judge" not in named


def test_systems(humans: str, judges: str) -> None:
    asked = [humans, "--judges", judges, *SCALE, "--systems", "sys"]
    found = facts(*asked)
    assert set(found["systems"]) == set(JUDGES)
    assert found["systems"] == facts(*asked)["systems"]
    assert "systems ranked by judges and by humans" in run("judge", *asked).stdout


def test_files_and_pages(humans: str, judges: str, tmp_path: Path) -> None:
    asked = ["judge", humans, "--judges", judges, *SCALE]
    for name, part in (
        ("a.html", "<!doctype html>"), ("a.md", "| judge |"), ("a.tex", r"\begin{tabular}"),
        ("a.json", '"kind": "ordeval.judgement"'), ("a.csv", "judge,metric,agreement"),
    ):  # fmt: skip
        done = run(*asked, "-o", str(tmp_path / name))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert part in (tmp_path / name).read_text()
    assert run(*asked, "-o", str(tmp_path / "a.docx")).returncode == 0
    word = docx.Document(str(tmp_path / "a.docx"))
    assert word.tables[0].rows[0].cells[0].text == "judge"
    assert len(word.inline_shapes) == 4 + len(JUDGES)
    page = (tmp_path / "a.html").read_text()
    assert "ordeval judge " in page  # how it was made
    message = refused(*asked, "-o", str(tmp_path / "a.pdf"))
    assert "--output must end in .html, .htm, .docx, .txt, .json, .csv, .md or .tex" in message
    for data in (humans, judges):
        assert "would overwrite the input file" in refused(*asked, "-o", data)


WRONG: dict[str, tuple[list[str], str]] = {
    "no judges": ([], "Missing --judges FILE"),
    "no such judge": (["--judge", "dora"], "there is no rater 'dora'; raters: anna, ben, cleo."),
    "all judges": (
        ["--judge", "anna", "--judge", "ben", "--judge", "cleo"],
        "No human rater is left",
    ),
    "pattern": (["--judge", "anna", "--answer-pattern", "score"], "need --judges FILE"),
    "half": (["--judge", "anna", "--half", "up"], "--answer-pattern and --half need"),
    "gate": (
        ["--judge", "anna", "--fail-under", "kappa=0.6"],
        "winning_rate, advantage, bias, shift or unreadable",
    ),
    "end": (["--judge", "anna", "--fail-under", "bias.low=0.6"], "has no interval"),
    "measure": (["--judge", "anna", "--metric", "fleiss_kappa"], "ratings of several raters"),
    "direction": (
        ["--judge", "anna", "--metric", "mean_signed_error"],
        "a measure with a direction",
    ),
    "epsilon": (["--judge", "anna", "--epsilon", "2"], "--epsilon must be a number from 0"),
    "scoring": (["--judge", "anna", "--scoring", "f1"], '--scoring must be "rmse" or "accuracy"'),
    "systems": (
        ["--judge", "anna", "--systems", "rater"],
        "has several values in 'rater'; --systems needs one",
    ),
    "by": (["--judge", "anna", "--by", "rater"], "in 'rater'; --by needs one"),
    "is not in the data": (["--judge", "anna", "--by", "site"], "'site'"),
    "without": (["--judge", "anna", "--without", "bem"], "called 'bem'. Did you mean ben?"),
    "a judge left out": (["--judge", "anna", "--without", "anna"], "--without must name humans"),
    "one left": (["--judge", "anna", "--without", "ben"], "--without must leave at least two"),
    "margin": (["--judge", "anna", "--margin", "0"], "--margin must be a number > 0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str, humans: str) -> None:
    arguments, message = WRONG[case]
    assert message in refused("judge", humans, *SCALE, *arguments)


def test_files_that_cannot_be(humans: str, judges: str) -> None:
    assert "are the same file" in refused("judge", humans, "--judges", humans)
    assert "cannot both be standard input" in refused("judge", "-", "--judges", "-", given="a\n1")
    message = refused("judge", humans, "--judges", judges, "--judge", "goood", *SCALE)
    assert "there is no column 'goood'. Did you mean 'good'" in message
    given = pl.DataFrame({"item": ITEMS, **JUDGES}).write_csv()
    message = refused("judge", humans, "--judges", "-", *SCALE, given=given)
    assert "name the judges: --judge COLUMN" in message
    done = run("judge", humans, "--judges", "-", "--judge", "good", *SCALE, given=given)
    assert done.returncode == 0


def test_judges_beside_each_other_and_beside_their_answers_before(
    humans: str, judges: str, tmp_path: Path
) -> None:
    before = tmp_path / "before.csv"
    pl.DataFrame({"item": ITEMS, **JUDGES, "kind": JUDGES["good"]}).write_csv(before)
    found = facts(
        humans, "--judges", judges, *SCALE, "--before", str(before), "--reference", "good"
    )
    assert [(d["a"], d["b"]) for d in found["differences"]] == [("kind", "good"), ("poor", "good")]
    assert set(found["drift"]) == {"good", "poor", "kind"}
    assert found["drift"]["kind"]["shift"]["low"] > 0
    gates = ["--fail-under", "shift=0.2", "--fail-under", "change.low=-0.05", "--format", "csv"]
    done = run("judge", humans, "--judges", judges, *SCALE, "--before", str(before), *gates)
    assert done.returncode == 1
    told = [line.split(";")[0] for line in done.stderr.splitlines()]
    assert told[0].startswith("gate failed: kind has shift 0.")
    assert told[1].startswith("gate failed: kind has change.low -0.")
    assert len(told) == 2
    said = refused("judge", humans, "--judges", judges, *SCALE, "--fail-under", "shift=0.1")
    assert "need earlier answers: add --before FILE." in said
    asked = ["judge", humans, "--judges", judges, *SCALE, "--judge", "good", "--before", humans]
    assert f"--before {humans}: " in refused(*asked)


def test_the_project_file_judges(humans: str, judges: str, tmp_path: Path) -> None:
    project = tmp_path / "ordeval.toml"
    text = """[judge]
ratings = "humans.csv"
judges = "judges.csv"
judge = ["good", "poor"]
labels = "1..5"
margin = 0.1
[judge.gates]
"gap.low" = -0.2
agreement = 0.5
unreadable = 0.05
"""
    project.write_text(text)
    junit = tmp_path / "gates.xml"
    done = run("check", "--config", str(project), "--junit", str(junit), "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert "gate failed: poor has gap.low -0." in done.stderr
    assert "gate failed: good" not in done.stderr
    assert 'tests="8"' in junit.read_text()
    assert "unreadable" in junit.read_text()
    project.write_text(text.replace('"good", "poor"', '"good"'))
    done = run("check", "--config", str(project), "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"][0]["margin"] == 0.1
    wrong = {
        'ratings = "humans.csv"\n': "[judge] needs the key 'ratings'",
        'judges = "judges.csv"\njudge = ["good", "poor"]\n': "needs the key 'judges'",
        '[judge.gates]\n"gap.low" = -0.2\nagreement = 0.5\nunreadable = 0.05\n': "has no gates",
    }
    for part, message in wrong.items():
        project.write_text(text.replace(part, ""))
        assert message in refused("check", "--config", str(project))
    project.write_text(text.replace("margin", "margins"))
    assert "table [judge], has the unknown key 'margins'. Did you mean" in refused(
        "check", "--config", str(project)
    )
    project.write_text(text.replace("[judge.gates]", "[judge.gate]"))
    assert "Did you mean [judge.gates]?" in refused("check", "--config", str(project))
    project.write_text(text.replace("= 0.5", '= "high"'))
    assert "gates in [judge.gates] are numbers" in refused("check", "--config", str(project))
    project.write_text(text.replace("agreement = 0.5", "agreements = 0.5"))
    unknown = refused("check", "--config", str(project))
    assert "[judge.gates] takes agreement" in unknown
    assert "--fail-under" not in unknown


@pytest.mark.parametrize("ids", [["--item", "q,p"], ["--item", "q", "--item", "p"]])
def test_items_of_several_columns(ids: list[str], tmp_path: Path) -> None:
    names = {"q": [f"q{n // 9}" for n in range(90)], "p": [f"p{n % 9}" for n in range(90)]}
    pl.DataFrame({**names, **HUMANS}).write_csv(tmp_path / "humans.csv")
    pl.DataFrame({**names, **JUDGES}).reverse().write_csv(tmp_path / "judges.csv")
    wide = [x for name in HUMANS for x in ("--rater-col", name)]
    given = [str(tmp_path / "humans.csv"), *ids, *wide, *SCALE, "--clusters", "q"]
    found = facts(*given, "--judges", str(tmp_path / "judges.csv"), "--by", "q")
    own = oe.judge(oe.Ratings(HUMANS, range(1, 6), clusters=names["q"]), JUDGES)
    assert found["ceiling"]["low"] == pytest.approx(own.ceiling.low)
    assert found["worst"]["poor"][0]["item"][0].startswith("q")
    assert "q0" in {s["subgroup"] for s in found["subgroups"]["good"]}
    assert run("judge", *given, "--judges", str(tmp_path / "judges.csv")).returncode == 0
    twice = refused("agree", given[0], "--item", "q", *wide, *SCALE)
    assert "'q0' appears in more than one row of 'q'" in twice


def test_ratings_outside_the_scale_and_between_levels(humans: str, tmp_path: Path) -> None:
    given = {"item": ITEMS, "good": [9.0, 2.5, *JUDGES["good"][2:]]}
    judges = tmp_path / "judges.csv"
    pl.DataFrame(given).write_csv(judges)
    asked = [humans, "--judges", str(judges), *SCALE]
    message = refused("judge", *asked)
    assert "--drop-unknown" in message
    assert "--half sets how numbers such as 3.5 are rounded" in message
    assert "--score" not in message
    found = facts(*asked, "--drop-unknown")
    assert found["unread"]["good"]["estimate"] == pytest.approx(2 / 90)
    assert found["outside"] == 2
    for more in ((), ("--all",), ("--verbose",)):
        text = run("judge", *asked, "--drop-unknown", *more).stdout
        assert text.count("Dropped: 2 ratings outside the scale.") == 1
    done = run("judge", *asked, "--half", "up", "--max-dropped", "1")
    assert "1 outside" in done.stderr
    assert done.returncode == 0
    assert run("judge", *asked, "--drop-unknown", "--max-dropped", "1").returncode == 1
    pl.DataFrame({"item": ITEMS, "a": given["good"], "b": HUMANS["ben"]}).write_csv(judges)
    agreed = ["agree", str(judges), "--rater-col", "a", "--rater-col", "b", *SCALE]
    assert "--drop-unknown" in refused(*agreed)
    assert "Dropped: 2 ratings outside the scale." in run(*agreed, "--drop-unknown").stdout


def test_agreement_without_a_rater(humans: str) -> None:
    asked = ["agree", humans, *SCALE, "--format", "json", "--metric", "gwet_ac2"]
    found = json.loads(run(*asked, "--without", "ben").stdout)
    kept = {name: x for name, x in HUMANS.items() if name != "ben"}
    own = oe.Ratings(kept, range(1, 6)).agreement("gwet_ac2")
    assert found["rows"][0]["value"] == pytest.approx(own["gwet_ac2"])
    assert "--without must name raters; none is called 'bem'" in refused(*asked, "--without", "bem")


def test_answers_are_read_and_judged(humans: str, tmp_path: Path) -> None:
    texts = [f"Of 3 parts all are clear.\nFinal score: {g}/5" for g in JUDGES["good"]]
    texts[4], texts[5] = "I cannot rate this.", ""
    raw, scores = tmp_path / "raw.csv", tmp_path / "scores.csv"
    pl.DataFrame({"item": ITEMS, "good": texts}).write_csv(raw)
    done = run("read", str(raw), "--column", "good", *SCALE, "-o", str(scores))
    assert done.returncode == 0
    assert "2 of 90 answers have no label (1 missing, 1 refused)" in done.stderr
    found = pl.read_csv(scores)
    assert found.columns == [
        "item", "rater", "label", "outcome", "start", "end", "span", "reason"
    ]  # fmt: skip
    assert found.height == 90
    shown = run("read", str(raw), "--column", "good", *SCALE).stdout
    assert "70 more answers are not shown; --format csv has them all." in shown
    by_item = {r["item"]: r for r in found.iter_rows(named=True)}
    for n, item in enumerate(ITEMS):
        row = by_item[item]
        if n in (4, 5):
            assert (row["label"], row["span"]) == (None, None)
        else:
            assert row["label"] == JUDGES["good"][n]
            assert texts[n][row["start"] : row["end"]] == row["span"] == f"{row['label']}/5"
    assert by_item["q4"]["reason"] == "a refusal"
    read = facts(humans, "--judges", str(scores), *SCALE)
    given = [None if n in (4, 5) else g for n, g in enumerate(JUDGES["good"])]
    own = oe.judge(oe.Ratings(HUMANS, range(1, 6)), {"good": given})
    assert read["rows"][0]["agreement"] == pytest.approx(own.agreement["good"].estimate)
    assert read["unread"]["good"]["estimate"] == pytest.approx(2 / 90)
    assert "needs --column COL and --labels" in refused("read", str(raw), *SCALE)


def test_repeated_answers_are_read_and_judged_as_runs(humans: str, tmp_path: Path) -> None:
    raw, scores = str(tmp_path / "raw.csv"), str(tmp_path / "scores.csv")
    again = [*JUDGES["good"][:-1], 1 if JUDGES["good"][-1] > 1 else 2]
    texts = [f"Score: {g}" for g in [*JUDGES["good"], *again]]
    pl.DataFrame({"id": ITEMS * 2, "good": texts}).write_csv(raw)
    asked = ["read", raw, "--column", "good", *SCALE]
    assert "Name the column of the items with --item." in refused(*asked)
    assert run(*asked, "--item", "id", "-o", scores).returncode == 0
    written = pl.read_csv(scores).rename({"id": "item"})
    assert sorted(written.select("item", "label").iter_rows()) == sorted(
        zip(ITEMS * 2, [*JUDGES["good"], *again], strict=True)
    )
    written.write_csv(scores)
    judged = ["judge", humans, "--judges", scores, *SCALE]
    assert "--duplicates runs" in refused(*judged)
    found = facts(humans, "--judges", scores, *SCALE, "--duplicates", "runs")
    assert found["same_grade"]["good"]["whole"]["estimate"] == pytest.approx(89 / 90)


def test_answers_of_several_judges_are_judged_by_raters_in_columns(tmp_path: Path) -> None:
    """The file of the humans is wide, and that of `ordeval read` is long."""
    raw, scores, wide = (str(tmp_path / name) for name in ("raw.csv", "scores.csv", "wide.csv"))
    pl.DataFrame({"item": ITEMS, **JUDGES}).write_csv(raw)
    pl.DataFrame({"item": ITEMS, **HUMANS}).write_csv(wide)
    names = [x for name in JUDGES for x in ("--column", name)]
    assert run("read", raw, *names, *SCALE, "-o", scores).returncode == 0
    asked = [wide, *[x for name in HUMANS for x in ("--rater-col", name)], *SCALE, "--judges"]
    assert facts(*asked, scores)["rows"] == facts(*asked, raw)["rows"]
    (name, *_) = JUDGES
    (row,) = facts(*asked, scores, "--judge", name)["rows"]
    assert row["judge"] == name


def test_items_without_a_value_of_a_covariate(tmp_path: Path) -> None:
    path = str(tmp_path / "humans.csv")
    words = [None if n < 7 else n for n in range(90)]
    pl.DataFrame({"item": ITEMS, "words": words, **HUMANS, **JUDGES}).write_csv(path)
    given = [x for name in HUMANS for x in ("--rater-col", name)]
    given += [x for name in JUDGES for x in ("--judge", name)]
    asked = ["judge", path, *given, *SCALE, "--covariate", "words"]
    assert "7 of 90 items have no value in column 'words' (--covariate)" in refused(*asked)
    assert run(*asked, "--where", "words is not null").returncode == 0


def test_all_pairs_are_printed_where_they_are_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "wide.csv")
    many = {f"j{n}": RNG.integers(1, 6, 90).tolist() for n in range(10)}
    pl.DataFrame({"item": ITEMS, **HUMANS, **many}).write_csv(path)
    given = [x for name in HUMANS for x in ("--rater-col", name)]
    asked = ["judge", path, *given, *SCALE, "--judges", path]
    assert "5 more differences are not shown; --format json has them all." in (
        " ".join(run(*asked, "--all").stdout.split())
    )
    shown = run(*asked, "--pairs").stdout
    assert "not shown" not in shown
    assert all(any(line.split()[:2] == ["j1", f"j{n}"] or line.split()[:2] == [f"j{n}", "j1"]
                   for line in shown.splitlines()) for n in range(10) if n != 1)  # fmt: skip


def test_it_is_said_if_judges_are_compared_on_fewer_items(tmp_path: Path) -> None:
    path = str(tmp_path / "wide.csv")
    names = list(JUDGES)[:2]
    less = [None if n < 20 else x for n, x in enumerate(JUDGES[names[1]])]
    pl.DataFrame({"item": ITEMS, **HUMANS, names[0]: JUDGES[names[0]], names[1]: less}).write_csv(
        path
    )
    given = [x for name in HUMANS for x in ("--rater-col", name)]
    asked = ["judge", path, *given, *SCALE, "--judges", path]
    assert "on the 70 items that all answered" in " ".join(run(*asked).stdout.split())


def test_covariates_of_csv_are_numbers_or_categories(tmp_path: Path) -> None:
    words = RNG.integers(10, 900, 90).tolist()
    site = ["abc"[n % 3] for n in range(90)]
    path = tmp_path / "humans.csv"
    wide = {"item": ITEMS, "words": words, "site": site, **HUMANS, **JUDGES}
    pl.DataFrame(wide).write_csv(path)
    given = [x for name in HUMANS for x in ("--rater-col", name)]
    given += [x for name in JUDGES for x in ("--judge", name)]
    found = facts(str(path), *given, *SCALE, "--covariate", "words", "--covariate", "site")
    ratings = oe.Ratings(HUMANS, range(1, 6), items=ITEMS)
    own = oe.judge(ratings, JUDGES, covariates={"words": words, "site": site})
    for name in JUDGES:
        labels = [(e["covariate"], e["level"]) for e in found["effects"][name]]
        assert labels == [("words", None), ("site", "b"), ("site", "c")]
        for effect, e in zip(found["effects"][name], own.effects[name], strict=True):
            assert effect["steps"]["estimate"] == pytest.approx(e.steps.estimate)
            assert effect["p_adjusted"] == pytest.approx(e.p_adjusted)


def test_all_other_columns_of_a_wide_file_are_judges(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    doc = [n // 3 for n in range(90)]
    pl.DataFrame({"item": ITEMS, "doc": doc, **HUMANS, **JUDGES}).write_csv(path)
    given = [x for name in HUMANS for x in ("--rater-col", name)]
    asked = [str(path), *given, *SCALE, "--clusters", "doc"]
    found = facts(*asked, "--judges", str(path))
    named = facts(*asked, *[x for name in JUDGES for x in ("--judge", name)])
    assert [r["judge"] for r in found["rows"]] == [r["judge"] for r in named["rows"]]
    assert found["rows"] == named["rows"]


def test_a_plan_of_a_study_with_one_judge(humans: str, judges: str) -> None:
    asked = [humans, "--judges", judges, *SCALE, "--plan-power", "0.8"]
    one = [*asked, "--judge", "good", "--margin", "0.1"]
    found = facts(*one, "--clusters", "doc")
    ratings = oe.Ratings(HUMANS, range(1, 6), items=ITEMS, clusters=[n // 3 for n in range(90)])
    pilot = oe.judge(ratings, {"good": JUDGES["good"]})
    assert found["kind"] == "ordeval.plan"
    assert found["items"] == oe.plan("weighted_kappa", pilot, power=0.8, margin=0.1).items
    assert "To show that good is non-inferior to a human" in run("judge", *one).stdout
    assert "--plan-power is for one judge" in refused("judge", *asked, "--margin", "0.1")
    assert "--plan-power needs --margin." in refused("judge", *asked)
    assert "has no page" in refused("judge", *one, "-o", "plan.html")
