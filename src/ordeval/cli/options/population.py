"""The options of the population that is meant: target shares, tasks, and partial truth."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval.cli.options.option_groups import option

_HOW = "NAME=SHARE,..., or @FILE, a JSON object or a CSV of names and numbers"


@dataclass(frozen=True)
class Target:
    """Shares that classes or subgroups have in the target population."""

    prevalence: str | None = option(
        "SHARES",
        "Shares of the true classes in the target population, or counts of a registry: "
        f"{_HOW}; or a list in the order of --labels.",
    )
    mix: str | None = option(
        "SHARES",
        f"Shares of the subgroups of --by in the target population: {_HOW}. The result is for "
        "all of them together.",
    )

    @property
    def target(self) -> dict[str, Any]:
        """The population, as arguments of score, compare and thresholds."""
        given = {"prevalence": self.prevalence, "mix": self.mix}
        return {name: read_shares(text, name) for name, text in given.items() if text is not None}

    @property
    def target_files(self) -> list[str]:
        """The files that shares are read from."""
        given = (text for text in vars(self).values() if isinstance(text, str))
        return [text[1:] for text in given if text.startswith("@")]


@dataclass(frozen=True)
class Averaged(Target):
    """Target shares, or an average over tasks."""

    over: str | None = option(
        "COL", "Column of tasks: average every measure over them, all of equal weight."
    )
    task_weights: str | None = option("WEIGHTS", f"Weights of the tasks of --over: {_HOW}.")

    @property
    def target(self) -> dict[str, Any]:
        """The population, as arguments of score and compare."""
        if self.over is None and self.task_weights is not None:
            raise oe.ParameterError("--task-weights needs --over.")
        weights = self.task_weights and read_shares(self.task_weights, "task-weights")
        over = {self.over: weights} if weights else self.over
        return {**super().target, **({"over": over} if self.over is not None else {})}

    def subgroups(self, by: list[str] | None) -> list[str] | None:
        """The columns of subgroups, among them that of the tasks."""
        return by or ([self.over] if self.over is not None else None)


@dataclass(frozen=True)
class Partial:
    """Labels that all items have, where humans labelled only some."""

    proxy: list[str] = option(
        "COL",
        "Labels of a judge for all items, if --truth is empty where no human labelled; may be "
        "repeated.",
        default=[],
    )
    inclusion: list[str] = option(
        "COL",
        "Column of the probability with which an item was chosen for a human label, or columns "
        "of --by within which items were chosen at random; may be repeated. Default: all items "
        "alike.",
        default=[],
    )

    @property
    def partial(self) -> dict[str, Any]:
        """Partial truth, as arguments of ``Predictions.from_file``."""
        return {"proxy": self.proxy or None, "inclusion": self.inclusion or None}


def read_shares(text: str, name: str) -> Any:
    """Numbers by name, or in order: of a list, or of a file."""
    if text.startswith("@"):
        return _from_file(Path(text[1:]), name)
    try:
        (parts,) = csv.reader([text], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError):
        raise _unreadable(name, text) from None
    pairs = [part.rpartition("=") for part in parts]
    if all(equals for _, equals, _ in pairs):
        return _by_name([(label, number) for label, _, number in pairs], name, text)
    if any(equals for _, equals, _ in pairs):
        raise _unreadable(name, text)
    return [_number(part, name, text) for part in parts]


def _from_file(path: Path, name: str) -> Any:
    """The numbers of a JSON file, or of a CSV of two columns, with or without a head."""
    try:
        held = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise oe.ParameterError(f"--{name} @{path}: the file could not be read: {why}.") from None
    if path.suffix.lower() == ".json":
        try:
            given = json.loads(held)
        except (ValueError, RecursionError):
            raise _unreadable(name, f"@{path}") from None
        if not isinstance(given, (dict, list)):
            raise _unreadable(name, f"@{path}")
        return given
    rows = [row for row in csv.reader(held.splitlines()) if row]
    if any(len(row) != 2 for row in rows):
        raise _unreadable(name, f"@{path}")
    if rows and not _is_number(rows[0][1]):
        rows = rows[1:]
    return _by_name(rows, name, f"@{path}")


def _by_name(pairs: Any, name: str, text: str) -> dict[str, float]:
    found = {label.strip(): _number(number, name, text) for label, number in pairs}
    if not found or len(found) < len(pairs):
        raise _unreadable(name, text)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str, name: str, given: str) -> float:
    if not _is_number(text):
        raise _unreadable(name, given)
    return float(text)


def _unreadable(name: str, text: str) -> oe.ParameterError:
    return oe.ParameterError(
        f"--{name} takes a number for each name, each once, such as low=0.7,high=0.3, or @FILE, a "
        f"JSON object or a CSV of names and numbers; got {text!r}."
    )
