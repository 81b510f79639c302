"""What once went wrong, or nearly, with probabilities, scores and distributions."""

import numpy as np
import pandas as pd
import pytest

import ordeval as oe


def test_integer_columns_in_another_order_are_names() -> None:
    frame = pd.DataFrame([[1.0, 0, 0], [0, 0, 1]])
    for turned in (frame[[2, 1, 0]], frame.iloc[:, ::-1]):
        assert oe.ranked_probability_score([0, 2], turned, labels=range(3)) == 0
    cost = pd.DataFrame([[0, 1, 5], [1, 0, 1], [2, 1, 0.0]])
    with pytest.raises(oe.ParameterError, match="in the order of the scale"):
        oe.expected_cost([0, 1, 2], [2, 1, 0], labels=range(3), cost=cost.iloc[::-1, ::-1])


def test_a_lone_distribution_is_read_by_its_names() -> None:
    shares = [
        pd.Series(x).value_counts(normalize=True)
        for x in (["lo"] * 3 + ["hi"], ["hi"] * 3 + ["lo"])
    ]
    for name in oe.metrics(family="distribution").names:
        expected = oe.get_metric(name)([0.75, 0.25], [0.25, 0.75])
        assert oe.get_metric(name)(*shares, labels=["lo", "hi"]) == pytest.approx(expected)
        with pytest.raises(oe.LabelError, match="does not say the order"):
            oe.get_metric(name)(*shares)


def test_sums_that_differ_by_rounding_alone_are_ties() -> None:
    votes = np.random.default_rng(0).multinomial(10, [0.2] * 5, 300)
    y = np.random.default_rng(1).integers(0, 5, 300)
    cut = oe.threshold_auc.with_params(threshold=2)
    found = oe.score(y, votes / 10, [cut, "concordance_index"], labels=range(5))
    exact = oe.threshold_auc(y, y_score=votes[:, 3:].sum(axis=1), labels=range(5), threshold=2)
    assert found[cut.name] == pytest.approx(exact, abs=1e-12)
    level = oe.concordance_index(y, y_score=votes @ np.arange(5), labels=range(5))
    assert found["concordance_index"] == pytest.approx(level, abs=1e-12)


def test_a_truth_that_is_forecast_exactly_is_finite() -> None:
    p = [[0.7, 0.2, 0.1, 0.0]]
    assert np.isfinite(oe.threshold_log_loss(p, p))


def test_an_infinite_loss_that_weighs_nothing_is_none() -> None:
    value = oe.ordinal_log_loss([0, 1], [[0, 1.0], [0.2, 0.8]], sample_weight=[0, 1])
    assert value == pytest.approx(-np.log(0.8))


def test_labels_beside_probabilities_are_compared_as_labels_and_it_is_said() -> None:
    prob = [[0.3, 0.3, 0.4], [0.1, 0.5, 0.4], [0.45, 0.1, 0.45]] * 5
    found = oe.compare([0, 1, 2] * 5, {"a": prob, "b": [1, 1, 2] * 5}, ["concordance_index"],
                       labels=range(3))  # fmt: skip
    assert not any("expected level" in note for note in found.notes)


@pytest.mark.parametrize("scores", [["a", "b"] * 5, pd.date_range("2020", periods=10), [1j] * 10])
def test_what_is_no_score_is_refused_though_gaps_may_be_dropped(scores: object) -> None:
    with pytest.raises(oe.LabelError):
        oe.score([0, 1] * 5, scores, labels=[0, 1], outputs="scores", missing="drop")


def test_shares_as_truth_have_measures_of_their_own() -> None:
    rng = np.random.default_rng(0)
    shares, prob = rng.dirichlet([1, 1, 1], 30), rng.dirichlet([1, 1, 1], 30)
    assert "wasserstein" in oe.score(shares, prob)
    assert oe.compare(shares, {"a": prob}).primary.name == "ranked_probability_score"


def test_an_infinite_loss_can_be_drawn() -> None:
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 3, 40), rng.dirichlet([1, 1, 1], 40), rng.dirichlet([1, 1, 1], 40)
    never = a.copy()
    never[0] = np.eye(3)[(y[0] + 1) % 3]
    found = oe.compare(y, {"a": a, "b": b, "z": never}, ["ordinal_log_loss"], labels=range(3))
    assert "∞" in found.to_html()


def test_one_item_shows_no_difference() -> None:
    with pytest.warns(oe.ResamplingWarning):
        delta = oe.paired_delta(
            "ranked_probability_score", [0], [[0.9, 0.1]], [[0.1, 0.9]], labels=[0, 1]
        )
    assert not delta.p_value < 0.5
