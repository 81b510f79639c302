"""The optimal path behind OC and UOC, drawn over the matrix."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import Metric, get_metric
from ordeval.measures.path import optimal_path
from ordeval.plots._display import MatrixDisplay, named
from ordeval.plots._style import ON_DARK, ON_LIGHT, ORANGE, PAGE, plain
from ordeval.plots.confusion import draw_matrix

_TEXT_UP_TO = 9


class PathDisplay(MatrixDisplay):
    """The path of least OC or UOC through the matrix, and what each of its cells contributes.

    The index starts from 1. A cell takes off what it gains, the share of items on the path, and
    adds its penalty, beta times their distance to the diagonal.

    Examples
    --------
    >>> display = PathDisplay.from_confusion([[2, 0, 1], [1, 1, 0], [2, 1, 2]], share=0.25)
    >>> display.path.cells
    ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2))
    """

    def __init__(
        self, cm: ConfusionMatrix, index: str | Metric = "oc_index", name: str = "", **params: Any
    ) -> None:
        self.cm, self.name, self.metric = cm, name, get_metric(index)
        self.path = optimal_path(cm, index, **params)

    @classmethod
    def _of(cls, matrices: dict[str, ConfusionMatrix], **options: Any) -> Self:
        ((name, cm),) = matrices.items()
        return cls(cm, name=options.pop("name", name), **options)

    def title(self) -> str:
        """The index and its value."""
        value = f"{self.metric.symbol} = {self.path.value:.3f}"
        return named(plain(self.name), f"{value}: 1 − gains + penalties")

    def describe(self) -> str:
        """The cells in words."""
        levels = self.cm.scale.levels
        off = [(i, j) for i, j in self.path.cells if i != j]
        where = "; ".join(f"{levels[i]} predicted as {levels[j]}" for i, j in off)
        return f"Optimal path of {self.metric.name}, value {self.path.value:.3f}: " + (
            f"it leaves the diagonal at {where}." if off else "it stays on the diagonal."
        )

    def _size(self) -> tuple[float, float]:
        side = min(3.4 + 0.4 * self.cm.k, 8.0)
        return side, side

    def _draw(self, ax: Any) -> None:
        shares = self.cm.normalized("true")
        draw_matrix(ax, self.cm, shares)
        rows, columns = np.array(self.path.cells).T
        wide = self.cm.k <= _TEXT_UP_TO
        ax.plot(columns, rows, color=ORANGE, linewidth=2.2, zorder=3, alpha=0.9,
                marker="o", markersize=7 if wide else 3, markerfacecolor=PAGE,
                markeredgewidth=1.6)  # fmt: skip
        if not wide:
            return
        size = 8 if self.cm.k <= 6 else 6.5
        steps = zip(self.path.cells, self.path.gain, self.path.penalty, strict=True)
        on_path = {cell: (gain, penalty) for cell, gain, penalty in steps}
        for i, j in np.ndindex(self.cm.counts.shape):
            colour = ON_DARK if np.nan_to_num(shares[i, j]) > 0.55 else ON_LIGHT
            count = self.cm.counts[i, j]
            shown = f"{count:,}" if count.dtype.kind != "f" else f"{count:.4g}"
            ax.text(j - 0.44, i - 0.42, shown, fontsize=size, color=colour, ha="left", va="top")
            if (i, j) in on_path:
                ax.text(j, i + 0.45, _contribution(*on_path[i, j]), fontsize=size, color=colour,
                        ha="center", va="bottom", fontweight="bold", linespacing=1.0)  # fmt: skip


def _contribution(gain: float, penalty: float) -> str:
    """What a cell changes the index by, the penalty below the gain if there is one."""
    if gain == 0 and penalty == 0:
        return "0"
    return f"−{gain:.3f}" + (f"\n+{penalty:.3f}" if penalty > 0 else "")
