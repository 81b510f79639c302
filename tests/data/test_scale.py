"""Scale: where the order comes from, and labels to positions and back."""

import copy
import datetime
import enum
import pickle
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import ordeval as oe

LEVELS = ("low", "medium", "high")
ORDERED = pd.CategoricalDtype(list(LEVELS), ordered=True)
DICTIONARY = pa.DictionaryArray.from_arrays(
    pa.array([1, None, 0], pa.int8()), pa.array(LEVELS), ordered=True
)


class Grade(enum.Enum):
    POOR = "poor"
    FAIR = "fair"
    GOOD = "good"


class Stars(enum.IntEnum):
    ONE = 1
    TWO = 2


SOURCES: dict[str, Callable[[], Any]] = {
    "list": lambda: list(LEVELS),
    "tuple": lambda: LEVELS,
    "generator": lambda: (x for x in LEVELS),
    "dict keys": lambda: dict.fromkeys(LEVELS).keys(),
    "Scale": lambda: oe.Scale(LEVELS),
    "numpy strings": lambda: np.array(LEVELS),
    "numpy objects": lambda: np.array(LEVELS, dtype=object),
    "numpy StringDType": lambda: np.array(LEVELS, dtype=np.dtypes.StringDType()),
    "numpy scalars": lambda: [np.str_(x) for x in LEVELS],
    "pandas Series": lambda: pd.Series(LEVELS),
    "pandas Index": lambda: pd.Index(LEVELS),
    "pandas CategoricalDtype": lambda: ORDERED,
    "pandas Categorical": lambda: pd.Categorical(["high"], dtype=ORDERED),
    "pandas Series of categories": lambda: pd.Series(["high", None], dtype=ORDERED),
    "pandas CategoricalIndex": lambda: pd.CategoricalIndex(["high"], dtype=ORDERED),
    "polars Series": lambda: pl.Series(LEVELS),
    "polars Enum": lambda: pl.Enum(LEVELS),
    "polars Series of Enum": lambda: pl.Series(["high", None], dtype=pl.Enum(LEVELS)),
    "pyarrow Array": lambda: pa.array(LEVELS),
    "pyarrow ChunkedArray": lambda: pa.chunked_array([["low"], ["medium", "high"]]),
    "pyarrow ordered dictionary": lambda: DICTIONARY,
    "pyarrow chunked ordered dictionary": lambda: pa.chunked_array([DICTIONARY, DICTIONARY]),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_scale(source: str) -> None:
    scale = oe.Scale(SOURCES[source]())
    assert scale == oe.Scale(list(LEVELS))
    assert scale.levels == LEVELS
    assert all(type(level) is str for level in scale.levels)


@pytest.mark.parametrize(
    "source",
    [
        range(1, 6),
        [1, 2, 3, 4, 5],
        np.arange(1, 6, dtype=np.int8),
        np.arange(1, 6, dtype=">u4"),
        [np.int64(i) for i in range(1, 6)],
        pd.Series([1, 2, 3, 4, 5], dtype="Int64"),
        pd.RangeIndex(1, 6),
        pl.Series([1, 2, 3, 4, 5]),
        pd.CategoricalDtype([1, 2, 3, 4, 5], ordered=True),
        pa.array([1, 2, 3, 4, 5]),
    ],
    ids=lambda source: f"{type(source).__module__}.{type(source).__name__}",
)
def test_integers_become_python_integers(source: Any) -> None:
    scale = oe.Scale(source)
    assert scale == oe.Scale.range(1, 5)
    assert all(type(level) is int for level in scale.levels)


def test_range_includes_both_ends_and_takes_numpy_integers() -> None:
    assert oe.Scale.range(1, 5).levels == (1, 2, 3, 4, 5)
    assert oe.Scale.range(-1, 1).levels == (-1, 0, 1)
    assert oe.Scale.range(7, 7).levels == (7,)
    assert oe.Scale.range(np.int8(126), np.int8(127)).levels == (126, 127)


@pytest.mark.parametrize(
    "levels",
    [
        [("small", 1), ("large", 2)],
        [(0,), (0, 1)],
        list(Grade),
        list(Stars),
        [datetime.date(2024, 1, 31), datetime.date(2024, 2, 1)],
        [datetime.timedelta(1), datetime.timedelta(2)],
        [pd.Timestamp("2024-01-31"), pd.Timestamp("2024-02-01")],
        [pd.Interval(0, 1), pd.Interval(1, 2)],
        [frozenset(), frozenset({1})],
        [Fraction(1, 3), Fraction(1, 2)],
        [b"low", b"high"],
        [0.5, 1.0, float("inf")],
        [-1.5, "none", (1, 2), 10**30],
        [False, True],
        [3, 1, 2],
        [""],
    ],
    ids=str,
)
def test_levels_of_any_hashable_kind(levels: list[Hashable]) -> None:
    scale = oe.Scale(levels)
    assert list(scale) == levels
    assert [type(x) for x in scale] == [type(x) for x in levels]
    assert scale.encode(levels).tolist() == list(range(len(levels)))
    assert scale.decode(range(len(levels))) == levels
    assert oe.ConfusionMatrix.from_labels(levels, levels, labels=levels).total == len(levels)


def test_an_enum_class_is_its_members_in_order() -> None:
    assert oe.Scale(Grade).levels == (Grade.POOR, Grade.FAIR, Grade.GOOD)


def test_dates_of_nanosecond_resolution_stay_dates() -> None:
    days = ["2024-01-31", "2024-02-01"]
    scale = oe.Scale(np.array(days, dtype="datetime64[ns]"))
    assert scale == oe.Scale([datetime.datetime(2024, 1, 31), datetime.datetime(2024, 2, 1)])


def test_levels_in_descending_order_are_kept() -> None:
    assert oe.Scale([3, 2, 1]).encode([3, 1, 2]).tolist() == [0, 2, 1]


def test_equality_and_hash_follow_the_levels() -> None:
    scale = oe.Scale(LEVELS)
    assert scale == oe.Scale(list(LEVELS))
    assert hash(scale) == hash(oe.Scale(list(LEVELS)))
    assert scale != oe.Scale(LEVELS[::-1])
    assert scale != oe.Scale(LEVELS[:2])
    assert scale != LEVELS
    assert {scale: "found"}[oe.Scale(LEVELS)] == "found"


def test_it_is_a_collection_of_its_levels() -> None:
    scale = oe.Scale(LEVELS)
    assert "low" in scale
    assert "none" not in scale
    assert None not in scale
    assert len(scale) == scale.k == 3
    assert list(scale) == list(LEVELS)


def test_it_cannot_be_changed() -> None:
    scale = oe.Scale(LEVELS)
    with pytest.raises(AttributeError):
        scale.levels = ("other",)
    with pytest.raises(AttributeError):
        scale.k = 2  # type: ignore[misc]
    assert scale.levels == LEVELS


def test_the_caller_keeps_a_list_of_their_own() -> None:
    labels = list(LEVELS)
    scale = oe.Scale(labels)
    labels.reverse()
    assert scale.levels == LEVELS


def test_repr_shows_the_order_and_shortens_long_scales() -> None:
    assert repr(oe.Scale(LEVELS)) == "Scale('low' < 'medium' < 'high')"
    assert repr(oe.Scale(["one"])) == "Scale('one')"
    assert repr(oe.Scale.range(1, 12)).count("<") == 11
    assert repr(oe.Scale.range(1, 99)) == "Scale(1 < 2 < 3 < 4 < 5 < ... < 98 < 99)"


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_are_equal(copied: Callable[[oe.Scale], oe.Scale]) -> None:
    scale = oe.Scale(LEVELS)
    scale.encode(["low"])
    assert copied(scale) == scale
    assert copied(scale).encode(["high"]).tolist() == [2]


# A short alphabet: to draw from all of Unicode, tables of it are built first.
texts = st.text("ab \n☃", max_size=3)
hashables = st.one_of(
    st.integers(),
    st.floats(allow_nan=False),
    texts,
    st.binary(max_size=3),
    st.tuples(st.integers(), texts),
    st.dates(),
)


@given(st.data(), st.lists(hashables, min_size=1, max_size=8, unique=True))
def test_encode_and_decode_undo_each_other(data: st.DataObject, levels: list[Hashable]) -> None:
    scale = oe.Scale(levels)
    positions = data.draw(st.lists(st.integers(0, len(levels) - 1), max_size=20))
    labels = scale.decode(positions)
    assert labels == [levels[i] for i in positions]
    assert scale.encode(labels).tolist() == positions


def test_encode_gives_positions_that_index_arrays() -> None:
    positions = oe.Scale(LEVELS).encode(np.array(["high", "low"]))
    assert positions.dtype == np.intp
    assert np.arange(3)[positions].tolist() == [2, 0]
    assert oe.Scale(LEVELS).encode([]).tolist() == []


@pytest.mark.parametrize("positions", [[3], [-1], [0.5], ["low"], [[0], [1, 2]], None])
def test_decode_refuses_what_is_no_position(positions: Any) -> None:
    with pytest.raises(oe.LabelError, match=r"^positions must be integers from 0 to 2\.$"):
        oe.Scale(LEVELS).decode(positions)


def test_infer_reads_declared_orders_and_integers() -> None:
    assert oe.Scale.infer(pd.Series(["low"], dtype=ORDERED)) == oe.Scale(LEVELS)
    assert oe.Scale.infer(["low"], pd.Series(["low"], dtype=ORDERED)) == oe.Scale(LEVELS)
    assert oe.Scale.infer(pl.Series(["low"], dtype=pl.Enum(LEVELS))) == oe.Scale(LEVELS)
    assert oe.Scale.infer(DICTIONARY) == oe.Scale(LEVELS)
    assert oe.Scale.infer([3, 1, 2]) == oe.Scale.range(1, 3)
    assert oe.Scale.infer(np.array([0, 1], dtype=np.uint8), [2, 1]) == oe.Scale.range(0, 2)
    assert oe.Scale.infer([True, False]) == oe.Scale.range(0, 1)


def test_infer_warns_of_a_level_that_never_occurs() -> None:
    with pytest.warns(oe.EmptyLevelWarning, match=r"but 2, 3 never occur"):
        assert oe.Scale.infer([1, 4], [1, 1]) == oe.Scale.range(1, 4)


# Through which doors labels= and ordered categories meet.
MEETING: dict[str, Callable[[Any, list[str]], Any]] = {
    "a measure": lambda x, levels: oe.weighted_kappa(x, x, labels=levels),
    "score": lambda x, levels: oe.score(x, x, ["accuracy"], labels=levels),
    "confidence_interval": lambda x, levels: oe.confidence_interval(
        "accuracy", x, x, labels=levels
    ),
    "paired_delta": lambda x, levels: oe.paired_delta("accuracy", x, x, x, labels=levels),
    "compare": lambda x, levels: oe.compare(x, {"a": list(x)}, ["accuracy"], labels=levels),
    "Accumulator": lambda x, levels: oe.Accumulator(levels).update(list(x), x),
    "probabilities": lambda x, levels: oe.ranked_probability_score(
        x, np.full((len(x), 3), 1 / 3), labels=levels
    ),
    "encode": lambda x, levels: oe.Scale(levels).encode(x),
    "a frame": lambda x, levels: oe.score(
        oe.Predictions.from_frame(pd.DataFrame({"t": x, "p": x}), "t", "p", labels=levels),
        ["accuracy"],
    ),
    "models in a frame": lambda x, levels: oe.compare(
        oe.Predictions.from_frame(
            pl.DataFrame({"t": pl.Series(list(x), dtype=pl.Enum(LEVELS)), "p": list(x)}),
            "t", "p", labels=levels,
        ),
        ["accuracy"],
    ),
    "cut points": lambda x, levels: oe.models.optimal_cut_points(
        x, np.arange(float(len(x))), labels=levels
    ),
    "a scorer": lambda x, levels: oe.scorer("accuracy", labels=levels)._score_func(x, x),
}  # fmt: skip


@pytest.mark.parametrize("door", MEETING)
def test_labels_must_not_contradict_ordered_categories(door: str) -> None:
    column = pd.Series(["low", "medium", "high", "medium"] * 10, dtype=ORDERED)
    MEETING[door](column, list(LEVELS))
    with pytest.raises(oe.ScaleError, match=r"'high' < 'medium' < 'low'.*'low' < 'medium' < 'h"):
        MEETING[door](column, list(LEVELS[::-1]))
