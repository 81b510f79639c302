"""Picking the best of many models by the same data must not claim too much."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ordeval.inference.paired import largest_difference_p_values

DRAWS = 199


def simulate(models: int, gap: float, data_sets: int, seed: int) -> np.ndarray:
    """The p-value of best against worst in data sets whose models differ by ``gap`` or not."""
    rng = np.random.default_rng(seed)
    truth = np.linspace(0.0, gap, models)
    found = []
    for _ in range(data_sets):
        values = truth + rng.normal(size=models)
        replicates = values + rng.normal(size=(DRAWS, models))
        p = largest_difference_p_values(replicates, values)
        found.append(p[values.argmax(), values.argmin()])
    return np.array(found)


@pytest.mark.parametrize("models", [3, 20])
def test_equal_models_are_separated_at_the_level(models: int) -> None:
    claims = int((simulate(models, 0.0, 200, seed=models) <= 0.05).sum())
    low, high = stats.binom.ppf([0.0005, 0.9995], 200, 0.05)
    assert low <= claims <= high


def test_different_models_are_separated_the_more_they_differ() -> None:
    power = [(simulate(5, gap, 60, seed=1) <= 0.05).mean() for gap in (0.0, 4.0, 8.0)]
    assert power[0] < power[1] < power[2]
    assert power[2] > 0.9


def test_two_models_are_a_test_of_their_difference() -> None:
    rng = np.random.default_rng(0)
    replicates = rng.normal(size=(29_999, 2))
    p = largest_difference_p_values(replicates, np.array([0.0, 2.5]))[0, 1]
    assert p == pytest.approx(2 * stats.norm.sf(2.5 / np.sqrt(2)), abs=0.01)


def test_copies_are_never_separated_and_undefined_models_give_no_p_value() -> None:
    rng = np.random.default_rng(0)
    one = rng.normal(size=(DRAWS, 1))
    assert largest_difference_p_values(np.repeat(one, 3, axis=1), np.ones(3)).min() == 1.0
    assert np.isnan(largest_difference_p_values(np.full((9, 2), np.nan), np.ones(2))).all()
    assert np.isnan(largest_difference_p_values(np.ones((9, 2)), np.array([1.0, np.nan]))).all()
