"""Models that never disagree, ends of ranges that nothing moves, items that weigh nothing."""

from typing import Any

import numpy as np
import pytest
from tests.ready import quick

import ordeval as oe
from ordeval.inference.identical_models import with_matrix

TRUTH = np.arange(60) % 3

pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")


def test_two_items_on_which_models_agree_say_next_to_nothing() -> None:
    d = oe.paired_delta("accuracy", [1, 2], [1, 2], [1, 2], labels=[1, 2, 3], margin=0.1)
    assert (d.delta, d.p_value, d.verdict) == (0.0, 1.0, "not shown")
    # As for a share of none in two (Clopper & Pearson).
    assert (d.low, d.high) == pytest.approx((-(1 - 0.025**0.5), 1 - 0.025**0.5))


@pytest.mark.parametrize("name", ["accuracy", "cem_ord", "average_mae", "weighted_kappa"])
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.1, 0.3])
def test_interval_and_margin_agree_where_models_do(name: str, margin: float) -> None:
    d = oe.paired_delta(name, TRUTH, TRUTH, TRUTH, margin=margin)
    assert d.low < 0 < d.high
    assert d.p_noninferior is not None
    assert (d.gain_low > -margin) == (d.p_noninferior < 0.025)
    assert d.equivalent == (d.high < margin)


def test_the_more_items_agree_the_less_models_may_differ() -> None:
    reach = [
        with_matrix(oe.accuracy, np.diag([n, n]).astype(float), 2.0 * n).ends(0.95)[1]
        for n in (5, 50)
    ]
    assert reach == pytest.approx([1 - 0.025**0.1, 1 - 0.025**0.01])


def test_models_that_disagree_once_are_not_known_to_agree() -> None:
    """A errs where B does not, in 2 % of items: the interval must hold that difference."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        truth = rng.integers(0, 3, 50)
        b = np.where(rng.random(50) < 0.1, (truth + 1) % 3, truth)
        a = np.where((rng.random(50) < 0.02) & (b == truth), (truth + 1) % 3, b)
        d = oe.paired_delta("accuracy", truth, a, b, labels=range(3))
        held += d.low <= -0.018 <= d.high
    assert held / 300 > 0.9


@pytest.mark.parametrize(("name", "first", "second"), [
    ("accuracy", 0, 4), ("mean_absolute_error", 1, 3), ("accuracy_within", 2, 3),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(5))
def test_answers_that_a_measure_does_not_tell_apart_are_as_good_as_the_same(
    name: str, first: int, second: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    truth = rng.integers(0, 5, n)
    a = np.clip(truth + rng.integers(-1, 2, n), 0, 4)
    b = a.copy()
    truth[:2], a[:2], b[:2] = 2, first, second
    found, same = (oe.paired_delta(name, truth, a, x, labels=range(5)) for x in (b, a))
    assert (found.delta, found.p_value) == (0.0, 1.0)
    assert found.low < 0 < found.high
    assert (found.low, found.high) == pytest.approx((same.low, same.high))


def test_a_perfect_sample_is_never_certain() -> None:
    for truth, k in ((np.arange(40) % 2, 2), (np.arange(200) % 2 * 9, 10), (1 + TRUTH % 2, 3)):
        for metric in quick():
            made = oe.confidence_interval(metric, truth, truth, labels=range(k))
            # Of two classes, all are within one step.
            always = metric.name == "accuracy_within" and k == 2
            if made.low == made.low and not always:
                assert made.low < made.high, metric.name


@pytest.mark.parametrize("n", [3, 8, 50])
def test_none_in_n_is_the_exact_interval(n: int) -> None:
    made = oe.confidence_interval("accuracy", [1] * n, [1] * n, labels=[1, 2])
    assert made.low == pytest.approx(0.025 ** (1 / n))


def test_items_without_weight_say_nothing() -> None:
    truth, a, b = [0, 1, 2, 0, 1, 2], [0, 1, 2, 0, 1, 1], [1, 1, 1, 0, 2, 1]
    alone = oe.paired_delta("mean_absolute_error", truth, a, b)
    more = oe.paired_delta(
        "mean_absolute_error", truth + [0] * 9, a + [0] * 9, b + [2] * 9,
        sample_weight=[1] * 6 + [0] * 9,
    )  # fmt: skip
    assert (more.p_value, more.low, more.items) == pytest.approx((alone.p_value, alone.low, 6))


def test_rounding_is_no_difference() -> None:
    truth = [3, 0, 3, 3, 3, 3, 0, 3, 3, 0, 0, 3, 3, 3, 0, 3, 0, 3, 0, 3]
    clusters = [0, 1, 1, 4, 5, 0, 3, 1, 0, 1, 5, 3, 1, 0, 0, 5, 5, 3, 0, 1]
    models = {"A": [v + 1 for v in truth], "B": [2] * 20}
    found = oe.compare(truth, models, ["cohen_kappa"], labels=range(5), clusters=clusters)
    assert found.deltas()[0].p_value == 1.0
    assert found.rank_sets["cohen_kappa"] == {"A": (1, 2), "B": (1, 2)}


def test_a_bias_of_zero_has_no_side() -> None:
    truth = np.repeat([0, 1, 2], [30, 20, 10])
    unbiased = truth.copy()
    unbiased[[0, 1, 35, 36, 37]] += [1, 1, -1, -1, 0]
    biased = np.minimum(truth + np.tile([1, 0, 0], 20), 4)
    assert oe.mean_signed_error(truth, unbiased, labels=range(5)) == 0
    there, back = (
        oe.paired_delta("mean_signed_error", *given, labels=range(5))
        for given in ((truth, biased, unbiased), (4 - truth, 4 - biased, 4 - unbiased))
    )
    assert (back.p_value, back.low, back.high) == pytest.approx(
        (there.p_value, there.low, there.high)
    )


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_clear_differences_stay_clear_among_three(method: Any) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 200)
    models = {
        name: np.where(rng.random(200) < right, truth, rng.integers(0, 4, 200))
        for name, right in (("good", 0.9), ("mid", 0.6), ("bad", 0.2))
    }
    found = oe.compare(truth, models, ["cem_ord"], labels=range(4), method=method, rng=0)
    assert all(d.p_value <= d.p_adjusted < 0.01 for d in found.deltas())


@pytest.mark.parametrize("method", ["auto", "bca", "percentile"])
def test_verdict_and_one_sided_p_agree_whatever_the_method(method: Any) -> None:
    for seed in range(15):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 4, 80)
        a, b = (np.where(rng.random(80) < 0.6, truth, rng.integers(0, 4, 80)) for _ in "ab")
        d = oe.paired_delta(
            "mean_absolute_error", truth, a, b, labels=range(4), margin=0.1, method=method,
            n_resamples=499, rng=seed,
        )  # fmt: skip
        assert d.p_noninferior is not None
        assert (d.gain_low > -0.1) == (d.p_noninferior < 0.025)
        assert (d.low > 0 or d.high < 0) == (d.p_value < 0.05)


def test_a_margin_that_nothing_could_exceed_is_refused() -> None:
    with pytest.raises(
        oe.ParameterError, match="margin must be less than 1, which is as far apart"
    ):
        oe.paired_delta("accuracy", TRUTH, TRUTH, TRUTH, margin=2)
    with pytest.raises(oe.ParameterError, match="margin must be less than 1"):
        oe.compare(TRUTH, {"a": TRUTH, "b": TRUTH}, ["accuracy"], margin=1.0)


def test_of_two_models_one_may_be_best_exactly_when_they_are_told_apart() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 4, 60)
        models = {m: np.where(rng.random(60) < p, truth, rng.integers(0, 4, 60))
                  for m, p in (("a", 0.75), ("b", 0.6))}  # fmt: skip
        found = oe.compare(truth, models, ["cem_ord"], labels=range(4))
        assert (len(found.may_be_best) == 1) == (found.deltas()[0].p_value <= 0.05)
        shares = dict(zip(found.models, found.rank_shares[:, 0], strict=True))
        assert found.probability_best["cem_ord"] == pytest.approx(shares)


def test_copies_of_a_model_are_best_as_often() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 90)
    model, other = (np.where(rng.random(90) < 0.6, truth, rng.integers(0, 3, 90)) for _ in "ab")
    found = oe.compare(truth, {"x": model, "y": other, "copy": model}, ["cem_ord"], labels=range(3))
    best = found.probability_best["cem_ord"]
    assert best["x"] == best["copy"]
    assert sum(best.values()) == pytest.approx(1)
