"""From results to text, files and progress bars."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress as RichProgress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

import ordeval as oe
from ordeval._shared.result import Result, dumps
from ordeval._shared.types import Progress
from ordeval._shared.writing import write_text
from ordeval.cli._options import Format, Out


def keep_input(file: str, *outputs: Path | None) -> None:
    """Refuse to write over the data."""
    for output in outputs:
        there = output is not None and output.exists() and Path(file).exists()
        if there and output is not None and output.samefile(file):
            raise oe.OutputError(f"--output {str(output)!r} is the file that is read.")


def show(result: Result, out: Out) -> None:
    """Print a result, or write it to a file, in the format that was asked for."""
    put(rendered(result, out.chosen()), out.output)


def rendered(result: Result, chosen: Format | None) -> str:
    """A result in one of the formats; None: text, with colours on a terminal."""
    match chosen:
        case "json":
            return dumps(result.kind, {**result.facts(), "command": ["ordeval", *sys.argv[1:]]})
        case "csv":
            return result.to_csv()
        case "markdown":
            return result.to_markdown()
        case "latex":
            return result.to_latex()
        case "text":
            return result.to_text()
    console = Console()
    if not console.is_terminal:
        return result.to_text()
    with console.capture() as captured:
        console.print(result)
    return captured.get()


def command() -> str:
    """What was typed, so that it can be typed again."""
    return shlex.join(["ordeval", *sys.argv[1:]])


def put(text: str, output: Path | None) -> None:
    """Print, or write a file whole."""
    text = text if text.endswith("\n") else text + "\n"
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(output, text)


@contextmanager
def progress() -> Iterator[Progress | None]:
    """Progress bars on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal or os.environ.get("TERM") == "dumb":
        yield None
        return
    with RichProgress(
        TextColumn("{task.description}"), BarColumn(), _Amount(), TimeElapsedColumn(),
        console=console, transient=True,
    ) as bars:  # fmt: skip
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of or None)
            bars.update(tasks[stage], completed=done)

        yield show


class _Amount(ProgressColumn):
    """Bytes as kilobytes and so on, anything else as a plain number."""

    def render(self, task: Any) -> Any:
        """The amount that is done, and of how much."""
        column = DownloadColumn() if task.description.endswith("bytes") else MofNCompleteColumn()
        return column.render(task)
