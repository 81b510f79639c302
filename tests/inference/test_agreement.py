"""Do measures agree about models, and what does each of them look at?"""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.comparisons import noisy, run, whole_panel

import ordeval as oe
from ordeval.inference.many_models.measure_agreement import (
    looks_at,
    rank_agreement,
    reason_to_differ,
)

Array = NDArray[Any]


@pytest.fixture
def panel() -> oe.results.Comparison:
    return whole_panel()


def test_agreement_of_measures_is_kendalls(panel: oe.results.Comparison) -> None:
    models = {f"m{i}": noisy(0.3 + 0.03 * (i % 4), 20 + i, 1 + i % 3) for i in range(7)}
    result = run(models, metrics=["accuracy", "mean_absolute_error", "auoc"], pairs="best")
    values = [
        [result.estimates[m.name][x].estimate * (1 if m.greater_is_better else -1) for x in models]
        for m in result.metrics
    ]
    for i, j in itertools.product(range(3), repeat=2):
        expected = stats.kendalltau(values[i], values[j]).statistic
        assert result.rank_agreement[i, j] == pytest.approx(expected)
    assert panel.rank_agreement.shape == (10, 10)


def test_agreement_with_ties_and_without_values() -> None:
    u = [[1, 2, 2, 4], [4, 3, 2, 1], [1, 1, 1, 1]]
    tau = rank_agreement(u)
    assert tau[0, 1] == pytest.approx(stats.kendalltau(u[0], u[1]).statistic)
    assert np.isnan(tau[2]).all()
    last = rank_agreement([[1, 2, np.nan], [1, 2, 0]])
    assert last[0, 1] == 1.0


def test_agreement_takes_rounding_for_a_tie_as_the_ranks_do() -> None:
    tau = rank_agreement([[0.1 + 0.2, 0.3, 0.5], [1, 1, 2]])
    assert tau[0, 1] == 1.0


LOOKS = {
    "accuracy": {"class sizes", "shift"},
    "balanced_accuracy": {"shift"},
    "kendall_tau_b": {"order", "distance", "class sizes"},
    "mean_absolute_error": {"order", "distance", "shift", "class sizes"},
    "average_mae": {"order", "distance", "shift"},
    "cem_ord": {"order", "distance", "shift", "class sizes"},
    "auoc": {"order", "distance", "shift"},
    "cost_accuracy_distance": {"order", "distance", "shift", "class sizes", "cost"},
}


@pytest.mark.parametrize(("name", "seen"), LOOKS.items(), ids=list(LOOKS))
def test_what_a_measure_looks_at(name: str, seen: set[str]) -> None:
    assert looks_at(oe.get_metric(name)) == seen


def test_what_a_measure_of_ones_own_looks_at() -> None:
    within = oe.accuracy_within.with_params(n=1)
    assert {"order", "distance", "class sizes"} <= looks_at(within)


REASONS = [
    ("kendall_tau_b", "accuracy", "Kendall's tau-b cannot see a shift of all predictions"),
    ("average_mae", "mean_absolute_error", "moves with the class sizes, average MAE does not"),
    ("accuracy", "mean_absolute_error", "accuracy does not"),
    ("cem_ord", "cost_accuracy_distance", "counts what errors cost"),
    ("weighted_kappa", "mean_absolute_error", "weigh the same errors differently"),
]


@pytest.mark.parametrize(("first", "second", "text"), REASONS)
def test_reasons(first: str, second: str, text: str) -> None:
    for pair in ((first, second), (second, first)):
        assert text in reason_to_differ(*map(oe.get_metric, pair))


@pytest.mark.parametrize("name", ["mutual_information", "pearson_r"])
def test_a_measure_that_sees_more_or_less_than_order_is_not_said_to_see_order(name: str) -> None:
    """Information does not see the order at all; a correlation of positions sees distances."""
    assert "only the order" not in reason_to_differ(oe.get_metric(name), oe.accuracy)


def test_a_measure_of_the_worst_class_does_not_weigh_all_classes_alike() -> None:
    assert "all classes alike" not in reason_to_differ(oe.min_sensitivity, oe.accuracy)


def test_infinite_losses_have_a_rank() -> None:
    found = rank_agreement([[3.0, 2.0, 1.0], [-1.0, -2.0, -np.inf], [-np.inf, -np.inf, -1.0]])
    assert found[0, 1] == pytest.approx(1.0)
    assert found[0, 2] == pytest.approx(-2 / np.sqrt(6))
