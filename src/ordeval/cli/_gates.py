"""Gates: measures that must reach a value, and items that must not be dropped, or exit code 1."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, NamedTuple

import typer

import ordeval as oe
from ordeval._shared.text import plural
from ordeval.cli._errors import complain
from ordeval.cli._measures import read_measure, read_measures
from ordeval.cli._options import option

USUAL = "10%"  # of the items may be dropped where a gate is set


class Gate(NamedTuple):
    """A measure, the end of its interval or "" for its value, and what it must reach.

    What is judged in the direction of a measure, such as a gap in it, has a name of its own.
    """

    metric: oe.Metric
    end: str
    value: float
    called: str = ""

    @property
    def name(self) -> str:
        """What is judged."""
        return self.called or self.metric.name

    @property
    def key(self) -> str:
        """As it is written: cem_ord, or cem_ord.low."""
        return f"{self.name}.{self.end}" if self.end else self.name


class Outcome(NamedTuple):
    """What gates judge: the values of a model, and "accuracy.low" for the end of an interval."""

    name: str
    values: Mapping[str, float]


class Most(NamedTuple):
    """How much may be dropped: a share (a fraction) or a number of items, and how it is written."""

    text: str
    value: Fraction | int

    def allows(self, kept: "Kept") -> bool:
        """Whether no more was dropped."""
        of = kept.items + kept.dropped if isinstance(self.value, Fraction) else 1
        return kept.dropped <= self.value * of


class Kept(NamedTuple):
    """How many items were used and how many dropped, for a model or for all."""

    name: str
    items: int
    dropped: int


@dataclass(frozen=True)
class FailUnder:
    """What must be reached, or the command ends with exit code 1."""

    fail_under: Annotated[
        list[str] | None,
        option(
            "--fail-under",
            metavar="NAME=VALUE",
            help="Exit with code 1 if a model is worse than this by this measure; may be repeated. "
            "NAME.low, or NAME.high where lower is better, is the end of its interval.",
        ),
    ] = None

    def read(self, *, intervals: bool = True) -> "Demands":
        """The same, checked."""
        gates = tuple(_gate(text) for text in self.fail_under or ())
        ends = [gate.key for gate in gates if gate.end]
        if ends and not intervals:
            raise oe.ParameterError(f"{ends[0]} needs intervals, which --no-intervals leaves out.")
        return Demands(gates, None)


@dataclass(frozen=True)
class Gates(FailUnder):
    """The same, and how many items may be dropped."""

    max_dropped: Annotated[
        str | None,
        option(
            "--max-dropped",
            metavar="AMOUNT",
            help="Exit with code 1 if more items are dropped: a share such as 5% or 0.05, or a "
            f"number of items such as 20. {USUAL} if --fail-under is given, else any.",
        ),
    ] = None

    def read(self, *, intervals: bool = True) -> "Demands":
        """The same, checked."""
        gates = super().read(intervals=intervals).gates
        most = self.max_dropped or (USUAL if gates else None)
        return Demands(gates, None if most is None else read_most(most))


@dataclass(frozen=True)
class Demands:
    """The gates of a command, and how many items may be dropped, if not any number."""

    gates: tuple[Gate, ...]
    most: Most | None

    def measures(self, metric: list[str] | None, default: Iterable[str]) -> list[oe.Metric] | None:
        """The measures that were asked for and those of the gates; None if none was asked for."""
        if not metric and not self.gates:
            return None
        asked = read_measures(metric) or map(oe.get_metric, default)
        return list({m.name: m for m in [*asked, *(g.metric for g in self.gates)]}.values())

    def check(self, outcomes: Iterable[Outcome], kept: Iterable[Kept]) -> None:
        """Exit 1 if a model does worse than a gate, or if too many items were dropped."""
        outcomes = list(outcomes)
        failed = [_worse(gate, x) for gate in self.gates for x in outcomes if not _reaches(gate, x)]
        if self.most is not None:
            failed += [_too_many(x, self.most) for x in kept if not self.most.allows(x)]
        for text in failed:
            complain(f"gate failed: {text}")
        if failed:
            raise typer.Exit(1)


def _gate(text: str) -> Gate:
    name, end, value = split_gate(text)
    try:
        number = float(value)
        metric = read_measure(name)
        if not (metric.range[0] <= number <= metric.range[1] and math.isfinite(number)):
            raise ValueError
    except ValueError:
        raise oe.ParameterError(
            f"--fail-under takes metric=value, for example accuracy=0.8 or accuracy.low=0.75, with "
            f"a value that the measure can have; got {text!r}."
        ) from None
    return checked(Gate(metric, end, number))


def split_gate(text: str) -> tuple[str, str, str]:
    """What is judged, the end of its interval or "", and the value, as they are written."""
    name, equals, value = text.rpartition("=")
    if not equals:
        return text, "", ""
    name, bracket, rest = name.strip().rpartition(")")  # 0.5 may stand in brackets
    tail, _, end = rest.partition(".")
    return f"{name}{bracket}{tail}", end, value


def checked(gate: Gate) -> Gate:
    """A gate stands at the worse end of an interval; at the other it would say the opposite."""
    better, name = gate.metric.greater_is_better, gate.name
    if gate.end and better is None:
        raise oe.ParameterError(
            f"--fail-under cannot judge an end of the interval of {name}: closer to 0 is better, "
            f"and either end may be worse. Use {name}=VALUE."
        )
    worse = "low" if better else "high"
    if gate.end not in ("", worse):
        direction = "higher" if better else "lower"
        raise oe.ParameterError(
            f"--fail-under judges the worse end of an interval, and of {name} {direction} is "
            f"better: use {name}.{worse}=VALUE, not {name}.{gate.end}."
        )
    return gate


def _reaches(gate: Gate, outcome: Outcome) -> bool:
    """Whether the value is as good as the gate; one that is undefined is not."""
    value = outcome.values.get(gate.key, math.nan)
    return bool(gate.metric.utility(value) >= gate.metric.utility(gate.value))


def _worse(gate: Gate, outcome: Outcome) -> str:
    value = outcome.values.get(gate.key, math.nan)
    shown = f"{value:.4f}"
    if float(shown) == gate.value:  # a miss by less than is shown
        shown = f"{value!r}"
    has = f"{gate.key} {shown}" if value == value else f"no value of {gate.key}"
    return f"{outcome.name} has {has}; {gate.value:g} or better is required"


def _too_many(kept: Kept, most: Most) -> str:
    of = kept.items + kept.dropped
    whose = f" of {kept.name}" if kept.name else ""
    was = "was" if kept.dropped == 1 else "were"
    return (
        f"{kept.dropped:,} of {plural(of, 'item')}{whose} ({kept.dropped / of:.1%}) {was} dropped; "
        f"--max-dropped allows {most.text}"
    )


def read_most(text: str) -> Most:
    text = text.strip()
    percent = re.fullmatch(r"(\d{1,3}(?:\.\d+)?|\.\d+) ?%", text, re.ASCII)
    if percent and Fraction(percent[1]) <= 100:
        return Most(text, Fraction(percent[1]) / 100)
    if re.fullmatch(r"0?\.\d+", text, re.ASCII):
        return Most(text, Fraction(text))
    if re.fullmatch(r"\d{1,18}", text, re.ASCII):
        return Most(plural(int(text), "item"), int(text))
    raise oe.ParameterError(
        f"--max-dropped takes a share, such as 5% or 0.05, or a whole number of items, such as 20; "
        f"got {text!r}."
    )
