"""Judges beside judges, then and now, by covariates and against votes: a part of the simulation.

Each bound is also seen to fail, with the part of the method taken out that keeps it.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.coverage import judge_kit
from benchmarks.coverage.bounds import Rate
from benchmarks.coverage.raters import Where

from ordeval.inference.raters import judge_pairs, noisy_reference

SEED = 1
pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")


def broken(rates: Iterable[Rate]) -> list[str]:
    return [f"{r.table}, {r.row}, {r.column}: {r.share:.3f}" for r in rates if r.broken]


def test_differences_of_judges_are_held() -> None:
    assert broken(judge_kit.pairs(Where(50), 60, SEED)) == []


def test_errors_that_are_too_small_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = judge_pairs._Judges._error
    monkeypatch.setattr(judge_pairs._Judges, "_error", lambda *x: whole(*x) / 2)
    assert len(broken(judge_kit.pairs(Where(50), 60, SEED))) >= 4


def test_drift_is_held() -> None:
    assert broken(judge_kit.drift(Where(50), 60, SEED)) == []


def test_covariates_need_two_humans() -> None:
    two, one = judge_kit.covariates(Where(200), 60, SEED)
    assert json.loads(json.dumps(two.hits)) == two.hits  # as the record writes it
    assert not two.broken
    assert two.share > 0.85
    assert one.share < 0.2


def test_votes_are_held_and_need_the_raters_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(judge_kit.votes(Where(50), 60, SEED)) == []
    found = {r.row: r for r in judge_kit.votes_of_raters(5, Where(200), 40, SEED)}
    for name in judge_kit.JUDGED_BY:
        items, both = (found[f"{name}, over {x}"] for x in ("items", "raters too"))
        assert both.share >= max(items.share, 0.85)
    whole = noisy_reference._Weighted._contributions

    def halved(self: Any) -> Any:
        made = whole(self)
        return replace(made, parts=made.parts / 2)

    monkeypatch.setattr(noisy_reference._Weighted, "_contributions", halved)
    assert len(broken(judge_kit.votes(Where(200), 60, SEED))) == 3
