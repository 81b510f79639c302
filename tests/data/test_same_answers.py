"""The same data, the same answer: names of subgroups, large integers, and what is no table."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

N = 40
MIXED = ["1", 1, True, "true", 1.0] * (N // 5)
ROWS = [{"y": i % 3, "p": (i * 7 + i // 9) % 3, "g": MIXED[i], "s": i / 7} for i in range(N)]
LEVELS = [0, 1, 2]
LARGE = [2**53, 2**53 + 1, 2**53 + 2]
FRAMES: dict[str, Callable[[Any], Any]] = {
    "pyarrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "pandas arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": duckdb.from_arrow,
}


def in_lines(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def in_sqlite(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "t.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(f"create table t ({', '.join(rows[0])})")
        marks = ", ".join("?" * len(rows[0]))
        db.executemany(f"insert into t values ({marks})", [tuple(r.values()) for r in rows])
    return str(path)


def in_csv(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "t.csv"
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines))
    return str(path)


def of(source: Any, **columns: Any) -> oe.Predictions:
    make: Any = oe.Predictions.from_frame
    if isinstance(source, str):
        make = oe.Predictions.from_file
    data: oe.Predictions = make(source, "y", labels=LEVELS, **columns)
    return data


@pytest.mark.parametrize("gives", [{"pred": "p"}, {"score": "s"}], ids=["labels", "scores"])
def test_subgroups_and_clusters_are_told_apart_by_their_names(
    gives: dict[str, str], tmp_path: Path
) -> None:
    # 1.0 is 1 to whoever reads numbers; "1" is what CSV would hold of both.
    sources = {
        "jsonl": in_lines(tmp_path, ROWS),
        "pandas": pd.DataFrame(ROWS),
        "polars": pl.DataFrame([{**r, "g": None} for r in ROWS]).with_columns(
            pl.Series("g", MIXED, dtype=pl.Object)
        ),
    }
    for name, source in sources.items():
        data = of(source, by="g", clusters="g", **gives)
        assert len(set(map(str, data.by))) == len(data.by) == data.clusters, name
        assert [str(x).removesuffix(".0") for x in data.by][-1] == "true", name
        assert "1" in map(str, data.by), name


def test_items_of_subgroups_that_look_alike_are_together(tmp_path: Path) -> None:
    rows = [{**row, "g": row["g"] if row["g"] != 1.0 or row["g"] is True else 1} for row in ROWS]
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    arrays = oe.Predictions(columns["y"], columns["p"], labels=LEVELS, by=columns["g"])
    of_objects = oe.Predictions(
        columns["y"], columns["p"], labels=LEVELS, by=np.array(columns["g"], dtype=object)
    )
    described = [
        of(in_lines(tmp_path, rows), pred="p", by="g"),
        of(pd.DataFrame(rows), pred="p", by="g"),
        arrays,
        of_objects,
    ]
    for data in described:
        scores = oe.score(data, ["accuracy"])
        assert list(map(str, scores.by)) == ["1", "true"]
        assert scores.confusion.total.tolist() == [24, 16]


def test_numbers_and_text_of_other_formats(tmp_path: Path) -> None:
    rows = [{**row, "g": ["1", 1, "x"][i % 3]} for i, row in enumerate(ROWS)]
    for path in (in_lines(tmp_path, rows), in_sqlite(tmp_path, rows), in_csv(tmp_path, rows)):
        data = of(path, pred="p", by="g", clusters="g")
        assert (list(data.by), data.clusters) == (["1", "x"], 2)


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object, list])
def test_large_integers_are_no_ties_in_arrays(kind: Any) -> None:
    scores = LARGE * 5 if kind is list else np.array(LARGE * 5, dtype=kind)
    data = oe.Predictions(LEVELS * 5, scores, labels=LEVELS, outputs="scores")
    with pytest.raises(oe.LabelError, match=f"contains {LARGE[1]}; integers beyond"):
        oe.score(data)


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_large_integers_are_no_ties_in_frames_and_files(kind: Any, tmp_path: Path) -> None:
    table = pa.table({"y": LEVELS * 5, "s": pa.array(LARGE * 5, kind)})
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.arrow"))
    with duckdb.connect(str(tmp_path / "t.duckdb")) as db:
        db.register("given", table)
        db.execute("create table t as select y, s::hugeint as s from given")
    rows = table.to_pylist()
    quoted = tmp_path / "quoted.csv"
    quoted.write_text("y,s\n" + "\n".join(f'{r["y"]},"{r["s"]} "' for r in rows) + "\n\n")
    paths = [str(tmp_path / f"t.{x}") for x in ("parquet", "arrow", "duckdb")] + [str(quoted)]
    paths += [write(tmp_path, rows) for write in (in_csv, in_lines, in_sqlite)]
    for source in [*paths, *(make(table) for make in FRAMES.values())]:
        with pytest.raises(oe.LabelError, match="integers beyond"):
            oe.score(of(source, score="s"))


def test_large_numbers_that_stay_apart_are_scores() -> None:
    for scores in ([2**60, 2**61, 2**62], [1e300, 1e301, 1e302], [-(2**53), 0, 2**53]):
        held = pa.table({"y": LEVELS * 5, "s": scores * 5})
        data = oe.Predictions(LEVELS * 5, scores * 5, labels=LEVELS, outputs="scores")
        assert oe.score(data)["concordance_index"] == 1.0
        for make in FRAMES.values():
            assert oe.score(of(make(held), score="s"))["concordance_index"] == 1.0


def test_other_columns_may_be_called_alike() -> None:
    table = pa.table({"y": LEVELS * 9, "p": LEVELS * 9, "w": [0.5] * 27, "z": LEVELS * 9})
    twice = table.append_column("z", table["z"])
    frames = [twice, pd.concat([table.to_pandas(), table.to_pandas()[["z"]]], axis=1)]
    for frame in frames:
        assert of(frame, pred="p", weight="w").confusion("p").total == 13.5
        assert of(frame, pred="p").confusion("p").total == 27
        assert oe.score(of(frame, score="w"))["concordance_index"] == 0.5
        with pytest.raises(oe.LabelError, match="several columns 'z'"):
            oe.score(of(frame, pred="z"))


@pytest.mark.parametrize("role", ["pred", "by", "clusters", "weight"])
def test_lists_are_no_labels(role: str) -> None:
    frame = pd.DataFrame({"y": LEVELS * 3, "p": LEVELS * 3, "l": [[1], [2], [3]] * 3, "s": 0.5})
    for gives in ({"pred": "p"}, {"score": "s"}):
        with pytest.raises(oe.LabelError, match=r"'l'|^l must hold hashable"):
            of(frame, **(gives | {role: "l"})).items  # noqa: B018


def test_batches_are_a_table_and_columns_are_none() -> None:
    table = pa.table({"y": LEVELS * 9, "p": LEVELS * 9, "g": list(range(27))})
    data = of(table.to_reader(), pred="p", by="y", clusters="g")
    assert (data.items, data.clusters) == (27, 27)
    assert data.confusion("p").total.tolist() == [9, 9, 9]
    frames = (table["y"], table.to_pandas()["y"], pl.from_arrow(table)["y"], duckdb.connect(), {})
    for frame in (*frames, pl.from_arrow(table).lazy().group_by("y"), table.to_pylist()):
        with pytest.raises(oe.LabelError, match="frame must be a dataframe"):
            of(frame, pred="p").items  # noqa: B018


def test_relations_of_duckdb_have_clusters_and_subgroups() -> None:
    rows = {"y": LEVELS * 9, "p": LEVELS[::-1] * 9, "c": [i % 7 for i in range(27)]}
    expected = oe.score(of(pa.table(rows), pred="p", clusters="c"), ["accuracy"]).intervals
    data = of(duckdb.from_arrow(pa.table(rows)), pred="p", clusters="c")
    assert oe.score(data, ["accuracy"]).intervals == expected
    assert data.clusters == 7


def test_brackets_within_brackets_are_one_sentence(tmp_path: Path) -> None:
    for deep in ("[" * 200_000 + "]" * 200_000, '{"a":' * 200_000 + "1" + "}" * 200_000):
        path = tmp_path / "t.jsonl"
        path.write_text(f'{{"y": 1, "p": {deep}}}\n')
        with pytest.raises(oe.LabelError, match="brackets within brackets"):
            oe.score(of(str(path), pred="p"))
        path.write_text(f'{{"y": 1, "p": 2, "z": {deep}}}\n')
        assert of(str(path), pred="p").confusion("p").total == 1


@pytest.mark.parametrize("name", ["format", "table"])
@pytest.mark.parametrize("given", [["csv"], {"a": 1}, 1])
def test_words_about_files_are_text(name: str, given: Any, tmp_path: Path) -> None:
    path = in_sqlite(tmp_path, [{"y": 1, "p": 1}])
    with pytest.raises(oe.ParameterError, match=f"^{name} must be "):
        of(path, pred="p", **{name: given}).items  # noqa: B018


def test_zeros_have_no_sign_and_infinite_moments_are_there(tmp_path: Path) -> None:
    columns = {
        "zero": "case when i % 2 = 0 then '-0.0'::double else 0.0::double end",
        "moment": "case when i % 2 = 0 then 'infinity'::timestamptz end",
    }
    made = ", ".join(f"{x} as {name}" for name, x in columns.items())
    relation = duckdb.sql(f"select i % 3 as y, i % 3 as p, {made} from range(30) t(i)")
    path = str(tmp_path / "t.parquet")
    relation.write_parquet(path)
    zeros = [relation, relation.pl(), pl.read_parquet(path).to_pandas(), path]
    for source in zeros:
        assert list(map(str, of(source, pred="p", by="zero").by)) == ["0.0"]
        assert of(source, pred="p", by="zero").items == 30
    data = of(path, pred="p", by="moment", missing="drop")
    assert (data.items, len(data.by)) == (15, 1)
    assert oe.Predictions.from_file(
        path, "y", "p", labels=LEVELS, where="moment = 'infinity'"
    ).items == 15  # fmt: skip


def test_large_integers_are_no_ties_where_files_are_joined(tmp_path: Path) -> None:
    rows = [{"id": i, "y": LEVELS[i % 3], "s": LARGE[i % 3]} for i in range(15)]
    truth = tmp_path / "truth.csv"
    truth.write_text("id,y\n" + "\n".join(f"{r['id']},{r['y']}" for r in rows))
    scores = [{"id": r["id"], "s": r["s"]} for r in rows]
    for write in (in_csv, in_lines, in_sqlite):
        data = of(write(tmp_path, scores), score="s", truth_file=str(truth), on="id")
        with pytest.raises(oe.LabelError, match="integers beyond"):
            oe.score(data)


def test_large_integers_are_no_ties_in_workbooks(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    path = tmp_path / "t.xlsx"
    table = {
        "y": LEVELS * 4,
        "s": LARGE * 4,
        "t": [1e20, 2e20, 3.5e300] * 4,
        "id": map(str, LARGE * 4),
    }
    pd.DataFrame(table).to_excel(path, index=False)
    for options in ({"score": "s"}, {"score": "t", "clusters": "s"}):
        data = oe.Predictions.from_file(path, "y", labels=LEVELS, **options)
        with pytest.raises(oe.LabelError, match="row 2 of 's' holds 9007199254740992"):
            oe.score(data)
    data = oe.Predictions.from_file(path, "y", score="t", labels=LEVELS, clusters="id")
    assert oe.score(data)["concordance_index"] == 1.0
    assert oe.score(data).intervals["concordance_index"].clusters == 3


def days(folder: Path) -> dict[str, oe.Predictions]:
    """Labels that are days, in every format and frame, with labels that are text."""
    texts = ["2020-01-30", "2020-01-31", "2020-02-01"]
    rows = [{"y": texts[row["y"]], "p": texts[row["p"]], "c": i // 4} for i, row in enumerate(ROWS)]
    text = pa.Table.from_pylist(rows)
    table = text.set_column(0, "y", text["y"].cast(pa.date32()))
    table = table.set_column(1, "p", text["p"].cast(pa.timestamp("ms")))
    parquet.write_table(table, folder / "t.parquet")
    feather.write_feather(table, folder / "t.arrow")
    files = [in_lines(folder, rows), in_sqlite(folder, rows), in_csv(folder, rows)]
    names = {"labels": texts, "clusters": "c"}
    found = {
        name: oe.Predictions.from_file(name, "y", "p", **names)
        for name in (*files, str(folder / "t.parquet"), str(folder / "t.arrow"))
    }
    return found | {
        kind: oe.Predictions.from_frame(load(table), "y", "p", **names)
        for kind, load in FRAMES.items()
    }


def test_labels_that_are_text_name_days_of_every_format(tmp_path: Path) -> None:
    found = {str(oe.score(data).intervals["accuracy"]) for data in days(tmp_path).values()}
    assert len(found) == 1


def test_days_outside_the_scale_are_shown_with_their_place(tmp_path: Path) -> None:
    days(tmp_path)
    for name in ("t.parquet", "t.arrow", "t.csv"):
        data = oe.Predictions.from_file(
            tmp_path / name, "y", "p", labels=["2020-01-30", "2020-01-31"]
        )
        with pytest.raises(oe.LabelError, match=r"y has 13 .*'2020-02-01' .*the first in row 3"):
            oe.score(data)


@pytest.mark.parametrize(
    "given", [{"a": "g"}, {"a": ("g",)}, {"a": pd.DataFrame({"g": [1]})}, {1: ("g", "h")}]
)
def test_models_in_other_tables_need_a_table_and_a_column(given: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2], "y": [1, 2]})
    path = in_csv(tmp_path, frame.to_dict("records"))
    for call, name, table in (
        (oe.Predictions.from_frame, "pred_frames", frame),
        (oe.Predictions.from_file, "pred_files", path),
    ):
        with pytest.raises(oe.LabelError, match=f"{name} maps "):
            call(table, "y", on="id", labels=[1, 2], **{name: given})
