"""Pictures of a comparison: intervals, differences, who is best, what measures agree on."""

import math
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from ordeval._shared.text import BETTER, capital, number, p_value, signed
from ordeval.exceptions import ParameterError
from ordeval.inference.paired import Delta
from ordeval.plots import _style as look
from ordeval.plots._display import Display
from ordeval.results.comparison import Comparison
from ordeval.results.phrases import spoken

# How a remark is written next to a row, wherever the data lie.
_BESIDE = {
    "xycoords": ("axes fraction", "data"),
    "va": "center",
    "fontsize": 7.5,
    "color": look.SOFT,
}


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
    """Estimates with their intervals, best first; lines show the no-skill baselines."""

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
        measure = capital(self.metric.display)
        return f"{measure} ({way} is better), {self.comparison.level:.0%} intervals"

    def describe(self) -> str:
        """The numbers."""
        values = zip(self.names, self.estimate, self.low, self.high, strict=True)
        shown = "; ".join(
            f"{n} infinite" if np.isinf(e) else f"{n} {spoken(e, a, b)}" for n, e, a, b in values
        )
        return f"Estimates of {self.metric.display} with intervals: {shown}."

    def _draw(self, ax: Any) -> None:
        place = np.arange(len(self.names))
        found = {n: v[self.metric.name] for n, v in self.comparison.baselines.items()}
        known = {n: v for n, v in found.items() if np.isfinite(v)}
        ends = self._window(known.values())
        for i, (name, value) in enumerate(known.items()):
            _draw_baseline(ax, i, (name, value), ends)
        ax.hlines(place, self.low, self.high, color=look.INK, linewidth=2)
        for i, name in enumerate(self.names):
            own = look.mark_of(self.comparison.models.index(name))
            _note_infinite(ax, i, float(self.estimate[i]))
            ax.plot(self.estimate[i], i, markersize=7, markeredgecolor=look.PAGE, **own)
        if ends is not None:
            ax.set_xlim(*ends)
        look.row_names(ax, look.plain_all(self.names))
        ax.set_xlabel(look.literal(self.metric.symbol))
        look.lines_behind(ax, "x")
        if known:
            look.legend_below(ax, len(place), ncols=3)

    def _window(self, baselines: Iterable[float]) -> tuple[float, float] | None:
        """The part of the axis that the intervals take, with what lies close by; None if none do.

        Far baselines would squeeze the intervals, which the picture is about.
        """
        seen = np.concatenate([self.low, self.high, self.estimate])
        seen = seen[np.isfinite(seen)]
        if not len(seen) or np.ptp(seen) == 0:
            return None
        low, high = seen.min(), seen.max()
        room = 0.5 * (high - low)
        near = [b for b in baselines if low - room <= b <= high + room]
        low, high = min([low, *near]), max([high, *near])
        edge = 0.06 * (high - low)
        return float(low - edge), float(high + edge)


def _note_infinite(ax: Any, i: int, value: float) -> None:
    """A value that no axis can show, in words."""
    if np.isinf(value):
        ax.annotate(f"infinite: {number(value)}", (0.98, i), ha="right", **_BESIDE)


def _draw_baseline(
    ax: Any, i: int, known: tuple[str, float], ends: tuple[float, float] | None
) -> None:
    """A line at a baseline, or a mark at the edge that it lies beyond."""
    name, value = known
    if ends is None or ends[0] <= value <= ends[1]:
        dash, label = ("--", ":", "-.")[i % 3], f"{name} {value:.3f}"
        ax.axvline(value, color=look.SOFT, linewidth=1, linestyle=dash, label=label, zorder=0)
        return
    left = value < ends[0]
    # Below each other, within the axes whatever their number of rows.
    at, marker = (0.012, "<") if left else (0.988, ">")
    mark = {"marker": marker, "markersize": 5, "linestyle": "none", "color": look.SOFT}
    label = f"{name} {value:.3f}"
    ax.plot(at, 0.06 + 0.09 * i, transform=ax.transAxes, label=label, **mark)


class DeltaDisplay(ComparisonDisplay):
    """Paired differences with intervals; filled where the corrected p-value is small.

    At most ``most`` pairs are drawn, those of the best model first. A band shows the margin, if
    there is one.
    """

    def __init__(self, comparison: Comparison, metric: str | None = None, most: int = 30) -> None:
        super().__init__(comparison, metric)
        found = [d for d in comparison.deltas() if d.metric == self.metric.name]
        self.deltas: list[Delta] = found[:most]
        self.p_values = [d.p_adjusted for d in self.deltas]
        self.separated = [p <= 1 - comparison.level for p in self.p_values]
        self.margin = next((d.margin for d in found if d.margin is not None), None)

    def _rows(self) -> int:
        return len(self.deltas)

    def title(self) -> str:
        """The measure."""
        part = f", {len(self.deltas)} of {self._all_pairs():,} pairs"
        reference = self.comparison.reference
        other = "" if reference is None else f" from {look.short(reference)}"
        some = len(self.deltas) < self._all_pairs()
        return f"Differences in {self.metric.display}{other}{part if some else ''}"

    def _all_pairs(self) -> int:
        """How many pairs the p-values are corrected for."""
        models = len(self.comparison.models)
        return models - 1 if self.comparison.reference is not None else math.comb(models, 2)

    def describe(self) -> str:
        """The numbers."""
        shown = "; ".join(
            f"{d.a} minus {d.b} infinite"
            if d.refused
            else f"{d.a} minus {d.b} {spoken(d.delta, d.low, d.high, signed)}, "
            f"corrected p {p_value(p)}"
            for d, p in zip(self.deltas, self.p_values, strict=True)
        )
        hidden = self._all_pairs() - len(self.deltas)
        more = f" {hidden:,} more pairs are not drawn." if hidden else ""
        margin = f" The margin is {self.margin:g}." if self.margin is not None else ""
        return f"Paired differences of {self.metric.display}: {shown}.{more}{margin}"

    def _draw(self, ax: Any) -> None:
        ax.axvline(0, color=look.SOFT, linewidth=1)
        if self.margin is not None:
            self._draw_margin(ax, self.margin)
        for i, (d, sure) in enumerate(zip(self.deltas, self.separated, strict=True)):
            colour = look.ORANGE if sure else look.SOFT
            _note_infinite(ax, i, d.delta)
            look.estimate(ax, i, (d.delta, d.low, d.high), colour, sure=sure)
            ax.annotate(p_value(self.p_values[i]), (1.01, i), **_BESIDE)
        corrected = len(self.comparison.models) > 2
        over = _BESIDE | {"va": "bottom"}
        ax.annotate("p adj." if corrected else "p", (1.01, -0.55), **over)
        if self.comparison.reference is not None:
            names = [look.plain(d.a) for d in self.deltas]
        else:
            names = [f"{look.plain(d.a, 18)} − {look.plain(d.b, 18)}" for d in self.deltas]
        look.row_names(ax, names)
        ax.set_xlabel(self._direction())
        look.lines_behind(ax, "x")

    def _draw_margin(self, ax: Any, margin: float) -> None:
        """Within the band the models are equivalent; the line is the limit of non-inferiority."""
        side, limit = ("right", -margin) if self.metric.greater_is_better else ("left", margin)
        line = {"color": look.BLUE, "linewidth": 1.4, "linestyle": "--", "zorder": 1}
        band = {"color": look.BLUE, "linewidth": 0, "alpha": 0.16, "zorder": 0}
        non_inferior = f"margin {margin:g}; non-inferior: interval {side} of the line"
        ax.axvline(limit, label=non_inferior, **line)
        ax.axvspan(-margin, margin, label="equivalent: interval within the band", **band)
        look.legend_below(ax, len(self.deltas), ncols=1)

    def _direction(self) -> str:
        if self.metric.greater_is_better is None:
            return f"difference in {look.literal(self.metric.symbol)}"
        first, second = "the first model", "the second model"
        if (reference := self.comparison.reference) is not None:
            first, second = "the model", look.plain(reference)
        left, right = (second, first) if self.metric.greater_is_better else (first, second)
        return f"← {left} is better      {right} is better →"


class ProbabilityBestDisplay(ComparisonDisplay):
    """How often each model would be best, over data sets like this one.

    With more than a dozen models, those that are hardly ever best share a bar."""

    def __init__(self, comparison: Comparison, metric: str | None = None) -> None:
        super().__init__(comparison, metric)
        self.probability = comparison.probability_best[self.metric.name]

    def _bars(self) -> dict[str, float]:
        some = {n: p for n, p in self.probability.items() if p == p} or self.probability
        known = {n: float(np.nan_to_num(p)) for n, p in some.items()}
        found = {n: known[n] for n in sorted(known, key=lambda n: -known[n])}
        seldom = [n for n, p in found.items() if p < 0.005] if len(found) > 12 else []
        if len(seldom) < 2:
            return found
        others = {f"{len(seldom)} others together": sum(found[n] for n in seldom)}
        return {n: p for n, p in found.items() if n not in seldom} | others

    def _rows(self) -> int:
        return len(self._bars())

    def title(self) -> str:
        """The measure."""
        return f"How often each model would be best by {self.metric.display}"

    def describe(self) -> str:
        """The shares."""
        shown = ", ".join(
            f"{n} {'not known' if np.isnan(p) else f'{p:.0%}'}" for n, p in self.probability.items()
        )
        return f"Share of data sets like this one in which each model would be best: {shown}."

    def _draw(self, ax: Any) -> None:
        found = self._bars()
        look.bars(ax, look.plain_all(list(found)), list(found.values()), ".0%", 8.5)
        if len(self.comparison.models) <= len(look.COLOURS):
            for name, bar in zip(found, ax.patches, strict=True):
                bar.set_color(look.COLOURS[self.comparison.models.index(name)])
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
        """The lowest agreement of two measures."""
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
        look.write_cells(
            ax,
            self.agreement,
            lambda i, j: number(self.agreement[i, j], 0 if i == j else 2),
            _ink,
            8.5 if len(self.symbols) <= 12 else 6,
        )
        symbols = look.plain_all(self.symbols)
        ax.set_xticks(range(len(symbols)), symbols, rotation=45, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(symbols)), symbols)
        ax.tick_params(length=0)
        look.without_frame(ax)


def _ink(agreement: float) -> str:
    """The colour of a number on the shade of an agreement."""
    if agreement != agreement:
        return look.SOFT
    return look.ON_DARK if abs(agreement) > 0.8 else look.ON_LIGHT
