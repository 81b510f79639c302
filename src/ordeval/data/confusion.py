"""ConfusionMatrix: immutable counts (..., K, K) with their Scale.

This is the one place where counts are judged. Measures, intervals and plots take what comes from
here and trust it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval.data.columns import as_column
from ordeval.data.counts import exact_sum, not_wrapped, validate_counts
from ordeval.data.items import Counted, Dropped, count_labels
from ordeval.data.scale import Policy, Scale, as_scale, warn_of_empty_levels
from ordeval.exceptions import CountsError, LabelError, ScaleError

if TYPE_CHECKING:
    import pandas

    from ordeval.data.files import Progress
    from ordeval.data.frames import DistinctRows, Reader

_SHOWN_LEVELS = 15


class ConfusionMatrix:
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

    __slots__ = ("_counts", "_dropped", "_groups", "_implied", "_scale", "_weighted")

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
        self._set(array.copy(), scale, Dropped())

    def _set(
        self,
        counts: NDArray[Any],
        scale: Scale,
        dropped: Dropped,
        implied: bool = False,
        weighted: bool = False,
        groups: tuple[Any, ...] | None = None,
    ) -> None:
        counts.flags.writeable = False
        # Of a view of a read-only array not even setflags can make a writable one.
        self._counts, self._scale, self._dropped = counts.view(), scale, dropped
        self._implied, self._weighted, self._groups = implied, weighted, groups

    @classmethod
    def _of(
        cls,
        counts: NDArray[Any],
        scale: Scale,
        dropped: Dropped,
        implied: bool = False,
        weighted: bool = False,
        groups: tuple[Any, ...] | None = None,
    ) -> ConfusionMatrix:
        """A matrix from counts that are known to be sound and that nobody else holds."""
        self = cls.__new__(cls)
        self._set(counts, scale, dropped, implied, weighted, groups)
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
            Polars or PyArrow.
        labels
            The ordered labels, lowest first. May be left out for integers, which imply their
            range, and for ordered categoricals and enums, which carry it.
        sample_weight
            One non-negative number an item.
        unknown, missing
            What to do with labels outside the scale and with missing values: ``"raise"``, or
            ``"drop"`` the item and record the number in ``dropped``.

        Examples
        --------
        >>> cm = ConfusionMatrix.from_labels([1, 2, 2, 3], [1, 2, 3, 3])
        >>> cm.support
        array([1, 2, 1])
        """
        counted = count_labels(
            y_true,
            y_pred,
            labels=labels,
            sample_weight=sample_weight,
            unknown=unknown,
            missing=missing,
        )
        return cls.from_counted(counted)

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
            Names of the columns. A list of predictions makes a stack, a matrix for each.
        labels, unknown, missing
            As in ``from_labels``. Of several predictions each is counted on its own items, and
            ``dropped`` is their sum.
        by
            Column, or columns, to group by: a stack with a matrix for each group, which
            ``groups`` names, in front of the axis of predictions if there is one.

        Examples
        --------
        >>> import polars as pl
        >>> visits = pl.LazyFrame({"site": ["A", "A", "B", "B"], "stage": [1, 2, 2, 3],
        ...                        "model": [1, 2, 3, 3]})
        >>> stages = ConfusionMatrix.from_frame(visits, "stage", "model", [1, 2, 3], by="site")
        >>> dict(zip(stages.groups, stages.total.tolist()))
        {'A': 2, 'B': 2}
        """
        # Loaded here, like the file readers below: `import ordeval` must stay quick.
        from ordeval.data.frames import check_columns, column_names, distinct_rows

        in_memory = type(frame).__module__.partition(".")[0] in ("pandas", "pyarrow")
        if in_memory and by is None and isinstance(pred, str):
            check_columns([truth, pred, *([weight] if weight else [])], column_names(frame))
            weights = None if weight is None else np.asarray(frame[weight])
            return cls.from_labels(
                as_column(frame[truth], truth),
                as_column(frame[pred], pred),
                labels,
                weights,
                unknown=unknown,
                missing=missing,
            )

        def read(columns: Sequence[str], summed: str | None) -> DistinctRows:
            return distinct_rows(frame, columns, summed)

        found = matrices_by_model(
            read, truth, pred, labels, weight, by=by, unknown=unknown, missing=missing
        )
        return found[pred] if isinstance(pred, str) else _stacked(list(found.values()))

    @classmethod
    def from_file(
        cls,
        path: Any,
        truth: str,
        pred: str | Sequence[str],
        labels: Any = None,
        weight: str | None = None,
        *,
        by: str | Sequence[str] | None = None,
        table: str | None = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> ConfusionMatrix:
        """Count columns of a file: CSV, Parquet, JSON lines, Arrow, DuckDB or SQLite.

        A pattern such as ``"preds/*.parquet"`` reads many files. CSV and SQLite need nothing
        else; the others need ``pip install "ordeval[files]"``. ``table`` names the table of a
        database, ``progress`` is called with a stage, the steps done and the steps in all; the
        rest is as in ``from_frame``.
        """
        from ordeval.data.files import file_rows

        def read(columns: Sequence[str], summed: str | None) -> DistinctRows:
            return file_rows(path, columns, summed, table=table, progress=progress)

        found = matrices_by_model(
            read,
            truth,
            pred,
            labels,
            weight,
            by=by,
            unknown=unknown,
            missing=missing,
            at_once=str(path) == "-",
        )
        return found[pred] if isinstance(pred, str) else _stacked(list(found.values()))

    @classmethod
    def from_counted(cls, counted: Counted) -> ConfusionMatrix:
        """From counts that were made elsewhere; warns if the scale that they imply has gaps."""
        cm = cls._of_counted(counted)
        _warn_of_gaps([cm])
        return cm

    @classmethod
    def _of_counted(cls, counted: Counted) -> ConfusionMatrix:
        weighted = counted.counts.dtype.kind == "f"
        facts = (counted.dropped, counted.implied, weighted, counted.groups)
        return cls._of(counted.counts, counted.scale, *facts)

    @property
    def counts(self) -> NDArray[Any]:
        """The counts, read-only, of shape ``(..., K, K)``."""
        return self._counts

    @property
    def scale(self) -> Scale:
        """The ordered labels."""
        return self._scale

    @property
    def dropped(self) -> Dropped:
        """How many items were left out in counting, and why."""
        return self._dropped

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights, which do not say how many items there are."""
        return self._weighted

    @property
    def groups(self) -> tuple[Any, ...] | None:
        """What the first axis of a stack stands for, if it was counted by groups."""
        return self._groups

    @property
    def implied(self) -> bool:
        """Whether the scale was read off integers that occur, rather than declared."""
        return self._implied

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
        self, groups: Mapping[Hashable, Sequence[Hashable]] | Sequence[Sequence[Hashable]]
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
        named = _named_groups(groups)
        members = [label for group in named.values() for label in group]
        if tuple(members) != self._scale.levels or not all(named.values()):
            raise ScaleError(
                f"collapse takes every level once, in order, in groups of neighbours; the scale "
                f"is {self._scale}, the groups are {[list(g) for g in named.values()]}."
            )
        starts = np.cumsum([0, *(len(g) for g in named.values())])[:-1]
        counts = np.add.reduceat(np.add.reduceat(self._counts, starts, axis=-1), starts, axis=-2)
        return self._with(not_wrapped(counts, "collapsed"), Scale(named))

    def to_frame(self) -> pandas.DataFrame:
        """One matrix as a pandas DataFrame, index truth, columns prediction."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        if self.shape:
            raise CountsError(
                f"to_frame shows one matrix; this is a stack of shape {self.shape}. "
                f"Take one out first, for example cm[0].to_frame()."
            )
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
        if self._groups != other._groups:
            raise CountsError("Only stacks of the same groups, in the same order, can be merged.")
        counts = not_wrapped(self._counts + other._counts, "merged")
        implied = self._implied and other._implied
        weighted = self._weighted or other._weighted
        dropped = self._dropped + other._dropped
        return self._of(counts, self._scale, dropped, implied, weighted, self._groups)

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
            raise TypeError("one confusion matrix has no length; a stack of them has")
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
        part = self._with(self._counts.reshape(-1, self.k, self.k)[chosen])
        part._groups = self._groups_at(index)
        return part

    def _groups_at(self, index: Any) -> tuple[Any, ...] | None:
        """The groups that an index leaves, if they are still the first axis."""
        if self._groups is None:
            return None
        first = index[0] if isinstance(index, tuple) and index else index
        chosen = np.arange(len(self._groups))[first]
        return tuple(self._groups[i] for i in chosen) if chosen.ndim == 1 else None

    def _with(self, counts: NDArray[Any], scale: Scale | None = None) -> ConfusionMatrix:
        """Other counts of the same items."""
        scale = scale or self._scale
        facts = (self._dropped, self._implied, self._weighted, self._groups)
        return self._of(counts, scale, *facts)

    def __reduce__(self) -> tuple[Any, ...]:
        facts = (self._scale, self._dropped, self._implied, self._weighted, self._groups)
        return type(self)._of, (self._counts, *facts)

    def __repr__(self) -> str:
        if self.shape:
            groups = "" if self._groups is None else f", groups {_shown(self._groups)}"
            return f"ConfusionMatrix stack of shape {self.shape}, {self._scale}{groups}"
        head = f"ConfusionMatrix of {_items(self._counts, self.total)}{self._dropped_text()}"
        if self.k > _SHOWN_LEVELS:
            return f"{head}, {self.k} classes, {self._scale}"
        levels = [str(x) for x in self._scale.levels]
        cells = [[_cell(x) for x in row] for row in self._counts.tolist()]
        left = max(len(x) for x in levels)
        widths = [max(len(name), *(len(row[j]) for row in cells)) for j, name in enumerate(levels)]
        lines = [
            " " * left + "".join(f"  {n:>{w}}" for n, w in zip(levels, widths, strict=True)),
            *(
                f"{name:<{left}}" + "".join(f"  {c:>{w}}" for c, w in zip(row, widths, strict=True))
                for name, row in zip(levels, cells, strict=True)
            ),
        ]
        return "\n".join([f"{head}, rows truth, columns prediction", *lines])

    def _repr_html_(self) -> str:
        if self.shape or self.k > _SHOWN_LEVELS:
            return f"<pre>{escape(repr(self))}</pre>"
        names = [escape(str(x)) for x in self._scale.levels]
        head = "".join(f'<th scope="col">{x}</th>' for x in names)
        rows = "".join(
            f'<tr><th scope="row">{name}</th>'
            + "".join(f"<td>{_cell(x)}</td>" for x in row)
            + "</tr>"
            for name, row in zip(names, self._counts.tolist(), strict=True)
        )
        caption = f"{_items(self._counts, self.total)}{self._dropped_text()}"
        return (
            f"<table><caption>{escape(caption)}; rows truth, columns prediction</caption>"
            f"<thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        )

    def _dropped_text(self) -> str:
        if not self._dropped:
            return ""
        return f" ({self._dropped.missing:,} missing and {self._dropped.unknown:,} unknown dropped)"


def matrices_by_model(
    read: Reader,
    truth: str,
    pred: str | Sequence[str],
    labels: Any = None,
    weight: str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    at_once: bool = False,
) -> dict[str, ConfusionMatrix]:
    """The matrix of each model, or its stack of a matrix for each group, on one scale."""
    from ordeval.data.frames import count_models, declared_k, read_models

    models = [pred] if isinstance(pred, str) else list(pred)
    keys = [] if by is None else [by] if isinstance(by, str) else list(by)
    repeated = len(set(models)) < len(models) or len(set(keys)) < len(keys)
    if not models or repeated or (by is not None and not keys):
        raise LabelError("pred and by take a column, or a list of different columns.")
    labels = None if labels is None else as_scale(labels)
    k = declared_k(labels)
    rows = read_models(read, truth, models, by=keys, weight=weight, k=k, at_once=at_once)
    counted = count_models(rows, truth, by=keys, labels=labels, unknown=unknown, missing=missing)
    matrices = {m: ConfusionMatrix._of_counted(c) for m, c in counted.items()}
    _warn_of_gaps(list(matrices.values()))
    return matrices


def _warn_of_gaps(matrices: list[ConfusionMatrix]) -> None:
    """Warn if the scale that integers imply has levels that occur in none of the matrices."""
    first = matrices[0]
    if first.implied:
        items = [(cm.support + cm.predicted).reshape(-1, cm.k).sum(axis=0) for cm in matrices]
        warn_of_empty_levels(first.scale, np.sum(items, axis=0) > 0)


def _stacked(matrices: list[ConfusionMatrix]) -> ConfusionMatrix:
    """Matrices of several models as one stack, the models on its last axis."""
    first = matrices[0]
    counts = np.stack([cm.counts for cm in matrices], axis=-3)
    dropped = sum((cm.dropped for cm in matrices), Dropped())
    facts = (dropped, first.implied, first.weighted, first.groups)
    return ConfusionMatrix._of(counts, first.scale, *facts)


def _shown(groups: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, groups[:5])) + (", ..." if len(groups) > 5 else "")


def _check_frame_labels(frame: Any, labels: Any) -> None:
    """A pandas DataFrame names its rows and columns: they must be the scale's, in its order."""
    if not hasattr(frame, "index") or not hasattr(frame, "columns"):
        return
    rows, columns = list(frame.index), list(frame.columns)
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
        return counts.counts
    _check_frame_labels(counts, None)
    return validate_counts(counts)


def _named_groups(groups: Any) -> dict[Hashable, Sequence[Hashable]]:
    """Groups of levels by the name of the level that they become."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ScaleError(
            f"collapse takes groups of levels, a list of lists or a mapping of names to lists; "
            f"got {groups!r}."
        )

    def members(group: Any) -> list[Hashable]:
        alone = isinstance(group, str) or not isinstance(group, Iterable)
        return [group] if alone else list(group)

    if isinstance(groups, Mapping):
        return {name: members(group) for name, group in groups.items()}
    listed = [members(group) for group in groups]
    return {_joined(group): group for group in listed}


def _joined(group: Sequence[Hashable]) -> Hashable:
    return group[0] if len(group) == 1 else f"{group[0]}-{group[-1]}" if group else ""


def _items(counts: NDArray[Any], total: Any) -> str:
    if counts.dtype.kind == "f":
        return f"total weight {total:,.6g}"
    return f"{total:,} item" + ("" if total == 1 else "s")


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"
