"""compare: estimates, ranks, chances, baselines, disagreement, the conclusion and the tables."""

import csv
import io
import itertools
import json
import pickle
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from rich.console import Console
from scipy import stats

import ordeval as oe
from ordeval.inference.agreement import looks_at, rank_agreement, reason_to_differ

Array = NDArray[Any]

N = 300
TRUTH = np.random.default_rng(0).permutation(np.repeat([0, 1, 2, 3], [90, 80, 70, 60]))
LEVELS = [0, 1, 2, 3]
FEW = ["mean_absolute_error", "accuracy", "kendall_tau_b"]


def noisy(share: float, seed: int, reach: int = 1, truth: Array = TRUTH) -> Array:
    """The truth with a share of the items moved by up to ``reach`` classes."""
    rng = np.random.default_rng(seed)
    off = rng.integers(1, reach + 1, len(truth)) * rng.choice([-1, 1], len(truth))
    return np.clip(truth + off * (rng.random(len(truth)) < share), 0, 3)


MODELS = {"weak": noisy(0.7, 1, 2), "good": noisy(0.2, 2), "fair": noisy(0.4, 3, 2)}


def run(models: Any = None, truth: Any = TRUTH, **options: Any) -> oe.Comparison:
    defaults = {"labels": LEVELS, "metrics": FEW, "n_resamples": 199, "rng": 0}
    return oe.compare(truth, MODELS if models is None else models, **{**defaults, **options})


@pytest.fixture(scope="module")
def panel() -> oe.Comparison:
    """All measures of the default panel."""
    return run(metrics=None, n_resamples=499)


def test_estimates_are_those_of_the_measures(panel: oe.Comparison) -> None:
    for metric, (name, labels) in itertools.product(panel.metrics, MODELS.items()):
        interval = panel.estimates[metric.name][name]
        assert interval.estimate == pytest.approx(metric(TRUTH, labels, labels=LEVELS), abs=1e-12)
        assert interval.estimate in interval
    assert panel.primary is oe.cem_ord
    assert panel.items == N


def test_intervals_are_those_of_one_model(panel: oe.Comparison) -> None:
    alone = oe.confidence_interval("cem_ord", TRUTH, MODELS["fair"], labels=LEVELS, rng=1)
    beside = panel.estimates["cem_ord"]["fair"]
    width = alone.high - alone.low
    assert beside.low == pytest.approx(alone.low, abs=0.15 * width)
    assert beside.high == pytest.approx(alone.high, abs=0.15 * width)


def test_matrices_are_the_counts(panel: oe.Comparison) -> None:
    for name, labels in MODELS.items():
        assert panel.matrices[name] == oe.ConfusionMatrix.from_labels(TRUTH, labels, LEVELS)


@pytest.mark.parametrize("first", ["accuracy", "mean_absolute_error", "mean_signed_error"])
def test_models_are_sorted_by_the_first_measure(first: str) -> None:
    result = run(metrics=[first, *(m for m in FEW if m != first)])
    metric = oe.get_metric(first)
    utilities = [metric.utility(result.estimates[first][m].estimate) for m in result.models]
    assert utilities == sorted(utilities, reverse=True)
    assert [result.ranks[first][m] for m in result.models] == [1, 2, 3]
    assert sorted(result.models) == sorted(MODELS)


def test_equal_models_share_their_ranks() -> None:
    models = {"a": MODELS["fair"], "b": MODELS["good"], "c": MODELS["fair"], "d": MODELS["weak"]}
    result = run(models)
    for name in FEW:
        assert result.ranks[name] == {"b": 1.0, "a": 2.5, "c": 2.5, "d": 4.0}
        assert result.probability_best[name]["a"] == result.probability_best[name]["c"]


def test_a_model_without_a_value_comes_last() -> None:
    result = run({"constant": np.zeros(N, int), "good": MODELS["weak"]}, metrics=["kendall_tau_b"])
    assert result.models == ("good", "constant")
    assert result.ranks["kendall_tau_b"] == {"good": 1.0, "constant": 2.0}
    assert result.probability_best["kendall_tau_b"] == {"constant": 0.0, "good": 1.0}


def two_class(errors: tuple[int, int], n: int = 60) -> tuple[Array, Array]:
    """Labels of n items of each class with so many errors in each."""
    truth = np.repeat([0, 1], n)
    pred = truth.copy()
    pred[: errors[0]] = 1
    pred[n : n + errors[1]] = 0
    return truth, pred


def test_equal_distances_are_told_apart_by_the_chance_line() -> None:
    """George et al. 2016, section 2.3. With e errors a class and costs 1 and 3 the squared distance
    is 5 e0² + 14 e0 e1 + 13 e1², which (0, 25) and (9, 20) share; the line sees |e0 - e1|."""
    cost = [[0, 1], [3, 0]]
    metric = oe.cost_accuracy_distance.with_params(cost=cost)
    truth, far = two_class((0, 25))
    _, near = two_class((9, 20))
    _, better = two_class((0, 5))
    models = {"near": near, "far": far, "better": better}
    result = run(models, truth, labels=[0, 1], metrics=[metric, "accuracy"])
    d = {m: result.estimates[metric.name][m].estimate for m in models}
    assert d["near"] == pytest.approx(d["far"], abs=1e-12)
    line = {
        m: oe.chance_line_distance(truth, p, labels=[0, 1], cost=cost) for m, p in models.items()
    }
    assert line["far"] > line["near"]
    assert result.models == ("better", "far", "near")
    assert result.ranks[metric.name] == {"better": 1, "far": 2, "near": 3}


def test_other_measures_have_no_such_tie_break() -> None:
    truth, a = two_class((4, 8))
    _, b = two_class((8, 4))
    result = run({"a": a, "b": b}, truth, labels=[0, 1], metrics=["accuracy"])
    assert result.ranks["accuracy"] == {"a": 1.5, "b": 1.5}


def test_chances_to_be_best_sum_to_one(panel: oe.Comparison) -> None:
    for name, shares in panel.probability_best.items():
        assert sum(shares.values()) == pytest.approx(1), name
        assert all(0 <= s <= 1 for s in shares.values())


def test_chances_to_be_best_are_those_of_a_bootstrap_over_items() -> None:
    models = {"a": noisy(0.40, 4), "b": noisy(0.42, 5), "c": noisy(0.44, 6)}
    result = run(models, metrics=["accuracy"], n_resamples=5000)
    right = np.stack([p == TRUTH for p in models.values()])
    chosen = np.random.default_rng(1).integers(0, N, (5000, N))
    scores = right[:, chosen].sum(axis=2)
    best = scores == scores.max(axis=0)
    slow = (best / best.sum(axis=0)).mean(axis=1)
    ours = [result.probability_best["accuracy"][m] for m in models]
    np.testing.assert_allclose(ours, slow, atol=0.04)
    i, j = (result.models.index(m) for m in "ab")
    half = (scores[0] > scores[1]).mean() + (scores[0] == scores[1]).mean() / 2
    assert result.preferred["accuracy"][i, j] == pytest.approx(half, abs=0.04)


def test_preferences_of_a_pair_sum_to_one(panel: oe.Comparison) -> None:
    for shares in panel.preferred.values():
        np.testing.assert_allclose(shares + shares.T, 1)
        np.testing.assert_array_equal(np.diagonal(shares), 0.5)


def test_baselines_are_measured_on_their_expected_matrices(panel: oe.Comparison) -> None:
    sizes = np.bincount(TRUTH).astype(float)
    column = np.eye(4)
    expected = {
        "majority class": np.outer(sizes, column[0]),
        "median class": np.outer(sizes, column[1]),
        "random by prevalence": np.outer(sizes, sizes) / N,
    }
    assert list(panel.baselines) == list(expected)
    for name, matrix in expected.items():
        for metric in panel.metrics:
            value = metric.from_confusion(matrix, undefined=-99)
            shown = panel.baselines[name][metric.name]
            assert (-99 if np.isnan(shown) else shown) == pytest.approx(value), (name, metric)


def test_the_median_class_has_half_of_the_items_on_either_side() -> None:
    truth = np.repeat([0, 1, 2, 3], [10, 10, 15, 25])
    result = run({"a": truth}, truth, metrics=["mean_absolute_error"])
    assert result.baselines["median class"]["mean_absolute_error"] == np.abs(truth - 2).mean()


def test_agreement_of_measures_is_kendalls(panel: oe.Comparison) -> None:
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


def far_or_often() -> dict[str, Array]:
    """One model errs often and near, the other seldom and far."""
    often, far = TRUTH.copy(), TRUTH.copy()
    often[::3] = np.where(often[::3] < 3, often[::3] + 1, 2)
    far[::5] = 3 - far[::5]
    far[::10] = np.where(TRUTH[::10] < 2, 3, 0)
    return {"often": often, "far": far}


def test_disagreements_name_measures_that_do_disagree() -> None:
    result = run(far_or_often(), metrics=None, n_resamples=999)
    found = result.disagreements()
    assert found
    for d in found:
        x, y = oe.get_metric(d.metric_for_a), oe.get_metric(d.metric_for_b)
        value = {
            m: {n: m.utility(result.estimates[m.name][n].estimate) for n in (d.a, d.b)}
            for m in (x, y)
        }
        assert value[x][d.a] > value[x][d.b]
        assert value[y][d.a] < value[y][d.b]
        assert d.reason == reason_to_differ(x, y)
        assert x.name in d.reason
        assert y.name in d.reason
        assert "mean_signed_error" not in (x.name, y.name)
    pairs = {frozenset((d.metric_for_a, d.metric_for_b)) for d in found}
    assert frozenset(("accuracy", "mean_absolute_error")) in pairs
    assert len(pairs) == len(found)
    firmness = [min(d.share_for_a, d.share_for_b) for d in found]
    assert firmness == sorted(firmness, reverse=True)
    assert [d.firm for d in found] == [f >= 0.95 for f in firmness]


def test_agreeing_measures_have_no_disagreement() -> None:
    assert run().disagreements() == ()


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
    ("kendall_tau_b", "accuracy", "kendall_tau_b cannot see a shift of all predictions"),
    ("average_mae", "mean_absolute_error", "moves with the class sizes, average_mae does not"),
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


# The conclusion


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


# Pairs


def test_deltas_and_their_corrections(panel: oe.Comparison) -> None:
    deltas = panel.deltas()
    assert len(deltas) == 3 * 10
    p, p_holm, p_bh = (
        np.array([getattr(d, x) for d in deltas]) for x in ("p_value", "p_holm", "p_bh")
    )
    np.testing.assert_allclose(p_holm, oe.holm(p))
    np.testing.assert_allclose(p_bh, stats.false_discovery_control(p))
    assert (p_holm >= p).all()
    assert (p_bh <= p_holm).all()
    assert p.min() == 1 / 500
    for d in deltas:
        by = panel.estimates[d.metric]
        assert (d.value_a, d.value_b) == (by[d.a].estimate, by[d.b].estimate)
        assert panel.models.index(d.a) < panel.models.index(d.b)


def test_a_delta_is_that_of_two_models_alone() -> None:
    result = run({n: MODELS[n] for n in ("fair", "weak")}, metrics=["accuracy"], n_resamples=2000)
    (beside,) = result.deltas()
    alone = oe.paired_delta(
        "accuracy", TRUTH, MODELS[beside.a], MODELS[beside.b], labels=LEVELS, rng=5
    )
    assert beside.delta == pytest.approx(alone.delta)
    width = alone.high - alone.low
    np.testing.assert_allclose((beside.low, beside.high), (alone.low, alone.high), atol=0.1 * width)


def test_with_a_reference_all_others_are_compared_with_it() -> None:
    result = run(reference="fair")
    assert {(d.a, d.b) for d in result.deltas()} == {("good", "fair"), ("weak", "fair")}
    assert result.reference == "fair"


def test_pairs_of_the_best() -> None:
    result = run(pairs="best", metrics=["accuracy"])
    assert [(d.a, d.b) for d in result.deltas()] == [("good", "fair"), ("good", "weak")]


@pytest.mark.parametrize(
    ("count", "pairs", "tests"), [(12, "auto", 66), (13, "auto", 12), (13, "all", 78)]
)
def test_many_models_are_compared_with_the_best(count: int, pairs: Any, tests: int) -> None:
    models = {f"m{i:02}": noisy(0.2 + 0.03 * i, i) for i in range(count)}
    result = run(models, metrics=["accuracy"], n_resamples=39, pairs=pairs)
    deltas = result.deltas()
    assert len(deltas) == tests
    if tests == count - 1:
        assert {d.a for d in deltas} == {result.models[0]}


def test_clusters_are_drawn_and_swapped_whole() -> None:
    size = 5
    truth = np.repeat(TRUTH[:100], size)
    models = {n: np.repeat(p[:100], size) for n, p in MODELS.items()}
    clusters = np.repeat(np.arange(100), size)
    clustered = run(models, truth, clusters=clusters, n_resamples=999)
    single = run({n: p[:100] for n, p in MODELS.items()}, TRUTH[:100], n_resamples=999)
    assert (clustered.units, clustered.clusters) == ("clusters", 100)
    assert (single.units, single.clusters) == ("items", 0)
    for a, b in zip(clustered.deltas(), single.deltas(), strict=True):
        assert (a.metric, a.a, a.b) == (b.metric, b.a, b.b)
        assert a.delta == pytest.approx(b.delta)
        assert a.p_value == pytest.approx(b.p_value, abs=0.06)
        assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.2)


def test_weights() -> None:
    ones = run(sample_weight=np.ones(N))
    assert ones.estimates == run().estimates
    weight = np.where(TRUTH == 0, 3.0, 0.5)
    result = run(sample_weight=weight)
    for name, labels in MODELS.items():
        expected = oe.accuracy(TRUTH, labels, labels=LEVELS, sample_weight=weight)
        assert result.estimates["accuracy"][name].estimate == pytest.approx(expected)


def test_dropped_items_are_dropped_for_every_model() -> None:
    labels = {n: p.tolist() for n, p in MODELS.items()}
    truth = TRUTH.tolist()
    labels["weak"][3], labels["good"][5], labels["good"][6], truth[7] = 9, -1, None, 77
    with pytest.raises(oe.LabelError, match="outside the scale"):
        run(labels, truth)
    result = run(labels, truth, unknown="drop", missing="drop")
    assert result.items == N - 4
    assert result.dropped == {
        "y_true": oe.Dropped(0, 1),
        "weak": oe.Dropped(0, 1),
        "good": oe.Dropped(1, 1),
    }
    kept = np.delete(np.arange(N), [3, 5, 6, 7])
    for name, p in MODELS.items():
        assert result.estimates["accuracy"][name].estimate == (p == TRUTH)[kept].mean()
    told = [a.message for a in result.advice if a.code == "OE107"]
    expected = (
        "4 items were dropped for every model: y_true (1 unknown), weak (1 unknown), "
        "good (1 missing, 1 unknown)."
    )
    assert told == [expected]


def test_clusters_follow_the_dropped_items() -> None:
    labels = {n: p.tolist() for n, p in MODELS.items()}
    labels["weak"][0] = 9
    clusters = np.arange(N) // 2
    result = run(labels, clusters=clusters, unknown="drop")
    kept = run({n: p[1:] for n, p in MODELS.items()}, TRUTH[1:], clusters=clusters[1:])
    assert result.estimates == kept.estimates


def test_a_level_that_never_occurs_in_the_truth() -> None:
    result = run(labels=[*LEVELS, 4])
    expected = run()
    for name in ("accuracy", "mean_absolute_error"):
        assert result.estimates[name] == expected.estimates[name]
    assert any(a.code == "OE102" for a in result.advice)


@pytest.mark.parametrize("name", ["truth", "y_true", "y_pred", "pred_a", "labels", ""])
def test_a_model_may_bear_any_name(name: str) -> None:
    """A column of predictions must not be taken for the truth because of its name."""
    result = run({name: MODELS["weak"], "good": MODELS["good"]})
    expected = run({"weak": MODELS["weak"], "good": MODELS["good"]})
    by, under = result.estimates["accuracy"], expected.estimates["accuracy"]
    assert by[name].estimate == under["weak"].estimate
    assert by["good"].estimate == under["good"].estimate


def test_names_that_read_alike_are_not_merged_in_silence() -> None:
    with pytest.raises(oe.OrdevalError):
        run({1: MODELS["weak"], "1": MODELS["good"]})


def test_strings() -> None:
    levels = np.array(["none", "low", "mid", "high"])
    words = run({n: levels[p] for n, p in MODELS.items()}, levels[TRUTH], labels=levels.tolist())
    assert words.estimates == run().estimates
    assert list(words.scale) == levels.tolist()


def test_implied_levels_that_never_occur_warn() -> None:
    truth = np.array([0, 2, 3] * 30)
    with pytest.warns(oe.EmptyLevelWarning):
        result = run({"a": truth, "b": truth[::-1]}, truth, labels=None, metrics=["accuracy"])
    assert [a.code for a in result.advice if a.code < "OE103"] == ["OE101", "OE102"]


def test_a_seed_repeats_everything() -> None:
    assert run(rng=3).to_json() == run(rng=3).to_json()
    assert run(rng=np.random.default_rng(3)).to_json() == run(rng=3).to_json()
    assert run(rng=3).to_json() != run(rng=4).to_json()


def test_percentile_intervals() -> None:
    result = run(method="percentile", level=0.8)
    assert {i.method for by in result.estimates.values() for i in by.values()} == {"percentile"}
    assert {d.level for d in result.deltas()} == {0.8}


def test_the_posterior_is_refused() -> None:
    with pytest.raises(oe.ParameterError, match="method"):
        run(method="bayes")


def test_a_result_can_be_stored() -> None:
    result = run()
    again = pickle.loads(pickle.dumps(result))
    assert again.to_json() == result.to_json()
    assert again.metrics == result.metrics


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    run(progress=lambda *step: told.append(step))
    assert told[:2] == [("resampling", 0, 1), ("resampling", 1, 1)]
    assert told[2:] == [("pairs", i, 3) for i in range(4)]


def test_ten_models_stay_within_memory() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 2000)
    models = {f"m{i}": noisy(0.3 + 0.02 * i, i, 1 + i % 3, truth) for i in range(10)}
    tracemalloc.start()
    metrics = ["auoc", "cem_ord", "weighted_kappa"]
    result = run(models, truth, metrics=metrics, n_resamples=999, pairs="all")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(result.deltas()) == 45 * 3
    assert peak < 500e6


# Advice


def test_advice_about_overlap_and_about_too_few_draws() -> None:
    few = run(n_resamples=99)
    assert [a.code for a in few.advice] == ["OE303", "OE305"]
    assert "9 tests with 99 draws" in few.advice[1].message
    assert [a.code for a in run(n_resamples=999).advice] == ["OE303"]
    assert run({"only": MODELS["good"]}).advice == ()


def test_advice_names_the_models_that_it_is_about() -> None:
    constant = run({"flat": np.zeros(N, int), **MODELS}, n_resamples=999)
    (about,) = [a for a in constant.advice if a.code == "OE104"]
    assert about.message == "flat: all items are predicted 0."


# Tables

ODD = {
    "a|b *bold* _x_ `c` <script>alert(1)</script>": MODELS["good"],
    'comma, "quote" & 50 % #1 {x} ~ ^ \\ $': MODELS["fair"],
    "[red]line\nbreak[/]": MODELS["weak"],
}


@pytest.fixture(scope="module")
def odd() -> oe.Comparison:
    """Models whose names mean something in every format."""
    return run(ODD, n_resamples=99)


def test_frame(panel: oe.Comparison) -> None:
    frame = panel.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 3 * 10 + 3 * 10
    row = frame[(frame.model == "good") & (frame.metric == "accuracy")].iloc[0]
    assert row.estimate == panel.estimates["accuracy"]["good"].estimate
    assert row.kind == "model"
    assert set(frame.kind) == {"model", "baseline"}
    deltas = panel.deltas().to_frame()
    assert len(deltas) == 30
    assert {"p_value", "p_holm", "p_bh", "low", "high", "favours"} <= set(deltas.columns)


def test_markdown(odd: oe.Comparison) -> None:
    lines = [x for x in odd.to_markdown().splitlines() if x.startswith("|")]
    assert len(lines) == 2 + 3 + 3
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert cells == {len(FEW) + 3 + 1}
    assert r"a\|b \*bold\* \_x\_ \`c\` \<script\>" in lines[2]
    assert "**" in lines[2]
    assert "line break" in lines[4]


def test_latex(odd: oe.Comparison) -> None:
    text = odd.to_latex()
    for command in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{lrrrrr}"):
        assert text.count(command) == 1
    bare = re.sub(r"\\[\\{}&%$#_]", "", text)
    assert bare.count("{") == bare.count("}")
    depth = np.cumsum([{"{": 1, "}": -1}.get(c, 0) for c in bare])
    assert depth.min() >= 0
    assert not re.search(r"[%#~^]", bare)
    assert r"comma, ''quote''" in text or 'comma, "quote"' in text
    assert r"\& 50 \% \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$" in text
    assert r"\textbf{" in text
    assert r"{\footnotesize [" in text
    rows = [x for x in bare.splitlines() if x.endswith("\\\\") or "&" in x]
    assert all(row.count("&") == 5 for row in rows)


def test_latex_has_no_character_that_latex_lacks(panel: oe.Comparison) -> None:
    every = run(metrics=[m for m in oe.metrics(needs="labels") if not m.expensive], n_resamples=19)
    assert every.to_latex().isascii()
    assert panel.deltas().table().to_latex().isascii()


def test_latex_rows_do_not_start_as_an_option() -> None:
    r"""After \\ and \midrule a bracket or a star would be read as their argument."""
    text = run({"[x] v2": MODELS["good"], "*best*": MODELS["fair"]}, n_resamples=19).to_latex()
    assert not re.search(r"^\s*[\[*]", text, flags=re.MULTILINE)


def test_csv(odd: oe.Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(odd.to_csv(), newline="")))
    assert len(rows) == 3 * 3 + 3 * 3
    assert {r["model"] for r in rows if r["kind"] == "model"} == set(ODD)
    for row in rows:
        if row["kind"] == "model":
            interval = odd.estimates[row["metric"]][row["model"]]
            assert float(row["estimate"]) == interval.estimate
            assert float(row["low"]) == interval.low
        else:
            assert row["low"] == ""


def test_csv_leaves_undefined_values_empty() -> None:
    result = run({"flat": np.zeros(N, int), "good": MODELS["good"]}, metrics=["kendall_tau_b"])
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert rows[1]["model"] == "flat"
    assert rows[1]["estimate"] == ""


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def test_json(odd: oe.Comparison) -> None:
    read = json.loads(odd.to_json(), parse_constant=refuse)
    assert read["schema"] == 1
    assert read["kind"] == "ordeval.comparison"
    assert [m["name"] for m in read["models"]] == list(odd.models)
    assert read["models"][0]["matrix"] == odd.matrices[odd.models[0]].counts.tolist()
    assert len(read["deltas"]) == 9
    assert read["conclusion"] == odd.conclusion()
    assert [m["name"] for m in read["metrics"]] == FEW
    assert read["settings"]["n_resamples"] == 99


def test_json_of_everything_that_can_be_undefined() -> None:
    metrics = ["kendall_tau_b", "normalized_expected_cost", "mutual_information", "pearson_r"]
    flat = {"flat": np.zeros(N, int), "flatter": np.zeros(N, int)}
    read = json.loads(run(flat, metrics=metrics).to_json(), parse_constant=refuse)
    assert read["estimates"][0]["estimate"] is None
    assert read["deltas"][0]["p_value"] is None


def test_html(odd: oe.Comparison) -> None:
    html = odd._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<table>") == html.count("</table>") == 2  # models, then differences
    assert html.count("<tr>") == (1 + 3 + 3) + (1 + 3)
    assert html.count("<p>") > 3  # notes, conclusion and advice
    assert "<script>" not in odd.deltas()._repr_html_()


def rendered(what: Any, width: int = 80) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(what)
    return console.export_text()


def test_rich(odd: oe.Comparison) -> None:
    text = rendered(odd)
    assert max(map(len, text.splitlines())) <= 80
    assert "[red]" in text  # a name is no markup
    assert "300 items, 3 models" in text


@pytest.mark.parametrize("width", [50, 80, 200])
def test_rich_fits_any_terminal(panel: oe.Comparison, width: int) -> None:
    text = rendered(panel, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text  # nothing is cut off
    in_one_piece = re.search(r"^pair +difference .* favours *$", text, re.MULTILINE)
    assert bool(in_one_piece) is (width >= 80)


def test_rich_takes_no_level_for_markup() -> None:
    levels = np.array(["[/]", "[bold]b", "c", "d"])
    result = run({"a": levels[MODELS["good"]]}, levels[TRUTH], labels=levels.tolist())
    assert "[bold]b" in rendered(result)


def test_rich_shows_the_figures_of_the_panel_in_a_usual_terminal(panel: oe.Comparison) -> None:
    text = rendered(panel)
    for name in panel.models:
        assert f"{panel.estimates['cem_ord'][name].estimate:.3f}" in text
        assert f"{panel.estimates['accuracy'][name].estimate:.3f}" in text


def test_text(panel: oe.Comparison) -> None:
    text = repr(panel)
    assert " ".join(panel.conclusion().split()) in " ".join(text.split())
    assert all(a.code in text for a in panel.advice)
    assert "good" in text.splitlines()[2]
    assert "*" in text.splitlines()[2]
    assert "(majority class)" in text
    assert "favours" in repr(panel.deltas())
    assert "good − " in repr(panel.deltas())


def test_nothing_to_compare_prints() -> None:
    deltas = run({"only": MODELS["good"]}).deltas()
    assert repr(deltas).startswith("measure")
    assert deltas.to_frame().empty


def test_results_can_be_compared_for_equality() -> None:
    assert (run() == run()) in (True, False)


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "pairs": (
        {"pairs": 1}, oe.ParameterError, 'pairs must be "auto", "all" or "best"; got 1.',
    ),
    "no models": (
        {"models": {}}, oe.LabelError, "compare needs the predictions of at least one model.",
    ),
    "reference": (
        {"reference": "best"},
        oe.ParameterError,
        "reference must name one of the models, weak, good, fair; got 'best'.",
    ),
    "no measures": (
        {"metrics": []},
        oe.ParameterError,
        "metrics is empty; name at least one measure, or leave it out.",
    ),
    "probabilities": (
        {"metrics": ["ranked_probability_score"]},
        oe.ParameterError,
        ("ranked_probability_score needs predicted probabilities, and these are labels. The Python "
         "call is ranked_probability_score(y_true, y_prob, labels=...)."),
    ),
    "lengths": (
        {"models": {"a": [0, 1]}},
        oe.LabelError,
        "y_true and a must have the same length; got 300 and 2 labels.",
    ),
    "level": ({"level": 1}, oe.ParameterError, "level must lie between 0 and 1; got 1."),
    "draws": (
        {"n_resamples": -1}, oe.ParameterError, "n_resamples must be an integer >= 1; got -1.",
    ),
    "clusters": (
        {"clusters": [1, 2]},
        oe.LabelError,
        "clusters must name a cluster for each of the 300 items; got shape (2,).",
    ),
    "nothing left": (
        {"models": {"a": [9] * N}, "unknown": "drop"},
        oe.LabelError,
        "there are no items with a label in every column.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "error", "message"), BAD.values(), ids=list(BAD))
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        run(**options)
    assert str(caught.value) == message


def test_one_name_is_a_measure() -> None:
    assert [m.name for m in run(metrics="accuracy").metrics] == ["accuracy"]


def test_the_same_measure_twice_is_compared_once() -> None:
    result = run(metrics=["accuracy", oe.accuracy])
    assert [m.name for m in result.metrics] == ["accuracy"]
    assert len(result.deltas()) == 3


def test_draws_without_a_value_are_told() -> None:
    truth = [0] * 40 + [1] * 40 + [2] * 2
    pred = [0] * 30 + [1] * 45 + [0] * 5 + [2, 1]
    result = oe.compare(
        truth, {"a": pred}, metrics=["cost_accuracy_distance"], labels=[0, 1, 2], n_resamples=499,
        rng=0,
    )  # fmt: skip
    told = [a.message for a in result.advice if a.code == "OE301"]
    assert len(told) == 1
    assert told[0].startswith("cost_accuracy_distance is undefined in up to 1")
    assert "OE301" in repr(result)


# Frames, files and subgroups

TABLE = pd.DataFrame(
    {
        "y": TRUTH,
        **MODELS,
        "site": np.where(np.arange(N) % 3, "A", "B"),
        "patient": np.arange(N) // 3 % 20,
        "w": 2.0,
    }
)
LITTLE: dict[str, Any] = {"labels": LEVELS, "metrics": ["accuracy"], "n_resamples": 99, "rng": 0}


@pytest.fixture(scope="module")
def by_site() -> oe.Comparisons:
    """Three models, compared at two sites."""
    return oe.compare_frame(TABLE, "y", list(MODELS), by="site", **LITTLE)


def test_a_frame_and_a_file_are_compared_like_labels(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "preds.csv", index=False)
    options = {"clusters": ["site", "patient"], "weight": "w", "reference": "fair"}
    frame = oe.compare_frame(TABLE, "y", list(MODELS), **options, **LITTLE)
    file = oe.compare_file(tmp_path / "preds.csv", "y", list(MODELS), **options, **LITTLE)
    here = oe.compare(
        TRUTH, MODELS, clusters=[TABLE.site, TABLE.patient], sample_weight=TABLE.w,
        reference="fair", **LITTLE,
    )  # fmt: skip
    assert (here.clusters, here.reference) == (40, "fair")
    for there in (frame, file):
        assert there.to_json() == here.to_json()


def test_clusters_within_clusters_are_their_combination() -> None:
    inner, outer = TABLE.patient.tolist(), TABLE.site.tolist()
    nested = run(clusters=[outer, inner])
    joined = run(clusters=[f"{o} {i}" for o, i in zip(outer, inner, strict=True)])
    assert nested.clusters == joined.clusters == 40
    assert nested.estimates == joined.estimates
    assert run(clusters=inner).clusters == 20


def test_each_subgroup_is_compared_as_it_would_be_alone(by_site: oe.Comparisons) -> None:
    assert (list(by_site), by_site.by) == (["A", "B"], ("site",))
    for site, found in by_site.items():
        rows = TABLE[TABLE.site == site]
        alone = oe.compare_frame(rows, "y", list(MODELS), **{**LITTLE, "rng": 1})
        assert found.items == len(rows)
        assert found.matrices == alone.matrices


def test_subgroups_share_one_scale() -> None:
    """Of one subgroup alone the integers would imply a shorter scale."""
    frame = pd.DataFrame({"y": [0, 1] * 20 + [1, 2] * 20, "p": 1, "g": [0] * 40 + [1] * 40})
    found = oe.compare_frame(frame, "y", "p", ["accuracy"], by="g", n_resamples=19, rng=0)
    assert [list(c.scale) for c in found.values()] == [[0, 1, 2], [0, 1, 2]]


def test_subgroups_in_every_format(by_site: oe.Comparisons) -> None:
    text = by_site.to_text()
    assert text.startswith("best by accuracy in each subgroup\nsite  items  best")
    assert "site = A\n200 items, 3 models" in text
    assert text.index("site = A\n") < text.index("site = B\n")
    assert all(c.conclusion().split("\n\n")[0][:60] in text for c in by_site.values())
    rows = list(csv.DictReader(io.StringIO(by_site.to_csv())))
    assert len(rows) == 2 * (3 + 3)
    assert {r["subgroup"] for r in rows} == {"A", "B"}
    facts = json.loads(by_site.to_json())
    assert facts["kind"] == "ordeval.comparisons"
    assert facts["by"] == ["site"]
    assert [(s["subgroup"], s["items"]) for s in facts["subgroups"]] == [("A", 200), ("B", 100)]
    assert facts["subgroups"][1]["conclusion"] == by_site["B"].conclusion()
    assert by_site.to_markdown().count("| model |") == 2
    assert "\n\n\n" not in by_site.to_markdown()
    assert by_site.to_latex().count("\\begin{table}") == 3
    assert by_site._repr_html_().count("<table>") == 1 + 2 * 2
    assert set(by_site.to_frame().columns) >= {"subgroup", "model", "metric", "estimate", "low"}
    assert "site = B" in rendered(by_site)


def test_a_subgroup_that_cannot_be_compared_is_named() -> None:
    frame = TABLE.assign(good=TABLE.good.where(TABLE.site == "A"))
    with pytest.raises(oe.LabelError, match="in the subgroup B: there are no items"):
        oe.compare_frame(frame, "y", "good", by="site", missing="drop", **LITTLE)


MISPLACED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no cluster": (
        TABLE.assign(patient=TABLE.patient.where(TABLE.index > 1)), {"clusters": "patient"},
        ("2 items have no value in 'patient', which defines the clusters. Fill it in, or use "
        'missing="drop" to drop them.'),
    ),
    "no subgroup": (
        TABLE.assign(site=TABLE.site.where(TABLE.index > 0)), {"by": "site"},
        ("1 item has no value in 'site', which defines the subgroups. Fill it in, or use "
        'missing="drop" to drop it.'),
    ),
    "one cluster": (
        TABLE.assign(patient=1), {"clusters": "patient"},
        "clusters must hold at least two different clusters to draw from.",
    ),
    "weights": (
        TABLE.assign(w=-1.0), {"weight": "w"},
        "the weights in 'w' must be finite and not negative; ",
    ),
    "words as weights": (
        TABLE.assign(w="heavy"), {"weight": "w"}, "the weights in 'w' must be numbers",
    ),
    "columns": (
        TABLE, {"by": ["site", "site"]},
        "by takes a column, or a list of different columns; got 'site', 'site'.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("frame", "options", "message"), MISPLACED.values(), ids=list(MISPLACED))
def test_columns_that_cannot_be_used(frame: Any, options: Any, message: str) -> None:
    with pytest.raises(oe.LabelError) as caught:
        oe.compare_frame(frame, "y", ["good", "fair"], **options, **LITTLE)
    assert str(caught.value).startswith(message)


def test_items_without_a_cluster_are_dropped_if_asked() -> None:
    frame = TABLE.assign(patient=TABLE.patient.where(TABLE.index > 1))
    result = oe.compare_frame(
        frame, "y", ["good", "fair"], clusters="patient", missing="drop", **LITTLE
    )
    assert (result.items, result.left_out) == (N - 2, 2)
    assert result.dropped == {"patient": oe.Dropped(missing=2)}


def test_a_measure_that_looks_at_unused_levels_warns_when_named() -> None:
    with pytest.warns(oe.EmptyLevelWarning, match="oc_index depends on levels that never occur"):
        run(labels=None, metrics=["oc_index"], n_resamples=9)
    unasked = run(labels=None, metrics=None, n_resamples=19)
    assert "OE101" in [a.code for a in unasked.advice]


def test_pairs_that_are_not_shown_are_told() -> None:
    models = {f"m{i}": noisy(0.2 + 0.03 * i, i) for i in range(6)}
    result = run(models, metrics=["accuracy"], n_resamples=39)
    assert "5 more pairs are not shown; deltas() has them all." in repr(result)
    assert len(result.deltas()) == 15


def test_items_without_any_weight_have_no_values() -> None:
    result = oe.compare([1, 2, 3], {"a": [1, 2, 2]}, ["accuracy"], labels=[1, 2, 3],
                        sample_weight=[0, 0, 0], n_resamples=9, rng=0)  # fmt: skip
    assert np.isnan(result.estimates["accuracy"]["a"].estimate)
    assert all(np.isnan(by["accuracy"]) for by in result.baselines.values())


def test_no_items_in_any_subgroup() -> None:
    frame = pd.DataFrame({"y": [1], "a": [1], "b": [1], "site": ["x"]}).iloc[:0]
    with pytest.raises(oe.LabelError, match="there are no items to compare"):
        oe.compare_frame(frame, "y", ["a", "b"], labels=[1, 2], by="site")
