"""Types that every room speaks of, and the one door for randomness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval.exceptions import ParameterError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Policy = Literal["raise", "drop"]  # what happens to a label that does not fit
Rng = np.random.Generator | int | None
Progress = Callable[[str, int, int], None]  # a stage, steps done, steps in all (0 if unknown)

CHUNK: Final = 1 << 16  # items at a time: what fits a processor's cache


def silent(stage: str, done: int, of: int) -> None:
    """Progress that nobody watches."""


def as_rng(rng: Rng) -> np.random.Generator:
    """A generator from a generator, a seed or nothing."""
    if isinstance(rng, np.random.Generator):
        return rng
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ParameterError(
            f"rng must be a Generator or a seed (an integer >= 0); got {rng!r}."
        ) from None


def check_level(level: Any) -> None:
    """Refuse a level that is not a share."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1; got {level!r}.")
