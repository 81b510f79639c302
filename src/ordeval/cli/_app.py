"""The application, and how it ends."""

import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

import ordeval as oe
from ordeval._shared.starting import INTERRUPTED, ignore_interrupts, interrupt_as_usual
from ordeval._shared.text import wording
from ordeval.cli._errors import DEBUG, complain, sentence
from ordeval.cli.options.flags import in_flags
from ordeval.cli.options.option_groups import option

app = typer.Typer(
    name="ordeval",
    help="How good is a classifier whose labels have an order?",
    epilog="Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"ordeval {oe.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(2)


def main() -> None:
    """Run the command; what is wrong with the input is one message and exit code 2."""
    interrupt_as_usual()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets a question mark, not an error.
            stream.reconfigure(errors="replace")
    code = _run()
    ignore_interrupts()
    sys.exit(code)


def _run() -> int:
    try:
        with wording(in_flags), _telling_warnings():
            code = app(prog_name="ordeval", standalone_mode=False)
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            return INTERRUPTED
        complain("ordeval: there was no answer.")
        return 2
    except SystemExit as error:
        # Typer exits like this if its output is closed, and after a completion.
        unread = getattr(error.__context__, "errno", None) == errno.EPIPE
        return 0 if unread or not isinstance(error.code, int) else error.code
    except Exception as error:
        if os.environ.get(DEBUG):
            traceback.print_exc()
        complain(f"ordeval: {sentence(error)}")
        return 2
    return code if isinstance(code, int) else 0


@contextmanager
def _telling_warnings() -> Iterator[None]:
    """Print the warnings of ordeval when all is done; those of other packages are not for users."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", oe.OrdevalWarning)
        try:
            yield
        finally:
            for w in caught:
                if issubclass(w.category, oe.OrdevalWarning):
                    complain(f"warning: {w.message}")
