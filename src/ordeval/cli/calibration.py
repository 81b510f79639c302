"""ordeval calibration, ordeval decision-curve and ordeval tune"""

from dataclasses import dataclass
from typing import Annotated

import ordeval as oe
from ordeval._shared.text import visible
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, put, show
from ordeval.cli.options.costs import with_costs
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.measures import read_measure
from ordeval.cli.options.option_groups import absent, grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import SEED, By, Clusters, Cost, Level, Out, Weight, check_seed
from ordeval.results.calibration import ModelCalibrations


@dataclass(frozen=True)
class ProbabilityColumns(JoinedColumns):
    """Columns of a file, of models that give probabilities."""

    pred: list[str] = absent([])
    score: list[str] | None = absent(None)
    decide: str | None = absent(None)
    model_col: str | None = absent(None)
    pred_col: str | None = absent(None)
    pred_file: list[str] | None = absent(None)


@app.command(cls=Strict)
@grouped
def calibration(
    *,
    columns: ProbabilityColumns,
    weight: Weight = None,
    by: By = None,
    clusters: Clusters = None,
    level: Level = 0.95,
    seed: Annotated[int | None, option("N", SEED, callback=check_seed)] = None,
    out: Out,
) -> None:
    """Compute the calibration of predicted probabilities at every cut of the scale.

    Perfect calibration has intercept 0 and slope 1; a slope below 1 means overconfidence.

    \b
    Examples:
      ordeval calibration preds.csv --truth stage --prob p_ --labels I,II,III,IV
      ordeval calibration preds.csv --truth y --prob a=a_ --prob b=b_ --labels 1..5 -o cal.json
    """
    if not columns.prob:
        raise oe.ParameterError("calibration needs probabilities: name their columns with --prob.")
    columns.need()
    out.chosen()
    check_files(columns.files, out.output)
    with progress() as shown:
        data = columns.predictions(shown, weight=weight, by=by, clusters=clusters)
        found = oe.calibration(data, level=level, rng=0 if seed is None else seed)
    if not isinstance(found, ModelCalibrations):
        found = ModelCalibrations({data.models[0]: found})
    show(found, out)


@app.command("decision-curve", cls=Strict)
@grouped
def decision_curve(
    *,
    columns: ProbabilityColumns,
    at: list[float] | None = option(
        "P", "Decision probability, such as 0.2; may be repeated. Default: 0.01, 0.02, ..., 0.99."
    ),
    weight: Weight = None,
    by: By = None,
    clusters: Clusters = None,
    level: Level = 0.95,
    out: Out,
) -> None:
    """Compute the net benefit of acting on predicted probabilities, at every cut of the scale.

    With several models, their paired differences follow.

    \b
    Examples:
      ordeval decision-curve preds.csv --truth stage --prob p_ --labels I,II,III,IV
      ordeval decision-curve preds.csv --truth y --prob a=a_ --prob b=b_ --labels 1..5 --at 0.2
    """
    if not columns.prob:
        raise oe.ParameterError(
            "decision-curve needs probabilities: name their columns with --prob."
        )
    columns.need()
    out.chosen()
    check_files(columns.files, out.output)
    with progress() as shown:
        data = columns.predictions(shown, weight=weight, by=by, clusters=clusters)
        found = oe.decision_curve(data, probabilities=at or None, level=level)
    show(found, out)


@app.command(cls=Strict)
@grouped
def tune(
    *,
    columns: ProbabilityColumns,
    metric: Annotated[str, option("NAME", "Measure to tune for, such as average_mae.")],
    cost: Cost = None,
    folds: Annotated[int, option("N", "Folds in which the gain is estimated.")] = 5,
    weight: Weight = None,
    clusters: Clusters = None,
    seed: Annotated[int | None, option("N", SEED, callback=check_seed)] = None,
    out: Out,
) -> None:
    """Tune the cut points that turn probabilities into labels, for one measure.

    The gain over the most probable level is estimated on items that were not used for tuning. Write
    the cut points to JSON, and apply them to other data with --decide @cuts.json.

    \b
    Examples:
      ordeval tune valid.csv --truth y --prob p_ --metric average_mae --labels 1..5 -o cuts.json
      ordeval tune valid.csv --truth y --prob p_ --labels 1..5 --metric expected_cost --cost c.csv
      ordeval score test.csv --truth y --prob p_ --labels 1..5 --decide @cuts.json
    """
    if not columns.prob or len(columns.prob) > 1:
        raise oe.ParameterError("tune needs the probabilities of one model: --prob COLS.")
    columns.need()
    out.chosen()
    check_files((*columns.files, cost), out.output)
    measures = [read_measure(metric)]
    (measure,) = with_costs(measures, cost, columns) or measures
    with progress() as shown:
        data = columns.predictions(shown, weight=weight, clusters=clusters)
        found = oe.models.optimal_cut_points(data, metric=measure, folds=folds, rng=seed or 0)
    show(found, out)
    if out.output is not None:
        for line in found.lead():
            put(visible(line))
