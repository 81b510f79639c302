"""The rooms of the house, in the order in which they may import: from above or from their own.

The one list: the test of imports, the reference in the documentation and CONTRIBUTING read it.
"""

from __future__ import annotations

from typing import Final

ROOMS: Final = (
    {
        "exceptions": "the tree of errors and warnings",
        "_shared": "types, text, tables, the base of results, extras, writing of files",
        "_version": "the version",
    },
    {"data": "what is observed: scale, labels in positions, counts, from arrays, frames and files"},
    {"measures": "what a measure is, the registry, and the measures, one file per family"},
    {"inference": "how sure: samples, intervals, paired tests, corrections, rankings, advice"},
    {"results": "what is handed to the user: scores, comparisons, and the conclusion in words"},
    {"evaluate": "the doors: score, compare, cases, recommend, scorers for scikit-learn"},
    {
        "meta": "measures about measures: properties with counterexamples, coverage, simulations",
        "models": "ordinal classifiers, decisions and cut points",
        "datasets": "public ordinal data",
    },
    {"plots": "displays: data, then a drawing on any axes"},
    {"report": "facts, then pictures, then one page"},
    {"papers": "the five papers recomputed, one module each"},
    {"integrations": "ordeval inside other tools, one adapter each, and logs of judges"},
    {"cli": "the command, one file each: parses, calls, prints"},
)


def room_of(module: str) -> int | None:
    """The number of a module's room; None for the package itself."""
    parts = module.split(".")
    if len(parts) < 2:
        return None
    for number, room in enumerate(ROOMS):
        if parts[1] in room:
            return number
    raise LookupError(f"{module} is in no room")


def table() -> str:
    """The rooms as a Markdown table."""
    rows = [
        f"| {number} | `{name}` | {what} |"
        for number, room in enumerate(ROOMS)
        for name, what in room.items()
    ]
    return "\n".join(["| room | module | what lives there |", "|---|---|---|", *rows])
