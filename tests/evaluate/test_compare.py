"""compare: estimates, ranks, chances, baselines, disagreement, the conclusion and the tables."""

import itertools
import pickle
import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.comparisons import FEW, LEVELS, MODELS, TRUTH, N, far_or_often, noisy, run, whole_panel

import ordeval as oe
from ordeval.inference.many_models.measure_agreement import reason_to_differ

Array = NDArray[Any]


@pytest.fixture
def panel() -> oe.results.Comparison:
    return whole_panel()


def test_estimates_are_those_of_the_measures(panel: oe.results.Comparison) -> None:
    for metric, (name, labels) in itertools.product(panel.metrics, MODELS.items()):
        interval = panel.estimates[metric.name][name]
        assert interval.estimate == pytest.approx(metric(TRUTH, labels, labels=LEVELS), abs=1e-12)
        assert interval.estimate in interval
    assert panel.primary is oe.cem_ord
    assert panel.items == N


def test_intervals_are_those_of_one_model(panel: oe.results.Comparison) -> None:
    alone = oe.confidence_interval("cem_ord", TRUTH, MODELS["fair"], labels=LEVELS, rng=1)
    beside = panel.estimates["cem_ord"]["fair"]
    width = alone.high - alone.low
    assert beside.low == pytest.approx(alone.low, abs=0.15 * width)
    assert beside.high == pytest.approx(alone.high, abs=0.15 * width)


def test_matrices_are_the_counts(panel: oe.results.Comparison) -> None:
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


P_VALUES = ("p_value", "p_adjusted")


def test_chances_to_be_best_sum_to_one(panel: oe.results.Comparison) -> None:
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


def test_preferences_of_a_pair_sum_to_one(panel: oe.results.Comparison) -> None:
    for shares in panel.preferred.values():
        np.testing.assert_allclose(shares + shares.T, 1)
        np.testing.assert_array_equal(np.diagonal(shares), 0.5)


def test_baselines_are_measured_on_their_expected_matrices(panel: oe.results.Comparison) -> None:
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
        assert x.display in d.reason
        assert y.display in d.reason
        assert "mean_signed_error" not in (x.name, y.name)
    pairs = {frozenset((d.metric_for_a, d.metric_for_b)) for d in found}
    assert frozenset(("accuracy", "mean_absolute_error")) in pairs
    assert len(pairs) == len(found)
    firmness = [min(d.share_for_a, d.share_for_b) for d in found]
    assert firmness == sorted(firmness, reverse=True)
    assert [d.firm for d in found] == [f >= 0.95 for f in firmness]


def test_agreeing_measures_have_no_disagreement() -> None:
    assert run().disagreements() == ()


# Pairs


def test_deltas_and_their_corrections(panel: oe.results.Comparison) -> None:
    deltas = panel.deltas()
    assert len(deltas) == 3 * 10
    for m in panel.metrics:
        of_measure = [d for d in deltas if d.metric == m.name]
        raw, adjusted = (np.array([getattr(d, x) for d in of_measure]) for x in P_VALUES)
        assert (adjusted >= raw).all()
        # A correction that uses the correlation of the models is never worse than Bonferroni's.
        assert (adjusted <= np.maximum(3 * raw, 3e-4) + 0.01).all()
        assert (np.diff(adjusted[np.argsort(raw)]) >= 0).all()
    for d in deltas:
        assert (d.p_value <= 0.05) == (not d.low <= 0 <= d.high)
        by = panel.estimates[d.metric]
        assert (d.value_a, d.value_b) == (by[d.a].estimate, by[d.b].estimate)
        assert panel.models.index(d.a) < panel.models.index(d.b)


@pytest.mark.parametrize("name", ["accuracy", "cem_ord", "mean_signed_error", "auoc"])
def test_a_delta_is_that_of_two_models_alone(name: str) -> None:
    for beside in run(metrics=[name]).deltas():
        both = MODELS[beside.a], MODELS[beside.b]
        names = (beside.a, beside.b)
        alone = oe.paired_delta(name, TRUTH, *both, labels=LEVELS, names=names)
        for field in ("delta", "low", "high", "p_value", "favours", "items"):
            ours, theirs = getattr(beside, field), getattr(alone, field)
            assert ours == (pytest.approx(theirs) if isinstance(theirs, float) else theirs)


def test_two_models_and_many_are_judged_by_one_rule() -> None:
    """Each model that is added can only weaken what is said of two others."""
    models = {f"m{i}": noisy(0.40 + 0.01 * i, 40 + i) for i in range(8)}
    names = list(models)
    seen = np.zeros(1)
    for count in range(2, 9):
        some = {n: models[n] for n in names[:count]}
        result = run(some, metrics=["cem_ord"])
        i, j = (result.models.index(n) for n in names[:2])
        p = float(result.separation[i, j])
        assert p >= seen - 1e-12
        seen = np.array(p)
    (delta,) = run({n: models[n] for n in names[:2]}, metrics=["cem_ord"]).deltas()
    assert delta.p_adjusted == delta.p_value <= p


def test_a_useless_third_model_does_not_make_the_first_two_differ() -> None:
    close = {"a": noisy(0.40, 50), "b": noisy(0.36, 51)}
    (alone,) = run(close, metrics=["cem_ord"]).deltas()
    three = run({**close, "random": np.random.default_rng(0).permutation(TRUTH)}, metrics="cem_ord")
    beside = next(d for d in three.deltas() if {d.a, d.b} == {"a", "b"})
    assert beside.p_value == pytest.approx(alone.p_value)
    assert beside.p_adjusted >= alone.p_adjusted


def test_a_model_without_a_value_silences_nobody() -> None:
    flat = {"flat": np.zeros(N, int)}
    without, beside = (
        run(models, metrics=["kendall_tau_b"]) for models in (MODELS, {**MODELS, **flat})
    )
    assert np.isnan(beside.estimates["kendall_tau_b"]["flat"].estimate)
    np.testing.assert_allclose(beside.separation[:3, :3], without.separation)
    assert beside.may_be_best == without.may_be_best
    assert "Significantly better than fair and weak" in beside.conclusion()
    assert beside.rank_sets["kendall_tau_b"]["flat"] == (1, 4)


def test_no_spread_with_a_gap_is_not_chance() -> None:
    right, wrong = TRUTH, (TRUTH + 1) % 4
    (delta,) = run({"right": right, "wrong": wrong}, metrics=["accuracy"]).deltas()
    assert delta.delta == 1.0
    assert delta.p_value < 1e-6
    assert 0.9 < delta.low < delta.high == 1.0


def test_ranks_that_models_may_have() -> None:
    models = {**MODELS, "twin": noisy(0.45, 99)}
    result = run(models, metrics=["cem_ord"])
    sets, ranks = result.rank_sets["cem_ord"], result.ranks["cem_ord"]
    for name, (low, high) in sets.items():
        assert 1 <= low <= ranks[name] <= high <= 4
    best = result.models[0]
    behind = [m for m, p in zip(result.models, result.separation[0], strict=True) if p <= 0.05]
    assert sets[best][1] == 4 - len(behind)
    np.testing.assert_allclose(result.rank_shares.sum(axis=1), 1)
    np.testing.assert_allclose(result.rank_shares.sum(axis=0), 1)
    assert result.may_be_best == ("good",)


def test_equal_models_may_all_be_the_best() -> None:
    models = {f"m{i}": noisy(0.4, 60 + i) for i in range(6)}
    result = run(models, metrics=["cem_ord"])
    assert set(result.may_be_best) == set(models)
    assert set(result.rank_sets["cem_ord"].values()) == {(1, 6)}


@pytest.mark.parametrize("reference", [None, "fair"])
def test_a_margin_is_judged_by_the_interval(reference: str | None) -> None:
    result = run(reference=reference, margin=0.2)
    for d in result.deltas():
        if d.metric != result.primary.name:
            assert d.margin is None
            assert d.p_noninferior is None
            assert d.verdict == ""
            continue
        assert d.verdict == (
            "non-inferior"
            if d.gain_low > -0.2
            else "inferior"
            if d.gain_high < -0.2
            else "not shown"
        )
        assert (d.p_noninferior <= 0.025) == (d.verdict == "non-inferior")
    assert "non-inferior to" in result.conclusion()
    assert "argin" in result.to_text()


def test_a_margin_needs_a_direction() -> None:
    with pytest.raises(
        oe.ParameterError, match="margin needs a measure with a direction, and mean_signed_error"
    ):
        run(metrics=["mean_signed_error"], margin=0.1)


def test_the_unit_of_the_costs_changes_no_p_value() -> None:
    cost = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) ** 1.5
    found = [
        run(metrics=[oe.expected_cost.with_params(cost=cost * unit)]).deltas()
        for unit in (1.0, 1e-9, 1e9)
    ]
    for a, b, c in zip(*found, strict=True):
        assert a.p_value == pytest.approx(b.p_value, rel=1e-6) == pytest.approx(c.p_value, rel=1e-6)
        assert a.favours == b.favours == c.favours


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
        "y_true": oe.results.Dropped(0, 1),
        "weak": oe.results.Dropped(0, 1),
        "good": oe.results.Dropped(1, 1),
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
        for model, interval in result.estimates[name].items():
            other = expected.estimates[name][model]
            assert interval.estimate == pytest.approx(other.estimate)
            # A longer scale lets errors be larger, which moves the ends a little.
            assert (interval.low, interval.high) == pytest.approx((other.low, other.high), abs=0.01)
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
    drawn = {"method": "bca"}
    assert run(rng=3, **drawn).to_json() == run(rng=3, **drawn).to_json()
    assert run(rng=np.random.default_rng(3), **drawn).to_json() == run(rng=3, **drawn).to_json()
    assert run(rng=3, **drawn).to_json() != run(rng=4, **drawn).to_json()


def test_without_draws_a_seed_changes_nothing() -> None:
    assert run(rng=3).to_json() == run(rng=None).to_json()


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
    assert told == [("measures", i, 3) for i in range(4)]


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


def test_advice_about_overlap() -> None:
    alike = {"good": MODELS["good"], "copy": MODELS["good"]}
    assert run(alike).advice == ()
    found = run()
    first = found.estimates[found.primary.name]
    told = [d for d in found.deltas() if d.metric == found.primary.name and d.p_adjusted <= 0.05]
    overlap = [
        d
        for d in told
        if max(first[m].low for m in (d.a, d.b)) < min(first[m].high for m in (d.a, d.b))
    ]
    assert [a.code for a in found.advice] == ["OE303"] * bool(overlap)
    rng = np.random.default_rng(3)
    near = np.where(rng.random(N) < 0.08, (TRUTH + 1) % 4, MODELS["good"])
    close = run({"good": MODELS["good"], "near": near}, metrics=["accuracy"])
    assert [a.code for a in close.advice] == ["OE303"]
    assert run({"only": MODELS["good"]}).advice == ()


def test_advice_names_the_models_that_it_is_about() -> None:
    constant = run({"flat": np.zeros(N, int), **MODELS}, n_resamples=999)
    (about,) = [a for a in constant.advice if a.code == "OE104"]
    assert about.message == "flat: all items are predicted 0."


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
        ("ranked_probability_score needs probabilities, but the models give labels. "
         "Name the columns of the probabilities with prob=\"p_\", or pass an (n, K) "
         "array instead of labels."),
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
        "no item has a label in every column.",
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
        method="bca", rng=0,
    )  # fmt: skip
    told = [a.message for a in result.advice if a.code == "OE301"]
    assert len(told) == 1
    assert told[0].startswith("cost_accuracy_distance is undefined in up to 1")
    assert "OE301" in repr(result.details("verbose"))
