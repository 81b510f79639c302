"""Every code block of the README and of the pages runs and shows its real output."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import blocks
import pytest
import yaml

import ordeval as oe
from ordeval.cli import names

ROOT = Path(__file__).parents[2]
MADE = {"api", "measures", "cli.md"}  # made from the library
PAGES = sorted(
    [ROOT / "README.md"]
    + [
        p
        for p in (ROOT / "docs").rglob("*.md")
        if not MADE & set(p.relative_to(ROOT / "docs").parts)
    ]
)
INTEGRATIONS = ("evaluate", "inspect_ai", "lightgbm", "mlflow", "torchmetrics", "xgboost")
APART = {"inspect", "integrations", "spark"}  # pages that set up trackers and start engines
# An engine for 480 rows: no pages to look at, few parts, little compiling.
SPARK = """
spark.ui.enabled false
spark.sql.shuffle.partitions 1
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
"""


def _lacks(*modules: str) -> bool:
    return any(importlib.util.find_spec(m) is None for m in modules)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_show_their_real_output(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(
        "Bug in ordeval|IndexError|KeyError|NameError|AttributeError: .*ordeval", text
    )
    assert len(list(blocks.blocks_of(page))) == text.count("\n```") // 2 - text.count("\n```{")
    if page.stem not in APART:
        blocks.check_page(page, tmp_path)
        return
    if (
        page.stem in ("inspect", "integrations")
        and _lacks(*INTEGRATIONS)
        and "CI" not in os.environ
    ):
        pytest.skip("the extra `integrations` is not installed")
    (tmp_path / "spark-defaults.conf").write_text(SPARK)
    command = [sys.executable, blocks.__file__, "--check", page]
    settings = os.environ | {"SPARK_CONF_DIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings)
    assert done.returncode == 0, done.stdout or done.stderr[-4000:]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_names_in_the_text_exist(page: Path) -> None:
    prose = re.sub(r"```.*?\n```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for path in re.findall(r"`oe\.([a-zA-Z_.]*\w)", prose):
        found: object = oe
        for name in path.split("."):
            assert hasattr(found, name), f"oe.{path}"
            found = getattr(found, name)
    for command in re.findall(r"`ordeval ([a-z-]+)", prose):
        assert command in names(), f"ordeval {command}"


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def _check(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ROOT", folder)
    (folder / "work").mkdir()
    blocks.check_page(_page(folder, text), folder / "work")


@pytest.mark.parametrize(
    "text",
    [
        "```python\n>>> 1 + 1\n2\n>>> print('a\\n\\nb')\na\n\nb\n```\n",
        "```python\nx = 3\n```\n\ntext\n\n```python\n>>> x\n3\n```\n",
        "```python\n>>> 1 / 0\nTraceback (most recent call last):\n    ...\nZero...: ...\n```\n",
        "```console\n$ echo one \\\n    two\none two\n$ false; echo $?\n1\n```\n",
        "```sh\npip install ordeval\nmake demo\n```\n",
        "```yaml\na: [1, 2]\n```\n",
    ],
    ids=["python", "shared", "error", "console", "setup", "yaml"],
)
def test_right_blocks_pass(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(tmp_path, text, monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\n>>> 1 + 1\n```\n",
        "```python\n>>> x = 1 / 0\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\none\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ echo one\n...\n```\n",
        "```sh\ncurl example.org\n```\n",
        "```sh\npip install x && rm -r y\n```\n",
        "```\nno language\n```\n",
        "```text\nordeval score preds.csv\n```\n",
        "```rust\nfn main() {}\n```\n",
        "~~~python\n>>> 1\n1\n~~~\n",
        "- a\n\n  ```python\n  >>> 1\n  1\n  ```\n",
        "text\n\n    >>> 1\n    1\n",
        "```{code-block} python\n>>> 1\n1\n```\n",
        "```python\n>>> raise SystemExit(0)\n```\n",
    ],
)
def test_wrong_blocks_are_found(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(blocks.BlockError):
        _check(tmp_path, text, monkeypatch)


def test_ill_formed_yaml_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(yaml.YAMLError):
        _check(tmp_path, "```yaml\na: [1\n```\n", monkeypatch)


def test_other_draws_are_tolerated_where_numpy_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "EXACT", False)
    block = blocks.Block(ROOT, 1, "python", ">>> x\nlogistic 0.681 [0.665, 0.697]\n")
    assert blocks._same(block, ">>> x\nlogistic 0.681 [0.664, 0.696]\n")
    assert not blocks._same(block, ">>> x\nforest 0.681 [0.664, 0.696]\n")
    assert not blocks._same(block, ">>> x\nlogistic 0.781 [0.664, 0.696]\n")
    monkeypatch.setattr(blocks, "EXACT", True)
    assert not blocks._same(block, ">>> x\nlogistic 0.681 [0.664, 0.696]\n")


def test_refresh_writes_the_real_output(tmp_path: Path) -> None:
    page = _page(tmp_path, "```python\n>>> 1 + 1\n>>> 2 * 3\n7\n```\nrest\n")
    blocks.refresh_page(page)
    assert page.read_text() == "```python\n>>> 1 + 1\n2\n>>> 2 * 3\n6\n```\nrest\n"


def test_refresh_tells_equal_blocks_apart(tmp_path: Path) -> None:
    first = "```python\n>>> x = globals().get('x', 0) + 1; x\n1\n```\n"
    page = _page(tmp_path, f"{first}and\n\n{first}")
    blocks.refresh_page(page)
    second = first.replace("x\n1\n", "x\n2\n")
    assert page.read_text() == f"{first}and\n\n{second}"
