"""Measures of one cut, against scikit-learn, against each other, and what they are a share of."""

import numpy as np
import pytest

import ordeval as oe

CUTS = oe.metrics(family="threshold")
RNG = np.random.default_rng(3)
STACK = RNG.integers(0, 9, (50, 4, 4))
T, P = RNG.integers(0, 4, (2, 200))


@pytest.mark.parametrize("cut", range(1, 4))
def test_they_are_recall_and_precision_of_two_sides(cut: int) -> None:
    from sklearn.metrics import precision_score, recall_score

    above, called = cut <= T, cut <= P
    expected = {
        oe.threshold_sensitivity: recall_score(above, called),
        oe.threshold_specificity: recall_score(~above, ~called),
        oe.threshold_ppv: precision_score(above, called),
        oe.threshold_npv: precision_score(~above, ~called),
    }
    for metric, value in expected.items():
        assert metric(T, P, labels=range(4), at_least=cut) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("cut", range(1, 4))
def test_turning_the_scale_or_the_labels_round_exchanges_them(cut: int) -> None:
    def of(metric: oe.Metric, stack: object, at_least: int) -> object:
        return metric.from_confusion(stack, at_least=at_least, undefined=-1)

    back, swapped = STACK[:, ::-1, ::-1], np.swapaxes(STACK, 1, 2)
    for stack, one, other, turned in (
        (back, oe.threshold_sensitivity, oe.threshold_specificity, 4 - cut),
        (back, oe.threshold_ppv, oe.threshold_npv, 4 - cut),
        (swapped, oe.threshold_sensitivity, oe.threshold_ppv, cut),
        (swapped, oe.threshold_specificity, oe.threshold_npv, cut),
    ):
        np.testing.assert_array_equal(of(one, stack, turned), of(other, STACK, cut))


@pytest.mark.parametrize("metric", CUTS, ids=lambda m: m.name)
@pytest.mark.parametrize("cut", range(1, 4))
def test_the_cells_that_they_are_a_share_of(metric: oe.Metric, cut: int) -> None:
    assert metric.share is not None
    part, counted = metric.share(4, at_least=cut)
    expected = (STACK * (part & counted)).sum((1, 2)) / (STACK * part).sum((1, 2))
    found = metric.from_confusion(STACK, at_least=cut)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("metric", CUTS, ids=lambda m: m.name)
def test_one_level_has_no_cut(metric: oe.Metric) -> None:
    with pytest.warns(oe.UndefinedMetricWarning, match="the scale has only one level"):
        assert np.isnan(metric.from_confusion([[5]], at_least=0))


def test_they_are_not_scored_unless_asked_for() -> None:
    found = oe.score(T, P, labels=range(4), level=None)
    assert not {m.name for m in CUTS} & set(found)
    asked = oe.threshold_npv.with_params(at_least=2)
    assert list(oe.score(T, P, [asked], labels=range(4))) == ["threshold_npv(at_least=2)"]


def test_integers_that_imply_a_scale_may_move_the_cut() -> None:
    with pytest.warns(oe.EmptyLevelWarning, match="threshold_ppv depends on levels"):
        oe.threshold_ppv([1, 2, 2], [1, 2, 1], at_least=2)
