"""The page on the papers: whole, without requests, and its lines of code run."""

import html
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
import browser


@pytest.fixture(scope="session")
def page(quick: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("papers") / "papers.html"
    path.write_text(quick.found.to_html(), encoding="utf-8")
    return path


def test_it_shows_every_exhibit_and_every_picture(quick: Any, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for e in quick.found.exhibits:
        assert f"· {e.title}<" in html.unescape(text), e.name
    assert text.count("<svg") == sum(len(e.pictures) for e in quick.found.exhibits)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([^"]+)"', text):
        assert target in ids


def test_nothing_is_loaded_from_elsewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert "<script" not in text


def test_every_line_of_code_runs(quick: Any) -> None:
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
