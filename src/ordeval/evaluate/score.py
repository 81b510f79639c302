"""score: many measures of one model from one count, and of one model in each of its subgroups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordeval._shared.types import Policy, Progress, Rng, StrPath
from ordeval.data.accumulator import Accumulator, matrix_of
from ordeval.data.confusion import ConfusionMatrix, matrices_by_model
from ordeval.data.files import FileSource
from ordeval.data.frames import FrameSource
from ordeval.data.items import Misfits
from ordeval.data.rows import Query, Source, one_column
from ordeval.data.scale import Scale
from ordeval.exceptions import CountsError, LabelError, ParameterError
from ordeval.inference.advice import Situation, advise
from ordeval.inference.intervals import Method, Resampling, intervals_of, observe
from ordeval.measures import Metric
from ordeval.measures.metric import warn_of_unused_levels
from ordeval.measures.registry import Chosen, choose
from ordeval.results.scores import ModelScores, Scores, SubgroupScores

# One of each kind, few enough to read side by side.
SUBGROUP_PANEL = ("cem_ord", "accuracy", "mean_absolute_error", "weighted_kappa", "oc_index")


def score(
    y_true: Any, y_pred: Any = None, metrics: Chosen = None, *,
    labels: Any = None, sample_weight: Any = None, level: float | None = None,
    method: Method = "bca", clusters: Any = None, n_resamples: int = 9999,
    unknown: Policy = "raise", missing: Policy = "raise", rng: Rng = None,
) -> Scores:  # fmt: skip
    """Score predicted labels by many measures from one count.

    Parameters
    ----------
    y_true, y_pred
        True and predicted labels; or one ConfusionMatrix, Accumulator or array of counts in place
        of both.
    metrics
        Names or measures, such as ``oe.oc_index.with_params(share=0.25)``. By default all that
        take labels and are not expensive.
    labels, sample_weight, unknown, missing
        As in ``ConfusionMatrix.from_labels``.
    level
        Nominal coverage of intervals; without it there are none.
    method, clusters, n_resamples, rng
        Of the intervals, as for ``confidence_interval``.

    Examples
    --------
    >>> score([1, 2, 3, 3], [1, 2, 2, 3], ["accuracy", "mean_absolute_error", "cem_ord"])
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
    chosen = choose(metrics)
    if clusters is not None and level is None:
        raise ParameterError("clusters are for intervals; ask for these with level=0.95.")
    if y_pred is None or _is_matrix(y_true):
        cm = _given_matrix(y_true, y_pred, labels, sample_weight)
    else:
        cm = ConfusionMatrix.from_labels(
            y_true, y_pred, labels, sample_weight, unknown=unknown, missing=missing
        )
    if cm.shape:
        raise CountsError(
            f"score takes one matrix; this is a stack of shape {cm.shape}. For a stack call "
            f"oe.score_subgroups or a measure's from_confusion; or take one matrix out: cm[0]."
        )
    _warn_of_unused_levels(cm, metrics, chosen)
    if level is None:
        return _scores(cm, chosen)
    how = Resampling(method=method, level=level, n_resamples=n_resamples)
    if y_pred is None or (clusters is None and sample_weight is None):
        observed = observe(cm, clusters=clusters)
    else:
        observed = observe(
            y_true, y_pred, labels=cm.scale, sample_weight=sample_weight, clusters=clusters,
            misfits=Misfits(unknown, missing),
        )  # fmt: skip
    intervals = intervals_of(observed.sample, chosen, how, rng)
    situation = observed.situation(tuple(intervals.values()), cm=cm, metrics=chosen)
    return replace(_scores(cm, chosen), advice=advise(situation), intervals=intervals)


def score_frame(
    frame: Any, truth: str, pred: str, metrics: Chosen = None, *,
    labels: Any = None, weight: str | None = None, by: str | Sequence[str] | None = None,
    unknown: Policy = "raise", missing: Policy = "raise",
) -> Scores | SubgroupScores:  # fmt: skip
    """Score columns of a dataframe, counted where it lives.

    Parameters
    ----------
    frame, truth, pred, labels, weight, by, unknown, missing
        As in ``ConfusionMatrix.from_frame``.
    metrics
        As for ``score``.

    Returns
    -------
    Scores, or with ``by`` SubgroupScores.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"site": ["A", "B"] * 40, "y": [1, 2] * 40, "p": [1, 2, 1, 1] * 20})
    >>> score_frame(frame, "y", "p", ["accuracy", "mean_absolute_error"], labels=[1, 2], by="site")
    2 subgroups; Scale(1 < 2)
    subgroup  items    Acc    MAE
    A            40  1.000  0.000
    B            40  0.500  0.500
    (all)        80  0.750  0.250
    Acc = accuracy (higher is better), MAE = mean_absolute_error (lower is better).
    Worst by accuracy: B (0.500).
    """
    query = Query.of(
        truth, one_column(pred, "pred"), labels=labels, weight=weight, by=by, unknown=unknown,
        missing=missing,
    )  # fmt: skip
    return score_models(FrameSource(frame), query, metrics)[pred]


def score_file(
    path: StrPath, truth: str, pred: str, metrics: Chosen = None, *,
    labels: Any = None, weight: str | None = None, by: str | Sequence[str] | None = None,
    table: str | None = None, unknown: Policy = "raise", missing: Policy = "raise",
    progress: Progress | None = None,
) -> Scores | SubgroupScores:  # fmt: skip
    """Score columns of a file that ``ConfusionMatrix.from_file`` takes; as ``score_frame``."""
    query = Query.of(
        truth, one_column(pred, "pred"), labels=labels, weight=weight, by=by, unknown=unknown,
        missing=missing,
    )  # fmt: skip
    return score_models(FileSource(path, table, progress), query, metrics)[pred]


def score_models(source: Source, query: Query, metrics: Chosen = None) -> ModelScores:
    """The scores of each model of a query, or of its subgroups, on one scale."""
    # What is misspelt is said before the data are read.
    chosen = choose(metrics, SUBGROUP_PANEL if query.by else None)
    matrices = matrices_by_model(source, query)
    for model, cm in matrices.items():
        if not cm.counts.any():
            why = f"; dropped: {cm.dropped}" if cm.dropped else ""
            raise LabelError(f"{model} has no items to score{why}.")
    _warn_of_unused_levels(next(iter(matrices.values())), metrics, chosen)
    scored = _in_subgroups if query.by else _scores
    return ModelScores({model: scored(cm, chosen) for model, cm in matrices.items()})


def score_subgroups(stack: Any, metrics: Chosen = None) -> SubgroupScores:
    """Score one model in each of the subgroups that it was counted by.

    Parameters
    ----------
    stack
        From ``ConfusionMatrix.from_frame`` or ``from_file`` with ``by=``; of any other stack with
        one leading axis, the subgroups are positions.
    metrics
        Names or measures; by default five, one of each kind.

    Examples
    --------
    >>> print(score_subgroups([[[9, 1], [2, 8]], [[5, 5], [5, 5]]], ["accuracy"])["accuracy"])
    [0.85 0.5 ]
    """
    if not isinstance(stack, ConfusionMatrix):
        stack = ConfusionMatrix(stack)
    if len(stack.shape) != 1:
        raise CountsError(
            f"score_subgroups takes a stack with one axis of subgroups; this one has shape "
            f"{stack.shape}. Take one model out, for example stack[:, 0]."
        )
    chosen = choose(metrics, SUBGROUP_PANEL)
    _warn_of_unused_levels(stack, metrics, chosen)
    return _in_subgroups(stack, chosen)


def _warn_of_unused_levels(cm: ConfusionMatrix, asked: Chosen, chosen: tuple[Metric, ...]) -> None:
    """Warn of measures that the user asked for; of the others, advice says it."""
    if cm.implied and asked is not None:
        warn_of_unused_levels(chosen, cm.scale)


def _scores(cm: ConfusionMatrix, chosen: tuple[Metric, ...]) -> Scores:
    values = tuple(m.evaluate(cm.counts, m.check_parameters({}, cm.k)) for m in chosen)
    return Scores(cm, chosen, values, advise(Situation(cm=cm, metrics=chosen)))


def _in_subgroups(stack: ConfusionMatrix, chosen: tuple[Metric, ...]) -> SubgroupScores:
    checked = [m.check_parameters({}, stack.k) for m in chosen]
    whole = stack.counts.sum(axis=0)
    values = [m.evaluate(stack.counts, p) for m, p in zip(chosen, checked, strict=True)]
    pooled = [m.evaluate(whole, p) for m, p in zip(chosen, checked, strict=True)]
    return SubgroupScores(stack, chosen, np.array(values, dtype=float), np.array(pooled))


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
