"""ordeval reproduce"""

from typing import Annotated

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, put, put_file
from ordeval.cli.options.option_groups import flag, grouped, option, starting
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import SEED, Files, check_seed, ending, need_for_documents


@app.command(cls=Strict)
@grouped
def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(
            help="cardoso2011, george2016, amigo2020, pinto_da_costa2014 or silva2018.",
            metavar="PAPER",
            autocompletion=starting(lambda: oe.papers.PAPERS),
        ),
    ] = None,
    table: str | None = option("N", "Only the table with this number."),
    figure: str | None = option("N", "Only the figure with this number."),
    output: Files = None,
    full: bool = flag("Run as many repetitions as the papers did."),
    seed: int = option("N", SEED, default=0, callback=check_seed),
) -> None:
    """Recompute the results of five papers and compare each value with the printed one.

    The extension of each output file sets its format: .html (with redrawn figures), .json, .csv,
    .md, .tex or .docx.

    \b
    Examples:
      ordeval reproduce cardoso2011 --table 4
      ordeval reproduce -o papers.html -o papers.json
    """
    formats = {f".{x}": x for x in ("html", "json", "csv", "docx")}
    formats |= {".htm": "html", ".md": "markdown", ".tex": "latex"}
    written = {path: ending(path, formats) for path in output or []}
    need_for_documents(path.suffix.lower() for path in written)
    check_files((), *written)
    with progress() as shown:
        found = oe.papers.reproduce(
            paper, table=table, figure=figure, full=full, rng=seed, progress=shown
        )
    for path, kind in written.items():
        put_file(getattr(found, f"to_{kind}")(), path)
    put(found.to_text())
