"""ordeval properties and ordeval meta: measures about measures."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import ordeval as oe
from ordeval.cli import _input as given
from ordeval.cli import _output as out
from ordeval.cli._app import app
from ordeval.cli._options import (
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    DropMissing,
    DropUnknown,
    File,
    Labels,
    Level,
    Names,
    Output,
    Pred,
    Table,
    Truth,
    metric_names,
    option,
)


@app.command()
def properties(
    metric: Annotated[
        str | None,
        typer.Argument(help="A measure.", metavar="[METRIC]", autocompletion=metric_names),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
) -> None:
    """Which properties a measure has, with the smallest counterexample for each that it lacks.

    Without a measure: ordinal invariance, monotonicity and imbalance (Amigó et al. 2020) of all.

    Example: ordeval properties weighted_kappa
    """
    render = out.renderer(as_json, as_csv, as_markdown, as_latex, output)
    with out.progress() as progress:
        wanted = None if metric else oe.meta.PAPER
        found = oe.meta.check_properties(metric, wanted, progress=progress)
    text = out.text_of_rows("ordeval.properties", found, render)
    if metric and render in (None, "text"):
        text = f"{text.rstrip()}\n\n{found.explain()}"
    out.put(text, output)


@app.command()
def meta(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    case: Annotated[
        str, option("--case", metavar="COL", help="Column of the test cases: queries, data sets.")
    ] = "",
    system: Annotated[
        str | None,
        option("--system", metavar="COL", help="Column of the systems, if rows are predictions."),
    ] = None,
    labels: Labels = None,
    metric: Names = None,
    level: Level = 0.95,
    table: Table = None,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
) -> None:
    """Judge measures by systems and test cases: coverage, robustness, discriminative power.

    \b
    Example:
      ordeval meta runs.csv --truth label --pred judge_a --pred judge_b --pred judge_c --case query
    """
    given.need(truth, pred)
    if not case:
        raise oe.LabelError("name the column of the test cases: --case COLUMN.")
    out.keep_input(file, output)
    render = out.renderer(as_json, as_csv, as_markdown, as_latex, output)
    options: dict[str, Any] = given.policies(drop_missing, drop_unknown)
    with out.progress() as progress:
        outputs = oe.meta.SystemOutputs.from_file(
            file,
            truth,
            pred if system is None else pred[0],
            case,
            system=system,
            labels=given.labels(labels),
            table=table,
            progress=progress,
            **options,
        )
        found = oe.meta.study(outputs, metric or None, level=level, progress=progress)
    out.put(out.text_of_rows("ordeval.meta", found, render), output)
