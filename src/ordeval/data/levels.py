"""The levels of a scale: as a user declares them, or as integers imply them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import is_name
from ordeval._shared.text import argument, plural
from ordeval.data.columns import Column, as_column, as_python_has_them, is_missing
from ordeval.data.numbering import ends
from ordeval.exceptions import ScaleError

MAX_LEVELS: Final = 2000  # at which a score takes 16 seconds and 0.8 GB
SHOWN: Final = 5  # labels that a message names


def read_levels(labels: Any) -> tuple[Hashable, ...]:
    """The levels, lowest first; an error says what has no order, or is no list of labels."""
    if hasattr(labels, "categories") or hasattr(getattr(labels, "dtype", None), "categories"):
        labels = _read_categories(labels)
    scalar = isinstance(labels, (str, bytes)) or getattr(labels, "shape", None) == ()
    if scalar or not isinstance(labels, Iterable):
        raise ScaleError(
            f"A scale is a list of labels, lowest first, for example "
            f"['low', 'medium', 'high']; got {labels!r}."
        )
    if isinstance(labels, (set, frozenset, Mapping)):
        what = "mapping" if isinstance(labels, Mapping) else "set"
        raise ScaleError(f"A {what} has no order; give the labels as a list, lowest first.")
    if type(labels).__module__.partition(".")[0] == "pyarrow":
        labels = _read_arrow(labels)
    if hasattr(labels, "detach"):
        labels = labels.tolist()  # the elements of a tensor are tensors
    levels = tuple(_as_python(x) for x in islice(labels, MAX_LEVELS + 1))
    if len(levels) > MAX_LEVELS:
        raise ScaleError(
            f"A scale has at most {MAX_LEVELS:,} levels; got more, starting with "
            f"{levels[0]!r}. If these are names or measurements, group them into fewer "
            "levels first."
        )
    _check_levels(levels)
    return levels


def _as_python(label: Any) -> Any:
    """A NumPy scalar as the Python object that it stands for."""
    if isinstance(label, (np.datetime64, np.timedelta64)) and label == label:
        return as_python_has_them(label).item()
    return label.item() if isinstance(label, np.generic) and label == label else label


def _read_arrow(labels: Any) -> Any:
    column = as_column(labels, "labels")
    if not column.categorical or column.categories is None:
        return labels.to_pylist()
    if not column.ordered:
        raise ScaleError(_not_in_order(column.categories))
    return column.categories


def _check_levels(levels: tuple[Any, ...]) -> None:
    if not levels:
        raise ScaleError("A scale needs at least one level; got an empty list.")
    seen: set[Hashable] = set()
    for i, level in enumerate(levels):
        if is_missing(level):
            raise ScaleError(f"A level cannot be a missing value; got {level!r} at position {i}.")
        if not is_name(level):
            raise ScaleError(
                f"A level must be hashable; got {level!r} of type {type(level).__name__} at "
                f"position {i}."
            )
        if level in seen:
            raise ScaleError(f"A level can occur only once; {level!r} is repeated at position {i}.")
        seen.add(level)


def _read_categories(labels: Any) -> Any:
    """The categories of a pandas or Polars type or container, if they are in order."""
    source = labels if hasattr(labels, "categories") else labels.dtype
    categories = source.categories
    if not getattr(source, "ordered", type(source).__name__ == "Enum"):
        raise ScaleError(_not_in_order(categories))
    return categories.to_list() if hasattr(categories, "to_list") else categories


def _not_in_order(categories: Iterable[Any]) -> str:
    shown = ", ".join(repr(c) for c in islice(iter(categories), SHOWN))
    return (
        f"The categories {shown} are not declared to be in order. Give the labels as a list, "
        f"lowest first, or make the categorical ordered."
    )


def in_order(levels: Iterable[Any]) -> str:
    """Levels as a message shows them; of many the ends."""
    names = [repr(x) for x in levels]
    return " < ".join(names if len(names) <= 12 else [*names[:5], "...", *names[-2:]])


def is_integer(value: object) -> bool:
    """Whether a label is an integer of Python or NumPy."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64)


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
                f"so its integers imply no scale. Declare it: {fix}; then fill {them} in or "
                f"use {argument('missing', 'drop')}."
            )
        return (
            f"{column.name} contains floating-point numbers, which imply no scale. "
            f"Declare it: {fix}."
        )
    what = "categories" if column.categorical else "labels"
    shown = ", ".join(repr(v) for v in distinct[:SHOWN])
    more = ", ..." if len(distinct) > SHOWN else ""
    return (
        f"{column.name} has {what} without an order. Found: {shown}{more} "
        f"(alphabetical). List them lowest first, for example "
        f"{argument('labels', ['low', 'medium', 'high'])}, or use an ordered categorical."
    )


def _some_distinct(column: Column) -> list[Any]:
    """Some of the labels that occur, in a fixed order that only serves messages."""
    if column.categories is not None:
        return sorted((c for c in column.categories if not is_missing(c)), key=str)
    distinct = {v for v in column.values[:100_000].tolist() if not is_missing(v)}
    return sorted(distinct, key=lambda v: (v, "") if isinstance(v, float) else (0.0, str(v)))
