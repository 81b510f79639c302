"""Tuned decisions: whether the interval of the cross-fitted gain contains the gain on other items.

Two gains are asked for: that of the cut points that were returned, on many new items, and its mean
over data sets of this size. Where tuning gains little, much of the variance is that of the cut
points, which an interval that takes them as given lacks: it would cover as little as 84%.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import Floats, Integers, generator
from ordeval.measures import Metric
from ordeval.models import optimal_cut_points

MEASURES: Final = ("average_mae", "weighted_kappa", "cem_ord", "accuracy")
GAINS: Final = ("clear", "slight", "no")
_SHARES: Final = np.array([0.55, 0.25, 0.15, 0.05])
_NEW: Final = 60_000  # items of the population
_BOUND: Final = Bound(0.925, 0.985)


class Size(NamedTuple):
    """The items of a data set, and how many of them are in each cluster."""

    n: int
    each: int = 1

    @property
    def column(self) -> str:
        """What the column of a table is called."""
        clusters = f"{self.n // self.each:,} clusters of {self.each}"
        return f"{self.n:,} items" if self.each == 1 else clusters


SIZES: Final = (Size(100), Size(300), Size(1000), Size(300, each=5))


class _Items(NamedTuple):
    truth: Integers
    prob: Floats
    cluster: Integers | None


def gains(size: Size, measure: str, gain: str, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals of the gain for one measure."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    rng, metric = generator(seed, "tuned", *size, measure, gain), oe.get_metric(measure)
    new = _draw(rng, size._replace(n=_NEW), gain)
    plain = _value(metric, new.truth, new.prob.argmax(axis=1))
    ends, true = [], []
    for _ in range(data_sets):
        truth, prob, clusters = _draw(rng, size, gain)
        cuts = optimal_cut_points(
            truth, prob, metric, labels=range(len(_SHARES)), clusters=clusters, rng=rng
        )
        assert cuts.gain is not None
        ends.append((cuts.gain.low, cuts.gain.high))
        true.append(_value(metric, new.truth, cuts.classify(new.prob)) - plain)
    low, high = np.transpose(ends)
    for row, at in (("of these cut points", np.array(true)), ("on average", np.mean(true))):
        hits = int(((low <= at) & (at <= high)).sum())
        name = f"{gain} gain in {metric.display}, {row}"
        yield Rate("tuned decisions", name, size.column, hits, data_sets, _BOUND)


def _draw(rng: np.random.Generator, size: Size, gain: str) -> _Items:
    """Draw items; those of a cluster share most classes and half of the variance of the noise."""
    n, k = size.n, len(_SHARES)
    truth, noise, cluster = rng.choice(k, n, p=_SHARES), rng.normal(size=n), None
    if size.each > 1:
        cluster = np.arange(n) // size.each
        shared = rng.choice(k, n, p=_SHARES)[cluster]
        truth = np.where(rng.random(n) < 0.6, shared, truth)
        noise = np.sqrt(0.5) * (noise + rng.normal(size=n)[cluster])
    steps = np.abs(np.subtract.outer(truth + 0.9 * noise, np.arange(k)))
    # The most probable level is rarely a high one, or about as often as it should be, or best.
    if gain == "clear":
        logits = np.log(_SHARES) - 0.6 * steps**2
        logits[:, 0] += 0.5
    elif gain == "slight":
        logits = -1.2 * steps
        logits[:, 0] += 1.0
    else:
        logits = np.log(_SHARES) - steps**2 / (2 * 0.9**2)
    prob = np.exp(logits)
    return _Items(truth, prob / prob.sum(axis=1, keepdims=True), cluster)


def _value(metric: Metric, truth: Integers, pred: Integers) -> float:
    k = len(_SHARES)
    counts = np.bincount(truth * k + pred, minlength=k * k).reshape(k, k)
    return float(metric.evaluate(counts, metric.checked_on(k, {})))
