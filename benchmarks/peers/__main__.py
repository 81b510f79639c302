"""Run it: print tables, write the record, a page and a plot; exit 1 when a claim does not hold."""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib as mpl
from rich.console import Console

from benchmarks._measuring import ROOT
from benchmarks.peers import claims, correctness, growth, machine, memory, plot, report, speed
from benchmarks.peers.plan import FULL, QUICK, Plan
from ordeval._shared.writing import write_text

SCHEMA = 1
_WIDE = 220  # columns, where no terminal says how many it has
RECORDS = ROOT / "docs" / "benchmarks"


def run(plan: Plan, console: Console) -> dict[str, Any]:
    """Measure everything."""
    # Of the peers, about single classes and thread counts; those that matter are in the tables.
    warnings.simplefilter("ignore")
    described = machine.describe()
    speed.rehearse()
    peaks = _collect("memory", memory.all_peaks(plan), console)
    rows = _collect("speed", speed.all_rows(plan), console)
    curves = _collect("growth", growth.all_curves(plan, memory.bytes_an_item(peaks)), console)
    papers = _collect("correctness on papers", correctness.paper_cases(), console)
    ordered = _collect("correctness on ordered data", correctness.ordered_cases(), console)
    return {
        "schema": SCHEMA,
        "plan": asdict(plan),
        "machine": described,
        "packages": machine.packages(),
        "megabytes": machine.installed_megabytes(),
        "speed": [{"key": r.key, **asdict(r)} for r in rows],
        "growth": [asdict(c) for c in curves],
        "memory": [asdict(p) for p in peaks],
        "correctness": {
            "papers": [asdict(t) for t in correctness.tally(papers)],
            "ordered": [{**asdict(j), "text": j.text, "safe": j.safe} for j in ordered],
        },
    }


def _collect(name: str, parts: Iterable[Any], console: Console) -> list[Any]:
    """All parts, with a word about how far it is."""
    start, found = time.perf_counter(), []
    with console.status(name) as status:
        for part in parts:
            found.append(part)
            status.update(f"{name}: {len(found)}")
    console.print(f"{name}: {len(found)} results in {time.perf_counter() - start:.0f} s")
    return found


def judge(record: dict[str, Any], folder: Path) -> None:
    """Add the claims to the record, with what ``benchmarks.engines`` has left beside it."""
    file = folder / "engines.json"
    engines = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    found = claims.all_claims(record, engines)
    record["claims"] = [{**asdict(c), "holds": c.holds} for c in found]


def write(record: dict[str, Any], folder: Path) -> None:
    """The record, the page and the plot."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "peers.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "peers.md", report.page(record))
    write_text(folder / "growth.svg", plot.as_svg(record))


def main() -> int:
    """Measure, print, write; a quick run measures too little to judge the claims by."""
    parser = argparse.ArgumentParser(description="ordeval against its peers")
    parser.add_argument("--quick", action="store_true", help="little of everything, for a test")
    parser.add_argument("--output", type=Path, help="folder; by default docs/benchmarks")
    parser.add_argument("--again", action="store_true", help="only print and draw the record")
    chosen = parser.parse_args()
    folder = chosen.output or RECORDS
    if chosen.quick and not chosen.output:
        parser.error("a quick run needs --output: the record is of full runs")
    mpl.use("agg")
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)
    if chosen.again:
        record = json.loads((folder / "peers.json").read_text(encoding="utf-8"))
    else:
        record = run(QUICK if chosen.quick else FULL, console)
    judge(record, folder)
    write(record, folder)
    console.print(machine.sentence(record["machine"], record["packages"]), highlight=False)
    for table in report.tables(record):
        console.print()
        for part in table.to_rich(console.width):
            console.print(part, soft_wrap=True, highlight=False)
    return int(
        not record["plan"]["quick"] and any(c["holds"] is not True for c in record["claims"])
    )


if __name__ == "__main__":
    sys.exit(main())
