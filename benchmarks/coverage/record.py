"""What was found, part by part, in a file from which the page is made.

A whole run takes long: a part can be simulated anew, and the others are kept. Every table is held
as its columns and its rows. A cell is ``[hits, of, bound]`` of a rate, with the place of its bound
in a list, or a number that is shown and not judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.tasks import SEED

_DOCS: Final = Path(__file__).parents[2] / "docs"
RECORD: Final = _DOCS / "benchmarks" / "coverage.json"
PAGE: Final = _DOCS / "validation.md"


class Part(NamedTuple):
    """What was found in one part of the simulation."""

    data_sets: int  # for a cell
    found: list[Rate | Amount]
    seed: int = SEED


def read(path: Path | None = None) -> dict[str, Part]:
    """The parts of a record; none if there is no such file."""
    path = path or RECORD
    if not path.exists():
        return {}
    parts = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Part(part["data_sets"], list(_cells(part)), part["seed"])
        for name, part in parts.items()
    }


def write(parts: dict[str, Part], names: Iterable[str], path: Path | None = None) -> None:
    """Write the parts in the order of their names, one row of a table in a line."""
    known = {name: _packed(parts[name]) for name in names if name in parts}
    # A list is never followed by a name within a string of JSON, whose quotes are escaped.
    text = json.dumps(known, separators=(",", ":")).replace('],"', '],\n"')
    (path or RECORD).write_text(text + "\n", encoding="utf-8")


def _packed(part: Part) -> dict[str, Any]:
    bounds = list(dict.fromkeys(x.bound for x in part.found if isinstance(x, Rate)))
    tables: dict[str, Any] = {}
    for name in dict.fromkeys(x.table for x in part.found):
        cells = {(x.row, x.column): x for x in part.found if x.table == name}
        columns = list(dict.fromkeys(column for _, column in cells))
        rows = {
            row: [_cell(cells.get((row, column)), bounds) for column in columns] for row, _ in cells
        }
        tables[name] = {"columns": columns, "rows": rows}
    return {"data_sets": part.data_sets, "seed": part.seed, "bounds": bounds, "tables": tables}


def _cell(found: Rate | Amount | None, bounds: list[Bound]) -> Any:
    if isinstance(found, Rate):
        return [found.hits, found.of, bounds.index(found.bound)]
    return None if found is None else found.value


def _cells(part: dict[str, Any]) -> Iterable[Rate | Amount]:
    bounds = [Bound(*b) for b in part["bounds"]]
    for table, held in part["tables"].items():
        for row, cells in held["rows"].items():
            for column, cell in zip(held["columns"], cells, strict=True):
                if isinstance(cell, list):
                    hits, of, bound = cell
                    yield Rate(table, row, column, hits, of, bounds[bound])
                elif cell is not None:
                    yield Amount(table, row, column, cell)
