"""ordeval reproduce"""

from typing import Annotated

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import check_files, progress, put, put_file
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import SEED, Files, ending, option


def paper_names(incomplete: str) -> list[str]:
    """Papers that start like this, for completion in the shell."""
    return [name for name in oe.papers.PAPERS if name.startswith(incomplete)]


@app.command(cls=Strict)
def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(
            help="cardoso2011, george2016, amigo2020, pinto_da_costa2014 or silva2018.",
            metavar="PAPER",
            autocompletion=paper_names,
        ),
    ] = None,
    table: Annotated[
        str | None, option("--table", metavar="N", help="Only the table with this number.")
    ] = None,
    figure: Annotated[
        str | None, option("--figure", metavar="N", help="Only the figure with this number.")
    ] = None,
    output: Files = None,
    full: Annotated[
        bool, option("--full", help="Repeat experiments as often as the papers did.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", **SEED)] = 0,
) -> None:
    """Recompute what five papers print, and compare each value with the print.

    The ending of each output file sets its format: .html (with the figures redrawn), .json, .csv,
    .md, .tex or .docx.

    \b
    Examples:
      ordeval reproduce cardoso2011 --table 4
      ordeval reproduce -o papers.html -o papers.json
    """
    formats = {f".{x}": x for x in ("html", "json", "csv", "docx")}
    formats |= {".htm": "html", ".md": "markdown", ".tex": "latex"}
    written = {path: ending(path, formats) for path in output or []}
    check_files((), *written)
    with progress() as shown:
        found = oe.papers.reproduce(
            paper, table=table, figure=figure, full=full, rng=seed, progress=shown
        )
    for path, kind in written.items():
        put_file(getattr(found, f"to_{kind}")(), path)
    put(found.to_text())
