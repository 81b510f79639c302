"""ordeval: how good is a classifier whose labels have an order?

The public names are those in ``__all__``. Those that counting and the measures do not need are
loaded when they are first used, and so are the modules ``datasets``, ``integrations``, ``meta``,
``models``, ``papers``, ``plots``, ``report`` and ``results``.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

# First, since what follows takes a while to import.
from ordeval._shared import starting as _starting  # noqa: F401
from ordeval._version import __version__
from ordeval.data.accumulator import Accumulator
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.ratings import Ratings
from ordeval.data.scale import Scale
from ordeval.exceptions import (
    CountsError,
    DecimalCommaWarning,
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
    StepsWarning,
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
from ordeval.measures.closeness import (
    cem_int,
    cem_nom,
    cem_ord,
    cem_ord_flat,
    proximity,
)
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
from ordeval.measures.distribution import (
    normalized_match_distance,
    rnod,
    wasserstein,
)
from ordeval.measures.information import (
    inverse_purity,
    mutual_information,
    purity,
)
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
    auoc,
    oc_index,
    oc_index_general,
    oc_index_unnormalized,
    optimal_path,
    uoc_curve,
    uoc_index,
)
from ordeval.measures.probability import (
    ordinal_log_loss,
    ranked_probability_score,
    ranked_probability_skill_score,
    threshold_brier,
    threshold_log_loss,
)
from ordeval.measures.ranking import (
    coefficient_of_predictive_ability,
    concordance_index,
    ordinal_ranking_correctness,
    threshold_auc,
)
from ordeval.measures.raters import conger_kappa, fleiss_kappa, intraclass_correlation
from ordeval.measures.threshold import (
    threshold_npv,
    threshold_ppv,
    threshold_sensitivity,
    threshold_specificity,
)

if TYPE_CHECKING:
    from ordeval import (
        datasets as datasets,
        integrations as integrations,
        meta as meta,
        models as models,
        papers as papers,
        plots as plots,
        report as report,
        results as results,
    )
    from ordeval.data.predictions import Predictions
    from ordeval.data.text.answers import read_answers
    from ordeval.data.text.cost_files import read_costs
    from ordeval.evaluate.compare import compare
    from ordeval.evaluate.corrected import corrected, corrected_distribution
    from ordeval.evaluate.given_scores.cases import compare_cases
    from ordeval.evaluate.given_scores.folds import compare_folds
    from ordeval.evaluate.intervals import confidence_interval, paired_delta
    from ordeval.evaluate.judge import judge
    from ordeval.evaluate.plan import plan
    from ordeval.evaluate.populations.labelling import to_label
    from ordeval.evaluate.probabilities import calibration, decision_curve
    from ordeval.evaluate.recommend import recommend
    from ordeval.evaluate.score import score
    from ordeval.evaluate.scorers import scorer, scorers
    from ordeval.evaluate.thresholds import thresholds
    from ordeval.inference.advice import explain
    from ordeval.inference.many_models.multiplicity import benjamini_hochberg, holm

__all__ = [
    "Accumulator",
    "ConfusionMatrix",
    "CountsError",
    "DecimalCommaWarning",
    "EmptyLevelWarning",
    "LabelError",
    "Metric",
    "Metrics",
    "MissingExtraError",
    "OrdevalError",
    "OrdevalWarning",
    "OrdinalProperties",
    "OutputError",
    "ParameterError",
    "Predictions",
    "Range",
    "Ratings",
    "Reference",
    "ResamplingWarning",
    "Scale",
    "ScaleError",
    "SolverError",
    "StepsWarning",
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
    "calibration",
    "cem_int",
    "cem_nom",
    "cem_ord",
    "cem_ord_flat",
    "chance_line_distance",
    "coefficient_of_predictive_ability",
    "cohen_kappa",
    "compare",
    "compare_cases",
    "compare_folds",
    "concordance_index",
    "confidence_interval",
    "conger_kappa",
    "corrected",
    "corrected_distribution",
    "cosine_similarity",
    "cost_accuracy_distance",
    "decision_curve",
    "expected_cost",
    "explain",
    "extreme_sensitivity",
    "f1_macro",
    "fleiss_kappa",
    "geometric_mean_sensitivity",
    "george_cost",
    "get_metric",
    "goodman_kruskal_gamma",
    "gwet_ac2",
    "holm",
    "intraclass_correlation",
    "inverse_purity",
    "judge",
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
    "normalized_match_distance",
    "oc_index",
    "oc_index_general",
    "oc_index_unnormalized",
    "optimal_path",
    "order_reliability",
    "order_sensitivity",
    "ordinal_log_loss",
    "ordinal_ranking_correctness",
    "paired_delta",
    "pearson_r",
    "plan",
    "proximity",
    "purity",
    "r_int",
    "ranked_probability_score",
    "ranked_probability_skill_score",
    "read_answers",
    "read_costs",
    "recommend",
    "register",
    "reliability_sensitivity",
    "rnod",
    "root_mean_squared_error",
    "score",
    "scorer",
    "scorers",
    "scott_pi",
    "somers_d",
    "spearman_rho",
    "stuart_tau_c",
    "threshold_auc",
    "threshold_brier",
    "threshold_log_loss",
    "threshold_npv",
    "threshold_ppv",
    "threshold_sensitivity",
    "threshold_specificity",
    "thresholds",
    "to_label",
    "unregister",
    "uoc_curve",
    "uoc_index",
    "wasserstein",
    "weighted_kappa",
]

_MODULES = (
    "datasets",
    "integrations",
    "meta",
    "models",
    "papers",
    "plots",
    "report",
    "results",
)
# Names that counting and the measures do not need, and their modules: importing the package then
# costs little more than importing NumPy.
_LATER = {
    "read_costs": "ordeval.data.text.cost_files",
    "Predictions": "ordeval.data.predictions",
    "read_answers": "ordeval.data.text.answers",
    "compare_cases": "ordeval.evaluate.given_scores.cases",
    "compare": "ordeval.evaluate.compare",
    "corrected": "ordeval.evaluate.corrected",
    "corrected_distribution": "ordeval.evaluate.corrected",
    "compare_folds": "ordeval.evaluate.given_scores.folds",
    "confidence_interval": "ordeval.evaluate.intervals",
    "paired_delta": "ordeval.evaluate.intervals",
    "judge": "ordeval.evaluate.judge",
    "plan": "ordeval.evaluate.plan",
    "calibration": "ordeval.evaluate.probabilities",
    "decision_curve": "ordeval.evaluate.probabilities",
    "recommend": "ordeval.evaluate.recommend",
    "score": "ordeval.evaluate.score",
    "scorer": "ordeval.evaluate.scorers",
    "scorers": "ordeval.evaluate.scorers",
    "thresholds": "ordeval.evaluate.thresholds",
    "to_label": "ordeval.evaluate.populations.labelling",
    "explain": "ordeval.inference.advice",
    "benjamini_hochberg": "ordeval.inference.many_models.multiplicity",
    "holm": "ordeval.inference.many_models.multiplicity",
}


if not TYPE_CHECKING:  # so that an unknown name is an error to a type checker

    def __getattr__(name: str) -> object:
        if name in _LATER:
            found = globals()[name] = getattr(_import_module(_LATER[name]), name)
            return found
        if name in _MODULES:
            return _import_module(f"ordeval.{name}")
        raise AttributeError(f"module 'ordeval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]
