"""Judges against votes, consensus and unanimous items: slow definitions, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.inference.raters.judges import Panel
from ordeval.inference.raters.noisy_reference import noisy_reference

K = 5


def population(n: int, humans: int, seed: int, gaps: float = 0.2) -> tuple[Any, Any]:
    """Humans (N, R) with gaps, and a judge (N, 1)."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(2, 1.2, (n, 1))
    given = np.clip(np.rint(quality + rng.normal(0, 0.6, (n, humans + 1))), 0, K - 1).astype(int)
    given[:, :humans][rng.random((n, humans)) < gaps] = -1
    return given[:, :humans], given[:, humans:]


def spread(humans: Any, judge: Any) -> tuple[list[int], list[int], list[float], list[int]]:
    """Truth, prediction, weight and item of every vote, item by item."""
    rows = []
    for i, (row, answers) in enumerate(zip(humans, judge, strict=True)):
        votes, said = row[row >= 0], answers[answers >= 0]
        rows += [(h, j, 1 / (len(votes) * len(said)), i) for h in votes for j in said]
    truth, pred, weight, item = zip(*rows, strict=True)
    return list(truth), list(pred), list(weight), list(item)


def reference(humans: Any, judge: Any, name: str = "weighted_kappa", **more: Any) -> Any:
    ratings = oe.Ratings(np.where(humans < 0, np.nan, humans), range(K), **more)
    answers = {"judge": np.where(judge < 0, np.nan, judge)}
    return oe.judge(ratings, answers, name)


@pytest.mark.parametrize("name", ["weighted_kappa", "cem_ord", "mean_absolute_error"])
@pytest.mark.parametrize("runs", [1, 3])
def test_votes_are_weighted_labels(name: str, runs: int) -> None:
    humans, judge = population(150, 4, 1)
    judge = np.repeat(judge, runs, axis=1)
    judge[::7, -1] = -1
    found = reference(humans, judge, name).references["judge"].votes
    truth, pred, weight, item = spread(humans, judge)
    counts = oe.ConfusionMatrix.from_labels(truth, pred, labels=range(K), sample_weight=weight)
    assert found.estimate == pytest.approx(oe.get_metric(name).from_confusion(counts))
    data = oe.Predictions(truth, pred, labels=range(K), sample_weight=weight, clusters=item)
    by_engine = oe.confidence_interval(name, data)
    width = found.high - found.low
    assert (found.low, found.high) == pytest.approx(
        (by_engine.low, by_engine.high), abs=0.12 * width
    )
    assert found.items == len(set(item))


@pytest.mark.parametrize("clustered", [False, True])
def test_the_interval_is_as_wide_as_a_bootstrap_of_items(clustered: bool) -> None:
    humans, judge = population(200, 3, 2)
    unit = np.repeat(np.arange(50), 4) if clustered else np.arange(200)
    found = reference(humans, judge, clusters=unit if clustered else None)
    votes = found.references["judge"].votes
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(800):
        items = np.concatenate(
            [np.flatnonzero(unit == u) for u in rng.integers(0, unit.max() + 1, unit.max() + 1)]
        )
        truth, pred, weight, _ = spread(humans[items], judge[items])
        drawn.append(oe.weighted_kappa(truth, pred, labels=range(K), sample_weight=weight))
    low, high = np.quantile(drawn, (0.025, 0.975))
    assert (votes.high - votes.low) / (high - low) == pytest.approx(1, abs=0.15)


def test_consensus_and_unanimous_items_are_as_from_lists() -> None:
    humans, judge = population(300, 3, 3)
    judge[:9] = -1
    found = reference(humans, judge)
    ratings = oe.Ratings(np.where(humans < 0, np.nan, humans), range(K))
    consensus, answers = ratings.consensus(), judge[:, 0]
    upper = ratings.consensus(tie="upper")
    assert found.ties == sum(a != b for a, b in zip(consensus, upper, strict=True)) > 0
    both = [i for i in range(9, 300) if consensus[i] is not None]
    expected = oe.weighted_kappa([consensus[i] for i in both], answers[both], labels=range(K))
    own = found.references["judge"]
    assert own.consensus.estimate == pytest.approx(expected)
    assert own.consensus.items == len(both)
    agreed = [
        i for i in both if (humans[i] >= 0).sum() > 1 and len(set(humans[i][humans[i] >= 0])) == 1
    ]
    expected = oe.weighted_kappa([consensus[i] for i in agreed], answers[agreed], labels=range(K))
    assert own.unanimous.estimate == pytest.approx(expected)
    assert own.unanimous.items == len(agreed)
    assert f"{found.ties} are ties, which go to the lower grade" in found.details("all").to_text(
        width=400
    )


def test_raters_widen_the_interval_and_need_three() -> None:
    humans, judge = population(300, 5, 4)
    humans[:, 0] = np.where(humans[:, 0] < 0, -1, np.random.default_rng(0).integers(0, K, 300))
    own = reference(humans, judge).references["judge"]
    assert own.votes_over_raters.estimate == own.votes.estimate
    assert own.votes_over_raters.low < own.votes.low < own.votes.high < own.votes_over_raters.high
    two = reference(humans[:, 1:3], judge).references["judge"].votes_over_raters
    assert np.isnan(two.low)
    assert two.estimate == two.estimate
    assert reference(humans[:, 1:2], judge).references == {}


def test_the_spread_over_raters_is_the_jackknife() -> None:
    humans, judge = population(200, 4, 5, gaps=0)
    panel = Panel(humans=humans, runs=judge, k=K, metric=oe.get_metric("accuracy"))
    wide, narrow = (
        getattr(noisy_reference(panel, humans[:, 0]), x) for x in ("votes_over_raters", "votes")
    )
    values = [(np.delete(humans, r, axis=1) == judge).mean() for r in range(4)]
    between = 3 / 4 * np.sum((values - np.mean(values)) ** 2)
    assert wide.estimate == pytest.approx((humans == judge).mean())
    assert wide.high - wide.low > np.sqrt(between) * 2
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_perfect_judge_of_unanimous_humans() -> None:
    grades = np.tile(np.arange(K), 8)
    own = reference(np.stack([grades] * 3, axis=1), grades[:, None]).references["judge"]
    for found in (own.votes, own.consensus, own.unanimous):
        assert found.estimate == found.high == 1
        assert 0.5 < found.low < 1
