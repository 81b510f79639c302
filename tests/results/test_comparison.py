"""The tables of a comparison, in every format."""

import csv
import io
import json
import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from tests.comparisons import FEW, MODELS, TRUTH, N, noisy, rendered, run, whole_panel
from tests.ready import quick

import ordeval as oe
from ordeval._shared.latex_tables import NEEDS
from ordeval.results.overview import meaning

Array = NDArray[Any]


@pytest.fixture
def panel() -> oe.results.Comparison:
    return whole_panel()


ODD = {
    "a|b *bold* _x_ `c` <script>alert(1)</script>": MODELS["good"],
    'comma, "quote" & 50 % #1 {x} ~ ^ \\ $': MODELS["fair"],
    "[red]line\nbreak[/]": MODELS["weak"],
}


@pytest.fixture(scope="module")
def odd() -> oe.results.Comparison:
    """Models whose names mean something in every format."""
    return run(ODD, n_resamples=99)


def test_frame(panel: oe.results.Comparison) -> None:
    frame = panel.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 3 * 10 + 3 * 10
    row = frame[(frame.model == "good") & (frame.metric == "accuracy")].iloc[0]
    assert row.estimate == panel.estimates["accuracy"]["good"].estimate
    assert row.kind == "model"
    assert set(frame.kind) == {"model", "baseline"}
    deltas = panel.deltas().to_frame()
    assert len(deltas) == 30
    assert {"p_value", "p_adjusted", "low", "high", "favours"} <= set(deltas.columns)


def test_markdown(odd: oe.results.Comparison) -> None:
    answer, rest = odd.to_markdown().split("Differences in ")
    head, said, *_ = answer.split("\n\n")
    assert (head, said.split(": ")[1][:5]) == ("## Comparison", "MAE 0")
    assert len([x for x in answer.splitlines() if x.startswith("|")]) == 2 + 3 + 1
    differences, models = rest.split("300 items, 3 models")
    lines = [x for x in models.splitlines() if x.startswith("|")]
    assert len(lines) == 2 + 3 + 3
    assert len([x for x in differences.splitlines() if x.startswith("|")]) == 2 + 3
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert cells == {len(FEW) + 2 + 1}
    assert r"a\|b \*bold\* \_x\_ \`c\` \<script\>" in lines[2]
    assert "**" in lines[2]
    assert "line break" in lines[4]


def test_brief_markdown_is_the_verdict_and_one_table(odd: oe.results.Comparison) -> None:
    text = odd.to_markdown(brief=True)
    assert " is best: MAE 0." in text
    assert text.count("\n| --- |") == 1
    assert len(text.split()) < 150


def test_latex(odd: oe.results.Comparison) -> None:
    whole = odd.to_latex()
    tabulars = whole.count(r"\begin{tabular}")
    assert tabulars > 2  # the columns of the first table are in blocks
    for command in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert whole.count(command) == tabulars
    assert " is best: MAE 0." in whole
    text = next(x for x in whole.split("\n\n") if "300 items, 3 models" in x)
    text = text.removeprefix(NEEDS)
    bare = re.sub(r"\\[\\{}&%$#_]", "", text)
    assert bare.count("{") == bare.count("}")
    depth = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in bare])
    assert depth.min() >= 0
    assert not re.search(r"[%#~^]", bare)
    assert r"comma, ''quote''" in text or 'comma, "quote"' in text
    assert r"\& 50 \% \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$" in text
    assert r"\textbf{" in text
    assert r"{\scriptsize [" in text
    blocks = bare.split(r"\begin{tabular}")[1:]
    counts = [{row.count("&") for row in x.splitlines() if "&" in row} for x in blocks]
    assert sum(n for (n,) in counts) == 4


def test_latex_has_no_character_that_latex_lacks(panel: oe.results.Comparison) -> None:
    every = run(metrics=quick(), n_resamples=19)
    assert every.to_latex().isascii()
    assert panel.deltas().table().to_latex().isascii()


def test_latex_rows_do_not_start_as_an_option() -> None:
    r"""After \\ and \midrule a bracket or a star would be read as their argument."""
    text = run({"[x] v2": MODELS["good"], "*best*": MODELS["fair"]}, n_resamples=19).to_latex()
    tabulars = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL)
    assert tabulars
    assert not any(re.search(r"^\s*[\[*]", x, flags=re.MULTILINE) for x in tabulars)


def test_csv(odd: oe.results.Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(odd.to_csv(), newline="")))
    assert len(rows) == 3 * 3 + 3 * 3
    assert {r["model"] for r in rows if r["kind"] == "model"} == set(ODD)
    for row in rows:
        if row["kind"] == "model":
            interval = odd.estimates[row["metric"]][row["model"]]
            assert float(row["estimate"]) == interval.estimate
            assert float(row["low"]) == interval.low
        else:
            assert row["low"] == ""


def test_csv_leaves_undefined_values_empty() -> None:
    result = run({"flat": np.zeros(N, int), "good": MODELS["good"]}, metrics=["kendall_tau_b"])
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert rows[1]["model"] == "flat"
    assert rows[1]["estimate"] == ""


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_json(odd: oe.results.Comparison) -> None:
    read = json.loads(odd.to_json(), parse_constant=refuse)
    assert read["schema"] == 1
    assert read["kind"] == "ordeval.comparison"
    assert [m["name"] for m in read["models"]] == list(odd.models)
    assert read["models"][0]["matrix"] == odd.matrices[odd.models[0]].counts.tolist()
    assert len(read["deltas"]) == 9
    assert read["conclusion"] == odd.conclusion()
    assert [m["name"] for m in read["metrics"]] == FEW
    assert read["settings"]["n_resamples"] == 0


def test_json_of_everything_that_can_be_undefined() -> None:
    metrics = ["kendall_tau_b", "normalized_expected_cost", "mutual_information", "pearson_r"]
    flat = {"flat": np.zeros(N, int), "flatter": np.zeros(N, int)}
    read = json.loads(run(flat, metrics=metrics).to_json(), parse_constant=refuse)
    assert read["estimates"][0]["estimate"] is None
    assert read["deltas"][0]["p_value"] is None


def test_html(odd: oe.results.Comparison) -> None:
    html = odd._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<table>") == html.count("</table>") == 1
    assert html.count("<tr>") == 1 + 3 + 1
    assert html.count("<p>") > 3  # the answer, the evidence and the footer
    assert odd.details("pairs", "all")._repr_html_().count("<table>") == 3
    assert "<script>" not in odd.deltas()._repr_html_()


def test_rich(odd: oe.results.Comparison) -> None:
    text = rendered(odd)
    assert max(map(len, text.splitlines())) <= 80
    assert "[red]" in text  # a name is no markup
    assert "300 items, 0 < 1 < 2 < 3." in text


@pytest.mark.parametrize("width", [50, 80, 200])
def test_rich_fits_any_terminal(panel: oe.results.Comparison, width: int) -> None:
    text = rendered(panel.details("pairs"), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text  # nothing is cut off
    in_one_piece = re.search(r"^pair +difference .* favours *$", text, re.MULTILINE)
    assert bool(in_one_piece) is (width >= 80)


def test_rich_takes_no_level_for_markup() -> None:
    levels = np.array(["[/]", "[bold]b", "c", "d"])
    result = run({"a": levels[MODELS["good"]]}, levels[TRUTH], labels=levels.tolist())
    assert "[bold]b" in rendered(result)


def test_rich_shows_the_figures_of_the_panel_in_a_usual_terminal(
    panel: oe.results.Comparison,
) -> None:
    text = rendered(panel.details("all"))
    for name in panel.models:
        assert f"{panel.estimates['cem_ord'][name].estimate:.3f}" in text
        assert f"{panel.estimates['accuracy'][name].estimate:.3f}" in text


def test_text(panel: oe.results.Comparison) -> None:
    text = repr(panel)
    assert f"{len(panel.remarks())} caveat" in text or not panel.remarks()
    assert not any(a.code in text for a in panel.advice)
    assert all(a.code in repr(panel.details("verbose")) for a in panel.advice)
    assert "(majority class)" in repr(panel.details("all"))
    assert "favours" in repr(panel.deltas())
    assert "good − " in repr(panel.deltas())


def test_nothing_to_compare_prints() -> None:
    deltas = run({"only": MODELS["good"]}).deltas()
    assert repr(deltas).startswith("measure")
    assert deltas.to_frame().empty


def test_results_can_be_compared_for_equality() -> None:
    assert (run() == run()) in (True, False)


def test_pairs_are_shown_if_they_are_asked_for() -> None:
    models = {f"m{i}": noisy(0.2 + 0.03 * i, i) for i in range(6)}
    result = run(models, metrics=["accuracy"], n_resamples=39)
    assert " − " not in repr(result)
    assert repr(result.details("pairs")).count(" − ") == 15
    assert len(result.deltas()) == 15


def test_of_many_remarks_of_one_kind_the_first_few() -> None:
    up = np.minimum(TRUTH + 1, 3)
    models = {f"m{i}": np.where(np.arange(N) < 150 + 20 * i, up, TRUTH) for i in range(7)}
    result = run(models, metrics=["kendall_tau_b"])
    shifts = [a for a in result.advice if a.code == "OE204"]
    assert len(shifts) == 7
    shown = [a for a in result.remarks() if a.code == "OE204"]
    assert shown[:3] == shifts[:3]
    assert [a.message for a in shown[3:]] == [
        "4 more of these are not shown; to_json() has them all."
    ]
    assert len(json.loads(result.to_json())["advice"]) == len(result.advice)


def test_differences_from_a_reference_name_the_model_alone() -> None:
    result = run(reference="fair", metrics=["accuracy"])
    table = result.differences()
    assert table.head[0] == "model"
    assert table.caption == "Differences in accuracy from fair"
    assert [row[0].text for row in table.rows] == ["good", "weak"]
    assert run(metrics=["accuracy"]).differences(most=1).notes[0].startswith("2 more rows are not")


def test_what_has_no_value_has_no_brackets() -> None:
    models = {"constant": [2] * 30, "fair": [1, 2, 2] * 10}
    c = oe.compare([1, 2, 3] * 10, models, ["kendall_tau_b", "accuracy"], labels=[1, 2, 3])
    table = c.table()
    (row,) = (row for row in table.rows if row[0].text == "constant")
    assert [(x.text, x.remark) for x in row[2:3]] == [("—", "")]
    assert row[-1].remark.startswith("[")


STAGES = ["mild", "moderate", "severe"]


def test_a_measure_without_a_value_of_the_best_crowns_no_other() -> None:
    """A perfect model on one class has no kappa, which is no defeat."""
    poor = ["mild"] * 20 + ["severe"] * 10
    c = oe.compare(["mild"] * 30, {"a": ["mild"] * 30, "b": poor}, labels=STAGES)
    assert math.isnan(c.estimates["weighted_kappa"]["a"].estimate)
    assert "All 6 quality measures rank a first;" in c.conclusion()


def test_what_has_no_interval_shows_none() -> None:
    c = oe.compare(["mild"], {"a": ["mild"], "b": ["severe"]}, labels=STAGES)
    for text in (c.conclusion(), c.sentence(), oe.report.summarise(c).paragraph):
        assert "nan" not in text
    assert "a has the highest CEM: 1.000 (no interval)." in c.conclusion()
    assert all(p.svg for p in oe.report.summarise(c).pictures)


def test_the_line_below_the_table_says_what_the_head_means() -> None:
    costs = oe.expected_cost.with_params(cost=[[0, 1], [2, 0]])
    assert meaning(oe.cem_ord, 3) == "CEM: closeness, 0 to 1, higher is better."
    assert "expected cost (given costs), 0 to 2, lower is better." in meaning(costs, 2)
    assert meaning(oe.accuracy, 3) == "accuracy: 0 to 1, higher is better."
    assert meaning(oe.weighted_kappa, 3, "κw").startswith("κw: quadratic weighted kappa, -1 to 1")


def test_items_and_clusters_have_names() -> None:
    y, p = [1, 2, 3] * 20, [1, 2, 2] * 20
    found = oe.compare(y, {"a": y, "b": p}, labels=[1, 2, 3], clusters=[i // 3 for i in range(60)])
    text = found.in_units("biopsy", "patient").to_text(80)
    assert "60 biopsies in 20 patients" in text
    assert "item" not in text.replace("same items", "")
