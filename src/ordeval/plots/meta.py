"""Measures about measures: what they cover, and how they fall as predictions get worse."""

from typing import Any, Self

import numpy as np

from ordeval._shared.types import check_choice
from ordeval.meta import DegradationCurves, MetaStudy, MetaValues
from ordeval.plots._display import Display
from ordeval.plots._style import bars, entry, line_of, lines_behind, plain, plain_all

_SHOWN = 30


class CoverageDisplay(Display):
    """How well each measure agrees with improvements in all reference measures.

    Parameters
    ----------
    values
        A result of ``oe.meta.coverage``, ``robustness`` or ``discriminative_power``.
    """

    def __init__(self, values: MetaValues) -> None:
        rows = [(row["metric"], row[values.key]) for row in values.rows()]
        known = [(name, value) for name, value in rows if value == value]
        self.what = values.what
        self.names = [name for name, _ in known[:_SHOWN]]
        self.values = np.array([value for _, value in known[:_SHOWN]])
        self.hidden = max(len(known) - _SHOWN, 0)

    @classmethod
    def from_study(cls, study: MetaStudy | MetaValues, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.meta.study`` or ``oe.meta.coverage``."""
        return cls(study.coverage if isinstance(study, MetaStudy) else study).plot(ax=ax)

    def title(self) -> str:
        """What is drawn."""
        return f"{self.what.capitalize()} of measures"

    def describe(self) -> str:
        """The numbers."""
        rows = zip(self.names, self.values, strict=True)
        more = f" {self.hidden} more are not drawn." if self.hidden else ""
        return f"{self.title()}: {', '.join(f'{n} {v:.3f}' for n, v in rows)}.{more}"

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.0 + 0.24 * max(len(self.names), 2)

    def _draw(self, ax: Any) -> None:
        bars(ax, plain_all(self.names), self.values.tolist(), ".2f", 8)
        ax.set(xlim=(min(0, self.values.min(initial=0)), 1.08), xlabel=self.what)


class DegradationDisplay(Display):
    """How measures fall as predictions get worse, each from 1 to the worst that it reaches.

    Parameters
    ----------
    curves
        A result of ``oe.meta.degradation_curves``.
    degradation
        Which way the predictions get worse; by default the first that was computed.
    """

    def __init__(self, curves: DegradationCurves, degradation: str | None = None) -> None:
        self.degradation = curves.degradations[0] if degradation is None else degradation
        check_choice("degradation", self.degradation, curves.degradations)
        self.names, self.rates = [m.name for m in curves.metrics], np.array(curves.rates)
        utilities = curves.utilities
        start = utilities[:, :, :1]
        worst = np.nanmin(utilities, axis=(0, 2), keepdims=True)
        span = np.where(start > worst, start - worst, np.nan)
        chosen = curves.degradations.index(self.degradation)
        self.curves = ((utilities - worst) / span)[chosen]

    @classmethod
    def from_curves(
        cls, curves: DegradationCurves, degradation: str | None = None, *, ax: Any = None
    ) -> Self:
        """Draw a result of ``oe.meta.degradation_curves``."""
        return cls(curves, degradation).plot(ax=ax)

    def title(self) -> str:
        """What is drawn."""
        return f"How measures fall: {self.degradation}"

    def describe(self) -> str:
        """Where each measure ends."""
        ends = zip(self.names, self.curves[:, -1], strict=True)
        shown = ", ".join(f"{n} {v:.2f}" for n, v in ends if v == v)
        return f"{self.title()}. Each starts at 1 and ends at: {shown}."

    def _draw(self, ax: Any) -> None:
        for i, (name, curve) in enumerate(zip(self.names, self.curves, strict=True)):
            ax.plot(self.rates, curve, label=entry(plain(name, 40)), markevery=4, **line_of(i))
        ax.set(xlabel="share of predictions made worse", ylabel="1 undamaged, 0 the worst seen")
        ax.set_xlim(0, 1)
        lines_behind(ax, "y")
        ax.legend(fontsize=7.5, ncols=1 + len(self.names) // 10)
