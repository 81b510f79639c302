"""All five papers in quick mode: what each value says, how the whole is kept, and its page.

All tests that need the whole are in this file, so that it is computed once: files are spread over
processes, which share no fixture.
"""

import html
import json
import math
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import ordeval as oe
from ordeval._shared.result import Result
from ordeval.papers import PAPERS, VERDICTS, reproduce
from ordeval.papers._exhibits import Draft, Run
from ordeval.papers._values import Value, agrees
from ordeval.papers.contents import CONTENTS, Passage

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
import browser
from tests.recorded.questions import asked_of_papers
from tests.recorded.store import PAPERS as RECORDED, changes, complaint, load

EXHIBITS = {
    "cardoso2011": {
        "Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Figure 4", "Figure 5",
        "Figure 6", "Figure 7", "Section 2", "Section 3.1", "Section 3.2", "Section 3.3",
        "Section 4.2", "Section 4.3", "Appendix A", "Section 1.1", "Section 3", "Section 3.4",
        "Section 4", "Appendix B",
    },
    "george2016": {
        "Equation 3", "Equations", "Section 2.2", "Section 3.1", "Section 3.2", "Table 1",
        "Table 2", "Table 3", "Table 4", "Figure 2",
    },
    "amigo2020": {
        "Figure 1", "Figure 2", "Proposition 1", "Proposition 2", "Table 2", "Table 3",
        "Section 5.3", "Section 5.4", "Appendix A", "Appendix B", "Appendix C", "Section 2.1",
        "Section 3", "Section 4.1",
    },
    "pinto_da_costa2014": {"Table 1", "Figure 1", "Formula"},
    "silva2018": {
        "Equations", "Table I", "Table II", "Figure 1", "Figure 2", "Figure 3", "Figure 4",
        "Figure 5", "Section II", "Section III", "Section IV", "Section V", "Remarks",
    },
}  # fmt: skip


class Quick(NamedTuple):
    found: oe.papers.Reproduction
    seconds: float  # of the processor
    steps: list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def quick() -> Quick:
    steps: list[tuple[str, int, int]] = []
    start = time.process_time()
    found = reproduce(progress=lambda *step: steps.append(step))
    return Quick(found, time.process_time() - start, steps)


@pytest.fixture(scope="module")
def page(quick: Quick, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("papers") / "papers.html"
    quick.found.to_html(path)
    return path


def at(quick: Quick, paper: str, exhibit: str) -> list[Value]:
    return [v for v in quick.found.values if (v.paper, v.exhibit) == (paper, exhibit)]


def test_it_takes_less_than_three_minutes_of_computing(quick: Quick) -> None:
    """Not by the clock on the wall, which says more of what else the machine does."""
    assert quick.seconds < 180


def test_every_exhibit_is_there(quick: Quick) -> None:
    found: dict[str, set[str]] = {}
    for e in quick.found.exhibits:
        found.setdefault(e.paper, set()).add(e.name)
        assert e.values, e.name
    assert found == EXHIBITS
    assert list(found) == list(PAPERS)


def test_no_value_moved(quick: Quick) -> None:
    """Whatever is computed was computed before, though print has fewer digits."""
    recorded = load(RECORDED)
    found = changes(recorded.groups["papers"], asked_of_papers(quick.found))
    assert not found, complaint(found, recorded, "papers")


def test_no_two_values_stand_at_the_same_place(quick: Quick) -> None:
    places = Counter((v.paper, v.place) for v in quick.found.values)
    assert max(places.values()) == 1


def test_whatever_is_not_as_printed_is_explained(quick: Quick) -> None:
    for v in quick.found.values:
        if v.verdict in ("differs", "misprint", "not reproducible"):
            assert len(v.note) > 15, v.place
            assert "no explanation is known" not in v.note, v.place
        if v.verdict == "close":
            assert "tolerance" in v.note
        if v.verdict == "not reproducible":
            assert v.computed is None


def test_equal_means_equal_to_the_printed_digits(quick: Quick) -> None:
    for v in quick.found.values:
        if v.verdict == "equal" and isinstance(v.computed, float):
            assert agrees(v.printed, v.computed), v.place


def test_exact_tables_hold_to_the_last_digit(quick: Quick) -> None:
    for paper, tables in {
        "cardoso2011": ("Table 1", "Table 2", "Table 5", "Figure 4", "Figure 5", "Appendix A",
                        "Section 2", "Section 3.1", "Section 3.2", "Section 3.3", "Section 4.2"),
        "george2016": ("Section 2.2", "Table 1", "Figure 2"),
        "amigo2020": ("Figure 1", "Appendix A", "Proposition 1"),
        "pinto_da_costa2014": ("Table 1", "Figure 1"),
        "silva2018": ("Table I", "Figure 2", "Figure 3"),
    }.items():  # fmt: skip
        for table in tables:
            verdicts = {v.verdict for v in at(quick, paper, table)} - {"misprint"}
            assert verdicts == {"equal"}, (paper, table)


def test_the_known_misprints(quick: Quick) -> None:
    found = Counter((v.paper, v.exhibit) for v in quick.found.values if v.verdict == "misprint")
    assert found[("cardoso2011", "Table 3")] == 1
    assert found[("cardoso2011", "Table 4")] == 7
    assert found[("george2016", "Table 4")] == 1
    assert found[("george2016", "Equation 3")] == 1
    assert found[("amigo2020", "Table 3")] >= 9
    assert found[("silva2018", "Equations")] == 2


def test_the_misprinted_matrices_are_found_by_search(quick: Quick) -> None:
    for paper, words in {"cardoso2011": "One correction", "george2016": "One item"}.items():
        (claim,) = [v for v in at(quick, paper, "Table 4") if v.row.startswith(words)]
        assert claim.computed == "holds"


def test_most_of_the_stochastic_values_are_close(quick: Quick) -> None:
    for paper, table, least in (
        ("cardoso2011", "Table 6", 24),
        ("george2016", "Table 3", 65),
        ("silva2018", "Table II", 73),
        ("amigo2020", "Table 3", 74),
    ):
        close = sum(v.verdict in ("close", "equal") for v in at(quick, paper, table))
        assert close >= least, (paper, table)


def test_the_wine_comes_out_of_the_split_that_was_found(quick: Quick) -> None:
    of = {(v.row, v.column): v for v in at(quick, "silva2018", "Table II")}
    neighbours = [v for (row, _), v in of.items() if row == "Wine kNN"]
    machine = [v for (row, _), v in of.items() if row == "Wine SVM"]
    assert [v.verdict for v in neighbours] == ["equal"] * 13
    assert of["Wine kNN", "MSE"].computed == 0.575
    assert Counter(v.verdict for v in machine) == {"equal": 11, "close": 2}
    assert all(abs(v.difference or 0) < 0.006 for v in machine)


def test_a_constant_output_counts_as_a_correlation_of_one(quick: Quick) -> None:
    printed = (0.72, 0.67, 0.69, 0.77, 0.76, 0.70)
    ranks = [v for v in at(quick, "amigo2020", "Table 3") if v.row == "Spearman"][:6]
    assert [v.computed for v in ranks] == pytest.approx(printed, abs=0.011)
    assert {v.verdict for v in ranks} == {"close"}


def claim(quick: Quick, paper: str, exhibit: str, words: str) -> Value:
    found, *_ = [v for v in at(quick, paper, exhibit) if v.row.startswith(words)]
    return found


@pytest.mark.parametrize(
    ("paper", "exhibit", "words", "said"),
    [
        ("cardoso2011", "Table 6", "In print oSVM never loses", "it loses on: SWD; on SWD 0.49"),
        ("cardoso2011", "Table 6", "In print both ordinal methods", "Frank and Hall on ESL"),
        ("cardoso2011", "Section 4", "The conclusions of sections 2 to 4.3", "CM4 before CM3"),
        ("silva2018", "Section III", "For β ≥ 1 UOC is a metric", "has 0.400, and its transpose"),
        ("silva2018", "Section III", "Taken as uniform", "A_UOC, in 99%"),
        ("amigo2020", "Section 3", "Definition 1 at ordinal scale", "x = 1, a = 3, b = 2"),
        ("amigo2020", "Section 3", "With classes of equal size CEM_INT", "which holds"),
        ("george2016", "Table 3", "Simulation 4: there AMAE", "0.00% of the pairs"),
        (
            "george2016",
            "Table 3",
            "In print the shares do not depend on the number of classes",
            "0.073",
        ),
        ("silva2018", "Remarks", "All accuracy-focused", "lower for C: MSE, MAE, MMAE, AMAE"),
    ],
)
def test_claims_that_the_papers_own_figures_contradict(
    quick: Quick, paper: str, exhibit: str, words: str, said: str
) -> None:
    found = claim(quick, paper, exhibit, words)
    assert (found.computed, found.verdict) == ("does not hold", "differs")
    assert said in found.note


def test_progress_is_told(quick: Quick) -> None:
    stages = {stage for stage, _, _ in quick.steps}
    assert "exhibits" in stages
    assert any(stage.startswith("Table 6") for stage in stages)
    parts = sum(map(len, EXHIBITS.values()))
    assert quick.steps[-1] == ("exhibits", parts, parts)


def test_json_has_the_values_and_the_counts(quick: Quick) -> None:
    facts = json.loads(quick.found.to_json())
    assert set(facts) == {"schema", "kind", "version", "values", "counts"}
    assert (facts["schema"], facts["kind"]) == (1, "ordeval.reproduction")
    for value in facts["values"]:
        assert set(value) >= {"paper", "place", "printed", "computed", "verdict", "note"}
        assert isinstance(value["printed"], str)
        assert value["computed"] is None or isinstance(value["computed"], (float, str))
    counted = Counter(v["verdict"] for v in facts["values"])
    assert {k: n for k, n in facts["counts"].items() if n} == counted
    assert list(facts["counts"]) == list(VERDICTS)


def test_rows_and_text(quick: Quick) -> None:
    rows = quick.found.rows()
    assert len(rows) == len(quick.found.values)
    first = next(r for r in rows if r["place"] == "Table 1, B, MER" and r["paper"] == "cardoso2011")
    assert first["computed"] == pytest.approx(10 / 13)
    assert first["difference"] == pytest.approx(10 / 13 - 0.77)
    assert isinstance(quick.found, Result)
    assert "cardoso2011 Table 4" in repr(quick.found)
    assert "<table>" in quick.found._repr_html_()
    assert quick.found.to_csv().count("\n") == len(rows) + 1
    assert "| exhibit |" in quick.found.to_markdown()


@pytest.mark.parametrize(
    ("paper", "table"), [("george2016", 3), ("amigo2020", 3)], ids=["george", "amigo"]
)
def test_the_same_seed_gives_the_same_values(quick: Quick, paper: str, table: int) -> None:
    again = reproduce(paper, table=table)
    before = at(quick, paper, f"Table {table}")
    assert [v.computed for v in again.values] == [v.computed for v in before]
    other = reproduce(paper, table=table, rng=1)
    assert [v.computed for v in other.values] != [v.computed for v in before]


def test_a_generator_gives_a_seed() -> None:
    def drawn(rng: Any) -> Any:
        found = reproduce("cardoso2011", figure=6, rng=rng)
        (points,) = found.exhibits[0].pictures
        return found.seed, points.data.tolist()  # type: ignore[attr-defined]

    seed, points = drawn(np.random.default_rng(5))
    assert drawn(np.random.default_rng(5)) == drawn(seed) == (seed, points)
    assert drawn(np.int64(0)) == drawn(0) != (seed, points)
    with pytest.raises(oe.ParameterError, match="rng must be a seed"):
        reproduce("pinto_da_costa2014", rng=-1)


def test_the_same_seed_gives_the_same_splits() -> None:
    from ordeval.papers.claims import silva_experiments as silva

    one, two, other = (silva._one_split("ESL", seed, 0) for seed in (0, 0, 1))
    assert all((one[c] == two[c]).all() for c in one)
    assert any((one[c] != other[c]).any() for c in one)


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reproduce("pinto_da_costa2014").to_json()
    assert list(tmp_path.iterdir()) == []


def test_one_table_or_figure() -> None:
    assert [e.name for e in reproduce("silva2018", table="I").exhibits] == ["Table I"]
    assert [e.name for e in reproduce("cardoso2011", figure=4).exhibits] == ["Figure 4"]
    both = reproduce("cardoso2011", table=1, figure="5").exhibits
    assert [e.name for e in both] == ["Table 1", "Figure 5"]
    assert [e.name for e in reproduce("amigo2020", figure=3).exhibits] == ["Appendix A"]
    with pytest.raises(oe.ParameterError, match=r"Table 9: nothing .* george2016 Table 4"):
        reproduce("george2016", table=9)
    with pytest.raises(oe.ParameterError, match="paper must be one of cardoso2011"):
        reproduce("cardoso")


def test_a_campaign_of_ones_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(-1, 2, 400)
    outputs = [
        np.where(rng.random(400) < rate, rng.integers(-1, 2, 400), truth)
        for rate in (0.1, 0.3, 0.5, 0.7)
    ]
    columns = [truth, np.arange(400) % 10, *outputs]
    path = tmp_path / "runs.csv"
    np.savetxt(
        path, np.stack(columns, axis=1), fmt="%d", delimiter=",", comments="",
        header="truth,topic,a,b,c,d",
    )  # fmt: skip
    names: dict[str, Any] = {"labels": [-1, 0, 1], "name": "RepLab 2013"}
    found = oe.papers.amigo2020.campaign(str(path), "truth", list("abcd"), "topic", **names)
    assert len(found.values) == 15
    assert {v.column for v in found.values} == {"RepLab 2013"}
    assert all(isinstance(v.computed, float) for v in found.values)
    with pytest.raises(oe.ParameterError, match="name must be one of RepLab 2013"):
        oe.papers.amigo2020.campaign(
            str(path), "truth", list("abcd"), "topic", **{**names, "name": "another"}
        )


def test_a_verdict_needs_its_explanation() -> None:
    draft = Draft("paper", "Table 1", Run())
    half = draft.printed("row", "column", "0.5")
    with pytest.raises(oe.ParameterError, match="Table 1, row, column is 'differs' without an"):
        half.judged(2.0, "differs")
    assert half.exact(0.7).verdict == "differs"
    assert half.exact(0.7, "a slip").verdict == "misprint"
    assert half.exact(0.52).verdict == "equal"
    assert draft.printed("r", "c", "NA").exact(math.nan).verdict == "equal"
    near = half.near(0.52, tolerance=0.02, otherwise="chance", note="seen")
    assert (near.verdict, near.note) == ("close", "tolerance 0.02; seen")
    far = half.near(0.53, tolerance=0.02, otherwise="chance", note="seen")
    assert (far.verdict, far.note) == ("differs", "outside the tolerance of 0.02: chance; seen")
    claim = draft.claim("It rains")
    assert claim.tried(True, "today").verdict == "equal"
    assert claim.tried(False, "today", "it stopped").note == "it stopped; today"
    assert half.contradicted(0.2, False, "a doubt").verdict == "differs"
    assert half.contradicted(0.2, True, "a proof").verdict == "misprint"


def test_the_command(tmp_path: Path) -> None:
    page, data = tmp_path / "page.html", tmp_path / "values.json"
    done = subprocess.run(
        [sys.executable, "-m", "ordeval", "reproduce", "cardoso2011", "--table", "4",
         "-o", str(page), "-o", str(data)],
        capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "Misprint: cardoso2011 Table 4" in done.stdout
    assert json.loads(data.read_text())["counts"]["misprint"] == 7
    assert "0 0 1 1" in page.read_text()
    wrong = subprocess.run(
        [sys.executable, "-m", "ordeval", "reproduce", "nobody2000"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("ordeval: paper must be one of")


# The list of passages

# What the papers number: equations, tables, figures, and what has a name of its own.
NUMBERED = {
    "cardoso2011": [
        *(f"Eq. {i}" for i in range(5, 9)), *(f"Table {i}" for i in range(1, 7)),
        *(f"Figure {i}" for i in range(1, 8)), "Algorithm 1", "Listing 1", "Appendix A",
    ],
    "george2016": [
        *(f"Eq. {i}" for i in range(1, 8)), *(f"Table {i}" for i in range(1, 5)), "Figure 1",
        "Figure 2",
    ],
    "amigo2020": [
        "Eq. 1", "Definition 1", "Proposition 1", "Proposition 2", "Property 1", "Property 2",
        "Property 3", "Table 1", "Table 2", "Table 3", "Figure 1", "Figure 2", "Figure 3",
        "Appendix A", "Appendix B", "Appendix C",
    ],
    "pinto_da_costa2014": ["Table 1", "Figure 1"],
    "silva2018": [
        *(f"Eq. {i}" for i in range(1, 29)), "Table I", "Table II",
        *(f"Figure {i}" for i in range(1, 6)),
    ],
}  # fmt: skip


def numbered(place: str) -> list[str]:
    """Eqs. 7 to 10 are four equations, Eqs. 12 and 13 two; a name may stand before a comma."""
    if found := re.fullmatch(r"Eqs\. (\d+) (?:to|and) (\d+)", place):
        first, last = map(int, found.groups())
        return [f"Eq. {i}" for i in range(first, last + 1)]
    return [place.partition(",")[0]]


@pytest.mark.parametrize("paper", PAPERS)
def test_all_that_is_numbered_in_a_paper_is_in_its_list(paper: str) -> None:
    listed = [name for p in CONTENTS[paper] for name in numbered(p.place)]
    assert not set(NUMBERED[paper]).difference(listed)


def untried(passages: Sequence[Passage], values: Sequence[Value]) -> list[str]:
    """What passages name and the values do not hold, and passages that name nothing or too much."""
    names = [name for p in passages for name in p.tried]
    return [
        *(p.place for p in passages if bool(p.tried) == bool(p.why)),
        *(name for name in names if not Passage("", "", (name,)).values(values)),
    ]


def unlisted(passages: Sequence[Passage], values: Sequence[Value]) -> list[str]:
    """Values that belong to no passage."""
    named = {v.place for p in passages for v in p.values(values)}
    return [v.place for v in values if v.place not in named]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_list_of_passages_and_the_values_are_the_same(quick: Quick, paper: str) -> None:
    of_paper = [v for v in quick.found.values if v.paper == paper]
    assert untried(CONTENTS[paper], of_paper) == []
    assert unlisted(CONTENTS[paper], of_paper) == []


def test_a_passage_or_a_value_that_is_missing_is_noticed(quick: Quick) -> None:
    assert list(CONTENTS) == list(PAPERS)
    of_paper = [v for v in quick.found.values if v.paper == "george2016"]
    listed = CONTENTS["george2016"]
    assert untried([*listed, Passage("Eq. 8", "none", ("Table 9",))], of_paper) == ["Table 9"]
    assert untried([*listed, Passage("Eq. 8", "none", ("Table 4: No",))], of_paper) == [
        "Table 4: No"
    ]
    assert untried([*listed, Passage("Eq. 8", "none")], of_paper) == ["Eq. 8"]
    assert untried(listed, [v for v in of_paper if v.exhibit != "Equation 3"]) == ["Equation 3"]
    fewer = [p for p in listed if p.place != "Eq. 5"]
    assert [place.partition(": ")[0] for place in unlisted(fewer, of_paper)] == ["Equations, Eq. 5"]


# The page


def test_it_shows_every_exhibit_and_every_picture(quick: Quick, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for e in quick.found.exhibits:
        assert f"· {e.title}<" in html.unescape(text), e.name
    assert text.count("<svg") == sum(len(e.pictures) for e in quick.found.exhibits)
    for verdict, meaning in VERDICTS.items():
        assert f"<b>{quick.found.counts[verdict]}</b>" in text
        assert meaning in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([^"]+)"', text):
        assert target in ids


def test_it_explains_what_is_not_as_printed(quick: Quick, page: Path) -> None:
    text = html.unescape(page.read_text(encoding="utf-8"))
    for v in quick.found.values:
        if v.verdict in ("misprint", "differs", "not reproducible"):
            assert v.note[1:].rstrip(".") in text, v.place


def test_nothing_is_loaded_from_elsewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert "<script" not in text
    assert "script-src" not in text


def test_every_line_of_code_runs(quick: Quick) -> None:
    for e in quick.found.exhibits:
        assert e.call, e.name
        if "papers.reproduce" in e.call:  # that is what the fixture does
            continue
        exec(compile(e.call, e.name, "exec"), {"oe": oe})


@pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING)
def test_in_a_browser(page: Path) -> None:
    with browser.chromium(width=420) as driver:
        browser.opened(driver, page)
        assert browser.console(driver) == []
        assert [u for u in browser.requests(driver) if not u.startswith("file:")] == []
        wide = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0  # tables scroll, the page does not
