"""to_label: which items humans should label, with probabilities that are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ordeval as oe

STRATA = ["a"] * 150 + ["b"] * 45 + ["c"] * 5
UNCERTAIN = np.r_[40.0, 40.0, np.random.default_rng(0).exponential(1, 197), 0.0]


@pytest.mark.parametrize(
    "given",
    [{"items": 200}, {"strata": STRATA}, {"uncertainty": UNCERTAIN}],
    ids=["items", "strata", "uncertainty"],
)
def test_items_are_chosen_as_often_as_it_says(given: dict[str, Any]) -> None:
    times, draws = np.zeros(200), 1500
    for seed in range(draws):
        chosen, inclusion = oe.to_label(30, **given, rng=seed)
        assert chosen.sum() == 30
        times += chosen
    assert inclusion.sum() == pytest.approx(30)
    assert np.abs(times / draws - inclusion).max() < 4.5 * 0.5 / draws**0.5
    assert inclusion.min() > 0


def test_strata_share_the_budget_as_far_as_they_have_items() -> None:
    chosen, inclusion = oe.to_label(35, strata=STRATA, rng=0)
    drawn = {s: sum(c for c, x in zip(chosen, STRATA, strict=True) if x == s) for s in "abc"}
    assert drawn == {"a": 15, "b": 15, "c": 5}
    assert set(np.round(inclusion, 12)) == {0.1, round(1 / 3, 12), 1.0}


def test_the_least_certain_are_likeliest_and_none_is_left_out() -> None:
    _, inclusion = oe.to_label(30, uncertainty=UNCERTAIN, rng=0)
    assert (inclusion[:2] == 1).all()
    order = np.argsort(UNCERTAIN)
    assert (np.diff(inclusion[order]) >= -1e-12).all()
    _, even = oe.to_label(30, uncertainty=np.zeros(200), rng=0)
    assert even == pytest.approx(0.15)


def test_its_probabilities_make_estimates_unbiased() -> None:
    """By the judge's uncertainty, errors are chosen more often; weighted, accuracy is right."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 3000)
    spread = rng.random(3000)
    model = np.where(rng.random(3000) < 0.95 - 0.5 * spread, y, (y + 1) % 3)
    judge = np.where(rng.random(3000) < 1 - 0.4 * spread, y, (y + 2) % 3)
    found, plain = [], []
    for seed in range(60):
        chosen, inclusion = oe.to_label(200, uncertainty=spread, rng=seed)
        human = [int(t) if c else None for t, c in zip(y, chosen, strict=True)]
        data = oe.Predictions(human, model, labels=range(3), proxy=judge, inclusion=inclusion)
        found.append(oe.score(data, ["accuracy"])["accuracy"])
        plain.append(float(np.mean((model == y)[chosen])))
    truth = float(np.mean(model == y))
    assert np.mean(found) == pytest.approx(truth, abs=0.012)
    assert abs(np.mean(plain) - truth) > 0.03


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"budget": 3}, oe.ParameterError, "exactly one"),
        ({"budget": 3, "items": 9, "strata": ["a"] * 9}, oe.ParameterError, "exactly one"),
        ({"budget": 10, "items": 9}, oe.ParameterError, "at most 9"),
        ({"budget": 0, "items": 9}, oe.ParameterError, ">= 1"),
        ({"budget": 2, "strata": list("abc")}, oe.ParameterError, "fewer than the 3 strata"),
        ({"budget": 2, "uncertainty": [1.0, -1.0, 2.0]}, oe.LabelError, "not negative"),
    ],
)
def test_what_is_refused(given: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        oe.to_label(**given)
