"""The labels of --labels: a list, a range, or a file that holds them."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval.data.levels import MAX_LEVELS

# What people write for the integers from 1 to 5.
_RANGE = re.compile(r"([+-]?\d+) *(?:[-:…‐-―−]|\.{3,}|to) *([+-]?\d+)", re.ASCII)
_DIGITS = 300  # of a label; more are no number on a scale


def read_labels(text: str | list[Any]) -> list[Any]:
    """The labels of --labels; integers if all of them are written so, 1..5 for a range.

    @FILE stands for those of a JSON file, and a list, as a project file has it, for itself.
    """
    if isinstance(text, list):
        return _checked(text, "labels")
    if text.startswith("@"):
        return _from_file(text[1:])
    span = re.fullmatch(r"\s*([+-]?\d+)\.\.([+-]?\d+)\s*", text, re.ASCII)
    if span:
        first, last = _whole(span[1]), _whole(span[2])
        if first > last:
            raise oe.ParameterError(f"--labels must start with the lowest label; got {text!r}.")
        check_number("--labels", last - first + 1)
        return list(range(first, last + 1))
    try:
        parts = [
            p.strip()
            for p in next(
                csv.reader([" ".join(text.splitlines())], strict=True, skipinitialspace=True)
            )
        ]
    except csv.Error as error:
        raise oe.ParameterError(f"--labels could not be read: {error}; got {text!r}.") from None
    if not all(parts):
        raise oe.ParameterError(f"--labels must not hold an empty label; got {text!r}.")
    check_number("--labels", len(parts))
    if len(parts) == 1 and (between := _RANGE.fullmatch(parts[0])):
        raise oe.ParameterError(
            f"--labels {text!r} is one label. Did you mean {between[1]}..{between[2]}, the "
            f"integers from {between[1]} to {between[2]}?"
        )
    # "01" is a label of its own, not the number 1.
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d*)", p, re.ASCII) for p in parts):
        return [_whole(p) for p in parts]
    if all(re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.\d+)?", p, re.ASCII) for p in parts):
        return [float(p) for p in parts]
    return parts


def named_files(text: str | list[Any] | None) -> list[str]:
    """The file that an option such as --labels names as @FILE, if any."""
    return [text[1:]] if isinstance(text, str) and text.startswith("@") else []


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise oe.ParameterError(f"--labels takes numbers of up to {_DIGITS} digits; got {text!r}.")
    return int(text)


def check_number(option: str, labels: int) -> None:
    """Refuse more labels than there is time and memory for."""
    if labels > MAX_LEVELS:
        raise oe.ParameterError(
            f"{option} asks for {labels:,} labels, and at most {MAX_LEVELS:,} are possible: the "
            f"table of counts has a row and a column for each. Merge neighbouring labels."
        )


def _from_file(name: str) -> list[Any]:
    """The labels of a JSON file: a list, or an object whose key "labels" is one."""
    try:
        held = json.loads(Path(name).read_bytes())
    except OSError as error:
        raise oe.ParameterError(
            f"--labels @{name}: the file could not be read: {error.strerror}."
        ) from None
    except (ValueError, RecursionError):  # of a name with a null byte, too
        raise oe.ParameterError(
            f"--labels @{name}: the file is not JSON. It must hold a list of labels, lowest first, "
            f'such as ["low", "high"].'
        ) from None
    if isinstance(held, dict) and "labels" in held:
        held = held["labels"]
    return _checked(held, f"--labels @{name}")


def _checked(given: Any, where: str) -> list[Any]:
    """A list of labels from a file: texts, or numbers."""
    if not isinstance(given, list) or not given:
        raise oe.ParameterError(
            f"{where}: there must be a list of labels, lowest first, such as "
            f'["low", "medium", "high"], or an object whose key "labels" is one.'
        )
    check_number(where, len(given))
    for label in given:
        number = isinstance(label, int | float) and not isinstance(label, bool)
        fine = math.isfinite(label) if isinstance(label, float) else number
        if not fine and not (isinstance(label, str) and label.strip()):
            raise oe.ParameterError(
                f"{where}: labels are texts or numbers, and none is empty; got {label!r}."
            )
    return given
