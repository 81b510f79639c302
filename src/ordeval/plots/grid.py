"""The performance grid: accuracy against misclassification cost (George, Lu & Chang 2016)."""

import math
from typing import Any

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.inference.many_models.ranking import sort_key
from ordeval.measures import Metric
from ordeval.measures.cost import (
    chance_line_distance,
    cost_accuracy_distance,
    misclassification_cost,
)
from ordeval.measures.nominal import accuracy
from ordeval.plots._display import MatrixDisplay, named
from ordeval.plots._style import FAINT, ORANGE, PAGE, SOFT, entry, mark_of, plain, short

_LABELLED = 12


class PerformanceGridDisplay(MatrixDisplay):
    """Each model at (accuracy, misclassification cost); the ideal is (1, 0), d the distance to it.

    Parameters
    ----------
    matrices
        Matrices by the name of the model.
    cost, class_sizes
        As for ``misclassification_cost``.

    Examples
    --------
    >>> models = {"a": [[9, 1], [2, 8]], "b": [[6, 4], [4, 6]]}
    >>> PerformanceGridDisplay.from_confusion(models).winner
    'a'
    """

    size = (5.4, 5.0)

    def __init__(
        self, matrices: dict[str, ConfusionMatrix], cost: Any = None, class_sizes: Any = None
    ) -> None:
        params = {"cost": cost, "class_sizes": class_sizes}
        misclassification_cost.check_names(next(iter(matrices.values())).scale, params)
        counts = np.stack([cm.counts for cm in matrices.values()])
        self.names = list(matrices)
        self.accuracy = _values(accuracy, counts, {})
        self.cost = _values(misclassification_cost, counts, params)
        self.distance = _values(cost_accuracy_distance, counts, params)
        from_chance = _values(chance_line_distance, counts, params)
        keys = [sort_key(-d, c) for d, c in zip(self.distance, from_chance, strict=True)]
        self.order = sorted(range(len(keys)), key=keys.__getitem__)
        self.winner = self.names[self.order[0]]

    def title(self) -> str:
        """The winner and its distance."""
        d = self.distance[self.order[0]]
        if d != d:
            return "d is not defined: a class does not occur"
        if len(self.names) == 1:
            return named(self.winner, f"d = {d:.3f}")
        return f"Nearest to the ideal: {short(self.winner)}, d = {d:.3f}"

    def describe(self) -> str:
        """Where each model lies."""
        shown = "; ".join(
            f"{self.names[i] or 'model'} accuracy {self.accuracy[i]:.3f}, cost {self.cost[i]:.3f}, "
            f"d {self.distance[i]:.3f}"
            for i in self.order
        )
        return f"Performance grid, lower right is better: {shown}."

    def _draw(self, ax: Any) -> None:
        angle = np.linspace(math.pi / 2, math.pi, 100)
        for d in np.arange(0.2, 1.5, 0.2):
            ax.plot(1 + d * np.cos(angle), d * np.sin(angle), color=FAINT, linewidth=0.9, zorder=0)
            if d <= 1:
                ax.text(1.012, d, f"d = {d:.1f}", color=SOFT, fontsize=7.5, va="center")
        ax.plot([0, 1], [1, 0], color=SOFT, linestyle="--", linewidth=1, zorder=1)
        box = {"facecolor": PAGE, "edgecolor": "none", "pad": 0.5}
        along = {"rotation": -45, "rotation_mode": "anchor", "va": "bottom"}
        where = {"xy": (0.05, 0.95), "xytext": (3, 3), "textcoords": "offset points"}
        ax.annotate("chance line", color=SOFT, fontsize=8, bbox=box, **where, **along)
        for place, i in enumerate(self.order):
            self._point(ax, place, i)
        accuracy, cost = self.accuracy[self.order[0]], self.cost[self.order[0]]
        ax.plot([1, accuracy], [0, cost], color=ORANGE, linewidth=1.2, zorder=2)
        ax.plot(1, 0, marker="*", color=ORANGE, markersize=13, clip_on=False, zorder=4)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="accuracy", ylabel="misclassification cost")
        ax.set_aspect("equal")
        if self.names != [""]:
            opaque = {"frameon": True, "framealpha": 1, "facecolor": PAGE, "edgecolor": "none"}
            words = {"title": "d, best first", "fontsize": 8, "handletextpad": 0.3}
            ax.legend(loc=self._free_corner(), **words, **opaque)

    def _free_corner(self) -> str:
        """Where the legend hides no point; it hides the arcs behind it."""
        above = (self.accuracy > 0.6) & (self.cost > 0.4)
        return "upper right" if not above.any() else "lower left"

    def _point(self, ax: Any, place: int, i: int) -> None:
        listed = place < _LABELLED
        label = entry(f"{plain(self.names[i])}  {self.distance[i]:.3f}") if listed else None
        mark = mark_of(i) if listed else {"marker": ".", "color": SOFT}
        mark |= {"markersize": 7 if place else 10, "markeredgecolor": PAGE, "markeredgewidth": 0.6}
        there = {"linestyle": "none", "zorder": 3, "clip_on": False}
        ax.plot(self.accuracy[i], self.cost[i], label=label, **mark, **there)


def _values(metric: Metric, counts: Any, params: dict[str, Any]) -> Any:
    """Values without a warning: the picture says itself where there is none."""
    return metric.evaluate(counts, metric.check_parameters(params, counts.shape[-1]))
