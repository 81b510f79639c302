"""Tables that people can use, and the items behind a cell."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import browser
import numpy as np
import pytest
from test_report import HOSTILE, LABELS, comparison
from tests.asking import of_frame

import ordeval as oe
from ordeval._shared.latex import latex_text
from ordeval._shared.latex_tables import NEEDS, WIDTH, points
from ordeval._shared.text import on_a_line
from ordeval.report import (
    CellItems,
    Report,
    cell_items,
    summarise,
    to_docx,
    to_html,
    to_json,
    to_markdown,
)

in_browser = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SCALE = ["low", "mid", "high"]
TRUTH = ["low", "low", "mid", "high", "high", "high", "high"]
PREDICTED = ["low", "high", "mid", "low", "low", "low", "mid"]
IDS = [f"c{i}" for i in range(7)]
TEXTS = ["<script>window.ran = 1</script>", "b", "c", "d", None, "f\ng", "\u202eh"]


def test_items_go_to_their_cells_worst_first() -> None:
    found = cell_items(TRUTH, {"m": PREDICTED}, IDS, TEXTS, labels=SCALE)["m"]
    places = [(c.true, c.predicted, c.total) for c in found]
    assert places == [(2, 0, 3), (0, 2, 1), (2, 1, 1), (0, 0, 1), (1, 1, 1)]
    assert found[0].items == (("c3", "d"), ("c4", ""), ("c5", "f\ng"))
    assert sum(c.total for c in found) == len(TRUTH)


def test_some_items_are_chosen_by_the_seed_and_all_are_counted() -> None:
    rng = np.random.default_rng(1)
    truth, guess = rng.integers(1, 4, (2, 900))
    pick = [cell_items(truth, {"m": guess}, range(900), most=5, rng=s)["m"] for s in (1, 1, 2)]
    assert pick[0] == pick[1] != pick[2]
    cm = oe.ConfusionMatrix.from_labels(truth, guess)
    for cell in pick[0]:
        assert cell.total == cm.counts[cell.true, cell.predicted]
        assert len(cell.items) == min(5, cell.total)
        for name, _ in cell.items:
            i = int(name)
            assert (truth[i] - 1, guess[i] - 1) == (cell.true, cell.predicted)
    # Every item has the same chance: not the first ones only.
    seen = {int(n) for s in range(40) for c in cell_items(
        truth, {"m": guess}, range(900), most=5, rng=s)["m"] for n, _ in c.items}  # fmt: skip
    assert len(seen) > 700


def test_items_of_a_cell_are_in_the_order_of_their_ids_and_told_apart() -> None:
    """Numbers in ids count as numbers. An id that is there twice says which row it is."""
    ids = ["c10", "c2", "c2", "c01", None, "", "d" + "9" * 5000]
    found = cell_items([1] * 7, {"m": [2] * 7}, ids, list("abcdefg"), labels=[1, 2])["m"]
    (cell,) = found
    assert list(cell.each()) == [
        ("", "row 5", "e"), ("", "row 6", "f"), ("c01", "", "d"), ("c2", "row 2", "b"),
        ("c2", "row 3", "c"), ("c10", "", "a"), ("d" + "9" * 5000, "", "g"),
    ]  # fmt: skip
    c = oe.compare([1] * 7 + [2], {"m": [2] * 8}, labels=[1, 2], metrics=["accuracy"])
    facts = summarise(c, items=cell_items([1] * 7, {"m": [2] * 7}, ids, labels=[1, 2]))
    assert "c01, c2 (row 2), c2 (row 3), c10, d9" in to_markdown(facts)
    page = to_html(facts)
    assert "<dt><bdi>c2</bdi> <small>(row 2)</small></dt>" in page
    assert "within a cell, items are in the order of their ids" in page


def test_items_that_do_not_fit_are_refused() -> None:
    with pytest.raises(oe.LabelError, match="one of ids for each of the 7 items; got 2"):
        cell_items(TRUTH, {"m": PREDICTED}, ["a", "b"], labels=SCALE)
    with pytest.raises(oe.ParameterError, match="most= must be an integer >= 1"):
        cell_items(TRUTH, {"m": PREDICTED}, IDS, labels=SCALE, most=0)


def facts_with_items(texts: Any = TEXTS) -> Report:
    c = oe.compare(TRUTH * 4, {"m": PREDICTED * 4, "n": TRUTH * 4}, labels=SCALE,
                   metrics=["accuracy", "cem_ord"])  # fmt: skip
    items = cell_items(TRUTH, {"m": PREDICTED}, IDS, texts, labels=SCALE, most=2, rng=0)
    return summarise(c, items=items)


def test_every_document_lists_the_items() -> None:
    import docx

    facts = facts_with_items()
    (view,) = (v for v in facts.details if v.items)
    assert isinstance(view.items[0], CellItems)
    cells = [
        "true high, predicted low: 2 of 3", "true low, predicted high: all of 1",
        "true high, predicted mid: all of 1", "true low, predicted low: all of 1",
        "true mid, predicted mid: all of 1",
    ]  # fmt: skip
    assert [said for said, _ in view.listed()] == cells
    word = docx.Document(io.BytesIO(to_docx(facts)))
    for text in (to_markdown(facts), "\n".join(p.text for p in word.paragraphs)):
        places = [text.index(cell) for cell in cells]
        assert places == sorted(places)
        assert text.count("chosen at random") == 1
        for cell in view.items:
            for name, _ in cell.items:
                assert re.search(rf"(?m)^(- )?{name}\b", text)
    listed = [p.text for p in word.paragraphs if p.style.name == "List Bullet"]
    assert "c1: b" in listed
    assert "c0: <script>window.ran = 1</script>" in listed
    markdown = to_markdown(facts)
    assert "- c1: b\n" in markdown
    assert not re.search(r"(?<!\\)<script", markdown)
    for cell in view.items:
        for name, _ in cell.items:
            assert f'"{name}"' in to_json(facts)


def test_items_without_a_text_stand_on_one_line() -> None:
    import docx

    facts = facts_with_items(None)
    (view,) = (v for v in facts.details if v.items)
    (first, _), (second, _) = view.items[0].items
    said = f"true high, predicted low: 2 of 3: {first}, {second}"
    assert said in to_markdown(facts).splitlines()
    word = docx.Document(io.BytesIO(to_docx(facts)))
    assert said in [p.text for p in word.paragraphs]


def test_a_scale_is_said_in_words(tmp_path: Path) -> None:
    c = comparison({"a": 0.7, "b": 0.5}, LABELS, metrics=["cem_ord"])
    facts = summarise(c)
    for text in (to_html(facts), to_markdown(facts), to_json(facts)):
        assert "Scale(" not in text
    assert facts.subject[:2] == ("300 items", "2 models")
    many = comparison({"a": 0.7}, [f"level {i}" for i in range(20)], metrics=["cem_ord"])
    assert summarise(many).subject[-1] == "20 classes, from level 0 to level 19"


@pytest.mark.parametrize("reference", [None, "b"])
def test_a_subgroup_goes_by_the_name_of_its_column(reference: str | None) -> None:
    import pandas as pd

    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(1, 4, (200, 3)), columns=["y", "a", "b"])
    frame["hospital"] = ["north", "south"] * 100
    given = {"labels": [1, 2, 3], "metrics": ["cem_ord"], "reference": reference}
    whole = of_frame(oe.compare, frame, "y", ["a", "b"], **given)
    parts = of_frame(oe.compare, frame, "y", ["a", "b"], by="hospital", **given)
    table = summarise(whole, subgroups=parts).subgroups
    assert table is not None
    assert table.head[0] == "hospital"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "report.html"
    path.write_text(to_html(facts_with_items()), encoding="utf-8")
    return path


class TestInBrowser:
    pytestmark = in_browser

    def test_a_click_on_a_count_shows_its_items(self, driver: Any, page: Path) -> None:
        browser.opened(driver, page)
        links = driver.find_elements("css selector", "table.cells a[href$='-2-0']")
        (link,) = links
        assert link.get_attribute("aria-label") == "3: true high, predicted low"
        driver.execute_script("arguments[0].click()", link)
        place = link.get_attribute("href").split("#")[1]
        shown = driver.find_element("id", place)
        assert shown.is_displayed()
        assert len(shown.find_elements("css selector", "dt")) == 2
        summary = driver.execute_script(
            "return document.getElementById(arguments[0]).querySelector('summary').textContent",
            place,
        )  # fmt: skip
        assert re.sub(r"\s+", " ", summary) == "true high, predicted low: 2 of 3"
        assert driver.execute_script("return window.ran === undefined")
        assert browser.console(driver) == []

    @pytest.mark.parametrize("height", [800, 400])
    def test_the_heading_and_its_button_are_in_view(
        self, driver: Any, page: Path, height: int
    ) -> None:
        from selenium.webdriver.common.keys import Keys

        size = {"width": 390, "height": height, "deviceScaleFactor": 1, "mobile": True}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.opened(driver, page)
        driver.find_element("css selector", "table.cells a[href$='-2-0']").send_keys(Keys.ENTER)
        at = driver.switch_to.active_element
        assert re.sub(r"\s+", " ", at.text) == "true high, predicted low: 2 of 3"
        self.in_view(driver, driver.current_url.split("#")[1])
        link = driver.current_url
        driver.switch_to.active_element.send_keys(Keys.TAB)
        assert driver.switch_to.active_element.text == "Copy ids"
        driver.get("about:blank")
        driver.get(link)  # a link to the items opens them, too
        self.in_view(driver, link.split("#")[1])
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @staticmethod
    def in_view(driver: Any, place: str) -> None:
        """The heading of a list and its button lie within the window, and the list is open."""
        script = (
            "const list = document.getElementById(arguments[0]);"
            "const boxes = ['summary', 'button', 'dt'].map((x) => list.querySelector(x)"
            ".getBoundingClientRect());"
            "return [list.open, ...boxes.flatMap((x) => [x.top, innerHeight - x.bottom])]"
        )
        is_open, *room = driver.execute_script(script, place)
        assert is_open is True
        assert min(room) >= 0

    def test_ids_are_copied(self, driver: Any, page: Path) -> None:
        browser.opened(driver, page)
        caught = self.copying(driver, "details.items button")
        assert set(caught.split()) < {"c3", "c4", "c5"}
        assert len(caught.split()) == 2

    @staticmethod
    def copying(driver: Any, button: str) -> str:
        """What a button puts on the clipboard."""
        text = driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "Object.defineProperty(navigator, 'clipboard', {configurable: true, value:"
            "{writeText: (text) => { done(text); return Promise.resolve(); }}});"
            f"document.querySelector('{button}').click();"
        )
        return str(text)

    def test_what_is_seen_is_copied(self, driver: Any, page: Path) -> None:
        browser.opened(driver, page)
        tools = driver.find_element("css selector", "#table details.tools")
        tools.find_element("css selector", "summary").click()
        tools.find_element("css selector", "input[type=search]").send_keys("M")
        boxes = tools.find_elements("css selector", "input[type=checkbox]")
        for box in boxes[1:]:
            box.click()
        heads = driver.execute_script(
            "return [...document.querySelector('#table table').tHead.rows[0].cells]"
            ".filter(x => x.offsetParent).map(x => x.textContent.trim())"
        )
        assert heads == ["model", "rank"]
        markdown = self.copying(driver, "#table details.tools button")
        lines = markdown.strip().split("\n")
        assert lines[:3] == ["| model | rank |", "|---|---:|", "| m | 2 |"]
        assert not any(line.startswith("| n |") for line in lines)
        latex = self.copying(driver, "#table details.tools button:nth-of-type(2)")
        assert r"{m} & {2} \\" in latex
        assert latex.startswith(NEEDS)
        assert latex.count(r"\begin{tabular}{lr}") == latex.count(r"\begin{tabular}") == 1
        csv = self.copying(driver, "#table details.tools button:nth-of-type(3)")
        assert csv.splitlines()[:2] == ["model,rank", "m,2"]
        assert browser.console(driver) == []

    def test_where_the_clipboard_is_closed_there_is_a_field(self, driver: Any, page: Path) -> None:
        browser.opened(driver, page)
        driver.execute_script(
            "Object.defineProperty(navigator, 'clipboard', {configurable: true, value:"
            "{writeText: () => Promise.reject(new Error('no'))}});"
            "const t = document.querySelector('#table details.tools'); t.open = true;"
            "t.querySelector('button').click();"
        )
        field = driver.find_element("css selector", "#table details.tools textarea")
        assert field.get_attribute("value").startswith("| model |")

    def test_latex_is_copied_as_the_library_writes_it(self, driver: Any, page: Path) -> None:
        browser.opened(driver, page)
        texts = ["κw", "κwx", "τb ≥ −1 — ∞", "a--b---c", "``x'', ,,y", "!`?`", "β²½ ₁ “q”…"]
        texts += map(on_a_line, HOSTILE)  # as pages have them
        found = driver.execute_script(
            "return arguments[0].map(x => x.replace(LATEX_PATTERN, (y) => LATEX[y]))", texts
        )
        assert found == [latex_text(x) for x in texts]

    def test_latex_fits_a_page(self, driver: Any, tmp_path: Path) -> None:
        """Columns beyond the width go below, words are wrapped, and every row is complete."""
        path = tmp_path / "wide.html"
        comparison({"a": 0.7, "b": 0.5, "c": 0.4}, ["x", "y", "z"]).to_html(path)
        browser.opened(driver, path)
        _, wide, *_, checks = driver.execute_script(
            "return [...document.querySelectorAll('table.sortable')]"
            ".map(t => COPIES.LaTeX(seenIn(t), setLeft(t)))"
        )
        blocks = re.findall(r"\\begin\{tabular\}\{(.*?)\}\n(.*?)\\end", wide, re.DOTALL)
        assert len(blocks) > 2
        heads = []
        for kinds, body in blocks:
            head, *rows = (x for x in body.splitlines() if x.endswith(r" \\"))
            assert {row.count(" & ") for row in (head, *rows)} == {len(kinds) - 1}
            cells = [head.removesuffix(r" \\").split(" & ") for head in (head, *rows)]
            assert sum(max(map(points, column)) for column in zip(*cells, strict=True)) < WIDTH + 60
            heads += cells[0][1:]
        table = summarise(comparison({"a": 0.7, "b": 0.5, "c": 0.4}, ["x", "y", "z"])).models
        assert heads == [f"{{{latex_text(h)}}}" for h in table.head[1:]]
        assert re.search(r"\{lp\{\d+pt\}p\{\d+pt\}\}", checks)
        rows = [x for x in checks.splitlines() if x.endswith(r"\tabularnewline")]
        assert {row.count(" & ") for row in rows} == {2}
        texts = ["0.941 [0.924, 0.954]", "WIDE & mw", "κw ≥ −1", "🙂 fit"]
        found = driver.execute_script("return arguments[0].map(points)", texts)
        assert found == pytest.approx([points(x) for x in texts])

    def test_columns_of_words_are_copied_as_such(self, driver: Any, page: Path) -> None:
        browser.opened(driver, page)
        tools = driver.find_elements("css selector", "#pairs details.tools")[0]
        driver.execute_script("arguments[0].id = 'differences-tools'", tools)
        latex = self.copying(driver, "#differences-tools button:nth-of-type(2)")
        assert r"\begin{tabular}{lrrrl}" in latex  # the last one is "favours"
        markdown = self.copying(driver, "#differences-tools button")
        assert markdown.splitlines()[1] == "|---|---:|---:|---:|---|"
        assert driver.execute_script(
            "const [a, b] = [...document.querySelectorAll('#pairs table')[0].rows].map(r => "
            "[...r.cells].map(c => getComputedStyle(c).textAlign).join());"
            "return a === b && a.endsWith('right,left')"
        )

    def test_hostile_names_are_copied_as_text(self, driver: Any, tmp_path: Path) -> None:
        names = {r"\input{x} & $y$ _z^": 0.7, 'a|b, `c` <i> "q"': 0.5}
        path = tmp_path / "hostile.html"
        comparison(names, ["x", "y"], metrics=["accuracy"]).to_html(path)
        browser.opened(driver, path)
        latex = self.copying(driver, "#table details.tools button:nth-of-type(2)")
        assert r"\textbackslash{}input\{x\} \& \$y\$ \_z\textasciicircum{}" in latex
        assert r"a\textbar{}b, `c` \textless{}i\textgreater{}" in latex
        markdown = self.copying(driver, "#table details.tools button")
        assert r"a\|b, \`c\` \<i\>" in markdown
        csv = self.copying(driver, "#table details.tools button:nth-of-type(3)")
        assert '"a|b, `c` <i> ""q"""' in csv
