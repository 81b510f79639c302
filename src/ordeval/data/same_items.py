"""Whether columns that are paired by position speak of the same items.

A pandas Series names its items by an index; whatever behaves like one does too. Nothing is ever put
in order here: two indexes that differ are an error, for only the user knows which order is right.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final, NamedTuple

from ordeval.exceptions import LabelError

_SHOWN: Final = 3


class Index(NamedTuple):
    """The names of the items of an argument."""

    of: str  # the argument, as messages call it
    names: Any


def index_of(given: Any) -> Any:
    """What names the items of a container; None if nothing does."""
    index = getattr(given, "index", None)
    if callable(index):
        return None  # the method of a list
    for to_memory in ("compute", "to_pandas"):  # of Dask; of cuDF and of pandas on Spark
        if hasattr(index, to_memory):
            index = getattr(index, to_memory)()
    return index if hasattr(index, "equals") else None


def check_same_items(parts: Iterable[tuple[str, Any]], first: Index | None = None) -> Index | None:
    """Refuse containers, by the names of their arguments, whose indexes differ from the first's.

    Returns the first index that was found, with which others can be compared.
    """
    for name, given in parts:
        names = index_of(given)
        if names is None:
            continue
        if first is None:
            first = Index(name, names)
        elif len(names) == len(first.names) and not bool(first.names.equals(names)):
            raise LabelError(_different_items(first, Index(name, names)))
    return first


def _different_items(a: Index, b: Index) -> str:
    reordered = set(a.names) == set(b.names)
    how = "have the same items in another order" if reordered else "name different items"
    return (
        f"the indexes of {a.of} and {b.of} {how}: {_begin(a)}, {_begin(b)}. Items are "
        "paired by position, so they would be paired wrongly. Align them by name, "
        "with "
        f"{b.of}.reindex({a.of}.index) or {b.of}.loc[{a.of}.index]; or, if their "
        "positions are right, remove the names with .to_numpy()."
    )


def _begin(index: Index) -> str:
    shown = ", ".join(str(name) for name in islice(iter(index.names), _SHOWN))
    return f"{index.of} begins with {shown}"
