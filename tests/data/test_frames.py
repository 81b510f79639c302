"""Frames give the counts that arrays give, and no engine is loaded for another."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from tests.asking import of_frame
from tests.predictions import LEVELS, TABLE, TRUTH, WEIGHT, WORDS, A

import ordeval as oe

FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": TABLE.to_pandas,
    "polars": lambda: pl.from_arrow(TABLE),
    "polars lazy": lambda: pl.from_arrow(TABLE).lazy(),  # type: ignore[union-attr]
    "pyarrow": lambda: TABLE,
    "duckdb": lambda: duckdb.connect().from_arrow(TABLE),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_counted_as_its_columns_are(name: str) -> None:
    frame = FRAMES[name]()
    words = oe.ConfusionMatrix.from_frame(frame, "y", "a", LEVELS)
    assert words == oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS)
    assert words.counts.dtype == np.int64
    assert oe.ConfusionMatrix.from_frame(FRAMES[name](), "i", "j") == (
        oe.ConfusionMatrix.from_labels(TRUTH, A)
    )
    weighed = oe.ConfusionMatrix.from_frame(FRAMES[name](), "y", "a", LEVELS, "w")
    assert weighed == oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS, WEIGHT)


@pytest.mark.parametrize("frame", [pa.table, lambda held: pa.table(held).to_pandas()])
@pytest.mark.parametrize("pred", ["p", ["p", "q"]])
def test_a_frame_in_memory_tells_the_position_of_a_misfit(
    frame: Callable[[Any], Any], pred: Any
) -> None:
    held = frame({"y": [1, 2, 9, 9], "p": [1, 2, 2, None], "q": [1, 1, 2, 2]})
    with pytest.raises(oe.LabelError) as error:
        oe.ConfusionMatrix.from_frame(held, "y", pred, [1, 2])
    assert ": 9 (2 items; the first at position 2)." in str(error.value)
    assert "p has 1 missing value (position 3)." in str(error.value)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_without_an_order_is_refused(name: str) -> None:
    with pytest.raises(oe.ScaleError, match="labels without an order"):
        oe.ConfusionMatrix.from_frame(FRAMES[name](), "y", "a")


@pytest.mark.parametrize("name", FRAMES)
def test_a_misspelt_column_is_suggested(name: str) -> None:
    with pytest.raises(oe.LabelError, match=r"no column 'yy'\. Did you mean 'y'"):
        oe.ConfusionMatrix.from_frame(FRAMES[name](), "yy", "a", LEVELS)


@pytest.mark.parametrize("name", ["polars", "duckdb"])
def test_nulls_and_unknown_labels_are_counted_by_the_engine(name: str) -> None:
    table = pa.table({"y": ["low", None, "high", "high"], "a": ["low", "low", "hgih", "high"]})
    frame = pl.from_arrow(table) if name == "polars" else duckdb.connect().from_arrow(table)
    with pytest.raises(oe.LabelError, match="missing"):
        oe.ConfusionMatrix.from_frame(frame, "y", "a", LEVELS)
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "a", LEVELS, unknown="drop", missing="drop")
    assert cm.total == 2
    assert cm.dropped == oe.results.Dropped(missing=1, unknown=1)


def test_an_enum_declares_the_order() -> None:
    frame = pl.DataFrame(WORDS, schema=dict.fromkeys(WORDS, pl.Enum(LEVELS)))
    assert oe.ConfusionMatrix.from_frame(frame.lazy(), "y", "b").scale == oe.Scale(LEVELS)


@pytest.mark.parametrize("weight", [[1.0, None], [1.0, -1.0], [1.0, float("nan")]])
def test_bad_weights_are_refused(weight: list[float | None]) -> None:
    frame = pl.DataFrame({"y": [1, 2], "a": [1, 2], "w": weight}).lazy()
    with pytest.raises(oe.LabelError, match="weights in 'w'"):
        oe.ConfusionMatrix.from_frame(frame, "y", "a", [1, 2], "w")


@pytest.mark.parametrize("name", FRAMES)
def test_models_are_compared_where_they_are(name: str) -> None:
    options: dict[str, Any] = {
        "labels": LEVELS, "metrics": ["cem_ord", "accuracy"], "n_resamples": 199, "rng": 0,
    }  # fmt: skip
    here = of_frame(oe.compare, FRAMES[name](), "y", ["a", "b"], **options)
    there = oe.compare(WORDS["y"], {"a": WORDS["a"], "b": WORDS["b"]}, **options)
    assert here.items == there.items == 500
    assert here.matrices == there.matrices
    assert [d.delta for d in here.deltas()] == [d.delta for d in there.deltas()]
    weighed = of_frame(oe.compare, FRAMES[name](), "y", ["a", "b"], weight="w", **options)
    assert weighed.matrices["a"] == (
        oe.ConfusionMatrix.from_labels(WORDS["y"], WORDS["a"], LEVELS, WEIGHT)
    )


def test_dictionaries_that_differ_declare_no_order() -> None:
    def chunk(levels: list[str]) -> pa.Array:
        return pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), levels, ordered=True)

    column = pa.chunked_array([chunk(["low", "high"]), chunk(["low", "medium"])])
    table = pa.table({"y": column, "p": column})
    for pred in ("p", ["p"]):
        with pytest.raises(oe.ScaleError, match="labels without an order"):
            oe.ConfusionMatrix.from_frame(table, "y", pred)
        total = oe.ConfusionMatrix.from_frame(table, "y", pred, LEVELS).total
        assert int(np.sum(total)) == 4


def test_columns_that_hold_no_labels() -> None:
    nested = pl.DataFrame({"y": [[1], [2]], "p": [1, 2]})
    with pytest.raises(oe.LabelError, match="must hold labels, one per item"):
        oe.ConfusionMatrix.from_frame(nested, "y", "p", [1, 2])
    twice = pa.table([[1], [2], [3]], names=["y", "p", "p"])
    with pytest.raises(oe.LabelError, match="several columns 'p'"):
        oe.ConfusionMatrix.from_frame(twice, "y", "p", [1, 2])
    dates = pl.DataFrame({"y": [1], "p": [1], "w": [None]}).cast({"w": pl.Datetime})
    with pytest.raises(oe.LabelError, match="must be numbers"):
        oe.ConfusionMatrix.from_frame(dates, "y", "p", [1, 2], "w")
    empty = pl.DataFrame({"y": [], "p": []}, schema={"y": pl.Int64, "p": pl.Int64})
    assert oe.ConfusionMatrix.from_frame(empty, "y", "p", [1, 2]).total == 0
    assert oe.ConfusionMatrix.from_frame(empty, "y", "p", iter([1, 2]), by="y").shape == (0,)


# How each engine makes a frame of the same two columns.
ENGINES = {
    "duckdb": "duckdb.sql('select 1 as y, 1 as p union all select 2, 1')",
    "polars": "polars.LazyFrame(data)",
    "pyarrow": "pyarrow.table(data)",
    "pandas": "pandas.DataFrame(data)",
}
LOADED = """
import importlib, sys
import ordeval as oe

def loaded():
    known = ("pandas", "polars", "pyarrow", "duckdb", "dask", "pyspark", "ibis")
    return {e for e in known if e in sys.modules}

data = {"y": [1, 2], "p": [1, 1]}
oe.score([1, 2], [1, 1], labels=[1, 2])
assert not loaded(), loaded()
for engine, made in ENGINES:
    globals()[engine] = importlib.import_module(engine)
    frame = eval(made)
    before = loaded()
    oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2])
    oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2], by="y")
    assert loaded() == before, (engine, loaded() - before)
print("fine")
"""


@pytest.mark.parametrize("order", [list(ENGINES), list(ENGINES)[::-1]], ids=" ".join)
def test_no_engine_is_loaded_for_another(order: list[str]) -> None:
    """One interpreter sees what an engine loads of those after it, the other of those before."""
    code = LOADED.replace("ENGINES", repr([(e, ENGINES[e]) for e in order]))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "fine", done.stderr
