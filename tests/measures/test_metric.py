"""What a measure is: its range, and what it says of a scale that integers only imply."""

import copy
import math
import pickle
import warnings

import pytest

import ordeval as oe
from ordeval._shared.text import wording
from ordeval.measures.metric import warn_of_unused_levels

DEPENDENT = (
    "extreme_sensitivity", "cosine_similarity", "brennan_prediger", "gwet_ac2",
    "misclassification_cost", "cost_accuracy_distance", "chance_line_distance", "oc_index",
    "oc_index_unnormalized",
)  # fmt: skip
TRUTH, PRED = [1, 1, 2, 3, 3, 2], [1, 2, 2, 3, 2, 2]


def up_to_k(k: int) -> tuple[float, float]:
    return 0.0, float(k)


def test_a_range_is_its_two_ends() -> None:
    unit = oe.Range(0, 1)
    assert unit == (0.0, 1.0)
    assert unit.at(7) == (0.0, 1.0)
    assert unit.show(7) == unit.text == "[0, 1]"
    assert oe.Range.of((0, 1)) == unit
    assert oe.Range.of(unit) is unit


def test_a_range_may_depend_on_the_number_of_classes() -> None:
    steps = oe.Range(0, math.inf, up_to_k, "[0, K]")
    assert steps == (0.0, math.inf)
    assert steps.at(4) == (0.0, 4.0)
    assert steps.show(4) == "[0, 4]"
    assert steps.text == "[0, K]"
    assert oe.Range(0, math.inf).text == "[0, ∞]"


def test_a_range_is_pickled_and_copied_with_all_it_has() -> None:
    steps = oe.Range(0, math.inf, up_to_k, "[0, K]")
    for twin in (pickle.loads(pickle.dumps(steps)), copy.copy(steps), copy.deepcopy(steps)):
        assert isinstance(twin, oe.Range)
        assert twin == steps
        assert twin.text == "[0, K]"
        assert twin.at(5) == (0.0, 5.0)


def test_these_measures_depend_on_unused_levels() -> None:
    found = tuple(
        m.name
        for m in oe.metrics()
        if m.depends_on_empty_levels and not m.required and m.needs == "labels"
    )
    assert found == DEPENDENT
    assert all(m.depends_on_empty_levels for m in oe.metrics(family="threshold"))


@pytest.mark.parametrize("name", DEPENDENT)
def test_a_measure_that_depends_on_unused_levels_says_so(name: str) -> None:
    metric = oe.get_metric(name)
    said = rf"\[OE101\] {name} depends on levels .* Scale\(1 < 2 < 3\)\. Declare labels= if"
    with pytest.warns(oe.EmptyLevelWarning, match=said):
        value = metric(TRUTH, PRED)
    implied = oe.ConfusionMatrix.from_labels(TRUTH, PRED)
    with pytest.warns(oe.EmptyLevelWarning, match=said):
        assert metric.from_confusion(implied) == value
    declared = oe.ConfusionMatrix.from_labels(TRUTH, PRED, [1, 2, 3])
    assert metric.from_confusion(declared) == metric.from_confusion(implied.counts) == value
    assert metric(TRUTH, PRED, labels=[1, 2, 3]) == value


def test_a_measure_with_parameters_is_warned_of_under_its_name() -> None:
    with pytest.warns(oe.EmptyLevelWarning, match=r"oc_index\(share=0.25\) depends"):
        oe.oc_index.with_params(share=0.25)(TRUTH, PRED)


def test_other_measures_have_nothing_to_say() -> None:
    implied = oe.ConfusionMatrix.from_labels(TRUTH, PRED)
    for metric in oe.metrics(needs="labels"):
        if not metric.depends_on_empty_levels and metric.by_default:
            metric.from_confusion(implied)


def test_an_error_comes_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(oe.ParameterError, match="share"):
            oe.oc_index(TRUTH, PRED, share=-1)


def test_one_warning_names_all_measures_that_depend_on_unused_levels() -> None:
    chosen = [oe.accuracy, oe.oc_index, oe.gwet_ac2]
    with pytest.warns(oe.EmptyLevelWarning) as caught:
        warn_of_unused_levels(chosen, oe.Scale.range(1, 3))
    (warning,) = caught
    assert str(warning.message) == (
        "[OE101] oc_index and gwet_ac2 depend on levels that never occur; the "
        "integers only imply Scale(1 < 2 < 3). Declare labels= if the scale is "
        "longer."
    )
    assert warning.filename == __file__


def test_the_command_names_its_own_option() -> None:
    with (
        wording(lambda name, value: f"--{name}"),
        pytest.warns(oe.EmptyLevelWarning, match=r"Declare --labels if the scale is longer"),
    ):
        oe.oc_index(TRUTH, PRED)


def test_without_such_a_measure_there_is_no_warning() -> None:
    warn_of_unused_levels([oe.accuracy], oe.Scale.range(1, 3))
