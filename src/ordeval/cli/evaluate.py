"""ordeval score, ordeval compare and ordeval report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import ordeval as oe
from ordeval.cli import _input as given
from ordeval.cli import _output as out
from ordeval.cli._app import app
from ordeval.cli._options import (
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    Baseline,
    By,
    DropMissing,
    DropUnknown,
    FailUnder,
    File,
    Groups,
    Labels,
    Level,
    Names,
    Output,
    Pred,
    Resamples,
    Seed,
    Table,
    Truth,
    Weight,
    option,
)
from ordeval.data.confusion import matrices_by_model
from ordeval.data.files import file_rows
from ordeval.evaluate.compare import PANEL
from ordeval.evaluate.subgroups import MEASURES


@app.command()
def score(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    labels: Labels = None,
    weight: Weight = None,
    by: By = None,
    metric: Names = None,
    table: Table = None,
    confusion: Annotated[
        bool, option("--confusion", help="FILE is a confusion matrix: rows truth, numbers only.")
    ] = False,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
    fail_under: FailUnder = None,
) -> None:
    """Score predictions by many measures.

    \b
    Examples:
      ordeval score preds.csv --truth stage --pred model --labels I,II,III,IV
      ordeval score 'preds/*.parquet' --truth y --pred a --pred b --metric cem_ord --metric auoc
      ordeval score preds.parquet --truth y --pred a --by hospital --csv -o hospitals.csv
      ordeval score preds.csv --truth y --pred a --fail-under cem_ord=0.7
      echo '26 4 1; 3 5 4; 0 3 10' | ordeval score - --confusion --labels I,II,III
    """
    gates = given.gates(fail_under)
    out.keep_input(file, output)
    render = out.renderer(as_json, as_csv, as_markdown, as_latex, output)
    quick = [m.name for m in oe.metrics(needs="labels") if not m.expensive]
    names = given.wanted(metric, MEASURES if by else quick, gates)
    if confusion:
        if by or truth or pred or weight:
            raise oe.ParameterError("with --confusion the file holds a matrix, not columns.")
        matrices = {file: given.read_matrix(file, labels)}
    else:
        given.need(truth, pred)
        with out.progress() as progress:
            matrices = matrices_by_model(
                lambda columns, w: file_rows(file, columns, w, table=table, progress=progress),
                truth,
                pred,
                given.labels(labels),
                weight,
                by=by or None,
                at_once=file == "-",
                **given.policies(drop_missing, drop_unknown),
            )
    out.refuse_nothing(matrices)
    if by:
        _score_groups(matrices, by, names, render, output, gates)
        return
    scores = {m: oe.score(cm, metrics=names) for m, cm in matrices.items()}
    out.put(out.text_of_scores(scores, render), output)
    given.check(gates, list(scores.items()))


def _score_groups(
    matrices: Mapping[str, oe.ConfusionMatrix],
    by: list[str],
    names: list[str],
    render: out.Render,
    output: Path | None,
    gates: list[tuple[str, float]],
) -> None:
    scores = {m: oe.score_groups(cm, names) for m, cm in matrices.items()}
    out.put(out.text_of_groups(by, scores, render), output)
    rows = [(f"{m} in {out.group(r['group'])}", r) for m, s in scores.items() for r in s.rows()]
    given.check(gates, rows)


@app.command()
def compare(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    labels: Labels = None,
    weight: Weight = None,
    by: By = None,
    metric: Names = None,
    table: Table = None,
    groups: Groups = None,
    baseline: Baseline = None,
    level: Level = 0.95,
    resamples: Resamples = 9999,
    seed: Seed = None,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
    fail_under: FailUnder = None,
) -> None:
    """Compare models on the same items: intervals, paired tests and a conclusion.

    The first --metric decides; without one, a panel led by cem_ord.

    \b
    Examples:
      ordeval compare preds.parquet --truth grade --pred a --pred b --labels A,B,C,D
      ordeval compare preds.csv --truth y --pred new --pred old --baseline old --groups patient
      ordeval compare preds.csv --truth y --pred a --pred b --metric auoc --seed 1 --latex
    """
    given.need(truth, pred)
    gates = given.gates(fail_under)
    out.keep_input(file, output)
    render = out.renderer(as_json, as_csv, as_markdown, as_latex, output)
    options: dict[str, Any] = {
        "table": table, "labels": given.labels(labels),
        "metrics": given.wanted(metric, PANEL, gates), "weight": weight, "groups": groups,
        "baseline": baseline, "level": level, "n_resamples": resamples, "rng": seed,
        **given.policies(drop_missing, drop_unknown),
    }  # fmt: skip
    with out.progress() as progress:
        if by:
            found = oe.compare_file(file, truth, pred, by=by, progress=progress, **options)
        else:
            found = {None: oe.compare_file(file, truth, pred, progress=progress, **options)}
    out.put(out.text_of_comparisons(by, found, render), output)
    given.check(gates, _estimates(found))


def _estimates(found: Mapping[Any, oe.Comparison]) -> list[tuple[str, dict[str, float]]]:
    """The values of each measure, by model and group."""
    return [
        (
            model + ("" if g is None else f" in {out.group(g)}"),
            {name: estimates[model].estimate for name, estimates in c.estimates.items()},
        )
        for g, c in found.items()
        for model in c.models
    ]


@app.command()
def report(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    html: Annotated[
        Path | None, option("--html", metavar="FILE", help="Where the page is written.")
    ] = None,
    output: Annotated[
        Path | None,
        option(
            "--output", "-o", metavar="FILE",
            help="The report as .html, .md, .tex or .json, by the ending of the name.",
        ),
    ] = None,
    title: Annotated[str | None, option("--title", help="Title of the report.")] = None,
    labels: Labels = None,
    weight: Weight = None,
    by: By = None,
    metric: Names = None,
    table: Table = None,
    groups: Groups = None,
    baseline: Baseline = None,
    level: Level = 0.95,
    resamples: Resamples = 9999,
    seed: Seed = None,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
) -> None:  # fmt: skip
    """Compare models and write a report: one HTML file that needs nothing else.

    \b
    Examples:
      ordeval report preds.csv --truth stage --pred a --pred b --labels I,II,III --html out.html
      ordeval report preds.parquet --truth y --pred a --pred b --by hospital --html out.html
    """
    given.need(truth, pred)
    renderings = out.renderings(html, output)
    for path in renderings:
        out.keep_input(file, path)
    options: dict[str, Any] = {
        "table": table, "labels": given.labels(labels),
        "metrics": given.wanted(metric, PANEL, []), "weight": weight, "groups": groups,
        "baseline": baseline, "level": level, "n_resamples": resamples, "rng": seed,
        **given.policies(drop_missing, drop_unknown),
    }  # fmt: skip
    with out.progress() as progress:
        result = oe.compare_file(file, truth, pred, progress=progress, **options)
        parts = None
        if by:
            parts = oe.compare_file(file, truth, pred, by=by, progress=progress, **options)
        if progress is not None:
            progress("drawing", 0, 0)
        facts = oe.report.summarise(result, title=title, subgroups=parts, command=out.command())
    for path, render in renderings.items():
        out.put(render(facts), path)
    print(result.conclusion().split("\n\n")[0])
    print(f"The report is in {', '.join(map(str, renderings))}.")
