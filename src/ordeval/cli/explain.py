"""ordeval explain"""

from typing import Annotated

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._output import put
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import codes


@app.command(cls=Strict)
def explain(
    code: Annotated[
        str,
        typer.Argument(
            help="A warning code, such as OE103.",
            metavar="CODE",
            autocompletion=codes,
        ),
    ],
) -> None:
    """Explain a warning code."""
    put(oe.explain(code))
