"""Are predicted probabilities what they say, and what is the RPS made of?"""

from typing import Any, Self

import numpy as np

from ordeval._shared.text import number, with_ends
from ordeval.evaluate.probabilities import calibration
from ordeval.inference.forecasts.recalibration import Coefficient
from ordeval.plots import _style as look
from ordeval.plots._display import ComputedDisplay
from ordeval.plots._panels import ThresholdPanels
from ordeval.results.calibration import Calibration
from ordeval.results.phrases import percent

_BINS = 40  # of the histogram of predictions
_ROOM = 0.14  # for the histogram, below 0


class CalibrationDisplay(ThresholdPanels):
    """Predicted against observed share of items at or above each threshold.

    The curve is isotonic. At each probability, the band covers the stated share of the curves of
    data with calibrated probabilities. Bars below show how often each probability is predicted."""

    _compute = staticmethod(calibration)

    def __init__(self, parts: Calibration, at_least: Any = None, *, values: bool = True) -> None:
        self.parts, self.values = parts, values  # whether intercept and slope are written
        self._choose(parts.scale, at_least)

    @classmethod
    def from_calibration(cls, parts: Calibration, at_least: Any = None, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.calibration``."""
        return cls(parts, at_least).plot(ax=ax)

    def title(self) -> str:
        """What is drawn."""
        return self._of("Calibration")

    def describe(self) -> str:
        """Intercept and slope at each threshold."""
        shown = "; ".join(
            f"≥ {t.level} intercept {number(t.intercept.value)}, slope {number(t.slope.value)}"
            for t in self.parts.thresholds
        )
        return f"Calibration curves of the probabilities of each threshold: {shown}."

    def _draw_panel(self, ax: Any, position: int, *, first: bool) -> None:
        t = self.parts.thresholds[position]
        band = {"color": look.SOFT, "alpha": 0.25, "linewidth": 0}
        label = f"if right ({percent(self.parts.level)})"
        ax.fill_between(t.predicted, t.low, t.high, label=label, **band)
        ax.plot([0, 1], [0, 1], color=look.SOFT, linestyle="--", linewidth=1)
        ax.plot(t.predicted, t.observed, color=look.BLUE, linewidth=1.8, label="observed")
        self._bars(ax, t.predicted, t.weight)
        if self.values:
            shown = f"intercept {_shown(t.intercept)}\nslope {_shown(t.slope)}"
            ax.text(0.03, 0.98, shown, transform=ax.transAxes, va="top", fontsize=7.5)
        top = 1.2 if self.values else 1.03
        ax.set(xlim=(0, 1), ylim=(-_ROOM, top), xlabel="predicted probability")
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        if first:
            ax.set_ylabel("observed share")
            ax.legend(loc="lower right", bbox_to_anchor=(1.02, 0.1), fontsize=7.5)

    def _bars(self, ax: Any, predicted: Any, weight: Any) -> None:
        height, edges = np.histogram(predicted, bins=_BINS, range=(0, 1), weights=weight)
        tall = height / height.max() * (_ROOM - 0.02)
        place = {"width": 1 / _BINS, "bottom": -_ROOM, "align": "edge"}
        ax.bar(edges[:-1], tall, color=look.FAINT, edgecolor=look.SOFT, linewidth=0.3, **place)


def _shown(found: Coefficient) -> str:
    return with_ends(found.value, found.low, found.high, lambda x: number(x, 2))


class RPSDecompositionDisplay(ComputedDisplay):
    """RPS at each threshold: uncertainty, less discrimination, plus miscalibration."""

    _compute = staticmethod(calibration)

    def __init__(self, parts: Calibration) -> None:
        self.parts = parts

    @classmethod
    def from_calibration(cls, parts: Calibration, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.calibration``."""
        return cls(parts).plot(ax=ax)

    def title(self) -> str:
        """The sums."""
        form = "RPS {:.3f} = miscalibration {:.3f} − discrimination {:.3f} + uncertainty {:.3f}"
        return form.format(*self.parts.parts().values())

    def describe(self) -> str:
        """The sums in words."""
        form = "RPS {:.4f} is miscalibration {:.4f} minus discrimination {:.4f} plus uncertainty"
        return f"{form} {{:.4f}}.".format(*self.parts.parts().values())

    def _draw(self, ax: Any) -> None:
        place = np.arange(len(self.parts.thresholds))
        series = (
            ("uncertainty", self.parts.uncertainty, look.FAINT, ""),
            ("− discrimination", self.parts.discrimination, look.BLUE, "//"),
            ("+ miscalibration", self.parts.miscalibration, look.ORANGE, ".."),
        )
        for i, (name, values, colour, hatch) in enumerate(series):
            filled = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
            ax.bar(place + (i - 1) * 0.27, values, width=0.25, label=name, **filled)
        ax.plot(place, self.parts.rps, "D", color="black", markersize=5, label="= RPS", zorder=3)
        look.level_ticks(ax.xaxis, [f"≥ {x}" for x in self.parts.scale.levels[1:]])
        ax.set_ylabel("part of the RPS")
        look.lines_behind(ax, "y")
        look.legend_under(ax, 0.12, ncols=2)
