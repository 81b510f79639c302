"""Long tables and tables joined by ids, on every engine in this process, against NumPy's counts."""

from __future__ import annotations

import json
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.asking import of_file, of_frame
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
    compared(of_frame(oe.compare, frame, "y", labels=LEVELS, metrics=["accuracy"], **kinds))
    scores = of_frame(oe.score, frame, "y", labels=LEVELS, metrics=["accuracy"], **kinds)
    assert {m: scores[m]["accuracy"] for m in MODELS} == {
        m: pytest.approx((PRED[m] == Y).mean()) for m in MODELS
    }


def test_a_long_frame_as_a_wide_one(load: Load) -> None:
    """Subgroups, clusters and weights come along: the same comparison as of the wide table."""
    how: dict[str, Any] = {
        "labels": LEVELS, "metrics": ["cem_ord"], "weight": "w", "clusters": "part", "by": "site",
    }  # fmt: skip
    found = of_frame(
        oe.compare, load(long_table()), "y", item="id", model="model", pred="grade", **how
    )
    side_by_side = item_table()
    for m in MODELS:
        side_by_side = side_by_side.append_column(m, pa.array(words(PRED[m])))
    wide = of_frame(oe.compare, side_by_side, "y", MODELS, **how)
    for site in range(4):
        for a, b in zip(found[site].rows(), wide[site].rows(), strict=True):
            assert a["model"] == b["model"]
            assert a["estimate"] == pytest.approx(b["estimate"], nan_ok=True)
            assert a.get("low") == pytest.approx(b.get("low"), nan_ok=True)


def test_truth_in_another_frame(load: Load) -> None:
    preds, truth = load(wide_table()), load(item_table())
    for on in ("id", ["part", "id"]):
        found = oe.compare(
            oe.Predictions.from_frame(preds, "y", MODELS, labels=LEVELS, truth_frame=truth, on=on),
            ["accuracy"],
        )
        compared(found)
    score = oe.score(
        oe.Predictions.from_frame(
            preds, "y", "a", labels=LEVELS, truth_frame=truth, on="id", by="site"
        ),
        ["accuracy"],
    )
    assert np.array_equal(score.confusion.counts[2], counted("a", SITE == 2))


def test_a_long_frame_with_truth_in_another(load: Load) -> None:
    table = long_table()
    found = oe.compare(
        oe.Predictions.from_frame(
            load(table.drop_columns(["y", "site", "w"])),
            "y",
            pred="grade",
            item="id",
            model="model",
            labels=LEVELS,
            truth_frame=load(item_table()),
            by="site",
        ),
        metrics=["accuracy"],
    )
    for site in range(4):
        for m in MODELS:
            assert np.array_equal(found[site].matrices[m].counts, counted(m, site == SITE))


def test_frames_of_predictions(load: Load) -> None:
    wide = wide_table()
    frames = {m: (load(wide.select(["id", m])), m) for m in MODELS}
    found = oe.compare(
        oe.Predictions.from_frame(
            load(item_table()), "y", labels=LEVELS, on="id", pred_frames=frames
        ),
        metrics=["accuracy"],
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
    with pytest.raises(oe.LabelError, match=r"4 items of 500 .*: 'a' lacks 3 and 'b\.c' lacks 2"):
        of_frame(oe.compare, frame, "y", **how)
    found = of_frame(oe.compare, frame, "y", missing="drop", **how)
    kept = ~np.isin(np.arange(N), [0, 1, 2, 9])
    compared(found, kept)
    assert found.left_out == 4
    parts = of_frame(oe.compare, frame, "y", missing="drop", by="site", **how)
    assert parts.dropped == 4
    assert sum(c.items for c in parts.values()) == N - 4
    scores = of_frame(oe.score, frame, "y", missing="drop", **how)
    assert scores["a"].confusion.dropped.missing == 4


def test_unmatched_ids_on_both_sides(load: Load) -> None:
    preds, truth = load(wide_table().filter(pa.compute.field("id") >= 5)), load(item_table()[:-7])
    how: dict[str, Any] = {"truth_frame": truth, "on": "id", "labels": LEVELS}
    with pytest.raises(oe.LabelError, match="the truth lacks 7 and the predictions lack 5"):
        of_frame(oe.compare, preds, "y", MODELS, ["accuracy"], **how)
    found = of_frame(oe.compare, preds, "y", MODELS, ["accuracy"], missing="drop", **how)
    compared(found, slice(5, N - 7))
    assert found.left_out == 12


def test_ids_that_are_there_twice(load: Load) -> None:
    table = long_table()
    pairs = list(zip(table["id"].to_pylist(), table["model"].to_pylist(), strict=True))
    at = pairs.index((41, "a"))
    frame = load(pa.concat_tables([table, table[at : at + 1]]))
    kinds: dict[str, Any] = {"item": "id", "model": "model", "pred": "grade", "labels": LEVELS}
    with pytest.raises(oe.LabelError, match="id 41 appears several times in the mod"):
        of_frame(oe.compare, frame, "y", missing="drop", **kinds)
    truth = load(pa.concat_tables([item_table(), item_table()[3:4]]))
    with pytest.raises(oe.LabelError, match="id 3 appears several times in the truth"):
        oe.compare(
            oe.Predictions.from_frame(
                load(wide_table()),
                "y",
                MODELS,
                labels=LEVELS,
                truth_frame=truth,
                on="id",
                missing="drop",
            )
        )


def test_truths_that_differ(load: Load) -> None:
    table = long_table()
    y = table["y"].to_pylist()
    at = table["id"].to_pylist().index(12)
    y[at] = "high" if y[at] != "high" else "low"
    frame = load(table.set_column(table.column_names.index("y"), "y", pa.array(y)))
    with pytest.raises(oe.LabelError, match="the rows of id 12 differ in 'y'"):
        oe.compare(
            oe.Predictions.from_frame(
                frame, "y", item="id", model="model", pred="grade", labels=LEVELS
            )
        )


def test_ids_of_different_types(load: Load) -> None:
    ids = pa.array([str(i) for i in range(N)])
    truth = load(item_table().set_column(0, "id", ids))
    with pytest.raises(oe.LabelError, match=r"'id' are of different types, .* would never match"):
        oe.compare(
            oe.Predictions.from_frame(
                load(wide_table()), "y", MODELS, labels=LEVELS, truth_frame=truth, on="id"
            )
        )
    small = load(item_table().set_column(0, "id", pa.array(np.arange(N), pa.int16())))
    compared(
        oe.compare(
            oe.Predictions.from_frame(
                load(wide_table()), "y", MODELS, labels=LEVELS, truth_frame=small, on="id"
            ),
            ["accuracy"],
        )
    )


def test_ids_that_are_missing(load: Load) -> None:
    ids = pa.array([None, *range(1, N)], pa.int64())
    truth = load(item_table().set_column(0, "id", ids))
    how: dict[str, Any] = {"labels": LEVELS, "truth_frame": truth, "on": "id"}
    with pytest.raises(oe.LabelError, match="1 row of the truth has no id"):
        of_frame(oe.compare, load(wide_table()), "y", MODELS, **how)
    found = of_frame(
        oe.compare, load(wide_table()), "y", MODELS, ["accuracy"], missing="drop", **how
    )
    compared(found, slice(1, N))


def graded(ids: Any, column: str, grades: list[Any]) -> pa.Table:
    return pa.table({"id": ids, column: grades})


def joined_frames(load: Load, truth: pa.Table, pred: pa.Table, **how: Any) -> Any:
    """The counts of a model in a frame of its own."""
    given: dict[str, Any] = {
        "labels": [1, 2, 3],
        "on": "id",
        "pred_frames": {"a": (load(pred), "g")},
    }
    found = of_frame(oe.compare, load(truth), "y", metrics=["accuracy"], **given, **how)
    return found.matrices["a"].counts


def joined_files(truth: Path, pred: Path, **how: Any) -> Any:
    given = {"labels": [1, 2, 3], "on": "id"} | how
    found = of_file(
        oe.compare, truth, "y", metrics=["accuracy"], pred_files={"a": (pred, "g")}, **given
    )
    return found.matrices["a"].counts


NAMELESS = "^1 row of the truth has no id. 1 row of 'a' has no id. Fill the gaps"


def test_nan_is_no_id(load: Load, tmp_path: Path) -> None:
    """Some engines match it with itself."""
    ids = pa.array([1.0, 2.0, float("nan")])
    truth, pred = graded(ids, "y", [1, 2, 3]), graded(ids, "g", [1, 2, 1])
    with pytest.raises(oe.LabelError, match=NAMELESS):
        joined_frames(load, truth, pred)
    kept = joined_frames(load, truth, pred, missing="drop")
    assert np.array_equal(kept, np.diag([1, 1, 0]))
    small = graded(ids.cast(pa.float32()), "g", [1, 2, 1])
    with pytest.raises(oe.LabelError, match=NAMELESS):
        joined_frames(load, truth, small)
    files = parquet(truth, tmp_path / "truth.parquet"), parquet(pred, tmp_path / "pred.parquet")
    with pytest.raises(oe.LabelError, match=NAMELESS):
        joined_files(*files)
    assert np.array_equal(joined_files(*files, missing="drop"), np.diag([1, 1, 0]))
    text = csv_file(graded(["1.0", "2.0", "nan"], "g", [1, 2, 1]), tmp_path / "pred.csv")
    with pytest.raises(oe.LabelError, match="1 row of the truth has no id"):
        joined_files(files[0], text)


BIG = 2**53
UNLIKE = {
    "a float cannot hold the integer": (pa.array([1, BIG + 1]), pa.array([1.0, float(BIG)])),
    "a float may have been rounded": (pa.array([1, 2]), pa.array([1.0, -float(BIG)])),
    "no room in a signed type": (pa.array([1, 2**64 - 1], pa.uint64()), pa.array([1, -1])),
}


@pytest.mark.parametrize("case", UNLIKE)
def test_ids_that_would_be_rounded(case: str, load: Load, tmp_path: Path) -> None:
    ours, theirs = UNLIKE[case]
    truth, pred = graded(ours, "y", [1, 2]), graded(theirs, "g", [1, 2])
    said = r"'id' are of different types, .* may match a different one.* Write the ids as text"
    with pytest.raises(oe.LabelError, match=said):
        joined_frames(load, truth, pred, missing="drop")
    files = parquet(truth, tmp_path / "truth.parquet"), parquet(pred, tmp_path / "pred.parquet")
    with pytest.raises(oe.LabelError, match=said):
        joined_files(*files, missing="drop")


def test_integers_and_floats_that_are_equal(load: Load, tmp_path: Path) -> None:
    ours, theirs = pa.array([1, BIG - 1, 7]), pa.array([7.5, float(BIG - 1), 1.0])
    truth, pred = graded(ours, "y", [1, 2, 3]), graded(theirs, "g", [3, 2, 1])
    with pytest.raises(oe.LabelError, match=r"2 items of 4 .*the truth lacks 1 and 'a' lacks 1"):
        joined_frames(load, truth, pred)
    found = joined_frames(load, truth, pred, missing="drop")
    assert np.array_equal(found, np.diag([1, 1, 0]))
    files = parquet(truth, tmp_path / "truth.parquet"), parquet(pred, tmp_path / "pred.parquet")
    assert np.array_equal(joined_files(*files, missing="drop"), np.diag([1, 1, 0]))


def test_decimals_beside_integers(tmp_path: Path) -> None:
    truth = parquet(graded([1, 2], "y", [1, 2]), tmp_path / "truth.parquet")
    for last, path in ((Decimal("2.00"), "whole.parquet"), (Decimal("2.25"), "part.parquet")):
        ids = pa.array([Decimal("1.00"), last], pa.decimal128(30, 2))
        parquet(graded(ids, "g", [1, 2]), tmp_path / path)
    assert np.array_equal(joined_files(truth, tmp_path / "whole.parquet"), np.diag([1, 1, 0]))
    with pytest.raises(oe.LabelError, match=r"an id such as 2\.25 may match a different one"):
        joined_files(truth, tmp_path / "part.parquet", missing="drop")


def test_ids_that_are_written_differently(tmp_path: Path) -> None:
    floats = parquet(graded([1.0, 2.0, 3.0], "y", [1, 2, 3]), tmp_path / "truth.parquet")
    text = csv_file(graded(["1", "2", "3"], "g", [1, 2, 1]), tmp_path / "pred.csv")
    said = (
        r"^no item is in all tables: no id matches\. The ids in 'id' are Float64 in the truth and "
        r"text in 'a': '1\.0' in the truth is not '1' in 'a'\. Write them alike in all tables\.$"
    )
    for missing in ("raise", "drop"):
        with pytest.raises(oe.LabelError, match=said):
            joined_files(floats, text, missing=missing)
    # Where most ids match, the types are not to blame.
    whole = parquet(graded([1, 2, 4], "y", [1, 2, 3]), tmp_path / "whole.parquet")
    with pytest.raises(oe.LabelError, match=r"to keep the 2 that all have\.$"):
        joined_files(whole, text)


PADDED = {
    "zeros": (["007", "008", "010"], ["10", "7", "8"], "'007' in the truth is not '7' in 'a'"),
    "points": (["7", "8", "10"], ["7.0", "8.0", "10.0"], "'10' in the truth is not '10.0' in 'a'"),
    "capitals": (["A1", "A2", "A3"], ["a1 ", "a2", "a3"], "'A1' in the truth is not 'a1 ' in 'a'"),
}


@pytest.mark.parametrize("case", PADDED)
def test_ids_that_are_the_same_but_for_the_way_of_writing(
    case: str, load: Load, tmp_path: Path
) -> None:
    ours, theirs, said = PADDED[case]
    said = f"no id matches. The ids in 'id' are written differently: {said}. Write them alike"
    truth, pred = graded(ours, "y", [1, 2, 3]), graded(theirs, "g", [1, 2, 1])
    files = csv_file(truth, tmp_path / "truth.csv"), csv_file(pred, tmp_path / "pred.csv")
    for missing in ("raise", "drop"):
        with pytest.raises(oe.LabelError, match=re.escape(said)) as caught:
            joined_frames(load, truth, pred, missing=missing)
        assert "that all have" not in str(caught.value)
        with pytest.raises(oe.LabelError, match=re.escape(said)):
            joined_files(*files, missing=missing)


@pytest.mark.parametrize("case", PADDED)
def test_ids_that_are_dropped_for_the_way_of_writing_are_told(case: str, tmp_path: Path) -> None:
    """Where most ids match and the others are dropped, a warning says that they are the same."""
    ours, theirs, said = PADDED[case]
    same = [f"x{i}" for i in range(8)]
    truth = csv_file(graded([*ours, *same], "y", [1, 2, 3] + [1] * 8), tmp_path / "truth.csv")
    pred = csv_file(graded([*theirs, *same], "g", [1, 2, 1] + [1] * 8), tmp_path / "pred.csv")
    with pytest.warns(oe.OrdevalWarning, match=re.escape(said)) as caught:
        joined_files(truth, pred, missing="drop")
    assert [str(w.message)[:40] for w in caught] == ["6 ids had no match and were dropped. The"]
    # Ids that are simply not there are no matter of writing.
    less = csv_file(graded(same, "g", [1] * 8), tmp_path / "less.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error", oe.OrdevalWarning)
        joined_files(truth, less, missing="drop")


def test_text_beside_numbers_is_told_with_an_example(load: Load) -> None:
    truth, pred = graded(["007", "008"], "y", [1, 2]), graded([7, 8], "g", [1, 2])
    said = r"'id' are of different types, .* such as '007' and Int.* such as 7, and would never"
    with pytest.raises(oe.LabelError, match=said):
        joined_frames(load, truth, pred)


def test_ids_that_have_nothing_to_do_with_each_other(load: Load) -> None:
    truth, pred = graded(["a", "b"], "y", [1, 2]), graded(["x", "y"], "g", [1, 2])
    said = r"no id matches\. The ids in 'id' are such as 'a' in the truth and 'x' in 'a'\.$"
    with pytest.raises(oe.LabelError, match=said):
        joined_frames(load, truth, pred)
    with pytest.raises(oe.LabelError, match=r"^no item is in all tables: 'a' lacks 2\.$"):
        joined_frames(load, truth, pred.slice(0, 0), missing="drop")
    with pytest.raises(oe.LabelError, match="the tables have no rows"):
        joined_frames(load, truth.slice(0, 0), pred.slice(0, 0))


def test_a_column_that_a_joined_file_lacks(tmp_path: Path) -> None:
    truth = csv_file(graded(["1", "2"], "label", [1, 2]), tmp_path / "truth.csv")
    pred = csv_file(graded(["1", "2"], "g", [1, 2]), tmp_path / "pred.csv")
    given: dict[str, Any] = {"truth_file": truth, "on": "id"}
    with pytest.raises(oe.LabelError, match=r"^in '.*truth.csv': .*'labl'\. Did you mean 'label'"):
        of_file(oe.score, pred, "labl", "g", **given)
    with pytest.raises(oe.LabelError, match=r"^in '.*pred.csv': there is no column 'gg'"):
        of_file(oe.score, pred, "label", "gg", **given)
    with pytest.raises(oe.LabelError, match=r"'labl'\. Did you mean 'label'.* 'label', 'g'"):
        of_file(oe.score, pred, "label", "g", by="labl", **given)


def test_names_of_models_are_in_quotes(load: Load) -> None:
    frame = pa.table({
        "id": [1, 1, 2, 2, 3, 3], "y": [1, 1, 2, 2, 3, 3], "g": [1, 1, 2, 2, 3, 3],
        "model": ["a", "a ", "a ", "b", "b", "a "],
    }).take([0, 1, 2, 3, 4])  # fmt: skip
    said = "'a' lacks 2, 'a ' lacks 1 and 'b' lacks 1"
    with pytest.raises(oe.LabelError, match=said):
        oe.compare(
            oe.Predictions.from_frame(
                load(frame), "y", "g", labels=[1, 2, 3], item="id", model="model"
            )
        )


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
    compared(of_file(oe.compare, long, "y", **kinds, **how))
    scores = of_file(oe.score, long, "y", **kinds, **how, weight="w")
    weighed = np.zeros((3, 3))
    np.add.at(weighed, (Y, PRED["a"]), WEIGHT)
    assert np.array_equal(scores["a"].confusion.counts, weighed)
    parts = of_file(oe.compare, long, "y", **kinds, **how, by="site", where="part != 'p1'")
    for site in range(4):
        kept = (site == SITE) & (np.arange(N) % 3 != 1)
        assert np.array_equal(parts[site].matrices["a"].counts, counted("a", kept))
    # The truth is in a file of another kind, in which ids have a type.
    truth = parquet(item_table(), tmp_path / "truth.parquet")
    wide = write(wide_table(), tmp_path / f"wide{end}")
    compared(of_file(oe.compare, wide, "y", MODELS, truth_file=truth, on=["id", "part"], **how))
    files = {m: (wide, m) for m in MODELS}
    compared(of_file(oe.compare, truth, "y", pred_files=files, on="id", **how))
    parts = of_file(oe.compare, truth, "y", pred_files=files, on="id", by="site", **how)
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
    compared(of_file(oe.compare, long, "y", "grade", item="id", model="model", **how))
    truth, wide = two(item_table(), "truth"), two(wide_table(), "wide")
    compared(of_file(oe.compare, wide, "y", MODELS, truth_file=truth, on="id", **how))
    files = {m: (wide, m) for m in MODELS}
    compared(of_file(oe.compare, truth, "y", pred_files=files, on=["id", "part"], **how))
    odd = write(long_table().drop_columns(["grade"]), tmp_path / f"odd{end}")
    with pytest.raises(oe.LabelError, match=f"in '.*odd{end}': there is no column 'grade'"):
        of_file(oe.compare, [long[0], odd], "y", "grade", item="id", model="model", **how)


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
    compared(of_file(oe.compare, wide, "y", MODELS, **how))
    compared(of_file(oe.compare, long, "y", "grade", item="id", model="model", **how))
    compared(of_file(oe.compare, wide, "y", MODELS, truth_file=wide, on="id", **how))
    del how["labels"]  # integers imply the scale, however they are written
    compared(of_file(oe.compare, long, "y", "grade", item="id", model="model", **how))


@pytest.mark.parametrize("kind", ["Parquet", "JSON", "Arrow", "DuckDB"])
def test_truth_values_are_read_alike_joined_or_not(kind: str, tmp_path: Path) -> None:
    write, end = KINDS[kind]
    table = pa.table({
        "id": ["x", "z", "u"], "model": [True, True, True], "y": [False, True, True],
        "g": [True, True, None],
    })  # fmt: skip
    path = write(table, tmp_path / f"truth{end}")
    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": [False, True], "missing": "drop"}
    expected = [[0, 1], [0, 1]]
    wide = of_file(oe.compare, path, "y", ["g"], **how)
    assert wide.matrices["g"].counts.tolist() == expected
    joined = of_file(oe.compare, path, "y", pred_files={"a": (path, "g")}, on="id", **how)
    assert joined.matrices["a"].counts.tolist() == expected
    long = of_file(oe.compare, path, "y", "g", item="id", model="model", **how)
    assert long.matrices["True"].counts.tolist() == expected
    how |= {"where": "id != 'z'", "missing": "drop"}
    long = of_file(oe.compare, path, "y", "g", item="id", model="model", **how)
    assert long.matrices["True"].counts.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("other", [2, 2.0, "2", "true"])
def test_a_truth_value_in_json_is_no_level_1(other: Any, tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    rows = [{"id": "x", "y": 1, "g": other}, {"id": "z", "y": 1, "g": True}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = r"outside the scale Scale\(1 < 2 < 3\): 'true'"
    with pytest.raises(oe.LabelError, match=said + r" \(.*row"):
        oe.compare(oe.Predictions.from_file(path, "y", ["g"], labels=[1, 2, 3]))
    with pytest.raises(oe.LabelError, match=said):
        joined_files(path, path)


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
        oe.compare(oe.Predictions.from_frame(load(wide), "y", ["a", "b.c"], labels=[3, 4, 5]))
    with pytest.raises(oe.LabelError, match=said):
        of_frame(oe.compare, load(long), "y", "grade", labels=[3, 4, 5], **kinds)
    found = of_frame(
        oe.compare, load(long), "y", "grade", ["accuracy"], labels=list("345"), **kinds
    )
    assert np.array_equal(found.matrices["a"].counts, counted("a"))


def test_files_that_do_not_match(tmp_path: Path) -> None:
    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": LEVELS, "on": "id"}
    wide = parquet(wide_table(), tmp_path / "wide.parquet")
    as_text = item_table().set_column(0, "id", pa.array([str(i) for i in range(N)]))
    truth = parquet(as_text, tmp_path / "text.parquet")
    with pytest.raises(oe.LabelError, match="'id' are of different types"):
        of_file(oe.compare, wide, "y", MODELS, truth_file=truth, **how)
    short = csv_file(item_table()[10:], tmp_path / "short.csv")
    with pytest.raises(oe.LabelError, match="10 items of 500 are not in all tables: the truth lac"):
        of_file(oe.compare, wide, "y", MODELS, truth_file=short, **how)
    found = of_file(oe.compare, wide, "y", MODELS, truth_file=short, missing="drop", **how)
    compared(found, slice(10, N))
    padded = item_table().set_column(0, "id", pa.array([f"{i:05}" for i in range(N)]))
    never = csv_file(padded[:0], tmp_path / "never.csv")
    with pytest.raises(oe.LabelError, match=r"^no item is in all tables: the truth lacks 500\.$"):
        of_file(oe.compare, wide, "y", MODELS, truth_file=never, missing="drop", **how)


def test_probabilities_in_another_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    given = rng.dirichlet([1, 1, 1], N)
    table = pa.table({"id": np.arange(N)} | {f"p_{x}": given[:, i] for i, x in enumerate(LEVELS)})
    truth = csv_file(item_table(), tmp_path / "truth.csv")
    direct = oe.score(words(Y), given, ["ranked_probability_score"], labels=LEVELS)
    for write, end in ((csv_file, ".csv"), (parquet, ".parquet"), (sqlite_file, ".sqlite")):
        path = write(table.take(rng.permutation(N)), tmp_path / f"given{end}")
        found = oe.score(
            oe.Predictions.from_file(
                path, "y", prob="p_", labels=LEVELS, truth_file=truth, on="id"
            ),
            metrics=["ranked_probability_score"],
        )
        name = "ranked_probability_score"
        assert found[name] == pytest.approx(direct[name], rel=1e-12)
    broken = table.set_column(1, "p_low", pa.array(["x"] * N))
    with pytest.raises(oe.LabelError, match="'p_low' must hold numbers, one per item; one has 'x'"):
        oe.score(
            oe.Predictions.from_file(
                csv_file(broken, tmp_path / "broken.csv"),
                "y",
                prob="p_",
                labels=LEVELS,
                truth_file=truth,
                on="id",
            )
        )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"item": "id"}, "is for a long table"),
        ({"model": "model"}, "also needs item="),
        ({"on": "id"}, "joins tables, but there is only one"),
        ({"truth_frame": item_table()}, "by which tables are joined with on="),
        ({"item": "id", "model": "modle"}, "no column 'modle'. Did you mean 'model'"),
        ({"item": "id", "on": "part", "model": "model"}, "leave one out"),
        ({"item": "id", "model": "id"}, "Is it the column of model names"),
    ],
)
def test_what_does_not_go_together(given: dict[str, Any], words: str) -> None:
    table = long_table()
    if given.get("model") == "id":
        table = table.set_column(0, "id", pa.array(np.arange(len(table))))
    with pytest.raises(oe.LabelError, match=words):
        of_frame(oe.compare, table, "y", "grade", labels=LEVELS, **given)


def test_the_truth_is_in_one_table(tmp_path: Path) -> None:
    truth, pred = graded([1, 2], "y", [1, 2]), graded([1, 2], "g", [1, 1])
    how: dict[str, Any] = {"on": "id", "labels": [1, 2]}
    with pytest.raises(
        oe.ParameterError, match="nothing is read from the first frame: truth_frame"
    ):
        of_frame(
            oe.compare,
            pred,
            "y",
            truth_frame=truth,
            pred_frames={"a": (pred, "g"), "b": (pred, "g")},
            **how,
        )
    files = csv_file(truth, tmp_path / "t.csv"), csv_file(pred, tmp_path / "p.csv")
    models = {"a": (files[1], "g"), "b": (files[1], "g")}
    with pytest.raises(oe.ParameterError, match=r"p\.csv' or by truth_file; or .* with pred="):
        of_file(oe.compare, files[1], "y", truth_file=files[0], pred_files=models, **how)
    assert of_file(oe.compare, files[0], "y", pred_files=models, **how).models == ("a", "b")


def test_a_model_that_is_not_named() -> None:
    table = long_table()
    model = table["model"].to_pylist()
    gone = pa.array([None, None, *model[2:]])
    frame = table.set_column(table.column_names.index("model"), "model", gone)
    with pytest.raises(oe.LabelError, match="2 rows have no model name in 'model'"):
        oe.compare(
            oe.Predictions.from_frame(
                frame, "y", item="id", model="model", pred="grade", labels=LEVELS
            )
        )
