"""Tables of a run, for the terminal and the documentation, from its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmarks.peers import correctness, memory
from benchmarks.peers.contenders import US
from benchmarks.peers.growth import CLASSES, ITEMS, MATRICES
from benchmarks.peers.machine import sentence
from benchmarks.peers.summary import answers
from ordeval._shared.tables import Cell, Table, markdown_text

Record = Mapping[str, Any]
_AXES = (ITEMS, CLASSES, MATRICES)


def tables(record: Record) -> list[Table]:
    """All of them, the claims last."""
    return [
        speed(record),
        *(growth(record, axis) for axis in _AXES),
        peaks(record),
        papers(record),
        *ordered(record),
        claims(record),
    ]


def speed(record: Record) -> Table:
    """One row per comparison."""
    rows = [
        (
            *_row(r["operation"], r["size"], r["peer"]),
            *_row(_time(r["ours_seconds"]), _time(r["peer_seconds"])),
            Cell(_ratio(r["ratio"]), r["note"]),
            *_row(_same(r["same_value"]), r["call"]),
        )
        for r in record["speed"]
    ]
    head = (
        "operation",
        "size",
        "against",
        "ours",
        "theirs",
        "times as long",
        "same value",
        "its call",
    )
    ours = dict.fromkeys(r["ours_call"] for r in record["speed"])
    return Table(
        head,
        tuple(rows),
        "Speed: how much longer the other library takes",
        (f"Ours: {'; '.join(ours)}.",),
    )


def growth(record: Record, axis: str) -> Table:
    """One row per curve: seconds at each size, and how many times ours that is."""
    curves = [c for c in record["growth"] if c["axis"] == axis]
    sizes = sorted({x for c in curves for x, _ in c["points"]})
    ours = {c["operation"]: dict(c["points"]) for c in curves if c["contender"] == US}
    rows, notes = [], []
    for c in curves:
        at = dict(c["points"])
        cells = [_grown(at.get(x), ours[c["operation"]].get(x), c["contender"]) for x in sizes]
        rows.append(_row(c["operation"], c["contender"], *cells))
        if c["stopped"]:
            notes.append(f"{c['operation']}, {c['contender']}: {c['stopped']}")
    head = ("operation", "who", *(f"{x:,}" for x in sizes))
    stopped = (f"Not measured: {'; '.join(notes)}.",) if notes else ()
    fixed = f" (labels: N = {record['plan']['items']:,})" if axis == CLASSES else " (K = 5)"
    caption = f"Growth with the number of {axis}{fixed}"
    return Table(head, tuple(rows), caption, ("In brackets: time relative to ordeval.", *stopped))


def peaks(record: Record) -> Table:
    """One row for each operation and library."""
    rows = [
        _row(p["operation"], p["size"], p["contender"], p["call"], _megabytes(p["bytes"]))
        for p in record["memory"]
    ]
    data = record["memory"][0]["data_bytes"] / 1e6 if record["memory"] else 0
    return Table(
        ("operation", "size", "who", "call", "MB"),
        tuple(rows),
        f"Peak memory of a call, without its data ({data:,.0f} MB)",
        (memory.METHOD,),
    )


def papers(record: Record) -> Table:
    """How many figures each library gets right, by measure."""
    tallies = record["correctness"]["papers"]
    at = {(t["measure"], t["package"]): t for t in tallies}
    rows = [
        _row(measure, *(_tally(at[measure, package]) for package in correctness.PACKAGES))
        for measure in dict.fromkeys(t["measure"] for t in tallies)
    ]
    wrong = [
        f"{t['package']}, {t['measure']} of {w['case']}: correct is {w['expected']}, {w['text']}"
        for t in tallies
        for w in t["wrong"]
    ]
    return Table(
        ("measure", *correctness.PACKAGES),
        tuple(rows),
        "Correct values on the matrices of the papers",
        (correctness.STANDARD, *wrong),
    )


def ordered(record: Record) -> list[Table]:
    """One table per measure, with a column for each library that has it."""
    judged = record["correctness"]["ordered"]
    found = []
    measures = list(dict.fromkeys(j["measure"] for j in judged))
    for measure in measures:
        own = [j for j in judged if j["measure"] == measure]
        lacking = {j["package"] for j in own if j["plain"]["verdict"] == "no such measure"}
        having = [p for p in correctness.PACKAGES if p not in lacking]
        at = {(j["case"], j["package"]): j["text"] for j in own}
        expected = {j["case"]: j["expected"] for j in own}
        rows = [
            _row(case, right, *(at[case, p] for p in having)) for case, right in expected.items()
        ]
        last = measure == measures[-1]
        found.append(
            Table(
                ("labels", "right is", *having),
                tuple(rows),
                f"Ordered data: {measure}",
                tuple(correctness.NOTES) if last else (),
            )
        )
    return found


def claims(record: Record) -> Table:
    """One row per claim: measured, claimed, and whether it holds."""
    rows = [
        _row(
            c["text"], _measured(c), f"{c['kind']} {c['bound']:,g}",
            {True: "holds", False: "FAILS", None: "not measured"}[c["holds"]], c["id"],
        )
        for c in record["claims"]
    ]  # fmt: skip
    return Table(("claim", "measured", "claimed", "verdict", "id"), tuple(rows), "Claims")


def page(record: Record) -> str:
    """A fragment of Markdown for the documentation: the machine, all tables and the plot."""
    parts = [
        sentence(record["machine"], record["packages"]),
        installed(record["megabytes"]),
        *map(
            _section,
            [answers(record), claims(record), papers(record), *ordered(record), speed(record)],
        ),
        "## Growth",
        "![Seconds over items, classes and matrices, ordeval and its peers](growth.svg)",
        *map(_section, [*(growth(record, axis) for axis in _AXES), peaks(record)]),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def installed(size: Record) -> str:
    """What `pip install ordeval` takes on disk."""
    return (
        f"Installed without extras, ordeval takes {size['alone']:.1f} MB; with its dependencies, "
        f"{size['with_needed']:.0f} MB."
    )


def _section(table: Table) -> str:
    """A table under its caption as a heading; each note is a line of a list."""
    notes = [f"- {markdown_text(note)}" for note in table.notes]
    bare = replace(table, caption="", notes=()).to_markdown()
    return "\n\n".join([f"## {table.caption}", bare.strip(), "\n".join(notes)])


def _row(*texts: Any) -> tuple[Cell, ...]:
    return tuple(Cell(str(t)) for t in texts)


def _time(seconds: float | None) -> str:
    """Seconds in a readable unit.

    >>> _time(0.00123), _time(12.3)
    ('1.2 ms', '12 s')
    """
    if seconds is None:
        return "—"
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
    unit = next((u for u, size in units.items() if seconds >= size), "µs")
    return f"{_two_digits(seconds / units[unit])} {unit}"


def _two_digits(x: float) -> str:
    return f"{x:.1f}" if x < 9.95 else f"{x:,.0f}"


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return "—"
    return f"{ratio:.2f}" if ratio < 2 else _two_digits(ratio)


def _grown(seconds: float | None, ours: float | None, who: str) -> str:
    if seconds is None:
        return "—"
    return (
        _time(seconds) if who == US or not ours else f"{_time(seconds)} ({_ratio(seconds / ours)})"
    )


def _megabytes(size: int | None) -> str:
    return "failed" if size is None else _two_digits(size / 1e6)


def _same(same: bool | None) -> str:
    return {True: "yes", False: "NO", None: "—"}[same]


def _tally(tally: Record) -> str:
    if not tally["of"]:
        return "—" if tally["verdict"] == "no such measure" else str(tally["verdict"])
    right, of = tally["right"], tally["of"]
    return f"{right} of {of}" + ("" if right == of else ", WRONG")


def _measured(claim: Record) -> str:
    if claim["measured"] is None:
        return "—"
    return f"{_ratio(claim['measured'])} {claim['unit']}"
