"""What studies of other sizes than the plan would show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ordeval.inference.planning import Goal, Needed, shown
from ordeval.inference.study_design import Design
from ordeval.results.plan import PlanPoint

_PARTS: Final = (1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 2, 2, 3, 4)  # sizes next to the plan


def curve_of(
    goal: Goal,
    found: Needed,
    design: Design,
    sizes: Sequence[int] | None,
    most: float = float("inf"),
) -> tuple[PlanPoint, ...]:
    """What studies of other sizes, up to the ``most`` units, would show, and the plan."""
    if sizes is None:
        wanted = {_rounded(found.units * part) for part in _PARTS}
    else:
        wanted = {design.units(size) for size in sizes}
    shows = {u: shown(goal, u, found) for u in wanted if goal.least <= u <= most}
    shows[found.units] = found.value
    clustered = design.cluster_size > 1
    return tuple(PlanPoint(design.items(u), u if clustered else 0, shows[u]) for u in sorted(shows))


def _rounded(units: float) -> int:
    """Two digits are enough next to the plan."""
    return int(float(f"{units:.2g}"))
