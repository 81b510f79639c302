"""ordeval report"""

from typing import Annotated

import ordeval as oe
from ordeval._shared.text import visible
from ordeval.cli._app import app
from ordeval.cli._gates import Gates
from ordeval.cli._groups import grouped
from ordeval.cli._joined import JoinedColumns
from ordeval.cli._options import Comparing, Files, ending, option
from ordeval.cli._output import check_files, command, progress, put
from ordeval.cli._parsing import Strict
from ordeval.cli.compare import compare_columns, kept, outcomes
from ordeval.evaluate._comparing import panel_of


@app.command(cls=Strict)
@grouped
def report(
    columns: JoinedColumns,
    comparing: Comparing,
    *,
    output: Files = None,
    title: Annotated[
        str | None, option("--title", metavar="TEXT", help="Title of the report.")
    ] = None,
    gates: Gates,
) -> None:
    """Compare models and write a report: one HTML file that needs nothing else.

    The ending of each output file sets its format: .html, .md, .tex or .json.

    \b
    Examples:
      ordeval report preds.csv --truth stage --pred a --pred b --labels I,II,III -o out.html
      ordeval report preds.parquet --truth y --pred a --pred b --by hospital -o out.html -o out.json
      ordeval report preds.csv --truth y --prob a=a_ --prob b=b_ --labels low,mid,high -o out.html
    """
    columns.need()
    if not output:
        raise oe.ParameterError("name the file: -o report.html.")
    kinds = {
        ".html": oe.report.to_html, ".htm": oe.report.to_html, ".md": oe.report.to_markdown,
        ".tex": oe.report.to_latex, ".json": oe.report.to_json,
    }  # fmt: skip
    renderings = {path: ending(path, kinds) for path in output}
    demands = gates.read(reference=comparing.reference)
    for file in (*columns.files, comparing.cost):
        check_files(file, *output, junit=gates.junit)
    metrics = demands.measures(comparing.metric, panel_of(columns.given))
    with progress() as shown:
        result = compare_columns(columns, comparing, metrics, progress=shown)
        parts = None
        if comparing.by:
            parts = compare_columns(columns, comparing, metrics, by=comparing.by, progress=shown)
        if shown is not None:
            shown("drawing", 0, 0)
        facts = oe.report.summarise(result, title=title, subgroups=parts, command=command())
    for path, render in renderings.items():
        put(render(facts), path)
    put(visible(result.conclusion().split("\n\n")[0]))
    put(visible(f"The report is in {', '.join(map(str, output))}."))
    whole_and_parts = [result] if parts is None else [result, parts]
    demands.check(
        [x for found in whole_and_parts for x in outcomes(found)],
        [x for found in whole_and_parts for x in kept(found)],
        outcomes(result),
    )
