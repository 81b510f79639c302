"""Many raters with gaps, and a judge beside humans: intervals, false claims, the margin.

Raters err independently given the true class, and any rating may be missing. So the shares of pairs
of ratings are known, and with them the true value of every measure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from scipy.special import ndtr

import ordeval as oe
from benchmarks.coverage.bounds import Bound, Rate, of_judge, of_raters
from benchmarks.coverage.populations import (
    MANY,
    Design,
    Floats,
    Integers,
    Population,
    generator,
    mixed,
    predicted,
)
from benchmarks.coverage.stacks import LEVEL, same, some
from ordeval.inference.judges import Panel
from ordeval.measures import Metric
from ordeval.measures.raters import AGREEMENT, Tally, value_of

RATERS: Final = (3, 5)
SIZES: Final = (50, 200, 1000)
CLUSTERS: Final = (20, 50)
CLUSTER: Final = 10  # items of one
GAPS: Final = 0.2
JUDGED_BY: Final = ("weighted_kappa", "accuracy", "mean_absolute_error")
# Raters differ in how often they err, and in which direction.
_FALLS: Final = (1.2, 0.9, 1.5, 1.2, 1.0)
_LEANS: Final = (0.15, -0.4, 0.5, 0.0, -0.15)


def people(raters: int, design: Design) -> tuple[Population, ...]:
    """Raters of one population of items, each of whom errs in an own way."""
    each = zip(_FALLS[:raters], _LEANS[:raters], strict=True)
    return tuple(Population(5, design, fall, lean) for fall, lean in each)


def joint(a: Population, b: Population) -> Floats:
    """The shares (K, K) of the ratings of two raters."""
    return np.asarray(a.rows.T @ (a.shares[:, None] * b.rows))


def true_value(metric: Metric, raters: Sequence[Population]) -> float:
    """The value of a measure of many raters, any of whose ratings may be missing."""
    pairs = np.mean([joint(a, b) for a, b in itertools.permutations(raters, 2)], axis=0) * MANY
    used = np.array([p.joint.sum(axis=0) for p in raters]) * MANY
    return float(value_of(metric, Tally(pairs, pairs, used.mean(axis=0), used)))


def draw(
    raters: Sequence[Population], n: int, data_sets: int, rng: np.random.Generator, *,
    gaps: float = GAPS, clustered: bool = False,
) -> Integers:  # fmt: skip
    """Ratings (D, N, R) in positions, -1 where there is none."""
    alike = 0.3 if clustered else 0.0

    def normal() -> Floats:
        own = rng.standard_normal((data_sets, n))
        common = np.repeat(rng.standard_normal((data_sets, -(-n // CLUSTER))), CLUSTER, axis=1)
        return mixed(common[:, :n], own, alike)

    truth = np.searchsorted(np.cumsum(raters[0].shares)[:-1], ndtr(normal())).astype(np.int64)
    given = np.stack([predicted(p, truth, ndtr(normal())) for p in raters], axis=-1)
    return np.where(rng.random(given.shape) < gaps, -1, given)


def many(
    raters: int, n: int, design: Design, data_sets: int, seed: int, *, clusters: int = 0
) -> Iterator[Rate]:
    """Intervals of the measures of many raters, of items or of clusters of items."""
    rng = generator(seed, "raters", raters, n, design, clusters)
    each = people(raters, design)
    drawn = draw(each, n, data_sets, rng, clustered=bool(clusters))
    groups = np.repeat(np.arange(-(-n // CLUSTER)), CLUSTER)[:n] if clusters else None
    held, of = dict.fromkeys(AGREEMENT, 0), dict.fromkeys(AGREEMENT, 0)
    true = {name: true_value(oe.get_metric(name), each) for name in AGREEMENT}
    for codes in drawn:
        table = np.where(codes < 0, np.nan, codes)
        found = oe.Ratings(table, range(5), clusters=groups).agreement(level=LEVEL).intervals
        for name in AGREEMENT:
            of[name] += found[name].low == found[name].low
            held[name] += true[name] in found[name]
    what = f"{clusters} clusters" if clusters else f"{n:,} {design}"
    for name in AGREEMENT:
        bound = of_raters(clusters or n, design)
        yield Rate(f"raters, {raters} of them", name, what, held[name], of[name], bound)


def judged(
    kind: str, n: int, design: Design, data_sets: int, seed: int, *, clusters: int = 0,
    names: Sequence[str] = JUDGED_BY,
) -> Iterator[Rate]:  # fmt: skip
    """A judge beside three humans: as good as they are, or worse."""
    rng = generator(seed, "judges", kind, n, design, clusters)
    human = Population(5, design)
    judge = human if kind == "as good" else Population(5, design, 0.8, 0.3)
    drawn = draw((human,) * 3 + (judge,), n, data_sets, rng, clustered=bool(clusters))
    groups = np.repeat(np.arange(-(-n // CLUSTER)), CLUSTER)[:n] if clusters else None
    what = f"{clusters} clusters" if clusters else f"{n:,} {design}"
    for name in names:
        metric = oe.get_metric(name)
        ceiling, agreement = (
            float(metric.values((joint(human, other) * MANY)[None])[0]) for other in (human, judge)
        )
        true = {"ceiling": ceiling, "agreement": agreement, "gap": agreement - ceiling}
        margin = abs(true["gap"])
        held, claimed, shown = dict.fromkeys(true, 0), 0, {"by the interval": 0, "p <= 0.05": 0}
        checked = set(some(data_sets, rng, 1))
        for i, codes in enumerate(drawn):
            panel = Panel(humans=codes[:, :3], runs=codes[:, 3:], k=5, metric=metric, level=LEVEL,
                          cluster=groups)  # fmt: skip
            for part, value in true.items():
                held[part] += value in getattr(panel, part)
            claimed += 0.0 not in panel.gap
            if kind != "as good":
                gap = panel.gap
                low = gap.low if metric.greater_is_better else -gap.high
                shown["by the interval"] += low > -margin
                shown["p <= 0.05"] += panel.noninferior(margin) <= 0.05
            if i in checked:
                _same_as_public(panel, codes, name, groups)
        for part in true:
            bound = of_judge(clusters or n)
            yield Rate(f"judges, {kind}", f"{name}: {part}", what, held[part], data_sets, bound)
        if kind == "as good":
            yield Rate("judge claimed to differ", name, what, claimed, data_sets,
                       Bound(0.01, 0.075))  # fmt: skip
            continue
        for how, most in (("by the interval", 0.04), ("p <= 0.05", 0.07)):
            yield Rate(f"judge worse by the margin, {how}", name, what, shown[how], data_sets,
                       Bound(0.0, most))  # fmt: skip


def _same_as_public(panel: Panel, codes: Integers, name: str, groups: Integers | None) -> None:
    """The numbers of the simulation are those that users get."""
    table = np.where(codes < 0, np.nan, codes)
    ratings = oe.Ratings(table[:, :3], range(5), clusters=groups)
    public = oe.judge(ratings, {"judge": table[:, 3]}, name)
    for part, made in (("agreement", public.agreement["judge"]), ("gap", public.gap["judge"])):
        ours = getattr(panel, part)
        same(f"{name}, {part}", (ours.low, ours.high), (made.low, made.high))
