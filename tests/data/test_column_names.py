"""The names of the columns of a file, of every kind of file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import polars as pl
import pytest

import ordeval as oe
from ordeval.data.sources.files import FileSource

FRAME = pl.DataFrame({"item": [1, 2], "a b": [1, 2], "ü": ["x", "y"]})


def written(path: Path) -> None:
    match path.suffix:
        case ".csv":
            FRAME.write_csv(path)
        case ".parquet":
            FRAME.write_parquet(path)
        case ".jsonl":
            FRAME.write_ndjson(path)
        case ".arrow":
            FRAME.write_ipc(path)
        case ".sqlite":
            with sqlite3.connect(path) as db:
                db.execute('create table t (item, "a b", "ü")')
            db.close()
        case _:
            with duckdb.connect(str(path)) as db:
                db.execute('create table t (item int, "a b" int, "ü" text)')


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow", "sqlite", "duckdb"])
def test_every_kind_of_file_names_its_columns(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"data.{ending}"
    written(path)
    assert sorted(FileSource(path).columns()) == sorted(FRAME.columns)


def test_what_has_no_columns_says_so(tmp_path: Path) -> None:
    with pytest.raises(oe.LabelError, match="standard input must be named"):
        FileSource("-").columns()
    with pytest.raises(oe.LabelError, match="there is no file"):
        FileSource(tmp_path / "none.csv").columns()
