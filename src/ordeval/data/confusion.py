"""ConfusionMatrix: immutable counts (..., K, K) with their Scale and their Origin.

The value type and nothing else: counting is done in items, rows, frames and files, and counts are
judged by the one validator. Measures, intervals and plots take what comes from here and trust it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import amount, plural
from ordeval._shared.types import Paths, Policy, Progress
from ordeval.data.columns import as_column
from ordeval.data.counts import (
    Dropped,
    Origin,
    exact_sum,
    merge_levels,
    not_wrapped,
    validate_counts,
)
from ordeval.data.items import Misfits, are_whole, count_labels, read_weights
from ordeval.data.query import Query
from ordeval.data.scale import Scale, as_scale
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource, column_names
from ordeval.data.sources.rows import Source, check_columns, count_models
from ordeval.exceptions import CountsError, ScaleError

if TYPE_CHECKING:
    import pandas

_SHOWN_LEVELS = 15


class ConfusionMatrix(Result):
    """How often each true class met each predicted class, on a declared scale.

    Parameters
    ----------
    counts
        Array of shape ``(..., K, K)``: rows are truth, columns prediction. Leading axes make a
        stack of matrices. Integers stay exact; fractions (weights, shares) are kept as float64.
    labels
        The K ordered labels, lowest first, or a Scale. Without them the classes are called by
        their positions 0 .. K-1.

    Examples
    --------
    >>> ConfusionMatrix([[8, 2, 0], [1, 6, 3], [0, 1, 9]], labels=["low", "medium", "high"])
    ConfusionMatrix of 30 items, rows truth, columns prediction
            low  medium  high
    low       8       2     0
    medium    1       6     3
    high      0       1     9
    """

    __slots__ = ("_counts", "_origin", "_scale")
    kind = "ordeval.confusion_matrix"

    def __init__(self, counts: Any, labels: Any = None) -> None:
        array = validate_counts(counts)
        k = array.shape[-1]
        _check_frame_labels(counts, labels)
        scale = Scale.range(0, k - 1) if labels is None else as_scale(labels)
        if scale.k != k:
            labels_were = "label was" if scale.k == 1 else "labels were"
            raise CountsError(
                f"counts are for {k} classes but {scale.k} {labels_were} given: {scale}."
            )
        fractional = array.dtype.kind == "f" and bool((array != np.floor(array)).any())
        self._set(array.copy(), scale, Origin(weighted=fractional))

    def _set(self, counts: NDArray[Any], scale: Scale, origin: Origin) -> None:
        counts.flags.writeable = False
        # Of a view of a read-only array not even setflags can make a writable one.
        self._counts, self._scale, self._origin = counts.view(), scale, origin

    @classmethod
    def of(cls, counts: NDArray[Any], scale: Scale, origin: Origin) -> ConfusionMatrix:
        """A matrix from counts that are known to be sound and that nobody else holds."""
        self = cls.__new__(cls)
        self._set(counts, scale, origin)
        return self

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        y_pred: Any,
        labels: Any = None,
        sample_weight: Any = None,
        *,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> ConfusionMatrix:
        """Count labels that are in memory.

        Parameters
        ----------
        y_true, y_pred
            True and predicted label of each item: list, NumPy array, or a column of pandas,
            Polars or PyArrow. Items are paired by position; Series of pandas whose indexes differ
            are refused.
        labels
            The ordered labels, lowest first. May be left out for integers, which imply their
            range, and for ordered categoricals and enums, which carry it and must not contradict
            it.
        sample_weight
            One non-negative number per item.
        unknown, missing
            What to do with labels outside the scale and with missing values: ``"raise"``, or
            ``"drop"`` the item and record the number in ``dropped``.

        Examples
        --------
        >>> cm = ConfusionMatrix.from_labels([1, 2, 2, 3], [1, 2, 3, 3])
        >>> cm.support
        array([1, 2, 1])
        """
        misfits = Misfits(unknown, missing)
        return cls.of(
            *count_labels(
                y_true, y_pred, labels=labels, sample_weight=sample_weight, misfits=misfits
            )
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        pred: str | Sequence[str],
        labels: Any = None,
        weight: str | None = None,
        *,
        by: str | Sequence[str] | None = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> ConfusionMatrix:
        """Count columns of a dataframe where it lives.

        Parameters
        ----------
        frame
            pandas, Polars (eager or lazy), PyArrow, DuckDB, PySpark, Dask, Ibis: what narwhals
            knows. A lazy frame runs a group-by on its own engine, and only the counts come back.
        truth, pred, weight
            Names of the columns. A list of predictions makes a stack, one matrix for each.
        labels, unknown, missing
            As in ``from_labels``. Of several predictions each is counted on its own items, and
            ``dropped`` is their sum.
        by
            Column, or columns, of subgroups: a stack with one matrix per subgroup, which the
            attribute ``by`` names, in front of the axis of predictions if there is one.

        Examples
        --------
        >>> import polars as pl
        >>> visits = pl.LazyFrame({"site": ["A", "A", "B", "B"], "stage": [1, 2, 2, 3],
        ...                        "model": [1, 2, 3, 3]})
        >>> stages = ConfusionMatrix.from_frame(visits, "stage", "model", [1, 2, 3], by="site")
        >>> dict(zip(stages.by, stages.total.tolist()))
        {'A': 2, 'B': 2}
        """
        query = Query.of(
            truth, pred, labels=labels, weight=weight, by=by, unknown=unknown, missing=missing
        )
        in_memory = type(frame).__module__.partition(".")[0] in ("pandas", "pyarrow")
        if in_memory and by is None and isinstance(pred, str):
            check_columns([truth, pred, *([weight] if weight else [])], column_names(frame))
            weights = None
            if weight is not None:
                weights = read_weights(frame[weight], len(frame), column=weight)
            y_true, y_pred = (as_column(frame[c], c) for c in (truth, pred))
            return cls.from_labels(
                y_true, y_pred, labels, weights, unknown=unknown, missing=missing
            )
        return _one_or_stack(matrices_by_model(FrameSource(frame), query), pred)

    @classmethod
    def from_file(
        cls,
        path: Paths | FileSource,
        truth: str,
        pred: str | Sequence[str],
        labels: Any = None,
        weight: str | None = None,
        *,
        by: str | Sequence[str] | None = None,
        table: str | None = None,
        format: str | None = None,  # noqa: A002 - the word that users know
        encoding: str | None = None,
        decimal: str | None = None,
        where: str | None = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> ConfusionMatrix:
        """Count columns of a file: CSV, Parquet, JSON lines, Arrow, DuckDB or SQLite.

        A list of files is one table; each must have all columns that are named. A pattern such as
        ``"preds/*.parquet"`` reads many files, a folder all Parquet files in it and below; folders
        there that are called ``key=value`` are columns of their files. In CSV
        an empty field is a missing label, and any other text a label: ``NA`` too. CSV and SQLite
        need nothing else; the others need ``pip install "ordeval[files]"``. ``table`` names the
        table of a database, ``format`` the kind of a file whose name does not tell it,
        ``encoding`` the encoding of CSV that is not UTF-8, ``decimal`` its decimal mark if that is
        a comma, and ``where`` the rows that are read, such as
        ``"split = 'test' and grade in (1, 2)"``. ``progress`` is
        called with a stage, the steps done and the steps in all; the rest is as in ``from_frame``.
        """
        query = Query.of(
            truth, pred, labels=labels, weight=weight, by=by, unknown=unknown, missing=missing
        )
        source = path
        if not isinstance(source, FileSource):
            form = Form.of(format, encoding, decimal, where)
            source = FileSource(source, table, progress, form)
        return _one_or_stack(matrices_by_model(source, query), pred)

    @property
    def counts(self) -> NDArray[Any]:
        """The counts, read-only, of shape ``(..., K, K)``."""
        return self._counts

    @property
    def scale(self) -> Scale:
        """The ordered labels."""
        return self._scale

    @property
    def origin(self) -> Origin:
        """Where the counts come from."""
        return self._origin

    @property
    def dropped(self) -> Dropped:
        """How many items were dropped in counting, and why."""
        return self._origin.dropped

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights, which do not say how many items there are."""
        return self._origin.weighted

    @property
    def items(self) -> Any:
        """How many items each matrix holds; None if only their weights are known."""
        return self._origin.items if self.weighted else self.total

    @property
    def scored(self) -> NDArray[Any]:
        """The counts that measures look at: weights are scaled to the number of items.

        Whole numbers are left as they are: an item of weight 2 counts like two.
        """
        if not self.weighted or self.items is None or are_whole(self._counts):
            return self._counts
        # By the largest first: weights may be so small or so large that their sum is not a number.
        largest = self._counts.max(axis=(-2, -1), keepdims=True)
        shares = self._counts / np.where(largest > 0, largest, 1.0)
        total = shares.sum(axis=(-2, -1))
        factor = np.where(total > 0, self.items / np.where(total > 0, total, 1.0), 1.0)
        return np.asarray(shares * factor[..., None, None])

    @property
    def by(self) -> tuple[Any, ...] | None:
        """What the first axis of a stack stands for, if it was counted by subgroups."""
        return self._origin.by

    @property
    def implied(self) -> bool:
        """Whether the scale was read off the integers that occur, rather than declared."""
        return self._origin.implied

    @property
    def k(self) -> int:
        """The declared number of classes."""
        return self._scale.k

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; ``()`` for one matrix."""
        return self._counts.shape[:-2]

    @property
    def total(self) -> Any:
        """Number of items, or their summed weight; an array for a stack."""
        total = exact_sum(self._counts, axis=(-2, -1))
        return total if self.shape else np.asarray(total).item()

    @property
    def support(self) -> NDArray[Any]:
        """Items of each true class, shape ``(..., K)``."""
        return exact_sum(self._counts, axis=-1)

    @property
    def predicted(self) -> NDArray[Any]:
        """Items of each predicted class, shape ``(..., K)``."""
        return exact_sum(self._counts, axis=-2)

    @property
    def T(self) -> ConfusionMatrix:  # noqa: N802 - NumPy's name for it
        """Truth and prediction exchanged."""
        return self._with(np.swapaxes(self._counts, -1, -2).copy())

    def normalized(self, by: Literal["true", "pred", "all"] = "true") -> NDArray[np.float64]:
        """Shares of each true class, of each predicted class, or of all items.

        The shares of a class without items are NaN: nothing is known about it.
        """
        axis: dict[str, int | tuple[int, int]] = {"true": -1, "pred": -2, "all": (-2, -1)}
        if by not in list(axis):
            raise CountsError(f'normalized takes "true", "pred" or "all"; got {by!r}.')
        counts = self._counts.astype(np.float64)
        sums = counts.sum(axis=axis[by], keepdims=True)
        shares = np.full_like(counts, np.nan)
        np.divide(counts, sums, out=shares, where=sums > 0)
        return shares

    def collapse(
        self, levels: Mapping[Hashable, Sequence[Hashable]] | Sequence[Sequence[Hashable]]
    ) -> ConfusionMatrix:
        """Merge adjacent levels.

        Examples
        --------
        >>> cm = ConfusionMatrix([[5, 1, 0], [2, 3, 1], [0, 1, 7]], labels=["I", "II", "III"])
        >>> cm.collapse({"early": ["I", "II"], "late": ["III"]})
        ConfusionMatrix of 20 items, rows truth, columns prediction
               early  late
        early     11     1
        late       1     7
        """
        named = _named_levels(levels)
        members = [label for merged in named.values() for label in merged]
        if tuple(members) != self._scale.levels or not all(named.values()):
            raise ScaleError(
                f"collapse takes every level once, in order, in lists of neighbours; the scale is "
                f"{self._scale}, the lists are {[list(x) for x in named.values()]}."
            )
        starts = np.cumsum([0, *(len(x) for x in named.values())])[:-1]
        return self._with(merge_levels(self._counts, starts), Scale(list(named)))

    def to_frame(self) -> pandas.DataFrame:
        """One matrix as a pandas DataFrame, index truth, columns prediction."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        self._only_one("to_frame")
        levels = list(self._scale.levels)
        frame: pandas.DataFrame = pd.DataFrame(
            self._counts.copy(),
            index=pd.Index(levels, name="truth", tupleize_cols=False),
            columns=pd.Index(levels, name="prediction", tupleize_cols=False),
        )
        return frame

    def __add__(self, other: object) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self._scale != other._scale:
            raise ScaleError(
                f"Only matrices of the same scale can be merged; got {self._scale} and "
                f"{other._scale}."
            )
        if self.shape != other.shape:
            raise CountsError(
                f"Only stacks of the same shape can be merged; got {self.shape} and {other.shape}."
            )
        if self.by != other.by:
            raise CountsError(
                "Only stacks of the same subgroups, in the same order, can be merged."
            )
        counts = not_wrapped(self._counts + other._counts, "merged")
        origin = Origin(
            self.dropped + other.dropped,
            self.implied and other.implied,
            self.weighted or other.weighted,
            self.by,
            _sum_of_items(self, other),
        )
        return self.of(counts, self._scale, origin)

    def __radd__(self, other: object) -> ConfusionMatrix:
        # sum(matrices) starts from the integer 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConfusionMatrix)
            and self._scale == other._scale
            and np.array_equal(self._counts, other._counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single confusion matrix has no length; only a stack has one")
        return self.shape[0]

    def __iter__(self) -> Iterator[ConfusionMatrix]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> ConfusionMatrix:
        """A part of a stack."""
        positions = np.arange(math.prod(self.shape)).reshape(self.shape)
        try:
            chosen = positions[index]
        except IndexError:
            raise IndexError(
                f"a stack of shape {self.shape} was indexed by {index}; cells are in .counts"
            ) from None
        part = self._counts.reshape(-1, self.k, self.k)[chosen]
        items = None if self.items is None else np.asarray(self.items).reshape(-1)[chosen]
        origin = replace(self._origin, by=self._by_at(index), items=items)
        return self.of(part, self._scale, origin)

    def _by_at(self, index: Any) -> tuple[Any, ...] | None:
        """The subgroups that an index leaves, if they are still the first axis."""
        if self.by is None:
            return None
        first = index[0] if isinstance(index, tuple) and index else index
        chosen = np.arange(len(self.by))[first]
        return tuple(self.by[i] for i in chosen) if chosen.ndim == 1 else None

    def _with(self, counts: NDArray[Any], scale: Scale | None = None) -> ConfusionMatrix:
        """Other counts of the same items."""
        return self.of(counts, scale or self._scale, self._origin)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self._counts, self._scale, self._origin)

    def table(self) -> Table:
        """One matrix, rows truth, columns prediction."""
        self._only_one("table")
        levels = [str(x) for x in self._scale]
        rows = tuple(
            (Cell(name), *(Cell(_cell(x)) for x in row))
            for name, row in zip(levels, self._counts.tolist(), strict=True)
        )
        return Table(("", *levels), rows, f"{self._head()}, rows truth, columns prediction")

    def rows(self) -> list[dict[str, Any]]:
        """One record per cell of one matrix."""
        self._only_one("rows")
        return [
            {"truth": t, "prediction": p, "count": self._counts[i, j].item()}
            for i, t in enumerate(self._scale)
            for j, p in enumerate(self._scale)
        ]

    def facts(self) -> dict[str, Any]:
        """The scale, the counts and where they come from."""
        return {
            "scale": [str(x) for x in self._scale],
            "counts": self._counts,
            **vars(self._origin),
        }

    def _only_one(self, method: str) -> None:
        if self.shape:
            raise CountsError(
                f"{method} shows one matrix; this is a stack of shape {self.shape}. "
                f"Take one out first, for example cm[0].{method}()."
            )

    def to_text(self, width: int | None = None) -> str:
        """The matrix as plain text; of a stack, or of many classes, what it is."""
        if self.shape:
            by = "" if self.by is None else f", by {_shown(self.by)}"
            return f"ConfusionMatrix stack of shape {self.shape}, {self._scale}{by}"
        if self.k > _SHOWN_LEVELS:
            return f"{self._head()}, {self.k} classes, {self._scale}"
        return self.table().to_text(width)

    def _head(self) -> str:
        dropped = f" (dropped: {self.dropped})" if self.dropped else ""
        return f"ConfusionMatrix of {self.size}{dropped}"

    def _repr_html_(self) -> str:
        if self.shape or self.k > _SHOWN_LEVELS:
            from html import escape

            return f"<pre>{escape(str(self))}</pre>"
        return self.table().to_html()

    @property
    def size(self) -> str:
        """The items of one matrix, or their summed weight, in words."""
        if self.weighted:
            return f"total weight {amount(float(self.total))}"
        return plural(int(self.total), "item")


def matrices_by_model(source: Source, query: Query) -> dict[str, ConfusionMatrix]:
    """The matrix of each model, or its stack with one matrix per subgroup, on one scale."""
    return {m: ConfusionMatrix.of(*counted) for m, counted in count_models(source, query).items()}


def _sum_of_items(a: ConfusionMatrix, b: ConfusionMatrix) -> Any:
    """How many items two matrices hold, if it is known of both."""
    if not (a.weighted or b.weighted) or a.items is None or b.items is None:
        return None
    return np.asarray(a.items) + np.asarray(b.items)


def _one_or_stack(found: dict[str, ConfusionMatrix], pred: str | Sequence[str]) -> ConfusionMatrix:
    """The matrix of one model, or those of several as a stack, the models on its last axis."""
    if isinstance(pred, str):
        return found[pred]
    first, counts = found[pred[0]], [cm.counts for cm in found.values()]
    dropped = sum((cm.dropped for cm in found.values()), Dropped())
    items = None
    if first.weighted:
        items = np.stack([np.asarray(cm.items) for cm in found.values()], axis=-1)
    origin = replace(first.origin, dropped=dropped, items=items)
    return ConfusionMatrix.of(np.stack(counts, axis=-3), first.scale, origin)


def _shown(by: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, by[:5])) + (", ..." if len(by) > 5 else "")


def _check_frame_labels(frame: Any, labels: Any) -> None:
    """A frame names its columns, and of pandas its rows: they must be the scale's, in its order."""
    named = getattr(frame, "column_names", getattr(frame, "columns", None))
    if named is None or callable(named):
        return
    columns = list(named)
    # Frames of Polars and PyArrow have no names of rows.
    rows = list(frame.index) if hasattr(frame, "index") else columns
    if rows != columns:
        raise CountsError(
            f"the rows and the columns of the frame must be the same classes in the same order; "
            f"the rows are {rows}, the columns are {columns}."
        )
    if labels is not None:
        levels = list(as_scale(labels).levels)
        if rows != levels and rows != list(range(len(rows))):
            raise CountsError(
                f"the rows and columns of the frame are {rows}, the labels are {levels}. "
                f"Put the frame in their order, for example frame.loc[labels, labels]."
            )
    elif not all(isinstance(x, (int, np.integer)) for x in rows) or rows != sorted(rows):
        raise ScaleError(
            f"The order of the classes {rows} of the frame is not declared. If it is right, pass "
            f"it: oe.ConfusionMatrix(frame, labels={rows}); else put the frame in order first."
        )


def as_counts(counts: Any) -> NDArray[Any]:
    """The counts of a ConfusionMatrix, an array or a labelled frame."""
    if isinstance(counts, ConfusionMatrix):
        return counts.scored
    _check_frame_labels(counts, None)
    return validate_counts(counts)


def _named_levels(levels: Any) -> dict[Hashable, Sequence[Hashable]]:
    """Lists of levels by the name of the level that they become."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise ScaleError(
            f"collapse takes lists of levels, or a mapping of names to lists; got {levels!r}."
        )

    def members(merged: Any) -> list[Hashable]:
        alone = isinstance(merged, str) or not isinstance(merged, Iterable)
        return [merged] if alone else list(merged)

    if isinstance(levels, Mapping):
        return {name: members(merged) for name, merged in levels.items()}
    return {_name(merged): merged for merged in map(members, levels)}


def _name(merged: Sequence[Hashable]) -> Hashable:
    return merged[0] if len(merged) == 1 else f"{merged[0]}-{merged[-1]}" if merged else ""


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"
