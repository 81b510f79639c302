"""Reading ratings: wide tables (items by raters), and long ones with one row per rating."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import listed
from ordeval._shared.text import argument, as_printed, joined, named, plural
from ordeval._shared.types import Integers, Policy
from ordeval.data.columns import Column, is_missing, off_device
from ordeval.data.populations.partial_truth import gapped_scale
from ordeval.data.positions import GAP, UNKNOWN, Misfits, read_positions, shift_hint
from ordeval.data.ratings.entries import Entries
from ordeval.data.same_items import check_same_items, index_of
from ordeval.data.scale import Scale, as_scale, warn_of_gaps
from ordeval.data.sources.rows import DistinctRows, Source, check_columns, numbers_read
from ordeval.exceptions import EmptyLevelWarning, LabelError, ScaleError, user_frame

_FEW_LEVELS: Final = 3  # on which raters who leave out an end are no surprise
_FEW_RATINGS: Final = 10  # of a rater, likewise
_UNHASHABLE: Final = "items, raters and ratings must be hashable values, such as texts and numbers."


class RatingTable(NamedTuple):
    """Columns of ratings by the rater's name, and what the rows are called, if they are."""

    columns: dict[str, Any]
    items: Any = None
    named: bool = False  # the names are those of the table's columns


@contextmanager
def only_raters(given: RatingTable, raters: Any) -> Iterator[None]:
    """Add to an error about labels that columns which are no raters may be left out."""
    try:
        yield
    except (LabelError, ScaleError) as error:
        if raters is not None or not given.named:
            raise
        hint = f"Every column is a rater; name those that are with {argument('raters', ['a', 'b'])}"
        raise type(error)(f"{error} {hint} if some are not.") from None


def read_table(table: Any, raters: Any) -> RatingTable:
    """The columns of a table; of a frame or a mapping ``raters`` are some of its columns."""
    chosen = None if raters is None else [str(r) for r in listed_raters(raters)]
    known = _named_columns(table)
    if known is None:
        places = _columns_of(table)
        names = chosen or [f"rater {i + 1}" for i in range(len(places))]
        if len(names) != len(places):
            raise LabelError(
                f"{named('raters')} must name the {len(places)} columns of the table; got "
                f"{len(names)} names."
            )
        known = list(zip(names, places, strict=True))
    elif chosen is not None:
        check_columns(chosen, [name for name, _ in known])
        column = dict(known)
        known = [(name, column[name]) for name in chosen]
    names = [name for name, _ in known]
    if not names:
        raise LabelError("the table of ratings has no raters.")
    if len(set(names)) < len(names):
        raise LabelError(f"{named('raters')} must have different names; got {names}.")
    index = check_same_items([("the table", table), *known])
    items = None if index is None else list(index.names)
    return RatingTable(dict(known), items, named=_named_columns(table) is not None)


def listed_raters(raters: Any) -> list[Any]:
    """Several raters or the name of one, which is no list of its letters."""
    return [raters] if isinstance(raters, str) else listed(raters, "raters", LabelError)


def _named_columns(table: Any) -> list[tuple[str, Any]] | None:
    """The columns of a frame or a mapping with their names; None of rows and arrays."""
    if hasattr(table, "collect") or hasattr(table, "fetchall"):
        raise LabelError(
            "to read ratings, collect a lazy query first, or pass it with the names of its "
            "columns to Ratings.from_wide or Ratings.from_long."
        )
    if isinstance(table, Mapping):
        return [(str(c), x) for c, x in table.items()]
    if hasattr(table, "column_names"):  # PyArrow
        names, columns = table.column_names, table.columns
    elif hasattr(table, "iloc"):  # pandas: by position, for two may have one name
        names = list(table.columns) if hasattr(table, "columns") else None
        columns = [] if names is None else [table.iloc[:, i] for i in range(len(names))]
    elif hasattr(table, "columns") and hasattr(table, "__getitem__"):
        names, columns = list(table.columns), [table[c] for c in table.columns]
    else:
        return None
    return None if names is None else list(zip(map(str, names), columns, strict=True))


def _columns_of(table: Any) -> list[Any]:
    """The columns of rows that are lists, or of an array (items, raters)."""
    table = off_device(table)
    if hasattr(table, "__array__"):
        array = np.asanyarray(table)  # a mask says what is missing
        if array.ndim != 2:
            raise LabelError(
                f"ratings must be items by raters, an array of two dimensions; got shape "
                f"{array.shape}."
            )
        return list(array.T)
    if isinstance(table, (str, bytes)) or not isinstance(table, Iterable):
        raise LabelError(f"ratings must be items by raters; got {table!r}.")
    rows = listed(table, "ratings", LabelError, "items by raters")
    for row in rows:
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
            raise LabelError(
                f"ratings must be items by raters, a row for each item with one entry for each "
                f"rater; got {row!r} for a row."
            )
    rows = [listed(row, "ratings", LabelError, "items by raters") for row in rows]
    sizes = {len(row) for row in rows}
    if len(sizes) > 1:
        raise LabelError(
            f"every item must have one entry for each rater, None for a gap; got rows of "
            f"{min(sizes)} to {max(sizes)} entries."
        )
    return [list(column) for column in zip(*rows, strict=True)]


def length_of(columns: list[Column]) -> int:
    """How many items the columns have, which must be the same."""
    sizes = {c.name: len(c) for c in columns}
    if len(set(sizes.values())) > 1:
        raise LabelError(f"all raters must have one entry for each item; got {sizes}.")
    n = next(iter(sizes.values()))
    if n == 0:
        raise LabelError("the table of ratings has no items.")
    return n


def item_names(items: Any, n: int) -> tuple[Hashable, ...]:
    """The names of n items: numbers if they have none."""
    refuse_column_name("items", items)
    names = tuple(range(1, n + 1)) if items is None else tuple(listed(items, "items", LabelError))
    if any(map(is_missing, names)):
        raise LabelError(f"{named('items')} must not hold missing values.")
    if len(names) != n or len(_distinct(names)) != n:
        raise LabelError(f"{named('items')} must be {n:,} different names, one for each item.")
    return names


def refuse_column_name(name: str, given: Any) -> None:
    """Raise a LabelError for a text, which would be taken for a list of its letters."""
    if isinstance(given, str):
        raise LabelError(
            f"{named(name)} must have one value for each item; got {given!r}. The name of a "
            f"column is for Ratings.from_wide and Ratings.from_long."
        )


def _distinct(names: tuple[Any, ...]) -> set[Any]:
    try:
        return set(names)
    except TypeError:
        raise LabelError(_UNHASHABLE) from None


def refuse_other_items(name: str, given: Any, items: tuple[Hashable, ...]) -> None:
    """Raise a LabelError if an index names other items, or the same ones in another order."""
    index = index_of(given)
    if index is None:
        return
    listed = list(index)
    if len(listed) != len(items) or listed == list(items) or _counted(listed):
        return
    same = set(listed) == set(items)
    if same or not _counted(list(items)):
        how = "has the items in another order" if same else "names other items"
        raise LabelError(
            f"the index of {name} {how} than the ratings, which begin with {items[0]!r}: "
            "align it by name, or remove the names with .to_numpy()."
        )


def _counted(names: list[Any]) -> bool:
    """Whether names only count the items, from 0 or from 1."""
    return names in (list(range(len(names))), list(range(1, len(names) + 1)))


def read_clusters(clusters: Any, items: tuple[Hashable, ...]) -> Any:
    """The cluster of each item."""
    if clusters is None:
        return None
    refuse_column_name("clusters", clusters)
    refuse_other_items(named("clusters"), clusters, items)
    n, given = len(items), listed(clusters, "clusters", LabelError)
    if len(given) != n:
        raise LabelError(
            f"{named('clusters')} must name a cluster for each of the {n:,} items; got "
            f"{len(given):,}."
        )
    if any(map(is_missing, given)):
        raise LabelError(f"{named('clusters')} must not hold missing values.")
    return tuple(given)


def rated_positions(
    scale: Scale, column: Column, unknown: Policy
) -> tuple[Integers, NDArray[np.bool_]]:
    """Positions of ratings, negative for gaps, and which were outside the scale."""
    (codes,) = read_positions(scale, [column], Misfits(unknown, "drop", scores=False)).codes
    return np.where(codes < 0, GAP, codes).astype(np.int64), np.asarray(codes == UNKNOWN)


def names_of(rows: DistinctRows, columns: Sequence[str]) -> list[Any]:
    """The name of the item in each row; several columns name it together."""
    each = [rows.listed(c) for c in columns]
    return each[0] if len(each) == 1 else list(zip(*each, strict=True))


def _long_rows(
    source: Source, ids: Sequence[str], names: Sequence[str], labels: Any
) -> DistinctRows:
    """The rows of a long table, checked: names are there, and different."""
    columns = [*ids, *names]
    if len(set(columns)) < len(columns):
        raise LabelError(f"item, rater and rating must be different columns; got {columns}.")
    try:
        found = source.rows(columns)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        raise LabelError(_UNHASHABLE) from None
    rows = numbers_read(found, [names[1]], None if labels is None else as_scale(labels))
    for name in (*ids, names[0], *names[2:]):
        lost = int(rows.count[[is_missing(v) for v in rows.columns[name]]].sum())
        if lost:
            raise LabelError(
                f"{plural(lost, 'rating')} {'has' if lost == 1 else 'have'} no value in {name!r}."
            )
    if not len(rows.count):
        raise LabelError("there are no ratings.")
    return rows


def long_ratings(
    source: Source,
    ids: Sequence[str],
    names: Sequence[str],
    labels: Any,
    *,
    runs: bool,
    unknown: Policy,
) -> dict[str, Any]:
    """What the rows of a long table hold, as Ratings hold it.

    ``names`` are the columns of raters and ratings, and of clusters if there are any. ``runs`` says
    that several ratings of an item by one rater are repeated runs.
    """
    rows = _long_rows(source, ids, names, labels)
    column = rows.column(names[1])
    scale, implied = gapped_scale([column], labels)
    positions, off = rated_positions(scale, column, unknown)
    code, outside = np.repeat(positions, rows.count), np.repeat(off, rows.count)
    items, item = numbered(names_of(rows, ids), rows.count)
    raters, rater = numbered(rows.listed(names[0]), rows.count)
    refuse_namesakes(raters)
    run = _run_numbers(item * len(raters) + rater, code)
    if not runs and run.any():
        again = np.flatnonzero(run)  # in any order: engines group rows as they like
        i = min(again.tolist(), key=lambda i: (rater[i], item[i]))
        raise LabelError(
            f"{raters[rater[i]]!r} rated the item {items[item[i]]!r} more than once. "
            f"Keep one rating of each item, or say that they are repeated runs with "
            f"{argument('duplicates', 'runs')}."
        )
    places, place = np.unique(rater * (run.max(initial=0) + 1) + run, return_inverse=True)
    rated = code >= 0
    entries = Entries.of(item[rated], place[rated], code[rated], (len(items), len(places)))
    owner = (places // (run.max(initial=0) + 1)).tolist()
    if implied:
        warn_of_implied(scale, entries, [str(raters[r]) for r in owner])
    columns = _columns_by_rater(owner)
    called = _run_names(columns, list(map(str, raters)))
    refuse_namesakes(list(called))
    return {
        "scale": scale,
        "entries": entries,
        "raters": called,
        "items": tuple(items),
        "implied": implied,
        "clusters": None if len(names) < 3 else _one_each(rows, names[2], items, item),
        "outside": {str(raters[r]): int(n) for r, n in zip(*_counts(rater[outside]), strict=True)},
        "runs": {str(raters[r]): listed for r, listed in columns.items()},
    }


def warn_of_implied(scale: Scale, entries: Entries, names: Sequence[str]) -> None:
    """Warn of empty levels of an implied scale, and of raters who seem to use it shifted by one."""
    warn_of_gaps(scale, [entries.level])
    low, high = np.full(entries.columns, scale.k), np.full(entries.columns, -1)
    np.minimum.at(low, entries.column, entries.level)
    np.maximum.at(high, entries.column, entries.level)
    upper = (low == 1) & (high == scale.k - 1)
    lower = (low == 0) & (high == scale.k - 2)
    rated = np.bincount(entries.column, minlength=entries.columns)
    few = scale.k <= _FEW_LEVELS or rated.min(initial=_FEW_RATINGS) < _FEW_RATINGS
    if few or not (lower | upper).all() or lower.all() or upper.all():
        return
    # Fewer raters than the others or, of as many, those without the first.
    shifted = min(lower, upper, key=lambda x: (x.sum(), x[0]))
    name, other = (names[int(np.flatnonzero(x)[0])] for x in (shifted, ~shifted))
    said = shift_hint(name, 1 if shifted is lower else -1, other)
    warnings.warn(said, EmptyLevelWarning, stacklevel=user_frame())


def _counts(numbers: Integers) -> tuple[list[int], list[int]]:
    """The numbers that occur, and how often."""
    found, times = np.unique(numbers, return_counts=True)
    return found.tolist(), times.tolist()


def _columns_by_rater(owner: list[int]) -> dict[int, tuple[int, ...]]:
    """The columns of each rater; ``owner`` has the rater of each column, in order."""
    found: dict[int, list[int]] = {}
    for column, rater in enumerate(owner):
        found.setdefault(rater, []).append(column)
    return {rater: tuple(columns) for rater, columns in found.items()}


def numbered(names: list[Any], count: Integers) -> tuple[list[Any], Integers]:
    """The distinct names in order, and the number of each row's, rows repeated."""
    ordered = _in_order(_distinct(tuple(names)))
    number = {name: i for i, name in enumerate(ordered)}
    found = np.fromiter(map(number.__getitem__, names), np.int64, len(names))
    return ordered, np.repeat(found, count)


def _in_order(names: Iterable[Any]) -> list[Any]:
    """By value, and if all texts are whole numbers by those: 10 comes after 9 in a CSV file too."""
    listed = list(names)
    if all(isinstance(x, str) and x.isdecimal() for x in listed):
        return sorted(listed, key=lambda x: (int(x), x))
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=lambda x: as_printed((x,)))


def refuse_namesakes(raters: list[Any]) -> None:
    """Raters whose names differ, but not when they are written."""
    if len(set(map(str, raters))) < len(raters):
        raise LabelError(f"raters must have different names when written; got {raters}.")


def by_item(rows: DistinctRows, ids: Sequence[str], *, repeated: bool = False) -> DistinctRows:
    """The rows in the order of the items; each must have one row, unless ``repeated``."""
    item = joined([repr(c) for c in ids])
    names = names_of(rows, ids)
    if any(is_missing(x) for c in ids for x in rows.columns[c]):
        raise LabelError(f"some rows have no value in {item}; every item needs a name.")
    places: dict[Any, list[int]] = {}
    for i, (name, count) in enumerate(zip(names, rows.count.tolist(), strict=True)):
        places.setdefault(name, []).extend([i] * count)
    twice = [name for name, own in places.items() if len(own) > 1]
    if twice and not repeated:
        raise LabelError(
            f"item {twice[0]!r} appears in more than one row of {item}; ids must be unique."
        )
    order = [i for name in _in_order(list(places)) for i in places[name]]
    return rows.take(np.array(order, dtype=np.intp))


def _run_numbers(pair: Integers, code: Integers) -> Integers:
    """Which run of the rater each rating of an item is, from 0.

    Rows tell nothing of their order, and runs that were sorted by level would differ from each
    other as no runs do. So they are numbered at random, the same way each time.
    """
    sort = np.lexsort((code, pair))
    place = np.random.default_rng(0).permutation(len(pair))
    order = sort[np.lexsort((place, pair[sort]))]
    start = np.flatnonzero(np.diff(pair[order], prepend=-1) != 0)
    size = np.diff([*start, len(pair)])
    run = np.empty(len(pair), dtype=np.int64)
    run[order] = np.arange(len(pair)) - np.repeat(start, size)
    return run


def _run_names(columns: Mapping[int, Sequence[int]], raters: list[str]) -> tuple[str, ...]:
    """Return the name of each column; runs of one rater have a number."""
    found: list[str] = []
    for rater, places in columns.items():
        name, several = raters[rater], len(places) > 1
        found += [f"{name} #{i + 1}" if several else name for i in range(len(places))]
    return tuple(found)


def _one_each(rows: DistinctRows, column: str, items: list[Any], item: Integers) -> tuple[Any, ...]:
    """The cluster of each item, which must be the same in all of its rows."""
    each = np.empty(len(rows.count), dtype=object)
    each[:] = rows.listed(column)
    clusters = np.repeat(each, rows.count)
    first = np.full(len(items), -1)
    first[item[::-1]] = np.arange(len(item))[::-1]
    differs = np.flatnonzero(clusters != clusters[first[item]])
    if len(differs):
        name = items[item[differs[0]]]
        raise LabelError(f"the item {name!r} is in several clusters of {column!r}.")
    return tuple(clusters[first].tolist())


def source_of(frame: Any) -> Source:
    """Return where the columns of a frame, or of the files that were named, are read from."""
    from ordeval.data.sources.files import FileSource
    from ordeval.data.sources.frames import FrameSource

    return frame if isinstance(frame, FileSource) else FrameSource(frame)
