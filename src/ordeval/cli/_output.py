"""From results to text, files and progress bars."""

import io
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from glob import glob
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval._shared.result import Result, as_json
from ordeval._shared.text import visible
from ordeval._shared.types import Progress
from ordeval._shared.writing import check_writable, write_bytes, write_text
from ordeval.cli.options.shared import Format, Out
from ordeval.data.sources.paths import ENDINGS as ENDINGS_OF_FILES


def check_files(
    files: Iterable[str | None], *outputs: Path | None, junit: Path | None = None
) -> None:
    """Refuse, before any work, to read what is closed and to write what cannot be written.

    Data are never written over: neither a file that is read, nor one of those that a pattern
    or a folder covers, by whatever name.
    """
    read = [file for file in files if file is not None]
    if "-" in read and sys.stdin is None:
        raise oe.LabelError("Standard input is closed; name a file.")
    targets: set[str] = set()
    written = [("--output", output) for output in outputs] + [("--junit", junit)]
    for flag, output in written:
        if output is None:
            continue
        check_writable(output)
        # What is written is the file behind the name, even where no/.. leads through no folder.
        real = Path(os.path.realpath(output))
        for file in (file for file in read if is_read(file, output) or is_read(file, real)):
            several = file != "-" and not os.path.isfile(file)
            what = f"a file that {file!r} matches" if several else "the input file"
            raise oe.OutputError(
                f"{flag} {str(output)!r} would overwrite {what}. Choose another name."
            )
        if os.path.realpath(output) in targets:
            raise oe.OutputError(f"{flag} {str(output)!r} is given twice.")
        targets.add(os.path.realpath(output))


def is_read(file: str, output: Path) -> bool:
    """Whether a file is read, or would be the next time, were it there."""
    if file == "-":
        return _is_input(output)
    if os.path.isdir(file):
        inside = Path(output).resolve().is_relative_to(Path(file).resolve())
        return inside and output.suffix.lower() in ENDINGS_OF_FILES["parquet"]
    if os.path.exists(file):
        return output.exists() and output.samefile(file)
    if any(output.exists() and output.samefile(x) for x in glob(file, recursive=True)):
        return True
    folder, names = os.path.split(file)
    folders = glob(os.path.join(os.curdir, folder, ""), recursive=True)
    return fnmatch(output.name, names) and any(
        output.absolute().parent.samefile(x) for x in folders
    )


def _is_input(output: Path) -> bool:
    """Whether this file comes in on standard input."""
    try:
        return output.is_file() and os.path.samestat(output.stat(), os.fstat(sys.stdin.fileno()))
    except OSError:  # standard input is no file
        return False


def show(result: Result, out: Out, *, quiet: bool = False) -> None:
    """Print a result, or write it to a file, in the format that was asked for; quietly, if any."""
    chosen = out.chosen()
    if quiet and chosen is None:
        return
    if chosen == "docx" and out.output is not None:
        write_bytes(out.output, result.to_docx())
        return
    brief = getattr(out, "brief", False)
    text = result.to_markdown(brief=True) if brief else rendered(result, chosen)
    if out.output is None and chosen == "json":
        text = _in_ascii(text)
    if out.output is None and chosen is not None and sys.stdout is not None and sys.stdout.isatty():
        # What a file takes as it is, CSV say, must not move the cursor of a terminal.
        text = "\n".join(map(visible, text.split("\n")))
    put(text, out.output)


def _in_ascii(text: str) -> str:
    """JSON whose letters are escaped where standard output cannot show them all."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text)
    return text


def rendered(result: Result, chosen: Format | None) -> str:
    """A result in one of the formats; None: text, with colours on a terminal."""
    match chosen:
        case "json":
            return as_json(result, command=["ordeval", *sys.argv[1:]])
        case "csv":
            return result.to_csv()
        case "markdown":
            return result.to_markdown()
        case "latex":
            return result.to_latex()
        case "text":
            return result.to_text()
    from rich.console import Console  # slow to load, and not for pipes and files

    console = Console()
    if not console.is_terminal:
        return result.to_text()
    with console.capture() as captured:
        console.print(result)
    return captured.get()


def command() -> str:
    """What was typed, so that it can be typed again."""
    return shlex.join(["ordeval", *sys.argv[1:]])


def put_file(made: str | bytes, output: Path) -> None:
    """Write a file whole, be it text or not."""
    if isinstance(made, bytes):
        write_bytes(output, made)
    else:
        put(made, output)


def put(text: str, output: Path | None = None) -> None:
    """Print, or write a file whole. A reader that went away, as of `| head`, is no fault."""
    text = text if text.endswith("\n") else text + "\n"
    try:
        if output is not None:
            write_text(output, text)
        elif sys.stdout is None:
            raise oe.OutputError("Standard output is closed; write to a file with --output.")
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    except oe.OutputError as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise


def _forget_output() -> None:
    """Send what is still to be written nowhere: the end of Python would complain of it."""
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress() -> Iterator[Progress | None]:
    """Progress bars on a terminal, nothing elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # slow to load

    console = Console(stderr=True)
    if not console.is_terminal or os.environ.get("TERM") == "dumb":
        yield None
        return
    from ordeval.cli.options.bars import bars_on

    with bars_on(console) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of or None)
            bars.update(tasks[stage], completed=done)

        yield show
