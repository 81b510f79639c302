"""The measures, a file a family, and the registry that holds them.

Importing a family registers its measures; the order here is the order of every table.
"""

from __future__ import annotations

# isort: off
from ordeval.measures import nominal
from ordeval.measures import distance
from ordeval.measures import agreement
from ordeval.measures import association
from ordeval.measures import information
from ordeval.measures import cost
from ordeval.measures import path
from ordeval.measures import closeness
from ordeval.measures import probability

# isort: on
from ordeval.measures._references import Reference
from ordeval.measures.registry import (
    Metric,
    Metrics,
    OrdinalProperties,
    Range,
    get_metric,
    metrics,
    register,
    unregister,
)

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
    "get_metric",
    "information",
    "metrics",
    "nominal",
    "path",
    "probability",
    "register",
    "unregister",
]
