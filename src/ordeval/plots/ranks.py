"""Figures of the order of models: possible ranks and significant differences."""

from typing import Any, Self

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import BETTER
from ordeval.plots import _style as look
from ordeval.plots._display import Display
from ordeval.plots.comparison import ComparisonDisplay
from ordeval.results.cases import CaseComparison
from ordeval.results.comparison import Comparison


class RankDisplay(ComparisonDisplay):
    """The possible ranks of each model, for all models at once.

    A bar goes from the lowest to the highest possible rank, a dot marks the observed one, and the
    shade shows how often the model would have each rank. Dots of plausible bests are
    filled.
    """

    def __init__(self, comparison: Comparison, metric: str | None = None) -> None:
        super().__init__(comparison, metric)
        c, name = comparison, self.metric.name
        self.names = sorted(c.models, key=c.ranks[name].__getitem__)
        self.observed = np.array([c.ranks[name][n] for n in self.names])
        self.low, self.high = np.array([c.rank_sets[name][n] for n in self.names]).T
        # Both are known by the measure that decides.
        decides = self.metric is c.primary
        self.may_be_best = tuple(n for n in self.names if decides and n in c.may_be_best)
        self.shares = c.rank_shares if decides else np.full((len(self.names),) * 2, np.nan)

    def _size(self) -> tuple[float, float]:
        rows = len(self.names)
        return 6.4, 1.5 + (0.3 if rows <= 15 else 0.2) * max(rows, 4)

    def title(self) -> str:
        """The measure and the level."""
        level = f"{self.comparison.level:.0%} confidence for all at once"
        return f"Ranks by {self.metric.display}, {level}"

    def describe(self) -> str:
        """The ranks."""
        rows = zip(self.names, self.observed, self.low, self.high, strict=True)
        shown = "; ".join(f"{n} {at:g}, from {low} to {high}" for n, at, low, high in rows)
        best = f" Plausible bests: {', '.join(self.may_be_best)}." if self.may_be_best else ""
        return (
            f"Ranks by {self.metric.display} and the possible ranks of each model: {shown}.{best}"
        )

    def _draw(self, ax: Any) -> None:
        m = len(self.names)
        height = 0.62
        deeper = "; deeper: more often" if not np.isnan(self.shares).all() else ""
        # Each model in its colour, which the other pictures of a comparison give it too.
        colours = [look.mark_of(self.comparison.models.index(n))["color"] for n in self.names]
        span = {"width": self.high - self.low + 1, "left": self.low - 0.5, "height": height}
        frame = {"facecolor": "none", "linewidth": 0.9}
        ax.barh(range(m), **span, color=colours, alpha=0.1, linewidth=0, zorder=1)
        for row, rank in np.argwhere(self.shares >= 0.005).tolist():
            shade = {"color": colours[row], "alpha": 0.1 + 0.75 * self.shares[row, rank] ** 0.5}
            ax.barh(row, 1, left=rank + 0.5, height=height, linewidth=0, zorder=2, **shade)
        ax.barh(range(m), **span, edgecolor=colours, zorder=3, **frame)
        label = f"possible ranks{deeper}"
        ax.scatter([], [], s=60, marker="s", edgecolor=look.SOFT, label=label, **frame)
        dot = {"markersize": 6.5 if m <= 15 else 5, "markeredgecolor": look.INK, "zorder": 4}
        for best, colour, label in (
            (True, look.INK, "plausible best"),
            (False, look.PAGE, "observed rank"),
        ):
            rows = [i for i, n in enumerate(self.names) if (n in self.may_be_best) is best]
            named = label if rows else None
            ax.plot(self.observed[rows], rows, "o", markerfacecolor=colour, label=named, **dot)
        look.row_names(ax, look.plain_all(self.names))
        ax.tick_params(axis="y", labelsize=9.5 if m <= 15 else 8)
        step = 1 if m <= 15 else 5
        ticks = sorted({1, *range(step, m + 1, step)})
        ax.set(xlim=(0.4, m + 0.6), xticks=ticks, xlabel="rank (1 is best)")
        ax.set_axisbelow(True)
        look.lines_behind(ax, "x")
        look.legend_below(ax, m if m <= 15 else 2 * m / 3, ncols=3)


class CriticalDifferenceDisplay(Display):
    """Models on a line, with bars over those that do not differ significantly (Demšar 2006).

    Parameters
    ----------
    models, positions
        Names, best first, and where each lies.
    cliques
        Neighbouring models that do not differ significantly.
    axis
        What the line measures.
    difference
        The critical difference of mean ranks, if there is one.
    """

    def __init__(
        self,
        models: tuple[str, ...],
        positions: Any,
        cliques: tuple[tuple[str, ...], ...],
        axis: str = "mean rank (lower is better)",
        difference: float = float("nan"),
    ) -> None:
        self.models, self.positions = models, np.asarray(positions, dtype=float)
        self.cliques, self.axis, self.difference = cliques, axis, difference

    @classmethod
    def from_cases(cls, result: CaseComparison, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.compare_cases``."""
        difference = result.critical_difference
        made = cls(result.models, result.mean_ranks, result.cliques, difference=difference)
        return made.plot(ax=ax)

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.compare`` by the measure that decides."""
        return cls.of_comparison(comparison).plot(ax=ax)

    @classmethod
    def of_comparison(cls, comparison: Comparison) -> Self:
        """The display of a result of ``oe.compare``, not drawn yet."""
        metric = comparison.primary
        estimates = [comparison.estimates[metric.name][m].estimate for m in comparison.models]
        axis = f"{metric.display} ({BETTER[metric.greater_is_better]} is better)"
        return cls(comparison.models, estimates, comparison.cliques(), axis)

    def _size(self) -> tuple[float, float]:
        names, bars = len(self.models), len(self.cliques)
        return 6.8, min(1.6 + 0.24 * (names + bars), 2.4 + 0.11 * names + 0.15 * bars)

    def title(self) -> str:
        """What the bars mean."""
        return "Bars join models that do not differ significantly"

    def describe(self) -> str:
        """The order and the bars."""
        order = ", ".join(f"{m} {p:.3f}" for m, p in zip(self.models, self.positions, strict=True))
        joined = "; ".join(" with ".join(c) for c in self.cliques) or "none"
        return f"Models by {self.axis}: {order}. Not significantly different: {joined}."

    def _draw(self, ax: Any) -> None:
        spread = float(np.ptp(self.positions)) or 1.0
        low, high = self.positions.min() - 0.08 * spread, self.positions.max() + 0.08 * spread
        where = dict(zip(self.models, self.positions, strict=True))
        for i, clique in enumerate(self.cliques):
            ends, beyond = [where[m] for m in clique], 0.012 * spread
            across = [min(ends) - beyond, max(ends) + beyond]
            bar = {"color": look.SOFT, "linewidth": 4, "solid_capstyle": "round"}
            ax.plot(across, [-0.35 - 0.3 * i] * 2, **bar)
        self._draw_names(ax, low, high)
        if self.difference == self.difference:
            ax.plot([low, low + self.difference], [1.0, 1.0], color=look.INK, linewidth=2)
            ax.text(low, 1.1, f"critical difference {self.difference:.2f}", fontsize=8)
        look.without_frame(ax, "bottom", "left")
        ax.spines["top"].set_visible(True)
        ax.spines["top"].set_position(("data", 0))
        ax.xaxis.tick_top()
        ax.text(high, 1.1, look.literal(self.axis), ha="right", fontsize=8.5, color=look.SOFT)
        ax.set_yticks([])
        ticker = import_extra("matplotlib.ticker", extra="plots", purpose="drawing")
        ax.xaxis.set_major_locator(ticker.MaxNLocator(6))

    def _draw_names(self, ax: Any, low: float, high: float) -> None:
        """Names at both edges, the better half at one, each joined to its place on the line."""
        last, half = len(self.models) - 1, (len(self.models) + 1) // 2
        below = -0.7 - 0.3 * len(self.cliques)
        left_first = self.positions[0] <= self.positions[-1]
        for i, (name, x) in enumerate(zip(self.models, self.positions, strict=True)):
            y = below - 0.45 * (i if i < half else last - i)
            at_left = (i < half) == left_first
            edge = low if at_left else high
            ax.plot([x, x, edge], [0, y, y], color=look.SOFT, linewidth=0.9)
            side = "right" if at_left else "left"
            ax.text(edge, y, f" {look.plain(name)} ", ha=side, va="center")
            ax.plot(x, 0, markersize=6, zorder=3, **look.mark_of(i))
        ax.set(xlim=(low, high), ylim=(below - 0.3 - 0.45 * (half - 1), 1.5))
