"""The explorer: the library's arithmetic, the registry's facts, and whether people can use it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import browser
import numpy as np
import pytest

import ordeval as oe
from ordeval.data.pasted import read_pasted
from ordeval.measures import get_metric
from ordeval.report import explore
from ordeval.report.explorer import MEASURES, MOST_LEVELS, _facts
from pasted import ACCEPTED, HOSTILE, REFUSED, ROWS, shuffled

pytestmark = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
COUNTS = [[26, 4, 1, 0], [3, 15, 4, 0], [0, 5, 18, 3], [0, 1, 3, 10]]
LEVELS = ["I", "II", "III", "IV"]


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser.chromium() as made:
        yield made


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explore") / "explore.html"
    other = np.array(COUNTS)[::-1, ::-1].tolist()
    matrices = {"first": COUNTS, "second": other}
    explore(matrices, path, labels=LEVELS)
    return path


def random_matrices(seed: int, size: int) -> list[Any]:
    """Tables of 2 to 12 levels: sparse and full, with empty classes, and with huge counts."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(size):
        k = int(rng.integers(2, 13))
        largest = [3, 40, 10**6, 10**15][number % 4]
        n = rng.integers(0, largest, (k, k))
        n[rng.random((k, k)) < rng.choice([0.0, 0.5, 0.9])] = 0
        if number % 3 == 0:  # one class, or two, without an item in the truth
            n[rng.integers(0, k, 2)] = 0
        if number % 5 == 0:  # one class that is never predicted
            n[:, rng.integers(0, k)] = 0
        if number % 7 == 0:  # no errors
            n = np.diag(np.diagonal(n))
        if number % 11 == 0:  # one item beside very many
            n[0, -1] = 1
        found.append(n)
    return found


COMPUTED = """
const [measures, tables, intervals] = arguments;
return tables.map((rows) => {
  const k = rows.length, n = Float64Array.from(rows.flat());
  return measures.map((f) => {
    const ends = intervals ? interval(f, n, k) : null;
    return [measured(f, n, k), ends && ends.low, ends && ends.high].map((x) => x === null || isNaN(x) ? null : x);
  });
});
"""  # noqa: E501


def computed(driver: Any, page: Path, tables: list[Any], *, intervals: bool) -> Any:
    browser.opened(driver, page)
    facts = [_facts(get_metric(name)) for name in MEASURES]
    found = driver.execute_script(COMPUTED, facts, [t.tolist() for t in tables], intervals)
    return np.array(found, dtype=np.float64)  # tables, measures, value and ends


def test_the_arithmetic_is_the_librarys(driver: Any, page: Path) -> None:
    tables = random_matrices(20, 2000)
    found = computed(driver, page, tables, intervals=False)[..., 0]
    expected = np.array([[get_metric(name).values(t) for name in MEASURES] for t in tables])
    assert np.isnan(found).tolist() == np.isnan(expected).tolist()
    assert 0.01 < np.isnan(expected).mean() < 0.5  # both kinds were tried
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_the_intervals_are_the_librarys(driver: Any, page: Path) -> None:
    tables = [t for t in random_matrices(21, 240) if t.sum() > 1]
    found = computed(driver, page, tables, intervals=True)
    for t, row in zip(tables, found, strict=True):
        for name, ends in zip(MEASURES, row, strict=True):
            if np.isnan(ends[0]):
                continue
            made = oe.confidence_interval(name, t)
            expected = [made.estimate, made.low, made.high]
            # Of very many items, what one of them moves is next to what rounding does.
            near = 1e-8 if t.sum() < 10**5 else 1e-6 if t.sum() < 10**9 else 1e-5
            np.testing.assert_allclose(ends, expected, rtol=near, atol=near, err_msg=f"{name} {t}")


def test_the_measures_are_those_of_the_registry(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    assert driver.execute_script("return Object.keys(MEASURES)") == list(MEASURES)
    given = json.loads(driver.find_element("id", "explore").get_attribute("data-given"))
    for shown in given["measures"]:
        metric = get_metric(shown["name"])
        assert shown["symbol"] == metric.symbol
        assert shown["arrow"] == {True: "↑", False: "↓", None: "→"}[metric.greater_is_better]
        assert shown["range"] == metric.range.text
        for k in (2, 5, MOST_LEVELS):
            assert tuple(shown["ends"][k]) == metric.range.at(k)
        # What the page's intervals do not know of.
        assert metric.share is None
        assert metric.by_class is None
        assert not metric.biased
        assert metric.needs == "labels"


def shown(driver: Any, name: str, column: int = 1) -> str:
    row = f"#explore [data-measure={name}]"
    found: str = driver.execute_script(
        f"return document.querySelector('{row}').cells[{column}].textContent"
    )
    return found


def counts_in(driver: Any) -> list[str]:
    script = "return [...document.querySelectorAll('#explore [data-cell]')].map(x => x.value)"
    found: list[str] = driver.execute_script(script)
    return found


def do(driver: Any, what: str) -> None:
    driver.find_element("css selector", f"#explore [data-do={what}]").click()


def settled(driver: Any) -> None:
    """Wait for the intervals."""
    for _ in range(200):
        cells = [shown(driver, name, 2) for name in MEASURES]
        if "…" not in cells:
            return
        time.sleep(0.02)
    raise AssertionError("the intervals did not come")


def value(name: str, counts: Any) -> str:
    found = float(get_metric(name).values(np.array(counts)))
    return f"{found:.4f}".replace("-", "−")


def paste(driver: Any, text: str) -> None:
    driver.execute_script(
        "document.querySelector('#explore details').open = true;"
        "document.getElementById('explore-paste').value = arguments[0]", text,
    )  # fmt: skip
    do(driver, "paste")


def status(driver: Any) -> str:
    return str(driver.find_element("css selector", "#explore [role=status]").text)


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


@pytest.mark.parametrize("how", ["Python", "NumPy", "MATLAB", "tabular", "Markdown", "spreadsheet"])
def test_counts_are_pasted(driver: Any, page: Path, how: str) -> None:
    browser.opened(driver, page)
    text, names = ACCEPTED[how]
    paste(driver, text)
    assert status(driver) == "These counts are in use."
    assert counts_in(driver) == [x for row in ROWS for x in row]
    assert levels_in(driver) == list(names or "123")


def levels_in(driver: Any) -> list[str]:
    found: list[str] = driver.execute_script(
        "return [...document.querySelectorAll('[data-level]')].map(x => x.value)"
    )
    return found


READ = """
return arguments[0].map((text) => {
  try { const { names, rows } = readPasted(text); return { names, rows }; } catch (error) { return error.message; }
});
"""  # noqa: E501


def read_here(text: str) -> Any:
    """What the command makes of a text, in the words of the page."""
    try:
        found = read_pasted(text)
    except oe.CountsError as error:
        return str(error)
    return {"names": list(found.names), "rows": [list(row) for row in found.rows]}


def plain(said: Any) -> Any:
    """A message without what sets the page's apart: its first letter and what it quotes."""
    if not isinstance(said, str):
        return said
    return re.sub(r"“[^”]*”|'.*'|\".*\"", "…", said[:1].lower() + said[1:])


def test_the_page_reads_as_the_command_does(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    known = [text for text, _ in ACCEPTED.values()] + [*REFUSED, HOSTILE]
    texts = known + shuffled(20, 3000)
    found = driver.execute_script(READ, texts)
    for text, made in zip(texts, found, strict=True):
        assert plain(made) == plain(read_here(text)), text
    refused = np.mean([isinstance(x, str) for x in found])
    assert 0.2 < refused < 0.8  # both kinds were tried


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n3", "The counts must form a square"),
        ("1 -2\n3 4", "“-2” in row 1 is no count"),
        ("1 1e99\n3 4", "is no count"),
        ("", "There are no numbers."),
        ("5", "2 to 37 levels; this one has 1"),
        ('{"counts": [[1, "<img src=x onerror=window.ran=1>"], [3, 4]]}', "is no count"),
        ("\n".join(["1 " * 38] * 38), "2 to 37 levels"),
        (HOSTILE, "square"),
    ],
)
def test_what_is_no_matrix_is_refused_in_words(
    driver: Any, page: Path, text: str, said: str
) -> None:
    browser.opened(driver, page)
    paste(driver, text)
    assert said in status(driver)
    assert counts_in(driver) == [str(x) for row in COUNTS for x in row]
    assert driver.execute_script("return window.ran === undefined")
    assert browser.console(driver) == []


def test_a_link_carries_the_matrix(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    hostile = ["a,b", "<script>window.ran=1</script>", "ü&=#%;"]
    paste(driver, json.dumps({"levels": hostile, "counts": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}))
    do(driver, "link")
    time.sleep(0.2)
    link = driver.current_url
    assert "link" in status(driver)
    driver.get("about:blank")
    driver.get(link)
    assert counts_in(driver) == list("123456789")
    assert levels_in(driver) == hostile
    assert driver.execute_script("return window.ran === undefined")
    driver.get(page.as_uri() + "#counts=1,2;x,4")
    assert "The link holds no matrix" in status(driver)


def test_a_link_to_a_file_says_that_the_file_is_needed(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    do(driver, "link")
    time.sleep(0.2)
    assert "send the file along" in status(driver)
    with served(page.parent) as address:
        driver.get(f"{address}/{page.name}")
        do(driver, "link")
        time.sleep(0.2)
        assert "link" in status(driver)
        assert "file" not in status(driver)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


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


def choose(driver: Any, part: str, text: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(driver.find_element("css selector", f"[data-part={part}]")).select_by_visible_text(text)


def rename(driver: Any, level: int, text: str, *after: str) -> None:
    from selenium.webdriver.common.keys import Keys

    name = driver.find_element("css selector", f"[data-level='{level}']")
    name.send_keys(Keys.BACKSPACE * 12, text, *after)


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


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("counts=1,2;3,4&levels=a,a", "Two levels are called “a”."),
        ("counts=1,2;3,4&levels=a,%20a", "Two levels are called “a”."),
        ("counts=1,2;3,4&levels=2,", "Two levels are called “2”."),
        ("counts=1,2;3,4&levels=a,b,c", "There are 3 names for 2 levels."),
        ("counts=1,2;3", "The counts must form a square, one row for each true level"),
        ("counts=1,-2;3,4", "“-2” in row 1 is no count"),
    ],
)
def test_a_link_is_refused_as_what_is_pasted(driver: Any, page: Path, link: str, said: str) -> None:
    driver.get("about:blank")
    driver.get(f"{page.as_uri()}#{link}")
    assert status(driver).startswith(f"The link holds no matrix. {said}")
    assert levels_in(driver) == LEVELS


@pytest.mark.parametrize("levels", ["", "&levels=", "&levels=,", "&levels=%20,%20"])
def test_names_that_a_link_leaves_out_are_numbers(driver: Any, page: Path, levels: str) -> None:
    driver.get("about:blank")
    driver.get(f"{page.as_uri()}#counts=1,2;3,4{levels}")
    assert counts_in(driver) == list("1234")
    assert levels_in(driver) == ["1", "2"]


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


def test_the_path_is_the_librarys(driver: Any, page: Path) -> None:
    tables = [t for t in random_matrices(22, 200) if t.sum()]
    browser.opened(driver, page)
    found = driver.execute_script(
        "return arguments[0].map((rows) => { const k = rows.length;"
        "const terms = ocTerms(Float64Array.from(rows.flat()), k, { share: 0.75 });"
        "return pathCells(terms, k); })", [t.tolist() for t in tables],
    )  # fmt: skip
    for t, cells in zip(tables, found, strict=True):
        assert [divmod(c, len(t)) for c in cells] == list(oe.optimal_path(t).cells)


COSTS = """
return arguments[0].map((rows) => {
  const k = rows.length, n = Float64Array.from(rows.flat()), given = { share: 0.75 };
  return Array.from(ocCosts(n, k, given, new Set(pathCells(ocTerms(n, k, given), k))).cost);
});
"""


def test_what_oc_punishes_adds_up_to_it(driver: Any, page: Path) -> None:
    tables = [t for t in random_matrices(23, 300) if t.sum()]
    browser.opened(driver, page)
    found = driver.execute_script(COSTS, [t.tolist() for t in tables])
    for t, costs in zip(tables, found, strict=True):
        path, k = oe.optimal_path(t), len(t)
        i, j = np.indices((k, k))
        steps, n = np.abs(i - j), t.astype(float)
        shares = n.sum() + (n * steps).sum()
        expected = n * (1 + steps) / shares  # off the path
        for (r, c), penalty in zip(path.cells, path.penalty, strict=True):
            expected[r, c] = n[r, c] * steps[r, c] / shares + penalty
        np.testing.assert_allclose(np.reshape(costs, (k, k)), expected, rtol=1e-9, atol=1e-12)
        assert sum(costs) == pytest.approx(oe.oc_index.from_confusion(t), rel=1e-9, abs=1e-9)
        assert min(costs) >= 0


def said_of(driver: Any, part: str) -> str:
    return str(driver.find_element("css selector", f"#explore [data-part={part}]").text)


def test_what_oc_punishes_is_said_in_words(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    words = said_of(driver, "path")
    assert words.startswith(f"OC = {oe.oc_index.from_confusion(COUNTS):.3f} is what errors cost")
    assert "The 69 hits on it cost nothing." in words
    assert "What costs most: true II, predicted III (4 items), 0.067." in words
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
        ("9 0; 0 9", "The 18 hits on it cost nothing. No item lies off the path."),
        ("0 1; 0 0", "No hit lies on it. The 1 item off the path costs "),
        ("1 0 0; 0 0 0; 9 0 0", "The 1 hit on it costs nothing. "),
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
    for part in ("path", "bits", "curve"):
        assert said_of(driver, part).startswith("No items, no ")
    assert "is not defined" in said_of(driver, "grid")
    rows = "return document.querySelector('[data-part=costs]').tBodies[0].rows.length"
    assert driver.execute_script(rows) == 0
    assert browser.console(driver) == []


def test_a_hit_and_a_miss_in_bits(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    assert said_of(driver, "bits") == (
        "A hit of I is worth 2.58 bits: half the items that are truly I, 15.5 of 93 items. "
        "The rarer a level, the more a hit is worth."
    )
    driver.find_element("css selector", "[data-cell='6']").click()
    assert said_of(driver, "bits") == (
        "Predicting III for a true II keeps 1.41 of the 3.08 bits of a hit: from the one level to "
        "the other lie 35 of 93 items, of III the half. The fewer lie there, the more is kept."
    )


def test_an_equation_names_its_paper(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    for name in MEASURES:
        about = shown(driver, name, 0)
        assert re.search(r"\(eqs?\.", about) is None
    assert "(Cardoso & Sousa 2011, eq. 7)" in shown(driver, "oc_index", 0)
    assert "(George, Lu & Chang 2016, eq. 7)" in shown(driver, "cost_accuracy_distance", 0)


def report_of(tmp_path: Path, **options: Any) -> tuple[Path, Any]:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, 120)
    models = {m: np.clip(truth + rng.integers(-1, 2, 120), 0, 3) for m in ("a", "b")}
    c = oe.compare(truth, models, labels=range(4), rng=0, **options)
    c.to_html(tmp_path / "report.html")
    return tmp_path / "report.html", c


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"clusters": np.repeat(np.arange(12), 10)}, "clustered"),
        ({"sample_weight": np.arange(120) % 3 + 1}, "weighted"),
        ({"level": 0.9}, "90%"),
        ({"method": "percentile", "n_resamples": 200}, "by bootstrap"),
    ],
)
def test_a_report_and_its_explorer_have_one_interval(
    driver: Any, tmp_path: Path, options: Any, kind: str
) -> None:
    path, c = report_of(tmp_path, **options)
    browser.opened(driver, path)
    settled(driver)
    for metric in c.metrics:
        ends = c.estimates[metric.name][c.models[0]]
        said = f"[{ends.low:.4f}, {ends.high:.4f}]".replace("-", "−")
        assert shown(driver, metric.name, 2) == f"{said}as in the report: {kind}"
    assert shown(driver, "gwet_ac2", 2).endswith("]items independent")  # not in the report
    assert f"the intervals of this report ({kind})" in said_of(driver, "note")
    assert ("too narrow" in said_of(driver, "note")) == (kind in ("clustered", "weighted"))
    driver.execute_script(
        "const cell = document.querySelector('[data-cell=\"1\"]'); cell.value = 40;"
        "cell.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    settled(driver)
    assert shown(driver, "cem_ord", 2).endswith("]items independent")
    do(driver, "undo")
    settled(driver)
    assert shown(driver, "cem_ord", 2).endswith(f"as in the report: {kind}")


def test_a_plain_report_and_its_explorer_agree(driver: Any, tmp_path: Path) -> None:
    path, c = report_of(tmp_path)
    browser.opened(driver, path)
    settled(driver)
    for metric in c.metrics:
        ends = c.estimates[metric.name][c.models[0]]
        said = f"[{ends.low:.4f}, {ends.high:.4f}]".replace("-", "−")
        assert shown(driver, metric.name, 2) == said


def test_a_report_says_why_it_has_no_explorer(tmp_path: Path) -> None:
    path, _ = report_of(tmp_path)
    assert "cannot be changed on this page" not in path.read_text(encoding="utf-8")
    truth = np.tile(np.arange(38), 3)
    c = oe.compare(truth, {"a": np.roll(truth, 1)}, labels=range(38), metrics=["cem_ord"], rng=0)
    made = c.to_html()
    assert "its explorer takes 2 to 37 levels, and this scale has 38." in made
    assert 'id="explore"' not in made


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


def test_downloads(driver: Any, page: Path, tmp_path: Path) -> None:
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    browser.opened(driver, page)
    for kind in ("csv", "json", "png"):
        do(driver, kind)
        for _ in range(100):
            if (tmp_path / f"matrix.{kind}").exists():
                break
            time.sleep(0.05)
    assert (tmp_path / "matrix.png").read_bytes().startswith(b"\x89PNG")
    made = json.loads((tmp_path / "matrix.json").read_text(encoding="utf-8"))
    assert made["counts"] == COUNTS
    assert made["measures"]["auoc"]["value"] == pytest.approx(oe.auoc.from_confusion(COUNTS))
    csv = (tmp_path / "matrix.csv").read_text(encoding="utf-8")
    assert csv.splitlines()[:2] == ["truth,I,II,III,IV", "I,26,4,1,0"]
    paste(driver, csv)
    assert status(driver) == "These counts are in use."
    assert browser.console(driver) == []


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


def test_only_matrices_are_explored(tmp_path: Path) -> None:
    with pytest.raises(oe.ParameterError, match="2 to 37 levels"):
        explore(np.ones((38, 38), dtype=int))
    with pytest.raises(oe.CountsError, match="a stack of shape"):
        explore(oe.ConfusionMatrix(np.ones((2, 3, 3), dtype=int)))
    with pytest.raises(oe.CountsError, match="empty mapping"):
        explore({})
    page = explore(COUNTS, tmp_path / "page.html", title="<b>x</b>")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "<title>&lt;b&gt;x&lt;/b&gt;</title>" in page
