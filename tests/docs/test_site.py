"""What the site is made from: cards, the reference, and the check of its links."""

from __future__ import annotations

import re
from pathlib import Path

import blocks
import cards
import generate
import links
import pytest
import reference

import ordeval as oe
from ordeval.inference.advice import CATALOGUE


def _check(metric: oe.Metric, folder: Path) -> str:
    page = folder / f"{metric.name}.md"
    page.write_text(cards.card(metric, folder), encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert metric.formula in text
    assert metric.range.text in text
    assert metric.undefined_when in text
    assert cards.BETTER[metric.greater_is_better] in text
    assert metric.reference.citation in text
    blocks.check_page(page, folder)
    return text


@pytest.mark.parametrize("name", oe.metrics().names)
def test_a_card_tells_all_that_is_known_of_a_measure(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but pictures and properties, which take a second each; the docs make them for all."""
    monkeypatch.setattr(cards, "draw_four", lambda metric, *_: f"{metric.symbol} in a picture")
    monkeypatch.setattr(cards, "draw_in_depth", lambda *_: ())
    monkeypatch.setattr(cards, "_properties", lambda _: ())
    _check(oe.get_metric(name), tmp_path)


@pytest.mark.parametrize(
    "name", ["auoc", "oc_index", "cost_accuracy_distance", "ranked_probability_score"]
)
def test_a_card_with_its_pictures_and_properties(name: str, tmp_path: Path) -> None:
    text = _check(oe.get_metric(name), tmp_path)
    pictures = re.findall(r"\]\((\w+\.svg)\)", text)
    assert len(pictures) == 1 + (name != "ranked_probability_score")
    assert all((tmp_path / file).stat().st_size > 5_000 for file in pictures)
    assert "## Properties" in text


def test_counterexamples_are_on_the_card() -> None:
    text = "\n".join(cards._properties(oe.accuracy))
    example = oe.meta.check_properties("accuracy").find("imbalance").counterexample
    assert str(example) in text


def test_a_measure_that_sees_no_difference_is_said_so(tmp_path: Path) -> None:
    assert "gives all four models the same value" in cards.draw(oe.accuracy, tmp_path)[1]
    assert "best first: “always too high”" in cards.draw(oe.cem_ord, tmp_path)[1]


def test_powers_do_not_become_bold() -> None:
    assert cards._as_markdown("d**2 and ``d**2``") == r"d\*\*2 and ``d**2``"


def test_the_list_has_every_measure() -> None:
    text = cards.listing(oe.metrics())
    assert all(f"[`{m.name}`]({m.name}.md)" in text for m in oe.metrics())


def test_the_reference_has_every_public_name() -> None:
    assert reference.missing() == set()


def test_the_reference_shows_what_is_inherited_from_our_own_classes() -> None:
    entry = ".. autoclass:: ordeval.plots.ConfusionDisplay\n   :members:\n   :inherited-members: "
    assert entry in reference.pages()["plots"]
    assert "dict" in reference._options(type("Own", (dict,), {"__module__": "ordeval.x"}))[1]


def test_every_code_has_its_place() -> None:
    text = generate.warnings_page()
    assert all(f"## {code}: " in text for code in CATALOGUE)


def test_right_links_pass(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="x"></p><a href="b.html#y">b</a><a href="#x">x</a>')
    (tmp_path / "b.html").write_text('<p id="y"></p><a href="https://doi.org/1">doi</a>')
    assert list(links.problems(tmp_path)) == []


@pytest.mark.parametrize(
    "text",
    [
        '<a href="missing.html">m</a>',
        '<a href="#missing">m</a>',
        '<img src="missing.svg">',
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="//example.org/x.css">',
        '<a href="file:///etc/hosts">h</a>',
        '<link rel="next" href="https://example.org/x.html">',
        '<video poster="https://example.org/x.png"></video>',
        '<object data="https://example.org/x.svg"></object>',
        '<img srcset="https://example.org/x.png 2x">',
        '<p style="background: url(https://example.org/x.png)"></p>',
    ],
)
def test_wrong_links_are_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(text)
    assert len(list(links.problems(tmp_path))) >= 1


def test_style_sheets_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@import '//example.org/x.css'; p { background: url(x.png) }")
    assert len(list(links.style_problems(tmp_path))) == 1


def test_the_readme_links_to_files_that_are_there() -> None:
    text = (blocks.ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    assert len(targets) > 10
    assert [t for t in targets if not t.startswith("http") and not (blocks.ROOT / t).exists()] == []


def test_the_readme_says_how_many_measures_there_are() -> None:
    text = (blocks.ROOT / "README.md").read_text(encoding="utf-8")
    said = re.search(r"each of the (\d+)\s+measures", text)
    assert said is not None
    assert int(said[1]) == len(oe.metrics())


def test_an_empty_site_is_not_right(tmp_path: Path) -> None:
    assert list(links.problems(tmp_path)) != []


def test_a_card_opens_the_explorer_with_its_matrices() -> None:
    shown = cards.explorer_links("../explore.html")
    found = re.findall(r'href="../explore\.html#counts=([\d,;]+)&amp;levels=([^"]+)"', shown)
    tables = [[[int(x) for x in row.split(",")] for row in n.split(";")] for n, _ in found]
    assert tables == list(cards.FOUR.values())
    assert {levels for _, levels in found} == {",".join(cards.STAGES)}
