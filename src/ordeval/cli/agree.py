"""ordeval agree, ordeval read"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.answers import AnswerOptions, read_answer_columns
from ordeval.cli.options.gates import FailUnder, Outcome, ends_of
from ordeval.cli.options.option_groups import flag, grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.ratings import RatingColumns, WrittenColumns
from ordeval.cli.options.shared import Level, Measures, Out
from ordeval.data.ratings.tables import by_item, names_of
from ordeval.evaluate._judges import leave_out
from ordeval.evaluate.agreement import USUAL
from ordeval.measures.registry import choose
from ordeval.results.ratings import AnswerRows


@dataclass(frozen=True)
class AgreeGates(FailUnder):
    """What agreement must reach."""

    fail_under: list[str] | None = option(
        "NAME=VALUE",
        "Exit with code 1 if agreement by measure NAME is below VALUE; may be repeated. NAME.low "
        "is the lower end of its interval.",
    )


@app.command(cls=Strict)
@grouped
def agree(
    *,
    columns: RatingColumns,
    metric: Measures = None,
    level: Level = 0.95,
    without: list[str] = option("NAME", "A rater to leave out; may be repeated.", default=[]),
    random_raters: bool = flag("Treat raters as a random sample too, which widens intervals."),
    out: Out,
    gates: AgreeGates,
) -> None:
    """Compute the agreement of several raters, with intervals; ratings may be missing.

    FILE is long (one row per rating: --item, --rater, --rating) or wide (one row per item and
    one column per rater: --item, --rater-col).

    \b
    Examples:
      ordeval agree ratings.csv --item id --rater who --rating grade --labels 1..5
      ordeval agree wide.csv --item id --rater-col anna --rater-col ben --rater-col chloe
      ordeval agree ratings.csv --clusters document --metric krippendorff_alpha
      ordeval agree ratings.csv --fail-under krippendorff_alpha.low=0.67
    """
    columns.check()
    demands = gates.read()
    out.chosen()
    check_files(columns.files, out.output, junit=gates.junit)
    names = demands.measures(metric, USUAL)
    choose(names, USUAL, "ratings")
    with progress() as shown:
        ratings, _ = leave_out(columns.read(shown), without, "raters")
        found = ratings.agreement(names, level=level, random_raters=random_raters)
    show(found, out, quiet=gates.quiet)
    named = "standard input" if columns.file == ["-"] else ", ".join(columns.file)
    demands.check(_outcomes(found, named), [])


def _outcomes(found: oe.results.RatingScores, named: str) -> Iterator[Outcome]:
    """The values and the ends of their intervals."""
    values = dict(found)
    for name, interval in found.intervals.items():
        values |= ends_of(name, interval)
    yield Outcome(named, values)


@app.command(cls=Strict)
@grouped
def read(
    *,
    columns: WrittenColumns,
    column: list[str] = option("COL", "What a judge wrote; may be repeated.", default=[]),
    reading: AnswerOptions,
    out: Out,
) -> None:
    """Read labels from what judges wrote, one row per answer, with the span of text and the reason.

    Answers that cannot be read have no label. `ordeval judge --judges` reads the output, with
    --duplicates runs if a judge answered several times.

    \b
    Examples:
      ordeval read answers.jsonl --item id --column gpt --labels 1..5 -o scores.csv
      ordeval read answers.csv --item query,passage --column gpt --labels 0..3 --half nearest
      ordeval read raw.csv --column gpt --labels poor,fair,good --answer-pattern json:grade
    """
    if columns.scale is None or not column:
        raise oe.ParameterError("ordeval read needs --column COL and --labels LIST.")
    out.chosen()
    check_files(columns.files, out.output)
    with progress() as shown:
        source = columns.source(shown)
        try:
            rows = source.rows(list(dict.fromkeys([*columns.ids, *column]))).in_order()
        except oe.LabelError as error:
            if columns.item or not error.present or "item" in error.present:
                raise
            raise oe.LabelError(f"{error} Name the column of the items with --item.") from None
    rows = by_item(rows, columns.ids, repeated=True)
    if not reading.answer_pattern:
        reading = replace(reading, answer_pattern=["score"])
    found = read_answer_columns({c: rows.listed(c) for c in column}, columns.scale, reading)
    show(AnswerRows(found, names_of(rows, columns.ids), tuple(columns.ids)), out)
