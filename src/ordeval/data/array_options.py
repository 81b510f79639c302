"""The keywords of functions that accept arrays."""

from __future__ import annotations

from typing import Any, TypedDict

from ordeval._shared.arguments import check_options
from ordeval._shared.types import Policy
from ordeval.data.outputs import Outputs


class ArrayOptions(TypedDict, total=False):
    """The keywords of every function that accepts arrays, as for ``Predictions``."""

    labels: Any
    sample_weight: Any
    clusters: Any
    outputs: Outputs
    decide: Any
    unknown: Policy
    missing: Policy


class GroupedOptions(ArrayOptions, total=False):
    """The keywords of arrays, and subgroups."""

    by: Any


def check_keywords(options: GroupedOptions, who: str) -> None:
    """Raise Python's own error for a keyword that a verb does not have."""
    check_options(options, GroupedOptions)
    for name in options:
        if name not in GroupedOptions.__annotations__:
            raise TypeError(f"{who}() got an unexpected keyword argument {name!r}")
