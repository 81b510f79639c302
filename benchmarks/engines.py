"""Counting where the data lives against the same query typed straight into the engine.

Ratios of the medians of interleaved rounds in one run; peak memory in a process of its own.
``python -m benchmarks.engines [--rows N] [--output FILE]``: 10**8 rows of Parquet by default, a
tenth of that as CSV and in memory, a hundredth as JSON lines. The files are made in a temporary
folder and need about 1 GB of it. The record that is written (by default beside that of the peers)
holds every ratio.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

import ordeval as oe
from benchmarks._measuring import ROOT, in_new_process, median_times, peak_memory
from ordeval._shared.writing import write_text

K = 5
MODELS = [f"m{i}" for i in range(5)]
LABELS = list(range(K))
MOST_MEMORY = 2**30
RECORD = ROOT / "docs" / "benchmarks" / "engines.json"


def make(folder: Path, rows: int) -> tuple[str, str, str]:
    """A Parquet file, a CSV file a tenth as long, and JSON lines of a hundredth."""
    parquet, table, lines = (f"{folder}/preds.{end}" for end in ("parquet", "csv", "jsonl"))
    # Each model is right seven times in ten, and errs as the others do not.
    model = "(case when random() < 0.7 then y else floor(random() * 5) end)::tinyint"
    columns = ", ".join(f"{model} as {m}" for m in MODELS)
    with duckdb.connect() as db:
        made = f"select floor(random() * 5)::tinyint as y from range({rows})"
        db.execute(f"copy (select y, {columns} from ({made})) to '{parquet}' (format parquet)")
        db.execute(f"copy (from '{parquet}' limit {rows // 10}) to '{table}' (format csv, header)")
        db.execute(f"copy (from '{parquet}' limit {rows // 100}) to '{lines}' (format json)")
    return parquet, table, lines


def typed(source: str, columns: str) -> Callable[[], Any]:
    """The query as somebody would type it into DuckDB."""

    def run() -> Any:
        with duckdb.connect() as db:
            return db.sql(f"select {columns}, count(*) from {source} group by {columns}").fetchall()

    return run


def row(
    name: str, ours: Callable[[], Any], theirs: list[Callable[[], Any]], bound: float
) -> dict[str, Any]:
    """Measure and print one ratio, against the best of the others."""
    mine, *others = median_times([ours, *theirs], 11)
    ratio = mine / min(others)
    held = ratio <= bound
    print(
        f"{name:<58} {ratio:5.2f}x  at most {bound:.2f}x  ({mine:.2f} s)  "
        f"{'ok' if held else 'MISSED'}",
        flush=True,
    )
    return {
        "name": name, "ours_seconds": mine, "their_seconds": min(others), "bound": bound,
        "held": held,
    }  # fmt: skip


def peak(parquet: str, models: str) -> dict[str, Any]:
    """Measure and print the memory that counting takes in a process of its own."""
    held = in_new_process("benchmarks.engines", "--peak", parquet, models)
    fits = bool(held) and int(held) < MOST_MEMORY
    shown = f"{int(held) / 2**20:.0f} MB" if held else "failed"
    print(f"peak memory of counting {models}: {shown}, below {MOST_MEMORY >> 20} MB: {fits}")
    return {"name": f"peak memory, {models}", "bytes": int(held or 0), "held": fits}


def measure(rows: int) -> list[dict[str, Any]]:
    """All rows, each printed as it comes."""
    with tempfile.TemporaryDirectory() as name:
        parquet, table, lines = make(Path(name), rows)
        count = oe.ConfusionMatrix.from_file
        every = ", ".join(["y", *MODELS])
        each = [typed(f"'{parquet}'", f"y, {m}") for m in MODELS]
        text = f"read_csv('{table}', all_varchar=true)"
        held = pl.read_parquet(parquet, n_rows=rows // 10)
        db = duckdb.connect()
        relation = db.from_arrow(held.to_arrow())

        def native_polars() -> Any:
            return held.lazy().group_by("y", "m0").agg(pl.len()).collect()

        def native_duckdb() -> Any:
            return relation.aggregate("y, m0, count(*)", "y, m0").fetchall()

        found = [
            row("Parquet, one model, against DuckDB",
                lambda: count(parquet, "y", "m0", LABELS), [typed(f"'{parquet}'", "y, m0")], 1.15),
            row("Parquet, five models, against the best way in DuckDB",
                lambda: count(parquet, "y", MODELS, LABELS),
                [typed(f"'{parquet}'", every), lambda: [f() for f in each]], 1.15),
            row("Parquet, five models, labels not declared",
                lambda: count(parquet, "y", MODELS),
                [typed(f"'{parquet}'", every), lambda: [f() for f in each]], 1.3),
            row("CSV, one model, against DuckDB's own reading",
                lambda: count(table, "y", "m0", LABELS), [typed(text, "y, m0")], 1.2),
            row("JSON lines, one model, against DuckDB's own reading",
                lambda: count(lines, "y", "m0", LABELS), [typed(f"'{lines}'", "y, m0")], 1.5),
            row("narwhals on Polars, against its own query",
                lambda: oe.ConfusionMatrix.from_frame(held, "y", "m0", LABELS),
                [native_polars], 1.2),
            row("narwhals on DuckDB, against its own query",
                lambda: oe.ConfusionMatrix.from_frame(relation, "y", "m0", LABELS),
                [native_duckdb], 1.2),
        ]  # fmt: skip
        found += [peak(parquet, models) for models in ("m0", ",".join(MODELS))]
    return found


def main() -> int:
    """Print one row per claim and write the record; exit 1 if one misses its bound."""
    parser = argparse.ArgumentParser(description="counting against the engines' own queries")
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--output", type=Path, default=RECORD)
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.peak:
        parquet, models = chosen.peak
        oe.ConfusionMatrix.from_file(parquet, "y", models.split(","), LABELS)
        print(peak_memory())
        return 0
    found = measure(chosen.rows)
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    write_text(chosen.output, json.dumps({"rows": chosen.rows, "results": found}, indent=1) + "\n")
    return 0 if all(x["held"] for x in found) else 1


if __name__ == "__main__":
    sys.exit(main())
