"""The doors for predicted probabilities: are they right, and is it worth acting on them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers, Rng, as_rng, check_draws, check_level
from ordeval.data.probabilities import read_probabilities
from ordeval.data.query import Query
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale
from ordeval.data.sources.output_columns import each_item, settled
from ordeval.data.sources.rows import Source
from ordeval.evaluate._loss_sums import read
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.forecasts.calibration import Band, at_threshold, tails
from ordeval.inference.forecasts.net_benefit import Event, net_benefit
from ordeval.inference.samples import cluster_numbers
from ordeval.results.calibration import Calibration, ModelCalibrations
from ordeval.results.decision_curve import DecisionCurve

_GRID: Final = tuple(i / 100 for i in range(1, 100))


def calibration(
    y_true: Any,
    y_prob: Any,
    *,
    labels: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
) -> Calibration:
    """How well predicted probabilities are calibrated, threshold by threshold.

    Each threshold splits the scale in two; its probability is that of the class being this one or
    higher. For each there are the calibration intercept (0 is right) and slope (1 is right), both
    with intervals, the isotonic calibration curve with a band, and the parts of the RPS.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight
        As for ``ranked_probability_score``.
    clusters
        What each item belongs to; items of a cluster, such as the slides of a patient, depend on
        each other.
    level
        Of the intervals and of the band.
    n_resamples, rng
        How often the band is drawn, and its randomness. At each predicted probability the band
        holds ``level`` of the curves of data in which the probabilities are right; with clusters
        it is widened by their design effect.

    Examples
    --------
    >>> prob = [[.8, .2, 0], [.2, .6, .2], [.2, .2, .6], [0, .4, .6]]
    >>> found = calibration([0, 1, 2, 2], prob)
    >>> round(float(found.rps.sum()), 4)
    0.12
    >>> found.slopes[1].reason
    'the probabilities part the items without error'
    """
    check_level(level)
    band = Band(level, check_draws(n_resamples), as_rng(rng))
    given = _read(y_true, {"y_prob": y_prob}, labels, sample_weight, clusters)
    (prob,) = given.prob.values()
    found = tuple(
        at_threshold(
            upper, tails(prob, t), given.truth > t, given.weight, unit=given.unit, band=band
        )
        for t, upper in enumerate(given.scale.levels[1:])
    )
    return Calibration(
        scale=given.scale,
        thresholds=found,
        level=level,
        items=given.items,
        clusters=given.clusters,
        n_resamples=band.n_resamples,
    )


def calibration_of_models(
    source: Source, query: Query, *, level: float = 0.95, rng: Rng = None
) -> ModelCalibrations:
    """The calibration of each model of a query that gives probabilities."""
    query = settled(source, query)
    items, clusters = each_item(read(source, query), query, None)
    unit = None if clusters is None else cluster_numbers(clusters, items.kept, items.index)
    truth = items.scale.decode(items.y_true)
    return ModelCalibrations(
        {
            model: calibration(
                truth,
                prob,
                labels=items.scale,
                clusters=unit,
                sample_weight=items.weights,
                level=level,
                rng=0 if rng is None else rng,
            )
            for model, prob in items.prob.items()
        }
    )


def decision_curve(
    y_true: Any,
    y_prob: Any,
    *,
    labels: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    probabilities: Sequence[float] | None = None,
    level: float = 0.95,
) -> DecisionCurve:
    """What it is worth to act on predicted probabilities (Vickers & Elkin 2006).

    At each threshold of the scale, those items are acted upon whose probability of being at or
    above it is p or more. The net benefit is TP / n - FP / n * p / (1 - p), beside those of acting
    on all and on none.

    Parameters
    ----------
    y_true, labels, sample_weight
        As for ``ranked_probability_score``.
    y_prob
        Probabilities (n, K), or a mapping of names of models to them.
    clusters
        What each item belongs to; items of a cluster depend on each other.
    probabilities
        The decision probabilities p, between 0 and 1; by default 0.01, 0.02, ..., 0.99.
    level
        Of the intervals, which are for each p alone.

    Examples
    --------
    >>> prob = [[.8, .2, 0], [.2, .6, .2], [.2, .2, .6], [0, .4, .6]]
    >>> curve = decision_curve([0, 1, 2, 2], prob, probabilities=[0.5])
    >>> [float(b.model.value[0]) for b in curve.benefit["model"]]
    [0.75, 0.5]
    """
    check_level(level)
    grid = _grid(probabilities)
    models = dict(y_prob) if isinstance(y_prob, Mapping) else {"model": y_prob}
    if not models:
        raise LabelError("y_prob is an empty mapping; it must hold the probabilities of a model.")
    given = _read(y_true, models, labels, sample_weight, clusters)
    benefit = {
        str(name): tuple(
            net_benefit(
                Event(given.truth > t, given.weight, given.unit),
                tails(prob, t).probability,
                grid,
                level,
            )
            for t in range(given.scale.k - 1)
        )
        for name, prob in given.prob.items()
    }
    return DecisionCurve(
        scale=given.scale,
        probabilities=grid,
        benefit=benefit,
        level=level,
        items=given.items,
        clusters=given.clusters,
    )


class _Given(NamedTuple):
    """Items with a weight above 0, in positions."""

    scale: Scale
    truth: Integers
    prob: dict[Any, Floats]  # (n, K), by model
    weight: Floats  # scaled so that all weigh as much as their number
    unit: Integers | None
    clusters: int

    @property
    def items(self) -> int:
        return len(self.truth)


def _read(
    y_true: Any, models: Mapping[Any, Any], labels: Any, sample_weight: Any, clusters: Any
) -> _Given:
    prob = {}
    for name, y_prob in models.items():
        scale, truth, prob[name], weights = read_probabilities(
            y_true, y_prob, labels, sample_weight
        )
    if scale.k < 2:
        raise LabelError(f"a threshold needs at least two classes; the scale is {scale}.")
    weight = np.ones(len(truth)) if weights is None else weights
    kept = weight > 0
    if not kept.any():
        raise LabelError("there are no items, or none that weighs more than 0.")
    index = check_same_items([("y_true", y_true), *((str(n), x) for n, x in models.items())])
    unit = None if clusters is None else cluster_numbers(clusters, np.ones(len(kept), bool), index)
    if unit is not None:
        unit = np.unique(unit[kept], return_inverse=True)[1]
    weight = weight[kept] / weight.max()
    return _Given(
        scale,
        truth[kept],
        {name: x[kept] for name, x in prob.items()},
        weight * (len(weight) / weight.sum()),
        unit,
        clusters=0 if unit is None else int(unit.max()) + 1,
    )


def _grid(probabilities: Sequence[float] | None) -> Floats:
    """The decision probabilities, rising."""
    if probabilities is None:
        return np.array(_GRID)
    try:
        grid = np.unique(np.asarray(probabilities, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.array([np.nan])
    if not len(grid) or not ((grid > 0) & (grid < 1)).all():
        raise ParameterError(
            f"{named('probabilities')} must be numbers between 0 and 1, at which one would act; "
            f"got {probabilities!r}."
        )
    return grid
