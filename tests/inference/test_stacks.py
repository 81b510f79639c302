"""Subgroups with weights and clusters at once are what a loop over them makes of each."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.ready import quick, ready

import ordeval as oe
from ordeval.inference import sample_stacks as stacks, samples, subgroups
from ordeval.inference.ends.t_intervals import Alone, measured
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import Estimation, Observed, intervals_of
from ordeval.inference.samples import Sample
from ordeval.inference.subgroup_differences import Between, differences, heterogeneity, shrunken
from ordeval.inference.subgroups import Subgroups, of_sample
from ordeval.measures import Metric

K, SIZE = 4, 9
SCALE = oe.Scale.range(0, K - 1)
HOW = Estimation()
METRICS = tuple(quick())
# One of each kind: of all items, of a share of them, of the worst class, of both ends, biased.
FEW = tuple(ready(oe.get_metric(name)) for name in (
    "cem_ord", "weighted_kappa", "average_mae", "accuracy", "threshold_sensitivity",
    "maximum_mae", "min_sensitivity", "extreme_sensitivity", "mutual_information",
))  # fmt: skip


def drawn(case: str, seed: int = 0) -> tuple[Sample, Any]:
    """Nine subgroups: some lack classes, one is perfect, one has one item, the last has none."""
    rng = np.random.default_rng(seed)
    n = 400
    group = rng.choice(SIZE - 2, n, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    truth = rng.choice(K, n, p=[0.4, 0.3, 0.2, 0.1])
    truth[(group == 2) & (truth == 1)] = 0
    pred = np.clip(truth + rng.choice([-1, 0, 0, 0, 1, 2], n), 0, K - 1)
    pred[group == 3] = truth[group == 3]
    truth[group == 4], pred[group == 4] = 2, np.minimum(pred[group == 4], 2)
    group[-1] = SIZE - 2
    weight = cluster = None
    if "weights" in case:
        weight = rng.lognormal(0, 1, n)
        weight[::17] = 0.0
        weight[-1] = 1.0
    if "whole" in case:
        weight = rng.integers(1, 5, n).astype(float)
    if "nested" in case:
        cluster = group * 100 + rng.integers(0, 12, n)
        cluster[group == 5] = 500
    if "crossing" in case:
        cluster = rng.integers(0, 60, n) * 3
        cluster[group == 6] = 200
    count = rng.integers(1, 3, n) if "merged" in case else np.ones(n, dtype=np.int64)
    return Sample(truth, pred[:, None], count, K, weight=weight, cluster=cluster), group


CASES = ["weights", "whole weights, merged", "nested clusters", "crossing clusters, merged",
         "nested clusters, weights", "crossing clusters, weights"]  # fmt: skip


def slowly(metric: Metric, sample: Sample, group: Any) -> dict[str, Any]:
    """One subgroup after the other, each with a sample of its own and one of its rest."""
    own, rest, shared, units, classes, ends = [], [], [], [], [], []
    for g in np.unique(group):
        mine, others = sample.take(group == g), sample.take(group != g)
        a, b = contributions(metric, mine), contributions(metric, others)
        own.append(Alone.of(a))
        rest.append(Alone.of(b))
        units.append(min(mine.units, mine.effective))
        classes.append(mine.units_by_class)
        (interval,) = intervals_of(Observed(mine, SCALE, False), (metric,), HOW, None).values()
        ends.append((interval.low, interval.high))
        together = 0.0
        if mine.cluster is not None and others.cluster is not None:
            first, second = (
                dict(zip(np.unique(s.cluster).tolist(), c.parts[:, 0], strict=True))
                for s, c in ((mine, a), (others, b))
            )
            both = sum(first[c] * second[c] for c in first.keys() & second.keys())
            errors = float(a.errors[0] * b.errors[0])
            together = both / errors if errors > 0 else 0.0
        shared.append(together)
    joined, whole = Alone.joined(own), Alone.of(contributions(metric, sample))
    between = Between(
        metric, K, own=joined, rest=Alone.joined(rest), whole=whole,
        units=np.array(units, dtype=float), correlation=np.array(shared),
        freedom=subgroups._in_the_tail(metric, joined, np.array(classes)),
    )  # fmt: skip
    low, high = np.array(ends).T
    found = {"values": joined.values, "least": low, "most": high}
    if subgroups._why_not(metric, len(own)):
        return found
    found |= {"rest": between.rest.values, "shrunken": shrunken(between)}
    if not any(shared):
        found["test"] = np.array(heterogeneity(between)[2:])
    return found | differences(between, HOW.level)._asdict()


def quickly(s: Subgroups) -> dict[str, Any]:
    found = {"values": s.values, "least": s.low, "most": s.high, "rest": s.rest,
             "shrunken": s.shrunken} | s.differences._asdict()  # fmt: skip
    return {name: x[:-1] for name, x in found.items()} | {"test": np.array(s.heterogeneity[2:])}


def check(
    metrics: tuple[Metric, ...], sample: Sample, group: Any, expected_at_once: bool = True
) -> None:
    """What of_sample finds is what the loop does."""
    assert stacks.Grouped.fit(sample, SIZE) == expected_at_once
    found = of_sample(metrics, sample, group, SIZE, SCALE, how=HOW)
    for m in metrics:
        fast, slow = quickly(found[m.name]), slowly(m, sample, group)
        for name, expected in slow.items():
            assert fast[name] == pytest.approx(expected, rel=1e-9, abs=1e-11, nan_ok=True), (
                m.name, name,
            )  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_all_at_once_is_one_by_one(case: str) -> None:
    check(FEW, *drawn(case))


def test_every_measure_is_the_same_at_once() -> None:
    check(METRICS, *drawn("crossing clusters, weights", seed=1))


def test_many_clusters_are_summed_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse, and of a few subgroups at a time."""
    monkeypatch.setattr(stacks, "_DENSE_CELLS", 0)
    monkeypatch.setattr(samples, "BLOCK_BYTES", 8 * 60 * 2)
    check(FEW[:3], *drawn("crossing clusters, weights", seed=2))


def test_very_uneven_weights_are_judged_one_by_one() -> None:
    sample, group = drawn("crossing clusters, weights")
    assert sample.weight is not None
    uneven = replace(sample, weight=sample.weight * np.where(np.arange(len(group)) % 50, 1, 1e9))
    check(FEW[:3], uneven, group, expected_at_once=False)


def test_a_heavy_subgroup_does_not_drown_its_rest() -> None:
    """The rest of a subgroup is summed, and is not what is left of all."""
    sample, group = drawn("weights")
    assert sample.weight is not None
    light = np.clip(sample.weight, 0.5, 2.0)
    check(FEW[:3], replace(sample, weight=np.where(group == 0, 2e5, 1.0) * light), group)


def test_scale_of_weights_says_nothing() -> None:
    sample, group = drawn("nested clusters, weights")
    assert sample.weight is not None
    tiny = replace(sample, weight=sample.weight * 1e-300)
    a, b = (of_sample(FEW[:3], s, group, SIZE, SCALE, how=HOW) for s in (sample, tiny))
    for name, found in a.items():
        for x, y in zip(quickly(found).values(), quickly(b[name]).values(), strict=True):
            assert x == pytest.approx(y, rel=1e-9, nan_ok=True)


# Growth


def many(groups: int, seed: int = 0) -> tuple[Sample, Any]:
    """Eight items in each of very many subgroups, in clusters of four that reach over them."""
    rng = np.random.default_rng(seed)
    n = 8 * groups
    truth = rng.integers(0, K, n)
    pred = np.clip(truth + rng.choice([-1, 0, 0, 1], n), 0, K - 1)
    cluster = rng.integers(0, n // 4, n)
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, n - groups)])
    return Sample(truth, pred[:, None], np.ones(n, dtype=np.int64), K, cluster=cluster), group


def rests(groups: int, sample: Sample, group: Any) -> stacks.Rest:
    return stacks.Rest(stacks.Grouped(sample, group, groups))


@pytest.mark.parametrize("heavy", [False, True])
def test_powers_of_all_clusters_are_those_of_each(
    monkeypatch: pytest.MonkeyPatch, heavy: bool
) -> None:
    """Also where one subgroup holds nearly all of the weight, which a difference would lose."""
    sample, group = many(300)
    if heavy:
        weight = np.where(group == 7, 1e5, 1.0)
        cluster = np.where(group == 7, 10_000 + np.arange(len(group)) % 3, sample.cluster)
        sample = replace(sample, weight=weight, cluster=cluster)
    for name in ("accuracy", "cem_ord", "weighted_kappa", "average_mae"):
        metric = ready(oe.get_metric(name))
        monkeypatch.setattr(stacks, "_PAIRWISE", 10**9)
        each = measured(metric, rests(300, sample, group))
        monkeypatch.setattr(stacks, "_PAIRWISE", 0)
        at_once = measured(metric, rests(300, sample, group))
        for what in ("errors", "freedom"):
            np.testing.assert_allclose(getattr(at_once, what), getattr(each, what), rtol=1e-9)


def test_many_subgroups_with_clusters_cost_as_much_each_as_few() -> None:
    """Each subgroup beside each cluster would cost 16 times as much for 4 times as many."""
    metric = ready(oe.get_metric("cem_ord"))

    def spent(groups: int) -> float:
        sample, group = many(groups)
        start = time.process_time()
        found = of_sample((metric,), sample, group, groups, SCALE, how=HOW)
        assert found[metric.name].compared.mean() > 0.9
        return time.process_time() - start

    spent(300)  # what is loaded once
    assert spent(32_000) < 8 * spent(8_000)
