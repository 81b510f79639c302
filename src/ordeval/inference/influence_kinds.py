"""What a sample says by a measure, whatever the measure is computed from.

Labels go by the cells of matrices, probabilities by losses, scores by placements. All of them end
in Contributions, from which everything else is made.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ordeval.inference import influence as cells, range_ends as edges
from ordeval.inference.forecasts import losses, placements
from ordeval.inference.identical_models import Agreed, AgreedForecasts, Unseen
from ordeval.inference.influence import Contributions
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.probability import ProbabilityMetric
from ordeval.measures.ranking import RankingMetric


def by_placements(metric: Metric, sample: Sample) -> bool:
    """Whether a measure looks at scores, or at what probabilities make of them."""
    return isinstance(metric, RankingMetric) and (
        sample.score is not None or sample.prob is not None
    )


def by_cells(metric: Metric, sample: Sample) -> bool:
    """Whether a measure looks at the cells of matrices alone."""
    return not (isinstance(metric, ProbabilityMetric) or by_placements(metric, sample))


def contributions(metric: Metric, sample: Sample) -> Contributions:
    """What the units of a sample contribute to a measure."""
    if isinstance(metric, ProbabilityMetric):
        return losses.contributions(metric, sample)
    if by_placements(metric, sample):
        assert isinstance(metric, RankingMetric)
        return placements.contributions(metric, sample)
    return cells.contributions(metric, sample)


def reach(metric: Metric, sample: Sample, model: int, tail: float) -> tuple[float, float]:
    """The least and the largest value that the data cannot exclude, at the end of the range."""
    if isinstance(metric, ProbabilityMetric):
        return losses.reach(metric, sample, model, tail)
    if by_placements(metric, sample):
        assert isinstance(metric, RankingMetric)
        return placements.reach(metric, sample, model, tail)
    return edges.reach(metric, sample, model, tail)


def ruled_out(metric: Metric, sample: Sample, model: int) -> int:
    """How many items make the value of a model infinite: their outcome was given probability 0."""
    return losses.ruled_out(metric, sample, model) if isinstance(metric, ProbabilityMetric) else 0


def agreed(metric: Metric, sample: Sample, pair: tuple[int, int]) -> Unseen | None:
    """What two models that say the same of every item differ by at most; None if they do not."""
    units = max(min(sample.units, sample.effective), 1.0)
    first, items = pair[0], float(sample.items)
    if isinstance(metric, ProbabilityMetric):
        if sample.losses is not None:
            same = bool(sample.losses[metric.name].alike[pair])
        else:
            same = _alike(sample.prob, pair)
        if not same:
            return None
        return AgreedForecasts(partial(losses.spread, metric, sample, first), units, items)
    if by_placements(metric, sample):
        assert isinstance(metric, RankingMetric)
        given = sample.prob if sample.score is None else sample.score
        if not _alike(given, pair):
            return None
        return AgreedForecasts(partial(placements.spread, metric, sample, first), units, items)
    if not _alike(sample.predictions, pair):
        return None
    return Agreed(metric, sample.matrices[first], units)


def _alike(outputs: object, pair: tuple[int, int]) -> bool:
    """Whether two models have the same outputs (U, M, ...)."""
    given = np.asarray(outputs)
    return bool((given[:, pair[0]] == given[:, pair[1]]).all())
