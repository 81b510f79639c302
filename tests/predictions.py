"""One table of predictions that the tests of frames and files share, and how it is written."""

import gzip
import sqlite3
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

LEVELS = ["low", "medium", "high"]
RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 3, 500)
A = np.where(RNG.random(500) < 0.7, TRUTH, RNG.integers(0, 3, 500))
B = np.where(RNG.random(500) < 0.5, TRUTH, RNG.integers(0, 3, 500))
WEIGHT = RNG.integers(1, 4, 500).astype(float)
WORDS = {n: np.array(LEVELS)[x].tolist() for n, x in (("y", TRUTH), ("a", A), ("b", B))}
TABLE = pa.table({**WORDS, "i": TRUTH, "j": A, "w": WEIGHT})

KINDS = ["csv", "tsv", "csv.gz", "parquet", "jsonl", "feather", "duckdb", "sqlite"]


def write(kind: str, folder: Path, table: pa.Table = TABLE) -> str:
    """The table as a file of some kind; its path."""
    path = folder / f"preds.{kind}"
    match kind:
        case "csv":
            table.to_pandas().to_csv(path, index=False)
        case "tsv":
            table.to_pandas().to_csv(path, index=False, sep="\t")
        case "csv.gz":
            with gzip.open(path, "wt") as file:
                table.to_pandas().to_csv(file, index=False)
        case "parquet":
            pyarrow.parquet.write_table(table, path)
        case "jsonl":
            table.to_pandas().to_json(path, orient="records", lines=True)
        case "feather":
            pyarrow.feather.write_feather(table, path)
        case "duckdb":
            with duckdb.connect(str(path)) as db:
                db.from_arrow(table).create("preds")
        case _:
            sqlite = sqlite3.connect(path)
            table.to_pandas().to_sql("preds", sqlite, index=False)
            sqlite.close()
    return str(path)
