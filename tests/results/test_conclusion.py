"""A comparison in plain words."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.comparisons import MODELS, TRUTH, N, far_or_often, noisy, run

Array = NDArray[Any]


def test_conclusion_of_a_clear_winner() -> None:
    text = run(n_resamples=999).conclusion()
    assert re.match(r"good is best: MAE 0\.\d+, 95% CI \[0\.\d+, 0\.\d+\]\.\n", text)
    tested = "Significantly better than fair and weak (paired tests, corrected p < 0.0001)."
    assert tested in text
    assert "All 3 quality measures rank good first; they come from the same items." in text
    assert "No significant difference" not in text
    assert "baseline" not in text


def test_the_answer_comes_first_and_fits_the_terminal() -> None:
    lines = run(metrics=None).to_text(80).splitlines()
    assert lines[0].startswith("good is best: CEM 0.")
    assert lines[1].startswith("  Significantly better than fair and weak")
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert 'More: details("pairs"), details("all"), to_html()' in lines


def test_no_share_of_data_sets_is_promised_anywhere() -> None:
    result = run(metrics=None)
    full = result.details("pairs", "all", "verbose")
    texts = [result.to_json(), result.to_csv(), result.to_markdown(), result.to_latex(), str(full)]
    assert not any(re.search(r"come first in|data sets like|P\(best\)", x) for x in texts)
    assert "probability_best" not in result.to_frame()


def test_conclusion_without_a_difference() -> None:
    text = run({"a": noisy(0.3, 30), "b": noisy(0.3, 34)}, n_resamples=999).conclusion()
    assert re.match(r"\w has the lowest MAE: 0", text)
    assert re.search(r"No significant difference from \w \(difference .*, p = 0\.\d+\)\.", text)
    assert "ignificantly better" not in text
    assert " is best" not in text


def test_an_interval_without_zero_beside_a_corrected_p_explains_itself() -> None:
    for seed in range(40):
        models = {str(i): noisy(0.25 + 0.02 * i, 50 * seed + i) for i in range(4)}
        result = run(models, metrics=["mean_absolute_error"])
        best = result.models[0]
        clear = {d.b for d in result.deltas() if d.a == best and d.p_value <= 0.05 < d.p_adjusted}
        said = "excludes zero, but intervals are not corrected for the 6 pairs; p is."
        assert (said in result.conclusion()) is bool(clear)
        if clear:
            return
    pytest.fail("no such data were made")


def test_copies_make_identical_predictions() -> None:
    copy = MODELS["good"].copy()
    result = run({"a": MODELS["good"], "b": copy})
    assert result.conclusion().startswith("a and b make identical predictions: MAE 0.")
    assert "rank a first" not in result.conclusion()
    beside = run({"a": MODELS["good"], "b": copy, "weak": MODELS["weak"]})
    assert beside.identical == (("a", "b"),)
    assert "a and b make identical predictions." in beside.conclusion()
    # What is said of the best model is not said of its copy again.
    assert "significantly better than weak" in beside.conclusion().lower()
    assert "All others" not in beside.conclusion()
    assert "no significant differences" not in beside.conclusion()
    moved = copy.copy()
    swapped = [np.flatnonzero((TRUTH == 0) & (moved == x))[0] for x in (0, 1)]
    moved[swapped] = moved[swapped[::-1]]  # the same matrix from other predictions
    tied = run({"a": MODELS["good"], "b": moved})
    assert tied.identical == ()
    assert tied.conclusion().startswith("a and b tie: MAE 0.")


def test_conclusion_about_one_model() -> None:
    result = run({"only": MODELS["good"]})
    text = result.conclusion()
    assert text.startswith("only: MAE 0.")
    assert "best" not in text.replace("better", "")
    assert result.deltas() == ()


def test_classes_that_the_best_model_never_gets_right_are_named() -> None:
    failing = np.where(TRUTH == 3, 2, TRUTH)
    result = run({"a": failing, "weak": MODELS["weak"]})
    said = "a gets 0 of 60 items in class 3 right."
    assert result.conclusion().endswith(said)
    assert f"  ! {said}" in str(result).splitlines()
    two = run({"a": np.where(TRUTH > 1, TRUTH - 1, TRUTH), "weak": MODELS["weak"]})
    assert "a gets 0 of 130 items in classes 2 and 3 right." in two.conclusion()
    assert "gets 0 of" not in run().conclusion()


def test_conclusion_about_a_model_below_the_baselines() -> None:
    models = {"good": MODELS["good"], "random": np.random.default_rng(0).permutation(TRUTH)}
    result = run(models)
    (line,) = [x for x in result.conclusion().split("\n\n") if "baseline" in x]
    assert line == "random does not beat the best no-skill baseline (median class, 0.933)."
    assert "(best baseline)" in str(result)


def test_conclusion_about_disagreement() -> None:
    text = run(far_or_often(), n_resamples=999).conclusion()
    assert re.search(r"\d of 3 quality measures rank often first; far by accuracy", text)
    assert re.search(r"favours far \(one-sided p [<=] 0\.\d+\)|favours often \(one-sided", text)
    assert "Choose the measure that matters for your use." in text


def test_conclusion_about_a_disagreement_that_may_be_chance() -> None:
    for seed in range(20):
        result = run({"a": noisy(0.3, 2 * seed, 2), "b": noisy(0.3, 2 * seed + 1, 2)})
        found = result.disagreements()
        text = result.conclusion()
        if found and not any(d.firm for d in found) and " quality measures rank" in text:
            assert "None of these disagreements is significant." in text
            return
    pytest.fail("no such data were made")


def test_conclusion_by_a_bias_alone() -> None:
    result = run(metrics=["mean_signed_error"])
    text = result.conclusion()
    assert "signed error" in text.split("\n")[0]
    assert "All 0" not in text
    assert result.directed == ()


def test_conclusion_when_a_measure_has_no_value() -> None:
    constant = {"a": np.zeros(N, int), "b": np.ones(N, int)}
    text = run(constant, metrics=["kendall_tau_b", "accuracy"]).conclusion()
    assert text.startswith("Kendall's tau-b has no value on these data: ")


def test_measures_without_a_value_do_not_vote() -> None:
    constant = {"a": np.zeros(N, int), "b": np.ones(N, int)}
    text = run(constant, metrics=["accuracy", "kendall_tau_b", "spearman_rho"]).conclusion()
    assert "All 3 quality measures" not in text


def test_the_models_behind_the_best_one_are_told_apart_or_not() -> None:
    assert "All 3 pairs of models differ significantly." in run().conclusion()
    close = {"good": noisy(0.05, 2), "x": noisy(0.4, 31), "y": noisy(0.4, 32)}
    result = run(close, metrics=["mean_absolute_error"])
    second, third = result.models[1:]
    assert f"{second} and {third}: no significant differences." in result.conclusion()


def test_a_model_without_a_value_is_in_no_group() -> None:
    models = {**MODELS, "flat": np.zeros(N, int)}
    text = run(models, metrics=["kendall_tau_b", "accuracy"]).conclusion()
    assert "flat has no value" in text


def test_significant_pairs_of_many_models_are_named() -> None:
    """Up to a stated number; no wall of names or numbers."""
    models = {f"m-{i:02}": noisy(0.15 + 0.02 * i, i) for i in range(20)}
    result = run(models, metrics=["mean_absolute_error"])
    text = result.conclusion()
    apart = int((result.separation <= 0.05).sum()) // 2
    assert f"{apart} of 190 pairs differ significantly. Also {result.models[1]} over " in text
    assert re.search(r'; and \d+ more pairs: details\("pairs"\)\.', text)
    best = result.models[0]
    level = {m for m, p in zip(result.models, result.separation[0], strict=True) if not p <= 0.05}
    if {*result.may_be_best} != level:
        assert f"Plausible best at 95% confidence: {best}" in text
    assert all(len(p) < 700 for p in text.split("\n\n"))
    against = run(models, metrics=["mean_absolute_error"], reference=best).conclusion()
    (said,) = [p for p in against.split("\n\n") if f"worse than {best}" in p]
    assert "[" not in said
    assert len(said) < 700
    # A name is not broken at its hyphen.
    assert not re.search(r"\bm-$", repr(result), re.MULTILINE)


def test_conclusion_by_a_margin() -> None:
    options: dict[str, Any] = {"margin": 0.25, "metrics": ["mean_absolute_error"]}
    models = {"a": noisy(0.3, 30), "b": noisy(0.3, 31), "weak": MODELS["weak"]}
    result = run(models, reference="a", **options)
    (said,) = [p for p in result.conclusion().split("\n\n") if p.startswith("Margin")]
    assert said.startswith("Margin 0.25 in MAE (lower is better): ")
    assert re.search(
        r"b \([+-]0.\d+ \[-0.\d+, \+0.\d+\], one-sided raw p < 0.0001, corrected p < 0.0001\) is "
        r"non-inferior to a; weak \(.*\) is inferior to a",
        said,
    )
    assert "; b is equivalent to a within the margin. One-sided p-values are " in said
    assert said.endswith("corrected for 2 tests (Holm).")
    assert result.sentence() == said.split(" One-sided")[0]
    # Without a reference: who is not far behind the best.
    free = run(models, **options)
    second = free.models[1]
    assert (
        f"Margin 0.25 in MAE: {second} is non-inferior to {free.models[0]} (95% CIs, not "
        f"corrected)." in free.conclusion()
    )
    none = run(models, margin=0.001, metrics=["mean_absolute_error"]).conclusion()
    assert "are not shown to be non-inferior to" in none
    two = run({"a": models["a"], "weak": models["weak"]}, reference="a", **options)
    assert f"{two.deltas()[0].sentence()}." in two.conclusion().split("\n\n")
    assert two.sentence() == f"{two.deltas()[0].sentence()}."


def test_favours_names_only_significantly_better_models() -> None:
    result = run({"a": noisy(0.3, 30), "b": noisy(0.3, 31), "weak": MODELS["weak"]})
    for d in result.deltas():
        better = (d.a if d.gain > 0 else d.b) if d.p_adjusted <= 0.05 else None
        assert d.favours == better == d.rows()[0]["favours"]
    assert {d.favours for d in result.deltas()} > {None}
