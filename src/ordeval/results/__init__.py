"""The results that functions of the package return: they print, export and conclude.

Use the classes in annotations and with ``isinstance``: ``oe.score`` returns an
``oe.results.Scores``. Each is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordeval.data.counts import Dropped
    from ordeval.data.text.answers import Answers
    from ordeval.inference.advice import Advice
    from ordeval.inference.intervals import Interval
    from ordeval.inference.paired import Delta
    from ordeval.measures.path import OptimalPath, UOCCurve
    from ordeval.results.calibration import Calibration, ModelCalibrations, SubgroupCalibrations
    from ordeval.results.cases import CaseComparison
    from ordeval.results.comparison import Comparison, Deltas, Disagreement
    from ordeval.results.comparisons import Comparisons, Finding
    from ordeval.results.decision_curve import DecisionCurve, SubgroupDecisionCurves
    from ordeval.results.folds import FoldComparison, FoldDelta
    from ordeval.results.judgement import Judgement
    from ordeval.results.plan import Plan, PlanPoint
    from ordeval.results.ratings import AnswerRows, RaterSeverity, RatingScores
    from ordeval.results.recommendation import Choice, Recommendation
    from ordeval.results.scores import Scores
    from ordeval.results.subgroups import ModelScores, SubgroupScores
    from ordeval.results.thresholds import Cut, ModelThresholds, SubgroupThresholds, Thresholds

__all__ = [
    "Advice",
    "AnswerRows",
    "Answers",
    "Calibration",
    "CaseComparison",
    "Choice",
    "Comparison",
    "Comparisons",
    "Cut",
    "DecisionCurve",
    "Delta",
    "Deltas",
    "Disagreement",
    "Dropped",
    "Finding",
    "FoldComparison",
    "FoldDelta",
    "Interval",
    "Judgement",
    "ModelCalibrations",
    "ModelScores",
    "ModelThresholds",
    "OptimalPath",
    "Plan",
    "PlanPoint",
    "RaterSeverity",
    "RatingScores",
    "Recommendation",
    "Scores",
    "SubgroupCalibrations",
    "SubgroupDecisionCurves",
    "SubgroupScores",
    "SubgroupThresholds",
    "Thresholds",
    "UOCCurve",
]

_HOMES = {
    "ordeval.data.counts": ("Dropped",),
    "ordeval.data.text.answers": ("Answers",),
    "ordeval.inference.advice": ("Advice",),
    "ordeval.inference.intervals": ("Interval",),
    "ordeval.inference.paired": ("Delta",),
    "ordeval.measures.path": ("OptimalPath", "UOCCurve"),
    "ordeval.results.calibration": ("Calibration", "ModelCalibrations", "SubgroupCalibrations"),
    "ordeval.results.cases": ("CaseComparison",),
    "ordeval.results.comparison": ("Comparison", "Deltas", "Disagreement"),
    "ordeval.results.comparisons": ("Comparisons", "Finding"),
    "ordeval.results.decision_curve": ("DecisionCurve", "SubgroupDecisionCurves"),
    "ordeval.results.folds": ("FoldComparison", "FoldDelta"),
    "ordeval.results.judgement": ("Judgement",),
    "ordeval.results.plan": ("Plan", "PlanPoint"),
    "ordeval.results.ratings": ("AnswerRows", "RaterSeverity", "RatingScores"),
    "ordeval.results.recommendation": ("Choice", "Recommendation"),
    "ordeval.results.scores": ("Scores",),
    "ordeval.results.subgroups": ("ModelScores", "SubgroupScores"),
    "ordeval.results.thresholds": ("Cut", "ModelThresholds", "SubgroupThresholds", "Thresholds"),
}
_LATER = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # so that an unknown name is an error to a type checker

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module 'ordeval.results' has no attribute {name!r}")
        found = globals()[name] = getattr(_import_module(_LATER[name]), name)
        return found


def __dir__() -> list[str]:
    return __all__
