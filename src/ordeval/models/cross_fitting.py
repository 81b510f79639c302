"""Decisions of a model by cut points that were tuned without the items decided for."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.predictions import Predictions
from ordeval.data.scale import Scale
from ordeval.evaluate.compare import compare
from ordeval.exceptions import LabelError, ParameterError, ResamplingWarning, user_frame
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.paired import Delta
from ordeval.inference.paired_tests import span_of
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.parts.decisions import expected_level
from ordeval.models.choice import labels_at
from ordeval.models.placement import Placement, ScoredItems, best
from ordeval.results.comparison import Deltas

TUNED: Final = "tuned"
PLAIN: Final = "most probable level"
# What a decision may cost by other measures.
_OTHERS: Final = (
    "accuracy",
    "mean_absolute_error",
    "average_mae",
    "weighted_kappa",
    "cem_ord",
)
_GROUPS: Final = 5  # of the jackknife: more need more tunings


class Folds(NamedTuple):
    """How items are divided, to estimate the gain and its standard error."""

    of_gain: Integers  # the fold of each item
    of_error: Integers  # the group of each item, for the jackknife


@dataclass(frozen=True, eq=False)
class ModelForecasts:
    """Items with the probabilities of one model, in positions."""

    scale: Scale
    truth: Integers
    prob: Floats
    plain: Integers  # the most probable level
    weight: Floats | None
    unit: Integers | None  # of the cluster of each item

    @classmethod
    def of(cls, data: Predictions) -> ModelForecasts:
        """Read the items of the only model."""
        if len(data.models) != 1:
            raise LabelError(
                f"cut points are tuned for one model; got {len(data.models)}: select one, such as "
                f"data[{data.models[0]!r}]."
            )
        model, described = data.models[0], data._data
        items, clusters = described.items(rule_of("mode"))
        if model not in items.prob:
            raise LabelError(f"cut points of Predictions need probabilities; {model} has none.")
        unit = None
        if clusters is not None:
            unit = cluster_numbers(clusters, items.kept, items.index)
        each = items.count  # a row may stand for several items
        weight = None if items.weights is None else np.repeat(items.weights / each, each)
        unit = None if unit is None else np.repeat(unit, each)
        truth, plain = np.repeat(items.y_true, each), np.repeat(items.y_pred[model], each)
        prob = np.repeat(items.prob[model], each, axis=0)
        return cls(items.scale, truth=truth, prob=prob, plain=plain, weight=weight, unit=unit)

    def placed(self, rows: NDArray[np.bool_] | slice, metric: Metric) -> Placement:
        """Return the best placement for some of the items."""
        weight = None if self.weight is None else self.weight[rows]
        scores = expected_level(self.prob[rows])
        return best(ScoredItems(scores, self.truth[rows], weight, self.scale), metric)

    @property
    def units(self) -> int:
        """The number of independent units: items or clusters."""
        return len(self.truth) if self.unit is None else int(self.unit.max()) + 1

    def folds(self, folds: int, rng: np.random.Generator) -> Folds:
        """Divide the items for the gain and for its standard error."""
        return Folds(self.fold_of(folds, rng), self.fold_of(min(_GROUPS, self.units), rng))

    def fold_of(self, folds: int, rng: np.random.Generator) -> Integers:
        """Return the fold of each item: each class, or the clusters, spread evenly over folds."""
        if self.unit is not None:
            return (rng.permutation(self.units) % folds)[self.unit]
        order = np.lexsort((rng.random(len(self.truth)), self.truth))
        fold = np.empty(len(order), dtype=np.int64)
        fold[order] = np.arange(len(order)) % folds
        return fold


def compared(given: ModelForecasts, metric: Metric, folds: Folds) -> Deltas:
    """Compare decisions by cut points that were tuned without them with the most probable level."""
    tuned = given.plain.copy()
    for f in np.unique(folds.of_gain):
        inside = folds.of_gain == f
        placed = given.placed(~inside, metric)
        tuned[inside] = placed.classify(expected_level(given.prob[inside]))
    levels = given.scale.levels
    found = compare(
        labels_at(levels, given.truth),
        {TUNED: labels_at(levels, tuned), PLAIN: labels_at(levels, given.plain)},
        [metric, *(m for m in _OTHERS if m != metric.registered_as)],
        labels=given.scale,
        sample_weight=given.weight,
        clusters=given.unit,
        reference=PLAIN,
    )
    jackknife = Jackknife.of(given, metric, folds.of_error)
    measures = {m.name: m for m in found.metrics}
    differences = Deltas(jackknife.widened(d, measures[d.metric]) for d in found.deltas())
    favours, name = differences[0].favours, metric.display
    if favours != TUNED:
        said = f"The gain of tuned cut points in {name} is not significant."
        if favours == PLAIN:
            said = (
                f"Tuned cut points are significantly worse than the most probable level in {name}."
            )
        warnings.warn(said, ResamplingWarning, stacklevel=user_frame())
    return differences


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Decisions without each group of items in turn, each cross-fitted among the other groups.

    The interval of a comparison takes decisions as given, and is too short if cut points vary with
    the items used for tuning. The jackknife repeats the tuning; its variance tends to be too large
    (Efron & Stein 1981). The mean of both variances is used, or the first one if it is larger.
    """

    given: ModelForecasts
    group: Integers
    decided: Integers  # (group left out, item)

    @classmethod
    def of(cls, given: ModelForecasts, metric: Metric, group: Integers) -> Jackknife:
        """Tune the cut points for each group without it and another group."""
        groups = int(group.max()) + 1
        if groups < 3:
            units = "items" if given.unit is None else "clusters"
            raise ParameterError(f"its standard error needs at least 3 {units}.")
        expected, decided = expected_level(given.prob), np.tile(given.plain, (groups, 1))
        for pair in combinations(range(groups), 2):
            placed = given.placed(~np.isin(group, pair), metric)
            for left_out, other in (pair, pair[::-1]):
                inside = group == other
                decided[left_out, inside] = placed.classify(expected[inside])
        return cls(given, group, decided)

    def error(self, metric: Metric) -> float:
        """Return the standard error of the gain; infinite if it has no value without a group."""
        gains = []
        for left_out, tuned in enumerate(self.decided):
            rows = self.group != left_out
            counts = np.stack([self._counts(x, rows) for x in (tuned, self.given.plain)])
            better, worse = metric.utility(
                metric.evaluate(counts, metric.checked_on(self.given.scale, {}))
            )
            gains.append(better - worse)
        error = math.sqrt((len(gains) - 1) * np.var(gains))
        return error if math.isfinite(error) else math.inf

    def widened(self, d: Delta, metric: Metric) -> Delta:
        """Return the difference with an interval and a p-value that allow for the tuning."""
        from scipy.special import ndtr, ndtri

        if not math.isfinite(d.low + d.high):
            return d
        z, limit = -float(ndtri((1 - d.level) / 2)), span_of(metric, self.given.scale.k)
        error = z * self.error(metric)
        below, above = (
            max(own, math.sqrt((own**2 + error**2) / 2))
            for own in (d.delta - d.low, d.high - d.delta)
        )
        toward_zero = below if d.delta > 0 else above
        p = 2 * float(ndtr(-z * abs(d.delta) / toward_zero)) if toward_zero else d.p_value
        low, high = max(d.delta - below, -limit), min(d.delta + above, limit)
        return replace(d, low=low, high=high, p_value=p, p_adjusted=p)

    def _counts(self, decided: Integers, rows: NDArray[np.bool_]) -> Floats:
        """Return the confusion matrix of some of the items."""
        k, weight = self.given.scale.k, self.given.weight
        cells = (self.given.truth * k + decided)[rows]
        weights = None if weight is None else weight[rows]
        return np.bincount(cells, weights, minlength=k * k).reshape(k, k).astype(np.float64)
