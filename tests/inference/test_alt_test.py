"""The alternative annotator test against its definition, and against its authors' figures."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ordeval as oe
from ordeval.inference.many_models.multiplicity import benjamini_yekutieli
from ordeval.inference.raters.alt_test import ALPHA, EPSILONS, alt_test

DATA = Path(__file__).parents[3] / "shared" / "data" / "raters"


def slow(judge: Any, humans: Any, epsilon: float, scoring: str, least: int) -> Any:
    """Winning rate, advantage probability and p-values, item by item."""
    p_values, advantage = {}, []
    for j in range(humans.shape[1]):
        wins = []
        for mine, row in zip(judge, humans, strict=True):
            others = [x for i, x in enumerate(row) if i != j and not math.isnan(x)]
            if math.isnan(mine) or math.isnan(row[j]) or not others:
                continue
            scores = [
                np.mean([own == x for x in others])
                if scoring == "accuracy"
                else -math.sqrt(np.mean([(own - x) ** 2 for x in others]))
                for own in (mine, row[j])
            ]
            wins.append((scores[0] >= scores[1], scores[1] >= scores[0]))
        if len(wins) < least:
            continue
        gap = [float(human) - float(own) for own, human in wins]
        advantage.append(np.mean([own for own, _ in wins]))
        if np.std(gap) == 0:
            p_values[j] = 0.0 if gap[0] < epsilon else 1.0
        else:
            p_values[j] = stats.ttest_1samp(gap, epsilon, alternative="less").pvalue
    if not p_values:
        return math.nan, math.nan, {}
    # Benjamini and Yekutieli: all up to the largest rank whose p-value is below its line.
    ordered, m = sorted(p_values.values()), len(p_values)
    line = ALPHA / (m * sum(1 / i for i in range(1, m + 1)))
    below = [p for i, p in enumerate(ordered, 1) if p <= i * line]
    beaten = sum(p <= below[-1] for p in p_values.values()) if below else 0
    return beaten / m, float(np.mean(advantage)), p_values


def draw(rng: np.random.Generator, kind: str) -> tuple[Any, Any]:
    n, raters = int(rng.integers(20, 60)), int(rng.integers(2, 6))
    truth = rng.integers(1, 6, n)
    humans = np.clip(truth[:, None] + rng.integers(-1, 2, (n, raters)), 1, 5).astype(float)
    judge = np.clip(truth + rng.integers(-2, 3, n) * (rng.random(n) < 0.4), 1, 5).astype(float)
    if kind == "no spread":
        humans = np.repeat(truth[:, None], raters, axis=1).astype(float)
        judge = truth.astype(float)
    if kind == "always worse":
        humans = np.full((n, raters), 3.0)
        judge = np.full(n, 5.0)
    if kind == "ties":
        judge = humans[:, 0].copy()
    if kind == "gaps":
        humans[rng.random(humans.shape) < 0.4] = np.nan
        judge[rng.random(n) < 0.2] = np.nan
    return judge, humans


@pytest.mark.parametrize("scoring", ["rmse", "accuracy"])
@pytest.mark.parametrize("kind", ["any", "ties", "gaps", "no spread", "always worse"])
def test_it_follows_its_definition(kind: str, scoring: Any) -> None:
    rng = np.random.default_rng(2025)
    for _ in range(6):
        judge, humans = draw(rng, kind)
        names = [f"h{i}" for i in range(humans.shape[1])]
        for epsilon in (0.0, 0.3):
            found = alt_test(judge, humans, names, epsilon=epsilon, scoring=scoring, min_items=15)
            rate, advantage, p = slow(judge, humans, epsilon, scoring, 15)
            assert found.winning_rate == pytest.approx(rate, nan_ok=True)
            assert found.advantage == pytest.approx(advantage, nan_ok=True)
            assert found.p_values == pytest.approx({names[j]: x for j, x in p.items()})
            assert set(found.left_out) == set(names) - set(found.p_values)
            assert list(found.by_epsilon) == sorted({*EPSILONS, epsilon})
            for e, at in found.by_epsilon.items():
                assert at == pytest.approx(slow(judge, humans, e, scoring, 15)[0], nan_ok=True)
            assert found.passes == (rate >= 0.5)


def test_more_is_forgiven_by_a_larger_epsilon() -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        judge, humans = draw(rng, "any")
        found = alt_test(judge, humans, [f"h{i}" for i in range(humans.shape[1])])
        rates = list(found.by_epsilon.values())
        assert rates == sorted(rates)


def test_a_copy_of_a_human_ties_with_that_human() -> None:
    rng = np.random.default_rng(3)
    humans = rng.integers(1, 6, (50, 3)).astype(float)
    found = alt_test(humans[:, 1].copy(), humans, "abc", epsilon=0.1)
    assert found.p_values["b"] == 0.0
    assert alt_test(humans[:, 1].copy(), humans, "abc", epsilon=0.0).p_values["b"] == 1.0


def test_humans_with_few_items_are_left_out_and_named() -> None:
    rng = np.random.default_rng(4)
    humans = rng.integers(1, 6, (50, 3)).astype(float)
    humans[:30, 2] = np.nan
    found = alt_test(humans[:, 0], humans, "abc")
    assert found.left_out == ("c",)
    nobody = alt_test(humans[:, 0], humans, "abc", min_items=51)
    assert math.isnan(nobody.winning_rate)
    assert not nobody.passes


def test_clusters_are_tested_by_their_means_if_they_are_alike_in_size() -> None:
    """Clusters of one size: a t test of the clusters' means is the same thing."""
    rng = np.random.default_rng(6)
    judge, humans = (rng.integers(1, 6, shape).astype(float) for shape in ((60,), (60, 3)))
    cluster = np.repeat(np.arange(12), 5)[rng.permutation(60)]
    found = alt_test(judge, humans, "abc", epsilon=0.1, cluster=cluster)
    for j, name in enumerate("abc"):
        others = np.delete(humans, j, axis=1)
        mine, theirs = (
            -np.sqrt(((own[:, None] - others) ** 2).mean(axis=1)) for own in (judge, humans[:, j])
        )
        gap = (theirs >= mine).astype(float) - (mine >= theirs)
        means = [gap[cluster == c].mean() for c in range(12)]
        expected = stats.ttest_1samp(means, 0.1, alternative="less").pvalue
        assert found.p_values[name] == pytest.approx(expected)


def test_clusters_of_one_item_are_items_and_copies_add_nothing() -> None:
    judge, humans = draw(np.random.default_rng(7), "gaps")
    names = [f"h{i}" for i in range(humans.shape[1])]
    plain = alt_test(judge, humans, names, min_items=5)
    alone = alt_test(judge, humans, names, min_items=5, cluster=np.arange(len(judge)))
    assert alone.p_values == pytest.approx(plain.p_values)
    cluster = np.repeat(np.arange(len(judge)), 3)
    copied = np.repeat(judge, 3), np.repeat(humans, 3, axis=0)
    again = alt_test(*copied, names, min_items=15, cluster=cluster)
    assert again.p_values == pytest.approx(plain.p_values)
    assert alt_test(*copied, names, min_items=15).p_values != pytest.approx(plain.p_values)


def test_one_cluster_tests_nothing_and_two_alike_are_not_certain() -> None:
    rng = np.random.default_rng(8)
    humans = rng.integers(1, 6, (40, 3)).astype(float)
    judge = rng.integers(1, 6, 40).astype(float)
    single = alt_test(judge, humans, "abc", cluster=np.zeros(40, dtype=int))
    assert single.left_out == ("a", "b", "c")
    twice = alt_test(
        np.tile(judge, 2), np.tile(humans, (2, 1)), "abc", epsilon=0.5,
        cluster=np.repeat([0, 1], 40),
    )  # fmt: skip
    assert all(0 < p < 1 for p in twice.p_values.values())


def test_benjamini_yekutieli() -> None:
    """Benjamini & Yekutieli (2001), by hand: p m c(m) / rank, then the least from the right."""
    p = [0.04, 0.001, 0.9, 0.01]
    c = 1 + 1 / 2 + 1 / 3 + 1 / 4
    expected = [0.04 * 4 * c / 3, 0.001 * 4 * c, 1.0, 0.01 * 4 * c / 2]
    assert benjamini_yekutieli(p) == pytest.approx(expected)
    rng = np.random.default_rng(5)
    for m in (1, 2, 7):
        drawn = rng.random(m) ** 3
        assert benjamini_yekutieli(drawn) == pytest.approx(
            stats.false_discovery_control(drawn, method="by")
        )
    assert benjamini_yekutieli([0.01, np.nan])[0] == pytest.approx(0.01)


# Calderon, Reichart & Dror (ACL 2025): winning rate and advantage probability.
FIGURES = {
    ("summeval", 0.2): {
        "gemini_flash": (0.0, 0.46), "gemini_pro": (0.0, 0.44), "gpt-4o": (0.0, 0.48),
        "llama-31": (0.0, 0.58), "gpt-4o-mini": (0.0, 0.54), "mistral-v03": (0.0, 0.62),
    },
    ("cebab_stars", 0.1): {
        "gemini_flash": (0.6, 0.82), "gemini_pro": (0.8, 0.87), "gpt-4o": (0.9, 0.90),
        "llama-31": (0.6, 0.85), "gpt-4o-mini": (0.9, 0.89), "mistral-v03": (0.5, 0.83),
    },
}  # fmt: skip


def judged(name: str, epsilon: float) -> Any:
    import polars as pl

    humans = oe.Ratings.from_file(DATA / f"{name}_humans.csv", labels=range(1, 6))
    frame = pl.read_csv(DATA / f"{name}_judges.csv")
    answers = {int(row["item"]): row for row in frame.iter_rows(named=True)}
    judges = {
        judge: [answers[int(str(item))][judge] for item in humans.items]
        for judge in frame.columns[1:]
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", oe.OrdevalWarning)
        return oe.judge(humans, judges, epsilon=epsilon)


@pytest.mark.skipif(not DATA.is_dir(), reason="the authors' data are not beside the project")
@pytest.mark.parametrize(("name", "epsilon"), FIGURES)
def test_the_figures_of_the_authors(name: str, epsilon: float) -> None:
    found = judged(name, epsilon).alt_test
    shown = {
        judge: (round(test.winning_rate, 2), round(test.advantage, 2))
        for judge, test in found.items()
    }
    assert shown == FIGURES[name, epsilon]


@pytest.mark.skipif(not DATA.is_dir(), reason="the authors' data are not beside the project")
def test_the_conclusion_says_where_the_tests_disagree() -> None:
    """mistral-v03 has the highest advantage probability, and hardly agrees with humans."""
    found = judged("summeval", 0.2)
    assert found.ceiling.estimate == pytest.approx(0.72, abs=0.005)
    assert found.agreement["mistral-v03"].estimate == pytest.approx(0.08, abs=0.01)
    assert found.agreement["gpt-4o"].estimate == pytest.approx(0.39, abs=0.01)
    assert "mistral-v03 has the highest advantage probability (0.62)" in found.conclusion()
