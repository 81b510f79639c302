"""Reports on a comparison: the facts, and their formats."""

from ordeval.report.docx import to_docx
from ordeval.report.explorer import explore
from ordeval.report.facts import Report, summarise
from ordeval.report.items import CellItems, cell_items
from ordeval.report.leaderboard import leaderboard
from ordeval.report.render import to_html, to_json, to_latex, to_markdown

__all__ = [
    "CellItems",
    "Report",
    "cell_items",
    "explore",
    "leaderboard",
    "summarise",
    "to_docx",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
]
