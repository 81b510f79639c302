"""The explorer: the library's arithmetic, and what the page reads, saves and links to."""

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
from exploring import (
    COUNTS,
    LEVELS,
    counts_in,
    do,
    levels_in,
    paste,
    said_of,
    settled,
    shown,
    status,
)
from tests.pasted import ACCEPTED, HOSTILE, REFUSED, ROWS, TURNED, shuffled, worded

import ordeval as oe
from ordeval.data.text.pasted_matrices import read_pasted
from ordeval.measures import get_metric
from ordeval.report import explore
from ordeval.report.explorer import MEASURES, MOST_LEVELS, _facts

pytestmark = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


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
    for fact in given["measures"]:
        metric = get_metric(fact["name"])
        assert fact["symbol"] == metric.symbol
        assert fact["arrow"] == {True: "↑", False: "↓", None: "→"}[metric.greater_is_better]
        assert fact["range"] == metric.range.text
        for k in (2, 5, MOST_LEVELS):
            assert tuple(fact["ends"][k]) == metric.range.at(k)
        # What the page's intervals do not know of.
        assert metric.share is None
        assert metric.by_class is None
        assert not metric.biased
        assert metric.needs == "labels"


@pytest.mark.parametrize("how", ["Python", "NumPy", "MATLAB", "tabular", "Markdown", "spreadsheet"])
def test_counts_are_pasted(driver: Any, page: Path, how: str) -> None:
    browser.opened(driver, page)
    text, names = ACCEPTED[how]
    paste(driver, text)
    named = (
        f"named {names[0]} to {names[-1]} in the text" if names else "which the text does not name"
    )
    assert status(driver) == f"These counts are in use: 3 levels, {named}."
    assert counts_in(driver) == [x for row in ROWS for x in row]
    assert levels_in(driver) == list(names or "123")


def test_a_matrix_is_turned_by_its_words(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    text, words = TURNED["caret"]
    paste(driver, text)
    assert status(driver) == (
        f"These counts are in use: 3 levels, named a to c in the text. Its rows were predictions, "
        f"as “{words}” says: the matrix is turned round, and rows are the truth now."
    )
    assert counts_in(driver) == [x for row in ROWS for x in row]
    paste(driver, text.replace("4 10", "-4 10"))
    assert "“-4” in row 3 is not a count" in status(driver)  # of the text


READ = """
return arguments[0].map((text) => {
  try { const { names, rows, turnedBy } = readPasted(text); return { names, rows, turnedBy }; } catch (error) { return error.message; }
});
"""  # noqa: E501


def read_here(text: str) -> Any:
    """What the command makes of a text, in the words of the page."""
    try:
        found = read_pasted(text)
    except oe.CountsError as error:
        return str(error)
    rows = [list(row) for row in found.rows]
    return {"names": list(found.names), "rows": rows, "turnedBy": found.turned_by}


def plain(said: Any) -> Any:
    """A message without what sets the page's apart: its first letter and what it quotes."""
    if not isinstance(said, str):
        return said
    return re.sub(r"“[^”]*”|'.*'|\".*\"", "…", said[:1].lower() + said[1:])


def test_the_page_reads_as_the_command_does(driver: Any, page: Path) -> None:
    browser.opened(driver, page)
    known = [text for text, *_ in (*ACCEPTED.values(), *TURNED.values())] + [*REFUSED, HOSTILE]
    texts = known + shuffled(20, 3000) + worded(21, 3000)
    found = driver.execute_script(READ, texts)
    for text, made in zip(texts, found, strict=True):
        assert plain(made) == plain(read_here(text)), text
    refused = np.mean([isinstance(x, str) for x in found])
    assert 0.2 < refused < 0.9  # both kinds were tried
    turned = np.mean([not isinstance(x, str) and x["turnedBy"] != "" for x in found])
    assert turned > 0.05


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n3", "The counts must form a square"),
        ("1 -2\n3 4", "“-2” in row 1 is not a count"),
        ("1 1e99\n3 4", "is not a count"),
        ("", "There are no numbers where counts are needed."),
        ("5", "2 to 37 levels; this one has 1"),
        ('{"counts": [[1, "<img src=x onerror=window.ran=1>"], [3, 4]]}', "is not a count"),
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
    assert "The link contains no matrix" in status(driver)


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


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("counts=1,2;3,4&levels=a,a", "Two levels are called “a”."),
        ("counts=1,2;3,4&levels=a,%20a", "Two levels are called “a”."),
        ("counts=1,2;3,4&levels=2,", "Two levels are called “2”."),
        ("counts=1,2;3,4&levels=a,b,c", "There are 3 names for 2 levels."),
        ("counts=1,2;3", "The counts must form a square, one row for each true level"),
        ("counts=1,-2;3,4", "“-2” in row 1 is not a count"),
    ],
)
def test_a_link_is_refused_as_what_is_pasted(driver: Any, page: Path, link: str, said: str) -> None:
    driver.get("about:blank")
    driver.get(f"{page.as_uri()}#{link}")
    assert status(driver).startswith(f"The link contains no matrix. {said}")
    assert levels_in(driver) == LEVELS


@pytest.mark.parametrize("levels", ["", "&levels=", "&levels=,", "&levels=%20,%20"])
def test_names_that_a_link_leaves_out_are_numbers(driver: Any, page: Path, levels: str) -> None:
    driver.get("about:blank")
    driver.get(f"{page.as_uri()}#counts=1,2;3,4{levels}")
    assert counts_in(driver) == list("1234")
    assert levels_in(driver) == ["1", "2"]


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
    assert status(driver) == "These counts are in use: 4 levels, named I to IV in the text."
    assert browser.console(driver) == []


def test_only_matrices_are_explored(tmp_path: Path) -> None:
    with pytest.raises(oe.ParameterError, match=r"2 to 37 levels.* ConfusionMatrix\.collapse\.$"):
        explore(np.ones((38, 38), dtype=int))
    with pytest.raises(oe.ParameterError, match=r"has 1 level .* declare them all with labels=\.$"):
        explore([[5]])
    with pytest.raises(oe.ParameterError, match=r"2 levels and up to [0-9,]+ items\.$"):
        explore([[2**60, 1], [1, 1]])
    with pytest.raises(oe.CountsError, match="a stack of shape"):
        explore(oe.ConfusionMatrix(np.ones((2, 3, 3), dtype=int)))
    with pytest.raises(oe.CountsError, match="empty mapping"):
        explore({})
    page = explore(COUNTS, tmp_path / "page.html", title="<b>x</b>")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "<title>&lt;b&gt;x&lt;/b&gt;</title>" in page
