"""Cuts are named by a level of the scale, and mean the same wherever a measure is taken."""

import pickle
from typing import Any

import numpy as np
import pytest

import ordeval as oe

RNG = np.random.default_rng(4)
K, N = 5, 400
CODES, GUESS = RNG.integers(0, K, (2, N))
GUESS = np.where(RNG.random(N) < 0.5, CODES, GUESS)
PROB = RNG.dirichlet(np.ones(K), N) + np.eye(K)[CODES] / 2
PROB /= PROB.sum(axis=1, keepdims=True)
SCALES: dict[str, list[Any]] = {
    "words": ["none", "very mild", "mild", "moderate", "severe"],
    "from 0": [0, 1, 2, 3, 4],
    "from 1": [1, 2, 3, 4, 5],
    "falling": [5, 4, 3, 2, 1],
    "uneven": [0, 10, 15, 40, 100],
    "fractions": [0.5, 1.0, 1.5, 2.0, 2.5],
    "text numbers": ["1", "2", "3", "4", "5"],
}
CUTS = [oe.get_metric(x) for x in ("sensitivity", "specificity", "ppv", "npv")]
scales = pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)


def by_hand(metric: oe.Metric, position: int) -> float:
    """The share, from the positions of the labels alone."""
    truth, pred = position <= CODES, position <= GUESS
    part, same = {
        "threshold_sensitivity": (truth, pred),
        "threshold_specificity": (~truth, ~pred),
        "threshold_ppv": (pred, truth),
        "threshold_npv": (~pred, ~truth),
    }[metric.registered_as]
    return float(same[part].mean())


@scales
@pytest.mark.parametrize(("metric", "position"), [(CUTS[0], 2), (CUTS[3], 4)])
def test_every_way_to_ask_finds_the_same_level(
    metric: oe.Metric, position: int, scale: list[Any]
) -> None:
    value, level = by_hand(metric, position), scale[position]
    y, p = np.array(scale)[CODES].tolist(), np.array(scale)[GUESS].tolist()
    bound = metric.with_params(at_least=level)
    cm = oe.ConfusionMatrix.from_labels(y, p, scale)
    data = oe.Predictions(y, {"a": p, "b": y}, labels=scale)
    weighted = oe.Predictions(y, p, labels=scale, clusters=np.arange(N) // 4)
    in_parts = oe.Predictions(y, p, labels=scale, by={"half": np.arange(N) % 2})
    restored = pickle.loads(pickle.dumps(bound.on(cm.scale)))
    found = {
        "labels": metric(y, p, labels=scale, at_least=level),
        "text": metric(y, p, labels=scale, at_least=str(level)),
        "matrix": bound.from_confusion(cm),
        "stack": bound.from_confusion(oe.ConfusionMatrix(cm.counts[None], scale))[0],
        "score": oe.score(y, p, [bound], labels=scale)[bound.name],
        "score of a matrix": oe.score(cm, metrics=[bound])[bound.name],
        "clusters": oe.score(weighted, [bound])[bound.name],
        "interval": oe.confidence_interval(bound, y, p, labels=scale).estimate,
        "interval of counts": oe.confidence_interval(bound, cm).estimate,
        "compare": oe.compare(data, [bound]).estimates[bound.name]["a"].estimate,
        "subgroups": oe.score(in_parts, [bound]).pooled[0],
        "delta": 1 + oe.paired_delta(bound, data).delta,
        "plan": oe.plan(bound, oe.Predictions(y, p, labels=scale), half_width=0.1).expected,
        "corrected": float(next(iter(oe.corrected(bound, y, p, proxy=y, labels=scale).values()))),
        "pickled": restored.from_confusion(cm),
    }
    assert found == pytest.approx(dict.fromkeys(found, value))
    again = oe.score(y, p, [bound], labels=scale).metrics
    longer = oe.ConfusionMatrix.from_labels(y, p, ["below", *scale])
    assert oe.score(longer, metrics=again)[bound.name] == pytest.approx(value)


@scales
def test_probabilities_are_those_of_scikit_learn(scale: list[Any]) -> None:
    from sklearn.metrics import brier_score_loss, roc_auc_score

    y = np.array(scale)[CODES].tolist()
    for position in (1, 3):
        level, above = scale[position], PROB[:, position:].sum(axis=1)
        truth = position <= CODES
        area, brier = roc_auc_score(truth, above), brier_score_loss(truth, above)
        assert oe.threshold_auc(y, PROB, labels=scale, at_least=level) == pytest.approx(area)
        assert oe.threshold_brier(y, PROB, labels=scale, at_least=level) == pytest.approx(brier)
        bound = [m.with_params(at_least=level) for m in (oe.threshold_auc, oe.threshold_brier)]
        scored = oe.score(y, PROB, bound, labels=scale)
        assert [scored[m.name] for m in bound] == pytest.approx([area, brier])
        cut = oe.thresholds(y, PROB, labels=scale)[f">= {level}"]
        assert (cut["auc"].estimate, cut.level) == (pytest.approx(area), level)
    expected = oe.concordance_index(y, y_score=PROB @ np.arange(K), labels=scale)
    assert oe.concordance_index(y, PROB, labels=scale) == pytest.approx(expected)


def test_probabilities_with_shares_as_the_truth_have_no_area() -> None:
    with pytest.raises(oe.LabelError, match="needs one true class for each item"):
        oe.threshold_auc(PROB, PROB, labels=range(K), at_least=2)


def test_scorers_and_cut_points_find_the_level_on_their_scale() -> None:
    from sklearn.dummy import DummyClassifier

    y = CODES + 1
    model = DummyClassifier(strategy="constant", constant=3).fit(np.zeros((N, 1)), y)
    for labels in (range(1, K + 1), None):
        scorer = oe.scorer("threshold_sensitivity", labels=labels, at_least=3)
        assert scorer(model, np.zeros((N, 1)), y) == 1.0
        scorer = oe.scorer("threshold_sensitivity", labels=labels, at_least=4)
        assert scorer(model, np.zeros((N, 1)), y) == 0.0
    from ordeval.models import optimal_cut_points

    found = optimal_cut_points(y, y, metric="threshold_specificity", labels=range(1, 6), at_least=4)
    assert found.value == 1.0


def test_bare_counts_number_their_levels_from_0() -> None:
    counts = [[5, 1, 0], [2, 4, 1], [0, 3, 9]]
    assert oe.threshold_sensitivity.from_confusion(counts, at_least=2) == 9 / 12
    assert oe.threshold_sensitivity.from_confusion(counts, at_least=1) == 17 / 19
    law = oe.meta.check_properties(
        oe.threshold_sensitivity.with_params(at_least=2), "ordinal_monotonicity"
    )
    assert law is not None


def test_other_measures_are_not_made_anew() -> None:
    assert oe.cem_ord.on(oe.Scale([1, 2])) is oe.cem_ord
    asked = oe.threshold_npv.with_params(at_least=np.str_("b"))
    assert asked.name == asked.on(oe.Scale(["a", "b"])).name == "threshold_npv(at_least='b')"


def test_a_cut_that_was_not_found_is_not_taken_for_a_position() -> None:
    asked = oe.threshold_sensitivity.with_params(at_least=1)
    with pytest.raises(oe.ParameterError, match="the scale is needed"):
        asked.values(np.eye(3))


@scales
def test_the_log_loss_of_a_cut_is_that_of_scikit_learn(scale: list[Any]) -> None:
    from sklearn.metrics import log_loss

    y = np.array(scale)[CODES].tolist()
    found = [oe.threshold_log_loss(y, PROB, labels=scale, at_least=x) for x in scale[1:]]
    want = [log_loss(t <= CODES, PROB[:, t:].sum(axis=1)) for t in range(1, K)]
    assert found == pytest.approx(want)
    assert sum(found) == pytest.approx(oe.threshold_log_loss(y, PROB, labels=scale))
    bound = oe.threshold_log_loss.with_params(at_least=scale[2])
    assert bound.display == f"log loss at >= {scale[2]}"
    assert oe.score(y, PROB, [bound], labels=scale)[bound.name] == pytest.approx(want[1])


def test_a_level_may_be_written_as_another_text_of_its_number() -> None:
    scale = ["01", "02", "10"]
    y, p = np.array(scale)[np.minimum([CODES, GUESS], 2)].tolist()
    want = oe.threshold_sensitivity(y, p, labels=scale, at_least="02")
    for level in (2, "2", 2.0):
        assert oe.threshold_sensitivity(y, p, labels=scale, at_least=level) == want
    with pytest.raises(oe.ParameterError, match="is not a level"):
        oe.threshold_sensitivity(y, p, labels=scale, at_least=2.5)
