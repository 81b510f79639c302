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
    try:
        return _read(text)
    except OSError as error:
        raise oe.ParameterError(
            f"--{name} {text}: the file could not be read: {error.strerror}."
        ) from None
    except (csv.Error, ValueError, RecursionError):
        raise oe.ParameterError(
            f"--{name} takes a number for each name, each once, such as low=0.7,high=0.3, or "
            f"@FILE, a JSON object or a CSV of names and numbers; got {text!r}."
        ) from None


def _read(text: str) -> Any:
    """What a text holds, or a JSON file, or a CSV of two columns, with or without a head."""
    if text.startswith("@"):
        held = Path(text[1:]).read_text("utf-8-sig")
        if text.lower().endswith(".json"):
            return json.loads(held)
        rows = [row for row in csv.reader(held.splitlines()) if row]
        rows = rows[bool(rows[0][-1].strip("0123456789.eE+- ")) :] if rows else []
    else:
        (parts,) = csv.reader([text], strict=True, skipinitialspace=True)
        if "=" not in text:
            return [float(part) for part in parts]
        rows = [list(part.rpartition("=")[::2]) for part in parts]
    found = {label.strip(): float(number) for label, number in rows}
    if "" in found or len(found) < len(rows):
        raise ValueError
    return found
