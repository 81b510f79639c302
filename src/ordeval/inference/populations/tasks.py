"""Several tasks with the same models, and the average of a measure over them.

Items of different tasks are independent, and the tasks are those that are meant: they are not a
sample of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.cell_influence import freedom_by_class
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.samples import Sample
from ordeval.measures import Metric


@dataclass(frozen=True, eq=False)
class Tasks(Sample):
    """The items of all tasks, each of which is a sample by itself."""

    parts: tuple[Sample, ...] = ()
    weights: tuple[float, ...] = ()  # of the tasks, which sum to 1

    @classmethod
    def of(cls, parts: Sequence[Sample], weights: Sequence[float]) -> Tasks:
        """The same models on several tasks."""
        clusters, start = [], 0
        for part in parts:
            number = np.arange(len(part.truth)) if part.cluster is None else part.cluster
            clusters.append(number + start)
            start += int(number.max(initial=-1)) + 1
        clustered = any(part.cluster is not None for part in parts)
        return cls(
            truth=np.concatenate([p.truth for p in parts]),
            predictions=np.concatenate([p.predictions for p in parts]),
            count=np.concatenate([p.count for p in parts]),
            k=max(p.k for p in parts),
            weight=np.concatenate([p.share for p in parts]),
            cluster=np.concatenate(clusters) if clustered else None,
            parts=tuple(parts),
            weights=tuple(weights),
        )

    @cached_property
    def found(self) -> dict[Metric, list[Contributions]]:
        """What the units of each task contribute to measures that were asked for."""
        return {}

    @cached_property
    def units(self) -> int:
        """How many independent units there are, in all tasks together."""
        return sum(part.units for part in self.parts)


def averaged(metric: Metric, tasks: Tasks, found: Sequence[Contributions]) -> Contributions:
    """What units contribute to the mean of the values of tasks."""
    if len(found) == 1:  # the comparison on one task, with its exact tests
        return found[0]
    weights = tasks.weights
    units = sum(c.units for c in found)
    parts = []
    for c, w in zip(found, weights, strict=True):
        # The variance of each task has its own n / (n - 1).
        own = c.units / max(c.units - 1, 0.5) * (units - 1) / units
        parts.append(c.parts * (w * np.sqrt(own)))
    each = list(zip(found, weights, strict=True))
    centres = [
        _centre(metric.range.at(p.k), c, w) for p, (c, w) in zip(tasks.parts, each, strict=True)
    ]
    return Contributions(
        values=np.sum([w * c.values for c, w in each], axis=0),
        centre=np.sum([w * x for x, w in zip(centres, weights, strict=True)], axis=0),
        parts=np.concatenate(parts),
        count=np.concatenate([c.count for c in found]),
        # Of the one pseudo-item, each task has its weight.
        pseudo=np.sum([w**3 * c.pseudo for c, w in each], axis=0),
        bias=np.sum([w**2 * c.bias for c, w in each], axis=0),
        most_freedom=_freedom(found, weights, [c.freedom_of_few for c in found]),
        disagreements=_OnEachTask(found, weights),
    )


def _centre(ends: tuple[float, float], found: Contributions, weight: float) -> Floats:
    """The values (M,) of a task, moved as far as its part of one pseudo-item for all tasks moves.

    A pseudo-item in each task, and the bias of each value, would move the mean of many tasks by
    more than its standard error: errors of tasks average out, these do not.
    """
    known = np.isfinite(found.values)
    values = np.where(known, found.values, 0.0)
    unbiased = np.clip(values - np.nan_to_num(found.bias), *ends)
    return np.where(known, unbiased + weight * (found.centre - unbiased), found.centre)


@dataclass(frozen=True, eq=False)
class _OnEachTask:
    """How far models differ on each task: the variances of differences add."""

    found: Sequence[Contributions]
    weights: Sequence[float]

    @property
    def most_freedom(self) -> float:
        """Degrees of freedom of a difference."""
        return _freedom(self.found, self.weights, [c.freedom for c in self.found])

    def of_models(self, chosen: list[int]) -> _OnEachTask:
        """The result for some of the models."""
        return _OnEachTask([c.of(chosen, exact=False) for c in self.found], self.weights)

    def turned(self, sign: Floats) -> _OnEachTask:
        """The result for values of opposite sign."""
        return _OnEachTask([c.signed(sign) for c in self.found], self.weights)

    def variance(self, spread: Floats, units: float) -> Floats:
        """The variances (M, M) of all differences."""
        each = zip(self.found, self.weights, strict=True)
        return np.asarray(sum(w**2 * c.by_t**2 for c, w in each))

    def p_values(self, gaps: Floats) -> Floats:
        """None: with several tasks, a t test decides."""
        return np.full(gaps.shape, np.nan)


def _freedom(
    found: Sequence[Contributions], weights: Sequence[float], each: Sequence[float]
) -> float:
    """Degrees of freedom of a mean of tasks (Satterthwaite 1946)."""
    variance = np.array(
        [w**2 * np.nanmean(c.errors**2) for c, w in zip(found, weights, strict=True)]
    )
    doubt = float((variance**2 / np.asarray(each)).sum())
    return float(variance.sum() ** 2 / doubt) if doubt > 0 else np.inf


def freedom_of_tasks(metric: Metric, tasks: Tasks, found: Sequence[Contributions]) -> float:
    """Return degrees of freedom for the tail, where a few items of one class may dominate."""
    each = [
        float(freedom_by_class(metric, part.units_by_class[None], c.freedom_of_few)[0])
        for part, c in zip(tasks.parts, found, strict=True)
    ]
    return _freedom(found, tasks.weights, each)


def agreed_on_all(found: Sequence[Unseen | None], tasks: Tasks) -> Unseen | None:
    """What two models that say the same of every item of every task differ by at most."""
    known = [x for x in found if x is not None]
    if len(known) < len(found):
        return None

    def reach(amount: float) -> float:
        each = zip(known, tasks.weights, strict=True)
        return sum(w * x.reach(amount * x.items / tasks.items) for x, w in each)

    return Unseen(reach, sum(x.units for x in known), tasks.items)
