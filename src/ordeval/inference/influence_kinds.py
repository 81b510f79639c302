"""How units contribute to a measure: one table of the kinds of contributions.

Labels contribute by the cells of matrices, probabilities by losses, scores by placements. A measure
says which kind is its own (``Metric.contributes_by``). All of them end in Contributions, from which
everything else is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.inference import identical_models, influence
from ordeval.inference.ends import range_ends
from ordeval.inference.forecasts import exchanged_scores, losses, placements
from ordeval.inference.identical_models import Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.many_models import exchanged_models
from ordeval.inference.many_models.exchanged_models import Exchange
from ordeval.inference.populations.partly_true import PartlyTrue, corrected
from ordeval.inference.populations.tasks import Tasks, agreed_on_all, averaged, freedom_of_tasks
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.metric import Contributes


class Kind(NamedTuple):
    """What a sample says by measures of one kind."""

    contributions: Callable[[Any, Sample], Contributions]
    reach: Callable[[Any, Sample, int, float], tuple[float, float]]
    agreed: Callable[[Any, Sample, tuple[int, int]], Unseen | None]
    ruled_out: Callable[[Any, Sample, int], int]
    exchange: Callable[[Any, Sample], Exchange | None]
    outputs: Callable[[Sample], NDArray[Any] | None]
    worst: Callable[[Any, Sample, tuple[int, int], int], Unseen] | None = None
    evenness: Callable[[Any, Sample, tuple[int, int]], float] | None = None


def _none(metric: Metric, sample: Sample, model: int) -> int:
    """No item makes the value infinite."""
    return 0


KINDS: Final[Mapping[Contributes, Kind]] = {
    "cells": Kind(
        contributions=influence.contributions,
        reach=range_ends.reach,
        agreed=identical_models.agreed,
        ruled_out=_none,
        exchange=exchanged_models.exchange,
        outputs=lambda s: s.predictions,
        worst=identical_models.worst,
        evenness=identical_models.evenness,
    ),
    "losses": Kind(
        contributions=losses.contributions,
        reach=losses.reach,
        agreed=losses.agreed,
        ruled_out=losses.ruled_out,
        exchange=losses.exchange,
        outputs=lambda s: s.prob,
    ),
    "placements": Kind(
        contributions=placements.contributions,
        reach=placements.reach,
        agreed=placements.agreed,
        ruled_out=_none,
        exchange=exchanged_scores.exchange,
        outputs=lambda s: s.prob if s.score is None else s.score,
    ),
}


def _name(metric: Metric, sample: Sample) -> Contributes:
    return metric.contributes_by(scored=sample.score is not None or sample.prob is not None)


def by_cells(metric: Metric, sample: Sample) -> bool:
    """Whether a measure is computed from one matrix for each model."""
    return not isinstance(sample, (Tasks, PartlyTrue)) and _name(metric, sample) == "cells"


def contributions(metric: Metric, sample: Sample) -> Contributions:
    """What the units of a sample contribute to a measure, or to its mean over tasks."""
    if isinstance(sample, Tasks):
        return averaged(metric, sample, of_each_task(metric, sample))
    if isinstance(sample, PartlyTrue):
        return corrected(metric, sample)
    return KINDS[_name(metric, sample)].contributions(metric, sample)


def of_each_task(metric: Metric, tasks: Tasks) -> list[Contributions]:
    """What the units of each task contribute; kept, since several questions need it."""
    if metric not in tasks.found:
        tasks.found[metric] = [contributions(metric, part) for part in tasks.parts]
    return tasks.found[metric]


def reach(metric: Metric, sample: Sample, model: int, tail: float) -> tuple[float, float]:
    """The least and the largest value that the data cannot exclude, at the end of the range."""
    if isinstance(sample, Tasks):
        ends = [reach(metric, part, model, tail) for part in sample.parts]
        low, high = np.asarray(sample.weights) @ np.array(ends)
        return float(low), float(high)
    sample = sample.with_truth
    return KINDS[_name(metric, sample)].reach(metric, sample, model, tail)


def agreed(metric: Metric, sample: Sample, pair: tuple[int, int]) -> Unseen | None:
    """What two models that say the same of every item differ by at most; None if they do not."""
    if isinstance(sample, Tasks):
        return agreed_on_all([agreed(metric, part, pair) for part in sample.parts], sample)
    if isinstance(sample, PartlyTrue):
        same = identical_models.alike(sample.predictions, pair)
        return agreed(metric, sample.with_truth, pair) if same else None
    return KINDS[_name(metric, sample)].agreed(metric, sample, pair)


def ruled_out(metric: Metric, sample: Sample, model: int) -> int:
    """How many items make the value of a model infinite: their outcome was given probability 0."""
    if isinstance(sample, Tasks):
        return sum(ruled_out(metric, part, model) for part in sample.parts)
    if isinstance(sample, PartlyTrue):
        return 0
    return KINDS[_name(metric, sample)].ruled_out(metric, sample, model)


def exchange(metric: Metric, sample: Sample) -> Exchange | None:
    """What exchanges the models of a sample with few clusters; None if a formula holds."""
    if isinstance(sample, (Tasks, PartlyTrue)):
        return None
    return KINDS[_name(metric, sample)].exchange(metric, sample)


def differing(metric: Metric, sample: Sample, pair: tuple[int, int]) -> NDArray[np.bool_] | None:
    """On which units two models differ; None if only sums are known of the items."""
    if isinstance(sample, Tasks):
        parts = [differing(metric, part, pair) for part in sample.parts]
        known = [p for p in parts if p is not None]
        return np.concatenate(known) if len(known) == len(parts) else None
    outputs = KINDS[_name(metric, sample)].outputs(sample)
    if outputs is None:
        return None
    rows = outputs[:, pair[0]] != outputs[:, pair[1]]
    rows = rows.any(axis=1) if rows.ndim == 2 else rows
    if sample.cluster is None:
        return np.asarray(rows)
    _, number = np.unique(sample.cluster, return_inverse=True)
    return np.asarray(np.bincount(number, rows) > 0)


def worst(metric: Metric, sample: Sample, pair: tuple[int, int], seen: int) -> Unseen | None:
    """The largest difference of two models that disagree on few units; None if unknown."""
    if isinstance(sample, Tasks):
        return None
    made = KINDS[_name(metric, sample)].worst
    return None if made is None else made(metric, sample, pair, seen)


def evenness(metric: Metric, sample: Sample, pair: tuple[int, int]) -> float:
    """How evenly disagreements are expected to carry a difference: 1 if all have the same size."""
    if isinstance(sample, Tasks):
        return min(evenness(metric, part, pair) for part in sample.parts)
    made = KINDS[_name(metric, sample)].evenness
    return 1.0 if made is None else made(metric, sample, pair)


def tail_freedom(metric: Metric, sample: Sample, most: float) -> float:
    """Degrees of freedom of the largest of many differences."""
    if metric.needs != "labels" or not isinstance(sample, Tasks):
        return most
    return min(most, freedom_of_tasks(metric, sample, of_each_task(metric, sample)))
