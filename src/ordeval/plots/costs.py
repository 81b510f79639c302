"""What each error costs by a measure."""

from typing import Any

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import Metric, get_metric
from ordeval.plots import _style as look
from ordeval.plots._display import SingleDisplay

_TEXT_UP_TO = 9  # levels; more of them are too small to write in
_LISTED = 3  # errors in the description


class ErrorCostDisplay(SingleDisplay):
    """Which errors cost a model most by a measure.

    A cell holds its count times what one of its items costs: the gradient of the measure at the
    cell of the right prediction, minus that at the cell itself. It tells what the measure would
    gain, to first order, if these items were predicted right. Cells below zero would lose.

    Parameters
    ----------
    cm
        The matrix.
    metric
        A measure of labels, or its name.
    name
        The name of the model, for the title.
    **params
        Parameters of the measure.

    Examples
    --------
    >>> display = ErrorCostDisplay.from_confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]],
    ...                                           metric="accuracy")
    >>> display.costs.round(3).tolist()
    [[0.0, 0.067, 0.0], [0.033, 0.0, 0.1], [0.0, 0.033, 0.0]]
    """

    def __init__(
        self, cm: ConfusionMatrix, metric: str | Metric = "cem_ord", name: str = "", **params: Any
    ) -> None:
        super().__init__(cm, name)
        self.metric = get_metric(metric).with_params(**params)
        slopes = self._direction() * self.metric.gradient(cm)
        each = np.diagonal(slopes)[:, None] - slopes
        #: What the items of each cell cost; NaN where the measure has no derivative.
        self.costs = np.where(np.asarray(cm.counts) > 0, cm.counts * each, 0.0)

    def _direction(self) -> float:
        """1 if a higher value would be better, -1 if a lower one would."""
        higher = self.metric.greater_is_better
        if higher is None:  # better is what is nearer to the best value
            value = self.metric.evaluate(self.cm.counts, self.metric.checked_on(self.cm.scale, {}))
            return float(np.sign(self.metric.best - value))
        return 1.0 if higher else -1.0

    def title(self) -> str:
        """The measure."""
        return self._named(f"what errors cost by {self.metric.display}")

    def describe(self) -> str:
        """The most expensive errors."""
        levels, costs = self.cm.scale.levels, np.nan_to_num(self.costs)
        order = [c for c in np.argsort(-costs, axis=None)[:_LISTED] if costs.flat[c] > 0]
        cells = [divmod(int(c), self.cm.k) for c in order]
        said = "; ".join(
            f"{levels[i]} predicted as {levels[j]}: {costs[i, j]:.3g}" for i, j in cells
        )
        return f"What errors cost by {self.metric.display}. {said or 'No error costs anything'}."

    def _size(self) -> tuple[float, float]:
        side = min(3.2 + 0.35 * self.cm.k, 8.0)
        return side + 0.6, side

    def _draw(self, ax: Any) -> None:
        colors = import_extra("matplotlib.colors", extra="plots", purpose="drawing")
        most = float(np.nanmax(np.abs(self.costs), initial=0.0)) or 1.0
        shades = colors.LinearSegmentedColormap.from_list("cost", _SHADES)
        shown = np.nan_to_num(np.abs(self.costs)) / most
        image = ax.imshow(shown, cmap=shades, vmin=0, vmax=1, aspect="equal")
        if self.cm.k <= _TEXT_UP_TO:
            look.write_cells(ax, shown, self._text, look.ink_on, 10 if self.cm.k <= 6 else 8)
        for axis in (ax.xaxis, ax.yaxis):
            look.level_ticks(axis, self.cm.scale.levels)
        ax.set(xlabel="prediction", ylabel="truth")
        look.without_frame(ax)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, aspect=30, pad=0.02)
        bar.outline.set_visible(False)
        bar.set_label("share of the largest cost", color=look.INK)
        look.percent_ticks(bar.ax.yaxis)
        bar.ax.tick_params(length=0)

    def _text(self, i: int, j: int) -> str:
        cost = self.costs[i, j]
        if not cost or np.isnan(cost):
            return "" if cost == 0 else "–"
        return f"{cost:+.2g}".replace("-", "−") if cost < 0 else f"{cost:.2g}"


_SHADES = ("#ffffff", "#fcefe3", "#f9d7b8", "#f0a96c", "#b9530f", "#873703")
