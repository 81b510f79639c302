"""ROC curves: how well scores or probabilities separate the two sides of a threshold."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ordeval._shared.arguments import shape_of
from ordeval._shared.text import joined, number
from ordeval.data.columns import off_device
from ordeval.data.items import read_weights
from ordeval.data.probabilities import read_probabilities, read_scores, read_truth
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.forecasts.calibration import tails
from ordeval.inference.forecasts.roc import ROC, roc
from ordeval.plots import _style as look
from ordeval.plots._display import ProbabilityDisplay
from ordeval.plots._panels import threshold_at

_LISTED = 12  # curves in the legend


class ROCDisplay(ProbabilityDisplay):
    """Sensitivity over 1 - specificity: each threshold of one model, or models at one threshold.

    Examples
    --------
    >>> display = ROCDisplay.from_predictions([0, 0, 1, 2], [0.1, 0.4, 0.3, 0.9])
    >>> {name: curve.area for name, curve in display.curves.items()}
    {'≥ 1': 0.75, '≥ 2': 1.0}
    """

    size = (4.9, 4.7)

    def __init__(self, curves: Mapping[str, ROC], event: str = "") -> None:
        self.curves = dict(curves)
        self.event = event  # the threshold, if all curves share one

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        at_least: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw from probabilities (n, K) or scores (n,), or a mapping of models to them.

        Parameters
        ----------
        y_true, labels, sample_weight
            As for ``ranked_probability_score``.
        y_score
            Probabilities, of which each threshold has its own sum, or scores that are higher for
            higher classes.
        at_least
            The lowest level of the upper side: "III" is for III or higher. Default for one model:
            all thresholds; required for several models with more than two classes.
        ax
            matplotlib axes.
        """
        several = isinstance(y_score, Mapping)
        models = dict(y_score) if isinstance(y_score, Mapping) else {"": y_score}
        if not models:
            raise LabelError("y_score is an empty mapping; it must hold the scores of a model.")
        found = {
            str(name): _read(y_true, x, labels, sample_weight, at_least)
            for name, x in models.items()
        }
        scale, by_threshold = next(iter(found.values()))
        if not several:
            event = next(iter(by_threshold)) if at_least is not None else ""
            return cls(by_threshold, event).plot(ax=ax)
        if len(by_threshold) > 1:
            raise ParameterError(
                f"several models are drawn at one threshold: at_least= must be one of "
                f"{joined([repr(x) for x in scale.levels[1:]], 'or')}."
            )
        curves = {name: next(iter(x.values())) for name, (_, x) in found.items()}
        return cls(curves, next(iter(by_threshold))).plot(ax=ax)

    def title(self) -> str:
        """What is drawn."""
        return f"ROC curves{f', {look.short(self.event)}' if self.event else ''}"

    def describe(self) -> str:
        """The areas."""
        shown = ", ".join(f"{name} {number(x.area)}" for name, x in self.curves.items())
        return f"Areas under the ROC curves{f' of {self.event}' if self.event else ''}: {shown}."

    def _draw(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=look.SOFT, linestyle="--", linewidth=1, zorder=0)
        for i, (name, curve) in enumerate(self.curves.items()):
            line = look.line_of(i) | {"marker": None}
            label = f"{look.plain(name, 20)}  AUC {number(curve.area)}"
            ax.plot(curve.false_alarms, curve.found, label=look.entry(label), **line)
        ax.set(
            xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="1 − specificity", ylabel="sensitivity"
        )
        ax.set_aspect("equal")
        look.lines_behind(ax)
        if len(self.curves) <= _LISTED:
            ax.legend(loc="lower right", fontsize=8)


def _read(
    y_true: Any, y_score: Any, labels: Any, sample_weight: Any, at_least: Any
) -> tuple[Scale, dict[str, ROC]]:
    """The curve of each threshold, or of one, by its event."""
    if len(shape_of(off_device(y_score))) == 1:
        check_same_items([("y_true", y_true), ("y_score", y_score)])
        scale, truth = read_truth(y_true, labels)
        score = read_scores(y_score, len(truth), "y_score")
        weights = read_weights(sample_weight, len(truth))
        by_threshold = [score] * (scale.k - 1)
    else:
        scale, truth, prob, weights = read_probabilities(y_true, y_score, labels, sample_weight)
        by_threshold = [tails(prob, t).probability for t in range(scale.k - 1)]
    if scale.k < 2:
        raise LabelError(f"a ROC curve needs at least two classes; the scale is {scale}.")
    weight = np.ones(len(truth)) if weights is None else weights
    wanted = range(scale.k - 1) if at_least is None else [threshold_at(scale, at_least)]
    return scale, {
        f"≥ {scale.levels[t + 1]}": roc(by_threshold[t], truth > t, weight) for t in wanted
    }
