"""The report in a real browser."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import browser
import pytest
from test_report import HOSTILE, comparison

import ordeval as oe
from ordeval._shared.text import visible
from ordeval.report import cell_items, summarise, to_html
from ordeval.report.shortening import for_readers

pytestmark = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    c = comparison()
    c.to_html(path, title="<img src=x onerror=alert(1)>", subgroups={"</td>": c})
    return path


def test_it_opens_in_silence(driver: Any, hostile: Path) -> None:
    browser.opened(driver, hostile)
    assert browser.console(driver) == []
    assert browser.requests(driver) == [hostile.as_uri()]
    assert driver.title == "<img src=x onerror=alert(1)>"
    # An alert would be open now, and make this an error.
    assert driver.execute_script("return document.querySelectorAll('img').length") == 0
    assert driver.execute_script("return document.scripts.length") == 1


def test_names_are_shown_as_text(driver: Any, hostile: Path) -> None:
    browser.opened(driver, hostile)
    names = driver.execute_script(
        "return [...document.querySelectorAll('#models .hero tbody th')].map(x => x.textContent)"
    )
    for name in for_readers(tuple(HOSTILE), tuple(HOSTILE)):
        assert any(visible(name).strip() in n for n in names)


def column(driver: Any, number: int) -> list[str]:
    script = (
        "return [...document.querySelector('#table table').tBodies[0].rows]"
        f".map(r => r.cells[{number}].textContent)"
    )
    found: list[str] = driver.execute_script(script)
    return found


def test_tables_sort_by_mouse_and_keyboard(driver: Any, hostile: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser.opened(driver, hostile)
    heads = driver.find_elements(By.CSS_SELECTOR, "#table table thead button")
    before = column(driver, 0)
    heads[2].click()
    values = [float(x.split()[0]) for x in column(driver, 2)]
    models = len(HOSTILE)
    assert values[:models] == sorted(values[:models])
    # Baselines stay below the models.
    assert sorted(column(driver, 0)[models:]) == sorted(before[models:])
    heads[2].send_keys(Keys.ENTER)
    values = [float(x.split()[0]) for x in column(driver, 2)]
    assert values[:models] == sorted(values[:models], reverse=True)
    state = heads[2].find_element(By.XPATH, "..").get_attribute("aria-sort")
    assert state == "descending"


CONTRAST = """
const channel = (x) => { x /= 255; return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; };
const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
const light = (c) => {
  const [r, g, b] = parse(c).map(channel);
  return .2126*r + .7152*g + .0722*b;
};
const back = (e) => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor, p = parse(c);
    if (p.length === 3 || p[3] > 0) return c;
  }
  return getComputedStyle(document.documentElement).backgroundColor;
};
const worst = [];
for (const e of document.querySelectorAll('h1, h2, p, li, td, th, a, dt, dd, figcaption, small')) {
  if (!e.textContent.trim() || e.closest('svg')) continue;
  const a = light(getComputedStyle(e).color), b = light(back(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) worst.push([ratio, e.tagName, e.textContent.slice(0, 30)]);
}
return worst;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(driver: Any, hostile: Path, scheme: str) -> None:
    browser.opened(driver, hostile)
    browser.media(driver, scheme=scheme)
    page = driver.execute_script(
        "return getComputedStyle(document.documentElement).backgroundColor"
    )
    assert page == {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 19, 23)"}[scheme]
    assert driver.execute_script(CONTRAST) == []
    ink = driver.execute_script(
        "return getComputedStyle(document.querySelector('#uoc svg text')).fill"
    )
    assert ink == {"light": "rgb(18, 22, 28)", "dark": "rgb(236, 239, 243)"}[scheme]
    browser.media(driver)


@pytest.mark.parametrize("width", [320, 390, 1100, 1900])
def test_it_fits_every_width(driver: Any, hostile: Path, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.opened(driver, hostile)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten measures of five models, with the items of each cell."""
    path = tmp_path_factory.mktemp("usual") / "report.html"
    names = {f"a_model_{i}": x for i, x in enumerate((0.8, 0.7, 0.6, 0.5, 0.4))}
    c = comparison(names, ["I", "II", "III", "IV", "V", "VI"])
    truth = ["I", "II", "III", "IV", "V", "VI"] * 5
    items = cell_items(truth, {c.models[0]: truth[::-1]}, range(30), labels=c.scale)
    path.write_text(to_html(summarise(c, items=items)), encoding="utf-8")
    return path


SEEN = """
const table = document.querySelector(arguments[0]), box = table.parentElement;
const right = box.getBoundingClientRect().right + 1;
return [...table.tHead.rows[0].cells].filter(x => x.getBoundingClientRect().right <= right).length;
"""


@pytest.mark.parametrize(
    ("width", "table", "least"),
    [(1100, "#table table", 12), (390, "#table table", 4), (390, "table.cells", 7),
     (390, "[data-part=matrix]", 6), (390, "[data-part=measures]", 3)],
)  # fmt: skip
def test_columns_fit(driver: Any, usual: Path, width: int, table: str, least: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.opened(driver, usual)
    assert driver.execute_script(SEEN, table) >= least
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


WORDS = """
return [...document.querySelectorAll('figure[id] .svg')].map(box => {
  const svg = box.querySelector('svg');
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const sizes = [...svg.querySelectorAll('text')].map(
    x => scale * parseFloat(x.style.fontSize || x.style.font.match(/[\\d.]+px/)[0]));
  return [Math.min(...sizes), box.scrollWidth > box.clientWidth, box.tabIndex];
});
"""


def test_words_in_pictures_can_be_read_on_a_telephone(driver: Any, usual: Path) -> None:
    """They are drawn so narrow that they fit every width, and are no stop of the keyboard."""
    for width in (390, 1100):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.opened(driver, usual)
        found = driver.execute_script(WORDS)
        assert len(found) >= 10
        for smallest, moves, stop in found:
            assert (stop == 0) == moves
            assert width != 390 or smallest >= 8.5
        assert not any(moves for _, moves, _ in found)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


BROKEN = """
const wrong = [];
for (const cell of document.querySelectorAll('table th, table td')) {
  if (getComputedStyle(cell.closest('thead') || cell).position === 'absolute') continue;
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let text; (text = walker.nextNode());) {
    for (const word of text.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(r => Math.round(r.top)));
      if (lines.size > 1) wrong.push(word[0]);
    }
  }
}
return wrong;
"""


def test_no_word_of_a_table_is_broken(driver: Any, usual: Path) -> None:
    """On paper, where a page of A4 has 718 pixels between its margins, and on screens."""
    for width, kind in ((718, "print"), (390, "screen"), (1100, "screen")):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.opened(driver, usual)
        browser.media(driver, kind=kind)
        main = "#models, #measures, #recall, #table, #pairs, #classes-view, #checklist"
        broken = driver.execute_script(BROKEN.replace("'table th, table td'", repr(
            ", ".join(f"{x} table {cell}" for x in main.split(", ") for cell in ("th", "td"))
        )))  # fmt: skip
        assert broken == []
    browser.media(driver)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_hints_and_controls_are_not_printed(driver: Any, usual: Path) -> None:
    browser.opened(driver, usual)
    controls = ".tools, .hint, .items, .items button, .explorer, .lists .note"
    shown = (
        f"return [...document.querySelectorAll('{controls}')].filter(x => x.offsetParent)"
        ".map(x => x.className || x.tagName)"
    )
    assert {"tools", "hint", "items", "note"} <= set(driver.execute_script(shown))
    browser.media(driver, kind="print")
    assert driver.execute_script(shown) == []
    assert "click" not in driver.find_element("css selector", "main").text.lower()
    # What a reader has opened is printed, without its button.
    driver.execute_script("document.querySelector('details.items').open = true")
    assert driver.execute_script(shown) == ["note", "items"]
    browser.media(driver)


def test_it_prints(driver: Any, hostile: Path) -> None:
    browser.opened(driver, hostile)
    browser.media(driver, kind="print", scheme="dark")
    ink = driver.execute_script("return getComputedStyle(document.body).color")
    assert ink == "rgb(18, 22, 28)"  # dark on white, whatever the screen
    browser.media(driver)
    pdf = browser.printed(driver)
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 50_000


def test_pictures_do_not_share_their_clips(driver: Any, hostile: Path) -> None:
    browser.opened(driver, hostile)
    ids = driver.execute_script("return [...document.querySelectorAll('[id]')].map(x => x.id)")
    assert len(ids) == len(set(ids))
    sizes = driver.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(x => "
        "{ const b = x.getBoundingClientRect(); return [b.width, b.height]; })"
    )
    assert sizes
    assert all(width > 150 and height > 60 for width, height in sizes)


def test_the_page_without_scripts_is_whole(tmp_path: Path) -> None:
    page = comparison({"a": 0.7, "b": 0.5}, ["x", "y", "z"]).to_html()
    body = page[: page.index("<script>")]
    assert "Method" in body
    assert body.count("<figure") == page.count("<figure")
    assert oe.__version__ in body


def test_a_script_that_got_in_does_not_run(driver: Any, hostile: Path, tmp_path: Path) -> None:
    """The policy holds even if an escape were forgotten."""
    page = hostile.read_text(encoding="utf-8")
    injected = (
        "<base href='https://example.org/'><script>window.ran = 1</script>"
        "<img src=x onerror='window.ran = 2'><svg onload='window.ran = 3'></svg>"
        "<style>main { display: none }</style><iframe srcdoc='<script>parent.ran=4</script>'>"
        "</iframe><a id=go href='javascript:window.ran = 5'>x</a>"
        "<form id=out action='https://example.org/'></form>"
    )
    path = tmp_path / "injected.html"
    path.write_text(page.replace("<main>", f"{injected}<main>"), encoding="utf-8")
    browser.opened(driver, path)
    driver.execute_script("document.getElementById('go').click()")
    driver.execute_script("document.getElementById('out').submit()")
    time.sleep(0.3)
    assert driver.execute_script("return window.ran === undefined")
    assert (
        driver.execute_script("return getComputedStyle(document.querySelector('main')).display")
        == "block"
    )
    assert driver.execute_script("return document.baseURI") == path.as_uri()
    assert driver.current_url == path.as_uri()
    assert not any("example.org" in url for url in browser.requests(driver))
    refused = " ".join(browser.console(driver))
    assert "Content Security Policy" in refused


def test_the_page_of_the_papers_opens_in_silence(driver: Any, tmp_path: Path) -> None:
    oe.papers.reproduce("amigo2020", figure=1).to_html(tmp_path / "papers.html")
    browser.opened(driver, tmp_path / "papers.html")
    assert browser.console(driver) == []
    assert driver.execute_script("return document.scripts.length") == 0
    assert driver.execute_script("return getComputedStyle(document.body).maxWidth") != "none"
