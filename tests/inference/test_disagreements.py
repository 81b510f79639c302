"""Differences of models that disagree on few items: their variance, and its power."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from benchmarks.coverage import correlated
from scipy.stats import binom

import ordeval as oe
from ordeval.inference.ends import signs
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.samples import Sample

pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
NAMES = ["weighted_kappa", "average_mae", "cem_ord", "kendall_tau_b"]


def drawn(seed: int, n: int = 60, k: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    near = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 2)), 0, k - 1)
    return truth, np.where(rng.random((n, 2)) < 0.7, truth[:, None], near)


def slow(metric: oe.Metric, sample: Sample) -> float:
    """The variance by its definition, item by item, with exchanged answers by hand."""
    found = contributions(metric, sample)
    table = found.disagreements.table  # type: ignore[union-attr]
    share, moved = sample.share, np.zeros(len(sample.truth))
    for i, (t, (a, b)) in enumerate(zip(sample.truth, sample.predictions, strict=True)):
        before = table[0, t, a] - table[1, t, b]
        after = table[0, t, b] - table[1, t, a]
        moved[i] = share[i] * (before - after) / 2
    one_more = (moved[np.abs(moved) > 1e-12] ** 2).mean()
    unit = np.arange(len(moved)) if sample.cluster is None else sample.cluster
    units = len(np.unique(unit))
    of_unit, size = np.bincount(unit, moved), np.bincount(unit, share)
    centred = of_unit - moved.sum() * size / size.sum()
    own = np.zeros(units)
    for i, (t, (a, b)) in enumerate(zip(sample.truth, sample.predictions, strict=True)):
        own[unit[i]] += share[i] * (table[0, t, a] - table[1, t, b])
    clusters = [len(set(unit[sample.truth == c])) for c in set(sample.truth.tolist())]
    alone = sample.cluster is not None and min(clusters) >= 5
    each = (own**2).sum() if alone else max((own**2).sum(), (centred**2).sum())
    return float(units / (units - 1) * each + one_more)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("design", ["items", "weights", "clusters", "a class in few clusters"])
def test_the_variance_is_that_of_the_definition(name: str, design: str) -> None:
    truth, predictions = drawn(3)
    n = len(truth)
    weight = np.random.default_rng(0).uniform(0.5, 2, n) if design == "weights" else None
    if design.startswith("a class"):
        truth[(truth == 3) & (np.arange(n) >= 16)] = 2
    cluster = np.arange(n) // 4 if "clusters" in design else None
    sample = Sample(truth, predictions, np.ones(n, dtype=np.int64), 4, weight, cluster)
    metric = oe.get_metric(name)
    found = contributions(metric, sample)
    assert found.by_t[0, 1] ** 2 == pytest.approx(slow(metric, sample))
    assert found.apart[0, 1] == found.apart[1, 0]
    assert found.apart[0, 0] == 0


def test_clustered_models_that_differ_clearly_are_found_as_by_the_jackknife() -> None:
    """Exchanging all answers of a cluster would see twice the variance that there is."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(25), 40)
    truth = rng.integers(0, 4, 1000)
    own = 0.5 * rng.normal(size=(25, 2))[cluster]
    good = truth + np.round(0.5 * rng.normal(size=1000) + 0.5 * own[:, 0])
    flat = np.round(0.3 * truth + 2.05 + own[:, 1] + 0.4 * rng.normal(size=1000))
    given = np.clip(np.stack([good, flat], axis=1), 0, 3).astype(np.int64)
    sample = Sample(truth, given, np.ones(1000, dtype=np.int64), 4, cluster=cluster)
    metric = oe.get_metric("weighted_kappa")

    def gap(rows: Any) -> float:
        a, b = (metric(truth[rows], p[rows], labels=range(4)) for p in given.T)
        return float(a - b)

    without = np.array([gap(cluster != c) for c in range(25)])
    jackknife = float(24 / 25 * ((without - without.mean()) ** 2).sum()) ** 0.5
    assert contributions(metric, sample).by_t[0, 1] == pytest.approx(jackknife, rel=0.05)


@pytest.mark.parametrize("name", [*NAMES, "mean_signed_error"])
def test_pairs_of_many_models_are_those_of_two(name: str) -> None:
    truth, predictions = drawn(1)
    _, more = drawn(2)
    three = np.column_stack([predictions, more[:, 0]])
    metric, ones = oe.get_metric(name), np.ones(len(truth), dtype=np.int64)
    found = contributions(metric, Sample(truth, three, ones, 4)).turned(metric)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        two = contributions(metric, Sample(truth, three[:, [i, j]], ones, 4)).turned(metric)
        assert two.apart[0, 1] == pytest.approx(found.apart[i, j])
        assert found.of([i, j]).apart[0, 1] == found.apart[i, j]


@pytest.mark.parametrize("name", NAMES)
def test_which_model_comes_first_does_not_matter(name: str) -> None:
    truth, predictions = drawn(5)
    a, b = predictions.T
    one = oe.paired_delta(name, truth, a, b, labels=range(4))
    other = oe.paired_delta(name, truth, b, a, labels=range(4))
    assert one.p_value == pytest.approx(other.p_value)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", ["weighted_kappa", "average_mae"])
def test_interval_test_and_margins_agree(name: str, seed: int) -> None:
    truth, predictions = drawn(seed, n=30)
    a, b = predictions.T
    found = oe.paired_delta(name, truth, a, b, labels=range(4))
    assert (found.p_value <= 0.05) == (not found.low <= 0 <= found.high)
    for margin in (0.05, 0.3):
        d = oe.paired_delta(name, truth, a, b, labels=range(4), margin=margin)
        if d.verdict == "non-inferior":
            assert d.p_noninferior is not None
            assert d.p_noninferior <= 0.025 + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_few_disagreements_have_the_p_value_of_all_their_signs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, numbers = rng.uniform(0.2, 3, 4), rng.integers(1, 4, 4).astype(float)
    each = np.repeat(sizes, numbers.astype(int))
    reached = float(each @ rng.choice([-1, 1], len(each), p=[0.3, 0.7]))
    sums = np.abs([np.dot(x, each) for x in itertools.product((-1, 1), repeat=len(each))])
    same = np.isclose(sums, abs(reached))
    slow = (sums[~same] > abs(reached)).sum() / len(sums) + same.mean() / 2
    assert signs.p_value(sizes, numbers, reached) == pytest.approx(slow)


def test_many_signs_are_nearly_those_of_draws() -> None:
    rng = np.random.default_rng(2)
    sizes, numbers = rng.exponential(size=30) ** 2, rng.integers(1, 5, 30).astype(float)
    each = np.repeat(sizes, numbers.astype(int))
    drawn = np.abs(rng.choice([-1, 1], (40_000, len(each))) @ each)
    for share in (0.5, 0.9, 0.99):
        reached = float(np.quantile(drawn, share))
        assert signs.p_value(sizes, numbers, reached) == pytest.approx(1 - share, abs=0.006)


def test_mcnemar_is_what_accuracy_is_tested_by() -> None:
    truth = np.zeros(40, dtype=int)
    first, second = (
        np.r_[np.ones(n), np.zeros(m), np.zeros(40 - n - m)] for n, m in ((2, 9), (0, 0))
    )
    second[2:11] = 1
    found = oe.paired_delta("accuracy", truth, first.astype(int), second.astype(int), labels=[0, 1])
    # Two against nine: the exact two-sided p-value less half of the chance of what was seen.
    assert found.p_value == pytest.approx(2 * (binom.cdf(2, 11, 0.5) - binom.pmf(2, 11, 0.5) / 2))


def test_the_power_of_correlated_models() -> None:
    """By the permutation of the answers within items, which is exact."""
    found = list(correlated.power("essay", 100, 120, 5, ("weighted_kappa", "average_mae")))
    ours = {r.row: r.share for r in found if r.table == "power of correlated models"}
    best = {r.row: r.share for r in found if r.table == "power of the permutation"}
    for name, share in ours.items():
        assert share >= 0.8 * best[name] - 0.05
        assert best[name] > 0.3


def test_the_size_of_correlated_models() -> None:
    found = list(correlated.size("retinopathy", 100, 300, 5))
    assert not [r for r in found if r.broken]
    assert max(r.share for r in found) > 0.01


@pytest.mark.parametrize("metric", ["cem_ord", "weighted_kappa", "average_mae"])
def test_of_models_far_apart_the_interval_is_that_of_draws(metric: str) -> None:
    """Answers of a model that always says the same would move much if they were exchanged."""
    rng = np.random.default_rng(4)
    truth = rng.choice(5, 600, p=[0.1, 0.2, 0.4, 0.2, 0.1])
    good = np.where(rng.random(600) < 0.5, truth, np.clip(truth + rng.choice([-1, 1], 600), 0, 4))
    constant = np.full(600, 2)
    made = oe.paired_delta(metric, truth, good, constant, labels=range(5))
    drawn = oe.paired_delta(
        metric, truth, good, constant, labels=range(5), method="percentile", rng=1
    )
    assert 0.9 < (made.high - made.low) / (drawn.high - drawn.low) < 1.25


@pytest.mark.parametrize("size", [1.0, 1 / 51, 0.1, 1 / 3, 1e-9])
def test_twenty_disagreements_of_one_size_are_enough(size: float) -> None:
    """Whether they count as few must not depend on how sums are rounded."""
    sizes = np.full(20, size)
    for moved in (sizes, sizes * (1 + 1e-15 * np.arange(20))):
        assert not signs.are_few((moved**2).sum(), (moved**4).sum())
        assert signs.are_few((moved[1:] ** 2).sum(), (moved[1:] ** 4).sum())
