"""ordeval: how good is a classifier whose labels have an order?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ordeval._version import __version__
from ordeval.data.accumulator import Accumulator
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Dropped
from ordeval.data.scale import Scale
from ordeval.exceptions import (
    CountsError,
    EmptyLevelWarning,
    LabelError,
    MissingExtraError,
    OrdevalError,
    OrdevalWarning,
    OutputError,
    ParameterError,
    ResamplingWarning,
    ScaleError,
    SolverError,
    UndefinedMetricWarning,
    UnknownMetricError,
)

if TYPE_CHECKING:
    from ordeval.evaluate.cases import CaseComparison, compare_cases
    from ordeval.evaluate.compare import compare, compare_file, compare_frame
    from ordeval.evaluate.recommend import Recommendation, recommend
    from ordeval.evaluate.score import Scores, score
    from ordeval.evaluate.scorers import scorer, scorers
    from ordeval.evaluate.subgroups import GroupScores, score_groups
    from ordeval.inference.advice import Advice, explain
    from ordeval.inference.intervals import Interval, confidence_interval, confidence_intervals
    from ordeval.inference.multiplicity import benjamini_hochberg, holm
    from ordeval.inference.paired import Delta, paired_delta
    from ordeval.measures import (
        Metric,
        Metrics,
        OrdinalProperties,
        Range,
        Reference,
        get_metric,
        metrics,
        register,
        unregister,
    )
    from ordeval.measures.agreement import (
        brennan_prediger,
        cohen_kappa,
        gwet_ac2,
        krippendorff_alpha,
        scott_pi,
        weighted_kappa,
    )
    from ordeval.measures.association import (
        concordance_index,
        goodman_kruskal_gamma,
        kendall_tau_a,
        kendall_tau_b,
        order_reliability,
        order_sensitivity,
        pearson_r,
        r_int,
        reliability_sensitivity,
        somers_d,
        spearman_rho,
        stuart_tau_c,
    )
    from ordeval.measures.closeness import cem_int, cem_nom, cem_ord, cem_ord_flat, proximity
    from ordeval.measures.cost import (
        chance_line_distance,
        cost_accuracy_distance,
        expected_cost,
        george_cost,
        misclassification_cost,
        normalized_expected_cost,
    )
    from ordeval.measures.distance import (
        average_mae,
        average_mse,
        cosine_similarity,
        maximum_mae,
        mean_absolute_error,
        mean_signed_error,
        mean_squared_error,
        root_mean_squared_error,
    )
    from ordeval.measures.information import inverse_purity, mutual_information, purity
    from ordeval.measures.nominal import (
        accuracy,
        accuracy_within,
        balanced_accuracy,
        extreme_sensitivity,
        f1_macro,
        geometric_mean_sensitivity,
        matthews_corrcoef,
        min_sensitivity,
        misclassification_error,
    )
    from ordeval.measures.path import (
        OptimalPath,
        UOCCurve,
        auoc,
        oc_index,
        oc_index_general,
        oc_index_unnormalized,
        optimal_path,
        uoc_curve,
        uoc_index,
    )
    from ordeval.measures.probability import (
        ranked_probability_score,
        ranked_probability_skill_score,
    )
    from ordeval.results.comparison import Comparison, Deltas, Disagreement

# Loaded when first used: `import ordeval` costs little more than NumPy.
_LAZY = {
    "Advice": "ordeval.inference.advice",
    "explain": "ordeval.inference.advice",
    "CaseComparison": "ordeval.evaluate.cases",
    "compare_cases": "ordeval.evaluate.cases",
    "compare": "ordeval.evaluate.compare",
    "compare_file": "ordeval.evaluate.compare",
    "compare_frame": "ordeval.evaluate.compare",
    "Interval": "ordeval.inference.intervals",
    "confidence_interval": "ordeval.inference.intervals",
    "confidence_intervals": "ordeval.inference.intervals",
    "benjamini_hochberg": "ordeval.inference.multiplicity",
    "holm": "ordeval.inference.multiplicity",
    "Delta": "ordeval.inference.paired",
    "paired_delta": "ordeval.inference.paired",
    "Metric": "ordeval.measures",
    "Metrics": "ordeval.measures",
    "OrdinalProperties": "ordeval.measures",
    "Range": "ordeval.measures",
    "Reference": "ordeval.measures",
    "get_metric": "ordeval.measures",
    "metrics": "ordeval.measures",
    "register": "ordeval.measures",
    "unregister": "ordeval.measures",
    "brennan_prediger": "ordeval.measures.agreement",
    "cohen_kappa": "ordeval.measures.agreement",
    "gwet_ac2": "ordeval.measures.agreement",
    "krippendorff_alpha": "ordeval.measures.agreement",
    "scott_pi": "ordeval.measures.agreement",
    "weighted_kappa": "ordeval.measures.agreement",
    "concordance_index": "ordeval.measures.association",
    "goodman_kruskal_gamma": "ordeval.measures.association",
    "kendall_tau_a": "ordeval.measures.association",
    "kendall_tau_b": "ordeval.measures.association",
    "order_reliability": "ordeval.measures.association",
    "order_sensitivity": "ordeval.measures.association",
    "pearson_r": "ordeval.measures.association",
    "r_int": "ordeval.measures.association",
    "reliability_sensitivity": "ordeval.measures.association",
    "somers_d": "ordeval.measures.association",
    "spearman_rho": "ordeval.measures.association",
    "stuart_tau_c": "ordeval.measures.association",
    "cem_int": "ordeval.measures.closeness",
    "cem_nom": "ordeval.measures.closeness",
    "cem_ord": "ordeval.measures.closeness",
    "cem_ord_flat": "ordeval.measures.closeness",
    "proximity": "ordeval.measures.closeness",
    "chance_line_distance": "ordeval.measures.cost",
    "cost_accuracy_distance": "ordeval.measures.cost",
    "expected_cost": "ordeval.measures.cost",
    "george_cost": "ordeval.measures.cost",
    "misclassification_cost": "ordeval.measures.cost",
    "normalized_expected_cost": "ordeval.measures.cost",
    "average_mae": "ordeval.measures.distance",
    "average_mse": "ordeval.measures.distance",
    "cosine_similarity": "ordeval.measures.distance",
    "maximum_mae": "ordeval.measures.distance",
    "mean_absolute_error": "ordeval.measures.distance",
    "mean_signed_error": "ordeval.measures.distance",
    "mean_squared_error": "ordeval.measures.distance",
    "root_mean_squared_error": "ordeval.measures.distance",
    "inverse_purity": "ordeval.measures.information",
    "mutual_information": "ordeval.measures.information",
    "purity": "ordeval.measures.information",
    "accuracy": "ordeval.measures.nominal",
    "accuracy_within": "ordeval.measures.nominal",
    "balanced_accuracy": "ordeval.measures.nominal",
    "extreme_sensitivity": "ordeval.measures.nominal",
    "f1_macro": "ordeval.measures.nominal",
    "geometric_mean_sensitivity": "ordeval.measures.nominal",
    "matthews_corrcoef": "ordeval.measures.nominal",
    "min_sensitivity": "ordeval.measures.nominal",
    "misclassification_error": "ordeval.measures.nominal",
    "OptimalPath": "ordeval.measures.path",
    "UOCCurve": "ordeval.measures.path",
    "auoc": "ordeval.measures.path",
    "oc_index": "ordeval.measures.path",
    "oc_index_general": "ordeval.measures.path",
    "oc_index_unnormalized": "ordeval.measures.path",
    "optimal_path": "ordeval.measures.path",
    "uoc_curve": "ordeval.measures.path",
    "uoc_index": "ordeval.measures.path",
    "ranked_probability_score": "ordeval.measures.probability",
    "ranked_probability_skill_score": "ordeval.measures.probability",
    "Recommendation": "ordeval.evaluate.recommend",
    "recommend": "ordeval.evaluate.recommend",
    "Comparison": "ordeval.results.comparison",
    "Deltas": "ordeval.results.comparison",
    "Disagreement": "ordeval.results.comparison",
    "GroupScores": "ordeval.evaluate.subgroups",
    "score_groups": "ordeval.evaluate.subgroups",
    "Scores": "ordeval.evaluate.score",
    "score": "ordeval.evaluate.score",
    "scorer": "ordeval.evaluate.scorers",
    "scorers": "ordeval.evaluate.scorers",
}

# Packages that are loaded when they are first used, as in oe.models.FrankHallClassifier.
_ROOMS = ("datasets", "meta", "models", "papers", "plots", "report")

__all__ = [
    "Accumulator",
    "Advice",
    "CaseComparison",
    "Comparison",
    "ConfusionMatrix",
    "CountsError",
    "Delta",
    "Deltas",
    "Disagreement",
    "Dropped",
    "EmptyLevelWarning",
    "GroupScores",
    "Interval",
    "LabelError",
    "Metric",
    "Metrics",
    "MissingExtraError",
    "OptimalPath",
    "OrdevalError",
    "OrdevalWarning",
    "OrdinalProperties",
    "OutputError",
    "ParameterError",
    "Range",
    "Recommendation",
    "Reference",
    "ResamplingWarning",
    "Scale",
    "ScaleError",
    "Scores",
    "SolverError",
    "UOCCurve",
    "UndefinedMetricWarning",
    "UnknownMetricError",
    "__version__",
    "accuracy",
    "accuracy_within",
    "auoc",
    "average_mae",
    "average_mse",
    "balanced_accuracy",
    "benjamini_hochberg",
    "brennan_prediger",
    "cem_int",
    "cem_nom",
    "cem_ord",
    "cem_ord_flat",
    "chance_line_distance",
    "cohen_kappa",
    "compare",
    "compare_cases",
    "compare_file",
    "compare_frame",
    "concordance_index",
    "confidence_interval",
    "confidence_intervals",
    "cosine_similarity",
    "cost_accuracy_distance",
    "expected_cost",
    "explain",
    "extreme_sensitivity",
    "f1_macro",
    "geometric_mean_sensitivity",
    "george_cost",
    "get_metric",
    "goodman_kruskal_gamma",
    "gwet_ac2",
    "holm",
    "inverse_purity",
    "kendall_tau_a",
    "kendall_tau_b",
    "krippendorff_alpha",
    "matthews_corrcoef",
    "maximum_mae",
    "mean_absolute_error",
    "mean_signed_error",
    "mean_squared_error",
    "metrics",
    "min_sensitivity",
    "misclassification_cost",
    "misclassification_error",
    "mutual_information",
    "normalized_expected_cost",
    "oc_index",
    "oc_index_general",
    "oc_index_unnormalized",
    "optimal_path",
    "order_reliability",
    "order_sensitivity",
    "paired_delta",
    "pearson_r",
    "proximity",
    "purity",
    "r_int",
    "ranked_probability_score",
    "ranked_probability_skill_score",
    "recommend",
    "register",
    "reliability_sensitivity",
    "root_mean_squared_error",
    "score",
    "score_groups",
    "scorer",
    "scorers",
    "scott_pi",
    "somers_d",
    "spearman_rho",
    "stuart_tau_c",
    "unregister",
    "uoc_curve",
    "uoc_index",
    "weighted_kappa",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY and name not in _ROOMS:
        raise AttributeError(f"module 'ordeval' has no attribute {name!r}")
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"ordeval.{name}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS]
