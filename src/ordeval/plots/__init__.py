"""Pictures, by scikit-learn's convention: a display keeps its data, draws on any axes, and is made
``from_confusion``, ``from_predictions``, ``from_estimator``, ``from_comparison``,
``from_judgement`` or another result.
"""

from ordeval.plots.calibration import CalibrationDisplay, RPSDecompositionDisplay
from ordeval.plots.classes import ClassDistributionDisplay, SignedErrorDisplay
from ordeval.plots.comparison import (
    DeltaDisplay,
    IntervalDisplay,
    ProbabilityBestDisplay,
    RankAgreementDisplay,
)
from ordeval.plots.confusion import ConfusionDisplay
from ordeval.plots.costs import ErrorCostDisplay
from ordeval.plots.decision_curve import DecisionCurveDisplay
from ordeval.plots.grid import PerformanceGridDisplay
from ordeval.plots.meta import CoverageDisplay, DegradationDisplay
from ordeval.plots.path import PathDisplay
from ordeval.plots.plan import PlanDisplay
from ordeval.plots.ranks import CriticalDifferenceDisplay, RankDisplay
from ordeval.plots.raters import (
    CeilingDisplay,
    GradeBiasDisplay,
    JudgeEffectsDisplay,
    JudgeHumanDisplay,
    JudgeMatrixDisplay,
    SeverityDisplay,
)
from ordeval.plots.roc import ROCDisplay
from ordeval.plots.thresholds import ThresholdDisplay
from ordeval.plots.uoc import UOCCurveDisplay, UOCDistanceDisplay

__all__ = [
    "CalibrationDisplay",
    "CeilingDisplay",
    "ClassDistributionDisplay",
    "ConfusionDisplay",
    "CoverageDisplay",
    "CriticalDifferenceDisplay",
    "DecisionCurveDisplay",
    "DegradationDisplay",
    "DeltaDisplay",
    "ErrorCostDisplay",
    "GradeBiasDisplay",
    "IntervalDisplay",
    "JudgeEffectsDisplay",
    "JudgeHumanDisplay",
    "JudgeMatrixDisplay",
    "PathDisplay",
    "PerformanceGridDisplay",
    "PlanDisplay",
    "ProbabilityBestDisplay",
    "ROCDisplay",
    "RPSDecompositionDisplay",
    "RankAgreementDisplay",
    "RankDisplay",
    "SeverityDisplay",
    "SignedErrorDisplay",
    "ThresholdDisplay",
    "UOCCurveDisplay",
    "UOCDistanceDisplay",
]
