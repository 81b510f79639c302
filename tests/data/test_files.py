"""Files give the counts that arrays give, whatever their kind and however hostile their names."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.predictions import KINDS, LEVELS, TABLE, TRUTH, WEIGHT, WORDS, A, B, write

import ordeval as oe
from ordeval.data.sources import duckdb_engine, files


def without_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a CSV file to Python's own reader."""
    monkeypatch.setattr(files, "find_spec", lambda _: None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_counted_as_its_columns_are(kind: str, tmp_path: Path) -> None:
    path = write(kind, tmp_path)
    assert oe.ConfusionMatrix.from_file(path, "y", "a", LEVELS) == (
        oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS)
    )
    assert oe.ConfusionMatrix.from_file(path, "i", "j") == oe.ConfusionMatrix.from_labels(TRUTH, A)
    weighed = oe.ConfusionMatrix.from_file(path, "y", "a", LEVELS, "w")
    assert weighed == oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS, WEIGHT)
    compared = oe.compare(
        oe.Predictions.from_file(path, "y", ["a", "b"], labels=LEVELS),
        metrics=["accuracy"],
        n_resamples=99,
        rng=0,
    )
    assert compared.estimates["accuracy"]["a"].estimate == (A == TRUTH).mean()


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz"])
def test_csv_needs_no_extra(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(kind, tmp_path)
    with_duckdb = oe.ConfusionMatrix.from_file(path, "y", "a", LEVELS, "w")
    without_duckdb(monkeypatch)
    assert oe.ConfusionMatrix.from_file(path, "y", "a", LEVELS, "w") == with_duckdb


def test_many_files(tmp_path: Path) -> None:
    for i, part in enumerate((TABLE[:200], TABLE[200:])):
        pyarrow.parquet.write_table(part, tmp_path / f"part{i}.parquet")
    expected = oe.ConfusionMatrix.from_labels(TRUTH, A)
    assert oe.ConfusionMatrix.from_file(f"{tmp_path}/*.parquet", "i", "j") == expected
    assert oe.ConfusionMatrix.from_file(tmp_path, "i", "j") == expected


def test_a_list_of_files_is_one_table(tmp_path: Path) -> None:
    kinds: list[tuple[Any, str]] = [
        (pyarrow.parquet.write_table, "a.parquet"), (pyarrow.csv.write_csv, "b.csv"),
        (pyarrow.feather.write_feather, "c.arrow"), (pyarrow.parquet.write_table, "d.pq"),
    ]  # fmt: skip
    listed = []
    for i, (save, name) in enumerate(kinds):
        save(TABLE.select(["i", "j", "y", "a"])[i * 100 : (i + 1) * 100], tmp_path / name)
        listed.append(tmp_path / name)
    expected = oe.ConfusionMatrix.from_labels(TRUTH[:400], A[:400])
    assert oe.ConfusionMatrix.from_file(listed, "i", "j") == expected
    assert oe.ConfusionMatrix.from_file((f"{tmp_path}/*.p*q*", *listed[1:3]), "i", "j") == expected
    by_name = oe.ConfusionMatrix.from_file(listed, "y", "a", LEVELS)
    assert by_name.counts.tolist() == expected.counts.tolist()


def test_a_label_of_one_of_several_files_that_does_not_fit(tmp_path: Path) -> None:
    for name, text in (("a.csv", "y,p\n1,1\n2,2\n"), ("b.csv", "y,p\n1,1\n2,3\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(oe.LabelError, match=r"3 \(row 2, line 3 of '.*b\.csv'\)"):
        oe.score(
            oe.Predictions.from_file(
                [tmp_path / "a.csv", tmp_path / "b.csv"], "y", "p", labels=[1, 2]
            )
        )


def test_each_of_several_files_has_all_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,2\n1,2\n")
    (tmp_path / "b.csv").write_text("p,y\n1,2\n1,2\n")
    (tmp_path / "c.csv").write_text("y,q\n1,2\n")
    pyarrow.parquet.write_table(pa.table({"y": [1], "q": [2]}), tmp_path / "c.parquet")
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    cm = oe.ConfusionMatrix.from_file([a, b], "y", "p", [1, 2])
    assert cm.counts.tolist() == [[0, 2], [2, 0]]  # whatever their order
    for lacks in ("c.csv", "c.parquet"):
        for listed in ([a, tmp_path / lacks], [tmp_path / lacks, a]):
            with pytest.raises(oe.LabelError, match=f"in '.*{lacks}': there is no column 'p'"):
                oe.ConfusionMatrix.from_file(listed, "y", "p", [1, 2], missing="drop")


def test_no_row_of_several_files_counts_twice(tmp_path: Path) -> None:
    path, link = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("y,p\n1,2\n1,2\n")
    link.symlink_to(path)
    for listed in ([path, path], [path, f"{tmp_path}/a*"], [path, link]):
        with pytest.raises(oe.LabelError, match=r"a\.csv' is given twice, so its rows would"):
            oe.ConfusionMatrix.from_file(listed, "y", "p", [1, 2])


def test_what_is_no_list_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,2\n")
    with pytest.raises(oe.LabelError, match="standard input cannot be combined with files"):
        oe.score(oe.Predictions.from_file([tmp_path / "a.csv", "-"], "y", "p", labels=[1, 2]))
    with pytest.raises(oe.LabelError, match="the list of files is empty"):
        oe.score(oe.Predictions.from_file([], "y", "p", labels=[1, 2]))
    with pytest.raises(oe.ParameterError, match=r"^path must be a text, a path or a list of paths"):
        oe.score(oe.Predictions.from_file({"a.csv"}, "y", "p", labels=[1, 2]))  # type: ignore[arg-type]


HOSTILE = ['y"; drop table preds; --', "select", "naïve\nline", "a'b"]


@pytest.mark.parametrize("kind", ["parquet", "duckdb", "sqlite", "csv"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_names(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = ["x'; --", 'q"', "ü\n2"]
    table = pa.table({name: [labels[i] for i in TRUTH], "p": [labels[i] for i in A]})
    path = write(kind, tmp_path, table)
    expected = oe.ConfusionMatrix.from_labels(TRUTH, A).counts
    assert np.array_equal(oe.ConfusionMatrix.from_file(path, name, "p", labels).counts, expected)
    by = oe.ConfusionMatrix.from_file(path, name, "p", labels, by=name)
    assert np.array_equal(by.counts.sum(axis=0), expected)
    without_duckdb(monkeypatch)
    assert np.array_equal(oe.ConfusionMatrix.from_file(path, name, "p", labels).counts, expected)


def test_labels_of_csv_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p\n01,01\nNone,01\nNone,None\n,01\n")
    cm = oe.ConfusionMatrix.from_file(path, "y", "p", ["01", "None"], missing="drop")
    assert cm.counts.tolist() == [[1, 0], [1, 1]]
    assert cm.dropped == oe.results.Dropped(missing=1)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.csv", None, "there is no file"),
        ("odd.xyz", "a,b\n", "has an unknown extension"),
        ("short.csv", "y,p\nlow\n", "could not be read|missing value|no column"),
        ("other.csv", "a,b\n1,2\n", "no column 'y'"),
    ],
)
def test_bad_files(name: str, content: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(oe.LabelError, match=message):
        oe.ConfusionMatrix.from_file(path, "y", "p", LEVELS)


def test_hive_partitions_are_columns(tmp_path: Path) -> None:
    for site, part in (("north", TABLE[:200]), ("south", TABLE[200:])):
        (tmp_path / f"site={site}").mkdir()
        pyarrow.parquet.write_table(part, tmp_path / f"site={site}" / "part.parquet")
    stack = oe.ConfusionMatrix.from_file(tmp_path, "y", "a", LEVELS, by="site")
    assert stack.by == ("north", "south")
    assert stack[0] == oe.ConfusionMatrix.from_labels(WORDS["y"][:200], WORDS["a"][:200], LEVELS)
    pattern = oe.ConfusionMatrix.from_file(f"{tmp_path}/*/*.parquet", "y", "a", LEVELS, by="site")
    assert pattern == stack


@pytest.mark.parametrize("kind", KINDS)
def test_models_and_subgroups_of_a_file(kind: str, tmp_path: Path) -> None:
    path = write(kind, tmp_path)
    stack = oe.ConfusionMatrix.from_file(path, "y", ["a", "b"], LEVELS, "w", by="i")
    assert stack.by == (0, 1, 2)
    for g in range(3):
        for j, (name, codes) in enumerate((("a", A), ("b", B))):
            expected = np.zeros((3, 3))
            np.add.at(expected, (TRUTH, codes), WEIGHT * (g == TRUTH))
            assert np.array_equal(stack.counts[g, j], expected), name
    steps: list[tuple[str, int, int]] = []
    oe.ConfusionMatrix.from_file(path, "y", "a", LEVELS, progress=lambda *x: steps.append(x))
    if kind not in ("sqlite", "feather"):
        assert steps[-1] == ("counting bytes", Path(path).stat().st_size, Path(path).stat().st_size)


def test_integers_of_a_csv_file_follow_the_labels(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p,q\n1,1,1\n2,2,x\n2,1,\n")
    cm = oe.ConfusionMatrix.from_file(path, "y", ["p", "q"], [1, 2], unknown="drop", missing="drop")
    assert cm.total.tolist() == [3, 1]
    assert cm.dropped == oe.results.Dropped(missing=1, unknown=1)
    words = oe.ConfusionMatrix.from_file(path, "y", "p", ["1", "2"])
    assert words.total == 3
    with pytest.raises(oe.ScaleError, match="labels without an order"):
        oe.ConfusionMatrix.from_file(path, "y", ["p", "q"], missing="drop")


def test_semicolons_quotes_and_marks_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text('\ufeffy;p\n"lo;w";"lo;w"\nhigh;"hi""gh"\n', encoding="utf-8")
    labels = ["lo;w", "high", 'hi"gh']
    with_duckdb = oe.ConfusionMatrix.from_file(path, "y", "p", labels)
    assert with_duckdb.counts.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    without_duckdb(monkeypatch)
    assert oe.ConfusionMatrix.from_file(path, "y", "p", labels) == with_duckdb


@pytest.mark.parametrize("weight", ["abc", -1, None, float("inf")])
def test_bad_weights_of_a_database(weight: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    db = sqlite3.connect(path)
    db.execute("create table t (y, p, w)")
    db.executemany("insert into t values (1, 1, ?)", [(2.5,), (weight,)])
    db.commit()
    db.close()
    with pytest.raises(oe.LabelError, match="weights in 'w' must be finite and not negative"):
        oe.ConfusionMatrix.from_file(path, "y", "p", [1, 2], "w")


def test_a_large_count_spills_within_the_memory_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    with duckdb.connect() as db:
        rows = "select range % 3 as y, range % 2 as p, range % 200000 as g from range(1200000)"
        db.execute(f"copy ({rows}) to '{path}' (format parquet)")
    monkeypatch.setattr(duckdb_engine, "_MEMORY", "30MB")
    found = files.FileSource(path).rows(["y", "p", "g"])
    assert len(found.count) == 600_000
    assert (found.count == 2).all()


def test_columns_of_several_files_go_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,2\n1,2\n")
    (tmp_path / "b.csv").write_text("p,y\n1,2\n1,2\n")
    cm = oe.ConfusionMatrix.from_file(f"{tmp_path}/*.csv", "y", "p", [1, 2])
    assert cm.counts.tolist() == [[0, 2], [2, 0]]
    (tmp_path / "c.csv").write_text("y,q\n1,2\n")
    with pytest.raises(oe.LabelError, match="p has 1 missing value"):
        oe.ConfusionMatrix.from_file(f"{tmp_path}/*.csv", "y", "p", [1, 2])
    with pytest.raises(oe.LabelError, match="no file matches"):
        oe.ConfusionMatrix.from_file(f"{tmp_path}/x*.csv", "y", "p", [1, 2])


def test_types_of_several_files_are_joined(tmp_path: Path) -> None:
    one = {"y": [1, 2], "p": [1, 2], "w": [1, 2]}
    pyarrow.parquet.write_table(pa.table(one), tmp_path / "a.parquet")
    two = pa.table({**one, "w": [0.4, 0.5]})
    pyarrow.parquet.write_table(two, tmp_path / "b.pq")
    cm = oe.ConfusionMatrix.from_file(tmp_path, "y", "p", [1, 2], "w")
    assert cm.counts.tolist() == [[1.4, 0], [0, 2.5]]


def test_types_of_json_lines_are_read_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = ['{"y": 1, "p": 1, "w": 1}'] * 30_000 + ['{"y": 1, "p": 1, "w": 0.5}'] * 10
    path.write_text("\n".join(lines))
    cm = oe.ConfusionMatrix.from_file(path, "y", "p", [1, 2], "w")
    assert cm.total == 30_005


def test_a_file_is_not_a_pattern_if_it_is_there(tmp_path: Path) -> None:
    for name, label in (("preds[1].csv", 1), ("preds1.csv", 2), ("what?.csv", 1), ("whatX.csv", 2)):
        (tmp_path / name).write_text(f"y,p\n{label},{label}\n")
    for name in ("preds[1].csv", "what?.csv"):
        cm = oe.ConfusionMatrix.from_file(tmp_path / name, "y", "p", [1, 2])
        assert cm.counts.tolist() == [[1, 0], [0, 0]]


CSV_TRAPS = {
    "quotes that are none": ("y,p\n'a',a\n'a',a\n", ["'a'", "a"], 2),
    "no comments": ("y;p\nc;x\n#1;#1\n", ["c", "x", "#1"], 2),
    "late quotes": ("y,p\n" + "a,b\n" * 30_000 + '"a","b"\n', ["a", "b"], 30_001),
    "spaces are labels' own": ("y,p\n a,a\n", ["a", " a"], 1),
}


@pytest.mark.parametrize("name", CSV_TRAPS)
@pytest.mark.parametrize("engine", ["duckdb", "python"])
def test_nothing_about_a_csv_file_is_guessed(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, labels, rows = CSV_TRAPS[name]
    path = tmp_path / "t.csv"
    path.write_text(text)
    if engine == "python":
        without_duckdb(monkeypatch)
    assert oe.ConfusionMatrix.from_file(path, "y", "p", labels).total == rows


@pytest.mark.parametrize("engine", ["duckdb", "python"])
def test_ragged_rows_are_refused(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p\n1,2\n1,2\n1,2,3\n")
    if engine == "python":
        without_duckdb(monkeypatch)
    with pytest.raises(oe.LabelError, match=r"[Ll]ine:? 4"):
        oe.ConfusionMatrix.from_file(path, "y", "p", [1, 2, 3])


def test_collations_merge_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    db = sqlite3.connect(path)
    db.execute("create table t (id integer primary key autoincrement, "
               "y text collate nocase, p text collate nocase)")  # fmt: skip
    db.executemany("insert into t (y, p) values (?, ?)", [("a", "A"), ("A", "A"), ("a", "a")])
    db.commit()
    db.close()
    cm = oe.ConfusionMatrix.from_file(path, "y", "p", ["a", "A"])
    assert cm.counts.tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("name", ["pred.rf", 'a"b', "ORDEVAL_1", "select"])
def test_names_that_engines_read_as_grammar(name: str, tmp_path: Path) -> None:
    table = pa.table({"y": [1, 2], name: [1, 1], "ordeval_0": [0.5, 2.0]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    expected = [[0.5, 0], [2, 0]]
    path = tmp_path / "t.parquet"
    cm = oe.ConfusionMatrix.from_file(path, "y", name, [1, 2], "ordeval_0")
    assert cm.counts.tolist() == expected
    for frame in (duckdb.connect().from_arrow(table), pl.from_arrow(table)):
        cm = oe.ConfusionMatrix.from_frame(frame, "y", name, [1, 2], "ordeval_0")
        assert cm.counts.tolist() == expected


BROKEN = {
    "t.arrow": b"ARROW1 but no more",
    "t.feather": b"",
    "t.duckdb": b"not a database",
    "t.csv.gz": b"not packed",
    "t.parquet": b"PAR1PAR1",
    "t.sqlite": b"SQLite format 3\x00 but no more",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_one_message(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(BROKEN[name])
    with pytest.raises(oe.LabelError, match="could not be read"):
        oe.ConfusionMatrix.from_file(tmp_path / name, "y", "p", [1, 2])


def test_truth_may_be_the_subgroups(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("y,p\n1,1\n2,1\n10,2\n")
    cm = oe.ConfusionMatrix.from_file(path, "y", "p", [1, 2, 10], by="y")
    assert cm.by == (1, 2, 10)


def test_a_view_of_a_database_cannot_read_other_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("y,a\nlow,low\n")
    path = tmp_path / "given.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute(f"create view preds as select * from read_csv('{secret}')")
    with pytest.raises(oe.LabelError, match="could not be read"):
        oe.ConfusionMatrix.from_file(str(path), "y", "a", LEVELS)


@pytest.mark.parametrize(
    ("said", "raised"),
    [("Query interrupted", KeyboardInterrupt), ("something else", RuntimeError)],
)
def test_ctrl_c_in_a_query_is_an_interrupt(
    said: str, raised: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow.parquet.write_table(TABLE, tmp_path / "x.parquet")

    def interrupted(*_: Any) -> None:
        raise RuntimeError(said)

    monkeypatch.setattr(duckdb_engine, "distinct_rows", interrupted)
    with pytest.raises(raised):
        oe.ConfusionMatrix.from_file(str(tmp_path / "x.parquet"), "y", "a", LEVELS)
