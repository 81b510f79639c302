"""Other populations than the data's own: target prevalence, averages over tasks, partial truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

import ordeval as oe
from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.populations import Population, draw_items, generator

K: Final = 5
CHOSEN: Final = ("cem_ord", "weighted_kappa", "mean_absolute_error", "accuracy")
# Test sets enriched with rare classes, and one in which classes of the target are rare.
PREVALENCES: Final = ("enriched", "rare classes")
REGISTRIES: Final = (0, 500)  # items of a registry that counted the classes; 0: shares are known
LABELS: Final = (50, 200, 500)
DESIGNS: Final = ("random", "stratified", "unequal")
JUDGES: Final = {"good": 2.5, "poor": 0.7}  # as in ``proxies``
ITEMS: Final = 1000
BOARDS: Final = {5: 1, 20: 6}  # models, and of how many data sets one is drawn
_HOLDS: Final = Bound(0.925, 0.975)
_FEW: Final = Bound(
    0.9, 0.99, "a class has 12 items in expectation, and may weigh five times as much"
)
_CAUTIOUS: Final = Bound(
    0.925, 0.99, "of 50 human labels few differ from those of a judge: intervals are cautious"
)


def prevalence(kind: str, n: int, registry: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals for a population with another prevalence, known or counted in a registry."""
    rng = generator(seed, "prevalence", kind, n, registry)
    enriched = kind == "enriched"
    own = Population(K, "balanced" if enriched else "imbalanced")
    target = Population(K, "imbalanced" if enriched else "balanced")
    drawn = draw_items((own,), n, data_sets, rng)
    cut = oe.threshold_ppv.with_params(at_least=2).on(oe.Scale(range(K)))
    metrics = [*map(oe.get_metric, CHOSEN), cut]
    held = dict.fromkeys((m.name for m in metrics), 0)
    truth = {m.name: target.value(m) for m in metrics}
    for y, p in zip(drawn.truth, drawn.predictions[..., 0], strict=True):
        shares: Any = target.shares if registry == 0 else rng.multinomial(registry, target.shares)
        found = oe.score(y, p, metrics, labels=range(K), prevalence=shares)
        for name, interval in found.intervals.items():
            held[name] += truth[name] in interval
    known = "known" if registry == 0 else f"counted in {registry:,}"
    allowed = _HOLDS if n >= 500 or enriched else _FEW
    for name, hits in held.items():
        yield Rate(f"target prevalence, {kind}, N = {n:,}", name, known, hits, data_sets, allowed)


def partial(design: str, n: int, judge: str, data_sets: int, seed: int) -> Iterator[Rate | Amount]:
    """Corrected intervals, and two equal models, by how items were chosen for human labels."""
    rng = generator(seed, "partial", design, n, judge)
    model, worse = Population(K, "balanced"), Population(K, "balanced", fall=1.1)
    makers = (model, model, worse, Population(K, "balanced", fall=JUDGES[judge]))
    drawn = draw_items(makers, ITEMS, data_sets, rng)
    truth = {name: model.value(oe.get_metric(name)) for name in CHOSEN}
    margin = truth["cem_ord"] - worse.value(oe.cem_ord)
    held, apart, claimed = dict.fromkeys(CHOSEN, 0), 0, 0
    gains = []
    for y, given in zip(drawn.truth, drawn.predictions, strict=True):
        a, b, c, proxy = given.T
        human, chance = _labelled(design, n, y, a, proxy, rng)
        data = oe.Predictions(
            human, {"a": a, "b": b, "c": c}, labels=range(K), proxy=proxy, inclusion=chance
        )
        found = oe.compare(data[["a", "b"]], CHOSEN)
        for name in CHOSEN:
            held[name] += truth[name] in found.estimates[name]["a"]
        apart += found.deltas()[0].p_value <= 0.05
        gains.append(_gain(found))
        tested = oe.compare(data[["a", "c"]], ["cem_ord"], reference="a", margin=margin)
        claimed += tested.deltas()[0].verdict == "non-inferior"
    where = f"{design}, {n} of {ITEMS:,}"
    for name, hits in held.items():
        bound = _CAUTIOUS if n == 50 else _HOLDS
        yield Rate(f"partial truth, {where}", name, judge, hits, data_sets, bound)
    size = Bound(0.0, 0.06)
    yield Rate("partial truth, equal models", where, judge, apart, data_sets, size)
    yield Rate("partial truth, margin", where, judge, claimed, data_sets, Bound(0.0, 0.035))
    yield Amount("partial truth, gain", where, judge, 100 * float(np.median(gains)))


def _gain(found: oe.results.Comparison) -> float:
    own, alone = found.estimates["cem_ord"]["a"], found.human["cem_ord"]["a"]
    return 1 - (own.high - own.low) / (alone.high - alone.low)


def _labelled(
    design: str, n: int, y: Any, model: Any, judge: Any, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Human labels with gaps, and how likely each item was to be chosen."""
    if design == "random":
        chosen, chance = oe.to_label(n, len(y), rng=rng)[0], None
    elif design == "stratified":
        chosen, chance = oe.to_label(n, strata=(judge >= 3).tolist(), rng=rng)
    else:
        apart = np.abs(model - judge).astype(float)
        chosen, chance = oe.to_label(n, uncertainty=apart + 0.3, rng=rng)
    return np.where(chosen, y, np.nan), chance


def averaged(models: int, equal: bool, data_sets: int, seed: int) -> Iterator[Rate]:
    """Ten tasks of 60 items: do intervals hold, and are ranks right for all models at once?"""
    rng, tasks, items = generator(seed, "averaged", models, equal), 10, 60
    falls = np.full(models, 1.2) if equal else np.linspace(0.9, 1.6, models)
    makers = tuple(Population(K, "balanced", fall=float(f)) for f in falls)
    names = [f"m{i:03d}" for i in range(models)]
    truth = makers[0].value(oe.cem_ord)
    held = right = claimed = 0
    for _ in range(data_sets):
        drawn = draw_items(makers, tasks * items, 1, rng)
        given = dict(zip(names, drawn.predictions[0].T, strict=True))
        task = np.repeat(np.arange(tasks), items)
        data = oe.Predictions(drawn.truth[0], given, labels=range(K), by={"task": task})
        found = oe.compare(data, ["cem_ord"], over="task")
        held += truth in found.estimates["cem_ord"][names[0]]
        sets = found.rank_sets["cem_ord"]
        claimed += bool((found.separation[np.triu_indices(models, 1)] <= 0.05).any())
        # Of equal models every rank is right only if none is excluded from any.
        true = {m: models - i for i, m in enumerate(names)}
        right += all(equal or sets[m][0] <= true[m] <= sets[m][1] for m in names)
    where, kind = f"{models} models", "equal models" if equal else "different models"
    yield Rate("tasks, intervals", where, kind, held, data_sets, _HOLDS)
    if equal:
        size = Bound(0.0, 0.06)
        yield Rate("tasks, false claims", where, kind, claimed, data_sets, size)
    else:
        yield Rate("tasks, all ranks", where, kind, right, data_sets, Bound(0.94, 1.0))
