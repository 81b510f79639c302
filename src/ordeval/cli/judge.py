"""ordeval judge"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import ordeval as oe
from ordeval._shared.numbers import is_number
from ordeval._shared.text import joined, plural
from ordeval._shared.types import Progress
from ordeval.cli._app import app
from ordeval.cli._output import check_files, command, progress, put_file, show
from ordeval.cli.options.answers import AnswerOptions, read_answer_columns
from ordeval.cli.options.gates import (
    USUAL,
    Demands,
    Gate,
    Gates,
    Kept,
    Outcome,
    checked,
    ends_of,
    read_most,
    split_gate,
)
from ordeval.cli.options.judging import Judges, Judging
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.ratings import RatingColumns
from ordeval.cli.options.shared import (
    ENDINGS,
    BriefOut,
    Details,
    ending,
    need_for_documents,
)
from ordeval.data.columns import is_missing
from ordeval.data.ratings.tables import by_item, names_of
from ordeval.data.sources.files import FileSource
from ordeval.measures.registry import choose

_WITH_ENDS: Final = ("agreement", "gap", "change")  # in the direction of the measure
_PAGES: Final = {".html": "to_html", ".htm": "to_html", ".docx": "to_docx"}
# What gates judge besides agreement and gap, in the direction of which measure.
_DIRECTIONS: Final = {
    "winning_rate": "accuracy",
    "advantage": "accuracy",
    "bias": "mean_signed_error",
    "shift": "mean_signed_error",
    "unreadable": "mean_absolute_error",
}


@dataclass(frozen=True)
class Paged(BriefOut):
    """In which format results are shown, and where; a file may be a page."""

    output: Path | None = option(
        "FILE",
        "Output file. Its extension sets the format; .html and .docx also work.",
        "--output",
        "-o",
        readable=False,
    )

    @property
    def page(self) -> str | None:
        """What makes the file, if it is a page or a document with pictures."""
        if self.output is None or self.format is not None:
            return None
        known = {**_PAGES, **dict.fromkeys(ENDINGS)}
        made: str | None = ending(self.output, known, ", or add --format")
        need_for_documents([self.output.suffix.lower()])
        return made


@dataclass(frozen=True)
class JudgeGates(Gates):
    """What every judge must reach."""

    fail_under: list[str] | None = option(
        "NAME=VALUE",
        "Exit with code 1 if a judge is worse than VALUE; may be repeated. NAME: agreement, gap or "
        "change since --before (each also .low, or .high if lower is better), winning_rate, "
        "advantage, bias, shift since --before, or unreadable, the share of items without a label.",
    )
    max_dropped: str | None = option(
        "AMOUNT",
        "Exit with code 1 if more items lack a judge's or a human's label: a share such as 5%, or "
        f"a number such as 20 (default: {USUAL}).",
    )

    def demands(self, metric: oe.Metric) -> Demands:
        """Return the options after checking them."""
        gates = tuple(_gate(text, metric) for text in self.fail_under or ())
        return self.demands_of(gates, read_most(self.max_dropped or USUAL))


@app.command(cls=Strict)
@grouped
def judge(
    *,
    columns: RatingColumns,
    judges: Judges,
    reading: AnswerOptions,
    judging: Judging,
    details: Details,
    out: Paged,
    gates: JudgeGates,
) -> None:
    """Compare judges, such as LLMs, with human raters: can they replace one?

    FILE holds the ratings of humans, long or wide as for `ordeval agree`. The yardstick is how well
    the humans agree with each other.

    \b
    Examples:
      ordeval judge humans.csv --judges judges.csv --labels 1..5 --margin 0.1 -o judges.html
      ordeval judge humans.csv --item id --rater who --rating grade --judges out.jsonl --judge gpt
      ordeval judge ratings.csv --judge gpt-4o --judge llama --duplicates runs --clusters document
      ordeval judge humans.csv --judges raw.csv --judge gpt --labels 1..5 --answer-pattern score
      ordeval judge humans.csv --judges judges.csv --by language --without trainee
      ordeval judge humans.csv --judges judges.csv --judge gpt --fail-under gap.low=-0.05
      ordeval judge pilot.csv --judges judges.csv --judge gpt --margin 0.1 --plan-power 0.8
    """
    columns.check()
    judges.check()
    if reading.options()["pattern"] is not None and judges.judges is None:
        raise oe.ParameterError(
            "--answer-pattern and --half need --judges FILE, with one column of answers per judge."
        )
    (metric,) = choose([read_measure(judging.metric)])
    demands = gates.demands(metric)
    _check_plan(judging, out)
    if judges.before is None and any(g.name in ("change", "shift") for g in demands.gates):
        raise oe.ParameterError(
            "gates on change and shift need earlier answers: add --before FILE."
        )
    _ = out.page or out.chosen()
    check_files((*columns.files, judges.judges, judges.before), out.output, junit=gates.junit)
    with progress() as shown:
        humans, answers = _read(columns, judges, reading, shown)
        systems, by = (
            _of_items(columns, option, names, humans, shown)
            for option, names in (("systems", [judging.systems]), ("by", judging.by))
        )
        covariates = {
            name: _numbers(_of_items(columns, "covariate", [name], humans, shown), columns.decimal)
            for name in judging.covariate
        }
        before = None
        if judges.before is not None:
            theirs = columns.of(judges.before)
            scale = humans.scale
            try:
                before = _answers(theirs, judges.judge, scale, reading, progress=shown)
            except (oe.LabelError, oe.ParameterError) as error:
                raise type(error)(f"--before {judges.before}: {error}") from None
        found = oe.judge(
            humans,
            answers,
            metric,
            systems=systems,
            by=by,
            before=before,
            covariates=covariates or None,
            **judging.options(),
        )
        if judging.by:
            found = replace(found, by=", ".join(judging.by))
        planned = _planned(found, metric, judging)
    if planned is not None:
        show(planned, out)
    elif out.page and out.output is not None:
        put_file(getattr(found, out.page)(command=command()), out.output)
    else:
        show(found.details(*details.names), out, quiet=gates.quiet)
    demands.check(_outcomes(found), _kept(found))


def _check_plan(judging: Judging, out: Paged) -> None:
    if judging.plan_power is None:
        return
    if judging.margin is None:
        raise oe.ParameterError("--plan-power needs --margin.")
    if out.page:
        raise oe.ParameterError("--plan-power has no page: write .json, .md, .tex or .csv.")


def _planned(
    found: oe.results.Judgement, metric: oe.Metric, judging: Judging
) -> oe.results.Plan | None:
    """The plan of a study with one judge, if it was asked for."""
    if judging.plan_power is None:
        return None
    if len(found.judges) > 1:
        raise oe.ParameterError(
            f"--plan-power is for one judge: add --judge {found.judges[0]}, for example."
        )
    power, margin, level = judging.plan_power, judging.margin, judging.level
    return oe.plan(metric, found, power=power, margin=margin, level=level)


def _read(
    columns: RatingColumns, judges: Judges, reading: AnswerOptions, shown: Progress | None
) -> tuple[oe.Ratings, oe.Ratings]:
    """The ratings of humans, and those of judges."""
    if judges.judges is None:
        together = columns.read(shown, more=judges.judge)
        if columns.wide and set(judges.judge) & set(columns.rater_col):
            raise oe.ParameterError("A column cannot be both --rater-col and --judge.")
        named = together.of(judges.judge)
        humans = [name for name in together.runs if name not in judges.judge]
        if not humans:
            raise oe.LabelError("No human rater is left: --judge names every rater.")
        return together.of(humans), named
    if columns.file == [judges.judges] == ["-"]:
        raise oe.ParameterError("FILE and --judges cannot both be standard input.")
    if judges.judges in columns.file and not columns.wide:
        raise oe.ParameterError(
            "FILE and --judges are the same file. Leave out --judges, and name the judges among "
            "its raters by --judge."
        )
    humans_only = columns.read(shown)
    theirs = columns if judges.judges in columns.file else columns.of(judges.judges)
    scale = humans_only.scale
    return humans_only, _answers(theirs, judges.judge, scale, reading, progress=shown)


def _answers(
    columns: RatingColumns,
    named: list[str],
    scale: oe.Scale,
    reading: AnswerOptions,
    *,
    progress: Progress | None,
) -> oe.Ratings:
    """The answers of a file of judges, all or those that are named, on the scale of the humans."""
    source, texts = columns.source(progress), reading.options()["pattern"] is not None
    present = () if source.once else source.columns()
    if {"rater", "label", "span"} <= set(present):  # what `ordeval read` wrote
        columns = replace(columns, rater="rater", rating="label", rater_col=[])
    elif not set(columns.rater_col) <= set(present):  # a file of its own, wide or long
        columns = replace(columns, rater_col=[])
    if not columns.wide and set(columns.long_names()) <= set(present):
        if texts:
            raise oe.ParameterError(
                "--answer-pattern needs one column per judge, but the file of --judges is long."
            )
        found = columns.read(progress, scale)
        return found.of(named) if named else found
    taken = {*columns.ids, *columns.rater_col, columns.clusters}
    names = named or [name for name in present if name not in taken]
    if not names:
        raise oe.LabelError(f"name the judges: --judge COLUMN of {source.shown}.")
    if texts:
        return _read_texts(source, columns, names, scale, reading)
    try:
        return oe.Ratings.from_wide(
            source, columns.ids, names, labels=scale, unknown=columns.unknown
        )
    except oe.LabelError as error:
        if error.present:
            raise
        hint = (
            ""
            if named
            else " Without --judge, every other column of --judges counts as a judge; name the "
            "judges with --judge."
        )
        raise oe.LabelError(
            f"{error}{hint} For answers in sentences, add --answer-pattern; "
            f"--half sets how numbers such as 3.5 are rounded: up, down, even or nearest."
        ) from None


def _read_texts(
    source: FileSource,
    columns: RatingColumns,
    names: list[str],
    scale: oe.Scale,
    reading: AnswerOptions,
) -> oe.Ratings:
    """Answers as judges wrote them; unreadable ones are reported and have no label."""
    rows = source.rows(list(dict.fromkeys([*columns.ids, *names]))).in_order()
    rows = by_item(rows, columns.ids)
    items = names_of(rows, columns.ids)
    read = read_answer_columns({name: rows.listed(name) for name in names}, scale, reading)
    return oe.Ratings({name: x.labels for name, x in read.items()}, scale, items=items)


def _of_items(
    columns: RatingColumns,
    option: str,
    names: Sequence[str | None] | None,
    humans: oe.Ratings,
    shown: Progress | None,
) -> list[Any] | None:
    """The values of some columns by item; all rows of an item must agree."""
    wanted = [name for name in names or () if name is not None]
    if not wanted:
        return None
    source = columns.source(shown)
    if source.once:
        raise oe.ParameterError(f"--{option} needs a file: standard input is read only once.")
    rows = source.rows(list(dict.fromkeys([*columns.ids, *wanted])))
    items = names_of(rows, columns.ids)
    for column in wanted:
        lost = {n: 0 for n, x in zip(items, rows.columns[column], strict=True) if is_missing(x)}
        if lost:
            raise oe.LabelError(
                f"{len(lost):,} of {plural(len(set(items)), 'item')} have no value in column "
                f"{column!r} (--{option}), such as {next(iter(lost))!r}. Leave them out, for "
                f'example with --where "{column} is not null".'
            )
    found: dict[Any, Any] = {}
    for name, *own in zip(items, *(rows.columns[w] for w in wanted), strict=True):
        key = tuple(own) if len(own) > 1 else own[0]
        if found.setdefault(name, key) != key:
            shown_names = joined([repr(w) for w in wanted])
            raise oe.LabelError(
                f"item {name!r} has several values in {shown_names}; --{option} needs one per item."
            )
    return [found[name] for name in humans.items]


def _numbers(values: list[Any] | None, decimal: str | None) -> list[Any] | None:
    """Numbers that came as text, as they do from CSV; other values as they are."""
    mark = decimal or "."
    texts = [x.replace(mark, ".") if isinstance(x, str) else "" for x in values or []]
    return [float(x) for x in texts] if all(map(is_number, texts)) else values


def _gate(text: str, metric: oe.Metric) -> Gate:
    name, end, value = split_gate(text)
    known = dict.fromkeys(_WITH_ENDS, metric)
    known |= {key: oe.get_metric(m) for key, m in _DIRECTIONS.items()}
    try:
        number = float(value)
        if name not in known or not math.isfinite(number):
            raise ValueError
    except ValueError:
        shown = joined(list(known), "or", most=len(known))
        raise oe.ParameterError(
            f"--fail-under takes {shown}, and a value, for example agreement=0.6 or "
            f"agreement.low=0.5; got {text!r}."
        ) from None
    if end and name not in _WITH_ENDS:
        raise oe.ParameterError(f"--fail-under {name} has no interval, so it has no .low or .high.")
    return checked(Gate(known[name], end, number, name))


def _outcomes(found: oe.results.Judgement) -> Iterator[Outcome]:
    """What gates judge of each judge."""
    for name in found.judges:
        agreement, gap, test = found.agreement[name], found.gap[name], found.alt_test[name]
        drift = found.drift.get(name)
        moved = {} if drift is None else {"shift": drift.shift.estimate}
        if drift is not None and drift.change is not None:
            d = drift.change
            moved |= {"change": d.delta, "change.low": d.low, "change.high": d.high}
        yield Outcome(
            name,
            {
                **moved,
                "unreadable": found.unread[name].estimate,
                "agreement": agreement.estimate,
                **ends_of("agreement", agreement),
                "gap": gap.estimate,
                **ends_of("gap", gap),
                "winning_rate": test.winning_rate,
                "advantage": test.advantage,
                "bias": found.bias[name].mean.estimate,
            },
        )


def _kept(found: oe.results.Judgement) -> Iterator[Kept]:
    """How many items have a label of each judge, and how many that judges answered have none."""
    for name in found.judges:
        x = found.unread[name]
        lost = round(x.estimate * x.items)
        yield Kept(name, x.items - lost, lost)
    if found.unmatched:
        yield Kept("the judges without a human rating", found.items, found.unmatched)
