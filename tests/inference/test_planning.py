"""Plans: the same intervals and tests as the default inference, and studies that deliver.

The studies here are drawn item by item and judged by the public functions. A full run of the same
kind, with more cases and draws, is summed up in docs/howto/plan.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

import ordeval as oe
from ordeval.evaluate._expected import of_words
from ordeval.inference import planning
from ordeval.inference.planning import Power, Precision, _gains
from ordeval.inference.study_design import Design

# Small studies are meant to be small.
pytestmark = pytest.mark.filterwarnings("ignore::ordeval.ResamplingWarning")

SHARES = {3: [0.75, 0.15, 0.10], 5: [0.75, 0.1, 0.05, 0.05, 0.05]}
COUNTS = np.array([[40, 8, 2], [10, 30, 10], [1, 9, 40]])
KINDS = ["cem_ord", "weighted_kappa", "average_mae", "accuracy", "auoc", "mean_signed_error",
         "mutual_information", "maximum_mae", "extreme_sensitivity", "kendall_tau_a"]  # fmt: skip


def expected(accuracy: Any, k: int, balanced: bool, overlap: float | None = None) -> Any:
    shares = None if balanced else SHARES[k]
    scale = oe.Scale.range(1, k)
    return of_words(accuracy, scale=scale, class_shares=shares, overlap=overlap).table


def joint_counts(seed: int = 0, n: int = 90, k: int = 3) -> NDArray[np.int64]:
    table = expected([0.8, 0.6], k, balanced=False, overlap=0.3)
    return np.random.default_rng(seed).multinomial(n, table.ravel()).reshape(k, k, k)


# The expected table is judged as data would be


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("counts", [COUNTS, np.diag([9, 9, 9]), [[9, 1, 0], [2, 0, 1], [0, 0, 1]]])
def test_the_interval_is_that_of_data(name: str, counts: Any) -> None:
    matrix = np.array(counts)
    goal = Precision(oe.get_metric(name), matrix / matrix.sum(), Design(level=0.9))
    interval = oe.confidence_interval(name, matrix, level=0.9)
    assert goal.ends(int(matrix.sum())) == pytest.approx((interval.low, interval.high))
    half = (interval.high - interval.low) / 2
    assert goal.expected(int(matrix.sum())) == pytest.approx(half)


@pytest.mark.parametrize("name", [k for k in KINDS if k != "maximum_mae"])
def test_the_test_is_that_of_data(name: str) -> None:
    counts, metric = joint_counts(), oe.get_metric(name)
    goal = Power(metric, counts / counts.sum(), Design())
    delta = oe.paired_delta(name, counts)
    # By tau-a pairs are of different items, so that its value still moves with their number.
    assert goal.gain == pytest.approx(delta.gain, rel=0.02)
    (ratio,) = goal._leads(*_gains(metric, counts[None].astype(float), goal.design))
    # Sums of many disagreements are grouped, in the order of the cells.
    assert t.sf(ratio, counts.sum() - 1) == pytest.approx(delta.p_value / 2, rel=1e-3)


@pytest.mark.parametrize("name", [k for k in KINDS if k != "maximum_mae"])
def test_the_verdict_is_that_of_data(name: str) -> None:
    """Also where models differ on few items, or on none."""
    metric, rng, found = oe.get_metric(name), np.random.default_rng(3), set()
    for overlap in (0.3, 0.9, 0.98):
        table = expected([0.8, 0.78], 3, balanced=False, overlap=overlap)
        for counts in rng.multinomial(90, table.ravel(), 6).reshape(6, 3, 3, 3):
            for margin in (0.03, 0.1, 0.3, 0.8):
                goal = Power(metric, counts / counts.sum(), Design(), margin)
                delta = oe.paired_delta(name, counts, margin=margin)
                (shown,) = goal.shown(counts[None].astype(float))
                assert shown == (delta.verdict == "non-inferior")
                found.add(delta.verdict)
    assert len(found) > 1


@pytest.mark.parametrize("name", ["cem_ord", "weighted_kappa", "average_mae", "accuracy"])
def test_clusters_of_copies_are_judged_as_data(name: str) -> None:
    """If all items of a cluster are the same, the design effect is the size of the clusters."""
    size, (truth, pred) = 3, np.nonzero(COUNTS)
    rows = np.repeat(np.stack([truth, pred], axis=1), COUNTS[truth, pred], axis=0)
    items = np.repeat(rows, size, axis=0)
    clusters = np.repeat(np.arange(len(rows)), size)
    interval = oe.confidence_interval(name, *items.T, labels=range(3), clusters=clusters)
    goal = Precision(oe.get_metric(name), COUNTS / COUNTS.sum(), Design(0.95, size, 1.0))
    assert goal.ends(len(rows)) == pytest.approx((interval.low, interval.high))
    cubes = joint_counts()
    rows = np.repeat(np.argwhere(cubes), cubes[cubes > 0], axis=0)
    clusters = np.repeat(np.arange(len(rows)), size)
    y_true, a, b = np.repeat(rows, size, axis=0).T
    delta = oe.paired_delta(name, y_true, a, b, labels=range(3), clusters=clusters)
    power = Power(oe.get_metric(name), cubes / cubes.sum(), Design(0.95, size, 1.0))
    (ratio,) = power._leads(*_gains(power.metric, cubes[None] * float(size), power.design))
    assert 2 * t.sf(ratio, len(rows) - 1) == pytest.approx(delta.p_value, rel=1e-6)
    for margin in (0.01, 0.05, 0.1, 0.2):
        delta = oe.paired_delta(name, y_true, a, b, labels=range(3), clusters=clusters,
                                margin=margin)  # fmt: skip
        (shown,) = replace(power, margin=margin).shown(cubes[None] * float(size))
        assert shown == (delta.verdict == "non-inferior")


# The least size


@pytest.mark.parametrize("target", [0.02, 0.05, 0.2])
def test_one_unit_less_is_not_enough(target: float) -> None:
    goal = Precision(oe.cem_ord, expected(0.7, 3, balanced=True), Design())
    units = planning._least_units(goal, goal.score(target))
    assert goal.expected(units) <= target < goal.expected(units - 1)
    found = planning.needed(goal, target)
    assert found.value <= target
    assert found.value == pytest.approx(goal.drawn(found.units), rel=0.02)


def test_the_power_is_found_in_the_textbook() -> None:
    """Accuracy of two models is McNemar's test; Miettinen 1968: n = (z sqrt(psi) + ...)^2 / d^2."""
    table = expected([0.8, 0.7], 3, balanced=True, overlap=0.4)
    right = np.eye(3, dtype=bool)
    only_a = float(table[right[:, :, None] & ~right[:, None, :]].sum())
    only_b = float(table[~right[:, :, None] & right[:, None, :]].sum())
    apart, gap = only_a + only_b, only_a - only_b
    classic = (1.959964 * apart**0.5 + 0.841621 * (apart - gap**2) ** 0.5) ** 2 / gap**2
    goal = Power(oe.accuracy, table, Design())
    # McNemar's test takes the variance without the difference, a t test with it.
    assert planning.needed(goal, 0.8).units == pytest.approx(classic, rel=0.04)


def test_power_has_a_value_however_clear_the_difference() -> None:
    table = expected([0.95, 0.3], 3, balanced=True)
    goal = Power(oe.weighted_kappa, table, Design())
    powers = [goal.expected(n) for n in (2, 5, 20, 100, 10_000, 10**6, 10**9)]
    assert powers == sorted(powers)
    assert powers[-1] == 1
    assert not any(np.isnan(powers))


def test_draws_correct_what_rare_errors_do() -> None:
    """With few items most studies see no far error, and their intervals are narrower."""
    goal = Precision(oe.weighted_kappa, expected(0.7, 5, balanced=True), Design())
    assert goal.drawn(60) < 0.9 * goal.expected(60)
    assert goal.drawn(5000) == pytest.approx(goal.expected(5000), rel=0.01)


def test_long_scales_are_planned_without_draws() -> None:
    goal = Precision(oe.accuracy, expected(0.7, 20, balanced=True), Design())
    assert np.isnan(goal.drawn(100))
    found = planning.needed(goal, 0.05)
    assert found.shift == 0
    assert found.value == pytest.approx(goal.expected(found.units))
    assert planning.shown(goal, 100, found) == pytest.approx(goal.expected(100))


# Clusters


def test_the_design_effect() -> None:
    alone, together = Design(), Design(0.95, 10, 0.2)
    assert (alone.effect, alone.peaked) == (1.0, 1.0)
    assert together.effect == pytest.approx(2.8)
    assert Design(0.95, 10, 0.0).peaked == pytest.approx(0.1)  # a sum of ten independent items
    assert Design(0.95, 10, 1.0).peaked == pytest.approx(1.0)
    assert (together.units(101), together.items(11)) == (11, 110)
    table = expected(0.7, 3, balanced=True)
    items = [
        design.items(planning.needed(Precision(oe.accuracy, table, design), 0.05).units)
        for design in (alone, together)
    ]
    # A little more, because degrees of freedom count clusters.
    assert 2.8 < items[1] / items[0] < 1.08 * 2.8


def clustered(
    table: NDArray[Any], clusters: int, size: int, icc: float, rng: np.random.Generator
) -> tuple[Any, NDArray[np.int64]]:
    """Items of which each is, with a chance of the root of the ICC, a copy of its cluster's own."""
    flat = table.ravel()
    own = rng.choice(flat.size, (clusters, 1), p=flat)
    items = rng.choice(flat.size, (clusters, size), p=flat)
    copied = rng.random((clusters, size)) < icc**0.5
    cells = np.where(copied, own, items).ravel()
    return np.unravel_index(cells, table.shape), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize("icc", [0.0, 0.1, 0.5])
def test_the_correlation_is_found_in_pilot_data(icc: float) -> None:
    (truth, pred), clusters = clustered(
        expected(0.7, 3, balanced=True), 2000, 5, icc, np.random.default_rng(1)
    )
    pilot = oe.Predictions(truth, pred, clusters=clusters, labels=range(3))
    plan = oe.plan("accuracy", pilot, half_width=0.05)
    assert plan.cluster_size == 5
    assert plan.icc == pytest.approx(icc, abs=0.03)
    assert plan.clusters * 5 == plan.items
    told = oe.plan("accuracy", pilot, half_width=0.05, cluster_size=10, icc=0.3)
    assert (told.cluster_size, told.icc) == (10, 0.3)


def test_a_share_of_some_items_minds_clusters() -> None:
    """Of the pilot's correlation, which counts the items that the share is not of."""
    (truth, pred), clusters = clustered(
        expected(0.7, 3, balanced=True), 200, 5, 0.5, np.random.default_rng(1)
    )
    pilot = oe.Predictions(truth, pred, clusters=clusters, labels=range(3))
    metric = oe.get_metric("threshold_sensitivity").with_params(at_least=1)
    found = oe.confidence_interval(metric, pilot)
    plan = oe.plan(metric, pilot, half_width=(found.high - found.low) / 2)
    assert plan.items == pytest.approx(len(truth), rel=0.05)


def test_pilot_data_without_spread_or_clusters_of_one() -> None:
    truth = [0, 1, 2] * 20
    alike = oe.Predictions(
        truth, {"a": truth, "b": truth}, labels=range(3), clusters=[*range(30)] * 2
    )
    with pytest.raises(oe.ParameterError, match="a and b are expected to agree on every item"):
        oe.plan("accuracy", alike, power=0.8, margin=0.1)
    pilot = oe.Predictions(truth, truth[::-1], labels=range(3), clusters=range(60))
    single = oe.plan("accuracy", pilot, half_width=0.1)
    assert (single.clusters, single.cluster_size, single.icc) == (0, 1, 0)


# Studies of the planned size deliver


def mean_half_width(name: str, table: NDArray[Any], n: int, studies: int = 150) -> float:
    rng = np.random.default_rng(7)
    drawn = rng.multinomial(n, table.ravel(), studies).reshape(studies, *table.shape)
    found = [oe.confidence_interval(name, counts) for counts in drawn]
    return float(np.nanmean([(i.high - i.low) / 2 for i in found]))


@pytest.mark.parametrize("name", ["cem_ord", "weighted_kappa", "average_mae", "accuracy", "auoc"])
@pytest.mark.parametrize("balanced", [True, False], ids=["balanced", "imbalanced"])
@pytest.mark.parametrize("k", [3, 5])
def test_intervals_are_as_narrow_as_wished(name: str, balanced: bool, k: int) -> None:
    shares = None if balanced else SHARES[k]
    plan = oe.plan(name, accuracy=0.7, k=k, class_shares=shares, half_width=0.06)
    assert plan.half_width is not None
    table = expected(0.7, k, balanced)
    assert mean_half_width(name, table, plan.items) == pytest.approx(0.06, rel=0.04)


def test_the_bound_on_half_widths_can_fail() -> None:
    table = expected(0.7, 3, balanced=True)
    plan = oe.plan("cem_ord", table, half_width=0.06)
    for wrong in (0.85, 1.15):
        found = mean_half_width("cem_ord", table, round(plan.items * wrong))
        assert found != pytest.approx(0.06, rel=0.04)


def share_shown(
    name: str, table: NDArray[Any], n: int, margin: float | None, studies: int = 400
) -> float:
    rng = np.random.default_rng(8)
    hits = 0
    for counts in rng.multinomial(n, table.ravel(), studies).reshape(studies, *table.shape):
        delta = oe.paired_delta(name, counts, margin=margin)
        hits += delta.p_value <= 0.05 if margin is None else delta.verdict == "non-inferior"
    return hits / studies


# Over 400 studies a power of 0.8 varies by 0.02.
@pytest.mark.parametrize(
    ("name", "accuracy", "k", "balanced", "overlap", "margin", "target"),
    [
        ("cem_ord", [0.8, 0.65], 3, True, 0.0, None, 0.8),
        ("weighted_kappa", [0.85, 0.7], 5, True, 0.3, None, 0.8),
        ("average_mae", [0.8, 0.6], 3, False, 0.5, None, 0.9),
        ("accuracy", [0.7, 0.7], 3, True, 0.5, 0.08, 0.8),
        ("weighted_kappa", [0.75, 0.77], 5, False, 0.7, 0.1, 0.9),
    ],
)
def test_tests_have_the_power_that_was_wished(
    name: str, accuracy: list[float], k: int, balanced: bool, overlap: float,
    margin: float | None, target: float,
) -> None:  # fmt: skip
    shares = None if balanced else SHARES[k]
    plan = oe.plan(name, accuracy=accuracy, k=k, class_shares=shares, overlap=overlap,
                   power=target, margin=margin)  # fmt: skip
    table = expected(accuracy, k, balanced, overlap)
    assert share_shown(name, table, plan.items, margin) == pytest.approx(target, abs=0.05)
    assert share_shown(name, table, round(plan.items * 0.6), margin, 200) < target - 0.08


@pytest.mark.parametrize("name", ["cem_ord", "average_mae"])
def test_clustered_studies_deliver(name: str) -> None:
    table, rng = expected(0.7, 3, balanced=True), np.random.default_rng(9)
    plan = oe.plan(name, table, half_width=0.08, cluster_size=5, icc=0.2)
    widths = []
    for _ in range(100):
        (truth, pred), clusters = clustered(table, plan.clusters, 5, 0.2, rng)
        found = oe.confidence_interval(name, truth, pred, labels=range(3), clusters=clusters)
        widths.append((found.high - found.low) / 2)
    # With few clusters studies come out a little narrower than planned, not wider.
    assert 0.92 * 0.08 <= np.mean(widths) <= 1.03 * 0.08


def test_clustered_tests_deliver() -> None:
    table, rng = expected([0.8, 0.7], 3, balanced=True, overlap=0.3), np.random.default_rng(10)
    plan = oe.plan("cem_ord", table, power=0.8, cluster_size=5, icc=0.2)
    hits = 0
    for _ in range(300):
        (truth, a, b), clusters = clustered(table, plan.clusters, 5, 0.2, rng)
        delta = oe.paired_delta("cem_ord", truth, a, b, labels=range(3), clusters=clusters)
        hits += delta.p_value <= 0.05
    assert hits / 300 == pytest.approx(0.8, abs=0.06)
