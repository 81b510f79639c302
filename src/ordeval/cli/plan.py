"""ordeval plan"""

from dataclasses import dataclass
from typing import Any, ClassVar

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.labels import check_number
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.option_groups import absent, flag, grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import Level, Out, metric_names
from ordeval.cli.score import read_matrix
from ordeval.evaluate.plan import StudyTarget
from ordeval.inference.study_design import planned_measure


@dataclass(frozen=True)
class Pilot(JoinedColumns):
    """Pilot data, or a matrix, that say what is expected."""

    given_by: ClassVar[tuple[str, ...]] = ("--pred", "--prob")

    file: list[str] = option(
        "FILE",
        "Pilot data, or with --confusion a matrix; may be repeated.",
        "--from",
        default=[],
    )
    confusion: bool = flag(
        "The pilot file is a confusion matrix of counts or shares, one row per true class."
    )
    score: list[str] | None = absent(None)
    clusters: list[str] | None = option(
        "COL",
        "Column of clusters; the plan uses their size and intraclass correlation. May be "
        "repeated, outermost first.",
    )
    proxy: list[str] = option(
        "COL",
        "Labels of a judge for all items, if --truth is empty where no human labelled; may be "
        "repeated. The plan is then the number of human labels.",
        default=[],
    )


@dataclass(frozen=True)
class ExpectedInWords:
    """The expected result in words."""

    accuracy: list[float] = option(
        "SHARE",
        "Expected accuracy, without a pilot file; pass it twice to compare two models.",
        default=[],
    )
    spread: str | None = option(
        "WORD",
        "Spread of the errors: near (default), wide, or the ratio (0 to 1) of errors one "
        "step further to errors one step nearer.",
    )
    k: int | None = option("N", "Number of classes, if --labels is not given.")
    class_shares: str | None = option("LIST", "Share of each class, such as 0.6,0.3,0.1.")
    overlap: float | None = option(
        "SHARE", "Overlap of the errors of two models, from 0 (default) to 1."
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
class Targets:
    """The target of the study and its design."""

    half_width: float | None = option("W", "Target half-width of the interval.")
    power: float | None = option("P", "Target power of the paired test of two models.")
    margin: float | None = option(
        "X", "With --power: margin of a non-inferiority test of the first model."
    )
    level: Level = 0.95
    cluster_size: str | None = option(
        "N", "Items per cluster; MEAN,CV if sizes differ (CV: coefficient of variation)."
    )
    icc: float | None = option("R", "Intraclass correlation of the items of a cluster.")
    sizes: list[int] | None = option(
        "N", "Show the precision or power of a study of N items; may be repeated.", "--items"
    )

    def options(self) -> dict[str, Any]:
        """Return the checked options as arguments of plan."""
        size = _numbers(self.cluster_size)
        one = size[0] if size and len(size) == 1 else size
        options = {**vars(self), "sizes": self.sizes or None, "cluster_size": one}
        StudyTarget(**options)
        return options


@app.command(cls=Strict)
@grouped
def plan(
    *,
    pilot: Pilot,
    metric: str = option("NAME", "Measure.", default="", words=metric_names),
    words: ExpectedInWords,
    targets: Targets,
    out: Out,
) -> None:
    """Compute how many items a study needs, for a target precision or power.

    State the expected result by pilot data (--from FILE --truth COL --pred COL), a matrix
    (--from FILE --confusion) or an expected accuracy (--accuracy).

    \b
    Examples:
      ordeval plan --metric cem_ord --from pilot.csv --truth y --pred a --half-width 0.03
      ordeval plan --metric cem_ord --from pilot.csv --truth y --pred a --pred b --power 0.8
      ordeval plan --metric cem_ord --from p.csv --truth y --pred a --proxy gpt --half-width 0.03
      ordeval plan --metric weighted_kappa --accuracy 0.7 --labels 1..5 --half-width 0.05
      ordeval plan --metric accuracy --accuracy 0.8 --accuracy 0.8 --k 3 --power 0.9 --margin 0.05
    """
    if not metric:
        raise oe.ParameterError("Missing --metric NAME.")
    chosen = planned_measure(read_measure(metric), decided=bool(pilot.prob))
    options = targets.options()
    out.chosen()
    check_files(pilot.files, out.output)
    if bool(pilot.file) == words.given():
        raise oe.ParameterError(
            "Pass exactly one of --from FILE and --accuracy (such as --accuracy 0.7 --k 5)."
        )
    if not pilot.file:
        _refuse_columns(pilot, "Without --from there are no columns to read")
        show(oe.plan(chosen, labels=pilot.scale, **words.options(), **options), out)
        return
    if pilot.confusion:
        _refuse_columns(pilot, "--confusion reads a matrix, not columns")
        cm = read_matrix(pilot.of_matrix(), pilot.scale, shares=True)
        show(oe.plan(chosen, cm, **options), out)
        return
    pilot.need()
    with progress() as shown:
        data = pilot.predictions(
            shown,
            decide=pilot.rule(None),
            clusters=pilot.clusters,
            partial={"proxy": pilot.proxy or None},
        )
        found = oe.plan(chosen, data, **options)
    show(found, out)


def _refuse_columns(pilot: Pilot, why: str) -> None:
    if pilot.named or pilot.clusters or pilot.proxy:
        raise oe.ParameterError(
            f"{why}; leave out --truth, --pred, --clusters, --proxy and the like."
        )


def _number(text: str | None) -> Any:
    """A number if it is written as one; the library says what else it may be."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _numbers(text: str | None) -> list[Any] | None:
    return None if text is None else [_number(x.strip()) for x in text.split(",")]
