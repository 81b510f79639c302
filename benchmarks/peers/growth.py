"""How time grows with the number of items, of classes and of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._measuring import compare_times, warm_up
from benchmarks.peers.contenders import (
    AMAE,
    COUNTING,
    KAPPA,
    TAU,
    Contender,
    Labels,
    Operation,
)
from benchmarks.peers.plan import Plan
from benchmarks.peers.speed import AUOC, KAPPA_STACK, OC, OC_STACK, matrices, one_matrix

ITEMS, CLASSES, MATRICES = "items", "classes", "matrices"
_LEFT_FREE = 0.7  # share of the free memory that a call may take
_BY_ITEMS = (COUNTING, KAPPA, AMAE, TAU)
_BY_CLASSES = (COUNTING, KAPPA, TAU)


@dataclass
class Curve:
    """Seconds of one contender over a size, and why the curve ends early if it does."""

    operation: str
    axis: str
    contender: str
    points: list[tuple[int, float]] = field(default_factory=list)
    stopped: str = ""


Memory = dict[tuple[str, str], float]  # bytes an item, by operation and package


def all_curves(plan: Plan, memory: Memory) -> Iterator[Curve]:
    """Every curve."""
    yield from by_items(plan, memory)
    at = plan.items
    for operation in _BY_CLASSES:
        yield from curves(operation, CLASSES, plan.classes, lambda k: Labels.draw(at, k), plan)
    for operation in (OC, AUOC):
        yield from curves(operation, CLASSES, plan.classes, one_matrix, plan)
    for operation in (KAPPA_STACK, OC_STACK):
        yield from curves(operation, MATRICES, plan.stacks, matrices, plan)


def by_items(plan: Plan, memory: Memory) -> list[Curve]:
    """The data of a size are drawn once for all operations."""
    started = {o.name: _start(o, ITEMS) for o in _BY_ITEMS}
    for n in plan.growth_items:
        data = Labels.draw(n)
        for operation in _BY_ITEMS:
            going = started[operation.name]
            for contender, curve in going:
                needs = n * memory.get((operation.name, contender.package), 0.0)
                if needs > _LEFT_FREE * free_memory() and not curve.stopped:
                    curve.stopped = f"{n:,} items would need {needs / 2**30:.0f} GB"
            _extend(going, n, data, plan)
    return [curve for going in started.values() for _, curve in going]


def curves(
    operation: Operation,
    axis: str,
    sizes: Sequence[int],
    make: Callable[[int], Any],
    plan: Plan,
) -> list[Curve]:
    """The curves of all who can do it."""
    going = _start(operation, axis)
    for size in sizes:
        _extend(going, size, make(size), plan)
    return [curve for _, curve in going]


def _start(operation: Operation, axis: str) -> list[tuple[Contender, Curve]]:
    return [(c, Curve(operation.name, axis, c.package)) for c in operation.present()]


def _extend(going: list[tuple[Contender, Curve]], size: int, data: Any, plan: Plan) -> None:
    """A point for each that would not take too long, judged by its last one."""
    square = getattr(data, "shape", ()) == (size, size)  # one matrix
    for contender, curve in going:
        if curve.stopped:
            continue
        if isinstance(data, Labels) and len(data.truth) > contender.most:
            curve.stopped = f"{len(data.truth):,} items would take minutes"
        elif curve.points:
            last, took = curve.points[-1]
            expected = took * (size / last) ** (2 if square else 1)
            if expected > plan.longest:
                curve.stopped = f"{size:,} {curve.axis} would take about {expected:.2g} s"
    able = [(contender, curve) for contender, curve in going if not curve.stopped]
    warm = [warm_up(partial(c.run, data)) for c, _ in able]
    for (_, curve), took in zip(able, compare_times(warm, 3, plan.budget / 2), strict=True):
        curve.points.append((size, took))


def free_memory() -> float:
    """Bytes that can be had without swapping; where that is not known, any number."""
    known = Path("/proc/meminfo")
    if not known.exists():
        return float("inf")
    line = next(x for x in known.read_text().splitlines() if x.startswith("MemAvailable:"))
    return int(line.split()[1]) * 1024.0
