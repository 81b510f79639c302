"""Is it worth acting on predicted probabilities?"""

from typing import Any, Self

import numpy as np

from ordeval._shared.text import number
from ordeval.evaluate.probabilities import decision_curve
from ordeval.plots import _style as look
from ordeval.plots._panels import ThresholdPanels
from ordeval.results.decision_curve import DecisionCurve
from ordeval.results.phrases import percent

_LINES = 8  # models; more of them would hide each other


class DecisionCurveDisplay(ThresholdPanels):
    """Net benefit over decision probabilities, with those of acting on all and on none.

    A band is the interval at each probability; it is drawn for a single model only."""

    _compute = staticmethod(decision_curve)

    def __init__(self, curve: DecisionCurve, at_least: Any = None) -> None:
        self.curve = curve
        self.names = list(curve.models)[:_LINES]
        self._choose(curve.scale, at_least)

    @classmethod
    def from_decision_curve(
        cls, curve: DecisionCurve, at_least: Any = None, *, ax: Any = None
    ) -> Self:
        """Draw a result of ``oe.decision_curve``."""
        return cls(curve, at_least).plot(ax=ax)

    def title(self) -> str:
        """What is drawn."""
        left_out = len(self.curve.models) - len(self.names)
        part = f", {len(self.names)} of {len(self.curve.models)} models" if left_out else ""
        return self._of(f"Net benefit of acting{part}")

    def describe(self) -> str:
        """The net benefit in the middle of the decision probabilities."""
        middle = len(self.curve.probabilities) // 2
        p = percent(round(float(self.curve.probabilities[middle]), 6))
        shown = "; ".join(
            f"≥ {level} "
            + ", ".join(
                f"{name} {number(self.curve.benefit[name][t].model.value[middle])}"
                for name in self.names
            )
            for t, level in enumerate(self.curve.thresholds)
        )
        return f"Net benefit of acting at a probability of {p}: {shown}."

    def _draw_panel(self, ax: Any, position: int, *, first: bool) -> None:
        p = self.curve.probabilities
        every = self.curve.benefit
        always = every[self.names[0]][position].always
        ax.axhline(0, color=look.INK, linewidth=1, label="act on none")
        ax.plot(p, always, color=look.SOFT, linestyle="--", linewidth=1.2, label="act on all")
        for i, name in enumerate(self.names):
            mean = every[name][position].model
            line = look.line_of(i) | {"marker": None, "linewidth": 1.6}
            if len(self.names) == 1:
                ax.fill_between(
                    p, mean.low, mean.high, color=line["color"], alpha=0.16, linewidth=0
                )
            ax.plot(p, mean.value, label=look.entry(look.plain(name, 18)), **line)
        best = max(float(np.max(every[name][position].model.value)) for name in self.names)
        top = max(best, float(always.max()), 0.01) * 1.15
        ax.set(xlim=(0, 1), ylim=(-0.25 * top, top), xlabel="decision probability")
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "50%", "", "100%"])
        ax.tick_params(axis="y", labelsize=8)
        look.lines_behind(ax, "y")
        if first:
            ax.set_ylabel("net benefit per item")
            ax.legend(loc="upper right", fontsize=7.5)
