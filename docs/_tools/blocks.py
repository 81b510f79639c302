"""Code blocks of the pages: run them, compare with the output shown, or write the real output.

    python docs/_tools/blocks.py docs/start.md ...            writes the real output into the pages
    python docs/_tools/blocks.py --check docs/start.md ...    exits with 1 where a page is wrong

Blocks of one page share names and a folder, in the order of the page. Prompts are Python's ``>>>``
and the shell's ``$``; what follows a prompt is its output, where ``...`` stands for anything.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from markdown_it import MarkdownIt

from ordeval.cli import main as main_of_ordeval
from ordeval.exceptions import OrdevalWarning

ROOT = Path(__file__).parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
# Installing and the README's two commands are run by continuous integration.
SETUP = re.compile(r"(pip install [\"\w\[\],.]+|make \w+)( +#.*)?")
RUN_ELSEWHERE = ("{code-block}", "{code}", "{sourcecode}", "{doctest}", "{testcode}")
TIMEOUT = 300  # seconds of one command
WIDTH = 92
# The draws of a seed differ between releases of NumPy; the pages were written with this one.
EXACT = np.__version__.startswith("2.4.")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_TYPED = {
    "python": re.compile(r"^>>> .*\n(^\.\.\.( .*)?\n)*", re.M),
    "console": re.compile(r"^\$ (.*\\\n)*.*\n", re.M),
}
_SHELL = re.compile(r"[|;&<>$`*]")  # what only a shell understands
_PROMPT = re.compile(r"^(>>>|\.\.\.|\$) ?", re.M)


class BlockError(AssertionError):
    """A block whose output is not what the page shows."""


@dataclass(frozen=True)
class Step:
    """What is typed after one prompt, as the page shows it, and the output shown."""

    shown: str
    source: str
    expected: str


@dataclass(frozen=True)
class Block:
    """One fenced block of a page; its text begins at a line that is counted from 1."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        """The page and the line."""
        return f"{self.page.name}, line {self.line}"

    def steps(self) -> list[Step]:
        """The prompts of the block."""
        return _steps(self.text, _TYPED[self.language])


def blocks_of(page: Path) -> Iterator[Block]:
    """Every code block of a page; directives such as ``{include}`` are none."""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type not in ("fence", "code_block"):
            continue
        language, _, _ = token.info.strip().partition(" ")
        first = (token.map or [0])[0]
        if language.startswith("{") and language not in RUN_ELSEWHERE:
            continue
        block = Block(page, first + 2, language, token.content)
        if token.type == "code_block" or token.markup != "```" or token.level:
            raise BlockError(f"{block.where}: a block is fenced by three backticks at the margin")
        yield block


def run_page(page: Path, folder: Path) -> dict[Block, str]:
    """Run the blocks of a page in a folder; each block as it should read."""
    names: dict[str, Any] = {"__name__": "__main__"}
    (folder / "examples").exists() or (folder / "examples").symlink_to(ROOT / "examples")
    wide = {"COLUMNS": str(WIDTH), "NO_COLOR": "1"}  # results are as wide as the terminal
    with contextlib.chdir(folder), mock.patch.dict(os.environ, wide):
        return {block: _run(block, names) for block in blocks_of(page)}


def check_page(page: Path, folder: Path) -> None:
    """Raise a BlockError for the first block that does not show its output."""
    for block, real in run_page(page, folder).items():
        if not _same(block, real):
            raise BlockError(f"{block.where}: the page shows\n{block.text}\nbut it is\n{real}")


def refresh_page(page: Path) -> None:
    """Write the real output into a page."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        found = run_page(page, Path(folder))
    for block, real in reversed(found.items()):  # from the end, so that lines keep their numbers
        if not _same(block, real) or not _elides(block):
            first = block.line - 1
            lines[first : first + block.text.count("\n")] = [real]
    page.write_text("".join(lines), encoding="utf-8")


def _same(block: Block, real: str) -> bool:
    if block.language not in _TYPED or block.text == real:
        return block.text == real
    checker = doctest.OutputChecker()
    real_steps = Block(block.page, block.line, block.language, real).steps()
    return all(
        checker.check_output(shown.expected, found.expected, FLAGS)
        or (not EXACT and _nearly(shown.expected, found.expected))
        for shown, found in zip(block.steps(), real_steps, strict=True)
    )


def _elides(block: Block) -> bool:
    """Whether the page leaves something out, which the real output would bring back."""
    return block.language in _TYPED and any("..." in step.expected for step in block.steps())


def _nearly(shown: str, found: str) -> bool:
    """The same words, with numbers that differ by no more than other draws explain."""
    a, b = (_NUMBER.findall(text) for text in (shown, found))
    words = [_NUMBER.sub("#", text).split() for text in (shown, found)]
    return words[0] == words[1] and all(
        math.isclose(float(x), float(y), rel_tol=0.1, abs_tol=0.01)
        for x, y in zip(a, b, strict=True)
    )


def _run(block: Block, names: dict[str, Any]) -> str:
    if block.language == "python" and ">>>" not in block.text:
        exec(compile(block.text, f"{block.page.name}:{block.line}", "exec"), names)
        return block.text
    if block.language == "python":
        return _joined(block, [_python_output(step.source, names) for step in block.steps()])
    if block.language == "console":
        return _joined(block, [_shell_output(step) for step in block.steps()])
    if block.language == "sh":
        for line in block.text.splitlines():
            if not SETUP.fullmatch(line):
                raise BlockError(f"{block.where}: {line!r} is not run by anything")
        return block.text
    _parse(block)
    return block.text


def _parse(block: Block) -> None:
    """Text in other languages is at least well-formed."""
    if block.language == "yaml":
        import yaml

        yaml.safe_load(block.text)
    elif block.language == "toml":
        import tomllib

        tomllib.loads(block.text)
    elif block.language == "text" and re.search(r"^(\$ )?ordeval ", block.text, re.M):
        raise BlockError(f"{block.where}: a command that is not run; make the block a console")
    elif block.language != "text":
        raise BlockError(f"{block.where}: nothing runs {block.language!r}")


def _joined(block: Block, outputs: list[str]) -> str:
    return "".join(
        step.shown + _with_newline(out) for step, out in zip(block.steps(), outputs, strict=True)
    )


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _steps(text: str, typed: re.Pattern[str]) -> list[Step]:
    """What is typed, and the output up to the next prompt."""
    starts = [*typed.finditer(text)]
    if text.strip() and (not starts or starts[0].start() != 0):
        raise BlockError(f"a block starts without a prompt:\n{text}")
    ends = [match.start() for match in starts[1:]] + [len(text)]
    steps = [
        Step(match[0], _PROMPT.sub("", match[0]), text[match.end() : end])
        for match, end in zip(starts, ends, strict=True)
    ]
    if any(step.expected.strip() == "..." for step in steps):
        raise BlockError(f"an output that may be anything:\n{text}")
    return steps


def _python_output(source: str, names: dict[str, Any]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", OrdevalWarning)
        try:
            exec(compile(source, "<page>", "single"), names)
        except (Exception, SystemExit) as error:
            kind = traceback.format_exception_only(error)
            return _folded("Traceback (most recent call last):\n    ...\n" + "".join(kind))
    warned = "".join(f"{w.category.__name__}: {w.message}\n" for w in said)
    return _folded(warned + out.getvalue())


def _shell_output(step: Step) -> str:
    if step.source.startswith("ordeval ") and not _SHELL.search(step.source):
        code, printed = _command_output(shlex.split(step.source.replace("\\\n", " ")))
    else:
        code, printed = _bash_output(step.source)
    if code and not printed:
        return f"(nothing is printed, and the exit code is {code})"
    return _folded(printed)


def _command_output(words: list[str]) -> tuple[int, str]:
    """Exit code and output of the command, without the cost of another interpreter."""
    out = io.StringIO()
    with (
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        try:
            main_of_ordeval()
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def _bash_output(source: str) -> tuple[int, str]:
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", source],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PATH": here},
        timeout=TIMEOUT,
        check=False,
    )
    return done.returncode, done.stdout


def _folded(text: str) -> str:
    """Long sentences on several lines; a table, which has gaps, stays as it is."""
    lines = (line.rstrip() for line in text.rstrip().splitlines())
    return "\n".join(
        line if "  " in line.lstrip() else textwrap.fill(line, WIDTH) for line in lines
    )


def main(arguments: list[str]) -> None:
    """Refresh the pages, or check them."""
    check = "--check" in arguments
    for page in (Path(name).resolve() for name in arguments if name != "--check"):
        if not check:
            refresh_page(page)
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_page(page, Path(folder))
            except BlockError as error:
                print(error)
                sys.exit(1)
            print(f"{sum(1 for _ in blocks_of(page))} blocks are right")


if __name__ == "__main__":
    main(sys.argv[1:])
