"""Numbering: labels and rows as numbers, and how many items have each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import ordeval as oe
from ordeval.data.items import Misfits, read_items
from ordeval.data.numbering import Coded, ends, fused, tally
from ordeval.data.query import Query
from ordeval.data.sources.frames import FrameSource
from ordeval.data.sources.rows import DistinctRows
from ordeval.data.subgroups import subgroups_of
from ordeval.inference.samples import sample_of


@given(st.lists(st.integers(0, 63), max_size=50), st.sampled_from([np.int8, np.int16, np.intp]))
def test_cells_are_tallied(cells: list[int], kind: Any) -> None:
    expected = [cells.count(i) for i in range(64)]
    assert tally(np.array(cells, dtype=kind), 64).tolist() == expected


@given(st.lists(st.tuples(*(st.integers(0, n - 1) for n in (3, 40, 127))), min_size=1))
def test_rows_are_fused_into_one_number(rows: list[tuple[int, ...]]) -> None:
    for kinds in ((np.int8,) * 3, (np.int8, np.int64, np.int8)):
        codes = [np.array(x, dtype=k) for x, k in zip(zip(*rows, strict=True), kinds, strict=True)]
        for n in (1, 2, 3):
            key = fused(codes[:n], (3, 40, 127)[:n])
            expected = np.ravel_multi_index([x.astype(int) for x in codes[:n]], (3, 40, 127)[:n])
            assert key.tolist() == expected.tolist()


def test_the_ends_of_integers() -> None:
    values = np.random.default_rng(0).integers(-(10**9), 10**9, 300_000)
    assert ends(values) == (values.min(), values.max())


def test_a_coded_column_is_a_sequence() -> None:
    column = Coded(["a", "b", None], np.array([2, 0, 0]))
    assert list(column) == [column[i] for i in range(3)] == [None, "a", "a"]
    assert list(column[1:]) == list(column.take(np.array([1, 2]))) == ["a", "a"]
    assert column.occurring().labels == ["a", None]
    assert list(column.occurring()) == list(column)


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize("holes", [0, 40])
def test_distinct_rows_are_those_of_the_items(holes: int, missing: Any) -> None:
    """What is counted at once is what items, one by one, come to."""
    rng = np.random.default_rng(holes)
    columns = [rng.integers(0, 4, 300_000).astype(float) for _ in range(3)]
    for column in columns[1:]:
        column[rng.integers(0, len(column), holes)] = np.nan
        column[rng.integers(0, len(column), holes)] = 9
    models = dict(zip("ab", columns[1:], strict=True))
    misfits = Misfits("drop" if missing == "drop" else "raise", missing)
    found = []
    for distinct in (False, True):
        try:
            items = read_items(
                columns[0], models, labels=range(4), misfits=misfits, distinct=distinct
            )
        except oe.LabelError as error:
            found.append(str(error))
            continue
        sample = sample_of(items)
        found.append((items.dropped, items.left_out, items.n, sample.truth.tolist(),
                      sample.predictions.tolist(), sample.count.tolist()))  # fmt: skip
    assert found[0] == found[1]
    assert isinstance(found[0], str) == (holes > 0 and missing == "raise")


@pytest.mark.parametrize(
    "group",
    [
        [3, 1, 2], [30_000, -5, 7], ["b", "a", "c"], [True, False, 2], [1.5, 2, 3], [2**60, 1, 2],
        ["b", None, "a"], [1, "1", 2], [np.nan, 1, 2],
    ],
    ids=str,
)  # fmt: skip
def test_coded_rows_are_counted_like_rows_of_plain_lists(group: list[Any]) -> None:
    rng = np.random.default_rng(0)
    mixed = len(set(map(type, group))) > 1
    column = pd.Series(group, dtype=object if mixed and np.nan not in group else None)
    frame = pd.DataFrame({"y": rng.integers(1, 4, 500), "p": rng.integers(1, 4, 500)})
    frame["g"] = column[rng.integers(0, 3, 500)].to_numpy()
    rows = FrameSource(frame).rows(["g", "y", "p"])
    plain = DistinctRows(
        columns={c: list(x) for c, x in rows.columns.items()}, count=rows.count, orders=rows.orders
    )
    query = Query.of("y", "p", by="g", labels=[1, 2, 3], missing="drop")
    assert int(rows.count.sum()) == 500
    keys, where = subgroups_of(rows, query)
    others, places = subgroups_of(plain, query)
    assert [(type(k), k) for k in keys] == [(type(k), k) for k in others]
    assert where.tolist() == places.tolist()
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2, 3], by="g", missing="drop")
    for key, counts in zip(keys, cm.counts, strict=True):
        # Values of several types are told apart by their text.
        part = frame[[x == key or str(x).lower() == key for x in frame["g"]]]
        expected = oe.ConfusionMatrix.from_labels(part["y"], part["p"], [1, 2, 3])
        assert np.array_equal(counts, expected.counts)


@pytest.mark.parametrize("first", [-300, -129, 127, 200, 2020, 40_000])
def test_integers_far_from_zero_number_themselves(first: int) -> None:
    rng = np.random.default_rng(0)
    labels = list(range(first, first + 3))
    frame = pd.DataFrame({c: rng.integers(first, first + 3, 99) for c in ("g", "y", "p")})
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "p", labels, by="g")
    for g, counts in zip(labels, cm.counts, strict=True):
        part = frame[frame["g"] == g]
        table = pd.crosstab(part["y"], part["p"]).reindex(index=labels, columns=labels)
        assert np.array_equal(counts, table.fillna(0))


def test_as_many_labels_as_a_byte_has_no_room_for() -> None:
    frame = pd.DataFrame({"g": 0, "y": np.arange(128), "p": 0})
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "p", range(128), by="g")
    assert cm.counts[0, :, 0].tolist() == [1] * 128


def test_dictionaries_of_unsigned_numbers() -> None:
    labels = pa.array([0, 1, None, 0], pa.uint8())
    column = pa.DictionaryArray.from_arrays(labels, pa.array(["a", "b"]))
    cm = oe.ConfusionMatrix.from_labels(column, list("abab"), labels=["a", "b"], missing="drop")
    assert cm.counts.tolist() == [[1, 1], [0, 1]]
