"""Corrected: values from few human labels and many from a judge, with those of each alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ordeval._shared.result import Concluded, Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import bracketed, joined, number, plural
from ordeval.inference.intervals import Interval
from ordeval.inference.raters.randomness import NOT_RANDOM
from ordeval.results.phrases import estimate_cell, exact_p, grouped, in_words, sentence
from ordeval.results.scores import Scores, classes_of

if TYPE_CHECKING:
    import pandas

_ASSUMED = "This holds if the items with a human label are a random subset of all items."
_NAIVE = "proxy taken for the truth"
_NO_INTERVAL = "it knows nothing of the proxy's errors"


@dataclass(frozen=True, kw_only=True, repr=False)
class Corrected(Concluded, Interval):
    """A value from few human labels, corrected with the labels of a proxy for all items."""

    _kind: ClassVar[str] = "ordeval.corrected"
    _told = ("rows", "conclusion")

    labelled: int  # items with a human label, of all ``items``
    lam: float  # how much of the proxy's correction is taken; 0: the human labels alone
    human: Interval = field(compare=False)  # from the human labels alone
    proxy_as_truth: float = field(compare=False)  # naive: what it would be if the proxy were right
    p_random: float = field(compare=False)  # of the labelled items being a random subset
    uncorrected: str = field(default="", compare=False)  # why there was nothing to correct by

    @property
    def gain(self) -> float:
        """By what share the interval is shorter than that of the human labels alone."""
        width = self.human.high - self.human.low
        return 1 - (self.high - self.low) / width if width > 0 else float("nan")

    @property
    def worth(self) -> float:
        """How many human labels alone would give an interval as short as this one."""
        return self.labelled / (1 - self.gain) ** 2

    def conclusion(self) -> str:
        """What was done, and what it rests on, in words that can be copied."""
        shown = f"{self.metric} is {in_words(self)}"
        if self.uncorrected:
            return f"{shown}: {self.uncorrected}."
        others = self.items - self.labelled
        believed = f"{abs(self.lam):.2f} is believed"
        if self.lam < 0:
            believed += ", the other way round"
        what = "an interval" if self.low == self.low else "no interval"
        done = (
            f"{shown}, {what} from {plural(self.labelled, 'human label')} and from what the proxy "
            f"says of {plural(others, 'item')} more, of which {believed}."
        )
        return " ".join([done, *self._gained(), assumption(self.p_random)])

    def _gained(self) -> Iterator[str]:
        if self.gain != self.gain:
            return
        if self.gain < 0.005:
            yield "The proxy does not make it shorter than the human labels alone do."
        else:
            yield (
                f"It is {self.gain:.0%} shorter than with the human labels alone, as if there "
                f"were {self.worth:,.0f} of them."
            )

    def __str__(self) -> str:
        return self.to_text()

    def rows(self) -> list[dict[str, Any]]:
        """One record."""
        own = {k: v for k, v in vars(self).items() if k not in ("human", "lam", "uncorrected")}
        return [
            {
                **own,
                "lambda": self.lam,
                "gain": self.gain,
                "worth": self.worth,
                **{f"human_{k}": getattr(self.human, k) for k in ("estimate", "low", "high")},
            }
        ]

    def table(self) -> Table:
        """The corrected value, the human labels alone, and the proxy as ground truth."""
        found = {"corrected": self, "human labels alone": self.human}
        shown = [(name, number(x.estimate), bracketed(x.low, x.high)) for name, x in found.items()]
        shown.append((_NAIVE, number(self.proxy_as_truth), _NO_INTERVAL))
        notes = (self.refused,) if self.refused else ()
        rows = tuple(tuple(map(Cell, row)) for row in shown)
        head = (self.metric, "value", f"interval ({self.how})")
        return Table(head, rows, notes=notes, words=head[2:])


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedScores(Scores):
    """Corrected values by name; prints as a table."""

    _kind: ClassVar[str] = "ordeval.corrected_scores"

    # Every interval is a Corrected; ``metrics`` is empty for means and shares of levels.
    intervals: Mapping[str, Corrected] = field(default_factory=dict)
    note: str = ""  # what the numbers are

    def rows(self) -> list[dict[str, Any]]:
        """One record for each value."""
        return [row for interval in self.intervals.values() for row in interval.rows()]

    def table(self) -> Table:
        """One row for each value."""
        head = ("measure", "corrected", "human labels alone", "naive", "shorter by", "worth")
        rows = tuple(
            (
                Cell(name),
                estimate_cell(c),
                estimate_cell(c.human),
                Cell(number(c.proxy_as_truth)),
                Cell(_percent(c.gain)),
                Cell(f"{c.worth:,.0f}" if c.worth == c.worth else "—"),
            )
            for name, c in self.intervals.items()
        )
        return Table(head, rows, self._caption(), tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        found = list(self.intervals.values())
        yield from [self.note] if self.note else []
        yield from self._how()
        yield from dict.fromkeys(f"{c.refused}" for c in found if c.refused)
        reasons = grouped((c.uncorrected, name) for name, c in self.intervals.items())
        for reason, names in reasons.items():
            if reason:
                rows = "" if len(names) == len(found) else f"{joined(names, most=12)}: "
                yield sentence(rows + reason)
        if not all(c.uncorrected for c in found):
            yield "Naive: the proxy taken for the truth, of whose errors it knows nothing."
            yield "Worth: how many human labels alone would give as short an interval."
            yield assumption(found[0].p_random)

    def _caption(self) -> str:
        first = next(iter(self.intervals.values()))
        dropped = f"; dropped: {first.dropped:,}" if first.dropped else ""
        labelled = f"of which {first.labelled:,} have a human label"
        return f"items: {first.items:,}, {labelled}; {classes_of(self.basis.scale)}{dropped}"

    def _facts(self) -> dict[str, Any]:
        """Values, what the proxy was worth, and the matrix of the items with a human label."""
        return {
            "scale": self.basis.scale,
            "matrix": None if self.confusion is None else self.confusion.counts,
            "note": self.note,
            "rows": self.rows(),
            "conclusions": [c.conclusion() for c in self.intervals.values()],
            "advice": self.advice,
        }

    def to_frame(self) -> pandas.DataFrame:
        """One row for each value, indexed by its name, as a pandas DataFrame."""
        return Result.to_frame(self).set_index("metric")


def assumption(p_random: float) -> str:
    """What the correction rests on, and whether that looks wrong."""
    if not p_random < NOT_RANDOM:
        return _ASSUMED
    return (
        f"This holds only if the items with a human label are a random subset of all items, and "
        f"they do not look like one ({exact_p(p_random)}): the value may be biased."
    )


def _percent(gain: float) -> str:
    return "—" if gain != gain else f"{round(100 * gain) + 0:d}%"
