"""The application, and how it ends."""

import io
import sys
import warnings
from typing import Annotated

import typer

import ordeval as oe
from ordeval._shared.text import wording
from ordeval.cli._options import in_flags, option

app = typer.Typer(
    name="ordeval", help="How good is a classifier whose labels have an order?",
    epilog="Exit codes: 0 fine, 1 a --fail-under gate failed, 2 bad input or usage.",
    no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)  # fmt: skip


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
                with wording(in_flags):
                    app(prog_name="ordeval")
            finally:
                for w in caught:
                    if issubclass(w.category, oe.OrdevalWarning):
                        print(f"warning: {w.message}", file=sys.stderr)
    except oe.OrdevalError as error:
        print(f"ordeval: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        # Standard output is full, say.
        print(f"ordeval: {error.strerror or error}.", file=sys.stderr)
        sys.exit(2)
