"""Many models: claims about pairs, the set that may hold the best, and sets of ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.populations import (
    Cell,
    Design,
    Items,
    Population,
    draw_items,
    generator,
)
from benchmarks.coverage.stacks import (
    LEVEL,
    Names,
    measures,
    same,
    samples_of,
    some,
)
from ordeval.inference.influence import influence
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.many_models.simultaneous import gap_of, t_p_values
from ordeval.measures import Metric

MODELS: Final = (2, 5, 20)
CHOSEN: Final = ("cem_ord", "weighted_kappa", "average_mae", "accuracy")
_CLAIMS: Final = Bound(0.0, 0.06)
_HELD: Final = Bound(0.94, 1.0)


def alike(
    m: int, n: int, design: Design, data_sets: int, seed: int, names: Names = CHOSEN
) -> Iterator[Rate]:
    """Equal models: how often a difference is claimed, and the first left out of the best."""
    population = Population(5, design)
    rng = generator(seed, "many", m, n, design)
    items = draw_items((population,) * m, n, data_sets, rng)
    column = f"M = {m}, {n:,} {design}"
    for metric in measures(names):
        together = _together(metric, items)
        claims = sum(map(claimed, together))
        _check(metric, items, together, rng)
        yield Rate("false claims", metric.name, column, claims, data_sets, _CLAIMS)
        held = sum(t.may_be_best[0] for t in together)
        yield Rate("the best, all equal", metric.name, column, held, data_sets, _HELD)


def apart(m: int, n: int, data_sets: int, seed: int) -> Iterator[Rate | Amount]:
    """Models of different quality: are the best one and all ranks held, and what is shown?"""
    best = Population(5, "balanced", fall=1.5)
    # The second is close behind, the others fall off to a model that is clearly worse.
    models = (best, *(replace(best, fall=f) for f in np.linspace(1.3, 0.7, m - 1)))
    rng = generator(seed, "ranks", m, n)
    items = draw_items(models, n, data_sets, rng)
    column = f"M = {m}, {n:,}"
    for metric in measures(CHOSEN):
        together = _together(metric, items)
        _check(metric, items, together, rng)
        held = sum(t.may_be_best[0] for t in together)
        yield Rate("the best", metric.name, column, held, data_sets, _HELD)
        ranks = sum(_ranks_held(t.rank_sets) for t in together)
        yield Rate("all ranks", metric.name, column, ranks, data_sets, _HELD)
        shown = sum(t.rank_sets[0] == (1, 1) for t in together)
        yield Rate("best shown to be best", metric.name, column, shown, data_sets)
        size = float(np.mean([sum(t.may_be_best) for t in together]))
        yield Amount("models that may be best", metric.name, column, size)


def claimed(together: Together) -> bool:
    """Whether any difference is claimed; a corrected p is never below its raw p."""
    found = together.turned
    if len(found.values) < 2:
        return False
    gaps = gap_of(found.centre[:, None], found.centre[None, :])
    raw = t_p_values(gaps, found.apart, found.freedom)
    return bool(raw.min() <= 1 - LEVEL and np.nanmin(together.adjusted()) <= 1 - LEVEL)


def _ranks_held(sets: list[tuple[int, int]]) -> bool:
    return all(low <= i + 1 <= high for i, (low, high) in enumerate(sets))


def _together(metric: Metric, items: Items) -> list[Together]:
    samples = samples_of(items, 5)
    return [
        Together(metric, found, LEVEL, s)
        for s, found in zip(samples, influence(metric, samples), strict=True)
    ]


def _check(
    metric: Metric, items: Items, together: list[Together], rng: np.random.Generator
) -> None:
    """Compare one data set with what ``compare`` says."""
    for i in some(len(items.truth), rng, 1):
        models = {str(j): p for j, p in enumerate(items.predictions[i].T)}
        made = oe.compare(items.truth[i], models, [metric], labels=range(5))
        order = [int(name) for name in made.models]
        ours = together[i].adjusted()[np.ix_(order, order)]
        same(f"{metric.name}, corrected p", ours.ravel(), made.separation.ravel())
        held = {str(j) for j, may in enumerate(together[i].may_be_best) if may}
        if held != set(made.may_be_best):
            raise AssertionError(f"{metric.name}: {held} may be best, not {made.may_be_best}.")


def cells() -> list[Cell]:
    """Where equal models are compared."""
    return [Cell(Population(5, d), n) for d in ("balanced", "imbalanced") for n in (50, 200)]
