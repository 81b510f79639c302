"""The application, and how it ends."""

import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module

import typer

import ordeval as oe
from ordeval import cli
from ordeval._shared.starting import INTERRUPTED, ignore_interrupts, interrupt_as_usual
from ordeval._shared.text import wording
from ordeval.cli._errors import DEBUG, complain, sentence
from ordeval.cli.options.flags import in_flags

app = typer.Typer(
    name="ordeval",
    help=cli.SUMMARY,
    epilog=cli.EXIT_CODES,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)


def with_commands(names: Iterable[str]) -> typer.Typer:
    """The application with these commands, each registered when its module is imported."""
    for name in names:
        import_module(f"ordeval.cli.{cli.module_of(name)}")
    order = [name.replace("-", "_") for name in cli.names()]
    app.registered_commands.sort(key=lambda c: order.index(str(c.callback.__name__)))  # type: ignore[union-attr]
    return app


@app.callback(invoke_without_command=True)
def _start(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(cli.general_help(), file=sys.stderr)
        raise typer.Exit(2)


def main(names: Iterable[str]) -> None:
    """Run one of these commands; what is wrong with the input is one message and exit code 2."""
    interrupt_as_usual()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets a question mark, not an error.
            stream.reconfigure(errors="replace")
    code = _run(names)
    ignore_interrupts()
    sys.exit(code)


def _run(names: Iterable[str]) -> int:
    try:
        with wording(in_flags), _telling_warnings():
            code = with_commands(names)(prog_name="ordeval", standalone_mode=False)
    except KeyboardInterrupt:
        return INTERRUPTED
    except typer.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            return INTERRUPTED
        complain("ordeval: no answer was given.")
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
