"""The agreement of many raters: what ``Ratings.agreement`` and ``Ratings.severity`` give."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordeval._shared.types import check_level
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.ratings import Ratings
from ordeval.inference.intervals import Estimation
from ordeval.inference.judges import severity
from ordeval.inference.samples import cluster_numbers
from ordeval.inference.tallies import agreement_intervals
from ordeval.measures.metric import warn_of_unused_levels
from ordeval.measures.raters import Tally, choose_agreement, value_of
from ordeval.results.ratings import RaterSeverity, RatingScores


def agreement_of(
    ratings: Ratings, metrics: Any = None, *, level: float | None = 0.95,
    random_raters: bool = False,
) -> RatingScores:  # fmt: skip
    """Agreement of the raters by some measures, with intervals."""
    chosen = choose_agreement(metrics)
    ratings.refuse_runs("agreement of raters")
    if ratings.implied and metrics is not None:
        warn_of_unused_levels(chosen, ratings.scale)
    tally = Tally.of(ratings.codes, ratings.k)
    values = tuple(float(value_of(m, tally)) for m in chosen)
    intervals = {}
    if level is not None:
        how = Estimation(level=level)
        intervals = agreement_intervals(ratings, tally, chosen, how, of_raters=random_raters)
    origin = Origin(implied=ratings.implied, weighted=True)
    pairs = ConfusionMatrix.of(tally.coincidences, ratings.scale, origin)
    return RatingScores(
        confusion=pairs, metrics=chosen, values_=values, intervals=intervals, ratings=ratings
    )


def severity_of(ratings: Ratings, *, level: float = 0.95) -> RaterSeverity:
    """How many steps each rater is above the mean of the others."""
    check_level(level)
    ratings.refuse_runs("severity")
    cluster = None
    if ratings.clusters is not None:
        every = np.ones(len(ratings.items), dtype=bool)
        cluster = cluster_numbers(list(ratings.clusters), every)
    found = severity(ratings.codes, level, cluster)
    return RaterSeverity(dict(zip(ratings.raters, found, strict=True)))
