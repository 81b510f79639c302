"""Fields of use: essays, grades of disease, ratings of credit, judges, wine, and long scales.

Few items, rare classes, ceilings and central tendency, as users have them. What leaves its bounds
carries a caveat beside the value; the rate of that is shown too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import ENOUGH, Bound, Rate
from benchmarks.coverage.correlated import STUDIES, Place, rows_of
from benchmarks.coverage.populations import MANY, Floats, Integers, Items, generator
from benchmarks.coverage.stacks import Ends, Names, intervals, measures, samples_of
from ordeval.data.scale import Scale
from ordeval.inference.influence import influence
from ordeval.inference.intervals import Estimation, Observed, interval_of
from ordeval.measures import Metric

SIZES: Final = (30, 100, 300)
MEASURES: Final = (
    "accuracy", "balanced_accuracy", "cem_ord", "weighted_kappa", "gwet_ac2", "kendall_tau_b",
    "r_int", "krippendorff_alpha", "concordance_index", "mean_absolute_error", "average_mae",
    "oc_index", "uoc_index", "auoc",
)  # fmt: skip
PATHS: Final = ("oc_index", "uoc_index", "auoc")
LONG: Final = (10, 15, 20)
TIED: Final = ("accuracy", "cem_ord", "weighted_kappa", "mean_absolute_error", "average_mae")
_FLAT: Final = 0.35  # with every step, errors are so little rarer that many paths are nearly tied
_USUAL: Final = Bound(0.925, 0.99)
_CAVEAT: Final = "a class has fewer than 5 items in expectation; OE103 stands beside the value"

_DOCUMENTED: Final = (
    "a third of the samples have no error of the kind that decides (documented limit)"
)


class Auc(NamedTuple):
    """Labels on two sides of a cut: items on each side, and the accuracy on each."""

    below: int
    above: int
    right: tuple[float, float]


AREAS: Final = (
    Auc(291, 9, (0.95, 0.70)), Auc(9, 91, (0.70, 0.95)), Auc(94, 6, (0.90, 0.75)),
    Auc(180, 20, (0.92, 0.80)), Auc(240, 60, (0.90, 0.85)), Auc(50, 50, (0.97, 0.97)),
    Auc(20, 10, (0.9, 0.8)),
)  # fmt: skip


def alone(
    place: Place, n: int, data_sets: int, seed: int, names: Names = MEASURES
) -> Iterator[Rate]:
    """Intervals of one model, from independent items of a field."""
    study, rng = STUDIES[place], generator(seed, "field", place, n)
    shares = np.array(study.shares)
    joint = shares[:, None] * rows_of(study, study.right)
    matrices = _drawn(joint, n, data_sets, rng)
    for metric in measures(names):
        held = intervals(metric, matrices).hold(_value(metric, joint))
        few = n * shares.min() < ENOUGH
        bound = Bound(0.90, 1.0, _CAVEAT) if few else _USUAL
        yield Rate("intervals in fields", metric.name, f"{place}, {n:,}", *held, bound)


def long_scale(k: int, n: int, data_sets: int, seed: int, names: Names = PATHS) -> Iterator[Rate]:
    """Paths on long scales, where errors are flat and many paths are nearly as good."""
    rng = generator(seed, "long", k, n)
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    rows = np.exp(-_FLAT * steps)
    joint = rows / rows.sum(axis=1, keepdims=True) / k
    matrices = _drawn(joint, n, data_sets, rng)
    for metric in measures(names):
        held = intervals(metric, matrices).hold(_value(metric, joint))
        bound = Bound(0.90, 0.99, "long scales: many paths are nearly tied")
        yield Rate("paths on long scales", metric.name, f"K = {k}, {n:,}", *held, bound)


def areas(area: Auc, data_sets: int, seed: int) -> Iterator[Rate]:
    """The area under the curve of labels, with few items on one side."""
    rng = generator(seed, "area", area)
    n, hit = area.below + area.above, np.array([area.right[0], area.right[1]])
    rows = np.array([[hit[0], 1 - hit[0]], [1 - hit[1], hit[1]]])
    joint = np.array([[area.below], [area.above]]) / n * rows
    metric = oe.get_metric("threshold_auc").with_params(at_least=1).on(Scale(range(2)))
    held = intervals(metric, _drawn(joint, n, data_sets, rng)).hold(_value(metric, joint))
    column = f"{area.below} and {area.above}, right {hit[0]:.0%} and {hit[1]:.0%}"
    bound = Bound(0.925, 0.99, "few items on one side")
    yield Rate("areas of labels", metric.name, column, *held, bound)


def tied_weights(n: int, data_sets: int, seed: int, names: Names = TIED) -> Iterator[Rate]:
    """Weights that undo how items were chosen: errors three times as often as hits."""
    study, rng = STUDIES["judge"], generator(seed, "tied weights", n)
    joint = np.array(study.shares)[:, None] * rows_of(study, study.right)
    k = len(joint)
    chance = np.where(np.eye(k, dtype=bool), 0.25, 0.75)
    cells = rng.choice(k * k, size=(data_sets, n), p=_normed(joint * chance).ravel())
    items = Items(cells // k, (cells % k)[..., None])
    weight = (1 / chance).ravel()[cells]
    samples = samples_of(items, k, weight=weight)
    for metric in measures(names):
        found, scale = influence(metric, samples), Scale(range(k))
        made = [
            interval_of(metric, Observed(s, scale, implied=False), c, Estimation())
            for s, c in zip(samples, found, strict=True)
        ]
        ends = Ends(np.array([i.low for i in made]), np.array([i.high for i in made]))
        few = n * study.shares[0] < ENOUGH
        bound = Bound(0.90, 1.0, _CAVEAT) if few else _USUAL
        held = ends.hold(_value(metric, joint))
        yield Rate("weights tied to errors", metric.name, f"{n:,}", *held, bound)


def far_errors(data_sets: int, seed: int) -> Iterator[Rate]:
    """Ten of 500 items in the highest class, one in ten of which is predicted as the lowest."""
    rng, k = generator(seed, "far errors"), 5
    rows = np.eye(k) * 0.9 + np.eye(k, k=1) * 0.1
    rows[-1, 0] = 0.1
    joint = np.array([0.4, 0.3, 0.2, 0.08, 0.02])[:, None] * rows
    matrices = _drawn(_normed(joint), 500, data_sets, rng)
    for metric in measures(("average_mae", "auoc")):
        held = intervals(metric, matrices).hold(_value(metric, joint))
        yield Rate("rare, far errors", metric.name, "500", *held, Bound(0.55, 1.0, _DOCUMENTED))


def _normed(joint: Floats) -> Floats:
    return np.asarray(joint / joint.sum())


def _drawn(joint: Floats, n: int, data_sets: int, rng: np.random.Generator) -> Integers:
    k = len(joint)
    return rng.multinomial(n, _normed(joint).ravel(), data_sets).reshape(-1, k, k)


def _value(metric: Metric, joint: Floats) -> float:
    return float(metric.values((_normed(joint) * MANY)[None])[0])
