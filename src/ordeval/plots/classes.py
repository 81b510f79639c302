"""Class by class: signed errors, and how often each class occurs and is predicted."""

from typing import Any

import numpy as np

from ordeval._shared.text import joined
from ordeval._shared.types import Floats
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.parts.arrays import ratio
from ordeval.plots import _style as look
from ordeval.plots._display import MatrixDisplay, SingleDisplay

_BARS_UP_TO = 15  # classes; bars of more of them are slow and small
_LISTED = 12  # models in the legend


class SignedErrorDisplay(SingleDisplay):
    """Size and direction of the errors in each class.

    Examples
    --------
    >>> display = SignedErrorDisplay.from_confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]])
    >>> display.errors.tolist()
    [-2, -1, 0, 1, 2]
    >>> display.shares[1].round(1).tolist()
    [0.0, 0.1, 0.6, 0.3, 0.0]
    """

    def __init__(self, cm: ConfusionMatrix, name: str = "") -> None:
        super().__init__(cm, name)
        k = cm.k
        self.errors = np.arange(1 - k, k)
        self.shares = np.zeros((k, 2 * k - 1))
        truth, pred = np.indices((k, k))
        self.shares[truth, pred - truth + k - 1] = cm.normalized("true")

    def title(self) -> str:
        """What is drawn."""
        return self._named("errors by true class")

    def describe(self) -> str:
        """The share below and above the truth in each class."""
        k = self.cm.k
        parts = [
            f"{level}: {row[: k - 1].sum():.0%} too low, {row[k:].sum():.0%} too high"
            for level, row in zip(self.cm.scale, self.shares, strict=True)
            if not np.isnan(row).any()
        ]
        return f"Signed errors by true class. {'; '.join(parts)}."

    def _size(self) -> tuple[float, float]:
        return 5.6, 1.4 + 0.55 * min(self.cm.k, 14)

    def _draw(self, ax: Any) -> None:
        draw = self._draw_bars if self.cm.k <= _BARS_UP_TO else self._draw_shades
        draw(ax)
        look.level_ticks(ax.yaxis, self.cm.scale.levels)
        ax.set(ylabel="truth", xlabel="← too low      steps off the truth      too high →")

    def _draw_bars(self, ax: Any) -> None:
        k = self.cm.k
        colours = [look.BLUE if e < 0 else look.ORANGE if e > 0 else look.SOFT for e in self.errors]
        for i, row in enumerate(self.shares):
            base = i + 0.4
            ax.axhline(base, color=look.FAINT, linewidth=0.7, zorder=0)
            if np.isnan(row).any():
                ax.text(0, base - 0.1, "no items", ha="center", fontsize=7.5, color=look.SOFT)
                continue
            # Upwards on an axis that runs downwards.
            ax.bar(self.errors, -0.78 * row, bottom=base, width=0.85, color=colours)
            for e, share in zip(self.errors, row, strict=True):
                if share >= 0.005 and k <= 10:
                    top = base - 0.78 * share - 0.03
                    ax.text(e, top, f"{share:.0%}", ha="center", va="bottom", fontsize=7)
        ax.axvline(0, color=look.FAINT, linewidth=0.7, zorder=0)
        seen = int(np.abs(self.errors[np.nan_to_num(self.shares).any(axis=0)]).max(initial=1))
        ax.set(ylim=(k - 0.4, -0.62), xlim=(-seen - 0.7, seen + 0.7))
        ax.set_xticks(range(-seen, seen + 1))
        look.without_frame(ax, "left")

    def _draw_shades(self, ax: Any) -> None:
        """Shades instead of bars, for many classes."""
        k = self.cm.k
        edges = (0.5 - k, k - 0.5, k - 0.5, -0.5)
        ax.imshow(np.nan_to_num(self.shares) ** 0.5, cmap="Blues", aspect="auto", extent=edges)
        ax.axvline(0, color=look.SOFT, linewidth=0.7)
        look.without_frame(ax)


class ClassDistributionDisplay(MatrixDisplay):
    """How often each class is true, and how often each model predicts it."""

    def __init__(self, matrices: dict[str, ConfusionMatrix]) -> None:
        first = next(iter(matrices.values()))
        self.scale = first.scale
        self.truth = _shares(first.support)
        self.predicted = {name: _shares(cm.predicted) for name, cm in matrices.items()}

    def title(self) -> str:
        """What is drawn."""
        return "Class frequencies, true and predicted"

    def describe(self) -> str:
        """The shares of the truth, and what models never predict."""
        rows = zip(self.scale, self.truth, strict=True)
        digits = int(self.truth.max(initial=0) < 0.1)  # of many classes each is rare
        shown = ", ".join(f"{level} {share:.{digits}%}" for level, share in rows)
        never = []
        for name, shares in self.predicted.items():
            levels = [str(x) for x, share in zip(self.scale, shares, strict=True) if share == 0]
            if levels:
                never.append(f"{name or 'the model'} never predicts {joined(levels, most=20)}")
        tail = f" {'; '.join(never)}." if never else ""
        return f"Class distribution of the truth: {shown}.{tail}"

    def _size(self) -> tuple[float, float]:
        return min(4.5 + 0.4 * self.scale.k, 9.0), 3.6

    def _draw(self, ax: Any) -> None:
        place = np.arange(self.scale.k)
        framed = {"color": look.FAINT, "edgecolor": look.SOFT, "linewidth": 0.8}
        ax.bar(place, self.truth, width=0.82, label="truth", **framed)
        for i, (name, shares) in enumerate(self.predicted.items()):
            spread = 0.6 / max(len(self.predicted), 2) * (i - (len(self.predicted) - 1) / 2)
            label = look.entry(look.plain(name) or "prediction") if i < _LISTED else None
            mark = look.mark_of(i) | {"markersize": 6, "markeredgecolor": look.INK}
            mark |= {"markeredgewidth": 0.4, "linestyle": "none"}
            ax.plot(place + spread, shares, label=label, **mark)
        look.level_ticks(ax.xaxis, self.scale.levels)
        look.percent_ticks(ax.yaxis)
        ax.set(ylabel="share of items", xlim=(-0.6, self.scale.k - 0.4))
        # Beside the bars, which reach anywhere.
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0, fontsize=8)


def _shares(counts: Any) -> Floats:
    return ratio(counts.astype(np.float64), float(counts.sum()))
