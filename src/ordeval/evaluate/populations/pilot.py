"""How uncertain a plan is that rests on pilot data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from ordeval.inference.influence_kinds import contributions
from ordeval.inference.many_models.simultaneous import errors_of
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.results.plan import Plan

_GROUPS: Final = 25
_MOST: Final = 100_000  # items of a pilot
_NO_ERROR: Final = 1e-300  # of groups of which a measure takes one value


def with_range(plan: Plan, metric: Metric, pilot: Sample) -> Plan:
    """The plan with the range of its number of items, at the level of the plan.

    The items of an interval are proportional to the variance of one item, whose own error is that
    of a jackknife over groups of units. Those of a test are proportional to one over the squared
    distance from what is to be excluded, which is as uncertain as the difference in the pilot.
    """
    if not 2 < pilot.units <= pilot.items <= _MOST:  # more leave next to no range
        return plan
    from scipy.special import stdtrit

    tail = (1 - plan.level) / 2
    if plan.gain is None:
        number, error = _of_variance(metric, pilot)
        factor = math.exp(float(stdtrit(number - 1, 1 - tail)) * error)
        return replace(plan, items_low=plan.items / factor, items_high=plan.items * factor)
    found = contributions(metric, pilot).turned(metric)
    error = float(errors_of(found.covariance - found.pseudo)[0, 1])
    reach = float(stdtrit(found.freedom, 1 - tail)) * error
    lead = abs(plan.gain) if plan.margin is None else plan.gain + plan.margin
    low = plan.items * (lead / (lead + reach)) ** 2
    high = plan.items * (lead / (lead - reach)) ** 2 if lead > reach else math.inf
    return replace(plan, items_low=low, items_high=high)


def _of_variance(metric: Metric, pilot: Sample) -> tuple[int, float]:
    """How many groups of units were left out in turn, and the error of the log of the variance."""
    each = pilot.take(np.repeat(np.arange(len(pilot.truth)), pilot.count))
    pilot = replace(each, count=np.ones_like(each.count))
    unit = np.arange(len(pilot.truth)) if pilot.cluster is None else pilot.cluster
    group = np.random.default_rng(0).permutation(int(unit.max()) + 1)[unit]
    number = min(_GROUPS, pilot.units)
    logs = np.empty(number)
    for i in range(number):
        left = pilot.subgroup(group % number != i)
        error = max(float(contributions(metric, left).errors[0]), _NO_ERROR)
        logs[i] = 2 * math.log(error) + math.log(left.units)
    return number, float(np.sqrt((number - 1) / number * ((logs - logs.mean()) ** 2).sum()))
