"""Columns of probabilities and scores, in frames and files: the values are those of arrays."""

from __future__ import annotations

import gzip
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.asking import of_file, of_frame
from tests.engines import ENGINES

import ordeval as oe
from ordeval.data.sources.frames import is_lazy
from ordeval.data.sources.output_columns import each_item

# The engines' own; ours are errors as everywhere.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

LEVELS = ["low", "medium", "high"]
N = 900
LOSSES = ["ranked_probability_score", "ranked_probability_skill_score", "ordinal_log_loss"]
METRICS = [*LOSSES, "concordance_index", "accuracy"]


def _forecasts(seed: int, sharp: float) -> Any:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(N, 3))
    score[np.arange(N), Y] += sharp
    prob = np.exp(score)
    return prob / prob.sum(axis=1, keepdims=True)


Y = np.random.default_rng(5).integers(0, 3, N)
PROB = {"a": _forecasts(1, 1.5), "b": _forecasts(2, 1.2)}
SCORE = {"sa": PROB["a"] @ np.arange(3.0), "sb": PROB["b"] @ np.arange(3.0)}
W = np.random.default_rng(6).integers(1, 9, N) / 8
PATIENT = [f"P{i // 3}" for i in range(N)]
SITE = [f"site {i % 3}" for i in range(N)]
WORDS = np.array(LEVELS)[Y].tolist()
TABLE = pa.table(
    {
        "y": WORDS,
        "y_int": pa.array(Y, pa.int64()),
        # In no order: the names say which is which.
        **{
            f"{m}_{x}": PROB[m][:, LEVELS.index(x)] for m in PROB for x in ("high", "low", "medium")
        },
        **{f"p{i}": PROB["a"][:, i] for i in range(3)},
        **SCORE,
        "pred": np.array(LEVELS)[PROB["b"].argmax(axis=1)].tolist(),
        "w": W,
        "patient": PATIENT,
        "site": SITE,
    }
)


@pytest.fixture(scope="module", params=ENGINES)
def frame(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    with ExitStack() as stack:
        yield ENGINES[request.param](TABLE, stack, Path(tmp_path_factory.mktemp("engine")))


def assert_same(here: Any, there: Any) -> None:
    """Two comparisons have the same values, intervals and tests."""
    assert here.models == there.models
    assert (here.items, here.clusters, here.left_out) == (
        there.items, there.clusters, there.left_out,
    )  # fmt: skip
    for metric, by_model in there.estimates.items():
        for model, b in by_model.items():
            a = here.estimates[metric][model]
            assert (a.estimate, a.low, a.high) == pytest.approx(
                (b.estimate, b.low, b.high), rel=0, abs=1e-9
            )
    for a, b in zip(here.deltas(), there.deltas(), strict=True):
        assert (a.delta, a.low, a.high, a.p_value) == pytest.approx(
            (b.delta, b.low, b.high, b.p_value), rel=0, abs=1e-9
        )


NESTED = [SITE, PATIENT]
INTEGERS = ["p0", "p1", "p2"]
PREFIXES = {"a": "a_", "b": ["b_high", "b_low", "b_medium"]}


def test_probabilities_of_every_engine(frame: Any) -> None:
    here = oe.compare(
        oe.Predictions.from_frame(frame, "y", prob=PREFIXES, labels=LEVELS), metrics=METRICS
    )
    assert_same(here, oe.compare(WORDS, PROB, METRICS, labels=LEVELS))


def test_weights_and_clusters_of_every_engine(frame: Any) -> None:
    here = oe.compare(
        oe.Predictions.from_frame(
            frame, "y", prob=PREFIXES, labels=LEVELS, weight="w", clusters="patient"
        ),
        metrics=METRICS,
    )
    there = oe.compare(WORDS, PROB, METRICS, labels=LEVELS, sample_weight=W, clusters=PATIENT)
    assert_same(here, there)


def test_losses_alone_of_every_engine(frame: Any) -> None:
    by_place = {m: [f"{m}_{x}" for x in LEVELS] for m in PROB}
    for options, arrays in (
        ({}, {}),
        ({"clusters": "patient"}, {"clusters": PATIENT}),
        ({"weight": "w"}, {"sample_weight": W}),
    ):
        here = of_frame(
            oe.compare, frame, "y", metrics=LOSSES, prob=by_place, labels=LEVELS, **options
        )
        assert_same(here, oe.compare(WORDS, PROB, LOSSES, labels=LEVELS, **arrays))


SUMS = [
    "ranked_probability_score", "ranked_probability_skill_score", "normalized_match_distance",
    oe.threshold_brier.with_params(at_least=LEVELS[2]), "accuracy", "average_mae",
]  # fmt: skip


@contextmanager
def no_items_read(frame: Any) -> Iterator[None]:
    """Fails if the items of a lazy frame are read one by one."""
    with mock.patch("ordeval.data.description.each_item") as read:
        read.side_effect = each_item
        yield
        assert read.called is not is_lazy(frame)


def test_losses_are_summed_where_they_are(frame: Any) -> None:
    same, prefixes = PROB | {"again": PROB["a"]}, PREFIXES | {"again": "a_"}
    for decide in ("mode", "median"):
        with no_items_read(frame):
            here = oe.compare(
                oe.Predictions.from_frame(frame, "y", prob=prefixes, labels=LEVELS, decide=decide),
                metrics=SUMS,
            )
        there = oe.compare(WORDS, same, SUMS, labels=LEVELS, decide=decide)
        assert_same(here, there)
        assert here.matrices == there.matrices
        assert str(here) == str(there)


def test_one_model_is_summed_where_it_is(frame: Any) -> None:
    with no_items_read(frame):
        metrics = ["wasserstein", oe.ranked_probability_score.with_params(normalize=True)]
        here = oe.score(
            oe.Predictions.from_frame(frame, "y_int", prob=INTEGERS, labels=range(3)),
            metrics=metrics,
        )
    there = oe.score(Y, PROB["a"], metrics, labels=range(3))
    assert str(here) == str(there)
    assert here.confusion == there.confusion


def test_scores_of_every_engine(frame: Any) -> None:
    here = oe.compare(
        oe.Predictions.from_frame(frame, "y", score=["sa", "sb"], labels=LEVELS, clusters="patient")
    )
    there = oe.compare(WORDS, SCORE, labels=LEVELS, outputs="scores", clusters=PATIENT)
    assert_same(here, there)
    assert here.models == ("sa", "sb")
    alone = oe.score(oe.Predictions.from_frame(frame, "y", score="sa", labels=LEVELS, weight="w"))
    assert dict(alone) == pytest.approx(
        dict(oe.score(WORDS, SCORE["sa"], labels=LEVELS, outputs="scores", sample_weight=W))
    )


def test_subgroups_of_every_engine(frame: Any) -> None:
    parts = oe.compare(
        oe.Predictions.from_frame(frame, "y", prob=PREFIXES, labels=LEVELS, by="site"),
        metrics=METRICS,
    )
    scores = oe.score(
        oe.Predictions.from_frame(frame, "y", prob="a_", labels=LEVELS, by="site"), metrics=METRICS
    )
    assert scores.by == tuple(parts) == ("site 0", "site 1", "site 2")
    for g, site in enumerate(scores.by):
        here = np.array(SITE) == site
        words = np.array(WORDS)[here].tolist()
        assert_same(
            parts[site],
            oe.compare(words, {m: p[here] for m, p in PROB.items()}, METRICS, labels=LEVELS),
        )
        alone = oe.score(words, PROB["a"][here], METRICS, labels=LEVELS)
        for name in METRICS:
            assert scores[name][g] == pytest.approx(alone[name], abs=1e-12)
            assert scores.found[name].low[g] == pytest.approx(alone.intervals[name].low, abs=1e-9)
            assert scores.found[name].rest[g] == pytest.approx(
                oe.score(np.array(WORDS)[~here].tolist(), PROB["a"][~here], METRICS, labels=LEVELS,
                         level=None)[name]
            )  # fmt: skip


# Files


def write_csv(path: Path, table: pa.Table) -> None:
    table.to_pandas().to_csv(path, index=False)


def write_packed(path: Path, table: pa.Table) -> None:
    with gzip.open(path, "wt") as file:
        table.to_pandas().to_csv(file, index=False, sep=";")


def write_quoted(path: Path, table: pa.Table) -> None:
    """With a line break in a name, which only Python's reader takes."""
    table = table.append_column("note", [["x\ny"] * len(table)])
    table.to_pandas().to_csv(path, index=False)


def write_json(path: Path, table: pa.Table) -> None:
    path.write_text("\n".join(json.dumps(row) for row in table.to_pylist()))


def write_duckdb(path: Path, table: pa.Table) -> None:
    with duckdb.connect(str(path)) as db:
        db.from_arrow(table).create("preds")


def write_sqlite(path: Path, table: pa.Table) -> None:
    with sqlite3.connect(path) as db:
        table.to_pandas().to_sql("preds", db, index=False)


FILES: dict[str, Callable[[Path, pa.Table], None]] = {
    "preds.csv": write_csv,
    "packed.csv.gz": write_packed,
    "quoted.csv": write_quoted,
    "preds.parquet": lambda path, table: pyarrow.parquet.write_table(table, path),
    "preds.jsonl": write_json,
    "preds.arrow": lambda path, table: pyarrow.feather.write_feather(table, path),
    "preds.duckdb": write_duckdb,
    "preds.sqlite": write_sqlite,
}


@pytest.mark.parametrize("name", FILES)
def test_every_file(name: str, tmp_path: Path) -> None:
    FILES[name](tmp_path / name, TABLE)
    here = oe.compare(
        oe.Predictions.from_file(
            tmp_path / name, "y", prob=PREFIXES, labels=LEVELS, weight="w", clusters="patient"
        ),
        metrics=METRICS,
    )
    there = oe.compare(WORDS, PROB, METRICS, labels=LEVELS, sample_weight=W, clusters=PATIENT)
    assert_same(here, there)
    losses = oe.score(
        oe.Predictions.from_file(tmp_path / name, "y", prob="a_", labels=LEVELS), metrics=LOSSES
    )
    alone = oe.score(WORDS, PROB["a"], LOSSES, labels=LEVELS)
    assert dict(losses) == pytest.approx(dict(alone), abs=1e-12)
    scores = oe.score(oe.Predictions.from_file(tmp_path / name, "y_int", score="sa"))
    assert scores["concordance_index"] == pytest.approx(
        oe.concordance_index(Y, y_score=SCORE["sa"])
    )


def test_several_files_are_one(tmp_path: Path) -> None:
    write_csv(tmp_path / "1.csv", TABLE[:200])
    write_csv(tmp_path / "2.csv", TABLE[200:])
    for kind in ("", "clinic=A", "clinic=B"):
        (tmp_path / "parts" / kind).mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(TABLE[:500], tmp_path / "parts" / "clinic=A" / "x.parquet")
    pyarrow.parquet.write_table(TABLE[500:], tmp_path / "parts" / "clinic=B" / "x.parquet")
    there = oe.compare(WORDS, PROB, METRICS, labels=LEVELS)
    for path in (tmp_path / "*.csv", tmp_path / "parts"):
        here = oe.compare(
            oe.Predictions.from_file(path, "y", prob=PREFIXES, labels=LEVELS), metrics=METRICS
        )
        assert_same(here, there)
    by = oe.score(
        oe.Predictions.from_file(tmp_path / "parts", "y", prob="a_", labels=LEVELS, by="clinic"),
        metrics=LOSSES,
    )
    assert by.by == ("A", "B")
    assert by.confusion.total.tolist() == [500, 400]


def test_standard_input(tmp_path: Path) -> None:
    write_csv(tmp_path / "x.csv", TABLE)
    given = BytesIO((tmp_path / "x.csv").read_bytes())
    with mock.patch.object(sys, "stdin", TextIOWrapper(given, "utf-8")):
        scores = oe.score(
            oe.Predictions.from_file("-", "y", prob="a_", labels=LEVELS), metrics=LOSSES
        )
    assert dict(scores) == pytest.approx(dict(oe.score(WORDS, PROB["a"], LOSSES, labels=LEVELS)))
    with pytest.raises(oe.LabelError, match="standard input is read only once"):
        oe.score(oe.Predictions.from_file("-", "y", prob="a_"))


# Levels


def numbered(first: int) -> pl.DataFrame:
    """Columns that are numbered, and a truth that lacks the highest level."""
    truth = np.minimum(Y, 1) + first
    return pl.DataFrame({"y": truth, **{f"p{i + first}": PROB["a"][:, i] for i in range(3)}})


@pytest.mark.parametrize("first", [0, 1, 7])
def test_integers_in_names_are_levels(first: int) -> None:
    table = numbered(first)
    declared = oe.score(
        oe.Predictions.from_frame(table, "y", prob="p", labels=range(first, first + 3)),
        metrics=LOSSES[:1],
    )
    assert dict(
        oe.score(oe.Predictions.from_frame(table, "y", prob="p"), metrics=LOSSES[:1])
    ) == dict(declared)
    listed = [f"p{i + first}" for i in (2, 0, 1)]
    assert dict(
        oe.score(oe.Predictions.from_frame(table, "y", prob=listed), metrics=LOSSES[:1])
    ) == dict(declared)


def test_columns_that_are_counted_are_in_order() -> None:
    table = pl.DataFrame({"y": WORDS, **{f"p{i + 1}": PROB["a"][:, i] for i in range(3)}})
    listed = ["p1", "p2", "p3"]
    scores = oe.score(
        oe.Predictions.from_frame(table, "y", prob=listed, labels=LEVELS), metrics=LOSSES
    )
    assert dict(scores) == pytest.approx(dict(oe.score(WORDS, PROB["a"], LOSSES, labels=LEVELS)))
    with pytest.raises(oe.LabelError, match="do not name the levels"):
        oe.score(oe.Predictions.from_frame(table, "y", prob=["p3", "p1", "p2"], labels=LEVELS))


def test_an_order_that_the_truth_declares() -> None:
    table = TABLE.to_pandas()
    table["y"] = pd.Categorical(table["y"], LEVELS, ordered=True)
    assert_same(
        oe.compare(oe.Predictions.from_frame(table, "y", prob=PREFIXES), metrics=LOSSES),
        oe.compare(WORDS, PROB, LOSSES, labels=LEVELS),
    )


# What models give


def test_labels_beside_probabilities_are_compared_by_labels() -> None:
    here = oe.compare(
        oe.Predictions.from_frame(TABLE, "y", "pred", prob={"a": "a_"}, labels=LEVELS)
    )
    pred = TABLE["pred"].to_pylist()
    there = oe.compare(WORDS, {"pred": pred, "a": PROB["a"]}, labels=LEVELS)
    assert_same(here, there)
    assert here.outputs == "labels"
    assert any("pred gives labels" in note for note in here.notes)


@pytest.mark.parametrize("decide", ["mode", "median", [[0, 1, 9], [1, 0, 1], [9, 1, 0]]])
def test_the_rule_of_decision(decide: Any) -> None:
    here = oe.score(
        oe.Predictions.from_frame(TABLE, "y", prob="a_", labels=LEVELS, decide=decide),
        metrics=["accuracy"],
    )
    there = oe.score(WORDS, PROB["a"], ["accuracy"], labels=LEVELS, decide=decide)
    assert here.confusion == there.confusion
    assert dict(here) == dict(there)


def test_draws_from_columns() -> None:
    options: dict[str, Any] = {"method": "percentile", "n_resamples": 99, "rng": 3}
    metrics = [*LOSSES, "accuracy"]
    here = of_frame(
        oe.compare, TABLE, "y", metrics=metrics, prob=PREFIXES, labels=LEVELS, **options
    )
    there = oe.compare(WORDS, PROB, metrics, labels=LEVELS, **options)
    assert here.n_resamples == 99
    for m in metrics:
        a, b = here.estimates[m]["a"], there.estimates[m]["a"]
        assert a.low < a.estimate < a.high
        assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.4)


# Rows that do not fit


def with_holes() -> pl.DataFrame:
    table = pl.DataFrame(pl.from_arrow(TABLE))
    return table.with_columns(
        a_low=pl.when(pl.int_range(N) % 100 == 7).then(None).otherwise("a_low"),
        b_high=pl.when(pl.int_range(N) % 100 == 8).then(float("nan")).otherwise("b_high"),
        sa=pl.when(pl.int_range(N) == 4).then(None).otherwise("sa"),
    )


@pytest.mark.parametrize("name", ["polars", "polars lazy", "pandas", "duckdb", "preds.csv",
                                  "preds.parquet", "preds.jsonl", "preds.sqlite"])  # fmt: skip
def test_missing_numbers(name: str, tmp_path: Path) -> None:
    table = with_holes().to_arrow()
    with ExitStack() as stack:
        if name in FILES:
            FILES[name](tmp_path / name, table)
            read = partial(of_file, oe.compare, tmp_path / name, "y", labels=LEVELS)
        else:
            held = ENGINES[name](table, stack, tmp_path)
            read = partial(of_frame, oe.compare, held, "y", labels=LEVELS)
        with pytest.raises(oe.LabelError, match="9 items have a missing probability of a, the "
                           r"first in row 8\."):  # fmt: skip
            read(prob=PREFIXES)
        with pytest.raises(oe.LabelError, match="1 item has a missing score of sa, the first in ro"
                           r"w 5\."):  # fmt: skip
            read(score="sa")
        here = read(prob=PREFIXES, metrics=METRICS, missing="drop")
    kept = ~np.isin(np.arange(N) % 100, (7, 8))
    there = oe.compare(
        np.array(WORDS)[kept].tolist(), {m: p[kept] for m, p in PROB.items()}, METRICS,
        labels=LEVELS,
    )  # fmt: skip
    assert (here.items, here.left_out) == (N - 18, 18)
    assert here.dropped["a"].missing == here.dropped["b"].missing == 9
    assert here.estimates["accuracy"]["a"].estimate == there.estimates["accuracy"]["a"].estimate
    for m in LOSSES:
        assert here.estimates[m]["b"].high == pytest.approx(there.estimates[m]["b"].high)


@pytest.mark.parametrize("metrics", [SUMS, METRICS])
def test_what_a_lazy_engine_cannot_sum_is_read(metrics: list[Any]) -> None:
    """Rounded, missing, not distributions, perfect, from one cluster: as arrays say it."""
    rounded = TABLE.to_pandas().round({f"{m}_{x}": 4 for m in PROB for x in LEVELS})
    arrays = {m: rounded[[f"{m}_{x}" for x in LEVELS]].to_numpy() for m in PROB}
    here = oe.compare(
        oe.Predictions.from_frame(
            pl.from_pandas(rounded).lazy(), "y", prob=PREFIXES, labels=LEVELS
        ),
        metrics=metrics,
    )
    assert_same(here, oe.compare(WORDS, arrays, metrics, labels=LEVELS))
    holes = with_holes().lazy()
    with pytest.raises(oe.LabelError, match="9 items have a missing probability of a"):
        oe.compare(
            oe.Predictions.from_frame(holes, "y", prob=PREFIXES, labels=LEVELS), metrics=metrics
        )
    here = oe.compare(
        oe.Predictions.from_frame(holes, "y", prob=PREFIXES, labels=LEVELS, missing="drop"),
        metrics=metrics,
    )
    assert here.left_out == 18
    wrong = pl.from_arrow(TABLE).lazy().with_columns(a_low=pl.col("a_low") * 0.5)  # type: ignore[union-attr]
    with pytest.raises(oe.LabelError, match=r"each row of a must sum to 1; [0-9]+ of 900 do not"):
        oe.compare(
            oe.Predictions.from_frame(wrong, "y", prob=PREFIXES, labels=LEVELS), metrics=metrics
        )
    unknown = pl.from_arrow(TABLE).lazy().with_columns(y=pl.lit("hgih"))  # type: ignore[union-attr]
    with pytest.raises(oe.LabelError, match=r"y has .* outside the scale"):
        oe.compare(
            oe.Predictions.from_frame(unknown, "y", prob=PREFIXES, labels=LEVELS), metrics=metrics
        )
    with pytest.raises(oe.LabelError, match="only one distinct value"):
        of_frame(
            oe.compare,
            pl.from_arrow(TABLE).lazy().with_columns(patient=pl.lit("P")),  # type: ignore[union-attr]
            "y",
            metrics=metrics,
            prob=PREFIXES,
            labels=LEVELS,
            clusters="patient",
        )


def test_perfect_forecasts_of_a_lazy_engine() -> None:
    perfect = {f"p{i}": (i == Y).astype(float) for i in range(3)}
    lazy = pl.LazyFrame({"y": Y, **perfect, **{f"q{i}": perfect[f"p{i}"] for i in range(3)}})
    sums = [m if isinstance(m, str) else oe.threshold_brier.with_params(at_least=2) for m in SUMS]
    prob = np.stack(list(perfect.values()), axis=1)
    with no_items_read(lazy):
        here = oe.compare(
            oe.Predictions.from_frame(lazy, "y", prob={"p": "p", "q": "q"}, labels=range(3)),
            metrics=sums,
        )
    assert_same(here, oe.compare(Y, {"p": prob, "q": prob}, sums, labels=range(3)))


@pytest.mark.parametrize("metrics", [LOSSES, METRICS])
def test_rows_that_are_no_distribution(metrics: list[str]) -> None:
    table = TABLE.to_pandas()
    table.loc[4, "a_low"] = 0.9
    with pytest.raises(oe.LabelError, match=r"each row of a must sum to 1; 1 of 900 do not, the fir"
                       r"st is row 5: \["):  # fmt: skip
        oe.score(oe.Predictions.from_frame(table, "y", prob="a_", labels=LEVELS), metrics=metrics)
    table.loc[4, ["a_low", "a_medium"]] = [-0.5, 0.5 + 1 - table.loc[4, "a_high"]]
    with pytest.raises(oe.LabelError, match="must be between 0 and 1; 1 of 900"):
        oe.score(oe.Predictions.from_frame(table, "y", prob="a_", labels=LEVELS), metrics=metrics)


def test_probabilities_of_four_decimals_are_normalised() -> None:
    table = TABLE.to_pandas().round({f"a_{x}": 4 for x in LEVELS})
    rounded = table[[f"a_{x}" for x in LEVELS]].to_numpy()
    for metrics in (LOSSES, METRICS):
        here = oe.score(
            oe.Predictions.from_frame(table, "y", prob="a_", labels=LEVELS), metrics=metrics
        )
        there = oe.score(WORDS, rounded, metrics, labels=LEVELS)
        assert dict(here) == pytest.approx(dict(there), abs=1e-12)


@pytest.mark.parametrize("name", ["preds.csv", "quoted.csv", "preds.sqlite", "preds.parquet"])
def test_text_among_numbers(name: str, tmp_path: Path) -> None:
    table = TABLE.to_pandas().astype({"a_low": object})
    table.loc[2, "a_low"] = "NA?"
    if name == "preds.parquet":
        table["a_low"] = table["a_low"].astype(str)
    FILES[name](
        tmp_path / name, pa.Table.from_pandas(table) if name == "preds.parquet" else _Plain(table)
    )
    for metrics in (LOSSES, METRICS):
        with pytest.raises(oe.LabelError, match=r"'a_low' must hold numbers.* has 'NA\?'"):
            oe.score(
                oe.Predictions.from_file(tmp_path / name, "y", prob="a_", labels=LEVELS),
                metrics=metrics,
            )


class _Plain:
    """A table of pandas in the place of one of Arrow, which does not mix types."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def to_pandas(self) -> pd.DataFrame:
        return self.table

    def append_column(self, name: str, values: list[Any]) -> _Plain:
        return _Plain(self.table.assign(**{name: values[0]}))


def test_unknown_labels_and_lost_clusters() -> None:
    table = TABLE.to_pandas().astype({"patient": object})
    table.loc[[1, 2], "y"] = "hgih"
    table.loc[[2, 3, 4], "patient"] = None
    with pytest.raises(oe.LabelError, match="y has 2 labels outside the scale"):
        oe.score(oe.Predictions.from_frame(table, "y", prob="a_", labels=LEVELS))
    with pytest.raises(oe.LabelError, match="3 items have no value in 'patient'"):
        oe.score(
            oe.Predictions.from_frame(table, "y", prob="a_", labels=LEVELS, clusters="patient")
        )
    kept = np.ones(N, dtype=bool)
    kept[1:5] = False
    for metrics in (LOSSES, METRICS):
        here = oe.compare(
            oe.Predictions.from_frame(
                table,
                "y",
                prob=PREFIXES,
                labels=LEVELS,
                clusters="patient",
                missing="drop",
                unknown="drop",
            ),
            metrics=metrics,
        )
        there = oe.compare(
            np.array(WORDS)[kept].tolist(), {m: p[kept] for m, p in PROB.items()}, metrics,
            labels=LEVELS, clusters=np.array(PATIENT)[kept],
        )  # fmt: skip
        assert (here.items, here.left_out) == (N - 4, 4)
        for m in metrics:
            assert here.estimates[m]["a"].low == pytest.approx(there.estimates[m]["a"].low)
    by = oe.score(
        oe.Predictions.from_frame(
            table,
            "y",
            prob="a_",
            labels=LEVELS,
            clusters="patient",
            by="site",
            missing="drop",
            unknown="drop",
        ),
        metrics=LOSSES,
    )
    assert by.confusion.total.sum() == N - 4


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "name the columns of a model: pred for labels"),
    "an absent column": ({"prob": "q_"}, "there is no column 'q_low'"),
    "too few": ({"prob": ["a_low", "a_high"]}, "one column for each of the 3 levels.*2 columns"),
    "other names": ({"prob": ["a_low", "b_high", "sa"]}, "do not name the levels"),
    "a name twice": ({"prob": ["a_low", "a_low", "a_high"]}, "list of different columns"),
    "no names": ({"prob": {}}, "names no model"),
    "no text": ({"prob": {3: "a_"}}, "name of its own, a text"),
    "numbers": ({"prob": 3}, "a list of different columns; got 3"),
    "another model's": ({"pred": "pred", "prob": {"pred": "a_"}}, "column of another model"),
    "the truth": ({"score": "y"}, "truth and score name the same column"),
    "the truth again": ({"truth": "a_low", "prob": "a_"}, "truth and prob name the same column"),
    "text": ({"score": "pred"}, "'pred' must hold numbers"),
    "scores and labels": ({"score": "sa", "pred": "pred"}, "Compare models with the same kind"),
    "a rule": ({"prob": "a_", "decide": "mean"}, "tuned cut points or a K x K matrix"),
    "a measure of labels": ({"score": "sa", "metrics": ["accuracy"]}, "accuracy needs labels"),
    "a measure of probabilities": ({"pred": "pred", "prob": {"a": "a_"}, "metrics": LOSSES},
                                   "needs probabilities, but the models give labels"),
    "a reference": ({"prob": PREFIXES, "reference": "c"}, "reference must name one of the models"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    given, message = REFUSED[name]
    with pytest.raises((oe.LabelError, oe.ParameterError), match=message):
        of_frame(oe.compare, TABLE, **({"truth": "y", "labels": LEVELS} | given))


def test_several_models_are_scored_at_once() -> None:
    data = oe.Predictions.from_frame(TABLE, "y", "pred", prob="a_", labels=LEVELS)
    found = oe.score(data)
    assert isinstance(found, oe.results.ModelScores)
    assert list(found) == list(data.models) == ["pred", "a"]
    for model in data.models:
        assert dict(found[model]) == dict(oe.score(data[model]))


def test_scores_in_subgroups_are_compared() -> None:
    with pytest.raises(oe.ParameterError, match=r"oe\.compare\(\) accepts both, also for one"):
        oe.score(oe.Predictions.from_frame(TABLE, "y", score="sa", by="site", labels=LEVELS))
