"""The facts of a report and its renderings."""

from __future__ import annotations

import io
import itertools
import json
import re
import subprocess
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.asking import of_frame

import ordeval as oe
from ordeval import plots
from ordeval._shared.text import p_value, visible
from ordeval.report import Report, summarise, to_docx, to_html, to_json, to_latex, to_markdown
from ordeval.report.method import authors_and_year, method, references
from ordeval.report.shortening import for_readers
from ordeval.results.comparisons import findings_of

HOSTILE = {
    "<script>alert(1)</script>": 0.7,
    "\"quotes' & ampersands": 0.6,
    "very long name " * 20: 0.5,
    "‮مرحبا": 0.4,
    "🙂 {{ 7 * 7 }} $x$": 0.3,
}
LABELS = ["<b>low</b>", "mid & \"dle'", "high\n</style>", "🙂"]


def comparison(names: dict[str, float] = HOSTILE, labels: Any = LABELS, **options: Any) -> Any:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, len(labels), 300)
    models = {
        name: np.where(rng.random(300) < share, truth, rng.integers(0, len(labels), 300))
        for name, share in names.items()
    }
    word = np.array(labels, dtype=object)
    return oe.compare(
        word[truth], {m: word[p] for m, p in models.items()}, labels=labels, **options
    )


@pytest.fixture(scope="module")
def facts() -> Report:
    return summarise(comparison(), command="ordeval report 'a b.csv' --html <x>")


class Page(HTMLParser):
    """Tags, their attributes and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def count(self, tag: str) -> int:
        return sum(t == tag for t, _ in self.tags)


def test_hostile_names_are_text(facts: Report) -> None:
    page = Page(to_html(facts))
    assert page.count("script") == 1  # ours
    assert page.count("style") >= 1
    assert page.count("b") == 0
    for name in for_readers(tuple(HOSTILE), facts.names):
        assert re.sub(r"\s+", " ", visible(name).strip()) in re.sub(r"\s+", " ", page.text)
    assert "49" not in re.findall(r"🙂 .{0,12}", page.text)[0]
    assert "alert(1)" in page.text


def test_nothing_is_fetched(facts: Report) -> None:
    page = to_html(facts)
    for tag, attributes in Page(page).tags:
        for name in ("src", "href", "xlink:href", "action", "data"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:")) or not value, (tag, value)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert "default-src 'none'" in page


def test_identifiers_are_unique(facts: Report) -> None:
    page = Page(to_html(facts))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    used = re.findall(r"url\(#([^)]+)\)", to_html(facts))
    assert used
    assert set(used) <= set(ids)


def test_the_page_is_accessible(facts: Report) -> None:
    page = Page(to_html(facts))
    assert page.tags[0][0] == "html"
    assert page.tags[0][1]["lang"] == "en"
    levels = [int(t[1]) for t, _ in page.tags if re.fullmatch("h[1-6]", t)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert all("scope" in a for t, a in page.tags if t == "th")
    assert page.count("caption") == page.count("table")
    assert page.count("summary") == page.count("details")
    for _, attributes in page.tags:
        if attributes.get("role") == "img":
            assert len(attributes["aria-label"] or "") > 20
    pictures = [*facts.pictures, *(p for v in facts.details for p in v.pictures)]
    drawn = sum(not p.exhibit for p in pictures)
    assert page.count("figure") == drawn + 5 + 5  # those of the explorer, and the matrices
    plots = 2 * len(facts.hero.rows)
    assert sum(a.get("role") == "img" for _, a in page.tags) == drawn + 5 + plots


def test_every_rendering_shows_the_same_numbers(facts: Report) -> None:
    best = facts.models.rows[0][2].text
    page, markdown, latex = to_html(facts), to_markdown(facts), to_latex(facts)
    data = json.loads(to_json(facts))
    assert best in Page(page).text
    assert best in markdown
    assert best in latex
    assert data["models"]["rows"][0][2]["text"] == best
    assert data["schema"] == 1
    assert data["kind"] == "ordeval.report"
    assert "svg" not in json.dumps(data)
    assert "\\<script\\>" in markdown
    assert "<script>" not in markdown
    assert r"\textless{}script" in latex


def test_what_a_report_says(facts: Report) -> None:
    text = Page(to_html(facts)).text
    for sentence in (str(facts.answer), *facts.key, *facts.cautions):
        assert sentence in for_readers(facts, facts.names).key or sentence[:20] in text
    assert "t intervals from the contributions of items to each measure" in facts.method
    assert "corrected for all pairs by a step-down max-t procedure" in facts.method
    assert any("Amigó" in r for r in facts.references)
    assert ("command", "ordeval report 'a b.csv' --html <x>") in facts.provenance
    assert len(facts.details) == 5
    assert [bool(view.pictures) for view in facts.details] == [True] * 4 + [False]
    assert facts.not_detailed == ()
    by_class = facts.details[0].classes
    assert [row[0].text for row in by_class.rows] == LABELS


ABC = {"a": 0.7, "b": 0.68, "c": 0.3}
NAMED = re.compile(r"\(([A-Z][^()]*? \d{4})\)")


@pytest.mark.parametrize(
    ("options", "named", "words"),
    [
        ({}, {"Agresti & Coull 1998", "Romano & Wolf 2005"}, "t intervals"),
        ({"method": "bca", "n_resamples": 99}, {"Romano & Wolf 2005"},
         "bias-corrected and accelerated (BCa) bootstrap intervals from 99 resamples of items"),
        ({"method": "percentile", "n_resamples": 99}, {"Romano, Shaikh & Wolf 2014"},
         "percentile bootstrap intervals from 99 resamples of items"),
        ({"reference": "b", "margin": 0.1}, {"Schuirmann 1987", "Holm 1979"},
         "Non-inferiority to b was judged by a margin of 0.1 in CEM (closeness)"),
        ({"metrics": ["mutual_information"]}, {"Quenouille 1956"},
         "The bias of mutual information was removed"),
    ],
)  # fmt: skip
def test_the_method_and_its_references(
    options: dict[str, Any], named: set[str], words: str
) -> None:
    c = comparison(ABC, ["x", "y", "z"], **options)
    text = " ".join(method(c))
    assert words in text
    found = set(NAMED.findall(text))
    assert named <= found
    begin = {authors_and_year(r) for r in references(c)}
    # What the text names is in the list.
    assert found <= begin
    assert ("Efron 1987" in begin) is (options.get("method") == "bca")


def few(shares: dict[str, float] = ABC, **options: Any) -> Any:
    """A comparison by one measure, which is drawn sooner."""
    return comparison(shares, ["x", "y", "z"], metrics=["cem_ord"], **options)


def test_a_margin_in_words_to_copy() -> None:
    facts = summarise(few(reference="b", margin=0.1))
    assert "worse by less than 0.1 (CEM (closeness))" in facts.margin
    assert len(facts.margins) == 2
    assert facts.margins[0].startswith("a is non-inferior to b by a margin of 0.1")
    assert facts.margins[1].startswith("c is inferior to b by more than the margin of 0.1")
    text = Page(to_html(facts)).text
    for sentence in (facts.margin, *facts.margins):
        assert sentence in text
        assert sentence.split(" (")[0].replace("_", r"\_") in to_latex(facts)
    assert "## Non-inferiority" in to_markdown(facts)
    assert facts.differences is not None
    assert facts.differences.caption == "Differences in CEM (closeness) from b"
    assert [row[0].text for row in facts.differences.rows] == ["a", "c"]


def test_of_many_models_only_pairs_of_the_best_are_listed_and_it_is_said() -> None:
    many = comparison({f"m{i:02}": 0.2 + 0.03 * i for i in range(25)}, ["x", "y", "z"],
                      metrics=["cem_ord"], pairs="best")  # fmt: skip
    facts = summarise(many)
    assert facts.differences is not None
    assert len(facts.differences.rows) == 24
    best = many.models[0]
    said = f"Only the pairs of {best}, the best model, are compared here; p adj. is corrected for"
    assert f"{said} all 300 pairs of models, each measure by itself." in facts.differences.notes
    (shown,) = (p for p in facts.pictures if p.name == "differences")
    assert shown.title == "Differences in CEM (closeness), 24 of 300 pairs"
    assert "1.0000" not in to_markdown(facts)


def test_two_models_without_a_margin_have_neither_section() -> None:
    facts = summarise(few({"a": 0.7, "b": 0.5}))
    assert (facts.margin, facts.margins) == ("", ())
    text = Page(to_html(facts)).text
    assert "Rank range" not in text
    assert "Non-inferiority" not in text


def test_warnings_of_one_kind_stand_together() -> None:
    truth = [1, 2, 3, 4] * 20
    models = {"a": [1, 2, 3, 3] * 20, "b": [1, 1, 3, 4] * 20}
    facts = summarise(oe.compare(truth, models, ["accuracy"], labels=[1, 2, 3, 4]))
    (never,) = [w for w in facts.warnings if w.code == "OE106"]
    assert len(never.messages) == 2
    assert Page(to_html(facts)).text.count(never.meaning) == 1
    assert to_markdown(facts).count("**OE106**") == 2


def test_classes_by_hand() -> None:
    c = oe.compare([1, 1, 2, 3], {"m": [1, 2, 2, 1]}, labels=[1, 2, 3])
    rows = [[cell.text for cell in row] for row in summarise(c).details[0].classes.rows]
    assert rows == [
        ["1", "2", "0.500", "0.500", "0.500", "+0.500"],
        ["2", "1", "1.000", "0.500", "0.000", "+0.000"],
        ["3", "1", "0.000", "—", "2.000", "-2.000"],
    ]


def test_one_model_weights_and_drops() -> None:
    c = oe.compare([1, 2, 3, None] * 20, {"only": [1, 2, 2, 2] * 20}, labels=[1, 2, 3],
                   sample_weight=[0.5, 0.5, 2.0, 1.0] * 20, missing="drop",
                   clusters=list(range(40)) * 2)  # fmt: skip
    facts = summarise(c)
    assert facts.title == "Report on only"
    assert facts.differences is None
    weighted = (
        "Items are weighted; the total weight is 60. The effective sample size of "
        "the 60 items is 40."
    )
    assert weighted in facts.notes
    assert "the effective sample size (Kish) is 40, of 60 items" in facts.method
    assert any("20 items were left out" in n for n in facts.notes)
    assert "The items belong to 30 clusters, which are independent." in facts.notes
    assert (
        "contributions of clusters with all their items (30, independent of each other)"
        in facts.method
    )
    assert "OE107" in [w.code for w in facts.warnings]
    assert "Warnings" in Page(to_html(facts)).text


def test_subgroups() -> None:
    whole = comparison({"a": 0.7, "b": 0.5}, ["x", "y", "z"])
    parts = {("north", 1): whole, ("south", 2): comparison({"b": 0.9, "a": 0.2}, ["x", "y", "z"])}
    table = summarise(whole, subgroups=parts).subgroups
    assert table is not None
    assert [row[0].text for row in table.rows] == ["north / 1", "south / 2"]
    assert table.head == ("subgroup", "items", "a", "b", "best − second", "p adj.")
    assert [[c.best for c in row[2:4]] for row in table.rows] == [[True, False], [False, True]]
    found = findings_of(parts)
    assert [row[5].text for row in table.rows] == [p_value(f.p_adjusted) for f in found]
    assert "p adj. is corrected for both subgroups (Holm); intervals are not." in table.notes


def test_very_many_subgroups_are_not_compared_one_by_one() -> None:
    """The table from counts of all subgroups at once is that of whole comparisons."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 3_600)
    held = {"g": np.arange(3_600) % 120, "y": y}
    for m, right in (("a", 0.8), ("b", 0.6), ("c", 0.5)):
        held[m] = np.where(rng.random(3_600) < right, y, rng.integers(0, 3, 3_600))
    frame = pd.DataFrame(held)
    how: dict[str, Any] = {"metrics": ["cem_ord"], "labels": [0, 1, 2]}
    parts = of_frame(oe.compare, frame, "y", ["a", "b", "c"], by="g", **how)
    assert len(parts.briefs) == 120
    whole = of_frame(oe.compare, frame, "y", ["a", "b", "c"], **how)
    table = summarise(whole, subgroups=parts).subgroups
    assert parts.parts._make.cache_info().currsize <= 1
    one_by_one = {
        g: of_frame(oe.compare, frame[frame.g == g], "y", ["a", "b", "c"], **how)
        for g in range(120)
    }
    slow = summarise(whole, subgroups=one_by_one).subgroups
    assert table is not None
    assert slow is not None
    assert table.rows == slow.rows
    assert "Clearest differences first." in table.notes
    p = [row[-1].text for row in table.rows]
    assert p == sorted(p, key=lambda x: float(x.lstrip("<>")))


def test_subgroups_beside_a_reference() -> None:
    truth = [1, 2, 3] * 40
    models = {"new": truth, "old": [1, 2, 2] * 40}
    parts = {g: oe.compare(truth, models, ["accuracy"], labels=[1, 2, 3], reference="old")
             for g in "AB"}  # fmt: skip
    table = summarise(parts["A"], subgroups=parts).subgroups
    assert table is not None
    assert table.caption == "Subgroups: differences from old by accuracy in each subgroup"
    assert [row[-1].text for row in table.rows] == ["better", "better"]


def test_disagreements_are_explained() -> None:
    truth = [1, 2, 3, 4] * 50
    models = {"shifted": [min(t + 1, 4) for t in truth], "wild": [1, 2, 3, 1] * 50}
    c = oe.compare(truth, models, labels=[1, 2, 3, 4], metrics=["accuracy", "kendall_tau_b"])
    facts = summarise(c)
    assert facts.disagreements
    assert "accuracy prefers wild (>99% confidence)" in facts.disagreements[0]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    c = comparison({"a": 0.7}, ["x", "y"])
    page = c.to_html(tmp_path / "report.html", title="Mine")
    assert (tmp_path / "report.html").read_text() == page
    assert "<title>Mine</title>" in page
    with pytest.raises(oe.OutputError, match="cannot be written"):
        c.to_html(tmp_path / "no" / "report.html")


def test_ten_models_and_thirty_three() -> None:
    ten = comparison({f"model {i}": 0.2 + 0.07 * i for i in range(10)}, ["a", "b", "c", "d", "e"])
    assert summarise(ten).pictures[0].svg  # fonts and modules are loaded once
    start = time.process_time()
    page = ten.to_html()
    spent = time.process_time() - start
    assert len(page.encode()) < 2_000_000
    start = time.process_time()
    comparison({f"model {i}": 0.2 + 0.07 * i for i in range(10)}, ["a", "b", "c", "d", "e"],
               method="bca", n_resamples=199)  # fmt: skip
    # No absolute times: against 199 draws of ten models.
    assert spent < 80 * (time.process_time() - start)
    many = comparison({f"system {i}": 0.2 + 0.02 * i for i in range(33)}, ["a", "b", "c"],
                      metrics=["cem_ord", "accuracy"])  # fmt: skip
    facts = summarise(many)
    assert len(facts.not_detailed) == 25
    assert len(facts.hero.rows) == 33
    assert len(to_html(facts).encode()) < 2_000_000


def test_the_templates_are_in_the_repository() -> None:
    package = Path(oe.__file__).parent
    found = sorted(p for p in package.rglob("templates/*"))
    names = {p.name for p in found}
    assert names == {"base.html", "parts.html", "exhibits.html", "style.css", "report.html",
                     "papers.html", "judgement.html", "leaderboard.html", "explore.html",
                     "explorer.html", "tables.js",
                     "measures.js", "explore.js", "reading.js"}  # fmt: skip
    ignored = subprocess.run(["git", "check-ignore", *found], cwd=package, check=False)
    assert ignored.returncode == 1


def test_names_that_look_like_markup_of_pictures() -> None:
    names = {"#1b1f24": 0.7, 'id="models"': 0.5, "(x)": 0.3}
    page = to_html(summarise(comparison(names, ["a", "b"])))
    for name in names:
        assert name in Page(page).text
    assert 'class="baseline"' in page
    assert not re.search(r'class="baseline">\s*<th scope="row"><bdi>\(x\)', page)


def test_a_class_that_does_not_occur() -> None:
    c = oe.compare([0, 1, 2] * 20, {"a": [0, 1, 1] * 20, "b": [0, 0, 2] * 20},
                   labels=[0, 1, 2, 3])  # fmt: skip
    facts = summarise(c)
    assert "grid" not in [p.name for p in facts.pictures]
    assert "nan" not in " ".join(p.title + p.description for p in facts.pictures)
    assert all(p.svg for p in (*facts.pictures, *facts.details[0].pictures))


def test_pictures_and_conclusion_tell_the_same() -> None:
    c = comparison({f"m{i:02}": 0.95 - 0.06 * i for i in range(12)}, ["a", "b", "c"])
    display = plots.DeltaDisplay(c, most=100)
    alpha = 1 - c.level
    for d, sure in zip(display.deltas, display.separated, strict=True):
        i, j = (c.models.index(m) for m in (d.a, d.b))
        assert sure == (c.separation[i, j] <= alpha)
    titles = {p.name: p.title for p in summarise(c).pictures}
    assert "the best 8 of 12 models" in titles["uoc"]
    assert "30 of 66 pairs" in plots.DeltaDisplay(c, most=30).title()


def test_one_model_is_not_the_best_of_one() -> None:
    c = comparison({"only": 0.6}, ["a", "b", "c"])
    assert "P(best)" not in c.table().head
    assert not any(cell.best for row in c.table().rows for cell in row)


def test_many_classes() -> None:
    c = comparison({"a": 0.6, "b": 0.4}, list(range(50)))
    assert len(c.to_html().encode()) < 2_000_000


def test_very_long_names_are_cut_in_documents_and_kept_in_data() -> None:
    import docx

    long = ["x" * 10_000, "x" * 5_000 + "y" * 5_000, "x" * 5_000 + "y" * 4_999, "z\n" * 5_000, "w"]
    c = comparison({"m" * 9_000: 0.7, "m" * 9_001: 0.5}, long, metrics=["cem_ord"])
    facts = summarise(c, subgroups={"s" * 9_000: c}, command="ordeval " + long[0])
    word = docx.Document(io.BytesIO(to_docx(facts)))
    cells = [cell.text for t in word.tables for row in t.rows for cell in row.cells]
    page = re.sub(r' data-given="[^"]*"', "", to_html(facts))  # which the explorer starts from
    for text in (page, to_markdown(facts), to_latex(facts), "\n".join(cells)):
        bare = text.replace(facts.provenance[0][1], "")  # what is typed again is whole
        assert not re.search(r"x{100}|y{100}|m{100}|s{100}|(z ){50}", bare)
        assert re.search(r"x{31}(\u2026|\\ldots\{\})x{16}", text)
    assert long[1] in to_json(facts)
    shown = for_readers(facts, facts.names)
    levels = [row[0].text for row in shown.details[0].classes.rows]
    assert len(set(levels)) == 5  # two that are cut alike are told apart
    assert levels[1:3] == ["x" * 31 + "\u2026" + "y" * 16, "x" * 31 + "\u2026" + "y" * 16 + " (2)"]
    assert max(map(len, levels)) <= 48 + 4
    few = summarise(comparison({"a": 0.7, "b": 0.5}, ["x", "y"], metrics=["cem_ord"]))
    assert for_readers(few, few.names) is few
