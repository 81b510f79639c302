"""What labels imply when no order is declared: integers their range, anything else an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordeval._shared.text import argument, plural
from ordeval.data.columns import Column, is_missing
from ordeval.data.declared_levels import SHOWN, is_integer
from ordeval.data.numbering import ends
from ordeval.exceptions import ScaleError


def integer_ends(column: Column) -> tuple[int, ...]:
    """The smallest and the largest label, or an error that shows how to declare the order."""
    values = column.values
    if column.categories is None and values.dtype.kind in "iub":
        return ends(values) if len(values) else ()
    if not len(values):
        return ()
    if column.categories is None and values.dtype.kind == "O":
        column.check_hashable()
        present = [v for v in values.tolist() if not is_missing(v)]
        if not present:
            return ()
        if all(is_integer(v) for v in present):
            return min(present), max(present)
    raise ScaleError(_undeclared_message(column))


def _undeclared_message(column: Column) -> str:
    distinct = _some_distinct(column)
    if column.categories is None and column.values.dtype.kind == "f":
        numbers = [v for v in distinct if isinstance(v, float)]
        fix = f"{argument('labels')} with the levels, lowest first"
        whole = bool(numbers) and all(v.is_integer() for v in numbers)
        if whole:
            fix = argument("labels", range(int(min(numbers)), int(max(numbers)) + 1))
        gone = np.flatnonzero(np.isnan(column.values))
        if len(gone) and (whole or not numbers):
            n, them = len(gone), "it" if len(gone) == 1 else "them"
            return (
                f"{column.name} has {plural(n, 'missing value')}, the first at position {gone[0]}, "
                f"and integers beside missing values imply no scale. Declare it: {fix}; and fill "
                f"{them} in, or use {argument('missing', 'drop')}."
            )
        return (
            f"{column.name} holds floating-point numbers, from which no scale is implied. "
            f"Declare it: {fix}."
        )
    what = "categories" if column.categorical else "labels"
    shown = ", ".join(repr(v) for v in distinct[:SHOWN])
    more = ", ..." if len(distinct) > SHOWN else ""
    return (
        f"The order of the {what} of {column.name} is not declared. They include {shown}{more} "
        f"(listed alphabetically, which need not be their order). Declare the order, lowest first: "
        f"{argument('labels', ['low', 'medium', 'high'])}, or use an ordered categorical."
    )


def _some_distinct(column: Column) -> list[Any]:
    """Some of the labels that occur, in a fixed order that only serves messages."""
    if column.categories is not None:
        return sorted((c for c in column.categories if not is_missing(c)), key=str)
    distinct = {v for v in column.values[:100_000].tolist() if not is_missing(v)}
    return sorted(distinct, key=lambda v: (v, "") if isinstance(v, float) else (0.0, str(v)))
