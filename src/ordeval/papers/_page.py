"""The page on the papers: its facts, gathered here, and the template that shows them."""

import platform
from dataclasses import dataclass
from typing import Final

from ordeval._version import __version__
from ordeval.papers._exhibits import Exhibit
from ordeval.papers._reproduction import Reproduction
from ordeval.papers._values import EXPLAINED, VERDICTS, Value, sentence
from ordeval.report.page import page
from ordeval.report.pictures import Picture, drawn

MARKS: Final = dict(zip(VERDICTS, "=≈✎≠∅", strict=True))
_LISTED: Final = 12  # values that share an explanation, in the lists at the end


@dataclass(frozen=True, kw_only=True)
class Block:
    """An exhibit as the page shows it: values in a table, statements below, then pictures."""

    exhibit: Exhibit
    anchor: str
    columns: tuple[str, ...]
    rows: dict[str, list[Value | None]]
    notes: dict[str, int]  # explanations and their numbers
    statements: list[Value]
    pictures: list[Picture]


def render(found: Reproduction) -> str:
    """The page as HTML; no request leaves it."""
    return page(
        "papers.html",
        package="ordeval.papers",
        found=found,
        short={p.key: p.short for p in found.papers},
        blocks={p.key: [_block(e) for e in found.of(p.key)] for p in found.papers},
        explained={v: found.explanations(v) for v in EXPLAINED},
        verdicts=VERDICTS,
        marks=MARKS,
        most=_LISTED,
        anchor=anchor,
        hint=hint,
        sentence=sentence,
        made_with=f"ordeval {__version__}, Python {platform.python_version()}",
    )


def _block(e: Exhibit) -> Block:
    place = anchor(e.paper, e.name)
    figures = [v for v in e.values if v.printed != "claimed"]
    columns = tuple(dict.fromkeys(v.column for v in figures))
    at = {(v.row, v.column): v for v in figures}
    noted = dict.fromkeys(v.note for v in figures if v.verdict in EXPLAINED)
    return Block(
        exhibit=e,
        anchor=place,
        columns=columns,
        rows={v.row: [at.get((v.row, c)) for c in columns] for v in figures},
        notes={note: i for i, note in enumerate(noted, start=1)},
        statements=[v for v in e.values if v.printed == "claimed"],
        pictures=[drawn(f"{place}-{i}", p) for i, p in enumerate(e.pictures)],
    )


def anchor(paper: str, exhibit: str) -> str:
    """Where an exhibit is on the page."""
    return f"{paper}-{exhibit.lower().replace(' ', '-').replace('.', '-')}"


def hint(v: Value) -> str:
    """The tooltip of a value."""
    apart = "" if v.difference is None else f" ({v.difference:+.4f})"
    return f"{v.verdict}{apart}" + (f": {v.note}" if v.note else "")
