"""Are predicted probabilities what they say, and what is the RPS made of?"""

from typing import Any, Self

import numpy as np

from ordeval.exceptions import LabelError
from ordeval.inference.calibration import Calibration, calibration
from ordeval.plots import _style as look
from ordeval.plots._display import PredictionDisplay

_LISTED = 12  # thresholds in the legend


class _ProbabilityDisplay(PredictionDisplay):
    def __init__(self, parts: Calibration) -> None:
        self.parts = parts

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_prob: Any, *,
        labels: Any = None, sample_weight: Any = None, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw from true labels and predicted probabilities (n, K)."""
        parts = calibration(y_true, y_prob, labels=labels, sample_weight=sample_weight)
        return cls(parts).plot(ax=ax)

    @classmethod
    def _predict(cls, estimator: Any, x: Any, labels: Any) -> tuple[Any, Any]:
        if not hasattr(estimator, "predict_proba"):
            raise LabelError(
                f"{cls.__name__} needs a classifier with predict_proba; "
                f"{type(estimator).__name__} has none."
            )
        labels = list(estimator.classes_) if labels is None else labels
        return estimator.predict_proba(x), labels


class CalibrationDisplay(_ProbabilityDisplay):
    """Predicted against observed share of items in each class or lower, by isotonic regression."""

    size = (5.0, 4.6)

    def title(self) -> str:
        """What is drawn."""
        return "Calibration of cumulative probabilities"

    def describe(self) -> str:
        """The miscalibration at each threshold."""
        rows = zip(self.parts.scale, self.parts.miscalibration, strict=False)
        shown = ", ".join(f"{level} or lower {m:.4f}" for level, m in rows)
        return f"Calibration curves of cumulative probabilities. Miscalibration: {shown}."

    def _draw(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=look.SOFT, linestyle="--", linewidth=1, zorder=0)
        curves = zip(self.parts.predicted, self.parts.observed, strict=True)
        for i, (predicted, observed) in enumerate(curves):
            line = look.line_of(i) | {"marker": None, "linewidth": 1.6}
            level = look.plain(self.parts.scale.levels[i], 14)
            ax.plot(predicted, observed, label=f"≤ {level}", **line)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted probability", ylabel="observed share")
        ax.set_aspect("equal")
        look.lines_behind(ax)
        if len(self.parts.predicted) <= _LISTED:
            ax.legend(loc="upper left", fontsize=8)


class RPSDecompositionDisplay(_ProbabilityDisplay):
    """RPS at each threshold: uncertainty, less discrimination, plus miscalibration."""

    def title(self) -> str:
        """The sums."""
        form = "RPS {:.3f} = miscalibration {:.3f} − discrimination {:.3f} + uncertainty {:.3f}"
        return form.format(*self._sums())

    def describe(self) -> str:
        """The sums in words."""
        form = "RPS {:.4f} is miscalibration {:.4f} minus discrimination {:.4f} plus uncertainty"
        return f"{form} {{:.4f}}.".format(*self._sums())

    def _sums(self) -> list[float]:
        p = self.parts
        return [x.sum() for x in (p.rps, p.miscalibration, p.discrimination, p.uncertainty)]

    def _draw(self, ax: Any) -> None:
        place = np.arange(len(self.parts.rps))
        series = (
            ("uncertainty", self.parts.uncertainty, look.FAINT, ""),
            ("− discrimination", self.parts.discrimination, look.BLUE, "//"),
            ("+ miscalibration", self.parts.miscalibration, look.ORANGE, ".."),
        )
        for i, (name, values, colour, hatch) in enumerate(series):
            ax.bar(place + (i - 1) * 0.27, values, width=0.25, label=name, color=colour,
                   hatch=hatch, edgecolor="white", linewidth=0.5)  # fmt: skip
        ax.plot(place, self.parts.rps, "D", color="black", markersize=5, label="= RPS", zorder=3)
        look.level_ticks(ax.xaxis, [f"≤ {x}" for x in self.parts.scale.levels[:-1]])
        ax.set_ylabel("part of the RPS")
        look.lines_behind(ax, "y")
        ax.legend(fontsize=8, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.12))
