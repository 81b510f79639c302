"""A small part of the simulation of target populations, tasks and partial truth."""

from __future__ import annotations

import pytest
from benchmarks.coverage import targets
from benchmarks.coverage.bounds import Rate


def _broken(rates: object) -> list[str]:
    found = [r for r in rates if isinstance(r, Rate)]  # type: ignore[attr-defined]
    return [f"{r.table}, {r.row}: {r.share:.3f}" for r in found if r.broken]


@pytest.mark.parametrize("registry", targets.REGISTRIES)
def test_intervals_for_a_target_prevalence_cover(registry: int) -> None:
    assert _broken(targets.prevalence("enriched", 200, registry, 60, 3)) == []


@pytest.mark.parametrize("design", targets.DESIGNS)
def test_corrected_intervals_cover_however_items_were_chosen(design: str) -> None:
    """With the strata of the probabilities ignored, unequal ones covered 78% instead of 92%."""
    assert _broken(targets.partial(design, 200, "good", 50, 3)) == []


@pytest.mark.parametrize("equal", [True, False], ids=["equal models", "different models"])
def test_possible_ranks_hold_for_all_models_at_once(equal: bool) -> None:
    assert _broken(targets.averaged(5, equal, 40, 3)) == []
