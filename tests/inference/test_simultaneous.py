"""Many models at once: p-values, ranks and the set of the best must not claim too much."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from ordeval.inference.many_models.simultaneous import (
    covariance_of,
    errors_of,
    gap_of,
    may_be_best,
    normal_draws,
    preferred,
    rank_sets,
    rank_shares,
    step_down,
    t_p_values,
)

Array = NDArray[Any]


def all_pairs(m: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(m), 2))


def covariance(m: int, correlation: float) -> Array:
    return correlation + (1 - correlation) * np.eye(m)


def test_one_pair_is_a_t_test() -> None:
    p = step_down(np.array([0.0, 2.5]), covariance(2, 0.5), 30, [(0, 1)])
    assert p[0] == pytest.approx(2 * stats.t.sf(2.5, 30))


@pytest.mark.parametrize("freedom", [8, 1000])
def test_independent_comparisons_with_one_model_against_quadrature(freedom: int) -> None:
    """Dunnett's test: the largest of several differences with a common model, as SciPy has it."""
    rng = np.random.default_rng(0)
    groups = [rng.normal(0.3 * i, 1, freedom // 4 + 1) for i in range(4)]
    pooled = np.mean([g.var(ddof=1) for g in groups])
    n = len(groups[0])
    centre = np.array([g.mean() for g in groups])
    pairs = [(1, 0), (2, 0), (3, 0)]
    ours = step_down(centre, np.eye(4) * pooled / n, 4 * (n - 1), pairs)
    theirs = stats.dunnett(*groups[1:], control=groups[0], rng=0).pvalue
    largest = int(np.argmin(theirs))
    # The first step is the single step.
    assert ours[largest] == pytest.approx(theirs[largest], abs=0.015)
    assert (ours <= theirs + 0.015).all()


def test_all_pairs_against_tukey() -> None:
    n, m = 20, 4
    centre = np.array([0.0, 0.1, 0.2, 0.75])
    cov = np.eye(m) / n
    freedom = m * (n - 1)
    p = step_down(centre, cov, freedom, all_pairs(m))
    widest = all_pairs(m).index((0, 3))
    q = 0.75 * np.sqrt(n)
    assert p[widest] == pytest.approx(stats.studentized_range.sf(q, m, freedom), abs=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_corrected_p_values_are_in_order_and_not_below_the_raw_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 9))
    root = rng.normal(size=(m, m))
    cov, centre, pairs = root @ root.T / m, rng.normal(size=m), all_pairs(m)
    p = step_down(centre, cov, 40, pairs)
    first, second = np.array(pairs).T
    raw = t_p_values(centre[first] - centre[second], errors_of(cov)[first, second], 40)
    assert (p >= raw).all()
    assert (p <= np.minimum(1, raw * len(pairs)) + 0.015).all()
    assert (np.diff(p[np.argsort(raw)]) >= 0).all()


@pytest.mark.parametrize("seed", range(10))
def test_adding_a_model_can_only_weaken_a_claim(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(9, 9))
    cov, centre = root @ root.T / 9, rng.normal(size=9)
    before: dict[tuple[int, int], float] = {}
    for m in range(2, 10):
        pairs = all_pairs(m)
        p = dict(zip(pairs, step_down(centre[:m], cov[:m, :m], 60, pairs).tolist(), strict=True))
        assert all(p[pair] >= value - 1e-12 for pair, value in before.items())
        before = p


def claims(m: int, gap: float, data_sets: int, seed: int) -> Array:
    """The smallest corrected p-value in data sets whose models differ by up to ``gap``, or not."""
    rng = np.random.default_rng(seed)
    cov = covariance(m, 0.6)
    root = np.linalg.cholesky(cov)
    found = []
    for _ in range(data_sets):
        centre = np.linspace(0, gap, m) + root @ rng.normal(size=m)
        found.append(step_down(centre, cov, 1e6, all_pairs(m)).min())
    return np.array(found)


@pytest.mark.parametrize("models", [3, 12])
def test_equal_models_are_separated_at_the_level(models: int) -> None:
    wrong = int((claims(models, 0.0, 300, seed=models) <= 0.05).sum())
    low, high = stats.binom.ppf([0.0005, 0.9995], 300, 0.05)
    assert low <= wrong <= high


def test_different_models_are_separated_the_more_they_differ() -> None:
    power = [(claims(5, gap, 60, seed=1) <= 0.05).mean() for gap in (0.0, 3.0, 6.0)]
    assert power[0] < power[1] < power[2]
    assert power[2] > 0.9


def test_copies_are_never_separated() -> None:
    cov = np.ones((3, 3)) * 0.01
    p = step_down(np.full(3, 0.1 + 0.2), cov, 50, all_pairs(3))
    np.testing.assert_allclose(p, 1)


def test_a_gap_without_spread_is_clear_and_no_gap_is_not() -> None:
    assert t_p_values([1.0, 0.0], [0.0, 0.0], 9).tolist() == [0.0, 1.0]
    assert t_p_values([1.0, -1.0], [0.0, 0.0], 9, sided=1).tolist() == [0.0, 1.0]


def test_what_rounding_leaves_is_no_gap_in_any_unit() -> None:
    for unit in (1e-12, 1.0, 1e12):
        a, b = unit * (0.1 + 0.2), unit * 0.3
        assert gap_of(a, b) == 0
        assert gap_of(a, b + 0.1 * unit) != 0
    assert np.isnan(gap_of(np.nan, 1.0))


def test_draws_have_the_covariance_and_a_model_s_own_column() -> None:
    cov = covariance(5, 0.4) * 0.01
    draws = normal_draws(cov)
    np.testing.assert_allclose(np.cov(draws), cov, atol=5e-4)
    np.testing.assert_allclose(draws[:3], normal_draws(cov[:3, :3]), rtol=1e-9)
    assert not normal_draws(np.zeros((2, 2))).any()


def test_the_set_of_the_best_holds_it_and_is_small() -> None:
    """20 models, the best clearly ahead of most: it stays in, and most others leave."""
    rng = np.random.default_rng(4)
    m, data_sets = 20, 200
    cov = covariance(m, 0.5)
    root = np.linalg.cholesky(cov)
    truth = np.r_[0.0, -0.5, np.linspace(-3, -8, m - 2)]
    inside, size = 0, 0
    for _ in range(data_sets):
        found = may_be_best(truth + root @ rng.normal(size=m), cov, 1e6, 0.95)
        inside += found[0]
        size += sum(found)
    assert inside >= stats.binom.ppf(0.001, data_sets, 0.95)
    assert size / data_sets < 5


def test_equal_models_all_may_be_best_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    m, data_sets = 8, 200
    cov = covariance(m, 0.0)
    kept = sum(may_be_best(rng.normal(size=m), cov, 1e6, 0.95)[0] for _ in range(data_sets))
    assert stats.binom.ppf(0.0005, data_sets, 0.95) <= kept


def test_one_model_may_be_best() -> None:
    assert may_be_best(np.array([0.3]), np.array([[0.1]]), 20, 0.95) == [True]


def test_rank_sets_by_hand() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, [2, 3]] = better[1, 3] = True
    assert rank_sets(better) == [(1, 2), (1, 3), (2, 4), (3, 4)]


def test_rank_shares_and_preferences() -> None:
    cov = np.eye(3) * 0.01
    shares = rank_shares(np.array([0.0, 1.0, 0.5]), cov)
    np.testing.assert_allclose(shares, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=0.01)
    sure = preferred(np.array([0.0, 0.1, 0.1]), errors_of(cov), 1e9)
    assert sure[1, 0] == pytest.approx(stats.norm.cdf(0.1 / np.sqrt(0.02)), abs=1e-4)
    np.testing.assert_allclose(sure + sure.T, 1)
    assert sure[1, 2] == 0.5


def test_a_covariance_has_the_errors_of_differences() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    errors = errors_of(root @ root.T)
    np.testing.assert_allclose(errors_of(covariance_of(errors)), errors)
    # Errors that no covariance has are met from above.
    odd = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 3.0], [1.0, 3.0, 0.0]])
    assert (errors_of(covariance_of(odd)) >= odd - 1e-9).all()
