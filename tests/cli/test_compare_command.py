"""ordeval compare: the conclusion, clusters, subgroups, the reference, gates and formats."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import COLUMNS, FEW, GRADES, STAGES, WINE, refused, run
from test_score_command import SITE_COLUMNS, SITES

BOTH = ["--truth", "stage", "--pred", "model_a", "--pred", "model_b", "--labels", "I,II,III,IV"]


def test_compare_ends_in_a_conclusion() -> None:
    few = ["--metric", "cem_ord"]
    done = run("compare", WINE, *COLUMNS, *GRADES, *few)
    assert (done.returncode, done.stderr) == (0, "")
    assert "forest is best: CEM 0.759, 95% CI [0.743, 0.775]" in done.stdout
    facts = json.loads(run("compare", WINE, *COLUMNS, *GRADES, *few, "--format", "json").stdout)
    assert facts["kind"] == "ordeval.comparison"
    assert facts["command"] == ["ordeval", "compare", WINE, *COLUMNS, *GRADES, *few,
                                "--format", "json"]  # fmt: skip
    assert run("compare", WINE, *COLUMNS, *GRADES, *few).stdout == done.stdout
    latex = run("compare", WINE, *COLUMNS, *GRADES, *few, "--format", "latex")
    assert latex.stdout.startswith("\\paragraph{Comparison}\n\nforest is best: CEM 0.759, ")
    assert "\\caption{}" not in latex.stdout
    made = run("compare", WINE, *COLUMNS, *GRADES, *few, "--format", "markdown").stdout
    assert "|  | rank | CEM \\[95% CI\\] |" in made


def test_a_comment_has_the_verdict_and_one_table() -> None:
    given = ["compare", WINE, *COLUMNS, *GRADES, "--metric", "cem_ord", "--brief"]
    text = run(*given).stdout
    assert text.startswith("## Comparison\n\nforest is best: CEM 0.759, ")
    assert text.count("| --- |\n") == 1
    assert "--brief gives Markdown" in refused(*given, "--format", "json")


def test_long_names_leave_p_in_the_main_table(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    names = [f"a-model-with-a-long-name-{i}" for i in range(3)]
    rows = [f"{i % 3},{i % 3},{i % 2},{i % 3 and 1}" for i in range(90)]
    path.write_text("\n".join([",".join(["y", *names]), *rows]))
    columns = [x for n in names for x in ("--pred", n)]
    said = run("compare", str(path), "--truth", "y", "--labels", "0,1,2", *columns).stdout
    head, *table = said.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    assert "p adj." in head
    assert max(map(len, table)) <= 80
    assert re.search(rf"^{names[1]} .* -0\.\d\d\d +[<\d]", said, re.MULTILINE)


def test_without_measures_a_panel() -> None:
    done = run("compare", WINE, *COLUMNS, *GRADES, "--all")
    assert "cost-accuracy distance" in done.stdout


def test_the_method_is_named_and_its_draws_are_repeatable() -> None:
    given = ["compare", WINE, *COLUMNS, *GRADES, "--metric", "accuracy"]
    drawn = [*given, "--method", "bca", "--resamples", "199", "--seed"]
    first = run(*drawn, "1").stdout
    how = "Intervals: 95% BCa, 199 draws."
    assert how in " ".join(run(*drawn, "1", "--verbose").stdout.split())
    assert run(*drawn, "1").stdout == first
    assert run(*drawn, "2").stdout != first
    plain = run(*given).stdout
    assert "Intervals: 95%." in run(*given, "--verbose").stdout
    # Nothing is drawn, so neither matters.
    assert run(*given, "--resamples", "7", "--seed", "1").stdout == plain
    facts = json.loads(run(*given, "--method", "percentile", "--resamples", "19", "--seed", "1",
                           "--format", "json").stdout)  # fmt: skip
    assert facts["settings"]["method"] == "percentile"
    assert facts["settings"]["n_resamples"] == 19


def test_a_margin_is_in_the_conclusion_and_in_the_table_of_pairs() -> None:
    given = ["compare", WINE, *COLUMNS, "--pred", "neighbours", *GRADES, "--metric", "cem_ord"]
    asked = ["--reference", "logistic", "--margin", "0.03"]
    shown = " ".join(run(*given, *asked, "--pairs").stdout.split())
    assert "Differences in CEM (closeness) from logistic model difference p p adj." in shown
    assert "Margin 0.03 in CEM (closeness): forest (+0.0" in shown
    assert re.search(
        r"neighbours \(-0.014 \[-0.031, \+0.003\], one-sided raw p = (0.03\d+), corrected p = \1",
        shown,
    )
    facts = json.loads(run(*given, *asked, "--format", "json").stdout)
    assert facts["settings"]["margin"] == 0.03
    assert [d["verdict"] for d in facts["deltas"]] == ["non-inferior", "not shown"]


def test_ranks_are_in_the_table_and_in_the_conclusion() -> None:
    every = [x for m in ("neighbours", "ridge_rounded", "always_5") for x in ("--pred", m)]
    done = run("compare", WINE, *COLUMNS, *every, *GRADES, "--metric", "cem_ord")
    assert "logistic         2-4 " in done.stdout
    shown = " ".join(done.stdout.split())
    assert "Significantly better than all 4 others (paired tests, corrected p < 0.0001)." in shown
    assert "logistic, ridge_rounded and neighbours: no significant differences." in shown


def test_subgroups(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES)
    both = ["compare", str(path), *SITE_COLUMNS, "--pred", "q", *FEW]
    shown = run(*both).stdout
    assert shown.startswith(
        "By accuracy, the best model is significantly better than the second in"
    )
    assert "\nsite  items  best" in shown
    alone = ", by itself: p-values are not corrected for the other subgroups"
    assert f"site = 9{alone}\nq is best: accuracy " in shown
    assert f"site = 10{alone}\np is best: accuracy " in shown
    facts = json.loads(run(*both, "--format", "json").stdout)
    assert (facts["kind"], facts["by"]) == ("ordeval.comparisons", ["site"])
    assert [s["subgroup"] for s in facts["subgroups"]] == [9, 10]
    table = run(*both, "--format", "csv").stdout
    assert table.splitlines()[0].startswith("subgroup,items,model,kind,metric")
    assert table.splitlines()[1].startswith("9,40,")
    assert table.splitlines()[-1].startswith("10,40,")  # a finding
    assert {f["items"] for f in facts["findings"]} == {40}
    gate = run(*both, "--fail-under", "accuracy=0.9")
    assert (gate.returncode, "gate failed: p in 9 has accuracy" in gate.stderr) == (1, True)


def test_many_subgroups_are_one_table(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("site,y,p,q\n" + "".join(
        f"{i % 20},{i % 2},{i % 2},{i % 3 % 2}\n" for i in range(1200)
    ))  # fmt: skip
    asked = ["compare", str(path), "--truth", "y", "--pred", "p", "--pred", "q", "--by", "site",
             "--labels", "0,1", "--metric", "accuracy"]  # fmt: skip
    shown = run(*asked).stdout
    assert "site = " not in shown
    assert "p adj. is corrected for all 20 subgroups (Holm); intervals are not." in shown
    assert "the best model is significantly better than the second in 20 of 20 subgroups" in shown
    beside = run(*asked, "--reference", "q").stdout
    assert beside.startswith("By accuracy, significantly better than q: p in 0, p in 1")
    facts = json.loads(run(*asked, "--format", "json").stdout)
    assert len(facts["findings"]) == len(facts["subgroups"]) == 20


def test_clusters_within_clusters() -> None:
    few = ["--metric", "cem_ord"]
    one = run("compare", STAGES, *BOTH, *few, "--clusters", "patient").stdout
    assert "480 items in 160 clusters" in one
    verbose = run("compare", STAGES, *BOTH, *few, "--clusters", "patient", "--verbose").stdout
    assert "Intervals: 95%, the items of a cluster together." in verbose
    drawn = [*few, "--verbose", "--method", "bca", "--resamples", "99", "--seed", "1"]
    drawn_whole = run("compare", STAGES, *BOTH, *drawn, "--clusters", "patient").stdout
    assert "95% BCa, 99 draws of whole clusters." in " ".join(drawn_whole.split())
    nested = ["--clusters", "clinic", "--clusters", "stage", "--verbose"]
    two = run("compare", STAGES, *BOTH, *few, *nested).stdout
    assert "480 items in 12 clusters" in two
    assert "[OE304] only 12 independent clusters" in two


def test_words_as_clusters_leave_numbers_numbers(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_text("who,y,p,w\n" + "".join(f"p{i % 30},{i % 3},{i % 2},1.5\n" for i in range(90)))
    columns = ["--truth", "y", "--pred", "p", "--labels", "0,1,2", "--clusters", "who"]
    done = run("compare", str(path), *columns, "--weight", "w", *FEW)
    assert done.returncode == 0, done.stderr
    assert "90 items of weight 135 in 30 clusters" in done.stdout


def test_the_reference_is_in_the_conclusion() -> None:
    done = run("compare", WINE, *COLUMNS, *GRADES, *FEW, "--reference", "logistic")
    assert "Significantly better than logistic: forest (+0.1" in done.stdout
    assert "vs logistic" in done.stdout


def test_what_is_dropped_is_told(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text("who,y,p\n" + "a,1,1\nb,2,1\n" * 20 + "a,,1\nb,9,1\n,1,1\n")
    columns = ["--truth", "y", "--pred", "p", "--labels", "1..2", "--clusters", "who", *FEW]
    done = run("compare", str(path), *columns, "--drop-missing", "--drop-unknown", "--verbose")
    assert "40 items in 2 clusters (3 dropped), 1 < 2." in done.stdout
    assert (
        "[OE107] 3 items were dropped for every model: y (1 missing, 1 unknown), who (1 missing)."
        in done.stdout
    )
    message = refused("compare", str(path), *columns, "--drop-unknown")
    assert "1 item has no value in 'who', which defines the clusters" in message


def test_pairs_are_shown_on_request_and_in_the_json(tmp_path: Path) -> None:
    path = tmp_path / "six.csv"
    path.write_text("y,a,b,c,d,e,f\n" + "1,1,1,1,1,1,2\n2,2,2,2,2,1,2\n2,1,2,1,1,2,1\n" * 20)
    columns = ["--truth", "y", *(x for m in "abcdef" for x in ("--pred", m)), "--labels", "1,2"]
    few = ["--metric", "accuracy"]
    done = run("compare", str(path), *columns, *few)
    assert " − " not in done.stdout
    assert run("compare", str(path), *columns, *few, "--pairs").stdout.count(" − ") >= 15
    facts = json.loads(run("compare", str(path), *columns, *few, "--format", "json").stdout)
    assert len(facts["deltas"]) == 15


WRONG: dict[str, tuple[list[str], str]] = {
    "level": (["--level", "2"], "--level must lie between 0 and 1; got 2.0."),
    "method": (["--method", "jackknife"], "--method must be auto, bca or percentile; got"),
    "posterior": (["--method", "bayes"], "--method must be auto, bca or percentile; got"),
    "margin": (["--margin", "0"], "--margin must be a number > 0, in units of the measure"),
    "margin of a bias": (
        ["--margin", "0.1", "--metric", "mean_signed_error"],
        "--margin needs a measure with a direction, and mean_signed_error",
    ),
    "draws": (["--resamples", "0"], "--resamples must be an integer >= 1; got 0."),
    "seed": (["--seed", "-1"], "--seed must be an integer >= 0; got -1."),
    "reference": (["--reference", "x"], "--reference must name one of the models, forest, logist"),
    "clusters": (["--clusters", "who"], "there is no column 'who'"),
    "one cluster": (
        ["--clusters", "always_5"], "--clusters has only one distinct value",
    ),
    "unknown": (["--labels", "3..7"], "or use --drop-unknown to drop these items"),
    "probabilities": (
        ["--metric", "ranked_probability_score"], "needs probabilities, but the models give",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=list(WRONG))
def test_wrong_usage_is_one_message_and_exit_2(arguments: list[str], message: str) -> None:
    assert message in refused("compare", WINE, *COLUMNS, *arguments)


def test_a_summary_is_the_table_of_subgroups_only(tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text(SITES)
    given = ["compare", str(path), *SITE_COLUMNS, "--pred", "q", "--metric", "accuracy"]
    whole = run(*given).stdout
    done = run(*given, "--summary")
    assert (done.returncode, done.stderr) == (0, "")
    assert whole.startswith(done.stdout.rstrip())
    assert len(done.stdout) < len(whole)
    assert "--summary needs subgroups" in refused(*given[:8], "--summary")
