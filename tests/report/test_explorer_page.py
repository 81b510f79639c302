"""The page of the explorer: whether people can use it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import browser
import numpy as np
import pytest
from exploring import (
    COUNTS,
    LEVELS,
    choose,
    counts_in,
    do,
    levels_in,
    paste,
    rename,
    said_of,
    settled,
    shown,
    status,
    value,
)

import ordeval as oe
from ordeval.measures import get_metric
from ordeval.plots import ErrorCostDisplay
from ordeval.report import explore
from ordeval.report.explorer import MEASURES

pytestmark = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def test_an_edit_by_keyboard_moves_the_measures(driver: Any, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.opened(driver, page)
    assert shown(driver, "oc_index") == value("oc_index", COUNTS)
    cell = driver.find_element("css selector", "[data-cell='1']")
    cell.send_keys(Keys.BACKSPACE * 5, "40")
    changed = np.array(COUNTS)
    changed[0, 1] = 40
    for name in MEASURES:
        assert shown(driver, name) == value(name, changed)
    settled(driver)
    ends = oe.confidence_interval("cem_ord", changed)
    assert shown(driver, "cem_ord", 2) == f"[{ends.low:.4f}, {ends.high:.4f}]"
    more = changed.copy()
    more[0, 1] += 1
    moved = get_metric("oc_index").values(more) - get_metric("oc_index").values(changed)
    assert shown(driver, "oc_index", 4) == f"{moved:+.4f}".replace("-", "−")
    cell.send_keys(Keys.ARROW_DOWN)
    assert driver.switch_to.active_element.get_attribute("data-cell") == "5"
    driver.switch_to.active_element.send_keys("x")
    assert "A count is a number" in status(driver)
    assert shown(driver, "oc_index") == value("oc_index", changed)
    do(driver, "undo")
    assert shown(driver, "oc_index") == value("oc_index", COUNTS)


def test_levels_are_added_merged_and_renamed(driver: Any, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.opened(driver, page)
    do(driver, "add")
    assert len(counts_in(driver)) == 25
    assert driver.switch_to.active_element.get_attribute("data-level") == "4"
    driver.switch_to.active_element.send_keys(Keys.BACKSPACE * 3, "<b>V</b>", Keys.TAB)
    heads = driver.execute_script(
        "return [...document.querySelectorAll('[data-part=matrix] thead th')].map(x => x.innerHTML)"
    )
    assert "&lt;b&gt;V&lt;/b&gt;" in heads[5]
    do(driver, "undo")
    do(driver, "undo")
    driver.find_element("css selector", "[data-merge='1']").click()
    merged = oe.ConfusionMatrix(COUNTS, LEVELS).collapse({"I": ["I"], "x": ["II", "III"],
                                                          "IV": ["IV"]})  # fmt: skip
    assert counts_in(driver) == [str(x) for x in merged.counts.ravel()]
    assert shown(driver, "weighted_kappa") == value("weighted_kappa", merged.counts)
    name = driver.find_element("css selector", "[data-level='0']")
    name.send_keys(Keys.BACKSPACE * 5, "IV", Keys.TAB)
    assert "already" in status(driver)


def test_shares_models_and_differences(driver: Any, page: Path) -> None:
    from selenium.webdriver.support.ui import Select

    browser.opened(driver, page)
    driver.find_element("css selector", "[value=rows]").click()
    assert counts_in(driver)[:2] == ["84%", "13%"]
    driver.find_element("css selector", "[value=columns]").click()
    assert counts_in(driver)[0] == "90%"
    driver.find_element("css selector", "[value=counts]").click()
    Select(driver.find_element("css selector", "[data-part=other]")).select_by_visible_text(
        "second"
    )
    other = np.array(COUNTS)[::-1, ::-1]
    assert shown(driver, "gwet_ac2", 5) == value("gwet_ac2", other)
    Select(driver.find_element("css selector", "[data-part=model]")).select_by_visible_text(
        "second"
    )
    assert shown(driver, "gwet_ac2", 1) == value("gwet_ac2", other)
    assert shown(driver, "gwet_ac2", 6) == "+0.0000"


def test_only_matrices_of_the_same_levels_are_compared(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    choose(driver, "other", "second")
    driver.find_element("css selector", "[data-cell='1']").send_keys("9")
    differs = shown(driver, "cem_ord", 6)
    lines = "return document.querySelectorAll('[data-picture=curve] polyline').length"
    assert re.match(r"[+−]0\.\d{4} (better|worse)$", differs)
    assert said_of(driver, "unlike") == ""
    assert driver.execute_script(lines) == 2
    driver.find_element("css selector", "[data-merge='1']").click()
    assert {shown(driver, name, 6) for name in MEASURES} == {"–"}
    assert "this matrix has 3 levels, “second” has 4." in said_of(driver, "unlike")
    assert driver.execute_script(lines) == 1  # the other is in no picture either
    do(driver, "undo")
    assert shown(driver, "cem_ord", 6) == differs
    assert said_of(driver, "unlike") == ""
    rename(driver, 3, "V", "\t")
    assert shown(driver, "cem_ord", 6) == "–"
    assert "called I, II, III, V, those of “second” I, II, III, IV." in said_of(driver, "unlike")


@pytest.mark.parametrize(
    ("levels", "name"),
    [("345678", "9"), ("210", "-1"), ("abc", "4"), ("a4b", "5"), ("13", "4"), (["-2", "-1"], "0")],
)
def test_a_new_level_has_a_name_of_its_own(driver: Any, page: Path, levels: Any, name: str) -> None:
    browser.opened(driver, page)
    k = len(levels)
    paste(driver, json.dumps({"levels": list(levels), "counts": np.eye(k, dtype=int).tolist()}))
    do(driver, "add")
    assert levels_in(driver) == [*levels, name]


def test_merged_levels_have_a_name_of_their_own(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    paste(driver, '{"levels": ["a", "b", "a+b"], "counts": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}')
    driver.find_element("css selector", "[data-merge='0']").click()
    assert levels_in(driver) == ["a+b′", "a+b"]


def focused(driver: Any) -> str:
    found: str = driver.execute_script(
        "const x = document.activeElement.dataset; return x.do ?? x.cell ?? `level ${x.level}`"
    )
    return found


def test_the_focus_stays_where_people_are(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    rename(driver, 0, "zero", "\t")
    driver.switch_to.active_element.send_keys("\t")
    assert focused(driver) == "0"  # after the name comes its button
    rename(driver, 3, "four")
    driver.find_element("css selector", "[data-cell='6']").click()
    assert focused(driver) == "6"
    assert levels_in(driver) == ["zero", "II", "III", "four"]
    names = driver.execute_script(
        "return ['[data-cell=\"3\"]', '[data-merge=\"2\"]'].map("
        "(x) => document.querySelector(x).ariaLabel)"
    )
    assert names == ["true zero, predicted four", "Merge III with four"]
    rename(driver, 1, "two")
    driver.find_element("css selector", "[data-merge='2']").click()  # both happen
    assert levels_in(driver) == ["zero", "two", "III+four"]
    assert focused(driver) == "level 2"
    for _ in range(5):
        do(driver, "undo")
        assert focused(driver) == "undo"
    assert levels_in(driver) == LEVELS
    assert status(driver) == "There is nothing to undo."


def started_from(driver: Any) -> str:
    found: str = driver.execute_script(
        "return document.querySelector('[data-part=model]').selectedOptions[0].textContent"
    )
    return found


def test_a_model_can_be_chosen_again_after_an_edit(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    assert started_from(driver) == "first"
    driver.find_element("css selector", "[data-cell='1']").send_keys("9")
    assert started_from(driver) == "other counts"
    choose(driver, "model", "first")
    assert counts_in(driver) == [str(x) for row in COUNTS for x in row]
    choose(driver, "model", "second")
    assert started_from(driver) == "second"
    do(driver, "undo")
    assert started_from(driver) == "first"
    do(driver, "undo")
    assert started_from(driver) == "other counts"
    do(driver, "undo")
    assert started_from(driver) == "first"
    rename(driver, 0, "zero", "\t")
    assert started_from(driver) == "other counts"


def test_one_edit_of_a_cell_is_one_step(driver: Any, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.opened(driver, page)
    for cell, typed in ((1, "12345"), (2, "67"), (1, "8")):
        box = driver.find_element("css selector", f"[data-cell='{cell}']")
        box.send_keys(Keys.BACKSPACE * 6, typed)
    assert counts_in(driver)[1:3] == ["8", "67"]
    do(driver, "undo")
    assert counts_in(driver)[1:3] == ["12345", "67"]
    do(driver, "undo")
    assert counts_in(driver)[1:3] == ["12345", "1"]
    do(driver, "undo")
    assert counts_in(driver)[1:3] == ["4", "1"]
    box = driver.find_element("css selector", "[data-cell='1']")
    box.send_keys("5", Keys.BACKSPACE)  # ends as it began
    do(driver, "undo")
    assert status(driver) == "There is nothing to undo."
    assert started_from(driver) == "first"


def test_beta_moves_uoc_alone(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    before = {name: shown(driver, name) for name in MEASURES}
    driver.execute_script(
        "const s = document.querySelector('[data-part=slider]'); s.value = 0.9;"
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    found = oe.uoc_index.from_confusion(COUNTS, beta=0.9)
    assert shown(driver, "uoc_index") == f"{found:.4f}"
    assert {n: v for n, v in before.items() if shown(driver, n) != v}.keys() == {"uoc_index"}


def test_the_costs_of_oc_are_explained(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    words = said_of(driver, "path")
    assert words.startswith(
        f"OC = {oe.oc_index.from_confusion(COUNTS):.3f} is the cost of the errors"
    )
    assert "The 69 correct items on it cost nothing." in words
    assert "The largest cost: true II, predicted III (4 items), 0.067." in words
    rows = driver.execute_script(
        "return [...document.querySelector('[data-part=costs]').tBodies[0].rows]"
        ".map((r) => [...r.cells].map((c) => c.textContent))"
    )
    assert rows[0] == ["true II, predicted III", "4", "off the path", "0.0672"]
    assert rows[-1] == ["OC", "93", "", f"{oe.oc_index.from_confusion(COUNTS):.4f}"]
    assert sum(float(r[3]) for r in rows[:-1]) == pytest.approx(float(rows[-1][3]), abs=5e-4)
    assert sum(int(r[1]) for r in rows[:-1]) == 93


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("9 1 0; 0 9 1; 0 0 9", "true 1, predicted 2 (1 item); and true 2, predicted 3 (1 item), "),
        ("9 1 1 0; 1 9 1 1; 1 1 9 1; 0 1 1 9", "4 cells cost the most, "),
        ("9 0; 0 9", "The 18 correct items on it cost nothing. No item lies off the path."),
        ("0 1; 0 0", "No correct item lies on it. The 1 item off the path costs "),
        ("1 0 0; 0 0 0; 9 0 0", "The 1 correct item on it costs nothing. "),
    ],
)  # fmt: skip
def test_ties_and_empty_parts_are_said_well(driver: Any, page: Path, text: str, said: str) -> None:
    browser.opened(driver, page)
    paste(driver, text)
    assert said in said_of(driver, "path")
    assert "NaN" not in said_of(driver, "path") + said_of(driver, "bits")


def test_a_matrix_without_items_leaves_nothing_behind(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    paste(driver, "0 0; 0 0")
    for part in ("path", "bits", "errors", "curve"):
        assert said_of(driver, part).startswith("No items, no ")
    assert "is not defined" in said_of(driver, "grid")
    rows = "return document.querySelector('[data-part=costs]').tBodies[0].rows.length"
    assert driver.execute_script(rows) == 0
    assert browser.console(driver) == []


def test_a_hit_and_a_miss_in_bits(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    assert said_of(driver, "bits") == (
        "A correct I is worth 2.58 bits: half the items that are truly I, 15.5 of 93 items. "
        "Rarer levels are worth more."
    )
    driver.find_element("css selector", "[data-cell='6']").click()
    assert said_of(driver, "bits") == (
        "Predicting III for a true II keeps 1.41 of the 3.08 bits of a correct prediction: 35 of "
        "93 items lie between the two levels, counting half of III. Fewer items between them keep "
        "more bits."
    )


def test_costs_of_errors_are_those_of_the_display(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    cm = oe.ConfusionMatrix(COUNTS, LEVELS)
    for i, name in enumerate(MEASURES):
        driver.execute_script(
            "const by = document.querySelector('[data-part=by]'); by.value = arguments[0];"
            "by.dispatchEvent(new Event('change', { bubbles: true }))", i,
        )  # fmt: skip
        texts = driver.execute_script(
            "return [...document.querySelectorAll('[data-picture=errors] text')]"
            ".slice(8).map((x) => x.textContent)"
        )
        costs = ErrorCostDisplay(cm, name).costs.ravel()
        assert len(texts) == len(costs) == 16
        for text, cost in zip(texts, costs, strict=True):
            if text in ("", "–"):
                assert not np.nan_to_num(cost)
            else:
                assert float(text.replace("−", "-")) == pytest.approx(cost, abs=6e-4), name
        assert f"By {get_metric(name).symbol}, " in said_of(driver, "errors")


def test_an_equation_names_its_paper(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    for name in MEASURES:
        about = shown(driver, name, 0)
        assert re.search(r"\(eqs?\.", about) is None
    assert "(Cardoso & Sousa 2011, eq. 7)" in shown(driver, "oc_index", 0)
    assert "(George, Lu & Chang 2016, eq. 7)" in shown(driver, "cost_accuracy_distance", 0)


def test_long_names_of_levels_are_seen(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    rename(driver, 1, "somewhat worse", "\t")
    driver.find_element("css selector", "[data-merge='1']").click()
    assert levels_in(driver)[1] == "somewhat worse+III"
    clipped = driver.execute_script(
        "return [...document.querySelectorAll('[data-level]')]"
        ".filter((x) => x.scrollWidth > x.clientWidth).map((x) => x.value)"
    )
    assert clipped == []
    outside = driver.execute_script(
        "return [...document.querySelectorAll('[data-picture=path] text')]"
        ".filter((x) => x.getBBox().x < 0).map((x) => x.textContent)"
    )
    assert outside == []


NAMES = """
return [...document.querySelectorAll('#explore input, #explore select, #explore textarea, #explore button')]
  .filter((x) => !(x.getAttribute('aria-label') || (x.labels && x.labels.length) || x.textContent.trim()))
  .map((x) => x.outerHTML);
"""  # noqa: E501
# As in test_browser.py, but cells are tinted by a colour that lets the page shine through.
CONTRAST = """
const channel = (x) => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; };
const parse = (c) => c.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
const over = (e) => {
  const layers = [];
  for (; e; e = e.parentElement) layers.unshift(parse(getComputedStyle(e).backgroundColor));
  return layers.reduce((under, [r, g, b, a = 1]) => under.map((x, i) => x * (1 - a) + [r, g, b][i] * a), [255, 255, 255]);
};
const worst = [];
for (const e of document.querySelectorAll('#explore *')) {
  const text = e.value ?? [...e.childNodes].filter((x) => x.nodeType === 3).map((x) => x.data).join('').trim();
  if (!text || e.closest('svg') || e.disabled || !e.offsetParent) continue;
  const a = light(parse(getComputedStyle(e).color)), b = light(over(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) worst.push([ratio, e.outerHTML.slice(0, 80)]);
}
return worst;
"""  # noqa: E501


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_has_a_name_and_can_be_read(driver: Any, page: Path, scheme: str) -> None:
    browser.opened(driver, page)
    browser.media(driver, scheme=scheme)
    settled(driver)
    assert driver.execute_script(NAMES) == []
    assert driver.execute_script(CONTRAST) == []
    labels = driver.execute_script(
        "return [...document.querySelectorAll('#explore [role=img]')].map(x => x.ariaLabel)"
    )
    assert all(len(x) > 30 and "drawn when" not in x for x in labels)
    browser.media(driver)


@pytest.mark.parametrize("width", [320, 390, 1100])
def test_it_fits_every_width(driver: Any, page: Path, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.opened(driver, page)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_it_prints_without_its_buttons(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    browser.media(driver, kind="print")
    seen = driver.execute_script(
        "return [...document.querySelectorAll('#explore button')].filter(x => x.offsetParent)"
        ".length"
    )
    assert seen == 0
    assert driver.execute_script("return !!document.querySelector('#explore table').offsetParent")
    browser.media(driver)


# The two take turns, so that what else the machine does meets both.
SPENT = """
const cell = document.querySelector('[data-cell="31"]'), root = document.getElementById('explore');
const n = Float64Array.from([...document.querySelectorAll('[data-cell]')].map((x) => Number(x.value)));
const facts = JSON.parse(root.dataset.given).measures, k = 30;
const time = (f) => { const start = performance.now(); f(); return performance.now() - start; };
const bare = [], edit = [];
for (let i = 0; i < 25; i++) {
  bare.push(time(() => facts.forEach((f) => measured(f, n, k))));
  edit.push(time(() => {
    cell.value = 100 + i;
    cell.dispatchEvent(new Event('input', { bubbles: true }));
    document.body.offsetHeight;
  }));
}
const middle = (x) => x.sort((a, b) => a - b)[12];
return [middle(edit.map((x, i) => x / bare[i])), middle(bare), middle(edit)];
"""  # noqa: E501


def test_thirty_levels_stay_smooth(driver: Any, tmp_path: Path) -> None:
    """An edit costs a bounded number of bare computations, drawing and layout included.

    It computes all measures twice, for the matrix and for one more item, and the path and the
    curve once more; looking through 900 cells and laying them out is most of it. That made ratios
    of 11 to 17, three times as many processes as cores running or not. Building the table anew,
    as a careless change would, made 140.
    """
    rng = np.random.default_rng(30)
    explore(rng.integers(0, 50, (30, 30)), tmp_path / "thirty.html")
    browser.opened(driver, tmp_path / "thirty.html")
    settled(driver)
    ratio, bare, edit = driver.execute_script(SPENT)
    print(f"bare {bare:.1f} ms, edit {edit:.1f} ms, ratio {ratio:.1f}")
    assert ratio < 40
