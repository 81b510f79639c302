"""ordeval thresholds"""

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.option_groups import flag, grouped
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.population import Target
from ordeval.cli.options.shared import By, Clusters, Cost, Level, Out, Weight
from ordeval.cli.score import read_matrix, refuse_columns
from ordeval.results.thresholds import ModelThresholds


@app.command(cls=Strict)
@grouped
def thresholds(
    *,
    columns: JoinedColumns,
    confusion: bool = flag("FILE is a confusion matrix, one row per true class."),
    weight: Weight = None,
    by: By = None,
    clusters: Clusters = None,
    cost: Cost = None,
    level: Level = 0.95,
    target: Target,
    out: Out,
) -> None:
    """Compute sensitivity, specificity, PPV, NPV and AUC at every cut of the scale.

    The cut ">= II" asks whether an item has at least this level. All values have intervals.

    \b
    Examples:
      ordeval thresholds preds.csv --truth stage --pred model --labels I,II,III,IV
      ordeval thresholds preds.csv --truth stage --pred a --pred b --clusters patient -o cuts.csv
      ordeval thresholds preds.csv --pred a --truth-file gold.csv --truth stage --on id
      ordeval thresholds preds.csv --truth stage --pred model --prevalence I=0.8,II=0.1,III=0.1
      ordeval thresholds preds.csv --truth stage --prob p_ --labels I,II,III,IV --clusters patient
      echo '26 4 1; 3 5 4; 0 3 10' | ordeval thresholds - --confusion --labels I,II,III
    """
    columns.need_file()
    out.chosen()
    check_files((*columns.files, *target.target_files, cost), out.output)
    if confusion:
        refuse_columns(columns, (weight, by, clusters, cost))
        file = columns.of_matrix()
        cm = read_matrix(file, columns.scale)
        show(
            ModelThresholds(
                {file: oe.thresholds(cm, level=level, prevalence=target.target.get("prevalence"))}
            ),
            out,
        )
        return
    columns.need()
    with progress() as shown:
        data = columns.predictions(
            shown, decide=columns.rule(cost), weight=weight, by=by, clusters=clusters
        )
        found = oe.thresholds(data, level=level, **target.target)
    if not isinstance(found, ModelThresholds):
        found = ModelThresholds({data.models[0]: found})
    show(found, out)
