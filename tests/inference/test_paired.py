"""Pairs of models: against tests of means, its own interval, and the size of the test."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from scipy import stats

import ordeval as oe

pytestmark = pytest.mark.filterwarnings(r"ignore:\[OE103\]")  # rare classes, on purpose

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


@pytest.mark.parametrize(("n", "seed"), [(400, 2), (1500, 3)])
@pytest.mark.parametrize("name", ["accuracy", "mean_absolute_error", "mean_squared_error"])
def test_a_mean_over_items_has_the_paired_t_test(name: str, n: int, seed: int) -> None:
    """Beside the pseudo-item, which weighs one in n."""
    truth, a, b = models(n, 0.30, 0.36, seed)
    ours = oe.paired_delta(name, truth, a, b, labels=range(4))
    losses: dict[str, Callable[[Array], Array]] = {
        "accuracy": lambda p: 1.0 * (p == truth),
        "mean_absolute_error": lambda p: abs(p - truth),
        "mean_squared_error": lambda p: (p - truth) ** 2.0,
    }
    loss = losses[name]
    gap = loss(a) - loss(b)
    theirs = stats.ttest_1samp(gap, 0)
    ends = theirs.confidence_interval(0.95)
    assert ours.delta == pytest.approx(gap.mean())
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=0.1, abs=0.005)
    assert (ours.low, ours.high) == pytest.approx((ends.low, ends.high), abs=0.05 * ends.high)


def test_accuracy_is_near_mcnemar() -> None:
    truth, a, b = models(800, 0.3, 0.36, 1)
    only_a, only_b = (
        int((x & ~y).sum()) for x, y in [(a == truth, b == truth), (b == truth, a == truth)]
    )
    exact = float(stats.binomtest(only_a, only_a + only_b).pvalue)
    assert oe.paired_delta("accuracy", truth, a, b, labels=range(4)).p_value == pytest.approx(
        exact, rel=0.25
    )


EVERY = [m.name for m in oe.metrics(needs="labels") if m.by_default]


@pytest.mark.parametrize("name", EVERY)
def test_interval_and_test_agree(name: str) -> None:
    """At every level: the interval leaves out zero exactly when p is below one minus the level."""
    for seed in range(3):
        data = models(60, 0.4, 0.5, seed)
        p = oe.paired_delta(name, *data, labels=range(4)).p_value
        for level in (1 - p - 0.01, 1 - p + 0.01):
            if 0.02 < level < 0.999:
                delta = oe.paired_delta(name, *data, labels=range(4), level=level)
                assert (delta.low <= 0 <= delta.high) == (level > 1 - p), seed


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("name", ["cem_ord", "weighted_kappa", "average_mae"])
def test_drawn_intervals_and_their_tests_agree(name: str, method: Any) -> None:
    for seed in range(8):
        data = models(60, 0.4, 0.55, seed)
        options: dict[str, Any] = {"labels": range(4), "method": method, "rng": seed}
        p = oe.paired_delta(name, *data, **options).p_value
        for level in (1 - p - 0.01, 1 - p + 0.01):
            if 0.02 < level < 0.999:
                delta = oe.paired_delta(name, *data, **options, level=level)
                assert (delta.low <= 0 <= delta.high) == (level > 1 - p), seed


@pytest.mark.parametrize("name", ["accuracy", "mean_absolute_error", "oc_index", "cem_ord"])
def test_exchanging_the_models_turns_the_sign(name: str) -> None:
    truth, a, b = models(150, 0.3, 0.4, 9)
    one = oe.paired_delta(name, truth, a, b, names=("x", "y"), labels=range(4), margin=0.1)
    other = oe.paired_delta(name, truth, b, a, names=("y", "x"), labels=range(4), margin=0.1)
    assert one.delta == pytest.approx(-other.delta)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.p_value == pytest.approx(other.p_value)
    assert one.p_equivalent == pytest.approx(other.p_equivalent)
    assert one.favours == other.favours
    assert (one.value_a, one.value_b) == (other.value_b, other.value_a)


@pytest.mark.parametrize("name", ["accuracy", "cem_ord", "weighted_kappa", "auoc"])
def test_paired_clusters_of_one_item_are_items(name: str) -> None:
    data = models(150, 0.3, 0.4, 5)
    grouped = oe.paired_delta(name, *data, clusters=np.arange(150), labels=range(4))
    loose = oe.paired_delta(name, *data, labels=range(4))
    for field in ("delta", "low", "high", "p_value"):
        assert getattr(grouped, field) == pytest.approx(getattr(loose, field))
    assert (grouped.clusters, loose.clusters, grouped.items) == (150, 0, 150)


def test_few_clusters_are_warned_of_and_make_it_harder() -> None:
    truth, a, b = models(120, 0.1, 0.6, 0)
    loose = oe.paired_delta("accuracy", truth, a, b, labels=range(4))
    alike = np.argsort(1 * (a == truth) - (b == truth), kind="stable")
    clusters = np.empty(120, dtype=np.int64)
    clusters[alike] = np.arange(120) // 20
    with pytest.warns(oe.ResamplingWarning, match="OE304"):
        delta = oe.paired_delta("accuracy", truth, a, b, clusters=clusters, labels=range(4))
    assert delta.high - delta.low > loose.high - loose.low


def test_uneven_weights_are_warned_of() -> None:
    truth, a, b = models(120, 0.3, 0.6, 0)
    weight = np.where(np.arange(120) < 6, 100.0, 1.0)
    with pytest.warns(oe.ResamplingWarning, match="OE307.*effective sample size is 8 of 120 items"):
        delta = oe.paired_delta("accuracy", truth, a, b, sample_weight=weight, labels=range(4))
    assert delta.effective == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


@pytest.mark.parametrize("name", ["accuracy", "weighted_kappa", "average_mae", "cem_ord"])
def test_the_size_of_the_test_is_its_level(name: str) -> None:
    """300 data sets of two equally good, differing models; binomial bounds around 5 %."""
    found = [
        oe.paired_delta(name, *models(80, 0.4, 0.4, 1000 + seed), labels=range(4)).p_value
        for seed in range(300)
    ]
    low, high = stats.binom(300, 0.05).ppf([0.001, 0.999])
    assert low <= np.sum(np.array(found) <= 0.05) <= high


def test_power_grows_with_the_effect() -> None:
    power = []
    for effect in (0.0, 0.16, 0.3):
        data = (models(150, 0.3, 0.3 + effect, 50 + seed) for seed in range(40))
        found = [oe.paired_delta("mean_absolute_error", *d, labels=range(4)).p_value for d in data]
        power.append(np.mean(np.array(found) <= 0.05))
    assert power == sorted(power)
    assert power[0] < 0.15
    assert power[-1] > 0.95


def test_weighted_means_against_the_sandwich() -> None:
    truth, a, b = models(600, 0.3, 0.4, 13)
    weight = np.random.default_rng(1).choice([0.25, 1.0, 3.0], 600)
    ours = oe.paired_delta("accuracy", truth, a, b, sample_weight=weight, labels=range(4))
    gain = (a == truth) * 1.0 - (b == truth)
    mean = np.average(gain, weights=weight)
    error = np.sqrt((weight**2 * (gain - mean) ** 2).sum()) / weight.sum()
    assert ours.delta == pytest.approx(mean)
    assert ours.high - ours.low == pytest.approx(2 * 1.964 * error, rel=0.02)


@pytest.mark.parametrize("unit", [1e-3, 7.0])
def test_the_unit_of_the_weights_says_nothing(unit: float) -> None:
    data = models(150, 0.3, 0.4, 12)
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    a, b = (
        oe.paired_delta("krippendorff_alpha", *data, sample_weight=w, labels=range(4))
        for w in (weight, weight * unit)
    )
    assert (a.delta, a.low, a.p_value) == pytest.approx((b.delta, b.low, b.p_value))


# Margins


@pytest.mark.parametrize("name", ["cem_ord", "mean_absolute_error", "oc_index"])
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3])
def test_the_margin_and_the_interval_agree(name: str, margin: float) -> None:
    for seed in range(8):
        d = oe.paired_delta(name, *models(80, 0.3, 0.35, seed), margin=margin, labels=range(4))
        better = d.low > -margin if oe.get_metric(name).greater_is_better else d.high < margin
        assert (d.verdict == "non-inferior") == better == (d.p_noninferior < 0.025)
        assert d.p_equivalent >= d.p_noninferior
        assert d.equivalent == (d.p_equivalent <= 0.025)
        assert d.margin == margin


def test_a_margin_against_two_one_sided_t_tests() -> None:
    truth, a, b = models(900, 0.3, 0.31, 4)
    gap = 1.0 * (a == truth) - (b == truth)
    ours = oe.paired_delta("accuracy", truth, a, b, margin=0.05, labels=range(4))
    above = stats.ttest_1samp(gap, -0.05, alternative="greater").pvalue
    below = stats.ttest_1samp(gap, 0.05, alternative="less").pvalue
    assert ours.p_noninferior == pytest.approx(above, rel=0.15, abs=1e-4)
    assert ours.p_equivalent == pytest.approx(max(above, below), rel=0.15, abs=1e-4)


def test_words_about_a_margin() -> None:
    d = oe.paired_delta("accuracy", *models(400, 0.3, 0.3, 4), margin=0.2, names=("new", "old"),
                        labels=range(4))  # fmt: skip
    assert d.sentence().startswith(
        "new is non-inferior to old by a margin of 0.2 in accuracy, and the two are equivalent "
        "within it (difference "
    )
    assert d.sentence().endswith(", threshold 0.025)")
    worse = oe.paired_delta("accuracy", *models(400, 0.7, 0.2, 4), margin=0.1, labels=range(4))
    assert worse.verdict == "inferior"
    assert "A is inferior to B by more than the margin of 0.1" in str(worse)
    unsure = oe.paired_delta("accuracy", *models(40, 0.3, 0.3, 4), margin=0.01, labels=range(4))
    assert unsure.verdict == "not shown"
    assert "A is not shown to be non-inferior to B" in str(unsure)
    plain = oe.paired_delta("accuracy", *models(40, 0.3, 0.3, 4), labels=range(4))
    assert (plain.margin, plain.p_noninferior, plain.p_equivalent) == (None, None, None)
    assert (plain.verdict, plain.sentence(), plain.equivalent) == ("", "", False)


@pytest.mark.parametrize("margin", [0, -0.1, float("nan"), float("inf"), "0.1", True])
def test_margins_are_checked(margin: Any) -> None:
    with pytest.raises(oe.ParameterError, match="margin must be a number > 0, in units of the mea"):
        oe.paired_delta("accuracy", *models(40, 0.3, 0.3, 4), margin=margin, labels=range(4))


# Labels, counts and names


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
@pytest.mark.parametrize("method", ["auto", "bca", "percentile"])
def test_a_model_against_itself(name: str, method: str) -> None:
    truth, a, _ = models(100, 0.3, 0.4, 7)
    delta = oe.paired_delta(
        name, truth, a, a, method=method, labels=range(4), rng=0, n_resamples=499
    )
    assert (delta.delta, delta.p_value, delta.favours) == (0.0, 1.0, None)
    assert delta.low == -delta.high
    # That they never disagreed in a hundred items does not show that they never will.
    assert (delta.high > 0.01) == (method == "auto")


def test_weighted_items_against_themselves() -> None:
    truth, a, _ = models(100, 0.3, 0.4, 7)
    weight = np.random.default_rng(0).uniform(0.1, 3, 100)
    delta = oe.paired_delta("cem_ord", truth, a, a, sample_weight=weight, rng=0, n_resamples=99)
    assert delta.delta == 0
    assert delta.p_value == 1.0


def test_weights_of_one_are_no_weights() -> None:
    data = models(150, 0.3, 0.4, 12)
    plain = oe.paired_delta("cem_ord", *data, rng=0, n_resamples=999)
    ones = oe.paired_delta("cem_ord", *data, rng=0, n_resamples=999, sample_weight=np.ones(150))
    assert ones == plain


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
        drawn, delta = (
            oe.paired_delta("kendall_tau_b", truth, truth, constant, method=m, rng=0)
            for m in ("bca", "auto")
        )
    for d in (drawn, delta):
        assert np.isnan([d.delta, d.low, d.high, d.p_value]).all()
        assert d.favours is None
    assert drawn.undefined_share == 1.0


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
            "the counts are weights or shares, so the number of items is unknown. Pass "
            "the labels themselves, with sample_weight."
        ),
    ),
    "no items": (
        (np.zeros((2, 2, 2), int),),
        oe.LabelError,
        "there are no items: all counts are zero.",
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
