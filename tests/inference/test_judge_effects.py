"""What moves a judge: known effects, humans who err, clusters, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from matplotlib.figure import Figure
from scipy.stats import t

import ordeval as oe
from ordeval import plots
from ordeval.inference.raters.judge_effects import columns_of, effects
from ordeval.results.judgement_tables import detail_tables


def graded(level: Any) -> Any:
    return np.clip(np.rint(level), 1, 9)


def drawn(rng: np.random.Generator, n: int, humans: int, clusters: int = 0) -> Any:
    """Items whose length goes with their quality, humans who err, and a judge moved by family."""
    group = np.arange(n) * max(clusters, 1) // n
    shared = rng.normal(0, 0.7, max(clusters, 1))[group] if clusters else 0.0
    quality = 5 + shared + rng.normal(0, 1.3, n)
    length = 200 + 40 * (quality - 5) + rng.normal(0, 60, n)
    family = rng.choice(["a", "b"], n, p=[0.7, 0.3])
    given = np.stack([graded(quality + rng.normal(0, 0.8, n)) for _ in range(humans)], axis=1)
    luck = rng.normal(0, 0.4, max(clusters, 1))[group] if clusters else 0.0
    judge = graded(1 + 0.8 * quality + 0.5 * (family == "b") + luck + rng.normal(0, 0.6, n))
    columns = columns_of({"length": length.tolist(), "family": family.tolist()})
    return judge, given, columns, group if clusters else np.arange(n)


@pytest.mark.parametrize(("humans", "clusters"), [(2, 0), (3, 0), (3, 25)])
def test_effects_are_held_though_humans_err(humans: int, clusters: int) -> None:
    rng, sets = np.random.default_rng(0), 150
    held = np.zeros(2)
    found = []
    for _ in range(sets):
        made = effects(*drawn(rng, 250, humans, clusters))
        assert made.corrected
        reach = t.ppf(0.975, made.units - 1) * made.errors
        held += np.abs(made.values - [0, 0.5]) <= reach
        found.append(made.values)
    assert (held / sets > 0.9).all()
    mean = np.mean(found, axis=0)
    assert abs(mean[0]) < 0.0003
    assert mean[1] == pytest.approx(0.5, abs=0.03)


def test_to_adjust_for_what_one_human_says_is_not_enough() -> None:
    """Longer answers are better, and so the judge seems to like length."""
    rng = np.random.default_rng(1)
    made = effects(*drawn(rng, 2000, 1))
    assert not made.corrected
    assert made.values[0] / made.errors[0] > 5


def test_with_one_human_it_is_a_linear_regression() -> None:
    rng = np.random.default_rng(2)
    judge, given, columns, unit = drawn(rng, 300, 1)
    made = effects(judge, given, columns, unit)
    x = np.column_stack([*(c.values for c in columns), given[:, 0], np.ones(300)])
    plain = sm.OLS(judge, x).fit(cov_type="HC3")
    np.testing.assert_allclose(made.values, plain.params[:2], rtol=1e-8)
    np.testing.assert_allclose(made.errors, plain.bse[:2], rtol=0.02)


def test_levels_are_compared_with_the_most_frequent_one() -> None:
    columns = columns_of({"lang": ["fi", "en", "en", "de"], "n": [1, 2, 3, np.float64(4)]})
    assert [(c.name, c.level, c.reference) for c in columns] == [
        ("lang", "de", "en"), ("lang", "fi", "en"), ("n", None, None),
    ]  # fmt: skip


def test_covariates_of_each_other_have_no_effects() -> None:
    rng = np.random.default_rng(3)
    judge, given, columns, unit = drawn(rng, 100, 2)
    twice = columns[0]._replace(values=2 * columns[0].values + 1)
    assert np.isnan(effects(judge, given, [columns[0], twice], unit).values).all()


def test_a_judgement_says_what_moves_its_judges() -> None:
    rng = np.random.default_rng(4)
    judge, given, columns, _ = drawn(rng, 900, 3)
    family = ["b" if x else "a" for x in columns[1].values]
    covariates = {"length": columns[0].values, "family": family}
    fair = graded(given.mean(axis=1) + rng.normal(0, 0.4, 900))
    found = oe.judge(given.astype(int), {"fair": fair, "partial": judge}, labels=range(1, 10),
                     covariates=covariates)  # fmt: skip
    _, own = found.effects["partial"]
    assert (own.covariate, own.level, own.reference) == ("family", "b", "a")
    assert own.p_adjusted < 0.001
    text = found.conclusion()
    assert "partial grades higher with family b than with a (+0." in text
    shown = next(
        x for x in detail_tables(found) if x.caption == "effects of covariates on the judges"
    )
    assert [row[1].text for row in shown.rows] == ["length", "family: b"] * 2
    assert json.loads(found.to_json())["effects"]["partial"][1]["level"] == "b"
    display = plots.JudgeEffectsDisplay.from_judgement(found, ax=Figure().subplots())
    assert "partial, family: b: +0." in display.describe()
    assert [x.get_text() for x in display.ax_.get_yticklabels()] == [
        "length\nper SD", "family: b\nthan a",
    ]  # fmt: skip
    assert "What moves the judges" in found.to_html()
    one = oe.judge(given[:, :1].astype(int), {"partial": judge}, labels=range(1, 10),
                   covariates=covariates)  # fmt: skip
    assert not one.effects_corrected
    assert "the human's errors cannot be removed" in str(one)
    without = oe.judge(given.astype(int), {"fair": fair}, labels=range(1, 10))
    with pytest.raises(oe.ParameterError, match="has no covariates"):
        plots.JudgeEffectsDisplay(without)


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        ({}, "covariates must map names to values"),
        ([1, 2], "covariates must map names to values"),
        ({"length": [1]}, "length must name a value for each of the 20 items; got 1"),
        ({"length": [1] * 20}, "the covariate length is constant"),
        ({"length": [*range(19), np.inf]}, "the covariate length must be finite"),
        ({"length": [*range(19), None]}, "length must not hold missing values: 1 of 20 items have"),
        (
            {"length": range(20), "twice": range(0, 40, 2), "odd": [1, 2] * 10},
            "the covariates length and twice determine each other",
        ),
        (
            {"system": list("abcd") * 5, "family": list("xxyy") * 5},
            "the covariates system and family determine each other",
        ),
    ],
)
def test_what_is_no_covariate_is_refused(covariates: Any, message: str) -> None:
    humans = [[1, 1], [2, 2]] * 10
    with pytest.raises(oe.LabelError, match=message):
        oe.judge(humans, {"j": [1, 2] * 10}, labels=[1, 2], covariates=covariates)


def test_a_covariate_has_few_levels() -> None:
    humans = [[1, 1], [2, 2]] * 60
    levels = {"text": [f"t{n}" for n in range(60)] * 2}
    with pytest.raises(oe.LabelError, match="the covariate text has 60 levels, and at most 50"):
        oe.judge(humans, {"j": [1, 2] * 60}, labels=[1, 2], covariates=levels)


def test_effects_that_a_judge_does_not_identify_are_said_to_be_unknown() -> None:
    """A judge answered only items of one language."""
    rng = np.random.default_rng(5)
    humans = rng.integers(1, 6, (40, 2))
    language = ["de", "en"] * 20
    given = [int(x) if w == "en" else None for x, w in zip(humans[:, 0], language, strict=True)]
    found = oe.judge(humans, {"j": given}, labels=range(1, 6), covariates={"language": language})
    assert "No effects on j: the answers are too few" in str(found)
    assert "nan" not in str(found)
    assert "The effects of the covariates are unknown." in found.conclusion()
    assert "No covariate has" not in found.conclusion()
