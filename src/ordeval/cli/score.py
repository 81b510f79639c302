"""ordeval score"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import ordeval as oe
from ordeval._shared.text import name_of
from ordeval.cli._app import app
from ordeval.cli._errors import complain
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.costs import with_costs, without_costs
from ordeval.cli.options.gates import Gates, Kept, Outcome
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.measures import at_each_cut
from ordeval.cli.options.option_groups import flag, grouped
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.population import Averaged, Partial
from ordeval.cli.options.shared import (
    By,
    Cost,
    Intervals,
    Measures,
    Out,
    SummaryOnly,
    Weight,
    check_summary,
)
from ordeval.data.sources.file_form import Form
from ordeval.data.text.matrix_texts import matrix_of_text
from ordeval.evaluate._scoring import usual_measures
from ordeval.evaluate.corrected import distribution as estimated_distribution
from ordeval.results.subgroups import ModelScores, SubgroupScores


@dataclass(frozen=True)
class ScoreDetails:
    """Which measures are printed."""

    all: bool = flag("Print all measures. Default: the panel of `ordeval compare`.")


@app.command(cls=Strict)
@grouped
def score(
    *,
    columns: JoinedColumns,
    confusion: bool = flag("FILE is a confusion matrix, one row per true class."),
    partial: Partial,
    target: Averaged,
    weight: Weight = None,
    by: By = None,
    summary: SummaryOnly = False,
    metric: Measures = None,
    cost: Cost = None,
    intervals: Intervals,
    details: ScoreDetails,
    out: Out,
    gates: Gates,
) -> None:
    """Score predictions by many measures, with intervals.

    With --by, each subgroup is compared with the rest of the data by the first measure.

    \b
    Examples:
      ordeval score preds.csv --truth stage --pred model --labels I,II,III,IV
      ordeval score 'preds/*.parquet' --truth y --pred a --pred b --metric cem_ord --metric auoc
      ordeval score june.csv july.csv --truth y --pred a --metric cem_ord
      ordeval score preds.parquet --truth y --pred a --by hospital -o hospitals.csv
      ordeval score preds.csv --truth y --pred a --by hospital --clusters patient
      ordeval score preds.csv --truth y --pred a --fail-under cem_ord=0.7
      ordeval score preds.csv --truth y --pred a --labels 1..3 --metric expected_cost --cost c.csv
      ordeval score preds.csv --truth human --pred model --proxy judge
      ordeval score preds.csv --truth y --pred a --labels 1..3 --prevalence 0.7,0.2,0.1
      ordeval score preds.csv --truth y --pred a --by site --mix clinic=0.9,hospital=0.1
      ordeval score preds.csv --truth y --pred a --over task
      ordeval score long.csv --truth y --item id --model-col model --pred-col grade
      ordeval score preds.csv --truth y --prob p_ --labels low,mid,high --clusters patient
      ordeval score preds.csv --truth y --score s --metric 'auc(at_least=high)'
      echo '26 4 1; 3 5 4; 0 3 10' | ordeval score - --confusion --labels I,II,III
    """
    columns.need_file()
    demands = gates.read(intervals=not intervals.no_intervals, by=by)
    out.chosen()
    check_summary(summary, by)
    check_files((*columns.files, *target.target_files, cost), out.output, junit=gates.junit)
    usual = usual_measures(columns.given, subgroups=bool(by and not target.mix))
    names = with_costs(demands.measures(metric, usual), cost, columns)
    options, rng = intervals.options(), intervals.seed
    if partial.proxy and not (confusion or columns.pred_file or any(columns.outputs.values())):
        refuse_of_distribution(names, {**target.target, "by": by}, intervals)
        labelled = replace(columns, pred=partial.proxy[:1])
        labelled.need()
        with progress() as shown:
            data = labelled.predictions(
                shown, clusters=intervals.clusters, partial=partial.partial, weight=weight
            )
            found = estimated_distribution(data, intervals.level)
        scores = ModelScores({data.models[0]: found})
    elif confusion:
        refuse_columns(columns, (partial.proxy, by, weight, intervals.clusters))
        file = columns.of_matrix()
        cm = read_matrix(file, columns.scale)
        names = at_each_cut(names, lambda: cm.scale)
        options |= target.target
        scores = ModelScores({file: oe.score(cm, metrics=names, rng=rng, **options)})
    else:
        columns.need()
        with progress() as shown:
            data = columns.predictions(
                shown,
                decide=columns.rule(cost),
                weight=weight,
                by=target.subgroups(by),
                clusters=intervals.clusters,
                partial=partial.partial,
            )
            names = at_each_cut(names, lambda: data.scale)
            made = oe.score(data, names, rng=rng, **options, **target.target)
        scores = made if isinstance(made, ModelScores) else ModelScores({data.models[0]: made})
    demands.refuse_ambiguous(_outcomes(scores))
    if details.all:
        scores = ModelScores(
            {
                m: replace(x, panel=()) if isinstance(x, oe.results.Scores) else x
                for m, x in scores.items()
            }
        )
    show(scores.summary() if summary else scores, out, quiet=gates.quiet)
    whole = _whole(scores) if by and not target.mix else None
    demands.check(_outcomes(scores), _kept(scores), whole)


def refuse_columns(columns: JoinedColumns, others: Iterable[Any]) -> None:
    """Reject options about columns if the input is a matrix."""
    if columns.named or any(others) or columns.form != Form():
        raise oe.ParameterError(
            "--confusion reads a matrix, so options that name columns do not apply."
        )


def refuse_of_distribution(names: Any, given: dict[str, Any], intervals: Intervals) -> None:
    """Reject options of measures, where the distribution of the labels is estimated."""
    if names is not None:
        raise oe.ParameterError("With --proxy, --metric and --fail-under need --pred.")
    given = given | {
        "no-intervals": intervals.no_intervals,
        "method": intervals.method != "auto",
    }
    for name in (name for name, value in given.items() if value):
        raise oe.ParameterError(f"--{name} needs --pred beside --proxy.")


def _outcomes(scores: ModelScores) -> Iterator[Outcome]:
    """The values of each measure and the ends of its interval, by model and subgroup."""
    for model, found in scores.items():
        if isinstance(found, SubgroupScores):
            for i, key in enumerate(found.by):
                ends = ((m, s.low[i], s.high[i]) for m, s in found.found.items())
                values = without_costs({m: float(found[m][i]) for m in found} | _ends(ends))
                place = name_of(key)
                yield Outcome(f"{model} in {place}", values, subgroup=place)
        else:
            ends = ((m, x.low, x.high) for m, x in found.intervals.items())
            yield Outcome(model, without_costs({**found, **_ends(ends)}))


def _whole(scores: ModelScores) -> Iterator[Outcome]:
    """The values of all subgroups together."""
    for model, found in scores.items():
        if isinstance(found, SubgroupScores):
            values = {m.name: float(x) for m, x in zip(found.metrics, found.pooled, strict=True)}
            ends = ((m, s.whole.low, s.whole.high) for m, s in found.found.items())
            yield Outcome(model, without_costs(values | _ends(ends)))


def _ends(intervals: Iterable[tuple[str, float, float]]) -> dict[str, float]:
    return {
        f"{m}.{end}": float(x)
        for m, *ends in intervals
        for end, x in zip(("low", "high"), ends, strict=True)
    }


def _kept(scores: ModelScores) -> Iterator[Kept]:
    """How many items of each model were used, and how many dropped."""
    for model, found in scores.items():
        on = found.confusion if isinstance(found, SubgroupScores) else found.basis
        items = 0 if on.items is None else int(np.sum(on.items))
        yield Kept(model, items, on.dropped.missing + on.dropped.unknown)


def read_matrix(file: str, levels: list[Any] | None, *, shares: bool = False) -> oe.ConfusionMatrix:
    """A matrix as people write it: rows of numbers, or a table of another program."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise oe.CountsError(f"{file!r} could not be read: {why}.") from None
    try:
        counts, names, turned_by = matrix_of_text(text, levels, shares=shares)
    except oe.CountsError as error:
        raise oe.CountsError(f"{file!r} is not a confusion matrix: {error}") from None
    except oe.LabelError as error:
        said = str(error).replace("the text", repr(file)).replace("labels says", "--labels says")
        raise oe.LabelError(said) from None
    if turned_by:
        complain(
            f"note: the rows of {file!r} are predictions (marked {turned_by!r}); the matrix was "
            f"transposed."
        )
    return oe.ConfusionMatrix(counts, names)
