"""What strangers hand over: no wrong number without a word, no lost file, one sentence each."""

from __future__ import annotations

import gzip
import io
import json
import os
import sqlite3
import sys
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.asking import of_file, of_frame
from tests.predictions import KINDS, LEVELS, TABLE, WORDS, write

import ordeval as oe
from ordeval.data.sources import (
    csv_files as _csv,
    duckdb_files as _duckdb,
    files,
    text_files as _text,
)

count = oe.ConfusionMatrix.from_file
ENGINES = ["duckdb", "python"]
TWO = pa.table({"y": [1, 2, 2], "p": [1, 2, 1]})


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """CSV with DuckDB at hand, and without."""
    if request.param == "python":
        monkeypatch.setattr(files, "find_spec", lambda _: None)
    return str(request.param)


def csv_file(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def sent(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


# Folders that look like partitions


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("duckdb", "sqlite")])
def test_the_name_of_a_folder_replaces_no_column(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "y=low" / "a=high"
    folder.mkdir(parents=True)
    path = write(kind, folder)
    expected = oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS)
    assert count(path, "y", "a", LEVELS) == expected
    assert count(f"{folder}/*.{kind}", "y", "a", LEVELS) == expected
    if kind == "parquet":
        assert count(folder, "y", "a", LEVELS) == expected
    with pytest.raises(
        oe.LabelError, match="'y' is both a column of the files and part of the names of"
    ):
        count(f"{tmp_path}/*/*/*.{kind}", "y", "a", LEVELS)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "feather"])
def test_folders_of_a_pattern_are_columns(kind: str, tmp_path: Path) -> None:
    parts = {"2024-01-01": TABLE[:200], "2024-02-01": TABLE[200:400], None: TABLE[400:]}
    for day, part in parts.items():
        folder = tmp_path / f"day={day or '__HIVE_DEFAULT_PARTITION__'}"
        folder.mkdir()
        write(kind, folder, part)
    pattern = f"{tmp_path}/*/preds.{kind}"
    by = count(pattern, "y", "a", LEVELS, "w", by="day", missing="drop")
    assert by.by == ("2024-01-01", "2024-02-01")
    assert by.dropped == oe.results.Dropped(missing=100)
    assert by[0] == count(f"{tmp_path}/day=2024-01-01/*.{kind}", "y", "a", LEVELS, "w")
    whole = oe.ConfusionMatrix.from_frame(TABLE, "y", "a", LEVELS, "w")
    assert count(pattern, "y", "a", LEVELS, "w") == whole


def test_linked_folders_are_read_once_and_none_is_lost(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "elsewhere").mkdir()
    pyarrow.parquet.write_table(TWO, tmp_path / "elsewhere" / "A.PARQUET")
    (tmp_path / "all" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "all")
    assert count(tmp_path / "all", "y", "p", [1, 2]).total == 3
    spark = tmp_path / "spark.parquet"
    spark.mkdir()
    pyarrow.parquet.write_table(TWO, spark / "part-0.parquet")
    (spark / "_SUCCESS").touch()
    assert count(f"{tmp_path}/*.parquet", "y", "p", [1, 2]).total == 3


# Headers


def test_a_header_of_several_lines(engine: str, tmp_path: Path) -> None:
    path = csv_file(tmp_path, '"what\nis\nit";y;p\n"a\nb";1;1\nc;2;1\n')
    assert count(path, "y", "p", [1, 2]).counts.tolist() == [[1, 0], [1, 0]]
    path = csv_file(tmp_path, '"y\n1",p\n1,1\n2,2\n')
    assert count(path, "y\n1", "p", [1, 2]).total == 2


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\n\n\n", "\r"])
def test_empty_lines_are_no_rows(engine: str, blank: str, tmp_path: Path) -> None:
    end = blank if len(set(blank)) == len(blank) else "\n"
    text = blank + end.join(["y,p", "1,1", "", "2,2", ""]) + blank
    assert count(csv_file(tmp_path, text), "y", "p").counts.tolist() == [[1, 0], [0, 1]]


def doubled(kind: str, folder: Path) -> str:
    """A file with two columns y."""
    table = pa.table([[1, 2], [2, 2], [1, 2]], names=["y", "y", "p"])
    path = str(folder / f"t.{kind}")
    match kind:
        case "csv":
            Path(path).write_text("y,y,p\n1,2,1\n2,2,2\n")
        case "jsonl":
            Path(path).write_text('{"y": 1, "p": 1}\n{"y": 2, "p": 2, "y": 1}\n')
        case "parquet":
            pyarrow.parquet.write_table(table, path)
        case "arrow":
            with pa.ipc.new_file(path, table.schema) as file:
                file.write(table)
        case _:
            with sqlite3.connect(path) as db:
                db.execute("create view v as select 1 as y, 2 as y, 1 as p")
            db.close()
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow", "sqlite"])
def test_columns_of_one_name_are_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(oe.LabelError, match="there are several columns 'y'"):
        count(doubled(kind, tmp_path), "y", "p", [1, 2])


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_columns_of_one_name_that_are_not_asked_for(kind: str, tmp_path: Path) -> None:
    path = doubled(kind, tmp_path)
    if kind == "csv":
        csv_file(tmp_path, "y,p,z,z\n1,1,,\n")
        assert count(path, "y", "p", [1, 2]).total == 1
    else:
        with pytest.raises(oe.LabelError, match="no column 'q'"):
            count(path, "p", "q", [1, 2])


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet", "feather"])
def test_columns_that_differ_in_case_only(kind: str, tmp_path: Path, engine: str) -> None:
    table = pa.table({"Y": [1, 1, 1], "y": [1, 2, 2], "P": [2, 2, 2], "p": [1, 2, 1]})
    path = write(kind, tmp_path, table)
    assert count(path, "y", "p", [1, 2]).counts.tolist() == [[1, 0], [1, 1]]
    assert count(path, "Y", "P", [1, 2]).counts.tolist() == [[0, 3], [0, 0]]
    stack = count(path, "y", ["P", "p"], [1, 2])
    assert stack.counts.tolist() == [[[0, 1], [0, 2]], [[1, 0], [1, 1]]]
    path = write(kind, tmp_path, TWO)
    with pytest.raises(oe.LabelError, match="no column 'Y'"):
        count(path, "Y", "p", [1, 2])


def test_files_that_spell_a_column_differently(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(TWO, tmp_path / "a.parquet")
    pyarrow.parquet.write_table(TWO.rename_columns(["y", "P"]), tmp_path / "b.parquet")
    cm = count(tmp_path, "y", "p", [1, 2], missing="drop")
    assert (cm.total, cm.dropped) == (3, oe.results.Dropped(missing=3))


def test_columns_of_parquet_that_hold_others(tmp_path: Path) -> None:
    nested = pa.array([{"y": 9, "deep": {"p": 9}}] * 3)
    table = pa.table({"before": nested, "y": [1, 2, 2], "Y": nested, "p": [1, 2, 1]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    assert count(tmp_path / "t.parquet", "y", "p", [1, 2]).total == 3
    with pytest.raises(oe.LabelError, match="'Y' must hold labels"):
        count(tmp_path / "t.parquet", "Y", "p", [1, 2])


# What is packed


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "t.jsonl.gz", "-"])
@pytest.mark.parametrize("fault", ["checksum", "length", "cut", "changed", None])
def test_what_is_packed_must_be_whole(
    engine: str, name: str, fault: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ['{"y": 1, "p": 1}'] if "json" in name else ["y,p", *["1,1"] * 20]
    data = bytearray(gzip.compress("\n".join(lines).encode()))
    match fault:
        case "checksum":
            data[-8] ^= 1
        case "length":
            data[-1] ^= 1
        case "cut":
            del data[-9:]
        case "changed":
            data[len(data) // 2] ^= 255
    path: Any = name
    if name == "-":
        sent(monkeypatch, bytes(data))
    else:
        path = csv_file(tmp_path, bytes(data), name)
    if fault is None:
        assert count(path, "y", "p", [1, 2]).total == (1 if "json" in name else 20)
    else:
        with pytest.raises(oe.LabelError, match="could not be read"):
            count(path, "y", "p", [1, 2])


def test_packed_in_several_pieces(engine: str, tmp_path: Path) -> None:
    pieces = gzip.compress(b"y,p\n1,1\n") + gzip.compress(b"2,2\n2,2\n")
    path = csv_file(tmp_path, pieces, "t.csv.gz")
    assert count(path, "y", "p").counts.tolist() == [[1, 0], [0, 2]]


# Labels stay what they are


@pytest.mark.parametrize(
    "labels",
    [
        ["2024-01-01", "2024-01-02"],
        ["12:30:00", "2024-01-01 10:00:00"],
        ["6ecd8c99-4036-403d-bf84-cf8400f67836", "6ecd8c99-4036-403d-bf84-cf8400f67837"],
        ["01", "1"], ["1.0", "1"], ["true", "false"], ["null", "NaN"], ["Infinity", "1e5"],
        ["é\n\"'\\", "{}"], [True, False], [1, 2], [0.5, 1.5],
    ],
    ids=str,
)  # fmt: skip
def test_labels_of_json_stay_what_they_are(labels: list[Any], tmp_path: Path) -> None:
    low, high = labels
    rows = [{"y": low, "p": low}, {"y": high, "p": low}, {"y": high, "p": None}, {"y": low}]
    text = "\n".join(map(json.dumps, rows))
    for path in (
        csv_file(tmp_path, text, "t.jsonl"), csv_file(tmp_path, json.dumps(rows), "t.json"),
        csv_file(tmp_path, gzip.compress(text.encode()), "t.jsonl.gz"),
    ):  # fmt: skip
        cm = count(path, "y", "p", labels, missing="drop")
        assert cm.counts.tolist() == [[1, 0], [1, 0]]
        assert cm.dropped == oe.results.Dropped(missing=2)


def test_keys_of_json_are_only_names(tmp_path: Path) -> None:
    names = ["a/b", "a~1b", 'q"', "$.y", "it's", ""]
    for name in names:
        row = {name: 1, "p": 2, "other": {"y": 3}}
        path = csv_file(tmp_path, json.dumps(row), "t.jsonl")
        assert count(path, name, "p", [1, 2]).counts.tolist() == [[0, 1], [0, 0]]
    for text, message in (
        ('{"y": 1, "p": 1}\n[1, 2]\n', "every line of JSON must be an object"),
        ('{"y": [1], "p": 1}\n', "'y' must hold labels, one per item; one is a list"),
        ('{"y": 1, "p": 1}\n{"y": 1, ', "could not be read"),
        ('{"y": %s, "p": 1}\n' % ("9" * 5000), "5,000 characters"),
        ("", "could not be read|no rows|no column"),
    ):
        path = csv_file(tmp_path, text, "t.jsonl")
        with pytest.raises(oe.LabelError, match=message):
            count(path, "y", "p", [1, 2])


_ODD_JSON = {
    "plain": ['{"y": 1, "p": 2}'] * 3,
    "texts and numbers": [
        '{"y": "1", "p": 1}',
        '{"y": 1.0, "p": 1e0}',
        '{"y": "é", "p": "\\u00e9"}',
    ],
    "null and absent": ['{"y": null, "p": 1}', '{"y": 1, "p": 1}', '{"p": 1}'],
    "nothing at all": ['{"y": 1, "p": 1}', '{"x": 1}'],
    "all null": ['{"y": null, "p": 1}'],
    "a line of null": ['{"y": 1, "p": 1}', "null"],
    "a line of 3": ['{"y": 1, "p": 1}', "3"],
    "a list": ['{"y": [1], "p": 1}'],
    "an object": ['{"y": {"a": 1}, "p": 1}'],
    "twice": ['{"y": 1, "y": 2, "p": 1}'],
    "another twice": ['{"y": 1, "x": 2, "x": 3, "p": 1}'],
    "capitals": ['{"y": 1, "Y": 2, "p": 1}', '{"Y": 1, "p": 2}'],
    "no such key": ['{"Y": 1, "p": 1}'],
    "two in a line": ['{"y": 1, "p": 1}{"y": 2, "p": 1}'],
    "over lines": ["{", '"y": 1,', '"p": 1}'],
    "cut off": ['{"y": 1, "p": 1}', '{"y": 1, '],
    "empty lines": ['{"y": 1, "p": 1}', "", '{"y": 2, "p": 1}'],
    "an array": ['[{"y": 1, "p": 1}, {"y": 2, "p": 1}]'],
    "weights": ['{"y": 1, "p": 1, "w": 2}', '{"y": 1, "p": 1, "w": "2.5"}'],
    "a weight that is none": ['{"y": 1, "p": 1, "w": "heavy"}'],
    "a weight below 0": ['{"y": 1, "p": 1, "w": -1}'],
    "a weight is missing": ['{"y": 1, "p": 1, "w": 1}', '{"y": 1, "p": 1}'],
}


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("lines", _ODD_JSON.values(), ids=list(_ODD_JSON))
def test_json_by_its_keys_is_what_its_objects_say(
    lines: list[str], weight: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_file(tmp_path, "\n".join(lines) + "\n", "t.jsonl")

    def found() -> Any:
        try:
            rows = files.FileSource(path).rows(["y", "p"], weight)
        except oe.LabelError as error:
            return str(error)
        assert rows.places is not None
        assert (rows.weight is None) == (weight is None)
        weights = np.zeros(len(rows.count)) if rows.weight is None else rows.weight
        total: dict[str, Any] = {}  # null and an absent key may be two rows or one
        pairs = zip(rows.columns["y"], rows.columns["p"], strict=True)
        for pair, n, w in zip(pairs, rows.count.tolist(), weights.tolist(), strict=True):
            total[repr(pair)] = total.get(repr(pair), 0) + n + 1j * w
        return total, {c: rows.places(c) for c in "yp"}

    by_keys = found()
    monkeypatch.setattr(_duckdb, "_declared_rows", lambda *_: None)
    assert by_keys == found()


def test_plain_json_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_duckdb, "_pointers", None)  # nobody looks at whole objects
    path = csv_file(tmp_path, '{"y": 1, "p": 2, "w": 0.5}\n{"y": 2, "p": null}\n', "t.jsonl")
    with pytest.raises(TypeError):  # but for the place of what is missing
        count(path, "y", "p", [1, 2])
    assert count(path, "y", "p", [1, 2], missing="drop").counts.tolist() == [[0, 1], [0, 0]]


# Columns that mean two things


DOORS: dict[str, Any] = {
    "from_file": lambda path, frame, **o: count(path, o.pop("truth"), o.pop("pred"), **o),
    "from_frame": lambda path, frame, **o: oe.ConfusionMatrix.from_frame(
        frame, o.pop("truth"), o.pop("pred"), **o
    ),
    "score of a file": lambda path, frame, **o: of_file(oe.score, path, **o),
    "score of a frame": lambda path, frame, **o: of_frame(oe.score, frame, **o),
    "compare a file": lambda path, frame, **o: of_file(oe.compare, path, **o),
    "compare a frame": lambda path, frame, **o: of_frame(oe.compare, frame, **o),
}


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("door", DOORS)
def test_a_column_means_one_thing(door: str, container: Any, tmp_path: Path) -> None:
    frame = container({"y": [1, 2, 1, 2], "p": [1, 2, 2, 2], "g": [1, 2, 3, 4]})
    path = csv_file(tmp_path, "y,p,g\n1,1,1\n2,2,2\n")

    def ask(**options: Any) -> None:
        DOORS[door](path, frame, **{"truth": "y", "pred": "p", "labels": [1, 2], **options})

    with pytest.raises(oe.LabelError, match="truth and pred name the same column, 'y'"):
        ask(pred="y")
    with pytest.raises(oe.LabelError, match="weight and truth name the same column, 'y'"):
        ask(weight="y")
    with pytest.raises(oe.LabelError, match="weight and pred name the same column, 'p'"):
        ask(weight="p")
    if "from" not in door:
        with pytest.raises(oe.LabelError, match="clusters and truth name the same column, 'y'"):
            ask(clusters="y")
    if "score" not in door:
        with pytest.raises(oe.LabelError, match="truth and pred name the same column, 'y'"):
            ask(pred=["p", "y"])
        with pytest.raises(oe.LabelError, match="list of different columns"):
            ask(pred=["p", "p"])


# Tables and names


def test_a_table_is_the_one_that_is_named(tmp_path: Path) -> None:
    duck, lite = tmp_path / "t.duckdb", tmp_path / "t.sqlite"
    made = [
        'create table t as select 1 as y, 1 as p',
        'create table "main.t" as select 2 as y, 2 as p',
    ]  # fmt: skip
    with duckdb.connect(str(duck)) as db:
        for command in [*made, "create schema s", "create table s.u as select 1 as y, 2 as p"]:
            db.execute(command)
    with sqlite3.connect(lite) as lite_db:
        for command in made:
            lite_db.execute(command)
    lite_db.close()
    for path in (duck, lite):
        assert count(path, "y", "p", [1, 2], table="t").counts.tolist() == [[1, 0], [0, 0]]
        assert count(path, "y", "p", [1, 2], table="main.t").counts.tolist() == [[0, 0], [0, 1]]
        with pytest.raises(oe.LabelError, match=r"no table 'T'.* the file has .*'main.t'"):
            count(path, "y", "p", [1, 2], table="T")
        with pytest.raises(oe.LabelError, match="name one of the tables with table="):
            count(path, "y", "p", [1, 2])
    assert count(duck, "y", "p", [1, 2], table="s.u").counts.tolist() == [[0, 1], [0, 0]]
    for table in ("u", "t.main.t", '"t"', ""):
        with pytest.raises(oe.LabelError, match="there is no table"):
            count(duck, "y", "p", [1, 2], table=table)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "jsonl", "feather"])
def test_a_table_of_a_file_without_tables_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(kind, tmp_path)
    for asked in (path, f"{tmp_path}/*.{kind}"):
        with pytest.raises(oe.LabelError, match="table names a table of a DuckDB or SQLite file"):
            count(asked, "y", "a", LEVELS, table="preds")
    sent(monkeypatch, b"y,p\n1,1\n")
    with pytest.raises(oe.LabelError, match=r"standard input is CSV\. Leave it out"):
        count("-", "y", "p", [1, 2], table="t")


def test_a_tilde_in_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    for place, label in ((home / "x.csv", 1), (tmp_path / "~x.csv", 2)):
        place.write_text(f"y,p\n{label},{label}\n")
    assert count("~x.csv", "y", "p", [1, 2]).counts.tolist() == [[0, 0], [0, 1]]
    assert count("~/x.csv", "y", "p", [1, 2]).counts.tolist() == [[1, 0], [0, 0]]
    pyarrow.parquet.write_table(TWO, tmp_path / "~x.parquet")
    assert count("~x.parquet", "y", "p", [1, 2]).total == 3
    (tmp_path / "~x.csv").unlink()
    with pytest.raises(oe.LabelError, match=r"there is no file '~x\.csv'"):
        count("~x.csv", "y", "p", [1, 2])


# Names that lie, and places that are far away


@pytest.mark.parametrize("said", ["duckdb", "csv", "parquet", "jsonl", "arrow", "dat"])
@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "parquet", "feather"])
def test_the_content_of_a_file_counts(kind: str, said: str, tmp_path: Path) -> None:
    path = Path(write(kind, tmp_path)).rename(tmp_path / f"renamed.{said}")
    assert count(path, "y", "a", LEVELS) == (
        oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS)
    )


@pytest.mark.parametrize("said", ["duckdb", "parquet", "arrow", "sqlite"])
def test_text_under_a_name_of_another_kind(said: str, tmp_path: Path) -> None:
    path = csv_file(tmp_path, "y,p\n1,1\n", f"t.{said}")
    with pytest.raises(oe.LabelError, match="could not be read: by its name it is"):
        count(path, "y", "p", [1, 2])


@pytest.mark.parametrize("path", [
    "http://localhost:1/x.csv", "s3://bucket/*.parquet", "https://localhost:1/x.parquet",
    "gcs://b/x.jsonl", "hf://datasets/x/y.parquet",
])  # fmt: skip
def test_only_local_files_are_read(path: str) -> None:
    with pytest.raises(oe.LabelError, match=r"is not a local file|no file matches"):
        count(path, "y", "p", [1, 2])


def test_duckdb_opens_the_given_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a query could do, were one ever to say so."""
    from ordeval.data.sources import duckdb_engine
    from ordeval.data.sources.paths import parts_of

    pyarrow.parquet.write_table(TWO, tmp_path / "given.parquet")
    pyarrow.parquet.write_table(TWO, tmp_path / "other.parquet")
    parts = parts_of(str(tmp_path / "given.parquet"))
    with duckdb_engine.connected(parts, None) as db:
        assert db.execute(f"select count(*) from '{parts[0].path}'").fetchone() == (3,)
        for command in (
            f"select * from '{tmp_path}/other.parquet'", "select * from '/etc/hostname'",
            "install sqlite", "load sqlite", f"attach '{tmp_path}/x.duckdb'",
            f"copy (select 1) to '{tmp_path}/out.csv'", "set enable_external_access = true",
            "select * from 'http://localhost:1/x.parquet'",
        ):  # fmt: skip
            with pytest.raises(duckdb.Error):
                db.execute(command)
        said = db.execute(
            "select current_setting('autoinstall_known_extensions'), "
            "current_setting('autoload_known_extensions')"
        )
        assert said.fetchone() == (False, False)


# Places without data


def test_paths_that_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for path, message in {
        "": "the path is empty", "empty": "holds no Parquet files; .* such as 'empty/\\*.csv'",
        "gone.csv": "a link to a file that is not there", "absent.csv": "there is no file",
        "pipe.csv": "give - as the path", "*.tsv": "no file matches",
        "a\0b.csv": "there is no file",
        "/dev/null": "give - as the path", "pipe.cs[v]": "give - as the path",
    }.items():  # fmt: skip
        with pytest.raises(oe.LabelError, match=message):
            count(path, "y", "p", [1, 2])


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.sqlite", "t.arrow"])
def test_a_file_that_may_not_be_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_file(tmp_path, "y,p\n1,1\n", name)

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(oe.LabelError, match="could not be read: Permission denied"):
        count(path, "y", "p", [1, 2])


# Text that is none, and too much of it


TEXT = {
    "UTF-16": ("y,p\n1,1\n".encode("utf-16"), "text in UTF-16; convert it with: iconv -f UTF-16"),
    "UTF-16 without a mark": ("y,p\n1,1\n".encode("utf-16-le"), "text in UTF-16; convert"),
    "UTF-16, other end first": ("y,p\n1,1\n".encode("utf-16-be"), "text in UTF-16; convert"),
    "UTF-32": ("y,p\n1,1\n".encode("utf-32"), "text in UTF-32; convert it with: iconv -f UTF-32"),
    "UTF-32 without a mark": ("y,p\n1,1\n".encode("utf-32-le"), "text in UTF-32; convert"),
    "Latin-1": ("y,p\n1,é\n".encode("latin-1"), "is not UTF-8; save it as UTF-8"),
    "NUL": (b"y,p\n1,1\n1,\0\n", "NUL bytes"),
    "binary": (bytes(range(256)) * 20, "NUL bytes"),
    "ZIP": (b"PK\x03\x04 and more", "a ZIP archive or a workbook"),
    "zstd": (b"\x28\xb5\x2f\xfd and more", "what zstd packed is broken"),
    "xz": (b"\xfd7zXZ\x00 and more", "packed with xz"),
    "bzip2": (b"BZh91AY and more", "packed with bzip2"),
    "nothing": (b"", "is empty|nothing to read"),
    "a mark only": (b"\xef\xbb\xbf", "is empty|nothing to read"),
    "empty lines": (b"\n\n\n", "is empty|nothing to read"),
    "an open quote": (b'y,p,z\n1,1,a\n2,2,"b\n1,1,a\n', "a quote is opened and never closed"),
    "after a quote": (b'y,p\n1,"1"1\n', "something follows a closing quote"),
    "digits": (b"y,p\n1,1\n2," + b"9" * 5000 + b"\n", "5,000 characters"),
}


@pytest.mark.parametrize("name", TEXT)
@pytest.mark.parametrize("place", ["file", "gzip", "pattern", "input"])
def test_text_that_is_none_is_one_sentence(
    engine: str, name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, message = TEXT[name]
    path: Any = "-"
    if place == "input":
        sent(monkeypatch, data)
    elif place == "gzip":
        path = csv_file(tmp_path, gzip.compress(data), "t.csv.gz")
        message += "|NUL bytes|is not UTF-8|no column"
    else:
        path = csv_file(tmp_path, data)
    if place == "pattern":
        path = f"{tmp_path}/*.csv"
    with pytest.raises(oe.LabelError, match=message) as caught:
        count(path, "y", "p", [1, 2])
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"y,p\n", b"y,p", b"y,p\n\n"])
def test_a_header_alone_has_no_items(engine: str, data: bytes, tmp_path: Path) -> None:
    path = csv_file(tmp_path, data)
    assert count(path, "y", "p", [1, 2]).total == 0
    with pytest.raises(oe.ScaleError, match="There are no labels, so no scale is implied"):
        count(path, "y", "p")
    with pytest.raises(oe.LabelError, match="no item has a label in every column"):
        oe.compare(oe.Predictions.from_file(path, "y", "p", labels=[1, 2]))


def test_what_python_reads_is_read(engine: str, tmp_path: Path) -> None:
    long = "x" * 5_000_000
    for text in (
        "y,p\r\n1,1\n2,2\r1,1\n2,2\r\n",
        f'y,answer,p\n1,"{long}\n{long}",1\n2,{long},2\n1,,1\n2,"a ""b"" c",2\n',
        'y,a,p\n1,5" wide,1\n2,it\'s,2\n1,"",1\n2,"a\r\nb",2\n',
        '\ufeff"y","p"\n1,1\n2,2\n1,1\n2,2',
        "y|p\n1|1\n2|2\n1|1\n2|2\n",
    ):
        path = csv_file(tmp_path, text)
        assert count(path, "y", "p", [1, 2]).counts.tolist() == [[2, 0], [0, 2]]
        packed = csv_file(tmp_path, gzip.compress(text.encode()), "t.csv.gz")
        assert count(packed, "y", "p", [1, 2]).counts.tolist() == [[2, 0], [0, 2]]


def test_the_longest_field_of_the_process_stays(tmp_path: Path) -> None:
    import csv

    before = csv.field_size_limit()
    count(csv_file(tmp_path, 'y,p,a\n1,1,"a\nb"\n'), "y", "p", [1, 2])
    with pytest.raises(oe.LabelError):
        count(csv_file(tmp_path, 'y,p,a\n1,1,"a\n'), "y", "p", [1, 2])
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("place", ["file", "gzip", "input"])
@pytest.mark.parametrize("text", [b"x", b"y,p\n1,", b'y,p\n1,"1\n'])
def test_a_line_without_end_is_refused_in_time(
    engine: str, place: str, text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_text, "LONGEST", 2**20)
    monkeypatch.setattr(_csv, "LONGEST", 2**20)
    data = text + (b"a\n" if b'"' in text else b"aa") * 2**21
    path: Any = "-"
    if place == "input":
        sent(monkeypatch, gzip.compress(data))
    elif place == "gzip":
        path = csv_file(tmp_path, gzip.compress(data), "t.csv.gz")
    else:
        path = csv_file(tmp_path, data)
    with pytest.raises(oe.LabelError, match="is longer than 1 MB"):
        count(path, "y", "p", [1, 2])


@pytest.mark.parametrize("place", ["file", "input"])
def test_too_many_distinct_rows_are_one_sentence(
    engine: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ordeval.data.sources import duckdb_relations, frames
    from ordeval.data.sources.texts import rows_of_texts

    for module in (rows_of_texts, duckdb_relations, frames):
        monkeypatch.setattr(module, "MAX_DISTINCT_ROWS", 1000)
    data = "y,p\n" + "\n".join(f"{i},{i / 7}" for i in range(2000))
    path: Any = csv_file(tmp_path, data)
    if place == "input":
        sent(monkeypatch, data.encode())
        path = "-"
    with pytest.raises(oe.LabelError, match="more than 1,000 distinct rows"):
        count(path, "y", "p", [1, 2])


def test_memory_that_runs_out_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(files, "parts_of", full)
    with pytest.raises(oe.LabelError, match="does not fit into memory"):
        count(tmp_path / "t.csv", "y", "p", [1, 2])


# Where labels are


ODD = {"y": ["low", "high", None, "high", "low"], "p": ["low", "hgih", "low", None, "hgih"]}


@pytest.mark.parametrize("kind", [*KINDS, "arrow stream"])
def test_labels_that_do_not_fit_are_named_with_their_rows(kind: str, tmp_path: Path) -> None:
    table = pa.table(ODD)
    if kind == "arrow stream":
        path = str(tmp_path / "t.arrow")
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write(table)
    else:
        path = write(kind, tmp_path, table)
    lines = kind in ("csv", "tsv", "csv.gz")
    at = {i: f"row {i}, line {i + 1}" if lines else f"row {i}" for i in range(1, 6)}
    scale = oe.Scale(["low", "high"])
    expected = (
        f"y has 1 missing value ({at[3]}). p has 1 missing value ({at[4]}). p has 2 labels outside "
        f"the scale {scale}: 'hgih' (2 items; the first in {at[2]}). 'hgih' looks like "
        f"'high'. Rows of data are counted from 1. Every item needs a label; fill them in, or use "
        f'missing="drop" to drop these items; the result keeps count. Correct them, add the level '
        f'to labels=, or use unknown="drop" to drop these items; the result keeps count.'
    )
    for door in (count, partial(of_file, oe.score), partial(of_file, oe.compare)):
        with pytest.raises(oe.LabelError) as caught:
            door(path, "y", "p", labels=scale)
        assert str(caught.value) == expected
    with pytest.raises(oe.LabelError, match=r"^p has 2 labels outside"):
        count(path, "y", "p", scale, missing="drop")


def test_rows_of_several_files_and_of_standard_input(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = "y,p\n1,1\n", 'y,p,a\n1,1,"x\n\ny"\n\n1,9,\n9.0,1,\n'
    csv_file(tmp_path, good, "a.csv")
    csv_file(tmp_path, bad, "b.csv")
    said = r"^y .*: 9 \(row 3, line 7{0}\)\. p .*: 9 \(row 2, line 6{0}\)"
    with pytest.raises(oe.LabelError, match=said.format(" of '.*b.csv'")):
        count(f"{tmp_path}/*.csv", "y", "p", [1, 2])
    sent(monkeypatch, bad.encode())
    with pytest.raises(oe.LabelError, match=said.format("")):
        count("-", "y", "p", [1, 2])


def test_rows_are_those_of_the_file_however_many_there_are(tmp_path: Path) -> None:
    n, at = 300_000, 271_828
    table = pa.table({"y": [1] * n, "p": [3 if i + 1 == at else 1 for i in range(n)]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", row_group_size=1000)
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        with pytest.raises(oe.LabelError, match=rf"3 \(row {at:,}\)"):
            count(tmp_path / name, "y", "p", [1, 2])


@pytest.mark.parametrize("text", ["NA", "n/a", "null", "NaN", "None", "-", "nan", "<NA>"])
def test_text_that_may_mean_missing(engine: str, text: str, tmp_path: Path) -> None:
    path = csv_file(tmp_path, f"y,p\nlow,low\nhigh,{text}\nhigh,high\n")
    with pytest.raises(oe.LabelError) as caught:
        count(path, "y", "p", ["low", "high"])
    assert (
        f'If {text!r} stands for a missing value, leave it empty (None) and use missing="drop", or '
        f'use unknown="drop".'
    ) in str(caught.value)
    dropped = count(path, "y", "p", ["low", "high"], unknown="drop")
    assert (dropped.total, dropped.dropped) == (2, oe.results.Dropped(unknown=1))
    path = csv_file(tmp_path, f"y,p\n1,1\n2,{text}\n3,3\n")
    with pytest.raises(oe.ScaleError) as undeclared:
        count(path, "y", "p")
    assert str(undeclared.value).startswith(
        f"p holds the text {text!r} (row 2, line 3) among integers, so no scale is "
        "implied. Declare it: labels=oe.Scale.range(1, 3)."
    )
    assert count(path, "y", "p", range(1, 4), unknown="drop").total == 2


# Types of other libraries


@pytest.mark.parametrize("kind", ["ipc", "ipc_stream", "parquet"])
def test_types_of_polars(kind: str, tmp_path: Path) -> None:
    levels = pl.Enum(["low", "medium", "high"])
    frame = pl.DataFrame({
        "e": pl.Series(["high", "low", None], dtype=levels),
        "c": pl.Series(["high", "high", "low"], dtype=pl.Categorical),
        "s": ["high", "low", "low"], "n": pl.Series([1, 2, None], dtype=pl.UInt8),
        "d": [Decimal(1), Decimal(2), Decimal(2)],
    })  # fmt: skip
    path = tmp_path / f"t.{'parquet' if kind == 'parquet' else 'arrow'}"
    getattr(frame, f"write_{kind}")(path)
    labels = ["low", "medium", "high"]
    expected = [[0, 0, 1], [0, 0, 0], [0, 0, 1]]
    assert count(path, "e", "c", labels, missing="drop").counts.tolist() == expected
    assert count(path, "s", "c", labels).counts.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 1]]
    assert count(path, "n", "d", [1, 2], missing="drop").counts.tolist() == [[1, 0], [0, 1]]
    if kind != "parquet":  # Parquet has no word for an order
        cm = count(path, "e", "c", missing="drop")
        assert (cm.scale, cm.counts.tolist()) == (oe.Scale(labels), expected)


@pytest.mark.parametrize("kind", ["ipc", "parquet"])
def test_integers_of_128_bits_are_one_sentence(kind: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": pl.Series([1, 2], dtype=pl.Int128), "p": [1, 2]})
    path = tmp_path / f"t.{'arrow' if kind == 'ipc' else kind}"
    getattr(frame, f"write_{kind}")(path)
    with pytest.raises(oe.LabelError, match=r"more than 64 bits|outside the scale") as caught:
        count(path, "y", "p", [1, 2])
    assert "\n" not in str(caught.value)


def test_a_fraction_in_a_file_lies_between_two_levels(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("y,a\n1,1\n2,2.5\n3,3\n")
    with pytest.raises(oe.LabelError, match="lies between the levels 2 and 3; if these are scores"):
        oe.score(oe.Predictions.from_file(path, "y", "a", labels=[1, 2, 3]), ["accuracy"])


@pytest.mark.parametrize("lines", [('"a":null', ""), ("", '"a":null')])
def test_null_and_absent_keys_are_named_by_the_first_row(
    tmp_path: Path, lines: tuple[str, str]
) -> None:
    path = tmp_path / "m.jsonl"
    rest = [f'{{"y":{i + 2}{"," if x else ""}{x}}}' for i, x in enumerate(lines)]
    path.write_text("\n".join(['{"y":1,"a":1}', *rest]) + "\n")
    with pytest.raises(oe.LabelError, match=r"2 missing values .*row 2"):
        oe.score(oe.Predictions.from_file(path, "y", "a", labels=[1, 2, 3]), ["accuracy"])
