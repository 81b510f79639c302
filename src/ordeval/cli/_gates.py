"""Gates: measures that must reach a value, or the command fails."""

import sys
from collections.abc import Iterable, Mapping

import typer

import ordeval as oe

Gates = list[tuple[str, float]]


def read_gates(texts: list[str] | None) -> Gates:
    """What --fail-under asks for: measures and their gates."""
    found = []
    for text in texts or []:
        name, _, value = text.partition("=")
        try:
            gate = float(value)
            metric = oe.get_metric(name.strip())
            if not metric.range[0] <= gate <= metric.range[1]:
                raise ValueError
            found.append((metric.name, gate))
        except ValueError:
            raise oe.ParameterError(
                f"--fail-under takes metric=value, for example accuracy=0.8, with a value that "
                f"the measure can have; got {text!r}."
            ) from None
    return found


def check(gates: Gates, values: Iterable[tuple[str, Mapping[str, float]]]) -> None:
    """Exit 1 if a model does worse than a gate, in the direction of its measure."""
    failed = False
    for name, gate in gates:
        metric = oe.get_metric(name)
        for model, by in values:
            if not metric.utility(by[name]) >= metric.utility(gate):
                value = f"{name} {by[name]:.4f}" if by[name] == by[name] else f"no value of {name}"
                print(
                    f"gate failed: {model} has {value}; {gate:g} or better is required",
                    file=sys.stderr,
                )
                failed = True
    if failed:
        raise typer.Exit(1)


def wanted(metric: list[str] | None, default: Iterable[str], gates: Gates) -> list[str] | None:
    """The measures that were asked for and those of the gates; None if nothing was asked for."""
    if not metric and not gates:
        return None
    return list(dict.fromkeys([*(metric or default), *(name for name, _ in gates)]))
