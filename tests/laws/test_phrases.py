"""Text for people is plain English: phrases that must not come back, one sign for per cent."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PHRASES = {
    phrase: instead
    for line in Path(__file__).with_name("phrases.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for phrase, _, instead in [line.partition("  # ")]
}
MADE = {"api", "cli", "measures", "papers", "passages", "warnings", "_build"}  # generated
PAGES = [
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(
        p
        for p in (ROOT / "docs").rglob("*.md")
        if not MADE & {*p.relative_to(ROOT / "docs").with_suffix("").parts}
    ),
]
TEMPLATES = [
    *(ROOT / "src").rglob("*.html"),
    *(ROOT / "src").rglob("*.js"),
    *(ROOT / "docs" / "_templates").rglob("*.html"),
]
MODULES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs" / "_tools").glob("*.py")]


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def texts_of(path: Path) -> Iterator[str]:
    """What a module says to people: its comments, and its strings, joined over lines."""
    source = path.read_text(encoding="utf-8")
    said: list[str] = []
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            text = re.sub(r'^[rbuf]*("""|"|\')|("""|"|\')$|^# ?', "", token.string)
            said.append(text)
        elif token.type == tokenize.NAME or (token.type == tokenize.OP and token.string in ",)=:]"):
            yield in_one_line("".join(said))  # the fields of an f-string end a text, too
            said = []
    yield in_one_line("".join(said))


ANY = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)


def found_in(text: str) -> list[str]:
    if not ANY.search(text):
        return []
    return [phrase for phrase in PHRASES if re.search(phrase, text, re.IGNORECASE)]


@pytest.mark.parametrize("path", PAGES + TEMPLATES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_are_plain_english(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        text = text.partition("\n## 0.2.0")[0]
    assert not found_in(in_one_line(text))
    prose = re.sub(r"```.*?\n```|{%.*?%}", "", text, flags=re.DOTALL)  # neither code nor tags
    assert not re.search(r"\d %", prose), "write 95%, not 95 %"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_are_plain_english(path: Path) -> None:
    wrong = [(phrase, text[:200]) for text in texts_of(path) for phrase in found_in(text)]
    assert not wrong


def test_every_phrase_says_what_to_write_instead() -> None:
    assert len(PHRASES) >= 40
    assert all(phrase and instead for phrase, instead in PHRASES.items())


def test_a_phrase_across_lines_is_found(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text('x = 1\nsaid = (\n    f"models {x} that cannot be "\n    "told apart"\n)\n')
    assert [found_in(text) for text in texts_of(module) if found_in(text)] == [[r"\btold apart\b"]]
    module.write_text('def f():\n    """It may be\n    the best."""\n')
    assert any(found_in(text) for text in texts_of(module))
    module.write_text("# the luck of the draw\n")
    assert any(found_in(text) for text in texts_of(module))
