"""Which measures of probabilities a lazy engine can sum by itself, and what it is asked then."""

from __future__ import annotations

from functools import partial
from typing import Any

from ordeval.data.items import Items
from ordeval.data.query import Query
from ordeval.data.sources.loss_sums import Loss, moved, ranked, summed_items
from ordeval.data.sources.output_columns import each_item
from ordeval.data.sources.rows import DistinctRows, Source
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Estimation
from ordeval.measures import Metric
from ordeval.measures.probability import ProbabilityMetric


def summed_or_read(
    source: Source, query: Query, metrics: tuple[Metric, ...], how: Estimation | None, decide: Any
) -> tuple[Items, Any]:
    """The items of models that give probabilities or scores: groups of them if that is enough."""
    # How alike the items of a cluster are shows only one by one.
    losses = None if query.clusters else _losses(metrics, query)
    if losses is not None and (how is None or how.method == "auto"):
        found = summed_items(source, query, losses, decide if isinstance(decide, str) else "cost")
        if found is not None:
            return found
    return each_item(read(source, query), query, rule_of(decide))


def read(source: Source, query: Query) -> DistinctRows:
    """All columns, in an order that does not depend on the engine."""
    return source.rows(query.columns, numbers=query.numbers).in_order()


def _losses(metrics: tuple[Metric, ...], query: Query) -> dict[str, Loss] | None:
    """The losses of all measures of probabilities, by their names; None if one is not a sum."""
    found: dict[str, Loss] = {}
    for metric in metrics:
        if isinstance(metric, ProbabilityMetric):
            loss = _loss(metric, 0 if query.labels is None else query.labels.k)
            if loss is None:
                return None
            found[metric.name] = loss
        elif metric.takes_scores:
            return None
    return found or None


def _loss(metric: ProbabilityMetric, k: int) -> Loss | None:
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
            return partial(_at, metric.check_parameters({}, k)["threshold"])
        case _:
            return None


def _over(loss: Loss, by: int, below: list[Any], happened: list[Any]) -> Any:
    return loss(below, happened) / by


def _at(cut: int, below: list[Any], happened: list[Any]) -> Any:
    return ranked(below[cut : cut + 1], happened[cut : cut + 1])
