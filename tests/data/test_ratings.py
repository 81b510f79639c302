"""Ratings through every way in, what is refused, and what adds over items against definitions."""

import copy
import json
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import ordeval as oe
from ordeval import Ratings

# Items by raters; None: not rated.
TABLE: list[list[int | None]] = [[1, 2, None], [3, 3, 2], [None, 4, 4], [2, None, None]]
CODES = [[0, 1, -1], [2, 2, 1], [-1, 3, 3], [1, -1, -1]]
NAMES = ("ann", "bob", "cem")
COLUMNS = {name: [row[i] for row in TABLE] for i, name in enumerate(NAMES)}
LONG = [
    {"item": i + 1, "rater": name, "rating": x}
    for i, row in enumerate(TABLE)
    for name, x in zip(NAMES, row, strict=True)
    if x is not None
]


def masked() -> Any:
    table = np.array([[x or 0 for x in row] for row in TABLE])
    return np.ma.MaskedArray(table, mask=table == 0)


WIDE: dict[str, Callable[[], Any]] = {
    "array": lambda: np.array(TABLE, dtype=np.float64),
    "array of objects": lambda: np.array(TABLE, dtype=object),
    "masked array": lambda: masked(),
    "rows": lambda: TABLE,
    "tuples": lambda: tuple(map(tuple, TABLE)),
    "mapping": lambda: COLUMNS,
    "pandas": lambda: pd.DataFrame(COLUMNS, index=pd.RangeIndex(1, 5)),
    "pandas, nullable": lambda: pd.DataFrame(COLUMNS, index=range(1, 5)).astype("Int64"),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
}


@pytest.mark.parametrize("labels", [None, range(1, 5)], ids=["implied", "declared"])
@pytest.mark.parametrize("kind", WIDE)
def test_wide_tables(kind: str, labels: Any) -> None:
    table = WIDE[kind]()
    named = kind in ("mapping", "polars", "pyarrow") or kind.startswith("pandas")
    ratings = Ratings(table, labels, raters=None if named else NAMES)
    assert ratings.codes.tolist() == CODES
    assert ratings.raters == NAMES
    assert list(ratings.items) == [1, 2, 3, 4]
    assert ratings.scale == oe.Scale(range(1, 5))
    assert ratings.implied is (labels is None)
    assert ratings.runs == {"ann": (0,), "bob": (1,), "cem": (2,)}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    match path.suffix:
        case ".csv":
            pl.DataFrame(rows).write_csv(path)
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        case _:
            path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def whole(ratings: Ratings) -> list[int]:
    """Names of items as numbers, which are texts in a CSV file."""
    return [int(str(name)) for name in ratings.items]


ENDINGS = (".csv", ".parquet", ".jsonl")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("labels", [None, range(1, 5)], ids=["implied", "declared"])
def test_long_files(tmp_path: Path, ending: str, labels: Any) -> None:
    ratings = Ratings.from_file(write(tmp_path / f"long{ending}", LONG), labels=labels)
    assert ratings.codes.tolist() == CODES
    assert ratings.raters == NAMES
    assert whole(ratings) == [1, 2, 3, 4]


@pytest.mark.parametrize("ending", ENDINGS)
def test_wide_files(tmp_path: Path, ending: str) -> None:
    rows = [{"id": i, **dict(zip(NAMES, row, strict=True))} for i, row in enumerate(TABLE)]
    path = write(tmp_path / f"wide{ending}", rows[::-1])
    ratings = Ratings.from_file(path, "id", raters=NAMES)
    assert ratings.codes.tolist() == CODES
    assert whole(ratings) == [0, 1, 2, 3]
    two = Ratings.from_file(path, "id", raters=["cem", "ann"], labels=range(1, 5))
    assert two.raters == ("cem", "ann")
    assert two.codes[:, 0].tolist() == [row[2] for row in CODES]


@pytest.mark.parametrize("ending", ENDINGS)
def test_items_of_files_are_in_the_order_of_numbers(tmp_path: Path, ending: str) -> None:
    """Answers of judges come in the order of the items, and 10 comes after 9 there."""
    rows = [{"item": i, "rater": "a", "rating": 1 + i % 3} for i in range(12)]
    long = Ratings.from_file(write(tmp_path / f"a{ending}", rows))
    assert whole(long) == list(range(12))
    assert (long.codes[:, 0] == np.arange(12) % 3).all()
    wide = Ratings.from_file(write(tmp_path / f"b{ending}", rows), raters=["rating"])
    assert whole(wide) == list(range(12))
    assert (wide.codes[:, 0] == np.arange(12) % 3).all()


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pyarrow": pa.Table.from_pylist,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_long_frames(kind: str) -> None:
    ratings = Ratings.from_long(FRAMES[kind](LONG))
    assert ratings.codes.tolist() == CODES
    assert ratings.raters == NAMES
    assert ratings.items == (1, 2, 3, 4)
    renamed = [{"u": r["item"], "who": r["rater"], "x": r["rating"]} for r in LONG]
    assert Ratings.from_long(FRAMES[kind](renamed), "u", "who", "x").codes.tolist() == CODES


@pytest.mark.parametrize("kind", FRAMES)
def test_a_missing_rating_of_a_long_frame_is_a_gap(kind: str) -> None:
    rows = [*LONG, {"item": 4, "rater": "bob", "rating": None}]
    assert Ratings.from_long(FRAMES[kind](rows)).codes.tolist() == CODES


def test_a_wide_frame_by_names_of_columns() -> None:
    frame = pl.DataFrame({"id": ["x", "y"], "a": [1, 2], "b": [2, None], "site": ["S", "T"]})
    ratings = Ratings.from_wide(frame, "id", ["a", "b"], clusters="site")
    assert ratings.items == ("x", "y")
    assert ratings.codes.tolist() == [[0, 1], [1, -1]]
    assert ratings.clusters == ("S", "T")
    assert Ratings(frame, raters=["b", "a"]).codes.tolist() == [[1, 0], [-1, 1]]


def test_items_come_from_the_index() -> None:
    frame = pd.DataFrame(COLUMNS, index=["w", "x", "y", "z"])
    assert Ratings(frame).items == ("w", "x", "y", "z")
    assert Ratings(frame, items=list("abcd")).items == ("a", "b", "c", "d")
    series = {name: frame[name] for name in frame}
    assert Ratings(series).items == ("w", "x", "y", "z")


def test_text_needs_an_order_and_ordered_categoricals_have_one() -> None:
    words = ["low", "mid", "high"]
    table: dict[str, list[str | None]] = {"a": ["low", "high", None], "b": ["mid", "high", "low"]}
    expected = [[0, 1], [2, 2], [-1, 0]]
    assert Ratings(table, words).codes.tolist() == expected
    kind = pd.CategoricalDtype(words, ordered=True)
    assert Ratings(pd.DataFrame(table).astype(kind)).codes.tolist() == expected
    enum = pl.Enum(words)
    assert Ratings(pl.DataFrame(table, schema={"a": enum, "b": enum})).codes.tolist() == expected
    long = [
        {"item": i, "rater": r, "rating": x} for r, xs in table.items() for i, x in enumerate(xs)
    ]
    frame = pl.DataFrame(long).cast({"rating": enum})
    assert Ratings.from_long(frame).codes.tolist() == expected
    with pytest.raises(oe.ScaleError, match="a has labels without an order"):
        Ratings(table)


def test_a_level_that_nobody_gave_is_warned_of() -> None:
    with pytest.warns(oe.OrdevalWarning, match="2"):
        assert Ratings([[1, 3], [3, None]]).k == 3


# Duplicates and runs


RUNS = [("x", "gpt", 1), ("x", "gpt", 3), ("y", "gpt", 2), ("y", "gpt", 2), ("x", "ann", 2)]


def long_frame(rows: Any, **more: Any) -> Any:
    return pl.DataFrame(rows, schema=["item", "rater", "rating"], orient="row").with_columns(**more)


def test_two_ratings_of_one_item_are_an_error_or_runs() -> None:
    with pytest.raises(
        oe.LabelError, match=r"'gpt' rated the item 'x' more than once\. .*\"runs\""
    ):
        Ratings.from_long(long_frame(RUNS))
    ratings = Ratings.from_long(long_frame(RUNS), duplicates="runs")
    assert ratings.raters == ("ann", "gpt #1", "gpt #2")
    assert ratings.runs == {"ann": (0,), "gpt": (1, 2)}
    assert sorted(ratings.codes[0, 1:].tolist()) == [0, 2]
    assert ratings.codes[1].tolist() == [-1, 1, 1]
    assert ratings.of(["gpt"]).runs == {"gpt": (0, 1)}
    assert ratings.of("ann").codes.tolist() == [[1], [-1]]
    with pytest.raises(oe.ParameterError, match="duplicates must be"):
        Ratings.from_long(long_frame(RUNS), duplicates="first")  # type: ignore[arg-type]


def test_runs_are_not_sorted_by_their_ratings() -> None:
    """The first run would always be the lower one, and runs would differ as none do."""
    rng = np.random.default_rng(0)
    rows = [(i, "gpt", int(x)) for i in range(400) for x in rng.integers(1, 6, 2)]
    one = Ratings.from_long(long_frame(rows), duplicates="runs")
    first, second = one.codes.T
    assert 120 < (first < second).sum() < 200
    assert 120 < (first > second).sum() < 200
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    other = Ratings.from_long(long_frame(shuffled), duplicates="runs")
    assert (one.codes == other.codes).all()


def test_runs_are_no_other_raters() -> None:
    """A rater counts once: its runs are parts of it, and make no pairs with each other."""
    ratings = Ratings.from_long(long_frame(RUNS), duplicates="runs")
    assert ratings.counts.tolist() == [[0.5, 1, 0.5], [0, 1, 0]]
    assert ratings.pair_counts.tolist() == [[0, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0]]
    assert ratings.distribution().tolist() == [[0.25, 0.5, 0.25], [0, 1, 0]]
    assert ratings.consensus("majority") == [2, 2]
    assert ratings.owner is not None
    assert ratings.owner.tolist() == [0, 1, 1]
    alone = ratings.of("gpt")
    assert alone.owner is None
    assert alone.counts.tolist() == [[1, 0, 1], [0, 2, 0]]
    with pytest.raises(oe.LabelError, match=r"the ceiling takes .* 'gpt' has 2 runs\. Keep one"):
        ratings.refuse_runs("the ceiling")


@pytest.mark.parametrize("runs", [3, 6, 7, 11])
def test_many_runs_outvote_nobody(runs: int) -> None:
    """Parts of a rater add up to one, whatever the last digits say."""
    rows = [("x", "gpt", 1)] * runs + [("x", "ann", 3), ("y", "gpt", 1), ("y", "ann", 1)]
    ratings = Ratings.from_long(long_frame(rows), labels=[1, 2, 3], duplicates="runs")
    assert ratings.consensus(tie="missing") == [None, 1]
    assert ratings.consensus("majority", tie="upper") == [3, 1]
    assert ratings.pair_counts == pytest.approx(np.array([[2, 0, 1], [0, 0, 0], [1, 0, 0]]))


def test_a_run_that_is_called_like_a_rater_is_refused() -> None:
    rows = [("x", "gpt", 1), ("x", "gpt", 2), ("x", "gpt #1", 2)]
    with pytest.raises(oe.LabelError, match="must have different names"):
        Ratings.from_long(long_frame(rows), duplicates="runs")


# Clusters


def test_clusters_are_one_for_each_item() -> None:
    sites = ["S", "S", "T", "T", "S"]
    with pytest.raises(oe.LabelError, match="the item 'x' is in several clusters of 'site'"):
        Ratings.from_long(
            long_frame(RUNS, site=pl.Series(["S", "T", "T", "T", "S"])),
            clusters="site", duplicates="runs",
        )  # fmt: skip
    found = Ratings.from_long(
        long_frame(RUNS, site=pl.Series(sites)), clusters="site", duplicates="runs"
    )
    assert found.clusters == ("S", "T")
    assert Ratings(TABLE, clusters=[1, 1, 2, 2]).clusters == (1, 1, 2, 2)


# Names that are no lists


def test_a_text_is_one_name_and_no_list_of_letters() -> None:
    frame = pd.DataFrame({"i": [1, 2, 3], "a": [1, 2, 3], "b": [2, 2, 3]})
    assert Ratings(frame, raters="a", labels=[1, 2, 3]).raters == ("a",)
    assert Ratings.from_wide(frame, "i", "a", labels=[1, 2, 3]).raters == ("a",)


# Errors, one sentence each


REFUSED: dict[str, tuple[Any, str]] = {
    "text": (lambda: Ratings("abc"), "items by raters; got 'abc'"),
    "raters of a text": (lambda: Ratings({"a": [1], "b": [1]}, raters="ab"), "no column 'ab'"),
    "the name of a column as clusters": (
        lambda: Ratings([[1, 2]] * 3, clusters="doc"),
        "clusters must have one value for each item; got 'doc'. The name of a column is for",
    ),
    "the name of a column as items": (
        lambda: Ratings([[1, 2]] * 2, items="id"), "items must have one value for each item",
    ),
    "items without a name": (
        lambda: Ratings([[1, 2]] * 2, items=[float("nan"), None]), "items must not hold missing",
    ),
    "items that are lists, long": (
        lambda: Ratings.from_long(
            pd.DataFrame({"item": [[1], [2]], "rater": ["a", "b"], "rating": [1, 2]})
        ),
        "item must hold hashable labels",
    ),
    "a column that is no rater": (
        lambda: Ratings(pd.DataFrame({"text": ["x", "y"], "a": [1, 2]}), labels=[1, 2]),
        r"outside the scale .* Every column is a rater; name those that are with raters=",
    ),
    "a relation of DuckDB": (
        lambda: Ratings(duckdb.sql("select 1 a, 2 b")), "collect a lazy query first",
    ),
    "the item as a rater": (
        lambda: Ratings.from_wide(pd.DataFrame({"i": [1], "a": [1]}), "i", ["i", "a"]),
        r"item and raters must be different columns; got 'i' and \['i', 'a'\]",
    ),
    "a rater twice": (
        lambda: Ratings.from_wide(pd.DataFrame({"i": [1], "a": [1]}), "i", ["a", "a"]),
        "must be different columns",
    ),
    "a flat list": (lambda: Ratings([1, 2, 3]), "a row for each item .* got 1 for a row"),
    "a flat array": (lambda: Ratings(np.arange(3)), r"two dimensions; got shape \(3,\)"),
    "no raters": (lambda: Ratings([[], []]), "has no raters"),
    "no items": (lambda: Ratings({"a": []}), "has no items"),
    "ragged": (lambda: Ratings([[1], [1, 2]]), "None for a gap; got rows of 1 to 2 entries"),
    "columns of unlike length": (
        lambda: Ratings({"a": [1], "b": [1, 2]}), "one entry for each item; got .*'a': 1, 'b': 2",
    ),
    "too few names": (lambda: Ratings(TABLE, raters=["a"]), "name the 3 columns .* got 1 names"),
    "one name twice": (lambda: Ratings([[1, 2]], raters=["a", "a"]), "must have different names"),
    "columns of one name": (
        lambda: Ratings(pd.DataFrame([[1, 2], [2, 1]], columns=["a", "a"])), "different names",
    ),
    "1 and '1'": (lambda: Ratings({1: [1, 2], "1": [2, 1]}), "must have different names"),
    "1 and '1', long": (
        lambda: Ratings.from_long(
            pd.DataFrame({"item": [1, 1], "rater": [1, "1"], "rating": [1, 2]})
        ),
        "different names when written",
    ),
    "no such column": (lambda: Ratings(COLUMNS, raters=["an"]), "no column 'an'.*'ann'"),
    "a lazy query": (lambda: Ratings(pl.LazyFrame(COLUMNS)), "collect a lazy query first"),
    "series in another order": (
        lambda: Ratings({"a": pd.Series([1, 2]), "b": pd.Series([1, 2], index=[1, 0])}),
        "the same items in another order",
    ),
    "an unknown label": (
        lambda: Ratings([[1, 9]], [1, 2]), "rater 2 has 1 label outside the scale.*: 9",
    ),
    "fractions": (lambda: Ratings([[1.5, None], [1, 2]]), "floating-point numbers"),
    "infinity": (lambda: Ratings([[np.inf, None], [1, 2]]), "floating-point numbers"),
    "nothing": (lambda: Ratings([[None, None]]), "no labels, so no scale is implied"),
    "items of one name": (lambda: Ratings(TABLE, items=[1, 1, 2, 3]), "4 different names"),
    "too few items": (lambda: Ratings(TABLE, items=[1]), "4 different names"),
    "items that are lists": (lambda: Ratings([[1, 2]], items=[[1]]), "hashable"),
    "an index with one name twice": (
        lambda: Ratings(pd.DataFrame(COLUMNS, index=[1, 1, 2, 3])), "4 different names",
    ),
    "too few clusters": (lambda: Ratings(TABLE, clusters=[1]), "each of the 4 items; got 1"),
    "a missing cluster": (lambda: Ratings([[1, 2]], clusters=[None]), "not hold missing values"),
    "no such rater": (lambda: Ratings(COLUMNS).of(["dan"]), "no rater 'dan'; raters: ann, bob"),
    "no rater": (lambda: Ratings(COLUMNS).of([]), "raters is empty"),
    "one column twice": (
        lambda: Ratings.from_long(pl.DataFrame(LONG), "item", "item"), "different columns",
    ),
    "a missing item": (
        lambda: Ratings.from_long(pl.DataFrame([*LONG, {**LONG[0], "item": None}])),
        "1 rating has no value in 'item'",
    ),
    "an item in two rows": (
        lambda: Ratings.from_wide(pl.DataFrame({"i": [1, 1], "a": [1, 2]}), "i", ["a"]),
        "item 1 appears in more than one row of 'i'; ids must be unique",
    ),
    "one row twice": (
        lambda: Ratings.from_wide(pl.DataFrame({"i": [1, 1], "a": [2, 2]}), "i", ["a"]),
        "item 1 appears in more than one row of 'i'; ids must be unique",
    ),
    "a row without an item": (
        lambda: Ratings.from_wide(pl.DataFrame({"i": [1, None], "a": [2, 2]}), "i", ["a"]),
        "no value in 'i'",
    ),
    "no such consensus": (lambda: Ratings(TABLE).consensus("mean"), "how must be"),  # type: ignore[arg-type]
    "no such tie": (lambda: Ratings(TABLE).consensus(tie="any"), "tie must be"),  # type: ignore[arg-type]
    "labels of another scale": (
        lambda: oe.fleiss_kappa(Ratings(TABLE), labels=[1, 2]), "leave them out here",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_said_in_one_message(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(oe.OrdevalError, match=message) as caught:
        call()
    assert "drop" not in str(caught.value)  # ratings have no such option


# Immutable, pickled, shown


def test_ratings_do_not_change() -> None:
    given_ = np.array([[1, 2], [2, 1]])
    ratings = Ratings(given_)
    given_[:] = 1
    assert ratings.codes.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(AttributeError, match="are immutable"):
        ratings.scale = None  # type: ignore[assignment]
    pickled = pickle.loads(pickle.dumps(ratings))
    for other in (ratings, ratings.of("rater 1"), pickled, copy.copy(ratings)):
        for array in (other.codes, other.counts):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 0


def test_pickled_and_copied_ratings_are_the_same() -> None:
    ratings = Ratings(COLUMNS, clusters=[1, 1, 2, 2])
    before = ratings.agreement().to_json()
    for other in (pickle.loads(pickle.dumps(ratings)), copy.copy(ratings), copy.deepcopy(ratings)):
        assert other.to_json() == ratings.to_json()
        assert other.agreement().to_json() == before
        assert (other.raters, other.items, other.clusters) == (
            ratings.raters, ratings.items, ratings.clusters,
        )  # fmt: skip


def test_rows_are_the_shares_of_each_rater() -> None:
    assert Ratings(COLUMNS).rows()[2] == {
        "rater": "cem", "ratings": 2, "1": 0.0, "2": 0.5, "3": 0.0, "4": 0.5,
    }  # fmt: skip
    assert "4 items, 3 raters, 8 ratings" in str(Ratings(COLUMNS))


# What adds over items, against definitions item by item


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[int | None]], int]:
    k, raters = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cell = st.one_of(st.none(), st.integers(0, k - 1))
    rows = st.lists(st.lists(cell, min_size=raters, max_size=raters), min_size=1, max_size=8)
    return draw(rows), k


def slow_consensus(given_: list[int], how: str, tie: str) -> int | None:
    if not given_:
        return None
    if how == "median":
        n, ordered = len(given_), sorted(given_)
        both = {ordered[(n - 1) // 2], ordered[n // 2]}
    else:
        counts = Counter(given_)
        both = {x for x in counts if counts[x] == max(counts.values())}
    if tie == "missing" and len(both) > 1:
        return None
    return min(both) if tie == "lower" else max(both)


@given(tables())
def test_consensus_and_distribution_are_what_they_say(drawn: Any) -> None:
    table, k = drawn
    ratings = Ratings(table, range(k))
    rated = [[x for x in row if x is not None] for row in table]
    for how in ("median", "majority"):
        for tie in ("lower", "upper", "missing"):
            expected = [slow_consensus(x, how, tie) for x in rated]
            assert ratings.consensus(how, tie=tie) == expected
    for row, share in zip(rated, ratings.distribution(), strict=True):
        expected_share = [row.count(c) / len(row) if row else np.nan for c in range(k)]
        assert share == pytest.approx(expected_share, nan_ok=True)
    assert ratings.total == sum(map(len, rated))
    assert ratings.counts.tolist() == [[row.count(c) for c in range(k)] for row in rated]


@given(tables())
def test_coincidences_are_pairs_of_ratings_of_one_item(drawn: Any) -> None:
    table, k = drawn
    expected = np.zeros((k, k))
    for row in table:
        rated = [x for x in row if x is not None]
        for i, a in enumerate(rated):
            for j, b in enumerate(rated):
                if i != j:
                    expected[a, b] += 1 / (len(rated) - 1)
    assert Ratings(table, range(k)).pair_counts == pytest.approx(expected)


def test_clusters_in_another_order_than_the_items_are_refused() -> None:
    names = [f"i{n}" for n in range(6)]
    table = pd.DataFrame({"a": [1, 2, 3, 1, 2, 3], "b": [1, 2, 3, 1, 2, 2]}, index=names)
    clusters = pd.Series([1, 1, 2, 2, 3, 3], index=names)
    assert Ratings(table, [1, 2, 3], clusters=clusters).clusters == (1, 1, 2, 2, 3, 3)
    assert Ratings(table, [1, 2, 3], clusters=clusters.to_numpy()).clusters == (1, 1, 2, 2, 3, 3)
    with pytest.raises(oe.LabelError, match="index of clusters has the items in another order"):
        Ratings(table, [1, 2, 3], clusters=clusters[::-1])
    for name in ("clusters", "systems"):
        with pytest.raises(oe.LabelError, match=f"index of {name} has the items in another ord"):
            oe.judge(Ratings(table, [1, 2, 3]), {"j": table["a"]}, **{name: clusters[::-1]})
