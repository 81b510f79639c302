"""Names from a stranger's file are text, in every rendering of every result.

Models, labels, subgroups and columns are named so that each format would act on them, if it read
them as its own.
"""

import csv
import io
import json
import re
import unicodedata
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest
from test_every_result import MADE, makers

import ordeval as oe
from ordeval._shared.latex import latex_text
from ordeval._shared.latex_tables import NEEDS
from ordeval._shared.result import plain
from ordeval._shared.tables import Cell, Table, markdown_text
from ordeval._shared.text import on_a_line

HOSTILE = {
    "LaTeX": (r"\input{/etc/passwd}", r"}\write18{id}%", r"$\def\x{y}$ ^^5cinput ~&#_"),
    "LaTeX, options": (r"[1em] \\", "*[9pt]", r"\end{tabular}\verbatiminput|x|"),
    "HTML": ("<script>alert(1)</script>", '" onclick="alert(1)', "</table><img src=x onerror=a()>"),
    "HTML, comments": ("<!-- ", "]]> --> </style></title>", "&lt;b&gt; &#x1b; <svg/onload=a()>"),
    "Markdown": ("[x](javascript:alert(1))", "![i](http://x/y.png)", "a | `b` **c** ~~d~~ _e_ |"),
    "Markdown, blocks": ("# title", "- item", "1. one"),
    "Markdown, more blocks": ("---", "> quote\n=====", "    code\n```\nx\n```"),
    "terminal": ("\x1b[31mred\x1b[0m\x07", "\x1b]8;;http://x\x1b\\link", "\x9b2J\x08\x7f\x00"),
    "directions": ("a\u202eb", "\u2066c\u2069 \u202a\u202b\u202d\u202c", "\u200ed\u200f\u061c"),
    "no width": ("a\u200bb", "a\u200db\ufeff", "a\xadb\u2060"),
    "lines": ("two\nlines\n\n# three\n| x |", "cr\rlf\r\n\\input{x}", "tab\t\u2028para\u2029\x85"),
    "Rich": ("[red]x[/red]", "[link=http://x]y[/link]", ":smile: [/] [bold"),
    "formulas": ("=1+1", "+cmd|' /C calc'!A0", "@SUM(1)"),
    "mathematics": ("$", r"$\frac$", r"a_b^{c} $$ \$"),
    "templates": ("{{ 7 * 7 }}", "{% raw %}{best}", "%s %(x)s {0} {name}"),
}  # fmt: skip
# Each of them in every place: as models, as levels, as subgroups and their column.
every_case = pytest.mark.parametrize(
    ("result", "names"),
    [
        (result, names)
        for names in HOSTILE
        for result in MADE
        # Labels that differ in nothing that can be seen are refused: no answer tells them apart.
        if result not in ("Answers in words", "AnswerRows") or names != "no width"
    ],
)


@cache
def made_with(names: str) -> Any:
    first, second, third = HOSTILE[names]
    return makers((first, second), (third, second, first), f"by {third}", (second, third))


@cache
def made(result: str, names: str) -> Any:
    return made_with(names)[result]()


def seen(text: str) -> bool:
    """Whether a text has no more than printable characters, spaces and our own line breaks."""
    return all(c.isprintable() or c in "\n\xa0" for c in text)


@every_case
def test_text(result: str, names: str) -> None:
    shown = made(result, names)
    for text in (shown.to_text(80), str(shown), repr(shown)):
        assert seen(text)
    # No name begins a line of its own; where nothing is wrapped, that can be told.
    lines = shown.to_text(100_000).splitlines()
    assert not any(line.startswith(("lines", "# three", "| x", "para", "lf")) for line in lines)
    from rich.console import Console

    console = Console(file=io.StringIO(), width=2000, force_terminal=True, color_system=None)
    console.print(shown)
    printed = re.sub(r"\x1b\[[\d;]*m", "", console.file.getvalue())
    assert seen(printed)


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[tuple[str, ...]] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.add((tag, *(name for name, _ in attrs)))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


OURS = {("table",), ("caption",), ("thead",), ("tbody",), ("tr",), ("th", "scope"), ("td",), ("b",),
        ("small",), ("p",), ("pre",)}  # fmt: skip


@every_case
def test_html(result: str, names: str) -> None:
    page = made(result, names)._repr_html_()
    assert Tags(page).found <= OURS
    assert seen(page)


@cache
def headings(result: str) -> list[str]:
    """The headings that a result has whatever the names."""
    return re.findall("^#+(?= )", made(result, "Rich").to_markdown(), re.MULTILINE)


@every_case
def test_markdown(result: str, names: str) -> None:
    import markdown_it

    text = made(result, names).to_markdown()
    assert seen(text)
    parser = markdown_it.MarkdownIt("commonmark", {"html": True})
    parser.enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    blocks = {re.sub("_(open|close)$", "", token.type) for token in tokens}
    ours = {"heading", "bullet_list", "list_item"}  # its titles, and the notes below its table
    assert blocks <= {"paragraph", "table", "thead", "tbody", "tr", "th", "td", "inline"} | ours
    assert [token.markup for token in tokens if token.type == "heading_open"] == headings(result)
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "text_special", "strong_open", "strong_close"}


def test_markdown_reads_as_the_name() -> None:
    import markdown_it

    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name in (name for names in HOSTILE.values() for name in names):
        shown = " ".join(on_a_line(name).split())
        read = parser.parse(markdown_text(name))[1].children
        assert " ".join("".join(x.content for x in read).split()) == shown
        cells = Table(("a", "b"), ((Cell(name), Cell(name)),)).to_markdown()
        (row,) = (t.children for t in parser.parse(cells)[-5:-4])
        assert " ".join("".join(x.content for x in row).split()) == shown


COMMANDS = {"begin", "end", "centering", "toprule", "midrule", "bottomrule", "caption", "textbf",
            "footnotesize", "textbackslash", "textasciitilde", "textasciicircum", "textless",
            "textgreater", "textbar", "textendash", "textemdash", "scriptsize", "setlength",
            "tabcolsep", "addtocounter", "par", "medskip", "shortstack", "strut", "raggedright",
            "tabularnewline", "paragraph"}  # fmt: skip
ENVIRONMENTS = {"table", "tabular"}
ENDS = (r" \\", r" \tabularnewline")  # of rows
# One token of LaTeX: a command of letters, an escaped character, or a character.
TOKEN = re.compile(r"\\([a-zA-Z]+)|\\(.)|(.)", re.DOTALL)
# What stands in mathematics is a letter, a sign, or an index: no argument, and nothing of others.
MATHEMATICS = re.compile(r"\$(\\[a-zA-Z]+(_[abcw]|1[234]|23)?|[_^]\d|\^\\circ|[-'o])\$")


def read_latex(text: str) -> str:
    """LaTeX that is ours but for its text; every command from elsewhere is an error."""
    depth = 0
    for line in text.splitlines():
        body = line.removeprefix("% ") if line != NEEDS else ""
        for command, escaped, character in TOKEN.findall(MATHEMATICS.sub("", body)):
            assert not command or command in COMMANDS, line
            assert not escaped or escaped in "&%$#_{}\\", line
            assert not character or character not in "%$#_^~<>|", line
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0, line
    assert depth == 0
    for found in re.findall(r"\\(?:begin|end)\{(.*?)\}", text):
        assert found in ENVIRONMENTS
    # After these a bracket would be an option, and a star another command.
    assert not re.search(r"(\\\\|rule|newline)\s*[\[*]", text)
    return text


@every_case
def test_latex(result: str, names: str) -> None:
    text = read_latex(made(result, names).to_latex())
    assert seen(text)
    for table in text.split(r"\begin{tabular}")[1:]:
        kinds = re.match(r"\{((?:[rl]|p\{\d+pt\})+)\}", table)[1]  # type: ignore[index]
        columns = len(re.sub(r"\{.*?\}", "", kinds))
        rows = table[: table.index(r"\end{tabular}")].splitlines()[1:]
        cells = [row.replace(r"\&", "").count("&") + 1 for row in rows if row.endswith(ENDS)]
        assert set(cells) == {columns}


def test_latex_asks_for_no_unicode() -> None:
    """What pdflatex knows by itself: ASCII, and Latin letters with their accents."""
    theirs = "κ κw τb β ρ π α γ λ Σ Ω ≥ ≤ ≠ ≈ ± × − – — ′ “x” ‘y’ … ∞ → ← ↑ ↓ √ · ² ₁ ½ ° \xa0ε"
    assert latex_text(theirs).isascii()
    assert latex_text("κw ≥ −1 — ∞").split() == [
        r"$\kappa_w$", r"$\ge$", r"$-$1", r"\textemdash{}", r"$\infty$",
    ]  # fmt: skip
    assert latex_text("Amigó, Šidák") == "Amigó, Šidák"
    for metric in oe.metrics():
        for text in (metric.symbol, metric.name, str(metric.reference)):
            left = [c for c in latex_text(text) if not c.isascii()]
            assert all(unicodedata.name(c).startswith("LATIN ") for c in left), left
    for result in MADE:
        left = {c for c in makers_of_words()[result]().to_latex() if not c.isascii()}
        assert all(unicodedata.name(c).startswith("LATIN ") for c in left), (result, left)


@cache
def makers_of_words() -> Any:
    return makers(("κ model", "a → b"), ("≤ 1", "1–2", "≥ 2"), "by β", ("α", "γ"))


def test_the_reader_of_latex_finds_what_it_looks_for() -> None:
    for text in (
        r"\input{x}",
        "50% off",
        "$x$",
        "{",
        "}{",
        "a_b",
        r"\\ [1em]",
        r"\begin{verbatim}",
    ):
        with pytest.raises(AssertionError):
            read_latex(text)
    for names in HOSTILE.values():
        for name in names:
            read_latex(latex_text(name).replace("[", "").replace("*", ""))


@every_case
def test_csv_keeps_every_character(result: str, names: str) -> None:
    rows = made(result, names).rows()
    head, *body = csv.reader(io.StringIO(made(result, names).to_csv(), newline=""), strict=True)
    assert head == list(dict.fromkeys(key for row in rows for key in row))
    for line, row in zip(body, rows, strict=True):
        for key, text in zip(head, line, strict=True):
            value = row.get(key)
            assert text == ("" if value is None or value != value else str(value))


@every_case
def test_json_keeps_every_character(result: str, names: str) -> None:
    shown = made(result, names)
    text = shown.to_json()
    assert seen(text)
    assert "\xa0" not in text or "\xa0" in str(plain(shown._facts()))
    found = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    facts = json.loads(json.dumps(plain(shown._facts())))
    assert {key: found[key] for key in facts} == facts


def test_what_has_no_bytes_is_shown_and_kept() -> None:
    """Half of a character, as a name of a file that is no UTF-8 has it."""
    names = [chr(0xD800), chr(0xDCFF)]
    models = dict(zip(names, ([1, 2] * 9, [2, 1] * 9), strict=True))
    c = oe.compare([1, 2] * 9, models, ["accuracy"], labels=[1, 2])
    for text in (c.to_text(), repr(c), c._repr_html_(), c.to_markdown(), c.to_latex(), c.to_json()):
        assert text.encode()
    assert {m["name"] for m in json.loads(c.to_json())["models"]} == set(names)
