"""Accumulator: counting in chunks and in processes equals counting all at once."""

import copy
import multiprocessing
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from tests.worker import LEVELS, count_part

import ordeval as oe


class Split:
    """Items and the places where they are cut into chunks."""

    def __init__(self, items: list[tuple[Any, Any, float]], cuts: list[int]) -> None:
        self.truth, self.pred, self.weights = ([item[i] for item in items] for i in range(3))
        ends = sorted({0, len(items), *(cut % (len(items) + 1) for cut in cuts)})
        self.parts = [slice(a, b) for a, b in pairwise(ends)]


def splits(*others: Any) -> st.SearchStrategy[Split]:
    label = st.sampled_from([*LEVELS, *others])
    items = st.lists(st.tuples(label, label, st.integers(0, 9)), max_size=30)
    return st.builds(Split, items, st.lists(st.integers(0, 100), max_size=6))


@given(splits())
def test_any_split_gives_what_one_count_gives(split: Split) -> None:
    counter = oe.Accumulator(LEVELS)
    for part in split.parts:
        counter.update(split.truth[part], split.pred[part])
    whole = oe.ConfusionMatrix.from_labels(split.truth, split.pred, LEVELS)
    assert counter.confusion_matrix() == whole
    assert counter.confusion_matrix().counts.dtype == np.int64


@given(splits())
def test_weights_in_any_split(split: Split) -> None:
    counter = oe.Accumulator(LEVELS)
    for part in split.parts:
        counter.update(split.truth[part], split.pred[part], split.weights[part])
    whole = oe.ConfusionMatrix.from_labels(split.truth, split.pred, LEVELS, split.weights)
    assert counter.confusion_matrix() == whole


@given(splits("other", None))
def test_dropped_numbers_add_up(split: Split) -> None:
    counter = oe.Accumulator(LEVELS, unknown="drop", missing="drop")
    for part in split.parts:
        counter.update(split.truth[part], split.pred[part])
    whole = oe.ConfusionMatrix.from_labels(
        split.truth, split.pred, LEVELS, unknown="drop", missing="drop"
    )
    assert counter.confusion_matrix() == whole
    assert counter.confusion_matrix().dropped == whole.dropped


@given(splits())
def test_any_merge_gives_what_one_count_gives(split: Split) -> None:
    total = oe.Accumulator(LEVELS)
    for i, part in enumerate(split.parts):
        other = oe.Accumulator(LEVELS)
        other.update(split.truth[part], split.pred[part])
        total.merge(other if i % 2 else other.confusion_matrix())
    whole = oe.ConfusionMatrix.from_labels(split.truth, split.pred, LEVELS)
    assert total.confusion_matrix() == whole


def test_merge_across_processes() -> None:
    rng = np.random.default_rng(0)
    names = [*LEVELS, "other"]
    truth, pred = ([names[i] for i in rng.integers(0, 4, 3000)] for _ in range(2))
    parts = [slice(0, 1000), slice(1000, 1001), slice(1001, 3000)]
    # Threads of other libraries do not survive a fork.
    context = multiprocessing.get_context("spawn")
    total = oe.Accumulator(LEVELS)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for counted in pool.map(
            count_part, [truth[part] for part in parts], [pred[part] for part in parts]
        ):
            total.merge(counted)
    whole = oe.ConfusionMatrix.from_labels(truth, pred, LEVELS, unknown="drop")
    assert total.confusion_matrix() == whole
    assert total.confusion_matrix().dropped == whole.dropped


def test_chunks_may_come_in_different_containers() -> None:
    counter = oe.Accumulator(LEVELS)
    counter.update(["low"], ["high"])
    counter.update(pd.Series(["low"], dtype="category"), np.array(["low"]))
    counter.update(pl.Series(["high"]), (x for x in ["high"]))
    counter.update([], [])
    assert counter.confusion_matrix().counts.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("truth", "pred", "weight"),
    [
        (["low", "other"], ["low", "low"], None),
        (["low", None], ["low", "low"], None),
        (["low", "low"], ["low"], None),
        (["low"], ["low"], [-1]),
        (["low"], ["low"], [1, 2]),
        (None, ["low"], None),
    ],
)
def test_a_refused_chunk_leaves_the_counts_alone(truth: Any, pred: Any, weight: Any) -> None:
    counter = oe.Accumulator(LEVELS)
    counter.update(["low"], ["medium"])
    before = counter.confusion_matrix()
    with pytest.raises(oe.LabelError):
        counter.update(truth, pred, weight)
    assert counter.confusion_matrix() == before
    counter.update(["high"], ["high"])
    assert counter.confusion_matrix().total == 2


def test_a_result_does_not_change_later() -> None:
    counter = oe.Accumulator(LEVELS)
    counter.update(["low"], ["low"])
    early = counter.confusion_matrix()
    counter.update(["low"], ["low"])
    assert early.total == 1
    assert counter.confusion_matrix().total == 2


def test_merge_leaves_the_other_alone() -> None:
    one, two = oe.Accumulator(LEVELS), oe.Accumulator(LEVELS)
    two.update(["low"], ["low"])
    one.merge(two)
    one.merge(two)
    one.merge(one)
    assert two.confusion_matrix().total == 1
    assert one.confusion_matrix().total == 4


def test_before_the_first_chunk() -> None:
    empty = oe.Accumulator(LEVELS).confusion_matrix()
    assert empty.counts.tolist() == np.zeros((3, 3)).tolist()
    assert empty.counts.dtype == np.int64
    assert oe.Accumulator(oe.Scale.range(1, 5)).scale == oe.Scale.range(1, 5)


def test_reset_forgets_counts_and_dropped_numbers() -> None:
    counter = oe.Accumulator(LEVELS, unknown="drop")
    counter.update(["low", "other"], ["low", "low"], [0.5, 1])
    counter.reset()
    assert counter.confusion_matrix() == oe.Accumulator(LEVELS).confusion_matrix()
    assert counter.confusion_matrix().dropped == oe.results.Dropped()
    counter.update(["other"], ["low"])
    assert counter.confusion_matrix().dropped == oe.results.Dropped(unknown=1)


def test_different_scales_are_refused() -> None:
    counter = oe.Accumulator(LEVELS)
    for other in (oe.Accumulator(LEVELS[::-1]), oe.ConfusionMatrix(np.eye(3))):
        with pytest.raises(oe.ScaleError, match="same scale"):
            counter.merge(other)
    assert counter.confusion_matrix().total == 0


def test_policies_are_checked_at_once() -> None:
    with pytest.raises(oe.LabelError, match=r'^unknown must be "raise" or "drop"; got .ignore.'):
        oe.Accumulator(LEVELS, unknown="ignore")  # type: ignore[arg-type]
    with pytest.raises(oe.LabelError, match=r'^missing must be "raise" or "drop"; got None'):
        oe.Accumulator(LEVELS, missing=None)  # type: ignore[arg-type]


def test_repr_tells_the_scale_and_the_number() -> None:
    counter = oe.Accumulator(LEVELS)
    counter.update(["low"] * 1234, ["low"] * 1234)
    assert repr(counter) == "Accumulator(Scale('low' < 'medium' < 'high')): 1,234 counted"


# Several models

MODELS = ("a", "b", "c")
LOWEST = {name: ["low"] for name in MODELS}


def many(*others: Any) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    label = st.sampled_from([*LEVELS, *others])
    return st.lists(st.tuples(label, label, label, label), max_size=30)


def joint_one_by_one(items: list[tuple[Any, ...]]) -> Any:
    """The slow definition: each item whose labels all fit adds one to its cell."""
    counts = np.zeros((3,) * 4, dtype=np.int64)
    for item in items:
        if all(label in LEVELS for label in item):
            counts[tuple(map(LEVELS.index, item))] += 1
    return counts


def counted(items: list[tuple[Any, ...]], counter: oe.Accumulator) -> oe.Accumulator:
    columns = [[item[i] for item in items] for i in range(4)]
    counter.update(columns[0], dict(zip(MODELS, columns[1:], strict=True)))
    return counter


@given(many(), many())
def test_joint_counts_of_chunks_that_are_merged(day: Any, night: Any) -> None:
    one, two = oe.Accumulator(LEVELS, MODELS), oe.Accumulator(LEVELS, MODELS)
    for half in (day[: len(day) // 2], day[len(day) // 2 :]):
        counted(half, one)
    one.merge(counted(night, two))
    whole = joint_one_by_one(day + night)
    assert one.joint_counts().tolist() == whole.tolist()
    assert one.joint_counts("c", "a").tolist() == whole.sum(axis=2).transpose(0, 2, 1).tolist()
    for i, name in enumerate(MODELS):
        truth, pred = ([item[j] for item in day + night] for j in (0, 1 + i))
        alone = oe.ConfusionMatrix.from_labels(truth, pred, LEVELS)
        assert one.confusion_matrix(name) == alone


@given(many("other", None))
def test_of_several_models_an_item_goes_if_one_label_does(items: Any) -> None:
    counter = counted(items, oe.Accumulator(LEVELS, MODELS, unknown="drop", missing="drop"))
    assert counter.joint_counts().tolist() == joint_one_by_one(items).tolist()
    missing = sum(None in item for item in items)
    unknown = sum("other" in item and None not in item for item in items)
    assert counter.dropped == oe.results.Dropped(missing, unknown)


def test_a_pair_that_was_accumulated_is_compared_as_its_labels_are() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 5, 400)
    preds = {m: np.clip(truth + rng.integers(-1, 2, 400), 1, 4) for m in MODELS}
    counter = oe.Accumulator([1, 2, 3, 4], MODELS)
    for part in np.array_split(np.arange(400), 7):
        counter.update(truth[part], {m: p[part] for m, p in preds.items()})
    pair = oe.Accumulator([1, 2, 3, 4], ["a", "b"])
    pair.update(truth, {"b": preds["b"], "a": preds["a"]})
    for metric in ("weighted_kappa", "mean_absolute_error"):
        expected = oe.paired_delta(
            metric, truth, preds["c"], preds["a"], labels=[1, 2, 3, 4], names=("c", "a")
        )
        assert oe.paired_delta(metric, counter, names=("c", "a")) == expected
        by_labels = oe.paired_delta(
            metric, truth, preds["a"], preds["b"], labels=[1, 2, 3, 4], names=("a", "b")
        )
        assert oe.paired_delta(metric, pair) == by_labels
    with pytest.raises(oe.LabelError, match="different ones of a, b and c; got A and B"):
        oe.paired_delta("accuracy", counter)
    with pytest.raises(oe.ScaleError, match="labels="):
        oe.paired_delta("accuracy", pair, labels=[4, 3, 2, 1])


def test_what_was_dropped_goes_into_the_difference() -> None:
    counter = oe.Accumulator([1, 2], ["a", "b"], missing="drop")
    counter.update([1, 2, 1, 2] * 20 + [1], {"a": [1, 2, 2, 2] * 20 + [1], "b": [1] * 80 + [None]})
    assert oe.paired_delta("accuracy", counter).dropped == 1


@pytest.mark.parametrize(
    ("truth", "pred", "weight", "said"),
    [
        (["low"], {"a": ["low"]}, None, "map each of the models, a, b and c"),
        (["low"], ["low"], None, "got list"),
        (["low"], LOWEST, [1], "of several models takes no weights"),
        (["low"], {**LOWEST, "c": ["low"] * 2}, None, "same length"),
        (["low"], {**LOWEST, "c": ["other"]}, None, "outside the scale"),
        (["low"], {**LOWEST, "b": [None]}, None, "missing"),
    ],
)
def test_a_refused_chunk_of_several_models_changes_nothing(
    truth: Any, pred: Any, weight: Any, said: str
) -> None:
    counter = counted([("low",) * 4], oe.Accumulator(LEVELS, MODELS))
    with pytest.raises(oe.LabelError, match=said):
        counter.update(truth, pred, weight)
    assert counter.joint_counts().sum() == 1


def test_several_models_are_not_taken_for_one() -> None:
    counter = counted([("low",) * 4], oe.Accumulator(LEVELS, MODELS))
    assert repr(counter).endswith("models=['a', 'b', 'c']): 1 counted")
    with pytest.raises(oe.LabelError, match=r"confusion_matrix\('a'\)"):
        oe.score(counter)
    with pytest.raises(oe.LabelError, match="one model without a name; got 'a'"):
        oe.Accumulator(LEVELS).confusion_matrix("a")
    with pytest.raises(oe.LabelError, match=r"models=\[\.\.\.\]"):
        oe.Accumulator(LEVELS).joint_counts()
    others = (oe.Accumulator(LEVELS), oe.Accumulator(LEVELS, ("b", "a", "c")))
    for other in (*others, oe.Accumulator(LEVELS[::-1], MODELS), counter.confusion_matrix("a")):
        with pytest.raises(oe.ScaleError):
            counter.merge(other)
    with pytest.raises(oe.ScaleError, match="the same models"):
        others[0].merge(counter)
    for names in ("ab", ["a"], ["a", "a"], [1, 2]):
        with pytest.raises(oe.LabelError, match="different names of two models or more"):
            oe.Accumulator(LEVELS, names)  # type: ignore[arg-type]
    with pytest.raises(oe.LabelError, match="100,000,000 cells"):
        oe.Accumulator(range(10), [str(i) for i in range(7)])
    counter.reset()
    assert counter.joint_counts().sum() == 0


def test_an_accumulator_goes_straight_into_score() -> None:
    counter = oe.Accumulator(LEVELS)
    counter.update(LEVELS * 40, [LEVELS[0], *LEVELS[:2]] * 40)
    expected = oe.score(counter.confusion_matrix(), metrics=["cem_ord", "accuracy"])
    assert oe.score(counter, metrics=["cem_ord", "accuracy"]).to_json() == expected.to_json()


def test_models_that_were_accumulated_are_compared_as_their_labels_are() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 5, 300)
    preds = {m: np.clip(truth + rng.integers(-1, 2, 300), 1, 4) for m in MODELS}
    counter = oe.Accumulator([1, 2, 3, 4], MODELS)
    for part in np.array_split(np.arange(300), 4):
        counter.update(truth[part], {m: p[part] for m, p in preds.items()})
    options: dict[str, Any] = {"reference": "b", "margin": 0.1}
    expected = oe.compare(truth, preds, ["weighted_kappa"], labels=[1, 2, 3, 4], **options)
    found = oe.compare(counter, metrics=["weighted_kappa"], **options)
    assert found.to_json() == expected.to_json()
    with pytest.raises(oe.LabelError, match="need labels, not counts"):
        oe.compare(counter, clusters=[1, 2])
    with pytest.raises(oe.ScaleError, match="labels="):
        oe.compare(counter, labels=[4, 3, 2, 1])
    with pytest.raises(oe.LabelError, match="nothing has been counted yet"):
        oe.compare(oe.Accumulator(LEVELS, MODELS))
    with pytest.raises(oe.LabelError, match="joint counts need several models"):
        oe.compare(oe.Accumulator(LEVELS))


@pytest.fixture
def busy() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("models", [None, ["a", "b"]])
def test_four_threads_lose_no_item(models: list[str] | None, busy: None) -> None:
    counter = oe.Accumulator([1, 2, 3], models, missing="drop")
    other = oe.Accumulator([1, 2, 3], models, missing="drop")
    pred: Any = [1, 2, 2, 3] if models is None else {"a": [1, 2, 2, 3], "b": [1, 1, 1, 3]}
    other.update([1, 2, None, 3], pred)

    def work() -> None:
        for _ in range(100):
            counter.update([1, 2, 3, None], pred)
            counter.merge(other)

    in_threads(work)
    counted = counter.confusion_matrix(models and "a")
    assert counted.total == 4 * 100 * 6
    assert counted.counts.tolist() == [[800, 0, 0], [0, 800, 0], [0, 400, 400]]
    assert counter.dropped.missing == 4 * 100 * 2


def test_accumulators_are_merged_into_each_other_at_once(busy: None) -> None:
    first, second = (oe.Accumulator([1, 2]) for _ in range(2))
    turns = iter([(first, second), (second, first)] * 2)

    def work() -> None:
        into, other = next(turns)
        for _ in range(200):
            into.merge(other)
            into.merge(into)

    in_threads(work)  # nobody waits for the other forever
    assert first.confusion_matrix().total == second.confusion_matrix().total == 0


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("models", [None, ["a", "b"]])
def test_copies_count_on_their_own(copied: Any, models: list[str] | None) -> None:
    counter = oe.Accumulator([1, 2], models)
    pred: Any = [1, 1] if models is None else {"a": [1, 1], "b": [2, 2]}
    counter.update([1, 2], pred)
    twin = copied(counter)
    for each, times in ((counter, 1), (twin, 2)):
        for _ in range(times):
            each.update([1, 2], pred)
        each.merge(each)
        assert each.confusion_matrix(models and "b").total == 4 * (1 + times)
