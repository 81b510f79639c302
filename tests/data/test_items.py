"""Items: labels in memory on one scale, counted in chunks; misfits are told or dropped."""

import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.containers import double_loop, weighted_loop

import ordeval as oe
from ordeval._shared.types import CHUNK
from ordeval.data.columns import Column
from ordeval.data.items import Items, Misfits, count_labels, read_items


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


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 9, 11, 12, 128, 129])
@pytest.mark.parametrize("dtype", ["i1", "<i8", ">i8", "u1", "u8", "i2"])
@pytest.mark.parametrize("first", [-1, 0, 1, 120])
def test_all_kinds_of_integers_are_counted_alike(k: int, dtype: str, first: int) -> None:
    if (first < 0 and "u" in dtype) or not np.iinfo(dtype).max >= first + k - 1:
        return
    rng = np.random.default_rng(k)
    levels = range(first, first + k)
    for n in (1, 2, 7, 1_000):
        truth, pred = rng.integers(0, k, n), rng.integers(0, k, n)
        expected = np.zeros((k, k), dtype=np.int64)
        np.add.at(expected, (truth, pred), 1)
        given = [np.repeat((x + first).astype(dtype), 2)[::2] for x in (truth, pred)]
        counted = oe.ConfusionMatrix.from_labels(*given, levels)
        assert counted.counts.dtype == np.int64
        assert np.array_equal(counted.counts, expected)
        assert count_labels(*given, labels=[*levels[::-1]]).counts.tolist() == (
            expected[::-1, ::-1].tolist()
        )


@pytest.mark.parametrize("wrong", [-129, -1, 5, 127, 128, 256, 2**32, -(2**63), 2**63 - 1])
def test_integers_that_a_byte_would_take_for_others_are_outside_the_scale(wrong: int) -> None:
    truth = np.array([0, 1, 2, 3, 4] * 3)
    pred = truth.copy()
    pred[7] = wrong
    with pytest.raises(oe.LabelError, match=f"outside the scale .*: {wrong} .position 7"):
        oe.ConfusionMatrix.from_labels(truth, pred, range(5))
    cm = oe.ConfusionMatrix.from_labels(truth, pred, range(5), unknown="drop")
    assert cm.dropped == oe.results.Dropped(unknown=1)
    assert np.diag(cm.counts).tolist() == [3, 3, 2, 3, 3]


def test_misfits_are_counted_across_chunks() -> None:
    truth = np.zeros(3 * CHUNK)
    truth[[0, CHUNK, -1]] = np.nan
    truth[[1, 2 * CHUNK]] = 9
    cm = oe.ConfusionMatrix.from_labels(
        truth, np.zeros(3 * CHUNK), labels=[0, 1], unknown="drop", missing="drop"
    )
    assert cm.dropped == oe.results.Dropped(missing=3, unknown=2)
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


def test_without_weights_counts_are_integers() -> None:
    assert oe.ConfusionMatrix.from_labels([1, 2], [1, 2]).counts.dtype == np.int64
    assert oe.ConfusionMatrix.from_labels([], [], labels=[1, 2]).counts.dtype == np.int64


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element:UserWarning")
def test_a_masked_weight_in_a_list_is_refused() -> None:
    with pytest.raises(oe.LabelError) as error:
        oe.ConfusionMatrix.from_labels([1, 2], [1, 2], sample_weight=[1.0, np.ma.masked])
    assert str(error.value) == (
        "sample_weight must be finite and not negative; 1 weight is not, the first is nan at "
        "position 1."
    )


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
    assert cm.dropped == oe.results.Dropped(missing=3, unknown=3)


def test_weights_of_dropped_items_are_left_out() -> None:
    cm = oe.ConfusionMatrix.from_labels(
        [1, 9, 2], [1, 1, 2], labels=[1, 2], sample_weight=[0.5, 100, 0.25], unknown="drop"
    )
    assert cm.counts.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert cm.dropped == oe.results.Dropped(unknown=1)


def test_one_policy_does_not_excuse_the_other() -> None:
    with pytest.raises(oe.LabelError, match="1 missing value"):
        oe.ConfusionMatrix.from_labels([1, None, 9], [1, 1, 1], labels=[1, 2], unknown="drop")
    with pytest.raises(oe.LabelError, match="1 label outside"):
        oe.ConfusionMatrix.from_labels([1, None, 9], [1, 1, 1], labels=[1, 2], missing="drop")


def test_dropped_numbers_add_and_are_false_when_zero() -> None:
    assert oe.results.Dropped(1, 2) + oe.results.Dropped(3, 4) == oe.results.Dropped(4, 6)
    assert not oe.results.Dropped()
    assert oe.results.Dropped(unknown=1)


def test_all_items_dropped() -> None:
    cm = oe.ConfusionMatrix.from_labels([None, 9], [1, 1], [1, 2], unknown="drop", missing="drop")
    assert cm.total == 0
    assert cm.dropped == oe.results.Dropped(missing=1, unknown=1)


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


def test_counted_labels_come_with_their_scale_and_origin() -> None:
    found = count_labels([1, 2, None], [1, 3, 3], misfits=Misfits(missing="drop"))
    assert found.scale == oe.Scale.range(1, 3)
    assert found.counts.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert (found.origin.implied, found.origin.weighted) == (True, False)
    assert found.origin.dropped == oe.results.Dropped(missing=1)
    weighted = count_labels([1, 2], [1, 2], labels=[1, 2], sample_weight=[1, 1])
    assert (weighted.origin.implied, weighted.origin.weighted) == (False, True)


def three_models(y_true: Any = (1, 2, 3, 1), **options: Any) -> Items:
    """Four items, of which each model but the first lacks one."""
    predictions = {"a": [1, 2, 3, 1], "b": [1, None, 3, 1], "c": [1, 2, 9, 1]}
    misfits = Misfits("drop", "drop")
    return read_items(y_true, predictions, labels=[1, 2, 3], misfits=misfits, **options)


def test_an_item_is_kept_if_every_model_has_a_label_for_it() -> None:
    items = three_models()
    assert items.kept.tolist() == [True, False, False, True]
    assert items.y_true.tolist() == [0, 0]
    assert {m: p.tolist() for m, p in items.y_pred.items()} == {m: [0, 0] for m in "abc"}
    assert items.dropped == {"b": oe.results.Dropped(missing=1), "c": oe.results.Dropped(unknown=1)}
    assert (items.n, items.left_out) == (2, 2)
    assert items.weights is None
    assert not items.implied


def test_rows_stand_for_several_items_and_keep_their_weights() -> None:
    truth = Column("y_true", np.array([1, 2, 3, 1]), count=np.array([5, 7, 2, 1]))
    items = three_models(truth, sample_weight=[0.5, 1, 1, 2])
    assert (items.n, items.left_out) == (6, 9)
    assert items.dropped == {"b": oe.results.Dropped(missing=7), "c": oe.results.Dropped(unknown=2)}
    assert items.count.tolist() == [5, 1]
    assert items.weights is not None
    assert items.weights.tolist() == [0.5, 2]


def test_a_level_that_one_model_never_predicts_may_occur_with_another() -> None:
    items = read_items([1, 1, 3], {"a": [1, 1, 3], "b": [1, 2, 3]})
    assert items.implied
    assert items.scale == oe.Scale.range(1, 3)
    with pytest.warns(oe.EmptyLevelWarning, match="2 never occurs"):
        read_items([1, 1, 3], {"a": [1, 1, 3], "b": [1, 1, 3]})


def test_no_item_left_is_an_error() -> None:
    with pytest.raises(oe.LabelError, match=r"^no item has a label in every column\.$"):
        read_items([1, None], {"a": [None, 2]}, labels=[1, 2], misfits=Misfits(missing="drop"))
