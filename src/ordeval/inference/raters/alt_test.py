"""The alternative annotator test: can a judge replace a human?

For each human, the judge and the human are scored against the other humans, item by item. The judge
beats a human if the human's advantage is shown to be less than epsilon (Calderon, Reichart & Dror
2025). Epsilon says how much worse a judge may be for being cheaper: it is a policy, not a fact.
Its authors assume independent items; with clusters, the t test here is over clusters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.many_models.multiplicity import benjamini_yekutieli
from ordeval.inference.raters.clustered_means import ClusteredMean, mean_of

EPSILONS: Final = (0.0, 0.05, 0.1, 0.15, 0.2)
ALPHA: Final = 0.05
MIN_ITEMS: Final = 30
_FLAT: Final = 1e-12  # an error below this comes from rounding: nothing varies
Scoring = Literal["rmse", "accuracy"]


@dataclass(frozen=True, kw_only=True)
class AltTest:
    """How many humans a judge beats, and how sure that is."""

    epsilon: float
    winning_rate: float  # share of the humans that the judge beats
    advantage: float  # mean share of items on which the judge is as good as the human, or better
    p_values: Mapping[str, float]  # by human, one-sided, not corrected
    by_epsilon: Mapping[float, float]  # the winning rate over a range of epsilon
    left_out: tuple[str, ...] = ()  # humans with too few items, or with one cluster alone

    @property
    def passes(self) -> bool:
        """Whether the judge beats at least half of the humans."""
        return self.winning_rate >= 0.5


class _Against(NamedTuple):
    """A judge against one human: how often each is as good as the other, or better."""

    wins: float  # share of items on which the judge is
    lead: ClusteredMean  # how much more often the human is
    items: int


def alt_test(
    judge: Floats,
    humans: Floats,
    names: Sequence[str],
    *,
    epsilon: float = 0.2,
    scoring: Scoring = "rmse",
    min_items: int = MIN_ITEMS,
    cluster: Integers | None = None,
) -> AltTest:
    """Test a judge (N,) against humans (N, R), in numbers, NaN where there is no rating.

    ``cluster`` has the number of each item's cluster, if items are not independent.
    """
    unit = np.arange(len(judge)) if cluster is None else cluster
    gaps: dict[str, _Against] = {}
    left_out = []
    for j, name in enumerate(names):
        against = _against(judge, humans, j, scoring, unit)
        if against.items < min_items or against.lead.units < 2:
            left_out.append(name)
        else:
            gaps[name] = against
    p_values = {name: _p_value(x.lead, epsilon) for name, x in gaps.items()}
    advantage = float(np.mean([x.wins for x in gaps.values()])) if gaps else np.nan
    rates = {e: _winning_rate(gaps, e) for e in dict.fromkeys((*EPSILONS, epsilon))}
    return AltTest(
        epsilon=epsilon,
        winning_rate=rates[epsilon],
        advantage=advantage,
        p_values=p_values,
        by_epsilon=dict(sorted(rates.items())),
        left_out=tuple(left_out),
    )


def _against(judge: Floats, humans: Floats, j: int, scoring: Scoring, unit: Integers) -> _Against:
    """The judge and a human, scored against the other humans on the items of all."""
    others = np.delete(humans, j, axis=1)
    known = ~np.isnan(others)
    rows = ~np.isnan(humans[:, j]) & ~np.isnan(judge) & known.any(axis=1)
    others, known = others[rows], known[rows]
    size = known.sum(axis=1)

    def score(own: Floats) -> Floats:
        apart = np.where(known, own[rows, None] - others, 0.0)
        if scoring == "accuracy":
            return np.asarray(((apart == 0) & known).sum(axis=1) / size)
        return np.asarray(-np.sqrt((apart**2).sum(axis=1) / size))

    mine, theirs = score(judge), score(humans[:, j])
    if not len(mine):
        return _Against(np.nan, ClusteredMean(np.nan, np.nan, 0), 0)
    wins, one = mine >= theirs, np.ones(len(mine))
    lead = (theirs >= mine).astype(np.float64) - wins
    found = mean_of(lead, one, unit[rows])
    if not found.error > _FLAT:
        # A few clusters may be alike by chance; items that differ are not.
        found = found._replace(error=mean_of(lead, one, np.arange(len(lead))).error)
    return _Against(float(wins.mean()), found, len(mine))


def _p_value(lead: ClusteredMean, epsilon: float) -> float:
    """Of the human's lead being epsilon or more: a one-sided t test."""
    from scipy.special import stdtr

    away = lead.value - epsilon
    if not lead.error > _FLAT:
        return 0.0 if away < 0 else 1.0
    return float(stdtr(lead.units - 1, away / lead.error))


def _winning_rate(gaps: Mapping[str, _Against], epsilon: float) -> float:
    if not gaps:
        return np.nan
    p = [_p_value(x.lead, epsilon) for x in gaps.values()]
    return float((np.asarray(benjamini_yekutieli(p)) <= ALPHA).mean())
