"""Rows: what engines give back becomes matrices, items and subgroups, the same wherever it lay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.asking import of_frame
from tests.predictions import LEVELS, TABLE

import ordeval as oe
from ordeval.data.query import Query
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource
from ordeval.data.sources.rows import DistinctRows, count_models, joint_items
from ordeval.data.subgroups import split_rows, subgroups_of


class Made:
    """A source that makes its rows up, and remembers how many models were read at a time."""

    def __init__(self, rows: int, by: bool, once: bool = False) -> None:
        self.size, self.by, self.once = rows, by, once
        self.passes: list[int] = []

    def rows(self, columns: Sequence[str], weight: str | None = None) -> DistinctRows:
        self.passes.append(sum(c.startswith("m") for c in columns))
        values: dict[str, list[Any]] = {c: [i % 5 for i in range(self.size)] for c in columns}
        values |= {"g": list(range(self.size))} if self.by else {}
        return DistinctRows(columns=values, count=np.ones(self.size, dtype=np.int64))


@pytest.mark.parametrize(
    ("k", "models", "by", "passes"),
    [
        (5, 5, False, [5]),
        (5, 10, False, [5, 5]),
        (None, 5, False, [1, 4]),
        (5, 3, True, [1, 1, 1]),
        (50, 3, False, [1, 2]),  # of 50 classes only five occur
        (500, 3, False, [1, 1, 1]),
    ],
)
def test_models_are_read_in_batches(
    k: int | None, models: int, by: bool, passes: list[int]
) -> None:
    source, names = Made(4500 if by else 25, by), [f"m{i}" for i in range(models)]
    labels = None if k is None else range(k)
    query = Query.of("y", names, labels=labels, by="g" if by else None)
    found = count_models(source, query)
    assert source.passes == passes
    assert list(found) == names
    assert all(c.counts.sum() == source.size for c in found.values())


def test_what_can_be_read_once_is_read_once() -> None:
    source, names = Made(25, by=False, once=True), [f"m{i}" for i in range(20)]
    count_models(source, Query.of("y", names, labels=range(500)))
    assert source.passes == [20]
    assert FileSource("-").once
    assert not FileSource("preds.csv").once
    assert not FrameSource(TABLE).once


def test_subgroups_may_be_several_columns_and_may_be_missing() -> None:
    frame = pl.DataFrame(
        {"y": [1, 2, 2, 1], "p": [1, 2, 1, 1], "a": ["x", "x", "y", None], "b": [10, 9, 9, 9]}
    )
    with pytest.raises(oe.LabelError) as caught:
        oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2], by=["a", "b"])
    assert str(caught.value) == (
        "1 item has no value in 'a' or 'b', which define the subgroups. Fill it in, or use "
        'missing="drop" to drop it.'
    )
    cm = oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2], by=["a", "b"], missing="drop")
    assert cm.by == (("x", 9), ("x", 10), ("y", 9))
    assert cm.dropped == oe.results.Dropped(missing=1)
    assert cm[1:].by == (("x", 10), ("y", 9))
    assert cm[0].by is None
    assert cm[cm.total > 5].by == ()
    assert (cm + cm).by == cm.T.by == cm.by
    with pytest.raises(oe.CountsError, match="same subgroups, in the same order"):
        cm[:2] + cm[1:]
    with pytest.raises(oe.LabelError, match="list of different columns"):
        oe.ConfusionMatrix.from_frame(frame, "y", ["p", "p"], [1, 2])
    with pytest.raises(oe.LabelError, match=r"^pred takes a column, or a list of different"):
        oe.ConfusionMatrix.from_frame(frame, "y", [], [1, 2])


def test_several_items_without_a_subgroup() -> None:
    frame = pl.DataFrame({"y": [1, 2] * 3, "p": [1, 1] * 3, "a": ["x", None] * 3})
    with pytest.raises(oe.LabelError) as caught:
        oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2], by="a")
    assert str(caught.value) == (
        "3 items have no value in 'a', which defines the subgroups. Fill it in, or use "
        'missing="drop" to drop them.'
    )


def test_a_seed_means_the_same_wherever_the_rows_are() -> None:
    n = TABLE.num_rows
    table = TABLE.append_column("who", [[f"p{i % 100}" for i in range(n)]])
    shuffled = table.take(np.random.default_rng(0).permutation(n))
    options: dict[str, Any] = {
        "labels": LEVELS, "metrics": ["cem_ord"], "n_resamples": 99, "rng": 0, "clusters": "who",
    }  # fmt: skip
    results = {
        (str(type(frame)), weight): [
            (d.low, d.p_value)
            for d in of_frame(oe.compare, frame, "y", ["a", "b"], weight=weight, **options).pairs
        ]
        for frame in (table.to_pandas(), shuffled, pl.from_arrow(shuffled).lazy())  # type: ignore[union-attr]
        for weight in (None, "w")
    }
    assert len({str(x) for (_, weight), x in results.items() if weight is None}) == 1
    assert len({str(x) for (_, weight), x in results.items() if weight}) == 1


QUICK: dict[str, Any] = {"labels": [1, 2], "metrics": ["accuracy"], "n_resamples": 99, "rng": 0}


NO_CLUSTER = r"^\d items? ha(s|ve) no value in '(g|who)', which defines the clusters\."


def test_clusters_are_told_apart_by_kind() -> None:
    truth, pred = [1, 2] * 4, [1, 1] * 4
    four = oe.compare(truth, {"m": pred}, clusters=[1, "1", 2, "2"] * 2, **QUICK)
    assert four.clusters == 4
    frame = pd.DataFrame({"y": truth, "p": pred, "g": ["a", None, "b", "c"] * 2})
    with pytest.raises(oe.LabelError, match=NO_CLUSTER):
        of_frame(oe.compare, frame, "y", ["p"], clusters="g", **QUICK)


def test_items_without_a_cluster_are_dropped_if_asked() -> None:
    frame = pl.DataFrame({"y": [1, 2] * 20, "p": [1, 1] * 20, "who": [*range(39), None]})
    with pytest.raises(oe.LabelError, match=NO_CLUSTER):
        of_frame(oe.compare, frame, "y", ["p"], clusters="who", **QUICK)
    result = of_frame(oe.compare, frame, "y", ["p"], clusters="who", missing="drop", **QUICK)
    assert (result.items, result.left_out) == (39, 1)
    assert result.dropped["who"] == oe.results.Dropped(missing=1)


def test_clusters_within_clusters_are_columns() -> None:
    """Patient 1 of one hospital is not patient 1 of the other."""
    frame = pl.DataFrame(
        {"y": [1, 2] * 40, "p": [1, 1] * 40, "site": ["A", "B"] * 40, "who": [*range(40)] * 2}
    )
    both = of_frame(oe.compare, frame, "y", ["p"], clusters=["site", "who"], **QUICK)
    assert both.clusters == 40
    moved = frame.with_columns(who=pl.col("who") // 2)
    assert of_frame(oe.compare, moved, "y", ["p"], clusters="who", **QUICK).clusters == 20
    assert of_frame(oe.compare, moved, "y", ["p"], clusters=["site", "who"], **QUICK).clusters == 40
    missing = moved.with_columns(site=pl.when(pl.col("who") == 3).then(None).otherwise("site"))
    result = of_frame(
        oe.compare, missing, "y", ["p"], clusters=["site", "who"], missing="drop", **QUICK
    )
    assert result.dropped["site, who"] == oe.results.Dropped(missing=4)
    assert result.left_out == 4


def rows_of(**columns: list[Any]) -> DistinctRows:
    (first, *_) = columns.values()
    return DistinctRows(columns=columns, count=np.arange(1, len(first) + 1))


def test_the_order_of_rows_does_not_depend_on_the_engine() -> None:
    rows = rows_of(y=["b", "a", "a", None], p=[2, 10, 2, 1])
    ordered = rows.in_order()
    assert ordered.columns == {"y": [None, "a", "a", "b"], "p": [1, 10, 2, 2]}
    assert ordered.count.tolist() == [4, 2, 3, 1]
    backwards = rows.take(np.array([3, 2, 1, 0]))
    assert backwards.in_order().columns == ordered.columns


def in_subgroups(rows: DistinctRows) -> dict[Any, DistinctRows]:
    return split_rows(rows, *subgroups_of(rows, Query.of("y", "p", by="g")))


def test_subgroups_are_split_in_order_and_keep_their_weights() -> None:
    rows = replace(rows_of(y=[1, 2, 1], p=[1, 1, 2], g=[10, 9, 10]), weight=np.array([0.5, 1, 2]))
    parts = in_subgroups(rows)
    assert list(parts) == [9, 10]
    assert parts[10].columns == {"y": [1, 1], "p": [1, 2], "g": [10, 10]}
    assert parts[10].count.tolist() == [1, 3]
    assert parts[10].weight is not None
    assert parts[10].weight.tolist() == [0.5, 2]


def test_subgroups_that_cannot_be_sorted_go_as_they_print() -> None:
    parts = in_subgroups(rows_of(g=[2j, 1, "b", 1j]))
    assert list(parts) == ["1", "1j", "2j", "b"]
    parts = in_subgroups(rows_of(g=[2j, 1j]))
    assert list(parts) == [1j, 2j]


def test_subgroups_of_several_types_are_told_apart_by_their_text() -> None:
    parts = in_subgroups(rows_of(g=[1, "1", 2, "b", 1]))
    assert [(key, int(x.count.sum())) for key, x in parts.items()] == [("1", 8), ("2", 3), ("b", 4)]


@pytest.mark.parametrize(
    ("written", "labels", "positions"),
    [
        (["1", "2", "10"], None, [0, 1, 9]),
        (["1", "2.0", "10"], [1, 2, 10], [0, 1, 2]),
        (["1", "2.5", "-1."], [-1.0, 1.0, 2.5], [1, 2, 0]),
        (["01", "1", "2"], ["01", "1", "2"], [0, 1, 2]),
        (["1", "2", "3"], ["3", "2", "1"], [2, 1, 0]),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::ordeval.EmptyLevelWarning")
def test_numbers_written_as_text_follow_the_labels(
    written: list[str], labels: Any, positions: list[int]
) -> None:
    rows = replace(rows_of(y=written, p=written), text=True)
    items, clusters = joint_items(rows, Query.of("y", "p", labels=labels))
    assert items.y_true.tolist() == items.y_pred["p"].tolist() == positions
    assert items.count.tolist() == [1, 2, 3]
    assert clusters is None


def test_text_of_a_frame_is_no_number() -> None:
    with pytest.raises(oe.LabelError, match="of type int, this label is of type str"):
        joint_items(rows_of(y=["1"], p=["1"]), Query.of("y", "p", labels=[1, 2]))


def test_what_is_left_out_is_told_for_items_not_rows() -> None:
    rows = rows_of(y=[1, None, 2], p=[1, 1, 9], q=[1, 1, 2])
    query = Query.of("y", ["p", "q"], labels=[1, 2], unknown="drop", missing="drop")
    items, _ = joint_items(rows, query)
    assert (items.n, items.left_out) == (1, 5)
    assert items.dropped == {"y": oe.results.Dropped(missing=2), "p": oe.results.Dropped(unknown=3)}


def test_every_subgroup_is_on_the_scale_of_all(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("g,y,p\n" + "a,1,1\na,1,2\nb,3,3\nb,2,3\n" * 6)
    stack = oe.ConfusionMatrix.from_file(path, "y", "p", by="g")
    assert stack.scale == oe.Scale.range(1, 3)
    by = oe.compare(
        oe.Predictions.from_file(path, "y", ["p"], by="g"), ["accuracy"], n_resamples=19, rng=0
    )
    assert {c.scale for c in by.values()} == {stack.scale}
