"""Margins of non-inferiority keep their level, and say when too few items tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

import ordeval as oe
from ordeval._shared.text import at_most
from ordeval.inference.many_models.multiplicity import holm

Array = NDArray[Any]


def pair(n: int, worse: int, better: int, k: int = 4, seed: int = 0) -> tuple[Array, Array, Array]:
    """The truth, a new model and an old one: the new one is worse and better on so many items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    wrong = np.where(truth > 0, truth - 1, 1)
    old = np.where(rng.random(n) < 0.8, truth, wrong)
    new = old.copy()
    right, missed = np.flatnonzero(old == truth), np.flatnonzero(old != truth)
    lost, won = right[:worse], missed[:better]
    new[lost], new[won] = wrong[lost], truth[won]
    return truth, new, old


def tilted(gains: Array, margin: float) -> float:
    """The statistic, from one gain for each item."""
    size = np.abs(gains[gains != 0]).mean()
    each = np.append(gains, [size, -size])

    def weights(tilt: float) -> Array:
        raw = np.exp(tilt * each)
        return raw / raw.sum()

    tilt = optimize.brentq(lambda x: weights(x) @ each + margin, -50, 0, xtol=1e-14)
    variance = weights(tilt) @ (each + margin) ** 2
    return float((gains.mean() + margin) / np.sqrt(variance / len(gains)))


def tango(n: int, worse: int, better: int, margin: float) -> float:
    """The score test of a difference of paired shares (Tango 1998), by the likelihood."""

    def against(lost: float) -> float:
        shares = np.array([lost, lost - margin, 1 - 2 * lost + margin])
        return -float(np.array([worse, better, n - worse - better]) @ np.log(shares))

    ends = (margin + 1e-9, (1 + margin) / 2 - 1e-9)
    lost = optimize.minimize_scalar(
        against, bounds=ends, method="bounded", options={"xatol": 1e-12}
    ).x
    return float((better - worse) / n + margin) / np.sqrt((2 * lost - margin - margin**2) / n)


@pytest.mark.parametrize(("n", "worse", "better"), [(300, 20, 15), (1000, 40, 35), (200, 12, 12)])
def test_of_accuracy_it_is_a_score_test_of_paired_shares(n: int, worse: int, better: int) -> None:
    margin = 0.06
    truth, new, old = pair(n, worse, better)
    delta = oe.paired_delta("accuracy", truth, new, old, labels=range(4), margin=margin)
    gains = (new == truth).astype(float) - (old == truth)
    statistic = tilted(gains, margin)
    assert delta.p_noninferior == pytest.approx(stats.t.sf(statistic, n - 1), rel=0.1)
    assert statistic == pytest.approx(tango(n, worse, better, margin), rel=0.1)


@pytest.mark.parametrize("metric", ["accuracy", "cem_ord", "mean_absolute_error", "weighted_kappa"])
@pytest.mark.parametrize("margin", [0.01, 0.02, 0.03, 0.04, 0.05, 0.08])
def test_interval_and_verdict_agree(metric: str, margin: float) -> None:
    delta = oe.paired_delta(metric, *pair(500, 30, 22), labels=range(4), margin=margin)
    assert delta.p_noninferior is not None
    assert not delta.too_few
    assert (delta.gain_low > -margin) == (delta.p_noninferior < 0.025)
    assert (delta.verdict == "non-inferior") == (delta.gain_low > -margin)
    plain = oe.paired_delta(metric, *pair(500, 30, 22), labels=range(4))
    assert delta.gain_low <= plain.gain_low
    assert delta.p_value == plain.p_value


@pytest.mark.parametrize("metric", ["accuracy", "weighted_kappa", "average_mae"])
def test_a_larger_margin_is_shown_more_easily(metric: str) -> None:
    data = pair(400, 30, 25)
    margins = np.linspace(0.005, 0.15, 12)
    found = [oe.paired_delta(metric, *data, labels=range(4), margin=m) for m in margins]
    p = [d.p_noninferior for d in found if d.p_noninferior is not None]
    assert len(p) == len(margins)
    assert p == sorted(p, reverse=True)
    assert p[0] > 0.5 > 0.025 > p[-1]


def test_models_that_differ_on_few_items_show_nothing_in_a_small_study() -> None:
    delta = oe.paired_delta("accuracy", *pair(100, 4, 3), labels=range(4), margin=0.05)
    assert delta.verdict == "not shown"
    assert "the models differ on only 7 items" in delta.sentence()
    # Among very many items so few disagreements rule out the margin, whatever they were.
    delta = oe.paired_delta("accuracy", *pair(2_000, 4, 3), labels=range(4), margin=0.05)
    assert delta.verdict == "non-inferior"
    assert "differ on only" not in delta.sentence()


def test_few_items_of_a_class_that_decides_are_few() -> None:
    """Of 22 disagreements two are in the class of five items that average MAE looks at."""
    truth = np.array([0] * 500 + [1] * 500 + [2] * 5)
    old = truth.copy()
    old[:50], old[500:550] = 1, 0
    new = old.copy()
    new[40:60], new[540:555], new[1_003:] = 0, 1, 0
    with pytest.warns(oe.ResamplingWarning, match=r"under 10 items\): 2 \(n = 5\)"):
        delta = oe.paired_delta("average_mae", truth, new, old, labels=range(3), margin=0.3)
    assert delta.verdict == "not shown"
    assert "few of the 22 items on which the models differ carry the difference" in delta.sentence()


def test_a_model_that_is_better_is_non_inferior_however_few_items_differ() -> None:
    """A difference that is significant lies beyond every margin."""
    delta = oe.paired_delta("accuracy", *pair(300, 0, 7), labels=range(4), margin=0.01)
    assert delta.too_few
    assert delta.p_value < 0.05
    assert delta.gain_low > 0
    assert delta.verdict == "non-inferior"
    assert delta.p_noninferior == pytest.approx(delta.p_value / 2)
    assert "differ on only" not in delta.sentence()


@pytest.mark.parametrize("worse", [24, 30, 36])
def test_an_interval_excludes_zero_exactly_when_p_is_small(worse: int) -> None:
    data = pair(500, worse, 15)
    plain = oe.paired_delta("accuracy", *data, labels=range(4))
    delta = oe.paired_delta("accuracy", *data, labels=range(4), margin=0.02)
    assert delta.p_value == plain.p_value
    assert (delta.high < 0) == (plain.high < 0) == (plain.p_value < 0.05)


def test_the_digits_that_decide_are_shown() -> None:
    delta = oe.paired_delta("cem_ord", *pair(500, 30, 22), labels=range(4), margin=0.05)
    near = round(-delta.gain_low, 3)
    for margin in (-delta.gain_low + 0.00004, -delta.gain_low - 0.00004):
        found = replace(delta, margin=margin)
        assert f"{near:.3f}" not in found.shown_ends.split(",")[0]
        low = float(found.shown_ends.strip("[]").split(",")[0])
        assert (low > -round(margin, 5)) == (found.gain_low > -margin)
    assert replace(delta, margin=None).shown_ends.startswith(f"[-{near:.3f}")


def test_p_values_are_labelled() -> None:
    truth, new, old = pair(500, 30, 22)
    models = {"new": new, "old": old, "other": pair(500, 50, 22)[1]}
    found = oe.compare(truth, models, "accuracy", reference="old", margin=0.05, labels=range(4))
    for d in found.deltas():
        assert d.p_noninferior_adjusted is not None
        assert f"corrected {at_most(d.p_noninferior_adjusted, exact=True)}" in d.sentence()
        both = f"one-sided raw {at_most(d.p_noninferior or 0, exact=True)}, corrected p"
        assert both in " ".join(found.conclusion().split())


def test_subgroups_have_the_verdict_corrected_for_all_of_them() -> None:
    truth, new, old = pair(900, 40, 36)
    sites = np.arange(900) % 3
    found = oe.compare(truth, {"new": new, "old": old}, "accuracy", reference="old", margin=0.04,
                       labels=range(4), by={"site": sites})  # fmt: skip
    raw = [c.pairs[0].p_noninferior for c in found.values()]
    shown = [f.delta for f in found.findings()]
    assert [d.p_noninferior_adjusted for d in shown] == pytest.approx(holm(raw))
    head = found.table().head
    assert head[-1] == "margin 0.04"
    assert [row[-1].text for row in found.table().rows] == [d.verdict for d in shown]
    verdicts = [r["margin_verdict"] for r in found.rows() if r["kind"] == "difference"
                and "margin_verdict" in r]  # fmt: skip
    assert verdicts == [d.verdict for d in shown]


def test_several_models_in_clusters_keep_margins() -> None:
    truth, new, old = pair(600, 40, 35)
    clusters = np.arange(600) % 60
    delta = oe.paired_delta("cem_ord", truth, new, old, labels=range(4), margin=0.05,
                            clusters=clusters)  # fmt: skip
    assert delta.p_noninferior is not None
    assert (delta.gain_low > -0.05) == (delta.p_noninferior < 0.025)


Draw = Callable[[np.random.Generator], tuple[Array, Array, Array]]


def with_extra_errors(n: int, rate: float) -> Draw:
    """The new model is the old one with extra errors: it is worse by exactly their share."""

    def draw(rng: np.random.Generator) -> tuple[Array, Array, Array]:
        truth = rng.integers(0, 4, n)
        wrong = np.where(truth > 0, truth - 1, 1)
        old = np.where(rng.random(n) < 0.85, truth, wrong)
        lost = (old == truth) & (rng.random(n) < rate / 0.85)
        return truth, np.where(lost, wrong, old), old

    return draw


@pytest.mark.parametrize("n", [100, 400])
def test_at_the_margin_a_claim_is_rare(n: int) -> None:
    rng, draw, rate = np.random.default_rng(1), with_extra_errors(n, 0.06), 0.06
    sets = 200
    claims = 0
    for _ in range(sets):
        delta = oe.paired_delta("accuracy", *draw(rng), labels=range(4), margin=rate)
        claims += delta.verdict == "non-inferior"
    assert stats.binomtest(claims, sets, 0.035, alternative="greater").pvalue > 0.01
