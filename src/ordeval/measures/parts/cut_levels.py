"""The lowest level above a cut of the scale, given by its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval._shared.arguments import is_among, shown
from ordeval._shared.numbers import is_number
from ordeval._shared.text import did_you_mean, joined, nearest
from ordeval.data.scale import Scale
from ordeval.exceptions import ParameterError


@dataclass(frozen=True)
class LevelOnScale:
    """A level and its position on the scale of the data."""

    label: Any
    position: int

    def __str__(self) -> str:
        return str(self.label)


@dataclass(frozen=True)
class LevelAbove:
    """The check of a parameter that names the lowest level above a cut."""

    name: str
    optional: bool = False

    def on(self, value: Any, scale: Scale | int) -> LevelOnScale | None:
        """Find the level on a scale, or among K levels without labels, which are 0 to K - 1."""
        if value is None and self.optional:
            return None
        if isinstance(value, LevelOnScale):
            if isinstance(scale, int):
                return value
            value = value.label
        return level_above(value, Scale.range(0, scale - 1) if isinstance(scale, int) else scale)

    def __call__(self, value: Any, k: int) -> int | None:
        """Return the position of a level that was found on the scale."""
        if value is None and self.optional:
            return None
        if not isinstance(value, LevelOnScale):
            raise ParameterError(f"{self.name} names a level; the scale is needed to find it.")
        return value.position


def level_above(value: Any, scale: Scale, name: str = "at_least") -> LevelOnScale:
    """Find the lowest level above a cut by its label, or by the text of its label."""
    if scale.k == 1:  # a single level has no cut, and measures are undefined
        return LevelOnScale(value, 0)
    found = [i for i, level in enumerate(scale) if is_among(value, [level])]
    found = found or [i for i, level in enumerate(scale) if _same_text(value, level)]
    found = found or [i for i, level in enumerate(scale) if _same_number(value, level)]
    if len(found) != 1:
        hint = did_you_mean(nearest(value, map(str, scale))) if isinstance(value, str) else ""
        raise ParameterError(
            f"{name}={shown(value)} is not a level of {scale}.{hint} Choose {cuts_of(scale)}."
        )
    if found[0] == 0:
        raise ParameterError(
            f"{name}={shown(value)} is the lowest level of {scale}: no item is below it. Choose "
            f"{cuts_of(scale)}."
        )
    return LevelOnScale(scale.levels[found[0]], found[0])


def cuts_of(scale: Scale) -> str:
    """Return the levels at which a scale can be cut, as a message names them."""
    return joined([shown(x) for x in scale.levels[1:]], "or", most=9)


def _same_text(value: Any, level: Any) -> bool:
    plain = isinstance(value, (str, int, float, np.generic)) and not isinstance(value, bool)
    return plain and str(value) == str(level)


def _same_number(value: Any, level: Any) -> bool:
    """Whether two labels write one number: 2 and "02", 2.5 and "2.50"."""
    numbers = [str(x) for x in (value, level) if not isinstance(x, bool)]
    return len(numbers) == 2 and all(map(is_number, numbers)) and len(set(map(float, numbers))) == 1
