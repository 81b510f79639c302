"""Tables that a confusion matrix writes as text, Markdown or LaTeX, read back with their escapes.

Their form is known, so names may hold what separates the fields of other texts: commas, brackets,
percent signs, or the name of a total.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from ordeval._shared.latex import LATEX
from ordeval._shared.numbers import is_number
from ordeval.data.text.pasted_matrices import Pasted

_TITLE: Final = re.compile(r"ConfusionMatrix of .*, rows truth, columns prediction")
_RULE: Final = re.compile(r"[ |:-]+")
_RULES: Final = re.compile(r"\\(?:top|mid|bottom)rule\s*\n")
_KIND: Final = '"ordeval.confusion_matrix"'
_PLAIN: Final = {command: text for text, command in LATEX.items()}
_COMMANDS: Final = re.compile("|".join(map(re.escape, sorted(_PLAIN, key=len, reverse=True))))


def own_matrix(text: str) -> Pasted | None:
    """The matrix of a text that a confusion matrix wrote; None if it is another text."""
    text = text.replace("\r\n", "\n")
    if not _TITLE.search(text):
        return None
    if r"\toprule" in text:
        return _of_latex(text)
    lines = [x for x in text.split("\n") if x.strip() and not _TITLE.fullmatch(x)]
    marked = [x for x in lines if x.startswith("|")]
    if marked:
        return _of_markdown([x for x in marked if not _RULE.fullmatch(x)])
    return _of_lines(lines)


def own_levels(text: str) -> list[str]:
    """The levels of JSON that a confusion matrix wrote, letter by letter; of other texts none."""
    if _KIND not in text:
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    levels = found.get("scale") if isinstance(found, dict) else None
    return list(map(str, levels)) if isinstance(levels, list) else []


def _of_markdown(lines: Sequence[str]) -> Pasted | None:
    rows = [re.split(r"(?<!\\)\|", x.strip())[1:-1] for x in lines]
    return _square([[re.sub(r"\\(.)", r"\1", x.strip()) for x in row] for row in rows])


def _of_latex(text: str) -> Pasted | None:
    parts = _RULES.split(text)
    if len(parts) != 4:
        return None
    lines = [x.removesuffix(r"\\") for x in (parts[1] + parts[2]).split("\n") if x]
    rows = [re.split(r"(?<!\\)&", x) for x in lines]
    return _square([[_without_commands(x.strip()) for x in row] for row in rows])


def _without_commands(text: str) -> str:
    return _COMMANDS.sub(lambda found: _PLAIN[found[0]], text)


def _of_lines(lines: Sequence[str]) -> Pasted | None:
    """The matrix of aligned columns: each line ends in as many numbers as there are lines."""
    k = len(lines) - 1
    rows = [x.rsplit(None, k) for x in lines[1:]]
    names = [row[0].strip() for row in rows]
    if " ".join(names).split() != lines[0].split():
        return None
    return _square([["", *names], *rows])


def _square(rows: Sequence[Sequence[str]]) -> Pasted | None:
    """The counts below and beside their names; None if they form no square."""
    (_, *above), *below = rows
    names, counts = [row[0].strip() for row in below], tuple(tuple(row[1:]) for row in below)
    sound = all(len(row) == len(names) and all(map(is_number, row)) for row in counts)
    if names != above or len(set(names)) < len(names) or not sound:
        return None
    return Pasted(tuple(names), counts)
