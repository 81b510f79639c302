"""Few clusters, and many small subgroups: what intervals and tests give away, beside what is known.

Items are prompts or patients with several answers each, sizes are Poisson, and how often a model
is right varies between clusters. What is known is the jackknife, which leaves out one cluster at a
time, with a t distribution; of subgroups, the chi-squared test of a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtri, stdtr, stdtrit

from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.populations import Floats, Integers, generator, mixed
from benchmarks.coverage.stacks import Ends, Names, measures
from ordeval.data.scale import Scale
from ordeval.inference.ends.links import link_of
from ordeval.inference.influence import contributions
from ordeval.inference.intervals import Estimation, Observed, interval_of
from ordeval.inference.samples import Sample
from ordeval.inference.subgroups import of_counts
from ordeval.measures import Metric

MEASURES: Final = ("accuracy", "cem_ord", "weighted_kappa", "average_mae")
_K: Final = 4
_LARGE: Final = 4_000  # clusters that show the true value
ALPHA: Final = 0.05


class Design(NamedTuple):
    """Clusters, the mean of their sizes, the accuracy, and the shares of the true classes."""

    clusters: int
    items: int
    right: float
    shares: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25)

    def __str__(self) -> str:
        rare = ", rare classes" if min(self.shares) < 0.1 else ""
        return f"{self.clusters} x {self.items}, {self.right:.0%} right{rare}"


RARE: Final = (0.6, 0.25, 0.1, 0.05)
DESIGNS: Final = (
    Design(12, 10, 0.75), Design(12, 40, 0.75), Design(25, 20, 0.80, RARE),
    Design(25, 10, 0.97), Design(12, 20, 0.97), Design(40, 10, 0.90, RARE),
    Design(50, 1, 0.80), Design(30, 3, 0.80),
)  # fmt: skip


def alone(design: Design, data_sets: int, seed: int, names: Names = MEASURES) -> Iterator[Rate]:
    """Intervals of one model, beside those of the jackknife."""
    rng = generator(seed, "few", design)
    samples = [_sample(design, (0.0,), rng) for _ in range(data_sets)]
    scale, how = Scale(range(_K)), Estimation()
    for metric in measures(names):
        truth = _true(design, metric)
        made = [
            interval_of(metric, Observed(s, scale, implied=False), contributions(metric, s), how)
            for s in samples
        ]
        ours = Ends(np.array([i.low for i in made]), np.array([i.high for i in made]))
        known = _jackknife_ends(metric, samples)
        bound = Bound(0.925, 1.0 if design.right > 0.95 else 0.985)
        row, column = metric.name, str(design)
        held = known.hold(truth)
        yield Rate("few clusters, one model", row, column, *ours.hold(truth), bound)
        yield Rate("few clusters, jackknife", row, column, *held)
        wider = ours.high - ours.low > 1.25 * (known.high - known.low)
        wide = int(wider.sum()) if held[0] >= 0.93 * held[1] else 0
        # The median of the ratios is at most 1.25.
        yield Rate("wider than 1.25 times", row, column, wide, data_sets, Bound(0.0, 0.5))


def apart(
    design: Design, data_sets: int, seed: int, names: Names = MEASURES
) -> Iterator[Rate | Amount]:
    """Two models on few clusters: size, and power beside that of the jackknife."""
    for better, table in ((0.0, "size"), (0.35, "power")):
        rng = generator(seed, "few, two", design, table)
        samples = [_sample(design, (better, 0.0), rng) for _ in range(data_sets)]
        for metric in measures(names):
            ours = np.array([contributions(metric, s) for s in samples], dtype=object)
            p = np.array([_p_value(metric, found) for found in ours])
            known = np.array([_jackknife_p(metric, s) for s in samples])
            hits, most = (int((x <= ALPHA).sum()) for x in (p, known))
            bound = Bound(0.0, 0.06)
            if table == "power":
                bound = Bound(0.9 * most / data_sets, 1.0, "the power of the jackknife")
            row, column = metric.name, str(design)
            yield Rate(f"few clusters, two models: {table}", row, column, hits, data_sets, bound)
            yield Rate(f"few clusters, jackknife: {table}", row, column, most, data_sets)


def _p_value(metric: Metric, found: object) -> float:
    from ordeval.inference.paired_tests import paired_test

    both = found.turned(metric)  # type: ignore[attr-defined]
    test = paired_test(metric, both, float(both.values[0] - both.values[1]), _K)
    return float(test.two_sided)


def _sample(design: Design, better: tuple[float, ...], rng: np.random.Generator) -> Sample:
    """Items of some models: how hard they are is partly the same, and partly that of clusters."""
    sizes = np.maximum(rng.poisson(design.items, design.clusters), 1)
    cluster = np.repeat(np.arange(design.clusters), sizes)
    n, models = len(cluster), len(better)
    truth = rng.choice(_K, n, p=np.array(design.shares))
    of_cluster: Floats = mixed(
        rng.standard_normal((design.clusters, 1)), rng.standard_normal((design.clusters, models)),
        0.5,
    )[cluster]  # fmt: skip
    item = mixed(rng.standard_normal((n, 1)), rng.standard_normal((n, models)), 0.5)
    hard = mixed(of_cluster, item, 0.15) - np.array(better)
    limit = float(ndtri(design.right))
    step = rng.choice([-1, 1], (n, models)) * np.where(rng.random((n, models)) < 0.2, 2, 1)
    moved = truth[:, None] + step
    moved = np.where((moved < 0) | (moved >= _K), truth[:, None] - np.sign(step), moved)
    given = np.where(hard > limit, np.clip(moved, 0, _K - 1), truth[:, None])
    return Sample(truth, given, np.ones(n, dtype=np.int64), _K, cluster=cluster)


def _true(design: Design, metric: Metric) -> float:
    many = _sample(design._replace(clusters=_LARGE), (0.0,), np.random.default_rng(1))
    return float(metric.values(many.matrices[0][None])[0])


def _jackknife(metric: Metric, sample: Sample) -> tuple[Floats, Floats]:
    """Values (M,), and those without one cluster at a time (G, M)."""
    assert sample.cluster is not None
    models = np.arange(sample.models)
    place = (sample.cluster[:, None] * sample.models + models) * _K**2 + sample.cells
    groups = int(sample.cluster.max()) + 1
    shape = groups, sample.models, _K, _K
    each: Integers = np.bincount(place.ravel(), minlength=int(np.prod(shape))).reshape(shape)
    whole = each.sum(axis=0)
    values = np.asarray(metric.values(whole.astype(np.float64)))
    return values, np.asarray(metric.values((whole - each).astype(np.float64)))


def _jackknife_ends(metric: Metric, samples: list[Sample]) -> Ends:
    """Intervals of t on the scale of the link."""
    ends = []
    for sample in samples:
        values, without = _jackknife(metric, sample)
        g, value = len(without), float(values[0])
        error = float(np.sqrt((g - 1) / g * ((without[:, 0] - without[:, 0].mean()) ** 2).sum()))
        link = link_of(metric, _K, value)
        inside = np.array([value])
        reach = stdtrit(g - 1, 0.975) * error * link.slope(inside)
        ends.append([float(link.back(link.there(inside) + side * reach)[0]) for side in (-1, 1)])
    low, high = np.array(ends).T
    return Ends(low, high)


def _jackknife_p(metric: Metric, sample: Sample) -> float:
    values, without = _jackknife(metric, sample)
    gap, others = values[0] - values[1], without[:, 0] - without[:, 1]
    g = len(others)
    error = float(np.sqrt((g - 1) / g * ((others - others.mean()) ** 2).sum()))
    return float(2 * stdtr(g - 1, -abs(gap) / error)) if error > 0 else 1.0


class Groups(NamedTuple):
    """Subgroups of one size, and by how much the accuracy of every other one is higher."""

    number: int
    items: int
    right: float
    apart: float

    def __str__(self) -> str:
        return f"{self.number} of {self.items}, {self.right:.0%} right, {self.apart:+.0%}"


SUBGROUPS: Final = (
    Groups(4, 50, 0.80, 0.20), Groups(10, 20, 0.90, 0.10), Groups(30, 10, 0.80, 0.20),
    Groups(10, 50, 0.96, 0.035), Groups(4, 100, 0.95, 0.05),
)  # fmt: skip


def heterogeneous(study: Groups, data_sets: int, seed: int) -> Iterator[Rate]:
    """Whether subgroups differ at all, beside the chi-squared test of right and wrong."""
    scale, how, (metric,) = Scale(range(3)), Estimation(), measures(["accuracy"])
    for gap, table in ((0.0, "size"), (study.apart, "power")):
        rng = generator(seed, "heterogeneous", study, table)
        ours = known = 0
        right = study.right + gap / 2 * np.where(np.arange(study.number) % 2, 1, -1)
        for _ in range(data_sets):
            joint = [_symmetric(x).ravel() for x in right]
            counts = np.stack([rng.multinomial(study.items, j).reshape(3, 3) for j in joint])
            found = of_counts((metric,), counts, scale, how)[metric.name]
            ours += bool(found.heterogeneity.p_value <= ALPHA)
            known += _chi_squared(counts) <= ALPHA
        bound = Bound(0.0, 0.07)
        if table == "power":
            bound = Bound(max(known / data_sets - 0.05, 0.0), 1.0, "the chi-squared test's power")
        name = f"heterogeneity: {table}"
        yield Rate(name, metric.name, str(study), ours, data_sets, bound)
        yield Rate(f"chi-squared: {table}", metric.name, str(study), known, data_sets)


def _symmetric(right: float) -> Floats:
    rows = np.full((3, 3), (1 - right) / 2)
    np.fill_diagonal(rows, right)
    return rows / 3


def _chi_squared(counts: Integers) -> float:
    hits, items = np.trace(counts, axis1=1, axis2=2), counts.sum(axis=(1, 2))
    share = hits.sum() / items.sum()
    if share in (0, 1):
        return 1.0
    statistic = ((hits - items * share) ** 2 / (items * share * (1 - share))).sum()
    return float(chdtrc(len(items) - 1, statistic))
