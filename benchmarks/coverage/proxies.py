"""Few human labels, many judged ones: do corrected intervals hold, and how much is gained?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.populations import Items, Population, draw_items, generator
from benchmarks.coverage.stacks import Names

K: Final = 5
SIZES: Final = ((50, 1000), (50, 4000), (200, 1000), (200, 4000))  # human labels of so many items
# How fast the judge's errors fall off with their distance, as those of a Population do.
JUDGES: Final = {"good": 2.5, "poor": 0.7, "useless": 0.0}
CHOSEN: Final = ("cem_ord", "weighted_kappa", "average_mae", "accuracy", "mean")
_CAUTIOUS: Final = Bound(
    0.925, 0.99, "of 50 human labels few differ from those of a good judge: intervals are cautious"
)


def few_labels(
    n: int, items: int, judge: str, data_sets: int, seed: int, names: Names = CHOSEN
) -> Iterator[Rate | Amount]:
    """Intervals from n human labels of so many items, and how much shorter a judge makes them."""
    population, chosen = Population(K, "balanced"), list(names or CHOSEN)
    rng = generator(seed, "proxies", n, items, judge)
    drawn = draw(population, items, judge, data_sets, rng)
    scored = _corrected(drawn, n, chosen)
    size = f"{n} of {items:,}"
    bound = _CAUTIOUS if n == 50 and judge == "good" else Bound(0.925, 0.975)
    for name in chosen:
        made, value = [f.intervals[name] for f in scored[name]], true_value(population, name)
        held = sum(value in c for c in made)
        yield Rate(f"few labels, {size}", name, judge, held, data_sets, bound)
        gain = float(np.median([f.gains[name] for f in scored[name]]))
        yield Amount(f"gain, {size}", name, judge, 100 * gain)
        # What one gets who takes the judge for the truth, with the usual interval.
        naive = [_naive(drawn, i, name) for i in range(min(data_sets, 100))]
        held = sum(value in c for c in naive)
        yield Rate(f"naive, {size}", name, judge, held, len(naive))


def true_value(population: Population, name: str) -> float:
    """The value in the population; the mean is of the positions of the levels."""
    if name == "mean":
        return float(population.shares @ np.arange(K))
    return population.value(oe.get_metric(name))


def draw(
    population: Population, items: int, judge: str, data_sets: int, rng: np.random.Generator
) -> Items:
    """A model and a judge that find the same items hard; a useless judge guesses."""
    fall = JUDGES[judge]
    drawn = draw_items((population, Population(K, "balanced", fall=fall)), items, data_sets, rng)
    if judge == "useless":
        drawn.predictions[..., 1] = rng.integers(0, K, drawn.truth.shape)
    return drawn


def _corrected(drawn: Items, n: int, names: list[str]) -> dict[str, list[oe.results.Scores]]:
    """The corrected values of each data set, of which the first n items have a human label."""
    found = dict[str, list[oe.results.Scores]]()
    for truth, given in zip(drawn.truth, drawn.predictions, strict=True):
        human, (model, judge) = np.where(np.arange(len(truth)) < n, truth, np.nan), given.T
        data = oe.Predictions(human, model, labels=range(K), proxy=judge)
        made = oe.score(data, [m for m in names if m != "mean"])
        for name in names:
            one = made
            if name == "mean":
                one = oe.corrected_distribution(human, judge, labels=range(K))
            found.setdefault(name, []).append(one)
    return found


def _naive(drawn: Items, i: int, name: str) -> oe.results.Interval:
    model, judge = drawn.predictions[i].T
    if name != "mean":
        return oe.confidence_interval(name, judge, model, labels=range(K))
    return oe.corrected_distribution(judge, judge, labels=range(K)).intervals["mean"]
