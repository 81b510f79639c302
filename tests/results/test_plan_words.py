"""Plan: the words that can be copied, the curve, and what is kept in mind."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ordeval as oe

CM = oe.ConfusionMatrix([[40, 8, 2], [10, 30, 10], [1, 9, 40]], ["low", "medium", "high"])


def half_width(**given: Any) -> oe.results.Plan:
    return oe.plan("weighted_kappa", half_width=0.08, **given)


def test_the_conclusion_can_be_copied() -> None:
    plan = oe.plan("weighted_kappa", CM, half_width=0.05)
    assert plan.half_width == plan.reached <= 0.05
    assert plan.power is None
    low, high = oe.confidence_interval("weighted_kappa", CM).low, plan.high
    assert low < plan.low < plan.expected < high
    assert plan.conclusion() == (
        f"To estimate quadratic weighted kappa (expected 0.759) with a 95% interval of ±0.05, plan "
        f"{plan.items} items. A typical interval is [{plan.low:.3f}, {plan.high:.3f}]."
    )
    assert "on average over studies" in plan.assumptions()
    assert 440 <= plan.items <= 470


def test_the_conclusion_of_a_test() -> None:
    plan = oe.plan("accuracy", accuracy=[0.7, 0.8], k=3, power=0.9, names=("new", "old"))
    assert plan.power == plan.reached >= 0.9
    assert plan.half_width is None
    assert plan.conclusion() == (
        f"To show that old is better than new by accuracy (expected 0.700 and 0.800, a difference "
        f"of -0.100) with a power of 0.9, plan {plan.items} items: the two-sided paired test at "
        f"the level 0.05 then does so in {plan.power:.1%} of such studies."
    )
    plan = oe.plan("accuracy", accuracy=[0.8, 0.8], k=3, power=0.9, margin=0.1, level=0.9)
    assert plan.conclusion().startswith(
        "To show that A is non-inferior to B by a margin of 0.1 by accuracy (expected 0.800 and "
        "0.800, a difference of +0.000) with a power of 0.9, plan "
    )
    assert "the one-sided paired test at the level 0.05" in plan.conclusion()


def test_clusters_are_in_the_words() -> None:
    plan = half_width(expected=CM, cluster_size=4, icc=0.2)
    assert plan.items == 4 * plan.clusters
    said = f"plan {plan.clusters} clusters of 4 items, {plan.items} items in all."
    assert said in plan.conclusion()
    assert "within which items correlate by 0.2 (design effect 1.6)" in plan.assumptions()
    assert plan.design_effect == pytest.approx(1.6)
    mean = half_width(expected=CM, cluster_size=2.5, icc=0.2)
    assert "clusters of 2.5 items on average" in mean.conclusion()
    assert [c.text for c in plan.table().rows[0]][1] == str(plan.curve[0].clusters)


def test_few_items_and_clusters_are_advised_of() -> None:
    plan = oe.plan("accuracy", accuracy=0.7, k=3, half_width=0.2, cluster_size=4, icc=0.0,
                   class_shares=[0.8, 0.1, 0.1])  # fmt: skip
    assert [a.code for a in plan.advice] == ["OE103", "OE304"]
    assert "[OE304]" in plan.to_text()


def test_studies_without_a_value_are_told() -> None:
    plan = oe.plan("kendall_tau_b", accuracy=0.9, k=3, class_shares=[0.96, 0.02, 0.02],
                   half_width=0.5)  # fmt: skip
    assert plan.undefined_share > 0.1
    assert (
        f"In {plan.undefined_share:.0%} of such studies Kendall's tau-b is undefined "
        "because a class is missing" in (plan.assumptions())
    )


def test_the_curve() -> None:
    plan = half_width(expected=CM)
    items = [p.items for p in plan.curve]
    assert items == sorted(items)
    assert items[0] < plan.items / 3
    assert items[-1] > 3 * plan.items
    widths = [p.reached for p in plan.curve]
    assert widths == sorted(widths, reverse=True)
    (planned,) = [row for row in plan.rows() if row["planned"]]
    assert planned == {"metric": "weighted_kappa", "items": plan.items, "clusters": 0,
                       "half_width": plan.half_width, "planned": True}  # fmt: skip
    asked = half_width(expected=CM, sizes=[300, 60])
    assert [p.items for p in asked.curve] == sorted([60, asked.items, 300])
    powers = [p.reached for p in oe.plan("cem_ord", accuracy=[0.8, 0.7], k=3, power=0.8).curve]
    assert powers == sorted(powers)


def test_the_json_has_the_answer_and_the_curve() -> None:
    found = json.loads(half_width(expected=CM).to_json())
    assert found["kind"] == "ordeval.plan"
    assert found["items"] == half_width(expected=CM).items
    assert len(found["rows"]) == 9
    assert found["conclusion"].startswith("To estimate quadratic weighted kappa")
    assert found["margin"] is None


def test_power_is_never_shown_as_certain() -> None:
    plan = oe.plan("accuracy", accuracy=[0.9, 0.5], k=3, power=0.8, sizes=[2000])
    assert plan.table().rows[-1][-1].text == ">99.9%"
