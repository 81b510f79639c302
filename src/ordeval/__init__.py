"""ordeval: how good is a classifier whose labels have an order?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ordeval._version import __version__
from ordeval.accumulator import Accumulator
from ordeval.confusion import ConfusionMatrix
from ordeval.counting.arrays import Dropped
from ordeval.exceptions import (
    CountsError,
    EmptyLevelWarning,
    LabelError,
    MissingExtraError,
    OrdevalError,
    OrdevalWarning,
    ParameterError,
    ResamplingWarning,
    ScaleError,
    SolverError,
    UndefinedMetricWarning,
    UnknownMetricError,
)
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
from ordeval.measures.probability import ranked_probability_score, ranked_probability_skill_score
from ordeval.scale import Scale
from ordeval.scoring import Scores, score

if TYPE_CHECKING:
    from ordeval.advice import Advice
    from ordeval.cases import CaseComparison, compare_cases
    from ordeval.comparison import compare
    from ordeval.inference.intervals import Interval, confidence_interval, confidence_intervals
    from ordeval.inference.multiplicity import benjamini_hochberg, holm
    from ordeval.inference.paired import Delta, paired_delta
    from ordeval.recommendation import Recommendation, recommend
    from ordeval.results import Comparison, Deltas, Disagreement
    from ordeval.sklearn import scorer, scorers

# Loaded when first used: scoring a model must not wait for what compares models.
_LAZY = {
    "Advice": "ordeval.advice",
    "CaseComparison": "ordeval.cases",
    "compare_cases": "ordeval.cases",
    "compare": "ordeval.comparison",
    "Interval": "ordeval.inference.intervals",
    "confidence_interval": "ordeval.inference.intervals",
    "confidence_intervals": "ordeval.inference.intervals",
    "benjamini_hochberg": "ordeval.inference.multiplicity",
    "holm": "ordeval.inference.multiplicity",
    "Delta": "ordeval.inference.paired",
    "paired_delta": "ordeval.inference.paired",
    "Recommendation": "ordeval.recommendation",
    "recommend": "ordeval.recommendation",
    "Comparison": "ordeval.results",
    "Deltas": "ordeval.results",
    "Disagreement": "ordeval.results",
    "scorer": "ordeval.sklearn",
    "scorers": "ordeval.sklearn",
}

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
    "Interval",
    "LabelError",
    "Metric",
    "Metrics",
    "MissingExtraError",
    "OptimalPath",
    "OrdevalError",
    "OrdevalWarning",
    "OrdinalProperties",
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
    "concordance_index",
    "confidence_interval",
    "confidence_intervals",
    "cosine_similarity",
    "cost_accuracy_distance",
    "expected_cost",
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
    if name not in _LAZY:
        raise AttributeError(f"module 'ordeval' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
