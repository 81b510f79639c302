"""Decisions of a model by cut points that were tuned without the items decided for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.predictions import Predictions
from ordeval.data.scale import Scale
from ordeval.evaluate.compare import compare
from ordeval.exceptions import LabelError, ResamplingWarning, user_frame
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.parts.decisions import expected_level
from ordeval.models.choice import labels_at
from ordeval.models.placement import Placement, ScoredItems, best
from ordeval.results.comparison import Comparison

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

    def fold_of(self, folds: int, rng: np.random.Generator) -> Integers:
        """Return the fold of each item: each class, or the clusters, spread evenly over folds."""
        if self.unit is not None:
            return (rng.permutation(int(self.unit.max()) + 1) % folds)[self.unit]
        order = np.lexsort((rng.random(len(self.truth)), self.truth))
        fold = np.empty(len(order), dtype=np.int64)
        fold[order] = np.arange(len(order)) % folds
        return fold


def compared(given: ModelForecasts, metric: Metric, fold: Integers) -> Comparison:
    """Compare decisions by cut points that were tuned without them with the most probable level."""
    tuned = given.plain.copy()
    for f in np.unique(fold):
        inside = fold == f
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
    favours, name = found.deltas()[0].favours, metric.display
    if favours != TUNED:
        said = f"The gain of tuned cut points in {name} is not significant."
        if favours == PLAIN:
            said = (
                f"Tuned cut points are significantly worse than the most probable level in {name}."
            )
        warnings.warn(said, ResamplingWarning, stacklevel=user_frame())
    return found
