"""UOC over beta, whose area is AUOC (Silva, Pinto & Cardoso 2018, figures 1 and 2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordeval._shared.arguments import check_amount
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.path import auoc, uoc_curve, uoc_index
from ordeval.plots._display import Display, MatrixDisplay
from ordeval.plots._style import entry, line_of, lines_behind, plain

_SHADED_UP_TO = 3
_LISTED = 12  # models in the legend, best first


class UOCCurveDisplay(MatrixDisplay):
    """UOC over the weight beta of the path's deviation: linear between its breakpoints.

    Examples
    --------
    >>> matrix = [[0, 4, 0, 0], [6, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 3]]
    >>> round(UOCCurveDisplay.from_confusion(matrix).curves[""].area, 3)
    0.611
    """

    def __init__(self, matrices: dict[str, ConfusionMatrix], gamma: float = 1.0) -> None:
        self.curves = {name: uoc_curve(cm, gamma=gamma) for name, cm in matrices.items()}

    def title(self) -> str:
        """What is drawn."""
        return "UOC curves and the area below them (AUOC)"

    def describe(self) -> str:
        """The area of each model."""
        areas = ", ".join(f"{name or 'AUOC'} {c.area:.3f}" for name, c in self.curves.items())
        return f"Curves of UOC over beta; areas (AUOC, lower is better): {areas}."

    def _draw(self, ax: Any) -> None:
        ranked = sorted(self.curves, key=lambda name: self.curves[name].area)
        # The legend goes by area; a model has the look of its place among the models everywhere.
        own = {name: line_of(i) for i, name in enumerate(self.curves)}
        for i, name in enumerate(ranked):
            curve, look = self.curves[name], own[name]
            label = entry(f"{plain(name)}  {curve.area:.3f}" if name else f"AUOC {curve.area:.3f}")
            ax.plot(curve.beta, curve.value, label=label if i < _LISTED else None, **look)
            if len(ranked) <= _SHADED_UP_TO:
                ax.fill_between(curve.beta, curve.value, color=look["color"], alpha=0.12, lw=0)
        ax.set(xlim=(0, 1), ylim=(0, None), xlabel="β", ylabel="UOC (lower is better)")
        lines_behind(ax, "y")
        ax.legend(title="AUOC" if ranked != [""] else None, loc="best", fontsize=8.5)


class UOCDistanceDisplay(Display):
    """UOC and AUOC of a single item by its distance to the diagonal.

    Parameters
    ----------
    k
        Number of classes.
    betas
        The values of beta whose UOC is drawn.
    """

    def __init__(self, k: int = 5, betas: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)) -> None:
        check_amount("k", k, 2, 400)
        self.k, self.betas = k, tuple(betas)
        single = np.zeros((k, k, k), dtype=np.int64)
        single[np.arange(k), 0, np.arange(k)] = 1
        self.values = {b: uoc_index.from_confusion(single, beta=b) for b in self.betas}
        self.area = auoc.from_confusion(single)

    def title(self) -> str:
        """What is drawn."""
        return f"One item, {self.k} classes"

    def describe(self) -> str:
        """The area at each distance."""
        shown = ", ".join(f"{d}: {v:.3f}" for d, v in enumerate(self.area))
        return f"UOC of a single item by its distance to the diagonal; AUOC at distance {shown}."

    def _draw(self, ax: Any) -> None:
        distance = np.arange(self.k)
        for i, (beta, values) in enumerate(self.values.items()):
            ax.plot(distance, values, label=f"UOC, β = {beta:g}", **line_of(i + 1))
        ax.plot(distance, self.area, label="AUOC", **line_of(0) | {"linewidth": 3})
        ax.set(xlabel="|r − c|", ylabel="index", ylim=(0, 1.05))
        ax.set_xticks(distance[:: 1 + self.k // 15])
        lines_behind(ax, "y")
        ax.legend(fontsize=8.5)
