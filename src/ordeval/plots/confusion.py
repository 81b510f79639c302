"""The confusion matrix as a picture, in the order of its scale."""

from typing import Any

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import plural
from ordeval.data.confusion import ConfusionMatrix
from ordeval.plots import _style as look
from ordeval.plots._display import SingleDisplay

_TEXT_UP_TO = 12  # levels; more of them are too small to write in


class ConfusionDisplay(SingleDisplay):
    """Ordered confusion matrix: shades are shares of the true class, numbers are counts.

    Examples
    --------
    >>> display = ConfusionDisplay.from_confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]])
    >>> display.shares.round(1).tolist()
    [[0.8, 0.2, 0.0], [0.1, 0.6, 0.3], [0.0, 0.1, 0.9]]
    """

    def __init__(self, cm: ConfusionMatrix, name: str = "") -> None:
        super().__init__(cm, name)
        self.counts, self.shares = cm.counts, cm.normalized("true")

    def title(self) -> str:
        """The name and the number of items."""
        total: Any = self.cm.total
        if self.counts.dtype.kind != "f":
            return self._named(plural(total, "item"))
        return self._named(f"total weight {total:,.4g}")

    def describe(self) -> str:
        """The share of each class that is predicted correctly."""
        right = ", ".join(
            f"{level}: {share:.0%}" if share == share else f"{level}: no items"
            for level, share in zip(self.cm.scale, np.diagonal(self.shares), strict=True)
        )
        return f"Confusion matrix, share of each true class that is predicted right: {right}."

    def _size(self) -> tuple[float, float]:
        side = min(3.2 + 0.35 * self.cm.k, 8.0)
        return side + 0.6, side

    def _draw(self, ax: Any) -> None:
        image = draw_matrix(ax, self.cm, self.shares)
        if self.cm.k <= _TEXT_UP_TO:
            size = 10 if self.cm.k <= 6 else 8 if self.cm.k <= 9 else 6.5
            look.write_cells(ax, self.shares, self._text, look.ink_on, size)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, aspect=30, pad=0.02)
        bar.outline.set_visible(False)
        bar.set_label("share of the true class", color=look.INK)
        look.percent_ticks(bar.ax.yaxis)
        bar.ax.tick_params(length=0)

    def _text(self, i: int, j: int) -> str:
        count, share = self.counts[i, j], self.shares[i, j]
        if not count:
            return "0" if self.cm.k <= 6 else ""
        # What is not all must not be rounded to all.
        percent = ">99%" if 0.995 <= share < 1 else "<1%" if share < 0.005 else f"{share:.0%}"
        return look.count_text(count) + (f"\n{percent}" if self.cm.k <= 9 else "")


def draw_matrix(ax: Any, cm: ConfusionMatrix, shares: Any) -> Any:
    """The shaded cells with their axes; what draws on top of it comes after."""
    colors = import_extra("matplotlib.colors", extra="plots", purpose="drawing")
    # With many levels most shares are small; the root lets them be seen.
    norm = colors.PowerNorm(1.0 if cm.k <= _TEXT_UP_TO else 0.5, vmin=0, vmax=1)
    image = ax.imshow(np.nan_to_num(shares), cmap="Blues", norm=norm, aspect="equal")
    for i in np.flatnonzero(cm.support == 0).tolist():
        hatched = {"facecolor": "none", "edgecolor": look.FAINT, "hatch": "////", "linewidth": 0}
        ax.axhspan(i - 0.5, i + 0.5, **hatched)
    if cm.k <= 25:
        for i in range(cm.k):
            ax.add_patch(_box(i))
    for axis in (ax.xaxis, ax.yaxis):
        look.level_ticks(axis, cm.scale.levels)
    ax.set(xlabel="prediction", ylabel="truth")
    look.without_frame(ax)
    return image


def _box(i: int) -> Any:
    """A frame around a cell of the diagonal."""
    patches = import_extra("matplotlib.patches", extra="plots", purpose="drawing")
    corner = (i - 0.5, i - 0.5)
    return patches.Rectangle(corner, 1, 1, fill=False, edgecolor=look.SOFT, linewidth=0.9)
