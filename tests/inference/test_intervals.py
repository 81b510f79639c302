"""Intervals: against SciPy, against brute force over items, and at the edges of what is known."""

import re
import tracemalloc
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.ready import OnUse, quick

import ordeval as oe
from ordeval.data.items import Items, read_items
from ordeval.inference import samples
from ordeval.inference.samples import Sample, sample_of, sample_of_joint

pd, pl = OnUse("pandas"), OnUse("polars")

Array = NDArray[Any]

MATRIX = np.array([[40, 9, 2, 0], [8, 30, 9, 1], [1, 7, 24, 8], [0, 2, 5, 14]])
UNEVEN = np.array([[60, 11, 3], [7, 25, 6], [2, 4, 12]])
THREE = ("mean_absolute_error", "weighted_kappa", "kendall_tau_b")


def items_in(matrix: Array) -> tuple[Array, Array]:
    """Labels that count to the matrix, in a mixed order."""
    truth, pred = np.nonzero(matrix)
    times = matrix[truth, pred]
    order = np.random.default_rng(5).permutation(int(times.sum()))
    return np.repeat(truth, times)[order], np.repeat(pred, times)[order]


def items(truth: Array, pred: Array, weight: Array | None = None) -> Items:
    """The same in positions on the scale that they imply."""
    return read_items(truth, {"pred": pred}, sample_weight=weight)


def draws(sample: Sample, n: int) -> Array:
    rng = np.random.default_rng(0)
    return sample.drawer(rng).draw(n, rng)


def stack_of(truth: Array, pred: Array, k: int) -> Array:
    """Matrices (..., K, K) of labels (..., n)."""
    code = np.asarray(truth) * k + np.asarray(pred)
    rows = (
        code.reshape(-1, code.shape[-1]) + k * k * np.arange(code.size // code.shape[-1])[:, None]
    )
    counts = np.bincount(rows.ravel(), minlength=len(rows) * k * k)
    return counts.reshape(*code.shape[:-1], k, k)


def statistic(name: str, k: int) -> Callable[..., Array]:
    metric = oe.get_metric(name)

    def value(truth: Array, pred: Array, axis: int = -1) -> Array:
        truth, pred = np.moveaxis(truth, axis, -1), np.moveaxis(pred, axis, -1)
        return np.asarray(metric.values(stack_of(truth, pred, k)))

    return value


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("name", THREE)
def test_endpoints_are_those_of_scipy(name: str, method: str) -> None:
    truth, pred = items_in(MATRIX)
    theirs = stats.bootstrap(
        (truth, pred), statistic(name, 4), paired=True, vectorized=True, n_resamples=4999,
        batch=2000, method="BCa" if method == "bca" else "percentile",
        rng=np.random.default_rng(1),
    )  # fmt: skip
    ours = oe.confidence_interval(name, MATRIX, method=method, n_resamples=9999, rng=2)
    # Standard error of the 2.5 % quantile of B normal draws: sqrt(0.025 * 0.975 / B) / 0.0584 sd.
    error = theirs.standard_error * np.sqrt(0.025 * 0.975 * (1 / 4999 + 1 / 9999)) / 0.0584
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=5 * error)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=5 * error)


def test_bca_moves_the_percentiles_the_way_scipy_does() -> None:
    """On skewed data the two methods differ by far more than the Monte Carlo error."""
    matrix = np.array([[60, 4, 0, 3], [2, 20, 1, 0], [0, 1, 15, 1], [1, 0, 2, 12]])
    name = "mean_squared_error"
    theirs = stats.bootstrap(
        items_in(matrix), statistic(name, 4), paired=True, vectorized=True, n_resamples=4999,
        batch=3000, method="BCa", rng=np.random.default_rng(3),
    )  # fmt: skip
    bca, percentile = (
        oe.confidence_interval(name, matrix, method=method, rng=3)
        for method in ("bca", "percentile")
    )
    np.testing.assert_allclose((bca.low, bca.high), theirs.confidence_interval, atol=0.03)
    assert bca.high - percentile.high > 0.08


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_clusters_of_one_item_are_items(method: str) -> None:
    truth, pred = items_in(MATRIX)
    clusters = np.arange(len(truth))
    ours = oe.confidence_interval(
        "weighted_kappa", truth, pred, clusters=clusters, method=method, rng=0
    )
    items = oe.confidence_interval("weighted_kappa", truth, pred, method=method, rng=1)
    assert ours.estimate == items.estimate
    width = items.high - items.low
    assert ours.low == pytest.approx(items.low, abs=0.06 * width)
    assert ours.high == pytest.approx(items.high, abs=0.06 * width)


@pytest.mark.parametrize("size", [4, 9])
def test_copies_of_an_item_are_no_news(size: int) -> None:
    """Clusters of copies have the spread of their originals: sqrt(size) more than loose items."""
    truth, pred = items_in(MATRIX)
    copies = np.repeat(truth, size), np.repeat(pred, size)
    clusters = np.repeat(np.arange(len(truth)), size)
    name = "mean_absolute_error"
    clustered = oe.confidence_interval(name, *copies, clusters=clusters, rng=0)
    loose = oe.confidence_interval(name, *copies, rng=0)
    original = oe.confidence_interval(name, MATRIX, rng=1)
    ratio = (clustered.high - clustered.low) / (loose.high - loose.low)
    assert ratio == pytest.approx(np.sqrt(size), rel=0.08)
    assert clustered.low == pytest.approx(original.low, abs=0.01)
    assert clustered.high == pytest.approx(original.high, abs=0.01)


def test_clusters_of_unequal_size_are_drawn_whole() -> None:
    truth, pred = items_in(UNEVEN)
    clusters = np.minimum(np.arange(len(truth)) // 3, 30)
    sample = sample_of(items(truth, pred), clusters=clusters)
    np.testing.assert_array_equal(sample.counts[0], UNEVEN)
    drawn = draws(sample, 500)
    sizes = set(np.bincount(clusters).tolist())
    assert drawn.shape == (500, 1, 3, 3)
    assert (drawn >= 0).all()
    assert len(sizes) > 1
    assert len(np.unique(drawn.sum(axis=(1, 2, 3)))) > 1


def test_any_hashable_may_name_a_cluster() -> None:
    truth, pred = items_in(MATRIX)
    numbers = np.arange(len(truth)) // 4
    texts = [f"patient {i}" for i in numbers]
    first = oe.confidence_interval(
        "accuracy", truth, pred, clusters=numbers, rng=0, n_resamples=499
    )
    assert (
        oe.confidence_interval("accuracy", truth, pred, clusters=texts, rng=0, n_resamples=499)
        == first
    )


NESTINGS: dict[str, Callable[[Array, Array], Any]] = {
    "list of arrays": lambda site, who: [site, who],
    "tuple": lambda site, who: (site, who),
    "lists": lambda site, who: [site.tolist(), who.tolist()],
    "Series": lambda site, who: [pd.Series(site), pl.Series(who)],
}


@pytest.mark.parametrize("nesting", NESTINGS)
def test_clusters_within_clusters_are_told_apart(nesting: str) -> None:
    """Patients are numbered within each site: the same number is another patient elsewhere."""
    truth, pred = items_in(MATRIX)
    site, who = np.arange(len(truth)) % 4, np.arange(len(truth)) // 8
    together = np.array([f"{s}/{w}" for s, w in zip(site, who, strict=True)])
    options: dict[str, Any] = {"n_resamples": 199, "rng": 0}
    nested = NESTINGS[nesting](site, who)
    assert sample_of(items(truth, pred), clusters=nested).units == len(set(together))
    ours = oe.confidence_interval("accuracy", truth, pred, clusters=nested, **options)
    loose = oe.confidence_interval("accuracy", truth, pred, clusters=together, **options)
    assert ours.estimate == loose.estimate
    assert ours.high - ours.low == pytest.approx(loose.high - loose.low, rel=0.3)
    alone = oe.confidence_interval("accuracy", truth, pred, clusters=[together], **options)
    assert alone == loose


def test_each_level_of_clusters_is_checked() -> None:
    truth, pred = items_in(MATRIX)
    n = len(truth)
    with pytest.raises(oe.LabelError, match=r"^clusters must name .* got shape \(3,\)"):
        oe.confidence_interval("accuracy", truth, pred, clusters=[range(n), [1, 2, 3]])
    with pytest.raises(oe.LabelError, match=r"^clusters must not hold missing values"):
        oe.confidence_interval("accuracy", truth, pred, clusters=[[*range(n)], [None] * n])


def test_stratified_draws_keep_the_class_sizes() -> None:
    drawn = draws(sample_of_joint(UNEVEN, stratify=True), 300)
    np.testing.assert_array_equal(drawn.sum(axis=-1), np.tile(UNEVEN.sum(axis=1), (300, 1, 1)))
    free = draws(sample_of_joint(UNEVEN), 300)
    assert (free.sum(axis=(1, 2, 3)) == UNEVEN.sum()).all()
    assert len(np.unique(free.sum(axis=-1)[:, 0, 0])) > 1


def test_draws_have_the_moments_of_the_multinomial() -> None:
    drawn = draws(sample_of_joint(UNEVEN), 20_000)
    share = UNEVEN / UNEVEN.sum()
    np.testing.assert_allclose(drawn.mean(axis=(0, 1)), UNEVEN, atol=0.2)
    spread = UNEVEN.sum() * share * (1 - share)
    np.testing.assert_allclose(drawn.var(axis=(0, 1)), spread, rtol=0.05)


@pytest.mark.parametrize("name", THREE)
def test_weights_of_one_are_no_weights(name: str) -> None:
    truth, pred = items_in(MATRIX)
    plain = oe.confidence_interval(name, truth, pred, rng=0)
    ones = oe.confidence_interval(name, truth, pred, sample_weight=np.ones(len(truth)), rng=1)
    width = plain.high - plain.low
    assert ones.estimate == plain.estimate
    assert ones.low == pytest.approx(plain.low, abs=0.06 * width)
    assert ones.high == pytest.approx(plain.high, abs=0.06 * width)


def test_equal_weights_do_not_make_more_items() -> None:
    truth, pred = items_in(MATRIX)
    plain = oe.confidence_interval("accuracy", truth, pred, rng=0)
    threes = oe.confidence_interval("accuracy", truth, pred, sample_weight=[3] * len(truth), rng=0)
    assert threes.estimate == pytest.approx(plain.estimate, abs=1e-12)
    assert threes.high - threes.low == pytest.approx(plain.high - plain.low, rel=0.1)


@pytest.mark.parametrize("values", [(1, 2, 5), (0.5, 1.25, 4.0)])
def test_weighted_items_against_a_bootstrap_over_items(values: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    truth, pred = items_in(MATRIX)
    weight = rng.choice(values, len(truth))
    ours = oe.confidence_interval(
        "mean_absolute_error", truth, pred, sample_weight=weight, method="percentile", rng=0
    )
    chosen = rng.integers(0, len(truth), (5000, len(truth)))
    loss = np.abs(truth - pred)
    slow = (weight * loss)[chosen].sum(axis=1) / weight[chosen].sum(axis=1)
    assert ours.estimate == pytest.approx(np.average(loss, weights=weight))
    np.testing.assert_allclose(
        (ours.low, ours.high), np.quantile(slow, [0.025, 0.975]), atol=0.25 * slow.std()
    )


@pytest.mark.parametrize("method", ["bca", "percentile", "bayes"])
def test_a_matrix_of_fractions_is_refused(method: str) -> None:
    with pytest.raises(oe.LabelError) as caught:
        oe.confidence_interval("accuracy", MATRIX / 2, method=method)
    assert str(caught.value) == (
        "the counts are weights or shares, so the number of items is unknown. Pass "
        "the labels themselves, with sample_weight."
    )


def test_whole_numbers_as_floats_are_counts() -> None:
    first = oe.confidence_interval("accuracy", MATRIX, rng=0)
    assert oe.confidence_interval("accuracy", MATRIX.astype(float), rng=0) == first


@pytest.mark.parametrize("stratify", [False, True])
def test_bayes_against_a_direct_simulation(stratify: bool) -> None:
    prior = 1.0
    ours = oe.confidence_interval(
        "weighted_kappa", UNEVEN, method="bayes", stratify=stratify, rng=0
    )
    rng = np.random.default_rng(1)
    alpha = UNEVEN + prior / 9
    if stratify:
        rows = [rng.dirichlet(a, 20_000) * n for a, n in zip(alpha, UNEVEN.sum(1), strict=True)]
        draws = np.stack(rows, axis=1)
    else:
        draws = rng.dirichlet(alpha.ravel(), 20_000).reshape(-1, 3, 3)
    slow = oe.weighted_kappa.values(draws)
    assert ours.estimate == oe.weighted_kappa.from_confusion(UNEVEN)
    np.testing.assert_allclose(
        (ours.low, ours.high), np.quantile(slow, [0.025, 0.975]), atol=0.2 * slow.std()
    )


def test_bayes_of_accuracy_is_a_beta_distribution() -> None:
    matrix = np.array([[30, 5], [4, 21]])
    ours = oe.confidence_interval("accuracy", matrix, method="bayes", prior=4.0, rng=0)
    exact = stats.beta(51 + 2.0, 9 + 2.0).ppf([0.025, 0.975])
    np.testing.assert_allclose((ours.low, ours.high), exact, atol=0.006)


def test_a_larger_prior_draws_towards_chance() -> None:
    weak, strong = (
        oe.confidence_interval("weighted_kappa", UNEVEN, method="bayes", prior=p, rng=0)
        for p in (0.5, 50.0)
    )
    assert strong.high < weak.high


def test_bayes_leaves_out_a_class_that_never_occurs() -> None:
    """The estimate averages over the classes that occur; its posterior must do so too."""
    matrix = np.zeros((4, 4), dtype=int)
    matrix[:3, :3] = UNEVEN
    interval = oe.confidence_interval("average_mae", matrix, method="bayes", rng=0)
    without = oe.confidence_interval("average_mae", UNEVEN, method="bayes", rng=0)
    assert interval.estimate in interval
    assert interval.high == pytest.approx(without.high, abs=0.05)


def test_a_tiny_prior_on_a_class_without_items_does_no_harm() -> None:
    matrix = np.zeros((3, 3), dtype=int)
    matrix[:2, :2] = [[50, 2], [1, 50]]
    interval = oe.confidence_interval(
        "accuracy", matrix, method="bayes", stratify=True, prior=1e-6, rng=0
    )
    assert interval.undefined_share == 0.0


PERFECT = np.diag([20, 20, 20])


@pytest.mark.parametrize("metric", quick(),
                         ids=lambda m: m.name)  # fmt: skip
def test_a_perfect_result_has_an_honest_interval(metric: oe.Metric) -> None:
    """One-sided, and never a point: 60 right answers do not prove that there are no wrong ones."""
    interval = oe.confidence_interval(metric, PERFECT)
    assert interval.low < interval.high
    assert interval.estimate in interval
    least, largest = metric.range.at(3)
    if interval.estimate == pytest.approx(metric.best) and metric.best in (least, largest):
        best, worst = (interval.high, interval.low)[:: 1 if metric.best == largest else -1]
        assert best == pytest.approx(metric.best, abs=1e-12)
        assert 0.01 < abs(worst - metric.best) < 0.35 * (min(largest, 2) - max(least, -1))


@pytest.mark.parametrize(("name", "least"), [("accuracy", 0.925), ("accuracy_within", 0.925)])
def test_none_of_a_kind_is_the_rule_of_three(name: str, least: float) -> None:
    """As Clopper and Pearson: 50 without an error exclude a share of 7.1 % of errors."""
    exact = stats.binomtest(50, 50).proportion_ci(method="exact").low
    found = oe.confidence_interval(name, np.diag([20, 15, 15]))
    assert exact == pytest.approx(0.9289, abs=1e-4)
    assert found.low == pytest.approx(exact, abs=0.005)
    assert found.low > least


@pytest.mark.parametrize(("right", "n"), [(50, 50), (49, 50), (45, 50), (25, 50), (198, 200)])
def test_the_interval_of_a_share_is_near_wilson(right: int, n: int) -> None:
    half = np.array([n - n // 2, n // 2])
    wrong = n - right
    matrix = np.array([[half[0] - wrong, wrong], [0, half[1]]])
    ours = oe.confidence_interval("accuracy", matrix)
    wilson = stats.binomtest(right, n).proportion_ci(method="wilson")
    width = wilson.high - wilson.low
    assert ours.low == pytest.approx(wilson.low, abs=1.3 * width)
    assert ours.low <= wilson.low + 0.1 * width
    assert ours.high >= right / n
    assert ours.high <= 1


@pytest.mark.parametrize("name", ["maximum_mae", "min_sensitivity", "extreme_sensitivity"])
def test_extremes_over_classes_come_from_the_intervals_of_the_classes(name: str) -> None:
    ours = oe.confidence_interval(name, MATRIX)
    levels = []
    for i, row in enumerate(MATRIX):
        alone = np.zeros_like(MATRIX)
        alone[i] = row
        same = "mean_absolute_error" if name == "maximum_mae" else "accuracy"
        # One tail per class towards the extreme, a share of it away from it.
        levels.append(
            [oe.confidence_interval(same, alone, level=x) for x in (0.95, 1 - 0.05 / 4, 0.9)]
        )
    low, wide, each = zip(*levels, strict=True)
    expected = {
        "maximum_mae": (max(i.low for i in wide), max(i.high for i in low)),
        "min_sensitivity": (min(i.low for i in low), min(i.high for i in wide)),
        "extreme_sensitivity": (
            np.sqrt(each[0].low * each[3].low), np.sqrt(each[0].high * each[3].high)
        ),
    }[name]  # fmt: skip
    assert (ours.low, ours.high) == pytest.approx(expected, rel=0.01)


@pytest.mark.filterwarnings(r"ignore:\[OE103\]")
def test_information_on_few_items_is_refused_with_the_reason() -> None:
    matrix = np.diag([3, 3, 2])
    with pytest.warns(oe.ResamplingWarning, match="OE308"):
        interval = oe.confidence_interval("mutual_information", matrix)
    assert interval.estimate > 1
    assert np.isnan([interval.low, interval.high]).all()
    assert interval.refused == (
        "mutual information has no interval: 8 items are fewer than the 9 cells of "
        "the table, so its bias exceeds its spread."
    )


def test_what_an_interval_rests_on() -> None:
    truth, pred = items_in(MATRIX)
    n = len(truth)
    weight = np.where(np.arange(n) % 2, 1.0, 3.0)
    gaps: list[Any] = [None, *truth[1:].tolist()]
    found = oe.confidence_interval(
        "accuracy", gaps, pred, labels=range(4), missing="drop", sample_weight=weight,
        clusters=np.arange(n) % 50,
    )  # fmt: skip
    assert (found.items, found.clusters, found.dropped) == (n - 1, 50, 1)
    assert found.effective == pytest.approx(weight[1:].sum() ** 2 / (weight[1:] ** 2).sum())
    plain = oe.confidence_interval("accuracy", MATRIX)
    assert (plain.items, plain.clusters, plain.dropped, plain.effective) == (n, 0, 0, n)


@pytest.mark.parametrize("n", [10**3, 10**9, 10**15])
def test_any_number_of_items(n: int) -> None:
    found = oe.confidence_interval("accuracy", [[n, n // 2], [n // 4, n]])
    error = np.sqrt(found.estimate * (1 - found.estimate) / found.items)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.01)


@pytest.mark.filterwarnings(r"ignore:\[OE103\]")
def test_a_scale_of_many_classes_needs_little_memory() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 300, 5_000)
    pred = np.clip(truth + rng.integers(-2, 3, 5_000), 0, 299)
    tracemalloc.start()
    found = oe.confidence_interval("mean_absolute_error", truth, pred, labels=range(300))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    loss = np.abs(truth - pred)
    assert found.high - found.low == pytest.approx(2 * 1.96 * loss.std() / np.sqrt(5_000), rel=0.2)
    assert peak < 100e6


def test_a_perfect_result_has_a_proper_posterior() -> None:
    interval = oe.confidence_interval("accuracy", PERFECT, method="bayes", rng=0)
    assert interval.estimate == 1.0
    assert 0.9 < interval.low < interval.high <= 1.0


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_bootstrap_of_a_perfect_result_warns(method: str) -> None:
    with pytest.warns(oe.ResamplingWarning) as caught:
        interval = oe.confidence_interval("accuracy", PERFECT, method=method, rng=0)
    assert (interval.low, interval.high) == (1.0, 1.0)
    assert [str(w.message) for w in caught] == [
        (
            "[OE302] every resample gives the same accuracy, so the interval has no width. "
            'Use method="auto".'
        )
    ]
    assert caught[0].filename == __file__


def test_bca_does_not_collapse_in_silence() -> None:
    """All draws of a measure at its bound lie on one side, where BCa has no correction."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        interval = oe.confidence_interval(
            "mutual_information", np.full((3, 3), 30), method="bca", rng=0
        )
    assert caught or interval.estimate in interval


def test_undefined_draws_are_counted_and_warned_about() -> None:
    matrix = np.array([[40, 0, 0], [0, 40, 0], [0, 0, 2]])
    matrix[0, 1] = matrix[1, 2] = 5
    with pytest.warns(oe.ResamplingWarning) as caught:
        interval = oe.confidence_interval("cost_accuracy_distance", matrix, method="bca", rng=0)
    n = matrix.sum()
    missing = (1 - 2 / n) ** n  # the third class falls out
    assert interval.undefined_share == pytest.approx(missing, abs=0.02)
    rare, undefined = (str(w.message) for w in caught)
    assert rare == "[OE103] small classes (under 10 items): 2 (n = 2)."
    assert undefined == (
        "[OE301] cost_accuracy_distance is undefined in "
        f"{interval.undefined_share:.1%} of the resamples; the interval is from the "
        "others only."
    )


def test_stratified_draws_keep_a_rare_class() -> None:
    matrix = np.array([[40, 5, 0], [0, 40, 5], [0, 0, 2]])
    with pytest.warns(oe.ResamplingWarning, match="OE103"):
        interval = oe.confidence_interval(
            "cost_accuracy_distance", matrix, method="bca", stratify=True, rng=0
        )
    assert interval.undefined_share == 0.0


def test_no_warning_without_a_cause() -> None:
    matrix = np.array([[30, 5, 0], [4, 30, 5], [0, 0, 10]])
    for method in ("bca", "auto"):
        found = oe.confidence_interval("cost_accuracy_distance", matrix, method=method, rng=0)
        assert found.undefined_share < 0.05


def test_a_measure_without_a_value_has_no_interval() -> None:
    told = r"OE301. kendall_tau_b is undefined in 100\.0% of the resamples"
    with pytest.warns(oe.ResamplingWarning, match=told):
        interval = oe.confidence_interval("kendall_tau_b", [[20, 0], [20, 0]], method="bca", rng=0)
    assert interval.undefined_share == 1.0
    for found in (interval, oe.confidence_interval("kendall_tau_b", [[20, 0], [20, 0]])):
        assert np.isnan([found.estimate, found.low, found.high]).all()


def test_few_clusters_warn() -> None:
    truth, pred = items_in(MATRIX)
    clusters = np.arange(len(truth)) % 19
    with pytest.warns(oe.ResamplingWarning) as caught:
        oe.confidence_interval("accuracy", truth, pred, clusters=clusters, rng=0, n_resamples=99)
    assert [str(w.message) for w in caught] == [
        "[OE304] only 19 independent clusters, so intervals are wide."
    ]


def test_items_with_weights_are_not_called_clusters() -> None:
    truth, pred = np.array([0, 1] * 12), np.array([0, 1] * 10 + [1, 0] * 2)
    weight = np.tile([1.0, 1.5, 2.0], 8)
    interval = oe.confidence_interval(
        "accuracy", truth, pred, sample_weight=weight, rng=0, n_resamples=99
    )
    assert interval.low < interval.high


def test_a_class_is_rare_by_its_items_not_by_their_weight() -> None:
    truth, pred = items_in(MATRIX)
    light = np.full(len(truth), 0.01)
    assert oe.confidence_interval("accuracy", truth, pred, sample_weight=light, rng=0).low > 0
    few_but_heavy = np.r_[np.zeros(40, int), np.ones(3, int)]
    with pytest.warns(oe.ResamplingWarning, match=r"OE103. small classes .*: 1 \(n = 3\)"):
        oe.confidence_interval(
            "accuracy", few_but_heavy, np.r_[np.zeros(38, int), np.ones(5, int)],
            sample_weight=np.full(43, 100.0), rng=0, n_resamples=99,
        )  # fmt: skip


@pytest.mark.parametrize("method", ["bca", "percentile", "bayes"])
def test_a_seed_repeats_the_result(method: str) -> None:
    first, again = (
        oe.confidence_interval("cem_ord", MATRIX, method=method, rng=7, n_resamples=999)
        for _ in range(2)
    )
    other = oe.confidence_interval("cem_ord", MATRIX, method=method, rng=8, n_resamples=999)
    assert first == again
    assert first != other


def test_a_generator_is_used_and_moves_on() -> None:
    rng = np.random.default_rng(7)
    options: dict[str, Any] = {"method": "bca", "n_resamples": 999}
    first = oe.confidence_interval("cem_ord", MATRIX, rng=rng, **options)
    assert first == oe.confidence_interval("cem_ord", MATRIX, rng=7, **options)
    assert first != oe.confidence_interval("cem_ord", MATRIX, rng=rng, **options)


def intervals(metrics: Any, **options: Any) -> Mapping[str, oe.results.Interval]:
    """Those of several measures, from the same draws."""
    return oe.score(oe.ConfusionMatrix(MATRIX), metrics=metrics, level=0.95, **options).intervals


def test_several_measures_share_the_draws() -> None:
    both = intervals(["accuracy", oe.misclassification_error], rng=0)
    assert list(both) == ["accuracy", "misclassification_error"]
    right, wrong = both.values()
    assert right.low == pytest.approx(1 - wrong.high, abs=1e-4)
    assert right == oe.confidence_interval("accuracy", MATRIX, rng=0)


def test_memory_does_not_grow_with_the_items() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 10**6)
    pred = np.clip(truth + rng.integers(-1, 2, 10**6), 0, 4)
    tracemalloc.start()
    interval = oe.confidence_interval("mean_absolute_error", truth, pred, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert interval.high - interval.low < 0.01
    assert peak < 200e6


def test_more_items_than_are_drawn_singly_keep_their_spread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Very many different items are put into random bundles, which must not change the width."""
    monkeypatch.setattr(samples, "MAX_UNITS", 2_000)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 3_000)
    pred = np.clip(truth + rng.integers(-1, 2, 3_000), 0, 2)
    weight = rng.uniform(0.5, 1.5, 3_000)
    ours = oe.confidence_interval(
        "accuracy", truth, pred, sample_weight=weight, rng=0, n_resamples=500
    )
    right, share = truth == pred, weight / weight.sum()
    error = np.sqrt((share**2 * (right - (share @ right)) ** 2).sum())
    assert (ours.high - ours.low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.2)


LABEL_MEASURES = quick()


@pytest.mark.parametrize("method", ["auto", "bca", "percentile", "bayes"])
def test_every_measure_has_an_interval_around_its_estimate(method: str) -> None:
    found = intervals(LABEL_MEASURES, method=method, n_resamples=1999, rng=0)
    for metric in LABEL_MEASURES:
        interval = found[metric.name]
        assert interval.estimate == metric.from_confusion(MATRIX)
        assert interval.estimate in interval, metric.name
        assert interval.low < interval.high, metric.name
        low, high = metric.range.at(4)
        assert low - 1e-9 <= interval.low, metric.name
        assert interval.high <= high + 1e-9, metric.name


def test_a_higher_level_is_wider() -> None:
    widths = [
        i.high - i.low
        for i in (
            oe.confidence_interval("oc_index", MATRIX, level=level, rng=0)
            for level in (0.5, 0.9, 0.99)
        )
    ]
    assert widths == sorted(widths)
    assert widths[0] < widths[1] < widths[2]


def test_coverage_of_accuracy_is_near_the_level() -> None:
    """200 data sets of 80 items: the binomial bounds of 95 % plus some discreteness."""
    rng = np.random.default_rng(0)
    share = np.array([[0.3, 0.1], [0.15, 0.45]])
    tables = rng.multinomial(80, share.ravel(), 200).reshape(-1, 2, 2)
    hits = sum(
        0.75 in oe.confidence_interval("accuracy", table, n_resamples=299, rng=rng)
        for table in tables
    )
    assert stats.binom(200, 0.92).ppf(0.001) <= hits <= 199


WORDS = np.array(["none", "low", "mid", "high"])


def accumulated() -> oe.Accumulator:
    counter = oe.Accumulator(range(4))
    counter.update(*items_in(MATRIX))
    return counter


FORMS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "ConfusionMatrix": ((oe.ConfusionMatrix(MATRIX),), {}),
    "ConfusionMatrix and its labels": ((oe.ConfusionMatrix(MATRIX),), {"labels": range(4)}),
    "Accumulator": ((accumulated(),), {}),
    "array": ((MATRIX,), {}),
    "nested lists": ((MATRIX.tolist(),), {}),
    "array with labels": ((MATRIX,), {"labels": ["a", "b", "c", "d"]}),
    "labels": (items_in(MATRIX), {}),
    "declared labels": (items_in(MATRIX), {"labels": [0, 1, 2, 3]}),
    "strings": (tuple(WORDS[x] for x in items_in(MATRIX)), {"labels": WORDS}),
}


@pytest.mark.parametrize(("data", "options"), FORMS.values(), ids=list(FORMS))
def test_forms_of_data(data: tuple[Any, ...], options: dict[str, Any]) -> None:
    expected = oe.confidence_interval("cem_ord", MATRIX, rng=0, n_resamples=999)
    assert oe.confidence_interval("cem_ord", *data, rng=0, n_resamples=999, **options) == expected


def test_unknown_and_missing_labels_are_dropped_when_asked() -> None:
    truth, pred = (x.tolist() for x in items_in(MATRIX))
    labels = [0, 1, 2, 3]
    with pytest.raises(oe.LabelError, match="outside the scale"):
        oe.confidence_interval("accuracy", [*truth, 9], [*pred, 0], labels=labels)
    clusters = [*range(len(truth)), -1, -2]
    interval = oe.confidence_interval(
        "accuracy", [*truth, 9, None], [*pred, 0, 0], labels=labels, clusters=clusters,
        unknown="drop", missing="drop", rng=0, n_resamples=99,
    )  # fmt: skip
    assert interval.estimate == oe.accuracy.from_confusion(MATRIX)


HALF = oe.results.Interval(
    metric="accuracy", estimate=0.5, low=0.4, high=0.625, level=0.9, method="percentile",
    n_resamples=1000, undefined_share=0.0,
)  # fmt: skip


def test_an_interval_prints_and_holds_its_values() -> None:
    assert str(HALF) == repr(HALF) == "0.500 [0.400, 0.625] (90% percentile, 1,000 draws)"
    assert 0.4 in HALF
    assert 0.7 not in HALF
    assert "text" not in HALF


def test_an_interval_is_a_result() -> None:
    assert HALF.rows() == [
        {
            "metric": "accuracy", "estimate": 0.5, "low": 0.4, "high": 0.625, "level": 0.9,
            "method": "percentile", "n_resamples": 1000, "undefined_share": 0.0, "items": 0,
            "clusters": 0, "dropped": 0, "effective": 0.0, "refused": "", "ruled_out": 0,
        }
    ]  # fmt: skip
    assert HALF.to_frame().loc[0, "high"] == 0.625
    assert "| accuracy | 0.500 |" in HALF.to_markdown()


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float64])
def test_numbers_of_numpy_are_found_in_an_interval(kind: type) -> None:
    assert kind(0.5) in replace(HALF, low=0.0, high=2.0)
    assert kind(3) not in replace(HALF, low=0.0, high=2.0)


LABELS = items_in(MATRIX)
NO_CLUSTERS = "clusters and weights need labels, y_true and y_pred; a matrix does not record items."
BAD_OPTIONS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "method": (
        {"method": "bootstrap"},
        oe.ParameterError,
        "method must be auto, bca, percentile or bayes; got 'bootstrap'.",
    ),
    "level 0": ({"level": 0}, oe.ParameterError, "level must lie between 0 and 1; got 0."),
    "level 95": ({"level": 95}, oe.ParameterError, "level must lie between 0 and 1; got 95."),
    "level NaN": (
        {"level": np.nan}, oe.ParameterError, "level must lie between 0 and 1; got nan.",
    ),
    "no draws": (
        {"n_resamples": 0}, oe.ParameterError, "n_resamples must be an integer >= 1; got 0.",
    ),
    "half a draw": (
        {"n_resamples": 99.5}, oe.ParameterError, "n_resamples must be an integer >= 1; got 99.5.",
    ),
    "prior": (
        {"prior": 0.0, "method": "bayes"},
        oe.ParameterError,
        "prior must be a number > 0; got 0.0.",
    ),
    "clusters of a matrix": (
        {"data": [MATRIX], "clusters": [1, 2]},
        oe.LabelError,
        NO_CLUSTERS,
    ),
    "weights of a matrix": (
        {"data": [MATRIX], "sample_weight": [1, 2]},
        oe.LabelError,
        NO_CLUSTERS,
    ),
    "stack": (
        {"data": [np.stack([MATRIX, MATRIX])]},
        oe.LabelError,
        "an interval is made from one matrix; got a stack of shape (2,).",
    ),
    "no items": (
        {"data": [np.zeros((2, 2), int)]},
        oe.LabelError,
        "there are no items: all counts are zero.",
    ),
    "stratified clusters": (
        {"clusters": range(len(LABELS[0])), "stratify": True},
        oe.ParameterError,
        "stratify takes one model, without clusters and weights.",
    ),
    "stratified weights": (
        {"sample_weight": np.ones(len(LABELS[0])), "stratify": True},
        oe.ParameterError,
        "stratify takes one model, without clusters and weights.",
    ),
    "posterior of clusters": (
        {"clusters": range(len(LABELS[0])), "method": "bayes"},
        oe.ParameterError,
        'method="bayes" takes unweighted items without clusters.',
    ),
    "short clusters": (
        {"clusters": [1, 2]},
        oe.LabelError,
        f"clusters must name a cluster for each of the {len(LABELS[0])} items; got shape (2,).",
    ),
    "one cluster": (
        {"clusters": [1] * len(LABELS[0])},
        oe.LabelError,
        "clusters has only one distinct value; at least two are needed.",
    ),
    "missing cluster": (
        {"clusters": [None, *range(len(LABELS[0]) - 1)]},
        oe.LabelError,
        "clusters must not hold missing values.",
    ),
    "missing cluster as NaN": (
        {"clusters": [np.nan, *range(len(LABELS[0]) - 1)]},
        oe.LabelError,
        "clusters must not hold missing values.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "error", "message"), BAD_OPTIONS.values(), ids=[*BAD_OPTIONS])
def test_options_are_checked(options: dict[str, Any], error: type[Exception], message: str) -> None:
    options = dict(options)
    data = options.pop("data", LABELS)
    with pytest.raises(error) as caught:
        oe.confidence_interval("accuracy", *data, **options)
    assert str(caught.value) == message


def test_a_probability_measure_is_refused_in_words() -> None:
    with pytest.raises(oe.OrdevalError, match="ranked_probability_score needs prob"):
        oe.confidence_interval("ranked_probability_score", MATRIX, rng=0)


def test_one_name_is_not_taken_for_many() -> None:
    one = intervals("accuracy", rng=0, n_resamples=99)
    assert list(one) == ["accuracy"]


def test_several_names_are_not_taken_for_one() -> None:
    for many in (["accuracy", "cem_ord"], None):
        with pytest.raises(oe.ParameterError, match=r"^metric must be a text or a Metric; got"):
            oe.confidence_interval(many, MATRIX)  # type: ignore[arg-type]


def test_a_misspelt_name_is_refused() -> None:
    with pytest.raises(oe.UnknownMetricError, match=re.escape("Did you mean accuracy")):
        oe.confidence_interval("acuracy", MATRIX)


def test_labels_that_contradict_the_matrix_are_refused() -> None:
    with pytest.raises(oe.OrdevalError):
        oe.confidence_interval("accuracy", oe.ConfusionMatrix(MATRIX), labels=["x", "y"], rng=0)
