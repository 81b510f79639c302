"""The same labels in every container and frame: the same counts, or the same kind of error.

Each example draws two columns of one kind, with or without missing values, and what happens to
misfits. It is then held by every container of NumPy, pandas, Polars, PyArrow and torch that can,
and by every frame of pandas, Polars, PyArrow and DuckDB, read at once and by subgroups, and
compared with a plain double loop: 6 kinds, 25 examples of each, 6 to 18 containers and 8 frames in
two ways, about 4,000 comparisons in a run.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings, strategies as st
from tests.containers import double_loop, numpy_of, pandas_of, polars_of

import ordeval as oe

Container = Callable[[list[Any]], Any]
BIG = 2**53


def arrow_of(kind: Any) -> Container:
    return lambda values: pa.array(values, kind)


class Kind(NamedTuple):
    """Labels of one kind: what is declared, what occurs, and what can hold it."""

    levels: list[Any]
    others: list[Any]  # outside the scale
    arrow: Any  # the Arrow type, from which frames are made
    nullable: dict[str, Container]
    full: dict[str, Container]  # without missing values only


ANY: dict[str, Container] = {
    "list": list,
    "numpy objects": numpy_of(object),
    "pandas objects": pandas_of(object),
    "polars": pl.Series,
}
KINDS: dict[str, Kind] = {
    "integers": Kind(
        [1, 2, 3], [0, 7, -1], pa.int64(),
        ANY | {
            "pandas Int64": pandas_of("Int64"), "pandas Int8": pandas_of("Int8"),
            "pandas Arrow": pandas_of(pd.ArrowDtype(pa.int32())), "pandas float": pandas_of(float),
            "numpy float": numpy_of(float), "polars Int128": polars_of(pl.Int128),
            "polars Int8": polars_of(pl.Int8), "pyarrow": arrow_of(pa.int16()),
        },
        {
            "numpy int8": numpy_of("i1"), "numpy big-endian": numpy_of(">i4"),
            "torch": torch.tensor, "torch float": lambda v: torch.tensor(v, dtype=torch.float32),
            "torch bfloat16": lambda v: torch.tensor(v, dtype=torch.bfloat16),
            "torch with gradients": lambda v: torch.tensor(
                [float(x) for x in v], requires_grad=True
            ),
        },
    ),
    "large integers": Kind(
        [BIG, BIG + 1, 2**62, 2**62 + 1], [BIG - 1, BIG + 2, 2**62 - 1], pa.int64(),
        ANY | {
            "pandas Int64": pandas_of("Int64"),
            "pandas Arrow": pandas_of(pd.ArrowDtype(pa.int64())),
            "polars Int128": polars_of(pl.Int128), "pyarrow": arrow_of(pa.int64()),
        },
        {"numpy": numpy_of("i8"), "numpy unsigned": numpy_of("u8"), "torch": torch.tensor},
    ),
    "texts": Kind(
        ["low", "medium", "high"], ["", "Low", "None"], pa.string(),
        ANY | {
            "pandas str": pandas_of("str"), "pandas string": pandas_of("string"),
            "pandas Arrow": pandas_of(pd.ArrowDtype(pa.string())),
            "pandas categories": pandas_of("category"),
            "polars Categorical": polars_of(pl.Categorical),
            "pyarrow": pa.array, "pyarrow large": arrow_of(pa.large_string()),
            "pyarrow dictionary": lambda values: pa.array(values, pa.string()).dictionary_encode(),
        },
        {"numpy": numpy_of("<U9"), "numpy StringDType": numpy_of(np.dtypes.StringDType())},
    ),
    "fractions": Kind(
        [1.0, 1.5, 2.0], [1.25, 0.0], pa.float64(),
        ANY | {
            "numpy": numpy_of(float), "numpy float32": numpy_of("f4"), "pandas": pandas_of(float),
            "pandas Float64": pandas_of("Float64"), "polars": polars_of(pl.Float64),
            "pandas Arrow": pandas_of(pd.ArrowDtype(pa.float64())),
            "pyarrow": arrow_of(pa.float64()),
        },
        {"torch": torch.tensor, "torch half": lambda v: torch.tensor(v, dtype=torch.float16)},
    ),
    "truth values": Kind(
        [False, True], [], pa.bool_(),
        ANY | {"pandas boolean": pandas_of("boolean"), "pyarrow": arrow_of(pa.bool_())},
        {"numpy": numpy_of(bool), "torch": torch.tensor},
    ),
    "dates": Kind(
        [datetime.datetime(2024, 1, d) for d in (1, 2)], [datetime.datetime(2023, 1, 1)],
        pa.timestamp("us"),
        ANY | {
            "numpy": numpy_of("M8[us]"), "numpy ns": numpy_of("M8[ns]"),
            "pandas": pandas_of("datetime64[ns]"), "pyarrow": arrow_of(pa.timestamp("us")),
            "pandas Arrow": pandas_of(pd.ArrowDtype(pa.timestamp("us"))),
        },
        {},
    ),
}  # fmt: skip
FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda table: table.to_pandas(integer_object_nulls=True),
    "pandas objects": lambda table: pd.DataFrame(
        {c: pd.Series(table[c].to_pylist(), dtype=object) for c in table.column_names}
    ),
    "pandas Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pyarrow": lambda table: table,
    "record batch": lambda table: table.combine_chunks().to_batches()[0],
    "duckdb": duckdb.from_arrow,
}


class Example(NamedTuple):
    """Two columns of one kind, and what happens to misfits."""

    truth: list[Any]
    pred: list[Any]
    policies: dict[str, Any]


def examples(kind: Kind) -> st.SearchStrategy[Example]:
    known = st.sampled_from(kind.levels)
    label = st.one_of(known, known, known, st.sampled_from([*kind.others, None]))
    some = st.one_of(known, label)
    pairs = st.lists(st.tuples(some, some), min_size=1, max_size=9)
    policy = st.sampled_from(["drop", "raise"])
    policies = st.fixed_dictionaries({"unknown": policy, "missing": policy})
    return st.builds(
        lambda p, how: Example([t for t, _ in p], [q for _, q in p], how), pairs, policies
    )


Outcome = list[list[int]] | str


def expected(kind: Kind, example: Example) -> Outcome:
    """By a double loop: the counts, or that there is an error."""
    both = [*example.truth, *example.pred]
    missing, unknown = None in both, any(x is not None and x not in kind.levels for x in both)
    if missing and example.policies["missing"] == "raise":
        return "LabelError"
    if unknown and example.policies["unknown"] == "raise":
        return "LabelError"
    return double_loop(example.truth, example.pred, kind.levels)


def outcome(call: Callable[[], oe.ConfusionMatrix]) -> Outcome:
    try:
        counts = call().counts
    except oe.OrdevalError as error:
        return type(error).__name__
    found: list[list[int]] = counts.reshape(-1, *counts.shape[-2:]).sum(axis=0).tolist()
    return found


def check_columns(kind: Kind, example: Example, right: Outcome) -> None:
    lists = (example.truth, example.pred)
    makers = kind.nullable if any(None in x for x in lists) else {**kind.nullable, **kind.full}
    for name, make in makers.items():
        truth, pred = map(make, lists)
        found = outcome(
            lambda t=truth, p=pred: oe.ConfusionMatrix.from_labels(
                t, p, kind.levels, **example.policies
            )
        )
        assert found == right, (name, found, right)


def check_frames(kind: Kind, example: Example, right: Outcome) -> None:
    table = pa.table(
        {
            "t": pa.array(example.truth, kind.arrow),
            "p": pa.array(example.pred, kind.arrow),
            "g": pa.array(["x"] * len(example.truth)),
        }
    )
    for name, load in FRAMES.items():
        frame = load(table)
        for by in (None, "g"):
            found = outcome(
                lambda f=frame, b=by: oe.ConfusionMatrix.from_frame(
                    f, "t", "p", kind.levels, by=b, **example.policies
                )
            )
            assert found == right, (name, by, found, right)


@pytest.mark.parametrize("name", KINDS)
def test_every_container_and_frame_agrees(name: str) -> None:
    kind = KINDS[name]

    @settings(max_examples=25, deadline=None)
    @given(examples(kind))
    def check(example: Example) -> None:
        right = expected(kind, example)
        check_columns(kind, example, right)
        check_frames(kind, example, right)

    check()
