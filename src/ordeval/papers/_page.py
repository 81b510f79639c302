"""The page on the papers: its facts, gathered here, and the template that shows them."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Final

from ordeval._shared.extras import import_extra
from ordeval._version import __version__
from ordeval.papers._values import VERDICTS, Exhibit, Reproduction, Value, Verdict
from ordeval.report.pictures import Picture, drawn

MARKS: Final = {
    "equal": "=", "close": "≈", "misprint": "✎", "differs": "≠", "not reproducible": "∅",
}  # fmt: skip
MEANINGS: Final = {
    "equal": "to the printed digits, or the statement holds",
    "close": "chance is in it, and it lies within the tolerance stated",
    "misprint": "the print is wrong; the evidence is given",
    "differs": "not as printed, explained as far as it can be",
    "not reproducible": "data or matrices are not to be had",
}
_LISTED: Final = 12  # values that share an explanation, in the lists at the end
_EXPLAINED: Final = ("misprint", "differs", "not reproducible")


@dataclass(frozen=True)
class Box:
    """A cell of a table: what is printed, what recomputes, and which note below explains it."""

    printed: str
    computed: str
    verdict: str
    mark: str
    hint: str
    note: int | None


@dataclass(frozen=True)
class Block:
    """An exhibit as the page shows it."""

    anchor: str
    name: str
    title: str
    method: str
    call: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Box | None, ...]], ...]
    statements: tuple[tuple[Value, str], ...]
    notes: tuple[str, ...]
    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Section:
    """A paper as the page shows it."""

    key: str
    short: str  # authors and year
    citation: str
    about: str
    counts: tuple[tuple[str, int], ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Entry:
    """An explanation, where it belongs, and the values that it explains."""

    place: str
    anchor: str
    note: str
    values: str


@dataclass(frozen=True)
class Page:
    """Everything on the page."""

    counts: tuple[tuple[str, int], ...]
    total: int
    legend: tuple[tuple[str, str, str], ...]
    sections: tuple[Section, ...]
    errata: tuple[Entry, ...]
    differences: tuple[Entry, ...]
    missing: tuple[Entry, ...]
    mode: str
    seed: int
    made_with: str


def render(found: Reproduction) -> str:
    """The page as HTML; no request leaves it."""
    jinja2 = import_extra("jinja2", extra="report", purpose="the page on the papers")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ordeval.papers"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    page: str = environment.get_template("papers.html").render(page=facts(found))
    return page


def facts(found: Reproduction) -> Page:
    """Gather what the page shows."""
    return Page(
        counts=tuple(found.counts.items()),
        total=len(found.values),
        legend=tuple((MARKS[v], v, MEANINGS[v]) for v in VERDICTS),
        sections=tuple(
            Section(
                paper.key, paper.short, paper.citation, paper.about,
                tuple((v, n) for v, n in found.counts_of(paper.key).items() if n),
                tuple(_block(e) for e in found.of(paper.key)),
            )
            for paper in found.papers
        ),
        errata=_entries(found, "misprint"),
        differences=_entries(found, "differs"),
        missing=_entries(found, "not reproducible"),
        mode="at full length" if found.full else "in the quick mode, with fewer repetitions",
        seed=found.seed,
        made_with=f"ordeval {__version__}, Python {platform.python_version()}",
    )  # fmt: skip


def _anchor(paper: str, exhibit: str) -> str:
    return f"{paper}-{exhibit.lower().replace(' ', '-').replace('.', '-')}"


def _block(e: Exhibit) -> Block:
    anchor = _anchor(e.paper, e.name)
    claims = tuple(v for v in e.values if v.printed == "claimed")
    notes: dict[str, int] = {}
    columns, rows = Exhibit(
        e.paper, e.name, e.title, tuple(v for v in e.values if v.printed != "claimed")
    ).grid()
    boxes = tuple(
        (name, tuple(None if v is None else _box(v, notes) for v in values))
        for name, values in rows
    )  # fmt: skip
    return Block(
        anchor, e.name, e.title, e.method, e.call, columns, boxes,
        tuple((v, MARKS[v.verdict]) for v in claims), tuple(map(_sentence, notes)),
        tuple(drawn(f"{anchor}-{i}", p) for i, p in enumerate(e.pictures)),
    )  # fmt: skip


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def _box(v: Value, notes: dict[str, int]) -> Box:
    number = notes.setdefault(v.note, len(notes) + 1) if v.verdict in _EXPLAINED else None
    apart = "" if v.difference is None else f" ({v.difference:+.4f})"
    hint = f"{v.verdict}{apart}: {v.note}" if v.note else f"{v.verdict}{apart}"
    return Box(v.printed, v.shown(), v.verdict, MARKS[v.verdict], hint, number)


def _entries(found: Reproduction, verdict: Verdict) -> tuple[Entry, ...]:
    short = {paper.key: paper.short for paper in found.papers}
    return tuple(
        Entry(
            f"{short[e.paper]}, {e.exhibit}",
            _anchor(e.paper, e.exhibit),
            _sentence(e.note),
            e.listed(_LISTED),
        )
        for e in found.explanations(verdict)
    )
