"""Probabilities and scores in score, confidence_interval, paired_delta and compare."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.ready import ready

import ordeval as oe

LEVELS = ["none", "mild", "moderate", "severe"]
N, K = 160, len(LEVELS)


def forecasts(seed: int, noise: float) -> tuple[Any, Any]:
    """A latent score of each item, and probabilities that follow from it."""
    rng = np.random.default_rng(seed)
    latent = CODES + rng.normal(0, noise, N)
    prob = np.exp(-((latent[:, None] - np.arange(K)) ** 2) / (2 * noise**2))
    return latent, prob / prob.sum(axis=1, keepdims=True)


CODES = np.random.default_rng(0).choice(K, N, p=[0.4, 0.3, 0.2, 0.1])
TRUTH = np.array(LEVELS)[CODES]
(SCORE_A, A), (SCORE_B, B) = forecasts(1, 0.7), forecasts(2, 1.1)
PATIENT = np.arange(N) // 4
OF_PROBABILITIES = [ready(m, LEVELS) for m in oe.metrics(needs="probabilities")]
OF_SCORES = [ready(m, LEVELS) for m in oe.metrics(needs="scores")]


def same(a: Any, b: Any) -> bool:
    """Whether two intervals are the same but for the last digits, which the order of sums moves."""
    return (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-9)


@pytest.mark.parametrize("metric", OF_PROBABILITIES, ids=lambda m: m.name)
def test_every_door_gives_the_value_of_the_measure(metric: oe.Metric) -> None:
    value = metric(TRUTH, A, labels=LEVELS)
    interval = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS)
    scores = oe.score(TRUTH, A, [metric], labels=LEVELS)
    both = oe.compare(TRUTH, {"a": A, "b": B}, [metric], labels=LEVELS)
    delta = oe.paired_delta(metric, TRUTH, A, B, labels=LEVELS)
    assert interval.estimate == pytest.approx(value, rel=1e-12)
    assert scores[metric.name] == pytest.approx(value, rel=1e-12)
    assert same(scores.intervals[metric.name], interval)
    assert same(both.estimates[metric.name]["a"], interval)
    assert interval.low < value < interval.high
    assert delta.delta == pytest.approx(value - metric(TRUTH, B, labels=LEVELS), rel=1e-9)
    (listed,) = both.deltas()
    if listed.a == "a":
        assert same(listed, delta)
        assert listed.p_value == pytest.approx(delta.p_value)
    assert (delta.low <= 0 <= delta.high) == (delta.p_value > 0.05)


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_scores_in_every_door(metric: oe.Metric) -> None:
    value = metric(TRUTH, SCORE_A, labels=LEVELS)
    options: dict[str, Any] = {"labels": LEVELS, "outputs": "scores"}
    interval = oe.confidence_interval(metric, TRUTH, SCORE_A, **options)
    assert interval.estimate == pytest.approx(value, rel=1e-12)
    assert same(oe.score(TRUTH, SCORE_A, [metric], **options).intervals[metric.name], interval)
    both = oe.compare(TRUTH, {"a": SCORE_A, "b": SCORE_B}, [metric], **options)
    assert same(both.estimates[metric.name]["a"], interval)
    assert both.matrices == {}
    delta = oe.paired_delta(metric, TRUTH, SCORE_A, SCORE_B, **options)
    assert (delta.low <= 0 <= delta.high) == (delta.p_value > 0.05)
    # Whole numbers are labels unless it is said that they are scores.
    tens = np.round(10 * SCORE_A)
    assert oe.score(TRUTH, tens, [metric], **options)[metric.name] == pytest.approx(
        metric(TRUTH, y_score=tens, labels=LEVELS)
    )
    with pytest.raises(oe.LabelError):
        oe.score(TRUTH, tens, [metric], labels=LEVELS)


def test_labels_and_scores_are_read_off_probabilities() -> None:
    found = oe.score(TRUTH, A, labels=LEVELS)
    mode = np.array(LEVELS)[A.argmax(axis=1)]
    assert found["cem_ord"] == oe.cem_ord(TRUTH, mode, labels=LEVELS)
    assert found["concordance_index"] == pytest.approx(
        oe.concordance_index(TRUTH, y_score=A @ np.arange(K), labels=LEVELS)
    )
    assert "labels are the most probable level" in str(found)
    cost = np.abs(np.subtract.outer(np.arange(K), np.arange(K)))
    median = oe.score(TRUTH, A, ["accuracy"], labels=LEVELS, decide="median")
    least = oe.score(TRUTH, A, ["accuracy"], labels=LEVELS, decide=cost)
    assert median["accuracy"] == least["accuracy"]
    assert "the median of the probabilities" in str(median)
    assert "least expected cost" in str(least)
    cut = oe.threshold_auc.with_params(at_least=LEVELS[2])
    area = oe.threshold_auc(TRUTH, y_score=A[:, 2:].sum(axis=1), labels=LEVELS, at_least=LEVELS[2])
    assert oe.score(TRUTH, A, [cut], labels=LEVELS)[cut.name] == pytest.approx(area)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_named_columns_are_put_in_order(frame: Any) -> None:
    shuffled = {f"p_{x}": A[:, LEVELS.index(x)] for x in sorted(LEVELS)}
    plain = oe.score(TRUTH, A, labels=LEVELS)
    assert dict(oe.score(TRUTH, frame(shuffled), labels=LEVELS)) == pytest.approx(dict(plain))


def test_clusters_weights_and_margins() -> None:
    metric = "ranked_probability_score"
    alone = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS)
    each = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS, clusters=np.arange(N))
    four = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS, clusters=PATIENT)
    assert (each.low, each.high) == pytest.approx((alone.low, alone.high))
    assert four.clusters == N // 4
    assert four.estimate == alone.estimate
    doubled = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS, sample_weight=[3] * N)
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high))
    found = oe.compare(TRUTH, {"a": A, "b": B}, [metric], labels=LEVELS, reference="b", margin=0.1)
    (delta,) = found.deltas()
    assert delta.verdict == "non-inferior"


def test_methods_that_draw() -> None:
    metric = "ranked_probability_skill_score"
    plain = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS)
    for method in ("bca", "percentile"):
        drawn = oe.confidence_interval(metric, TRUTH, A, labels=LEVELS, method=method, rng=1)
        assert (drawn.low, drawn.high) == pytest.approx((plain.low, plain.high), abs=0.02)
    with pytest.raises(oe.ParameterError, match="measures of labels"):
        oe.confidence_interval(metric, TRUTH, A, labels=LEVELS, method="bayes")
    with pytest.raises(
        oe.ParameterError, match='method="auto" is the only method for intervals of concordance'
    ):
        oe.confidence_interval("concordance_index", TRUTH, A, labels=LEVELS, method="bca")


def test_shares_of_raters_as_truth() -> None:
    table = np.stack([CODES, np.clip(CODES + 1, 0, K - 1), CODES], axis=1)
    shares = oe.Ratings(table, labels=range(K)).distribution()
    names = ["ranked_probability_score", "wasserstein", "normalized_match_distance", "rnod"]
    found = oe.score(shares, A, names)
    for name in names:
        assert found[name] == pytest.approx(oe.get_metric(name)(shares, A))
    both = oe.compare(shares, {"a": A, "b": B}, names)
    assert both.models[0] == "a"
    assert both.baselines == {}
    with pytest.raises(oe.OrdevalError, match="needs one true class for each item"):
        oe.score(shares, A, ["ranked_probability_skill_score"])
    with pytest.raises(oe.OrdevalError, match="needs one true class for each item"):
        oe.score(shares, A, ["cem_ord"])
    with pytest.raises(oe.LabelError, match="consensus"):
        oe.compare(shares, {"a": CODES}, ["accuracy"])


def test_models_that_give_different_things_are_compared_by_labels() -> None:
    found = oe.compare(TRUTH, {"a": A, "b": np.array(LEVELS)[B.argmax(axis=1)]}, labels=LEVELS)
    assert found.primary.name == "cem_ord"
    assert "Measures of probabilities do not apply: b gives labels." in found.notes
    with pytest.raises(oe.ParameterError, match="ranked_probability_score needs probabilities"):
        oe.compare(
            TRUTH, {"a": A, "b": TRUTH}, ["ranked_probability_score"], labels=LEVELS
        )  # fmt: skip


def test_what_is_missing_is_refused_or_dropped() -> None:
    gaps = A.copy()
    gaps[[3, 7], 1] = np.nan
    with pytest.raises(oe.LabelError, match="row 3"):
        oe.score(TRUTH, gaps, labels=LEVELS)
    found = oe.score(TRUTH, gaps, ["ranked_probability_score"], labels=LEVELS, missing="drop")
    kept = np.delete(np.arange(N), [3, 7])
    expected = oe.ranked_probability_score(TRUTH[kept], A[kept], labels=LEVELS)
    assert found["ranked_probability_score"] == pytest.approx(expected)
    assert "dropped: 2 missing" in " ".join(str(found).split())
    both = oe.compare(TRUTH, {"a": gaps, "b": B}, labels=LEVELS, missing="drop")
    assert (both.items, both.left_out) == (N - 2, 2)
    holes = SCORE_A.copy()
    holes[5] = np.nan
    with pytest.raises(oe.LabelError, match="1 score is missing, the first at position 5"):
        oe.score(TRUTH, holes, labels=LEVELS, outputs="scores")
    assert oe.compare(
        TRUTH, {"a": holes}, labels=LEVELS, outputs="scores", missing="drop"
    ).left_out == 1  # fmt: skip


def test_a_probability_of_zero_for_what_happened_is_infinite_and_silences_no_other() -> None:
    never = A.copy()
    never[0] = np.eye(K)[(CODES[0] + 1) % K]
    found = oe.compare(TRUTH, {"a": A, "b": B, "never": never}, ["ordinal_log_loss"], labels=LEVELS)
    assert found.models == ("a", "b", "never")
    assert found.estimates["ordinal_log_loss"]["never"].estimate == np.inf
    assert "infinite" in found.estimates["ordinal_log_loss"]["never"].refused
    by = {(d.a, d.b): d for d in found.deltas()}
    assert by["a", "b"].p_value < 0.05
    assert np.isnan(by["a", "never"].p_value)


def test_perfect_forecasts_and_identical_models_are_never_certain() -> None:
    certain = np.eye(K)[CODES]
    for metric in OF_PROBABILITIES:
        interval = oe.confidence_interval(metric, TRUTH, certain, labels=LEVELS)
        assert interval.high - interval.low > 1e-4
        assert interval.estimate == pytest.approx(metric.best)
        delta = oe.paired_delta(metric, TRUTH, A, A, labels=LEVELS)
        assert (delta.delta, delta.p_value) == (0, 1)
        assert delta.low < 0 < delta.high
    for metric in OF_SCORES:
        interval = oe.confidence_interval(metric, TRUTH, CODES + 0.5, labels=LEVELS)
        assert interval.estimate == 1
        assert interval.low < 1


REFUSED = {
    "labels as scores": (
        lambda: oe.score(TRUTH, A[:, 0], ["cem_ord"], labels=LEVELS, outputs="scores"),
        "cem_ord needs labels, but scores only order the items",
    ),
    "a table as scores": (
        lambda: oe.score(TRUTH, A, labels=LEVELS, outputs="scores"), "a is a table|is a table",
    ),
    "one column as probabilities": (
        lambda: oe.score(TRUTH, A[:, 0], labels=LEVELS, outputs="probabilities"), "not a table",
    ),
    "a word": (lambda: oe.score(TRUTH, A, labels=LEVELS, outputs="guess"), "outputs must be"),
    "a rule": (lambda: oe.score(TRUTH, A, labels=LEVELS, decide="mean"), "decide must be"),
    "costs": (lambda: oe.score(TRUTH, A, labels=LEVELS, decide=[[0, 1]]), "cost"),
    "too few columns": (lambda: oe.score(TRUTH, A[:, :3], labels=LEVELS), "shape"),
    "no order": (lambda: oe.score(TRUTH, A), "y_true has labels without an order"),
    "words as scores": (
        lambda: oe.score(TRUTH, TRUTH, labels=LEVELS, outputs="scores"), "one number per item",
    ),
    "sums": (lambda: oe.compare(TRUTH, {"a": A * 1.5}, labels=LEVELS), "each row of a must"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_scored_is_one_message(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(oe.OrdevalError, match=message):
        call()


def test_the_report_of_probabilities_and_of_scores() -> None:
    page = oe.compare(TRUTH, {"a": A, "b": B}, labels=LEVELS).to_html()
    assert f"differ significantly in {oe.ranked_probability_score.display}" in page
    assert "labels are the most probable level" in page
    page = oe.compare(
        TRUTH, {"a": SCORE_A, "b": SCORE_B}, labels=LEVELS, outputs="scores"
    ).to_html()  # fmt: skip
    assert "Scores only order the items" in page


def test_cuts_of_probabilities_have_an_area_too() -> None:
    found = oe.thresholds(TRUTH, A, labels=LEVELS, clusters=PATIENT)
    for t, level in enumerate(LEVELS[1:]):
        area = found[f">= {level}"]["auc"]
        expected = oe.threshold_auc(
            TRUTH, y_score=A[:, t + 1 :].sum(axis=1), labels=LEVELS, at_least=LEVELS[t + 1]
        )
        assert area.estimate == pytest.approx(expected)
        assert area.low < area.estimate < area.high
    assert found.measures[-1] == "auc"
    only = oe.thresholds(TRUTH, SCORE_A, labels=LEVELS, outputs="scores")
    assert only.measures == ("prevalence", "auc")


def test_measures_of_probabilities_and_labels_may_rank_models_differently() -> None:
    """Labels by lopsided costs are bad, though the probabilities behind them are good."""
    costs = np.where(np.arange(K)[:, None] < np.arange(K), 9.0, 1.0) * (1 - np.eye(K))
    flat = 0.5 * B + 0.5 * np.eye(K)[B.argmax(axis=1)]
    names = ["ranked_probability_score", "ordinal_log_loss", "accuracy", "concordance_index"]
    for other in (B, flat, A[:, ::-1]):
        found = oe.compare(TRUTH, {"a": A, "b": other}, names, labels=LEVELS, decide=costs)
        assert found.conclusion()
        for differ in found.disagreements():
            assert differ.reason
