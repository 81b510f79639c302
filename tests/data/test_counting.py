"""Counting: every container of labels gives what a plain double loop gives."""

import array
import datetime
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe
from ordeval.data.items import CHUNK

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


@pytest.mark.parametrize("container", ANY_KIND)
@given(drawn=lists_of(["low", "medium", "high"]).filter(lambda lists: len(lists[0]) > 0))
def test_strings_in_any_container(container: str, drawn: Any) -> None:
    truth, pred = drawn
    make, levels = ANY_KIND[container], ["low", "medium", "high"]
    cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)
    assert cm.counts.dtype == np.int64


@pytest.mark.parametrize("container", STRINGS)
@given(drawn=lists_of(["low", "medium", "high"]))
def test_strings_of_any_type(container: str, drawn: Any) -> None:
    truth, pred = drawn
    make, levels = STRINGS[container], ["low", "medium", "high"]
    cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)


@pytest.mark.parametrize("levels", [[0, 1, 2], [0, 5, 10], [3, 2, 1], [7]], ids=str)
@pytest.mark.parametrize("container", {**ANY_KIND, **INTEGERS})
def test_integers_in_any_container(container: str, levels: list[int]) -> None:
    make = {**ANY_KIND, **INTEGERS}[container]
    truth = [levels[i % len(levels)] for i in range(10)]
    pred = [levels[i * i % len(levels)] for i in range(10)]
    cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)


@pytest.mark.parametrize("container", [*INTEGERS, "list"])
def test_no_items_on_a_declared_scale(container: str) -> None:
    make = {**ANY_KIND, **INTEGERS}[container]
    for levels in ([1, 2], ["low", "high"], [10, 5]):
        cm = oe.ConfusionMatrix.from_labels(make([]), make([]), labels=levels)
        assert cm.counts.tolist() == [[0, 0], [0, 0]]
        assert cm.total == 0


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@given(data=st.data())
def test_integers_up_to_the_limits_of_their_type(dtype: str, data: st.DataObject) -> None:
    limits = np.iinfo(dtype)
    k = data.draw(st.integers(1, 12))
    first = data.draw(
        st.one_of(
            st.integers(limits.min, limits.max - k + 1),
            st.sampled_from([limits.min, limits.max - k + 1]),
        )
    )
    levels = list(range(first, first + k))
    truth, pred = data.draw(lists_of(levels))
    as_array = numpy_of(dtype)
    cm = oe.ConfusionMatrix.from_labels(as_array(truth), as_array(pred), labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)


@given(data=st.data())
def test_any_integers_on_any_integer_scale(data: st.DataObject) -> None:
    numbers = st.one_of(
        st.integers(-3, 3), st.integers(-130, 260), st.integers(-(2**65), 2**65),
        st.sampled_from([2**53 - 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1]),
    )  # fmt: skip
    levels = data.draw(st.lists(numbers, min_size=1, max_size=6, unique=True))
    truth, pred = data.draw(lists_of(levels))
    cm = oe.ConfusionMatrix.from_labels(truth, pred, labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8", "f8"])
@pytest.mark.parametrize("first", [-(10**30), -(2**63), -300, 300, 2**63, 10**30])
def test_a_scale_out_of_reach_of_the_type_knows_none_of_the_labels(dtype: str, first: int) -> None:
    labels = np.array([0, 1, 100], dtype=dtype)
    cm = oe.ConfusionMatrix.from_labels(
        labels, labels, labels=range(first, first + 3), unknown="drop"
    )
    assert cm.total == 0
    assert cm.dropped == oe.Dropped(unknown=3)


@pytest.mark.parametrize("levels", [range(-128, 128), range(100, 128), range(90, 140)], ids=str)
def test_int8_at_its_limits(levels: range) -> None:
    labels = np.arange(levels.start, 128, dtype=np.int8)
    cm = oe.ConfusionMatrix.from_labels(labels, labels[::-1], labels=levels)
    n = len(labels)
    expected = np.zeros((len(levels), len(levels)), dtype=np.int64)
    expected[:n, :n] = np.eye(n)[::-1]
    assert np.array_equal(cm.counts, expected)


def test_huge_integers_stay_apart() -> None:
    levels = [2**53, 2**53 + 1, 2**63, 2**63 + 1, 10**30, 10**30 + 1]
    cm = oe.ConfusionMatrix.from_labels(levels, levels, labels=levels)
    assert cm.counts.tolist() == np.eye(6, dtype=int).tolist()
    nullable = (pd.Series([*levels[:2], None], dtype="Int64"), pl.Series([*levels[:2], None]))
    for column in (*nullable, pa.array([*levels[:2], None])):
        cm = oe.ConfusionMatrix.from_labels(column, column, labels=levels[:2], missing="drop")
        assert cm.counts.tolist() == [[1, 0], [0, 1]]


def test_a_huge_and_a_negative_integer_in_one_list() -> None:
    levels = [-1, 2**63, 2**63 + 1]
    cm = oe.ConfusionMatrix.from_labels([2**63 + 1, -1], [2**63 + 1, -1], labels=levels)
    assert np.diagonal(cm.counts).tolist() == [1, 0, 1]


@given(lists_of([0.5, -1.25, 1e300, float("inf"), 2.0]))
def test_float_levels(drawn: Any) -> None:
    truth, pred = drawn
    levels = [0.5, -1.25, 1e300, float("inf"), 2.0]
    for make in (list, numpy_of("f8"), pd.Series, numpy_of(object)):
        cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
        assert cm.counts.tolist() == double_loop(truth, pred, levels)


def test_numbers_are_equal_whatever_their_type() -> None:
    cm = oe.ConfusionMatrix.from_labels([1.0, 2.0, 2.0], np.array([1, 2, 1]), labels=[1, 2])
    assert cm.counts.tolist() == [[1, 0], [1, 1]]
    cm = oe.ConfusionMatrix.from_labels(np.array([True, False]), [1, 1], labels=[0, 1])
    assert cm.counts.tolist() == [[0, 1], [0, 1]]
    cm = oe.ConfusionMatrix.from_labels([-0.0, 1.0], [0, 1], labels=[0, 1])
    assert cm.counts.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("levels", [[False, True], [True, False], [0, 1]], ids=str)
def test_booleans(levels: list[Any]) -> None:
    truth, pred = [True, False, True, True], [True, True, False, True]
    columns: list[Container] = [
        list, np.array, pd.Series, pandas_of("boolean"), pl.Series, pa.array, every_second,
    ]  # fmt: skip
    for make in columns:
        cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
        assert cm.counts.tolist() == double_loop(truth, pred, levels)


MIXED = [1, "1", 2.5, b"\x80", (1, 2), datetime.date(2024, 1, 31)]


@given(lists_of(MIXED))
def test_mixed_types_do_not_run_into_each_other(drawn: Any) -> None:
    truth, pred = drawn
    cm = oe.ConfusionMatrix.from_labels(truth, pred, labels=MIXED)
    assert cm.counts.tolist() == double_loop(truth, pred, MIXED)


@pytest.mark.parametrize("make", [list, numpy_of("S3"), numpy_of(object), pa.array])
def test_bytes(make: Container) -> None:
    truth, pred, levels = [b"lo", b"hi", b"lo"], [b"hi", b"hi", b"lo"], [b"lo", b"hi"]
    cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)


@pytest.mark.parametrize("levels", [[(0, 1), (1, 0)], [(0,), (0, 1)], [("a", None), ("b", 1)]])
def test_tuples_are_labels(levels: list[tuple[Any, ...]]) -> None:
    cm = oe.ConfusionMatrix.from_labels(levels, levels[::-1], labels=levels)
    assert cm.counts.tolist() == [[0, 1], [1, 0]]


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


@pytest.mark.parametrize("container", DATES)
@pytest.mark.parametrize("kind", [datetime.datetime, pd.Timestamp])
def test_dates_with_missing_ones(container: str, kind: Any) -> None:
    levels = [kind(day.year, day.month, day.day) for day in DAYS]
    column = DATES[container]([*DAYS, None])
    cm = oe.ConfusionMatrix.from_labels(column, column, labels=levels, missing="drop")
    assert cm.counts.tolist() == [[1, 0], [0, 1]]
    assert cm.dropped == oe.Dropped(missing=1)


def test_missing_durations() -> None:
    column = np.array([1, 2, "NaT"], dtype="m8[D]")
    cm = oe.ConfusionMatrix.from_labels(column, column, labels=column[:2], missing="drop")
    assert cm.dropped == oe.Dropped(missing=1)
    assert cm.total == 2


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


@pytest.mark.parametrize("container", NULLABLE_INTEGERS)
def test_missing_integers_are_dropped_and_recorded(container: str) -> None:
    column = NULLABLE_INTEGERS[container]([1, 2, 3, None, None])
    cm = oe.ConfusionMatrix.from_labels(column, [1, 1, 3, 2, 1], labels=[1, 2, 3], missing="drop")
    assert cm.counts.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert cm.dropped == oe.Dropped(missing=2)


@pytest.mark.parametrize("container", NULLABLE_STRINGS)
def test_missing_strings_are_dropped_and_recorded(container: str) -> None:
    column = NULLABLE_STRINGS[container](["1", "2", "3", None, None])
    cm = oe.ConfusionMatrix.from_labels(list("11321"), column, labels=list("123"), missing="drop")
    assert cm.counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert cm.dropped == oe.Dropped(missing=2)


NO_INTEGERS = {
    "floats",
    "pandas float",
    "pandas Float64",
    "pandas categories",
    "pyarrow dictionary",
}


@pytest.mark.parametrize("container", [x for x in NULLABLE_INTEGERS if x not in NO_INTEGERS])
def test_integers_imply_their_range_though_some_are_missing(container: str) -> None:
    column = NULLABLE_INTEGERS[container]([1, 2, 3, None])
    cm = oe.ConfusionMatrix.from_labels(column, column, missing="drop")
    assert cm.scale == oe.Scale.range(1, 3)
    assert cm.counts.tolist() == np.eye(3, dtype=int).tolist()
    assert cm.dropped == oe.Dropped(missing=1)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: pd.Series(x, dtype=pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True)),
        lambda x: pd.Categorical(x, ["lo", "mid", "hi"], ordered=True),
        lambda x: pd.CategoricalIndex(x, ["lo", "mid", "hi"], ordered=True),
        polars_of(pl.Enum(["lo", "mid", "hi"])),
        lambda x: pa.DictionaryArray.from_arrays(
            [["lo", "mid", "hi"].index(v) for v in x], ["lo", "mid", "hi"], ordered=True
        ),
    ],
    ids=["Series", "Categorical", "CategoricalIndex", "Enum", "dictionary"],
)
def test_declared_orders_need_no_labels(make: Container) -> None:
    truth, pred = ["lo", "hi", "hi"], ["lo", "hi", "lo"]
    expected = double_loop(truth, pred, ["lo", "mid", "hi"])
    for t, p in ((make(truth), make(pred)), (make(truth), pred), (truth, make(pred))):
        cm = oe.ConfusionMatrix.from_labels(t, p)
        assert cm.scale == oe.Scale(["lo", "mid", "hi"])
        assert cm.counts.tolist() == expected
    reverse = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=["hi", "mid", "lo"])
    assert reverse.counts.tolist() == double_loop(truth, pred, ["hi", "mid", "lo"])


def test_intervals_of_a_cut_carry_their_order() -> None:
    binned = pd.cut(pd.Series([1, 5, 9]), 3)
    cm = oe.ConfusionMatrix.from_labels(binned, binned)
    assert cm.k == 3
    assert cm.total == 3


FLOATS = {"f2", "f4", "f8", ">f4", "g", "pandas float", "pandas Float64", "polars Float32"}


@pytest.mark.parametrize(
    "container", [x for x in (*INTEGERS, "list", "generator", "tensor") if x not in FLOATS]
)
def test_integers_imply_their_range(container: str) -> None:
    make = {**ANY_KIND, **INTEGERS}[container]
    cm = oe.ConfusionMatrix.from_labels(make([2, 3, 3]), make([4, 3, 2]))
    assert cm.scale == oe.Scale.range(2, 4)
    assert cm.counts.tolist() == [[0, 0, 1], [1, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("container", sorted(FLOATS))
def test_floats_imply_nothing(container: str) -> None:
    column = INTEGERS[container]([1, 2])
    with pytest.raises(oe.ScaleError, match="floating-point"):
        oe.ConfusionMatrix.from_labels(column, column)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1))
@pytest.mark.filterwarnings("ignore::ordeval.EmptyLevelWarning")
def test_implied_ranges_run_from_the_smallest_to_the_largest(pairs: list[tuple[int, int]]) -> None:
    truth, pred = [t for t, _ in pairs], [p for _, p in pairs]
    levels = range(min(truth + pred), max(truth + pred) + 1)
    for dtype in (np.int8, np.int64, object):
        cm = oe.ConfusionMatrix.from_labels(np.array(truth, dtype), np.array(pred, dtype))
        assert cm.scale == oe.Scale(levels)
        assert cm.counts.tolist() == double_loop(truth, pred, levels)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8])
def test_a_scale_that_grows_in_later_chunks(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    ends = [(5, 6), (3, 8), (6, 7), (0, 9), (2, 3)]
    truth = np.concatenate([rng.integers(a, b, CHUNK) for a, b in ends]).astype(dtype)
    pred = np.concatenate([rng.integers(a, b, CHUNK) for a, b in ends[::-1]]).astype(dtype)
    cm = oe.ConfusionMatrix.from_labels(truth, pred)
    expected = np.zeros((9, 9), dtype=np.int64)
    np.add.at(expected, (truth, pred), 1)
    assert cm.scale == oe.Scale.range(0, 8)
    assert np.array_equal(cm.counts, expected)


@pytest.mark.parametrize("n", [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
@pytest.mark.parametrize("levels", [[0, 1, 2], [2, 0, 1], ["0", "1", "2"]], ids=str)
def test_more_than_one_chunk(n: int, levels: list[Any]) -> None:
    rng = np.random.default_rng(n)
    t, p, w = rng.integers(0, 3, n), rng.integers(0, 3, n), rng.integers(0, 9, n)
    expected, weighted = np.zeros((3, 3), dtype=np.int64), np.zeros((3, 3))
    np.add.at(expected, (t, p), 1)
    np.add.at(weighted, (t, p), w)
    truth, pred = np.array(levels)[t], np.array(levels)[p]
    assert np.array_equal(oe.ConfusionMatrix.from_labels(truth, pred, levels).counts, expected)
    assert np.array_equal(oe.ConfusionMatrix.from_labels(truth, pred, levels, w).counts, weighted)


def test_misfits_are_counted_across_chunks() -> None:
    truth = np.zeros(3 * CHUNK)
    truth[[0, CHUNK, -1]] = np.nan
    truth[[1, 2 * CHUNK]] = 9
    cm = oe.ConfusionMatrix.from_labels(
        truth, np.zeros(3 * CHUNK), labels=[0, 1], unknown="drop", missing="drop"
    )
    assert cm.dropped == oe.Dropped(missing=3, unknown=2)
    assert cm.total == 3 * CHUNK - 5


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 5) | st.floats(0, 9)
        ),
        max_size=20,
    )
)
def test_weights_add_up(items: list[tuple[str, str, float]]) -> None:
    truth, pred, weights = ([item[i] for item in items] for i in range(3))
    cm = oe.ConfusionMatrix.from_labels(truth, pred, list("abc"), weights)
    assert cm.counts.dtype == np.float64
    np.testing.assert_allclose(cm.counts, weighted_loop(truth, pred, weights, "abc"), rtol=1e-12)


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


@pytest.mark.parametrize("container", WEIGHTS)
def test_weights_in_any_container(container: str) -> None:
    weights = WEIGHTS[container]([2, 0, 3])
    cm = oe.ConfusionMatrix.from_labels([1, 2, 2], [1, 1, 2], sample_weight=weights)
    assert cm.counts.tolist() == [[2.0, 0.0], [0.0, 3.0]]
    assert cm.counts.dtype == np.float64


def test_without_weights_counts_are_integers() -> None:
    assert oe.ConfusionMatrix.from_labels([1, 2], [1, 2]).counts.dtype == np.int64
    assert oe.ConfusionMatrix.from_labels([], [], labels=[1, 2]).counts.dtype == np.int64


def test_a_weight_of_zero_counts_nothing() -> None:
    cm = oe.ConfusionMatrix.from_labels([1, 2], [2, 2], labels=[1, 2], sample_weight=[0, 0])
    assert cm.counts.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert cm.total == 0.0


def test_a_weight_of_two_is_a_duplicate() -> None:
    once = oe.ConfusionMatrix.from_labels([1, 2, 3], [1, 3, 3], sample_weight=[2, 1, 1],
                                          labels=[1, 2, 3])  # fmt: skip
    twice = oe.ConfusionMatrix.from_labels([1, 1, 2, 3], [1, 1, 3, 3], labels=[1, 2, 3])
    assert once == twice


def test_an_item_is_dropped_once_as_missing_before_unknown() -> None:
    cm = oe.ConfusionMatrix.from_labels(
        ["a", None, "z", "z", None, "b", "z"],
        ["a", "z", None, "b", None, "z", "z"],
        labels=["a", "b"],
        unknown="drop",
        missing="drop",
    )
    assert cm.counts.tolist() == [[1, 0], [0, 0]]
    assert cm.dropped == oe.Dropped(missing=3, unknown=3)


def test_weights_of_dropped_items_are_left_out() -> None:
    cm = oe.ConfusionMatrix.from_labels(
        [1, 9, 2], [1, 1, 2], labels=[1, 2], sample_weight=[0.5, 100, 0.25], unknown="drop"
    )
    assert cm.counts.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert cm.dropped == oe.Dropped(unknown=1)


def test_one_policy_does_not_excuse_the_other() -> None:
    with pytest.raises(oe.LabelError, match="1 missing value"):
        oe.ConfusionMatrix.from_labels([1, None, 9], [1, 1, 1], labels=[1, 2], unknown="drop")
    with pytest.raises(oe.LabelError, match="1 label outside"):
        oe.ConfusionMatrix.from_labels([1, None, 9], [1, 1, 1], labels=[1, 2], missing="drop")


def test_dropped_numbers_add_and_are_false_when_zero() -> None:
    assert oe.Dropped(1, 2) + oe.Dropped(3, 4) == oe.Dropped(4, 6)
    assert not oe.Dropped()
    assert oe.Dropped(unknown=1)


def test_all_items_dropped() -> None:
    cm = oe.ConfusionMatrix.from_labels([None, 9], [1, 1], [1, 2], unknown="drop", missing="drop")
    assert cm.total == 0
    assert cm.dropped == oe.Dropped(missing=1, unknown=1)


def test_the_labels_are_not_changed() -> None:
    truth, pred = np.array([3, 1, 2]), np.array([1, 1, 9])
    oe.ConfusionMatrix.from_labels(truth, pred, labels=[3, 2, 1], unknown="drop")
    assert truth.tolist() == [3, 1, 2]
    assert pred.tolist() == [1, 1, 9]


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("labels", [None, range(5), [4, 3, 2, 1, 0]], ids=str)
@pytest.mark.parametrize("unknown", ["raise", "drop"])
@pytest.mark.usefixtures("traced")
def test_memory_does_not_grow_with_the_items(labels: Any, unknown: Any) -> None:
    truth = np.arange(4 * 10**6, dtype=np.int64) % 5
    pred = truth[::-1]
    if unknown == "drop" and labels is not None:
        truth[::1000] = 9
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    oe.ConfusionMatrix.from_labels(truth, pred, labels, unknown=unknown)
    assert tracemalloc.get_traced_memory()[1] - before < 8 * 10**6


def test_dropping_goes_through_the_labels_once() -> None:
    """Time grows with the items, not with their square."""
    clean = np.zeros(40 * CHUNK, dtype=np.int64)
    dirty = np.where(np.arange(len(clean)) % 3 == 0, 9, clean)

    def seconds(labels: Any) -> float:
        start = time.perf_counter()
        oe.ConfusionMatrix.from_labels(labels, clean, labels=[0, 1], unknown="drop")
        return time.perf_counter() - start

    fast = min(seconds(clean) for _ in range(3))
    assert min(seconds(dirty) for _ in range(3)) < 20 * fast
