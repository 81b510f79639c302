"""Gates: measures that must reach a value, and items that must not be dropped, or exit code 1."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import typer

import ordeval as oe
from ordeval._shared.text import did_you_mean, nearest, number, plural
from ordeval.cli.options.gate_logs import GateVerdict, Log
from ordeval.cli.options.measures import read_measure, read_measures
from ordeval.cli.options.option_groups import flag, option

USUAL = "10%"  # of the items may be dropped where a gate is set
_GAIN = "delta"  # how much better than the reference, by the first measure
_WHOLE = "whole"  # the place of a gate that all items together must hold, and subgroups need not
_PLACED = re.compile(r"(.+):(\w+(?:\(.*\))?(?:\.\w+)? *=.*)", re.DOTALL)  # north:cem_ord=0.7


class Gate(NamedTuple):
    """A measure, the end of its interval or "" for its value, and what it must reach.

    What is judged in the direction of a measure, such as a gap in it, has a name of its own. A
    gain has no measure: more is better, whatever is measured.
    """

    metric: oe.Metric | None
    end: str
    value: float
    called: str = ""
    place: str = ""  # the subgroup of the gate; default: every one, or the whole

    @property
    def whole(self) -> bool:
        """Whether all items together must hold it."""
        return self.place == _WHOLE

    @property
    def name(self) -> str:
        """What is judged."""
        return self.called or (_GAIN if self.metric is None else self.metric.name)

    @property
    def text(self) -> str:
        """The gate as it is written."""
        return f"{f'{self.place}:' if self.place else ''}{self.key}={self.value:g}"

    def utility(self, value: float) -> float:
        """The value turned so that more is better."""
        return value if self.metric is None else float(self.metric.utility(value))

    @property
    def key(self) -> str:
        """As it is written: cem_ord, or cem_ord.low."""
        return f"{self.name}.{self.end}" if self.end else self.name


class Outcome(NamedTuple):
    """What gates judge: the values of a model, and "accuracy.low" for the end of an interval.

    A pair of a model and the reference has gains, and a model has none; what has no values at all
    fails every gate.
    """

    name: str
    values: Mapping[str, float]
    pair: bool = False
    subgroup: str | None = None

    def meets(self, gate: Gate) -> bool:
        """Whether the gate is about it."""
        if gate.place not in ("", _WHOLE, self.subgroup):
            return False
        return not self.values or self.pair is (gate.metric is None)


def ends_of(name: str, interval: oe.results.Interval) -> dict[str, float]:
    """The ends of an interval, as gates know them."""
    return {f"{name}.low": interval.low, f"{name}.high": interval.high}


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
class FailUnder(Log):
    """What must be reached, or the command ends with exit code 1."""

    fail_under: list[str] | None = option(
        "NAME=VALUE",
        "Exit with code 1 if a model is worse than VALUE; may be repeated. NAME is a measure; "
        "NAME.low (NAME.high if lower is better) is the end of its interval; delta and delta.low "
        "are the gain over --reference. With --by, every subgroup must pass; north:NAME=VALUE "
        "names one, whole:NAME=VALUE all items.",
    )
    show_gates: bool = flag("Also print the gates that passed, to standard error.")

    def read(
        self, *, intervals: bool = True, reference: str | None = None, by: list[str] | None = None
    ) -> "Demands":
        """Return the options after checking them."""
        gates = tuple(_gate(text) for text in self.fail_under or ())
        for gate in gates:
            if gate.place and not gate.whole and not by:
                raise oe.ParameterError(
                    f"--fail-under {gate.text} is for subgroup {gate.place!r}: add --by COL."
                )
        ends = [gate.key for gate in gates if gate.end]
        if ends and not intervals:
            raise oe.ParameterError(f"{ends[0]} needs intervals: remove --no-intervals.")
        gains = [gate.key for gate in gates if gate.metric is None]
        if gains and reference is None:
            raise oe.ParameterError(
                f"--fail-under {gains[0]} is the gain over a reference model: use `ordeval "
                "compare --reference MODEL`."
            )
        return self.demands_of(gates, None)

    def demands_of(self, gates: tuple[Gate, ...], most: "Most | None") -> "Demands":
        """The gates, and where their verdicts go."""
        self.check()
        if not gates and most is None:
            for flag, given in (("--junit", self.junit), ("--quiet", self.quiet)):
                if given:
                    raise oe.ParameterError(f"{flag} needs a gate: add --fail-under.")
        return Demands(gates, most, Log(self.ci, self.junit, self.quiet), held=self.show_gates)


@dataclass(frozen=True)
class Gates(FailUnder):
    """Gates, and the limit of dropped items."""

    max_dropped: str | None = option(
        "AMOUNT",
        "Exit with code 1 if more items were dropped: a share such as 5%, or a number such as "
        f"20. Default with any gate: {USUAL}.",
    )

    def read(
        self, *, intervals: bool = True, reference: str | None = None, by: list[str] | None = None
    ) -> "Demands":
        """Return the options after checking them."""
        plain = FailUnder(fail_under=self.fail_under)
        gates = plain.read(intervals=intervals, reference=reference, by=by).gates
        most = self.max_dropped or (USUAL if gates else None)
        return self.demands_of(gates, None if most is None else read_most(most))


@dataclass(frozen=True)
class Demands:
    """The gates of a command, and how many items may be dropped, if not any number."""

    gates: tuple[Gate, ...]
    most: Most | None
    log: Log = field(default_factory=Log)
    held: bool = False  # whether gates that held are told, too

    @property
    def whole(self) -> bool:
        """Whether a gate is about all items together."""
        return any(gate.whole for gate in self.gates)

    def measures(
        self, metric: list[str] | None, default: Iterable[str | oe.Metric]
    ) -> list[oe.Metric] | None:
        """The measures that were asked for and those of the gates; None if none was asked for."""
        judged = [gate.metric for gate in self.gates if gate.metric is not None]
        if not metric and not judged:
            return None
        asked = read_measures(metric) or map(oe.get_metric, default)
        return list({m.name: m for m in [*asked, *judged]}.values())

    def refuse_ambiguous(self, outcomes: Iterable[Outcome]) -> None:
        """Refuse a gate of all items if a subgroup has the name of this gate."""
        if self.whole and any(x.subgroup == _WHOLE for x in outcomes):
            raise oe.ParameterError(
                f"--fail-under {_WHOLE}:NAME=VALUE means all items, but a subgroup is also "
                f"called {_WHOLE!r}. Rename the subgroup."
            )

    def check(
        self,
        outcomes: Iterable[Outcome],
        kept: Iterable[Kept],
        whole: Iterable[Outcome] | None = None,
    ) -> None:
        """Exit 1 if a model does worse than a gate, or if too many items were dropped.

        Gates of all items together judge ``whole``, if the others judge subgroups.
        """
        parts = list(outcomes)
        together = parts if whole is None else list(whole)
        verdicts: list[GateVerdict] = []
        for gate in self.gates:
            met = [x for x in (together if gate.whole else parts) if x.meets(gate)]
            verdicts += [_verdict(gate, x) for x in met] or [_nothing(gate, parts)]
        if self.most is not None:
            verdicts += [_dropped(x, self.most) for x in kept]
        self.log.put(verdicts, held=self.held)
        if not all(verdict.held for verdict in verdicts):
            raise typer.Exit(1)


def _gate(text: str) -> Gate:
    placed = _PLACED.fullmatch(text)
    place, rest = ("", text) if placed is None else (placed[1].strip(), placed[2])
    name, end, value = split_gate(rest)
    metric = None if name == _GAIN or not value else read_measure(name)
    try:
        number = float(value)
        low, high = (-math.inf, math.inf) if metric is None else metric.range
        if not (low <= number <= high and math.isfinite(number)):
            raise ValueError
    except ValueError:
        raise oe.ParameterError(
            f"--fail-under takes metric=value, for example accuracy=0.8 or accuracy.low=0.75, with "
            f"a value that the measure can have; got {text!r}."
        ) from None
    return checked(Gate(metric, end, number, place=place))


def split_gate(text: str) -> tuple[str, str, str]:
    """What is judged, the end of its interval or "", and the value, as they are written."""
    name, equals, value = text.rpartition("=")
    if not equals:
        return text, "", ""
    name, bracket, rest = name.strip().rpartition(")")  # 0.5 may stand in brackets
    tail, _, end = rest.partition(".")
    return f"{name}{bracket}{tail}", end, value


def checked(gate: Gate) -> Gate:
    """A gate uses the worse end of an interval; the other end would mean the opposite."""
    better = True if gate.metric is None else gate.metric.greater_is_better
    name = gate.name
    if gate.end and better is None:
        raise oe.ParameterError(
            f"--fail-under cannot use an end of the interval of {name}, because closer to "
            f"0 is better. Use {name}=VALUE."
        )
    worse = "low" if better else "high"
    if gate.end not in ("", worse):
        direction = "higher" if better else "lower"
        raise oe.ParameterError(
            f"--fail-under uses the worse end of an interval; for {name}, {direction} is "
            f"better: use {name}.{worse}=VALUE, not {name}.{gate.end}."
        )
    return gate


def _verdict(gate: Gate, outcome: Outcome) -> GateVerdict:
    """Whether the value is as good as the gate; one that is undefined is not."""
    value = outcome.values.get(gate.key, math.nan)
    shown = f"{value:.4f}"
    if float(shown) == gate.value != value:  # a difference by less than is shown
        shown = f"{value!r}"
    shown = shown if math.isfinite(value) else number(value)
    has = f"{gate.key} {shown}" if value == value else f"no value of {gate.key}"
    text = f"{outcome.name} has {has}; {gate.value:g} or better is required"
    held = bool(gate.utility(value) >= gate.utility(gate.value))
    return GateVerdict(gate.text, outcome.name, text, held)


def _nothing(gate: Gate, outcomes: Iterable[Outcome]) -> GateVerdict:
    """A gate that nothing meets fails: the subgroup that it names may be gone, or misspelt."""
    known = dict.fromkeys(x.subgroup for x in outcomes if x.subgroup is not None)
    if not gate.place or gate.whole:
        return _verdict(gate, Outcome("nothing", {}))
    hint = did_you_mean(nearest(gate.place, known))
    text = (
        f"subgroup {gate.place!r} is not in the data ({gate.key} of {gate.value:g} or "
        "better required)"
    )
    return GateVerdict(gate.text, gate.place, f"{text}.{hint}" if hint else text, held=False)


def _dropped(kept: Kept, most: Most) -> GateVerdict:
    of = kept.items + kept.dropped
    whose = f" of {kept.name}" if kept.name else ""
    was = "was" if kept.dropped == 1 else "were"
    share = kept.dropped / of if of else 0.0
    text = (
        f"{kept.dropped:,} of {plural(of, 'item')}{whose} ({share:.1%}) {was} dropped; "
        f"--max-dropped allows {most.text}"
    )
    return GateVerdict(
        f"max_dropped={most.text}", kept.name or "all models", text, most.allows(kept)
    )


def read_most(text: str) -> Most:
    """The bound that a gate names: a number of items, or a percentage."""
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
