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
    assert "It would come first in more than 99.9% of data sets like this one" in text
    assert "no other model may be the best" in text
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


def test_conclusion_in_groups() -> None:
    text = run().conclusion()
    assert "In groups, each better than the next beyond chance: good; then fair; then weak." in text
    assert "Ranks, with" not in text  # which the groups say
    alike = run({"a": noisy(0.3, 30), "b": noisy(0.3, 31), "c": noisy(0.3, 32)}).conclusion()
    assert "In groups" not in alike
    assert re.search(r"Ranks, with 95% confidence in all at once: \w 1 to 3, \w 1 to 3, ", alike)
    assert "0 of the 3 pairs of models are told apart." in alike


def test_a_model_without_a_value_is_in_no_group() -> None:
    models = {**MODELS, "flat": np.zeros(N, int)}
    text = run(models, metrics=["kendall_tau_b", "accuracy"]).conclusion()
    assert "In groups, each better than the next beyond chance: good; then fair; then weak." in text
    assert "flat has no value" in text


def test_conclusion_about_many_models() -> None:
    """Who may be best, ranks and groups; no wall of names or numbers."""
    models = {f"m-{i:02}": noisy(0.15 + 0.02 * i, i) for i in range(20)}
    result = run(models, metrics=["mean_absolute_error"])
    text = result.conclusion()
    best, *others = result.may_be_best
    one_of = "one of " if len(others) > 1 else ""
    assert f"with 95% confidence the best is it or {one_of}{others[0]}" in text
    assert "; the table has the others." in text
    assert re.search(r"\d+ of the 190 pairs of models are told apart", text)
    level = {m for m, p in zip(result.models, result.separation[0], strict=True) if not p <= 0.05}
    assert ("the best is shorter: it answers one question, not 190" in text) is (
        set(result.may_be_best) < level
    )
    assert all(len(p) < 700 for p in text.split("\n\n"))
    against = run(models, metrics=["mean_absolute_error"], reference=best).conclusion()
    (said,) = [p for p in against.split("\n\n") if p.startswith("Against the reference")]
    assert "[" not in said
    assert len(said) < 700
    # A name is not broken at its hyphen.
    assert not re.search(r"\bm-$", repr(result), re.MULTILINE)


def test_conclusion_by_a_margin() -> None:
    options: dict[str, Any] = {"margin": 0.25, "metrics": ["mean_absolute_error"]}
    models = {"a": noisy(0.3, 30), "b": noisy(0.3, 31), "weak": MODELS["weak"]}
    result = run(models, reference="a", **options)
    (said,) = [p for p in result.conclusion().split("\n\n") if p.startswith("By a margin")]
    assert said.startswith("By a margin of 0.25 in mean_absolute_error (lower is better): ")
    assert re.search(
        r"b \([+-]0.\d+ \[-0.\d+, \+0.\d+\], one-sided p < 0.0001, corrected p < 0.0001\) is non"
        r"-inferior to a; weak \(.*\) is inferior to a", said,
    )  # fmt: skip
    assert "; b is equivalent to a within the margin. Findings of non-inferiority are " in said
    assert said.endswith("corrected for all 2 comparisons (Holm).")
    assert result.sentence() == said.split(" Findings")[0]
    # Without a reference: who is not far behind the best.
    free = run(models, **options)
    second = free.models[1]
    assert (
        f"By a margin of 0.25 in mean_absolute_error, {second} is shown to be non-inferior to "
        f"{free.models[0]} (95% intervals, not corrected)." in free.conclusion()
    )
    none = run(models, margin=0.001, metrics=["mean_absolute_error"]).conclusion()
    assert "are not shown to be non-inferior to" in none
    two = run({"a": models["a"], "weak": models["weak"]}, reference="a", **options)
    assert f"{two.deltas()[0].sentence()}." in two.conclusion().split("\n\n")
    assert two.sentence() == f"{two.deltas()[0].sentence()}."
