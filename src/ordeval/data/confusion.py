"""ConfusionMatrix: immutable counts (..., K, K) with their Scale and their Origin.

The value type and nothing else: counting is done in items, rows, frames and files, and counts are
judged by the one validator. Measures, intervals and plots take what comes from here and trust it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked, checked_but
from ordeval._shared.tables import Table
from ordeval._shared.types import Paths, Policy, Progress
from ordeval.data.counts import (
    LabelCounts,
    Origin,
    check_frame_labels,
    merge_levels,
    named_levels,
    shares_of,
    stacked,
    validate_counts,
)
from ordeval.data.items import Misfits, count_labels
from ordeval.data.matrix_facts import MatrixFacts
from ordeval.data.query import COLUMN_OPTIONS, Query
from ordeval.data.scale import Scale, as_scale
from ordeval.data.sources.frames import FrameSource
from ordeval.data.sources.rows import Source, count_models
from ordeval.data.text import shown_matrices
from ordeval.exceptions import CountsError

if TYPE_CHECKING:
    import pandas

    from ordeval.data.sources.files import FileSource


class ConfusionMatrix(MatrixFacts):
    """The counts of items by true and predicted class, on a declared scale.

    Parameters
    ----------
    counts
        Array of shape ``(..., K, K)``: rows are truth, columns prediction. Leading axes make a
        stack of matrices. Integers stay exact; fractions (weights, shares) are kept as float64.
        Or a text with one matrix, as ``to_text``, ``to_json`` and the like or people write it.
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

    __slots__ = ()
    _kind = "ordeval.confusion_matrix"

    def __init__(self, counts: Any, labels: Any = None) -> None:
        if isinstance(counts, str):
            from ordeval.data.text.matrix_texts import matrix_of_text

            counts, labels, _ = matrix_of_text(counts, labels)
        array = validate_counts(counts)
        k = array.shape[-1]
        check_frame_labels(counts, labels)
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

    @property
    def _held(self) -> LabelCounts:
        return LabelCounts(self._counts, self._scale, self._origin)

    @classmethod
    def of(cls, counts: NDArray[Any], scale: Scale, origin: Origin) -> ConfusionMatrix:
        """A matrix from valid counts that no other object refers to."""
        self = cls.__new__(cls)
        self._set(counts, scale, origin)
        return self

    @classmethod
    @checked_but("unknown", "missing")
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
            Polars or PyArrow. Items are paired by position; pandas Series with different indexes
            raise an error.
        labels
            The ordered labels, lowest first. May be left out for integers, which imply their
            range, and for ordered categoricals and enums, which carry it and must not contradict
            it.
        sample_weight
            One non-negative number per item.
        unknown, missing
            What to do with labels outside the scale and with missing values: ``"raise"``, or
            ``"drop"`` the item and record the number in ``dropped``.

        Returns
        -------
        ConfusionMatrix
            The counts, with the scale and the number of dropped items.

        Raises
        ------
        LabelError
            If labels or weights do not fit the scale or each other.
        ScaleError
            If the order of the labels is missing or contradictory.

        Examples
        --------
        >>> cm = ConfusionMatrix.from_labels([1, 2, 2, 3], [1, 2, 3, 3])
        >>> cm.support
        array([1, 2, 1])
        """
        misfits = Misfits(unknown, missing)
        counted = count_labels(
            y_true, y_pred, labels=labels, sample_weight=sample_weight, misfits=misfits
        )
        return cls.of(*counted)

    @classmethod
    @checked_but(*COLUMN_OPTIONS)
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
        """Count columns of a data frame on its own engine.

        Parameters
        ----------
        frame
            pandas, Polars (eager or lazy), PyArrow, DuckDB, PySpark, Dask or Ibis (through
            narwhals). A lazy frame runs a group-by on its own engine; only the counts come back.
        truth, pred, weight
            Names of the columns. A list of predictions makes a stack, one matrix for each.
        labels, unknown, missing
            As in ``from_labels``. Of several predictions each is counted on its own items, and
            ``dropped`` is their sum.
        by
            Column, or columns, of subgroups: a stack with one matrix per subgroup, which the
            attribute ``by`` names, in front of the axis of predictions if there is one.

        Returns
        -------
        ConfusionMatrix
            The counts; a stack of several predictions or subgroups.

        Raises
        ------
        LabelError
            If there is no such column, or labels or weights do not fit the scale.
        MissingExtraError
            If narwhals is not installed (extra ``frames``).
        ScaleError
            If the order of the labels is missing or contradictory.

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
        return _one_or_stack(FrameSource(frame), query, pred)

    @classmethod
    @checked_but(*COLUMN_OPTIONS)
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
        header_row: int | None = None,
        format: str | None = None,  # noqa: A002 - the word that users know
        encoding: str | None = None,
        decimal: str | None = None,
        where: str | None = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> ConfusionMatrix:
        """Count columns of a file: CSV, Excel, Parquet, JSON lines, Arrow, DuckDB or SQLite.

        In CSV an empty field is a missing label, and any other text a label: ``NA`` too.

        Parameters
        ----------
        path
            A file, a list of files, a pattern or a folder, as in ``Predictions.from_file``.
        truth, pred, labels, weight, by, unknown, missing
            As in ``from_frame``.
        table, header_row, format, encoding, decimal, where
            As in ``Predictions.from_file``.
        progress
            Called with a stage, the steps done and the steps in all.

        Returns
        -------
        ConfusionMatrix
            The counts; a stack of several predictions or subgroups.

        Raises
        ------
        LabelError
            If there is no such file or column, or labels or weights do not fit the scale.
        MissingExtraError
            If the format needs a package that is not installed (extras ``files``, ``excel``).
        ParameterError
            If ``where`` or an option of the file is invalid.
        ScaleError
            If the order of the labels is missing or contradictory.
        """
        query = Query.of(
            truth, pred, labels=labels, weight=weight, by=by, unknown=unknown, missing=missing
        )
        from ordeval.data.sources.files import FileSource, Form  # files are seldom read

        source = path
        if not isinstance(source, FileSource):
            form = Form.of(format, encoding, decimal, where, header_row)
            source = FileSource(source, table, progress, form)
        return _one_or_stack(source, query, pred)

    @property
    def T(self) -> ConfusionMatrix:  # noqa: N802 - NumPy's name for it
        """The transposed matrix: truth and prediction exchanged."""
        return self._with(np.swapaxes(self._counts, -1, -2).copy())

    @checked
    def normalized(self, by: Literal["true", "pred", "all"] = "true") -> NDArray[np.float64]:
        """Divide by the items of each true class, of each predicted class, or of all.

        The shares of a class without items are NaN: nothing is known about it.

        Parameters
        ----------
        by
            ``"true"``: shares of each true class; ``"pred"``: of each predicted class; ``"all"``:
            of all items.

        Returns
        -------
        numpy.ndarray
            Shares of the shape of the counts.

        Raises
        ------
        CountsError
            If ``by`` is none of these.
        """
        return shares_of(self._counts, by)

    @checked_but("levels")
    def collapse(
        self, levels: Mapping[Hashable, Sequence[Hashable]] | Sequence[Sequence[Hashable]]
    ) -> ConfusionMatrix:
        """Merge adjacent levels.

        Parameters
        ----------
        levels
            Lists of neighbouring levels, every level once and in order; or a mapping of the new
            labels to such lists.

        Returns
        -------
        ConfusionMatrix
            The counts on the shorter scale.

        Raises
        ------
        ScaleError
            If the lists are not all levels in order.

        Examples
        --------
        >>> cm = ConfusionMatrix([[5, 1, 0], [2, 3, 1], [0, 1, 7]], labels=["I", "II", "III"])
        >>> cm.collapse({"early": ["I", "II"], "late": ["III"]})
        ConfusionMatrix of 20 items, rows truth, columns prediction
               early  late
        early     11     1
        late       1     7
        """
        named = named_levels(levels, self._scale)
        starts = np.cumsum([0, *(len(x) for x in named.values())])[:-1]
        return self._with(merge_levels(self._counts, starts), Scale(list(named)))

    def to_frame(self) -> pandas.DataFrame:
        """One matrix as a pandas DataFrame, index truth, columns prediction."""
        return shown_matrices.as_frame(self)

    def __add__(self, other: object) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return self.of(*self._held.merged(other._held))

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
        except (IndexError, ValueError):  # rows of different lengths
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
        return type(self).of, tuple(self._held)

    def table(self) -> Table:
        """One matrix, rows truth, columns prediction."""
        return shown_matrices.as_table(self)

    def rows(self) -> list[dict[str, Any]]:
        """One record per cell of one matrix."""
        return shown_matrices.as_records(self)

    def _facts(self) -> dict[str, Any]:
        """The scale, the counts and where they come from."""
        return {
            "scale": [str(x) for x in self._scale],
            "counts": self._counts,
            **vars(self._origin),
        }

    @checked
    def to_text(self, width: int | None = None) -> str:
        """The matrix as plain text; for a stack or many classes, a summary."""
        return shown_matrices.as_text(self, width)

    def _repr_html_(self) -> str:
        return shown_matrices.as_html(self)


def matrices_by_model(source: Source, query: Query) -> dict[str, ConfusionMatrix]:
    """The matrix of each model, or its stack with one matrix per subgroup, on one scale."""
    return {m: ConfusionMatrix.of(*counted) for m, counted in count_models(source, query).items()}


def _one_or_stack(source: Source, query: Query, pred: str | Sequence[str]) -> ConfusionMatrix:
    """The matrix of one model, or those of several as a stack, the models on its last axis."""
    counted = count_models(source, query)
    return ConfusionMatrix.of(*(counted[pred] if isinstance(pred, str) else stacked(counted)))
