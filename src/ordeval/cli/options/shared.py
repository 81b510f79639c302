"""The options that commands share, each said once, in groups."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

import ordeval as oe
from ordeval._shared.extras import check_extra
from ordeval._shared.text import joined
from ordeval._shared.types import Progress
from ordeval.cli.options.labels import named_files, read_labels
from ordeval.cli.options.option_groups import flag, option, starting
from ordeval.cli.options.population import Averaged, Partial
from ordeval.data.sources.file_form import FORMATS, Form
from ordeval.data.sources.files import FileSource
from ordeval.inference.advice import CATALOGUE

Format = Literal["text", "json", "csv", "markdown", "latex", "docx"]
_FORMATS = ("text", "json", "csv", "markdown", "latex", "docx")
_METHODS = ("auto", "bca", "percentile")
ENDINGS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".docx": "docx",
}
KINDS = (
    "CSV, Excel, Parquet, JSON lines, Arrow, DuckDB or SQLite. Several files, or a quoted pattern, "
    "are read as one table. - reads standard input, as CSV by default."
)
FilesRead = Annotated[list[str], typer.Argument(help=KINDS, metavar="FILE")]


def metric_names() -> list[str]:
    """The measures, for completion in the shell."""
    return [m.name for m in oe.metrics()]


def codes(incomplete: str) -> list[str]:
    """Warning codes that start like this, for completion in the shell."""
    return starting(CATALOGUE)(incomplete.upper())


def check_seed(seed: int | None) -> int | None:
    """Refuse a seed that no generator takes."""
    if seed is not None and seed < 0:
        raise oe.ParameterError(f"--seed must be an integer >= 0; got {seed}.")
    return seed


SEED = "Random seed: the same seed gives the same result."
Measures = Annotated[
    list[str] | None,
    option(
        "NAME",
        "Measure; may be repeated. `ordeval metrics` lists them. With a parameter, in "
        "quotes: 'sensitivity(at_least=moderate)'.",
        words=metric_names,
    ),
]
Cost = Annotated[
    str | None,
    option(
        "FILE",
        "CSV of error costs, for measures such as expected_cost. The first line names the "
        "predicted levels, the first column the true ones, in any order.",
    ),
]
OneMetric = Annotated[
    str | None,
    typer.Argument(help="A measure.", metavar="NAME", autocompletion=starting(metric_names)),
]
Weight = Annotated[str | None, option("COL", "Column of item weights.")]
By = Annotated[
    list[str] | None,
    option("COL", "Report results for each value of this column; may be repeated."),
]
SummaryOnly = Annotated[bool, flag("With --by: print only the table of subgroups.")]


def check_summary(summary: bool, by: list[str] | None) -> None:
    """Reject a table of subgroups if there are none."""
    if summary and not by:
        raise oe.ParameterError("--summary needs subgroups: add --by COL.")


Level = Annotated[float, option("SHARE", "Confidence level of the intervals.")]


def _method(drawn: str) -> Any:
    said = f"Method of the intervals: auto (no resampling), {drawn} (bootstrap)."
    return option("NAME", said, words=_METHODS)


MethodOfPairs = Annotated[str, _method("bca or percentile")]
MethodOfOne = Annotated[str, _method("bca, percentile or bayes")]
Clusters = Annotated[
    list[str] | None,
    option(
        "COL",
        "Column of clusters, such as patients, whose items are not independent. If ids repeat "
        "within an outer column, such as hospitals, name both, the outer one first.",
    ),
]
Resamples = Annotated[int, option("N", "Bootstrap resamples, with --method bca or the like.")]
Seed = Annotated[
    int | None,
    option("N", "Seed of the resampling, with --method bca or the like.", callback=check_seed),
]
Files = Annotated[
    list[Path] | None,
    option(
        "FILE",
        "Output file; its extension sets the format. May be repeated.",
        "--output",
        "-o",
        readable=False,
    ),
]


Labels = Annotated[
    str | None,
    option(
        "LIST",
        "All labels, lowest first, such as low,medium,high or 1..5; or @FILE, a JSON list of them.",
    ),
]
TableName = Annotated[
    str | None, option("NAME", "Table of a DuckDB or SQLite file, or sheet of a workbook.")
]
HeaderRow = Annotated[
    int | None,
    option("N", "Row of the header in a sheet. Default: the first with two filled cells or more."),
]
InputFormat = Annotated[
    str | None,
    option(
        "FORMAT",
        "Format of FILE: csv, xlsx, parquet, jsonl, json, arrow, duckdb or sqlite. Default: by its "
        "name.",
        words=FORMATS,
    ),
]
RowFilter = Annotated[
    str | None,
    option("FILTER", "Read only matching rows, such as \"split = 'test' and grade in (1, 2)\"."),
]
Encoding = Annotated[str | None, option("NAME", "Encoding of the CSV. Default: UTF-8.")]
Decimal = Annotated[
    str | None,
    option("MARK", "Decimal mark in the CSV: . or , (default: found in files with ; or tabs)."),
]


def missing_columns(columns: Any, instead: list[str]) -> str:
    """What is missing of --truth and the columns of predictions, and which columns there are."""
    wanted = [] if columns.truth else ["--truth"]
    if not any(columns.outputs.values()):
        either = f" (or {', '.join(instead[1:])})" if instead[1:] else ""
        wanted.append(f"{instead[0]}{either}")
    said = f"Missing {' and '.join(wanted)}."
    with suppress(oe.OrdevalError):
        found = [] if "-" in columns.file else [*columns.source(None).columns()]
        said += f" Columns: {joined(found, most=12)}." if found else ""
    return said


@dataclass(frozen=True)
class ColumnsRead:
    """Which columns of which files are read, on which scale."""

    file: FilesRead
    truth: str = option("COL", "Column of the true labels.", default="")
    pred: list[str] = option("COL", "Column of a model's predictions; may be repeated.", default=[])
    labels: Labels = None
    table: TableName = None
    header_row: HeaderRow = None
    input_format: InputFormat = None
    where: RowFilter = None
    encoding: Encoding = None
    decimal: Decimal = None
    drop_missing: bool = flag("Drop items with a missing label and report their number.")
    drop_unknown: bool = flag("Drop items whose label is not in --labels and report their number.")

    def need(self) -> None:
        """Refuse to go on without columns."""
        if not self.truth or not self.pred:
            raise oe.LabelError(missing_columns(self, ["--pred"]))

    @property
    def scale(self) -> list[Any] | None:
        """The labels of --labels."""
        return None if self.labels is None else read_labels(self.labels)

    def costs(self, file: str) -> Any:
        """The costs of a file, in the order of --labels."""
        if self.scale is None:
            raise oe.ParameterError("--cost needs the order of the levels: add --labels.")
        return oe.read_costs(file, self.scale)

    @property
    def outputs(self) -> dict[str, Any]:
        """The columns of the models, as arguments of ``Predictions.from_file``."""
        return {"pred": self.pred or None}

    @property
    def misfits(self) -> dict[str, Any]:
        """What happens to labels that do not fit."""
        return {
            "missing": "drop" if self.drop_missing else "raise",
            "unknown": "drop" if self.drop_unknown else "raise",
        }

    @property
    def form(self) -> Form:
        """Options about the file, other than its name."""
        return Form.of(self.input_format, self.encoding, self.decimal, self.where, self.header_row)

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        return [*self.file, *named_files(self.labels)]

    def of_matrix(self) -> str:
        """The file with a matrix instead of columns."""
        if len(self.file) != 1:
            got = joined(self.file) or "none"
            raise oe.ParameterError(f"--confusion takes one FILE; got {got}.")
        return self.file[0]

    @property
    def joins(self) -> dict[str, Any]:
        """Where items, truth and predictions are, as arguments of ``Predictions.from_file``."""
        return {}

    def source(self, progress: Progress | None) -> FileSource:
        """What is read, as one table."""
        return FileSource(self.file, self.table, progress, self.form)

    def predictions(
        self,
        progress: Progress | None,
        *,
        decide: Any = "mode",
        weight: str | None = None,
        by: list[str] | None = None,
        clusters: list[str] | None = None,
        partial: dict[str, Any] | None = None,
    ) -> oe.Predictions:
        """The data that the options describe."""
        return oe.Predictions.from_file(
            self.file,
            self.truth,
            labels=self.scale,
            weight=weight,
            by=by or None,
            clusters=clusters or None,
            where=self.where,
            table=self.table,
            header_row=self.header_row,
            format=self.input_format,
            encoding=self.encoding,
            decimal=self.decimal,
            decide=decide,
            progress=progress,
            **(partial or {}),
            **self.outputs,
            **self.joins,
            **self.misfits,
        )


@dataclass(frozen=True)
class Intervals:
    """How intervals of scores are made, if they are."""

    clusters: Clusters = None
    level: Level = 0.95
    no_intervals: bool = flag("Print values without intervals, which is faster.")
    method: MethodOfOne = "auto"
    resamples: Resamples = 9999
    seed: Seed = None

    def options(self) -> dict[str, Any]:
        """Return the options as arguments of score."""
        if self.no_intervals and self.clusters:
            raise oe.ParameterError(
                "--clusters affects only intervals, which --no-intervals turns off."
            )
        return {
            "level": None if self.no_intervals else self.level,
            "method": self.method,
            "n_resamples": self.resamples,
        }


@dataclass(frozen=True)
class Comparing(Averaged, Partial):
    """How models are compared, and for which population."""

    weight: Weight = None
    by: By = None
    metric: Measures = None
    cost: Cost = None
    clusters: Clusters = None
    unit: str = option("NOUN", "What an item is called, such as image.", default="item")
    cluster_unit: str = option(
        "NOUN", "What a cluster is called, such as patient.", default="cluster"
    )
    reference: str | None = option("MODEL", "Compare every other model with this one.")
    margin: float | None = option(
        "X",
        "Non-inferiority margin, in units of the first measure: how much worse than "
        "--reference a model may be.",
    )
    level: Level = 0.95
    method: MethodOfPairs = "auto"
    resamples: Resamples = 9999
    seed: Seed = None

    def options(self) -> dict[str, Any]:
        """The question, as arguments of compare."""
        return {
            "reference": self.reference,
            "margin": self.margin,
            "level": self.level,
            "method": self.method,
            "n_resamples": self.resamples,
            "rng": self.seed,
            **self.target,
        }


@dataclass(frozen=True)
class Details:
    """Which details of a comparison are printed beside the answer."""

    pairs: bool = flag("Print all pairwise differences.")
    all: bool = flag("Print all tables, with all measures.")
    verbose: bool = flag("Print the caveats, and how intervals were made.")

    @property
    def names(self) -> list[Any]:
        """The details that were asked for."""
        return [f.name for f in fields(self) if getattr(self, f.name)]


@dataclass(frozen=True)
class Out:
    """In which format results are shown, and where."""

    format: str | None = option(
        "FORMAT", "Format: text, json, csv, markdown, latex, or docx (Word).", words=_FORMATS
    )
    output: Path | None = option(
        "FILE",
        "Output file. Its extension sets the format unless --format is given.",
        "--output",
        "-o",
        readable=False,
    )

    def chosen(self) -> Format | None:
        """The format: as --format says, else as the file ends; None: text on the terminal."""
        found = self._chosen()
        if found == "docx":
            need_for_documents([".docx"])
            if self.output is None:
                raise oe.ParameterError("Word needs a file: add --output FILE.docx.")
        return found

    def _chosen(self) -> Format | None:
        if self.format is not None:
            if self.format not in _FORMATS:
                raise oe.ParameterError(
                    f"--format must be {joined(_FORMATS, 'or')}; got {self.format!r}."
                )
            return cast(Format, self.format)
        if self.output is None:
            return None
        return cast(Format, ending(self.output, ENDINGS, ", or add --format"))


@dataclass(frozen=True)
class BriefOut(Out):
    """In which format results are shown, and where; possibly as a comment in Markdown."""

    brief: bool = flag("Markdown for a pull-request comment: the verdict and one table.")

    def _chosen(self) -> Format | None:
        found = super()._chosen()
        if self.brief and found not in (None, "markdown"):
            raise oe.ParameterError(f"--brief gives Markdown and cannot be combined with {found}.")
        return "markdown" if self.brief else found


def need_for_documents(endings: Iterable[str]) -> None:
    """Raise an error for a package that a report lacks, before the work."""
    for name in endings:
        if name == ".docx":
            check_extra(["docx", "matplotlib"], extra="docx", purpose="a Word document")
        elif name in (".html", ".htm"):
            check_extra(["jinja2", "matplotlib"], extra="report", purpose="a report")


def ending(path: Path, known: dict[str, Any], otherwise: str = "") -> Any:
    """What the ending of a file's name stands for."""
    if path.suffix.lower() not in known:
        shown = joined(list(known), "or", most=len(known))
        raise oe.ParameterError(f"--output must end in {shown}{otherwise}; got {str(path)!r}.")
    return known[path.suffix.lower()]
