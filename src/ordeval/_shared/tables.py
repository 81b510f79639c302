"""One table, many dresses: text, Markdown, LaTeX, CSV, HTML and Rich. Renders; computes nothing."""

from __future__ import annotations

import csv
import functools
import io
import re
import textwrap
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A text, a smaller remark after it, and whether it is the best of its column."""

    text: str
    remark: str = ""
    best: bool = False


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

    def _left(self, j: int) -> bool:
        return j == 0 or self.head[j] in self.words

    def to_text(self, width: int | None = None) -> str:
        """Plain text in columns; a star marks the best. Columns beyond the width go below."""
        marked = [any(c.best for c in column) for column in zip(*self.rows, strict=True)]
        body = [
            [_joined(c) + ("*" if c.best else " " * m) for c, m in zip(row, marked, strict=True)]
            for row in self.rows
        ]
        rows = [list(self.head), *body]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        parts: list[str] = []
        for block in _blocks(widths, width):
            parts += [""] * bool(parts)
            parts += [
                "  ".join(
                    f"{row[j]:{'<' if self._left(j) else '>'}{widths[j]}}" for j in (0, *block)
                )
                for row in rows
            ]
        fill = str if width is None else functools.partial(textwrap.fill, width=width)
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
        notes = ["", *self._notes("bold")] if self.notes else []
        return "\n".join([*([self.caption, ""] if self.caption else []), *lines, *notes]) + "\n"

    def to_latex(self) -> str:
        """A booktabs table; the best in bold, remarks in a smaller size."""
        rows = [
            # A row that starts with a bracket would be read as an option of the line before.
            ("{}" if row[0].text.startswith(("[", "*")) else "")
            + " & ".join(
                (rf"\textbf{{{latex_text(c.text)}}}" if c.best else latex_text(c.text))
                + (rf" {{\footnotesize {latex_text(c.remark)}}}" if c.remark else "")
                for c in row
            )
            + r" \\"
            for row in self.rows
        ]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{{''.join('rl'[self._left(j)] for j in range(len(self.head)))}}}",
            r"\toprule",
            " & ".join(map(latex_text, self.head)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{latex_text(' '.join([self.caption, *self._notes('bold')]).strip())}}}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_csv(self) -> str:
        """Comma-separated values, without remarks and marks."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.head)
        writer.writerows([c.text for c in row] for row in self.rows)
        return out.getvalue()

    def to_html(self) -> str:
        """An HTML table; the best in bold."""
        from html import escape  # loaded when something is shown, like json and shutil in result

        head = "".join(f'<th scope="col">{escape(h)}</th>' for h in self.head)
        body = "".join(
            f'<tr><th scope="row">{escape(row[0].text)}</th>'
            + "".join(
                f"<td>{'<b>' if c.best else ''}{escape(c.text)}{'</b>' if c.best else ''}"
                + (f" <small>{escape(c.remark)}</small>" if c.remark else "")
                + "</td>"
                for c in row[1:]
            )
            + "</tr>"
            for row in self.rows
        )
        notes = "".join(f"<p>{escape(n)}</p>" for n in self._notes("bold"))
        return (
            f"<table><caption>{escape(self.caption)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    def to_rich(self, width: int | None = None) -> list[Any]:
        """Rich tables for the terminal, side by side columns as far as the width goes."""
        rich_table = import_module("rich.table")
        rich_text = import_module("rich.text")
        cells = [list(self.head), *([_joined(c) for c in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        made: list[Any] = []
        for block in _blocks(widths, width):
            table = rich_table.Table(box=None, pad_edge=False)
            for i in (0, *block):
                name = rich_text.Text(self.head[i], style="bold")
                table.add_column(name, justify="left" if self._left(i) else "right", no_wrap=True)
            for row in self.rows:
                table.add_row(*(_rich_cell(rich_text, row[i]) for i in (0, *block)))
            made += [rich_text.Text(self.caption if not made else ""), table]
        return [*made, *(rich_text.Text(n, style="dim") for n in self._notes("green"))]

    def _notes(self, mark: str) -> list[str]:
        return [note.replace("{best}", mark) for note in self.notes]


def _rich_cell(rich_text: Any, cell: Cell) -> Any:
    text = rich_text.Text(cell.text, style="bold green" if cell.best else "")
    if cell.remark:
        text.append(f" {cell.remark}", style="dim")
    return text


def _blocks(widths: list[int], width: int | None) -> list[list[int]]:
    """Columns after the first, in blocks that fit beside it."""
    blocks: list[list[int]] = [[]]
    used = widths[0]
    for j, w in enumerate(widths[1:], start=1):
        if width is not None and blocks[-1] and used + 2 + w > width:
            blocks.append([])
            used = widths[0]
        blocks[-1].append(j)
        used += 2 + w
    return blocks


def _joined(cell: Cell) -> str:
    return f"{cell.text} {cell.remark}" if cell.remark else cell.text


def _markdown_cell(cell: Cell) -> str:
    text = markdown_text(cell.text, bold=cell.best)
    return f"{text} {markdown_text(cell.remark)}" if cell.remark else text


def markdown_text(text: str, *, bold: bool = False) -> str:
    """Text with the special characters of Markdown escaped."""
    safe = text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    for character in "*_`<>[]":
        safe = safe.replace(character, "\\" + character)
    return f"**{safe}**" if bold else safe


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "π": r"$\pi$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "±": r"$\pm$",
    "′": r"$'$",
    "—": "---",
    "−": "$-$",
}


_SUBSCRIPTED = re.compile("([κτ])([abcw])(?![a-z])")


def latex_text(text: str) -> str:
    """Text with LaTeX's special characters escaped; τb becomes a tau with an index."""
    parts = _SUBSCRIPTED.split(text.replace("\n", " "))
    # split gives: plain, letter, index, plain, letter, index, ..., plain
    out = []
    for i in range(0, len(parts), 3):
        out.append("".join(_LATEX.get(c, c) for c in parts[i]))
        if i + 1 < len(parts):
            command = {"κ": "kappa", "τ": "tau"}[parts[i + 1]]
            out.append(rf"$\{command}_{parts[i + 2]}$")
    return "".join(out)
