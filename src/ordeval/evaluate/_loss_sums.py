"""Which measures of probabilities a lazy engine can sum by itself, and what it is asked then."""

from __future__ import annotations

from functools import partial
from typing import Any

from ordeval.data.description import Description
from ordeval.data.items import Items
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.loss_sums import Loss, moved, ranked, summed_items
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Estimation
from ordeval.measures import Metric
from ordeval.measures.probability import ProbabilityMetric


def summed_or_read(
    data: Description, metrics: tuple[Metric, ...], how: Estimation | None
) -> tuple[Items, Any]:
    """The items of all models: groups of them if losses can be summed and that is enough."""
    query, decide = data.query, data.decide
    # How alike the items of a cluster are shows only one by one.
    one_by_one = query.clusters or query.population is not None
    summable = data.arrays is None and not query.plain and not one_by_one
    losses = _losses(metrics, data.table[1]) if summable else None
    if losses is not None and (how is None or how.method == "auto"):
        rule = decide if isinstance(decide, str) else "cost"
        found = summed_items(*data.table, losses, rule)
        if found is not None:
            return found
    return data.items(rule_of(decide))


def _losses(metrics: tuple[Metric, ...], query: Query) -> dict[str, Loss] | None:
    """The losses of all measures of probabilities, by their names; None if one is not a sum."""
    found: dict[str, Loss] = {}
    for metric in metrics:
        if isinstance(metric, ProbabilityMetric):
            loss = None if query.labels is None else _loss(metric, query.labels)
            if loss is None:
                return None
            found[metric.name] = loss
        elif metric.takes_scores:
            return None
    return found or None


def _loss(metric: ProbabilityMetric, scale: Scale) -> Loss | None:
    k = scale.k
    if k < 2:
        return None
    match metric.registered_as:
        case "ranked_probability_score":
            return partial(_over, ranked, k - 1 if metric.bound.get("normalize") else 1)
        case "ranked_probability_skill_score":
            return ranked
        case "wasserstein":
            return moved
        case "normalized_match_distance":
            return partial(_over, moved, k - 1)
        case "threshold_brier":
            return partial(_at, metric.checked_on(scale, {})["at_least"] - 1)
        case _:
            return None


def _over(loss: Loss, by: int, below: list[Any], happened: list[Any]) -> Any:
    return loss(below, happened) / by


def _at(cut: int, below: list[Any], happened: list[Any]) -> Any:
    return ranked(below[cut : cut + 1], happened[cut : cut + 1])
