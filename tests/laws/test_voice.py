"""Text for people is plain English: phrases that must not come back, and facts that it states."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ordeval as oe

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "ordeval"
TEMPLATES = SOURCE / "report" / "templates"
PHRASES = [
    line.split("  # ")[0]
    for line in (ROOT / "tests/laws/phrases.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
MADE = {"api", "measures", "_build", "cli.md", "papers.md", "passages.md", "warnings.md"}
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
PAGES = [p for p in PAGES if not MADE & set(p.relative_to(ROOT).parts)]
CODE = sorted(SOURCE.rglob("*.py"))


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """The constants of a module that are docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def in_code(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings, comments and strings with blanks of a module, by line."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def texts() -> Iterator[tuple[str, str]]:
    """Everything that people read: pages, docstrings, comments, messages, templates."""
    for path in PAGES:
        yield path.name, path.read_text(encoding="utf-8")
    for path in CODE:
        for line, text in in_code(path):
            yield f"{path.relative_to(SOURCE)}:{line}", text
    for path in TEMPLATES.iterdir():
        yield path.name, path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def everything() -> list[tuple[str, str]]:
    found = [(place, " ".join(text.split())) for place, text in texts()]
    assert len(found) > 3000
    return found


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_does_not_come_back(phrase: str, everything: list[tuple[str, str]]) -> None:
    pattern = re.compile(phrase, re.IGNORECASE)
    found = [(place, m[0]) for place, text in everything for m in pattern.finditer(text)]
    assert found == []


def test_a_phrase_is_found_across_lines() -> None:
    pattern = re.compile(PHRASES[0], re.IGNORECASE)
    assert pattern.search(" ".join(["Two", "models", "that", "Cannot", "be", "told", "apart."]))


def test_a_percent_sign_follows_its_number(everything: list[tuple[str, str]]) -> None:
    found = [
        (place, m[0])
        for place, text in everything
        if not place.endswith(".html")  # its tags end in a percent sign
        for m in re.finditer(r"\d %(?!\w| ?\d)", text)
    ]
    assert found == []


def test_pages_use_the_name_of_the_default_measure() -> None:
    shown = [p.name for p in PAGES if "closeness" in p.read_text(encoding="utf-8").lower()]
    assert {"README.md", "start.md", "glossary.md"} <= set(shown)


def test_the_default_interval_draws_nothing() -> None:
    """As the page on your own measure says: one item is removed from each cell."""
    stacks = []

    def spy(n: np.ndarray) -> np.ndarray:
        stacks.append(int(np.prod(n.shape[:-2])))
        return np.trace(n, axis1=-2, axis2=-1) / n.sum(axis=(-2, -1))

    oe.register(
        name="spied_accuracy", symbol="spy", family="accuracy", best=1, range=(0, 1),
        greater_is_better=True, symmetric=True, reversal_invariant=True,
        depends_on_empty_levels=False, undefined_when="there are no items", reference="Test 2026",
    )(spy)  # fmt: skip
    try:
        oe.confidence_interval("spied_accuracy", [[26, 4, 1], [3, 5, 4], [0, 3, 10]])
    finally:
        oe.unregister("spied_accuracy")
    assert max(stacks) <= 9


def test_pages_count_the_measures_right() -> None:
    families = [m.family for m in oe.metrics()]
    text = (ROOT / "docs/concepts/one-sentence.md").read_text(encoding="utf-8")
    said = re.search(r"ordeval has (\d+) of those: (\d+) .*?(\d+) .*?(\d+) ", text, re.DOTALL)
    assert said is not None
    by_family = [families.count(f) for f in ("probability", "ranking", "distribution")]
    assert [int(n) for n in said.groups()] == [sum(by_family), *by_family]


def test_the_caveat_about_the_package_index_is_said() -> None:
    for page in ("README.md", "docs/install.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert text.count("not on a package index yet") == 1


def test_methods_that_the_help_offers_are_accepted() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ordeval.cli", "compare", "--help"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    offered = re.search(r"--method.*?(?=\n  -)", done.stdout, re.DOTALL)
    assert offered is not None
    assert "bayes" not in offered[0]


def test_no_advice_to_drop_all_items() -> None:
    with pytest.raises(oe.LabelError) as error:
        oe.score(["i", "ii"] * 5, ["i", "ii"] * 5, labels=["I", "II"])
    assert "drop" not in str(error.value)
