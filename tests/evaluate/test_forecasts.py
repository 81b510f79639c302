"""Calibration, decision and ROC curves, beside statsmodels, dcurves, scikit-learn, definitions."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from matplotlib.figure import Figure
from scipy import stats
from scipy.special import expit, ndtr
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score, roc_curve

import ordeval as oe
from ordeval import plots
from ordeval.inference.forecasts.recalibration import EventForecast, recalibrate

LEVELS = ["none", "mild", "moderate", "severe"]
N = 500


def forecasts(n: int = N, stretch: float = 1.0, shift: float = 0.0, seed: int = 0) -> Any:
    """True classes, and probabilities that are right but for a stretch and a shift."""
    rng = np.random.default_rng(seed)
    right, given = (
        np.diff(
            expit(a * (np.array([-1.0, 0.5, 2.0]) - 2 * x[:, None]) + b),
            prepend=0.0, append=1.0, axis=1,
        )
        for x in [rng.normal(size=n)] for a, b in ((1.0, 0.0), (stretch, shift))
    )  # fmt: skip
    truth = (rng.random((n, 1)) > right.cumsum(axis=1)).sum(axis=1)
    return np.array(LEVELS)[truth], given


TRUTH, PROB = forecasts(stretch=1.6, shift=0.4)
POSITION = np.array([LEVELS.index(x) for x in TRUTH])
WEIGHT = np.random.default_rng(1).lognormal(size=N)
CLUSTERS = np.random.default_rng(2).integers(0, 60, N)


def logit_at(t: int) -> Any:
    above = PROB[:, t + 1 :].sum(axis=1)
    return np.log(above / (1 - above))


# Intercept and slope


@pytest.mark.parametrize("weighted", [False, True])
def test_intercept_and_slope_are_those_of_statsmodels(weighted: bool) -> None:
    weight = WEIGHT if weighted else None
    found = oe.calibration(TRUTH, PROB, labels=LEVELS, sample_weight=weight)
    for t, at in enumerate(found.thresholds):
        x, y = logit_at(t), (t < POSITION).astype(float)
        family, ones = sm.families.Binomial(), np.ones(N)
        given = {"family": family, "freq_weights": ones if weight is None else weight}
        large = sm.GLM(y, ones, offset=x, **given).fit(tol=1e-12)
        line = sm.GLM(y, sm.add_constant(x), **given).fit(tol=1e-12)
        assert at.intercept.value == pytest.approx(large.params[0], abs=1e-7)
        assert at.slope.value == pytest.approx(line.params[1], abs=1e-7)
        assert at.joint_intercept.value == pytest.approx(line.params[0], abs=1e-7)
        if weight is None:
            # Its standard errors leave out the leverage of each item, which makes them smaller.
            robust = (m.fit(cov_type="HC0").bse[-1] for m in (large.model, line.model))
            for ours, theirs in zip((at.intercept, at.slope), robust, strict=True):
                assert theirs < ours.error < 1.05 * theirs


def test_clusters_widen_as_statsmodels_says() -> None:
    found = oe.calibration(TRUTH, PROB, labels=LEVELS, clusters=CLUSTERS)
    assert found.clusters == len(set(CLUSTERS))
    for t, at in enumerate(found.thresholds):
        y = (t < POSITION).astype(float)
        model = sm.GLM(y, sm.add_constant(logit_at(t)), family=sm.families.Binomial())
        kinds = {"groups": CLUSTERS, "use_correction": False}
        theirs = model.fit(cov_type="cluster", cov_kwds=kinds).bse
        assert theirs[1] < at.slope.error < 1.1 * theirs[1]
        assert theirs[0] < at.joint_intercept.error < 1.1 * theirs[0]


def _eyes(rng: np.random.Generator, base: float) -> tuple[Any, Any, Any]:
    """Logits, outcomes and patients: images of 640 patients, whose outcomes are correlated."""
    sizes = rng.choice([1, 2, 3, 4], 640, p=[0.4, 0.2, 0.3, 0.1])
    patient = np.repeat(np.arange(640), sizes)
    logit = base + rng.normal(0, 1, 640)[patient] + rng.normal(0, 1, len(patient))
    luck = np.sqrt(0.5) * (rng.normal(size=640)[patient] + rng.normal(size=len(patient)))
    return logit, ndtr(luck) < expit(logit), patient


@pytest.mark.parametrize(("base", "events"), [(-3.5, "some"), (-6.0, "few")])
def test_where_events_are_rare_a_normal_interval_of_the_slope_is_too_short(
    base: float, events: str
) -> None:
    """Both cover where events are many; where they are few, a sandwich estimate does not."""
    rng, ours, theirs, widths = np.random.default_rng(0), [], [], []
    for _ in range(250):
        logit, happened, patient = _eyes(rng, base)
        forecast = EventForecast(logit, happened, np.ones(len(logit)), patient)
        found = recalibrate(forecast, 0.95).slope
        if np.isnan(found.low):
            continue
        family = sm.families.Binomial()
        model = sm.GLM(happened.astype(float), sm.add_constant(logit), family=family)
        low, high = model.fit(cov_type="cluster", cov_kwds={"groups": patient}).conf_int()[1]
        ours.append(found.low <= 1 <= found.high)
        theirs.append(low <= 1 <= high)
        widths.append((found.high - found.low) / (high - low))
    assert 0.925 <= np.mean(ours) <= 0.985
    if events == "some":
        assert np.mean(theirs) >= 0.92
        assert np.median(widths) < 1.06
    else:
        assert np.mean(theirs) < np.mean(ours) - 0.015
        assert np.median(widths) > 1.08


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_standard_errors_are_those_of_leaving_one_out(clusters: Any) -> None:
    """The whole fit without each unit; one Newton step comes close to it."""
    units = np.arange(N) if clusters is None else clusters
    t, found = 1, oe.calibration(TRUTH, PROB, labels=LEVELS, clusters=clusters).slopes[1]
    x, y = sm.add_constant(logit_at(t)), (t < POSITION).astype(float)
    slopes = np.array(
        [
            sm.GLM(y[units != u], x[units != u], family=sm.families.Binomial()).fit().params[1]
            for u in np.unique(units)
        ]
    )
    m = len(slopes)
    error = np.sqrt((m - 1) / m * ((slopes - found.value) ** 2).sum())
    assert found.error == pytest.approx(error, rel=0.02)
    assert found.low < found.value < found.high


def test_equal_weights_change_nothing_and_zero_leaves_out() -> None:
    plain = oe.calibration(TRUTH, PROB, labels=LEVELS)
    same = oe.calibration(TRUTH, PROB, labels=LEVELS, sample_weight=np.full(N, 1e-200))
    some = np.arange(N) < 300
    part = oe.calibration(TRUTH[some], PROB[some], labels=LEVELS)
    zero = oe.calibration(TRUTH, PROB, labels=LEVELS, sample_weight=some.astype(float))
    for a, b in ((plain, same), (part, zero)):
        np.testing.assert_allclose(a.slopes[0][:4], b.slopes[0][:4], rtol=1e-8)
        np.testing.assert_allclose(a.intercepts[2][:4], b.intercepts[2][:4], rtol=1e-8)
        np.testing.assert_allclose(a.thresholds[1].high, b.thresholds[1].high, rtol=1e-8)
        assert a.items == b.items


def test_a_probability_of_0_or_1_that_came_true_says_nothing() -> None:
    more = np.vstack([PROB, np.tile([1.0, 0, 0, 0], (50, 1))])
    sure = oe.calibration([*TRUTH, *["none"] * 50], more, labels=LEVELS)
    plain = oe.calibration(TRUTH, PROB, labels=LEVELS)
    for a, b in zip(sure.thresholds, plain.thresholds, strict=True):
        assert a.certain == 50
        assert (a.intercept, a.slope) == (b.intercept, b.slope)
    assert "50 at ≥ mild, 50 at ≥ moderate and 50 at ≥ severe" in str(sure)


def test_a_probability_of_0_or_1_that_was_wrong_leaves_no_value() -> None:
    more = np.vstack([PROB, [[0.5, 0.5, 0, 0]]])
    found = oe.calibration([*TRUTH, "severe"], more, labels=LEVELS)
    mild, *others = found.thresholds
    assert np.isfinite(mild.slope.low)
    for at in others:
        assert np.isnan([*at.intercept[:4], *at.slope[:4]]).all()
        assert at.intercept.reason == "probabilities of 0 or 1 were wrong (1)"
    note = "— no intercept and slope at ≥ moderate and ≥ severe: probabilities of 0 or 1 were wrong"
    assert note in found.to_text(10_000)


@pytest.mark.parametrize(
    ("truth", "above", "reasons"),
    [
        (
            [0, 0, 1, 1],
            [0.1, 0.2, 0.7, 0.8],
            ("", "the probabilities separate the items perfectly"),
        ),
        (
            [1, 1, 0, 0],
            [0.1, 0.2, 0.7, 0.8],
            ("", "the probabilities separate the items perfectly"),
        ),
        (
            [0, 0, 1, 1],
            [0.1, 0.5, 0.5, 0.8],
            ("", "the probabilities separate the items perfectly"),
        ),
        ([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3], ("", "all probabilities are equal")),
        ([1, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], ("all items are on one side",) * 2),
        ([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], ("all probabilities are 0 or 1",) * 2),
    ],
)
def test_what_has_no_value_is_said(truth: Any, above: Any, reasons: Any) -> None:
    prob = np.column_stack([1 - np.array(above), above])
    (at,) = oe.calibration(truth, prob, labels=[0, 1]).thresholds
    for found, reason in zip((at.intercept, at.slope), reasons, strict=True):
        assert found.reason.startswith(reason)
        assert bool(found.reason) == np.isnan(found.value)
    what = "intercept and slope" if reasons[0] else "slope"
    shown = oe.calibration(truth, prob, labels=[0, 1]).to_text(10_000)
    assert f"— no {what} at ≥ 1: {reasons[1]}" in shown


def test_tiny_probabilities_keep_their_logit() -> None:
    """A probability within rounding of 1 is not 1, as long as the other side has some."""
    prob = np.column_stack([np.full(40, 1e-30), np.full(40, 1.0)])
    prob[::2] = [0.5, 0.5]
    (at,) = oe.calibration([0, 1] * 20, prob, labels=[0, 1]).thresholds
    assert at.certain == 0


def test_one_cluster_that_decides_leaves_no_interval() -> None:
    """Without the first cluster all probabilities are equal."""
    above = np.array([0.3, 0.6, 0.3, 0.6, 0.5, 0.5, 0.5, 0.5])
    prob, clusters = np.column_stack([1 - above, above]), [0, 0, 0, 0, 1, 1, 2, 2]
    found = oe.calibration([0, 1, 1, 0, 0, 1, 0, 1], prob, labels=[0, 1], clusters=clusters)
    (slope,) = found.slopes
    assert np.isfinite(slope.value)
    assert np.isnan([slope.error, slope.low, slope.high]).all()
    note = "— no interval of the slope at ≥ 1: it depends on one cluster or item."
    assert note in found.to_text(10_000)
    assert np.isfinite(found.intercepts[0].low)


# The curve, its band, and the decomposition of the RPS


def test_the_curve_is_isotonic_regression_and_the_event_may_be_turned() -> None:
    found = oe.calibration(TRUTH, PROB, labels=LEVELS)
    for t, at in enumerate(found.thresholds):
        above = PROB[:, t + 1 :].sum(axis=1).round(12)
        theirs = IsotonicRegression().fit(above, t < POSITION).predict(at.predicted)
        np.testing.assert_allclose(at.observed, theirs, atol=1e-9)
    turned = oe.calibration(TRUTH, PROB[:, ::-1], labels=LEVELS[::-1])
    np.testing.assert_allclose(found.miscalibration, turned.miscalibration[::-1], atol=1e-12)
    for a, b in zip(found.thresholds, turned.thresholds[::-1], strict=True):
        assert a.intercept.value == pytest.approx(-b.intercept.value, abs=1e-8)
        assert a.slope.value == pytest.approx(b.slope.value, abs=1e-8)


def test_the_parts_of_the_rps_in_all() -> None:
    found = oe.calibration(TRUTH, PROB, labels=LEVELS, sample_weight=WEIGHT)
    parts = found.parts()
    rps = oe.ranked_probability_score(TRUTH, PROB, labels=LEVELS, sample_weight=WEIGHT)
    assert parts["rps"] == pytest.approx(rps)
    assert list(parts) == ["rps", "miscalibration", "discrimination", "uncertainty"]
    shares = np.array([np.average(t < POSITION, weights=WEIGHT) for t in range(3)])
    np.testing.assert_allclose(found.uncertainty, shares * (1 - shares))
    last = [cell.text for cell in found.decomposition().rows[-1]]
    assert last == ["(all)", *(f"{x:.4f}" for x in parts.values())]


@pytest.mark.parametrize("n", [200, 30_000])
def test_the_band_holds_curves_of_probabilities_that_are_right(n: int) -> None:
    """At each probability 95 % of them; with many items the draws are normal and taken together."""
    inside, of, sets = 0.0, 0, 60 if n < 1000 else 6
    for seed in range(sets):
        truth, prob = forecasts(n, seed=seed)
        at = oe.calibration(truth, prob, labels=LEVELS, n_resamples=200, rng=seed).thresholds[1]
        held = (at.low - 1e-9 <= at.observed) & (at.observed <= at.high + 1e-9)
        inside, of = inside + held.mean(), of + 1
    assert 0.9 < inside / of < 0.99


def test_clusters_widen_the_band() -> None:
    plain = oe.calibration(TRUTH, PROB, labels=LEVELS).thresholds[1]
    patients = np.argsort(np.argsort(POSITION, kind="stable")) // 10  # alike within
    wide = oe.calibration(TRUTH, PROB, labels=LEVELS, clusters=patients).thresholds[1]
    assert (wide.high - wide.low).mean() > 1.3 * (plain.high - plain.low).mean()


def test_the_conclusion_says_what_is_shown() -> None:
    off = oe.calibration(TRUTH, PROB, labels=LEVELS).conclusion()
    assert "The probabilities of ≥ moderate are too extreme (slope 0." in off
    assert "The probabilities of ≥ mild are too low on average (intercept 0." in off
    right = oe.calibration(*forecasts(seed=5), labels=LEVELS)
    assert right.conclusion().startswith("No significant miscalibration at any threshold.")
    timid = oe.calibration(*forecasts(stretch=0.5, shift=-0.8), labels=LEVELS).conclusion()
    assert "are not extreme enough (slope 2." in timid
    assert "too high on average" in timid


# Decision curves


def slow_net_benefit(above: Any, event: Any, weight: Any, p: float) -> float:
    total = 0.0
    for a, e, w in zip(above, event, weight, strict=True):
        if a >= p:
            total += w if e else -w * p / (1 - p)
    return total / float(np.sum(weight))


@pytest.mark.parametrize("weighted", [False, True])
def test_net_benefit_by_its_definition(weighted: bool) -> None:
    weight = WEIGHT if weighted else np.ones(N)
    grid = [0.9, 0.013, 0.3, 0.5]
    curve = oe.decision_curve(
        TRUTH, PROB, labels=LEVELS, probabilities=grid, sample_weight=weight if weighted else None
    )
    assert curve.probabilities.tolist() == sorted(grid)
    for t, b in enumerate(curve.benefit["model"]):
        above, event = PROB[:, t + 1 :].sum(axis=1), t < POSITION
        for i, p in enumerate(sorted(grid)):
            model = slow_net_benefit(above, event, weight, p)
            every = slow_net_benefit(np.ones(N), event, weight, p)
            assert b.model.value[i] == pytest.approx(model, abs=1e-12)
            assert b.always[i] == pytest.approx(every, abs=1e-12)
            assert b.gain.value[i] == pytest.approx(model - max(every, 0), abs=1e-12)
            assert b.acted[i] == pytest.approx(np.average(above >= p, weights=weight))


@pytest.fixture
def dca(monkeypatch: pytest.MonkeyPatch) -> Callable[..., pd.DataFrame]:
    """Decision curves by dcurves, the package of those who proposed them.

    It imports lifelines for survival alone, which allows no pandas of today: an empty module
    stands for it.
    """
    monkeypatch.setitem(sys.modules, "lifelines", ModuleType("lifelines"))
    return importlib.import_module("dcurves").dca


@pytest.mark.parametrize("seed", range(3))
def test_net_benefit_is_that_of_dcurves(dca: Callable[..., pd.DataFrame], seed: int) -> None:
    truth, good = forecasts(n=211, seed=seed)
    drawn = np.random.default_rng(seed).dirichlet([1.0] * 4, 211)
    position = np.array([LEVELS.index(x) for x in truth])
    grid = [0.01, 0.1, 0.237, 0.5, 0.8, 0.99]
    models = {"good": good, "drawn": drawn}
    curve = oe.decision_curve(truth, models, labels=LEVELS, probabilities=grid)
    for t in range(3):
        above = {m: prob[:, t + 1 :].sum(axis=1) for m, prob in models.items()}
        peer = dca(
            data=pd.DataFrame({"event": (position > t).astype(int), **above}),
            outcome="event", modelnames=list(models), thresholds=grid,
        ).set_index(["model", "threshold"])  # fmt: skip
        for m in models:
            found = curve.benefit[m][t]
            np.testing.assert_allclose(found.model.value, peer.net_benefit[m][grid], atol=1e-12)
            np.testing.assert_allclose(found.acted, peer.test_pos_rate[m][grid], atol=1e-12)
            np.testing.assert_allclose(found.always, peer.net_benefit["all"][grid], atol=1e-12)


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_the_error_of_net_benefit_is_that_of_a_mean(clusters: Any) -> None:
    p, t = 0.4, 1
    curve = oe.decision_curve(TRUTH, PROB, labels=LEVELS, probabilities=[p], clusters=clusters)
    found = curve.benefit["model"][t]
    acted, event, odds = PROB[:, t + 1 :].sum(axis=1) >= p, t < POSITION, p / (1 - p)
    by_item = np.where(acted, np.where(event, 1.0, -odds), 0.0)
    every = np.where(event, 1.0, -odds) * (found.always[0] > 0)
    unit = np.arange(N) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    for mean, values in ((found.model, by_item), (found.gain, by_item - every)):
        sums = np.bincount(unit, values - values.mean())
        m = len(sums)
        extra = N / m * (1 + odds**2) / 4  # one unit more
        error = np.sqrt(m / (m - 1) * ((sums**2).sum() + extra)) / N
        assert mean.error[0] == pytest.approx(error, rel=1e-9)
        assert mean.low[0] < mean.value[0] < mean.high[0]


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_the_difference_of_net_benefits_is_that_of_pairs(clusters: Any) -> None:
    other = forecasts(n=N, seed=9)[1]
    grid, t = [0.1, 0.2, 0.3], 1
    models = {"a": PROB, "b": other}
    curve = oe.decision_curve(
        TRUTH, models, labels=LEVELS, probabilities=grid, clusters=clusters, level=0.9
    )
    gap = curve.differences["a", "b"][t]
    one, two = (curve.benefit[m][t].model for m in models)
    np.testing.assert_allclose(gap.mean.value, one.value - two.value, atol=1e-12)
    unit = np.arange(N) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    m = unit.max() + 1
    above = [x[:, t + 1 :].sum(axis=1) for x in models.values()]
    drawn = np.random.default_rng(1).multinomial(m, np.full(m, 1 / m), 4000)
    for i, p in enumerate(grid):
        odds = p / (1 - p)
        acted = [(x >= p).astype(float) for x in above]
        each = np.where(t < POSITION, 1.0, -odds) * (acted[0] - acted[1])
        rest = np.bincount(unit, each - each.mean())
        extra = N / m * (1 + odds**2) / 4
        error = np.sqrt(m / (m - 1) * ((rest**2).sum() + extra)) / N
        assert gap.mean.error[i] == pytest.approx(error, rel=1e-9)
        far = stats.t.ppf(0.95, m - 1) * error
        ends = [gap.mean.value[i] - far, gap.mean.value[i] + far]
        assert [gap.mean.low[i], gap.mean.high[i]] == pytest.approx(ends)
        p_value = 2 * stats.t.sf(abs(gap.mean.value[i]) / error, m - 1)
        assert gap.p_value[i] == pytest.approx(p_value)
        sums, sizes = np.bincount(unit, each), np.bincount(unit)
        boot = (drawn @ sums) / (drawn @ sizes)
        assert gap.mean.error[i] == pytest.approx(boot.std(), rel=0.12)
    first = curve.difference_rows()[3]
    assert (first["a"], first["b"], first["threshold"]) == ("a", "b", LEVELS[2])
    assert first["difference"] == gap.mean.value[0]
    assert "differences in net benefit" in str(curve)
    assert "differences" in curve.to_markdown()


def test_models_that_say_the_same_are_not_shown_to_differ() -> None:
    models = dict.fromkeys("abcdef", PROB)
    curve = oe.decision_curve(TRUTH, models, labels=LEVELS, probabilities=[0.2])
    assert list(curve.differences) == [(x, "a") for x in "bcdef"]  # of many, with the first
    (gap, *_) = curve.differences["b", "a"]
    assert gap.mean.value[0] == 0
    assert gap.mean.low[0] < 0 < gap.mean.high[0]
    assert gap.p_value[0] == 1
    assert not oe.decision_curve(TRUTH, PROB, labels=LEVELS).differences


def test_a_sum_of_decimals_is_acted_upon_at_its_value() -> None:
    prob = np.array([[0.2, 0.1, 0.7]])  # 0.1 + 0.7 is below 0.8 in binary
    assert prob[0, 1:].sum() < 0.8
    curve = oe.decision_curve([2], prob, labels=[0, 1, 2], probabilities=[0.8])
    assert curve.benefit["model"][0].acted.tolist() == [1.0]
    assert np.isnan(curve.benefit["model"][0].model.low).all()  # one item


def test_where_a_model_is_worth_it() -> None:
    flat = np.tile([0.35, 0.25, 0.25, 0.15], (N, 1))
    curve = oe.decision_curve(TRUTH, {"good": PROB, "flat": flat}, labels=LEVELS)
    assert curve.models == ("good", "flat")
    ((low, high), *_) = curve.worth("good", LEVELS[2])
    at = curve.benefit["good"][1].gain.low[curve.probabilities == low]
    assert at > 0
    assert low < 0.5 < high
    assert all(curve.worth("flat", level) == [] for level in LEVELS[1:])
    assert "≥ moderate: flat at no probability." in curve.conclusion()
    assert len(curve.rows()) == 2 * 3 * 99


@pytest.mark.parametrize("bad", [[], [0.0], [0.5, 1.0], ["x"], [np.nan], 3])
def test_decision_probabilities_lie_between_0_and_1(bad: Any) -> None:
    with pytest.raises(oe.ParameterError, match="probabilities must be numbers between 0 and 1"):
        oe.decision_curve(TRUTH, PROB, labels=LEVELS, probabilities=bad)


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(oe.LabelError, match="the mapping of models is empty; give the pred"):
        oe.decision_curve(TRUTH, {}, labels=LEVELS)
    with pytest.raises(oe.LabelError, match="all weights are zero"):
        oe.calibration(TRUTH, PROB, labels=LEVELS, sample_weight=np.zeros(N))
    with pytest.raises(oe.LabelError, match="clusters must name a cluster for each"):
        oe.calibration(TRUTH, PROB, labels=LEVELS, clusters=[1, 2])
    with pytest.raises(oe.LabelError, match="at least two classes"):
        oe.decision_curve([1], [[1.0]], labels=[1])


# ROC curves


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_roc_curves_are_those_of_scikit_learn(weighted: bool, ties: bool) -> None:
    prob = np.round(PROB, 1) / np.round(PROB, 1).sum(axis=1, keepdims=True) if ties else PROB
    weight = WEIGHT if weighted else None
    display = plots.ROCDisplay.from_predictions(
        TRUTH, prob, labels=LEVELS, sample_weight=weight, ax=Figure().subplots()
    )
    for t, curve in enumerate(display.curves.values()):
        above, event = prob[:, t + 1 :].sum(axis=1).round(12), t < POSITION
        x, y, _ = roc_curve(event, above, sample_weight=weight, drop_intermediate=False)
        np.testing.assert_allclose(curve.false_alarms, x, atol=1e-12)
        np.testing.assert_allclose(curve.found, y, atol=1e-12)
        area = roc_auc_score(event, above, sample_weight=weight)
        assert curve.area == pytest.approx(area, abs=1e-12)
        assert f"AUC {area:.3f}" in display.ax_.get_legend().get_texts()[t].get_text()


def test_roc_of_scores_and_of_models() -> None:
    score = PROB @ np.arange(4)
    ax = Figure().subplots()
    display = plots.ROCDisplay.from_predictions(TRUTH, score, labels=LEVELS, ax=ax)
    assert list(display.curves) == ["≥ mild", "≥ moderate", "≥ severe"]
    assert display.curves["≥ severe"].area == pytest.approx(roc_auc_score(POSITION > 2, score))
    both = {"a": PROB, "b": score}
    two = plots.ROCDisplay.from_predictions(
        TRUTH, both, labels=LEVELS, at_least="severe", ax=Figure().subplots()
    )
    assert two.title() == "ROC curves, ≥ severe"
    assert two.curves["b"].area == display.curves["≥ severe"].area
    with pytest.raises(oe.ParameterError, match=r"one of 'mild', 'moderate' or 'severe'"):
        plots.ROCDisplay.from_predictions(TRUTH, both, labels=LEVELS)
    with pytest.raises(oe.ParameterError, match="is the lowest level of"):
        plots.ROCDisplay.from_predictions(TRUTH, score, labels=LEVELS, at_least="none")


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ([1.0, np.nan, 2.0], "1 score is missing, the first at position 1"),
        ([1.0, 2.0], "must hold one score per item, 3 in all"),
        (["a", "b", "c"], "y_score must be scores: one number per item"),
        ({}, "y_score is an empty mapping"),
    ],
)
def test_scores_are_numbers(score: Any, message: str) -> None:
    with pytest.raises(oe.LabelError, match=message):
        plots.ROCDisplay.from_predictions([0, 1, 1], score, labels=[0, 1])


def test_a_curve_of_one_side_has_no_area() -> None:
    display = plots.ROCDisplay.from_predictions(
        [0, 0], [0.1, 0.2], labels=[0, 1], ax=Figure().subplots()
    )
    assert display.describe() == "Areas under the ROC curves: ≥ 1 —."
