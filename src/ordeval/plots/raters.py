"""Pictures of raters and judges: the ceiling, bias by grade, each with each, how kind they are."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ordeval._shared.text import BETTER, capital, number, plural, signed
from ordeval.data.ratings import Ratings
from ordeval.exceptions import ParameterError
from ordeval.inference.intervals import Interval
from ordeval.plots import _style as look
from ordeval.plots._display import Display, named
from ordeval.plots.confusion import ConfusionDisplay
from ordeval.results.judgement import Effect, Judgement
from ordeval.results.phrases import spoken

_LINES = 8  # judges; more of them would hide each other
_TEXT_UP_TO = 16  # humans; of more, cells are too small to write in


class JudgementDisplay(Display):
    """A display of judges compared with humans."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement

    @classmethod
    def from_judgement(cls, judgement: Judgement, *, ax: Any = None) -> Self:
        """Draw a result of ``oe.judge``."""
        return cls(judgement).plot(ax=ax)


class CeilingDisplay(JudgementDisplay):
    """Agreement of each judge with the humans, and that of the humans with each other.

    The band is the interval of the ceiling; filled points differ significantly from it or, with a
    margin, are non-inferior or inferior."""

    def title(self) -> str:
        """The measure, the direction and the level."""
        m = self.judgement.metric
        level = self.judgement.ceiling.level
        return (
            f"{m.name} with humans ({BETTER[m.greater_is_better]} is better), {level:.0%} intervals"
        )

    def describe(self) -> str:
        """The numbers."""
        j = self.judgement
        shown = "; ".join(f"{n} {_spoken(j.agreement[n])}" for n in j.judges)
        margin = f" The margin is {j.margin:g}." if j.margin is not None else ""
        return (
            f"Agreement with humans by {j.metric.display}: {shown}. Humans with each other: "
            f"{_spoken(j.ceiling)}.{margin}"
        )

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.7 + 0.3 * max(len(self.judgement.judges), 3)

    def _draw(self, ax: Any) -> None:
        j = self.judgement
        self._draw_ceiling(ax)
        for i, name in enumerate(j.judges):
            x, verdict = j.agreement[name], j.verdict(name)
            worse = verdict in ("below", "inferior")
            sure = worse or verdict in ("above", "non-inferior")
            colour = look.ORANGE if worse else look.BLUE if sure else look.SOFT
            look.estimate(ax, i, (x.estimate, x.low, x.high), colour, sure=sure)
        look.row_names(ax, look.plain_all(j.judges))
        ax.set_xlabel(look.literal(j.metric.symbol))
        look.lines_behind(ax, "x")
        if j.ceiling.estimate == j.ceiling.estimate:
            look.legend_below(ax, len(j.judges), ncols=2)

    def _draw_ceiling(self, ax: Any) -> None:
        c, margin = self.judgement.ceiling, self.judgement.margin
        if c.estimate != c.estimate:
            return
        if c.low == c.low:
            ax.axvspan(c.low, c.high, color=look.SOFT, alpha=0.18, linewidth=0, zorder=0)
        humans = f"humans with each other {c.estimate:.3f}"
        ax.axvline(c.estimate, color=look.SOFT, linewidth=1.4, zorder=1, label=humans)
        if margin is not None:
            limit = c.estimate + (-margin if self.judgement.metric.greater_is_better else margin)
            line = {"color": look.INK, "linewidth": 1.2, "linestyle": "--", "zorder": 1}
            ax.axvline(limit, label=f"margin {margin:g}", **line)


class GradeBiasDisplay(JudgementDisplay):
    """How many steps each judge is above a human, by the grade that the human gave.

    The thick line shows the other humans; a judge like them lies on it. Filled points differ
    significantly from it, for all grades of a judge at once."""

    def title(self) -> str:
        """The title, with the number of judges."""
        n = len(self.judgement.judges)
        part = f" (the best {_LINES} of {n} judges)" if n > _LINES else ""
        return f"Steps above a human, by the grade that the human gave{part}"

    def describe(self) -> str:
        """The numbers."""
        j = self.judgement
        humans = f" Other humans: {self._steps(j.humans_by_grade)}." * (len(j.raters) > 1)
        shown = "; ".join(f"{name}: {self._steps(j.bias[name].by_grade)}" for name in self._names())
        return f"Steps of judges above a human who gave each grade. {shown}.{humans}"

    def _names(self) -> tuple[str, ...]:
        return self.judgement.judges[:_LINES]

    def _steps(self, found: Mapping[Any, Interval]) -> str:
        return ", ".join(f"{grade} {signed(x.estimate)}" for grade, x in found.items())

    def _size(self) -> tuple[float, float]:
        rows = -(-(len(self._names()) + 1) // 3)
        return min(max(5.6, 3.4 + 0.5 * self.judgement.scale.k), 9.0), 3.6 + 0.22 * rows

    def _draw(self, ax: Any) -> None:
        names, j = self._names(), self.judgement
        k = j.scale.k
        ax.axhline(0, color=look.SOFT, linewidth=1)
        own = [x.estimate for x in j.humans_by_grade.values()]
        if len(j.raters) > 1:
            band = {"color": look.SOFT, "linewidth": 7, "alpha": 0.35, "zorder": 1}
            ax.plot(np.arange(k), own, label="other humans", solid_capstyle="round", **band)
        for i, name in enumerate(names):
            bias = j.bias[name]
            place = np.arange(k) + 0.5 / _LINES * (i - (len(names) - 1) / 2)
            style = look.line_of(i)
            found = [(x.estimate, x.low, x.high) for x in bias.by_grade.values()]
            value, low, high = np.array(found).T
            ax.vlines(place, low, high, color=style["color"], linewidth=1.1, alpha=0.75)
            label = look.entry(look.plain(name, 18))
            open_ = {"markerfacecolor": look.PAGE} if len(j.raters) > 1 else {}
            ax.plot(place, value, label=label, **{**style, "linewidth": 1.3, **open_})
            apart = np.array([x.low > 0 or x.high < 0 for x in bias.beyond_humans.values()])
            ax.plot(place[apart], value[apart], **{**style, "linestyle": "none"})
        look.level_ticks(ax.xaxis, j.scale.levels)
        ax.set(xlim=(-0.5, k - 0.5), xlabel="grade that a human gave", ylabel="steps above")
        look.lines_behind(ax, "y")
        look.legend_under(ax, 0.16, ncols=3, columnspacing=1.4, handlelength=2.4)


class JudgeEffectsDisplay(JudgementDisplay):
    """What moves each judge besides the grade: steps per standard deviation, or by level.

    Filled points are significant, corrected for all covariates of the judge.
    """

    def __init__(self, judgement: Judgement) -> None:
        if not judgement.effects:
            raise ParameterError(
                "the judgement has no covariates; pass some to oe.judge(..., covariates=...)."
            )
        super().__init__(judgement)

    def title(self) -> str:
        """What is drawn, and of how many judges."""
        n = len(self.judgement.judges)
        return "What moves the judges" + (f" (the best {_LINES} of {n})" if n > _LINES else "")

    def describe(self) -> str:
        """The numbers."""
        said = [
            f"{name}, {e.label}: {_spoken(e.steps, '{:+.3g}'.format)}"
            for name in self._names()
            for e in self.judgement.effects[name]
        ]
        return (
            f"Steps of judges per unit of a number, or against the first level. {'; '.join(said)}."
        )

    def _names(self) -> tuple[str, ...]:
        return self.judgement.judges[:_LINES]

    def _effects(self) -> int:
        return len(self.judgement.effects[self._names()[0]])

    def _size(self) -> tuple[float, float]:
        rows = self._effects() * (1 + 0.35 * len(self._names()))
        return 6.4, min(1.6 + 0.3 * rows, 12.0)

    def _draw(self, ax: Any) -> None:
        names, j = self._names(), self.judgement
        ax.axvline(0, color=look.SOFT, linewidth=1)
        for i, name in enumerate(names):
            style = look.line_of(i)
            for n, e in enumerate(j.effects[name]):
                row = n + 0.7 * (i - (len(names) - 1) / 2) / max(len(names), 1)
                value, low, high = (x * e.spread for x in (e.steps.estimate, *_ends(e.steps)))
                sure = e.p_adjusted <= 1 - e.steps.level
                fill = {} if sure else {"markerfacecolor": look.PAGE}
                ax.hlines(row, low, high, color=style["color"], linewidth=1.2, alpha=0.75)
                label = look.entry(look.plain(name, 18)) if not n else None
                ax.plot(value, row, label=label, **{**style, "linestyle": "none", **fill})
        look.row_names(ax, [_of_effect(e) for e in j.effects[names[0]]])
        ax.set_xlabel(
            "steps of the scale at the same true grade\n← lower grades      higher grades →"
        )
        look.lines_behind(ax, "x")
        look.legend_under(ax, 0.2, ncols=3, columnspacing=1.4, handlelength=2.4)


def _of_effect(e: Effect) -> str:
    """The name of an effect, and below it what its number is per."""
    per = "per SD" if e.level is None else f"than {e.reference}"
    return f"{look.plain(e.label, 28)}\n{look.plain(per)}"


def _ends(x: Interval) -> tuple[float, float]:
    return x.low, x.high


class JudgeMatrixDisplay(ConfusionDisplay):
    """The grades that humans gave, and what one judge gave to the same items.

    Parameters
    ----------
    judgement
        A result of ``oe.judge``.
    judge
        Which judge, by default the one that agrees most with the humans.
    """

    def __init__(self, judgement: Judgement, judge: str | None = None) -> None:
        chosen = judgement.judges[0] if judge is None else judge
        if chosen not in judgement.matrices:
            raise ParameterError(
                f"there is no judge {chosen!r}; judges: {', '.join(judgement.judges)}."
            )
        super().__init__(judgement.matrices[chosen], chosen)
        self.judgement = judgement

    @classmethod
    def from_judgement(
        cls, judgement: Judgement, judge: str | None = None, *, ax: Any = None
    ) -> Self:
        """Draw one judge of a result of ``oe.judge``."""
        return cls(judgement, judge).plot(ax=ax)

    def title(self) -> str:
        """The judge, and how many pairs of a rating and an answer there are."""
        return named(self.name, plural(int(self.cm.total), "rating"))

    def describe(self) -> str:
        """The share of each human grade with the same grade from the judge."""
        right = ", ".join(
            f"{level}: {share:.0%}" if share == share else f"{level}: never given"
            for level, share in zip(self.cm.scale, np.diagonal(self.shares), strict=True)
        )
        return f"Share of each grade of the humans that {self.name} gives, too: {right}."

    def _draw(self, ax: Any) -> None:
        super()._draw(ax)
        ax.set(xlabel="judge", ylabel="humans")
        ax.figure.axes[-1].set_ylabel("share of the humans' grade")


class JudgeHumanDisplay(JudgementDisplay):
    """The agreement of each judge with each human; below, that of the human with the others."""

    def __init__(self, judgement: Judgement) -> None:
        super().__init__(judgement)
        self.humans = [r.name for r in judgement.raters]
        rows = [judgement.with_each[j] for j in judgement.judges]
        self.values = np.array([*rows, [r.agreement for r in judgement.raters]], dtype=np.float64)
        self.names = [*judgement.judges, "(other humans)"]

    def title(self) -> str:
        """The measure."""
        return f"{capital(self.judgement.metric.display)} with each human"

    def describe(self) -> str:
        """The lowest and the highest value of each judge."""
        said = []
        for name, row in zip(self.names, self.values, strict=True):
            known = row[~np.isnan(row)]
            ends = f"{number(known.min())} to {number(known.max())}" if len(known) else "undefined"
            said.append(f"{name} {ends}")
        measure = capital(self.judgement.metric.display)
        return f"{measure} with each human, least to largest: {'; '.join(said)}."

    def _size(self) -> tuple[float, float]:
        return (
            min(2.6 + 0.44 * len(self.humans), 10.0),
            min(1.7 + 0.36 * len(self.names), 10.0),
        )

    def _draw(self, ax: Any) -> None:
        least, largest = self._ends()
        values = np.ma.masked_invalid(self.values)
        ax.imshow(values, cmap="Blues", vmin=least, vmax=largest, aspect="auto")
        if len(self.humans) <= _TEXT_UP_TO:
            look.write_cells(
                ax,
                (self.values - least) / (largest - least),
                lambda i, j: number(self.values[i, j], 2),
                lambda shade: look.ink_on(shade) if shade == shade else look.SOFT,
                8,
            )
        ax.axhline(len(self.names) - 1.5, color=look.PAGE, linewidth=3)
        look.row_names(ax, look.plain_all(self.names))
        look.level_ticks(ax.xaxis, self.humans)
        look.without_frame(ax)

    def _ends(self) -> tuple[float, float]:
        """What the palest and the darkest shade stand for, with room below for dark text."""
        known = self.values[~np.isnan(self.values)]
        if not len(known):
            return 0.0, 1.0
        spread = max(float(known.max() - known.min()), 0.05)
        return float(known.min()) - 0.15 * spread, float(known.max()) + 0.15 * spread


class SeverityDisplay(Display):
    """How many steps each rater is above the mean of the others, kindest first.

    Parameters
    ----------
    severity
        Intervals by the rater's name, as ``Ratings.severity()`` gives them.
    most
        The maximum number of raters to draw, those furthest from the others.
    """

    def __init__(self, severity: Mapping[str, Interval], most: int = 30) -> None:
        known = {n: x for n, x in severity.items() if x.estimate == x.estimate}
        if not known:
            raise ParameterError("no rater shares an item with another; there is nothing to draw.")
        far = sorted(known, key=lambda n: -abs(known[n].estimate))[:most]
        self.hidden = len(known) - len(far)
        self.names = sorted(far, key=lambda n: -known[n].estimate)
        self.severity = {n: known[n] for n in self.names}

    @classmethod
    def from_ratings(cls, ratings: Ratings, *, level: float = 0.95, ax: Any = None) -> Self:
        """Draw the raters of Ratings."""
        return cls(ratings.severity(level=level)).plot(ax=ax)

    @classmethod
    def from_judgement(cls, judgement: Judgement, *, ax: Any = None) -> Self:
        """Draw the humans of a result of ``oe.judge``."""
        return cls({r.name: r.severity for r in judgement.raters}).plot(ax=ax)

    def title(self) -> str:
        """The title, with the number of raters."""
        n = len(self.names)
        part = f" ({n} of {n + self.hidden} raters)" if self.hidden else ""
        return f"Steps above the other raters{part}"

    def describe(self) -> str:
        """The numbers."""
        shown = "; ".join(f"{n} {_spoken(x, signed)}" for n, x in self.severity.items())
        return f"Steps of each rater above the mean of the others: {shown}."

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.2 + 0.26 * max(len(self.names), 4)

    def _draw(self, ax: Any) -> None:
        ax.axvline(0, color=look.SOFT, linewidth=1)
        for i, x in enumerate(self.severity.values()):
            apart = x.low > 0 or x.high < 0
            colour = look.SOFT if not apart else look.ORANGE if x.estimate < 0 else look.BLUE
            look.estimate(ax, i, (x.estimate, x.low, x.high), colour, sure=apart)
        look.row_names(ax, look.plain_all(self.names))
        ax.set_xlabel("← lower grades      higher grades →")
        look.lines_behind(ax, "x")


def _spoken(x: Interval, show: Any = number) -> str:
    return spoken(x.estimate, x.low, x.high, show)
