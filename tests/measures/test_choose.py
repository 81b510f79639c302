"""choose: what a metrics= argument means, in one place."""

import re
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.registry import choose


def names(chosen: tuple[oe.Metric, ...]) -> list[str]:
    return [m.name for m in chosen]


def test_none_means_all_that_need_labels_and_are_not_expensive() -> None:
    expected = [m for m in oe.metrics() if m.needs == "labels" and m.by_default]
    assert choose(None) == tuple(expected)
    assert "oc_index_general" not in names(choose(None))
    assert "ranked_probability_score" not in names(choose(None))


def test_none_means_the_default_if_there_is_one() -> None:
    assert choose(None, ["cem_ord", oe.accuracy]) == (oe.cem_ord, oe.accuracy)
    assert choose(None, "cem_ord") == (oe.cem_ord,)
    assert choose("accuracy", ["cem_ord"]) == (oe.accuracy,)


@pytest.mark.parametrize(
    "given",
    ["accuracy", oe.accuracy, ("accuracy",), [oe.accuracy], iter(["accuracy"]), {"accuracy": 1}],
)
def test_a_name_a_measure_or_several(given: Any) -> None:
    assert choose(given) == (oe.accuracy,)


def test_an_expensive_measure_is_chosen_when_named() -> None:
    assert choose("oc_index_general") == (oe.oc_index_general,)


def test_the_order_stays() -> None:
    assert names(choose(["oc_index", "accuracy", "cem_ord"])) == ["oc_index", "accuracy", "cem_ord"]


def test_an_exact_repeat_is_collapsed() -> None:
    assert choose(["accuracy", oe.accuracy, "cem_ord", "accuracy"]) == (oe.accuracy, oe.cem_ord)
    first, again = (oe.oc_index.with_params(share=0.25) for _ in range(2))
    assert choose([first, again]) == (first,)
    cost = np.array([[0, 1], [2, 0]])
    first, again = (oe.expected_cost.with_params(cost=c) for c in (cost, cost.tolist()))
    assert choose([first, again]) == (first,)


def test_the_same_measure_with_other_parameters_is_another() -> None:
    both = [oe.oc_index, oe.oc_index.with_params(share=0.25)]
    assert names(choose(both)) == ["oc_index", "oc_index(share=0.25)"]


PROBABILITIES = (
    "ranked_probability_score needs probabilities, but the models give labels. "
    'Name the columns of the probabilities with prob="p_", or pass an (n, K) '
    "array instead of labels."
)
TWO = (
    "metrics contains two different measures called expected_cost(cost=...); "
    "pass one at a time, or register one under another name."
)
REFUSED = [
    ([], "metrics is empty; name at least one measure, or leave it out."),
    (3, "metrics must be names or measures; got 3."),
    ("ranked_probability_score", PROBABILITIES),
    ([oe.expected_cost.with_params(cost=[[0, x], [1, 0]]) for x in (1, 2)], TWO),
]


@pytest.mark.parametrize(("given", "message"), REFUSED, ids=lambda x: str(x)[:30])
def test_what_is_no_choice(given: Any, message: str) -> None:
    with pytest.raises(oe.ParameterError, match=f"^{re.escape(message)}$"):
        choose(given)
    with pytest.raises(oe.ParameterError, match=f"^{re.escape(message)}$"):
        choose(None, given)


def test_a_replaced_measure_is_not_its_successor() -> None:
    facts: dict[str, Any] = {
        "symbol": "X", "family": "accuracy", "best": 1, "range": (0, 1), "symmetric": True,
        "greater_is_better": True, "reversal_invariant": True, "depends_on_empty_levels": False,
        "undefined_when": "there are no items", "reference": "These tests", "name": "on_trial",
    }  # fmt: skip
    first = oe.register(**facts)(lambda n: n[..., 0, 0])
    second = oe.register(**facts, replace=True)(lambda n: n[..., 0, 1])
    try:
        assert choose([second, "on_trial"]) == (second,)
        with pytest.raises(oe.ParameterError, match="two different measures called on_trial"):
            choose([first, second])
    finally:
        oe.unregister("on_trial")


@pytest.mark.parametrize("given", ["acuracy", ["accuracy", "acuracy"]])
def test_a_misspelt_name_gets_a_hint(given: Any) -> None:
    with pytest.raises(oe.UnknownMetricError, match="Did you mean accuracy"):
        choose(given)
