"""plan: what is expected, said in three ways, and wishes that no study meets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ordeval as oe

COUNTS = np.array([[40, 8, 2], [10, 30, 10], [1, 9, 40]])
LEVELS = ["low", "medium", "high"]
CM = oe.ConfusionMatrix(COUNTS, LEVELS)
TRUTH, PRED = (
    np.array(LEVELS)[np.repeat(axis, COUNTS.ravel())].tolist()
    for axis in (np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3))
)
OTHER = [LEVELS[1]] * 12 + PRED[12:]
JOINT = np.zeros((3, 3, 3), dtype=int)
np.add.at(JOINT, tuple(np.array([LEVELS.index(x) for x in y]) for y in (TRUTH, PRED, OTHER)), 1)


def half_width(**given: Any) -> oe.results.Plan:
    return oe.plan("weighted_kappa", half_width=0.08, **given)


def power(**given: Any) -> oe.results.Plan:
    return oe.plan("cem_ord", power=0.8, **given)


# What is expected


def test_counts_shares_accumulators_and_pilot_data_are_one() -> None:
    accumulator = oe.Accumulator(LEVELS)
    accumulator.update(TRUTH, PRED)
    plans = [
        half_width(expected=CM),
        half_width(expected=COUNTS),
        half_width(expected=COUNTS / COUNTS.sum()),
        half_width(expected=10 * COUNTS),
        half_width(expected=accumulator),
        half_width(expected=oe.Predictions(TRUTH, PRED, labels=LEVELS)),
    ]
    assert len({p.items for p in plans}) == 1
    assert {round(p.expected, 9) for p in plans} == {round(oe.weighted_kappa.from_confusion(CM), 9)}
    assert [p.source for p in plans] == [
        "as in the expected matrix of 150 items", "as in the expected matrix of 150 items",
        "as in the expected matrix", "as in the expected matrix of 1,500 items",
        "as in the expected matrix of 150 items", "as in the pilot data of 150 items",
    ]  # fmt: skip
    assert list(plans[0].class_items) == LEVELS
    assert list(plans[1].class_items) == [0, 1, 2]


def test_a_joint_table_and_two_predictions_are_one() -> None:
    a = power(expected=JOINT, labels=LEVELS, names=("new", "old"))
    pilot = oe.Predictions(TRUTH, {"first": PRED, "second": OTHER}, labels=LEVELS)
    b = power(expected=pilot)
    assert (a.items, a.gain, a.power) == (b.items, b.gain, b.power)
    assert (a.names, b.names) == (("new", "old"), ("first", "second"))
    assert power(expected=pilot, names=("new", "old")).names == ("new", "old")
    assert a.difference == pytest.approx(a.expected - oe.cem_ord(TRUTH, OTHER, labels=LEVELS))
    # Exchanging the models exchanges the sign and nothing else.
    c = power(expected=np.swapaxes(JOINT, 1, 2), labels=LEVELS)
    assert c.items == a.items
    assert c.gain == pytest.approx(-a.gain)
    assert f"{'A' if c.gain > 0 else 'B'} is better than" in c.conclusion()


def test_items_that_were_dropped_are_told() -> None:
    one_more = ([*TRUTH, None], [*PRED, "low"])
    plan = half_width(expected=oe.Predictions(*one_more, labels=LEVELS, missing="drop"))
    assert plan.source == "as in the pilot data of 150 items (1 dropped)"
    with pytest.raises(oe.LabelError, match="Every item needs a label"):
        half_width(expected=oe.Predictions(*one_more, labels=LEVELS))


def test_words_are_a_table() -> None:
    plan = half_width(accuracy=0.7, k=3, spread=0.5, class_shares=[2, 1, 1])
    rows = np.array([[0.7, 0.2, 0.1], [0.15, 0.7, 0.15], [0.1, 0.2, 0.7]])
    assert half_width(expected=rows * [[0.5], [0.25], [0.25]]).items == plan.items
    assert plan.assumptions().startswith(
        "This assumes independent items, 3 unequally frequent classes, accuracy 0.7 in each, "
        "errors that are 2 times rarer with every further step."
    )
    named = half_width(accuracy=0.7, labels=LEVELS, spread=0.5,
                       class_shares={"high": 0.25, "low": 0.5, "medium": 0.25})  # fmt: skip
    assert named.items == plan.items
    assert list(named.class_items) == LEVELS


def test_spreads() -> None:
    items = {s: oe.plan("mean_absolute_error", accuracy=0.7, k=5, spread=s, half_width=0.1).items
             for s in (0, "near", 0.25, "wide", 0.75, 1)}  # fmt: skip
    assert items["near"] == items[0.25]
    assert items["wide"] == items[0.75]
    assert items[0] < items["near"] < items["wide"] < items[1]
    assert half_width(accuracy=0.7, k=5).items == half_width(accuracy=0.7, k=5, spread="near").items
    assert "errors that are one step off" in half_width(accuracy=0.7, k=5, spread=0).source
    assert "errors that are as often far as near" in half_width(accuracy=0.7, k=5, spread=1).source


def test_errors_that_overlap_need_fewer_items() -> None:
    items = [power(accuracy=[0.8, 0.7], k=3, overlap=x).items for x in (None, 0, 0.5, 1)]
    assert items[0] == items[1] > items[2] > items[3]
    alike = power(accuracy=[0.8, 0.7], k=3, overlap=1).source
    assert alike.endswith("of which the two models share 100% of what they can")


def test_overlap_leaves_each_model_as_it_is() -> None:
    plans = [power(accuracy=np.array([0.8, 0.7]), k=4, overlap=x) for x in (0, 0.7, 1)]
    for plan in plans[1:]:
        assert plan.expected == pytest.approx(plans[0].expected)
        assert plan.expected_b == pytest.approx(plans[0].expected_b)


def test_integers_of_pilot_data_imply_a_scale_and_warn() -> None:
    with pytest.warns(oe.EmptyLevelWarning, match=r"\[OE101\] oc_index depends on levels"):
        oe.plan("oc_index", oe.Predictions([1, 2, 3] * 20, [1, 2, 2] * 20), half_width=0.1)


# The wish


def test_the_same_plan_twice() -> None:
    assert power(expected=JOINT).to_json() == power(expected=JOINT).to_json()


def test_a_narrower_wish_and_a_higher_level_need_more() -> None:
    wide, narrow = (oe.plan("accuracy", CM, half_width=w).items for w in (0.08, 0.04))
    assert 3.5 < narrow / wide < 4.5
    assert oe.plan("accuracy", CM, half_width=0.08, level=0.99).items > 1.5 * wide
    less, more = (power(accuracy=[0.8, 0.7], k=3, level=x).items for x in (0.9, 0.99))
    assert less < more


def test_a_bound_measure_is_planned_for() -> None:
    metric = oe.weighted_kappa.with_params(weights="linear")
    assert oe.plan(metric, CM, half_width=0.08).metric == metric.name


# Refusals


def words(**more: Any) -> Callable[[], Any]:
    given: dict[str, Any] = {"accuracy": 0.7, "k": 3, "half_width": 0.05, **more}
    return lambda: oe.plan("accuracy", **given)


def two(**more: Any) -> Callable[[], Any]:
    return words(**{"accuracy": [0.8, 0.7], "half_width": None, "power": 0.8, **more})


ONE_WAY = "pass exactly one of expected= (a table or pilot data) and accuracy=; got "
PILOT = "pilot data need labels or probabilities of one model, or of two to compare; got "
RANKS = (
    "a plan is about labels, and concordance_index would rank probabilities; plan a measure of "
    "labels, such as sensitivity."
)
ONE_WISH = (
    "pass exactly one of half_width= (target precision) and power= (chance of "
    "detecting a difference)."
)
SPREAD = (
    'spread must be "near", "wide", or a number from 0 (errors of one step only) to 1 (all errors '
    "alike); got "
)
EXTREME = (
    " of the classes' values. Which class that is varies between studies, so the "
    "power of its test cannot be planned. Choose an average over classes, such as "
    "balanced_accuracy or average_mae."
)
SAME = np.zeros((2, 2, 2))
SAME[[0, 1], [0, 1], [0, 1]] = 5
SAME[0, 1, 1] = 1
WRONG: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "nothing": (lambda: oe.plan("accuracy", half_width=0.1), oe.ParameterError,
                ONE_WAY + "got none of them."[4:]),
    "two ways": (words(expected=CM), oe.ParameterError, ONE_WAY + "table and words."),
    "no wish": (words(half_width=None), oe.ParameterError, ONE_WISH),
    "two wishes": (words(power=0.8), oe.ParameterError, ONE_WISH),
    "pilot and words": (words(expected=oe.Predictions(TRUTH, PRED, labels=LEVELS)),
                        oe.ParameterError, ONE_WAY + "pilot data and words."),
    "one of two": (lambda: oe.plan("accuracy", oe.Predictions(TRUTH, PRED, labels=LEVELS),
                                   power=0.8), oe.ParameterError,
                   ("power= compares two models, but you described one. Pass a joint table (K, "
                    "K, K), the predictions of two models, or two accuracies.")),
    "two of one": (lambda: oe.plan("accuracy", oe.Predictions(TRUTH, {"a": PRED, "b": OTHER},
                                                              labels=LEVELS), half_width=0.1),
                   oe.ParameterError,
                   ("half_width= plans for one model, but you described two. Pass one of them, "
                    "or use power=.")),
    "three": (lambda: oe.plan("accuracy", oe.Predictions(TRUTH, dict.fromkeys("abc", PRED),
                                                         labels=LEVELS), power=0.8),
              oe.LabelError, PILOT + "a (labels), b (labels) and c (labels)."),
    "a pilot of scores": (lambda: oe.plan("accuracy", oe.Predictions([0, 1], [0.2, 0.7],
                                                                     outputs="scores"),
                                          half_width=0.1),
                          oe.LabelError, PILOT + "y_pred (scores)."),
    "an area of forecasts": (lambda: oe.plan("concordance_index",
                                             oe.Predictions([0, 1, 2], np.eye(3)), half_width=0.1),
                             oe.LabelError, RANKS),
    "losses of forecasts": (lambda: oe.plan("ranked_probability_score",
                                            oe.Predictions([0, 1, 2], np.eye(3)), half_width=0.1),
                            oe.ParameterError,
                            RANKS.replace("concordance_index would rank",
                                          "ranked_probability_score scores")),
    "scale beside the pilot": (lambda: oe.plan("accuracy", oe.Predictions(TRUTH, PRED),
                                               labels=LEVELS, half_width=0.1),
                               oe.LabelError,
                               "pilot data already have a scale; pass labels= to Predictions."),
    "weights of the pilot": (lambda: oe.plan("accuracy", oe.Predictions(
                                 TRUTH, PRED, labels=LEVELS, sample_weight=[1.0] * 150),
                                 half_width=0.1),
                             oe.LabelError,
                             ("pilot data must be unweighted; remove the weights.")),
    "no width": (words(half_width=0), oe.ParameterError,
                 "half_width must be a number > 0; got 0."),
    "any width": (words(half_width=0.5), oe.ParameterError,
                  ("half_width must be smaller than half of the range of accuracy, [0, 1]: every "
                  "interval is that narrow; got 0.5.")),
    "no such width": (words(half_width=1e-6), oe.ParameterError,
                      ("more than 1,000,000,000 items would be needed. Choose a wider interval or "
                       "less power.")),
    "certainty": (two(power=1), oe.ParameterError,
                  "power must be a number between 0 and 1; got 1."),
    "margin": (two(margin=-1), oe.ParameterError,
               ("margin must be a number > 0, in units of the measure: how much worse a model may "
               "be and still count as non-inferior; got -1.")),
    "margin of a width": (words(margin=0.1), oe.ParameterError, "margin needs power=."),
    "level": (words(level=95), oe.ParameterError, "level must lie between 0 and 1; got 95."),
    "one model": (words(half_width=None, power=0.8), oe.ParameterError,
                  ("power= compares two models, but you described one. Pass a joint table (K, "
                   "K, K), the predictions of two models, or two accuracies.")),
    "two models": (two(power=None, half_width=0.1), oe.ParameterError,
                   ("half_width= plans for one model, but you described two. Pass one of them, "
                    "or use power=.")),
    "no difference": (two(accuracy=[0.7, 0.7]), oe.ParameterError,
                      ("A and B have the same expected accuracy (0.700), so "
                       "no sample size can detect a difference. Change the expected values, or "
                       "test non-inferiority with margin=.")),
    "inferior": (two(accuracy=[0.7, 0.8], margin=0.05), oe.ParameterError,
                 ("the expected accuracy of A is worse than that of B by the margin 0.05 or "
                  "more (A 0.700, B 0.800), so no sample size can show non-inferiority.")),
    "the same": (lambda: oe.plan("accuracy", SAME, power=0.8, margin=0.1), oe.ParameterError,
                 ("A and B are expected to agree on every item. Describe at least some items "
                  "on which they differ.")),
    "names": (two(names=("A", "A")), oe.ParameterError,
              "names must be the different names of two models; got ('A', 'A')."),
    "extreme": (lambda: oe.plan("min_sensitivity", accuracy=[0.8, 0.7], k=3, power=0.8),
                oe.ParameterError, "min_sensitivity is the smallest" + EXTREME),
    "extreme in clusters": (
        lambda: oe.plan("maximum_mae", accuracy=0.8, k=3, half_width=0.1, cluster_size=2, icc=0.1),
        oe.ParameterError,
        ("maximum_mae is computed class by class, and clusters contain items of "
         "several classes, so its half-width cannot be planned for clusters. Choose a "
         "measure that averages over "
        "classes, such as balanced_accuracy or average_mae.")),
    "undefined": (lambda: oe.plan("kendall_tau_b", [[5, 2], [0, 0]], half_width=0.1),
                  oe.ParameterError,
                  ("kendall_tau_b is undefined for the expected table: it is undefined when "
                   "truth or prediction has only one class.")),
    "probabilities": (lambda: oe.plan("ranked_probability_score", CM, half_width=0.1),
                      oe.ParameterError,
                      ("ranked_probability_score needs probabilities, but the models give labels. "
                       "Name the columns of the probabilities with prob=\"p_\", or pass an (n, K) "
                       "array instead of labels.")),
    "stack": (lambda: oe.plan("accuracy", oe.ConfusionMatrix([COUNTS, COUNTS]), half_width=0.1),
              oe.CountsError,
              ("expected must be one matrix; got a stack of shape (2,). Take one out, for example "
              "cm[0]; two models are planned for by their joint table (K, K, K).")),
    "no cube": (lambda: oe.plan("accuracy", [COUNTS, COUNTS], power=0.8), oe.CountsError,
                ("expected must be one confusion matrix (K, K), or one joint table (K, K, K) of "
                "truth x A x B; got shape (2, 3, 3).")),
    "empty": (lambda: oe.plan("accuracy", np.zeros((2, 2)), half_width=0.1), oe.CountsError,
              "expected has no items: all cells are zero."),
    "other labels": (lambda: oe.plan("accuracy", CM, half_width=0.1, labels=[1, 2, 3]),
                     oe.ScaleError,
                     "labels= says Scale(1 < 2 < 3), the matrix Scale('low' < 'medium' < 'high')."),
    "classes": (words(k=None), oe.ParameterError,
                ("the number of classes is missing: k= must be an integer >= 2, or pass "
                 "labels=; got "
                "None.")),
    "contradiction": (words(labels=["a", "b"]), oe.ParameterError,
                      "k is 3, and labels= says Scale('a' < 'b')."),
    "accuracy": (words(accuracy=70), oe.ParameterError,
                 "accuracy must be a number from 0 to 1; got 70."),
    "never right": (words(accuracy=0), oe.ParameterError,
                    "accuracy must be greater than 0; got 0."),
    "three models": (words(accuracy=[0.7, 0.8, 0.9]), oe.ParameterError,
                     ("accuracy must be one number, or two to compare models; got [0.7, 0.8, "
                     "0.9].")),
    "no accuracy": (words(accuracy=None), oe.ParameterError,
                    "accuracy must be a number from 0 to 1; got None."),
    "spread": (words(spread="far"), oe.ParameterError, SPREAD + "'far'."),
    "spread of two": (words(spread=2), oe.ParameterError, SPREAD + "2."),
    "shares": (words(class_shares=[0.5, 0.5]), oe.ParameterError,
               ("class_shares must be one number >= 0 for each of the 3 classes, lowest first; got "
               "[0.5, 0.5].")),
    "named shares": (words(class_shares={1: 0.5, 2: 0.5}), oe.ParameterError,
                     "class_shares must name each class of Scale(1 < 2 < 3) once; got [1, 2]."),
    "overlap": (two(overlap=2), oe.ParameterError, "overlap must be a number from 0 to 1; got 2."),
    "overlap of one": (words(overlap=0.5), oe.ParameterError,
                       "overlap is of the errors of two models."),
    "cluster size": (words(cluster_size=0.5), oe.ParameterError,
                     "cluster_size must be a number >= 1; got 0.5."),
    "no icc": (words(cluster_size=5), oe.ParameterError,
               ("cluster_size= needs icc=, the intraclass correlation from 0 to 1. Pilot "
                "data with clusters= provide both.")),
    "no clusters": (words(icc=0.2), oe.ParameterError, "icc= needs cluster_size= above 1."),
    "icc": (words(cluster_size=5, icc=3), oe.ParameterError,
            "icc must be a number from 0 to 1; got 3."),
    "sizes": (words(sizes=[100, 1.5]), oe.ParameterError,
              "sizes must be numbers of items, integers >= 2; got 1.5."),
}  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG.values(), ids=list(WRONG))
def test_refusals(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message


def test_two_classes_and_many() -> None:
    assert oe.plan("accuracy", [[9, 1], [2, 8]], half_width=0.05).items > 100
    many = oe.plan("mean_absolute_error", accuracy=0.5, k=40, half_width=0.1)
    assert many.half_width is not None
    assert many.half_width <= 0.1


def test_probabilities_of_a_pilot_are_decided_for() -> None:
    rng = np.random.default_rng(3)
    truth, prob = rng.integers(0, 3, 200), rng.dirichlet([1, 1, 1], 200)
    for decide, labels in (("mode", prob.argmax(axis=1)), ("median", None)):
        if labels is None:
            labels = (prob.cumsum(axis=1) < 0.5).sum(axis=1)
        scale = {"labels": [0, 1, 2]}
        of_prob = oe.plan("cem_ord", oe.Predictions(truth, prob, **scale, decide=decide),
                          half_width=0.05)  # fmt: skip
        of_labels = oe.plan("cem_ord", oe.Predictions(truth, labels, **scale), half_width=0.05)
        assert of_prob.items == of_labels.items
        level = "most" if decide == "mode" else "median"
        assert f"with labels that are the {level}" in of_prob.to_text(1000)


def _pilot(rng: np.random.Generator, table: Any, items: int) -> oe.Predictions:
    counts = rng.multinomial(items, (table / table.sum()).ravel())
    truth, given = np.divmod(np.repeat(np.arange(9), counts), 3)
    return oe.Predictions(truth, given, labels=range(3))


def test_a_plan_from_a_pilot_says_how_uncertain_it_is() -> None:
    table, rng = np.array([[40, 8, 2], [10, 30, 10], [1, 9, 40]]), np.random.default_rng(1)
    needed = oe.plan("weighted_kappa", table, half_width=0.05).items
    made = [oe.plan("weighted_kappa", _pilot(rng, table, 100), half_width=0.05) for _ in range(20)]
    assert all(p.items_low < p.items < p.items_high for p in made)
    assert sum(p.items_low <= needed <= p.items_high for p in made) >= 15
    assert "Given the size of the pilot, about " in made[0].assumptions()
    larger = oe.plan("weighted_kappa", _pilot(rng, table, 5000), half_width=0.05)
    assert larger.items_high / larger.items_low < 1.5
    # A table may be an assumption: nothing is known of its errors.
    assert np.isnan(oe.plan("weighted_kappa", table, half_width=0.05).items_low)


def test_a_pilot_may_be_too_small_for_a_test() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 60)
    a, b = (np.where(rng.random(60) < p, truth, (truth + 1) % 3) for p in (0.8, 0.75))
    pilot = oe.Predictions(truth, {"a": a, "b": b}, labels=range(3))
    plan = oe.plan("accuracy", pilot, power=0.8)
    assert plan.items_high == np.inf
    assert "The pilot is too small for this number: anything from" in plan.assumptions()
    b = np.where(rng.random(60) < 0.6, (truth + 1) % 3, a)
    clear = oe.plan("accuracy", oe.Predictions(truth, {"a": a, "b": b}, labels=range(3)), power=0.8)
    assert clear.items_low < clear.items < clear.items_high < np.inf
