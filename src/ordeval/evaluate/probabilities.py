"""The verbs for predicted probabilities: are they right, and is it worth acting on them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar, Unpack, overload

import numpy as np

from ordeval._shared.arguments import checked, checked_but
from ordeval._shared.text import joined, named
from ordeval._shared.types import Floats, Integers, Rng, as_rng, check_draws, check_level
from ordeval.data.array_options import ArrayOptions, GroupedOptions, check_keywords
from ordeval.data.description import Description
from ordeval.data.items import Items
from ordeval.data.predictions import Predictions, described
from ordeval.data.scale import Scale
from ordeval.evaluate._observed import each_subgroup, pairs_of
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.forecasts.calibration import Band, at_threshold, tails
from ordeval.inference.forecasts.net_benefit import Event, Gap, net_benefit, net_benefit_gap
from ordeval.inference.samples import cluster_numbers, weighing
from ordeval.results.calibration import Calibration, ModelCalibrations, SubgroupCalibrations
from ordeval.results.decision_curve import DecisionCurve, SubgroupDecisionCurves

_ALL: Final = None  # the key of the whole
_DRAWS: Final = 1000
_GRID: Final = tuple(i / 100 for i in range(1, 100))
R = TypeVar("R")


@overload
def calibration(
    y_true: Predictions,
    *,
    level: float = 0.95,
    n_resamples: int = _DRAWS,
    rng: Rng = 0,
) -> Calibration | SubgroupCalibrations | ModelCalibrations: ...


@overload
def calibration(
    y_true: Any,
    y_prob: Mapping[str, Any],
    *,
    level: float = 0.95,
    n_resamples: int = _DRAWS,
    rng: Rng = 0,
    **data: Unpack[GroupedOptions],
) -> Calibration | SubgroupCalibrations | ModelCalibrations: ...


@overload
def calibration(
    y_true: Any,
    y_prob: Any = None,
    *,
    level: float = 0.95,
    n_resamples: int = _DRAWS,
    rng: Rng = 0,
    **data: Unpack[ArrayOptions],
) -> Calibration: ...


@overload
def calibration(
    y_true: Any,
    y_prob: Any,
    *,
    by: Any,
    level: float = 0.95,
    n_resamples: int = _DRAWS,
    rng: Rng = 0,
    **data: Unpack[ArrayOptions],
) -> SubgroupCalibrations: ...


@checked
def calibration(
    y_true: Any,
    y_prob: Any = None,
    *,
    level: float = 0.95,
    n_resamples: int = _DRAWS,
    rng: Rng = 0,
    **data: Unpack[GroupedOptions],
) -> Calibration | SubgroupCalibrations | ModelCalibrations:
    """Assess how well predicted probabilities are calibrated, threshold by threshold.

    Each threshold splits the scale in two; its probability is that of this class or a higher one.
    For each there are the calibration intercept (0 is right) and slope (1 is right), both with
    intervals, the isotonic calibration curve with a band, and the parts of the RPS.

    Parameters
    ----------
    y_true, y_prob
        ``Predictions`` instead of both; or true labels and probabilities (n, K), or a mapping of
        names of models to these.
    level
        Confidence level of the intervals and of the band.
    n_resamples, rng
        Number of draws for the band, and their seed or generator. At each predicted probability the
        band covers ``level`` of the curves of data in which the probabilities are right; with
        clusters it is widened by their design effect.
    **data
        With arrays: ``labels``, ``sample_weight``, ``clusters``, ``by``, ``unknown`` and
        ``missing``, as for ``Predictions``.

    Returns
    -------
    Calibration, SubgroupCalibrations or ModelCalibrations
        A Calibration; with subgroups a mapping of the subgroups to theirs; with several models a
        mapping of their names to these.

    Raises
    ------
    LabelError
        If a model gives no probabilities, or labels do not fit the scale.

    Examples
    --------
    >>> prob = [[.8, .2, 0], [.2, .6, .2], [.2, .2, .6], [0, .4, .6]]
    >>> found = calibration([0, 1, 2, 2], prob)
    >>> round(float(found.rps.sum()), 4)
    0.12
    >>> found.slopes[1].reason
    'the probabilities separate the items perfectly'
    """
    check_level(level)
    draws = check_draws(n_resamples)
    as_rng(rng)  # a seed that is none is an error before anything is read
    described_data = _described(y_true, y_prob, data, "y_prob", who="calibration")

    def answer(given: _Forecasts) -> dict[str, Calibration]:
        # A seed gives each model and subgroup the band that it has alone.
        return {
            model: _calibration(given, prob, Band(level, draws, as_rng(rng)))
            for model, prob in given.prob.items()
        }

    found = _answered(described_data, answer)
    made: dict[str, Calibration | SubgroupCalibrations] = {}
    for model in described_data.models:
        if described_data.query.by:
            made[model] = SubgroupCalibrations({key: x[model] for key, x in found.items()})
        else:
            made[model] = found[_ALL][model]
    return ModelCalibrations(made) if len(made) > 1 else made[described_data.models[0]]


def calibrations_of(items: Items, clusters: Any, level: float) -> dict[str, Calibration]:
    """The calibration of each model that gives probabilities, on items that were read already."""
    given = _forecasts(items, clusters)
    return {
        name: _calibration(given, prob, Band(level, _DRAWS, as_rng(0)))
        for name, prob in given.prob.items()
    }


def decision_curve_of(items: Items, clusters: Any, level: float) -> DecisionCurve:
    """The decision curves of the models that give probabilities, on items that were read."""
    return _curve(_forecasts(items, clusters), np.array(_GRID), level)


def _calibration(given: _Forecasts, prob: Floats, band: Band) -> Calibration:
    found = tuple(
        at_threshold(
            upper, tails(prob, t), given.truth > t, given.weight, unit=given.unit, band=band
        )
        for t, upper in enumerate(given.scale.levels[1:])
    )
    return Calibration(
        scale=given.scale,
        thresholds=found,
        level=band.level,
        items=given.items,
        clusters=given.clusters,
        dropped=given.dropped,
        n_resamples=band.n_resamples,
    )


@overload
def decision_curve(
    y_true: Predictions,
    *,
    probabilities: Sequence[float] | None = None,
    level: float = 0.95,
) -> DecisionCurve | SubgroupDecisionCurves: ...


@overload
def decision_curve(
    y_true: Any,
    y_prob: Any = None,
    *,
    probabilities: Sequence[float] | None = None,
    level: float = 0.95,
    **data: Unpack[ArrayOptions],
) -> DecisionCurve: ...


@overload
def decision_curve(
    y_true: Any,
    y_prob: Any,
    *,
    by: Any,
    probabilities: Sequence[float] | None = None,
    level: float = 0.95,
    **data: Unpack[ArrayOptions],
) -> SubgroupDecisionCurves: ...


@checked_but("probabilities")
def decision_curve(
    y_true: Any,
    y_prob: Any = None,
    *,
    probabilities: Sequence[float] | None = None,
    level: float = 0.95,
    **data: Unpack[GroupedOptions],
) -> DecisionCurve | SubgroupDecisionCurves:
    """Estimate the net benefit of acting on predicted probabilities (Vickers & Elkin 2006).

    At each threshold of the scale, the action is taken for items whose probability of being at or
    above it is at least p. The net benefit is TP / n - FP / n * p / (1 - p), compared with acting
    on all and on none.

    Parameters
    ----------
    y_true, y_prob
        ``Predictions`` instead of both; or true labels and probabilities (n, K), or a mapping of
        names of models to these.
    probabilities
        The decision probabilities p, between 0 and 1; by default 0.01, 0.02, ..., 0.99.
    level
        Confidence level of the intervals, each for one p.
    **data
        With arrays: ``labels``, ``sample_weight``, ``clusters``, ``by``, ``unknown`` and
        ``missing``, as for ``Predictions``.

    Returns
    -------
    DecisionCurve or SubgroupDecisionCurves
        The curves of all models, with the differences of each two of them; with subgroups a
        mapping of the subgroups to theirs.

    Raises
    ------
    LabelError
        If a model gives no probabilities, or labels do not fit the scale.
    ParameterError
        If a decision probability is not between 0 and 1.

    Examples
    --------
    >>> prob = [[.8, .2, 0], [.2, .6, .2], [.2, .2, .6], [0, .4, .6]]
    >>> curve = decision_curve([0, 1, 2, 2], prob, probabilities=[0.5])
    >>> [float(b.model.value[0]) for b in curve.benefit["model"]]
    [0.75, 0.5]
    """
    check_level(level)
    grid = _grid(probabilities)
    described_data = _described(y_true, y_prob, data, "model", who="decision_curve")
    found = _answered(described_data, lambda given: _curve(given, grid, level))
    return SubgroupDecisionCurves(found) if described_data.query.by else found[_ALL]


def _curve(given: _Forecasts, grid: Floats, level: float) -> DecisionCurve:
    benefit = {
        name: tuple(
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
        dropped=given.dropped,
        differences={
            pair: tuple(_gap(given, pair, t, grid, level) for t in range(given.scale.k - 1))
            for pair in pairs_of(given.prob)
        },
    )


def _gap(given: _Forecasts, pair: tuple[str, str], t: int, grid: Floats, level: float) -> Gap:
    event = Event(given.truth > t, given.weight, given.unit)
    one, other = (tails(given.prob[name], t).probability for name in pair)
    return net_benefit_gap(event, (one, other), grid, level)


def _described(
    y_true: Any, y_prob: Any, data: GroupedOptions, name: str, *, who: str
) -> Description:
    """What is described, if every model gives probabilities."""
    check_keywords(data, who)
    if not isinstance(y_true, Predictions):
        if y_prob is None:
            raise LabelError(f"{who} needs probabilities beside the true labels.")
        y_prob = y_prob if isinstance(y_prob, Mapping) else {name: y_prob}
        data = {**data, "outputs": "probabilities"}
    found = described(y_true, y_prob, data, who=who)
    others = [f"{m} gives {kind}" for m, kind in found.kinds.items() if kind != "probabilities"]
    if others:
        raise LabelError(f"{who} needs probabilities of every model, and {joined(others)}.")
    return found


def _answered(data: Description, answer: Callable[[_Forecasts], R]) -> dict[Any, R]:
    """The answer for each subgroup, or for all items under the one key of the whole."""
    if not data.query.by:
        return {_ALL: answer(_forecasts(*data.items(None)))}
    grouped = data.subgroups()
    return each_subgroup(grouped, grouped.query, None, lambda *read: answer(_forecasts(*read)))


class _Forecasts(NamedTuple):
    """Items with a weight above 0, in positions."""

    scale: Scale
    truth: Integers
    prob: dict[str, Floats]  # (n, K), by model
    weight: Floats  # scaled so that all weigh as much as their number
    unit: Integers | None
    clusters: int
    dropped: int

    @property
    def items(self) -> int:
        return len(self.truth)


def _forecasts(items: Items, clusters: Any) -> _Forecasts:
    if items.scale.k < 2:
        raise LabelError(f"a threshold needs at least two classes; the scale is {items.scale}.")
    if items.shares is not None:
        raise LabelError("a threshold needs one true class for each item; y_true holds shares.")
    weight = np.ones(len(items.y_true)) if items.weights is None else items.weights
    if not (weight > 0).any():
        raise LabelError("there are no items, or all weights are zero.")
    kept = weighing(items)
    unit = None
    if clusters is not None:
        numbers = cluster_numbers(clusters, items.kept, items.index)
        unit = np.unique(numbers[kept], return_inverse=True)[1]
    weight = weight[kept] / weight.max()
    return _Forecasts(
        items.scale,
        items.y_true[kept],
        {name: x[kept] for name, x in items.prob.items()},
        weight * (len(weight) / weight.sum()),
        unit,
        clusters=0 if unit is None else int(unit.max()) + 1,
        dropped=items.left_out,
    )


def _grid(probabilities: Sequence[float] | None) -> Floats:
    """The decision probabilities, rising."""
    if probabilities is None:
        return np.array(_GRID)
    try:
        grid = np.unique(np.asarray(probabilities, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        grid = np.array([np.nan])
    if not len(grid) or not ((grid > 0) & (grid < 1)).all():
        raise ParameterError(
            f"{named('probabilities')} must be numbers between 0 and 1, at which one would act; "
            f"got {probabilities!r}."
        )
    return grid
