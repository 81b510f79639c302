"""Formulas as MathML, which browsers draw themselves."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def setup(app: Any) -> None:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: Any) -> None:
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula" tabindex="0">{formula}</div>')
    raise nodes.SkipNode
