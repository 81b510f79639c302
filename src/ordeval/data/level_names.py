"""Whether the names that a frame gives to its rows and columns are the levels, in their order.

A frame of costs or of probabilities is read by position. Names that are the levels in another
order, or other names altogether, would make that a wrong number: they are an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats
from ordeval.data.same_items import index_of
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError

_MANY: Final = 12


def names_of(frame: Any) -> dict[str, list[Any]]:
    """The names of the "columns" and "rows" of a frame, or of the rows of a Series.

    Numbers that a library gives by itself, 0 to n - 1, are not names.
    """
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    found = {"columns": columns, "rows": index_of(frame)}
    return {
        axis: list(names)
        for axis, names in found.items()
        if names is not None and not callable(names) and not _are_given(names)
    }


def _are_given(names: Any) -> bool:
    """Whether a library numbered rows or columns from 0 by itself; in another order it is names."""
    is_range = type(names).__name__ == "RangeIndex"
    return is_range and names.start == 0 and (names.step == 1 or len(names) < 2)


def misnamed(frame: Any, scale: Scale, what: str, axes: Sequence[str] = ("columns", "rows")) -> str:
    """What is wrong with the names of an argument; empty if they are the levels in order."""
    for axis, names in names_of(frame).items():
        if axis not in axes or len(names) != scale.k:
            continue  # its shape is judged elsewhere
        places = places_of(names, scale)
        if places is None:
            return (
                f"the {axis} of {what} are named {_shown(names)}, which are not the levels of "
                f"{scale}. Rename them; or, if they are in the order of the scale, leave the names "
                f"out with {what}.to_numpy()."
            )
        if places != list(range(scale.k)):
            return (
                f"the {axis} of {what} must be in the order of the scale {scale}; got "
                f"{_shown(names)}. {_cure(frame, axes, what, [names[i] for i in places])}"
            )
    return ""


def level_columns(frame: Any, scale: Scale, what: str) -> list[int] | None:
    """Where the column of each level is, if columns are named by levels; None if by position."""
    names = names_of(frame).get("columns")
    if names is None or len(names) != scale.k:
        return None  # its shape is judged elsewhere
    places = places_of(names, scale)
    if places is None:
        raise LabelError(misnamed(frame, scale, what, ["columns"]))
    return None if places == list(range(scale.k)) else places


def places_of(names: Sequence[Any], scale: Scale) -> list[int] | None:
    """Where each level is among the names; None if the names are something else.

    Names may begin alike, as p_low and p_high do. Numbers that count from 0 or 1 are positions.
    """
    names, levels = list(names), list(scale)
    if set(names) == set(levels):
        return [names.index(level) for level in levels]
    written = [str(level) for level in levels]
    for rest in _without_prefix([str(name) for name in names]):
        if sorted(rest) == sorted(written):
            return [rest.index(level) for level in written]
        if any(rest == [str(i) for i in range(first, first + scale.k)] for first in (0, 1)):
            return list(range(scale.k))
    return None


def _without_prefix(names: list[str]) -> Iterator[list[str]]:
    """The names as they are, and without what all of them begin with, or less of it."""
    return ([name[cut:] for name in names] for cut in range(len(shared_start(names)) + 1))


def shared_start(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((i for i, (a, b) in pairs if a != b), len(first))]


def _cure(frame: Any, axes: Sequence[str], what: str, names: list[Any]) -> str:
    """How the rows and columns are put in order."""
    wanted, has = _shown(names), names_of(frame)
    if "rows" not in axes:
        return f"Reorder them, for example {what}[{wanted}]."
    if "rows" not in has:
        return "Put its rows and its columns in that order."
    places = f"{wanted}, {wanted}" if "columns" in has else wanted
    return f"Reorder them, for example {what}.loc[{places}]."


def _shown(names: list[Any]) -> str:
    shown = [repr(name) for name in names]
    return f"[{', '.join(shown if len(shown) <= _MANY else [*shown[:_MANY], '...'])}]"


def level_numbers(scale: Scale) -> tuple[Floats, bool]:
    """The numbers that levels stand for, and whether these are the levels themselves."""
    levels: Iterable[Any] = scale.levels
    if all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in levels):
        numbers = np.array(list(levels), dtype=np.float64)
        if (np.diff(numbers) > 0).all():
            return numbers, True
    return np.arange(scale.k, dtype=np.float64), False
