"""Whether the difference of two models varies between subgroups is tested and said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ordeval as oe

Array = NDArray[Any]
SITES = ("north", "south", "east", "west")


def two_versions(
    seed: int, *, broken: bool = False, items: int = 80
) -> tuple[Array, dict[str, Array], Array]:
    """A model and a new version with as many other errors everywhere, or many more at one site."""
    rng = np.random.default_rng(seed)
    site = np.repeat(SITES, items)
    truth = rng.integers(0, 4, len(site))
    wrong = np.where(truth > 0, truth - 1, 1)
    old = np.where(rng.random(len(site)) < 0.2, wrong, truth)
    new = np.where(rng.random(len(site)) < 0.06, wrong, old)
    if broken:
        new = np.where((site == "east") & (rng.random(len(site)) < 0.3), wrong, new)
    return truth, {"new": new, "old": old}, site


def compared(made: tuple[Any, ...], metric: str, **how: Any) -> Any:
    truth, models, site = made
    return oe.compare(truth, models, [metric], labels=range(4), by=site, **how)


@pytest.mark.parametrize("metric", ["accuracy", "cem_ord", "weighted_kappa"])
def test_a_difference_that_varies_is_found(metric: str) -> None:
    found = compared(two_versions(1, broken=True), metric, reference="old")
    (test,) = found.variations()
    assert (test.model, test.against) == ("new", "old")
    assert test.p_value == test.p_adjusted < 0.01
    assert test.significant
    said = "The difference of new from old varies significantly between subgroups"
    assert said in found.conclusion()
    assert said in " ".join(str(found).split())


def test_by_accuracy_it_is_the_chi_squared_test_of_the_mean_differences() -> None:
    truth, models, site = two_versions(3)
    (test,) = compared((truth, models, site), "accuracy", reference="old").variations()
    gain = (models["new"] == truth) * 1.0 - (models["old"] == truth)
    each = np.array([gain[site == s].mean() for s in SITES])
    variance = np.mean([gain[site == s].var(ddof=1) for s in SITES])
    assert test.test == "chi-squared test"
    # Contributions are those next to the pseudo-item.
    statistic = ((each - each.mean()) ** 2).sum() * 80 / variance
    assert test.statistic == pytest.approx(statistic, rel=0.03)


def test_a_difference_that_is_the_same_everywhere_is_rarely_said_to_vary() -> None:
    found = [compared(two_versions(seed), "cem_ord").variations()[0] for seed in range(20)]
    assert sum(v.significant for v in found) <= 2
    # Without a reference, the two models are compared in one direction in every subgroup.
    assert len({(v.model, v.against) for v in found}) <= 2


def test_models_are_corrected_for_and_named() -> None:
    truth, models, site = two_versions(1, broken=True)
    models["third"] = np.where(np.arange(len(truth)) % 7 == 0, 3 - truth, models["old"])
    found = compared((truth, models, site), "accuracy", reference="old")
    by_model = {v.model: v for v in found.variations()}
    assert by_model["new"].significant
    assert not by_model["third"].significant
    assert by_model["new"].p_adjusted == pytest.approx(2 * by_model["new"].p_value)
    assert "third from old does not vary significantly" in found.conclusion()
    assert compared((truth, models, site), "accuracy").variations() == ()


def test_it_is_not_tested_where_subgroups_are_not() -> None:
    made = two_versions(1, broken=True)
    assert compared(made, "maximum_mae", reference="old").variations() == ()
    within = np.arange(320) // 4
    assert len(compared(made, "accuracy", reference="old", clusters=within).variations()) == 1
    across = np.arange(320) % 40
    assert compared(made, "accuracy", reference="old", clusters=across).variations() == ()


def test_it_is_in_the_record_of_few_and_of_very_many_subgroups() -> None:
    made = two_versions(1, broken=True)
    (record,) = compared(made, "accuracy", reference="old")._facts()["variations"]
    assert record["significant"]
    truth, models, _ = two_versions(2, items=300)
    many = compared((truth, models, np.arange(1200) // 8), "accuracy", reference="old")
    assert len(many) == 150
    assert many.variations()[0].p_value > 0.001
