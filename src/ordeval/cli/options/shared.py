"""The options that commands share, each said once, in groups."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

import ordeval as oe
from ordeval._shared.text import joined
from ordeval._shared.types import Progress
from ordeval.cli.options.labels import labels_files, read_labels
from ordeval.data.sources.file_form import FORMATS, Form
from ordeval.data.sources.files import FileSource
from ordeval.inference.advice import CATALOGUE

Format = Literal["text", "json", "csv", "markdown", "latex"]
_FORMATS = ("text", "json", "csv", "markdown", "latex")
_METHODS = ("auto", "bca", "percentile")
ENDINGS = {".txt": "text", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
KINDS = (
    "CSV, Parquet, JSON lines, Arrow, DuckDB, SQLite; several files, or a pattern in quotes, are "
    "read as one table; - is standard input, CSV unless --input-format says otherwise."
)
FilesRead = Annotated[list[str], typer.Argument(help=KINDS, metavar="FILE")]


def option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002 - Typer's word
    """An option that does not print its default."""
    return typer.Option(*names, help=help, show_default=False, **more)


def metric_names(incomplete: str) -> list[str]:
    """Measures that start like this, for completion in the shell."""
    return [m.name for m in oe.metrics() if m.name.startswith(incomplete)]


def formats(incomplete: str) -> list[str]:
    """Formats that start like this, for completion in the shell."""
    return [f for f in _FORMATS if f.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """Methods that start like this, for completion in the shell."""
    return [m for m in _METHODS if m.startswith(incomplete)]


def input_formats(incomplete: str) -> list[str]:
    """Kinds of files that start like this, for completion in the shell."""
    return [f for f in FORMATS if f.startswith(incomplete)]


def codes(incomplete: str) -> list[str]:
    """Warning codes that start like this, for completion in the shell."""
    return [c for c in CATALOGUE if c.startswith(incomplete.upper())]


def check_seed(seed: int | None) -> int | None:
    """Refuse a seed that no generator takes."""
    if seed is not None and seed < 0:
        raise oe.ParameterError(f"--seed must be an integer >= 0; got {seed}.")
    return seed


SEED: dict[str, Any] = {
    "metavar": "N",
    "help": "Seed of the draws: the same seed gives the same result.",
    "callback": check_seed,
}
Metric = Annotated[
    list[str] | None,
    option(
        "--metric",
        metavar="NAME",
        help="Measure; may be repeated. `ordeval metrics` lists them. With a parameter, in "
        "quotes: 'threshold_auc(threshold=1)'.",
        autocompletion=metric_names,
    ),
]
Cost = Annotated[
    str | None,
    option(
        "--cost",
        metavar="FILE",
        help="CSV of what errors cost, for measures such as expected_cost: the first line names "
        "the predicted levels, the first column the true ones, in any order.",
    ),
]
OneMetric = Annotated[
    str | None, typer.Argument(help="A measure.", metavar="NAME", autocompletion=metric_names)
]
Weight = Annotated[str | None, option("--weight", metavar="COL", help="Column of item weights.")]
By = Annotated[
    list[str] | None,
    option(
        "--by", metavar="COL", help="Give results for each value of this column; may be repeated."
    ),
]
Summary = Annotated[bool, option("--summary", help="With --by, print the table of subgroups only.")]


def check_summary(summary: bool, by: list[str] | None) -> None:
    """Refuse a table of subgroups where there are none."""
    if summary and not by:
        raise oe.ParameterError("--summary is for subgroups, which --by names.")


Level = Annotated[
    float, typer.Option("--level", metavar="SHARE", help="Confidence level of the intervals.")
]


def _method(drawn: str) -> Any:
    return typer.Option(
        "--method",
        metavar="NAME",
        help=f"How intervals are made: auto, without draws; {drawn}, with draws.",
        autocompletion=methods,
    )


Method = Annotated[str, _method("bca or percentile")]
MethodOfOne = Annotated[str, _method("bca, percentile or bayes")]
Clusters = Annotated[
    list[str] | None,
    option(
        "--clusters",
        metavar="COL",
        help="Column of clusters, such as patients, whose items are not independent; repeat, "
        "outermost first, if they are numbered within others: the innermost count.",
    ),
]
Resamples = Annotated[
    int, typer.Option("--resamples", metavar="N", help="Number of draws, if --method makes any.")
]
Seed = Annotated[
    int | None,
    option("--seed", **{**SEED, "help": "Seed of the draws, if --method makes any."}),
]
Files = Annotated[
    list[Path] | None,
    option(
        "--output",
        "-o",
        metavar="FILE",
        help="File to write, whose ending sets the format; may be repeated.",
        readable=False,
    ),
]


Labels = Annotated[
    str | None,
    option(
        "--labels",
        metavar="LIST",
        help="All labels, lowest first, such as low,medium,high or 1..5; or @FILE, a JSON list "
        "of them.",
    ),
]
Table = Annotated[
    str | None,
    option("--table", metavar="NAME", help="Table to read from a DuckDB or SQLite file."),
]
InputFormat = Annotated[
    str | None,
    option(
        "--input-format",
        metavar="FORMAT",
        help="Kind of FILE, whatever its name: csv, parquet, jsonl, json, arrow, duckdb or sqlite.",
        autocompletion=input_formats,
    ),
]
Where = Annotated[
    str | None,
    option(
        "--where",
        metavar="FILTER",
        help="Read only rows of FILE such as \"split = 'test' and grade in (1, 2)\".",
    ),
]
Encoding = Annotated[
    str | None,
    option("--encoding", metavar="NAME", help="Encoding of CSV that is not UTF-8: latin-1, say."),
]
Decimal = Annotated[
    str | None,
    option("--decimal", metavar="MARK", help="Decimal mark of numbers in CSV: . unless told, or ,"),
]


@dataclass(frozen=True)
class Columns:
    """Which columns of which files are read, on which scale."""

    file: FilesRead
    truth: Annotated[str, option("--truth", metavar="COL", help="Column of the true labels.")] = ""
    pred: Annotated[
        list[str],
        option("--pred", metavar="COL", help="Column of a model's predictions; may be repeated."),
    ] = field(default_factory=list)
    labels: Labels = None
    table: Table = None
    input_format: InputFormat = None
    where: Where = None
    encoding: Encoding = None
    decimal: Decimal = None
    drop_missing: Annotated[
        bool, option("--drop-missing", help="Drop items without a label, and say how many.")
    ] = False
    drop_unknown: Annotated[
        bool, option("--drop-unknown", help="Drop items whose label is not in --labels.")
    ] = False

    def need(self) -> None:
        """Refuse to go on without columns."""
        if not self.truth or not self.pred:
            raise oe.LabelError("name the columns: --truth COLUMN --pred COLUMN.")

    @property
    def scale(self) -> list[Any] | None:
        """The labels of --labels."""
        return None if self.labels is None else read_labels(self.labels)

    def costs(self, file: str) -> Any:
        """The costs of a file, in the order of --labels."""
        if self.scale is None:
            raise oe.ParameterError("--cost needs --labels, the order in which its levels are put.")
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
        """What is said of the file beside its name."""
        return Form.of(self.input_format, self.encoding, self.decimal, self.where)

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        return [*self.file, *labels_files(self.labels)]

    def of_matrix(self) -> str:
        """The file, which holds a matrix in place of columns."""
        if len(self.file) != 1:
            got = joined(self.file) or "none"
            raise oe.ParameterError(f"a matrix is in one file, FILE; got {got}.")
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
            format=self.input_format,
            encoding=self.encoding,
            decimal=self.decimal,
            decide=decide,
            progress=progress,
            **self.outputs,
            **self.joins,
            **self.misfits,
        )


@dataclass(frozen=True)
class Intervals:
    """How intervals of scores are made, if they are."""

    clusters: Clusters = None
    level: Level = 0.95
    no_intervals: Annotated[
        bool, option("--no-intervals", help="Values only, which is faster for many subgroups.")
    ] = False
    method: MethodOfOne = "auto"
    resamples: Resamples = 9999
    seed: Seed = None

    def options(self) -> dict[str, Any]:
        """The same, as arguments of score."""
        if self.no_intervals and self.clusters:
            raise oe.ParameterError("--clusters is for intervals, which --no-intervals leaves out.")
        return {
            "level": None if self.no_intervals else self.level,
            "method": self.method,
            "n_resamples": self.resamples,
        }


@dataclass(frozen=True)
class Comparing:
    """How models are compared."""

    weight: Weight = None
    by: By = None
    metric: Metric = None
    cost: Cost = None
    clusters: Clusters = None
    reference: Annotated[
        str | None,
        option("--reference", metavar="COL", help="Compare all other models with this one."),
    ] = None
    margin: Annotated[
        float | None,
        option(
            "--margin",
            metavar="X",
            help="How much worse, by the first measure, a model may be than --reference and "
            "still count as non-inferior.",
        ),
    ] = None
    level: Level = 0.95
    method: Method = "auto"
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
        }


@dataclass(frozen=True)
class Out:
    """In which format results are shown, and where."""

    format: Annotated[
        str | None,
        option(
            "--format",
            metavar="FORMAT",
            help="text, json, csv, markdown or latex.",
            autocompletion=formats,
        ),
    ] = None
    output: Annotated[
        Path | None,
        option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write instead of printing; without --format its ending sets the format.",
            readable=False,
        ),
    ] = None

    def chosen(self) -> Format | None:
        """The format: as --format says, else as the file ends; None: text on the terminal."""
        if self.format is not None:
            if self.format not in _FORMATS:
                raise oe.ParameterError(
                    f"--format must be {joined(_FORMATS, 'or')}; got {self.format!r}."
                )
            return cast(Format, self.format)
        if self.output is None:
            return None
        return cast(Format, ending(self.output, ENDINGS, ", unless --format is given"))


def ending(path: Path, known: dict[str, Any], otherwise: str = "") -> Any:
    """What the ending of a file's name stands for."""
    if path.suffix.lower() not in known:
        shown = joined(list(known), "or", most=len(known))
        raise oe.ParameterError(f"--output must end in {shown}{otherwise}; got {str(path)!r}.")
    return known[path.suffix.lower()]
