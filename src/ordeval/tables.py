"""One table, many dresses: text, Markdown, LaTeX, CSV, HTML and Rich. Renders; computes nothing."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from html import escape
from typing import Any

from ordeval._optional import import_extra


@dataclass(frozen=True)
class Cell:
    """A text, a smaller remark after it, and whether it is the best of its column."""

    text: str
    remark: str = ""
    best: bool = False


@dataclass(frozen=True)
class Table:
    """Headings, rows of cells whose first column names the row, a caption and notes below."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()

    def to_text(self) -> str:
        """Plain text in columns; a star marks the best."""
        body = [[_joined(c) + ("*" if c.best else " ") for c in row] for row in self.rows]
        body = [[row[0].rstrip(), *row[1:]] for row in body]
        widths = [max(map(len, column)) for column in zip(self.head, *body, strict=True)]
        lines = [
            f"{row[0]:<{widths[0]}}"
            + "".join(f"  {x:>{w}}" for x, w in zip(row[1:], widths[1:], strict=True))
            for row in ([*self.head], *body)
        ]
        caption = [self.caption] if self.caption else []
        return "\n".join([*caption, *(line.rstrip() for line in lines), *self.notes])

    def to_markdown(self) -> str:
        """A Markdown table; the best in bold."""
        rows = [
            [_markdown(c.text, bold=c.best) + (f" {_markdown(c.remark)}" if c.remark else "")
             for c in row]
            for row in self.rows
        ]  # fmt: skip
        rule = ["---", *["---:"] * (len(self.head) - 1)]
        lines = [
            "| " + " | ".join(r) + " |" for r in ([_markdown(h) for h in self.head], rule, *rows)
        ]
        notes = ["", *self.notes] if self.notes else []
        return "\n".join([*([self.caption, ""] if self.caption else []), *lines, *notes]) + "\n"

    def to_latex(self) -> str:
        """A booktabs table; the best in bold, remarks in a smaller size."""
        rows = [
            " & ".join(
                (rf"\textbf{{{_latex(c.text)}}}" if c.best else _latex(c.text))
                + (rf" {{\footnotesize {_latex(c.remark)}}}" if c.remark else "")
                for c in row
            )
            + r" \\"
            for row in self.rows
        ]
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{l{'r' * (len(self.head) - 1)}}}",
            r"\toprule",
            " & ".join(map(_latex, self.head)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{_latex(' '.join([self.caption, *self.notes]).strip())}}}",
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
        notes = "".join(f"<p>{escape(n)}</p>" for n in self.notes)
        return (
            f"<table><caption>{escape(self.caption)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    def to_rich(self) -> Any:
        """A Rich table for the terminal."""
        rich_table = import_extra("rich.table", extra="cli", purpose="a table in the terminal")
        rich_text = import_extra("rich.text", extra="cli", purpose="a table in the terminal")
        table = rich_table.Table(title=self.caption or None, title_justify="left")
        for i, name in enumerate(self.head):
            table.add_column(rich_text.Text(name), justify="left" if i == 0 else "right")
        for row in self.rows:
            cells = []
            for c in row:
                text = rich_text.Text(c.text, style="bold green" if c.best else "")
                if c.remark:
                    text.append(f" {c.remark}", style="dim")
                cells.append(text)
            table.add_row(*cells)
        return table


def _joined(cell: Cell) -> str:
    return f"{cell.text} {cell.remark}" if cell.remark else cell.text


def _markdown(text: str, *, bold: bool = False) -> str:
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
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text.replace("\n", " "))
