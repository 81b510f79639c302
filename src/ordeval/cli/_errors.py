"""What the command says when something is wrong: one sentence, on standard error."""

import re
import sys
from contextlib import suppress

import ordeval as oe
from ordeval._shared.text import did_you_mean, visible

DEBUG = "ORDEVAL_DEBUG"
_LONGEST = 300  # characters without a space; longer values are cut


def complain(text: str) -> None:
    """Print one line to standard error, if anybody reads it; nothing in it moves the cursor."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(_shortened(visible(text)), file=sys.stderr, flush=True)


def sentence(error: Exception) -> str:
    """What is wrong, for whoever typed the command."""
    if isinstance(error, oe.OrdevalError):
        return str(error)
    if isinstance(error, MemoryError):
        return "Not enough memory. Use fewer labels, resamples or subgroups."
    if hasattr(error, "format_message"):  # what Typer found wrong with the words
        return _usage(error)
    if isinstance(error, OSError):
        # Standard output is full, say.
        place = f"{error.filename!r}: " if error.filename else ""
        return f"{place}{error.strerror or error}."
    return (
        f"Bug in ordeval, not in your data: {type(error).__name__}: "
        f"{' '.join(str(error).split()).rstrip('.')}. Please report it; set {DEBUG}=1 to see the "
        f"traceback."
    )


def _usage(error: Exception) -> str:
    said = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    if hasattr(error, "possibilities"):
        near = list(error.possibilities or ())[:3]
        said = f"There is no option {error.option_name}.{did_you_mean(near)}"  # type: ignore[attr-defined]
    path = getattr(getattr(error, "ctx", None), "command_path", "ordeval")
    end = "" if said.endswith((".", "?")) else "."
    return f"{said}{end} See `{path} --help`."


def _shortened(text: str) -> str:
    """Shorten long parts in the middle."""
    return re.sub(
        rf"\S{{{_LONGEST + 1},}}", lambda found: f"{found[0][:40]}…{found[0][-20:]}", text
    )
