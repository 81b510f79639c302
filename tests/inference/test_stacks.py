"""Subgroups with weights and clusters at once are what a loop over them makes of each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.inference import stacks, subgroups
from ordeval.inference.alone import Alone
from ordeval.inference.between import Between, differences, heterogeneity, shrunken
from ordeval.inference.intervals import Estimation, Observed, intervals_of
from ordeval.inference.kinds import contributions
from ordeval.inference.samples import Sample
from ordeval.inference.subgroups import Subgroups, of_sample
from ordeval.measures import Metric
from ready import quick

K, SIZE = 4, 9
SCALE = oe.Scale.range(0, K - 1)
HOW = Estimation()
METRICS = tuple(quick())


def drawn(case: str, seed: int = 0) -> tuple[Sample, Any]:
    """Items in nine subgroups: one without a class, a perfect one, one of one item, an empty one."""
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
    joined = Alone.joined(own)
    between = Between(
        metric, K, own=joined, rest=Alone.joined(rest), whole=Alone.of(contributions(metric, sample)),
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


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", CASES)
def test_all_at_once_is_one_by_one(case: str) -> None:
    sample, group = drawn(case)
    found = of_sample(METRICS, sample, group, SIZE, SCALE, how=HOW)
    bad = []
    for m in METRICS:
        fast, slow = quickly(found[m.name]), slowly(m, sample, group)
        for name, expected in slow.items():
            if not np.allclose(fast[name], expected, rtol=1e-8, atol=1e-10, equal_nan=True):
                bad.append((m.name, name, fast[name], expected))
    for b in bad: print(*b, sep="\n", end="\n\n")
    assert not bad
