"""A judge then and now: two runs, or two versions, on the same items.

How far the grades moved, how far both agree, and whether the agreement with humans changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordeval._shared.types import Integers
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import Delta
from ordeval.inference.raters import grade_bias
from ordeval.inference.raters.judge_pairs import compare_judges
from ordeval.inference.raters.judges import Panel


@dataclass(frozen=True, kw_only=True)
class Moved:
    """How a judge moved, on the items that it answered both times."""

    items: int
    shift: Interval  # steps of the scale, now minus before
    agreement: Interval  # of both with each other
    change: Delta | None  # of the agreement with humans, now minus before
    by_grade: list[Interval]  # the shift, given the grade of a human


def moved(now: Panel, before: Integers, names: tuple[str, str]) -> Moved | None:
    """The judge of a panel next to its answers before (N, runs); None without common items."""
    both = np.asarray((now.runs >= 0).any(axis=1) & (before >= 0).any(axis=1))
    if not both.any():
        return None
    now, before = now.taken(both), before[both]
    beside = replace(now, humans=before)
    pairs = compare_judges(
        now.humans,
        {names[0]: now.runs, names[1]: before},
        now.metric,
        k=now.k,
        level=now.level,
        cluster=now.cluster,
    )
    return Moved(
        items=int(both.sum()),
        shift=beside.bias,
        agreement=beside.agreement,
        change=pairs.differences[0] if pairs.differences else None,
        by_grade=grade_bias.shifts(now, before),
    )
