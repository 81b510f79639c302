"""Long tables and tables joined by ids, on every engine in this process, against NumPy's counts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.engines import ENGINES

import ordeval as oe

N, MODELS, LEVELS = 500, ("a", "b.c", 'quo"te'), ("low", "mid", "high")
RNG = np.random.default_rng(7)
Y = RNG.integers(0, 3, N)
PRED = {m: np.where(RNG.random(N) < 0.7, Y, RNG.integers(0, 3, N)) for m in MODELS}
SITE, WEIGHT = RNG.integers(0, 4, N), RNG.integers(1, 5, N) / 2
IN_PROCESS = ("pandas", "pandas with Arrow types", "polars", "polars lazy", "pyarrow", "duckdb")


def words(codes: Any) -> list[str]:
    return [LEVELS[i] for i in codes.tolist()]


def item_table() -> pa.Table:
    return pa.table(
        {
            "id": pa.array(np.arange(N), pa.int64()),
            "part": [f"p{i % 3}" for i in range(N)],
            "y": words(Y),
            "site": pa.array(SITE, pa.int64()),
            "w": WEIGHT,
        }
    )


def wide_table() -> pa.Table:
    ids = {c: item_table()[c] for c in ("id", "part")}
    table = pa.table(ids | {m: words(PRED[m]) for m in MODELS})
    return table.take(np.random.default_rng(1).permutation(N))


def long_table() -> pa.Table:
    shared = item_table()
    parts = [
        shared.append_column("model", pa.array([m] * N)).append_column(
            "grade", pa.array(words(PRED[m]))
        )
        for m in MODELS
    ]
    together = pa.concat_tables(parts)
    return together.take(np.random.default_rng(2).permutation(len(together)))


def counted(model: str, kept: Any = slice(None)) -> Any:
    counts = np.zeros((3, 3), dtype=np.int64)
    np.add.at(counts, (Y[kept], PRED[model][kept]), 1)
    return counts


Load = Callable[[pa.Table], Any]


@pytest.fixture(params=IN_PROCESS)
def load(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Load]:
    """A table on an engine; two tables of one test are on the same."""
    with ExitStack() as stack:
        if request.param == "duckdb":
            db = stack.enter_context(duckdb.connect())
            yield db.from_arrow
        else:
            yield lambda table: ENGINES[request.param](table, stack, tmp_path)


def compared(found: Any, kept: Any = slice(None)) -> None:
    assert set(found.models) == set(MODELS)
    for m in MODELS:
        assert np.array_equal(found.matrices[m].counts, counted(m, kept))


def test_a_long_frame(load: Load) -> None:
    frame, kinds = load(long_table()), {"item": "id", "model": "model", "pred": "grade"}
    compared(oe.compare_frame(frame, "y", labels=LEVELS, metrics=["accuracy"], **kinds))
    scores = oe.score_frame(frame, "y", labels=LEVELS, metrics=["accuracy"], **kinds)
    assert {m: scores[m]["accuracy"] for m in MODELS} == {
        m: pytest.approx((PRED[m] == Y).mean()) for m in MODELS
    }


def test_a_long_frame_as_a_wide_one(load: Load) -> None:
    """Subgroups, clusters and weights come along: the same comparison as of the wide table."""
    how: dict[str, Any] = {
        "labels": LEVELS, "metrics": ["cem_ord"], "weight": "w", "clusters": "part", "by": "site",
    }  # fmt: skip
    found = oe.compare_frame(load(long_table()), "y", item="id", model="model", pred="grade", **how)
    side_by_side = item_table()
    for m in MODELS:
        side_by_side = side_by_side.append_column(m, pa.array(words(PRED[m])))
    wide = oe.compare_frame(side_by_side, "y", MODELS, **how)
    for site in range(4):
        for a, b in zip(found[site].rows(), wide[site].rows(), strict=True):
            assert a["model"] == b["model"]
            assert a["estimate"] == pytest.approx(b["estimate"], nan_ok=True)
            assert a.get("low") == pytest.approx(b.get("low"), nan_ok=True)


def test_truth_in_another_frame(load: Load) -> None:
    preds, truth = load(wide_table()), load(item_table())
    for on in ("id", ["part", "id"]):
        found = oe.compare_frame(
            preds, "y", MODELS, ["accuracy"], labels=LEVELS, truth_frame=truth, on=on
        )
        compared(found)
    score = oe.score_frame(
        preds, "y", "a", ["accuracy"], labels=LEVELS, truth_frame=truth, on="id", by="site"
    )
    assert np.array_equal(score.confusion.counts[2], counted("a", SITE == 2))


def test_a_long_frame_with_truth_in_another(load: Load) -> None:
    table = long_table()
    found = oe.compare_frame(
        load(table.drop_columns(["y", "site", "w"])), "y", pred="grade", metrics=["accuracy"],
        item="id", model="model", labels=LEVELS, truth_frame=load(item_table()), by="site",
    )  # fmt: skip
    for site in range(4):
        for m in MODELS:
            assert np.array_equal(found[site].matrices[m].counts, counted(m, site == SITE))


def test_frames_of_predictions(load: Load) -> None:
    wide = wide_table()
    frames = {m: (load(wide.select(["id", m])), m) for m in MODELS}
    found = oe.compare_frame(
        load(item_table()), "y", metrics=["accuracy"], labels=LEVELS, on="id", pred_frames=frames
    )
    compared(found)


def test_items_that_a_model_lacks(load: Load) -> None:
    table = long_table()
    model, item = table["model"].to_pylist(), table["id"].to_numpy()
    gone = np.array([(m == "a" and i < 3) or (m == "b.c" and i in (2, 9)) for m, i in zip(
        model, item.tolist(), strict=True)])  # fmt: skip
    frame = load(table.filter(pa.array(~gone)))
    how: dict[str, Any] = {
        "item": "id", "model": "model", "pred": "grade", "labels": LEVELS, "metrics": ["accuracy"],
    }  # fmt: skip
    with pytest.raises(oe.LabelError, match=r"4 items of 500 .*: a lacks 3 and b\.c lacks 2"):
        oe.compare_frame(frame, "y", **how)
    found = oe.compare_frame(frame, "y", missing="drop", **how)
    kept = ~np.isin(np.arange(N), [0, 1, 2, 9])
    compared(found, kept)
    assert found.left_out == 4
    parts = oe.compare_frame(frame, "y", missing="drop", by="site", **how)
    assert parts.dropped == 4
    assert sum(c.items for c in parts.values()) == N - 4
    scores = oe.score_frame(frame, "y", missing="drop", **how)
    assert scores["a"].confusion.dropped.missing == 4


def test_unmatched_ids_on_both_sides(load: Load) -> None:
    preds, truth = load(wide_table().filter(pa.compute.field("id") >= 5)), load(item_table()[:-7])
    how: dict[str, Any] = {"truth_frame": truth, "on": "id", "labels": LEVELS}
    with pytest.raises(oe.LabelError, match="the truth lacks 7 and the predictions lack 5"):
        oe.compare_frame(preds, "y", MODELS, ["accuracy"], **how)
    found = oe.compare_frame(preds, "y", MODELS, ["accuracy"], missing="drop", **how)
    compared(found, slice(5, N - 7))
    assert found.left_out == 12


def test_ids_that_are_there_twice(load: Load) -> None:
    table = long_table()
    pairs = list(zip(table["id"].to_pylist(), table["model"].to_pylist(), strict=True))
    at = pairs.index((41, "a"))
    frame = load(pa.concat_tables([table, table[at : at + 1]]))
    kinds: dict[str, Any] = {"item": "id", "model": "model", "pred": "grade", "labels": LEVELS}
    with pytest.raises(oe.LabelError, match="id 41 is there several times in the rows of the mod"):
        oe.compare_frame(frame, "y", missing="drop", **kinds)
    truth = load(pa.concat_tables([item_table(), item_table()[3:4]]))
    with pytest.raises(oe.LabelError, match="id 3 is there several times in the rows of the truth"):
        oe.compare_frame(
            load(wide_table()), "y", MODELS, labels=LEVELS, truth_frame=truth, on="id",
            missing="drop",
        )  # fmt: skip


def test_truths_that_differ(load: Load) -> None:
    table = long_table()
    y = table["y"].to_pylist()
    at = table["id"].to_pylist().index(12)
    y[at] = "high" if y[at] != "high" else "low"
    frame = load(table.set_column(table.column_names.index("y"), "y", pa.array(y)))
    with pytest.raises(oe.LabelError, match="the rows of id 12 differ in 'y'"):
        oe.compare_frame(frame, "y", item="id", model="model", pred="grade", labels=LEVELS)


def test_ids_of_different_types(load: Load) -> None:
    ids = pa.array([str(i) for i in range(N)])
    truth = load(item_table().set_column(0, "id", ids))
    with pytest.raises(oe.LabelError, match=r"'id' are of different types, .* would never match"):
        oe.compare_frame(load(wide_table()), "y", MODELS, labels=LEVELS, truth_frame=truth, on="id")
    small = load(item_table().set_column(0, "id", pa.array(np.arange(N), pa.int16())))
    compared(oe.compare_frame(
        load(wide_table()), "y", MODELS, ["accuracy"], labels=LEVELS, truth_frame=small, on="id"
    ))  # fmt: skip


def test_ids_that_are_missing(load: Load) -> None:
    ids = pa.array([None, *range(1, N)], pa.int64())
    truth = load(item_table().set_column(0, "id", ids))
    how: dict[str, Any] = {"labels": LEVELS, "truth_frame": truth, "on": "id"}
    with pytest.raises(oe.LabelError, match="1 row of the truth has no id"):
        oe.compare_frame(load(wide_table()), "y", MODELS, **how)
    found = oe.compare_frame(load(wide_table()), "y", MODELS, ["accuracy"], missing="drop", **how)
    compared(found, slice(1, N))


def csv_file(table: pa.Table, path: Path) -> Path:
    pl.from_arrow(table).write_csv(path)  # type: ignore[union-attr]
    return path


def odd_csv(table: pa.Table, path: Path) -> Path:
    """Every field in quotes, one with a line end: only Python's reader takes it."""
    table = table.append_column("note", pa.array(["a\nb"] * len(table)))
    pl.from_arrow(table).write_csv(path, quote_style="always")  # type: ignore[union-attr]
    return path


def parquet(table: pa.Table, path: Path) -> Path:
    pyarrow.parquet.write_table(table, path)
    return path


def json_lines(table: pa.Table, path: Path) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    return path


def arrow(table: pa.Table, path: Path) -> Path:
    pyarrow.feather.write_feather(table, path)
    return path


def duckdb_file(table: pa.Table, path: Path) -> Path:
    with duckdb.connect(str(path)) as db:
        db.from_arrow(table).create("preds")
    return path


def sqlite_file(table: pa.Table, path: Path) -> Path:
    with sqlite3.connect(path) as db:
        quoted = ['"' + c.replace('"', '""') + '"' for c in table.column_names]
        db.execute(f"create table preds ({', '.join(quoted)})")
        marks = ", ".join("?" * len(quoted))
        rows = zip(*table.to_pydict().values(), strict=True)
        db.executemany(f"insert into preds values ({marks})", rows)
    db.close()
    return path


KINDS: dict[str, tuple[Callable[[pa.Table, Path], Path], str]] = {
    "CSV": (csv_file, ".csv"), "odd CSV": (odd_csv, ".csv"), "Parquet": (parquet, ".parquet"),
    "JSON": (json_lines, ".jsonl"), "Arrow": (arrow, ".arrow"),
    "DuckDB": (duckdb_file, ".duckdb"), "SQLite": (sqlite_file, ".sqlite"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_files(kind: str, tmp_path: Path) -> None:
    write, end = KINDS[kind]
    long = write(long_table(), tmp_path / f"long{end}")
    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": LEVELS}
    kinds = {"item": "id", "model": "model", "pred": "grade"}
    compared(oe.compare_file(long, "y", **kinds, **how))
    scores = oe.score_file(long, "y", **kinds, **how, weight="w")
    weighed = np.zeros((3, 3))
    np.add.at(weighed, (Y, PRED["a"]), WEIGHT)
    assert np.array_equal(scores["a"].confusion.counts, weighed)
    parts = oe.compare_file(long, "y", **kinds, **how, by="site", where="part != 'p1'")
    for site in range(4):
        kept = (site == SITE) & (np.arange(N) % 3 != 1)
        assert np.array_equal(parts[site].matrices["a"].counts, counted("a", kept))
    # The truth is in a file of another kind, in which ids have a type.
    truth = parquet(item_table(), tmp_path / "truth.parquet")
    wide = write(wide_table(), tmp_path / f"wide{end}")
    compared(oe.compare_file(wide, "y", MODELS, truth_file=truth, on=["id", "part"], **how))
    files = {m: (wide, m) for m in MODELS}
    compared(oe.compare_file(truth, "y", pred_files=files, on="id", **how))
    parts = oe.compare_file(truth, "y", pred_files=files, on="id", by="site", **how)
    for site in range(4):
        assert np.array_equal(parts[site].matrices["a"].counts, counted("a", site == SITE))


@pytest.mark.parametrize("kind", ["CSV", "odd CSV", "Parquet", "JSON", "Arrow"])
def test_a_table_in_several_files(kind: str, tmp_path: Path) -> None:
    """A long table, and both sides of a join, in two files each, in another order of columns."""
    write, end = KINDS[kind]

    def two(table: pa.Table, name: str) -> list[Path]:
        n = len(table) // 3
        parts = table[:n], table[n:].select(table.column_names[::-1])
        return [write(x, tmp_path / f"{name}{i}{end}") for i, x in enumerate(parts)]

    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": LEVELS}
    long = two(long_table(), "long")
    compared(oe.compare_file(long, "y", "grade", item="id", model="model", **how))
    truth, wide = two(item_table(), "truth"), two(wide_table(), "wide")
    compared(oe.compare_file(wide, "y", MODELS, truth_file=truth, on="id", **how))
    files = {m: (wide, m) for m in MODELS}
    compared(oe.compare_file(truth, "y", pred_files=files, on=["id", "part"], **how))
    odd = write(long_table().drop_columns(["grade"]), tmp_path / f"odd{end}")
    with pytest.raises(oe.LabelError, match=f"in '.*odd{end}': there is no column 'grade'"):
        oe.compare_file([long[0], odd], "y", "grade", item="id", model="model", **how)


@pytest.mark.parametrize("kind", KINDS)
def test_grades_that_are_written_as_text(kind: str, tmp_path: Path) -> None:
    """Text that writes a level of the scale is that level in every file, wide, long or joined."""
    write, end = KINDS[kind]
    as_text = {c: [str(3 + x) for x in codes.tolist()] for c, codes in ({"y": Y} | PRED).items()}
    ids = [f"i{i}" for i in range(N)]
    wide = write(pa.table({"id": ids} | as_text), tmp_path / f"wide{end}")
    long = write(
        pa.table({
            "id": ids * len(MODELS), "y": as_text["y"] * len(MODELS),
            "model": [m for m in MODELS for _ in range(N)],
            "grade": [x for m in MODELS for x in as_text[m]],
        }),
        tmp_path / f"long{end}",
    )  # fmt: skip
    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": [3, 4, 5]}
    compared(oe.compare_file(wide, "y", MODELS, **how))
    compared(oe.compare_file(long, "y", "grade", item="id", model="model", **how))
    compared(oe.compare_file(wide, "y", MODELS, truth_file=wide, on="id", **how))
    del how["labels"]  # integers imply the scale, however they are written
    compared(oe.compare_file(long, "y", "grade", item="id", model="model", **how))


def test_grades_of_a_frame_keep_their_type(load: Load) -> None:
    """In a frame "3" is not 3, and a long one says so as a wide one does."""
    grades = {m: [str(3 + x) for x in PRED[m].tolist()] for m in ("a", "b.c")}
    wide = pa.table({"id": np.arange(N), "y": [str(3 + x) for x in Y.tolist()]} | grades)
    long = pa.table({
        "id": np.tile(np.arange(N), 2), "y": wide["y"].to_pylist() * 2,
        "model": ["a"] * N + ["b.c"] * N, "grade": grades["a"] + grades["b.c"],
    })  # fmt: skip
    kinds: dict[str, Any] = {"item": "id", "model": "model"}
    said = "levels are of type int, this label is of type str"
    with pytest.raises(oe.LabelError, match=said):
        oe.compare_frame(load(wide), "y", ["a", "b.c"], labels=[3, 4, 5])
    with pytest.raises(oe.LabelError, match=said):
        oe.compare_frame(load(long), "y", "grade", labels=[3, 4, 5], **kinds)
    found = oe.compare_frame(load(long), "y", "grade", ["accuracy"], labels=list("345"), **kinds)
    assert np.array_equal(found.matrices["a"].counts, counted("a"))


def test_files_that_do_not_match(tmp_path: Path) -> None:
    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": LEVELS, "on": "id"}
    wide = parquet(wide_table(), tmp_path / "wide.parquet")
    as_text = item_table().set_column(0, "id", pa.array([str(i) for i in range(N)]))
    truth = parquet(as_text, tmp_path / "text.parquet")
    with pytest.raises(oe.LabelError, match="'id' are of different types"):
        oe.compare_file(wide, "y", MODELS, truth_file=truth, **how)
    short = csv_file(item_table()[10:], tmp_path / "short.csv")
    with pytest.raises(oe.LabelError, match="10 items of 500 are not there for all: the truth lac"):
        oe.compare_file(wide, "y", MODELS, truth_file=short, **how)
    found = oe.compare_file(wide, "y", MODELS, truth_file=short, missing="drop", **how)
    compared(found, slice(10, N))
    padded = item_table().set_column(0, "id", pa.array([f"{i:05}" for i in range(N)]))
    never = csv_file(padded[:0], tmp_path / "never.csv")
    with pytest.raises(oe.LabelError, match="no item is in all tables"):
        oe.compare_file(wide, "y", MODELS, truth_file=never, missing="drop", **how)


def test_probabilities_in_another_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    given = rng.dirichlet([1, 1, 1], N)
    table = pa.table({"id": np.arange(N)} | {f"p_{x}": given[:, i] for i, x in enumerate(LEVELS)})
    truth = csv_file(item_table(), tmp_path / "truth.csv")
    direct = oe.score(words(Y), given, ["ranked_probability_score"], labels=LEVELS)
    for write, end in ((csv_file, ".csv"), (parquet, ".parquet"), (sqlite_file, ".sqlite")):
        path = write(table.take(rng.permutation(N)), tmp_path / f"given{end}")
        found = oe.score_file(
            path, "y", prob="p_", metrics=["ranked_probability_score"], labels=LEVELS,
            truth_file=truth, on="id",
        )  # fmt: skip
        name = "ranked_probability_score"
        assert found[name] == pytest.approx(direct[name], rel=1e-12)
    broken = table.set_column(1, "p_low", pa.array(["x"] * N))
    with pytest.raises(oe.LabelError, match="'p_low' must hold numbers, one per item; one has 'x'"):
        oe.score_file(
            csv_file(broken, tmp_path / "broken.csv"), "y", prob="p_", labels=LEVELS,
            truth_file=truth, on="id",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"item": "id"}, "is for a long table"),
        ({"model": "model"}, "name the column of its item with item="),
        ({"on": "id"}, "joins tables, and there is only one"),
        ({"truth_frame": item_table()}, "by which tables are joined with on="),
        ({"item": "id", "model": "modle"}, "no column 'modle'. Did you mean 'model'"),
        ({"item": "id", "on": "part", "model": "model"}, "leave one out"),
        ({"item": "id", "model": "id"}, "Is it the column of the models"),
    ],
)
def test_what_does_not_go_together(given: dict[str, Any], words: str) -> None:
    table = long_table()
    if given.get("model") == "id":
        table = table.set_column(0, "id", pa.array(np.arange(len(table))))
    with pytest.raises(oe.LabelError, match=words):
        oe.compare_frame(table, "y", "grade", labels=LEVELS, **given)


def test_a_model_that_is_not_named() -> None:
    table = long_table()
    model = table["model"].to_pylist()
    gone = pa.array([None, None, *model[2:]])
    frame = table.set_column(table.column_names.index("model"), "model", gone)
    with pytest.raises(oe.LabelError, match="2 rows do not say in 'model'"):
        oe.compare_frame(frame, "y", item="id", model="model", pred="grade", labels=LEVELS)
