"""A plan drawn: what studies show by their number of items, and the size that was planned."""

from typing import Any, Self

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import number, plural
from ordeval.plots import _style as look
from ordeval.plots._display import Display
from ordeval.results.phrases import percent
from ordeval.results.plan import Plan


class PlanDisplay(Display):
    """The half-width of the interval, or the power of the test, over the number of items."""

    size = (6.0, 3.8)

    def __init__(self, plan: Plan) -> None:
        self.result = plan
        self.items = np.array([p.items for p in plan.curve])
        self.reached = np.array([p.reached for p in plan.curve])

    @classmethod
    def from_plan(cls, plan: Plan, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.plan``."""
        return cls(plan).plot(ax=ax)

    def title(self) -> str:
        """The title: half-width or power by number of items."""
        p = self.result
        if p.goal == "half_width":
            return f"{p.metric}: half-width of the {percent(p.level)} interval"
        if p.margin is not None:
            return f"{p.metric}: power to show non-inferiority by {p.margin:g}"
        return f"{p.metric}: power to show the difference"

    def describe(self) -> str:
        """The plan and the curve in words."""
        values = zip(self.items.tolist(), self.reached.tolist(), strict=True)
        shown = "; ".join(f"{plural(n, 'item')} {self._value(r)}" for n, r in values)
        return f"{self.title()}, by the number of items: {shown}. Planned: {self.result.size}."

    def _value(self, reached: float) -> str:
        return number(reached) if self.result.goal == "half_width" else f"{reached:.0%}"

    def _draw(self, ax: Any) -> None:
        p, known = self.result, ~np.isnan(self.reached)
        curve = {"color": look.BLUE, "linewidth": 1.8, "markersize": 4}
        ax.plot(self.items[known], self.reached[known], "o-", **curve)
        dashed = {"color": look.SOFT, "linewidth": 1, "linestyle": "--", "zorder": 0}
        ax.axhline(p.target, **dashed)
        ax.axvline(p.items, **dashed)
        planned = {"color": look.ORANGE, "markersize": 9, "markeredgecolor": look.PAGE}
        ax.plot(p.items, p.reached, "D", zorder=3, **planned)
        # Half-widths fall and powers rise, so the legend goes into the free corner.
        up = p.goal == "half_width"
        size = plural(p.items, "item") + f"\n{plural(p.clusters, 'cluster')}" * bool(p.clusters)
        place = {"xytext": (9, 9 if up else -9), "textcoords": "offset points"}
        va = "bottom" if up else "top"
        ax.annotate(size, (p.items, p.reached), va=va, fontweight="bold", **place)
        self._axes(ax)

    def _axes(self, ax: Any) -> None:
        ticker = import_extra("matplotlib.ticker", extra="plots", purpose="drawing")
        ax.set_xscale("log")
        ax.set_xticks(self._ticks(), [f"{n:,}" for n in self._ticks()])
        ax.xaxis.set_minor_locator(ticker.NullLocator())
        ax.set_xlabel("items")
        if self.result.goal == "half_width":
            ax.set(ylim=(0, None), ylabel="half-width")
        else:
            ax.set(ylim=(0, 1.03), ylabel="power")
            look.percent_ticks(ax.yaxis)
        look.lines_behind(ax, "y")

    def _ticks(self) -> list[int]:
        """Round numbers of items over the range of the curve."""
        low, high = int(self.items.min()), int(self.items.max())
        decades = range(len(str(low)) - 1, len(str(high)))
        rounded = [step * 10**d for d in decades for step in (1, 2, 5)]
        return [n for n in rounded if low <= n <= high] or [low, high]
