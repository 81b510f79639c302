"""One table in many formats: text, Markdown, LaTeX, CSV, HTML and Rich. Renders; computes nothing.

The content of a table may come from an untrusted file. Formats for readers show it as text: what
is not seen is written out, what the format would act on is escaped. CSV is for programs, and keeps
every character.
"""

from __future__ import annotations

import csv
import functools
import io
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Any

from ordeval._shared.text import on_a_line, visible


@dataclass(frozen=True)
class Cell:
    """A text, a smaller remark after it, and whether it is the best of its column."""

    text: str
    remark: str = ""
    best: bool = False


def cells(*values: str | Cell) -> tuple[Cell, ...]:
    """A row of a table, in which a text is a cell without a remark."""
    return tuple(x if isinstance(x, Cell) else Cell(x) for x in values)


@dataclass(frozen=True)
class Table:
    """Headings, rows of cells whose first column names the row, a caption and notes below.

    In a note, ``{best}`` stands for the way in which a rendering marks the best.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # headings of columns that hold words, set flush left
    named_by: int = 1  # columns that name a row, which stay where others go below

    def _left(self, j: int) -> bool:
        return j == 0 or self.head[j] in self.words

    def _seen(self) -> Table:
        """Return the table with invisible characters written out."""
        return Table(
            tuple(map(visible, self.head)),
            tuple(
                tuple(Cell(visible(c.text), visible(c.remark), c.best) for c in row)
                for row in self.rows
            ),
            visible(self.caption),
            tuple(map(visible, self.notes)),
            tuple(map(visible, self.words)),
            named_by=self.named_by,
        )

    def to_text(self, width: int | None = None) -> str:
        """Plain text in columns; a star marks the best. Columns beyond the width go below."""
        return self._seen()._in_columns(width)

    def _in_columns(self, width: int | None) -> str:
        marked = [any(c.best for c in column) for column in zip(*self.rows, strict=True)]
        body = [
            [_joined(c) + ("*" if c.best else " " * m) for c, m in zip(row, marked, strict=True)]
            for row in self.rows
        ]
        rows = [list(self.head), *body]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        parts: list[str] = []
        for block in blocks(widths, inf if width is None else width, 2, self.named_by):
            parts += [""] * bool(parts)
            parts += [
                "  ".join(f"{row[j]:{'<' if self._left(j) else '>'}{widths[j]}}" for j in block)
                for row in rows
            ]
        fill: Callable[[str], str] = str
        if width is not None:
            fill = functools.partial(textwrap.fill, width=width, break_on_hyphens=False)
        caption = [fill(self.caption)] if self.caption else []
        return "\n".join([*caption, *(x.rstrip() for x in parts), *map(fill, self._notes("*"))])

    def __str__(self) -> str:
        return self.to_text()

    def to_markdown(self) -> str:
        """A Markdown table; the best in bold."""
        rows = [[_markdown_cell(c) for c in row] for row in self.rows]
        rule = ["---" if self._left(j) else "---:" for j in range(len(self.head))]
        lines = [
            "| " + " | ".join(r) + " |"
            for r in ([markdown_text(h) for h in self.head], rule, *rows)
        ]
        notes = ["", *map(markdown_text, self._notes("bold"))] if self.notes else []
        caption = [markdown_text(self.caption), ""] if self.caption else []
        return "\n".join([*caption, *lines, *notes]) + "\n"

    def to_latex(self) -> str:
        """A booktabs table; the best in bold, remarks in a smaller size.

        Columns that the page of an A4 article has no room for go below, and so do rows overleaf.
        """
        from ordeval._shared.latex_tables import table_in_latex  # seldom needed

        return table_in_latex(self)

    def to_csv(self) -> str:
        """Comma-separated values, without remarks and marks."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.head)
        writer.writerows([c.text for c in row] for row in self.rows)
        return out.getvalue()

    def to_html(self) -> str:
        """An HTML table; the best in bold."""
        head = "".join(f'<th scope="col">{html_text(h)}</th>' for h in self.head)
        body = "".join(
            f'<tr><th scope="row">{html_text(row[0].text)}</th>'
            + "".join(
                f"<td>{'<b>' if c.best else ''}{html_text(c.text)}{'</b>' if c.best else ''}"
                + (f" <small>{html_text(c.remark)}</small>" if c.remark else "")
                + "</td>"
                for c in row[1:]
            )
            + "</tr>"
            for row in self.rows
        )
        notes = "".join(f"<p>{html_text(n)}</p>" for n in self._notes("bold"))
        return (
            f"<table><caption>{html_text(self.caption)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from self.to_rich(options.max_width)

    def to_rich(self, width: int | None = None) -> list[Any]:
        """Rich tables for the terminal, side by side columns as far as the width goes."""
        return self._seen()._in_rich(width)

    def _in_rich(self, width: int | None) -> list[Any]:
        rich_table = import_module("rich.table")
        rich_text = import_module("rich.text")
        cells = [list(self.head), *([_joined(c) for c in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        made: list[Any] = []
        for block in blocks(widths, inf if width is None else width, 2, self.named_by):
            table = rich_table.Table(box=None, pad_edge=False)
            for i in block:
                name = rich_text.Text(self.head[i], style="bold")
                table.add_column(name, justify="left" if self._left(i) else "right", no_wrap=True)
            for row in self.rows:
                table.add_row(*(_rich_cell(rich_text, row[i]) for i in block))
            made += [rich_text.Text(self.caption if not made else ""), table]
        return [*made, *(rich_text.Text(n, style="dim") for n in self._notes("green"))]

    def _notes(self, mark: str) -> list[str]:
        return [note.replace("{best}", mark) for note in self.notes]


def _rich_cell(rich_text: Any, cell: Cell) -> Any:
    text = rich_text.Text(cell.text, style="bold green" if cell.best else "")
    if cell.remark:
        text.append(f" {cell.remark}", style="dim")
    return text


def _joined(cell: Cell) -> str:
    return f"{cell.text} {cell.remark}" if cell.remark else cell.text


def _markdown_cell(cell: Cell) -> str:
    text = markdown_text(cell.text, bold=cell.best)
    return f"{text} {markdown_text(cell.remark)}" if cell.remark else text


def html_text(text: Any) -> str:
    """Text in HTML, between tags or in an attribute."""
    from html import escape  # loaded when something is shown, like json and shutil in result

    return escape(on_a_line(text))


_MARKDOWN = re.compile(r"([\\`*_\[\]<>~$|#]|&(?=#?\w+;))")  # an ampersand only in &lt; and the like
# What would begin a list, a rule or a heading, but not a number with its sign.
_MARKDOWN_BLOCK = re.compile(r"(\d{0,9})([-+](?=[\s-]|$)|=|(?<=\d)[.)](?=\s|$))")


def markdown_text(text: str, *, bold: bool = False) -> str:
    """Text with the special characters of Markdown escaped, on one line."""
    safe = _MARKDOWN.sub(r"\\\1", on_a_line(text).strip())
    if begun := _MARKDOWN_BLOCK.match(safe):
        safe = f"{begun[1]}\\{begun[2]}{safe[begun.end() :]}"
    return f"**{safe}**" if bold and safe else safe


def blocks(widths: Sequence[float], width: float, gap: float, named_by: int) -> list[list[int]]:
    """Columns in blocks that fit; each begins with those that name a row."""
    names = list(range(min(named_by, len(widths))))
    start = sum(widths[j] for j in names) + gap * (len(names) - 1)
    found, used = [[*names]], start
    for j, w in enumerate(widths[len(names) :], start=len(names)):
        if len(found[-1]) > len(names) and used + gap + w > width:
            found.append([*names])
            used = start
        found[-1].append(j)
        used += gap + w
    return found
