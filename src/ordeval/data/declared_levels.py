"""The levels of a scale, read from what a user declares as its labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Any, Final

import numpy as np

from ordeval.data.columns import as_column, in_microseconds, is_missing
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
            f"A scale has at most {MAX_LEVELS:,} levels, for each is counted with each other; got "
            f"more, beginning with {levels[0]!r}. If these are names or measurements, divide them "
            f"into fewer levels first."
        )
    _check_levels(levels)
    return levels


def _as_python(label: Any) -> Any:
    """A NumPy scalar as the Python object that it stands for."""
    if isinstance(label, (np.datetime64, np.timedelta64)) and label == label:
        return in_microseconds(label).item()
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
        try:
            repeated = level in seen
        except TypeError:
            raise ScaleError(
                f"A level must be hashable; got {level!r} of type {type(level).__name__} at "
                f"position {i}."
            ) from None
        if repeated:
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
    return isinstance(value, (int, np.integer))
