"""Subgroups all at once are what each would be alone; what differs is shown, and seldom else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.ready import quick

import ordeval as oe
from ordeval.inference.intervals import Estimation
from ordeval.inference.samples import Sample
from ordeval.inference.subgroup_differences import paule_mandel, welch
from ordeval.inference.subgroups import Subgroups, of_counts, of_sample

HOW = Estimation()
QUICK = quick()
RNG = np.random.default_rng(7)
# Full ones, thin ones with empty classes and cells, a perfect one, one of one class, one item.
STACK = np.concatenate([
    RNG.integers(0, 30, (3, 4, 4)) + 20 * np.eye(4, dtype=int),
    RNG.integers(0, 3, (5, 4, 4)) * RNG.integers(0, 2, (5, 4, 4)) * RNG.integers(0, 2, (5, 4, 1)),
    np.diag([6, 5, 4, 3])[None],
    [[[9, 2, 0, 0], [0] * 4, [0] * 4, [0] * 4]],
    [np.eye(4, dtype=int) * [1, 0, 0, 0]],
    np.zeros((1, 4, 4), dtype=int),
])  # fmt: skip
SCALE = oe.Scale.range(0, 3)


def found(metric: str, stack: Any = STACK, **options: Any) -> Subgroups:
    k = np.shape(stack)[-1]
    return of_counts((oe.get_metric(metric),), np.asarray(stack), oe.Scale.range(0, k - 1), HOW,
                     **options)[metric]  # fmt: skip


def drawn(
    rng: np.random.Generator, sizes: list[int], right: Any, imbalanced: bool
) -> NDArray[np.int64]:
    """Subgroups (G, 5, 5) whose items are right with a chance, and else off by one or more."""
    classes = np.array([0.75, *[0.0625] * 4]) if imbalanced else np.full(5, 0.2)
    steps = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    misses = np.where(steps > 0, 3.0**-steps, 0)
    misses /= misses.sum(axis=1, keepdims=True)
    chances = [classes[:, None] * (r * np.eye(5) + (1 - r) * misses)
               for r in np.broadcast_to(right, len(sizes))]  # fmt: skip
    return np.stack([rng.multinomial(n, p.ravel()).reshape(5, 5)
                     for n, p in zip(sizes, chances, strict=True)])  # fmt: skip


@pytest.mark.parametrize("metric", QUICK, ids=lambda m: m.name)
def test_intervals_are_those_of_each_subgroup_alone(metric: oe.Metric) -> None:
    s = of_counts((metric,), STACK, SCALE, HOW)[metric.name]
    for g, counts in enumerate(STACK[:-1]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", oe.ResamplingWarning)
            alone = oe.confidence_interval(metric, counts)
        expected = [alone.estimate, alone.low, alone.high]
        assert [s.values[g], s.low[g], s.high[g]] == pytest.approx(expected, nan_ok=True), g
    assert np.isnan([s.values[-1], s.low[-1], s.high[-1]]).all()
    whole = oe.confidence_interval(metric, STACK.sum(axis=0))
    assert (s.whole.estimate, s.whole.low) == pytest.approx((whole.estimate, whole.low))


def test_very_many_classes_are_judged_one_subgroup_at_a_time() -> None:
    stack = np.random.default_rng(0).integers(0, 2, (3, 40, 40))
    s = found("accuracy", stack)
    for g in range(3):
        alone = oe.confidence_interval("accuracy", stack[g])
        assert (s.low[g], s.high[g]) == pytest.approx((alone.low, alone.high))
    assert s.compared.all()


def items_of(stack: NDArray[Any]) -> tuple[Sample, NDArray[np.int64]]:
    """The items of a stack one by one, each a cluster of its own, and their subgroups."""
    group, truth, pred = np.repeat(np.nonzero(stack), stack[np.nonzero(stack)], axis=1)
    ones = np.ones(len(group), dtype=np.int64)
    sample = Sample(truth, pred[:, None], ones, stack.shape[-1], cluster=np.arange(len(group)))
    return sample, group


@pytest.mark.parametrize("name", ["cem_ord", "weighted_kappa", "average_mae", "mutual_information"])
def test_items_one_by_one_are_what_their_counts_are(name: str) -> None:
    sample, group = items_of(STACK)
    metrics = (oe.get_metric(name),)
    a = of_counts(metrics, STACK, SCALE, HOW)[name]
    b = of_sample(metrics, sample, group, len(STACK), SCALE, how=HOW)[name]
    for x, y in (*zip(a.differences, b.differences, strict=True), (a.shrunken, b.shrunken),
                 (a.low, b.low), (a.high, b.high), (a.rest, b.rest)):  # fmt: skip
        assert x == pytest.approx(y, nan_ok=True)
    assert a.heterogeneity.p_value == pytest.approx(b.heterogeneity.p_value, nan_ok=True)


def test_equal_weights_change_nothing() -> None:
    sample, group = items_of(STACK)
    light = Sample(sample.truth, sample.predictions, sample.count, 4,
                   weight=np.full(len(group), 0.25))  # fmt: skip
    a = found("cem_ord")
    b = of_sample((oe.cem_ord,), light, group, len(STACK), SCALE, how=HOW)["cem_ord"]
    assert a.differences.p_value == pytest.approx(b.differences.p_value, nan_ok=True)
    assert a.shrunken == pytest.approx(b.shrunken, nan_ok=True)


@pytest.mark.parametrize("name", ["cem_ord", "weighted_kappa", "mean_squared_error", "auoc"])
def test_interval_and_test_of_a_difference_agree(name: str) -> None:
    """At the level at which the p-value is significant, the interval reaches zero."""
    s, metric = found(name), oe.get_metric(name)
    for g in np.flatnonzero(s.compared):
        d = s.differences
        assert d.p_value[g] <= d.p_adjusted[g] <= 1
        assert d.low[g] <= d.delta[g] <= d.high[g]
        level = 1 - d.p_adjusted[g]
        if 1e-6 < level < 1 - 1e-6:
            at = of_counts((metric,), STACK, SCALE, Estimation(level=float(level)))[name]
            ends = at.differences.low[g], at.differences.high[g]
            nearest = ends[0] if s.values[g] > s.rest[g] else ends[1]
            assert nearest == pytest.approx(0, abs=1e-6)


def test_each_subgroup_is_compared_with_all_others_together() -> None:
    s = found("accuracy")
    for g in np.flatnonzero(s.compared):
        rest = STACK.sum(axis=0) - STACK[g]
        assert s.rest[g] == pytest.approx(np.trace(rest) / rest.sum())
    expected = np.where(s.compared, s.values - s.rest, np.nan)
    assert s.differences.delta == pytest.approx(expected, nan_ok=True)


def test_the_correction_is_that_of_sidak() -> None:
    s = found("accuracy")
    tests = int(s.compared.sum())
    assert tests > 3
    expected = 1 - (1 - s.differences.p_value) ** tests
    assert s.differences.p_adjusted == pytest.approx(expected, nan_ok=True)


def test_of_two_subgroups_each_is_the_rest_of_the_other() -> None:
    d = found("weighted_kappa", STACK[:2]).differences
    assert d.delta[0] == pytest.approx(-d.delta[1])
    assert (d.low[0], d.high[0]) == pytest.approx((-d.high[1], -d.low[1]))
    assert d.p_adjusted == pytest.approx(d.p_value)
    assert d.p_value[0] == pytest.approx(d.p_value[1])


def test_what_is_too_small_silences_no_other() -> None:
    full, odd = found("weighted_kappa", STACK[:3]), found("weighted_kappa", STACK[[0, 1, 2, 9, 10]])
    # One class makes kappa zero whatever is predicted, and one item says nothing.
    assert odd.compared.tolist() == [True, True, True, False, False]
    assert odd.heterogeneity.subgroups == full.heterogeneity.subgroups == 3
    assert odd.values[3] == 0
    assert np.isnan(odd.shrunken[3])
    assert not np.isnan(odd.shrunken[:3]).any()
    nothing = found("weighted_kappa", STACK[[9, 10]])
    assert not nothing.compared.any()
    assert nothing.heterogeneity.subgroups == 0


UNTESTED: dict[str, tuple[str, Any, dict[str, Any], str]] = {
    "classes": (
        "maximum_mae", STACK, {},
        "subgroups are not compared by maximum_mae, because a few items of one class determine it.",
    ),
    "two classes": (
        "extreme_sensitivity", STACK, {},
        ("subgroups are not compared by extreme_sensitivity, because a few items of "
        "one class determine it."),
    ),
    "bias": (
        "mutual_information", STACK, {},
        ("subgroups are not compared by mutual_information, because it depends on "
         "their sizes even if they are equally good."),
    ),
    "one": (
        "accuracy", STACK[:1], {},
        "there is only one subgroup, so there is no rest to compare it with.",
    ),
    "models": (
        "accuracy", STACK, {"related": False},
        "matrices that are not named as subgroups of one data set are not compared.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "stack", "options", "why"), UNTESTED.values(), ids=list(UNTESTED))
def test_what_is_not_compared_says_why(name: str, stack: Any, options: Any, why: str) -> None:
    s = found(name, stack, **options)
    assert s.untested == why
    assert not s.compared.any()
    assert not np.isnan(s.low[0])
    assert np.isnan(s.shrunken).all()


def test_clusters_in_several_subgroups_are_not_independent() -> None:
    """Every cluster is in both subgroups with the same items: the difference is surely none."""
    sample, _ = items_of(STACK[:1])
    n = len(sample.truth)
    twice = Sample(
        np.tile(sample.truth, 2), np.tile(sample.predictions, (2, 1)), np.ones(2 * n, dtype=int), 4,
        cluster=np.tile(np.arange(n), 2),
    )  # fmt: skip
    noise = np.where(np.arange(2 * n) % 50 == 0, 3, twice.predictions[:, 0])[:, None]
    moved = Sample(twice.truth, noise, twice.count, 4, cluster=twice.cluster)
    apart = Sample(twice.truth, noise, twice.count, 4, cluster=np.arange(2 * n))
    group, metrics = np.repeat([0, 1], n), (oe.cem_ord,)
    shared, alone = (
        of_sample(metrics, s, group, 2, SCALE, how=HOW)["cem_ord"] for s in (moved, apart)
    )
    assert shared.untested == (
        "clusters span several subgroups, so the subgroups are not tested together."
    )
    assert np.isnan(shared.heterogeneity.p_value)
    assert alone.untested == ""
    width = [np.ptp([s.differences.low[0], s.differences.high[0]]) for s in (shared, alone)]
    assert width[0] < 0.5 * width[1]


# The test of heterogeneity


def test_welch_by_hand() -> None:
    """Weights 2, 2, 1, mean 2, sum of squares 6, correction 1 + 2/8 * 0.24."""
    test = welch(np.array([1.0, 2, 4]), np.array([0.5, 0.5, 1]), np.array([9.0, 9, 4]))
    assert test.statistic == pytest.approx(6 / 2 / 1.06)
    assert test.df == pytest.approx((2, 8 / (3 * 0.24)))
    assert test.p_value == pytest.approx(stats.f.sf(6 / 2 / 1.06, 2, 8 / 0.72))


def test_welch_as_statsmodels_has_it() -> None:
    from statsmodels.stats.oneway import anova_oneway

    rng = np.random.default_rng(1)
    samples = [rng.normal(m, s, n) for m, s, n in ((0, 1, 8), (0.5, 3, 20), (1, 2, 13))]
    parts = [(x.mean(), x.var(ddof=1) / len(x), len(x) - 1) for x in samples]
    mine = welch(*(np.array(c, dtype=float) for c in zip(*parts, strict=True)))
    theirs = anova_oneway(samples, use_var="unequal", welch_correction=True)
    assert (mine.statistic, mine.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


# Shrunken values


def test_the_spread_between_values_of_equal_variance_is_the_excess_of_theirs() -> None:
    values, noise = np.array([1.0, 3, 4, 8]), np.full(4, 0.5)
    assert paule_mandel(values, noise) == pytest.approx(values.var(ddof=1) - 0.5)
    assert paule_mandel(values, np.full(4, 50.0)) == 0


def test_the_less_a_subgroup_says_the_further_it_is_drawn() -> None:
    rng = np.random.default_rng(3)
    sizes = [400, 400, 400, 20]
    stack = drawn(rng, sizes, [0.9, 0.7, 0.5, 0.5], imbalanced=False)
    s = found("accuracy", stack)
    far, drawn_in = np.abs(s.values - s.whole.estimate), np.abs(s.shrunken - s.whole.estimate)
    assert (drawn_in < far + 0.01).all()
    assert drawn_in[2] / far[2] > 0.95
    assert 0.3 < drawn_in[3] / far[3] < 0.9
    alike = found("accuracy", np.stack([STACK[0]] * 4))
    assert alike.shrunken == pytest.approx(alike.shrunken[0])
    assert alike.shrunken[0] == pytest.approx(alike.values[0], abs=0.01)


# How often it is wrong


@pytest.mark.parametrize("imbalanced", [False, True])
@pytest.mark.parametrize("name", ["cem_ord", "weighted_kappa", "average_mae", "accuracy"])
def test_equal_subgroups_are_seldom_told_apart(name: str, imbalanced: bool) -> None:
    """Of 100 data sets, 5 are expected at most, and 12 would be beyond chance."""
    rng = np.random.default_rng(5)
    metric = oe.get_metric(name)
    differ = tested = held = 0
    true = float(metric.values(_population(0.75, imbalanced)))
    for _ in range(100):
        s = found(name, drawn(rng, [30, 60, 120, 40, 40, 40], 0.75, imbalanced))
        differ += bool(s.differ.any())
        tested += s.heterogeneity.p_value <= 0.05
        held += int(((s.low <= true) & (true <= s.high)).sum())
    assert differ < 12
    assert tested < 12
    assert held / 600 > 0.92


def _population(right: float, imbalanced: bool) -> NDArray[np.int64]:
    return drawn(np.random.default_rng(0), [10**9], right, imbalanced)[0]


@pytest.mark.parametrize("name", ["cem_ord", "average_mae"])
def test_a_much_worse_subgroup_is_found(name: str) -> None:
    rng = np.random.default_rng(6)
    right = [0.85, 0.85, 0.85, 0.85, 0.5]
    hits = clear = wrong = 0
    for _ in range(50):
        s = found(name, drawn(rng, [100] * 5, right, imbalanced=False))
        hits += bool(s.differ[4])
        clear += s.heterogeneity.p_value <= 0.05
        wrong += bool((s.differ[:4] & (s.differences.delta[:4] * s.differences.delta[4] > 0)).any())
    assert hits >= 45
    assert clear >= 45
    assert wrong <= 6
