"""Two versions of one model: how often their difference is found, beside what is possible.

Versions share most of what makes an item hard, so that they disagree on few items. What is possible
is the permutation that exchanges the answers within items: it is exact, and draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from benchmarks.coverage.bounds import Bound, Rate
from benchmarks.coverage.populations import Floats, Integers, Items, generator, mixed
from benchmarks.coverage.stacks import Names, differences, finite, measures
from ordeval.measures import Metric

Place = Literal["essay", "retinopathy", "credit", "triage", "judge", "wine"]


class Study(NamedTuple):
    """Items of a field of use: class shares, the accuracy of a model, and of a worse version."""

    shares: tuple[float, ...]
    right: float
    lost: float
    shared: float  # how much of what makes an item hard is the same for both
    central: float = 0.0  # errors towards the middle are exp(central) times as frequent as others


STUDIES: Final[dict[Place, Study]] = {
    "essay": Study((0.04, 0.14, 0.30, 0.32, 0.15, 0.05), 0.70, 0.08, 0.985, central=1.0),
    "retinopathy": Study((0.73, 0.07, 0.15, 0.03, 0.02), 0.85, 0.09, 0.98),
    "credit": Study((0.05, 0.10, 0.20, 0.25, 0.18, 0.12, 0.07, 0.03), 0.75, 0.09, 0.985),
    "triage": Study((0.80, 0.09, 0.06, 0.03, 0.02), 0.88, 0.09, 0.98),
    "judge": Study((0.03, 0.05, 0.12, 0.20, 0.60), 0.75, 0.09, 0.98),
    "wine": Study((0.01, 0.03, 0.42, 0.40, 0.12, 0.02), 0.70, 0.05, 0.99),
}
SIZES: Final[tuple[tuple[Place, int], ...]] = (
    ("essay", 100), ("retinopathy", 100), ("credit", 100), ("triage", 100), ("judge", 100),
    ("wine", 300),
)  # fmt: skip
MEASURES: Final = (
    "accuracy", "cem_ord", "weighted_kappa", "gwet_ac2", "mean_absolute_error", "kendall_tau_b",
    "average_mae", "balanced_accuracy",
)  # fmt: skip
CLASS_WISE: Final = ("average_mae", "balanced_accuracy")
ALPHA: Final = 0.05
_DRAWS: Final = 299
_TWO_STEPS: Final = 0.2  # of the errors, those that are two steps off
_SIZE: Final = Bound(0.0, 0.06)


def size(
    place: Place, n: int, data_sets: int, seed: int, names: Names = MEASURES
) -> Iterator[Rate]:
    """How often two versions that are equally good are said to differ."""
    rng, k = generator(seed, "size", place, n), len(STUDIES[place].shares)
    items = draw(place, n, data_sets, rng, lost=0.0)
    for metric in measures(names):
        p = finite(differences(metric, items, k).p_value)
        hits = int((p <= ALPHA).sum())
        yield Rate("equal correlated models", metric.name, f"{place}, {n:,}", hits, len(p), _SIZE)


def power(
    place: Place, n: int, data_sets: int, seed: int, names: Names = MEASURES
) -> Iterator[Rate]:
    """How often a worse version is found to differ, and how often by the permutation."""
    rng, k = generator(seed, "power", place, n), len(STUDIES[place].shares)
    items, column = draw(place, n, data_sets, rng), f"{place}, {n:,}"
    for metric in measures(names):
        ours = differences(metric, items, k).p_value
        possible = np.array([_permuted(metric, t, p, k, rng) for t, p in zip(*items, strict=True)])
        there = ~np.isnan(ours)
        hits, most = (int((p[there] <= ALPHA).sum()) for p in (ours, possible))
        of = int(there.sum())
        least = (0.6 if metric.name in CLASS_WISE else 0.8) * most / of
        bound = Bound(least, 1.0, "the permutation's power")
        yield Rate("power of correlated models", metric.name, column, hits, of, bound)
        yield Rate("power of the permutation", metric.name, column, most, of)


def draw(
    place: Place, n: int, data_sets: int, rng: np.random.Generator, lost: float | None = None
) -> Items:
    """A model and a version of it that is worse by so much accuracy."""
    study, shape = STUDIES[place], (data_sets, n)
    truth = rng.choice(len(study.shares), size=shape, p=np.array(study.shares))
    hard = rng.standard_normal(shape)
    answers = []
    for less in (0.0, study.lost if lost is None else lost):
        own = ndtr(mixed(hard, rng.standard_normal(shape), study.shared))
        answers.append(_answers(rows_of(study, study.right - less), truth, own))
    return Items(truth, np.stack(answers, axis=-1))


def rows_of(study: Study, right: float) -> Floats:
    """The shares (K, K) of the predictions for each true class."""
    place = np.arange(len(study.shares))
    steps = np.abs(np.subtract.outer(place, place))
    rows = np.select([steps == 1, steps == 2], [1 - _TWO_STEPS, _TWO_STEPS], 0.0)
    middle = np.abs(place - place.mean())
    rows *= np.exp(study.central * (middle[None, :] < middle[:, None]))
    rows *= (1 - right) / rows.sum(axis=1, keepdims=True)
    np.fill_diagonal(rows, right)
    return np.asarray(rows)


def _answers(rows: Floats, truth: Integers, hard: Floats) -> Integers:
    found = np.empty_like(truth)
    for c, row in enumerate(rows):
        order = np.argsort(np.abs(np.arange(len(rows)) - c), kind="stable")
        own = truth == c
        place = np.searchsorted(np.cumsum(row[order])[:-1], hard[own])
        found[own] = order[np.minimum(place, len(rows) - 1)]
    return found


def _permuted(
    metric: Metric, truth: Integers, predictions: Integers, k: int, rng: np.random.Generator
) -> float:
    """The p-value by exchanging the two answers of items at random."""
    swapped = rng.random((_DRAWS, len(truth))) < 0.5
    swapped[0] = False  # the answers as they are
    a, b = predictions.T
    first, second = np.where(swapped, b, a), np.where(swapped, a, b)
    away = np.abs(_values(metric, truth, first, k) - _values(metric, truth, second, k))
    return float((away >= away[0] - 1e-12).mean())


def _values(metric: Metric, truth: Integers, answers: Integers, k: int) -> Any:
    cells = (np.arange(len(answers))[:, None] * k + truth) * k + answers
    counts = np.bincount(cells.ravel(), minlength=len(answers) * k * k)
    return np.asarray(metric.values(counts.reshape(-1, k, k).astype(np.float64)))
