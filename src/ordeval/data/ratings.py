"""Ratings: items by raters, on one scale, with gaps.

What measures need of ratings adds over items: pairs of ratings of one item, and the levels that a
rater uses. Nothing here judges the ratings.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import argument, as_printed, named, plural
from ordeval._shared.types import Floats, Integers, StrPath, check_choice
from ordeval.data.columns import Column, as_column, is_missing
from ordeval.data.files import FileSource
from ordeval.data.frames import FrameSource
from ordeval.data.items import gapped_scale
from ordeval.data.rows import DistinctRows, Source, numbers_read
from ordeval.data.scale import Scale, as_scale, warn_of_gaps
from ordeval.exceptions import LabelError, ParameterError

GAP: Final = -1
Duplicates = Literal["raise", "runs"]
Tie = Literal["lower", "upper", "missing"]


class _Given(NamedTuple):
    """Columns of ratings, and what they are called."""

    columns: dict[str, Any]
    items: Any = None


class Ratings(Result):
    """The ratings of several raters, of whom not all rate every item.

    Parameters
    ----------
    table
        Items by raters: an array or a list of rows, a dataframe or a mapping with one column per
        rater. None and NaN are gaps.
    labels
        The ordered labels, lowest first; may be left out as in ``ConfusionMatrix.from_labels``.
    raters, items
        Their names; by default those of the columns and of the rows, or numbers from 1.
    clusters
        The cluster of each item (document, patient): items of one cluster are not independent.

    Examples
    --------
    >>> ratings = Ratings([[1, 1, 2], [3, None, 3], [2, 2, 2], [1, 2, None]], labels=[1, 2, 3])
    >>> ratings.pair_counts
    array([[1., 2., 0.],
           [2., 3., 0.],
           [0., 0., 2.]])
    """

    kind: ClassVar[str] = "ordeval.ratings"
    # Agreement is judged in later rooms, which the package connects.
    judge_agreement: ClassVar[Any]
    judge_severity: ClassVar[Any]

    scale: Scale
    codes: Integers  # (items, raters), positions on the scale; GAP: not rated
    raters: tuple[str, ...]
    items: tuple[Hashable, ...]
    clusters: Any  # (items,), or None
    implied: bool  # the scale was read off integers
    runs: dict[str, tuple[int, ...]]  # the columns of each rater; several if asked repeatedly

    def __init__(
        self, table: Any, labels: Any = None, raters: Any = None, items: Any = None,
        clusters: Any = None,
    ) -> None:  # fmt: skip
        given = _read_table(table, raters)
        columns = [as_column(x, name) for name, x in given.columns.items()]
        n = _length(columns)
        scale, implied = gapped_scale(columns, labels)
        codes = np.stack([_codes(scale, column) for column in columns], axis=1)
        if implied:
            warn_of_gaps(scale, list(codes.T))
        names = given.items if items is None else items
        self._set(
            scale=scale, codes=codes, raters=tuple(given.columns), items=_item_names(names, n),
            clusters=_read_clusters(clusters, n), implied=implied,
            runs={name: (i,) for i, name in enumerate(given.columns)},
        )  # fmt: skip

    def _set(self, **values: Any) -> None:
        values["codes"].setflags(write=False)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Ratings cannot be changed; make new ones.")

    @classmethod
    def _of(cls, **values: Any) -> Ratings:
        ratings = cls.__new__(cls)
        ratings._set(**values)
        return ratings

    @classmethod
    def from_long(
        cls, frame: Any, item: str = "item", rater: str = "rater", rating: str = "rating", *,
        labels: Any = None, clusters: str | None = None, duplicates: Duplicates = "raise",
    ) -> Ratings:  # fmt: skip
        """Ratings from a long table with one row per rating, read where it lives.

        Parameters
        ----------
        frame
            Any dataframe or lazy query that ``ConfusionMatrix.from_frame`` takes.
        item, rater, rating, clusters
            Names of the columns. A missing rating is a gap.
        duplicates
            What two ratings of one item by one rater are: an error (``"raise"``), or repeated
            ``"runs"`` of the rater, in the order of the ratings.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"item": [1, 1, 2], "rater": ["A", "B", "A"], "rating": [3, 4, 4]})
        >>> Ratings.from_long(frame, labels=range(1, 6)).codes
        array([[ 2,  3],
               [ 3, -1]])
        """
        source = frame if isinstance(frame, FileSource) else FrameSource(frame)
        names = [item, rater, rating, *([clusters] if clusters is not None else [])]
        check_choice("duplicates", duplicates, get_args(Duplicates))
        return cls._from_rows(_long_rows(source, names, labels), names, labels, duplicates)

    @classmethod
    def from_file(
        cls, path: StrPath, item: str = "item", rater: str | None = "rater",
        rating: str | None = "rating", *, raters: Sequence[str] | None = None, labels: Any = None,
        clusters: str | None = None, duplicates: Duplicates = "raise", table: str | None = None,
    ) -> Ratings:  # fmt: skip
        """Ratings from a file that ``ConfusionMatrix.from_file`` takes: long, or wide.

        A wide file has one column per rater, which ``raters`` names, and one row per ``item``.
        """
        source = FileSource(path, table)
        if raters is None:
            return cls.from_long(
                source, item, str(rater), str(rating), labels=labels, clusters=clusters,
                duplicates=duplicates,
            )  # fmt: skip
        return cls.from_wide(source, item, raters, labels=labels, clusters=clusters)

    @classmethod
    def from_wide(
        cls, frame: Any, item: str, raters: Sequence[str], *, labels: Any = None,
        clusters: str | None = None,
    ) -> Ratings:  # fmt: skip
        """Ratings from a table with one row per item and one column per rater."""
        source = frame if isinstance(frame, FileSource) else FrameSource(frame)
        columns = [item, *raters, *([clusters] if clusters is not None else [])]
        rows = source.rows(list(dict.fromkeys(columns))).in_order()
        _refuse_duplicates(rows, item)
        rows = numbers_read(rows, raters, labels)
        return cls(
            {name: rows.column(name) for name in raters}, labels, items=rows.columns[item],
            clusters=None if clusters is None else rows.columns[clusters],
        )  # fmt: skip

    @classmethod
    def _from_rows(
        cls, rows: DistinctRows, names: list[str], labels: Any, duplicates: Duplicates
    ) -> Ratings:
        column = rows.column(names[2])
        scale, implied = gapped_scale([column], labels)
        code = np.repeat(_codes(scale, column), rows.count)
        items, item = _numbered([rows.columns[names[0]]], rows.count)
        raters, rater = _numbered([rows.columns[names[1]]], rows.count)
        run = _runs(item * len(raters) + rater, code)
        if duplicates == "raise" and run.any():
            i = int(np.flatnonzero(run)[0])
            raise LabelError(
                f"{raters[rater[i]][0]!r} rated the item {items[item[i]][0]!r} more than once. "
                f"Keep one rating of each item, or say that they are repeated runs with "
                f"{argument('duplicates', 'runs')}."
            )
        places, place = np.unique(rater * (run.max(initial=0) + 1) + run, return_inverse=True)
        codes = np.full((len(items), len(places)), GAP, dtype=np.int64)
        codes[item, place] = code
        if implied:
            warn_of_gaps(scale, [code])
        owner = (places // (run.max(initial=0) + 1)).tolist()
        return cls._of(
            scale=scale, codes=codes, raters=_run_names(owner, [str(r[0]) for r in raters]),
            items=tuple(i[0] for i in items), implied=implied,
            clusters=None if len(names) < 4 else _one_each(rows, names, items, item),
            runs={str(raters[r][0]): tuple(np.flatnonzero(np.array(owner) == r).tolist())
                  for r in dict.fromkeys(owner)},
        )  # fmt: skip

    @property
    def k(self) -> int:
        """The number of levels."""
        return self.scale.k

    @property
    def total(self) -> int:
        """How many ratings there are."""
        return int((self.codes >= 0).sum())

    @cached_property
    def counts(self) -> Integers:
        """How many raters gave each item each level (items, K)."""
        n, k = len(self.codes), self.k
        item, rater = np.nonzero(self.codes >= 0)
        cells = item * k + self.codes[item, rater]
        return np.bincount(cells, minlength=n * k).reshape(n, k)

    @property
    def pair_counts(self) -> Floats:
        """Coincidences (K, K): pairs of ratings of one item, each over the item's other raters."""
        return np.asarray(coincidences(self.counts).sum(axis=0))

    def of(self, raters: Iterable[str]) -> Ratings:
        """The ratings of some raters."""
        wanted = list(raters)
        for name in wanted:
            if name not in self.runs:
                shown = ", ".join(self.runs)
                raise ParameterError(f"there is no rater {name!r}; raters: {shown}.")
        places = [i for name in wanted for i in self.runs[name]]
        sizes, start, runs = [len(self.runs[name]) for name in wanted], 0, {}
        for name, size in zip(wanted, sizes, strict=True):
            runs[name] = tuple(range(start, start + size))
            start += size
        return Ratings._of(
            scale=self.scale, codes=self.codes[:, places].copy(), items=self.items,
            raters=tuple(self.raters[i] for i in places), clusters=self.clusters,
            implied=self.implied, runs=runs,
        )  # fmt: skip

    def consensus(
        self, how: Literal["median", "majority"] = "median", *, tie: Tie = "lower"
    ) -> Any:
        """One label per item: the median of its ratings, or the most frequent one.

        A tie (the two middle ratings of an even number, or two levels that are equally frequent)
        goes to the ``"lower"`` or the ``"upper"`` level, or is ``"missing"``. Items that nobody
        rated are None.

        >>> Ratings([[1, 1, 3], [1, 2, None]], labels=[1, 2, 3]).consensus(tie="upper")
        [1, 2]
        """
        check_choice("how", how, ("median", "majority"))
        check_choice("tie", tie, get_args(Tie))
        found = self.consensus_codes(how, tie)
        return [None if c < 0 else self.scale.levels[c] for c in found.tolist()]

    def consensus_codes(self, how: str = "median", tie: str = "lower") -> Integers:
        """The same as positions on the scale, -1 for none."""
        counts, last = self.counts, self.k - 1
        size = counts.sum(axis=1)
        if how == "median":
            below = np.cumsum(counts, axis=1)
            low = (2 * below >= size[:, None]).argmax(axis=1)
            high = (2 * below > size[:, None]).argmax(axis=1)
        else:
            most = counts == counts.max(axis=1, keepdims=True)
            low, high = most.argmax(axis=1), last - most[:, ::-1].argmax(axis=1)
        found = low if tie == "lower" else high
        lost = (size == 0) | ((tie == "missing") & (low != high))
        return np.where(lost, GAP, found).astype(np.int64)

    def distribution(self) -> Floats:
        """The shares (items, K) of the levels among the ratings of each item; NaN if unrated."""
        size = self.counts.sum(axis=1, keepdims=True)
        return np.where(size > 0, self.counts / np.maximum(size, 1), np.nan)

    def agreement(
        self, metrics: Any = None, *, level: float | None = 0.95, random_raters: bool = False
    ) -> Any:
        """The agreement of the raters, with intervals.

        Parameters
        ----------
        metrics
            Measures of many raters or their names; by default ``krippendorff_alpha``,
            ``fleiss_kappa``, ``conger_kappa``, ``gwet_ac2`` and ``brennan_prediger``.
        level
            Nominal coverage of the intervals; None leaves them out. Items, or clusters of items,
            are what might have been others.
        random_raters
            Other raters might have been asked, too: each in turn is left out.

        Examples
        --------
        >>> import ordeval as oe
        >>> table = [[1, 1, 2], [3, 3, None], [2, 2, 2], [1, 2, 1], [3, 3, 3], [2, 1, 2]] * 5
        >>> found = oe.Ratings(table, labels=[1, 2, 3]).agreement("krippendorff_alpha")
        >>> round(found["krippendorff_alpha"], 3)
        0.789
        """
        return type(self).judge_agreement(self, metrics, level=level, random_raters=random_raters)

    def severity(self, *, level: float = 0.95) -> Any:
        """How many steps each rater is above the mean of the others, with intervals."""
        return type(self).judge_severity(self, level=level)

    def rows(self) -> list[dict[str, Any]]:
        """One record for each rater: how many ratings, and the share of each level."""
        found = []
        for name, column in zip(self.raters, self.codes.T, strict=True):
            sizes = np.bincount(column[column >= 0], minlength=self.k)
            shares = (sizes / max(int(sizes.sum()), 1)).tolist()
            levels = dict(zip(map(str, self.scale), shares, strict=True))
            found.append({"rater": name, "ratings": int(sizes.sum()), **levels})
        return found

    def table(self) -> Table:
        """One row for each rater."""
        rows = tuple(
            tuple(map(Cell, (r["rater"], f"{r['ratings']:,}", *_shares(r, self.scale))))
            for r in self.rows()
        )
        head = ("rater", "ratings", *map(str, self.scale))
        return Table(head, rows, self._caption())

    def _caption(self) -> str:
        n, r = len(self.items), len(self.runs)
        return (
            f"{plural(n, 'item')}, {plural(r, 'rater')}, {plural(self.total, 'rating')}: "
            f"{self.scale}"
        )

    def facts(self) -> dict[str, Any]:
        """Scale, coincidences, and what each rater used."""
        return {
            "scale": [str(x) for x in self.scale],
            "items": len(self.items),
            "pair_counts": self.pair_counts,
            "rows": self.rows(),
        }


def coincidences(counts: NDArray[Any]) -> Floats:
    """Pairs of ratings (..., K, K) of items with so many ratings of each level (..., K)."""
    n = counts.astype(np.float64)
    size = n.sum(axis=-1)
    pairs = n[..., :, None] * n[..., None, :]
    diagonal = np.arange(n.shape[-1])
    pairs[..., diagonal, diagonal] -= n
    return np.asarray(pairs / np.where(size > 1, size - 1, np.inf)[..., None, None])


def _shares(row: Mapping[str, Any], scale: Scale) -> list[str]:
    return [f"{row[str(level)]:.0%}" for level in scale]


def _read_table(table: Any, raters: Any) -> _Given:
    """The columns of a table by the rater's name, and the names of its rows if it has any."""
    names = None if raters is None else [str(r) for r in raters]
    if hasattr(table, "column_names"):  # PyArrow
        columns = {str(c): table[c] for c in table.column_names}
    elif hasattr(table, "columns") and hasattr(table, "__getitem__"):
        columns = {str(c): table[c] for c in table.columns}
    elif isinstance(table, Mapping):
        columns = {str(c): x for c, x in table.items()}
    else:
        listed = _columns_of(table)
        names = names or [f"rater {i + 1}" for i in range(len(listed))]
        if len(names) != len(listed):
            raise LabelError(
                f"{named('raters')} must name the {len(listed)} columns of the table; got "
                f"{len(names)} names."
            )
        columns = dict(zip(names, listed, strict=True))
    if names is not None:
        if len(names) != len(columns):
            raise LabelError(
                f"{named('raters')} must name the {len(columns)} columns of the table; got "
                f"{len(names)} names."
            )
        columns = dict(zip(names, columns.values(), strict=True))
        if len(columns) != len(names):
            raise LabelError(f"{named('raters')} must be different names; got {names}.")
    if not columns:
        raise LabelError("the table of ratings has no raters.")
    index: Any = getattr(table, "index", None)
    return _Given(columns, list(index) if hasattr(index, "equals") else None)


def _columns_of(table: Any) -> list[Any]:
    """The columns of rows that are lists, or of an array (items, raters)."""
    if hasattr(table, "__array__"):
        array = np.asarray(table)
        if array.ndim != 2:
            raise LabelError(
                f"ratings must be items by raters, an array of two dimensions; got shape "
                f"{array.shape}."
            )
        return list(array.T)
    if isinstance(table, (str, bytes)) or not isinstance(table, Iterable):
        raise LabelError(f"ratings must be items by raters; got {table!r}.")
    rows = [list(row) if isinstance(row, Iterable) else [row] for row in table]
    sizes = {len(row) for row in rows}
    if len(sizes) > 1:
        raise LabelError(
            f"every item must have one entry for each rater, None for a gap; got rows of "
            f"{min(sizes)} to {max(sizes)} entries."
        )
    return [list(column) for column in zip(*rows, strict=True)]


def _codes(scale: Scale, column: Column) -> Integers:
    """Positions on the scale; a missing label is a gap, another one an error."""
    codes = scale.codes(column).astype(np.int64)
    if len(codes) and codes.min() < 0:
        scale.refuse_misfits(column, unknown="raise", missing="drop")
    return np.where(codes < 0, GAP, codes)


def _length(columns: list[Column]) -> int:
    sizes = {c.name: len(c) for c in columns}
    if len(set(sizes.values())) > 1:
        raise LabelError(f"all raters must have one entry for each item; got {sizes}.")
    n = next(iter(sizes.values()))
    if n == 0:
        raise LabelError("the table of ratings has no items.")
    return n


def _item_names(items: Any, n: int) -> tuple[Hashable, ...]:
    names = tuple(range(1, n + 1)) if items is None else tuple(items)
    if len(names) != n or len(set(names)) != n:
        raise LabelError(f"{named('items')} must be {n:,} different names, one for each item.")
    return names


def _read_clusters(clusters: Any, n: int) -> Any:
    if clusters is None:
        return None
    listed = list(clusters)
    if len(listed) != n:
        raise LabelError(
            f"{named('clusters')} must name a cluster for each of the {n:,} items; got "
            f"{len(listed):,}."
        )
    if any(map(is_missing, listed)):
        raise LabelError(f"{named('clusters')} must not hold missing values.")
    return tuple(listed)


def _long_rows(source: Source, names: list[str], labels: Any) -> DistinctRows:
    if len(set(names)) < len(names):
        raise LabelError(f"item, rater and rating must be different columns; got {names}.")
    rows = numbers_read(
        source.rows(names), [names[2]], None if labels is None else as_scale(labels)
    )
    for name in (names[0], names[1], *names[3:]):
        lost = int(rows.count[[is_missing(v) for v in rows.columns[name]]].sum())
        if lost:
            raise LabelError(
                f"{plural(lost, 'rating')} {'has' if lost == 1 else 'have'} no value in {name!r}."
            )
    if not len(rows.count):
        raise LabelError("there are no ratings.")
    return rows


def _numbered(columns: list[list[Any]], count: Integers) -> tuple[list[tuple[Any, ...]], Integers]:
    """The distinct values of columns in order, and the number of each row's, rows repeated."""
    keys = list(zip(*columns, strict=True))
    distinct = set(keys)
    try:
        ordered = sorted(distinct)
    except TypeError:
        ordered = sorted(distinct, key=as_printed)
    number = {key: i for i, key in enumerate(ordered)}
    found = np.fromiter(map(number.__getitem__, keys), np.int64, len(keys))
    return ordered, np.repeat(found, count)


def _runs(pair: Integers, code: Integers) -> Integers:
    """How many ratings of the same rater and item come before each, lower ones first."""
    order = np.lexsort((code, pair))
    start = np.flatnonzero(np.diff(pair[order], prepend=-1) != 0)
    size = np.diff([*start, len(pair)])
    run = np.empty(len(pair), dtype=np.int64)
    run[order] = np.arange(len(pair)) - np.repeat(start, size)
    return run


def _run_names(owner: list[int], raters: list[str]) -> tuple[str, ...]:
    """The name of each column; runs of one rater are told apart by a number."""
    seen: dict[int, int] = {}
    names = []
    for r in owner:
        seen[r] = seen.get(r, 0) + 1
        names.append(raters[r] if owner.count(r) == 1 else f"{raters[r]} #{seen[r]}")
    return tuple(names)


def _one_each(
    rows: DistinctRows, names: list[str], items: list[tuple[Any, ...]], item: Integers
) -> tuple[Any, ...]:
    """The cluster of each item, which must be the same in all of its rows."""
    clusters = np.repeat(np.array(rows.columns[names[3]], dtype=object), rows.count)
    first = np.full(len(items), -1)
    first[item[::-1]] = np.arange(len(item))[::-1]
    differs = np.flatnonzero(clusters != clusters[first[item]])
    if len(differs):
        name = items[item[differs[0]]][0]
        raise LabelError(f"the item {name!r} is in several clusters of {names[3]!r}.")
    return tuple(clusters[first].tolist())


def _refuse_duplicates(rows: DistinctRows, item: str) -> None:
    seen: set[Any] = set()
    for name, count in zip(rows.columns[item], rows.count.tolist(), strict=True):
        if name in seen or count > 1:
            raise LabelError(f"the item {name!r} stands in more than one row of {item!r}.")
        seen.add(name)
