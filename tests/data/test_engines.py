"""Every engine gives NumPy's counts exactly."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.asking import of_frame
from tests.engines import ENGINES, spark_connect_address, spark_session

import ordeval as oe

# The engines' own; ours are errors as everywhere.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

LEVELS = ["low", "medium", "high"]
MODELS = [f"m{i}" for i in range(5)]
N, SITES = 6_000, 1_000


def _codes() -> dict[str, Any]:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, N)
    made = {"y": truth, "g": rng.permutation(N) % SITES}
    for i, m in enumerate(MODELS):
        made[m] = np.where(rng.random(N) < 0.5 + 0.08 * i, truth, rng.integers(0, 3, N))
    return {**made, "w": rng.integers(1, 9, N) / 8, "bad": rng.random(N)}


CODES = _codes()
Y, A = CODES["y"], CODES["m0"]


def words(codes: Any) -> list[str]:
    return np.array(LEVELS)[codes].tolist()


def holed(codes: Any, share: float) -> list[str | None]:
    """Words of which some are missing, and some are none of the scale's."""
    listed: list[str | None] = list(words(codes))
    for i in np.flatnonzero(CODES["bad"] < share).tolist():
        listed[i] = None if i % 2 else "hgih"
    return listed


TABLE = pa.table(
    {
        "y8": pa.array(Y + 1, pa.int8()),
        "a8": pa.array(A + 1, pa.int8()),
        **{f"{m}_64": pa.array(CODES[m] - 1, pa.int64()) for m in ("y", *MODELS)},
        **{m: words(CODES[m]) for m in ("y", *MODELS)},
        "y_holes": holed(Y, 0.02),
        "a_holes": holed(A, 0.05),
        "g": pa.array(CODES["g"], pa.int64()),
        "site": [f"site {g % 7}" for g in CODES["g"].tolist()],
        "w": CODES["w"],
        # Two models of half the items, in a long table.
        "row": pa.array(np.arange(len(Y)), pa.int64()),
        "item": pa.array(np.arange(len(Y)) // 2, pa.int64()),
        "who": ["p", "q"] * (len(Y) // 2),
        "y_item": words(np.repeat(Y[::2], 2)),
    }
)


def counted(truth: Any, pred: Any, weight: Any = None, kept: Any = slice(None)) -> Any:
    """The definition."""
    counts = np.zeros((3, 3), dtype=np.int64 if weight is None else np.float64)
    np.add.at(counts, (truth[kept], pred[kept]), 1 if weight is None else weight[kept])
    return counts


@pytest.fixture(scope="module", params=ENGINES)
def frame(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    with ExitStack() as stack:
        yield ENGINES[request.param](TABLE, stack, Path(tmp_path_factory.mktemp("engine")))


def test_small_and_large_integers(frame: Any) -> None:
    small = oe.ConfusionMatrix.from_frame(frame, "y8", "a8")
    assert small.scale == oe.Scale.range(1, 3)
    assert small.counts.dtype == np.int64
    assert np.array_equal(small.counts, counted(Y, A))
    large = oe.ConfusionMatrix.from_frame(frame, "y_64", "m0_64", [-1, 0, 1])
    assert np.array_equal(large.counts, counted(Y, A))


def test_words(frame: Any) -> None:
    assert np.array_equal(
        oe.ConfusionMatrix.from_frame(frame, "y", "m0", LEVELS).counts, counted(Y, A)
    )
    with pytest.raises(
        oe.ScaleError, match=r"y has labels without an order\. Found: 'high', 'low', 'medium'"
    ):
        oe.ConfusionMatrix.from_frame(frame, "y", "m0")


def test_missing_and_unknown_labels_are_counted(frame: Any) -> None:
    with pytest.raises(oe.LabelError, match=f"y_holes has {missing_in('y_holes'):,} missing"):
        oe.ConfusionMatrix.from_frame(frame, "y_holes", "a_holes", LEVELS)
    with pytest.raises(oe.LabelError, match=f"y_holes has {unknown_in('y_holes'):,} labels out"):
        oe.ConfusionMatrix.from_frame(frame, "y_holes", "a_holes", LEVELS, missing="drop")
    cm = oe.ConfusionMatrix.from_frame(
        frame, "y_holes", "a_holes", LEVELS, missing="drop", unknown="drop"
    )
    assert np.array_equal(cm.counts, counted(Y, A, kept=CODES["bad"] >= 0.05))
    arrays = oe.ConfusionMatrix.from_labels(
        holed(Y, 0.02), holed(A, 0.05), LEVELS, missing="drop", unknown="drop"
    )
    assert cm.dropped == arrays.dropped


def missing_in(column: str) -> int:
    return int(TABLE[column].null_count)


def unknown_in(column: str) -> int:
    return TABLE[column].to_pylist().count("hgih")


def test_weights(frame: Any) -> None:
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "m0", LEVELS, "w")
    # Eighths add up without rounding, in any order.
    assert np.array_equal(cm.counts, counted(Y, A, CODES["w"]))
    assert cm.weighted


def test_a_thousand_subgroups_are_one_stack(frame: Any) -> None:
    stack = oe.ConfusionMatrix.from_frame(frame, "y", "m0", LEVELS, by="g")
    assert stack.by == tuple(range(SITES))
    assert stack.counts.shape == (SITES, 3, 3)
    expected = [counted(Y, A, kept=CODES["g"] == g) for g in range(SITES)]
    assert np.array_equal(stack.counts, expected)


def test_five_models(frame: Any) -> None:
    expected = [counted(Y, CODES[m]) for m in MODELS]
    declared = oe.ConfusionMatrix.from_frame(frame, "y", MODELS, LEVELS)
    assert np.array_equal(declared.counts, expected)
    implied = oe.ConfusionMatrix.from_frame(frame, "y_64", [f"{m}_64" for m in MODELS])
    assert np.array_equal(implied.counts, expected)
    assert implied.scale == oe.Scale.range(-1, 1)


def test_models_in_subgroups_with_weights(frame: Any) -> None:
    stack = oe.ConfusionMatrix.from_frame(frame, "y", MODELS[:2], LEVELS, "w", by="site")
    assert stack.by == tuple(f"site {i}" for i in range(7))
    for g in range(7):
        for j, m in enumerate(MODELS[:2]):
            expected = counted(Y, CODES[m], CODES["w"], CODES["g"] % 7 == g)
            assert np.array_equal(stack.counts[g, j], expected)


def test_the_joint_table_of_a_comparison(frame: Any) -> None:
    options: dict[str, Any] = {
        "labels": LEVELS, "metrics": ["accuracy"], "n_resamples": 99, "rng": 0,
    }  # fmt: skip
    here = of_frame(oe.compare, frame, "y", ["m0", "m1"], **options)
    there = oe.compare(words(Y), {m: words(CODES[m]) for m in ("m0", "m1")}, **options)
    assert here.matrices == there.matrices
    assert [d.delta for d in here.deltas()] == [d.delta for d in there.deltas()]
    by = of_frame(oe.compare, frame, "y", ["m0", "m1"], by="site", **options)
    assert list(by) == [f"site {i}" for i in range(7)]
    assert sum(c.items for c in by.values()) == N


def ordered_pandas() -> Any:
    kind = pd.CategoricalDtype(LEVELS, ordered=True)
    return pd.DataFrame({"y": words(Y), "m0": words(A), "g": CODES["g"] % 7}).astype(
        {"y": kind, "m0": kind}
    )


def ordered_arrow() -> pa.Table:
    def column(codes: Any) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), LEVELS, ordered=True)

    return pa.table({"y": column(Y), "m0": column(A), "g": CODES["g"] % 7})


def duckdb_enum() -> Any:
    db = duckdb.connect()
    db.execute("create type stage as enum ('low', 'medium', 'high')")
    db.register("plain", TABLE)
    return db.sql("select y::stage as y, m0::stage as m0, g % 7 as g from plain")


def polars_enum() -> pl.DataFrame:
    kind = pl.Enum(LEVELS)
    return pl.DataFrame(
        {"y": words(Y), "m0": words(A), "g": CODES["g"] % 7},
        schema_overrides={"y": kind, "m0": kind},
    )


def dask_categorical() -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(ordered_pandas(), npartitions=2)


DECLARED: dict[str, Callable[[], Any]] = {
    "pandas ordered categorical": ordered_pandas,
    "polars Enum": polars_enum,
    "polars Enum, lazy": lambda: polars_enum().lazy(),
    "duckdb ENUM": duckdb_enum,
    "arrow ordered dictionary": ordered_arrow,
    "dask ordered categorical": dask_categorical,
}


@pytest.mark.parametrize("name", DECLARED)
def test_the_order_that_a_type_declares_is_honoured(name: str) -> None:
    frame = DECLARED[name]()
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "m0")
    assert cm.scale == oe.Scale(LEVELS)
    assert np.array_equal(cm.counts, counted(Y, A))
    stack = oe.ConfusionMatrix.from_frame(frame, "y", "m0", by="g")
    assert stack.scale == oe.Scale(LEVELS)
    assert np.array_equal(stack.counts.sum(axis=0), counted(Y, A))
    by_level = oe.ConfusionMatrix.from_frame(frame, "y", "m0", by="y")
    assert by_level.by == tuple(LEVELS)  # not in the order of the alphabet


@pytest.mark.parametrize("name", ["arrow", "pandas", "polars"])
def test_an_order_that_is_not_declared_is_refused(name: str) -> None:
    table = TABLE.select(["y", "m0", "g"])
    for i, c in enumerate(("y", "m0")):
        table = table.set_column(i, c, table[c].dictionary_encode())
    frame: Any = {"arrow": table, "pandas": table.to_pandas(), "polars": pl.from_arrow(table)}[name]
    for by in (None, "g"):
        with pytest.raises(
            oe.ScaleError, match=r"y has labels without an order\. Found: 'high', 'low', 'medium'"
        ):
            oe.ConfusionMatrix.from_frame(frame, "y", "m0", by=by)
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "m0", LEVELS)
    assert np.array_equal(cm.counts, counted(Y, A))


CONNECT = """
import sys
import ordeval as oe
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
frame = spark.read.parquet(sys.argv[2])
print(type(frame).__module__)
stack = oe.ConfusionMatrix.from_frame(frame, "y", ["m0", "m1"], ["low", "medium", "high"])
print(stack.counts.tolist())
spark.stop()
"""


def test_spark_connect(tmp_path: Path) -> None:
    import pyarrow.parquet

    spark_session()  # whose engine answers; the client is a process of its own
    pyarrow.parquet.write_table(TABLE, tmp_path / "preds.parquet")
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, spark_connect_address(), tmp_path / "preds.parquet"],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    module, counts = done.stdout.splitlines()
    assert "connect" in module
    assert counts == str([counted(Y, CODES[m]).tolist() for m in ("m0", "m1")])


def test_a_long_table_and_a_join(frame: Any) -> None:
    long = oe.compare(
        oe.Predictions.from_frame(frame, "y_item", "m0", labels=LEVELS, item="item", model="who"),
        ["accuracy"],
    )
    for i, model in enumerate(("p", "q")):
        expected = counted(Y[::2], A[i::2])
        assert np.array_equal(long.matrices[model].counts, expected)
    both = oe.compare(
        oe.Predictions.from_frame(
            frame, "y", MODELS[:2], labels=LEVELS, truth_frame=frame, on=["row", "site"]
        ),
        ["accuracy"],
    )
    for m in MODELS[:2]:
        assert np.array_equal(both.matrices[m].counts, counted(Y, CODES[m]))
    with pytest.raises(oe.LabelError, match="appears several times in the truth"):
        oe.compare(
            oe.Predictions.from_frame(frame, "y", "m0", labels=LEVELS, truth_frame=frame, on="item")
        )


def rows_of(frame: Any, kept: Any) -> Any:
    """Some rows of a frame, chosen by its engine."""
    return nw.from_native(frame).filter(kept).to_native()


def test_a_long_table_in_subgroups_and_with_gaps(frame: Any) -> None:
    long: dict[str, Any] = {
        "pred": "m0", "metrics": ["accuracy"], "labels": LEVELS, "item": "item", "model": "who",
    }  # fmt: skip
    parts = of_frame(oe.compare, frame, "y_item", by="y_item", **long)
    for level, name in enumerate(LEVELS):
        for i, model in enumerate(("p", "q")):
            expected = counted(Y[::2], A[i::2], kept=Y[::2] == level)
            assert np.array_equal(parts[name].matrices[model].counts, expected)
    # Row 7 is what q says of item 3.
    short = rows_of(frame, nw.col("row") != 7)
    with pytest.raises(oe.LabelError, match="1 item of 3,000 is not in all tables: 'q' lacks 1"):
        of_frame(oe.compare, short, "y_item", **long)
    found = of_frame(oe.score, short, "y_item", missing="drop", **long)
    kept = np.arange(N // 2) != 3
    for i, model in enumerate(("p", "q")):
        cm = found[model].confusion
        assert np.array_equal(cm.counts, counted(Y[::2], A[i::2], kept=kept))
        assert cm.dropped.missing == 1


def test_frames_that_are_joined(frame: Any) -> None:
    how: dict[str, Any] = {"metrics": ["accuracy"], "labels": LEVELS, "on": "row"}
    frames = {m: (frame, m) for m in MODELS[:2]}
    parts = of_frame(oe.compare, frame, "y", pred_frames=frames, by="site", **how)
    for g in range(7):
        for m in MODELS[:2]:
            expected = counted(Y, CODES[m], kept=CODES["g"] % 7 == g)
            assert np.array_equal(parts[f"site {g}"].matrices[m].counts, expected)
    truth, preds = rows_of(frame, nw.col("row") >= 5), rows_of(frame, nw.col("row") < N - 7)
    with pytest.raises(oe.LabelError, match="the truth lacks 5 and the predictions lack 7"):
        of_frame(oe.score, preds, "y", "m0", truth_frame=truth, **how)
    found = of_frame(oe.compare, preds, "y", MODELS[:2], truth_frame=truth, missing="drop", **how)
    assert found.left_out == 12
    for m in MODELS[:2]:
        expected = counted(Y, CODES[m], kept=slice(5, N - 7))
        assert np.array_equal(found.matrices[m].counts, expected)
    few = rows_of(frame, nw.col("row") < 5)
    with pytest.raises(oe.LabelError, match=r"no id matches\. .* such as 5 in the truth and 0 in"):
        of_frame(oe.score, few, "y", "m0", truth_frame=truth, **how)
    once = rows_of(frame, nw.col("who") == "p")
    with pytest.raises(oe.LabelError, match="appears several times in the predictions"):
        of_frame(oe.score, frame, "y", "m0", truth_frame=once, **how | {"on": "item"})
