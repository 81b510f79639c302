"""Judges beside each other: a slow definition, false claims, power, missing answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.inference.raters.judge_pairs import JudgePairs, compare_judges

K = 5


def graded(quality: Any, spread: float, rng: np.random.Generator) -> Any:
    return np.clip(np.rint(quality + rng.normal(0, spread, quality.shape)), 0, K - 1).astype(int)


def population(rng: np.random.Generator, n: int, humans: int, clusters: int = 0) -> Any:
    quality = rng.normal(2, 1.2, n)
    if clusters:
        quality = rng.normal(2, 0.9, clusters).repeat(n // clusters) + rng.normal(0, 0.8, n)
    return quality, np.stack([graded(quality, 0.6, rng) for _ in range(humans)], axis=1)


def compared(humans: Any, answers: Any, name: str = "weighted_kappa", **options: Any) -> JudgePairs:
    runs = {j: x if x.ndim == 2 else x[:, None] for j, x in answers.items()}
    return compare_judges(humans, runs, oe.get_metric(name), k=K, level=0.95, **options)


@pytest.mark.parametrize("name", ["weighted_kappa", "mean_absolute_error", "somers_d"])
def test_differences_are_those_of_mean_agreements(name: str) -> None:
    rng = np.random.default_rng(0)
    quality, humans = population(rng, 120, 3)
    humans[rng.random(humans.shape) < 0.2] = -1
    answers = {j: graded(quality, s, rng) for j, s in (("a", 0.3), ("b", 0.9), ("c", 1.5))}
    found = compared(humans, answers, name)
    metric = oe.get_metric(name)

    def agreement(judge: str, rows: Any) -> float:
        return float(
            np.mean(
                [
                    metric(h[rows & (h >= 0)], answers[judge][rows & (h >= 0)], labels=range(K))
                    for h in humans.T
                ]
            )
        )

    rated = (humans >= 0).any(axis=1)
    assert [(d.a, d.b) for d in found.differences] == [("a", "b"), ("a", "c"), ("b", "c")]
    for d in found.differences:
        assert d.items == rated.sum()
        assert d.delta == pytest.approx(agreement(d.a, rated) - agreement(d.b, rated))
        left = []
        for i in np.flatnonzero(rated):
            rows = rated & (np.arange(120) != i)
            left.append(agreement(d.a, rows) - agreement(d.b, rows))
        n = len(left)
        jackknife = np.sqrt((n - 1) / n * ((np.array(left) - np.mean(left)) ** 2).sum())
        half = (d.high - d.low) / 2
        assert half == pytest.approx(1.98 * jackknife, rel=0.08)
        assert (d.low > 0 or d.high < 0) == (d.p_value < 0.05)
        assert d.p_value <= d.p_adjusted


def test_with_one_human_it_is_the_comparison_of_models() -> None:
    rng = np.random.default_rng(1)
    quality, humans = population(rng, 300, 1, clusters=20)
    answers = {j: graded(quality, s, rng) for j, s in (("a", 0.4), ("b", 0.6), ("c", 1.2))}
    cluster = np.arange(300) // 15
    found = compared(humans, answers, cluster=cluster)
    theirs = oe.compare(humans[:, 0], answers, metrics="weighted_kappa", clusters=cluster,
                        labels=range(K))  # fmt: skip
    assert found.exchanged
    for d in found.differences:
        (other,) = (x for x in theirs.deltas() if {x.a, x.b} == {d.a, d.b})
        assert d.delta == pytest.approx(other.delta if other.a == d.a else -other.delta)
        assert (d.p_adjusted < 0.05) == (other.p_adjusted < 0.05)


@pytest.mark.parametrize("clusters", [0, 15])
def test_equal_judges_seldom_differ_and_a_better_one_is_found(clusters: int) -> None:
    rng, sets = np.random.default_rng(2), 100
    false = found_better = 0
    for _ in range(sets):
        quality, humans = population(rng, 150, 2, clusters)
        cluster = np.arange(150) // 10 if clusters else None
        answers = {j: graded(quality, 0.9, rng) for j in "abcd"} | {
            "best": graded(quality, 0.4, rng)
        }
        found = compared(humans, answers, cluster=cluster).differences
        false += any(d.p_adjusted <= 0.05 for d in found if "best" not in (d.a, d.b))
        found_better += all(d.p_adjusted <= 0.05 for d in found if "best" in (d.a, d.b))
    assert false / sets < 0.08
    assert found_better / sets > (0.25 if clusters else 0.5)


def test_the_same_answers_do_not_differ() -> None:
    rng = np.random.default_rng(3)
    quality, humans = population(rng, 100, 3)
    a, other = graded(quality, 0.5, rng), graded(quality, 1.5, rng)
    for cluster in (None, np.arange(100) // 5):
        found = compared(humans, {"a": a, "b": a, "c": other}, cluster=cluster).differences
        assert (found[0].delta, found[0].p_value, found[0].p_adjusted) == (0.0, 1.0, 1.0)
        assert found[0].favours is None
        assert found[1].favours == "a"


def test_judges_are_compared_on_the_items_of_all() -> None:
    rng = np.random.default_rng(4)
    quality, humans = population(rng, 200, 2)
    answers = {j: graded(quality, 0.5, rng) for j in "abc"}
    answers["b"][:40] = -1
    answers["c"][:150] = -1  # too few to take the others' items away
    found = compared(humans, answers)
    assert found.left_out == ("c",)
    (d,) = found.differences
    assert d.items == 160
    fewer = compared(humans[40:], {j: answers[j][40:] for j in "ab"}).differences[0]
    assert d.delta == pytest.approx(fewer.delta)
    assert compared(humans, {"a": answers["a"]}).differences == ()


def test_a_reference_and_runs() -> None:
    rng = np.random.default_rng(5)
    quality, humans = population(rng, 200, 2)
    answers = {j: graded(quality, s, rng) for j, s in (("a", 0.4), ("b", 0.8), ("c", 0.8))}
    found = compared(humans, answers, reference="b").differences
    assert [(d.a, d.b) for d in found] == [("a", "b"), ("c", "b")]
    all_pairs = {(d.a, d.b): d for d in compared(humans, answers).differences}
    assert found[0].p_adjusted <= all_pairs["a", "b"].p_adjusted
    runs = np.stack([answers["a"], answers["b"]], axis=1)
    both = compared(humans, {"a": answers["a"], "mixed": runs}).differences[0]
    assert both.delta == pytest.approx(all_pairs["a", "b"].delta / 2)
