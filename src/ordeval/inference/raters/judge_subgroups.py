"""A judge in subgroups of items: the gap of each next to that of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ordeval._shared.types import Integers
from ordeval.inference.ends.links import PLAIN, Link
from ordeval.inference.ends.t_intervals import Alone
from ordeval.inference.influence import Contributions
from ordeval.inference.raters.judges import Panel
from ordeval.inference.subgroup_differences import Between, Differences, differences
from ordeval.inference.subgroups import correlation

MOST: Final = 200  # subgroups: each needs a panel of its own, and one of its rest


@dataclass(frozen=True, eq=False)
class _Gaps(Between):
    """Gaps, which lie on no link's scale: differences of two values may have any sign."""

    @property
    def link(self) -> Link:
        return PLAIN


class JudgedGroups(NamedTuple):
    """The panels of a judge in G subgroups, and how far their gaps are from those of the rest."""

    panels: list[Panel]
    differences: Differences  # (G,), of all subgroups at once


def judged_groups(panel: Panel, group: Integers, size: int) -> JudgedGroups:
    """A judge in each subgroup; ``group`` has the number of each item's, from 0."""
    parts = [panel.taken(group == g) for g in range(size)]
    rests = [panel.taken(group != g) for g in range(size)]
    mine, others = ([p.gap_contributions for p in each] for each in (parts, rests))
    shared = [_correlation(*x) for x in zip(parts, mine, rests, others, strict=True)]
    own = _joined(mine)
    between = _Gaps(
        panel.metric,
        panel.k,
        own=own,
        rest=_joined(others),
        whole=_joined([panel.gap_contributions]),
        units=np.array([_units(p) for p in parts]),
        correlation=np.array(shared),
        freedom=own.freedom,
    )
    return JudgedGroups(parts, differences(between, panel.level))


def _units(panel: Panel) -> float:
    return float(len(panel.humans) if panel.cluster is None else len(np.unique(panel.cluster)))


def _joined(found: list[Contributions | None]) -> Alone:
    nothing = np.full(1, np.nan)
    return Alone.joined([Alone(*[nothing] * 5) if c is None else Alone.of(c) for c in found])


def _correlation(
    a: Panel, in_a: Contributions | None, b: Panel, in_b: Contributions | None
) -> float:
    """How the gaps of a subgroup and of its rest are correlated: some clusters are in both."""
    if a.cluster is None or b.cluster is None or in_a is None or in_b is None:
        return 0.0
    return correlation(a.cluster, in_a, b.cluster, in_b)
