"""Columns: every container of labels gives what a plain double loop gives."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from tests.containers import (
    ANY_KIND,
    DATES,
    DAYS,
    FLOATS,
    INTEGERS,
    NULLABLE_INTEGERS,
    NULLABLE_STRINGS,
    STRINGS,
    WEIGHTS,
    Container,
    double_loop,
    every_second,
    lists_of,
    numpy_of,
    pandas_of,
    polars_of,
)

import ordeval as oe

# The containers differ, the lists in them need not.
few = settings(max_examples=8)


@pytest.mark.parametrize("container", ANY_KIND)
@few
@given(drawn=lists_of(["low", "medium", "high"]).filter(lambda lists: len(lists[0]) > 0))
def test_strings_in_any_container(container: str, drawn: Any) -> None:
    truth, pred = drawn
    make, levels = ANY_KIND[container], ["low", "medium", "high"]
    cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
    assert cm.counts.tolist() == double_loop(truth, pred, levels)
    assert cm.counts.dtype == np.int64


@pytest.mark.parametrize("container", STRINGS)
@few
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
@settings(max_examples=15)
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
    assert cm.dropped == oe.results.Dropped(unknown=3)


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


@pytest.mark.parametrize("container", DATES)
@pytest.mark.parametrize("kind", [datetime.datetime, pd.Timestamp])
def test_dates_with_missing_ones(container: str, kind: Any) -> None:
    levels = [kind(day.year, day.month, day.day) for day in DAYS]
    column = DATES[container]([*DAYS, None])
    cm = oe.ConfusionMatrix.from_labels(column, column, labels=levels, missing="drop")
    assert cm.counts.tolist() == [[1, 0], [0, 1]]
    assert cm.dropped == oe.results.Dropped(missing=1)


def test_missing_durations() -> None:
    column = np.array([1, 2, "NaT"], dtype="m8[D]")
    cm = oe.ConfusionMatrix.from_labels(column, column, labels=column[:2], missing="drop")
    assert cm.dropped == oe.results.Dropped(missing=1)
    assert cm.total == 2


@pytest.mark.parametrize("container", NULLABLE_INTEGERS)
def test_missing_integers_are_dropped_and_recorded(container: str) -> None:
    column = NULLABLE_INTEGERS[container]([1, 2, 3, None, None])
    cm = oe.ConfusionMatrix.from_labels(column, [1, 1, 3, 2, 1], labels=[1, 2, 3], missing="drop")
    assert cm.counts.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert cm.dropped == oe.results.Dropped(missing=2)


@pytest.mark.parametrize("container", NULLABLE_STRINGS)
def test_missing_strings_are_dropped_and_recorded(container: str) -> None:
    column = NULLABLE_STRINGS[container](["1", "2", "3", None, None])
    cm = oe.ConfusionMatrix.from_labels(list("11321"), column, labels=list("123"), missing="drop")
    assert cm.counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert cm.dropped == oe.results.Dropped(missing=2)


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
    assert cm.dropped == oe.results.Dropped(missing=1)


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
    for levels in (["lo", "mid", "hi"], ["no", "lo", "mid", "hi"], ["lo", "hi"]):
        cm = oe.ConfusionMatrix.from_labels(make(truth), make(pred), labels=levels)
        assert cm.counts.tolist() == double_loop(truth, pred, levels)
    for t, p in ((make(truth), pred), (truth, make(pred))):
        with pytest.raises(oe.ScaleError, match=r"'hi' < 'mid' < 'lo'.*'lo' < 'mid' < 'hi'"):
            oe.ConfusionMatrix.from_labels(t, p, labels=["hi", "mid", "lo"])


def test_intervals_of_a_cut_carry_their_order() -> None:
    binned = pd.cut(pd.Series([1, 5, 9]), 3)
    cm = oe.ConfusionMatrix.from_labels(binned, binned)
    assert cm.k == 3
    assert cm.total == 3


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


@pytest.mark.parametrize("container", WEIGHTS)
def test_weights_in_any_container(container: str) -> None:
    weights = WEIGHTS[container]([2, 0, 3])
    cm = oe.ConfusionMatrix.from_labels([1, 2, 2], [1, 1, 2], sample_weight=weights)
    assert cm.counts.tolist() == [[2.0, 0.0], [0.0, 3.0]]
    assert cm.counts.dtype == np.float64
