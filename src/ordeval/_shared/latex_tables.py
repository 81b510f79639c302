"""Tables in LaTeX that fit the page of an A4 article: columns, then rows, go below or overleaf."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Final, TypeVar

from ordeval._shared.latex import latex_after, latex_text
from ordeval._shared.tables import Cell, Table, blocks
from ordeval._shared.text import on_a_line

T = TypeVar("T")
NEEDS: Final = r"% Needs \usepackage{booktabs}."
SET: Final = r"\footnotesize\setlength{\tabcolsep}{4pt}"
GAP: Final = 8  # points between columns
WIDTH: Final = 329  # points, next to the edges; the text of an A4 article in 10 points has 345
WRAPPED: Final = 120  # points; a column of longer words is set in several lines
SIZE: Final = 8  # points, of text; intervals are a point smaller
# What is narrower or wider than a digit, and how wide in parts of the size.
NARROW: Final = r"[\s.,:;!|'`\[\]()ijlftI-]"
WIDE: Final = r"[^\x00-\x7f]|[A-HJ-Zmw%@&+=<>]"
SHARES: Final = (0.32, 0.54, 0.8)
# Pages hand these to JavaScript, which reads them alike.
FOR_SCRIPTS: Final = {
    "needs": NEEDS,
    "set": SET,
    "gap": GAP,
    "width": WIDTH,
    "wrapped": WRAPPED,
    "size": SIZE,
    "narrow": NARROW,
    "wide": WIDE,
    "shares": SHARES,
}
_LINES: Final = 44  # of a page, next to a caption of several lines
_LEAST: Final = 60  # points that a column of words can be set in
_BOLD: Final = 1.15  # as wide as plain text


def points(text: str, size: float = SIZE) -> float:
    """About how wide a text is set, in points.

    >>> points("0.941") < points("WIDER")
    True
    """
    shown, (small, usual, large) = on_a_line(text), SHARES
    narrow, wide = (len(re.findall(x, shown)) for x in (NARROW, WIDE))
    return size * (small * narrow + large * wide + usual * (len(shown) - narrow - wide))


def table_in_latex(table: Table) -> str:
    """Floats of booktabs tables: one, or several with one number if a page does not hold it."""
    title = latex_text(table.caption or "The table").rstrip(".")
    lines = [NEEDS]
    for i, parts in enumerate(_pages(_parts(table), _room(table))):
        caption = rf"{title} (continued)." if i else _caption(table)
        lines += [
            r"\begin{table}",
            *[r"\addtocounter{table}{-1}"] * bool(i),
            rf"\centering{SET}",
            "\n\\par\\medskip\n".join(parts),
            rf"\caption{{{caption}}}",
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _caption(table: Table) -> str:
    """The caption as a sentence, and the notes."""
    notes = [note.replace("{best}", "bold") for note in table.notes]
    ended = not notes or table.caption.endswith((".", "!", "?", ":"))
    title = [table.caption if ended else f"{table.caption}."] if table.caption else []
    return latex_text(" ".join([*title, *notes]))


def _room(table: Table) -> int:
    """The lines of a table that a page has room for, next to its caption."""
    caption = len(_caption(table)) / 75
    return max(min(_LINES, int(56 - 1.3 * caption)), 10)


def _pages(given: Iterable[tuple[T, int]], room: int) -> Iterator[list[T]]:
    """Lines that fit on one page."""
    held: list[T] = []
    used = 0
    for part, lines in given:
        if held and used + lines > room:
            yield held
            held, used = [], 0
        held.append(part)
        used += lines
    yield held


@dataclass(frozen=True)
class _Column:
    """How a column is set: its heading, its width, and in which width its words are wrapped."""

    head: str
    width: float
    left: bool
    word: float = 0  # the longest, which is not divided
    wrapped: int = 0  # points

    @property
    def kind(self) -> str:
        return f"p{{{self.wrapped}pt}}" if self.wrapped else "l" if self.left else "r"


def _parts(table: Table) -> Iterator[tuple[str, int]]:
    """The tabular environments, columns before rows, and how many lines each takes."""
    columns = _columns(table)
    widths = [c.wrapped or c.width for c in columns]
    high = [max(map(_lines, columns, row)) for row in table.rows]
    for block in blocks(widths, WIDTH, GAP, table.named_by):
        for rows in _pages(enumerate(high), _room(table)):
            cells = [[table.rows[i][j] for j in block] for i in rows]
            yield _tabular([columns[j] for j in block], cells), sum(high[i] for i in rows) + 3


def _lines(column: _Column, cell: Cell) -> int:
    """In how many lines a cell is set."""
    return ceil(1.1 * _cell_width(cell) / column.wrapped) or 1 if column.wrapped else 1


def _columns(table: Table) -> list[_Column]:
    """The columns as wide as they are; if they do not fit, headings and words in several lines."""
    plain = [_column(table, j, stacked=False) for j in range(len(table.head))]
    if _total(plain) <= WIDTH:
        return plain
    found = [_column(table, j, stacked=True) for j in range(len(table.head))]
    long = [c for c in found if c.left and c.width > WRAPPED]
    if _total(found) <= WIDTH or not long:
        return found
    # Longer words get more of the room, and shorter ones enough of it. If there is not enough, what
    # names a row leaves room for others, which go below.
    room = WIDTH - _total(found) + sum(c.width for c in long)
    share = room / sum(sqrt(c.width) for c in long)
    fits = min(share * sqrt(c.width) for c in long) >= _LEAST
    return [
        replace(c, wrapped=max(int(share * sqrt(c.width)) if fits else WRAPPED, ceil(c.word)))
        if c in long
        else c
        for c in found
    ]


def _total(columns: Sequence[_Column]) -> float:
    return sum(c.width for c in columns) + GAP * (len(columns) - 1)


def _column(table: Table, j: int, *, stacked: bool) -> _Column:
    head, left = on_a_line(table.head[j]), j == 0 or table.head[j] in table.words
    body = max((_cell_width(row[j]) for row in table.rows), default=0)
    lines = _two_lines(head) if stacked and points(head) > body else [head]
    words = (word for row in table.rows for word in on_a_line(row[j].text).split(" "))
    longest = max(map(points, words), default=0) if left else 0
    return _Column(_stacked(lines, "rl"[left]), max(body, *map(points, lines)), left, longest)


def _two_lines(head: str) -> list[str]:
    """A heading in two lines that are alike in width, if it has two words."""
    words = head.split(" ")
    cuts = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words))]
    return list(min(cuts, key=lambda c: max(map(points, c)))) if cuts else [head]


def _stacked(lines: Sequence[str], side: str) -> str:
    if len(lines) == 1:
        return latex_text(lines[0])
    first, second = map(latex_text, lines)
    second = latex_after(r"\\", second)
    return rf"\shortstack[{side}]{{\strut {first}{second}}}"


def _cell_width(cell: Cell) -> float:
    text = points(cell.text) * (_BOLD if cell.best else 1)
    return text + (points(f" {cell.remark}", SIZE - 1) if cell.remark else 0)


def _tabular(columns: Sequence[_Column], rows: Sequence[Sequence[Cell]]) -> str:
    wraps = any(c.wrapped for c in columns)
    body = [
        [
            rf"\raggedright {cell}" if c.wrapped else cell
            for c, cell in zip(columns, row, strict=True)
        ]
        for row in ([c.head for c in columns], *([_cell(x) for x in row] for row in rows))
    ]
    head, *lines = (_row(cells, r"\tabularnewline" if wraps else r"\\") for cells in body)
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{''.join(c.kind for c in columns)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _cell(cell: Cell) -> str:
    text = latex_text(cell.text)
    shown = rf"\textbf{{{text}}}" if cell.best else text
    return shown + (rf" {{\scriptsize {latex_text(cell.remark)}}}" if cell.remark else "")


def _row(cells: Iterable[str], end: str) -> str:
    """A row; before it stands a line break or a rule, both of which take options."""
    return f"{latex_after('', ' & '.join(cells))} {end}"
