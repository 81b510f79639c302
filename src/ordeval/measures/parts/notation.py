"""The letters used in all formulas, for pages that show formulas; nothing is computed here.

Each line of ``notation.txt`` holds LaTeX (a symbol or a definition) and its meaning. Other letters
are defined in the formula that uses them.
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
NOTATION: dict[str, str] = dict(line.split(" // ", 1) for line in _LINES)
