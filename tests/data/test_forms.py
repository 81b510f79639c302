"""What is said of a file: kind, encoding, decimal mark, packing, paths into JSON, rows to read."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given, settings, strategies as st
from tests.asking import of_file

import ordeval as oe
from ordeval.data.query import Query
from ordeval.data.sources.duckdb_tables import opened_files
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.filters import read_where
from ordeval.data.sources.joins import Layout, laid_out

KINDS = ("csv", "jsonl", "parquet", "arrow", "duckdb", "sqlite")
ROWS: list[dict[str, Any]] = [
    {"y": i % 3 + 1, "p": (i * 7 // 3) % 3 + 1, "split": ("train", "test", None)[i % 3],
     "x": None if i % 7 == 0 else i - 5, "odd name": f"it's {i % 4}", "w": 0.5 + i % 2}
    for i in range(40)
]  # fmt: skip
KINDS_OF_COLUMNS = {"y": pl.Int64, "p": pl.Int64, "split": pl.String, "x": pl.Int64,
                    "odd name": pl.String, "w": pl.Float64}  # fmt: skip
FRAME = pl.DataFrame(ROWS, KINDS_OF_COLUMNS)


def write(folder: Path, kind: str, frame: pl.DataFrame = FRAME) -> Path:
    path = folder / f"data.{kind}"
    match kind:
        case "csv":
            frame.write_csv(path)
        case "jsonl":
            frame.write_ndjson(path)
        case "parquet":
            frame.write_parquet(path)
        case "arrow":
            frame.write_ipc(path)
        case "duckdb":
            with duckdb.connect(str(path)) as db:
                db.register("given", frame.to_arrow())
                db.execute("create table t as from given")
        case _:
            with sqlite3.connect(path) as lite:
                names = ", ".join(f'"{c}"' for c in frame.columns)
                lite.execute(f"create table t ({names})")
                marks = ", ".join("?" * frame.width)
                lite.executemany(f"insert into t values ({marks})", frame.rows())
            lite.close()
    return path


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("forms")
    return {kind: write(folder, kind) for kind in KINDS}


def counted(path: Any, **form: Any) -> np.ndarray[Any, Any]:
    source = FileSource(path, form=Form.of(**form))
    return np.array(oe.ConfusionMatrix.from_file(source, "y", "p", [1, 2, 3]).counts)


def slow(keep: Any) -> np.ndarray[Any, Any]:
    """The table of the rows that a plain Python condition keeps."""
    counts = np.zeros((3, 3), dtype=int)
    for row in ROWS:
        if keep(row):
            counts[row["y"] - 1, row["p"] - 1] += 1
    return counts


WHERE = {
    "split = 'test'": lambda r: r["split"] == "test",
    "split == 'test' or split = 'train'": lambda r: r["split"] is not None,
    "split != 'test'": lambda r: r["split"] == "train",
    "split is null": lambda r: r["split"] is None,
    "split IS NOT NULL AND x >= 10": lambda r: r["split"] and r["x"] is not None and r["x"] >= 10,
    "x < 0": lambda r: r["x"] is not None and r["x"] < 0,
    "x > -4.5e0 and x <= 3": lambda r: r["x"] is not None and -4.5 < r["x"] <= 3,
    "x in (1, 2, 30, -5)": lambda r: r["x"] in (1, 2, 30, -5),
    "x not in (1, 2)": lambda r: r["x"] is not None and r["x"] not in (1, 2),
    "x = '7'": lambda r: r["x"] == 7,
    "x <> 7": lambda r: r["x"] not in (None, 7),
    "split = 3 or y = 1": lambda r: r["y"] == 1,
    "split != 3": lambda r: r["split"] is not None,
    "\"odd name\" = 'it''s 2'": lambda r: r["odd name"] == "it's 2",
    "\"odd name\" in ('it''s 2', 'it''s 3') and (y = 1 or y = 2)":
        lambda r: r["odd name"] in ("it's 2", "it's 3") and r["y"] < 3,
    "\"odd name\" >= 'it''s 2'": lambda r: r["odd name"] >= "it's 2",
    "y = 1 or y = 2 and w > 1": lambda r: r["y"] == 1 or (r["y"] == 2 and r["w"] > 1),
    "(y = 1 or y = 2) and w > 1": lambda r: r["y"] < 3 and r["w"] > 1,
    "w = 1.5": lambda r: r["w"] == 1.5,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_reader_keeps_the_same_rows(kind: str, paths: dict[str, Path]) -> None:
    for where, keep in WHERE.items():
        assert (counted(paths[kind], where=where) == slow(keep)).all(), where


def test_without_duckdb_the_same_rows(
    paths: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordeval.data.sources.files.find_spec", lambda _: None)
    for where, keep in WHERE.items():
        assert (counted(paths["csv"], where=where) == slow(keep)).all(), where


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_numbers_of_the_rows_that_are_read(kind: str, paths: dict[str, Path]) -> None:
    source = FileSource(paths[kind], form=Form.of(where="split = 'test'"))
    kept = [r for r in ROWS if r["split"] == "test"]
    rows = source.rows(["y"], "w")
    assert rows.weight is not None
    assert rows.weight.sum() == sum(r["w"] for r in kept)
    each = source.rows(["y"], numbers=["w"]).numbers["w"]
    assert sorted(each) == sorted(r["w"] for r in kept)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_read_cannot_be_wrong(kind: str, tmp_path: Path) -> None:
    """Rows that the filter leaves out may hold anything; those it keeps name their row."""
    frame = pl.DataFrame({
        "y": ["1", "x", "2", "odd", "1"], "p": ["1", "y", "2", "1", "2"],
        "s": ["a", "b", "a", "c", "a"], "w": ["1", "none", "2", "3", "1"],
    })  # fmt: skip
    source = FileSource(write(tmp_path, kind, frame), form=Form.of(where="s = 'a'"))
    if kind != "arrow":  # whose columns of text are not read as numbers
        assert source.rows(["y"], numbers=["w"]).numbers["w"].tolist() == [1, 2, 1]
    path = source.path
    labels = ["1", "2"]
    cm = oe.ConfusionMatrix.from_file(path, "y", "p", labels, where="s = 'a'")
    assert cm.counts.tolist() == [[1, 1], [0, 1]]
    place = "line 5" if kind == "csv" else "row 4"
    with pytest.raises(oe.LabelError, match=place):
        oe.ConfusionMatrix.from_file(path, "y", "p", labels, where="s in ('a', 'c')")


def test_a_column_of_folders_can_be_asked_for(tmp_path: Path) -> None:
    for split in ("test", "train"):
        folder = tmp_path / f"split={split}"
        folder.mkdir()
        FRAME.drop("split").filter(pl.col("w") > (1 if split == "test" else 0)).write_parquet(
            folder / "a.parquet"
        )
    kept = slow(lambda r: r["w"] > 1)
    assert (counted(tmp_path, where="split = 'test'") == kept).all()
    assert (counted(tmp_path, where="split = 'test' or x = 1") == kept + slow(
        lambda r: r["x"] == 1)).all()  # fmt: skip


def test_floats_that_are_no_numbers_are_missing(tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": [1, 2, 3], "p": [1, 2, 3], "f": [1.0, float("nan"), None]})
    for kind in ("parquet", "arrow", "duckdb"):
        path = write(tmp_path, kind, frame)
        assert np.trace(counted(path, where="f is null")) == 2
        assert np.trace(counted(path, where="f is not null")) == 1
        assert np.trace(counted(path, where="f != 7")) == 1


@pytest.mark.parametrize("kind", [*KINDS, "plain csv"])
def test_text_is_neither_above_nor_below_a_number(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that only such a comparison decides is refused; one that another decides is not."""
    if kind == "plain csv":
        monkeypatch.setattr("ordeval.data.sources.files.find_spec", lambda _: None)
    texts = ["2", "1,7", None, "n/a", "3.5"]
    frame = pl.DataFrame({"y": [1, 2, 3, 1, 2], "p": [1, 2, 3, 1, 2], "g": texts,
                          "s": ["a", "b", "c", "d", "a"]})  # fmt: skip
    path = write(tmp_path, kind.removeprefix("plain "), frame)
    for where in ("g >= 1.5", "g < 9 and s = 'b'", "g = 1.7", "g not in (2, 3)", "g != 1.7"):
        with pytest.raises(
            oe.LabelError, match=r"'g' with a number, but .* has '1,7'.*decimal"
        ) as e:
            counted(path, where=where)
        assert ("line 3" in str(e.value)) is ("csv" in kind)
    with pytest.raises(
        oe.LabelError, match=r"'n/a', which is none\. To exclude such rows, write g != 'n/a' and"
    ):
        counted(path, where="s != 'b' and g >= 1.5")
    for where, kept in {
        "g != '1,7' and g != 'n/a' and g >= 1.5": 2, "s = 'a' and g >= 3": 1, "g = '1,7'": 1,
        "s = 'b' or s = 'd' or g > 1": 4, "s != 'b' and g = 2": 1, "s = 'd' and g != 2": 1,
        "g in (2, '1,7') and s in ('a', 'b')": 2,
    }.items():  # fmt: skip
        assert counted(path, where=where).sum() == kept, where


def test_text_beside_a_number_is_refused_in_folders_and_long_tables(tmp_path: Path) -> None:
    folder = tmp_path / "year=late"
    folder.mkdir()
    FRAME.write_parquet(folder / "a.parquet")
    with pytest.raises(oe.LabelError, match="'year' with a number, but the name of a folder has"):
        counted(tmp_path, where="year > 2000")
    long = pl.DataFrame({
        "id": [1, 2, 1, 2], "y": [1, 2, 1, 2], "p": [1, 2, 2, 2], "m": ["a", "a", "b", "b"],
        "g": ["1,5", "2", "3", "2"],
    })  # fmt: skip
    asked = Query.of("y", "p", missing="drop")
    for kind in ("csv", "parquet"):
        source = FileSource(write(tmp_path, kind, long), form=Form.of(where="g >= 1"))
        with pytest.raises(oe.LabelError, match=r"'g' with a number, but .* has '1,5'"):
            laid_out(source, asked, Layout(item="id", model="m"))
        with (
            pytest.raises(oe.LabelError, match="'g' with a number, but a row has '1,5'"),
            opened_files([source], [["id", "y"]], []),
        ):
            pass
        source = FileSource(source.path, form=Form.of(where="g != '1,5' and g >= 1"))
        table, query = laid_out(source, asked, Layout(item="id", model="m"))
        assert query.models == ("a", "b")
        assert table.rows(["y", *query.models]).count.sum() == 1


def test_a_filter_that_leaves_nothing_or_asks_for_nothing(paths: dict[str, Path]) -> None:
    for kind in KINDS:
        with pytest.raises(oe.LabelError, match=r"where \"split = 'tset'\" matches no rows"):
            counted(paths[kind], where="split = 'tset'")
        with pytest.raises(oe.LabelError, match=r"no column 'splt'\. Did you mean 'split'"):
            counted(paths[kind], where="splt = 'test'")


WRONG = (
    "", " ", "split", "split =", "= 'a'", "split = test", "split = \"test\"", "split = 'a",
    "a = 1;",
    "split = 'a' and", "split like 'a%'", "lower(split) = 'a'", "x in ()", "x in (select 1)",
    "x = 1 or 1 = 1", "x between 1 and 2", "x = null", "x is 3", "x not 3", "(x = 1", "x = 1)",
    "x = 1 -- y", "x = 1 /* */", "x = ''", "x < '9'", "x = 12345678901234567890", "x = 1e999",
    "x = 1_000", "x = 1 y = 2", "(" * 60 + "x = 1" + ")" * 60, "x = 1 or " * 2000 + "x = 1",
    "x = true", "x == = 1", "'x' = 1", "x = 0x10", "x; drop table t", "1 = x", "\0 = 1",
    "x = ٣", "x = 1٣", "x = 1e٣", "x in (1, ３)",
)  # fmt: skip


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_what_the_grammar_does_not_know(text: str) -> None:
    with pytest.raises(oe.ParameterError, match="where could not be read: "):
        read_where(text)


NAMES = {
    "Olz-gpt4o >= 2": "Olz-gpt4o", "Olz-4 >= 2": "Olz-4", "2nd = 1": "2nd",
    "my long column = 2": "my long column", "x = 1 and (b/c in (1, 2))": "b/c",
    "x = 'a' or b-c not in (1)": "b-c", "b-c is not null": "b-c",
}  # fmt: skip
NO_NAMES = ("x = 3%", "x ~ 3", "b-c", "x = 1 y = 2", "f(x) = 1", "x = b-c")


def test_a_name_with_signs_or_spaces_needs_quotes() -> None:
    for text, name in NAMES.items():
        said = f'If it is a column, put its name in double quotes: "{name}".'
        with pytest.raises(oe.ParameterError, match=re.escape(said)):
            read_where(text)
        assert name in read_where(text.replace(name, f'"{name}"')).columns
    for text in NO_NAMES:
        with pytest.raises(oe.ParameterError) as caught:
            read_where(text)
        assert "double quotes" not in str(caught.value)


def test_many_parts_are_read(paths: dict[str, Path]) -> None:
    comparisons = " or ".join(["x = 1"] * 200)
    texts = " or ".join(["split = 'test'"] * 200)
    values = f"x in ({', '.join(map(str, range(1, 1000)))})"
    for kind in ("csv", "arrow", "sqlite"):  # DuckDB, which also reads the others, takes seconds
        assert counted(paths[kind], where=comparisons).sum() == 1
    for kind in KINDS:
        assert (counted(paths[kind], where=texts) == slow(lambda r: r["split"] == "test")).all()
        assert (counted(paths[kind], where=values) == slow(lambda r: (r["x"] or 0) > 0)).all()
    with pytest.raises(oe.ParameterError, match="there are more than 200 comparisons"):
        read_where(f"{comparisons} or x = 1")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(oe.ParameterError):  # and no other error
        assert read_where(text).columns


@settings(max_examples=25, deadline=None)
@given(value=st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20))
def test_a_literal_is_a_value_whatever_it_looks_like(value: str) -> None:
    frame = pl.DataFrame({"y": [1, 2], "p": [1, 2], "s": [value, "other" + value]})
    literal = value.replace("'", "''")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "parquet", "sqlite"):
            path = write(Path(folder), kind, frame)
            found = counted(path, where=f"s = '{literal}'")
            assert found.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]], kind


CSV = "y;p;s;w\n" + "1;1;größer;0,5\n2;1;kleiner;1,5\n3;3;größer;2\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8", "UTF_8"])
def test_an_encoding_on_request(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(CSV.encode(encoding))
    cm = oe.ConfusionMatrix.from_file(
        path, "y", "p", [1, 2, 3], encoding=encoding, where="s = 'größer'"
    )
    assert cm.counts.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    packed = tmp_path / "data.csv.gz"
    packed.write_bytes(gzip.compress(CSV.encode(encoding)))
    assert counted(packed, encoding=encoding, where="s = 'größer'").sum() == 2


def test_bytes_that_are_not_in_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(CSV.encode("latin-1"))
    said = 'not UTF-8; save it as .*, or pass its encoding, such as encoding="latin-1"'
    with pytest.raises(oe.LabelError, match=said):
        counted(path)
    with pytest.raises(oe.LabelError, match="is not text in the encoding ascii"):
        counted(path, encoding="ascii")
    for name in ("latin-99", "base64", "", 3, "a\0"):
        with pytest.raises(oe.ParameterError, match="must name an encoding of text"):
            counted(path, encoding=name)


def test_decimal_commas_on_request(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(CSV)
    source = FileSource(path, form=Form.of(decimal=","))
    assert source.rows(["y"], numbers=["w"]).numbers["w"].tolist() == [0.5, 1.5, 2]
    weights = source.rows(["y"], "w").weight
    assert weights is not None
    assert weights.tolist() == [0.5, 1.5, 2]
    assert source.rows(["w"]).columns["w"] == ["0.5", "1.5", "2"]  # labels, too
    assert counted(path, decimal=",", where="w > 0.7").sum() == 2
    with pytest.warns(oe.DecimalCommaWarning, match="has decimal commas, and they were read"):
        found = FileSource(path).rows(["y"], numbers=["w"])
    assert found.numbers["w"].tolist() == [0.5, 1.5, 2]
    with pytest.raises(oe.LabelError, match="'w' must hold numbers, one per item"):
        FileSource(path, form=Form.of(decimal=".")).rows(["y"], numbers=["w"])
    path.write_text(CSV + "1;1;x;1.234,5\n")
    with pytest.raises(oe.LabelError, match=r"line 5 has '1.234,5'"):
        source.rows(["y"], numbers=["w"])
    with pytest.raises(oe.LabelError, match=r"line 5 has '1.234,5'"):
        source.rows(["y"], "w")
    with pytest.raises(oe.ParameterError, match=r"decimal must be \. or ,; got ';'"):
        Form.of(decimal=";")


def test_what_is_for_csv_is_refused_elsewhere(paths: dict[str, Path]) -> None:
    for kind in KINDS[1:]:
        with pytest.raises(oe.LabelError, match="encoding is for CSV"):
            counted(paths[kind], encoding="latin-1")
        with pytest.raises(oe.LabelError, match="decimal is for CSV"):
            counted(paths[kind], decimal=",")


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_is_told(kind: str, paths: dict[str, Path], tmp_path: Path) -> None:
    odd = tmp_path / "data.bin"
    odd.write_bytes(paths[kind].read_bytes())
    assert (counted(odd, kind=kind) == slow(lambda _: True)).all()
    if kind in ("csv", "jsonl"):
        with pytest.raises(oe.LabelError, match="has an unknown extension"):
            counted(odd)
    else:
        with pytest.raises(oe.LabelError, match="not text"):
            counted(odd, kind="csv")
        other = "sqlite" if kind != "sqlite" else "parquet"
        with pytest.raises(oe.LabelError, match=r"by format it is .* something else"):
            counted(odd, kind=other)


def test_a_kind_that_there_is_not() -> None:
    with pytest.raises(oe.ParameterError, match=r"must be csv, .* Did you mean parquet"):
        Form.of(kind="parqet")


@pytest.mark.parametrize("kind", KINDS)
def test_standard_input_of_every_kind(
    kind: str, paths: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(paths[kind].read_bytes())))
    assert (counted("-", kind=kind) == slow(lambda _: True)).all()
    if kind != "csv":
        again = FileSource("-", form=Form.of(kind=kind))
        assert set(again.columns()) == set(FRAME.columns)
        with pytest.raises(oe.LabelError, match="row "):
            oe.ConfusionMatrix.from_file(again, "y", "p", [1, 2])
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []  # the copy is gone


NESTED = [
    {"id": i, "sample": {"target": i % 3 + 1, "a/b": {"~": 1}}, "out": [{"grade": (i * 2) % 3 + 1}],
     "flat.name": i % 2}
    for i in range(20)
]  # fmt: skip


def test_paths_into_json(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in NESTED))
    cm = oe.ConfusionMatrix.from_file(path, "sample.target", "out.0.grade", [1, 2, 3])
    expected = np.zeros((3, 3), dtype=int)
    for row in NESTED:
        expected[row["sample"]["target"] - 1, row["out"][0]["grade"] - 1] += 1  # type: ignore
    assert (cm.counts == expected).all()
    kept = oe.ConfusionMatrix.from_file(
        path, "sample.target", "out.0.grade", [1, 2, 3], where="flat.name = 0 and sample.target > 1"
    )
    assert kept.counts.sum() == sum(i % 2 == 0 and i % 3 > 0 for i in range(20))
    rows = FileSource(path).rows(["flat.name", "sample.a/b.~"])
    assert set(rows.columns["flat.name"]) == {0, 1}
    assert set(rows.columns["sample.a/b.~"]) == {1}
    said = r"there is no column 'sample.traget'. Did you mean 'sample.target'.* 'sample.target'"
    with pytest.raises(oe.LabelError, match=said):
        oe.ConfusionMatrix.from_file(path, "sample.traget", "out.0.grade")
    with pytest.raises(oe.LabelError, match=r"'smple.target'. Did you mean 'sample.target'"):
        oe.ConfusionMatrix.from_file(path, "smple.target", "out.0.grade")
    with pytest.raises(oe.LabelError, match=r"there is no column 'x.y.z'\. Columns: "):
        oe.ConfusionMatrix.from_file(path, "x.y.z", "out.0.grade")
    with pytest.raises(oe.LabelError, match="must hold labels, one per item; one is an object"):
        oe.ConfusionMatrix.from_file(path, "sample.a/b", "out.0.grade")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_zstd_packed(kind: str, paths: dict[str, Path], tmp_path: Path) -> None:
    path, data = tmp_path / f"data.{kind}.zst", paths[kind].read_bytes()
    packer = zstandard.ZstdCompressor(write_checksum=True)
    whole = packer.compress(data)
    path.write_bytes(whole)
    assert (counted(path) == slow(lambda _: True)).all()
    assert (counted(path, where="split = 'test'") == slow(lambda r: r["split"] == "test")).all()
    half = data.index(b"\n", len(data) // 2) + 1
    path.write_bytes(packer.compress(data[:half]) + packer.compress(data[half:]))
    assert (counted(path) == slow(lambda _: True)).all()  # several frames
    flipped = whole[:-1] + bytes([whole[-1] ^ 1])
    for broken in (whole[:-3], whole[: len(whole) // 2], flipped, whole + b"more"):
        path.write_bytes(broken)
        with pytest.raises(oe.LabelError, match="could not be read: "):
            counted(path)
    path.write_bytes(data)
    with pytest.raises(oe.LabelError, match=r"its name ends in \.zst, but it is not packed\."):
        counted(path)
    path.write_bytes(gzip.compress(data))
    with pytest.raises(oe.LabelError, match=r"its name ends in \.zst, but it is not packed"):
        counted(path)


@pytest.mark.parametrize("pack", [zstandard.compress, gzip.compress], ids=["zstd", "gzip"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_packed_text_on_standard_input(
    pack: Any, kind: str, paths: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pack(paths[kind].read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert (counted("-", kind=kind) == slow(lambda _: True)).all()


def test_the_form_of_a_file_in_every_door(tmp_path: Path) -> None:
    """Kind and decimal mark, of a file whose name tells nothing."""
    path = tmp_path / "labels"
    path.write_text("i;y;p;w\n" + "".join(f"{i};{i % 2};{i % 3 % 2};{i},5\n" for i in range(60)))
    how: dict[str, Any] = {"labels": [0, 1], "format": "csv", "decimal": ","}
    cm = oe.ConfusionMatrix.from_file(path, "y", "p", weight="w", **how)
    assert cm.total == sum(i + 0.5 for i in range(60))
    assert of_file(oe.score, path, "y", "p", ["accuracy"], weight="w", **how).confusion == cm
    found = of_file(oe.compare, path, "y", ["p"], ["accuracy"], weight="w", **how)
    assert found.matrices["p"] == cm
    assert of_file(oe.thresholds, path, "y", "p", **how).scale == cm.scale
    rated = oe.Ratings.from_file(path, "i", raters=["y", "p"], **how)
    assert rated.codes.shape == (60, 2)
    with pytest.raises(oe.LabelError, match=r"has an unknown extension.* format="):
        oe.score(oe.Predictions.from_file(path, "y", "p"))


def test_what_unpacks_zstd_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.csv.zst"
    path.write_bytes(zstandard.compress(b"y,p\n1,1\n"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(oe.MissingExtraError, match=r'needs zstandard.* "ordeval\[files\]"'):
        counted(path)


def test_doors_read_some_rows_in_an_encoding(tmp_path: Path) -> None:
    """What score, compare and thresholds read is what a file of those rows and in UTF-8 holds."""
    rows = ["y,p,q,site", *["1,1,2,Köln", "2,2,2,Köln", "2,1,1,Ulm", "1,2,1,Köln"] * 9]
    whole, few = tmp_path / "whole.csv", tmp_path / "few.csv"
    whole.write_text("\n".join(rows), encoding="latin-1")
    few.write_text("\n".join(r for r in rows if "Ulm" not in r), encoding="utf-8")
    said: dict[str, Any] = {"encoding": "latin-1", "where": "site = 'Köln'", "labels": [1, 2]}
    for verb, pred in ((oe.score, "p"), (oe.compare, ["p", "q"]), (oe.thresholds, "p")):
        expected = of_file(verb, few, "y", pred, labels=[1, 2])
        assert str(of_file(verb, whole, "y", pred, **said)) == str(expected)
        every = of_file(verb, whole, "y", pred, encoding="latin-1", labels=[1, 2])
        assert str(every) != str(expected)
