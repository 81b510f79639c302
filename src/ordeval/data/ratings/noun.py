"""Ratings: items by raters, on one scale, with gaps.

What measures need of ratings adds over items: pairs of ratings of one item, and the levels that a
rater uses. Nothing here judges the ratings.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.text import named
from ordeval._shared.types import Paths, Policy, check_choice
from ordeval.data.columns import as_column
from ordeval.data.populations.partial_truth import gapped_scale
from ordeval.data.query import several_columns
from ordeval.data.ratings.entries import Entries
from ordeval.data.ratings.facts import Duplicates, RatingFacts, Tie
from ordeval.data.ratings.tables import (
    by_item,
    item_names,
    length_of,
    listed_raters,
    long_ratings,
    names_of,
    only_raters,
    rated_positions,
    read_clusters,
    read_table,
    source_of,
    warn_of_implied,
)
from ordeval.data.scale import Scale, as_scale
from ordeval.data.sources.rows import numbers_read
from ordeval.exceptions import LabelError, ParameterError

if TYPE_CHECKING:
    from ordeval.results.ratings import RaterSeverity, RatingScores


class Ratings(RatingFacts):
    """The ratings of several raters, not all of whom rate every item.

    Parameters
    ----------
    table
        Items by raters: an array or a list of rows, a dataframe or a mapping with one column per
        rater. None and NaN are gaps.
    labels
        The ordered labels, lowest first; may be left out as in ``ConfusionMatrix.from_labels``.
    raters
        The columns of a frame or a mapping that are raters, by default all; of an array or a list
        of rows their names.
    items
        Names of the items; by default those of a pandas index, or numbers from 1.
    clusters
        The cluster of each item (document, patient): items of one cluster are not independent.
    unknown
        What happens to ratings outside the scale: ``"raise"`` or ``"drop"`` (see ``outside``).

    Examples
    --------
    >>> ratings = Ratings([[1, 1, 2], [3, None, 3], [2, 2, 2], [1, 2, None]], labels=[1, 2, 3])
    >>> ratings.pair_counts
    array([[1., 2., 0.],
           [2., 3., 0.],
           [0., 0., 2.]])
    """

    _kind: ClassVar[str] = "ordeval.ratings"

    scale: Scale
    entries: Entries
    raters: tuple[str, ...]
    items: tuple[Hashable, ...]
    clusters: Any  # (items,), or None
    implied: bool  # the scale was read off integers
    runs: dict[str, tuple[int, ...]]  # the columns of each rater; several if asked repeatedly
    outside: dict[str, int]  # dropped ratings outside the scale, by rater

    def __init__(
        self,
        table: Any,
        labels: Any = None,
        raters: Any = None,
        items: Any = None,
        clusters: Any = None,
        unknown: Policy = "raise",
    ) -> None:
        given = read_table(table, raters)
        columns = [as_column(x, name) for name, x in given.columns.items()]
        n = length_of(columns)
        with only_raters(given, raters):
            scale, implied = gapped_scale(columns, labels)
            read = [rated_positions(scale, column, unknown) for column in columns]
        called = tuple(given.columns)
        entries = Entries.of_table(np.stack([code for code, _ in read], axis=1))
        if implied:
            warn_of_implied(scale, entries, called)
        names = item_names(given.items if items is None else items, n)
        self._set(
            scale=scale,
            entries=entries,
            raters=called,
            items=names,
            clusters=read_clusters(clusters, names),
            implied=implied,
            runs={name: (i,) for i, name in enumerate(called)},
            outside={n: int(x.sum()) for n, (_, x) in zip(called, read, strict=True) if x.any()},
        )

    def _set(self, **values: Any) -> None:
        entries = values["entries"]
        for array in (entries.item, entries.column, entries.level):
            array.setflags(write=False)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Ratings are immutable; create new ones.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**{name: state[name] for name in Ratings.__annotations__ if name in state})

    @classmethod
    def _of(cls, **values: Any) -> Ratings:
        ratings = cls.__new__(cls)
        ratings._set(**values)
        return ratings

    @classmethod
    @checked
    def from_long(
        cls,
        frame: Any,
        item: str | Sequence[str] = "item",
        rater: str = "rater",
        rating: str = "rating",
        *,
        labels: Any = None,
        clusters: str | None = None,
        duplicates: Duplicates = "raise",
        unknown: Policy = "raise",
    ) -> Ratings:
        """Read ratings from a long table with one row per rating, on its own engine.

        Parameters
        ----------
        frame
            Any dataframe or lazy query that ``ConfusionMatrix.from_frame`` takes.
        item, rater, rating, clusters
            Names of the columns. A missing rating is a gap. Several columns may name an item.
        labels
            The ordered labels, lowest first. May be left out for integers.
        duplicates
            What two ratings of one item by one rater are: an error (``"raise"``), or repeated
            ``"runs"`` of the rater, numbered at random: rows tell nothing of their order. Each
            rater counts once, however many the runs.
        unknown
            What happens to ratings outside the scale: ``"raise"`` or ``"drop"``.

        Returns
        -------
        Ratings
            Items by raters.

        Raises
        ------
        LabelError
            If there is no such column, or ratings do not fit the scale or each other.
        ParameterError
            If an option is outside its domain.
        ScaleError
            If the order of the labels is missing or contradictory.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"item": [1, 1, 2], "rater": ["A", "B", "A"], "rating": [3, 4, 4]})
        >>> Ratings.from_long(frame, labels=range(1, 6)).codes
        array([[ 2,  3],
               [ 3, -1]])
        """
        source = source_of(frame)
        names = [rater, rating, *([clusters] if clusters is not None else [])]
        check_choice("duplicates", duplicates, get_args(Duplicates))
        runs, ids = duplicates == "runs", several_columns(item, "item")
        return cls._of(**long_ratings(source, ids, names, labels, runs=runs, unknown=unknown))

    @classmethod
    @checked
    def from_file(
        cls,
        path: Paths,
        item: str | Sequence[str] = "item",
        rater: str | None = "rater",
        rating: str | None = "rating",
        *,
        raters: str | Sequence[str] | None = None,
        labels: Any = None,
        clusters: str | None = None,
        duplicates: Duplicates = "raise",
        unknown: Policy = "raise",
        table: str | None = None,
        header_row: int | None = None,
        format: str | None = None,  # noqa: A002 - the word that users know
        encoding: str | None = None,
        decimal: str | None = None,
        where: str | None = None,
    ) -> Ratings:
        """Read ratings from a file that ``ConfusionMatrix.from_file`` takes: long, or wide.

        Parameters
        ----------
        path
            A file, or several that are one table.
        item, rater, rating, labels, clusters, duplicates, unknown
            As in ``from_long``.
        raters
            The columns of a wide file, one for each rater, with one row per ``item``.
        table, header_row, format, encoding, decimal, where
            As in ``ConfusionMatrix.from_file``.

        Returns
        -------
        Ratings
            Items by raters.

        Raises
        ------
        LabelError
            If there is no such file or column, or ratings do not fit the scale or each other.
        MissingExtraError
            If the format needs a package that is not installed (extra ``files``).
        ParameterError
            If an option is outside its domain.
        ScaleError
            If the order of the labels is missing or contradictory.
        """
        from ordeval.data.sources.files import FileSource, Form  # files are seldom read

        form = Form.of(format, encoding, decimal, where, header_row)
        source = FileSource(path, table, form=form)
        if raters is None:
            return cls.from_long(
                source,
                item,
                str(rater),
                str(rating),
                labels=labels,
                clusters=clusters,
                duplicates=duplicates,
                unknown=unknown,
            )
        return cls.from_wide(
            source, item, raters, labels=labels, clusters=clusters, unknown=unknown
        )

    @classmethod
    @checked
    def from_wide(
        cls,
        frame: Any,
        item: str | Sequence[str],
        raters: str | Sequence[str],
        *,
        labels: Any = None,
        clusters: str | None = None,
        unknown: Policy = "raise",
    ) -> Ratings:
        """Read ratings from a table with one row per item and one column per rater.

        Parameters
        ----------
        frame
            Any dataframe or lazy query that ``ConfusionMatrix.from_frame`` takes.
        item, raters, clusters
            Names of the columns. A missing rating is a gap. Several columns may name an item.
        labels
            The ordered labels, lowest first. May be left out for integers.
        unknown
            What happens to ratings outside the scale: ``"raise"`` or ``"drop"``.

        Returns
        -------
        Ratings
            Items by raters.

        Raises
        ------
        LabelError
            If there is no such column, or ratings do not fit the scale or each other.
        ScaleError
            If the order of the labels is missing or contradictory.
        """
        source = source_of(frame)
        raters, ids = listed_raters(raters), several_columns(item, "item")
        if len({*ids, *raters}) < len(ids) + len(raters):
            raise LabelError(
                f"item and raters must be different columns; got {item!r} and {raters}."
            )
        columns = [*ids, *raters, *([clusters] if clusters is not None else [])]
        rows = by_item(source.rows(list(dict.fromkeys(columns))), ids)
        rows = numbers_read(rows, raters, labels)
        return cls(
            {name: rows.column(name) for name in raters},
            labels,
            raters,
            names_of(rows, ids),
            clusters=None if clusters is None else rows.listed(clusters),
            unknown=unknown,
        )

    def of(self, raters: Iterable[str]) -> Ratings:
        """The ratings of some raters."""
        wanted = list(dict.fromkeys(map(str, listed_raters(raters))))
        if not wanted:
            raise ParameterError("raters is empty; name at least one rater.")
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
            scale=self.scale,
            entries=self.entries.of_columns(places),
            items=self.items,
            raters=tuple(self.raters[i] for i in places),
            clusters=self.clusters,
            implied=self.implied,
            runs=runs,
            outside={name: n for name, n in self.outside.items() if name in wanted},
        )

    @checked
    def consensus(
        self, how: Literal["median", "majority"] = "median", *, tie: Tie = "lower"
    ) -> list[Any]:
        """Find one label per item: the median of its ratings, or the most frequent one.

        Parameters
        ----------
        how
            ``"median"`` or ``"majority"``.
        tie
            Where a tie goes (the two middle ratings of an even number, or two levels that are
            equally frequent): to the ``"lower"`` or the ``"upper"`` level, or it is ``"missing"``.

        Returns
        -------
        list
            A label for each item; None for unrated items.

        Raises
        ------
        ParameterError
            If ``how`` or ``tie`` is none of these.

        Examples
        --------
        >>> Ratings([[1, 1, 3], [1, 2, None]], labels=[1, 2, 3]).consensus(tie="upper")
        [1, 2]
        """
        check_choice("how", how, ("median", "majority"))
        check_choice("tie", tie, get_args(Tie))
        found = self.consensus_codes(how, tie)
        return [None if c < 0 else self.scale.levels[c] for c in found.tolist()]

    @checked
    def agreement(
        self, metrics: Any = None, *, level: float | None = 0.95, random_raters: bool = False
    ) -> RatingScores:
        """Compute the agreement of the raters, with intervals.

        Parameters
        ----------
        metrics
            Measures of many raters or their names; by default all: ``krippendorff_alpha``, the
            kappas, ``intraclass_correlation``, ``gwet_ac2`` and ``brennan_prediger``.
        level
            Nominal coverage of the intervals; None leaves them out. The items, or the clusters of
            items, are the sample.
        random_raters
            Whether the raters are a sample too: the interval then also leaves out each rater in
            turn.

        Returns
        -------
        results.RatingScores
            The value and the interval of each measure.

        Raises
        ------
        ParameterError
            If a measure is not one of many raters, or ``level`` is not between 0 and 1.
        UnknownMetricError
            If no measure has one of the names.

        Examples
        --------
        >>> import ordeval as oe
        >>> table = [[1, 1, 2], [3, 3, None], [2, 2, 2], [1, 2, 1], [3, 3, 3], [2, 1, 2]] * 5
        >>> found = oe.Ratings(table, labels=[1, 2, 3]).agreement("krippendorff_alpha")
        >>> round(found["krippendorff_alpha"], 3)
        0.704
        """
        from ordeval.evaluate.agreement import agreement_of

        return agreement_of(self, metrics, level=level, random_raters=random_raters)

    @checked
    def severity(self, *, level: float = 0.95) -> RaterSeverity:
        """Compute how many steps each rater is above the mean of the others, with intervals.

        Parameters
        ----------
        level
            Nominal coverage of the intervals.

        Returns
        -------
        results.RaterSeverity
            An interval by the name of each rater.

        Raises
        ------
        ParameterError
            If ``level`` is not between 0 and 1.
        """
        from ordeval.evaluate.agreement import severity_of

        return severity_of(self, level=level)


def as_ratings(ratings: Any, labels: Any = None) -> Ratings:
    """Ratings as they are, or of a table; labels are only for the latter."""
    if not isinstance(ratings, Ratings):
        return Ratings(ratings, labels)
    if labels is not None and as_scale(labels) != ratings.scale:
        raise LabelError(
            f"{named('labels')} are those of the ratings, {ratings.scale}; leave them out here."
        )
    return ratings
