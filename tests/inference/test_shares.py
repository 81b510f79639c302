"""Shares of some of the items: their intervals against Clopper & Pearson, and whether they hold."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import ordeval as oe
from ordeval.data.items import read_items
from ordeval.inference.ends.shares import ShareEnds, measured_share, share_of
from ordeval.inference.intervals import observe
from ordeval.inference.samples import Sample, sample_of

SENSITIVITY = oe.threshold_sensitivity.with_params(at_least=1).on(2)
NPV = oe.threshold_npv.with_params(at_least=1).on(2)


@cache
def of_counts(name: str, cells: tuple[int, ...], level: float = 0.95) -> ShareEnds:
    metric = {"sensitivity": SENSITIVITY, "npv": NPV}[name]
    return measured_share(metric, observe(np.reshape(cells, (2, 2))).sample, 0, level)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 2, 5, 30, 1000])
def test_none_in_n_and_all_of_n_are_those_of_clopper_and_pearson(n: int, level: float) -> None:
    tail = (1 - level) / 2
    low, high = beta.ppf(tail, n, 1), beta.ppf(1 - tail, 1, n)
    assert of_counts("sensitivity", (90, 5, 0, n), level) == pytest.approx((1.0, low, 1.0))
    assert of_counts("sensitivity", (90, 5, n, 0), level) == pytest.approx((0.0, 0.0, high))


@pytest.mark.parametrize("n", [2, 4, 50])
def test_a_class_that_never_occurs_makes_nothing_certain(n: int) -> None:
    """All items are below the cut and called so; nobody has seen what becomes of one above."""
    assert of_counts("npv", (n, 0, 0, 0)) == pytest.approx((1.0, 0.025 ** (1 / n), 1.0))


def of_labels(y_true: Any, y_pred: Any, clusters: Any = None, **options: Any) -> Sample:
    return sample_of(read_items(y_true, {"p": y_pred}, **options), clusters=clusters)


def test_a_share_and_its_rest_mirror_each_other() -> None:
    sample = observe([[7, 2], [1, 4]]).sample
    everything, above = np.ones(4, dtype=bool), sample.truth == 1
    one, rest = (share_of(sample, everything, x, 0.95) for x in (above, ~above))
    assert one == pytest.approx((1 - rest.value, 1 - rest.high, 1 - rest.low))


def test_other_items_say_nothing() -> None:
    few = of_counts("sensitivity", (3, 1, 4, 16))
    assert of_counts("sensitivity", (3000, 10, 4, 16)) == pytest.approx(few)


def test_one_item_has_a_value_and_no_interval() -> None:
    value, low, high = of_counts("npv", (1, 0, 0, 0))
    assert value == 1
    assert np.isnan([low, high]).all()
    assert np.isnan(of_counts("sensitivity", (3, 0, 0, 0)).value)


def test_a_weight_for_all_changes_nothing() -> None:
    y, p = [0, 0, 1, 1, 1, 1] * 5, [0, 1, 1, 1, 1, 0] * 5
    plain, heavy = (
        measured_share(SENSITIVITY, of_labels(y, p, sample_weight=w), 0, 0.95)
        for w in (None, [2.5] * 30)
    )
    assert plain == pytest.approx(heavy)


def test_items_of_one_cluster_count_together() -> None:
    """Ten copies of each item say no more than one, if they are in one cluster."""
    y, p = np.array([0, 0, 1, 1, 1, 1] * 5), np.array([0, 1, 1, 1, 1, 0] * 5)
    alone = measured_share(SENSITIVITY, of_labels(y, p), 0, 0.95)
    copies = of_labels(y.repeat(10), p.repeat(10), clusters=np.arange(30).repeat(10))
    # One pseudo-item is a tenth of what it is without copies.
    assert measured_share(SENSITIVITY, copies, 0, 0.95) == pytest.approx(tuple(alone), abs=0.01)


def test_clusters_without_an_error_exclude_less_than_items_and_no_less_than_clusters_can() -> None:
    y = np.array([0, 0, 1, 1, 1, 1] * 5).repeat(10)
    lone, clustered = (
        measured_share(SENSITIVITY, of_labels(y, y, clusters=c), 0, 0.95).low
        for c in (None, np.arange(30).repeat(10))
    )
    assert lone == pytest.approx(0.025 ** (1 / 200))
    assert 0.025 ** (1 / 20) < clustered < lone


@pytest.mark.parametrize("positives", [2, 5, 20, 60])
@pytest.mark.parametrize("truth", [0.02, 0.2, 0.5, 0.9, 0.98])
def test_intervals_hold(positives: int, truth: float) -> None:
    """2000 data sets of 120 items; the bound is 95 % less four standard errors of that."""
    rng = np.random.default_rng(positives)
    share = positives / 120
    chances = [(1 - share) * 0.9, (1 - share) * 0.1, share * (1 - truth), share * truth]
    found = [
        of_counts("sensitivity", tuple(x.tolist())) for x in rng.multinomial(120, chances, 2000)
    ]
    there = [x for x in found if x.value == x.value]
    held = [x.low <= truth <= x.high for x in there]
    assert np.mean(held) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / len(there))


@pytest.mark.parametrize("metric", oe.metrics(family="threshold"), ids=lambda m: m.name)
def test_every_door_gives_the_same_interval(metric: oe.Metric) -> None:
    rng = np.random.default_rng(5)
    stack = rng.integers(0, 6, (40, 3, 3)) * (rng.random((40, 3, 3)) < 0.5)
    stack = stack[stack.sum((1, 2)) > 1]
    asked = metric.with_params(at_least=2).on(3)
    together = oe.score(oe.ConfusionMatrix(stack, range(3)), metrics=[asked]).found[asked.name]
    for i, counts in enumerate(stack):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = oe.confidence_interval(asked, counts)
        share = measured_share(asked, observe(counts).sample, 0, 0.95)
        assert (alone.low, alone.high) == pytest.approx(share[1:], nan_ok=True)
        ends = (together.low[i], together.high[i])
        assert ends == pytest.approx(share[1:], nan_ok=True), counts
