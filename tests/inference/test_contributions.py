"""What items contribute: against leaving them out one by one, and what must not change it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.ready import quick

import ordeval as oe
from ordeval.data.items import read_items
from ordeval.inference import influence as module
from ordeval.inference.cell_influence import pseudo_items
from ordeval.inference.influence import Contributions, contributions
from ordeval.inference.samples import Sample, sample_of, sample_of_joint

Array = NDArray[Any]

EVERY = quick()
SMOOTH = ("accuracy", "cem_ord", "weighted_kappa", "average_mae", "auoc", "oc_index", "f1_macro")
K = 4


def items(n: int = 60, seed: int = 0, models: int = 2, k: int = K) -> tuple[Array, list[Array]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    off = rng.integers(-1, 2, (models, n)) * (rng.random((models, n)) < 0.6)
    return truth, list(np.clip(truth + off, 0, k - 1))


def sample(truth: Array, preds: list[Array], k: int = K, **options: Any) -> Sample:
    weight = options.pop("sample_weight", None)
    read = read_items(
        truth, {str(i): p for i, p in enumerate(preds)}, labels=range(k), sample_weight=weight
    )
    return sample_of(read, **options)


def slow(metric: oe.Metric, truth: Array, preds: list[Array], k: int = K) -> tuple[Array, Array]:
    """Centres and covariance, leaving one item after the other out of a smoothed matrix."""
    n, centre, parts, added = len(truth), [], [], []
    for pred in preds:
        counts = np.zeros((k, k))
        np.add.at(counts, (truth, pred), 1)
        pseudo = pseudo_items(counts[None])[0]
        if metric.name.startswith("threshold_auc"):  # half of it on each side of the cut
            for side in (slice(1), slice(1, None)):
                pseudo[side] *= 0.5 / pseudo[side].sum()
        smooth = counts + pseudo
        value = float(metric.values(smooth[None])[0])

        def influence(i: int, j: int, smooth: Array = smooth, value: float = value) -> float:
            less, part = smooth.copy(), min(1.0, smooth[i, j])
            less[i, j] -= part
            moved = value - float(metric.values(less[None])[0])
            return 0.0 if np.isnan(moved) else (n + 1 - part) / part * moved

        table = np.array(
            [[influence(i, j) if smooth[i, j] > 0 else 0.0 for j in range(k)] for i in range(k)]
        )
        table -= (table * smooth).sum() / (n + 1) * (smooth > 0)
        centre.append(value)
        parts.append(table[truth, pred])
        added.append(table)
    spread = n / (n - 1) * np.array(parts) @ np.array(parts).T
    # On the pseudo-item models err independently, given its true class.
    rows = pseudo.sum(axis=1)
    mean = [(pseudo * a).sum(axis=1) / rows for a in added]
    extra = np.array([
        [(pseudo * a * a).sum() if i == j else (rows * mean[i] * mean[j]).sum()
         for j in range(len(added))]
        for i, a in enumerate(added)
    ])  # fmt: skip
    return np.array(centre), (spread + extra) / (n + 1) ** 2


@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_against_leaving_items_out_one_by_one(metric: oe.Metric) -> None:
    truth, preds = items()
    centre, covariance = slow(metric, truth, preds)
    found = contributions(metric, sample(truth, preds))
    np.testing.assert_allclose(found.centre, centre, rtol=1e-10)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-7, atol=1e-14)


@pytest.mark.parametrize("name", SMOOTH)
def test_many_items_have_the_error_of_a_bootstrap(name: str) -> None:
    truth, preds = items(3_000, models=1)
    found = contributions(oe.get_metric(name), sample(truth, preds))
    rng = np.random.default_rng(1)
    counts = sample(truth, preds).counts[0]
    draws = rng.multinomial(3_000, counts.ravel() / 3_000, 2_000).reshape(-1, K, K)
    spread = oe.get_metric(name).from_confusion(draws).std()
    assert found.errors[0] == pytest.approx(spread, rel=0.08)


def test_the_error_of_a_share_is_the_textbook_one() -> None:
    found = contributions(oe.accuracy, sample_of_joint(np.array([[70, 30], [20, 80]])))
    share = 150.5 / 201
    assert found.centre[0] == pytest.approx(share)
    assert found.errors[0] == pytest.approx(np.sqrt(share * (1 - share) / 201), rel=0.01)


def test_the_pseudo_item_is_one_item_half_right_with_the_shares_of_the_truth() -> None:
    counts = np.array([[30.0, 0, 0, 0], [0, 0, 0, 0], [0, 10, 0, 0], [0, 0, 0, 20]])
    added = pseudo_items(counts[None])[0]
    assert added.sum() == pytest.approx(1)
    assert np.trace(added) == pytest.approx(0.5)
    np.testing.assert_allclose(added.sum(axis=1), counts.sum(axis=1) / 60)
    assert (added[:, 1] == 0).all()  # no item is of that class
    assert added[3, 2] == pytest.approx(3**2 * added[3, 0])


def same(a: Contributions, b: Contributions) -> None:
    np.testing.assert_allclose(a.centre, b.centre, rtol=1e-10)
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("name", SMOOTH)
def test_clusters_of_one_item_are_items(name: str) -> None:
    truth, preds = items()
    metric = oe.get_metric(name)
    alone = contributions(metric, sample(truth, preds))
    clustered = contributions(metric, sample(truth, preds, clusters=np.arange(60)))
    same(alone, clustered)
    assert clustered.units == 60


@pytest.mark.parametrize("name", SMOOTH)
def test_copies_of_items_in_clusters_say_nothing_new(name: str) -> None:
    truth, preds = items(400)
    metric = oe.get_metric(name)
    copied = sample(
        np.repeat(truth, 5), [np.repeat(p, 5) for p in preds], clusters=np.repeat(range(400), 5)
    )
    a, b = contributions(metric, sample(truth, preds)), contributions(metric, copied)
    np.testing.assert_allclose(a.errors, b.errors, rtol=0.03)


@pytest.mark.parametrize("name", [*SMOOTH, "krippendorff_alpha", "r_int"])
@pytest.mark.parametrize("factor", [1e-6, 0.37, 1e6])
def test_the_unit_of_the_weights_says_nothing(name: str, factor: float) -> None:
    truth, preds = items()
    weight = np.random.default_rng(2).uniform(0.5, 2, 60)
    metric = oe.get_metric(name)
    a, b = (
        contributions(metric, sample(truth, preds, sample_weight=w))
        for w in (weight, weight * factor)
    )
    same(a, b)
    np.testing.assert_allclose(a.values, b.values, rtol=1e-10)


def test_equal_weights_are_no_weights() -> None:
    truth, preds = items()
    metric = oe.get_metric("weighted_kappa")
    plain, weighted = sample(truth, preds), sample(truth, preds, sample_weight=np.full(60, 0.25))
    same(contributions(metric, plain), contributions(metric, weighted))
    assert weighted.effective == pytest.approx(60)


def test_the_effective_size_is_that_of_kish() -> None:
    truth, preds = items(4)
    found = sample(truth, preds, sample_weight=[1, 1, 1, 5])
    assert found.effective == pytest.approx(8**2 / 28)


@pytest.mark.parametrize("name", ["accuracy", "weighted_kappa", "average_mae"])
def test_groups_estimate_the_covariance_of_single_items(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, preds = items(5_000)
    metric = oe.get_metric(name)
    single = contributions(metric, sample(truth, preds))
    monkeypatch.setattr(module, "DENSE", 1)
    grouped = contributions(metric, sample(truth, preds))
    assert grouped.units == 100
    np.testing.assert_allclose(grouped.centre, single.centre)
    # A variance from 100 groups has a standard error of a seventh.
    scale = np.diagonal(single.covariance).max()
    np.testing.assert_allclose(grouped.covariance, single.covariance, atol=0.4 * scale)
    perfect = contributions(metric, sample(truth, [truth]))
    assert perfect.errors[0] > 0


def test_very_many_items_are_spread_over_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DENSE", 1)
    monkeypatch.setattr(module, "_EXPANDED", 1)
    joint = sample_of_joint(np.array([[700_000, 300_000], [200_000, 800_000]]))
    found = contributions(oe.accuracy, joint)
    assert found.errors[0] == pytest.approx(np.sqrt(0.75 * 0.25 / 2e6), rel=0.2)


def test_fixed_class_sizes_leave_only_the_spread_within_classes() -> None:
    counts = np.array([[90, 10], [40, 60]])
    fixed = contributions(oe.accuracy, sample_of_joint(counts, stratify=True))
    free = contributions(oe.accuracy, sample_of_joint(counts))
    within = np.sqrt(100 * 0.9 * 0.1 + 100 * 0.6 * 0.4) / 200
    assert fixed.errors[0] == pytest.approx(within, rel=0.02)
    assert fixed.errors[0] < free.errors[0]


def test_a_two_sided_measure_is_turned_to_its_distance() -> None:
    truth = np.repeat([1, 2], 50)
    low, high = (
        np.where(np.arange(100) % 4, truth, truth - 1),
        np.where(np.arange(100) % 5, truth, truth + 1),
    )
    found = contributions(oe.mean_signed_error, sample(truth, [low, high]))
    turned = found.turned(oe.mean_signed_error)
    np.testing.assert_allclose(turned.values, np.abs(found.values))
    np.testing.assert_allclose(turned.errors, found.errors)
    assert turned.covariance[0, 1] == pytest.approx(-found.covariance[0, 1])
    assert found.turned(oe.accuracy) is found


def test_few_heavy_units_leave_few_degrees_of_freedom() -> None:
    def freedom(parts: Array) -> float:
        one = Contributions(
            values=np.zeros(1), centre=np.zeros(1), parts=parts[:, None],
            count=np.ones(len(parts)), pseudo=np.zeros((1, 1)), bias=np.zeros(1),
        )  # fmt: skip
        return float(one.own_freedom[0])

    rng = np.random.default_rng(0)
    assert freedom(rng.choice([-1.0, 1.0], 100)) == 99  # kurtosis 1
    assert freedom(rng.normal(size=100_000)) == pytest.approx(100_000, rel=0.05)  # kurtosis 3
    heavy = np.zeros(100)
    heavy[0] = 1
    assert freedom(heavy) == 4


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_a_handful_of_items_breaks_nothing(metric: oe.Metric, n: int) -> None:
    truth, preds = items(n, seed=5)
    found = contributions(metric, sample(truth, preds))
    assert found.covariance.shape == (2, 2)
    assert np.isnan(found.covariance).all() == (n == 1)


def test_the_jackknife_takes_the_bias_of_information_away() -> None:
    """Of independent labels the truth tells nothing, and small samples say otherwise."""
    rng = np.random.default_rng(3)
    draws = rng.multinomial(100, np.full(16, 1 / 16), 200).reshape(-1, 4, 4)
    plain = oe.mutual_information.from_confusion(draws).mean()
    corrected = [
        float((c := contributions(oe.mutual_information, sample_of_joint(d))).centre[0] - c.bias[0])
        for d in draws
    ]
    assert plain > 0.035
    assert abs(np.mean(corrected)) < 0.015


def test_some_models_of_many() -> None:
    truth, preds = items(models=4)
    whole = contributions(oe.cem_ord, sample(truth, preds))
    part = contributions(oe.cem_ord, sample(truth, [preds[3], preds[1]]))
    same(whole.of([3, 1]), replace(part))
