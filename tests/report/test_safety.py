"""A report of hostile data: nothing is run, nothing is drawn as code, every run gives the same."""

import hashlib
import re
import subprocess
import sys
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from test_report import comparison

import ordeval as oe
from ordeval import plots
from ordeval.report import Report, summarise, to_html, to_json, to_latex, to_markdown
from ordeval.report.pictures import drawn

NAMES = (
    r"\input{/etc/passwd}", "$", r"$\frac$ $\foo{$", "_hidden", "a\u202eb\x1b[31m",
    "</script><script>x()</script><!--",
)  # fmt: skip
LEVELS = ["$x$", r"\write18{id}", "line\nbreak | <b>"]


def hostile(**options: Any) -> Any:
    return comparison({n: 0.9 - 0.1 * i for i, n in enumerate(NAMES)}, LEVELS,
                      metrics=["cem_ord", "accuracy"], **options)  # fmt: skip


@pytest.fixture(scope="module")
def facts() -> Report:
    c = hostile(reference=NAMES[0], margin=0.1)
    return summarise(c, title=NAMES[0] + NAMES[-1], subgroups={NAMES[2]: c}, command=NAMES[-1])


def test_every_rendering_is_text(facts: Report) -> None:
    page, markdown, latex = to_html(facts), to_markdown(facts), to_latex(facts)
    for text in (page, markdown, latex, to_json(facts)):
        assert all(c.isprintable() or c in "\n\xa0" for c in text)
    assert page.count("<script") == page.count("</script") == 1
    assert "<!--" not in page
    assert "<script" not in re.sub(r"\\<", "", markdown)
    commands = set(re.findall(r"\\([a-zA-Z]+)", latex))
    assert not commands & {"input", "write", "frac", "foo"}


def test_markdown_of_a_report_has_our_blocks_only(facts: Report) -> None:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(to_markdown(facts))
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "text_special", "strong_open", "strong_close"}
    assert "html_block" not in {token.type for token in tokens}


def test_the_policy_names_what_the_page_runs_and_applies(facts: Report) -> None:
    page = to_html(facts)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    for tag, rule in (("script", "script-src"), ("style", "style-src-elem")):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == [f"'sha256-{digest}'"]
    for name in ("default-src", "base-uri", "form-action"):
        assert rules[name] == ["'none'"]
    assert rules["img-src"] == ["data:"]


@pytest.mark.parametrize("shown", NAMES)
def test_a_name_is_drawn_as_it_is(shown: str) -> None:
    cm = oe.ConfusionMatrix([[5, 1, 0], [1, 4, 1], [0, 1, 5]], [shown, "b", "c"])
    two = {shown: cm, "other": cm}
    for display in (plots.ConfusionDisplay(cm, shown), plots.SignedErrorDisplay(cm, shown),
                    plots.UOCCurveDisplay(two), plots.ClassDistributionDisplay(two),
                    plots.PerformanceGridDisplay(two)):  # fmt: skip
        picture = drawn("x", display)
        tree = ElementTree.fromstring(picture.svg.replace("xlink:href", "href"))
        texts = "".join(tree.itertext())
        expected = " ".join(plots._style.short(shown, 14).split())
        assert expected in texts or plots._style.short(shown) in texts
        assert "\\$" not in picture.title


def test_a_legend_shows_names_that_begin_with_an_underscore() -> None:
    cm = oe.ConfusionMatrix([[5, 1], [1, 4]], ["a", "b"])
    for kind in (plots.UOCCurveDisplay, plots.ClassDistributionDisplay):
        drawing = kind({"_hidden": cm, "b": cm}).plot(ax=Figure().subplots())
        entries = [t.get_text().strip() for t in drawing.ax_.get_legend().get_texts()]
        assert any(entry.startswith("_hidden") for entry in entries)


def test_no_name_is_handed_to_latex() -> None:
    with mpl.rc_context({"text.usetex": True}):
        ax = Figure().subplots()
        plots.ConfusionDisplay(oe.ConfusionMatrix([[1, 2], [3, 4]], LEVELS[:2])).plot(ax=ax)
        assert not any(t.get_usetex() for t in ax.findobj(mpl.text.Text))
        assert mpl.rcParams["text.usetex"]


def test_threads_draw_as_one_does_alone() -> None:
    made = [comparison({"a": 0.9 - 0.05 * i, "b": 0.5}, ["x", "y", "z"], metrics=["cem_ord"])
            for i in range(2)]  # fmt: skip
    before = dict(mpl.rcParams)
    alone = [c.to_html() for c in made]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda c: c.to_html(), made * 2))
    assert together == alone * 2
    assert alone[0] != alone[1]
    assert dict(mpl.rcParams) == before


def test_settings_that_others_make_meanwhile_stay() -> None:
    before = mpl.rcParams["figure.dpi"], mpl.rcParams["font.size"]
    try:
        with plots._style.style():
            mpl.rcParams["figure.dpi"] = before[0] + 7
        assert mpl.rcParams["figure.dpi"] == before[0] + 7
        assert mpl.rcParams["font.size"] == before[1]
    finally:
        mpl.rcParams["figure.dpi"] = before[0]


TWICE = """
import hashlib, sys
sys.path[:0] = {path}
from test_safety import hostile
import ordeval as oe
from ordeval.report import summarise, to_html, to_json, to_latex, to_markdown
facts = summarise(hostile())
made = [render(facts) for render in (to_html, to_markdown, to_latex, to_json)]
made.append(oe.papers.reproduce("silva2018", figure=1).to_html())
made.append(oe.papers.reproduce("amigo2020", figure=1).to_html())
print([hashlib.sha256(text.encode()).hexdigest() for text in made])
"""


def test_two_runs_give_the_same_bytes() -> None:
    code = TWICE.format(path=[str(Path(__file__).parent), str(Path(oe.__file__).parents[1])])
    runs = [
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, text=True,
                       capture_output=True, check=True).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert runs[0].count("'") == 12


def test_a_picture_has_no_trace_of_when_and_where(facts: Report) -> None:
    for picture in facts.pictures:
        assert not re.search(r"<metadata|<style|20\d\d-\d\d|0x[0-9a-f]{6}", picture.svg)
        ids = re.findall(r'\bid="([^"]+)"', picture.svg)
        assert all(re.fullmatch(rf"{picture.name}-\d+", name) for name in ids)


def test_half_a_character_is_no_crash(tmp_path: Path) -> None:
    c = comparison({chr(0xDCFF): 0.9, "b": 0.5}, ["x", "y"], metrics=["cem_ord"])
    c.to_html(tmp_path / "report.html", title=chr(0xDCFF))
    assert r"\udcff" in (tmp_path / "report.html").read_text(encoding="utf-8")
