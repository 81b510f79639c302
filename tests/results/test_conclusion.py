"""A comparison in plain words."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comparisons import MODELS, TRUTH, N, far_or_often, noisy, run

Array = NDArray[Any]


def test_conclusion_of_a_clear_winner() -> None:
    text = run(n_resamples=999).conclusion()
    assert text.startswith("By mean_absolute_error (lower is better) good does best: 0.")
    assert "best of 3 in 100% of the resampled data sets" in text
    assert re.search(r"good is better than fair and weak beyond chance .*all 3 pairs", text)
    assert "All 3 measures that rank these models put good first." in text
    assert "cannot be told apart" not in text
    assert "not shown to beat" not in text


def test_conclusion_without_a_difference() -> None:
    text = run({"a": noisy(0.3, 30), "b": noisy(0.3, 31)}, n_resamples=999).conclusion()
    assert "cannot be told apart from" in text
    assert "not proof that they are equal" in text
    assert "beyond chance" not in text


def test_conclusion_about_copies_does_not_crown_one() -> None:
    text = run({"a": MODELS["good"], "b": MODELS["good"].copy()}).conclusion()
    assert "a does best" not in text
    assert "put a first" not in text


def test_conclusion_about_one_model() -> None:
    result = run({"only": MODELS["good"]})
    text = result.conclusion()
    assert text.startswith("By mean_absolute_error (lower is better) only scores 0.")
    assert "best" not in text.replace("better", "")
    assert result.deltas() == ()


def test_conclusion_about_a_model_below_the_baselines() -> None:
    models = {"good": MODELS["good"], "random": np.random.default_rng(0).permutation(TRUTH)}
    result = run(models)
    (line,) = [x for x in result.conclusion().split("\n\n") if "not shown to beat" in x]
    assert line.startswith("random")
    assert "good" not in line
    assert "median class (0.933)" in line
    assert "random by prevalence" in line
    assert "majority class" not in line  # which it does beat by this measure


def test_conclusion_about_disagreement() -> None:
    text = run(far_or_often(), n_resamples=999).conclusion()
    assert "The measures do not agree on the best model: " in text
    assert "far by accuracy" in text
    assert "Firmly so for" in text
    assert "Decide which of these matters" in text


def test_conclusion_about_a_disagreement_that_may_be_chance() -> None:
    for seed in range(20):
        result = run({"a": noisy(0.3, 2 * seed, 2), "b": noisy(0.3, 2 * seed + 1, 2)})
        found = result.disagreements()
        if found and not any(d.firm for d in found) and "do not agree" in result.conclusion():
            assert "None of these disagreements is firm: they may be chance." in result.conclusion()
            return
    pytest.fail("no such data were made")


def test_conclusion_by_a_bias_alone() -> None:
    result = run(metrics=["mean_signed_error"])
    text = result.conclusion()
    assert "closer to 0 is better" in text
    assert "All 0 measures" not in text
    assert result.directed == ()


def test_conclusion_when_a_measure_has_no_value() -> None:
    constant = {"a": np.zeros(N, int), "b": np.ones(N, int)}
    text = run(constant, metrics=["kendall_tau_b", "accuracy"]).conclusion()
    assert text.startswith("kendall_tau_b has no value on these data: ")


def test_measures_without_a_value_do_not_vote() -> None:
    constant = {"a": np.zeros(N, int), "b": np.ones(N, int)}
    text = run(constant, metrics=["accuracy", "kendall_tau_b", "spearman_rho"]).conclusion()
    assert "All 3 measures" not in text
