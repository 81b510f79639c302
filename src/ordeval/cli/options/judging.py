"""The options of judges: where their answers are, and how they are judged."""

from dataclasses import dataclass
from typing import Any

import ordeval as oe
from ordeval.cli.options.option_groups import option
from ordeval.cli.options.shared import SEED, By, Level, check_seed, metric_names


@dataclass(frozen=True)
class Judges:
    """Where the answers of judges are."""

    judges: str | None = option(
        "FILE",
        "File of the judges' answers: --item and a column per judge, or long like FILE. Without "
        "it, judges are among the raters of FILE.",
    )
    judge: list[str] = option(
        "NAME", "A judge; may be repeated. All other columns of --judges unless told.", default=[]
    )

    before: str | None = option(
        "FILE", "File of earlier answers of the judges, like --judges: how far did they drift?"
    )

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.judges is None and not self.judge:
            raise oe.LabelError(
                "name the judges: --judges FILE for answers in a file of their own, or --judge "
                "NAME for each rater of FILE that is a judge."
            )


@dataclass(frozen=True)
class Judging:
    """How judges are judged."""

    by: By = None
    without: list[str] = option("NAME", "A human who is left out; may be repeated.", default=[])
    metric: str = option(
        "NAME",
        "Measure of agreement between two raters.",
        default="weighted_kappa",
        words=metric_names,
    )
    margin: float | None = option(
        "X",
        "How much less than humans with each other a judge may agree with them and still count as "
        "non-inferior.",
    )
    epsilon: float = option(
        "X", "Of the alt-test: how much better a human may be and still be replaced.", default=0.2
    )
    scoring: str = option("NAME", "Of the alt-test: rmse or accuracy.", default="rmse")
    min_items: int = option("N", "Of the alt-test: items that a human must have.", default=30)
    systems: str | None = option(
        "COL",
        "Column of FILE with the system that an item is the output of: are systems ranked as "
        "humans rank them?",
    )
    reference: str | None = option(
        "NAME", "A judge with which the others are compared (default: all pairs of judges)."
    )
    level: Level = 0.95
    seed: int | None = option("N", SEED, callback=check_seed)

    def options(self) -> dict[str, Any]:
        """Return the options as arguments of judge."""
        names = ("margin", "epsilon", "scoring", "min_items", "without", "reference", "level")
        return {**{name: getattr(self, name) for name in names}, "rng": self.seed}
