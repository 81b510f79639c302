"""compare_cases: Friedman, Nemenyi and Wilcoxon-Holm against SciPy and Demšar 2006."""

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

import ordeval as oe
from ordeval.evaluate.cases import _nemenyi
from ordeval.inference.ranking import cliques

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
    _, difference = _nemenyi(stats, np.arange(k, dtype=float), 30, 0.95)
    assert difference / math.sqrt(k * (k + 1) / (6 * 30)) == pytest.approx(q, abs=0.0011)


@pytest.mark.parametrize("step", [0.0, 0.5, 2.0])
def test_friedman_is_that_of_scipy(step: float) -> None:
    scores = made_up(5, 20, step)
    result = oe.compare_cases(scores)
    theirs = stats.friedmanchisquare(*scores.values())
    assert (result.statistic, result.p_value) == pytest.approx(tuple(theirs))


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
    scores = made_up(3, 20, 1.5)
    up = oe.compare_cases(scores)
    assert up.models == ("m0", "m1", "m2")
    assert oe.compare_cases(scores, metric="accuracy").models == up.models
    assert oe.compare_cases(scores, metric="mean_absolute_error").models == up.models[::-1]
    assert oe.compare_cases(scores, greater_is_better=False).models == up.models[::-1]
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
    assert alike.startswith("Over 20 cases the 4 models cannot be told apart (Friedman test, p = ")
    clear = oe.compare_cases(made_up(3, 30, 4.0)).conclusion()
    assert "m0 has the best mean rank, 1.00. It is separated from all others." in clear
    some = oe.compare_cases(made_up(5, 20, 0.7))
    mates = [c for c in some.cliques if some.models[0] in c]
    assert mates
    assert f"It is not separated from {', '.join(mates[0][1:])}." in some.conclusion()


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


def test_scores_that_are_all_alike() -> None:
    result = oe.compare_cases({m: [0.5] * 4 for m in "abc"})
    assert "cannot be told apart" in result.conclusion()
    assert "nan" not in result.conclusion()
    assert result.cliques == (("a", "b", "c"),)


BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "two models": (
        {"a": [1, 2, 3], "b": [1, 2, 3]},
        {},
        "compare_cases needs at least 3 models and 3 cases; got 2 models and 3 cases.",
    ),
    "two cases": (
        {m: [1, 2] for m in "abc"},
        {},
        "compare_cases needs at least 3 models and 3 cases; got 3 models and 2 cases.",
    ),
    "lengths": (
        {"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2]},
        {},
        "scores must be numbers, one per case for each model.",
    ),
    "text": (
        {m: ["x", "y", "z"] for m in "abc"},
        {},
        "scores must be numbers, one per case for each model.",
    ),
    "missing": (
        {"a": [1, 2, np.nan], "b": [1, 2, 3], "c": [1, 2, 3]},
        {},
        ("scores must not be missing; 1 of them are NaN. Drop those cases, or give an undefined "
        "score a value."),
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


@pytest.mark.parametrize("scores", [[[1, 2, 3]] * 4, np.ones((4, 3)), None])
def test_scores_without_names_are_refused_in_words(scores: Any) -> None:
    with pytest.raises(oe.ParameterError):
        oe.compare_cases(scores)
