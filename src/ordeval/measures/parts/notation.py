"""The letters that all formulas share, for pages that show formulas; nothing computes here.

``notation.txt`` has a line for each: LaTeX, which is a symbol or a symbol with its definition, and
what it means. Other letters are defined in the formula that uses them.
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
NOTATION: dict[str, str] = dict(line.split(" // ", 1) for line in _LINES)
