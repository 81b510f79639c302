"""Intervals and tests of probabilities and scores hold, in a small part of the simulation.

Each bound is also seen to fail, with the part of the method taken out that keeps it.
"""

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import pytest
from benchmarks.coverage import forecasts
from benchmarks.coverage.bounds import Rate
from benchmarks.coverage.populations import Cell, Population, generator

import ordeval as oe
from ordeval.inference.forecasts import losses, placements
from ordeval.inference.influence_kinds import KINDS, Kind

SEED = 1
SOME = ("ranked_probability_skill_score", "ordinal_log_loss", "ordinal_ranking_correctness",
        "threshold_auc")  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")


def broken(rates: Iterable[Rate]) -> list[str]:
    return [f"{r.table}, {r.row}, {r.column}: {r.share:.3f}" for r in rates if r.broken]


def test_true_values_are_those_of_many_items() -> None:
    cell, rng = Cell(Population(5, "imbalanced"), 200_000), generator(SEED, "many")
    model = forecasts.model_of("imbalanced", sharp=2.0, shift=0.2)
    data = forecasts.draw(cell, [model], rng)
    for metric in forecasts.chosen(5).values():
        (given,) = data.outputs(metric)
        found = oe.confidence_interval(
            metric, data.truth, given, level=0.9999, **forecasts._given(data, metric)
        )
        assert forecasts.value(metric, cell, model) in found, metric.name
        assert found.high - found.low < 0.06 * max(1.0, found.estimate)


def test_intervals_of_one_forecaster_hold() -> None:
    assert broken(forecasts.independent(3, 50, "imbalanced", 150, SEED, SOME)) == []
    assert broken(forecasts.rated(50, "balanced", 150, SEED)) == []
    assert broken(forecasts.clustered(20, 100, SEED, SOME)) == []


def test_equal_forecasters_are_told_apart_as_rarely_as_alpha_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert broken(forecasts.alike(5, 50, "imbalanced", 150, SEED, SOME)) == []
    # Along the slope, the two or three items of a rare class seem to be sure of themselves.
    monkeypatch.setattr(placements, "_FEW", 0.0)
    found = broken(forecasts.alike(5, 50, "imbalanced", 150, SEED, SOME))
    assert any("ordinal_ranking_correctness" in x for x in found)


def test_a_whole_cluster_as_pseudo_unit_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (losses, placements):
        unit = module.items_of_a_unit
        monkeypatch.setattr(module, "items_of_a_unit", lambda s, parts=None, unit=unit: unit(s))
    wide = ("wasserstein", "concordance_index", "coefficient_of_predictive_ability")
    found = forecasts.clustered(20, 100, SEED, wide)
    assert all(r.share > 0.99 for r in found if "not told" not in r.column)


def test_clusters_that_are_not_told_are_seen() -> None:
    found = forecasts.clustered(20, 60, SEED, ("ranked_probability_score", "concordance_index"))
    assert np.mean([r.share for r in found if "not told" in r.column]) < 0.9


def test_a_true_difference_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    three = ("ranked_probability_score", "wasserstein", "concordance_index")
    assert broken(forecasts.apart(200, "balanced", 100, SEED, three)) == []
    whole = losses.contributions

    def halved(*given: Any) -> Any:
        found = whole(*given)
        found.parts[:] /= 2
        return found

    kind = KINDS["losses"]._replace(contributions=halved)
    monkeypatch.setitem(cast(dict[str, Kind], KINDS), "losses", kind)
    found = broken(forecasts.apart(200, "balanced", 100, SEED, three[:1]))
    assert any(x.startswith("unequal forecasts") for x in found)


def test_five_equal_forecasters() -> None:
    assert broken(forecasts.many(50, "balanced", 40, SEED, SOME)) == []
