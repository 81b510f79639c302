"""The populations that data sets are drawn from, and the drawing of items.

A population is a joint distribution of truth and prediction, so that the true value of every
measure is known. Models that share hard items, and items of one cluster, are tied together by a
normal variable behind each prediction: it says how hard the item is, and leaves the population of
each model as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ordeval.measures import Metric

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Design = Literal["balanced", "imbalanced", "near perfect"]

DESIGNS: Final[tuple[Design, ...]] = ("balanced", "imbalanced", "near perfect")
MANY: Final = 10**9  # items of a population, for measures that look at their number


@dataclass(frozen=True)
class Population:
    """Class shares, and how errors fall off with their distance."""

    k: int
    design: Design
    fall: float = 1.2  # with every step, errors are exp(fall) times rarer
    lean: float = 0.15  # errors upwards are exp(lean) times as frequent as errors downwards
    # Whether errors go in the other direction; seeds are made of what is printed.
    turned: bool = field(default=False, repr=False)

    @property
    def shares(self) -> Floats:
        """The shares of the true classes; 75 % in the lowest if they are imbalanced."""
        if self.design == "imbalanced":
            return np.array([0.75, *np.full(self.k - 1, 0.25 / (self.k - 1))])
        return np.full(self.k, 1 / self.k)

    @property
    def rows(self) -> Floats:
        """The shares (K, K) of the predictions for each true class; 98 % right if near perfect."""
        steps = np.subtract.outer(np.arange(self.k), np.arange(self.k))
        rows = np.exp(-self.fall * np.abs(steps) + self.lean * (steps < 0))
        if self.design == "near perfect":
            np.fill_diagonal(rows, 0.0)
            rows *= 0.02 / rows.sum(axis=1, keepdims=True)
            np.fill_diagonal(rows, 0.98)
        rows = rows / rows.sum(axis=1, keepdims=True)
        return np.asarray(rows[::-1, ::-1] if self.turned else rows)

    @property
    def joint(self) -> Floats:
        """The shares (K, K) of truth and prediction."""
        return np.asarray(self.shares[:, None] * self.rows)

    def value(self, metric: Metric) -> float:
        """The true value of a measure."""
        return float(metric.values((self.joint * MANY)[None])[0])

    def mirrored(self) -> Population:
        """The population that errs as often, in the other direction."""
        return replace(self, turned=not self.turned)


class Cell(NamedTuple):
    """One cell of the tables: a population and a number of items."""

    population: Population
    items: int

    @property
    def rarest(self) -> float:
        """Items of the rarest class that are to be expected."""
        return float(self.items * self.population.shares.min())

    def __str__(self) -> str:
        p = self.population
        return f"K = {p.k}, N = {self.items:,}, {p.design}"


def generator(seed: int, *where: object) -> np.random.Generator:
    """A generator of its own for each place in the simulation, whatever else runs."""
    return np.random.default_rng([seed, *"/".join(map(str, where)).encode()])


def draw_matrices(cell: Cell, data_sets: int, rng: np.random.Generator) -> Integers:
    """Matrices (D, K, K) of independent items."""
    k = cell.population.k
    return rng.multinomial(cell.items, cell.population.joint.ravel(), data_sets).reshape(-1, k, k)


class Items(NamedTuple):
    """The items of D data sets: true classes (D, N) and the predictions of M models (D, N, M)."""

    truth: Integers
    predictions: Integers

    def matrices(self, k: int) -> Integers:
        """The matrices (D, M, K, K)."""
        d, _, m = self.predictions.shape
        place = np.arange(d * m).reshape(d, 1, m) * k * k
        cells = place + self.truth[..., None] * k + self.predictions
        return np.bincount(cells.ravel(), minlength=d * m * k * k).reshape(d, m, k, k)


def draw_items(
    models: tuple[Population, ...], n: int, data_sets: int, rng: np.random.Generator, *,
    shared: float = 0.5,
) -> Items:  # fmt: skip
    """Items that all models predict; ``shared`` is how alike the models find an item hard."""
    shape = (data_sets, n)
    truth = rng.choice(models[0].k, size=shape, p=models[0].shares)
    hard = rng.standard_normal(shape)
    each = [mixed(hard, rng.standard_normal(shape), shared) for _ in models]
    predictions = [predicted(p, truth, ndtr(z)) for p, z in zip(models, each, strict=True)]
    return Items(truth, np.stack(predictions, axis=-1))


def draw_clusters(
    population: Population, clusters: int, data_sets: int, rng: np.random.Generator, *,
    size: int = 10, alike: float = 0.3,
) -> Items:  # fmt: skip
    """Items of one model in clusters of equal size, alike in truth and in how hard they are."""
    shape = (data_sets, clusters, size)
    of_class, of_hard = (
        ndtr(mixed(rng.standard_normal((*shape[:2], 1)), rng.standard_normal(shape), alike))
        for _ in range(2)
    )
    truth = np.searchsorted(np.cumsum(population.shares)[:-1], of_class)
    answers = predicted(population, truth, of_hard)
    return Items(truth.reshape(data_sets, -1), answers.reshape(data_sets, -1, 1))


def mixed(common: Floats, own: Floats, correlation: float) -> Floats:
    """Normal variables, of which so much is common."""
    return np.asarray(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)


def predicted(population: Population, truth: Integers, hard: Floats) -> Integers:
    """Predictions from how hard items are, in (0, 1): the harder, the further off."""
    k, rows = population.k, population.rows
    found = np.empty_like(truth)
    for c in range(k):
        order = np.argsort(np.abs(np.arange(k) - c), kind="stable")
        own = truth == c
        found[own] = order[np.searchsorted(np.cumsum(rows[c][order])[:-1], hard[own])]
    return found
