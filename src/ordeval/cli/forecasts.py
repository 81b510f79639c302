"""ordeval calibration and ordeval decision-curve"""

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import By, Clusters, Level, Out, Seed, Weight
from ordeval.results.calibration import ModelCalibrations


@app.command(cls=Strict)
@grouped
def calibration(
    *,
    columns: JoinedColumns,
    weight: Weight = None,
    by: By = None,
    clusters: Clusters = None,
    level: Level = 0.95,
    seed: Seed = None,
    out: Out,
) -> None:
    """Show how well predicted probabilities are calibrated, at every cut of the scale.

    An intercept of 0 and a slope of 1 are right; a slope below 1 means too sure.

    \b
    Examples:
      ordeval calibration preds.csv --truth stage --prob p_ --labels I,II,III,IV
      ordeval calibration preds.csv --truth y --prob a=a_ --prob b=b_ --labels 1..5 -o cal.json
    """
    others = (columns.pred, columns.score, columns.pred_col, columns.pred_file)
    if not columns.prob or any(others):
        raise oe.ParameterError("calibration is of probabilities; name their columns with --prob.")
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
    columns: JoinedColumns,
    at: list[float] | None = option(
        "P",
        "Decision probability, such as 0.2; may be repeated. Default: 0.01, 0.02, ..., 0.99.",
    ),
    weight: Weight = None,
    by: By = None,
    clusters: Clusters = None,
    level: Level = 0.95,
    out: Out,
) -> None:
    """Show the net benefit of acting on predicted probabilities, at every cut of the scale.

    With several models, their differences follow, with intervals.

    \b
    Examples:
      ordeval decision-curve preds.csv --truth stage --prob p_ --labels I,II,III,IV
      ordeval decision-curve preds.csv --truth y --prob a=a_ --prob b=b_ --labels 1..5 --at 0.2
    """
    others = (columns.pred, columns.score, columns.pred_col, columns.pred_file)
    if not columns.prob or any(others):
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
