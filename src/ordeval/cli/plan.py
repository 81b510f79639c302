"""ordeval plan"""

from dataclasses import dataclass
from typing import Any

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.joins import JoinedLabels
from ordeval.cli.options.labels import check_number
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.option_groups import flag, grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import Level, Out, metric_names
from ordeval.cli.score import read_matrix
from ordeval.evaluate.plan import Wish
from ordeval.measures.registry import choose


@dataclass(frozen=True)
class Pilot(JoinedLabels):
    """Pilot data, or a matrix, that say what is expected."""

    file: list[str] = option(
        "FILE",
        "Pilot data, or with --confusion a matrix; may be repeated: files of one table.",
        "--from",
        default=[],
    )
    confusion: bool = flag(
        "The file is a confusion matrix of counts or shares, one row per true class."
    )
    clusters: list[str] | None = option(
        "COL",
        "Column of clusters, whose size and likeness the plan takes over; may be "
        "repeated, outermost first.",
    )


@dataclass(frozen=True)
class ExpectedInWords:
    """What is expected, in words."""

    accuracy: list[float] = option(
        "SHARE",
        "Without a file: how often the model is right; twice to compare two models.",
        default=[],
    )
    spread: str | None = option(
        "WORD",
        "How far errors go: near (the default), wide, or a ratio from 0 to 1 by which "
        "they become rarer with every further step.",
    )
    k: int | None = option("N", "Number of classes, if --labels is not given.")
    class_shares: str | None = option("LIST", "Share of each class, such as 0.6,0.3,0.1.")
    overlap: float | None = option(
        "SHARE", "How far the errors of two models fall together, from 0 (the default) to 1."
    )

    def given(self) -> bool:
        """Whether anything was said."""
        said = (self.accuracy or None, self.spread, self.k, self.class_shares, self.overlap)
        return any(x is not None for x in said)

    def options(self) -> dict[str, Any]:
        """Return the options as arguments of plan."""
        check_number("--k", self.k or 0)
        return {
            "accuracy": self.accuracy,
            "spread": _number(self.spread),
            "k": self.k,
            "class_shares": _numbers(self.class_shares),
            "overlap": self.overlap,
        }


@dataclass(frozen=True)
class Wishes:
    """The target of the study and its design."""

    half_width: float | None = option("W", "Half-width that the interval shall have.")
    power: float | None = option("P", "Power that the paired test of two models shall have.")
    margin: float | None = option(
        "X", "With --power: show that the first model is at most so much worse."
    )
    level: Level = 0.95
    cluster_size: float | None = option("N", "Items in a cluster.")
    icc: float | None = option("R", "How strongly the items of a cluster correlate.")
    sizes: list[int] | None = option(
        "N", "Show what a study of N items would give; may be repeated.", "--items"
    )

    def options(self) -> dict[str, Any]:
        """Return the checked options as arguments of plan."""
        options = {**vars(self), "sizes": self.sizes or None}
        Wish(**options)
        return options


@app.command(cls=Strict)
@grouped
def plan(
    *,
    pilot: Pilot,
    metric: str = option("NAME", "Measure.", default="", words=metric_names),
    words: ExpectedInWords,
    wishes: Wishes,
    out: Out,
) -> None:
    """Say how many items a study needs: for a narrow interval, or for a test with power.

    What is expected comes from pilot data (--from FILE --truth COL --pred COL), from a matrix
    (--from FILE --confusion), or from words (--accuracy).

    \b
    Examples:
      ordeval plan --metric cem_ord --from pilot.csv --truth y --pred a --half-width 0.03
      ordeval plan --metric cem_ord --from pilot.csv --truth y --pred a --pred b --power 0.8
      ordeval plan --metric weighted_kappa --accuracy 0.7 --labels 1..5 --half-width 0.05
      ordeval plan --metric accuracy --accuracy 0.8 --accuracy 0.8 --k 3 --power 0.9 --margin 0.05
    """
    if not metric:
        raise oe.ParameterError("name the measure: --metric NAME.")
    (chosen,) = choose([read_measure(metric)])
    options = wishes.options()
    out.chosen()
    check_files(pilot.files, out.output)
    if bool(pilot.file) == words.given():
        raise oe.ParameterError(
            "say in one way what is expected: --from FILE, or words, such as --accuracy 0.7 --k 5."
        )
    if not pilot.file:
        _refuse_columns(pilot, "without --from there are no columns to read")
        show(oe.plan(chosen, labels=pilot.scale, **words.options(), **options), out)
        return
    if pilot.confusion:
        _refuse_columns(pilot, "with --confusion the file holds a matrix, not columns")
        cm = read_matrix(pilot.of_matrix(), pilot.scale, shares=True)
        show(oe.plan(chosen, cm, **options), out)
        return
    pilot.need()
    with progress() as shown:
        data = pilot.predictions(shown, clusters=pilot.clusters)
        found = oe.plan(chosen, data, **options)
    show(found, out)


def _refuse_columns(pilot: Pilot, why: str) -> None:
    if pilot.named or pilot.clusters:
        raise oe.ParameterError(f"{why}; leave out --truth, --pred, --clusters and the like.")


def _number(text: str | None) -> Any:
    """A number if it is written as one; the library says what else it may be."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _numbers(text: str | None) -> list[Any] | None:
    return None if text is None else [_number(x.strip()) for x in text.split(",")]
