"""From what is typed to what the library takes."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

import ordeval as oe


def need(truth: str, pred: list[str]) -> None:
    """Refuse to go on without columns."""
    if not truth or not pred:
        raise oe.LabelError("name the columns: --truth COLUMN --pred COLUMN.")


def labels(text: str | None) -> list[Any] | None:
    """The labels of --labels; integers if all of them are written so."""
    if text is None:
        return None
    parts = [p.strip() for p in next(csv.reader([text.replace("\n", " ")], skipinitialspace=True))]
    if not all(parts):
        raise oe.ParameterError(f"--labels must not hold an empty label; got {text!r}.")
    # "01" is a label of its own, not the number 1.
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d*)", p) for p in parts):
        return [int(p) for p in parts]
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.\d+)?", p) for p in parts):
        return [float(p) for p in parts]
    return parts


def policies(drop_missing: bool, drop_unknown: bool) -> dict[str, Any]:
    """What happens to labels that do not fit."""
    return {
        "missing": "drop" if drop_missing else "raise",
        "unknown": "drop" if drop_unknown else "raise",
    }


def wanted(
    metric: list[str] | None, default: Iterable[str], asked: Iterable[tuple[str, float]]
) -> list[str]:
    """The measures that were asked for, and those of the gates."""
    return list(dict.fromkeys([*(metric or default), *(name for name, _ in asked)]))


def read_matrix(file: str, levels: str | None) -> oe.ConfusionMatrix:
    """A matrix as rows of numbers, separated by commas, tabs or spaces; or ; between rows."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise oe.CountsError(f"{file!r} could not be read: {why}.") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [part for part in lines[0].split(";") if part.strip()]
    rows = [_fields(line) for line in lines]
    try:
        counts = [[float(x) if re.search("[.eE]", x) else int(x) for x in row] for row in rows]
    except ValueError as error:
        raise oe.CountsError(
            f"{file!r} must hold rows of numbers only, without headings: {error}."
        ) from None
    return oe.ConfusionMatrix(counts, labels(levels))


def _fields(line: str) -> list[str]:
    """The numbers of a line, between commas or semicolons if it has them, else between spaces."""
    separator = next((s for s in ",;" if s in line), None)
    return [x.strip() for x in line.split(separator)]


def gates(texts: list[str] | None) -> list[tuple[str, float]]:
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


def check(
    asked: Iterable[tuple[str, float]], values: Iterable[tuple[str, Mapping[str, float]]]
) -> None:
    """Exit 1 if a model does worse than a gate, in the direction of its measure."""
    failed = False
    for name, gate in asked:
        metric = oe.get_metric(name)
        for model, by in values:
            if not metric.utility(by[name]) >= metric.utility(gate):
                print(
                    f"gate failed: {model} has {name} {by[name]:.4f}, not {gate:g} or better",
                    file=sys.stderr,
                )
                failed = True
    if failed:
        raise typer.Exit(1)
