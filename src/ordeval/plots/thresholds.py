"""Every cut of a scale drawn: what is found of it, with intervals."""

from typing import Any, Self

import numpy as np

from ordeval._shared.text import number
from ordeval.evaluate.thresholds import thresholds
from ordeval.plots import _style as look
from ordeval.plots._display import MatrixDisplay, named
from ordeval.results.phrases import spoken
from ordeval.results.thresholds import Thresholds

_WRITTEN = 4  # cuts up to which every value is written out
_PLAIN = ("prevalence",)  # of the data, not of the model


class ThresholdDisplay(MatrixDisplay):
    """Sensitivity, specificity, PPV and NPV at each cut: is the class this one or higher?

    Bars are intervals, and a short grey line is the prevalence.

    Examples
    --------
    >>> display = ThresholdDisplay.from_confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]])
    >>> display.values["sensitivity"].round(2).tolist()
    [0.95, 0.9]
    """

    several = False

    def __init__(self, result: Thresholds, name: str = "") -> None:
        self.result, self.name = result, name
        self.measures = tuple(m for m in result.measures if m not in _PLAIN)
        ends = {m: [cut[m] for cut in result.cuts] for m in result.measures}
        self.values = {m: np.array([x.estimate for x in each]) for m, each in ends.items()}
        self.low = {m: np.array([x.low for x in each]) for m, each in ends.items()}
        self.high = {m: np.array([x.high for x in each]) for m, each in ends.items()}

    @classmethod
    def from_thresholds(cls, result: Thresholds, *, name: str = "", ax: Any = None) -> Self:
        """Draw a result of ``oe.thresholds``."""
        return cls(result, name).plot(ax=ax)

    @classmethod
    def from_confusion(cls, cm: Any, *, labels: Any = None, ax: Any = None, **params: Any) -> Self:
        """Draw a ConfusionMatrix or counts (K, K).

        Parameters
        ----------
        cm
            A ConfusionMatrix or counts (K, K).
        labels
            The ordered labels, if ``cm`` holds only counts.
        ax
            matplotlib axes.
        **params
            ``name`` of the model, for the title, and ``level`` of the intervals.
        """
        (matrix,) = cls._matrices(cm, labels).values()
        found = thresholds(matrix, level=params.pop("level", 0.95))
        return cls.from_thresholds(found, ax=ax, **params)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        name: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw from labels; other arguments are those of ``oe.thresholds``."""
        return cls.from_thresholds(thresholds(y_true, y_pred, **options), name=name, ax=ax)

    def title(self) -> str:
        """What is drawn."""
        return named(self.name, "this class or higher?")

    def describe(self) -> str:
        """The numbers."""
        cuts = []
        for cut in self.result.cuts:
            found = {m: cut[m] for m in self.result.measures}
            each = (f"{m} {spoken(x.estimate, x.low, x.high, _short)}" for m, x in found.items())
            cuts.append(f"{cut.level} or higher: {', '.join(each)}")
        return f"Every cut of the scale, with intervals. {'; '.join(cuts)}."

    def _size(self) -> tuple[float, float]:
        return min(3.2 + 1.15 * len(self.result.cuts), 9.5), 4.0

    def _draw(self, ax: Any) -> None:
        place = np.arange(len(self.result.cuts))
        width = 0.8 / len(self.measures)
        for i, m in enumerate(self.measures):
            x = place + (i - (len(self.measures) - 1) / 2) * width
            mark = look.mark_of(i)
            ax.vlines(x, self.low[m], self.high[m], color=mark["color"], linewidth=1.8)
            mark |= {"linestyle": "none", "markersize": 6.5, "markeredgecolor": look.PAGE}
            ax.plot(x, self.values[m], label=_shown(m), **mark)
            if len(place) <= _WRITTEN:
                self._write(ax, x, m)
        dashed = {"color": look.SOFT, "linewidth": 1.2, "linestyle": (0, (4, 3)), "zorder": 0}
        prevalence = self.values["prevalence"]
        ax.hlines(prevalence, place - 0.44, place + 0.44, label="prevalence", **dashed)
        look.level_ticks(ax.xaxis, [f"≥ {cut.level}" for cut in self.result.cuts])
        ax.set(ylim=(-0.05, 1.09), xlim=(-0.6, len(place) - 0.4), yticks=np.linspace(0, 1, 6))
        look.lines_behind(ax, "y")
        look.legend_under(ax, 0.1, ncols=5, columnspacing=1.2, handletextpad=0.5)

    def _write(self, ax: Any, x: Any, m: str) -> None:
        """The values, above their intervals."""
        for at, value, high in zip(x, self.values[m], self.high[m], strict=True):
            if value == value:
                end = high if high == high else value
                above = {"textcoords": "offset points", "xytext": (0, 4), "ha": "center"}
                ax.annotate(f"{value:.2f}", (at, end), fontsize=7.5, **above)


def _short(value: float) -> str:
    return number(value, 2)


def _shown(measure: str) -> str:
    return measure.upper() if len(measure) == 3 else measure
