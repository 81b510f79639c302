"""ordeval: how good is a classifier whose labels have an order?

The public names are those imported here, and those below that are loaded when they are first used;
so are the rooms ``datasets``, ``integrations``, ``meta``, ``models``, ``papers``, ``plots`` and
``report``, most of which need an extra.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any

from ordeval._version import __version__ as __version__
from ordeval.data.accumulator import Accumulator as Accumulator
from ordeval.data.confusion import ConfusionMatrix as ConfusionMatrix
from ordeval.data.counts import Dropped as Dropped
from ordeval.data.ratings import Ratings as Ratings
from ordeval.data.scale import Scale as Scale
from ordeval.exceptions import (
    CountsError as CountsError,
    EmptyLevelWarning as EmptyLevelWarning,
    LabelError as LabelError,
    MissingExtraError as MissingExtraError,
    OrdevalError as OrdevalError,
    OrdevalWarning as OrdevalWarning,
    OutputError as OutputError,
    ParameterError as ParameterError,
    ResamplingWarning as ResamplingWarning,
    ScaleError as ScaleError,
    SolverError as SolverError,
    StepsWarning as StepsWarning,
    UndefinedMetricWarning as UndefinedMetricWarning,
    UnknownMetricError as UnknownMetricError,
)
from ordeval.measures import (
    Metric as Metric,
    Metrics as Metrics,
    OrdinalProperties as OrdinalProperties,
    Range as Range,
    Reference as Reference,
    get_metric as get_metric,
    metrics as metrics,
    register as register,
    unregister as unregister,
)
from ordeval.measures.agreement import (
    brennan_prediger as brennan_prediger,
    cohen_kappa as cohen_kappa,
    gwet_ac2 as gwet_ac2,
    krippendorff_alpha as krippendorff_alpha,
    scott_pi as scott_pi,
    weighted_kappa as weighted_kappa,
)
from ordeval.measures.association import (
    goodman_kruskal_gamma as goodman_kruskal_gamma,
    kendall_tau_a as kendall_tau_a,
    kendall_tau_b as kendall_tau_b,
    order_reliability as order_reliability,
    order_sensitivity as order_sensitivity,
    pearson_r as pearson_r,
    r_int as r_int,
    reliability_sensitivity as reliability_sensitivity,
    somers_d as somers_d,
    spearman_rho as spearman_rho,
    stuart_tau_c as stuart_tau_c,
)
from ordeval.measures.closeness import (
    cem_int as cem_int,
    cem_nom as cem_nom,
    cem_ord as cem_ord,
    cem_ord_flat as cem_ord_flat,
    proximity as proximity,
)
from ordeval.measures.cost import (
    chance_line_distance as chance_line_distance,
    cost_accuracy_distance as cost_accuracy_distance,
    expected_cost as expected_cost,
    george_cost as george_cost,
    misclassification_cost as misclassification_cost,
    normalized_expected_cost as normalized_expected_cost,
)
from ordeval.measures.distance import (
    average_mae as average_mae,
    average_mse as average_mse,
    cosine_similarity as cosine_similarity,
    maximum_mae as maximum_mae,
    mean_absolute_error as mean_absolute_error,
    mean_signed_error as mean_signed_error,
    mean_squared_error as mean_squared_error,
    root_mean_squared_error as root_mean_squared_error,
)
from ordeval.measures.distribution import (
    normalized_match_distance as normalized_match_distance,
    rnod as rnod,
    wasserstein as wasserstein,
)
from ordeval.measures.information import (
    inverse_purity as inverse_purity,
    mutual_information as mutual_information,
    purity as purity,
)
from ordeval.measures.nominal import (
    accuracy as accuracy,
    accuracy_within as accuracy_within,
    balanced_accuracy as balanced_accuracy,
    extreme_sensitivity as extreme_sensitivity,
    f1_macro as f1_macro,
    geometric_mean_sensitivity as geometric_mean_sensitivity,
    matthews_corrcoef as matthews_corrcoef,
    min_sensitivity as min_sensitivity,
    misclassification_error as misclassification_error,
)
from ordeval.measures.path import (
    OptimalPath as OptimalPath,
    UOCCurve as UOCCurve,
    auoc as auoc,
    oc_index as oc_index,
    oc_index_general as oc_index_general,
    oc_index_unnormalized as oc_index_unnormalized,
    optimal_path as optimal_path,
    uoc_curve as uoc_curve,
    uoc_index as uoc_index,
)
from ordeval.measures.probability import (
    ordinal_log_loss as ordinal_log_loss,
    ranked_probability_score as ranked_probability_score,
    ranked_probability_skill_score as ranked_probability_skill_score,
    threshold_brier as threshold_brier,
    threshold_log_loss as threshold_log_loss,
)
from ordeval.measures.ranking import (
    coefficient_of_predictive_ability as coefficient_of_predictive_ability,
    concordance_index as concordance_index,
    ordinal_ranking_correctness as ordinal_ranking_correctness,
    threshold_auc as threshold_auc,
)
from ordeval.measures.raters import conger_kappa as conger_kappa, fleiss_kappa as fleiss_kappa
from ordeval.measures.threshold import (
    threshold_npv as threshold_npv,
    threshold_ppv as threshold_ppv,
    threshold_sensitivity as threshold_sensitivity,
    threshold_specificity as threshold_specificity,
)

_ROOMS = ("datasets", "integrations", "meta", "models", "papers", "plots", "report")
# Names that counting and the measures do not need; loaded when they are first used, so that
# importing the package costs little more than importing NumPy.
_LATER = {
    name: module
    for module, names in {
        "ordeval.data.text.answers": "Answers read_answers",
        "ordeval.data.costs": "read_costs",
        "ordeval.data.predictions": "Predictions",
        "ordeval.evaluate.cases": "compare_cases",
        "ordeval.evaluate.compare": "compare",
        "ordeval.evaluate.corrected": "corrected corrected_distribution",
        "ordeval.evaluate.folds": "compare_folds",
        "ordeval.evaluate.intervals": "confidence_interval paired_delta",
        "ordeval.evaluate.probabilities": "calibration decision_curve",
        "ordeval.evaluate.judge": "judge",
        "ordeval.evaluate.plan": "plan",
        "ordeval.evaluate.recommend": "recommend",
        "ordeval.evaluate.score": "score",
        "ordeval.evaluate.scorers": "scorer scorers",
        "ordeval.evaluate.thresholds": "thresholds",
        "ordeval.inference.advice": "Advice explain",
        "ordeval.inference.intervals": "Interval",
        "ordeval.inference.multiplicity": "benjamini_hochberg holm",
        "ordeval.inference.paired": "Delta",
        "ordeval.results.calibration": "Calibration",
        "ordeval.results.cases": "CaseComparison",
        "ordeval.results.comparison": "Comparison Deltas Disagreement",
        "ordeval.results.comparisons": "Comparisons",
        "ordeval.results.corrected": "Corrected CorrectedScores",
        "ordeval.results.decision_curve": "DecisionCurve",
        "ordeval.results.folds": "FoldComparison FoldDelta",
        "ordeval.results.judgement": "Judgement",
        "ordeval.results.plan": "Plan PlanPoint",
        "ordeval.results.ratings": "RaterSeverity RatingScores",
        "ordeval.results.recommendation": "Recommendation",
        "ordeval.results.scores": "Scores",
        "ordeval.results.subgroups": "SubgroupScores",
        "ordeval.results.thresholds": "Cut Thresholds",
    }.items()
    for name in names.split()
}

__all__ = sorted(
    name
    for name, value in [*vars().items(), *dict.fromkeys(_LATER).items()]
    if name == "__version__"
    or name in _LATER
    or (not name.startswith("_") and str(getattr(value, "__module__", "")).startswith("ordeval."))
)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        found = getattr(_import_module(_LATER[name]), name)
        globals()[name] = found
        return found
    if name not in _ROOMS:
        raise AttributeError(f"module 'ordeval' has no attribute {name!r}")
    return _import_module(f"ordeval.{name}")


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS]
