"""The exhibit that opens a report: models in rows, each with rank, value, interval, difference."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ordeval._shared.text import capital
from ordeval.inference.paired import Delta
from ordeval.measures import Metric
from ordeval.results.comparison import Comparison
from ordeval.results.conclusion import groups
from ordeval.results.phrases import percent
from ordeval.results.scores import gain_over, gained

_TICKS: Final = 5  # at most, on an axis
_FEW_TICKS: Final = 3  # on the narrow axis of differences
_MARGIN: Final = 0.06  # of an axis, left free at both ends
_COMPACT: Final = 12  # more models than this have lower rows


@dataclass(frozen=True)
class Axis:
    """A linear scale for a picture whose positions are percentages of its width."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, values: list[float], most: int = _TICKS) -> "Axis":
        """Build the axis that holds all finite values."""
        finite = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        free = _MARGIN * (high - low) or max(abs(high), 1.0) * _MARGIN
        low, high = low - free, high + free
        step = _step((high - low) / most)
        places = range(math.ceil(low / step), math.floor(high / step) + 1)
        return cls(low, high, tuple(float(f"{i * step:.10g}") for i in places))

    def at(self, value: float) -> float:
        """Return the position of a value in percent; values beyond the axis are at its end."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    @property
    def shown_ticks(self) -> Iterator[tuple[float, str]]:
        """Each tick: its position in percent and its text."""
        digits = max([_digits(t) for t in self.ticks], default=0)
        for tick in self.ticks:
            text = f"{tick:.{digits}f}" if tick else "0"
            yield self.at(tick), text.replace("-", "\N{MINUS SIGN}")


def _step(least: float) -> float:
    """The next larger of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= least * 0.999)


def _digits(tick: float) -> int:
    return len(f"{tick:.10g}".partition(".")[2])


@dataclass(frozen=True)
class Difference:
    """A model minus the one that it is compared with."""

    value: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    significant: bool
    margin: str  # what the margin says about it; empty without one


@dataclass(frozen=True)
class HeroRow:
    """One model."""

    model: str
    ranks: tuple[int, int]  # the first and the last possible rank
    value: float
    low: float
    high: float
    beats_baselines: bool  # the interval lies above the best baseline
    winner: bool
    new_group: bool  # significantly worse than every model above
    difference: Difference | None = None


@dataclass(frozen=True)
class Baseline:
    """What a prediction without skill scores."""

    name: str
    value: float
    best: bool


@dataclass(frozen=True)
class Hero:
    """All models by the measure that decides."""

    title: str
    lead: str
    measure: str  # its display name
    symbol: str
    better: str  # "higher", "lower" or empty
    level: str
    against: str  # the model that differences are from; empty with one model
    corrected: bool  # whether p-values are corrected
    rows: tuple[HeroRow, ...]
    baselines: tuple[Baseline, ...]
    axis: Axis
    difference_axis: Axis | None
    margin: float | None
    notes: tuple[str, ...]

    @property
    def compact(self) -> bool:
        """Whether the many rows are low."""
        return len(self.rows) > _COMPACT

    @property
    def name_width(self) -> int:
        """How many pixels the names of the models need."""
        return min(max(14 + 9 * max(len(r.model) for r in self.rows), 132), 212)

    @property
    def no_skill(self) -> tuple[float, float] | None:
        """Where values are no better than the best baseline: the start and width in percent."""
        best = [b.value for b in self.baselines if b.best]
        if not best or not self.better:
            return None
        at = self.axis.at(best[0])
        return (0.0, at) if self.better == "higher" else (at, round(100 - at, 2))


def hero_of(c: Comparison) -> Hero:
    """Collect the facts of the first exhibit.

    Parameters
    ----------
    c
        The comparison.

    Returns
    -------
    Hero
        One row for each model, best first.
    """
    metric = c.primary
    baselines, rows = tuple(baselines_of(c, metric)), hero_rows(c)
    differences = [d for r in rows if (d := r.difference) and math.isfinite(d.value)]
    directed = metric.greater_is_better is not None
    shown = [b.value for b in baselines if b.best and directed]
    ends = [0.0, *(v for d in differences for v in (d.value, d.low, d.high))]
    return Hero(
        title=_title(c),
        lead=_lead(c),
        measure=metric.display,
        symbol=metric.short,
        better={True: "higher", False: "lower", None: ""}[metric.greater_is_better],
        level=percent(c.level),
        against=_against(c),
        corrected=len(c.models) > 2,
        rows=rows,
        baselines=baselines,
        axis=Axis.over([*(v for r in rows for v in (r.value, r.low, r.high)), *shown]),
        difference_axis=Axis.over(ends, _FEW_TICKS) if differences else None,
        margin=c.margin,
        notes=tuple(_notes(c, baselines)),
    )


def _against(c: Comparison) -> str:
    """The model that the others are compared with."""
    return "" if len(c.models) == 1 else (c.reference or c.models[0])


def hero_rows(c: Comparison) -> tuple[HeroRow, ...]:
    """Collect what is known of each model by the measure that decides, best model first."""
    metric, name, against = c.primary, c.primary.name, _against(c)
    deltas = {d.a if d.b == against else d.b: d for d in c.pairs if _between(d, name, against)}
    starts = {group[0] for group in groups(c)[1:]}
    floor = _utility(metric, [b.value for b in baselines_of(c, metric)])
    top = min(c.ranks[name].values())
    rows = []
    for model in c.models:
        x = c.estimates[name][model]
        worse_end = x.high if metric.greater_is_better is False else x.low
        first = c.ranks[name][model] == top and math.isfinite(x.estimate)
        rows.append(
            HeroRow(
                model=model,
                ranks=c.rank_sets[name][model] if len(c.models) > 2 else _rank(c, model),
                value=x.estimate,
                low=x.low,
                high=x.high,
                beats_baselines=not math.isfinite(floor) or bool(metric.utility(worse_end) > floor),
                winner=bool(first) or len(c.models) == 1,
                new_group=model in starts,
                difference=difference_of(c, deltas[model], against) if model in deltas else None,
            )
        )
    return tuple(rows)


def _between(d: Delta, name: str, against: str) -> bool:
    return d.metric == name and against in (d.a, d.b)


def _utility(metric: Metric, values: list[float]) -> float:
    """The utility of the best value; NaN if none is finite or no direction is better."""
    finite = [float(metric.utility(v)) for v in values if math.isfinite(v)]
    return max(finite) if finite and metric.greater_is_better is not None else math.nan


def baselines_of(c: Comparison, metric: Metric) -> Iterator[Baseline]:
    """The predictions without skill by a measure, and which of them is the best."""
    values = {n: float(v[metric.name]) for n, v in c.baselines.items()}
    finite = {n: float(metric.utility(v)) for n, v in values.items() if math.isfinite(v)}
    first = max(finite, key=finite.__getitem__) if finite else None
    for name, value in sorted(values.items(), key=lambda x: x[1]):
        if math.isfinite(value):
            yield Baseline(name, value, name == first)


def _rank(c: Comparison, model: str) -> tuple[int, int]:
    """The rank of one of two models, as both ends of a range."""
    rank = math.ceil(c.ranks[c.primary.name][model])
    return rank, rank


def difference_of(c: Comparison, d: Delta, against: str) -> Difference:
    """Return the difference of a model from the one that it is compared with."""
    sign = 1 if d.b == against else -1
    low, high = sorted((sign * d.low, sign * d.high)) if d.low == d.low else (math.nan, math.nan)
    verdict = ""
    if d.margin is not None and d.p_value == d.p_value:
        verdict = "equivalent" if d.equivalent else "not shown"
        if c.reference is not None:
            verdict = d.verdict + ", equivalent" * d.equivalent
    return Difference(
        value=sign * d.delta,
        low=low,
        high=high,
        p_value=d.p_value,
        p_adjusted=d.p_adjusted,
        significant=bool(d.p_adjusted <= 1 - c.level),
        margin=verdict,
    )


def _title(c: Comparison) -> str:
    """How much of the difference between the models is significant."""
    measure, alpha, models = c.primary.display, 1 - c.level, len(c.models)
    if models == 1:
        (row,) = hero_rows(c)
        verb = "beats" if row.beats_baselines else "does not beat"
        told = c.baselines and c.primary.greater_is_better is not None
        return f"{row.model} {verb} the best baseline in {measure}" if told else capital(measure)
    found = [d for d in c.pairs if d.metric == c.primary.name and d.p_adjusted == d.p_adjusted]
    if not found:
        return capital(measure)
    significant = sum(d.p_adjusted <= alpha for d in found)
    if c.reference is not None and models > 2:
        some = f"{significant} of {len(found)} models"
        if significant == len(found):
            some = "Both models" if significant == 2 else f"All {significant} models"
        if significant == 0:
            return f"No model differs significantly from {c.reference}"
        verb = "differs" if significant == 1 else "differ"
        return f"{some} {verb} significantly from {c.reference}"
    if models == 2:
        how = "differ" if significant else "do not differ"
        return f"{c.models[0]} and {c.models[1]} {how} significantly in {measure}"
    apart, pairs = int((c.separation <= alpha).sum()) // 2, math.comb(models, 2)
    if apart == 0:
        return f"No two of the {models} models differ significantly in {measure}"
    if apart == pairs:
        return f"All {models} models differ significantly in {measure}"
    return f"{apart:,} of {pairs:,} pairs of models differ significantly in {measure}"


def _lead(c: Comparison) -> str:
    """How to read the measure and the picture."""
    m = c.primary
    low, high = (f"{x:g}" for x in m.range.at(c.scale.k))
    runs = f"{capital(m.display)} runs from {low} to {high}"
    if math.isinf(m.range.at(c.scale.k)[1]):
        runs = f"{capital(m.display)} is at least {low}"
    better = {True: "higher is better", False: "lower is better", None: "closest to 0 is best"}
    dots = f"Dots are estimates, bars {percent(c.level)} CIs."
    return f"{runs}; {better[m.greater_is_better]}. {dots}"


def _notes(c: Comparison, baselines: tuple[Baseline, ...]) -> Iterator[str]:
    several = len(c.models) > 1
    if c.population:
        yield c.population
    if c.human:
        name = c.primary.name
        gains = [gain_over(c.estimates[name][m], c.human[name][m]) for m in c.models]
        least, most = gained(min(gains)), gained(max(gains))
        much = least if least == most else f"{least} to {most}"
        yield f"Intervals are {much} shorter than those of the human labels alone."
    if baselines and c.primary.greater_is_better is not None:
        values = ", ".join(f"{b.name} {b.value:.3f}" for b in baselines)
        yield f"Shaded: no better than the best no-skill baseline. Baselines: {values}."
    if len(groups(c)) > 1:
        yield "Heavier rules separate groups that differ significantly."
    if len(c.models) > 2:
        yield f"Rank ranges hold for all models at once ({percent(c.level)} confidence)."
    if c.margin is not None and several:
        yield f"The margin is {c.margin:g}."
    if several:
        yield "Differences are computed before rounding."
    if np.isinf([x.estimate for x in c.estimates[c.primary.name].values()]).any():
        yield "Infinite values are not drawn."
