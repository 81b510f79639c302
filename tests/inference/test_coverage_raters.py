"""Intervals of raters and judges hold as often as they say, in a small part of the simulation.

Each bound is also seen to fail, with the part of the method taken out that keeps it.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from benchmarks.coverage import raters
from benchmarks.coverage.bounds import Rate

from ordeval import get_metric
from ordeval.inference.raters import (
    judges,
    pairwise_influence as pairings,
    rating_influence as tallies,
)
from ordeval.inference.raters.judge_subgroups import judged_groups

SEED = 1

pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")


def broken(rates: Iterable[Rate]) -> list[str]:
    return [f"{r.table}, {r.row}, {r.column}: {r.share:.3f}" for r in rates if r.broken]


def test_agreement_of_raters_is_held() -> None:
    assert broken(raters.many(3, 50, "imbalanced", 150, SEED)) == []
    assert all(r.share > 0.9 for r in raters.clustered(3, 20, 100, SEED))


def test_standard_errors_that_are_too_small_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tallies._Units.contributions

    def halved(self: Any, metric: Any) -> Any:
        found = whole(self, metric)
        vars(found)["parts"] = found.parts / 2
        return found

    monkeypatch.setattr(tallies._Units, "contributions", halved)
    assert len(broken(raters.many(3, 50, "imbalanced", 60, SEED))) == len(raters.AGREEMENT)


def test_clusters_that_are_not_told_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raters.Where, "groups", None)
    assert all(r.share < 0.9 for r in raters.clustered(3, 20, 100, SEED))


def test_ceiling_judge_and_gap_are_held() -> None:
    for kind in raters.KINDS:
        assert broken(raters.judged(kind, 50, "balanced", 200, SEED, ("weighted_kappa",))) == []


def test_a_pseudo_cluster_that_misses_alike_makes_clusters_too_cautious(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("weighted_kappa",)
    assert broken(raters.judged_in_clusters("as good", 20, 200, SEED, names)) == []

    def at_worst(weight: Any, spread: Any, pairs: Any) -> Any:
        return np.diag((np.abs(weight) @ (10 * spread)) ** 2)

    monkeypatch.setattr(pairings, "_pseudo", at_worst)
    found = list(raters.judged_in_clusters("as good", 20, 200, SEED, names))
    assert next(r for r in found if r.row.endswith("gap")).share > 0.985


def test_without_skewness_too_many_judges_are_found_good(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> float:
        found = raters.judged("worse", 50, "balanced", 300, SEED, ("mean_absolute_error",))
        return next(r.share for r in found if r.table.endswith("by the interval"))

    before = shown()
    whole = judges.Skewed.of

    def plain(found: Any) -> Any:
        test = whole(found)
        return judges.Skewed(test.value, test.centre, test.error, found.freedom, 0.0)

    monkeypatch.setattr(judges.Skewed, "of", plain)
    assert shown() > before + 0.01


def test_a_judge_that_skips_hard_items_is_judged_on_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("weighted_kappa",)
    assert broken(raters.skipping(200, "balanced", 150, SEED, names)) == []
    # Beside the ceiling of all items, such a judge would look better than it is.
    monkeypatch.setattr(judges.Panel, "answered", lambda self: self)
    monkeypatch.setattr(raters, "_same_as_public", lambda *_: None)
    found = list(raters.skipping(200, "balanced", 150, SEED, names))
    assert next(r for r in found if r.row.endswith("gap")).broken


def test_the_alt_test_keeps_its_size_in_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(raters.alt_tested(200, 400, SEED)) == []
    (told,) = raters.alt_tested_in_clusters(20, 400, SEED)
    assert not told.broken
    monkeypatch.setattr(raters.Where, "groups", None)
    (untold,) = raters.alt_tested_in_clusters(20, 400, SEED)
    assert told.share < 0.06 < 0.09 < untold.share


def test_subgroups_that_are_alike_are_not_told_apart() -> None:
    """Four subgroups of 50 items: any is claimed to differ in about 5 % of data sets."""
    rng = np.random.default_rng(SEED)
    drawn = raters.draw(raters.people(4, "balanced"), raters.Where(200), 250, rng)
    metric, group = get_metric("weighted_kappa"), np.arange(200) % 4
    claimed = 0
    for codes in drawn:
        panel = judges.Panel(humans=codes[:, :3], runs=codes[:, 3:], k=5, metric=metric)
        p = judged_groups(panel.answered(), group[codes[:, 3] >= 0], 4).differences.p_adjusted
        claimed += bool((p <= 0.05).any())
    assert 0.01 <= claimed / len(drawn) <= 0.09
