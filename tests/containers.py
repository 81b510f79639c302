"""Containers of labels that users hold, by name, and what counting means: a plain double loop."""

import array
import datetime
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

Container = Callable[[list[Any]], Any]


def double_loop(
    truth: Sequence[Hashable], pred: Sequence[Hashable], levels: Sequence[Hashable]
) -> list[list[int]]:
    pairs = list(zip(truth, pred, strict=True))
    return [[sum(pair == (t, p) for pair in pairs) for p in levels] for t in levels]


def weighted_loop(
    truth: Sequence[Hashable], pred: Sequence[Hashable], weights: Sequence[float], levels: Any
) -> list[list[float]]:
    items = list(zip(truth, pred, weights, strict=True))
    return [[sum(w for a, b, w in items if (a, b) == (t, p)) for p in levels] for t in levels]


def lists_of(levels: Sequence[Hashable], max_size: int = 30) -> st.SearchStrategy[Any]:
    """Two lists of labels, of the same length."""
    label = st.sampled_from(levels)
    pairs = st.lists(st.tuples(label, label), max_size=max_size)
    return pairs.map(lambda drawn: ([t for t, _ in drawn], [p for _, p in drawn]))


class Tensor:
    """What a tensor of another library shows of itself."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)


def every_second(values: list[Any]) -> Any:
    """A view that is not contiguous."""
    return np.repeat(np.array(values), 2)[::2]


def read_only(values: list[Any]) -> Any:
    view = np.array(values)
    view.flags.writeable = False
    return view


def numpy_of(dtype: Any) -> Container:
    return lambda values: np.array(values, dtype=dtype)


def pandas_of(dtype: Any) -> Container:
    return lambda values: pd.Series(values, dtype=dtype)


def polars_of(dtype: Any) -> Container:
    return lambda values: pl.Series(values, dtype=dtype)


def chunked(values: list[Any]) -> Any:
    """A ChunkedArray in pieces, one of them empty."""
    kind = pa.string() if values and isinstance(values[0], str) else pa.int64()
    half = len(values) // 2
    return pa.chunked_array([values[:half], [], values[half:]], type=kind)


ANY_KIND: dict[str, Container] = {
    "list": list,
    "tuple": tuple,
    "deque": deque,
    "generator": lambda values: (x for x in values),
    "iterator": iter,
    "dict values": lambda values: dict(enumerate(values)).values(),
    "numpy objects": numpy_of(object),
    "numpy not contiguous": every_second,
    "numpy backwards": lambda values: np.array(values[::-1])[::-1],
    "numpy read-only": read_only,
    "masked array": np.ma.array,
    "tensor": Tensor,
    "pandas Series": pd.Series,
    "pandas object": pandas_of(object),
    "pandas Index": pd.Index,
    "pandas unordered categories": lambda values: pd.Series(values, dtype="category"),
    "polars Series": pl.Series,
    "pyarrow Array": pa.array,
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pyarrow ChunkedArray": chunked,
}


INTEGERS: dict[str, Container] = {
    **{
        kind: numpy_of(kind)
        for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">i8", ">u4")
    },
    **{kind: numpy_of(kind) for kind in ("f2", "f4", "f8", ">f4", "g")},
    "array.array": lambda values: array.array("i", values),
    "pandas int8": pandas_of("int8"),
    "pandas Int64": pandas_of("Int64"),
    "pandas UInt8": pandas_of("UInt8"),
    "pandas Int64 array": lambda values: pd.array(values, dtype="Int64"),
    "pandas Int64 Index": lambda values: pd.Index(values, dtype="Int64"),
    "pandas float": pandas_of("float64"),
    "pandas Float64": pandas_of("Float64"),
    "pandas Arrow": pandas_of(pd.ArrowDtype(pa.int32())),
    "pandas sparse": lambda values: pd.Series(pd.arrays.SparseArray(values, dtype="int64")),
    "polars Int8": polars_of(pl.Int8),
    "polars UInt32": polars_of(pl.UInt32),
    "polars Float32": polars_of(pl.Float32),
    "pyarrow uint8": lambda values: pa.array(values, pa.uint8()),
}


STRINGS: dict[str, Container] = {
    "<U": numpy_of("<U9"),
    ">U": numpy_of(">U9"),
    "StringDType": numpy_of(np.dtypes.StringDType()),
    "numpy scalars": lambda values: [np.str_(x) for x in values],
    "pandas str": pandas_of("str"),
    "pandas string": pandas_of("string"),
    "pandas string[python]": pandas_of("string[python]"),
    "pandas Arrow string": pandas_of(pd.ArrowDtype(pa.string())),
    "pandas string array": lambda values: pd.array(values, dtype="string"),
    "polars Enum": polars_of(pl.Enum(["low", "medium", "high"])),
    "polars Categorical": polars_of(pl.Categorical),
    "pyarrow large_string": lambda values: pa.array(values, pa.large_string()),
    "pyarrow string_view": lambda values: pa.array(values, pa.string_view()),
}


DAYS = [datetime.datetime(2024, 1, 31), datetime.datetime(2024, 2, 1)]


DATES: dict[str, Container] = {
    "list": list,
    "numpy s": numpy_of("M8[s]"),
    "numpy us": numpy_of("M8[us]"),
    "numpy ns": numpy_of("M8[ns]"),
    "pandas us": pandas_of("datetime64[us]"),
    "pandas ns": pandas_of("datetime64[ns]"),
    "pandas Index": pd.DatetimeIndex,
    "polars": pl.Series,
    "pyarrow": pa.array,
}


NULLABLE: dict[str, Container] = {
    "list": list,
    "numpy objects": numpy_of(object),
    "pandas object": pandas_of(object),
    "pandas NA": lambda values: pd.Series(
        [pd.NA if x is None else x for x in values], dtype=object
    ),
    "pandas categories": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pyarrow chunks": chunked,
}


NULLABLE_INTEGERS: dict[str, Container] = {
    **NULLABLE,
    "floats": numpy_of(float),
    "masked": lambda values: np.ma.array(
        [x or 0 for x in values], mask=[x is None for x in values]
    ),
    "pandas float": pandas_of(float),
    "pandas Int64": pandas_of("Int64"),
    "pandas UInt8": pandas_of("UInt8"),
    "pandas Int64 array": lambda values: pd.array(values, dtype="Int64"),
    "pandas Float64": pandas_of("Float64"),
    "pandas Arrow": pandas_of(pd.ArrowDtype(pa.int64())),
}


NULLABLE_STRINGS: dict[str, Container] = {
    **NULLABLE,
    "StringDType": numpy_of(np.dtypes.StringDType(na_object=None)),
    "pandas str": pandas_of("str"),
    "pandas string": pandas_of("string"),
    "pandas Arrow": pandas_of(pd.ArrowDtype(pa.string())),
    "polars Enum": polars_of(pl.Enum(["1", "2", "3"])),
    "polars Categorical": polars_of(pl.Categorical),
}


FLOATS = {"f2", "f4", "f8", ">f4", "g", "pandas float", "pandas Float64", "polars Float32"}


WEIGHTS: dict[str, Container] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda values: (x for x in values),
    "dict values": lambda values: dict(enumerate(values)).values(),
    "int8": numpy_of("i1"),
    "float32": numpy_of("f4"),
    "objects": numpy_of(object),
    "masked array": np.ma.array,
    "tensor": Tensor,
    "pandas": pd.Series,
    "pandas Int64": pandas_of("Int64"),
    "pandas Float64": pandas_of("Float64"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": chunked,
}
