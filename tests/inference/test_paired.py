"""Pairs of models: against McNemar's exact test, brute-force swaps, and the size of the test."""

import itertools
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from scipy import stats

import ordeval as oe
from ordeval.data.items import Items, read_items
from ordeval.inference.intervals import values_of
from ordeval.inference.paired import Pair, permutation_p_values, swapped
from ordeval.inference.samples import Sample, clusters_of, items_of

Array = NDArray[Any]
Labels = tuple[Array, Array, Array]

DRAWS = 2999


def models(n: int, wrong_a: float, wrong_b: float, seed: int, k: int = 4) -> Labels:
    """A truth and two models, each wrong by up to two classes in a share of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)

    def predict(share: float) -> Array:
        off = rng.choice([-2, -1, 1, 2], n) * (rng.random(n) < share)
        return np.clip(truth + off, 0, k - 1)

    return truth, predict(wrong_a), predict(wrong_b)


def joint_of(data: Labels, k: int = 4) -> Array:
    joint = np.zeros((k, k, k), dtype=int)
    np.add.at(joint, data, 1)
    return joint


def items(data: Labels, k: int = 4) -> Items:
    """The same in positions on a scale of k levels."""
    truth, a, b = data
    return read_items(truth, {"A": a, "B": b}, labels=range(k))


def both_of(sample: Sample) -> Pair:
    return Pair((0, 1), ("A", "B"), sample.leave_one_out((0, 1)))


def swaps(sample: Sample, n: int, seed: int = 0) -> Array:
    """The matrices (n, 2, K, K) of the two models after random swaps."""
    return np.concatenate(list(swapped(sample, both_of(sample), n, np.random.default_rng(seed))))


def p_values(metrics: list[oe.Metric], data: Labels, seed: int) -> dict[str, float]:
    sample, rng = items_of(items(data)), np.random.default_rng(seed)
    values = {m: values_of(m, sample.counts) for m in metrics}
    return permutation_p_values(values, sample, both_of(sample), 199, rng)


def mcnemar(data: Labels) -> float:
    """The exact test: of the items on which one model is right, half should be A's."""
    truth, a, b = data
    only_a = int(((a == truth) & (b != truth)).sum())
    only_b = int(((b == truth) & (a != truth)).sum())
    return float(stats.binomtest(only_a, only_a + only_b).pvalue)


@pytest.mark.parametrize(
    ("n", "wrong_a", "wrong_b", "seed"),
    [
        (120, 0.3, 0.35, 0),
        (120, 0.3, 0.45, 1),
        (400, 0.2, 0.26, 2),
        (60, 0.5, 0.4, 3),
        (25, 0.3, 0.5, 4),
    ],
)
def test_accuracy_agrees_with_mcnemar(n: int, wrong_a: float, wrong_b: float, seed: int) -> None:
    data = models(n, wrong_a, wrong_b, seed)
    ours = oe.paired_delta("accuracy", *data, n_resamples=DRAWS, rng=seed, labels=range(4)).p_value
    exact = mcnemar(data)
    error = np.sqrt(exact * (1 - exact) / DRAWS)
    assert ours == pytest.approx(exact, abs=4 * error + 2 / DRAWS)


def test_a_small_table_against_all_swaps() -> None:
    """Every one of the 2^10 ways to swap ten items, for a measure that is not a mean."""
    truth, a, b = models(10, 0.6, 0.6, 11)
    swap = np.array(list(itertools.product([False, True], repeat=10)))
    both = np.stack([np.where(swap, b, a), np.where(swap, a, b)])
    matrices = np.zeros((2, len(swap), 4, 4), dtype=int)
    model, way, _ = np.indices(both.shape)
    np.add.at(matrices, (model, way, np.broadcast_to(truth, both.shape), both), 1)
    first, second = oe.weighted_kappa.from_confusion(matrices)
    gaps = np.abs(first - second)
    exact = np.mean(gaps >= gaps[0] - 1e-12)
    delta = oe.paired_delta(
        "weighted_kappa", truth, a, b, labels=range(4), n_resamples=DRAWS, rng=0
    )
    assert abs(delta.delta) == pytest.approx(gaps[0], abs=1e-12)
    assert delta.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / DRAWS))


def test_swaps_keep_the_sum_and_the_truth() -> None:
    truth, a, b = models(200, 0.4, 0.6, 0)
    sample = items_of(items((truth, a, b)))
    blocks = swaps(sample, 400)
    assert blocks.shape == (400, 2, 4, 4)
    assert (blocks >= 0).all()
    np.testing.assert_array_equal(
        blocks.sum(axis=1), np.broadcast_to(sample.counts.sum(axis=0), (400, 4, 4))
    )
    np.testing.assert_array_equal(
        blocks.sum(axis=-1), np.broadcast_to(np.bincount(truth), (400, 2, 4))
    )


def test_swaps_are_fair() -> None:
    truth, a, b = models(200, 0.4, 0.6, 0)
    sample = items_of(items((truth, a, b)))
    block = swaps(sample, 5_000)
    np.testing.assert_allclose(block.mean(axis=0)[0], sample.counts.mean(axis=0), atol=0.2)


def test_clusters_are_swapped_whole() -> None:
    truth, a, b = models(90, 0.4, 0.6, 0)
    clusters = np.arange(90) // 30
    sample = clusters_of(items((truth, a, b)), clusters)
    blocks = swaps(sample, 200)
    possible = {
        sum(sample.matrices[g, side] for g, side in enumerate(sides)).tobytes()
        for sides in itertools.product([0, 1], repeat=3)
    }
    found = {m.astype(np.int64).tobytes() for m in blocks[:, 0]}
    assert found == possible


def test_the_p_value_of_clusters_against_all_swaps() -> None:
    """Six clusters have 64 swaps, so p cannot be small however clear the items are."""
    truth, a, b = models(120, 0.1, 0.6, 0)
    clusters = np.arange(120) % 6
    options: dict[str, Any] = {"labels": range(4), "n_resamples": DRAWS, "rng": 0}
    with pytest.warns(oe.ResamplingWarning, match="OE304"):
        delta = oe.paired_delta("accuracy", truth, a, b, clusters=clusters, **options)
    gaps = np.array([((a == truth) * 1.0 - (b == truth))[clusters == g].sum() for g in range(6)])
    signs = np.array(list(itertools.product([-1, 1], repeat=6)))
    exact = np.mean(np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9)
    assert delta.p_value == pytest.approx(exact, abs=0.02)
    loose = oe.paired_delta("accuracy", truth, a, b, **options)
    assert loose.p_value < delta.p_value


def test_paired_clusters_of_one_item_are_items() -> None:
    data = models(150, 0.3, 0.4, 5)
    options: dict[str, Any] = {"labels": range(4), "n_resamples": DRAWS}
    grouped = oe.paired_delta("cem_ord", *data, clusters=np.arange(150), rng=0, **options)
    loose = oe.paired_delta("cem_ord", *data, rng=1, **options)
    assert grouped.delta == pytest.approx(loose.delta, abs=1e-12)
    assert grouped.p_value == pytest.approx(loose.p_value, abs=0.04)
    width = loose.high - loose.low
    np.testing.assert_allclose(
        (grouped.low, grouped.high), (loose.low, loose.high), atol=0.08 * width
    )


@pytest.mark.parametrize("name", ["accuracy", "mean_absolute_error", "kendall_tau_b", "auoc"])
def test_joint_counts_are_labels(name: str) -> None:
    data = models(150, 0.3, 0.4, 6)
    from_labels = oe.paired_delta(name, *data, rng=0, n_resamples=999, labels=range(4))
    assert oe.paired_delta(name, joint_of(data), rng=0, n_resamples=999) == from_labels


def test_strings_are_labels_too() -> None:
    data = models(80, 0.3, 0.4, 6)
    levels = np.array(["none", "some", "much", "all"])
    words = tuple(levels[x] for x in data)
    expected = oe.paired_delta("cem_ord", *data, rng=0, n_resamples=99, labels=range(4))
    assert oe.paired_delta("cem_ord", *words, rng=0, n_resamples=99, labels=levels) == expected


@pytest.mark.parametrize("name", ["accuracy", "cem_ord", "mean_signed_error", "auoc"])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_a_model_against_itself(name: str, method: str) -> None:
    truth, a, _ = models(100, 0.3, 0.4, 7)
    delta = oe.paired_delta(
        name, truth, a, a, method=method, labels=range(4), rng=0, n_resamples=499
    )
    assert (delta.delta, delta.low, delta.high, delta.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert delta.favours is None


def test_weighted_items_against_themselves() -> None:
    truth, a, _ = models(100, 0.3, 0.4, 7)
    weight = np.random.default_rng(0).uniform(0.1, 3, 100)
    delta = oe.paired_delta("cem_ord", truth, a, a, sample_weight=weight, rng=0, n_resamples=99)
    assert delta.delta == 0
    assert delta.p_value == 1.0


@pytest.mark.parametrize("draws", [1, 19, 199])
def test_the_observed_case_counts(draws: int) -> None:
    truth, _, wrong = models(200, 0.0, 0.9, 8)
    delta = oe.paired_delta("accuracy", truth, truth, wrong, rng=0, n_resamples=draws)
    assert delta.p_value == 1 / (draws + 1)


@pytest.mark.parametrize("name", ["accuracy", "mean_absolute_error", "oc_index", "cem_ord"])
def test_exchanging_the_models_turns_the_sign(name: str) -> None:
    truth, a, b = models(150, 0.3, 0.4, 9)
    options: dict[str, Any] = {"labels": range(4), "n_resamples": DRAWS, "rng": 0}
    one = oe.paired_delta(name, truth, a, b, names=("x", "y"), **options)
    other = oe.paired_delta(name, truth, b, a, names=("y", "x"), **options)
    assert one.delta == pytest.approx(-other.delta, abs=1e-12)
    width = one.high - one.low
    assert one.low == pytest.approx(-other.high, abs=0.08 * width)
    assert one.high == pytest.approx(-other.low, abs=0.08 * width)
    assert one.p_value == pytest.approx(other.p_value, abs=0.02)
    assert one.favours == other.favours
    assert (one.value_a, one.value_b) == (other.value_b, other.value_a)


def test_the_interval_is_that_of_a_bootstrap_over_items() -> None:
    truth, a, b = models(120, 0.3, 0.45, 10)
    gain = np.abs(truth - a) - np.abs(truth - b)
    theirs = stats.bootstrap((gain,), np.mean, method="BCa", rng=np.random.default_rng(0))
    ours = oe.paired_delta("mean_absolute_error", truth, a, b, rng=0)
    assert ours.delta == pytest.approx(gain.mean())
    np.testing.assert_allclose(
        (ours.low, ours.high), theirs.confidence_interval, atol=0.2 * theirs.standard_error
    )


def test_the_size_of_the_test_is_its_level() -> None:
    """150 data sets of two equally good, differing models; binomial bounds around 5 %."""
    metrics = [oe.get_metric(n) for n in ("accuracy", "mean_absolute_error", "kendall_tau_b")]
    rejected = dict.fromkeys((m.name for m in metrics), 0)
    for seed in range(150):
        for name, p in p_values(metrics, models(150, 0.4, 0.4, 1000 + seed), seed).items():
            rejected[name] += p <= 0.05
    low, high = stats.binom(150, 0.05).ppf([0.001, 0.999])
    assert rejected["mean_absolute_error"] >= low
    for name, count in rejected.items():
        assert count <= high, name


def test_power_grows_with_the_effect() -> None:
    metric = oe.mean_absolute_error
    power = []
    for effect in (0.0, 0.16, 0.3):
        data = (models(150, 0.3, 0.3 + effect, 50 + seed) for seed in range(40))
        found = [p_values([metric], d, seed)[metric.name] for seed, d in enumerate(data)]
        power.append(np.mean(np.array(found) <= 0.05))
    assert power == sorted(power)
    assert power[0] < 0.15
    assert power[-1] > 0.95


def test_weights_of_one_are_no_weights() -> None:
    data = models(150, 0.3, 0.4, 12)
    plain = oe.paired_delta("cem_ord", *data, rng=0, n_resamples=999)
    ones = oe.paired_delta("cem_ord", *data, rng=0, n_resamples=999, sample_weight=np.ones(150))
    assert ones == plain


def test_weighted_swaps_against_brute_force() -> None:
    truth, a, b = models(60, 0.3, 0.5, 13)
    weight = np.random.default_rng(1).choice([0.25, 1.0, 3.0], 60)
    ours = oe.paired_delta("accuracy", truth, a, b, sample_weight=weight, rng=0, n_resamples=DRAWS,
                           labels=range(4))  # fmt: skip
    gain = weight * ((a == truth) * 1.0 - (b == truth))
    signs = np.random.default_rng(2).choice([-1, 1], (10_000, 60))
    slow = np.mean(np.abs(signs @ gain) >= abs(gain.sum()) - 1e-9)
    assert ours.delta == pytest.approx(gain.sum() / weight.sum())
    assert ours.p_value == pytest.approx(slow, abs=0.04)


def test_items_without_weight_do_not_count() -> None:
    truth, a, b = models(100, 0.3, 0.5, 14)
    weight = np.r_[np.ones(60), np.zeros(40)]
    ours = oe.paired_delta("accuracy", truth, a, b, sample_weight=weight, rng=0, n_resamples=99)
    expected = (a == truth)[:60].mean() - (b == truth)[:60].mean()
    assert ours.delta == pytest.approx(expected)


def test_a_two_sided_measure_compares_distances_to_its_best() -> None:
    truth = np.tile([0, 1, 2, 3], 30)
    low, high = truth - (truth == 1), truth + np.isin(truth, [0, 2])
    delta = oe.paired_delta("mean_signed_error", truth, low, high, rng=0, n_resamples=999)
    assert (delta.value_a, delta.value_b) == (-0.25, 0.5)
    assert delta.delta == pytest.approx(-0.25)  # 0.25 away from zero, rather than 0.5
    assert delta.favours == "A"
    assert delta.high < 0
    mirrored = oe.paired_delta(
        "mean_signed_error", truth, truth + (truth == 1), high, rng=0, n_resamples=99
    )
    assert mirrored.delta == pytest.approx(delta.delta)


def test_a_level_without_items_does_no_harm() -> None:
    truth, a, b = models(100, 0.3, 0.5, 18, k=3)
    expected = oe.paired_delta("accuracy", truth, a, b, labels=range(3), rng=0, n_resamples=999)
    ours = oe.paired_delta("accuracy", truth, a, b, labels=range(4), rng=0, n_resamples=999)
    assert ours == expected
    joint = np.zeros((4, 4, 4), dtype=int)
    joint[:3, :3, :3] = joint_of((truth, a, b), 3)
    assert oe.paired_delta("accuracy", joint, rng=0, n_resamples=999) == expected


def test_favours_follows_the_direction_of_the_measure() -> None:
    truth, a, b = models(150, 0.1, 0.5, 15)
    higher = oe.paired_delta("accuracy", truth, a, b, rng=0, n_resamples=99, names=("a", "b"))
    lower = oe.paired_delta(
        "oc_index", truth, a, b, labels=range(4), rng=0, n_resamples=99, names=("a", "b")
    )
    assert higher.delta > 0 > lower.delta
    assert higher.favours == lower.favours == "a"


def test_a_measure_without_a_value_has_no_test() -> None:
    truth = np.array([0, 1] * 20)
    constant = np.zeros(40, dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", oe.ResamplingWarning)
        delta = oe.paired_delta("kendall_tau_b", truth, truth, constant, rng=0, n_resamples=99)
    assert np.isnan([delta.delta, delta.low, delta.high, delta.p_value]).all()
    assert delta.favours is None
    assert delta.undefined_share == 1.0


def test_it_prints_on_a_line() -> None:
    delta = oe.paired_delta("accuracy", *models(100, 0.1, 0.5, 15), rng=0, n_resamples=99)
    delta = replace(delta, delta=-0.125, low=-0.25, high=0.0, p_value=0.0312)
    assert str(delta) == "accuracy: A - B = -0.125 [-0.250, +0.000], p = 0.0312"


def test_dropped_items_are_dropped_for_both_and_for_their_clusters() -> None:
    truth, a, b = (x.tolist() for x in models(100, 0.3, 0.5, 16))
    expected = oe.paired_delta(
        "accuracy", truth, a, b, rng=0, n_resamples=99, labels=range(4), clusters=range(100)
    )
    ours = oe.paired_delta(
        "accuracy", [*truth, 0, None], [*a, 7, 0], [*b, 0, 0], labels=range(4),
        clusters=range(102), unknown="drop", missing="drop", rng=0, n_resamples=99,
    )  # fmt: skip
    assert ours == expected


def test_the_posterior_is_refused() -> None:
    """Only one model's matrix has a posterior here: draws of pairs are bootstrap draws."""
    with pytest.raises(oe.ParameterError, match="method"):
        oe.paired_delta("accuracy", *models(50, 0.3, 0.4, 0), method="bayes", rng=0)


@pytest.mark.parametrize("option", ["clusters", "sample_weight"])
def test_joint_counts_have_no_items_to_cluster_or_weigh(option: str) -> None:
    with pytest.raises(oe.LabelError):
        oe.paired_delta("accuracy", joint_of(models(50, 0.3, 0.4, 0)), **{option: [1.0] * 50})


JOINT = "paired_delta takes y_true, pred_a and pred_b, or joint counts of shape (K, K, K); got "
BAD: dict[str, tuple[tuple[Any, ...], type[Exception], str]] = {
    "a matrix": (([[1, 2], [1, 2]],), oe.CountsError, JOINT + "shape (2, 2)."),
    "not a cube": ((np.ones((2, 2, 3), int),), oe.CountsError, JOINT + "shape (2, 2, 3)."),
    "the truth alone": (([1, 2],), oe.CountsError, JOINT + "shape (2,)."),
    "a tuple": ((([1, 2], [1, 2], [1]),), oe.CountsError, JOINT + "lists of different lengths."),
    "one model": (
        ([1, 2], [1, 2]),
        oe.LabelError,
        "pred_b must be a sequence of labels, one per item; got None.",
    ),
    "fractions": (
        (np.full((2, 2, 2), 0.5),),
        oe.LabelError,
        (
            "the counts are weights or shares, which do not say how many items they come from. "
            "Pass the labels themselves, with sample_weight."
        ),
    ),
    "no items": (
        (np.zeros((2, 2, 2), int),),
        oe.LabelError,
        "there are no items to draw from: the counts are all zero.",
    ),
    "lengths": (
        ([1, 2, 3], [1, 2, 3], [1, 2]),
        oe.LabelError,
        "y_true and pred_b must have the same length; got 3 and 2 labels.",
    ),
}


@pytest.mark.parametrize(("data", "error", "message"), BAD.values(), ids=list(BAD))
def test_bad_data(data: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        oe.paired_delta("accuracy", *data)
    assert str(caught.value) == message


def test_labels_that_do_not_fit_joint_counts_are_refused() -> None:
    joint = joint_of(models(50, 0.3, 0.4, 0))
    named = oe.paired_delta("accuracy", joint, labels=list("abcd"), rng=0, n_resamples=99)
    assert named == oe.paired_delta("accuracy", joint, rng=0, n_resamples=99)
    with pytest.raises(oe.CountsError, match="counts are for 4 classes but 3 labels were given"):
        oe.paired_delta("accuracy", joint, labels=list("abc"))


def test_negative_joint_counts_are_refused() -> None:
    with pytest.raises(oe.CountsError, match="negative"):
        oe.paired_delta("accuracy", np.full((2, 2, 2), -1))


# Corrections for many tests

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@settings(max_examples=20)
@given(P_VALUES)
def test_holm_by_its_definition(p: list[float]) -> None:
    """Rejected at alpha if all smaller p-values are, each at alpha over those not smaller."""
    order = np.argsort(p, kind="stable")
    m = len(p)
    expected = np.empty(m)
    for place, i in enumerate(order):
        expected[i] = min(1.0, max((m - j) * p[order[j]] for j in range(place + 1)))
    np.testing.assert_allclose(oe.holm(p), expected, rtol=1e-12)


@settings(max_examples=20)
@given(P_VALUES)
def test_benjamini_hochberg_is_that_of_scipy(p: list[float]) -> None:
    np.testing.assert_allclose(
        oe.benjamini_hochberg(p), stats.false_discovery_control(p), rtol=1e-12, atol=1e-300
    )


@settings(max_examples=20)
@given(P_VALUES)
def test_corrections_are_ordered(p: list[float]) -> None:
    few, any_false = oe.benjamini_hochberg(p), oe.holm(p)
    assert (few >= np.array(p) - 1e-15).all()
    assert (any_false >= few - 1e-12).all()
    assert (any_false <= 1).all()


def test_corrections_by_hand() -> None:
    """Holm 1979: 0.01 * 4, then 0.02 * 3 = 0.06, 0.03 * 2 = 0.06, 0.04 stays at 0.06."""
    p = [0.04, 0.01, 0.03, 0.02]
    np.testing.assert_allclose(oe.holm(p), [0.06, 0.04, 0.06, 0.06])
    np.testing.assert_allclose(oe.benjamini_hochberg(p), [0.04] * 4)
    np.testing.assert_allclose(oe.holm([0.5, 0.9]), [1.0, 1.0])


def test_corrections_of_nothing() -> None:
    assert oe.holm([]).shape == oe.benjamini_hochberg([]).shape == (0,)


def test_a_test_without_a_value_is_left_out_of_both_corrections() -> None:
    p = [0.01, np.nan, 0.02]
    np.testing.assert_allclose(oe.holm(p), [0.02, np.nan, 0.02])
    np.testing.assert_allclose(oe.benjamini_hochberg(p), [0.02, np.nan, 0.02])
