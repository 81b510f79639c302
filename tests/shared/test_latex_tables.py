"""Tables in LaTeX: they fit the page of an A4 article, and no cell is lost."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ordeval._shared.latex_tables import GAP, NEEDS, WIDTH, points
from ordeval._shared.tables import Cell, Table

TABULAR = re.compile(
    r"\\begin\{tabular\}\{((?:[lr]|p\{\d+pt\})+)\}\n\\toprule\n(.*?)\n\\midrule\n(.*?)\n?"
    r"\\bottomrule\n\\end\{tabular\}",
    re.DOTALL,
)
LINES = 44  # of a page


def blocks(text: str) -> list[tuple[list[str], list[str], list[list[str]]]]:
    """Of each tabular: how its columns are set, its headings, and its rows."""
    found = []
    for kinds, head, body in TABULAR.findall(text):
        rows = [
            re.sub(r" (\\\\|\\tabularnewline)$", "", row).replace(r"\raggedright ", "").split(" & ")
            for row in (head, *body.splitlines())
        ]
        found.append((re.findall(r"[lr]|p\{\d+pt\}", kinds), rows[0], rows[1:]))
    return found


def wide(rows: int = 3, columns: int = 12) -> Table:
    cells = [
        (Cell(f"model {i}"), *(Cell(f"0.{i:02}{j:02}", f"[0.1, 0.{j:02}]") for j in range(columns)))
        for i in range(rows)
    ]
    head = ("model", *(f"m{j}" for j in range(columns)))
    return Table(head, tuple(cells), "Wide", ("{best}: best.",))


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (3, 12), (100, 2), (100, 12), (0, 3)])
def test_every_cell_is_there_once_and_the_page_holds_it(rows: int, columns: int) -> None:
    table = wide(rows, columns)
    text = table.to_latex()
    found: dict[tuple[str, str], str] = {}
    for kinds, head, body in blocks(text):
        assert len(body) <= LINES
        assert all(len(row) == len(kinds) == len(head) for row in body)
        for row in body:
            for name, cell in zip(head[1:], row[1:], strict=True):
                assert (row[0], name) not in found
                found[row[0], name] = cell
    assert found == {
        (row[0].text, head): rf"{cell.text} {{\scriptsize {cell.remark}}}"
        for row in table.rows
        for head, cell in zip(table.head[1:], row[1:], strict=True)
    }
    assert {head for _, heads, _ in blocks(text) for head in heads} == set(table.head)
    floats = text.split(r"\begin{table}")[1:]
    assert all(x.count(r" \\") <= LINES + 4 for x in floats)
    assert text.count(r"\caption{") == text.count(r"\end{table}") == len(floats)
    # One number for all of them, and the notes once.
    assert (
        text.count(r"\addtocounter{table}{-1}")
        == text.count("Wide (continued).")
        == len(floats) - 1
    )
    assert text.count("Wide. bold: best.") == 1


def test_columns_beside_each_other_fit() -> None:
    for _, head, body in blocks(wide().to_latex()):
        bare = [[re.sub(r"\\scriptsize |[{}]", "", x) for x in row] for row in (head, *body)]
        widths = [max(map(points, column)) for column in zip(*bare, strict=True)]
        # Taken as set in one size, a little wider than they are.
        assert sum(widths) + GAP * (len(widths) - 1) < 1.05 * WIDTH
    assert len(blocks(wide().to_latex())) == 3


def test_words_are_wrapped_and_headings_stacked() -> None:
    words = " ".join(["something that is asked"] * 8)
    table = Table(("item", "asked", "said"), ((Cell("1"), Cell(words), Cell(words * 3)),),
                  words=("asked", "said"))  # fmt: skip
    (kinds, _, (row,)) = blocks(table.to_latex())[0]
    assert kinds[0] == "l"
    sizes = [int(re.sub(r"\D", "", kind)) for kind in kinds[1:]]
    assert 60 <= sizes[0] < sizes[1]
    assert sum(sizes) + points("item") + 2 * GAP <= WIDTH
    assert row == ["1", words, words * 3]
    assert table.to_latex().count(r"\tabularnewline") == 2
    many = Table(tuple(f"heading [{i}eading" for i in range(6)), (tuple([Cell("1")] * 6),))
    text = many.to_latex()
    assert text.count(r"\shortstack[l]{\strut heading\\ {}[0eading}") == 1
    assert len(blocks(text)) == 1
    fits = Table(("models shown better", "x"), ((Cell("1"), Cell("2")),))
    assert "shortstack" not in fits.to_latex()


def test_a_word_that_is_not_divided_has_the_width_it_needs() -> None:
    name = "x" * 45
    rows = ((Cell(name), *[Cell("0.123", "[0.1, 0.2]")] * 6),)
    text = Table(("model", *"abcdef"), rows).to_latex()
    for kinds, _, _ in blocks(text):
        assert int(re.sub(r"\D", "", kinds[0])) >= points(name)
    assert len(blocks(text)) > 1


def test_a_long_caption_leaves_less_room_for_rows() -> None:
    table = replace(wide(44, 1), notes=("word " * 300,))
    first, *_ = blocks(table.to_latex())
    assert 20 < len(first[2]) < LINES


def test_it_says_what_it_needs() -> None:
    assert wide().to_latex().splitlines()[0] == NEEDS == r"% Needs \usepackage{booktabs}."
