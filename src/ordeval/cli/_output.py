"""From results to text, files and progress bars."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as RichProgress

import ordeval as oe
from ordeval._shared.tables import Cell, Table
from ordeval._shared.writing import write_text
from ordeval.data.files import Progress

Format = Literal["json", "csv", "markdown", "latex", "text"]
Render = Format | None  # None: text on standard output, with colours on a terminal

_ENDINGS: Final[dict[str, Format]] = {
    ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex",
}  # fmt: skip


def keep_input(file: str, output: Path | None) -> None:
    """Refuse to write over the data."""
    if output is None or not output.exists() or not Path(file).exists():
        return
    if output.samefile(file):
        raise oe.OutputError(f"--output {str(output)!r} is the file that is read.")


def refuse_nothing(matrices: Mapping[str, oe.ConfusionMatrix]) -> None:
    """Refuse to score nothing at all."""
    for name, cm in matrices.items():
        if not np.any(cm.counts):
            lost = cm.dropped
            why = f": {lost.missing:,} are missing, {lost.unknown:,} unknown" if lost else ""
            raise oe.LabelError(f"{name} has no items to score{why}.")


def renderer(
    as_json: bool, as_csv: bool, as_markdown: bool, as_latex: bool, output: Path | None
) -> Render:
    """How results are shown: as an option says, else as the name of the output file does."""
    asked = {"json": as_json, "csv": as_csv, "markdown": as_markdown, "latex": as_latex}
    chosen: list[Any] = [name for name, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise oe.ParameterError("choose one of --json, --csv, --markdown and --latex.")
    if chosen:
        return cast(Format, chosen[0])
    return None if output is None else _ENDINGS.get(output.suffix.lower(), "text")


def renderings(
    html: Path | None, output: Path | None
) -> dict[Path, Callable[[oe.report.Report], str]]:
    """The files that a report is written to, and what each of them is."""
    kinds = {
        ".html": oe.report.to_html, ".htm": oe.report.to_html, ".md": oe.report.to_markdown,
        ".tex": oe.report.to_latex, ".json": oe.report.to_json,
    }  # fmt: skip
    found: dict[Path, Callable[[oe.report.Report], str]] = {}
    if html is not None:
        found[html] = oe.report.to_html
    if output is not None:
        if output.suffix.lower() not in kinds:
            raise oe.ParameterError(
                f"--output must end in {', '.join(kinds)}; got {str(output)!r}."
            )
        found[output] = kinds[output.suffix.lower()]
    if not found:
        raise oe.ParameterError("name the file: --html report.html.")
    return found


def command() -> str:
    """What was typed, so that it can be typed again."""
    return shlex.join(["ordeval", *sys.argv[1:]])


def text_of_scores(scores: Mapping[str, oe.Scores], render: Render) -> str:
    """Scores of models, in the format that was asked for."""
    if render != "json":
        return _titled(list(scores.items()), render)
    models = {name: {m: _plain(v) for m, v in s.items()} for name, s in scores.items()}
    facts = {
        name: {
            "items": s.confusion.total,
            "matrix": s.confusion.counts.tolist(),
            "dropped": asdict(s.confusion.dropped),
            "advice": [asdict(a) for a in s.advice],
        }
        for name, s in scores.items()
    }
    scale = [str(x) for x in next(iter(scores.values())).confusion.scale]
    return _dumped("ordeval.scores", scale=scale, models=models, facts=facts)


def text_of_groups(by: list[str], scores: Mapping[str, oe.GroupScores], render: Render) -> str:
    """Scores of models in groups, in the format that was asked for."""
    if render != "json":
        return _titled(list(scores.items()), render)
    models = {
        m: [{k: _plain(v) for k, v in row.items()} for row in s.rows()] for m, s in scores.items()
    }
    dropped = {m: asdict(s.confusion.dropped) for m, s in scores.items()}
    scale = [str(x) for x in next(iter(scores.values())).confusion.scale]
    return _dumped("ordeval.group_scores", by=by, scale=scale, models=models, dropped=dropped)


def text_of_comparisons(
    by: list[str] | None, found: Mapping[Any, oe.Comparison], render: Render
) -> str:
    """One comparison, or one for each group, in the format that was asked for."""
    if not by:
        (comparison,) = found.values()
        if render != "json":
            return _rendered(comparison, render)
        facts = json.loads(comparison.to_json())
        return _dumped(facts.pop("kind"), **facts)
    if render == "json":
        groups = [
            {"group": _plain(g), "comparison": json.loads(c.to_json())} for g, c in found.items()
        ]
        return _dumped("ordeval.comparisons", by=by, groups=groups)
    titled = [(f"{', '.join(by)} = {group(g)}", c) for g, c in found.items()]
    text = _titled(titled, render, always=True)
    return text if render not in (None, "text") else f"{_overview(by, found).to_text()}\n\n{text}"


def text_of_rows(kind: str, result: Any, render: Render) -> str:
    """A table about measures, in the format that was asked for."""
    if render != "json":
        return _rendered(result, render)
    rows = [{k: _plain(v) for k, v in row.items()} for row in result.rows()]
    return _dumped(kind, rows=rows)


def _overview(by: list[str], found: Mapping[Any, oe.Comparison]) -> Table:
    """The best model of each group, before the groups one by one."""
    rows = tuple(
        (
            Cell(group(g)),
            Cell(f"{c.items:,}"),
            Cell(c.models[0]),
            Cell(f"{c.estimates[c.primary.name][c.models[0]].estimate:.3f}"),
            Cell(f"{c.probability_best[c.primary.name][c.models[0]]:.2f}"),
            Cell(", ".join(next((x[1:] for x in c.cliques() if x[0] == c.models[0]), ()))),
        )
        for g, c in found.items()
    )
    metric = next(iter(found.values())).primary
    head = (", ".join(by), "items", "best", metric.symbol, "P(best)", "not told apart from it")
    return Table(head, rows, f"best by {metric.name} in each group")


def _rendered(result: Any, render: Render) -> str:
    match render:
        case "csv":
            return str(result.to_csv())
        case "markdown":
            return str(result.to_markdown())
        case "latex":
            return str(result.to_latex())
        case "text":
            return repr(result)
    console = Console()
    if not console.is_terminal:
        return repr(result)
    with console.capture() as captured:
        console.print(result)
    return captured.get()


def _titled(results: list[tuple[str, Any]], render: Render, *, always: bool = False) -> str:
    """Several results one below the other, each under its name; CSV has it as first column."""
    texts = [(name, _rendered(x, render)) for name, x in results]
    if len(texts) == 1 and not always:
        return texts[0][1]
    if render == "latex":
        return "\n".join(f"% {name}\n{text}" for name, text in texts)
    if render != "csv":
        return "\n\n".join(f"{name}\n{text.rstrip()}" for name, text in texts)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for i, (name, text) in enumerate(texts):
        head, *rows = csv.reader(io.StringIO(text))
        writer.writerows([] if i else [["of", *head]])
        writer.writerows([name, *row] for row in rows)
    return out.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def _dumped(kind: str, **facts: Any) -> str:
    made = {"schema": 1, "kind": kind, **facts, "command": ["ordeval", *sys.argv[1:]]}
    return json.dumps(made, ensure_ascii=False, indent=1)


def group(value: Any) -> str:
    """The name of a group."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


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
