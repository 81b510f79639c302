"""Progress bars on a terminal."""

from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)


def bars_on(console: Console) -> Progress:
    """Progress bars that vanish at the end."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        _Amount(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )


class _Amount(ProgressColumn):
    """Bytes as kilobytes and so on, anything else as a plain number."""

    def render(self, task: Any) -> Any:
        """The amount that is done, and of how much."""
        column = DownloadColumn() if task.description.endswith("bytes") else MofNCompleteColumn()
        return column.render(task)
