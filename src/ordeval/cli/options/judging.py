"""The options of judges: where their answers are, and how they are judged."""

from dataclasses import dataclass
from typing import Any

import ordeval as oe
from ordeval.cli.options.option_groups import option
from ordeval.cli.options.shared import By, Level, metric_names


@dataclass(frozen=True)
class Judges:
    """Where the answers of judges are."""

    judges: str | None = option(
        "FILE",
        "File of the judges' answers: --item and one column per judge, or long like FILE. Default: "
        "judges are raters in FILE.",
    )
    judge: list[str] = option(
        "NAME", "A judge; may be repeated. Default: all other columns of --judges.", default=[]
    )

    before: str | None = option(
        "FILE", "Earlier answers of the judges, in a file like --judges, to measure drift."
    )

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.judges is None and not self.judge:
            raise oe.LabelError(
                "Missing --judges FILE (judges in a file of their own) or --judge NAME (a rater in "
                "FILE that is a judge)."
            )


@dataclass(frozen=True)
class Judging:
    """How judges are judged."""

    by: By = None
    without: list[str] = option("NAME", "A human to leave out; may be repeated.", default=[])
    metric: str = option(
        "NAME",
        "Measure of agreement between two raters.",
        default="weighted_kappa",
        words=metric_names,
    )
    margin: float | None = option(
        "X",
        "Non-inferiority margin: how much lower a judge's agreement with humans may be than that "
        "among humans.",
    )
    plan_power: float | None = option(
        "P",
        "Instead of the result, show how many items a study needs to find one judge non-inferior "
        "by --margin, with this power.",
    )
    epsilon: float = option(
        "X", "Alt-test: advantage of a human at which a judge still replaces them.", default=0.2
    )
    scoring: str = option("NAME", "Alt-test: rmse or accuracy.", default="rmse")
    min_items: int = option("N", "Alt-test: least number of items of a human.", default=30)
    systems: str | None = option(
        "COL",
        "Column of FILE with the system that produced an item, to compare rankings of systems.",
    )
    reference: str | None = option(
        "NAME", "Compare every other judge with this one (default: all pairs)."
    )
    covariate: list[str] = option(
        "COL",
        "Column of FILE that may move judges besides the grade, such as a length, a position or a "
        "language; may be repeated.",
        default=[],
    )
    level: Level = 0.95

    def options(self) -> dict[str, Any]:
        """Return the options as arguments of judge."""
        names = ("margin", "epsilon", "scoring", "min_items", "without", "reference", "level")
        return {name: getattr(self, name) for name in names}
