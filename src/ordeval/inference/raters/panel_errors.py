"""How many independent judges a panel amounts to: the correlation of the judges' errors.

An error is a judge's distance from a human, so all errors on an item hold the humans' own error
too, and judges who err independently seem to err alike. Products of distances from two *different*
humans do not hold it: humans err independently of each other, so the mean product of the distances
of judge a from one human and of judge b from another is the covariance of the judges' errors alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.inference.intervals import Interval
from ordeval.inference.raters.clustered_means import mean_interval

_ONE_HUMAN: Final = "with one human per item, the human's own errors look like shared errors"
_NO_ERRORS: Final = "the judges show no errors beyond those of the humans"


class PanelErrors(NamedTuple):
    """How the errors of judges are correlated, and how many independent judges they amount to."""

    size: float
    correlation: Interval | None  # over pairs of judges, weighted by their variances
    refused: str = ""  # why there is none


def panel_errors(
    judges: Mapping[str, Floats], humans: Floats, unit: Integers, shown: Interval
) -> PanelErrors:
    """The correlation of the errors of judges (N,) compared with humans (N, R); NaN: no rating.

    ``shown`` says all of the interval but its numbers.
    """
    n = len(judges)
    if n < 2:
        return PanelErrors(float(n), None)
    if not ((~np.isnan(humans)).sum(axis=1) > 1).any():
        return PanelErrors(np.nan, None, _ONE_HUMAN)
    distances = [_centred(answers, humans) for answers in judges.values()]
    shared, own = np.zeros(len(humans)), np.zeros(len(humans))
    for a, b in itertools.combinations(distances, 2):
        shared += _products(a, b)
        both = ~np.isnan(a) & ~np.isnan(b)
        a, b = (np.where(both, x, np.nan) for x in (a, b))
        own += (_products(a, a) + _products(b, b)) / 2
    # A variance of rounding is none.
    if not own.sum() > 1e-9 * len(own):
        return PanelErrors(np.nan, None, _NO_ERRORS)
    found = mean_interval(shared, own, unit, shown)
    return PanelErrors(n / (1 + (n - 1) * max(found.estimate, 0.0)), found)


def _centred(answers: Floats, humans: Floats) -> Floats:
    """The distances (N, R) of a judge from each human, without the mean of each human."""
    apart = answers[:, None] - humans
    known = ~np.isnan(apart)
    mean = np.where(known, apart, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.asarray(apart - mean)


def _products(a: Floats, b: Floats) -> Floats:
    """The mean product (N,) of the distances from two different humans; 0 where there is none."""
    both = ~np.isnan(a) & ~np.isnan(b)
    a, b, size = np.where(both, a, 0.0), np.where(both, b, 0.0), both.sum(axis=1)
    pairs = size * (size - 1)
    products = a.sum(axis=1) * b.sum(axis=1) - (a * b).sum(axis=1)
    return np.asarray(np.where(pairs > 0, products / np.maximum(pairs, 1), 0.0))
