"""ordeval report"""

import os
from dataclasses import dataclass, replace
from typing import Any

import ordeval as oe
from ordeval._shared.text import visible
from ordeval.cli._app import app
from ordeval.cli._output import check_files, command, progress, put, put_file
from ordeval.cli.compare import compare_columns, kept, outcomes
from ordeval.cli.options.gates import Gates
from ordeval.cli.options.joins import JoinedColumns
from ordeval.cli.options.option_groups import flag, grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import Comparing, Files, ending, need_for_documents
from ordeval.data.sources.rows import joint_items
from ordeval.evaluate._scoring import PANELS


@dataclass(frozen=True)
class Listed:
    """Which items of each cell are listed."""

    named_by: str | None = option(
        "COL",
        "Column of item ids: list some items of each cell, the worst errors first.",
        "--id",
    )
    text: str | None = option(
        "COL", "Column to show beside each listed item, such as its text.", "--show"
    )
    most: int = option(
        "N",
        "Largest number of items listed per cell, chosen at random with --seed.",
        "--items-per-cell",
        default=20,
    )

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.text is not None and self.named_by is None:
            raise oe.ParameterError("--show needs --id.")
        if self.most < 1:
            raise oe.ParameterError(f"--items-per-cell must be at least 1; got {self.most}.")

    def of(self, columns: JoinedColumns, seed: int | None) -> Any:
        """The items of each cell of each model that gives labels; None if none are asked for."""
        if self.named_by is None:
            return None
        if not columns.pred:
            raise oe.ParameterError("--id lists items of models that predict labels: add --pred.")
        if columns.on:
            raise oe.ParameterError(
                "--id lists items of one file and cannot be combined with --on."
            )
        if "-" in columns.file:
            raise oe.ParameterError(
                "--id reads the data twice, so standard input cannot be used; name a file."
            )
        from ordeval.report.items import pick  # with all that a report needs, which takes a while

        query = replace(columns, prob=None, score=None, decide=None).predictions(None)._data.query
        shown = [self.named_by, *([] if self.text is None else [self.text])]
        named = dict.fromkeys([*query.columns, *shown])
        rows = columns.source(None).rows(list(named)).in_order()
        texts = None if self.text is None else rows.listed(self.text)
        return pick(
            joint_items(rows, query)[0],
            rows.listed(self.named_by),
            texts,
            most=self.most,
            rng=0 if seed is None else seed,
        )


@app.command(cls=Strict)
@grouped
def report(
    columns: JoinedColumns,
    comparing: Comparing,
    *,
    output: Files = None,
    title: str | None = option("TEXT", "Title of the report."),
    brief: bool = flag(
        "Make the .md file a pull-request comment: the verdict, one table and a link to the report."
    ),
    at_least: str | None = option(
        "LABEL",
        "Event that decisions are about, as its lowest level: adds sensitivity, specificity, PPV, "
        "NPV and AUC at this cut. With --prob, all cuts are shown by default.",
    ),
    listed: Listed,
    gates: Gates,
) -> None:
    """Compare models in a report: one self-contained HTML file, Word, Markdown or LaTeX.

    The ending of each output file sets its format: .html, .docx, .md, .tex or .json.

    \b
    Examples:
      ordeval report preds.csv --truth stage --pred a --pred b --labels I,II,III -o out.html
      ordeval report preds.parquet --truth y --pred a --pred b --by hospital -o out.html -o out.json
      ordeval report preds.csv --truth y --pred a --pred b --id case --show text -o out.html
      ordeval report preds.csv --truth y --pred a --pred b -o out.html -o comment.md --brief
      ordeval report preds.csv --truth y --prob a=a_ --prob b=b_ --labels low,mid,high -o out.html
    """
    columns.need()
    listed.check()
    if not output:
        raise oe.ParameterError("Missing output file: add -o report.html.")
    kinds = {
        ".html": oe.report.to_html,
        ".htm": oe.report.to_html,
        ".md": oe.report.to_markdown,
        ".tex": oe.report.to_latex,
        ".json": oe.report.to_json,
        ".docx": oe.report.to_docx,
    }
    renderings = {path: ending(path, kinds) for path in output}
    if brief and not any(path.suffix.lower() == ".md" for path in output):
        raise oe.ParameterError("--brief needs a Markdown file: add -o comment.md.")
    need_for_documents(path.suffix.lower() for path in output)
    demands = gates.read(reference=comparing.reference, by=comparing.by)
    files = (*columns.files, *comparing.target_files, comparing.cost)
    check_files(files, *output, junit=gates.junit)
    metrics = demands.measures(comparing.metric, PANELS[columns.given])
    with progress() as shown:
        result = compare_columns(columns, comparing, metrics, progress=shown)
        parts = None
        if comparing.by and not comparing.mix and not comparing.over:
            parts = compare_columns(columns, comparing, metrics, by=comparing.by, progress=shown)
            demands.refuse_ambiguous(outcomes(parts))
        if shown is not None:
            shown("drawing", 0, 0)
        facts = oe.report.summarise(
            result,
            title=title,
            subgroups=parts,
            command=command(),
            items=listed.of(columns, comparing.seed),
            at_least=at_least,
        )
    pages = [path for path in output if path.suffix.lower() in (".html", ".htm")]
    for path, render in renderings.items():
        if brief and path.suffix.lower() == ".md":
            link = os.path.relpath(pages[0], path.parent) if pages else None
            put_file(oe.report.to_markdown(facts, brief=True, link=link), path)
        else:
            put_file(render(facts), path)
    if not gates.quiet:
        put(visible(result.conclusion().split("\n\n")[0]))
        put(visible(f"The report is in {', '.join(map(str, output))}."))
    whole_and_parts = [result] if parts is None else [result, parts]
    demands.check(
        [x for found in whole_and_parts for x in outcomes(found)],
        [x for found in whole_and_parts for x in kept(found)],
        outcomes(result),
    )
