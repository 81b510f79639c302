"""The data behind each picture, and that it is drawn where it was asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from sklearn.dummy import DummyClassifier

import ordeval as oe
from ordeval import plots
from ordeval.plots import _style as look

mpl.use("Agg")
import matplotlib.pyplot as plt

LEVELS = ["low", "medium", "high", "extreme"]
RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 4, 400)
MODELS = {
    f"m{i}": np.where(RNG.random(400) < 0.4 + 0.1 * i, TRUTH, RNG.integers(0, 4, 400))
    for i in range(4)
}
MATRICES = {m: oe.ConfusionMatrix.from_labels(TRUTH, p) for m, p in MODELS.items()}
CM = oe.ConfusionMatrix(MATRICES["m1"].counts, LEVELS)
COMPARISON = oe.compare(
    TRUTH, MODELS, labels=range(4), metrics=["cem_ord", "mean_absolute_error", "mean_signed_error"]
)
STUDY = oe.meta.study(
    oe.meta.SystemOutputs.from_labels(TRUTH, MODELS, np.arange(400) % 10), ["cem_ord", "accuracy"]
)
CURVES = oe.meta.degradation_curves(["cem_ord", "accuracy", "kendall_tau_b"])
PLAN = oe.plan("cem_ord", CM, half_width=0.05)
PROB = RNG.dirichlet(np.ones(4), 400)
HUMANS = oe.Ratings({"a": TRUTH, "b": MODELS["m3"], "c": MODELS["m2"]}, labels=range(4))
JUDGEMENT = oe.judge(HUMANS, {"good": MODELS["m3"], "poor": MODELS["m0"]}, margin=0.1)
MOVED = oe.judge(HUMANS, {"good": MODELS["m3"]}, covariates={"length": RNG.normal(size=len(TRUTH))})


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    plt.close("all")  # examples of docstrings leave theirs open
    yield
    plt.close("all")


OF_MATRIX = [
    plots.ConfusionDisplay, plots.PathDisplay, plots.SignedErrorDisplay, plots.ThresholdDisplay,
    plots.UOCCurveDisplay, plots.PerformanceGridDisplay, plots.ClassDistributionDisplay,
    plots.ErrorCostDisplay,
]  # fmt: skip
DISPLAYS: dict[str, Callable[[Any], Any]] = {
    **{d.__name__: lambda ax, d=d: d.from_confusion(CM, ax=ax) for d in OF_MATRIX},
    **{
        d.__name__: lambda ax, d=d: d.from_comparison(COMPARISON, ax=ax)
        for d in (
            plots.IntervalDisplay, plots.DeltaDisplay, plots.ProbabilityBestDisplay,
            plots.RankAgreementDisplay, plots.RankDisplay, plots.CriticalDifferenceDisplay,
        )
    },
    **{
        d.__name__: lambda ax, d=d: d.from_judgement(JUDGEMENT, ax=ax)
        for d in (
            plots.CeilingDisplay, plots.GradeBiasDisplay, plots.JudgeMatrixDisplay,
            plots.JudgeHumanDisplay, plots.SeverityDisplay,
        )
    },
    "JudgeEffectsDisplay": lambda ax: plots.JudgeEffectsDisplay.from_judgement(MOVED, ax=ax),
    "CoverageDisplay": lambda ax: plots.CoverageDisplay.from_study(STUDY, ax=ax),
    "DegradationDisplay": lambda ax: plots.DegradationDisplay.from_curves(CURVES, ax=ax),
    "PlanDisplay": lambda ax: plots.PlanDisplay.from_plan(PLAN, ax=ax),
    "UOCDistanceDisplay": lambda ax: plots.UOCDistanceDisplay(4).plot(ax=ax),
    "CalibrationDisplay": lambda ax: plots.CalibrationDisplay.from_predictions(TRUTH, PROB, ax=ax),
    "RPSDecompositionDisplay": lambda ax: (
        plots.RPSDecompositionDisplay.from_predictions(TRUTH, PROB, ax=ax)
    ),
    "DecisionCurveDisplay": lambda ax: (
        plots.DecisionCurveDisplay.from_predictions(TRUTH, PROB, ax=ax)
    ),
    "ROCDisplay": lambda ax: plots.ROCDisplay.from_predictions(TRUTH, PROB, ax=ax),
}  # fmt: skip


def test_no_display_is_forgotten() -> None:
    assert set(DISPLAYS) == set(plots.__all__)


@pytest.mark.parametrize("name", DISPLAYS)
def test_a_display_draws_on_the_given_axes(name: str) -> None:
    figure = Figure()
    ax = figure.subplots()
    before = dict(mpl.rcParams)
    display = DISPLAYS[name](ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.patches or any(x.has_data() for x in [ax, *ax.child_axes])
    assert ax.get_title(loc="left").replace("\n", " ") == display.title() != ""
    assert display.describe().endswith(".")
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


def test_a_display_makes_its_own_axes() -> None:
    display = DISPLAYS["ConfusionDisplay"](None)
    assert len(plt.get_fignums()) == 1
    assert display.plot(title="mine").ax_.get_title(loc="left") == "mine"
    # All others are drawn by the same lines.
    assert not [name for name in plots.__all__ if "plot" in vars(getattr(plots, name))]


@pytest.mark.parametrize("display", OF_MATRIX)
def test_matrix_labels_and_estimator_are_one(display: Any) -> None:
    features = np.zeros((len(TRUTH), 1))
    estimator = DummyClassifier(strategy="prior").fit(features, TRUTH)
    ax = Figure().subplots()
    from_labels = display.from_predictions(TRUTH, estimator.predict(features), ax=ax)
    from_estimator = display.from_estimator(estimator, features, TRUTH, ax=ax)
    assert from_labels.describe() == from_estimator.describe()


def test_several_models_share_a_scale() -> None:
    display = plots.UOCCurveDisplay.from_predictions([1, 2, 3], {"a": [1, 2, 2], "b": [1, 1, 1]})
    assert list(display.curves) == ["a", "b"]
    with pytest.raises(oe.CountsError, match="draws one matrix; got 2"):
        plots.ConfusionDisplay.from_confusion({"a": CM, "b": CM})
    with pytest.raises(oe.CountsError, match="this is a stack"):
        plots.ConfusionDisplay.from_confusion(np.ones((2, 3, 3), dtype=int))
    with pytest.raises(oe.CountsError, match="the same scale"):
        plots.UOCCurveDisplay.from_confusion({"a": CM, "b": MATRICES["m0"]})


def test_the_matrix() -> None:
    display = plots.ConfusionDisplay.from_confusion([[3, 1, 0], [0, 0, 0], [0, 1, 999]])
    assert display.shares[0].tolist() == [0.75, 0.25, 0]
    texts = [t.get_text() for t in display.ax_.texts]
    assert texts[:2] == ["3\n75%", "1\n25%"]
    assert texts[-1] == "999\n>99%"  # not all of them
    assert "1: no items" in display.describe()
    many = plots.ConfusionDisplay.from_confusion(np.eye(50, dtype=int))
    assert not many.ax_.texts
    assert len(many.ax_.get_xticks()) <= 20


def test_text_can_be_read_on_its_cell() -> None:
    display = plots.ConfusionDisplay.from_confusion([[9, 1], [4, 6]])
    image = display.ax_.images[0]
    for text in display.ax_.texts:
        column, row = (round(x) for x in text.get_position())
        red, green, blue, _ = image.cmap(image.norm(display.shares[row, column]))
        cell = _luminance((red, green, blue))
        ink = _luminance(mpl.colors.to_rgb(text.get_color()))
        contrast = (max(cell, ink) + 0.05) / (min(cell, ink) + 0.05)
        assert contrast >= 3, text.get_text()


def _luminance(colour: tuple[float, float, float]) -> float:
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_the_path_is_the_optimal_path() -> None:
    display = plots.PathDisplay.from_confusion(CM, metric="uoc_index", beta=0.3)
    path = oe.optimal_path(CM, "uoc_index", beta=0.3)
    assert display.path.cells == path.cells
    line = display.ax_.lines[0]
    drawn = list(zip(line.get_ydata().tolist(), line.get_xdata().tolist(), strict=True))
    assert drawn == [tuple(c) for c in path.cells]
    assert display.title().startswith(f"UOC = {oe.uoc_index.from_confusion(CM, beta=0.3):.3f}")


def test_the_curves_have_their_areas() -> None:
    display = plots.UOCCurveDisplay.from_confusion(MATRICES)
    for name, cm in MATRICES.items():
        assert display.curves[name].area == pytest.approx(oe.auoc.from_confusion(cm))
    single = plots.UOCDistanceDisplay(5, betas=[0.5])
    one = np.zeros((5, 5), dtype=int)
    one[0, 3] = 1
    assert single.values[0.5][3] == oe.uoc_index.from_confusion(one, beta=0.5)
    assert single.area[3] == oe.auoc.from_confusion(one)
    with pytest.raises(oe.ParameterError, match="k must be an integer >= 2"):
        plots.UOCDistanceDisplay(1)


def test_the_grid_crowns_the_least_distance() -> None:
    display = plots.PerformanceGridDisplay.from_confusion(MATRICES)
    d = {m: oe.cost_accuracy_distance.from_confusion(cm.counts) for m, cm in MATRICES.items()}
    assert display.winner == min(d, key=d.__getitem__)
    assert dict(zip(display.names, display.distance.tolist(), strict=True)) == pytest.approx(d)
    # George et al. 2016, section 3.2: an equal distance is decided by the chance line.
    ties = {"near": [[7, 3], [3, 7]], "far": [[7, 3], [3, 7]]}
    assert plots.PerformanceGridDisplay.from_confusion(ties).winner == "near"


@pytest.mark.parametrize("weak", [[[1, 0], [9, 90]], [[60, 40], [5, 95]]])
def test_the_legend_of_the_grid_hides_no_point_and_no_line_strikes_words(weak: Any) -> None:
    ax = Figure(figsize=(5.4, 5.0), layout="constrained").subplots()
    models = {f"m{i}": [[90 - i, 10 + i], [i, 100 - i]] for i in range(11)}
    display = plots.PerformanceGridDisplay.from_confusion({**models, "weak": weak}, ax=ax)
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    box = legend.get_window_extent()
    points = ax.transData.transform(np.stack([display.accuracy, display.cost], axis=1))
    assert not any(box.contains(x, y) for x, y in points)
    assert legend.get_frame().get_alpha() == 1  # the arcs end at its edge
    (words,) = (t for t in ax.texts if t.get_text() == "chance line")
    corners = words.get_window_extent().corners()
    # Turned as the line is, its lower edge lies above the line, where x + y = 1.
    line = ax.transData.transform([(0, 1), (1, 0)]).sum(axis=1)
    start = ax.transData.transform(words.xy) + np.array(words.get_position()) * ax.figure.dpi / 72
    assert line[0] == pytest.approx(line[1], abs=1)
    assert start.sum() > line[0]
    assert corners.sum(axis=1).max() > line[0]


def test_the_legend_of_the_classes_lies_on_no_bar() -> None:
    ax = Figure(figsize=(6, 3.6), layout="constrained").subplots()
    plots.ClassDistributionDisplay.from_confusion(MATRICES, ax=ax)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1 - 1


@pytest.mark.parametrize("k", [2, 3, 5, 12, 60])
def test_percents_along_an_axis_differ(k: int) -> None:
    cm = oe.ConfusionMatrix(np.eye(k, dtype=int) * np.arange(50, 50 + k)[:, None])
    for display in (plots.ClassDistributionDisplay({"m": cm}), plots.ConfusionDisplay(cm)):
        figure = Figure(figsize=display._size(), layout="constrained")
        display.plot(ax=figure.subplots())
        figure.draw_without_rendering()
        axis = figure.axes[-1].yaxis
        shown = [t.get_text() for t in axis.get_ticklabels()]
        assert all(x.endswith("%") for x in shown)
        assert len(set(shown)) == len(shown) > 2
        for text, place in zip(shown, axis.get_majorticklocs(), strict=True):
            assert float(text.rstrip("%")) == pytest.approx(100 * place, abs=1e-6)
        # No more decimals than they need: 5%, not 5.0%.
        assert "." not in shown[0] or not all(x.endswith("0%") for x in shown)


def test_errors_and_thresholds_by_hand() -> None:
    n = CM.counts
    errors = plots.SignedErrorDisplay.from_confusion(CM)
    assert errors.shares[0, 3 + 2] == n[0, 2] / n[0].sum()
    assert errors.shares[3, 3 - 3] == n[3, 0] / n[3].sum()
    thresholds = plots.ThresholdDisplay.from_confusion(CM)
    assert list(thresholds.result) == [">= medium", ">= high", ">= extreme"]
    above = TRUTH >= 2
    predicted = MODELS["m1"] >= 2
    hits, passes = (above & predicted).sum(), (~above & ~predicted).sum()
    expected = {
        "prevalence": above.mean(), "sensitivity": hits / above.sum(),
        "specificity": passes / (~above).sum(), "ppv": hits / predicted.sum(),
        "npv": passes / (~predicted).sum(),
    }  # fmt: skip
    assert {m: each[1] for m, each in thresholds.values.items()} == pytest.approx(expected)


def test_distributions() -> None:
    display = plots.ClassDistributionDisplay.from_confusion(MATRICES)
    assert display.truth == pytest.approx(np.bincount(TRUTH) / 400)
    assert display.predicted["m2"] == pytest.approx(np.bincount(MODELS["m2"], minlength=4) / 400)


def test_comparisons_show_their_numbers() -> None:
    intervals = plots.IntervalDisplay.from_comparison(COMPARISON, "mean_absolute_error")
    assert intervals.estimate.tolist() == sorted(intervals.estimate)  # lower is better, first
    best = plots.ProbabilityBestDisplay.from_comparison(COMPARISON)
    assert sum(best.probability.values()) == pytest.approx(1)
    deltas = plots.DeltaDisplay.from_comparison(COMPARISON, "mean_absolute_error")
    assert len(deltas.deltas) == 6
    assert deltas.ax_.get_xlabel().startswith("← the first model is better")
    assert deltas.p_values == [d.p_adjusted for d in deltas.deltas]
    few = plots.DeltaDisplay(COMPARISON, most=2)
    assert few.title().endswith(", 2 of 6 pairs")
    assert "4 more pairs are not drawn" in few.describe()
    with pytest.raises(oe.ParameterError, match="not one of the compared measures"):
        plots.IntervalDisplay.from_comparison(COMPARISON, "auoc")
    agreement = plots.RankAgreementDisplay.from_comparison(COMPARISON)
    assert agreement.agreement.shape == (3, 3)


def test_ranks() -> None:
    display = plots.RankDisplay.from_comparison(COMPARISON)
    assert tuple(display.names) == COMPARISON.models
    assert display.observed.tolist() == [1, 2, 3, 4]
    sets = COMPARISON.rank_sets["cem_ord"]
    drawn = [b for b in display.ax_.patches if b.get_linewidth() > 0]
    spans = [(b.get_x() + 0.5, b.get_x() + b.get_width() - 0.5) for b in drawn]
    assert spans == [sets[n] for n in display.names]
    own = [to_rgba(look.mark_of(i)["color"]) for i in range(4)]  # as in every other picture
    assert [b.get_edgecolor() for b in drawn] == own
    shaded = [b for b in display.ax_.patches if b.get_width() == 1 and b.get_linewidth() == 0]
    assert len(shaded) >= (COMPARISON.rank_shares >= 0.005).sum()
    assert display.may_be_best == COMPARISON.may_be_best
    assert f"Plausible bests: {', '.join(COMPARISON.may_be_best)}." in display.describe()
    # By another measure nothing is said about the best, or about how often.
    other = plots.RankDisplay.from_comparison(COMPARISON, "mean_absolute_error")
    assert (other.may_be_best, "best" in other.describe()) == ((), False)
    assert np.isnan(other.shares).all()


def test_many_ranks_fit() -> None:
    models = {f"model {i}": np.roll(MODELS["m3"], i // 4) for i in range(33)}
    many = oe.compare(TRUTH, models, ["accuracy"], labels=range(4))
    display = plots.RankDisplay.from_comparison(many)
    assert display._size()[1] < 9
    assert display.ax_.get_xticks().tolist() == [1, 5, 10, 15, 20, 25, 30]
    best = plots.ProbabilityBestDisplay.from_comparison(many)
    names = [t.get_text() for t in best.ax_.get_yticklabels()]
    assert names[-1].endswith(" others together")
    assert len(names) < 33
    assert sum(best._bars().values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("metric", "shown", "limit"),
    [("cem_ord", "CEM (closeness)", -0.05), ("mean_absolute_error", "MAE", 0.05)],
)
def test_a_margin_is_a_band_with_its_limit(metric: str, shown: str, limit: float) -> None:
    compared = oe.compare(TRUTH, MODELS, [metric], labels=range(4), reference="m1", margin=0.05)
    display = plots.DeltaDisplay.from_comparison(compared)
    assert display.margin == 0.05
    assert display.title() == f"Differences in {shown} from m1"
    dashed = [x for x in display.ax_.lines if x.get_linestyle() == "--"]
    assert [x.get_xdata()[0] for x in dashed] == [limit]
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["m3", "m2", "m0"]
    assert "The margin is 0.05." in display.describe()
    assert plots.DeltaDisplay(COMPARISON).margin is None


def test_critical_differences() -> None:
    scores = {"a": [9, 8, 9, 7, 9, 8], "b": [8, 9, 7, 6, 8, 7], "c": [5, 6, 4, 5, 6, 5]}
    cases = oe.compare_cases(scores)
    display = plots.CriticalDifferenceDisplay.from_cases(cases)
    assert display.cliques == cases.cliques == (("a", "b"), ("b", "c"))
    assert display.difference == cases.critical_difference
    apart = COMPARISON.cliques()
    beside = plots.CriticalDifferenceDisplay.from_comparison(COMPARISON)
    assert beside.cliques == apart
    dots = [line for line in beside.ax_.lines if len(line.get_xdata()) == 1]
    assert [(d.get_color(), d.get_marker()) for d in dots] == [
        tuple(look.mark_of(i).values()) for i in range(len(COMPARISON.models))
    ]
    for clique in apart:
        i, j = (COMPARISON.models.index(m) for m in (clique[0], clique[-1]))
        assert COMPARISON.separation[i, j] > 0.05


def test_measures_about_measures() -> None:
    coverage = plots.CoverageDisplay.from_study(STUDY)
    found = dict(zip(coverage.names, coverage.values.tolist(), strict=True))
    assert found == pytest.approx(dict(STUDY.coverage))
    for way in CURVES.degradations:
        display = plots.DegradationDisplay.from_curves(CURVES, way)
        assert display.curves[:, 0] == pytest.approx([1, 1, 1])
        assert np.nanmin(display.curves) >= -1e-12
    with pytest.raises(oe.ParameterError, match='degradation must be "noise", '):
        plots.DegradationDisplay(CURVES, "rust")


HOSTILE = ["$x^2$", "a\nb", "<script>", "\x00", "مرحبا", "🙂", "l" * 200, "_x_%"]


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_drawn_as_text() -> None:
    cm = oe.ConfusionMatrix(np.ones((8, 8), dtype=int), HOSTILE)
    for display in OF_MATRIX:
        made = display.from_confusion({"$\\frac{": cm} if display.several else cm)
        made.figure_.canvas.draw()
        plt.close("all")
    ticks = plots.ConfusionDisplay.from_confusion(cm).ax_.get_xticklabels()
    assert ticks[0].get_text() == r"\$x^2\$"
    assert len(ticks[6].get_text()) <= 14


@pytest.mark.parametrize("weights", [False, True])
def test_calibration_parts_add_up(weights: bool) -> None:
    w = RNG.random(400) if weights else None
    parts = oe.calibration(TRUTH, PROB, sample_weight=w)
    sums = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert sums == pytest.approx(parts.rps)
    expected = oe.ranked_probability_score(TRUTH, PROB, sample_weight=w)
    assert parts.rps.sum() == pytest.approx(expected)
    assert (parts.miscalibration >= -1e-12).all()
    assert (parts.discrimination >= -1e-12).all()
    for observed in parts.observed:
        assert (np.diff(observed) >= -1e-12).all()


def test_calibration_of_probabilities_that_hold() -> None:
    # Three items in four are of the class that is given 3/4: nothing to mend.
    prob = np.tile([[0.75, 0.25]], (8, 1))
    parts = oe.calibration([0, 0, 0, 1] * 2, prob)
    assert parts.miscalibration == pytest.approx([0])
    assert parts.discrimination == pytest.approx([0])
    with pytest.raises(oe.LabelError, match="at least two classes"):
        oe.calibration([1], [[1.0]], labels=[1])


def test_each_threshold_has_a_panel() -> None:
    parts = oe.calibration(TRUTH, PROB, labels=range(4))
    display = plots.CalibrationDisplay.from_calibration(parts)
    assert [x.get_title(loc="left") for x in display.axes_] == ["≥ 1", "≥ 2", "≥ 3"]
    for ax, at in zip(display.axes_, parts.thresholds, strict=True):
        assert ax.lines[1].get_xdata().tolist() == at.predicted.tolist()
        assert ax.lines[1].get_ydata().tolist() == at.observed.tolist()
        assert f"slope {at.slope.value:.2f} [" in ax.texts[0].get_text()
    one = plots.CalibrationDisplay.from_calibration(parts, 2)
    assert (one.axes_, one.title()) == ([one.ax_], "Calibration, ≥ 2")
    curve = oe.decision_curve(TRUTH, {"a": PROB, "b": PROB[::-1]}, labels=range(4))
    decisions = plots.DecisionCurveDisplay.from_decision_curve(curve, 3)
    (ax,) = decisions.axes_
    drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert list(drawn) == ["act on none", "act on all", "a", "b"]
    np.testing.assert_array_equal(drawn["b"], curve.benefit["b"][2].model.value)
    np.testing.assert_array_equal(drawn["act on all"], curve.benefit["a"][2].always)
    with pytest.raises(oe.ParameterError, match="is the lowest level of"):
        plots.DecisionCurveDisplay(curve, 0)


def test_many_thresholds_are_drawn_in_part() -> None:
    prob = RNG.dirichlet(np.ones(30), 60)
    display = plots.CalibrationDisplay.from_predictions(
        RNG.integers(0, 30, 60), prob, labels=range(30), ax=Figure().subplots()
    )
    assert display.title() == "Calibration, 10 of 29 thresholds"
    assert len(display.axes_) == 10


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_levels_and_models_in_panels() -> None:
    truth, prob = [HOSTILE[i % 8] for i in range(40)], RNG.dirichlet(np.ones(8), 40)
    given = {"labels": HOSTILE, "ax": None}
    for display in (
        plots.CalibrationDisplay.from_predictions(truth, prob, **given),
        plots.DecisionCurveDisplay.from_predictions(truth, {"$\\frac{": prob, "_x": prob}, **given),
        plots.ROCDisplay.from_predictions(truth, {"$\\frac{": prob}, at_least=HOSTILE[1], **given),
    ):
        display.figure_.canvas.draw()


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(oe.ScaleError, match="a cut needs two levels, one on each side"):
        plots.ThresholdDisplay.from_confusion([[4]])
    with pytest.raises(oe.LabelError, match="needs a classifier with predict_proba"):
        plots.CalibrationDisplay.from_estimator(object(), [[1]], [1])
    with pytest.raises(oe.LabelError, match="RPSDecompositionDisplay needs a classifier with"):
        plots.RPSDecompositionDisplay.from_estimator(object(), [[1]], [1])
    with pytest.raises(oe.LabelError, match="ROCDisplay needs a classifier with"):
        plots.ROCDisplay.from_estimator(object(), [[1]], [1])
    many = plots.SignedErrorDisplay.from_confusion(np.eye(40, dtype=int))
    assert len(many.ax_.patches) == 0
    assert plots.PerformanceGridDisplay.from_confusion([[5, 1], [0, 0]]).title().startswith("d is")


def test_the_plan_is_marked() -> None:
    display = plots.PlanDisplay.from_plan(PLAN)
    curve, *_, planned = display.ax_.lines
    assert curve.get_xdata().tolist() == [p.items for p in PLAN.curve]
    assert curve.get_ydata().tolist() == [p.reached for p in PLAN.curve]
    assert (planned.get_xdata()[0], planned.get_ydata()[0]) == (PLAN.items, PLAN.reached)
    assert [t.get_text() for t in display.ax_.texts] == [f"{PLAN.items} items"]
    assert display.describe().endswith(f"Planned: {PLAN.items} items.")
    assert display.title() == "cem_ord: half-width of the 95% interval"
    compared = oe.plan("accuracy", accuracy=[0.8, 0.7], k=3, power=0.8, cluster_size=2, icc=0.5)
    drawn = plots.PlanDisplay.from_plan(compared)
    assert drawn.ax_.texts[0].get_text() == f"{compared.items} items\n{compared.clusters} clusters"
    assert drawn.title() == "accuracy: power to show the difference"
    margin = oe.plan("accuracy", accuracy=[0.8, 0.8], k=3, power=0.8, margin=0.1, sizes=[])
    assert plots.PlanDisplay(margin).title() == "accuracy: power to show non-inferiority by 0.1"
    plots.PlanDisplay.from_plan(margin)


def test_the_ceiling_the_margin_and_what_is_shown() -> None:
    display = plots.CeilingDisplay.from_judgement(JUDGEMENT, ax=Figure().subplots())
    ceiling, margin = (line.get_xdata()[0] for line in display.ax_.lines[:2])
    assert ceiling == JUDGEMENT.ceiling.estimate
    assert margin == pytest.approx(ceiling - 0.1)
    said = display.describe()
    assert f"Humans with each other: {ceiling:.3f} from " in said
    assert "The margin is 0.1." in said
    # Lower is better: the margin lies on the other side.
    less = oe.judge(HUMANS, {"m": MODELS["m0"]}, "mean_absolute_error", margin=0.1)
    ax = plots.CeilingDisplay.from_judgement(less, ax=Figure().subplots()).ax_
    assert ax.lines[1].get_xdata()[0] == pytest.approx(less.ceiling.estimate + 0.1)


def test_no_ceiling_is_no_line() -> None:
    alone = oe.judge([[x] for x in TRUTH], {"m": MODELS["m0"]}, labels=range(4))
    display = plots.CeilingDisplay.from_judgement(alone, ax=Figure().subplots())
    assert display.ax_.get_legend() is None
    assert "Humans with each other: —." in display.describe()


def test_bias_by_grade_has_a_line_for_each_judge() -> None:
    display = plots.GradeBiasDisplay.from_judgement(JUDGEMENT, ax=Figure().subplots())
    shown = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert shown == ["other humans", *JUDGEMENT.judges]
    drawn = {line.get_label(): line.get_ydata() for line in display.ax_.lines[1:]}
    own = [x.estimate for x in JUDGEMENT.humans_by_grade.values()]
    np.testing.assert_array_equal(drawn["other humans"], own)
    assert "Other humans: 0 " in display.describe()
    for name in JUDGEMENT.judges:
        steps = drawn[name]
        expected = [x.estimate for x in JUDGEMENT.bias[name].by_grade.values()]
        np.testing.assert_array_equal(steps, expected)
    many = oe.judge(HUMANS, {f"j{i}": MODELS["m0"] for i in range(10)})
    assert plots.GradeBiasDisplay(many).title().endswith("(the best 8 of 10 judges)")


def test_the_matrix_of_a_judge() -> None:
    display = plots.JudgeMatrixDisplay.from_judgement(JUDGEMENT, "poor", ax=Figure().subplots())
    assert display.title() == "poor: 1,200 ratings"
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("judge", "humans")
    assert "Share of each grade of the humans that poor gives, too: 0: " in display.describe()
    with pytest.raises(oe.ParameterError, match="there is no judge 'x'; judges: good, poor"):
        plots.JudgeMatrixDisplay(JUDGEMENT, "x")


def test_each_judge_with_each_human() -> None:
    display = plots.JudgeHumanDisplay.from_judgement(JUDGEMENT, ax=Figure().subplots())
    kappa = oe.weighted_kappa(TRUTH, MODELS["m0"], labels=range(4))
    assert display.values[1, 0] == pytest.approx(kappa)
    assert display.values.shape == (3, 3)
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["a", "b", "c"]


def test_severity_from_ratings_and_of_many_raters() -> None:
    table = np.clip(TRUTH[:, None] + np.arange(40) // 20, 0, 4)
    display = plots.SeverityDisplay.from_ratings(
        oe.Ratings(table, labels=range(5)), ax=Figure().subplots()
    )
    assert display.title() == "Steps above the other raters (30 of 40 raters)"
    steps = [x.estimate for x in display.severity.values()]
    assert steps == sorted(steps, reverse=True)
    with pytest.raises(oe.ParameterError, match="nothing to draw"):
        plots.SeverityDisplay(oe.Ratings([[1], [2]], labels=[1, 2]).severity())


def three() -> oe.results.Comparison:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 400)
    guess = {
        name: np.where(rng.random(400) < share, truth, rng.integers(0, 4, 400))
        for name, share in {"weak": 0.5, "strong": 0.9, "middling": 0.7}.items()
    }
    return oe.compare(truth, guess, ["cem_ord", "oc_index"], labels=range(4))


def test_a_model_keeps_its_colour_in_every_picture() -> None:
    c = three()
    matrices = {m: c.matrices[m] for m in c.models}
    # Best last, so that sorting by value would give other colours.
    turned = dict(reversed(matrices.items()))
    for given in (matrices, turned):
        colours = []
        for kind in (plots.UOCCurveDisplay, plots.PerformanceGridDisplay,
                     plots.ClassDistributionDisplay):  # fmt: skip
            ax = kind(given).plot(ax=Figure().subplots()).ax_
            handles, labels = ax.get_legend_handles_labels()
            shown = zip(handles, labels, strict=True)
            colours.append({n.split()[0]: h.get_color() for h, n in shown if n != "truth"})
        expected = {m: plots._style.mark_of(i)["color"] for i, m in enumerate(given)}
        assert colours == [expected] * 3
    own = {m: plots._style.mark_of(i)["color"] for i, m in enumerate(c.models)}
    for metric in ("cem_ord", "oc_index"):
        display = plots.IntervalDisplay(c, metric).plot(ax=Figure().subplots())
        dots = [x for x in display.ax_.lines if x.get_marker() not in ("<", ">", "None", "")]
        assert {n: d.get_color() for n, d in zip(display.names, dots, strict=True)} == own
    bars = plots.ProbabilityBestDisplay(c).plot(ax=Figure().subplots())
    named = zip(bars._bars(), bars.ax_.patches, strict=True)
    assert {n: mpl.colors.to_hex(b.get_facecolor()) for n, b in named} == own


def test_intervals_fill_the_picture_and_far_baselines_are_marked() -> None:
    c = three()
    display = plots.IntervalDisplay(c).plot(ax=Figure().subplots())
    low, high = display.ax_.get_xlim()
    spread = display.high.max() - display.low.min()
    assert spread / (high - low) > 0.5
    far = [v["cem_ord"] for v in c.baselines.values() if not low <= v["cem_ord"] <= high]
    assert far
    labels = display.ax_.get_legend_handles_labels()[1]
    for name, values in c.baselines.items():
        assert f"{name} {values['cem_ord']:.3f}" in labels
    marks = [line for line in display.ax_.lines if line.get_marker() in ("<", ">")]
    assert len(marks) == len(far)


@pytest.mark.parametrize("k", range(2, 10))
def test_a_path_crosses_no_text(k: int) -> None:
    """Whatever the path does in a cell, its text lies beside it."""
    rng = np.random.default_rng(k)
    cm = oe.ConfusionMatrix(rng.integers(0, 90, (k, k)) + 60 * np.eye(k, dtype=int))
    display = plots.PathDisplay(cm)
    figure = Figure(figsize=display._size(), layout="constrained", dpi=100)
    display.plot(ax=figure.subplots())
    FigureCanvasAgg(figure).draw()
    ax = display.ax_
    (line,) = [x for x in ax.lines if len(x.get_xdata()) == len(display.path)]
    xy = ax.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
    along = np.concatenate([np.linspace(a, b, 200) for a, b in itertools.pairwise(xy)])
    boxes = [t.get_window_extent() for t in ax.texts]
    assert len(boxes) == k * k + len(display.path)
    for box in boxes:
        x, y = along.T
        inside = (box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1)
        assert not inside.any()


def test_levels_that_are_never_predicted_are_said_once() -> None:
    n = np.diag([5, 5, 5, 5])
    n[[0, 2, 3], [0, 2, 3]] = 0
    n[[0, 2, 3], 1] = 5
    cm = oe.ConfusionMatrix(n, [15, 20, 22, 24])
    said = plots.ClassDistributionDisplay({"m": cm}).describe()
    assert said.endswith(" m never predicts 15, 22 and 24.")


def test_a_long_title_is_not_cut_off() -> None:
    name = "a measure with a name that goes on and on"
    display = plots.ConfusionDisplay(oe.ConfusionMatrix(np.eye(3, dtype=int)))
    display.title = lambda: f"{name} and on {name}"  # type: ignore[method-assign]
    figure = Figure(figsize=(4, 4), layout="constrained", dpi=100)
    display.plot(ax=figure.subplots())
    FigureCanvasAgg(figure).draw()
    box = display.ax_._left_title.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1


@pytest.mark.parametrize(
    "metric", ["cem_ord", "average_mae", "oc_index", "weighted_kappa", "mean_signed_error"]
)
def test_costs_of_errors_are_what_the_measure_gains_if_few_are_right(metric: str) -> None:
    display = plots.ErrorCostDisplay(CM, metric)
    measure = oe.get_metric(metric)
    counts, share = CM.counts.astype(float), 1e-5
    for i, j in itertools.product(range(4), repeat=2):
        moved = counts.copy()
        moved[i, j] -= share * counts[i, j]
        moved[i, i] += share * counts[i, j]
        before, after = (measure.utility(measure.values(n)) for n in (counts, moved))
        gain = (after - before) / share
        assert display.costs[i, j] == pytest.approx(float(gain), rel=1e-3, abs=1e-6)
    assert "predicted as" in display.describe()


def test_parameters_of_the_measure_count_and_are_named() -> None:
    display = plots.ErrorCostDisplay.from_confusion(CM, metric="weighted_kappa", weights="linear")
    linear = oe.get_metric("weighted_kappa").with_params(weights="linear")
    np.testing.assert_allclose(display.costs, plots.ErrorCostDisplay(CM, linear).costs)
    assert "linear weighted kappa" in display.title()
    assert "linear weighted kappa" in display.describe()


def test_what_costs_nothing_or_cannot_be_said() -> None:
    perfect = plots.ErrorCostDisplay.from_confusion(np.eye(3, dtype=int) * 4)
    assert "No error costs anything" in perfect.describe()
    empty = plots.ErrorCostDisplay.from_confusion([[3, 1, 0], [0, 0, 0], [1, 0, 9]])
    assert np.isfinite(empty.costs[[0, 2]]).all()
    plots.ErrorCostDisplay.from_confusion(np.ones((30, 30), dtype=int))
