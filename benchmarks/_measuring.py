"""How time and memory are measured, for all benchmarks."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
_SHORTEST = 0.002  # seconds; quicker calls are timed several at once


def best_times(
    functions: Sequence[Callable[[], Any]],
    rounds: int,
    *,
    calls: int = 1,
    budget: float = float("inf"),
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Best seconds of a call of each, in interleaved rounds: a busy machine slows all alike.

    A function that has taken more than ``budget`` seconds sits out the remaining rounds. What
    works on one thread is better timed by the ``clock`` of its process, which stands still while
    others have the processor.
    """
    best = [float("inf")] * len(functions)
    spent = [0.0] * len(functions)
    for _ in range(rounds):
        for i, function in enumerate(functions):
            if spent[i] > budget:
                continue
            start = clock()
            for _ in range(calls):
                function()
            took = clock() - start
            spent[i] += took
            best[i] = min(best[i], took / calls)
    return best


def median_times(functions: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Median seconds of a call of each, in interleaved rounds.

    For calls of about a second that use all cores: their best time is luck.
    """
    times = [[_seconds(function) for function in functions] for _ in range(rounds)]
    return [median(took) for took in zip(*times, strict=True)]


def best_time(function: Callable[[], Any], rounds: int) -> float:
    """Best seconds of a few calls."""
    return best_times([function], rounds)[0]


@dataclass(frozen=True)
class Warm:
    """A function that has run: its value, its seconds, and how often a timed call repeats it."""

    run: Callable[[], Any]
    value: Any
    seconds: float
    calls: int = 1


def warm_up(function: Callable[[], Any]) -> Warm:
    """Call it for its value; what is quick is repeated until it takes long enough to be timed."""
    value, took = _timed(function)
    if took < _SHORTEST:
        took = _timed(function)[1]
    calls = max(1, int(_SHORTEST / max(took, 1e-9)))
    if calls == 1:
        return Warm(function, value, took)

    def repeated() -> None:
        for _ in range(calls):
            function()

    return Warm(repeated, value, took, calls)


def compare_times(warm: Sequence[Warm], rounds: int, budget: float) -> list[float]:
    """Best seconds of one call of each; a call beyond the budget is not repeated."""
    quick = [w for w in warm if w.seconds <= budget]
    best = iter(best_times([w.run for w in quick], rounds, budget=budget))
    return [next(best) / w.calls if w.seconds <= budget else w.seconds for w in warm]


def _seconds(function: Callable[[], Any]) -> float:
    return _timed(function)[1]


def _timed(function: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    value = function()
    return value, time.perf_counter() - start


def peak_memory() -> int:
    """Most bytes that this process has held so far.

    Not ``ru_maxrss`` on Linux: a process inherits that from the one that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def in_new_process(module: str, *arguments: str, threads: int | None = None) -> str:
    """What a module of the benchmarks prints when it runs on its own; empty if it fails."""
    command = [sys.executable, "-m", module, *arguments]
    environment = dict(os.environ)
    if threads is not None:
        environment |= {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment
    )
    return done.stdout.strip() if done.returncode == 0 else ""
