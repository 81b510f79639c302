"""Make pages and pictures from the library before the site is built."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import blocks
import cards
import commands
import landing
import reference
from cards import table

from ordeval.inference.advice import CATALOGUE
from ordeval.papers import VERDICTS, Reproduction, Value, reproduce
from ordeval.papers._page import anchor
from ordeval.papers._values import PaperVerdict, sentence
from ordeval.papers.contents import CONTENTS, Passage
from ordeval.report import explore

WARNINGS_TEXT = """Results mark each caveat with a code. `oe.explain("OE103")` in Python and
`ordeval explain OE103` in the shell show the same text."""
PAPERS_TEXT = """The central measures of ordeval come from five papers. `ordeval reproduce`
recomputes their printed values and compares them one by one; this page shows its result. The
<a href="reproduced.html">full reproduction</a> has every table, figure and note, and
[the list of passages](passages.md) says where each equation, table, figure and statement is
checked. Cardoso & Sousa suggest to design classifiers by a measure:
[an experiment](concepts/design.md) tries that."""
PASSAGES_TEXT = """This list has every equation, algorithm, table, figure and statement of the five
papers that can be checked, with the place of the check and its result, or the reason why it is not
checked. A test compares the list with the values of `ordeval reproduce`. The links lead to the
<a href="reproduced.html">full reproduction</a>."""
EXPLAINED: dict[PaperVerdict, str] = {
    "misprint": "Misprints:",
    "differs": "Different values:",
    "not reproducible": "Not reproducible:",
}
LISTED = 4  # values that share a reason
LENGTH_TEXT = """Random experiments were repeated fewer times than in the papers.
`ordeval reproduce --full` repeats them as often as the papers do, which takes six minutes instead
of one. Four values then get another verdict. In section 4.3 of Cardoso & Sousa, OC (β₂) of
oSVM is close and oSVM is the best of the three; in their Table 6, the standard deviation of oSVM
on ESL differs, because three splits estimate it less precisely than 50; in Table II of Silva et
al., R_s of SVM on ESL is close."""


def everything(docs: Path) -> None:
    """Write everything that the pages need from the library."""
    # Not forked: the threads of the engines would leave their locks behind.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        papers = pool.submit(write_papers, docs)
        cards.write_cards(docs / "measures", pool)
        _write(docs / "warnings.md", warnings_page())
        _write(docs / "cli.md", commands.page())
        landing.write(docs)
        write_validation(docs)
        for name, text in reference.pages().items():
            _write(docs / "api" / f"{name}.md", text)
        make_pictures(docs)
        papers.result()
    explore(cards.FOUR, docs / "_extra" / "explore.html", labels=cards.STAGES)


def write_papers(docs: Path) -> None:
    """Recompute the papers and write their pages."""
    found = reproduce()
    _write(docs / "papers.md", papers_page(found))
    _write(docs / "passages.md", passages_page(found))
    shutil.rmtree(docs / "_extra", ignore_errors=True)
    (docs / "_extra").mkdir()
    _write(docs / "_extra" / "reproduced.html", found.to_html())


def write_validation(docs: Path) -> None:
    """Write the tables of the coverage simulation, which the page on validation links to."""
    sys.path.insert(0, str(docs.parent))
    from benchmarks.coverage import pages, record

    pages.write_tables(record.read(), docs / "_tables")


def warnings_page() -> str:
    """Return the catalogue of advice, by code."""
    parts = [
        "# Warnings by code",
        WARNINGS_TEXT,
    ]
    for code, entry in CATALOGUE.items():
        parts += [f"({code.lower()})=", f"## {code}: {entry.title}", entry.meaning]
    return "\n\n".join(parts) + "\n"


def papers_page(found: Reproduction) -> str:
    """Return the page of the five papers: how many values agree, and why the others do not."""
    counted = {p.key: Counter[str]() for p in found.papers}
    for value in found.values:
        counted[value.paper][value.verdict] += 1
    rows = [
        (f"[{p.short}](#{p.key})", *(str(counted[p.key][v]) for v in VERDICTS))
        for p in found.papers
    ]
    parts = [
        "# The five papers",
        PAPERS_TEXT,
        table(("paper", *VERDICTS), rows),
        "\n".join(f"- **{verdict}**: {text}." for verdict, text in VERDICTS.items()),
        LENGTH_TEXT,
    ]
    for paper in found.papers:
        parts += [f"({paper.key})=", f"## {paper.short}", f"{paper.citation}", paper.about]
        parts += _explained(found, paper.key)
    return "\n\n".join(parts) + "\n"


def passages_page(found: Reproduction) -> str:
    """Return the page of the passages: where each is checked, or why it is not."""
    parts = ["# The papers, passage by passage", PASSAGES_TEXT]
    for paper in found.papers:
        of_paper = [v for v in found.values if v.paper == paper.key]
        rows = [(p.place, p.what, *_tried(p, of_paper)) for p in CONTENTS[paper.key]]
        head = ("place", "content", "checked in", "verdicts")
        parts += [f"## {paper.short}", table(head, rows)]
    return "\n\n".join(parts) + "\n"


def _tried(p: Passage, of_paper: list[Value]) -> tuple[str, str]:
    """Links to the exhibits that check a passage, and the number of values by verdict."""
    values = p.values(of_paper)
    if not values:
        return f"not checked: {p.why}", ""
    exhibits = dict.fromkeys((v.paper, v.exhibit) for v in values)
    links = [f'<a href="reproduced.html#{anchor(*e)}">{e[1]}</a>' for e in exhibits]
    counted = Counter(v.verdict for v in values)
    return ", ".join(links), ", ".join(f"{counted[v]} {v}" for v in VERDICTS if counted[v])


def _explained(found: Reproduction, key: str) -> list[str]:
    """The values that differ from the print, with the reason, one table for each verdict."""
    parts = []
    for verdict, heading in EXPLAINED.items():
        rows = [
            # Two hyphens would become a dash, and an option of the command is not one.
            (f"{e.exhibit}. {e.listed(LISTED)}", sentence(e.note).replace("--", r"\-\-"))
            for e in found.explanations(verdict)
            if e.paper == key
        ]
        parts += [heading, table(("where, printed → computed", "why"), rows)] if rows else []
    return parts


def make_pictures(docs: Path) -> None:
    """Run the pages whose code draws, and copy their pictures to ``pictures/``.

    The pictures are kept in the repository, so that a code host can show the pages.
    """
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # the same drawing gives the same file
    with tempfile.TemporaryDirectory() as work:
        for page in sorted(docs.rglob("*.md")):
            if "savefig(" in page.read_text(encoding="utf-8"):
                blocks.check_page(page, Path(work))
        # Last, so that a wrong page does not cost the pictures of the others.
        for picture in Path(work).glob("*.svg"):
            shutil.copy(picture, docs / "pictures")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    everything(Path(__file__).parents[1])
