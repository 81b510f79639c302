"""Pages and pictures that are made from the library itself, before the site is built."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import blocks
import cards
import reference
from cards import table

from ordeval.inference.advice import CATALOGUE
from ordeval.measures import get_metric
from ordeval.papers import VERDICTS, Reproduction, Value, reproduce
from ordeval.papers._page import anchor
from ordeval.papers._values import PaperVerdict, sentence
from ordeval.papers.contents import CONTENTS, Passage
from ordeval.report import explore

WARNINGS_TEXT = """Results carry a code for what may mislead in them. In Python
`oe.explain("OE103")`, in the shell `ordeval explain OE103` shows the same text."""
PAPERS_TEXT = """The measures at the heart of ordeval come from five papers. `ordeval reproduce`
recomputes what they print and compares it value by value; this page was made by it. The
<a href="reproduced.html">whole reproduction</a> has every table, figure and note, and
[the list of passages](passages.md) says where each equation, table, figure and statement is
tried."""
PASSAGES_TEXT = """Every equation, algorithm, table, figure and statement of the five papers that
can be checked, where it is tried, and what comes of it; or why it is not. A test compares this list
with what `ordeval reproduce` returns: each passage is tried or says why not, and each value belongs
to a passage. The links lead to the <a href="reproduced.html">whole reproduction</a>."""
EXPLAINED: dict[PaperVerdict, str] = {
    "misprint": "Misprints:",
    "differs": "Something else comes out:",
    "not reproducible": "Not reproducible:",
}
LISTED = 4  # values that share a reason
LENGTH_TEXT = """Experiments that involve chance were repeated fewer times than in the papers;
`ordeval reproduce --full` repeats them at full length, which takes six minutes of computing in
place of one. Four values then get another verdict. In section 4.3 of Cardoso & Sousa, OC (β₂) of
oSVM comes close and oSVM is the best of the three; in their Table 6, the standard deviation of oSVM
on ESL differs, since three splits say less about it than 50; in Table II of Silva et al., R_s of
SVM on ESL comes close."""


def everything(docs: Path) -> None:
    """All that the pages need and that is made from the library."""
    # Not forked: the threads of the engines would leave their locks behind.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        papers = pool.submit(write_papers, docs)
        cards.write_cards(docs / "measures", pool)
        _write(docs / "warnings.md", warnings_page())
        for name, text in reference.pages().items():
            _write(docs / "api" / f"{name}.md", text)
        make_pictures(docs)
        papers.result()
    explore(cards.FOUR, docs / "_extra" / "explore.html", labels=cards.STAGES)


def write_papers(docs: Path) -> None:
    """Recompute the papers: their page here, and the whole of it as a page of its own."""
    found = reproduce()
    _write(docs / "papers.md", papers_page(found))
    _write(docs / "passages.md", passages_page(found))
    shutil.rmtree(docs / "_extra", ignore_errors=True)
    (docs / "_extra").mkdir()
    _write(docs / "_extra" / "reproduced.html", found.to_html())


def warnings_page() -> str:
    """The catalogue of advice, by code."""
    parts = [
        "# Warnings by code",
        WARNINGS_TEXT,
    ]
    for code, entry in CATALOGUE.items():
        parts += [f"({code.lower()})=", f"## {code}: {entry.title}", entry.meaning]
    return "\n\n".join(parts) + "\n"


def papers_page(found: Reproduction) -> str:
    """The five papers: how many of their values came out, and why the others did not."""
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
    """The five papers passage by passage: where each is tried, or why it is not."""
    parts = ["# The papers, passage by passage", PASSAGES_TEXT]
    for paper in found.papers:
        of_paper = [v for v in found.values if v.paper == paper.key]
        rows = [(p.place, p.what, *_tried(p, of_paper)) for p in CONTENTS[paper.key]]
        head = ("where", "what it holds", "tried in", "verdicts")
        parts += [f"## {paper.short}", table(head, rows)]
    return "\n\n".join(parts) + "\n"


def _tried(p: Passage, of_paper: list[Value]) -> tuple[str, str]:
    """Links to the exhibits that try a passage, and how many values have which verdict."""
    values = p.values(of_paper)
    if not values:
        return f"not tried: {p.why}", ""
    exhibits = dict.fromkeys((v.paper, v.exhibit) for v in values)
    links = [f'<a href="reproduced.html#{anchor(*e)}">{e[1]}</a>' for e in exhibits]
    counted = Counter(v.verdict for v in values)
    return ", ".join(links), ", ".join(f"{counted[v]} {v}" for v in VERDICTS if counted[v])


def _explained(found: Reproduction, key: str) -> list[str]:
    """What is not as printed, with the reason, one table for each verdict."""
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
    """Run the pages whose code draws, and put their pictures into ``pictures/``.

    These are kept in the repository, where the pages are read without being built.
    """
    os.environ["SOURCE_DATE_EPOCH"] = "0"  # the same drawing gives the same file
    with tempfile.TemporaryDirectory() as work:
        cards.draw(get_metric("cem_ord"), Path(work))
        for page in sorted(docs.rglob("*.md")):
            if "savefig(" in page.read_text(encoding="utf-8"):
                blocks.check_page(page, Path(work))
        # Only now: a page that is wrong must not cost the pictures of the others.
        for picture in Path(work).glob("*.svg"):
            shutil.copy(picture, docs / "pictures")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    everything(Path(__file__).parents[1])
