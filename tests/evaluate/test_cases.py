"""compare_cases: tests on ranks against slow definitions, SciPy and Demšar 2006."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

import ordeval as oe
from ordeval._shared import text
from ordeval.evaluate.given_scores.cases import _nemenyi
from ordeval.inference.given_scores import rank_tests
from ordeval.inference.given_scores.practical_equivalence import signed_rank_chances
from ordeval.inference.given_scores.rank_tests import friedman, iman_davenport, signed_rank
from ordeval.inference.many_models.ranking import cliques

# Scores of four models on 14 data sets whose mean ranks are those of the example of Demšar 2006,
# section 3.2.2; the scores themselves are not quoted from there.
DEMSAR = {
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619,
             0.972, 0.957],
    "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666,
               0.981, 0.978],
    "C4.5+cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.000, 0.965, 0.614,
                0.9751, 0.946],
    "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.000, 0.962,
                  0.669, 0.975, 0.970],
}  # fmt: skip
# Demšar 2006, Table 5(a).
CRITICAL = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102,
            10: 3.164}  # fmt: skip


def made_up(models: int, cases: int, step: float, seed: int = 0) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    return {f"m{i}": rng.normal(-step * i, 1, cases) for i in range(models)}


def test_the_ranks_of_the_published_example() -> None:
    """Mean ranks 3.143, 2.000, 2.893 and 1.964 and chi-squared 9.28 (with ties in the data)."""
    result = oe.compare_cases(DEMSAR)
    ranks = dict(zip(result.models, result.mean_ranks, strict=True))
    expected = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    for name, rank in expected.items():
        assert ranks[name] == pytest.approx(rank, abs=0.0006), name
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    # The paper does not correct for ties; dividing by the correction gives the statistic here.
    plain = 12 * 14 / (4 * 5) * (sum(r**2 for r in ranks.values()) - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert result.statistic >= plain
    assert result.cases == 14


@pytest.mark.parametrize(("k", "q"), CRITICAL.items())
def test_critical_values(k: int, q: float) -> None:
    _, difference = _nemenyi(np.arange(k, dtype=float), 30, 0.95)
    assert difference / math.sqrt(k * (k + 1) / (6 * 30)) == pytest.approx(q, abs=0.0011)


# Friedman's test


@pytest.mark.parametrize("cases", [4, 20, 200])
@pytest.mark.parametrize("step", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("rounding", [0, 12])
def test_the_statistic_is_that_of_scipy(cases: int, step: float, rounding: int) -> None:
    scores = {m: x.round(rounding) for m, x in made_up(5, cases, step).items()}
    expected = stats.friedmanchisquare(*scores.values()).statistic
    assert oe.compare_cases(scores, n_resamples=9).statistic == pytest.approx(expected)


def ranks_of(scores: Any) -> NDArray[Any]:
    return np.asarray(stats.rankdata(scores, axis=1))


def slow_friedman(ranks: NDArray[Any]) -> float:
    """Share of all orders within all cases whose mean ranks differ as much or more."""

    def spread(rows: Any) -> float:
        sums = [sum(column) for column in zip(*rows, strict=True)]
        return sum((x - sum(sums) / len(sums)) ** 2 for x in sums)

    orders = [list(itertools.permutations(row)) for row in ranks.tolist()]
    found = [spread(rows) >= spread(ranks.tolist()) - 1e-9 for rows in itertools.product(*orders)]
    return sum(found) / len(found)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("cases", "models"), [(3, 3), (5, 3), (3, 4)])
@pytest.mark.parametrize("levels", [2, 4, 1000])
def test_the_exact_p_value_by_enumeration(cases: int, models: int, levels: int, seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, levels, (cases, models))
    found = friedman(ranks_of(scores), 9, np.random.default_rng(0))
    assert found.p_value == pytest.approx(slow_friedman(ranks_of(scores)))
    assert found.distribution == "exact"


# Tables of Friedman's test: the largest statistic, which needs all cases in the same order.
@pytest.mark.parametrize(("cases", "models"), [(3, 3), (4, 3), (10, 3), (5, 4), (4, 5), (3, 6)])
def test_all_cases_in_the_same_order(cases: int, models: int) -> None:
    ranks = np.tile(np.arange(1.0, models + 1), (cases, 1))
    found = friedman(ranks, 9, np.random.default_rng(0))
    assert found.statistic == pytest.approx(cases * (models - 1))
    assert found.p_value == pytest.approx(math.factorial(models) ** (1.0 - cases))


def test_random_permutations_come_near_to_the_exact_p_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(5):
        ranks = ranks_of(np.random.default_rng(seed).normal([0, 0.4, 0.8, 1.2], 1, (6, 4)))
        exact = friedman(ranks, 9, np.random.default_rng(0)).p_value
        with monkeypatch.context() as patch:
            patch.setattr(rank_tests, "_MOST_STEPS", 0)
            found = friedman(ranks, 9999, np.random.default_rng(0))
        assert found.distribution == "permutations"
        error = math.sqrt(exact * (1 - exact) / 9999)
        assert abs(found.p_value - exact) < 4 * error + 1e-4


def test_random_permutations_count_what_was_seen() -> None:
    ranks = np.tile(np.arange(1.0, 10), (8, 1))
    assert friedman(ranks, 99, np.random.default_rng(0)) == (64.0, 0.01, "permutations")


@pytest.mark.parametrize("step", [0.0, 0.1, 0.3])
def test_iman_and_davenport_by_hand(step: float) -> None:
    scores = made_up(6, 60, step)
    result = oe.compare_cases(scores)
    chi_squared = stats.friedmanchisquare(*scores.values()).statistic
    f = 59 * chi_squared / (60 * 5 - chi_squared)
    assert result.distribution == "F"
    assert result.p_value == pytest.approx(stats.f.sf(f, 5, 5 * 59))


def test_iman_and_davenport_of_the_published_example() -> None:
    """Demšar 2006, section 3.2.2: 9.28 gives F = 3.69 with 3 and 39 degrees of freedom."""
    assert iman_davenport(9.28, 14, 4) == pytest.approx(stats.f.sf(3.69, 3, 39), rel=0.005)
    assert iman_davenport(9.28, 14, 4) < 0.05


def test_no_p_value_is_zero() -> None:
    """F would be infinite where all cases agree; 6 orders of 3 models bound what is possible."""
    assert iman_davenport(2.0 * 40, 40, 3) == pytest.approx(6.0**-39)
    result = oe.compare_cases({m: np.arange(200) + 0.1 * i for i, m in enumerate("abc")})
    assert result.distribution == "F"
    assert result.p_value > 0
    assert "p < 0.0001" in result.conclusion()


def rejected(p_values: list[float]) -> float:
    return float(np.mean(np.asarray(p_values) <= 0.05))


RUNS = 1000
BOUND = 0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS)


def by_chance(cases: int, models: int, rng: np.random.Generator) -> NDArray[Any]:
    return np.asarray(rng.random((RUNS, cases, models)).argsort(axis=2) + 1.0)


@pytest.mark.parametrize(("cases", "models"), [(3, 3), (4, 4), (4, 9)])
def test_models_that_do_not_differ_are_told_apart_as_rarely_as_promised(
    cases: int, models: int
) -> None:
    rng = np.random.default_rng(1)
    found = [friedman(ranks, 199, rng).p_value for ranks in by_chance(cases, models, rng)]
    assert 0.015 < rejected(found) <= BOUND


def test_the_bound_is_one_that_approximations_break() -> None:
    """F finds four times too much over three cases, and chi-squared nothing at 0.01."""
    rng = np.random.default_rng(1)
    found = [friedman(ranks, 1, rng).statistic for ranks in by_chance(3, 3, rng)]
    assert rejected([iman_davenport(x, 3, 3) for x in found]) > 3 * 0.05 > BOUND
    assert min(stats.chi2.sf(found, 2)) > 0.01


# Wilcoxon's test


def slow_signed_rank(differences: Any) -> float:
    """Twice the share of all signs whose smaller sum of ranks is on this side and as small."""
    apart = [x for x in differences if x != 0]
    size = stats.rankdata(np.abs(apart)).tolist()
    observed = min(
        sum(r for r, x in zip(size, apart, strict=True) if x > 0),
        sum(r for r, x in zip(size, apart, strict=True) if x < 0),
    )
    sums = [
        sum(r for r, sign in zip(size, signs, strict=True) if sign)
        for signs in itertools.product([False, True], repeat=len(size))
    ]
    return min(1.0, 2 * sum(x <= observed + 1e-9 for x in sums) / len(sums))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("levels", [2, 3, 6, 1000])
def test_signed_ranks_by_enumeration(levels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    differences = rng.integers(-levels, levels + 2, 9).astype(float)
    assert signed_rank(differences).p_value == pytest.approx(slow_signed_rank(differences))


@pytest.mark.parametrize("cases", [3, 10, 40])
def test_signed_ranks_without_ties_are_those_of_scipy(cases: int) -> None:
    a, b = made_up(2, cases, 0.5, seed=3).values()
    theirs = stats.wilcoxon(a, b, method="exact")
    assert signed_rank(a - b) == pytest.approx((*theirs, "exact"))


def test_signed_ranks_of_many_cases_are_normal() -> None:
    a, b = (x.round(1) for x in made_up(2, 300, 0.1, seed=3).values())
    found = signed_rank(np.round(a - b, 6))
    theirs = stats.wilcoxon(np.round(a - b, 6))
    assert found == pytest.approx((*theirs, "normal"))


def test_two_models_by_the_published_example() -> None:
    """Demšar 2006, section 3.1.3: rank sums 93 and 12, which he calls significant at 0.05.

    He splits the ranks 1.5 and 1.5 of two cases without a difference. Without those cases the ranks
    7 and 3.5 of the two that C4.5 wins are 5 and 1.5.
    """
    result = oe.compare_cases({m: DEMSAR[m] for m in ("C4.5", "C4.5+m")})
    assert result.models == ("C4.5+m", "C4.5")
    assert result.statistic == 12 - 1.5 - 2 * 2 == 6.5
    assert result.conclusion() == (
        "C4.5+m is significantly better than C4.5 (14 cases, Wilcoxon signed-rank test, p = "
        "0.0073, exact): C4.5+m wins 10, loses 2 and ties 2."
    )
    assert result.p_value == pytest.approx(
        slow_signed_rank(np.round(np.subtract(DEMSAR["C4.5+m"], DEMSAR["C4.5"]), 9))
    )
    np.testing.assert_array_equal(result.wins, [[0, 10], [2, 0]])
    assert result.method == "wilcoxon"
    assert math.isnan(result.critical_difference)
    assert result.cliques == ()


def test_equal_decimals_tie() -> None:
    """In binary 0.81 - 0.80 is not 0.06 - 0.05."""
    scores = {"a": [0.81, 0.06, 0.75, 0.3, 0.9, 0.7], "b": [0.80, 0.05, 0.74, 0.29, 0.91, 0.69]}
    result = oe.compare_cases(scores)
    assert result.statistic == 3.5
    assert result.p_value == pytest.approx(slow_signed_rank([1, 1, 1, 1, -1, 1]))
    tied = oe.compare_cases({"a": [0.1 + 0.2] * 3, "b": [0.3] * 3, "c": [0.0] * 3})
    assert tied.mean_ranks.tolist() == [1.5, 1.5, 3]


def test_of_two_models_the_first_is_the_one_that_signed_ranks_favour() -> None:
    """One wins most cases by a little, the other wins by far."""
    scores = {"often": [1.01, 1.02, 1.03, 1.04, 0, 0, 0], "far": [1, 1, 1, 1, 3, 4, 5]}
    result = oe.compare_cases(scores)
    assert result.models == ("far", "often")
    assert result.mean_ranks[0] > result.mean_ranks[1]
    assert "far wins 3, loses 4" in result.conclusion()
    assert result.table().rows[1][1].best
    again = oe.compare_cases(dict(reversed(scores.items())))
    assert again.to_json() == result.to_json()


def test_two_models_over_too_few_cases() -> None:
    result = oe.compare_cases({"a": [1, 2, 3, 4], "b": [0, 1, 1, 1]})
    assert result.conclusion() == (
        "No significant difference between a and b (4 cases, Wilcoxon signed-rank test, p = "
        "0.1250, exact): a wins 4, loses 0. This does not show that they are equal. With 4 "
        "cases, signed-rank tests cannot be significant: even if one model always won, p would be "
        "0.125."
    )
    six = oe.compare_cases({"a": range(1, 7), "b": [0] * 6})
    assert six.p_value == 2 / 64
    assert "cannot" not in six.conclusion()


def test_pairs_over_too_few_cases() -> None:
    scores = {m: np.arange(6) + i for i, m in enumerate("abc")}
    assert oe.compare_cases(scores, method="wilcoxon").conclusion().endswith(
        "With 6 cases, signed-rank tests cannot be significant: even if one model always won, p, "
        "corrected for 3 pairs, would be 0.0938."
    )  # fmt: skip
    assert "With 6" not in oe.compare_cases(scores).conclusion()


def test_two_models_are_told_apart_as_rarely_as_promised() -> None:
    """Random signs of tied sizes; the normal approximation, say, would break one of the bounds."""
    rng = np.random.default_rng(0)
    runs = 2000
    tables = rng.integers(1, 4, (runs, 9)) * rng.choice([-1.0, 1.0], (runs, 9))
    share = rejected([signed_rank(x).p_value for x in tables])
    assert 0.02 < share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


# What matters in practice


def slow_chances(differences: Any, rope: float, draws: int) -> list[float]:
    """Benavoli et al. 2017: a prior of weight 0.5 on a difference of zero."""
    rng = np.random.default_rng(12)
    z = [0.0, *differences]
    won = [0, 0, 0]
    for _ in range(draws):
        w = rng.dirichlet([0.5, *[1.0] * len(differences)])
        mass = [0.0, 0.0, 0.0]
        for (x, wx), (y, wy) in itertools.product(zip(z, w, strict=True), repeat=2):
            side = 0 if x + y < -2 * rope - 1e-9 else 2 if x + y > 2 * rope + 1e-9 else 1
            mass[side] += wx * wy
        won[mass.index(max(mass))] += 1
    return [x / draws for x in won]


@pytest.mark.parametrize("rope", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("cases", [4, 9])
def test_the_bayesian_signed_rank_test_by_its_definition(cases: int, rope: float) -> None:
    differences = np.random.default_rng(cases).integers(-2, 5, cases) / 2
    (found,) = signed_rank_chances(differences[:, None], rope, 9999, np.random.default_rng(0))
    assert found == pytest.approx(slow_chances(differences, rope, 1000), abs=0.05)
    assert sum(found) == pytest.approx(1)


def test_probabilities_of_a_pair_are_those_of_the_pair_reversed() -> None:
    result = oe.compare_cases(made_up(4, 12, 1.0), rope=0.3, rng=0)
    for a, b in itertools.permutations(result.models, 2):
        assert result.chances(a, b) == result.chances(b, a)[::-1]
        assert sum(result.chances(a, b)) == pytest.approx(1)
    assert result.chances("m0", "m3").better > 0.99
    assert result.chances("m3", "m0").worse > 0.99


def test_a_wide_rope_makes_all_equivalent_and_none_makes_nothing() -> None:
    scores = made_up(3, 10, 2.0)
    wide = oe.compare_cases(scores, rope=100, rng=0)
    assert (wide.equivalent == 1).all()
    assert np.isnan(oe.compare_cases(scores).equivalent).all()
    assert np.isnan(oe.compare_cases(scores).better).all()


def test_a_difference_as_large_as_the_rope_is_within_it() -> None:
    """However it is rounded: 0.81 - 0.80 is more than 0.01."""
    scores = {"a": [0.81, 0.06, 0.75, 0.3], "b": [0.80, 0.05, 0.74, 0.29]}
    assert oe.compare_cases(scores, rope=0.01, rng=0).chances("a", "b") == (0, 1, 0)
    assert oe.compare_cases(scores, rope=0.0099, rng=0).chances("a", "b").better > 0.8
    for nearly in (0.01 - 1e-10, 0.01 + 1e-10):
        gains = np.array([[nearly, -nearly]] * 4)
        equivalent = signed_rank_chances(gains, 0.01, 99, np.random.default_rng(0))
        assert equivalent == [(0, 1, 0), (0, 1, 0)]


def test_no_difference_is_equivalent_though_every_difference_matters() -> None:
    none = signed_rank_chances(np.zeros((5, 1)), 0.0, 99, np.random.default_rng(0))
    assert none == [(0, 1, 0)]
    both = np.array([[1.0, -1.0], [-1.0, 1.0]] * 3)
    first, second = signed_rank_chances(both, 0.0, 9999, np.random.default_rng(0))
    assert first == second[::-1]
    assert first.equivalent > 0.4


def test_in_practice_the_direction_of_a_loss_counts() -> None:
    scores = {"a": [0.2, 0.3, 0.1, 0.25, 0.2], "b": [0.5, 0.6, 0.4, 0.45, 0.7]}
    loss = oe.compare_cases(scores, metric="average_mae", rope=0.01, rng=0)
    assert loss.models == ("a", "b")
    assert loss.chances("a", "b").better > 0.95
    assert oe.compare_cases(scores, rope=0.01, rng=0).chances("a", "b").worse > 0.95


def test_what_is_said_in_practice() -> None:
    base = np.linspace(0.5, 0.7, 12)
    scores = {
        "a": base + 0.1,
        "b": base + 0.099,
        "c": base,
        "d": base + 0.07 * np.resize([1, 0], 12),
    }
    text = oe.compare_cases(scores, rope=0.01, rng=0).conclusion()
    assert text.endswith(
        " Bayesian signed-rank test: if differences up to 0.01 do not matter, a is better than "
        "d (probability 1.00) and c (probability 1.00) and equivalent to b (probability 1.00)."
    )
    unsure = oe.compare_cases({"a": [3, 1, 2, 4], "b": [2, 2, 1, 5]}, rope=0, rng=0).conclusion()
    assert (
        "Bayesian signed-rank test: if every difference matters, no conclusion at 95% about "
        "a against b (better 0." in unsure
    )


def test_the_same_seed_gives_the_same_result() -> None:
    scores = made_up(7, 12, 0.2)
    first, again = (oe.compare_cases(scores, rope=0.1, rng=3) for _ in range(2))
    assert first.distribution == "permutations"
    assert first.to_json() == again.to_json()
    other = oe.compare_cases(scores, rope=0.1, rng=4)
    assert first.p_value != other.p_value
    assert (first.better != other.better).any()


# Pairs of three and more models


def test_nemenyi_p_values_fit_the_critical_difference() -> None:
    result = oe.compare_cases(made_up(6, 25, 0.4))
    gaps = np.abs(result.mean_ranks[:, None] - result.mean_ranks)
    off = ~np.eye(6, dtype=bool)
    beyond = gaps[off] > result.critical_difference
    np.testing.assert_array_equal(result.pair_p_values[off] < 0.05, beyond)
    assert beyond.any()
    assert not beyond.all()
    error = math.sqrt(6 * 7 / (6 * 25))
    expected = stats.studentized_range.sf(gaps[0, 5] / error * math.sqrt(2), 6, np.inf)
    assert result.pair_p_values[0, 5] == pytest.approx(expected)
    np.testing.assert_array_equal(np.diagonal(result.pair_p_values), 1)


def test_wilcoxon_with_holm() -> None:
    scores = made_up(4, 15, 0.6, seed=1)
    result = oe.compare_cases(scores, method="wilcoxon")
    pairs = list(itertools.combinations(range(4), 2))
    by = [scores[m] for m in result.models]
    raw = [stats.wilcoxon(by[i], by[j]).pvalue for i, j in pairs]
    for (i, j), p in zip(pairs, oe.holm(raw), strict=True):
        assert result.pair_p_values[i, j] == result.pair_p_values[j, i] == pytest.approx(p)
    assert math.isnan(result.critical_difference)


def test_equal_models_are_not_separated_by_wilcoxon() -> None:
    scores = made_up(2, 12, 3.0)
    result = oe.compare_cases({**scores, "copy": scores["m0"]}, method="wilcoxon")
    i, j = result.models.index("m0"), result.models.index("copy")
    assert result.pair_p_values[i, j] == 1.0


@pytest.mark.parametrize(
    ("separated", "expected"),
    [
        ([], [(0, 1, 2, 3)]),
        ([(0, 3)], [(0, 1, 2), (1, 2, 3)]),
        ([(0, 2), (0, 3), (1, 3)], [(0, 1), (1, 2), (2, 3)]),
        ([(0, 1), (0, 2), (0, 3)], [(1, 2, 3)]),
        ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], []),
    ],
)
def test_cliques(separated: list[tuple[int, int]], expected: list[tuple[int, ...]]) -> None:
    joined = np.ones((4, 4), dtype=bool)
    for i, j in separated:
        joined[i, j] = joined[j, i] = False
    assert [tuple(c) for c in cliques(joined)] == expected


def test_cliques_hold_models_that_are_not_separated() -> None:
    result = oe.compare_cases(made_up(6, 25, 0.4))
    number = {m: i for i, m in enumerate(result.models)}
    for clique in result.cliques:
        rows = [number[m] for m in clique]
        assert (result.pair_p_values[np.ix_(rows, rows)] > 0.05).all()
        assert rows == list(range(rows[0], rows[-1] + 1))


def test_the_direction_of_a_loss() -> None:
    scores = {m: 1 / (1 + np.exp(-x)) for m, x in made_up(3, 20, 1.5).items()}
    up = oe.compare_cases(scores)
    assert up.models == ("m0", "m1", "m2")
    assert oe.compare_cases(scores, metric="accuracy").models == up.models
    assert oe.compare_cases(scores, metric="mean_absolute_error").models == up.models[::-1]
    assert oe.compare_cases(scores, greater_is_better=False).models == up.models[::-1]
    agreeing = oe.compare_cases(scores, metric="oc_index", greater_is_better=False)
    assert agreeing.models == up.models[::-1]
    assert oe.compare_cases(scores, metric=oe.oc_index).models == up.models[::-1]


def test_a_two_sided_measure_is_ranked_by_its_distance_to_the_best() -> None:
    scores = {"low": [-0.9] * 5, "near": [0.1] * 5, "high": [0.5] * 5}
    assert oe.compare_cases(scores, metric="mean_signed_error").models == ("near", "high", "low")


def test_ties_share_a_rank() -> None:
    result = oe.compare_cases({"a": [1, 1, 1, 2], "b": [1, 1, 1, 1], "c": [0, 0, 0, 0]})
    assert dict(zip(result.models, result.mean_ranks.tolist(), strict=True)) == {
        "a": 1.375, "b": 1.625, "c": 3.0,
    }  # fmt: skip


def test_a_frame_is_read_by_column() -> None:
    scores = made_up(4, 10, 1.0)
    frame = oe.compare_cases(pd.DataFrame(scores))
    assert frame.models == oe.compare_cases(scores).models
    assert frame.p_value == oe.compare_cases(scores).p_value


def test_the_level() -> None:
    strict, loose = (oe.compare_cases(made_up(5, 20, 0.5), level=x) for x in (0.99, 0.8))
    assert strict.critical_difference > loose.critical_difference


def test_conclusions() -> None:
    alike = oe.compare_cases(made_up(4, 20, 0.0)).conclusion()
    assert alike == (
        "The 4 models do not differ significantly (20 cases, Friedman test, p = 0.4534, exact)."
    )
    many = oe.compare_cases(made_up(6, 90, 0.0)).conclusion()
    assert many.endswith(", F approximation).")
    drawn = oe.compare_cases(made_up(8, 10, 0.0), n_resamples=1999, rng=0).conclusion()
    assert drawn.endswith(", 1,999 random permutations).")
    two = oe.compare_cases(made_up(2, 300, 0.0)).conclusion()
    assert ", normal approximation): m" in two
    clear = oe.compare_cases(made_up(3, 30, 4.0)).conclusion()
    assert "m0 has the best mean rank, 1.00. It is significantly better than all others." in clear
    some = oe.compare_cases(made_up(5, 20, 0.7))
    mates = [c for c in some.cliques if some.models[0] in c]
    assert mates
    assert (
        f"It does not differ significantly from {text.joined(mates[0][1:])}." in some.conclusion()
    )


def test_a_model_that_is_not_the_neighbour_may_still_not_be_separated() -> None:
    """By Wilcoxon's test the first can be separated from the second and not from the third."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=30)
    scores = {
        "first": base + 1.0,
        "second": base + 0.8,  # always a little less
        "third": base
        + np.where(np.arange(30) % 3 == 0, 6.0, 0.0),  # mostly less, at times far more
        "fourth": base - 9.0,
    }
    result = oe.compare_cases(scores, method="wilcoxon")
    p = {m: result.pair_p_values[0, i] for i, m in enumerate(result.models)}
    assert result.models[0] == "first"
    assert p["second"] < 0.05 < p["third"]
    assert "separated from all others" not in result.conclusion()
    assert "third" in result.conclusion()


def test_tables() -> None:
    result = oe.compare_cases({"<b>a": [3, 3, 3], "b": [2, 2, 2], "c": [1, 1, 1]})
    assert repr(result).splitlines()[0].split() == ["model", "mean", "rank", "not", "separated"]
    assert "&lt;b&gt;a" in result._repr_html_()
    assert result.conclusion() in " ".join(repr(result).split())


def test_tables_of_what_matters_in_practice() -> None:
    result = oe.compare_cases({"<b>a": [3, 3, 3], "b": [2, 2, 2], "c": [1, 1, 1]}, rope=1, rng=0)
    ranks, practical = result.tables()
    assert ranks.notes == ()
    assert practical.head == ("pair", "P(worse)", "P(equivalent)", "P(better)")
    assert [row[0].text for row in practical.rows] == ["<b>a − b", "<b>a − c", "b − c"]
    assert [cell.text for cell in practical.rows[0]][1:] == ["0.00", "1.00", "0.00"]
    assert " ".join(repr(result).split()).endswith(result.conclusion())
    assert result.table().notes == (result.conclusion(),)
    pairs = json.loads(result.to_json())["pairs"]
    assert pairs[0] == {
        "a": "<b>a", "b": "b", "wins": 3, "losses": 0,
        "p_value": pytest.approx(result.pair_p_values[0, 1]), "probability_worse": 0.0,
        "probability_equivalent": 1.0, "probability_better": 0.0,
    }  # fmt: skip


def test_scores_that_are_all_alike() -> None:
    result = oe.compare_cases({m: [0.5] * 4 for m in "abc"})
    assert "do not differ significantly" in result.conclusion()
    assert "nan" not in result.conclusion()
    assert result.cliques == (("a", "b", "c"),)


TWO = {"a": [0.4, 0.5, 0.6], "b": [0.1, 0.2, 0.3]}
BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "one model": (
        {"a": [1, 2, 3]},
        {},
        "compare_cases needs at least 2 models and 3 cases; got 1 model and 3 cases.",
    ),
    "no model": (
        {}, {}, "compare_cases needs at least 2 models and 3 cases; got 0 models and 0 cases.",
    ),
    "two cases": (
        {m: [1, 2] for m in "abc"},
        {},
        "compare_cases needs at least 2 models and 3 cases; got 3 models and 2 cases.",
    ),
    "lengths": (
        {"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2]},
        {},
        "every model needs one score for each case; got 3 of a, 3 of b, 2 of c.",
    ),
    "text": (
        {"a": [1, 2, 3], "b": ["x", "y", "z"]},
        {},
        "the scores of model b must be numbers, one per case; got ['x', 'y', 'z'].",
    ),
    "folds": (
        {"a": np.ones((5, 10)), "b": np.ones((5, 10))},
        {},
        ("the scores of model a must be one per case; got an array of shape (5, 10). For repeats "
         "and folds of one data set call oe.compare_folds()."),
    ),
    "names": (
        {1: [1, 2, 3], "1": [1, 2, 3]},
        {},
        "the names of the models must differ as text; got [1, '1'].",
    ),
    "missing": (
        {"a": [1, 2, np.nan], "b": [1, 2, 3], "c": [1, 2, 3]},
        {},
        ("scores must not be missing; model a has none for case 3. Leave out that case for all "
         "models, or give an undefined score a value."),
    ),
    "several missing": (
        {"a": [1, 2, np.nan], "b": [1, None, 3], "c": [1, 2, 3]},
        {},
        ("scores must not be missing; model b has none for case 2, the first of 2 that are "
         "missing. Leave out that case for all models, or give an undefined score a value."),
    ),
    "infinite": (
        {"a": [1, 2, 3], "b": [1, -np.inf, 3]},
        {},
        "scores must be finite; got -inf for model b, case 2.",
    ),
    "infinite, of a measure without an upper end": (
        {"a": [1, 2, 3], "b": [1, np.inf, 3]},
        {"metric": "average_mae"},
        "scores must be finite; got inf for model b, case 2.",
    ),
    "negated loss": (
        {"a": [0.4, 0.5, 0.6], "b": [-0.4, -0.5, -0.6]},
        {"metric": "average_mae"},
        ("average_mae lies in [0, K - 1]; got -0.4 for model b, case 1. scikit-learn negates "
         "losses: pass the raw values, for example -scores, or pass "
         "greater_is_better=True instead of metric=."),
    ),
    "percentages": (
        {"a": [0.4, 50, 60], "b": [0.5, 70, 1]},
        {"metric": oe.accuracy},
        ("accuracy lies in [0, 1]; got 50 for model a, case 2. If these are percentages, divide "
         "them by 100."),
    ),
    "another measure": (
        {"a": [0.4, 0.5, 0.6], "b": [0.4, -2, 0.6]},
        {"metric": "weighted_kappa"},
        ("weighted_kappa lies in [-1, 1]; got -2 for model b, case 2. If these are scores of "
         "another measure, name that measure, or pass greater_is_better= instead of metric=."),
    ),
    "a loss of both signs": (
        {"a": [0.4, 0.5, 0.6], "b": [0.4, -2, 0.6]},
        {"metric": "mean_absolute_error"},
        ("mean_absolute_error lies in [0, K - 1]; got -2 for model b, case 2. If these are scores "
         "of another measure, name that measure, or pass greater_is_better= instead of metric=."),
    ),
    "contradiction": (
        TWO,
        {"metric": "average_mae", "greater_is_better": True},
        ("for average_mae, lower is better, but greater_is_better=True says "
         "otherwise; remove one of the two."),
    ),
    "contradiction, two-sided": (
        TWO,
        {"metric": "mean_signed_error", "greater_is_better": False},
        ("for mean_signed_error, closer to 0 is better, but greater_is_better=False "
         "says otherwise; remove one of the two."),
    ),
    "direction": (
        TWO, {"greater_is_better": "no"}, "greater_is_better must be True or False; got 'no'.",
    ),
    "rope": (
        TWO,
        {"rope": -0.01},
        ("rope must be the largest difference that does not matter in practice, a number >= 0; got "
         "-0.01."),
    ),
    "draws": (TWO, {"n_resamples": 0}, "n_resamples must be an integer >= 1; got 0."),
    "seed": (
        TWO, {"rng": -1}, "rng must be a seed (an integer >= 0) or a Generator; got -1.",
    ),
    "level": (DEMSAR, {"level": 95}, "level must lie between 0 and 1; got 95."),
    "method": (
        DEMSAR, {"method": "tukey"}, "method must be \"nemenyi\" or \"wilcoxon\"; got 'tukey'.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("scores", "options", "message"), BAD.values(), ids=list(BAD))
def test_bad_scores(scores: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(oe.ParameterError) as caught:
        oe.compare_cases(scores, **options)
    assert str(caught.value) == message


def test_scores_at_the_ends_of_a_range_and_those_without_ends_pass() -> None:
    ends = {"a": [0, 1, 1 + 1e-12], "b": [-1e-12, 1, 0.5]}
    assert oe.compare_cases(ends, metric="accuracy").cases == 3
    assert oe.compare_cases({"a": [99, 7, 0], "b": [0, 1, 2]}, metric="average_mae").cases == 3
    skill = {"a": [-99, 0.5, 0], "b": [0, 1, -0.2]}
    assert oe.compare_cases(skill, metric="ranked_probability_skill_score").cases == 3


@pytest.mark.parametrize("scores", [[[1, 2, 3]] * 4, np.ones((4, 3)), None])
def test_scores_without_names_are_refused_in_words(scores: Any) -> None:
    with pytest.raises(oe.ParameterError):
        oe.compare_cases(scores)
