"""ordeval reproduce: the five papers, recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import ordeval as oe
from ordeval._shared.writing import write_text
from ordeval.cli import _output as out
from ordeval.cli._app import app
from ordeval.cli._options import option


def paper_names(incomplete: str) -> list[str]:
    """Papers that start like this, for completion in the shell."""
    return [name for name in oe.papers.PAPERS if name.startswith(incomplete)]


@app.command()
def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(
            help="cardoso2011, george2016, amigo2020, pinto_da_costa2014 or silva2018.",
            metavar="[PAPER]",
            autocompletion=paper_names,
        ),
    ] = None,
    table: Annotated[
        str | None, option("--table", metavar="N", help="Only the table of this number.")
    ] = None,
    figure: Annotated[
        str | None, option("--figure", metavar="N", help="Only the figure of this number.")
    ] = None,
    html: Annotated[
        Path | None, option("--html", metavar="FILE", help="Write a page, figures redrawn.")
    ] = None,
    json: Annotated[
        Path | None, option("--json", metavar="FILE", help="Write all values and the counts.")
    ] = None,
    full: Annotated[
        bool, option("--full", help="Repeat experiments as often as the papers do.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Makes the draws the same every time.")
    ] = 0,
) -> None:
    """Recompute what the five papers print, and say of each value what became of it.

    \b
    Examples:
      ordeval reproduce cardoso2011 --table 4
      ordeval reproduce --html papers.html --json papers.json
    """
    for path in (html, json):
        if path is not None and not path.absolute().parent.is_dir():
            raise oe.OutputError(f"{str(path)!r} cannot be written: there is no such folder.")
    with out.progress() as progress:
        found = oe.papers.reproduce(
            paper, table=table, figure=figure, full=full, seed=seed, progress=progress
        )
    if html is not None:
        write_text(html, found.to_html())
    if json is not None:
        write_text(json, found.to_json())
    out.put(repr(found), None)
