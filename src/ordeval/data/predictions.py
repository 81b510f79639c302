"""Predictions: the truth and the predictions of models, described once for all functions.

Columns, scale, weights, clusters, subgroups, files and joins are arguments here and nowhere else.
Nothing is read before a function needs it, and then on the data's own engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from ordeval._shared.arguments import checked, checked_but, listed
from ordeval._shared.text import joined
from ordeval._shared.types import Paths, Policy, Progress, check_choice, silent
from ordeval.data.array_options import GroupedOptions
from ordeval.data.confusion import ConfusionMatrix, matrices_by_model
from ordeval.data.description import Description, table_described
from ordeval.data.items import Misfits
from ordeval.data.outputs import Outputs
from ordeval.data.query import COLUMN_OPTIONS, Query
from ordeval.data.scale import Scale, as_scale
from ordeval.data.sources.arrays import (
    Arrays,
    by_arrays,
    by_name,
    kept,
    proxy_arrays,
    strata_or_numbers,
)
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource
from ordeval.exceptions import LabelError, ParameterError

Columns = str | Sequence[str]


class Predictions:
    """The true labels and the predictions of one or several models.

    Parameters
    ----------
    y_true
        The true label of each item: list, NumPy array, or a column of pandas, Polars or PyArrow.
    y_pred
        What a model gives for each item: labels (n,), probabilities (n, K) or scores (n,); or a
        mapping of model names to these.
    labels
        The ordered labels, lowest first. Integers may imply their range, and ordered categoricals
        carry their order; all others must be declared.
    sample_weight
        One non-negative number per item: how much it counts.
    clusters
        The cluster of each item (patient, prompt, document): clusters are independent, items of a
        cluster are not. A list of arrays, outermost first, tells apart ids that repeat, such as
        patients numbered within each hospital: the innermost clusters are the independent ones. If
        hospitals differ, pass the hospital alone.
    by
        The subgroup of each item, or a mapping of names to such arrays.
    proxy
        Labels that all items have, such as those of an LLM judge, or a mapping of names to several:
        ``y_true`` may then be missing where no human labelled, and values are corrected estimates.
    inclusion
        How likely each item was to be chosen for a human label; or the name of subgroups within
        which items were chosen at random. By default the labelled items are a random subset.
    outputs
        What ``y_pred`` holds: ``"labels"``, ``"probabilities"``, ``"scores"``, or ``"auto"``: a
        table holds probabilities, one value per item is a label.
    decide
        How probabilities become labels, for measures of labels: ``"mode"``, the most probable
        level; ``"median"``; a K x K matrix of costs, rows truth, for the level of least expected
        cost; or tuned cut points, the result of ``models.optimal_cut_points``.
    unknown, missing
        What happens to labels outside the scale and to missing ones: ``"raise"``, or ``"drop"``
        the item, which the result counts.
    progress
        Called with a stage, the steps done and the steps in all.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or arrays do not have one entry per item. Labels are read
        when a question is asked.
    ParameterError
        If an option has a value that it does not take.

    Examples
    --------
    >>> data = Predictions([1, 2, 3, 3] * 5, {"a": [1, 2, 3, 2] * 5, "b": [1, 2, 2, 2] * 5},
    ...                    labels=[1, 2, 3], by={"site": ["north", "south"] * 10})
    >>> data
    Predictions of 2 models on 20 items: a and b (labels)
    scale: 1 < 2 < 3 (5, 5 and 10 items)
    subgroups: north and south
    >>> data["b"].confusion().counts[0]
    array([[5, 0, 0],
           [0, 0, 0],
           [0, 5, 0]])
    """

    @checked_but("unknown", "missing")
    def __init__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        by: Any = None,
        proxy: Any = None,
        inclusion: Any = None,
        outputs: Outputs = "auto",
        decide: Any = "mode",
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> None:
        check_choice("outputs", outputs, get_args(Outputs))
        models = by_name(y_pred) if isinstance(y_pred, Mapping) else {"y_pred": y_pred}
        models = {name: kept(x) for name, x in models.items()}
        groups = {name: kept(x) for name, x in by_arrays(by).items()}
        within, chosen = strata_or_numbers(inclusion, groups)
        arrays = Arrays(
            y_true=kept(y_true),
            models=models,
            proxies=proxy_arrays(proxy),
            inclusion=chosen,
            sample_weight=kept(sample_weight),
            clusters=kept(clusters),
            by=groups,
            outputs=outputs,
        )
        misfits = Misfits(unknown, missing)
        query = arrays.query(None if labels is None else as_scale(labels), misfits, within)
        self._data = Description(arrays, query, tuple(models), decide, progress or silent)

    @classmethod
    def _of(cls, data: Description) -> Predictions:
        made = cls.__new__(cls)
        made._data = data
        return made

    @classmethod
    @checked_but(*COLUMN_OPTIONS)
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        pred: Columns | None = None,
        *,
        prob: Any = None,
        score: Columns | None = None,
        labels: Any = None,
        weight: str | None = None,
        clusters: Columns | None = None,
        by: Columns | None = None,
        item: Columns | None = None,
        model: str | None = None,
        proxy: Columns | None = None,
        inclusion: Columns | None = None,
        truth_frame: Any = None,
        pred_frames: Mapping[str, tuple[Any, str]] | None = None,
        on: Columns | None = None,
        decide: Any = "mode",
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> Predictions:
        """Describe columns of a data frame; they are counted on its own engine.

        Parameters
        ----------
        frame
            pandas, Polars (eager or lazy), PyArrow, DuckDB, PySpark, Dask or Ibis (through
            narwhals). A lazy frame runs a group-by on its own engine; only the counts come back.
        truth, pred, weight
            Names of the columns; ``pred`` names one column, or lists one per model.
        prob
            The columns of models that give probabilities, by the name of the model: a mapping to
            what their names begin with, such as ``{"a": "a_", "b": "b_"}`` of columns ``a_low``
            and ``a_high``, or to a list of columns, which are put in the order of the levels that
            they name. Of one model without its name: it is called by what the columns share.
        score
            Columns of scores, higher for a higher class, one per model.
        clusters
            Name of the column of clusters; or a list of columns, outermost first, of which the
            innermost are independent.
        by
            Column, or columns, of subgroups.
        item, model
            Of a long table, with a row for each item and model: the column, or columns, that name
            the item, and the column that names the model; ``pred`` is the column of all
            predictions.
        truth_frame, on
            Another frame that holds the truth, and the column, or columns, of ids by which the two
            are joined. Subgroups, clusters and weights are read there if it has them.
        pred_frames
            Frames of predictions: the name of each model, mapped to a frame and a column; joined by
            ``on``. Items that are not in all tables are an error, or with ``missing="drop"`` left
            out and counted; an id that is there twice always is an error.
        proxy, inclusion
            Columns of labels that all items have, and the column of the probability with which an
            item was chosen for a human label, or columns of ``by`` within which items were chosen
            at random.
        labels, decide, unknown, missing, progress
            As for ``Predictions``.

        Returns
        -------
        Predictions

        Raises
        ------
        LabelError
            If columns are missing or named twice, or tables cannot be joined.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.LazyFrame({"y": [1, 2, 3] * 20, "a": [1, 2, 3] * 20, "b": [1, 2, 2] * 20})
        >>> Predictions.from_frame(frame, "y", ["a", "b"]).models
        ('a', 'b')
        """
        from ordeval.data.sources.joins import Layout  # arrays need no layout

        layout = Layout(
            item=item, model=model, truth_at=truth_frame, on=on, pred_at=dict(pred_frames or {})
        )
        query = Query.of(
            truth,
            pred,
            labels=labels,
            weight=weight,
            by=by,
            clusters=clusters,
            unknown=unknown,
            missing=missing,
        ).giving(prob, score, proxy, inclusion)
        return cls._of(table_described(FrameSource(frame), query, layout, decide, progress))

    @classmethod
    @checked_but(*COLUMN_OPTIONS)
    def from_file(
        cls,
        path: Paths,
        truth: str,
        pred: Columns | None = None,
        *,
        prob: Any = None,
        score: Columns | None = None,
        labels: Any = None,
        weight: str | None = None,
        clusters: Columns | None = None,
        by: Columns | None = None,
        item: Columns | None = None,
        model: str | None = None,
        proxy: Columns | None = None,
        inclusion: Columns | None = None,
        truth_file: Paths | None = None,
        pred_files: Mapping[str, tuple[Paths, str]] | None = None,
        on: Columns | None = None,
        where: str | None = None,
        table: str | None = None,
        header_row: int | None = None,
        format: str | None = None,  # noqa: A002 - the word that users know
        encoding: str | None = None,
        decimal: str | None = None,
        decide: Any = "mode",
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> Predictions:
        """Describe columns of a file: CSV, Excel, Parquet, JSON lines, Arrow, DuckDB or SQLite.

        Parameters
        ----------
        path
            A file, or a list of files that are one table. A pattern such as ``"preds/*.parquet"``
            reads many files, a folder all Parquet files in it and below; folders there that are
            called ``key=value`` are columns of their files. ``"-"`` is standard input.
        truth_file, pred_files
            As ``truth_frame`` and ``pred_frames`` of ``from_frame``, joined by ``on``.
        where
            The rows that are read, such as ``"split = 'test' and grade in (1, 2)"``.
        table, header_row
            The table of a DuckDB or SQLite file, or the sheet of a workbook. The header of a sheet
            is in row ``header_row``, by default in the first row with two filled cells or more.
        format
            The format of a file, if its name does not show it: ``"csv"``, ``"parquet"``,
            ``"jsonl"``, ``"json"``, ``"arrow"``, ``"duckdb"``, ``"sqlite"`` or ``"xlsx"``.
        encoding, decimal
            Of CSV: its encoding if it is not UTF-8, and its decimal mark. A decimal comma is found
            if something else separates the columns; a warning says so.
        truth, pred, prob, score, labels, weight, clusters, by, item, model, on, proxy, inclusion
            As in ``from_frame``. In CSV an empty field is a missing label, any other text a label.
        decide, unknown, missing, progress
            As for ``Predictions``.

        Returns
        -------
        Predictions

        Raises
        ------
        LabelError
            If the file cannot be read, or columns are missing.
        MissingExtraError
            If the format needs a package that is not installed.
        """
        from ordeval.data.sources.joins import Layout

        layout = Layout(
            item=item, model=model, truth_at=truth_file, on=on, pred_at=dict(pred_files or {})
        )
        query = Query.of(
            truth,
            pred,
            labels=labels,
            weight=weight,
            by=by,
            clusters=clusters,
            unknown=unknown,
            missing=missing,
        ).giving(prob, score, proxy, inclusion)
        file = FileSource(
            path, table, progress, Form.of(format, encoding, decimal, where, header_row)
        )
        return cls._of(table_described(file, query, layout, decide, progress))

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return self._data.models

    @property
    def scale(self) -> Scale:
        """The ordered labels: declared, or read off the data."""
        return self._data.query.labels or self._data.summary.scale

    @property
    def items(self) -> int:
        """The number of items that all models have, without those that were dropped."""
        return self._data.summary.items

    @property
    def clusters(self) -> int:
        """The number of clusters; 0 if items are independent."""
        return self._data.summary.clusters

    @property
    def by(self) -> tuple[Any, ...]:
        """The subgroups, in order; empty if none were named."""
        return self._data.summary.subgroups

    @property
    def dropped(self) -> int:
        """The number of items that were dropped for missing or unknown labels."""
        return self._data.summary.dropped

    @checked
    def confusion(self, model: str | None = None) -> ConfusionMatrix:
        """Count the confusion matrix of a model; with subgroups, a stack with one for each.

        Parameters
        ----------
        model
            Name of the model; may be omitted if there is only one.

        Returns
        -------
        ConfusionMatrix
            Counts, or sums of weights. Probabilities are counted by the labels that ``decide``
            makes of them.

        Raises
        ------
        ParameterError
            If there is no such model, or it gives scores, which are not labels.
        """
        if model is None and len(self.models) > 1:
            raise ParameterError(f"name one of the models {joined(self.models)}.")
        chosen = self.models[0] if model is None else str(model)
        data = self._data.of_models([chosen])
        query = data.query
        if query.proxy:
            from ordeval.evaluate._observed import labelled_matrix

            return labelled_matrix(data)
        if len(self.models) > 1 and query.labels is None and self._data.query.plain:
            # The labels of all models imply the scale, also that of one of them.
            return matrices_by_model(*self._data.table)[chosen]
        query, arrays = data.query, data.arrays
        if query.score:
            raise ParameterError(f"{query.score[0]} gives scores; a confusion matrix needs labels.")
        if arrays is not None and query.plain and not query.by:
            return arrays.counted(query)
        if query.plain:
            return next(iter(matrices_by_model(*data.table).values()))
        from ordeval.evaluate._observed import decided_matrix  # decision rules need the measures

        return decided_matrix(data)

    def __getitem__(self, models: str | Sequence[str]) -> Predictions:
        """The predictions of one model, or of several."""
        alone = isinstance(models, str) or not isinstance(models, Iterable)
        wanted = list(map(str, [models] if alone else listed(models, "models")))
        return Predictions._of(self._data.of_models(wanted))

    def __len__(self) -> int:
        return self.items

    def __repr__(self) -> str:
        return self._data.shown


def described(y_true: Any, y_pred: Any, options: GroupedOptions, *, who: str) -> Description:
    """Describe what a verb was given: Predictions, or arrays with their options."""
    if isinstance(y_true, Predictions):
        if options or y_pred is not None:
            beside = joined([*options] or ["y_pred"])
            raise LabelError(
                f"{who} got {beside} together with Predictions. Pass {beside} to Predictions "
                "instead."
            )
        return y_true._data
    return Predictions(y_true, y_pred, **options)._data
