"""The options that commands share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import ordeval as oe
from ordeval.inference.advice import CATALOGUE

_KINDS = "CSV, Parquet, JSON lines, Arrow, DuckDB, SQLite; - is CSV on standard input."


def option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002 - Typer's word
    """An option that does not print its default."""
    return typer.Option(*names, help=help, show_default=False, **more)


def metric_names(incomplete: str) -> list[str]:
    """Measures that start like this, for completion in the shell."""
    return [m.name for m in oe.metrics() if m.name.startswith(incomplete)]


File = Annotated[str, typer.Argument(help=_KINDS, metavar="FILE")]
Truth = Annotated[str, option("--truth", metavar="COL", help="Column of the true labels.")]
Pred = Annotated[
    list[str], option("--pred", metavar="COL", help="Column of predictions; may be repeated.")
]
Labels = Annotated[
    str | None,
    option("--labels", metavar="LIST", help="All labels, lowest first: low,medium,high."),
]
Weight = Annotated[str | None, option("--weight", metavar="COL", help="Column of item weights.")]
By = Annotated[
    list[str] | None,
    option("--by", metavar="COL", help="Do it for each value of this column; may be repeated."),
]
Names = Annotated[
    list[str] | None,
    option(
        "--metric",
        metavar="NAME",
        help="Measure; may be repeated. `ordeval metrics` lists them.",
        autocompletion=metric_names,
    ),
]
Table = Annotated[
    str | None, option("--table", metavar="NAME", help="Table of a DuckDB or SQLite file.")
]
DropMissing = Annotated[
    bool, option("--drop-missing", help="Leave out items without a label, and say how many.")
]
DropUnknown = Annotated[
    bool, option("--drop-unknown", help="Leave out items with a label that is not in --labels.")
]
AsJson = Annotated[bool, option("--json", help="Print JSON, everything in it.")]
AsCsv = Annotated[bool, option("--csv", help="Print CSV.")]
AsMarkdown = Annotated[bool, option("--markdown", help="Print Markdown.")]
AsLatex = Annotated[bool, option("--latex", help="Print LaTeX (booktabs).")]
Output = Annotated[
    Path | None,
    option("--output", "-o", metavar="FILE", help="Write there, whole or not at all."),
]
FailUnder = Annotated[
    list[str] | None,
    option(
        "--fail-under",
        metavar="NAME=VALUE",
        help="Exit 1 if a model does worse by this measure, in its direction; may be repeated.",
    ),
]


Groups = Annotated[
    str | None, option("--groups", metavar="COL", help="Items that belong together, drawn whole.")
]
Baseline = Annotated[
    str | None, option("--baseline", metavar="COL", help="Compare all others with this one.")
]
Level = Annotated[
    float, typer.Option("--level", metavar="SHARE", help="Nominal coverage of intervals.")
]
Resamples = Annotated[int, typer.Option("--resamples", metavar="N", help="Number of draws.")]
Seed = Annotated[
    int | None, option("--seed", metavar="N", help="Makes the draws the same every time.")
]


def codes(incomplete: str) -> list[str]:
    """Warning codes that start like this, for completion in the shell."""
    return [c for c in CATALOGUE if c.startswith(incomplete.upper())]
