"""ordeval explain"""

from typing import Annotated

import typer

import ordeval as oe
from ordeval.cli._app import app
from ordeval.cli._options import codes


@app.command()
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
    print(oe.explain(code))
