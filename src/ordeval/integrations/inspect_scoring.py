"""Measures of labels as metrics of Inspect, and a scorer that reads labels from answers.

Inspect loads this module through the entry point of ordeval, so that it finds the metric again when
a log is scored anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import joined
from ordeval.data.scale import as_scale
from ordeval.data.text.answers import read_answers
from ordeval.exceptions import LabelError
from ordeval.inference.influence import contributions
from ordeval.inference.intervals import Estimation, Observed, intervals_of
from ordeval.inference.samples import Sample, cluster_numbers
from ordeval.integrations._wrapped import plain_name
from ordeval.measures.registry import choose

inspect: Any = import_extra("inspect_ai.scorer", extra="integrations", purpose="ordinal_metric")
TRUTH = "target"  # where label_scorer puts the true label


def ordinal_metric(
    metric: str,
    labels: Sequence[Any],
    *,
    truth: str = TRUTH,
    cluster: str | None = None,
    level: float = 0.95,
) -> Callable[[list[Any]], dict[str, float]]:
    """Compute a measure of labels as an Inspect metric, with clustered standard error and interval.

    Scores are used as they are, before epochs are reduced; the epochs of a sample are a cluster,
    and a score that is a list is several ratings. Scores that are no label are left out, and the
    number of those that were used is given.

    Parameters
    ----------
    metric
        The name of a measure of labels.
    labels
        The ordered labels, lowest first.
    truth
        The key of the score's metadata, or else of the sample's, that holds the true label.
        ``label_scorer`` puts the target there.
    cluster
        The key of the sample's metadata that names its cluster, such as a document.
    level
        Confidence level of the interval.

    Returns
    -------
    inspect_ai.scorer.Metric
        A metric with the values ``NAME``, ``NAME_stderr``, ``NAME_low``, ``NAME_high`` and
        ``NAME_items``.

    Raises
    ------
    LabelError
        When scores are computed: if a sample has no true label or no cluster.
    UnknownMetricError
        If no measure is called ``metric``.
    """
    made = _registered(metric, list(as_scale(labels).levels), truth, cluster, level)
    return cast("Callable[[list[Any]], dict[str, float]]", made)


@inspect.metric(name="ordinal_metric", scores="unreduced")  # type: ignore[untyped-decorator]
def _registered(
    metric: str, labels: list[Any], truth: str, cluster: str | None, level: float
) -> Callable[[list[Any]], dict[str, float]]:
    """Make the metric that Inspect keeps by name."""
    (chosen,) = choose([metric])
    scale, name = as_scale(labels), plain_name(metric)

    def value(scores: list[Any]) -> dict[str, float]:
        each = [(s, v) for s in scores for v in _ratings(s.score.value)]
        given = read_answers([v for _, v in each], scale, pattern="whole").labels
        true = read_answers([_true(s, truth) for s, _ in each], scale, pattern="whole").labels
        there = [i for i, label in enumerate(given) if label is not None]
        lost = [each[i][0].sample_id for i in there if true[i] is None]
        if lost:
            raise LabelError(
                f"the sample {lost[0]} has no label of {scale} under {truth!r}, in the metadata of "
                f"its score or its own: ordinal_metric needs the true label."
            )
        ids = [_cluster(each[i][0], cluster) for i in there]
        keys = ("", "_stderr", "_low", "_high")
        found = dict.fromkeys((f"{name}{key}" for key in keys), np.nan)
        if len(set(ids)) > 1:
            groups = ids if len(set(ids)) < len(ids) else None
            codes = [np.array([scale.levels.index(x[i]) for i in there]) for x in (true, given)]
            sample = Sample(
                codes[0],
                codes[1][:, None],
                np.ones(len(there), dtype=np.int64),
                scale.k,
                cluster=None
                if groups is None
                else cluster_numbers(groups, np.full(len(ids), True)),
            )
            observed = Observed(sample, scale, implied=False)
            x = intervals_of(observed, (chosen,), Estimation(level=level), None)[chosen.name]
            error = float(contributions(chosen, sample).errors[0])
            found = dict(zip(found, (x.estimate, error, x.low, x.high), strict=True))
        return {**found, f"{name}_items": float(len(there))}

    return value


def label_scorer(labels: Sequence[Any], pattern: str = "score", half: Any = "error") -> Any:
    """Read the label that a model answers as an Inspect score, with the target as its truth.

    Parameters
    ----------
    labels, pattern, half
        As in ``read_answers``.

    Returns
    -------
    inspect_ai.scorer.Scorer
        A scorer; its score is NaN if the answer cannot be read, with the reason.

    Raises
    ------
    ParameterError
        If the pattern or the rule of rounding is not understood.
    """
    levels = list(as_scale(labels).levels)
    read_answers(["1"], levels, pattern=pattern, half=half)  # an error now, not during a run
    return _reading(levels, pattern, half)


@inspect.scorer(metrics=[], name="label_scorer")  # type: ignore[untyped-decorator]
def _reading(labels: list[Any], pattern: str, half: Any) -> Any:
    """Make the scorer that Inspect keeps by name."""

    async def score(state: Any, target: Any) -> Any:
        text = state.output.completion
        found = read_answers([text], labels, pattern=pattern, half=half)
        (label,), (said,) = found.labels, found.readings
        return inspect.Score(
            value=float("nan") if label is None else label,
            answer=text,
            explanation=None if said.reason is None else str(said.reason),
            metadata={TRUTH: target.text},
        )

    return score


def _ratings(value: Any) -> list[Any]:
    """The ratings that a score holds: a list is several of them."""
    if isinstance(value, dict):
        raise LabelError(
            f"a score with several values ({joined(list(value))}) needs one metric for each: "
            f'metrics={{"{next(iter(value), "name")}": [ordinal_metric(...)]}}.'
        )
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _true(score: Any, key: str) -> Any:
    """The true label of a sample."""
    for held in (score.score.metadata, score.sample_metadata):
        if held and key in held:
            return held[key]
    return None


def _cluster(score: Any, key: str | None) -> Any:
    """The cluster of a sample: by default its epochs are one."""
    if key is None:
        return score.sample_id
    found = (score.sample_metadata or {}).get(key)
    if found is None:
        raise LabelError(f"the sample {score.sample_id} has no {key!r} in its metadata.")
    return found
