"""How CPU time grows with the size of what is done: a ratio, which no machine's speed changes."""

import time
from collections.abc import Callable
from typing import Any

TIMES = 8
_LEAST = 0.002  # seconds, below which a time is noise


def growth(run: Callable[[int], Any], size: int) -> float:
    """How many times as long ``run`` takes for ``size`` as for an eighth of it."""
    spent = []
    for n in (size // TIMES, size):
        start = time.process_time()
        run(n)
        spent.append(time.process_time() - start)
    return spent[1] / max(spent[0], _LEAST)


def is_linear(run: Callable[[int], Any], size: int) -> bool:
    """Whether time grows about as the size does: a search that goes back at every step does not.

    What else the machine does may slow one attempt; it does not speed one up.
    """
    return any(growth(run, size) < 4 * TIMES for _ in range(3))
