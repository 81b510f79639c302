"""Displays with one panel for each threshold of the scale."""

from abc import abstractmethod
from typing import Any

from ordeval.data.scale import Scale
from ordeval.measures.parts.cut_levels import level_above
from ordeval.plots import _style as look
from ordeval.plots._display import ComputedDisplay

_MOST = 12  # panels; more could not be read
_COLUMNS = 4


def threshold_at(scale: Scale, at_least: Any) -> int:
    """The position of a threshold, named by the lowest level of its upper side."""
    return level_above(at_least, scale).position - 1


class ThresholdPanels(ComputedDisplay):
    """A panel for each threshold, or one for the threshold that is asked for.

    On given axes the panels are drawn within.
    """

    scale: Scale
    panel = (2.75, 2.9)  # inches
    positions: list[int]  # of the thresholds that are drawn
    axes_: list[Any]  # the axes of the panels

    def _choose(self, scale: Scale, at_least: Any) -> None:
        self.scale = scale
        every = list(range(scale.k - 1))
        if at_least is not None:
            self.positions = [threshold_at(scale, at_least)]
        else:
            step = -(-len(every) // _MOST)
            self.positions = every[::step]

    def _event(self, position: int, limit: int = 20) -> str:
        """The event of a threshold, as it can be drawn."""
        return f"≥ {look.plain(self.scale.levels[position + 1], limit)}"

    def _of(self, tail: str) -> str:
        """A title, with the threshold if there is one panel, or how many are drawn."""
        drawn, there = len(self.positions), self.scale.k - 1
        if drawn == 1:
            return f"{tail}, ≥ {look.short(self.scale.levels[self.positions[0] + 1])}"
        return tail if drawn == there else f"{tail}, {drawn} of {there} thresholds"

    def _grid(self) -> tuple[int, int]:
        """Rows and columns of the panels."""
        rows = -(-len(self.positions) // _COLUMNS)
        return rows, -(-len(self.positions) // rows)

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        width, height = self.panel
        if rows == columns == 1:
            return 1.5 * width, 1.4 * height
        return columns * width + 0.4, rows * height + 0.5

    def _draw(self, ax: Any) -> None:
        if len(self.positions) == 1:
            self.axes_ = [ax]
        else:
            self.axes_ = _within(ax, len(self.positions), self._grid())
        for place, (inner, position) in enumerate(zip(self.axes_, self.positions, strict=True)):
            if inner is not ax:
                inner.set_title(self._event(position), fontsize=9.5, fontweight="normal")
            self._draw_panel(inner, position, first=place == 0)

    @abstractmethod
    def _draw_panel(self, ax: Any, position: int, *, first: bool) -> None:
        """Draw one threshold; the first panel has the legend."""


def _within(ax: Any, n: int, grid: tuple[int, int]) -> list[Any]:
    """Axes of panels within axes, which show nothing themselves."""
    ax.set_axis_off()
    rows, columns = grid
    across, down = 0.27, 0.34  # room between panels, of their size
    width, height = 1 / (columns + across * (columns - 1)), 1 / (rows + down * (rows - 1))
    # Room for the titles of the first row, below that of the picture.
    top = 0.93
    return [
        ax.inset_axes((column * width * (1 + across), bottom, width, top * height))
        for row, column in (divmod(i, columns) for i in range(n))
        for bottom in [top * (1 - height - row * height * (1 + down))]
    ]
