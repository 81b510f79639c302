"""What items contribute to measures of scores: against leaving them out, DeLong and invariances."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.ready import OnUse

import ordeval as oe
from ordeval.inference.forecasts.placements import contributions
from ordeval.inference.influence import Contributions
from ordeval.inference.samples import Sample
from ordeval.measures.ranking import RankingMetric

sk = OnUse("sklearn.metrics")

Array = NDArray[Any]

NAMES = ("concordance_index", "ordinal_ranking_correctness", "coefficient_of_predictive_ability")


def cut(t: int) -> RankingMetric:
    found = oe.threshold_auc.with_params(at_least=t + 1)
    assert isinstance(found, RankingMetric)
    return found


EVERY = [*map(oe.get_metric, NAMES), cut(0).on(4), cut(2).on(4)]
every = pytest.mark.parametrize("metric", EVERY, ids=[*NAMES, "lowest cut", "highest cut"])


def scores(n: int = 80, k: int = 4, models: int = 2, seed: int = 0) -> tuple[Array, Array]:
    """Classes (n,) and scores (n, M), some of which are tied."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    hard = rng.normal(size=(n, 1))
    return truth, np.round(truth[:, None] + hard + rng.normal(size=(n, models)), 1)


def sample(truth: Array, score: Array, k: int = 4, **more: Any) -> Sample:
    ones = np.ones(len(truth), dtype=np.int64)
    return Sample(truth, np.full(score.shape, -1), ones, k, score=score, **more)


def agree(a: Contributions, b: Contributions) -> None:
    for x, y in ((a.values, b.values), (a.centre, b.centre), (a.covariance, b.covariance)):
        np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-12)


def delong(positive: Array, score: Array) -> tuple[Array, Array]:
    """AUCs (M,) and their covariance (M, M), as DeLong et al. (1988) define it."""
    above, below = score[positive], score[~positive]
    wins = (above[:, None] > below[None]) + 0.5 * (above[:, None] == below[None])
    by_above, by_below = wins.mean(axis=1), wins.mean(axis=0)
    covariance = np.cov(by_above.T) / len(above) + np.cov(by_below.T) / len(below)
    return wins.mean(axis=(0, 1)), np.atleast_2d(covariance)


@pytest.mark.parametrize(("k", "t"), [(2, 0), (5, 0), (5, 1), (5, 3)])
@pytest.mark.parametrize("n", [200, 1000])
def test_areas_under_curves_and_their_errors_are_those_of_delong(n: int, k: int, t: int) -> None:
    truth, score = scores(n, k, seed=n + t)
    auc, covariance = delong(truth > t, score)
    found = contributions(cut(t).on(k), sample(truth, score, k))
    np.testing.assert_allclose(found.values, auc)
    np.testing.assert_allclose(found.values, [sk.roc_auc_score(truth > t, s) for s in score.T])
    slack = 0.05 if n == 200 else 0.02
    np.testing.assert_allclose(found.errors, np.sqrt(np.diagonal(covariance)), rtol=slack)


@pytest.mark.parametrize("seed", range(4))
def test_a_difference_of_areas_is_tested_as_delong_does(seed: int) -> None:
    truth, score = scores(400, 5, seed=seed)
    score[:, 1] += np.random.default_rng(seed).normal(0, 1, 400)  # the second is worse
    auc, covariance = delong(truth > 2, score)
    error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    found = oe.paired_delta(cut(2), truth, *score.T, labels=range(5), outputs="scores")
    assert found.delta == pytest.approx(auc[0] - auc[1])
    assert found.high - found.low == pytest.approx(2 * 1.966 * error, rel=0.04)
    both = contributions(cut(2).on(5), sample(truth, score, 5))
    own = np.sqrt(both.covariance[0, 0] + both.covariance[1, 1] - 2 * both.covariance[0, 1])
    assert (both.centre[0] - both.centre[1]) / own == pytest.approx(
        (auc[0] - auc[1]) / error, rel=0.05, abs=0.05
    )


@pytest.mark.parametrize("k", [2, 3, 6])
def test_values_are_those_of_all_pairs(k: int) -> None:
    truth, score = scores(70, k, models=1, seed=k)
    right = {"concordance_index": 0.0, "coefficient_of_predictive_ability": 0.0}
    pairs = dict.fromkeys(right, 0.0)
    for x, y in itertools.product(range(70), repeat=2):
        if truth[x] < truth[y]:
            won = float(score[y, 0] > score[x, 0]) + 0.5 * float(score[y, 0] == score[x, 0])
            for name, weight in zip(right, (1.0, float(truth[y] - truth[x])), strict=True):
                right[name] += weight * won
                pairs[name] += weight
    for name in right:
        found = oe.get_metric(name)(truth, y_score=score[:, 0], labels=range(k))
        assert found == pytest.approx(right[name] / pairs[name])


def test_predictive_ability_is_the_weighted_mean_of_all_areas() -> None:
    truth, score = scores(500, 6, models=1)
    areas = [sk.roc_auc_score(truth > t, score[:, 0]) for t in range(5)]
    weights = [(truth > t).sum() * (truth <= t).sum() for t in range(5)]
    found = oe.coefficient_of_predictive_ability(truth, y_score=score[:, 0], labels=range(6))
    assert found == pytest.approx(np.average(areas, weights=weights))


@every
def test_standard_errors_are_those_of_the_jackknife(metric: RankingMetric) -> None:
    truth, score = scores(250, models=1)
    without = [
        metric(np.delete(truth, i), y_score=np.delete(score[:, 0], i), labels=range(4))
        for i in range(250)
    ]
    jackknife = np.sqrt(249 / 250 * ((without - np.mean(without)) ** 2).sum())
    found = contributions(metric, sample(truth, score))
    assert found.errors[0] == pytest.approx(jackknife, rel=0.04)
    # Item by item, leaving it out moves the value by what it contributes.
    moved = found.values[0] - np.array(without)
    assert np.corrcoef(found.parts[:, 0], moved)[0, 1] > 0.999


@every
def test_the_order_of_items_and_monotone_scales_do_not_matter(metric: RankingMetric) -> None:
    truth, score = scores()
    plain = contributions(metric, sample(truth, score))
    order = np.random.default_rng(1).permutation(len(truth))
    agree(plain, contributions(metric, sample(truth[order], score[order])))
    for change in (np.exp, np.arctan, lambda x: 3 * x - 1000):
        agree(plain, contributions(metric, sample(truth, change(score))))


@every
def test_a_weight_of_two_is_an_item_twice(metric: RankingMetric) -> None:
    truth, score = scores()
    twice = np.r_[np.arange(80), np.arange(30)]
    weight = np.where(np.arange(80) < 30, 2.0, 1.0)
    found = contributions(metric, sample(truth, score, weight=weight))
    expected = contributions(metric, sample(truth[twice], score[twice]))
    np.testing.assert_allclose(found.values, expected.values)
    value = metric(truth, y_score=score[:, 0], labels=range(4), sample_weight=weight)
    assert value == pytest.approx(found.values[0])


@every
def test_equal_weights_and_clusters_of_one_say_nothing(metric: RankingMetric) -> None:
    truth, score = scores()
    plain = contributions(metric, sample(truth, score))
    agree(plain, contributions(metric, sample(truth, score, weight=np.full(80, 0.1))))
    agree(plain, contributions(metric, sample(truth, score, cluster=np.arange(80))))


@every
def test_clusters_of_copies_count_once(metric: RankingMetric) -> None:
    truth, score = scores()
    copies = np.repeat(np.arange(80), 5)
    found = contributions(metric, sample(truth[copies], score[copies], cluster=copies))
    # Items of a class of 20 are left out in earnest, of 100 copies along the slope.
    expected = contributions(metric, sample(truth, score))
    np.testing.assert_allclose(found.centre, expected.centre)
    np.testing.assert_allclose(found.errors, expected.errors, rtol=0.05)


@every
def test_a_class_that_never_occurs_changes_nothing(metric: RankingMetric) -> None:
    truth, score = scores()
    wider = contributions(metric, sample(truth, score, 6))
    agree(wider, contributions(metric, sample(truth, score)))


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 2), (30, 2), (60, 50), (400, 50)])
def test_few_items_and_many_classes_have_an_interval_around_the_value(
    name: str, n: int, k: int
) -> None:
    truth, score = scores(n, k, seed=5)
    truth[:2] = 0, k - 1
    found = oe.confidence_interval(name, truth, score[:, 0], labels=range(k), outputs="scores")
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
@pytest.mark.parametrize("name", NAMES)
def test_one_class_alone_has_no_value_and_no_interval(name: str) -> None:
    found = oe.confidence_interval(
        name, [1] * 20, np.arange(20) / 7, labels=range(3), outputs="scores"
    )
    assert np.isnan([found.estimate, found.low, found.high]).all()


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
@every
def test_scores_that_are_all_tied_are_even(metric: RankingMetric) -> None:
    truth, _ = scores()
    found = oe.confidence_interval(
        metric, truth, np.full(80, 0.5), labels=range(4), outputs="scores"
    )
    assert found.estimate == 0.5
    assert found.low <= 0.5 <= found.high


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
@every
def test_models_that_score_alike_are_not_told_apart(metric: RankingMetric) -> None:
    truth, score = scores()
    given: dict[str, Any] = {"labels": range(4), "outputs": "scores"}
    found = oe.paired_delta(metric, truth, score[:, 0], score[:, 0], **given)
    assert (found.delta, found.p_value, found.favours) == (0.0, 1.0, None)
    assert found.low < 0 < found.high


def test_all_measures_of_the_same_scores_share_one_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    sorts, argsort = [], np.argsort

    def counted(*given: Any, **more: Any) -> Any:
        sorts.append(len(given[0]))
        return argsort(*given, **more)

    monkeypatch.setattr(np, "argsort", counted)
    truth, score = scores(models=1)
    data = sample(truth, score)
    for t in range(3):
        contributions(cut(t).on(4), data)
    assert sorts == [80]
