"""The agreement of many raters: what ``Ratings.agreement`` and ``Ratings.severity`` give."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ordeval._shared.types import check_level
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.ratings import Ratings
from ordeval.inference.intervals import Estimation
from ordeval.inference.raters.judges import severity
from ordeval.inference.raters.rating_influence import agreement_intervals
from ordeval.inference.samples import cluster_numbers
from ordeval.measures.raters import Tally, fleiss_kappa, value_of
from ordeval.measures.registry import AGREEMENT, choose
from ordeval.measures.scale_checks import warn_of_unused_levels
from ordeval.results.ratings import RaterSeverity, RatingScores

# Readers compare Fleiss' kappa with papers, where it is unweighted.
USUAL: Final = (*AGREEMENT[:2], fleiss_kappa.with_params(weights="nominal"), *AGREEMENT[2:])


def agreement_of(
    ratings: Ratings,
    metrics: Any = None,
    *,
    level: float | None = 0.95,
    random_raters: bool = False,
) -> RatingScores:
    """Agreement of the raters by some measures, with intervals."""
    chosen = choose(metrics, USUAL, "ratings")
    if ratings.implied and metrics is not None:
        warn_of_unused_levels(chosen, ratings.scale)
    tally = Tally.of_ratings(ratings)
    values = {m.name: float(value_of(m, tally)) for m in chosen}
    intervals = {}
    if level is not None:
        how = Estimation(level=level)
        intervals = agreement_intervals(ratings, tally, chosen, how, of_raters=random_raters)
    origin = Origin(implied=ratings.implied, weighted=True)
    pairs = ConfusionMatrix.of(tally.coincidences, ratings.scale, origin)
    own = {}
    if ratings.owner is not None:
        several = [name for name, runs in ratings.runs.items() if len(runs) > 1]
        own = {name: agreement_of(ratings.of(name), chosen, level=level) for name in several}
    return RatingScores(
        confusion=pairs,
        metrics=chosen,
        by_name=values,
        intervals=intervals,
        ratings=ratings,
        self_agreement=own,
    )


def severity_of(ratings: Ratings, *, level: float = 0.95) -> RaterSeverity:
    """How many steps each rater is above the mean of the others."""
    check_level(level)
    cluster = None
    if ratings.clusters is not None:
        every = np.ones(len(ratings.items), dtype=bool)
        cluster = cluster_numbers(list(ratings.clusters), every)
    names, steps = ratings.raters, ratings.codes
    if ratings.owner is not None:
        names, steps = tuple(ratings.runs), _means_of_runs(ratings)
    found = severity(steps, level, cluster)
    return RaterSeverity(dict(zip(names, found, strict=True)))


def _means_of_runs(ratings: Ratings) -> Any:
    """The mean of each rater's runs (items, raters) in steps of the scale, -1 for none."""
    runs = [ratings.codes[:, list(columns)] for columns in ratings.runs.values()]
    sizes = [(codes >= 0).sum(axis=1) for codes in runs]
    sums = [np.where(codes >= 0, codes, 0).sum(axis=1) for codes in runs]
    each = zip(sums, sizes, strict=True)
    return np.stack([np.where(n > 0, x / np.maximum(n, 1), -1.0) for x, n in each], axis=1)
