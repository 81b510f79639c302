"""The public surface: what is promised exists, and nothing else is exported."""

import ast
import types
from importlib.metadata import version
from pathlib import Path

import pytest

import ordeval as oe

DOORS = [
    "Accumulator", "ConfusionMatrix", "Predictions", "Ratings", "Scale", "benjamini_hochberg",
    "calibration", "compare", "compare_cases", "compare_folds",
    "confidence_interval", "corrected", "corrected_distribution", "decision_curve", "explain",
    "george_cost", "get_metric", "holm", "judge", "metrics", "optimal_path", "paired_delta",
    "plan", "proximity", "read_answers", "read_costs", "recommend", "register", "score",
    "scorer", "scorers", "thresholds", "unregister", "uoc_curve",
]  # fmt: skip

ERRORS = [
    "CountsError", "EmptyLevelWarning", "LabelError", "MissingExtraError", "OrdevalError",
    "OrdevalWarning", "OutputError", "ParameterError", "ResamplingWarning", "ScaleError",
    "SolverError", "StepsWarning", "UndefinedMetricWarning", "UnknownMetricError",
]  # fmt: skip

TYPES = [
    "Advice", "Answers", "Calibration", "CaseComparison", "Comparison", "Comparisons", "Corrected",
    "CorrectedScores", "Cut", "DecisionCurve", "Delta", "Deltas", "Disagreement", "Dropped",
    "FoldComparison", "FoldDelta", "Interval", "Judgement", "Metric", "Metrics", "OptimalPath",
    "OrdinalProperties", "Plan", "PlanPoint", "Range", "RaterSeverity", "RatingScores",
    "Recommendation", "Reference", "Scores", "SubgroupScores", "Thresholds", "UOCCurve",
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


def test_the_list_is_sorted_and_without_repetition() -> None:
    assert oe.__all__ == sorted(set(oe.__all__))


@pytest.mark.parametrize("name", oe.__all__)
def test_every_listed_name_can_be_imported(name: str) -> None:
    namespace: dict[str, object] = {}
    exec(f"from ordeval import {name}", namespace)
    assert namespace[name] is getattr(oe, name)


def test_exactly_the_promised_names_are_public() -> None:
    promised = {"__version__", *DOORS, *ERRORS, *TYPES, *MEASURES}
    assert set(oe.__all__) - promised == set(), "public, and in no list of this file"
    assert promised - set(oe.__all__) == set(), "promised, and not imported in ordeval/__init__.py"


def test_nothing_public_is_left_out_of_the_list() -> None:
    present = {
        name
        for name, value in vars(oe).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert present - {"annotations", "Any"} == set(oe.__all__) - {"__version__"}


def test_names_are_written_once() -> None:
    """Each public name is one import that says `x as x`; the list is made from them."""
    tree = ast.parse(Path(oe.__file__).read_text(encoding="utf-8"))
    imported = [
        alias
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ordeval.")
        for alias in node.names
    ]
    public = [a for a in imported if a.asname not in ("_DOCUMENTS", "_PAGES")]
    assert [a.name for a in public if a.asname != a.name] == []
    assert sorted([*(a.name for a in public), *oe._LATER]) == oe.__all__


def test_names_that_are_loaded_later_are_those_of_their_modules() -> None:
    for name, module in oe._LATER.items():
        assert getattr(oe, name).__module__ == module
        assert name in vars(oe)  # from then on it is there


def test_rooms_are_loaded_when_they_are_asked_for() -> None:
    for room in ("datasets", "integrations", "meta", "models", "papers", "plots", "report"):
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
        (oe.Scores, [*FORMATS, "confusion", "metrics", "intervals", "advice"]),
        (oe.SubgroupScores, [*FORMATS, "confusion", "metrics", "by", "found", "conclusion"]),
        (
            oe.Comparison,
            [
                *FORMATS, "models", "metrics", "estimates", "pairs", "ranks", "reference",
                "clusters", "items", "left_out", "dropped", "conclusion", "matrices", "advice",
            ],
        ),
        (
            oe.Interval,
            [*FORMATS, "estimate", "low", "high", "level", "method", "n_resamples",
             "undefined_share"],
        ),
        (
            oe.Corrected,
            [*FORMATS, "estimate", "low", "high", "human", "proxy_as_truth", "lam", "labelled",
             "items", "gain", "worth", "p_random", "conclusion"],
        ),
        (
            oe.Calibration,
            [*FORMATS, "thresholds", "intercepts", "slopes", "predicted", "observed", "rps",
             "miscalibration", "discrimination", "uncertainty", "parts", "conclusion"],
        ),
        (
            oe.DecisionCurve,
            [*FORMATS, "probabilities", "models", "thresholds", "benefit", "worth", "conclusion"],
        ),
        (oe.Delta, [*FORMATS, "delta", "low", "high", "p_value", "favours"]),
        (
            oe.CaseComparison,
            [*FORMATS, "models", "mean_ranks", "p_value", "distribution", "pair_p_values", "wins",
             "cliques", "rope", "chances", "conclusion"],
        ),
        (oe.FoldComparison, [*FORMATS, "models", "means", "pairs", "rope", "conclusion"]),
        (
            oe.Plan,
            [*FORMATS, "items", "clusters", "half_width", "power", "expected", "difference",
             "curve", "conclusion", "assumptions"],
        ),
        (
            oe.Ratings,
            [*FORMATS, "from_long", "from_wide", "from_file", "agreement", "severity", "consensus",
             "distribution", "pair_counts", "counts", "of", "k", "total"],
        ),
        (oe.RatingScores, [*FORMATS, "metrics", "intervals", "ratings"]),
        (
            oe.Judgement,
            [*FORMATS, "judges", "metric", "ceiling", "agreement", "gap", "margin", "alt_test",
             "bias", "matrices", "raters", "worst", "systems", "self_consistency", "unread",
             "unmatched", "verdict", "conclusion", "disagreements"],
        ),
        (
            oe.Answers,
            [*FORMATS, "labels", "outcomes", "read", "unreadable", "missing", "outside", "refused",
             "share_unread", "examples"],
        ),
        (oe.Thresholds, [*FORMATS, "scale", "cuts", "measures", "advice"]),
        (oe.FoldDelta, ["a", "b", "delta", "low", "high", "p_value", "p_holm", "chances"]),
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
