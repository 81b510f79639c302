"""Properties of measures: the paper's examples, the paper's claims, and searches that can fail."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.typing import NDArray
from tests.strategies import Items, labels

import ordeval as oe
from ordeval.meta import PAPER, PROPERTIES, check_properties
from ordeval.meta._search import all_data

NAMES = [p.name for p in PROPERTIES]
FACTS = ["symmetry", "reversal", "unused_levels", "range", "perfect"]
SOUND = {
    "symbol": "t", "family": "accuracy", "best": 1, "range": (0, 1), "greater_is_better": True,
    "symmetric": True, "reversal_invariant": True, "depends_on_empty_levels": False,
    "undefined_when": "there are no items", "reference": "This test",
}  # fmt: skip

# Amigó et al. 2020, Table 2: what is claimed, and what a counterexample contradicts.
NOT_AS_CLAIMED = {
    ("accuracy_within", "ordinal_invariance"),
    ("oc_index", "ordinal_invariance"),
    ("cosine_similarity", "ordinal_monotonicity"),
    ("weighted_kappa", "ordinal_monotonicity"),
    ("weighted_kappa", "imbalance"),
    ("spearman_rho", "imbalance"),
    ("kendall_tau_b", "imbalance"),
    ("reliability_sensitivity", "imbalance"),
    ("mutual_information", "imbalance"),
    ("purity", "imbalance"),
    ("inverse_purity", "imbalance"),
    ("cem_int", "imbalance"),
}


@contextmanager
def registered(kernel: Callable[..., Any], **facts: Any) -> Iterator[oe.Metric]:
    metric = oe.register(**{**SOUND, **facts}, name="on_trial")(kernel)
    try:
        yield metric
    finally:
        oe.unregister("on_trial")


def hits(n: NDArray[Any]) -> Any:
    return np.trace(n, axis1=-2, axis2=-1)


def items(n: NDArray[Any]) -> Any:
    return n.sum(axis=(-2, -1))


def share_of_hits(n: NDArray[Any]) -> Any:
    return hits(n) / np.maximum(items(n), 1)


def steps(k: int) -> Any:
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


def nearness(n: NDArray[Any]) -> Any:
    """1 / (1 + MAE): monotone, and not invariant."""
    return 1 / (1 + (n * steps(n.shape[-1])).sum(axis=(-2, -1)) / np.maximum(items(n), 1))


def recall_of_first(n: NDArray[Any]) -> Any:
    return n[..., 0, 0] / np.maximum(n[..., 0, :].sum(axis=-1), 1)


def value(name: str, truth: tuple[int, ...], prediction: tuple[int, ...]) -> float:
    k = max(*truth, *prediction)
    return oe.get_metric(name)(truth, prediction, labels=range(1, k + 1))


# The paper


@pytest.fixture(scope="module")
def table_2() -> oe.meta.PropertyReport:
    return check_properties([m for m in oe.metrics() if m.claimed is not None], PAPER)


def test_the_claims_of_table_2_hold_but_for_those_with_a_counterexample(
    table_2: oe.meta.PropertyReport,
) -> None:
    found = {(f.metric, f.property_name) for f in table_2.disagreements()}
    assert found == NOT_AS_CLAIMED
    assert all(f.counterexample is not None for f in table_2.disagreements())
    assert len(table_2.metrics) == 23


def test_only_cem_ord_has_all_three_properties(table_2: oe.meta.PropertyReport) -> None:
    having = [m for m in table_2.metrics if all(table_2.find(p, m).holds for p in PAPER)]
    assert [m.name for m in having] == ["cem_ord"]


def test_every_counterexample_breaks_its_property_when_computed_from_labels(
    table_2: oe.meta.PropertyReport,
) -> None:
    for example in table_2.counterexamples():
        metric = oe.get_metric(example.metric)
        again = []
        for n in example.matrices:
            truth, prediction = (np.repeat(x, n.ravel()) for x in np.indices(n.shape))
            again.append(metric(truth, prediction, labels=range(len(n)), undefined=np.inf))
        np.testing.assert_allclose(again, example.values, rtol=1e-12)
        first, second = (float(metric.utility(v)) for v in again)
        if example.rule.name == "ordinal_invariance":
            assert abs(first - second) > 1e-9
        else:
            assert second <= first + 1e-12


@pytest.mark.parametrize(
    "name",
    ["accuracy", "balanced_accuracy", "f1_macro", "pearson_r", "spearman_rho", "kendall_tau_a",
     "kendall_tau_b", "reliability_sensitivity", "mutual_information", "purity",
     "inverse_purity"],
)  # fmt: skip
def test_appendix_b_ordinal_monotonicity(name: str, table_2: oe.meta.PropertyReport) -> None:
    far, near = (value(name, (3, 4, 5), s) for s in ((1, 2, 3), (2, 3, 4)))
    assert far == pytest.approx(near)
    assert table_2.find("ordinal_monotonicity", name).holds is False


def test_appendix_b_does_not_give_equal_values_of_kappa() -> None:
    """It says so of all classification metrics; kappa even falls as the predictions get nearer."""
    assert value("cohen_kappa", (3, 4, 5), (1, 2, 3)) == pytest.approx(-1 / 8)
    assert value("cohen_kappa", (3, 4, 5), (2, 3, 4)) == pytest.approx(-2 / 7)


@pytest.mark.filterwarnings("ignore::ordeval.exceptions.StepsWarning")
@pytest.mark.parametrize("name", ["mean_absolute_error", "mean_squared_error", "average_mae"])
def test_appendix_b_ordinal_invariance(name: str) -> None:
    metric = oe.get_metric(name)
    stretched = {x: 10 + x**3 for x in range(1, 6)}
    truth, prediction = [3, 4, 5], [1, 2, 3]
    with pytest.warns(oe.EmptyLevelWarning):
        by_value = metric([stretched[x] for x in truth], [stretched[x] for x in prediction])
    by_position = metric(
        [stretched[x] for x in truth],
        [stretched[x] for x in prediction],
        labels=list(stretched.values()),
    )
    assert by_position == metric(truth, prediction)
    assert abs(by_value - by_position) > 1
    found = check_properties(name, ["ordinal_invariance", "ordinal_invariance_of_positions"])
    assert not found.find("ordinal_invariance").holds
    assert found.find("ordinal_invariance_of_positions").holds


@pytest.mark.parametrize(
    ("name", "large", "small"),
    [
        ("accuracy", 0.75, 0.75),
        ("accuracy_within", 1, 1),
        ("mean_absolute_error", 0.25, 0.25),
        ("mean_squared_error", 0.25, 0.25),
        ("cosine_similarity", 0.973, 0.979),
        ("pearson_r", 0.85, 0.9),
        # Marked as satisfied in Table 2; the example of appendix B says otherwise.
        ("kendall_tau_b", 0.8, 0.894),
        ("spearman_rho", 0.833, 0.943),
        ("inverse_purity", 0.75, 1),
        ("purity", 0.75, 0.75),
    ],
)
def test_appendix_b_imbalance(
    name: str, large: float, small: float, table_2: oe.meta.PropertyReport
) -> None:
    truth = (1, 1, 2, 3)
    assert value(name, truth, (1, 2, 2, 3)) == pytest.approx(large, abs=0.005)
    assert value(name, truth, (1, 1, 2, 2)) == pytest.approx(small, abs=0.005)
    example = table_2.find("imbalance", name).counterexample
    assert example is not None
    assert (example.items, example.k) == (4, 3)


def test_the_facts_of_the_registry_are_not_contradicted() -> None:
    report = check_properties(None, FACTS)
    assert report.disagreements() == ()
    assert all(f.holds is not None for f in report.findings)


def test_the_ordinal_index_is_a_distance_for_large_beta_only() -> None:
    """Cardoso & Sousa 2011, appendix A."""
    for beta in (0.5, 1.0):  # at least 1 / (N + 1) for any N
        large = check_properties(oe.oc_index.with_params(beta=beta), oe.meta.checks.DISTANCE)
        assert large.is_distance()
    default = check_properties(oe.oc_index, oe.meta.checks.DISTANCE)
    assert not default.is_distance()
    example = default.find("triangle_inequality").counterexample
    assert example is not None
    assert example.k == 2
    # One item differs between a and b, one between b and c: the vectors of the appendix.
    assert sorted(example.data[example.data > 0]) == [1, 1, example.items - 2]


@pytest.mark.parametrize("name", ["uoc_index", "auoc", "average_mae", "balanced_accuracy"])
def test_uniform_indices_ignore_class_proportions(name: str) -> None:
    """Silva et al. 2018, Table I, rows D and F: class 1 is ten times as large in F."""
    d = np.array([[0, 4, 0, 0], [6, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 3]])
    f = d * np.array([[10], [1], [1], [1]])
    metric = oe.get_metric(name)
    assert metric.from_confusion(d) == pytest.approx(metric.from_confusion(f))
    assert check_properties(name, "class_proportions").find("class_proportions").holds


@pytest.mark.parametrize("name", ["oc_index", "mean_absolute_error", "accuracy", "f1_macro"])
def test_others_do_not(name: str) -> None:
    assert not check_properties(name, "class_proportions").find("class_proportions").holds


@pytest.mark.parametrize(("name", "has"), [("oc_index", True), ("cohen_kappa", False)])
def test_a_single_item(name: str, has: bool) -> None:
    assert check_properties(name, "single_item").find("single_item").holds is has


# The search


BROKEN: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("ordinal_invariance", nearness, {}),
    ("ordinal_invariance", lambda n: np.where(n.shape[-1] > 4, np.nan, share_of_hits(n)), {}),
    ("ordinal_monotonicity", share_of_hits, {}),
    ("ordinal_monotonicity", nearness, {"greater_is_better": False}),
    ("ordinal_monotonicity_with_empty_classes", share_of_hits, {}),
    ("imbalance", share_of_hits, {}),
    ("symmetry", lambda n: np.triu(n).sum(axis=(-2, -1)) / np.maximum(items(n), 1), {}),
    ("reversal", recall_of_first, {}),
    ("unused_levels", lambda n: share_of_hits(n) / n.shape[-1], {}),
    ("range", lambda n: 2 * share_of_hits(n), {}),
    ("perfect", lambda n: share_of_hits(n) / 2, {}),
    ("only_perfect", lambda n: np.ones(n.shape[:-2]), {}),
    ("triangle_inequality", lambda n: 1 - (1 - share_of_hits(n)) ** 2, {}),
    ("class_proportions", share_of_hits, {}),
    ("single_item", lambda n: np.where(items(n) > 1, share_of_hits(n), np.nan), {}),
]
SATISFIED = [
    ("ordinal_invariance", share_of_hits),
    ("ordinal_invariance_of_positions", share_of_hits),
    ("ordinal_monotonicity", nearness),
    ("ordinal_monotonicity_with_empty_classes", nearness),
    ("triangle_inequality", share_of_hits),
    *((name, share_of_hits) for name in [*FACTS, "only_perfect", "single_item"]),
]


@pytest.mark.parametrize(("name", "kernel", "facts"), BROKEN, ids=[b[0] for b in BROKEN])
def test_a_broken_measure_of_ones_own_is_caught(
    name: str, kernel: Callable[..., Any], facts: dict[str, Any]
) -> None:
    with registered(kernel, **facts) as metric:
        finding = check_properties(metric, name).find(name)
    assert finding.holds is False
    assert finding.counterexample is not None
    assert f"on_trial breaks {name}" in str(finding)


@pytest.mark.parametrize(("name", "kernel"), SATISFIED, ids=[s[0] for s in SATISFIED])
def test_a_sound_measure_of_ones_own_passes(name: str, kernel: Callable[..., Any]) -> None:
    with registered(kernel) as metric:
        finding = check_properties(metric, name).find(name)
    assert finding.holds is True
    assert finding.cases > 20


def test_every_property_but_that_of_positions_is_shown_to_fail() -> None:
    # A measure gets matrices of positions, so it cannot break the one about renaming.
    assert {name for name, _, _ in BROKEN} == set(NAMES) - {"ordinal_invariance_of_positions"}


def test_all_data_are_tried() -> None:
    for k, axes, n in ((3, 2, 2), (2, 2, 4), (3, 1, 5), (2, 3, 3)):
        data = all_data(k, axes, n).reshape(-1, k**axes)
        assert len(data) == math.comb(k**axes + n - 1, n)
        assert len(np.unique(data, axis=0)) == len(data)
        assert (data.sum(axis=1) == n).all()


def test_exhaustive_search_finds_the_smallest_case() -> None:
    """No labelling of fewer items breaks the monotonicity of weighted kappa."""
    example = check_properties("weighted_kappa", "ordinal_monotonicity").counterexamples()[0]
    assert example.items == 3

    def breaks(truth: tuple[int, ...], s: tuple[int, ...], i: int) -> bool:
        nearer = list(s)
        nearer[i] += 1 if s[i] < truth[i] else -1
        before, after = (
            oe.weighted_kappa(truth, x, labels=range(4), undefined=np.nan) for x in (s, nearer)
        )
        return after <= before + 1e-12

    for k, n in ((2, 2), (2, 1)):
        for truth, s in product(product(range(k), repeat=n), repeat=2):
            if set(truth) == set(range(k)):
                assert not any(breaks(truth, s, i) for i in range(n) if s[i] != truth[i])


def test_larger_counterexamples_are_made_smaller() -> None:
    def odd(n: NDArray[Any]) -> Any:
        """Not symmetric once seven items of the first class are predicted too high."""
        return share_of_hits(n) / (1 + (n[..., 0, 1] >= 7))

    with registered(odd) as metric:
        example = check_properties(metric, "symmetry").find("symmetry").counterexample
    assert example is not None
    assert example.k == 2
    # The seven, and one hit without which the value is 0 either way.
    assert example.items == 8


@given(drawn=labels(5), where=st.integers(0, 11))
def test_what_the_search_did_not_break_holds_on_drawn_labels(drawn: Items, where: int) -> None:
    """Monotonicity of those that have it, from labels and not from the search's own matrices."""
    truth = [*drawn.t, *range(drawn.k)]
    far = [*drawn.p, *range(drawn.k)]
    i = where % len(drawn.t)
    assume(far[i] != truth[i])
    near = list(far)
    near[i] += 1 if far[i] < truth[i] else -1
    for name in ("cem_ord", "cem_ord_flat", "cem_int", "average_mae", "mean_squared_error"):
        metric = oe.get_metric(name)
        before, after = (metric(truth, s, labels=range(drawn.k)) for s in (far, near))
        assert metric.utility(after) > metric.utility(before)


def test_a_value_that_is_lost_breaks_an_invariance_only_if_nothing_else_does() -> None:
    finding = check_properties("extreme_sensitivity", "ordinal_invariance").findings[0]
    assert finding.counterexample is not None
    assert np.isnan(finding.counterexample.values).sum() == 1
    assert "undefined" in str(finding)
    other = check_properties("kendall_tau_a", "class_proportions").counterexamples()[0]
    assert not np.isnan(other.values).any()


def test_a_finding_does_not_depend_on_what_else_is_checked() -> None:
    """Data are random in all three: how many apply, and the counterexample, rest on the seed."""
    wanted = ["symmetry", "triangle_inequality", "unused_levels"]

    def rows(metrics: Any, properties: Any = wanted, rng: Any = 3) -> list[dict[str, Any]]:
        found = check_properties(metrics, properties, rng=rng).rows()
        return [r for r in found if r["metric"] == "misclassification_cost"]

    alone = rows("misclassification_cost")
    assert rows("misclassification_cost") == alone
    assert rows(["accuracy", "misclassification_cost"]) == alone
    assert rows(["misclassification_cost", "f1_macro"], wanted[::-1]) == alone[::-1]
    assert rows("misclassification_cost", wanted[1]) == alone[1:2]
    assert rows("misclassification_cost", rng=4) != alone
    drawn = rows("misclassification_cost", rng=np.random.default_rng(3))
    assert drawn == alone  # a generator gives one seed, as a seed makes one generator


# How it is asked, and what comes back


def test_parameters_that_fit_one_number_of_classes() -> None:
    weights = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).tolist()
    report = check_properties(oe.weighted_kappa.with_params(weights=weights))
    assert report.find("symmetry").holds
    assert not report.find("ordinal_monotonicity").holds
    assert report.find("ordinal_invariance").holds is None  # it needs a longer scale
    assert "?" in repr(report)
    eight = np.eye(8).tolist()
    with pytest.raises(oe.ParameterError, match="2 to 6 classes"):
        check_properties(oe.expected_cost.with_params(cost=eight), "range")


def test_expensive_measures_are_tried_on_the_smallest_data() -> None:
    metric = oe.oc_index_general.with_params(beta_deviation=0.1, beta_discordance=0.1)
    finding = check_properties(metric, "single_item").findings[0]
    assert finding.holds


def test_an_unknown_property_gets_the_nearest_name() -> None:
    with pytest.raises(oe.ParameterError, match=r"'imbalanced'\. Did you mean imbalance"):
        check_properties("accuracy", "imbalanced")
    report = check_properties("accuracy", "range")
    with pytest.raises(oe.UnknownMetricError, match="was not checked"):
        report.find("imbalance")


def test_progress_counts_measures_and_properties() -> None:
    seen: list[tuple[str, int, int]] = []
    check_properties(
        ["accuracy", "cem_ord"], ["range", "single_item"],
        progress=lambda *step: seen.append(step),
    )  # fmt: skip
    assert seen == [("properties", i, 4) for i in range(5)]


def test_the_report_as_table_records_and_frame(table_2: oe.meta.PropertyReport) -> None:
    text = table_2.table().to_text()
    assert "cem_ord" in text
    assert "no!" in text
    assert "kendall_tau_b: imbalance is claimed, 4 items of 3 classes break it." in text
    assert len(table_2.rows()) == 3 * len(table_2.metrics)
    frame = table_2.to_frame()
    assert frame["disagrees"].sum() == len(NOT_AS_CLAIMED)
    assert table_2.explain().count("breaks") == len(NOT_AS_CLAIMED)
    alone = check_properties("accuracy", PAPER)
    assert alone.explain().count("breaks") == 2
    assert "<table>" in alone._repr_html_()


def test_many_items_are_shown_as_runs() -> None:
    n = np.array([[30, 1], [0, 2]])
    rule = next(p for p in PROPERTIES if p.name == "range")
    example = oe.meta.Counterexample("m", rule, n, (n,), (0.5,))
    assert "1(x31) 2(x2)" in str(example)
