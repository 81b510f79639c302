"""ordeval meta"""

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, show
from ordeval.cli.options.measures import read_measures
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import ColumnsRead, Level, Measures, Out


@app.command(cls=Strict)
@grouped
def meta(
    *,
    columns: ColumnsRead,
    case: str = option("COL", "Test cases, such as queries or data sets.", default=""),
    system: str | None = option("COL", "Systems, if each row is one prediction."),
    metric: Measures = None,
    level: Level = 0.95,
    out: Out,
) -> None:
    """Compare measures by coverage, robustness and discriminative power.

    \b
    Example:
      ordeval meta runs.csv --truth label --pred judge_a --pred judge_b --pred judge_c --case query
    """
    columns.need()
    if not case:
        raise oe.LabelError("name the column of the test cases: --case COLUMN.")
    out.chosen()
    check_files(columns.files, out.output)
    measures = read_measures(metric)
    with progress() as shown:
        outputs = oe.meta.SystemOutputs.from_file(
            columns.source(shown),
            columns.truth,
            columns.pred[0] if len(columns.pred) == 1 else columns.pred,
            case,
            system=system,
            labels=columns.scale,
            **columns.misfits,
        )
        found = oe.meta.study(outputs, measures, level=level, progress=shown)
    show(found, out)
