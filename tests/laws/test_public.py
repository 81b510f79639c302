"""The public surface: what is promised exists, and nothing else is exported."""

import ast
import types
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import ordeval as oe
from ordeval._shared.result import Result

DOORS = [
    "Accumulator", "ConfusionMatrix", "Predictions", "Ratings", "Scale", "benjamini_hochberg",
    "calibration", "compare", "compare_cases", "compare_folds",
    "confidence_interval", "corrected", "corrected_distribution", "decision_curve", "explain",
    "george_cost", "get_metric", "holm", "judge", "metrics", "optimal_path", "paired_delta",
    "plan", "proximity", "read_answers", "read_costs", "recommend", "register", "score",
    "scorer", "scorers", "thresholds", "to_label", "unregister", "uoc_curve",
]  # fmt: skip

ERRORS = [
    "CountsError", "DecimalCommaWarning", "EmptyLevelWarning", "LabelError", "MissingExtraError",
    "OrdevalError", "OrdevalWarning", "OutputError", "ParameterError", "ResamplingWarning",
    "ScaleError", "SolverError", "StepsWarning", "UndefinedMetricWarning", "UnknownMetricError",
]  # fmt: skip

TYPES = ["Metric", "Metrics", "OrdinalProperties", "Range", "Reference"]

RESULTS = [
    "Advice", "AnswerRows", "Answers", "Calibration", "CaseComparison", "Choice", "Comparison",
    "Comparisons", "Cut", "DecisionCurve", "Delta", "Deltas", "Disagreement",
    "Dropped", "Finding", "FoldComparison", "FoldDelta", "Interval", "Judgement",
    "ModelCalibrations", "ModelScores", "ModelThresholds", "OptimalPath", "Plan", "PlanPoint",
    "RaterSeverity", "RatingScores", "Recommendation", "Scores", "SubgroupCalibrations",
    "SubgroupDecisionCurves", "SubgroupScores", "SubgroupThresholds", "Thresholds", "UOCCurve",
]  # fmt: skip

MEASURES = [
    # nominal
    "accuracy", "misclassification_error", "accuracy_within", "balanced_accuracy", "f1_macro",
    "matthews_corrcoef", "min_sensitivity", "geometric_mean_sensitivity", "extreme_sensitivity",
    # threshold
    "threshold_sensitivity", "threshold_specificity", "threshold_ppv", "threshold_npv",
    # distance
    "mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "average_mae",
    "maximum_mae", "average_mse", "mean_signed_error", "cosine_similarity",
    # agreement
    "cohen_kappa", "weighted_kappa", "scott_pi", "brennan_prediger", "gwet_ac2",
    "krippendorff_alpha", "fleiss_kappa", "conger_kappa",
    "intraclass_correlation",
    # association
    "pearson_r", "spearman_rho", "kendall_tau_a", "kendall_tau_b", "stuart_tau_c",
    "goodman_kruskal_gamma", "somers_d", "concordance_index", "r_int", "order_reliability",
    "order_sensitivity", "reliability_sensitivity",
    # information
    "mutual_information", "purity", "inverse_purity",
    # cost
    "expected_cost", "normalized_expected_cost", "misclassification_cost",
    "cost_accuracy_distance", "chance_line_distance",
    # path
    "oc_index", "oc_index_unnormalized", "oc_index_general", "uoc_index", "auoc",
    # closeness
    "cem_ord", "cem_nom", "cem_int", "cem_ord_flat",
    # probability
    "ordinal_log_loss", "ranked_probability_score", "ranked_probability_skill_score",
    "threshold_brier", "threshold_log_loss",
    # distribution
    "normalized_match_distance", "rnod", "wasserstein",
    # ranking
    "coefficient_of_predictive_ability", "ordinal_ranking_correctness", "threshold_auc",
]  # fmt: skip


both = pytest.mark.parametrize("module", [oe, oe.results], ids=["ordeval", "ordeval.results"])


@both
def test_the_list_is_sorted_and_without_repetition(module: types.ModuleType) -> None:
    assert module.__all__ == sorted(set(module.__all__))


@pytest.mark.parametrize("name", oe.__all__)
def test_every_listed_name_can_be_imported(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from ordeval import {name}", namespace)
    assert namespace[name] is getattr(oe, name)


@pytest.mark.parametrize("name", oe.results.__all__)
def test_every_result_can_be_imported_and_is_not_at_the_top(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from ordeval.results import {name}", namespace)
    assert namespace[name] is getattr(oe.results, name)
    assert not hasattr(oe, name)


def test_exactly_the_promised_names_are_public() -> None:
    promised = {"__version__", *DOORS, *ERRORS, *TYPES, *MEASURES}
    assert set(oe.__all__) - promised == set(), "public, and in no list of this file"
    assert promised - set(oe.__all__) == set(), "promised, and not imported in ordeval/__init__.py"
    assert oe.results.__all__ == RESULTS


@both
def test_nothing_public_is_left_out_of_the_list(module: types.ModuleType) -> None:
    for name in module.__all__:
        getattr(module, name)
    present = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert present - {"annotations", "Any", "TYPE_CHECKING"} == {*module.__all__} - {"__version__"}


def imports_of(body: list[ast.stmt]) -> dict[str, str]:
    """What statements import from our own modules: the module of each name."""
    return {
        alias.name: node.module
        for node in body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ordeval")
        for alias in node.names
        if not (alias.asname or "").startswith("_")
    }  # type: ignore[misc]


@both
def test_type_checkers_see_what_is_loaded_later(module: types.ModuleType) -> None:
    """They read the imports, and Python reads the table; both must say the same."""
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    (typed,) = (
        node.body
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    later = imports_of(typed)
    modules = {name for name, home in later.items() if home == "ordeval"}
    assert modules == set(getattr(module, "_MODULES", ()))
    assert {n: home for n, home in later.items() if n not in modules} == module._LATER
    now = {*imports_of(tree.body)}
    assert now | {*module._LATER} == {*module.__all__}
    assert now & {*module._LATER} == set()


@both
def test_names_that_are_loaded_later_are_those_of_their_modules(module: types.ModuleType) -> None:
    for name, home in module._LATER.items():
        assert getattr(module, name) is getattr(import_module(home), name)
        assert name in vars(module)  # from then on it is there
        assert name in dir(module)
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'no'"):
        module.no  # noqa: B018


def test_rooms_are_loaded_when_they_are_asked_for() -> None:
    for room in oe._MODULES:
        assert getattr(oe, room).__name__ == f"ordeval.{room}"
        assert room in dir(oe)
    with pytest.raises(AttributeError, match="module 'ordeval' has no attribute 'rooms'"):
        oe.rooms  # noqa: B018


@pytest.mark.parametrize("name", ["confidence_intervals", "score_groups", "score_subgroups"])
def test_old_names_are_gone(name: str) -> None:
    assert not hasattr(oe, name)


def test_every_measure_is_exported_under_its_name() -> None:
    assert set(oe.metrics().names) - set(MEASURES) == set(), "add it to MEASURES in this file"
    assert set(MEASURES) - set(oe.metrics().names) == set(), "not registered"
    for metric in oe.metrics():
        assert getattr(oe, metric.name) is metric
        assert metric.__name__ == metric.name  # type: ignore[attr-defined]


def test_every_public_name_is_documented() -> None:
    for name in oe.__all__:
        if name != "__version__":
            text = getattr(oe, name).__doc__
            assert text, name
            assert text.strip(), name


def test_the_version_is_that_of_the_package() -> None:
    assert oe.__version__ == version("ordeval")


FORMATS = [
    "to_text", "to_html", "to_frame", "to_csv", "to_json", "to_markdown", "to_latex",
    "to_docx", "_repr_html_",
]  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (oe.Scale, ["range", "infer", "levels", "k", "encode", "decode"]),
        (
            oe.ConfusionMatrix,
            [
                "from_labels", "from_frame", "from_file", "counts", "scale", "total", "support",
                "predicted", "k", "shape", "T", "normalized", "collapse", "to_frame", "dropped",
                "weighted", "implied", "by", "__add__", "_repr_html_",
            ],
        ),
        (oe.Accumulator, ["update", "merge", "confusion_matrix", "reset", "scale"]),
        (oe.results.Scores, [*FORMATS, "confusion", "metrics", "intervals", "advice"]),
        (
            oe.results.SubgroupScores,
            [*FORMATS, "confusion", "metrics", "by", "found", "conclusion"],
        ),
        (
            oe.results.Comparison,
            [
                *FORMATS, "models", "metrics", "estimates", "pairs", "ranks", "reference",
                "clusters", "items", "left_out", "dropped", "conclusion", "matrices", "advice",
            ],
        ),
        (
            oe.results.Interval,
            [*FORMATS, "estimate", "low", "high", "level", "method", "n_resamples",
             "undefined_share"],
        ),
        (
            oe.results.Calibration,
            [*FORMATS, "thresholds", "intercepts", "joint_intercepts", "slopes", "predicted",
             "observed", "rps", "miscalibration", "discrimination", "uncertainty", "parts",
             "conclusion"],
        ),
        (
            oe.results.DecisionCurve,
            [*FORMATS, "probabilities", "models", "thresholds", "benefit", "worth", "conclusion"],
        ),
        (oe.results.Delta, [*FORMATS, "delta", "low", "high", "p_value", "favours"]),
        (
            oe.results.CaseComparison,
            [*FORMATS, "models", "mean_ranks", "p_value", "distribution", "pair_p_values", "wins",
             "cliques", "rope", "chances", "conclusion"],
        ),
        (oe.results.FoldComparison, [*FORMATS, "models", "means", "pairs", "rope", "conclusion"]),
        (
            oe.results.Plan,
            [*FORMATS, "items", "clusters", "half_width", "power", "expected", "difference",
             "curve", "conclusion", "assumptions"],
        ),
        (
            oe.Ratings,
            [*FORMATS, "from_long", "from_wide", "from_file", "agreement", "severity", "consensus",
             "distribution", "pair_counts", "counts", "of", "k", "total"],
        ),
        (oe.results.RatingScores, [*FORMATS, "metrics", "intervals", "ratings"]),
        (
            oe.results.Judgement,
            [*FORMATS, "judges", "metric", "ceiling", "agreement", "gap", "margin", "alt_test",
             "bias", "matrices", "raters", "worst", "systems", "self_consistency", "unread",
             "unmatched", "verdict", "conclusion", "disagreements"],
        ),
        (
            oe.results.Answers,
            [*FORMATS, "labels", "outcomes", "read", "unreadable", "missing", "outside", "refused",
             "share_unread", "examples"],
        ),
        (oe.results.Thresholds, [*FORMATS, "scale", "cuts", "measures", "advice"]),
        (oe.results.FoldDelta, ["a", "b", "delta", "low", "high", "p_value", "p_holm", "chances"]),
        (
            oe.oc_index,
            [
                "name", "symbol", "family", "best", "range", "greater_is_better", "symmetric",
                "reversal_invariant", "needs", "reference", "undefined_when", "from_confusion",
                "with_params", "expensive",
            ],
        ),
    ],
    ids=lambda x: getattr(x, "__name__", "") if not isinstance(x, list) else "",
)  # fmt: skip
def test_promised_attributes(owner: object, names: list[str]) -> None:
    fields = getattr(owner, "__dataclass_fields__", {})
    declared = {*dir(owner), *fields}
    assert [name for name in names if name not in declared] == []


def test_the_promised_calls() -> None:
    assert oe.Scale(["low", "medium", "high"]).k == 3
    cm = oe.ConfusionMatrix.from_labels([1, 2], [1, 1], labels=[1, 2], sample_weight=None)
    assert oe.ConfusionMatrix(cm.counts, labels=[1, 2]) == cm
    assert oe.oc_index([1, 2], [1, 1], labels=[1, 2], sample_weight=None, share=0.75, beta=None,
                       gamma=1.0) == oe.oc_index.from_confusion(cm, share=0.75)  # fmt: skip
    scores = oe.score([1, 2], [1, 1], metrics=["oc_index"], labels=[1, 2])
    assert scores["oc_index"] == oe.oc_index([1, 2], [1, 1], labels=[1, 2])
    assert oe.oc_index.from_confusion(cm.counts[None]).shape == (1,)
    assert isinstance(oe.oc_index.from_confusion(cm), float)


def test_plumbing_of_results_is_private() -> None:
    plumbing = {"into", "page", "in_full", "facts", "kind", "document", "key"}
    for name in oe.results.__all__:
        if issubclass(kind := getattr(oe.results, name), Result):
            assert not plumbing & set(dir(kind)), name
