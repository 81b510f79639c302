"""Types that every package uses, and the one function for randomness."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any, Final, Literal, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import is_integral, shown
from ordeval._shared.text import joined, named
from ordeval.exceptions import ParameterError

T = TypeVar("T")
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Policy = Literal["raise", "drop"]  # what happens to a label that does not fit
StrPath = str | PathLike[str]
Paths = StrPath | Sequence[StrPath]  # several files are one table
# As text: numpy.random is loaded when something is drawn.
Rng = Union["np.random.Generator", int, None]
Progress = Callable[[str, int, int], None]  # a stage, steps done, steps in all (0 if unknown)

CHUNK: Final = 1 << 17  # items at a time: as bytes, they fit a processor's cache


def silent(stage: str, done: int, of: int) -> None:
    """Progress without an observer."""


def watched(stage: str, steps: Sequence[T], progress: Progress | None) -> Iterator[T]:
    """The steps one by one; whoever watches is told how many are done, first that none is."""
    tell = progress or silent
    tell(stage, 0, len(steps))
    for done, step in enumerate(steps, start=1):
        yield step
        tell(stage, done, len(steps))


def as_rng(rng: Rng) -> np.random.Generator:
    """A generator from a generator, a seed or nothing."""
    if isinstance(rng, np.random.Generator):
        return rng
    # NumPy tries to make a seed of anything: a matrix overflows the stack of the process.
    if rng is not None and not (is_integral(rng) and rng >= 0):
        raise ParameterError(
            f"{named('rng')} must be a seed (an integer >= 0) or a Generator; got {shown(rng)}."
        )
    return np.random.default_rng(rng)


def check_level(level: Any) -> None:
    """Refuse a level that is not a share."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError(f"{named('level')} must lie between 0 and 1; got {level!r}.")


MAX_DRAWS: Final = 1_000_000


def check_draws(n: Any) -> int:
    """How often to draw, if that is a number that memory and patience allow."""
    if not is_integral(n) or n < 1:
        raise ParameterError(f"{named('n_resamples')} must be an integer >= 1; got {shown(n)}.")
    if n > MAX_DRAWS:
        raise ParameterError(
            f"{named('n_resamples')} must be at most {MAX_DRAWS:,}: more draws take memory and "
            f"time, and change no digit that is shown; got {n!r}."
        )
    return int(n)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a value that is not one of a few strings."""
    if not isinstance(value, str) or value not in choices:
        shown = joined([f'"{c}"' for c in choices], "or", most=len(choices))
        raise ParameterError(f"{named(name)} must be {shown}; got {value!r}.")
