"""How long and how wide the report is, whether it can be read, and what its JSON holds."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import browser
import numpy as np
import pandas as pd
import pytest
from test_browser import CONTRAST
from test_report import HOSTILE, LABELS, comparison

import ordeval as oe
from ordeval.report import Report, summarise, to_html, to_json

EXAMPLE = Path(__file__).parents[2] / "examples" / "wine.csv"
in_browser = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
NAMES = ("forest", "logistic", "neighbours", "ridge_rounded", "always_5")


def guesses(y: Any, k: int, shares: list[float], seed: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        f"model_{i}": np.where(rng.random(len(y)) < s, y, rng.integers(0, k, len(y)))
        for i, s in enumerate(shares)
    }


def wine() -> Any:
    data = pd.read_csv(EXAMPLE)
    models = {name: data[name].to_numpy() for name in NAMES}
    return oe.compare(data["quality"].to_numpy(), models, labels=range(3, 9))


def many(models: int, k: int, **options: Any) -> Any:
    y = np.random.default_rng(1).integers(0, k, 600)
    shares = np.linspace(0.2, 0.9, models).tolist()
    return oe.compare(y, guesses(y, k, shares), ["cem_ord", "accuracy", "average_mae"],
                      labels=range(k), **options)  # fmt: skip


def probabilities() -> Any:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 300)
    z = -np.abs(np.arange(4) - y[:, None] - rng.normal(0, 0.5, (300, 1)))
    p = np.exp(1.5 * z) / np.exp(1.5 * z).sum(axis=1, keepdims=True)
    return oe.compare(y, {"net": p, "flat": np.full((300, 4), 0.25)}, labels=range(4))


CASES: dict[str, Any] = {
    "wine": lambda: summarise(wine(), title="Which model grades red wine best?"),
    "two of two": lambda: summarise(many(2, 2)),
    "forty": lambda: summarise(many(40, 3)),
    "thirty classes": lambda: summarise(many(5, 30)),
    "margin": lambda: summarise(many(3, 4, reference="model_0", margin=0.05)),
    "clusters": lambda: summarise(many(3, 4, clusters=np.arange(600) // 3)),
    "subgroups": lambda: summarise(many(2, 4), subgroups={g: many(2, 4) for g in "ab"}),
    "probabilities": lambda: summarise(probabilities()),
    "hostile": lambda: summarise(comparison(HOSTILE, LABELS), title="<b>" + "x" * 300),
    "one": lambda: summarise(many(1, 3)),
}


@pytest.fixture(scope="module")
def facts() -> Report:
    found: Report = CASES["wine"]()
    return found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("look")
    made = {}
    for name, case in CASES.items():
        made[name] = folder / f"{name}.html"
        made[name].write_text(to_html(case()), encoding="utf-8")
    return made


def at(driver: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


TALLEST = {
    "wine": (3000, 5000), "two of two": (2400, 4000), "forty": (3900, 7800),
    "thirty classes": (3300, 6000), "hostile": (3600, 6400),
}  # fmt: skip
HEIGHT = "return document.documentElement.scrollHeight"
BEYOND = """
const wide = document.documentElement.clientWidth + 1, hidden = '.wide, .svg, .cells, .unseen';
return [...document.querySelectorAll('body *')].filter((x) => {
  const box = x.getBoundingClientRect();
  const table = x.closest('thead');
  if (x.closest(hidden) || table && getComputedStyle(table).position === 'absolute') return false;
  return box.width > 0 && (box.right > wide || box.left < -1);
}).map((x) => `${x.tagName} ${x.textContent.slice(0, 30)}`);
"""


class TestInABrowser:
    pytestmark = in_browser

    @pytest.mark.parametrize("name", CASES)
    def test_nothing_is_beyond_the_page(
        self, driver: Any, pages: dict[str, Path], name: str
    ) -> None:
        """Neither collapsed nor opened, and as tall as a reader can take in when collapsed."""
        for width in (1400, 1366, 390):
            at(driver, width)
            browser.opened(driver, pages[name], unfold=False)
            assert driver.execute_script("return document.documentElement.scrollWidth") <= width
            assert driver.execute_script(BEYOND) == []
            if name in TALLEST:
                assert driver.execute_script(HEIGHT) <= TALLEST[name][width == 390]
            browser.opened(driver, pages[name])
            assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @pytest.mark.parametrize("name", ["wine", "thirty classes", "margin"])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_words_stand_out(
        self, driver: Any, pages: dict[str, Path], name: str, scheme: str
    ) -> None:
        at(driver, 1400)
        browser.media(driver, scheme=scheme)
        browser.opened(driver, pages[name])
        tags = "'h1, h2, p, li, td, th, a, dt, dd, figcaption, small'"
        assert tags in CONTRAST
        every = CONTRAST.replace(tags, tags[:-1] + ", strong, span, summary'")
        assert driver.execute_script(every) == []
        browser.media(driver)

    def test_the_winner_is_on_the_screen_of_a_telephone(
        self, driver: Any, pages: dict[str, Path]
    ) -> None:
        at(driver, 390)
        browser.opened(driver, pages["wine"], unfold=False)
        dots = driver.execute_script(
            "return [...document.querySelectorAll('.hero .ch .dot')]"
            ".map((x) => x.getBoundingClientRect()).map((b) => [b.left, b.right, b.width])"
        )
        assert len(dots) == 5
        assert all(left > 0 and right < 390 and width > 6 for left, right, width in dots)

    def test_print_keeps_the_matrix_of_a_model_with_its_table(
        self, driver: Any, pages: dict[str, Path]
    ) -> None:
        at(driver, 718)  # a page of A4 between its margins
        browser.opened(driver, pages["wine"], unfold=False)
        browser.media(driver, kind="print")
        found = driver.execute_script(
            "return [...document.querySelectorAll('article, .cm, tr')]"
            ".map((x) => getComputedStyle(x).breakInside)"
        )
        assert set(found) == {"avoid"}
        sizes = driver.execute_script(
            "return [...document.querySelectorAll('article, #models, #matrices')]"
            ".map((x) => x.getBoundingClientRect().height)"
        )
        assert min(sizes) > 0
        assert max(sizes) < 1000  # of the 1,017 pixels of a page
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 718
        browser.media(driver)


def test_the_json_holds_what_the_page_shows(facts: Report) -> None:
    c, data = wine(), json.loads(to_json(facts))
    assert data["nouns"] == {"item": "item", "cluster": "cluster", "level": "class"}
    assert data["answer"]["who"] == "forest"
    assert [m["model"] for m in data["matrices"]["views"]] == list(c.models)
    for shown in data["matrices"]["views"]:
        assert shown["counts"] == c.matrices[shown["model"]].counts.tolist()
        assert shown["right"] + shown["one_off"] + shown["further"] == c.items
    for row in data["classes"]["rows"]:
        n = c.matrices[row["model"]].counts
        assert row["recall"] == pytest.approx((n.diagonal() / n.sum(axis=1)).tolist())
        off = np.abs(np.arange(6) - np.arange(6)[:, None])
        assert row["mean_error"] == pytest.approx(((n * off).sum(axis=1) / n.sum(axis=1)).tolist())
    for row in data["hero"]["rows"]:
        x = c.estimates["cem_ord"][row["model"]]
        assert [row["value"], row["low"], row["high"]] == [x.estimate, x.low, x.high]
        assert tuple(row["ranks"]) == c.rank_sets["cem_ord"][row["model"]]
    for column in data["measures"]["columns"]:
        values = [c.estimates[column["name"]][m].estimate for m in c.models]
        assert [v["value"] for v in column["values"]] == [
            None if math.isnan(v) else v for v in values
        ]
    assert len(data["measures"]["columns"]) == len(c.metrics)
    # Every number of the exhibits is in the JSON, in more digits.
    text = re.sub(r"<script>.*|<style>.*?</style>", "", to_html(facts), flags=re.DOTALL)
    counts = {n for v in data["matrices"]["views"] for row in v["counts"] for n in row}
    shown_counts = re.findall(r'<td class="[bo]\d[^>]*>([\d,]+)', text)
    assert {int(x.replace(",", "")) for x in shown_counts} <= counts


def test_titles_of_the_example(facts: Report) -> None:
    assert str(facts.answer).startswith("forest is best: CEM 0.759")
    assert facts.hero.title == "7 of 10 pairs of models differ significantly in CEM (closeness)"
    assert facts.matrices is not None
    assert facts.classes is not None
    assert facts.matrices.title == "forest is right for 71% and within one step for 97%"
    assert facts.measures.title == "forest is best on all four measures"
    assert facts.classes.title == "Rare classes are almost never recognised"
    assert facts.cautions == ("forest gets 0 of 63 items in classes 3 and 4 right.",)


@pytest.mark.parametrize("seed", range(12))
def test_titles_are_true(seed: int) -> None:
    """Against counts and p-values, for random numbers of models, classes and skills."""
    rng = np.random.default_rng(seed)
    k, models = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    y = rng.choice(k, 400, p=rng.dirichlet(np.ones(k)))
    shares = rng.choice([0.0, 0.5, 0.55, 0.9, 1.0], models).tolist()
    c = oe.compare(y, guesses(y, k, shares, seed), ["cem_ord", "accuracy", "average_mae"],
                   labels=range(k))  # fmt: skip
    f = summarise(c)
    n = {m: c.matrices[m].counts for m in c.models}
    best = c.models[0]
    # The matrices.
    assert f.matrices is not None
    off = np.abs(np.arange(k) - np.arange(k)[:, None])
    near = [100 * n[best][off <= d].sum() / 400 for d in (0, 1)]
    for said, true in zip(re.findall(r"(\d+)%", f.matrices.title), near, strict=False):
        assert abs(int(said) - true) <= 1
    assert ("never more than one step" not in f.matrices.title) or near[1] == 100
    # The measures.
    firsts = sum(c.ranks[m.name][best] == min(c.ranks[m.name].values()) for m in c.metrics)
    if models > 1:
        number = {"both": 2, "all three": 3, "one of": 1, "two of": 2, "none": 0}
        assert next(v for k, v in number.items() if k in f.measures.title) == firsts
    # The pairs.
    if models > 1:
        apart = int((c.separation[np.triu_indices(models, 1)] <= 0.05).sum())
        pairs = math.comb(models, 2)
        if f.hero.title.startswith(("No two", "All ")):
            assert apart == (0 if f.hero.title.startswith("No") else pairs)
        elif models > 2:
            assert f.hero.title.startswith(f"{apart} of {pairs} pairs")
        else:
            assert ("do not differ" in f.hero.title) == (apart == 0)
    # The classes.
    assert f.classes is not None
    support = n[best].sum(axis=1)
    recall = {m: x.diagonal() / np.maximum(support, 1) for m, x in n.items()}
    rare = (support > 0) & (support < min(0.05, 0.5 / k) * 400)
    title = f.classes.title
    pooled = {m: (recall[m] * support)[rare].sum() / max(support[rare].sum(), 1) for m in n}
    if "never recognised" in title:
        assert max(pooled.values()) <= (0.1 if "almost" in title else 0)
    elif "least often" in title:
        least = recall[best][support > 0].min()
        named = re.findall(r"\d+", title.split("recognises")[1].partition("least")[0])
        if " of " not in title:
            assert all(recall[best][int(x)] == least for x in named)
    elif "of the others" in title:
        low, high = map(int, re.findall(r"(\d+)%", title))
        assert low < high


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_the_comparison(name: str) -> None:
    found = CASES[name]()
    assert found.answer.who or found.answer.after
    for text in (str(found.answer), *found.key, *found.cautions, found.paragraph):
        assert not re.search(r"\bnan\b|\binf\b|None|_ord\b", text)
        assert name == "hostile" or "  " not in text
    assert found.paragraph.count("nan") == 0
    assert len(re.findall(r"[.](?= [A-Z]|$)", found.paragraph)) >= 1
