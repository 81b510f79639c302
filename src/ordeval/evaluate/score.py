"""score: many measures of one model from one count, and of one model in each of its subgroups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from ordeval._shared.text import joined
from ordeval._shared.types import Paths, Policy, Progress, Rng
from ordeval.data.accumulator import Accumulator, matrix_of
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Misfits
from ordeval.data.outputs import Outputs, Reading, given_by, read_outputs
from ordeval.data.probabilities import is_table
from ordeval.data.query import Query, one_column
from ordeval.data.scale import Scale
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource
from ordeval.data.sources.rows import Source
from ordeval.evaluate._scoring import (
    SHARES_PANEL,
    Scoring,
    estimation,
    score_items,
    score_matrix,
    score_observed,
    score_stack,
)
from ordeval.evaluate._scoring_columns import Scored, score_columns
from ordeval.exceptions import LabelError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Method, Observed, observe
from ordeval.inference.samples import sample_of
from ordeval.measures.registry import Chosen
from ordeval.results.scores import Scores
from ordeval.results.subgroups import SubgroupScores

Columns = str | Sequence[str]


@overload
def score(
    y_true: Any,
    y_pred: None = None,
    metrics: Chosen = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    sample_weight: Any = None,
    level: float | None = 0.95,
    method: Method = "auto",
    clusters: Any = None,
    n_resamples: int = 9999,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
) -> Any: ...


@overload
def score(
    y_true: Any,
    y_pred: Any,
    metrics: Chosen = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    sample_weight: Any = None,
    level: float | None = 0.95,
    method: Method = "auto",
    clusters: Any = None,
    n_resamples: int = 9999,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
) -> Scores: ...


def score(
    y_true: Any,
    y_pred: Any = None,
    metrics: Chosen = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    sample_weight: Any = None,
    level: float | None = 0.95,
    method: Method = "auto",
    clusters: Any = None,
    n_resamples: int = 9999,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
) -> Scores | SubgroupScores:
    """Score predicted labels, probabilities or scores by many measures.

    Parameters
    ----------
    y_true, y_pred
        True labels, and predicted labels, probabilities (n, K) or scores; or one ConfusionMatrix,
        Accumulator or array of counts in place of both. A stack with one axis, as
        ``ConfusionMatrix.from_frame(..., by=...)`` gives it, is scored subgroup by subgroup.
    metrics
        Names or measures, such as ``oe.oc_index.with_params(share=0.25)``. By default all that
        take labels and are not expensive; of subgroups five, one of each kind. Of probabilities,
        proper scores and measures of the labels that are decided for; of scores, how well they
        order the items.
    outputs, decide
        What ``y_pred`` holds, and how probabilities become labels, as for
        ``confidence_interval``. A column of numbers is taken for labels unless ``outputs`` says
        ``"scores"``.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``.
    level
        Nominal coverage of the intervals; None leaves them out.
    method, clusters, n_resamples, rng
        Of the intervals, as for ``confidence_interval``.

    Returns
    -------
    Scores, or of a stack SubgroupScores.

    Examples
    --------
    >>> panel = ["accuracy", "mean_absolute_error", "cem_ord"]
    >>> score([1, 2, 3, 3], [1, 2, 2, 3], panel, level=None)
    items: 4; 3 classes: Scale(1 < 2 < 3)
    measure               value  range   better  family
    accuracy             0.7500  [0, 1]  higher  accuracy
    mean_absolute_error  0.2500  [0, 2]  lower   distance
    cem_ord              0.8678  [0, 1]  higher  closeness
    [OE101] the integers imply Scale(1 < 2 < 3); declare labels= if it is longer.
    [OE103] fewer than 10 items of 1 (1), 2 (1) and 3 (2).
    """
    if isinstance(metrics, Scale):
        raise LabelError("the third argument is metrics=; give the scale as labels=.")
    how = estimation(level, clusters, method=method, n_resamples=n_resamples)
    given = given_by({"y_pred": y_pred}, outputs)
    if metrics is None and given == "probabilities" and is_table(y_true):
        metrics = SHARES_PANEL
    # What is misspelt is said before the labels are read.
    settings, rule = Scoring.of(metrics, how, rng, given=given), rule_of(decide)
    if given != "labels":
        reading = Reading(
            labels=labels, outputs=outputs, decide=rule, misfits=Misfits(unknown, missing)
        )
        items = read_outputs(y_true, {"y_pred": y_pred}, reading, sample_weight=sample_weight)
        sample = sample_of(items, clusters=clusters)
        observed = Observed(sample, items.scale, items.implied, items.left_out)
        return score_items(items, observed, settings, decide)
    if y_pred is None or _is_matrix(y_true):
        cm = _given_matrix(y_true, y_pred, labels, sample_weight)
    else:
        cm = ConfusionMatrix.from_labels(
            y_true, y_pred, labels, sample_weight, unknown=unknown, missing=missing
        )
    if clusters is not None and y_pred is None:
        raise LabelError("clusters go with labels; a matrix does not say which item is in which.")
    if cm.shape:
        settings = Scoring.of(metrics, how, settings.rng, subgroups=True)
    rule(cm.scale)  # costs that do not fit are refused, though nothing is decided
    settings.meet(cm)
    if cm.shape:
        return score_stack(cm, settings)
    if how is None or y_pred is None or (clusters is None and sample_weight is None):
        return score_matrix(cm, settings)
    reading = Reading(labels=cm.scale, misfits=Misfits(unknown, missing))
    observed = observe(y_true, y_pred, reading, sample_weight=sample_weight, clusters=clusters)
    return score_observed(cm, observed, settings)


def score_frame(
    frame: Any,
    truth: str,
    pred: str | None = None,
    metrics: Chosen = None,
    *,
    prob: Any = None,
    score: str | None = None,
    decide: Any = "mode",
    labels: Any = None,
    weight: str | None = None,
    by: Columns | None = None,
    clusters: Columns | None = None,
    level: float | None = 0.95,
    method: Method = "auto",
    n_resamples: int = 9999,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    item: Columns | None = None,
    model: str | None = None,
    truth_frame: Any = None,
    on: Columns | None = None,
    rng: Rng = None,
) -> Any:
    """Score columns of a dataframe, counted where it lives.

    Parameters
    ----------
    frame, truth, pred, labels, weight, by, unknown, missing
        As in ``ConfusionMatrix.from_frame``.
    prob
        In place of ``pred``, the columns of probabilities, one for each level: what their names
        begin with, such as ``"p_"`` of ``p_low`` and ``p_high``, or a list of columns, which are
        put in the order of the levels that they name.
    score
        In place of ``pred``, the column of a score, higher for a higher class.
    decide
        How probabilities become labels, as for ``confidence_interval``.
    clusters
        Name of the column of clusters, or a list of columns of clusters within clusters.
    item, model, truth_frame, on
        Of long tables, and of truth in another frame, as for ``compare_frame``.
    metrics, level, method, n_resamples, rng
        As for ``score``. In subgroups the first measure is compared with the rest of the data.

    Returns
    -------
    Scores, or with ``by`` SubgroupScores; with ``model``, those of each model by its name.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"site": ["A", "B"] * 40, "y": [1, 2] * 40, "p": [1, 2, 1, 1] * 20})
    >>> scores = score_frame(frame, "y", "p", ["accuracy"], labels=[1, 2], by="site")
    >>> print(scores.conclusion())
    By accuracy (higher is better) B is shown to be worse than the rest: 0.500 against 1.000, a
    difference of -0.500 [-0.789, -0.145] (p = 0.0112).
    """
    source: Source = frame if isinstance(frame, FileSource) else FrameSource(frame)
    from ordeval.data.sources.joins import Layout, laid_out  # labels in arrays need no layout

    layout = Layout(item=item, model=model, truth_at=truth_frame, on=on)
    column = None if pred is None else one_column(pred, "pred")
    source, models = laid_out(source, truth, column, layout, missing)
    query = Query.of(
        truth,
        models,
        labels=labels,
        weight=weight,
        by=by,
        clusters=clusters,
        unknown=unknown,
        missing=missing,
    )
    query = query.giving(prob, None if score is None else one_column(score, "score"))
    if len(query.outputs) > 1 and model is None:
        raise LabelError(
            f"score_frame takes one model, compare_frame several; got {joined(query.outputs)}."
        )
    how = estimation(level, clusters, method=method, n_resamples=n_resamples)
    found = score_columns(source, query, Scored(metrics, how, rng, decide))
    return found if model is not None else found[query.outputs[0]]


def score_file(
    path: Paths,
    truth: str,
    pred: str | None = None,
    metrics: Chosen = None,
    *,
    prob: Any = None,
    score: str | None = None,
    decide: Any = "mode",
    labels: Any = None,
    weight: str | None = None,
    by: Columns | None = None,
    clusters: Columns | None = None,
    table: str | None = None,
    input_format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    where: str | None = None,
    level: float | None = 0.95,
    method: Method = "auto",
    n_resamples: int = 9999,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    item: Columns | None = None,
    model: str | None = None,
    truth_file: Paths | None = None,
    on: Columns | None = None,
    rng: Rng = None,
    progress: Progress | None = None,
) -> Any:
    """Score columns of a file that ``ConfusionMatrix.from_file`` takes; as ``score_frame``."""
    form = Form.of(input_format, encoding, decimal, where)
    source = FileSource(path, table, progress, form)
    return score_frame(
        source,
        truth,
        pred,
        metrics,
        prob=prob,
        score=score,
        decide=decide,
        labels=labels,
        weight=weight,
        by=by,
        clusters=clusters,
        level=level,
        method=method,
        n_resamples=n_resamples,
        unknown=unknown,
        missing=missing,
        item=item,
        model=model,
        truth_frame=truth_file,
        on=on,
        rng=rng,
    )


def _is_matrix(given: Any) -> bool:
    return isinstance(given, (ConfusionMatrix, Accumulator))


def _given_matrix(given: Any, y_pred: Any, labels: Any, sample_weight: Any) -> ConfusionMatrix:
    """A matrix in place of labels."""
    beside = y_pred is not None or (labels is not None and _is_matrix(given))
    if beside or sample_weight is not None:
        raise LabelError(
            "a confusion matrix holds its predictions, labels and weights already; name the "
            "measures with metrics=."
        )
    return matrix_of(given, labels, who="score")
