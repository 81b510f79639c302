"""The results that functions of the package return: they print, export and conclude.

Each class is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordeval.data.text.answers import Answers as Answers
    from ordeval.inference.advice import Advice as Advice
    from ordeval.inference.intervals import Interval as Interval
    from ordeval.inference.paired import Delta as Delta
    from ordeval.papers import Reproduction as Reproduction
    from ordeval.results.calibration import (
        Calibration as Calibration,
        ModelCalibrations as ModelCalibrations,
        SubgroupCalibrations as SubgroupCalibrations,
    )
    from ordeval.results.cases import CaseComparison as CaseComparison
    from ordeval.results.comparison import (
        Comparison as Comparison,
        Deltas as Deltas,
        Disagreement as Disagreement,
    )
    from ordeval.results.comparisons import Comparisons as Comparisons, Finding as Finding
    from ordeval.results.corrected import (
        Corrected as Corrected,
        CorrectedScores as CorrectedScores,
    )
    from ordeval.results.decision_curve import (
        DecisionCurve as DecisionCurve,
        SubgroupDecisionCurves as SubgroupDecisionCurves,
    )
    from ordeval.results.folds import FoldComparison as FoldComparison, FoldDelta as FoldDelta
    from ordeval.results.judgement import Judgement as Judgement
    from ordeval.results.plan import Plan as Plan, PlanPoint as PlanPoint
    from ordeval.results.ratings import (
        RaterSeverity as RaterSeverity,
        RatingScores as RatingScores,
    )
    from ordeval.results.recommendation import Choice as Choice, Recommendation as Recommendation
    from ordeval.results.scores import Scores as Scores
    from ordeval.results.subgroups import (
        ModelScores as ModelScores,
        SubgroupScores as SubgroupScores,
    )
    from ordeval.results.thresholds import (
        Cut as Cut,
        ModelThresholds as ModelThresholds,
        SubgroupThresholds as SubgroupThresholds,
        Thresholds as Thresholds,
    )

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
    "SubgroupCalibrations",
    "SubgroupDecisionCurves",
    "SubgroupScores",
    "SubgroupThresholds",
    "Thresholds",
]

if not TYPE_CHECKING:
    _FROM = {
        "ordeval.data.text.answers": ("Answers",),
        "ordeval.inference.advice": ("Advice",),
        "ordeval.inference.intervals": ("Interval",),
        "ordeval.inference.paired": ("Delta",),
        "ordeval.papers": ("Reproduction",),
        "ordeval.results.calibration": ("Calibration", "ModelCalibrations", "SubgroupCalibrations"),
        "ordeval.results.cases": ("CaseComparison",),
        "ordeval.results.comparison": ("Comparison", "Deltas", "Disagreement"),
        "ordeval.results.comparisons": ("Comparisons", "Finding"),
        "ordeval.results.corrected": ("Corrected", "CorrectedScores"),
        "ordeval.results.decision_curve": ("DecisionCurve", "SubgroupDecisionCurves"),
        "ordeval.results.folds": ("FoldComparison", "FoldDelta"),
        "ordeval.results.judgement": ("Judgement",),
        "ordeval.results.plan": ("Plan", "PlanPoint"),
        "ordeval.results.ratings": ("RaterSeverity", "RatingScores"),
        "ordeval.results.recommendation": ("Choice", "Recommendation"),
        "ordeval.results.scores": ("Scores",),
        "ordeval.results.subgroups": ("ModelScores", "SubgroupScores"),
        "ordeval.results.thresholds": (
            "Cut",
            "ModelThresholds",
            "SubgroupThresholds",
            "Thresholds",
        ),
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
