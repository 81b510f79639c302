"""The command `ordeval`: parses, calls, prints. It holds no logic that a Python caller lacks."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress as RichProgress

import ordeval as oe
from ordeval.counting.files import file_rows
from ordeval.counting.frames import count_rows

app = typer.Typer(
    name="ordeval",
    help="How good is a classifier whose labels have an order?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_KINDS = "CSV, Parquet, JSON lines, Arrow, DuckDB, SQLite; - is CSV on standard input."


def _option(*names: str, help: str) -> Any:  # noqa: A002 - Typer's word
    return typer.Option(*names, help=help)


File = Annotated[str, typer.Argument(help=_KINDS)]
Truth = Annotated[str, _option("--truth", help="Column of the true labels.")]
Pred = Annotated[list[str], _option("--pred", help="Column of predictions; may be repeated.")]
Labels = Annotated[str | None, _option("--labels", help="Lowest first: low,medium,high.")]
Weight = Annotated[str | None, _option("--weight", help="Column of item weights.")]
Names = Annotated[list[str] | None, _option("--metric", help="Measure; may be repeated.")]
Table = Annotated[str | None, _option("--table", help="Table of a DuckDB or SQLite file.")]
DropMissing = Annotated[bool, _option("--drop-missing", help="Leave out missing labels.")]
DropUnknown = Annotated[bool, _option("--drop-unknown", help="Leave out unknown labels.")]
AsJson = Annotated[bool, _option("--json", help="Print JSON.")]
AsCsv = Annotated[bool, _option("--csv", help="Print CSV.")]
AsMarkdown = Annotated[bool, _option("--markdown", help="Print Markdown.")]
AsLatex = Annotated[bool, _option("--latex", help="Print LaTeX.")]
Output = Annotated[Path | None, _option("--output", "-o", help="Write there, do not print.")]
FailUnder = Annotated[
    list[str] | None,
    _option("--fail-under", help="metric=value: exit 1 if a model does worse; may be repeated."),
]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(f"ordeval {oe.__version__}")
        raise typer.Exit


@app.command()
def score(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    labels: Labels = None,
    weight: Weight = None,
    metric: Names = None,
    table: Table = None,
    confusion: Annotated[
        bool, typer.Option("--confusion", help="The file is a confusion matrix, rows truth.")
    ] = False,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
    fail_under: FailUnder = None,
) -> None:
    """Score one or more columns of predictions by many measures.

    Example: ordeval score preds.csv --truth stage --pred model --labels I,II,III,IV
    """
    gates = _gates(fail_under)
    if confusion:
        matrices = {file: _read_matrix(file, labels)}
    else:
        _need(truth, pred)
        rows = file_rows(file, list(dict.fromkeys([truth, *pred])), weight, table=table)
        policies: Any = _policies(drop_missing, drop_unknown)
        matrices = {
            p: oe.ConfusionMatrix.from_counted(
                count_rows(rows, truth, p, labels=_labels(labels), **policies)
            )
            for p in pred
        }
    wanted = list(metric) if metric else None
    if wanted is not None:
        wanted += [g for g in gates if g not in wanted]
    scores = {name: oe.score(cm, metrics=wanted) for name, cm in matrices.items()}
    if as_json:
        text = json.dumps(
            {
                "schema": 1,
                "kind": "ordeval.scores",
                "models": {
                    name: {m: (v if v == v else None) for m, v in s.items()}
                    for name, s in scores.items()
                },
            },
            ensure_ascii=False,
            indent=1,
        )
    else:
        render = _renderer(as_csv, as_markdown, as_latex)
        title = len(scores) > 1
        text = "\n".join(
            (f"{name}\n" if title and not as_csv else "") + render(s) for name, s in scores.items()
        )
    _put(text, output)
    _check(gates, {name: dict(s) for name, s in scores.items()})


@app.command()
def compare(
    file: File,
    truth: Truth = "",
    pred: Pred = [],  # noqa: B006 - Typer reads the default
    labels: Labels = None,
    weight: Weight = None,
    metric: Names = None,
    table: Table = None,
    groups: Annotated[
        str | None, typer.Option("--groups", help="Column of clusters, drawn whole.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Model to compare the others with.")
    ] = None,
    level: Annotated[float, typer.Option("--level", help="Nominal coverage.")] = 0.95,
    resamples: Annotated[int, typer.Option("--resamples", help="Number of draws.")] = 9999,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the draws.")] = None,
    drop_missing: DropMissing = False,
    drop_unknown: DropUnknown = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
    output: Output = None,
    fail_under: FailUnder = None,
) -> None:
    """Compare models on the same items: intervals, paired tests and a conclusion.

    Example: ordeval compare preds.parquet --truth grade --pred a --pred b --labels A,B,C,D
    """
    _need(truth, pred)
    gates = _gates(fail_under)
    wanted = list(metric) if metric else None
    if wanted is not None:
        wanted += [g for g in gates if g not in wanted]
    with _progress() as progress:
        result = oe.compare_file(
            file,
            truth,
            pred,
            table=table,
            labels=_labels(labels),
            metrics=wanted,
            sample_weight=weight,
            groups=groups,
            baseline=baseline,
            level=level,
            n_resamples=resamples,
            rng=seed,
            progress=progress,
            **_policies(drop_missing, drop_unknown),
        )
    text = result.to_json() if as_json else _renderer(as_csv, as_markdown, as_latex)(result)
    _put(text, output)
    _check(
        gates,
        {m: {n: by[m].estimate for n, by in result.estimates.items()} for m in result.models},
    )


@app.command()
def metrics(
    name: Annotated[str | None, typer.Argument(help="A measure.")] = None,
) -> None:
    """List the measures, or explain one of them."""
    print(oe.metrics() if name is None else oe.get_metric(name).__doc__)


@app.command()
def recommend(
    outputs: Annotated[str, typer.Option(help="labels, probabilities or scores")] = "labels",
    equal_steps: Annotated[bool | None, typer.Option(help="Is a step the same everywhere?")] = None,
    imbalanced: Annotated[bool | None, typer.Option(help="Do class sizes differ much?")] = None,
    costs_known: Annotated[bool, typer.Option(help="Do you know what errors cost?")] = False,
    raters: Annotated[bool, typer.Option(help="Is it agreement between raters?")] = False,
    mandated: Annotated[str | None, typer.Option(help="A measure that a rule demands.")] = None,
) -> None:
    """Recommend a measure to decide by, and two to read beside it."""
    print(
        oe.recommend(
            outputs=outputs,  # type: ignore[arg-type]
            equal_steps=equal_steps,
            imbalanced=imbalanced,
            costs_known=costs_known,
            raters=raters,
            mandated=mandated,
        )
    )


@app.command()
def explain(code: Annotated[str, typer.Argument(help="A warning code, such as OE103.")]) -> None:
    """Say what a warning code means."""
    print(oe.explain(code))


def main() -> None:
    """Run the command; what is wrong with the input is one message and exit code 2."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", oe.OrdevalWarning)
            try:
                app()
            finally:
                for w in caught:
                    if issubclass(w.category, oe.OrdevalWarning):
                        print(f"warning: {w.message}", file=sys.stderr)
    except oe.OrdevalError as error:
        print(f"ordeval: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # The reader went away, as `| head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _need(truth: str, pred: list[str]) -> None:
    if not truth or not pred:
        raise oe.LabelError("name the columns: --truth COLUMN --pred COLUMN.")


def _labels(text: str | None) -> list[Any] | None:
    """The labels of --labels; integers if all of them are written so."""
    if text is None:
        return None
    parts = next(csv.reader([text], skipinitialspace=True))
    return [int(p) for p in parts] if all(re.fullmatch(r"[+-]?\d+", p) for p in parts) else parts


def _policies(drop_missing: bool, drop_unknown: bool) -> dict[str, Any]:
    return {
        "missing": "drop" if drop_missing else "raise",
        "unknown": "drop" if drop_unknown else "raise",
    }


def _read_matrix(file: str, labels: str | None) -> oe.ConfusionMatrix:
    """A matrix as rows of numbers, separated by commas, semicolons, tabs or spaces."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
    except OSError as error:
        raise oe.CountsError(f"{file!r} could not be read: {error.strerror}.") from None
    rows = [re.split(r"[,;\s]+", line.strip()) for line in text.splitlines() if line.strip()]
    try:
        counts = [[float(x) if "." in x else int(x) for x in row] for row in rows]
    except ValueError as error:
        raise oe.CountsError(f"{file!r} must hold rows of numbers: {error}.") from None
    return oe.ConfusionMatrix(counts, _labels(labels))


def _gates(texts: list[str] | None) -> dict[str, float]:
    gates = {}
    for text in texts or []:
        name, _, value = text.partition("=")
        try:
            gates[oe.get_metric(name.strip()).name] = float(value)
        except ValueError:
            raise oe.ParameterError(
                f"--fail-under takes metric=value, for example accuracy=0.8; got {text!r}."
            ) from None
    return gates


def _check(gates: dict[str, float], values: dict[str, dict[str, float]]) -> None:
    """Exit 1 if a model does worse than a gate, in the direction of its measure."""
    failed = False
    for name, gate in gates.items():
        metric = oe.get_metric(name)
        for model, by in values.items():
            if not metric.utility(by[name]) >= metric.utility(gate):
                print(
                    f"gate failed: {model} has {name} {by[name]:.4f}, not {gate:g} or better",
                    file=sys.stderr,
                )
                failed = True
    if failed:
        raise typer.Exit(1)


def _renderer(as_csv: bool, as_markdown: bool, as_latex: bool) -> Callable[[Any], str]:
    if as_csv:
        return lambda x: str(x.to_csv())
    if as_markdown:
        return lambda x: str(x.to_markdown())
    return (lambda x: str(x.to_latex())) if as_latex else repr


def _put(text: str, output: Path | None) -> None:
    """Print, or write to the side and rename, so that an old file stays whole until then."""
    if output is None:
        print(text)
        return
    try:
        handle, name = tempfile.mkstemp(dir=output.parent or ".", prefix=f".{output.name}.")
    except OSError as error:
        raise oe.LabelError(f"{str(output)!r} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text if text.endswith("\n") else text + "\n")
        os.replace(name, output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


class _progress:  # noqa: N801 - used like a function
    """Progress bars on a terminal, nothing elsewhere."""

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        console = Console(stderr=True)
        if not console.is_terminal:
            self._bars = None
            return None
        self._bars = RichProgress(console=console, transient=True)
        self._bars.start()
        tasks: dict[str, Any] = {}
        bars = self._bars

        def show(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=of)
            bars.update(tasks[stage], completed=done)

        return show

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()


if __name__ == "__main__":
    main()
