"""Checks a built site: every link inside it leads somewhere, and no page loads from elsewhere.

python docs/_tools/links.py docs/_build/html
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADS = ("src", "srcset", "poster", "data", "background")  # attributes of any tag
STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^\"')\s]+")


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") != "canonical":
            self.loads.append(given.get("href", ""))
        elif tag != "a":
            self.loads += [given[name].split()[0] for name in LOADS if given.get(name)]


def problems(site: Path) -> Iterator[str]:
    """What is wrong with a site, a line each."""
    pages = sorted(site.rglob("*.html"))
    if not pages:
        yield f"{site}: no pages"
    for path in pages:
        page = _read(path)
        for target in page.loads:
            if urlsplit(target).netloc:
                yield f"{path.relative_to(site)}: loads {target}"
        for found in STYLES.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads {found}"
        for target in (*page.links, *page.loads):
            if not _leads_somewhere(path, target):
                yield f"{path.relative_to(site)}: broken link {target}"


@cache
def _read(path: Path) -> _Page:
    return _Page(path.read_text(encoding="utf-8"))


def style_problems(site: Path) -> Iterator[str]:
    """Style sheets that load from elsewhere."""
    for path in sorted(site.rglob("*.css")):
        for found in STYLES.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads {found}"


def _leads_somewhere(path: Path, target: str) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return parts.scheme in ("http", "https", "mailto", "data")
    file, anchor = urldefrag(target)
    there = (path.parent / unquote(urlsplit(file).path)).resolve() if file else path
    if not there.is_file():
        return False
    if "=" in anchor:  # what the page is to show, such as a matrix to explore
        return True
    return not anchor or there.suffix != ".html" or unquote(anchor) in _read(there).anchors


if __name__ == "__main__":
    site = Path(sys.argv[1])
    found = [*problems(site), *style_problems(site)]
    print("\n".join(found) or "Every link leads somewhere, and nothing is loaded from elsewhere.")
    sys.exit(bool(found))
