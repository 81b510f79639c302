"""The results that functions of the package return: they print, export and conclude.

Each class is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordeval.data.text.answers import Answers
    from ordeval.inference.advice import Advice
    from ordeval.inference.intervals import Interval
    from ordeval.inference.paired import Delta
    from ordeval.papers import Reproduction
    from ordeval.results.calibration import Calibration, ModelCalibrations
    from ordeval.results.cases import CaseComparison
    from ordeval.results.comparison import Comparison, Deltas, Disagreement
    from ordeval.results.comparisons import Comparisons, Finding
    from ordeval.results.corrected import Corrected, CorrectedScores
    from ordeval.results.decision_curve import DecisionCurve
    from ordeval.results.folds import FoldComparison, FoldDelta
    from ordeval.results.judgement import Judgement
    from ordeval.results.plan import Plan, PlanPoint
    from ordeval.results.ratings import RaterSeverity, RatingScores
    from ordeval.results.recommendation import Choice, Recommendation
    from ordeval.results.scores import Scores
    from ordeval.results.subgroups import ModelScores, SubgroupScores
    from ordeval.results.thresholds import Cut, ModelThresholds, Thresholds

__all__ = [
    "Advice",
    "Answers",
    "Calibration",
    "CaseComparison",
    "Choice",
    "Comparison",
    "Comparisons",
    "Corrected",
    "CorrectedScores",
    "Cut",
    "DecisionCurve",
    "Delta",
    "Deltas",
    "Disagreement",
    "Finding",
    "FoldComparison",
    "FoldDelta",
    "Interval",
    "Judgement",
    "ModelCalibrations",
    "ModelScores",
    "ModelThresholds",
    "Plan",
    "PlanPoint",
    "RaterSeverity",
    "RatingScores",
    "Recommendation",
    "Reproduction",
    "Scores",
    "SubgroupScores",
    "Thresholds",
]

if not TYPE_CHECKING:
    _FROM = {
        "ordeval.data.text.answers": ("Answers",),
        "ordeval.inference.advice": ("Advice",),
        "ordeval.inference.intervals": ("Interval",),
        "ordeval.inference.paired": ("Delta",),
        "ordeval.papers": ("Reproduction",),
        "ordeval.results.calibration": ("Calibration", "ModelCalibrations"),
        "ordeval.results.cases": ("CaseComparison",),
        "ordeval.results.comparison": ("Comparison", "Deltas", "Disagreement"),
        "ordeval.results.comparisons": ("Comparisons", "Finding"),
        "ordeval.results.corrected": ("Corrected", "CorrectedScores"),
        "ordeval.results.decision_curve": ("DecisionCurve",),
        "ordeval.results.folds": ("FoldComparison", "FoldDelta"),
        "ordeval.results.judgement": ("Judgement",),
        "ordeval.results.plan": ("Plan", "PlanPoint"),
        "ordeval.results.ratings": ("RaterSeverity", "RatingScores"),
        "ordeval.results.recommendation": ("Choice", "Recommendation"),
        "ordeval.results.scores": ("Scores",),
        "ordeval.results.subgroups": ("ModelScores", "SubgroupScores"),
        "ordeval.results.thresholds": ("Cut", "ModelThresholds", "Thresholds"),
    }
    _MODULE = {name: module for module, names in _FROM.items() for name in names}

    def __getattr__(name: str) -> Any:
        if name not in _MODULE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(_import_module(_MODULE[name]), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return __all__
