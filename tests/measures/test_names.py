"""Display names: complete, unique, and telling whatever changes the value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval._shared.types import Floats
from ordeval.measures.parts.names import names


def test_every_measure_has_a_display_name_and_every_display_name_a_measure() -> None:
    place = "a line in measures/parts/names.txt"
    assert set(oe.metrics().names) - set(names()) == set(), f"needs {place}"
    assert set(names()) - set(oe.metrics().names) == set(), f"has {place}, and is no measure"


@pytest.mark.parametrize("form", ["display", "short"])
def test_display_names_are_unique(form: str) -> None:
    shown = [getattr(m, form) for m in oe.metrics()]
    assert sorted(set(shown)) == sorted(shown)
    assert all(name == name.strip() and "{" not in name for name in shown)


def test_names_in_table_heads_are_short() -> None:
    assert max(len(m.short) for m in oe.metrics()) <= 20
    assert all(len(m.short) <= len(m.display) for m in oe.metrics())


@pytest.mark.parametrize(
    ("name", "parameters", "display", "short"),
    [
        ("weighted_kappa", {}, "quadratic weighted kappa", "quadratic kappa"),
        ("weighted_kappa", {"weights": "linear"}, "linear weighted kappa", "linear kappa"),
        ("weighted_kappa", {"weights": "nominal"}, "unweighted kappa", "unweighted kappa"),
        ("weighted_kappa", {"weights": 1 - np.eye(3)}, "custom weighted kappa", "custom kappa"),
        ("fleiss_kappa", {}, "Fleiss' kappa (quadratic weights)", "quadratic Fleiss"),
        ("fleiss_kappa", {"weights": "nominal"}, "Fleiss' kappa (unweighted)", "unweighted Fleiss"),
        (
            "krippendorff_alpha",
            {"level": "interval"},
            "Krippendorff's alpha (interval)",
            "interval alpha",
        ),
        ("accuracy_within", {"n": 2}, "accuracy within 2", "accuracy ±2"),
        ("cem_ord", {}, "CEM (closeness)", "CEM"),
        ("threshold_sensitivity", {"at_least": 3}, "sensitivity at >= 3", "sensitivity at >= 3"),
        ("oc_index", {"share": 0.75}, "OC index", "OC index"),
        ("oc_index", {"share": 0.25}, "OC index (share 0.25)", "OC index (share 0.25)"),
        (
            "average_mae",
            {"points": [1, 2, 4]},
            "average MAE (in points)",
            "average MAE (in points)",
        ),
        (
            "ranked_probability_score",
            {"normalize": True},
            *["normalized " + x for x in ("ranked probability score", "RPS")],
        ),
        ("oc_index_general", {"time_limit": 3.0}, "general OC index", "general OC"),
    ],
)
def test_what_changes_the_value_is_part_of_the_name(
    name: str, parameters: dict[str, Any], display: str, short: str
) -> None:
    metric = oe.get_metric(name)
    metric = metric.with_params(**parameters) if parameters else metric
    assert (metric.display, metric.short) == (display, short)


def test_a_measure_of_a_user_is_called_by_its_name() -> None:

    @oe.register(
        symbol="U",
        family="distance",
        best=0,
        range=(0, 1),
        greater_is_better=False,
        symmetric=False,
        reversal_invariant=False,
        depends_on_empty_levels=False,
        undefined_when="there are no items",
        reference="This test",
    )
    def undergrading_by_far(n: Floats, *, steps: int = 2) -> Floats:
        """Share of items graded far too low."""
        return np.asarray(np.tril(n, -steps).sum((-2, -1)) / n.sum((-2, -1)))

    try:
        assert undergrading_by_far.display == undergrading_by_far.short == "undergrading by far"
        far = undergrading_by_far.with_params(steps=3)
        assert far.display == "undergrading by far (steps 3)"
    finally:
        oe.unregister("undergrading_by_far")
