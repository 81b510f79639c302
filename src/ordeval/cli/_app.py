"""The application, and how it ends."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Annotated

import typer

import ordeval as oe
from ordeval.cli._options import option

app = typer.Typer(
    name="ordeval",
    help="How good is a classifier whose labels have an order?",
    epilog="Exit codes: 0 fine, 1 a --fail-under gate failed, 2 bad input or usage.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"ordeval {oe.__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; what is wrong with the input is one message and exit code 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character gets a question mark, not an error.
        sys.stdout.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", oe.OrdevalWarning)
            try:
                app()
            finally:
                for w in caught:
                    if issubclass(w.category, oe.OrdevalWarning):
                        print(f"warning: {w.message}", file=sys.stderr)
    except oe.OrdevalError as error:
        print(f"ordeval: {_in_flags(str(error))}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        # Standard output is full, say.
        print(f"ordeval: {error.strerror or error}.", file=sys.stderr)
        sys.exit(2)


def _in_flags(message: str) -> str:
    """A message for Python callers in the words of the command line."""
    for python, flag in _FLAGS.items():
        message = message.replace(python, flag)
    return message


_FLAGS = {
    "labels=['low', 'medium', 'high'], or pass an ordered categorical": "--labels low,medium,high",
    'pass missing="drop"': "give --drop-missing",
    'pass unknown="drop"': "give --drop-unknown",
    "add the level to labels=": "add the level to --labels",
    "labels=oe.Scale.range(": "--labels with all from (",
    "labels=[...]": "--labels",
    "labels=": "--labels",
    "table=": "--table",
    "oe.metrics()": "`ordeval metrics`",
    "n_resamples": "--resamples",
}
