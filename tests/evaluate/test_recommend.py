"""recommend: each rule, what is read from data, and that nothing is left unexplained."""

import itertools
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.evaluate.recommend import _WHY

RULES: list[tuple[dict[str, Any], list[str], str]] = [
    ({}, ["cem_ord", "oc_index", "mean_signed_error"], "need not be equally long"),
    (
        {"imbalanced": True},
        ["cem_ord", "average_mae", "mean_signed_error"],
        "class sizes differ",
    ),
    (
        {"equal_steps": True},
        ["mean_absolute_error", "mean_signed_error", "cem_ord"],
        "equally long",
    ),
    (
        {"equal_steps": True, "imbalanced": True},
        ["average_mae", "mean_signed_error", "cem_ord"],
        "equally long",
    ),
    (
        {"equal_steps": False},
        ["cem_ord", "oc_index", "mean_signed_error"],
        "need not be equally long",
    ),
    (
        {"raters": True},
        ["weighted_kappa", "krippendorff_alpha", "mean_signed_error"],
        "agreement between raters",
    ),
    (
        {"raters": True, "imbalanced": True},
        ["gwet_ac2", "krippendorff_alpha", "mean_signed_error"],
        "agreement between raters",
    ),
    (
        {"outputs": "probabilities"},
        ["ranked_probability_score", "ranked_probability_skill_score", "cem_ord"],
        "probabilities",
    ),
    (
        {"outputs": "scores"},
        ["concordance_index", "coefficient_of_predictive_ability", "ordinal_ranking_correctness"],
        "order",
    ),
    ({"outputs": "scores", "imbalanced": True}, ["ordinal_ranking_correctness"], "order"),
    (
        {"costs_known": True},
        ["expected_cost", "normalized_expected_cost", "mean_signed_error"],
        "the cost of errors",
    ),
    (
        {"costs_known": True, "outputs": "probabilities", "raters": True},
        ["expected_cost", "normalized_expected_cost", "mean_signed_error"],
        "the cost of errors",
    ),
]


@pytest.mark.parametrize(("facts", "names", "because"), RULES)
def test_rules(facts: dict[str, Any], names: list[str], because: str) -> None:
    advice = oe.recommend(**facts)
    assert [m.name for m in advice.metrics][: len(names)] == names
    assert because in "; ".join(advice.because)


MAYBE = (None, True, False)
ALL_FACTS = list(
    itertools.product(
        ("labels", "probabilities", "scores"), MAYBE, MAYBE, (True, False), (True, False)
    )
)


@pytest.mark.parametrize("facts", ALL_FACTS)
def test_every_answer_is_explained(facts: tuple[Any, ...]) -> None:
    keys = ("outputs", "equal_steps", "imbalanced", "costs_known", "raters")
    advice = oe.recommend(**dict(zip(keys, facts, strict=True)))
    assert len({m.name for m in advice.metrics}) == 3
    assert advice.because
    for choice in (advice.primary, *advice.companions):
        assert (choice.reason, choice.hides) == _WHY[choice.metric.name]
        assert choice.reference == str(choice.metric.reference)
        assert choice.reason in advice.to_text(1000)
        assert choice.hides in advice.to_text(1000)
    texts = advice.to_text(80).splitlines()
    assert max(len(x) for x in texts if not x.startswith("Run: ")) <= 80


LEVELS = ["low", "mid", "high"]
RNG = np.random.default_rng(0)
LATENT = RNG.normal(size=(60, 3)).cumsum(axis=1)
POSITIONS = np.digitize(LATENT, [-0.7, 0.7])
PROB = np.exp(-((LATENT[:, 1:, None] - [-1.5, 0, 1.5]) ** 2))
GIVEN: dict[str, Any] = {
    "oe": oe, "labels": LEVELS, "cost": [[0, 1, 3], [1, 0, 1], [5, 2, 0]],
    "y_true": np.array(LEVELS)[POSITIONS[:, 0]], "rater_a": np.array(LEVELS)[POSITIONS[:, 0]],
    "rater_b": np.array(LEVELS)[POSITIONS[:, 1]],
}  # fmt: skip
MODELS = {
    "labels": {name: np.array(LEVELS)[POSITIONS[:, i]] for i, name in ((1, "a"), (2, "b"))},
    "probabilities": {
        name: PROB[:, i] / PROB[:, i].sum(axis=1, keepdims=True) for i, name in enumerate("ab")
    },
    "scores": {"a": LATENT[:, 1], "b": LATENT[:, 2]},
}


@pytest.mark.parametrize("facts", ALL_FACTS)
@pytest.mark.parametrize("mandated", [None, "cem_ord"])
def test_what_is_recommended_runs(facts: tuple[Any, ...], mandated: str | None) -> None:
    keys = ("outputs", "equal_steps", "imbalanced", "costs_known", "raters")
    advice = oe.recommend(**dict(zip(keys, facts, strict=True)), mandated=mandated)
    *before, last = advice.run.splitlines()
    space = GIVEN | {"models": MODELS[facts[0]]}
    exec("\n".join(before), space)
    result = eval(last, space)
    found = [m.registered_as for m in result.metrics]
    assert found == [m.registered_as for m in advice.metrics]
    values = result.estimates if hasattr(result, "estimates") else result.intervals
    assert len(values) == 3
    assert last in str(advice)


@pytest.mark.parametrize("name", list(_WHY))
def test_every_reason_is_about_a_measure(name: str) -> None:
    assert oe.get_metric(name).name == name


def test_measures_of_probabilities_are_only_for_probabilities() -> None:
    for outputs, raters in itertools.product(["labels", "scores"], [True, False]):
        advice = oe.recommend(outputs=outputs, raters=raters)  # type: ignore[arg-type]
        assert {m.needs for m in advice.metrics} == {"labels"}


def test_scores_without_cut_points_have_no_bias() -> None:
    """A score is on no scale of classes, so that it cannot be too high or too low by classes."""
    assert "mean_signed_error" not in [m.name for m in oe.recommend(outputs="scores").metrics]


DATA: dict[str, tuple[Any, bool]] = {
    "alike": ([[20, 2, 0], [1, 25, 3], [0, 2, 30]], False),
    "a majority": ([[60, 2, 0], [1, 25, 3], [0, 2, 20]], True),
    "a rare class": ([[30, 2, 0], [1, 25, 3], [0, 1, 3]], True),
    "an empty class": ([[30, 2, 0], [1, 25, 3], [0, 0, 0]], True),
    "two equal classes": ([[30, 0], [0, 31]], False),
}


@pytest.mark.parametrize(("data", "imbalanced"), DATA.values(), ids=list(DATA))
def test_imbalance_is_read_from_the_data(data: Any, imbalanced: bool) -> None:
    for given in (data, np.array(data), oe.ConfusionMatrix(data)):
        advice = oe.recommend(given)
        assert (advice.companions[0].metric.name == "average_mae") is imbalanced
        fact = "class sizes differ" if imbalanced else "class sizes are alike"
        assert any(b.startswith(fact) for b in advice.because)


def test_what_is_said_overrules_what_is_read() -> None:
    data = DATA["a majority"][0]
    assert oe.recommend(data, imbalanced=False).companions[0].metric.name == "oc_index"


def test_no_items_say_nothing() -> None:
    assert oe.recommend(np.zeros((3, 3), int)).because == oe.recommend().because


def test_a_stack_is_read_as_a_whole() -> None:
    one = np.array(DATA["a majority"][0])
    assert oe.recommend(np.stack([one, one])).companions[0].metric.name == "average_mae"


@pytest.mark.parametrize("mandated", ["weighted_kappa", "f1_macro", oe.accuracy, "cem_ord"])
def test_a_mandated_measure_leads(mandated: Any) -> None:
    metric = oe.get_metric(mandated)
    advice = oe.recommend(mandated=mandated)
    assert advice.primary.metric is metric
    assert advice.because[0] == f"{metric.name} is required"
    assert len({m.name for m in advice.metrics}) == 3


def test_a_mandated_measure_keeps_its_parameters() -> None:
    metric = oe.oc_index.with_params(share=0.25)
    assert oe.recommend(mandated=metric).primary.metric.bound == {"share": 0.25}


def test_the_answer_fits_compare() -> None:
    truth = [0, 1, 2] * 20
    metrics = oe.recommend().metrics
    result = oe.compare(truth, {"a": truth}, labels=[0, 1, 2], metrics=metrics, n_resamples=19)
    assert [m.name for m in result.metrics] == [m.name for m in metrics]


def test_text() -> None:
    advice = oe.recommend(raters=True)
    lines = advice.to_text(1000).splitlines()
    primary = "Use quadratic weighted kappa as the primary measure"
    assert lines[0] == f"{primary}: this is about agreement between raters."
    assert lines[1] == "primary: quadratic weighted kappa (weighted_kappa)"
    assert len(lines) == 1 + 3 * 4 + 1
    assert lines[-1].startswith("Run: oe.score(rater_a, rater_b, ")
    assert repr(advice) == str(advice)


def test_bad_facts() -> None:
    with pytest.raises(oe.ParameterError) as caught:
        oe.recommend(outputs="logits")  # type: ignore[arg-type]
    assert str(caught.value) == (
        'outputs must be "labels", "probabilities" or "scores"; got \'logits\'.'
    )
    with pytest.raises(oe.UnknownMetricError, match="Did you mean"):
        oe.recommend(mandated="acuracy")


def test_the_convention_of_grading_is_said_beside_what_serves_better() -> None:
    advice = oe.recommend(imbalanced=True)
    for shown in (str(advice), advice.to_markdown(), advice.to_latex()):
        assert "Papers on grading report quadratic weighted kappa" in shown
    assert "average MAE gives every class the same weight" in advice.note
    assert oe.recommend(mandated="weighted_kappa").note == ""
    assert oe.recommend(raters=True).note == ""
    assert oe.recommend(outputs="probabilities").note == ""
