"""The front page of the site and the picture of the README: four models with the same accuracy."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import blocks
import cards
import numpy as np
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

import ordeval as oe

LOW, HIGH = 0.65, 0.90  # both scales
STEPS = (0.10, 0.25, 0.50, 0.75)  # of a row's items; the heat has a step between them
LEFT, CELL, GAP = 26, 38, 16  # of the picture, in pixels
STYLE = """
text{font:13px -apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif}
.t{font-weight:600;font-size:14px;fill:#12161c}.m{fill:#5c6674;font-size:12px}.r{text-anchor:end}
.c{text-anchor:middle}.v{fill:#0a5ea6;font-weight:700}.v.r{font-size:18px}.e{fill:#f5f7f9}
.b1{fill:#e4eff8}.b2{fill:#bcd8ee}.b3{fill:#82b6de}.b4{fill:#1f6fb0}.b5{fill:#0a4a80}
.o1{fill:#fcefe3}.o2{fill:#f9d7b8}.o3{fill:#f0a96c}.o4{fill:#b9530f}.o5{fill:#873703}
.n{fill:#12161c}.n4,.n5{fill:#fff}.d{fill:none;stroke:#9aa4b1}
@media(prefers-color-scheme:dark){.t{fill:#eceff3}.m{fill:#97a1af}.v{fill:#6cb6f5}.e{fill:#181d24}
.b1{fill:#152738}.b2{fill:#1a3d5f}.b3{fill:#1f5a90}.b4{fill:#4f9ddd}.b5{fill:#a5d2f8}
.o1{fill:#2c1e13}.o2{fill:#4a2c14}.o3{fill:#7a4215}.o4{fill:#e58a42}.o5{fill:#ffc795}
.n{fill:#eceff3}.n4,.n5{fill:#0c1014}.d{stroke:#5d6876}}
"""


def models() -> list[dict[str, Any]]:
    """The four models of the cards: their cells, accuracy and CEM, and where these lie."""
    found = []
    for name, counts in cards.FOUR.items():
        cm = oe.ConfusionMatrix(counts, labels=cards.STAGES)
        values = {"accuracy": oe.accuracy.from_confusion(cm), "cem": oe.cem_ord.from_confusion(cm)}
        at = {k: 100 * (v - LOW) / (HIGH - LOW) for k, v in values.items()}
        found.append({"name": name, "rows": _cells(np.asarray(counts)), "values": values, "at": at})
    return found


def _cells(counts: np.ndarray) -> list[dict[str, Any]]:
    shares = counts / counts.sum(axis=1, keepdims=True)
    return [
        {
            "level": level,
            "cells": [
                {"count": int(n), "step": _step(shares[i, j]), "right": i == j}
                for j, n in enumerate(counts[i])
            ],
        }
        for i, level in enumerate(cards.STAGES)
    ]


def _step(share: float) -> int:
    """The step of the heat, 1 to 5; 0 for an empty cell."""
    return 0 if share == 0 else 1 + sum(share >= edge for edge in STEPS)


def context(docs: Path) -> dict[str, Any]:
    """What the template of the front page shows."""
    (block,) = (b for b in blocks.blocks_of(docs / "index.md") if b.language == "python")
    *_, last = block.steps()
    code = "".join(step.source for step in block.steps())
    return {
        "models": models(),
        "levels": cards.STAGES,
        "patients": int(np.sum(next(iter(cards.FOUR.values())))),
        "low": f"{LOW:.2f}",
        "high": f"{HIGH:.2f}",
        "code": highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip(),
        "output": escape(last.expected.rstrip()),
    }


def picture() -> str:
    """The four models as an SVG that is readable at 800 pixels, light and dark."""
    k = len(cards.STAGES)
    width = LEFT + k * CELL
    parts = []
    for n, model in enumerate(models()):
        x = n * (width + GAP)
        parts.append(f'<g transform="translate({x} 0)">{_panel(model, k)}</g>')
    total, height = 4 * width + 3 * GAP, 22 + 22 + k * CELL + 60
    note = (
        f'<text class="m" x="{LEFT}" y="{height + 14}">100 patients; true stage in rows, '
        "predicted stage in columns. Blue is right, orange is wrong.</text>"
    )
    title = "Four models with accuracy 0.70 and different CEM"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height + 22}" '
        f'width="{total}" height="{height + 22}" role="img" aria-label="{title}">'
        f"<style>{STYLE.strip()}</style>{''.join(parts)}{note}</svg>\n"
    )


def _panel(model: dict[str, Any], k: int) -> str:
    top, right = 44, LEFT + k * CELL
    parts = [f'<text class="t" x="{LEFT}" y="15">{model["name"]}</text>']
    for j, level in enumerate(cards.STAGES):
        parts.append(f'<text class="m c" x="{LEFT + (j + 0.5) * CELL}" y="36">{level}</text>')
    for i, row in enumerate(model["rows"]):
        y = top + i * CELL
        parts.append(f'<text class="m r" x="{LEFT - 8}" y="{y + 24}">{row["level"]}</text>')
        for j, cell in enumerate(row["cells"]):
            x, size = LEFT + j * CELL, CELL - 1
            heat = f"{'b' if cell['right'] else 'o'}{cell['step']}" if cell["step"] else "e"
            parts.append(f'<rect class="{heat}" x="{x}" y="{y}" width="{size}" height="{size}"/>')
            if cell["right"]:
                parts.append(
                    f'<rect class="d" x="{x + 0.5}" y="{y + 0.5}" '
                    f'width="{size - 1}" height="{size - 1}"/>'
                )
            if cell["count"]:
                parts.append(
                    f'<text class="c n n{cell["step"]}" x="{x + size / 2}" y="{y + 24}">'
                    f"{cell['count']}</text>"
                )
    below = top + k * CELL
    for y, name, css in ((below + 22, "accuracy", "m"), (below + 46, "CEM", "v")):
        value = model["values"]["accuracy" if css == "m" else "cem"]
        parts.append(f'<text class="{css}" x="{LEFT}" y="{y}">{name}</text>')
        parts.append(f'<text class="{css} r" x="{right}" y="{y}">{value:.2f}</text>')
    return "".join(parts)


def write(docs: Path) -> None:
    """Write the picture that the README and the front page on a code host show."""
    (docs / "pictures" / "four.svg").write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parents[1])
