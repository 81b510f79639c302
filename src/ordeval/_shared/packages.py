"""The packages inside ordeval, in import order: each imports only earlier ones, or itself.

This is the only list. The import test, the reference and CONTRIBUTING read it.
"""

from __future__ import annotations

from typing import Final

PACKAGES: Final = (
    {
        "exceptions": "errors and warnings",
        "_shared": "types, text, tables, the base of results, extras, writing of files",
        "_version": "the version",
    },
    {"data": "the data: scale, labels in positions, counts, from arrays, frames and files"},
    {"measures": "the measures, one module per family, and their registry"},
    {"inference": "samples, intervals, paired tests, corrections, rankings, advice"},
    {"results": "what users get: scores, comparisons, and the conclusion in words"},
    {"evaluate": "the verbs: score, compare, cases, recommend, scorers for scikit-learn"},
    {
        "meta": "measures about measures: properties with counterexamples, coverage, simulations",
        "models": "ordinal classifiers, decisions and cut points",
        "datasets": "public ordinal data",
    },
    {"plots": "displays: data, then a drawing on any axes"},
    {"report": "facts, then pictures, then one page"},
    {"papers": "the five papers recomputed, one module each"},
    {"integrations": "adapters for other tools, one module each, and logs of judges"},
    {"cli": "the commands, one module each: parse, call, print"},
    {"__main__": "the command, as `python -m ordeval`"},
)


def package_of(module: str) -> int | None:
    """Return the place of a module's package in the import order; None for ordeval itself."""
    parts = module.split(".")
    if len(parts) < 2:
        return None
    for number, packages in enumerate(PACKAGES):
        if parts[1] in packages:
            return number
    raise LookupError(f"{module} is in no package of the list")


def table() -> str:
    """Return the packages as a Markdown table."""
    rows = [
        f"| {number} | `{name}` | {what} |"
        for number, packages in enumerate(PACKAGES)
        for name, what in packages.items()
    ]
    return "\n".join(["| order | package | contents |", "|---|---|---|", *rows])
