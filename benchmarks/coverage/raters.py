"""Many raters with gaps, and a judge beside humans: intervals, false claims, the margin.

Raters err independently given the true class, and any rating may be missing. So the shares of pairs
of ratings are known, and with them the true value of every measure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

import ordeval as oe
from benchmarks.coverage.bounds import Rate, of_claims, of_margins, of_raters
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

Kind = Literal["as good", "worse"]

RATERS: Final = (3, 5)
KINDS: Final[tuple[Kind, ...]] = ("as good", "worse")
CLUSTERS: Final = (20, 50)
CLUSTER: Final = 10  # items of one
GAPS: Final = 0.2
JUDGED_BY: Final = ("weighted_kappa", "accuracy", "mean_absolute_error")
# Raters differ in how often they err, and in which direction.
_FALLS: Final = (1.2, 0.9, 1.5, 1.2, 1.0)
_LEANS: Final = (0.15, -0.4, 0.5, 0.0, -0.15)


class Where(NamedTuple):
    """A cell of the tables: so many items, or so many clusters of ten."""

    items: int
    design: Design = "balanced"
    clusters: int = 0

    def __str__(self) -> str:
        return f"{self.clusters} clusters" if self.clusters else f"{self.items:,} {self.design}"

    @property
    def units(self) -> int:
        """How many are independent."""
        return self.clusters or self.items

    @property
    def groups(self) -> Integers | None:
        """The cluster of each item."""
        return np.repeat(np.arange(self.clusters), CLUSTER) if self.clusters else None


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
    raters: Sequence[Population], where: Where, data_sets: int, rng: np.random.Generator
) -> Integers:
    """Ratings (D, N, R) in positions, -1 where there is none."""

    def normal() -> Floats:
        own = rng.standard_normal((data_sets, where.items))
        if not where.clusters:
            return own
        common = rng.standard_normal((data_sets, where.clusters))
        return mixed(np.repeat(common, CLUSTER, axis=1), own, 0.3)

    truth = np.searchsorted(np.cumsum(raters[0].shares)[:-1], ndtr(normal())).astype(np.int64)
    given = np.stack([predicted(p, truth, ndtr(normal())) for p in raters], axis=-1)
    return np.where(rng.random(given.shape) < GAPS, -1, given)


def many(raters: int, n: int, design: Design, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals of the measures of many raters."""
    yield from _many(raters, Where(n, design), data_sets, seed)


def clustered(raters: int, clusters: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """The same with clusters of items that are alike."""
    yield from _many(raters, Where(CLUSTER * clusters, clusters=clusters), data_sets, seed)


def _many(raters: int, where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    rng = generator(seed, "raters", raters, where)
    each = people(raters, where.design)
    held, of = dict.fromkeys(AGREEMENT, 0), dict.fromkeys(AGREEMENT, 0)
    true = {name: true_value(oe.get_metric(name), each) for name in AGREEMENT}
    for codes in draw(each, where, data_sets, rng):
        found = _ratings(codes, where).agreement(level=LEVEL).intervals
        for name in AGREEMENT:
            of[name] += found[name].low == found[name].low
            held[name] += true[name] in found[name]
    bound = of_raters(where.units, where.design)
    for name in AGREEMENT:
        yield Rate(f"raters, {raters} of them", name, str(where), held[name], of[name], bound)


def _ratings(codes: Integers, where: Where) -> oe.Ratings:
    return oe.Ratings(np.where(codes < 0, np.nan, codes), range(5), clusters=where.groups)


def judged(
    kind: Kind, n: int, design: Design, data_sets: int, seed: int, names: Sequence[str] = JUDGED_BY
) -> Iterator[Rate]:
    """A judge beside three humans: as good as they are, or worse."""
    for name in names:
        yield from _judged(name, kind, Where(n, design), data_sets, seed)


def judged_in_clusters(
    kind: Kind, clusters: int, data_sets: int, seed: int, names: Sequence[str] = JUDGED_BY
) -> Iterator[Rate]:
    """The same with clusters of items that are alike."""
    where = Where(CLUSTER * clusters, clusters=clusters)
    for name in names:
        yield from _judged(name, kind, where, data_sets, seed)


def _judged(name: str, kind: Kind, where: Where, data_sets: int, seed: int) -> Iterator[Rate]:
    rng = generator(seed, "judges", kind, where)
    human, metric = Population(5, where.design), oe.get_metric(name)
    judge = human if kind == "as good" else replace(human, fall=0.8, lean=0.3)
    ceiling, agreement = (
        float(metric.values((joint(human, other) * MANY)[None])[0]) for other in (human, judge)
    )
    true = {"ceiling": ceiling, "agreement": agreement, "gap": agreement - ceiling}
    drawn = draw((human, human, human, judge), where, data_sets, rng)
    whole = [
        Panel(humans=codes[:, :3], runs=codes[:, 3:], k=5, metric=metric, level=LEVEL,
              cluster=where.groups)
        for codes in drawn
    ]  # fmt: skip
    panels = [panel.answered() for panel in whole]
    for i in some(data_sets, rng, 1):
        _same_as_public(panels[i], drawn[i], where)
    bound = of_raters(where.units, where.design)
    for part, value in true.items():
        used = whole if part == "ceiling" else panels
        held = sum(value in getattr(panel, part) for panel in used)
        yield Rate(f"judges, {kind}", f"{name}, {part}", str(where), held, data_sets, bound)
    if kind == "as good":
        told = sum(0.0 not in panel.gap for panel in panels)
        bound = of_claims(where.units, where.design)
        yield Rate("judges told apart", name, str(where), told, data_sets, bound)
    else:
        yield from _by_margin(panels, abs(true["gap"]), name, where)


def _by_margin(panels: list[Panel], margin: float, name: str, where: Where) -> Iterator[Rate]:
    """How often a judge that is worse by just the margin is found non-inferior."""
    greater = oe.get_metric(name).greater_is_better
    worst = [panel.gap.low if greater else -panel.gap.high for panel in panels]
    shown = {
        "by the interval": (sum(low > -margin for low in worst), 0.025),
        "p <= 0.05": (sum(p.noninferior(margin) <= 0.05 for p in panels), 0.05),
    }
    for how, (hits, size) in shown.items():
        bound, table = of_margins(where.units, size), f"judges worse by the margin, {how}"
        yield Rate(table, name, str(where), hits, len(panels), bound)


def _same_as_public(panel: Panel, codes: Integers, where: Where) -> None:
    """The numbers of the simulation are those that users get."""
    answers = np.where(codes[:, 3] < 0, np.nan, codes[:, 3])
    public = oe.judge(_ratings(codes[:, :3], where), {"judge": answers}, panel.metric)
    for part, made in (("agreement", public.agreement["judge"]), ("gap", public.gap["judge"])):
        ours = getattr(panel, part)
        same(f"{panel.metric.name}, {part}", (ours.low, ours.high), (made.low, made.high))
