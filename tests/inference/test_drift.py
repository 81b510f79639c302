"""A judge beside its earlier answers: slow definitions, false alarms, and a shift that is found."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.results.judgement_tables import detail_tables

K = 5
LEVELS = range(1, K + 1)


def graded(quality: Any, spread: float, rng: np.random.Generator, shift: float = 0.0) -> Any:
    noise = rng.normal(shift, spread, len(quality))
    return np.clip(np.rint(quality + noise), 1, K).astype(int)


def drawn(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    quality = rng.normal(3, 1.2, n)
    return quality, np.stack([graded(quality, 0.6, rng) for _ in range(3)], axis=1)


def test_drift_is_now_minus_before_on_the_items_of_both() -> None:
    rng = np.random.default_rng(0)
    quality, humans = drawn(150, rng)
    before, now = graded(quality, 0.5, rng), graded(quality, 0.5, rng, shift=-0.5)
    gappy: Any = [None if i < 10 else int(x) for i, x in enumerate(before)]
    found = oe.judge(humans, {"j": now}, labels=LEVELS, before={"j": gappy, "old": before})
    drift = found.drift["j"]
    assert list(found.drift) == ["j"]
    assert drift.items == 140
    rows = np.arange(150) >= 10
    assert drift.shift.estimate == pytest.approx((now - before)[rows].mean())
    kappa = oe.weighted_kappa(before[rows], now[rows], labels=LEVELS)
    assert drift.agreement.estimate == pytest.approx(kappa)
    assert drift.change is not None
    each = [
        oe.weighted_kappa(h[rows], x[rows], labels=LEVELS) for x in (now, before) for h in humans.T
    ]
    assert drift.change.delta == pytest.approx(np.mean(each[:3]) - np.mean(each[3:]))
    for grade, x in drift.by_grade.items():
        own = np.concatenate([(now - before)[rows & (h == grade)] for h in humans.T])
        assert x.estimate == pytest.approx(own.mean())
    text = found.conclusion()
    assert "j grades lower than before (-0." in text
    stored = json.loads(found.to_json())["drift"]["j"]
    assert stored["change"]["delta"] == pytest.approx(drift.change.delta)
    assert any("drift: judges compared" in t.caption for t in detail_tables(found))


def test_no_drift_is_seldom_told_and_a_worse_version_is_found() -> None:
    rng, sets = np.random.default_rng(1), 120
    shifted = changed = found_worse = 0
    for _ in range(sets):
        quality, humans = drawn(150, rng)
        before = {"j": graded(quality, 0.5, rng)}
        same = oe.judge(humans, {"j": graded(quality, 0.5, rng)}, labels=LEVELS, before=before)
        worse = oe.judge(humans, {"j": graded(quality, 1.0, rng)}, labels=LEVELS, before=before)
        x, y = same.drift["j"], worse.drift["j"]
        assert x.change is not None
        assert y.change is not None
        shifted += x.shift.low > 0 or x.shift.high < 0
        changed += x.change.p_adjusted <= 0.05
        found_worse += y.change.p_adjusted <= 0.05 and y.change.favours == "j before"
    assert shifted / sets < 0.1
    assert changed / sets < 0.1
    assert found_worse / sets > 0.8


def test_the_same_answers_have_not_moved() -> None:
    rng = np.random.default_rng(2)
    quality, humans = drawn(100, rng)
    judges = {"a": graded(quality, 0.5, rng), "b": graded(quality, 0.8, rng)}
    found = oe.judge(humans, judges, labels=LEVELS, before=judges)
    assert "No significant drift: a and b." in found.conclusion()
    assert found.drift["a"].shift.estimate == 0.0
    with pytest.raises(oe.LabelError, match="before names no judge of judges: it has c, not a"):
        oe.judge(humans, judges, labels=LEVELS, before={"c": judges["a"]})
    with pytest.raises(oe.LabelError, match="before must map names to labels"):
        oe.judge(humans, judges, labels=LEVELS, before=[1])  # type: ignore[arg-type]
    silent = oe.judge(humans, judges, labels=LEVELS, before={"a": [None] * 100})
    assert silent.drift == {}
