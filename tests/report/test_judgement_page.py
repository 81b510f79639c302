"""The page of a judgement: what it says, that names are text, and how it looks to a browser."""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import MISSING, chromium, console, opened, requests
from test_report import Page

import ordeval as oe

NAMES = (
    r"\input{/etc/passwd}", "$", r"$\frac$ $\foo{$", "a\u202eb\x1b[31m",
    "</script><script>x()</script><!--", "{{ 7 * 7 }}", "very long name " * 9,
)  # fmt: skip
LEVELS = ["$x$", r"\write18{id}", "line\nbreak | <b>"]


def judged(judges: Any = NAMES, **options: Any) -> Any:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 120)
    word = np.array(LEVELS, dtype=object)

    def rated(right: float) -> Any:
        return word[np.where(rng.random(120) < right, truth, rng.integers(0, 3, 120))]

    humans = {name: rated(0.8).tolist() for name in (NAMES[0], "<b>ben</b>", "cleo")}
    items = [f"<i>{i}</i>" for i in range(120)]
    ratings = oe.Ratings(humans, LEVELS, items=items)
    answers = {name: rated(0.9 - 0.1 * i).tolist() for i, name in enumerate(judges)}
    return oe.judge(ratings, answers, margin=0.1, **options)


@pytest.fixture(scope="module")
def page() -> str:
    found = judged(systems=["<s>", "t"] * 60)
    html: str = found.to_html(title=NAMES[4], command=f"ordeval judge {NAMES[4]}")
    return html


def test_it_says_everything() -> None:
    found = judged(["good", "poor"])
    page = Page(found.to_html(command="ordeval judge humans.csv"))
    for paragraph in found.conclusion().split("\n\n"):
        assert paragraph in page.text
    for text in ("Judges beside humans", "Agreement with humans, and the gap to the ceiling",
                 "Share of humans beaten (alt-test)", "Humans compared with each other",
                 "Furthest from the humans' mean", "Calderon, Reichart & Dror 2025",
                 "ordeval judge humans.csv", "within the margin of 0.1",
                 "Agreement is quadratic weighted kappa (Cohen 1968)"):  # fmt: skip
        assert text in page.text
    for table in found.tables():
        for row in table.rows:
            assert row[0].text in page.text
    ids = [attributes.get("id") for tag, attributes in page.tags if tag == "figure"]
    assert ids == ["ceiling", "grades", "each", "severity", "matrix0", "matrix1"]
    labels = [a.get("aria-label") for tag, a in page.tags if a.get("role") == "img"]
    assert all(labels)
    targets = {a["href"] for tag, a in page.tags if tag == "a"}
    assert {t.removeprefix("#") for t in targets if t} <= {a.get("id") for _, a in page.tags}


def test_one_judge_and_one_human_have_a_page() -> None:
    alone = oe.judge([[1], [2], [3]] * 9, {"m": [1, 2, 2] * 9}, labels=[1, 2, 3])
    page = Page(alone.to_html())
    assert "m beside humans" in page.text
    assert "No verdict: there is one human" in page.text
    assert "regression to the mean" in page.text


def test_names_are_text(page: str) -> None:
    assert page.count("<script") == page.count("</script") == 1
    assert "<!--" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "49" not in Page(page).text.partition("Judges beside")[0][:200]
    assert all(c.isprintable() or c in "\n\xa0" for c in page)


def test_the_policy_is_that_of_the_report(page: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    for tag, rule in (("script", "script-src"), ("style", "style-src-elem")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == [f"'sha256-{digest}'"]
    for name in ("default-src", "base-uri", "form-action"):
        assert rules[name] == ["'none'"]


def test_many_judges_are_not_all_shown(page: str) -> None:
    assert "The best 6 judges are shown; not shown: " in Page(page).text


def test_the_page_is_the_same_every_time(page: str) -> None:
    again = judged(systems=["<s>", "t"] * 60)
    assert again.to_html(title=NAMES[4], command=f"ordeval judge {NAMES[4]}") == page


def test_it_is_written_whole(tmp_path: Path) -> None:
    found = judged(["good"])
    assert found.to_html(tmp_path / "a.html") == (tmp_path / "a.html").read_text(encoding="utf-8")
    with pytest.raises(oe.OutputError):
        found.to_html(tmp_path / "no" / "a.html")


@pytest.mark.skipif(bool(MISSING) and not os.environ.get("CI"), reason=MISSING)
def test_a_browser_shows_it_and_runs_nothing_else(page: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    with chromium() as driver:
        opened(driver, path)
        assert console(driver) == []
        assert requests(driver) == [path.as_uri()]
        for width in (1100, 400):
            driver.set_window_size(width, 900)
            wide = driver.execute_script(
                "return document.documentElement.scrollWidth - window.innerWidth"
            )
            assert wide <= 0
