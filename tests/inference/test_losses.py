"""What items contribute to measures of probabilities: against leaving them out one by one."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ordeval as oe
from ordeval.inference.forecasts.losses import Losses, contributions
from ordeval.inference.influence import Contributions
from ordeval.inference.samples import Sample
from ordeval.measures.probability import ProbabilityMetric

Array = NDArray[Any]

MEANS = ("ranked_probability_score", "ordinal_log_loss", "threshold_log_loss", "wasserstein",
         "normalized_match_distance", "rnod")  # fmt: skip
EVERY = (*MEANS, "ranked_probability_skill_score")


def metric_of(name: str) -> ProbabilityMetric:
    found = oe.get_metric(name)
    assert isinstance(found, ProbabilityMetric)
    return found


def forecasts(n: int = 60, k: int = 4, models: int = 2, seed: int = 0) -> tuple[Array, Array]:
    """Classes (n,) and the probabilities (n, M, K) of models that see them through noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    apart = (truth[:, None] + rng.normal(size=(n, models)))[..., None] - np.arange(k)
    odds = np.exp(-(apart**2) / 2)
    return truth, odds / odds.sum(axis=-1, keepdims=True)


def sample(truth: Array, prob: Array, **more: Any) -> Sample:
    nothing = np.full(prob.shape[:2], -1)
    ones = np.ones(len(prob), dtype=np.int64)
    return Sample(truth, nothing, ones, prob.shape[-1], prob=prob, **more)


def agree(a: Contributions, b: Contributions) -> None:
    for x, y in ((a.values, b.values), (a.centre, b.centre), (a.covariance, b.covariance)):
        np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_contributions_are_what_leaving_items_out_takes_away(name: str) -> None:
    metric, (truth, prob) = metric_of(name), forecasts(300)
    found, losses = contributions(metric, sample(truth, prob)), Losses(metric, sample(truth, prob))
    lost, share = losses.pseudo()
    pseudo = np.concatenate([[(lost * share).sum()], share.sum(axis=1)])
    for m in range(2):
        whole = losses.sums[m] + pseudo
        total = whole[1:].sum()
        own = np.concatenate([losses.each[:, m, None], np.eye(4)[truth]], axis=1)
        moved = metric.combine(whole) - metric.combine(whole - own)
        slow = (total - 1) / total * moved
        # Of means it is the same; a skill is a ratio, which moves a little less straight.
        slack = {"rtol": 1e-6, "atol": 1e-10} if name in MEANS else {"rtol": 0.05, "atol": 1e-4}
        np.testing.assert_allclose(found.parts[:, m], slow, **slack)
        assert found.centre[m] == pytest.approx(float(metric.combine(whole)))


@pytest.mark.parametrize("name", EVERY)
def test_standard_errors_are_those_of_the_jackknife(name: str) -> None:
    truth, prob = forecasts(200, models=1)
    without = [
        oe.get_metric(name)(np.delete(truth, i), np.delete(prob[:, 0], i, axis=0), labels=range(4))
        for i in range(200)
    ]
    jackknife = np.sqrt(199 / 200 * ((without - np.mean(without)) ** 2).sum())
    found = contributions(metric_of(name), sample(truth, prob))
    assert found.errors[0] == pytest.approx(jackknife, rel=0.03)


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_items_does_not_matter(name: str) -> None:
    metric, (truth, prob) = metric_of(name), forecasts()
    order = np.random.default_rng(1).permutation(len(truth))
    cluster = np.arange(len(truth)) // 4
    for more in ({}, {"cluster": cluster}):
        turned = {key: x[order] for key, x in more.items()}
        agree(
            contributions(metric, sample(truth, prob, **more)),
            contributions(metric, sample(truth[order], prob[order], **turned)),
        )


@pytest.mark.parametrize("name", EVERY)
def test_a_weight_of_two_is_an_item_twice(name: str) -> None:
    metric, (truth, prob) = metric_of(name), forecasts()
    twice = np.r_[np.arange(60), np.arange(20)]
    weight = np.where(np.arange(60) < 20, 2.0, 1.0)
    found = contributions(metric, sample(truth, prob, weight=weight))
    expected = contributions(metric, sample(truth[twice], prob[twice]))
    np.testing.assert_allclose(found.values, expected.values)
    value = metric(truth, prob[:, 0], labels=range(4), sample_weight=weight)
    assert value == pytest.approx(found.values[0])


@pytest.mark.parametrize("name", EVERY)
def test_equal_weights_and_clusters_of_one_say_nothing(name: str) -> None:
    metric, (truth, prob) = metric_of(name), forecasts()
    plain = contributions(metric, sample(truth, prob))
    agree(plain, contributions(metric, sample(truth, prob, weight=np.full(60, 7.0))))
    agree(plain, contributions(metric, sample(truth, prob, cluster=np.arange(60))))


def test_clusters_of_copies_count_once() -> None:
    metric, (truth, prob) = metric_of("ranked_probability_score"), forecasts()
    copies = np.repeat(np.arange(60), 5)
    found = contributions(metric, sample(truth[copies], prob[copies], cluster=copies))
    agree(found, contributions(metric, sample(truth, prob)))


def test_clusters_of_unequal_size_against_a_slow_sum() -> None:
    metric, (truth, prob) = metric_of("ranked_probability_score"), forecasts(60, models=1)
    cluster = np.searchsorted([1, 3, 6, 10, 20, 35], np.arange(60), side="right")
    found = contributions(metric, sample(truth, prob, cluster=cluster))
    losses = Losses(metric, sample(truth, prob))
    apart = losses.each[:, 0] - losses.each.mean()
    sums = np.array([apart[cluster == c].sum() for c in range(7)])
    mass = float(np.clip((sums**2).sum() / (apart**2).sum(), 1, 60 / 7))
    lost, share = losses.pseudo()
    centre = (losses.each.sum() + mass * (lost * share).sum()) / (60 + mass)
    slow = [
        (losses.each[cluster == c, 0] - centre).sum() / (60 + mass) for c in range(7)
    ]  # fmt: skip
    np.testing.assert_allclose(found.parts[:, 0], slow, rtol=1e-6)


@pytest.mark.parametrize("name", ["rnod", "wasserstein", "ranked_probability_score"])
def test_shares_of_one_class_are_that_class(name: str) -> None:
    metric, (truth, prob) = metric_of(name), forecasts()
    shares, cluster = np.eye(4)[truth], np.arange(60) // 3
    agree(
        contributions(metric, sample(truth, prob, cluster=cluster)),
        contributions(metric, sample(truth, prob, cluster=cluster, shares=shares)),
    )


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_an_infinite_loss_silences_its_own_model_only() -> None:
    truth, prob = forecasts(models=3)
    prob[0, 2] = np.eye(4)[(truth[0] + 1) % 4]  # the class that came true was given nothing
    models = {name: prob[:, i] for i, name in enumerate("abc")}
    three = oe.compare(truth, models, ["ordinal_log_loss"], labels=range(4))
    two = oe.compare(
        truth, {name: models[name] for name in "ab"}, ["ordinal_log_loss"], labels=range(4)
    )
    assert oe.ordinal_log_loss(truth, models["c"], labels=range(4)) == np.inf
    found, expected = ({(d.a, d.b): d for d in x.deltas()} for x in (three, two))
    for pair, delta in expected.items():
        mine = found[pair]
        assert (mine.delta, mine.low, mine.high) == (delta.delta, delta.low, delta.high)
    for pair, delta in found.items():
        assert np.isnan(delta.low) == ("c" in pair)
        assert "c" not in pair or delta.favours is None


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("n", "k"), [(2, 3), (3, 2), (40, 2), (60, 50), (300, 50)])
def test_few_items_and_many_classes_have_an_interval_around_the_value(
    name: str, n: int, k: int
) -> None:
    truth, prob = forecasts(n, k, seed=3)
    truth[:2] = 0, k - 1
    prob = 0.9 * prob + 0.1 / k
    found = oe.confidence_interval(
        name, truth, prob[:, 0], labels=range(k), outputs="probabilities"
    )
    low, high = oe.get_metric(name).range.at(k)
    assert low <= found.low <= found.estimate <= found.high <= high
    assert found.low < found.high
    assert oe.paired_delta(name, truth, prob[:, 0], prob[:, 1], labels=range(k)).p_value <= 1


@pytest.mark.parametrize("name", MEANS)
def test_a_class_that_never_occurs_changes_nothing(name: str) -> None:
    metric, (truth, prob) = metric_of(name), forecasts(k=3)
    wider = np.concatenate([prob, np.zeros((60, 2, 1))], axis=2)
    if metric.depends_on_empty_levels:
        pytest.skip("it looks at the number of levels")
    agree(contributions(metric, sample(truth, prob)), contributions(metric, sample(truth, wider)))


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
@pytest.mark.parametrize("name", EVERY)
def test_models_that_say_the_same_are_not_told_apart(name: str) -> None:
    truth, prob = forecasts()
    found = oe.paired_delta(name, truth, prob[:, 0], prob[:, 0], labels=range(4), margin=1e-9)
    assert (found.delta, found.p_value, found.favours) == (0.0, 1.0, None)
    assert found.low == -found.high < 0
    assert found.verdict == "not shown"
    large = oe.paired_delta(
        name, np.tile(truth, 50), *[np.tile(prob[:, 0], (50, 1))] * 2, labels=range(4)
    )
    assert large.high < found.high / 10
