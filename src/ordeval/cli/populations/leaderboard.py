"""ordeval leaderboard"""

from typing import Annotated

import ordeval as oe
from ordeval._shared.result import as_json
from ordeval._shared.text import visible
from ordeval.cli._app import app
from ordeval.cli._output import check_files, command, progress, put, put_file
from ordeval.cli.compare import compare_columns
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.measures import read_measures
from ordeval.cli.options.option_groups import grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.population import Partial
from ordeval.cli.options.shared import (
    Clusters,
    Comparing,
    Files,
    Level,
    Measures,
    ending,
    need_for_documents,
)
from ordeval.data.query import one_column
from ordeval.evaluate._scoring import PANELS

Task = Annotated[str | None, option("COL", "Column of tasks, over which values are averaged.")]


@app.command(cls=Strict)
@grouped
def leaderboard(
    *,
    columns: JoinedColumns,
    task: Task = None,
    task_weights: str | None = option(
        "WEIGHTS", "Weights of the tasks: NAME=WEIGHT,..., or @FILE. Default: all alike."
    ),
    partial: Partial,
    metric: Measures = None,
    clusters: Clusters = None,
    level: Level = 0.95,
    output: Files = None,
    title: str | None = option("TEXT", "Title of the page."),
) -> None:
    """Rank many models by their average over tasks, on one sortable page.

    The ending of each output file sets its format: .html, .json, .csv, .md, .tex or .docx. Without
    one, the table is printed.

    \b
    Examples:
      ordeval leaderboard long.csv --truth y --item id --model-col model --pred-col p -o board.html
      ordeval leaderboard preds.csv --truth y --pred a --pred b --pred c --task site -o board.html
    """
    columns.need()
    kinds = {
        ".html": lambda c: oe.report.leaderboard(c, title=title, command=command()),
        ".json": as_json,
        ".csv": lambda c: c.to_csv(),
        ".md": lambda c: c.to_markdown(),
        ".tex": lambda c: c.to_latex(),
        ".docx": lambda c: c.to_docx(),
    }
    renderings = {path: ending(path, kinds) for path in output or []}
    need_for_documents(path.suffix.lower() for path in renderings)
    asked = Comparing(
        metric=metric,
        clusters=clusters,
        level=level,
        over=None if task is None else one_column(task, "task"),
        task_weights=task_weights,
        proxy=partial.proxy,
        inclusion=partial.inclusion,
    )
    check_files((*columns.files, *asked.target_files), *output or [])
    metrics = read_measures(metric) or [oe.get_metric(PANELS[columns.given][0])]
    with progress() as shown:
        found = compare_columns(columns, asked, metrics, progress=shown)
    for path, render in renderings.items():
        put_file(render(found), path)
    put(visible(found.conclusion().split("\n\n")[0]) if output else found.to_text())
    if output:
        put(visible(f"The leaderboard is in {', '.join(map(str, output))}."))
