"""compare_folds: the corrected t test and its Bayesian twin, by hand; how folds are read."""

import itertools
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats

import ordeval as oe
from ordeval.inference.given_scores.fold_tests import CorrectedT


def made_up(
    models: int, shape: tuple[int, ...], step: float = 0.02, seed: int = 0
) -> dict[str, NDArray[Any]]:
    """Scores whose folds have something in common, the better model first."""
    rng = np.random.default_rng(seed)
    folds = rng.normal(0.7, 0.03, shape)
    return {f"m{i}": folds - step * i + rng.normal(0, 0.02, shape) for i in range(models)}


def by_hand(x: Any, y: Any, ratio: float, level: float = 0.95) -> tuple[float, ...]:
    """Nadeau & Bengio 2003: mean, ends of the interval and p; ``ratio`` of test to training."""
    gaps = [a - b for a, b in zip(np.ravel(x), np.ravel(y), strict=True)]
    n = len(gaps)
    mean = sum(gaps) / n
    variance = sum((g - mean) ** 2 for g in gaps) / (n - 1)
    error = math.sqrt((1 / n + ratio) * variance)
    half = stats.t.ppf(1 - (1 - level) / 2, n - 1) * error
    return mean, mean - half, mean + half, 2 * stats.t.sf(abs(mean / error), n - 1)


def found(d: oe.results.FoldDelta) -> tuple[float, ...]:
    return d.delta, d.low, d.high, d.p_value


@pytest.mark.parametrize(("repeats", "folds"), [(1, 10), (5, 2), (10, 10), (3, 5)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_corrected_t_test_by_hand(repeats: int, folds: int, level: float) -> None:
    scores = made_up(2, (repeats, folds))
    (pair,) = oe.compare_folds(scores, level=level).pairs
    expected = by_hand(scores[pair.a], scores[pair.b], 1 / (folds - 1), level)
    assert found(pair) == pytest.approx(expected)
    assert pair.p_holm == pair.p_value


def test_the_share_of_test_items_by_hand() -> None:
    scores = made_up(2, (30,))
    (pair,) = oe.compare_folds(scores, test_share=0.2).pairs
    assert found(pair) == pytest.approx(by_hand(scores[pair.a], scores[pair.b], 0.25))
    uneven = oe.compare_folds(scores, folds=10, test_share=0.2)
    assert found(uneven.pairs[0]) == pytest.approx(found(pair))
    assert uneven.test_share == 0.2


def test_the_usual_correction_in_numbers() -> None:
    """Ten times ten folds: 1 / 100 + 1 / 9 in place of 1 / 100."""
    gaps = np.random.default_rng(0).normal(0, 1, 100)
    factor = (CorrectedT.of(gaps, 0.1).error / gaps.std(ddof=1)) ** 2
    assert factor == pytest.approx(0.01 + 1 / 9)


@pytest.mark.parametrize("rope", [0.0, 0.005, 0.02, 0.1])
@pytest.mark.parametrize("greater", [True, False])
def test_the_bayesian_correlated_t_test_by_its_formula(rope: float, greater: bool) -> None:
    """Corani & Benavoli 2015, with the correlation 1 / folds."""
    scores = made_up(2, (4, 5))
    (pair,) = oe.compare_folds(scores, rope=rope, greater_is_better=greater).pairs
    gain = np.ravel(scores[pair.a] - scores[pair.b]) * (1 if greater else -1)
    scale = math.sqrt((1 / 20 + 0.2 / 0.8) * gain.var(ddof=1))
    posterior = stats.t(19, gain.mean(), scale)
    expected = (
        posterior.cdf(-rope),
        posterior.cdf(rope) - posterior.cdf(-rope),
        posterior.sf(rope),
    )
    assert pair.chances == pytest.approx(expected)


def test_without_a_rope_nothing_is_said_about_practice() -> None:
    result = oe.compare_folds(made_up(3, (2, 5)))
    assert all(math.isnan(x) for d in result.pairs for x in d.chances)
    assert "P(better)" not in repr(result)
    assert "Bayesian" not in result.conclusion()


# How often models that do not differ are told apart


def correlated(runs: int, repeats: int, folds: int) -> NDArray[Any]:
    """Differences of which any two have the correlation 1 / folds, and a mean of zero."""
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=(runs, 1)), rng.normal(size=(runs, repeats * folds))
    return np.asarray(math.sqrt(1 / folds) * common + math.sqrt(1 - 1 / folds) * own)


@pytest.mark.parametrize(("repeats", "folds"), [(10, 10), (1, 10), (5, 2)])
def test_the_size_is_right_where_that_of_the_plain_test_is_not(repeats: int, folds: int) -> None:
    runs = 3000
    draws = correlated(runs, repeats, folds)
    corrected = np.mean([CorrectedT.of(x, 1 / folds).p_value <= 0.05 for x in draws])
    assert abs(corrected - 0.05) < 3 * math.sqrt(0.05 * 0.95 / runs)
    plain = np.mean(stats.ttest_1samp(draws, 0, axis=1).pvalue <= 0.05)
    assert plain > 0.15


def test_intervals_hold_what_they_promise() -> None:
    runs = 2000
    ends = [CorrectedT.of(x + 3, 0.2).interval(0.9) for x in correlated(runs, 3, 5)]
    assert abs(np.mean([low <= 3 <= high for low, high in ends]) - 0.9) < 3 * math.sqrt(0.09 / runs)


# Order, pairs and directions


def test_all_pairs_the_better_first_corrected_by_holm() -> None:
    scores = made_up(4, (5, 5))
    result = oe.compare_folds({m: scores[m] for m in ("m2", "m0", "m3", "m1")})
    assert result.models == ("m0", "m1", "m2", "m3")
    assert [(d.a, d.b) for d in result.pairs] == list(itertools.combinations(result.models, 2))
    raw = [by_hand(scores[d.a], scores[d.b], 1 / 4)[3] for d in result.pairs]
    assert [d.p_holm for d in result.pairs] == pytest.approx(oe.holm(raw).tolist())
    for d in result.pairs:
        assert d.favours == (d.a if d.p_holm <= 0.05 else None)
        assert d.delta == pytest.approx(d.mean_a - d.mean_b)
        assert d.mean_a == result.means[d.a] == pytest.approx(scores[d.a].mean())


def test_a_reference_is_the_second_of_each_pair() -> None:
    result = oe.compare_folds(made_up(4, (5, 5)), reference="m1", rope=0.01)
    assert [(d.a, d.b) for d in result.pairs] == [("m0", "m1"), ("m2", "m1"), ("m3", "m1")]
    assert [d.favours for d in result.pairs] == [None, None, "m1"]
    alone = oe.compare_folds(made_up(4, (5, 5)), rope=0.01)
    twin = next(d for d in alone.pairs if (d.a, d.b) == ("m1", "m3"))
    assert result.pairs[-1].delta == pytest.approx(-twin.delta)
    assert result.pairs[-1].chances == pytest.approx(twin.chances[::-1])


def test_the_direction_of_a_loss() -> None:
    scores = made_up(2, (5, 5))
    loss = oe.compare_folds(scores, metric="average_mae", rope=0.001)
    assert loss.models == ("m1", "m0")
    (pair,) = loss.pairs
    assert pair.delta < 0
    assert pair.favours is None
    assert pair.chances.better > 0.9
    assert oe.compare_folds(scores, greater_is_better=False).models == loss.models
    assert oe.compare_folds(scores, metric=oe.cem_ord).models == ("m0", "m1")


def test_a_two_sided_measure_is_compared_by_its_distance_to_the_best() -> None:
    scores = {"low": [-0.5, -0.4, -0.6, -0.5], "even": [0.1, -0.1, 0.2, -0.3]}
    result = oe.compare_folds(scores, metric="mean_signed_error", folds=4)
    assert result.models == ("even", "low")
    assert result.means == pytest.approx({"even": 0.175, "low": 0.5})
    assert found(result.pairs[0]) == pytest.approx(
        by_hand(np.abs(scores["even"]), np.abs(scores["low"]), 1 / 3)
    )
    assert result.conclusion().startswith(
        "By mean signed error, even is best: 0.175 away from the best value on average over "
        "4 folds."
    )


def test_equal_models_and_constant_differences() -> None:
    base = made_up(1, (3, 4))["m0"]
    result = oe.compare_folds({"a": base, "copy": base, "more": base + 0.1}, rope=0.01)
    assert result.models == ("more", "a", "copy")
    constant, _, equal = result.pairs
    assert constant.delta == pytest.approx(0.1)
    assert math.isnan(constant.p_value)
    assert math.isnan(constant.low)
    assert all(math.isnan(x) for x in constant.chances)
    assert found(equal) == (0, 0, 0, 1)
    assert equal.favours is None
    assert equal.chances == (0, 1, 0)
    assert equal.p_holm == 1
    assert result.conclusion() == (
        "more has the best value: 0.796 on average over 3 repeats of 4 folds.\n\n"
        "In every fold the difference is the same between more and a (+0.100) and between more and "
        "copy (+0.100), so its uncertainty is unknown."
    )
    tie = oe.compare_folds({"a": base, "copy": base}).conclusion()
    assert tie.startswith("a and copy tie: 0.696 on average over 3 repeats of 4 folds.")


@pytest.mark.parametrize("n", range(2, 20))
def test_rounding_is_no_variance(n: int) -> None:
    """Of ten times 0.1 the mean is less than 0.1, and a tiny variance remains."""
    assert CorrectedT.of(np.full(n, 0.1), 0.2) == (0.1, 0.0, n - 1)


# What is read

WIDE = made_up(3, (3, 4))
FLAT = {m: x.ravel() for m, x in WIDE.items()}
LONG = pd.DataFrame(FLAT).assign(r=np.repeat(["x", "y", "z"], 4), f=[1, 2, 3, 4] * 3)


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (FLAT, {"folds": 4}),
        ({m: x.tolist() for m, x in WIDE.items()}, {}),
        (WIDE, {"folds": 4}),
        (pd.DataFrame(FLAT), {"folds": 4}),
        (LONG, {"repeat": "r", "fold": "f"}),
        (LONG.drop(columns="f"), {"repeat": "r"}),
        (LONG.assign(f=range(12)), {"repeat": "r", "fold": "f", "folds": 4}),
        (LONG.sample(frac=1, random_state=0), {"repeat": "r", "fold": "f"}),
        (pl.DataFrame(LONG.to_dict("list")), {"repeat": "r", "fold": "f"}),
        (LONG.to_dict("list"), {"repeat": "r", "fold": "f"}),
    ],
    ids=["flat", "lists", "said twice", "frame", "long", "repeats", "numbered", "shuffled",
         "polars", "columns"],
)  # fmt: skip
def test_the_same_scores_however_they_are_given(scores: Any, options: dict[str, Any]) -> None:
    expected, result = oe.compare_folds(WIDE), oe.compare_folds(scores, **options)
    assert result.models == expected.models
    assert result.design == expected.design == "3 repeats of 4 folds"
    assert result.test_share == 1 / 4
    for pair, other in zip(result.pairs, expected.pairs, strict=True):
        assert found(pair) == pytest.approx(found(other))
    for model, x in WIDE.items():  # each repeat in a row of its own
        assert sorted(map(sorted, result.scores[model].tolist())) == sorted(map(sorted, x.tolist()))


def test_one_repeat_and_random_splits() -> None:
    once = oe.compare_folds(LONG.iloc[:4].drop(columns="r"), fold="f")
    assert once.design == "4 folds"
    assert {x.shape for x in once.scores.values()} == {(1, 4)}
    splits = oe.compare_folds(FLAT, test_share=0.3)
    assert splits.design == "12 random splits"
    assert {x.shape for x in splits.scores.values()} == {(12,)}


def test_scores_of_scikit_learn() -> None:
    """Repeats of RepeatedKFold follow each other."""
    from sklearn import dummy, model_selection

    y = np.arange(40) % 3
    cv = model_selection.RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    guesses = {f"{c}": dummy.DummyClassifier(strategy="constant", constant=c) for c in (0, 1)}
    scores = {
        name: model_selection.cross_val_score(
            model, np.zeros((40, 1)), y, cv=cv,
            scoring=oe.scorer("mean_absolute_error", labels=[0, 1, 2]),
        )
        for name, model in guesses.items()
    }  # fmt: skip
    result = oe.compare_folds(
        {m: -x for m, x in scores.items()}, metric="mean_absolute_error", folds=4
    )
    assert result.models == ("1", "0")
    with pytest.raises(oe.ParameterError, match="scikit-learn negates losses"):
        oe.compare_folds(scores, metric="mean_absolute_error", folds=4)


# What is said


def test_conclusions() -> None:
    scores = made_up(3, (5, 10), step=0.01, seed=2)
    scores["m2"] = scores["m2"] - 0.08
    result = oe.compare_folds(scores, metric="cem_ord", rope=0.01)
    assert result.conclusion() == (
        "By CEM (closeness), m0 has the best value: 0.700 on average over 5 repeats of 10 folds."
        "\n\n"
        "m0 is significantly better than m2 (+0.101 [+0.081, +0.121], p < 0.0001). No significant "
        "difference from m1 (+0.008 [-0.012, +0.028], p = 0.4380). This does not show that they "
        "are equal. Each p is corrected for 3 pairs (Holm)."
        "\n\n"
        "Bayesian correlated t test: if differences up to 0.01 do not matter, m0 is better than m2 "
        "(probability >0.99); no conclusion at 95% about m0 against m1 (better 0.41, equivalent "
        "0.55, worse 0.04)."
    )
    assert list(result.paragraphs()) == result.conclusion().split("\n\n")
    against = oe.compare_folds(scores, reference="m1", rope=0.01).conclusion()
    assert against == (
        "m0 has the best value: 0.700 on average over 5 repeats of 10 folds."
        "\n\n"
        "Significantly worse than m1: m2 (-0.093 [-0.112, -0.075], p < 0.0001). No significant "
        "difference from m1: m0 (+0.008 [-0.012, +0.028], p = 0.4380). Each p is corrected for 2 "
        "pairs (Holm)."
        "\n\n"
        "Bayesian correlated t test: if differences up to 0.01 do not matter, m1 is better than m2 "
        "(probability >0.99); no conclusion at 95% about m1 against m0 (better 0.04, equivalent "
        "0.55, worse 0.41)."
    )


def test_tables() -> None:
    result = oe.compare_folds(made_up(3, (2, 5)), metric="cem_ord", rope=0.01)
    means, pairs = result.tables()
    assert means.caption == "CEM (closeness), higher is better, 2 repeats of 5 folds, 3 models"
    assert [row[1].best for row in means.rows] == [True, False, False]
    assert pairs.head == (
        "pair", "difference", "p", "p Holm", "P(worse)", "P(equivalent)", "P(better)",
    )  # fmt: skip
    assert pairs.caption == "differences in CEM (closeness) over 2 repeats of 5 folds"
    one = oe.compare_folds(made_up(2, (2, 5)), level=0.995).table()
    assert one.head == ("pair", "difference", "p", "favours")
    (note,) = one.notes
    assert note == (
        "99.5% intervals and p by the t test that is corrected for overlapping training sets "
        "(Nadeau & Bengio 2003)."
    )


def test_many_pairs_are_cut_off_in_the_text_alone() -> None:
    result = oe.compare_folds(made_up(6, (2, 5)))
    assert len(result.table().rows) == len(result.rows()) == 15
    assert len(result.tables()[1].rows) == 10
    assert "5 more pairs are not shown; table() has them all." in repr(result)


def test_json_holds_the_scores_and_the_pairs() -> None:
    result = oe.compare_folds(made_up(2, (2, 5)))
    facts = json.loads(result.to_json())
    assert facts["kind"] == "ordeval.fold_comparison"
    assert facts["scores"]["m0"] == result.scores["m0"].tolist()
    assert facts["pairs"][0]["p_value"] == result.pairs[0].p_value
    assert facts["pairs"][0]["probability_better"] is None
    assert facts["conclusion"] == result.conclusion()


def test_a_pair_in_one_line() -> None:
    (pair,) = oe.compare_folds({"a": [0.7, 0.8, 0.9], "b": [0.5, 0.6, 0.8]}, folds=3).pairs
    assert str(pair) == "a - b = +0.167 [-0.060, +0.393], p = 0.0871"


# Errors

OK = {"a": [0.7, 0.8, 0.9], "b": [0.5, 0.6, 0.8]}
BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "kind": (
        [1, 2],
        {},
        ("scores must map the name of each model to its scores, or be a DataFrame with one column "
         "per model; got an object of type list."),
    ),
    "one model": ({"a": [[1, 2], [3, 4]]}, {}, "compare_folds needs at least 2 models; got 1."),
    "few scores": (
        {"a": [1, 2], "b": [1, 2]},
        {"folds": 2},
        "compare_folds needs at least 3 scores of each model; got 2.",
    ),
    "flat": (
        {m: range(50) for m in "ab"},
        {},
        ("each model has a flat list of 50 scores, which does not say how many folds a repeat has: "
         "pass folds=, for example folds=10 for ten-fold cross-validation, repeated or not; or "
         "test_share= for random splits."),
    ),
    "not whole": (
        {m: range(50) for m in "ab"},
        {"folds": 9},
        "50 scores of each model are not whole repeats of 9 folds.",
    ),
    "folds": (OK, {"folds": 1}, "folds must be an integer >= 2; got 1."),
    "otherwise": (
        WIDE,
        {"folds": 3},
        "the scores are 3 repeats of 4 folds, but folds=3 says otherwise; remove it.",
    ),
    "one fold": (
        {m: np.ones((5, 1)) for m in "ab"},
        {},
        ("a repeat needs at least 2 folds; got 5 repeats of 1 fold. A row holds the folds of a "
         "repeat."),
    ),
    "cube": (
        {m: np.ones((2, 3, 4)) for m in "ab"},
        {},
        ("the scores of a model must be a flat list or rows of repeats; got an array of shape "
         "(2, 3, 4)."),
    ),
    "ragged": (
        {"a": [[1, 2], [3]], "b": [[1, 2], [3, 4]]},
        {},
        ("the scores of model a must be numbers, one per fold, in rows of repeats or in a flat "
         "list; got [[1, 2], [3]]."),
    ),
    "shapes": (
        {"a": [[1, 2], [3, 4]], "b": [1, 2, 3, 4]},
        {},
        ("every model needs a score in each fold; got arrays of different shapes: (2, 2) of a, "
         "(4,) of b."),
    ),
    "share": (
        OK,
        {"test_share": 20},
        ("test_share must be the share of the items that a model is tested on each time, between "
         "0 and 1; got 20."),
    ),
    "reference": (
        OK, {"folds": 3, "reference": "c"}, "reference must name one of the models, a, b; got 'c'.",
    ),
    "no column": (
        LONG, {"fold": "split"}, "scores has no column 'split'; its columns: m0, m1, m2, r, f.",
    ),
    "columns of rows": (
        {**WIDE, "f": [1, 2, 3, 4]},
        {"fold": "f"},
        ("repeat= and fold= name columns with one entry for each score; got scores of shape "
         "(3, 4)."),
    ),
    "repeats not named": (
        LONG.drop(columns="r"),
        {"fold": "f"},
        ("every fold of a repeat needs one row; fold 1 has 3. If there are repeats, name their "
         "column: repeat=."),
    ),
    "twice": (
        LONG.assign(f=[1, 2, 3, 3] * 3),
        {"repeat": "r", "fold": "f"},
        "every fold of a repeat needs one row; fold 3 has 2 in repeat x.",
    ),
    "incomplete": (
        LONG.iloc[:-1],
        {"repeat": "r", "fold": "f"},
        "every repeat needs the same number of folds; repeat x has 4 and repeat z has 3.",
    ),
    "missing": (
        {"a": [[1, 2], [3, np.nan]], "b": [[1, 2], [3, 4]]},
        {},
        ("scores must not be missing; model a has none for repeat 2, fold 2. Leave out that fold "
         "for all models, or give an undefined score a value."),
    ),
    "infinite": (
        {"a": [1, 2, 3], "b": [1, np.inf, 3]},
        {"test_share": 0.2},
        "scores must be finite; got inf for model b, split 2.",
    ),
    "negated": (
        {m: [-0.4, -0.5, -0.6] for m in "ab"},
        {"folds": 3, "metric": "average_mae"},
        ("average_mae lies in [0, K - 1]; got -0.4 for model a, fold 1. scikit-learn negates "
         "losses: pass the raw values, for example -scores, or pass "
         "greater_is_better=True instead of metric=."),
    ),
    "contradiction": (
        OK,
        {"folds": 3, "metric": "cem_ord", "greater_is_better": False},
        ("for cem_ord, higher is better, but greater_is_better=False says otherwise; "
         "remove one of the two."),
    ),
    "rope": (
        OK,
        {"folds": 3, "rope": "1%"},
        ("rope must be the largest difference that does not matter in practice, a number >= 0; got "
         "'1%'."),
    ),
    "level": (OK, {"folds": 3, "level": 95}, "level must lie between 0 and 1; got 95."),
}  # fmt: skip


@pytest.mark.parametrize(("scores", "options", "message"), BAD.values(), ids=list(BAD))
def test_bad_scores(scores: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(oe.ParameterError) as caught:
        oe.compare_folds(scores, **options)
    assert str(caught.value) == message
