"""Pairs of columns with gaps: values, contributions, covariance."""

import math
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.inference.influence import contributions
from ordeval.inference.raters.pairwise_influence import Pairings
from ordeval.inference.samples import Sample

NAMES = ("weighted_kappa", "accuracy", "mean_absolute_error", "cem_ord", "kendall_tau_b")


def draw(n: int, columns: int, *, k: int = 4, gaps: float = 0.2, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)[:, None] + rng.integers(-1, 2, (n, columns))
    return np.where(rng.random((n, columns)) < gaps, -1, np.clip(codes, 0, k - 1))


def test_matrices_are_counted_on_the_items_that_both_have() -> None:
    codes = draw(50, 3)
    pairs = [(0, 1), (2, 0), (1, 1)]
    found = Pairings(codes, pairs, 4)
    for (a, b), matrix, shared in zip(pairs, found.matrices, found.shared, strict=True):
        expected = np.zeros((4, 4), dtype=int)
        for row in codes:
            if row[a] >= 0 and row[b] >= 0:
                expected[row[a], row[b]] += 1
        assert (matrix == expected).all()
        assert shared == expected.sum()
    for name in NAMES:
        metric = oe.get_metric(name)
        each = [metric.from_confusion(m) for m in found.matrices]
        assert found.values(metric) == pytest.approx(each)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("clustered", [False, True])
def test_one_pair_without_gaps_is_a_sample(name: str, clustered: bool) -> None:
    codes, metric = draw(60, 2, gaps=0.0), oe.get_metric(name)
    cluster = np.arange(60) // 5 if clustered else None
    ours = Pairings(codes, [(0, 1)], 4, cluster).means(metric, [1.0])
    sample = Sample(codes[:, 0], codes[:, 1:], np.ones(60, dtype=np.int64), 4, None, cluster)
    theirs = contributions(metric, sample)
    for part in ("values", "centre", "bias", "covariance", "errors"):
        assert getattr(ours, part) == pytest.approx(getattr(theirs, part)), part
    assert ours.units == theirs.units


@pytest.mark.parametrize("name", NAMES)
def test_contributions_of_a_mean_are_what_items_change(name: str) -> None:
    """Without the pseudo-items: leave each item out of all pairs, and see how the mean moves."""
    codes, metric = draw(200, 3, seed=2), oe.get_metric(name)
    pairs, weight = [(0, 1), (0, 2), (1, 2)], np.array([0.5, 0.25, -1.0])
    found = Pairings(codes, pairs, 4).means(metric, weight)
    whole = weight @ Pairings(codes, pairs, 4).values(metric)
    assert found.values[0] == pytest.approx(whole)
    moved = []
    for i in range(200):
        rest = Pairings(np.delete(codes, i, axis=0), pairs, 4)
        moved.append(199 * (whole - weight @ rest.values(metric)))
    jackknife = np.std(moved, ddof=1) / math.sqrt(200)
    assert found.errors[0] == pytest.approx(jackknife, rel=0.08)
    parts = found.parts[:, 0] - found.parts[:, 0].mean()
    assert np.corrcoef(parts, moved)[0, 1] > 0.98


def test_several_means_share_one_covariance() -> None:
    codes, metric = draw(150, 4, seed=3), oe.get_metric("weighted_kappa")
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    humans, judge = np.array([1, 1, 1, 0, 0, 0]) / 3, np.array([0, 0, 0, 1, 1, 1]) / 3
    both = Pairings(codes, pairs, 4).means(metric, [humans, judge])
    gap = Pairings(codes, pairs, 4).means(metric, judge - humans)
    assert gap.values[0] == pytest.approx(both.values[1] - both.values[0])
    assert gap.centre[0] == pytest.approx(both.centre[1] - both.centre[0])
    turned = np.array([-1.0, 1.0])
    seen = both.units / (both.units - 1) * ((both.parts @ turned) ** 2).sum()
    assert gap.covariance[0, 0] - gap.pseudo[0, 0] == pytest.approx(seen)
    assert gap.covariance[0, 0] == pytest.approx(turned @ both.covariance @ turned)


def test_a_pseudo_item_is_missed_by_one_of_two_columns() -> None:
    """Pairs that share a column move together by half, others do not."""
    truth = np.random.default_rng(0).integers(0, 4, 60)
    codes, metric = np.stack([truth] * 4, axis=1), oe.get_metric("accuracy")
    found = Pairings(codes, [(0, 1), (0, 2), (2, 3)], 4).means(metric, np.eye(3))
    own = found.pseudo[0, 0]
    expected = own * np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    assert found.pseudo == pytest.approx(expected)


def test_clusters_of_one_item_are_no_clusters() -> None:
    codes, metric = draw(80, 3), oe.get_metric("weighted_kappa")
    pairs = [(0, 1), (0, 2), (1, 2)]
    alone = Pairings(codes, pairs, 4).means(metric, np.ones(3) / 3)
    rng = np.random.default_rng(0)
    told = Pairings(codes, pairs, 4, rng.permutation(80)).means(metric, np.ones(3) / 3)
    assert told.errors == pytest.approx(alone.errors)
    assert told.centre == pytest.approx(alone.centre)


def test_repeated_items_in_clusters_say_no_more_than_once() -> None:
    codes, metric = draw(40, 3), oe.get_metric("accuracy")
    pairs, weight = [(0, 1), (0, 2), (1, 2)], np.ones(3) / 3
    once = Pairings(codes, pairs, 4).means(metric, weight)
    again = Pairings(np.repeat(codes, 6, axis=0), pairs, 4, np.repeat(np.arange(40), 6))
    assert again.means(metric, weight).errors == pytest.approx(once.errors, rel=0.03)


def test_pairs_that_share_nothing_have_no_weight_and_no_part() -> None:
    codes = draw(30, 3, gaps=0.0)
    codes[:, 2] = -1
    found = Pairings(codes, [(0, 1), (0, 2)], 4)
    metric = oe.get_metric("weighted_kappa")
    assert math.isnan(found.values(metric)[1])
    assert found.means(metric, [1.0, 0.0]).values[0] == pytest.approx(found.values(metric)[0])
    nothing = Pairings(codes, [], 4)
    assert nothing.matrices.shape == (0, 4, 4)
    assert nothing.values(metric).shape == (0,)


def test_pairs_without_an_error_do_not_exclude_some() -> None:
    truth = np.random.default_rng(0).integers(0, 4, 60)
    codes, metric = np.stack([truth] * 3, axis=1), oe.get_metric("accuracy")
    found = Pairings(codes, [(0, 1), (0, 2), (1, 2)], 4)
    low, high = found.reach(metric, np.ones(3) / 3, 0.025)
    # Nothing was seen in 60: the upper end of Clopper and Pearson's interval.
    assert low == pytest.approx(0.025 ** (1 / 60))
    assert high == 1.0
