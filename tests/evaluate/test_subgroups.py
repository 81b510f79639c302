"""Scores of subgroups are the scores of each subgroup's matrix."""

from __future__ import annotations

import numpy as np
import pytest

import ordeval as oe

STACK = np.random.default_rng(5).integers(0, 30, (60, 4, 4))


def test_each_subgroup_is_scored_as_it_would_be_alone() -> None:
    scores = oe.score_subgroups(STACK, ["cem_ord", "auoc", "kendall_tau_b"])
    for g in range(60):
        alone = oe.score(oe.ConfusionMatrix(STACK[g]), metrics=list(scores))
        assert [scores[m][g] for m in scores] == pytest.approx([alone[m] for m in scores])
    pooled = oe.score(oe.ConfusionMatrix(STACK.sum(axis=0)), metrics=list(scores))
    assert scores.pooled == pytest.approx([pooled[m] for m in scores])


def test_the_table_tells_what_it_does_not_show() -> None:
    scores = oe.score_subgroups(STACK)
    assert len(repr(scores).splitlines()) < 55
    assert "20 more subgroups are not shown" in repr(scores)
    assert len(scores.to_csv().splitlines()) == 61
    assert scores.to_frame().shape == (60, 6)
    worst = int(np.argmin(scores["cem_ord"]))
    assert f"Worst by cem_ord: {worst} (" in repr(scores)
    assert "| 59 |" in scores.to_markdown()
    assert "59 & " in scores.to_latex()
    assert "<table>" in scores._repr_html_()


def test_a_subgroup_without_items_has_no_value() -> None:
    scores = oe.score_subgroups(np.stack([STACK[0], np.zeros((4, 4), dtype=int)]), ["accuracy"])
    assert np.isnan(scores["accuracy"][1])
    assert "—" in repr(scores)
    assert scores.to_csv().splitlines()[-1] == "1,0,"


def test_one_axis_of_subgroups() -> None:
    with pytest.raises(oe.CountsError, match="one axis of subgroups"):
        oe.score_subgroups(STACK.reshape(6, 10, 4, 4))
    with pytest.raises(oe.CountsError, match="one axis of subgroups"):
        oe.score_subgroups(STACK[0])
    with pytest.raises(oe.UnknownMetricError, match="was not scored"):
        oe.score_subgroups(STACK)["auoc"]
