"""Tuned decisions: whether the interval of the cross-fitted gain contains the gain on other items.

Two gains are asked for: that of the cut points that were returned, on many new items, and its mean
over data sets of this size. The interval takes the decisions as given, although their cut points
depend on the items. Where the gain is close to zero, that is much of its variance: the interval
contains the gain too rarely by every measure, and there is no bound.
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

SIZES: Final = (200, 1000)
MEASURES: Final = ("average_mae", "weighted_kappa", "accuracy")
GAINS: Final = ("clear", "slight")
_SHARES: Final = np.array([0.55, 0.25, 0.15, 0.05])
_NEW: Final = 50_000  # items of the population


class _Items(NamedTuple):
    truth: Integers
    prob: Floats


def gains(n: int, measure: str, gain: str, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals of the gain for one measure."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    rng, metric = generator(seed, "tuned", n, measure, gain), oe.get_metric(measure)
    new = _draw(rng, _NEW, gain)
    plain = _value(metric, new.truth, new.prob.argmax(axis=1))
    ends, true = [], []
    for _ in range(data_sets):
        items = _draw(rng, n, gain)
        cuts = optimal_cut_points(*items, metric, labels=range(len(_SHARES)), rng=rng)
        assert cuts.gain is not None
        ends.append((cuts.gain.low, cuts.gain.high))
        true.append(_value(metric, new.truth, cuts.classify(new.prob)) - plain)
    low, high = np.transpose(ends)
    bound = Bound() if measure == "accuracy" or gain == "slight" else Bound(0.92, 0.99)
    for row, at in (("of these cut points", np.array(true)), ("on average", np.mean(true))):
        hits = int(((low <= at) & (at <= high)).sum())
        name = f"{gain} gain in {metric.display}, {row}"
        yield Rate("tuned decisions", name, f"{n:,} items", hits, data_sets, bound)


def _draw(rng: np.random.Generator, n: int, gain: str) -> _Items:
    truth = rng.choice(len(_SHARES), n, p=_SHARES)
    steps = np.abs(
        np.subtract.outer(truth + rng.normal(scale=0.9, size=n), np.arange(len(_SHARES)))
    )
    # The most probable level is rarely a high one, or about as often as it should be.
    logits = np.log(_SHARES) - 0.6 * steps**2 if gain == "clear" else -1.2 * steps
    logits[:, 0] += 0.5 if gain == "clear" else 1.0
    prob = np.exp(logits)
    return _Items(truth, prob / prob.sum(axis=1, keepdims=True))


def _value(metric: Metric, truth: Integers, pred: Integers) -> float:
    k = len(_SHARES)
    counts = np.bincount(truth * k + pred, minlength=k * k).reshape(k, k)
    return float(metric.evaluate(counts, metric.checked_on(k, {})))
