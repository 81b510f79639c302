"""Pictures of a comparison: intervals, differences, who is best, what measures agree on."""

from typing import Any, Self

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import BETTER, number, p_value, signed
from ordeval.exceptions import ParameterError
from ordeval.inference.multiplicity import holm
from ordeval.inference.paired import Delta
from ordeval.plots import _style as look
from ordeval.plots._display import Display
from ordeval.results.comparison import Comparison


class ComparisonDisplay(Display):
    """A display of one measure of a comparison, by default the one that decides."""

    def __init__(self, comparison: Comparison, metric: str | None = None) -> None:
        self.comparison = comparison
        names = {m.name: m for m in comparison.metrics}
        if metric is not None and metric not in names:
            raise ParameterError(
                f"{metric!r} is not one of the compared measures; they are {', '.join(names)}."
            )
        self.metric = comparison.primary if metric is None else names[metric]

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, metric: str | None = None, *, ax: Any = None
    ) -> Self:
        """Draw a result of ``oe.compare``."""
        return cls(comparison, metric).plot(ax=ax)

    def _rows(self) -> int:
        return len(self.comparison.models)

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.4 + 0.3 * max(self._rows(), 4)


class IntervalDisplay(ComparisonDisplay):
    """Estimates with their intervals, best first; lines show what needs no model at all."""

    def __init__(self, comparison: Comparison, metric: str | None = None) -> None:
        super().__init__(comparison, metric)
        by_model = comparison.estimates[self.metric.name]
        self.names = sorted(comparison.models, key=comparison.ranks[self.metric.name].__getitem__)
        self.estimate = np.array([by_model[n].estimate for n in self.names])
        self.low = np.array([by_model[n].low for n in self.names])
        self.high = np.array([by_model[n].high for n in self.names])

    def title(self) -> str:
        """The measure, the direction and the level."""
        way = BETTER[self.metric.greater_is_better]
        return f"{self.metric.name} ({way} is better), {self.comparison.level:.0%} intervals"

    def describe(self) -> str:
        """The numbers."""
        values = zip(self.names, self.estimate, self.low, self.high, strict=True)
        shown = "; ".join(
            f"{n} {number(e)} from {number(a)} to {number(b)}" for n, e, a, b in values
        )
        return f"Estimates of {self.metric.name} with intervals: {shown}."

    def _draw(self, ax: Any) -> None:
        place = np.arange(len(self.names))
        found = {n: v[self.metric.name] for n, v in self.comparison.baselines.items()}
        known = {n: v for n, v in found.items() if v == v}
        for i, (name, value) in enumerate(known.items()):
            ax.axvline(value, color=look.SOFT, linewidth=1, linestyle=("--", ":", "-.")[i % 3],
                       label=f"{name} {value:.3f}", zorder=0)  # fmt: skip
        ax.hlines(place, self.low, self.high, color=look.INK, linewidth=2)
        ax.plot(self.estimate, place, "o", color=look.BLUE, markersize=7, markeredgecolor=look.PAGE)
        look.row_names(ax, look.plain_all(self.names))
        ax.set_xlabel(self.metric.symbol)
        look.lines_behind(ax, "x")
        if known:
            ax.legend(loc="upper left", bbox_to_anchor=(0, -0.22 - 0.5 / (len(place) + 2)),
                      ncols=2, fontsize=8)  # fmt: skip


class DeltaDisplay(ComparisonDisplay):
    """Paired differences with intervals; filled where the corrected p-value is small.

    At most ``most`` pairs are drawn, those of the best model first.
    """

    def __init__(self, comparison: Comparison, metric: str | None = None, most: int = 30) -> None:
        super().__init__(comparison, metric)
        found = [d for d in comparison.deltas() if d.metric == self.metric.name]
        self.hidden = max(len(found) - most, 0)
        self.deltas: list[Delta] = found[:most]
        self.p_values = _corrected(comparison, self.metric.name, found)[:most]
        self.separated = [p <= 1 - comparison.level for p in self.p_values]

    def _rows(self) -> int:
        return len(self.deltas)

    def title(self) -> str:
        """The measure."""
        part = f", {len(self.deltas)} of {len(self.deltas) + self.hidden} pairs"
        corrected = ", p corrected for all pairs" if len(self.deltas) > 1 else ""
        return f"Differences in {self.metric.name}{part if self.hidden else ''}{corrected}"

    def describe(self) -> str:
        """The numbers."""
        shown = "; ".join(
            f"{d.a} minus {d.b} {signed(d.delta)} from {signed(d.low)} to {signed(d.high)}, "
            f"corrected p {p_value(p)}"
            for d, p in zip(self.deltas, self.p_values, strict=True)
        )
        more = f" {self.hidden} more pairs are not drawn." if self.hidden else ""
        return f"Paired differences of {self.metric.name}: {shown}.{more}"

    def _draw(self, ax: Any) -> None:
        ax.axvline(0, color=look.SOFT, linewidth=1)
        beside = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 7.5}
        for i, (d, sure) in enumerate(zip(self.deltas, self.separated, strict=True)):
            colour = look.ORANGE if sure else look.SOFT
            ax.hlines(i, d.low, d.high, color=colour, linewidth=2)
            ax.plot(d.delta, i, "o" if sure else "s", color=colour, markersize=6.5,
                    markerfacecolor=colour if sure else look.PAGE)  # fmt: skip
            ax.annotate(f"p = {p_value(self.p_values[i])}", (1.01, i), color=look.SOFT, **beside)
        names = [f"{look.plain(d.a, 18)} − {look.plain(d.b, 18)}" for d in self.deltas]
        look.row_names(ax, names)
        ax.set_xlabel(self._direction())
        look.lines_behind(ax, "x")

    def _direction(self) -> str:
        if self.metric.greater_is_better is None:
            return f"difference in {self.metric.symbol}"
        left, right = ("second", "first") if self.metric.greater_is_better else ("first", "second")
        return f"← the {left} model is better      the {right} model is better →"


def _corrected(c: Comparison, metric: str, deltas: list[Delta]) -> list[float]:
    """P-values as the conclusion takes them: corrected for all pairs of models, not measures."""
    if metric == c.primary.name and c.reference is None and len(c.models) > 2:
        place = {m: i for i, m in enumerate(c.models)}
        return [float(c.separation[place[d.a], place[d.b]]) for d in deltas]
    return [float(p) for p in holm([d.p_value for d in deltas])]


class ProbabilityBestDisplay(ComparisonDisplay):
    """The share of resampled data sets in which each model is best."""

    def __init__(self, comparison: Comparison, metric: str | None = None) -> None:
        super().__init__(comparison, metric)
        self.probability = comparison.probability_best[self.metric.name]

    def title(self) -> str:
        """The measure."""
        return f"How often each model is best by {self.metric.name}"

    def describe(self) -> str:
        """The shares."""
        shown = ", ".join(f"{n} {p:.0%}" for n, p in self.probability.items())
        return f"Share of resampled data sets in which each model is best: {shown}."

    def _draw(self, ax: Any) -> None:
        names = sorted(self.probability, key=lambda n: -np.nan_to_num(self.probability[n]))
        values = [float(np.nan_to_num(self.probability[n])) for n in names]
        look.bars(ax, look.plain_all(names), values, ".0%", 8.5)
        ax.set(xlim=(0, 1.08), xticks=[])
        look.without_frame(ax)


class RankAgreementDisplay(ComparisonDisplay):
    """Kendall's tau-b between the rankings that the measures give."""

    def __init__(self, comparison: Comparison, metric: str | None = None) -> None:
        super().__init__(comparison, metric)
        self.agreement = comparison.rank_agreement
        self.symbols = [m.symbol for m in comparison.metrics]

    def _size(self) -> tuple[float, float]:
        side = 2.2 + 0.42 * len(self.symbols)
        return side + 0.6, side

    def title(self) -> str:
        """What is drawn."""
        return "Agreement between measures on the ranking"

    def describe(self) -> str:
        """The least agreement of two measures."""
        names = [m.name for m in self.comparison.metrics]
        lower = np.where(np.tri(len(names), k=-1, dtype=bool), self.agreement, np.nan)
        if np.isnan(lower).all():
            return "Rank agreement between measures: not defined for these models."
        i, j = np.unravel_index(np.nanargmin(lower), lower.shape)
        return (
            f"Rank agreement (Kendall's tau-b) between measures; least between {names[i]} and "
            f"{names[j]}, {lower[i, j]:.2f}."
        )

    def _draw(self, ax: Any) -> None:
        ax.imshow(np.ma.masked_invalid(self.agreement), cmap="PuOr_r", vmin=-1.4, vmax=1.4)
        size = 8.5 if len(self.symbols) <= 12 else 6
        for (i, j), value in np.ndenumerate(self.agreement):
            colour = look.ON_DARK if abs(value) > 0.8 else look.ON_LIGHT
            ax.text(j, i, number(value, 0 if i == j else 2), ha="center", va="center",
                    fontsize=size, color=colour if value == value else look.SOFT)  # fmt: skip
        ax.set_xticks(range(len(self.symbols)), self.symbols, rotation=45, ha="right",
                      rotation_mode="anchor")  # fmt: skip
        ax.set_yticks(range(len(self.symbols)), self.symbols)
        ax.tick_params(length=0)
        look.without_frame(ax)


class CriticalDifferenceDisplay(Display):
    """Models on a line, with bars over those that cannot be told apart (Demšar 2006).

    Parameters
    ----------
    models, positions
        Names, best first, and where each lies.
    cliques
        Models next to each other that are not separated.
    axis
        What the line measures.
    difference
        The critical difference of mean ranks, if there is one.
    """

    def __init__(
        self, models: tuple[str, ...], positions: Any, cliques: tuple[tuple[str, ...], ...],
        axis: str = "mean rank (lower is better)", difference: float = float("nan"),
    ) -> None:  # fmt: skip
        self.models, self.positions = models, np.asarray(positions, dtype=float)
        self.cliques, self.axis, self.difference = cliques, axis, difference

    @classmethod
    def from_cases(cls, result: Any, *, ax: Any = None) -> Self:
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
        axis = f"{metric.name} ({BETTER[metric.greater_is_better]} is better)"
        return cls(comparison.models, estimates, comparison.cliques(), axis)

    def _size(self) -> tuple[float, float]:
        return 6.8, 1.6 + 0.24 * (len(self.models) + len(self.cliques))

    def title(self) -> str:
        """What the bars mean."""
        return "Bars join models that cannot be told apart"

    def describe(self) -> str:
        """The order and the bars."""
        order = ", ".join(f"{m} {p:.3f}" for m, p in zip(self.models, self.positions, strict=True))
        joined = "; ".join(" with ".join(c) for c in self.cliques) or "none"
        return f"Models by {self.axis}: {order}. Not told apart: {joined}."

    def _draw(self, ax: Any) -> None:
        spread = float(np.ptp(self.positions)) or 1.0
        low, high = self.positions.min() - 0.08 * spread, self.positions.max() + 0.08 * spread
        where = dict(zip(self.models, self.positions, strict=True))
        for i, clique in enumerate(self.cliques):
            ends = [where[m] for m in clique]
            ax.plot([min(ends) - 0.012 * spread, max(ends) + 0.012 * spread], [-0.35 - 0.3 * i] * 2,
                    color=look.ORANGE, linewidth=4, solid_capstyle="round")  # fmt: skip
        self._draw_names(ax, low, high)
        if self.difference == self.difference:
            ax.plot([low, low + self.difference], [1.0, 1.0], color=look.INK, linewidth=2)
            ax.text(low, 1.1, f"critical difference {self.difference:.2f}", fontsize=8)
        look.without_frame(ax, "bottom", "left")
        ax.spines["top"].set_visible(True)
        ax.spines["top"].set_position(("data", 0))
        ax.xaxis.tick_top()
        ax.text(high, 1.1, self.axis, ha="right", fontsize=8.5, color=look.SOFT)
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
            ax.text(edge, y, f" {look.plain(name)} ", ha="right" if at_left else "left",
                    va="center")  # fmt: skip
            ax.plot(x, 0, "o", color=look.BLUE, markersize=6, zorder=3)
        ax.set(xlim=(low, high), ylim=(below - 0.3 - 0.45 * (half - 1), 1.5))
