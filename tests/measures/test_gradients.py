"""Gradients of measures beside closed forms, a directional derivative and laws."""

from itertools import pairwise

import numpy as np
import pytest

import ordeval as oe

RNG = np.random.default_rng(7)
MATRICES = [
    np.array([[30, 4, 0], [3, 25, 6], [1, 2, 9]]),
    1 + 2 * RNG.permutation(16).reshape(4, 4),  # no two alike: maxima have no ties
    1 + RNG.permutation(25).reshape(5, 5),
]
GIVEN = {"oc_index_general": {"beta_deviation": 0.002, "beta_discordance": 0.2}}
LABEL_MEASURES = [m.name for m in oe.metrics() if m.needs == "labels"]
# What the counts times two do not leave as it is: these hold terms in 1 / n.
CHANGE_WITH_SIZE = {"krippendorff_alpha", "kendall_tau_a", "r_int"}


def params(metric: oe.Metric) -> dict[str, object]:
    return {"at_least": 1} if "at_least" in metric.required else GIVEN.get(metric.name, {})


@pytest.mark.parametrize("name", LABEL_MEASURES)
@pytest.mark.parametrize("n", MATRICES, ids=["K = 3", "K = 4", "K = 5"])
def test_it_is_the_slope_along_any_direction(name: str, n: np.ndarray) -> None:
    metric = oe.get_metric(name)
    given = params(metric)
    gradient = metric.gradient(n, **given)
    filled = n > 0  # of empty cells some measures have none, as x log x at 0
    direction = np.where(filled & ~np.isnan(gradient), RNG.normal(size=n.shape), 0.0)

    def value(t: float) -> float:
        return float(metric.from_confusion(n + t * direction, **given))

    h = 0.02
    slopes = [(value(s) - value(-s)) / (2 * s) for s in (h, h / 2, h / 4)]
    first = [(4 * b - a) / 3 for a, b in pairwise(slopes)]
    slope = (16 * first[1] - first[0]) / 15
    assert np.nansum(gradient * direction) == pytest.approx(slope, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(
    "name", sorted(set(LABEL_MEASURES) - CHANGE_WITH_SIZE - {"oc_index_general"})
)
def test_shares_decide_so_that_growing_all_cells_alike_changes_nothing(name: str) -> None:
    """Euler: the gradient of a function of shares is orthogonal to the counts."""
    metric = oe.get_metric(name)
    for n in MATRICES:
        assert np.nansum(metric.gradient(n, **params(metric)) * n) == pytest.approx(0, abs=1e-8)


def test_the_law_notices_a_measure_of_sums() -> None:
    for name in CHANGE_WITH_SIZE:
        assert abs(np.nansum(oe.get_metric(name).gradient(MATRICES[1]) * MATRICES[1])) > 1e-5


@pytest.mark.parametrize("n", MATRICES, ids=["K = 3", "K = 4", "K = 5"])
def test_closed_forms(n: np.ndarray) -> None:
    total, k = n.sum(), len(n)
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    right = np.eye(k)
    accuracy, mae = np.trace(n) / total, (n * steps).sum() / total
    np.testing.assert_allclose(oe.accuracy.gradient(n), (right - accuracy) / total, atol=1e-11)
    np.testing.assert_allclose(
        oe.mean_absolute_error.gradient(n), (steps - mae) / total, atol=1e-11
    )
    rows = n.sum(axis=1, keepdims=True)
    of_class = (n * steps).sum(axis=1, keepdims=True) / rows
    np.testing.assert_allclose(
        oe.average_mae.gradient(n), (steps - of_class) / rows / k, atol=1e-10
    )
    # Quadratic kappa: 1 - D / E with D = sum w n / N and E = sum w r c / N^2.
    w = steps.astype(float) ** 2
    r, c = n.sum(axis=1), n.sum(axis=0)
    d, e = (w * n).sum() / total, (w * np.outer(r, c)).sum() / total**2
    slope_d = (w - d) / total
    slope_e = ((w @ c)[:, None] + (r @ w)[None, :]) / total**2 - 2 * e / total
    np.testing.assert_allclose(
        oe.weighted_kappa.gradient(n), -(slope_d * e - d * slope_e) / e**2, atol=1e-10
    )


def test_a_class_that_appears_makes_averages_jump() -> None:
    n = [[5, 1, 0], [0, 0, 0], [0, 2, 7]]
    assert np.isnan(oe.balanced_accuracy.gradient(n)[1]).all()
    assert not np.isnan(oe.balanced_accuracy.gradient(n)[[0, 2]]).any()
    assert not np.isnan(oe.accuracy.gradient(n)).any()


def test_frames_of_parameters_and_scales_are_read() -> None:
    cm = oe.ConfusionMatrix(MATRICES[0], labels=["low", "mid", "high"])
    found = oe.get_metric("threshold_sensitivity").gradient(cm, at_least="high")
    assert found[0].tolist() == [0, 0, 0]
    assert found[2, 2] > 0 > found[2, 0]


def test_what_has_none_is_an_error() -> None:
    with pytest.raises(oe.LabelError, match="scores probabilities"):
        oe.get_metric("ranked_probability_score").gradient([[1, 0], [0, 1]])
    with pytest.raises(oe.CountsError, match="one matrix"):
        oe.accuracy.gradient(np.ones((2, 3, 3)))
    assert np.isnan(oe.accuracy.gradient(np.zeros((2, 2)))).all()
