"""Values that a mask hides, names of frames without rows, what NumPy would turn into numbers."""

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe

LEVELS = ["l", "m", "h"]
TURNED = {"h": [0, 0, 9], "l": [9, 0, 0], "m": [0, 9, 0]}
FRAMES = [pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_counts_name_the_levels_in_order(frame: Any) -> None:
    for door in (
        lambda: oe.ConfusionMatrix(frame(TURNED), labels=LEVELS),
        lambda: oe.score(frame(TURNED), None, ["accuracy"], labels=LEVELS, level=None),
    ):
        with pytest.raises(oe.OrdevalError, match="the labels are"):
            door()
    with pytest.raises(oe.ScaleError, match="is not declared"):
        oe.mean_signed_error.from_confusion(frame(TURNED))
    right = oe.ConfusionMatrix(frame({x: TURNED[x] for x in LEVELS}), labels=LEVELS)
    assert right.counts.tolist() == [[9, 0, 0], [0, 9, 0], [0, 0, 9]]


def test_a_mapping_is_no_scale() -> None:
    with pytest.raises(oe.ScaleError, match="A mapping has no order"):
        oe.mean_absolute_error(["l", "h"], ["m", "m"], labels={"h": 2, "l": 0, "m": 1})


MASKED = np.ma.array([0.1, 0.9, 0.3], mask=[0, 1, 0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: oe.compare_folds({"a": MASKED, "b": [0.2, 0.3, 0.35]}, folds=3, metric="cem_ord"),
        lambda: oe.compare_cases({"a": MASKED, "b": [0.2, 0.3, 0.35]}, metric="cem_ord"),
        lambda: oe.ranked_probability_score(
            [0, 1], np.ma.array([[0.5, 0.5], [1.0, 0]], mask=[[0, 0], [1, 1]]), labels=[0, 1]
        ),
        lambda: oe.confidence_interval(
            "accuracy", [1, 2] * 3, [1, 2] * 3, labels=[1, 2],
            clusters=np.ma.array([1, 1, 2, 2, 3, 3], mask=[0, 0, 0, 0, 0, 1]),
        ),
        lambda: oe.expected_cost(
            [1, 2], [1, 1], labels=[1, 2], cost=np.ma.array([[0, 1], [5, 0]], mask=[[0, 0], [1, 0]])
        ),
    ],
)  # fmt: skip
def test_what_a_mask_hides_is_not_used(call: Any) -> None:
    with pytest.raises(oe.OrdevalError):
        call()


@pytest.mark.parametrize(
    "weights",
    [
        np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
        np.array([1, 2], dtype="m8[s]"),
        np.array([1 + 2j, 1 + 0j]),
        [1 + 2j, 1],
        pl.Series(["2020-01-01", "2021-01-01"]).str.to_date(),
    ],
)
def test_dates_and_complex_numbers_are_no_weights(weights: Any) -> None:
    with pytest.raises(oe.LabelError, match="neither dates nor complex ones"):
        oe.mean_absolute_error([1, 2], [1, 1], labels=[1, 2], sample_weight=weights)


def test_integers_beyond_64_bits_with_a_sign() -> None:
    labels = np.array([2**63, 2**63 + 1], dtype=np.uint64)
    assert oe.accuracy(labels, labels) == 1.0
    assert oe.accuracy(labels, labels[::-1]) == 0.0
