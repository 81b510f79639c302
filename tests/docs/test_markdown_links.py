"""Pages are read on a code host too: their links and pictures lead to files that are kept there."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
HTML = re.compile(r"(?:href|src)=[\"']([^\"']+)")


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a checkout")
    return done.stdout.splitlines()


def targets(text: str) -> Iterator[str]:
    """Where the links and pictures of a page lead."""
    for token in MarkdownIt().parse(text):
        if token.type == "html_block":
            yield from HTML.findall(token.content)
        for child in token.children or ():
            if child.type in ("link_open", "image"):
                yield str(child.attrs.get("href") or child.attrs.get("src"))
            elif child.type == "html_inline":
                yield from HTML.findall(child.content)


def anchors(page: Path) -> set[str]:
    """What a code host calls the headings of a page."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    titles = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page: str, files: set[str]) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in targets(text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = os.path.normpath(PurePosixPath(page).parent / path) if path else page
        if there not in files or (anchor and anchor not in anchors(ROOT / there)):
            found.append(target)
    return found


def test_every_link_of_every_page_leads_to_a_file_that_is_kept() -> None:
    files = tracked()
    pages = [f for f in files if f.endswith(".md")]
    assert len(pages) > 20
    found = {page: broken(page, set(files)) for page in pages}
    assert {page: links for page, links in found.items() if links} == {}
    assert sum(len([*targets((ROOT / page).read_text("utf-8"))]) for page in pages) > 50


def test_every_kept_picture_is_shown() -> None:
    files = tracked()
    texts = [(ROOT / f).read_text(encoding="utf-8") for f in files if f.endswith(".md")]
    shown = {Path(t).name for text in texts for t in targets(text)}
    assert {Path(f).name for f in files if f.startswith("docs/pictures/")} <= shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[x](docs/start.md) [y](https://example.org) [z](#here)\n\n# Here\n", []),
        ("[x](docs/warnings.md)", ["docs/warnings.md"]),
        ("![x](docs/pictures/none.svg)", ["docs/pictures/none.svg"]),
        ("[x](docs/start.md#nowhere)", ["docs/start.md#nowhere"]),
        ("[x](#nowhere)", ["#nowhere"]),
        ('<img src="none.png">', ["none.png"]),
        ("`[x](none.md)`\n\n```\n[x](none.md)\n```\n", []),
    ],
)
def test_links_that_lead_nowhere_are_found(
    text: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"docs/start.md", "page.md"}
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "start.md").write_text("# Start\n")
    (tmp_path / "page.md").write_text(text)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert broken("page.md", files) == found
