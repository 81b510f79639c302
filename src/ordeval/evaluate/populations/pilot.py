"""How uncertain a plan is that rests on pilot data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from ordeval.inference.cell_influence import freedom_of
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.many_models.simultaneous import errors_of
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.results.plan import Plan

_MOST: Final = 100_000  # items of a pilot


def with_range(plan: Plan, metric: Metric, pilot: Sample) -> Plan:
    """The plan with the range of its number of items, at the level of the plan.

    The items of an interval are proportional to the variance of one item, whose own error follows
    from its degrees of freedom. Those of a test are proportional to one over the squared
    distance from what is to be excluded, which is as uncertain as the difference in the pilot.
    """
    if not 2 < pilot.units <= pilot.items <= _MOST:  # more leave next to no range
        return plan
    from scipy.special import stdtrit

    tail = (1 - plan.level) / 2
    if plan.gain is None:
        freedom = _of_variance(metric, pilot)
        factor = math.exp(float(stdtrit(freedom, 1 - tail)) * (2 / freedom) ** 0.5)
        return replace(plan, items_low=plan.items / factor, items_high=plan.items * factor)
    found = contributions(metric, pilot).turned(metric)
    error = float(errors_of(found.covariance - found.pseudo)[0, 1])
    reach = float(stdtrit(found.freedom, 1 - tail)) * error
    lead = abs(plan.gain) if plan.margin is None else plan.gain + plan.margin
    low = plan.items * (lead / (lead + reach)) ** 2
    high = plan.items * (lead / (lead - reach)) ** 2 if lead > reach else math.inf
    return replace(plan, items_low=low, items_high=high)


def _of_variance(metric: Metric, pilot: Sample) -> float:
    """Degrees of freedom of the variance of one item: few, if few units contribute most of it."""
    found = contributions(metric, pilot)
    second, fourth = (
        found.count @ (found.units * found.parts[:, 0]) ** power / found.units for power in (2, 4)
    )
    return float(freedom_of(second, fourth, found.units))
