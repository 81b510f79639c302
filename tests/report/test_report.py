"""The facts of a report and its renderings."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval import plots
from ordeval.report import Report, summarise, to_html, to_json, to_latex, to_markdown

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
        word[truth], {m: word[p] for m, p in models.items()}, labels=labels, n_resamples=199,
        rng=0, **options,
    )  # fmt: skip


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
    for name in HOSTILE:
        assert re.sub(r"\s+", " ", name.strip()) in re.sub(r"\s+", " ", page.text)
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
    for _, attributes in page.tags:
        if attributes.get("role") == "img":
            assert len(attributes["aria-label"] or "") > 20
    assert page.count("figure") == len(facts.pictures) + sum(len(v.pictures) for v in facts.details)
    figures = sum(a.get("role") == "img" for _, a in page.tags)
    assert figures == page.count("figure")


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
    assert facts.conclusion[0] in text
    assert "BCa" in facts.method
    assert "199 resamples of items" in facts.method
    assert any("Amigó" in r for r in facts.references)
    assert any("Efron 1987" in r for r in facts.references)
    assert ("command", "ordeval report 'a b.csv' --html <x>") in facts.provenance
    assert len(facts.details) == 4
    assert len(facts.not_detailed) == 1
    by_class = facts.details[0].classes
    assert [row[0].text for row in by_class.rows] == LABELS


def test_classes_by_hand() -> None:
    c = oe.compare([1, 1, 2, 3], {"m": [1, 2, 2, 1]}, labels=[1, 2, 3], n_resamples=99, rng=0)
    rows = [[cell.text for cell in row] for row in summarise(c).details[0].classes.rows]
    assert rows == [
        ["1", "2", "2", "0.500", "0.500", "0.500", "+0.500"],
        ["2", "1", "2", "1.000", "0.500", "0.000", "+0.000"],
        ["3", "1", "0", "0.000", "—", "2.000", "-2.000"],
    ]


def test_one_model_weights_and_drops() -> None:
    c = oe.compare([1, 2, 3, None] * 20, {"only": [1, 2, 2, 2] * 20}, labels=[1, 2, 3],
                   sample_weight=[0.5] * 80, missing="drop", clusters=list(range(40)) * 2,
                   n_resamples=99, rng=0)  # fmt: skip
    facts = summarise(c)
    assert facts.title == "Report on only"
    assert facts.differences is None
    assert any("Items are weighted" in n for n in facts.notes)
    assert any("20 items were left out" in n for n in facts.notes)
    assert "The items belong to 30 clusters, drawn whole." in facts.notes
    assert "resamples of whole clusters of items (30 clusters)" in facts.method
    assert "OE107" in [w.code for w in facts.warnings]
    assert "Warnings" in Page(to_html(facts)).text


def test_subgroups() -> None:
    whole = comparison({"a": 0.7, "b": 0.5}, ["x", "y", "z"])
    parts = {("north", 1): whole, ("south", 2): comparison({"b": 0.9, "a": 0.2}, ["x", "y", "z"])}
    table = summarise(whole, subgroups=parts).subgroups
    assert table is not None
    assert [row[0].text for row in table.rows] == ["north / 1", "south / 2"]
    assert table.head == ("subgroup", "items", "a", "b")
    assert [[c.best for c in row[2:]] for row in table.rows] == [[True, False], [False, True]]


def test_disagreements_are_explained() -> None:
    truth = [1, 2, 3, 4] * 50
    models = {"shifted": [min(t + 1, 4) for t in truth], "wild": [1, 2, 3, 1] * 50}
    c = oe.compare(truth, models, labels=[1, 2, 3, 4], n_resamples=199, rng=0,
                   metrics=["accuracy", "kendall_tau_b"])  # fmt: skip
    facts = summarise(c)
    assert facts.disagreements
    assert "accuracy prefers wild" in facts.disagreements[0]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    c = comparison({"a": 0.7}, ["x", "y"])
    page = c.to_html(tmp_path / "report.html", title="Mine")
    assert (tmp_path / "report.html").read_text() == page
    assert "<title>Mine</title>" in page
    with pytest.raises(oe.OutputError, match="cannot be written"):
        c.to_html(tmp_path / "no" / "report.html")


def test_ten_models_and_thirty_three() -> None:
    ten = comparison({f"model {i}": 0.2 + 0.07 * i for i in range(10)}, ["a", "b", "c", "d", "e"])
    summarise(ten)  # fonts and modules are loaded once
    start = time.process_time()
    page = ten.to_html()
    spent = time.process_time() - start
    assert len(page.encode()) < 2_000_000
    start = time.process_time()
    comparison({f"model {i}": 0.2 + 0.07 * i for i in range(10)}, ["a", "b", "c", "d", "e"])
    # No absolute times: against 199 draws of ten models, which are about a second here.
    assert spent < 20 * (time.process_time() - start)
    many = comparison({f"system {i}": 0.2 + 0.02 * i for i in range(33)}, ["a", "b", "c"],
                      metrics=["cem_ord", "accuracy"])  # fmt: skip
    facts = summarise(many)
    assert len(facts.not_detailed) == 29
    assert len(to_html(facts).encode()) < 2_000_000


def test_the_templates_are_in_the_repository() -> None:
    package = Path(oe.__file__).parent
    found = sorted(p for p in package.rglob("templates/*"))
    names = {p.name for p in found}
    assert names == {"base.html", "parts.html", "style.css", "report.html", "papers.html"}
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
                   labels=[0, 1, 2, 3], n_resamples=99, rng=0)  # fmt: skip
    facts = summarise(c)
    assert "grid" not in [p.name for p in facts.pictures]
    assert "nan" not in " ".join(p.title + p.description for p in facts.pictures)


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
