"""With few clusters, the largest of many differences is judged by exchanging models."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ordeval as oe
from ordeval.inference.influence_kinds import contributions, exchange
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.many_models.simultaneous import errors_of
from ordeval.inference.samples import Sample

Array = NDArray[Any]


def clustered(
    seed: int, *, clusters: int = 12, items: int = 15, models: int = 6, ahead: float = 0.0
) -> Sample:
    """Models that are equally good, but for the first, on clusters that differ in difficulty."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), items)
    truth = rng.integers(0, 4, len(cluster))
    hard = rng.normal(size=(clusters, models)) * 0.4 + rng.normal(size=(clusters, 1)) * 0.6
    score = hard[cluster] + rng.normal(size=(len(cluster), models))
    score[:, 0] -= ahead
    step = np.where(rng.random(score.shape) < 0.5, 1, -1)
    wrong = np.abs(truth[:, None] + step)
    wrong = np.where(wrong > 3, 2, wrong)
    given = np.where(score < 0.8, truth[:, None], wrong)
    ones = np.ones(len(cluster), dtype=np.int64)
    return Sample(truth, given, ones, 4, cluster=cluster)


def together(metric: Any, sample: Sample) -> Together:
    return Together(metric, contributions(metric, sample), 0.95, sample)


@pytest.mark.parametrize("metric", [oe.accuracy, oe.cem_ord, oe.weighted_kappa, oe.average_mae])
def test_a_draw_is_what_the_exchanged_data_say(metric: Any) -> None:
    """One draw by cluster tables equals the contributions of items whose models were exchanged."""
    sample = clustered(3)
    found = exchange(metric, sample)
    assert found is not None
    rng = np.random.default_rng(0)
    same = np.broadcast_to(np.arange(sample.models), (1, *found.shape))
    order = rng.permuted(same, axis=2)
    drawn = found.drawn(order)
    assert sample.cluster is not None
    moved = np.take_along_axis(sample.predictions, order[0][sample.cluster], axis=1)
    slow = contributions(
        metric, Sample(sample.truth, moved, sample.count, 4, cluster=sample.cluster)
    )
    np.testing.assert_allclose(drawn.centre[0], slow.centre, atol=1e-12)
    np.testing.assert_allclose(drawn.covariance[0], slow.covariance, atol=1e-12)


def test_a_draw_of_losses_is_what_the_exchanged_data_say() -> None:
    sample, rng = clustered(4, models=3), np.random.default_rng(1)
    prob = rng.dirichlet(np.ones(4), (len(sample.truth), 3))
    given = Sample(
        sample.truth, sample.predictions, sample.count, 4, cluster=sample.cluster, prob=prob
    )
    metric = oe.ranked_probability_score
    found = exchange(metric, given)
    assert found is not None
    order = rng.permuted(np.broadcast_to(np.arange(3), (1, *found.shape)), axis=2)
    drawn = found.drawn(order)
    assert sample.cluster is not None
    moved = np.take_along_axis(prob, order[0][sample.cluster][:, :, None], axis=1)
    slow = contributions(
        metric, Sample(sample.truth, sample.predictions, sample.count, 4, cluster=sample.cluster,
                       prob=moved),
    )  # fmt: skip
    np.testing.assert_allclose(drawn.values[0], slow.values, atol=1e-12)
    # How much the pseudo-unit weighs is kept.
    np.testing.assert_allclose(drawn.covariance[0], slow.covariance, rtol=0.02, atol=1e-5)


def test_two_models_and_many_clusters_need_no_draws() -> None:
    assert exchange(oe.accuracy, clustered(0, models=2)) is None
    assert exchange(oe.accuracy, clustered(0, clusters=150, items=2)) is None
    alone = clustered(0)
    assert exchange(oe.accuracy, Sample(alone.truth, alone.predictions, alone.count, 4)) is None


def test_ranks_plausible_bests_and_tests_agree() -> None:
    sample = clustered(8, ahead=1.2, models=8)
    found = together(oe.accuracy, sample)
    p, values = found.adjusted(), found.turned.values
    shown = (p <= 0.05) & (values[:, None] > values[None, :])
    assert shown[0].any()
    for i, (low, high) in enumerate(found.rank_sets):
        assert (low, high) == (1 + shown[:, i].sum(), 8 - shown[i].sum())
        assert found.may_be_best[i] == (low == 1)
    pairs = list(itertools.combinations(range(8), 2))
    exchanged = exchange(oe.accuracy, sample)
    assert exchanged is not None
    critical = np.quantile(exchanged.largest(pairs), 0.95)
    clear = np.abs(values[:, None] - values) / np.where(
        e := errors_of(found.turned.covariance), e, 1
    )
    assert ((clear > critical * 1.05) <= (p <= 0.05)).all()
    assert ((p <= 0.05) <= (clear > critical * 0.95)).all()


def test_corrected_p_values_are_reproducible_and_never_below_their_own() -> None:
    sample = clustered(8, ahead=0.6)
    first, again = (together(oe.cem_ord, sample).adjusted() for _ in range(2))
    np.testing.assert_array_equal(first, again)
    truth, given = sample.truth, {str(i): p for i, p in enumerate(sample.predictions.T)}
    made = oe.compare(truth, given, ["cem_ord"], labels=range(4), clusters=sample.cluster)
    assert all(d.p_adjusted >= d.p_value for d in made.pairs)


def test_identical_models_do_not_differ() -> None:
    sample = clustered(2)
    twice = np.repeat(sample.predictions[:, :2], 3, axis=1)
    p = together(
        oe.cem_ord, Sample(sample.truth, twice, sample.count, 4, cluster=sample.cluster)
    ).adjusted()
    assert p[0, 1] == p[1, 2] == 1.0


def scored(seed: int, *, clusters: int = 12, models: int = 5, ahead: float = 0.0) -> Sample:
    """Scores, each model's on a scale of its own; the first is less noisy."""
    sample, rng = clustered(seed, clusters=clusters, models=models), np.random.default_rng(seed)
    assert sample.cluster is not None
    noise = rng.normal(size=(len(sample.truth), models))
    noise += 0.7 * rng.normal(size=(clusters, models))[sample.cluster]
    noise[:, 0] *= 1 - ahead
    score = (sample.truth[:, None] + noise) * 10.0 ** np.arange(models)
    return Sample(
        sample.truth, sample.predictions, sample.count, 4, cluster=sample.cluster, score=score
    )


def test_a_draw_of_scores_is_what_exchanged_ranks_say() -> None:
    """Values and jackknife of one draw, from ranks whose models were exchanged."""
    sample, metric = scored(5), oe.concordance_index
    found, cluster = exchange(metric, sample), sample.cluster
    assert found is not None
    assert cluster is not None
    assert sample.score is not None
    rng = np.random.default_rng(2)
    order = rng.permuted(np.broadcast_to(np.arange(sample.models), (1, *found.shape)), axis=2)
    drawn = found.drawn(order)
    ranks = np.argsort(np.argsort(sample.score, axis=0), axis=0)
    moved = np.take_along_axis(ranks, order[0][cluster], axis=1).astype(np.float64)

    def values(rows: Array) -> Array:
        return np.array([metric(sample.truth[rows], y_score=s[rows]) for s in moved.T])

    without = np.stack([values(cluster != c) for c in range(12)])
    by_jackknife = 11 / 12 * np.cov(without.T) * 11
    np.testing.assert_allclose(drawn.values[0], values(cluster >= 0), atol=1e-12)
    np.testing.assert_allclose(drawn.covariance[0], by_jackknife, atol=1e-12)


def test_corrected_p_values_of_scores_are_of_exchanged_ranks() -> None:
    """A multivariate t claims that equal models differ in a tenth of such data sets."""
    claims = [
        np.nanmin(together(oe.concordance_index, scored(seed, models=8)).adjusted()) <= 0.05
        for seed in range(12)
    ]
    assert sum(claims) <= 1
    apart = together(oe.concordance_index, scored(1, ahead=0.7))
    assert (apart.adjusted()[0, 1:] <= 0.05).all()
    assert apart.may_be_best == [True, False, False, False, False]
    assert exchange(oe.concordance_index, scored(1, models=2)) is None


def test_simultaneous_intervals_exclude_zero_where_corrected_p_values_are_small() -> None:
    sample = clustered(8, ahead=1.2, models=6)
    given = {str(i): p for i, p in enumerate(sample.predictions.T)}
    names = ["accuracy", "weighted_kappa", "mean_signed_error"]
    made = oe.compare(sample.truth, given, names, labels=range(4), clusters=sample.cluster)
    assert len(made.pairs) == 45
    for d in made.pairs:
        assert d.low_adjusted <= d.low <= d.high <= d.high_adjusted
        assert (d.low_adjusted > 0 or d.high_adjusted < 0) == (d.p_adjusted <= 0.05)
    assert 0 < sum(d.p_adjusted <= 0.05 for d in made.pairs) < 45
    assert made.pairs.rows()[0]["low_adjusted"] == made.pairs[0].low_adjusted
    # Step-down tests have no single critical value.
    alone = oe.compare(sample.truth, given, ["accuracy"], labels=range(4))
    assert np.isnan(alone.pairs[0].low_adjusted)


def test_significant_pairs_that_are_not_listed_are_shown_with_the_pairs() -> None:
    sample = clustered(8, ahead=1.2, models=14)
    predictions = sample.predictions.copy()
    predictions[:, -1] = 3 - sample.truth  # worse than all others
    given = {f"m{i}": p for i, p in enumerate(predictions.T)}
    made = oe.compare(sample.truth, given, ["accuracy"], labels=range(4), clusters=sample.cluster)
    assert len(made.pairs) == 13
    assert "Other significant differences" not in str(made)
    _, table = str(made.details("pairs")).split("Other significant differences in accuracy")
    apart = int((made.separation <= 0.05).sum()) // 2
    listed = sum(d.p_adjusted <= 0.05 for d in made.pairs)
    assert table.count("\N{MINUS SIGN} m") == apart - listed > 10
