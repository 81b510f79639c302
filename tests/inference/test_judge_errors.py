"""Bias by grade beyond that of humans, and correlated errors of judges, beside known truths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import ordeval as oe
from ordeval.inference.intervals import Interval
from ordeval.inference.raters import grade_bias
from ordeval.inference.raters.judges import Panel
from ordeval.inference.raters.panel_errors import panel_errors

K = 5
SHOWN = Interval(
    metric="correlation", estimate=np.nan, low=np.nan, high=np.nan, level=0.95, method="auto",
    items=0, effective=0.0,
)  # fmt: skip


def panel_of(humans: Any, judge: Any, **options: Any) -> Panel:
    runs = judge if judge.ndim == 2 else judge[:, None]
    metric = oe.get_metric("weighted_kappa")
    return Panel(humans=humans, runs=runs, k=K, metric=metric, **options)


def draw(n: int, columns: int, rng: np.random.Generator, gaps: float = 0.2) -> Any:
    codes = rng.integers(0, K, n)[:, None] + rng.integers(-1, 2, (n, columns))
    return np.where(rng.random((n, columns)) < gaps, -1, np.clip(codes, 0, K - 1))


def test_bias_by_grade_is_a_mean_over_pairs_of_ratings() -> None:
    codes = draw(90, 5, np.random.default_rng(0))
    humans, runs = codes[:, :3], codes[:, 3:]
    panel = panel_of(humans, runs)
    judge: dict[int, list[int]] = {g: [] for g in range(K)}
    others: dict[int, list[int]] = {g: [] for g in range(K)}
    beyond: dict[int, list[float]] = {g: [] for g in range(K)}
    for row, own in zip(humans, runs, strict=True):
        answers = own[own >= 0]
        for a, g in enumerate(row):
            rest = [h for b, h in enumerate(row) if b != a and h >= 0]
            if g < 0:
                continue
            judge[g] += [x - g for x in answers]
            others[g] += [h - g for h in rest]
            if len(answers) and rest:
                beyond[g].append(float(np.mean(answers) - np.mean(rest)))
    for found, expected in (
        (grade_bias.of_judge(panel), judge),
        (grade_bias.of_humans(panel), others),
        (grade_bias.beyond_humans(panel), beyond),
    ):
        for g, x in enumerate(found):
            assert x.estimate == pytest.approx(np.mean(expected[g]))
            assert x.low < x.estimate < x.high


def test_one_human_has_a_t_interval_and_no_others() -> None:
    codes = draw(100, 2, np.random.default_rng(1), gaps=0.0)
    panel = panel_of(codes[:, :1], codes[:, 1])
    for grade, found in enumerate(grade_bias.of_judge(panel)):
        own = (codes[:, 1] - codes[:, 0])[codes[:, 0] == grade].astype(float)
        interval = stats.ttest_1samp(own, 0.0).confidence_interval()
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    for x in (*grade_bias.of_humans(panel), *grade_bias.beyond_humans(panel)):
        assert np.isnan(x.estimate)


def test_intervals_hold_for_all_grades_at_once() -> None:
    codes = draw(100, 3, np.random.default_rng(2), gaps=0.0)
    found = grade_bias.beyond_humans(panel_of(codes[:, :2], codes[:, 2]))
    assert found[0].level == pytest.approx(0.95 ** (1 / K))


def population(rng: np.random.Generator, n: int, humans: int, clusters: int = 0) -> Any:
    """True grades on a fine scale, and the humans' noisy ones."""
    quality = rng.normal(2.0, 1.2, n)
    if clusters:
        quality = rng.normal(2.0, 1.0, clusters).repeat(n // clusters) + rng.normal(0, 0.6, n)
    return quality, np.stack([grades(quality + rng.normal(0, 0.7, n)) for _ in range(humans)], 1)


def grades(level: Any) -> Any:
    return np.clip(np.rint(level), 0, K - 1).astype(np.int64)


def test_a_perfect_judge_seems_to_lift_low_grades_and_humans_do_so_too() -> None:
    """The regression to the mean is most of a perfect judge's bias by grade."""
    quality, humans = population(np.random.default_rng(3), 40_000, 3)
    mean = np.stack([grades(quality + e) for e in stats.norm.ppf(np.arange(0.5, 40) / 40) * 0.7])
    panel = panel_of(humans, grades(mean.mean(axis=0)))  # the humans' expected grade, rounded
    raw, own, beyond = (
        np.array([x.estimate for x in f(panel)])
        for f in (grade_bias.of_judge, grade_bias.of_humans, grade_bias.beyond_humans)
    )
    assert raw[0] > 0.4
    assert raw[-1] < -0.4
    np.testing.assert_allclose(own, raw, atol=0.08)
    np.testing.assert_allclose(beyond, 0, atol=0.08)


@pytest.mark.parametrize("clusters", [0, 40])
def test_a_judge_like_a_human_is_seldom_said_to_differ(clusters: int) -> None:
    rng, false, sets = np.random.default_rng(4), 0, 250
    for _ in range(sets):
        quality, humans = population(rng, 200, 3, clusters)
        cluster = np.arange(200) // 5 if clusters else None
        panel = panel_of(humans, grades(quality + rng.normal(0, 0.7, 200)), cluster=cluster)
        false += any(x.low > 0 or x.high < 0 for x in grade_bias.beyond_humans(panel))
    assert false / sets < 0.09


@pytest.mark.parametrize("humans", [2, 3, 5])
@pytest.mark.parametrize("common", [0.0, 0.5])
def test_the_correlation_of_errors_does_not_hold_the_humans_own(humans: int, common: float) -> None:
    """Against the mean of three humans, four independent judges seem to be correlated by 0.29."""
    rng, sets, n = np.random.default_rng(5), 60, 400
    found, held, naive, true = [], 0, [], []
    for _ in range(sets):
        quality, given = population(rng, n, humans)
        shared = rng.normal(0, 0.6 * common**0.5, n)
        judges = {
            str(i): grades(quality + shared + rng.normal(0, 0.6 * (1 - common) ** 0.5, n)) * 1.0
            for i in range(4)
        }
        expected = np.mean([grades(quality + rng.normal(0, 0.7, n)) for _ in range(200)], axis=0)
        true.append(_correlation(np.stack([x - expected for x in judges.values()])))
        naive.append(_correlation(np.stack([x - given.mean(axis=1) for x in judges.values()])))
        x = panel_errors(judges, given.astype(float), np.arange(n), SHOWN).correlation
        assert x is not None
        found.append(x)
    goal = float(np.mean(true))
    held = sum(goal in x for x in found)
    assert np.mean([x.estimate for x in found]) == pytest.approx(goal, abs=0.03)
    assert held / sets > 0.85
    assert np.mean(naive) > goal + 0.1


def _correlation(errors: Any) -> float:
    c = np.cov(errors)
    return float((c.sum() - np.trace(c)) / (len(c) - 1) / np.trace(c))


def test_equal_judges_are_one_and_one_human_tells_nothing() -> None:
    rng = np.random.default_rng(6)
    quality, given = population(rng, 200, 3)
    humans, unit = given.astype(float), np.arange(200)
    answers = grades(quality + rng.normal(0, 0.5, 200)) * 1.0
    same = panel_errors({"a": answers, "b": answers}, humans, unit, SHOWN)
    assert same.correlation is not None
    assert (same.size, same.correlation.estimate) == pytest.approx((1.0, 1.0))
    one = panel_errors({"a": answers, "b": answers}, humans[:, :1], unit, SHOWN)
    assert one.correlation is None
    assert np.isnan(one.size)
    assert "with one human per item" in one.refused
    alone = panel_errors({"a": answers}, humans, unit, SHOWN)
    assert (alone.size, alone.correlation, alone.refused) == (1.0, None, "")
    perfect = np.stack([answers] * 3, axis=1)
    silent = panel_errors({"a": answers, "b": answers}, perfect, unit, SHOWN)
    assert "no errors" in silent.refused


def test_gaps_use_the_items_that_both_judges_answered() -> None:
    rng = np.random.default_rng(7)
    quality, given = population(rng, 300, 3)
    humans = np.where(rng.random((300, 3)) < 0.3, np.nan, given.astype(float))
    a, b = (grades(quality + rng.normal(0, 0.6, 300)) * 1.0 for _ in range(2))
    b[:100] = np.nan
    found = panel_errors({"a": a, "b": b}, humans, np.arange(300), SHOWN).correlation
    fewer = panel_errors(
        {"a": a[100:], "b": b[100:]}, humans[100:], np.arange(200), SHOWN
    ).correlation
    assert found is not None
    assert fewer is not None
    assert found.estimate == pytest.approx(fewer.estimate, abs=0.02)  # a is centred on all items
