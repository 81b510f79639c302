"""ConfusionMatrix: immutable counts on a scale, one or a stack of them."""

import copy
import pickle
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import confusion_matrix
from tests.strategies import labels, matrices, stacks

import ordeval as oe

COUNTS = [[5, 1, 0], [2, 3, 1], [0, 1, 7]]
LEVELS = ["low", "medium", "high"]


@pytest.fixture
def cm() -> oe.ConfusionMatrix:
    return oe.ConfusionMatrix(COUNTS, LEVELS)


@pytest.fixture
def stack() -> oe.ConfusionMatrix:
    return oe.ConfusionMatrix(np.arange(2 * 4 * 9).reshape(2, 4, 3, 3), LEVELS)


def test_counts_cannot_be_written(cm: oe.ConfusionMatrix) -> None:
    with pytest.raises(ValueError, match="read-only"):
        cm.counts[0, 0] = 99
    with pytest.raises(ValueError, match="WRITEABLE"):
        cm.counts.setflags(write=True)
    assert cm.counts.tolist() == COUNTS


@pytest.mark.parametrize("name", ["counts", "scale", "total", "support", "k", "shape", "other"])
def test_attributes_cannot_be_set(cm: oe.ConfusionMatrix, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(cm, name, 1)


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.int8, object])
def test_the_callers_array_is_not_shared(dtype: Any) -> None:
    given_counts = np.array(COUNTS, dtype=dtype)
    cm = oe.ConfusionMatrix(given_counts)
    given_counts[0, 0] = 99
    assert cm.counts[0, 0] == 5
    assert given_counts.flags.writeable


def test_margins_can_be_written_without_harm(cm: oe.ConfusionMatrix) -> None:
    cm.support[:] = 0
    cm.predicted[:] = 0
    cm.normalized()[:] = 0
    assert cm.support.tolist() == [6, 6, 8]


@pytest.mark.parametrize("dtype", [bool, "i1", "u2", ">i4", "u8", object])
def test_integers_become_int64(dtype: Any) -> None:
    cm = oe.ConfusionMatrix(np.array([[1, 0], [1, 1]], dtype=dtype))
    assert cm.counts.dtype == np.int64
    assert cm.counts.tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "g", object])
def test_fractions_become_float64(dtype: Any) -> None:
    cm = oe.ConfusionMatrix(np.array([[0.5, 0], [1, 1.25]], dtype=dtype))
    assert cm.counts.dtype == np.float64
    assert cm.counts.tolist() == [[0.5, 0], [1, 1.25]]


def test_frames_are_counts_too(cm: oe.ConfusionMatrix) -> None:
    assert oe.ConfusionMatrix(pd.DataFrame(COUNTS), LEVELS) == cm
    assert oe.ConfusionMatrix(cm.to_frame(), LEVELS) == cm
    assert oe.ConfusionMatrix(pd.DataFrame(COUNTS, dtype="Int64"), LEVELS) == cm


def test_a_labelled_frame_as_matrix_keeps_its_labels() -> None:
    frame = pd.DataFrame([[5, 1], [2, 7]], index=["lo", "hi"], columns=["lo", "hi"])
    assert oe.ConfusionMatrix(frame, ["lo", "hi"]).total == 15
    with pytest.raises(oe.ScaleError, match="not declared"):
        oe.ConfusionMatrix(frame)
    with pytest.raises(oe.ScaleError, match="not declared"):
        oe.accuracy.from_confusion(frame)
    with pytest.raises(oe.CountsError, match="same classes in the same order"):
        oe.ConfusionMatrix(frame[["hi", "lo"]], ["lo", "hi"])
    with pytest.raises(oe.CountsError, match="Put the frame in their order"):
        oe.ConfusionMatrix(frame, ["hi", "lo"])


def test_without_labels_the_classes_are_positions() -> None:
    assert oe.ConfusionMatrix(COUNTS).scale == oe.Scale.range(0, 2)
    assert oe.ConfusionMatrix([[4]]).scale.levels == (0,)


@given(labels().filter(lambda items: items.k > 1))
def test_parity_with_scikit_learn(items: Any) -> None:
    cm = oe.ConfusionMatrix.from_labels(items.t, items.p, labels=range(items.k))
    classes = list(range(items.k))
    expected = confusion_matrix(items.t, items.p, labels=classes)
    assert np.array_equal(cm.counts, expected)
    for by, normalize in (("true", "true"), ("pred", "pred"), ("all", "all")):
        theirs = confusion_matrix(items.t, items.p, labels=classes, normalize=normalize)
        ours = cm.normalized(by)
        defined = ~np.isnan(ours)
        np.testing.assert_allclose(ours[defined], theirs[defined], rtol=1e-15)
        assert (theirs[~defined] == 0).all()


@given(stacks((2,)))
def test_shares_add_up_to_one_or_are_undefined(counts: Any) -> None:
    cm = oe.ConfusionMatrix(counts)
    for by, axis in (("true", -1), ("pred", -2), ("all", (-2, -1))):
        sums = counts.sum(axis=axis)
        shares = cm.normalized(by).sum(axis=axis)
        assert np.isnan(shares[sums == 0]).all()
        np.testing.assert_allclose(shares[sums > 0], 1.0, rtol=1e-12)


def test_an_empty_class_has_no_shares() -> None:
    cm = oe.ConfusionMatrix([[2, 2], [0, 0]])
    np.testing.assert_array_equal(cm.normalized("true"), [[0.5, 0.5], [np.nan, np.nan]])
    np.testing.assert_array_equal(cm.normalized("all"), [[0.5, 0.5], [0.0, 0.0]])
    assert np.isnan(oe.ConfusionMatrix([[0]]).normalized("all")).all()


def test_margins(cm: oe.ConfusionMatrix) -> None:
    assert cm.support.tolist() == [6, 6, 8]
    assert cm.predicted.tolist() == [7, 5, 8]
    assert cm.total == 20
    assert type(cm.total) is int
    assert cm.k == 3
    assert cm.shape == ()


def test_the_total_of_weights_is_a_float() -> None:
    total = oe.ConfusionMatrix([[0.5, 1.0], [0.0, 2.0]]).total
    assert total == 3.5
    assert type(total) is float


def test_margins_of_a_stack(stack: oe.ConfusionMatrix) -> None:
    assert stack.shape == (2, 4)
    assert stack.total.shape == (2, 4)
    assert stack.support.shape == stack.predicted.shape == (2, 4, 3)
    assert np.array_equal(stack.total, stack.counts.sum(axis=(-2, -1)))
    assert np.array_equal(stack.support, stack.counts.sum(axis=-1))
    assert np.array_equal(stack.predicted, stack.counts.sum(axis=-2))
    assert stack.normalized().shape == (2, 4, 3, 3)


@pytest.mark.parametrize("k", [2, 200])
@pytest.mark.parametrize("count", [10**15, 10**15 + 1, 2**62 + 1])
def test_sums_are_exact(k: int, count: int) -> None:
    cm = oe.ConfusionMatrix(np.full((k, k), count))
    assert cm.total == count * k * k
    assert type(cm.total) is int
    assert cm.support.tolist() == [count * k] * k
    assert cm.predicted.tolist() == [count * k] * k
    two = oe.ConfusionMatrix(np.full((2, k, k), count))
    assert two.total.tolist() == [count * k * k] * 2
    assert two.support.tolist() == [[count * k] * k] * 2


def test_totals_beyond_64_bits_for_many_classes() -> None:
    cm = oe.ConfusionMatrix(np.full((200, 200), 10**15))
    assert cm.total == 40_000 * 10**15 > 2**63
    assert "40,000,000,000,000,000,000 items" in repr(cm)


@given(matrices())
def test_transpose_exchanges_truth_and_prediction(counts: Any) -> None:
    cm = oe.ConfusionMatrix(counts)
    assert np.array_equal(cm.T.counts, counts.T)
    assert cm == cm.T.T
    assert cm.T.support.tolist() == cm.predicted.tolist()


def test_transpose_of_a_stack_and_what_was_dropped(stack: oe.ConfusionMatrix) -> None:
    assert np.array_equal(stack.T.counts, stack.counts.swapaxes(-1, -2))
    cm = oe.ConfusionMatrix.from_labels([1, None], [2, 1], [1, 2], missing="drop")
    assert cm.T.dropped == oe.results.Dropped(missing=1)


@given(labels(), st.data())
def test_merging_is_counting_together(items: Any, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(items.t)))
    scale = range(items.k)
    whole = oe.ConfusionMatrix.from_labels(items.t, items.p, scale)
    first = oe.ConfusionMatrix.from_labels(items.t[:cut], items.p[:cut], scale)
    second = oe.ConfusionMatrix.from_labels(items.t[cut:], items.p[cut:], scale)
    assert first + second == second + first == sum([first, second]) == whole
    assert (first + second).counts.dtype == np.int64


def test_merging_weights_and_stacks(cm: oe.ConfusionMatrix, stack: oe.ConfusionMatrix) -> None:
    weighted = oe.ConfusionMatrix(np.full((3, 3), 0.5), LEVELS)
    assert (cm + weighted).counts.dtype == np.float64
    assert np.array_equal((stack + stack).counts, 2 * stack.counts)
    assert sum([cm]) == cm


def test_dropped_items_add_up() -> None:
    one = oe.ConfusionMatrix.from_labels([1, None], [1, 1], [1, 2], missing="drop")
    two = oe.ConfusionMatrix.from_labels([1, 9], [1, 1], [1, 2], unknown="drop")
    assert (one + two).dropped == oe.results.Dropped(missing=1, unknown=1)


@pytest.mark.parametrize("other", [1, 1.0, "cm", None, COUNTS])
def test_only_matrices_can_be_added(cm: oe.ConfusionMatrix, other: Any) -> None:
    with pytest.raises(TypeError):
        cm + other
    with pytest.raises(TypeError):
        other + cm


def test_collapse_by_names_and_by_lists(cm: oe.ConfusionMatrix) -> None:
    by_name = cm.collapse({"lower": ["low", "medium"], "upper": ["high"]})
    assert by_name.counts.tolist() == [[11, 1], [1, 7]]
    assert by_name.scale == oe.Scale(["lower", "upper"])
    by_list = cm.collapse([["low"], ["medium", "high"]])
    assert by_list.counts.tolist() == [[5, 1], [2, 12]]
    assert by_list.scale == oe.Scale(["low", "medium-high"])
    assert cm.collapse([LEVELS]).counts.tolist() == [[20]]
    assert cm.collapse([[x] for x in LEVELS]) == cm


@pytest.mark.parametrize("group", [tuple, list, np.array, pd.Index, iter])
def test_collapse_takes_groups_in_any_container(cm: oe.ConfusionMatrix, group: Any) -> None:
    collapsed = cm.collapse([group(["low", "medium"]), group(["high"])])
    assert collapsed.counts.tolist() == [[11, 1], [1, 7]]


def test_collapse_takes_ranges() -> None:
    cm = oe.ConfusionMatrix(np.eye(5, dtype=int), oe.Scale.range(1, 5))
    collapsed = cm.collapse([range(1, 3), range(3, 6)])
    assert collapsed.counts.tolist() == [[2, 0], [0, 3]]
    assert collapsed.scale == oe.Scale(["1-2", "3-5"])
    assert cm.collapse({1: [1, 2], 2: [3, 4, 5]}).scale == oe.Scale.range(1, 2)


def test_collapse_takes_a_lone_label_for_a_group(cm: oe.ConfusionMatrix) -> None:
    collapsed = cm.collapse({"lower": ["low", "medium"], "upper": "high"})
    assert collapsed.counts.tolist() == [[11, 1], [1, 7]]


def test_collapse_of_a_stack_and_what_was_dropped(stack: oe.ConfusionMatrix) -> None:
    groups = {"lower": ["low", "medium"], "upper": ["high"]}
    collapsed = stack.collapse(groups)
    assert collapsed.shape == (2, 4)
    assert collapsed[1, 2] == stack[1, 2].collapse(groups)
    cm = oe.ConfusionMatrix.from_labels([1, None], [2, 1], [1, 2], missing="drop")
    assert cm.collapse([[1, 2]]).dropped == oe.results.Dropped(missing=1)


def test_collapse_does_not_wrap_around() -> None:
    cm = oe.ConfusionMatrix(np.full((3, 3), 2**62))
    with pytest.raises(oe.CountsError, match="64-bit"):
        cm.collapse([[0, 1], [2]])


def test_repr_of_a_small_matrix(cm: oe.ConfusionMatrix) -> None:
    assert repr(cm).splitlines() == [
        "ConfusionMatrix of 20 items, rows truth, columns prediction",
        "        low  medium  high",
        "low       5       1     0",
        "medium    2       3     1",
        "high      0       1     7",
    ]


def test_repr_of_one_item() -> None:
    assert repr(oe.ConfusionMatrix([[1]])).startswith("ConfusionMatrix of 1 item, rows truth")


def test_repr_of_weights() -> None:
    cm = oe.ConfusionMatrix([[0.5, 1 / 3], [0, 2]])
    assert repr(cm).splitlines() == [
        "ConfusionMatrix of total weight 2.83333, rows truth, columns prediction",
        "     0         1",
        "0  0.5  0.333333",
        "1    0         2",
    ]


def test_repr_tells_what_was_dropped() -> None:
    cm = oe.ConfusionMatrix.from_labels(
        [1, None, 9], [1, 1, 1], [1], unknown="drop", missing="drop"
    )
    assert "1 item (dropped: 1 missing, 1 unknown)" in repr(cm)
    assert "1 item (dropped: 1 missing, 1 unknown)" in cm._repr_html_()


def test_repr_of_many_classes_and_of_stacks_is_one_line(stack: oe.ConfusionMatrix) -> None:
    many = oe.ConfusionMatrix(np.ones((50, 50), dtype=int))
    assert repr(many) == (
        "ConfusionMatrix of 2,500 items, 50 classes, Scale(0 < 1 < 2 < 3 < 4 < ... < 48 < 49)"
    )
    assert repr(stack) == (
        "ConfusionMatrix stack of shape (2, 4), Scale('low' < 'medium' < 'high')"
    )


class Tags(HTMLParser):
    """Which tags a page opens, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


HOSTILE = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "&amp;"]


@pytest.mark.parametrize("k", [3, 30])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_html_escapes_labels(k: int, shape: tuple[int, ...]) -> None:
    names = [*HOSTILE, *(f"<b>{i}" for i in range(k))][:k]
    page = oe.ConfusionMatrix(np.ones((*shape, k, k), dtype=int), names)._repr_html_()
    parsed = Tags(page)
    assert parsed.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "pre"}
    assert HOSTILE[0] in "".join(parsed.text)


def test_html_shows_every_count(cm: oe.ConfusionMatrix) -> None:
    text = Tags(cm._repr_html_()).text
    assert [x for x in text if x.isdigit()] == [str(x) for row in COUNTS for x in row]
    assert all(text.count(level) == 2 for level in LEVELS)


def test_to_frame(cm: oe.ConfusionMatrix) -> None:
    frame = cm.to_frame()
    assert frame.index.tolist() == frame.columns.tolist() == LEVELS
    assert (frame.index.name, frame.columns.name) == ("truth", "prediction")
    assert frame.loc["low", "medium"] == 1
    frame.loc["low", "medium"] = 99
    assert cm.counts[0, 1] == 1


def test_to_frame_of_tuples() -> None:
    levels = [(0, 1), (1, 2)]
    frame = oe.ConfusionMatrix([[1, 2], [3, 4]], levels).to_frame()
    assert frame.index.tolist() == frame.columns.tolist() == levels
    assert frame.to_numpy().tolist() == [[1, 2], [3, 4]]


def test_equality(cm: oe.ConfusionMatrix) -> None:
    assert cm == oe.ConfusionMatrix(np.array(COUNTS, dtype=float), LEVELS)
    assert cm != cm.T
    assert cm != oe.ConfusionMatrix(COUNTS)
    assert cm != oe.ConfusionMatrix([COUNTS], LEVELS)
    assert cm != COUNTS
    with pytest.raises(TypeError):
        hash(cm)


def test_indexing_a_stack(stack: oe.ConfusionMatrix) -> None:
    assert stack[0].shape == (4,)
    assert stack[-1, 2].counts.tolist() == stack.counts[-1, 2].tolist()
    assert stack[:, 0].shape == (2,)
    assert stack[:, 1:3].shape == (2, 2)
    assert stack[..., 0].shape == (2,)
    assert stack[...] == stack
    assert stack[[0, 1], [2, 3]].shape == (2,)
    assert stack[np.array([True, False])].shape == (1, 4)
    assert stack[0].scale == stack.scale


@pytest.mark.parametrize("index", [2, (0, 4), (0, 0, 0), (0, 0, 0, 0), "low", 0.5])
def test_an_index_out_of_the_stack(stack: oe.ConfusionMatrix, index: Any) -> None:
    with pytest.raises(IndexError):
        stack[index]


def test_one_matrix_is_no_stack(cm: oe.ConfusionMatrix) -> None:
    with pytest.raises(IndexError, match=r"cells are in \.counts"):
        cm[0]
    with pytest.raises(TypeError, match="has no length"):
        len(cm)
    with pytest.raises(TypeError, match="has no length"):
        iter(cm)


def test_iterating_a_stack(stack: oe.ConfusionMatrix) -> None:
    assert len(stack) == 2
    parts = list(stack)
    assert [part.shape for part in parts] == [(4,), (4,)]
    assert np.array_equal(np.stack([part.counts for part in parts]), stack.counts)
    assert list(stack[0])[1] == stack[0, 1]


def test_an_empty_stack() -> None:
    empty = oe.ConfusionMatrix(np.zeros((0, 3, 3), dtype=int), LEVELS)
    assert empty.shape == (0,)
    assert len(empty) == len(list(empty)) == 0
    assert empty.total.shape == (0,)
    assert empty.support.shape == (0, 3)
    assert empty.normalized().shape == (0, 3, 3)
    assert empty.collapse([LEVELS]).counts.shape == (0, 1, 1)
    assert (empty + empty).shape == (0,)


def pickled(cm: oe.ConfusionMatrix) -> oe.ConfusionMatrix:
    return pickle.loads(pickle.dumps(cm))  # type: ignore[no-any-return]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_are_equal_and_immutable(copied: Callable[[Any], Any]) -> None:
    cm = oe.ConfusionMatrix.from_labels([1, None], [1, 1], [1, 2], missing="drop")
    same = copied(cm)
    assert same == cm
    assert same.dropped == cm.dropped
    assert not same.counts.flags.writeable
    assert copied(oe.ConfusionMatrix(np.ones((2, 3, 3)), LEVELS)).shape == (2,)
