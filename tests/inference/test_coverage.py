"""Intervals hold as often as they say, in a small part of what ``make coverage`` simulates.

Each bound is also seen to fail, with the part of the method taken out that keeps it.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from benchmarks.coverage import (
    audit,
    calibrated,
    many_models,
    one_model,
    pages,
    stacks,
    tuned,
    two_models,
)
from benchmarks.coverage.bounds import Amount, Bound, Rate
from benchmarks.coverage.populations import DESIGNS, Design, Population, draw_items, generator
from benchmarks.coverage.record import Part

import ordeval as oe
from ordeval.inference import cell_influence, influence
from ordeval.inference.ends import range_ends as edges, t_intervals as alone
from ordeval.inference.many_models import all_pairs as together
from ordeval.inference.many_models.all_pairs import Together
from ordeval.models import cross_fitting

SEED = 1
SOME = ("accuracy", "average_mae", "weighted_kappa", "kendall_tau_b", "oc_index", "cem_ord")

pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")


def broken(rates: Iterable[Rate | Amount]) -> list[str]:
    return [
        f"{r.table}, {r.row}, {r.column}: {r.share:.3f}"
        for r in rates
        if isinstance(r, Rate) and r.broken
    ]


def patch(monkeypatch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    """Replace a function where the parts of an item, and what rests on them, are found."""
    for module in (alone, cell_influence, influence, stacks, together):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_every_measure_hold(design: Design) -> None:
    assert broken(one_model.independent(3, 50, design, 400, SEED)) == []


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_hold_with_more_classes(design: Design) -> None:
    extremes = ("min_sensitivity", "maximum_mae", "mutual_information", "oc_index_unnormalized")
    found = list(one_model.independent(5, 200, design, 300, SEED, (*SOME, *extremes)))
    assert broken(found) == []
    assert all(r.of == 300 for r in found)


def test_intervals_of_calibrated_probabilities_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken(calibrated.alone(200, 200, SEED)) == []
    assert broken(calibrated.clustered(50, 200, SEED)) == []
    # Items of a cluster depend on each other: who does not say so is too sure.
    draw = calibrated._draw
    monkeypatch.setattr(calibrated, "_draw", lambda *x: draw(*x)._replace(cluster=None))
    assert any(
        x.startswith("calibration, intercept") for x in broken(calibrated.clustered(50, 200, SEED))
    )


def test_the_gain_of_tuned_cut_points_is_on_other_items(monkeypatch: pytest.MonkeyPatch) -> None:
    size = tuned.Size(300, each=5)
    assert broken(tuned.gains(size, "accuracy", "no", 60, SEED)) == []
    # An interval that takes the cut points as given is too short where they gain little.
    with monkeypatch.context() as as_given:
        as_given.setattr(cross_fitting.Jackknife, "error", lambda *x: 0.0)
        assert broken(tuned.gains(size, "accuracy", "no", 60, SEED)) != []
    # Without cross-fitting, the gain is that on the items used for tuning: too large.
    fitted = cross_fitting.ModelForecasts.placed
    monkeypatch.setattr(
        cross_fitting.ModelForecasts, "placed", lambda self, rows, *x: fitted(self, slice(None), *x)
    )
    leaking = list(tuned.gains(tuned.Size(40), "accuracy", "clear", 100, SEED))
    assert max(r.share for r in leaking) < 0.8


def test_without_misses_and_reach_intervals_of_near_perfect_models_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def all_right(matrices: Any) -> Any:
        shares = matrices.sum(axis=-1) / matrices.sum(axis=(-2, -1))[..., None]
        return shares[..., None] * np.eye(matrices.shape[-1])

    patch(monkeypatch, "pseudo_items", all_right)
    for module in (alone, edges):
        monkeypatch.setattr(module, "ends_reached", lambda m, k, v: np.zeros(np.shape(v), bool))
    found = list(one_model.independent(3, 50, "near perfect", 400, SEED, ("accuracy", "cem_ord")))
    assert len(broken(found)) == 2
    assert all(r.share < 0.8 for r in found)


@pytest.mark.parametrize("design", DESIGNS)
def test_equal_models_are_told_apart_as_rarely_as_alpha_says(design: Design) -> None:
    assert broken(two_models.alike(5, 200, design, 400, SEED, SOME)) == []


def test_standard_errors_that_are_too_small_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cell_influence.by_cell

    def halved(value: Any, smooth: Any) -> Any:
        centre, table, bias = whole(value, smooth)
        return centre, table * 0.7, bias

    patch(monkeypatch, "by_cell", halved)
    found = broken(two_models.alike(3, 200, "balanced", 400, SEED, ("accuracy",)))
    assert [text.split(",")[0] for text in found] == ["differences"]
    assert broken(one_model.independent(3, 200, "balanced", 400, SEED, ("accuracy",)))


def test_true_differences_are_held() -> None:
    assert broken(two_models.apart(5, 200, "balanced", 400, SEED)) == []


@pytest.mark.parametrize("place", ["retinopathy", "triage"])
def test_margins_keep_their_size(place: audit.Place) -> None:
    assert (
        broken(audit.margins(place, 300, 100, SEED, ("balanced_accuracy", "weighted_kappa"))) == []
    )


def test_equal_models_in_few_clusters_do_not_differ() -> None:
    assert broken(audit.few_clusters(6, 12, 15, 40, SEED, ("cem_ord",))) == []


def test_a_multivariate_t_claims_too_much_in_few_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "exchange", lambda metric, sample: None)
    monkeypatch.setattr(Together, "_careful", property(lambda self: self.turned))
    found = list(audit.few_clusters(20, 12, 15, 60, SEED, ("cem_ord",)))
    assert broken(found)


def test_clusters_widen_intervals_enough() -> None:
    found = list(one_model.clustered(20, 300, SEED, ("accuracy", "weighted_kappa")))
    assert broken(found) == []
    told, untold = (
        [r.share for r in found if ("not told" in r.column) is unknown] for unknown in (False, True)
    )
    assert min(told) > 0.92
    assert max(untold) < 0.92


def test_no_difference_is_claimed_of_twenty_equal_models() -> None:
    found = many_models.alike(20, 50, "imbalanced", 60, SEED, ("average_mae",))
    assert broken(found) == []


def test_a_simulation_of_other_numbers_than_users_get_is_an_error() -> None:
    stacks.same("x", (0.1, np.nan), (0.1, np.nan))
    with pytest.raises(AssertionError, match="kappa: the simulation has"):
        stacks.same("kappa", (0.1, 0.2), (0.1, 0.3))


def test_models_share_their_population_and_find_the_same_items_hard() -> None:
    population = Population(3, "imbalanced")
    items = draw_items((population,) * 2, 200, 500, generator(SEED, "test"))
    share = items.matrices(3).sum(axis=0) / (200 * 500)
    assert share[0] == pytest.approx(population.joint, abs=0.005)
    assert share[1] == pytest.approx(population.joint, abs=0.005)
    wrong = items.predictions != items.truth[..., None]
    assert np.corrcoef(wrong.reshape(-1, 2).T)[0, 1] > 0.2


def test_a_mirrored_population_is_as_good_and_errs_the_other_way() -> None:
    population = Population(5, "balanced", lean=0.8)
    mirrored = population.mirrored()
    bias, other = (p.value(oe.get_metric("mean_signed_error")) for p in (population, mirrored))
    assert bias == pytest.approx(-other)
    assert bias > 0.1
    found = [r.row for r in two_models.opposite(50, 4, SEED)]
    assert found == list(stacks.PANEL)


def test_a_rate_is_judged_with_its_monte_carlo_error() -> None:
    bound = Bound(0.925, 0.975)
    judged = {hits: Rate("t", "r", "c", hits, 1000, bound).broken for hits in (905, 912, 984, 990)}
    assert judged == {905: True, 912: False, 984: False, 990: True}
    assert not Rate("t", "r", "c", 0, 0, bound).broken


def test_tables_and_page_show_what_is_broken_and_why_bounds_are_relaxed() -> None:
    found = [
        Rate("weights", "accuracy", "200 uneven", 80, 100, Bound(0.925, 0.975)),
        Rate("weights", "cem_ord", "200 uneven", 99, 100, Bound(0.9, 1.0, "few errors")),
        Amount("models that may be best", "cem_ord", "M = 5", 1.84),
    ]
    assert "0.800!" in pages.as_text(found)
    assert "1 break their bounds" in pages.verdict(found)
    page = pages.as_page({"weights": Part(100, found[:2]), "many": Part(1000, found[2:])})
    assert "estimates 2 rates, each from 100 to 1,000 data sets" in page
    assert "{download}`table <_tables/weights.csv>`" in page
