"""Counting where the data lives against the same query typed straight into the engine.

Ratios of the best of several interleaved rounds in one run; peak memory in a process of its own.
``python benchmarks/engines.py [ROWS]``: 10**8 rows of Parquet by default, a tenth of that as CSV
and in memory. The files are made in a temporary folder and need about 1 GB of it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

import ordeval as oe

K = 5
MODELS = [f"m{i}" for i in range(5)]
LABELS = list(range(K))
PEAK = """
import resource, sys
import ordeval as oe
oe.ConfusionMatrix.from_file(sys.argv[1], "y", sys.argv[2].split(","), [0, 1, 2, 3, 4])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def make(folder: Path, rows: int) -> tuple[str, str]:
    """A Parquet file, and a CSV file a tenth as long."""
    parquet, table = f"{folder}/preds.parquet", f"{folder}/preds.csv"
    # Each model is right seven times in ten, and errs as the others do not.
    model = "(case when random() < 0.7 then y else floor(random() * 5) end)::tinyint"
    columns = ", ".join(f"{model} as {m}" for m in MODELS)
    with duckdb.connect() as db:
        made = f"select floor(random() * 5)::tinyint as y from range({rows})"
        db.execute(f"copy (select y, {columns} from ({made})) to '{parquet}' (format parquet)")
        db.execute(f"copy (from '{parquet}' limit {rows // 10}) to '{table}' (format csv, header)")
    return parquet, table


def typed(source: str, columns: str) -> Callable[[], Any]:
    """The query as somebody would type it into DuckDB."""

    def run() -> Any:
        with duckdb.connect() as db:
            return db.sql(f"select {columns}, count(*) from {source} group by {columns}").fetchall()

    return run


def best(functions: list[Callable[[], Any]], repeat: int) -> list[float]:
    """Best seconds of each, in interleaved rounds."""
    times = [float("inf")] * len(functions)
    for _ in range(repeat):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def row(name: str, ours: Callable[[], Any], theirs: list[Callable[[], Any]], bound: float) -> bool:
    """Print one ratio, against the best of the others."""
    mine, *others = best([ours, *theirs], repeat=5)
    ratio = mine / min(others)
    verdict = "ok" if ratio <= bound else "MISSED"
    print(f"{name:<58} {ratio:5.2f}x  at most {bound:.2f}x  ({mine:.2f} s)  {verdict}", flush=True)
    return ratio <= bound


def main(rows: int = 10**8) -> int:
    """Print a row a claim; exit 1 if one misses its bound."""
    with tempfile.TemporaryDirectory() as name:
        parquet, table = make(Path(name), rows)
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

        fits = [
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
            row("narwhals on Polars, against its own query",
                lambda: oe.ConfusionMatrix.from_frame(held, "y", "m0", LABELS),
                [native_polars], 1.2),
            row("narwhals on DuckDB, against its own query",
                lambda: oe.ConfusionMatrix.from_frame(relation, "y", "m0", LABELS),
                [native_duckdb], 1.2),
        ]  # fmt: skip
        for models in ("m0", ",".join(MODELS)):
            peak = subprocess.check_output([sys.executable, "-c", PEAK, parquet, models], text=True)
            low = int(peak) < 1024
            print(f"peak memory of counting {models}: {peak.strip()} MB, below 1024: {low}")
            fits.append(low)
    return 0 if all(fits) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
