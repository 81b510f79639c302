"""The measures, one file per family, and the registry that holds them.

Importing a family registers its measures; the import order is the order of every table.
"""

from __future__ import annotations

# isort: off
from ordeval.measures import nominal, threshold, distance, agreement, raters, association
from ordeval.measures import ranking, information, cost, path, closeness, probability, distribution

# isort: on
from ordeval.measures.metric import Metric
from ordeval.measures.parts.facts import OrdinalProperties, Range
from ordeval.measures.parts.references import Reference
from ordeval.measures.registry import Metrics, get_metric, metrics, register, unregister

__all__ = [
    "Metric",
    "Metrics",
    "OrdinalProperties",
    "Range",
    "Reference",
    "agreement",
    "association",
    "closeness",
    "cost",
    "distance",
    "distribution",
    "get_metric",
    "information",
    "metrics",
    "nominal",
    "path",
    "probability",
    "ranking",
    "raters",
    "register",
    "threshold",
    "unregister",
]
