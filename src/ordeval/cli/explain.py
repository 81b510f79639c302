"""ordeval explain"""

from typing import Annotated

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._options import codes
from ordeval.cli._output import put
from ordeval.cli._parsing import Strict


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
