"""Coverage, robustness and their kin: against slow definitions, and against the paper's table."""

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

import ordeval as oe
from ordeval import meta
from ordeval.meta import SystemOutputs
from ordeval.meta.uir import _gaps, _t_test

MEASURES = ["accuracy", "misclassification_error", "cem_ord", "kendall_tau_b", "mean_squared_error"]

# Amigó et al. 2020, Table 3, synthetic data: coverage of all systems, then without each behaviour.
WITHOUT = (
    None, "random", "proximity", "majority", "tag displacement", "ordinal displacement",
)  # fmt: skip
TABLE_3 = {
    "accuracy": (0.81, 0.77, 0.78, 0.78, 0.94, 0.77),
    "kendall_tau_a": (0.84, 0.81, 0.82, 0.82, 0.93, 0.82),
    "mutual_information": (0.84, 0.82, 0.84, 0.82, 0.93, 0.82),
    "f1_macro": (0.83, 0.80, 0.82, 0.81, 0.93, 0.81),
    "balanced_accuracy": (0.83, 0.81, 0.82, 0.79, 0.91, 0.81),
    "cohen_kappa": (0.81, 0.78, 0.79, 0.77, 0.94, 0.77),
    "accuracy_within": (0.79, 0.75, 0.77, 0.80, 0.85, 0.79),
    "mean_absolute_error": (0.84, 0.82, 0.83, 0.87, 0.86, 0.84),
    "average_mae": (0.74, 0.73, 0.74, 0.80, 0.76, 0.73),
    "mean_squared_error": (0.89, 0.87, 0.87, 0.88, 0.93, 0.88),
    "average_mse": (0.83, 0.80, 0.80, 0.82, 0.90, 0.83),
    "pearson_r": (0.77, 0.79, 0.74, 0.73, 0.83, 0.79),
    "spearman_rho": (0.72, 0.67, 0.69, 0.77, 0.76, 0.70),
    "cem_ord": (0.91, 0.89, 0.90, 0.90, 0.95, 0.89),
    "cem_ord_flat": (0.87, 0.84, 0.86, 0.88, 0.89, 0.87),
}
FAMILIES = {
    "measurement theory": ("cem_ord", "cem_ord_flat"),
    "reference": ("accuracy", "kendall_tau_a", "mutual_information"),
    "error minimization": (
        "mean_absolute_error", "average_mae", "mean_squared_error", "average_mse",
    ),
    "classification": ("f1_macro", "balanced_accuracy", "cohen_kappa", "accuracy_within"),
    "correlation": ("pearson_r", "spearman_rho"),
}  # fmt: skip
LEFT_OUT = ("oc_index", "uoc_index", "auoc", "weighted_kappa", "cost_accuracy_distance")
IN_ALL_COLUMNS = ["cem_ord", "average_mae", "mean_squared_error"]
SEEDS = (0, 1, 2)


def small_outputs(seed: int = 0, cases: int = 6, systems: int = 5) -> SystemOutputs:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, (cases, systems, 3, 3)) + 2 * np.eye(3, dtype=np.int64)
    names = tuple("abcdefgh"[:systems])
    return SystemOutputs(counts, names, tuple(range(cases)), oe.Scale.range(1, 3))


def utilities(outputs: SystemOutputs, name: str) -> NDArray[np.float64]:
    metric = oe.get_metric(name)
    values = [[metric.from_confusion(n) for n in case] for case in outputs.counts]
    return np.asarray(metric.utility(np.array(values)))


# Slow definitions


def slow_uir(outputs: SystemOutputs, reference: Any = meta.REFERENCE) -> NDArray[np.float64]:
    u = [utilities(outputs, name) for name in reference]
    cases, systems = u[0].shape
    ratio = np.zeros((systems, systems))
    for s in range(systems):
        for other in range(systems):
            up = sum(all(x[t, s] >= x[t, other] - 1e-12 for x in u) for t in range(cases))
            down = sum(all(x[t, other] >= x[t, s] - 1e-12 for x in u) for t in range(cases))
            ratio[s, other] = (up - down) / cases
    return ratio


def test_unanimous_improvement_ratio_by_definition() -> None:
    for seed in range(3):
        outputs = small_outputs(seed)
        found = meta.unanimous_improvement_ratio(outputs)
        np.testing.assert_allclose(found, slow_uir(outputs))
        np.testing.assert_allclose(found, -found.T)


@pytest.mark.parametrize("name", MEASURES)
def test_coverage_by_definition(name: str) -> None:
    outputs = small_outputs(1)
    mean, ratio = utilities(outputs, name).mean(axis=0), slow_uir(outputs)
    pairs = [(s, t) for s in range(5) for t in range(5) if s != t]
    expected = stats.spearmanr(
        np.round([mean[s] - mean[t] for s, t in pairs], 12), [ratio[s, t] for s, t in pairs]
    ).statistic
    assert meta.coverage(outputs, name)[name] == pytest.approx(expected)


@pytest.mark.parametrize("name", MEASURES)
def test_robustness_by_definition(name: str) -> None:
    outputs = small_outputs(2)
    u = np.round(utilities(outputs, name), 12)
    between = [
        stats.spearmanr(u[s], u[t]).statistic for s in range(len(u)) for t in range(s + 1, len(u))
    ]
    assert meta.robustness(outputs, name)[name] == pytest.approx(np.mean(between))


@pytest.mark.parametrize("name", MEASURES)
def test_discriminative_power_by_definition(name: str) -> None:
    outputs = small_outputs(3, cases=12)
    u = utilities(outputs, name)
    p = [stats.ttest_rel(u[:, i], u[:, j]).pvalue for i in range(5) for j in range(i + 1, 5)]
    np.testing.assert_allclose(_t_test(_gaps(u)), p)
    for level in (0.5, 0.95):
        plain = meta.discriminative_power(outputs, name, level=level, corrected=False)
        assert plain[name] == pytest.approx(np.mean(np.array(p) <= 1 - level))
        corrected = meta.discriminative_power(outputs, name, level=level)
        assert corrected[name] == pytest.approx(np.mean(oe.holm(p) <= 1 - level))


def test_the_permutation_test_agrees_with_the_t_test() -> None:
    outputs = meta.simulate_systems(cases=30, items=60, k=5, centre=2, rng=0).outputs()
    both = [
        meta.discriminative_power(outputs, "accuracy", test=test, corrected=False, rng=0)
        for test in ("t", "permutation")
    ]
    assert both[0]["accuracy"] == pytest.approx(both[1]["accuracy"], abs=0.02)


def test_differences_that_do_not_vary_are_judged_by_their_signs() -> None:
    good, bad = [[5, 0], [0, 5]], [[3, 2], [2, 3]]
    for cases, share in ((4, 0.0), (8, 1.0)):  # two-sided signs: 1/8 and 1/128
        found = meta.discriminative_power([[good, bad]] * cases, "accuracy")
        assert found["accuracy"] == share
    assert meta.discriminative_power([[good, good]] * 8, "accuracy")["accuracy"] == 0


def test_rank_agreement_by_definition() -> None:
    outputs = small_outputs(4, systems=8)
    found = meta.rank_agreement(outputs, MEASURES)
    means = [utilities(outputs, name).mean(axis=0) for name in MEASURES]
    for i, x in enumerate(means):
        for j, y in enumerate(means):
            expected = stats.kendalltau(np.round(x, 12), np.round(y, 12)).statistic
            assert found.values[i, j] == pytest.approx(expected)
    assert [r["tau_b"] for r in found.rows()] == sorted(r["tau_b"] for r in found.rows())
    assert len(found.table().rows) == len(MEASURES)


def test_the_direction_of_a_measure_is_heeded() -> None:
    study = meta.study(small_outputs(5), ["accuracy", "misclassification_error"])
    for row in (study.coverage, study.robustness, study.power):
        assert row["accuracy"] == pytest.approx(row["misclassification_error"])
    np.testing.assert_allclose(study.agreement.values, 1)


def test_an_output_without_a_value_comes_last() -> None:
    constant, right, wrong = [[5, 0], [5, 0]], [[5, 0], [0, 5]], [[0, 5], [5, 0]]
    ratio = meta.unanimous_improvement_ratio([[constant, right, wrong]], ["kendall_tau_b"])
    np.testing.assert_array_equal(ratio, [[0, -1, -1], [1, 0, 1], [1, -1, 0]])
    both = [[constant, right, wrong], [right, right, wrong]]
    study = meta.study(both, ["kendall_tau_b", "accuracy"])
    assert study.undefined["kendall_tau_b"] == pytest.approx(1 / 6)
    assert "kendall_tau_b 16.7%" in study.table().notes[-1]


def test_an_undefined_value_may_count_for_something() -> None:
    """An output that is constant has no rank correlation; counted as 1, it beats the others."""
    right, wrong, constant = [[4, 0], [0, 4]], [[3, 1], [2, 2]], [[4, 0], [4, 0]]
    outputs = [[right, wrong, constant], [wrong, right, constant]]
    u = np.array([[1, 0, 1], [0, 1, 1]]) * (1 - (rho := oe.kendall_tau_b.from_confusion(wrong)))
    filled = (u + rho).mean(axis=0)
    unanimous = meta.unanimous_improvement_ratio(outputs)
    pairs = list(permutations(range(3), 2))
    expected = stats.spearmanr(
        [filled[i] - filled[j] for i, j in pairs], [unanimous[i, j] for i, j in pairs]
    ).statistic
    found = meta.coverage(outputs, "kendall_tau_b", undefined=1.0)["kendall_tau_b"]
    assert found == pytest.approx(expected)
    assert found < 0
    assert np.isnan(meta.coverage(outputs, "kendall_tau_b")["kendall_tau_b"])


def test_a_measure_that_ranks_all_alike_has_no_coverage_and_no_robustness() -> None:
    outputs = small_outputs()

    @oe.register(
        symbol="1", family="accuracy", best=1, range=(0, 1), greater_is_better=True,
        symmetric=True, reversal_invariant=True, depends_on_empty_levels=False,
        undefined_when="never", reference="This test",
    )  # fmt: skip
    def constant_one(n: Any) -> Any:
        return np.ones(n.shape[:-2])

    try:
        study = meta.study(outputs, ["constant_one", "accuracy"])
    finally:
        oe.unregister("constant_one")
    assert np.isnan(study.coverage["constant_one"])
    assert np.isnan(study.robustness["constant_one"])
    assert study.power["constant_one"] == 0
    assert [row["metric"] for row in study.rows()] == ["accuracy", "constant_one"]


# The paper


@pytest.fixture(scope="module")
def simulated() -> dict[str, NDArray[np.float64]]:
    """Mean coverage over the seeds, a row of Table 3 for each measure; of most the first column."""
    rows = {name: np.zeros(len(WITHOUT)) for name in (*TABLE_3, *LEFT_OUT)}
    for seed in SEEDS:
        systems = meta.simulate_systems(rng=seed)
        for i, gone in enumerate(WITHOUT):
            names = list(rows) if gone is None else IN_ALL_COLUMNS
            found = meta.coverage(systems.outputs(without=gone), names)  # type: ignore[arg-type]
            for name, value in found.items():
                rows[name][i] += value / len(SEEDS)
    return rows


def test_coverage_of_cem_is_that_of_table_3(simulated: dict[str, Any]) -> None:
    assert simulated["cem_ord"][0] == pytest.approx(TABLE_3["cem_ord"][0], abs=0.03)
    # Each of the other columns too, from a value that print has rounded to two digits.
    np.testing.assert_allclose(simulated["cem_ord"], TABLE_3["cem_ord"], atol=0.035)


def test_cem_leads_the_measures_of_the_paper(simulated: dict[str, Any]) -> None:
    others = [simulated[name][0] for name in TABLE_3 if name != "cem_ord"]
    assert simulated["cem_ord"][0] > max(others)


def test_families_are_in_the_order_of_table_3(simulated: dict[str, Any]) -> None:
    printed, found = (
        {family: np.mean([source[m][0] for m in names]) for family, names in FAMILIES.items()}
        for source in (TABLE_3, simulated)
    )
    told_apart = [
        (better, worse)
        for better, worse in permutations(FAMILIES, 2)
        if printed[better] > printed[worse] + 0.01  # the print has two digits
    ]
    assert len(told_apart) == 9  # of 10: the reference and error minimization are level
    assert all(found[better] > found[worse] for better, worse in told_apart)


def test_the_rows_of_average_mae_and_mse_are_exchanged_in_print(simulated: dict[str, Any]) -> None:
    def apart(computed: str, printed: str) -> float:
        return float(np.abs(simulated[computed] - TABLE_3[printed]).mean())

    pair = ("average_mae", "mean_squared_error")
    straight = apart(pair[0], pair[0]), apart(pair[1], pair[1])
    exchanged = apart(*pair), apart(*reversed(pair))
    assert exchanged[0] < 0.015
    assert exchanged[1] < 0.05
    assert min(straight) > 0.1


def test_measures_that_the_paper_left_out_get_their_row(simulated: dict[str, Any]) -> None:
    found = {name: simulated[name][0] for name in LEFT_OUT}
    expected = {"oc_index": 0.88, "uoc_index": 0.88, "auoc": 0.895, "weighted_kappa": 0.82,
                "cost_accuracy_distance": 0.785}  # fmt: skip
    assert found == pytest.approx(expected, abs=0.015)


# What goes in


def frame(seed: int = 0, items: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 4, items)
    columns = {
        name: np.where(rng.random(items) < share, truth, rng.integers(1, 4, items))
        for name, share in (("good", 0.9), ("fair", 0.6), ("poor", 0.2))
    }
    case = [f"case {i}" for i in rng.permutation(items) % 4]
    return pd.DataFrame({"case": case, "truth": truth, **columns})


def test_labels_frames_and_files_give_the_same_counts(tmp_path: Path) -> None:
    wide = frame()
    systems = ["good", "fair", "poor"]
    by_labels = SystemOutputs.from_labels(
        wide["truth"], {s: wide[s] for s in systems}, wide["case"], labels=[1, 2, 3]
    )
    by_frame = SystemOutputs.from_frame(wide, "truth", systems, "case", labels=[1, 2, 3])
    wide.to_csv(tmp_path / "wide.csv", index=False)
    by_file = SystemOutputs.from_file(
        tmp_path / "wide.csv", "truth", systems, "case", labels=[1, 2, 3]
    )
    long = wide.melt(["case", "truth"], systems, "system", "label")
    by_long = SystemOutputs.from_frame(
        long, "truth", "label", "case", system="system", labels=[1, 2, 3]
    )
    long.to_csv(tmp_path / "long.csv", index=False)
    by_long_file = SystemOutputs.from_file(
        tmp_path / "long.csv", "truth", "label", "case", system="system", labels=[1, 2, 3]
    )
    assert by_labels.counts.sum() == 3 * len(wide)
    for other in (by_frame, by_file, by_long, by_long_file):
        assert other.cases == by_labels.cases
        order = [other.systems.index(s) for s in systems]
        np.testing.assert_array_equal(other.counts[:, order], by_labels.counts)


def test_loop_over_confusion_matrices_gives_the_same_counts() -> None:
    wide = frame(1)
    outputs = SystemOutputs.from_labels(
        wide["truth"], {"good": wide["good"], "poor": wide["poor"]}, wide["case"]
    )
    for i, case in enumerate(outputs.cases):
        part = wide[wide["case"] == case]
        for j, system in enumerate(outputs.systems):
            cm = oe.ConfusionMatrix.from_labels(part["truth"], part[system], [1, 2, 3])
            np.testing.assert_array_equal(outputs.counts[i, j], cm.counts)


def test_items_that_do_not_fit_are_left_out_with_their_case() -> None:
    outputs = SystemOutputs.from_labels(
        [1, 2, 1, 2], {"a": [1, 9, 1, 2], "b": [1, 2, 2, 2]}, ["x", "x", 7, 7],
        labels=[1, 2], unknown="drop",
    )  # fmt: skip
    assert outputs.cases == ("x", 7)
    np.testing.assert_array_equal(outputs.counts.sum(axis=(2, 3)), [[1, 1], [2, 2]])


def test_integers_imply_a_scale_and_gaps_are_warned_of() -> None:
    with pytest.warns(oe.EmptyLevelWarning):
        outputs = SystemOutputs.from_labels([1, 4], {"a": [1, 4], "b": [4, 4]}, [0, 1])
    assert outputs.scale.k == 4


def test_bad_input_is_refused_with_a_remedy() -> None:
    wide = frame()
    with pytest.raises(oe.LabelError, match="60 in all"):
        SystemOutputs.from_labels(wide["truth"], {"good": wide["good"]}, ["a", "b"])
    with pytest.raises(oe.LabelError, match="must not hold missing values"):
        SystemOutputs.from_labels([1, 2], {"a": [1, 2]}, [1.0, np.nan])
    with pytest.raises(oe.LabelError, match="pred= must name that one"):
        SystemOutputs.from_frame(wide, "truth", ["good", "poor"], "case", system="fair")
    with pytest.raises(oe.CountsError, match="at least 2; got 1"):
        meta.coverage(np.ones((3, 1, 2, 2)))
    with pytest.raises(oe.CountsError, match=r"\(cases, systems, K, K\); got \(2, 2\)"):
        meta.coverage(np.ones((2, 2)))
    with pytest.raises(oe.CountsError, match="split the items at random"):
        meta.robustness(np.ones((1, 3, 2, 2)))
    with pytest.raises(oe.ParameterError, match="level must lie"):
        meta.discriminative_power(np.ones((3, 3, 2, 2)), level=95)
    with pytest.raises(oe.ParameterError, match='"t" or "permutation"'):
        meta.discriminative_power(np.ones((3, 3, 2, 2)), test="sign")  # type: ignore[arg-type]
    with pytest.raises(oe.LabelError, match="no system is called 'z'"):
        small_outputs().without("a", "z")


# What comes out


def test_a_study_as_table_records_and_frame() -> None:
    seen: list[tuple[str, int, int]] = []
    study = meta.study(small_outputs(), MEASURES, progress=lambda *step: seen.append(step))
    assert seen == [("measures", i, len(MEASURES)) for i in range(len(MEASURES) + 1)]
    assert "5 systems, 6 test cases, 10 pairs" in repr(study)
    assert [row["coverage"] for row in study.rows()] == sorted(study.coverage.values())[::-1]
    assert list(study.to_frame()["metric"]) == [row["metric"] for row in study.rows()]
    with pytest.raises(oe.UnknownMetricError, match="was not studied"):
        study.coverage["auoc"]
    assert len(study.coverage) == len(MEASURES)
    assert "<table>" in study._repr_html_()
    power = meta.discriminative_power(small_outputs(), MEASURES)
    assert set(power.rows()[0]) == {"metric", "discriminative_power"}
    assert dict(power) == pytest.approx(dict(study.power))
    alone = meta.coverage(small_outputs(), MEASURES)
    assert dict(alone) == pytest.approx(dict(study.coverage))


def test_ties_are_ties_after_sums() -> None:
    rows = [[1, 3, 5], [2, 0, 4]]
    counts = np.array([[[[h, 0], [7 - h, 0]] for h in row] for row in rows])
    found = oe.meta.rank_agreement(counts, ["accuracy", "misclassification_error"])
    assert found.values[0, 1] == 1.0  # one is the complement of the other


def test_systems_must_answer_the_same_items() -> None:
    import polars as pl

    rows = [(c, s, y, y) for c in ("q1", "q2") for s in ("a", "b") for y in (1, 2)]
    frame = pl.DataFrame(rows, schema=["case", "who", "y", "p"], orient="row")
    columns = {"truth": "y", "pred": "p", "case": "case", "system": "who", "labels": [1, 2]}
    assert oe.meta.SystemOutputs.from_frame(frame, **columns).systems == ("a", "b")
    for broken in (frame[:-1], pl.concat([frame, frame[-1:]])):
        with pytest.raises(oe.LabelError, match="the same items of a test case; in 'q2'"):
            oe.meta.SystemOutputs.from_frame(broken, **columns)


def test_what_was_left_out_is_told() -> None:
    outputs = oe.meta.SystemOutputs.from_labels(
        [1, 2, None, 1, 2, 1], {"a": [1, 2, 1, 1, 1, 1], "b": [2, 2, 1, 1, 2, 1]},
        ["q", "q", "q", "r", "r", "r"], labels=[1, 2], missing="drop",
    )  # fmt: skip
    study = oe.meta.study(outputs, ["accuracy", "cem_ord"])
    assert "left out: 1 missing and 0 unknown labels." in study.table().notes


def test_too_few_draws_to_separate_anything() -> None:
    good, bad = [[5, 0], [0, 5]], [[3, 2], [2, 3]]
    with pytest.raises(oe.ParameterError, match="n_resamples must be at least 60 for 3 pairs"):
        oe.meta.discriminative_power(
            [[good, bad, bad]] * 4, "accuracy", test="permutation", n_resamples=19
        )
    with pytest.raises(oe.ParameterError, match="centre must be a number"):
        oe.meta.simulate_systems(centre=float("nan"))
    with pytest.raises(oe.LabelError, match="got none"):
        oe.meta.SystemOutputs.from_labels([1], {}, ["q"])
