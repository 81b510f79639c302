"""The measures, one file per family, and the registry that holds them.

Importing a family registers its measures; the order here is the order of every table.
"""

from __future__ import annotations

# isort: off
from ordeval.measures import nominal, distance, agreement, raters, association, information
from ordeval.measures import cost, path, closeness, probability

# isort: on
from ordeval.measures._references import Reference
from ordeval.measures.metric import Metric, OrdinalProperties, Range
from ordeval.measures.registry import Metrics, get_metric, metrics, register, unregister

__all__ = [
    "Metric", "Metrics", "OrdinalProperties", "Range", "Reference", "agreement", "association",
    "closeness", "cost", "distance", "get_metric", "information", "metrics", "nominal", "path",
    "probability", "raters", "register", "unregister",
]  # fmt: skip
