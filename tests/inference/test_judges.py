"""A judge beside humans: ceiling, agreement, gap, bias, severity, panels and systems."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ordeval as oe
from ordeval.inference.raters.judge_subgroups import judged_groups
from ordeval.inference.raters.judges import (
    Panel,
    prmse,
    severity,
    with_the_others,
)
from ordeval.inference.raters.system_ranks import rank_systems

K = 5
DATA = Path(__file__).parents[3] / "shared" / "data" / "raters" / "prmse.csv"


def draw(n: int = 80, columns: int = 4, *, gaps: float = 0.2, seed: int = 0) -> Any:
    """Ratings in positions, -1 where there is none."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, n)[:, None] + rng.integers(-1, 2, (n, columns))
    return np.where(rng.random((n, columns)) < gaps, -1, np.clip(codes, 0, K - 1))


def panel_of(codes: Any, name: str = "weighted_kappa", runs: int = 1, **options: Any) -> Panel:
    metric = oe.get_metric(name)
    return Panel(humans=codes[:, :-runs], runs=codes[:, -runs:], k=K, metric=metric, **options)


def between(name: str, a: Any, b: Any) -> float:
    both = (a >= 0) & (b >= 0)
    return float(oe.get_metric(name)(a[both], b[both], labels=range(K)))


SYMMETRIC = ("weighted_kappa", "accuracy", "mean_absolute_error", "krippendorff_alpha")


@pytest.mark.parametrize("name", SYMMETRIC)
def test_values_are_means_over_pairs(name: str) -> None:
    for seed in range(10):
        codes = draw(seed=seed)
        panel = panel_of(codes, name)
        pairs = [between(name, codes[:, a], codes[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))]
        of_judge = [between(name, codes[:, h], codes[:, 3]) for h in range(3)]
        assert panel.ceiling.estimate == pytest.approx(np.mean(pairs))
        assert panel.agreement.estimate == pytest.approx(np.mean(of_judge))
        assert panel.with_each == pytest.approx(of_judge)
        assert panel.pairs_of_humans == 3
        gap = panel.agreement.estimate - panel.ceiling.estimate
        assert panel.gap.estimate == pytest.approx(gap)
        for found in (panel.ceiling, panel.agreement, panel.gap):
            assert found.low <= found.estimate <= found.high


def test_a_measure_with_a_truth_takes_the_human_for_it() -> None:
    codes = draw()
    panel = panel_of(codes, "somers_d")
    both_ways = [
        between("somers_d", codes[:, a], codes[:, b])
        for a, b in itertools.permutations(range(3), 2)
    ]
    assert panel.ceiling.estimate == pytest.approx(np.mean(both_ways))
    of_judge = [between("somers_d", codes[:, h], codes[:, 3]) for h in range(3)]
    assert panel.agreement.estimate == pytest.approx(np.mean(of_judge))
    assert panel.pairs_of_humans == 3


def test_two_humans_without_gaps_have_the_interval_of_the_measure() -> None:
    codes = draw(gaps=0.0, columns=3)
    for name in SYMMETRIC:
        found = panel_of(codes, name).ceiling
        alone = oe.confidence_interval(name, codes[:, 0], codes[:, 1], labels=range(K))
        assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


def test_a_perfect_panel_has_the_interval_of_the_measure() -> None:
    truth = np.arange(60) % K
    found = panel_of(np.stack([truth] * 3, axis=1)).ceiling
    alone = oe.confidence_interval("weighted_kappa", truth, truth, labels=range(K))
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(alone.low)


def test_runs_of_a_judge() -> None:
    codes = draw(columns=5)
    panel = panel_of(codes, runs=2)
    assert panel.self_consistency is not None
    expected = between("weighted_kappa", codes[:, 3], codes[:, 4])
    assert panel.self_consistency.estimate == pytest.approx(expected)
    both = [between("weighted_kappa", codes[:, h], codes[:, j]) for h in range(3) for j in (3, 4)]
    assert panel.agreement.estimate == pytest.approx(np.mean(both))
    assert panel_of(codes).self_consistency is None


def test_clusters_of_one_item_are_no_clusters() -> None:
    codes = draw()
    alone, told = panel_of(codes), panel_of(codes, cluster=np.arange(80))
    for part in ("ceiling", "agreement", "gap", "bias"):
        a, b = getattr(alone, part), getattr(told, part)
        assert (a.low, a.high) == pytest.approx((b.low, b.high)), part
    again = panel_of(np.repeat(codes, 4, axis=0), cluster=np.repeat(np.arange(80), 4))
    width = alone.gap.high - alone.gap.low
    assert again.gap.high - again.gap.low == pytest.approx(width, rel=0.1)


def test_the_margin_and_the_interval_are_one_test() -> None:
    """Non-inferior by the interval is a one-sided p of at most half of what the level leaves."""
    for name in ("weighted_kappa", "mean_absolute_error"):
        for seed in range(8):
            panel = panel_of(draw(120, seed=seed), name)
            gap = panel.gap
            worst = -gap.low if panel.metric.greater_is_better else gap.high
            if worst <= 0:
                continue
            assert panel.noninferior(worst) == pytest.approx(0.025, abs=1e-6)
            assert panel.noninferior(2 * worst) < 0.025 < panel.noninferior(worst / 2)


def test_without_humans_in_common_there_is_no_ceiling() -> None:
    codes = draw(60, 3, gaps=0.0)
    codes[:30, 0] = codes[30:, 1] = -1
    panel = panel_of(codes)
    for found in (panel.ceiling, panel.gap):
        assert math.isnan(found.estimate)
        assert math.isnan(found.low)
    assert math.isnan(panel.noninferior(0.1))
    assert panel.agreement.low < panel.agreement.estimate
    silent = panel_of(np.where(np.arange(3) == 2, -1, draw(60, 3)))
    assert math.isnan(silent.agreement.estimate)
    assert math.isnan(silent.bias.estimate)
    assert silent.ceiling.low < silent.ceiling.estimate
    assert math.isnan(silent.compression)


# Without one human


@pytest.mark.parametrize("name", ["weighted_kappa", "mean_absolute_error", "somers_d"])
@pytest.mark.parametrize("clusters", [False, True])
def test_without_a_human_is_a_panel_that_never_had_that_human(name: str, clusters: bool) -> None:
    cluster = np.arange(120) // 4 if clusters else None
    for runs in (1, 2):
        codes = draw(120, 3 + runs, seed=runs)
        panel = panel_of(codes, name, runs=runs, cluster=cluster)
        each = [(0,), (1,), (2,)]
        ceilings, gaps = panel.ceilings_without(each), panel.gaps_without(each)
        for h in range(3):
            fewer = panel_of(np.delete(codes, h, axis=1), name, runs=runs, cluster=cluster)
            for found, own in ((ceilings[h], fewer.ceiling), (gaps[h], fewer.gap)):
                assert vars(found) == pytest.approx(vars(own))


def test_without_one_of_two_humans_there_is_no_ceiling() -> None:
    panel = panel_of(draw(60, 3))
    for found in (*panel.ceilings_without([[0], [1]]), *panel.gaps_without([[0], [1]])):
        assert math.isnan(found.estimate)


def test_humans_who_share_a_few_items_make_no_ceiling() -> None:
    """Kappa of a few items is far too low: every judge would be above the ceiling."""
    rng = np.random.default_rng(0)
    codes = draw(200, 21, gaps=0.0)
    sparse = codes.copy()
    sparse[:, :20][rng.random((200, 20)) < 0.9] = -1
    assert math.isnan(panel_of(sparse).ceiling.estimate)
    assert math.isnan(panel_of(sparse).gap.estimate)
    some = codes[:, [0, 1, 2, 20]].copy()
    some[15:, 2] = -1  # shares 15 items with everybody
    panel = panel_of(some)
    assert panel.pairs_of_humans == 1
    assert panel.ceiling.estimate == pytest.approx(between("weighted_kappa", *some[:, :2].T))
    assert math.isnan(panel.with_each[2])
    few = with_the_others(some[:, :3], K, oe.get_metric("weighted_kappa"))
    assert math.isnan(few[2])
    small = panel_of(draw(9, 4, gaps=0.0))  # of few items in all, half are enough
    assert small.pairs_of_humans == 3


def test_a_judge_of_one_answer_has_no_interval() -> None:
    codes = draw(80, 4, gaps=0.0)
    codes[1:, 3] = -1
    gap = panel_of(codes).answered().gap
    assert math.isnan(gap.low)
    codes[0, 3] = -1
    assert math.isnan(panel_of(codes).answered().gap.estimate)


# Subgroups


def groups_of(codes: Any, group: Any, cluster: Any = None) -> Any:
    return judged_groups(panel_of(codes, cluster=cluster), np.asarray(group), int(max(group)) + 1)


def test_a_subgroup_is_a_panel_of_its_items() -> None:
    codes, group = draw(300, 4), np.arange(300) % 3
    found = groups_of(codes, group)
    for g, panel in enumerate(found.panels):
        own, rest = panel_of(codes[group == g]), panel_of(codes[group != g])
        assert vars(panel.gap) == pytest.approx(vars(own.gap))
        delta = own.gap.estimate - rest.gap.estimate
        assert found.differences.delta[g] == pytest.approx(delta)
        assert found.differences.low[g] < delta < found.differences.high[g]
    p, adjusted = found.differences.p_value, found.differences.p_adjusted
    assert adjusted == pytest.approx(1 - (1 - p) ** 3)  # Šidák
    two = groups_of(codes, group > 0).differences
    assert two.p_adjusted == pytest.approx(two.p_value)  # one is the rest of the other
    assert two.delta[0] == pytest.approx(-two.delta[1])


def test_clusters_that_reach_over_subgroups_tie_them() -> None:
    """Copies of items in both subgroups: the difference is known to be zero."""
    codes = np.repeat(draw(100, 4, seed=3), 2, axis=0)
    group, cluster = np.arange(200) % 2, np.arange(200) // 2
    tied, alone = groups_of(codes, group, cluster), groups_of(codes, group)
    width = [x.differences.high[0] - x.differences.low[0] for x in (tied, alone)]
    assert width[0] < width[1] / 2


def test_a_subgroup_without_a_gap_is_not_tested() -> None:
    codes, group = draw(150, 4), np.arange(150) % 3
    codes[group == 2, 1:3] = -1  # one human alone
    found = groups_of(codes, group).differences
    assert math.isnan(found.p_value[2])
    assert not np.isnan(found.p_value[:2]).any()


# Bias


def test_bias_is_the_mean_step_above_the_humans() -> None:
    codes = draw(columns=5)
    panel = panel_of(codes, runs=2)
    steps: list[tuple[int, int]] = []
    for row in codes:
        steps += [(h, j - h) for h in row[:3] for j in row[3:] if h >= 0 and j >= 0]
    assert panel.bias.estimate == pytest.approx(np.mean([s for _, s in steps]))
    assert panel.bias.low < panel.bias.estimate < panel.bias.high
    humans, judges = ([], []) if not steps else zip(*((h, h + s) for h, s in steps), strict=True)
    assert panel.compression == pytest.approx(np.std(judges) / np.std(humans))
    assert panel.matrix.sum() == len(steps)


def test_severity_is_the_mean_step_above_the_others() -> None:
    codes = draw(60, 4)
    for r, found in enumerate(severity(codes, 0.95, None)):
        apart = []
        for row in codes:
            others = [x for i, x in enumerate(row) if i != r and x >= 0]
            if row[r] >= 0 and others:
                apart.append(row[r] - np.mean(others))
        interval = stats.ttest_1samp(apart, 0.0).confidence_interval()
        assert found.estimate == pytest.approx(np.mean(apart))
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
        assert found.items == len(apart)
    clustered = severity(np.repeat(codes, 3, axis=0), 0.95, np.repeat(np.arange(60), 3))
    first = severity(codes, 0.95, None)[0]
    assert (clustered[0].low, clustered[0].high) == pytest.approx((first.low, first.high))
    nothing = severity(np.array([[0, -1], [1, -1]]), 0.95, None)
    assert all(math.isnan(x.estimate) for x in nothing)


def test_agreement_of_each_human_with_the_others() -> None:
    codes = draw(60, 4)
    found = with_the_others(codes, K, oe.get_metric("weighted_kappa"))
    for a, value in enumerate(found):
        each = [between("weighted_kappa", codes[:, a], codes[:, b]) for b in range(4) if b != a]
        assert value == pytest.approx(np.mean(each))


# Panels and systems


@pytest.mark.parametrize("levels", [3, 50])
def test_systems_are_ranked_as_by_kendall(levels: int) -> None:
    rng = np.random.default_rng(levels)
    for _ in range(6):
        system = rng.integers(0, 6, 40)
        judge, humans = (rng.integers(0, levels, 40).astype(float) for _ in range(2))
        judge[rng.random(40) < 0.1] = np.nan
        rows = ~np.isnan(judge)
        names = np.unique(system[rows])
        means = [[x[rows & (system == s)].mean() for s in names] for x in (judge, humans)]
        found = rank_systems(judge, humans, system, 0.95, np.random.default_rng(0))
        expected = stats.kendalltau(*np.round(means, 12)).statistic
        assert found.estimate == pytest.approx(expected, nan_ok=True)
        assert not found.low > found.estimate
        assert not found.high < found.estimate
    one = rank_systems(judge, humans, np.zeros(40, dtype=int), 0.95, np.random.default_rng(0))
    assert math.isnan(one.estimate)


def test_systems_that_are_far_apart_are_ranked_for_sure() -> None:
    system = np.repeat(np.arange(5), 20)
    noise = np.random.default_rng(0).normal(size=(2, 100))
    found = rank_systems(
        10.0 * system + noise[0], 10.0 * system + noise[1], system, 0.95, np.random.default_rng(0)
    )
    assert (found.low, found.estimate, found.high) == (1.0, 1.0, 1.0)


# PRMSE


@pytest.mark.skipif(not DATA.exists(), reason="the example is not beside the project")
def test_prmse_of_the_example() -> None:
    """The figures that come with it."""
    judge, *humans = np.genfromtxt(DATA, delimiter=",", skip_header=1).T
    found = prmse(judge, np.stack(humans, axis=1))
    assert found.error_variance == pytest.approx(0.509375, abs=1e-9)
    assert found.true_variance == pytest.approx(0.7765515, abs=1e-7)
    assert found.value == pytest.approx(0.5409673, abs=1e-7)


def test_prmse_is_what_a_judge_explains_of_the_true_scores() -> None:
    rng = np.random.default_rng(0)
    true = rng.normal(size=50_000)
    humans = true[:, None] + rng.normal(size=(50_000, 3))
    judge = true + 0.5 * rng.normal(size=50_000)
    humans[rng.random(humans.shape) < 0.3] = np.nan
    found = prmse(judge, humans)
    assert found[:3] == pytest.approx((0.75, 1.0, 1.0), abs=0.03)
    assert found.repeated == ((~np.isnan(humans)).sum(axis=1) > 1).sum()
    alone = prmse(judge[:5], true[:5, None])
    assert math.isnan(alone.value)
