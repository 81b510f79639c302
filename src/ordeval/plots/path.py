"""The optimal path behind OC and UOC, drawn over the matrix."""

from typing import Any

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import Metric, get_metric
from ordeval.measures.path import optimal_path
from ordeval.plots._display import SingleDisplay
from ordeval.plots._style import ORANGE, PAGE, count_text, ink_on
from ordeval.plots.confusion import draw_matrix

_TEXT_UP_TO = 9


class PathDisplay(SingleDisplay):
    """The path of least OC or UOC through the matrix, and what each of its cells contributes.

    The measure starts from 1. A cell subtracts its gain, the share of items on the path, and adds
    its penalty, beta times their distance to the diagonal.

    Parameters
    ----------
    cm
        The matrix.
    metric
        ``"oc_index"`` or ``"uoc_index"``.
    name
        The name of the model, for the title.
    **params
        Parameters of the measure.

    Examples
    --------
    >>> display = PathDisplay.from_confusion([[2, 0, 1], [1, 1, 0], [2, 1, 2]], share=0.25)
    >>> display.path.cells
    ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2))
    """

    def __init__(
        self, cm: ConfusionMatrix, metric: str | Metric = "oc_index", name: str = "", **params: Any
    ) -> None:
        super().__init__(cm, name)
        self.metric, self.path = get_metric(metric), optimal_path(cm, metric, **params)

    def title(self) -> str:
        """The measure and its value."""
        return self._named(f"{self.metric.symbol} = {self.path.value:.3f}: 1 − gains + penalties")

    def describe(self) -> str:
        """The cells in words."""
        levels = self.cm.scale.levels
        off = [(i, j) for i, j in self.path.cells if i != j]
        where = "; ".join(f"{levels[i]} predicted as {levels[j]}" for i, j in off)
        return f"Optimal path of {self.metric.display}, value {self.path.value:.3f}: " + (
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
        line = {"color": ORANGE, "linewidth": 2.2, "alpha": 0.9, "zorder": 3}
        mark = {"marker": "o", "markerfacecolor": PAGE, "markeredgewidth": 1.6}
        ax.plot(columns, rows, markersize=7 if wide else 3, **line, **mark)
        if not wide:
            return
        # A path runs along the middle of a cell, or from its upper left to its lower right: text
        # stands in the two other corners.
        size = 8 if self.cm.k <= 4 else 6.5 if self.cm.k <= 6 else 5.5
        digits = 3 if self.cm.k <= 7 else 2
        steps = zip(self.path.cells, self.path.gain, self.path.penalty, strict=True)
        on_path = {cell: (gain, penalty) for cell, gain, penalty in steps}
        for (i, j), share in np.ndenumerate(shares):
            ink = {"fontsize": size, "color": ink_on(share)}
            count = count_text(self.cm.counts[i, j])
            ax.text(j + 0.45, i - 0.43, count, ha="right", va="top", **ink)
            if (i, j) in on_path:
                said = _contribution(*on_path[i, j], digits)
                ink |= {"fontweight": "bold", "linespacing": 1.0}
                ax.text(j - 0.46, i + 0.45, said, ha="left", va="bottom", **ink)


def _contribution(gain: float, penalty: float, digits: int) -> str:
    """What a cell changes the measure by, the penalty below the gain if there is one."""
    if gain == 0 and penalty == 0:
        return "0"
    return f"−{gain:.{digits}f}" + (f"\n+{penalty:.{digits}f}" if penalty > 0 else "")
